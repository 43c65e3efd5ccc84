"""Repertoires: the moves that a player means to play with one side, as PDN with variations.

A game of the file is an opening: its moves are those that the player means to play, and the replies that they answer.
The tag `Repertoire` names the side, in a chapter of a study `Orientation`; `BallotMoves "3"` says that the first three
moves are drawn by lot, so that nobody chooses them. A position stands once, however it was reached. It is kept as it is
on the board, not in the frame of a book: there a position of the player and one of the opponent could be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kr.errors import InvalidPdnError
from kr.game.position import Bits, Move, Position, Side
from kr.notation import SIDE_NAMES
from kr.pdn import ENGLISH, ChildNode, Game, GameNode, Reader
from kr.pdn.replay import played
from kr.text import visible

REPERTOIRE_TAG, BALLOT_TAG = "Repertoire", "BallotMoves"
ORIENTATION_TAG = "Orientation"
"""In studies of other sites: the side at the bottom of the board."""
SUGGESTION = "Suggestion"
"""Begins the comment of a move that a book has put in, and the player has not chosen yet."""
TRANSPOSES = "Transposes"
"""Comment where a position follows that stands elsewhere in the file with its moves."""
MOST_BALLOT_MOVES = 10


@dataclass(slots=True)
class RepertoireMove:
    """A move of a repertoire: one that the player means to play, or a reply that they answer."""

    move: Move
    after: Bits
    """The position that it leads to."""
    comments: list[str] = field(default_factory=list)
    nags: list[str] = field(default_factory=list)

    @property
    def is_suggested(self) -> bool:
        """True if a book has put it in."""
        return any(each.startswith(SUGGESTION) for each in self.comments)


@dataclass(frozen=True, slots=True)
class RepertoireRoot:
    """Where the choice begins: the position after moves that are drawn by lot, or the start of a game."""

    start: Position
    ballot: tuple[Move, ...]
    event: str
    """Name of the game in the file."""


@dataclass(frozen=True, slots=True)
class IllegalVariation:
    """A variation that can't be played."""

    board: Bits
    move: str
    """The move as written."""
    line: int | None
    """Line of the file at which its game begins."""


@dataclass
class Repertoire:
    """The repertoire for one side."""

    side: Side
    roots: dict[Bits, RepertoireRoot] = field(default_factory=dict)
    moves: dict[Bits, dict[Bits, RepertoireMove]] = field(default_factory=dict)
    """Moves of a position by the position after them: captures that end alike are one move."""
    illegal: list[IllegalVariation] = field(default_factory=list)

    def is_own(self, board: Bits) -> bool:
        """True if it is the player's turn."""
        return board[3] == self.side

    def of(self, board: Bits) -> list[RepertoireMove]:
        """Moves of a position, in the order of the file."""
        return list(self.moves.get(board, {}).values())

    def add(self, board: Bits, move: Move) -> RepertoireMove:
        """Add a move, or find it."""
        after = played(board, move)
        return self.moves.setdefault(board, {}).setdefault(after, RepertoireMove(move, after))

    def add_game(self, game: Game) -> None:
        """Add all lines of a game. Raises InvalidPdnError for a wrong tag, or a position that is set up on the way."""
        root, node = _beginning(game)
        self.roots.setdefault(node.bits, root)
        waiting: list[GameNode] = [node]
        while waiting:
            node = waiting.pop()
            for child in node.variations:
                if not child.is_legal:
                    self.illegal.append(IllegalVariation(node.bits, child.text, game.line))
                    continue
                if child.setup is not None:
                    raise InvalidPdnError(f"a position is set up after {child}; expected lines of moves alone")
                self._take(node.bits, child)
                waiting.append(child)

    def _take(self, board: Bits, child: ChildNode) -> None:
        own = self.add(board, child.move)
        before = {*own.comments, TRANSPOSES}
        own.comments += [each for each in (*child.starting_comments, *child.comments) if each not in before]
        own.nags += [each for each in child.nags if each not in own.nags]

    def lines(self) -> dict[Bits, list[Move]]:
        """A shortest way to each position from the start of a game, moves drawn by lot included, nearest first."""
        ways: dict[Bits, list[Move]] = {board: list(root.ballot) for board, root in self.roots.items()}
        boards = list(ways)
        for board in boards:  # grows meanwhile
            for each in self.of(board):
                if each.after not in ways:
                    ways[each.after] = [*ways[board], each.move]
                    boards.append(each.after)
        return ways

    def own_moves(self) -> Iterator[tuple[Position, Move]]:
        """The first move of the player in each position, nearest to the start of a game first."""
        for board in self.lines():
            if self.is_own(board) and (moves := self.of(board)):
                yield Position.from_bits(board), moves[0].move

    def games(self) -> Iterator[Game]:
        """The repertoire as games, one for each root; the moves of a position stand where it comes first."""
        written: set[Bits] = set()
        for board, root in self.roots.items():
            headers = {"Event": root.event, REPERTOIRE_TAG: SIDE_NAMES[self.side]}
            if root.ballot:
                headers[BALLOT_TAG] = str(len(root.ballot))
            game = Game({**headers, "Result": "*", "GameType": ENGLISH}, root.start, root.ballot)
            self._plant(game.end(), board, written)
            yield game

    def _plant(self, node: GameNode, board: Bits, written: set[Bits]) -> None:
        waiting = [(node, board)]
        while waiting:
            node, board = waiting.pop()
            if board in written:
                if self.moves.get(board):
                    node.comments.append(TRANSPOSES)
                continue
            written.add(board)
            children = []
            for each in self.of(board):
                child = node.add_variation(each.move, nags=each.nags)
                child.comments = each.comments
                children.append((child, each.after))
            # the first line is written as a whole before those beside it
            waiting.extend(reversed(children))


