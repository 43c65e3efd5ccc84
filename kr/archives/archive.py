"""Collections of games in PDN files: read, checked, and written in normal form."""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from kr import storage
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Side
from kr.pdn import Game, Reader, Results, StringExporter, is_pdn, normalise
from kr.pdn.replay import is_over
from kr.settings import REQUIRED, Settings, option
from kr.storage import no_file
from kr.text import visible_lines
from kr.units import counted

STANDARD_INPUT = Path("-")
CONVENTIONS = ("english", "white")
PACKERS = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")

Where = Callable[[Mapping[str, str]], bool]


@dataclass(frozen=True)
class ReadSettings(Settings):
    """Games to read, and how to read them. Raises InvalidSettingError for an unknown convention."""

    files: tuple[Path, ...] = option(
        REQUIRED, "PDN files, also packed by gzip, xz or bzip2; folders of them, to any depth; - for standard input.",
        argument=True, metavar="FILE",
    )  # fmt: skip
    results: str = option(
        "english",
        'Meaning of "1-0" in them: english (Black, who begins, won) or white (White won).',
        choices=CONVENTIONS,
    )
    encoding: str = option("detect", "Encoding: detect, utf-8, latin-1, cp437 or another.")
    allow_errors: bool = option(False, "Exit with 0 instead of 1 if games could not be read.")


@dataclass(frozen=True)
class ConvertSettings(ReadSettings):
    """Settings for writing games in normal form."""

    out: Path | None = option(
        None, "File to write, packed where its name ends in .gz, .xz or .bz2.  [default: standard output]",
        metavar="FILE",
    )  # fmt: skip
    cut: bool = option(False, "Write a game up to its first illegal move, the rest as a comment.")
    write_results: str = option("english", 'Meaning of "1-0" in the output: {allowed}.', choices=CONVENTIONS)
    comments: bool = option(True, "Write comments.")
    variations: bool = option(True, "Write variations.")
    nags: bool = option(True, "Write judgements of moves.")
    width: int = option(79, "Characters in a line of moves; 0: one line per game.", low=0)
    unique: bool = option(False, "Leave out games with the same start, moves and result as an earlier one.")


@dataclass
class FileReport:
    """Findings in one file so far."""

    file: Path
    results: str
    """Convention in which its results are read."""
    games: int = 0
    plies: int = 0
    errors: list[InvalidPdnError] = field(default_factory=list)
    """One for each game that could not be read."""
    warnings: list[tuple[int, str]] = field(default_factory=list)
    """Line at which a game begins, and a decision of the reader in it."""
    encoding: str = ""
    agreeing: int = 0
    """Games that end with a side unable to move, and whose result says that it lost."""
    contradicting: int = 0
    """Games that end in the same way, and whose result says that it won."""

    @property
    def turned(self) -> bool:
        """True if the results make more sense in the other convention."""
        return self.contradicting > self.agreeing

    def compare_result(self, game: Game) -> None:
        """Count a game that ends with a side unable to move."""
        end = game.end().bits
        if game.winner is None or not is_over(end):
            return
        if game.winner == Side(end[3]).other:
            self.agreeing += 1
        else:
            self.contradicting += 1

    @property
    def doubt(self) -> str:
        """That the results make more sense in the other convention than the one they were read in; "" if they don't."""
        if not self.turned:
            return ""
        (other,) = set(CONVENTIONS) - {self.results}
        counted_results = f"{self.contradicting} of {self.contradicting + self.agreeing} results"
        return f"{counted_results} contradict the final position: probably --results {other}"


class Archive:
    """Games of files, one after another. `reports` has the findings for each file; the last is the one being read.

    where: called with the headers of a game before its moves are read; without it all games are read. on_bytes: called
    with the number of bytes read since the last call. on_error: called for each unreadable game. cut: a game ends
    before its first illegal move. Raises InvalidSettingError for a missing file, and InvalidPdnError for a damaged one.
    """

    def __init__(
        self,
        settings: ReadSettings,
        where: Where | None = None,
        on_bytes: Callable[[int], None] | None = None,
        on_error: Callable[[Path, InvalidPdnError], None] | None = None,
        cut: bool = False,
    ) -> None:
        self.paths = expanded(settings.files)
        self.reports: list[FileReport] = []
        self._settings = settings
        self._where = where
        self.on_bytes = on_bytes
        self._on_error = on_error
        self._cut = cut

    @property
    def size(self) -> int:
        """Bytes of all files; 0 if one is a pipe."""
        if STANDARD_INPUT in self.paths:
            return 0
        return sum(path.stat().st_size for path in self.paths)

    @property
    def left_out(self) -> int:
        """Number of games that could not be read so far."""
        return sum(len(report.errors) for report in self.reports)

    def __iter__(self) -> Iterator[tuple[FileReport, Game]]:
        for path in self.paths:
            report = FileReport(path, self._settings.results)
            self.reports.append(report)

            def note(error: InvalidPdnError, report: FileReport = report) -> None:
                report.errors.append(error)
                if self._on_error:
                    self._on_error(report.file, error)

            source: Any = sys.stdin.buffer if path == STANDARD_INPUT else path
            results = cast(Results, self._settings.results)
            reported = 0
            with Reader(
                source, results=results, encoding=self._settings.encoding, on_error=note, where=self._where,
                cut=self._cut,
            ) as reader:  # fmt: skip
                for game in reader:
                    report.games += 1
                    report.encoding = reader.encoding
                    if self.on_bytes and (position := reader.position) > reported:
                        self.on_bytes(position - reported)
                        reported = position
                    yield report, game
                report.encoding = reader.encoding
            if self.on_bytes and path != STANDARD_INPUT:
                self.on_bytes(path.stat().st_size - reported)


