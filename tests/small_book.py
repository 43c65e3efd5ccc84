"""A book of a few positions for tests, with a cook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from small_graph import searched_cook

from kr.book.frame import BookKey, book_key, numbered_steps, step_at
from kr.book.krb import PackedMove, krb_bytes
from kr.game.position import Position

LINES = {
    "": "11-15 6 20 5, 9-14 2 19 3, 10-15 -12 19 2, 12-16 none 0 2",
    "11-15": "22-18 -3 18 4, 23-19 -6 19 2, 21-17 -40 12 6",
    "11-15 22-18": "15x22 3 18 5",
    "11-15 22-18 15x22": "25x18 -3 17 5, 26x17 none 0 1",
    "11-15 23-19": "8-11 6 18 6, 9-14 5 17 3",
    "11-15 23-19 8-11": "22-17 -6 17 5",
    "11-15 23-19 8-11 22-17": "11-16 6 16 4, 4-8 4 16 5",
    "11-15 23-19 8-11 22-17 11-16": "24-20 -6 15 4",
}
"""Positions by the moves to them, and for each the moves of the book: value, depth and weight."""


def book_content(lines: dict[str, str] | None = None) -> bytes:
    """The packed form of positions such as those of LINES."""
    entries: dict[BookKey, list[PackedMove]] = {}
    for way, rows in (LINES if lines is None else lines).items():
        position = Position()
        for move in way.split():
            position = position.play(move)
        numbers = {step: number for number, step in enumerate(numbered_steps(position))}
        entries[book_key(position)] = [
            PackedMove(
                numbers[step_at(position, position.parse_move(text))],
                None if value == "none" else int(value), int(depth), int(weight),
            )
            for text, value, depth, weight in (row.split() for row in rows.split(", "))
        ]  # fmt: skip
    return krb_bytes(entries, {"nodes": 1} | ({"cooks": cooks()} if lines is None else {}))


def cooks() -> dict[str, Any]:
    """Searched cooks of LINES: after 11-15 people play 21-17, which loses; at the start nothing holds."""
    rows = [
        searched_cook("11-15", ("22-18", -4, 20), ("21-17", -39, 21)),
        searched_cook("", ("11-15", 5, 22), ("9-14", 4, 22)),
    ]
    return {"standing": 1, "searched": [row.row() for row in rows]}


def book_file(folder: Path) -> str:
    """A file with the small book, for `--book`."""
    path = folder / "small.krb"
    path.write_bytes(book_content())
    return str(path)
