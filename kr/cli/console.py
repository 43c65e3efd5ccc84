"""Output of commands: results on stdout, everything else on stderr."""

import dataclasses
import itertools
import json
import math
import os
import re
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Any, NoReturn, TextIO

from click.exceptions import Exit

from kr.jobs.progress import Progress
from kr.storage import no_file
from kr.system import reader_has_gone, reason_of
from kr.text import visible, visible_lines
from kr.threads import join
from kr.units import counted

STANDARD_OUTPUT = "standard output"
"""Its name in errors."""
LONGEST = 1000
"""Most characters of an error message."""
EVERY = 30.0
"""Seconds between lines of progress if stderr is not a terminal."""
PLAIN_WIDTH = 80
"""Columns of a line if stdout is not a terminal."""
NARROWEST = 40
FOLDED_LEAST = 20
"""Least width of a folded column of a table."""
BELOW = 4
"""Indent of the text below a row of a table."""
GAP = "  "
"""Between the columns of a table."""
NUMBER_CELL = re.compile(r"([+-]?\d[\d,]*(\.\d+)?[%kMG]?|[+-]?inf|nan|-|)")
"""A cell of a table that holds a number or nothing."""
_quiet = False


def set_quiet(quiet: bool) -> None:
    """Let `progress` and `live` show nothing if `quiet` is set."""
    global _quiet
    _quiet = quiet


def put(text: str = "", end: str = "\n", flush: bool = False) -> None:
    """Print text for people to stdout: all that commands print but JSON. Control characters are escaped."""
    print(visible_lines(text), end=end, flush=flush)


def say(text: str) -> None:
    """Print a line to stderr, as `put` does. Errors are ignored: there is nowhere else to report them."""
    try:
        print(visible_lines(text), file=sys.stderr, flush=True)
    except OSError:
        flush_output(sys.stderr)


def show_log(name: str) -> None:
    """Print the messages of a logger to stderr, as lines of their own."""
    import logging

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say(f"kr: {_one_line(record.getMessage())}")

    logger = logging.getLogger(name)
    if not logger.handlers:
        logger.addHandler(Lines())
        logger.setLevel(logging.INFO)
        logger.propagate = False


def wrote(path: str | Path, what: str = "") -> None:
    """Report a written file, and its content, on stderr: commands do so for every file that they write."""
    name = visible(str(path))
    say(f"wrote {name}: {what}" if what else f"wrote {name}")


def fail(message: str, code: int = 1) -> NoReturn:
    """End the command with one line on stderr. code: 1 if the work failed, 2 for wrong usage."""
    say(f"kr: {_one_line(message)}")
    raise Exit(code)


def wait_for_reader() -> None:
    """Wait for Enter: the window of this process closes with it, and what stands there could not be read."""
    say("press Enter to close this window")
    with suppress(KeyboardInterrupt, OSError, ValueError):
        sys.stdin.readline()


def flush_output(stream: TextIO | None = None) -> OSError | None:
    """Flush standard output or another stream. If that fails, drop the rest of the output and return the error."""
    stream = stream or sys.stdout
    try:
        stream.flush()
    except OSError as error:
        # The rest of the buffer would fail again at exit, with a traceback and exit code 120.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        error.filename = STANDARD_OUTPUT
        return error
    return None


def say_error(error: BaseException | str, code: int) -> int:
    """Print the line of an error and return its exit code. Nothing is printed if the reader of our output has gone."""
    if isinstance(error, OSError) and not error.filename:
        # perhaps from a failed print, which would fail again
        error = flush_output() or error
    if isinstance(error, OSError) and error.filename in (None, STANDARD_OUTPUT) and reader_has_gone(error):
        return code
    text = "out of memory" if isinstance(error, MemoryError) else str(error)
    if isinstance(error, OSError):
        reason = reason_of(error)
        if isinstance(error, FileNotFoundError) and reason == error.strerror:
            text = no_file(error.filename) if error.filename else "no such file"
        else:
            text = f"{error.filename}: {reason}" if error.filename else reason
    say(f"kr: {_one_line(text)}")
    return code


