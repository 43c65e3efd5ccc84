"""Meaning of a game's tags for kr: who plays Black, who begins, and the names of the squares in its moves."""

from __future__ import annotations

import re
from functools import cache

from kr.language.sentences import Sentence, sentence
from kr.notation import SQUARES
from kr.pdn.drafts import Draft, DraftLine, Fault
from kr.pdn.writer import ENGLISH

# [GameType "21,B,8,8,N1,0"]: side that begins, files, rows, notation with the corner of its first square, invert flag
_GAME_TYPE = re.compile(r"21,([WB])(?:,8,8(?:,([ANS])([0-3])(?:,([01]))?)?)?", re.IGNORECASE)
_VARIANT = re.compile(r"american|english|checkers", re.IGNORECASE)
_OTHER_VARIANT = re.compile(r"pool|russian|brazil|czech|international", re.IGNORECASE)
_TURNED_SIDES = str.maketrans("WBwb", "BWbw")
_SQUARE_NAME = re.compile(r"[a-h][1-8]|\d+", re.IGNORECASE)
_FEN_SIDE = re.compile(r"(?:^\W*|:\s*)[WB]", re.IGNORECASE)
_FEN_ITEM = re.compile(r"(K?)(?:([a-h][1-8])|(\d{1,2})(?:\s*-\s*K?(\d{1,2}))?)", re.IGNORECASE)


def settle_players(tags: dict[str, str]) -> tuple[dict[str, str], Sentence | None]:
    """The tags with the players as Black, who begins, and White, and a warning if a tag of theirs had another meaning.

    Red begins, and P1 on sites without colours; a GameType may say that White does.
    """
    # a FEN names the side that begins, unless the GameType also says that White begins from the first squares
    game_type = tags.get("GameType", "")
    match = None if game_type == ENGLISH else _GAME_TYPE.fullmatch(_plain(game_type))
    white_begins = bool(match and match[1] in "Ww" and (match[2] or not tags.get("FEN", "").strip()))
    names: dict[str, str] = {}
    warning = None
    if "Red" in tags and not {"Black", "White"} <= tags.keys():
        if "Black" in tags:
            names = {"Red": "Black", "Black": "White"}
            warning = sentence("pdn.red")
        else:
            names = {"White": "Black", "Red": "White"} if white_begins else {"Red": "Black"}
    elif "P1" in tags and "P2" in tags and not tags.keys() & {"Black", "White"}:
        names = {"P1": "Black", "P2": "White"}
    elif white_begins:
        names = {"White": "Black", "Black": "White"}
    if names.get("White") == "Black":
        warning = sentence("pdn.white_begins")
    if names or white_begins:
        tags = {names.get(name, name): value for name, value in tags.items()}
    if white_begins:
        tags["GameType"] = tags["GameType"].replace("W", "B", 1).replace("w", "B", 1)
        if "FEN" in tags:
            tags["FEN"] = _FEN_SIDE.sub(lambda side: side[0].translate(_TURNED_SIDES), tags["FEN"])
    return tags, warning


def _plain(game_type: str) -> str:
    return "".join(game_type.split())


def number_squares(draft: Draft) -> Sentence | None:
    """Write the moves and FEN of a draft with the numbers of kr's squares for the names that its tags give them.

    Returns a warning if that changed something. Letters stay where no tag says that the game is English draughts: with
    letters Russian, Brazilian and Czech games look alike. Raises Fault for a FEN with squares that its board lacks.
    """
    game_type = _plain(draft.tags.get("GameType", ""))
    match = None if game_type == ENGLISH else _GAME_TYPE.fullmatch(game_type)
    kind, corner, inverted = "", 0, False
    if match and match[2]:
        kind, corner, inverted = match[2].upper(), int(match[3]), match[4] == "1"
    variant = draft.tags.get("Variant", "")
    english = game_type.split(",")[0] == ENGLISH or (
        not game_type and bool(_VARIANT.search(variant)) and not _OTHER_VARIANT.search(variant)
    )
    letters = _squares("A", corner if kind == "A" else 0, inverted and kind == "A") if english else {}
    numbers = _squares("N", corner, inverted) if kind in ("N", "S") and (corner, inverted) != (1, False) else {}
    if not letters and not numbers:
        return None
    first = None
    if (kind, corner, inverted) not in (("", 0, False), ("A", 0, False)):
        first = _number_start(draft, letters, numbers)
    lines: list[DraftLine] = [draft]
    for line in lines:
        # letters come after digits, and nearly all games have none
        lettered = numbers or max(line.moves, default="") >= "A"
        for index, text in enumerate(line.moves if lettered else ()):
            names = letters if text[0].isalpha() else numbers
            if not names:
                continue
            squares = [names.get(name.lower().lstrip("0")) for name in _SQUARE_NAME.findall(text)]
            if None in squares:
                continue
            line.moves[index] = ("x" if "x" in text.lower() or ":" in text else "-").join(str(each) for each in squares)
            first = first or sentence("pdn.read_as", text=text, read=line.moves[index])
        lines += [note for _, note in line.notes if isinstance(note, DraftLine)]
    if numbers and (first or draft.setup or "FEN" in draft.tags):
        draft.tags["GameType"] = ENGLISH
    if not first:
        return None
    return sentence("pdn.corner" if numbers else "pdn.letters", example=first)


def _number_start(draft: Draft, letters: dict[str, int], numbers: dict[str, int]) -> Sentence | None:
    """Write the FEN of a draft with the numbers of kr's squares. Returns a note of the change, if there is one."""
    fen, offset = draft.setup or (draft.tags.get("FEN", ""), draft.tag_offsets.get("FEN", 0))
    try:
        plain = _renumbered(fen, letters, numbers)
    except ValueError as error:
        why = sentence("pdn.no_square", square=str(error))
        game_type = _plain(draft.tags["GameType"])
        raise Fault(offset, sentence("pdn.bad_fen", fen=repr(fen), why=why, type=game_type)) from None
    if draft.setup:
        draft.setup = plain, offset
    elif fen:
        draft.tags["FEN"] = plain
    return sentence("pdn.fen_read_as", fen=fen, read=plain) if plain != fen else None


def _renumbered(fen: str, letters: dict[str, int], numbers: dict[str, int]) -> str:
    """A FEN with the numbers of kr's squares. Raises ValueError with a square that the board does not have."""

    def renumbered(match: re.Match[str]) -> str:
        king, letter, low, high = match.groups()
        if not (letters if letter else numbers):
            return match[0]
        names = [letter.lower()] if letter else [str(each) for each in range(int(low), int(high or low) + 1)]
        if lost := [name for name in names if name not in (letters if letter else numbers)]:
            raise ValueError(lost[0])
        return ",".join(f"{king}{(letters if letter else numbers)[name]}" for name in names)

    fields = fen.split(":")
    for index, field in enumerate(fields[1:3], 1):
        # a list begins with the letter of its side, which is not part of a square
        start = len(field) - len(field.lstrip()) + 1
        fields[index] = field[:start] + _FEN_ITEM.sub(renumbered, field[start:])
    return ":".join(fields)


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
