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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import extras, figures, storage
from kr.cluster.address import cluster_option
from kr.engine.search import Stop
from kr.errors import DivergedError, InvalidGamesError, InvalidSettingError, InvalidWeightsError, StoppedError
from kr.evaluation import kinds, weights
from kr.evaluation.files import FITTED
from kr.evaluation.layouts import DEFAULT_LAYOUT, LAYOUTS, Layout
from kr.evaluation.parts import KINGS_SHAPES, MEN_SHAPES, Windows, with_parts
from kr.evaluation.patterns import GROUPS, PHASES, TABLE_UNITS
from kr.learn import games
from kr.learn.fitting import plots
from kr.learn.fitting import report as fit_report
from kr.learn.fitting.dataset import Label, OnFitProgress, read_samples
from kr.learn.fitting.evidence import fitted_entries
from kr.learn.fitting.group import FittedGroup
from kr.learn.fitting.inputs import LOSSES, Prior
from kr.learn.fitting.objective import Objective
from kr.learn.fitting.source import LocalSource, SampleSource
from kr.learn.fitting.sums import SampleSums
from kr.settings import Settings, option
from kr.threads import MAX_THREADS, thread_pool

LEG = 10
"""Iterations from one checkpoint to the next."""
MEMORY = 10
"""Pairs of steps and gradients that L-BFGS keeps."""


@dataclass(frozen=True)
class FitSettings(Settings):
    """Settings of a fit. `out`, `workers` and `plots` do not change the tables, a cluster only by rounding."""

    directories: tuple[Path, ...] = option(
        (games.RUN,), "Run directories of `kr selfplay`, or folders of them.", argument=True, metavar="DIR"
    )
    out: Path = option(FITTED, "Weights file to write.", metavar="FILE")
    layout: Layout = option(
        DEFAULT_LAYOUT,
        f"Regions: {', '.join(LAYOUTS)}, or a layout file (TOML).",
        parse=Layout.parse,
        show=lambda layout: layout.name,
        metavar="LAYOUT",
    )
    label: Label = option(
        Label(0.9, 0.6),
        "Target: result, mix=SHARE of the search score, or mix=SHARE,decay=DECAY.",
        parse=Label.parse,
        metavar="LABEL",
    )
    loss: str = option("ce", "Loss: ce (cross entropy) or mse (mean squared error).", choices=LOSSES)
    parts: bool = option(True, "Let rare entries fall back on the smaller windows in them.")
    prior: Path | None = option(
        None, "Weights file to start from and to regularise towards, of the same layout and parts.", metavar="FILE"
    )
    l2: float = option(
        10.0, "L2 penalty on changes of the entries, in samples: half of it times the sum of squares.", low=0
    )
    l2_parts: float = option(10.0, "L2 penalty on changes of the weights of the parts.", low=0)
    holdout: float = option(0.05, "Share of the games held out, to judge the tables by: {allowed}.", low=0, high=0.9)
    max_iter: int = option(100, "Most iterations for each of the two groups, men and kings.", low=1)
    tolerance: float = option(1e-5, "Stop when an iteration lowers the loss by less than this share.", low=0)
    seed: int = option(1, "Seed of the choice of held-out games.")
    workers: int = option(2, "Threads, {allowed}; the tables do not depend on it.", low=1, high=MAX_THREADS)
    cluster: str = cluster_option()
    plots: Path | None = option(None, "Directory for plots of the fit.", metavar="DIR")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "directories", games.run_directories(self.directories))
        if not isinstance(self.layout, Layout):
            raise InvalidSettingError(f"layout: {self.layout!r:.60} is not a Layout; expected Layout.parse(...)")

    def shaping(self) -> dict[str, Any]:
        """The settings that change the tables, but for the earlier tables."""
        names = ("loss", "parts", "l2", "l2_parts", "holdout", "max_iter", "tolerance", "seed")
        own = {name: getattr(self, name) for name in names}
        return {"label": str(self.label), "layout": self.layout.name, **own}

    def windows(self, kings: bool) -> Windows:
        """The regions of one group with their parts."""
        shapes = KINGS_SHAPES if kings else MEN_SHAPES
        return with_parts(*self.layout.group(kings), shapes if self.parts else ())