def _one_line(text: str) -> str:
    """Error message in one line, without its middle if it is long; it may quote a whole file."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"


def plain(value: Any) -> Any:
    """Value as JSON types: dataclasses as objects, numpy arrays as lists, infinity and NaN as null, others as text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum) and not isinstance(value, str):
        return value.name.lower()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    # numpy's scalars and arrays, without importing numpy
    return plain(value.tolist()) if hasattr(value, "tolist") else str(value)


def emit_json(result: Any) -> None:
    """Print one JSON object as one line on stdout."""
    print(json.dumps(plain(result), allow_nan=False), flush=True)


def width() -> int:
    """Columns of a line on stdout: those of the terminal or of COLUMNS, else 80."""
    return max(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, NARROWEST)


def fold(text: str, indent: int = 0) -> str:
    """Text with lines broken at blanks to fit on stdout; continuations are indented by `indent` more columns.

    The indentation of each line is kept. Words wider than a line stay whole, so that they can be copied.
    """
    return "\n".join("\n".join(_folded(line, width(), indent)) for line in text.split("\n"))


def _folded(line: str, columns: int, indent: int = 0) -> list[str]:
    if len(line) <= columns:
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line.strip(), columns, initial_indent=margin, subsequent_indent=margin + " " * indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Lines of names and texts, the texts aligned and folded; empty texts are left out."""
    shown = [(visible(name), visible(text)) for name, text in pairs if text]
    indent = max((len(name) for name, _ in shown), default=0) + 2
    return "\n".join(fold(f"{f'{name}:':<{indent}}{text}", indent) for name, text in shown)


def ratio(number: float) -> str:
    """A number with two decimals; - if it is not finite."""
    return f"{number:.2f}" if math.isfinite(number) else "-"


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Table with aligned columns: numbers to the right, text to the left.

    If it is wider than stdout, the widest text is folded in its column. If that leaves too little room, a wide text in
    the last column goes below its row, or else the last columns follow as a second table that repeats the first column.
    """
    texts = [["" if cell is None else visible(str(cell)) for cell in row] for row in rows]
    is_text = [not all(NUMBER_CELL.fullmatch(row[i]) for row in texts) for i in range(len(columns))]
    return "\n".join(_table([list(columns), *texts], is_text, width()))


def _table(rows: Sequence[list[str]], is_text: Sequence[bool], columns: int) -> list[str]:
    if (lines := _fitted(rows, is_text, columns)) is not None:
        return list(itertools.chain(*lines))
    widths = _widths(rows)
    heads = _fitted([row[:-1] for row in rows], is_text[:-1], columns)
    if is_text[-1] and widths[-1] > FOLDED_LEAST and heads is not None:
        tails = [_folded(" " * BELOW + row[-1], columns) if row[-1] else [] for row in rows]
        return [line for head, tail in zip(heads, tails, strict=True) for line in (*head, *tail)]
    count = max((n for n in range(2, len(widths)) if _total(widths[:n]) <= columns), default=2)
    if count >= len(widths):
        return _aligned(rows, is_text, widths)
    rest = _table([[row[0], *row[count:]] for row in rows], [is_text[0], *is_text[count:]], columns)
    return [*_table([row[:count] for row in rows], is_text[:count], columns), "", *rest]


def _fitted(rows: Sequence[list[str]], is_text: Sequence[bool], columns: int) -> list[list[str]] | None:
    """Lines of each row, the widest text folded in its column if necessary; None if there is no room for that."""
    widths = _widths(rows)
    if _total(widths) <= columns:
        return [[line] for line in _aligned(rows, is_text, widths)]
    wide = max((i for i, to_left in enumerate(is_text) if to_left), key=lambda i: widths[i], default=None)
    if wide is None:
        return None
    room = columns - _total(widths) + widths[wide]
    if room < max(FOLDED_LEAST, *(len(word) for row in rows for word in row[wide].split())):
        return None
    widths[wide] = room
    lines = []
    for row in rows:
        cells = [_folded(cell, room) if i == wide else [cell] for i, cell in enumerate(row)]
        lines.append(_aligned(list(itertools.zip_longest(*cells, fillvalue="")), is_text, widths))
    return lines


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _aligned(rows: Sequence[Sequence[str]], is_text: Sequence[bool], widths: Sequence[int]) -> list[str]:
    return [
        GAP.join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(row, widths, is_text, strict=True)
        ).rstrip()
        for row in rows
    ]


