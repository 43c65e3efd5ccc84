"""Networks for endings in the core: positions a second on one core, rounding, and what they cost a search. A minute.

    python bench/endnet.py [--positions 400000] [--net FILE] [--json]

Positions are random, of 2 to 7 pieces of both sides, without captures, in no order. Weights are random numbers as a fit
begins with; about half of the first layer is then 0, and a fitted net is faster the more of it is. --net measures a
weights file of the kind endnet instead. Rates are medians of five runs with their range, by processor time, of
`predict`: logits and probabilities. Levels of instructions: plain C, SSE2, AVX2, AVX-512. Rounding is the largest and
the mean difference of a probability from that of the floats. The search is that of endings to a fixed depth, without
databases: nodes a second with the tables alone, and with the net in all positions of up to 10 pieces.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from timing import repeated, show_range

from kr import Engine, Position
from kr.evaluation import endnet
from kr.evaluation.kinds import load_evaluation

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from nets import ATTRS, float_chances, random_endings, random_layers

SHAPES = ((256, 16), (256, 32), (512, 32), (1024, 32), (1024, 64))
LEVELS = ("plain", "SSE2", "AVX2", "AVX-512")
RUNS = 5
PLAIN_POSITIONS = 20_000
"""Of them the plain level does no more."""
ENDINGS = (
    "B:W21,23,26,29,30,K2:B5,9,12,13,K28",
    "W:W18,22,27,K7:B12,14,20,K31",
    "B:W20,28,30,K6,K11:B3,4,13,K32",
    "W:WK1,K14,25:BK17,12,K23",
)
DEPTH = 15


def rate(net: endnet.Endnet, boards: NDArray[np.uint32], level: int | None = None) -> float:
    """Millions of positions a second."""
    began = time.process_time()
    if level is None:
        net.predict(boards)
    else:
        net._net.logits(boards, level)
    return len(boards) / (time.process_time() - began) / 1e6


def levels_of(net: endnet.Endnet, boards: NDArray[np.uint32]) -> dict[str, float]:
    """The same by level of instructions, the logits alone; those that this machine has."""
    found = {}
    for level, name in enumerate(LEVELS):
        some = boards[:PLAIN_POSITIONS] if level == 0 else boards
        try:
            found[name] = max(rate(net, some, level) for _ in range(1 if level == 0 else 3))
        except ValueError:
            continue
    return found


def search_rate(weights: str) -> float:
    """Nodes a second of searches of endings, in millions."""
    engine = Engine(weights, hash_mb=64, database=None)
    nodes, began = 0, time.process_time()
    for fen in ENDINGS:
        nodes += engine.search(Position.from_fen(fen), f"depth={DEPTH}").nodes
    return nodes / (time.process_time() - began) / 1e6


def measured(boards: NDArray[np.uint32], file: Path | None) -> dict[str, Any]:
    """All figures; each is printed as it comes."""
    found: dict[str, Any] = {}
    if file:
        given = load_evaluation(file)
        if not isinstance(given, endnet.Endnet):
            raise SystemExit(f"{file}: not a net for endings")
        found[file.name] = repeated(partial(rate, given, boards), RUNS)
        show_range(f"{file.name}, {given.shape[0]} - {given.shape[1]}: million positions a second", found[file.name])
    for units, hidden in () if file else SHAPES:
        layers = random_layers(units, hidden)
        net = endnet.Endnet(endnet.quantized(layers), ATTRS)
        figures: dict[str, Any] = {"rate": repeated(partial(rate, net, boards), RUNS)}
        show_range(f"128 - {units} - {hidden} - 3: million positions a second", figures["rate"])
        figures["levels"] = levels_of(net, boards)
        print("    " + ", ".join(f"{name} {value:.2f}" for name, value in figures["levels"].items()))
        apart = np.abs(net.predict(boards[:10_000]) - float_chances(layers, boards[:10_000]))
        figures["rounding"] = {"largest": float(apart.max()), "mean": float(apart.mean())}
        print(f"    rounding: {apart.max():.5f} at most, {apart.mean():.6f} on average", flush=True)
        found[f"{units}-{hidden}"] = figures
    with tempfile.TemporaryDirectory() as directory:
        used = file or Path(directory, "net.h5")
        if not file:
            endnet.save_endnet(used, endnet.quantized(random_layers(512, 32)), ATTRS)
        for name, weights in (("tables alone", "shipped"), ("with the net", f"shipped+{used}:10")):
            found[name] = repeated(partial(search_rate, weights), 3)
            show_range(f"search of endings, {name}: million nodes a second", found[name])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=400_000)
    parser.add_argument("--net", type=Path)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON at the end")
    given = parser.parse_args()
    boards = random_endings(given.positions)
    found = measured(boards, given.net)
    if given.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
