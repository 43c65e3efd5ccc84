"""`kr analyze`."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

from kr.analysis.analysis import Analysis, Analyzing, Line
from kr.analysis.sources import AnalyzeSettings, Task, read_tasks
from kr.cli import console, options
from kr.cli.proved import library_of
from kr.egdb.database import Database
from kr.engine.limits import Limits
from kr.engine.search import SearchProgress
from kr.errors import InvalidFenError
from kr.evaluation.chances import format_score
from kr.game.outcome import DRAW_BY
from kr.game.position import Move
from kr.notation import SIDE_NAMES
from kr.players.people import People, PersonMove
from kr.policy.policy import chosen_policy
from kr.proofs.known import CERTIFICATE_WORD
from kr.system import END_SIGNALS
from kr.text import visible, visible_lines
from kr.units import counted, format_rate, format_value

LIKELY, MANY = 0.05, 0.25
"""Probabilities from which some people play a move, so that it is named without a line, and many do."""


@options.command
def command(settings: AnalyzeSettings, json: bool = options.JSON) -> None:
    """Analyse a position, or those of a file: best lines, expected results, exact values where known.

    A single position is analysed until Ctrl-C if no limit is given. Scores are in centi-men for the side to move.
    "expect" is the expected result (win 1, draw 1/2, loss 0) from the chances of a win, a draw and a loss. "known" is
    an exact value with its distance in plies, from the endgame database or a win seen to the end, whatever the history
    of the game; "draw by repetition" or "for lack of progress" beside it is the result of the game by the rules, which
    score and chances follow. With --proofs a certificate's value is known as well, or half of it: "does not lose".
    Ctrl-C ends the search and shows its result; with several positions it also ends the command. Invalid lines of a
    file or of standard input are reported and left out; the exit code is then 1. --json prints an object after each
    iteration. "people" is the share of people who would play the move, learned from recorded games; where several moves
    draw, with at most 5 pieces, they are put in order, the hardest for people first (--people none: leave both out).

    Example:
        kr analyze
        kr analyze "W:W18,24,K10,K15:B12,16,20,K22,K29" --tc 10s --multipv 5
        kr analyze "W:W21,K30:B1,2" --proofs certificates --tc 1s
        kr analyze --within 25 --tc 5s
        kr analyze game.pdn --game 3 --ply 20-40 --tc 2s --json
        echo "B:W18,K30:B1,K6" | kr analyze - --nodes 1M
    """
    left_out = 0

    def report(error: InvalidFenError) -> None:
        nonlocal left_out
        left_out += 1
        console.say_error(error, 1)

    tasks = read_tasks(settings, None if settings.is_fen else report)
    if settings.source != "-":
        # errors in the source are reported before the tables are loaded
        tasks = chain(list(islice(tasks, 1)), tasks)
    engine = settings.make_engine()
    policy = chosen_policy(settings.people)
    people = None if policy is None else People(policy, engine.database)
    proofs = library_of(settings.proofs, engine.database)
    with _stopping() as stop:
        for task in tasks:
            if stop.pressed:
                break
            played = _played(people, task)
            with (
                Analyzing(engine, task, settings.limits, settings.multipv, proofs) as analyzing,
                nullcontext(partial(_emit, played)) if json else _live(settings.limits, played, analyzing) as show,
                stop.ending(analyzing),
            ):
                for analysis in analyzing:
                    show(analysis)
            if not json:
                _print(analysis, played, board=settings.is_fen)
                if engine.database is not None and analysis.value is None:
                    _say_build(engine.database, analysis)
    if stop.pressed and not (settings.is_fen and settings.limits.endless):
        console.fail("interrupted")
    if left_out:
        console.fail(f"{counted(left_out, 'line')} left out")


class _Played(NamedTuple):
    """What people play in a position."""

    likely: Sequence[PersonMove]
    harder: Sequence[Move]
    """Moves that draw, the hardest for people first; none where that is not known."""


def _played(people: People | None, task: Task) -> _Played:
    if people is None:
        return _Played((), ())
    return _Played(people.moves(task.position, task.history), people.harder_first(task.position, task.history))


@dataclass
class _Interrupt:
    """State of Ctrl-C: pressed is True once it was pressed."""

    pressed: bool = False
    analyzing: Analyzing | None = None
    """Analysis under way, which Ctrl-C ends; without one, Ctrl-C ends the command at once."""

    @contextmanager
    def ending(self, analyzing: Analyzing) -> Iterator[None]:
        """Let Ctrl-C end this analysis during the block."""
        self.analyzing = analyzing
        try:
            yield
        finally:
            self.analyzing = None


@contextmanager
def _stopping() -> Iterator[_Interrupt]:
    """Let the first Ctrl-C or SIGTERM end the search and keep its result, and the second one end the command."""
    stop = _Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(number: int, frame: Any) -> None:
        if stop.pressed or stop.analyzing is None:
            raise KeyboardInterrupt
        stop.pressed = True
        stop.analyzing.stop()

    before = {number: signal.signal(number, handle) for number in END_SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _emit(played: _Played, analysis: Analysis) -> None:
    position = analysis.task.position
    console.emit_json(
        {
            "fen": position.fen,
            "from": analysis.task.title or None,
            "final": analysis.final,
            "depth": analysis.depth,
            "nodes": analysis.nodes,
            "time": round(analysis.time, 4),
            "nps": round(analysis.nps),
            "probes": analysis.probes,
            "hits": analysis.hits,
            "value": analysis.value,
            "plies": analysis.plies,
            "by": analysis.by or None,
            "least": analysis.bounds.least,
            "most": analysis.bounds.most,
            "proved_move": None if analysis.bounds.move is None else str(analysis.bounds.move),
            "drawn_by": analysis.draw or None,
            "lines": [_object(line) for line in analysis.lines],
            "people": [
                {"move": str(each.move), "probability": round(each.probability, 4), "holds": each.holds}
                for each in played.likely
            ],
            "harder": [str(move) for move in played.harder],
        }
    )


def _object(line: Line) -> dict[str, Any]:
    chances = line.chances
    return {
        "multipv": line.rank,
        "move": str(line.pv[0]),
        "score": line.score,
        "value": line.value,
        "plies": line.plies,
        "by": line.by or None,
        "least": line.bounds.least,
        "most": line.bounds.most,
        "drawn_by": line.draw or None,
        "occurrence": line.occurrence,
        "expected": round(chances.expected, 4),
        "win": round(chances.win, 4),
        "draw": round(chances.draw, 4),
        "loss": round(chances.loss, 4),
        "pv": [str(move) for move in line.pv],
    }


@contextmanager
def _live(limits: Limits, played: _Played, analyzing: Analyzing) -> Iterator[Callable[[Analysis], None]]:
    """Show a table on stderr during the search if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda analysis: None
        return

    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    latest: list[Analysis] = []

    class Screen:
        def __rich__(self) -> Text:
            # redrawn also between iterations, so that clock and nodes run
            if not latest:
                return Text("searching ...")
            ends = "until Ctrl-C" if limits.endless else f"until {limits}"
            return Text(visible_lines(f"{_text(latest[-1], played, analyzing.progress())}, {ends}"))

    with Live(Screen(), console=Console(stderr=True), refresh_per_second=8, transient=True):
        yield latest.append


