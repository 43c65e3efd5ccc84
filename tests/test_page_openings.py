"""The openings of the page without a server, against those of kr web: by number, name and moves, and along a game."""

import json
import random
import subprocess
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from library import ROOT
from page import Page, made, same, server_answer, web_house

from kr.game.position import Position
from kr.openings.decks import deck
from kr.openings.lines import named_lines
from kr.text import plain_name
from kr.web.house import House

LOCAL = ROOT / "kr" / "page" / "answers"
DECKS = ("3move", "11man", "named")


@pytest.fixture(scope="module")
def house() -> House:
    return web_house()


def in_node(program: str, given: Any) -> Any:
    """What a program of a module's functions makes of `given`: it is the body of a function with that argument."""
    script = f"""
        const house = {{data: async name => JSON.parse(fs.readFileSync(`{made()[0]}/${{name}}.json`, "utf8"))}};
        const load = name => import(`{LOCAL.as_uri()}/${{name}}.js`);
        const given = JSON.parse(fs.readFileSync(0, "utf8"));
        console.log(JSON.stringify(await (async () => {{ {program} }})()));
    """
    words = ["node", "--input-type=module", "-e", f'import fs from "node:fs";{script}']
    run = subprocess.run(words, input=json.dumps(given), stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize("name", DECKS)
def test_all_openings_by_number(page: Page, house: House, name: str) -> None:
    count = len(named_lines()) if name == "named" else len(deck(name, playable_only=False))
    for number in range(1, count + 1, 37 if name == "11man" else 1):
        same(page, house, "opening", {"deck": name, "number": number})
    for bad in (0, count + 1, 1.5, "1", None, True):
        same(page, house, "opening", {"deck": name, "number": bad})


def test_positions_that_people_type(page: Page, house: House) -> None:
    """The name of a position comes with its line."""
    for fen in ("B:W18:B3", "B:WK30,8:BK5", "W:W5:B", "[b : w18 , K22:bk3]", "B:W1-40:B1", "x", "", None, 7):
        own, expected = page.ask("position", {"fen": fen}), server_answer(house, "position", {"fen": fen})
        expected.pop("opening", None)
        assert own == expected


SEARCHES = (
    "", " ", "17", "17.", "0", "175", "2500", "9-13", "9-13, 22-18", "11-15 23", "remove 5 and 28", "Dyke", "the dyke",
    "old fourteenth", "OLD 14TH", "Inferno", "frasers inferno", "Fraser\u2019s", "ayr\u00c5shire", "\uff11\uff17",
    "\u0661\u0667", "edin", "Wilderness", "wilderness ii", ",", "doctor", "Ma\u00eetre", "bristol cross", "x" * 100,
    "x" * 101, "white", "Old Faithful", "single corner", "11-15 23-19 8-11", "1. 11-15 23-19 2. 8-11 22-17 9-13",
    "1.11-15 23-19", "2... 8-11", "11-15 23-19 8-11 22-17 9-13",
)  # fmt: skip


@pytest.mark.parametrize("name", DECKS)
def test_searches(page: Page, house: House, name: str) -> None:
    for wanted in SEARCHES:
        same(page, house, "openings", {"deck": name, "wanted": wanted})
    for line in named_lines():
        for spelling in (line.name, *line.spellings, line.name[2:7].upper()):
            same(page, house, "openings", {"deck": name, "wanted": spelling})
    for body in ({}, {"deck": name}, {"deck": "2move"}, {"deck": [name]}, {"deck": name, "wanted": 3}):
        same(page, house, "openings", body)


TEXTS = (
    "11-15 23-19 8-11", "1. 11-15 23-19 2. 8-11 22-17 9-13 17-14", "1.11-15, 23-19", "9-14 23-18 14x23", "11-15 11-15",
    "11-15 23", "Old Faithful", "17", "", " ", ",", "1. ", "\u0661\u0661-15", "11-15 " * 60, "x" * 401,
    "9-14 23-18 14-23 27:18",
)  # fmt: skip


def test_lines_that_people_type(page: Page, house: House) -> None:
    for wanted in TEXTS:
        same(page, house, "openings/line", {"wanted": wanted})
    for body in ({}, {"wanted": 3}):
        same(page, house, "openings/line", body)


@given(deck=st.sampled_from(DECKS), wanted=st.text(max_size=6) | st.text("9132-x, therdoc\u00e9", max_size=12))
@example(deck="3move", wanted="\udc80")
def test_any_search(page: Page, house: House, deck: str, wanted: str) -> None:
    same(page, house, "openings", {"deck": deck, "wanted": wanted})


LINES: tuple[dict[str, Any], ...] = (
    {},
    {"moves": ["11-15", "23-19", "8-11", "22-17"]},
    {"moves": ["11-15", "23-19", "8-11", "22-17", "99"]},
    {"moves": ["11-15", "23-19", "8-10"]},
    {"moves": ["9-14", "23-18", "14x23", "27x18"], "start": ""},
    {"moves": ["9-14", "23-18", "14-23", "26x19"]},
    {"start": "B:W24:B9", "moves": ["9-13"]},
    {"start": "B:W24:B", "moves": ["9-13"]},
    {"start": "W:W30:B16,18,25,26,27", "moves": ["30x21", "21x14"]},
    {"start": "W:W32:B10,18,19,26,27", "moves": ["32x23"]},
    {"start": "W:WK32:B10,18,19,26,27", "moves": ["32x23", "23x14"]},
    {"moves": ["11-15"] * 2001},
    {"moves": "11-15"},
    {"moves": [11]},
    {"start": 5},
    {"start": "x" * 401},
)


def test_names_along_a_game(page: Page, house: House) -> None:
    for body in LINES:
        same(page, house, "openings/names", body)
    for opening in deck("3move", playable_only=False):
        moves = opening.moves.split()
        assert same(page, house, "openings/names", {"moves": moves})["ballot"]["number"] == opening.number
        start = {"start": opening.position.fen, "moves": []}
        assert same(page, house, "openings/names", start)["ballot"]["ply"] == 0
    for line in named_lines():
        same(page, house, "openings/names", {"moves": line.moves.split()})


@pytest.mark.parametrize("seed", range(3))
def test_names_along_random_games(page: Page, house: House, seed: int) -> None:
    source = random.Random(seed)
    for _ in range(20):
        position, moves = Position(), []
        for _ in range(source.randrange(30)):
            choices = position.legal_moves()
            if not choices:
                break
            moves.append(str(choice := source.choice(choices)))
            position = position.play(choice)
        same(page, house, "openings/names", {"moves": moves})


@pytest.mark.usefixtures("page")
def test_what_other_features_ask() -> None:
    """Decks with their standings, and the starts of games."""
    names = ["start", "3move", "11man", *dict.fromkeys(line.name for line in named_lines()), "Wilderness"]
    program = """
        const {openingsOf, begun} = await load("openings"), openings = await openingsOf(house);
        const row = each => {
            const {start, moves} = begun(each);
            const {name, number, position, standing} = each;
            return [name, number, position.fen, each.moves, standing, start.fen, ...moves.map(String)];
        };
        return {
            decks: given.map(name => openings.deck(name, false).map(row)),
            playable: given.map(name => openings.deck(name).map(each => each.number)),
        };
    """
    found = in_node(program, names)

    def row(opening: Any) -> list[Any]:
        start, moves = opening.begin()
        fields = [opening.name, opening.number, opening.position.fen, opening.moves, opening.standing]
        return [*fields, start.fen, *map(str, moves)]

    assert found["decks"] == [[row(each) for each in deck(name, playable_only=False)] for name in names]
    assert found["playable"] == [[each.number for each in deck(name)] for name in names]


NAMES = (
    "M\u00fcller, J.", "J Muller", "MULLER, J", "O\u2019Brien  P.", "Stra\u00dfe", "\u1e9e", "kr 0.6.1",
    "\u0141ukasz \u00d8rsted", "A\u0301\u00a0b\u2003c", "\uff21\uff22", "\u03a3\u03a3\u03a3", "\u0130stanbul \u0131",
    "", " , ", "Marion Tinsley", "Tinsley, Marion F",
)  # fmt: skip


@pytest.mark.usefixtures("page")
def test_names_as_they_are_compared() -> None:
    program = """
        const {plainName} = await load("names");
        return given.map(plainName);
    """
    # and each letter of the alphabets in which names are written
    letters = [chr(code) for code in (*range(0x20, 0x530), *range(0x1E00, 0x2000)) if chr(code).isprintable()]
    names = [*NAMES, *letters]
    assert in_node(program, names) == [plain_name(name) for name in names]
