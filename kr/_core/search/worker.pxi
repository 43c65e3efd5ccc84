# State of one thread of a search: its limits, the positions before it, its principal variations and results.

cdef enum:
    CHECK_NODES = 1024       # nodes between checks of the clock
    CHECK_SIGNALS = 64       # checks of the clock between checks for Ctrl-C
    MIN_REPETITION = 4       # plies after which a position can be repeated at the earliest
    LINE_SLOTS = 1 << 12

cdef extern from *:
    const u64 NO_LEAF "UINT64_MAX"

cdef struct Line:
    int score
    int length
    Move moves[MAX_PLY]

cdef struct Leaf:
    # A position that the search scored statically and about as it scores the root, chosen at random: each different one
    # is as likely as any other. Those that are far from the root's score decide nothing.
    u64 seed
    int margin               # centi-men from the root's score of the last iteration
    int side                 # to move at the root
    int score                # of the root
    bint wanted              # an iteration is over, so that there is a score
    u64 least                # of the mixed keys so far, which chooses (min-wise sampling); NO_LEAF before the first
    Board board

# handles Ctrl-C; True ends the search
ctypedef bint (*SignalCallback)(void* owner) noexcept nogil

cdef struct Worker:
    const Evaluation* evaluation
    SearchOptions options
    Endgames endgames
    Table* table
    Busy* busy               # moves that threads of this search are at; NULL with one thread
    volatile u64* line_keys  # LINE_SLOTS: positions in principal variations of this search's iterations, of all threads
    bint helps               # another thread leads this search
    Ordering ordering
    # limits
    int* stop                # flag, set from outside
    SignalCallback hear_signals
    void* owner              # argument of hear_signals; NULL if signals are not checked
    bint stopped
    u64 nodes                # other threads read it, and what says so below (atomic.pxi)
    u64 node_limit
    double deadline
    int checks
    double start             # when the search began; read elsewhere
    double asked             # the clock when it was last asked; read elsewhere
    double usual_time        # seconds that a move takes on average; 0: every move takes all of its time
    int within               # 1 + centi-men below the best in which each move gets a line; 0: as many lines as asked for
    Unrest unrest
    Leaf* leaf               # wanted of this search; NULL for none
    # the game: positions before the root, then those of the current line
    int root_index
    u64 keys[MAX_GAME + MAX_PLY]
    int reversible[MAX_GAME + MAX_PLY]   # plies since the last capture or man's move
    # principal variations
    Move pv[MAX_PLY + 1][MAX_PLY + 1]
    int pv_length[MAX_PLY + 1]
    # results
    int root_depth           # read elsewhere
    Line root_line           # best so far in the running iteration; empty at its start
    int line_count
    Line lines[MAX_LINES]    # of the last finished iteration, best first
    int depth                # of the last finished iteration; read elsewhere

# after an iteration; True ends the search
ctypedef bint (*IterationCallback)(Worker* worker, void* listener) noexcept nogil


cdef void check_clock(Worker* worker) noexcept nogil:
    store_double(&worker.asked, seconds())
    # after the clock, which may be a page's own and stop the search (WebAssembly)
    if load_flag(worker.stop) or worker.asked >= worker.deadline:
        worker.stopped = True
    worker.checks += 1
    if worker.owner != NULL and worker.checks % CHECK_SIGNALS == 0:
        if worker.hear_signals(worker.owner):
            worker.stopped = True


cdef inline bint out_of_limits(Worker* worker) noexcept nogil:
    """Count a node; returns True if a limit is reached."""
    if worker.nodes >= worker.node_limit:
        worker.stopped = True
    elif worker.nodes % CHECK_NODES == CHECK_NODES - 1:
        check_clock(worker)
    if not worker.stopped:
        store_count(&worker.nodes, worker.nodes + 1)
    return worker.stopped


cdef inline bint is_draw_by_rule(const Worker* worker, int ply) noexcept nogil:
    """True for a repetition of a position of the line or the game, or too many plies without progress."""
    cdef int here = worker.root_index + ply
    cdef int back = worker.reversible[here]
    cdef int i
    if back < MIN_REPETITION:
        return False
    if back >= NO_PROGRESS_PLIES:
        return True
    if back > here:
        back = here
    i = MIN_REPETITION
    while i <= back:
        if worker.keys[here - i] == worker.keys[here]:
            return True
        i += 2
    return False


cdef inline void update_pv(Worker* worker, int ply, Move move) noexcept nogil:
    cdef int i
    cdef int length = worker.pv_length[ply + 1]
    worker.pv[ply][0] = move
    for i in range(length):
        worker.pv[ply][i + 1] = worker.pv[ply + 1][i]
    worker.pv_length[ply] = length + 1


cdef inline bint has_line(const Worker* worker, Move move) noexcept nogil:
    """True if a root move already has its line in this iteration."""
    cdef int i
    for i in range(worker.line_count):
        if worker.lines[i].moves[0] == move:
            return True
    return False


cdef void keep_root_line(Worker* worker, int score) noexcept nogil:
    """Keep the line of a root move that has become the best: it counts even if the iteration is cut short."""
    worker.root_line.score = score
    worker.root_line.length = worker.pv_length[0]
    memcpy(worker.root_line.moves, worker.pv[0], worker.pv_length[0] * sizeof(Move))


cdef inline void consider_leaf(Leaf* leaf, const Board* board, int score) noexcept nogil:
    """Note the position if its mixed key is the least so far, and its score near enough to the root's."""
    cdef u64 state = board.key ^ leaf.seed
    cdef u64 mixed = splitmix64(&state)
    if mixed < leaf.least and leaf.wanted and abs(
            score - (leaf.score if board.side == leaf.side else -leaf.score)) <= leaf.margin:
        leaf.least = mixed
        leaf.board = board[0]


cdef inline int faded_score(const Worker* worker, const Board* board, int reversible) noexcept nogil:
    """Static score, closer to a draw the longer there was no progress: material that a fortress holds is not a win."""
    # worth +2 ± 4 Elo at 8,000 nodes, and 6 more of 561 published problems (docs/lab/search.md)
    cdef int score = evaluate(worker.evaluation, board)
    cdef int fade_plies = worker.options.fade_plies
    if worker.leaf != NULL:
        consider_leaf(worker.leaf, board, score)
    if reversible == 0 or fade_plies == 0:
        return score
    return score - score * min(reversible, fade_plies) // fade_plies
