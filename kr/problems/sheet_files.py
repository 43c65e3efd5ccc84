"""`kr problem print`: problems of a file as pages for print, in one page of HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from kr.errors import InvalidProblemError, KrError
from kr.game.value import Value
from kr.pdn import Results
from kr.problems.problem import each_problem
from kr.problems.sheet import PrintSettings, SheetEntry, SheetPage, sheet_entry, sheet_pages
from kr.problems.sheet_html import pages_html
from kr.storage import atomic_path, check_output


@dataclass
class PrintReport:
    """What was printed."""

    problems: int
    without_solution: int
    lost: int
    """Problems that the side to move loses."""
    pages: int = 0


def print_problems(
    settings: PrintSettings,
    on_error: Callable[[KrError], None],
    on_diagrams: Callable[[int], None] = lambda count: None,
) -> PrintReport:
    """Write the pages of the problems of a source.

    on_error: called for each problem that can't be read; on_diagrams: with the number of diagrams on each page. Raises
    what `each_problem` raises, and OSError.
    """
    check_output(settings.out)
    entries: list[SheetEntry] = []
    lost = 0
    for number, problem in enumerate(each_problem(settings.source, on_error, cast(Results, settings.results)), 1):
        entries.append(sheet_entry(number, problem))
        lost += problem.published is Value.LOSS
    if not entries:
        raise InvalidProblemError(f"{settings.source}: none of its problems can be read, so nothing was printed")
    report = PrintReport(len(entries), sum(not each.solution for each in entries), lost)

    def counted_pages() -> Iterator[SheetPage]:
        for page in sheet_pages(entries, settings):
            report.pages = page.number
            yield page
            on_diagrams(len(page.boards))

    with atomic_path(settings.out) as path, path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(pages_html(settings, counted_pages()))
    return report
