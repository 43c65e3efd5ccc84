# Proofs for C: the value of a position by the searches of an engine, and certificates of what is proved.

cdef struct SearchingPlayer:
    # An engine that searches for proofs, and until when.
    Player* player
    const double* deadline

cdef struct Proving:
    SearchingPlayer searching        # first: its searches know it by that
    Prover prover
    ProofWork work
    double seconds           # of the calls before
    kr_claim claims[MOST_CLAIMS]
    kr_move* resists         # (MOST_CLAIMS, MAX_GAME)
    Certified certified


cdef bint search_by_player(void* owner, const Board* positions, int count, u64 nodes, int draws_for,
                           Searched* searched) noexcept nogil:
    cdef SearchingPlayer* searching = <SearchingPlayer*>owner
    cdef Player* player = searching.player
    cdef Worker* worker = &player.worker
    cdef double now = seconds()
    if count > MAX_GAME:
        positions += count - MAX_GAME
        count = MAX_GAME
    set_history(worker, positions, count)
    player.root = positions[count - 1]
    store_double(&worker.start, now)
    store_double(&worker.asked, now)
    store_count(&worker.nodes, 0)
    store_int(&worker.depth, 0)
    worker.usual_time = 0
    worker.within = 0
    worker.deadline = searching.deadline[0]
    worker.node_limit = nodes
    worker.endgames.draws_for = draws_for
    new_generation(&player.table)
    think(worker, &player.root, MAX_PLY, 1, False, NULL, NULL)
    searched.score = shown_score(&worker.endgames, worker.lines[0].score)
    searched.nodes = worker.nodes
    searched.length = whole_line(&worker.lines[0], &player.root, worker.endgames.db, searched.moves, MAX_WHOLE_LINE)
    worker.endgames.draws_for = 0
    return worker.line_count > 0


cdef bint clear_player(void* owner) noexcept nogil:
    cdef Player* player = (<SearchingPlayer*>owner).player
    clear_table(&player.table)
    memset(&player.worker.ordering, 0, sizeof(Ordering))
    return True


cdef void begin_work(ProofWork* work, Player* player, ProofSearch search, void* owner, size_t memory) noexcept nogil:
    """Set a work of an engine, without limits but that of memory."""
    memset(work, 0, sizeof(ProofWork))
    work.search = search
    work.clear = clear_player
    work.owner = owner
    work.db = player.worker.endgames.db
    work.stop = &player.stopped
    # more than can be counted is any number
    work.memory = max(<int64_t>memory, 0)


cdef public int kr_open_proof(kr_proof** proof, kr_engine* engine, const kr_position* position, int goal,
                              size_t memory) noexcept nogil:
    cdef Proving* proving
    cdef Player* player = player_of(engine)
    cdef Board board
    proof[0] = NULL
    if kr_check(position):
        return KR_ILLEGAL
    if not PROVE_VALUE <= goal <= PROVE_LOSS:
        return KR_BAD_VALUE
    if not player.searching:
        # a stop that came as the work before had just ended
        store_flag(&player.stopped, 0)
    proving = <Proving*>calloc(1, sizeof(Proving))
    if proving == NULL:
        return KR_NO_MEMORY
    proving.searching.player = player
    proving.searching.deadline = &proving.work.deadline
    begin_work(&proving.work, player, search_by_player, proving, memory)
    proving.resists = <kr_move*>malloc(MOST_CLAIMS * MAX_GAME * sizeof(kr_move))
    board = board_of(position)
    if proving.resists == NULL or not open_prover(&proving.prover, &board, goal, proving.work.db):
        kr_close_proof(<kr_proof*>proving)
        return KR_NO_MEMORY
    proof[0] = <kr_proof*>proving
    return KR_OK


cdef void count_held(Proving* proving) noexcept nogil:
    """Bring up to date what the proof holds."""
    cdef const ProofQuestion* question
    cdef int64_t held = 0
    cdef int i
    for i in range(proving.prover.count):
        question = &proving.prover.questions[i]
        held += question.tree.room * <int64_t>sizeof(ProofNode) + question.tree.edge_room * <int64_t>sizeof(ProofEdge)
        held += (question.tree.strategy.room + proving.prover.proofs[i].room) * <int64_t>(2 * sizeof(ProvedMove))
    proving.work.held = held


