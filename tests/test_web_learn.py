"""Puzzles in the browser: the requests, and puzzles solved by clicks and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kr.analysis.problems import classics
from kr.egdb.exact import exact_moves
from kr.engine.limits import Limits
from kr.errors import InvalidProblemError, KrError
from kr.game.board import Board
from kr.game.value import Value
from kr.web import puzzles
from kr.web.asked import Asked
from kr.web.house import House
from kr.web.settings import WebSettings

CLASSICS = {problem.id: problem for problem in classics()}
DAY = {"date": "2026-11-22"}
OWN = [
    {"id": "mine", "title": "<b>Two kings</b>", "fen": "W:WK6,K9:BK15", "result": "W-win"},
    {"id": "over", "fen": "B:WK1:B"},
    {"id": "unknown", "fen": "W:W21,22,23,24:B9,10,11,12"},
]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    path = tmp_path_factory.mktemp("problems") / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, OWN)))
    house = House(WebSettings(weights="manual", hash=1 << 20, problems=(path,)))
    yield house
    house.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles, "LIMITS", Limits(nodes=2000))


def ask(house: House, name: str, **fields: Any) -> dict[str, Any]:
    answer = puzzles.ROUTES[f"puzzles/{name}"](house, Asked(fields))
    return json.loads(json.dumps(answer))  # type: ignore[no-any-return]


# --- requests


def test_the_list_has_the_classics_and_own_problems(house: House) -> None:
    listed = ask(house, "list", **DAY)
    assert [each["id"] for each in listed["puzzles"]] == [*CLASSICS, "mine", "unknown"]
    by_id = {each["id"]: each for each in listed["puzzles"]}
    assert by_id["first-position"] == {
        "id": "first-position", "title": "First Position", "author": "", "classic": True, "pieces": 4,
        "fen": CLASSICS["first-position"].position.fen, "goal": "win",
    }  # fmt: skip
    assert by_id["unknown"]["goal"] is None
    # to be won, by the side that is not to move
    assert by_id["bowens-twins-white-to-play"]["goal"] == "win"
    assert not by_id["mine"]["classic"]
    assert listed["daily"] in CLASSICS
    assert listed["daily"] == ask(House(WebSettings(weights="manual", hash=1 << 20)), "list", **DAY)["daily"]
    assert listed["daily"] != ask(house, "list", date="2026-11-23")["daily"]


def test_a_start_tells_the_task(house: House) -> None:
    started = ask(house, "start", id="first-position")
    assert (started["goal"], started["goal_by"], started["solver"]) == ("win", "database", "white")
    assert started["moves"] == []
    assert started["position"]["fen"] == CLASSICS["first-position"].position.fen
    replied = ask(house, "start", id="bowens-twins-white-to-play")
    assert (replied["goal"], replied["solver"]) == ("win", "black")
    assert [move["text"] for move in replied["moves"]] == ["1-6"]
    assert replied["position"]["fen"] == replied["moves"][-1]["fen"]
    assert ask(house, "start", id="unknown")["goal_by"] == "search"


def test_answers_hints_and_the_solution_agree(house: House) -> None:
    position = CLASSICS["first-position"].position
    assert house.database is not None
    for each in exact_moves(house.database, position):
        answer = ask(house, "answer", id="first-position", moves=[str(each.move)])
        assert answer["kept"] is (each.value is Value.WIN)
        assert (answer["reply"] is None) is (each.value is not Value.WIN)
        if answer["reply"]:
            assert answer["position"]["fen"] == answer["reply"]["fen"]
    hint = ask(house, "hint", id="first-position", moves=[])
    whole = ask(house, "hint", id="first-position", moves=[], whole=True)
    assert hint == {"square": 23, "by": "database"}
    assert (whole["square"], whole["move"]["text"]) == (23, "23-27")
    solution = ask(house, "solution", id="first-position", moves=[])
    assert [move["text"] for move in solution["moves"]] == CLASSICS["first-position"].solution.split()


def test_a_puzzle_is_solved_by_requests(house: House) -> None:
    board = Board(CLASSICS["paynes-single-corner"].position)
    while True:
        hint = ask(house, "hint", id="paynes-single-corner", moves=list(map(str, board.moves)), whole=True)
        board.play(hint["move"]["text"])
        answer = ask(house, "answer", id="paynes-single-corner", moves=list(map(str, board.moves)))
        assert answer["kept"]
        if answer["ended"]:
            assert answer["solved"]
            return
        board.play(answer["reply"]["text"])
        assert len(board.moves) < 40


@pytest.mark.parametrize(
    ("name", "fields", "word"),
    [
        ("list", {}, "date is missing"),
        ("list", {"date": "yesterday"}, "2026-11-22"),
        ("start", {"id": "nobody"}, "no puzzle"),
        ("start", {"id": "over"}, "no puzzle"),
        ("answer", {"id": "pask"}, "moves is missing"),
        ("answer", {"id": "pask", "moves": []}, "not White's"),
        ("answer", {"id": "pask", "moves": ["11-15"]}, "not legal"),
        ("answer", {"id": "pask", "moves": ["11-15"] * 301}, "at most 300"),
        ("hint", {"id": "first-position", "moves": ["23-27"]}, "not white's move"),
    ],
)
def test_bad_requests(house: House, name: str, fields: dict[str, Any], word: str) -> None:
    with pytest.raises(KrError, match=word):
        ask(house, name, **fields)


def test_a_bad_file_of_problems_is_named_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("[]\n")
    with pytest.raises(InvalidProblemError, match=r"bad\.jsonl:1"):
        House(WebSettings(weights="manual", hash=1 << 20, problems=(path,)))
