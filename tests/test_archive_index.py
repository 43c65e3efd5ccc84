"""The index of an archive: the same games and searches as without it, and true whatever happens to the files."""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
import pytest
from systems import KILLED

from kr.archives import index_build, index_file
from kr.archives.index import ArchiveIndex, Record, open_index, rebuild
from kr.archives.index_build import INDEX_SUFFIX, index_path, is_current, update_index
from kr.archives.search import GameSearch, SearchSettings
from kr.errors import InvalidIndexError, InvalidPdnError, InvalidSettingError, OutputBusyError, StoppedError
from kr.game.position import Position
from kr.pdn import Game, read_games
from kr.pdn.scan import NO_CODE, MovedError, Scanner
from kr.storage import lock

DATA = Path(__file__).parent / "data" / "games.pdn"


def games_text(first: int, count: int, seed: int = 3) -> str:
    """Games of random moves between a few players, one in ten with a remark, one in thirty illegal."""
    dice = random.Random(seed)
    texts = []
    for number in range(first + count):
        position, moves = Position(), []
        for _ in range(dice.randrange(2, 40)):
            legal = position.legal_moves()
            if not legal:
                break
            # few moves in the opening, so that games share positions
            move = legal[min(len(legal) - 1, int(dice.expovariate(0.8)))]
            moves.append(str(move))
            position = position.play(move)
        if number % 30 == 29:
            moves.append("1-32")
        black, white = dice.sample(["Tinsley, M.", "Lafferty, D.", "Fortman, R.", "Long, A.", "?"], 2)
        tags = {"Event": f"Match {number // 9}", "Black": black, "White": white}
        if number % 5:
            tags["Date"] = f"{1900 + number % 90}.??.??"
        remark = " {remark}" if number % 10 == 0 else ""
        start = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        text = f"{start}{' '.join(moves)}{remark} {dice.choice(['1-0', '0-1', '1/2-1/2', '*', '0-0'])}\n\n"
        if number >= first:
            texts.append(text)
    return "".join(texts)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive of 120 games, of which 4 can't be read, in an index of several segments, chunks and blocks."""
    monkeypatch.setattr(index_build, "GAMES_A_SEGMENT", 40)
    monkeypatch.setattr(index_build, "ROWS_A_CHUNK", 32)
    monkeypatch.setattr(index_build, "PROGRESS_GAMES", 10)
    path = tmp_path / "games.pdn"
    path.write_text(games_text(0, 120))
    return path


def games_of(index: ArchiveIndex) -> list[Game]:
    return [index.game(number) for number in range(len(index))]


def check_true(index: ArchiveIndex) -> None:
    """The index has the games of its archive, and finds each of their positions."""
    errors: list[InvalidPdnError] = []
    expected = list(read_games(index.source, errors=errors))
    assert games_of(index) == expected
    assert [index.game(number).line for number in range(len(index))] == [game.line for game in expected]
    assert index.left_out == len(errors)
    assert index.complaints == [str(error) for error in errors]
    positions = {position: number for number, game in enumerate(expected) for position in game.positions()}
    for position, number in list(positions.items())[::25]:
        found = index.find(SearchSettings(files=(index.source,), position=position.fen))
        assert number in found.games.tolist()


def test_an_index_has_the_games_of_its_archive(archive: Path) -> None:
    with open_index(archive) as index:
        assert len(index) == 116
        check_true(index)
        with pytest.raises(InvalidSettingError, match="there is no game 117: the archive has 116"):
            index.game(116)


SEARCHES: list[dict[str, Any]] = [
    {},
    {"player": ("tinsley",)},
    {"player": ("tinsley", "LONG")},
    {"black": "fort", "white": "laff"},
    {"event": "match 1"},
    {"year": "1950"},
    {"year": "1910-1930"},
    {"year": "-1920", "result": "1-0"},
    {"result": "*"},
    {"result": "0-2"},
    {"ballot": "9-13"},
    {"ballot": "9-13 21-17"},
    {"tag": ("Event=Match 1", "Date=19")},
    {"player": ("nobody",)},
    {"position": Position().fen},
    {"position": Position().play("9-13").fen},
    {"position": Position().play("9-13").fen, "result": "1-0"},
    {"position": Position().play("9-13").play("21-17").fen, "reversed": True},
    {"position": Position().play("9-13").flipped().fen, "reversed": True, "player": ("long",)},
    {"position": "W:W21:B1"},
]


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_searches_find_the_same_games_with_an_index_and_without(archive: Path, search: dict[str, Any]) -> None:
    settings = SearchSettings(files=(archive,), **search)
    searching = GameSearch(settings)
    expected = [
        (number, hit.ply, hit.turned)
        for number, game in enumerate(read_games(archive, errors=[]))
        if searching.wanted(game.headers) and (hit := searching.hit(game)) is not None
    ]
    with open_index(archive) as index:
        for _ in range(2):  # the second time from what is remembered
            found = index.find(settings)
            hits = zip(found.games.tolist(), found.plies.tolist(), found.turned.tolist(), strict=True)
            assert list(hits) == expected


