"""Games of two people by the page's answers: events, clocks, openings, games that go on, and what is refused."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from page import Page
from watched_games import ID, Game

from kr.game.outcome import AGREEMENT, OVERTIME, RESIGNATION
from kr.game.position import Position
from kr.openings.decks import deck
from kr.openings.lines import lines_named

CAPTURES = "B:W6,14,15,23,24:B1,10"
LEVEL = {"BlackPlayer": "human", "WhitePlayer": "shipped,level=3,seed=7"}


IDS = count(1000)


@pytest.fixture
def stopped_clock(page: Page) -> Iterator[None]:
    """The page's clock stands at 0 until it is set."""
    page.set_clock(0.0)
    yield
    page.set_clock(None)


def two(page: Page, **asked: Any) -> Game:
    """A game of two people, of which the first is to move."""
    game = Game(page, people=2, **asked)
    assert game.turn()
    return game


@pytest.mark.parametrize(("seed", "ballot"), [(1, ""), (2, CAPTURES), (3, "W:W5,6,K17:B1,2,K30"), (4, "3move 68")])
def test_games_of_two_people(page: Page, seed: int, ballot: str) -> None:
    game, source = two(page, ballot=ballot, names=["Ann", " Ben\x85"]), random.Random(seed)
    assert game.game["settings"] == {"people": 2, "side": "", "ballot": ballot, "clock": "", "names": ["Ann", "Ben"]}
    going = True
    while going and len(game.board.moves) < 60:
        if game.state["undoable"] and source.random() < 0.1:
            game.say("undo")
            assert game.hear("undo")["undo"] == 1
        else:
            game.move(source.choice(game.state["moves"])["path"])
        going = game.turn()
    if going:
        game.say("resign")
        assert not game.turn()
        winner = game.board.side.other
        assert game.over == {
            "result": ("1-0", "0-1")[winner], "winner": ("black", "white")[winner], "reason": RESIGNATION
        }  # fmt: skip
    elif outcome := game.board.outcome():
        assert (game.game["over"]["result"], game.game["over"]["reason"]) == (outcome.result, outcome.reason)
    assert [node["text"] for node in game.game["document"]["nodes"][1:]] == [str(each) for each in game.board.moves]
    assert game.hear() == {"end": True}


@pytest.mark.parametrize("ballot", ["3move 68", "11man 2500", "the DYKE", "Alma"])
def test_openings(page: Page, ballot: str) -> None:
    """Their moves can't be taken back."""
    game = two(page, ballot=ballot)
    name, _, number = ballot.rpartition(" ")
    if number.isdigit():
        (opening,) = (each for each in deck(name, playable_only=False) if each.number == int(number))
        assert game.board.position == opening.position
    else:
        assert game.board.position.bits == lines_named(ballot)[0].board
    assert not game.state["undoable"]
    game.say("undo")
    assert game.hear("say")["say"] == {"say": "play.nothing_to_take_back"}
    assert game.turn()
    game.move(game.state["moves"][0]["path"])
    assert game.turn()
    assert game.state["undoable"]
    game.say("draw")
    assert not game.turn()
    assert game.game["over"]["reason"] == AGREEMENT


def test_moves_that_can_not_be_made(page: Page) -> None:
    game = two(page)
    game.move([11, 16])
    assert game.turn()
    # of another position: no answer
    game.say("move", ply=0, path=[1, 32])
    game.say("move", ply=7, path=[11, 15])
    for path in ([24, 24], [40, 1], [-5, 3], [0, 99], [*range(1, 20)]):
        game.say("move", ply=1, path=path)
        assert "\n" not in game.hear("say")["say"]
        assert game.turn()
    for bad in ({"path": [1]}, {}, {"path": [1, True]}, {"path": "1-5"}, {"path": [1, 5], "ply": -1}):
        game.say("move", **{"ply": 1, **bad})
        assert game.hear("say")
    for do in ("save x", "agree", "say"):
        game.say(do)
        assert game.hear("say")["say"]["say"] == "refused.field_choice"
    game.move([24, 19])
    assert game.turn()
    assert len(game.board.moves) == 2


