"""The ASGI app of `kr web`: the page, its files, the requests and streams of all features."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import inspect
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from kr.errors import KrError
from kr.language.sentences import scripts
from kr.viewer.assets import board_colors
from kr.web import (
    archive_uploads,
    composing,
    explorer,
    games,
    judging,
    matches,
    port,
    positions,
    proofs,
    runs,
    searches,
)
from kr.web.entry import Entry
from kr.web.guard import Guard
from kr.web.house import House
from kr.web.live import BROKEN, Connection, Stream, error_line
from kr.web.page import index
from kr.web.request import PageRequest

FEATURES: tuple[Any, ...] = (
    port,
    positions,
    games,
    searches,
    matches,
    runs,
    judging,
    proofs,
    explorer,
    archive_uploads,
    composing,
)  # fmt: skip
"""Modules with ROUTES and LIVE."""
MOST_BODY = 4 << 20
"""Bytes of a request."""
LEAST_PACKED = 10_000
"""Bytes of an answer that is packed for those who take it so."""
BODY_SECONDS = 20.0
"""Time in which a request must have arrived."""
CONTENT_TYPES = {
    ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
    ".json": "application/json", ".webmanifest": "application/manifest+json", ".png": "image/png",
}  # fmt: skip

STATIC = "/static/"
_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))")

Handler = Callable[[House, PageRequest], Any]


def make_app(house: House, host: str, port: int, entry: Entry | None = None) -> ASGIApp:
    """The app for an address to listen on. entry: None if everyone who can connect may send requests."""
    handlers: dict[str, Handler] = {}
    streams: dict[str, Stream] = {}
    for feature in FEATURES:
        handlers.update(feature.ROUTES)
        streams.update(feature.LIVE)

    async def live(socket: WebSocket) -> None:
        await Connection(house, socket, streams).serve()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await anyio.to_thread.run_sync(house.close)

    app = Starlette(
        routes=[
            *(Route(path, partial(_file, each), methods=["GET"]) for path, each in _files().items()),
            *(
                Route(f"/api/{name}", partial(_answer, house, handler), methods=["POST"])
                for name, handler in handlers.items()
            ),
            WebSocketRoute("/live", live),
        ],
        exception_handlers={HTTPException: _failed, Exception: _broken},
        lifespan=lifespan,
    )
    return Guard(app, host, port, entry)


def _files() -> dict[str, tuple[bytes, str]]:
    """All files that a page can get, by path, with their types. They are in memory: no path opens a file.

    The page asks for its files by paths that hold the version of all of them, /static/VERSION/main.js: so a page, its
    scripts and those that it fetches later are of one version, and browsers may keep them.
    """
    files = {f"{STATIC}colors.css": (board_colors().encode(), CONTENT_TYPES[".css"])}
    for package in ("kr.viewer", "kr.page"):
        files.update(_static_files(resources.files(package).joinpath("static"), STATIC.rstrip("/")))
    files.update({f"{STATIC}{path}": (text.encode(), CONTENT_TYPES[".js"]) for path, text in scripts().items()})
    shell, worker = index(), files.pop(f"{STATIC}worker.js")
    version = _version(shell.encode(), files)
    versioned = {path.replace(STATIC, f"{STATIC}{version}/"): file for path, file in files.items()}
    own = {"version": version, "files": ["/", *sorted(versioned)]}
    return {
        **files,
        **versioned,
        "/": (shell.replace(f'"{STATIC}', f'"{STATIC}{version}/').encode(), "text/html; charset=utf-8"),
        "/worker.js": (f"globalThis.SHELL = {json.dumps(own)};\n".encode() + worker[0], worker[1]),
    }


def _version(shell: bytes, files: Mapping[str, tuple[bytes, str]]) -> str:
    digest = hashlib.sha256(shell)
    for path, (content, _) in sorted(files.items()):
        digest.update(b"%b\0%d\0%b" % (path.encode(), len(content), content))
    return digest.hexdigest()[:12]


def _static_files(folder: Traversable, path: str) -> dict[str, tuple[bytes, str]]:
    files: dict[str, tuple[bytes, str]] = {}
    for file in folder.iterdir():
        if file.is_dir():
            files.update(_static_files(file, f"{path}/{file.name}"))
        elif kind := CONTENT_TYPES.get(file.name[file.name.rfind(".") :]):
            files[f"{path}/{file.name}"] = file.read_bytes(), kind
    return files


async def _file(file: tuple[bytes, str], request: Request) -> Response:
    content, kind = file
    packs = kind != CONTENT_TYPES[".png"] and _takes_gzip(request)
    tag = f'"{hashlib.sha256(content).hexdigest()[:24]}{"-gzip" if packs else ""}"'
    headers = {"etag": tag, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if packs:
        content, headers["content-encoding"] = _packed(content), "gzip"
    return Response(content, media_type=kind, headers=headers)


@lru_cache(1000)
def _packed(content: bytes) -> bytes:
    return gzip.compress(content, 6, mtime=0)


async def _answer(house: House, handler: Handler, request: Request) -> Response:
    """Answer a request: JSON in, JSON out; a short error for a bad one."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return _error(415, "expected application/json")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await _body(request)
        page_request = PageRequest(json.loads(body))
        if inspect.iscoroutinefunction(handler):
            answer = await handler(house, page_request)
        else:
            # a server that stops does not wait for a text that takes minutes to read
            answer = await anyio.to_thread.run_sync(_worked, handler, house, page_request, abandon_on_cancel=True)
        return await _sent(answer, request)
    except HTTPException as error:
        return _error(error.status_code, error.detail)
    except TimeoutError:
        return _error(408, "the request took too long to arrive")
    except ClientDisconnect:
        return _error(400, "the request did not arrive")
    except (KrError, OSError) as error:
        return _error(400, error_line(error))
    except (ValueError, RecursionError):
        return _error(400, "the request is not JSON")


async def _sent(answer: Any, request: Request) -> Response:
    """An answer as JSON, packed if it is large."""
    response = JSONResponse(answer)
    if len(response.body) < LEAST_PACKED or not _takes_gzip(request):
        return response
    packed = await anyio.to_thread.run_sync(gzip.compress, response.body, 5)
    return Response(packed, media_type=response.media_type, headers={"content-encoding": "gzip"})


def _takes_gzip(request: Request) -> bool:
    return bool(_GZIP.search(request.headers.get("accept-encoding", "")))


def _worked(handler: Handler, house: House, request: PageRequest) -> Any:
    with house.at_work():
        return handler(house, request)


async def _body(request: Request) -> bytes:
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MOST_BODY:
            raise HTTPException(413, f"the request has more than {MOST_BODY >> 20} MB")
    return bytes(content)


def _error(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status)


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, {404: "there is no such page", 405: "wrong method"}.get(error.status_code, "no"))


async def _broken(request: Request, error: Exception) -> Response:
    return _error(500, BROKEN)
