# Alpha-beta search: principal variation search with a transposition table and enhanced transposition cutoffs, static
# cuts above and below the window, internal iterative and late-move reductions, single-reply extensions; a quiescence
# search that never scores a pending capture. The steps in order, and what each is worth: docs/search.md.

from cpython.exc cimport PyErr_CheckSignals

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

cdef enum:
    CHECK_NODES = 1024       # nodes between looks at the clock
    CHECK_SIGNALS = 64       # looks at the clock between looks for Ctrl-C
    MIN_REPETITION = 4       # plies after which a position can first come back
    ASPIRATION_DEPTH = 4
    CHILDREN_DEPTH = 2       # plies left from which all children are made at once and their entries prefetched

cdef struct Line:
    int score
    int length
    Move moves[MAX_PLY]

cdef struct Unrest:
    # How hard the root is, by the iterations so far.
    Move best
    double changes           # of the best move, each half of what it was an iteration ago
    double score             # a running mean
    u64 root_nodes           # before the running iteration
    u64 best_nodes           # of them the best move's

cdef struct Worker:
    # One thread's search.
    const Evaluation* evaluation
    SearchOptions options
    Endgames endgames
    Table* table
    Busy* busy               # what the threads of this search are at, NULL with only one
    Ordering ordering
    # limits
    volatile int* stop       # set from outside
    void* owner              # the Searcher that wants to hear of Ctrl-C, or NULL
    bint stopped
    u64 nodes
    u64 node_limit
    double deadline
    int checks
    double start             # when the search began
    double usual_time        # seconds that a move takes on average, 0: no move takes less than all
    Unrest unrest
    # the game: positions before the root, then those of the current line
    int root_index
    u64 keys[MAX_GAME + MAX_PLY]
    int reversible[MAX_GAME + MAX_PLY]   # plies since the last capture or man's move
    # principal variations
    Move pv[MAX_PLY + 1][MAX_PLY + 1]
    int pv_length[MAX_PLY + 1]
    # results
    int root_depth
    Line root_line           # best so far in the running iteration; empty at its start
    int line_count
    Line lines[MAX_LINES]    # of the last finished iteration, best first
    int depth                # of the last finished iteration

# after an iteration; True ends the search
ctypedef bint (*IterationCallback)(Worker* worker, void* listener) noexcept nogil


cdef void check_clock(Worker* worker) noexcept nogil:
    if worker.stop[0] or seconds() >= worker.deadline:
        worker.stopped = True
    worker.checks += 1
    if worker.owner != NULL and worker.checks % CHECK_SIGNALS == 0:
        if hear_signals(worker.owner):
            worker.stopped = True


cdef inline bint out_of_limits(Worker* worker) noexcept nogil:
    """Count a node, unless a limit is reached."""
    if worker.nodes >= worker.node_limit:
        worker.stopped = True
    elif worker.nodes % CHECK_NODES == CHECK_NODES - 1:
        check_clock(worker)
    if not worker.stopped:
        worker.nodes += 1
    return worker.stopped


cdef inline bint is_draw_by_rule(const Worker* worker, int ply) noexcept nogil:
    """A position that came before, in the line or in the game, or too long without progress."""
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
    """Whether a root move already has its line in this iteration."""
    cdef int i
    for i in range(worker.line_count):
        if worker.lines[i].moves[0] == move:
            return True
    return False


cdef inline int faded_score(const Worker* worker, const Board* board, int reversible) noexcept nogil:
    """The static score, nearer to a draw the longer there was no progress: what a fortress keeps for ever is no win."""
    cdef int score = evaluate(worker.evaluation, board)
    cdef int fade_plies = worker.options.fade_plies
    if reversible == 0 or fade_plies == 0:
        return score
    return score - score * min(reversible, fade_plies) // fade_plies


cdef int qsearch(Worker* worker, const Board* board, int alpha, int beta, int ply, int threats,
                 int reversible) noexcept nogil:
    """Captures to their end; then the static score, unless the opponent threatens to capture."""
    cdef MoveList moves
    cdef Board child
    cdef int best = -SCORE_INFINITE
    cdef int score, i, plies
    cdef bint capture
    cdef Known known
    worker.pv_length[ply] = 0
    if out_of_limits(worker):
        return 0
    capture = has_capture(board, board.side)
    if not capture:
        # no move is a loss
        if not has_quiet(board, board.side):
            return ply - SCORE_WIN
        # endgame database; plies without progress are not counted here
        if within_reach(&worker.endgames, board):
            known = look_up(&worker.endgames, worker.evaluation, board, ply, NO_PROGRESS_PLIES, True)
            if known.bound != BOUND_NONE:
                worker.endgames.hits += 1
                return known.score
        # quiet, or too deep to care
        if threats == 0 or ply >= MAX_PLY - 1 or not has_capture(board, 1 - board.side):
            return faded_score(worker, board, reversible)
        threats -= 1
    elif ply >= MAX_PLY - 1:
        return evaluate(worker.evaluation, board)
    generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        plies = reversible + 1 if is_reversible(board, moves.moves[i]) else 0
        score = -qsearch(worker, &child, -beta, -alpha, ply + 1, threats, plies)
        if worker.stopped:
            return 0
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                update_pv(worker, ply, moves.moves[i])
                if score >= beta:
                    break
    return best


