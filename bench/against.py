"""Speed of this checkout compared with another commit: both do equal work, in turns. About half an hour for all.

    python bench/against.py COMMIT [--rounds 11] [--only search,perft] [--json]

The other commit is built in a temporary checkout, with the same Python, compiler and libraries. Each round does a piece
of work once with either of the two, which take turns to go first. The result is the median of the rounds' ratios of
processor time, on which other work on the machine has little influence. Above 1, this checkout is faster. Both commits
run this script, so that it uses only public names and commands of kr.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
POSITIONS = (
    "B:W32,31,30,29,28,27,26,25,24,23,22,21:B12,11,10,9,8,7,6,5,4,3,2,1",
    "W:W32,31,30,28,27,25,24,22,21:B12,10,8,7,6,5,4,3,1",
    "B:W18,22,24,27,K5:B3,7,12,K29,20",
    "W:W17,21,26,29,K10:BK3,6,14,19",
)
Run = Callable[[Path], object]
"""Does a piece of work and returns its result, which must be equal for both; it may write into the directory."""


@dataclass(frozen=True)
class SpeedComparison:
    """Result of a piece of work done by both."""

    work: str
    ratio: float
    """The other commit's processor time divided by this checkout's: median of all rounds."""
    low: float
    """Lower quartile."""
    high: float
    """Upper quartile."""
    seconds: float
    """Processor time of this checkout."""


# Each of these prepares a piece of work, which is not timed, and returns it.


def search() -> Run:
    """Searches to a depth with the shipped tables."""
    import kr

    engine = kr.Engine(hash_mb=16, database=None)

    def run(_: Path) -> object:
        total = 0
        for fen in POSITIONS:
            engine.new_game()
            total += engine.search(kr.Position.from_fen(fen), kr.Limits(depth=23)).nodes
        return total

    return run


def perft() -> Run:
    """Leaves below the start, where quiet moves prevail."""
    import kr

    return lambda _: kr.perft(kr.Position(), 12)


def captures() -> Run:
    """Leaves below crowded positions, where captures prevail."""
    import kr

    positions = [kr.Position(black, white, kings, kr.Side(side)) for black, white, kings, side in crowded(100)]
    return lambda _: sum(kr.perft(position, 9) for position in positions)


def scores() -> Run:
    """Static scores."""
    import numpy as np

    import kr

    engine = kr.Engine(database=None)
    rows = np.array([*crowded(20_000), *crowded(20_000, kings=0)], dtype=np.uint32)
    engine.evaluate_batch(rows)
    return lambda _: sum(int(engine.evaluate_batch(rows).astype(int).sum()) for _ in range(200))


def probes() -> Run:
    """Look-ups in the shipped database, one after the other as a search makes them."""
    import numpy as np

    import kr

    database = kr.load_database(str(HERE / "egdb"))
    assert database is not None
    boards = np.array(list(crowded(200_000, pieces=database.pieces)), dtype=np.uint32)
    values = np.zeros(len(boards), dtype=np.uint8)
    database.core.probe_batch(boards, values, True)

    def run(directory: Path) -> object:
        for _ in range(60):
            database.core.probe_batch(boards, values, True)
        return int(values.sum())

    return run


def build() -> Run:
    """Databases up to 5 pieces."""
    use_one_core()

    def run(directory: Path) -> object:
        command("egdb", "build", "--pieces", "5", "--dir", str(directory))
        return sorted(path.name for path in directory.glob("*.egdb"))

    return run


def selfplay() -> Run:
    """Games of the engine against itself."""
    words = "selfplay --games 400 --nodes 1000 --workers 1 --seed 3 --out".split()
    return lambda directory: command(*words, str(directory / "games"))


def match() -> Run:
    """Games between two engines, with all the work around their searches."""
    use_one_core()
    words = "match shipped manual --games 60 --tc nodes=2000 --pdn".split()
    return lambda directory: command(*words, str(directory / "games.pdn"))


def fit() -> Run:
    """Tables fitted to games made beforehand."""
    # removed with the work that holds it
    games = tempfile.TemporaryDirectory(prefix="kr-games-")
    command(*"selfplay --games 4000 --nodes 20 --weights material --egdb none --seed 1 --out".split(), games.name)
    return lambda directory: command("fit", games.name, "--out", str(directory / "weights.h5"))


WORK = {each.__name__: each for each in (search, perft, captures, scores, probes, build, selfplay, match, fit)}


def crowded(count: int, pieces: int = 12, kings: float = 0.5) -> Iterator[tuple[int, int, int, int]]:
    """Random positions, equal on every call: black, white, kings and side."""
    import random

    source = random.Random(5)
    for _ in range(count):
        sides = [0, 0]
        crowned = 0
        for number, square in enumerate(source.sample(range(4, 28), pieces)):
            sides[number % 2] |= 1 << square
            crowned |= (source.random() < kings) << square
        yield sides[0], sides[1], crowned, source.randrange(2)


def command(*words: str) -> None:
    """Run a command of kr, of the checkout that is measured."""
    subprocess.run([sys.executable, "-P", "-m", "kr", *words], check=True, capture_output=True)


def use_one_core() -> None:
    """Keep this process and its commands on one core, where they take one worker in every version of kr."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def do(work: str) -> None:
    """In a process of its own: prepare a piece of work, do it, and print its processor time and result."""
    run = WORK[work]()
    with tempfile.TemporaryDirectory() as directory:
        before = processor_time()
        result = run(Path(directory))
        print(f"{processor_time() - before:.6f} {result}")


