"""`kr book merge`."""

from kr.cli import console, options
from kr.theory.merging import BookMergeSettings, merge_books
from kr.units import counted


@options.command
def merge_command(settings: BookMergeSettings, json: bool = options.JSON) -> None:
    """Make one book of those that several machines have built.

    It has all their openings and positions, each with its deepest search; kr book build goes on with it, given any of
    their --openings. Margin, weights and database must be the same, and people's games of one archive, or of none. The
    values of a packed book, which has no searches, stand until kr book build has searched its positions.

    Example:
        kr book merge first.sqlite second.sqlite --out both.sqlite
    """
    report = merge_books(settings)
    console.wrote(settings.out, f"{counted(report.positions, 'position')}, {report.shared:,} of several books")
    if report.unsearched:
        console.say(f"{counted(report.unsearched, 'position')} of packed books without a search: for kr book build")
    if json:
        console.emit_json({
            "settings": settings, "positions": report.positions, "shared": report.shared, "openings": report.openings,
            "unsearched": report.unsearched,
        })  # fmt: skip
