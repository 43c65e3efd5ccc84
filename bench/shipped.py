"""Counts of the data that come with kr: databases, tables and ballots, for weights/README.md and egdb/README.md.

python bench/shipped.py [--egdb DIR] [--json]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from kr.egdb.stats import read_stats
from kr.evaluation.files import shipped_path
from kr.evaluation.kinds import load_evaluation
from kr.evaluation.regions import Regions
from kr.openings.decks import deck

CHECKOUT = Path(__file__).resolve().parents[1]
GROUPS = ("men", "kings")
BALLOTS = ("3move", "11man")


def databases(directory: Path) -> dict[str, Any]:
    """Files, bytes and positions of values and distances, and the bytes of all values up to each number of pieces."""
    kinds: dict[str, Any] = {}
    totals = read_stats(directory).totals
    for kind in ("wld", "dtw"):
        files = sorted(directory.glob(f"{kind}-*.egdb"))
        sizes = {path: path.stat().st_size for path in files}
        pieces = {path: sum(map(int, path.stem.removeprefix(f"{kind}-"))) for path in files}
        most = max(pieces.values(), default=0)
        kinds[kind] = {
            "files": len(files),
            "bytes": sum(sizes.values()),
            "positions": sum(total.both_sides.positions for total in totals if total.pieces <= most),
            "up_to": {
                str(count): sum(size for path, size in sizes.items() if pieces[path] <= count)
                for count in range(2, most + 1)
            },
        }
    return kinds


def tables() -> dict[str, Any]:
    """Regions, games and counted entries of the shipped tables."""
    path = shipped_path()
    evaluation = load_evaluation(path)
    assert isinstance(evaluation, Regions)
    report = json.loads(str(evaluation.attrs["report"]))
    with h5py.File(path) as file:
        seen = {group: float(np.count_nonzero(file[f"{group}_seen"]) / file[f"{group}_seen"].size) for group in GROUPS}
    assert evaluation.evidence is not None
    layout = evaluation.weights.layout
    return {
        "checksum": evaluation.signature,
        "layout": layout.name,
        "regions": {"men": len(layout.men), "kings": len(layout.kings)},
        "games": sum(run["games"] for run in report["runs"]),
        "counted": {"games": evaluation.evidence.games, "positions": evaluation.evidence.positions, "seen": seen},
    }


def ballots() -> dict[str, dict[str, int]]:
    """Openings of each deck, and those that are playable."""
    return {name: {"all": len(deck(name, False)), "playable": len(deck(name))} for name in BALLOTS}


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--egdb", type=Path, default=CHECKOUT / "egdb", help="directory of a database (default: egdb)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = {"egdb": databases(options.egdb), "tables": tables(), "ballots": ballots()}
    print(json.dumps(figures, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