def processor_time() -> float:
    """Seconds of processor time, of this process and its children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measured(checkout: Path, work: str) -> tuple[float, str]:
    """Seconds of processor time of a piece of work with a checkout, and its result."""
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    words = [sys.executable, "-P", str(Path(__file__).resolve()), "--work", work]
    process = subprocess.run(words, env=environment, cwd=tempfile.gettempdir(), capture_output=True, text=True)
    if process.returncode:
        sys.exit(f"{work} with {checkout}: {process.stderr.strip()}")
    seconds, _, result = process.stdout.partition(" ")
    return float(seconds), result


def compare(other: Path, work: str, rounds: int) -> SpeedComparison:
    """Compare a piece of work. Exits if the results differ."""
    ratios, seconds = [], []
    for number in range(rounds):
        order = (HERE, other) if number % 2 else (other, HERE)
        costs = {checkout: measured(checkout, work) for checkout in order}
        if costs[HERE][1] != costs[other][1]:
            sys.exit(f"{work}: the results differ: {costs[HERE][1].strip()} here, {costs[other][1].strip()} there")
        ratios.append(costs[other][0] / costs[HERE][0])
        seconds.append(costs[HERE][0])
    low, _, high = statistics.quantiles(ratios, n=4)
    return SpeedComparison(
        work, round(statistics.median(ratios), 4), round(low, 4), round(high, 4), round(statistics.median(seconds), 3)
    )


@contextmanager
def built(commit: str) -> Iterator[Path]:
    """A temporary checkout of another commit, compiled."""
    with tempfile.TemporaryDirectory(prefix="kr-against-") as directory:
        path = Path(directory, "kr")
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(path), commit], check=True)
        try:
            print(f"building {commit} ...", file=sys.stderr)
            subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=path, check=True)
            yield path
        finally:
            subprocess.run([*git, "remove", "--force", str(path)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", nargs="?", help="commit to compare with, such as HEAD~1")
    parser.add_argument("--rounds", type=int, default=11, help="rounds of each piece of work (default: 11)")
    parser.add_argument("--only", default=",".join(WORK), help="pieces of work (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        do(options.work)
        return
    pieces = options.only.split(",")
    if options.commit is None or options.rounds < 2 or not set(pieces) <= set(WORK):
        parser.error(f"expected a commit, 2 rounds or more, and work from {', '.join(WORK)}")
    # removes its checkout when killed, as after Ctrl-C
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    with built(options.commit) as other:
        for work in pieces:
            row = compare(other, work, options.rounds)
            if options.json:
                print(json.dumps(asdict(row)), flush=True)
            else:
                print(f"{work:9} {row.ratio:6.3f}  ({row.low:.3f} to {row.high:.3f}), {row.seconds} s", flush=True)


if __name__ == "__main__":
    main()
