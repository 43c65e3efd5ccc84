# The rules for C: positions, moves, and their texts.

cdef inline Board board_of(const kr_position* position) noexcept nogil:
    return board_from_bits(position.black, position.white, position.kings, position.side)


cdef inline kr_position position_of(const Board* board) noexcept nogil:
    cdef kr_position position
    position.black = unpad(board.pieces[BLACK])
    position.white = unpad(board.pieces[WHITE])
    position.kings = unpad(board.kings)
    position.side = board.side
    return position


cdef inline kr_move squares_of(Move move) noexcept nogil:
    cdef kr_move squares
    squares.origin = <uint8_t>(move_from(move) + 1)
    squares.to = <uint8_t>(move_to(move) + 1)
    squares.unused = 0
    squares.captured = unpad(move_captured(move))
    return squares


cdef Move legal_move(const Board* board, const kr_move* squares) noexcept nogil:
    """The move of these squares; 0 if it isn't legal."""
    cdef MoveList moves
    cdef kr_move other
    cdef int i
    generate(board, &moves)
    for i in range(moves.size):
        other = squares_of(moves.moves[i])
        if other.origin == squares.origin and other.to == squares.to and other.captured == squares.captured:
            return moves.moves[i]
    return 0


cdef public kr_position kr_start() noexcept nogil:
    cdef kr_position position
    position.black = 0xFFF
    position.white = <u32>0xFFF00000
    position.kings = 0
    position.side = BLACK
    return position


cdef public int kr_check(const kr_position* position) noexcept nogil:
    cdef u32 pieces = position.black | position.white
    if (position.black & position.white or position.kings & ~pieces
            or popcount(position.black) > MOST_PIECES or popcount(position.white) > MOST_PIECES
            or position.black & ~position.kings & <u32>0xF0000000 or position.white & ~position.kings & 0xF
            or position.side != BLACK and position.side != WHITE):
        return KR_ILLEGAL
    return KR_OK


cdef public int kr_moves(const kr_position* position, kr_move* moves) noexcept nogil:
    cdef Board board
    cdef MoveList found
    cdef int i
    if kr_check(position):
        return KR_ILLEGAL
    board = board_of(position)
    generate(&board, &found)
    for i in range(found.size):
        moves[i] = squares_of(found.moves[i])
    return found.size


cdef public int kr_play(const kr_position* position, const kr_move* move, kr_position* after) noexcept nogil:
    cdef Board board
    cdef Move chosen
    if kr_check(position):
        return KR_ILLEGAL
    board = board_of(position)
    chosen = legal_move(&board, move)
    if chosen == 0:
        return KR_ILLEGAL
    board = played(&board, chosen)
    after[0] = position_of(&board)
    return KR_OK


cdef public int kr_path(const kr_position* position, const kr_move* move, uint8_t* squares) noexcept nogil:
    cdef Board board
    cdef MoveList moves
    cdef Move chosen
    cdef int8_t paths[MAX_MOVES * PATH_LENGTH]
    cdef int i, count
    if kr_check(position):
        return KR_ILLEGAL
    board = board_of(position)
    chosen = legal_move(&board, move)
    if chosen == 0:
        return KR_ILLEGAL
    if move_captured(chosen) == 0:
        squares[0] = move.origin
        squares[1] = move.to
        return 2
    generate_with_paths(&board, &moves, paths)
    for i in range(moves.size):
        if moves.moves[i] == chosen:
            count = 0
            while paths[i * PATH_LENGTH + count] >= 0:
                squares[count] = <uint8_t>(plain_square(paths[i * PATH_LENGTH + count]) + 1)
                count += 1
            return count
    return KR_ILLEGAL


# ---- FEN ----

cdef inline void skip_blanks(const char** at) noexcept nogil:
    while at[0][0] == c' ' or c'\t' <= at[0][0] <= c'\r':
        at[0] += 1


cdef inline int read_letter(const char** at) noexcept nogil:
    """The next character in upper case, behind blanks."""
    cdef int letter
    skip_blanks(at)
    letter = at[0][0]
    if letter:
        at[0] += 1
    return letter - 32 if c'a' <= letter <= c'z' else letter


cdef inline int read_square(const char** at) noexcept nogil:
    """A square 1-32 in digits; 0 for anything else."""
    cdef int number = 0
    skip_blanks(at)
    while c'0' <= at[0][0] <= c'9':
        number = 10 * number + at[0][0] - c'0'
        if number > 32:
            return 0
        at[0] += 1
    return number


cdef bint read_pieces(const char** at, kr_position* position) noexcept nogil:
    """Read a side and its pieces, such as W18,24,K10; False if it isn't that, or the side was there before."""
    cdef int side = read_letter(at)
    cdef u32* pieces = &position.white if side == c'W' else &position.black
    cdef u32 bit
    cdef bint crowned
    cdef int square
    if side != c'W' and side != c'B' or pieces[0]:
        return False
    skip_blanks(at)
    if at[0][0] == c':' or at[0][0] == c'.' or at[0][0] == 0:
        return True
    while True:
        skip_blanks(at)
        crowned = at[0][0] == c'K' or at[0][0] == c'k'
        if crowned:
            at[0] += 1
        square = read_square(at)
        if square == 0:
            return False
        bit = <u32>1 << (square - 1)
        if (position.black | position.white) & bit:
            return False
        pieces[0] |= bit
        if crowned:
            position.kings |= bit
        skip_blanks(at)
        if at[0][0] != c',':
            return True
        at[0] += 1


cdef public int kr_read_fen(const char* text, kr_position* position) noexcept nogil:
    cdef kr_position found
    cdef int side = read_letter(&text)
    found.black = found.white = found.kings = 0
    found.side = WHITE if side == c'W' else BLACK
    if side != c'W' and side != c'B' or read_letter(&text) != c':':
        return KR_ILLEGAL
    skip_blanks(&text)
    # two colours, one of which may have no pieces
    side = text[0] & ~32
    if not read_pieces(&text, &found) or read_letter(&text) != c':':
        return KR_ILLEGAL
    skip_blanks(&text)
    if text[0] & ~32 == side or not read_pieces(&text, &found):
        return KR_ILLEGAL
    skip_blanks(&text)
    if text[0] == c'.':
        text += 1
    skip_blanks(&text)
    if text[0] or kr_check(&found):
        return KR_ILLEGAL
    position[0] = found
    return KR_OK


cdef inline char* write_pieces(char* text, char side, u32 pieces, u32 kings) noexcept nogil:
    cdef int square
    text[0] = c':'
    text[1] = side
    text += 2
    for square in range(1, 33):
        if pieces >> (square - 1) & 1:
            if (text - 1)[0] != side:
                text[0] = c','
                text += 1
            if kings >> (square - 1) & 1:
                text[0] = c'K'
                text += 1
            if square >= 10:
                text[0] = <char>(c'0' + square // 10)
                text += 1
            text[0] = <char>(c'0' + square % 10)
            text += 1
    return text


cdef public int kr_write_fen(const kr_position* position, char* text) noexcept nogil:
    if kr_check(position):
        return KR_ILLEGAL
    text[0] = c'W' if position.side == WHITE else c'B'
    text = write_pieces(text + 1, c'W', position.white, position.kings)
    text = write_pieces(text, c'B', position.black, position.kings)
    text[0] = 0
    return KR_OK
