# The check of certificates, by their columns: the rules of docs/reference/certificates.md, position by position.

cdef enum:
    MOST_PAIRS = 16          # of pieces of two sides: one number of a class

cdef struct ColumnCheck:
    const kr_certificate* columns
    const Egdb* db
    int side                 # of the claim
    int goal
    uint8_t ends[MOST_PAIRS][MOST_PAIRS]     # by the pieces of Black and White: lines end there, in the database
    int32_t* depth           # most plies from the root to each position,
    int32_t* quiet           # and without progress on the way; of a win
    uint8_t* reached
    int32_t* order           # rows in the order in which they are checked
    int32_t waiting          # rows of a draw that have been reached
    kr_report* report


cdef int find_column_fault(ColumnCheck* check, int fault, const Board* board) noexcept nogil:
    """Note a fault; returns -1."""
    check.report.fault = fault
    check.report.at = position_of(board)
    return -1


cdef Board row_board(const ColumnCheck* check, int32_t row) noexcept nogil:
    cdef const uint32_t* bits = check.columns.boards + 3 * row
    return board_from_bits(bits[0], bits[1], bits[2], check.side)


cdef int32_t row_of(const ColumnCheck* check, const Board* board) noexcept nogil:
    """Row of a position with the claim's side to move; -1 if there is none."""
    cdef ProvedMove wanted = proved_move(board, 0)
    cdef ProvedMove here
    cdef const uint32_t* bits
    cdef int32_t low = 0
    cdef int32_t high = check.columns.count
    cdef int32_t middle
    while low < high:
        middle = (low + high) >> 1
        bits = check.columns.boards + 3 * middle
        here.black = bits[0]
        here.white = bits[1]
        here.kings = bits[2]
        if stands_before(&here, &wanted):
            low = middle + 1
        elif stands_before(&wanted, &here):
            high = middle
        else:
            return middle
    return -1


cdef int ends_line(ColumnCheck* check, const Board* board) noexcept nogil:
    """1 if the database ends a line in a position, 0 if not; -1 for a fault: it has no value, or one against the claim."""
    cdef int value
    if not check.ends[popcount(board.pieces[BLACK])][popcount(board.pieces[WHITE])]:
        return 0
    value = stated_value(check.db, board)
    if value == VALUE_UNKNOWN:
        return find_column_fault(check, KR_FAULT_DATABASE, board)
    if (value if board.side == check.side else VALUE_WIN - value) < check.goal:
        return find_column_fault(check, KR_FAULT_AGAINST, board)
    check.report.database_leaves += 1
    return 1


cdef inline int32_t quiet_after(int32_t before, const Board* board, Move move) noexcept nogil:
    """Plies without a capture or a man's move, after a move."""
    return before + 1 if is_reversible(board, move) else 0


cdef void lengthen(ColumnCheck* check, int32_t depth, int32_t quiet) noexcept nogil:
    check.report.longest_line = max(check.report.longest_line, depth)
    check.report.longest_quiet = max(check.report.longest_quiet, quiet)


cdef int arrive(ColumnCheck* check, const Board* board, int32_t depth, int32_t quiet) noexcept nogil:
    """Note that a position with the side to move is reached; its rank, 0 for a leaf. -1 for a fault."""
    cdef int32_t row = row_of(check, board)
    cdef int ended
    if row < 0:
        lengthen(check, depth, quiet)
        ended = ends_line(check, board)
        if ended == 0:
            return find_column_fault(check, KR_FAULT_GAP, board)
        return 0 if ended > 0 else -1
    if not check.reached[row]:
        check.reached[row] = True
        if check.goal != VALUE_WIN:
            check.order[check.waiting] = row
            check.waiting += 1
    check.depth[row] = max(check.depth[row], depth)
    check.quiet[row] = max(check.quiet[row], quiet)
    return check.columns.ranks[row]


cdef int check_replies(ColumnCheck* check, const Board* board, int32_t depth, int32_t quiet) noexcept nogil:
    """Check a position with the opponent to move; the highest rank that its replies lead to. -1 for a fault."""
    cdef MoveList moves
    cdef Board after
    cdef int highest = 0
    cdef int i, rank
    lengthen(check, depth, quiet)
    generate(board, &moves)
    if moves.size == 0:
        return 0
    rank = ends_line(check, board)
    if rank:
        return 0 if rank > 0 else -1
    for i in range(moves.size):
        after = played(board, moves.moves[i])
        rank = arrive(check, &after, depth + 1, quiet_after(quiet, board, moves.moves[i]))
        if rank < 0:
            return -1
        highest = max(highest, rank)
    return highest


