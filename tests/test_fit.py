"""The fit: gradients, the optimum against scikit-learn, interruptions, reports and pictures."""

import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playouts import write_run
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from kr import storage, weights
from kr.cli import main
from kr.errors import DivergedError, InvalidSettingError, InvalidWeightsError, OutputBusyError
from kr.lab import fit as fit_module
from kr.lab.dataset import Dataset, Label, read_dataset
from kr.lab.fit import FitSettings, fit
from kr.lab.objective import Entries, Inputs, Objective, encoded, predict, ranked
from kr.patterns import LAYOUTS, region_indices


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("games")
    write_run(directory, 120)
    return directory


@pytest.fixture(scope="module")
def dataset(run: Path) -> Dataset:
    return read_dataset([run], Label(0.6), 0.2, 1)


@pytest.fixture(scope="module")
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2)


@pytest.fixture
def settings(run: Path, tmp_path: Path) -> FitSettings:
    return FitSettings(
        directories=(run,), out=tmp_path / "made.h5", layout="small", holdout=0.2, max_iter=24, tolerance=0.0
    )


def problem(dataset: Dataset, kings: bool, pool: ThreadPoolExecutor) -> tuple[Entries, Inputs]:
    return ranked(dataset.training[kings], LAYOUTS["small"], kings, pool)


@pytest.mark.core
@pytest.mark.parametrize("kings", [False, True])
def test_entries_are_ranked_by_frequency(dataset: Dataset, pool: ThreadPoolExecutor, kings: bool) -> None:
    entries, inputs = problem(dataset, kings, pool)
    samples = dataset.training[kings]
    plain = region_indices(samples.boards, LAYOUTS["small"], kings)
    for r, (indices, seen) in enumerate(zip(entries.indices, entries.seen, strict=True)):
        assert (indices[inputs.ids[r]] == plain[r]).all()
        assert (np.diff(seen) <= 0).all()
        assert seen.tolist() == np.bincount(inputs.ids[r], samples.count).astype(int).tolist()
    assert entries.slots == entries.occurring + len(entries.regions)


@pytest.mark.core
@pytest.mark.parametrize("kings", [False, True])
def test_unknown_entries_count_nothing(dataset: Dataset, pool: ThreadPoolExecutor, kings: bool) -> None:
    entries, inputs = problem(dataset, kings, pool)
    objective = Objective(inputs, entries, "ce", 1.0, pool)
    x = np.random.default_rng(1).normal(size=objective.size)
    held = dataset.held_out[kings]
    solution = objective.solution(x)
    logits, _ = predict(encoded(held, entries, pool), entries, solution, "ce", pool)
    known = [
        {int(index): solution.table[entries.starts[r] + rank] for rank, index in enumerate(entries.indices[r])}
        for r in range(len(entries.regions))
    ]
    ids = region_indices(held.boards, LAYOUTS["small"], kings)
    for i in range(0, len(held), 5):
        terms = np.array([*held.material[i], 1.0])
        sums = terms @ solution.material + sum(known[r].get(int(ids[r, i]), np.zeros(2)) for r in range(len(ids)))
        n = held.pieces[i]
        assert logits[i] == pytest.approx((sums[0] * n + sums[1] * (24 - n)) / 24, abs=1e-4)


@pytest.mark.core
@pytest.mark.parametrize("loss", ["ce", "mse"])
@pytest.mark.parametrize("kings", [False, True])
def test_gradient_against_finite_differences(
    dataset: Dataset, pool: ThreadPoolExecutor, kings: bool, loss: str
) -> None:
    entries, inputs = problem(dataset, kings, pool)
    objective = Objective(inputs, entries, loss, 1.5, pool)
    rng = np.random.default_rng(2)
    x = objective.start() + rng.normal(size=objective.size)
    _, gradient = objective(x)
    directions = [rng.normal(size=objective.size) for _ in range(4)]
    # the six of material, and some of the most frequent entries
    directions += [np.eye(1, objective.size, objective.size - 1 - k)[0] for k in range(6)]
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


@pytest.mark.parametrize("kings", [False, True])
def test_optimum_equals_scikit_learn(tmp_path: Path, pool: ThreadPoolExecutor, kings: bool) -> None:
    write_run(tmp_path, 25)
    entries, inputs = problem(read_dataset([tmp_path], Label(0.6), 0.0, 1), kings, pool)
    l2 = 3.0
    objective = Objective(inputs, entries, "ce", l2, pool)
    options = {"maxiter": 500, "ftol": 0, "gtol": 1e-5, "maxcor": 20}
    found = minimize(objective, objective.start(), jac=True, method="L-BFGS-B", options=options)
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


def fitted_arrays(path: Path) -> list[bytes]:
    fitted = weights.load_fitted(path)
    return [getattr(fitted, name).tobytes() for name in fitted.__dataclass_fields__]


