"""The rules, texts and limits of the page without a server, against those of kr."""

import random
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page import Page, server_answer, web_house

from kr.game.position import Position
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
        answer, expected = page.ask("send/gif", asked), server_answer(house, "send/gif", asked)
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
