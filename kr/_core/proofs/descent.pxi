# The way down a tree of proofs to the leaf that is searched next.

cdef enum:
    MOST_DESCENTS = 200      # in search of a leaf, each after numbers or nodes have changed


cdef inline bint is_leaf(const ProofNode* node) noexcept nogil:
    return node.children == UNEXPANDED and node.choosing and (node.level < LEAF_LEVELS or node.busy)


cdef int32_t most_telling(const ProofTree* tree, const ProofNode* node) noexcept nogil:
    """The edge to the child to go on with; -1 if none is open that has not the stamp, which those on the line have."""
    cdef const ProofNode* child
    cdef double least = INFINITY
    cdef double number
    cdef int32_t best = -1
    cdef int32_t i
    for i in range(node.first_edge, node.first_edge + max(node.children, 0)):
        child = &tree.nodes[tree.edges[i].child]
        if not is_open(child) or child.mark == tree.stamp:
            continue
        number = child.proof if node.choosing else child.disproof
        if number < least:
            best = i
            least = number
    return best


cdef bint opened(ProofTree* tree, int32_t i) noexcept nogil:
    """Give the last node of the line its children unless it has them; False if that settles it, or fails."""
    if tree.nodes[i].children == UNEXPANDED:
        expand_node(tree, i)
        if tree.failed:
            return False
        if not is_open(&tree.nodes[i]):
            update(tree, tree.line.items, tree.line.count)
            return False
    return True


cdef bint find_leaf(ProofTree* tree, bint* again) noexcept nogil:
    """For a win: find the line to the next leaf. Without one, say whether another descent may find one."""
    cdef int32_t i = 0
    cdef int32_t edge
    cdef double before
    again[0] = False
    tree.stamp += 1
    tree.line.count = 0
    while keep(tree, &tree.line, i):
        tree.nodes[i].mark = tree.stamp
        if is_leaf(&tree.nodes[i]):
            return not tree.nodes[i].busy
        if not opened(tree, i):
            again[0] = True
            return False
        edge = most_telling(tree, &tree.nodes[i])
        if edge < 0:
            before = tree.nodes[0].proof
            update(tree, tree.line.items, tree.line.count)
            again[0] = tree.nodes[0].proof != before
            return False
        i = tree.edges[edge].child
    return False


cdef bint branch_out(ProofTree* tree, const ProofNode* node) noexcept nogil:
    """Note the children of a node that a descent for a draw has to look at, the first one last; False if it fails."""
    cdef const ProofNode* child
    cdef int32_t start = tree.branches.count
    cdef int32_t best = -1
    cdef int32_t i, j
    if not keep(tree, &tree.starts, start):
        return False
    for i in range(node.first_edge, node.first_edge + node.children):
        child = &tree.nodes[tree.edges[i].child]
        if child.disproof == 0:
            continue
        if node.choosing:
            # its best move alone
            if best < 0 or child.proof < tree.nodes[best].proof:
                best = tree.edges[i].child
            continue
        if not keep(tree, &tree.branches, tree.edges[i].child):
            return False
        # sorted by falling disproof numbers, equal ones as they come
        j = tree.branches.count - 1
        while j > start and tree.nodes[tree.branches.items[j - 1]].disproof < child.disproof:
            tree.branches.items[j] = tree.branches.items[j - 1]
            j -= 1
        tree.branches.items[j] = tree.edges[i].child
    return best < 0 or keep(tree, &tree.branches, best)


cdef void prove_closed(ProofTree* tree) noexcept nogil:
    """All lines from the root stay among the nodes seen, or end in proved ones: a draw at least."""
    cdef const ProofNode* child
    cdef ProofNode* node
    cdef int32_t best
    cdef int32_t i, j
    for i in range(tree.seen.count):
        node = &tree.nodes[tree.seen.items[i]]
        best = -1
        if node.choosing:
            for j in range(node.first_edge, node.first_edge + max(node.children, 0)):
                child = &tree.nodes[tree.edges[j].child]
                if child.disproof != 0 and (best < 0 or child.proof < tree.nodes[tree.edges[best].child].proof):
                    best = j
        if best >= 0:
            keep_move(tree, node, tree.edges[best].move)
    for i in range(tree.seen.count):
        set_proved(&tree.nodes[tree.seen.items[i]])


cdef bint find_open(ProofTree* tree, bint* again) noexcept nogil:
    """For a draw: find the line to the first open leaf behind the best moves. Without one, the claim holds, or a leaf
    is under way, or another descent may find one."""
    cdef ProofNode* node
    cdef int32_t i
    cdef bint busy = False
    again[0] = False
    tree.stamp += 1
    tree.line.count = tree.seen.count = tree.branches.count = tree.starts.count = 0
    if not (keep(tree, &tree.starts, 0) and keep(tree, &tree.branches, 0)):
        return False
    while tree.starts.count:
        if tree.branches.count == tree.starts.items[tree.starts.count - 1]:
            tree.starts.count -= 1
            if tree.line.count:
                tree.line.count -= 1
            continue
        tree.branches.count -= 1
        i = tree.branches.items[tree.branches.count]
        node = &tree.nodes[i]
        if node.proof == 0 or node.mark == tree.stamp:
            continue
        node.mark = tree.stamp
        if not (keep(tree, &tree.seen, i) and keep(tree, &tree.line, i)):
            return False
        if is_leaf(node):
            if not node.busy:
                return True
            busy = True
            tree.line.count -= 1
            continue
        if not opened(tree, i):
            again[0] = True
            return False
        if not branch_out(tree, &tree.nodes[i]):
            return False
    if not busy:
        prove_closed(tree)
    return False


cdef bint next_leaf(ProofTree* tree) noexcept nogil:
    """Set tree.line to the line from the root to the leaf that is searched next; False if there is none now.

    Nodes on the way are expanded as needed; the leaf is busy until it has its answer.
    """
    cdef ProofNode* leaf
    cdef bint again
    cdef int i
    for i in range(MOST_DESCENTS):
        if tree.failed or tree_holds(tree) != OPEN:
            return False
        if find_leaf(tree, &again) if tree.claim.goal == VALUE_WIN else find_open(tree, &again):
            leaf = &tree.nodes[tree.line.items[tree.line.count - 1]]
            leaf.busy = True
            leaf.proof *= BUSY_FACTOR
            leaf.disproof *= BUSY_FACTOR
            update(tree, tree.line.items, tree.line.count)
            return True
        if not again:
            return False
    return False


cdef int resisting_line(ProofTree* tree, Move* moves, int room) noexcept nogil:
    """Moves of the line that the claim has most trouble with, as far as the tree goes; their number."""
    cdef int32_t i = 0
    cdef int32_t edge
    cdef int length = 0
    tree.stamp += 1
    while length < room:
        tree.nodes[i].mark = tree.stamp
        edge = most_telling(tree, &tree.nodes[i])
        if edge < 0:
            break
        moves[length] = tree.edges[edge].move
        length += 1
        i = tree.edges[edge].child
    return length
