"""A reader of endgame databases (egdb-format.md) in plain Python, for any program: copy this file, or translate it.

python egdb_reader.py DIR BLACK WHITE KINGS [w]: value and plies to the end of a position by bitboards in hexadecimal,
Black or White to move. Bit s - 1 stands for square s.
"""

import json
import struct
import sys
import zlib
from functools import cache
from itertools import accumulate, combinations
from math import comb
from pathlib import Path

MAGIC, CHUNK = b"\x89KREGDB\n", 65_536
LOSS, DRAW, WIN = 0, 1, 2


class EgdbFile:
    """The entries of a file. ValueError if it is none, or is damaged."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        if data[:12] != MAGIC + struct.pack("<I", 1) or len(data) < 20:
            raise ValueError(f"{path} is not an endgame database of version 1")
        text, check = struct.unpack_from("<II", data, 12)
        if zlib.crc32(data[:16] + data[20 : 20 + text]) != check:
            raise ValueError(f"{path}: damaged header")
        header = json.loads(data[20 : 20 + text])
        begin = (20 + text + 63) // 64 * 64
        blocks = begin + header["index_bytes"]
        end = blocks + header["data_bytes"] + 16
        checks = begin + (end - begin + 63) // 64 * 64
        chunks = [data[at : min(at + CHUNK, end)] for at in range(begin, end, CHUNK)]
        if data[checks:] != b"".join(struct.pack("<I", zlib.crc32(chunk)) for chunk in chunks):
            raise ValueError(f"{path}: damaged")
        self.distances = header["kind"] == "dtw"
        self.stored = tuple(map(int, header["stored"]))
        self.entries, self.block_entries = header["entries"], 1 << header["block_bits"]
        self.index, self.blocks = data[begin:blocks], data[blocks : end - 16]
        self.codes = [prefix_code(text) for text in header["codes"]]

    def block(self, number):
        """All entries of a block; 0 for a block of distances without entries."""
        offset, firsts, lengths = struct.unpack_from("<II16s", self.index, number // 16 * 24)
        begin, length = offset + sum(lengths[: number % 16]), lengths[number % 16]
        size = min(self.block_entries, self.entries - number * self.block_entries)
        entry, entries = firsts >> 2 * (number % 16) & 3, []
        if not length:
            return [entry] * size
        bits = Bits(self.blocks[begin : begin + length])
        if self.distances:
            entry = bits.number(8)
        while len(entries) < size:
            context = sum(entry >= least for least in (1, 2, 3, 5, 8, 13, 20)) if self.distances else entry
            symbol = bits.symbol(self.codes[context])
            if symbol == 0:
                entries += [entry] * size
            elif self.distances:
                entries += [entry] * bits.run(symbol - 1)
                symbol = bits.symbol(self.codes[8 + context])
                entry += -(symbol + 1) // 2 if symbol % 2 else symbol // 2 + 1
            else:
                entries += [entry] * bits.run((symbol - 1) // 2)
                entry = (entry + 1 + (symbol - 1) % 2) % 3
        return entries[:size]

    def entry(self, number):
        return self.block(number // self.block_entries)[number % self.block_entries]


def prefix_code(lengths):
    """Symbols by their codes, as texts of 0 and 1, of a text of code lengths."""
    symbols, code = {}, 0
    for length in range(1, 12):
        code *= 2
        for symbol in reversed(range(len(lengths))):
            if int(lengths[symbol], 16) == length:
                symbols[f"{code:0{length}b}"] = symbol
                code += 1
    return symbols


class Bits:
    """The bits of a block in order, with ones after the last."""

    def __init__(self, block):
        self.text, self.at = "".join(f"{byte:08b}" for byte in block) + 64 * "1", 0

    def number(self, count):
        self.at += count
        return int("0" + self.text[self.at - count : self.at], 2)

    def symbol(self, code):
        begin = self.at
        while self.text[begin : self.at] not in code:
            self.at += 1
        return code[self.text[begin : self.at]]

    def run(self, number):
        """The length of a run of this class."""
        extra = (number - 16) // 4 + 2
        return number + 1 if number < 16 else ((4 + number % 4) << extra) + 1 + self.number(extra)


# Numbers of positions. A position has Black to move, as bitboards: own pieces, the other's, kings. Squares are 0-31


def squares(bits):
    return [square for square in range(32) if bits >> square & 1]


def rank(bits, usable):
    return sum(comb(squares(usable).index(square), i + 1) for i, square in enumerate(squares(bits)))


@cache
def men_before(own, other):
    """For each rank of own men, the arrangements whose own men have a lower one."""
    sets = sorted(combinations(range(28), own), key=lambda men: men[::-1])
    return list(accumulate((comb(28 - sum(man > 3 for man in men), other) for men in sets), initial=0))


def arrangement(own, other):
    """The number of an arrangement of men."""
    before = men_before(own.bit_count(), other.bit_count())
    return before[rank(own, 0x0FFFFFFF)] + rank(other, 0xFFFFFFF0 & ~own)


def position_number(own, other, kings):
    men, own_kings, other_kings = (own | other) & ~kings, own & kings, other & kings
    free = ~men & 0xFFFFFFFF
    number = arrangement(own & ~kings, other & ~kings)
    number = number * comb(free.bit_count(), other_kings.bit_count()) + rank(other_kings, free)
    free &= ~other_kings
    return number * comb(free.bit_count(), own_kings.bit_count()) + rank(own_kings, free)


def shape(own, other, kings):
    """Own men and kings, the other side's men and kings."""
    return tuple(bits.bit_count() for bits in (own & ~kings, own & kings, other & ~kings, other & kings))


