"""Solving problems: a search of each problem with each limit, from an empty hash table, and the share solved.

A verdict is proved (by the rules, the endgame database or a line seen to its end), or it is likely by the scores of two
searches, of the position and after its best move (`kr.evaluation.verdicts`), or no value is likely and it is unclear.
Where the positions are said to be composed problems, the likely value of those comes beside it.

Each limit has its own searches, so that its answer is the one the engine gives with no more time than that. The record
has also the time from which the answer no longer changed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from time import thread_time
from typing import Any

from kr.archives.archive import ReadSettings
from kr.cluster.address import cluster_option
from kr.egdb.database import Database
from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_DECIDED, SCORE_PROVED, SCORE_WIN, Info, SearchResult
from kr.engine.search import Stop
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, threads_option, weights_option
from kr.errors import InvalidSettingError
from kr.evaluation.chances import KNOWN
from kr.evaluation.verdicts import Likely, likely, likely_if_composed
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.journal import typed
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.match.machines import SLOW
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits
from kr.problems.problem import Problem, judge_answer, same_move
from kr.proofs.known import CERTIFICATE_WORD, KNOWN_BY_DATABASE, KNOWN_BY_RULES, KNOWN_BY_SEARCH, known_value
from kr.proofs.library import ProofLibrary, load_proofs, proofs_option
from kr.proofs.lines import strategy_line
from kr.settings import Settings, check_type, option, same_option
from kr.storage import checksum
from kr.threads import MAX_THREADS

PROVED, LIKELY_VERDICT, UNCLEAR = "proved", "likely", "unclear"
"""Standing of a verdict, by its evidence."""
LEAST_SECONDS = 0.05
"""Least seconds of searches for a meaningful share of a processor."""


@dataclass(frozen=True)
class SolveSettings(Settings):
    """Problems to solve, and limits of the searches."""

    source: str | None = option(
        None, "A built-in name or its beginning, a FEN, or a JSON-lines or PDN file; the built-in set if left out.",
        metavar="NAME|FEN|FILE", argument=True,
    )  # fmt: skip
    results: str = same_option(ReadSettings, "results")
    tc: tuple[Limits, ...] = option(
        (Limits(time=1.0),), "Limit of each problem: 1s, nodes=100000 or depth=15; may be given several times.",
        parse=Limits.parse, show=lambda limits: " ".join(map(str, limits)), metavar="LIMIT",
    )  # fmt: skip
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    multipv: int = option(1, "Number of best moves to show.", low=1, high=MAX_LINES)
    workers: int = option(1, "Problems to solve at a time, {allowed}.", low=1, high=MAX_THREADS)
    cluster: str = cluster_option()
    threads: int = threads_option(
        "Threads to search each problem with; with one, a limit of nodes or depth is repeatable."
    )
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    proofs: tuple[Path, ...] = proofs_option()
    composed: bool = option(
        False, "The positions are composed problems, with the solver to move: say what is likely of those, too."
    )
    out: Path | None = option(
        None, "Write the answers here, one JSON object per line; run the same command to resume.",
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
    """Answer of the engine, and its agreement with the published solution."""

    problem: Problem
    limits: Limits
    move: str
    """The engine's move in PDN; "" if there is no legal move."""
    verdict: Value | None
    """For the side to move: the proved value, or else the likely one; None if it is unclear."""
    chance: float | None
    """Share of such verdicts that come true: 1 if it is proved; None if it is unclear."""
    score: int
    """Centi-men, side to move's view."""
    depth: int
    """Plies."""
    nodes: int
    time: float
    """Seconds of the search, without the second one, after the best move."""
    lines: tuple[SolutionLine, ...]
    """Best first."""
    agrees: bool | None
    """None if no result is published."""
    because: str
    """Reason for a disagreement; "" if there is none."""
    proved: bool = False
    """True if the verdict is exact: from the endgame database, or from a line searched to its end."""
    probes: int = 0
    """Positions looked up in the endgame database."""
    move_from: float | None = None
    """Seconds after which the move was right to the end; None if the final move is wrong."""
    agrees_from: float | None = None
    """Seconds after which move and verdict were right to the end; None if they are not at the end."""
    key_move: bool | None = None
    """True if the move is known to keep the published result; None if no such move is known, and in a loss."""
    by: str = ""
    """What proves the verdict, as in `kr.proofs.library.KnownValue`; "" if nothing does."""
    processor: float | None = None
    """Seconds of processor time that the searching thread had; None if it did not search."""
    composed: Likely | None = None
    """The likely value of a composed problem; None if it is unclear, if the value is proved, or nobody says that it is
    one."""

    @property
    def pv(self) -> str:
        """The principal variation."""
        return self.lines[0].pv if self.lines else ""

    @property
    def standing(self) -> str:
        """Standing of the verdict: PROVED, LIKELY_VERDICT or UNCLEAR."""
        return PROVED if self.proved else UNCLEAR if self.verdict is None else LIKELY_VERDICT

    @property
    def plies(self) -> int | None:
        """Plies to the end of a win or loss that the search has seen; None if unknown."""
        return SCORE_WIN - abs(self.score) if abs(self.score) > SCORE_DECIDED else None


