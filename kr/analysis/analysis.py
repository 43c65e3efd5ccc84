"""Analysing positions: after each iteration the best lines with their chances.

A line's value is exact if the endgame database has the position after its first move, if certificates prove it
(`kr.proofs.library`), or if the search has seen the line to its end. A position has two exact facts: its value by the
database or the search (`value`), and a draw of its game by the rules about repetition and progress (`draw`, see
`weighed`). Score and chances are those of the game, so that they follow `draw` where there is one, and else `value`.
Chances are those of `kr.evaluation.chances`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType

from kr.analysis.sources import Task
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_DECIDED, SCORE_PROVED, SCORE_WIN, Info
from kr.engine.search import Search, SearchProgress, Stop
from kr.evaluation.chances import KNOWN, Chances, format_score
from kr.evaluation.verdicts import Likely, likely, likely_if_composed
from kr.game.board import NO_PROGRESS_PLIES, QUIET_BEFORE_DRAW, PositionLike, draw_by_rule, quiet_plies
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.proofs.known import KNOWN_BY_SEARCH, NOTHING_KNOWN, KnownValue, known_value
from kr.proofs.library import ProofLibrary
from kr.settings import check_type
from kr.units import counted, format_value


@dataclass(frozen=True)
class Line:
    """A line of an analysis: one of the best moves and its principal variation."""

    rank: int
    """From 1."""
    score: int
    """Centi-men, side to move's view."""
    value: Value | None
    """Proved value for the side to move, whatever the history of the game; None if not proved."""
    plies: int | None
    """Plies to the end of a proved win or loss; None if unknown."""
    chances: Chances
    """Chances of the game: a draw if `draw` names a rule."""
    pv: tuple[Move, ...]
    draw: str = ""
    """Rule, REPETITION or NO_PROGRESS, by which the game can be claimed drawn after the first move, or after an answer
    that saves the opponent; "" if there is none."""
    occurrence: int = 1
    """Number of times that the position after the first move has then been on the board."""
    certain: Value | None = None
    """Certain result of the game: a draw by rule, or else the proved value; None without either, and for a win that may
    take longer than the rule about progress allows."""
    bounds: KnownValue = NOTHING_KNOWN
    """What rules, database or certificates say of the first move."""

    @property
    def move(self) -> Move:
        """The first move."""
        return self.pv[0]

    @property
    def by(self) -> str:
        """What proves the value, as in KnownValue, or KNOWN_BY_SEARCH; "" without one."""
        return _proved_by(self.value, self.bounds)


@dataclass(frozen=True)
class Analysis:
    """Analysis of a position after an iteration."""

    task: Task
    lines: tuple[Line, ...]
    """Best first; empty if the game is over."""
    value: Value | None
    """Proved value of the position for the side to move, whatever the history of its game; None if not proved."""
    plies: int | None
    """Plies to the end of a proved win or loss; None if unknown."""
    depth: int
    """Depth of the last iteration in plies."""
    nodes: int
    time: float
    """Seconds."""
    probes: int
    """Positions looked up in the endgame database."""
    hits: int
    """Look-ups that ended a line of the search."""
    final: bool
    """True once the search has ended."""
    draw: str = ""
    """Rule, REPETITION or NO_PROGRESS, by which the game can be claimed drawn in the position; "" if there is none."""
    scale: float | None = None
    """Centi-men in a logit of the engine (`Engine.score_scale`); None if unknown."""
    bounds: KnownValue = NOTHING_KNOWN
    """What rules, database or certificates say of the position."""

    @property
    def by(self) -> str:
        """What proves the value, as in KnownValue, or KNOWN_BY_SEARCH; "" without one."""
        return _proved_by(self.value, self.bounds)

    @property
    def nps(self) -> float:
        """Nodes a second."""
        return self.nodes / max(self.time, 1e-6)

    @property
    def chances(self) -> Chances:
        """Chances of the game: those of the best line, unless it can be claimed drawn."""
        if self.draw:
            return KNOWN[Value.DRAW]
        if not self.lines:
            return KNOWN[Value.LOSS]
        best = self.lines[0]
        # the position's value may be known where that of its best line is not
        return KNOWN[self.value] if self.value is not None and best.value is None else best.chances

    def likely(self, after: Analysis) -> Likely | None:
        """The value that is proved, or likely by this analysis and one of the position after its best move; else None.

        after: of the same limits. None where the scale is unknown, too.
        """
        if self.value is not None:
            return Likely(self.value, 1.0)
        if after.value is Value.LOSS:
            return Likely(Value.WIN, 1.0)
        if self.scale is None or not after.lines:
            return None
        return likely(self.lines[0].score, -after.lines[0].score, self.task.position.pieces, self.scale)

    @property
    def likely_if_composed(self) -> Likely | None:
        """The likely value if the position is a composed problem with the solver to move; None if it is unclear."""
        return None if self.scale is None or not self.lines else likely_if_composed(self.lines[0].score, self.scale)

    def _repr_html_(self) -> str:
        """Board and lines as notebooks show them."""
        from kr.analysis.notebook import ShownLine, analysis_html

        lines = [
            ShownLine(
                line.pv,
                format_score(line.score) if line.value is None else format_value(line.value, line.plies),
                line.chances.expected,
            )
            for line in self.lines
        ]
        facts = [
            "the game is over" if not lines else f"a draw by {self.draw}" if self.draw else "",
            f"proved: {format_value(self.value, self.plies)}" if self.value and lines and not self.draw else "",
            f"depth {self.depth}, {counted(self.nodes, 'node')}, {self.time:.2f} s",
        ]
        return analysis_html(self.task.position, lines, "; ".join(filter(None, facts)))

    @property
    def drawn(self) -> bool:
        """True if a rule makes the game a draw, here or after the best move."""
        return bool(self.draw or (self.lines and self.lines[0].draw))