@dataclass(frozen=True)
class FitResult:
    """A finished fit."""

    path: Path
    checksum: str
    report: dict[str, Any]
    earlier: bool = field(default=False, compare=False)
    """True if an earlier start had finished it, so that nothing was left to do."""


@dataclass(frozen=True, eq=False)
class FitState:
    """State of the fit of one group, as a checkpoint keeps it."""

    x: NDArray[np.float64]
    """Parameters (`Objective`)."""
    history: NDArray[np.float64]
    """(iterations, 2): mean training and held-out loss after each."""
    finished: bool = False


def fit(settings: FitSettings, on_progress: OnFitProgress | None = None, stop: Stop | None = None) -> FitResult:
    """Fit tables to games, write the weights file and return its report; a finished fit is only reported.

    stop: ends the fit after the shard or the iteration under way; called again, it resumes from its last checkpoint.
    Raises StoppedError then, InvalidGamesError for damaged or missing games, DivergedError if the loss is not finite,
    OutputBusyError if another process writes the same file, InvalidWeightsError for a damaged checkpoint or prior,
    InvalidSettingError if the prior has another layout or other parts, or if the output is FITTED, which no user need
    have named, and was fitted to other runs or with other settings.
    """

    def report_to(what: str, done: int, total: int) -> None:
        if on_progress is not None:
            on_progress(what, done, total)
        if stop is not None and stop.is_set():
            raise StoppedError(f"{settings.out}: the fit was stopped ({what}, {done} of {total}); fit again to resume")

    extras.check_extra("fitting needs", "train", *extras.TRAINING)
    if settings.plots:
        figures.check_plots(settings.plots)
    storage.check_output(settings.out)
    with storage.lock(settings.out):
        if settings.out == FITTED and FITTED.exists():
            _check_same_kind_of_fit(settings)
        started = time.monotonic()
        priors, prior_checksum = read_priors(settings)
        with _samples(settings, report_to) as source:
            checkpoint = Checkpoint(settings, source.identity, prior_checksum)
            result = checkpoint.finished()
            if result is None:
                read = time.monotonic()
                groups = [_solve(settings, source, kings, priors.get(kings), checkpoint, report_to) for kings in GROUPS]
                seconds = {"reading": read - started, "fitting": time.monotonic() - read}
                result = _write(settings, source, groups, prior_checksum, checkpoint.fingerprint, seconds)
            checkpoint.remove()
            if settings.plots:
                made = weights.load_tables(result.path)
                plots.draw_fit(made, result.report, source.some_boards(), settings.plots, settings.out.name)
    return result


def _check_same_kind_of_fit(settings: FitSettings) -> None:
    """Refuse to write over FITTED if it was fitted to other runs or with other settings; more games are welcome."""
    attrs = kinds.load_file(settings.out).attrs
    prior = storage.printable(str(settings.prior)) if settings.prior else ""
    wanted = [settings.shaping(), [str(path) for path in settings.directories], prior]
    earlier = [
        *(storage.parse_json(str(attrs.get(name, "null"))) for name in ("settings", "parents")),
        str(attrs.get("prior", "")).rpartition(" (")[0],
    ]
    if earlier != wanted:
        raise InvalidSettingError(
            f"{settings.out} was fitted to other runs or with other settings; choose another file (--out), or remove it"
        )


@contextmanager
def _samples(settings: FitSettings, report_to: OnFitProgress) -> Iterator[SampleSource]:
    """The samples of a fit, here or on the workers of a cluster."""
    source = settings.directories, settings.label, settings.holdout, settings.seed
    if settings.cluster:
        from kr.learn.fitting.spread import spread_samples

        with spread_samples(settings.cluster, *source, settings.loss, report_to) as spread:
            yield spread
    else:
        with thread_pool(settings.workers) as pool:
            yield LocalSource(read_samples(*source, settings.workers, report_to), settings.loss, pool)


