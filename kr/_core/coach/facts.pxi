# Why a move is worse than a better one: facts of the two lines that begin with them. Each must hold in the line that it
# is about and not in the other, so that the better move restores it. docs/reference/sentences.md says when each is told.

cdef enum:
    MOST_FACTS = 12
    RUN = 3                  # moves of a man in a row that make a run
    RACE = 4                 # plies by which a side crowns first
    MOST_CROWN = 11          # plies within which it does
    # in the order in which they are told
    FACT_THREAT = 0
    FACT_SHOT
    FACT_BREECHES
    FACT_ATTACKED
    FACT_LOSING_EXCHANGE
    FACT_AT_ONCE
    FACT_NO_SAFE_MOVE
    FACT_LOSES
    FACT_WRONG_CAPTURE
    FACT_SHOT_MISSED
    FACT_BREECHES_MISSED
    FACT_ATTACK_MISSED
    FACT_BIND_MISSED
    FACT_WINS
    FACT_BLOCKED
    FACT_BACK_RANK
    FACT_RUN
    FACT_CROWNS
    FACT_KING_MISSED
    FACT_LOST_ENDING
    FACT_DRAWN_ENDING
    FACT_EXCHANGE_WRONG
    FACT_EXCHANGE_MISSED
    FACT_TOO_LATE


cdef struct Fact:
    int kind
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


cdef Fact* add_fact(Facts* facts, int kind, int better, int plies) noexcept nogil:
    cdef Fact* fact = &facts.facts[min(facts.size, MOST_FACTS - 1)]
    facts.size = min(facts.size + 1, MOST_FACTS)
    fact.kind = kind
    fact.better = better
    fact.plies = plies
    fact.count = fact.given = fact.taken = 0
    fact.square = fact.origin = -1
    return fact


cdef void add_swing(Facts* facts, int kind, int better, const Swing* swing, int square) noexcept nogil:
    cdef Fact* fact = add_fact(facts, kind, better, swing.at)
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


cdef void add_losses(Facts* facts, const Course* line, const Course* better) noexcept nogil:
    cdef Swing swing = find_swing(line, -1)
    cdef int side = line.boards[0].side
    cdef int square = -1
    cdef int attacks
    # the better line has not lost them, as far as this one goes
    if swing.at == 0 or better.lead[better.end] < 0 or better.end + 2 < swing.at and not better.held:
        return
    if swing.at > 1 and was_threat(line, &swing):
        add_swing(facts, FACT_THREAT, 0, &swing, -1)
    elif line.boards[swing.begin].side != side:
        attacks = attack_of(line, &swing, &square)
        if swing.forced and swing.given:
            add_swing(facts, FACT_SHOT, 0, &swing, -1)
        elif attacks > 1:
            add_swing(facts, FACT_BREECHES, 0, &swing, -1)
        elif attacks:
            add_swing(facts, FACT_ATTACKED, 0, &swing, square)
        else:
            add_swing(facts, FACT_LOSES, 0, &swing, -1)
    elif swing.begin == 0:
        add_swing(facts, FACT_LOSING_EXCHANGE if swing.given else FACT_AT_ONCE, 0, &swing, -1)
    elif safe_moves(&line.boards[swing.begin]) == 0:
        add_swing(facts, FACT_NO_SAFE_MOVE, 0, &swing, -1)
        # it shows before the pieces are lost
        facts.facts[facts.size - 1].plies = swing.begin
    else:
        add_swing(facts, FACT_LOSES, 0, &swing, -1)


cdef void add_gains(Facts* facts, const Course* line, const Course* better) noexcept nogil:
    cdef Swing swing = find_swing(better, 1)
    cdef int side = line.boards[0].side
    cdef int square = -1
    cdef int attacks
    if swing.at == 0 or line.lead[line.end] > 0 or line.end + 2 < swing.at and not line.held:
        return
    if better.boards[swing.begin].side != side:
        if safe_moves(&better.boards[swing.begin]) == 0:
            add_swing(facts, FACT_BIND_MISSED, 1, &swing, -1)
            facts.facts[facts.size - 1].plies = swing.begin
            return
    elif swing.begin == 0:
        attacks = attack_of(better, &swing, &square)
        if swing.forced and swing.given:
            add_swing(facts, FACT_SHOT_MISSED, 1, &swing, -1)
            return
        if attacks:
            add_swing(facts, FACT_BREECHES_MISSED if attacks > 1 else FACT_ATTACK_MISSED, 1, &swing, square)
            return
    add_swing(facts, FACT_WINS, 1, &swing, -1)


cdef void add_captures_fact(Facts* facts, const Course* line, const Course* better) noexcept nogil:
    """Of two ways to capture one is worth more."""
    cdef int more = better.lead[better.end] - line.lead[line.end]
    if (move_captured(line.moves[0]) and move_captured(better.moves[0]) and line.moves[0] != better.moves[0]
            and line.end and 0 < better.end <= MOST_SWING and more > 0):
        add_fact(facts, FACT_WRONG_CAPTURE, 1, better.end).count = more


