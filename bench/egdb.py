"""Endgame databases: speed of building, size of the files, speed of probing. About a minute.

    python bench/egdb.py [--pieces 5] [--distances 4] [--workers N] [--json]
    python bench/egdb.py --dir DIR [--json]         an existing database

Rates are medians of several runs. Those of one core are by its processor time; other work on the machine still shows in
their range. Probes are of positions with exactly that many pieces, with either side to move and pending captures
included: "random" positions are drawn from all of them; "nearby" ones are like those of a search, the positions up to
two quiet plies from random ones, in order. "packed" reads the compressed files, "unpacked" two bits a position from
memory; "batch" probes many positions at once, "single" one after the other, as the search does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from timing import repeated, show_range

from kr import _core, _egdb
from kr.egdb import slices, stats
from kr.egdb.database import Database
from kr.egdb.sample import survival
from kr.system import core_count

Boards = NDArray[np.uint32]
"""Rows of black, white, kings, side."""

ALL = 1 << 62
"""More bytes than any unpacked database takes."""
DISTANCES = 20_000
"""Positions whose distance is looked up."""
NEARBY_ROOTS = 0.2
"""Random positions to start from for each nearby one; more than enough."""


# Building


def build(directory: Path, pieces: int, distances: int, workers: int) -> dict[str, float]:
    """Positions, seconds and peak memory of a build in a process of its own."""
    command = [sys.executable, "-m", "kr", "egdb", "build", "--json", "--dir", str(directory)]
    command += ["--pieces", str(pieces), "--distances", str(distances), "--workers", str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        report = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed: {' '.join(command)}")
    summary = json.loads(report)
    return {
        "positions": summary["positions"] - summary["earlier"],
        "seconds": summary["seconds"],
        "positions_per_second": (summary["positions"] - summary["earlier"]) / summary["seconds"],
        "peak_megabytes": usage.ru_maxrss / 1000,
    }


def builds(directory: Path, options: argparse.Namespace) -> Iterator[tuple[str, dict[str, float]]]:
    """Builds up to 2, 3, ... pieces, each from scratch; the last one has distances and stays in `directory`."""
    for pieces in range(2, options.pieces + 1):
        with tempfile.TemporaryDirectory(dir=directory) as target:
            yield f"up to {pieces}", build(Path(target), pieces, 0, options.workers)
    distances = min(options.distances, options.pieces)
    timing = build(directory, options.pieces, distances, options.workers)
    yield f"up to {options.pieces}, distances to {distances}", timing


# Sizes


def sizes(directory: Path) -> dict[str, dict[str, float]]:
    """Bytes, and bits per position, by number of pieces."""
    by_pieces = {}
    for each in stats.read_stats(directory).totals:
        positions = each.both_sides.positions
        by_pieces[str(each.pieces)] = {
            "positions": positions,
            "value_bytes": each.bytes,
            "value_bits_per_position": each.bits,
            "distance_bytes": each.distance_bytes,
            "distance_bits_per_position": 8 * each.distance_bytes / positions,
        }
    return by_pieces


# Look-ups


def turned(bits: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Bitboards turned by 180 degrees."""
    octets = np.ascontiguousarray(bits[:, ::-1]).view(np.uint8)[:, ::-1]
    return np.ascontiguousarray(np.packbits(np.unpackbits(octets, axis=1, bitorder="little"), axis=1)).view(np.uint32)


def random_boards(pieces: int, count: int, seed: int) -> Boards:
    """Random positions with `pieces` pieces and either side to move, in random order."""
    shapes = slices.shapes(pieces)
    chances = survival(min(1.0, 1.02 * count / sum(map(slices.size, shapes))))
    samples = []
    for shape in shapes:
        sampler = _egdb.EndgameSampler(None, shape, 0, slices.size(shape), chances, seed, False)
        boards = np.empty((2 * count, 3), dtype=np.uint32)
        size = sampler.next(boards, np.empty(2 * count, np.uint8), np.empty(2 * count, np.uint64))
        samples.append(boards[:size])
    positions = np.concatenate(samples)
    generator = np.random.default_rng(seed)
    positions = generator.permutation(positions)[:count]
    flip = generator.random(len(positions)) < 0.5
    # with colours flipped, White is to move
    positions[flip] = turned(positions[flip][:, [1, 0, 2]])
    return np.ascontiguousarray(np.column_stack([positions, flip.astype(np.uint32)]))


def nearby_boards(pieces: int, count: int, seed: int) -> Boards:
    """Random positions, each followed by those up to two quiet plies away, in the order of a search."""
    boards: list[tuple[int, int, int, int]] = []

    def visit(bits: tuple[int, int, int, int], depth: int) -> None:
        boards.append(bits)
        for path, captured in _core.legal_moves(*bits) if depth else ():
            if not captured:
                visit(_core.play(*bits, path[0], path[-1], captured), depth - 1)

    for row in random_boards(pieces, int(NEARBY_ROOTS * count), seed).tolist():
        visit(tuple(row), 2)
        if len(boards) >= count:
            break
    return np.array(boards[:count], dtype=np.uint32)


def probe_rate(database: Database, boards: Boards, *, single: bool = False) -> float:
    """Million full probes a second of this thread's processor time."""
    values = np.empty(len(boards), dtype=np.uint8)
    began = time.thread_time()
    database.core.probe_batch(boards, values, single)
    seconds = time.thread_time() - began
    database.raise_damage()
    assert (values < _egdb.VALUE_UNKNOWN).all()
    return len(boards) / seconds / 1e6


