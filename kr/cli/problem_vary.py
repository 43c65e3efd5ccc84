"""`kr problem vary`."""

import heapq
from pathlib import Path
from typing import Any

from kr.archives.archive import output
from kr.cli import console, options
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
    left_out = console.LeftOut("problem")
    kept = _Kept(settings)
    with console.work("varying", None, "positions", settings.out is not None) as progress:

        def on_total(total: int) -> None:
            progress.total = total

        def on_record(record: VariationRecord, earlier: bool) -> None:
            kept.take(record)
            progress.take(earlier)
            progress.note = f"{kept.count} kept"

        vary(settings, on_total, on_record, left_out.hear)
    shown = kept.best()
    if pdn is not None:
        with output(pdn) as file:
            file.writelines(f"{write_game(game_of(record))}\n" for record in shown)
        console.wrote(pdn, counted(len(shown), "position"))
    total = sum(kept.verdicts.values())
    if settings.out is not None:
        console.wrote(settings.out, counted(total, "position"))
    if json:
        for record in shown:
            console.emit_json(record)
        console.emit_json({
            "settings": settings, "positions": total, "kept": kept.count, "resumed": int(progress.earlier),
            "left_out": left_out.count, **kept.verdicts,
        })  # fmt: skip
    else:
        _put(kept, shown)
    left_out.end()


class _Kept:
    """Verdicts on positions, and the best of those that are kept."""

    def __init__(self, settings: VarySettings) -> None:
        self.verdicts = dict.fromkeys(ProblemVerdict, 0)
        self.count = 0
        self._most, self._duals = settings.most, settings.duals
        self._best: list[tuple[int, int, VariationRecord]] = []

    def take(self, record: VariationRecord) -> None:
        """Count a position, and keep it if it is worth it."""
        self.verdicts[ProblemVerdict(record["verdict"])] += 1
        if keeps(record, self._duals):
            self.count += 1
            # the best of many, the first of equals
            heapq.heappush(self._best, (record["rank"], -record["number"], record))
            if self._most and len(self._best) > self._most:
                heapq.heappop(self._best)

    def best(self) -> list[VariationRecord]:
        """Those that are shown, the best first."""
        return [record for *_, record in sorted(self._best, reverse=True)]


def _put(kept: _Kept, shown: list[VariationRecord]) -> None:
    if shown:
        console.put(console.table(["rank", "change", "key", "moves", "verdict", "position"], list(map(_row, shown))))
        console.put()
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in kept.verdicts.items() if count)
    console.put(f"{counted(sum(kept.verdicts.values()), 'position')}, {kept.count} kept: {verdicts}")
    if kept.verdicts[ProblemVerdict.UNDECIDED]:
        console.put(console.fold("undecided: a longer --tc, or a larger endgame database, decides more of them"))


def _row(record: VariationRecord) -> tuple[Any, ...]:
    dual = record["verdict"] == ProblemVerdict.DUAL
    verdict = f"dual at move {record['move_number']}" if dual else str(record["verdict"])
    key = record["keys"][0]["move"] if record["keys"] else ""
    moves = sum(not step["plain"] for step in record["steps"])
    return record["rank"], visible(record["change"]), key, moves, verdict, record["fen"]