@contextmanager
def progress(description: str, total: float | None, unit: str = "", count: float = 0) -> Iterator[Progress]:
    """Show progress on stderr with count, rate, time left and a note; `count` units are skipped at the start.

    A terminal gets a bar, anything else a line every EVERY seconds.
    """
    work = Progress(description, total, unit, count)
    with ExitStack() as shown:
        if sys.stderr.isatty() and not _quiet:
            shown.enter_context(_bar(work))
        else:
            shown.enter_context(_lines(lambda: str(work)))
        yield work


@contextmanager
def work(description: str, total: float | None, unit: str, resumes: bool) -> Iterator[Progress]:
    """`progress` of long work, which Ctrl-C ends with a line that says how to go on. resumes: the same command does."""
    with progress(description, total, unit) as shown:
        try:
            yield shown
        except KeyboardInterrupt:
            fail("interrupted; run the same command to resume" if resumes else "interrupted")


class LeftOut:
    """Games or problems that can't be read: told at once, and counted. unit: what they are, in the singular."""

    def __init__(self, unit: str) -> None:
        self.count = 0
        self._unit = unit

    def hear(self, error: BaseException) -> None:
        """Tell an error, and count it."""
        self.count += 1
        say_error(error, 1)

    def end(self) -> None:
        """Fail if there were any."""
        if self.count:
            fail(f"{counted(self.count, self._unit)} left out")


class Stages(ExitStack):
    """Progress of one stage of work after the other, each shown once its total is known."""

    def __init__(self) -> None:
        super().__init__()
        self._stage = ""
        self._line = Progress()

    def show(
        self, stage: str, count: float, total: float | None, unit: str, note: str = "", earlier: float | None = None
    ) -> None:
        """Show `count` of `total` units of a stage, None if their number is unknown.

        earlier: those of them that were found done, which are left out of the rate; those at its first call if not
        given.
        """
        if stage != self._stage:
            self.close()
            self._stage = stage
            self._line = self.enter_context(progress(stage, total, unit, count))
        if earlier is not None:
            self._line.add_earlier(earlier - self._line.earlier)
        self._line.advance(count - self._line.count, note)

    def close(self) -> None:
        """End the line of the current stage."""
        super().close()
        self._stage = ""


@contextmanager
def _bar(work: Progress) -> Iterator[None]:
    """Show a line that is redrawn, never wider than the terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, Task
    from rich.progress import Progress as Bars
    from rich.table import Column
    from rich.text import Text

    class Status(ProgressColumn):
        def render(self, task: Task) -> Text:
            bars.update(task.id, completed=work.count, total=work.total)
            return Text(visible(work.status()))

    class Description(ProgressColumn):
        def render(self, task: Task) -> Text:
            # no TextColumn, for which braces in a text are fields
            return Text(visible(work.description))

    columns = [
        Description(table_column=Column(no_wrap=True)),
        BarColumn(bar_width=None, table_column=Column(ratio=1)),
        Status(table_column=Column(no_wrap=True, overflow="ellipsis")),
    ]
    with Bars(*columns, console=Console(stderr=True), expand=True, refresh_per_second=4) as bars:
        bars.add_task("", total=work.total)
        yield


@contextmanager
def _lines(text: Callable[[], str]) -> Iterator[None]:
    """Print a line of text every EVERY seconds, so that a log shows that the work continues."""
    if _quiet:
        yield
        return
    ended = threading.Event()

    def tell() -> None:
        while not ended.wait(EVERY):
            if line := text():
                say(line)

    teller = threading.Thread(target=tell, daemon=True)
    # if the system starts no more threads, the work continues silently
    with suppress(RuntimeError):
        teller.start()
    try:
        yield
    finally:
        ended.set()
        join(teller)


@contextmanager
def live() -> Iterator[Callable[[str, str], None]]:
    """Yield show(block, line). A terminal on stderr shows the latest block, redrawn; anything else gets the latest
    line every EVERY seconds.
    """
    if _quiet or not sys.stderr.isatty():
        latest = [""]

        def keep(block: str, line: str) -> None:
            latest[0] = line

        with _lines(lambda: latest[0]):
            yield keep
        return

    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(stderr=True), auto_refresh=False) as screen:
        yield lambda block, line: screen.update(Text(visible_lines(block)), refresh=True)
