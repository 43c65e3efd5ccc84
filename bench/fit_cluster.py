"""The fit on two workers of a local cluster against the fit by two threads: time, memory, tables.

    python bench/fit_cluster.py games/first games/second --rounds 2

Both are timed in turn, so that a machine that slows down slows both. Each fit starts afresh. `--json` prints the
figures as one object.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from kr.evaluation import weights

WAYS = {"threads": ["--workers", "2"], "cluster": ["--cluster", "local:2"]}


def fitted(directories: list[Path], out: Path, iterations: int, way: str) -> tuple[float, dict[str, Any]]:
    """Seconds of a fit, and its report."""
    command = [sys.executable, "-m", "kr", "fit", *map(str, directories), "--out", str(out), "--json", "--quiet"]
    command += ["--max-iter", str(iterations), *WAYS[way]]
    began = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return time.monotonic() - began, json.loads(done.stdout)


def differences(first: Path, second: Path) -> dict[str, Any]:
    """Entries of tables that differ, and by how many units of 1/16 centi-man at most."""
    differing = largest = entries = 0
    for name in ("men_table", "kings_table", "men_material", "kings_material"):
        one, other = (getattr(weights.load_tables(path), name).astype(np.int64) for path in (first, second))
        difference = np.abs(one - other)
        entries += int(np.count_nonzero(one))
        differing += int(np.count_nonzero(difference))
        largest = max(largest, int(difference.max()))
    return {"entries": entries, "differing": differing, "largest": largest}


def main() -> None:
    """Time both ways in turn."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("directories", nargs="+", type=Path, help="run directories of kr selfplay")
    parser.add_argument("--iterations", type=int, default=10, help="iterations for each group of tables")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    fitting: dict[str, list[float]] = {way: [] for way in WAYS}
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = {way: Path(folder) / f"{way}.h5" for way in WAYS}
        for _ in range(asked.rounds):
            for way, path in paths.items():
                path.unlink(missing_ok=True)
                spent, report = fitted(asked.directories, path, asked.iterations, way)
                seconds[way].append(spent)
                fitting[way].append(report["seconds"]["fitting"])
        found = {
            "positions": sum(each["positions"] for each in report["samples"]),
            "seconds": seconds,
            "fitting": fitting,
            "ratio": median(seconds["cluster"]) / median(seconds["threads"]),
            "fitting_ratio": median(fitting["cluster"]) / median(fitting["threads"]),
            # of the largest process so far, a coordinator or the fit by threads
            "peak_memory": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
            **differences(paths["threads"], paths["cluster"]),
        }
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{found['positions']:,} positions")
    for way in WAYS:
        print(f"{way:8} {' '.join(f'{each:.1f}' for each in seconds[way])} s")
    print(f"cluster / threads {found['ratio']:.2f} in all, {found['fitting_ratio']:.2f} after reading")
    print(f"{found['differing']:,} of {found['entries']:,} entries differ, by {found['largest']}/16 centi-man at most")


if __name__ == "__main__":
    main()
