"""The index of an archive is true whatever happens to the files."""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from archive_games import archive, check_true, games_text
from systems import KILLED

from kr.archives import index_build, index_file
from kr.archives.index import ArchiveIndex, open_index, rebuild
from kr.archives.index_build import INDEX_SUFFIX, index_path, is_current, update_index
from kr.archives.search import SearchSettings
from kr.errors import InvalidIndexError, InvalidPdnError, OutputBusyError, StoppedError
from kr.game.position import Position
from kr.pdn.scan import MovedError, Scanner
from kr.sqlite import SqliteFile
from kr.storage import lock

__all__ = ["archive"]


def appended(path: Path) -> None:
    with path.open("a") as file:
        file.write(games_text(120, 50))


def remarked(path: Path) -> None:
    """A comment after the last game, which belongs to it."""
    path.write_text(path.read_text().rstrip() + " {the last word}\n")


def changed_within(path: Path) -> None:
    """One letter, and neither size nor time tell."""
    status = path.stat()
    path.write_text(path.read_text().replace("Match 1", "Catch 1", 1))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def shortened(path: Path) -> None:
    path.write_text(games_text(0, 50))


def packed(path: Path) -> None:
    import lzma

    path.write_bytes(lzma.compress(games_text(0, 150).encode()))


CHANGES = [appended, remarked, changed_within, shortened, packed]


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_archive_is_read_again(archive: Path, change: Any) -> None:
    open_index(archive).close()
    change(archive)
    assert not is_current(index_path(archive), archive)
    with open_index(archive) as index:
        check_true(index)


