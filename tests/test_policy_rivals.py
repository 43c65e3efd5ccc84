"""Rivals of policies: moves seen in other games, random ones, and those that a search prefers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from recorded import write_archive

from kr import _core
from kr.archives.archive import ReadSettings
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.evaluation.kinds import load_scorer
from kr.game.position import Position
from kr.policy.policy import PolicyRows, frame_of
from kr.studies.people import rivals
from kr.studies.people.baselines import RandomMoves, SeenMoves, played_choices, uniform_rows
from kr.studies.people.decisions import Decisions, read_decisions
from kr.studies.people.rivals import SearchMoves, move_rival, parse_move_rivals, ranking

START = frame_of(Position())


@pytest.fixture(scope="module")
def decisions(tmp_path_factory: pytest.TempPathFactory) -> Decisions:
    path = tmp_path_factory.mktemp("archive") / "games.pdn"
    write_archive(path, 30, seed=9)
    return read_decisions(ReadSettings(files=(path,)))


def rows_of_games(decisions: Decisions, first: int, last: int) -> NDArray[np.int64]:
    return np.flatnonzero((decisions.game >= first) & (decisions.game < last))


def check_rows(decisions: Decisions, rows: NDArray[np.int64], found: PolicyRows) -> None:
    first, origin, target, captured = _core.policy_choices(np.ascontiguousarray(decisions.boards[rows]))
    for given, expected in zip(found, (first, origin, target, captured), strict=False):
        assert np.array_equal(given, expected)
    assert found.probability.dtype == np.float32
    assert (found.probability > 0).all()
    assert np.allclose(np.add.reduceat(found.probability, first[:-1]), 1)


def test_random_moves_are_equally_likely(decisions: Decisions) -> None:
    rows = rows_of_games(decisions, 3, 6)
    found = RandomMoves().predict(decisions, rows)
    check_rows(decisions, rows, found)
    assert np.allclose(found.probability, 1 / np.repeat(decisions.choices[rows], np.diff(found.first)))


def test_seen_moves_are_counted(decisions: Decisions) -> None:
    training, rows = rows_of_games(decisions, 0, 20), rows_of_games(decisions, 20, 30)
    seen = SeenMoves(decisions, training)
    found = seen.predict(decisions, rows)
    check_rows(decisions, rows, found)
    counted: dict[tuple[int, ...], dict[tuple[int, int, int], int]] = {}
    for row in training:
        moves = counted.setdefault(tuple(decisions.boards[row].tolist()), {})
        move = (int(decisions.moves[row, 0]), int(decisions.moves[row, 1]), int(decisions.captured[row]))
        moves[move] = moves.get(move, 0) + 1
    knows = seen.knows(decisions, rows)
    assert 0 < knows.sum() < len(rows)
    for number, row in enumerate(rows):
        moves = counted.get(tuple(decisions.boards[row].tolist()), {})
        assert knows[number] == bool(moves)
        times, choices = sum(moves.values()), int(decisions.choices[row])
        for at in range(found.first[number], found.first[number + 1]):
            move = (int(found.origin[at]), int(found.target[at]), int(found.captured[at]))
            assert found.probability[at] == pytest.approx((moves.get(move, 0) + 1 / choices) / (times + 1))


def test_nothing_seen_is_a_guess(decisions: Decisions) -> None:
    rows = np.arange(50)
    found = SeenMoves(decisions, np.empty(0, dtype=np.int64)).predict(decisions, rows)
    assert np.array_equal(found.probability, RandomMoves().predict(decisions, rows).probability)


def test_prescribed_moves_were_not_seen(decisions: Decisions) -> None:
    rows = rows_of_games(decisions, 0, 10)
    prescribed = replace(decisions, prescribed=decisions.ply < 3)
    seen = SeenMoves(prescribed, rows)
    assert not seen.knows(prescribed, rows[decisions.ply[rows] == 0]).any()
    assert seen.knows(prescribed, rows[decisions.ply[rows] >= 3]).all()


def test_played_moves_are_among_the_choices(decisions: Decisions) -> None:
    found = uniform_rows(decisions)
    at = found.first[:-1] + played_choices(decisions, found)
    assert np.array_equal(found.origin[at], decisions.moves[:, 0])
    assert np.array_equal(found.target[at], decisions.moves[:, 1])
    assert np.array_equal(found.captured[at], decisions.captured)


def search_moves(directory: Path, **changed: object) -> SearchMoves:
    return SearchMoves(**{"nodes": 60, "directory": directory, "weights": "manual", "egdb": "none", **changed})  # type: ignore[arg-type]


def test_search_ranks_the_moves(decisions: Decisions, tmp_path: Path) -> None:
    rows = rows_of_games(decisions, 0, 3)
    heard: list[tuple[int, int]] = []
    rival = search_moves(tmp_path, on_searched=lambda done, total: heard.append((done, total)))
    found = rival.predict(decisions, rows)
    check_rows(decisions, rows, found)
    assert heard[0][0] == 0
    assert heard[-1][0] == heard[-1][1] > 50
    engine = Engine("manual", hash_mb=1, database=None)
    for number in range(0, len(rows), 7):
        board = decisions.boards[rows[number]].tolist()
        position = Position(board[0] | board[2], board[1] | board[3], board[2] | board[3])
        engine.new_game()
        best = engine.search(position, Limits(nodes=60)).move
        first, end = found.first[number : number + 2]
        at = int(first + np.argmax(found.probability[first:end]))
        assert (found.origin[at], found.target[at], found.captured[at]) == (best.origin, best.target, best.captured)


def test_ranking_has_every_choice() -> None:
    engine = Engine("manual", hash_mb=1, database=None)
    assert sorted(ranking(engine, START, range(7), Limits(nodes=100))) == list(range(7))
    order = ranking(engine, START, range(7), Limits(nodes=3000))
    engine.new_game()
    engine.search(Position(), Limits(nodes=3000))
    lines = engine.search(Position(), Limits(nodes=3000), multipv=7).lines
    moves = Position().legal_moves()
    ranked = [moves[number] for number in order]
    best = ranked.pop(0)
    assert ranked == [line.pv[0] for line in lines if line.pv[0] != best]
    # the move that gives a man away is the last
    saving = Position.from_fen("B:W31,23:B14,3")
    numbers = ranking(engine, frame_of(saving), range(len(saving.legal_moves())), Limits(nodes=2000))
    assert str(saving.legal_moves()[numbers[-1]]) == "14-18"


def test_moves_without_a_line_follow_by_their_static_scores(decisions: Decisions, tmp_path: Path) -> None:
    rows = np.flatnonzero(decisions.choices > 4)[:30]
    found = search_moves(tmp_path, nodes=1).predict(decisions, rows)
    scores = _core.choice_scores(np.ascontiguousarray(decisions.boards[rows]), load_scorer("manual").core)
    falling = 0
    for first, end in zip(found.first, found.first[1:], strict=False):
        last = first + np.argsort(found.probability[first:end])[:2]
        assert scores[last[0]] <= scores[last[1]]
        falling += scores[last[0]] < scores[last[1]]
    assert falling


def test_search_resumes_and_does_not_search_again(
    decisions: Decisions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rivals, "MOST_A_UNIT", 10)
    rows = rows_of_games(decisions, 0, 3)
    whole = search_moves(tmp_path / "whole").predict(decisions, rows)

    class KilledError(Exception):
        pass

    def kill(done: int, total: int) -> None:
        if done >= 20:
            raise KilledError

    with pytest.raises(KilledError):
        search_moves(tmp_path / "killed", on_searched=kill).predict(decisions, rows)
    journal = tmp_path / "killed" / "search-60.jsonl"
    kept = len(journal.read_text().splitlines())
    assert kept >= 2
    # the last line was cut off
    journal.write_bytes(journal.read_bytes()[:-5])
    again = search_moves(tmp_path / "killed", workers=2)
    assert np.array_equal(again.predict(decisions, rows).probability, whole.probability)
    done = journal.read_bytes()
    monkeypatch.setattr(rivals, "ranking", lambda *args: pytest.fail("searched again"))
    fewer = rows[::3]
    check_rows(decisions, fewer, again.predict(decisions, fewer))
    assert journal.read_bytes() == done


def test_journals_of_others_are_refused(decisions: Decisions, tmp_path: Path) -> None:
    rows = np.arange(20)
    search_moves(tmp_path).predict(decisions, rows)
    with pytest.raises(InvalidSettingError, match="was begun with"):
        search_moves(tmp_path, weights="material").predict(decisions, rows)


@pytest.mark.parametrize(
    "entry",
    [
        {"boards": [[1, 2, 3]], "orders": [[0, 1]]},
        {"boards": [[1, 2, 0, 1 << 32]], "orders": [[0, 1]]},
        {"boards": [[1, 2, 0, 0]], "orders": [[0, 0]]},
        {"boards": [[1, 2, 0, 0]], "orders": [[0, 1.5]]},
        {"boards": [[1, 2, 0, 0]], "orders": []},
        {"boards": [[1, 2, 0, 0]], "orders": [3]},
        {"boards": [list(START)], "orders": [[1, 0]]},
        {},
    ],
)
def test_damaged_journals_are_refused(decisions: Decisions, tmp_path: Path, entry: object) -> None:
    rival = search_moves(tmp_path)
    forced = np.flatnonzero(decisions.choices == 1)[:1]
    rival.predict(decisions, forced)
    with open(rival.path, "a") as file:
        file.write(json.dumps(entry) + "\n")
    start = np.flatnonzero(decisions.ply == 0)[:1]
    with pytest.raises(InvalidGamesError, match=r"search-60\.jsonl"):
        rival.predict(decisions, start)


@pytest.mark.slow
def test_rivals_have_names(decisions: Decisions, tmp_path: Path) -> None:
    assert parse_move_rivals("seen, nodes=5k,random,seen") == ("seen", "nodes=5000", "random")
    for name in ("seen", "random", "nodes=50"):
        assert move_rival(name, decisions, np.arange(100), tmp_path).name == name


@pytest.mark.parametrize("text", ["", "best", "nodes", "nodes=", "nodes=0", "nodes=x", "seen,,random"])
def test_names_of_no_rival_are_refused(text: str) -> None:
    with pytest.raises(InvalidSettingError):
        parse_move_rivals(text)
