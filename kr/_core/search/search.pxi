# Alpha-beta search: principal variation search with a transposition table and enhanced transposition cutoffs, static
# cuts above and below the window, internal iterative and late-move reductions, extensions of forced moves, of moves
# without an equal and of the lines of earlier iterations.
#
# `search`, at the end, lists its steps, numbered as in docs/internals/search.md. Most steps are functions above it; the
# worth of each is noted next to it. Elo is measured by matches at the given number of nodes a move, against the opponent
# named in docs/lab/search.md; "times the nodes" are those to depth 15 without the feature (kr bench --ablate).

cdef enum:
    CHILDREN_DEPTH = 2       # plies left from which all children are made at once and their entries prefetched
    FREE_PLIES = 2           # forced and singular moves cost no depth up to this many times the iteration's depth from
                             # the root
    SINGULAR_BEHIND = 3      # plies less than the node has left to which the table must have searched a singular move

cdef struct Node:
    # State of a node, for its steps.
    const Board* board
    u64 key                  # in the table
    int ply                  # from the root
    int here                 # index of the position in the worker's keys and reversible plies
    int depth                # plies left
    int child_depth          # plies left after a move
    bint open                # the window has room for more than one score: a node of the principal variation
    bint capturing
    bint singular            # the first move is the only good one
    int alpha                # the current window
    int beta
    int first_alpha          # the window at first; a score outside it is a bound
    int last_beta
    int table_move           # origin and target; 0 for none
    int table_score          # if the table has a lower bound
    int table_depth          # of the search that it comes from; -1 if the table has none
    int score                # of a node that a step has ended
    int best                 # best score so far
    int most                 # upper bound of the score by the database
    Move best_move

cdef struct Branches:
    # The moves of a node.
    MoveList moves
    Board children[MAX_MOVES]
    int order[MAX_MOVES]
    uint8_t tried[MAX_MOVES]     # indices of moves in the order in which they were tried


cdef inline void enter(Worker* worker, Node* node, const Board* board, int alpha, int beta, int depth,
                       int ply) noexcept nogil:
    node.board = board
    node.key = board.key ^ worker.endgames.salt
    node.ply = ply
    node.here = worker.root_index + ply
    node.depth = depth
    node.open = beta - alpha > 1
    node.singular = False
    node.alpha = alpha
    node.beta = beta
    node.first_alpha = alpha
    node.last_beta = beta
    node.best = -SCORE_INFINITE
    node.most = SCORE_INFINITE
    node.best_move = 0
    node.table_depth = -1
    worker.pv_length[ply] = 0
    worker.keys[node.here] = board.key


cdef inline bint ends(Node* node, int score) noexcept nogil:
    """End the node with this score."""
    node.score = score
    return True


cdef inline bint settled_by_rule(const Worker* worker, Node* node) noexcept nogil:
    """A draw by rule, the maximum ply, or a win nearer the root than any from here."""
    if is_draw_by_rule(worker, node.ply):
        return ends(node, counted_draw(&worker.endgames, node.board.side, node.ply) if worker.endgames.draws_for else 0)
    if node.ply >= MAX_PLY - 1:
        return ends(node, evaluate(worker.evaluation, node.board))
    node.alpha = max(node.alpha, node.ply - SCORE_WIN)
    node.beta = min(node.beta, SCORE_WIN - node.ply - 1)
    node.last_beta = node.beta
    return node.alpha >= node.beta and ends(node, node.alpha)


cdef inline bint settled_by_table(const Worker* worker, Node* node) noexcept nogil:
    """A deep enough earlier search of the position, outside the principal variation."""
    cdef Hit hit = probe(worker.table, node.key, node.ply)
    node.table_move = hit.move
    if hit.found and hit.bound & BOUND_LOWER:
        node.table_score = hit.score
        node.table_depth = hit.depth
    if not hit.found or node.open or hit.depth < node.depth:
        return False
    if hit.bound == BOUND_EXACT or hit.bound == (BOUND_LOWER if hit.score >= node.beta else BOUND_UPPER):
        return ends(node, hit.score)
    return False


