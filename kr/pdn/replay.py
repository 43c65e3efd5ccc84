"""Playing moves from their text, fast: boards are the tuples (black, white, kings, side) of the compiled rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from kr import _core
from kr.errors import IllegalMoveError
from kr.game.position import Bits, Move, Position
from kr.notation import parse_path

MOST_LINES = 256
"""Most readings of the ambiguous captures of a line that are followed at once."""


def moves_named(board: Bits, text: str) -> list[Move]:
    """As Position.moves_named: the legal moves that a text may mean; one unless it is ambiguous.

    Raises IllegalMoveError, naming the legal moves.
    """
    path = _path(text)
    if path is not None and len(path) == 2:
        origin, target = path
        found = [each for each in _core.legal_moves(*board) if each[0][0] == origin and each[0][-1] == target]
        if len(found) == 1:
            return [_move(*found[0], False)]
    return Position.from_bits(board).moves_named(text)


def checked(board: Bits, move: Move | str) -> Move:
    """The legal move that is meant, with its shortest unambiguous text. Raises IllegalMoveError."""
    if isinstance(move, str):
        found = moves_named(board, move)
        return found[0] if len(found) == 1 else Position.from_bits(board).parse_move(move)
    paths = _core.legal_moves(*board)
    if (move.path, move.captured) not in paths:
        Position.from_bits(board).play(move)  # raises the error, which names the legal moves
    alike = sum(path[0] == move.path[0] and path[-1] == move.path[-1] for path, _ in paths)
    return _move(move.path, move.captured, move.captured != 0 and alike > 1)


def played(board: Bits, move: Move) -> Bits:
    """The board after a legal move."""
    after: Bits = _core.play(*board, move.path[0], move.path[-1], move.captured)
    return after


def is_over(board: Bits) -> bool:
    """True if the side to move has no legal move and has therefore lost."""
    return not _core.legal_moves(*board)


class Replay:
    """Moves played from their texts, up to the first illegal one."""

    def __init__(self, board: Bits, texts: Sequence[str]) -> None:
        self.moves: list[Move] = []
        """The legal moves."""
        self.boards: list[Bits] = [board]
        """The start and the board after each of them."""
        self.error: IllegalMoveError | None = None
        """Error at the first illegal move; None if all are legal."""
        self.ambiguous: list[str] = []
        """Warnings about ambiguous captures, with the reading chosen."""
        for index, text in enumerate(texts):
            try:
                choices = moves_named(board, text)
            except IllegalMoveError as error:
                self.error = error
                return
            if len(choices) > 1:
                self._follow_all(texts, index)
                return
            board = played(board, choices[0])
            self.moves.append(choices[0])
            self.boards.append(board)

    def _follow_all(self, texts: Sequence[str], first: int) -> None:
        """Continue from an ambiguous capture, with the first reading that makes the rest legal."""
        lines: list[_Way] = [_Way(self.boards[-1])]
        for index in range(first, len(texts)):
            following: dict[Bits, _Way] = {}
            error: IllegalMoveError | None = None
            for way in lines:
                try:
                    choices = moves_named(way.board, texts[index])
                except IllegalMoveError as found:
                    error = error or found
                    continue
                for move in choices:
                    board = played(way.board, move)
                    if board not in following and len(following) < MOST_LINES:
                        following[board] = _Way(board, move, way, choices if len(choices) > 1 else None, index)
            if not following:
                self.error = error
                break
            lines = list(following.values())
        taken: list[_Way] = []
        way = lines[0]
        while way.before is not None:
            taken.append(way)
            way = way.before
        for way in reversed(taken):
            assert way.move is not None
            self.moves.append(way.move)
            self.boards.append(way.board)
            if way.choices:
                ways = " or ".join(map(str, way.choices))
                self.ambiguous.append(
                    f"{texts[way.index]} at ply {way.index + 1} is ambiguous, {ways}: read as {way.move}"
                )


class _Way:
    """A reading of a line with ambiguous captures, up to some move."""

    __slots__ = ("before", "board", "choices", "index", "move")

    def __init__(
        self,
        board: Bits,
        move: Move | None = None,
        before: _Way | None = None,
        choices: list[Move] | None = None,
        index: int = -1,
    ) -> None:
        self.board = board
        self.move = move
        self.before = before
        self.choices = choices
        self.index = index


@lru_cache(maxsize=1 << 14)
def _path(text: str) -> tuple[int, ...] | None:
    try:
        return parse_path(text)
    except IllegalMoveError:
        return None


@lru_cache(maxsize=1 << 16)
def _move(path: tuple[int, ...], captured: int, whole: bool) -> Move:
    return Move(path, captured, whole)
