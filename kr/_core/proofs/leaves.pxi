# Leaves of a proof: a search that asks a claim's question, and the strategy behind its answer.
#
# The engine is the front: its search says that a position is won, or not lost, and with which move. It is not believed.
# From its move on, every reply is searched in turn until each line ends in the database or by the rules; what the table
# already knows makes these searches short. Only a strategy that is whole counts.

cdef enum:
    STRATEGY_SHARE = 40      # most nodes of all searches for a strategy, as a multiple of a leaf's
    PROOF_NO_MEMORY = 1      # errors of a work
    PROOF_FAILED = 2

cdef extern from *:
    const u64 NO_NODE_LIMIT "UINT64_MAX"

cdef struct Searched:
    int score
    u64 nodes
    int length               # moves of the line, the best move first
    Move moves[MAX_WHOLE_LINE]

# A search by whoever owns an engine: of the last of some positions, which has a move; those before it are its history.
# draws_for: as SearchRequest has it. False if it failed: its owner knows why.
ctypedef bint (*ProofSearch)(void* owner, const Board* positions, int count, u64 nodes, int draws_for,
                             Searched* searched) noexcept nogil
# as for a new game; False likewise
ctypedef bint (*ProofClear)(void* owner) noexcept nogil

cdef struct ProofWork:
    # What all searches of a proof share.
    ProofSearch search
    ProofClear clear
    void* owner
    const Egdb* db           # NULL for none
    const int* stop          # flag that ends the work; NULL for none
    double deadline          # of seconds(); 1e300 for none
    u64 node_limit           # NO_NODE_LIMIT for none
    u64 nodes                # of all searches so far
    int64_t memory           # bytes that may be held; 0 for any number
    int64_t held             # bytes that are, about: counted, not measured, so that it is the same anywhere
    int error                # ends the work; 0, PROOF_NO_MEMORY, or PROOF_FAILED if a search did

cdef struct LeafAnswer:
    # Answer to a leaf, the claim's side to move.
    int score                # for the claim's side; beyond SCORE_STATIC_MAX if it says that the claim is true or false
    Move move                # the best one
    u64 nodes
    Strategy strategy        # moves proved: closed with those before, but without one for the leaf if a line stays open

cdef struct MakingStep:
    # A position on the line that is being followed, with its move. Of two steps the later one's replies and moves stand
    # behind those of the other.
    Board board
    Move move
    bint searched_again      # its move is that of a search from an empty table, with the line before it as history
    int32_t met              # its row there
    int32_t number           # in the order in which steps were begun
    int32_t earliest         # number of the earliest step that a line from here comes back to; its own without one
    int32_t waiting          # positions that were waiting when it was begun
    int32_t first_reply
    int32_t first_move       # of the line that its search has brought

cdef struct MakingReply:
    # A position after a reply that is still to be answered, and the rest of the line, if it was part of one.
    Board board
    int32_t first_move
    int32_t length

cdef struct MetPosition:
    # A position that was begun, and is not answered yet.
    Move move
    int32_t number           # of its step
    bint under_way           # its replies are being answered

cdef struct Making:
    # A strategy that is being made: lines are followed depth first, by the moves that searches have proved. What has
    # been answered to its end is kept, even if another line stays open. So the strategy is closed at any time: its moves
    # lead to its own positions, to known ones, or to the end.
    const Claim* claim
    ProofWork* work
    u64 nodes                # limit of each search
    u64 used
    const Strategy* proofs   # moves proved before
    Strategy strategy
    Strategy boards          # positions that were begun,
    MetPosition* met         # and what is known of each, by its row
    int32_t met_room
    NodeList waiting         # rows of those whose lines come back to one under way: they are proved once the earliest of
                             # these is answered (Tarjan's strongly connected components)
    MakingStep* steps
    int32_t step_count
    int32_t step_room
    int32_t begun            # steps so far
    MakingReply* replies
    int32_t reply_count
    int32_t reply_room
    Move* moves              # of lines
    int32_t move_count
    int32_t move_room
    Board* history
    int32_t history_room


cdef inline bint is_stopped(const ProofWork* work) noexcept nogil:
    """True once somebody has ended the work, or its time is over."""
    return (work.error != 0 or (work.stop != NULL and load_flag(work.stop))
            or (work.deadline < 1e300 and seconds() >= work.deadline))


cdef inline bint is_full(const ProofWork* work) noexcept nogil:
    return work.memory != 0 and work.held >= work.memory


