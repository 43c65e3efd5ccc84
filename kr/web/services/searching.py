"""Searches under way for a page: kr's own, and those of other programs, with one interface."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Any

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import Info, SearchOutcome, SearchResult
from kr.engine.search import Search, Stop
from kr.errors import ProtocolError
from kr.game.position import Position
from kr.players.player import Player
from kr.protocols.hub_client import HubClient, read_info
from kr.threads import start_all
from kr.web.services.engines import Loan, give_way

UPDATES = 20
"""Events a second of one search."""
BEAT_SECONDS = 0.5
"""Time without news after which a page gets the progress."""


@dataclass(frozen=True)
class Question:
    """A position that a page wants searched, and how."""

    position: Position
    history: tuple[Position, ...]
    limits: Limits
    lines: int
    fresh: bool = False
    """Forget everything first."""
    watched: bool = True
    """Tell of it before its end."""


class OwnSearch:
    """A search of kr in its own thread. `stop` also ends the loan, once the search has ended.

    `news` is set whenever there are new lines, and at the end, when `outcome` is known.
    """

    def __init__(self, question: Question, loan: Loan[Any], engine: Engine) -> None:
        self.outcome: SearchOutcome | None = None
        self.news = asyncio.Event()
        self.name, self.hash_mb = f"kr ({engine.name})", engine.hash_mb
        self._loan, self._engine = loan, engine
        self._bell = bell_of(self.news)
        self._polite = self._left = False
        self._coming: list[Info] = []
        self._lines: list[Info] = []
        self._search: Search = engine.start(
            question.position, question.limits, question.history, self._heard, question.lines, on_end=self._ended
        )

    def _heard(self, info: Info) -> None:
        if not self._polite:
            give_way()
            self._polite = True
        self._coming.append(info)
        if len(self._coming) == info.lines:
            self._lines, self._coming = self._coming, []
            self._bell()

    def _ended(self, outcome: SearchOutcome) -> None:
        if isinstance(outcome, SearchResult):
            self._lines = list(outcome.lines)
        self.outcome = outcome
        if self._left:
            self._loan.end()
        self._bell()

    def lines(self) -> list[Info]:
        """The newest lines, best first; empty before the first."""
        return self._lines

    def progress(self) -> dict[str, Any] | None:
        """Depth, nodes and seconds so far; None once it has ended."""
        now = self._search.progress()
        return None if now is None else {"depth": now.depth, "nodes": now.nodes, "seconds": now.time}

    def stop(self) -> None:
        """End the search, if it has not ended, and the loan."""
        self._loan.ending = self._left = True
        self._search.stop()
        # whichever thread comes second sees what the other has set
        if self.outcome is not None:
            self._loan.end()


class ThreadSearch:
    """A search in a thread of its own, with the interface of OwnSearch. `stop` also ends the loan."""

    def __init__(self, question: Question, loan: Loan[Any], name: str) -> None:
        self.outcome: SearchOutcome | None = None
        self.news = asyncio.Event()
        self.name, self.hash_mb = name, None
        self._question, self._loan = question, loan
        self._bell = bell_of(self.news)
        self._stop = Stop()
        self._left = False
        self._began = time.monotonic()
        start_all([Thread(target=self._run, name="search", daemon=True)], lambda: None)

    def _run(self) -> None:
        outcome: SearchOutcome
        try:
            outcome = self._find()
        except BaseException as error:
            outcome = error
            # nothing is known about the state of a program that has failed
            self._loan.broken = isinstance(error, ProtocolError)
        self.outcome = outcome
        if self._left:
            self._loan.end()
        self._bell()

    def _find(self) -> SearchResult:
        raise NotImplementedError

    def lines(self) -> list[Info]:
        """The newest lines, best first; empty before the first."""
        if not isinstance(self.outcome, SearchResult):
            return []
        result = self.outcome
        return [Info(result.depth, result.score, result.nodes, result.time, result.pv)]

    def progress(self) -> dict[str, Any]:
        """The time that the search has taken by now."""
        return {"seconds": round(time.monotonic() - self._began, 3)}

    def stop(self) -> None:
        """Tell the engine to end its search, and end the loan."""
        self._loan.ending = self._left = True
        self._stop.set()
        if self.outcome is not None:
            self._loan.end()


class HubSearch(ThreadSearch):
    """A search of another program's engine."""

    def __init__(self, question: Question, loan: Loan[Any], client: HubClient) -> None:
        self._client = client
        self._infos: dict[str, Mapping[str, str]] = {}
        super().__init__(question, loan, f"{client.name} {client.version}".strip())

    def _find(self) -> SearchResult:
        question = self._question
        return self._client.search(
            question.position, question.limits, question.history, self._stop, self._hear, question.lines
        )

    def _hear(self, args: Mapping[str, str]) -> None:
        rank = args.get("multipv", "1")
        if rank.isdecimal() and 1 <= int(rank[:4]) <= self._question.lines:
            self._infos[rank] = args
            self._bell()

    def lines(self) -> list[Info]:
        """The newest lines as far as they can be read, best first."""
        infos = (read_info(args, self._question.position) for args in tuple(self._infos.values()))
        lines = sorted((info for info in infos if info is not None and info.pv), key=lambda info: info.multipv)
        # an engine may report nothing but its move
        return lines or super().lines()


class ChampionSearch(ThreadSearch):
    """The choice of a player that evolved, which needs the place of an engine and not the engine itself."""

    def __init__(self, question: Question, loan: Loan[Any], champion: Player) -> None:
        self._champion = champion
        super().__init__(question, loan, champion.name)

    def _find(self) -> SearchResult:
        give_way()
        question = self._question
        reply = self._champion.search(question.position, question.limits, question.history, self._stop)
        return SearchResult(reply.move, reply.score, reply.depth, reply.nodes, reply.time, (reply.move,), ())


def bell_of(news: asyncio.Event) -> Callable[[], None]:
    """A function for other threads that sets an event of this one."""
    loop = asyncio.get_running_loop()

    def ring() -> None:
        # news that have not been taken need no second bell
        if not news.is_set():
            # the server may have ended
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(news.set)

    return ring
