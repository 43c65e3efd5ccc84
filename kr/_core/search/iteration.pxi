# Iterative deepening: iterations of one or more lines each, in an aspiration window around the last score.

cdef enum:
    ASPIRATION_DEPTH = 4     # depth from which the window is narrow
    ASPIRATION_GROWTH = 4    # factor by which it is widened after each failure
    ASPIRATION_MAX = 300     # centi-men; a wider window is opened fully


cdef void search_window(Worker* worker, const Board* board, int depth, const Line* previous) noexcept nogil:
    """One iteration for one line: a narrow window around the last score, widened when the search fails high or low."""
    # without it 1.13 times the nodes to depth 15, and -6 ± 12 Elo at 8,000 nodes (docs/lab/search.md)
    cdef int alpha = -SCORE_INFINITE
    # a search for a proof asks for no more than a decided score
    cdef int most = SCORE_STATIC_MAX + 1 if worker.endgames.draws_for else SCORE_INFINITE
    cdef int beta = most
    cdef int margin = worker.options.aspiration_window
    cdef int score
    if depth >= ASPIRATION_DEPTH and previous.length and abs(previous.score) < SCORE_DECIDED:
        alpha = previous.score - margin
        beta = previous.score + margin
    while True:
        worker.unrest.root_nodes = worker.nodes
        score = search(worker, board, alpha, beta, depth, 0)
        if worker.stopped or score >= most:
            return
        margin *= ASPIRATION_GROWTH
        if score <= alpha:
            alpha = -SCORE_INFINITE if margin > ASPIRATION_MAX or score < -SCORE_DECIDED else score - margin
        elif score >= beta:
            beta = most if margin > ASPIRATION_MAX or score > SCORE_DECIDED else min(score + margin, most)
        else:
            return


cdef void want_best_left(Worker* worker) noexcept nogil:
    """Set endgames.least_value to the best value of a root move without a line; lower ones are left out."""
    cdef Endgames* endgames = &worker.endgames
    cdef int i
    endgames.least_value = VALUE_LOSS
    if endgames.root_value != VALUE_UNKNOWN:
        for i in range(endgames.root_moves):
            if endgames.values[i] > endgames.least_value and not has_line(worker, endgames.moves[i]):
                endgames.least_value = endgames.values[i]


cdef bint goes_before(const Worker* worker, const Line* line, const Line* other) noexcept nogil:
    """True if a line is better than another: by the value of its move in the database, then by its score."""
    cdef int value = root_move_value(&worker.endgames, line.moves[0])
    cdef int other_value = root_move_value(&worker.endgames, other.moves[0])
    return value > other_value or value == other_value and line.score > other.score


cdef void sort_lines(Worker* worker, int first) noexcept nogil:
    """Sort the lines from `first` on."""
    cdef Line line
    cdef int i, j
    for i in range(first + 1, worker.line_count):
        line = worker.lines[i]
        j = i
        while j > first and goes_before(worker, &line, &worker.lines[j - 1]):
            worker.lines[j] = worker.lines[j - 1]
            j -= 1
        worker.lines[j] = line


cdef void search_near(Worker* worker, const Board* board, int depth) noexcept nogil:
    """Lines of the other moves that score less than worker.within below the first line, each with its exact score.

    An empty window asks of each move whether it is near enough, and only those that are get a line (Chinook's search for
    cooks: Schaeffer, One Jump Ahead).
    """
    cdef MoveList moves
    cdef Node node
    cdef Board child
    cdef int best = worker.lines[0].score + 1
    cdef int floor = worker.lines[0].score - worker.within
    cdef int i, score
    generate(board, &moves)
    enter(worker, &node, board, floor, SCORE_INFINITE, depth, 0)
    want_best_left(worker)
    for i in range(moves.size):
        if is_left_out(worker, moves.moves[i]):
            continue
        child = played(board, moves.moves[i])
        step(worker, &node, moves.moves[i])
        score = -search(worker, &child, -floor - 1, -floor, depth - 1, 1)
        if score > floor and not worker.stopped:
            score = -search(worker, &child, -best, -floor, depth - 1, 1)
            if score >= best and not worker.stopped:
                score = -search(worker, &child, -SCORE_INFINITE, 1 - best, depth - 1, 1)
        if worker.stopped:
            return
        if score > floor:
            update_pv(worker, 0, moves.moves[i])
            keep_root_line(worker, score)
            worker.lines[worker.line_count] = worker.root_line
            worker.line_count += 1


cdef void search_lines(Worker* worker, const Board* board, int depth, int lines, Line* previous,
                       int previous_count) noexcept nogil:
    """One iteration for all lines, which are put into worker.lines; previous: those of the iteration before."""
    cdef int i
    store_int(&worker.root_depth, depth)
    worker.line_count = 0
    for i in range(1 if worker.within else lines):
        worker.root_line.length = 0
        if i >= previous_count:
            previous[i].length = 0
        want_best_left(worker)
        search_window(worker, board, depth, &previous[i])
        # the best move of an unfinished search for a further line means little: others were not searched yet
        if worker.root_line.length and (i == 0 or not worker.stopped):
            worker.lines[i] = worker.root_line
            worker.line_count = i + 1
        if worker.stopped:
            return
    if worker.within:
        search_near(worker, board, depth)
        if worker.stopped:
            return
    sort_lines(worker, 0)
    # another move may have turned out better than the first line
    while worker.within and worker.lines[worker.line_count - 1].score <= worker.lines[0].score - worker.within:
        worker.line_count -= 1
    store_int(&worker.depth, depth)


