"""Problems proved, by number of pieces: decided, time, nodes, size of the certificates, and whether they check.

    python bench/proofs.py PROBLEMS [--egdb DIR] [--tc 10s] [--every 1] [--workers N] [--out FILE] [--json]

Each problem has one worker, and its value is proved within the limit. Every certificate is checked by plain rules. A
problem whose published result is refuted is named. With --out, each result is a line of that file, and the same command
resumes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from kr.egdb.database import load_database
from kr.engine.limits import Limits
from kr.problems.problem import Problem, read_problems
from kr.proofs.certificate import packed_certificate
from kr.proofs.checking import check_certificate
from kr.proofs.prover import ProveSettings, prove
from kr.threads import worker_count

COLUMNS = (
    "pieces",
    "problems",
    "decided",
    "by the database",
    "median s",
    "median nodes",
    "median positions",
    "KB, all",
)


def result_of(problem: Problem, egdb: str, tc: str) -> dict[str, Any]:
    """What was proved about a problem."""
    settings = ProveSettings(fen=problem.position.fen, tc=Limits.parse(tc), workers=1, egdb=egdb)
    began = time.monotonic()
    proof = prove(settings)
    seconds = time.monotonic() - began
    database = load_database(egdb)
    certificates = [each.certificate for each in proof.claims if each.certificate is not None]
    for certificate in certificates:
        check_certificate(certificate, database)
    return {
        "id": problem.id,
        "fen": problem.position.fen,
        "pieces": problem.position.pieces,
        "published": problem.published,
        "value": proof.value,
        "least": proof.least,
        "most": proof.most,
        "seconds": seconds,
        "nodes": sum(each.nodes for each in proof.claims),
        "known": database is not None and database.has(problem.position),
        "positions": sum(len(each.boards) for each in certificates),
        "bytes": sum(len(packed_certificate(each)) for each in certificates),
    }


def show(results: list[dict[str, Any]]) -> None:
    """Print the table, and what contradicts the published results."""
    rows: list[tuple[Any, ...]] = [COLUMNS]
    for pieces in [*sorted({each["pieces"] for each in results}), "all"]:
        some = [each for each in results if pieces in ("all", each["pieces"])]
        decided = [each for each in some if each["value"]]
        searched = [each for each in decided if not each["known"]] or decided
        rows.append((
            pieces, len(some), len(decided), sum(each["known"] for each in decided),
            *(f"{statistics.median(each[name] for each in searched):,.{digits}f}" if searched else ""
              for name, digits in (("seconds", 2), ("nodes", 0), ("positions", 0))),
            f"{sum(each['bytes'] for each in decided) / 1000:,.0f}",
        ))  # fmt: skip
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(COLUMNS))]
    for row in rows:
        print("  ".join(str(cell).rjust(width) for cell, width in zip(row, widths, strict=True)))
    for each in results:
        if each["value"] and each["published"] and each["value"] != each["published"]:
            print(f"{each['id']}: published {each['published']}, proved {each['value']}: {each['fen']}")


def main() -> None:
    """Prove and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, help="file of problems, as of kr solve-problem")
    parser.add_argument("--egdb", default="", help="directory of the endgame database")
    parser.add_argument("--tc", default="10s", help="limit of each problem (default: 10s)")
    parser.add_argument("--every", type=int, default=1, help="take every Nth problem (default: 1)")
    parser.add_argument("--workers", type=int, default=0, help="processes (default: one per core)")
    parser.add_argument("--out", type=Path, help="file of the results, one JSON object per line")
    parser.add_argument("--json", action="store_true", help="print the results as one JSON list")
    options = parser.parse_args()
    problems = read_problems(options.problems)[:: options.every]
    results = []
    if options.out and options.out.exists():
        results = [json.loads(line) for line in options.out.read_text().splitlines()]
    ids = {each["id"] for each in results}
    remaining = [problem for problem in problems if problem.id not in ids]
    prove_each = partial(result_of, egdb=options.egdb, tc=options.tc)
    # not ProcessPoolExecutor, which in Python 3.11 waits for ever once its only worker has done its tasks
    with get_context("spawn").Pool(worker_count(options.workers), maxtasksperchild=50) as pool:
        for result in pool.imap(prove_each, remaining):
            results.append(result)
            if options.out:
                with open(options.out, "a") as file:
                    file.write(json.dumps(result) + "\n")
            print(f"{len(results)}/{len(problems)}", file=sys.stderr, flush=True)
    print(json.dumps(results)) if options.json else show(results)


if __name__ == "__main__":
    main()