def test_captures_square_by_square(page: Page) -> None:
    fen = "B:W6,7,14,15,22,23:B1,2,K10"
    for capture in Position.from_fen(fen).legal_moves():
        path = [square + 1 for square in capture.path]
        parts = [[path], [path[:2], path], [path[:2], [path[0], 32], path], [path[:2], path[2:]]]
        for said in parts[: {2: 1, 3: 3}.get(len(path))]:
            game = two(page, ballot=fen)
            for part in said:
                game.say("move", ply=0, path=part)
            assert game.hear("move")["move"]["path"] == path
            game.stream.stop()


# --- clocks


def test_the_clocks_of_two_people(page: Page, stopped_clock: None) -> None:
    game = two(page, clock="3m+2s")
    assert (game.state["clocks"], game.state["ticking"]) == ([182, 182], "black")
    page.set_clock(10.0)
    game.move([11, 15])
    assert game.turn()
    assert (game.state["clocks"], game.state["ticking"]) == ([174, 182], "white")
    page.set_clock(200.0)
    game.move([22, 18])
    assert not game.turn()
    assert game.over == {"result": "1-0", "winner": "black", "reason": OVERTIME}


def test_a_clock_may_be_overdrawn_a_little(page: Page, stopped_clock: None) -> None:
    game = two(page, clock="0:10+0")
    page.set_clock(10.1)
    game.move([11, 15])
    assert game.turn()
    game.say("undo")
    assert game.turn()
    page.set_clock(20.31)
    game.move([11, 15])
    assert not game.turn()
    assert game.over == {"result": "0-1", "winner": "white", "reason": OVERTIME}


@pytest.mark.parametrize(
    ("time", "seconds", "clocks"),
    [
        (None, 9.9, [12, 22]),
        ({"ply": 2, "left": 4.5}, 4.4, [4.5, 22]),
        # more than there was, and the time of an earlier move
        ({"ply": 2, "left": 700}, 11.9, [12, 22]),
        ({"ply": 1, "left": 4.5}, 11.9, [12, 22]),
    ],
)
def test_the_time_of_who_was_to_move_goes_on(
    page: Page, stopped_clock: None, time: Any, seconds: float, clocks: list[float]
) -> None:
    nodes = [
        {"parent": None},
        {"parent": 0, "text": "11-15", "comments": ["[%clk 0:00:10]"]},
        {"parent": 1, "text": "22-18", "comments": ["[%clk 0:00:20]"]},
    ]
    headers = {"BlackPlayer": "human", "WhitePlayer": "human", "TimeControl": "10s+2s"}
    document = {"start": Position().fen, "headers": headers, "nodes": nodes}
    for late in (False, True):
        page.set_clock(0.0)
        game = Game(page, game=f"20260101-000000-{next(IDS):020x}", document=document, time=time)
        assert game.turn()
        assert game.state["clocks"] == pytest.approx(clocks)
        page.set_clock(clocks[0] + 0.3 if late else seconds)
        game.move([15, 22])
        assert game.turn() is not late
        if late:
            assert game.over == {"result": "0-1", "winner": "white", "reason": OVERTIME}
        else:
            assert game.state["clocks"] == pytest.approx([clocks[0] - seconds + 2, 22])
        game.stream.stop()


def test_a_flag_that_fell_meanwhile(page: Page) -> None:
    headers = {"BlackPlayer": "human", "WhitePlayer": "human", "TimeControl": "10m+0s"}
    document = {"start": Position().fen, "headers": headers}
    game = Game(page, game=f"20260101-000000-{next(IDS):020x}", document=document, time={"ply": 0, "left": 0})
    game.hear("game")
    assert game.over == {"result": "0-1", "winner": "white", "reason": OVERTIME}


def test_time_passes_by_itself(page: Page) -> None:
    game = two(page, clock="0:00.2+0")
    assert game.state["clocks"][0] <= 0.2
    assert not game.turn()
    assert game.over == {"result": "0-1", "winner": "white", "reason": OVERTIME}


# --- games that go on, and what is refused


