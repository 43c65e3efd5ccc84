# Problems for C: whether one is sound.

cdef struct Checking:
    SearchingPlayer searching        # first: its searches know it by that
    ClaimDecider* decider
    kr_check_listener listener
    void* context
    double began

cdef struct KeptSoundness:
    kr_soundness shown       # first: the caller knows it by that
    kr_move unsettled[MAX_MOVES]
    kr_way* ways
    kr_step* steps
    kr_move* line


cdef bint search_and_tell(void* owner, const Board* positions, int count, u64 nodes, int draws_for,
                          Searched* searched) noexcept nogil:
    cdef Checking* checking = <Checking*>owner
    cdef kr_progress_info progress
    if not search_by_player(&checking.searching, positions, count, nodes, draws_for, searched):
        return False
    if checking.listener != NULL:
        progress.depth = 0
        progress.nodes = checking.decider.work.nodes + searched.nodes
        progress.seconds = seconds() - checking.began
        if checking.listener(&progress, checking.context):
            store_flag(&checking.searching.player.stopped, 1)
    return True


cdef void show_way(const Way* way, kr_way* shown) noexcept nogil:
    shown.move = squares_of(way.move)
    shown.keeps = way.keeps
    shown.by = way.by
    shown.positions = way.positions
    shown.transposes = way.transposes


cdef kr_soundness* kept_soundness(const Soundness* soundness) noexcept nogil:
    """A verdict as the caller has it; NULL without memory."""
    cdef KeptSoundness* kept = <KeptSoundness*>calloc(1, sizeof(KeptSoundness))
    cdef kr_soundness* shown
    cdef int32_t i
    if kept == NULL:
        return NULL
    shown = &kept.shown
    kept.ways = <kr_way*>malloc(soundness.way_count * sizeof(kr_way) + 1)
    kept.steps = <kr_step*>malloc(soundness.step_count * sizeof(kr_step) + 1)
    kept.line = <kr_move*>malloc(soundness.length * sizeof(kr_move) + 1)
    if kept.ways == NULL or kept.steps == NULL or kept.line == NULL:
        kr_free_soundness(shown)
        return NULL
    for i in range(soundness.way_count):
        show_way(&soundness.ways[i], &kept.ways[i])
    for i in range(soundness.step_count):
        kept.steps[i].ply = soundness.steps[i].ply
        kept.steps[i].number = move_number_at(soundness.steps[i].ply)
        kept.steps[i].plain = soundness.steps[i].plain
        kept.steps[i].count = soundness.steps[i].count
        kept.steps[i].ways = &kept.ways[soundness.steps[i].first]
    for i in range(soundness.length):
        kept.line[i] = squares_of(soundness.line[i])
    for i in range(soundness.unsettled_count):
        kept.unsettled[i] = squares_of(soundness.unsettled[i])
    shown.verdict = soundness.verdict
    shown.value = soundness.value
    shown.by = soundness.by.by
    shown.positions = soundness.by.positions
    shown.number = soundness.number
    shown.ended = soundness.ended
    shown.refuted = soundness.refuted
    if soundness.refuted:
        shown.side = soundness.refutation.side
        shown.goal = soundness.refutation.goal
        shown.at = position_of(&soundness.refutation.root)
    shown.way_count = soundness.root_ways
    shown.ways = kept.ways
    shown.unsettled_count = soundness.unsettled_count
    shown.unsettled = kept.unsettled
    shown.length = soundness.length
    shown.of_solution = soundness.of_solution
    shown.line = kept.line
    shown.step_count = soundness.step_count
    shown.steps = kept.steps
    return shown


cdef public void kr_free_soundness(kr_soundness* soundness) noexcept nogil:
    cdef KeptSoundness* kept = <KeptSoundness*>soundness
    if kept != NULL:
        free(kept.ways)
        free(kept.steps)
        free(kept.line)
        free(kept)


cdef int read_solution(const kr_problem* given, Board board, Move** moves) noexcept nogil:
    """The moves of a solution, to be freed."""
    cdef int i
    moves[0] = NULL
    if given.length < 0:
        return KR_BAD_VALUE
    moves[0] = <Move*>malloc(given.length * sizeof(Move) + 1)
    if moves[0] == NULL:
        return KR_NO_MEMORY
    for i in range(given.length):
        moves[0][i] = legal_move(&board, &given.solution[i])
        if moves[0][i] == 0:
            return KR_ILLEGAL
        board = played(&board, moves[0][i])
    return KR_OK


cdef struct CheckGoal:
    const Problem* problem           # NULL: it is a variation
    Board root
    bint wins
    bint draws
    bint strict


