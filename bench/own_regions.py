"""Nodes a second with tables from arrays (kr.Weights.from_tables) beside those of the shipped file, in turns.

The regions of the shipped file, through arrays, and 64 regions of one square each. Prints the ratios of nodes a second
of processor time, the median of the turns, the least and the most; fails where the same regions search other nodes.
"""

import argparse
import statistics
import sys
import time

import kr
from kr.evaluation.files import shipped_path

FENS = (
    "B:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15",
    "W:W21,22,25,28,30,31,K5:B1,3,8,11,12,19,K27",
)


def of_arrays() -> kr.Weights:
    """The shipped tables through arrays of centi-men."""
    shipped = kr.Weights.load(shipped_path())
    men = [(squares, table / 16) for squares, table in zip(shipped.layout.men, shipped.men_table, strict=True)]
    kings = [(squares, table / 16) for squares, table in zip(shipped.layout.kings, shipped.kings_table, strict=True)]
    material = shipped.men_material / 16, shipped.kings_material / 16
    return kr.Weights.from_tables(men, kings, *material, name=shipped.layout.name)


def of_squares() -> kr.Weights:
    """A region for each square."""
    return kr.Weights.from_tables(
        [((square,), [0, 5, -5]) for square in range(32)], [((square,), [0, 3, -3, 9, -9]) for square in range(32)]
    )


def searched(weights: kr.Weights | None, nodes: int) -> tuple[float, int]:
    """Nodes a second of processor time, and nodes."""
    engine = kr.Engine(weights, hash_mb=16, database="none")
    start = time.process_time()
    count = sum(engine.search(fen, kr.Limits(nodes=nodes)).nodes for fen in FENS)
    return count / (time.process_time() - start), count


def main() -> int:
    """Measure in turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--nodes", type=float, default=1.5e6, help="nodes of each of two searches")
    options = parser.parse_args()
    made = {"the same regions from arrays": of_arrays(), "64 regions of a square": of_squares()}
    ratios: dict[str, list[float]] = {name: [] for name in made}
    same = True
    for _ in range(options.turns):
        speed, count = searched(None, int(options.nodes))
        for name, weights in made.items():
            other, others = searched(weights, int(options.nodes))
            ratios[name].append(other / speed)
            same &= others == count or weights.layout.name == "own"
    for name, each in ratios.items():
        print(f"{name:30} {statistics.median(each):.3f} ({min(each):.3f} to {max(each):.3f})")
    print("nodes of the same regions:", "equal" if same else "DIFFERENT")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
