"""Text for squares, boards and moves: the only place where squares are numbered 1 to 32.

Inside kr a square is 0 to 31 and a board is three 32-bit bitboards (black, white, kings: bit s is square s)
with the side to move (0 Black, 1 White). Black's men start on squares 1-12 and move up the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from kr.errors import IllegalMoveError, InvalidFenError

SQUARES = 32
MAX_SIDE_PIECES = 12
SIDE_NAMES = ("Black", "White")
# rows where a man is crowned, so none can stand there
BLACK_KING_ROW = 0xF0000000
WHITE_KING_ROW = 0x0000000F

_SIDE_LETTERS = "BW"
_CELL = 6
"""Columns of a square of a board in text."""
_PIECE = re.compile(r"(K?)(?:([0-9]+)(?:-(K?)([0-9]+))?|([A-J](?:10|[0-9])))")
# text around a copied FEN: quotes, brackets, and the tag of a PDN game
_QUOTES = "\"'`\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"
_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_TAG = re.compile(r"FEN(?:\s*[:=]\s*|\s+|(?=[\"'\u201c\u201e]))", re.IGNORECASE)
# move counters of lidraughts and PlayStrategy
_LETTERED = re.compile("(?:^|,)K?[A-H][1-8](?:,|$)")
_MOST_WRAPPINGS = 8
_COUNTER = re.compile("[HF][0-9]{1,4}")
_FEN_LIKE = re.compile(r"[BW]\s*:\s*(?:[BW][^/\\]*|[^:/\\]*:.*)", re.IGNORECASE | re.DOTALL)
# begun at no digit but the first of a number, so that a number of thousands of digits is read once
_SPLIT_NUMBER = re.compile(r"(?<![0-9])[0-9]++\s++[0-9]+")
_MOVE = re.compile(r"[0-9]+(?:\s*[-x:]\s*[0-9]+)+", re.IGNORECASE)


def squares(bits: int) -> Iterator[int]:
    """The squares 0-31 of a bitboard, in ascending order."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def king_steps(one: int, other: int) -> int:
    """Steps of a king from one square 0-31 to another on an empty board: rows or columns between them, whichever are
    more; 1 for squares that touch at a corner."""
    rows, columns = (abs(first - second) for first, second in zip(_place(one), _place(other), strict=True))
    return max(rows, columns)


def _place(square: int) -> tuple[int, int]:
    """Row and column of a square, both 0 to 7."""
    row, index = divmod(square, 4)
    return row, 2 * index + (row + 1) % 2


def square_name(square: int) -> str:
    """The number 1-32, as text, of an inside square 0-31."""
    return str(square + 1)


def parse_square(text: str) -> int:
    """The inside square 0-31 named by a number 1-32; ValueError (one line) for anything else."""
    if not re.fullmatch("[0-9]{1,9}", text.strip()) or not 1 <= int(text) <= SQUARES:
        raise ValueError(f"square {text.strip()!r} does not exist: squares are numbered 1 to {SQUARES}")
    return int(text) - 1


def letters_square(name: str) -> int | None:
    """The inside square 0-31 that a1 to h8 name as seen by Black, who begins; None for a light one.

    a1 is square 4, in the corner to Black's left, c3 square 11, h8 square 29.
    """
    file, row = ord(name[0]) - ord("a"), int(name[1]) - 1
    return None if (file + row) % 2 else 4 * row + 3 - file // 2


def check_board(black: int, white: int, kings: int) -> None:
    """Raise InvalidFenError, with one clear line, unless three 32-bit bitboards make a possible board."""
    if min(black, white, kings) < 0 or (black | white | kings) >> SQUARES:
        raise InvalidFenError("a bitboard has a bit outside squares 1 to 32")
    if black & white:
        raise InvalidFenError(f"square {_names(black & white)} holds both a Black and a White piece")
    if kings & ~(black | white):
        raise InvalidFenError(f"square {_names(kings & ~(black | white))} is marked as a king but holds no piece")
    for name, pieces, king_row in (("Black", black, BLACK_KING_ROW), ("White", white, WHITE_KING_ROW)):
        if pieces.bit_count() > MAX_SIDE_PIECES:
            raise InvalidFenError(f"{name} has {pieces.bit_count()} pieces: a side has at most {MAX_SIDE_PIECES}")
        for square in squares(pieces & ~kings & king_row):
            number = square_name(square)
            raise InvalidFenError(f"a {name} man stands on its king row, square {number}: make it a king, K{number}")


