"""`kr problem print`."""

from kr.cli import console, options
from kr.problems.problem import other_meaning
from kr.problems.sheet import PrintSettings, print_problems
from kr.units import counted


@options.command
def command(settings: PrintSettings, json: bool = options.JSON) -> None:
    """Print problems as diagrams: several on a page, in black and white, for any browser to print or to save as PDF.

    Each diagram has number, title and author, the side to move and the stipulation, such as "White to play and win";
    the solutions stand at the end. Problems that can't be read are told and left out; the exit code is then 1.

    Example:
        kr problem print problems.pdn --out sheet.html
        kr problem print first --out positions.html --numbers --no-solutions
        kr problem print checked.pdn --out book.html --title "Endings" --rows 4
    """
    left_out = console.LeftOut("problem")
    with console.progress("printing", None, "problems") as progress:
        report = print_problems(settings, left_out.hear, progress.advance)
    console.wrote(settings.out, f"{counted(report.problems, 'problem')} on {counted(report.pages, 'page')} of diagrams")
    if report.lost and (doubt := other_meaning(settings.source, settings.results)):
        console.say(f"{counted(report.lost, 'problem')} lost for the side to move; or {doubt}")
    if json:
        console.emit_json({
            "settings": settings, "problems": report.problems, "pages": report.pages, "left_out": left_out.count,
            "without_solution": report.without_solution, "lost": report.lost,
        })  # fmt: skip
    left_out.end()
