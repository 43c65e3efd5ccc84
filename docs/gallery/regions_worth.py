"""The regions of tables that say the most: the mean size of their entries in positions of games, on a board.

python regions_worth.py games.pdn --weights shipped
"""

import argparse
from collections import defaultdict
from pathlib import Path

from matplotlib import colormaps, colors, pyplot

import kr

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("pdn", type=Path)
parser.add_argument("--weights", default="shipped", help="a weights file of region tables")
parser.add_argument("--positions", type=int, default=500)
options = parser.parse_args()

weights = kr.Weights.load(options.weights)
sizes = defaultdict(list)
count = 0
for game in kr.pdn.read_games(options.pdn, errors=[]):
    for position in game.positions():
        if count == options.positions:
            break
        # regions are told on the board as it is: look at it from Black's side
        position = position if position.side == kr.Side.BLACK else position.flipped()
        explained = kr.explain(position, weights)
        if explained.group == "men":
            count += 1
            for region in explained.regions:
                sizes[region.squares].append(abs(region.score))

worth = {squares: sum(each) / len(each) for squares, each in sizes.items()}
best = sorted(worth, key=worth.get, reverse=True)[:8]
per_square = defaultdict(float)
for squares, mean in worth.items():
    for square in squares:
        per_square[square] += mean / len(squares)
shade = colors.Normalize(0, max(per_square.values()))
fill = {square: colors.to_hex(colormaps["YlOrRd"](shade(each))) for square, each in per_square.items()}
labels = {square: f"{each:.1f}" for square, each in per_square.items()}
Path("regions.svg").write_text(kr.svg.board(fill=fill, labels=labels, coordinates=False, size=400), encoding="utf-8")

figure, axes = pyplot.subplots(figsize=(8, 3), layout="constrained")
axes.barh([" ".join(str(square + 1) for square in squares) for squares in best[::-1]], [worth[s] for s in best[::-1]])
axes.set(xlabel=f"mean size of the entry, centi-men, {count} positions without kings")
figure.savefig("regions.png", dpi=120)
print("regions.svg, regions.png")
