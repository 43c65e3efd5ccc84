"""`kr problem print`."""

from kr.cli import console, options
from kr.errors import KrError
from kr.problems.problem import other_meaning
from kr.problems.sheet import PrintSettings
from kr.problems.sheet_files import PrintReport, print_problems
from kr.units import counted


@options.command
def command(settings: PrintSettings, json: bool = options.JSON) -> None:
    """Print problems as diagrams: several on a page, in black and white, as PDF, SVG, HTML or LaTeX.

    Each diagram has number, title and author, the side to move and the stipulation, such as "White to play and win";
    the solutions stand at the end. The kind of file goes by its name. PDF needs the extra plots (reportlab, and
    matplotlib for its font); SVG has a file for each page, NAME-1.svg and so on; HTML prints from any browser; LaTeX
    compiles with pdflatex and TikZ. Problems that can't be read are told and left out; the exit code is then 1.

    Example:
        kr problem print problems.pdn --out sheet.pdf
        kr problem print first --out positions.svg --numbers --no-solutions
        kr problem print checked.pdn --out book.tex --title "Endings" --rows 4
    """
    faults = 0

    def on_error(error: KrError) -> None:
        nonlocal faults
        faults += 1
        console.say_error(error, 1)

    with console.progress("printing", None, "problems") as progress:
        report = print_problems(settings, on_error, on_diagrams=progress.advance)
    for path in report.paths[:1] if len(report.paths) == 1 else report.paths[:1] + report.paths[-1:]:
        console.wrote(path, _size(report))
    if report.lost and (doubt := other_meaning(settings.source, settings.results)):
        console.say(f"{counted(report.lost, 'problem')} lost for the side to move; or {doubt}")
    if report.boxes:
        many = counted(len(report.boxes), "character")
        console.say(f"the font of the PDF lacks {many}, printed as boxes: {report.boxes[:40]}")
    if json:
        console.emit_json({
            "settings": settings, "problems": report.problems, "pages": report.pages, "left_out": faults,
            "without_solution": report.without_solution, "lost": report.lost,
            "files": list(map(str, report.paths)), "boxes": report.boxes,
        })  # fmt: skip
    if faults:
        console.fail(f"{counted(faults, 'problem')} left out")


def _size(report: PrintReport) -> str:
    pages = "" if report.pages is None else f" on {counted(report.pages, 'page')}"
    return counted(report.problems, "problem") + pages
