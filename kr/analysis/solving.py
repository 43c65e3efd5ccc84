"""Solving problems: a search of each with each limit, from an empty hash table, and the share that is solved.

Shorter limits are not read off from longer searches: each limit has its own search, so that the answer is the one that
the engine gives when it has no more than that. Of each search it is also kept from when on the answer stood.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from kr.analysis.problems import Problem, judge_answer, same_move
from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_DECIDED, SCORE_WIN, Info
from kr.engine.search import Stop
from kr.engine.settings import egdb_memory_option, egdb_option, engine_from, hash_option, threads_option, weights_option
from kr.errors import InvalidSettingError
from kr.game.position import Move
from kr.game.value import Value
from kr.jobs.journal import Journal, open_journal, typed
from kr.jobs.kinds import Portion
from kr.jobs.needs import Needs
from kr.jobs.pool import Pool
from kr.jobs.unit import Unit
from kr.players.workers import EngineKind, engine_needs
from kr.settings import Settings, option
from kr.storage import checksum, parse_json, provenance
from kr.threads import MAX_THREADS


@dataclass(frozen=True)
class SolveSettings(Settings):
    """What to solve and how long to think."""

    source: str | None = option(
        None, "A built-in name or its beginning, a FEN, or a JSON-lines or PDN file; the built-in set if left out.",
        metavar="NAME|FEN|FILE", argument=True,
    )  # fmt: skip
    tc: tuple[Limits, ...] = option(
        (Limits(time=1.0),), "Limit of each problem: 1s, nodes=100000 or depth=15; may be given several times.",
        parse=Limits.parse, show=lambda limits: " ".join(map(str, limits)), metavar="LIMIT",
    )  # fmt: skip
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    multipv: int = option(1, "Number of best moves to show.", low=1, high=MAX_LINES)
    concurrency: int = option(1, "Problems to solve at a time, {allowed}.", low=1, high=MAX_THREADS)
    threads: int = threads_option(
        "Threads to search each problem with; with one, a limit of nodes or depth is repeatable."
    )
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    out: Path | None = option(
        None, "Write the answers here, a JSON object a line; run the same command to resume.",
        metavar="FILE",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.tc)) < len(self.tc):
            raise InvalidSettingError(f"--tc: {' '.join(map(str, self.tc))}: expected each limit once")


@dataclass(frozen=True)
class SolutionLine:
    """One principal variation of a solution."""

    score: int
    """Centi-men, side to move's view."""
    pv: str
    """PDN moves with blanks between."""


@dataclass(frozen=True)
class Solution:
    """What the engine found, and whether it agrees with what is published."""

    problem: Problem
    limits: Limits
    move: str
    """The key move in PDN; "" where the side to move has none."""
    verdict: Value
    """For the side to move: the proved value, or else the likeliest by the score (`kr.evaluation.chances`)."""
    score: int
    """Centi-men, side to move's view."""
    depth: int
    """Plies."""
    nodes: int
    time: float
    """Seconds of the search; a second search to check the move is not counted."""
    lines: tuple[SolutionLine, ...]
    """The best first."""
    agrees: bool | None
    """None where no result is published."""
    because: str
    """Why it does not agree; "" where it does."""
    proved: bool = False
    """True if the verdict is exact: by the endgame database, or by a win seen to its end."""
    probes: int = 0
    """Positions looked up in the endgame database."""
    move_from: float | None = None
    """Seconds after which a move that is right was held to the end; None if in the end it was not."""
    agrees_from: float | None = None
    """Seconds after which such a move was held together with the published verdict."""
    key_move: bool | None = None
    """True if the move is one that is known to keep the published result; None if none is known, and in a loss."""

    @property
    def pv(self) -> str:
        """The principal variation."""
        return self.lines[0].pv if self.lines else ""

    @property
    def plies(self) -> int | None:
        """To the end of a win or loss that the search has seen; None where that isn't known."""
        return SCORE_WIN - abs(self.score) if abs(self.score) > SCORE_DECIDED else None


