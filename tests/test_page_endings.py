"""Endings against exact play: the answers of the page, checked against the database as kr reads it."""

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from endings import without
from page import Page, started
from proved import shipped as database

from kr.egdb.database import Database, load_database
from kr.egdb.exact import exact_moves, exact_value
from kr.egdb.slices import Class
from kr.game.board import Board
from kr.game.position import Position, Side
from kr.storage import data_path

pytestmark = pytest.mark.slow

EASY_PLIES, HARD_PLIES = 9, 23
PLAYED = 60
"""Most plies of an ending that is played."""
WON = "W:WK18,K22:BK5"
DRAWN = "W:WK1,K2:BK31,K32"


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


def values_of(page: Page, position: Position, known: Database) -> None:
    """Check the values of all moves."""
    found = page.ask("endings/values", {"fen": position.fen})
    expected = {str(each.move): (each.value, each.distance) for each in exact_moves(known, position)}
    assert {each["text"]: (each["value"], each["distance"]) for each in found["moves"]} == expected
    signs = {"win": 1, "draw": 0, "loss": -1}
    ranks = [(-signs[each["value"]], signs[each["value"]] * (each["distance"] or 1 << 16)) for each in found["moves"]]
    assert ranks == sorted(ranks)


def test_draws_that_are_harder_for_people_come_first(page: Page) -> None:
    for case in json.loads((Path(__file__).with_name("cases") / "harder.json").read_text("utf-8")):
        found = page.ask("endings/values", {"fen": case["fen"], "harder": True})
        assert [each["value"] for each in found["moves"]] == sorted(
            (each["value"] for each in found["moves"]), key=["win", "draw", "loss"].index
        )
        draws = [each["text"] for each in found["moves"] if each["value"] == "draw"]
        assert found["harder"] == bool(case["first"]), case
        assert draws == (case["first"] or draws), case


def test_reach(page: Page) -> None:
    assert page.ask("endings/known", {}) == {
        "pieces": 5, "classes": [], "distance_pieces": 4, "hold_moves": 20, "no_progress": 80
    }  # fmt: skip


@pytest.mark.soak
@pytest.mark.parametrize(
    ("left_out", "reach"),
    [
        ({(4, 1)}, (4, ["3v2"])),
        ({(3, 2), (2, 2)}, (3, ["3v1", "4v1"])),
    ],
)
def test_classes_of_more_pieces(left_out: set[Class], reach: tuple[int, list[str]], tmp_path: Path) -> None:
    """A database that has some classes alone of its largest number of pieces."""
    folder = without(data_path("egdb"), tmp_path / "egdb", left_out)
    part = load_database(str(folder))
    assert part is not None
    for page in started(folder):
        known = page.ask("endings/known", {})
        assert (known["pieces"], known["classes"]) == reach
        for position in endings_of(7, 50, most=6):
            values_of(page, position, part)
        for own, other in product(range(1, 6), repeat=2):
            body = {"own": own, "other": other, "goal": "win", "side": "black", "seed": 3}
            offered = own + other <= reach[0] or f"{max(own, other)}v{min(own, other)}" in reach[1]
            assert ("error" in page.ask("endings/new", body)) != offered, body


def test_values_of_all_moves(page: Page) -> None:
    for position in endings_of(1, 100, most=6):
        values_of(page, position, database())
    for fen in ("B:W18:B", Position().fen):
        assert page.ask("endings/values", {"fen": fen})["moves"] == []
    assert "FEN" in page.ask("endings/values", {"fen": "x"})["error"]


