# Variations: positions that are checked as problems in which the side to move is to reach a goal. Most are left as soon as
# two moves are proved to keep the value, or none can.

cdef struct KeyClaims:
    ClaimDecider* decider
    Claim claims[MAX_MOVES + 1]      # about the position, and about it after each move
    int count
    int keys                         # moves that keep the goal,
    int open                         # and that may


cdef void count_keys(KeyClaims* asked) noexcept nogil:
    cdef int i, holds
    asked.keys = asked.open = 0
    for i in range(1, asked.count):
        holds = decision_of(asked.decider, &asked.claims[i]).holds
        asked.keys += holds == 1
        asked.open += holds == OPEN


cdef bint knows_keys(void* context) noexcept nogil:
    cdef KeyClaims* asked = <KeyClaims*>context
    count_keys(asked)
    return decision_of(asked.decider, &asked.claims[0]).holds == 0 or asked.keys > 1 or asked.open == 0


cdef void leave_variation(ClaimDecider* decider, Soundness* soundness, int verdict, const Claim* claim) noexcept nogil:
    """The verdict on a position that is not looked at further, by a claim about it."""
    soundness.verdict = verdict
    soundness.stage = STAGE_LEFT
    soundness.published = claim.goal
    soundness.by = decision_of(decider, claim)
    soundness.holds = soundness.by.holds


cdef int rank_of(const Egdb* db, const Board* root, const Soundness* soundness) noexcept nogil:
    """Points of a problem in which the side to move is the solver, if it is sound or has duals; else 0."""
    cdef const LineStep* step
    cdef Merit merit
    cdef int stars = 0
    cdef int key = 0
    cdef int32_t i
    cdef int j
    if soundness.verdict != PROBLEM_SOUND and soundness.verdict != PROBLEM_DUAL:
        return 0
    for i in range(soundness.step_count):
        step = &soundness.steps[i]
        j = 1
        while j < step.count and soundness.ways[step.first + j].keeps != 1:
            j += 1
        stars += not step.plain and step.count > 1 and j == step.count
    while soundness.ways[key].keeps != 1:
        key += 1
    merit = merit_of(root, soundness.line, soundness.length, root.side, stars,
                     count_near_misses(db, root, &soundness.ways[key].move, 1, soundness.value))
    return merit_points(&merit)


cdef void check_variation_of(ClaimDecider* decider, const Board* root, bint wins, bint draws, bint strict,
                             Soundness* soundness) noexcept nogil:
    """Check a position with a move, in which the side to move is to win, or to draw, or either; as check_soundness does.

    It is unsound if it reaches none of these; a cook as soon as two keys are proved, without the others.
    """
    cdef Problem problem
    cdef KeyClaims asked
    cdef Claim win = claim_of(root, root.side, VALUE_WIN)
    cdef Ways ways
    cdef int goal, own, i
    memset(soundness, 0, sizeof(Soundness))
    soundness.published = soundness.value = VALUE_UNKNOWN
    asked.decider = decider
    list_ways(root, 0, &ways)
    asked.count = ways.count + 1
    for goal in range(VALUE_WIN, VALUE_LOSS, -1):
        if not (wins if goal == VALUE_WIN else draws):
            continue
        if goal == VALUE_DRAW:
            decide(decider, &win, 1, NULL, NULL)
            own = decision_of(decider, &win).holds
            if own != 0:
                leave_variation(decider, soundness, PROBLEM_UNSOUND if own == 1 else PROBLEM_UNDECIDED, &win)
                return
        asked.claims[0] = claim_of(root, root.side, goal)
        for i in range(ways.count):
            asked.claims[i + 1] = claim_of(&ways.moves[i].after, root.side, goal)
        decide(decider, asked.claims, asked.count, knows_keys, &asked)
        count_keys(&asked)
        own = decision_of(decider, &asked.claims[0]).holds
        if asked.keys > 1:
            leave_variation(decider, soundness, PROBLEM_COOK, &asked.claims[0])
            for i in range(ways.count):
                ways.moves[i].keeps = decision_of(decider, &asked.claims[i + 1]).holds
            soundness.root_ways = ways.count
            add_ways(&decider.work, soundness, &ways)
            return
        if own == 0 or asked.keys + asked.open == 0:
            # lost, or, for a win, perhaps a draw
            continue
        if asked.keys == 0 and own == OPEN:
            leave_variation(decider, soundness, PROBLEM_UNDECIDED, &asked.claims[0])
            return
        problem.root = root[0]
        problem.published = goal
        problem.strict = strict
        problem.solution = NULL
        problem.length = 0
        check_soundness(decider, &problem, soundness)
        return
    leave_variation(decider, soundness, PROBLEM_UNSOUND, &asked.claims[0])
