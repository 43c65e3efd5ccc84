"""A game as it is played: moves, moves taken back, and its end by the rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from kr import _core
from kr.errors import InvalidSettingError
from kr.game.outcome import NO_MOVE, NO_PIECES, NO_PROGRESS, REPETITION, Outcome
from kr.game.position import Move, Piece, Position, Side
from kr.units import counted

REPETITIONS = 3
"""Occurrences of a position with the same side to move that make a draw."""
NO_PROGRESS_PLIES: int = _core.NO_PROGRESS_PLIES
"""Plies without a capture or a man's move that make a draw."""

QUIET_BEFORE_DRAW = 4 * (REPETITIONS - 1)
"""Plies without a capture or a man's move that come before any draw by rule: a position comes back after four."""


class Board:
    """A game from its start to the position on the board.

        board = kr.Board()
        board.play("11-15")
        while not board.is_over:
            board.play(engine.search(board, "0.1s").move)
        print(board.outcome())

    start: a position; the usual start if left out. Raises what `position_of` raises.

    By the rules a side without a legal move has lost. A game is drawn when a position with the same side to move is on
    the board for the third time (REPETITIONS), or after 80 plies (NO_PROGRESS_PLIES) without a capture or a man's move.
    `play` accepts moves after such a draw too: the players decide whether to claim it.
    """

    def __init__(self, start: PositionLike | None = None) -> None:
        self._moves: list[Move] = []
        self._positions = [Position() if start is None else position_of(start)]
        # for each position, the number of plies before it that kings made without a capture
        self._reversible = [0]
        # for each position, the number of plies to it from the start, or from the last position that was set up
        self._plies = [0]

    @property
    def start(self) -> Position:
        """Position before the first move."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """Position on the board."""
        return self._positions[-1]

    @property
    def side(self) -> Side:
        """The side to move."""
        return self.position.side

    @property
    def fen(self) -> str:
        """Canonical FEN of the position on the board."""
        return self.position.fen

    @property
    def moves(self) -> tuple[Move, ...]:
        """Moves played, in order."""
        return tuple(self._moves)

    @property
    def positions(self) -> tuple[Position, ...]:
        """The start and the position after each move."""
        return tuple(self._positions)

    @property
    def history(self) -> tuple[Position, ...]:
        """Earlier positions that can still be repeated, oldest first; a search needs them to see repetitions."""
        return tuple(self._positions[-1 - self._reversible[-1] : -1])

    @property
    def recent(self) -> tuple[Position, ...]:
        """The history, with at least the two positions before if there are any: a policy of what people play takes them
        into account."""
        return tuple(self._positions[-1 - min(max(2, self._reversible[-1]), self._plies[-1]) : -1])

    def legal_moves(self) -> list[Move]:
        """Legal moves in the position on the board."""
        return self.position.legal_moves()

    def is_legal(self, move: Move | str) -> bool:
        """True if a move, or its text, is legal here and unambiguous."""
        return self.position.is_legal(move)

    def parse_move(self, text: str) -> Move:
        """The legal move of a PDN text. Raises IllegalMoveError if there is none, or more than one."""
        return self.position.parse_move(text)

    def piece_at(self, square: int | str) -> Piece | None:
        """The piece on a square, an int 0-31 or text "1" to "32"; None if it is empty. Raises InvalidSettingError."""
        return self.position.piece_at(square)

    def play(self, move: Move | str) -> Move:
        """Play a legal move, given as a Move or its text, and return it. Raises IllegalMoveError."""
        if isinstance(move, str):
            move = self.position.parse_move(move)
        after = self.position.play(move)
        quiet = not move.is_capture and self.position.kings >> move.origin & 1
        self._reversible.append(self._reversible[-1] + 1 if quiet else 0)
        self._plies.append(self._plies[-1] + 1)
        self._moves.append(move)
        self._positions.append(after)
        return move

    def set_up(self, position: PositionLike) -> None:
        """Put another position in place of the one on the board; the history begins anew with it.

        Raises InvalidSettingError if it has the other side to move, and what `position_of` raises.
        """
        position = position_of(position)
        if position.side != self.side:
            raise InvalidSettingError(f"{position.fen} has the other side to move; expected {self.fen[0]}:...")
        self._positions[-1], self._reversible[-1], self._plies[-1] = position, 0, 0

    def undo(self, plies: int = 1) -> Move:
        """Take back the last moves and return the first of them. Raises InvalidSettingError if there are fewer."""
        if not 1 <= plies <= len(self._moves):
            raise InvalidSettingError(
                f"cannot take back {counted(plies, 'move')}: the game has {counted(len(self._moves), 'move')}"
            )
        first = self._moves[-plies]
        del self._moves[-plies:], self._positions[-plies:], self._reversible[-plies:], self._plies[-plies:]
        return first

    @property
    def is_over(self) -> bool:
        """True if the rules end the game here, by a loss or a draw."""
        return self.outcome() is not None

    def outcome(self) -> Outcome | None:
        """Outcome by the rules, with its reason; None while the game goes on."""
        position = self.position
        if position.is_over:
            pieces = position.black if position.side == Side.BLACK else position.white
            return Outcome(position.side.other, NO_MOVE if pieces else NO_PIECES)
        quiet = self._positions[-1 - self._reversible[-1] : -1]
        rule = rule_of(1 + quiet.count(position), len(quiet))
        return Outcome(None, rule) if rule else None

    def copy(self) -> Board:
        """An independent copy, with all moves."""
        board = Board(self.start)
        board._moves, board._positions = self._moves.copy(), self._positions.copy()
        board._reversible, board._plies = self._reversible.copy(), self._plies.copy()
        return board

    def diagram(self) -> str:
        """The position on the board as text."""
        return self.position.diagram()

    def __eq__(self, other: object) -> bool:
        """True for a game with the same positions and moves."""
        if not isinstance(other, Board):
            return NotImplemented
        return (self._positions, self._moves) == (other._positions, other._moves)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __str__(self) -> str:
        return self.diagram()

    def __repr__(self) -> str:
        return f"<Board {self.fen}, {counted(len(self._moves), 'move')} played>"

    def _repr_svg_(self) -> str:
        """The board as notebooks show it, with the last move."""
        from kr import svg

        last = self._moves[-1] if self._moves else None
        return svg.board(self.position, last_move=last, size=svg.SHOWN)


def quiet_plies(position: Position, history: Sequence[Position]) -> int:
    """Plies before a position without a capture or a man's move. history: earlier positions, oldest first."""
    count, after = 0, position
    for before in reversed(history):
        if _lasting(before) != _lasting(after):
            break
        count, after = count + 1, before
    return count


