"""Analysing positions: reading them, and after each iteration the best lines with their chances.

A line's value is exact if the endgame database has the position after its first move, if certificates prove it
(`kr.proofs.library`), or if the search has seen the line to its end. A position has two exact facts: its value by the
database or the search (`value`), and a draw of its game by the rules about repetition and progress (`draw`, see
`weighed`). Score and chances are those of the game, so that they follow `draw` where there is one, and else `value`.
Chances are those of `kr.evaluation.chances`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import MOST_LIMITS, MOST_WITHIN, Limits
from kr.engine.result import SCORE_DECIDED, SCORE_PROVED, SCORE_WIN, Info
from kr.engine.search import Search, SearchProgress, Stop
from kr.engine.settings import egdb_memory_option, egdb_option, engine_from, hash_option, threads_option, weights_option
from kr.errors import InvalidFenError, InvalidPdnError, InvalidSettingError
from kr.evaluation.chances import KNOWN, Chances, problem_chances
from kr.game.board import NO_PROGRESS_PLIES, QUIET_BEFORE_DRAW, PositionLike, draw_by_rule, quiet_plies, with_history
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.notation import SIDE_NAMES, fen_lines
from kr.pdn import Game, GameNode, Reader
from kr.policy.policy import LikelyMove, Policy, policy_option
from kr.proofs.known import KNOWN_BY_SEARCH, NOTHING_KNOWN, KnownValue, known_value
from kr.proofs.library import ProofLibrary, proofs_option
from kr.settings import Settings, check_type, option
from kr.storage import is_file, read_regular
from kr.text import file_text
from kr.units import counted, format_count, parse_count

SEVERAL_SECONDS = 1.0
"""Seconds for each position of a file if no limit is given."""


@dataclass(frozen=True)
class AnalyzeSettings(Settings):
    """Positions to analyse, and how to search them."""

    source: str | None = option(
        None, "A FEN, a file of FENs (one a line) or games in PDN, or - for FENs from standard input; the start of the "
        "game if left out.",
        metavar="FEN|FILE|-", argument=True,
    )  # fmt: skip
    multipv: int = option(3, "Number of best moves to show.", low=1, high=MAX_LINES)
    within: int | None = option(
        None, "Show instead all moves that are less than this worse than the best, or as much, in centi-men.",
        low=0, high=MOST_WITHIN,
    )  # fmt: skip
    tc: Limits | None = option(
        None, "Limit of each position: 10s, nodes=1M, depth=25. Without one, until Ctrl-C; 1s each in a file.",
        parse=Limits.parse, metavar="LIMIT",
    )  # fmt: skip
    nodes: int | None = option(
        None, "The same as --tc nodes=.", parse=parse_count, show=format_count, low=1, high=MOST_LIMITS["nodes"]
    )
    depth: int | None = option(None, "The same as --tc depth=.", low=1, high=MOST_LIMITS["depth"])
    game: int = option(1, "Number of the game in a PDN file, from 1.", low=1)
    ply: str = option("", "Plies of a PDN game to analyse, such as 20 or 10-30; 0 is before the first move.")
    people: str = policy_option()
    proofs: tuple[Path, ...] = proofs_option()
    weights: str | None = weights_option()
    hash: int = hash_option()
    threads: int = threads_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("nodes", "depth"):
            limit = getattr(self, name)
            if limit is not None and self.tc is not None and getattr(self.tc, name) is not None:
                raise InvalidSettingError(f"--{name}: --tc limits the {name} already")
        _plies(self.ply)

    @property
    def is_fen(self) -> bool:
        """True if the source is one position, not a file or standard input."""
        return self.source is None or (self.source != "-" and ":" in self.source and not is_file(self.source))

    @property
    def limits(self) -> Limits:
        """Limits of each position; no limit for a single position if none is given."""
        tc = self.tc or Limits()
        limits = Limits(tc.time, self.nodes or tc.nodes, self.depth or tc.depth)
        if limits == Limits() and not self.is_fen:
            limits = Limits(time=SEVERAL_SECONDS)
        return replace(limits, within=self.within)

    def make_engine(self) -> Engine:
        """The engine to analyse with. Raises what Engine raises."""
        return engine_from(self, self.weights, self.threads)


@dataclass(frozen=True)
class Task:
    """A position to analyse."""

    position: Position
    history: tuple[Position, ...] = ()
    """Earlier positions of its game, oldest first."""
    title: str = ""
    """Origin in words; "" for a bare FEN."""

    def __post_init__(self) -> None:
        position, history = with_history(self.position, self.history)
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "history", history)

    @classmethod
    def of(cls, source: Task | PositionLike) -> Task:
        """The task of a position, or of a game with its history; a Task as it is. Raises what `position_of` raises."""
        return source if isinstance(source, Task) else cls(*with_history(source))

    @classmethod
    def at(cls, node: GameNode) -> Task:
        """Task for a node of a game, with its history. Raises IllegalMoveError in an illegal variation."""
        check_type("the node", node, GameNode)
        history: list[Position] = []
        at = node
        while at.parent is not None and at.setup is None:
            at = at.parent
            history.append(at.position)
        return cls(node.position, tuple(reversed(history)))


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
    known: KnownValue = NOTHING_KNOWN
    """What rules, database or certificates say of the first move."""

    @property
    def move(self) -> Move:
        """The first move."""
        return self.pv[0]

    @property
    def by(self) -> str:
        """What proves the value, as in KnownValue, or KNOWN_BY_SEARCH; "" without one."""
        return _proved_by(self.value, self.known)


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
    known: KnownValue = NOTHING_KNOWN
    """What rules, database or certificates say of the position."""

    @property
    def by(self) -> str:
        """What proves the value, as in KnownValue, or KNOWN_BY_SEARCH; "" without one."""
        return _proved_by(self.value, self.known)

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

    @property
    def problem_chances(self) -> Chances:
        """Chances of the value that the position has as a problem; those of the game where the scale is unknown."""
        if self.scale is None or not self.lines:
            return self.chances
        return problem_chances(self.lines[0].score, self.scale, self.value)

    @property
    def drawn(self) -> bool:
        """True if a rule makes the game a draw, here or after the best move."""
        return bool(self.draw or (self.lines and self.lines[0].draw))


def likely_moves(policy: Policy, task: Task | PositionLike) -> list[LikelyMove]:
    """The moves that people are likely to play in a position, most likely first; none if the game is over."""
    task = Task.of(task)
    return policy.choices(task.position, task.history)


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
    known = known_value(task.position, None, None)
    return Analysis(task, (), Value.LOSS, 0, 0, 0, 0.0, 0, 0, final=True, known=known)


def _proved_by(value: Value | None, known: KnownValue) -> str:
    return "" if value is None else KNOWN_BY_SEARCH if known.value is None else known.by


def _analysis(
    engine: Engine, task: Task, infos: Iterable[Info], proofs: ProofLibrary | None, *, final: bool,
    value: Value | None = None,
) -> Analysis:  # fmt: skip
    lines = tuple(_line(engine, task, info, proofs) for info in infos)
    best = next(iter(infos))
    known = known_value(task.position, engine.database, proofs)
    root, plies = known.value, known.plies
    if root is None:
        root, plies = value or lines[0].value, lines[0].plies
    return Analysis(
        task, lines, root, plies, best.depth, best.nodes, best.time, best.probes, best.hits, final,
        draw_by_rule(task.position, task.history), engine.score_scale, known,
    )  # fmt: skip


def _line(engine: Engine, task: Task, info: Info, proofs: ProofLibrary | None) -> Line:
    known = known_value(task.position.play(info.pv[0]), engine.database, proofs).one_move_earlier()
    worth = weighed(info, task, known.value, known.plies)
    score, chances = worth.score, engine.chances(worth.score, worth.certain)
    if worth.certain is None and known.bound:
        score, chances = known.limited(score, chances)
    return Line(
        info.multipv, score, worth.value, worth.plies, chances, info.pv, worth.draw, worth.occurrence,
        worth.certain, known,
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
    played = (*history, after)
    draws = (draw_by_rule(after.play(answer), played) for answer in after.legal_moves())
    return next(filter(None, draws), "")


# --- sources of positions


def read_tasks(settings: AnalyzeSettings, on_error: Callable[[InvalidFenError], None] | None = None) -> Iterator[Task]:
    """Positions to analyse, in order; those of standard input as they come.

    on_error: called for each line of a file or of standard input that is not a position; such a line is left out.
    Without it the error is raised. Raises InvalidFenError and InvalidPdnError, naming file and line, and
    InvalidSettingError.
    """
    source = settings.source
    if source is None or settings.is_fen:
        _no_ply(settings)
        yield Task(Position() if source is None else Position.from_fen(source))
    elif source == "-":
        _no_ply(settings)
        if sys.stdin is None:
            raise InvalidSettingError("standard input is closed")
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        yield from _fens(sys.stdin, "standard input", on_error)
    elif not is_file(source):
        raise InvalidSettingError(f"{source!r} is neither a file nor a FEN such as W:W21,K30:B1,2")
    elif ".pdn" in map(str.lower, Path(source).suffixes):
        yield from _game_tasks(Path(source), settings.game, _plies(settings.ply))
    else:
        _no_ply(settings)
        lines = file_text(read_regular(source), "replace").split("\n")
        if not (yield from _fens(lines, source, on_error)):
            raise InvalidSettingError(f"{source} holds no positions; expected one FEN per line")


def _no_ply(settings: AnalyzeSettings) -> None:
    if settings.ply:
        raise InvalidSettingError("--ply: only a game in PDN, a file named *.pdn or *.pdn.xz, has plies")


def _fens(
    lines: Iterable[str], name: str, on_error: Callable[[InvalidFenError], None] | None
) -> Generator[Task, None, int]:
    """Positions of lines; returns the number of lines that are not empty or comments."""
    count = 0
    for number, text in fen_lines(lines):
        count += 1
        try:
            task = Task(Position.from_fen(text), title=f"{name}:{number}")
        except InvalidFenError as error:
            named = InvalidFenError(f"{name}:{number}: {error}")
            if on_error is None:
                raise named from None
            on_error(named)
        else:
            yield task
    return count


def _plies(text: str) -> range | None:
    """Plies of --ply: "20", "10-30", or "" for all (None)."""
    if not text:
        return None
    first, dash, last = text.partition("-")
    if not first.strip().isdecimal() or (dash and not last.strip().isdecimal()):
        raise InvalidSettingError(f"--ply: {text!r} is neither a ply such as 20 nor a range such as 10-30")
    plies = range(int(first), int(last if dash else first) + 1)
    if not plies:
        raise InvalidSettingError(f"--ply: {text} runs down: write {last.strip()}-{first.strip()}")
    return plies


def _game_tasks(path: Path, number: int, plies: range | None) -> Iterator[Task]:
    game = _nth_game(path, number)
    positions = list(game.positions())
    chosen_plies = range(len(positions)) if plies is None else plies
    if chosen_plies[-1] >= len(positions):
        length = counted(len(game.moves), "ply")
        raise InvalidPdnError(f"--ply: {path}, game {number} has {length}; there is no ply {chosen_plies[-1]}")
    begins = game.history_begins()
    for ply in chosen_plies:
        yield Task(
            positions[ply], tuple(positions[begins[ply] : ply]), f"{_players(game, number)}, {_after(game, ply)}"
        )


def _nth_game(path: Path, number: int) -> Game:
    """A game by its number in a file; unreadable games before it count."""
    count = 0
    with Reader(path) as reader:
        while True:
            try:
                game = reader.read_game()
            except InvalidPdnError as error:
                count += 1
                # an error without a line means a damaged file, not a damaged game
                if count == number or error.line is None:
                    raise
                continue
            if game is None:
                raise InvalidSettingError(f"--game: {path} has {counted(count, 'game')}; there is no game {number}")
            count += 1
            if count == number:
                return game


def _players(game: Game, number: int) -> str:
    names = [game.tags.get(name, "").strip() for name in SIDE_NAMES]
    return " v ".join(name or "?" for name in names) if any(names) else f"game {number}"


def _after(game: Game, ply: int) -> str:
    """The last move, numbered as in a score sheet."""
    if ply == 0:
        return "at the start"
    count = ply - 1 + int(game.start.side)
    return f"after {count // 2 + 1}.{'..' * (count % 2)} {game.moves[ply - 1]}"
