"""Positions of games in which one move, and no other, holds the game: a page of diagrams, with solutions below.

python puzzle_hunt.py archive.pdn.xz --nodes 50000
"""

import argparse
from html import escape
from itertools import islice
from pathlib import Path

import kr

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("pdn", type=Path)
parser.add_argument("--nodes", type=int, default=50_000, help="of each search")
parser.add_argument("--gap", type=float, default=0.4, help="expected result that the second best move gives away")
parser.add_argument("--most", type=int, default=12, help="puzzles")
options = parser.parse_args()

engine = kr.Engine()
glance = kr.Limits(nodes=max(100, options.nodes // 100))
seen = set()


def hunt():
    """Puzzles with their analysis and their game, as they are found."""
    for game in kr.pdn.read_games(options.pdn, errors=[]):
        for position in game.positions():
            choices = len({(move.origin, move.target, move.captured) for move in position.legal_moves()})
            if choices < 3 or position in seen:
                continue
            seen.add(position)
            engine.new_game()
            analysis = kr.analyze(engine, position, kr.Limits(nodes=options.nodes), multipv=2)
            best, second = analysis.lines[:2]
            if best.chances.expected - second.chances.expected < options.gap:
                continue
            engine.new_game()
            if engine.search(position, glance).move != best.move:  # not what is seen at once
                yield position, best, game


puzzles = []
try:
    for position, best, game in islice(hunt(), options.most):
        puzzles.append((position, best, game))
        print(f"{len(puzzles)}. {position.fen}, {best.move}", flush=True)
except KeyboardInterrupt:
    pass  # the page has those found so far

page = ["<!doctype html><meta charset=utf-8><title>Puzzles</title><style>body{font-family:sans-serif}"]
page += ["figure{display:inline-block;width:300px;margin:12px}</style><h1>Puzzles</h1>"]
for number, (position, _, _) in enumerate(puzzles, 1):
    page.append(f"<figure>{kr.svg.board(position, size=300)}<figcaption>{number}. {position.side.name.title()} to move")
    page.append("</figcaption></figure>")
page.append("<h2>Solutions</h2><ol>")
for _, best, game in puzzles:
    players = f"{game.headers.get('Black', '?')} - {game.headers.get('White', '?')}"
    page.append(f"<li>{escape(' '.join(map(str, best.pv[:8])))} ({escape(players)})</li>")
Path("puzzles.html").write_text("\n".join([*page, "</ol>"]), encoding="utf-8")
print(f"{len(puzzles)} puzzles of {len(seen)} positions: puzzles.html")
