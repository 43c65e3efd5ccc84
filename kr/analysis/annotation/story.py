"""Story of a judged game in a few sentences: how it ended, where it turned, what decided it, who left the book.

Each sentence has its name in `kr.language`, story.turn.lost, and values, so that pages can tell it in another language.
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
from kr.evaluation.verdicts import WON_FROM
from kr.game.outcome import NO_PROGRESS, REPETITION
from kr.game.position import Side
from kr.game.value import Result, Value
from kr.language.sentences import YOU, Sentence, Told, texts
from kr.pdn import Game

FACTS: dict[str, Any] = json.loads(resources.files(__package__).joinpath("story.json").read_text("utf-8"))
"""What pages tell stories by as well.

thresholds: `won_from` and `lost_to` are expected results from which a position counts as won, and down to which as
lost: those of likely verdicts. Even are those between `even_from` and `even_to`. A side has come close to a win from
`safe` on. `turn` is the least expected result given away by a move that can turn the game, that of a mistake; the last
`turns` are told. decided_elsewhere: words of a Termination tag by which neither the board nor the players decided.
"""
FACTS["thresholds"] |= {"won_from": WON_FROM, "lost_to": 1 - WON_FROM}
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

    judged: JudgedMove
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
        self._turns = [turn for judged in moves if (turn := _turn(judged))]

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

    def _label(self, judged: JudgedMove) -> str:
        return self._labels[judged.ply]

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
            left = end.black if loser == Side.BLACK else end.white
            return self._about(loser, "no_move" if left else "no_pieces")
        if "time" in reason:
            return self._about(loser, _ending("overtime", self._standing(loser)))
        if _is_decided_elsewhere(reason):
            return self._about(loser, "adjudicated")
        return self._about(loser, _ending("resigned" if "resign" in reason else "lost", self._standing(loser)))

    def _end_without_winner(self, reason: str) -> Sentence:
        rule = self._moves[-1].draw
        if self._result is Result.UNFINISHED:
            kind = "unfinished"
        elif rule or reason in (REPETITION, NO_PROGRESS):
            kind = "repeated" if REPETITION in (rule, reason) else "no_progress"
        elif _is_decided_elsewhere(reason):
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
        value = last.certain if by_rule else last.value
        if last.side != side and value is not None:
            value = value.opposite
        return _standing(last.expected if last.side == side else 1 - last.expected, value)

    # the turns

    def _turned(self, turn: _Turn) -> Iterator[Sentence]:
        judged = turn.judged
        last = turn is self._turns[-1]
        lost = (
            last
            and not self._broken_off
            and self._result.winner == judged.side.other
            and self._standing(judged.side) in ("lost", "")
        )
        kind = "lost" if turn.kind == "fallen" and lost else turn.kind
        yield self._about(judged.side, f"turn.{kind}", move=self._label(judged), slip=_slipped(judged))
        if last and judged.best is not None and judged.best_expected is not None:
            standing = _standing(judged.best_expected, judged.best_value)
            yield _sentence(f"better.{standing}", better=str(judged.best))

    def _loss(self, loser: Side) -> Iterator[Sentence]:
        """Sentences about a loss that no turn explains."""
        if self._turns and self._turns[-1].judged.side == loser and self._turns[-1].kind != "slipped":
            return
        if (standing := self._standing(loser)) not in ("lost", ""):
            # of a worse position nobody knows whether it is lost
            if not self._turns and standing != "worse":
                yield _sentence("not_lost")
            return
        own = [judged for judged in self._moves if judged.judged and judged.side == loser]
        worst = max(own, key=lambda judged: judged.loss, default=None)
        if worst is not None and worst.loss > 0:
            yield self._about(loser, "gradually", move=self._label(worst))

    def _quiet_game(self) -> Iterator[Sentence]:
        """Sentences about a game without a winner that never turned."""
        known = [judged for judged in self._moves if judged.expected is not None and judged.confirmed]
        if not known:
            return
        best = max(known, key=lambda judged: abs((judged.expected or 0.5) - 0.5))
        assert best.expected is not None
        side = best.side if best.expected >= 0.5 else best.side.other
        if max(best.expected, 1 - best.expected) < _THRESHOLDS["safe"]:
            yield _sentence("never_close")
        else:
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
    """Standing of a side by its expected result, or by a certain value."""
    if value is not None:
        return {Value.WIN: "won", Value.DRAW: "drawn", Value.LOSS: "lost"}[value]
    if expected >= _THRESHOLDS["won_from"]:
        return "won"
    if expected <= _THRESHOLDS["lost_to"]:
        return "lost"
    if expected < _THRESHOLDS["even_from"]:
        return "worse"
    return "better" if expected > _THRESHOLDS["even_to"] else "even"


def _turn(judged: JudgedMove) -> _Turn | None:
    """The turn that a move is, if it is one."""
    if (
        not judged.judged
        or judged.best_expected is None
        or judged.expected is None
        or judged.loss < _THRESHOLDS["turn"]
    ):
        return None
    before, after = _standing(judged.best_expected, judged.best_value), _standing(judged.expected, judged.certain)
    if before == "won" and after != "won":
        return _Turn(judged, "thrown" if after == "lost" else "slipped")
    return _Turn(judged, "fallen") if before != "lost" and after == "lost" else None


def _slipped(judged: JudgedMove) -> Sentence | str:
    """End of a sentence about a move that people often or rarely play; "" of one that they play now and then."""
    if judged.likely is None or judged.slip not in (TRAP, OVERSIGHT):
        return ""
    if judged.slip == TRAP:
        return _sentence("slip.trap", percent=round(100 * judged.likely))
    if judged.likely < 0.01:
        return _sentence("slip.rare_oversight")
    return _sentence("slip.oversight", percent=int(100 * judged.likely) + 1)
