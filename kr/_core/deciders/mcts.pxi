# Monte Carlo tree search by UCT (Kocsis and Szepesvari 2006), and chance.
#
# A round goes down the tree by upper confidence bounds, adds a node, plays on at random, and counts the result in all
# nodes that it came by. Pure, play-outs continue to the end of the game; with an evaluation they are cut off after some
# plies and valued (early play-out termination, Lorentz 2016). The tree is made anew for each move.

from libc.math cimport INFINITY, logf, sqrtf

cdef enum:
    MOST_PLAYOUT_PLIES = 200    # a longer play-out is a draw
    MOST_TREE_PLIES = 200
    TREE_CHILDREN = 12          # nodes for each round, more than moves on average
    MOST_ROUNDS = 10000000

cdef struct TreeNode:
    Move move                   # into it
    int32_t first               # its first child; they stand in a row
    int32_t children            # 0: not expanded
    uint32_t visits
    float total                 # results of its rounds, 0 to 1, for the side that moved into it

cdef struct Mcts:
    u64 seed
    int rounds
    float exploration
    const Evaluation* evaluation         # NULL: play-outs to the end
    const ScoredEvolved* evolved         # instead, if it is a network
    float unit                           # of the scores of other evaluations: logit halves in a centi-man
    int playout_plies
    TreeNode* nodes
    int32_t room


cdef inline u64 decision_random(u64 seed, u64 salt, u64 key) noexcept nogil:
    """State of the random numbers of a decision."""
    cdef u64 state = seed
    state = splitmix64(&state) ^ salt
    state = splitmix64(&state) ^ key
    return splitmix64(&state)


cdef float playout_value(const Mcts* own, const Board* board) noexcept nogil:
    """Expected result for the side to move, 0 to 1, of a position in which a play-out is cut off."""
    if own.evolved != NULL:
        return (1 + tanhf(evolved_output(own.evolved, board))) / 2
    return (1 + tanhf(own.unit * evaluate(own.evaluation, board))) / 2


cdef float play_out(const Mcts* own, Board board, u64* random, u64* nodes) noexcept nogil:
    """Result for Black, 0 to 1, of random play from a position."""
    cdef int most = own.playout_plies if own.evaluation != NULL else MOST_PLAYOUT_PLIES
    cdef int reversible = 0
    cdef int ply = 0
    cdef MoveList moves
    cdef Move move
    cdef float value
    while True:
        generate(&board, &moves)
        if moves.size == 0:
            return 0 if board.side == BLACK else 1
        if ply >= most or reversible >= NO_PROGRESS_PLIES:
            break
        move = moves.moves[(splitmix64(random) >> 32) * <u64>moves.size >> 32]
        reversible = reversible + 1 if is_reversible(&board, move) else 0
        board = played(&board, move)
        ply += 1
        nodes[0] += 1
    if own.evaluation == NULL:
        return 0.5
    value = playout_value(own, &board)
    return value if board.side == BLACK else 1 - value


cdef int32_t best_child(const Mcts* own, const TreeNode* parent, u64* random) noexcept nogil:
    """The child with the highest upper bound; of those not visited, one at random."""
    cdef const TreeNode* child
    cdef float spread = own.exploration * own.exploration * logf(<float>parent.visits)
    cdef float bound
    cdef float highest = -INFINITY
    cdef int32_t best = parent.first
    cdef int unvisited = 0
    cdef int32_t i
    for i in range(parent.first, parent.first + parent.children):
        child = &own.nodes[i]
        if child.visits == 0:
            unvisited += 1
            if splitmix64(random) % <u64>unvisited == 0:
                best = i
        elif unvisited == 0:
            bound = child.total / child.visits + sqrtf(spread / child.visits)
            if bound > highest:
                highest = bound
                best = i
    return best


cdef bint expand(Mcts* own, int32_t node, const Board* board, int32_t* used) noexcept nogil:
    """Give a node its children; False if it has none, or there is no room left for them."""
    cdef MoveList moves
    cdef int i
    generate(board, &moves)
    if moves.size == 0 or used[0] + moves.size > own.room:
        return False
    own.nodes[node].first = used[0]
    own.nodes[node].children = moves.size
    for i in range(moves.size):
        memset(&own.nodes[used[0] + i], 0, sizeof(TreeNode))
        own.nodes[used[0] + i].move = moves.moves[i]
    used[0] += moves.size
    return True