def turned(bits):
    """A bitboard seen from the other side."""
    return int(f"{bits:032b}"[::-1], 2)


def is_stored(own, other, kings, stored):
    """True if a position without captures has an entry in the file of this slice."""
    if shape(own, other, kings) != stored or stored[:2] != stored[2:]:
        return shape(own, other, kings) == stored
    views = (own & ~kings, other & ~kings), (turned(other & ~kings), turned(own & ~kings))
    mine, flipped = ((sum(square // 4 for square in squares(men[0])), arrangement(*men)) for men in views)
    return mine <= flipped


# Rules


def step(square, down, right):
    row, column = square // 4 + down, 2 * (square % 4) + (square // 4 + 1) % 2 + right
    return 4 * row + column // 2 if 0 <= row < 8 and 0 <= column < 8 else None


def moves(own, other, kings):
    """Legal moves (origin, target, captured pieces), of a board with Black to move: all captures if there is one."""
    captures, quiet = set(), set()
    for origin in squares(own):
        ways = [(down, right) for down in ((1, -1) if kings >> origin & 1 else (1,)) for right in (1, -1)]
        free, waiting = ~(own | other) | 1 << origin, [(origin, 0)]
        quiet |= {(origin, to, 0) for way in ways if (to := step(origin, *way)) is not None and free >> to & 1}
        while waiting:
            at, taken = waiting.pop()
            jumps = [(step(at, *way), step(at, 2 * way[0], 2 * way[1])) for way in ways]
            left = other & ~taken
            jumps = [(over, to) for over, to in jumps if to is not None and left >> over & 1 and free >> to & 1]
            waiting += [(to, taken | 1 << over) for over, to in jumps]
            captures |= {(origin, at, taken)} if taken and not jumps else set()
    return captures or quiet


def after(own, other, kings, origin, target, taken):
    """The position after a move, as the other side sees it."""
    crowned = kings >> origin & 1 or target > 27
    kings = kings & ~(1 << origin | taken) | crowned << target
    return turned(other & ~taken), turned(own & ~(1 << origin) | 1 << target), turned(kings)


# Values


class Database:
    """Values and distances from the files of folders: a file is taken from the first one that has it."""

    def __init__(self, *folders):
        self.folders, self.files = folders, {}

    def file(self, kind, pieces):
        """The file of a slice and its twin. FileNotFoundError if there is none."""
        pair = max(pieces, pieces[2:] + pieces[:2], key=lambda view: (view[0] + view[1], view[1]))
        name = f"{kind}-{''.join(map(str, pair))}.egdb"
        if name not in self.files:
            paths = [Path(folder, name) for folder in self.folders]
            self.files[name] = EgdbFile(next((path for path in paths if path.exists()), paths[0]))
        return self.files[name]

    def entry(self, kind, board, legal):
        """The entry of a position; None if it has none."""
        if not board[1] or any(taken for _, _, taken in legal):
            return None
        file = self.file(kind, shape(*board))
        return file.entry(position_number(*board)) if is_stored(*board, file.stored) else None

    def value(self, own, other, kings):
        """LOSS, DRAW or WIN of the side to move, which is Black."""
        legal = moves(own, other, kings)
        entry = self.entry("wld", (own, other, kings), legal) if own else LOSS
        if entry is not None:
            return entry
        return max((WIN - self.value(*after(own, other, kings, *move)) for move in legal), default=LOSS)

    def distance(self, own, other, kings):
        """The plies to the end; None for a draw."""
        value, legal = self.value(own, other, kings), moves(own, other, kings)
        if value == DRAW or not legal:
            return None if value == DRAW else 0
        entry = self.entry("dtw", (own, other, kings), legal)
        if entry is not None:
            return 2 * entry + (value == WIN)
        children = [after(own, other, kings, *move) for move in legal]
        if value == WIN:
            return 1 + min(self.distance(*child) for child in children if self.value(*child) == LOSS)
        return 1 + max(self.distance(*child) for child in children)


if __name__ == "__main__":
    black, white, kings = (int(each, 16) for each in sys.argv[2:5])
    board = (turned(white), turned(black), turned(kings)) if sys.argv[5:] == ["w"] else (black, white, kings)
    database = Database(sys.argv[1])
    print(("loss", "draw", "win")[database.value(*board)])
    print(database.distance(*board))
