"""`kr weights`."""

import json as json_text
from pathlib import Path
from typing import Annotated, Any

import typer

from kr import weights
from kr.cli import console, options
from kr.errors import InvalidSettingError

command = typer.Typer()


@command.callback()
def group() -> None:
    """Show where a weights file comes from, and how well it knows games that it was not made from.

    Example:
        kr weights show weights/kr.h5
        kr weights check tournament.pdn.xz
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
        from kr.lab.fitting import report as fit_report

        print(f"\n{fit_report.text(report)}")


@command.command("check")
def check(
    pdn: Annotated[Path, typer.Argument(help="PDN file, also packed by gzip, xz or bzip2.", metavar="PDN")],
    tables: Annotated[
        Path | None, typer.Option("--weights", help="Weights file.  [default: the tables that come with kr]")
    ] = None,
    every: Annotated[int, typer.Option(help="Take each n-th game only.")] = 1,
    json: options.Json = False,
) -> None:
    """Tell the loss of tables on the quiet positions of games by others: a check, not a fit.

    Each position predicts the result of its game; the loss is the cross entropy, a draw counting half. The scores are
    scaled to fit these games best, once for the positions without and once for those with kings. Lower is better; the
    baseline is the loss without tables.

    Example:
        kr weights check tournament.pdn.xz
        kr weights check tournament.pdn.xz --weights weights/mine.h5
    """
    from kr.lab.fitting import check as fit_check

    if every < 1:
        raise InvalidSettingError(f"--every is {every}; 1 or more")
    if not pdn.is_file():
        raise InvalidSettingError(f"no file {pdn}")
    megabyte = 1 << 20
    with console.progress("reading", pdn.stat().st_size / megabyte, "MB") as progress:
        found = fit_check.check_tables(tables, pdn, lambda count: progress.advance(count / megabyte), every)
    console.emit_json(found) if json else print(fit_check.text(found))
