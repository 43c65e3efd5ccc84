"""`kr fit`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.evaluation.files import FITTED
from kr.learn import games, recorded
from kr.learn.fitting import check as fit_check
from kr.learn.fitting import report as fit_report
from kr.learn.fitting.fit import fit
from kr.learn.fitting.settings import FitSettings
from kr.settings import option
from kr.storage import no_file
from kr.units import counted


@options.command
def command(
    settings: FitSettings,
    check: Path | None = option(
        None,
        "Also show the loss on the games of this PDN file or run directory, which are not used in the fit.",
        metavar="GAMES",
    ),
    json: bool = options.JSON,
) -> None:
    """Fit region tables to games of self-play, or recorded ones, and write a weights file.

    Quiet positions of the games become samples; some games are held out to judge the tables. An unfinished run
    contributes the games that it has so far. Run the same command to resume. A file named by --out is replaced; the
    default fitted.h5 only by a fit of the same directories with the same settings to more games. --check
    runs `kr weights check` on the new tables. Recorded games (`kr games import`) have no scores unless their comments
    do: then the results alone are the target.

    Example:
        kr fit
        kr fit games/first games/second --out weights/mine.h5 --plots plots
        kr fit games --out weights/mine.h5 --layout mine.toml
        kr fit games --out weights/mine.h5 --regions mine.json
        kr fit games --out weights/mine.h5 --check tournament.pdn.xz
    """
    if check is not None and not check.exists():
        raise InvalidSettingError(f"--check: {no_file(check)}")
    if warning := settings.warning:
        console.say(f"warning: {warning}")
    if settings.directories == (games.RUN,):
        console.say(f"games: {games.RUN}, where kr selfplay writes by default")
    replaced = ", in place of an earlier fit" if settings.out.exists() else ""
    with console.Stages() as stages:
        result = fit(settings, lambda what, count, total: show_fit(stages, what, count, total))
    if not result.earlier:
        console.wrote(result.path, "tables" + replaced)
    _tell_of(result.report["runs"], settings)
    if settings.plots:
        console.wrote(settings.plots, "pictures of the fit")
    checked = None
    if check is not None:
        checked = fit_check.check_tables(result.path, check)
    if json:
        summary = {"weights": result.path, "checksum": result.checksum, "settings": settings, **result.report}
        console.emit_json(summary | ({"check": checked} if checked else {}))
    else:
        console.put(console.fold(fit_report.report_summary(result.report), 2))
        already = ", already fitted to these games" if result.earlier else ""
        console.put(f"weights: {result.path}\nchecksum {result.checksum}{already}")
        console.put(f"the whole report: kr weights show {result.path}")
        if result.path == FITTED:
            console.put("a match against the shipped tables: kr match")
        if checked:
            console.put(f"\n{check}: {fit_check.check_text(checked)}")


def _tell_of(runs: Sequence[Mapping[str, Any]], settings: FitSettings) -> None:
    """What there is to know of the runs whose games were taken."""
    for run in runs:
        count = games.games_wanted(run["directory"])
        if count is not None and run["games"] < count:
            have = f"{run['games']:,} of {counted(count, 'game')}"
            console.say(f"{run['directory']}: {have} so far; resume kr selfplay, then run kr fit again to use all")
        if recorded.is_unfinished(Path(run["directory"])):
            console.say(f"{run['directory']}: its import was interrupted; resume kr games import, then kr fit")
        if run["score_scale"] is None and settings.label.score_share:
            console.say(f"{run['directory']}: no scores in these games; the results alone are the target")


def show_fit(stages: console.Stages, what: str, count: int, total: int) -> None:
    """Show the progress of a fit, as its on_progress reports it."""
    stages.show(what, count, total, "iterations" if what.endswith("tables") else "shards")
