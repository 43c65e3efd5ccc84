"""How much the tables miss: a small net on top of them, fitted to the same samples, and the loss held out with it.

    python bench/net.py games/a games/b --seed 31 --passes 3
    python bench/net.py games/a games/b --seed 31 --passes 2 --kings
    python bench/net.py games/a games/b --seed 31 --passes 5 --alone

The net sees every piece as an input of its own, has two layers of clipped linear units, and adds to the tables' logit;
with --alone it stands for it. `--seed` and `--label` as in the fit of the tables, so that the same games are held out.
The entropy of the labels is the least loss there is. Adam, the rate falling like a cosine.
"""

from __future__ import annotations

import argparse
import itertools
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from kr.engine.engine import Engine
from kr.learn.fitting.dataset import Label, Samples, read_dataset
from kr.learn.fitting.fit import FitSettings

HIDDEN = (256, 32)
BATCH = 4096
RATE = 4e-3
WARM_UP = 200
"""Steps in which the rate rises."""
CHUNK = 1 << 16
MEANS = (0.9, 0.999)
"""How much of the running means of the gradient and of its square Adam keeps a step."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Problem:
    """Samples, and the logits that the net is added to."""

    boards: NDArray[np.uint32]
    count: Floats
    target: Floats
    offset: Floats

    def __len__(self) -> int:
        return len(self.boards)

    def inputs(self, rows: NDArray[np.int64] | slice) -> Floats:
        """(rows, 32 or 128): 1 for each square and kind of piece that is there."""
        bits = np.unpackbits(np.ascontiguousarray(self.boards[rows]).view(np.uint8), axis=1, bitorder="little")
        return bits.astype(np.float32)


def problem(samples: Samples, engine: Engine, kings: bool, alone: bool) -> Problem:
    men, kings_of = samples.boards[:, :2], samples.boards[:, 2:]
    offset = np.zeros(len(samples), dtype=np.float32)
    if not alone:
        # the mover's frame is Black's to move
        side = np.zeros(len(samples), dtype=np.uint32)
        rows = np.stack([*(men | kings_of).T, kings_of[:, 0] | kings_of[:, 1], side], axis=1)
        offset = (engine.evaluate_batch(np.ascontiguousarray(rows)) / engine.score_scale).astype(np.float32)
    boards = samples.boards if kings else men
    return Problem(boards, samples.count.astype(np.float32), samples.target, offset)


class Net:
    """Inputs, two layers of units between 0 and 1, one output; and the running means of Adam."""

    def __init__(self, inputs: int, alone: bool) -> None:
        random = np.random.default_rng(1)
        sizes = (inputs, *HIDDEN, 1)
        # the net begins by saying nothing of what the tables say
        spreads = (0.25, HIDDEN[0] ** -0.5, HIDDEN[1] ** -0.5 if alone else 0.01)
        self.parameters: list[Floats] = []
        for (wide, narrow), spread, start in zip(itertools.pairwise(sizes), spreads, (0.1, 0.1, 0), strict=True):
            self.parameters.append(random.normal(0, spread, (wide, narrow)).astype(np.float32))
            self.parameters.append(np.full(narrow, start, dtype=np.float32))
        self.means = [[np.zeros_like(each) for each in self.parameters] for _ in MEANS]
        self.steps = 0

    def layers(self, x: Floats) -> list[Floats]:
        """The activations: of the inputs, of both layers before they are clipped, the output (n,)."""
        w1, b1, w2, b2, w3, b3 = self.parameters
        first = x @ w1 + b1
        second = first.clip(0, 1) @ w2 + b2
        return [x, first, second, (second.clip(0, 1) @ w3 + b3)[:, 0]]

    def learn(self, layers: list[Floats], slopes: Floats, rate: float) -> None:
        """A step against the gradient: slopes (n,) of the loss by the output."""
        x, first, second, _ = layers
        _, _, w2, _, w3, _ = self.parameters
        top = slopes[:, None]
        middle = (top @ w3.T) * ((second > 0) & (second < 1))
        bottom = (middle @ w2.T) * ((first > 0) & (first < 1))
        pairs = ((x, bottom), (first.clip(0, 1), middle), (second.clip(0, 1), top))
        gradients = [each for below, above in pairs for each in (below.T @ above, above.sum(axis=0))]
        self.steps += 1
        for parameter, gradient, mean, square in zip(self.parameters, gradients, *self.means, strict=True):
            for running, power, keep in ((mean, 1, MEANS[0]), (square, 2, MEANS[1])):
                running *= keep
                running += (1 - keep) * gradient**power
            unbiased, spread = (
                running / (1 - keep**self.steps) for running, keep in zip((mean, square), MEANS, strict=True)
            )
            parameter -= rate * unbiased / (np.sqrt(spread) + 1e-8)


def loss(net: Net, data: Problem) -> float:
    """Mean cross entropy."""
    total = 0.0
    for first in range(0, len(data), CHUNK):
        rows = slice(first, first + CHUNK)
        logits = net.layers(data.inputs(rows))[-1].astype(np.float64) + data.offset[rows]
        total += float(data.count[rows] @ (np.logaddexp(0, logits) - data.target[rows] * logits))
    return total / float(data.count.sum(dtype=np.float64))


def entropy(data: Problem) -> float:
    p = data.target.astype(np.float64).clip(1e-6, 1 - 1e-6)
    return float(data.count @ -(p * np.log(p) + (1 - p) * np.log1p(-p)) / data.count.sum(dtype=np.float64))


def fit(training: Problem, held_out: Problem, passes: float, alone: bool) -> None:
    random = np.random.default_rng(2)
    net = Net(32 * training.boards.shape[1], alone)
    steps = int(passes * len(training) / BATCH)
    usual = training.count.mean()
    began = time.monotonic()
    print(f"entropy of the labels held out {entropy(held_out):.4f}, loss before {loss(net, held_out):.4f}", flush=True)
    order, at = random.permutation(len(training)), 0
    for step in range(1, steps + 1):
        if at + BATCH > len(training):
            order, at = random.permutation(len(training)), 0
        rows = order[at : at + BATCH]
        at += BATCH
        layers = net.layers(training.inputs(rows))
        slopes = expit(layers[-1] + training.offset[rows]) - training.target[rows]
        rate = RATE / 2 * (1 + np.cos(np.pi * step / steps)) * min(1, step / WARM_UP)
        net.learn(layers, (slopes * training.count[rows] / (usual * BATCH)).astype(np.float32), rate)
        if step % max(steps // 6, 1) == 0:
            print(
                f"{step / steps:4.0%} {time.monotonic() - began:5.0f} s, held out {loss(net, held_out):.4f}", flush=True
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--weights")
    parser.add_argument("--label", type=Label.parse, default=FitSettings.label)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--passes", type=float, default=3)
    parser.add_argument("--kings", action="store_true")
    parser.add_argument("--alone", action="store_true")
    arguments = parser.parse_args()
    dataset = read_dataset(arguments.directories, arguments.label, FitSettings.holdout, arguments.seed, workers=2)
    engine = Engine(arguments.weights, 1, database=None)
    sets = (group[arguments.kings] for group in (dataset.training, dataset.held_out))
    training, held_out = (problem(each, engine, arguments.kings, arguments.alone) for each in sets)
    fit(training, held_out, arguments.passes, arguments.alone)


if __name__ == "__main__":
    main()