def parse_fen(text: str, *, crown: bool = False) -> tuple[int, int, int, int]:
    """Read a position as (black, white, kings, side).

    The form is ``B:W18,24,K10:B12,K22``: the side to move, then the two sides' squares in either order, K before a
    king. Other forms are read too: ranges (``1-12``, ``K1-4``), blanks, lower case, a final dot, a side without pieces;
    move counters at the end (``:H0:F1``), which are left out; squares named by file and row, a1 at the left hand of
    Black, who moves first (a1 is 4, c3 is 11); quotes or brackets around it, as in ``[FEN "W:W21,K30:B1,2"]``. crown:
    read a man on its king row as a king, for collections of problems that leave the K out. Raises InvalidFenError, with
    the reason, for anything else.
    """
    if not isinstance(text, str):
        raise InvalidFenError(f"a FEN is text such as B:W18,24,K10:B12,K22, not {text!r}")
    bare = _bare_fen(text)
    fields = "".join(bare.split()).upper().removesuffix(".").split(":")
    while len(fields) > 3 and _COUNTER.fullmatch(fields[-1]):
        fields.pop()
    try:
        if len(fields) != 3:
            more = "; only counters such as :H0:F1 may follow" if len(fields) > 3 else ""
            raise InvalidFenError(f"it must have three fields, as in B:W18,24,K10:B12,K22{more}")
        fields = [field.removesuffix(".") for field in fields]
        if split := _SPLIT_NUMBER.search(bare):
            raise InvalidFenError(f"a comma is missing in {split[0]!r}")
        side = _parse_side(fields[0], "side to move")
        colours = _parse_colours(fields[1], fields[2])
        pieces, kings = [0, 0], 0
        for colour, field in zip(colours, fields[1:], strict=True):
            pieces[colour], own_kings = _parse_pieces(field[1:], SIDE_NAMES[colour])
            kings |= own_kings
        if crown:
            kings |= pieces[0] & BLACK_KING_ROW | pieces[1] & WHITE_KING_ROW
        check_board(pieces[0], pieces[1], kings)
    except InvalidFenError as error:
        lettered = any(_LETTERED.search(field[1:]) for field in fields[1:])
        hint = " (with letters, a1 is at the left hand of Black)" if lettered else ""
        raise InvalidFenError(f"FEN {text.strip()!r}: {error}{hint}") from None
    return pieces[0], pieces[1], kings, side


def looks_like_fen(text: str) -> bool:
    """True if a text begins as a FEN does, valid or not, and so isn't a name, a file, or moves."""
    return _FEN_LIKE.match(_bare_fen(text)) is not None


def fen_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, from 1: without comments, which begin with #, and without those that are then empty."""
    for number, line in enumerate(lines, 1):
        if text := line.partition("#")[0].strip():
            yield number, text


def format_fen(black: int, white: int, kings: int, side: int) -> str:
    """The canonical FEN: White's pieces first, squares ascending, K before a king, ``W:W21,K30:B1,2``."""
    return f"{_SIDE_LETTERS[side]}:W{_piece_list(white, kings)}:B{_piece_list(black, kings)}"


def parse_path(text: str) -> tuple[int, ...]:
    """Squares 0-31 named by the text of a move: ``11-15``, ``22x15``, ``10x19x26``, ``22:15``, ``9 - 13``.

    The separator does not distinguish captures from other moves: old files write captures with ``-``.
    Raises IllegalMoveError for any other text.
    """
    if not isinstance(text, str) or not _MOVE.fullmatch(text.strip()):
        raise IllegalMoveError(f"{text!r} is not a move: write it as 11-15, or 22x15 for a capture")
    try:
        return tuple(parse_square(number) for number in re.findall("[0-9]+", text))
    except ValueError as error:
        raise IllegalMoveError(f"{text!r} is not a move: {error}") from None


def format_path(path: Sequence[int], capture: bool) -> str:
    """The text of a move through these squares 0-31: ``11-15`` or, for a capture, ``10x19x26``."""
    return ("x" if capture else "-").join(square_name(square) for square in path)


