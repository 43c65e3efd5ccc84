"""Training of the networks for endings.

The small network is trained with AdamW, its rate warmed up and lowered along a cosine; the paper's with RAdam at a
constant rate and a cross entropy weighted by the shares of the classes (exponent 1/2), as it says. The best epoch is
the one with the highest accuracy on the validation positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from typing import Any

import jax
import numpy as np
import optax
from numpy.typing import NDArray

from kr.egdb.sample_reader import SampleRows, SampleStream
from kr.errors import InvalidSettingError
from kr.studies.descent import Arrays, Learner, Point
from kr.studies.endings.model_file import CLASSES, EndnetModel
from kr.studies.endings.nets import Net
from kr.studies.endings.settings import EndnetFitSettings

WARM_BATCHES = 500
"""Steps in which the rate of the small network rises, at most; a tenth of all steps otherwise."""
PAPER_WEIGHT_EXPONENT = 0.5


class EndnetLearner(Learner):
    """A network with its positions. start_model: the one to start from, instead of random weights."""

    def __init__(self, settings: EndnetFitSettings, rows: SampleStream, start_model: EndnetModel | None) -> None:
        if not rows.positions:
            raise InvalidSettingError(f"{settings.samples[0]}: no training positions for --asked {settings.asked}")
        self.settings, self.rows, self.start_model = settings, rows, start_model
        self.net = Net(settings.shape)
        self.epochs, self.patience, self.peak_rate = settings.chosen
        self.batch = rows.batch = min(settings.batch, rows.positions)
        self.batches = rows.batches
        is_paper = settings.net == "paper"
        self.scanned = 1 if is_paper else Learner.scanned
        self._class_weights = (self.paper_weights() if is_paper else np.ones(len(CLASSES))).astype(np.float32)
        self._is_frozen: Callable[[str], bool] = self.net.body() if settings.freeze else lambda name: False

    def start(self) -> tuple[Arrays, Arrays]:
        if self.start_model:
            return dict(self.start_model.parameters), dict(self.start_model.state)
        return self.net.start(self.settings.seed)

    def optimiser(self) -> Any:
        if self.settings.net == "paper":
            return optax.radam(1.0, b1=0.9, b2=0.999)
        return optax.adamw(1.0, weight_decay=self.settings.decay)

    def rates(self, steps: NDArray[np.int32], losses: Sequence[float]) -> NDArray[np.float32]:
        if self.settings.net == "paper":
            return np.full(len(steps), self.peak_rate, dtype=np.float32)
        return np.asarray(self._schedule(steps))

    @cached_property
    def _schedule(self) -> Any:
        steps, rate = self.epochs * self.batches, self.peak_rate
        warm = min(WARM_BATCHES, steps // 10)
        return jax.jit(optax.warmup_cosine_decay_schedule(rate / 10, rate, warm, max(steps, warm + 1), rate / 100))

    def loss(self, parameters: Any, state: Any, batch: Any, key: Any) -> tuple[Any, Any]:
        logits, after = self.net.logits(parameters, state, batch["boards"], True)
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch["values"])
        return (losses * jax.numpy.asarray(self._class_weights)[batch["values"]]).mean(), after

    def updated(self, parameters: Any, updates: Any) -> Any:
        unfrozen = {name: update * (not self._is_frozen(name)) for name, update in updates.items()}
        return self.net.limited(optax.apply_updates(parameters, unfrozen))

    def epoch(self, number: int, first: int) -> Iterator[dict[str, NDArray[Any]]]:
        for rows in self.rows.epoch(number, first):
            yield {"boards": rows.boards, "values": rows.values.astype(np.int32)}

    def judge(self, parameters: Arrays, state: Arrays) -> Point:
        boards, values = self._validation_rows.boards, self._validation_rows.values
        probabilities = EndnetModel(self.settings.shape, parameters, state).predict(boards)
        right = probabilities.argmax(axis=1) == values
        losses = -np.log(np.maximum(probabilities[np.arange(len(values)), values], 1e-12))
        recall = {
            name: float(right[values == i].mean()) if (values == i).any() else None for i, name in enumerate(CLASSES)
        }
        return {"validation_loss": float(losses.mean()), "accuracy": float(right.mean()), "recall": recall}

    def merit(self, point: Point) -> float:
        return float(point["accuracy"])

    def is_over(self, curve: Sequence[Point]) -> bool:
        """True if the accuracy hasn't risen for as many epochs as patience lasts."""
        accuracies = [point["accuracy"] for point in curve]
        return bool(self.patience and curve and len(curve) - 1 - int(np.argmax(accuracies)) >= self.patience)

    def paper_weights(self) -> NDArray[np.float64]:
        """The paper's weights of the classes: (N / N_i)^0.5, 0 for a class without positions."""
        counts = np.zeros(len(CLASSES))
        for rows in self.rows.epoch(0):
            counts += np.bincount(rows.values, minlength=len(CLASSES))
        share = counts / counts.sum()
        return np.where(share > 0, np.maximum(share, 1e-12) ** -PAPER_WEIGHT_EXPONENT, 0)

    @cached_property
    def _validation_rows(self) -> SampleRows:
        quiet, most = self.settings.asked == "quiet", self.settings.validation
        with closing(SampleStream(self.settings.samples, "validation", 1, 1, most, quiet)) as stream:
            if not stream.positions:
                raise InvalidSettingError(
                    f"{self.settings.samples[0]}: no validation positions to judge the network by"
                )
            stream.batch = stream.positions
            return next(stream.epoch(0))
