"""`kr problem stars`: moves printed with a star, `*`, and whether they are the only ones that keep the value."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
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
from kr.jobs.journal import Journal, open_journal
from kr.jobs.kinds import Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.pdn import Reader
from kr.players.workers import EngineKind, engine_needs
from kr.problems.soundness_files import check_total
from kr.problems.star_marks import star_marks
from kr.problems.ways import Way, ways_at
from kr.proofs.decider import Decider
from kr.settings import REQUIRED, Settings, option, workers_option
from kr.storage import checksum, provenance, read_regular
from kr.threads import worker_count

if TYPE_CHECKING:
    from kr.engine.engine import Engine

StarRecord = dict[str, Any]
"""A star as JSON types: its number from 0, game (number in the file, from 1), line and event of the game, then as of
`kr.problems.star_marks.StarMark`, fen and move, and the fields of `StarCheck`."""


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
    engine = engine_from(settings, settings.weights)
    report = StarReport(dict.fromkeys(StarVerdict, 0))
    about: dict[str, StarRecord] = {}
    waiting: dict[int, tuple[StarRecord, bool]] = {}
    following = 0
    needs, places = engine_needs(engine, settings.weights)
    tools = {"hash": settings.hash, "threads": 1, "egdb_memory": settings.egdb_memory}

    def enter(record: StarRecord, resumed: bool) -> None:
        nonlocal following
        waiting[record["star"]] = record, resumed
        while (ready := waiting.pop(following, None)) is not None:
            following += 1
            report.counts[StarVerdict(ready[0]["verdict"])] += 1
            on_record(*ready)

    with _journal(settings, engine) as journal:
        # as text, which takes a fraction of the memory
        known = dict(journal.entries) if journal is not None else {}

        def units() -> Iterator[Unit]:
            star = 0
            with Reader(settings.file, on_error=on_error) as reader:
                for count, game in enumerate(reader, 1):
                    for mark in star_marks(game):
                        if mark.move is None:
                            report.unreadable += 1
                            continue
                        place = {
                            "star": star, "game": count, "line": game.line, "event": game.headers.get("Event", ""),
                            "ply": mark.ply, "number": mark.number, "variation": mark.variation,
                            "comment": mark.comment, "fen": mark.position.fen, "move": str(mark.move),
                        }  # fmt: skip
                        text, star = known.pop(star, None), star + 1
                        if text is not None and (record := json.loads(text)).items() >= place.items():
                            enter(record, True)
                            continue
                        about[str(place["star"])] = place
                        move = [mark.move.origin, mark.move.target, mark.move.captured]
                        values = {"position": mark.position.bits, "limits": str(settings.tc), "move": move}
                        yield Unit(StarChecks.name(), str(place["star"]), needs, tools, values)
            if not star:
                raise InvalidPdnError(f"{settings.file}: no move has a star that touches it, such as 18-15*")

        pool = work_pool(StarChecks(), Needs(places), worker_count(settings.workers), [engine], settings.cluster)
        with closing(pool.run(units())) as parts:
            for part in parts:
                record = about.pop(part.unit.key) | part.value
                if journal is not None:
                    journal.append(record)
                enter(record, False)
    return report


def _journal(settings: StarSettings, engine: Engine) -> AbstractContextManager[Journal[tuple[int, str]] | None]:
    if settings.out is None:
        return nullcontext()
    fixed = {
        "stars": checksum(read_regular(settings.file)),
        "weights": engine.signature,
        "egdb": None if engine.database is None else engine.database.signature,
        "limits": str(settings.tc),
    }
    return open_journal(settings.out, fixed, provenance(), _known)


def _known(values: StarRecord) -> tuple[int, str]:
    """Number and text of a record. Raises ValueError, LookupError or TypeError for an invalid one."""
    star = operator.index(values["star"])
    StarVerdict(values["verdict"])
    if star < 0 or not isinstance(values["reason"], str):
        raise ValueError("record")
    return star, json.dumps(values)


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
