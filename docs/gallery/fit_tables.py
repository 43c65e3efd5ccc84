"""Self-play from men and kings alone, tables fitted to it, and the loss of the fit by iterations.

python fit_tables.py --games 20000 --nodes 500
"""

import argparse
from pathlib import Path

from matplotlib import pyplot

import kr

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--games", type=int, default=20_000)
parser.add_argument("--nodes", type=int, default=500, help="of each move")
parser.add_argument("--layout", default="small", help="small, tall, broad, base, wide, full or a layout file")
parser.add_argument("--iterations", type=int, default=100)
parser.add_argument("--workers", type=int, default=0, help="threads of self-play, 0: one per core")
options = parser.parse_args()

out = Path("fit-games")
kr.selfplay(
    kr.SelfplaySettings(games=options.games, nodes=options.nodes, out=out, weights="material", workers=options.workers),
    on_game=lambda played: print(f"\r{played.played} games", end=""),
)
layout = kr.Layout.parse(options.layout)
fitted = kr.fit(kr.FitSettings((out,), Path("fitted.h5"), layout=layout, max_iter=options.iterations))
print(f"\n{fitted.path}: {fitted.checksum}")

figure, both = pyplot.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for axes, (group, losses) in zip(both, fitted.report["history"].items(), strict=True):
    axes.plot([training for training, _ in losses], label="training", color="#2a78d6")
    axes.plot([held_out for _, held_out in losses], label="held out", color="#eb6834")
    axes.set(title={"men": "without kings", "kings": "with kings"}[group], xlabel="iteration", ylabel="loss")
    axes.legend(frameon=False)
figure.savefig("fit.png", dpi=120)
