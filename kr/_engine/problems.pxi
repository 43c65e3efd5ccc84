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
    cdef kr_soundness* shown = &kept.shown
    cdef int32_t i
    if kept == NULL:
        return NULL
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


cdef int check_with(Checking* checking, const Problem* problem, const kr_limits* limits, size_t memory,
                    kr_soundness** shown) noexcept nogil:
    cdef Player* player = checking.searching.player
    cdef Soundness* soundness = <Soundness*>malloc(sizeof(Soundness))
    cdef ProofWork work
    checking.began = seconds()
    begin_work(&work, player, search_and_tell, checking, memory)
    work.deadline = checking.began + limits.seconds if limits.seconds > 0 else 1e300
    work.node_limit = limits.nodes if limits.nodes > 0 else NO_NODE_LIMIT
    checking.decider = open_decider(&work)
    if soundness == NULL or checking.decider == NULL:
        free(soundness)
        close_decider(checking.decider)
        return KR_NO_MEMORY
    checking.searching.deadline = &checking.decider.work.deadline
    kr_clear(<kr_engine*>player)
    store_flag(&player.searching, True)
    check_soundness(checking.decider, problem, soundness)
    store_flag(&player.searching, False)
    store_flag(&player.stopped, 0)
    if checking.decider.work.error != PROOF_NO_MEMORY:
        shown[0] = kept_soundness(soundness)
    if shown[0] != NULL:
        shown[0].full = is_full(&checking.decider.work)
        shown[0].nodes = checking.decider.work.nodes
        shown[0].seconds = seconds() - checking.began
    free_soundness(soundness)
    free(soundness)
    close_decider(checking.decider)
    return KR_OK if shown[0] != NULL else KR_NO_MEMORY


cdef public int kr_check_problem(kr_engine* engine, const kr_problem* given, const kr_limits* limits, size_t memory,
                                 kr_check_listener listener, void* context, kr_soundness** soundness) noexcept nogil:
    cdef Player* player = player_of(engine)
    cdef Checking checking
    cdef Problem problem
    cdef Move* moves
    cdef int error
    soundness[0] = NULL
    if player.searching:
        return KR_BUSY
    if kr_check(&given.position):
        return KR_ILLEGAL
    if (not limits.seconds >= 0 or limits.seconds == 0 and limits.nodes == 0 and listener == NULL
            or not VALUE_LOSS <= given.value <= VALUE_UNKNOWN):
        return KR_BAD_VALUE
    memset(&checking, 0, sizeof(Checking))
    checking.searching.player = player
    checking.listener = listener
    checking.context = context
    problem.root = board_of(&given.position)
    problem.published = given.value
    problem.strict = given.strict != 0
    problem.length = given.length
    error = read_solution(given, problem.root, &moves)
    problem.solution = moves
    if error == KR_OK:
        error = check_with(&checking, &problem, limits, memory, soundness)
    free(moves)
    return error
