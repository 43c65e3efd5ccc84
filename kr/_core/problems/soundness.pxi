# Soundness of problems: one key, one way at each move of the solver, and the published result, all by proof.
#
# The solver is the side that wins, or, in a draw, the side to move, which is to hold it. A way is a move after which the
# solver still has what it is to reach: it wins, or does not lose. A move is the only way if every other one is refuted.
#
# The line that is looked at is the published solution, and where that ends the main line: the solver's way, and the
# opponent's hardest defence. In a win this is the reply that loses latest by the database's distances, the first of
# equals; in a draw, and where the database lacks a distance, the move of a search. The line ends where the result is
# plain; if the problem is strict it goes on as far as the solution does, and to the end of a win.

cdef enum:
    LONGEST_MAIN_LINE = 400  # plies after which a line is left; a line of the published solution is not
    DEFENCE_NODES = 20000    # of a search for the hardest defence,
    PROGRESS_NODES = 200000  # and for the way of a win that comes nearer to its end
    UNKNOWN_DISTANCE = 1 << 30
    GOES_ON = -1             # a line that does not end

cdef struct ProblemCheck:
    const Problem* problem
    Soundness* soundness
    Solver solver
    Move first               # of the solution; 0 for none
    Board* boards            # the line's positions, the root first
    int32_t board_room

cdef struct AskedRoot:
    ClaimDecider* decider
    Claim claims[2]          # that the side to move wins, and does not lose


cdef void conclude(ProblemCheck* check, int stage, int verdict) noexcept nogil:
    check.soundness.stage = stage
    check.soundness.verdict = verdict


# ---- the result ----

cdef int settled_value(const AskedRoot* asked) noexcept nogil:
    """The value for the side to move by what is known of two claims; VALUE_UNKNOWN."""
    cdef int wins = decision_of(asked.decider, &asked.claims[0]).holds
    cdef int holds = decision_of(asked.decider, &asked.claims[1]).holds
    if wins == 1:
        return VALUE_WIN
    if holds == 0:
        return VALUE_LOSS
    return VALUE_DRAW if holds == 1 and wins == 0 else VALUE_UNKNOWN


cdef bint has_value(void* context) noexcept nogil:
    return settled_value(<AskedRoot*>context) != VALUE_UNKNOWN


cdef void find_answers(ProblemCheck* check, Move move, const Claim* claim) noexcept nogil:
    """The opponent's replies, as far as they are at hand, to a move that fails, or with 0 to every move."""
    cdef Soundness* soundness = check.soundness
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef Claim later
    cdef Move reply
    cdef int count = after_moves(&check.problem.root, moves, after)
    cdef int i
    for i in range(count):
        if move == 0 or moves[i] == move:
            later = claim_of(&after[i], claim.side, claim.goal)
            reply = proving_move(check.solver.decider, &later)
            if reply != 0:
                soundness.answers[soundness.answer_count].move = moves[i]
                soundness.answers[soundness.answer_count].reply = reply
                soundness.answer_count += 1


cdef void refute_result(ProblemCheck* check, const AskedRoot* asked, const Claim* claim) noexcept nogil:
    """Note that the published result is wrong, since a claim about the root is true or false; or every move fails while
    the position itself is open."""
    cdef Soundness* soundness = check.soundness
    cdef Move move
    soundness.by = decision_of(asked.decider, claim)
    soundness.value = settled_value(asked)
    soundness.refuted = True
    soundness.refutation = claim[0] if soundness.by.holds == 1 else opposite(claim)
    if soundness.refutation.side == check.problem.root.side:
        move = proving_move(asked.decider, &soundness.refutation)
        soundness.answers[0].move = move
        soundness.answer_count = move != 0
    else:
        find_answers(check, check.first, &soundness.refutation)
    conclude(check, STAGE_RESULT, PROBLEM_UNSOUND)


