# Why a move is worse than a better one: facts of the two lines that begin with them. Each must hold in the line that it
# is about and not in the other, so that the better move restores it. docs/reference/sentences.md says when each is told.

cdef enum:
    MOST_FACTS = 12
    MOST_TOLD = 2
    RUN = 3                  # moves of a man in a row that make a run
    RACE = 4                 # plies by which a side crowns first
    ATTACKED_BY = 3          # the second reply: a later attack says little of the move
    NEAR = 4                 # rows to the king row of a man that is cut off from it
    MOST_CROWN = 24          # plies within which it does
    PUT_OFF = 13             # plies within which the same exchange still comes
    HOLDS = 6                # plies for which a piece holds its square
    LONGER = 4               # plies for which the other line goes on without what a fact tells
    # facts about the same say much the same: one of them is told
    ABOUT_LOSS = 0
    ABOUT_GAIN
    ABOUT_CROWN
    ABOUT_OWN_CROWN
    ABOUT_END
    ABOUT_ENDING
    ABOUT_REPLY              # this and what follows: told where nothing else is
    ABOUT_LITTLE


cdef struct Fact:
    const char* kind         # name of its sentence
    int about
    int better               # 1 if its evidence is the better line, 0 for that of the move played
    int plies                # of that line, up to where it shows
    int count                # pieces
    int given                # by who wins them, and what that side takes
    int taken
    int square               # 0-31, and where it comes from; -1 for none
    int origin


cdef struct Facts:
    int size
    Fact facts[MOST_FACTS]


cdef Fact* add_fact(Facts* facts, int about, const char* kind, int better, int plies) noexcept nogil:
    cdef Fact* fact = &facts.facts[min(facts.size, MOST_FACTS - 1)]
    facts.size = min(facts.size + 1, MOST_FACTS)
    fact.kind = kind
    fact.about = about
    fact.better = better
    fact.plies = plies
    fact.count = fact.given = fact.taken = 0
    fact.square = fact.origin = -1
    return fact


cdef void add_swing(Facts* facts, const char* kind, int better, const Swing* swing, int square) noexcept nogil:
    cdef Fact* fact = add_fact(facts, ABOUT_GAIN if better else ABOUT_LOSS, kind, better, swing.at)
    fact.count = swing.count
    fact.given = swing.given
    fact.taken = swing.taken
    fact.square = square


cdef bint was_threat(const Course* course, const Swing* swing) noexcept nogil:
    """True if the other side could have won the pieces in the same way had it been to move before the first move."""
    cdef Course threat
    cdef Board other = passed(&course.boards[0])
    cdef int i
    begin_course(&threat, &other)
    for i in range(1, swing.at):
        if not extend_course(&threat, course.moves[i]):
            return False
    return swing.begin <= 1


cdef int first_victim(const Course* course, const Swing* swing, int loser) noexcept nogil:
    """The square 0-31 of the only piece in the first capture of who wins, where it stands alone; else -1."""
    cdef int i
    for i in range(swing.begin, swing.at):
        if course.boards[i].side != loser and move_captured(course.moves[i]):
            if popcount(move_captured(course.moves[i])) == 1:
                return plain_square(lsb(move_captured(course.moves[i])))
            return -1
    return -1


cdef bint stands_still(const Course* course, int first, int last, int square) noexcept nogil:
    """True if a piece of the side that the first position has to move stands there in all these positions."""
    cdef int i
    for i in range(first, last):
        if not course.boards[i].pieces[course.boards[first].side] >> padded_square(square) & 1:
            return False
    return True


cdef int attack_of(const Course* course, const Swing* swing, int* square) noexcept nogil:
    """How many pieces the first move attacks, if it wins the one it attacks, which stands at `square`; 0 if not so."""
    cdef const Board* after = &course.boards[swing.begin + 1]
    cdef int count, i
    if swing.taken != 1 or swing.given or swing.at - swing.begin < 3 or has_capture(after, after.side):
        return 0
    count = attacked_by(after, target_bit(course.moves[swing.begin]))
    i = swing.begin + 2
    square[0] = first_victim(course, swing, after.side)
    # it is taken with the piece that attacks it, by the next move
    if (square[0] < 0 or move_captured(course.moves[i]) == 0
            or origin_bit(course.moves[i]) != target_bit(course.moves[swing.begin])
            or not stands_still(course, swing.begin + 1, i, square[0])):
        return 0
    return count