cdef inline bint is_over(const ProofWork* work) noexcept nogil:
    """True once any limit is reached, or the work was stopped."""
    return work.nodes >= work.node_limit or is_full(work) or is_stopped(work)


cdef bint search_for(ProofWork* work, const Claim* claim, const Board* positions, int count, u64 nodes,
                     Searched* searched) noexcept nogil:
    """Ask a claim's question of the last of some positions; False if the search failed."""
    if not work.search(work.owner, positions, count, nodes, draws_for(claim), searched):
        work.error = PROOF_FAILED
        return False
    return True


cdef bint lacks_memory(ProofWork* work, bint made) noexcept nogil:
    """Note an error unless something was made."""
    if not made:
        work.error = PROOF_NO_MEMORY
    return not made


cdef bint add_replies(Making* making, const MakingStep* step, int32_t first_move, int32_t length) noexcept nogil:
    """Note the replies to a step's move, whose line is given; False if one of them, or the move, fails."""
    cdef MoveList moves
    cdef int8_t[MAX_MOVES * PATH_LENGTH] paths
    cdef Board after = played(&step.board, step.move)
    cdef MakingReply* reply
    cdef const Move* line
    cdef Board following
    cdef bint met = False
    cdef int verdict = settled(making.claim, &after, making.work.db)
    cdef int i
    if verdict != OPEN:
        return verdict == 1
    # captures along other paths are replies too, since nodes are counted so
    generate_with_paths(&after, &moves, paths)
    if lacks_memory(making.work, room_for(<void**>&making.replies, &making.reply_room,
                                           making.reply_count + moves.size, sizeof(MakingReply))):
        return False
    line = making.moves + first_move
    for i in range(moves.size):
        following = played(&after, moves.moves[i])
        verdict = settled(making.claim, &following, making.work.db)
        if verdict == 0:
            return False
        if verdict == OPEN:
            reply = &making.replies[making.reply_count]
            reply.board = following
            reply.length = 0
            if length > 2 and line[1] == moves.moves[i] and not met:
                met = True
                reply.first_move = first_move + 2
                reply.length = length - 2
            making.reply_count += 1
    return True


cdef int32_t history_of(Making* making, const Board* last) noexcept nogil:
    """The positions of the line that is followed, and a last one; their number, 0 without memory."""
    cdef int32_t count = 0
    cdef int32_t i
    if lacks_memory(making.work, room_for(<void**>&making.history, &making.history_room,
                                           2 * making.step_count + 1, sizeof(Board))):
        return 0
    for i in range(making.step_count):
        making.history[count] = making.steps[i].board
        making.history[count + 1] = played(&making.steps[i].board, making.steps[i].move)
        count += 2
    making.history[count] = last[0]
    return count + 1


cdef bint search_step(Making* making, const Board* board, bint again, int32_t* length) noexcept nogil:
    """Search the move of a position, and append its line; False if it isn't proved.

    again: from an empty table, with the line before it, which it must not come back to.
    """
    cdef Searched searched
    cdef ProofWork* work = making.work
    cdef const Board* positions = board
    cdef int32_t count = 1
    if making.used >= STRATEGY_SHARE * making.nodes or is_stopped(work):
        return False
    if again:
        if not work.clear(work.owner):
            work.error = PROOF_FAILED
            return False
        count = history_of(making, board)
        if count == 0:
            return False
        positions = making.history
    if not search_for(work, making.claim, positions, count,
                      min(making.nodes, STRATEGY_SHARE * making.nodes - making.used), &searched):
        return False
    making.used += searched.nodes
    if searched.score <= SCORE_STATIC_MAX or searched.length == 0:
        return False
    length[0] = searched.length
    return append_moves(making, searched.moves, searched.length)


cdef bint append_moves(Making* making, const Move* moves, int32_t length) noexcept nogil:
    if lacks_memory(making.work, room_for(<void**>&making.moves, &making.move_room, making.move_count + length,
                                           sizeof(Move))):
        return False
    memcpy(making.moves + making.move_count, moves, length * sizeof(Move))
    making.move_count += length
    return True


cdef bint push_step(Making* making, MakingStep* step) noexcept nogil:
    """Put a step on the line; False without memory."""
    cdef MetPosition* met
    if lacks_memory(making.work, room_for(<void**>&making.steps, &making.step_room, making.step_count + 1,
                                           sizeof(MakingStep))
                    and add_move(&making.boards, &step.board, step.move)
                    and room_for(<void**>&making.met, &making.met_room, making.boards.count, sizeof(MetPosition))):
        return False
    making.begun += 1
    step.number = step.earliest = making.begun
    step.waiting = making.waiting.count
    step.met = strategy_row(&making.boards, &step.board)
    met = &making.met[step.met]
    met.move = step.move
    met.number = step.number
    met.under_way = True
    making.steps[making.step_count] = step[0]
    making.step_count += 1
    return True