def threads_rate(database: Database, boards: Boards, threads: int) -> float:
    """Million full probes a second of all threads together, by the clock."""
    values = np.empty(len(boards), dtype=np.uint8)
    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        parts = zip(np.array_split(boards, threads), np.array_split(values, threads), strict=True)
        list(pool.map(lambda part: database.core.probe_batch(*part), parts))
        seconds = time.perf_counter() - began
    return len(boards) / seconds / 1e6


def distance_rate(database: Database, boards: Boards) -> float:
    """Million distances a second of this thread's processor time, looked up one by one from Python."""
    rows = boards.tolist()
    began = time.thread_time()
    for row in rows:
        database.core.distance(*row)
    return len(rows) / (time.thread_time() - began) / 1e6


def array_rate(look_up: Callable[..., Any], boards: Boards, workers: int) -> float:
    """Million values or distances a second by the clock, for arrays from Python."""
    began = time.perf_counter()
    look_up(boards, workers=workers)
    return len(boards) / (time.perf_counter() - began) / 1e6


def open_seconds(directory: Path, pieces: int, unpack_bytes: int) -> float:
    """Seconds to open a database."""
    began = time.perf_counter()
    Database.open(directory, max_pieces=pieces, unpack_bytes=unpack_bytes)
    return time.perf_counter() - began


def lookups(directory: Path, options: argparse.Namespace) -> Iterator[tuple[str, dict[str, float]]]:
    """Times to open a database, and rates of probes, by name."""
    top = Database.open(directory, unpack_bytes=0).pieces
    unpacked = min(top, options.unpack)
    cores = core_count()
    yield f"opening up to {top} packed, seconds", repeated(partial(open_seconds, directory, top, 0), options.runs)
    name = f"opening up to {unpacked} unpacked, seconds"
    yield name, repeated(partial(open_seconds, directory, unpacked, ALL), options.runs)
    ways = {"packed": Database.open(directory, unpack_bytes=0)}
    ways["unpacked"] = Database.open(directory, max_pieces=unpacked, unpack_bytes=ALL)
    for pieces in range(options.least, top + 1):
        kinds = {
            "random": random_boards(pieces, options.positions, options.seed),
            "nearby": nearby_boards(pieces, options.positions // 4, options.seed),
        }
        for way, database in ways.items():
            if pieces > database.pieces:
                continue
            for kind, boards in kinds.items():
                probe_rate(database, boards)  # the first run checks and copies chunks
                name = f"{pieces} pieces, {way}, {kind}"
                measures = {
                    f"{name}, batch": partial(probe_rate, database, boards),
                    f"{name}, single": partial(probe_rate, database, boards, single=True),
                    f"{name}, batch, {cores} threads": partial(threads_rate, database, boards, cores),
                }
                array = partial(array_rate, database.values, boards, cores)
                measures[f"{name}, array from Python, {cores} threads"] = array
                for each, measure in measures.items():
                    yield f"{each}, million/s", repeated(measure, options.runs)
        if pieces <= ways["packed"].distance_pieces:
            for way, database in ways.items():
                rate = repeated(partial(distance_rate, database, kinds["random"][:DISTANCES]), options.runs)
                yield f"{pieces} pieces, {way}, distances one by one from Python, million/s", rate
                array = partial(array_rate, database.distances, kinds["random"][: 10 * DISTANCES], cores)
                yield (
                    f"{pieces} pieces, {way}, distances, array, {cores} threads, million/s",
                    repeated(array, options.runs),
                )


def show_build(name: str, built: dict[str, float]) -> None:
    """Print a line about a build."""
    print(
        f"build {name:26} {built['positions']:13,} positions in {built['seconds']:8.2f} s, "
        f"{built['positions_per_second'] / 1e6:5.1f} million/s, {built['peak_megabytes']:6.0f} MB",
        flush=True,
    )


def show_size(pieces: str, size: dict[str, float]) -> None:
    """Print a line about the files of a number of pieces."""
    values, distances = (
        f"{size[f'{kind}_bytes']:11,} bytes, {size[f'{kind}_bits_per_position']:.3f} bits per position"
        for kind in ("value", "distance")
    )
    print(
        f"{pieces} pieces: values {values}" + (f"; distances {distances}" if size["distance_bytes"] else ""), flush=True
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pieces", type=int, default=5, help="most pieces to build (default: 5)")
    parser.add_argument("--distances", type=int, default=4, help="most pieces with distances (default: 4)")
    parser.add_argument("--workers", type=int, default=0, help="threads of the build (default: one per core)")
    parser.add_argument("--dir", type=Path, help="measure this database instead of building one")
    parser.add_argument("--least", type=int, default=4, help="fewest pieces to look up (default: 4)")
    parser.add_argument("--unpack", type=int, default=6, help="most pieces to unpack (default: 6)")
    parser.add_argument("--positions", type=int, default=1_000_000, help="probes in a run (default: a million)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each measurement (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random positions (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    results: dict[str, dict[str, Any]] = {"build": {}, "size": {}, "lookups": {}}
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.dir or Path(temporary)
        if options.dir is None:
            for name, built in builds(directory, options):
                results["build"][name] = built
                if not options.json:
                    show_build(name, built)
        results["size"] = sizes(directory)
        if not options.json:
            for name, size in results["size"].items():
                show_size(name, size)
        for name, rate in lookups(directory, options):
            results["lookups"][name] = rate
            if not options.json:
                show_range(name, rate)
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
