"""Why a move is a mistake: tests/cases/coach.json has for each kind of fact positions with two lines in which it is
told, as (better, plies, count, given, taken, square, origin), and pairs of lines from there in which it is not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kr import _core
from kr.analysis.annotation.coach import reasons
from kr.analysis.annotation.judgement import JudgedMove
from kr.game.board import Board
from kr.game.position import Move, Position
from kr.language.sentences import texts

CASES = json.loads((Path(__file__).with_name("cases") / "coach.json").read_text("utf-8"))
NOTHING: list[list[int]] = [[], []]


def line_of(position: Position, text: str) -> tuple[Move, ...]:
    board = Board(position)
    return tuple(board.play(move) for move in text.split())


def turned(bits: int) -> int:
    """A board turned by 180 degrees."""
    return sum(1 << (31 - square) for square in range(32) if bits >> square & 1)


def facts(
    fen: str, played: str, better: str, values: Sequence[Sequence[int]] = NOTHING, turn: bool = False
) -> dict[str, list[Any]]:
    position = Position.from_fen(fen)
    lines = [[move.squares for move in line_of(position, text)] for text in (played, better)]
    boards = position.black, position.white, position.kings, int(position.side)
    if turn:
        boards = turned(position.white), turned(position.black), turned(position.kings), 1 - int(position.side)
        lines = [[(31 - origin, 31 - to, turned(taken)) for origin, to, taken in line] for line in lines]
    return {kind: list(fact) for kind, *fact in _core.line_facts(*boards, *lines, *values)}


def test_each_kind_has_cases_and_a_sentence() -> None:
    assert {case["kind"] for case in CASES} == set(_core.FACT_KINDS)
    # a two for one is a shot
    named = {name for name in texts("en") if name.startswith("why.")} - {"why.two_for_one", "why.two_for_one_missed"}
    assert named == {f"why.{kind}" for kind in _core.FACT_KINDS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']} {case['fen']}")
def test_a_fact_is_told_where_it_is_true_and_nowhere_else(case: dict[str, Any]) -> None:
    kind, fen, values = case["kind"], case["fen"], case.get("values", NOTHING)
    told = facts(fen, case["played"], case["better"], values)
    assert told[kind] == case["fact"]
    # the same for the other side
    squares = [31 - square if square >= 0 else -1 for square in told[kind][5:]]
    assert facts(fen, case["played"], case["better"], values, turn=True)[kind] == [*told[kind][:5], *squares]
    for played, better in case["silent"]:
        assert kind not in facts(fen, played, better), (played, better)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']} {case['fen']}")
def test_reasons_are_whole_sentences(case: dict[str, Any]) -> None:
    position = Position.from_fen(case["fen"])
    played, better = (line_of(position, case[name]) for name in ("played", "better"))
    judged = JudgedMove(0, position.side, played[0], True, mark="?", line=better, refutation=played)
    for sentence in reasons(position, judged, None):
        assert "{" not in str(sentence)
        assert str(sentence).endswith(".")


def test_a_draw_that_is_known_ends_a_line() -> None:
    case = next(case for case in CASES if case["kind"] == "at_once")
    drawn = [[-1, 1, 1], [-1, -1, -1]]
    assert "at_once" not in facts(case["fen"], case["played"], case["better"], drawn)