@dataclass(frozen=True)
class Count:
    """Number of problems of a kind, and of those solved."""

    solved: int
    problems: int
    proved: int = 0
    """Of those solved, the ones whose verdict is proved; the others' is likely."""
    composed: int = 0
    """Of the unclear ones, those whose likely value as composed problems is the published one."""

    @property
    def likely(self) -> int:
        """Of those solved, the ones whose verdict is likely."""
        return self.solved - self.proved

    @property
    def share(self) -> float:
        """Share solved, from 0 to 1; 0 without problems."""
        return self.solved / self.problems if self.problems else 0.0


def solve(problem: Problem, engine: Engine, limits: Limits, multipv: int = 1, stop: Stop | None = None) -> Solution:
    """Search a problem from an empty hash table and judge the answer. A proved win ends the search early.

    stop: ends its searches; the solution is then useless.
    """
    check_type("the problem", problem, Problem)
    position = problem.position
    if position.is_over:
        return _without_move(problem, limits)
    engine.new_game()
    steps: list[Info] = []
    lines = min(multipv, len(position.legal_moves()))
    began = thread_time()
    result = engine.search(
        position, limits, on_info=lambda info: steps.append(info) if info.multipv == 1 else None, multipv=lines,
        stop=stop,
    )  # fmt: skip
    processor = thread_time() - began
    score, value, after = result.score, result.value, None
    if value is None:
        score, value, after = _confirmed(position, result, engine, limits, stop)

    def judged(score: int, value: Value | None) -> Likely | None:
        if value is None and abs(score) > SCORE_PROVED:
            value = Value.from_sign(score)
        if value is not None or after is None:
            return None if value is None else Likely(value, 1.0)
        return likely(score, after, position.pieces, engine.score_scale)

    verdict = judged(score, value)
    answer = None if verdict is None else verdict.value
    agrees, because = judge_answer(problem, result.move, answer)
    if value not in (None, problem.published) and problem.published:
        because = f"published {problem.published}, proved {value}"
    keeps = any(same_move(result.move, key) for key in problem.key_moves)
    right = [*problem.key_moves, *([result.move] if agrees else [])]
    # time, move and verdict of each iteration, and of the end
    answers = [(info.time, info.pv[0], judged(info.score, None)) for info in steps]
    answers.append((result.time, result.move, verdict))
    held = [any(same_move(move, key) for key in right) for _, move, _ in answers]
    agreed = [
        stood and said is not None and said.value == problem.published
        for stood, (*_, said) in zip(held, answers, strict=True)
    ]
    times = [time for time, *_ in answers]
    in_database = engine.database is not None and engine.database.has(position)
    by = "" if value is None else KNOWN_BY_DATABASE if in_database else KNOWN_BY_SEARCH
    return Solution(
        problem, limits, str(result.move), answer, None if verdict is None else verdict.chance, score, result.depth,
        result.nodes, result.time,
        tuple(SolutionLine(info.score, " ".join(map(str, info.pv))) for info in result.lines),
        agrees, because, value is not None, result.probes, _since(times, held), _since(times, agreed),
        None if problem.published is Value.LOSS or not problem.key_moves else keeps, by, processor,
    )  # fmt: skip


def _without_move(problem: Problem, limits: Limits) -> Solution:
    """The solution of a problem whose side to move has lost already."""
    agrees = None if problem.published is None else problem.published is Value.LOSS
    because = "" if agrees is not False else f"published {problem.published}, but no move is left: a loss"
    return Solution(
        problem, limits, "", Value.LOSS, 1.0, -SCORE_WIN, 0, 0, 0.0, (), agrees, because, proved=True,
        by=KNOWN_BY_RULES,
    )  # fmt: skip


def _confirmed(
    position: Position, result: SearchResult, engine: Engine, limits: Limits, stop: Stop | None
) -> tuple[int, Value | None, int]:
    """Score and proved value after a second search, which looks at the position after the best move of the first, and
    the score of the second for the same side."""
    engine.new_game()
    reply = engine.search(position.play(result.move), limits, history=[position], stop=stop)
    after = -reply.score
    # a win after the best move is one before it, a ply further off
    return (after - 1, Value.WIN, after) if reply.value is Value.LOSS else (result.score, None, after)


