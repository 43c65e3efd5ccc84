"""The files of the command line, for pages, which read the games themselves.

port/files {} -> {"files": [{"name", "stamp"}, ...], "mark"}: a stamp differs once the file has changed, the mark is
that of this server

    {"do": "file", "file": 1}

sends the content of a file by its number, unpacked if it is packed: {"data"} for each piece, in base64, which are one
gzip file together. If that is not all, {"fault"} says why before the end.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync

from kr.errors import InvalidPdnError
from kr.language.sentences import Told, as_json, sentence, told_by
from kr.pdn.source import READ_SIZE, Content
from kr.web.house import House
from kr.web.live import Inbox
from kr.web.request import PageRequest

MOST_CONTENT = 64 << 20
"""Bytes of a file that are sent: the games that a page lists are hardly more."""
_GZIP = 31
"""zlib's number for the form of a gzip file."""


def names(house: House, request: PageRequest) -> dict[str, Any]:
    """Names of the files."""
    return {"files": [{"name": path.name, "stamp": _stamp(path)} for path in house.files], "mark": house.mark}


def _stamp(path: Path) -> str:
    # who opens a file that is gone is told so
    with suppress(OSError):
        status = path.stat()
        return f"{status.st_size} {status.st_mtime_ns}"
    return ""


async def content(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[Mapping[str, Any], None]:
    """Send the content of a file."""
    pieces = _pieces(house.files[request.number("file", 1, len(house.files)) - 1])
    try:
        while event := await run_sync(next, pieces, None):
            yield event
    finally:
        pieces.close()


def _pieces(path: Path) -> Generator[dict[str, Any]]:
    packer = zlib.compressobj(1, wbits=_GZIP)
    room = MOST_CONTENT
    fault: Told | None = None
    with closing(Content(path)) as source:
        try:
            while block := source.read(READ_SIZE):
                if len(block) > room:
                    fault = sentence("pdn.cut_file", size=MOST_CONTENT >> 20)
                    break
                room -= len(block)
                yield _piece(packer.compress(block))
        except InvalidPdnError as error:
            fault = told_by(error)
    yield _piece(packer.flush())
    if fault is not None:
        yield {"fault": as_json(fault)}


def _piece(packed: bytes) -> dict[str, str]:
    return {"data": base64.b64encode(packed).decode()}


ROUTES = {"port/files": names}
LIVE = {"file": content}