cdef inline bint settled_by_database(Worker* worker, Node* node) noexcept nogil:
    """The value in the database, which is within reach, ends the node or narrows its window.

    With captures pending, the positions after them are looked up instead; the root is always searched.
    """
    cdef Known known
    if node.ply == 0 or node.capturing:
        return False
    known = look_up(&worker.endgames, worker.evaluation, node.board, node.ply, worker.reversible[node.here], False)
    if (known.bound == BOUND_EXACT or known.bound == BOUND_LOWER and known.score >= node.beta
            or known.bound == BOUND_UPPER and known.score <= node.alpha):
        worker.endgames.hits += 1
        store(worker.table, node.key, 0, known.score, known.bound, node.depth + PROBED_DEPTH, node.ply)
        return ends(node, known.score)
    if known.bound == BOUND_LOWER:
        node.best = known.score
        node.alpha = max(node.alpha, node.best)
    elif known.bound == BOUND_UPPER:
        node.most = known.score
        node.beta = min(node.beta, node.most)
    return False


cdef inline bint settled_statically(const Worker* worker, Node* node) noexcept nogil:
    """A static score too far above or below the window for the plies left ends the node, if it is quiet for both."""
    cdef const SearchOptions* options = &worker.options
    cdef const Board* board = node.board
    cdef int score
    if (node.depth > max(options.static_depth, options.razor_depth) or node.open or abs(node.beta) >= SCORE_STATIC_MAX
            or node.capturing or has_capture(board, 1 - board.side) or not has_quiet(board, board.side)):
        return False
    score = faded_score(worker, board, worker.reversible[node.here])
    if node.depth <= options.static_depth and score >= node.beta + options.static_margin * node.depth:
        return ends(node, min(score, node.most))
    if node.depth <= options.razor_depth and score <= node.alpha - options.razor_margin * node.depth:
        return ends(node, max(node.best, min(score, node.most)))
    return False


cdef inline void make_children(const Worker* worker, const Node* node, Branches* branches) noexcept nogil:
    """Make all children and prefetch their entries.

    Not in the last plies: they don't use the table, and many of their moves are never tried.
    """
    cdef int i
    if node.depth >= CHILDREN_DEPTH:
        for i in range(branches.moves.size):
            branches.children[i] = played(node.board, branches.moves.moves[i])
            prefetch(cluster_of(worker.table, branches.children[i].key ^ worker.endgames.salt))


cdef inline void step(Worker* worker, const Node* node, Move move) noexcept nogil:
    """Get ready to search the position after a move."""
    worker.reversible[node.here + 1] = worker.reversible[node.here] + 1 if is_reversible(node.board, move) else 0


cdef inline bint is_forced(const Worker* worker, const Node* node, const Branches* branches) noexcept nogil:
    return branches.moves.size == 1 and worker.options.single_reply and node.ply < FREE_PLIES * worker.root_depth


cdef inline bint was_in_line(const Worker* worker, const Node* node, const Board* child) noexcept nogil:
    """True for a move into a position of an earlier iteration's principal variation, near enough to the root."""
    return (node.depth >= CHILDREN_DEPTH and node.ply > 0
            and 100 * node.ply < worker.options.line_extension * worker.root_depth
            and worker.line_keys[child.key % LINE_SLOTS] == child.key)


cdef inline bint settled_by_child(const Worker* worker, Node* node, const Branches* branches) noexcept nogil:
    """Enhanced transposition cutoff: the entry of a child refutes the node."""
    cdef Hit hit
    cdef int i
    if node.open or node.depth < worker.options.etc_depth:
        return False
    for i in range(branches.moves.size):
        hit = probe(worker.table, branches.children[i].key ^ worker.endgames.salt, node.ply + 1)
        if hit.found and hit.depth >= node.child_depth and hit.bound & BOUND_UPPER and -hit.score >= node.beta:
            return ends(node, min(-hit.score, node.most))
    return False


cdef inline bint may_be_singular(const Worker* worker, const Node* node, const Branches* branches) noexcept nogil:
    """True if a search nearly as deep has found the table's move to be good, and there are others."""
    return (node.depth >= worker.options.singular_depth and node.table_depth >= node.depth - SINGULAR_BEHIND
            and node.table_move != 0 and branches.moves.size > 1 and not node.capturing and node.ply > 0
            and node.ply < FREE_PLIES * worker.root_depth and abs(node.table_score) < SCORE_STATIC_MAX)