def with_proofs(solution: Solution, proofs: ProofLibrary, database: Database | None) -> Solution:
    """A solution with what certificates prove of its problem: their value and their move count, not the search's.

    A move that keeps the value by certificates or the database stays. Solutions that are proved already do too.
    """
    problem, position = solution.problem, solution.problem.position
    proof = known_value(position, database, proofs)
    if solution.proved or not proof.by.startswith(CERTIFICATE_WORD):
        return solution
    value = proof.value
    if value is None:
        # one half of the value: what is excluded is not likely
        score, _ = proof.limited(solution.score, KNOWN[Value.DRAW])
        composed = solution.composed
        if composed is not None and not proof.allows(composed.value):
            composed = None
        limited = replace(solution, score=score, composed=composed, by=proof.by)
        if solution.verdict is None or proof.allows(solution.verdict):
            return limited
        because = f"published {problem.published}, {proof.bound} by {proof.by}" if problem.published else ""
        agrees = False if problem.published else None
        return replace(limited, verdict=None, chance=None, agrees=agrees, because=because)
    move = position.parse_move(solution.move)
    after = known_value(position.play(move), database, proofs).one_move_earlier()
    lines, held = solution.lines, solution.move_from
    score = 0 if value is Value.DRAW else value.sign * (SCORE_PROVED + 1)
    if after.value is not value and proof.move is not None:
        move = proof.move
        pv = [move, *strategy_line(proofs.certificate_for(position), position.play(move))]
        lines = (SolutionLine(score, " ".join(map(str, pv))), *lines[1:])
        keeps = any(same_move(move, key) for key in problem.key_moves)
        held = 0.0 if keeps or not problem.key_moves else None
    agrees, because = judge_answer(problem, move, value)
    if problem.published and value is not problem.published:
        because = f"published {problem.published}, proved {value}"
    known_key = None if problem.published is Value.LOSS or not problem.key_moves else any(
        same_move(move, key) for key in problem.key_moves
    )  # fmt: skip
    return replace(
        solution, move=str(move), verdict=value, chance=1.0, composed=None, score=score, lines=lines, agrees=agrees,
        because=because, proved=True, by=proof.by, move_from=held, agrees_from=held if agrees else None,
        key_move=known_key,
    )  # fmt: skip


def _since(times: Sequence[float], held: Sequence[bool]) -> float | None:
    """Time from which a condition held to the end; None if it does not hold at the end."""
    since = None
    for time, holds in zip(times, held, strict=True):
        since = None if not holds else time if since is None else since
    return since


def solve_all(
    problems: Sequence[Problem],
    settings: SolveSettings,
    on_solution: Callable[[Solution, bool], None] | None = None,
    on_check: Callable[[int], None] | None = None,
) -> list[Solution]:
    """Solve problems with each limit, `settings.workers` at a time with an engine each.

    Solutions are in the order of the limits and, for each limit, of the problems. on_solution: called for each solution
    as it is ready, and true if it is of an earlier run. on_check: as on_progress of `load_proofs`. Raises
    InvalidSettingError, InvalidWeightsError, InvalidDatabaseError, and what `open_journal` raises.
    """
    work = EngineWork(Answers(), settings, settings.threads)
    engine = work.engine
    proofs = load_proofs(settings.proofs, engine.database, on_check)
    jobs = [(limits, number) for limits in settings.tc for number in range(len(problems))]
    solutions: dict[Job, Solution] = {}

    def enter(record: dict[str, Any], earlier: bool) -> None:
        job, solution = _answer(problems, record)
        # the file keeps the answer of the engine, so that other certificates can be given later
        if settings.composed and not solution.proved:
            solution = replace(solution, composed=likely_if_composed(solution.score, engine.score_scale))
        if proofs is not None:
            solution = with_proofs(solution, proofs, engine.database)
        solutions[job] = solution
        if on_solution is not None:
            on_solution(solution, earlier)

    tasks = (
        WorkTask((limits, number), {
            "problem": problems[number].as_object(), "number": number, "limits": str(limits),
            "multipv": settings.multipv,
        })
        for limits, number in jobs
    )  # fmt: skip

    def job_of(record: dict[str, Any]) -> Job:
        return _answer(problems, record)[0]

    with work.records(settings.out, lambda: _shaping(problems, settings), job_of) as records:
        work.run(tasks, records, enter)
    return [solutions[job] for job in jobs]


