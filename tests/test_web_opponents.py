"""What the server lends to opponents in the page: evolved players, other engines, clocks, static scores."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

import pytest
from web_pages import finished

from kr.engine.limits import Limits
from kr.errors import KrError
from kr.evaluation.kinds import load_evaluation
from kr.game.position import Position
from kr.players.registry import player_from_spec
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.services import port
from kr.web.services.engines import champion_spec, shipped_generations
from kr.web.settings import WebSettings

START = Position()
KR_HUB = f"hub:{sys.executable} -m kr hub --weights material --hash 1MB --egdb none"


def at_home(told: Callable[[House], Awaitable[None]], **settings: Any) -> None:
    """Run a story with the House of a server."""

    async def run() -> None:
        house = House(WebSettings(browser=False, weights="material", egdb="none", hash=1 << 20, **settings))
        try:
            await told(house)
        finally:
            house.close()

    finished(run())


async def last(house: House, limits: Any = None, **asked: Any) -> dict[str, Any]:
    """The last event of a search."""
    request = PageRequest({"searches": [{"positions": [[*START.bits]], "limits": limits or {}}], **asked})
    async with aclosing(port.search(house, request, asyncio.Queue())) as events:
        async for event in events:
            if event.get("final"):
                return dict(event)
    raise AssertionError("no result")


@pytest.mark.slow
def test_an_evolved_player_is_lent() -> None:
    generation = shipped_generations()[1]
    expected = player_from_spec(champion_spec(generation)).search(START, Limits(), ())

    async def told(house: House) -> None:
        for _ in range(2):
            found = await last(house, generation=generation)
            assert [line["moves"][0]["path"] for line in found["lines"]] == [expected.move.path]
            assert (found["lines"][0]["score"], found["depth"]) == (expected.score, expected.depth)
        assert house.engines.champion(generation).idle == 1
        assert port.data_file(house, "levels")["generations"] == shipped_generations()
        for bad in (123_456, -1, "x", 1 << 40):
            with pytest.raises(KrError, match="generation"):
                await last(house, generation=bad)

    at_home(told)


@pytest.mark.slow
def test_the_clock_of_a_game_limits_a_search() -> None:
    async def told(house: House) -> None:
        for engine in (0, 1):
            found = await last(house, engine=engine, limits={"left": 1.5, "increment": 0.05, "moves": 10})
            assert 0.05 < found["seconds"] < 1.3
            assert found["lines"][0]["moves"]
        for bad in ({"left": "1"}, {"left": 1, "increment": -1}, {"left": 1, "moves": 0}, {"left": 1e300}):
            with pytest.raises(KrError):
                await last(house, limits=bad)

    at_home(told, engines=(KR_HUB,))


def test_static_scores_come_together() -> None:
    positions = [START, START.play("11-15"), Position.from_fen("B:WK31:B1,2")]

    async def told(house: House) -> None:
        scores = port.scores(house, PageRequest({"positions": [[*each.bits] for each in positions]}))["scores"]
        assert scores == [load_evaluation("material").score(each) for each in positions]

    at_home(told)
