"""`kr book export`: a book in the form of another program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kr.errors import InvalidBookError, InvalidSettingError
from kr.settings import REQUIRED, Settings, option
from kr.storage import check_apart, lock, provenance, write_atomic
from kr.theory.graph import BookGraph
from kr.theory.packing import packed_book
from kr.theory.store import book_for_reading

KRB = "krb"
SUFFIXES = {".krb": KRB}
"""Form of a book by the suffix of its file."""
BOOK_FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))
_ORIGINS = ("kr", "commit", "created")
"""What of a book's provenance goes with it: command lines and machines do not."""


@dataclass(frozen=True)
class BookExportSettings(Settings):
    """What is exported, and where to."""

    book: Path = option(REQUIRED, "The book, as kr book build writes it.", metavar="FILE", argument=True)
    out: Path = option(REQUIRED, "The file to write.", metavar="FILE")
    format: str = option(
        "", "Its form: {allowed}; by its suffix if left out.", choices=("", *BOOK_FORMATS),
        metavar="|".join(BOOK_FORMATS),
    )  # fmt: skip

    def form(self) -> str:
        """The form to write. Raises InvalidSettingError."""
        form = self.format or SUFFIXES.get(self.out.suffix.lower())
        if form is None:
            raise InvalidSettingError(
                f"--out {self.out}: the suffix is not one of {', '.join(SUFFIXES)}; give it, or --format"
            )
        return form


@dataclass(frozen=True)
class BookExportReport:
    """What was written."""

    format: str
    positions: int
    bytes: int


def export_book(settings: BookExportSettings) -> BookExportReport:
    """Write a book in another form. Raises InvalidSettingError, InvalidBookError, OutputBusyError, OSError."""
    form = settings.form()
    check_apart([settings.out], [settings.book])
    with book_for_reading(settings.book) as store:
        begun, graph = store.settings(), store.graph()
    # those of a book being built are behind until the round is over
    graph.propagate()
    positions = sum(bool(node.moves) for node in graph.nodes.values())
    if not positions:
        raise InvalidBookError(f"{settings.book} has no positions yet; go on with kr book build")
    with lock(settings.out):
        content = packed_book(graph, book_facts(graph, begun, positions))
        write_atomic(settings.out, content)
    return BookExportReport(form, positions, len(content))


def book_facts(graph: BookGraph, begun: dict[str, Any], positions: int) -> dict[str, Any]:
    """Where a book comes from, for a reader of its packed form. begun: settings of the working file."""
    built, now = begun.get("provenance", {}), provenance("kr book export")
    return {
        **{name: begun.get(name) for name in ("openings", "nodes", "within", "weights", "egdb", "people")},
        "positions": positions,
        "proved": sum(node.value is not None for node in graph.nodes.values() if node.moves),
        "built": {name: built[name] for name in _ORIGINS if name in built},
        "exported": {name: now[name] for name in _ORIGINS if name in now},
    }
