"""A game or a position to send: what the page makes of it, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from page import Page

import kr
from kr.analysis.annotation.annotation import annotate
from kr.analysis.annotation.judging import JudgeSettings
from kr.language.sentences import texts
from kr.pdn import Game
from kr.viewer.document import game_document

MOVES = ["11-15", "24-20", "8-11", "28-24", "9-13", "22-18", "15x22", "25x18", "3-8", "20-16", "12x28"]


def sent(page: Page, game: Game, **fields: Any) -> str:
    return str(page.ask("send/page", {"document": game_document(game), **fields})["html"])


def data_of(html: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        html.split('<script type="application/json" id="game">')[1].split("</script>")[0]
    )
    return found


def test_a_game_that_was_not_reviewed_is_a_page(page: Page) -> None:
    game = Game({"Black": "Ann", "White": "Bob", "Result": "1-0"}, moves=MOVES)
    html = sent(page, game)
    assert data_of(html)["document"] == game_document(game)
    assert "<title>Ann v Bob</title>" in html
    said = html.split("<main>")[1].split("</main>")[0]
    for absent in ("Annotated by", "href", "Accuracy:", "<td>"):
        assert absent not in said, absent


def test_the_whole_review_is_in_the_page(page: Page) -> None:
    game = Game({"Result": "1-0"}, moves=MOVES)
    annotation = annotate(game, kr.Engine("manual", hash_mb=1), JudgeSettings(tc=kr.Limits(nodes=3000)))
    english = {each.name: texts("en")[each.name] for each in annotation.story}
    told = dict.fromkeys(english, "Detto")
    html = sent(page, game, language="it", texts={**told, "Untold": "Non"}, english={**english, "end.no_move": "None"})
    assert data_of(html)["document"] == game_document(game)
    assert data_of(html)["looks"]["texts"] == told
    assert data_of(html)["looks"]["english"] == english
    # for those without scripts
    assert annotation.story
    for text in (*map(str, annotation.story), "Black: accuracy", "Blunder: White expects", "Annotated by kr"):
        assert text in html.split('<script type="application/json"')[0]


def test_the_page_is_in_the_language_of_the_sender_and_looks_as_they_see_it(page: Page) -> None:
    game = Game({"Round": "3"}, moves=MOVES, result="1/2-1/2")
    annotate(game, kr.Engine("manual", hash_mb=1), JudgeSettings(tc=kr.Limits(nodes=1000)))
    used = {"Board": "Damiera <", "piece|pieces": "pezzo|pezzi"}
    said = {
        **used,
        "a draw": "patta <",
        "Annotated by {signature}.": "Annotata da {signature}{signature.__class__}{0}.",
        "round {number}": "turno {number}",
        "Rules of English draughts": "Regole della dama inglese",
    }
    looks = {"board": "wood", "pieces": "carved", "coordinates": "letters", "flipped": True}
    html = sent(page, game, language="it", texts=said, **looks)
    for shown in (
        f"Annotata da {game.headers['Annotator']}{{signature.__class__}}{{0}}.", "1/2-1/2, patta &lt;<", "turno 3 ·",
        '<html lang="it">',
    ):  # fmt: skip
        assert shown in html, shown
    # what the page of a game can't ask for is not sent
    assert data_of(html)["looks"] == {**looks, "language": "it", "texts": used, "english": {}}


def test_no_text_of_a_game_is_markup(page: Page) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    game = Game({"Black": evil, "Evil": evil}, moves=MOVES)
    game.comments = [evil, f"[%kr game] [%kr story {evil}] {evil}"]
    html = sent(page, game, language="it", texts={evil: evil})
    assert evil not in html
    assert "<img" not in html
    assert html.count("<script") == 2


@pytest.mark.parametrize(
    ("what", "fields", "why"),
    [
        ("send/page", {"document": None}, "document is missing"),
        ("send/page", {"document": {"start": 1}}, "start is not text"),
        ("send/page", {"language": "../"}, "not a code"),
        ("send/page", {"texts": {"a": 1}}, "texts are texts"),
        ("send/page", {"texts": {str(i): "" for i in range(5001)}}, "more than 5,000 texts"),
        ("send/page", {"texts": {"a": "b" * 300_000}}, "more than 300,000 characters"),
        ("send/page", {"board": "marble"}, "board is not one of"),
        ("send/page", {"coordinates": "roman"}, "coordinates is not one of"),
        ("games/svg", {"fen": "B:W1"}, "three fields"),
        ("games/svg", {"last": [33, 1]}, "squares from 1 to 32"),
        ("games/svg", {"arrows": [{"colour": "X", "from": 1, "to": 2}]}, "colour is not one of"),
        ("games/svg", {"arrows": [{"colour": "G", "from": 0, "to": 2}]}, "from 1 to 32"),
        ("games/svg", {"arrows": [{"colour": ["G"], "from": 1, "to": 2}]}, "colour is not one of"),
        ("games/svg", {"circles": [{"colour": "GR", "square": 1}]}, "colour is not one of"),
        ("games/svg", {"arrows": [7]}, "expected a JSON object"),
        ("games/svg", {"circles": [{"colour": "G", "square": 1}] * 201}, "at most 200"),
        ("games/svg", {"flipped": 1}, "flipped is neither true nor false"),
        ("games/svg", {"pieces": "round"}, "pieces is not one of"),
    ],
)
def test_anything_else_is_refused(page: Page, what: str, fields: dict[str, Any], why: str) -> None:
    body = {"fen": kr.Position().fen, "document": game_document(Game(moves=MOVES)), **fields}
    assert why in page.ask(what, body)["error"]


def test_a_picture_has_the_last_move_and_what_is_drawn_on_the_board(page: Page) -> None:
    position = kr.Position().play("11-15")
    shapes = {"arrows": [{"colour": "R", "from": 11, "to": 15}], "circles": [{"colour": "B", "square": 18}]}
    arrows = [kr.svg.Arrow((17,), "drawn blue"), kr.svg.Arrow((10, 14), "drawn red")]
    body = {"fen": position.fen, "last": [11, 15], "board": "wood", "flipped": True, **shapes}
    picture = kr.svg.board(position, last_move="11-15", arrows=arrows, style="wood", flipped=True)
    assert page.ask("games/svg", body) == {"svg": picture}
