"""A game as it is played: positions and moves so far, moves taken back, and the draws that the rules know."""

from __future__ import annotations

from kr import _core
from kr.errors import InvalidSettingError
from kr.game.position import Move, Position
from kr.units import counted

REPETITIONS = 3
"""So many times the same position with the same side to move is a draw."""
NO_PROGRESS_PLIES: int = _core.NO_PROGRESS_PLIES
"""Plies without a capture or a move of a man after which the game is a draw."""
REPETITION = "repetition"
NO_PROGRESS = "no progress"


class Board:
    """A game from its start to the position on the board."""

    def __init__(self, start: Position | None = None) -> None:
        self._moves: list[Move] = []
        self._positions = [start or Position()]
        # for each position, how many plies before it were made by kings and took nothing
        self._reversible = [0]

    @property
    def start(self) -> Position:
        """Where the game began."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """What is on the board."""
        return self._positions[-1]

    @property
    def moves(self) -> tuple[Move, ...]:
        """From the start to the position on the board."""
        return tuple(self._moves)

    @property
    def history(self) -> tuple[Position, ...]:
        """The positions that can still come again, oldest first, without the one on the board."""
        return tuple(self._positions[-1 - self._reversible[-1] : -1])

    def play(self, move: Move | str) -> Move:
        """Make a legal move, given as a Move or its text; returns it. Raises IllegalMoveError."""
        if isinstance(move, str):
            move = self.position.parse_move(move)
        after = self.position.play(move)
        quiet = not move.is_capture and self.position.kings >> move.origin & 1
        self._reversible.append(self._reversible[-1] + 1 if quiet else 0)
        self._moves.append(move)
        self._positions.append(after)
        return move

    def take_back(self, ply: int) -> None:
        """Go back to the position after so many moves. Raises InvalidSettingError where there is none."""
        if not 0 <= ply <= len(self._moves):
            raise InvalidSettingError(f"no position after {counted(ply, 'ply')}: the game has {len(self._moves)}")
        del self._moves[ply:], self._positions[ply + 1 :], self._reversible[ply + 1 :]

    def drawn(self) -> str | None:
        """The reason for which the rules call the position on the board a draw: REPETITION, NO_PROGRESS or None."""
        seen = self._positions[-1 - self._reversible[-1] :]
        if seen.count(self.position) >= REPETITIONS:
            return REPETITION
        return NO_PROGRESS if self._reversible[-1] >= NO_PROGRESS_PLIES else None