cdef inline bint settled_by_others(Worker* worker, Node* node, Branches* branches) noexcept nogil:
    """Search the other moves to half the depth for nearly as much as the table's move has.

    None has it: the table's move is singular. One has it, and it is above the window: two moves are, which end the node
    (multi-cut).
    """
    cdef int threshold = node.table_score - worker.options.singular_margin
    cdef int depth = (node.depth - 1) // 2 - 1
    cdef int[MAX_MOVES] order
    cdef int i, k, score
    memcpy(order, branches.order, branches.moves.size * sizeof(int))
    next_best(order, branches.moves.size)
    for k in range(branches.moves.size - 1):
        i = next_best(order, branches.moves.size)
        step(worker, node, branches.moves.moves[i])
        score = -search(worker, &branches.children[i], -threshold, 1 - threshold, depth, node.ply + 1)
        if worker.stopped:
            return ends(node, 0)
        if score >= threshold:
            return not node.open and threshold >= node.beta and ends(node, min(threshold, node.most))
    node.singular = True
    return False


cdef inline bint is_left_out(const Worker* worker, Move move) noexcept nogil:
    """True for a root move that already has its line, or has a lower value in the database than another one."""
    return has_line(worker, move) or root_move_value(&worker.endgames, move) < worker.endgames.least_value


cdef inline int search_late(Worker* worker, const Node* node, const Board* child, int index,
                            int child_depth) noexcept nogil:
    """Score of a move after the first: searched with reduced depth and an empty window, and again if not refuted."""
    cdef int less = 0
    cdef int score
    # step 15: late-move reductions, not for captures; worth: reductions.pxi
    if not node.capturing:
        less = reduction(&worker.options, node.depth, index, has_capture(child, child.side))
    # step 16: windows, an empty one first; not measured by a match
    score = -search(worker, child, -node.alpha - 1, -node.alpha, child_depth - less, node.ply + 1)
    if less and score > node.alpha:
        score = -search(worker, child, -node.alpha - 1, -node.alpha, child_depth, node.ply + 1)
    if score > node.alpha and score < node.beta:
        score = -search(worker, child, -node.beta, -node.alpha, child_depth, node.ply + 1)
    return score


cdef inline void raise_alpha(Worker* worker, Node* node, Move move, int score, u64 nodes) noexcept nogil:
    """Note the best move so far; nodes: those spent on it."""
    node.alpha = score
    node.best_move = move
    update_pv(worker, node.ply, move)
    if node.ply == 0:
        keep_root_line(worker, score)
        worker.unrest.best_nodes = nodes


cdef inline void search_moves(Worker* worker, Node* node, Branches* branches) noexcept nogil:
    """The move loop."""
    cdef bint sharing = worker.busy != NULL and node.depth >= SHARED_DEPTH
    cdef bint first = True
    cdef u64 before
    cdef Board* child
    cdef Move move
    cdef int index, i, score, child_depth
    for index in range(branches.moves.size):
        # step 13: next move; with several threads, first those that no other thread is searching
        if sharing:
            i = next_idle(worker.busy, branches.children, branches.order, branches.moves.size, index, node.depth)
        else:
            i = next_best(branches.order, branches.moves.size)
        branches.tried[index] = <uint8_t>i
        move = branches.moves.moves[i]
        child = &branches.children[i]
        if node.ply == 0 and is_left_out(worker, move):
            continue
        if node.depth < CHILDREN_DEPTH:
            child[0] = played(node.board, move)
        step(worker, node, move)
        before = worker.nodes
        # step 14: line extension; worth +14 ± 7 Elo at 8,000 nodes, +20 ± 9 at 40,000, +12 ± 11 at 200,000
        child_depth = node.child_depth + (node.child_depth < node.depth
                                          and (first and node.singular or was_in_line(worker, node, child)))
        if sharing:
            begin_move(worker.busy, child.key, node.depth)
        if first:
            score = -search(worker, child, -node.beta, -node.alpha, child_depth, node.ply + 1)
        else:
            score = search_late(worker, node, child, index, child_depth)
        first = False
        if sharing:
            end_move(worker.busy, child.key, node.depth)
        if worker.stopped:
            return

        # step 17: best move and cutoff
        if score > node.best:
            node.best = score
            if score > node.alpha:
                raise_alpha(worker, node, move, score, worker.nodes - before)
                if score >= node.beta:
                    if not node.capturing:
                        reward(&worker.ordering, &branches.moves, branches.tried, index, move, node.board.side,
                               node.depth)
                    return


