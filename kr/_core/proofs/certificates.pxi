# The check that a strategy is whole, and what a certificate holds of it: the positions that the root leads to, in rising
# order, with numbers of moves and ranks (docs/reference/certificates.md).

cpdef enum:
    MOST_CERTIFIED = 1 << 23 # positions
    MOST_RANK = (1 << 16) - 1
    # faults of a strategy
    FAULT_NONE = 0
    FAULT_GAP = 1            # no move for a position, and no value
    FAULT_ILLEGAL = 2        # an illegal move
    FAULT_AGAINST = 3        # a value of the database against the claim
    FAULT_CYCLE = 4          # a win that leads back to a position
    FAULT_LONG = 5           # a line of more than MOST_RANK moves
    FAULT_LARGE = 6          # more than MOST_CERTIFIED positions
    FAULT_UNKNOWN = 7        # a value that should be there is not: the database is damaged
    FAULT_NO_MEMORY = 8

cdef struct Certified:
    # Columns of a certificate, or the fault of its strategy.
    int32_t count
    u32* boards              # black, white and kings of each
    uint8_t* moves           # numbers of moves
    uint16_t* ranks
    int fault
    Board board              # where it is,
    Move move                # the strategy's move there,
    int value                # the value,
    NodeList circle          # rows of `walked` that lead back to the first
    Strategy walked          # the positions as they were met

cdef struct StrategyWalk:
    const Claim* claim
    const Strategy* strategy
    const Egdb* db
    Certified* certified
    NodeList after           # rows that the replies to each move lead to,
    NodeList starts          # and where those of each row begin
    uint8_t* numbers
    int32_t number_room


cdef bint find_fault(Certified* certified, int fault, const Board* board) noexcept nogil:
    """Note a fault; returns False."""
    certified.fault = fault
    if board != NULL:
        certified.board = board[0]
    return False


cdef inline u64 move_order(Move move) noexcept nogil:
    """Moves in the order of certificates: by origin, then target, then captured."""
    return <u64>move_from(move) << 37 | <u64>move_to(move) << 32 | unpad(move_captured(move))


cdef int move_number(const Board* board, Move move) noexcept nogil:
    """Number of a legal move in the order of certificates; -1 if it isn't one."""
    cdef MoveList moves
    cdef int number = 0
    cdef bint legal = False
    cdef int i
    generate(board, &moves)
    for i in range(moves.size):
        legal |= moves.moves[i] == move
        number += move_order(moves.moves[i]) < move_order(move)
    return number if legal else -1


cdef int ends_in_database(StrategyWalk* walk, const Board* board) noexcept nogil:
    """1 if the database has a position's value, 0 if not; -1 if that is not good enough."""
    cdef int value
    if walk.db == NULL or not has_board(walk.db, board):
        return 0
    value = egdb_value(walk.db, board)
    walk.certified.value = value
    if value == VALUE_UNKNOWN:
        find_fault(walk.certified, FAULT_UNKNOWN, board)
        return -1
    if (value if board.side == walk.claim.side else VALUE_WIN - value) < walk.claim.goal:
        find_fault(walk.certified, FAULT_AGAINST, board)
        return -1
    return 1


cdef bint walk_to(StrategyWalk* walk, const Board* board, int32_t* row) noexcept nogil:
    """Meet a position with the side to move; its row, -1 for a leaf. False for a fault."""
    cdef Certified* certified = walk.certified
    cdef int32_t known = strategy_row(&certified.walked, board)
    cdef int ended
    row[0] = known
    if known >= 0:
        return True
    known = strategy_row(walk.strategy, board)
    if known < 0:
        ended = ends_in_database(walk, board)
        return ended == 1 or ended == 0 and find_fault(certified, FAULT_GAP, board)
    row[0] = certified.walked.count
    if row[0] == MOST_CERTIFIED:
        return find_fault(certified, FAULT_LARGE, board)
    return add_row(&certified.walked, &walk.strategy.rows[known]) or find_fault(certified, FAULT_NO_MEMORY, board)


cdef bint walk_replies(StrategyWalk* walk, const Board* board) noexcept nogil:
    """Meet the positions that the opponent's replies lead to, and note their rows; False for a fault."""
    cdef Move moves[MAX_MOVES]
    cdef Board after[MAX_MOVES]
    cdef int32_t row
    cdef int i, count, ended
    count = after_moves(board, moves, after)
    if count == 0:
        return True
    ended = ends_in_database(walk, board)
    if ended:
        return ended == 1
    for i in range(count):
        if not walk_to(walk, &after[i], &row):
            return False
        if row >= 0 and not append_node(&walk.after, row):
            return find_fault(walk.certified, FAULT_NO_MEMORY, board)
    return True


cdef bint walk_strategy(StrategyWalk* walk) noexcept nogil:
    """Find all positions of the strategy that the root leads to; False for a fault."""
    cdef Certified* certified = walk.certified
    cdef const Claim* claim = walk.claim
    cdef const ProvedMove* row
    cdef Board board, after
    cdef int32_t ignored
    cdef int number
    if claim.root.side == claim.side:
        if not walk_to(walk, &claim.root, &ignored):
            return False
    elif not walk_replies(walk, &claim.root):
        return False
    walk.after.count = 0
    while walk.starts.count < certified.walked.count:
        row = &certified.walked.rows[walk.starts.count]
        board = board_from_bits(row.black, row.white, row.kings, claim.side)
        number = move_number(&board, row.move)
        if number < 0:
            certified.move = row.move
            return find_fault(certified, FAULT_ILLEGAL, &board)
        if not (room_for(<void**>&walk.numbers, &walk.number_room, walk.starts.count + 1, 1)
                and append_node(&walk.starts, walk.after.count)):
            return find_fault(certified, FAULT_NO_MEMORY, &board)
        walk.numbers[walk.starts.count - 1] = <uint8_t>number
        after = played(&board, row.move)
        if not walk_replies(walk, &after):
            return False
    return append_node(&walk.starts, walk.after.count) or find_fault(certified, FAULT_NO_MEMORY, NULL)


