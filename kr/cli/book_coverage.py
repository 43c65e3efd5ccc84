"""`kr book coverage`."""

from kr.cli import console, options
from kr.theory.coverage import FIRST_PLY, CoverageSettings, PlyCoverage, book_coverage, coverage_json
from kr.theory.people import PEOPLE_PLIES


@options.command
def coverage_command(settings: CoverageSettings, json: bool = options.JSON) -> None:
    """Tell how much of what people reach a book has.

    Each game from the usual start counts once for the position after each of its plies 3 to 19, if it went on from
    there. A position counts as the same with colours swapped.

    Example:
        kr book coverage book.sqlite games.pdn.xz
        kr book coverage book.krb games.pdn.xz --json
    """
    left_out = console.LeftOut("game")
    with console.progress("reading", None, "games") as reading:
        coverage = book_coverage(settings, lambda: reading.advance(1), left_out.hear)
    if json:
        console.emit_json({"settings": settings, "left_out": left_out.count, **coverage_json(coverage)})
    else:
        rows = [(str(each.ply), f"{each.occurrences:,}", f"{each.in_book:,}", _share(each)) for each in coverage.plies]
        total = PlyCoverage(0, coverage.occurrences, coverage.in_book)
        rows.append(("all", f"{total.occurrences:,}", f"{total.in_book:,}", _share(total)))
        console.put(console.table(["ply", "occurrences", "in the book", "share"], rows))
        plies = f"at plies {FIRST_PLY} to {PEOPLE_PLIES - 1}"
        facts = [
            ("games", f"{coverage.games:,}"),
            (f"different positions {plies}", f"{coverage.different:,}"),
            ("of these in the book", f"{coverage.different_in_book:,}"),
            ("positions of the book", f"{coverage.positions:,}"),
        ]
        console.put(f"\n{console.facts(facts)}")
    left_out.end()


def _share(each: PlyCoverage) -> str:
    return f"{each.in_book / each.occurrences:.1%}" if each.occurrences else "-"