def read_priors(settings: FitSettings) -> tuple[dict[bool, Prior], str]:
    """The earlier tables of both groups and their checksum; nothing without them."""
    if not settings.prior:
        return {}, ""
    made = weights.load_tables(settings.prior)
    layout = settings.layout
    if (made.layout.men, made.layout.kings) != (layout.men, layout.kings):
        raise InvalidSettingError(f"{settings.prior} has the layout {made.layout.name}, the fit {layout.name}")
    if "centimen_per_logit" not in made.attrs:
        raise InvalidWeightsError(f"{settings.prior}: these tables were not fitted, so a fit cannot start from them")
    priors = {}
    for kings, table, parts, material in (
        (False, made.men_table, made.men_parts, made.men_material),
        (True, made.kings_table, made.kings_parts, made.kings_material),
    ):
        windows = settings.windows(kings)
        values = np.zeros((windows.starts[-1], PHASES), dtype=np.int16)
        if parts:
            if parts.windows != windows:
                raise InvalidSettingError(f"{settings.prior} has other parts than the fit; use the same")
            values, table = parts.values, table - windows.unfolded(parts.values)
        priors[kings] = Prior(table, values, material, made.attrs["centimen_per_logit"] * TABLE_UNITS)
    return priors, made.checksum


class Checkpoint:
    """File beside the output that a fit resumes from; valid for the same settings and samples only."""

    def __init__(self, settings: FitSettings, samples: str, prior_checksum: str) -> None:
        """samples: their identity."""
        shaping = json.dumps([settings.shaping(), settings.layout.as_dict()], sort_keys=True)
        self.fingerprint = storage.checksum(shaping.encode(), prior_checksum.encode(), samples.encode())
        self._out = settings.out
        self.path = settings.out.with_name(f"{settings.out.name}.checkpoint")

    def finished(self) -> FitResult | None:
        """The result, if the output is that of this very fit."""
        if not self._out.exists():
            return None
        made = weights.load_tables(self._out)
        if made.attrs.get("fingerprint") != self.fingerprint:
            return None
        report = fit_report.read_report(str(made.attrs.get("report")), self._out)
        return FitResult(self._out, made.checksum, report, earlier=True)

    def load(self) -> dict[bool, FitState]:
        """Content of the last checkpoint; empty if there is none or it belongs to another fit."""
        if not self.path.exists():
            return {}
        try:
            with storage.open_regular(self.path) as opened, np.load(opened) as file:
                if str(file["fingerprint"]) != self.fingerprint:
                    return {}
                return {kings: _progress(file, name) for kings, name in GROUPS.items() if f"{name}_x" in file}
        except Exception as error:  # numpy and zipfile raise what they like for a damaged file
            raise InvalidWeightsError(f"{self.path}: damaged checkpoint; remove it to start afresh") from error

    def save(self, progress: dict[bool, FitState]) -> None:
        """Replace the checkpoint."""
        arrays: dict[str, Any] = {"fingerprint": self.fingerprint}
        for kings, one in progress.items():
            name = GROUPS[kings]
            arrays |= {f"{name}_x": one.x, f"{name}_history": one.history, f"{name}_finished": one.finished}
        with storage.atomic_path(self.path) as temporary, temporary.open("wb") as file:
            np.savez(file, **arrays)

    def remove(self) -> None:
        """The fit is written, its checkpoint no longer needed."""
        self.path.unlink(missing_ok=True)


def checkpoint_losses(path: Path) -> dict[str, NDArray[np.float64]]:
    """Losses of a fit under way, by group: (iterations, 2), training and held out. Raises InvalidWeightsError."""
    try:
        with storage.open_regular(path) as opened, np.load(opened) as file:
            return {name: _progress(file, name).history for name in GROUPS.values() if f"{name}_x" in file}
    except OSError as error:
        raise InvalidWeightsError(f"{path}: can't be read: {error.strerror}") from error
    except Exception as error:  # as above
        raise InvalidWeightsError(f"{path}: damaged checkpoint") from error


def _progress(file: Any, name: str) -> FitState:
    """State of a group in a checkpoint. Raises ValueError if it cannot be resumed."""
    x, history = file[f"{name}_x"], file[f"{name}_history"]
    plain = x.dtype == history.dtype == np.float64 and x.ndim == 1 and history.shape[1:] == (2,)
    if not plain or not np.isfinite(x).all():
        raise ValueError(name)
    return FitState(x, history, bool(file[f"{name}_finished"]))