def _beginning(game: Game) -> tuple[RepertoireRoot, GameNode]:
    """Where the choice of a game begins. Raises InvalidPdnError."""
    text = game.headers.get(BALLOT_TAG, "0").strip()
    if not text.isdecimal() or int(text) > MOST_BALLOT_MOVES:
        raise InvalidPdnError(
            f"the tag {BALLOT_TAG} is {text[:20]!r}; expected how many moves are drawn by lot, 0 to {MOST_BALLOT_MOVES}"
        )
    node: GameNode = game
    moves: list[Move] = []
    for _ in range(int(text)):
        if len(node.variations) != 1 or not node.variations[0].is_legal:
            why = "ends" if not node.variations else "branches"
            raise InvalidPdnError(f"the game {why} after {len(moves)} of its {text} {BALLOT_TAG}")
        node = node.variations[0]
        assert isinstance(node, ChildNode)
        moves.append(node.move)
    event = game.headers.get("Event", "").strip("? ")
    return RepertoireRoot(game.start, tuple(moves), event or "Repertoire"), node


def read_repertoires(
    paths: Iterable[Path],
    side: Side | None = None,
    on_error: Callable[[InvalidPdnError], None] | None = None,
) -> dict[Side, Repertoire]:
    """The repertoires of files, by side, Black's first.

    side: of games without the tag, if not given that of their tag `Orientation`. on_error: hears of each game that is
    left out; without it the error is raised.
    Raises InvalidPdnError, also if nothing is left, and OSError.
    """
    repertoires: dict[Side, Repertoire] = {}
    for path in paths:
        with Reader(path, on_error=on_error) as reader:
            for game in reader:
                try:
                    whose = _side_of(game, side)
                    repertoires.setdefault(whose, Repertoire(whose)).add_game(game)
                except InvalidPdnError as error:
                    fault = InvalidPdnError(f"{path}, line {game.line}: {visible(str(error))}")
                    if on_error is None:
                        raise fault from error
                    on_error(fault)
    if not any(each.moves for each in repertoires.values()):
        raise InvalidPdnError(f"{', '.join(map(str, paths))}: no repertoire; expected PDN games with moves")
    return dict(sorted(repertoires.items()))


def _side_of(game: Game, side: Side | None) -> Side:
    own, turned = (game.headers.get(tag, "").strip() for tag in (REPERTOIRE_TAG, ORIENTATION_TAG))
    if side is not None and not own:
        return side
    for each in Side:
        if (own or turned).casefold() == SIDE_NAMES[each].casefold():
            return each
    was = f"{own[:20]!r}" if own else "missing"
    raise InvalidPdnError(f'the tag {REPERTOIRE_TAG} is {was}; expected "Black" or "White" (or give --side)')
