"""Games of the page without a server, as documents and as PDN, against those of kr web."""

import json
import random
import time
from collections import Counter
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page import Page, server_answer, web_house
from test_pdn_properties import games
from test_viewer_document import AMBIGUOUS, GAMES, REFUSED, ROUND, changed, node

from kr.game.position import Move, Position
from kr.pdn import Game, GameNode, read_game, read_games
from kr.viewer.document import MOST_CHARACTERS, MOST_NODES, game_document
from kr.web.house import House

pytestmark = pytest.mark.slow

ARCHIVE = Path(__file__).parent / "data" / "games.pdn"
START = Position().fen
BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2003\u2028\u2029\u202f\u3000\ufeff\u200b"
SMILE = "\U0001f600"
SECONDS = 60
"""Time in which a game of most nodes is read twice and written; it takes about one."""


@pytest.fixture(scope="module")
def house() -> House:
    return web_house()


def sent(number: str) -> float:
    """A number as a page sends it: JavaScript writes 0.0 as 0."""
    value = float(number)
    return int(value) if value.is_integer() else value


def check(page: Page, house: House, document: Any) -> None:
    """Both have the same document of it, and the same PDN in both conventions, or refuse it in the same words."""
    document = json.loads(json.dumps(document), parse_float=sent)
    for path, fields in (("games/check", {}), ("games/pdn", {}), ("games/pdn", {"results": "white"})):
        body = {"document": document, **fields}
        answer = page.ask(path, body)
        assert answer == server_answer(house, path, body)
        if "error" in answer:
            break


def document_of(game: Game) -> Any:
    """The document of a game as it goes over the wire.

    Without tags whose name is a number: objects of JavaScript have those first, in the browser of kr web as well.
    """
    document = game_document(game)
    document["headers"] = {name: value for name, value in game.headers.items() if not name.isdecimal()}
    return json.loads(json.dumps(document))


def one(text: str) -> Game:
    game = read_game(f"{text}\n")
    assert game is not None
    return game


def line(*moves: str, start: str = START, **fields: Any) -> dict[str, Any]:
    """A document whose moves are texts; fields: of its last node."""
    nodes: list[dict[str, Any]] = [{"parent": None}]
    nodes += [{"parent": number, "text": move} for number, move in enumerate(moves)]
    nodes[-1].update(fields)
    return {"start": start, "nodes": nodes}


@pytest.mark.parametrize("text", GAMES.values(), ids=GAMES.keys())
def test_games_of_every_kind(page: Page, house: House, text: str) -> None:
    check(page, house, document_of(one(text)))


def test_games_of_an_archive(page: Page, house: House) -> None:
    for game in read_games(ARCHIVE, errors=[]):
        check(page, house, document_of(game))


@given(games())
@settings(max_examples=60)
def test_any_game(page: Page, house: House, game: Game) -> None:
    check(page, house, document_of(game))


