"""Limits of the tables: a small net on top of them, fitted to the same samples, and its held-out loss. Hours.

    python bench/net.py DIR... --seed 31 --passes 3
    python bench/net.py DIR... --seed 31 --passes 2 --kings
    python bench/net.py DIR... --seed 31 --passes 5 --alone

The net has an input for each piece on each square and two layers of clipped linear units. It adds to the tables' logit;
with --alone it replaces the tables. Give --seed and --label as in the fit of the tables, so that the same games are
held out. The entropy of the labels is the lowest possible loss. Training is by Adam (Kingma and Ba 2015), its rate
falling like a cosine.
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

from kr.evaluation.kinds import Evaluation, load_evaluation
from kr.learn.fitting.dataset import Label, Samples, read_samples
from kr.learn.fitting.fit import FitSettings

HIDDEN = (256, 32)
BATCH = 4096
RATE = 4e-3
WARM_UP = 200
"""Steps in which the rate rises."""
CHUNK = 1 << 16
MEANS = (0.9, 0.999)
"""Decay of Adam's running means of the gradient and of its square."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class NetSamples:
    """Samples, and the logits that the net adds to."""

    boards: NDArray[np.uint32]
    count: Floats
    target: Floats
    offset: Floats

    def __len__(self) -> int:
        return len(self.boards)

    def inputs(self, rows: NDArray[np.int64] | slice) -> Floats:
        """(rows, 64 or 128): for each kind of piece and square 1 if there is a piece, else 0."""
        bits = np.unpackbits(np.ascontiguousarray(self.boards[rows]).view(np.uint8), axis=1, bitorder="little")
        return bits.astype(np.float32)


def net_samples(samples: Samples, evaluation: Evaluation, kings: bool, alone: bool) -> NetSamples:
    """Samples with the logits of the evaluation; kings: include kings in the input; alone: with logits of 0."""
    offset = np.zeros(len(samples), dtype=np.float32)
    if not alone:
        offset = (evaluation.scores(samples.boards) / evaluation.scale).astype(np.float32)
    boards = samples.boards if kings else samples.boards[:, :2]
    return NetSamples(boards, samples.count.astype(np.float32), samples.target, offset)


class Net:
    """A net with two layers of units between 0 and 1 and one output, and the running means of Adam."""

    def __init__(self, inputs: int, alone: bool) -> None:
        random = np.random.default_rng(1)
        sizes = (inputs, *HIDDEN, 1)
        # at first the net adds almost nothing to the tables
        spreads = (0.25, HIDDEN[0] ** -0.5, HIDDEN[1] ** -0.5 if alone else 0.01)
        self.parameters: list[Floats] = []
        for (wide, narrow), spread, start in zip(itertools.pairwise(sizes), spreads, (0.1, 0.1, 0), strict=True):
            self.parameters.append(random.normal(0, spread, (wide, narrow)).astype(np.float32))
            self.parameters.append(np.full(narrow, start, dtype=np.float32))
        self.means = [[np.zeros_like(each) for each in self.parameters] for _ in MEANS]
        self.steps = 0

    def layers(self, x: Floats) -> list[Floats]:
        """The inputs, both layers before they are clipped, and the output (n,)."""
        w1, b1, w2, b2, w3, b3 = self.parameters
        first = x @ w1 + b1
        second = first.clip(0, 1) @ w2 + b2
        return [x, first, second, (second.clip(0, 1) @ w3 + b3)[:, 0]]

    def learn(self, layers: list[Floats], slopes: Floats, rate: float) -> None:
        """One step of Adam; slopes (n,): derivatives of the loss by the output."""
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


def loss(net: Net, data: NetSamples) -> float:
    """Mean cross entropy in nats."""
    total = 0.0
    for first in range(0, len(data), CHUNK):
        rows = slice(first, first + CHUNK)
        logits = net.layers(data.inputs(rows))[-1].astype(np.float64) + data.offset[rows]
        total += float(data.count[rows] @ (np.logaddexp(0, logits) - data.target[rows] * logits))
    return total / float(data.count.sum(dtype=np.float64))


def entropy(data: NetSamples) -> float:
    """Mean entropy of the labels in nats."""
    p = data.target.astype(np.float64).clip(1e-6, 1 - 1e-6)
    return float(data.count @ -(p * np.log(p) + (1 - p) * np.log1p(-p)) / data.count.sum(dtype=np.float64))


def fit(training: NetSamples, held_out: NetSamples, passes: float, alone: bool) -> None:
    """Train a net, and print its held-out loss along the way."""
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
    """Read the samples, train and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path, help="directory of self-play games")
    parser.add_argument("--weights", help="weights file (default: the shipped tables)")
    parser.add_argument("--label", type=Label.parse, default=FitSettings.label, help="as in kr fit")
    parser.add_argument("--seed", type=int, default=1, help="as in kr fit")
    parser.add_argument("--passes", type=float, default=3, help="passes over the samples (default: 3)")
    parser.add_argument("--kings", action="store_true", help="use positions with kings, in place of those without")
    parser.add_argument("--alone", action="store_true", help="train a net in place of the tables")
    options = parser.parse_args()
    dataset = read_samples(options.directories, options.label, FitSettings.holdout, options.seed, workers=2)
    evaluation = load_evaluation(options.weights)
    sets = (group[options.kings] for group in (dataset.training, dataset.held_out))
    training, held_out = (net_samples(each, evaluation, options.kings, options.alone) for each in sets)
    fit(training, held_out, options.passes, options.alone)


if __name__ == "__main__":
    main()
