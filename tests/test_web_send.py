"""A game or a position to send: what the server makes of it, and what is refused."""

from __future__ import annotations

import inspect
import json
from functools import cache
from typing import Any

import pytest
from web_pages import finished

import kr
from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.judging import JudgeSettings
from kr.errors import KrError
from kr.pdn import Game
from kr.viewer.document import game_document, read_document
from kr.web import sending
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.settings import WebSettings

GAME = ["11-15", "24-20", "8-11", "28-24", "9-13", "22-18", "15x22", "25x18", "3-8", "20-16", "12x28"]


@cache
def house() -> House:
    return House(WebSettings(browser=False, token=False, hash=1 << 20))


def ask(what: str, **fields: Any) -> dict[str, Any]:
    handler = sending.ROUTES[what]
    answer = handler(house(), PageRequest(fields))
    return finished(answer) if inspect.iscoroutine(answer) else answer


def data_of(html: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        html.split('<script type="application/json" id="game">')[1].split("</script>")[0]
    )
    return found


# --- pages


def test_a_game_that_was_not_reviewed_is_a_page() -> None:
    game = Game({"Black": "Ann", "White": "Bob", "Result": "1-0"}, moves=GAME)
    html = ask("send/page", document=game_document(game))["html"]
    assert read_document(data_of(html)["document"]) == game
    assert "<title>Ann v Bob</title>" in html
    said = html.split("<main>")[1].split("</main>")[0]
    for absent in ("Annotated by", "href", "Accuracy:", "<td>"):
        assert absent not in said, absent


def test_the_whole_review_is_in_the_page() -> None:
    game = Game({"Result": "1-0"}, moves=GAME)
    annotation = annotate(game, kr.Engine("manual", hash_mb=1), JudgeSettings(tc=kr.Limits(nodes=3000)))
    texts = {each.text: "Detto" for each in annotation.story}
    html = ask("send/page", document=game_document(game), language="it", texts={**texts, "Untold": "Non"})["html"]
    assert read_document(data_of(html)["document"]) == game
    assert data_of(html)["looks"]["texts"] == texts
    # for those without scripts
    assert annotation.story
    for text in (*map(str, annotation.story), "Black: accuracy", "Blunder: White expects", "Annotated by kr"):
        assert text in html.split('<script type="application/json"')[0]


def test_the_page_looks_as_the_sender_sees_it() -> None:
    document = game_document(Game(moves=GAME))
    looks = {"board": "wood", "pieces": "carved", "coordinates": "letters", "flipped": True}
    texts = {"Black": "Nero", "piece|pieces": "pezzo|pezzi"}
    html = ask("send/page", document=document, language="it", texts={**texts, "Not said there": "Non"}, **looks)["html"]
    assert data_of(html)["looks"] == {**looks, "language": "it", "texts": texts}
    assert '<html lang="it">' in html


def test_the_page_is_in_the_language_of_the_sender() -> None:
    game = Game({"Round": "3"}, moves=GAME, result="1/2-1/2")
    annotate(game, kr.Engine("manual", hash_mb=1), JudgeSettings(tc=kr.Limits(nodes=1000)))
    texts = {
        "Annotated by {signature}.": "Annotata da {signature}{signature.__class__}{0}.",
        "a draw": "patta <",
        "round {number}": "turno {number}",
        "piece|pieces": "pezzo|pezzi",
        "Rules of English draughts": "Regole della dama inglese",
    }
    html = ask("send/page", document=game_document(game), language="it", texts=texts)["html"]
    for shown in (
        f"Annotata da {game.headers['Annotator']}{{signature.__class__}}{{0}}.",
        "1/2-1/2, patta &lt;<",
        "turno 3 ·",
    ):
        assert shown in html, shown
    # what the page of a game can't ask for is not sent
    assert data_of(html)["looks"]["texts"].keys() == texts.keys() - {"Rules of English draughts", "round {number}"} - {
        "Annotated by {signature}."
    }


def test_no_text_of_a_game_is_markup() -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    game = Game({"Black": evil, "Evil": evil}, moves=GAME)
    game.comments = [evil, f"[%kr game] [%kr story {evil}] {evil}"]
    html = ask("send/page", document=game_document(game), language="it", texts={evil: evil})["html"]
    assert evil not in html
    assert "<img" not in html
    assert html.count("<script") == 2


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"document": None}, "document is missing"),
        ({"document": {"start": 1}}, "start is not text"),
        ({"language": "../"}, "not a code"),
        ({"texts": {"a": 1}}, "texts are texts"),
        ({"texts": {str(i): "" for i in range(5001)}}, "more than 5,000 texts"),
        ({"texts": {"a": "b" * 300_000}}, "more than 300,000 characters"),
        ({"board": "marble"}, "board is not one of"),
        ({"coordinates": "roman"}, "coordinates is not one of"),
    ],
)
def test_a_page_of_anything_else_is_refused(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(KrError, match=why):
        ask("send/page", **{"document": game_document(Game(moves=GAME)), **fields})


# --- pictures


def test_a_position_is_drawn() -> None:
    position = kr.Position().play("11-15")
    picture = ask("games/svg", fen=position.fen, last=[11, 15], flipped=True, coordinates="none")["svg"]
    assert picture == kr.svg.board(position, last_move="11-15", flipped=True, coordinates=False)


def test_a_picture_has_what_is_drawn_on_the_board_and_its_style() -> None:
    position = kr.Position()
    shapes = {"arrows": [{"colour": "R", "from": 11, "to": 15}], "circles": [{"colour": "B", "square": 18}]}
    arrows = [kr.svg.Arrow((17,), "drawn blue"), kr.svg.Arrow((10, 14), "drawn red")]
    picture = ask("games/svg", fen=position.fen, board="wood", pieces="carved", **shapes)["svg"]
    assert picture == kr.svg.board(position, arrows=arrows, style="wood", pieces="carved")


FEN = kr.Position().fen


@pytest.mark.parametrize(
    ("what", "fields", "why"),
    [
        ("games/svg", {"last": [33, 1]}, "squares from 1 to 32"),
        ("games/svg", {"arrows": [{"colour": "X", "from": 1, "to": 2}]}, "colour is not one of"),
        ("games/svg", {"arrows": [{"colour": "G", "from": 0, "to": 2}]}, "from 1 to 32"),
        ("games/svg", {"arrows": [{"colour": ["G"], "from": 1, "to": 2}]}, "colour is not one of"),
        ("games/svg", {"circles": [{"colour": "GR", "square": 1}]}, "colour is not one of"),
        ("games/svg", {"arrows": [7]}, "expected a JSON object"),
        ("games/svg", {"circles": [{"colour": "G", "square": 1}] * 201}, "at most 200"),
        ("games/svg", {"board": "marble"}, "board is not one of"),
        ("games/svg", {"pieces": "round"}, "pieces is not one of"),
    ],
)
def test_a_picture_of_anything_else_is_refused(what: str, fields: dict[str, Any], why: str) -> None:
    with pytest.raises(KrError, match=why):
        ask(what, fen=FEN, start=FEN, **fields)
