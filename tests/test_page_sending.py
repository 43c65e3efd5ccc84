"""What the page without a server sends, against what kr web does: boards as SVG, pages of games."""

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from library import ROOT
from page import Page, server_answer, web_house

from kr import svg
from kr.game.position import Position
from kr.language.sentences import texts
from kr.pdn import Game, read_game
from kr.pdn.commands import SHAPE_COLOURS
from kr.viewer.document import game_document
from kr.web.house import House

LOCAL = ROOT / "kr" / "page" / "answers"

pytest.importorskip("PIL")
pytest.importorskip("jinja2")

LOOKS = [
    {"board": board, "pieces": pieces, "coordinates": coordinates, "flipped": flipped}
    for board, pieces, coordinates, flipped in product(svg.STYLES, svg.PIECES, svg.COORDINATES, (False, True))
]
CAPTURES = "W:W30,K32:B26,18,10,K12,K1,2"
"""A man can take three, one after another."""


@pytest.fixture(scope="module")
def house() -> House:
    return web_house()


def same(page: Page, house: House, path: str, body: Any) -> Any:
    """What both answer."""
    answer = page.ask(path, body)
    assert answer == server_answer(house, path, body)
    return answer


def played(source: random.Random, start: Position | None = None, most: int = 200) -> Iterator[tuple[str, Position]]:
    """A random game: moves, each with the position after it."""
    position = start or Position()
    while (moves := position.legal_moves()) and most:
        move = source.choice(moves)
        position = position.play(move)
        most -= 1
        yield str(move), position


def crowd(source: random.Random) -> Position:
    """A position with 24 pieces, most of them kings, on any squares."""
    squares = source.sample(range(32), 24)
    black, white = (sum(1 << square for square in half) for half in (squares[:12], squares[12:]))
    kings = black & 0xF0000000 | white & 0xF | source.getrandbits(32) & (black | white)
    return Position.from_bits((black, white, kings, source.randrange(2)))


# --- pictures


@pytest.mark.parametrize("looks", LOOKS, ids=lambda looks: " ".join(map(str, looks.values())))
def test_a_position_is_drawn_in_all_looks(page: Page, house: House, looks: dict[str, Any]) -> None:
    source = random.Random(str(looks))
    for position in (Position(), crowd(source), *(each for _, each in list(played(source))[::9])):
        last = source.sample(range(1, 33), source.randrange(5))
        assert "svg" in same(page, house, "games/svg", {"fen": position.fen, "last": last, **looks})


@pytest.mark.parametrize("flipped", [False, True])
def test_all_arrows_are_drawn(page: Page, house: House, flipped: bool) -> None:
    pairs = [*product(range(1, 33), repeat=2)]
    for begin in range(0, len(pairs), 200):
        arrows = [
            {"from": start, "to": end, "colour": SHAPE_COLOURS[(start + end) % 4]}
            for start, end in pairs[begin : begin + 200]
        ]
        circles = [{"square": square, "colour": SHAPE_COLOURS[square % 4]} for square in range(1, 33)]
        body = {"fen": "B:WK5:B", "arrows": arrows, "circles": circles, "flipped": flipped, "board": "wood"}
        assert "svg" in same(page, house, "games/svg", body)


@pytest.mark.parametrize(
    "fields",
    [
        {"fen": None},
        {"fen": "B:W1"},
        {"last": "11-15"},
        {"last": [1, 33]},
        {"last": list(range(40))},
        {"arrows": {}},
        {"arrows": [1]},
        {"arrows": [{"from": 1, "colour": "G"}]},
        {"arrows": [{"from": 1, "to": 0, "colour": "G"}]},
        {"arrows": [{"from": 1, "to": 2, "colour": "GR"}]},
        {"arrows": [{"from": 1, "to": 2, "colour": "G"}] * 201},
        {"circles": [{"square": 1.5, "colour": "G"}]},
        {"circles": [{"square": 1}]},
        {"circles": [{"square": 1, "colour": "g"}], "arrows": 1},
        {"flipped": 1},
        {"board": "marble"},
        {"pieces": ["flat"]},
        {"coordinates": ""},
    ],
)
def test_a_picture_of_anything_else_is_refused(page: Page, house: House, fields: dict[str, Any]) -> None:
    assert "error" in same(page, house, "games/svg", {"fen": "B:W30:B1", **fields})


# --- pages