cdef bint has_enough(Worker* worker, int depth, int lines, bint forced) noexcept nogil:
    """After an iteration: True if the search ends here; forced: the only legal move is to be returned at once."""
    cdef const Line* line = &worker.lines[0]
    cdef double factor
    if load_flag(worker.stop):
        return True
    # on the clock: the move has had its share of time
    if worker.usual_time > 0:
        factor = time_factor(&worker.unrest, line.moves[0], line.score, worker.nodes - worker.unrest.root_nodes, depth)
        if seconds() - worker.start >= worker.usual_time * factor:
            return True
    # no more to find: a forced move, the answer to a question, or a decided game searched to its end
    if worker.endgames.draws_for and abs(line.score) > SCORE_STATIC_MAX:
        return True
    return forced or lines == 1 and SCORE_WIN - abs(line.score) <= max(depth, worker.endgames.root_distance)


cdef void fill_lines(Worker* worker, int lines, const Line* previous, int previous_count) noexcept nogil:
    """After an unfinished iteration, append the previous lines of the moves that it did not reach.

    Where those near the best are wanted, they have to be near the one that is the best now.
    """
    cdef int least = worker.lines[0].score - worker.within if worker.within and worker.line_count else -SCORE_INFINITE
    cdef int i
    for i in range(previous_count):
        if worker.line_count < lines and previous[i].score > least and not has_line(worker, previous[i].moves[0]):
            worker.lines[worker.line_count] = previous[i]
            worker.line_count += 1


cdef void take_any_move(Worker* worker, const MoveList* moves) noexcept nogil:
    """If no move was searched at all, take the first one with the best value in the database."""
    cdef int i = 0
    want_best_left(worker)
    while root_move_value(&worker.endgames, moves.moves[i]) < worker.endgames.least_value:
        i += 1
    worker.lines[0].score = 0
    worker.lines[0].length = 1
    worker.lines[0].moves[0] = moves.moves[i]
    worker.line_count = 1


cdef void note_lines(Worker* worker, const Board* board) noexcept nogil:
    """Remember the positions of the lines that an iteration found."""
    cdef const Line* line
    cdef Board at
    cdef int i, j
    for i in range(worker.line_count):
        line = &worker.lines[i]
        at = board[0]
        for j in range(line.length):
            at = played(&at, line.moves[j])
            worker.line_keys[at.key % LINE_SLOTS] = at.key


cdef void think(Worker* worker, const Board* board, int max_depth, int lines, bint forced_at_once,
                IterationCallback callback, void* listener) noexcept nogil:
    """Iterative deepening. Results are worker.lines (none if there is no legal move), worker.depth and worker.nodes.

    The caller sets the limits, the history before the root, the table and the evaluation. The callback is called after
    each iteration, once worker.lines is filled.
    """
    cdef MoveList moves
    cdef Line previous[MAX_LINES]
    cdef int previous_count = 0
    cdef int depth
    store_count(&worker.nodes, 0)
    worker.checks = 0
    worker.stopped = False
    store_int(&worker.depth, 0)
    worker.line_count = 0
    worker.unrest.changes = 0
    if not worker.helps:
        memset(<void*>worker.line_keys, 0, LINE_SLOTS * sizeof(u64))
    start_ordering(&worker.ordering)
    generate(board, &moves)
    worker.endgames.draws_apart = worker.options.draws_apart
    look_up_root(&worker.endgames, board, &moves, worker.reversible[worker.root_index])
    if moves.size == 0:
        return
    lines = min(MAX_LINES if worker.within else lines, min(moves.size, MAX_LINES))
    for depth in range(1, min(max_depth, MAX_PLY - 1) + 1):
        search_lines(worker, board, depth, lines, previous, previous_count)
        if worker.stopped:
            fill_lines(worker, lines, previous, previous_count)
            # the first is that of the deeper search
            sort_lines(worker, 1)
            break
        if worker.leaf != NULL:
            worker.leaf.score = worker.lines[0].score
            worker.leaf.wanted = True
        # by the thread that leads alone: with those of its helpers, which run ahead, 1.40 times the nodes instead of 1.29
        if not worker.helps:
            note_lines(worker, board)
        previous_count = worker.line_count
        memcpy(previous, worker.lines, previous_count * sizeof(Line))
        if callback != NULL and callback(worker, listener):
            break
        if has_enough(worker, depth, lines, forced_at_once and moves.size == 1):
            break
    if worker.line_count == 0:
        take_any_move(worker, &moves)
