# Games between two deciders, played without the GIL.

cdef enum:
    MOST_DUEL_PLIES = 1000


cdef bint is_third(const u64* keys, int ply, int reversible) noexcept nogil:
    """True if the position has stood on the board twice before."""
    cdef int times = 0
    cdef int i = 4
    while i <= reversible:
        if keys[ply - i] == keys[ply]:
            times += 1
        i += 2
    return times >= 2


def play_duel(Decider black not None, Decider white not None, tuple start not None, int most_plies, u64 seed=0,
              Stop stop=None):
    """Play a game from `start` (black, white, kings, side).

    The third occurrence of a position, 80 plies without progress and `most_plies` are draws. seed: of random choices.
    stop: ends the game. Returns (result, reason, moves): 1 if Black won, 0, -1; a REASON_
    number; the codes of the moves, uint16 (plies,). Returns None if it was stopped. Releases the GIL. Raises
    ValueError.
    """
    import numpy as np
    cdef Board board = board_from_bits(start[0], start[1], start[2], start[3])
    cdef ChooseMove choose[2]
    cdef void* own[2]
    cdef MoveList moves
    cdef Move move
    cdef u64 keys[MOST_DUEL_PLIES + 1]
    cdef u64 random = seed
    cdef u64 nodes = 0
    cdef double score = 0
    cdef int never = 0
    cdef const int* ends = &never
    cdef int result = 0
    cdef int reason = REASON_LENGTH
    cdef int reversible = 0
    cdef int ply = 0
    cdef int index = 0
    if not 1 <= most_plies <= MOST_DUEL_PLIES:
        raise ValueError(f"{most_plies} plies; expected 1 to {MOST_DUEL_PLIES}")
    if black is white:
        raise ValueError("a decider plays one side of a game; make another one for the other")
    array = np.empty(most_plies, dtype=np.uint16)
    cdef uint16_t[::1] codes = array
    choose[0], choose[1] = black.choose_move, white.choose_move
    own[0], own[1] = black.own, white.own
    if stop is not None:
        ends = &stop.flag
    with nogil:
        splitmix64(&random)
        while True:
            keys[ply] = board.key
            generate(&board, &moves)
            if moves.size == 0:
                result = -1 if board.side == BLACK else 1
                reason = REASON_NO_MOVE
                break
            if is_third(keys, ply, reversible):
                reason = REASON_REPETITION
                break
            if reversible >= NO_PROGRESS_PLIES:
                reason = REASON_NO_PROGRESS
                break
            if ply == most_plies:
                break
            index = 0
            if moves.size > 1:
                index = choose[board.side](own[board.side], &board, &moves, splitmix64(&random), ends, &score, &nodes)
            if load_flag(ends):
                break
            move = moves.moves[index]
            codes[ply] = <uint16_t>move_code(&moves, move)
            reversible = reversible + 1 if is_reversible(&board, move) else 0
            board = played(&board, move)
            ply += 1
    if load_flag(ends):
        return None
    return result, reason, array[:ply].copy()
