# Lines as they are looked at to explain a mistake: their positions, and who wins pieces in them for good. Nothing is
# searched but captures, which are compulsory.

cdef enum:
    MOST_LINE = 40           # moves of a line that are looked at
    MOST_SWING = 24          # plies within which that shows which a fact tells
    LATE = 6                 # plies by which a king comes late
    SURVIVES = 6             # plies for which one has to stay


cdef struct Course:
    # A line from the view of the side to move in its first position.
    int size
    Move moves[MOST_LINE]
    Board boards[MOST_LINE + 1]
    int lead[MOST_LINE + 1]  # pieces that it has won by then
    bint quiet[MOST_LINE + 1] # neither side could capture; in the first position, the one to move
    int values[MOST_LINE + 1] # exact ones: VALUE_LOSS, VALUE_DRAW, VALUE_WIN, or VALUE_UNKNOWN
    int whole                # its size before it was cut
    int end                  # the last quiet position
    bint held                # it ends in a draw that is known


cdef struct Swing:
    # Pieces that a side wins for good.
    int at                   # the first quiet position in which it has them, and keeps them; 0 for none
    int begin                # the last one before
    int count
    int taken                # between the two, by who wins, and by the other
    int given
    bint forced              # the first move is the winner's, after it the other side can only capture


cdef bint extend_course(Course* course, Move move) noexcept nogil:
    """True if the move is legal at the end of a line, which then has it."""
    cdef MoveList moves
    cdef Board* board = &course.boards[course.size]
    cdef int gained = popcount(move_captured(move))
    generate(board, &moves)
    if course.size == MOST_LINE or not has_move(&moves, move):
        return False
    course.moves[course.size] = move
    course.lead[course.size + 1] = course.lead[course.size] + (gained if course.size % 2 == 0 else -gained)
    course.size += 1
    course.whole = course.size
    course.boards[course.size] = played(board, move)
    board = &course.boards[course.size]
    course.quiet[course.size] = not has_capture(board, BLACK) and not has_capture(board, WHITE)
    if course.quiet[course.size]:
        course.end = course.size
    return True


cdef void begin_course(Course* course, const Board* board) noexcept nogil:
    course.size = course.whole = course.end = course.lead[0] = course.held = 0
    course.boards[0] = board[0]
    course.quiet[0] = not has_capture(board, board.side)


cdef void look_up_course(Course* course, const Egdb* db) noexcept nogil:
    """Have the values of a line known, as far as a database has them; NULL for none."""
    cdef int i, value
    for i in range(course.size + 1):
        course.values[i] = VALUE_UNKNOWN
        if db == NULL or not has_board(db, &course.boards[i]):
            continue
        value = egdb_value(db, &course.boards[i])
        if value != VALUE_UNKNOWN:
            course.values[i] = value if i % 2 == 0 else VALUE_WIN - value


cdef void cut_course(Course* course) noexcept nogil:
    """End a line at the first quiet draw that is known: any other move that keeps it would do from there."""
    cdef int i
    for i in range(1, course.size + 1):
        if course.values[i] == VALUE_DRAW and course.quiet[i]:
            course.size = course.end = i
            course.held = True
            return


cdef bint crowns(const Course* course, int ply) noexcept nogil:
    """True if the move after so many crowns a man."""
    return (not course.boards[ply].kings >> origin_bit(course.moves[ply]) & 1
            and course.boards[ply + 1].kings >> target_bit(course.moves[ply]) & 1)


cdef int crowned_by(const Course* course, int side) noexcept nogil:
    """Moves of a line with the first man that a side crowns; 0 for none."""
    cdef int i
    for i in range(course.size):
        if course.boards[i].side == side and crowns(course, i):
            return i + 1
    return 0


cdef int could_crown_by(const Course* course, int side) noexcept nogil:
    """Moves of a line with the first that crowns a man of a side, or could have at no risk; 0 for none."""
    cdef MoveList moves
    cdef Board child
    cdef int i, k
    for i in range(course.whole):
        if course.boards[i].side != side:
            continue
        if crowns(course, i):
            return i + 1
        generate(&course.boards[i], &moves)
        for k in range(moves.size):
            if move_captured(moves.moves[k]) or course.boards[i].kings >> origin_bit(moves.moves[k]) & 1:
                continue
            child = played(&course.boards[i], moves.moves[k])
            if child.kings >> target_bit(moves.moves[k]) & 1 and not has_capture(&child, child.side):
                return i + 1
    return 0


cdef bint king_stays(const Course* course, int at) noexcept nogil:
    """True if the man that so many moves of a line crown is not taken in the next ones."""
    cdef int bit = target_bit(course.moves[at - 1])
    cdef int i
    for i in range(at, min(course.whole, at + SURVIVES)):
        if origin_bit(course.moves[i]) == bit:
            bit = target_bit(course.moves[i])
        elif move_captured(course.moves[i]) >> bit & 1:
            return False
    return course.whole >= at + SURVIVES


cdef int crowned_from(const Course* course, int bit) noexcept nogil:
    """Moves of a line with the one that crowns the man that stands there first; 0 for none."""
    cdef int i
    for i in range(course.size):
        if origin_bit(course.moves[i]) == bit:
            if crowns(course, i):
                return i + 1
            bit = target_bit(course.moves[i])
        elif move_captured(course.moves[i]) >> bit & 1:
            return 0
    return 0


cdef int square_at_first(const Course* course, int at, int bit) noexcept nogil:
    """Where a piece that stands there after so many moves stood before them."""
    cdef int i
    for i in range(at - 1, -1, -1):
        if target_bit(course.moves[i]) == bit:
            bit = origin_bit(course.moves[i])
    return bit


