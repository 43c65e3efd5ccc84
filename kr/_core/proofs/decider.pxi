# Claims decided one after another, by the rules, the database or a certificate, with one engine.
#
# `kr prove` asks one question with all workers; here many small ones share an engine and what has been proved. A claim
# and its opposite (the other side does not lose, or wins) are proved side by side. Neither counts as proved before its
# strategy has passed as a certificate: closed, every line to its end, and no value of the database against it.

cdef enum:
    FIRST_NODES = 20000      # that each claim gets in the first round; in each further one twice as many
    # bytes of a case, of a position of its trees, of a proved move that a tree knows, and of one that all share: measured
    # with 400,000 moves and 60,000 positions, and with the room that they grow into
    CASE_BYTES = 4000
    TREE_NODE_BYTES = 180
    LEARNT_BYTES = 50
    PROVED_BYTES = 50

cpdef enum:
    # what proves an answer
    BY_NOTHING = 0
    BY_RULES = 1
    BY_DATABASE = 2
    BY_CERTIFICATE = 3

cdef struct Decision:
    int holds                # 1, 0, or OPEN
    int by
    int32_t positions        # of the certificate

cdef struct ProofCase:
    # A claim and its opposite.
    ProofQuestion questions[2]
    int32_t learnt[2]        # moves of those proved that its trees have taken,
    int32_t shared[2]        # and moves of its trees that all have
    int64_t counted          # bytes of it that are held
    bint refused             # a strategy of it did not pass

cdef struct DecidedClaim:
    Claim claim
    Decision decision
    ProofCase* own           # NULL for none; a claim and its opposite have the same,
    bint frees               # and one of them frees it

# True ends the work before all claims are decided.
ctypedef bint (*Enough)(void* context) noexcept nogil

# Called with a claim whose strategy did not pass, and the fault; False if that ends all work.
ctypedef bint (*TellRefused)(void* owner, const Claim* claim, const Certified* certified) noexcept nogil

cdef struct ClaimDecider:
    ProofWork work
    TellRefused tell_refused # NULL for none
    Strategy proved[2][2]    # by side, and whether it wins
    DecidedClaim* claims
    int32_t count
    int32_t room
    int32_t* slots           # by hash: 1 + number; 0 for none
    int32_t slot_count


cdef ClaimDecider* open_decider(const ProofWork* work) noexcept nogil:
    """A decider with this work, which it copies; NULL without memory."""
    cdef ClaimDecider* decider = <ClaimDecider*>calloc(1, sizeof(ClaimDecider))
    if decider != NULL:
        decider.work = work[0]
    return decider


cdef void free_case(ProofCase* own) noexcept nogil:
    cdef int k
    for k in range(2):
        free_tree(&own.questions[k].tree)
    free(own)


cdef void close_decider(ClaimDecider* decider) noexcept nogil:
    cdef int32_t i
    cdef int k
    if decider == NULL:
        return
    for i in range(decider.count):
        if decider.claims[i].frees:
            free_case(decider.claims[i].own)
    for k in range(4):
        free_strategy(&decider.proved[k >> 1][k & 1])
    free(decider.claims)
    free(decider.slots)
    free(decider)


cdef inline void hold(ClaimDecider* decider, int64_t size) noexcept nogil:
    """Count bytes that are held elsewhere for the same work."""
    decider.work.held += size


cdef inline Strategy* proved_for(ClaimDecider* decider, const Claim* claim) noexcept nogil:
    return &decider.proved[claim.side][claim.goal == VALUE_WIN]


# ---- claims that were asked for ----

cdef inline int32_t* claim_slot(const ClaimDecider* decider, const Claim* claim) noexcept nogil:
    """The slot of a claim, or the empty one where it belongs."""
    cdef u64 i = claim.root.key ^ <u64>(2 * claim.side + (claim.goal == VALUE_WIN))
    while True:
        i &= <u64>decider.slot_count - 1
        if decider.slots[i] == 0 or same_claim(&decider.claims[decider.slots[i] - 1].claim, claim):
            return &decider.slots[i]
        i += 1


cdef DecidedClaim* decided_claim(ClaimDecider* decider, const Claim* claim, bint wanted) noexcept nogil:
    """What is known of a claim; NULL if it is new and not wanted, or without memory."""
    cdef DecidedClaim* decided
    cdef int32_t i = claim_slot(decider, claim)[0] - 1 if decider.slot_count else -1
    if i >= 0:
        return &decider.claims[i]
    if not wanted or lacks_memory(&decider.work, room_for(
            <void**>&decider.claims, &decider.room, decider.count + 1, sizeof(DecidedClaim))):
        return NULL
    if 2 * (decider.count + 1) > decider.slot_count:
        if lacks_memory(&decider.work, empty_slots(&decider.slots, &decider.slot_count)):
            return NULL
        for i in range(decider.count):
            claim_slot(decider, &decider.claims[i].claim)[0] = i + 1
    decided = &decider.claims[decider.count]
    memset(decided, 0, sizeof(DecidedClaim))
    decided.claim = claim[0]
    decided.decision.holds = OPEN
    claim_slot(decider, claim)[0] = decider.count + 1
    decider.count += 1
    return decided