def draw_board(
    black: int,
    white: int,
    kings: int,
    *,
    flipped: bool = False,
    marked: Collection[int] = (),
    labels: Mapping[int, str] | None = None,
) -> str:
    """The board as ten lines of text: the number of each square, and on it b w men or B W kings.

    White sits at the bottom, or Black if it is flipped. Pieces on `marked` squares 0-31 are put in brackets. labels:
    texts of up to 6 characters by square 0-31, shown on a second line of each row.
    """
    edge = "+" + "-" * (8 * _CELL) + "+"
    lines = [edge]
    for row in range(8):
        cells: list[str] = []
        below: list[str] = []
        for place in range(4 * row, 4 * row + 4):
            square = SQUARES - 1 - place if flipped else place
            letter = _letter(square, black, white, kings)
            shown = f"[{letter}]" if square in marked else f" {letter} "
            # a row begins with a light square, the next one with a dark one
            pair = f"{square_name(square):>2}{shown}".ljust(_CELL), " " * _CELL
            label = (labels or {}).get(square, "").center(_CELL), " " * _CELL
            cells += pair if row % 2 else pair[::-1]
            below += label if row % 2 else label[::-1]
        lines += [f"|{''.join(each)}|" for each in ([cells, below] if labels else [cells])]
    return "\n".join([*lines, edge])


def _bare_fen(text: str) -> str:
    """A FEN without the quotes, brackets and tag around it."""
    for _ in range(_MOST_WRAPPINGS):
        stripped = text.strip().strip(_QUOTES)
        if _BRACKETS.get(stripped[:1]) == stripped[1:][-1:] != "":
            stripped = stripped[1:-1]
        stripped = _TAG.sub("", stripped, count=1) if _TAG.match(stripped) else stripped
        if stripped == text:
            break
        text = stripped
    return text


def _names(bits: int) -> str:
    return ", ".join(square_name(square) for square in squares(bits))


def _letter(square: int, black: int, white: int, kings: int) -> str:
    bit = 1 << square
    if not (black | white) & bit:
        return " "
    letter = "b" if black & bit else "w"
    return letter.upper() if kings & bit else letter


def _parse_side(letter: str, what: str) -> int:
    if letter not in tuple(_SIDE_LETTERS):
        raise InvalidFenError(f"the {what} is {letter!r}, not B or W")
    return _SIDE_LETTERS.index(letter)


def _parse_colours(first: str, second: str) -> tuple[int, int]:
    """Colours of the two lists of pieces; an empty list may lack its letter."""
    letters = [field[:1] for field in (first, second)]
    colours = [_parse_side(letter, "side of a list of pieces") for letter in letters if letter]
    if len(colours) == 2 and colours[0] == colours[1]:
        raise InvalidFenError(f"{SIDE_NAMES[colours[0]]}'s pieces are listed twice")
    if not colours:
        return 1, 0
    return (colours[0], 1 - colours[0]) if first else (1 - colours[0], colours[0])


def _parse_pieces(text: str, name: str) -> tuple[int, int]:
    """Read one side's list as (pieces, kings)."""
    pieces = kings = 0
    for item in text.split(",") if text else ():
        match = _PIECE.fullmatch(item)
        if match is None:
            raise InvalidFenError(f"{name}'s {item!r} is not a square such as 18, K10, 1-12, a1 or Kc3")
        king, first, last_king, last, letters = match.groups()
        if last_king and not king:
            raise InvalidFenError(f"{name}'s range {item!r} must begin with a king too")
        try:
            low = _lettered_square(letters.lower()) if letters else parse_square(first)
            high = parse_square(last) if last else low
        except ValueError as error:
            raise InvalidFenError(f"{name}'s {error}") from None
        if high < low:
            raise InvalidFenError(f"{name}'s range {item!r} runs down: write {last}-{first}")
        bits = (2 << high) - (1 << low)
        if pieces & bits:
            raise InvalidFenError(f"{name}'s square {_names(pieces & bits)} is listed twice")
        pieces |= bits
        kings |= bits if king else 0
    return pieces, kings


def _lettered_square(name: str) -> int:
    """The inside square of a name such as a1 or c3. Raises ValueError."""
    if not re.fullmatch("[a-h][1-8]", name):
        raise ValueError(f"square {name!r} does not exist: the board has squares from a1 to h8")
    square = letters_square(name)
    if square is None:
        raise ValueError(f"square {name!r} is a light one: pieces stand on the dark ones, such as a1, b2 and c3")
    return square


def _piece_list(pieces: int, kings: int) -> str:
    return ",".join(("K" if kings >> square & 1 else "") + square_name(square) for square in squares(pieces))
