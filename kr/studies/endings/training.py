"""`kr endnet fit`: trains a network on positions with exact values.

A checkpoint beside the output has everything that a training consists of: parameters, running means, the optimiser's
state, the best parameters so far, and how far it is in which epoch. The order of the positions follows from seed and
epoch alone, so that a killed training resumes to the same bytes. It ends after `--epochs`, or once the accuracy on the
validation positions hasn't risen for `--patience` epochs; the parameters of the best epoch are kept.

The small network is trained with AdamW, its rate warmed up and lowered along a cosine; the paper's with RAdam at a
constant rate and a cross entropy weighted by the shares of the classes (exponent 1/2), as it says.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import figures, storage
from kr.egdb.sample_reader import SampleRows, SampleStream
from kr.engine.search import Stop
from kr.errors import DivergedError, InvalidModelError, InvalidSettingError, StoppedError
from kr.learn.nets import check_jax
from kr.settings import REQUIRED, Settings, option, seed_option
from kr.studies.endings.model_file import CLASSES, EndnetModel, check_curve, load_model, save_model
from kr.studies.endings.shape import ASKED, INPUTS, NETS, NetShape
from kr.units import parse_count

SCANNED = {"small": 16, "paper": 1}
"""Batches of one call of the compiled step; a convolution in a loop is very slow on a processor."""
CHECKPOINT_SECONDS = 60.0
PAPER_WEIGHT_EXPONENT = 0.5
RATES = {"small": 5e-3, "paper": 2e-4}
EPOCHS = {"small": 10, "paper": 100}
PATIENT_EPOCHS = {"small": 0, "paper": 5}


def parse_hidden(text: str) -> tuple[int, int]:
    """Parse units of two layers such as "512,32". Raises InvalidSettingError."""
    try:
        first, second = (parse_count(part) for part in text.split(","))
    except (ValueError, InvalidSettingError):
        raise InvalidSettingError(f'{text!r} is not the units of two layers, such as "512,32"') from None
    return first, second


@dataclass(frozen=True)
class EndnetFitSettings(Settings):
    """Settings of a training. `out` and `plots` do not change the network."""

    samples: tuple[Path, ...] = option(REQUIRED, "Files of `kr egdb sample`.", argument=True, metavar="SAMPLE")
    out: Path = option(REQUIRED, "Model file to write.", metavar="FILE")
    net: str = option("small", "Network: kr's small one, or the paper's residual one.", choices=NETS)
    asked: str = option("quiet", "Positions to train on: all, or those with nothing to capture.", choices=ASKED)
    inputs: str = option("squares", "Inputs of the small network: squares, or threats too.", choices=INPUTS)
    hidden: tuple[int, int] = option(
        (512, 32), "Units of the hidden layers of the small network.", parse=parse_hidden,
        show=lambda units: ",".join(map(str, units)), metavar="UNITS,UNITS",
    )  # fmt: skip
    channels: int = option(32, "Channels of the paper's convolutions.", low=1, high=1024)
    dense: int = option(128, "Units of the paper's first dense layer.", low=1, high=4096)
    limit: int = option(0, "Training positions to use: {allowed}.", parse=parse_count, low=1, zero="all")
    validation: int = option(200_000, "Most validation positions to use.", parse=parse_count, low=1, high=10**9)
    epochs: int = option(0, "Most epochs: {allowed}.", low=1, high=10**6, zero="10 (small) or 100 (paper)")
    patience: int | None = option(
        None, "Epochs without a better accuracy after which to stop, 0 for never.  [default: small 0, paper 5]", low=0
    )
    rate: float = option(0, "Learning rate: {allowed}.", low=1e-9, high=10, zero="0.005 (small) or 0.0002 (paper)")
    decay: float = option(0.1, "Weight decay of AdamW.", low=0, high=100)
    batch: int = option(1024, "Positions in a batch.", parse=parse_count, low=1, high=1 << 20)
    start: Path | None = option(None, "Model to start from, of the same shape.", name="from", metavar="FILE")
    freeze: bool = option(False, "Train the classifier only: the layers after the body.")
    seed: int = seed_option("Seed of the first weights and of the order of positions.")
    plots: Path | None = option(None, "Directory for a plot of the learning curve.", metavar="DIR")

    @property
    def shape(self) -> NetShape:
        """Shape of the network."""
        if self.net == "small":
            return NetShape("small", self.asked, self.inputs, self.hidden)
        return NetShape(self.net, self.asked, self.inputs, channels=self.channels, dense=self.dense)

    @property
    def chosen(self) -> tuple[int, int, float]:
        """Epochs, patience and rate, those of the network where none are given."""
        patience = PATIENT_EPOCHS[self.net] if self.patience is None else self.patience
        return self.epochs or EPOCHS[self.net], patience, self.rate or RATES[self.net]

    def shaping(self) -> dict[str, Any]:
        """What changes the network, but for the samples and the model to start from."""
        epochs, patience, rate = self.chosen
        names = ("limit", "validation", "decay", "batch", "freeze", "seed")
        own = {name: getattr(self, name) for name in names}
        return {"shape": asdict(self.shape), "epochs": epochs, "patience": patience, "rate": rate, **own}


@dataclass(frozen=True)
class FitProgress:
    """How far a training is."""

    done: int
    """Positions seen, over all epochs."""
    total: int
    """Positions of all epochs."""
    epoch: int
    """Whole epochs."""
    loss: float | None
    """Mean loss of the last batches."""
    accuracy: float | None
    """Best accuracy on the validation positions so far."""


@dataclass(eq=False)
class _Training:
    """State of a training, as a checkpoint keeps it. Arrays are of numpy."""

    parameters: dict[str, Any]
    state: dict[str, Any]
    optimiser: list[Any]
    """Leaves of the optimiser's state."""
    best: dict[str, Any]
    best_state: dict[str, Any]
    epoch: int = 0
    batches: int = 0
    """Batches of this epoch that are done."""
    loss_sum: float = 0.0
    """Of those batches."""
    seconds: float = 0.0
    curve: list[dict[str, Any]] = field(default_factory=list)


