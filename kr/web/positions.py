"""Positions: legal moves, FENs that people type, openings by number or name."""

from __future__ import annotations

from functools import cache
from typing import Any

from kr.openings.decks import deck
from kr.openings.names import BALLOT_NAMES
from kr.text import plain_name
from kr.viewer.positions import move_json, position_json
from kr.web.house import House
from kr.web.request import PageRequest

MOST_OPENINGS = 40
"""Openings that one search gives."""


def show_position(house: House, request: PageRequest) -> dict[str, Any]:
    """A position with its legal moves, from any FEN."""
    return position_json(request.position())


def find_ballots(house: House, request: PageRequest) -> dict[str, Any]:
    """Openings of a deck whose number, name or moves match a text; all of them in order without one."""
    name = request.choice("deck", ("3move", "11man"))
    text = plain_name(request.text("wanted", 100, "").replace(",", " "))
    matches = [each for each in _openings(name) if _matches(each, text)]
    return {"openings": matches[:MOST_OPENINGS], "found": len(matches)}


def ballot_moves(house: House, request: PageRequest) -> dict[str, Any]:
    """An opening as a start and its moves, by deck and number."""
    name = request.choice("deck", ("3move", "11man"))
    all_of = deck(name, playable_only=False)
    number = request.number("number", 1, len(all_of))
    (opening,) = (each for each in all_of if each.number == number)
    start, moves = opening.begin()
    steps, at = [], start
    for move in moves:
        at = at.play(move)
        steps.append({**move_json(move), "fen": at.fen})
    title = f"{'Three-move' if name == '3move' else '11-man'} ballot {number}"
    opening_name = BALLOT_NAMES.get(number, "") if name == "3move" else ""
    return {"start": start.fen, "moves": steps, "title": f"{title}: {opening_name}" if opening_name else title}


@cache
def _openings(name: str) -> list[dict[str, Any]]:
    return [
        {
            "number": each.number,
            "moves": each.moves,
            "name": BALLOT_NAMES.get(each.number, "") if name == "3move" else "",
            "standing": each.standing,
        }
        for each in deck(name, playable_only=False)
    ]


def _matches(opening: dict[str, Any], text: str) -> bool:
    if text.isdecimal():
        return str(opening["number"]) == text
    return text in plain_name(f"{opening['moves']} {opening['name']}")


ROUTES = {"position": show_position, "openings": find_ballots, "opening": ballot_moves}
LIVE: dict[str, Any] = {}
