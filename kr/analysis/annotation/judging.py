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
from kr.analysis.annotation.searches import Assessment, GameSearches
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.openings.decks import opening_plies
from kr.pdn import Game
from kr.proofs.library import ProofLibrary
from kr.settings import Settings, option

TIE = 0.02
"""Expected result: moves that differ by no more than this are equally good."""
BALLOT = 3
"""Plies that a ballot may have prescribed."""


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
    for judgement in _judged_backwards(game, settings, GameSearches(engine, settings.tc, game, stop, proofs)):
        judgements.append(judgement)
        if stop is None or not stop.is_set():
            on_move(judgement)
    return tuple(reversed(judgements))


def _judged_backwards(game: Game, settings: JudgeSettings, search: GameSearches) -> Iterator[JudgedMove]:
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


def _agreed(before: Assessment, after: Assessment, judgement: JudgedMove, settings: JudgeSettings) -> Assessment:
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
    return Assessment(
        judgement.best_score, judgement.best_expected, value, plies, draw_next=draw, corrected=True, by=by
    )


def _judged(
    judgement: JudgedMove, before: Assessment, after: Assessment, search: GameSearches, settings: JudgeSettings,
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
        judgement, best = search.longer(judgement, best, settings.mark)
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