@pytest.mark.parametrize("on", [False, True])
def test_endings_are_played(page: Page, on: bool) -> None:
    """The person's moves are right ones, bad ones and any, until the exercise is over or the value is given away."""
    source = random.Random(int(on))
    kinds: set[str] = set()
    for position in endings_of(10 + on, 25):
        value = exact_value(database(), position)
        body: dict[str, Any] = {"start": position.fen, "goal": str(value) if value != "loss" else "draw", "on": on}
        board = Board(position)
        while len(board.moves) < PLAYED:
            moves = exact_moves(database(), board.position)
            chosen = source.choice((moves[0], moves[0], moves[0], moves[-1], source.choice(moves)))
            board.play(chosen.move)
            body["moves"] = [str(move) for move in board.moves]
            answer = page.ask("endings/move", body)
            kinds |= {f"kept {answer['kept']}", f"over {answer['over'] and answer['over']['result']}"}
            assert (answer["was"], answer["value"]) == (moves[0].value, chosen.value)
            assert answer["kept"] is (chosen.value is moves[0].value)
            better = [str(each.move) for each in moves if each.value is moves[0].value]
            assert [each["text"] for each in answer["better"]] == ([] if answer["kept"] else better)
            if answer["reply"] is not None:
                replies = exact_moves(database(), board.position)
                board.play(answer["reply"]["text"])
                reply = next(each for each in replies if each.after == board.position)
                assert reply.value is replies[0].value
                assert reply.value != "win" or reply.distance == replies[0].distance
                assert (answer["quiet"], answer["position"]["fen"]) == (len(board.history), board.fen)
            if answer["reply"] is None or answer["over"]:
                break
    assert {"kept True", "kept False", "over won", "over None"} <= kinds
    assert not on or "over lost" in kinds


def test_draws_are_held(page: Page) -> None:
    """By moves that keep the draw, until twenty are made or a rule ends the game."""
    results = set()
    drawn = [each for each in endings_of(3, 200) if exact_value(database(), each) == "draw"]
    for position in drawn[:12]:
        board, source, over = Board(position), random.Random(position.fen), None
        while not over:
            moves = exact_moves(database(), board.position)
            board.play(source.choice([each for each in moves if each.value is moves[0].value]).move)
            body = {"start": position.fen, "moves": [str(move) for move in board.moves], "goal": "draw"}
            answer = page.ask("endings/move", body)
            if not (over := answer["over"]):
                board.play(answer["reply"]["text"])
        assert (over["result"] == "held") == (over["why"] == "20 moves") == (len(board.moves) == 39)
        results.add(over["result"])
    assert results == {"held", "drawn"}


def test_kr_wins_where_no_distance_is_known(page: Page) -> None:
    """It searches for the move that makes progress."""
    start = "B:WK18,K22,K15:BK5,K32"
    board = Board(start)
    while True:
        # the person helps: any move, the first
        board.play(board.legal_moves()[0])
        moves = list(map(str, board.moves))
        answer = page.ask("endings/move", {"start": start, "moves": moves, "goal": "draw", "on": True})
        if answer["over"]:
            break
        board.play(answer["reply"]["text"])
        assert len(board.moves) < 120
    assert answer["over"]["result"] == "lost"


@pytest.mark.parametrize(
    ("start", "move", "cost", "reasons"),
    [
        # one king to keep at bay: the quickest move, a slow one, and kr's flight
        (WON, "18-15", 0, {"choice": 2, "capture": False, "value": "loss", "distance": 22}),
        (WON, "22-25", 4, {"choice": 2, "capture": False, "value": "loss", "distance": 26}),
        # kr must take
        ("W:WK8,K25,K30:BK29", "8-11", 6, {"choice": 1, "capture": True, "distance": 8}),
        # nothing is slow in a draw; what remains is how many answers keep it
        (DRAWN, "2-6", None, {"value": "draw", "distance": None}),
    ],
)
def test_the_cost_of_a_move_and_the_reasons_of_a_reply(
    page: Page, start: str, move: str, cost: int | None, reasons: dict[str, Any]
) -> None:
    answer = page.ask("endings/move", {"start": start, "moves": [move], "goal": "win"})
    before, after = (exact_moves(database(), Position.from_fen(fen)) for fen in (start, answer["position"]["fen"]))
    assert (answer["best"]["text"], answer["best"]["distance"]) == (str(before[0].move), before[0].distance)
    assert answer["cost"] == cost
    assert answer["reasons"].items() >= reasons.items()
    right = sum(each.value.opposite == answer["reasons"]["value"] for each in after)
    assert (answer["reasons"]["right"], answer["reasons"]["answers"]) == (right, len(after))


