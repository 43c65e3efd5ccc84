"""Arrays of boards: checked, and turned into the rows that the core takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kr.errors import InvalidFenError, InvalidSettingError
from kr.notation import BLACK_KING_ROW, MAX_SIDE_PIECES, WHITE_KING_ROW, check_board

BITS = (1 << 32) - 1


def impossible(boards: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """True (n,) for boards (n, 3: black, white, kings) that `kr.notation.check_board` refuses."""
    black, white, kings = boards.T
    men = ~kings
    wrong = (black & white) | (kings & ~(black | white))
    wrong |= men & ((black & np.uint32(BLACK_KING_ROW)) | (white & np.uint32(WHITE_KING_ROW)))
    many = np.maximum(np.bitwise_count(black), np.bitwise_count(white)) > MAX_SIDE_PIECES
    return (wrong != 0) | many


def as_rows(boards: ArrayLike) -> NDArray[np.uint32]:
    """Rows (n, 4) of black, white, kings and side, for the core.

    boards: whole numbers (n, 4) like these, or (n, 3) with Black to move. Raises InvalidSettingError, which names the
    first row that is not a position.
    """
    array = np.asarray(boards)
    if array.ndim != 2 or array.shape[1] not in (3, 4) or array.dtype.kind not in "iu":
        raise InvalidSettingError(
            f"boards: {array.dtype} {array.shape}; expected whole numbers of shape (n, 3): black, white, kings, or "
            "(n, 4): and the side to move"
        )
    if array.dtype != np.uint32:
        bad = ((array < 0) | (array > BITS)).any(axis=1)
        if bad.any():
            raise _wrong(array, int(np.argmax(bad)), "its numbers are not bitboards of 32 bits")
    rows = np.zeros((len(array), 4), dtype=np.uint32)
    rows[:, : array.shape[1]] = array
    if (rows[:, 3] > 1).any():
        row = int(np.argmax(rows[:, 3] > 1))
        raise _wrong(array, row, f"the side to move is {rows[row, 3]}, not 0 (Black) or 1 (White)")
    bad = impossible(rows[:, :3])
    if bad.any():
        row = int(np.argmax(bad))
        try:
            check_board(*map(int, rows[row, :3]))
        except InvalidFenError as error:
            raise _wrong(array, row, str(error)) from None
    return rows


def _wrong(boards: NDArray[np.integer], row: int, what: str) -> InvalidSettingError:
    return InvalidSettingError(f"boards: row {row}, {boards[row].tolist()}, is not a position: {what}")


def order_of_entries(rows: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Order of boards (n, 4) in which entries that stand together are looked up one after another.

    By pieces, side to move and men; 80 ns a board. Random ones are looked up 1.5 times as fast in it.
    """
    black, white, kings, side = rows.T
    black_men, white_men = black & ~kings, white & ~kings
    keys = np.zeros(len(rows), np.uint64)
    for each in (black_men, black & kings, white_men, white & kings):
        keys = keys << np.uint64(4) | np.bitwise_count(each).astype(np.uint64)
    # men of Black stand on the first 28 squares; the rest of the number is too fine to matter
    keys = keys << np.uint64(1) | side
    keys = keys << np.uint64(28) | black_men & np.uint32((1 << 28) - 1)
    return np.argsort(keys << np.uint64(19) | white_men >> np.uint32(13))
