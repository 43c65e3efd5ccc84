"""A game as a tree of moves: the line that was played, variations, comments and judgements, as in chess.pgn.

    game = Game({"Event": "Example"})
    node = game.add_variation("11-15")          # the move played
    node = node.add_variation("23-19", comment="the usual answer")
    node.parent.add_variation("22-17")          # what White could have played instead
    print(game)

The first child of a node is its main continuation, the others are the variations on it. Moves are checked when they are
added. An illegal variation that was read keeps its moves as text: its nodes have no `move` and no `position`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeVar

from kr.errors import IllegalMoveError, InvalidPdnError
from kr.game.board import Board, PositionLike, position_of
from kr.game.position import Bits, Move, Position, Side
from kr.game.value import Result
from kr.pdn.commands import CLOCK, MOVE_TIME, clock_times, move_time, with_time
from kr.pdn.grammar import RESULTS
from kr.pdn.replay import checked, played

T = TypeVar("T", covariant=True)


class Walker(Protocol[T]):
    """What walks through a game; kr.pdn.visitor has it."""

    def walk(self, start: GameNode) -> T:
        """Walk through a game, or through what follows one of its nodes; returns the result."""


class GameNode:
    """A position of a game, with its continuations and comments. The root is a Game, all others are ChildNodes."""

    __slots__ = ("__weakref__", "_bits", "_comments", "_nags", "_setup", "parent", "variations")

    parent: GameNode | None
    """The node before; None for the root."""
    variations: list[ChildNode]
    """Continuations: first the main one, then the variations on it."""

    def __init__(self, parent: GameNode | None) -> None:
        self.parent = parent
        self.variations = []
        self._bits: Bits | None = None
        self._comments: list[str] | None = None
        self._nags: list[str] | None = None
        self._setup: Bits | None = None

    @property
    def comments(self) -> list[str]:
        """Comments after the move (on a Game: before the first move), each in its own braces."""
        if self._comments is None:
            self._comments = []
        return self._comments

    @comments.setter
    def comments(self, comments: Iterable[str]) -> None:
        self._comments = list(comments)

    @property
    def comment(self) -> str:
        """Comments after the move as one text; "" if there are none. Setting it replaces them."""
        return " ".join(self._comments) if self._comments else ""

    @comment.setter
    def comment(self, comment: str) -> None:
        self._comments = [comment] if comment else []

    @property
    def nags(self) -> list[str]:
        """Judgements of the move as written: "!", "?!", "(!)", "*" (the only move), "$14"."""
        if self._nags is None:
            self._nags = []
        return self._nags

    @nags.setter
    def nags(self, nags: Iterable[str]) -> None:
        self._nags = list(nags)

    @property
    def is_legal(self) -> bool:
        """True if the move and all moves before it are legal, so that the node has a position."""
        return True

    @property
    def position(self) -> Position:
        """The position after the move. Raises IllegalMoveError in an illegal variation."""
        return Position.from_bits(self.bits)

    @property
    def setup(self) -> Position | None:
        """The position set up here in place of the one that the move leads to; None, as nearly always, without a setup.

        It has the same side to move. Repetitions are counted from it.
        """
        return None if self._setup is None else Position.from_bits(self._setup)

    def board(self) -> Board:
        """The game up to this node, as chess.pgn has it. Raises IllegalMoveError in an illegal variation."""
        board = Board(self.game().start)
        for node in reversed([*self._upwards()]):
            if isinstance(node, ChildNode):
                board.play(node.move)
            if node.setup is not None:
                board.set_up(node.setup)
        return board

    @property
    def turn(self) -> Side:
        """The side to move."""
        return Side((int(self.game().start.side) + self.ply()) % 2)

    def ply(self) -> int:
        """Number of moves before this position."""
        return sum(1 for _ in self._upwards()) - 1

    def root(self) -> GameNode:
        """The first node of the tree."""
        return [*self._upwards()][-1]

    def _upwards(self) -> Iterator[GameNode]:
        """This node and those before it, up to the root."""
        node: GameNode | None = self
        while node is not None:
            yield node
            node = node.parent

    def game(self) -> RootNode:
        """The game that the node belongs to. Raises InvalidPdnError for a node that was removed from its game."""
        root = self.root()
        if not isinstance(root, RootNode):
            raise InvalidPdnError("this node was removed from its game")
        return root

    # --- along the tree

    def next(self) -> ChildNode | None:
        """The main continuation, None at the end."""
        return self.variations[0] if self.variations else None

    def end(self) -> GameNode:
        """The last node of the main continuation."""
        node: GameNode = self
        while node.variations:
            node = node.variations[0]
        return node

    def mainline(self) -> Iterator[ChildNode]:
        """Nodes of the main continuation, without this one."""
        node: GameNode = self
        while node.variations:
            node = node.variations[0]
            yield node

    def mainline_moves(self) -> Iterator[Move]:
        """Moves of the main continuation. Raises IllegalMoveError at an illegal one."""
        return (node.move for node in self.mainline())

    def positions(self) -> Iterator[Position]:
        """This position and the one after each move of the main continuation."""
        return map(Position.from_bits, self.mainline_bits())

    def stretches(self) -> Iterator[tuple[Bits, list[Move]]]:
        """The main continuation in pieces that can be replayed: a position, given or set up, and the moves from it.

        Positions are in the form of `bits`. Raises IllegalMoveError at an illegal move.
        """
        board, moves = self.bits, []
        for node in self.mainline():
            moves.append(node.move)
            if node._setup is not None:
                yield board, moves
                board, moves = node._setup, []
        yield board, moves

    def setups(self) -> list[tuple[int, Position]]:
        """Positions set up in the main continuation, each with the number of moves of it before."""
        return [
            (ply, Position.from_bits(node._setup))
            for ply, node in enumerate(self.mainline(), 1)
            if node._setup is not None
        ]

    def history_begins(self) -> list[int]:
        """For each of `positions`, the number of the first that can be repeated: the start, or the last set up."""
        begins = [0]
        for node in self.mainline():
            begins.append(begins[-1] if node._setup is None else len(begins))
        return begins

    def descendants(self) -> Iterator[ChildNode]:
        """All nodes below this one, each line before the continuations of its variations."""
        waiting = self.variations[::-1]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.variations))

    def starts_variation(self) -> bool:
        """True for the first node of a variation."""
        return self.parent is not None and bool(self.parent.variations) and self.parent.variations[0] is not self

    def is_mainline(self) -> bool:
        """True if this node is on the line that was played."""
        return not any(node.starts_variation() for node in self._upwards())

    # --- changing the tree

    def add_variation(
        self,
        move: Move | str,
        *,
        comment: str = "",
        starting_comment: str = "",
        nags: Iterable[str] = (),
        setup: PositionLike | None = None,
    ) -> ChildNode:
        """Add a move as the last variation, or as the main continuation if it is the first, and return its node.

        setup: a position to set up after the move. Raises IllegalMoveError, naming the legal moves, if the move is
        illegal or ambiguous, and InvalidPdnError if the setup has the other side to move.
        """
        setup = None if setup is None else position_of(setup)
        node = ChildNode(self, checked(self.bits, move), setup)
        if setup is not None and setup.side == self.bits[3]:
            raise InvalidPdnError(f"the position set up after {node} has the other side to move: {setup.fen}")
        node.comment, node.starting_comment, node.nags = comment, starting_comment, list(nags)
        self.variations.append(node)
        return node

    def add_main_variation(self, move: Move | str, *, comment: str = "", nags: Iterable[str] = ()) -> ChildNode:
        """Add a move as the main continuation; the former one becomes a variation. Raises IllegalMoveError."""
        node = self.add_variation(move, comment=comment, nags=nags)
        self.promote_to_main(node)
        return node

    def add_line(
        self, moves: Iterable[Move | str], *, comment: str = "", starting_comment: str = "", nags: Iterable[str] = ()
    ) -> GameNode:
        """Add moves one after another. The comment and judgements go to the last one, whose node is returned.

        Raises IllegalMoveError at an illegal move, after adding those before it.
        """
        node: GameNode = self
        for move in moves:
            node = node.add_variation(move, starting_comment=starting_comment)
            starting_comment = ""
        if comment:
            node.comments.append(comment)
        node.nags.extend(nags)
        return node

    def variation(self, which: int | Move | str | ChildNode) -> ChildNode:
        """A child by its number, move or move text. Raises KeyError if there is none."""
        return self.variations[self._index(which)]

    def has_variation(self, which: int | Move | str | ChildNode) -> bool:
        """True if there is a child of this number, move or text."""
        try:
            self._index(which)
        except KeyError:
            return False
        return True

    def remove_variation(self, which: int | Move | str | ChildNode) -> None:
        """Remove a child and everything after it. Raises KeyError if there is none."""
        self.variations.pop(self._index(which)).parent = None

    def promote_to_main(self, which: int | Move | str | ChildNode) -> None:
        """Make a child the main continuation. Raises KeyError if there is none."""
        self.variations.insert(0, self.variations.pop(self._index(which)))

    def promote(self, which: int | Move | str | ChildNode) -> None:
        """Move a child one place up among the variations. Raises KeyError if there is none."""
        index = self._index(which)
        if index > 0:
            self.variations.insert(index - 1, self.variations.pop(index))

    def demote(self, which: int | Move | str | ChildNode) -> None:
        """Move a child one place down among the variations. Raises KeyError if there is none."""
        index = self._index(which)
        self.variations.insert(index + 1, self.variations.pop(index))

    # --- clocks

    def clock(self) -> float | None:
        """Seconds left to the player who moved, from [%clk 0:04:59] or [%clock w0:10:00]; None if not given."""
        for comment in self._comments or ():
            for side, seconds in clock_times(comment):
                if side is None or (self.parent is not None and side is self.parent.turn):
                    return seconds
        return None

    def set_clock(self, seconds: float | None) -> None:
        """Set the seconds left to the player who moved; None removes the comment."""
        self.comments = with_time(self.comments, CLOCK, "clk", seconds)

    def emt(self) -> float | None:
        """Seconds the move took, from a comment such as [%emt 0:00:03] or [%emt 3.2]; None if not given."""
        return next((seconds for each in self._comments or () if (seconds := move_time(each)) is not None), None)

    def set_emt(self, seconds: float | None) -> None:
        """Set the seconds the move took; None removes the comment."""
        self.comments = with_time(self.comments, MOVE_TIME, "emt", seconds)

    def _repr_svg_(self) -> str:
        """The position as notebooks show it, with the move that led there."""
        from kr import svg

        return svg.board(self.position, last_move=self.move if isinstance(self, ChildNode) else None, size=svg.SHOWN)

    def accept(self, visitor: Walker[T]) -> T:
        """Walk a visitor through this node and everything after it; returns the visitor's result."""
        return visitor.walk(self)

    @property
    def bits(self) -> Bits:
        """The `position` in the form of `Position.bits`; cached."""
        path: list[ChildNode] = []
        node: GameNode = self
        while (board := node._bits) is None:
            if not isinstance(node, ChildNode):
                node._bits = node.game().start.bits
            else:
                path.append(node)
                assert node.parent is not None
                node = node.parent
        for child in reversed(path):
            board = child._bits = played(board, child.move) if child._setup is None else child._setup
        return board

    def mainline_bits(self) -> Iterator[Bits]:
        """The `positions` in the form of `bits`; several times faster."""
        board = self.bits
        yield board
        for node in self.mainline():
            board = played(board, node.move) if node._setup is None else node._setup
            yield board

    def _index(self, which: int | Move | str | ChildNode) -> int:
        if isinstance(which, int) and 0 <= which < len(self.variations):
            return which
        if isinstance(which, ChildNode):
            for index, node in enumerate(self.variations):
                if node is which:
                    return index
        else:
            for index, node in enumerate(self.variations):
                if which == node.text or (node.is_legal and which == node.move):
                    return index
        raise KeyError(which)


