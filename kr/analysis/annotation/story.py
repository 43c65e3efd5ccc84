"""Story of a judged game in a few sentences: how it ended, where it turned, what decided it, who left the book.

Each sentence has its name in `kr.language`, story.turn.lost, and values, so that pages can tell it in another language;
docs/reference/sentences.md has what must be true for it. A position is won, drawn or lost where that is proved or a
verdict says so (`kr.evaluation.verdicts`), else better, even or worse.
A side is Black or White, or the person who asks. In PDN a sentence stands as a command,
[%kr story The game was lost at <move=19. 18-22>.], beside the plain text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from kr.analysis.annotation.judgement import OVERSIGHT, TRAP, JudgedMove
from kr.book.krb import MOST_LOSS
from kr.book.path import Departure
from kr.game.outcome import NO_PROGRESS, REPETITION
from kr.game.position import Side
from kr.game.value import Result, Value
from kr.language.sentences import YOU, Sentence, Told, texts
from kr.openings.decks import opening_plies
from kr.pdn import Game

FACTS: dict[str, Any] = json.loads(resources.files(__package__).joinpath("story.json").read_text("utf-8"))
"""What pages tell stories by as well.

thresholds: where no verdict says that a position is won, drawn or lost, it is even from an expected result of
`even_from` to one of `even_to`. A side has come close to a win from `safe` on. `turn` is the least expected result
given away by a move that can turn the game, that of a mistake; the last `turns` are told. Smaller ones lose it together
from a sum of `fall` on. A game is known whole if no more plies than `opening`, or those of an opening that its tags
name, were passed over. decided_elsewhere: words of a Termination tag by which neither the board nor the players
decided.
"""
_THRESHOLDS: dict[str, float] = FACTS["thresholds"]
MOST_TURNS: int = FACTS["thresholds"]["turns"]


def tell(
    game: Game, moves: Sequence[JudgedMove], you: Side | None = None, departure: Departure | None = None
) -> tuple[Sentence, ...]:
    """The story of a game. moves: all its moves, judged; you: side of the person to whom it is told, if any;
    departure: the move that left an opening book, to be told at the end."""
    if not moves:
        return ()
    story = _Story(game, moves, you)
    return (*story.sentences(), *([story.left_book(departure)] if departure else []))


def _sentence(name: str, **values: Told) -> Sentence:
    return Sentence(f"story.{name}", values)


def _ending(kind: str, standing: str) -> str:
    """Name of the sentence about an end in some standing, or about that end in any."""
    name = f"{kind}.{standing}"
    return name if f"story.{name}" in texts("en") else kind


@dataclass(frozen=True)
class _Turn:
    """A move after which the game had another result in sight."""

    judgement: JudgedMove
    kind: str
    """The end of its sentence's name."""


