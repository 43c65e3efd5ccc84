"""A reader of packed opening books (krb-format.md) in plain Python, for any program: copy this file.

python krb_reader.py FILE.krb: the moves of the usual start.
"""

import struct
import sys
import zlib
from bisect import bisect_right

START = 0x00000FFF, 0xFFF00000, 0


def turned(squares):
    """A board seen from the other side. bit s - 1 stands for square s."""
    return int(f"{squares:032b}"[::-1], 2)


def framed(black, white, kings, white_moves):
    """A position in the frame of its side to move: own pieces, the other's, kings."""
    return (turned(white), turned(black), turned(kings)) if white_moves else (black, white, kings)


class KrbBook:
    """A book. ValueError if it is none, or is damaged."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        if len(self.bytes) < 32:
            raise ValueError(f"{path} is not a packed book")
        magic, version, self.positions, blocks, facts, check = struct.unpack_from("<8sIIIIQ", self.bytes)
        if magic != b"kr book\n" or version != 1:
            raise ValueError(f"{path} is not a packed book of version 1")
        if zlib.crc32(self.bytes[32:], zlib.crc32(self.bytes[:24])) != check:
            raise ValueError(f"{path} is damaged")
        self.firsts = struct.unpack_from(f"<{blocks}Q", self.bytes, 32 + facts)
        self.offsets = struct.unpack_from(f"<{blocks}I", self.bytes, 32 + facts + 8 * blocks)
        self.body = 32 + facts + 12 * blocks

    def moves(self, own, other, kings):
        """Number, value, depth and weight of each move, best first; value None if only people know the move.

        The number is the move's place among the legal ones sorted by origin, target and captured pieces.
        """
        place = own << 32 | other
        block = bisect_right(self.firsts, place) - 1
        if block < 0:
            return []
        at = self.body + self.offsets[block]
        count, width = self.bytes[at], self.bytes[at + 1]
        lengths = at + 2 + count * width
        entry = lengths + count
        for i in range(count):
            behind = int.from_bytes(self.bytes[at + 2 + i * width : at + 2 + (i + 1) * width], "little")
            end = entry + self.bytes[lengths + i]
            (best,) = struct.unpack_from("<h", self.bytes, entry)
            there = struct.unpack_from("<I", self.bytes, entry + 2)[0] if best & 1 else 0
            if self.firsts[block] + behind == place and there == kings:
                rows = [self.bytes[move : move + 3] for move in range(entry + (6 if best & 1 else 2), end, 3)]
                return [
                    (row[0] & 31, None if row[1] == 255 else (best >> 1) - row[1], row[2], row[0] >> 5) for row in rows
                ]
            entry = end
        return []


if __name__ == "__main__":
    for number, value, depth, weight in KrbBook(sys.argv[1]).moves(*START):
        print(f"move {number}: {value}, depth {depth}, weight {weight}")