def _print(analysis: Analysis, played: _Played, board: bool) -> None:
    """Print the result on stdout."""
    from kr.cli import boards

    if board:
        boards.show(analysis.task.position)
    console.put(f"{_text(analysis, played)}\n", flush=True)


def _say_build(database: Database, analysis: Analysis) -> None:
    """Say which build would give the value of a position with few pieces."""
    # a room that most analyses need not load
    from kr.egdb.forecast import build_for

    position = analysis.task.position
    if not database.has(position) and (build := build_for(position)):
        console.put(console.fold(f"`{build.command}` ({build.cost}) makes a database that knows its value") + "\n")


def _text(analysis: Analysis, played: _Played, progress: SearchProgress | None = None) -> str:
    """Position, lines and search statistics as text. progress: of the search since the last lines."""
    position = analysis.task.position
    side = SIDE_NAMES[position.side]
    value = _proved(analysis)
    # two facts: the value of the position, and a draw of its game
    drawn = f"; the game can be claimed drawn {DRAW_BY[analysis.draw]}" if analysis.draw else ""
    heading = console.fold(f"{position.fen}, {side} to move{value}{drawn}")
    parts = [console.fold(visible(analysis.task.title), 2), heading] if analysis.task.title else [heading]
    if not analysis.lines:
        return "\n".join([*parts, f"the game is over: {side} has no move and has lost"])
    notes = (_others(analysis, played.likely), _harder(played.harder), _status(analysis, progress))
    return "\n".join([*parts, _table(analysis, played.likely), *(console.fold(text) for text in notes if text)])


