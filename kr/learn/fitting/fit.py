"""Fit the tables of the evaluation to games: logistic regression by L-BFGS-B, for men and kings apart.

Positions without and with kings are independent groups, each with its own tables and material. The optimiser works
in legs of a fixed number of iterations. Each leg starts it afresh from the weights reached and ends in a checkpoint
beside the output, so that a killed fit resumes to exactly the same tables.

Logits become centi-men by one factor for both groups, so that scores stay smooth when a man crowns: a man more
is worth 100 on average, by the slope of the fitted logit on the difference of men over the kingless training positions.

A fit can start from earlier tables, so that what was learnt from games that are not read again is kept: their weights,
scaled to the new games by one factor for each group, are what the penalty draws to.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import extras, figures, storage
from kr.engine.search import Stop
from kr.errors import InvalidGamesError, InvalidSettingError, StoppedError
from kr.evaluation import weights
from kr.evaluation.files import FITTED
from kr.evaluation.patterns import GROUPS, TABLE_UNITS
from kr.learn.fitting import plots
from kr.learn.fitting import report as fit_report
from kr.learn.fitting.checkpoint import Checkpoint
from kr.learn.fitting.dataset import OnFitProgress
from kr.learn.fitting.evidence import fitted_entries
from kr.learn.fitting.group import FittedGroup
from kr.learn.fitting.objective import fitted_group
from kr.learn.fitting.priors import read_priors
from kr.learn.fitting.settings import FitSettings
from kr.learn.fitting.source import LocalSource, SampleSource
from kr.settings import check_settings
from kr.text import printable


@dataclass(frozen=True)
class FitResult:
    """A finished fit."""

    path: Path
    checksum: str
    report: dict[str, Any]
    earlier: bool = field(default=False, compare=False)
    """True if an earlier start had finished it, so that nothing was left to do."""


def fit(settings: FitSettings, on_progress: OnFitProgress | None = None, stop: Stop | None = None) -> FitResult:
    """Fit tables to games, write the weights file and return its report; a finished fit is only reported.

    stop: ends the fit after the shard or the iteration under way; called again, it resumes from its last checkpoint.
    Raises StoppedError then, InvalidGamesError for damaged or missing games, DivergedError if the loss is not finite,
    OutputBusyError if another process writes the same file, InvalidWeightsError for a damaged checkpoint or prior,
    InvalidSettingError if the prior has another layout or other parts, or if the output is FITTED, which no user need
    have named, and was fitted to other runs or with other settings.
    """
    check_settings(settings, FitSettings)

    def report_to(what: str, count: int, total: int) -> None:
        if on_progress is not None:
            on_progress(what, count, total)
        if stop is not None and stop.is_set():
            raise StoppedError(f"{settings.out}: the fit was stopped ({what}, {count} of {total}); fit again to resume")

    extras.check_packages("fitting needs", *extras.TRAINING)
    if settings.plots:
        figures.check_plots(settings.plots)
    storage.check_output(settings.out)
    with storage.lock(settings.out):
        earlier, checksum = _earlier_fit(settings)
        started = time.monotonic()
        priors, prior_checksum = read_priors(settings)
        kind: type[SampleSource] = LocalSource
        if settings.cluster:
            from kr.learn.fitting.spread import SpreadSource

            kind = SpreadSource
        with kind.reading(settings, report_to) as source:
            checkpoint = Checkpoint(settings, source.identity, prior_checksum)
            if earlier.get("fingerprint") == checkpoint.fingerprint:
                report = fit_report.read_report(str(earlier.get("report")), settings.out)
                result = FitResult(settings.out, checksum, report, earlier=True)
            else:
                read = time.monotonic()
                states = checkpoint.load()
                groups = [
                    fitted_group(settings, source, kings, priors.get(kings), states, checkpoint, report_to)
                    for kings in GROUPS
                ]
                seconds = {"reading": read - started, "fitting": time.monotonic() - read}
                result = _write(settings, source, groups, prior_checksum, checkpoint.fingerprint, seconds)
            checkpoint.remove()
            if settings.plots:
                tables = weights.load_tables(result.path)
                plots.draw_fit(tables, result.report, source.some_boards(), settings.plots, settings.out.name)
    return result


def _earlier_fit(settings: FitSettings) -> tuple[dict[str, Any], str]:
    """Attributes and checksum of the tables in the output; empty if there are none.

    Raises InvalidSettingError for those in FITTED of other runs or other settings; more games are welcome.
    """
    if not settings.out.exists():
        return {}, ""
    tables = weights.load_tables(settings.out)
    if settings.out == FITTED:
        prior = printable(settings.prior.as_posix()) if settings.prior else ""
        shaping = [settings.shaping(), [path.as_posix() for path in settings.directories], prior]
        earlier = [
            *(storage.parse_json(str(tables.attrs.get(name, "null"))) for name in ("settings", "parents")),
            str(tables.attrs.get("prior", "")).rpartition(" (")[0],
        ]
        if earlier != shaping:
            raise InvalidSettingError(
                f"{FITTED} was fitted to other runs or with other settings; choose another file (--out), or remove it"
            )
    return tables.attrs, tables.checksum


def centimen_per_logit(men: FittedGroup) -> float:
    """100 divided by the slope of the fitted logit on the difference of men, over the kingless training positions."""
    if men.men_slope > 0:
        return 100 / men.men_slope
    raise InvalidGamesError("an extra man does not win more often in these games; expected more games")


@dataclass(frozen=True, eq=False)
class Quantised:
    """Tables of one group in units of 1/16 centi-man."""

    table: NDArray[np.int16]
    parts: weights.Parts | None
    material: NDArray[np.int32]
    clipped: int
    """Entries cut to fit 16 bits."""


def quantised(group: FittedGroup, factor: float) -> Quantised:
    """The int16 tables of a solution; `factor` is centi-men in a logit. Other entries are the sum of their parts."""
    entries, solution = group.entries, group.solution
    units = factor * TABLE_UNITS
    limit = np.iinfo(np.int16).max
    values = np.clip(np.rint(solution.parts * units), -limit, limit).astype(np.int16)
    table = entries.windows.unfolded(values.astype(np.int32))
    for r, indices in enumerate(entries.indices):
        if r in entries.windows.shells:
            continue
        table[r, indices] = np.rint(solution.table[entries.starts[r] : entries.starts[r + 1]] * units)
    clipped = int((np.abs(table) > limit).any(axis=2).sum())
    material = np.rint(solution.material * units).astype(np.int32)
    table = np.clip(table, -limit, limit).astype(np.int16)
    parts = weights.Parts(entries.windows, values) if entries.windows.parts else None
    return Quantised(table, parts, material, clipped)


def _write(
    settings: FitSettings,
    source: SampleSource,
    groups: list[FittedGroup],
    prior_checksum: str,
    fingerprint: str,
    seconds: dict[str, float],
) -> FitResult:
    factor = centimen_per_logit(groups[0])
    men, kings = (quantised(group, factor) for group in groups)
    arrays = (men.table, kings.table, men.material, kings.material)
    tables = weights.Weights(settings.layout, *arrays, attrs={}, checksum="")
    report = {
        "centimen_per_logit": factor,
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
        "runs": [asdict(run) for run in source.runs],
        "prior_scale": {GROUPS[p.kings]: p.prior_scale for p in groups} if settings.prior else None,
        **fit_report.make_report(groups, settings.loss, tables, factor, {"men": men.clipped, "kings": kings.clipped}),
    }
    attrs = {
        **storage.provenance(**settings.shaping(), parents=[run.directory for run in source.runs]),
        **({"prior": printable(f"{settings.prior.as_posix()} ({prior_checksum})")} if settings.prior else {}),
        "fingerprint": fingerprint,
        "centimen_per_logit": factor,
        "report": json.dumps(report),
    }
    checksum = weights.save_tables(
        settings.out, settings.layout, *arrays, attrs=attrs, men_parts=men.parts, kings_parts=kings.parts,
        evidence=fitted_entries(groups, source.runs),
    )  # fmt: skip
    return FitResult(settings.out, checksum, report)
