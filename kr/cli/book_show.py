"""`kr book show`."""

from __future__ import annotations

from typing import Any

from kr.book.book import SHIPPED_BOOK
from kr.book.frame import book_key, step_at
from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.evaluation.chances import format_score
from kr.file_kinds import USER_BOOK
from kr.game.position import Position
from kr.settings import option
from kr.storage import as_path, is_file
from kr.theory.contents import BookContents, GraphContents, TheoryMove, best_line, open_contents
from kr.theory.graph import BookNode
from kr.units import counted


@options.command
def show_command(
    book: str = option(
        SHIPPED_BOOK, "The book: of kr book build, packed, or CheckerBoard's.", metavar="FILE", argument=True
    ),
    fen: str = option("", "The position; the usual start if left out.", metavar="FEN", argument=True),
    json: bool = options.JSON,
) -> None:
    """Show what a book knows of a position: its moves, best first.

    For each move its value from later positions of the book, the plies behind that, how often people play it, and the
    line that follows. A book of kr book build also has the search of the position itself, a user book of CheckerBoard
    nothing but the move.

    Example:
        kr book show
        kr book show "W:W21-32:B1-8,10-12,14"
        kr book show book.sqlite "W:W21-32:B1-8,10-12,14" --json
    """
    if not fen and ":" in book and not is_file(book):
        book, fen = SHIPPED_BOOK, book
    position = Position.from_fen(fen) if fen else Position()
    contents = open_contents(as_path(book))
    node = contents.graph.nodes.get(book_key(position)) if isinstance(contents, GraphContents) else None
    if node is not None and not node.nodes and node.value is None:
        # of a packed book that was merged: it has a value, and no search
        node = None
    moves = contents.moves(position)
    if not moves and node is None:
        raise InvalidSettingError(f"{book} has nothing about {position.fen}")
    if json:
        console.emit_json(_object(contents, position, node, moves))
        return
    console.put(position.diagram())
    console.put(console.facts(_facts(contents, position, node, moves)))
    console.put()
    searched = {} if node is None else {each.step: each.score for each in node.moves}
    if not contents.has_values:
        lines = [(str(each.move), " ".join(map(str, best_line(contents, position, each)[1:]))) for each in moves]
        console.put(console.table(["move", "line"], lines))
        return
    columns = ["move", "value", "depth", *(["search"] if node else []), "games", "line"]
    rows = []
    for each in moves:
        games = f"{each.games:,}{'+' if each.games and not contents.exact_games else ''}"
        search = [_score(searched.get(step_at(position, each.move)))] if node else []
        line = " ".join(map(str, best_line(contents, position, each)[1:]))
        rows.append((str(each.move), _score(each.value) or "worse", each.depth or "", *search, games, line))
    console.put(console.table(columns, rows))


def _score(score: int | None) -> str:
    return "" if score is None else format_score(score)


def _object(
    contents: BookContents, position: Position, node: BookNode | None, moves: list[TheoryMove]
) -> dict[str, Any]:
    searched = {} if node is None else {each.step: each.score for each in node.moves}
    cook = contents.cook(position, moves)
    return {
        "fen": position.fen,
        "worth": node.worth if node else moves[0].value,
        "value": node.value if node else None,
        "score": node.score if node else None,
        "nodes": node.nodes if node else None,
        "depth": node.depth if node else None,
        "games": sum(each.games for each in moves),
        "exact_games": contents.exact_games,
        "cooked": str(cook.move) if cook else None,
        "moves": [
            {
                "move": str(each.move), "worth": each.value, "depth": each.depth,
                "score": searched.get(step_at(position, each.move)), "games": each.games,
                "line": " ".join(map(str, best_line(contents, position, each)[1:])),
            }
            for each in moves
        ],
    }  # fmt: skip


def _facts(
    contents: BookContents, position: Position, node: BookNode | None, moves: list[TheoryMove]
) -> list[tuple[str, str]]:
    if not contents.has_values:
        return [("book", f"{USER_BOOK}: moves without values")]
    facts = []
    if node is not None:
        value = f"{node.value}, proved" if node.value else format_score(node.worth)
        search = f"{format_score(node.score)}, depth {node.depth}, {counted(node.nodes, 'node')}"
        facts = [("value", value), ("search", search)]
    elif moves[0].value is not None:
        facts = [("value", format_score(moves[0].value))]
    total = sum(each.games for each in moves)
    facts.append(("games", f"{total:,}{'' if contents.exact_games else ' or more'}"))
    if cook := contents.cook(position, moves):
        facts.append(("cook", f"{moves[0].move} is better than {cook.move}, which people play most"))
    return facts
