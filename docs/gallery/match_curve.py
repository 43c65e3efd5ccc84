"""A match of two players, and how its Elo settled with the games.

python match_curve.py shipped manual --games 200 --nodes 2000
"""

import argparse

from matplotlib import pyplot

import kr

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("a", help="a weights file, shipped, manual, material, or any player of kr match")
parser.add_argument("b")
parser.add_argument("--games", type=int, default=200)
parser.add_argument("--nodes", type=int, default=2000, help="of each move")
parser.add_argument("--workers", type=int, default=0, help="games at a time, 0: one per core")
options = parser.parse_args()

curve = []


def note(result):
    estimate = result.estimate
    if sum(result.pentanomial) > 4:
        curve.append((len(result.games), estimate.elo, estimate.elo_error))


settings = kr.MatchSettings(
    options.a, options.b, games=options.games, tc=kr.Limits(nodes=options.nodes), workers=options.workers
)
result = kr.play_match(settings, on_game=note)
print(f"{result.count(2)}-{result.count(1)}-{result.count(0)}", end=" ")
print(f"Elo {result.estimate.elo:+.0f} ± {result.estimate.elo_error:.0f}")

games, elo, error = zip(*curve, strict=True)
figure, axes = pyplot.subplots(figsize=(8, 3), layout="constrained")
axes.plot(games, elo, color="#2a78d6")
low, high = ([e + sign * r for e, r in zip(elo, error, strict=True)] for sign in (-1, 1))
axes.fill_between(games, low, high, alpha=0.2, color="#2a78d6")
axes.axhline(0, color="#52514e", linewidth=0.8)
axes.set(xlabel="games", ylabel=f"Elo of {options.a}, 95%")
figure.savefig("match.png", dpi=120)
