"""What commands print: results on stdout, everything else on stderr, progress only to a terminal."""

import dataclasses
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import typer

from kr.units import format_rate

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


LONGEST = 1000
"""Letters of an error that are shown."""


def say(text: str) -> None:
    """One line on stderr, if it can be written there: there is nowhere else to say that it can't."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        flush_output(sys.stderr)


def fail(message: str, code: int = 1) -> NoReturn:
    """End the command with one line on stderr: 1 the work failed, 2 it was asked for wrongly."""
    say(f"kr: {message}")
    raise typer.Exit(code)


def flush_output(stream: TextIO | None = None) -> OSError | None:
    """Flush standard output, or another stream. Where that fails, drop what can't be written and return the error."""
    stream = stream or sys.stdout
    try:
        stream.flush()
    except OSError as error:
        # What is still buffered would fail again at exit, with a traceback and exit code 120.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        error.filename = "standard output"
        return error
    return None


def say_error(error: BaseException | str, code: int) -> int:
    """The line of an error, and its exit code. A reader that has gone away gets no line."""
    if isinstance(error, OSError) and not error.filename:
        # perhaps a failed print, which shows by failing again
        error = flush_output() or error
    if isinstance(error, BrokenPipeError):
        return code
    text = "out of memory" if isinstance(error, MemoryError) else str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    say(f"kr: {_shortened(' '.join(text.split()))}")
    return code


def _shortened(text: str) -> str:
    """An error that quotes a whole file, perhaps, without its middle."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"


def plain(value: Any) -> Any:
    """The value as JSON types: dataclasses as objects, numpy as numbers and lists, no number as null, else text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    # numpy's scalars and arrays, without importing numpy to ask.
    return plain(value.tolist()) if hasattr(value, "tolist") else str(value)


def emit_json(result: Any) -> None:
    """One JSON object, one line, on stdout."""
    print(json.dumps(plain(result), allow_nan=False), flush=True)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows under headings, columns padded to fit: numbers to the right, text to the left."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *texts, strict=True)]
    left = [any(isinstance(row[i], str | Path) for row in rows) for i in range(len(columns))]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(cells, widths, left, strict=True)
        ).rstrip()

    return "\n".join(line(cells) for cells in [list(columns), *texts])


class Progress:
    """A count of work done, as `progress` yields it. Nothing is shown where stderr is no terminal."""

    def __init__(self, bar: "Bar | None" = None, total: float | None = None) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=total, note="") if bar else None

    def advance(self, count: float = 1, note: str | None = None) -> None:
        """`count` more units are done; `note` replaces the text at the end of the line."""
        if self._bar is not None and self._task is not None:
            fields: dict[str, Any] = {} if note is None else {"note": note}
            self._bar.update(self._task, advance=count, **fields)

    def skip(self, count: float) -> None:
        """`count` units were found done already: they are shown, and left out of the rate."""
        if self._bar is not None and self._task is not None:
            self._bar.reset(self._task, completed=int(self._bar.tasks[0].completed + count))


@contextmanager
def progress(description: str, total: float | None, unit: str = "", done: float = 0) -> Iterator[Progress]:
    """A line on stderr with a bar, count, rate, ETA and a note; `done` units are skipped at the start."""
    if not sys.stderr.isatty():
        yield Progress()
        return

    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{format_rate(task.speed)} {unit}/s" if task.speed else "")

    columns = [
        TextColumn(description, markup=False),
        BarColumn(bar_width=20),
        TextColumn("{task.completed:.0f}" + ("" if total is None else f"/{total:.0f}") + f" {unit}"),
        Rate(),
        TextColumn("ETA"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}", markup=False),
    ]
    with Bar(*columns, console=Console(stderr=True)) as bar:
        work = Progress(bar, total)
        work.skip(done)
        yield work


@contextmanager
def live() -> Iterator[Callable[[str], None]]:
    """Yield a function that redraws a block of text on stderr; it does nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return

    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(stderr=True), auto_refresh=False) as screen:
        yield lambda text: screen.update(Text(text), refresh=True)
