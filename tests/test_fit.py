"""The fit: gradients, the optimum against scikit-learn, interruptions."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fits import dataset, run, settings
from playouts import write_run
from scipy import sparse
from scipy.optimize import minimize
from systems import KILLED, make_fifo
from tables import TINY, save_random, tiny_file

from kr import storage
from kr.cli import main
from kr.errors import DivergedError, InvalidSettingError, InvalidWeightsError, OutputBusyError
from kr.evaluation import weights
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.parts import KINGS_SHAPES, MEN_SHAPES, Windows, with_parts
from kr.evaluation.patterns import region_indices
from kr.learn.fitting import report as fit_report
from kr.learn.fitting.dataset import Dataset, Label, read_samples
from kr.learn.fitting.fit import fit, quantised
from kr.learn.fitting.group import FittedGroup
from kr.learn.fitting.inputs import Entries, Inputs, Prior, predict, ranked
from kr.learn.fitting.objective import LEG, Objective
from kr.learn.fitting.settings import FitSettings
from kr.learn.fitting.sums import InputSums, LocalSums

__all__ = ["dataset", "run", "settings", "tiny_file"]


@pytest.fixture(scope="module")
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2)


@pytest.fixture
def long_settings(settings: FitSettings) -> FitSettings:
    """A fit of three legs."""
    return replace(settings, max_iter=24)


def small_windows(kings: bool, parts: bool = True) -> Windows:
    layout = LAYOUTS["small"]
    if kings:
        return with_parts(layout.kings, 5, KINGS_SHAPES if parts else ())
    return with_parts(layout.men, 3, MEN_SHAPES if parts else ())


def group_inputs(
    dataset: Dataset, kings: bool, pool: ThreadPoolExecutor, parts: bool = True, prior: Prior | None = None
) -> tuple[Entries, Inputs, Inputs]:
    return ranked(dataset.training[kings], dataset.held_out[kings], small_windows(kings, parts), pool, prior)


def some_prior(kings: bool) -> Prior:
    windows, rng = small_windows(kings), np.random.default_rng(4)
    shape = (len(windows.regions), windows.table_size, 2)
    own = np.where(rng.random(shape[:2])[..., None] < 0.001, rng.integers(-300, 300, shape), 0).astype(np.int16)
    parts = rng.integers(-50, 50, (windows.starts[-1], 2)).astype(np.int16)
    return Prior(own, parts, np.array([[1600, 1500], [2000, 1900], [10, 20]], dtype=np.int32), 960.0)


@pytest.mark.core
@pytest.mark.parametrize("kings", [False, True])
def test_entries_are_ranked_by_frequency(dataset: Dataset, pool: ThreadPoolExecutor, kings: bool) -> None:
    prior = some_prior(kings)
    entries, inputs, held_inputs = group_inputs(dataset, kings, pool, prior=prior)
    samples, held = dataset.training[kings], dataset.held_out[kings]
    plain, held_plain = (region_indices(s.boards, *LAYOUTS["small"].group(kings)) for s in (samples, held))
    for r, (indices, seen) in enumerate(zip(entries.indices, entries.seen, strict=True)):
        assert (indices[inputs.ids[r]] == plain[r]).all()
        assert (indices[held_inputs.ids[r]] == held_plain[r]).all()
        assert (np.diff(seen) <= 0).all()
        counts = np.bincount(inputs.ids[r], samples.count, minlength=len(indices))
        assert seen.tolist() == counts.astype(int).tolist()
        earlier = np.flatnonzero(prior.own[r].any(axis=1))
        assert set(indices) == set(plain[r]) | set(held_plain[r]) | set(earlier)
    assert entries.slots == sum(map(len, entries.indices))


@pytest.mark.core
@pytest.mark.parametrize("kings", [False, True])
def test_logits_are_those_of_the_whole_tables(dataset: Dataset, pool: ThreadPoolExecutor, kings: bool) -> None:
    prior = some_prior(kings)
    entries, inputs, held_inputs = group_inputs(dataset, kings, pool, prior=prior)
    objective = Objective(InputSums(inputs, entries, "ce", pool), 1.0, 2.0, prior)
    solution = objective.solution(np.random.default_rng(1).normal(size=objective.size))
    held = dataset.held_out[kings]
    logits, _ = predict(held_inputs, entries, solution, "ce", pool)
    # an entry's own weight where it has changed or was there before, and its parts everywhere
    tables = entries.windows.unfolded(solution.parts)
    for r, indices in enumerate(entries.indices):
        new = entries.seen[r] == 0
        own = prior.own[r, indices[new]] * (objective.prior_scale or 0) / prior.logit
        whole = solution.table[entries.starts[r] : entries.starts[r + 1]]
        assert whole[new] == pytest.approx(tables[r, indices[new]] + own, abs=1e-4)
        tables[r, indices] = whole
    ids = region_indices(held.boards, *LAYOUTS["small"].group(kings))
    for i in range(0, len(held), 5):
        terms = np.array([*held.material[i], 1.0])
        sums = terms @ solution.material + sum(tables[r, ids[r, i]] for r in range(len(ids)))
        n = held.pieces[i]
        assert logits[i] == pytest.approx((sums[0] * n + sums[1] * (24 - n)) / 24, abs=1e-3)


@pytest.mark.slow
@pytest.mark.core
@pytest.mark.parametrize(
    ("kings", "loss", "earlier"),
    [
        (False, "ce", True),
        pytest.param(True, "mse", False, marks=pytest.mark.soak),
        pytest.param(True, "mse", True, marks=pytest.mark.soak),
        pytest.param(False, "mse", False, marks=pytest.mark.soak),
        pytest.param(True, "ce", False, marks=pytest.mark.soak),
    ],
)
def test_gradient_against_finite_differences(
    dataset: Dataset, pool: ThreadPoolExecutor, kings: bool, loss: str, earlier: bool
) -> None:
    prior = some_prior(kings) if earlier else None
    entries, inputs, _ = group_inputs(dataset, kings, pool, prior=prior)
    objective = Objective(InputSums(inputs, entries, loss, pool), 1.5, 2.5, prior)
    rng = np.random.default_rng(2)
    x = rng.normal(size=objective.size)
    _, gradient = objective(x)
    directions = [rng.normal(size=objective.size) for _ in range(4)]
    # the six of material, some of the most frequent entries, and of single squares, the last parts
    directions += [np.eye(1, objective.size, objective.size - 1 - k)[0] for k in range(12)]
    directions += [np.eye(1, objective.size, k)[0] for k in range(4)]
    for direction in directions:
        step = 0.02 / np.abs(direction).max()
        slope = (objective(x + step * direction)[0] - objective(x - step * direction)[0]) / (2 * step)
        assert slope == pytest.approx(gradient @ direction, rel=2e-3, abs=2e-3)


def expanded(inputs: Inputs, entries: Entries, material_scale: float) -> sparse.csr_matrix:
    """The inputs as a sparse matrix: two columns for each slot, six for material."""
    opening = inputs.pieces / 24
    rows, columns, values = [], [], []
    for r, ids in enumerate(inputs.ids):
        for phase, share in enumerate((opening, 1 - opening)):
            rows.append(np.arange(len(inputs)))
            columns.append(2 * (entries.starts[r] + ids.astype(np.int64)) + phase)
            values.append(share)
    shape = (len(inputs), 2 * entries.slots)
    table = sparse.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape)
    terms = np.concatenate([inputs.material, np.ones((len(inputs), 1))], axis=1)
    material = terms[:, :, None] * np.stack([opening, 1 - opening], axis=1)[:, None, :]
    return sparse.hstack([table, sparse.csr_matrix(material.reshape(len(inputs), 6) * material_scale)]).tocsr()


@pytest.mark.slow
@pytest.mark.parametrize("kings", [False, True])
def test_optimum_equals_scikit_learn(tmp_path: Path, pool: ThreadPoolExecutor, kings: bool) -> None:
    from sklearn.linear_model import LogisticRegression

    write_run(tmp_path, 25)
    entries, inputs, _ = group_inputs(read_samples([tmp_path], Label(0.6), 0.0, 1), kings, pool, parts=False)
    l2 = 3.0
    objective = Objective(InputSums(inputs, entries, "ce", pool), l2, 0.0)
    options = {"maxiter": 500, "ftol": 0, "gtol": 1e-5, "maxcor": 20}
    found = minimize(objective, np.zeros(objective.size), jac=True, method="L-BFGS-B", options=options)
    logits, _ = predict(inputs, entries, objective.solution(found.x), "ce", pool)
    # scikit-learn penalises all columns: a large scale takes material out of it
    matrix = expanded(inputs, entries, 100.0)
    yes, no = inputs.count * inputs.target, inputs.count * (1 - inputs.target)
    model = LogisticRegression(C=1 / l2, fit_intercept=False, solver="newton-cg", tol=1e-8, max_iter=1000)
    model.fit(
        sparse.vstack([matrix, matrix]),
        np.repeat([1, 0], len(inputs)),
        sample_weight=np.concatenate([yes, no]),
    )
    assert logits == pytest.approx(matrix @ model.coef_[0], abs=5e-3)


@pytest.fixture(scope="module")
def uninterrupted(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "made.h5"
    fit(FitSettings((run,), out, layout=TINY, holdout=0.2, max_iter=24, tolerance=0.0, workers=1))
    return out


class StopHereError(Exception):
    pass


@pytest.mark.slow
@pytest.mark.core
@pytest.mark.parametrize(
    "stop",
    [
        pytest.param(("men tables", 14), marks=pytest.mark.soak),
        pytest.param(("kings tables", 5), marks=pytest.mark.soak),
        ("kings tables", 23),
    ],
)
def test_resumed_equals_uninterrupted(long_settings: FitSettings, uninterrupted: Path, stop: tuple[str, int]) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        if (what, done) == stop:
            raise StopHereError

    with pytest.raises(StopHereError):
        fit(long_settings, interrupt)
    assert not long_settings.out.exists()
    steps: list[tuple[str, int]] = []
    # the number of workers makes no difference either
    result = fit(replace(long_settings, workers=3), lambda what, done, total: steps.append((what, done)))
    leg = (stop[1] - 1) // LEG
    assert next(step for step in steps if step[0] == stop[0]) == (stop[0], leg * LEG + 1)
    assert result.checksum == weights.load_tables(uninterrupted).checksum
    assert [p.name for p in long_settings.out.parent.iterdir()] == ["made.h5"]


@pytest.mark.slow
@pytest.mark.wine("the fit ends before it is seen to have begun")
def test_killed_command_goes_on(long_settings: FitSettings, uninterrupted: Path, tiny_file: Path) -> None:
    arguments = ["fit", str(long_settings.directories[0]), "--out", str(long_settings.out)]
    arguments += ["--layout", str(tiny_file), "--holdout", "0.2", "--max-iter", "24", "--tolerance", "0"]
    checkpoint = Path(f"{long_settings.out}.checkpoint")
    for _ in range(20):
        process = subprocess.Popen([sys.executable, "-m", "kr", *arguments], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not checkpoint.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        process.kill()
        if process.wait() == KILLED:
            break
        # so small a fit may end before it can be killed
        long_settings.out.unlink(missing_ok=True)
    assert process.returncode == KILLED, "the fit always ended before it could be killed"
    assert main(arguments) == 0
    assert weights.load_tables(long_settings.out).checksum == weights.load_tables(uninterrupted).checksum


@pytest.mark.slow
def test_finished_fit_is_only_reported(settings: FitSettings) -> None:
    first = fit(settings)
    before = settings.out.read_bytes()
    steps: list[str] = []
    again = fit(settings, lambda what, done, total: steps.append(what))
    assert again == first
    assert (first.earlier, again.earlier) == (False, True)
    assert set(steps) == {"reading games"}
    assert settings.out.read_bytes() == before
    fit(replace(settings, l2=9.0))
    assert settings.out.read_bytes() != before


@pytest.mark.slow
def test_the_command_shows_a_screenful(
    settings: FitSettings, tiny_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["fit", *map(str, settings.directories), "--out", str(settings.out)]
    words += ["--layout", str(tiny_file), "--max-iter", "3"]
    for already in (False, True):
        assert main(words) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) <= 10
        assert lines[0].startswith("120 games, 4,645 quiet positions, 3 and 3 iterations, ")
        assert f"weights: {settings.out}" in lines
        assert any(line.endswith("already fitted to these games") for line in lines) is already


def interrupted(what: str, done: int, total: int) -> None:
    if done == 12 and what == "men tables":
        raise StopHereError


@pytest.mark.soak
def test_checkpoint_of_another_fit_is_not_used(settings: FitSettings) -> None:
    settings = replace(settings, max_iter=13)
    with pytest.raises(StopHereError):
        fit(settings, interrupted)
    other = fit(replace(settings, l2=9.0))
    assert other.checksum == fit(replace(settings, l2=9.0, out=settings.out.with_name("clean.h5"))).checksum


@pytest.mark.parametrize("make", [lambda path: path.write_bytes(b"PK nothing"), make_fifo, os.mkdir])
def test_damaged_checkpoint_is_named(settings: FitSettings, make: Callable[[Path], None]) -> None:
    make(Path(f"{settings.out}.checkpoint"))
    with pytest.raises(InvalidWeightsError, match=r"made\.h5\.checkpoint: damaged checkpoint"):
        fit(settings)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"men_x": np.zeros(3)},
        {"men_x": np.zeros((3, 3))},
        {"men_x": np.full(3, np.nan)},
        {"men_x": np.array(["a"])},
        {"men_history": np.zeros(3)},
    ],
    ids=str,
)
def test_checkpoint_with_other_tables_is_named(settings: FitSettings, change: dict[str, np.ndarray]) -> None:
    settings = replace(settings, max_iter=13)
    with pytest.raises(StopHereError):
        fit(settings, interrupted)
    path = Path(f"{settings.out}.checkpoint")
    with np.load(path) as file:
        arrays = dict(file) | change
    with path.open("wb") as opened:
        np.savez(opened, **arrays)
    with pytest.raises(InvalidWeightsError, match=r"made\.h5\.checkpoint: damaged checkpoint"):
        fit(settings)


@pytest.mark.slow
def test_no_number_stops_the_fit(long_settings: FitSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, calls = Objective.__call__, []

    def broken(self: Objective, x: np.ndarray) -> tuple[float, np.ndarray]:
        calls.append(1)
        loss, gradient = honest(self, x)
        return (loss if len(calls) < 15 else float("nan")), gradient

    monkeypatch.setattr(Objective, "__call__", broken)
    with pytest.raises(DivergedError, match="men tables: the loss is nan after .* the last checkpoint is at 10"):
        fit(long_settings)
    assert not long_settings.out.exists()
    monkeypatch.undo()
    fit(long_settings)


def test_two_writers_are_refused(settings: FitSettings) -> None:
    with storage.lock(settings.out), pytest.raises(OutputBusyError, match=r"made\.h5"):
        fit(settings)


@pytest.mark.slow
def test_only_entries_that_occur_have_weights_of_their_own(settings: FitSettings, dataset: Dataset) -> None:
    made = weights.load_tables(fit(replace(settings, max_iter=5)).path)
    for kings, table, parts in ((False, made.men_table, made.men_parts), (True, made.kings_table, made.kings_parts)):
        assert parts is not None
        assert parts.windows == settings.windows(kings)
        own = table - parts.windows.unfolded(parts.values)
        ids = region_indices(dataset.training[kings].boards, *made.layout.group(kings))
        for r in range(len(own)):
            occurring = np.zeros(len(own[r]), dtype=bool)
            occurring[ids[r]] = True
            # those held out are their parts' sum but for rounding
            assert np.abs(own[r][~occurring]).max() <= 8
            assert (own[r].any(axis=1) & ~occurring).sum() < 0.01 * len(occurring)
    without = weights.load_tables(fit(replace(settings, parts=False, max_iter=2)).path)
    assert not without.men_table[:, -1].any()
    assert made.men_table[:, -1].any()


@pytest.mark.soak
def test_a_prior_is_kept(settings: FitSettings, tmp_path: Path) -> None:
    settings = replace(settings, max_iter=4)
    earlier = weights.load_tables(fit(settings).path)
    other = tmp_path / "other"
    other.mkdir()
    write_run(other, 30)
    later = replace(settings, directories=(other,), prior=settings.out, out=tmp_path / "later.h5")
    stiff = fit(replace(later, l2=1e9, l2_parts=1e9, max_iter=1))
    scales = stiff.report["prior_scale"]
    kept = weights.load_tables(stiff.path)
    unit = stiff.report["centimen_per_logit"] / earlier.attrs["centimen_per_logit"]
    for name, group in (("men_table", "men"), ("kings_table", "kings")):
        before, after = getattr(earlier, name).astype(float), getattr(kept, name)
        assert np.abs(after - before * scales[group] * unit).max() <= 8
    # with a usual penalty it changes where these games have something to say
    result = fit(later)
    assert result.checksum != stiff.checksum
    assert result.report["history"]["kings"][-1][0] < stiff.report["history"]["kings"][-1][0]
    assert "prior multiplied by: men" in fit_report.report_text(result.report)
    assert weights.load_tables(later.out).attrs["prior"] == f"{settings.out.as_posix()} ({earlier.checksum})"
    # other earlier tables make another fit, the same ones the same
    assert fit(later) == result
    fit(replace(settings, l2=9.0))
    assert fit(later).checksum != result.checksum


@pytest.mark.slow
def test_a_prior_must_fit(settings: FitSettings, tmp_path: Path) -> None:
    unfitted = {"prior": save_random(tmp_path / "random.h5"), "layout": TINY}
    settings = replace(settings, max_iter=1)
    fit(settings)
    later = replace(settings, prior=settings.out, out=tmp_path / "later.h5")
    for change, error, message in (
        ({"layout": LAYOUTS["tall"]}, InvalidSettingError, "made.h5 has the layout tiny, the fit tall"),
        ({"parts": False}, InvalidSettingError, "made.h5 has other parts than the fit"),
        ({"prior": tmp_path / "none.h5"}, InvalidWeightsError, "none.h5: no such file"),
        (unfitted, InvalidWeightsError, "random.h5: these tables were not fitted"),
    ):
        with pytest.raises(error, match=message):
            fit(replace(later, **change))
    # tables without parts are their entries' own
    fit(replace(settings, parts=False))
    fit(later)


def test_clipping_is_counted(settings: FitSettings, dataset: Dataset, pool: ThreadPoolExecutor) -> None:
    entries, *inputs = group_inputs(dataset, False, pool)
    sums = LocalSums(dataset.training[False], dataset.held_out[False], entries, inputs, "ce", pool)
    objective = Objective(sums, 1.0, 1.0)
    solution = objective.solution(np.zeros(objective.size))
    solution.table[:3] = [[1.0, -1.0], [0.0, -50.0], [50.0, 50.0]]
    one = FittedGroup(False, entries, sums.report(solution), solution, np.empty((0, 2)), 1.0, None)
    made = quantised(one, 60.0)
    assert made.clipped == 2
    assert made.table[0, entries.indices[0][:3]].tolist() == [[960, -960], [0, -32767], [32767, 32767]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layout": "huge"}, "layout: 'huge' is not a Layout"),
    ],
)
def test_settings_are_checked(settings: FitSettings, change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        replace(settings, **change)  # type: ignore[arg-type]


@pytest.mark.slow
def test_command(settings: FitSettings, tiny_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "fit",
        str(settings.directories[0]),
        "--out",
        str(settings.out),
        "--layout",
        str(tiny_file),
        "--max-iter",
        "3",
    ]
    assert main([*arguments, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["checksum"] == weights.load_tables(settings.out).checksum
    assert shown["coverage"]["men"]["entries"] == len(TINY.men) * 3**12
    assert main(arguments) == 0
    assert shown["checksum"] in capsys.readouterr().out
    assert main(["weights", "show", str(settings.out)]) == 0
    assert "score scale" in capsys.readouterr().out
    assert main([*arguments, "--label", "score"]) == 2
    assert "label 'score' is neither" in capsys.readouterr().err
    assert main(["fit", str(settings.out.parent), "--out", str(settings.out)]) == 1
    assert "no shards of games" in capsys.readouterr().err


@pytest.mark.slow
def test_lock_is_released(settings: FitSettings) -> None:
    """Nothing is raised, as it is while a fit is running."""
    fit(replace(settings, max_iter=1))
    with storage.lock(settings.out):
        pass
