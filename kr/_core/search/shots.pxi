# Shots at the leaves: a man is given up, and after any capture of the opponent, more is captured in return.
#
# Chinook found them in a table of patterns for each of its leaves, Scan by looking at sacrifices. Here bitboards show
# the steps after which the opponent must capture, few as they are, and each is played out. To the same depth that
# takes 0.97 times the nodes and 1.02 times the time; worth +6 ± 7 Elo at 8,000 nodes, +6 ± 6 at 20,000.

cdef struct Offers:
    # Steps after which the opponent can capture.
    u64 targets[4]           # of steps up by 4 and 5 bits, and down by 4 and 5
    u64 origins              # of pieces that shield another one


cdef inline u64 raised(u64 squares, int bits) noexcept nogil:
    return squares << bits & SQUARES


cdef inline u64 lowered(u64 squares, int bits) noexcept nogil:
    return squares >> bits & SQUARES


cdef inline bint find_offers(const Board* board, Offers* offers) noexcept nogil:
    """Find the offers of a position in which neither side can capture; True if there are any."""
    cdef int side = board.side
    cdef u64 own = board.pieces[side]
    cdef u64 foes = board.pieces[1 - side]
    cdef u64 empty = SQUARES & ~(own | foes)
    cdef u64 kings = board.kings
    # who steps up and down, and squares over which a foe would jump down (from above) and up (from below)
    cdef u64 up = own if side == BLACK else own & kings
    cdef u64 down = own & kings if side == BLACK else own
    cdef u64 jumps_down = foes if side == BLACK else foes & kings
    cdef u64 jumps_up = foes & kings if side == BLACK else foes
    cdef u64 above4 = lowered(jumps_down, 4)
    cdef u64 above5 = lowered(jumps_down, 5)
    cdef u64 below4 = raised(jumps_up, 4)
    cdef u64 below5 = raised(jumps_up, 5)
    # such squares that have room behind them; the square that is left by a step is room, too
    cdef u64 open4 = above4 & raised(empty, 4) | below4 & lowered(empty, 4)
    cdef u64 open5 = above5 & raised(empty, 5) | below5 & lowered(empty, 5)
    offers.targets[0] = raised(up, 4) & empty & (above4 | open5)
    offers.targets[1] = raised(up, 5) & empty & (above5 | open4)
    offers.targets[2] = lowered(down, 4) & empty & (below4 | open5)
    offers.targets[3] = lowered(down, 5) & empty & (below5 | open4)
    offers.origins = own & (lowered(own & above4, 4) | lowered(own & above5, 5)
                            | raised(own & below4, 4) | raised(own & below5, 5))
    return (offers.targets[0] | offers.targets[1] | offers.targets[2] | offers.targets[3] | offers.origins) != 0


cdef inline bint is_offer(const Offers* offers, Move move) noexcept nogil:
    """True if the opponent can capture after this step."""
    cdef int origin = origin_bit(move)
    cdef int target = target_bit(move)
    cdef u64 targets = offers.targets[(target - origin - 4 if target > origin else origin - target - 2)]
    return ((targets >> target | offers.origins >> origin) & 1) != 0


cdef bint is_shot(const Board* board) noexcept nogil:
    """True if each capture in this position allows a larger one in return."""
    cdef MoveList captures, answers
    cdef Board after
    cdef int i, j
    generate(board, &captures)
    for i in range(captures.size):
        after = played(board, captures.moves[i])
        if not has_capture(&after, after.side):
            return False
        generate(&after, &answers)
        j = 0
        while popcount(move_captured(answers.moves[j])) <= popcount(move_captured(captures.moves[i])):
            j += 1
            if j == answers.size:
                return False
    return True