class Analyzing:
    """An analysis in the background, like a search by `Engine.start`; iterate for its steps, the final one last.

        with Analyzing(engine, task, multipv=3) as analyzing:
            for analysis in analyzing:
                ...

    Arguments and errors are those of `analyze`.
    """

    def __init__(
        self,
        engine: Engine,
        task: Task | PositionLike,
        limits: Limits | float | str | None = None,
        multipv: int = 1,
        proofs: ProofLibrary | None = None,
    ) -> None:
        check_type("the engine", engine, Engine)
        self._engine = engine
        self._proofs = proofs
        self._task = Task.of(task)
        self._search: Search | None = None
        if not self._task.position.is_over:
            self._search = engine.start(
                self._task.position, Limits() if limits is None else limits, self._task.history, multipv=multipv
            )

    def __enter__(self) -> Analyzing:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._search is not None:
            self._search.close()

    def __iter__(self) -> Iterator[Analysis]:
        if self._search is None:
            yield _over(self._task)
            return
        lines: list[Info] = []
        for info in self._search:
            lines.append(info)
            if len(lines) == info.lines:
                yield _analysis(self._engine, self._task, lines, self._proofs, final=False)
                lines = []
        result = self._search.result()
        yield _analysis(self._engine, self._task, result.lines, self._proofs, final=True, value=result.value)

    def progress(self) -> SearchProgress | None:
        """Progress of the search, also between two steps; None once it has ended."""
        return None if self._search is None else self._search.progress()

    def stop(self) -> None:
        """End the analysis at once, from any thread; its result comes as the final step."""
        if self._search is not None:
            self._search.stop()


def analyze(
    engine: Engine,
    task: Task | PositionLike,
    limits: Limits | float | str | None = None,
    multipv: int = 1,
    on_analysis: Callable[[Analysis], None] | None = None,
    stop: Stop | None = None,
    proofs: ProofLibrary | None = None,
) -> Analysis:
    """Analyse a position until a limit is reached or `engine.stop()` ends it, and return the final analysis.

    task: a position; for draws by repetition, a Board or a Task with the history (`Task.at(node)` of a PDN game).
    multipv: number of best moves that get a line. on_analysis: called after each iteration, and last with the final
    analysis. stop: ends it once set, even before the search begins. proofs: certificates whose values count. Raises
    what Engine.search raises, except that a finished game gives an analysis without lines.
    """
    check_type("the engine", engine, Engine)
    task = Task.of(task)
    position = task.position
    if position.is_over:
        analysis = _over(task)
        if on_analysis is not None:
            on_analysis(analysis)
        return analysis
    collected: list[Info] = []

    def on_info(info: Info) -> None:
        if on_analysis is None:
            return
        if info.multipv == 1:
            collected.clear()
        collected.append(info)
        if len(collected) == info.lines:
            on_analysis(_analysis(engine, task, collected, proofs, final=False))

    result = engine.search(position, Limits() if limits is None else limits, task.history, on_info, multipv, stop=stop)
    analysis = _analysis(engine, task, result.lines, proofs, final=True, value=result.value)
    if on_analysis is not None:
        on_analysis(analysis)
    return analysis


