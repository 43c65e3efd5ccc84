"""`kr analyze`."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from kr.cli import console, options
from kr.engine import Engine, Limits
from kr.errors import InvalidFenError
from kr.lab.analysis import Analysis, AnalyzeSettings, Line, analyze, read_tasks
from kr.notation import SIDE_NAMES
from kr.units import format_rate

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = ("", "score", "expect", "win", "draw", "loss", "known", "line")


def run(settings: AnalyzeSettings, json: options.Json = False) -> None:
    """Analyse a position, or those of a file: the best lines, what is to be expected of them, what is known exactly.

    A single position is analysed until Ctrl-C if no limit is given. Scores are centi-men for the side to move;
    "expect" is the expected result (a win counts 1, a draw 1/2), made of the chances of a win, a draw and a loss.
    "known" is exact, by the endgame database or a win seen to its end, with its plies. Ctrl-C ends the search, shows
    what it found, and with several positions ends the command. A line of a file or of standard input that is no FEN is
    reported and left out; the exit code is 1 then. --json prints an object after each iteration.

    Example:
        kr analyze
        kr analyze 'W:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29' --tc 10s --multipv 5
        kr analyze game.pdn --game 3 --ply 20-40 --tc 2s --json
        echo 'B:W18,K30:B1,K6' | kr analyze - --nodes 1M
    """
    left_out = 0

    def report(error: InvalidFenError) -> None:
        nonlocal left_out
        left_out += 1
        console.say_error(error, 1)

    tasks = read_tasks(settings, None if settings.is_fen else report)
    if settings.source != "-":
        # what is wrong with a source is said before the tables are loaded
        tasks = chain(list(islice(tasks, 1)), tasks)
    engine = settings.make_engine()
    with _stopping(engine) as stop:
        for task in tasks:
            if stop.asked:
                break
            with nullcontext(_emit) if json else _live(settings.limits) as show, stop.searching():
                found = analyze(engine, task, settings.limits, settings.multipv, show)
            if not json:
                _print(found, board=settings.is_fen)
    if stop.asked and not (settings.is_fen and settings.limits == Limits()):
        console.fail("interrupted")
    if left_out:
        console.fail(f"{left_out} {'line was' if left_out == 1 else 'lines were'} left out")


@dataclass
class _Stop:
    """Whether Ctrl-C was pressed."""

    asked: bool = False
    under_way: bool = False
    """Whether a search is, which Ctrl-C then ends; the command itself, waiting for input, it ends at once."""

    @contextmanager
    def searching(self) -> Iterator[None]:
        self.under_way = True
        try:
            yield
        finally:
            self.under_way = False


@contextmanager
def _stopping(engine: Engine) -> Iterator[_Stop]:
    """Ctrl-C (and SIGTERM) ends the search in good order, with what it found; the second one ends the command."""
    stop = _Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def asked(number: int, frame: Any) -> None:
        if stop.asked or not stop.under_way:
            raise KeyboardInterrupt
        stop.asked = True
        engine.stop()

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _emit(found: Analysis) -> None:
    position = found.task.position
    console.emit_json(
        {
            "fen": position.fen,
            "from": found.task.title or None,
            "final": found.final,
            "depth": found.depth,
            "nodes": found.nodes,
            "time": round(found.time, 4),
            "nps": round(found.nps),
            "probes": found.probes,
            "hits": found.hits,
            "value": found.value,
            "plies": found.plies,
            "lines": [_object(line) for line in found.lines],
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
        "expected": round(chances.expected, 4),
        "win": round(chances.win, 4),
        "draw": round(chances.draw, 4),
        "loss": round(chances.loss, 4),
        "pv": [str(move) for move in line.pv],
    }


@contextmanager
def _live(limits: Limits) -> Iterator[Callable[[Analysis], None]]:
    """A table on stderr that follows the search and goes when it ends; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda found: None
        return

    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    latest: list[Analysis] = []
    began = time.monotonic()

    class Screen:
        def __rich__(self) -> Group | Text:
            # redrawn between iterations too, so that the clock runs
            if not latest:
                return Text("searching ...")
            ends = f"until {limits}" if limits != Limits() else "until Ctrl-C"
            status = f"{_status(latest[-1], time.monotonic() - began)}, {ends}"
            return Group(*_heading(latest[-1]), _table(latest[-1]), Text(status))

    with Live(Screen(), console=Console(stderr=True), refresh_per_second=8, transient=True):
        yield latest.append


def _print(found: Analysis, board: bool) -> None:
    """What was found, on stdout."""
    from rich.console import Console

    from kr.cli import boards

    out = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    if board:
        coloured = boards.has_colours(out)
        out.print(boards.draw(found.task.position, colour=coloured) if coloured else found.task.position.diagram())
    for line in _heading(found):
        out.print(line, markup=False)
    if not found.lines:
        out.print(f"the game is over: {SIDE_NAMES[found.task.position.side]} has no move and has lost\n", markup=False)
        return
    if sys.stdout.isatty():
        out.print(_table(found))
    else:
        print(console.table(COLUMNS, [_row(line) for line in found.lines]))
    print(f"{_status(found, found.time)}\n", flush=True)


def _heading(found: Analysis) -> list[str]:
    position = found.task.position
    side = f"{SIDE_NAMES[position.side]} to move"
    known = "" if found.value is None else f", {_known(found.value, found.plies)}"
    title = [found.task.title] if found.task.title else []
    return [*title, f"{position.fen}, {side}{known}"]


def _table(found: Analysis) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, expand=True, pad_edge=False)
    for name in COLUMNS:
        last = name == COLUMNS[-1]
        numbers = name not in ("known", "line")
        table.add_column(
            name, justify="right" if numbers else "left", no_wrap=True, overflow="ellipsis", ratio=1 if last else None
        )
    for line in found.lines:
        table.add_row(*map(str, _row(line)))
    return table


def _row(line: Line) -> list[str | int]:
    chances = line.chances
    return [
        line.rank,
        f"{line.score:+}",
        f"{chances.expected:.3f}",
        *(f"{share:.0%}" for share in (chances.win, chances.draw, chances.loss)),
        "" if line.value is None else _known(line.value, line.plies),
        " ".join(map(str, line.pv)),
    ]


def _known(value: str, plies: int | None) -> str:
    return value if plies is None else f"{value} in {plies}"


def _status(found: Analysis, seconds: float) -> str:
    database = f", {found.probes} endgame probes, {found.hits} hits" if found.probes else ""
    return f"depth {found.depth}, {found.nodes} nodes, {seconds:.1f} s, {format_rate(found.nps)} nodes/s{database}"


command = options.command(AnalyzeSettings, run)