cdef int search(Worker* worker, const Board* board, int alpha, int beta, int depth, int ply) noexcept nogil:
    """The score of the position within (alpha, beta), fail soft; `depth` plies are left, `ply` lie behind."""
    cdef MoveList moves
    cdef Board children[MAX_MOVES]
    cdef int order[MAX_MOVES]
    cdef int tried[MAX_MOVES]
    cdef Hit hit, hit_child
    cdef Known known
    cdef Move best_move = 0
    cdef const SearchOptions* options = &worker.options
    cdef u64 salt = worker.endgames.salt
    cdef int first_alpha = alpha
    cdef int last_beta = beta
    cdef int best = -SCORE_INFINITE
    cdef int most = SCORE_INFINITE
    cdef bint pv_node = beta - alpha > 1
    cdef bint searched = False
    cdef bint sharing
    cdef int here = worker.root_index + ply
    cdef int count, i, index, score, new_depth, less, bound
    cdef bint capturing
    cdef u64 before = 0
    if depth <= 0:
        return qsearch(worker, board, alpha, beta, ply, options.threat_plies, worker.reversible[here])

    # limits and draws by rule
    worker.pv_length[ply] = 0
    if out_of_limits(worker):
        return 0
    worker.keys[here] = board.key
    if ply > 0:
        if is_draw_by_rule(worker, ply):
            return 0
        if ply >= MAX_PLY - 1:
            return evaluate(worker.evaluation, board)
        # a win found nearer the root can't be bettered here
        alpha = max(alpha, ply - SCORE_WIN)
        beta = min(beta, SCORE_WIN - ply - 1)
        last_beta = beta
        if alpha >= beta:
            return alpha

    # transposition table
    hit = probe(worker.table, board.key ^ salt, ply)
    if hit.found and not pv_node and hit.depth >= depth:
        if hit.bound == BOUND_EXACT or hit.bound == (BOUND_LOWER if hit.score >= beta else BOUND_UPPER):
            return hit.score

    capturing = has_capture(board, board.side)

    # endgame database: where captures are pending, the positions after them are looked up
    if ply > 0 and within_reach(&worker.endgames, board) and not capturing:
        known = look_up(&worker.endgames, worker.evaluation, board, ply, worker.reversible[here], False)
        if (known.bound == BOUND_EXACT or known.bound == BOUND_LOWER and known.score >= beta
                or known.bound == BOUND_UPPER and known.score <= alpha):
            worker.endgames.hits += 1
            store(worker.table, board.key ^ salt, 0, known.score, known.bound, depth + PROBED_DEPTH, ply)
            return known.score
        if known.bound == BOUND_LOWER:
            best = known.score
            alpha = max(alpha, best)
        elif known.bound == BOUND_UPPER:
            most = known.score
            beta = min(beta, most)

    # a static score too far from the window for the plies left, above or below, stands for what a search would find
    if (depth <= max(options.static_depth, options.razor_depth) and not pv_node and abs(beta) < SCORE_STATIC_MAX
            and not capturing and not has_capture(board, 1 - board.side) and has_quiet(board, board.side)):
        score = faded_score(worker, board, worker.reversible[here])
        if depth <= options.static_depth and score >= beta + options.static_margin * depth:
            return min(score, most)
        if depth <= options.razor_depth and score <= alpha - options.razor_margin * depth:
            return max(best, min(score, most))

    # internal iterative reduction: without a table move the order is poor, and the next iteration will have one
    if depth >= options.iir_depth and hit.move == 0 and not capturing:
        depth -= 1

    # moves: none is a loss
    generate(board, &moves)
    count = moves.size
    if count == 0:
        return ply - SCORE_WIN
    if depth >= CHILDREN_DEPTH:
        for i in range(count):
            children[i] = played(board, moves.moves[i])
            prefetch(cluster_of(worker.table, children[i].key ^ salt))

    # single-reply extension
    new_depth = depth - 1
    if count == 1 and options.single_reply and ply < 2 * worker.root_depth:
        new_depth = depth

    # before the children's entries are looked at, which are still on their way from memory: 0.98 of the time
    order_moves(&worker.ordering, options, &moves, hit.move, board.side, order)

    # enhanced transposition cutoffs: a child already known to be good enough
    if not pv_node and depth >= options.etc_depth:
        for i in range(count):
            hit_child = probe(worker.table, children[i].key ^ salt, ply + 1)
            if (hit_child.found and hit_child.depth >= new_depth and hit_child.bound & BOUND_UPPER
                    and -hit_child.score >= beta):
                return min(-hit_child.score, most)

    sharing = worker.busy != NULL and depth >= SHARED_DEPTH
    for index in range(count):
        i = next_best(order, count) if not sharing else next_idle(worker.busy, children, order, count, index, depth)
        tried[index] = i
        if ply == 0 and (has_line(worker, moves.moves[i])
                         or root_move_value(&worker.endgames, moves.moves[i]) < worker.endgames.wanted):
            continue
        # just above the leaves the table is not touched, and many moves are never tried
        if depth < CHILDREN_DEPTH:
            children[i] = played(board, moves.moves[i])
        worker.reversible[here + 1] = worker.reversible[here] + 1 if is_reversible(board, moves.moves[i]) else 0

        # the first move with the full window, the others to be refuted
        if ply == 0:
            before = worker.nodes
        if sharing:
            begin_move(worker.busy, children[i].key, depth)
        if not searched:
            searched = True
            score = -search(worker, &children[i], -beta, -alpha, new_depth, ply + 1)
        else:
            less = 0 if capturing else reduction(options, depth, index, has_capture(&children[i], children[i].side))
            score = -search(worker, &children[i], -alpha - 1, -alpha, new_depth - less, ply + 1)
            if less and score > alpha:
                score = -search(worker, &children[i], -alpha - 1, -alpha, new_depth, ply + 1)
            if score > alpha and score < beta:
                score = -search(worker, &children[i], -beta, -alpha, new_depth, ply + 1)
        if sharing:
            end_move(worker.busy, children[i].key, depth)
        if worker.stopped:
            return 0

        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = moves.moves[i]
                update_pv(worker, ply, best_move)
                if ply == 0:
                    keep_root_line(worker, score)
                    worker.unrest.best_nodes = worker.nodes - before
                if score >= beta:
                    if not capturing:
                        reward(&worker.ordering, &moves, tried, index, best_move, board.side, depth)
                    break

    best = min(best, most)
    if ply > 0 or worker.line_count == 0:
        bound = BOUND_LOWER if best >= last_beta else (BOUND_EXACT if best > first_alpha else BOUND_UPPER)
        store(worker.table, board.key ^ salt, best_move, best, bound, depth, ply)
    return best