def expanded(paths: tuple[Path, ...]) -> list[Path]:
    """The files, with directories replaced by the PDN files in and below them. Raises InvalidSettingError."""
    files: list[Path] = []
    for path in paths:
        if path == STANDARD_INPUT or path.is_file() or path.is_fifo():
            files.append(path)
            if path == STANDARD_INPUT and sys.stdin is None:
                raise InvalidSettingError("standard input is closed")
        elif path.is_dir():
            # links to folders are not followed, which may lead round
            inside = [Path(place, name) for place, _, names in os.walk(path) for name in names]
            below = sorted(inner for inner in inside if is_pdn(inner) and inner.is_file())
            if not below:
                raise InvalidSettingError(f"{path} holds no PDN file, nor does a folder in it")
            files += below
        else:
            raise InvalidSettingError(no_file(path))
    return files


def check_games(archive: Archive, on_game: Callable[[FileReport, Game], None] | None = None) -> list[FileReport]:
    """Read every game and report errors file by file. on_game: called with each game that could be read."""
    for report, game in archive:
        report.plies += sum(1 for _ in game.mainline())
        report.warnings += [(game.line or 0, warning) for warning in game.warnings]
        report.compare_result(game)
        if on_game:
            on_game(report, game)
    return archive.reports


def convert_games(archive: Archive, settings: ConvertSettings, on_cut: Callable[[Game], None] | None = None) -> int:
    """Write all games in normal form; returns their number. on_cut: called with each game that breaks off.

    Raises OSError, and InvalidPdnError if none can be read.
    """
    results = cast(Results, settings.write_results)
    exporter = StringExporter(
        comments=settings.comments, variations=settings.variations, nags=settings.nags,
        columns=settings.width or None, results=results,
    )  # fmt: skip
    identities: set[int] = set()
    count = 0
    with output(settings.out) as file:
        for _, game in archive:
            if on_cut and game.breaks_off:
                on_cut(game)
            if settings.unique:
                # with 64 bits, two different games among a million collide with a chance of 1 in 37 million
                stretches = tuple((board, tuple(move.path for move in moves)) for board, moves in game.stretches())
                identity = hash((stretches, game.result))
                if identity in identities:
                    continue
                identities.add(identity)
            normalise(game)
            file.write(game.accept(exporter))
            count += 1
        check_any(archive, count)
    return count


def check_any(archive: Archive, games: int) -> None:
    """Raise InvalidPdnError if there were games but none could be read, so that no empty file is written."""
    if archive.left_out and not games:
        others = len(archive.paths) - 1
        names = archive.paths[0].name + (f" and {counted(others, 'other')}" if others else "")
        count = counted(archive.left_out, "game")
        raise InvalidPdnError(f"{names}: {count}, none of which can be read; nothing is written")


def located(path: Path, error: InvalidPdnError) -> str:
    """FILE:LINE:COLUMN: error, in one line even if the file name has several."""
    return " ".join(f"{path}:{error.line}:{error.column}: {complaint(error)}".split())


def complaint(error: InvalidPdnError) -> str:
    """Text of an error without its place."""
    return str(error).partition(f"column {error.column}: ")[2] or str(error)


def standard_output() -> IO[str]:
    """Standard output for PDN: UTF-8 in any locale; on a terminal its control characters are escaped."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    return cast(IO[str], _Screen(sys.stdout)) if sys.stdout.isatty() else sys.stdout


class _Screen(io.TextIOBase):
    """A terminal that shows text and obeys nothing in it."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(visible_lines(text))

    def flush(self) -> None:
        self._stream.flush()


@contextmanager
def output(path: Path | None) -> Iterator[IO[str]]:
    """A text file to write: standard output for None, else a file that appears when complete, packed by its suffix."""
    if path is None or path == STANDARD_INPUT:
        yield standard_output()
        return
    with storage.lock(path), storage.atomic_path(path) as temporary:
        packer = PACKERS.get(path.suffix.lower())
        if packer:
            with importlib.import_module(packer).open(temporary, "wt", encoding="utf-8", newline="\n") as file:
                yield file
        else:
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                yield file


def year_of(headers: Mapping[str, str]) -> int | None:
    """Year of a game by its Date tag, or else the first year in its Event tag."""
    for name in ("Date", "EventDate", "Event"):
        if match := _YEAR.search(headers.get(name, "")):
            return int(match[1])
    return None
