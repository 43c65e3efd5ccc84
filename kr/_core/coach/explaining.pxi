# Facts of lines, for Python.

FACT_KINDS = (
    "threat", "shot", "breeches", "attacked", "losing_exchange", "at_once", "no_safe_move", "loses", "wrong_capture",
    "shot_missed", "breeches_missed", "attack_missed", "bind_missed", "wins", "blocked", "back_rank", "run", "crowns",
    "king_missed", "lost_ending", "drawn_ending", "exchange_wrong", "exchange_missed", "too_late",
)


cdef void read_course(Course* course, const Board* board, line):
    begin_course(course, board)
    for origin, target, captured in line:
        if not extend_course(course, make_move(padded_square(origin), padded_square(target), pad32(captured))):
            return


def line_facts(u32 black, u32 white, u32 kings, int side, played_line, better_line, played_values, better_values):
    """Why the first move of a line is worse than that of a better one, as (kind, better, plies, count, given, taken,
    square, origin), the most telling first.

    A line is a list of (origin, target, captured), read as far as it is legal, 24 moves at most. Values are those of its
    positions, from the first on, for the side to move there: 0 a loss, 1 a draw, 2 a win, -1 if it is not known.
    """
    cdef Board board = board_from_bits(black, white, kings, side)
    cdef Course line, better
    cdef Facts facts
    cdef int[2][MOST_LINE + 1] values
    cdef int i
    read_course(&line, &board, played_line)
    read_course(&better, &board, better_line)
    for i in range(MOST_LINE + 1):
        values[0][i] = played_values[i] if i < len(played_values) else -1
        values[1][i] = better_values[i] if i < len(better_values) else -1
    find_facts(&line, &better, values[0], values[1], &facts)
    found = []
    for i in range(facts.size):
        fact = facts.facts[i]
        found.append((FACT_KINDS[fact.kind], bool(fact.better), fact.plies, fact.count, fact.given, fact.taken, fact.square,
                      fact.origin))
    return found
