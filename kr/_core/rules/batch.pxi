# The rules over many positions at once: arrays of boards (n, 3: black, white, kings) with Black to move, as endgame
# samples have them.
#
# A position in which something can be captured is resolved by rule: all captures, answers to them and so on, until the
# side to move has nothing to capture. The tree is kept as one byte a node, each before its children.

cdef enum:
    NODE_LOST = 0               # the side to move has lost: no pieces, or no move
    NODE_WON = 254              # the opponent has no pieces
    NODE_LEAF = 255             # a quiet position; any other number is that of the children

cdef struct CaptureNodes:
    uint8_t* nodes
    u32* leaves                 # rows of three, Black to move
    Py_ssize_t size
    Py_ssize_t room
    Py_ssize_t leaf_count
    Py_ssize_t leaf_room


cdef inline Board black_to_move(const u32* row) noexcept nogil:
    """The board of a row, without its key."""
    cdef Board board
    board.pieces[BLACK] = pad32(row[0])
    board.pieces[WHITE] = pad32(row[1])
    board.kings = pad32(row[2])
    board.side = BLACK
    board.key = 0
    return board


cdef inline void write_row(const Board* board, u32* row) noexcept nogil:
    """The board as a row, turned if White is to move."""
    cdef u32 own = unpad(board.pieces[board.side])
    cdef u32 opponent = unpad(board.pieces[1 - board.side])
    cdef u32 kings = unpad(board.kings)
    row[0] = own if board.side == BLACK else rotated32(own)
    row[1] = opponent if board.side == BLACK else rotated32(opponent)
    row[2] = kings if board.side == BLACK else rotated32(kings)


cdef bint make_room(void** memory, Py_ssize_t* room, Py_ssize_t count, size_t item) noexcept nogil:
    """Let an array have this many items at least; False without the memory."""
    cdef void* larger
    if count > room[0]:
        larger = realloc(memory[0], 2 * count * item)
        if larger == NULL:
            return False
        memory[0] = larger
        room[0] = 2 * count
    return True


cdef bint add_capture_nodes(CaptureNodes* tree, const Board* board) noexcept nogil:
    """Add the tree of a position; False without the memory. It ends, since every capture takes a piece away."""
    cdef MoveList moves
    cdef Board child
    cdef int node, i
    if not make_room(<void**>&tree.nodes, &tree.room, tree.size + 1, 1):
        return False
    if board.pieces[board.side] == 0:
        node = NODE_LOST
    elif board.pieces[1 - board.side] == 0:
        node = NODE_WON
    elif has_capture(board, board.side):
        generate(board, &moves)
        tree.nodes[tree.size] = <uint8_t>moves.size
        tree.size += 1
        for i in range(moves.size):
            child = played(board, moves.moves[i])
            if not add_capture_nodes(tree, &child):
                return False
        return True
    elif not has_quiet(board, board.side):
        node = NODE_LOST
    else:
        node = NODE_LEAF
        if not make_room(<void**>&tree.leaves, &tree.leaf_room, tree.leaf_count + 1, 3 * sizeof(u32)):
            return False
        write_row(board, &tree.leaves[3 * tree.leaf_count])
        tree.leaf_count += 1
    tree.nodes[tree.size] = <uint8_t>node
    tree.size += 1
    return True


cdef inline float expectation(const float* probabilities) noexcept nogil:
    """Expected result, a win counting 1 and a draw a half."""
    return probabilities[2] + 0.5 * probabilities[1]


cdef const uint8_t* back_up_node(const uint8_t* node, const float** leaf, float* result) noexcept nogil:
    """Minimax below a node: loss, draw and win for its side to move. Returns the node after its tree, and moves `leaf`
    behind its leaves; of equal children the first counts."""
    cdef int children = node[0]
    cdef float child[3]
    cdef float least = 2
    cdef float value
    cdef int i
    node += 1
    if children == NODE_LEAF:
        result[0], result[1], result[2] = leaf[0][0], leaf[0][1], leaf[0][2]
        leaf[0] += 3
        return node
    result[0] = children == NODE_LOST
    result[1] = 0
    result[2] = children == NODE_WON
    if children == NODE_LOST or children == NODE_WON:
        return node
    for i in range(children):
        node = back_up_node(node, leaf, child)
        value = expectation(child)
        if i == 0 or value < least:
            least = value
            result[0], result[1], result[2] = child[2], child[1], child[0]
    return node


cdef Py_ssize_t wrong_row(const u32[:, ::1] boards) except -2:
    """Number of the first row that is not a board, -1 if all are. Raises ValueError for another shape."""
    cdef Py_ssize_t i
    if boards.shape[1] != 3:
        raise ValueError(f"boards have the shape (n, 3): black, white, kings; not (n, {boards.shape[1]})")
    with nogil:
        for i in range(boards.shape[0]):
            if boards[i, 0] & boards[i, 1] or boards[i, 2] & ~(boards[i, 0] | boards[i, 1]):
                break
        else:
            i = -1
    return i


cdef int check_boards(const u32[:, ::1] boards) except -1:
    """Raise ValueError unless every row is a board."""
    cdef Py_ssize_t row = wrong_row(boards)
    if row >= 0:
        raise ValueError(f"row {row} is not a board: a square has two pieces, or a king without a piece")
    return 0