@dataclass(frozen=True)
class Count:
    """How many problems of a kind were solved."""

    solved: int
    problems: int

    @property
    def share(self) -> float:
        """Solved out of all, 0 to 1; 0 of none."""
        return self.solved / self.problems if self.problems else 0.0


def solve(problem: Problem, engine: Engine, limits: Limits, multipv: int = 1, stop: Stop | None = None) -> Solution:
    """Search a problem from an empty hash table and judge_answer what is found. A proven win ends the search early.

    stop: ends its searches; what is found then is of no use.
    """
    if problem.position.is_over:
        agrees = None if problem.published is None else problem.published is Value.LOSS
        because = "" if agrees is not False else f"published {problem.published}, but no move is left: a loss"
        return Solution(problem, limits, "", Value.LOSS, -SCORE_WIN, 0, 0, 0.0, (), agrees, because, proved=True)
    engine.new_game()
    # time, move and verdict of each iteration, and of the end
    steps: list[tuple[float, Move, Value]] = []

    def on_info(info: Info) -> None:
        if info.multipv == 1:
            steps.append((info.time, info.pv[0], engine.chances(info.score).likeliest))

    lines = min(multipv, len(problem.position.legal_moves()))
    found = engine.search(problem.position, limits, on_info=on_info, multipv=lines, stop=stop)
    answer = engine.chances(found.score, found.value).likeliest
    steps.append((found.time, found.move, answer))

    def still_won() -> bool:
        after = problem.position.play(found.move)
        if after.is_over:
            return True
        reply = engine.search(after, limits, history=[problem.position], stop=stop)
        return engine.chances(reply.score, reply.value).likeliest is Value.LOSS

    agrees, because = judge_answer(problem, found.move, answer, still_won)
    if found.value not in (None, problem.published) and problem.published:
        because = f"published {problem.published}, proved {found.value}"
    keeps = any(same_move(found.move, key) for key in problem.key_moves)
    right = [*problem.key_moves, *([found.move] if agrees else [])]
    held = [any(same_move(move, key) for key in right) for _, move, _ in steps]
    agreed = [stood and said == problem.published for stood, (*_, said) in zip(held, steps, strict=True)]
    times = [time for time, *_ in steps]
    return Solution(
        problem, limits, str(found.move), answer, found.score, found.depth, found.nodes, found.time,
        tuple(SolutionLine(info.score, " ".join(map(str, info.pv))) for info in found.lines),
        agrees, because, found.value is not None, found.probes, _since(times, held), _since(times, agreed),
        None if problem.published is Value.LOSS or not problem.key_moves else keeps,
    )  # fmt: skip


def _since(times: Sequence[float], held: Sequence[bool]) -> float | None:
    """The time from which on something held to the end; None if in the end it did not."""
    since = None
    for time, holds in zip(times, held, strict=True):
        since = None if not holds else time if since is None else since
    return since


def solve_all(
    problems: Sequence[Problem],
    settings: SolveSettings,
    on_solution: Callable[[Solution], None] | None = None,
) -> list[Solution]:
    """Solve problems with each limit, `settings.concurrency` at a time with an engine each.

    The solutions are in the order of the limits, and with each in that of the problems. on_solution: called for each as
    it is found, first of all for those of an earlier run. Raises InvalidSettingError, InvalidWeightsError,
    InvalidDatabaseError, and what the file of an earlier run may be refused for.
    """
    engine = engine_from(settings, settings.weights, settings.threads)
    jobs = [(limits, number) for limits in settings.tc for number in range(len(problems))]
    done: dict[Job, Solution] = {}

    def enter(job: Job, solution: Solution) -> None:
        done[job] = solution
        if on_solution is not None:
            on_solution(solution)

    with _record(problems, settings, engine) as journal:
        wanted = set(jobs)
        for job, solution in journal.entries if journal else ():
            if job in wanted:
                enter(job, solution)
        needs, places = engine_needs(engine, settings.weights)
        tools = {name: getattr(settings, name) for name in ("hash", "threads", "egdb_memory")}
        units = (
            Unit(Answers.name(), f"{number} {limits}", needs, tools, {
                "problem": problems[number].as_object(), "number": number, "limits": str(limits),
                "multipv": settings.multipv,
            })
            for limits, number in jobs if (limits, number) not in done
        )  # fmt: skip
        workers = max(1, min(settings.concurrency, len(problems)))
        with closing(Pool(Answers(), Needs(places), workers, [engine]).run(units)) as parts:
            for part in parts:
                assert part.chunk is not None
                entry = parse_json(bytes(part.chunk))
                if journal:
                    journal.append(entry)
                enter(*_answer(problems, entry))
    return [done[job] for job in jobs]