BAD = (
    ({"moves": [], "goal": "win"}, "the last move is not the person's"),
    ({"moves": ["32-28", "1-5"], "goal": "win"}, "the last move is not the person's"),
    ({"moves": ["32-29"], "goal": "win"}, "not legal"),
    ({"moves": ["32-28"], "goal": "loss"}, "goal is not one of"),
    ({"start": Position().fen, "moves": ["11-15"], "goal": "win"}, "is not in the database"),
)


@pytest.mark.parametrize(("changed", "why"), BAD)
def test_what_is_no_ending(page: Page, changed: dict[str, Any], why: str) -> None:
    assert why in page.ask("endings/move", {"start": "W:WK32:BK1", **changed})["error"]


SIDES = ("black", "white")


@pytest.mark.parametrize(
    ("goal", "difficulty"),
    [
        *(pytest.param(*each, marks=pytest.mark.soak) for each in product(("win", "draw"), ("any", "easy", "medium"))),
        *product(("win", "draw"), ("hard",)),
        ("draw", "people"),
    ],
)
def test_new_endings_are_as_wanted(page: Page, goal: str, difficulty: str) -> None:
    missing: set[tuple[int, int]] = set()
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
        if answer["position"] is None:
            missing.add((own, other))
            continue
        assert page.ask("endings/new", body) == answer
        position = Position.from_fen(answer["position"]["fen"])
        assert answer["goal"] == goal == exact_value(database(), position)
        assert answer["position"]["side"] == body["side"]
        assert answer["distance"] == database().distance(position)
        assert answer["position"] == page.ask("position", {"fen": position.fen})
        assert [pieces for pieces, _ in material_of(position)] == [own, other]
        moves = exact_moves(database(), position)
        keeping = sum(each.value == goal for each in moves)
        assert len(moves) > 1
        assert not moves[0].move.captured
        assert goal == "win" or keeping < len(moves)
        hard, easy, distance = keeping == 1, 2 * keeping >= len(moves), moves[0].distance
        if goal == "win" and distance is not None:
            hard, easy = distance >= HARD_PLIES, distance <= EASY_PLIES
        assert difficulty in ("any", "people", "hard" if hard else "easy" if easy else "medium")
    if difficulty == "people":
        assert missing == {(3, 2), (2, 3)}
        return
    # a king alone against a piece wins soon or not at all, and has one move that draws or most of them
    assert missing == ({(1, 1)} if (goal, difficulty) in (("win", "hard"), ("draw", "medium")) else set())


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
BAD_WISHES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"own": 0}, "1 to 4"), ({"own": 5}, "1 to 4"), ({"own": 2.5}, "1 to 4"), ({"own": "2"}, "1 to 4"),
    ({"own": 3, "other": 3}, "3 v 3: the database has positions with up to 5 pieces"), ({"other": None}, "missing"),
    ({"own_kings": 3}, "0 to 2"), ({"other_kings": -1}, "0 to 1"), ({"own_kings": True}, "0 to 2"),
    ({"goal": "loss"}, "goal"), ({"difficulty": "very"}, "difficulty"), ({"side": "red"}, "side"),
    ({"seed": -1}, "seed"), ({"seed": 2**53 + 2}, "seed"), ({"seed": None}, "missing"),
)  # fmt: skip


@pytest.mark.parametrize(("changed", "why"), BAD_WISHES)
def test_wishes_that_cannot_be_had(page: Page, changed: dict[str, Any], why: str) -> None:
    assert why in page.ask("endings/new", {**USUAL, **changed})["error"]


def test_an_ending_that_is_not_there(page: Page) -> None:
    body = {**USUAL, "own": 1, "own_kings": 0, "other": 4, "other_kings": 4}
    assert page.ask("endings/new", body) == {"position": None}
