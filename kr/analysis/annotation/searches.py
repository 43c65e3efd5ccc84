"""The searches of a game that is judged, and what a position or a move is worth by them.

All are made on one hash table, so that earlier positions profit from the searches of later ones.
`kr.analysis.annotation.judging` makes judgements of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kr.analysis.analysis import Analysis, analyze, draw_after
from kr.analysis.annotation.judgement import JudgedMove
from kr.analysis.sources import Task
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_PROVED, SCORE_WIN
from kr.engine.search import Stop
from kr.evaluation.chances import KNOWN
from kr.evaluation.verdicts import likely
from kr.game.board import draw_by_rule, quiet_plies
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.pdn import Game
from kr.proofs.known import CERTIFICATE_WORD, NOTHING_KNOWN, known_value
from kr.proofs.library import ProofLibrary

GLANCE = Limits(depth=5)
"""Limit of a search for obvious moves."""
LONGER, DEEPER = 10, 4
"""A move that would be marked, and the better one, are searched again with so many times the nodes or seconds, or so
many plies more: these searches decide."""


@dataclass(frozen=True)
class Assessment:
    """Assessment of a position from the view of its side to move."""

    score: int
    expected: float
    value: Value | None
    plies: int | None
    draw: str = ""
    draw_next: str = ""
    lines: tuple[Choice, ...] = ()
    corrected: bool = False
    """True if it comes from searches of later positions, not of the position itself."""
    confirmed: bool = False
    """True if searches of later positions agree with it."""
    by: str = ""
    """What proves the value."""
    verdict: Value | None = None
    """Proved or likely value."""

    @property
    def certain(self) -> Value | None:
        """Certain result of the game."""
        return Value.DRAW if self.draw or self.draw_next else self.value

    def turned(self) -> Assessment:
        """Assessment from the view of the other side, a move earlier."""
        value, verdict = (None if each is None else each.opposite for each in (self.value, self.verdict))
        plies = None if self.plies is None else self.plies + 1
        return replace(
            self, score=-self.score, expected=1 - self.expected, value=value, plies=plies, lines=(), verdict=verdict
        )

    def one_move_earlier(self) -> Assessment:
        """Assessment of the position before a move that leads here, already turned: a draw comes a move later."""
        return replace(self, draw="", draw_next=self.draw or self.draw_next)


@dataclass(frozen=True)
class Choice:
    """A move and its assessment from the view of the side that plays it."""

    after: Position
    line: tuple[Move, ...]
    score: int
    expected: float
    value: Value | None
    """Certain result of the game; None if there is none."""


class GameSearches:
    """The searches of one game."""

    def __init__(
        self, engine: Engine, limits: Limits, game: Game, stop: Stop | None, proofs: ProofLibrary | None
    ) -> None:
        self._engine = engine
        self._proofs = proofs
        self._limits = limits
        self._positions = list(game.positions())
        self._begins = game.history_begins()
        # the position that each move led to; where one was set up instead, they differ
        self._reached = self._positions[1:]
        for ply, _ in game.setups():
            self._reached[ply - 1] = self._positions[ply - 1].play(game.moves[ply - 1])
        self._stop = stop

    def position(self, ply: int) -> Assessment:
        """Search the position after this many moves."""
        return self._assess(self._positions[ply], self._history(ply))

    def reached(self, ply: int) -> Assessment:
        """Search the position that the move after this many led to."""
        return self._assess(self._reached[ply], self._history(ply, with_last=True))

    def was_set_up(self, ply: int) -> bool:
        """True if the position after this many moves was set up."""
        return 0 < ply == self._begins[ply]

    def last_verdict(self) -> Value | None:
        """The proved or likely value of the last position, by its search and that of its best move.

        The hash table is cleared then, so that nothing else depends on them.
        """
        ply = len(self._positions) - 1
        position = self._positions[ply]
        if likely(0, 0, position.pieces, self._engine.score_scale) is None:
            # too many pieces for any
            return None
        last = self.position(ply)
        verdict = last.verdict
        if last.lines and self._likely(position, last, last.score) is not None:
            after = self._assess(position.play(last.lines[0].line[0]), (*self._history(ply), position))
            verdict = Value.WIN if after.value is Value.LOSS else self._likely(position, last, -after.score)
        self._engine.new_game()
        return verdict

    def verdict(self, ply: int, before: Assessment, judgement: JudgedMove) -> Value | None:
        """The proved or likely value of the position after this many moves, by its search and that of its best move."""
        if judgement.best_value is Value.WIN:
            return Value.WIN
        if judgement.best_score is None:
            return before.verdict
        return before.verdict or self._likely(self._positions[ply], before, judgement.best_score)

    def _likely(self, position: Position, before: Assessment, reply: int) -> Value | None:
        """The likely value of a position; None where it is proved, unclear, or the game is drawn by rule."""
        if before.certain is not None:
            return None
        likely_value = likely(before.score, reply, position.pieces, self._engine.score_scale)
        return None if likely_value is None else likely_value.value

    def _history(self, ply: int, with_last: bool = False) -> tuple[Position, ...]:
        """Positions that can be repeated after this many moves; with_last: after one more."""
        return tuple(self._positions[self._begins[ply] : ply + with_last])

    def occurrence(self, ply: int) -> int:
        """Number of times that the position after the next move has then been on the board, since the last irreversible
        move."""
        position, history = self._reached[ply], self._history(ply, with_last=True)
        return 1 + history[len(history) - quiet_plies(position, history) :].count(position)

    def claimable(self, ply: int, assessment: Assessment) -> Assessment:
        """Assessment of the position after this many moves: a draw if the game can be claimed drawn there."""
        draw = draw_by_rule(self._positions[ply], self._history(ply))
        return (
            replace(assessment, score=0, expected=KNOWN[Value.DRAW].expected, draw=draw, draw_next="")
            if draw
            else assessment
        )

    def glance(self, ply: int) -> tuple[Move, float]:
        """Obvious move after this many moves, and its lead in expected result over the next best."""
        position = self._positions[ply]
        task = Task(position, self._history(ply))
        lines = analyze(self._engine, task, GLANCE, multipv=2, stop=self._stop).lines
        return lines[0].pv[0], lines[0].chances.expected - lines[-1].chances.expected

    def is_forced(self, ply: int) -> bool:
        """True if all legal moves lead to the same position."""
        position = self._positions[ply]
        return len({position.play(move) for move in position.legal_moves()}) == 1

    def others(self, ply: int, assessment: Assessment) -> list[Choice]:
        """Alternatives to the move played, as far as they were searched or are in the database."""
        position, reached = self._positions[ply], self._reached[ply]
        lines = {choice.after: choice for choice in assessment.lines if choice.after != reached}
        database = self._engine.database
        everything = database is not None and database.has(position)
        if everything or self._proofs is not None:
            for move in position.legal_moves():
                after = position.play(move)
                bounds = known_value(after, database, self._proofs) if after != reached else NOTHING_KNOWN
                if bounds.value is not None and (everything or bounds.by.startswith(CERTIFICATE_WORD)):
                    lines[after] = self._known(ply, after, move, lines.get(after), bounds.value.opposite)
        return list(lines.values())

    def confirmed(self, ply: int, choice: Choice, longer: bool = False) -> Choice:
        """The move, assessed by a search of the position after it, with its line."""
        after = self._assess(choice.after, self._history(ply, with_last=True), longer)
        line = (choice.line[0], *(after.lines[0].line if after.lines else ()))
        turned = after.turned()
        if choice.value is not None:
            return replace(choice, line=line, score=turned.score if choice.value == turned.certain else choice.score)
        return Choice(choice.after, line, turned.score, turned.expected, turned.certain)

    def longer(self, judgement: JudgedMove, best: Choice, mark: Callable[[float], str]) -> tuple[JudgedMove, Choice]:
        """A move that would be marked, and the better one, by longer searches; exact values stay.

        mark: the mark for a loss, or "".
        """
        ply = judgement.ply
        after = self._assess(self._reached[ply], self._history(ply, with_last=True), judgement.certain is None)
        refutation = (judgement.move, *(after.lines[0].line if after.lines else ()))
        if best.value is None or len(best.line) == 1:
            best = self.confirmed(ply, best, longer=best.value is None)
        judgement = replace(judgement, refutation=refutation)
        if judgement.certain is not None:
            return judgement, best
        assert judgement.expected is not None
        after = after.turned()
        if not mark(after.expected - judgement.expected):
            # as searches further on: the graph keeps their result, and the loss is that of the longer searches
            if best.value is None:
                best = replace(best, expected=min(judgement.expected + best.expected - after.expected, 1.0))
            return judgement, best
        judgement = replace(
            judgement, score=after.score, expected=after.expected, value=after.value, plies=after.plies, by=after.by,
            draw=after.draw, draw_next=after.draw_next, verdict=after.verdict or judgement.verdict,
        )  # fmt: skip
        return replace(judgement, confirmed=judgement.certain is not None), best

    def answered(self, ply: int, choice: Choice) -> Choice:
        """The move, assessed by a search of the position after its best answer if that is worse."""
        if len(choice.line) < 2:
            return choice
        history = (*self._history(ply, with_last=True), choice.after)
        later = self._assess(choice.after.play(choice.line[1]), history)
        if later.expected >= choice.expected:
            return choice
        line = (*choice.line[:2], *(later.lines[0].line if later.lines else ()))
        # one winning answer is enough; a drawing one need not be the best
        value = later.certain if later.certain is Value.LOSS else None
        return replace(choice, line=line, score=later.score, expected=later.expected, value=value)

    def _known(self, ply: int, after: Position, move: Move, line: Choice | None, value: Value) -> Choice:
        """A move whose value the endgame database or a certificate has, or that leads to a draw by rule."""
        history = self._history(ply, with_last=True)
        if draw_after(after, history, value):
            value = Value.DRAW
        elif line is not None and line.value is None:
            # a win that may take longer than the rule about progress allows
            return line
        return Choice(after, line.line if line else (move,), line.score if line else 0, KNOWN[value].expected, value)

    def _assess(self, position: Position, history: tuple[Position, ...], longer: bool = False) -> Assessment:
        limits = self._limits.times(LONGER, DEEPER) if longer else self._limits
        # a second line, to see if the best move is the only one
        analysis = analyze(
            self._engine, Task(position, history), limits, multipv=2, stop=self._stop, proofs=self._proofs
        )
        lines = tuple(
            Choice(position.play(line.pv[0]), line.pv, line.score, line.chances.expected, line.certain)
            for line in analysis.lines
        )
        draw_next = analysis.lines[0].draw if analysis.lines and not analysis.draw else ""
        return Assessment(
            _score(analysis), analysis.chances.expected, analysis.value, analysis.plies, analysis.draw, draw_next,
            lines, by=analysis.by, verdict=analysis.value,
        )  # fmt: skip


def _score(analysis: Analysis) -> int:
    if not analysis.lines:
        return -SCORE_WIN
    if analysis.value is Value.DRAW or analysis.drawn:
        return 0
    score = analysis.lines[0].score
    if analysis.value is not None and analysis.value.sign * score <= SCORE_PROVED:
        # by a certificate, though the search has not seen it
        return analysis.value.sign * (SCORE_PROVED + 1)
    return score
