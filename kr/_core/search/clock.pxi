# The clock: the time that a move may take, by the difficulty of the root so far.
#
# worth +23 ± 15 Elo at 1s+10ms (docs/lab/search.md)

# Three factors, in percent of the usual time, are multiplied. They were not tuned one by one.
cdef enum:
    TIME_CALM = 55           # if the best move never changed
    TIME_CHANGE = 45         # added for each change, halved with every iteration since
    TIME_CONTESTED = 150     # if the other moves took all nodes of the iteration
    TIME_SETTLED = 70        # subtracted in proportion to the best move's share of the nodes
    TIME_FALL = 60           # added in proportion to the fall of the score, up to FALL_MAX
    FALL_MAX = 30            # centi-men below the running mean

cdef struct Unrest:
    # Difficulty of the root, by the iterations so far.
    Move best
    double changes           # number of changes of the best move, each halved with every iteration since
    double score             # running mean
    u64 root_nodes           # nodes before the running iteration
    u64 best_nodes           # nodes of the best move in that iteration


cdef inline double time_factor(Unrest* unrest, Move best, int score, u64 nodes, int depth) noexcept nogil:
    """Part of the usual time that the move may take, after an iteration of `nodes` nodes.

    It is larger if the best move has changed, its score has fallen, or the other moves took much work to refute.
    """
    cdef double share = <double>unrest.best_nodes / nodes if nodes > 0 else 1
    cdef double fall = max(0.0, min(unrest.score - score, <double>FALL_MAX)) / FALL_MAX if depth > 1 else 0
    unrest.changes /= 2
    if depth > 1 and best != unrest.best:
        unrest.changes += 1
    unrest.best = best
    unrest.score = (unrest.score + score) / 2 if depth > 1 else score
    return ((TIME_CALM + TIME_CHANGE * unrest.changes) / 100 * (TIME_CONTESTED - TIME_SETTLED * share) / 100
            * (100 + TIME_FALL * fall) / 100)
