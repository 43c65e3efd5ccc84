"""Endings against exact play: the requests, and endings won, held and lost by clicks and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kr.egdb.exact import exact_moves
from kr.errors import KrError
from kr.game.board import Board
from kr.game.position import Position
from kr.game.value import Value
from kr.web import endings
from kr.web.asked import Asked
from kr.web.house import House
from kr.web.settings import WebSettings

WON = "W:WK18,K22:BK5"
DRAWN = "W:WK1,K2:BK31,K32"
TWO_ONE = {"own": 2, "other": 1, "goal": "win", "side": "black", "seed": 5}


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    house = House(WebSettings(weights="manual", hash=1 << 20))
    yield house
    house.close()


def ask(house: House, name: str, **fields: Any) -> dict[str, Any]:
    answer = endings.ROUTES[f"endings/{name}"](house, Asked(fields))
    return json.loads(json.dumps(answer))  # type: ignore[no-any-return]


def test_new_endings(house: House) -> None:
    known = ask(house, "known")
    assert (known["pieces"], known["distance_pieces"]) == (5, 4)
    found = ask(house, "new", **TWO_ONE)
    position = Position.from_fen(found["position"]["fen"])
    assert house.database is not None
    assert house.database.value(position) is Value.WIN
    assert found["distance"] == house.database.distance(position)
    assert found == ask(house, "new", **TWO_ONE)
    kings = ask(house, "new", **TWO_ONE | {"own_kings": 2, "other_kings": 1, "side": "white"})
    assert kings["position"]["fen"].count("K") == 3
    assert kings["position"]["side"] == "white"
    assert ask(house, "new", **TWO_ONE | {"own": 1, "own_kings": 0, "other": 3, "other_kings": 3})["position"] is None


def played(house: House, start: str, *, person_wins: bool) -> dict[str, Any]:
    """Play an ending out against kr by moves that keep the value, the quickest or the first."""
    board = Board(start)
    database = house.database
    assert database is not None
    while True:
        moves = exact_moves(database, board.position)
        kept = [each for each in moves if each.value is moves[0].value]
        board.play(kept[0].move)
        goal = "win" if person_wins else "draw"
        answer = ask(house, "move", start=start, moves=list(map(str, board.moves)), goal=goal)
        assert answer["kept"]
        assert answer["distance"] == (None if not person_wins else (moves[0].distance or 0) - 1)
        if answer["over"]:
            return answer
        board.play(answer["reply"]["text"])
        assert board.fen == answer["position"]["fen"]
        assert answer["quiet"] == len(board.history)


def test_a_win_takes_as_long_as_the_database_says(house: House) -> None:
    assert played(house, WON, person_wins=True)["over"] == {"result": "won", "why": "no pieces left"}


def test_a_draw_is_held_or_ends_by_rule(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    over = played(house, DRAWN, person_wins=False)["over"]
    assert over in ({"result": "held", "why": "20 moves"}, {"result": "drawn", "why": "repetition"})
    monkeypatch.setattr(endings, "HOLD_MOVES", 2)
    assert played(house, DRAWN, person_wins=False)["over"] == {"result": "held", "why": "2 moves"}


def test_a_move_that_gives_the_win_away_is_told_and_kr_waits(house: House) -> None:
    start = "W:WK19,K23:B12,K28"
    answer = ask(house, "move", start=start, moves=["19-16"], goal="win")
    assert (answer["kept"], answer["was"], answer["reply"], answer["over"]) == (False, "win", None, None)
    assert {move["text"] for move in answer["better"]} == {"23-18", "23-27", "23-26", "19-15"}
    assert answer["value"] in ("draw", "loss")
    on = ask(house, "move", start=start, moves=["19-16"], goal="win", on=True)
    assert on["reply"] is not None
    assert on["kept"] is False


def test_kr_wins_what_is_given_to_it(house: House) -> None:
    """Without a distance too, where it takes a search."""
    start = "B:WK18,K22,K15:BK5,K32"
    board = Board(start)
    assert house.database is not None
    for _ in range(60):
        # the person helps: any move, the first
        board.play(board.legal_moves()[0])
        answer = ask(house, "move", start=start, moves=list(map(str, board.moves)), goal="draw", on=True)
        if answer["over"]:
            assert answer["over"]["result"] == "lost"
            return
        board.play(answer["reply"]["text"])
    raise AssertionError("kr does not win")


def test_values_of_every_move(house: House) -> None:
    found = ask(house, "values", fen="W:WK19,K23:B12,K28")
    assert [move["value"] for move in found["moves"]] == sorted(
        (move["value"] for move in found["moves"]), key=["win", "draw", "loss"].index
    )
    assert found["moves"][0]["distance"] % 2 == 1
    assert ask(house, "values", fen=Position().fen)["moves"] == []


@pytest.mark.parametrize(
    ("name", "fields", "word"),
    [
        ("new", TWO_ONE | {"own": 5}, "1 to 4"),
        ("new", TWO_ONE | {"own": 4, "other": 4}, "up to 5"),
        ("new", TWO_ONE | {"own_kings": 3}, "0 to 2"),
        ("new", TWO_ONE | {"goal": "loss"}, "goal"),
        ("new", TWO_ONE | {"difficulty": "harder"}, "difficulty"),
        ("move", {"start": WON, "moves": [], "goal": "win"}, "person"),
        ("move", {"start": Position().fen, "moves": ["11-15"], "goal": "win"}, "database"),
        ("move", {"start": WON, "moves": ["1-32"], "goal": "win"}, "legal"),
        ("values", {"fen": "nonsense"}, "FEN"),
    ],
)
def test_bad_requests(house: House, name: str, fields: dict[str, Any], word: str) -> None:
    with pytest.raises(KrError, match=word):
        ask(house, name, **fields)


def test_without_a_database_it_is_said() -> None:
    house = House(WebSettings(weights="manual", hash=1 << 20, egdb="none"))
    try:
        assert ask(house, "known")["pieces"] == 0
        with pytest.raises(KrError, match="kr egdb build"):
            ask(house, "new", **TWO_ONE)
    finally:
        house.close()
