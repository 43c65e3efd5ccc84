"""`kr weights`."""

from pathlib import Path
from typing import Any

from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.evaluation import kinds
from kr.evaluation.compact import COMPACT_SUFFIX, save_compact
from kr.evaluation.files import shipped_path
from kr.evaluation.layouts import LAYOUTS, Layout
from kr.evaluation.own_regions import RegionSet
from kr.evaluation.regions import Regions
from kr.evaluation.weights import load_tables
from kr.settings import REQUIRED, option, workers_option
from kr.storage import check_output, lock, no_file, parse_json
from kr.threads import worker_count
from kr.units import MEBIBYTE, format_size


@options.command
def _show(
    file: str = option(
        kinds.SHIPPED, f"A {kinds.weights_texts(kinds.SHIPPED)}: the tables of kr.", argument=True, metavar="FILE"
    ),
    json: bool = options.JSON,
) -> None:
    """Check a weights file and show its layout, its origin and the report of its fit.

    Example:
        kr weights show
        kr weights show weights/kr.h5
    """
    from kr.learn.fitting import report as fit_report

    evaluation = kinds.load_evaluation(Path(file))
    details = dict(evaluation.attrs)
    report: dict[str, Any] | None = None
    # the kind that `kr fit` makes
    fitted = isinstance(evaluation, Regions)
    if fitted and "report" in details:
        report = fit_report.read_report(str(details.pop("report")), evaluation.details()["weights"])
    if json:
        console.emit_json({**evaluation.details(), **details, **({"report": report} if fitted else {})})
        return
    console.put(
        console.facts([*evaluation.facts(), *((name, _text(value)) for name, value in sorted(details.items()))])
    )
    if report:
        console.put(f"\n{console.fold(fit_report.report_text(report), 7)}")


def _text(value: Any) -> str:
    """Detail of a file for reading; --json has it in full."""
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


@options.command
def layout(
    source: str = option(
        kinds.SHIPPED,
        f"{', '.join(LAYOUTS)}, a layout file (.toml), or a weights file of region tables.",
        argument=True,
        metavar="LAYOUT",
    ),
    regions: bool = option(False, "Print a JSON file of regions instead, for `kr fit --regions`."),
) -> None:
    """Print a layout as a layout file, to change it and fit tables to it (`kr fit --layout FILE`).

    The layout of the tables of kr if not given.

    Example:
        kr weights layout small > mine.toml
        kr weights layout small --regions > mine.json
        kr weights layout weights/mine.h5
    """
    if source == kinds.SHIPPED:
        chosen = load_tables(shipped_path()).layout
    elif source in LAYOUTS or Path(source).suffix == ".toml" or not Path(source).exists():
        chosen = Layout.parse(source)
    else:
        chosen = load_tables(source).layout
    console.put(RegionSet(chosen.men, chosen.kings, chosen.name).text() if regions else chosen.toml(), end="")


@options.command
def compact(
    file: str = option(
        kinds.SHIPPED, "Weights file of region tables, or shipped: the tables of kr.", argument=True, metavar="FILE"
    ),
    out: Path = option(REQUIRED, f"File to write, such as mine{COMPACT_SUFFIX}.", metavar="FILE"),
    json: bool = options.JSON,
) -> None:
    """Write tables as a compact file, which kr reads as a C library.

    Example:
        kr weights compact weights/mine.h5 --out mine.krt
    """
    check_output(out)
    weights = load_tables(shipped_path() if file == kinds.SHIPPED else file)
    with lock(out):
        size = save_compact(out, weights)
    console.wrote(out)
    if json:
        console.emit_json({"out": out, "bytes": size, "checksum": weights.checksum})
    else:
        console.put(f"{format_size(size)}, checksum {weights.checksum}")


@options.command
def count(
    games: tuple[Path, ...] = option(
        REQUIRED, "Run directories of self-play games, or folders of them.", argument=True, metavar="DIR"
    ),
    weights: Path = option(Path(kinds.SHIPPED), "Weights file of region tables, or shipped: the tables of kr."),
    out: Path = option(REQUIRED, "Weights file to write.", metavar="FILE"),
    workers: int = workers_option(),
    json: bool = options.JSON,
) -> None:
    """Count how often each entry of tables occurs in games of self-play.

    Writes the weights file again with the counts, in place of earlier ones; tables and checksum stay. `kr explain` and
    `kr web` then show these counts. `kr fit` counts the games that it reads by itself: this is for tables whose games
    are lost.

    Example:
        kr weights count selfplay/games --weights mine.h5 --out counted.h5
    """
    from kr.learn.fitting.evidence import count_evidence

    check_output(out)
    path = shipped_path() if str(weights) == kinds.SHIPPED else weights
    with lock(out), console.Stages() as stages:
        evidence = count_evidence(
            path, games, out, worker_count(workers),
            lambda what, count, total: stages.show(what, count, total, "shards"),
        )  # fmt: skip
    console.wrote(out)
    if json:
        console.emit_json({"out": out, **evidence.about()})
    else:
        console.put(str(evidence))


@options.command
def _check(
    games: Path = option(
        REQUIRED, "PDN file, also packed by gzip, xz or bzip2; or a run directory.", argument=True, metavar="GAMES"
    ),
    weights: str = option(kinds.SHIPPED, "Weights file, or shipped: the tables of kr."),
    every: int = option(1, "Take only every n-th game.", low=1, high=10**9),
    json: bool = options.JSON,
) -> None:
    """Measure the loss of tables on the quiet positions of other games: a check, not a fit.

    Each position predicts the result of its game; the loss is the cross entropy, with a draw as half a win. Scores are
    scaled to fit these games best, separately for positions with and without kings. Lower is better; the baseline is
    the loss without tables.

    Example:
        kr weights check tournament.pdn.xz
        kr weights check tournament.pdn.xz --weights weights/mine.h5
        kr weights check people --weights weights/mine.h5
    """
    from kr.learn.fitting import check as fit_check
    from kr.learn.games import game_files

    if weights in kinds.built_in():
        expected = f"expected a weights file or {kinds.SHIPPED}"
        raise InvalidSettingError(f"--weights: {weights} has no tables to check; {expected}")
    if not games.exists():
        raise InvalidSettingError(no_file(games))
    files = game_files(games) if games.is_dir() else [games]
    with console.progress("reading", sum(path.stat().st_size for path in files) / MEBIBYTE, "MB") as progress:
        result = fit_check.check_tables(weights, games, lambda count: progress.advance(count / MEBIBYTE), every)
    console.emit_json(result) if json else console.put(console.fold(fit_check.check_text(result), 2))


command = options.group(
    """Show the origin of a weights file, and check it on games that it was not made from.

    Example:
        kr weights show weights/kr.h5
        kr weights check tournament.pdn.xz
    """,
    {"show": _show, "layout": layout, "count": count, "compact": compact, "check": _check},
)
