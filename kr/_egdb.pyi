# Positions are black, white and kings as 32-bit bitboards (bit s for square s, 0-31) and the side to move (0 Black, 1
# White). A shape is own men, own kings, opponent's men, opponent's kings.

from mmap import mmap
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Shape: TypeAlias = tuple[int, int, int, int]
_Position: TypeAlias = tuple[int, int, int, int]
_Finding: TypeAlias = tuple[int, _Position, int, int]
_Counts: TypeAlias = tuple[int, int, int]

EGDB_MAX_PIECES: Final[int]
VALUE_LOSS: Final[int]
VALUE_DRAW: Final[int]
VALUE_WIN: Final[int]
VALUE_UNKNOWN: Final[int]
NO_INDEX: Final[int]

# numbering
def egdb_slice_size(own_men: int, own_kings: int, opponent_men: int, opponent_kings: int) -> int: ...
def egdb_slice_block(own_men: int, own_kings: int, opponent_men: int, opponent_kings: int) -> int: ...
def egdb_index(black: int, white: int, kings: int, side: int) -> tuple[_Shape, int]: ...
def egdb_position(shape: _Shape, index: int) -> _Position: ...
def egdb_indices(shape: _Shape, boards: NDArray[np.uint32]) -> NDArray[np.uint64]: ...

# files
CODE_MIN_BLOCK_BITS: Final[int]
CODE_MAX_BLOCK_BITS: Final[int]
CODE_CHUNK: Final[int]
CODE_PAD: Final[int]
SMALL_FILE: Final[int]

def code_shape(kind: str, entries: int, block_bits: int) -> tuple[int, list[int]]: ...
def fitting_block_bits(bits: int, entries: int) -> int: ...
def move_index(index: NDArray[np.uint8], bytes: int) -> None: ...

class ValueEncoder:
    def __new__(cls, codes: NDArray[np.uint8], entries: int, block_bits: int) -> ValueEncoder: ...
    @property
    def blocks(self) -> int: ...
    @property
    def index_bytes(self) -> int: ...
    def count(self, first: int, last: int, lengths: NDArray[np.uint8] | None = None) -> NDArray[np.uint64]: ...
    def code(self, counts: NDArray[np.uint64]) -> tuple[NDArray[np.uint8], int]: ...
    def write(
        self, first: int, last: int, lengths: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8]] | None: ...

def encoded_distances_size(distances: NDArray[np.uint8]) -> int: ...
def encode_distances(
    distances: NDArray[np.uint8], block_bits: int = 0
) -> tuple[int, NDArray[np.uint8], NDArray[np.uint8], list[NDArray[np.uint8]]]: ...

class CodedFile:
    def __new__(
        cls,
        kind: str,
        descriptor: int,
        size: int,
        body: int,
        index_bytes: int,
        data_bytes: int,
        checks: int,
        entries: int,
        block_bits: int,
        lengths: NDArray[np.uint8],
    ) -> CodedFile: ...
    @property
    def entries(self) -> int: ...
    def read(self, indices: NDArray[np.uint64]) -> NDArray[np.int16]: ...
    def unpacked(self) -> NDArray[np.uint64] | None: ...
    def damage(self) -> int | None: ...
    def check(self) -> int | None: ...

# probing
class EndgameDatabase:
    def __new__(
        cls, values: dict[_Shape, CodedFile], distances: dict[_Shape, CodedFile], unpacked: int = 0
    ) -> EndgameDatabase: ...
    @property
    def pieces(self) -> int: ...
    @property
    def classes(self) -> list[tuple[int, int]]: ...
    def has(self, own: int, other: int) -> bool: ...
    @property
    def distance_pieces(self) -> int: ...
    def distance(self, black: int, white: int, kings: int, side: int) -> int: ...
    def unpack(self) -> None: ...
    def probe(self, black: int, white: int, kings: int, side: int) -> int: ...
    def probe_batch(self, boards: NDArray[np.uint32], values: NDArray[np.uint8], single: bool = False) -> None: ...
    def distance_batch(self, boards: NDArray[np.uint32], distances: NDArray[np.int16]) -> None: ...

# building
class SolverSpace:
    def __new__(cls, positions: int, distances: bool = False) -> SolverSpace: ...

class EndgameSolver:
    def add(self, shape: _Shape, values: NDArray[np.uint64], distances: NDArray[np.uint8] | None = None) -> None: ...
    def look_up(
        self, shape: _Shape, values: NDArray[np.uint64], distances: NDArray[np.uint8] | None = None
    ) -> None: ...
    def solve(
        self,
        shape: _Shape,
        space: SolverSpace,
        own_rows: int,
        opponent_rows: int,
        first: int,
        last: int,
        stop: NDArray[np.int32],
    ) -> None: ...

class MappedFile:
    def __new__(cls, content: mmap) -> MappedFile: ...
    @property
    def was_cut(self) -> bool: ...

def men_sets(size: int) -> list[int]: ...
def count_values(packed: NDArray[np.uint64], size: int) -> tuple[int, int, int, int]: ...
def mark_unneeded(
    shape: _Shape,
    values: NDArray[np.uint64],
    first: int,
    last: int,
    stop: NDArray[np.int32],
    distances: NDArray[np.uint8] | None = None,
) -> None: ...
def longest_win(distances: NDArray[np.uint8], values: NDArray[np.uint64], size: int) -> tuple[int, int]: ...

# verifying
FINDING_DAMAGED: Final[int]
FINDING_VALUE: Final[int]
FINDING_UNPROVEN: Final[int]
FINDING_DISTANCE: Final[int]

class KnownDistances:
    def __new__(cls, database: EndgameDatabase, pieces: int) -> KnownDistances: ...
    def unpack(self, part: int, parts: int) -> None: ...
    def distance_batch(self, boards: NDArray[np.uint32], distances: NDArray[np.int16]) -> None: ...

def egdb_check_arrangements(
    database: EndgameDatabase,
    shape: _Shape,
    first: int,
    last: int,
    distances: KnownDistances | None,
    stop: NDArray[np.int32],
) -> tuple[_Counts, _Counts, int, list[_Finding]]: ...
def egdb_check_boards(
    database: EndgameDatabase, boards: NDArray[np.uint32], distances: bool
) -> tuple[int, list[_Finding]]: ...

# sampling
class EndgameSampler:
    def __init__(
        self,
        database: EndgameDatabase | None,
        shape: _Shape,
        first: int,
        last: int,
        survival: NDArray[np.uint64],
        seed: int,
        quiet: bool,
    ) -> None: ...
    def next(
        self,
        boards: NDArray[np.uint32],
        values: NDArray[np.uint8],
        hashes: NDArray[np.uint64],
        lowest: int = 0,
        highest: int = 0xFFFFFFFFFFFFFFFF,
    ) -> int: ...

def board_planes(boards: NDArray[np.uint32], planes: NDArray[np.uint8]) -> None: ...
