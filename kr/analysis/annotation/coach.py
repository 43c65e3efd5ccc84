"""Why a marked move is worse than the better one, in words: facts of the two lines that the searches found.

The facts are those of `kr._core.line_facts`: each holds in one line and not in the other, so that the better move
restores it. Names of the sentences, and what must be true for each, stand in docs/reference/sentences.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kr import _core
from kr.analysis.annotation.judgement import JudgedMove
from kr.egdb.database import Database
from kr.game.position import Move, Position
from kr.language.sentences import Sentence, Told
from kr.notation import square_name
from kr.pdn import Game

LineFact = tuple[str, bool, int, int, int, int, int, int]
"""A fact of lines, as `kr._core.line_facts` has it."""


def with_reasons(game: Game, moves: Sequence[JudgedMove], database: Database | None) -> tuple[JudgedMove, ...]:
    """Judgements with the reasons for their marks."""
    positions = list(game.positions())
    return tuple(
        replace(each, why=reasons(positions[each.ply], each, database)) if each.refutation else each for each in moves
    )


def line_facts(
    position: Position, played: Sequence[Move], better: Sequence[Move], database: Database | None
) -> list[LineFact]:
    """Why the first of two lines from a position is worse, the most telling first."""
    first, second = ([move.squares for move in line] for line in (played, better))
    return _core.line_facts(*position.bits, first, second, database.core if database else None)


def reasons(position: Position, judgement: JudgedMove, database: Database | None) -> tuple[Sentence, ...]:
    """The reasons for the mark of a move, the most telling first; empty if no fact of the lines tells."""
    lines = judgement.refutation, judgement.line
    told = []
    for kind, is_better, plies, count, given, taken, square, origin in line_facts(position, *lines, database):
        line = lines[is_better][:plies]
        said: dict[str, Told] = {"line": " ".join(map(str, line))}
        if kind in ("threat", "too_late"):
            said["move"] = str(line[1] if kind == "threat" else judgement.line[0])
        if count:
            said["count"] = count
        if given or taken:
            said |= {"given": str(given), "taken": str(taken)}
        said |= {name: square_name(each) for name, each in (("square", square), ("origin", origin)) if each >= 0}
        told.append(Sentence(f"why.{kind}", said))
    return tuple(told)