cdef void fill_claim(const Proving* proving, int number, kr_claim* claim) noexcept nogil:
    cdef const ProofQuestion* question = &proving.prover.questions[number]
    cdef kr_move* resists = proving.resists + number * MAX_GAME
    cdef Move moves[MAX_GAME]
    cdef int i
    claim.side = question.tree.claim.side
    claim.goal = question.tree.claim.goal
    claim.holds = question.holds
    claim.searches = <int>question.searches
    claim.proof = question.proof
    claim.disproof = question.disproof
    claim.nodes = question.nodes
    claim.tree = question.tree.count
    claim.positions = question.tree.strategy.count
    claim.length = resisting_line(<ProofTree*>&question.tree, moves, MAX_GAME)
    claim.resists = resists
    for i in range(claim.length):
        resists[i] = squares_of(moves[i])


cdef void fill_proof(Proving* proving, double began, kr_proof_state* state) noexcept nogil:
    cdef ProvedBounds bounds = proved_bounds(&proving.prover)
    cdef int i
    memset(state, 0, sizeof(kr_proof_state))
    for i in range(proving.prover.count):
        fill_claim(proving, i, &proving.claims[i])
    state.least = bounds.least
    state.most = bounds.most
    state.answered = bounds.answered
    state.claim_count = proving.prover.count
    state.claims = proving.claims
    state.nodes = proving.work.nodes
    state.seconds = proving.seconds + seconds() - began
    state.held = <size_t>proving.work.held
    state.full = is_full(&proving.work)


cdef public int kr_prove(kr_proof* proof, const kr_limits* limits, kr_proof_listener listener, void* context,
                         kr_proof_state* state) noexcept nogil:
    cdef Proving* proving = <Proving*>proof
    cdef Player* player = proving.searching.player
    cdef double began = seconds()
    if player.searching:
        return KR_BUSY
    if not limits.seconds >= 0 or limits.seconds == 0 and limits.nodes == 0 and listener == NULL:
        return KR_BAD_VALUE
    proving.work.deadline = began + limits.seconds if limits.seconds > 0 else 1e300
    proving.work.node_limit = NO_NODE_LIMIT
    if 0 < limits.nodes < NO_NODE_LIMIT - proving.work.nodes:
        proving.work.node_limit = proving.work.nodes + limits.nodes
    proving.work.error = 0
    store_flag(&player.searching, True)
    while prove_on(&proving.prover, &proving.work):
        count_held(proving)
        if listener != NULL:
            fill_proof(proving, began, state)
            if listener(state, context):
                break
    store_flag(&player.searching, False)
    store_flag(&player.stopped, 0)
    fill_proof(proving, began, state)
    proving.seconds = state.seconds
    return KR_NO_MEMORY if proving.work.error == PROOF_NO_MEMORY else KR_OK


cdef public int kr_certify(kr_proof* proof, int claim, kr_certificate* certificate) noexcept nogil:
    cdef Proving* proving = <Proving*>proof
    cdef Certified* certified = &proving.certified
    cdef ProofTree* tree
    memset(certificate, 0, sizeof(kr_certificate))
    if not 0 <= claim < proving.prover.count or proving.prover.questions[claim].holds != 1:
        return KR_BAD_VALUE
    tree = &proving.prover.questions[claim].tree
    free_certified(certified)
    memset(certified, 0, sizeof(Certified))
    if not begin_strategy(tree):
        return KR_NO_MEMORY
    if not certify_strategy(&tree.claim, &tree.strategy, proving.work.db, certified):
        return KR_NO_MEMORY if certified.fault == FAULT_NO_MEMORY else KR_DAMAGED
    certificate.count = certified.count
    certificate.boards = certified.boards
    certificate.moves = certified.moves
    certificate.ranks = certified.ranks
    return KR_OK


cdef public void kr_close_proof(kr_proof* proof) noexcept nogil:
    cdef Proving* proving = <Proving*>proof
    if proving != NULL:
        free_certified(&proving.certified)
        free_prover(&proving.prover)
        free(proving.resists)
        free(proving)