def test_openings_include_games_that_start_there(tmp_path: Path) -> None:
    path = tmp_path / "a.pdn"
    start = Position().play("9-13").play("22-18")
    path.write_text(f'[FEN "{start.fen}"]\n1. 13-17 *\n\n[Event "a"]\n1. 9-13 22-18 *\n\n[FEN "W:W21:B1"]\n*\n')
    with open_index(path) as index:
        assert index.find(SearchSettings(files=(path,), ballot="9-13 22-18")).games.tolist() == [0, 1]


def test_variations_are_refused(archive: Path) -> None:
    settings = SearchSettings(files=(archive,), position=Position().fen, in_variations=True)
    with open_index(archive) as index, pytest.raises(InvalidSettingError, match="not in the index"):
        index.find(settings)


def counted_by_hand(games: list[Game], position: Position, turned: bool) -> dict[str, Counter[str]]:
    """Results of the games by the move that they played where the position first came."""
    counts: dict[str, Counter[str]] = {}
    swapped = {"1-0": "0-1", "0-1": "1-0"}
    for game in games:
        for node, at in zip([game, *game.mainline()], game.positions(), strict=True):
            here = at == position
            if here or (turned and at == position.flipped()):
                following = node.next()
                if following is not None:
                    path = following.move.path if here else tuple(31 - square for square in following.move.path)
                    move = next(each for each in position.legal_moves() if each.path == path)
                    result = str(game.result)
                    counts.setdefault(str(move), Counter())[result if here else swapped.get(result, result)] += 1
                break
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("moves", [[], ["9-13"], ["9-13", "21-17"], ["9-14"], ["11-15"]], ids=" ".join)
def test_moves_are_counted_with_results_and_years(archive: Path, moves: list[str], turned: bool) -> None:
    position = Position()
    for move in moves:
        position = position.play(move)
    with open_index(archive) as index:
        # games that begin with colours reversed as well
        games = games_of(index)
        found = index.find(SearchSettings(files=(archive,), position=position.fen, reversed=turned))
        listed = index.moves(position, found)
    assert {
        str(move): (each.games, each.black_wins, each.draws, each.white_wins, each.other) for move, each in listed
    } == {
        move: (counts.total(), counts["1-0"], counts["1/2-1/2"], counts["0-1"], counts["*"] + counts["0-0"])
        for move, counts in counted_by_hand(games, position, turned).items()
    }
    frequencies = [each.games for _, each in listed]
    assert frequencies == sorted(frequencies, reverse=True)


REVERSED = f"""[Date "1901"]
1. 9-13 22-18 1-0

[Date "1955"]
[FEN "{Position().flipped().fen}"]
1. 24-20 11-15 1-0

[Event "Unknown year"]
1. 9-13 22-18 1/2-1/2
"""


def test_games_with_colours_reversed_count_for_the_side_that_they_would_be(tmp_path: Path) -> None:
    path = tmp_path / "a.pdn"
    path.write_text(REVERSED)
    position = Position().play("9-13")
    with open_index(path) as index:
        plain, both = (
            index.find(SearchSettings(files=(path,), position=position.fen, reversed=each)) for each in (False, True)
        )
        ((move, record),) = index.moves(position, plain)
        assert str(move) == "22-18"
        assert record == Record(2, black_wins=1, draws=1, first_year=1901, last_year=1901)
        assert record.score == 0.75
        ((move, record),) = index.moves(position, both)
        assert str(move) == "22-18"
        assert record == Record(3, black_wins=1, draws=1, white_wins=1, first_year=1901, last_year=1955)
        assert index.record(both) == record
        assert both.turned.tolist() == [False, True, False]


def test_positions_reached_by_other_moves_count(tmp_path: Path) -> None:
    path = tmp_path / "a.pdn"
    path.write_text("1. 11-15 23-19 2. 9-13 22-18 *\n\n1. 9-13 23-19 2. 11-15 22-17 1-0\n\n1. 9-13 *\n")
    position = Position()
    for move in ("11-15", "23-19", "9-13"):
        position = position.play(move)
    with open_index(path) as index:
        found = index.find(SearchSettings(files=(path,), position=position.fen))
        assert {str(move): record.games for move, record in index.moves(position, found)} == {"22-18": 1, "22-17": 1}


