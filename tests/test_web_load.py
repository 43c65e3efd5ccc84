"""Many viewers at once over real connections: each gets its lines, and nothing of those who leave goes on."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from web_pages import finished, serving
from websockets.asyncio.client import ClientConnection, connect

from kr.game.position import Position
from kr.web.live import MOST_STREAMS
from kr.web.serve import WebServer
from kr.web.services.engines import MOST_ENGINES, Lender

START = Position()
SECONDS = 60
"""Patience with a busy machine."""


class Viewer:
    """The connection of a page."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def ask(self, id: int, *positions: Position, lines: int = 1, **limits: Any) -> None:
        asked = {"positions": [each.bits for each in positions or (START,)], "limits": limits, "lines": lines}
        await self.socket.send(json.dumps({"id": id, "do": "search", "searches": [asked]}))

    async def stop(self, id: int) -> None:
        await self.socket.send(json.dumps({"id": id, "stop": True}))

    async def hear(self, id: int, *names: str) -> dict[str, Any]:
        """The next event of a stream that has one of these fields."""
        async with asyncio.timeout(SECONDS):
            while True:
                event: dict[str, Any] = json.loads(await self.socket.recv())
                if event["id"] == id and any(name in event for name in names):
                    return event


@asynccontextmanager
async def viewing(server: WebServer) -> AsyncIterator[Viewer]:
    async with connect(f"ws://127.0.0.1:{server.port}/live", max_queue=None) as socket:
        yield Viewer(socket)


def visited(told: Callable[[WebServer, Lender[Any]], Awaitable[None]]) -> None:
    """Run a story with a server of its own."""
    with serving(weights="material", egdb="none", hash=1 << 20) as server:
        lender = server.house.engines.own

        async def run() -> None:
            await told(server, lender)
            await all_ended(lender)

        finished(run())


async def all_ended(lender: Lender[Any], left: int = 0) -> None:
    async with asyncio.timeout(SECONDS):
        while lender.lent != left:
            await asyncio.sleep(0.001)


@pytest.mark.slow
def test_twenty_viewers_have_their_shares() -> None:
    async def told(server: WebServer, lender: Lender[Any]) -> None:
        async def searched(page: Viewer, begin: float) -> float:
            """Seconds until a viewer's search has seen as many positions as all do."""
            await page.hear(1, "end")
            return time.monotonic() - begin

        async with AsyncExitStack() as stack:
            pages = [await stack.enter_async_context(viewing(server)) for _ in range(20)]
            begin = time.monotonic()
            for page in pages:
                await page.ask(1, lines=2, nodes=500_000)
            await asyncio.gather(*(page.hear(1, "lines") for page in pages))
            seconds = await asyncio.gather(*(searched(page, begin) for page in pages))
            # one after the other, the last would take twice as long as the middle one
            assert max(seconds) < 1.9 * statistics.median(seconds) + 0.5

    visited(told)


def test_a_connection_that_breaks_ends_its_searches() -> None:
    async def told(server: WebServer, lender: Lender[Any]) -> None:
        async with viewing(server) as stays:
            await stays.ask(1)
            await stays.hear(1, "lines")
            for leave in ("close", "abort"):
                async with viewing(server) as page:
                    for id in (1, 2):
                        await page.ask(id)
                        await page.hear(id, "lines")
                    assert lender.lent == 3
                    if leave == "abort":
                        page.socket.transport.abort()
                await all_ended(lender, 1)

    visited(told)


@pytest.mark.slow
def test_who_comes_when_all_engines_are_busy_waits_for_one() -> None:
    async def told(server: WebServer, lender: Lender[Any]) -> None:
        async with AsyncExitStack() as stack:
            pages = [await stack.enter_async_context(viewing(server)) for _ in range(MOST_ENGINES + 2)]
            for page in pages[:MOST_ENGINES]:
                await page.ask(1)
                await page.hear(1, "lines")
            for page in pages[MOST_ENGINES:]:
                await page.ask(1)
                await page.hear(1, "waiting")
            assert lender.lent == MOST_ENGINES
            await pages[0].stop(1)
            await pages[MOST_ENGINES].hear(1, "lines")
            # one who waits may leave as well
            await pages[-1].socket.close()
            await pages[1].stop(1)
            await all_ended(lender, MOST_ENGINES - 1)

    visited(told)


def test_a_page_has_three_searches() -> None:
    async def told(server: WebServer, lender: Lender[Any]) -> None:
        async with viewing(server) as page:
            for id in range(3):
                await page.ask(id)
                await page.hear(id, "lines")
            await page.ask(3)
            refused = await page.hear(3, "error")
            assert refused["error"] == {"say": "refused.searches", "with": {"count": 3}}
            await page.stop(0)
            await page.ask(4)
            await page.hear(4, "lines")
            for id in range(5, MOST_STREAMS + 10):
                await page.ask(id)
                await page.hear(id, "error")
            assert lender.lent == 3

    visited(told)


@pytest.mark.slow
def test_positions_that_are_only_passed_leave_nothing_behind() -> None:
    async def told(server: WebServer, lender: Lender[Any]) -> None:
        async with viewing(server) as page:
            for id in range(60):
                await page.ask(id, *[START, START.play("11-15")][: 1 + id % 2])
                await page.stop(id)
            await page.ask(60, depth=3)
            assert "error" not in await page.hear(60, "end", "error")
            await all_ended(lender)
            assert lender.idle == 1

    visited(told)


@pytest.mark.slow
def test_the_server_answers_while_all_search() -> None:
    async def told(server: WebServer, lender: Lender[Any]) -> None:
        async with AsyncExitStack() as stack:
            for _ in range(6):
                page = await stack.enter_async_context(viewing(server))
                await page.ask(1, lines=10)
                await page.hear(1, "lines")
            asker = await stack.enter_async_context(viewing(server))
            await asker.ask(1, depth=1)
            await asker.hear(1, "end")

    visited(told)
