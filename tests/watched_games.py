"""Games of kr web for tests, without a browser: a page that watches one through its stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from web_pages import finished

from kr.web import playing
from kr.web.house import House
from kr.web.request import PageRequest
from kr.web.settings import WebSettings


class Page:
    """A page that watches a game through its stream, and keeps what a real one keeps."""

    def __init__(self, stream: Any, inbox: asyncio.Queue[PageRequest]) -> None:
        self.stream, self.inbox = stream, inbox
        self.events: list[dict[str, Any]] = []
        self.game: dict[str, Any] = {}
        self.state: dict[str, Any] = {}

    def say(self, do: str, **others: Any) -> None:
        self.inbox.put_nowait(PageRequest({"do": do, **others}))

    def move(self, path: list[int]) -> None:
        self.say("move", ply=self.state["ply"], path=path)

    async def hear(self, *kinds: str) -> dict[str, Any]:
        """Wait for an event of one of these kinds, or the next one without any."""
        while True:
            event = await asyncio.wait_for(anext(self.stream), 60)
            self.events.append(event)
            self.game = event.get("game", self.game)
            self.state = event.get("state", self.state)
            if not kinds or any(kind in event for kind in kinds):
                return event

    async def turn(self) -> dict[str, Any]:
        """Wait until the person is to move, or the game is over."""
        while True:
            event = await self.hear("state", "game")
            if event.get("game", {}).get("over") or event.get("state", {}).get("moves"):
                return event

    @property
    def over(self) -> dict[str, Any] | None:
        return self.game["over"]

    @property
    def line(self) -> list[str]:
        return [node["text"] for node in self.game["document"]["nodes"][1:]]


@asynccontextmanager
async def at_table(house: House, **asked: Any) -> AsyncIterator[Page]:
    inbox: asyncio.Queue[PageRequest] = asyncio.Queue(100)
    stream = playing.play(house, PageRequest(asked), inbox)
    page = Page(stream, inbox)
    try:
        await page.hear("game")
        yield page
    finally:
        await stream.aclose()


def story(told: Callable[[House], Any], **settings: Any) -> None:
    """Run a story on a server's House."""

    async def run() -> None:
        house = House(WebSettings(browser=False, weights="material", egdb="none", **settings))
        try:
            await told(house)
        finally:
            await asyncio.to_thread(house.close)

    finished(run())