class ChildNode(GameNode):
    """A move of a game and the position after it."""

    __slots__ = ("_move", "_starting_comments")

    def __init__(self, parent: GameNode, move: Move | str, setup: Position | None = None) -> None:
        """Made by `add_variation` and readers. move: a legal Move, or the text of an illegal one."""
        # as in GameNode: a call of it takes 4% of the time of reading
        self.parent = parent
        self.variations = []
        self._bits = self._comments = self._nags = None
        self._setup = None if setup is None else setup.bits
        self._move = move
        self._starting_comments: list[str] | None = None

    @property
    def move(self) -> Move:
        """The move that leads here. Raises IllegalMoveError in an illegal variation."""
        if isinstance(self._move, str):
            raise IllegalMoveError(f"{self._move} is part of an illegal variation, which is kept as text only")
        return self._move

    @property
    def text(self) -> str:
        """The move as written."""
        return str(self._move)

    @property
    def is_legal(self) -> bool:
        """True if the move and all moves before it are legal, so that the node has a position."""
        return not isinstance(self._move, str)

    @property
    def starting_comments(self) -> list[str]:
        """Comments before the move: at the start of a variation, or after the variations on the previous move."""
        if self._starting_comments is None:
            self._starting_comments = []
        return self._starting_comments

    @starting_comments.setter
    def starting_comments(self, comments: Iterable[str]) -> None:
        self._starting_comments = list(comments)

    @property
    def starting_comment(self) -> str:
        """Comments before the move as one text; "" if there are none. Setting it replaces them."""
        return " ".join(self._starting_comments) if self._starting_comments else ""

    @starting_comment.setter
    def starting_comment(self, comment: str) -> None:
        self._starting_comments = [comment] if comment else []

    def __str__(self) -> str:
        before = self.ply() - 1 + int(self.game().start.side)
        return f"{before // 2 + 1}{'...' if before % 2 else '.'} {self.text}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.text}>"


