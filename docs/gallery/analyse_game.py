"""A game judged: its story, its blunders with the better move, and a picture of who stood better when.

python analyse_game.py games.pdn --game 1 --nodes 200000
"""

import argparse
from itertools import islice
from pathlib import Path

from matplotlib import pyplot

import kr

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("pdn", type=Path)
parser.add_argument("--game", type=int, default=1, help="its number in the file")
parser.add_argument("--nodes", type=int, default=200_000, help="of each search")
options = parser.parse_args()

game = next(islice(kr.pdn.read_games(options.pdn, errors=[]), options.game - 1, None))
annotation = kr.annotate(game, kr.Engine(), kr.JudgeSettings(tc=kr.Limits(nodes=options.nodes)))

print(f"{game.headers.get('Black', '?')} against {game.headers.get('White', '?')}, {game.result}")
print(" ".join(map(str, annotation.story)))
for name, player in (("Black", annotation.black), ("White", annotation.white)):
    print(f"{name}: {player}")

positions = list(game.positions())
for judged in annotation.moves:
    if judged.mark in ("?", "??"):
        print(f"{judged.ply // 2 + 1}. {judged.move}{judged.mark} gives away {judged.loss:.2f}; better {judged.best}")
        arrows = [kr.svg.Arrow.of(judged.best), kr.svg.Arrow.of(judged.move, "drawn red")]
        board = kr.svg.board(positions[judged.ply], arrows=arrows, size=400)
        Path(f"blunder-{judged.ply}.svg").write_text(board, encoding="utf-8")

# after each move that was searched, for Black
seen = [judged for judged in annotation.moves if judged.expected is not None]
plies = [judged.ply + 1 for judged in seen]
black = [judged.expected if judged.side == kr.Side.BLACK else 1 - judged.expected for judged in seen]
figure, axes = pyplot.subplots(figsize=(8, 3), layout="constrained")
axes.plot(plies, black, color="#2a78d6")
axes.fill_between(plies, 0.5, black, alpha=0.2, color="#2a78d6")
for judged, height in zip(seen, black, strict=True):
    if judged.mark:
        axes.annotate(judged.mark, (judged.ply + 1, height), textcoords="offset points", xytext=(0, 5), ha="center")
axes.set(xlabel="ply", ylabel="expected result of Black", ylim=(-0.02, 1.08))
figure.savefig("game.png", dpi=120)
