"""Training of networks: a training that ends in any way resumes to the numbers of an undisturbed one.

The learner is a toy of three numbers with everything that a network may have: dropout, a running mean, a rate that
depends on the validation losses. What holds for it holds for all: they have epochs and checkpoints from `Descent`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np
import optax
import pytest
from systems import INTERRUPTED, KILLED, RUNS_JAX, make_fifo
from test_full_disk import room

from kr import storage
from kr.errors import DivergedError, InvalidCheckpointError, InvalidSettingError, OutputBusyError, StoppedError
from kr.studies import descent
from kr.studies.checkpoint import FitStage, StudyCheckpoint, fitting, read_stage
from kr.studies.descent import Arrays, Descent, FitProgress, Learner, Point, TrainedNet

pytestmark = RUNS_JAX

SOURCE = np.random.default_rng(1)
INPUTS = SOURCE.normal(0, 1, (60, 2)).astype(np.float32)
VALUES = (INPUTS @ [1.5, -2.0] + 0.3).astype(np.float32)


class ToyLearner(Learner):
    """A line through points; each epoch has one call with four batches, and two with one."""

    epochs, batches, batch, scanned = 3, 6, 10, 4

    def start(self) -> tuple[Arrays, Arrays]:
        return {"w": np.zeros(2, dtype=np.float32), "b": np.float32(0)}, {"mean": np.float32(0)}

    def optimiser(self) -> Any:
        return optax.adam(1.0)

    def rates(self, steps: np.ndarray, losses: Sequence[float]) -> np.ndarray:
        return np.full(len(steps), 0.2 / (1 + len(losses)), dtype=np.float32)

    def loss(self, parameters: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any]:
        inputs = batch["inputs"] * jax.random.bernoulli(key, 0.9, (10, 2))
        errors = inputs @ parameters["w"] + parameters["b"] - batch["values"]
        loss = (errors**2).mean()
        return loss, {"mean": 0.9 * state["mean"] + 0.1 * loss}

    def epoch(self, number: int, first: int) -> Iterator[dict[str, np.ndarray]]:
        order = np.random.default_rng(number).permutation(60)
        for i in range(first, 6):
            rows = order[10 * i : 10 * (i + 1)]
            yield {"inputs": INPUTS[rows], "values": VALUES[rows]}

    def judge(self, parameters: Arrays, state: Arrays) -> Point:
        errors = INPUTS @ parameters["w"] + parameters["b"] - VALUES
        return {"validation_loss": float((errors**2).mean()), "mean": float(state["mean"])}


LEARNER = ToyLearner()


@cache
def traced() -> Descent:
    return Descent(LEARNER, StudyCheckpoint(Path("nowhere"), "toy", "endings"), 7)


def toy(out: Path, learner: Learner = LEARNER, fingerprint: str = "toy") -> Descent:
    """A training; JAX traces the steps once for all of them, which is most of the time that they take."""
    made = copy(traced())
    made.learner, made.checkpoint = learner, StudyCheckpoint(out, fingerprint, "endings")
    return made


def essence(net: TrainedNet) -> Any:
    """Everything about a network but the time that it took."""
    arrays = [np.asarray(array).tobytes() for part in net[:2] for _, array in sorted(part.items())]
    return arrays, [{name: value for name, value in point.items() if name != "seconds"} for point in net.curve]


class Killed(BaseException):
    """An end of which the training hears nothing."""


def after(calls: int, end: Callable[[], None]) -> Callable[[FitProgress], None]:
    """A listener that calls `end` when it has heard of progress so often."""
    heard: list[FitProgress] = []

    def hear(progress: FitProgress) -> None:
        heard.append(progress)
        if len(heard) == calls:
            end()

    return hear


def raiser(error: BaseException) -> Callable[[], None]:
    def end() -> None:
        raise error

    return end


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "net.h5"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return essence(toy(tmp_path_factory.mktemp("undisturbed") / "net.h5").run())


def test_an_undisturbed_training(out: Path) -> None:
    """The best epoch is the result, and progress is told step by step."""
    heard: list[FitProgress] = []
    net = toy(out).run(heard.append)
    assert [point["epoch"] for point in net.curve] == [1, 2, 3]
    losses = [point["validation_loss"] for point in net.curve]
    assert net.best == net.curve[int(np.argmin(losses))]
    assert min(losses) < 0.5 * float((VALUES**2).mean())
    assert LEARNER.judge(net.parameters, net.state) == {name: net.best[name] for name in ("validation_loss", "mean")}
    # at the start, and in each epoch after four batches, one, one, and its end
    assert [each.count for each in heard] == [0, 40, 50, 60, 60, 100, 110, 120, 120, 160, 170, 180, 180]
    assert {each.total for each in heard} == {180}
    assert [each.epoch for each in heard[3:6]] == [0, 1, 1]
    study, stage = read_stage(Path(f"{out}.state"))
    assert (study, stage.done, stage.total, stage.unit) == ("endings", 18, 18, "batches")
    assert list(stage.curve) == net.curve


@pytest.mark.parametrize("seconds", [0.0, 3600.0], ids=["saved at each step", "saved after epochs"])
@pytest.mark.parametrize("calls", [1, 2, 4, 7, 9])
def test_killed_and_resumed_equals_undisturbed(
    out: Path, undisturbed: Any, monkeypatch: pytest.MonkeyPatch, calls: int, seconds: float
) -> None:
    monkeypatch.setattr(descent, "SAVED_EVERY", seconds)
    for each in (calls, 2):
        with pytest.raises(Killed):
            toy(out).run(after(each, raiser(Killed())))
    assert essence(toy(out).run()) == undisturbed


ENDED = """
import os, signal, sys
from pathlib import Path
from test_descent import after, descent, toy