def fit_endnet(
    settings: EndnetFitSettings,
    on_progress: Callable[[FitProgress], None] | None = None,
    stop: Stop | None = None,
) -> EndnetModel:
    """Train a network and write its model file; a finished one is only read.

    stop: ends the training after the batches under way; called again, it resumes. Raises StoppedError then,
    InvalidSettingError without JAX, InvalidSampleError and InvalidModelError for damaged files, DivergedError if the
    loss is not finite, OutputBusyError if another process writes the same file.
    """
    check_jax()
    if settings.plots:
        figures.check_plots(settings.plots)
    storage.check_output(settings.out)
    for read in (*settings.samples, *([settings.start] if settings.start else [])):
        if settings.out.exists() and read.exists() and settings.out.samefile(read):
            raise InvalidSettingError(f"--out {settings.out} is read by this training; choose another file")
    with storage.lock(settings.out):
        rows = SampleStream(
            settings.samples, "training", settings.batch, settings.seed, settings.limit or None,
            quiet=settings.asked == "quiet",
        )  # fmt: skip
        start = load_model(settings.start) if settings.start else None
        if start and start.shape != settings.shape:
            raise InvalidSettingError(
                f"--from {settings.start}: a network of another shape ({start.shape}, {start.shape.asked} positions); "
                f"expected {settings.shape}, {settings.shape.asked} positions"
            )
        fingerprint = _fingerprint(settings, [file.checksum for file in rows.files], start)
        model = _finished(settings.out, fingerprint)
        if model is None:
            model = _Fit(settings, rows, start, fingerprint).run(on_progress, stop)
        if settings.plots:
            from kr.studies.endings.curve_plot import draw_curve

            draw_curve(model, settings.plots)
    return model