cdef int check_with(Player* player, const CheckGoal* goal, const kr_limits* limits, size_t memory,
                    kr_check_listener listener, void* context, kr_soundness** shown) noexcept nogil:
    cdef Soundness* soundness = <Soundness*>malloc(sizeof(Soundness))
    cdef Checking checking
    cdef ProofWork work
    cdef ProofWork* own
    begin_work(&work, player, search_and_tell, &checking, memory)
    checking.began = seconds()
    checking.searching.player = player
    checking.listener = listener
    checking.context = context
    work.deadline = checking.began + limits.seconds if limits.seconds > 0 else 1e300
    work.node_limit = limits.nodes if limits.nodes > 0 else NO_NODE_LIMIT
    checking.decider = open_decider(&work)
    if soundness == NULL or checking.decider == NULL:
        free(soundness)
        close_decider(checking.decider)
        return KR_NO_MEMORY
    own = &checking.decider.work
    checking.searching.deadline = &own.deadline
    kr_clear(<kr_engine*>player)
    store_flag(&player.searching, True)
    if goal.problem != NULL:
        check_soundness(checking.decider, goal.problem, soundness)
    else:
        check_variation_of(checking.decider, &goal.root, goal.wins, goal.draws, goal.strict, soundness)
    store_flag(&player.searching, False)
    store_flag(&player.stopped, 0)
    if own.error != PROOF_NO_MEMORY:
        shown[0] = kept_soundness(soundness)
    if shown[0] != NULL:
        shown[0].full = is_full(own)
        shown[0].rank = 0 if goal.problem != NULL else rank_of(own.db, &goal.root, soundness)
        shown[0].nodes = own.nodes
        shown[0].seconds = seconds() - checking.began
    free_soundness(soundness)
    free(soundness)
    close_decider(checking.decider)
    return KR_OK if shown[0] != NULL else KR_NO_MEMORY


cdef int refuse_check(const Player* player, const kr_position* position, const kr_limits* limits,
                      kr_check_listener listener, kr_soundness** soundness) noexcept nogil:
    soundness[0] = NULL
    if player.searching:
        return KR_BUSY
    if kr_check(position):
        return KR_ILLEGAL
    if not limits.seconds >= 0 or limits.seconds == 0 and limits.nodes == 0 and listener == NULL:
        return KR_BAD_VALUE
    return KR_OK


cdef public int kr_check_problem(kr_engine* engine, const kr_problem* given, const kr_limits* limits, size_t memory,
                                 kr_check_listener listener, void* context, kr_soundness** soundness) noexcept nogil:
    cdef CheckGoal goal
    cdef Problem problem
    cdef Move* moves
    cdef int error = refuse_check(player_of(engine), &given.position, limits, listener, soundness)
    if error:
        return error
    if not VALUE_LOSS <= given.value <= VALUE_UNKNOWN:
        return KR_BAD_VALUE
    problem.root = board_of(&given.position)
    problem.published = given.value
    problem.strict = given.strict != 0
    problem.length = given.length
    error = read_solution(given, problem.root, &moves)
    problem.solution = moves
    goal.problem = &problem
    if error == KR_OK:
        error = check_with(player_of(engine), &goal, limits, memory, listener, context, soundness)
    free(moves)
    return error


cdef public int kr_check_variation(kr_engine* engine, const kr_position* position, int wins, int draws, int strict,
                                   const kr_limits* limits, size_t memory, kr_check_listener listener, void* context,
                                   kr_soundness** soundness) noexcept nogil:
    cdef CheckGoal goal
    cdef int error = refuse_check(player_of(engine), position, limits, listener, soundness)
    if error:
        return error
    goal.problem = NULL
    goal.root = board_of(position)
    goal.wins, goal.draws, goal.strict = wins != 0, draws != 0, strict != 0
    if not (goal.wins or goal.draws):
        return KR_BAD_VALUE
    return check_with(player_of(engine), &goal, limits, memory, listener, context, soundness)


# ---- changed positions ----

cdef kr_change shown_change(const PieceChange* change) noexcept nogil:
    cdef kr_change shown
    memset(&shown, 0, sizeof(kr_change))
    shown.kind = change.kind
    shown.side = change.side
    shown.king = change.king
    shown.square = change.square + 1
    shown.target = <uint8_t>(change.target + 1)
    return shown


cdef kr_changed* shown_positions(const ChangedPositions* all) noexcept nogil:
    """Changed positions as the caller has them; NULL without memory."""
    cdef kr_changed* shown = <kr_changed*>calloc(all.count + 1, sizeof(kr_changed))
    cdef Board board
    cdef int32_t i
    cdef int k
    if shown != NULL:
        for i in range(all.count):
            board = changed_board(all, i)
            shown[i].position = position_of(&board)
            shown[i].count = all.rows[i].count
            for k in range(shown[i].count):
                shown[i].changes[k] = shown_change(&all.rows[i].changes[k])
    return shown


cdef public int kr_changed_positions(const kr_position* position, int most, int captures,
                                     kr_changed** positions) noexcept nogil:
    cdef ChangedPositions all
    cdef Strategy known
    cdef Board board
    cdef ProvedMove own
    positions[0] = NULL
    if kr_check(position) or not position.black or not position.white:
        return KR_ILLEGAL
    if not 1 <= most <= MOST_CHANGES:
        return KR_BAD_VALUE
    board = board_of(position)
    own = either_way(&board)
    memset(&known, 0, sizeof(Strategy))
    if (change_position(&board, most, &all) and add_row(&known, &own)
            and keep_candidates(&all, &known, 2, 2 * MOST_PIECES, captures != 0)):
        positions[0] = shown_positions(&all)
    free_strategy(&known)
    free_changed(&all)
    return KR_NO_MEMORY if positions[0] == NULL else all.count


cdef public void kr_free_positions(kr_changed* positions) noexcept nogil:
    free(positions)
