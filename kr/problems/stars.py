"""`kr problem stars`: moves printed with a star, `*`, and whether they are the only ones that keep the value."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.cluster.address import cluster_option
from kr.engine.limits import Limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidPdnError
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.pdn import Reader
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits
from kr.problems.soundness_files import check_total
from kr.problems.star_marks import star_marks
from kr.problems.ways import Way, ways_at
from kr.proofs.decider import Decider
from kr.settings import REQUIRED, Settings, option, workers_option
from kr.storage import checksum, read_regular

if TYPE_CHECKING:
    from kr.engine.engine import Engine

StarRecord = dict[str, Any]
"""A star as JSON types: its number from 0, game (number in the file, from 1), line and event of the game, then as of
`kr.problems.star_marks.StarMark`, fen and move, and the fields of `StarCheck`."""
PLACE = ("star", "game", "line", "event", "ply", "number", "variation", "comment", "fen", "move")
"""Fields of a record that say which star it is about."""
StarPlace = tuple[Any, ...]
"""Their values."""


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
    out: Path | None = option(
        None, "Write the stars here, one JSON object per line; run the same command to resume.", metavar="FILE"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_total("--tc", self.tc)


def check_star(position: Position, move: Move, decider: Decider) -> StarCheck:
    """Whether a move is the only one that keeps the value of a position, as far as the limits of the decider go."""
    unsettled: list[Way] = []
    not_won = False
    for goal in (Value.WIN, Value.DRAW):
        ways = [way for _, way in ways_at(decider, position, goal, move)]
        own, others = ways[0], ways[1:]
        if not others:
            return StarCheck(StarVerdict.RIGHT, None, "the only legal move", ())
        keeping = tuple(way for way in others if way.keeps)
        words = "wins" if goal is Value.WIN else "does not lose"
        # of another move that only holds the draw this can't be said before the move itself is known not to win
        if keeping and (goal is Value.WIN or not_won or own.keeps is False):
            of_own = " too" if own.keeps else f"; {move} does not, by {own.by}" if own.keeps is False else ""
            value = goal if own.keeps else Value.LOSS if own.keeps is False and goal is Value.DRAW else None
            reason = f"{', '.join(map(str, keeping))} {words}{of_own}"
            return StarCheck(StarVerdict.WRONG, value, reason, keeping)
        if own.keeps and all(way.keeps is False for way in others):
            return StarCheck(StarVerdict.RIGHT, goal, f"the only move that {words}, by {own.by}", ())
        if goal is Value.DRAW and own.keeps is False:
            return StarCheck(StarVerdict.WRONG, Value.LOSS, f"{move} loses, by {own.by}", ())
        not_won = own.keeps is False
        unsettled = unsettled or [way for way in ways if way.keeps is None]
    moves = ", ".join(way.move for way in unsettled)
    return StarCheck(StarVerdict.UNDECIDED, None, f"open: {moves}", tuple(unsettled))


OnStar = Callable[[StarRecord, bool], None]
"""Called with each star, in the order of the file; true if it is of an earlier run."""


@dataclass
class StarReport:
    """What was found in a file."""

    counts: dict[StarVerdict, int]
    unreadable: int = 0
    """Stars in comments that have no meaning, or two."""


def check_stars(settings: StarSettings, on_record: OnStar, on_error: Callable[[InvalidPdnError], None]) -> StarReport:
    """Check the stars of a file: of main lines, variations, and comments.

    on_error: called for each game that can't be read. Raises InvalidSettingError, InvalidWeightsError,
    InvalidDatabaseError, InvalidPdnError without a star, and what `open_journal` raises.
    """
    work = EngineWork(StarChecks(), settings)
    report = StarReport(dict.fromkeys(StarVerdict, 0))

    def enter(record: StarRecord, earlier: bool) -> None:
        report.counts[StarVerdict(record["verdict"])] += 1
        on_record(record, earlier)

    def shaping() -> dict[str, Any]:
        return {"stars": checksum(read_regular(settings.file)), "limits": str(settings.tc)}

    with work.records(settings.out, shaping, _place_of) as records:
        work.run(_tasks(settings, report, on_error), records, enter, in_order=True)
    return report


def _tasks(
    settings: StarSettings, report: StarReport, on_error: Callable[[InvalidPdnError], None]
) -> Iterator[WorkTask[StarPlace]]:
    """The stars of a file; those in comments that can't be read are counted. Raises InvalidPdnError without a star."""
    star = 0
    with Reader(settings.file, on_error=on_error) as reader:
        for count, game in enumerate(reader, 1):
            for mark in star_marks(game):
                if mark.move is None:
                    report.unreadable += 1
                    continue
                place = (
                    star, count, game.line, game.headers.get("Event", ""), mark.ply, mark.number, mark.variation,
                    mark.comment, mark.position.fen, str(mark.move),
                )  # fmt: skip
                move = [mark.move.origin, mark.move.target, mark.move.captured]
                values = {"position": mark.position.bits, "limits": str(settings.tc), "move": move}
                yield WorkTask(place, values, dict(zip(PLACE, place, strict=True)))
                star += 1
    if not star:
        raise InvalidPdnError(f"{settings.file}: no move has a star that touches it, such as 18-15*")


def _place_of(record: StarRecord) -> StarPlace:
    """Raises ValueError, LookupError or TypeError for an invalid record."""
    StarVerdict(record["verdict"])
    if operator.index(record["star"]) < 0 or not isinstance(record["reason"], str):
        raise ValueError("record")
    return tuple(record.get(name) for name in PLACE)


class StarChecks(EngineUnits[StarRecord]):
    """Units of one star; the result is its StarCheck as JSON."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> StarRecord:
        values = unit.values
        position = Position.from_bits(tuple(values["position"]))
        with Decider(engine, Limits.parse(values["limits"]), stop) as decider:
            return asdict(check_star(position, position.find_move(*values["move"]), decider))