def pending_captures(const uint32_t[:, ::1] boards not None):
    """bool (n,): True where the side to move has a capture. Releases the GIL.

    boards: uint32 (n, 3), black, white and kings, Black to move. Raises ValueError for anything else.
    """
    import numpy as np
    check_boards(boards)
    array = np.empty(boards.shape[0], dtype=bool)
    cdef uint8_t[::1] captures = array.view(np.uint8)
    cdef Board board
    cdef Py_ssize_t i
    with nogil:
        for i in range(boards.shape[0]):
            board = black_to_move(&boards[i, 0])
            captures[i] = has_capture(&board, BLACK)
    return array


def successors(const uint32_t[:, ::1] boards not None):
    """Positions after each legal move: (children, first). Releases the GIL.

    children: uint32 (m, 3), turned so that Black is to move; those of position i are first[i] to first[i + 1], in the
    order of the moves; none if it has no move. A child's side to move may have no pieces left. first: int64 (n + 1,).
    boards: uint32 (n, 3), black, white and kings, Black to move. Raises ValueError for anything else.
    """
    import numpy as np
    check_boards(boards)
    starts = np.empty(boards.shape[0] + 1, dtype=np.int64)
    cdef int64_t[::1] first = starts
    cdef u32* rows = NULL
    cdef Py_ssize_t size = 0
    cdef Py_ssize_t room = 0
    cdef bint enough = True
    cdef MoveList moves
    cdef Board board, child
    cdef Py_ssize_t i
    cdef int j
    try:
        with nogil:
            for i in range(boards.shape[0]):
                first[i] = size
                board = black_to_move(&boards[i, 0])
                generate(&board, &moves)
                enough = make_room(<void**>&rows, &room, size + moves.size, 3 * sizeof(u32))
                if not enough:
                    break
                for j in range(moves.size):
                    child = played(&board, moves.moves[j])
                    write_row(&child, &rows[3 * size])
                    size += 1
        if not enough:
            raise MemoryError(f"no memory for the successors of {boards.shape[0]} positions")
        first[boards.shape[0]] = size
        return rows_as_array(rows, size), starts
    finally:
        free(rows)


cdef rows_as_array(const u32* rows, Py_ssize_t size):
    import numpy as np
    array = np.empty((size, 3), dtype=np.uint32)
    cdef u32[:, ::1] target = array
    if size:
        memcpy(&target[0, 0], rows, 3 * size * sizeof(u32))
    return array


cdef class CaptureTree:
    """Positions with all their captures resolved; made by `capture_leaves`.

    leaves: uint32 (m, 3), quiet positions turned so that Black is to move, both sides with pieces and the side to move
    with a move; a position that is such itself is its own leaf. length: number of positions.
    """
    cdef bytes nodes
    cdef readonly object leaves
    cdef readonly Py_ssize_t length

    def __len__(self):
        return self.length

    def back_up(self, const float[:, ::1] probabilities not None):
        """float32 (n, 3): loss, draw and win of every position for its side to move, by minimax from those of the
        leaves; the side to move takes the capture with the greatest win + draw / 2, of equal ones the first. Releases
        the GIL.

        probabilities: float32 (m, 3), loss, draw and win of each leaf for its side to move. Raises ValueError for
        another shape.
        """
        import numpy as np
        if probabilities.shape[0] != len(self.leaves) or probabilities.shape[1] != 3:
            raise ValueError(f"probabilities have the shape ({len(self.leaves)}, 3) here, one row a leaf; "
                             f"not ({probabilities.shape[0]}, {probabilities.shape[1]})")
        array = np.empty((self.length, 3), dtype=np.float32)
        cdef float[:, ::1] results = array
        cdef const uint8_t* node = self.nodes
        cdef const float* leaf = &probabilities[0, 0] if probabilities.shape[0] else NULL
        cdef Py_ssize_t i
        with nogil:
            for i in range(self.length):
                node = back_up_node(node, &leaf, &results[i, 0])
        return array


def capture_leaves(const uint32_t[:, ::1] boards not None):
    """Resolve captures by rule down to quiet positions: a CaptureTree. Releases the GIL.

    A side without pieces, or to move without a move, has lost.
    boards: uint32 (n, 3), black, white and kings, Black to move. Raises ValueError for anything else.
    """
    cdef CaptureNodes nodes
    cdef CaptureTree tree = CaptureTree.__new__(CaptureTree)
    cdef bint enough = True
    cdef Board board
    cdef Py_ssize_t i
    check_boards(boards)
    memset(&nodes, 0, sizeof(CaptureNodes))
    try:
        with nogil:
            for i in range(boards.shape[0]):
                board = black_to_move(&boards[i, 0])
                enough = add_capture_nodes(&nodes, &board)
                if not enough:
                    break
        if not enough:
            raise MemoryError(f"no memory for the captures of {boards.shape[0]} positions")
        tree.length = boards.shape[0]
        tree.nodes = (<char*>nodes.nodes)[:nodes.size] if nodes.size else b""
        tree.leaves = rows_as_array(nodes.leaves, nodes.leaf_count)
        tree.leaves.setflags(write=False)
        return tree
    finally:
        free(nodes.nodes)
        free(nodes.leaves)