descent.SAVED_EVERY = 0
end = {"kill": lambda: os.kill(os.getpid(), 9), "ctrl-c": lambda: signal.raise_signal(signal.SIGINT)}
toy(Path(sys.argv[1])).run(after(7, end[sys.argv[2]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("end", "code"), [("kill", KILLED), ("ctrl-c", INTERRUPTED)])
def test_a_process_that_ends_and_is_started_again(out: Path, undisturbed: Any, end: str, code: int) -> None:
    command = [sys.executable, "-c", ENDED, str(out), end]
    done = subprocess.run(command, capture_output=True, check=False, cwd=Path(__file__).parent)
    assert done.returncode == code, done.stderr
    assert read_stage(Path(f"{out}.state"))[1].done > 0
    assert essence(toy(out).run()) == undisturbed


class InterruptedLearner(ToyLearner):
    """Ctrl-C comes while a batch is prepared, or while an epoch is judged."""

    def __init__(self, place: str) -> None:
        self.place = place

    def epoch(self, number: int, first: int) -> Iterator[dict[str, np.ndarray]]:
        for i, batch in enumerate(super().epoch(number, first), first):
            if self.place == "batch" and (number, i) == (1, 5):
                raise KeyboardInterrupt
            yield batch

    def judge(self, parameters: Arrays, state: Arrays) -> Point:
        if self.place == "judge":
            raise KeyboardInterrupt
        return super().judge(parameters, state)


@pytest.mark.parametrize(
    ("place", "done"), [("progress", 110), ("batch", 100), ("judge", 60)], ids=["progress", "batch", "judge"]
)
def test_ctrl_c_saves_the_steps_so_far(out: Path, undisturbed: Any, place: str, done: int) -> None:
    """No batch is trained on twice, though checkpoints are rare."""
    hear = after(7, raiser(KeyboardInterrupt())) if place == "progress" else None
    with pytest.raises(KeyboardInterrupt):
        toy(out, InterruptedLearner(place)).run(hear)
    heard: list[FitProgress] = []
    assert essence(toy(out).run(heard.append)) == undisturbed
    assert heard[0].count == done


def test_a_stopped_training_resumes(out: Path, undisturbed: Any) -> None:
    stop = threading.Event()
    with pytest.raises(StoppedError, match=r"net\.h5: the training was stopped in epoch 2 of 3; run the same command"):
        toy(out).run(after(6, stop.set), stop)
    heard: list[FitProgress] = []
    assert essence(toy(out).run(heard.append)) == undisturbed
    assert heard[0].count == 100


class BrokenLearner(ToyLearner):
    """A loss, a parameter or a validation loss is no number in the second epoch."""

    def __init__(self, place: str) -> None:
        self.place = place

    def rates(self, steps: np.ndarray, losses: Sequence[float]) -> np.ndarray:
        rates = super().rates(steps, losses)
        last = self.place == "parameter" and (steps == 11)
        return np.where((self.place == "loss" and len(losses) == 1) | last, np.float32(np.nan), rates)

    def judge(self, parameters: Arrays, state: Arrays) -> Point:
        point = super().judge(parameters, state)
        if self.place == "parameter":
            # as of a network whose loss does not depend on that parameter
            return {**point, "validation_loss": 1.0}
        return {**point, "validation_loss": np.nan} if self.place == "validation" else point


@pytest.mark.parametrize(("place", "epoch"), [("loss", 2), ("parameter", 3), ("validation", 1)])
def test_numbers_that_are_no_longer_finite_end_the_training(out: Path, place: str, epoch: int) -> None:
    """In one line, again when it is repeated; the checkpoint is never of such numbers."""
    message = rf"net\.h5: the loss is no longer a finite number in epoch {epoch}; try a smaller --rate$"
    for _ in range(2):
        with pytest.raises(DivergedError, match=message):
            toy(out, BrokenLearner(place)).run()


@pytest.mark.posix("no setrlimit")
def test_a_full_disk_is_named_and_the_training_resumes_with_room(
    out: Path, undisturbed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Killed):
        toy(out).run(after(9, raiser(Killed())))
    state = Path(f"{out}.state")
    before = state.read_bytes()
    for saved_every, size in ((0.0, 1000), (3600.0, len(before) - 1)):
        monkeypatch.setattr(descent, "SAVED_EVERY", saved_every)
        with room(size), pytest.raises(OSError, match="File too large") as caught:
            toy(out).run()
        assert caught.value.filename == str(state)
        assert state.read_bytes() == before
        assert list(out.parent.iterdir()) == [state]
    assert essence(toy(out).run()) == undisturbed


# --- checkpoints


@pytest.fixture
def checkpoint(out: Path) -> StudyCheckpoint:
    """A checkpoint with a file."""
    with pytest.raises(Killed):
        toy(out).run(after(7, raiser(Killed())))
    return StudyCheckpoint(out, "toy", "endings")


def edited(**changed: Any) -> Callable[[Path], None]:
    """An edit of some entries; None removes one."""

    def edit(path: Path) -> None:
        with np.load(path) as file:
            arrays = dict(file) | changed
        with path.open("wb") as opened:
            np.savez(opened, **{name: array for name, array in arrays.items() if array is not None})

    return edit


def remade(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        path.unlink()
        make(path)

    return edit


STORY = (
    '{"study": "endings", "done": 6, "total": 18, "unit": "batches", "loss": null, '
    '"epoch": 1, "batches": 0, "loss_sum": 0, '
)
DAMAGE: dict[str, Callable[[Path], None]] = {
    "text": remade(lambda path: path.write_bytes(b"PK nothing")),
    "fifo": remade(make_fifo),
    "directory": remade(os.mkdir),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-200]),
    "flipped": lambda path: path.write_bytes(
        path.read_bytes().replace("batches".encode("utf-32-le"), "botches".encode("utf-32-le"))
    ),
    "shape": edited(array_0000=np.zeros(3)),
    "nan": edited(array_0002=np.full(2, np.nan, dtype=np.float32)),
    "type": edited(array_0001=np.array(["a"])),
    "missing": edited(array_0003=None),
    "newer": edited(format_version=2),
    "empty story": edited(story="{}"),
    "no points": edited(story=STORY + '"seconds": 0, "curve": [{}]}'),
    "too few points": edited(story=STORY + '"seconds": 0, "curve": []}'),
    "a point of nan": edited(
        story=STORY + '"seconds": 0, "curve": [{"loss": NaN, "validation_loss": 1, "seconds": 1}]}'
    ),
    "too many batches": edited(story=STORY.replace('"batches": 0', '"batches": 9') + '"seconds": 0, "curve": []}'),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_checkpoint_is_named(checkpoint: StudyCheckpoint, damage: str) -> None:
    DAMAGE[damage](checkpoint.path)
    with pytest.raises(InvalidCheckpointError, match=r"net\.h5\.state: damaged checkpoint; remove it to start afresh$"):
        toy(checkpoint.out).run()


def test_a_checkpoint_of_an_earlier_version_is_named(checkpoint: StudyCheckpoint) -> None:
    """Until they were all of one kind, checkpoints had no number."""
    edited(format_version=None, story=None, told="{}")(checkpoint.path)
    for reading in (toy(checkpoint.out).run, lambda: read_stage(checkpoint.path)):
        with pytest.raises(
            InvalidCheckpointError, match=r"state: a checkpoint of an earlier version of kr; resume it with"
        ):
            reading()
    # that of another training is replaced, whatever its version
    toy(checkpoint.out, fingerprint="other").run()


def test_the_checkpoint_of_another_training_is_not_used(checkpoint: StudyCheckpoint, undisturbed: Any) -> None:
    heard: list[FitProgress] = []
    assert essence(toy(checkpoint.out, fingerprint="other").run(heard.append)) == undisturbed
    assert heard[0].count == 0


def test_a_checkpoint_is_gone_once_it_is_removed(checkpoint: StudyCheckpoint) -> None:
    checkpoint.remove()
    checkpoint.remove()
    assert list(checkpoint.out.parent.iterdir()) == []
    assert checkpoint.load([], lambda arrays, stage, story: True) is None


def test_arrays_and_story_come_back(out: Path) -> None:
    saved = StudyCheckpoint(out, "x", "people")
    stage = FitStage(3, 5, "iterations", 0.5, [{"loss": 0.1, "validation_loss": 0.2, "seconds": 1.5}])
    saved.save([np.arange(3.0), np.int32(4)], stage, finished=True)
    arrays, loaded, story = saved.load([np.zeros(3), np.int32(0)], lambda *parts: parts) or ((), None, {})
    assert [array.tolist() for array in arrays] == [[0, 1, 2], 4]
    assert loaded == stage
    assert story["finished"] is True
    assert read_stage(saved.path) == ("people", stage)


# --- outputs


def test_two_writers_are_refused(out: Path) -> None:
    with (
        storage.lock(out),
        pytest.raises(OutputBusyError, match=r"net\.h5 is being written by another process"),
        fitting(out, ()),
    ):
        pass


@pytest.mark.posix("no links without rights")
def test_an_output_is_none_of_the_files_that_are_read(out: Path) -> None:
    out.write_text("games")
    link = out.with_name("link")
    link.symlink_to(out)
    for target in (out, link):
        with (
            pytest.raises(InvalidSettingError, match="is read by this fit; choose another file"),
            fitting(target, [out]),
        ):
            pass
    assert out.read_text() == "games"
