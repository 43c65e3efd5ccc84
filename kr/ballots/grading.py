"""`kr theory grade`: the ballots of a deck graded for tournaments, by a search for either side.

Each ballot is a unit of `kr.jobs`. The output is a journal, with a line for each ballot, from which the same command
resumes; `kr.openings.grades` says what the grades mean, and reads it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kr.cluster.address import cluster_option
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidSettingError
from kr.game.position import Position
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.openings.decks import Opening, deck
from kr.openings.grades import AT_THE_EDGE, GRADES_SUFFIX, ONE_SIDED_SCORE, BallotGrade, grade_of, search_of
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits
from kr.settings import REQUIRED, Settings, option, workers_option

GRADE_MARGIN = 2 * ONE_SIDED_SCORE
"""Centi-men below the best move in which each other one is scored: enough for all that hold, of a ballot that is not
one-sided."""
GRADED_DECKS = ("11man", "3move", "2move", AT_THE_EDGE)
EDGE_DECKS = ("11man", "3move")
CANDIDATE_SCORES = (8, 60)
"""Centi-men ahead, for either side, by the marks of a shipped deck, between which a longer search may find an opening
at the edge."""


@dataclass(frozen=True)
class GradeSettings(Settings):
    """Ballots to grade, and the limit of each search."""

    out: Path = option(
        REQUIRED, f"File of the grades, *{GRADES_SUFFIX}; run the same command to resume.", metavar="FILE"
    )
    deck: str = option(
        "11man", "Ballots: {allowed}; edge: 11-man and three-move ones that may be at the edge.", choices=GRADED_DECKS
    )
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
    openings = _candidates() if name == AT_THE_EDGE else deck(name, playable_only=False)
    if not sample or sample >= len(openings):
        return openings
    shuffled = random.Random(0).sample(openings, len(openings))
    return sorted(shuffled[:sample], key=lambda opening: opening.number)


def _candidates() -> list[Opening]:
    """Openings that may be at the edge, by their marks; the numbers of a deck follow those of the one before it."""
    low, high = CANDIDATE_SCORES
    openings: list[Opening] = []
    before = 0
    for name in EDGE_DECKS:
        whole = deck(name, playable_only=False)
        openings += [
            replace(each, name=f"{AT_THE_EDGE} {before + each.number}")
            for each in whole
            if each.score is None or low <= abs(each.score) <= high
        ]
        before += len(whole)
    return openings


def grade_ballots(settings: GradeSettings, on_grade: Callable[[BallotGrade, GradeReport, bool], None]) -> GradeReport:
    """Grade the ballots of a deck. on_grade: called for each, true for one of an earlier run.

    Raises InvalidSettingError, InvalidWeightsError, InvalidDatabaseError, and what `open_journal` raises.
    """
    work = EngineWork(BallotSearches(), settings)
    openings = {opening.number: opening for opening in chosen_ballots(settings.deck, settings.sample)}
    report = GradeReport(len(openings))

    def enter(record: dict[str, Any], earlier: bool) -> None:
        grade = BallotGrade.of_object(record)
        report.graded += 1
        report.earlier += earlier
        report.grades[grade.grade] += 1
        on_grade(grade, report, earlier)

    def record_of(task: WorkTask[int], searches: list[dict[str, Any]]) -> dict[str, Any]:
        opening = openings[task.key]
        mover, *others = map(search_of, searches)
        other = others[0] if others else None
        grade = grade_of(mover, other)
        return BallotGrade(task.key, opening.moves, opening.position.fen, grade, mover, other).as_object()

    tasks = (
        WorkTask(number, {"position": opening.position.bits, "limits": str(settings.tc)})
        for number, opening in openings.items()
    )

    def shaping() -> dict[str, Any]:
        # by its first name the file is known as one of grades
        return {"grades": settings.deck, "limits": str(settings.tc)}

    with work.records(settings.out, shaping, lambda record: BallotGrade.of_object(record).number) as records:
        work.run(tasks, records, enter, record_of)
    return report


class BallotSearches(EngineUnits[list[dict[str, Any]]]):
    """Units of one ballot; the result is the search for its side to move, then that for the other side after the best
    move, each as the fields of `SideSearch`."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> list[dict[str, Any]] | None:
        position = Position.from_bits(tuple(unit.values["position"]))
        limits = Limits.parse(unit.values["limits"])
        limits = Limits(limits.time, limits.nodes, limits.depth, within=GRADE_MARGIN)
        searches: list[dict[str, Any]] = []
        engine.new_game()
        for _ in range(2):
            if position.is_over:
                break
            result = engine.search(position, limits, stop=stop)
            if stop.is_set():
                return None
            searches.append({
                "score": result.score, "nodes": result.nodes, "depth": result.depth,
                "moves": len(position.legal_moves()),
                "holding": sum(line.score > -ONE_SIDED_SCORE for line in result.lines),
                "value": result.value or "",
            })  # fmt: skip
            position = position.play(result.move)
        return searches

    def check(self, unit: Unit, values: Sequence[list[dict[str, Any]]]) -> None:
        """Searches of the ballot and of a position after one of its moves."""
        moves = len(Position.from_bits(tuple(unit.values["position"])).legal_moves())
        try:
            (searches,) = values
            sides = [search_of(each) for each in searches]
        except (ValueError, LookupError, TypeError) as error:
            raise ValueError(f"not searches of a ballot: {error}") from None
        if not 1 <= len(sides) <= 2 or sides[0].moves != moves:
            raise ValueError("not the searches of this ballot")
