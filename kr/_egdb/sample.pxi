# Random positions of slices, and positions as planes.

cdef enum:
    PLANES = 4               # black kings, white kings, black men, white men
    PLANE_SQUARES = 64


cdef inline u64 mixed(u64 a, u64 b, u64 c) noexcept nogil:
    """Hash of three numbers: each of its bits depends on all of theirs."""
    cdef u64 state = a
    state = splitmix64(&state) ^ b
    state = splitmix64(&state) ^ c
    return splitmix64(&state)


cdef class EndgameSampler:
    """Random positions of a part of a slice in the order of their indices.

    Each is drawn with the same probability, independently of the others. The gap to the next one is drawn at once:
    `survival` has the probabilities that 1, 2, ... positions in a row are not drawn, in units of 2^-64.
    database: None if no values are wanted; first, last: range of indices, `last` excluded; quiet: leave out positions
    with captures.
    """
    cdef EndgameDatabase database
    cdef Slice slice
    cdef u64 at              # index of the next position that may be drawn
    cdef u64 last
    cdef u64 state           # of the generator of random numbers
    cdef u64 seed
    cdef const u64[::1] survival
    cdef bint quiet

    def __init__(self, EndgameDatabase database, tuple shape, u64 first, u64 last, const u64[::1] survival not None,
                 u64 seed, bint quiet):
        self.database = database
        self.slice = make_slice(shape[0], shape[1], shape[2], shape[3])
        if last > self.slice.size:
            raise ValueError(f"index {last} is beyond the slice's {self.slice.size} positions")
        self.at = first
        self.last = last
        self.survival = survival
        self.seed = mixed(seed, slice_number(shape[0], shape[1], shape[2], shape[3]), 0)
        self.state = mixed(seed, slice_number(shape[0], shape[1], shape[2], shape[3]), first + 1)
        self.quiet = quiet

    def next(self, u32[:, ::1] boards not None, uint8_t[::1] values not None, u64[::1] hashes not None,
             u64 lowest=0, u64 highest=0xFFFFFFFFFFFFFFFF):
        """Fill in the next positions; returns their number, 0 at the end. Releases the GIL.

        boards (n, 3): black, white, kings; Black is to move. values (n,): 0 loss, 1 draw, 2 win, VALUE_UNKNOWN if the
        database is damaged. hashes (n,): of seed and position; positions with a hash outside `lowest` to `highest` are
        left out.
        """
        cdef Py_ssize_t n = 0
        cdef Py_ssize_t room = min(boards.shape[0], values.shape[0], hashes.shape[0])
        cdef Board board
        cdef u64 hash
        with nogil:
            while n < room and self.at < self.last:
                self.at += self.gap()
                if self.at >= self.last:
                    break
                hash = mixed(self.seed, self.at, 0)
                if lowest <= hash <= highest:
                    board = board_at(&self.slice, self.at)
                    if not (self.quiet and has_capture(&board, BLACK)):
                        boards[n, 0] = unpad(board.pieces[BLACK])
                        boards[n, 1] = unpad(board.pieces[WHITE])
                        boards[n, 2] = unpad(board.kings)
                        hashes[n] = hash
                        if self.database is not None:
                            values[n] = egdb_value(&self.database.db, &board)
                        n += 1
                self.at += 1
        return n

    cdef inline u64 gap(self) noexcept nogil:
        """Draw the number of positions before the next one."""
        cdef u64 total = 0
        cdef u64 low, high, middle, chance
        cdef u64 length = self.survival.shape[0]
        while self.at + total < self.last:
            chance = splitmix64(&self.state)
            # the number of falling probabilities that it is below, by binary search
            low = 0
            high = length
            while low < high:
                middle = (low + high) // 2
                if chance < self.survival[middle]:
                    low = middle + 1
                else:
                    high = middle
            total += low
            if low < length:
                break
        return total


def board_planes(const u32[:, ::1] boards not None, uint8_t[:, :, :, ::1] planes not None):
    """Write positions (n, 3: black, white, kings) as planes (n, 4, 8, 8) of 0 and 1. Releases the GIL.

    Planes: black kings, white kings, black men, white men. Row 0 is Black's first row, squares 1-4, and column 0 the
    left one of a diagram with Black at the top: square s (0-31) is in row s / 4, column 2 * (s % 4) + 1, or one less in
    odd rows. Raises ValueError.
    """
    cdef Py_ssize_t i
    cdef int plane, square
    cdef u64 rest
    cdef u64 sets[PLANES]
    cdef uint8_t* cells
    if planes.shape[0] < boards.shape[0] or planes.shape[1] != PLANES or planes.shape[2] != 8 or planes.shape[3] != 8:
        raise ValueError(f"{boards.shape[0]} positions need planes of shape ({boards.shape[0]}, 4, 8, 8)")
    with nogil:
        for i in range(boards.shape[0]):
            cells = &planes[i, 0, 0, 0]
            memset(cells, 0, PLANES * PLANE_SQUARES)
            sets[0] = boards[i, 0] & boards[i, 2]
            sets[1] = boards[i, 1] & boards[i, 2]
            sets[2] = boards[i, 0] & ~boards[i, 2]
            sets[3] = boards[i, 1] & ~boards[i, 2]
            for plane in range(PLANES):
                rest = sets[plane]
                while rest:
                    square = pop_lsb(&rest)
                    cells[plane * PLANE_SQUARES + 2 * square + (1 if square >> 2 & 1 == 0 else 0)] = 1
