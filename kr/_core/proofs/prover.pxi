# The value of a position, or as much of it as is asked for: the claims that make it, and which one gets the next search.

cdef enum:
    MOST_CLAIMS = 4

cpdef enum:
    # what is to be proved, for the side to move
    PROVE_VALUE = 0
    PROVE_WIN = 1
    PROVE_DRAW = 2
    PROVE_LOSS = 3

cdef struct Prover:
    Board root
    int goal
    int count
    ProofQuestion questions[MOST_CLAIMS]
    Strategy proofs[MOST_CLAIMS]     # moves that the searches of each claim have proved

cdef struct ProvedBounds:
    # Values for the side to move that are not excluded.
    int least
    int most
    bint answered            # the question of the goal is answered


cdef int claims_for(const Board* root, int goal, Claim* claims) noexcept nogil:
    """The claims one of which answers a goal, or, for a value or a draw, two; their number."""
    cdef int count = 0
    if goal != PROVE_LOSS:
        claims[0] = claim_of(root, root.side, VALUE_WIN)
        claims[1] = opposite(&claims[0])
        count = 2
    if goal != PROVE_WIN:
        claims[count] = claim_of(root, 1 - root.side, VALUE_WIN)
        claims[count + 1] = opposite(&claims[count])
        count += 2
    return count


cdef bint open_prover(Prover* prover, const Board* root, int goal, const Egdb* db) noexcept nogil:
    """Begin a proof; False without memory. It is freed in any case."""
    cdef Claim claims[MOST_CLAIMS]
    cdef bint opened_all = True
    cdef int i
    memset(prover, 0, sizeof(Prover))
    prover.root = root[0]
    prover.goal = goal
    prover.count = claims_for(root, goal, claims)
    for i in range(prover.count):
        opened_all &= open_question(&prover.questions[i], &claims[i], db)
    if opened_all:
        for i in range(prover.count):
            note(&prover.questions[i])
    return opened_all


cdef void free_prover(Prover* prover) noexcept nogil:
    cdef int i
    for i in range(MOST_CLAIMS):
        free_tree(&prover.questions[i].tree)
        free_strategy(&prover.proofs[i])


cdef inline int as_value(const Claim* claim) noexcept nogil:
    """The bound that a claim sets to the value for the side to move."""
    return claim.goal if claim.side == claim.root.side else VALUE_WIN - claim.goal


cdef ProvedBounds bounds_of(int goal, const Claim* claims, const int* holds, int count) noexcept nogil:
    """What claims say of the value, and whether that answers a goal; holds: of each 1 if it is proved."""
    cdef ProvedBounds bounds
    cdef int i
    bounds.least = VALUE_LOSS
    bounds.most = VALUE_WIN
    for i in range(count):
        if holds[i] == 1 and claims[i].side == claims[i].root.side:
            bounds.least = max(bounds.least, as_value(&claims[i]))
        elif holds[i] == 1:
            bounds.most = min(bounds.most, as_value(&claims[i]))
    if goal == PROVE_WIN:
        bounds.answered = bounds.least == VALUE_WIN or bounds.most != VALUE_WIN
    elif goal == PROVE_LOSS:
        bounds.answered = bounds.most == VALUE_LOSS or bounds.least != VALUE_LOSS
    else:
        bounds.answered = bounds.least == bounds.most or goal == PROVE_DRAW and (
            bounds.least == VALUE_WIN or bounds.most == VALUE_LOSS)
    return bounds


cdef ProvedBounds proved_bounds(const Prover* prover) noexcept nogil:
    cdef Claim claims[MOST_CLAIMS]
    cdef int holds[MOST_CLAIMS]
    cdef int i
    for i in range(prover.count):
        claims[i] = prover.questions[i].tree.claim
        holds[i] = prover.questions[i].holds
    return bounds_of(prover.goal, claims, holds, prover.count)


