"""Where a static score comes from: the table entries behind it, and what each piece has of it.

The score of region tables is a sum: an entry for each region, material, and having the move. An entry belongs to
all the pieces in its region together. It is shared out among them by Shapley values: what a piece adds to the entry as
it joins the others, averaged over all orders in which they could come onto the region's squares. This is the one way
that leaves nothing over, treats pieces alike that do the same, and gives nothing to a piece that changes nothing. What
the entry of the empty region holds belongs to no piece. Beside its share stands what the score would lose if the piece
were taken off the board (`worth`): the plainer question, but such differences don't add up to the score, because pieces
work together, and the piece's absence changes phase and, with the last king, the tables.

Everything is from the side to move: an opponent's piece that stands well has a negative share. Sums are exact: the
core adds up integers, and here the same integers are shared out as fractions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr import weights as files
from kr.chances import format_score
from kr.engine import BUILT_IN, SHIPPED, load_evaluator, table_evaluator
from kr.errors import InvalidSettingError
from kr.notation import SIDE_NAMES, SQUARES, squares
from kr.patterns import KINGS_BASE, MAX_PIECES, MEN_BASE, Region
from kr.position import Position, Side
from kr.weights import Parts, Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kr.svg import Svg

UNITS = MAX_PIECES * files.UNITS
"""Parts of a centi-man that the core adds up: table units times shares of the phases."""
MATERIAL = {"man": 100, "king": 130}
"""Centi-men of the evaluation `material`."""
NO_TABLES = "the evaluation 'manual' has no tables to share out: only what taking a piece off changes is shown"


@dataclass(frozen=True)
class RegionShare:
    """A region and its table entry; centi-men from the side to move."""

    squares: tuple[int, ...]
    """0-31, on the board as it is."""
    score: float
    """What the entry adds to the score."""
    opening: float
    """The entry's weight with all pieces on the board."""
    ending: float
    """And with none; they are mixed by the number of pieces."""
    own: float | None
    """What of the score is the entry's own and not that of the smaller windows in it, which share theirs with other
    entries; None for tables without such parts. An entry never seen in training has none of its own."""
    empty: float
    """What the entry of the empty region would add: no piece's share."""


@dataclass(frozen=True)
class PieceShare:
    """A piece and its share of the score; centi-men from the side to move."""

    square: int
    """0-31."""
    side: Side
    king: bool
    material: float | None
    """What a piece of its kind counts wherever it stands; None where the evaluation doesn't tell."""
    place: float | None
    """Its share of the regions' entries: what standing there, among these, is worth besides; None without tables."""
    worth: int
    """What the score loses without the piece."""


@dataclass(frozen=True)
class Explanation:
    """A static score and what it is made of."""

    position: Position
    weights: str
    """Name of the evaluation."""
    score: int
    """Centi-men from the side to move."""
    group: str
    """"men" or "kings": which tables count, by whether there is a king on the board; "" without tables."""
    material: float | None
    """What all pieces count together; None where the evaluation doesn't tell."""
    move: float
    """What having the move counts."""
    regions: tuple[RegionShare, ...]
    pieces: tuple[PieceShare, ...]
    """In order of their squares."""
    rounding: float | None
    """What turns the sum of material, move and regions into the whole number that the score is; None without a sum."""
    note: str
    """What to know about this score; "" if nothing."""

    @property
    def empty(self) -> float:
        """What the empty regions add: with material, the move and the shares of the pieces it makes the sum."""
        return sum(region.empty for region in self.regions)

    @property
    def shares(self) -> dict[int, float]:
        """What to show on the board, by square: the place of each piece, or its worth without tables."""
        if not self.regions:
            return {piece.square: float(piece.worth) for piece in self.pieces}
        return {piece.square: piece.place for piece in self.pieces if piece.place is not None}

    def svg(self, *, flipped: bool = False, size: float | None = None) -> Svg:
        """The board as SVG, each piece with its share and its square in the share's colour; size: pixels."""
        return picture(self, flipped=flipped, size=size)

    def _repr_svg_(self) -> str:
        """The board as notebooks show it."""
        return self.svg()


