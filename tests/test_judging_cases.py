"""Recorded cases of judging: what lines of a search are worth, games judged by searches whose results are given, and
stories of judgements; tests/scripts/judging_cases.test.js reads them too.

A line is its score and its moves, what is known of a position its value and plies to the end, or what proves it. In
place of its words, each sentence has its name and its values (`named`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kr.analysis.analysis import weighed
from kr.analysis.annotation import annotation, coach
from kr.analysis.annotation.accuracy import move_quality, move_weight
from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.judgement import JudgedMove
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.annotation.searches import DEEPER, GLANCE, LONGER
from kr.analysis.annotation.story import tell
from kr.analysis.sources import Task
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_PROVED, Info, SearchResult
from kr.evaluation.chances import Chances, chances
from kr.game.board import Board
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.language import sentences
from kr.page.data import annotation as page_facts
from kr.pdn import Game, Reader, write_game
from kr.players.people import PersonMove
from kr.proofs.known import NOTHING_KNOWN, KnownValue

CASES = json.loads((Path(__file__).with_name("cases") / "judging.json").read_text("utf-8"))
PROVED = {
    "win": (Value.WIN, Value.WIN), "draw": (Value.DRAW, Value.DRAW), "loss": (Value.LOSS, Value.LOSS),
    "does not lose": (Value.DRAW, Value.WIN), "does not win": (Value.LOSS, Value.DRAW),
}  # fmt: skip
LONG = JudgeSettings().tc.times(LONGER, DEEPER)
BETTER = Position().parse_move("10-14")
VALUES = "value", "best_value", "verdict", "verdict_before"
SIDES = {"black": Side.BLACK, "white": Side.WHITE, None: None}


def info(position: Position, line: str, rank: int = 1, lines: int = 1) -> Info:
    score, *moves = line.split()
    board = Board(position)
    return Info(1, int(score), 0, 0, tuple(board.play(move) for move in moves), rank, lines=lines)


class Given(Engine):
    """An engine whose searches, database and certificates are those of a case, and what people play."""

    core = None

    def __init__(self, case: Mapping[str, Any]) -> None:
        self._case = case
        self.asked: dict[str, None] = {}
        self.database = self if "database" in case else None

    def new_game(self) -> None:
        pass

    def search(
        self, position: Position, limits: Limits, history: object, on_info: object, lines: int, stop: object
    ) -> SearchResult:
        others = {GLANCE: "glances", LONG: "longer"}.get(limits, "searches")
        found = self._case.get(others, {}).get(position.fen) or self._case["searches"][position.fen]
        if limits != GLANCE:
            self.asked[position.fen] = None
        infos = [info(position, line, rank, len(found)) for rank, line in enumerate(found, 1)]
        best = infos[0]
        value = Value.from_sign(best.score) if abs(best.score) > SCORE_PROVED else None
        return SearchResult(best.pv[0], best.score, 1, 0, 0, best.pv, tuple(infos), value)

    @property
    def score_scale(self) -> float:
        return float(CASES["chances"]["scale"])

    def chances(self, score: int, value: Value | None = None) -> Chances:
        return chances(score, self.score_scale, value)

    def has(self, position: Position) -> bool:
        return position.fen in self._case["database"]

    def value(self, position: Position) -> Value:
        return Value(self._case["database"][position.fen][0])

    def distance(self, position: Position) -> int | None:
        plies: int | None = self._case["database"][position.fen][1]
        return plies

    def look_up(self, position: Position) -> KnownValue:
        value, by = self._case["proofs"].get(position.fen, (None, ""))
        return KnownValue(*PROVED[value], None, by) if value else NOTHING_KNOWN

    def moves(self, position: Position, history: Sequence[Position], judgement: object) -> list[PersonMove]:
        likely = self._case.get("people", {}).get(position.fen, {})
        # a number below 0 is one that did not hold
        return [PersonMove(position.parse_move(move), abs(share), share >= 0) for move, share in likely.items()]

    def harder_draw(self, position: Position, played: Move, history: Sequence[Position]) -> None:
        """No case has the values of all moves."""


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences by their names, followed by the places for their values."""
    forms = {
        name: " ".join([name, *dict.fromkeys(re.findall(r"\{\w+\}", text.split("|")[0]))])
        for name, text in sentences.texts("en").items()
    }
    monkeypatch.setattr(sentences, "texts", lambda code: forms)