NOT_LEGAL, NOT_KNOWN = "Not legal from here", "Not known from here"
"""Beginnings of the comment that keeps, as text, the moves that a reader could not replay."""


class RootNode(GameNode):
    """The root of a tree: headers, start, result and warnings of a game. `kr.pdn.Game` is its only subclass."""

    __slots__ = ("_result", "headers", "start", "warnings")

    def __init__(self, headers: Mapping[str, str], start: Position, result: str) -> None:
        super().__init__(None)
        self.headers: dict[str, str] = dict(headers)
        """Tags as written."""
        self.start: Position = start
        """Position before the first move."""
        self.result = result
        self.warnings: tuple[str, ...] = ()
        """The reader's decisions, and contradictions between the result and its tag or the final position."""

    @property
    def breaks_off(self) -> bool:
        """True if moves after the last one are kept as text: one was not legal, or not written down."""
        return any(comment.startswith((NOT_LEGAL, NOT_KNOWN)) for comment in self.end().comments)

    @property
    def result(self) -> Result:
        """Result of the game; text such as "1-0" may be assigned. Raises InvalidPdnError for an unknown one."""
        return self._result

    @result.setter
    def result(self, result: str) -> None:
        try:
            self._result = Result(result)
        except ValueError:
            raise InvalidPdnError(f"result {result!r} is not one of {', '.join(RESULTS)}") from None
