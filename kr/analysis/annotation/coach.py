"""Why a marked move is worse than the better one, in words: facts of the two lines that the searches found.

The facts are those of `kr._core.line_facts`: each holds in one line and not in the other, so that the better move
restores it. Where they say little, searches show whether the reply would fail after the better move, and whether it
alone makes the move a mistake. Names of the sentences, and what must be true for each, stand in
docs/reference/sentences.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kr import _core
from kr.analysis.analysis import analyze
from kr.analysis.annotation.judgement import MARKS, JudgedMove
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.annotation.searches import DEEPER, LONGER
from kr.analysis.sources import Task
from kr.egdb.database import Database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.game.board import Board
from kr.game.position import Move, Position, Side
from kr.language.sentences import Sentence, Told
from kr.notation import square_name
from kr.pdn import Game

LineFact = tuple[str, bool, int, int, int, int, int, int]
"""A fact of lines, as `kr._core.line_facts` has it."""


LONG_ENOUGH = 12
"""Moves of a line that are looked at; where a search left off before, it is searched on."""
LITTLE = {"why.exchange_wrong", "why.exchange_missed", "why.too_late"}
"""Reasons that say little."""
SLIGHT = {"exchange_wrong", "exchange_missed", "square_taken", "square_left", "too_late"}
"""Kinds of facts that are no reason for an inaccuracy."""
KINGS = {"crowns", "run", "back_rank", "king_missed"}
SOON = 13
"""Plies within which a king is a reason for an inaccuracy."""
GAINS = {"wins", "shot_missed", "two_for_one_missed", "breeches_missed", "attack_missed", "bind_missed"}
"""Kinds of facts of a line that wins pieces."""
LOSING = {
    "threat", "shot", "two_for_one", "breeches", "attacked", "cut_off", "losing_exchange", "at_once", "no_safe_move",
    "loses",
}  # fmt: skip
"""Kinds of facts of a line that loses pieces."""
PIECE = 100
"""Centi-men. A search that sees less than half of the pieces of a fact sees them come back after its line."""
REPLY_PLIES = 5
"""Plies of the line that begins with the only reply that punishes a mistake."""


def with_reasons(
    game: Game, moves: Sequence[JudgedMove], engine: Engine, settings: JudgeSettings, stop: Stop | None = None
) -> tuple[JudgedMove, ...]:
    """Judgements with the reasons for their marks."""

    def search(position: Position) -> Sequence[Move]:
        return engine.search(position, settings.tc, stop=stop).pv

    positions = list(game.positions())
    found = []
    for each in moves:
        if each.refutation:
            position = positions[each.ply]
            lines = [continued(position, line, engine.database, search) for line in (each.refutation, each.line)]
            each = replace(each, refutation=lines[0], line=lines[1])
            why = reasons(position, each, engine.database)
            if each.mark != MARKS[0] and LITTLE.issuperset(sentence.name for sentence in why):
                fails = _reply_fails(position, each, engine, settings.tc.times(LONGER, DEEPER), stop)
                why = (*fails, *_only_reply(position, each, engine, settings, stop)) or why
            each = replace(each, why=why)
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


def _reply_fails(
    position: Position, judgement: JudgedMove, engine: Engine, limits: Limits, stop: Stop | None
) -> tuple[Sentence, ...]:
    """The same reply to the better move would lose pieces."""
    reply, board = judgement.refutation[1:2], Board(position)
    better = board.play(judgement.line[0])
    if not reply or reply[0].captured or reply[0] not in board.legal_moves():
        return ()
    board.play(reply[0])
    lines = analyze(engine, Task(board.position), limits, stop=stop).lines
    line = (better, *reply, *(lines[0].pv if lines else ()))
    for kind, is_better, plies, count, *_ in line_facts(position, judgement.refutation, line, engine.database):
        if is_better and kind in GAINS and _agrees(lines[0].score, count, _lead(position)):
            told: dict[str, Told] = {"better": str(better), "move": str(reply[0]), "count": count}
            return (Sentence("why.reply_fails", told | {"line": " ".join(map(str, line[:plies]))}),)
    return ()


def _only_reply(
    position: Position, judgement: JudgedMove, engine: Engine, settings: JudgeSettings, stop: Stop | None
) -> tuple[Sentence, ...]:
    """The one or two replies that make a move a mistake: any other would be one itself, and leave that move none."""
    best = judgement.best_expected
    assert best is not None
    line, board, plies = judgement.refutation, Board(position), 1
    board.play(line[0])
    # a forced reply is no choice
    while len(board.legal_moves()) == 1 and plies + 2 < len(line):
        board.play(line[plies])
        board.play(line[plies + 1])
        plies += 2
    # three lines share its nodes
    lines = analyze(engine, Task(board.position), settings.tc.times(3 * LONGER, DEEPER), multipv=3, stop=stop).lines
    after = [1 - each.chances.expected for each in lines]
    for count in (1, 2):
        if not _punish(after, count, best, settings.mistake):
            continue
        # those that decide, by searches of their own
        for at in range(1, count + 1):
            reached = Board(board.position)
            reached.play(lines[at].pv[0])
            twice = settings.tc.times(2 * LONGER, DEEPER)
            after[at] = analyze(engine, Task(reached.position), twice, stop=stop).chances.expected
        if _punish(after, count, best, settings.mistake):
            told: dict[str, Told] = {"move": str(lines[0].pv[0])}
            if count == 2:
                told["other_move"] = str(lines[1].pv[0])
            told["line"] = " ".join(map(str, (*line[:plies], *lines[0].pv[:REPLY_PLIES])))
            return (Sentence("why.only_reply" if count == 1 else "why.two_replies", told),)
    return ()


def _punish(after: Sequence[float], count: int, best: float, mistake: float) -> bool:
    """True if so many replies, the first, make a move a mistake, and the next one is one itself and leaves it none."""
    return len(after) > count and min(after[count], best) - after[count - 1] >= mistake > best - after[count]


def line_facts(
    position: Position, played: Sequence[Move], better: Sequence[Move], database: Database | None
) -> list[LineFact]:
    """Why the first of two lines from a position is worse, the most telling first."""
    first, second = ([move.squares for move in line] for line in (played, better))
    return _core.line_facts(*position.bits, first, second, database.core if database else None)


def reasons(position: Position, judgement: JudgedMove, database: Database | None) -> tuple[Sentence, ...]:
    """The reasons for the mark of a move, the most telling first; empty if no fact of the lines tells."""
    lines = judgement.refutation, judgement.line
    facts = [fact for fact in line_facts(position, *lines, database) if _is_seen(fact, position, judgement)]
    return _told(facts, lines, judgement.mark)


def _is_seen(fact: LineFact, position: Position, judgement: JudgedMove) -> bool:
    """True if the scores of the searches agree with the pieces of a fact."""
    kind, count = fact[0], fact[3]
    if kind in LOSING and judgement.score is not None:
        return _agrees(-judgement.score, count, -_lead(position))
    return kind not in GAINS or judgement.best_score is None or _agrees(judgement.best_score, count, _lead(position))


def _is_slight(kind: str, plies: int) -> bool:
    """True if a fact is no reason for an inaccuracy."""
    return kind in SLIGHT or (kind in KINGS and plies > SOON)


def _agrees(score: int, count: int, lead: int) -> bool:
    """True if a score says that a side with this lead has won so many pieces."""
    return 2 * score >= PIECE * (2 * lead + count)


def _lead(position: Position) -> int:
    """Pieces that the side to move has more than the other."""
    white = position.white.bit_count() - position.black.bit_count()
    return white if position.side is Side.WHITE else -white


def failures(
    position: Position, played: tuple[Move, ...], better: tuple[Move, ...], database: Database | None, score: int
) -> tuple[Sentence, ...]:
    """Why the first move of a line fails, by facts of that line alone: the better move is not told. score: after the
    move, of its side."""
    facts = [
        fact
        for fact in line_facts(position, played, better, database)
        if not fact[1] and (fact[0] not in LOSING or _agrees(-score, fact[3], -_lead(position)))
    ]
    return _told(facts, (played, better), "")


def _told(
    facts: Sequence[LineFact], lines: tuple[tuple[Move, ...], tuple[Move, ...]], mark: str
) -> tuple[Sentence, ...]:
    """Facts of the line of the move played, and of the better one, as sentences."""
    told = []
    for kind, is_better, plies, count, given, taken, square, origin in facts:
        # that one says little of a mark that a tempo may make
        if (kind == "too_late" and mark != MARKS[-1]) or (mark == MARKS[0] and _is_slight(kind, plies)):
            continue
        line = lines[is_better][:plies]
        said: dict[str, Told] = {"line": " ".join(map(str, line))}
        if kind == "too_late":
            said["better"] = str(lines[True][0])
        if kind in ("square_left", "square_taken", "threat"):
            said["move"] = str(lines[False][1])
        if count:
            said["count"] = count
        if given or taken:
            said |= {"given": str(given), "taken": str(taken)}
        said |= {name: square_name(each) for name, each in (("square", square), ("origin", origin)) if each >= 0}
        told.append(Sentence(f"why.{kind}", said))
    return tuple(told)
