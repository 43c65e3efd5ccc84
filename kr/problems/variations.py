"""`kr problem vary`: positions that differ from a problem by a piece or two, and which of them are problems themselves.

Each position is a unit of `kr.jobs`, checked by proof as `kr.problems.soundness` does. Most are left as soon as two
moves are proved to keep the value, or none can. Those that are sound are ranked. With an output file every position is
a line of its journal, from which the same command resumes.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kr import _core
from kr.cluster.address import cluster_option
from kr.egdb.database import VALUES
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidSettingError, KrError
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.notation import MAX_SIDE_PIECES
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits
from kr.problems.changes import MOST_CHANGES, ChangedPosition, changed_from
from kr.problems.problem import Problem, each_problem
from kr.problems.soundness import CoreVerdict, ProblemVerdict, Soundness, add_work, in_words, verdict_named
from kr.problems.soundness_files import check_total
from kr.problems.ways import ways_from
from kr.proofs.certificate import Claim
from kr.proofs.decider import Decider, grounds_of
from kr.settings import REQUIRED, Settings, option, workers_option
from kr.storage import checksum
from kr.units import format_size, parse_size

EITHER = "value"
"""The goal of those who take a win and a draw."""
MOST_POSITIONS = 200_000
"""Positions of a run."""
BOARD_PIECES = 2 * MAX_SIDE_PIECES
VariationRecord = dict[str, Any]
"""A position as JSON types: number (from 0), id, title, origin (id of the problem), change in words, changes, fen,
verdict, reason and rank; if it is sound or has duals only, also published, and the fields of
`kr.problems.soundness.Soundness`."""


@dataclass(frozen=True)
class VarySettings(Settings):
    """Problems to vary, how, and the limits of each position."""

    source: str = option(
        REQUIRED, "Positions to vary: a FEN, a built-in name, or a file of problems.", metavar="FEN|NAME|FILE",
        argument=True,
    )  # fmt: skip
    goal: str = option(
        EITHER, "What the side to move is to reach: {allowed} (a win or a draw).",
        choices=(Value.WIN.value, Value.DRAW.value, EITHER),
    )  # fmt: skip
    changes: int = option(1, "Most pieces that are changed, {allowed}.", low=1, high=MOST_CHANGES)
    pieces: str = option("", "Keep only positions with so many pieces: a number, or a range such as 6-8.")
    captures: bool = option(False, "Keep also positions whose key is a capture.")
    duals: bool = option(False, "Keep also positions with duals.")
    strict: bool = option(False, "Count also second ways that transpose, and those after the result is plain.")
    most: int = option(20, "Best positions that are shown, {allowed}.", low=1, zero="all")
    tc: Limits = option(
        Limits(time=1.0), "Limit of all searches for a position: 1s, or nodes=5e5, which is repeatable.",
        parse=Limits.parse,
    )  # fmt: skip
    memory: int = option(
        1 << 30, "Most memory for the proofs about a position, beside hash table and database; 0MB for any size.",
        parse=parse_size, show=format_size,
    )  # fmt: skip
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    workers: int = workers_option("Positions checked side by side")
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    out: Path | None = option(
        None, "Write all positions here, one JSON object per line; run the same command to resume.", metavar="FILE"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_total("--tc", self.tc)
        pieces_range(self.pieces)


def pieces_range(text: str) -> tuple[int, int]:
    """Least and most pieces of a text such as "7" or "6-8"; all numbers for "". Raises InvalidSettingError."""
    if not text:
        return 2, BOARD_PIECES
    numbers = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", text.strip())
    low, high = (int(numbers[1]), int(numbers[2] or numbers[1])) if numbers else (0, 0)
    if not 2 <= low <= high <= BOARD_PIECES:
        raise InvalidSettingError(
            f"--pieces: {text!r} is not a number of pieces or a range such as 6-8, from 2 to {BOARD_PIECES}"
        )
    return low, high


@dataclass(frozen=True)
class Candidate:
    """A position to be checked."""

    origin: Problem
    changed: ChangedPosition


def candidates(
    problems: Sequence[Problem], changes: int = 1, pieces: tuple[int, int] = (2, BOARD_PIECES), captures: bool = False,
    most: int = MOST_POSITIONS + 1,
) -> list[Candidate]:  # fmt: skip
    """The first changed positions of problems in which a key is possible, in order, each once.

    A position is the same as the one with colours swapped and the board turned. The problems themselves are left out,
    and positions with less than two moves, or, unless `captures` is set, with a capture.
    """
    roots = [problem.position.bits for problem in problems]
    rows = _core.changed_candidates(roots, changes, *pieces, captures, most)
    return [Candidate(problems[origin], changed_from(bits, row)) for origin, bits, row in rows]


def check_variation(
    position: Position, goals: Sequence[Value], decider: Decider, strict: bool = False
) -> tuple[Soundness, int]:
    """Check a position with a move as a problem in which the side to move is to reach one of these goals: WIN, DRAW.

    It is unsound if it reaches none; a cook as soon as two keys are proved, without the others. With the verdict come
    the points of one that is sound or has duals (`kr.problems.ranking`), else 0.
    """
    facts = decider.ask(_core.check_variation, position.bits, Value.WIN in goals, Value.DRAW in goals, strict)
    if facts["stage"] == _core.STAGE_LEFT:
        verdict = Soundness(verdict_named(facts), reason=_left(position, facts))
        verdict.nodes, verdict.seconds = decider.nodes, decider.seconds
        return verdict, 0
    soundness = in_words(position, [], facts, strict)
    add_work(soundness, decider)
    return soundness, facts["rank"]


def _left(position: Position, facts: CoreVerdict) -> str:
    """Why a position is not looked at further."""
    goal = VALUES[facts["published"]]
    keys = [way.move for way in ways_from(position, facts["ways"]) if way.keeps]
    if keys:
        return f"{goal} by {', '.join(keys)}"
    words = {1: "true, by {}", 0: "false, by {}"}.get(facts["holds"], "open")
    return f"{Claim(position, position.side, goal)}: {words.format(grounds_of(*facts['by']))}"


def goals_of(goal: str) -> tuple[Value, ...]:
    """The goals that a setting stands for."""
    return (Value.WIN, Value.DRAW) if goal == EITHER else (Value(goal),)


def keeps(record: VariationRecord, duals: bool) -> bool:
    """True if a position is kept: it is sound, or has duals if these are allowed."""
    return record["verdict"] == ProblemVerdict.SOUND or (duals and record["verdict"] == ProblemVerdict.DUAL)


def place_of(candidate: Candidate, number: int) -> VariationRecord:
    """The fields of a record that say which position it is about."""
    origin, changed = candidate.origin, candidate.changed
    title = f"{origin.title or origin.id}: {changed}"
    return {
        "number": number, "id": title, "title": title, "origin": origin.id, "change": str(changed),
        "changes": [change.as_object() for change in changed.changes], "fen": changed.position.fen,
    }  # fmt: skip


def verdict_of(soundness: Soundness, rank: int) -> VariationRecord:
    """The fields of a record that say what a check says."""
    if soundness.verdict not in (ProblemVerdict.SOUND, ProblemVerdict.DUAL):
        return {"verdict": soundness.verdict, "reason": soundness.reason, "rank": 0}
    fields = asdict(replace(soundness, refutation=None, certificate=None, seconds=round(soundness.seconds, 3)))
    return fields | {"published": soundness.value, "rank": rank}


def vary(
    settings: VarySettings,
    on_total: Callable[[int], None],
    on_record: Callable[[VariationRecord, bool], None],
    on_error: Callable[[KrError], None],
) -> None:
    """Check the changed positions of problems.

    on_total: hears of the number of positions; on_record: of each that is checked, true for those of an earlier run;
    on_error: of each problem that can't be read. Raises InvalidSettingError, InvalidWeightsError, InvalidDatabaseError,
    what `each_problem` raises, and what `open_journal` raises.
    """
    work = EngineWork(VariationChecks(), settings)
    problems = list(each_problem(settings.source, on_error))
    chosen = candidates(problems, settings.changes, pieces_range(settings.pieces), settings.captures)
    if len(chosen) > MOST_POSITIONS:
        raise InvalidSettingError(
            f"{settings.source}: more than {MOST_POSITIONS:,} positions; vary fewer problems, or narrow --pieces"
        )
    if not chosen:
        raise InvalidSettingError(f"{settings.source}: no changed position with these settings has a move")
    on_total(len(chosen))
    with work.records(settings.out, lambda: _shaping(settings, problems), _key_of) as records:
        work.run((_task(each, number, settings) for number, each in enumerate(chosen)), records, on_record)


def _shaping(settings: VarySettings, problems: Sequence[Problem]) -> dict[str, Any]:
    """The settings that shape the verdicts."""
    lines = "\n".join(f"{problem.id} {problem.position.fen}" for problem in problems)
    return {
        "problems": checksum(lines.encode()), "limits": str(settings.tc), "memory": settings.memory,
        "goal": settings.goal, "changes": settings.changes, "pieces": settings.pieces, "captures": settings.captures,
        "strict": settings.strict,
    }  # fmt: skip


VariationKey = tuple[int, str]
"""Number and FEN of a position."""


def _task(candidate: Candidate, number: int, settings: VarySettings) -> WorkTask[VariationKey]:
    about, position = place_of(candidate, number), candidate.changed.position
    values = {
        "position": position.bits, "goal": settings.goal, "limits": str(settings.tc), "memory": settings.memory,
        "strict": settings.strict,
    }  # fmt: skip
    return WorkTask((number, about["fen"]), values, about)


def _key_of(record: VariationRecord) -> VariationKey:
    """Raises ValueError, LookupError or TypeError for an invalid record."""
    number = operator.index(record["number"])
    ProblemVerdict(record["verdict"])
    if number < 0 or not isinstance(record["fen"], str) or not isinstance(record["rank"], int):
        raise ValueError("record")
    return number, record["fen"]


class VariationChecks(EngineUnits[VariationRecord]):
    """Units of one position; the result is the verdict's part of its record."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> VariationRecord | None:
        values = unit.values
        position = Position.from_bits(tuple(values["position"]))
        with Decider(engine, Limits.parse(values["limits"]), stop, values["memory"]) as decider:
            checked = check_variation(position, goals_of(values["goal"]), decider, values["strict"])
        return None if stop.is_set() else verdict_of(*checked)
