"""`kr weights`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from kr import weights
from kr.chances import SCALES
from kr.cli import console, options
from kr.engine import BUILT_IN, SHIPPED
from kr.errors import InvalidSettingError
from kr.storage import parse_json
from kr.units import counted

BUILT_IN_TEXTS = {
    "manual": "the hand-made evaluation, see docs/manual-evaluation.md: what fitted tables are measured against",
    "material": "counts men and kings only: where training from nothing begins",
}

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
        str, typer.Argument(help="Weights file, manual, material or shipped: the tables of kr.", metavar="FILE")
    ] = SHIPPED,
    json: options.Json = False,
) -> None:
    """Check a weights file and show its layout, how it was made and what its fit reported.

    Example:
        kr weights show
        kr weights show weights/kr.h5
    """
    if file in BUILT_IN:
        _show_built_in(file, json)
        return
    path = weights.shipped_path() if file == SHIPPED else Path(file)
    made = weights.load(path)
    details = dict(made.attrs)
    report: dict[str, Any] | None = None
    if "report" in details:
        from kr.lab.fitting import report as fit_report

        report = fit_report.read(str(details.pop("report")), path)
    if json:
        found = {"weights": path, "checksum": made.checksum, "layout": made.layout.as_dict(), **details}
        console.emit_json({**found, "report": report})
        return
    layout = made.layout
    about = (
        f"{layout.name}, {counted(len(layout.men), 'region')} of 12 squares without kings on the board, "
        f"{len(layout.kings)} of 8 with kings"
    )
    facts = [(name, _text(value)) for name, value in sorted(details.items())]
    print(console.facts([("weights", str(path)), ("checksum", made.checksum), ("layout", about), *facts]))
    if report:
        print(f"\n{console.fold(fit_report.text(report), 7)}")


def _show_built_in(name: str, json: bool) -> None:
    """An evaluation that is part of kr has no file to show."""
    what = BUILT_IN_TEXTS[name]
    if json:
        console.emit_json({"weights": name, "about": what, "centimen_per_logit": SCALES[name]})
    else:
        print(console.facts([("weights", f"{name}, built in: no tables"), ("what", what)]))


def _text(value: Any) -> str:
    """A detail of a file as people read it; --json has it in full."""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = str(value)
    try:
        listed = parse_json(text)
    except ValueError:
        return text
    if isinstance(listed, list):
        return ", ".join(map(str, listed))
    if isinstance(listed, dict):
        return ", ".join(f"{key} {_text(item)}" for key, item in listed.items())
    return text


@command.command("check")
def check(
    pdn: Annotated[
        Path, typer.Argument(parser=options.path, help="PDN file, also packed by gzip, xz or bzip2.", metavar="PDN")
    ],
    tables: Annotated[
        str, typer.Option("--weights", help="Weights file, or shipped: the tables of kr.")
    ] = SHIPPED,
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

    if tables in BUILT_IN:
        raise InvalidSettingError(f"--weights: {tables} has no tables to check; expected a weights file or {SHIPPED}")
    if every < 1:
        raise InvalidSettingError(f"--every is {every}; 1 or more")
    if not pdn.is_file():
        raise InvalidSettingError(f"no file {pdn}")
    megabyte = 1 << 20
    path = None if tables == SHIPPED else Path(tables)
    with console.progress("reading", pdn.stat().st_size / megabyte, "MB") as progress:
        found = fit_check.check_tables(path, pdn, lambda count: progress.advance(count / megabyte), every)
    console.emit_json(found) if json else print(console.fold(fit_check.text(found), 2))
