"""Searches under way for a page: of kr, of other programs, of players that evolved."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
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
from kr.web.services.engines import BACKGROUND_NICENESS, SEARCH_NICENESS, Loan, give_way


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
    background: bool = False
    """Let the searches of others go first."""


class RunningSearch(ABC):
    """A search by a tool that is lent.

    `news` is set whenever there are new lines, if somebody watches, and at the end, when `outcome` is known.
    """

    def __init__(self, question: Question, loan: Loan[Any], name: str, hash_mb: float | None = None) -> None:
        self.outcome: SearchOutcome | None = None
        self.news = asyncio.Event()
        self.name, self.hash_mb = name, hash_mb
        self._loan = loan
        self._bell = bell_of(self.news)
        self._question = question
        self._is_left = False

    def stop(self) -> None:
        """End the search, if it has not ended, and then the loan."""
        self._loan.ending = self._is_left = True
        self._halt()
        # whichever thread comes second sees what the other has set
        if self.outcome is not None:
            self._loan.end()

    def _lines_changed(self) -> None:
        # each bell wakes the thread that serves all pages
        if self._question.watched:
            self._bell()

    def _ended(self, outcome: SearchOutcome) -> None:
        self.outcome = outcome
        if self._is_left:
            self._loan.end()
        self._bell()

    @abstractmethod
    def lines(self) -> list[Info]:
        """The newest lines, best first; empty before the first."""

    @abstractmethod
    def progress(self) -> dict[str, Any] | None:
        """Seconds so far, and depth and nodes if they are known; None once it has ended."""

    @abstractmethod
    def _halt(self) -> None:
        """Tell the tool to end the search."""


class OwnSearch(RunningSearch):
    """A search of kr, in a thread of the engine."""

    def __init__(self, question: Question, loan: Loan[Any], engine: Engine) -> None:
        super().__init__(question, loan, f"kr ({engine.name})", engine.hash_mb)
        self._is_polite = False
        self._coming: list[Info] = []
        self._lines: list[Info] = []
        self._search: Search = engine.start(
            question.position, question.limits, question.history, self._heard, question.lines, on_end=self._ended
        )

    def _heard(self, info: Info) -> None:
        if not self._is_polite:
            give_way(BACKGROUND_NICENESS if self._question.background else SEARCH_NICENESS)
            self._is_polite = True
        self._coming.append(info)
        if len(self._coming) == info.lines:
            self._lines, self._coming = self._coming, []
            self._lines_changed()

    def lines(self) -> list[Info]:
        return list(self.outcome.lines) if isinstance(self.outcome, SearchResult) else self._lines

    def progress(self) -> dict[str, Any] | None:
        now = self._search.progress()
        return None if now is None else {"depth": now.depth, "nodes": now.nodes, "seconds": now.time}

    def _halt(self) -> None:
        self._search.stop()


class ThreadSearch(RunningSearch):
    """A search in a thread of its own. find: takes the stop."""

    def __init__(self, question: Question, loan: Loan[Any], name: str, find: Callable[[Stop], SearchResult]) -> None:
        super().__init__(question, loan, name)
        self._find, self._stop = find, Stop()
        self._began = time.monotonic()
        start_all([Thread(target=self._run, name="search", daemon=True)], lambda: None)

    def _run(self) -> None:
        outcome: SearchOutcome
        try:
            outcome = self._find(self._stop)
        except BaseException as error:
            outcome = error
            # nothing is known about the state of a program that has failed
            self._loan.broken = isinstance(error, ProtocolError)
        self._ended(outcome)

    def lines(self) -> list[Info]:
        if not isinstance(self.outcome, SearchResult):
            return []
        result = self.outcome
        return [Info(result.depth, result.score, result.nodes, result.time, result.pv)]

    def progress(self) -> dict[str, Any]:
        return {"seconds": round(time.monotonic() - self._began, 3)}

    def _halt(self) -> None:
        self._stop.set()


class HubSearch(ThreadSearch):
    """A search of another program's engine."""

    def __init__(self, question: Question, loan: Loan[Any], client: HubClient) -> None:
        self._infos: dict[str, Mapping[str, str]] = {}
        find = partial(
            client.search, question.position, question.limits, question.history, on_line=self._hear,
            multipv=question.lines,
        )  # fmt: skip
        super().__init__(question, loan, f"{client.name} {client.version}".strip(), find)

    def _hear(self, args: Mapping[str, str]) -> None:
        rank = args.get("multipv", "1")
        if rank.isdecimal() and 1 <= int(rank[:4]) <= self._question.lines:
            self._infos[rank] = args
            self._lines_changed()

    def lines(self) -> list[Info]:
        # as far as they can be read
        infos = (read_info(args, self._question.position) for args in tuple(self._infos.values()))
        lines = sorted((info for info in infos if info is not None and info.pv), key=lambda info: info.multipv)
        # an engine may report nothing but its move
        return lines or super().lines()


def champion_search(question: Question, loan: Loan[Any], champion: Player) -> ThreadSearch:
    """The choice of a player that evolved, which needs the place of an engine and not the engine itself."""

    def find(stop: Stop) -> SearchResult:
        give_way()
        reply = champion.search(question.position, question.limits, question.history, stop)
        return SearchResult(reply.move, reply.score, reply.depth, reply.nodes, reply.time, (reply.move,), ())

    return ThreadSearch(question, loan, champion.name, find)


def begin_search(question: Question, loan: Loan[Any], tool: Any) -> RunningSearch:
    """Search by the tool of a loan: an engine of kr, another program, or a player that evolved."""
    if isinstance(tool, Engine):
        return OwnSearch(question, loan, tool)
    return (HubSearch if isinstance(tool, HubClient) else champion_search)(question, loan, tool)


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
