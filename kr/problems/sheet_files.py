"""`kr problem print`: problems of a file as pages for print, PDF, SVG, HTML or LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from kr.errors import InvalidProblemError, KrError
from kr.game.value import Value
from kr.pdn import Results
from kr.problems.problem import each_problem
from kr.problems.sheet import PrintSettings, SheetEntry, SheetPage, sheet_entry, sheet_pages
from kr.problems.sheet_pdf import check_pdf, write_pdf
from kr.problems.sheet_svg import page_svg, pages_html
from kr.problems.sheet_tex import tex_document
from kr.storage import atomic_path, check_output
from kr.text import visible


@dataclass
class PrintReport:
    """What was printed."""

    problems: int
    paths: list[Path] = field(default_factory=list)
    pages: int | None = 0
    """None for LaTeX, which makes the pages."""
    without_solution: int = 0
    lost: int = 0
    """Problems that the side to move loses."""
    boxes: str = ""
    """Characters that the font of a PDF lacks, and that are printed as boxes."""


def print_problems(
    settings: PrintSettings,
    on_error: Callable[[KrError], None],
    on_entries: Callable[[int], None] = lambda count: None,
    on_diagrams: Callable[[int], None] = lambda count: None,
) -> PrintReport:
    """Write the pages of the problems of a source.

    on_error: called for each problem that can't be read. on_entries: called with the number of problems before the
    first page, on_diagrams with the number on each page. Raises InvalidSettingError, what `each_problem` raises, and
    OSError.
    """
    kind = settings.kind()
    check_output(settings.out)
    if kind == ".pdf":
        check_pdf()
    entries: list[SheetEntry] = []
    lost = 0
    for number, problem in enumerate(each_problem(settings.source, on_error, cast(Results, settings.results)), 1):
        entries.append(sheet_entry(number, problem))
        lost += problem.published is Value.LOSS
    if not entries:
        raise InvalidProblemError(f"{settings.source}: none of its problems can be read, so nothing was printed")
    report = PrintReport(len(entries), without_solution=sum(not each.solution for each in entries), lost=lost)
    on_entries(len(entries))

    def counted_pages() -> Iterator[SheetPage]:
        report.pages = 0
        for page in sheet_pages(entries, settings):
            report.pages = page.number
            yield page
            on_diagrams(len(page.boards))

    if kind == ".svg":
        _write_svg(settings, counted_pages(), report)
        return report
    with atomic_path(settings.out) as path:
        if kind == ".pdf":
            report.boxes = "".join(
                sorted(write_pdf(path, counted_pages(), settings.numbers, visible(settings.title) or "Problems"))
            )
        elif kind == ".html":
            pages = (page_svg(page, settings.numbers) for page in counted_pages())
            _write(path, pages_html(visible(settings.title) or "Problems", settings.paper, pages))
        else:
            report.pages = None
            _write(path, _tex(entries, settings, on_diagrams))
    report.paths.append(settings.out)
    return report


def _tex(entries: list[SheetEntry], settings: PrintSettings, on_diagrams: Callable[[int], None]) -> Iterator[str]:
    yield from tex_document(entries, settings)
    on_diagrams(len(entries))


def _write(path: Path, parts: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)


def _write_svg(settings: PrintSettings, pages: Iterator[SheetPage], report: PrintReport) -> None:
    """A file a page: the name itself for one page, else NAME-1.svg and so on."""
    first = next(pages, None)
    second = next(pages, None)
    for page in filter(None, (first, second)):
        path = settings.out if second is None else _numbered(settings.out, page.number)
        _write_page(path, page, settings, report)
    for page in pages:
        _write_page(_numbered(settings.out, page.number), page, settings, report)


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _write_page(path: Path, page: SheetPage, settings: PrintSettings, report: PrintReport) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(page_svg(page, settings.numbers), encoding="utf-8", newline="\n")
    report.paths.append(path)
