# Choices of many positions, for Python.

cdef check_frames(const uint32_t[:, ::1] boards):
    if boards.shape[1] != FRAME_BOARDS:
        raise ValueError(f"boards in the mover's frame have the shape (n, {FRAME_BOARDS}): own men, opponent's men, "
                         f"own kings, opponent's kings; not (n, {boards.shape[1]})")
    cdef Py_ssize_t i
    cdef u32 own, foe
    cdef bint mixed = False
    with nogil:
        for i in range(boards.shape[0]):
            own = boards[i, 0] | boards[i, 2]
            foe = boards[i, 1] | boards[i, 3]
            if own & foe or boards[i, 0] & boards[i, 2] or boards[i, 1] & boards[i, 3]:
                mixed = True
                break
    if mixed:
        raise ValueError(f"row {i}: two pieces on one square")


def _firsts(const uint32_t[:, ::1] boards):
    """Offsets (n + 1,) of the choices of each position."""
    import numpy as np
    cdef MoveList moves
    cdef Board board
    cdef Py_ssize_t i
    array = np.zeros(boards.shape[0] + 1, dtype=np.int64)
    cdef int64_t[::1] first = array
    with nogil:
        for i in range(boards.shape[0]):
            board = framed(&boards[i, 0])
            generate(&board, &moves)
            first[i + 1] = first[i] + moves.size
    return array


def policy_choices(const uint32_t[:, ::1] boards not None):
    """The choices of positions in the mover's frame, uint32 (n, 4). Releases the GIL.

    Returns first int64 (n + 1,), the offsets of each position's choices; origin and target uint8 (m,), squares 0-31;
    captured uint32 (m,). Raises ValueError for impossible boards.
    """
    import numpy as np
    cdef MoveList moves
    cdef Board board
    cdef Py_ssize_t i, at
    cdef int j
    check_frames(boards)
    firsts = _firsts(boards)
    cdef const int64_t[::1] first = firsts
    cdef Py_ssize_t m = first[boards.shape[0]]
    origins = np.empty(m, dtype=np.uint8)
    targets = np.empty(m, dtype=np.uint8)
    captures = np.empty(m, dtype=np.uint32)
    cdef uint8_t[::1] origin = origins
    cdef uint8_t[::1] target = targets
    cdef uint32_t[::1] captured = captures
    with nogil:
        for i in range(boards.shape[0]):
            board = framed(&boards[i, 0])
            generate(&board, &moves)
            for j in range(moves.size):
                at = first[i] + j
                origin[at] = <uint8_t>move_from(moves.moves[j])
                target[at] = <uint8_t>move_to(moves.moves[j])
                captured[at] = unpad(move_captured(moves.moves[j]))
    return firsts, origins, targets, captures


def choice_boards(const uint32_t[:, ::1] boards not None):
    """The positions after the choices of `policy_choices`, uint32 (m, 4), in the frame of the side that moved."""
    import numpy as np
    cdef MoveList moves
    cdef Board board, child
    cdef Py_ssize_t i
    cdef int j
    check_frames(boards)
    firsts = _firsts(boards)
    cdef const int64_t[::1] first = firsts
    # a row more, so that an empty array has an address too
    array = np.empty((first[boards.shape[0]] + 1, FRAME_BOARDS), dtype=np.uint32)
    cdef uint32_t[:, ::1] after = array
    with nogil:
        for i in range(boards.shape[0]):
            board = framed(&boards[i, 0])
            generate(&board, &moves)
            for j in range(moves.size):
                child = played(&board, moves.moves[j])
                write_frame(&child, &after[first[i] + j, 0])
    return array[:first[boards.shape[0]]]


def choice_scores(const uint32_t[:, ::1] boards not None, Evaluator evaluator not None, int plies=0):
    """The score of each of the choices of `policy_choices`, int16 (m,), centi-men from the mover's view.

    It is the static score after `plies` quiet plies and the forced captures that follow. Releases
    the GIL. Raises ValueError for impossible boards, or more than 2 plies.
    """
    import numpy as np
    cdef MoveList moves
    cdef Board board
    cdef Py_ssize_t i
    cdef const Evaluation* evaluation = &evaluator.evaluation
    check_frames(boards)
    if not 0 <= plies <= MOST_LOOKED:
        raise ValueError(f"from 0 to {MOST_LOOKED} plies, not {plies}")
    firsts = _firsts(boards)
    cdef const int64_t[::1] first = firsts
    array = np.empty(first[boards.shape[0]] + 1, dtype=np.int16)
    cdef int16_t[::1] scores = array
    with nogil:
        for i in range(boards.shape[0]):
            board = framed(&boards[i, 0])
            generate(&board, &moves)
            look_at_choices(evaluation, &board, &moves, plies, 2 * SCORE_INFINITE, &scores[first[i]])
    return array[:first[boards.shape[0]]]
