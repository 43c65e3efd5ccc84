# Training samples: games replayed into quiet positions in the mover's frame, and the merging of duplicates.
# A sample is four 32-bit boards (own men, opponent's men, own kings, opponent's kings) seen from the side to move,
# the board turned by 180 degrees when that is White.

cdef enum:
    SAMPLE_BOARDS = 4
    MERGE_AHEAD = 8          # samples between the prefetch of a slot and its use
    MERGE_FREE = 0xFFFFFFFF  # an empty slot of the merge table


cdef inline void write_sample(const Board* board, u32* out) noexcept nogil:
    cdef u64 own = board.pieces[board.side]
    cdef u64 opponent = board.pieces[1 - board.side]
    cdef int i
    out[0] = unpad(own & ~board.kings)
    out[1] = unpad(opponent & ~board.kings)
    out[2] = unpad(own & board.kings)
    out[3] = unpad(opponent & board.kings)
    if board.side == WHITE:
        for i in range(SAMPLE_BOARDS):
            out[i] = rotated32(out[i])


cdef inline bint has_choice(const Board* board) noexcept nogil:
    cdef MoveList moves
    generate(board, &moves)
    return moves.size > 1


cdef Py_ssize_t quiet_of_game(Board board, const uint16_t* moves, const int16_t* scores, Py_ssize_t plies,
                              u32* boards, uint16_t* ply, Py_ssize_t* broken) noexcept nogil:
    """Write the quiet searched positions of one game and return their number; `broken`: the first illegal ply or -1.

    A game without any score was not searched: then those with a choice of moves count.
    """
    cdef Py_ssize_t p
    cdef Py_ssize_t count = 0
    cdef bint scored = False
    cdef Move move
    broken[0] = -1
    for p in range(plies):
        if scores[p] != SCORE_NONE:
            scored = True
            break
    for p in range(plies):
        if ((scores[p] != SCORE_NONE if scored else has_choice(&board))
                and not has_capture(&board, BLACK) and not has_capture(&board, WHITE)):
            write_sample(&board, boards + SAMPLE_BOARDS * count)
            ply[count] = <uint16_t>p
            count += 1
        move = coded_move(&board, moves[p])
        if move == 0:
            broken[0] = p
            return count
        board = played(&board, move)
    return count


def quiet_positions(const uint32_t[:, ::1] start, const uint8_t[::1] side, const int64_t[::1] first,
                    const int8_t[::1] result, const uint16_t[::1] move, const int16_t[::1] score):
    """Quiet positions of a shard's games: nothing to capture for either side, a search score stored.

    Of a game without any score, quiet positions with a choice of moves.

    start (G, 3) black, white, kings; side (G,); first (G + 1) offsets into the plies; result (G,) Black's view;
    move, score (P,). Returns boards uint32 (n, 4) in the mover's frame, result int8 (n,) mover's view 1/0/-1,
    score int16 (n,), ply uint16 (n,), game int32 (n,) rows of the shard. Raises ValueError naming game row and ply
    if a stored move is not legal, or the offsets make no sense.
    """
    import numpy as np

    cdef Py_ssize_t games = side.shape[0]
    cdef Py_ssize_t plies = move.shape[0]
    if (start.shape[0] != games or start.shape[1] != 3 or first.shape[0] != games + 1 or result.shape[0] != games
            or score.shape[0] != plies or first[0] != 0 or first[games] != plies):
        raise ValueError("the arrays of the shard do not fit together")
    # one element more, so that an empty shard has an address too
    out_boards = np.empty((plies + 1, SAMPLE_BOARDS), dtype=np.uint32)
    out_ply = np.empty(plies + 1, dtype=np.uint16)
    counts = np.zeros(games, dtype=np.int64)
    cdef uint32_t[:, ::1] boards = out_boards
    cdef uint16_t[::1] ply = out_ply
    cdef int64_t[::1] count = counts
    cdef const uint16_t[::1] moves = move
    cdef Py_ssize_t g, length
    cdef Py_ssize_t n = 0
    cdef Py_ssize_t broken = -1
    cdef bint lost = False
    with nogil:
        for g in range(games):
            length = first[g + 1] - first[g]
            if length < 0 or first[g + 1] > plies or side[g] > 1 or start[g, 0] & start[g, 1]:
                lost = True
                break
            if length == 0:
                continue
            count[g] = quiet_of_game(board_from_bits(start[g, 0], start[g, 1], start[g, 2], side[g]), &moves[first[g]],
                                     &score[first[g]], length, &boards[n, 0], &ply[n], &broken)
            n += count[g]
            if broken >= 0:
                break
    if lost:
        raise ValueError(f"game {g} of the shard: impossible start position or offsets")
    if broken >= 0:
        raise ValueError(f"game {g} of the shard, ply {broken}: the stored move is not legal")
    game = np.repeat(np.arange(games, dtype=np.int32), counts)
    plies_of = out_ply[:n].copy()
    mover = (np.asarray(side)[game] ^ (plies_of & 1)).astype(np.int8)
    results = np.asarray(result)[game] * (1 - 2 * mover)
    return out_boards[:n].copy(), results, np.asarray(score)[np.asarray(first)[game] + plies_of], plies_of, game