cdef inline int keep_score(const Worker* worker, const Node* node) noexcept nogil:
    """Store the node's score in the table, except for further lines of the root; returns it."""
    cdef int score = min(node.best, node.most)
    cdef int bound = BOUND_UPPER
    if node.ply > 0 or worker.line_count == 0:
        if score >= node.last_beta:
            bound = BOUND_LOWER
        elif score > node.first_alpha:
            bound = BOUND_EXACT
        store(worker.table, node.key, node.best_move, score, bound, node.depth, node.ply)
    return score


cdef int search(Worker* worker, const Board* board, int alpha, int beta, int depth, int ply) noexcept nogil:
    """Score of the position within (alpha, beta), fail soft; depth: plies left; ply: plies from the root."""
    cdef Node node
    cdef Branches branches
    cdef const SearchOptions* options = &worker.options
    cdef int here = worker.root_index + ply
    cdef bint in_reach
    # step 1: leaves
    if depth <= 0:
        return qsearch(worker, board, alpha, beta, ply, options.threat_plies, worker.reversible[here])
    enter(worker, &node, board, alpha, beta, depth, ply)
    # step 2: limits
    if out_of_limits(worker):
        return 0
    # step 3: rules, and wins nearer the root; not measured by a match
    if ply > 0 and settled_by_rule(worker, &node):
        return node.score
    node.capturing = has_capture(board, board.side)
    # step 4: static cuts; worth +23 ± 19 Elo at 8,000 nodes above the window and +24 ± 19 below it, when first built
    # the table has hardly any of what they end, and its entry is on its way from memory meanwhile: 0.95 of the time for
    # as many nodes
    in_reach = within_reach(&worker.endgames, board, depth)
    if not in_reach and settled_statically(worker, &node):
        return node.score
    # step 5: transposition table; not measured by a match
    if settled_by_table(worker, &node):
        return node.score
    # step 6: endgame database; worth +9.7 ± 12.0 Elo at 0.1 s with up to 6 pieces (docs/lab/databases.md)
    # static cuts are for what it does not know
    if in_reach and (settled_by_database(worker, &node) or settled_statically(worker, &node)):
        return node.score
    # step 7: internal iterative reduction; worth +37 ± 19 Elo at 8,000 nodes
    # without a table move the order is poor, and the next iteration will have one
    if depth >= options.iir_depth and node.table_move == 0 and not node.capturing:
        node.depth -= 1
    # step 8: moves; without any, a loss
    generate(board, &branches.moves)
    if branches.moves.size == 0:
        return ply - SCORE_WIN
    make_children(worker, &node, &branches)
    # step 9: single-reply extension; worth +34 ± 19 Elo at 8,000 nodes, +6 ± 19 at 30,000
    node.child_depth = node.depth if is_forced(worker, &node, &branches) else node.depth - 1
    # step 10: order; without history 1.31 times the nodes, not measured by a match
    # done while the children's entries are being fetched from memory: 0.98 of the time
    order_moves(&worker.ordering, options, &branches.moves, node.table_move, board.side, branches.order)
    # step 11: enhanced transposition cutoffs; without them 1.14 times the nodes, not measured by a match
    if settled_by_child(worker, &node, &branches):
        return node.score
    # step 12: singular moves; worth +6 ± 6 Elo at 40,000 nodes
    if may_be_singular(worker, &node, &branches) and settled_by_others(worker, &node, &branches):
        return node.score
    # steps 13 to 17, for each move
    search_moves(worker, &node, &branches)
    if worker.stopped:
        return 0
    # step 18: store
    return keep_score(worker, &node)
