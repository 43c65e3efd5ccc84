"""Win, draw and loss of a position for a side, and the result of a game."""

from __future__ import annotations

from enum import StrEnum

from kr.game.position import Side


class Value(StrEnum):
    """Win, draw or loss from the view of one side. Each is equal to its text: ``Value.WIN == "win"``."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"

    __repr__ = str.__repr__

    @classmethod
    def from_sign(cls, number: float) -> Value:
        """WIN for a positive number, LOSS for a negative one, DRAW for 0."""
        return cls.WIN if number > 0 else cls.LOSS if number < 0 else cls.DRAW

    @classmethod
    def of(cls, winner: Side | None, side: Side) -> Value:
        """Value for `side` of a game won by `winner`; None for a draw."""
        return cls.DRAW if winner is None else cls.WIN if winner == side else cls.LOSS

    @property
    def sign(self) -> int:
        """1 for a win, 0 for a draw, -1 for a loss."""
        return 1 if self is Value.WIN else -1 if self is Value.LOSS else 0

    @property
    def points(self) -> float:
        """1 for a win, 0.5 for a draw, 0 for a loss."""
        return (self.sign + 1) / 2

    @property
    def opposite(self) -> Value:
        """The value from the opponent's view."""
        return Value.from_sign(-self.sign)

    def winner(self, side: Side) -> Side | None:
        """The side that wins where the value is that of `side`; None for a draw."""
        return None if self is Value.DRAW else side if self is Value.WIN else side.other


class Result(StrEnum):
    """Result of a game in the usage of English draughts: Black, the first player, is named first.

    Each is equal to its text: ``Result.DRAWN == "1/2-1/2"``.
    """

    BLACK_WON = "1-0"
    WHITE_WON = "0-1"
    DRAWN = "1/2-1/2"
    BOTH_LOST = "0-0"
    UNFINISHED = "*"

    __repr__ = str.__repr__

    @classmethod
    def of(cls, winner: Side | None) -> Result:
        """Result of a finished game; winner: None for a draw."""
        return cls.DRAWN if winner is None else cls.BLACK_WON if winner == Side.BLACK else cls.WHITE_WON

    @property
    def winner(self) -> Side | None:
        """The side that won; None for a draw, a double loss and an unfinished game."""
        return {Result.BLACK_WON: Side.BLACK, Result.WHITE_WON: Side.WHITE}.get(self)

    @property
    def description(self) -> str:
        """The result in words: "Black won", "a draw", "unfinished"."""
        match self:
            case Result.DRAWN:
                return "a draw"
            case Result.BOTH_LOST:
                return "both lost"
            case Result.UNFINISHED:
                return "unfinished"
        return "Black won" if self is Result.BLACK_WON else "White won"

    @property
    def is_scored(self) -> bool:
        """True for a win of either side and a draw; False for a double loss and an unfinished game."""
        return self not in (Result.BOTH_LOST, Result.UNFINISHED)

    def value_for(self, side: Side) -> Value | None:
        """Win, draw or loss for a side; None for an unfinished game."""
        if self is Result.BOTH_LOST:
            return Value.LOSS
        return Value.of(self.winner, side) if self.is_scored else None