def _solve(
    settings: FitSettings,
    source: SampleSource,
    kings: bool,
    prior: Prior | None,
    checkpoint: Checkpoint,
    report_to: OnFitProgress,
) -> FittedGroup:
    with source.group(kings, settings.windows(kings), prior) as sums:
        positions = sums.positions
        objective = Objective(sums, settings.l2, settings.l2_parts, prior if positions else None)
        one = FitState(np.zeros(objective.size), np.empty((0, 2)), finished=not positions)
        if positions:
            progress = checkpoint.load()
            one = progress.get(kings, one)
            if len(one.x) != objective.size:
                raise InvalidWeightsError(f"{checkpoint.path}: damaged checkpoint; remove it to start afresh")
            while not one.finished:
                one = _leg(settings, objective, sums, one, f"{GROUPS[kings]} tables", report_to)
                progress[kings] = one
                checkpoint.save(progress)
        solution = objective.solution(one.x)
        # the factor of centi-men comes from the men alone
        slope = 0.0 if kings else sums.men_slope(solution)
        return FittedGroup(
            kings, sums.entries, sums.report(solution), solution, one.history, slope, objective.prior_scale
        )


def _leg(
    settings: FitSettings,
    objective: Objective,
    sums: SampleSums,
    start: FitState,
    what: str,
    report_to: OnFitProgress,
) -> FitState:
    """Up to LEG iterations more."""
    from scipy.optimize import OptimizeResult, minimize
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    done = len(start.history)
    history: list[tuple[float, float]] = []

    def checked(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        loss, gradient = objective(x)
        if not (np.isfinite(loss) and np.isfinite(gradient).all()):
            raise DivergedError(
                f"{what}: the loss is {loss} after {done + len(history)} iterations; "
                f"the last checkpoint is at {done}; try a larger --l2 than {settings.l2:g}"
            )
        return loss, gradient

    def record(intermediate_result: OptimizeResult) -> None:
        x = intermediate_result.x
        loss = (intermediate_result.fun - objective.penalty(x)) / sums.positions
        history.append((loss, sums.held_out_loss(objective.solution(x))))
        report_to(what, done + len(history), settings.max_iter)

    iterations = min(LEG, settings.max_iter - done)
    options = {"maxiter": iterations, "maxcor": MEMORY, "ftol": settings.tolerance, "gtol": 0.0}
    # One BLAS thread: with more, the sums would depend on the machine, and on a busy one they wait for each other.
    with threadpool_limits(limits=1, user_api="blas"):
        found = minimize(checked, start.x, jac=True, method="L-BFGS-B", callback=record, options=options)
    steps = np.concatenate([start.history, np.reshape(history, (-1, 2))])
    # a leg that ends before its time has converged, or can get no lower
    return FitState(found.x, steps, finished=len(history) < iterations or len(steps) >= settings.max_iter)


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
    layout = settings.layout
    men, kings = (quantised(group, factor) for group in groups)
    tables = (men.table, kings.table, men.material, kings.material)
    identity = weights.table_checksum(layout, *tables)
    made = weights.Weights(layout, *tables, attrs={}, checksum=identity)
    report = {
        "centimen_per_logit": factor,
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
        "runs": [asdict(run) for run in source.runs],
        "prior_scale": {GROUPS[p.kings]: p.prior_scale for p in groups} if settings.prior else None,
        **fit_report.make_report(groups, settings.loss, made, factor, {"men": men.clipped, "kings": kings.clipped}),
    }
    attrs = {
        **storage.provenance(**settings.shaping(), parents=[run.directory for run in source.runs]),
        **({"prior": storage.printable(f"{settings.prior} ({prior_checksum})")} if settings.prior else {}),
        "fingerprint": fingerprint,
        "centimen_per_logit": factor,
        "report": json.dumps(report),
    }
    weights.save_tables(
        settings.out, layout, *tables, attrs=attrs, men_parts=men.parts, kings_parts=kings.parts,
        evidence=fitted_entries(groups, source.runs, identity),
    )  # fmt: skip
    return FitResult(settings.out, identity, report)
