"""`kr theory grade`: the ballots of a deck graded for tournaments, by a search for either side.

Each ballot is a unit of `kr.jobs`. The output is a journal, with a line for each ballot, from which the same command
resumes; `kr.openings.grades` says what the grades mean, and reads it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from kr.cluster.address import cluster_option
from kr.cluster.pools import work_pool
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.settings import egdb_memory_option, egdb_option, engine_from, hash_option, weights_option
from kr.errors import InvalidSettingError
from kr.game.position import Position
from kr.jobs.journal import open_journal
from kr.jobs.kinds import Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.openings.decks import Opening, deck
from kr.openings.grades import GRADES_SUFFIX, ONE_SIDED_SCORE, BallotGrade, grade_of, search_of
from kr.players.workers import EngineKind, engine_needs
from kr.settings import REQUIRED, Settings, option, workers_option
from kr.storage import provenance
from kr.threads import worker_count

GRADE_MARGIN = 2 * ONE_SIDED_SCORE
"""Centi-men below the best move in which each other one is scored: enough for all that hold, of a ballot that is not
one-sided."""
GRADED_DECKS = ("11man", "3move", "2move")


@dataclass(frozen=True)
class GradeSettings(Settings):
    """Ballots to grade, and the limit of each search."""

    out: Path = option(
        REQUIRED, f"File of the grades, *{GRADES_SUFFIX}; run the same command to resume.", metavar="FILE"
    )
    deck: str = option("11man", "Ballots: {allowed}.", choices=GRADED_DECKS)
    tc: Limits = option(
        Limits(time=10.0), "Limit of the search for a side: 10s, or nodes=5e6, which is repeatable.",
        parse=Limits.parse,
    )  # fmt: skip
    sample: int = option(0, "Grade only so many ballots, chosen at random: {allowed}.", low=1, zero="all")
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    workers: int = workers_option("Ballots graded side by side")
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tc.endless:
            raise InvalidSettingError(f"--tc {self.tc}: expected a time or nodes of each search, such as 10s")
        if self.out.suffix != GRADES_SUFFIX:
            raise InvalidSettingError(f"--out: {self.out} must end in {GRADES_SUFFIX}, by which a match knows grades")


@dataclass
class GradeReport:
    """Grades so far."""

    ballots: int
    """Those that are to be graded."""
    graded: int = 0
    earlier: int = 0
    """Of these, the ones of earlier runs."""
    grades: Counter[str] = field(default_factory=Counter)


def chosen_ballots(name: str, sample: int) -> list[Opening]:
    """The ballots of a deck, or some at random, always the same ones; a larger sample has those of a smaller one."""
    openings = deck(name, playable_only=False)
    if not sample or sample >= len(openings):
        return openings
    shuffled = random.Random(0).sample(openings, len(openings))
    return sorted(shuffled[:sample], key=lambda opening: opening.number)


def grade_ballots(settings: GradeSettings, on_grade: Callable[[BallotGrade, GradeReport], None]) -> GradeReport:
    """Grade the ballots of a deck. on_grade: called for each, those of earlier runs first.

    Raises InvalidSettingError, InvalidWeightsError, InvalidDatabaseError, and what `open_journal` raises.
    """
    engine = engine_from(settings, settings.weights)
    openings = chosen_ballots(settings.deck, settings.sample)
    report = GradeReport(len(openings))
    fixed = {
        # by this name the file is known as one of grades
        "grades": settings.deck,
        "limits": str(settings.tc),
        "weights": engine.signature,
        "egdb": None if engine.database is None else engine.database.signature,
    }
    with open_journal(settings.out, fixed, provenance(), BallotGrade.of_object) as journal:
        wanted = {opening.number: opening for opening in openings}

        def enter(grade: BallotGrade) -> None:
            report.graded += 1
            report.grades[grade.grade] += 1
            on_grade(grade, report)

        for grade in journal.entries:
            if wanted.pop(grade.number, None) is not None:
                report.earlier += 1
                enter(grade)
        needs, places = engine_needs(engine, settings.weights)
        tools = {"hash": settings.hash, "threads": 1, "egdb_memory": settings.egdb_memory}
        units = (
            Unit(BallotSearches.name(), str(number), needs, tools, {
                "position": opening.position.bits, "limits": str(settings.tc),
            })
            for number, opening in wanted.items()
        )  # fmt: skip
        pool = work_pool(BallotSearches(), Needs(places), worker_count(settings.workers), [engine], settings.cluster)
        with closing(pool.run(units)) as parts:
            for part in parts:
                opening = wanted[int(part.unit.key)]
                grade = _grade(opening, part.value)
                journal.append(grade.as_object())
                enter(grade)
    return report


def _grade(opening: Opening, searches: list[dict[str, Any]]) -> BallotGrade:
    mover, *others = map(search_of, searches)
    other = others[0] if others else None
    grade = grade_of(mover, other)
    return BallotGrade(opening.number, opening.moves, opening.position.fen, grade, mover, other)


class BallotSearches(EngineKind[list[dict[str, Any]]]):
    """Units of one ballot; the result is the search for its side to move, then that for the other side after the best
    move, each as the fields of `SideSearch`."""

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Engine, list[dict[str, Any]]]:
        yield [Portion(partial(self._search, unit))]

    def _search(self, unit: Unit, engine: Engine, stop: Stop) -> list[dict[str, Any]] | None:
        position = Position.from_bits(tuple(unit.values["position"]))
        limits = Limits.parse(unit.values["limits"])
        limits = Limits(limits.time, limits.nodes, limits.depth, within=GRADE_MARGIN)
        searches: list[dict[str, Any]] = []
        engine.new_game()
        for _ in range(2):
            if position.is_over:
                break
            found = engine.search(position, limits, stop=stop)
            if stop.is_set():
                return None
            searches.append({
                "score": found.score, "nodes": found.nodes, "depth": found.depth,
                "moves": len(position.legal_moves()),
                "holding": sum(line.score > -ONE_SIDED_SCORE for line in found.lines),
                "value": found.value or "",
            })  # fmt: skip
            position = position.play(found.move)
        return searches

    def check(self, unit: Unit, values: Sequence[list[dict[str, Any]]]) -> None:
        """Searches of the ballot and of a position after one of its moves."""
        moves = len(Position.from_bits(tuple(unit.values["position"])).legal_moves())
        try:
            (searches,) = values
            found = [search_of(each) for each in searches]
        except (ValueError, LookupError, TypeError) as error:
            raise ValueError(f"not searches of a ballot: {error}") from None
        if not 1 <= len(found) <= 2 or found[0].moves != moves:
            raise ValueError("not the searches of this ballot")
