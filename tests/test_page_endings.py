"""Endings against exact play on the page without a server: its answers against those of kr web, and what it sets up."""

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from endings import without
from page import Page, same, server_answer, started, web_house

from kr.egdb.exact import exact_moves, exact_value
from kr.egdb.exercise import EASY_PLIES, HARD_PLIES
from kr.egdb.slices import Class
from kr.engine.limits import Limits
from kr.game.board import Board
from kr.game.position import Position, Side
from kr.storage import data_path
from kr.web import endings
from kr.web.house import House

pytestmark = pytest.mark.slow

PLAYED = 60
"""Most plies of an ending that is played."""


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    # both end the same search at the same node, whatever the time
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endings, "CONVERSION", Limits(nodes=endings.CONVERSION.nodes))
        yield web_house()


def material_of(position: Position) -> tuple[tuple[int, int], tuple[int, int]]:
    """Pieces and kings of the side to move, and those of the other."""
    sides = [(bits.bit_count(), (bits & position.kings).bit_count()) for bits in (position.black, position.white)]
    return (sides[0], sides[1]) if position.side is Side.BLACK else (sides[1], sides[0])


def endings_of(seed: int, count: int, most: int = 5) -> list[Position]:
    """Random positions of few pieces in which the game goes on."""
    source = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        squares = source.sample(range(32), source.randint(2, most))
        own = source.randint(1, len(squares) - 1)
        black, white = (sum(1 << each for each in part) for part in (squares[:own], squares[own:]))
        kings = (black | white) & source.getrandbits(32) | black & 0xF0000000 | white & 0xF
        position = Position(black, white, kings, source.choice((Side.BLACK, Side.WHITE)))
        if not position.is_over:
            found.append(position)
    return found


def test_reach(page: Page, house: House) -> None:
    assert same(page, house, "endings/known", {})["pieces"] == 5


@pytest.mark.parametrize(("left_out", "reach"), [({(4, 1)}, (4, ["3v2"])), ({(3, 2), (2, 2)}, (3, ["3v1", "4v1"]))])
def test_classes_of_more_pieces(left_out: set[Class], reach: tuple[int, list[str]], tmp_path: Path) -> None:
    """A page and a server whose database has some classes alone of its largest number of pieces."""
    folder = without(data_path("egdb"), tmp_path / "egdb", left_out)
    house = web_house(egdb=str(folder))
    for page in started(folder):
        known = same(page, house, "endings/known", {})
        assert (known["pieces"], known["classes"]) == reach
        for position in endings_of(7, 200, most=6):
            same(page, house, "endings/values", {"fen": position.fen})
        for own, other in product(range(1, 6), repeat=2):
            body = {"own": own, "other": other, "goal": "win", "side": "black", "seed": 3}
            answer, theirs = page.ask("endings/new", body), server_answer(house, "endings/new", body)
            offered = own + other <= reach[0] or f"{max(own, other)}v{min(own, other)}" in reach[1]
            assert ("error" in answer) != offered, body
            assert offered or answer == theirs


@pytest.mark.parametrize("seed", range(2))
def test_values_of_all_moves(page: Page, house: House, seed: int) -> None:
    for position in endings_of(seed, 200, most=6):
        same(page, house, "endings/values", {"fen": position.fen})
    for fen in ("B:W18:B", "B:W:B3", Position().fen, "x", None):
        same(page, house, "endings/values", {"fen": fen})


@pytest.mark.parametrize("on", [False, True])
def test_endings_are_played_alike(page: Page, house: House, on: bool) -> None:
    """The person's moves are right ones, bad ones and any, until the exercise is over or the value is given away."""
    source = random.Random(int(on))
    kinds: set[str] = set()
    for position in endings_of(10 + on, 25):
        value = exact_value(house.database, position)
        body: dict[str, Any] = {"start": position.fen, "goal": str(value) if value != "loss" else "draw", "on": on}
        board = Board(position)
        while len(board.moves) < PLAYED:
            moves = exact_moves(house.database, board.position)
            chosen = source.choice((moves[0], moves[0], moves[0], moves[-1], source.choice(moves)))
            board.play(chosen.move)
            body["moves"] = [str(move) for move in board.moves]
            answer = same(page, house, "endings/move", body)
            kinds |= {f"kept {answer['kept']}", f"over {answer['over'] and answer['over']['result']}"}
            if answer["reply"] is None or answer["over"]:
                break
            board.play(answer["reply"]["text"])
    assert {"kept True", "kept False", "over won", "over None"} <= kinds
    assert not on or "over lost" in kinds


def test_draws_are_held(page: Page, house: House) -> None:
    """By moves that keep the draw, until twenty are made or a rule ends the game."""
    results = set()
    drawn = [each for each in endings_of(3, 200) if exact_value(house.database, each) == "draw"]
    for position in drawn[:12]:
        board, source, over = Board(position), random.Random(position.fen), None
        while not over:
            moves = exact_moves(house.database, board.position)
            board.play(source.choice([each for each in moves if each.value is moves[0].value]).move)
            body = {"start": position.fen, "moves": [str(move) for move in board.moves], "goal": "draw"}
            answer = same(page, house, "endings/move", body)
            if not (over := answer["over"]):
                board.play(answer["reply"]["text"])
        results.add(over["result"])
    assert results == {"held", "drawn"}