cdef int check_row(ColumnCheck* check, int32_t row) noexcept nogil:
    """Check the move and the rank of a position; -1 for a fault."""
    cdef Board board = row_board(check, row)
    cdef Board after
    cdef MoveList moves
    cdef Move move
    cdef int i, highest
    generate(&board, &moves)
    for i in range(moves.size):
        move = moves.moves[i]
        if move_number(&board, move) == check.columns.moves[row]:
            after = played(&board, move)
            highest = check_replies(check, &after, check.depth[row] + 1, quiet_after(check.quiet[row], &board, move))
            if highest < 0:
                return -1
            if check.columns.ranks[row] != (1 + highest if check.goal == VALUE_WIN else 0):
                return find_column_fault(check, KR_FAULT_RANK, &board)
            return 0
    return find_column_fault(check, KR_FAULT_MOVE, &board)


cdef bint sort_by_rank(ColumnCheck* check) noexcept nogil:
    """Set the order of a win: falling ranks, so that all that leads to a position comes before it. False without
    memory."""
    cdef int32_t* starts = <int32_t*>calloc(MOST_RANK + 2, sizeof(int32_t))
    cdef int32_t row
    cdef int rank
    if starts == NULL:
        return False
    for row in range(check.columns.count):
        starts[MOST_RANK - check.columns.ranks[row] + 1] += 1
    for rank in range(MOST_RANK):
        starts[rank + 1] += starts[rank]
    for row in range(check.columns.count):
        rank = MOST_RANK - check.columns.ranks[row]
        check.order[starts[rank]] = row
        starts[rank] += 1
    free(starts)
    return True


cdef int check_form(ColumnCheck* check) noexcept nogil:
    """Check that the positions are possible and rise; -1 for a fault."""
    cdef kr_position position
    cdef Board board
    cdef int32_t row
    position.side = check.side
    for row in range(check.columns.count):
        position.black = check.columns.boards[3 * row]
        position.white = check.columns.boards[3 * row + 1]
        position.kings = check.columns.boards[3 * row + 2]
        board = board_from_bits(position.black, position.white, position.kings, check.side)
        if kr_check(&position) or row_of(check, &board) != row:
            return find_column_fault(check, KR_FAULT_FORM, &board)
    return 0


cdef int check_rows(ColumnCheck* check, const Board* root) noexcept nogil:
    """Check all rows from the root on; -1 for a fault."""
    cdef Board board
    cdef int32_t count = 0
    cdef int32_t row
    if check_form(check) < 0:
        return -1
    if (arrive(check, root, 0, 0) if root.side == check.side else check_replies(check, root, 0, 0)) < 0:
        return -1
    while count < (check.columns.count if check.goal == VALUE_WIN else check.waiting):
        row = check.order[count]
        # of equal ranks none leads to another
        if not check.reached[row]:
            break
        if check_row(check, row) < 0:
            return -1
        count += 1
    for row in range(check.columns.count):
        if not check.reached[row]:
            board = row_board(check, row)
            return find_column_fault(check, KR_FAULT_UNUSED, &board)
    return 0


cdef public int kr_check_certificate(const kr_database* database, const kr_position* root, int side, int goal,
                                     const kr_certificate* columns, int pieces, const uint8_t* classes, int class_count,
                                     kr_report* report) noexcept nogil:
    cdef ColumnCheck check
    cdef Board board
    cdef int i, j
    cdef bint has_room
    memset(&check, 0, sizeof(ColumnCheck))
    memset(report, 0, sizeof(kr_report))
    if kr_check(root):
        return KR_ILLEGAL
    if not 0 <= side <= 1 or goal not in (VALUE_DRAW, VALUE_WIN) or not 0 <= columns.count <= MOST_CERTIFIED:
        return KR_BAD_VALUE
    check.columns = columns
    if database != NULL:
        check.db = &(<const Store*>database).db
    check.side = side
    check.goal = goal
    check.report = report
    for i in range(1, MOST_PAIRS):
        for j in range(1, MOST_PAIRS):
            check.ends[i][j] = i + j <= pieces
    for i in range(class_count):
        check.ends[classes[i] >> 4][classes[i] & 15] = True
        check.ends[classes[i] & 15][classes[i] >> 4] = True
    check.depth = <int32_t*>calloc(columns.count + 1, sizeof(int32_t))
    check.quiet = <int32_t*>calloc(columns.count + 1, sizeof(int32_t))
    check.order = <int32_t*>calloc(columns.count + 1, sizeof(int32_t))
    check.reached = <uint8_t*>calloc(columns.count + 1, 1)
    has_room = (check.depth != NULL and check.quiet != NULL and check.order != NULL and check.reached != NULL
                and (goal == VALUE_DRAW or sort_by_rank(&check)))
    if has_room:
        board = board_of(root)
        check_rows(&check, &board)
        report.positions = columns.count
        if goal == VALUE_DRAW:
            report.longest_line = report.longest_quiet = -1
    free(check.depth)
    free(check.quiet)
    free(check.order)
    free(check.reached)
    return KR_OK if has_room else KR_NO_MEMORY
