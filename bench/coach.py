"""What longer searches do to the marks of archive games, what it costs, and how many marks get a reason.

    python bench/coach.py ARCHIVE.pdn.xz --games 60 --nodes 200000

The games, evenly from the archive, are judged twice: by searches of one length, and with marks upheld by longer ones,
as `kr annotate` does it. Of each mark of the first run it is counted whether it stays, weakens or goes in the second,
and of each mark of the second run whether facts of its lines give a reason, and which.
"""

from __future__ import annotations

import argparse
import lzma
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import kr
from kr.analysis.annotation import judging, searches
from kr.analysis.annotation.coach import LITTLE, with_reasons
from kr.analysis.annotation.judgement import MARKS, JudgedMove
from kr.egdb.database import load_database
from kr.engine.limits import Limits
from kr.pdn import Game, Reader

LONGER = searches.LONGER


def sample(archive: Path, count: int, shift: float) -> Iterator[Game]:
    """So many games of an archive, evenly; shift: how far on, in steps from one to the next."""
    opener = lzma.open if archive.suffix == ".xz" else open
    with opener(archive, "rt", encoding="utf-8", errors="replace") as file:
        total = sum(line.startswith("[Result ") for line in file)
        file.seek(0)
        step = max(total // count, 1)
        yield from islice(Reader(file, forgiving=True), int(shift * step), None, step)


def judged(
    game: Game, engine: kr.Engine, settings: judging.JudgeSettings, longer: int
) -> tuple[tuple[JudgedMove, ...], float]:
    """The moves, judged with marks upheld by searches so many times as long; seconds of processor time."""
    searches.LONGER = longer
    begin = time.process_time()
    moves = judging.judge_moves(game, engine, settings)
    return moves, time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--shift", type=float, default=0.0, help="other games: so far on, below 1")
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--list", action="store_true", help="print the reasons, each with its position")
    options = parser.parse_args()
    settings = judging.JudgeSettings(tc=Limits(nodes=options.nodes))
    engine = kr.Engine(hash_mb=64, database=load_database())
    marks: Counter[tuple[str, str]] = Counter()
    reasons: Counter[str] = Counter()
    given: Counter[tuple[str, bool]] = Counter()
    much: Counter[str] = Counter()
    seconds = [0.0, 0.0]
    games = 0
    for game in sample(options.archive, options.games, options.shift):
        games += 1
        (before, first), (after, second) = (judged(game, engine, settings, longer) for longer in (1, LONGER))
        seconds = [seconds[0] + first, seconds[1] + second]
        marks.update((one.mark, other.mark) for one, other in zip(before, after, strict=True))
        explained = [each for each in with_reasons(game, after, engine, settings) if each.mark in MARKS]
        for each in explained if options.list else ():
            print(list(game.positions())[each.ply].fen, each.mark, each.move, "|", *each.why)
        reasons.update(sentence.name for each in explained for sentence in each.why)
        given.update((each.mark, bool(each.why)) for each in explained)
        much.update(each.mark for each in explained if {sentence.name for sentence in each.why} - LITTLE)
    print(f"{games} games, {options.nodes} nodes; {seconds[1] / seconds[0]:.2f} times the processor time")
    for mark in MARKS:
        of = {other: count for (one, other), count in marks.items() if one == mark}
        stays, bad = of.get(mark, 0), sum(of.get(each, 0) for each in MARKS)
        print(f"{mark:3} {sum(of.values()):4}: stays {stays}, other mark {bad - stays}, goes {sum(of.values()) - bad}")
    new = sum(count for (one, other), count in marks.items() if one not in MARKS and other in MARKS)
    print(f"new marks: {new}")
    for mark in MARKS:
        marked = given[mark, True] + given[mark, False]
        print(f"{mark:3} with a reason: {given[mark, True]} of {marked}, one that says more than little: {much[mark]}")
    for name, count in reasons.most_common():
        print(f"{count:5} {name}")


if __name__ == "__main__":
    main()