cdef bint rank_rows(StrategyWalk* walk, int32_t* ranks, int32_t* places) noexcept nogil:
    """Rank of each row: 1 + the highest that it leads to; False for a fault. places: room for two numbers a row."""
    cdef Certified* certified = walk.certified
    cdef int32_t count = certified.walked.count
    cdef int32_t* path = places          # rows on the path; each has rank -1
    cdef int32_t* next_one = places + count
    cdef int32_t first, row, child, length
    cdef int32_t i
    for first in range(count):
        if ranks[first]:
            continue
        path[0] = first
        next_one[0] = walk.starts.items[first]
        ranks[first] = -1
        length = 1
        while length:
            row = path[length - 1]
            if next_one[length - 1] == walk.starts.items[row + 1]:
                ranks[row] = 1
                for i in range(walk.starts.items[row], walk.starts.items[row + 1]):
                    ranks[row] = max(ranks[row], 1 + ranks[walk.after.items[i]])
                if ranks[row] > MOST_RANK:
                    return find_fault(certified, FAULT_LONG, NULL)
                length -= 1
                continue
            child = walk.after.items[next_one[length - 1]]
            next_one[length - 1] += 1
            if ranks[child] == 0:
                path[length] = child
                next_one[length] = walk.starts.items[child]
                ranks[child] = -1
                length += 1
            elif ranks[child] < 0:
                i = 0
                while path[i] != child:
                    i += 1
                while i < length:
                    if not append_node(&certified.circle, path[i]):
                        return find_fault(certified, FAULT_NO_MEMORY, NULL)
                    i += 1
                return find_fault(certified, FAULT_CYCLE, NULL)
    return True


cdef inline bint stands_before(const ProvedMove* one, const ProvedMove* other) noexcept nogil:
    if one.black != other.black:
        return one.black < other.black
    return one.white < other.white if one.white != other.white else one.kings < other.kings


cdef void sort_rows(const ProvedMove* rows, int32_t* order, int32_t* room, int32_t count) noexcept nogil:
    """Sort numbers of rows by their boards: by merging."""
    cdef int32_t width = 1
    cdef int32_t first, middle, end, i, j, k
    while width < count:
        first = 0
        while first < count:
            middle = min(first + width, count)
            end = min(first + 2 * width, count)
            i = first
            j = middle
            for k in range(first, end):
                if j == end or i < middle and not stands_before(&rows[order[j]], &rows[order[i]]):
                    room[k] = order[i]
                    i += 1
                else:
                    room[k] = order[j]
                    j += 1
            first = end
        memcpy(order, room, count * sizeof(int32_t))
        width *= 2


cdef bint fill_columns(StrategyWalk* walk, int32_t* room) noexcept nogil:
    """Rank the rows, and fill the columns; room: four numbers a row, all 0."""
    cdef Certified* certified = walk.certified
    cdef int32_t count = certified.walked.count
    cdef int32_t* ranks = room
    cdef int32_t* order = room + count
    cdef const ProvedMove* row
    cdef int32_t i
    if walk.claim.goal == VALUE_WIN and not rank_rows(walk, ranks, order):
        return False
    certified.boards = <u32*>malloc(3 * count * sizeof(u32) + 1)
    certified.moves = <uint8_t*>malloc(count + 1)
    certified.ranks = <uint16_t*>malloc(count * sizeof(uint16_t) + 1)
    if certified.boards == NULL or certified.moves == NULL or certified.ranks == NULL:
        return find_fault(certified, FAULT_NO_MEMORY, NULL)
    for i in range(count):
        order[i] = i
    sort_rows(certified.walked.rows, order, order + count, count)
    for i in range(count):
        row = &certified.walked.rows[order[i]]
        certified.boards[3 * i] = row.black
        certified.boards[3 * i + 1] = row.white
        certified.boards[3 * i + 2] = row.kings
        certified.moves[i] = walk.numbers[order[i]]
        certified.ranks[i] = <uint16_t>ranks[order[i]]
    certified.count = count
    return True


cdef bint certify_strategy(const Claim* claim, const Strategy* strategy, const Egdb* db,
                           Certified* certified) noexcept nogil:
    """The certificate of a strategy; False if it has a fault, which is then noted. It is freed in any case."""
    cdef StrategyWalk walk
    cdef int32_t* room = NULL
    memset(&walk, 0, sizeof(StrategyWalk))
    memset(certified, 0, sizeof(Certified))
    walk.claim = claim
    walk.strategy = strategy
    walk.db = db
    walk.certified = certified
    if walk_strategy(&walk):
        room = <int32_t*>calloc(4 * certified.walked.count + 1, sizeof(int32_t))
        if room == NULL:
            find_fault(certified, FAULT_NO_MEMORY, NULL)
        else:
            fill_columns(&walk, room)
    free(room)
    free(walk.numbers)
    free(walk.after.items)
    free(walk.starts.items)
    return certified.fault == FAULT_NONE


cdef void free_certified(Certified* certified) noexcept nogil:
    free(certified.boards)
    free(certified.moves)
    free(certified.ranks)
    free(certified.circle.items)
    free_strategy(&certified.walked)
