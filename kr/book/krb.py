"""The packed form of a book, `.krb`: sorted positions in blocks, found without reading the rest.

docs/reference/krb-format.md specifies it, and has a reader of its own.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from kr.book.frame import BookKey
from kr.errors import InvalidBookError
from kr.file_kinds import KRB_MAGIC
from kr.storage import parse_json

KRB_VERSION = 1
KRB_HEADER = struct.Struct("<8sIIII")
"""Magic, version, positions, blocks, bytes of the facts; the CRC-32 of all other bytes follows, in 8 of them."""
HEADER_BYTES = KRB_HEADER.size + 8
BLOCK_POSITIONS = 16
"""Positions of a block; more only if one placement of the pieces comes with several sets of kings."""
MOST_VALUE = 10_000
"""Centi-men of a proved win."""
MOST_LOSS = 254
"""Largest loss that is written; it stands for itself and for more."""
UNKNOWN_LOSS = 255
"""Loss of a move that people play and the book has not looked at, because it is worse than those it keeps."""
LAST_NUMBER = 31
"""Largest number of a move, by the order of kr.book.frame.numbered_steps."""
MOST_DEPTH = 255
MOST_WEIGHT = 7
_HEAD = struct.Struct("<hI")


class PackedMove(NamedTuple):
    """A move of a position in a packed book."""

    number: int
    """Place among the legal moves, from 0."""
    value: int | None
    """Centi-men for the side that moves; None if only people know the move."""
    depth: int
    """Plies from the position to the end of the search behind the value."""
    weight: int
    """0 if people have not played it, else 1 more than the logarithm of its games to base 4, at most MOST_WEIGHT."""


def weight_of(games: int) -> int:
    """Weight of a move by the games in which it was played."""
    return min((games.bit_length() + 1) // 2, MOST_WEIGHT)


def least_games(weight: int) -> int:
    """Least number of games that a weight stands for."""
    return 4 ** (weight - 1) if weight else 0


def krb_bytes(entries: Mapping[BookKey, Iterable[PackedMove]], facts: Mapping[str, Any]) -> bytes:
    """A packed book. entries: positions and their moves, best first, the first with a value; facts: JSON types, where
    it comes from. Raises ValueError for numbers that have no room."""
    placed = sorted((own << 32 | other, kings, list(moves)) for (own, other, kings), moves in entries.items())
    firsts, offsets, body = array("Q"), array("I"), bytearray()
    waiting: list[tuple[int, bytes]] = []

    def close() -> None:
        if waiting:
            firsts.append(waiting[0][0])
            offsets.append(len(body))
            body.extend(_block(waiting))
            waiting.clear()

    for place, group in groupby(placed, key=lambda each: each[0]):
        alike = [(place, _entry(kings, moves)) for _, kings, moves in group]
        if len(waiting) + len(alike) > BLOCK_POSITIONS:
            close()
        waiting.extend(alike)
    close()
    return _framed(len(placed), len(firsts), facts, _little(firsts).tobytes() + _little(offsets).tobytes() + body)


def with_facts(content: bytes, facts: Mapping[str, Any]) -> bytes:
    """A packed book with other facts."""
    _, _, positions, blocks, facts_bytes = KRB_HEADER.unpack_from(content)
    return _framed(positions, blocks, facts, content[HEADER_BYTES + facts_bytes :])


def _framed(positions: int, blocks: int, facts: Mapping[str, Any], rest: bytes) -> bytes:
    """A packed book of its facts and what follows them."""
    facts_json = json.dumps(facts, sort_keys=True).encode()
    facts_json += b" " * (-len(facts_json) % 8)
    content = facts_json + rest
    head = KRB_HEADER.pack(KRB_MAGIC, KRB_VERSION, positions, blocks, len(facts_json))
    return head + struct.pack("<Q", zlib.crc32(content, zlib.crc32(head))) + content


def _entry(kings: int, moves: list[PackedMove]) -> bytes:
    best = moves[0].value if moves else 0
    if best is None or abs(best) > MOST_VALUE:
        raise ValueError(f"the best move has the value {best}, not one within {MOST_VALUE}")
    head = _HEAD.pack(best * 2 + 1, kings) if kings else struct.pack("<h", best * 2)
    parts = [head]
    for number, value, depth, weight in moves:
        loss = UNKNOWN_LOSS if value is None else min(best - value, MOST_LOSS)
        parts.append(struct.pack("BBB", number | weight << 5, loss, min(depth, MOST_DEPTH)))
    return b"".join(parts)


def _block(entries: list[tuple[int, bytes]]) -> bytes:
    first = entries[0][0]
    width = max(1, ((entries[-1][0] - first).bit_length() + 7) // 8)
    places = b"".join((place - first).to_bytes(width, "little") for place, _ in entries)
    lengths = bytes(len(entry) for _, entry in entries)
    return bytes([len(entries), width]) + places + lengths + b"".join(entry for _, entry in entries)


def _little(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers


class PackedBook:
    """An open packed book. Raises InvalidBookError for what can't be one; the message does not name the file."""

    def __init__(self, content: bytes) -> None:
        if len(content) < HEADER_BYTES or content[:8] != KRB_MAGIC:
            raise InvalidBookError("not a packed book of kr; expected a .krb file")
        _, version, self.positions, blocks, facts_bytes = KRB_HEADER.unpack_from(content)
        if version != KRB_VERSION:
            raise InvalidBookError(f"format version {version}, this kr reads {KRB_VERSION}")
        self.checksum = zlib.crc32(memoryview(content)[HEADER_BYTES:], zlib.crc32(content[: KRB_HEADER.size]))
        if int.from_bytes(content[KRB_HEADER.size : HEADER_BYTES], "little") != self.checksum:
            raise InvalidBookError("damaged: its checksum differs")
        begins = HEADER_BYTES + facts_bytes
        self._body = begins + 12 * blocks
        if facts_bytes % 8 or self._body > len(content):
            raise InvalidBookError("damaged: its header promises more than there is")
        self._content = content
        self._firsts, self._offsets = array("Q"), array("I")
        self._firsts.frombytes(content[begins : begins + 8 * blocks])
        self._offsets.frombytes(content[begins + 8 * blocks : self._body])
        self._firsts, self._offsets = _little(self._firsts), _little(self._offsets)
        self._facts = content[HEADER_BYTES:begins]

    def __len__(self) -> int:
        return self.positions

    @property
    def facts(self) -> dict[str, Any]:
        """Where the book comes from. Raises InvalidBookError."""
        try:
            facts = parse_json(self._facts)
        except ValueError as error:
            raise InvalidBookError(f"damaged facts: {error}") from error
        if not isinstance(facts, dict):
            raise InvalidBookError("damaged facts: not an object")
        return facts

    def moves(self, key: BookKey) -> list[PackedMove]:
        """The moves of a position, best first; none if the book does not have it."""
        own, other, kings = key
        place = own << 32 | other
        index = bisect_right(self._firsts, place) - 1
        if index < 0:
            return []
        try:
            return self._moves(index, place, kings)
        except (struct.error, IndexError) as error:
            raise InvalidBookError(f"damaged in block {index}") from error

    def _moves(self, index: int, place: int, kings: int) -> list[PackedMove]:
        content = self._content
        at = self._body + self._offsets[index]
        count, width = content[at], content[at + 1]
        if not width:
            raise IndexError("no bytes of a difference")
        places, lengths = at + 2, at + 2 + count * width
        behind = place - self._firsts[index]
        if behind >> 8 * width:
            return []
        difference = behind.to_bytes(width, "little")
        hit = content.find(difference, places, lengths)
        while hit >= 0:
            number, rest = divmod(hit - places, width)
            if rest == 0:
                begins = lengths + count + sum(content[lengths : lengths + number])
                moves = _unpacked(content, begins, content[lengths + number], kings)
                if moves is not None:
                    return moves
            hit = content.find(difference, hit + 1, lengths)
        return []

    def keys(self) -> Iterable[BookKey]:
        """All positions, sorted. Raises InvalidBookError."""
        for index in range(len(self._firsts)):
            try:
                yield from self._keys(index)
            except (struct.error, IndexError) as error:
                raise InvalidBookError(f"damaged in block {index}") from error

    def _keys(self, index: int) -> list[BookKey]:
        content = self._content
        at = self._body + self._offsets[index]
        count, width = content[at], content[at + 1]
        begins = at + 2 + count * (width + 1)
        keys: list[BookKey] = []
        for number in range(count):
            behind = content[at + 2 + number * width : at + 2 + (number + 1) * width]
            place = self._firsts[index] + int.from_bytes(behind, "little")
            _, kings = _HEAD.unpack_from(content, begins) if content[begins] & 1 else (0, 0)
            keys.append((place >> 32, place & 0xFFFFFFFF, kings))
            begins += content[at + 2 + count * width + number]
        # else a few bytes could stand for any number of positions
        last = index + 1 == len(self._offsets)
        if begins > (len(content) if last else self._body + self._offsets[index + 1]):
            raise IndexError("it reaches into the next one")
        return keys


def _unpacked(content: bytes, begins: int, length: int, kings: int) -> list[PackedMove] | None:
    """The moves of an entry; None if it is one with other kings."""
    best, there = _HEAD.unpack_from(content, begins) if content[begins] & 1 else (_short(content, begins), 0)
    if there != kings:
        return None
    best >>= 1
    return [
        PackedMove(
            content[at] & 31, None if content[at + 1] == UNKNOWN_LOSS else best - content[at + 1], content[at + 2],
            content[at] >> 5,
        )
        for at in range(begins + (6 if kings else 2), begins + length, 3)
    ]  # fmt: skip


def _short(content: bytes, begins: int) -> int:
    low = content[begins] | content[begins + 1] << 8
    return low - 65536 if low & 0x8000 else low
