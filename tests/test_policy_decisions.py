"""Decisions of recorded games, and how they are split."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from recorded import random_recorded, write_archive

from kr import _core, _learn
from kr.archives.archive import ReadSettings
from kr.errors import InvalidSettingError, KrError
from kr.game.position import Position, Side
from kr.policy.policy import frame_of, moves_before
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.splits import SPLITS, leak, position_keys, split_decisions

GAMES = 60


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> Decisions:
    path = tmp_path_factory.mktemp("archive") / "games.pdn"
    write_archive(path, GAMES)
    return read_decisions(ReadSettings(files=(path,)))


def test_decisions_are_the_positions_and_moves_of_the_games(decisions: Decisions) -> None:
    row = 0
    for number in range(GAMES):
        game = random_recorded(number)
        positions = list(game.positions())
        for ply, move in enumerate(game.moves):
            position = positions[ply]
            turned = position.side is Side.WHITE
            squares = (move.origin, move.target)
            assert tuple(decisions.boards[row].tolist()) == frame_of(position)
            assert tuple(decisions.before[row].tolist()) == moves_before(position, positions[:ply])
            assert tuple(decisions.moves[row].tolist()) == (tuple(31 - s for s in squares) if turned else squares)
            assert int(decisions.captured[row]).bit_count() == move.captured.bit_count()
            distinct = {(each.origin, each.target, each.captured) for each in position.legal_moves()}
            assert decisions.choices[row] == len(distinct)
            assert (decisions.game[row], decisions.ply[row], decisions.side[row]) == (number, ply, position.side)
            name = game.headers["White" if turned else "Black"]
            assert decisions.players[decisions.player[row]] == name
            assert decisions.year[row] == 1850 + 3 * number
            row += 1
    assert len(decisions) == row
    assert decisions.pieces[0] == 24


def test_each_move_played_is_one_of_its_choices(decisions: Decisions) -> None:
    first, origins, targets, captured = _core.policy_choices(decisions.boards)
    played = _learn.rows_of_choices(first, origins, targets, captured, decisions.moves, decisions.captured)
    assert np.array_equal(np.diff(first), decisions.choices)
    assert (played >= 0).all()
    at = first[:-1] + played
    assert np.array_equal(origins[at], decisions.moves[:, 0])
    wrong = decisions.captured ^ np.uint32(1)
    assert (_learn.rows_of_choices(first, origins, targets, captured, decisions.moves, wrong) == -1).all()


def test_duplicates_openings_and_set_up_positions(tmp_path: Path) -> None:
    games = [
        '[Black "A"]\n[White "B"]\n[Opening "9-14 22-18: 9-14 22-18"]\n1. 9-14 22-18 2. 5-9 24-19 *',
        '[Black "C"]\n[White "A"]\n[Date "1901.02.03"]\n1. 9-14 22-18 2. 5-9 24-19 1-0',
        '[Black "A"]\n[White "B"]\n[FEN "W:W31,32:B1,K5"]\n1. 31-27 1-6 *',
        '[Black "A"]\n[White ""]\n1. 9-14 *',
    ]
    path = tmp_path / "games.pdn"
    path.write_text("\n\n".join(games))
    found = read_decisions(ReadSettings(files=(path,)))
    assert found.games.duplicate.tolist() == [False, True, False, False]
    assert found.prescribed.tolist() == [True, True, False, False] + [False] * 7
    assert found.before[8:10].tolist() == [[32, 32, 32, 32], [31 - 31 + 30, 26, 32, 32]]
    assert found.games.year.tolist() == [0, 1901, 0, 0]
    assert found.facts() == {
        "games": 4, "duplicate_games": 1, "decisions": 7, "forced": 0, "prescribed": 2, "players": 3,
        "first_year": 1901, "last_year": 1901,
    }  # fmt: skip


@pytest.mark.parametrize("by", SPLITS)
def test_parts_are_apart_and_whole(decisions: Decisions, by: str) -> None:
    split = split_decisions(decisions, by, seed=3)
    parts = (split.training, split.validation, split.test)
    rows = np.concatenate(parts)
    assert len(np.unique(rows)) == len(rows) == (~decisions.games.duplicate[decisions.game]).sum()
    games = [set(decisions.game[part].tolist()) for part in parts]
    if by == "positions":
        assert games[0] & games[2]
    else:
        assert not games[0] & games[1] | games[0] & games[2] | games[1] & games[2]
        assert len(games[2]) == {"games": 3, "years": 3, "none": 0}[by]
    if by == "years":
        assert decisions.year[split.test].min() > decisions.year[split.training].max()
    again = split_decisions(decisions, by, seed=3)
    assert all(np.array_equal(a, b) for a, b in zip(parts, (again.training, again.validation, again.test), strict=True))


def test_the_split_by_positions_leaks_more(decisions: Decisions) -> None:
    leaks = {by: leak(decisions, split_decisions(decisions, by)) for by in SPLITS}
    assert leaks["positions"] > leaks["games"] > leaks["none"] == 0


def test_fewer_games_are_part_of_more(decisions: Decisions) -> None:
    split = split_decisions(decisions)
    some, more = (split.first_games(decisions, count, seed=1) for count in (5, 20))
    assert len(np.unique(decisions.game[some.training])) == 5
    assert set(some.training.tolist()) < set(more.training.tolist()) < set(split.training.tolist())
    assert some.test is split.test


def test_keys_tell_positions_apart(decisions: Decisions) -> None:
    keys = position_keys(decisions)
    assert len(np.unique(keys)) == len(np.unique(decisions.boards, axis=0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no game with a move"),
        ("1. 9-14 22-99 *", "none of which can be read"),
    ],
)
def test_files_without_games_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "games.pdn"
    path.write_text(text)
    with pytest.raises(KrError, match=message):
        read_decisions(ReadSettings(files=(path,)))


def test_splits_say_what_they_need(tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    path.write_text("\n\n".join(f'[Event "{n}"]\n1. {move} *' for n, move in enumerate(["9-14", "9-13", "11-15"])))
    few = read_decisions(ReadSettings(files=(path,)))
    for by, message in (
        ("years", "needs games with years"),
        ("monthly", "expected games, years"),
        ("positions", "empty"),
    ):
        with pytest.raises(InvalidSettingError, match=message):
            split_decisions(few, by)


@pytest.mark.core
def test_games_that_can_not_be_are_refused() -> None:
    start = np.array([[0xFFF, 0xFFF00000, 0]], dtype=np.uint32)
    side, first = np.zeros(1, np.uint8), np.array([0, 1])
    squares, captured = np.array([[8, 12]], np.uint8), np.zeros(1, np.uint32)
    boards, *_ = _learn.decisions_of_games(start, side, first, squares, captured)
    assert tuple(boards[0].tolist()) == frame_of(Position())
    with pytest.raises(ValueError, match="game 0, ply 0"):
        _learn.decisions_of_games(start, side, first, squares - np.uint8(8), captured)
    with pytest.raises(ValueError, match="do not fit together"):
        _learn.decisions_of_games(start, side, np.array([0, 2]), squares, captured)
    with pytest.raises(ValueError, match="game 0"):
        _learn.decisions_of_games(start | np.uint32(1 << 31), side, first, squares, captured)