@pytest.fixture(scope="module")
def uninterrupted(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "made.h5"
    fit(FitSettings((run,), out, layout="small", holdout=0.2, max_iter=24, tolerance=0.0, workers=1))
    return out


class StopHereError(Exception):
    pass


@pytest.mark.core
@pytest.mark.parametrize("stop", [("men tables", 14), ("kings tables", 5), ("kings tables", 23)])
def test_resumed_equals_uninterrupted(settings: FitSettings, uninterrupted: Path, stop: tuple[str, int]) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        if (what, done) == stop:
            raise StopHereError

    with pytest.raises(StopHereError):
        fit(settings, interrupt)
    assert not settings.out.exists()
    steps: list[tuple[str, int]] = []
    # the number of workers makes no difference either
    result = fit(replace(settings, workers=3), lambda what, done, total: steps.append((what, done)))
    leg = (stop[1] - 1) // fit_module.LEG
    assert next(step for step in steps if step[0] == stop[0]) == (stop[0], leg * fit_module.LEG + 1)
    assert result.checksum == weights.load(uninterrupted).checksum
    assert fitted_arrays(settings.out) == fitted_arrays(uninterrupted)
    assert [p.name for p in settings.out.parent.iterdir()] == ["made.h5"]


def test_killed_command_goes_on(settings: FitSettings, uninterrupted: Path) -> None:
    arguments = ["fit", str(settings.directories[0]), "--out", str(settings.out), "--layout", "small"]
    arguments += ["--holdout", "0.2", "--max-iter", "24", "--tolerance", "0"]
    checkpoint = Path(f"{settings.out}.checkpoint")
    for _ in range(20):
        process = subprocess.Popen([sys.executable, "-m", "kr", *arguments], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not checkpoint.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        process.kill()
        if process.wait() == -signal.SIGKILL:
            break
        # so small a fit may end before it can be killed
        settings.out.unlink()
    assert process.returncode == -signal.SIGKILL, "the fit always ended before it could be killed"
    assert main(arguments) == 0
    assert weights.load(settings.out).checksum == weights.load(uninterrupted).checksum


def test_finished_fit_is_only_reported(settings: FitSettings) -> None:
    first = fit(settings)
    before = settings.out.read_bytes()
    steps: list[str] = []
    again = fit(settings, lambda what, done, total: steps.append(what))
    assert again == first
    assert set(steps) == {"reading games"}
    assert settings.out.read_bytes() == before
    fit(replace(settings, l2=9.0))
    assert settings.out.read_bytes() != before


def test_checkpoint_of_another_fit_is_not_used(settings: FitSettings) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        if done == 12 and what == "men tables":
            raise StopHereError

    with pytest.raises(StopHereError):
        fit(settings, interrupt)
    other = fit(replace(settings, l2=9.0))
    assert other.checksum == fit(replace(settings, l2=9.0, out=settings.out.with_name("clean.h5"))).checksum


def test_damaged_checkpoint_is_named(settings: FitSettings) -> None:
    Path(f"{settings.out}.checkpoint").write_bytes(b"PK nothing")
    with pytest.raises(InvalidWeightsError, match=r"made\.h5\.checkpoint: damaged checkpoint"):
        fit(settings)


def test_no_number_stops_the_fit(settings: FitSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, calls = Objective.__call__, []

    def broken(self: Objective, x: np.ndarray) -> tuple[float, np.ndarray]:
        calls.append(1)
        loss, gradient = honest(self, x)
        return (loss if len(calls) < 15 else float("nan")), gradient

    monkeypatch.setattr(Objective, "__call__", broken)
    with pytest.raises(DivergedError, match="men tables: the loss is nan after .* the last checkpoint stands at 10"):
        fit(settings)
    assert not settings.out.exists()
    monkeypatch.undo()
    fit(settings)


def test_two_writers_are_refused(settings: FitSettings) -> None:
    held = "import sys, time, kr.storage as s\nwith s.lock(sys.argv[1]): print(flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", held, str(settings.out)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(OutputBusyError, match=r"made\.h5"):
            fit(settings)
    finally:
        holder.kill()
        holder.communicate()


@pytest.mark.parametrize("loss", ["ce", "mse"])
def test_report_adds_up(settings: FitSettings, dataset: Dataset, loss: str) -> None:
    result = fit(replace(settings, loss=loss))
    report = result.report
    assert report == json.loads(weights.read_attributes(settings.out)["report"])
    for kings, group in fit_module.GROUPS.items():
        for name, samples in (("training", dataset.training[kings]), ("held_out", dataset.held_out[kings])):
            (counts,) = (r for r in report["samples"] if (r["group"], r["set"]) == (group, name))
            assert (counts["positions"], counts["distinct"]) == (samples.positions, len(samples))
            bands = [r for r in report["loss_by_phase"] if (r["group"], r["set"]) == (group, name)]
            (total,) = (r for r in report["loss"] if (r["group"], r["set"]) == (group, name))
            assert sum(r["positions"] for r in bands) == samples.positions
            summed = sum(r["positions"] * r["loss"] for r in bands if r["positions"])
            assert summed == pytest.approx(total["loss"] * samples.positions)
            # what the optimiser saw last is what the report says
            assert total["loss"] == pytest.approx(report["history"][group][-1][name == "held_out"], rel=1e-5)
        covered = report["coverage"][group]
        assert covered["never"] + covered["at least 1"] == covered["entries"]
        assert covered["at least 1"] > covered["at least 10"] > covered["at least 100"]
        assert report["rounding"][group]["largest"] < 1
        first, last = report["history"][group][0], report["history"][group][-1]
        assert last[0] < first[0]
    held = sum(s.positions for s in dataset.held_out.values())
    assert sum(row["positions"] for row in report["calibration"]) == held


def test_a_man_is_worth_a_hundred(settings: FitSettings, dataset: Dataset) -> None:
    made = weights.load(fit(settings).path)
    samples = dataset.training[False]
    slope = np.polyfit(samples.material[:, 0].astype(float), made.scores(samples.boards), 1, w=np.sqrt(samples.count))[
        0
    ]
    assert slope == pytest.approx(100, abs=0.1)


def test_tables_hold_the_rounded_float_weights(settings: FitSettings) -> None:
    result = fit(settings)
    made, fitted = weights.load(result.path), weights.load_fitted(result.path)
    factor = 16 * result.report["centimen_per_logit"]
    for table, ids, values in (
        (made.men_table, fitted.men_ids, fitted.men_values),
        (made.kings_table, fitted.kings_ids, fitted.kings_values),
    ):
        flat = table.reshape(-1, 2)
        assert np.abs(flat[ids] - values * factor).max() <= 0.51
        assert (np.diff(ids.astype(np.int64)) > 0).all()
        rest = np.ones(len(flat), dtype=bool)
        rest[ids] = False
        assert not flat[rest].any()


def test_clipping_is_counted(settings: FitSettings, dataset: Dataset, pool: ThreadPoolExecutor) -> None:
    entries, inputs = problem(dataset, False, pool)
    objective = Objective(inputs, entries, "ce", 1.0, pool)
    solution = objective.solution(objective.start())
    solution.table[:3] = [[1.0, -1.0], [0.0, -50.0], [50.0, 50.0]]
    logits = np.zeros(0, dtype=np.float32)
    training, held_out = dataset.training[False], dataset.held_out[False]
    one = fit_module.Problem(False, entries, training, held_out, logits, logits, solution, np.empty((0, 2)))
    made = fit_module.quantised(one, 60.0)
    assert made.clipped == 2
    assert made.table[0, entries.indices[0][:3]].tolist() == [[960, -960], [0, -32767], [32767, 32767]]


def test_pictures(settings: FitSettings, tmp_path: Path) -> None:
    fit(replace(settings, plots=tmp_path / "plots", max_iter=3))
    pictures = sorted((tmp_path / "plots").iterdir())
    assert [p.name for p in pictures] == ["calibration.png", "coverage.png", "loss.png", "squares.png"]
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in pictures)


def test_worth_of_a_square_is_the_mean_change(settings: FitSettings, dataset: Dataset) -> None:
    from kr.lab.plots import square_worth

    made = weights.load(fit(settings).path)
    worth = square_worth(made, dataset)
    boards = dataset.training[True].boards
    changes = []
    for board in boards:
        if board[2] >> 9 & 1 and int(board[0] | board[2]).bit_count() > 1:
            without = board.copy()
            without[2] ^= np.uint32(1 << 9)
            changes.append((made.scores(board[None]) - made.scores(without[None]))[0])
    assert changes
    assert worth["a king"][9] == pytest.approx(np.mean(changes))
    assert np.isnan(worth["a man, no kings on the board"][31])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layout": "huge"}, "unknown layout 'huge'"),
        ({"loss": "hinge"}, "loss 'hinge' is none of ce, mse"),
        ({"holdout": 1.0}, "holdout 1.0 is no share"),
        ({"l2": -1.0}, "l2 is -1.0; a number from 0"),
        ({"l2": float("nan")}, "l2 is nan; a number from 0"),
        ({"workers": 0}, "workers is 0; a number from 1"),
        ({"max_iter": 0}, "max_iter is 0; a number from 1"),
    ],
)
def test_settings_are_checked(settings: FitSettings, change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        replace(settings, **change)  # type: ignore[arg-type]


def test_command(settings: FitSettings, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "fit",
        str(settings.directories[0]),
        "--out",
        str(settings.out),
        "--layout",
        "small",
        "--max-iter",
        "3",
    ]
    assert main([*arguments, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["checksum"] == weights.load(settings.out).checksum
    assert shown["coverage"]["men"]["entries"] == 6 * 3**12
    assert main(arguments) == 0
    assert shown["checksum"] in capsys.readouterr().out
    assert main(["weights", "show", str(settings.out)]) == 0
    assert "score scale" in capsys.readouterr().out
    assert main([*arguments, "--label", "score"]) == 2
    assert "label 'score' is neither" in capsys.readouterr().err
    assert main(["fit", str(settings.out.parent), "--out", str(settings.out)]) == 1
    assert "no shards of games" in capsys.readouterr().err


def test_lock_is_released(settings: FitSettings) -> None:
    fit(replace(settings, max_iter=1))
    with storage.lock(settings.out):
        pass
