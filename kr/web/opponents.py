"""Opponents in the browser: a level of kr, the policy of what people play, a champion that evolved, or another person
at the same board.

At full strength it is the engine of the server, lent for each search; all others have little that is their own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from kr.book.book import OpeningBook
from kr.engine.engine import Engine
from kr.engine.limits import Limits, TimeControl
from kr.engine.result import SearchResult
from kr.engine.search import Stop
from kr.errors import InvalidSettingError
from kr.evaluation.chances import Chances
from kr.evaluation.evolved import EVOLVED_PREFIX, load_runs
from kr.evaluation.kinds import SHIPPED
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.play.setup import HUMAN, SPEC_TAGS
from kr.players.level_figures import LEVEL_FIGURES, fifth
from kr.players.levels import LEVELS, Level, level_numbered
from kr.players.own import EnginePlayer, book_reply
from kr.players.player import Player, Reply
from kr.players.policy import PolicyPlayer
from kr.players.registry import player_from_spec
from kr.policy.policy import load_policy
from kr.units import format_count
from kr.web.house import House
from kr.web.request import PageRequest

LEVEL_HASH_MB = 0.5
"""Hash table of a level below full strength, which searches 25,000 nodes at most."""
_SPEC = re.compile(r"shipped,level=(\d{1,2}),seed=(\d{1,18})")
_PEOPLE = re.compile(r"policy:shipped,temperature=1,seed=(\d{1,18})")
PEOPLE = 0
"""In place of a level: the shipped policy, which plays what people play, and searches nothing."""
_EVOLVED = re.compile(r"evolved:shipped,generation=(\d{1,6})")
HINT_LINES = 2
"""Lines of a hint: the move, and the best alternative."""
LONGEST_CLOCK = 24 * 3600.0
"""Seconds for a game, and seconds for each move."""
MOST_GENERATION = 999_999
AT_ONE_BOARD = 2
"""People who play each other at one board."""


def levels(house: House, request: PageRequest) -> dict[str, Any]:
    """The levels, and people, with a line on each; the generations of the evolved players.

    A level also has its Elo above level 1 with the error, and the fifth of the players of recorded games that lose as
    much by a move: 1 for the weakest, 5 for the strongest.
    """
    edges = house.policy.shape.strengths
    people = {"number": PEOPLE, "words": "plays what people are likely to play, without a search"}
    opponents: list[dict[str, Any]] = [people]
    for level in LEVELS:
        figures = LEVEL_FIGURES[level.number]
        measured = {"elo": figures.elo, "elo_error": figures.error, "fifth": fifth(figures.loss, edges)}
        opponents.append({"number": level.number, "words": _words(level), **measured})
    return {"levels": opponents, "generations": shipped_generations()}


def opponent_from_request(request: PageRequest) -> dict[str, Any]:
    """Opponent of a request, as settings of PlaySettings: `level`, `weights`, or `black` and `white` for two people at
    one board. Raises InvalidSettingError."""
    if request.has("people"):
        request.number("people", AT_ONE_BOARD, AT_ONE_BOARD)
        return {"black": HUMAN, "white": HUMAN}
    if champion := _champion(request):
        return {"weights": champion}
    level = request.number("level", PEOPLE, len(LEVELS))
    return {"weights": "policy:shipped,temperature=1"} if level == PEOPLE else {"level": level}


@cache
def shipped_generations() -> list[int]:
    """Generations whose champions come with kr."""
    return [int(generation) for generation in load_runs(SHIPPED)[0].generations]


def clock_from_text(text: str) -> TimeControl | None:
    """A clock; None without. Raises InvalidSettingError."""
    if not text:
        return None
    control = TimeControl.parse(text)
    if control.longest + control.inc + control.delay > LONGEST_CLOCK:
        raise InvalidSettingError(f"the clock {text} is longer than a day")
    return control


def _champion(request: PageRequest) -> str:
    """The player's text of the champion that a page asks for; "" if none. Raises InvalidSettingError for one that does
    not come with kr."""
    if not request.has("generation"):
        return ""
    generation = request.number("generation", 0, MOST_GENERATION)
    return f"{EVOLVED_PREFIX}{SHIPPED},generation={load_runs(SHIPPED)[0].champion(generation).generation}"


def _words(level: Level) -> str:
    if level.full:
        return "full strength"
    missed = f" and overlooks {100 * level.overlook:.3g}% of the moves" if level.overlook else ""
    return f"looks at {format_count(level.nodes or 0)} positions a move{missed}, and chooses among what people play"


def seats_of(headers: Mapping[str, str]) -> tuple[Side | None, dict[str, int]]:
    """The person's side, and the `level` of the other, PEOPLE or the `generation` of an evolved player. Of two people
    at one board, None and the number of `people`. Raises InvalidSettingError if it is not such a game."""
    specs = [headers.get(tag, "") for tag in SPEC_TAGS]
    if specs == [HUMAN, HUMAN]:
        return None, {"people": AT_ONE_BOARD}
    for side in Side:
        if specs[side] != HUMAN:
            continue
        if match := _SPEC.fullmatch(specs[side.other]):
            return side, {"level": int(match[1])}
        if _PEOPLE.fullmatch(specs[side.other]):
            return side, {"level": PEOPLE}
        if match := _EVOLVED.fullmatch(specs[side.other]):
            return side, {"generation": int(match[1])}
    raise InvalidSettingError("that is not a game of two people, or of a person against a level of kr")


class LentEngine:
    """The engine that is lent for a search. As it is, it gives hints: with the best alternative as a second line."""

    engine: Engine
    hint: SearchResult
    """The last hint."""

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position], *, stop: Stop | None
    ) -> SearchResult:
        self.hint = self.engine.search(position, limits, history, multipv=HINT_LINES, stop=stop)
        return self.hint

    def chances(self, score: int, value: Value | None) -> Chances:
        return self.engine.chances(score, value)


class _FullStrength:
    """kr's full strength as a player, by the engine that is lent, and its book. seed: of its choice in the book."""

    name = signature = "kr"
    version = ""

    def __init__(self, lent: LentEngine, spec: str, book: OpeningBook | None, seed: int) -> None:
        self._lent, self.source, self._book, self._seed = lent, spec, book, seed

    def new_game(self) -> None:
        """The engine has searched for others anyway."""

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        if self._book and (reply := book_reply(self._book, position, history, self._seed)):
            return reply
        began = time.perf_counter()
        result = self._lent.engine.search(position, limits, history, stop=stop)
        return Reply(result.move, result.score, result.depth, result.nodes, time.perf_counter() - began)

    def close(self) -> None:
        """The engine goes back by itself."""


def opponent_from_spec(house: House, lent: LentEngine, spec: str) -> Player:
    """kr at a level, the shipped policy, or a shipped champion. Raises InvalidSettingError for any other player."""
    if match := _PEOPLE.fullmatch(spec):
        return PolicyPlayer(load_policy(), temperature=1.0, seed=int(match[1]))
    if _EVOLVED.fullmatch(spec):
        return player_from_spec(spec)
    match = _SPEC.fullmatch(spec)
    if not match:
        raise InvalidSettingError(f"{spec[:40]!r} is not a level of kr")
    level, seed = level_numbered(int(match[1])), int(match[2])
    if level.full:
        return _FullStrength(lent, spec, house.book, seed)
    return EnginePlayer(
        house.settings.weights,
        LEVEL_HASH_MB,
        house.database,
        level=level,
        seed=seed,
        policy=load_policy(),
        book=house.book,
    )
