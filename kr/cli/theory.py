"""`kr theory`."""

from typing import TYPE_CHECKING

from kr.ballots.grading import GradeReport, GradeSettings, grade_ballots
from kr.ballots.site import DATA_FILE, TheorySettings, write_theory
from kr.cli import console, options
from kr.cli.proved import library_of
from kr.egdb.database import Database
from kr.evaluation.chances import format_score
from kr.openings.grades import GRADES, BallotGrade
from kr.storage import check_apart
from kr.units import counted

if TYPE_CHECKING:
    from kr.proofs.library import ProofLibrary


@options.command
def _site(settings: TheorySettings, json: bool = options.JSON) -> None:
    """Write what is known of every ballot as pages for any browser, and as data.json for programs.

    For each of the 174 three-move ballots: what is proved of its value, by certificates (--proofs) or the database, or
    else the book's value with the nodes and positions behind it; the best replies, the main line with the names it
    passes through, cooks, and people's results (--people). With --deck 11man: the 2,500 11-man ballots by removed men
    and first moves, with their grades (--grades, a file of kr theory grade). Values are evidence, no proof; each page
    says so. Pages of an earlier run are replaced, other files stay. kr theory grade --help: grades for tournaments.

    Example:
        kr theory shipped --out build/theory
        kr theory book.sqlite --people games.pdn.xz --out build/theory
        kr theory book.sqlite --proofs proofs --page /draughts/ --out site
        kr theory book.sqlite --deck 11man --grades grades.jsonl --out build/11man
        kr theory grade --out grades.jsonl
    """
    left_out = console.LeftOut("game")
    with console.Stages() as stages:

        def load(database: "Database | None") -> "ProofLibrary | None":
            # certificates have a line of their own
            stages.close()
            return library_of(settings.proofs, database)

        report = write_theory(settings, load, stages.show, left_out.hear)
    console.wrote(settings.out, f"{counted(report.pages, 'page')} and {DATA_FILE}")
    if json:
        console.emit_json({"settings": settings, "out": settings.out, "report": report})
    else:
        facts = [
            ("ballots", f"{report.ballots:,}"), ("in the book", f"{report.in_book:,}"),
            ("proved", f"{report.proved:,}"), ("cooks", f"{report.cooks:,}"),
            ("games", f"{report.games:,}" if settings.people else ""),
        ]  # fmt: skip
        console.put(console.facts(facts))
    left_out.end()


@options.command
def _grade(settings: GradeSettings, json: bool = options.JSON) -> None:
    """Grade ballots for tournaments: balanced, hard or one-sided, by a search for either side.

    Each ballot is searched for its side to move, and after the best move for the other. one-sided: either search is 25
    centi-men or more ahead, or a value is proved. hard: 15 or more, or of several moves of one side a single one keeps
    it less than 25 behind. balanced: the rest. The file has a line for each ballot; a match plays those that
    are not one-sided with --ballot FILE, or with FILE:balanced or FILE:hard. All 2,500 11-man ballots at 10s take 14
    hours of a core: --workers and --cluster share them. --deck edge takes the 981 11-man and three-move ballots that
    may be close to a win for one side, 5.5 hours; of these FILE:edge plays those that are.

    Example:
        kr theory grade --out grades.jsonl --workers 8
        kr theory grade --tc nodes=1M --sample 100 --out sample.jsonl
        kr match --ballot grades.jsonl:balanced
        kr theory grade --deck edge --out edge.jsonl
    """
    check_apart([settings.out], [])
    rows: list[tuple[int | str, ...]] = []
    with console.work("grading", None, "ballots", resumes=True) as progress:

        def on_grade(grade: BallotGrade, report: GradeReport, earlier: bool) -> None:
            progress.total = report.ballots
            progress.take(earlier)
            progress.note = ", ".join(f"{report.grades[name]} {name}" for name in GRADES if report.grades[name])
            if json:
                console.emit_json(grade.as_object())
            other = grade.other
            rows.append((
                grade.number, grade.moves, grade.grade, format_score(grade.mover.score),
                f"{grade.mover.holding} of {grade.mover.moves}", "" if other is None else format_score(other.score),
                "" if other is None else f"{other.holding} of {other.moves}",
            ))  # fmt: skip

        report = grade_ballots(settings, on_grade)
    console.wrote(settings.out, counted(report.graded, "ballot"))
    counts = {name: report.grades[name] for name in GRADES}
    if json:
        console.emit_json({"settings": settings, "ballots": report.graded, "resumed": report.earlier, **counts})
        return
    if len(rows) <= _SHOWN_GRADES:
        columns = ["number", "moves", "grade", "mover", "hold", "other", "hold"]
        console.put(console.table(columns, sorted(rows)) + "\n")
    console.put(console.facts([("ballots", f"{report.graded:,}"), *((name, f"{counts[name]:,}") for name in GRADES)]))


_SHOWN_GRADES = 60
"""Most ballots that are listed."""

command = options.command_group(_site, {"grade": _grade})
