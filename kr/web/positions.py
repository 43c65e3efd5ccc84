"""Positions: legal moves, FENs that people type."""

from __future__ import annotations

from typing import Any

from kr.openings.lines import name_at
from kr.viewer.positions import position_json
from kr.web.house import House
from kr.web.request import PageRequest


def show_position(house: House, request: PageRequest) -> dict[str, Any]:
    """A position with its legal moves, from any FEN, and its own name as an opening, or ""."""
    position = request.position()
    return {**position_json(position), "opening": name_at(position.bits)}


ROUTES = {"position": show_position}
LIVE: dict[str, Any] = {}
