"""`kr weights show`."""

import json as json_text
from pathlib import Path
from typing import Annotated, Any

import typer

from kr import weights
from kr.cli import console, options

command = typer.Typer()


@command.callback()
def group() -> None:
    """Show where a weights file comes from.

    Example:
        kr weights show weights/kr.h5
    """


@command.command("show")
def show(
    file: Annotated[
        Path | None, typer.Argument(help="Weights file; without one, the tables that come with kr.", metavar="FILE")
    ] = None,
    json: options.Json = False,
) -> None:
    """Check a weights file and show its layout, how it was made and what its fit reported.

    Example:
        kr weights show weights/kr.h5
    """
    path = weights.shipped_path() if file is None else file
    made = weights.load(path)
    details = dict(made.attrs)
    report: dict[str, Any] | None = json_text.loads(details.pop("report")) if "report" in details else None
    if json:
        found = {"weights": path, "checksum": made.checksum, "layout": made.layout.as_dict(), **details}
        console.emit_json({**found, "report": report})
        return
    print(f"{path}: checksum {made.checksum}")
    print(
        f"layout {made.layout.name}: {len(made.layout.men)} regions of 12 squares without kings on the board, ", end=""
    )
    print(f"{len(made.layout.kings)} of 8 with kings")
    for name, value in sorted(details.items()):
        print(f"{name}: {value}")
    if report:
        from kr.lab import fit_report

        print(f"\n{fit_report.text(report)}")