cdef bint crowns_first(const Course* course, int side, const Course* other) noexcept nogil:
    """True if a side crowns for good in a line, and long before its opponent; in another one long after that, or not."""
    cdef int at = crowned_for_good(course, side)
    cdef int answer = crowned_by(course, 1 - side)
    cdef int later = crowned_by(other, side)
    if at == 0 or at > MOST_CROWN or answer and answer < at + RACE:
        return False
    return later > at + RACE or later == 0 and (other.size + 1 >= at or other.held)


cdef void add_kings(Facts* facts, const Course* line, const Course* better) noexcept nogil:
    cdef int side = line.boards[0].side
    cdef int theirs = crowned_for_good(line, 1 - side)
    cdef int ours = crowned_for_good(better, side)
    cdef u64 home = WHITE_KING_ROW if side == BLACK else BLACK_KING_ROW
    cdef int origin = origin_bit(line.moves[0])
    cdef int bit, i, steps, square
    cdef Fact* fact
    if crowns_first(line, 1 - side, better):
        bit = target_bit(line.moves[theirs - 1])
        steps = 1
        i = theirs - 1
        # back to where its last moves in a row began
        square = origin_bit(line.moves[i])
        while i >= 3 and target_bit(line.moves[i - 2]) == square:
            i -= 2
            square = origin_bit(line.moves[i])
            steps += 1
        if bit == origin and square_bit(origin) & home and not line.boards[0].kings >> origin & 1:
            fact = add_fact(facts, FACT_BACK_RANK, 0, theirs)
        else:
            fact = add_fact(facts, FACT_RUN if steps >= RUN else FACT_CROWNS, 0, theirs)
        fact.square = plain_square(bit)
        fact.origin = plain_square(square)
    if crowns_first(better, side, line):
        add_fact(facts, FACT_KING_MISSED, 1, ours).square = plain_square(target_bit(better.moves[ours - 1]))


cdef void add_endings(Facts* facts, const Course* line, const Course* better, const int* values,
                      const int* better_values) noexcept nogil:
    """The first exact value that the line comes to, if the better one comes to none as bad."""
    cdef int i, k, value
    cdef Fact* fact
    for i in range(1, line.size + 1):
        if values[i] >= 0:
            break
    else:
        return
    value = values[i]
    if values[0] >= 0 or value == 2 or i > MOST_SWING:
        return
    for k in range(1, better.size + 1):
        if 0 <= better_values[k] <= value:
            return
    fact = add_fact(facts, FACT_DRAWN_ENDING if value else FACT_LOST_ENDING, 0, i)
    fact.given = popcount(line.boards[i].pieces[line.boards[0].side])
    fact.taken = popcount(line.boards[i].pieces[1 - line.boards[0].side])


cdef int exchange_of(const Course* course) noexcept nogil:
    """Plies of an even exchange that the first move offers; 0 for none."""
    cdef int i
    if not course.quiet[0] or course.size < 3 or course.quiet[1] or move_captured(course.moves[1]) == 0:
        return 0
    for i in range(2, course.size + 1):
        if course.quiet[i]:
            return i if course.lead[i] == 0 and i <= 9 else 0
        if i % 2 and move_captured(course.moves[i]) == 0:
            return 0
    return 0


cdef void find_facts(Course* line, Course* better, const int* values, const int* better_values,
                     Facts* facts) noexcept nogil:
    """Facts of a line that begins with the move played, and of one that begins with a better move.

    values: exact ones of their positions for the side to move in the first; 0 a loss, 1 a draw, 2 a win, -1 not known.
    """
    cdef MoveList moves
    cdef int exchange, other, i
    facts.size = 0
    if line.size < 1 or better.size < 1 or line.moves[0] == better.moves[0]:
        return
    cut_course(line, values)
    cut_course(better, better_values)
    if line.quiet[0]:
        add_losses(facts, line, better)
        add_gains(facts, line, better)
    else:
        add_captures_fact(facts, line, better)
    if line.size % 2 == 0 and line.boards[line.size].pieces[line.boards[0].side] and line.size <= MOST_SWING:
        generate(&line.boards[line.size], &moves)
        if moves.size == 0:
            add_fact(facts, FACT_BLOCKED, 0, line.size)
    add_kings(facts, line, better)
    add_endings(facts, line, better, values, better_values)
    exchange = exchange_of(line)
    other = exchange_of(better)
    if exchange and not other:
        add_fact(facts, FACT_EXCHANGE_WRONG, 0, exchange)
    elif other and not exchange:
        add_fact(facts, FACT_EXCHANGE_MISSED, 1, other)
    for i in range(2, min(line.size, 9), 2):
        if line.moves[i] == better.moves[0]:
            add_fact(facts, FACT_TOO_LATE, 0, i + 1)
            break
