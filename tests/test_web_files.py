"""The files of the command line, as a server hands them to pages."""

import asyncio
import base64
import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import Any

import pytest
from systems import NO_FILE
from web_pages import finished

from kr.errors import InvalidSettingError
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.services import files
from kr.web.settings import WebSettings

GAME = b'[Event "One"]\n\n1. 11-15 23-19 1-0\n'


def house(*paths: Path) -> House:
    return House(WebSettings(files=paths, egdb="none"))


def content(where: House, number: Any = 1) -> tuple[bytes, Any]:
    """The content of a file as a page gets it, and why it is not all."""
    events = finished(_events(where, number))
    packed = b"".join(base64.b64decode(event["data"]) for event in events if "data" in event)
    return zlib.decompress(packed, 31), next((event["fault"] for event in events if "fault" in event), None)


async def _events(where: House, number: Any) -> list[Any]:
    return [event async for event in files.content(where, PageRequest({"file": number}), asyncio.Queue())]


@pytest.mark.parametrize("packed", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_a_file_comes_unpacked(tmp_path: Path, packed: Any) -> None:
    path = tmp_path / "a.pdn"
    whole = GAME * 20_000
    path.write_bytes(packed(whole))
    assert content(house(path)) == (whole, None)


def test_what_comes_before_damage_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "a.pdn"
    path.write_bytes(lzma.compress(GAME * 20_000)[:-20])
    found, fault = content(house(path))
    assert found.startswith(GAME)
    why = {"say": "pdn.damaged_by", "with": {"why": "it ends too soon"}}
    assert fault == {"say": "pdn.of_file", "with": {"name": "a.pdn", "why": why}}


@pytest.mark.slow
def test_a_bomb_is_unpacked_only_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_CONTENT", 1 << 20)
    path = tmp_path / "a.pdn"
    path.write_bytes(lzma.compress(GAME + b" " * 50_000_000))
    found, fault = content(house(path))
    assert found == GAME + b" " * ((1 << 20) - len(GAME))
    assert fault == {"say": "pdn.cut_file", "with": {"size": 1}}
    path.write_bytes(b" " * (1 << 20))
    assert content(house(path)) == (b" " * (1 << 20), None)


def test_files_of_folders_have_names_and_stamps_that_change(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("a.pdn", "deep/b.pdn"):
        (tmp_path / name).write_bytes(GAME)
    where = house(tmp_path)
    before, again = (files.names(where, PageRequest({})) for _ in range(2))
    assert [file["name"] for file in before["files"]] == ["a.pdn", "b.pdn"]
    assert before == again
    assert before["mark"] != house(tmp_path).mark
    (tmp_path / "a.pdn").write_bytes(GAME * 2)
    (tmp_path / "deep" / "b.pdn").unlink()
    after = files.names(where, PageRequest({}))
    assert all(one["stamp"] != other["stamp"] for one, other in zip(before["files"], after["files"], strict=True))
    with pytest.raises(OSError, match=NO_FILE):
        content(where, 2)


@pytest.mark.parametrize("file", [0, 2, -1, "/etc/passwd", "a.pdn", True, 1.0, None])
def test_no_other_file_is_opened(tmp_path: Path, file: Any) -> None:
    path = tmp_path / "a.pdn"
    path.write_bytes(GAME)
    with pytest.raises(InvalidSettingError, match=r"file is (not a whole number from 1 to 1|missing)"):
        content(house(path), file)


def test_a_file_that_is_not_there_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="none.pdn"):
        house(tmp_path / "none.pdn")
    with pytest.raises(InvalidSettingError, match="holds no PDN file"):
        house(tmp_path)
