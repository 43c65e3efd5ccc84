# G games, P plies, n samples, R regions. Boards (n, 4) are seen from the side to move: own men, opponent's men, own
# kings, opponent's kings.

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_U8: TypeAlias = NDArray[np.uint8]
_U16: TypeAlias = NDArray[np.uint16]
_U32: TypeAlias = NDArray[np.uint32]
_I8: TypeAlias = NDArray[np.int8]
_I16: TypeAlias = NDArray[np.int16]
_I32: TypeAlias = NDArray[np.int32]
_I64: TypeAlias = NDArray[np.int64]
_F32: TypeAlias = NDArray[np.float32]
_F64: TypeAlias = NDArray[np.float64]

# games
def count_pieces(start: _U32, side: _U8, first: _I64, result: _I8, move: _U16, counts: _I64) -> int: ...
def replay_positions(start: _U32, side: _U8, first: _I64, move: _U16, positions: _U32) -> int: ...
def quiet_positions(
    start: _U32, side: _U8, first: _I64, result: _I8, move: _U16, score: _I16
) -> tuple[_U32, _I8, _I16, _U16, _I32]: ...

# decisions
def decisions_of_games(
    start: _U32, side: _U8, first: _I64, squares: _U8, captured: _U32
) -> tuple[_U32, _U8, _U8, _U32, _U8, _U8]: ...
def rows_of_choices(first: _I64, origin: _U8, target: _U8, captured: _U32, moves: _U8, taken: _U32) -> _I64: ...

# samples
def fill_merge_table(boards: _U32, used: int, table: _U32) -> None: ...
def merge_samples(
    new_boards: _U32,
    new_result: _F32,
    new_target: _F32,
    boards: _U32,
    count: _U32,
    result: _F64,
    target: _F64,
    used: int,
    table: _U32,
) -> int: ...

# fitting
def region_ids(boards: _U32, digits: _U32, out: _U32, first: int, last: int) -> None: ...
def count_ids(ids: _U32, count: _U32, occurrences: _I64) -> None: ...
def rank_ids(ids: _U32, rank: _U32) -> None: ...
def logits_and_slopes(
    ids: _U32,
    starts: _I64,
    weights: _F32,
    pieces: _U8,
    material: _I8,
    material_weights: _F64,
    target: _F32,
    count: _U32,
    kind: int,
    logits: _F32,
    slopes: _F32,
    material_gradient: _F64,
    first: int,
    last: int,
) -> float: ...
def region_gradient(ids: _U32, slopes: _F32, pieces: _U8, gradient: _F64) -> None: ...
def region_curvature(ids: _U32, count: _U32, pieces: _U8, curvature: _F64) -> None: ...
