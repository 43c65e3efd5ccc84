"""`kr problem vary`: positions that differ from a problem by a piece or two, and which of them are problems themselves.

Each position is a unit of `kr.jobs`, checked by proof as `kr.problems.soundness` does. Most are left as soon as two
moves are proved to keep the value, or none can. Those that are sound are ranked. With an output file every position is
a line of its journal, from which the same command resumes.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from kr.cluster.address import cluster_option
from kr.egdb.database import Database
from kr.egdb.exact import exact_value
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidSettingError, KrError
from kr.game.position import Bits, Move, Position, Side
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.notation import MAX_SIDE_PIECES
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits
from kr.problems.changes import MOST_CHANGES, ChangedPosition, changed_positions
from kr.problems.problem import Problem, each_problem
from kr.problems.ranking import Merit, merit_of, near_misses_of
from kr.problems.soundness import ProblemVerdict, Soundness, check_by
from kr.problems.soundness_files import check_total
from kr.proofs.certificate import Claim
from kr.proofs.decider import Decider, after_moves
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
    problems: Sequence[Problem], changes: int = 1, pieces: tuple[int, int] = (2, BOARD_PIECES), captures: bool = False
) -> Iterator[Candidate]:
    """The changed positions of problems in which a key is possible, in order, each once.

    A position is the same as the one with colours swapped and the board turned. The problems themselves are left out,
    and positions with less than two moves, or, unless `captures` is set, with a capture.
    """
    low, high = pieces
    seen = {_either_way(problem.position) for problem in problems}
    for problem in problems:
        for changed in changed_positions(problem.position, changes):
            if low <= changed.position.pieces <= high and _has_choice(changed.position, captures):
                bits = _either_way(changed.position)
                if bits not in seen:
                    seen.add(bits)
                    yield Candidate(problem, changed)


def _has_choice(position: Position, captures: bool) -> bool:
    moves = after_moves(position)
    return len(moves) > 1 and (captures or not moves[0][0].is_capture)


def _either_way(position: Position) -> Bits:
    return (position if position.side is Side.BLACK else position.flipped()).bits


def check_variation(position: Position, goals: Sequence[Value], decider: Decider, strict: bool = False) -> Soundness:
    """Check a position with a move as a problem in which the side to move is to reach one of these goals: WIN, DRAW.

    It is unsound if it reaches none; a cook as soon as two keys are proved, without the others.
    """
    side = position.side
    wins = Claim(position, side, Value.WIN)
    for goal in sorted(goals, key=lambda each: each is not Value.WIN):
        if goal is Value.DRAW and _holds(decider, wins) is None:
            decider.decide([wins])
        if goal is Value.DRAW and (won := _holds(decider, wins)) is not False:
            return _left(decider, ProblemVerdict.UNSOUND if won else ProblemVerdict.UNDECIDED, wins)
        own, ways = _keys(decider, position, goal)
        if sum(holds is True for holds in ways.values()) > 1:
            keys = ", ".join(move for move, holds in ways.items() if holds)
            return _left(decider, ProblemVerdict.COOK, own, f"{goal} by {keys}")
        if _holds(decider, own) is False or not any(holds is not False for holds in ways.values()):
            # lost, or, for a win, perhaps a draw
            continue
        if not any(ways.values()) and _holds(decider, own) is None:
            return _left(decider, ProblemVerdict.UNDECIDED, own)
        result = "draw" if goal is Value.DRAW else "B-win" if side is Side.BLACK else "W-win"
        return check_by(decider, Problem(position.fen, "", position, result), strict)
    return _left(decider, ProblemVerdict.UNSOUND, own)


def _keys(decider: Decider, position: Position, goal: Value) -> tuple[Claim, dict[str, bool | None]]:
    """The claim about a position, and of its moves whether they keep the goal, until two do or none can."""
    own = Claim(position, position.side, goal)
    claims = {str(move): Claim(after, position.side, goal) for move, after in after_moves(position)}

    def enough() -> bool:
        answers = [_holds(decider, each) for each in claims.values()]
        return _holds(decider, own) is False or answers.count(True) > 1 or None not in answers

    decider.decide([own, *claims.values()], enough)
    return own, {move: _holds(decider, claim) for move, claim in claims.items()}


def _holds(decider: Decider, claim: Claim) -> bool | None:
    decision = decider.decision_of(claim)
    return None if decision is None else decision.holds


def _left(decider: Decider, verdict: ProblemVerdict, claim: Claim, reason: str = "") -> Soundness:
    """The verdict on a position that is not looked at further."""
    if not reason:
        decision = decider.decision_of(claim)
        reason = f"{claim}: {'open' if decision is None else f'{str(decision.holds).lower()}, by {decision.by}'}"
    return Soundness(verdict, reason=reason, nodes=decider.nodes, seconds=decider.seconds)


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


def verdict_of(position: Position, soundness: Soundness, database: Database | None) -> VariationRecord:
    """The fields of a record that say what a check has found."""
    if soundness.verdict not in (ProblemVerdict.SOUND, ProblemVerdict.DUAL):
        return {"verdict": soundness.verdict, "reason": soundness.reason, "rank": 0}
    fields = asdict(replace(soundness, refutation=None, certificate=None, seconds=round(soundness.seconds, 3)))
    return fields | {"published": soundness.value, "rank": _merit(position, soundness, database).score}


def _merit(position: Position, soundness: Soundness, database: Database | None) -> Merit:
    """Merit of a problem in which the side to move is the solver."""
    stars = sum(
        not step.plain and bool(step.others) and not any(way.keeps for way in step.others) for step in soundness.steps
    )
    key, goal = position.parse_move(soundness.keys[0].move), soundness.value or Value.DRAW
    near_misses = near_misses_of(position, [key], goal, lambda reached: exact_value(database, reached))
    return merit_of(position, _moves_of(position, soundness.line), position.side, stars, near_misses)


def _moves_of(position: Position, line: Sequence[str]) -> list[Move]:
    moves = []
    for text in line:
        moves.append(position.parse_move(text))
        position = position.play(moves[-1])
    return moves


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
    every = candidates(problems, settings.changes, pieces_range(settings.pieces), settings.captures)
    chosen = list(islice(every, MOST_POSITIONS + 1))
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
            soundness = check_variation(position, goals_of(values["goal"]), decider, values["strict"])
        return None if stop.is_set() else verdict_of(position, soundness, engine.database)