cdef inline bint long_enough(Worker* worker, int depth) noexcept nogil:
    """After an iteration: whether this move has had its share of the clock. It is more where the best move has changed,
    where its score falls, and where the other moves took much work to refute."""
    cdef Unrest* unrest = &worker.unrest
    cdef const Line* line = &worker.lines[0]
    cdef u64 nodes = worker.nodes - unrest.root_nodes
    cdef double share = <double>unrest.best_nodes / nodes if nodes > 0 else 1
    cdef double fall = max(0.0, min(unrest.score - line.score, 30.0)) / 30 if depth > 1 else 0
    unrest.changes /= 2
    if depth > 1 and line.moves[0] != unrest.best:
        unrest.changes += 1
    unrest.best = line.moves[0]
    unrest.score = (unrest.score + line.score) / 2 if depth > 1 else line.score
    return seconds() - worker.start >= worker.usual_time * (0.55 + 0.45 * unrest.changes) * (1.5 - 0.7 * share) * (
        1 + 0.6 * fall)


cdef void keep_root_line(Worker* worker, int score) noexcept nogil:
    """A root move has become the best: it stands even if the iteration is cut short."""
    worker.root_line.score = score
    worker.root_line.length = worker.pv_length[0]
    memcpy(worker.root_line.moves, worker.pv[0], worker.pv_length[0] * sizeof(Move))


