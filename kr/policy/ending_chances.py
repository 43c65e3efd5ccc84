"""Chances of drawn endings against people, from the files that `kr egdb chances` makes.

    chances = EndingChances.beside(database, policy)
    chances.theirs(boards)

Of each pair of slices a file, `people-2103.chances`, has the chance that people, who are to move, lose the draw if the
other side plays best for that; docs/reference/egdb-format.md describes it. A mistake counts less the later it comes.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kr import _core, _egdb, storage
from kr.egdb import slices
from kr.egdb.database import Database, default_directory
from kr.egdb.files import folders_of
from kr.egdb.slices import Shape
from kr.errors import InvalidDatabaseError
from kr.file_kinds import CHANCES_MAGIC
from kr.policy.calibration import CALIBRATION
from kr.policy.policy import Policy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHANCES_VERSION = 1
CHANCES_SUFFIX = ".chances"
STEPS = 31
"""Number of a chance of 1; others are the square of their number by this one."""
_LONG_GAP = 255
"""A gap that stands among the long ones."""
_MOST_BYTES = 1 << 30
_MOST_UNPACKED = 100
"""Bytes that one of a file makes at most; of those that come with kr 6."""
_FIXED = struct.Struct("<8sIII")
"""Magic, format version, bytes of the JSON text, CRC-32 of all the bytes before it and after it."""


class SliceChances(NamedTuple):
    """The draws of a slice with their chances."""

    indices: NDArray[np.uint64]
    """Of the drawn positions, rising."""
    codes: NDArray[np.uint8]


def chances_file_name(pair: Shape) -> str:
    """Name of a pair's file."""
    return f"people-{slices.name(pair)}{CHANCES_SUFFIX}"


def people_of(policy: Policy, discount: float) -> dict[str, Any]:
    """What the chances rest on, apart from the values: files of others are not used."""
    numbers = storage.checksum(json.dumps(CALIBRATION, sort_keys=True).encode())
    return {"policy": policy.model.checksum, "calibration": numbers, "discount": discount, "steps": STEPS}