cdef int judge_win(ProblemCheck* check, const AskedRoot* asked) noexcept nogil:
    """1 if a published win may be one, by its moves: judge_keys says more; 0 if it is refuted; OPEN to be judged by the
    position itself."""
    cdef Ways ways
    cdef int i
    cdef bint any_keeps = False
    cdef bint any_open = False
    find_ways(asked.decider, &check.problem.root, VALUE_WIN, check.first, True, &ways)
    for i in range(ways.count):
        any_keeps |= ways.moves[i].keeps == 1
        any_open |= ways.moves[i].keeps == OPEN
    if not any_keeps and decision_of(asked.decider, &asked.claims[0]).holds != OPEN:
        return OPEN
    if any_keeps or any_open:
        return 1
    refute_result(check, asked, &asked.claims[0])
    return 0


cdef int judge_published(ProblemCheck* check, AskedRoot* asked) noexcept nogil:
    """The published value; VALUE_UNKNOWN if it is refuted or open, which makes the verdict."""
    cdef ClaimDecider* decider = asked.decider
    cdef int published = check.problem.published
    cdef Claim claims[2]     # of which the last has to be true, and one before it false
    cdef int count = 1
    cdef int i
    claims[0] = asked.claims[0]
    if published == VALUE_WIN:
        i = judge_win(check, asked)
        if i != OPEN:
            return VALUE_WIN if i else VALUE_UNKNOWN
    elif published == VALUE_LOSS:
        claims[0] = opposite(&asked.claims[1])
        decide(decider, claims, 1, NULL, NULL)
    else:
        claims[1] = asked.claims[1]
        count = 2
        decide(decider, asked.claims, 2, has_value, asked)
    for i in range(count):
        if decision_of(decider, &claims[i]).holds == (i < count - 1):
            refute_result(check, asked, &claims[i])
            return VALUE_UNKNOWN
    for i in range(count):
        if decision_of(decider, &claims[i]).holds == OPEN:
            conclude(check, STAGE_RESULT, PROBLEM_UNDECIDED)
            return VALUE_UNKNOWN
    check.soundness.by = decision_of(decider, &claims[count - 1])
    check.soundness.value = published
    return published


cdef int judge_result(ProblemCheck* check) noexcept nogil:
    """The published value, or without one the proved one; VALUE_UNKNOWN if it is refuted or open, which makes the
    verdict."""
    cdef Soundness* soundness = check.soundness
    cdef const Board* root = &check.problem.root
    cdef AskedRoot asked
    cdef int value
    asked.decider = check.solver.decider
    asked.claims[0] = claim_of(root, root.side, VALUE_WIN)
    asked.claims[1] = claim_of(root, root.side, VALUE_DRAW)
    if check.problem.published != VALUE_UNKNOWN:
        value = judge_published(check, &asked)
    else:
        decide(asked.decider, asked.claims, 2, has_value, &asked)
        value = soundness.value = settled_value(&asked)
        if value == VALUE_UNKNOWN:
            conclude(check, STAGE_RESULT, PROBLEM_UNDECIDED)
        else:
            soundness.by = decision_of(asked.decider, &asked.claims[value != VALUE_WIN])
    soundness.wins = decision_of(asked.decider, &asked.claims[0]).holds
    soundness.holds = decision_of(asked.decider, &asked.claims[1]).holds
    return value


# ---- the key ----

cdef void refute_move(ProblemCheck* check, const Board* board, const Board* after) noexcept nogil:
    """Note what is proved against a move of the solver that fails: of the position after it, or of the one before."""
    cdef Claim claim = claim_of(after, check.solver.side, check.solver.goal)
    claim = opposite(&claim)
    if decision_of(check.solver.decider, &claim).holds != 1:
        claim = claim_of(board, check.solver.side, check.solver.goal)
        claim = opposite(&claim)
    check.soundness.refuted = True
    check.soundness.refutation = claim


