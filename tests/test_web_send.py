"""A game or a position to send: what the server makes of it, and what is refused."""

from __future__ import annotations

import base64
import json
from functools import cache
from typing import Any

import pytest

import kr
from kr.analysis.annotation.annotation import TABLE, annotate
from kr.analysis.annotation.judging import JudgeSettings
from kr.errors import KrError
from kr.gif import animation
from kr.pdn import Game
from kr.viewer.document import game_document, read_document
from kr.web import sending
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.settings import WebSettings

GAME = ["11-15", "24-20", "8-11", "28-24", "9-13", "22-18", "15x22", "25x18", "3-8", "20-16", "12x28"]
ROWS = [[side, "5", "4", "80.0%", "0.010", "1", "0", "0", "0"] for side in ("Black", "White")]
STORY = [
    ["{side} lost the game at {move}.", {"side": "White", "move": "5... 20-16"}],
    ["It was a draw until then.", {}],
]


@cache
def house() -> House:
    return House(WebSettings(browser=False, token=False, hash=1 << 20))


def ask(what: str, **fields: Any) -> dict[str, Any]:
    return sending.ROUTES[what](house(), PageRequest(fields))


def data_of(html: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        html.split('<script type="application/json" id="game">')[1].split("</script>")[0]
    )
    return found


# --- pages


def test_a_game_that_was_not_reviewed_is_a_page() -> None:
    game = Game({"Black": "Ann", "White": "Bob", "Result": "1-0"}, moves=GAME)
    html = ask("send/page", document=game_document(game))["html"]
    told = data_of(html)
    assert read_document(told["document"]) == game
    assert (told["story"], told["accuracy"], told["table"]) == ([], None, [])
    assert "<title>Ann v Bob</title>" in html
    for absent in ("Annotated by", "href", "Accuracy:", "<td>"):
        assert absent not in html.split("<script>")[0].split("</style>")[1].split('<script type="app')[0], absent


def test_the_whole_review_is_in_the_page() -> None:
    game = Game(moves=GAME)
    annotate(game, kr.Engine("manual", hash_mb=1), JudgeSettings(tc=kr.Limits(nodes=3000)))
    fields = {"story": STORY, "accuracy": {"black": 91.5, "white": 64}, "table": ROWS}
    html = ask("send/page", document=game_document(game), **fields)["html"]
    told = data_of(html)
    assert read_document(told["document"]) == game
    assert told["story"] == STORY
    assert told["accuracy"] == {"black": 91.5, "white": 64}
    assert told["table"] == [list(TABLE), *ROWS]
    # for those without scripts
    for text in ("White lost the game at 5... 20-16.", "Blunder: White expects", "Annotated by kr"):
        assert text in html.split('<script type="application/json"')[0]


def test_no_text_of_a_game_or_a_review_is_markup() -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    game = Game({"Black": evil, "Evil": evil}, moves=GAME)
    game.comments = [evil]
    table = [[evil, *ROWS[0][1:]], ROWS[1]]
    html = ask("send/page", document=game_document(game), story=[[evil, {"a": evil}]], table=table)["html"]
    assert evil not in html
    assert "<img" not in html
    assert html.count("<script") == 2


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "document is missing"),
        ({"document": {"start": 1}}, "start is not text"),
        ({"story": "x"}, "not a list of at most 100"),
        ({"story": [["a"]]}, r"a sentence of a story is \[text"),
        ({"story": [[1, {}]]}, r"a sentence of a story is \[text"),
        ({"story": [["a", {"b": [1]}]]}, "texts and numbers"),
        ({"story": [["a" * 2000, {}]]}, "more than 1000 characters"),
        ({"story": [["a", {}]] * 101}, "not a list of at most 100"),
        ({"accuracy": {"black": 101, "white": 1}}, "black is not a number from 0 to 100"),
        ({"accuracy": {"black": 1}}, "white is missing"),
        ({"table": [ROWS[0]]}, "two rows"),
        ({"table": [["x"], ["y"]]}, "a row of the table has 9 texts"),
        ({"table": [["x"] * 9, [1] * 9]}, "texts of at most"),
        ({"language": "../"}, "not a code"),
    ],
)
def test_a_page_of_anything_else_is_refused(fields: dict[str, Any], why: str) -> None:
    document = {"document": game_document(Game(moves=GAME))} if fields else {}
    with pytest.raises(KrError, match=why):
        ask("send/page", **{**document, **fields})


# --- pictures


def test_a_position_is_drawn() -> None:
    position = kr.Position().play("11-15")
    picture = ask("games/svg", fen=position.fen, last=[11, 15], flipped=True, numbers=False)["svg"]
    assert picture == kr.svg.board(position, last_move="11-15", flipped=True, coordinates=False)


def test_a_picture_has_what_is_drawn_on_the_board_and_its_colours() -> None:
    position = kr.Position()
    shapes = {"arrows": [{"colour": "R", "from": 11, "to": 15}], "circles": [{"colour": "B", "square": 18}]}
    colors = {"dark": "#123456", "black rim": "#abc"}
    arrows = [kr.svg.Arrow((17,), "drawn blue"), kr.svg.Arrow((10, 14), "drawn red")]
    picture = ask("games/svg", fen=position.fen, colors=colors, **shapes)["svg"]
    assert picture == kr.svg.board(position, arrows=arrows, colors=colors)


def test_a_line_is_an_animated_picture() -> None:
    start = kr.Position()
    answer = ask("send/gif", start=start.fen, moves=GAME[:4], flipped=True, colors={"dark": "#123456"})
    board = kr.Board(start)
    for text in GAME[:4]:
        board.play(text)
    meant = animation(start, board.moves, flipped=True, colors={"dark": "#123456"})
    assert base64.b64decode(answer["gif"]) == meant


FEN = kr.Position().fen


@pytest.mark.parametrize(
    ("what", "fields", "why"),
    [
        ("games/svg", {"last": [33, 1]}, "squares from 1 to 32"),
        ("games/svg", {"arrows": [{"colour": "X", "from": 1, "to": 2}]}, "colour is not one of"),
        ("games/svg", {"arrows": [{"colour": "G", "from": 0, "to": 2}]}, "from 1 to 32"),
        ("games/svg", {"arrows": [7]}, "expected a JSON object"),
        ("games/svg", {"circles": [{"colour": "G", "square": 1}] * 201}, "at most 200"),
        ("games/svg", {"colors": {"dark": 'red" onload="x'}}, "of the form #86a073"),
        ("games/svg", {"colors": {"pale": "#123456"}}, "of the form #86a073"),
        ("send/gif", {"moves": ["11-20"]}, "legal moves"),
        ("send/gif", {"moves": ["11-15"] * 401}, "at most 400"),
        ("send/gif", {"moves": [], "colors": {"dark": 3}}, "of the form #86a073"),
    ],
)
def test_a_picture_of_anything_else_is_refused(what: str, fields: dict[str, Any], why: str) -> None:
    with pytest.raises(KrError, match=why):
        ask(what, fen=FEN, start=FEN, **fields)