def test_thresholds_are_those_of_the_page() -> None:
    assert page_facts()["thresholds"] == CASES["thresholds"]


@pytest.mark.parametrize("case", CASES["worths"])
def test_what_a_line_is_worth(case: dict[str, Any]) -> None:
    board = Board(case["fen"])
    for move in case["played"].split():
        board.play(move)
    value, plies = case["known"]
    task = Task(board.position, tuple(board.positions[:-1]))
    worth = weighed(info(board.position, case["line"]), task, value and Value(value), plies)
    found = [worth.score, worth.value, worth.plies, worth.draw, worth.occurrence, worth.certain]
    assert found == case["worth"]


@pytest.mark.parametrize("case", CASES["games"], ids=lambda case: case["title"])
def test_judged_games(case: dict[str, Any], named: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotation, "People", lambda policy, database: policy)
    facts: dict[str, list[list[Any]]] = {}

    def line_facts(position: Position, *lines: Any) -> list[coach.LineFact]:
        found = real_facts(position, *lines)
        replies = {str(move) for line in lines[:2] for move in line[1:2]}
        facts[f"{position.fen} {' '.join(replies)}" if len(replies) == 1 else position.fen] = [
            list(fact) for fact in found
        ]
        return found

    real_facts = coach.line_facts
    monkeypatch.setattr(coach, "line_facts", line_facts)
    monkeypatch.setattr(coach, "LONG_ENOUGH", 0)
    (game,) = Reader(f"{case['pdn']}\n", forgiving=True)
    given: Any = Given(case)
    settings = JudgeSettings(from_ply=case["from_ply"])
    judged = annotate(game, given, settings, by="kr 1", policy=given, proofs=given if "proofs" in case else None)
    # a search may depend on those before it
    assert list(given.asked) == list(case["searches"])
    assert {fen: found for fen, found in facts.items() if found} == case.get("facts", {})
    assert write_game(game).split() == case["marked"].split()
    assert judged.table(game.headers) == case["table"]
    story = tell(game, judged.moves, SIDES[case["you"]])
    assert [sentence.as_object() for sentence in story] == case["story"]


@pytest.mark.parametrize(("mark", "likely", "likeliest", "same", "slip"), CASES["slips"])
def test_slips(mark: str, likely: float | None, likeliest: float | None, same: bool, slip: str) -> None:
    """same: the likeliest move is the one played."""
    played = Position().parse_move("9-14")
    judged = JudgedMove(
        0, Side.BLACK, played, True, mark=mark, likely=likely, likeliest=played if same else BETTER,
        likeliest_probability=likeliest,
    )  # fmt: skip
    assert JudgeSettings().slip(judged) == slip


@pytest.mark.parametrize(("given", "weight", "quality"), CASES["accuracies"])
def test_what_a_move_adds_to_the_accuracy(given: dict[str, Any], weight: float, quality: float) -> None:
    judged = JudgedMove(0, Side.BLACK, BETTER, **given)
    assert (move_weight(judged), move_quality(judged)) == pytest.approx((weight, quality), abs=1e-6)


def judged_move(ply: int, move: Move, expected: float | None, given: Mapping[str, Any]) -> JudgedMove:
    """A move that was judged, with a better one; given: what is not as after a quiet move."""
    facts = {"best_expected": expected, "best": BETTER, "confirmed": True, **given}
    facts |= {name: Value(facts[name]) for name in VALUES if facts.get(name)}
    facts.setdefault("verdict", facts.get("value"))
    return JudgedMove(ply, Side(ply % 2), move, facts.pop("judged", True), expected=expected, **facts)


@pytest.mark.parametrize("case", CASES["stories"])
def test_stories(case: dict[str, Any]) -> None:
    game = Game(case.get("headers"), Position.from_fen(case["fen"]), case["moves"].split(), case["result"])
    game.end().comment = case.get("rest", "")
    moves = [
        judged_move(ply, move, expected, case["others"].get(str(ply), {}))
        for ply, (move, expected) in enumerate(zip(game.moves, case["expected"], strict=True))
    ]
    story = tell(game, moves, SIDES[case.get("you")])
    assert [sentence.as_object() for sentence in story] == case["story"]