def explain(position: Position, weights: str | Path | Weights | None = None) -> Explanation:
    """Explain the static score of a position.

    weights: as for Engine, or tables in memory. Raises InvalidWeightsError, and InvalidSettingError for an empty board.
    """
    return Explainer(weights).explain(position)


class Explainer:
    """Explains positions by one evaluation, which is loaded once.

    weights: as for Engine, or tables in memory. Raises InvalidWeightsError.
    """

    def __init__(self, weights: str | Path | Weights | None = None) -> None:
        self._tables: Weights | None = None
        if isinstance(weights, Weights):
            self.name, self._tables = weights.layout.name, weights
        elif weights is not None and str(weights) in BUILT_IN:
            self.name = str(weights)
        else:
            shipped = weights is None or str(weights) == SHIPPED
            self.name = SHIPPED if shipped else Path(str(weights)).stem
            self._tables = files.load(files.shipped_path() if shipped else str(weights))
        self._evaluator = load_evaluator(self.name)[2] if self._tables is None else table_evaluator(self._tables)

    def explain(self, position: Position) -> Explanation:
        """Explain the static score of a position. Raises InvalidSettingError for an empty board."""
        if not position.pieces:
            raise InvalidSettingError("an empty board has no score to explain")
        score = self._score(position)
        worth = {square: score - self._score(_without(position, square)) for square in _occupied(position)}
        if self._tables is None:
            return _built_in(position, self.name, score, worth)
        return _from_tables(position, self.name, score, worth, self._tables)

    def _score(self, position: Position) -> int:
        return int(self._evaluator.evaluate(position.black, position.white, position.kings, int(position.side)))


def _occupied(position: Position) -> list[int]:
    return list(squares(position.black | position.white))


def _without(position: Position, square: int) -> Position:
    off = ~(1 << square)
    return Position(position.black & off, position.white & off, position.kings & off, position.side)


def _note(position: Position) -> str:
    moves = position.legal_moves()
    if not moves:
        return "the game is over: the static score means nothing here"
    if moves[0].is_capture:
        return "a capture is pending, which a search plays out first: the static score says little here"
    return ""


def _notes(*notes: str) -> str:
    return "; ".join(filter(None, notes))


def _sign(position: Position, square: int) -> int:
    """1 for a piece of the side to move, -1 for one of the other side."""
    return 1 if (position.white >> square & 1) == position.side else -1


def _built_in(position: Position, name: str, score: int, worth: dict[int, int]) -> Explanation:
    """Material is its own explanation; the hand-built evaluation is no sum over pieces."""
    counted = name == "material"
    pieces = []
    for square in _occupied(position):
        king = bool(position.kings >> square & 1)
        material = float(_sign(position, square) * MATERIAL["king" if king else "man"])
        pieces.append(
            PieceShare(
                square, Side(position.white >> square & 1), king,
                material if counted else None, 0.0 if counted else None, worth[square],
            )
        )  # fmt: skip
    return Explanation(
        position, name, score, "", float(score) if counted else None, 0.0, (), tuple(pieces),
        0.0 if counted else None, _notes("" if counted else NO_TABLES, _note(position)),
    )  # fmt: skip


