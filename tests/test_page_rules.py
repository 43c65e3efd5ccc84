"""The rules, texts and limits of the page without a server, against those of kr."""

import random

import pytest
from page import Page, server_answer, web_house

from kr.game.position import Position
from kr.web.house import House


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
