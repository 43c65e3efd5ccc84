"""`kr problem stars`: moves printed with a star, `*`, and whether they are the only ones that keep the value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.cluster.address import cluster_option
from kr.cluster.pools import work_pool
from kr.engine.limits import Limits
from kr.engine.settings import egdb_memory_option, egdb_option, engine_from, hash_option, weights_option
from kr.errors import InvalidPdnError
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.jobs.kinds import Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.pdn import Game, Reader
from kr.players.workers import EngineKind, engine_needs
from kr.problems.soundness_files import check_total
from kr.problems.ways import Way, ways_at
from kr.proofs.decider import Decider
from kr.settings import REQUIRED, Settings, option, workers_option
from kr.threads import worker_count

if TYPE_CHECKING:
    from kr.engine.engine import Engine

STAR = "*"
StarRecord = dict[str, Any]
"""A star as JSON types: game (number in the file, from 1), line and event of the game, ply and number of the move, its
fen, move, and the fields of `StarCheck`."""


class StarVerdict(StrEnum):
    """What a check of a star says."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class StarCheck:
    """Verdict on a star."""

    verdict: StarVerdict
    value: Value | None
    """What the move keeps, if that is proved: WIN or DRAW; LOSS if it loses."""
    reason: str
    others: tuple[Way, ...]
    """The other moves that keep it too, or, of one that is undecided, those that are open."""


@dataclass(frozen=True)
class StarSettings(Settings):
    """Games with stars, and the limits of each star."""

    file: Path = option(REQUIRED, "PDN file, also packed by gzip, xz or bzip2.", metavar="FILE", argument=True)
    tc: Limits = option(
        Limits(time=10.0), "Limit of all searches for a star: 10s, or nodes=5e6, which is repeatable.",
        parse=Limits.parse,
    )  # fmt: skip
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    workers: int = workers_option("Stars checked side by side")
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_total("--tc", self.tc)


def check_star(position: Position, move: Move, decider: Decider) -> StarCheck:
    """Whether a move is the only one that keeps the value of a position, as far as the limits of the decider go."""
    unsettled: list[Way] = []
    not_won = False
    for goal in (Value.WIN, Value.DRAW):
        ways = [way for *_, way in ways_at(decider, position, goal, move)]
        own, others = ways[0], ways[1:]
        if not others:
            return StarCheck(StarVerdict.RIGHT, None, "the only legal move", ())
        keeping = tuple(way for way in others if way.keeps)
        words = "wins" if goal is Value.WIN else "does not lose"
        # of another move that only holds the draw this can't be said before the move itself is known not to win
        if keeping and (goal is Value.WIN or not_won or own.keeps is False):
            told = " too" if own.keeps else f"; {move} does not, by {own.by}" if own.keeps is False else ""
            value = goal if own.keeps else Value.LOSS if own.keeps is False and goal is Value.DRAW else None
            reason = f"{', '.join(map(str, keeping))} {words}{told}"
            return StarCheck(StarVerdict.WRONG, value, reason, keeping)
        if own.keeps and all(way.keeps is False for way in others):
            return StarCheck(StarVerdict.RIGHT, goal, f"the only move that {words}, by {own.by}", ())
        if goal is Value.DRAW and own.keeps is False:
            return StarCheck(StarVerdict.WRONG, Value.LOSS, f"{move} loses, by {own.by}", ())
        not_won = own.keeps is False
        unsettled = unsettled or [way for way in ways if way.keeps is None]
    moves = ", ".join(way.move for way in unsettled)
    return StarCheck(StarVerdict.UNDECIDED, None, f"open: {moves}", tuple(unsettled))


def check_stars(
    settings: StarSettings, on_record: Callable[[StarRecord], None], on_error: Callable[[InvalidPdnError], None]
) -> dict[StarVerdict, int]:
    """Check the stars of a file, main lines and variations; returns the number of each verdict.

    on_record: called with each star, in the order of the file. on_error: called for each game that can't be read.
    Raises InvalidSettingError, InvalidWeightsError, InvalidDatabaseError, and InvalidPdnError without a star.
    """
    engine = engine_from(settings, settings.weights)
    counts = dict.fromkeys(StarVerdict, 0)
    about: dict[str, StarRecord] = {}
    waiting: dict[int, StarRecord] = {}
    following = 0
    needs, places = engine_needs(engine, settings.weights)
    tools = {"hash": settings.hash, "threads": 1, "egdb_memory": settings.egdb_memory}

    def units() -> Iterator[Unit]:
        number = 0
        with Reader(settings.file, on_error=on_error) as reader:
            for count, game in enumerate(reader, 1):
                for place, position, move in _stars(game):
                    about[str(number)] = {"game": count, "line": game.line, "event": game.headers.get("Event", "")} | {
                        **place, "fen": position.fen, "move": str(move),
                    }  # fmt: skip
                    yield Unit(StarChecks.name(), str(number), needs, tools, {
                        "position": position.bits, "limits": str(settings.tc),
                        "move": [move.origin, move.target, move.captured],
                    })  # fmt: skip
                    number += 1
        if not number:
            raise InvalidPdnError(
                f"{settings.file}: no move has a star, such as 18-15* (those within comments are not read)"
            )

    pool = work_pool(StarChecks(), Needs(places), worker_count(settings.workers), [engine], settings.cluster)
    with closing(pool.run(units())) as parts:
        for part in parts:
            waiting[int(part.unit.key)] = about.pop(part.unit.key) | part.value
            while (record := waiting.pop(following, None)) is not None:
                following += 1
                counts[StarVerdict(record["verdict"])] += 1
                on_record(record)
    return counts


def _stars(game: Game) -> Iterator[tuple[StarRecord, Position, Move]]:
    """The moves with a star, each with its place and the position before it."""
    for node in game.descendants():
        if (STAR in node.nags or STAR in map(str.strip, node.comments)) and node.is_legal and node.parent is not None:
            position = node.parent.position
            first = int(game.start.side)
            count = node.ply() - 1 + first
            number = f"{count // 2 + 1}.{'..' * (count % 2)}"
            yield {"ply": node.ply(), "number": number, "variation": not node.is_mainline()}, position, node.move


class StarChecks(EngineKind[StarRecord]):
    """Units of one star; the result is its StarCheck as JSON."""

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Engine, StarRecord]:
        yield [Portion(partial(self._check, unit))]

    def _check(self, unit: Unit, engine: Engine, stop: Stop) -> StarRecord | None:
        values = unit.values
        position = Position.from_bits(tuple(values["position"]))
        with Decider(engine, Limits.parse(values["limits"]), stop) as decider:
            found = check_star(position, position.find_move(*values["move"]), decider)
        return None if stop.is_set() else asdict(found)
