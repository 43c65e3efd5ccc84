"""Why a marked move is worse than the better one, in words: facts of the two lines that the searches found.

The facts are those of `kr._core.line_facts`: each holds in one line and not in the other, so that the better move
restores it. Names of the sentences, and what must be true for each, stand in docs/reference/sentences.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kr import _core
from kr.analysis.annotation.judgement import JudgedMove
from kr.egdb.database import Database
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.language.sentences import Sentence, Told
from kr.notation import square_name
from kr.pdn import Game

MOST_REASONS = 2
"""Facts that are told of a move."""
ALIKE = (
    ("threat", "shot", "breeches", "attacked", "losing_exchange", "at_once", "no_safe_move", "loses", "wrong_capture"),
    ("shot_missed", "breeches_missed", "attack_missed", "bind_missed", "wins"),
    ("back_rank", "run", "crowns"),
    ("exchange_wrong", "exchange_missed", "too_late"),
)
"""Kinds that say much the same: one of each group is told, and of the last one only where nothing else is."""
VALUE_CODES = {Value.LOSS: 0, Value.DRAW: 1, Value.WIN: 2}


def with_reasons(game: Game, moves: Sequence[JudgedMove], database: Database | None) -> tuple[JudgedMove, ...]:
    """Judgements with the reasons for their marks."""
    positions = list(game.positions())
    return tuple(
        replace(each, why=reasons(positions[each.ply], each, database)) if each.refutation else each for each in moves
    )


def reasons(position: Position, judgement: JudgedMove, database: Database | None) -> tuple[Sentence, ...]:
    """The reasons for the mark of a move, the most telling first; empty if no fact of the lines tells."""
    if not (judgement.refutation and judgement.line):
        return ()
    lines = judgement.refutation, judgement.line
    moves = [[move.squares for move in line] for line in lines]
    values = [_values(position, line, database) for line in lines]
    facts = _core.line_facts(
        position.black, position.white, position.kings, int(position.side), moves[0], moves[1], values[0], values[1]
    )
    told: list[Sentence] = []
    groups: set[tuple[str, ...]] = set()
    for kind, is_better, plies, count, given, taken, square, origin in facts:
        group = next((group for group in ALIKE if kind in group), (kind,))
        if group in groups or (group is ALIKE[-1] and told):
            continue
        groups.add(group)
        line = lines[is_better][:plies]
        said: dict[str, Told] = {"line": " ".join(map(str, line)), "move": str(line[0])}
        if kind == "threat":
            said["move"] = str(line[1])
        if count:
            said["count"] = count
        if given or taken:
            said |= {"given": str(given), "taken": str(taken)}
        said |= {name: square_name(each) for name, each in (("square", square), ("origin", origin)) if each >= 0}
        if kind in ("shot", "shot_missed") and (given, taken) == (1, 2):
            kind = f"two_for_one{kind[4:]}"
        if kind == "too_late":
            said["move"] = str(judgement.line[0])
        told.append(Sentence(f"why.{kind}", said))
    return tuple(told[:MOST_REASONS])


def _values(position: Position, line: Iterable[Move], database: Database | None) -> list[int]:
    """Exact values of the positions of a line, for the side to move in the first."""
    found = []
    side = position.side
    for move in (None, *line):
        position = position if move is None else position.play(move)
        value = database.value(position) if database is not None and database.has(position) else None
        if value is not None and position.side != side:
            value = value.opposite
        found.append(-1 if value is None else VALUE_CODES[value])
    return found
