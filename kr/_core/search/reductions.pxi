# Late-move reductions: moves late in a good order are rarely the best, and less so the deeper the search.

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
    """Plies less for the quiet move at `index`, counted from 0; `forcing`: the opponent must capture after it."""
    cdef int less
    if depth < options.lmr_depth or index < options.lmr_move:
        return 0
    less = (options.lmr_base + options.lmr_scale * LOGS[depth] * LOGS[index] // 10000) // 100
    if forcing:
        less -= options.lmr_forcing
    return max(0, min(less, depth - 1))
