"""`kr problem vary`."""

import heapq
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from kr.archives.archive import output
from kr.cli import console, options
from kr.errors import KrError
from kr.pdn import write_game
from kr.problems.soundness import ProblemVerdict
from kr.problems.soundness_files import game_of
from kr.problems.variations import VariationRecord, VarySettings, keeps, vary
from kr.settings import option
from kr.storage import check_apart
from kr.text import visible
from kr.units import counted


@options.command
def vary_command(
    settings: VarySettings,
    pdn: Path | None = option(
        None, "Write the positions shown, with their solutions, to this PDN file.", metavar="FILE"
    ),
    json: bool = options.JSON,
) -> None:
    """Vary a position as composers do: move, add, remove, crown or uncrown a piece; keep what is sound.

    Each position that differs by a piece (--changes 2: or by two) is checked by proof as kr problem check does, within
    --tc. Those that are sound are kept: the side to move wins, or draws, by one key, and there is one way at each later
    move until the result is plain. They are shown with the best first, ranked as kr problem find does.

    The side to move stays, a side keeps at least one piece and has at most 12, and no man stands on its king row.
    Positions with a single move, or a capture (--captures takes these), are not looked at; of a position and the same
    with colours swapped only one is.

    Changes read: "man 12 to 16", "without 28", "king on 5" (a man crowned) or "man on 5" (a king uncrowned), "plus
    white man 20". --json prints an object for each position shown, then the counts.

    Example:
        kr problem vary "W:W18,K23,26:B10,12,K28"
        kr problem vary first-position --changes 2 --pieces 5-6 --goal win
        kr problem vary mine.pdn --tc 10s --out varied.jsonl --pdn best.pdn
    """
    check_apart((settings.out, pdn), [settings.source])
    kept: list[tuple[int, int, VariationRecord]] = []
    counts = dict.fromkeys(ProblemVerdict, 0)
    faults, resumed, sound = 0, 0, 0

    def on_error(error: KrError) -> None:
        nonlocal faults
        faults += 1
        console.say_error(error, 1)

    with console.progress("varying", None, "positions") as progress:

        def on_total(total: int) -> None:
            progress.total = total

        def on_record(record: VariationRecord, earlier: bool) -> None:
            nonlocal resumed, sound
            resumed += earlier
            counts[ProblemVerdict(record["verdict"])] += 1
            if keeps(record, settings.duals):
                sound += 1
                # the best of many, the first of equals
                heapq.heappush(kept, (record["rank"], -record["number"], record))
                if settings.most and len(kept) > settings.most:
                    heapq.heappop(kept)
            (progress.skip if earlier else progress.advance)(1, *(() if earlier else (f"{sound} kept",)))

        vary(settings, on_total, on_record, on_error)
    shown = [record for *_, record in sorted(kept, reverse=True)]
    if pdn is not None:
        with ExitStack() as stack:
            file = stack.enter_context(output(pdn))
            for record in shown:
                file.write(f"{write_game(game_of(record))}\n")
        console.wrote(pdn, counted(len(shown), "position"))
    total = sum(counts.values())
    if settings.out is not None:
        console.wrote(settings.out, counted(total, "position"))
    if json:
        for record in shown:
            console.emit_json(record)
        summary = {"settings": settings, "positions": total, "kept": sound, "resumed": resumed, "left_out": faults}
        console.emit_json(summary | counts)
    else:
        if shown:
            console.put(
                console.table(["rank", "change", "key", "moves", "verdict", "position"], list(map(_row, shown)))
            )
            console.put()
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        console.put(f"{counted(total, 'position')}, {sound} kept: {told}")
        if counts[ProblemVerdict.UNDECIDED]:
            console.put(console.fold("undecided: a longer --tc, or a larger endgame database, decides more of them"))
    if faults:
        console.fail(f"{counted(faults, 'problem')} left out")


def _row(record: VariationRecord) -> tuple[Any, ...]:
    dual = record["verdict"] == ProblemVerdict.DUAL
    verdict = f"dual at move {record['move_number']}" if dual else str(record["verdict"])
    key = record["keys"][0]["move"] if record["keys"] else ""
    moves = sum(not step["plain"] for step in record["steps"])
    return record["rank"], visible(record["change"]), key, moves, verdict, record["fen"]
