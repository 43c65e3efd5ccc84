# The tree above the leaves of a proof: which leaf is searched next, and what has been proved so far.
#
# Proof numbers (Allis, van der Meulen and van den Herik 1994) say how much is left to prove or to disprove below a node.
# A leaf's come from the score of its search. From the root, the claim's side chooses the child that is nearest to a
# proof, its opponent the reply that is nearest to a disproof; the leaf where this ends is the next one.
#
# Positions that arise in several ways have one node, so that lines may come back to a node. Numbers are brought up to
# date along the line that was taken only. What is proved rests on what was proved before: so a win never rests on
# itself. A side that is content with a draw may come back: its claim holds where no line from the root ends in an open
# leaf.

from libc.math cimport INFINITY, pow

cdef enum:
    HALVING = 50             # centi-men by which a score halves the proof number
    DRAW_SHIFT = 80          # centi-men that a side that is content with a draw is better by
    LARGEST_NUMBER = 1000000
    OTHER_MOVES = 4          # factor of the proof number of a move that the search did not choose
    LOOPED = 10000           # proof number of a win that leads back to a position of its own line
    BUSY_FACTOR = 8          # of the numbers of a leaf under way, so that others are searched beside it
    LEAF_LEVELS = 2          # searches of a leaf, each with more nodes, before its moves are looked at
    UNEXPANDED = -1

cdef struct ProofNode:
    Board board
    double proof             # what is left to prove: 0 once proved, infinite once it can't be
    double disproof
    Move best                # of the last search; 0 for none
    int32_t children         # UNEXPANDED, or their number,
    int32_t first_edge       # and the first of the edges to them, which stand in a row
    int32_t first_parent     # edges to it, as a list; -1 for none
    int32_t last_parent
    int32_t mark             # stamp of the descent, or of the count, that it is on
    int32_t level            # searches of this leaf so far
    bint choosing            # the claim's side is to move
    bint busy

cdef struct ProofEdge:
    Move move
    int32_t parent
    int32_t child
    int32_t next_parent      # the next edge to this child; -1 for none

cdef struct NodeList:
    # Numbers of nodes, and of places in such a list.
    int32_t* items
    int32_t count
    int32_t room

cdef struct ProofTree:
    Claim claim
    const Egdb* db
    Strategy strategy        # everything proved so far, closed: each move leads to positions with a move, or to the end
    ProofNode* nodes         # the root first
    int32_t count
    int32_t room
    ProofEdge* edges
    int32_t edge_count
    int32_t edge_room
    int32_t* slots           # by hash: 1 + node; 0 for none
    int32_t slot_count
    int32_t stamp
    NodeList line              # of the last descent, from the root
    NodeList seen              # nodes that a descent for a draw has met
    NodeList branches          # children that it has still to look at, those of the last node last,
    NodeList starts            # and where those of each node begin
    NodeList waiting           # nodes to settle
    bint failed              # for lack of memory: it is of no use any more


cdef double smallest_number() noexcept nogil:
    return 0.02


cdef void leaf_numbers(const Claim* claim, int score, double* proof, double* disproof) noexcept nogil:
    """Proof and disproof number of an open leaf with this score for the claim's side."""
    # a search that says that the claim is true, though it gave no whole strategy
    if score > SCORE_STATIC_MAX:
        proof[0] = 0.01
        disproof[0] = LARGEST_NUMBER
        return
    if score < -SCORE_STATIC_MAX:
        proof[0] = LARGEST_NUMBER
        disproof[0] = smallest_number()
        return
    if claim.goal == VALUE_DRAW:
        score += DRAW_SHIFT
    score = max(-1000, min(1000, score))
    proof[0] = min(<double>LARGEST_NUMBER, max(smallest_number(), pow(2, -score / <double>HALVING)))
    disproof[0] = min(<double>LARGEST_NUMBER, max(smallest_number(), 1 / proof[0]))


cdef bint append_node(NodeList* line, int32_t item) noexcept nogil:
    if not room_for(<void**>&line.items, &line.room, line.count + 1, sizeof(int32_t)):
        return False
    line.items[line.count] = item
    line.count += 1
    return True


cdef inline bint keep(ProofTree* tree, NodeList* line, int32_t item) noexcept nogil:
    """Append to a list of the tree; False once it has failed."""
    if not append_node(line, item):
        tree.failed = True
    return not tree.failed


cdef inline bint is_open(const ProofNode* node) noexcept nogil:
    return node.proof != 0 and node.disproof != 0


cdef inline void set_proved(ProofNode* node) noexcept nogil:
    node.proof = 0
    node.disproof = INFINITY


cdef inline int tree_holds(const ProofTree* tree) noexcept nogil:
    """1 if the claim is proved, 0 if it is disproved; OPEN."""
    return 1 if tree.nodes[0].proof == 0 else 0 if tree.nodes[0].disproof == 0 else OPEN


