# Late-move reductions: moves late in a good order are rarely the best, and even more rarely the deeper the search.
#
# worth +18 ± 18 Elo at 8,000 nodes over one and two plies by steps; without them 3.27 times the nodes to depth 15.
# Forcing moves reduced a ply less: +11 ± 9 and +5 ± 7, at 40,000 nodes -2 ± 13 (docs/lab/search.md).

from libc.math cimport log2

cdef enum:
    MOST_LOGS = MAX_PLY + MAX_MOVES

cdef int LOGS[MOST_LOGS]     # base-2 logarithms in hundredths


cdef void fill_logs() noexcept nogil:
    cdef int i
    for i in range(1, MOST_LOGS):
        LOGS[i] = <int>(100 * log2(<double>i))


fill_logs()


cdef inline int reduction(const SearchOptions* options, int depth, int index, bint forcing) noexcept nogil:
    """Reduction in plies of the quiet move at `index`, counted from 0; forcing: the opponent must capture after it."""
    cdef int less
    if depth < options.lmr_depth or index < options.lmr_move:
        return 0
    # both logarithms and the options are in hundredths
    less = (options.lmr_base + options.lmr_scale * LOGS[depth] * LOGS[index] // 10000) // 100
    if forcing:
        less -= options.lmr_forcing
    return max(0, min(less, depth - 1))
