# An endgame database, for Python: opened, unpacked, probed.


cdef void mark_shapes(uint8_t* present, files):
    """Mark the slices of `files`; present: (SLICES,), by slice number."""
    memset(present, 0, SLICES)
    for shape in files:
        if sum(shape) <= EGDB_MAX_PIECES:
            present[slice_number(shape[0], shape[1], shape[2], shape[3])] = True


cdef StoredSlice* store_file(StoredSlice* s, CodedFile file, tuple shape) except NULL:
    cdef int failed = store_slice(s, &file.coded, shape[0], shape[1], shape[2], shape[3])
    if failed == 1:
        raise ValueError(f"file of {file.coded.entries} entries for a slice of {s.shape.size} positions")
    if failed:
        raise MemoryError("no memory for the indices of a slice")
    return s


cdef StoredSlice* slice_list(int count) except NULL:
    cdef StoredSlice* slices = <StoredSlice*>calloc(count + 1, sizeof(StoredSlice))
    if slices == NULL:
        raise MemoryError("no memory for the list of slices")
    return slices


cdef class EndgameDatabase:
    """A database, which any number of threads may probe at once.

    values, distances: CodedFiles by the shape of the slice that they store. Left out are values of classes that are not
    whole, or lead to such, and distances with more pieces than these or all values are complete up to. unpacked: values
    of positions with this many pieces or fewer are held in memory, at 2 bits a position, once `unpack` has read them.
    """
    def __cinit__(self, dict values not None, dict distances not None, int unpacked=0):
        cdef uint8_t present[SLICES]
        cdef int i
        cdef u64 bytes = 0
        self.files = []
        self.to_unpack = []
        mark_shapes(present, values)
        note_classes(&self.db, present)
        chosen = sorted((shape for shape in values if self.has(shape[0] + shape[1], shape[2] + shape[3])),
                        key=egdb_size_of, reverse=True)
        self.slices = slice_list(len(chosen))
        for i, shape in enumerate(chosen):
            self.files.append(values[shape])
            self.db.values[slice_number(shape[0], shape[1], shape[2], shape[3])] = store_file(
                self.slices + i, values[shape], shape)
            if sum(shape) <= unpacked:
                self.to_unpack.append((i, bytes))
                bytes += packed_bytes(self.slices[i].shape.size)
        if bytes:
            self.memory = <uint8_t*>allocate_untouched(bytes)
            if self.memory == NULL:
                raise MemoryError(f"no memory for a database of {bytes} bytes")
        self.to_unpack.reverse()
        mark_shapes(present, distances)
        self.db.distance_pieces = min(complete_pieces(present), self.db.pieces)
        chosen = [shape for shape in distances if sum(shape) <= self.db.distance_pieces]
        self.distance_slices = slice_list(len(chosen))
        for i, shape in enumerate(chosen):
            self.files.append(distances[shape])
            self.db.distances[slice_number(shape[0], shape[1], shape[2], shape[3])] = store_file(
                self.distance_slices + i, distances[shape], shape)

    def __dealloc__(self):
        free(self.slices)
        free(self.distance_slices)
        free_pages(self.memory)

    @property
    def pieces(self):
        """Every position with this many pieces or fewer, of both sides together, has a value."""
        return self.db.pieces

    @property
    def classes(self):
        """Pieces of the two sides, the larger number first, of the classes with more pieces that are there."""
        return [(own, pieces - own)
                for pieces in range(self.db.pieces + 1, self.db.most_pieces + 1)
                for own in range((pieces + 1) // 2, pieces)
                if self.db.classes[own][pieces - own]]

    def has(self, int own, int other):
        """True if positions with these numbers of pieces have values."""
        return 0 <= own and 0 <= other and own + other <= EGDB_MAX_PIECES and bool(self.db.classes[own][other])

    @property
    def distance_pieces(self):
        """Every position with this many pieces or fewer has a distance; 1 if there are no distances."""
        return self.db.distance_pieces

    def distance(self, u32 black, u32 white, u32 kings, int side):
        """Plies to the end under best play; -1 for a draw or a position without a distance."""
        cdef Board board = board_from_bits(black, white, kings, side)
        cdef int plies
        with nogil:
            plies = egdb_distance(&self.db, &board)
        return plies

    def unpack(self):
        """Unpack values into memory, before the first probe; several threads may call this to share the work.

        A slice that turns out to be damaged is not unpacked.
        """
        cdef StoredSlice* s
        cdef uint8_t* packed
        cdef int i
        while True:
            try:
                i, start = self.to_unpack.pop()
            except IndexError:
                return
            s = self.slices + i
            packed = self.memory + <u64>start
            with nogil:
                if unpack_values(s.coded, packed) == 0:
                    s.packed = packed

    def probe(self, u32 black, u32 white, u32 kings, int side):
        """Value of a position for the side to move; VALUE_UNKNOWN if its class is not there, or its value follows from
        damaged chunks."""
        cdef Board board = board_from_bits(black, white, kings, side)
        cdef int value
        with nogil:
            value = egdb_value(&self.db, &board)
        return value

    def probe_batch(self, const u32[:, ::1] boards not None, uint8_t[::1] values not None, bint single=False):
        """Write the values of positions into `values` (n,). Releases the GIL.

        boards: (n, 4), rows of black, white, kings, side; single: probe one after the other, as a search does.
        """
        cdef Py_ssize_t i
        cdef Board board
        if boards.shape[1] != 4 or values.shape[0] != boards.shape[0]:
            raise ValueError(f"{values.shape[0]} values for {boards.shape[0]} rows of {boards.shape[1]} numbers")
        with nogil:
            if not single and boards.shape[0]:
                probe_boards(&self.db, &boards[0, 0], &values[0], boards.shape[0])
            else:
                for i in range(boards.shape[0]):
                    board.pieces[BLACK] = pad32(boards[i, 0])
                    board.pieces[WHITE] = pad32(boards[i, 1])
                    board.kings = pad32(boards[i, 2])
                    board.side = boards[i, 3]
                    values[i] = egdb_value(&self.db, &board)


    def distance_batch(self, const u32[:, ::1] boards not None, short[::1] distances not None):
        """Write the distances of positions into `distances` (n,): plies, -1 as for `distance`. Releases the GIL.

        boards: (n, 4), rows of black, white, kings, side.
        """
        distances_of(&self.db, boards, distances)


cdef distances_of(const Egdb* db, const u32[:, ::1] boards, short[::1] distances):
    """As `EndgameDatabase.distance_batch`."""
    cdef Py_ssize_t i
    cdef Board board
    cdef uint8_t* values
    if boards.shape[1] != 4 or distances.shape[0] != boards.shape[0]:
        raise ValueError(f"{distances.shape[0]} distances for {boards.shape[0]} rows of {boards.shape[1]} numbers")
    values = <uint8_t*>malloc(boards.shape[0] + 1)
    if values == NULL:
        raise MemoryError(f"no memory for {boards.shape[0]} values")
    with nogil:
        if boards.shape[0]:
            # in turns, which is faster than one after the other
            probe_boards(db, &boards[0, 0], values, boards.shape[0])
        for i in range(boards.shape[0]):
            board = board_from_row(&boards[i, 0])
            distances[i] = -1
            if ((values[i] == VALUE_WIN or values[i] == VALUE_LOSS)
                    and popcount(board.pieces[BLACK] | board.pieces[WHITE]) <= db.distance_pieces):
                distances[i] = <short>valued_distance(db, &board, values[i])
        free(values)


cdef egdb_size_of(shape):
    return egdb_slice_size(shape[0], shape[1], shape[2], shape[3])