def _from_tables(position: Position, name: str, score: int, worth: dict[int, int], tables: Weights) -> Explanation:
    kings = position.kings != 0
    regions, table, material, parts, base = (
        (tables.layout.kings, tables.kings_table, tables.kings_material, tables.kings_parts, KINGS_BASE)
        if kings
        else (tables.layout.men, tables.men_table, tables.men_material, tables.men_parts, MEN_BASE)
    )
    digits = _digits(position)
    mix = _Mix(position.pieces)
    man, king, move = (int(each) for each in mix(material))
    found, total = [], 0
    shares = dict.fromkeys(_occupied(position), Fraction(0))
    for number, region in enumerate(regions):
        shared = None if parts is None else _of_parts(parts, number, digits)
        here, region_total, empty = _shared_out(table[number], region, digits, base, mix)
        entry = table[number, _index(region, digits, base)]
        total += region_total
        for square, share in here.items():
            shares[_on_board(position, square)] += share
        opening, ending = (float(each) / files.UNITS for each in entry)
        found.append(
            RegionShare(
                tuple(sorted(_on_board(position, square) for square in region)),
                region_total / UNITS,
                opening,
                ending,
                None if shared is None else int(mix(_wrapped(entry - shared))) / UNITS,
                empty / UNITS,
            )
        )
    pieces, balance = [], 0
    for square, share in shares.items():
        crowned = bool(position.kings >> square & 1)
        counts = _sign(position, square) * (king if crowned else man)
        balance += counts
        pieces.append(
            PieceShare(
                square, Side(position.white >> square & 1), crowned, counts / UNITS, float(share / UNITS), worth[square]
            )
        )
    return Explanation(
        position, name, score, "kings" if kings else "men", balance / UNITS, move / UNITS, tuple(found), tuple(pieces),
        float(score - Fraction(total + balance + move, UNITS)), _note(position),
    )  # fmt: skip


class _Mix:
    """Weights of opening and ending as one number, in UNITS of a centi-man, with so many pieces on the board."""

    def __init__(self, pieces: int) -> None:
        self._opening, self._ending = pieces, MAX_PIECES - pieces

    def __call__(self, weights: NDArray[Any]) -> NDArray[np.int64]:
        """(..., 2) -> (...)."""
        import numpy as np

        wide = weights.astype(np.int64)
        return np.asarray(wide[..., 0] * self._opening + wide[..., 1] * self._ending)


def _on_board(position: Position, square: int) -> int:
    """The square of the board behind a square of the mover's frame, and the reverse."""
    return SQUARES - 1 - square if position.side == Side.WHITE else square


def _digits(position: Position) -> list[int]:
    """What the regions see on each square of the mover's frame (kr.patterns)."""
    digits = [0] * SQUARES
    for square in _occupied(position):
        digit = (1 if _sign(position, square) > 0 else 2) + 2 * (position.kings >> square & 1)
        digits[_on_board(position, square)] = digit
    return digits


def _index(window: Region, digits: list[int], base: int) -> int:
    return sum(base**i * digits[square] for i, square in enumerate(window))


def _of_parts(parts: Parts, number: int, digits: list[int]) -> NDArray[Any]:
    """What the parts bring to the entry of a region: the sum over those whose home, or that one's home, it is."""
    import numpy as np

    windows = parts.windows
    total = np.zeros(2, dtype=np.int64)
    for i, part in enumerate(windows.parts):
        home = part.home
        while home >= len(windows.regions):
            home = windows.parts[home - len(windows.regions)].home
        if home == number:
            total += parts.values[windows.starts[i] + _index(part.squares, digits, windows.base)]
    return total


def _wrapped(entry: NDArray[Any]) -> NDArray[Any]:
    """Modulo 2^16, as tables and parts are added."""
    import numpy as np

    return entry.astype(np.int64).astype(np.int16)


def _shared_out(
    table: NDArray[np.int16], region: Region, digits: list[int], base: int, mix: _Mix
) -> tuple[dict[int, Fraction], int, int]:
    """The share of each occupied square of a region (Shapley values), the sum, and what the empty region has of it."""
    import numpy as np

    occupied = [(base**i * digits[square], square) for i, square in enumerate(region) if digits[square]]
    # the entries of all sets of these pieces; bit j of a set's number stands for piece j
    indices = np.zeros(1, dtype=np.int64)
    for step, _ in occupied:
        indices = np.concatenate([indices, indices + step])
    scores = mix(table[indices])
    count = len(occupied)
    sets = np.arange(1 << count)
    orders = np.array([math.factorial(n) * math.factorial(max(count - 1 - n, 0)) for n in range(count + 1)])
    shares = {}
    for j, (_, square) in enumerate(occupied):
        before = sets[sets >> j & 1 == 0]
        gains = scores[before | 1 << j] - scores[before]
        shares[square] = Fraction(int((gains * orders[np.bitwise_count(before)]).sum()), math.factorial(count))
    return shares, int(scores[-1]), int(scores[0])