class EndingChances:
    """The files of some directories, each read when it is first needed; threads may share it."""

    def __init__(self, directories: Sequence[Path], people: Mapping[str, Any]) -> None:
        self._directories, self._people = directories, people
        self._slices: dict[Shape, SliceChances | None] = {}

    @classmethod
    def beside(cls, database: Database, policy: Policy, discount: float) -> EndingChances:
        """Those beside a database, the user's, and those that come with kr."""
        places = *folders_of(database.directory), default_directory(), storage.data_path("egdb")
        return cls(list(dict.fromkeys(places)), people_of(policy, discount))

    def theirs(self, rows: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The chance (n,) that people, Black to move, lose boards (n, 3); NaN where it is no known draw.

        Raises InvalidDatabaseError.
        """
        import numpy as np

        black, white, kings = rows.T
        sets = black & ~kings, black & kings, white & ~kings, white & kings
        counts = np.stack([np.bitwise_count(each) for each in sets], axis=1).astype(np.int64)
        found = np.full(len(rows), np.nan)
        numbers = counts @ (1000, 100, 10, 1)
        for number in np.unique(numbers).tolist():
            shape = slices.shape_named(f"{number:04}")
            if not sum(shape[:2]) or not sum(shape[2:]) or (own := self._slice(shape)) is None or not len(own.indices):
                continue
            [places] = np.nonzero(numbers == number)
            indices = _egdb.egdb_indices(shape, np.ascontiguousarray(rows[places]))
            at = np.minimum(np.searchsorted(own.indices, indices), len(own.indices) - 1)
            is_drawn = own.indices[at] == indices
            found[places[is_drawn]] = chances_of(own.codes[at[is_drawn]])
        return found

    def ours(self, rows: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The chance (n,) with the other side, Black to move, choosing among moves that keep drawn boards (n, 3)."""
        import numpy as np

        children, first = _core.successors(rows)
        theirs = np.nan_to_num(self.theirs(children))
        return np.maximum.reduceat(theirs, first[:-1])

    def has(self, board: tuple[int, int, int]) -> bool:
        """True if draws with the pieces of a board are there, Black to move. Raises InvalidDatabaseError."""
        black, white, kings = board
        sets = black & ~kings, black & kings, white & ~kings, white & kings
        shape = sets[0].bit_count(), sets[1].bit_count(), sets[2].bit_count(), sets[3].bit_count()
        return slices.pieces(shape) <= slices.EGDB_MAX_PIECES and self._slice(shape) is not None

    def highest(self, shape: Shape, count: int) -> NDArray[np.uint32]:
        """Boards (n, 3) of the draws of a slice with the highest chances, at most so many. Raises
        InvalidDatabaseError."""
        import numpy as np

        own = self._slice(shape)
        places = [] if own is None else np.argsort(-own.codes.astype(int), kind="stable")[:count].tolist()
        boards = [_egdb.egdb_position(shape, int(own.indices[place]))[:3] for place in places] if own else []
        return np.array(boards, dtype=np.uint32).reshape(-1, 3)

    def _slice(self, shape: Shape) -> SliceChances | None:
        if shape not in self._slices:
            pair = slices.pair_of(shape)
            paths = [path for folder in self._directories if (path := folder / chances_file_name(pair)).exists()]
            there = next((each for path in paths if (each := read_chances(path, self._people))), {})
            self._slices |= {member: there.get(member) for member in slices.members(pair)}
        return self._slices[shape]


def chances_of(codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Chances by their numbers in files."""
    return (codes / STEPS) ** 2


def codes_of(chances: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Numbers of chances."""
    import numpy as np

    return np.rint(STEPS * np.sqrt(chances)).astype(np.uint8)


def pair_file(pair: Shape, own: Mapping[Shape, SliceChances], people: Mapping[str, Any]) -> bytes:
    """Content of a pair's file."""
    import numpy as np

    packed = []
    for each in own.values():
        gaps = np.diff(each.indices.astype(np.int64), prepend=-1) - 1
        long = gaps[gaps >= _LONG_GAP].astype("<u4")
        packed.append([np.minimum(gaps, _LONG_GAP).astype(np.uint8).tobytes(), long.tobytes(), each.codes.tobytes()])
    header = {
        **people,
        "pair": slices.name(pair),
        "slices": {
            slices.name(shape): {"draws": len(each.indices), "long": len(parts[1]) // 4}
            for (shape, each), parts in zip(own.items(), packed, strict=True)
        },
        "made": _made(),
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    body = zlib.compress(b"".join(part for parts in packed for part in parts), 9)
    return _FIXED.pack(CHANCES_MAGIC, CHANCES_VERSION, len(text), _check(text, body)) + text + body


def read_chances(path: Path, people: Mapping[str, Any]) -> dict[Shape, SliceChances]:
    """The slices of a file; none if it is of other people. Raises InvalidDatabaseError."""
    import numpy as np

    try:
        header, body = _read(storage.read_regular(path, _MOST_BYTES))
        if any(header.get(name) != value for name, value in people.items()):
            return {}
        shapes = {slices.shape_named(name): facts for name, facts in header["slices"].items()}
        for shape, facts in shapes.items():
            if chances_file_name(slices.pair_of(shape)) != path.name:
                raise ValueError(f"it has slice {slices.name(shape)}")
            if not 0 <= facts["long"] <= facts["draws"] <= slices.size(shape):
                raise ValueError(f"{facts['draws']} draws of slice {slices.name(shape)}")
        size = sum(2 * facts["draws"] + 4 * facts["long"] for facts in shapes.values())
        if size > _MOST_UNPACKED * len(body):
            raise ValueError(f"{size} bytes packed in {len(body)}")
        plain, at = np.frombuffer(storage.inflated(body, size), np.uint8), 0
        own = {}
        for shape, facts in shapes.items():
            draws, ends = facts["draws"], at + facts["draws"] + 4 * facts["long"]
            gaps = plain[at : at + draws].astype(np.int64)
            gaps[gaps == _LONG_GAP] = plain[at + draws : ends].view("<u4")
            own[shape] = SliceChances((np.cumsum(gaps + 1) - 1).astype(np.uint64), plain[ends : ends + draws])
            at = ends + draws
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        message = f"{path}: damaged file of chances: {error}; remove it, and build it again"
        raise InvalidDatabaseError(message) from None
    return own


@cache
def _made() -> dict[str, str]:
    return {name: text for name, text in storage.provenance().items() if name in ("kr", "commit")}


def _read(content: bytes) -> tuple[dict[str, Any], bytes]:
    magic, version, length, check = _FIXED.unpack_from(content.ljust(_FIXED.size, b"\0"))
    if magic != CHANCES_MAGIC:
        raise ValueError("another kind of file")
    if version != CHANCES_VERSION:
        raise ValueError(f"format version {version}; this kr reads {CHANCES_VERSION}")
    text, body = content[_FIXED.size : _FIXED.size + length], content[_FIXED.size + length :]
    if check != _check(text, body):
        raise ValueError("its checksum does not match")
    return json.loads(text), body


def _check(text: bytes, body: bytes) -> int:
    start = _FIXED.pack(CHANCES_MAGIC, CHANCES_VERSION, len(text), 0)[:-4]
    return zlib.crc32(body, zlib.crc32(text, zlib.crc32(start)))