def test_a_document_goes_on(page: Page, stopped_clock: None) -> None:
    nodes = [
        {"parent": None, "comments": ["before"]},
        {"parent": 0, "path": [11, 15], "comments": ["[%clk 0:01:00]", "[%emt 2]"]},
        {"parent": 1, "text": "22-18", "nags": ["!"], "comments": ["[%clk 0:02:00]"]},
        {"parent": 2, "text": "15x22"},
        {"parent": 1, "text": "23-18"},
    ]
    headers = {"Black": "Ann", "BlackPlayer": "human", "WhitePlayer": "human", "TimeControl": "3m+2s", "Seed": "07"}
    game = Game(page, game=ID[:-1] + "4", document={"start": Position().fen, "headers": headers, "nodes": nodes})
    assert game.turn()
    assert game.game["settings"]["names"] == ["Ann", ""]
    # a move without a time on its clock took none
    assert game.state["clocks"] == [64, 122]
    game.move([25, 18])
    assert game.turn()
    kept = game.game["document"]["nodes"]
    assert (kept[0]["comments"], kept[2]["nags"]) == (["before"], ["!"])
    game.say("undo")
    game.hear("undo")
    assert game.turn()
    assert len(game.board.moves) == 3


def under_way(**headers: str) -> dict[str, Any]:
    """A request to go on with a game."""
    return {"game": ID, "document": {"start": "W:W27:B6", "headers": headers}}


# a request, and what is said of it
BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "level is missing"),
    ({"level": 11}, "level is not a whole number from 0 to 10"),
    ({"level": True}, "level is not a whole number from 0 to 10"),
    ({"level": 1, "side": "green"}, "side is not one of"),
    ({"level": 1, "names": "Ann"}, "names is not a list of at most 2"),
    ({"level": 1, "ballot": "3move 175"}, "3move has no opening 175"),
    ({"level": 1, "ballot": "3move 068"}, "3move has no opening 068"),
    ({"level": 1, "ballot": "/etc/passwd"}, "FEN"),
    ({"level": 1, "ballot": "Alma/../games.pdn"}, "FEN"),
    ({"level": 1, "ballot": "Alma 2"}, "Alma has no opening 2"),
    ({"level": 1, "ballot": "W:W:B1"}, "no legal move"),
    ({"level": 1, "ballot": "x" * 401}, "ballot has 401 characters"),
    ({"people": 3}, "people is not a whole number from 2 to 2"),
    ({"people": 2, "names": ["x" * 41]}, "names is not a list of texts of at most 40"),
    ({"people": 2, "names": ["a", "b", "c"]}, "names is not a list of at most 2"),
    ({"level": 1, "clock": "soon"}, "'soon' is not a time control"),
    ({"level": 1, "clock": "2000:00+0"}, "longer than a day"),
    ({"game": "../../etc/passwd"}, "not the id of a game"),
    ({"game": ID[:-1], "document": {}}, "not the id of a game"),
    ({"game": ID}, "not kept here any more"),
    ({"game": ID, "document": [1]}, "a game is a JSON object"),
    (under_way(), "a person against a level of kr"),
    (under_way(BlackPlayer="human", WhitePlayer="hub:rm x"), "against a level"),
    (under_way(**LEVEL, EngineTimeControl="1s"), "no EngineTimeControl"),
    (under_way(**LEVEL, TimeControl="1000000s"), "not a time control"),
    (under_way(**LEVEL, TimeControl="2000m+0s"), "longer than a day"),
    (under_way(BlackPlayer="human", WhitePlayer="shipped,level=11,seed=7"), "level: 11 is out of range"),
    (under_way(BlackPlayer="human", WhitePlayer="engine:1,other"), "the engine other is not here"),
    ({"generation": 20}, "no evolved player of generation 20"),
    ({"generation": -1}, "generation is not a whole number from 0 to"),
    ({"engine": 1}, "no other engine"),
]  # fmt: skip


def test_bad_requests_get_one_line(page: Page) -> None:
    for asked, said in BAD:
        error = page.open("play", asked).next().get("error", "")
        assert said in error, asked
        assert "\n" not in error, asked
