# Facts of lines, for C.

cdef void read_moves(Course* course, const Board* board, const kr_move* moves, int length) noexcept nogil:
    cdef Move move
    cdef int i
    begin_course(course, board)
    for i in range(length):
        move = legal_move(&course.boards[course.size], &moves[i])
        if move == 0 or not extend_course(course, move):
            return


cdef public int kr_line_facts(const kr_database* database, const kr_position* position, const kr_move* played,
                              int played_length, const kr_move* better, int better_length, kr_fact* facts) noexcept nogil:
    cdef const Egdb* db = NULL
    cdef Course line, better_line
    cdef Facts found
    cdef Board board
    cdef const Fact* fact
    cdef int i
    if kr_check(position):
        return KR_ILLEGAL
    board = board_of(position)
    read_moves(&line, &board, played, played_length)
    read_moves(&better_line, &board, better, better_length)
    if database != NULL:
        db = &(<const Store*>database).db
    find_facts(&line, &better_line, db, &found)
    choose_facts(&found)
    for i in range(found.size):
        fact = &found.facts[i]
        facts[i].kind = fact.kind
        facts[i].better = fact.better
        facts[i].plies = fact.plies
        facts[i].count = fact.count
        facts[i].given = fact.given
        facts[i].taken = fact.taken
        facts[i].square = fact.square + 1
        facts[i].origin = fact.origin + 1
    return found.size
