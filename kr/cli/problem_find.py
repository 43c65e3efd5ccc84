"""`kr problem find`."""

from kr.cli import console, options
from kr.problems.finding_files import FindCounts, FindRecord, FindSettings, find_puzzles
from kr.problems.problem import LIKELY_EVIDENCE, SEARCHED_EVIDENCE
from kr.storage import check_apart
from kr.units import counted

SHOWN_PUZZLES = 10
"""Puzzles shown of those that are found."""


@options.command
def find_command(settings: FindSettings, json: bool = options.JSON) -> None:
    """Find puzzles in games and in the endgame database: one move wins, or draws, and again one at each next move.

    A move is the only one by the database, by a certificate as those of kr prove, or by searches in which a win scores
    130 centi-men or more and the second best move 20 or less, or a draw -20 or more and the second best -130 or less.
    Evidence "proved" is a result that is known, "likely" one that two searches say by the rule of verdicts, with up to
    10 pieces; "searched" is a shot that is not proved. A puzzle of which the board turned with its colours swapped was
    found before is left out.

    The file has a problem in each line with its themes, its rating by what people play, evidence and source, the best
    first: by only moves, pieces given, near misses, few pieces. FILE.part is what an interrupted run resumes from.

    --json prints the puzzles, then the counts. Games that can't be read are told and left out; the exit code is then 1.

    Example:
        kr problem find archive.pdn.xz --out puzzles.jsonl --moves 3
        kr problem find egdb --pieces 5-6 --themes bridge --out endings.jsonl
        kr problem find games archive.pdn --rating 1500 --out puzzles.jsonl
    """
    check_apart([settings.out], settings.sources)
    left_out = console.LeftOut("game")
    with console.work("finding", 100 * len(settings.sources), "%", resumes=True) as progress:
        shown = 0.0

        def on_progress(share: float, counts: FindCounts) -> None:
            nonlocal shown
            note = f"{counted(counts.puzzles, 'puzzle')} in {counted(counts.looked_at, 'position')}"
            progress.advance(100 * (share - shown), note)
            shown = share

        puzzles, counts = find_puzzles(settings, on_progress, left_out.hear)
    console.wrote(settings.out, counted(len(puzzles), "puzzle"))
    if json:
        for record in puzzles:
            console.emit_json(record)
        console.emit_json({
            "settings": settings, "puzzles": len(puzzles), "left_out": left_out.count, "looked_at": counts.looked_at,
            "found": counts.puzzles, "resumed": counts.resumed, "themes": counts.themes, "evidence": counts.evidence,
        })  # fmt: skip
    else:
        console.put(_found(puzzles, counts))
    left_out.end()


def _found(puzzles: list[FindRecord], counts: FindCounts) -> str:
    """Counts of a run, and its best puzzles."""
    kinds = [f"{count:,} {name}" for name, count in [*counts.evidence.most_common(), *counts.themes.most_common()]]
    facts = [("looked at", counted(counts.looked_at, "position")), ("found", counted(counts.puzzles, "puzzle"))]
    facts += [("of these", ", ".join(kinds))] if kinds else []
    rows = [
        (each["id"], each["fen"], _result(each), each["first_move"], each["rating"], each["merit"])
        for each in puzzles[:SHOWN_PUZZLES]
    ]
    shown = console.table(["id", "position", "result", "key", "rating", "merit"], rows) if rows else ""
    return f"{console.facts(facts)}\n\n{shown}".strip()


def _result(puzzle: FindRecord) -> str:
    """A result, with what is said of it where it is not proved."""
    doubt = {LIKELY_EVIDENCE: ", likely", SEARCHED_EVIDENCE: ", not proved"}.get(puzzle["evidence"], "")
    return f"{puzzle['result']}{doubt}"