cdef Decision decision_of(ClaimDecider* decider, const Claim* claim) noexcept nogil:
    """The decision of a claim without any search."""
    cdef DecidedClaim* decided = decided_claim(decider, claim, False)
    cdef Decision decision
    if decided != NULL and decided.decision.holds != OPEN:
        return decided.decision
    decision.positions = 0
    decision.holds = settled(claim, &claim.root, decider.work.db)
    decision.by = BY_NOTHING if decision.holds == OPEN else BY_RULES if is_ended(&claim.root) else BY_DATABASE
    return decision


cdef ProofCase* case_of(ClaimDecider* decider, const Claim* claim) noexcept nogil:
    """The case of a claim; NULL without memory."""
    cdef DecidedClaim* decided = decided_claim(decider, claim, True)
    cdef Claim other = opposite(claim)
    cdef ProofCase* own
    if decided == NULL or decided.own != NULL:
        return NULL if decided == NULL else decided.own
    own = <ProofCase*>calloc(1, sizeof(ProofCase))
    if lacks_memory(&decider.work, own != NULL):
        return NULL
    # both are begun, so that both can be freed; the other way round it is the same question
    if lacks_memory(&decider.work, open_question(&own.questions[0], claim, decider.work.db)
                    & open_question(&own.questions[1], &other, decider.work.db)
                    & (decided_claim(decider, &other, True) != NULL)):
        free_case(own)
        return NULL
    # what stands in the list may have moved
    decided = decided_claim(decider, claim, True)
    decided.own = own
    decided.frees = True
    decided_claim(decider, &other, True).own = own
    return own


# ---- the work on a claim ----

cdef inline ProofQuestion* proved_question(ProofCase* own) noexcept nogil:
    """The question that is answered by yes; NULL for none."""
    if tree_holds(&own.questions[0].tree) == 1:
        return &own.questions[0]
    return &own.questions[1] if tree_holds(&own.questions[1].tree) == 1 else NULL


cdef void count_case(ClaimDecider* decider, ProofCase* own) noexcept nogil:
    """Bring the memory that is held up to date with a case that may have grown."""
    cdef int64_t size = CASE_BYTES
    cdef int k
    for k in range(2):
        size += <int64_t>TREE_NODE_BYTES * own.questions[k].tree.count
        size += <int64_t>LEARNT_BYTES * own.questions[k].tree.strategy.count
    decider.work.held += size - own.counted
    own.counted = size


cdef bint search_question(ClaimDecider* decider, ProofQuestion* question, const ProofTask* task) noexcept nogil:
    """Search a leaf and enter its answer; False if it was stopped."""
    cdef ProofWork* work = &decider.work
    cdef Strategy* proved = proved_for(decider, &question.tree.claim)
    cdef Board board = task_board(question, task)[0]
    cdef LeafAnswer answer
    cdef u64 nodes = task.nodes
    cdef int32_t before = proved.count
    cdef bint answered
    if work.node_limit != NO_NODE_LIMIT:
        nodes = max(<u64>1, min(nodes, work.node_limit - work.nodes))
    answered = answer_leaf(work, &question.tree.claim, &board, nodes, proved, &answer)
    work.nodes += answer.nodes
    work.held += PROVED_BYTES * <int64_t>(proved.count - before)
    # moves proved before the stop stay proved, but the score of a search cut short is none
    if answered and not is_stopped(work):
        enter_answer(question, task, &answer, False)
        note(question)
    else:
        answered = False
    free_strategy(&answer.strategy)
    return answered and not lacks_memory(work, not question.tree.failed)


cdef bint search_case(ClaimDecider* decider, ProofCase* own) noexcept nogil:
    """Search one leaf of a case; False if there is none, or it was stopped."""
    cdef ProofTask task
    cdef bint searched
    cdef int i, k
    # first the question that is nearer to its proof, for what it has cost
    cdef int first = question_cost(&own.questions[1]) < question_cost(&own.questions[0])
    cdef bint is_asked[2]
    for k in range(2):
        is_asked[k] = tree_holds(&own.questions[k].tree) == OPEN
    for i in range(2):
        k = first ^ i
        if not is_asked[k]:
            continue
        if next_task(&own.questions[k], &task):
            if proved_question(own) != NULL:
                free(task.line)
                return True
            searched = search_question(decider, &own.questions[k], &task)
            free(task.line)
            return searched
        if lacks_memory(&decider.work, not own.questions[k].tree.failed):
            return False
        if proved_question(own) != NULL:
            return True
    return False


