"""Matches of engines in the browser: watched move by move, stopped and resumed, with the Elo of the games so far.

    {"do": "match", "a": "level:5", "b": "level:4", "games": 20, "tc": "0.1s", "ballot": "3move"}      a new match
    {"do": "match", "match": "20261122-224501-9f86d081884c7d659a2f", "resume": true}                   one begun before

ballot: "" for the start, a deck, or a FEN. The keys of the players are those of `contenders.py`. A match runs in a
thread of its own, which gives way to whatever answers pages, and goes on without viewers. Its games go to a PDN file
with a log, as those of `kr match --pdn` do; a stopped match resumes from them, and plays the game that was cut off
again. The stream sends

    {"match": {"id", "settings", "names": [A, B], "state": "running", "stopped", "done" or "failed", "why"}}
    {"games": [{"number", "black": "a" or "b", "opening", "points", "reason", "plies"}, ...], "score": {...}}
        finished games since the event before; points: half points of A
    {"game": {"number", "black", "opening", "start", "nodes": [...]}}     a game that begins, with its moves so far
    {"moves": [...], "clocks": [left, left] or null, "ticking": side or null}      moves since the event before

as things change, MATCH_UPDATES times a second at most, and ends when the match is done. It takes {"do": "stop"}, {"do":
"resume"} and {"do": "pace", "seconds": 0.5}, the least time of a move while somebody watches.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from kr.errors import InvalidSettingError, KrError
from kr.jobs.journal import begun_settings
from kr.language.sentences import Told, as_json, sentence
from kr.match.log import log_of
from kr.storage import open_regular
from kr.web.house import House
from kr.web.live import Budget, Inbox, error_told
from kr.web.matches.contenders import contenders
from kr.web.matches.files import new_path, path_of
from kr.web.matches.live_match import DONE, LONGEST_PACE, MOST_GAMES_OF_A_MATCH, RUNNING, LiveMatch, MatchPlan, Seen
from kr.web.request import PageRequest
from kr.web.services.searching import bell_of

MOST_RUNNING = 3
"""Matches under way on one server."""
MATCH_UPDATES = 20
"""Events a second."""
MOST_MATCH_TEXT = 8 << 20
"""Bytes of the PDN of a match that a page gets."""
MATCH_RATE, MATCH_BURST = 0.2, 30.0
"""Matches a second that are begun or resumed, for long and at once."""


class Matches:
    """The matches of a server that are under way or watched. Its methods are called in one thread at a time."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._budget = Budget(MATCH_RATE, MATCH_BURST)
        self._matches: dict[str, LiveMatch] = {}
        house.on_close(self.close)

    def begin(self, request: PageRequest) -> LiveMatch:
        """Begin a match. Raises KrError, OSError."""
        plan = MatchPlan.of(self.house, request)
        self._make_room()
        path = new_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        match = self._matches[path.stem] = LiveMatch(path.stem, plan, self.house)
        match.start()
        return match

    def find(self, id: str) -> LiveMatch:
        """A match by its id. Raises InvalidSettingError, InvalidGamesError, OSError."""
        log = log_of(path_of(id))
        if match := self._matches.get(id):
            return match
        settings = begun_settings(log) if log.is_file() else None
        if settings is None:
            raise InvalidSettingError(sentence("refused.match_gone"))
        try:
            match = LiveMatch(id, MatchPlan(**settings["web"]), self.house)
        except (LookupError, TypeError, ValueError):
            raise InvalidSettingError(sentence("refused.player_gone")) from None
        match.load()
        self._matches[id] = match
        return match

    def resume(self, match: LiveMatch) -> None:
        """Have a match play on. Raises InvalidSettingError if too many are."""
        if match.state not in (RUNNING, DONE):
            self._make_room()
            match.start()

    def leave(self, match: LiveMatch) -> None:
        """Forget a match that is neither played nor watched."""
        if not match.bells and match.state != RUNNING and self._matches.get(match.id) is match:
            del self._matches[match.id]

    def close(self) -> None:
        """Stop all matches."""
        for match in self._matches.values():
            match.close()
        for match in self._matches.values():
            match.join()

    def _make_room(self) -> None:
        if not self._budget.take():
            raise InvalidSettingError(sentence("refused.many_matches"))
        running = [match for match in self._matches.values() if match.state == RUNNING]
        if len(running) < MOST_RUNNING:
            return
        unwatched = [match for match in running if not match.bells]
        if not unwatched:
            raise InvalidSettingError(sentence("refused.running", count=MOST_RUNNING))
        min(unwatched, key=lambda match: match.last_watched).stop()


