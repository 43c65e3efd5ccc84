"""The opening book: what it says of a position, and where a game leaves it.

book/moves {"fen"} -> the legal moves, those that the book has first, its best one at the head; `cook`: the best move,
    if it beats the one that people play most, `cooked`, by 15 centi-men or more.
book/path {"start", "moves"} -> `plies` of the game from positions of the book, and the move that `left` it, if one did.
    Moves of a ballot count as given.
"""

from __future__ import annotations

from typing import Any

from kr.book.book import KnownMove, cooked, loss_of
from kr.book.krb import least_games
from kr.book.path import book_path
from kr.game.position import Move
from kr.openings.lines import name_at
from kr.openings.names import ballot_of
from kr.viewer.positions import move_json, side_name
from kr.web.house import House
from kr.web.request import PageRequest


def book_rows(house: House, request: PageRequest) -> dict[str, Any]:
    """The legal moves of a position with what the book knows of each."""
    position = request.position()
    known = house.book.moves(position) if house.book else []
    cook = cooked(known)
    rows: list[tuple[Move, dict[str, Any] | None]] = [(each.move, _known_json(known[0], each)) for each in known]
    reached = {position.play(move) for move, _ in rows}
    for move in position.legal_moves():
        # captures by several paths to one position are one move
        if (after := position.play(move)) not in reached:
            reached.add(after)
            rows.append((move, None))
    return {
        "fen": position.fen,
        "side": side_name(position.side),
        "opening": name_at(position.bits),
        "book": house.book is not None,
        "cook": str(known[0].move) if cook else None,
        "cooked": str(cook.move) if cook else None,
        "moves": [
            {**move_json(move), "fen": after.fen, "opening": name_at(after.bits), "book": told}
            for move, told in rows
            for after in (position.play(move),)
        ],
    }


def _known_json(best: KnownMove, move: KnownMove) -> dict[str, Any]:
    return {
        "value": move.value,
        "loss": None if best.value is None or move.value is None else loss_of(best, move),
        "depth": move.depth,
        "games": least_games(move.weight),
    }


def path_of_game(house: House, request: PageRequest) -> dict[str, Any]:
    """How far a game keeps to the book."""
    board = request.board()
    moves = board.moves
    positions = board.positions
    ballot, given = ballot_of([each.bits for each in positions])
    path = book_path(positions, moves, house.book, given if ballot else 0)
    left = path.departure
    return {
        "plies": path.plies,
        "left": left
        and {
            "ply": left.ply,
            "side": side_name(left.side),
            "move": str(left.move),
            "best": str(left.best.move),
            "value": left.best.value,
            "loss": left.loss,
        },
    }


ROUTES = {"book/moves": book_rows, "book/path": path_of_game}
LIVE: dict[str, Any] = {}
