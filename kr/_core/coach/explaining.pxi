# Facts of lines, for Python.

cdef void read_course(Course* course, const Board* board, line):
    begin_course(course, board)
    for origin, target, captured in line:
        if not extend_course(course, make_move(padded_square(origin), padded_square(target), pad32(captured))):
            return


def line_facts(u32 black, u32 white, u32 kings, int side, played, better, EndgameDatabase database=None, bint every=False):
    """Why the first move of a line is worse than that of a better one, as (kind, better, plies, count, given, taken,
    square, origin), the most telling first: those to be told, or every one.

    A line is a list of (origin, target, captured), read as far as it is legal, 40 moves at most. database: exact values.
    """
    cdef Board board = board_from_bits(black, white, kings, side)
    cdef Course line, better_line
    cdef Facts facts
    cdef int i
    read_course(&line, &board, played)
    read_course(&better_line, &board, better)
    find_facts(&line, &better_line, NULL if database is None else &database.db, &facts)
    if not every:
        choose_facts(&facts)
    found = []
    for i in range(facts.size):
        fact = facts.facts[i]
        found.append((fact.kind.decode(), bool(fact.better), fact.plies, fact.count, fact.given, fact.taken, fact.square,
                      fact.origin))
    return found
