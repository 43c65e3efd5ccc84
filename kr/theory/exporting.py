"""`kr book export`: a book in other forms, for play, for reading, and for other programs."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from kr.book.cooks import COOKS_FACT
from kr.book.frame import BookKey, book_key
from kr.errors import InvalidSettingError
from kr.file_kinds import USER_BOOK, WORKING_BOOK
from kr.game.position import Move, Position, Side
from kr.settings import REQUIRED, Settings, known_suffix, option
from kr.storage import atomic_path, check_apart, lock, provenance
from kr.theory.contents import BookContents, GraphContents, open_contents
from kr.theory.cooks import checked_cooks
from kr.theory.graph import LONGEST_PATH, LOSS_OF_A_PLY, PEOPLE_PLAY
from kr.theory.packing import origin_of, packed_book
from kr.theory.trees import TreeShape, book_games, book_tree
from kr.theory.userbook import userbook_entries

PACKED = "krb"
SUFFIXES = {".krb": PACKED, ".txt": "text", ".pdn": "pdn", ".json": "json", ".bin": "checkerboard"}
"""Form of a book by the suffix of its file."""
BOOK_FORMATS = tuple(SUFFIXES.values())
_BY_OPENING = ("text", "pdn")


@dataclass(frozen=True)
class BookExportSettings(Settings):
    """What is exported, and where to."""

    book: Path = option(
        REQUIRED, "The book: of kr book build, packed, or CheckerBoard's; shipped: kr's.", metavar="FILE", argument=True
    )
    out: Path = option(REQUIRED, "The file to write.", metavar="FILE")
    format: str = option(
        "", "Its form: {allowed}; by its suffix if left out.", choices=("", *BOOK_FORMATS),
        metavar="|".join(BOOK_FORMATS),
    )  # fmt: skip
    within: int = option(
        10, "text, pdn: moves that are worse than the best by no more are shown, in centi-men.", low=0, high=1000
    )
    plies: int = option(12, "text, pdn: plies of the lines after each opening.", low=1, high=LONGEST_PATH)

    def form(self) -> str:
        """The form to write. Raises InvalidSettingError."""
        return self.format or SUFFIXES[known_suffix("without --format, --out", self.out, SUFFIXES)]


@dataclass(frozen=True)
class BookExportReport:
    """What was written."""

    format: str
    number: int
    unit: str
    """What the number counts: positions, or openings."""
    bytes: int


def export_book(settings: BookExportSettings) -> BookExportReport:
    """Write a book in another form. Raises InvalidSettingError, InvalidBookError, OutputBusyError, OSError."""
    form = settings.form()
    check_apart([settings.out], [settings.book])
    contents = open_contents(settings.book)
    if form == PACKED and not isinstance(contents, GraphContents):
        lack = "is packed already" if contents.has_values else f"is {USER_BOOK}, which has no values"
        raise InvalidSettingError(f"{settings.book} {lack}; expected {WORKING_BOOK}")
    shape = TreeShape(settings.within, settings.plies)
    with lock(settings.out), atomic_path(settings.out) as path, path.open("wb") as file:
        number = _WRITERS[form](contents, shape, file)
        size = file.tell()
    return BookExportReport(form, number, "opening" if form in _BY_OPENING else "position", size)


def _write_packed(contents: BookContents, shape: TreeShape, file: BinaryIO) -> int:
    assert isinstance(contents, GraphContents)
    positions = len(contents)
    file.write(packed_book(contents.graph, _packed_facts(contents, positions)))
    return positions


def _packed_facts(contents: GraphContents, positions: int) -> dict[str, Any]:
    facts = contents.facts
    return {
        **{name: facts.get(name) for name in ("openings", "nodes", "within", "weights", "egdb", "people")},
        COOKS_FACT: checked_cooks(contents.graph).as_object(),
        "positions": positions,
        "proved": sum(node.value is not None for node in contents.graph.nodes.values() if node.moves),
        "built": origin_of(facts.get("provenance", {})),
        "exported": origin_of(provenance("kr book export")),
    }


def _write_text(contents: BookContents, shape: TreeShape, file: BinaryIO) -> int:
    number = 0
    for line in book_tree(contents, shape):
        file.write(f"{line}\n".encode())
        # an empty line before each
        number += not line
    return number


def _write_pdn(contents: BookContents, shape: TreeShape, file: BinaryIO) -> int:
    number = 0
    for number, game in enumerate(book_games(contents, shape), 1):  # noqa: B007
        file.write(f"{game}\n".encode())
    return number


def _write_json(contents: BookContents, shape: TreeShape, file: BinaryIO) -> int:
    """One object; each opening and each position in a line of its own."""
    number = 0
    openings = ({"name": each.name, "moves": each.moves, "fen": each.position.fen} for each in contents.openings)
    head = {"facts": contents.facts, "exact_games": contents.exact_games}
    file.write(f'{json.dumps(head)[:-1]}, "openings": [\n'.encode())
    file.write(",\n".join(map(json.dumps, openings)).encode() + b'\n], "positions": [\n')
    for number, position in enumerate(contents.positions(), 1):
        moves = [
            {"move": str(each.move), "value": each.value, "depth": each.depth, "games": each.games}
            for each in contents.moves(position)
        ]
        file.write(b",\n" if number > 1 else b"")
        file.write(json.dumps({"fen": position.fen, "moves": moves}).encode())
    file.write(b"\n]}\n")
    return number


def _write_userbook(contents: BookContents, shape: TreeShape, file: BinaryIO) -> int:
    entries = userbook_entries(_nearest(contents))
    file.writelines(entries)
    return len(entries)


def _nearest(contents: BookContents) -> Iterator[tuple[Position, Move]]:
    """The positions of a book with either side to move, and the best move there, those first that are nearest to the
    openings by what both sides give away."""
    seen: set[tuple[BookKey, Side]] = set()
    waiting = [(0.0, order, opening.position) for order, opening in enumerate(contents.openings)]
    heapq.heapify(waiting)
    order = len(waiting)
    while waiting:
        cost, _, position = heapq.heappop(waiting)
        key = (book_key(position), position.side)
        moves = contents.moves(position)
        best = contents.best(moves)
        if key in seen or best is None:
            continue
        seen.add(key)
        yield position, best.move
        for each in moves:
            if each.value is None and each is not best:
                continue
            step = 1.0 if best.value is None or each.value is None else 1 + (best.value - each.value) / LOSS_OF_A_PLY
            order += 1
            heapq.heappush(
                waiting, (cost + (step / 2 if each.games >= PEOPLE_PLAY else step), order, position.play(each.move))
            )


_WRITERS: dict[str, Callable[[BookContents, TreeShape, BinaryIO], int]] = {
    PACKED: _write_packed, "text": _write_text, "pdn": _write_pdn, "json": _write_json, "checkerboard": _write_userbook,
}  # fmt: skip
"""For each form what writes a book to a file, and returns the number of what it has written."""
