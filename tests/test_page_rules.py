"""The rules, texts and limits of the page without a server, against those of kr."""

import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page import Page, server_answer, web_house
from test_page_openings import in_node

from kr.engine.limits import Limits, TimeControl
from kr.errors import KrError
from kr.game.position import Position
from kr.pdn import Game
from kr.text import plain_name
from kr.units import parse_count, parse_duration
from kr.web.house import House

BLANKS = [each for each in map(chr, range(sys.maxunicode)) if each.isspace()] + list("\ufeff\u180e\u200b\x00")
"""Python's, and characters that others take for blanks."""
FENS = [
    "_W_:_W21,_K30_:B1,2_._", '_[_FEN_"_W:W21:B1"_]_', "FEN_:_W:W21:B1", "FEN_W:W21:B1", "FEN=_W:W21:B1_", "W:W2_1:B1",
    "W:W21__22:B1,2", "_B:W_", "_", "_b:w1_:\U0001f600_",
]  # fmt: skip
"""A blank goes in place of each underscore."""
BAD_FENS = [
    "\U0001f600", "W:\U0001f600:B1", "W:W1:\U0001f6001", "W:\U0001f600a1:B1", "W:W1:\U0001f600x,Ka1,b", "W:Wa1:B1:xa3",
    "W:W1:B1:H0:\U0001f600c3", "W:a1:Kb2,c3", "W:xKa1,b:B", "W:W1,\U0001f600:B2", "W:\u00df:B1", "\ufb00:W1:B2",
]  # fmt: skip


@pytest.fixture(scope="module")
def house() -> House:
    return web_house()


def played(seed: int, games: int) -> list[str]:
    """All positions of some random games."""
    source, fens = random.Random(seed), []
    for _ in range(games):
        position = Position()
        while moves := position.legal_moves():
            fens.append(position.fen)
            position = position.play(source.choice(moves))
        fens.append(position.fen)
    return fens


@pytest.mark.parametrize("seed", range(4))
def test_legal_moves(page: Page, house: House, seed: int) -> None:
    for fen in played(seed, 6):
        asked = {"fen": fen}
        expected = server_answer(house, "position", asked)
        # its name comes with its line
        del expected["opening"]
        assert page.ask("position", asked) == expected


def position_of(page: Page, house: House, fen: str) -> Any:
    """What both read of a FEN, or say that it is wrong."""
    answer, expected = page.ask("position", {"fen": fen}), server_answer(house, "position", {"fen": fen})
    expected.pop("opening", None)
    assert answer == expected
    return answer


@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_blanks_in_fens_and_moves(page: Page, house: House, blank: str) -> None:
    answers = [position_of(page, house, fen.replace("_", blank)) for fen in FENS]
    assert ("fen" in answers[0]) == blank.isspace()
    for move in ("_11_-_20_", "11_20", "11-_20_-33", "_"):
        asked = {"start": Position().fen, "moves": [move.replace("_", blank)]}
        answer, expected = page.ask("openings/names", asked), server_answer(house, "openings/names", asked)
        assert answer == expected
        if blank.isspace() and move == "_11_-_20_":
            assert answer["error"].startswith("11-20 is not legal")


@pytest.mark.parametrize("fen", BAD_FENS)
def test_bad_fens(page: Page, house: House, fen: str) -> None:
    assert position_of(page, house, fen)["error"].startswith(f"FEN {fen!r}: ")


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from([*"BWKHF:::,,.-/[]()\"'\u201c\u00ab1290abch \x1c\x85\ufeff\U0001f600", "FEN", "W:", "B1"]))
)
def test_texts_that_are_nearly_fens(page: Page, house: House, parts: list[str]) -> None:
    position_of(page, house, "".join(parts))
    position_of(page, house, f"W:W{''.join(parts)}:B1")


class Reading(NamedTuple):
    """How texts are read: by kr, and by functions of modules of the page."""

    by_kr: Callable[[str], Any]
    by_page: str
    """The last line of a program in JavaScript: it reads `text`."""
    texts: tuple[str, ...]
    """A blank goes in place of each underscore."""


def limits_of(text: str) -> dict[str, float]:
    """The limits that a text sets, as the page has them."""
    limits = Limits.parse(text)
    values = {"seconds": limits.time, "nodes": limits.nodes, "depth": limits.depth}
    return {name: value for name, value in values.items() if value is not None}


def without_time(comment: str) -> list[str]:
    """Other comments of a move than its time."""
    node = Game().add_main_variation("11-15")
    node.comments = [comment]
    node.set_emt(None)
    return node.comments


READINGS = {
    "limits": Reading(
        limits_of,
        'return (await load("limits")).parseLimits(text)',
        ("_nodes=2000_", "0.3_s_,_depth=8", "nodes=_2_k_", "nodes_=5", "_"),
    ),
    "duration": Reading(
        parse_duration, 'return (await load("durations")).parseDuration(text)', ("_20_ms_", "_5_", "2_0s", "_")
    ),
    "count": Reading(
        parse_count, 'return Number((await load("durations")).parseCount(text))', ("_300_k_", "_1e3_", "1_000", "_")
    ),
    "clock": Reading(
        lambda text: str(TimeControl.parse(text)),
        'return String((await load("play/clock")).TimeControl.parse(text))',
        ("_5_+_3_", "_G_/_45_;_d_5_", "40_/30_m_", "_40/2h_:_1h_", "45m_d_/_5_s", "2m_,_3m", "_1:30_", "5_0+3", "_"),
    ),
    "comment": Reading(
        without_time,
        """const {Game} = await load("pdn/tree"), node = new Game().addVariation("11-15");
           node.comments = [text];
           node.setEmt(null);
           return node.comments""",
        ("_[%emt_3]_", "_a_[%emt 0:03_]_b_", "[%emt 3]"),
    ),
    "name": Reading(
        plain_name, 'return (await load("names")).plainName(text)', ("_Ann__O\u2019Neil_", "\u00dc_b_", "_")
    ),
}


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("name", READINGS)
def test_blanks_in_other_texts(name: str) -> None:
    by_kr, by_page, forms = READINGS[name]
    texts = [form.replace("_", blank) for form in forms for blank in ("", *BLANKS)]

    def read(text: str) -> Any:
        try:
            return by_kr(text)
        except KrError:
            return "refused"

    program = f"""
        const {{KrError}} = await load("text");
        const read = async text => {{ {by_page}; }};
        const refused = error => {{
          if (error instanceof KrError) return "refused";
          throw error;
        }};
        return Promise.all(given.map(text => read(text).catch(refused)));
    """
    answers = dict(zip(texts, in_node(program, texts), strict=True))
    assert answers == {text: read(text) for text in texts}
