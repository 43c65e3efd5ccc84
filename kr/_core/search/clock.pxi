# The clock: what a move on it may take, by how hard its root has been so far.
#
# worth +23 ± 15 Elo at 1s+10ms (docs/search.md)

cdef extern from *:
    """
    #include <time.h>
    static double kr_seconds(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec + 1e-9 * now.tv_nsec;
    }
    """
    double seconds "kr_seconds"() noexcept nogil

# Each factor in percent of the usual time; the three are multiplied. Not tuned one by one.
cdef enum:
    TIME_CALM = 55           # the best move never changed
    TIME_CHANGE = 45         # more for each change, halved with every iteration since
    TIME_CONTESTED = 150     # the other moves took all nodes of the iteration
    TIME_SETTLED = 70        # less where the best move took them all, and in between by its share
    TIME_FALL = 60           # more where the score fell by FALL_MAX or further, and in between by how far
    FALL_MAX = 30            # centi-men below the running mean

cdef struct Unrest:
    # How hard the root is, by the iterations so far.
    Move best
    double changes           # of the best move, each half of what it was an iteration ago
    double score             # a running mean
    u64 root_nodes           # before the running iteration
    u64 best_nodes           # of them the best move's


cdef inline double time_factor(Unrest* unrest, Move best, int score, u64 nodes, int depth) noexcept nogil:
    """After an iteration of `nodes` nodes: the move's part of the usual time. It is more where the best move has
    changed, where its score falls, and where the other moves took much work to refute."""
    cdef double share = <double>unrest.best_nodes / nodes if nodes > 0 else 1
    cdef double fall = max(0.0, min(unrest.score - score, <double>FALL_MAX)) / FALL_MAX if depth > 1 else 0
    unrest.changes /= 2
    if depth > 1 and best != unrest.best:
        unrest.changes += 1
    unrest.best = best
    unrest.score = (unrest.score + score) / 2 if depth > 1 else score
    return ((TIME_CALM + TIME_CHANGE * unrest.changes) / 100 * (TIME_CONTESTED - TIME_SETTLED * share) / 100
            * (100 + TIME_FALL * fall) / 100)