class Answers(EngineUnits[dict[str, Any]]):
    """Units of one problem and one limit; the result is a line of the file of answers."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> dict[str, Any]:
        values = unit.values
        problem, limits = Problem.from_object(values["problem"]), Limits.parse(values["limits"])
        return _entry(values["number"], solve(problem, engine, limits, values["multipv"], stop))


Job = tuple[Limits, int]
"""Limit and number of a problem."""


def _shaping(problems: Sequence[Problem], settings: SolveSettings) -> dict[str, Any]:
    """The settings that shape the answers, but for the limits, which each answer names: others can be added."""
    problem_lines = "\n".join(f"{problem.id} {problem.position.fen} {problem.result}" for problem in problems)
    return {
        "problems": checksum(problem_lines.encode()), "hash": settings.hash, "multipv": settings.multipv,
        # left out for one thread, so that files of one have not to name them
        **({} if settings.threads == 1 else {"threads": settings.threads}),
    }  # fmt: skip


def _answer(problems: Sequence[Problem], values: dict[str, Any]) -> tuple[Job, Solution]:
    """Solution in a line of the file of answers. Raises ValueError, LookupError and TypeError for an invalid one."""
    values = dict(values)
    limits, number = Limits.parse(str(values.pop("limits"))), operator.index(values.pop("number"))
    if values.pop("id") != problems[number].id or number < 0:
        raise ValueError("another problem")
    if "chance" not in values:
        values = _of_one_search(problems[number], values)
    lines = tuple(typed(SolutionLine(**line)) for line in values.pop("lines"))
    verdict = values.pop("verdict")
    solution = Solution(
        problem=problems[number], limits=limits, lines=lines, verdict=None if verdict is None else Value(verdict),
        **values,
    )  # fmt: skip
    return (limits, number), typed(solution)


def _of_one_search(problem: Problem, values: dict[str, Any]) -> dict[str, Any]:
    """An answer of an earlier version, which made one search: what it does not prove is unclear."""
    values = {name: value for name, value in values.items() if name != "chances"}
    if values["proved"]:
        return values | {"chance": 1.0}
    agrees, because = judge_answer(problem, problem.position.parse_move(values["move"]), None)
    unclear = {"verdict": None, "chance": None, "agrees": agrees, "because": because, "agrees_from": None}
    return values | unclear


def _entry(number: int, solution: Solution) -> dict[str, Any]:
    rest = {
        field.name: getattr(solution, field.name)
        for field in fields(solution)
        if field.name not in ("problem", "composed")
    }
    lines = [asdict(line) for line in solution.lines]
    texts = {"limits": str(solution.limits), "lines": lines}
    return {"number": number, "id": solution.problem.id, **rest, **texts}


def count_solved(solutions: Iterable[Solution]) -> dict[str, Count]:
    """Number solved, by a proved and by a likely verdict: "all" with a published result, and by its value for the side
    to move (Value).

    "key moves": moves that keep the published result, among wins and draws with known key moves; by the move alone,
    whatever the score. "disproved": unsolved problems proved to end otherwise than published, which no engine can
    solve.
    """
    with_verdict = [solution for solution in solutions if solution.agrees is not None]
    counts = {"all": _counted(with_verdict)}
    for kind in Value:
        counts[kind] = _counted([each for each in with_verdict if each.problem.published == kind])
    key_moves = [each.key_move for each in with_verdict if each.key_move is not None]
    unsolved = [each for each in with_verdict if not each.agrees]
    disproved = sum(each.proved and each.verdict != each.problem.published for each in unsolved)
    return counts | {"key moves": Count(sum(key_moves), len(key_moves)), "disproved": Count(disproved, len(unsolved))}


def _counted(solutions: Sequence[Solution]) -> Count:
    solved = [each for each in solutions if each.agrees]
    unclear = [(each.composed, each.problem) for each in solutions if each.verdict is None]
    composed = sum(likely is not None and likely.value is problem.published for likely, problem in unclear)
    return Count(len(solved), len(solutions), sum(each.proved for each in solved), composed)


def starved(solutions: Iterable[Solution]) -> float | None:
    """Share of the time of searches with a time limit in which they had a processor; None if it is SLOW or more.

    Other work took the rest, so that the answers are those of that much less time.
    """
    timed = [each for each in solutions if each.processor is not None and each.limits.time is not None]
    total = sum(each.time for each in timed)
    had = sum(each.processor or 0.0 for each in timed)
    return had / total if total >= LEAST_SECONDS and had < SLOW * total else None
