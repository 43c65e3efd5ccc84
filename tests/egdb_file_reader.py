"""A plain and slow reader of endgame database files, by docs/reference/egdb-format.md alone, to check text and core.

    python tests/egdb_file_reader.py DIR BLACK WHITE KINGS

prints value and distance of a position with Black to move, of bitboards in hexadecimal.
"""

from __future__ import annotations

import json
import sys
import zlib
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import egdb_reference
from egdb_reference import DRAW, LOSS, WIN, Bits, Shape

from kr.proofs import rules as reference

MAGIC = bytes.fromhex("89 4B 52 45 47 44 42 0A")
CHUNK = 65_536
GROUP_BLOCKS, GROUP_BYTES = 16, 24
DIFFERENCES = 500
REST = 0

Code = dict[str, int]
"""Symbols by their codes, which are strings of 0 and 1."""


def aligned(size: int) -> int:
    return (size + 63) // 64 * 64


def number_at(data: bytes, at: int, size: int = 4) -> int:
    return int.from_bytes(data[at : at + size], "little")


# Codes


def prefix_code(lengths: str, symbols: int) -> Code:
    """The code given by a text of code lengths."""
    digits = [int(digit, 16) for digit in lengths.ljust(symbols, "0")]
    assert len(digits) == symbols
    found: Code = {}
    code = 0
    for length in range(1, 12):
        code *= 2
        for symbol in reversed(range(symbols)):
            if digits[symbol] == length:
                found[f"{code:0{length}b}"] = symbol
                code += 1
    assert sum(2.0 ** -len(each) for each in found) == 1
    return found


class BlockBits:
    """The bits of a block in order, with ones after the last."""

    def __init__(self, block: bytes) -> None:
        self.text = "".join(f"{byte:08b}" for byte in block)
        self.at = 0

    def take(self, count: int) -> str:
        taken = self.text[self.at : self.at + count]
        self.at += count
        return taken.ljust(count, "1")

    def number(self, count: int) -> int:
        return int(self.take(count) or "0", 2)

    def symbol(self, code: Code) -> int:
        word = self.take(1)
        while word not in code:
            word += self.take(1)
        return code[word]

    def run(self, run_class: int) -> int:
        """The length of a run of this class."""
        if run_class < 16:
            return run_class + 1
        extra = (run_class - 16) // 4 + 2
        return ((4 + run_class % 4) << extra) + 1 + self.number(extra)


# Files


class EgdbFile:
    """The entries of a file."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        text_bytes = number_at(data, 12)
        text = data[20 : 20 + text_bytes]
        assert data[:8] == MAGIC
        assert number_at(data, 8) == 1
        assert number_at(data, 16) == zlib.crc32(data[:16] + text)
        self.header: dict[str, Any] = json.loads(text)
        self.kind: str = self.header["kind"]
        self.stored: Shape = shape_of(self.header["stored"])
        self.entries: int = self.header["entries"]
        self.block_size: int = 2 ** self.header["block_bits"]
        assert self.entries == slice_size(self.stored)

        begin = aligned(20 + text_bytes)
        blocks = begin + self.header["index_bytes"]
        end = blocks + self.header["data_bytes"] + 16
        self.index = data[begin:blocks]
        self.blocks = data[blocks : end - 16]
        checks = begin + aligned(end - begin)
        chunks = [data[at : min(at + CHUNK, end)] for at in range(begin, end, CHUNK)]
        assert data[end - 16 : checks] == bytes(checks - end + 16)
        assert [zlib.crc32(chunk) for chunk in chunks] == [number_at(data, checks + 4 * i) for i in range(len(chunks))]
        assert len(data) == checks + 4 * len(chunks)

        classes = 4 * self.header["block_bits"]
        symbols = [1 + 2 * classes] * 3 if self.kind == "wld" else [1 + classes] * 8 + [DIFFERENCES] * 8
        self.codes = [prefix_code(*each) for each in zip(self.header["codes"], symbols, strict=True)]

    def block(self, number: int) -> list[int]:
        """All entries of a block; 0 for a block of distances without entries."""
        at = number // GROUP_BLOCKS * GROUP_BYTES
        within = number % GROUP_BLOCKS
        first = number_at(self.index, at + 4) >> 2 * within & 3
        lengths = self.index[at + 8 : at + 24]
        begin = number_at(self.index, at) + sum(lengths[:within])
        size = min(self.block_size, self.entries - number * self.block_size)
        data = self.blocks[begin : begin + lengths[within]]
        if not data:
            return [first] * size
        bits = BlockBits(data)
        return self._values(bits, first, size) if self.kind == "wld" else self._distances(bits, size)

    def _values(self, bits: BlockBits, value: int, size: int) -> list[int]:
        found: list[int] = []
        while len(found) < size:
            symbol = bits.symbol(self.codes[value])
            run = size if symbol == REST else bits.run((symbol - 1) // 2)
            found += [value] * run
            value = (value + 1 + (symbol - 1) % 2) % 3
        return found[:size]

    def _distances(self, bits: BlockBits, size: int) -> list[int]:
        found: list[int] = []
        h = bits.number(8)
        while len(found) < size:
            context = sum(h >= least for least in (1, 2, 3, 5, 8, 13, 20))
            symbol = bits.symbol(self.codes[context])
            if symbol == REST:
                found += [h] * size
                break
            found += [h] * bits.run(symbol - 1)
            symbol = bits.symbol(self.codes[8 + context])
            h += -(symbol + 1) // 2 if symbol % 2 else (symbol + 2) // 2
        return found[:size]

    def entry(self, number: int) -> int:
        return self.block(number // self.block_size)[number % self.block_size]

    def all_entries(self) -> list[int]:
        return [entry for i in range(-(-self.entries // self.block_size)) for entry in self.block(i)]


# Indices of positions; squares are 0-31


class Pieces(NamedTuple):
    """A position, Black to move, as squares of each kind of piece."""

    own_men: list[int]
    own_kings: list[int]
    opponent_men: list[int]
    opponent_kings: list[int]

    @property
    def shape(self) -> Shape:
        return len(self.own_men), len(self.own_kings), len(self.opponent_men), len(self.opponent_kings)


def pieces_of(bits: Bits) -> Pieces:
    board = reference.from_bits(*bits)
    return Pieces(*(sorted(square for square, piece in board.items() if piece == kind) for kind in "bBwW"))


def shape_of(digits: str) -> Shape:
    return int(digits[0]), int(digits[1]), int(digits[2]), int(digits[3])


def rank(squares: list[int], usable: list[int]) -> int:
    return sum(comb(usable.index(square), i + 1) for i, square in enumerate(squares))


def arrangement_number(own: list[int], opponent: list[int]) -> int:
    """The number of an arrangement of men."""
    before = rank(own, list(range(28)))
    sets = (men for men in own_sets(len(own)) if rank(men, list(range(28))) < before)
    usable = [square for square in range(4, 32) if square not in own]
    return sum(opponent_sets(men, len(opponent)) for men in sets) + rank(opponent, usable)


def own_sets(count: int, beyond: int = -1) -> list[list[int]]:
    """All sets of squares for own men."""
    if count == 0:
        return [[]]
    return [[square, *others] for square in range(beyond + 1, 28) for others in own_sets(count - 1, square)]


def opponent_sets(own_men: list[int], count: int) -> int:
    """Number of sets of squares for the opponent's men, given own men."""
    return comb(28 - sum(square >= 4 for square in own_men), count)


