# Minimax to a fixed depth by plain alpha-beta: no table of positions, no reductions, nothing left out. The move is that
# of a full minimax search that takes the first of equal moves; only wins that come sooner are preferred.

from libc.math cimport tanhf

cdef enum:
    CACHED_OUTPUTS = 1 << 12      # outputs of a network that are remembered

cdef struct CachedOutput:
    u64 key
    float output

cdef struct Minimax:
    const Evaluation* evaluation
    const ScoredEvolved* evolved     # instead, if it is a network: outputs are not rounded
    float unit                       # of the scores of other evaluations: logit halves in a centi-man
    int plies
    bint extend                      # two plies more where a capture is due
    u64 nodes
    int32_t history[2][4096]
    CachedOutput* cache

cdef enum:
    MINIMAX_WIN = 1000000       # outputs are far smaller


cdef float minimax_leaf(Minimax* own, const Board* board) noexcept nogil:
    cdef CachedOutput* entry
    if own.evolved == NULL:
        return own.unit * evaluate(own.evaluation, board)
    entry = &own.cache[board.key % CACHED_OUTPUTS]
    if entry.key != board.key:
        entry.output = evolved_output(own.evolved, board)
        entry.key = board.key
    return entry.output


cdef void minimax_order(const Minimax* own, const Board* board, const MoveList* moves, int* order) noexcept nogil:
    """Large captures first, then the moves that cut off most often."""
    cdef int i
    for i in range(moves.size):
        order[i] = (popcount(move_captured(moves.moves[i])) << 20) + own.history[board.side][short_move(moves.moves[i])]


cdef float minimax(Minimax* own, const Board* board, float alpha, float beta, int depth, int ply) noexcept nogil:
    """The value of a position, exact within (alpha, beta), else a bound."""
    cdef MoveList moves
    cdef int order[MAX_MOVES]
    cdef Board child
    cdef float best = -MINIMAX_WIN
    cdef float value
    cdef int i, n
    own.nodes += 1
    if depth == 0 or ply >= MOST_DECIDED_PLIES:
        if not has_capture(board, board.side):
            return minimax_leaf(own, board) if has_quiet(board, board.side) else ply - MINIMAX_WIN
        if not own.extend or ply >= MOST_DECIDED_PLIES:
            return minimax_leaf(own, board)
        depth = 2
    generate(board, &moves)
    if moves.size == 0:
        return ply - MINIMAX_WIN
    minimax_order(own, board, &moves, order)
    for n in range(moves.size):
        i = next_best(order, moves.size)
        child = played(board, moves.moves[i])
        value = -minimax(own, &child, -beta, -alpha, depth - 1, ply + 1)
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                if value >= beta:
                    own.history[board.side][short_move(moves.moves[i])] += depth * depth
                    break
    return best


cdef int choose_by_minimax(void* state, const Board* board, const MoveList* moves, u64 salt, const int* stop,
                           double* score, u64* nodes) noexcept nogil:
    cdef Minimax* own = <Minimax*>state
    cdef Board child
    cdef float best = -2 * MINIMAX_WIN
    cdef float value
    cdef int choice = 0
    cdef int i
    own.nodes = 0
    memset(own.history, 0, sizeof(own.history))
    # in the order of generation, so that the first of equal moves is chosen
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        value = -minimax(own, &child, -2 * MINIMAX_WIN, -best, own.plies - 1, 1)
        if value > best:
            best = value
            choice = i
        if load_flag(stop):
            break
    score[0] = tanhf(best)
    nodes[0] = own.nodes
    return choice


cdef class MinimaxDecider(Decider):
    """Minimax by alpha-beta to a fixed depth.

    evaluator: of any kind; the output of an evolved network is taken as it is. extend: a leaf with a capture due is
    searched two plies more. scale: centi-men in a logit, of evaluations that are not networks. Raises ValueError.
    """
    cdef Minimax minimax
    cdef Evaluator evaluator

    def __cinit__(self, Evaluator evaluator not None, int plies, bint extend=False, float scale=58):
        if not 1 <= plies <= MOST_DECIDED_PLIES // 2:
            raise ValueError(f"{plies} plies; expected 1 to {MOST_DECIDED_PLIES // 2}")
        self.evaluator = evaluator
        self.minimax.evaluation = &evaluator.evaluation
        if isinstance(evaluator, EvolvedEvaluator):
            self.minimax.evolved = &(<EvolvedEvaluator>evaluator).scored
        self.minimax.unit = 0.5 / scale
        self.minimax.plies = plies
        self.minimax.extend = extend
        self.minimax.cache = <CachedOutput*>calloc(CACHED_OUTPUTS, sizeof(CachedOutput))
        if self.minimax.cache == NULL:
            raise MemoryError("no memory for outputs")
        self.choose_move = choose_by_minimax
        self.own = &self.minimax

    def __dealloc__(self):
        free(self.minimax.cache)