cdef bint judge_keys(ProblemCheck* check) noexcept nogil:
    """Find the keys; False if that makes the verdict."""
    cdef Soundness* soundness = check.soundness
    cdef const Board* root = &check.problem.root
    cdef Ways ways
    cdef const Way* own = &ways.moves[0]
    cdef const Way* key = NULL
    cdef int i, keys = 0
    find_ways(check.solver.decider, root, check.solver.goal, check.first, True, &ways)
    for i in range(ways.count):
        if ways.moves[i].keeps == 1:
            if check.first == 0:
                # a key first
                place_way(&ways, i, keys)
            keys += 1
    mark_transpositions(&check.solver, &ways)
    soundness.root_ways = ways.count
    add_ways(&check.solver.decider.work, soundness, &ways)
    for i in range(ways.count):
        if key == NULL and ways.moves[i].keeps == 1:
            key = &ways.moves[i]
    if key != NULL and check.solver.goal == VALUE_WIN and soundness.value == VALUE_UNKNOWN:
        soundness.value = VALUE_WIN
        soundness.by.by = key.by
        soundness.by.positions = key.positions
    list_unsettled(soundness, ways.moves, ways.count, False)
    if check.first != 0 and own.keeps == 0:
        refute_move(check, root, &own.after)
        soundness.number = 1
        if not same_board(&soundness.refutation.root, root):
            find_answers(check, check.first, &soundness.refutation)
        conclude(check, STAGE_KEYS, PROBLEM_UNSOUND)
    elif keys > 1 or (keys == 1 and own.keeps == OPEN):
        if own.keeps == 1:
            add_to_line(&check.solver.decider.work, soundness, key.move, False)
        conclude(check, STAGE_KEYS, PROBLEM_COOK)
    elif soundness.unsettled_count:
        soundness.number = 1
        conclude(check, STAGE_KEYS, PROBLEM_UNDECIDED)
        return False
    else:
        return True
    soundness.unsettled_count = 0
    return False


# ---- the line ----

cdef int win_distance(const ProblemCheck* check, const Board* board) noexcept nogil:
    """Plies to the end of a win; UNKNOWN_DISTANCE where it is unknown or not a win."""
    cdef const Egdb* db = check.solver.decider.work.db
    cdef int plies = -1
    if check.solver.goal == VALUE_DRAW or is_ended(board):
        return 0
    if db != NULL and has_board(db, board):
        plies = egdb_distance(db, board)
    return UNKNOWN_DISTANCE if plies < 0 else plies


cdef Move searched_move(ProblemCheck* check, const Board* positions, int count, u64 nodes) noexcept nogil:
    """The move of a search of the last position that does not depend on others; 0 if it failed."""
    cdef ProofWork* work = &check.solver.decider.work
    cdef double deadline = work.deadline
    cdef Searched searched
    # what time is left for proofs makes no difference to the line
    work.deadline = 1e300
    if not work.clear(work.owner) or not work.search(work.owner, positions, count, nodes, 0, &searched):
        work.error = PROOF_FAILED
        searched.moves[0] = 0
    work.deadline = deadline
    return searched.moves[0]


cdef Move hardest_defence(ProblemCheck* check, const Board* board) noexcept nogil:
    """The hardest defence of the opponent, who is to move; 0 if a search failed."""
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef int count = after_moves(board, moves, after)
    cdef int farthest = -1
    cdef int best = 0
    cdef int i, distance
    for i in range(count):
        distance = win_distance(check, &after[i])
        if distance > farthest:
            farthest = distance
            best = i
    if check.solver.goal == VALUE_WIN and farthest < UNKNOWN_DISTANCE:
        return moves[best]
    return moves[0] if count == 1 else searched_move(check, board, 1, DEFENCE_NODES)


cdef bint has_passed(const ProblemCheck* check, const Board* board) noexcept nogil:
    """True if the line has come through a position before."""
    cdef int32_t i
    for i in range(check.soundness.length):
        if same_board(&check.boards[i], board):
            return True
    return False