cdef bint begin_step(Making* making, const Board* board, int32_t first_move, int32_t length,
                     bint again) noexcept nogil:
    """Begin a position with its move, by a search unless the line is known; False if a reply to it is not answered."""
    cdef MakingStep step
    step.board = board[0]
    step.searched_again = again
    step.first_reply = making.reply_count
    step.first_move = making.move_count
    if length == 0:
        first_move = making.move_count
        if not search_step(making, board, again, &length):
            return False
    step.move = making.moves[first_move]
    return add_replies(making, &step, first_move, length) and push_step(making, &step)


cdef MakingStep popped_step(Making* making) noexcept nogil:
    """Take the last step off the line, with its replies and moves."""
    cdef MakingStep step
    making.step_count -= 1
    step = making.steps[making.step_count]
    making.reply_count = step.first_reply
    making.move_count = step.first_move
    making.met[step.met].under_way = False
    return step


cdef bint end_step(Making* making) noexcept nogil:
    """End the last step, whose replies are all answered; False without memory."""
    cdef MakingStep last = popped_step(making)
    cdef MakingStep* before
    cdef ProvedMove row
    cdef int32_t i
    if lacks_memory(making.work, append_node(&making.waiting, last.met)):
        return False
    if last.earliest < last.number:
        before = &making.steps[making.step_count - 1]
        before.earliest = min(before.earliest, last.earliest)
        return True
    while making.waiting.count > last.waiting:
        making.waiting.count -= 1
        i = making.waiting.items[making.waiting.count]
        row = making.boards.rows[i]
        row.move = making.met[i].move
        if lacks_memory(making.work, add_row(&making.strategy, &row)):
            return False
    return True


cdef bint next_step(Making* making) noexcept nogil:
    """Answer replies until the next step is begun; False if there is none, or one is not answered."""
    cdef MakingStep* last
    cdef MakingStep again
    cdef MakingReply reply
    cdef int32_t row
    while making.step_count:
        last = &making.steps[making.step_count - 1]
        if making.reply_count == last.first_reply:
            if not end_step(making):
                return False
            continue
        making.reply_count -= 1
        reply = making.replies[making.reply_count]
        if knows_move(&making.strategy, &reply.board) or knows_move(making.proofs, &reply.board):
            continue
        row = strategy_row(&making.boards, &reply.board)
        if row < 0:
            return begin_step(making, &reply.board, reply.first_move, reply.length, False)
        if making.met[row].under_way and making.claim.goal == VALUE_WIN:
            # another move, by a search that knows where the line has been
            again = popped_step(making)
            return not again.searched_again and begin_step(making, &again.board, 0, 0, True)
        last.earliest = min(last.earliest, making.met[row].number)
    return False


cdef void free_making(Making* making) noexcept nogil:
    free_strategy(&making.boards)
    free(making.met)
    free(making.waiting.items)
    free(making.steps)
    free(making.replies)
    free(making.moves)
    free(making.history)


cdef bint answer_leaf(ProofWork* work, const Claim* claim, const Board* leaf, u64 nodes, Strategy* proofs,
                      LeafAnswer* answer) noexcept nogil:
    """Search a leaf, the claim's side to move, with a limit of nodes, and make the strategy if it is proved; False if
    that failed. The caller frees the strategy in any case.

    proofs: moves proved before, closed; the new ones are added to it.
    """
    cdef Searched searched
    cdef Making making
    cdef bint begun
    memset(answer, 0, sizeof(LeafAnswer))
    if not search_for(work, claim, leaf, 1, nodes, &searched):
        return False
    answer.score = searched.score
    answer.move = searched.moves[0]
    answer.nodes = searched.nodes
    if searched.score <= SCORE_STATIC_MAX:
        return True
    memset(&making, 0, sizeof(Making))
    making.claim = claim
    making.work = work
    making.nodes = nodes
    making.proofs = proofs
    begun = append_moves(&making, searched.moves, searched.length) and begin_step(
        &making, leaf, 0, searched.length, False)
    while begun:
        begun = next_step(&making)
    answer.nodes += making.used
    answer.strategy = making.strategy
    free_making(&making)
    return not lacks_memory(work, add_rows(proofs, &answer.strategy, 0)) and work.error == 0