cdef void search_window(Worker* worker, const Board* board, int depth, const Line* previous) noexcept nogil:
    """One iteration for one line: a narrow window round the last score, widened where it fails."""
    cdef int alpha = -SCORE_INFINITE
    cdef int beta = SCORE_INFINITE
    cdef int margin = worker.options.aspiration_window
    cdef int score
    if depth >= ASPIRATION_DEPTH and previous.length and abs(previous.score) < SCORE_DECIDED:
        alpha = previous.score - margin
        beta = previous.score + margin
    while True:
        worker.unrest.root_nodes = worker.nodes
        score = search(worker, board, alpha, beta, depth, 0)
        if worker.stopped:
            return
        margin *= 4
        if score <= alpha:
            alpha = -SCORE_INFINITE if margin > 300 or score < -SCORE_DECIDED else score - margin
        elif score >= beta:
            beta = SCORE_INFINITE if margin > 300 or score > SCORE_DECIDED else score + margin
        else:
            return


cdef void want_best_left(Worker* worker) noexcept nogil:
    """Leave out the root moves that throw away what another one keeps, if that has no line yet."""
    cdef Endgames* endgames = &worker.endgames
    cdef int i
    endgames.wanted = VALUE_LOSS
    if endgames.root_value != VALUE_UNKNOWN:
        for i in range(endgames.root_moves):
            if endgames.values[i] > endgames.wanted and not has_line(worker, endgames.moves[i]):
                endgames.wanted = endgames.values[i]


cdef bint goes_before(const Worker* worker, const Line* line, const Line* other) noexcept nogil:
    """Whether a line is the better one: first by what the database knows about its move, then by its score."""
    cdef int value = root_move_value(&worker.endgames, line.moves[0])
    cdef int other_value = root_move_value(&worker.endgames, other.moves[0])
    return value > other_value or value == other_value and line.score > other.score


cdef void sort_lines(Worker* worker) noexcept nogil:
    cdef Line line
    cdef int i, j
    for i in range(1, worker.line_count):
        line = worker.lines[i]
        j = i
        while j > 0 and goes_before(worker, &line, &worker.lines[j - 1]):
            worker.lines[j] = worker.lines[j - 1]
            j -= 1
        worker.lines[j] = line


cdef void think(Worker* worker, const Board* board, int max_depth, int lines, bint forced_at_once,
                IterationCallback callback, void* listener) noexcept nogil:
    """Iterative deepening. Results are in worker.lines, worker.depth and worker.nodes; no lines without a move.

    The limits, the history before the root, the table and the evaluation are set by the caller. The callback is
    called after each iteration with the lines in place.
    """
    cdef MoveList moves
    cdef Line previous[MAX_LINES]
    cdef int previous_count = 0
    cdef int depth, i
    worker.nodes = 0
    worker.checks = 0
    worker.stopped = False
    worker.depth = 0
    worker.line_count = 0
    worker.unrest.changes = 0
    start_ordering(&worker.ordering)
    generate(board, &moves)
    if moves.size == 0:
        return
    look_up_root(&worker.endgames, board, &moves, worker.reversible[worker.root_index])
    lines = min(lines, min(moves.size, MAX_LINES))
    for depth in range(1, min(max_depth, MAX_PLY - 1) + 1):
        worker.root_depth = depth
        worker.line_count = 0
        for i in range(lines):
            worker.root_line.length = 0
            if i >= previous_count:
                previous[i].length = 0
            want_best_left(worker)
            search_window(worker, board, depth, &previous[i])
            # of a cut search for a further line the best so far says little: others were not looked at yet
            if worker.root_line.length and (i == 0 or not worker.stopped):
                worker.lines[i] = worker.root_line
                worker.line_count = i + 1
            if worker.stopped:
                break
        if worker.stopped:
            break
        sort_lines(worker)
        worker.depth = depth
        previous_count = worker.line_count
        memcpy(previous, worker.lines, previous_count * sizeof(Line))
        if callback != NULL and callback(worker, listener):
            break
        if worker.stop[0] or worker.usual_time > 0 and long_enough(worker, depth):
            break
        # nothing left to find: a forced move, or a decided game searched to its end
        if forced_at_once and moves.size == 1:
            break
        if lines == 1 and SCORE_WIN - abs(worker.lines[0].score) <= max(depth, worker.endgames.root_distance):
            break
    if worker.stopped:
        # what the cut iteration found stands before the lines it did not reach
        for i in range(previous_count):
            if worker.line_count < lines and not has_line(worker, previous[i].moves[0]):
                worker.lines[worker.line_count] = previous[i]
                worker.line_count += 1
    if worker.line_count == 0:
        # not even one move was searched: any that throws nothing away
        want_best_left(worker)
        i = 0
        while root_move_value(&worker.endgames, moves.moves[i]) < worker.endgames.wanted:
            i += 1
        worker.lines[0].score = 0
        worker.lines[0].length = 1
        worker.lines[0].moves[0] = moves.moves[i]
        worker.line_count = 1