cdef bint tells_something(const Prover* prover, const ProofQuestion* question) noexcept nogil:
    """True if a question is open and its answer would tell something new."""
    cdef ProvedBounds bounds = proved_bounds(prover)
    cdef int bound = as_value(&question.tree.claim)
    if tree_holds(&question.tree) != OPEN:
        return False
    if question.tree.claim.side == prover.root.side:
        return bounds.least < bound <= bounds.most
    return bounds.least <= bound < bounds.most


cdef int next_of_all(Prover* prover, ProofTask* task) noexcept nogil:
    """Set the next search: for the claim that is nearest to its proof, for what it has cost. Its number; -1 for none now.

    The caller frees the task's line. `tree.failed` of a question tells of a lack of memory.
    """
    cdef bint is_asked[MOST_CLAIMS]
    cdef int best = 0
    cdef int i
    cdef bint anew = True
    while True:
        if anew:
            for i in range(prover.count):
                is_asked[i] = tells_something(prover, &prover.questions[i])
            anew = False
        best = -1
        for i in range(prover.count):
            if is_asked[i] and (best < 0 or question_cost(&prover.questions[i])
                                < question_cost(&prover.questions[best])):
                best = i
        if best < 0 or next_task(&prover.questions[best], task) or prover.questions[best].tree.failed:
            return best
        is_asked[best] = False
        if tree_holds(&prover.questions[best].tree) != OPEN:
            # on the way to a leaf: the others may tell nothing new any more
            note(&prover.questions[best])
            anew = True


cdef u64 proving_nodes(const Prover* prover) noexcept nogil:
    """Nodes of all searches so far."""
    cdef u64 nodes = 0
    cdef int i
    for i in range(prover.count):
        nodes += prover.questions[i].nodes
    return nodes


cdef bint begin_strategy(ProofTree* tree) noexcept nogil:
    """Give a root of which the database has the value its move; False without memory."""
    cdef Board* root = &tree.claim.root
    cdef MoveList moves
    cdef Board after
    cdef int i
    if root.side != tree.claim.side or knows_move(&tree.strategy, root):
        return True
    generate(root, &moves)
    for i in range(moves.size):
        after = played(root, moves.moves[i])
        if settled(&tree.claim, &after, tree.db) == 1:
            return add_move(&tree.strategy, root, moves.moves[i])
    return True


cdef void leave_task(ProofQuestion* question, const ProofTask* task) noexcept nogil:
    """Have a task whose search was cut short done again."""
    cdef ProofNode* leaf = &question.tree.nodes[task.line[task.length - 1]]
    if task.of_root:
        question.root_busy = False
        return
    leaf.busy = False
    if is_open(leaf):
        leaf.proof /= BUSY_FACTOR
        leaf.disproof /= BUSY_FACTOR
    update(&question.tree, task.line, task.length)


cdef bint prove_on(Prover* prover, ProofWork* work) noexcept nogil:
    """Do the next search; False if there is none, or it was stopped. work.nodes: all of this proof."""
    cdef ProofTask task
    cdef LeafAnswer answer
    cdef ProofQuestion* question
    cdef Board board
    cdef bint cut
    cdef int number
    if is_over(work) or proved_bounds(prover).answered:
        return False
    number = next_of_all(prover, &task)
    if number < 0:
        return False
    question = &prover.questions[number]
    if lacks_memory(work, not question.tree.failed):
        free(task.line)
        return False
    board = task_board(question, &task)[0]
    task.nodes = min(task.nodes, work.node_limit - work.nodes)
    answer_leaf(work, &question.tree.claim, &board, task.nodes, &prover.proofs[number], &answer)
    cut = is_stopped(work)
    work.nodes += answer.nodes
    enter_answer(question, &task, &answer, cut)
    if cut and not question.tree.failed:
        leave_task(question, &task)
    note(question)
    free_strategy(&answer.strategy)
    free(task.line)
    return not lacks_memory(work, not question.tree.failed) and not cut