cdef int way_on(ProblemCheck* check, const Ways* ways) noexcept nogil:
    """The way of a win without distances by which the line goes on: the first that leads to a new position, or of more
    such the one of a search."""
    cdef Soundness* soundness = check.soundness
    cdef Move move
    cdef int first = -1
    cdef int keeping = -1
    cdef int count = 0
    cdef int i
    for i in range(ways.count):
        if ways.moves[i].keeps != 1:
            continue
        if keeping < 0:
            keeping = i
        if not has_passed(check, &ways.moves[i].after):
            if first < 0:
                first = i
            count += 1
    if count == 0:
        soundness.ended = LINE_REPEATED
        return keeping
    if count == 1 or is_over(&check.solver.decider.work):
        return first
    # a search that knows the line takes coming back for a draw
    move = searched_move(check, check.boards, soundness.length + 1, PROGRESS_NODES)
    for i in range(ways.count):
        if ways.moves[i].move == move and ways.moves[i].keeps == 1 and not has_passed(check, &ways.moves[i].after):
            return i
    return first


cdef Move take_step(ProblemCheck* check, const Board* board, Move following, bint plain) noexcept nogil:
    """Look at the solver's moves at a position of the line; returns the one to go on with, 0 if there is none."""
    cdef Soundness* soundness = check.soundness
    cdef Ways ways
    cdef int best = -1
    cdef int nearest = UNKNOWN_DISTANCE
    cdef int i, distance
    find_ways(check.solver.decider, board, check.solver.goal, following, False, &ways)
    if following == 0:
        for i in range(ways.count):
            if ways.moves[i].keeps == 1:
                distance = win_distance(check, &ways.moves[i].after)
                if best < 0 or distance < nearest:
                    best = i
                    nearest = distance
        if best >= 0:
            # a win whose distance is unknown may come back, and goes on by another way
            place_way(&ways, way_on(check, &ways) if nearest == UNKNOWN_DISTANCE else best, 0)
    mark_transpositions(&check.solver, &ways)
    add_step(&check.solver.decider.work, soundness, soundness.length, plain, &ways)
    return ways.moves[0].move if ways.moves[0].keeps == 1 and soundness.ended == LINE_LEFT else 0


cdef int line_end(const ProblemCheck* check, const Board* board, Move following, bint plain) noexcept nogil:
    """Why the line ends before a move of the solver; GOES_ON."""
    cdef const Soundness* soundness = check.soundness
    cdef int goal = check.solver.goal
    cdef int32_t i
    if plain and not check.problem.strict:
        return LINE_PLAIN
    if following != 0:
        return GOES_ON
    for i in range(soundness.step_count):
        if has_dual(soundness, &soundness.steps[i], check.problem.strict):
            return LINE_DUAL
    if goal == VALUE_DRAW and has_passed(check, board):
        return LINE_REPEATED
    if soundness.length >= LONGEST_MAIN_LINE:
        return LINE_LEFT
    return LINE_PLAIN if plain and goal == VALUE_DRAW else GOES_ON


cdef Move next_move(ProblemCheck* check, const Board* board, Move following) noexcept nogil:
    """The next move of the line; 0 if it ends."""
    cdef Soundness* soundness = check.soundness
    cdef bint plain
    cdef int end
    if board.side != check.solver.side:
        if is_ended(board):
            soundness.ended = LINE_OVER
            return 0
        return following if following != 0 else hardest_defence(check, board)
    plain = soundness.length > 0 and is_plain(board, check.solver.side, check.solver.goal)
    end = line_end(check, board, following, plain)
    if end != GOES_ON:
        soundness.ended = end
        return 0
    return take_step(check, board, following, plain)


cdef void follow_line(ProblemCheck* check) noexcept nogil:
    """Follow the solution and the main line, and look at each move of the solver."""
    cdef Soundness* soundness = check.soundness
    cdef ProofWork* work = &check.solver.decider.work
    cdef Board board = check.problem.root
    cdef Move following, move
    cdef int32_t steps
    while not was_stopped(work):
        following = check.problem.solution[soundness.length] if soundness.length < check.problem.length else 0
        if lacks_memory(work, room_for(
                <void**>&check.boards, &check.board_room, soundness.length + 1, sizeof(Board))):
            return
        check.boards[soundness.length] = board
        steps = soundness.step_count
        move = next_move(check, &board, following)
        if move == 0:
            if soundness.step_count > steps and following != 0:
                # it fails, or is open
                add_to_line(work, soundness, following, True)
            return
        add_to_line(work, soundness, move, following != 0)
        board = played(&board, move)


