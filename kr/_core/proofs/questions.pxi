# Questions: a claim with its tree, and which search brings it forward.
#
# Half of the nodes go to searches of the root, each twice as deep as all before, for the engine alone finds most wins;
# the others go to the leaves of the tree.

cdef enum:
    FIRST_ROOT_NODES = 100000    # of the first search of the root
    FIRST_REPLY = 20             # factor of the nodes for the replies at the root
    LEAF_NODES = 4000            # of the first search of a leaf,
    LATER_LEAF_NODES = 50000     # and of the later ones

cdef struct ProofQuestion:
    ProofTree tree
    u64 nodes                # of its searches
    int64_t searches
    u64 root_nodes           # of those of the root
    u64 next_root_nodes
    bint root_busy
    # what was noted last
    int holds
    double proof
    double disproof

cdef struct ProofTask:
    # A search that brings a question forward. The line is its own.
    int32_t* line            # nodes from the root to the leaf
    int32_t length
    u64 nodes
    bint of_root


cdef bint open_question(ProofQuestion* question, const Claim* claim, const Egdb* db) noexcept nogil:
    """Begin a question; False without memory. It is freed by free_tree in any case."""
    memset(question, 0, sizeof(ProofQuestion))
    question.next_root_nodes = FIRST_ROOT_NODES
    question.holds = OPEN
    question.proof = question.disproof = 1
    return open_tree(&question.tree, claim, db)


cdef void note(ProofQuestion* question) noexcept nogil:
    """Bring what is noted up to date."""
    question.holds = tree_holds(&question.tree)
    question.proof = question.tree.nodes[0].proof
    question.disproof = question.tree.nodes[0].disproof


cdef inline double question_cost(const ProofQuestion* question) noexcept nogil:
    """What is further from its proof gets fewer nodes."""
    return <double>(question.nodes + FIRST_ROOT_NODES) * pow(max(question.proof, 0.1), 0.5)


cdef bint copy_line(ProofTree* tree, ProofTask* task) noexcept nogil:
    """Give a task the line of the tree; False without memory."""
    task.length = tree.line.count
    task.line = <int32_t*>malloc(task.length * sizeof(int32_t))
    if task.line == NULL:
        tree.failed = True
        return False
    memcpy(task.line, tree.line.items, task.length * sizeof(int32_t))
    return True


cdef bint next_task(ProofQuestion* question, ProofTask* task) noexcept nogil:
    """Set the search that brings a question forward; False if there is none before others have ended, or for lack of
    memory. The caller frees its line."""
    cdef ProofTree* tree = &question.tree
    cdef bint choosing = tree.nodes[0].choosing
    cdef int32_t level
    memset(task, 0, sizeof(ProofTask))
    if not question.root_busy and 2 * question.root_nodes <= question.nodes and choosing:
        question.root_busy = True
        task.of_root = True
        task.nodes = question.next_root_nodes
        tree.line.count = 0
        if not keep(tree, &tree.line, 0):
            return False
    elif next_leaf(tree):
        level = tree.nodes[tree.line.items[tree.line.count - 1]].level
        task.nodes = LEAF_NODES if level == 0 else LATER_LEAF_NODES
        # the root's replies take the place of the root where the opponent is to move
        if tree.line.count == 2 and not choosing:
            task.nodes *= FIRST_REPLY
    else:
        return False
    return copy_line(tree, task)


cdef inline const Board* task_board(const ProofQuestion* question, const ProofTask* task) noexcept nogil:
    """The position that a task searches."""
    return &question.tree.nodes[task.line[task.length - 1]].board


cdef void enter_answer(ProofQuestion* question, const ProofTask* task, const LeafAnswer* answer,
                       bint cut) noexcept nogil:
    """Take the answer to a task; cut: a stop cut its search short, so that only what it has proved counts."""
    cdef ProofTree* tree = &question.tree
    question.nodes += answer.nodes
    question.searches += 1
    learn(tree, &answer.strategy, 0)
    if cut or tree.failed:
        return
    if task.of_root:
        question.root_busy = False
        question.root_nodes += answer.nodes
        question.next_root_nodes = max(question.next_root_nodes, 2 * question.root_nodes)
        if tree.nodes[0].level or tree.nodes[0].busy:
            return
    take_score(tree, task.line, task.length, answer.score, answer.move)
    # what has been learnt may have settled nodes on the way
    update(tree, task.line, task.length)
