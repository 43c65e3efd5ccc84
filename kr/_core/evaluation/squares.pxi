# Piece-square tables: a piece is worth what stands in the table for a man or a king on its square. The smallest
# evaluation that games can teach, a baseline for larger ones; its sums are kept from ply to ply.

cdef enum:
    SQUARE_UNIT = 16            # table entries are sixteenths of a centi-man

cdef struct SquareTables:
    int32_t entries[2][2][35][2]    # [colour][king][square][phase], from Black's view: White's are turned and negative


cdef inline void add_entry(const SquareTables* tables, Memory* sums, int colour, u64 kings, int square,
                           int times) noexcept nogil:
    """Add the entry of a piece to the sums of opening and ending, from Black's view."""
    cdef const int32_t* entry = tables.entries[colour][kings >> square & 1][square]
    sums.numbers[0] += times * entry[0]
    sums.numbers[1] += times * entry[1]


cdef void refresh_squares(const void* weights, const Board* board, Memory* sums) noexcept nogil:
    cdef int colour
    cdef u64 rest
    sums.numbers[0] = sums.numbers[1] = 0
    for colour in range(2):
        rest = board.pieces[colour]
        while rest:
            add_entry(<const SquareTables*>weights, sums, colour, board.kings, pop_lsb(&rest), 1)


cdef void update_squares(const void* weights, const Board* board, Move move, const Memory* before,
                         Memory* sums) noexcept nogil:
    cdef const SquareTables* tables = <const SquareTables*>weights
    cdef int side = board.side
    cdef int origin = origin_bit(move)
    cdef int target = target_bit(move)
    cdef u64 captured = move_captured(move)
    # a piece that reaches the last row is a king there
    cdef u64 reached = (board.kings >> origin & 1) << target | (BLACK_KING_ROW if side == BLACK else WHITE_KING_ROW)
    sums[0] = before[0]
    add_entry(tables, sums, side, board.kings, origin, -1)
    add_entry(tables, sums, side, reached, target, 1)
    while captured:
        add_entry(tables, sums, 1 - side, board.kings, pop_lsb(&captured), -1)


cdef int square_score(const void* weights, const Board* board, const Memory* sums) noexcept nogil:
    cdef int pieces = popcount(board.pieces[BLACK] | board.pieces[WHITE])
    cdef int64_t score = <int64_t>pieces * sums.numbers[0] + <int64_t>(FULL_BOARD - pieces) * sums.numbers[1]
    return <int>((score if board.side == BLACK else -score) // (FULL_BOARD * SQUARE_UNIT))


cdef class _SquareEvaluator(Evaluator):
    """Piece-square tables. Raises ValueError for another shape."""
    cdef SquareTables tables

    def __cinit__(self, const int16_t[:, :, ::1] entries not None):
        """entries: (2, 32, 2), a man and a king on each square 0-31 as Black sees them, opening and ending, in
        sixteenths of a centi-man; White's are the same with the board turned."""
        cdef int king, square, phase
        if entries.shape[0] != 2 or entries.shape[1] != 32 or entries.shape[2] != 2:
            raise ValueError("piece-square tables have the shape (2, 32, 2)")
        for king in range(2):
            for square in range(32):
                for phase in range(2):
                    self.tables.entries[BLACK][king][padded_square(square)][phase] = entries[king, square, phase]
                    self.tables.entries[WHITE][king][padded_square(31 - square)][phase] = -entries[king, square, phase]
        self.evaluation.score = square_score
        self.evaluation.refresh = refresh_squares
        self.evaluation.update = update_squares
        self.evaluation.weights = &self.tables


EVALUATORS["squares"] = _SquareEvaluator