_MATCHES: WeakKeyDictionary[House, Matches] = WeakKeyDictionary()
_FINDING: WeakKeyDictionary[House, asyncio.Lock] = WeakKeyDictionary()


def matches_of(house: House) -> Matches:
    """The matches of a server."""
    if house not in _MATCHES:
        _MATCHES[house] = Matches(house)
    return _MATCHES[house]


async def _in_turn(house: House, work: Any, *args: Any) -> Any:
    """Result of work on the matches of a server, in a thread: files are read."""
    async with _FINDING.setdefault(house, asyncio.Lock()):
        return await asyncio.to_thread(work, *args)


# --- requests of a page


async def watch_match(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[Mapping[str, Any], None]:
    """A match, new or begun before."""
    matches = matches_of(house)
    match: LiveMatch
    if request.has("match"):
        match = await _in_turn(house, matches.find, request.text("match", 40))
    else:
        match = await _in_turn(house, matches.begin, request)
    bell, seen = asyncio.Event(), Seen()
    ring = bell_of(bell)
    wrong: list[Told] = []

    async def hear() -> None:
        while True:
            message = await inbox.get()
            try:
                await _in_turn(house, _obey, matches, match, message)
            except (KrError, OSError) as error:
                wrong.append(error_told(error))
                ring()

    match.bells.add(ring)
    hearing = asyncio.create_task(hear())
    try:
        if request.flag("resume"):
            await _in_turn(house, matches.resume, match)
        while True:
            bell.clear()
            is_done = match.state == DONE
            for event in match.news(seen):
                yield event
            while wrong:
                yield {"say": as_json(wrong.pop(0))}
            if is_done:
                return
            await bell.wait()
            await asyncio.sleep(1 / MATCH_UPDATES)
    finally:
        hearing.cancel()
        match.bells.discard(ring)
        match.last_watched = time.monotonic()
        matches.leave(match)


def _obey(matches: Matches, match: LiveMatch, message: PageRequest) -> None:
    do = message.choice("do", ("stop", "resume", "pace"))
    if do == "stop":
        match.stop()
    elif do == "resume":
        matches.resume(match)
    else:
        match.pace = message.fraction("seconds", 0.0, LONGEST_PACE)


def list_contenders(house: House, request: PageRequest) -> dict[str, Any]:
    """The players that a match can be between."""
    return {"players": contenders(house)}


async def show_match_game(house: House, request: PageRequest) -> dict[str, Any]:
    """A finished game of a match as a document."""
    matches = matches_of(house)
    number = request.number("number", 0, MOST_GAMES_OF_A_MATCH - 1)
    match: LiveMatch = await _in_turn(house, matches.find, request.text("match", 40))
    try:
        return {"document": await asyncio.to_thread(match.document, number)}
    finally:
        matches.leave(match)


def save_match(house: House, request: PageRequest) -> dict[str, Any]:
    """All finished games of a match as PDN."""
    path = path_of(request.text("match", 40))
    if not path.is_file():
        raise InvalidSettingError(sentence("refused.no_match_game"))
    with open_regular(path) as file:
        return {"pdn": file.read(MOST_MATCH_TEXT).decode("utf-8", "replace")}


ROUTES: dict[str, Any] = {"match/players": list_contenders, "match/game": show_match_game, "match/pdn": save_match}
LIVE: dict[str, Any] = {"match": watch_match}
