"""Judging the moves of a game by the expected result that each one gave away.

The positions of a game are searched from the last to the first with one hash table, so that earlier positions profit
from the searches of later ones. A move is judged by a search of the position after it, and so is each
alternative: both searches are equally deep. Positions in the endgame database are not searched; their values are exact.

A position has two exact facts: its value by the database or the search (`value`), and a draw of the game by the rules
about repetition and progress (`draw`, `draw_next`). The expected result is that of the game: a draw where it can be
claimed, at once or after the answer. Players who don't claim it play on for the position's value.

The expected result before a move is that of its own search, unless the searches after the move contradict it; then
theirs counts. So the expected result changes between two positions by the threshold of a mark exactly where a mark is.
docs/reference/annotation.md has the thresholds, and their effect in real games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from kr.analysis.analysis import Analysis, analyze, draw_after
from kr.analysis.annotation.judgement import (
    AVOIDED,
    FORCED,
    MARKS,
    ONLY,
    OPENING,
    OVERSIGHT,
    TRAP,
    UNSEARCHED,
    JudgedMove,
)
from kr.analysis.sources import Task
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_PROVED, SCORE_WIN
from kr.engine.search import Stop
from kr.errors import InvalidSettingError
from kr.evaluation.chances import KNOWN
from kr.evaluation.verdicts import likely
from kr.game.board import draw_by_rule, quiet_plies
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.openings.decks import opening_plies
from kr.pdn import Game
from kr.proofs.known import CERTIFICATE_WORD, NOTHING_KNOWN, known_value
from kr.proofs.library import ProofLibrary
from kr.settings import Settings, option

TIE = 0.02
"""Expected result: moves that differ by no more than this are equally good."""
BALLOT = 3
"""Plies that a ballot may have prescribed."""
GLANCE = Limits(depth=5)
"""Limit of a search for obvious moves."""
LONGER, DEEPER = 10, 4
"""A move that would be marked, and the better one, are searched again with so many times the nodes or seconds, or so
many plies more: these searches decide."""


@dataclass(frozen=True)
class JudgeSettings(Settings):
    """Limit of the searches, and thresholds of the marks."""

    tc: Limits = option(
        Limits(nodes=200_000), "Limit of each search: nodes=200k, 0.3s, depth=15; with nodes or depth alone the same "
        "games get the same marks on every machine.", parse=Limits.parse, metavar="LIMIT",
    )  # fmt: skip
    from_ply: int | None = option(
        None, f"Plies at the beginning that are not judged.  [default: {BALLOT}, as a ballot has; 0 where a FEN sets "
        "the game up]", low=0, high=10**6,
    )  # fmt: skip
    inaccuracy: float = option(0.08, "Expected result that a move marked ?! gives away, {allowed}.", low=TIE, high=1)
    mistake: float = option(0.15, "Expected result that a move marked ? gives away.", low=TIE, high=1)
    blunder: float = option(0.25, "Expected result that a move marked ?? gives away.", low=TIE, high=1)
    only: float = option(
        0.25, "Expected result that every other move must give away for a move to be marked !.", low=TIE, high=1
    )
    trap: float = option(
        0.25, "Probability that people play a losing move from which it is called a trap.", low=0, high=1
    )
    oversight: float = option(
        0.05, "Probability that people play a move marked ? or ?? below which it is called an oversight.", low=0, high=1
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tc == Limits() or self.tc.left is not None:
            raise InvalidSettingError(f"--tc: {self.tc}; expected a limit such as nodes=200k, 0.3s or depth=15")
        if self.oversight > self.trap:
            raise InvalidSettingError(
                f"--oversight {self.oversight}, --trap {self.trap}: an oversight is less likely than a trap"
            )
        if not self.inaccuracy <= self.mistake <= self.blunder:
            raise InvalidSettingError(
                f"--inaccuracy {self.inaccuracy}, --mistake {self.mistake}, --blunder {self.blunder}: none may be "
                "less than the one before"
            )

    def first_ply(self, game: Game) -> int:
        """First ply of a game that is judged."""
        if self.from_ply is not None:
            return self.from_ply
        return opening_plies(game) or (BALLOT if game.start == Position() else 0)

    def mark(self, loss: float) -> str:
        """Mark of a move that gave away this much expected result; "" for none."""
        # so that a loss shown as .14 counts as .14
        rounded = round(loss, 6)
        reached = [mark for mark, least in zip(MARKS, self.thresholds, strict=True) if rounded >= least]
        return reached[-1] if reached else ""

    def slip(self, judgement: JudgedMove) -> str:
        """Slip that a move is, or avoids, by what people play: TRAP, OVERSIGHT, AVOIDED, or ""."""
        if judgement.likely is None or judgement.likeliest_probability is None:
            return ""
        if judgement.mark in MARKS[1:]:
            return TRAP if judgement.likely >= self.trap else OVERSIGHT if judgement.likely < self.oversight else ""
        lured = judgement.mark == ONLY and judgement.likeliest_probability >= self.trap
        return AVOIDED if lured and judgement.likeliest != judgement.move else ""

    @property
    def thresholds(self) -> tuple[float, float, float]:
        """Thresholds of the MARKS."""
        return self.inaccuracy, self.mistake, self.blunder


@dataclass(frozen=True)
class _Assessment:
    """Assessment of a position from the view of its side to move."""

    score: int
    expected: float
    value: Value | None
    plies: int | None
    draw: str = ""
    draw_next: str = ""
    lines: tuple[_Choice, ...] = ()
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

    def turned(self) -> _Assessment:
        """Assessment from the view of the other side, a move earlier."""
        value, verdict = (None if each is None else each.opposite for each in (self.value, self.verdict))
        plies = None if self.plies is None else self.plies + 1
        return replace(
            self, score=-self.score, expected=1 - self.expected, value=value, plies=plies, lines=(), verdict=verdict
        )

    def one_move_earlier(self) -> _Assessment:
        """Assessment of the position before a move that leads here, already turned: a draw comes a move later."""
        return replace(self, draw="", draw_next=self.draw or self.draw_next)


@dataclass(frozen=True)
class _Choice:
    """A move and its assessment from the view of the side that plays it."""

    after: Position
    line: tuple[Move, ...]
    score: int
    expected: float
    value: Value | None
    """Certain result of the game; None if there is none."""


def judge_moves(
    game: Game,
    engine: Engine,
    settings: JudgeSettings | None = None,
    stop: Stop | None = None,
    on_move: Callable[[JudgedMove], None] = lambda judgement: None,
    proofs: ProofLibrary | None = None,
) -> tuple[JudgedMove, ...]:
    """Judge the moves of the game, in order.

    The engine's hash table is cleared first. With limits of nodes or depth and one thread, judgements of the same game
    are always the same. stop: ends all its searches; the judgements are then useless. on_move: called with each move
    once it is judged, from the last to the first, until it is stopped. proofs: certificates whose values count. Raises
    InvalidDatabaseError; KeyboardInterrupt and what on_move raises pass through.
    """
    settings = settings or JudgeSettings()
    engine.new_game()
    judgements = []
    for judgement in _judged_backwards(game, settings, _Search(engine, settings.tc, game, stop, proofs)):
        judgements.append(judgement)
        if stop is None or not stop.is_set():
            on_move(judgement)
    return tuple(reversed(judgements))


def _judged_backwards(game: Game, settings: JudgeSettings, search: _Search) -> Iterator[JudgedMove]:
    moves = game.moves
    positions = list(game.positions())
    first = settings.first_ply(game)
    verdict = search.last_verdict() if moves and first <= len(moves) else None
    # while the hash table is empty: with later entries every move would look obvious
    glances = {ply: search.glance(ply) for ply in range(first, len(moves)) if not search.is_forced(ply)}
    following = None
    if moves and first <= len(moves):
        following = search.position(len(moves))
        following = replace(following, verdict=following.verdict or verdict)
    for ply in reversed(range(len(moves))):
        move, side = moves[ply], positions[ply].side
        if following is None:
            yield JudgedMove(ply, side, move, judged=False, reason=OPENING)
            continue
        if search.was_set_up(ply + 1):
            # the move is judged by the position it led to
            following = search.reached(ply)
        after = following.turned()
        judgement = JudgedMove(
            ply, side, move, False, after.score, after.expected, after.value, after.plies, after.by, after.draw,
            after.draw_next, occurrence=search.occurrence(ply), verdict=after.verdict,
        )  # fmt: skip
        judgement = replace(judgement, confirmed=after.confirmed or judgement.certain is not None)
        if ply < first:
            following = None
            judgement = replace(judgement, reason=OPENING)
        elif ply not in glances:
            # nothing to search: the expected result is that after the move
            following = search.claimable(ply, after.one_move_earlier())
            judgement = replace(judgement, value_before=after.value, verdict_before=after.verdict, reason=FORCED)
        else:
            before = search.position(ply)
            judgement = _judged(judgement, before, after, search, settings, glances[ply])
            judgement = replace(judgement, verdict_before=search.verdict(ply, before, judgement))
            following = replace(
                _agreed(before, after, judgement, settings), confirmed=judgement.judged,
                verdict=judgement.verdict_before,
            )  # fmt: skip
        yield judgement


def _agreed(before: _Assessment, after: _Assessment, judgement: JudgedMove, settings: JudgeSettings) -> _Assessment:
    """Assessment before a move: by its own search, unless the searches that judged the move contradict it.

    after: assessment after the move by those further on, from the view of the side that played it.
    """
    assert judgement.expected is not None
    if before.draw or (judgement.mark not in MARKS and not settings.mark(abs(before.expected - judgement.expected))):
        return before
    if not judgement.judged:
        return replace(after.one_move_earlier(), corrected=True)
    assert judgement.best_score is not None
    assert judgement.best_expected is not None
    if before.expected == judgement.best_expected:
        return before
    # a win after the best move is a win before it; a draw or loss would have to hold for all moves
    value = judgement.best_value if judgement.best_value is Value.WIN else None
    plies = judgement.plies if value is not None and judgement.best == judgement.move else None
    draw = judgement.draw or judgement.draw_next if judgement.best == judgement.move else ""
    by = judgement.by if value is not None and judgement.best == judgement.move else ""
    return _Assessment(
        judgement.best_score, judgement.best_expected, value, plies, draw_next=draw, corrected=True, by=by
    )


def _judged(
    judgement: JudgedMove, before: _Assessment, after: _Assessment, search: _Search, settings: JudgeSettings,
    glance: tuple[Move, float],
) -> JudgedMove:  # fmt: skip
    """The judgement of a move with a choice."""
    assert judgement.expected is not None
    others = search.others(judgement.ply, before)
    if not others:
        # the search ended before it looked at a second move
        return replace(judgement, reason=UNSEARCHED)
    # an apparently better move is searched as deeply as the move played
    for number, other in enumerate(others):
        if other.value is None and other.expected - judgement.expected > TIE:
            others[number] = search.confirmed(judgement.ply, other)
    if after.corrected:
        # the move played was judged from further on; do the same for a move that a mark would call better
        for number, other in enumerate(others):
            if other.value is None and settings.mark(other.expected - judgement.expected):
                others[number] = search.answered(judgement.ply, other)
    best = max(others, key=lambda other: other.expected)
    obvious = glance[0] == judgement.move and glance[1] >= settings.only / 2
    if not obvious and best.value is None and judgement.expected - best.expected >= settings.only:
        best = search.confirmed(judgement.ply, best)
    loss = best.expected - judgement.expected
    judgement = replace(
        judgement, judged=True, value_before=before.value, others_expected=best.expected, obvious=obvious
    )
    if settings.mark(loss):
        judgement, best = search.longer(judgement, best, settings)
        assert judgement.expected is not None
        loss = best.expected - judgement.expected
        judgement = replace(judgement, others_expected=best.expected)
    # a move that brings a won position back makes no progress: it isn't as good as one that does
    idle = judgement.certain is Value.WIN and judgement.occurrence > 1 and best.value is Value.WIN and loss > -TIE
    if loss <= TIE and not idle:
        return replace(
            judgement, refutation=(), best=judgement.move, best_score=judgement.score, best_expected=judgement.expected,
            best_value=judgement.value, mark=ONLY if not obvious and round(-loss, 6) >= settings.only else "",
        )  # fmt: skip
    if len(best.line) == 1:
        # the value is known from the database, the continuation is not
        best = search.confirmed(judgement.ply, best)
    mark = settings.mark(loss)
    return replace(
        judgement, best=best.line[0], best_score=best.score, best_expected=best.expected, best_value=best.value,
        line=best.line, refutation=judgement.refutation if mark else (), loss=max(loss, 0.0), mark=mark,
    )  # fmt: skip


class _Search:
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

    def position(self, ply: int) -> _Assessment:
        """Search the position after this many moves."""
        return self._assess(self._positions[ply], self._history(ply))

    def reached(self, ply: int) -> _Assessment:
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

    def verdict(self, ply: int, before: _Assessment, judgement: JudgedMove) -> Value | None:
        """The proved or likely value of the position after this many moves, by its search and that of its best move."""
        if judgement.best_value is Value.WIN:
            return Value.WIN
        if judgement.best_score is None:
            return before.verdict
        return before.verdict or self._likely(self._positions[ply], before, judgement.best_score)

    def _likely(self, position: Position, before: _Assessment, reply: int) -> Value | None:
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

    def claimable(self, ply: int, assessment: _Assessment) -> _Assessment:
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

    def others(self, ply: int, assessment: _Assessment) -> list[_Choice]:
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

    def confirmed(self, ply: int, choice: _Choice, longer: bool = False) -> _Choice:
        """The move, assessed by a search of the position after it, with its line."""
        after = self._assess(choice.after, self._history(ply, with_last=True), longer)
        line = (choice.line[0], *(after.lines[0].line if after.lines else ()))
        turned = after.turned()
        if choice.value is not None:
            return replace(choice, line=line, score=turned.score if choice.value == turned.certain else choice.score)
        return _Choice(choice.after, line, turned.score, turned.expected, turned.certain)

    def longer(self, judgement: JudgedMove, best: _Choice, settings: JudgeSettings) -> tuple[JudgedMove, _Choice]:
        """A move that would be marked, and the better one, by longer searches; exact values stay."""
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
        if not settings.mark(after.expected - judgement.expected):
            # as searches further on: the graph keeps their result, and the loss is that of the longer searches
            if best.value is None:
                best = replace(best, expected=min(judgement.expected + best.expected - after.expected, 1.0))
            return judgement, best
        judgement = replace(
            judgement, score=after.score, expected=after.expected, value=after.value, plies=after.plies, by=after.by,
            draw=after.draw, draw_next=after.draw_next, verdict=after.verdict or judgement.verdict,
        )  # fmt: skip
        return replace(judgement, confirmed=judgement.certain is not None), best

    def answered(self, ply: int, choice: _Choice) -> _Choice:
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

    def _known(self, ply: int, after: Position, move: Move, line: _Choice | None, value: Value) -> _Choice:
        """A move whose value the endgame database or a certificate has, or that leads to a draw by rule."""
        history = self._history(ply, with_last=True)
        if draw_after(after, history, value):
            value = Value.DRAW
        elif line is not None and line.value is None:
            # a win that may take longer than the rule about progress allows
            return line
        return _Choice(after, line.line if line else (move,), line.score if line else 0, KNOWN[value].expected, value)

    def _assess(self, position: Position, history: tuple[Position, ...], longer: bool = False) -> _Assessment:
        limits = self._limits.times(LONGER, DEEPER) if longer else self._limits
        # a second line, to see if the best move is the only one
        analysis = analyze(
            self._engine, Task(position, history), limits, multipv=2, stop=self._stop, proofs=self._proofs
        )
        lines = tuple(
            _Choice(position.play(line.pv[0]), line.pv, line.score, line.chances.expected, line.certain)
            for line in analysis.lines
        )
        draw_next = analysis.lines[0].draw if analysis.lines and not analysis.draw else ""
        return _Assessment(
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