@pytest.mark.core
def test_captures_between_the_same_squares_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.pdn"
    start = "W:W32,K3:B7,8,14,15,16,22,23,24"
    moves = [move for move in Position.from_fen(start).legal_moves() if move.is_capture]
    alike = [move for move in moves if sum((m.origin, m.target) == (move.origin, move.target) for m in moves) > 1]
    assert len({move.captured for move in alike}) > 1
    path.write_text("".join(f'[FEN "{start}"]\n{move} *\n\n' for move in moves))
    with open_index(path) as index:
        found = index.find(SearchSettings(files=(path,), position=start))
        played = index.moves(Position.from_fen(start), found)
        assert {move.captured for move, _ in played} == {move.captured for move in moves}


def test_an_index_that_nobody_asks_any_more_is_closed(archive: Path) -> None:
    """By whoever asked last; where files that are open can't be removed, its own could not be."""
    index = open_index(archive)
    connection = index._connection
    del index
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


def test_names_of_players_are_completed(archive: Path) -> None:
    with open_index(archive) as index:
        games = games_of(index)
        counts = Counter(game.headers[side] for game in games for side in ("Black", "White"))
        assert index.players("T", 1) == [("Tinsley, M.", counts["Tinsley, M."])]
        assert {name for name, _ in index.players("", 10)} == set(counts) - {"?"}
        assert index.players("Match", 10) == []


@pytest.mark.parametrize("text", ["", "\n\n", "rubbish\n"])
def test_an_archive_without_games(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.pdn"
    path.write_text(text)
    with open_index(path) as index:
        assert len(index) == 0
        assert index.left_out == bool(text.strip())
        found = index.find(SearchSettings(files=(path,), position=Position().fen, reversed=True, player=("a",)))
        assert index.moves(Position(), found) == []
        assert index.record(found) == Record()
        assert index.players("a", 5) == []


# --- true to the file


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
    connection = make(path)
    connection.set_trace_callback(trace)
    return connection
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


def without_a_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE texts")


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


@pytest.mark.parametrize("damage", [flipped_everywhere, without_a_table])
def test_damage_that_a_question_comes_upon_is_told_and_mended(archive: Path, damage: Any) -> None:
    damage(update_index(archive))
    index = open_index(archive)
    with pytest.raises(InvalidIndexError, match="is damaged"):
        index.game(0)
    if damage is flipped_everywhere:
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

    def small(path: Path) -> sqlite3.Connection:
        connection = make(path)
        connection.execute("PRAGMA max_page_count = 14")
        return connection

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


@pytest.mark.slow
def test_22621_games_open_in_seconds(shared_data: Path, tmp_path: Path) -> None:
    """Bounds wide enough for a busy machine."""
    path = shutil.copy(shared_data / "OCA_2.0.pdn.xz", tmp_path)
    began = time.process_time()
    with open_index(Path(path)) as index:
        assert len(index) == 22621
    first = time.process_time() - began
    began = time.process_time()
    with open_index(Path(path)) as index:
        found = index.find(SearchSettings(files=(index.source,), position=Position().fen))
    assert len(found) == 22621
    assert first < 5
    assert time.process_time() - began < 0.3


def test_arrays_come_back() -> None:
    columns = {"key": np.array([3, 3, 1 << 63], np.uint64), "game": np.array([1, 2, 3], np.uint32),
               "ply": np.array([0, 1, 70000], np.uint32), "code": np.array([0, 5, NO_CODE], np.uint16)}  # fmt: skip
    again = index_file.unpacked_positions(index_file.packed_positions(columns), 3)
    for name, column in columns.items():
        np.testing.assert_array_equal(again[name], column)
    texts = ["", "a", "½ 日本\n"]
    assert index_file.unpacked_texts(index_file.packed_texts(texts)) == texts


@pytest.mark.parametrize(
    ("path", "address"),
    [
        (PurePosixPath("/a b/x?#%.kr-index"), "file:///a%20b/x%3F%23%25.kr-index?mode=ro"),
        (PureWindowsPath(r"C:\games\ä.kr-index"), "file:///C:/games/%C3%A4.kr-index?mode=ro"),
        # a share of another computer, which SQLite would take for a host
        (PureWindowsPath(r"\\server\share\x.kr-index"), "file:////server/share/x.kr-index?mode=ro"),
    ],
)
def test_the_address_of_an_index(path: PurePath, address: str) -> None:
    assert index_file.read_only_uri(path) == address