def test_only_what_was_added_is_read(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 116 games, 80 are in full segments."""
    open_index(archive).close()
    appended(archive)
    read = []
    scan = Scanner.scan

    def counting(self: Scanner) -> Any:
        game = scan(self)
        read.append(game)
        return game

    monkeypatch.setattr(Scanner, "scan", counting)
    with open_index(archive) as index:
        assert len(read) == len(index) - 80 + 1
        monkeypatch.undo()
        check_true(index)


def test_a_file_that_was_only_touched_is_not_read_again(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_index(archive).close()
    os.utime(archive)
    monkeypatch.setattr(index_build, "Scanner", None)
    open_index(archive).close()


def test_the_text_before_a_place_must_be_the_same(archive: Path) -> None:
    scanner = Scanner(archive, on_error=lambda error: None)
    for _ in range(5):
        scanner.scan()
    place = scanner.place()
    resumed = Scanner(archive, begin=place, on_error=lambda error: None)
    assert resumed.scan() == scanner.scan()
    archive.write_text(archive.read_text().replace("Match 0", "March 0", 1))
    with pytest.raises(MovedError):
        Scanner(archive, begin=place)


@pytest.mark.slow
@pytest.mark.parametrize("after", range(0, 12, 2))
def test_an_interrupted_update_is_resumed(archive: Path, after: int) -> None:
    calls = []

    def stop(share: float) -> None:
        calls.append(share)
        if len(calls) > after:
            raise StoppedError("enough")

    with pytest.raises(StoppedError):
        open_index(archive, stop)
    assert calls == sorted(calls)
    assert not is_current(index_path(archive), archive)
    with open_index(archive) as index:
        check_true(index)


INDEX_DYING = """
import os, sys
from pathlib import Path
from kr.archives import index_build, index_file
index_build.GAMES_A_SEGMENT = 40
source, where = Path(sys.argv[1]), int(sys.argv[2])
steps = 0
def trace(statement):
    global steps
    steps += 1
    if steps == where:
        os.kill(os.getpid(), 9)
make = index_build.open_for_writing
def traced(path):
    file = make(path)
    file._connection.set_trace_callback(trace)
    return file
index_build.open_for_writing = traced
index_build.update_index(source)
print(steps)
"""


@pytest.mark.slow
@pytest.mark.parametrize("where", [4, 45, *(pytest.param(each, marks=pytest.mark.soak) for each in (1, 9, 30, 60, 90))])
def test_a_kill_at_any_statement_leaves_an_index_that_is_mended(archive: Path, where: int) -> None:
    done = subprocess.run([sys.executable, "-c", INDEX_DYING, str(archive), str(where)], capture_output=True, text=True)
    assert done.returncode in (KILLED, 0), done.stderr
    assert not list(archive.parent.glob("*.tmp"))
    with open_index(archive) as index:
        check_true(index)


def test_two_writers_are_refused(archive: Path) -> None:
    with lock(index_path(archive)), pytest.raises(OutputBusyError, match="being written by another process"):
        open_index(archive)


def test_a_reader_goes_on_while_the_index_is_brought_up_to_date(archive: Path) -> None:
    with open_index(archive) as old:
        before = old.game(3)
        shortened(archive)
        with open_index(archive) as new:
            assert len(new) == 49
        assert old.game(3) == before


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def foreign(path: Path) -> None:
    path.write_text("not SQLite at all\n" * 500)


def another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE archive (id INTEGER)")


def another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {index_file.FORMAT_VERSION + 1}")


def without_a_segment(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM segments WHERE number = 1")


@pytest.mark.slow
@pytest.mark.parametrize("damage", [cut, zeroed, foreign, another_program, another_version, without_a_segment])
def test_a_damaged_index_is_made_anew(archive: Path, damage: Any) -> None:
    path = update_index(archive)
    damage(path)
    with open_index(archive) as index:
        check_true(index)


def flipped_everywhere(path: Path) -> None:
    """A bit of each packed text and position."""
    for table in ("texts", "positions"):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for id, content in connection.execute(f"SELECT id, content FROM {table}").fetchall():
                middle = len(content) // 2
                damaged = content[:middle] + bytes([content[middle] ^ 16]) + content[middle + 1 :]
                connection.execute(f"UPDATE {table} SET content = ? WHERE id = ?", (damaged, id))


def test_damage_that_a_question_comes_upon_is_told_and_mended(archive: Path) -> None:
    flipped_everywhere(update_index(archive))
    index = open_index(archive)
    with pytest.raises(InvalidIndexError, match="is damaged"):
        index.game(0)
    with pytest.raises(InvalidIndexError, match="is damaged"):
        index.find(SearchSettings(files=(archive,), position=Position().fen))
    with rebuild(index) as mended:
        check_true(mended)


@pytest.mark.slow
def test_damage_anywhere_is_noticed_or_does_no_harm(archive: Path) -> None:
    """Nothing but InvalidIndexError, whatever bytes are changed."""
    path = update_index(archive)
    whole = path.read_bytes()
    dice = random.Random(5)
    noticed = 0
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(dice.randrange(1, 60)):
            damaged[dice.randrange(100, len(damaged))] = dice.randrange(256)
        path.write_bytes(damaged)
        try:
            with ArchiveIndex(path, archive) as index:
                for number in range(min(len(index), 200)):
                    index.text(number)
                index.find(SearchSettings(files=(archive,), position=Position().fen, player=("t",)))
        except InvalidIndexError:
            noticed += 1
    assert noticed > 100
    with open_index(archive) as index:
        assert len(index) >= 0


def test_an_index_is_in_the_cache_where_the_folder_cannot_be_written(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    make = os.open

    def refuse(path: Any, flags: int, *rest: Any) -> int:
        if Path(path).parent == archive.parent and flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "refused", str(path))
        return make(path, flags, *rest)

    # what it says of folders on Windows
    monkeypatch.setattr(os, "access", lambda path, mode: True)
    monkeypatch.setattr(os, "open", refuse)
    with open_index(archive) as index:
        assert index.path.parent == tmp_path / "cache" / "kr" / "indexes"
        check_true(index)
    assert not list(archive.parent.glob(f"*{INDEX_SUFFIX}"))
    # one that is beside it already is used
    shutil.copy(index.path, archive.with_name(archive.name + INDEX_SUFFIX))
    assert index_path(archive).parent == archive.parent


def test_a_full_disk_is_one_line_and_leaves_nothing_wrong(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = index_build.open_for_writing

    def small(path: Path) -> SqliteFile:
        file = make(path)
        file.rows("PRAGMA max_page_count = 14")
        return file

    with monkeypatch.context() as patch:
        patch.setattr(index_build, "open_for_writing", small)
        with pytest.raises(OSError, match="full"):
            open_index(archive)
    with open_index(archive) as index:
        check_true(index)


def test_an_archive_that_changes_while_it_is_read_is_told(archive: Path) -> None:
    def change(share: float) -> None:
        archive.write_text(games_text(0, 10))

    with pytest.raises(InvalidPdnError, match="changed while it was being read"):
        open_index(archive, change)
    with open_index(archive) as index:
        check_true(index)