def king_sets(shape: Shape) -> tuple[int, int]:
    """Numbers of sets of squares for the opponent's kings, and for own kings on the squares these leave."""
    free = 32 - shape[0] - shape[2]
    return comb(free, shape[3]), comb(free - shape[3], shape[1])


def slice_size(shape: Shape) -> int:
    opponent_kings, own_kings = king_sets(shape)
    return sum(opponent_sets(men, shape[2]) for men in own_sets(shape[0])) * opponent_kings * own_kings


def position_number(pieces: Pieces) -> int:
    """Index of a position in its slice."""
    opponent_kings, own_kings = king_sets(pieces.shape)
    free = [square for square in range(32) if square not in pieces.own_men + pieces.opponent_men]
    beside = [square for square in free if square not in pieces.opponent_kings]
    number = arrangement_number(pieces.own_men, pieces.opponent_men)
    number = number * opponent_kings + rank(pieces.opponent_kings, free)
    return number * own_kings + rank(pieces.own_kings, beside)


def is_stored(pieces: Pieces, stored: Shape) -> bool:
    """True if a position without captures has an entry."""
    if pieces.shape != stored:
        return False
    if stored[:2] != stored[2:]:
        return True
    own = sum(square // 4 for square in pieces.own_men)
    opponent = sum((31 - square) // 4 for square in pieces.opponent_men)
    if own != opponent:
        return own < opponent
    flipped = [[31 - square for square in reversed(men)] for men in (pieces.opponent_men, pieces.own_men)]
    return arrangement_number(pieces.own_men, pieces.opponent_men) <= arrangement_number(*flipped)


# Probing


class Reader:
    """Values and distances from the files of a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.files: dict[tuple[str, Shape], EgdbFile] = {}

    def file(self, kind: str, shape: Shape) -> EgdbFile:
        """The file of a slice or its twin."""
        pair = max(shape, shape[2:] + shape[:2], key=lambda view: (view[0] + view[1], view[1]))
        if (kind, pair) not in self.files:
            self.files[kind, pair] = EgdbFile(self.directory / f"{kind}-{''.join(map(str, pair))}.egdb")
        return self.files[kind, pair]

    def entry(self, kind: str, bits: Bits) -> int | None:
        """Entry of a position with pieces of both sides; None if it has none."""
        pieces = pieces_of(bits)
        file = self.file(kind, pieces.shape)
        if egdb_reference.must_capture(bits) or not is_stored(pieces, file.stored):
            return None
        return file.entry(position_number(pieces))

    def value(self, bits: Bits) -> int:
        """The value of a position, Black to move."""
        if not bits[0]:
            return LOSS
        if bits[1] and (entry := self.entry("wld", bits)) is not None:
            return entry
        return max((WIN - self.value(child) for child in egdb_reference.successors(bits)), default=LOSS)

    def distance(self, bits: Bits) -> int | None:
        """The plies to the end, None for a draw."""
        value = self.value(bits)
        if value == DRAW or not bits[0]:
            return None if bits[0] else 0
        if bits[1] and (entry := self.entry("dtw", bits)) is not None:
            return 2 * entry + (value == WIN)
        return egdb_reference.best(self.distance(child) for child in egdb_reference.successors(bits))


def main(directory: str, *bitboards: str) -> None:
    black, white, kings = (int(each, 16) for each in bitboards)
    reader = Reader(Path(directory))
    print(("loss", "draw", "win")[reader.value((black, white, kings))], reader.distance((black, white, kings)))


if __name__ == "__main__":
    main(*sys.argv[1:])