cdef bint has_opposition(const Board* board, int side) noexcept nogil:
    """True if a side has the move (`has_the_move`), which either of them has; both have as many pieces."""
    cdef u64 own = board.pieces[board.side]
    cdef u64 foes = board.pieces[1 - board.side]
    cdef Camp mover = (camp_from(own, foes, board.kings) if board.side == BLACK
                       else camp_from(turned(own), turned(foes), turned(board.kings)))
    return has_the_move(&mover) == (board.side == side)


cdef int crowned_for_good(const Course* course, int side) noexcept nogil:
    """Those with the first man that it crowns, if that stays, and the side has more kings at the end than at first."""
    cdef int had = popcount(course.boards[0].pieces[side] & course.boards[0].kings)
    cdef int at = crowned_by(course, side)
    if popcount(course.boards[course.end].pieces[side] & course.boards[course.end].kings) <= had:
        return 0
    return at if at and king_stays(course, at) else 0


cdef int crowned_within(const Course* course, int side, int plies) noexcept nogil:
    """Men that a side crowns within so many plies of a line."""
    cdef int count = 0
    cdef int i
    for i in range(min(course.size, plies)):
        count += course.boards[i].side == side and crowns(course, i)
    return count


cdef bint is_paid_for(const Course* course, const Swing* swing, int side, const Course* other) noexcept nogil:
    """True if who loses pieces gets a king for them, which it does not get as soon in another line."""
    cdef int own = crowned_by(course, side)
    cdef int later = crowned_by(other, side)
    if own == 0 or later and later <= own:
        return False
    if crowned_within(course, side, swing.at + 3) > crowned_within(course, 1 - side, swing.at + 3):
        return True
    return (later == 0 or later > own + LATE) and crowned_for_good(course, side) and not crowned_for_good(course, 1 - side)


cdef Swing find_swing(const Course* course, int sign, int beyond, const Course* other) noexcept nogil:
    """The pieces that the side to move wins for good (sign 1), or the other (-1), beyond so many, not paid for by a king
    that it does not have in another line."""
    cdef Swing swing
    # who loses them
    cdef int side = course.boards[0].side if sign < 0 else 1 - course.boards[0].side
    cdef int at = course.end
    cdef int i, taken
    memset(&swing, 0, sizeof(Swing))
    while at > 0 and (not course.quiet[at] or sign * course.lead[at] > beyond):
        at -= 1
    # the last quiet position without them
    if at == course.end or not course.quiet[at]:
        return swing
    swing.begin = i = at
    # who wins them has given some before
    while i > 0 and (not course.quiet[i] or sign * course.lead[i] < beyond):
        i -= 1
    if course.quiet[i] and sign * course.lead[i] == beyond:
        swing.begin = i
    at = swing.begin
    swing.count = FULL_BOARD
    swing.forced = course.boards[at].side == (course.boards[0].side if sign > 0 else 1 - course.boards[0].side)
    for i in range(at + 1, course.end + 1):
        if course.quiet[i] and (swing.at or sign * course.lead[i] > beyond):
            if swing.at == 0:
                swing.at = i
            swing.count = min(swing.count, sign * course.lead[i] - beyond)
    for i in range(at, swing.at):
        taken = popcount(move_captured(course.moves[i]))
        if (i % 2 == 0) == (sign > 0):
            swing.taken += taken
        else:
            swing.given += taken
            if taken == 0:
                swing.forced = False
    if swing.at > MOST_SWING or is_paid_for(course, &swing, side, other):
        swing.at = 0
    return swing


cdef bint is_even_until(const Course* course, int sign, int ply) noexcept nogil:
    """True if nothing is won by the side to move (sign 1), or by the other (-1), where a line of that length is quiet."""
    cdef int i
    for i in range(1, min(course.size, ply) + 1):
        if course.quiet[i] and sign * course.lead[i] > 0:
            return False
    return True


cdef int captures_worth(const Board* board) noexcept nogil:
    """Pieces that the side to move wins by captures alone; below 0 if it has to lose some."""
    cdef MoveList moves
    cdef Board child
    cdef int best = -FULL_BOARD
    cdef int i
    generate(board, &moves)
    if moves.size == 0 or move_captured(moves.moves[0]) == 0:
        return 0
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        best = max(best, popcount(move_captured(moves.moves[i])) - captures_worth(&child))
    return best


cdef int safe_moves(const Board* board) noexcept nogil:
    """Number of moves after which the other side wins nothing by captures alone; -1 if no move is legal."""
    cdef MoveList moves
    cdef Board child
    cdef int count = 0
    cdef int i
    generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        count += captures_worth(&child) <= 0
    return count if moves.size else -1


cdef Board passed(const Board* board) noexcept nogil:
    """The position with the other side to move."""
    return board_from_bits(unpad(board.pieces[BLACK]), unpad(board.pieces[WHITE]), unpad(board.kings), 1 - board.side)


cdef int attacked_by(const Board* board, int bit) noexcept nogil:
    """Captures, none with a piece of another, that the piece there threatens; the other side is to move."""
    cdef Board other = passed(board)
    cdef MoveList moves
    cdef u64 seen = 0
    cdef int count = 0
    cdef int i
    generate(&other, &moves)
    for i in range(moves.size):
        if origin_bit(moves.moves[i]) == bit and move_captured(moves.moves[i]) and not move_captured(moves.moves[i]) & seen:
            seen |= move_captured(moves.moves[i])
            count += 1
    return count