class Answers(EngineKind):
    """Units of a problem at one of the limits; the result is a line of the file of answers."""

    def steps(self, unit: Unit, needs: Needs) -> Iterator[Sequence[Portion[Engine]]]:
        yield [Portion(partial(self._solve, unit))]

    def _solve(self, unit: Unit, engine: Engine, stop: Stop) -> bytes | None:
        values = unit.values
        problem, limits = Problem.from_object(values["problem"]), Limits.parse(values["limits"])
        solution = solve(problem, engine, limits, values["multipv"], stop)
        return None if stop.is_set() else json.dumps(_entry(values["number"], solution)).encode()


Job = tuple[Limits, int]
"""A limit, and the number of a problem."""
AnswerJournal = Journal[tuple[Job, Solution]]


def _record(
    problems: Sequence[Problem], settings: SolveSettings, engine: Engine
) -> AbstractContextManager[AnswerJournal | None]:
    """The file of the answers, if there is one. It goes on with other limits, but not with another engine."""
    if settings.out is None:
        return nullcontext()
    known = "\n".join(f"{problem.id} {problem.position.fen} {problem.result}" for problem in problems)
    kept = {
        "problems": checksum(known.encode()),
        "weights": engine.signature,
        "egdb": None if engine.database is None else engine.database.signature,
        "hash": settings.hash,
        "multipv": settings.multipv,
    }
    if settings.threads > 1:  # left out otherwise, so that answers from before there was a choice still go on
        kept["threads"] = settings.threads

    return open_journal(settings.out, kept, provenance(), partial(_answer, problems))


def _answer(problems: Sequence[Problem], values: dict[str, Any]) -> tuple[Job, Solution]:
    """What a line of the file of answers holds. Raises ValueError, LookupError and TypeError where that is none."""
    values = dict(values)
    limits, number = Limits.parse(str(values.pop("limits"))), operator.index(values.pop("number"))
    if values.pop("id") != problems[number].id or number < 0:
        raise ValueError("another problem")
    lines = tuple(typed(SolutionLine(**line)) for line in values.pop("lines"))
    verdict = Value(values.pop("verdict"))
    solution = Solution(problem=problems[number], limits=limits, lines=lines, verdict=verdict, **values)
    return (limits, number), typed(solution)


def _entry(number: int, solution: Solution) -> dict[str, Any]:
    rest = {field.name: getattr(solution, field.name) for field in fields(solution) if field.name != "problem"}
    lines = [asdict(line) for line in solution.lines]
    return {"number": number, "id": solution.problem.id, **rest, "limits": str(solution.limits), "lines": lines}


def count_solved(solutions: Iterable[Solution]) -> dict[str, Count]:
    """How many were solved, of "all" with a published result and of each kind for the side to move (Value).

    "key moves": how many moves keep what is published, of wins and draws of which such moves are known; by the move
    alone, whatever the score. "disproved": how many of those that were not solved are proved to end otherwise than
    published, so that no engine can solve them.
    """
    judged = [solution for solution in solutions if solution.agrees is not None]
    counts = {"all": Count(sum(bool(each.agrees) for each in judged), len(judged))}
    for kind in Value:
        answers = [each.agrees for each in judged if each.problem.published == kind]
        counts[kind] = Count(sum(map(bool, answers)), len(answers))
    known = [each.key_move for each in judged if each.key_move is not None]
    unsolved = [each for each in judged if not each.agrees]
    disproved = sum(each.proved and each.verdict != each.problem.published for each in unsolved)
    return counts | {"key moves": Count(sum(known), len(known)), "disproved": Count(disproved, len(unsolved))}
