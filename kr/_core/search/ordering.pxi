# Move ordering: the table's move, captures by their size, history. Killer moves in addition cost 7% more nodes to a
# depth, and 0 ± 18 Elo at 8,000 nodes (docs/lab/search.md).

cdef enum:
    HISTORY_MAX = 1 << 14        # bound of a move's history, either way
    BONUS_MAX = 400              # upper bound of the history for a cutoff, which is the square of its depth
    ORDER_TABLE = 1 << 30
    ORDER_CAPTURE = 1 << 20      # for each captured piece
    ORDER_TAKEN = -(1 << 30)

cdef struct Ordering:
    int32_t history[2][4096]     # [side][short move]


cdef void start_ordering(Ordering* ordering) noexcept nogil:
    """Before a search: halve the history."""
    cdef int i
    for i in range(4096):
        ordering.history[BLACK][i] //= 2
        ordering.history[WHITE][i] //= 2


cdef inline void order_moves(const Ordering* ordering, const SearchOptions* options, const MoveList* moves,
                             int table_move, int side, int* order) noexcept nogil:
    cdef int i
    cdef Move move
    for i in range(moves.size):
        move = moves.moves[i]
        if short_move(move) == table_move:
            order[i] = ORDER_TABLE
        elif move_captured(move):
            order[i] = ORDER_CAPTURE * popcount(move_captured(move))
        else:
            order[i] = ordering.history[side][short_move(move)] if options.history else 0


cdef inline int index_of_best(const int* order, int count) noexcept nogil:
    """Index of the first of the best moves."""
    cdef int best = 0
    cdef int most = order[0]
    cdef int i
    for i in range(1, count):
        if order[i] > most:
            most = order[i]
            best = i
    return best


cdef inline int next_best(int* order, int count) noexcept nogil:
    """Take the best move not yet taken; returns its index."""
    cdef int best = index_of_best(order, count)
    order[best] = ORDER_TAKEN
    return best


cdef inline void adjust_history(int32_t* entry, int bonus) noexcept nogil:
    entry[0] += bonus - entry[0] * (bonus if bonus > 0 else -bonus) // HISTORY_MAX


cdef inline void reward(Ordering* ordering, const MoveList* moves, const uint8_t* tried, int tried_count, Move best,
                        int side, int depth) noexcept nogil:
    """After a quiet move failed high: raise its history, and lower that of the moves tried before it."""
    cdef int bonus = min(depth * depth, BONUS_MAX)
    cdef int i
    adjust_history(&ordering.history[side][short_move(best)], bonus)
    for i in range(tried_count):
        adjust_history(&ordering.history[side][short_move(moves.moves[tried[i]])], -bonus)
