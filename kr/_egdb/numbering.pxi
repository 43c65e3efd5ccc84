# Slices and indices for Python.

NO_INDEX = 0xFFFFFFFFFFFFFFFF


cdef Slice make_slice(int own_men, int own_kings, int opponent_men, int opponent_kings):
    """The slice of these pieces. Raises ValueError for more than EGDB_MAX_PIECES, or for a side without pieces."""
    cdef Slice s
    cdef int failed = describe_slice(&s, own_men, own_kings, opponent_men, opponent_kings)
    if failed == NO_SLICE:
        raise ValueError(f"no slice of {own_men} men, {own_kings} kings against {opponent_men} men, "
                         f"{opponent_kings} kings")
    if failed:
        raise MemoryError("no memory for the indices of a slice")
    return s


def egdb_slice_size(int own_men, int own_kings, int opponent_men, int opponent_kings):
    """Positions of a slice. Raises ValueError for more than EGDB_MAX_PIECES, or for a side without pieces."""
    return make_slice(own_men, own_kings, opponent_men, opponent_kings).size


def egdb_slice_block(int own_men, int own_kings, int opponent_men, int opponent_kings):
    """Positions of a slice with the same arrangement of men."""
    return make_slice(own_men, own_kings, opponent_men, opponent_kings).block


def egdb_index(u32 black, u32 white, u32 kings, int side):
    """((own men, own kings, opponent's men, opponent's kings), index) of a position. Raises ValueError."""
    cdef Board board = board_from_bits(black, white, kings, side)
    cdef u64 own = board.pieces[side]
    cdef u64 opponent = board.pieces[1 - side]
    shape = (popcount(own & ~board.kings), popcount(own & board.kings),
             popcount(opponent & ~board.kings), popcount(opponent & board.kings))
    cdef Slice s = make_slice(shape[0], shape[1], shape[2], shape[3])
    return shape, board_index(&s, &board)


def egdb_position(tuple shape, u64 index):
    """Position (black, white, kings, 0) of a slice with this index, the side to move as Black. Raises ValueError."""
    cdef int own_men, own_kings, opponent_men, opponent_kings
    own_men, own_kings, opponent_men, opponent_kings = shape
    cdef Slice s = make_slice(own_men, own_kings, opponent_men, opponent_kings)
    if index >= s.size:
        raise ValueError(f"index {index} is beyond the slice's {s.size} positions")
    cdef Board board = board_at(&s, index)
    return unpad(board.pieces[BLACK]), unpad(board.pieces[WHITE]), unpad(board.kings), 0


def egdb_indices(tuple shape, const u32[:, ::1] boards not None):
    """Indices (n,) of boards in a slice, uint64; NO_INDEX of those of another one. Releases the GIL.

    boards: uint32 (n, 3), black, white and kings, Black to move. Raises ValueError for a shape without a slice.
    """
    import numpy as np
    cdef Slice s = make_slice(shape[0], shape[1], shape[2], shape[3])
    if boards.shape[1] != 3:
        raise ValueError(f"boards have the shape (n, 3): black, white, kings; not (n, {boards.shape[1]})")
    array = np.full(boards.shape[0], NO_INDEX, dtype=np.uint64)
    cdef u64[::1] indices = array
    cdef Board board
    cdef Py_ssize_t i
    with nogil:
        for i in range(boards.shape[0]):
            board = board_from_bits(boards[i, 0], boards[i, 1], boards[i, 2], BLACK)
            if (popcount(board.pieces[BLACK] & ~board.kings) == s.own_men
                    and popcount(board.pieces[BLACK] & board.kings) == s.own_kings
                    and popcount(board.pieces[WHITE] & ~board.kings) == s.opponent_men
                    and popcount(board.pieces[WHITE] & board.kings) == s.opponent_kings):
                indices[i] = board_index(&s, &board)
    return array