cdef inline u64 sample_hash(const u32* boards) noexcept nogil:
    cdef u64 state = boards[0] | <u64>boards[1] << 32
    cdef u64 men = splitmix64(&state)
    state = men ^ (boards[2] | <u64>boards[3] << 32)
    return splitmix64(&state)


cdef inline bint same_sample(const u32* a, const u32* b) noexcept nogil:
    return a[0] == b[0] and a[1] == b[1] and a[2] == b[2] and a[3] == b[3]


def fill_merge_table(const uint32_t[:, ::1] boards, Py_ssize_t used, uint32_t[::1] table):
    """Enter the first `used` distinct samples into an empty merge table (a power of two of slots, all MERGE_FREE)."""
    cdef u64 mask = <u64>table.shape[0] - 1
    cdef u64 slot
    cdef Py_ssize_t i
    with nogil:
        for i in range(used):
            slot = sample_hash(&boards[i, 0]) & mask
            while table[slot] != <u32>MERGE_FREE:
                slot = slot + 1 & mask
            table[slot] = <u32>i


def merge_samples(const uint32_t[:, ::1] new_boards, const float[::1] new_result, const float[::1] new_target,
                  uint32_t[:, ::1] boards, uint32_t[::1] count, double[::1] result, double[::1] target,
                  Py_ssize_t used, uint32_t[::1] table):
    """Add samples to distinct ones: counts grow, results and targets are summed; returns the new number of distinct.

    boards (capacity, 4) and the others (capacity,) hold `used` distinct samples known to `table`; the capacity has
    room for all new ones and the table twice as many slots (fill_merge_table).
    """
    cdef u64 mask = <u64>table.shape[0] - 1
    cdef Py_ssize_t n = new_boards.shape[0]
    cdef Py_ssize_t i
    cdef u64 slot
    cdef u32 row
    if used + n > boards.shape[0] or 2 * (used + n) > table.shape[0]:
        raise ValueError("no room for the new samples")
    with nogil:
        for i in range(n):
            if i + MERGE_AHEAD < n:
                prefetch(&table[sample_hash(&new_boards[i + MERGE_AHEAD, 0]) & mask])
            slot = sample_hash(&new_boards[i, 0]) & mask
            while table[slot] != <u32>MERGE_FREE and not same_sample(&boards[table[slot], 0], &new_boards[i, 0]):
                slot = slot + 1 & mask
            row = table[slot]
            if row == <u32>MERGE_FREE:
                row = <u32>used
                table[slot] = row
                used += 1
                memcpy(&boards[row, 0], &new_boards[i, 0], SAMPLE_BOARDS * sizeof(u32))
                count[row] = 0
                result[row] = 0
                target[row] = 0
            count[row] += 1
            result[row] += new_result[i]
            target[row] += new_target[i]
    return used
