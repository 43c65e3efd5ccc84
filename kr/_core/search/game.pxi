# The game around a search: the positions before the root, and the end of lines that the database knows.

cdef enum:
    MAX_WHOLE_LINE = 512     # moves of a line to the end of the game: the longest distance is below 500 plies


cdef inline bint only_a_king_moved(const Board* before, const Board* after) noexcept nogil:
    """True if a king's quiet move leads from one position to the next."""
    return (popcount(before.pieces[BLACK] | before.pieces[WHITE]) == popcount(after.pieces[BLACK] | after.pieces[WHITE])
            and before.pieces[BLACK] & ~before.kings == after.pieces[BLACK] & ~after.kings
            and before.pieces[WHITE] & ~before.kings == after.pieces[WHITE] & ~after.kings)


cdef void set_history(Worker* worker, const Board* positions, int count) noexcept nogil:
    """Set the keys and reversible plies of the positions of the game, the root being the last; at most MAX_GAME."""
    cdef int i
    worker.root_index = count - 1
    worker.reversible[0] = 0
    for i in range(count):
        worker.keys[i] = positions[i].key
        if i > 0:
            worker.reversible[i] = (
                worker.reversible[i - 1] + 1 if only_a_king_moved(&positions[i - 1], &positions[i]) else 0)


cdef int whole_line(const Line* line, const Board* root, const Egdb* db, Move* moves, int room) noexcept nogil:
    """Moves of a line, continued by best play to the end if it ends at a known distance in the database; their number.

    db: NULL for none; room: most moves.
    """
    cdef Board board = root[0]
    cdef Move move
    cdef int count = 0
    cdef int left = SCORE_WIN - abs(line.score) - line.length
    while count < min(line.length, room):
        moves[count] = line.moves[count]
        board = played(&board, moves[count])
        count += 1
    if db != NULL and abs(line.score) > SCORE_DECIDED:
        while left > 0 and count < room:
            move = best_known_move(db, &board)
            if move == 0:
                break
            moves[count] = move
            board = played(&board, move)
            count += 1
            left -= 1
    return count