REVIEWED = """[Event "Match"]
[Site " ?? "]
[Date "1886.??.??"]
[Round "12."]
[Black "Ann \\"A\\" <b>"]
[White "Bob & Sons"]
[Result "1-0"]
[Annotator "Cy; kr 1.0, nodes=200k"]
[Source "-"]
[Empty "?.? "]

{[%kr game exp=0.50 accuracy=88.1/92.4] [%kr story Black lost the game at <move=19. 18-22>.] Black lost it. 2 marks}
{About [%clk 0:05:00] "the" <game>} {[%csl G11][%cal R11-15]} {}
1. 11-15 $14 {[%eval -0.31] [%kr exp=0.32 nag=?!] Inaccuracy: Black expects 0.32, with 9-14 0.41.} 24-20 $1 $7
2. 8-11?! {[%eval 0.1] [%kr exp=0.5 nag=?! once]} {[%kr exp=0.5 nag=??]} 28-24
(2... 22-18 {a long comment of Bob's} 15x22 (2... {before} 22-17 $139 {said} 3. 9-13 (3. 9-14) 17-14) 26x17 {end})
(2... 20-16 {[%eval 0.2] [%kr line exp=0.48]}) (2... 1-5 9-14 {not legal})
3. 9-13 {moved quickly} {[%emt 0:00:03]} 22-18?? 4. 15x22 {[%kr exp=0.9 mark=!] } 25x18 5. 3-8 20-16 6. 12x28 23-19 1-0
"""
GAMES = {
    "reviewed": REVIEWED,
    "white begins": '[SetUp "1"]\n[FEN "W:W22,23,K32:B1,2,K12"]\n[Round "3"]\n\n1... 32-28 {x} 1-6 2. 28-24 1/2-1/2\n',
    "set up": '1. 11-15 /FEN "W:W30:B1"/ {there} 30-26 (1... 30-25 /FEN "B:W21:B1"/ {and} 1-6) 2. 1-5 0-1\n',
    "nothing": '[Event "none"]\n\n*\n',
    "judged before a move": "$3 $7 {x} 1. 11-15! 22-18 (1... $2 23-19) *",
    "lost": '[Black "\u202eevil\u200b\x07\U000e0001"]\n[Round "iv"]\n[Date "1-2-3"]\n\n{\x85\u2028-} 1. 9-13 0-0',
}


def document_of(text: str) -> dict[str, Any]:
    game = read_game(text)
    assert game is not None
    return game_document(game)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", ["en", "it"])
def test_a_game_is_a_page(page: Page, house: House, name: str, language: str) -> None:
    said = {
        **(texts("it") if language == "it" else {}),
        "Black lost the game at {move}.": "Il Nero ha perso con {move}.",
        "Annotated by {signature}.": "{a} {signature}<",
    }
    looks = LOOKS[sum(map(ord, name)) % len(LOOKS)]
    body = {"document": document_of(GAMES[name]), "language": language, "texts": said, **looks}
    html = same(page, house, "send/page", body)["html"]
    assert f'<html lang="{language}">' in html
    if name == "reviewed":
        assert "Il Nero ha perso con {move}." in html


@pytest.mark.parametrize("seed", range(4))
def test_a_random_tree_is_a_page(page: Page, house: House, seed: int) -> None:
    source = random.Random(seed)
    game = Game({"Black": "A", "Annotator": "kr 1"}, start=crowd(source))
    nodes: list[Any] = [game]
    for _ in range(60):
        node = source.choice(nodes[-5:])
        moves = [move for move in node.position.legal_moves() if all(each.move != move for each in node.variations)]
        if moves:
            remarks = {"nags": source.sample(["!", "?", "$2", "$7", "*", "$30", "(!)"], source.randrange(4))}
            words = ["", "said", "[%clk 1:00] left", "[%kr exp=0.1 nag=?] Mistake", "[%csl G12] a  b"]
            child = node.add_variation(source.choice(moves), comment=source.choice(words), **remarks)
            child.starting_comment = source.choice(["", "", "first"])
            nodes.append(child)
    assert len(nodes) > 20
    assert "html" in same(page, house, "send/page", {"document": game_document(game)})


TEXTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Z", "Cc", "Cf", "Mn")), max_size=20)
MARKUP = st.text(st.sampled_from("[]%kr story<>=a{}&\"' \t\n\r\x1c\x85\u2028é🙂!?"), max_size=30)


@given(
    headers=st.dictionaries(st.sampled_from(["Event", "Site", "Date", "Round", "Black", "Annotator", "Tag"]), TEXTS),
    comments=st.lists(MARKUP | TEXTS | MARKUP.map("[%kr game] {}".format), max_size=3),
    remarks=st.lists(MARKUP | MARKUP.map("[%kr {}".format), max_size=3),
    texts=st.dictionaries(
        st.sampled_from(["Moves", "Notes", "unfinished", "Accuracy", "round {number}", "a|b"]), TEXTS
    ),
)
def test_any_text_is_shown_as_kr_web_does(
    page: Page, house: House, headers: dict[str, str], comments: list[str], remarks: list[str], texts: dict[str, str]
) -> None:
    nodes = [
        {"parent": None, "comments": comments},
        {"parent": 0, "text": "11-15", "comments": remarks, "nags": ["?"]},
        {"parent": 0, "text": "9-13", "starting_comments": remarks, "comments": comments},
    ]
    document = {"start": Position().fen, "headers": headers, "nodes": nodes}
    assert "html" in same(page, house, "send/page", {"document": document, "texts": texts})


@pytest.mark.parametrize(
    "fields",
    [
        {"document": None},
        {"document": []},
        {"document": {"start": 1}},
        {"language": "../"},
        {"language": "i"},
        {"language": "ital"},
        {"language": 1},
        {"texts": []},
        {"texts": {"a": 1}},
        {"texts": {str(i): "" for i in range(5001)}},
        {"texts": {"a": "b" * 300_000}},
        {"texts": {"a": "🙂" * 299_999}, "board": "green"},
        {"board": "marble"},
        {"coordinates": "roman"},
        {"flipped": 0, "language": 1},
    ],
)
def test_a_page_of_anything_else_is_refused(page: Page, house: House, fields: dict[str, Any]) -> None:
    answer = same(page, house, "send/page", {"document": document_of(GAMES["nothing"]), **fields})
    assert ("error" in answer) == ("🙂" not in str(fields))
