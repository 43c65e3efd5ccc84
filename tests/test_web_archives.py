"""Archives that a page sends to the explorer: uploaded piece by piece, indexed, kept for the next server, removed."""

from __future__ import annotations

import asyncio
import base64
import errno
import lzma
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from english import english
from web_pages import finished

from kr.archives import index_build
from kr.errors import InvalidPdnError, KrError, StoppedError
from kr.game.position import Position
from kr.pdn import scan
from kr.web.archives import explorer
from kr.web.archives import store as archive_store
from kr.web.archives import uploads as archive_uploads
from kr.web.archives.store import ArchiveStore
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.settings import WebSettings

GAMES = b'[Event "One"]\n[Black "Ann"]\n\n1. 9-13 22-18 1-0\n\n[Event "Two"]\n\n1. 11-15 0-1\n'
PACKED = lzma.compress(GAMES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the archives of this test's user lie."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "kr" / "archives"


@pytest.fixture
def house(folder: Path) -> Iterator[House]:
    with closing(House(WebSettings(egdb="none", hash=1 << 22, weights="material"))) as house:
        yield house


def ask(house: House, what: str, **fields: Any) -> dict[str, Any]:
    routes: dict[str, Any] = {**explorer.ROUTES, **archive_uploads.ROUTES}
    answer: dict[str, Any] = routes[f"explorer/{what}"](house, PageRequest(fields))
    return answer


def base64_of(content: bytes) -> str:
    return base64.b64encode(content).decode()


def sent(house: House, content: bytes, name: str = "games.pdn.xz", piece: int = 50) -> dict[str, Any]:
    """Send a file in pieces, and add it."""
    upload = ask(house, "upload", name=name, size=len(content))["upload"]
    for start in range(0, len(content), piece):
        data = base64_of(content[start : start + piece])
        # a piece that is sent again, since its answer was lost, counts once
        for _ in range(2):
            assert ask(house, "upload", upload=upload, start=start, data=data) == {"upload": upload}
    return ask(house, "add", upload=upload)


def state(house: House, number: int) -> dict[str, Any]:
    """State of an archive once its index is made."""

    async def listen() -> dict[str, Any]:
        stream = explorer.opening(house, PageRequest({"archives": [number]}), asyncio.Queue())
        events = [event async for event in stream]
        return next(each for each in events[-1]["archives"] if each["number"] == number)

    return finished(listen())


def test_an_archive_arrives_in_pieces_and_is_explored(house: House, folder: Path) -> None:
    answer = sent(house, PACKED)
    assert [(each["name"], each["added"], each["lasting"]) for each in answer["archives"]] == [
        ("games.pdn.xz", True, False)
    ]
    number = answer["archive"]
    assert state(house, number)["games"] == 2
    fen = Position().fen
    assert ask(house, "moves", archives=[number], fen=fen)["total"]["games"] == 2
    # a file that is there already is not added again
    assert sent(house, PACKED, "other.pdn")["archive"] == number
    assert len(ask(house, "archives")["archives"]) == 1
    house.close()
    assert list(folder.iterdir()) == []


def test_an_archive_stays_for_the_next_server_if_the_person_says_so(house: House, folder: Path) -> None:
    number = sent(house, PACKED)["archive"]
    other = sent(house, lzma.compress(GAMES * 2))["archive"]
    for _ in range(2):
        assert [each["lasting"] for each in ask(house, "keep", archive=number)["archives"]] == [True, False]
    assert state(house, number)["games"] == 2
    assert state(house, other)["games"] == 4
    house.close()
    with closing(House(WebSettings(egdb="none", hash=1 << 22, weights="material"))) as next_house:
        (there,) = ask(next_house, "archives")["archives"]
        assert (there["name"], there["archive"], there["added"], there["lasting"]) == ("games.pdn.xz", True, True, True)
        # its index has stayed too
        assert list(folder.rglob("*.kr-index"))
        assert state(next_house, there["number"])["games"] == 2
        assert ask(next_house, "remove", archive=there["number"]) == {"archives": []}
        with pytest.raises(KrError, match="there is no archive 0"):
            ask(next_house, "moves", archives=[there["number"]], fen=Position().fen)
    assert not list(folder.glob("[0-9a-f]*"))


def test_an_archive_stays_after_a_first_try_that_failed(
    house: House, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk refuses once; then what a server has left that was killed while it removed the archive is in the way."""
    number = sent(house, PACKED)["archive"]
    with monkeypatch.context() as refusing:
        refusing.setattr(archive_store, "flush_directory", Mock(side_effect=OSError(errno.EIO, "Input/output error")))
        refusing.setattr(archive_store, "replace_file", Mock(side_effect=OSError(errno.EIO, "Input/output error")))
        with pytest.raises(OSError, match="Input/output error"):
            ask(house, "keep", archive=number)
    assert state(house, number)["games"] == 2
    (own,) = folder.glob(".server-*/[0-9a-f]*")
    (folder / own.name).mkdir()
    (folder / own.name / "games.pdn.xz.kr-index").touch()
    assert [each["lasting"] for each in ask(house, "keep", archive=number)["archives"]] == [True]
    assert state(house, number)["games"] == 2


def test_two_servers_share_what_stays_and_nothing_else(house: House) -> None:
    assert state(house, sent(house, PACKED)["archive"])["games"] == 2
    ask(house, "keep", archive=0)
    assert state(house, 0)["games"] == 2
    sent(house, lzma.compress(GAMES * 2))
    with closing(House(WebSettings(egdb="none", hash=1 << 22, weights="material"))) as other:
        (there,) = ask(other, "archives")["archives"]
        assert state(other, there["number"])["games"] == 2
        # the first does not lose what it has when the other begins or ends
        sent(other, lzma.compress(GAMES * 3))
    assert [state(house, number)["games"] for number in (0, 1)] == [2, 4]


def test_an_archive_is_kept_or_removed_while_its_index_is_made(
    house: House, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_build, "PROGRESS_GAMES", 1)
    monkeypatch.setattr(archive_store, "SPARE_BYTES", 0)
    begun = threading.Event()

    def report(self: explorer.ExploredFile, share: float) -> None:
        begun.set()
        time.sleep(0.001)
        if self._closed:
            raise StoppedError("stopped")

    monkeypatch.setattr(explorer.ExploredFile, "_report", report)
    numbers = [sent(house, GAMES * (50 + i), "long.pdn", 9000)["archive"] for i in range(2)]
    for number, what in zip(numbers, ("keep", "remove"), strict=True):
        file = explorer.Explorer.of(house).file(number)
        begun.clear()
        file.open()
        assert begun.wait(60)
        ask(house, what, archive=number)
    assert [each["number"] for each in ask(house, "archives")["archives"]] == numbers[:1]
    assert state(house, numbers[0])["games"] == 100
    assert sorted(path.name for path in folder.glob("[0-9a-f]*/*")) == ["long.pdn", "long.pdn.kr-index"]
    assert not list(folder.glob(".server-*/[0-9a-f]*"))


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("upload", {"name": "a.pdn", "size": 0}, "a.pdn is empty"),
    ("upload", {"name": "a.pdn", "size": 600 << 20}, "a.pdn has 629 MB; up to 512 MB can be added here"),
    ("upload", {"name": "\ud800.pdn", "size": 600 << 20}, r"^\?\.pdn has 629 MB"),
    ("upload", {"size": 3}, "name is missing"),
    ("upload", {"upload": "x", "start": 0, "data": base64_of(b"abc")}, "does not know this upload"),
    ("upload", {"upload": "UPLOAD", "start": 1, "data": base64_of(b"abc")}, "changed while it was sent"),
    ("upload", {"upload": "UPLOAD", "start": 0, "data": base64_of(b"x" * 99)}, "changed while it was sent"),
    ("upload", {"upload": "UPLOAD", "start": 0, "data": base64_of(b"\x89PNG\x00\x00")}, "a.pdn is not a text"),
    ("upload", {"upload": "UPLOAD", "start": 0, "data": "!"}, "data is not base64"),
    ("add", {"upload": "UPLOAD"}, "this upload is not whole"),
    ("add", {"upload": "../../x"}, "this upload is not whole"),
    ("remove", {"archive": 7}, "there is no archive 7"),
    ("keep", {"archive": "/etc"}, "archive is not a whole number"),
]


@pytest.mark.parametrize(("what", "fields", "said"), BAD)
def test_bad_uploads_are_refused_in_a_line(house: House, what: str, fields: dict[str, Any], said: str) -> None:
    if fields.get("upload") == "UPLOAD":
        fields = {**fields, "upload": ask(house, "upload", name="a.pdn", size=10)["upload"]}
    with pytest.raises(KrError, match=said) as caught:
        ask(house, what, **fields)
    assert "\n" not in str(caught.value)


def test_files_of_the_command_line_are_not_removed(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.pdn"
    path.write_bytes(GAMES)
    with closing(House(WebSettings(egdb="none", hash=1 << 22, weights="material", archive=(path,)))) as house:
        for what in ("remove", "keep"):
            with pytest.raises(KrError, match=r"own.pdn was named when kr web was started"):
                ask(house, what, archive=0)
    assert path.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (PACKED[:-20], "the file is damaged"),
        (b"\xfd7zXZ\x00" + b"rubbish" * 20, "the file is damaged"),
        (b"Dear diary, nothing was played today.\n" * 50, "no game"),
    ],
)
def test_an_archive_that_cannot_be_read_says_so_and_can_be_removed(house: House, content: bytes, said: str) -> None:
    number = sent(house, content)["archive"]
    assert said in english(state(house, number)["error"])
    assert ask(house, "remove", archive=number) == {"archives": []}


@pytest.mark.parametrize(
    ("name", "stored"), [("a.kr-index.pdn", "a_kr-index.pdn"), ("..", "archive.pdn"), ("CON.pdn", "_CON.pdn")]
)
def test_names_become_safe(house: House, name: str, stored: str) -> None:
    assert sent(house, PACKED, name)["archives"][-1]["name"] == stored


def test_rooms_are_bounded(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_store, "MOST_UPLOADS_AT_ONCE", 1)
    upload = ask(house, "upload", name="a.pdn", size=10)["upload"]
    with pytest.raises(KrError, match="1 files are being sent already"):
        ask(house, "upload", name="b.pdn", size=10)
    # one that is silent for long makes room
    monkeypatch.setattr(archive_store, "UPLOAD_SECONDS", -1.0)
    ask(house, "upload", name="b.pdn", size=10)
    with pytest.raises(KrError, match="does not know this upload"):
        ask(house, "upload", upload=upload, start=0, data=base64_of(b"x"))
    monkeypatch.setattr(archive_store, "MOST_STORE_BYTES", 5)
    with pytest.raises(KrError, match="there is room for 0 MB: remove one first"):
        ask(house, "upload", name="c.pdn", size=10)


def test_an_index_that_grows_too_large_is_told(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    number = sent(house, PACKED)["archive"]
    monkeypatch.setattr(archive_store, "SPARE_BYTES", 1 << 60)
    assert "is nearly full" in english(state(house, number)["error"])


def test_a_packed_file_without_end_is_read_only_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_build, "MOST_ARCHIVE_CHARACTERS", 1 << 20)
    path = tmp_path / "bomb.pdn.xz"
    path.write_bytes(lzma.compress(GAMES + b" " * (8 << 20) + GAMES))
    with pytest.raises(InvalidPdnError, match="bomb.pdn.xz has more than 1,048,576 characters"):
        index_build.update_index(path)


@pytest.mark.parametrize("text", [" ", "\n", "x", "{"])
def test_a_game_without_end_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(scan, "MOST_GAME_CHARACTERS", 1 << 20)
    path = tmp_path / "bomb.pdn.xz"
    path.write_bytes(lzma.compress(GAMES + text.encode() * (4 << 20)))
    with pytest.raises(InvalidPdnError, match="bomb.pdn.xz, line [0-9]+: a game of more than 1,048,576 characters"):
        index_build.update_index(path)


CHILD = """
import sys
from pathlib import Path
from kr.web.archives.store import ArchiveStore
store = ArchiveStore(Path(sys.argv[1]))
store.begin("a.pdn", 10)
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_what_a_killed_server_left_is_removed_by_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "archives"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    (left,) = folder.glob(".server-*[0-9a-f]")
    with closing(ArchiveStore(folder)) as store:
        store.begin("b.pdn", 10)
        # not while it runs
        assert left.exists()
    child.kill()
    child.communicate()
    with closing(ArchiveStore(folder)) as store:
        store.begin("b.pdn", 10)
        assert not left.exists()
    assert list(folder.iterdir()) == []
