# The rules, for Python: moves and positions as plain integers and tuples.

def legal_moves(u32 black, u32 white, u32 kings, int side):
    """Legal moves as a list of (path, captured): squares 0-31 from the origin on, and captured squares as a bitboard.

    Captures that differ only in their path are listed separately.
    """
    cdef Board board = board_from_bits(black, white, kings, side)
    cdef MoveList moves
    cdef int8_t[MAX_MOVES * PATH_LENGTH] paths
    cdef int i, j
    generate_with_paths(&board, &moves, paths)
    pairs = []
    for i in range(moves.size):
        if move_captured(moves.moves[i]):
            path = []
            j = i * PATH_LENGTH
            while paths[j] >= 0:
                path.append(plain_square(paths[j]))
                j += 1
            pairs.append((tuple(path), unpad(move_captured(moves.moves[i]))))
        else:
            pairs.append(((move_from(moves.moves[i]), move_to(moves.moves[i])), 0))
    return pairs


def play(u32 black, u32 white, u32 kings, int side, int origin, int target, u32 captured):
    """The position (black, white, kings, side) after a legal move."""
    cdef Board board = board_from_bits(black, white, kings, side)
    cdef Board child = played(&board, make_move(padded_square(origin), padded_square(target), pad32(captured)))
    return unpad(child.pieces[BLACK]), unpad(child.pieces[WHITE]), unpad(child.kings), child.side


def position_key(u32 black, u32 white, u32 kings, int side):
    """64-bit hash of a position."""
    return board_from_bits(black, white, kings, side).key