def _fingerprint(settings: EndnetFitSettings, samples: list[str], start: EndnetModel | None) -> str:
    told = {**settings.shaping(), "samples": samples, "from": start.checksum if start else None}
    return storage.checksum(json.dumps(told, sort_keys=True).encode())


def _finished(path: Path, fingerprint: str) -> EndnetModel | None:
    """The model that an earlier start of the same training finished; another one is in the way of none."""
    if not path.exists():
        return None
    try:
        model = load_model(path)
    except InvalidModelError:
        return None
    return replace(model, earlier=True) if model.attrs.get("fingerprint") == fingerprint else None


class _Fit:
    """One training."""

    def __init__(
        self, settings: EndnetFitSettings, rows: SampleStream, start: EndnetModel | None, fingerprint: str
    ) -> None:
        import jax
        import optax

        from kr.studies.endings.nets import Net

        self.settings, self.rows, self.start, self.fingerprint = settings, rows, start, fingerprint
        self.checkpoint = settings.out.with_name(settings.out.name + ".state")
        self.epochs, self.patience, rate = settings.chosen
        self.net = net = Net(settings.shape)
        if not rows.positions:
            raise InvalidSettingError(f"{settings.samples[0]}: no training positions for --asked {settings.asked}")
        self.batch = rows.batch = min(settings.batch, rows.positions)
        self.batches = rows.batches
        if settings.net == "paper":
            self.optimiser = optax.radam(rate, b1=0.9, b2=0.999)
            class_weights = self._class_weights()
        else:
            steps = self.epochs * self.batches
            warm = min(500, steps // 10)
            schedule = optax.warmup_cosine_decay_schedule(rate / 10, rate, warm, max(steps, warm + 1), rate / 100)
            self.optimiser = optax.adamw(schedule, weight_decay=settings.decay)
            class_weights = np.ones(len(CLASSES))
        weights = jax.numpy.asarray(class_weights, dtype=np.float32)
        frozen = net.body() if settings.freeze else lambda name: False

        def loss_of(parameters: Any, state: Any, boards: Any, values: Any) -> Any:
            logits, after = net.logits(parameters, state, boards, True)
            losses = optax.softmax_cross_entropy_with_integer_labels(logits, values)
            return (losses * weights[values]).mean(), after

        def step(carry: Any, rows: Any) -> Any:
            parameters, state, optimised = carry
            (loss, state), gradient = jax.value_and_grad(loss_of, has_aux=True)(parameters, state, *rows)
            updates, optimised = self.optimiser.update(gradient, optimised, parameters)
            updates = {name: update * (not frozen(name)) for name, update in updates.items()}
            return (net.limited(optax.apply_updates(parameters, updates)), state, optimised), loss

        def steps_of(carry: Any, boards: Any, values: Any) -> Any:
            if len(boards) == 1:
                return step(carry, (boards[0], values[0]))
            carry, losses = jax.lax.scan(step, carry, (boards, values))
            return carry, losses.sum()

        self.steps = jax.jit(steps_of)
        self.jax = jax

    def run(self, on_progress: Callable[[FitProgress], None] | None, stop: Stop | None) -> EndnetModel:
        """Train to the end, from the last checkpoint if there is one."""
        one = self._resumed() or self._fresh()
        judged = self._validation_rows()

        def tell(loss: float | None) -> None:
            if on_progress:
                best = max((point["accuracy"] for point in one.curve), default=None)
                seen = (one.epoch * self.batches + one.batches) * self.batch
                on_progress(FitProgress(seen, self.epochs * self.batches * self.batch, one.epoch, loss, best))

        tell(None)
        while one.epoch < self.epochs and not self._is_stale(one):
            self._epoch(one, tell, stop)
            self._validate(one, judged)
            self._save(one)
            tell(one.curve[-1]["loss"])
        model = self._model(one)
        save_model(self.settings.out, model)
        self.checkpoint.unlink(missing_ok=True)
        return model

    def _epoch(self, one: _Training, tell: Callable[[float | None], None], stop: Stop | None) -> None:
        """What is left of an epoch."""
        carry = self._carry(one)
        began = saved = time.monotonic()
        earlier = one.seconds

        def take() -> None:
            parameters, state, optimised = self.jax.device_get(carry)
            one.parameters, one.state = parameters, state
            one.optimiser = self.jax.tree.leaves(optimised)
            one.seconds = earlier + time.monotonic() - began

        scanned = SCANNED[self.settings.net]
        waiting: list[Any] = []
        for rows in self.rows.epoch(one.epoch, one.batches):
            waiting.append((rows.boards, rows.values))
            left = self.batches - one.batches
            if len(waiting) < min(scanned, left):
                continue
            parts = [waiting] if len(waiting) == scanned else [[row] for row in waiting]
            for part in parts:
                boards, values = (np.stack(each) for each in zip(*part, strict=True))
                carry, loss = self.steps(carry, boards, values.astype(np.int32))
                one.batches += len(part)
                one.loss_sum += float(loss)
            if not np.isfinite(one.loss_sum):
                raise DivergedError(
                    f"{self.settings.out}: the loss is {one.loss_sum} in epoch {one.epoch + 1}; try a smaller --rate"
                )
            tell(float(loss) / len(part))
            waiting = []
            stopped = stop is not None and stop.is_set()
            if stopped or time.monotonic() - saved > CHECKPOINT_SECONDS:
                take()
                self._save(one)
                saved = time.monotonic()
            if stopped:
                raise StoppedError(
                    f"{self.settings.out}: the training was stopped in epoch {one.epoch + 1} of {self.epochs}; "
                    "run the same command to resume"
                )
            if one.batches == self.batches:
                break
        take()

    def _class_weights(self) -> NDArray[np.float64]:
        """The paper's weights of the classes: (N / N_i)^0.5, 0 for a class without positions."""
        counts = np.zeros(len(CLASSES))
        for rows in self.rows.epoch(0):
            counts += np.bincount(rows.values, minlength=len(CLASSES))
        share = counts / counts.sum()
        return np.where(share > 0, np.maximum(share, 1e-12) ** -PAPER_WEIGHT_EXPONENT, 0)

    def _validation_rows(self) -> SampleRows:
        quiet, most = self.settings.asked == "quiet", self.settings.validation
        with closing(SampleStream(self.settings.samples, "validation", 1, 1, most, quiet)) as stream:
            if not stream.positions:
                raise InvalidSettingError(
                    f"{self.settings.samples[0]}: no validation positions to judge the network by"
                )
            stream.batch = stream.positions
            return next(stream.epoch(0))

    def _validate(self, one: _Training, judged: SampleRows) -> None:
        """End an epoch: measure, and keep the best."""
        boards, values = judged.boards, judged.values
        said = EndnetModel(self.settings.shape, one.parameters, one.state).predict(boards)
        right = said.argmax(axis=1) == values
        told = np.maximum(said[np.arange(len(values)), values], 1e-12)
        recall = {
            name: float(right[values == i].mean()) if (values == i).any() else None for i, name in enumerate(CLASSES)
        }
        accuracy = float(right.mean())
        if not one.curve or accuracy > max(point["accuracy"] for point in one.curve):
            one.best, one.best_state = dict(one.parameters), dict(one.state)
        one.epoch += 1
        one.curve.append(
            {
                "epoch": one.epoch,
                "loss": one.loss_sum / max(one.batches, 1),
                "validation_loss": float(-np.log(told).mean()),
                "accuracy": accuracy,
                "recall": recall,
                "seconds": round(one.seconds, 1),
            }
        )
        one.batches, one.loss_sum = 0, 0.0

    def _is_stale(self, one: _Training) -> bool:
        accuracies = [point["accuracy"] for point in one.curve]
        return bool(self.patience and accuracies and len(accuracies) - 1 - int(np.argmax(accuracies)) >= self.patience)

    def _model(self, one: _Training) -> EndnetModel:
        best = int(np.argmax([point["accuracy"] for point in one.curve]))
        report = {
            "training_positions": self.rows.positions,
            "pieces": [file.pieces for file in self.rows.files],
            "best_epoch": best + 1,
            "epochs": one.epoch,
            "accuracy": one.curve[best]["accuracy"],
        }
        shown = {name: value for name, value in asdict(self.settings).items() if name not in ("out", "plots")}
        attrs = storage.provenance(
            parents=[*(file.checksum for file in self.rows.files), *([self.start.checksum] if self.start else [])],
            **shown,
        )
        return EndnetModel(
            self.settings.shape, one.best, one.best_state, one.curve, report,
            {**attrs, "fingerprint": self.fingerprint}, self.settings.out,
        )  # fmt: skip

    # Checkpoints

    def _fresh(self) -> _Training:
        if self.start:
            parameters, state = dict(self.start.parameters), dict(self.start.state)
        else:
            parameters, state = self.net.start(self.settings.seed)
        leaves = self.jax.device_get(self.jax.tree.leaves(self.optimiser.init(parameters)))
        return _Training(parameters, state, leaves, dict(parameters), dict(state))

    def _carry(self, one: _Training) -> Any:
        like = self.jax.tree.structure(self.optimiser.init(one.parameters))
        return one.parameters, one.state, self.jax.tree.unflatten(like, one.optimiser)

    def _save(self, one: _Training) -> None:
        arrays: dict[str, Any] = {"fingerprint": self.fingerprint}
        for prefix, part in (("p", one.parameters), ("s", one.state), ("bp", one.best), ("bs", one.best_state)):
            arrays |= {f"{prefix}_{name}": array for name, array in part.items()}
        arrays |= {f"o_{i:04}": leaf for i, leaf in enumerate(one.optimiser)}
        told = {name: getattr(one, name) for name in ("epoch", "batches", "loss_sum", "seconds", "curve")}
        arrays["told"] = json.dumps(told)
        with storage.atomic_path(self.checkpoint) as temporary, temporary.open("wb") as file:
            np.savez(file, **arrays)

    def _resumed(self) -> _Training | None:
        """The last checkpoint; None if there is none or it belongs to another training."""
        if not self.checkpoint.exists():
            return None
        try:
            with storage.open_regular(self.checkpoint) as opened, np.load(opened) as file:
                if str(file["fingerprint"]) != self.fingerprint:
                    return None
                return self._like_fresh(dict(file))
        except Exception as error:  # numpy and zipfile raise what they like for a damaged file
            raise InvalidModelError(f"{self.checkpoint}: damaged checkpoint; remove it to start afresh") from error

    def _like_fresh(self, file: Mapping[str, NDArray[Any]]) -> _Training:
        """A checkpoint's content, with the shapes of a fresh training. Raises ValueError."""
        fresh = self._fresh()

        def part(prefix: str, like: dict[str, Any]) -> dict[str, Any]:
            return {name: _alike(file[f"{prefix}_{name}"], array) for name, array in like.items()}

        optimiser = [_alike(file[f"o_{i:04}"], leaf) for i, leaf in enumerate(fresh.optimiser)]
        told = storage.parse_json(str(file["told"]))
        check_curve(told["curve"])
        return _Training(
            part("p", fresh.parameters), part("s", fresh.state), optimiser, part("bp", fresh.parameters),
            part("bs", fresh.state), int(told["epoch"]), int(told["batches"]), float(told["loss_sum"]),
            float(told["seconds"]), list(told["curve"]),
        )  # fmt: skip


def _alike(found: NDArray[Any], like: Any) -> NDArray[Any]:
    """An array of a checkpoint, if it has the shape and type of this one. Raises ValueError."""
    like = np.asarray(like)
    if found.shape != like.shape or found.dtype != like.dtype or not np.isfinite(found).all():
        raise ValueError("of another shape")
    return found