class _Story:
    """What is known of a game whose story is told."""

    def __init__(self, game: Game, moves: Sequence[JudgedMove], you: Side | None) -> None:
        self._game, self._moves, self._you = game, moves, you
        self._labels = [str(node) for node in game.mainline()]
        self._result = game.result
        end = game.end().position
        if self._result is Result.UNFINISHED and end.is_over:
            # nobody has written down what the board shows
            self._result = Result.BLACK_WON if end.side is Side.WHITE else Result.WHITE_WON
        self._broken_off = game.breaks_off and not end.is_over
        self._turns = [turn for judgement in moves if (turn := _turn(judgement))]

    def sentences(self) -> Iterator[Sentence]:
        """The end, then the turns in their order, or what there is to say without any."""
        if self._broken_off:
            yield _sentence("broken_off")
        if not self._broken_off or self._result is not Result.UNFINISHED:
            yield self._end()
        if len(self._turns) > MOST_TURNS:
            yield _sentence("many_turns", count=len(self._turns))
        for turn in self._turns[-MOST_TURNS:]:
            yield from self._turned(turn)
        if self._broken_off:
            return
        loser = None if self._result.winner is None else self._result.winner.other
        if loser is not None:
            yield from self._loss(loser)
        elif not self._turns:
            yield from self._quiet_game()

    def _about(self, side: Side, name: str, **values: Told) -> Sentence:
        return _sentence(name, side=YOU if side == self._you else side.name.lower(), **values)

    def _label(self, judgement: JudgedMove) -> str:
        return self._labels[judgement.ply]

    # the end

    def _end(self) -> Sentence:
        winner, end = self._result.winner, self._game.end().position
        reason = self._game.headers.get("Termination", "").lower()
        if self._result is Result.BOTH_LOST:
            return _sentence("both_lost")
        if winner is None:
            return self._end_without_winner(reason)
        loser = winner.other
        if end.is_over and end.side == loser:
            pieces = end.black if loser == Side.BLACK else end.white
            return self._about(loser, "no_move" if pieces else "no_pieces")
        if "time" in reason:
            return self._about(loser, _ending("overtime", self._standing(loser)))
        if _is_decided_elsewhere(reason):
            return self._about(loser, "adjudicated")
        # a tag that names the winner is at odds with the result
        has_resigned = "resign" in reason and winner.name.lower() not in reason
        return self._about(loser, _ending("resigned" if has_resigned else "lost", self._standing(loser)))

    def _end_without_winner(self, reason: str) -> Sentence:
        rule = self._moves[-1].draw
        if self._result is Result.UNFINISHED:
            kind = "unfinished"
        elif rule or REPETITION in reason or NO_PROGRESS in reason:
            kind = "repeated" if rule == REPETITION or REPETITION in reason else "no_progress"
        elif _is_decided_elsewhere(reason) and "time" not in reason:
            return _sentence("adjudicated_draw")
        else:
            kind = "agreed" if "agree" in reason else "drawn"
        standings = {side: self._standing(side, by_rule=False) for side in Side}
        for side, standing in standings.items():
            if standing in ("better", "won"):
                return self._about(side, _ending(kind, standing))
        return _sentence(_ending(kind, standings[Side.BLACK]))

    def _standing(self, side: Side, by_rule: bool = True) -> str:
        """Standing of a side in the last position; "" if that was not searched, or the game went on. by_rule: draws by
        rule count."""
        last = self._moves[-1]
        if last.expected is None or self._broken_off:
            return ""
        value = (last.certain if by_rule else None) or last.verdict
        if last.side != side and value is not None:
            value = value.opposite
        return _standing(last.expected if last.side == side else 1 - last.expected, value)

    # the turns

    def _turned(self, turn: _Turn) -> Iterator[Sentence]:
        judgement = turn.judgement
        last = turn is self._turns[-1]
        lost = (
            last
            and self._result.winner == judgement.side.other
            and self._standing(judgement.side) == "lost"
            # of a worse position nobody knows whether it was lost already
            and _standing_before(judgement) != "worse"
        )
        kind = "lost" if turn.kind == "fallen" and lost else turn.kind
        yield self._about(judgement.side, f"turn.{kind}", move=self._label(judgement), slip=_slipped(judgement))
        if last and judgement.best is not None and judgement.best_expected is not None:
            yield _sentence(f"better.{_standing_before(judgement)}", better=str(judgement.best))

    def _loss(self, loser: Side) -> Iterator[Sentence]:
        """Sentences about a loss that no turn explains."""
        if (
            self._turns
            and self._turns[-1].judgement.side == loser
            and self._turns[-1].kind in ("fallen", "thrown", "worse")
        ):
            return
        standing = self._standing(loser)
        # of a position without a verdict nobody knows whether it is lost
        if standing in ("drawn", "won") and not self._turns:
            yield _sentence("not_lost")
        if standing not in ("lost", "worse"):
            return
        own = [judgement for judgement in self._moves if judgement.judged and judgement.side == loser]
        worst = max(own, key=lambda judgement: judgement.loss, default=None)
        if worst is None:
            return
        if worst.loss >= _THRESHOLDS["turn"]:
            yield self._about(loser, "most", move=self._label(worst))
        elif standing == "lost" and self._began_even(loser) and sum(each.loss for each in own) >= _THRESHOLDS["fall"]:
            yield self._about(loser, "gradually", move=self._label(worst))

    def _began_even(self, side: Side) -> bool:
        """True if a side was no worse at the first position that was searched."""
        first = next(judgement for judgement in self._moves if judgement.expected is not None)
        expected = first.expected if first.best_expected is None else first.best_expected
        assert expected is not None
        return (expected if first.side == side else 1 - expected) >= _THRESHOLDS["even_from"]

    def _quiet_game(self) -> Iterator[Sentence]:
        """Sentences about a game without a winner that never turned."""
        assessed = [judgement for judgement in self._moves if judgement.expected is not None]
        passed_over = len(self._moves) - len(assessed)
        is_whole = passed_over <= max(_THRESHOLDS["opening"], opening_plies(self._game))
        if not (is_whole and any(judgement.judged for judgement in assessed)):
            return
        if self._standing(Side.BLACK, by_rule=False) in ("won", "lost"):
            return
        best = max(assessed, key=lambda judgement: abs((judgement.expected or 0.5) - 0.5))
        assert best.expected is not None
        side = best.side if best.expected >= 0.5 else best.side.other
        if max(best.expected, 1 - best.expected) < _THRESHOLDS["safe"]:
            yield _sentence("never_close")
        elif best.confirmed:
            yield self._about(side, "closest", move=self._label(best))

    # the opening

    def left_book(self, departure: Departure) -> Sentence:
        """Sentence about the move that left an opening book."""
        move, better = self._labels[departure.ply], str(departure.best.move)
        # the largest stands for more, too
        if departure.loss is None or departure.loss >= MOST_LOSS:
            return self._about(departure.side, "left_book_unknown", move=move, better=better)
        men = f"{departure.loss / 100:.2f}"
        return self._about(departure.side, "left_book", move=move, better=better, men=men)


