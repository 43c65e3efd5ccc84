"""The openings of a collection: how often, with which results, and what kr's book says of them.

python opening_report.py archive.pdn.xz --most 15
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

from matplotlib import pyplot

import kr

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("pdn", type=Path)
parser.add_argument("--most", type=int, default=15, help="openings in the picture")
options = parser.parse_args()

results = defaultdict(lambda: dict.fromkeys(("1-0", "1/2-1/2", "0-1"), 0))
reached = {}
unreadable = []
for game in kr.pdn.read_games(options.pdn, errors=unreadable):
    if not game.result.is_scored:
        continue
    boards = list(game.mainline_bits())
    named = kr.openings.opening_name(boards)
    name = named.name if named else "without a name"
    results[name][str(game.result)] += 1
    if named:
        reached[name] = kr.Position.from_bits(boards[named.ply])
print(f"{sum(sum(each.values()) for each in results.values())} games, {len(unreadable)} left out")

book = kr.load_book()
rows = []
for name, counts in sorted(results.items(), key=lambda item: -sum(item[1].values())):
    known = book.moves(reached[name]) if name in reached else []
    best = known[0] if known and known[0].value is not None else None
    rows.append([name, *counts.values(), str(best.move) if best else "", best.value if best else ""])
with Path("openings.csv").open("w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file)
    writer.writerow(["opening", "Black won", "drawn", "White won", "book move", "centi-men"])
    writer.writerows(rows)

shown = rows[: options.most][::-1]
figure, axes = pyplot.subplots(figsize=(8, 0.4 * len(shown) + 1), layout="constrained")
left = [0] * len(shown)
for column, (label, colour) in enumerate((("Black won", "#2d2b2b"), ("drawn", "#b9b6ad"), ("White won", "#eb9a6c")), 1):
    numbers = [row[column] for row in shown]
    axes.barh([row[0] for row in shown], numbers, left=left, label=label, color=colour)
    left = [a + b for a, b in zip(left, numbers, strict=True)]
axes.set(xlabel="games")
axes.legend(frameon=False, loc="lower right")
figure.savefig("openings.png", dpi=120)
print("openings.csv, openings.png")