def test_kr_wins_where_no_distance_is_known(page: Page, house: House) -> None:
    """It searches for the move that makes progress."""
    searched = 0
    for position in endings_of(5, 200):
        if exact_value(house.database, position) != "loss":
            continue
        for move in position.legal_moves()[:1]:
            after = position.play(move)
            if after.is_over or exact_moves(house.database, after)[0].distance is not None:
                continue
            body = {"start": position.fen, "moves": [str(move)], "goal": "win", "on": True}
            assert same(page, house, "endings/move", body)["reasons"]["value"] == "win"
            searched += 1
    assert searched > 5


BAD: tuple[dict[str, Any], ...] = (
    {}, {"start": "W:W32:B1"}, {"start": "W:WK32:BK1", "goal": "draw"},
    {"start": "W:WK32:BK1", "moves": [], "goal": "win"},
    {"start": "W:WK32:BK1", "moves": ["32-28", "1-5"], "goal": "win"}, {"start": "W:WK32:BK1", "moves": ["32-29"]},
    {"start": "W:WK32:BK1", "moves": ["32-28"], "goal": "loss"}, {"start": "W:WK32:BK1", "moves": ["32-28"], "on": 1},
    {"start": "W:WK32:BK1", "moves": ["32-28"], "goal": "draw", "on": 1},
    {"start": Position().fen, "moves": ["11-15"], "goal": "win"},
)  # fmt: skip


@pytest.mark.parametrize("body", BAD)
def test_what_is_no_ending(page: Page, house: House, body: Any) -> None:
    same(page, house, "endings/move", body)


SIDES = ("black", "white")


@pytest.mark.parametrize(("goal", "difficulty"), [*product(("win", "draw"), ("any", "easy", "medium", "hard"))])
def test_new_endings_are_as_wanted(page: Page, house: House, goal: str, difficulty: str) -> None:
    """Positions are drawn otherwise than kr web does it, but must satisfy the same conditions."""
    assert house.database is not None
    for number, (own, other) in enumerate(((1, 1), (2, 1), (2, 2), (3, 2), (2, 3))):
        body = {
            "own": own,
            "other": other,
            "goal": goal,
            "difficulty": difficulty,
            "side": SIDES[number % 2],
            "seed": number,
        }
        answer = page.ask("endings/new", body)
        theirs = server_answer(house, "endings/new", body)
        assert (answer["position"] is None) == (theirs["position"] is None), body
        assert page.ask("endings/new", body) == answer
        if answer["position"] is None:
            continue
        position = Position.from_fen(answer["position"]["fen"])
        assert answer["goal"] == goal == exact_value(house.database, position)
        assert answer["position"]["side"] == body["side"]
        assert answer["distance"] == house.database.distance(position)
        assert answer["position"] == page.ask("position", {"fen": position.fen})
        assert [pieces for pieces, _ in material_of(position)] == [own, other]
        moves = exact_moves(house.database, position)
        keeping = sum(each.value == goal for each in moves)
        assert len(moves) > 1
        assert not moves[0].move.captured
        assert goal == "win" or keeping < len(moves)
        hard, easy, distance = keeping == 1, 2 * keeping >= len(moves), moves[0].distance
        if goal == "win" and distance is not None:
            hard, easy = distance >= HARD_PLIES, distance <= EASY_PLIES
        assert difficulty in ("any", "hard" if hard else "easy" if easy else "medium")


def test_kings_as_wanted(page: Page) -> None:
    for own_kings, other_kings, seed in product((0, 1, 2, None), (0, 1, None), range(2)):
        body = {
            "own": 2, "own_kings": own_kings, "other": 1, "other_kings": other_kings, "goal": "win",
            "side": SIDES[seed], "seed": 2**53 - seed,
        }  # fmt: skip
        position = Position.from_fen(page.ask("endings/new", body)["position"]["fen"])
        found = [kings for _, kings in material_of(position)]
        assert all(wanted in (None, kings) for wanted, kings in zip((own_kings, other_kings), found, strict=True))


def test_seeds_give_different_endings(page: Page) -> None:
    body = {"own": 2, "other": 2, "goal": "draw", "side": "black"}
    fens = {page.ask("endings/new", {**body, "seed": seed})["position"]["fen"] for seed in range(20)}
    assert len(fens) > 17


USUAL = {"own": 2, "other": 1, "goal": "win", "side": "white", "seed": 1}
BAD_WISHES: tuple[dict[str, Any], ...] = (
    {}, {"own": 0}, {"own": 5}, {"own": 2.5}, {"own": 3, "other": 3}, {"other": None}, {"own_kings": 3},
    {"other_kings": -1}, {"own_kings": True}, {"goal": "loss"}, {"goal": None}, {"difficulty": "very"}, {"side": "red"},
    {"side": None}, {"seed": -1}, {"seed": 2**53 + 2}, {"seed": None}, {"own": "2"},
    {"own": 1, "other": 2, "difficulty": "hard"},
)  # fmt: skip


@pytest.mark.parametrize("changed", BAD_WISHES)
def test_wishes_that_cannot_be_had(page: Page, house: House, changed: Any) -> None:
    body = {**USUAL, **changed} if changed else {}
    answer = page.ask("endings/new", body)
    theirs = server_answer(house, "endings/new", body)
    assert answer.get("error") == theirs.get("error")
    assert (answer.get("position") is None) == (theirs.get("position") is None)
