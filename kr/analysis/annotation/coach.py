"""Why a marked move is worse than the better one, in words: facts of the two lines that the searches found.

The facts are those of `kr._core.line_facts`: each holds in one line and not in the other, so that the better move
restores it. Names of the sentences, and what must be true for each, stand in docs/reference/sentences.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kr import _core
from kr.analysis.annotation.judgement import MARKS, JudgedMove
from kr.egdb.database import Database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.game.board import Board
from kr.game.position import Move, Position
from kr.language.sentences import Sentence, Told
from kr.notation import square_name
from kr.pdn import Game

LineFact = tuple[str, bool, int, int, int, int, int, int]
"""A fact of lines, as `kr._core.line_facts` has it."""


LONG_ENOUGH = 12
"""Moves of a line that are looked at; where a search left off before, it is searched on."""


def with_reasons(
    game: Game, moves: Sequence[JudgedMove], engine: Engine, limits: Limits, stop: Stop | None = None
) -> tuple[JudgedMove, ...]:
    """Judgements with the reasons for their marks. limits: of a search from the end of a short line."""

    def search(position: Position) -> Sequence[Move]:
        return engine.search(position, limits, stop=stop).pv

    positions = list(game.positions())
    found = []
    for each in moves:
        if each.refutation:
            position = positions[each.ply]
            lines = [continued(position, line, engine.database, search) for line in (each.refutation, each.line)]
            each = replace(each, refutation=lines[0], line=lines[1])
            each = replace(each, why=reasons(position, each, engine.database))
        found.append(each)
    return tuple(found)


def continued(
    position: Position, line: tuple[Move, ...], database: Database | None, search: Callable[[Position], Sequence[Move]]
) -> tuple[Move, ...]:
    """A line, searched on from its end where it is short and nothing is known."""
    board = Board(position)
    for move in line:
        board.play(move)
    while len(line) < LONG_ENOUGH and (moves := board.position.legal_moves()):
        if database and database.has(board.position) and not moves[0].captured:
            break
        found = tuple(search(board.position))
        if not found:
            break
        for move in found:
            board.play(move)
        line += found
    return line


def line_facts(
    position: Position, played: Sequence[Move], better: Sequence[Move], database: Database | None
) -> list[LineFact]:
    """Why the first of two lines from a position is worse, the most telling first."""
    first, second = ([move.squares for move in line] for line in (played, better))
    return _core.line_facts(*position.bits, first, second, database.core if database else None)


def reasons(position: Position, judgement: JudgedMove, database: Database | None) -> tuple[Sentence, ...]:
    """The reasons for the mark of a move, the most telling first; empty if no fact of the lines tells."""
    lines = judgement.refutation, judgement.line
    return _told(line_facts(position, *lines, database), lines, judgement.mark)


def failures(
    position: Position, played: tuple[Move, ...], better: tuple[Move, ...], database: Database | None
) -> tuple[Sentence, ...]:
    """Why the first move of a line fails, by facts of that line alone: the better move is not told."""
    facts = [fact for fact in line_facts(position, played, better, database) if not fact[1]]
    return _told(facts, (played, better), "")


def _told(
    facts: Sequence[LineFact], lines: tuple[tuple[Move, ...], tuple[Move, ...]], mark: str
) -> tuple[Sentence, ...]:
    """Facts of the line of the move played, and of the better one, as sentences."""
    told = []
    for kind, is_better, plies, count, given, taken, square, origin in facts:
        # says little of a mark that a tempo may make
        if kind == "too_late" and mark != MARKS[-1]:
            continue
        line = lines[is_better][:plies]
        said: dict[str, Told] = {"line": " ".join(map(str, line))}
        if kind in ("threat", "too_late"):
            said["move"] = str(line[1] if kind == "threat" else lines[True][0])
        if count:
            said["count"] = count
        if given or taken:
            said |= {"given": str(given), "taken": str(taken)}
        said |= {name: square_name(each) for name, each in (("square", square), ("origin", origin)) if each >= 0}
        told.append(Sentence(f"why.{kind}", said))
    return tuple(told)
