"""The index of an archive: the same games and searches as without it."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archive_games import archive, check_true, games_of

from kr.archives import index_file
from kr.archives.index import Record, open_index
from kr.archives.search import GameSearch, SearchSettings
from kr.errors import InvalidSettingError
from kr.game.position import Position
from kr.pdn import Game, read_games
from kr.pdn.scan import NO_CODE

__all__ = ["archive"]


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
        if searching.accepts(game.headers) and (hit := searching.hit(game)) is not None
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
    file = index._file
    del index
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        file.rows("SELECT 1")


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
