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
        "verdict": soundness.verdict, "stage": soundness.stage, "value": None if soundness.value == VALUE_UNKNOWN else soundness.value,
        "by": (soundness.by.by, soundness.by.positions), "wins": soundness.wins, "holds": soundness.holds,
        "number": soundness.number, "ended": soundness.ended, "of_solution": soundness.of_solution, "steps": steps,
        "refutation": (board_bits(&claim.root), claim.side, claim.goal) if soundness.refuted else None,
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