cdef void certify_case(ClaimDecider* decider, ProofCase* own, const ProofQuestion* question) noexcept nogil:
    """Enter what a question that holds decides, if its strategy passes as a certificate."""
    cdef Certified certified
    cdef DecidedClaim* decided
    cdef Claim other
    cdef int k
    if certify_strategy(&question.tree.claim, &question.tree.strategy, decider.work.db, &certified):
        for k in range(2):
            other = opposite(&question.tree.claim) if k else question.tree.claim
            decided = decided_claim(decider, &other, True)
            if decided != NULL:
                decided.decision.holds = 1 - k
                decided.decision.by = BY_CERTIFICATE
                decided.decision.positions = certified.count
    elif certified.fault == FAULT_NO_MEMORY:
        decider.work.error = PROOF_NO_MEMORY
    else:
        own.refused = True
        if decider.tell_refused != NULL and not decider.tell_refused(
                decider.work.owner, &question.tree.claim, &certified):
            decider.work.error = PROOF_FAILED
    free_certified(&certified)


cdef void take_proved(ClaimDecider* decider, ProofCase* own, int k) noexcept nogil:
    """Have a tree of a case learn what all share."""
    cdef ProofTree* tree = &own.questions[k].tree
    cdef Strategy* proved = proved_for(decider, &tree.claim)
    learn(tree, proved, own.learnt[k])
    own.learnt[k] = proved.count
    lacks_memory(&decider.work, not tree.failed)


cdef void give_proved(ClaimDecider* decider, ProofCase* own, int k) noexcept nogil:
    """Give all what a tree of a case has proved."""
    cdef ProofTree* tree = &own.questions[k].tree
    cdef Strategy* proved = proved_for(decider, &tree.claim)
    cdef int32_t before = proved.count
    lacks_memory(&decider.work, add_rows(proved, &tree.strategy, own.shared[k]))
    own.shared[k] = tree.strategy.count
    decider.work.held += PROVED_BYTES * <int64_t>(proved.count - before)


cdef bint advance(ClaimDecider* decider, const Claim* claim, u64 nodes) noexcept nogil:
    """Bring a claim forward by about so many nodes; False if nothing more can be done for it."""
    cdef ProofCase* own = case_of(decider, claim)
    cdef u64 end = decider.work.nodes + nodes
    cdef bint moved = False
    cdef int k
    if own == NULL or own.refused:
        return False
    for k in range(2):
        take_proved(decider, own, k)
    count_case(decider, own)
    while proved_question(own) == NULL and decider.work.nodes < end and not is_over(&decider.work):
        if not search_case(decider, own):
            break
        count_case(decider, own)
        moved = True
    for k in range(2):
        give_proved(decider, own, k)
    if decider.work.error == 0 and proved_question(own) != NULL:
        certify_case(decider, own, proved_question(own))
        moved = True
    return moved


cdef void decide(ClaimDecider* decider, const Claim* claims, int count, Enough enough, void* context) noexcept nogil:
    """Work on claims in turn, with more and more nodes, until all are decided or the limits are reached.

    enough: ends the work before that; NULL for none. `decision_of` has the answers.
    """
    cdef u64 nodes = FIRST_NODES
    cdef bint moved = True
    cdef bint any_open = True
    cdef int i
    while moved and any_open:
        moved = any_open = False
        for i in range(count):
            if decision_of(decider, &claims[i]).holds != OPEN:
                continue
            any_open = True
            if is_over(&decider.work) or enough != NULL and enough(context):
                return
            moved |= advance(decider, &claims[i], nodes)
        nodes *= 2


cdef Move proving_move(ClaimDecider* decider, const Claim* claim) noexcept nogil:
    """A move of the claim's side at the root that proves the claim, if it is true and one is at hand; 0 for none."""
    cdef MoveList moves
    cdef Board after
    cdef Claim later
    cdef const Strategy* proved = proved_for(decider, claim)
    cdef Move own = 0
    cdef int32_t row
    cdef int i
    if claim.root.side != claim.side:
        return 0
    row = strategy_row(proved, &claim.root)
    if row >= 0:
        own = proved.rows[row].move
    generate(&claim.root, &moves)
    for i in range(moves.size):
        after = played(&claim.root, moves.moves[i])
        later = claim_of(&after, claim.side, claim.goal)
        if moves.moves[i] == own or decision_of(decider, &later).holds == 1:
            return moves.moves[i]
    return 0


cdef bint certify_claim(ClaimDecider* decider, const Claim* claim, Certified* certified) noexcept nogil:
    """The certificate of a claim that is known to be true, as certify_strategy makes it."""
    cdef DecidedClaim* decided = decided_claim(decider, claim, False)
    cdef Strategy at_root
    cdef Move move
    cdef int k
    cdef bint made
    if decided != NULL and decided.own != NULL:
        k = not same_claim(&decided.own.questions[0].tree.claim, claim)
        return certify_strategy(claim, &decided.own.questions[k].tree.strategy, decider.work.db, certified)
    memset(&at_root, 0, sizeof(Strategy))
    move = proving_move(decider, claim)
    made = move == 0 or add_move(&at_root, &claim.root, move)
    if not made:
        memset(certified, 0, sizeof(Certified))
        certified.fault = FAULT_NO_MEMORY
    else:
        made = certify_strategy(claim, &at_root, decider.work.db, certified)
    free_strategy(&at_root)
    return made