def draw_by_rule(position: Position, history: Sequence[Position]) -> str:
    """Rule by which a game can be claimed drawn in a position, REPETITION or NO_PROGRESS; "" if there is none.

    history: earlier positions of the game, oldest first.
    """
    quiet = quiet_plies(position, history)
    return rule_of(1 + history[len(history) - quiet :].count(position), quiet)


def _lasting(position: Position) -> tuple[int, int, int]:
    """Part of a position that quiet moves of kings don't change: the men of both sides, and the number of pieces."""
    men = ~position.kings
    return position.black & men, position.white & men, position.pieces


def rule_of(occurrence: int, quiet: int) -> str:
    """The rule that makes a draw of a position on the board for the nth time, after `quiet` plies without progress."""
    return REPETITION if occurrence >= REPETITIONS else NO_PROGRESS if quiet >= NO_PROGRESS_PLIES else ""


class Holding(Protocol):
    """What has a position: a Board, a Problem, an Opening."""

    @property
    def position(self) -> Position:
        """The position."""


PositionLike = Position | Holding | str
"""What is taken for a position: a Position, what has one, such as a Board, or a FEN."""


def position_of(source: PositionLike) -> Position:
    """The position that is meant. Raises InvalidFenError for other text, InvalidSettingError for anything else."""
    if isinstance(source, Position):
        return source
    if isinstance(source, str):
        return Position.from_fen(source)
    held: object = getattr(source, "position", None)
    if isinstance(held, Position):
        return held
    raise InvalidSettingError(f"the position is {source!r:.80}; expected a Position, a Board or a FEN")


def with_history(
    source: PositionLike, history: Iterable[Position] = (), *, recent: bool = False
) -> tuple[Position, tuple[Position, ...]]:
    """The position that is meant and the earlier ones of its game: those of a Board, else the given ones.

    recent: those that a policy takes into account, as `Board.recent`. Raises what `position_of` raises, and
    InvalidSettingError for a history of anything else, or for one beside that of a Board.
    """
    position = position_of(source)
    try:
        earlier = tuple(history)
    except TypeError:
        raise InvalidSettingError(f"the history is {history!r:.80}, not a sequence of positions") from None
    for each in earlier:
        if not isinstance(each, Position):
            raise InvalidSettingError(f"a position of the history is {each!r:.80}, not a Position")
    if not isinstance(source, Board):
        return position, earlier
    if earlier:
        raise InvalidSettingError("a Board has its history: give no other, or its position with one")
    return position, source.recent if recent else source.history
