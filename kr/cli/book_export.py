"""`kr book export`."""

from kr.cli import console, options
from kr.theory.exporting import BookExportSettings, export_book
from kr.units import counted


@options.command
def export_command(settings: BookExportSettings, json: bool = options.JSON) -> None:
    """Write a book in another form, by the suffix of the file or --format.

    krb: packed, for play; all positions with the values, depths and weights of their moves.

    A book can be exported while it is built.

    Example:
        kr book export book.sqlite --out book.krb
    """
    report = export_book(settings)
    console.wrote(settings.out, f"{counted(report.positions, 'position')}, {report.bytes:,} bytes")
    if json:
        console.emit_json({"settings": settings, "format": report.format, "positions": report.positions,
                           "bytes": report.bytes})  # fmt: skip
