"""What the tags of a game mean for kr: who plays Black, who begins, and what the squares of its moves are called."""

from __future__ import annotations

import re
from functools import cache

from kr.notation import SQUARES
from kr.pdn.grammar import Draft, DraftLine
from kr.pdn.writer import ENGLISH

# [GameType "21,B,8,8,N1,0"]: who begins, files, rows, notation with the corner of its first square, invert flag
_GAME_TYPE = re.compile(r"21,([WB])(?:,8,8(?:,([ANS])([0-3])(?:,([01]))?)?)?", re.IGNORECASE)
_VARIANT = re.compile(r"american|english|checkers", re.IGNORECASE)
_OTHER_VARIANT = re.compile(r"pool|russian|brazil|czech|international", re.IGNORECASE)
_SQUARE_NAME = re.compile(r"[a-h][1-8]|\d+", re.IGNORECASE)


def settle_players(tags: dict[str, str]) -> tuple[dict[str, str], str]:
    """The tags with the players as Black, who begins, and White, and a warning if a tag of theirs had another meaning.

    Red begins, and P1 on sites without colours; a GameType may say that White does.
    """
    if "Red" in tags and not {"Black", "White"} <= tags.keys():
        if "Black" in tags:
            names = {"Red": "Black", "Black": "White"}
            return _renamed(tags, names), "Red begins: the tag Red is read as Black, and Black as White"
        return _renamed(tags, {"Red": "Black"}), ""
    if {"P1", "P2"} <= tags.keys() and not tags.keys() & {"Black", "White"}:
        return _renamed(tags, {"P1": "Black", "P2": "White"}), ""
    found = _GAME_TYPE.fullmatch(_plain(tags.get("GameType", "")))
    if found and found[1].upper() == "W" and not tags.get("FEN", "").strip():
        turned = _renamed(tags, {"White": "Black", "Black": "White"})
        turned["GameType"] = turned["GameType"].replace("W", "B", 1).replace("w", "B", 1)
        return turned, "White begins by the GameType: White is read as Black, who begins in kr, and Black as White"
    return tags, ""


def _renamed(tags: dict[str, str], names: dict[str, str]) -> dict[str, str]:
    return {names.get(name, name): value for name, value in tags.items()}


def _plain(game_type: str) -> str:
    return "".join(game_type.split())


def number_squares(draft: Draft) -> str:
    """Write the moves of a draft with the numbers of kr's squares, as its tags tell what they are called.

    Returns a warning if that changed something. Letters stay where no tag says that the game is English draughts: with
    letters Russian, Brazilian and Czech games look alike.
    """
    game_type = _plain(draft.tags.get("GameType", ""))
    found = _GAME_TYPE.fullmatch(game_type)
    kind, corner, inverted = "", 0, False
    if found and found[2]:
        kind, corner, inverted = found[2].upper(), int(found[3]), found[4] == "1"
    variant = draft.tags.get("Variant", "")
    english = game_type.split(",")[0] == ENGLISH or (
        not game_type and bool(_VARIANT.search(variant)) and not _OTHER_VARIANT.search(variant)
    )
    letters = _squares("A", corner if kind == "A" else 0, inverted and kind == "A") if english else {}
    numbers = _squares("N", corner, inverted) if kind in ("N", "S") and (corner, inverted) != (1, False) else {}
    if not letters and not numbers:
        return ""
    first = ""
    lines: list[DraftLine] = [draft]
    for line in lines:
        for index, text in enumerate(line.moves):
            names = letters if text[0].isalpha() else numbers
            if not names:
                continue
            squares = [names.get(name.lower().lstrip("0")) for name in _SQUARE_NAME.findall(text)]
            if None in squares:
                continue
            line.moves[index] = ("x" if "x" in text.lower() or ":" in text else "-").join(str(each) for each in squares)
            first = first or f"{text} is read as {line.moves[index]}"
        lines += [note for _, note in line.notes if isinstance(note, DraftLine)]
    if first and numbers:
        draft.tags["GameType"] = ENGLISH
    if not first:
        return ""
    return f"squares are numbered from another corner: {first}" if numbers else f"squares are named by letters: {first}"


@cache
def _squares(kind: str, corner: int, inverted: bool) -> dict[str, int]:
    """Numbers 1-32 of kr by the names of squares, letters (A) or numbers (N).

    corner: of the first square, as the side that begins sees the board: bottom left, bottom right, top left, top right.
    inverted: the bottom left corner is not played on; such a board is kr's in a mirror.
    """
    names: dict[str, int] = {}
    rows, files = range(8), range(8)
    for row in rows if corner in (0, 1) else reversed(rows):
        for file in files if corner in (0, 2) else reversed(files):
            if (row + file) % 2 != inverted:
                continue
            letter = file if corner in (0, 2) else 7 - file
            rank = row if corner in (0, 1) else 7 - row
            name = f"{'abcdefgh'[letter]}{rank + 1}" if kind == "A" else str(len(names) + 1)
            column = 7 - file if inverted else file
            names[name] = 4 * row + 4 - column // 2
    assert sorted(names.values()) == list(range(1, SQUARES + 1))
    return names
