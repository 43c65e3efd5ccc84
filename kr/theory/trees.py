"""The moves of a book as trees, one for each opening: as text, and as games in PDN with variations."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from kr.book.cooks import COOK
from kr.book.frame import BookKey, book_key
from kr.book.krb import MOST_VALUE
from kr.book.shares import games_text
from kr.evaluation.chances import format_score
from kr.game.position import Position
from kr.game.value import Value
from kr.openings.decks import Opening
from kr.openings.lines import name_at
from kr.pdn import Game, write_game
from kr.pdn.tree import GameNode
from kr.text import visible
from kr.theory.contents import BookContents, TheoryMove

_BAD_MOVE = "$2"


@dataclass(slots=True)
class BookBranch:
    """A move of the tree, with what follows."""

    said: TheoryMove
    position: Position
    """Position after it."""
    loss: int | None = None
    """Centi-men that it gives away, of a cook; None for a move that is not one."""
    same_as: str = ""
    """Where the position after it is shown, if that is elsewhere."""
    branches: list[BookBranch] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TreeShape:
    """Which moves a tree has."""

    within: int
    """Centi-men: moves that are worse than the best by no more."""
    plies: int
    """Plies of each line."""


def opening_tree(
    contents: BookContents, opening: Opening, shape: TreeShape, elsewhere: dict[BookKey, str]
) -> list[BookBranch]:
    """The first moves of an opening, best first, with what follows: moves near the best, and cooks.

    Each position is shown once, where fewest moves lead to it. elsewhere: positions of other openings, by name.
    """
    first: list[BookBranch] = []
    shown = {book_key(opening.position): "the beginning"}
    waiting = deque([(opening.position, first, 0, "")])
    while waiting:
        position, branches, plies, line = waiting.popleft()
        for branch in _branches(contents, position, shape.within):
            branches.append(branch)
            key, way = book_key(branch.position), f"{line} {branch.said.move}".strip()
            if branch.loss is not None:
                continue
            branch.same_as = shown.get(key) or elsewhere.get(key, "")
            shown.setdefault(key, way)
            if not branch.same_as and plies + 1 < shape.plies:
                waiting.append((branch.position, branch.branches, plies + 1, way))
    return first


def _branches(contents: BookContents, position: Position, within: int) -> Iterator[BookBranch]:
    moves = contents.moves(position)
    best = contents.best(moves)
    if best is None:
        return
    if best.value is None:
        yield BookBranch(best, position.play(best.move))
        return
    cook = contents.cook(position, moves)
    for each in moves:
        loss = None if each.value is None else best.value - each.value
        if each is cook or (loss is not None and loss <= within):
            yield BookBranch(each, position.play(each.move), loss if each is cook else None)


def root_names(contents: BookContents) -> dict[BookKey, str]:
    """The openings of a book by their positions, each name in one line."""
    return {book_key(opening.position): visible(opening.name) for opening in contents.openings}


def book_tree(contents: BookContents, shape: TreeShape) -> Iterator[str]:
    """Lines of the book as text: each opening with its moves, indented where there is a choice."""
    names = root_names(contents)
    if contents.has_values:
        yield f"Moves at most {shape.within} centi-men worse than the best, to ply {shape.plies} after each opening."
        yield "Values are centi-men for the side that plays the first move of a line."
    else:
        yield f"The moves of the book, to ply {shape.plies} after each opening."
    for opening in contents.openings:
        branches = opening_tree(contents, opening, shape, names)
        if branches:
            yield ""
            yield heading(opening)
            yield from _text_lines(contents, branches)


def heading(opening: Opening) -> str:
    """Name of an opening: its number, its moves, and what players call it."""
    name = name_at(opening.position.bits)
    own = f" ({name})" if name and name not in opening.name else ""
    return visible(f"{opening.title}{own}")


def _text_lines(contents: BookContents, first: list[BookBranch]) -> Iterator[str]:
    waiting = [(branch, 1) for branch in reversed(first)]
    while waiting:
        begins, depth = waiting.pop()
        moves, branch = [str(begins.said.move)], begins
        # moves without another stand in one line
        while len(branch.branches) == 1:
            (branch,) = branch.branches
            moves.append(str(branch.said.move))
        yield "  " * depth + "  ".join((" ".join(moves), *_words(contents, begins, branch)))
        waiting.extend((each, depth + 1) for each in reversed(branch.branches))


def _words(contents: BookContents, branch: BookBranch, end: BookBranch) -> list[str]:
    """What is known of a move, and of where the line that it begins is shown further."""
    said = branch.said
    words = [] if said.value is None else [value_text(said.value), f"depth {said.depth}"]
    if said.games:
        words.append(games_text(said.games, contents.exact_games))
    if branch.loss is not None:
        words.append(f"cook: {branch.loss} worse")
    if end.same_as:
        words.append(f"as {end.same_as}")
    return words


def value_text(value: int) -> str:
    """A value of a book as people read it."""
    return Value.from_sign(value) if abs(value) >= MOST_VALUE else format_score(value)


def book_games(contents: BookContents, shape: TreeShape) -> Iterator[str]:
    """The book as PDN: a game for each opening, with variations."""
    names = root_names(contents)
    for opening in contents.openings:
        branches = opening_tree(contents, opening, shape, names)
        if branches:
            yield write_game(_game(contents, opening, branches))


def _game(contents: BookContents, opening: Opening, first: list[BookBranch]) -> Game:
    start, moves = opening.begin()
    game = Game({"Event": heading(opening), "Result": "*"}, start, moves)
    if contents.has_values:
        game.comment = (
            "A move's value is in centi-men for the side that plays it; a cook is a move that people play most, and "
            f"that is at least {COOK} worse than the best."
        )
    waiting: list[tuple[GameNode, BookBranch]] = [(game.end(), branch) for branch in reversed(first)]
    while waiting:
        parent, branch = waiting.pop()
        nags = [_BAD_MOVE] if branch.loss is not None else []
        words = ", ".join(_words(contents, branch, branch))
        node = parent.add_variation(branch.said.move, comment=words, nags=nags)
        waiting.extend((node, each) for each in reversed(branch.branches))
    return game
