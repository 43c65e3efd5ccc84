# Ways and checks of problems for Python. A way is a move (origin, target, captured), whether it keeps, what proves it
# with the positions of its certificate, and whether it transposes: 1, 0, or -1 while that is open.

cdef list way_rows(const Way* ways, int count):
    return [(move_squares(ways[i].move), ways[i].keeps, ways[i].by, ways[i].positions, ways[i].transposes)
            for i in range(count)]


def plain_result(tuple position not None, int solver, int goal):
    """True if a result needs no more proof by play: see `kr.problems.plain`."""
    cdef Board board = board_of(position)
    return bool(is_plain(&board, solver, goal))


def ways_of(DeciderOfClaims decider not None, tuple position not None, int goal, first=None):
    """The moves of a position with what is proved of each; first: the one that is put first. Raises as `decide` does."""
    cdef Board board = board_of(position)
    cdef Move move = 0 if first is None else move_from_squares(first)
    cdef Ways ways
    with nogil:
        find_ways(decider.decider, &board, goal, move, False, &ways)
    decider.check()
    return way_rows(ways.moves, ways.count)


cdef dict soundness_fields(const Soundness* soundness):
    cdef const Claim* claim = &soundness.refutation
    cdef const Way* ways
    cdef int i
    steps = []
    for i in range(soundness.step_count):
        ways = &soundness.ways[soundness.steps[i].first]
        steps.append((soundness.steps[i].ply, move_number_at(soundness.steps[i].ply), bool(soundness.steps[i].plain),
                      way_rows(ways, soundness.steps[i].count)))
    return {
        "verdict": soundness.verdict, "stage": soundness.stage,
        "published": None if soundness.published == VALUE_UNKNOWN else soundness.published,
        "value": None if soundness.value == VALUE_UNKNOWN else soundness.value,
        "by": (soundness.by.by, soundness.by.positions), "wins": soundness.wins, "holds": soundness.holds,
        "number": soundness.number, "ended": soundness.ended, "of_solution": soundness.of_solution, "steps": steps,
        "claim": (board_bits(&claim.root), claim.side, claim.goal) if soundness.refuted else None,
        "answers": [(move_squares(soundness.answers[i].move),
                     move_squares(soundness.answers[i].reply) if soundness.answers[i].reply else None)
                    for i in range(soundness.answer_count)],
        "unsettled": [move_squares(soundness.unsettled[i]) for i in range(soundness.unsettled_count)],
        "ways": way_rows(soundness.ways, soundness.root_ways),
        "line": [move_squares(soundness.line[i]) for i in range(soundness.length)],
    }


def check_problem(DeciderOfClaims decider not None, tuple root not None, published, list solution not None,
                  bint strict):
    """Check a problem: the fields of the core's verdict, by their names. Raises as `decide` does.

    published: value for the side to move; solution: moves, each legal in its turn.
    """
    cdef Move* moves = <Move*>malloc(len(solution) * sizeof(Move) + 1)
    cdef Soundness* soundness = <Soundness*>calloc(1, sizeof(Soundness))
    cdef Problem problem
    cdef int i
    try:
        if moves == NULL or soundness == NULL:
            raise MemoryError("no memory for a check")
        for i in range(len(solution)):
            moves[i] = move_from_squares(solution[i])
        problem.root, problem.strict = board_of(root), strict
        problem.published = VALUE_UNKNOWN if published is None else <int>published
        problem.solution, problem.length = moves, len(solution)
        with nogil:
            check_soundness(decider.decider, &problem, soundness)
        decider.check()
        return soundness_fields(soundness)
    finally:
        if soundness != NULL:
            free_soundness(soundness)
        free(soundness)
        free(moves)


# ---- variations ----

