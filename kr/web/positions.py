"""Positions: legal moves, FENs that people type, openings by number or name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from operator import itemgetter
from typing import Any

from kr.errors import IllegalMoveError
from kr.game.position import Position
from kr.openings.decks import Opening, deck
from kr.openings.lines import name_at, name_key, named_lines, names_by_board, opening_name, opening_names
from kr.openings.names import ballot_of
from kr.pdn.replay import Replay
from kr.text import plain_name
from kr.viewer.positions import move_json, position_json
from kr.web.house import House
from kr.web.request import LONGEST_FEN, LONGEST_LINE, PageRequest

MOST_OPENINGS = 40
"""Openings that one search gives."""
NAMED = "named"
"""The openings that have a name, numbered in the order of their file, as a deck."""
DECK_TITLES = {"3move": "Three-move ballot", "11man": "11-man ballot"}
SEARCHED = (*DECK_TITLES, NAMED)
_MOVE_NUMBER = re.compile(r"(?<![^ ])[0-9]{1,3}\.+ ?(?=[0-9])")
"""A number before a move, in a text without other blanks than spaces."""


def show_position(house: House, request: PageRequest) -> dict[str, Any]:
    """A position with its legal moves, from any FEN, and its own name as an opening, or ""."""
    position = request.position()
    return {**position_json(position), "opening": name_at(position.bits)}


def line_names(house: House, request: PageRequest) -> dict[str, Any]:
    """The names that a game comes to, each more specific than the one before, and its three-move ballot.

    The game is given by `moves`, and `start` if that is not the usual one.
    """
    fen = request.text("start", LONGEST_FEN, "")
    start = Position.from_fen(fen) if fen else Position()
    replay = Replay(start.bits, request.texts("moves", LONGEST_LINE, 100, ()))
    if replay.error:
        raise replay.error
    names = [{"name": each.name, "ply": each.ply} for each in opening_names(replay.boards)]
    ballot, ply = ballot_of(replay.boards)
    found = {"number": ballot.number, "name": ballot.name, "ply": ply} if ballot else None
    return {"names": names, "ballot": found}


def find_openings(house: House, request: PageRequest) -> dict[str, Any]:
    """Openings of a deck whose number, name or moves match a text; all of them in order without one.

    `name` is an opening's own name, `names` has those on its way, each more specific than the one before; `meant` of
    the first ones are what the text means, by their whole names or all of their moves.
    """
    name = request.choice("deck", SEARCHED)
    text = request.text("wanted", 100, "")
    ranks = ((_rank(each, own, keys, text), each) for each, own, keys in _openings(name))
    matches = sorted(((rank, each) for rank, each in ranks if rank is not None), key=itemgetter(0))
    return {
        "openings": [each for _, each in matches[:MOST_OPENINGS]],
        "found": len(matches),
        "meant": sum(rank == 0 for rank, _ in matches) if text.strip() else 0,
    }


def opening_moves(house: House, request: PageRequest) -> dict[str, Any]:
    """An opening as a start and its moves, by deck and number."""
    name = request.choice("deck", SEARCHED)
    all_of = _deck(name)
    number = request.number("number", 1, len(all_of))
    (opening,) = (each for each in all_of if each.number == number)
    start, moves = opening.begin()
    steps, at = [], start
    for move in moves:
        at = at.play(move)
        steps.append({**move_json(move), "fen": at.fen})
    title = f"{DECK_TITLES[name]} {number}" if name in DECK_TITLES else ""
    named = name_at(opening.position.bits)
    return {"start": start.fen, "moves": steps, "title": ": ".join(filter(None, (title, named)))}


def line_of_text(house: House, request: PageRequest) -> dict[str, Any]:
    """The game that a text of moves from the start tells, `line`, in the form of opening_moves; None for other texts.

    Its title is the most specific name along it.
    """
    position, steps = Position(), []
    positions = [position]
    for text in _words(request.text("wanted", 400)).split():
        try:
            move = position.parse_move(text)
        except IllegalMoveError:
            return {"line": None}
        position = position.play(move)
        positions.append(position)
        steps.append({**move_json(move), "fen": position.fen})
    if not steps:
        return {"line": None}
    reached = opening_name(each.bits for each in positions)
    return {"line": {"start": positions[0].fen, "moves": steps, "title": reached.name if reached else ""}}


def _words(text: str) -> str:
    """A text as moves are compared: without numbers of moves."""
    return _MOVE_NUMBER.sub("", plain_name(text.replace(",", " ")))


def _deck(name: str) -> list[Opening]:
    if name != NAMED:
        return deck(name, playable_only=False)
    return [
        Opening(f"{NAMED} {number}", Position.from_bits(line.board), line.moves)
        for number, line in enumerate(named_lines(), start=1)
    ]


@cache
def _openings(name: str) -> list[tuple[dict[str, Any], Sequence[str], set[str]]]:
    """The openings of a deck, the spellings of each one's own name, and all names by which it is found, as they are
    compared."""
    return [_described(each, name == NAMED) for each in _deck(name)]


def _described(opening: Opening, is_named: bool) -> tuple[dict[str, Any], Sequence[str], set[str]]:
    boards = Replay(opening.start.bits, opening.moves.split()).boards
    # a ballot is found by the names on its way too; among openings with a name, those would be in the way
    lines = map(names_by_board().get, [opening.position.bits] if is_named else boards)
    fields = {
        "number": opening.number,
        "moves": opening.moves,
        "name": name_at(opening.position.bits),
        "names": [each.name for each in opening_names(boards)],
        "standing": opening.standing,
    }
    own = names_by_board().get(opening.position.bits)
    return fields, own.keys if own else (), {key for line in lines if line for key in line.keys}


def _rank(opening: dict[str, Any], own: Sequence[str], keys: set[str], text: str) -> int | None:
    """0 for the opening that a text means, 1 for one that it may mean, None for others."""
    words, key = _words(text), name_key(text)
    if words.isdecimal():
        return 0 if str(opening["number"]) == words else None
    if words == opening["moves"] or key in own:
        return 0
    return 1 if words in opening["moves"] or (key and any(key in each for each in keys)) else None


ROUTES = {
    "position": show_position,
    "openings": find_openings,
    "opening": opening_moves,
    "openings/names": line_names,
    "openings/line": line_of_text,
}
LIVE: dict[str, Any] = {}
