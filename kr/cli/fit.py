"""`kr fit`."""

from contextlib import ExitStack
from pathlib import Path

from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.learn.fitting import check as fit_check
from kr.learn.fitting import report as fit_report
from kr.learn.fitting.fit import FitSettings, fit
from kr.settings import option


class Stages:
    """One progress bar after another, a new one whenever the work has a new name."""

    def __init__(self, bars: ExitStack) -> None:
        self._bars = bars
        self._what = ""
        self._done = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        if what != self._what:
            self._bars.close()
            self._what, self._done = what, done - 1
            unit = "iterations" if what.endswith("tables") else "shards"
            self._bar = self._bars.enter_context(console.progress(what, total, unit, done=self._done))
        self._bar.advance(done - self._done)
        self._done = done


@options.command
def command(
    settings: FitSettings,
    check: Path | None = option(
        None, "Then show the loss on the games of this PDN file, which are not fitted to.", metavar="FILE"
    ),
    json: bool = options.JSON,
) -> None:
    """Fit region tables to self-play games and write a weights file.

    Quiet positions of the games become samples; some games are held out to judge the tables by. Run the same
    command to resume; an output made from other games or settings is replaced. --check is what `kr weights check`
    does, for the tables just made.

    Example:
        kr fit games/first games/second --out weights/mine.h5 --plots plots
        kr fit games --out weights/mine.h5 --layout mine.toml
        kr fit games --out weights/mine.h5 --check tournament.pdn.xz
    """
    if check is not None and not check.is_file():
        raise InvalidSettingError(f"--check: no file {check}")
    if warning := settings.layout.warning:
        console.say(f"warning: {warning}")
    with ExitStack() as bars:
        result = fit(settings, Stages(bars))
    if not result.earlier:
        console.wrote(result.path, "tables")
    if settings.plots:
        console.wrote(settings.plots, "pictures of the fit")
    checked = None
    if check is not None:
        checked = fit_check.check_tables(result.path, check)
    if json:
        found = {"weights": result.path, "checksum": result.checksum, "settings": settings, **result.report}
        console.emit_json(found | ({"check": checked} if checked else {}))
    else:
        print(console.fold(fit_report.report_summary(result.report), 2))
        already = ", fitted to the same games already" if result.earlier else ""
        print(f"weights: {result.path}\nchecksum {result.checksum}{already}")
        print(f"the whole report: kr weights show {result.path}")
        if checked:
            print(f"\n{check}: {fit_check.check_text(checked)}")