def _over(task: Task) -> Analysis:
    bounds = known_value(task.position, None, None)
    return Analysis(task, (), Value.LOSS, 0, 0, 0, 0.0, 0, 0, final=True, bounds=bounds)


def _proved_by(value: Value | None, bounds: KnownValue) -> str:
    return "" if value is None else KNOWN_BY_SEARCH if bounds.value is None else bounds.by


def _analysis(
    engine: Engine, task: Task, infos: Iterable[Info], proofs: ProofLibrary | None, *, final: bool,
    value: Value | None = None,
) -> Analysis:  # fmt: skip
    lines = tuple(_line(engine, task, info, proofs) for info in infos)
    best = next(iter(infos))
    bounds = known_value(task.position, engine.database, proofs)
    root, plies = bounds.value, bounds.plies
    if root is None:
        root, plies = value or lines[0].value, lines[0].plies
    return Analysis(
        task, lines, root, plies, best.depth, best.nodes, best.time, best.probes, best.hits, final,
        draw_by_rule(task.position, task.history), engine.score_scale, bounds,
    )  # fmt: skip


def _line(engine: Engine, task: Task, info: Info, proofs: ProofLibrary | None) -> Line:
    bounds = known_value(task.position.play(info.pv[0]), engine.database, proofs).one_move_earlier()
    worth = weighed(info, task, bounds.value, bounds.plies)
    score, chances = worth.score, engine.chances(worth.score, worth.certain)
    if worth.certain is None and bounds.bound:
        score, chances = bounds.limited(score, chances)
    return Line(
        info.multipv, score, worth.value, worth.plies, chances, info.pv, worth.draw, worth.occurrence,
        worth.certain, bounds,
    )  # fmt: skip


@dataclass(frozen=True)
class Worth:
    """Worth of a line. Fields are those of `Line`."""

    score: int
    value: Value | None
    plies: int | None
    draw: str
    occurrence: int
    certain: Value | None


def weighed(info: Info, task: Task, value: Value | None, plies: int | None) -> Worth:
    """Worth of a line of a search, by the database value of its first move and by the history of the game.

    value, plies: of the first move in the endgame database, for the side that plays it; None if unknown. A search takes
    every repetition for a draw. In a known win or loss only the third occurrence makes one, or the second if the
    opponent, who would lose, can bring about the third.
    """
    after, history = task.position.play(info.pv[0]), (*task.history, task.position)
    occurrence = 1 + history[-1 - quiet_plies(after, history) :].count(after)
    score = info.score
    # a line searched to its end takes account of draws by rule on the way
    if abs(score) > SCORE_PROVED:
        value = Value.from_sign(score)
        if abs(score) > SCORE_DECIDED:
            plies = SCORE_WIN - abs(score)
    draw = draw_after(after, history, value)
    if draw:
        return Worth(0, value, plies, draw, occurrence, Value.DRAW)
    certain = value
    if value in (Value.WIN, Value.LOSS) and abs(score) <= SCORE_PROVED:
        if plies is not None and quiet_plies(task.position, task.history) + plies >= NO_PROGRESS_PLIES:
            # the win may take longer than the rule about progress allows: the search knows better
            certain = None
        else:
            score = value.sign * (SCORE_WIN - plies if plies is not None else SCORE_PROVED + 1)
    return Worth(score, value, plies, draw, occurrence, certain)


def draw_after(after: Position, history: Sequence[Position], value: Value | None) -> str:
    """Rule by which a game can be claimed drawn after a move, or after an answer to it by the losing side.

    history: positions before the move, the one in which it is played last. value: for the side that played it.
    """
    if after.is_over:
        return ""
    if (draw := draw_by_rule(after, history)) or value is not Value.WIN:
        return draw
    if quiet_plies(after, history) + 1 < QUIET_BEFORE_DRAW:
        return ""
    positions = (*history, after)
    draws = (draw_by_rule(after.play(answer), positions) for answer in after.legal_moves())
    return next(filter(None, draws), "")