@given(games(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_games_whose_moves_are_only_text_or_a_path(page: Page, house: House, game: Game, dice: random.Random) -> None:
    """A text may be ambiguous, or have more squares than it needs; another text is mostly illegal."""
    document = document_of(game)
    for each in document["nodes"][1:]:
        path = each["path"]
        if dice.random() < 0.3:
            del each["text"]
            continue
        del each["path"], each["captured"]
        if dice.random() < 0.5:
            each["text"] = dice.choice(["-", "x", " x ", ":"]).join(map(str, path))
        elif dice.random() < 0.1:
            each["text"] = f"{dice.randrange(1, 34)}-{dice.randrange(1, 34)}"
    check(page, house, document)


@pytest.mark.parametrize("fen", [AMBIGUOUS, ROUND])
def test_captures_with_the_same_ends(page: Page, house: House, fen: str) -> None:
    start = Position.from_fen(fen)
    for way in start.legal_moves():
        check(page, house, document_of(Game(start=start, moves=[way])))
        check(page, house, line(str(way), start=fen))
    check(page, house, line("30-14", start=fen))
    check(page, house, line("22x22", start=fen))


def wandered(position: Position, seen: Counter[Position], dice: random.Random) -> Move:
    """A move of a king after which none can be taken, to a position that has been there least."""
    ways = [move for move in position.legal_moves() if not move.is_capture]
    ways = [move for move in ways if (after := position.play(move).legal_moves()) and not after[0].is_capture]
    dice.shuffle(ways)
    move = min(ways, key=lambda move: seen[position.play(move)])
    seen[position.play(move)] += 1
    return move


def test_draws_by_the_rules(page: Page, house: House) -> None:
    circle, start = "23-18 28-32 18-23 32-28", "W:WK19,K23:B12,K28"
    drawn = [
        one(f'[FEN "{start}"]\n{circle} {circle} (32-27 23x32) 23-18 12-16 *'),
        one(f'[FEN "{start}"]\n{circle} /FEN "{start}"/ {circle} {circle} *'),
        Game(start=Position.from_fen("W:WK31:BK2"), moves="31-26 2-7 26-31 7-2 ".split() * 25),
        Game(start=Position.from_fen("W:WK31,K32:BK2,K1")),
    ]
    last: GameNode = drawn[-1]
    dice, seen = random.Random(5), Counter[Position]()
    for _ in range(85):
        last = last.add_variation(wandered(last.position, seen, dice))
    documents = [document_of(game) for game in drawn]
    rules = {each.get("draw") for document in documents for each in document["nodes"]}
    assert rules == {None, "repetition", "no progress"}
    for document in documents:
        check(page, house, document)


COMMENTS = [
    "a [%cal G11-15,R1518,Yc3d4] b", "[%csl G18, R05,y5,Bh8]good", "[%csl Ra1][%cal Gg1h2]", "two  blanks [%emt 3]",
    "[%cal Ga1b1] [%csl R33] [%csl ] [%cal G1115,] [%eval 0.3]", "[%cal G11-11]", "[%cal\u00a0G1112]",
    "[%csl G\u0663]  x", "[%csl G\U0001d7d9\U0001d7da]", "[%cal g11X15] [%cal r1:2]", "[%cal", "[%csl\ufeffG1]",
    "[%csl G1\x1cG2]", "[%cal G11-15][%cal G11-15,G1-2]", " [%csl R1] ", "", "[%csl G1][%csl G1] }", "{", "x\r\ny\rz",
    "} x\r\ny", "%", "% }", f"}}{BLANKS}a{BLANKS}", f"{BLANKS}b{BLANKS}", SMILE * 90, "word " * 40, "é} " * 30,
    f"[%cal{' ' * 300_000}", f"[%csl {', ' * 100_000}G1]",
]  # fmt: skip


@pytest.mark.parametrize("comment", COMMENTS, ids=lambda comment: ascii(comment)[:30])
def test_comments(page: Page, house: House, comment: str) -> None:
    """Where each may stand: at the start, after a move, before and in a variation, side by side."""
    document = changed()
    nodes = document["nodes"]
    nodes[0]["comments"] = [comment]
    nodes[1]["comments"] = [comment, "between"]
    nodes[3]["comments"] = [comment]
    check(page, house, document)
    nodes[2]["starting_comments"] = [comment]
    nodes[3]["starting_comments"] = [comment]
    nodes[0]["comments"] = []
    check(page, house, document)


@given(st.lists(st.text(st.sampled_from("[]%cals GRyB123-x,adh }"), max_size=30), max_size=3))
@settings(max_examples=60)
def test_commands_in_comments(page: Page, house: House, comments: list[str]) -> None:
    comments += [f"[%{kind} {each}]" for each in comments for kind in ("cal", "csl")]
    check(page, house, line("11-15", comments=comments))


HEADERS: list[dict[str, Any]] = [
    {"FEN": "x", "Event": " a ", "Result": "1-0", "Own": "b"}, {"Setup": "", "FEN": ""}, {"SetUp": "0", "Date": " "},
    {"Result": "2-0", "GameType": "20", "Éa_9": "é"}, {"Result": f"{BLANKS}1 - 0"},
    {"Result": "0\u20132", "Site": "a\\\"b"}, {"Event": f"a{BLANKS}b\r\nc\n"}, {"Event": "\n"}, {"": "a"}, {"a-b": "c"},
    {"²": "x", "\u0663": "y"}, {SMILE * 50: ""}, {"x" * 50: None}, {"Event": ["a"]}, {"\ud83d": "a"},
    {"Event": "\ud83d\udc00\udc00"}, {"__proto__": "a", "constructor": "b"}, {"a'b": ""}, {"a\"'b": ""},
    {"a\u202e\x00\t": ""}, {"a" * 600_000: "b" * 600_000},
]  # fmt: skip


@pytest.mark.parametrize("headers", HEADERS, ids=lambda headers: ascii(headers)[:30])
def test_headers(page: Page, house: House, headers: dict[str, Any]) -> None:
    check(page, house, {"start": START, "headers": headers})
    check(page, house, {"start": "W:W32:B1", "headers": headers, "result": "0-1"})


@pytest.mark.parametrize("given", [given for given, _ in REFUSED], ids=[why for _, why in REFUSED])
def test_what_is_refused(page: Page, house: House, given: Any) -> None:
    check(page, house, given)


OTHERS = [
    0, "x", True, [[]], {"start": None}, {"start": ""}, {"start": "W:W21:B21"}, {"start": START, "é" * 50: 1},
    {"start": START, "zz": 1, "aa": 2, "1": 3}, changed(headers=None), changed(headers="x"), changed(nodes=None),
    changed(nodes=[]), changed(result=1), changed(result=""), changed(result="1-0\n'"), changed(nodes=[[]]),
    changed(nodes=[None]), changed(nodes=[{}]), changed(nodes=[{}, {}]), node(1, parent=1.5), node(1, parent="0"),
    node(1, parent=[]), node(1, parent=10**20), node(1, parent=1), node(1, path=0), node(1, path=""),
    node(1, path=False), node(1, path={}), node(1, path=[11]), node(1, path=[11, 15.5]), node(1, path=[11, None]),
    node(1, path=[15, 11]), node(1, path=[], text=""), node(1, path=[], text=7), node(1, path=None, text="11-15\n"),
    node(1, path=None, text=" 11-15"), node(1, path=None, text="a1-b2"), node(1, path=None, text="11:15"),
    node(1, path=None, text="11 x 15"), node(1, path=None, text="11-12-15"), node(1, path=None, text="0-1"),
    node(1, path=None, text="999-1"), node(1, path=None, text=SMILE * 60), node(3, path=None, text="a1b2"),
    node(3, path=None, text="9-33"), node(3, path=[9, 9]), node(1, comments=None), node(1, comments={"a": 1}),
    node(1, nags=None), node(1, nags="!"), node(1, nags=["!" * 30 + "x"]), node(1, nags=["$1234"]),
    node(1, nags=["! "]), node(1, nags=["*", "!", "$5", "!?", "(?!)", "$139", "!"]), node(0, nags=["*", "!"]),
    node(1, nags=["!\n"]), node(1, nags=["$\u0663"]), node(1, unknown=1), node(1, captured="x"), node(1, fen=7),
    node(1, draw="x"), node(1, setup=None), node(1, setup=1), node(1, setup=False), node(1, setup=True, fen=None),
    node(1, setup=True, fen="x"), node(1, setup=True, fen="B:W18:B10"), node(1, setup=True, fen=" w:bk5:w30,K32."),
    node(2, setup=True, fen="W:W1:B"), node(3, path=None, text="1-2", setup=True, fen="W:W1:B5"),
    node(2, setup=True, fen="B:W18:B10"), node(0, setup=True, fen="x"), node(0, text=4, path="x"),
    node(1, arrows=None), node(1, arrows={}), node(1, arrows=[None]), node(1, circles=7), node(1, circles=[5]),
    node(1, arrows=[{"colour": "G", "from": 11, "to": 11}]), node(1, arrows=[{"colour": "GR", "from": 11, "to": 15}]),
    node(1, arrows=[{"colour": "", "from": 11, "to": 15}]), node(1, arrows=[{"colour": ["G"], "from": 1, "to": 5}]),
    node(1, arrows=[{"colour": "g", "from": 1, "to": 5}]), node(1, arrows=[{"colour": "R", "from": 1, "to": 33}]),
    node(1, arrows=[{"colour": each, "from": 1, "to": 5, "x": 1} for each in "RGRYB"], circles=[]),
    node(0, circles=[{"colour": "B", "square": 32}] * 2), node(1, circles=[{"colour": "G", "square": True}]),
    node(1, circles=[{"square": 0}]), node(1, starting_comments="x"), node(0, starting_comments="x"),
    changed(nodes=[{"parent": None, "comments": ["x" * (MOST_CHARACTERS - 140)]}]),
    changed(nodes=[{"parent": None, "comments": [SMILE * (MOST_CHARACTERS - 40)]}]),
    node(0, circles=[{"colour": "B", "square": each} for each in range(1, 33)], comments=["x" * 999_850]),
]  # fmt: skip


@pytest.mark.parametrize("given", OTHERS)
def test_what_else_is_refused_or_taken(page: Page, house: House, given: Any) -> None:
    check(page, house, given)


def test_an_illegal_variation_goes_on_as_text(page: Page, house: House) -> None:
    nodes: list[dict[str, Any]] = [
        {"parent": None}, {"parent": 0, "text": "11-15"}, {"parent": 0, "text": "11-20"},
        {"parent": 2, "path": [23, 19], "text": "a1b2"}, {"parent": 2, "text": "23:18", "nags": ["*"]},
        {"parent": 1, "path": [23, 18]}, {"parent": 5, "path": [15, 22]}, {"parent": 6, "text": "25-18"},
        {"parent": 6, "text": "26x17x9"}, {"parent": 1, "text": "22-9", "comments": ["no"]},
    ]  # fmt: skip
    check(page, house, {"start": START, "nodes": nodes})
    for wrong in nodes[1:]:
        others = [{**each, "path": [1, 2]} if each is wrong else each for each in nodes]
        check(page, house, {"start": START, "nodes": others})


JUNK = [
    None, True, 0, -1, 1, 7, 1.5, "", "x", "1-2", "23-19", "!", START, [], {}, [None], [1, 2], [23, 19], ["x"],
    {"a": 1},
]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_damaged_documents(page: Page, house: House, seed: int) -> None:
    dice = random.Random(seed)
    whole = [document_of(one(text)) for text in GAMES.values()]
    for _ in range(100):
        document = json.loads(json.dumps(dice.choice(whole)))
        for damaged in dice.choices([document, *document["nodes"]], k=dice.randrange(1, 3)):
            damaged[dice.choice([*damaged])] = dice.choice(JUNK)
        check(page, house, document)


def test_fields_of_the_request(page: Page, house: House) -> None:
    fields: list[dict[str, Any]] = [{}, {"document": None}]
    fields += [{"document": {"start": START}, "results": each} for each in ("x", 1, None)]
    for body in fields:
        for path in ("games/check", "games/pdn"):
            assert page.ask(path, body) == server_answer(house, path, body)


def test_there_are_no_files(page: Page, house: House) -> None:
    assert page.ask("games/files", {})["files"] == server_answer(house, "games/files", {})["files"] == []


def test_a_game_of_most_nodes_is_quick(page: Page, house: House) -> None:
    """A long walk of kings with variations everywhere."""
    game = Game(start=Position.from_fen("W:WK31:BK2"))
    last: GameNode = game
    count, ways = 1, cycle(["31-26", "2-7", "26-31", "7-2"])
    while count < MOST_NODES - 10:
        following = last.add_variation(next(ways))
        others = last.position.legal_moves()
        for move in others:
            last.add_variation(move, comment="or [%csl G11] so")
        count += len(others) + 1
        last = following
    body = {"document": json.loads(json.dumps(game_document(game)))}
    begun = time.monotonic()
    written = page.ask("games/pdn", body)
    checked = page.ask("games/check", body)
    assert time.monotonic() - begun < SECONDS
    assert written == server_answer(house, "games/pdn", body)
    assert len(checked["document"]["nodes"]) == count
