"""Examples of the English texts that pages tell in their own language, as kr writes them: a list in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from inspect import getsource

from kr.analysis.annotation.annotation import Annotation, MoveTally
from kr.analysis.annotation.judging import AVOIDED, MARKS, ONLY, OVERSIGHT, TRAP, JudgedMove
from kr.analysis.annotation.marking import explained, unjudged_opening
from kr.book.book import book_note
from kr.evaluation.evidence import CountedRun, Evidence
from kr.game.outcome import NO_MOVE, NO_PIECES, NO_PROGRESS, REPETITION
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.problems import puzzles
from kr.viewer.positions import over

MOVES = Position().legal_moves()


def comments() -> Iterator[str]:
    """What comments on moves say."""
    for side in Side:
        move = JudgedMove(
            8, side, MOVES[0], True, score=-31, expected=0.32, best=MOVES[1], best_expected=0.41, others_expected=0.1,
            likely=0.123, likeliest=MOVES[2], likeliest_probability=0.4,
        )  # fmt: skip
        yield from (explained(replace(move, mark=mark), None) for mark in (*MARKS, ONLY))
        yield from (explained(replace(move, slip=slip), None) for slip in (TRAP, OVERSIGHT, AVOIDED))
        yield explained(replace(move, slip=OVERSIGHT, likely=0.001), None)
        yield explained(replace(move, draw=NO_PROGRESS), None)
        for rule in (REPETITION, NO_PROGRESS):
            yield explained(replace(move, draw_next=rule), None)
        for times in (2, 3, 4, 5, 6):
            yield explained(replace(move, occurrence=times), None)
            yield explained(replace(move, occurrence=times, draw=REPETITION), None)
        for value in Value:
            for plies in (None, 1, 12):
                known = replace(move, value=value, plies=plies, mark="?")
                yield explained(known, None)
                for before in Value:
                    yield explained(known, replace(move, side=side.other, value=before))


def reports() -> Iterator[str]:
    """What the comment on a game says of the players."""
    for count in (0, 1, 2):
        tally = MoveTally(1, 10, count, 0.5, count, count, count, 0, count, count, count, 1.0, 0.5)
        yield f"Black: {tally}. White: {MoveTally(moves=count)}."
    yield Annotation(()).report
    for plies in (1, 8):
        yield unjudged_opening(plies).replace(" (--from-ply)", "")


def book_moves() -> Iterator[str]:
    """What is said of a move from the book."""
    yield from (book_note(value, weight) for value in (3, -120, 10000) for weight in range(8))


def ends() -> Iterator[str]:
    """Ends of games, and of puzzles."""
    for fen in ("B:W8,11:B4", "W:W29:B25,22", "B:W20:B", "W:W:B1"):
        yield over(Position.from_fen(fen)) or ""
    for why in re.findall(r'return True, f?"([^"]+)"', getsource(puzzles)):
        yield why.replace("{lead}", "3")
    for reason in (NO_PIECES, NO_MOVE):
        yield f"Black wins: {reason}"
        yield f"White wins: {reason}"
    for reason in (REPETITION, NO_PROGRESS):
        yield f"drawn: {reason}"
        yield reason


def scores() -> Iterator[str]:
    """What a static score rests on."""
    for fitted, player in ((True, ""), (False, ""), (False, "x")):
        yield str(Evidence(None, None, (CountedRun(12000, 1, player),), 3400000, fitted, "x"))  # type: ignore[arg-type]


if __name__ == "__main__":
    print(json.dumps([text for each in (comments, reports, book_moves, ends, scores) for text in each() if text]))
