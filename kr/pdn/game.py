"""A game in PDN: headers, start, result, and the tree of its moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.board import PositionLike, position_of
from kr.game.position import Move, Position, Side
from kr.pdn.comments import notes_of, set_notes, settable
from kr.pdn.notes import Note, Setup
from kr.pdn.replay import checked, played
from kr.pdn.tree import ChildNode, GameNode, RootNode
from kr.pdn.writer import ENGLISH, write_game
from kr.settings import check_type


class Game(RootNode):
    """A game: headers, start and result (English convention: "1-0" means that Black won), and the tree of its moves.

    headers: tags by name. moves: the moves played. notes: comments, judgements, setups and variations. Games are equal
    if they have the same headers (except FEN and SetUp, which repeat `start`), start, result and tree. Raises
    InvalidPdnError for an unknown result, a note after the last move or a setup that does not fit,
    IllegalMoveError, and InvalidSettingError for what is of another type.
    """

    __slots__ = ("line",)

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        start: PositionLike | None = None,
        moves: Iterable[Move | str] = (),
        result: str = "*",
        notes: Iterable[Note] = (),
    ) -> None:
        for what, given in (("moves", moves), ("notes", notes)):
            check_type(what, given, Iterable)
        headers = headers or {}
        check_type("headers", headers, Mapping)
        for text in (*headers, *headers.values()):
            check_type("a header", text, str)
        super().__init__(headers, Position() if start is None else position_of(start), result)
        self.line: int | None = None
        """Line of the text at which the game begins; None if it was not read."""
        node: GameNode = self
        board = self.start.bits
        notes = tuple(notes)
        for note in notes:
            if not isinstance(note, Note):
                raise InvalidSettingError(f"a note is {note!r:.80}; expected a Comment, Nag, Variation or Setup")
        setups = {note.ply: note.fen for note in notes if isinstance(note, Setup)} if notes else {}
        if 0 in setups:
            raise InvalidPdnError("a position is set up before the first move: give it as the start")
        for ply, move in enumerate(moves, 1):
            node.variations.append(child := ChildNode(node, checked(board, move)))
            board = played(board, child.move)
            if ply in setups:
                board = child._setup = settable(setups[ply], board).bits
            node = child
        if notes:
            set_notes(self, notes)

    @property
    def tags(self) -> dict[str, str]:
        """The headers, by their name in PDN."""
        return self.headers

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played."""
        return tuple(self.mainline_moves())

    @property
    def winner(self) -> Side | None:
        """The side that won; None for a draw, a double loss or an unfinished game."""
        return self.result.winner

    @property
    def notes(self) -> tuple[Note, ...]:
        """Comments, judgements, setups and variations as one list, each with the number of moves before it."""
        return notes_of(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        mine, others = (self.start, self.result), (other.start, other.result)
        return mine == others and _own_headers(self) == _own_headers(other) and _same_tree(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # flat: the nodes of a long game nest deeper than copying and pickling can follow
        return _restored, (self.headers, self.start, self.moves, self.result, self.notes, self.warnings, self.line)

    def __str__(self) -> str:
        return write_game(self)

    def __repr__(self) -> str:
        names = ", ".join(self.headers.get(name, "?") for name in ("Event", "Black", "White"))
        return f"<{type(self).__name__} {names}, {sum(1 for _ in self.mainline())} moves, {self.result}>"


def _restored(
    headers: dict[str, str],
    start: Position,
    moves: tuple[Move, ...],
    result: str,
    notes: tuple[Note, ...],
    warnings: tuple[str, ...],
    line: int | None,
) -> Game:
    """Rebuild a copied or pickled game."""
    game = Game(headers, start, moves, result, notes)
    game.warnings, game.line = warnings, line
    return game


def _own_headers(game: Game) -> dict[str, str]:
    return {name: value for name, value in game.headers.items() if name not in ("FEN", "SetUp", "Setup")}


def _same_tree(one: GameNode, other: GameNode) -> bool:
    waiting = [(one, other)]
    while waiting:
        a, b = waiting.pop()
        if (
            len(a.variations) != len(b.variations)
            or (a._comments or []) != (b._comments or [])
            or sorted(a._nags or []) != sorted(b._nags or [])
        ):
            return False
        for x, y in zip(a.variations, b.variations, strict=True):
            if (
                x._move != y._move
                or x._setup != y._setup
                or (x._starting_comments or []) != (y._starting_comments or [])
            ):
                return False
            waiting.append((x, y))
    return True


def format_game(
    tags: Mapping[str, str], start: PositionLike, moves: Iterable[Move], result: str = "*", notes: Iterable[Note] = ()
) -> str:
    """PDN of a new game, with the tags GameType, Result and, if needed, FEN added to those given."""
    full = {**tags, "Result": result, "GameType": ENGLISH}
    return write_game(Game(full, start, tuple(moves), result, tuple(notes)))


def setups_object(game: GameNode) -> dict[str, list[dict[str, int | str]]]:
    """For a JSON object of a game: its field `setups`, the positions that are set up after moves; left out if none."""
    setups: list[dict[str, int | str]] = [{"ply": ply, "fen": position.fen} for ply, position in game.setups()]
    return {"setups": setups} if setups else {}