# --- shown


GOOD, BAD, NEUTRAL = (42, 120, 214), (235, 104, 52), (222, 219, 208)
HEAD, FOOT = 26, 40
"""Units above and below the board of a picture, for title and legend."""
INK, PAPER = "#0b0b0b", "#fcfcfb"
LEAST_MOST = 15.0
"""Centi-men: no smaller share gets the full colour."""


def colours(shares: dict[int, float]) -> dict[int, str]:
    """A colour of each share, by square: blue for the side to move, orange against it, the stronger the larger."""
    most = max(LEAST_MOST, *map(abs, shares.values()))
    shown = {}
    for square, share in shares.items():
        strength = min(abs(share) / most, 1.0) ** 0.8
        end = GOOD if share > 0 else BAD
        shown[square] = "#" + "".join(f"{round(a + (b - a) * strength):02x}" for a, b in zip(NEUTRAL, end, strict=True))
    return shown


def title(explanation: Explanation) -> str:
    """The score in words."""
    side = SIDE_NAMES[explanation.position.side]
    return f"{side} to move: static score {format_score(explanation.score)} centi-men"


def legend(explanation: Explanation) -> tuple[str, str, str]:
    """What the numbers on a board are, whom blue and whom orange squares help."""
    side = explanation.position.side
    numbers = (
        "each piece's share of the table entries" if explanation.regions else "what the score loses without the piece"
    )
    return f"{numbers}, in centi-men", f"helps {SIDE_NAMES[side]}", f"helps {SIDE_NAMES[side.other]}"


def picture(explanation: Explanation, *, flipped: bool = False, size: float | None = None) -> Svg:
    """A board as SVG with title and legend, each piece with its share and its square in the share's colour.

    size: width in pixels; None to leave that to where it is shown.
    """
    from kr import svg

    shares = explanation.shares
    width = 8 * svg.CELL + 2 * svg.EDGE
    height = width + HEAD + FOOT
    board = svg.board(
        explanation.position,
        flipped=flipped,
        fill=colours(shares),
        labels={square: format_share(share) for square, share in shares.items()},
        size=width,
        colors={"dark": "#c3bfb2", "light": "#f4f1ea"},
    )
    numbers, good, bad = legend(explanation)
    key = [
        f'<rect x="{x}" y="{HEAD + width + 7}" width="11" height="11" rx="2" fill="rgb{colour}"/>'
        f'<text x="{x + 15}" y="{HEAD + width + 16.5}" font-size="11">{escape(text)}</text>'
        for x, colour, text in ((svg.EDGE, GOOD, good), (svg.EDGE + 90, BAD, bad))
    ]
    return svg.Svg(
        f"{svg.opening(width, size, height)}\n"
        f"<title>{escape(f'{explanation.position.fen}: {title(explanation)}')}</title>\n"
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>\n'
        f'<g font-family="sans-serif" fill="{INK}"><text class="title" x="{svg.EDGE}" y="17" font-size="13" '
        f'font-weight="bold">{escape(title(explanation))}</text>\n<g transform="translate(0,{HEAD})">\n{board}</g>\n'
        f'<g class="legend">{"".join(key)}<text x="{width - svg.EDGE}" y="{HEAD + width + 16.5}" font-size="11" '
        f'text-anchor="end">{escape(f"weights: {explanation.weights:.20}")}</text>'
        f'<text x="{svg.EDGE}" y="{HEAD + width + 32}" font-size="11">{escape(numbers)}</text></g></g>\n</svg>\n'
    )


def format_share(share: float) -> str:
    """A share as text, centi-men."""
    text = f"{share:+.1f}"
    return "0" if text in ("+0.0", "-0.0") else text