cdef inline int32_t* node_slot(const ProofTree* tree, const Board* board) noexcept nogil:
    """The slot of a position, or the empty one where it belongs."""
    cdef u64 i = board.key
    while True:
        i &= <u64>tree.slot_count - 1
        if tree.slots[i] == 0 or same_board(&tree.nodes[tree.slots[i] - 1].board, board):
            return &tree.slots[i]
        i += 1


cdef int32_t node_of(const ProofTree* tree, const Board* board) noexcept nogil:
    """The node of a position; -1 if it has none."""
    return node_slot(tree, board)[0] - 1 if tree.slot_count else -1


cdef int32_t made_node(ProofTree* tree, const Board* board, double proof, double disproof) noexcept nogil:
    """The node of a position, new ones with these numbers; -1 without memory."""
    cdef int32_t i = node_of(tree, board)
    cdef ProofNode* node
    cdef int verdict
    if i >= 0:
        return i
    if not room_for(<void**>&tree.nodes, &tree.room, tree.count + 1, sizeof(ProofNode)):
        tree.failed = True
        return -1
    if 2 * (tree.count + 1) > tree.slot_count:
        if not empty_slots(&tree.slots, &tree.slot_count):
            tree.failed = True
            return -1
        for i in range(tree.count):
            node_slot(tree, &tree.nodes[i].board)[0] = i + 1
    node = &tree.nodes[tree.count]
    memset(node, 0, sizeof(ProofNode))
    node.board = board[0]
    node.choosing = board.side == tree.claim.side
    node.children = UNEXPANDED
    node.first_parent = node.last_parent = -1
    node.proof = proof
    node.disproof = disproof
    verdict = settled(&tree.claim, board, tree.db)
    if verdict == OPEN and node.choosing and knows_move(&tree.strategy, board):
        verdict = 1
    if verdict == 1:
        set_proved(node)
    elif verdict == 0:
        node.proof = INFINITY
        node.disproof = 0
    node_slot(tree, board)[0] = tree.count + 1
    tree.count += 1
    return tree.count - 1


cdef bint open_tree(ProofTree* tree, const Claim* claim, const Egdb* db) noexcept nogil:
    """Begin a tree; False without memory. It is freed in any case."""
    memset(tree, 0, sizeof(ProofTree))
    tree.claim = claim[0]
    tree.db = db
    return made_node(tree, &claim.root, 1, 1) == 0


cdef void free_tree(ProofTree* tree) noexcept nogil:
    free_strategy(&tree.strategy)
    free(tree.nodes)
    free(tree.edges)
    free(tree.slots)
    free(tree.line.items)
    free(tree.seen.items)
    free(tree.branches.items)
    free(tree.starts.items)
    free(tree.waiting.items)


# ---- numbers ----

cdef void count_numbers(const ProofTree* tree, ProofNode* node) noexcept nogil:
    """Numbers of an open node from those of its children; nodes with the stamp are its ancestors on the line taken."""
    cdef const ProofNode* child
    cdef double least_proof = INFINITY
    cdef double least_disproof = INFINITY
    cdef double proofs = 0
    cdef double disproofs = 0
    cdef double proof, disproof
    cdef bint wins = tree.claim.goal == VALUE_WIN
    cdef bint any_open = False
    cdef int32_t i
    for i in range(node.first_edge, node.first_edge + node.children):
        child = &tree.nodes[tree.edges[i].child]
        proof = child.proof
        disproof = child.disproof
        if child.mark == tree.stamp and is_open(child):
            # back where the line came from: no win by itself, but enough for a draw
            proof = LOOPED if wins else smallest_number()
            disproof = smallest_number() if wins else LOOPED
        if proof != INFINITY:
            any_open = True
            proofs += proof
            least_proof = min(least_proof, proof)
        if disproof != INFINITY:
            disproofs += disproof
        if disproof != 0:
            least_disproof = min(least_disproof, disproof)
    if not any_open:
        proofs = least_proof = LARGEST_NUMBER
    if node.choosing:
        node.proof = max(least_proof, 1e-9)
        node.disproof = max(min(disproofs, <double>LARGEST_NUMBER), 1e-9)
    else:
        node.proof = max(min(proofs, <double>LARGEST_NUMBER), 1e-9)
        node.disproof = max(least_disproof, 1e-9)


cdef void update(ProofTree* tree, const int32_t* line, int32_t length) noexcept nogil:
    """Bring the numbers along a line up to date, from its end."""
    cdef ProofNode* node
    cdef int32_t i
    tree.stamp += 1
    for i in range(length):
        tree.nodes[line[i]].mark = tree.stamp
    for i in range(length - 1, -1, -1):
        node = &tree.nodes[line[i]]
        node.mark = 0
        if node.children != UNEXPANDED and is_open(node):
            count_numbers(tree, node)


# ---- what is settled ----

cdef void keep_move(ProofTree* tree, const ProofNode* node, Move move) noexcept nogil:
    if not add_move(&tree.strategy, &node.board, move):
        tree.failed = True


