"""Playing moves from their text, fast: boards are the tuples (black, white, kings, side) of the compiled rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kr import _core
from kr.errors import IllegalMoveError
from kr.game.position import Bits, Move, Position
from kr.language.sentences import Sentence, sentence
from kr.notation import format_path, parse_path
from kr.settings import check_type

MOST_LINES = 256
"""Most readings of the ambiguous captures of a line that are followed at once."""


def moves_named(board: Bits, text: str) -> list[Move]:
    """The legal moves that a text may mean, as Position.moves_named; one unless it is ambiguous.

    Raises IllegalMoveError, naming the legal moves.
    """
    path = _path(text)
    if path is not None and len(path) == 2:
        origin, target = path
        paths = [each for each in _core.legal_moves(*board) if each[0][0] == origin and each[0][-1] == target]
        if len(paths) == 1:
            return [_move(*paths[0], False)]
    return Position.from_bits(board).moves_named(text)


def checked(board: Bits, move: Move | str) -> Move:
    """The legal move that is meant, with its shortest unambiguous text. Raises IllegalMoveError."""
    if isinstance(move, str):
        moves = moves_named(board, move)
        return moves[0] if len(moves) == 1 else Position.from_bits(board).parse_move(move)
    check_type("a move", move, Move)
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
    """Moves played from their texts, up to the first illegal one.

    A capture may be given in several texts, a jump or more each: 25x18 18x9.
    """

    def __init__(self, board: Bits, texts: Sequence[str], before: int = 0) -> None:
        """before: plies before the first of them, for warnings."""
        self._before = before
        self.moves: list[Move] = []
        """The legal moves."""
        self.boards: list[Bits] = [board]
        """The start and the board after each of them."""
        self.error: IllegalMoveError | None = None
        """Error at the first illegal move; None if all are legal."""
        self.failed = len(texts)
        """Number of the text with the error."""
        self.firsts: Sequence[int] = ()
        """Number of the first text of each move."""
        self.ambiguous: list[Sentence] = []
        """Warnings about captures that are ambiguous or given in several texts, with the reading chosen."""
        for index, text in enumerate(texts):
            try:
                choices = moves_named(board, text)
            except IllegalMoveError as error:
                if _is_part(board, text):
                    self._follow_all(texts, index)
                else:
                    self.error, self.failed, self.firsts = error, index, range(index)
                return
            if len(choices) > 1 or (len(choices[0].path) > 2 and _is_part(board, text)):
                self._follow_all(texts, index)
                return
            board = played(board, choices[0])
            self.moves.append(choices[0])
            self.boards.append(board)
        self.firsts = range(len(texts))

    def resume(self, board: Bits, texts: Sequence[str]) -> None:
        """Set up a position after the last move, and play more moves from there."""
        rest = Replay(board, texts, self._before + len(self.moves))
        self.moves += rest.moves
        self.boards[-1:] = rest.boards
        # one list throughout: a copy for each of many setups would take quadratic time
        if not isinstance(self.firsts, list):
            self.firsts = list(self.firsts)
        self.firsts += [self.failed + first for first in rest.firsts]
        self.error, self.failed = rest.error, self.failed + rest.failed
        self.ambiguous += rest.ambiguous

    def _follow_all(self, texts: Sequence[str], first: int) -> None:
        """Continue from an ambiguous capture, with the first reading that makes the rest legal."""
        firsts = list(range(first))
        lines: list[_Way] = [_Way(self.boards[-1])]
        for index in range(first, len(texts)):
            following: dict[tuple[Bits, tuple[int, ...]], _Way] = {}
            error: IllegalMoveError | None = None
            for way in lines:
                try:
                    reached = list(way.continued(texts[index], index, last=index + 1 == len(texts)))
                except IllegalMoveError as illegal:
                    error = error or illegal
                    continue
                for after in reached:
                    key = after.board, after.pending
                    if key not in following and len(following) < MOST_LINES:
                        following[key] = after
            if not following:
                self.error, self.failed = error, index
                break
            lines = list(following.values())
        # a capture that is begun when the texts end, or at an illegal one, is not played
        whole = [way for way in lines if not way.pending]
        if not whole and self.error is None:
            self.failed = lines[0].index
        way = whole[0] if whole else lines[0]
        ways_back: list[_Way] = []
        while way.before is not None:
            ways_back.append(way)
            way = way.before
        parts: list[_Way] = []
        for way in reversed(ways_back):
            parts.append(way)
            if way.pending:
                continue
            assert way.move is not None
            self.moves.append(way.move)
            firsts.append(parts[0].index)
            self.boards.append(way.board)
            written = " ".join(texts[each.index] for each in parts)
            ply = self._before + len(self.moves)
            if way.choices:
                ways = " or ".join(map(str, way.choices))
                self.ambiguous.append(
                    sentence("pdn.ambiguous", text=written, ply=str(ply), ways=ways, move=str(way.move))
                )
            elif len(parts) > 1:
                whole_path = format_path(way.move.path, True)
                self.ambiguous.append(sentence("pdn.one_capture", text=written, ply=str(ply), move=whole_path))
            parts = []
        self.firsts = firsts
        if parts and self.failed >= parts[0].index:
            self.failed = parts[0].index
            self.error = _unfinished(parts[0].board, texts[self.failed])


class _Way:
    """A reading of a line with captures that are ambiguous or given in several texts, up to some text."""

    __slots__ = ("before", "board", "choices", "index", "move", "pending")

    def __init__(
        self,
        board: Bits,
        move: Move | None = None,
        before: _Way | None = None,
        choices: list[Move] | None = None,
        index: int = -1,
        pending: tuple[int, ...] = (),
    ) -> None:
        self.board = board
        self.move = move
        self.before = before
        self.choices = choices
        self.index = index
        self.pending = pending
        """Squares of a capture that the next text continues; the board is then the one before it."""

    def continued(self, text: str, index: int, last: bool) -> Iterator[_Way]:
        """The readings after one more text. Raises IllegalMoveError if there are none."""
        path = _path(text)
        moves: list[Move] = []
        partial: tuple[int, ...] = ()
        if not self.pending:
            if not _is_part(self.board, text):
                moves = moves_named(self.board, text)
            else:
                assert path is not None
                partial = path
                try:
                    moves = moves_named(self.board, text)
                except IllegalMoveError:
                    if last:
                        raise
        elif path is not None and path[0] == self.pending[-1]:
            squares = self.pending + path[1:]
            for each, captured in _core.legal_moves(*self.board):
                if each == squares:
                    moves.append(checked(self.board, _move(each, captured, True)))
                elif each[: len(squares)] == squares:
                    partial = squares
        if not moves and not partial:
            raise _unfinished(self.board, text)
        choices = list(moves)
        if partial and not last:
            choices += [
                checked(self.board, _move(each, captured, True))
                for each, captured in _core.legal_moves(*self.board)
                if len(each) > len(partial) and each[: len(partial)] == partial
            ]
        for move in moves:
            yield _Way(played(self.board, move), move, self, choices if len(choices) > 1 else None, index)
        if partial and not last:
            yield _Way(self.board, None, self, None, index, partial)


def _is_part(board: Bits, text: str) -> bool:
    """True if a text names the beginning of a longer legal capture."""
    path = _path(text)
    if path is None:
        return False
    return any(len(each) > len(path) and each[: len(path)] == path for each, _ in _core.legal_moves(*board))


def _unfinished(board: Bits, text: str) -> IllegalMoveError:
    legal = ", ".join(map(str, Position.from_bits(board).legal_moves()))
    return IllegalMoveError(sentence("pdn.unfinished", move=text, moves=legal))


@lru_cache(maxsize=1 << 14)
def _path(text: str) -> tuple[int, ...] | None:
    try:
        return parse_path(text)
    except IllegalMoveError:
        return None


@lru_cache(maxsize=1 << 16)
def _move(path: tuple[int, ...], captured: int, whole: bool) -> Move:
    return Move(path, captured, whole)
