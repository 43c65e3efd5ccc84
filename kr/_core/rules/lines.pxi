# Games in their plainest text, read and replayed at once.

from cpython.object cimport PyObject

cdef extern from "Python.h":
    u32 PyUnicode_ReadChar(PyObject* text, Py_ssize_t at)

cdef enum:
    NO_CODE = 0xFFFF         # in place of a move after the last one
    MOST_SQUARES = 12        # in the text of a move
    # results, in the order of kr.game.value.Result
    BLACK_WON = 0
    WHITE_WON = 1
    DRAWN = 2
    BOTH_LOST = 3
    UNFINISHED = 4


cdef struct Letters:
    # Characters of a text; those beyond its end are 0.
    PyObject* text
    Py_ssize_t size


cdef inline u32 letter(const Letters* text, Py_ssize_t at) noexcept:
    return PyUnicode_ReadChar(text.text, at) if at < text.size else 0


cdef inline bint is_digit(u32 character) noexcept nogil:
    return 48 <= character <= 57


cdef inline bint ends_word(u32 character) noexcept nogil:
    """True for a blank, the end of a line, and 0, which also stands at the end of the text."""
    return character == 32 or character == 10 or character == 0


cdef inline int read_number(const Letters* text, Py_ssize_t* at) noexcept:
    """A number of up to three digits; -1 for none or more."""
    cdef Py_ssize_t first = at[0]
    cdef int number = 0
    while is_digit(letter(text, at[0])):
        number = 10 * number + <int>letter(text, at[0]) - 48
        at[0] += 1
        if at[0] - first > 3:
            return -1
    return number if at[0] > first else -1


cdef int read_result(const Letters* text, Py_ssize_t* at) noexcept:
    """The result that stands here as a word by itself, -1 for none; `at` moves behind it."""
    cdef const char* words = "1-0 0-1 1/2-1/2 0-0 * "
    cdef Py_ssize_t end
    cdef int number = 0
    while words[0]:
        end = at[0]
        while words[0] != 32 and letter(text, end) == <u32>words[0]:
            words += 1
            end += 1
        if words[0] == 32 and ends_word(letter(text, end)):
            at[0] = end
            return number
        while words[0] != 32:
            words += 1
        words += 1
        number += 1
    return -1


cdef Move named_move(const Board* board, const int* squares, int count, int* code) noexcept nogil:
    """The only legal move that these squares 0-31 may mean, and its 16-bit code; 0 if it needs the full reader."""
    cdef MoveList moves, walks
    cdef int8_t[MAX_MOVES * PATH_LENGTH] paths
    cdef const int8_t* path
    cdef Move move = 0
    cdef int i, j
    generate(board, &moves)
    if count == 2:
        for i in range(moves.size):
            if move_from(moves.moves[i]) == squares[0] and move_to(moves.moves[i]) == squares[1]:
                if move:
                    return 0
                move = moves.moves[i]
    elif moves.size and move_captured(moves.moves[0]):
        generate_with_paths(board, &walks, paths)
        for i in range(walks.size):
            path = &paths[i * PATH_LENGTH]
            j = 0
            while j < count and path[j] >= 0 and plain_square(path[j]) == squares[j]:
                j += 1
            if j == count and path[j] < 0:
                move = walks.moves[i]
                break
    if move:
        code[0] = move_code(&moves, move)
    return move


def read_line(str text, Py_ssize_t at, u32 black, u32 white, u32 kings, int side,
              uint64_t[::1] keys, uint16_t[::1] codes):
    """Read and replay moves with their numbers, and the result after them, from an offset of a text.

    keys: takes the hash of the start and of the position after each move. codes: takes the 16-bit code of the move
    played in each of these positions, the last one being 0xFFFF. Returns the number of moves, the number of the result
    in the order of kr.game.value.Result, and the offset behind it; None for all that needs to be looked at closely:
    notes, ambiguous and illegal moves, other ways of writing, games longer than keys and codes.
    """
    cdef Letters letters
    cdef Board board = board_from_bits(black, white, kings, side)
    cdef int squares[MOST_SQUARES]
    cdef int plies = 0, count, number, result, code = 0
    cdef Py_ssize_t most = min(keys.shape[0], codes.shape[0])
    cdef Py_ssize_t begin
    cdef u32 separator
    cdef Move move
    letters.text, letters.size = <PyObject*>text, len(text)
    if at < 0 or most < 1:
        return None
    while True:
        while at < letters.size and (letter(&letters, at) == 32 or letter(&letters, at) == 10):
            at += 1
        keys[plies] = board.key
        begin = at
        number = read_number(&letters, &at)
        separator = letter(&letters, at)
        # the number of a move; "1." among the moves may begin another game
        if number >= 0 and separator == 46:
            at += 1
            if (number == 1 and plies) or letter(&letters, at) == 46:
                return None
            continue
        if number < 1 or number > 32 or separator != 45 and separator != 120:
            break
        squares[0] = number - 1
        count = 1
        while letter(&letters, at) == separator and count < MOST_SQUARES:
            at += 1
            number = read_number(&letters, &at)
            if number < 1 or number > 32:
                break
            squares[count] = number - 1
            count += 1
        if number < 1 or number > 32 or not ends_word(letter(&letters, at)):
            break
        move = named_move(&board, squares, count, &code)
        if move == 0 or plies + 1 >= most:
            return None
        codes[plies] = <uint16_t>code
        board = played(&board, move)
        plies += 1
    at = begin
    result = read_result(&letters, &at)
    if result < 0:
        return None
    codes[plies] = NO_CODE
    return plies, result, at