def _is_decided_elsewhere(reason: str) -> bool:
    """True if neither the board nor the players decided the game. reason: its Termination tag."""
    return any(word in reason for word in FACTS["decided_elsewhere"])


def _standing(expected: float, value: Value | None) -> str:
    """Standing of a side by a certain or likely value, or else by its expected result."""
    if value is not None:
        return {Value.WIN: "won", Value.DRAW: "drawn", Value.LOSS: "lost"}[value]
    if expected < _THRESHOLDS["even_from"]:
        return "worse"
    return "better" if expected > _THRESHOLDS["even_to"] else "even"


def _standing_before(judgement: JudgedMove) -> str:
    """Standing of a side before its move, by the best one."""
    assert judgement.best_expected is not None
    return _standing(judgement.best_expected, judgement.best_value or judgement.verdict_before)


def standings(judgement: JudgedMove) -> tuple[str, str] | None:
    """Standings of a side before and after its move, if that turned the game."""
    if (
        not judgement.judged
        or judgement.best_expected is None
        or judgement.expected is None
        or judgement.loss < _THRESHOLDS["turn"]
    ):
        return None
    before, after = _standing_before(judgement), _standing(judgement.expected, judgement.certain or judgement.verdict)
    if before == "won":
        return None if after == "won" else (before, after)
    has_turned = (after == "lost" and before != "lost") or (after == "worse" and before not in ("lost", "worse"))
    return (before, after) if has_turned else None


def _turn(judgement: JudgedMove) -> _Turn | None:
    """The turn that a move is, if it is one."""
    turned = standings(judgement)
    if turned is None:
        return None
    before, after = turned
    if before == "won":
        return _Turn(judgement, {"lost": "thrown", "drawn": "slipped"}.get(after, "spoiled"))
    return _Turn(judgement, "fallen" if after == "lost" else "worse")


def _slipped(judgement: JudgedMove) -> Sentence | str:
    """End of a sentence about a move that people often or rarely play; "" of one that they play now and then."""
    if judgement.likely is None or judgement.slip not in (TRAP, OVERSIGHT):
        return ""
    if judgement.slip == TRAP:
        percent = round(100 * judgement.likely)
        return _sentence("slip.trap", percent=percent) if judgement.likely_holds else _sentence("slip.trap_uncounted")
    if not judgement.likely_holds:
        return _sentence("slip.oversight_uncounted")
    if judgement.likely < 0.01:
        return _sentence("slip.rare_oversight")
    return _sentence("slip.oversight", percent=int(100 * judgement.likely) + 1)