cdef void play_round(Mcts* own, const Board* root, int32_t* used, u64* random, u64* nodes) noexcept nogil:
    cdef int32_t path[MOST_TREE_PLIES + 1]
    cdef Board board = root[0]
    cdef int32_t node = 0
    cdef int plies = 0
    cdef float result, own_result
    path[0] = 0
    while plies < MOST_TREE_PLIES:
        # a node gets its children with its second visit; the root has them
        if own.nodes[node].children == 0 and (own.nodes[node].visits == 0 or not expand(own, node, &board, used)):
            break
        node = best_child(own, &own.nodes[node], random)
        board = played(&board, own.nodes[node].move)
        plies += 1
        path[plies] = node
        nodes[0] += 1
    result = play_out(own, board, random, nodes)
    # the root's own numbers are those of the side that moved before it
    for plies in range(plies + 1):
        own_result = result if (plies & 1) == (root.side == BLACK) else 1 - result
        own.nodes[path[plies]].visits += 1
        own.nodes[path[plies]].total += own_result


cdef int choose_by_mcts(void* kind_state, const Board* board, const MoveList* moves, u64 salt, const int* stop,
                        double* score, u64* nodes) noexcept nogil:
    cdef Mcts* own = <Mcts*>kind_state
    cdef u64 random = decision_random(own.seed, salt, board.key)
    cdef const TreeNode* child
    cdef const TreeNode* best
    cdef int32_t used = 1
    cdef int choice = 0
    cdef int i
    memset(own.nodes, 0, sizeof(TreeNode))
    expand(own, 0, board, &used)
    nodes[0] = 0
    for i in range(own.rounds):
        if load_flag(stop):
            break
        play_round(own, board, &used, &random, nodes)
    best = &own.nodes[own.nodes[0].first]
    for i in range(1, own.nodes[0].children):
        child = &own.nodes[own.nodes[0].first + i]
        if child.visits > best.visits or child.visits == best.visits and child.total > best.total:
            best = child
            choice = i
    score[0] = 2 * <double>best.total / max(best.visits, 1) - 1
    return choice


cdef class MctsDecider(Decider):
    """Monte Carlo tree search with a number of rounds a move.

    evaluator: values play-outs that are cut off after `playout_plies`; None: they go to the end of the game. seed: of
    all random choices. exploration: weight of the bounds against results from 0 to 1. scale: centi-men in a logit, of
    evaluators that are not networks. Raises ValueError, MemoryError.
    """
    cdef Mcts mcts
    cdef Evaluator evaluator

    def __cinit__(self, int rounds, u64 seed=0, Evaluator evaluator=None, int playout_plies=0, float exploration=1.4,
                  float scale=58):
        if not 1 <= rounds <= MOST_ROUNDS:
            raise ValueError(f"{rounds} rounds; expected 1 to {MOST_ROUNDS}")
        if not 0 <= playout_plies <= MOST_PLAYOUT_PLIES:
            raise ValueError(f"play-outs of {playout_plies} plies; expected 0 to {MOST_PLAYOUT_PLIES}")
        self.evaluator = evaluator
        if evaluator is not None:
            self.mcts.evaluation = &evaluator.evaluation
            if isinstance(evaluator, EvolvedEvaluator):
                self.mcts.evolved = &(<EvolvedEvaluator>evaluator).scored
        self.mcts.seed = seed
        self.mcts.rounds = rounds
        self.mcts.exploration = exploration
        self.mcts.unit = 0.5 / scale
        self.mcts.playout_plies = playout_plies
        self.mcts.room = MAX_MOVES + TREE_CHILDREN * rounds
        self.mcts.nodes = <TreeNode*>malloc(self.mcts.room * sizeof(TreeNode))
        if self.mcts.nodes == NULL:
            raise MemoryError(f"no memory for a tree of {rounds} rounds")
        self.choose_move = choose_by_mcts
        self.own = &self.mcts

    def __dealloc__(self):
        free(self.mcts.nodes)


cdef int choose_by_chance(void* kind_state, const Board* board, const MoveList* moves, u64 salt, const int* stop,
                          double* score, u64* nodes) noexcept nogil:
    cdef u64 random = decision_random((<u64*>kind_state)[0], salt, board.key)
    score[0] = 0
    nodes[0] = 0
    return <int>((splitmix64(&random) >> 32) * <u64>moves.size >> 32)


cdef class RandomDecider(Decider):
    """Chooses a legal move at random, each as likely."""
    cdef u64 seed

    def __cinit__(self, u64 seed=0):
        self.seed = seed
        self.choose_move = choose_by_chance
        self.own = &self.seed
