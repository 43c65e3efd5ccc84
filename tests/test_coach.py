"""Why a move is a mistake: tests/cases/coach.json has for each kind of fact positions with two lines in which it is
found, as (better, plies, count, given, taken, square, origin), and pairs of lines from there in which it is not; what
of all facts is told (`told`), and in which sentences (`why`). tests/scripts/judging_cases.test.js reads these too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kr import _core
from kr.analysis.annotation.coach import GAINS, LOSING, line_facts, reasons
from kr.analysis.annotation.judgement import JudgedMove
from kr.egdb.database import Database, load_database
from kr.game.board import Board
from kr.game.position import Move, Position
from kr.language.sentences import texts

CASES = json.loads((Path(__file__).with_name("cases") / "coach.json").read_text("utf-8"))


def line_of(position: Position, text: str) -> tuple[Move, ...]:
    board = Board(position)
    return tuple(board.play(move) for move in text.split())


def turned(bits: int) -> int:
    """A board turned by 180 degrees."""
    return sum(1 << (31 - square) for square in range(32) if bits >> square & 1)


def facts(fen: str, played: str, better: str, known: bool = False, turn: bool = False) -> dict[str, list[Any]]:
    """All facts. known: with the shipped database."""
    position = Position.from_fen(fen)
    lines = [[move.squares for move in line_of(position, text)] for text in (played, better)]
    boards = position.bits
    if turn:
        boards = turned(position.white), turned(position.black), turned(position.kings), 1 - int(position.side)
        lines = [[(31 - origin, 31 - to, turned(taken)) for origin, to, taken in line] for line in lines]
    database = endings().core if known else None
    return {kind: list(fact) for kind, *fact in _core.line_facts(*boards, *lines, database, every=True)}


def endings() -> Database:
    database = load_database()
    assert database is not None
    return database


def test_each_kind_has_cases_and_a_sentence() -> None:
    named = {name.removeprefix("why.") for name in texts("en") if name.startswith("why.")}
    # three are found by searches: tests/cases/judging.json
    assert {case["kind"] for case in CASES} == named - {"only_reply", "reply_fails", "two_replies"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']} {case['fen']}")
def test_a_fact_is_found_where_it_is_true_and_nowhere_else(case: dict[str, Any]) -> None:
    kind, fen, known = case["kind"], case["fen"], case.get("known", False)
    found = facts(fen, case["played"], case["better"], known)
    assert found[kind] == case["fact"]
    # the same for the other side
    squares = [31 - square if square >= 0 else -1 for square in found[kind][5:]]
    assert facts(fen, case["played"], case["better"], known, turn=True)[kind] == [*found[kind][:5], *squares]
    for played, better in case["silent"]:
        assert kind not in facts(fen, played, better, known), (played, better)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']} {case['fen']}")
def test_what_is_told(case: dict[str, Any]) -> None:
    position, database = Position.from_fen(case["fen"]), endings() if case.get("known") else None
    played, better = (line_of(position, case[name]) for name in ("played", "better"))
    judged = JudgedMove(0, position.side, played[0], True, mark="??", line=better, refutation=played)
    assert [list(fact) for fact in line_facts(position, played, better, database)] == case["told"]
    told = reasons(position, judged, database)
    assert [sentence.as_object() for sentence in told] == case["why"]
    for sentence in told:
        assert "{" not in str(sentence)
        assert str(sentence).endswith(".")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']} {case['fen']}")
def test_pieces_that_no_score_confirms_are_not_told(case: dict[str, Any]) -> None:
    position = Position.from_fen(case["fen"])
    played, better = (line_of(position, case[name]) for name in ("played", "better"))
    judged = JudgedMove(0, position.side, played[0], True, mark="??", line=better, refutation=played)
    names = {f"why.{kind}" for kind in LOSING | GAINS}
    denied = reasons(position, replace(judged, score=900, best_score=-900), None)
    assert not names.intersection(sentence.name for sentence in denied)
    assert reasons(position, replace(judged, score=-900, best_score=900), None) == reasons(position, judged, None)


def test_a_draw_that_is_known_ends_a_line() -> None:
    lost = "10-14 23-19 29-25 22x29 14-18 19-24 18-22 24-28 30-26", "10-15 23-27 30-25 22-26 15-19 27-32"
    assert "loses" in facts("B:WK22,K23:B10,K29,K30", *lost)
    assert "loses" not in facts("B:WK22,K23:B10,K29,K30", *lost, known=True)
