"""Who errs when: blunders and loss by player and by phase, over all games of a file.

python blunder_statistics.py games.pdn --nodes 20000
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

from matplotlib import pyplot

import kr

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("pdn", type=Path)
parser.add_argument("--nodes", type=int, default=20_000, help="of each search")
options = parser.parse_args()

engine, settings = kr.Engine(), kr.JudgeSettings(tc=kr.Limits(nodes=options.nodes))
players = defaultdict(list)
by_pieces, wrong = Counter(), Counter()
for game in kr.pdn.read_games(options.pdn, errors=[]):
    positions = list(game.positions())
    for judged in kr.annotate(game, engine, settings).moves:
        if not judged.judged:
            continue
        players[game.headers.get(judged.side.name.title(), "?")].append(judged)
        pieces = positions[judged.ply].pieces
        by_pieces[pieces] += 1
        wrong[pieces] += judged.mark in ("?", "??")

print(f"{'player':24}{'moves':>7}{'loss':>8}{'?':>5}{'??':>5}")
for name, moves in sorted(players.items(), key=lambda item: -len(item[1])):
    marks = Counter(judged.mark for judged in moves)
    loss = sum(judged.loss for judged in moves) / len(moves)
    print(f"{name:24.23}{len(moves):7}{loss:8.3f}{marks['?']:5}{marks['??']:5}")

figure, axes = pyplot.subplots(figsize=(8, 3), layout="constrained")
counts = sorted(by_pieces, reverse=True)
axes.bar(counts, [100 * wrong[pieces] / by_pieces[pieces] for pieces in counts], color="#eb6834")
axes.invert_xaxis()
axes.set(xlabel="pieces on the board", ylabel="moves marked ? or ??, %")
figure.savefig("blunders.png", dpi=120)