cdef bint can_advance(const Board* board, int bit) noexcept nogil:
    """True if a piece there has a move after which the other side wins nothing by captures alone."""
    cdef MoveList moves
    cdef Board child
    cdef int i
    generate(board, &moves)
    for i in range(moves.size):
        if origin_bit(moves.moves[i]) == bit:
            child = played(board, moves.moves[i])
            if captures_worth(&child) <= 0:
                return True
    return False


cdef int cut_off_man(const Course* line, const Swing* swing) noexcept nogil:
    """Where the man stands that a line loses near the king row, as each of its moves is blocked or loses it; -1 for none."""
    cdef int side = line.boards[0].side
    cdef int at = swing.begin
    cdef int bit, square, first, i
    if swing.taken != 1 or swing.given:
        return -1
    while line.boards[at].side == side or move_captured(line.moves[at]) == 0:
        at += 1
    bit = lsb(move_captured(line.moves[at]))
    square = plain_square(bit)
    first = at
    while first > 0 and target_bit(line.moves[first - 1]) != bit:
        first -= 1
    if line.boards[at].kings >> bit & 1 or (7 - square // 4 if side == BLACK else square // 4) > NEAR or at < first + 4:
        return -1
    for i in range(max(first, 1), at):
        if line.boards[i].side == side and can_advance(&line.boards[i], bit):
            return -1
    return square


cdef void add_losses(Facts* facts, const Course* line, const Course* better) noexcept nogil:
    cdef Swing swing = find_swing(line, -1, 0, better)
    cdef int side = line.boards[0].side
    cdef int square = -1
    cdef int attacks
    # the better line has not lost them, as far as this one goes
    if swing.at == 0 or better.lead[better.end] <= line.lead[line.end] or better.end + 2 < swing.at and not better.held:
        return
    if not is_even_until(better, -1, swing.at + LONGER):
        swing = find_swing(line, -1, -better.lead[better.end], better)
        if better.lead[better.end] < 0 and swing.at:
            add_swing(facts, "loses_more", 0, &swing, -1)
        return
    if swing.at > 1 and was_threat(line, &swing):
        add_swing(facts, "threat", 0, &swing, -1)
    elif line.boards[swing.begin].side != side:
        attacks = attack_of(line, &swing, &square)
        if swing.forced and swing.given == 1 and swing.taken == 2:
            add_swing(facts, "two_for_one", 0, &swing, -1)
        elif swing.forced and swing.given:
            add_swing(facts, "shot", 0, &swing, -1)
        elif attacks > 1:
            add_swing(facts, "breeches", 0, &swing, -1)
        elif cut_off_man(line, &swing) >= 0:
            add_swing(facts, "cut_off", 0, &swing, cut_off_man(line, &swing))
        elif attacks and swing.begin <= ATTACKED_BY and stands_still(line, 2, swing.begin, square):
            add_swing(facts, "attacked", 0, &swing, square)
        else:
            add_swing(facts, "loses", 0, &swing, -1)
    elif swing.begin == 0 and move_captured(line.moves[1]) and swing.given:
        add_swing(facts, "losing_exchange", 0, &swing, -1)
    elif swing.begin == 0 and move_captured(line.moves[1]):
        add_swing(facts, "at_once", 0, &swing, -1)
    elif swing.begin and safe_moves(&line.boards[swing.begin]) == 0:
        add_swing(facts, "no_safe_move", 0, &swing, -1)
        # it shows before the pieces are lost
        facts.facts[facts.size - 1].plies = swing.begin
    else:
        add_swing(facts, "loses", 0, &swing, -1)


cdef void add_gains(Facts* facts, const Course* line, const Course* better) noexcept nogil:
    cdef Swing swing = find_swing(better, 1, 0, line)
    cdef int side = line.boards[0].side
    cdef int square = -1
    cdef int attacks
    if swing.at == 0 or line.lead[line.end] >= better.lead[better.end] or line.end + 2 < swing.at and not line.held:
        return
    if not is_even_until(line, 1, swing.at + LONGER):
        return
    if better.boards[swing.begin].side != side:
        if safe_moves(&better.boards[swing.begin]) == 0:
            add_swing(facts, "bind_missed", 1, &swing, -1)
            facts.facts[facts.size - 1].plies = swing.begin
            return
    elif swing.begin == 0:
        attacks = attack_of(better, &swing, &square)
        if swing.forced and swing.given == 1 and swing.taken == 2:
            add_swing(facts, "two_for_one_missed", 1, &swing, -1)
            return
        if swing.forced and swing.given:
            add_swing(facts, "shot_missed", 1, &swing, -1)
            return
        if attacks > 1:
            add_swing(facts, "breeches_missed", 1, &swing, square)
            return
        if attacks:
            add_swing(facts, "attack_missed", 1, &swing, square)
            return
    add_swing(facts, "wins", 1, &swing, -1)


cdef void add_captures_fact(Facts* facts, const Course* line, const Course* better) noexcept nogil:
    """Of two ways to capture one is worth more."""
    cdef int more = better.lead[better.end] - line.lead[line.end]
    if (move_captured(line.moves[0]) and move_captured(better.moves[0]) and line.moves[0] != better.moves[0]
            and line.end and 0 < better.end <= MOST_SWING and more > 0):
        add_fact(facts, ABOUT_LOSS, "wrong_capture", 1, better.end).count = more


cdef bint crowns_first(const Course* course, int side, const Course* other, bint alone) noexcept nogil:
    """True if a side crowns for good in a line, and could not in another one until long after that, or at all where only
    that counts (`alone`); its opponent crowns long after it, or not, or no later in the other line."""
    cdef int at = crowned_for_good(course, side)
    cdef int answer = crowned_by(course, 1 - side)
    cdef int later = could_crown_by(other, side)
    cdef int other_answer = crowned_by(other, 1 - side)
    if at == 0 or at > MOST_CROWN:
        return False
    if answer and answer < at + RACE and (other_answer == 0 or other_answer > answer + 2):
        return False
    return later >= at + LATE and not alone or later == 0 and (other.size >= at + LONGER or other.held)


cdef void add_kings(Facts* facts, const Course* line, const Course* better) noexcept nogil:
    cdef int side = line.boards[0].side
    cdef int theirs = crowned_for_good(line, 1 - side)
    cdef int ours = crowned_for_good(better, side)
    cdef u64 home = WHITE_KING_ROW if side == BLACK else BLACK_KING_ROW
    cdef int origin = origin_bit(line.moves[0])
    cdef int bit, i, steps, last, square
    cdef Fact* fact
    if crowns_first(line, 1 - side, better, False):
        bit = target_bit(line.moves[theirs - 1])
        # back to where it stands at first; its last moves in a row
        square = bit
        steps = 0
        last = theirs + 1
        for i in range(theirs - 1, 0, -2):
            if target_bit(line.moves[i]) == square:
                square = origin_bit(line.moves[i])
                if last == i + 2:
                    last = i
                    steps += 1
        if bit == origin and square_bit(origin) & home and not line.boards[0].kings >> origin & 1:
            fact = add_fact(facts, ABOUT_CROWN, "back_rank", 0, theirs)
        elif steps >= RUN:
            fact = add_fact(facts, ABOUT_CROWN, "run", 0, theirs)
        else:
            fact = add_fact(facts, ABOUT_CROWN, "crowns", 0, theirs)
        fact.square = plain_square(bit)
        fact.origin = plain_square(square)
    # a king that comes later after the move played, too, is hardly what it gives away
    if crowns_first(better, side, line, True):
        fact = add_fact(facts, ABOUT_OWN_CROWN, "king_missed", 1, ours)
        fact.square = plain_square(target_bit(better.moves[ours - 1]))


cdef int first_known(const Course* course) noexcept nogil:
    """Moves of a line to the first quiet position whose value is known; 0 for none."""
    cdef int i
    for i in range(1, course.size + 1):
        if course.values[i] != VALUE_UNKNOWN and course.quiet[i]:
            return i
    return 0


cdef bint comes_to(const Course* course, int least, int most) noexcept nogil:
    """True if a line comes to a position that is known to have such a value."""
    cdef int i
    for i in range(1, course.size + 1):
        if least <= course.values[i] <= most:
            return True
    return False


cdef void add_ending(Facts* facts, const char* kind, int better, const Course* course, int ply) noexcept nogil:
    cdef Fact* fact = add_fact(facts, ABOUT_ENDING, kind, better, ply)
    fact.given = popcount(course.boards[ply].pieces[course.boards[0].side])
    fact.taken = popcount(course.boards[ply].pieces[1 - course.boards[0].side])


cdef int decided_by_the_move(const Course* course, const Egdb* db, int value) noexcept nogil:
    """Moves of a line that exchanges down to as many pieces of each side, with a value, won or lost, that is so by the
    move: were the other side to move, it would be another; 0 for none."""
    cdef int side = course.boards[0].side
    cdef int pieces = popcount(course.boards[0].pieces[BLACK] | course.boards[0].pieces[WHITE])
    cdef const Board* board
    cdef Board other
    cdef int i, otherwise
    for i in range(1, min(course.size, MOST_SWING) + 1):
        board = &course.boards[i]
        if (course.quiet[i] and course.values[i] != VALUE_UNKNOWN
                and popcount(board.pieces[BLACK] | board.pieces[WHITE]) < pieces):
            other = passed(board)
            otherwise = egdb_value(db, &other)
            if (course.values[i] == value and course.lead[i] == 0
                    and popcount(board.pieces[BLACK]) == popcount(board.pieces[WHITE])
                    and has_opposition(board, side) == (value == VALUE_WIN) and otherwise != VALUE_UNKNOWN
                    and otherwise != (VALUE_WIN - value if board.side == side else value)):
                return i
            return 0
    return 0


cdef bint is_first_position(const Board* board, int winner) noexcept nogil:
    """True if two kings face a king and a man, one of the two before the man."""
    cdef u64 kings = board.pieces[winner] & board.kings
    cdef u64 men = board.pieces[1 - winner] & ~board.kings
    cdef int row
    if popcount(kings) != 2 or popcount(men) != 1 or popcount(board.pieces[BLACK] | board.pieces[WHITE]) != 4:
        return False
    row = plain_square(lsb(men)) // 4
    while kings:
        if (plain_square(lsb(kings)) // 4 > row) == (winner == WHITE) and plain_square(lsb(kings)) // 4 != row:
            return True
        kings &= kings - 1
    return False


cdef void add_endings(Facts* facts, const Course* line, const Course* better, const Egdb* db) noexcept nogil:
    """The first exact value that a line comes to, if the other comes to none as bad, or as good."""
    cdef int side = line.boards[0].side
    cdef int at = decided_by_the_move(line, db, VALUE_LOSS)
    if at and not comes_to(better, VALUE_LOSS, VALUE_LOSS):
        if is_first_position(&line.boards[at], 1 - side):
            add_ending(facts, "first_position", 0, line, at)
        else:
            add_ending(facts, "move_lost", 0, line, at)
    at = decided_by_the_move(better, db, VALUE_WIN)
    if at and not comes_to(line, VALUE_WIN, VALUE_WIN):
        if is_first_position(&better.boards[at], side):
            add_ending(facts, "first_position_missed", 1, better, at)
        else:
            add_ending(facts, "move_missed", 1, better, at)
    at = first_known(line)
    if line.values[0] != VALUE_UNKNOWN:
        return
    if at and at <= MOST_SWING and line.values[at] != VALUE_WIN and not comes_to(better, VALUE_LOSS, line.values[at]):
        if line.values[at] == VALUE_DRAW:
            add_ending(facts, "drawn_ending", 0, line, at)
        else:
            add_ending(facts, "lost_ending", 0, line, at)
    at = first_known(better)
    if at and at <= MOST_SWING and better.values[at] != VALUE_LOSS and not comes_to(line, better.values[at], VALUE_WIN):
        if better.values[at] == VALUE_DRAW:
            add_ending(facts, "draw_missed", 1, better, at)
        else:
            add_ending(facts, "win_missed", 1, better, at)


cdef int exchange_of(const Course* course) noexcept nogil:
    """Plies of an even exchange that the first move offers; 0 for none."""
    cdef Board before = passed(&course.boards[0])
    cdef MoveList due
    cdef int i
    if not course.quiet[0] or course.size < 3 or course.quiet[1] or move_captured(course.moves[1]) == 0:
        return 0
    generate(&before, &due)
    if has_move(&due, course.moves[1]):
        return 0
    for i in range(2, course.size + 1):
        if course.quiet[i]:
            return i if course.lead[i] == 0 and i <= 9 else 0
        if i % 2 and move_captured(course.moves[i]) == 0:
            return 0
    return 0


cdef bint has_soon(const Course* course, Move move) noexcept nogil:
    """True if a move is made within some plies of a line, too: what it does is only put off."""
    cdef int i
    for i in range(2, min(course.size, PUT_OFF), 2):
        if course.moves[i] == move:
            return True
    return False


cdef bint goes_soon(const Course* course, int first, Move move) noexcept nogil:
    """True if a move between the same squares is made within some plies of a line, of which `first` is the first."""
    cdef int i
    for i in range(first, min(course.size, PUT_OFF), 2):
        if origin_bit(course.moves[i]) == origin_bit(move) and target_bit(course.moves[i]) == target_bit(move):
            return True
    return False


cdef bint is_held(const Course* course, int first, int side, int square) noexcept nogil:
    """True if a piece of a side stands there in all quiet positions of some plies."""
    cdef int i
    for i in range(first, first + HOLDS):
        if course.quiet[i] and not course.boards[i].pieces[side] >> square & 1:
            return False
    return True


cdef void add_reply(Facts* facts, const Course* line, const Course* better) noexcept nogil:
    """The better move keeps the square from the reply."""
    cdef int side = line.boards[0].side
    cdef int square
    cdef MoveList moves
    if line.size < 2 or move_captured(line.moves[1]) or not line.quiet[0] or goes_soon(better, 1, line.moves[1]):
        return
    generate(&better.boards[1], &moves)
    if has_move(&moves, line.moves[1]):
        return
    square = target_bit(line.moves[1])
    if (move_captured(moves.moves[0]) == 0 and line.size >= 2 + HOLDS and better.size > HOLDS
            and is_held(line, 2, 1 - side, square) and is_held(better, 1, side, square)):
        if target_bit(better.moves[0]) == square:
            add_fact(facts, ABOUT_REPLY, "square_taken", 1, 1).square = plain_square(square)
        elif origin_bit(line.moves[0]) == square:
            add_fact(facts, ABOUT_REPLY, "square_left", 0, 2).square = plain_square(square)


cdef void find_facts(Course* line, Course* better, const Egdb* db, Facts* facts) noexcept nogil:
    """All facts of a line that begins with the move played, and of one that begins with a better move, the most telling
    first. db: exact values of their positions; NULL for none.
    """
    cdef MoveList moves
    cdef int exchange, other, i
    facts.size = 0
    if line.size < 1 or better.size < 1 or line.moves[0] == better.moves[0]:
        return
    look_up_course(line, db)
    look_up_course(better, db)
    cut_course(line)
    cut_course(better)
    if line.quiet[0]:
        add_losses(facts, line, better)
        add_gains(facts, line, better)
    else:
        add_captures_fact(facts, line, better)
    if line.size % 2 == 0 and line.boards[line.size].pieces[line.boards[0].side] and line.size <= MOST_SWING:
        generate(&line.boards[line.size], &moves)
        if moves.size == 0:
            add_fact(facts, ABOUT_END, "blocked", 0, line.size)
    add_kings(facts, line, better)
    add_endings(facts, line, better, db)
    add_reply(facts, line, better)
    exchange = exchange_of(line)
    other = exchange_of(better)
    if exchange and not other and not has_soon(better, line.moves[0]):
        add_fact(facts, ABOUT_LITTLE, "exchange_wrong", 0, exchange)
    elif other and not exchange and not has_soon(line, better.moves[0]):
        add_fact(facts, ABOUT_LITTLE, "exchange_missed", 1, other)
    for i in range(0, min(line.size, 9), 2):
        if line.moves[i] == better.moves[0]:
            add_fact(facts, ABOUT_LITTLE, "too_late", 0, i + 1)
        # another piece may go that way later
        if origin_bit(line.moves[i]) == origin_bit(better.moves[0]):
            break


cdef void choose_facts(Facts* facts) noexcept nogil:
    """Leave those that are told."""
    cdef int count = 0
    cdef u32 told = 0
    cdef int i
    cdef Fact fact
    for i in range(facts.size):
        fact = facts.facts[i]
        if told >> fact.about & 1 or fact.about >= ABOUT_REPLY and told or count == MOST_TOLD:
            continue
        told |= <u32>1 << fact.about
        facts.facts[count] = fact
        count += 1
    facts.size = count
