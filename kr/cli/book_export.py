"""`kr book export`."""

from kr.cli import console, options
from kr.theory.exporting import BookExportSettings, export_book
from kr.units import counted


@options.command
def export_command(settings: BookExportSettings, json: bool = options.JSON) -> None:
    """Write a book in another form, by the suffix of the file or --format.

    krb (.krb): packed, for play: all positions with the values, depths and weights of their moves.
    text (.txt): a tree for each opening, indented where there is a choice.
    pdn (.pdn): a game for each opening, with variations, values, games and cooks as comments.
    json (.json): all positions and their moves.
    checkerboard (.bin): the user book of CheckerBoard; its best move for the 10,000 boards nearest to the openings.

    A book can be exported while it is built. The forms for reading and for CheckerBoard are made of a packed book too,
    which knows of people's games only the least number.

    Example:
        kr book export book.sqlite --out book.krb
        kr book export book.sqlite --out book.pdn --within 5 --plies 20
        kr book export shipped --out userbook.bin
    """
    report = export_book(settings)
    console.wrote(settings.out, f"{counted(report.number, report.unit)}, {report.bytes:,} bytes")
    if json:
        console.emit_json({
            "settings": settings, "format": report.format, f"{report.unit}s": report.number, "bytes": report.bytes
        })  # fmt: skip