def check_variation(DeciderOfClaims decider not None, tuple root not None, bint wins, bint draws, bint strict):
    """Check a position as a problem in which the side to move is to win, or to draw, or either: the fields of the verdict,
    and in `rank` the points of one that is sound or has duals. Raises as `decide` does."""
    cdef Soundness* soundness = <Soundness*>calloc(1, sizeof(Soundness))
    cdef Board board = board_of(root)
    if soundness == NULL:
        raise MemoryError("no memory for a check")
    try:
        with nogil:
            check_variation_of(decider.decider, &board, wins, draws, strict, soundness)
        decider.check()
        return soundness_fields(soundness) | {"rank": rank_of(decider.decider.work.db, &board, soundness)}
    finally:
        free_soundness(soundness)
        free(soundness)


cdef tuple changed_row(const ChangedPositions* all, int32_t row):
    cdef const ChangedPosition* here = &all.rows[row]
    cdef Board board = changed_board(all, row)
    return board_bits(&board), [
        (here.changes[i].kind, 2 * here.changes[i].side + here.changes[i].king, here.changes[i].square,
         here.changes[i].target, here.changes[i].size)
        for i in range(here.count)]


def changed_positions(tuple root not None, int most):
    """The positions after at most `most` changes, in order, each with its changes: kind, piece (1 for a king, and 2 for a
    white one), square, target (-1 for none) and size. Raises MemoryError."""
    cdef Board board = board_of(root)
    cdef ChangedPositions all
    try:
        if not change_position(&board, most, &all):
            raise MemoryError("no memory for positions")
        return [changed_row(&all, i) for i in range(1, all.count)]
    finally:
        free_changed(&all)


def changed_candidates(list roots not None, int most, int low, int high, bint captures, int64_t room):
    """Of the positions after changes of some, those in which a key is possible, each once, and not the roots: number of its
    root, position and changes; at most `room`. Raises MemoryError."""
    cdef ChangedPositions all
    cdef Strategy known
    cdef ProvedMove row
    cdef Board board
    cdef bint made = True
    memset(&known, 0, sizeof(Strategy))
    found = []
    try:
        for root in roots:
            board = board_of(root)
            row = either_way(&board)
            made &= add_row(&known, &row)
        for origin, root in enumerate(roots):
            board = board_of(root)
            try:
                if not (made and change_position(&board, most, &all)
                        and keep_candidates(&all, &known, low, high, captures)):
                    raise MemoryError("no memory for positions")
                found += [(origin, *changed_row(&all, i)) for i in range(min(all.count, room - len(found)))]
            finally:
                free_changed(&all)
            if len(found) == room:
                break
        return found
    finally:
        free_strategy(&known)


# ---- merit ----

def problem_merit(tuple root not None, list line not None, int solver):
    """Of the merit of a problem: pieces given, all pieces, pieces ahead, and what is unnatural; line: legal moves."""
    cdef Move moves[2 * SEEN_MOVES]
    cdef Board board = board_of(root)
    cdef int length = 0
    cdef Merit merit
    for squares in line[:2 * SEEN_MOVES]:
        moves[length] = move_from_squares(squares)
        length += 1
    merit = merit_of(&board, moves, length, solver, 0, 0)
    return merit.given, merit.pieces, merit.ahead, merit.unnatural


def points_of_merit(int stars, int given, int near_misses, int pieces, int ahead, int unnatural):
    """Points of a merit: see `kr.problems.ranking`."""
    cdef Merit merit
    merit.stars, merit.given, merit.near_misses = stars, given, near_misses
    merit.pieces, merit.ahead, merit.unnatural = pieces, ahead, unnatural
    return merit_points(&merit)


def near_misses_of(tuple root not None, list keeping not None, int goal, EndgameDatabase database=None):
    """Moves beside the keeping ones after which one reply alone spoils the goal."""
    cdef Move moves[MAX_MOVES]
    cdef Board board = board_of(root)
    cdef int count = 0
    for squares in keeping[:MAX_MOVES]:
        moves[count] = move_from_squares(squares)
        count += 1
    return count_near_misses(egdb_of(database), &board, moves, count, goal)