def _proved(analysis: Analysis) -> str:
    """Value of the position, with the certificate that proves it and its move."""
    bounds = analysis.bounds
    worth = bounds.bound if analysis.value is None else format_value(analysis.value, analysis.plies)
    if not worth:
        return ""
    if not bounds.by.startswith(CERTIFICATE_WORD):
        return f", {worth}"
    move = "" if bounds.move is None else f": {bounds.move}"
    return f", {worth}, proved by {visible(bounds.by)}{move}"


def _table(analysis: Analysis, likely: Sequence[PersonMove]) -> str:
    columns = ["", "score", "expect", "win", "draw", "loss", "people", "known", "line"]
    shares = {_squares(each.move): _share(each) for each in likely}
    rows = [_row(line, shares.get(_squares(line.move))) for line in analysis.lines]
    # an empty column leaves its room to the lines
    filled = [i for i, name in enumerate(columns) if name not in ("people", "known") or any(row[i] for row in rows)]
    return console.table([columns[i] for i in filled], [[row[i] for i in filled] for row in rows])


def _share(each: PersonMove) -> str:
    """How many people play a move: a percentage, or a word where none has held in a test."""
    if each.holds:
        # of chances below that the test confirms no more
        return "<1%" if each.probability < 0.01 else f"{each.probability:.0%}"
    return "many" if each.probability >= MANY else "some" if each.probability >= LIKELY else "few"


def _row(line: Line, people: str | None) -> list[str]:
    chances = line.chances
    return [
        f"{line.rank}",
        f"{format_score(line.score):>5}",
        f"{chances.expected:.3f}",
        *(f"{share:.0%}" for share in (chances.win, chances.draw, chances.loss)),
        "" if people is None else people.rjust(6),
        _known(line),
        " ".join(map(str, line.pv)),
    ]


def _known(line: Line) -> str:
    """Exact facts of a line: the value of its first move, and a draw or repetition by the history of the game."""
    bounds = line.bounds
    worth = bounds.bound if line.value is None else format_value(line.value, line.plies)
    if worth and bounds.by.startswith(CERTIFICATE_WORD):
        worth = f"{worth} by {visible(bounds.by)}"
    history = f"draw {DRAW_BY[line.draw]}" if line.draw else "repeats" if line.occurrence > 1 else ""
    return "; ".join(filter(None, (history, worth)))


def _others(analysis: Analysis, likely: Sequence[PersonMove]) -> str:
    """Moves without a line that people are likely to play; "" if there are none."""
    shown = {_squares(line.move) for line in analysis.lines}
    others = [each for each in likely if each.probability >= LIKELY and _squares(each.move) not in shown]
    return f"people also play {', '.join(f'{each.move} {_share(each)}' for each in others)}" if others else ""


def _harder(draws: Sequence[Move]) -> str:
    """The order of moves that draw; "" if there is none."""
    return f"draws, the hardest for people first: {', '.join(map(str, draws))}" if draws else ""


def _squares(move: Move) -> tuple[int, int, int]:
    """Identity of a move: captures of the same pieces along different paths are one."""
    return move.origin, move.target, move.captured


def _status(analysis: Analysis, progress: SearchProgress | None) -> str:
    nodes, seconds, depth = analysis.nodes, analysis.time, f"depth {analysis.depth}"
    if progress is not None and not analysis.final:
        nodes, seconds = max(nodes, progress.nodes), max(seconds, progress.time)
        if progress.depth > analysis.depth:
            depth = f"{depth}, now {progress.depth}"
    speed = f"{counted(nodes, 'node')}, {seconds:.1f} s, {format_rate(nodes / max(seconds, 1e-6))} nodes/s"
    database = (
        f", {counted(analysis.probes, 'endgame probe')}, {counted(analysis.hits, 'hit')}" if analysis.probes else ""
    )
    return f"{depth}, {speed}{database}"