cdef bint judge_failing(ProblemCheck* check) noexcept nogil:
    """True if a move of the solution fails, which makes the verdict."""
    cdef Soundness* soundness = check.soundness
    cdef const LineStep* step
    cdef const Way* way
    cdef Move reply
    cdef int32_t i
    for i in range(soundness.step_count):
        step = &soundness.steps[i]
        way = &soundness.ways[step.first]
        if way.keeps == 0:
            soundness.number = move_number_at(step.ply)
            refute_move(check, &check.boards[step.ply], &way.after)
            reply = proving_move(check.solver.decider, &soundness.refutation)
            if reply != 0 and not same_board(&soundness.refutation.root, &check.boards[step.ply]):
                soundness.answers[0].move = way.move
                soundness.answers[0].reply = reply
                soundness.answer_count = 1
            conclude(check, STAGE_LINE, PROBLEM_UNSOUND)
            return True
    return False


cdef void judge_line(ProblemCheck* check) noexcept nogil:
    """The verdict by what the line showed."""
    cdef Soundness* soundness = check.soundness
    cdef bint strict = check.problem.strict
    cdef const LineStep* step
    cdef int32_t i
    if judge_failing(check):
        return
    for i in range(soundness.step_count):
        step = &soundness.steps[i]
        if has_dual(soundness, step, strict):
            soundness.number = move_number_at(step.ply)
            conclude(check, STAGE_LINE, PROBLEM_DUAL)
            return
    for i in range(soundness.step_count):
        step = &soundness.steps[i]
        if counts(step, strict):
            list_unsettled(soundness, &soundness.ways[step.first], step.count, not strict)
            if soundness.unsettled_count:
                soundness.number = move_number_at(step.ply)
                conclude(check, STAGE_LINE, PROBLEM_UNDECIDED)
                return
    if soundness.ended == LINE_LEFT or (soundness.ended == LINE_REPEATED and check.solver.goal == VALUE_WIN):
        conclude(check, STAGE_LINE, PROBLEM_UNDECIDED)
    else:
        conclude(check, STAGE_LINE, PROBLEM_SOUND)


# ---- all of it ----

cdef void set_solver(Solver* solver, ClaimDecider* decider, const Board* root, int value) noexcept nogil:
    """Set who is to reach what, by the value for the side to move."""
    solver.decider = decider
    solver.side = 1 - root.side if value == VALUE_LOSS else root.side
    solver.goal = VALUE_DRAW if value == VALUE_DRAW else VALUE_WIN
    solver.unclear = False


cdef void check_soundness(ClaimDecider* decider, const Problem* problem, Soundness* soundness) noexcept nogil:
    """Check a problem; free_soundness in any case. An error of the work, or a stop, makes the answer useless."""
    cdef ProblemCheck check
    cdef int value
    memset(&check, 0, sizeof(ProblemCheck))
    memset(soundness, 0, sizeof(Soundness))
    soundness.published = problem.published
    soundness.value = VALUE_UNKNOWN
    check.problem = problem
    check.soundness = soundness
    check.solver.decider = decider
    check.first = problem.solution[0] if problem.length else 0
    if is_ended(&problem.root):
        soundness.value = VALUE_LOSS
        soundness.by.by = BY_RULES
        soundness.refuted = True
        soundness.refutation = claim_of(&problem.root, 1 - problem.root.side, VALUE_WIN)
        conclude(&check, STAGE_RESULT, PROBLEM_UNSOUND)
        return
    value = judge_result(&check)
    if value == VALUE_UNKNOWN:
        return
    set_solver(&check.solver, decider, &problem.root, value)
    if value == VALUE_LOSS or judge_keys(&check):
        follow_line(&check)
        judge_line(&check)
    free(check.boards)