cdef bint settle_node(ProofTree* tree, ProofNode* node) noexcept nogil:
    """Settle a node if its children do; returns True if so."""
    cdef const ProofNode* child
    cdef int32_t proved = 0
    cdef int32_t refuted = 0
    cdef Move proving = 0
    cdef int32_t i
    if node.children == UNEXPANDED or not is_open(node):
        return False
    for i in range(node.first_edge, node.first_edge + node.children):
        child = &tree.nodes[tree.edges[i].child]
        if child.proof == 0:
            if proved == 0:
                proving = tree.edges[i].move
            proved += 1
        if child.disproof == 0:
            refuted += 1
    if proved > 0 if node.choosing else proved == node.children:
        if node.choosing:
            keep_move(tree, node, proving)
        set_proved(node)
        return True
    if refuted == node.children if node.choosing else refuted > 0:
        node.proof = INFINITY
        node.disproof = 0
        return True
    return False


cdef void settle(ProofTree* tree, int32_t first) noexcept nogil:
    """Settle a node if its children do, and then its parents."""
    cdef ProofNode* node
    cdef int32_t edge
    cdef int32_t base = tree.waiting.count
    keep(tree, &tree.waiting, first)
    while tree.waiting.count > base and not tree.failed:
        tree.waiting.count -= 1
        node = &tree.nodes[tree.waiting.items[tree.waiting.count]]
        if settle_node(tree, node):
            edge = node.first_parent
            while edge >= 0:
                keep(tree, &tree.waiting, tree.edges[edge].parent)
                edge = tree.edges[edge].next_parent


cdef void expand_node(ProofTree* tree, int32_t parent) noexcept nogil:
    """Give a node its children."""
    cdef MoveList moves
    cdef ProofNode* node = &tree.nodes[parent]
    cdef ProofEdge* edge
    cdef Board board = node.board
    cdef Board after
    cdef double proof, disproof
    cdef int32_t child
    cdef int32_t first = tree.edge_count
    cdef int i
    cdef int32_t j
    generate(&board, &moves)
    if not room_for(<void**>&tree.edges, &tree.edge_room, first + moves.size, sizeof(ProofEdge)):
        tree.failed = True
        return
    for i in range(moves.size):
        node = &tree.nodes[parent]
        proof = node.proof
        disproof = node.disproof
        if node.choosing and moves.moves[i] != node.best:
            proof = min(<double>LARGEST_NUMBER, proof * OTHER_MOVES)
            disproof = max(smallest_number(), disproof / OTHER_MOVES)
        after = played(&board, moves.moves[i])
        child = made_node(tree, &after, proof, disproof)
        if child < 0:
            return
        j = first
        while j < tree.edge_count and tree.edges[j].child != child:
            j += 1
        if j < tree.edge_count:
            continue
        edge = &tree.edges[tree.edge_count]
        edge.move = moves.moves[i]
        edge.parent = parent
        edge.child = child
        edge.next_parent = -1
        if tree.nodes[child].last_parent < 0:
            tree.nodes[child].first_parent = tree.edge_count
        else:
            tree.edges[tree.nodes[child].last_parent].next_parent = tree.edge_count
        tree.nodes[child].last_parent = tree.edge_count
        tree.edge_count += 1
    node = &tree.nodes[parent]
    node.first_edge = first
    node.children = tree.edge_count - first
    settle(tree, parent)


# ---- answers ----

cdef void prove_node(ProofTree* tree, int32_t i) noexcept nogil:
    cdef int32_t edge = tree.nodes[i].first_parent
    set_proved(&tree.nodes[i])
    while edge >= 0:
        settle(tree, tree.edges[edge].parent)
        edge = tree.edges[edge].next_parent


cdef void learn(ProofTree* tree, const Strategy* strategy, int32_t first) noexcept nogil:
    """Take moves that are proved, from a row on, closed among themselves and those known already."""
    cdef const ProvedMove* row
    cdef Board board
    cdef int32_t before, i, node
    for i in range(first, strategy.count):
        row = &strategy.rows[i]
        before = tree.strategy.count
        if not add_row(&tree.strategy, row):
            tree.failed = True
        if tree.failed:
            return
        if tree.strategy.count == before:
            continue
        board = board_from_bits(row.black, row.white, row.kings, tree.claim.side)
        node = node_of(tree, &board)
        if node >= 0 and tree.nodes[node].proof != 0:
            prove_node(tree, node)


cdef void take_score(ProofTree* tree, const int32_t* line, int32_t length, int score, Move best) noexcept nogil:
    """Take the score and the move of the search of the leaf at the end of a line, 0 for none."""
    cdef ProofNode* leaf = &tree.nodes[line[length - 1]]
    leaf.busy = False
    leaf.level += 1
    if best:
        leaf.best = best
    if is_open(leaf):
        leaf_numbers(&tree.claim, score, &leaf.proof, &leaf.disproof)
