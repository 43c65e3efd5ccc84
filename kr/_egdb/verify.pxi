# Verification of a database, independent of the solver: positions are set up square by square, moves come from the
# general generator, values and distances from the probe. Only tables of sets are shared.
#
# Work goes arrangement by arrangement, with either side to move: by twin blocks. Only kings' quiet moves stay within
# them; all other moves lead to fewer pieces, fewer men or men further advanced. By induction in that order, a database
# is right if in all twin blocks - each win and each loss is proven: a win has a losing successor, a loss only winning
# ones (or none at all), and these
#    successors are outside the blocks or were proven before;
#  - each draw has a drawing successor and no losing one: then either side can stay among draws, and loses if it leaves
#    them.
# It would not be enough that every value is the best of its successors': kings could claim wins in a circle.

cpdef enum:
    FINDING_DAMAGED = 0      # the probe has no value
    FINDING_VALUE = 1        # the value is not the best of the successors'
    FINDING_UNPROVEN = 2     # a win or loss that leads to no end
    FINDING_DISTANCE = 3     # the distance is not one more than its successors'

cdef enum:
    MARK_VALUE = 3           # the value in the database
    MARK_PROVEN = 4
    MARK_STALE = 8           # to be examined: for the first time, or again since a successor was proven
    MAX_FINDINGS = 8         # findings that a call lists; all are counted
    NO_DISTANCE = -1         # a probe's distance of a draw
    SOURCE_STORED = 1
    SOURCE_MOVES = 4
    PROBED = 16              # one out of this many distances that follow from moves is probed

cdef struct Finding:
    int kind
    int stated
    int right
    Board board

cdef struct Findings:
    u64 count
    Finding entries[MAX_FINDINGS]

cdef struct TwinBlocks:
    const Egdb* db
    const Egdb* known        # the same database with distances unpacked
    u64 men[2]               # by colour
    int kings[2]             # their numbers
    u64 free                 # squares without men
    u64 black_sets           # sets of Black's kings, on the squares that White's leave
    u64 size                 # placements of the kings
    uint8_t* marks[2]        # of each placement, by side to move
    int16_t* distances[2]    # NULL: not to be checked
    uint8_t* sources         # of each placement: sources of the distances, a bit by side to move
    Findings* findings


cdef void report_finding(Findings* findings, int kind, const Board* board, int stated, int right) noexcept nogil:
    if findings.count < MAX_FINDINGS:
        findings.entries[findings.count].kind = kind
        findings.entries[findings.count].stated = stated
        findings.entries[findings.count].right = right
        findings.entries[findings.count].board = board[0]
    findings.count += 1


cdef inline u64 placement_number(const TwinBlocks* blocks, u64 black_kings, u64 white_kings) noexcept nogil:
    """Place of the kings' squares in the marks, the same with either side to move."""
    return (rank_set(pext(white_kings, blocks.free)) * blocks.black_sets
            + rank_set(pext(black_kings, blocks.free & ~white_kings)))


cdef inline Board placed(const TwinBlocks* blocks, u64 number, int side) noexcept nogil:
    cdef Board board
    cdef u64 white_kings = pdep(KING_SETS[blocks.kings[WHITE]][number // blocks.black_sets], blocks.free)
    cdef u64 black_kings = pdep(KING_SETS[blocks.kings[BLACK]][number % blocks.black_sets], blocks.free & ~white_kings)
    board.pieces[BLACK] = blocks.men[BLACK] | black_kings
    board.pieces[WHITE] = blocks.men[WHITE] | white_kings
    board.kings = black_kings | white_kings
    board.side = side
    board.key = 0
    c_assert(placement_number(blocks, black_kings, white_kings) == number)
    return board


cdef inline u64 board_placement(const TwinBlocks* blocks, const Board* board) noexcept nogil:
    return placement_number(blocks, board.pieces[BLACK] & board.kings, board.pieces[WHITE] & board.kings)


cdef inline int successor_mark(const TwinBlocks* blocks, const Board* board, Move move) noexcept nogil:
    """Value and MARK_PROVEN of the position after a move."""
    cdef Board child = played(board, move)
    if is_reversible(board, move):
        return blocks.marks[child.side][board_placement(blocks, &child)] & (MARK_VALUE | MARK_PROVEN)
    return egdb_value(blocks.db, &child) | MARK_PROVEN


cdef void renew_predecessors(TwinBlocks* blocks, const Board* board, int value) noexcept nogil:
    """Mark the positions from which the opponent's kings have come and which this proven value may prove.

    Proofs don't depend on it: a predecessor left out would be reported as unproven.
    """
    cdef int mover = 1 - board.side
    cdef int wanted = VALUE_WIN if value == VALUE_LOSS else VALUE_LOSS
    cdef u64 empty = SQUARES & ~(board.pieces[BLACK] | board.pieces[WHITE])
    cdef u64 kings = board.pieces[mover] & board.kings
    cdef u64 rest = kings
    cdef u64 others = board.pieces[1 - mover] & board.kings
    cdef u64 king, origins, before, number
    while rest:
        king = pop_lowest(&rest)
        origins = (king << 4 | king << 5 | king >> 4 | king >> 5) & empty
        while origins:
            before = kings ^ king ^ pop_lowest(&origins)
            number = (placement_number(blocks, before, others) if mover == BLACK
                      else placement_number(blocks, others, before))
            if blocks.marks[mover][number] & (MARK_VALUE | MARK_PROVEN) == wanted:
                blocks.marks[mover][number] |= MARK_STALE


cdef void examine(TwinBlocks* blocks, u64 number, int side, bint first) noexcept nogil:
    """Compare a position's value with those of its successors, and prove it if they suffice."""
    cdef Board board = placed(blocks, number, side)
    cdef MoveList moves
    cdef int stated = blocks.marks[side][number] & MARK_VALUE
    cdef int best = VALUE_LOSS
    cdef bint won = False          # a losing successor is proven
    cdef bint all_proven = True
    cdef int i, mark, value
    generate(&board, &moves)
    for i in range(moves.size):
        mark = successor_mark(blocks, &board, moves.moves[i])
        value = VALUE_WIN - (mark & MARK_VALUE)
        if value < VALUE_LOSS:
            report_finding(blocks.findings, FINDING_DAMAGED, &board, stated, VALUE_UNKNOWN)
            return
        best = max(best, value)
        if mark & MARK_PROVEN:
            won = value == VALUE_WIN
            if won:
                break
        else:
            all_proven = False
            # once that successor is proven, this position will be stale again
            if stated == VALUE_LOSS and not first:
                return
    if best != stated:
        report_finding(blocks.findings, FINDING_VALUE, &board, stated, best)
    elif stated == VALUE_WIN and won or stated == VALUE_LOSS and all_proven:
        blocks.marks[side][number] |= MARK_PROVEN
        renew_predecessors(blocks, &board, stated)


cdef u64 next_stale(const uint8_t* marks, u64 number, u64 size) noexcept nogil:
    """The first stale mark from `number` on, or `size`; the marks are followed by 8 zero bytes."""
    cdef u64 stale
    while number < size:
        stale = load64(marks + number) & <u64>0x0101010101010101 * MARK_STALE
        if stale:
            return number + (lsb(stale) >> 3)
        number += 8
    return size


cdef void prove(TwinBlocks* blocks) noexcept nogil:
    """Examine all positions, and those again that a later proof may prove."""
    cdef u64 before = blocks.findings.count
    cdef u64 number
    cdef bint first = True
    cdef bint again = True
    cdef int side
    cdef Board board
    while again:
        again = False
        for side in range(2):
            number = next_stale(blocks.marks[side], 0, blocks.size)
            while number < blocks.size:
                again = True
                blocks.marks[side][number] ^= MARK_STALE
                examine(blocks, number, side, first)
                number = next_stale(blocks.marks[side], number + 1, blocks.size)
        first = False
    if blocks.findings.count > before:
        return
    for side in range(2):
        for number in range(blocks.size):
            if not blocks.marks[side][number] & MARK_PROVEN and blocks.marks[side][number] & MARK_VALUE != VALUE_DRAW:
                board = placed(blocks, number, side)
                report_finding(blocks.findings, FINDING_UNPROVEN, &board, blocks.marks[side][number] & MARK_VALUE,
                               VALUE_UNKNOWN)


cdef int right_distance(const Board* board, const Egdb* db, const TwinBlocks* blocks, int value) noexcept nogil:
    """Distance of a won or lost position by those of its successors; blocks: NULL, or where to look them up."""
    cdef MoveList moves
    cdef Board child
    cdef int best = NO_DISTANCE
    cdef int i, distance
    cdef u64 number
    generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        if blocks != NULL and is_reversible(board, moves.moves[i]):
            number = board_placement(blocks, &child)
            distance = blocks.distances[child.side][number]
            if value == VALUE_WIN and blocks.marks[child.side][number] & MARK_VALUE != VALUE_LOSS:
                continue
        else:
            if value == VALUE_WIN and egdb_value(db, &child) != VALUE_LOSS:
                continue
            distance = valued_distance(db, &child, VALUE_WIN - value)
        if best == NO_DISTANCE or (distance < best if value == VALUE_WIN else distance > best):
            best = distance
    return best + 1


cdef void follow_distance(TwinBlocks* blocks, const Board* board, u64 number) noexcept nogil:
    """Set a distance that is not stored from those of the successors, and compare one in PROBED with the probe."""
    cdef int right = right_distance(board, blocks.known, blocks, blocks.marks[board.side][number] & MARK_VALUE)
    cdef int distance
    blocks.distances[board.side][number] = <int16_t>right
    if number % PROBED == 0:
        distance = egdb_distance(blocks.db, board)
        if distance != right:
            report_finding(blocks.findings, FINDING_DISTANCE, board, distance, right)


cdef void check_distances(TwinBlocks* blocks) noexcept nogil:
    """Compare the distances of all positions with those of their successors: in a right database they count down.

    Stored distances are probed, and compared with the unpacked ones. The others follow from their successors by
    definition: some are probed, to see that the probe agrees.
    """
    cdef Board board
    cdef int side, value, distance, known, right
    cdef u64 number
    memset(blocks.sources, 0, blocks.size)
    # stored ones, and those of positions with captures, which lead out of the blocks
    for side in range(2):
        for number in range(blocks.size):
            value = blocks.marks[side][number] & MARK_VALUE
            if value == VALUE_DRAW:
                continue
            board = placed(blocks, number, side)
            if half_distance(blocks.known, &board) == HALF_FOLLOWS:
                if has_capture(&board, side):
                    follow_distance(blocks, &board, number)
                else:
                    blocks.sources[number] |= SOURCE_MOVES << side
                continue
            blocks.sources[number] |= SOURCE_STORED << side
            distance = valued_distance(blocks.db, &board, value)
            known = valued_distance(blocks.known, &board, value)
            blocks.distances[side][number] = <int16_t>distance
            if known != distance:
                report_finding(blocks.findings, FINDING_DISTANCE, &board, distance, known)
    # the others: by a quiet move they lead to those
    for side in range(2):
        for number in range(blocks.size):
            if blocks.sources[number] & SOURCE_MOVES << side:
                board = placed(blocks, number, side)
                follow_distance(blocks, &board, number)
    for side in range(2):
        for number in range(blocks.size):
            if not blocks.sources[number] & SOURCE_STORED << side:
                continue
            board = placed(blocks, number, side)
            right = right_distance(&board, blocks.known, blocks, blocks.marks[side][number] & MARK_VALUE)
            if blocks.distances[side][number] != right:
                report_finding(blocks.findings, FINDING_DISTANCE, &board, blocks.distances[side][number], right)


cdef void probe_blocks(TwinBlocks* blocks, u64* counts) noexcept nogil:
    """Mark all positions with their values in the database; counts: of 3 values, by side to move."""
    cdef Board board
    cdef int side, value
    cdef u64 number
    for side in range(2):
        memset(blocks.marks[side] + blocks.size, 0, 8)
        for number in range(blocks.size):
            board = placed(blocks, number, side)
            value = egdb_value(blocks.db, &board)
            if value == VALUE_UNKNOWN:
                blocks.marks[side][number] = VALUE_DRAW
                report_finding(blocks.findings, FINDING_DAMAGED, &board, VALUE_UNKNOWN, VALUE_UNKNOWN)
            else:
                blocks.marks[side][number] = value | MARK_STALE
                counts[3 * side + value] += 1


cdef void check_twin_blocks(TwinBlocks* blocks, bint symmetric, bint alone, u64* counts) noexcept nogil:
    """Check all positions of twin blocks, and count their values.

    symmetric: the slice is its own twin; alone: the two blocks are the same, so that only one of them counts.
    """
    cdef u64 probed[6]
    cdef u64 before = blocks.findings.count
    cdef int i
    memset(probed, 0, sizeof(probed))
    probe_blocks(blocks, probed)
    prove(blocks)
    # wrong values make wrong distances, which needn't be reported too
    if blocks.distances[BLACK] != NULL and blocks.findings.count == before:
        check_distances(blocks)
    for i in range(3):
        counts[i] += probed[i]
        if not alone:
            counts[i if symmetric else i + 3] += probed[i + 3]


cdef list findings_for_python(const Findings* findings):
    """The findings listed, for Python: (kind, (black, white, kings, side), stated, right)."""
    cdef const Finding* finding
    cdef u64 i
    reported = []
    for i in range(min(findings.count, <u64>MAX_FINDINGS)):
        finding = &findings.entries[i]
        position = (unpad(finding.board.pieces[BLACK]), unpad(finding.board.pieces[WHITE]), unpad(finding.board.kings),
                    finding.board.side)
        reported.append((finding.kind, position, finding.stated, finding.right))
    return reported


cdef class KnownDistances:
    """Stored distances of a database; `unpack` unpacks those with at most `pieces` pieces, for fast look-ups."""
    cdef Egdb db
    cdef EndgameDatabase database
    cdef StoredSlice* slices
    cdef uint8_t* memory

    def __cinit__(self, EndgameDatabase database not None, int pieces):
        cdef u64 bytes = 0
        cdef int used = 0
        cdef int i
        self.database = database
        self.db = database.db
        self.slices = <StoredSlice*>calloc(SLICES, sizeof(StoredSlice))
        if self.slices == NULL:
            raise MemoryError("no memory for the list of slices")
        for i in range(SLICES):
            if self.db.distances[i] != NULL and (i >> 9) + (i >> 6 & 7) + (i >> 3 & 7) + (i & 7) <= pieces:
                self.slices[used] = self.db.distances[i][0]
                self.db.distances[i] = &self.slices[used]
                used += 1
                bytes += self.slices[used - 1].shape.size
        self.memory = <uint8_t*>allocate_untouched(bytes)
        if self.memory == NULL:
            raise MemoryError(f"no memory for {bytes} distances")
        bytes = 0
        for i in range(used):
            self.slices[i].packed = self.memory + bytes
            bytes += self.slices[i].shape.size

    def __dealloc__(self):
        free(self.slices)
        free_pages(self.memory)

    def unpack(self, u64 part, u64 parts):
        """Unpack one of `parts` equal parts, without the GIL."""
        cdef StoredSlice* s = self.slices
        cdef u64 blocks, number
        with nogil:
            while s.packed != NULL:
                blocks = (s.shape.size - 1 >> s.coded.block_bits) + 1
                for number in range(blocks * part // parts, blocks * (part + 1) // parts):
                    unpack_distances(s.coded, number, <uint8_t*>s.packed + (number << s.coded.block_bits))
                s += 1

    def distance_batch(self, const u32[:, ::1] boards not None, short[::1] distances not None):
        """As `distance_batch` of the database, from the unpacked distances."""
        distances_of(&self.db, boards, distances)


def egdb_check_arrangements(EndgameDatabase database not None, tuple shape, u64 first, u64 last,
                            KnownDistances distances, const int[::1] stop):
    """Check the positions of a slice and its twin with the arrangements of men `first` to `last` - 1, without the GIL.

    distances: None if they aren't to be checked. Returns the counts (losses, draws, wins) of the slice and of its twin,
    the number of wrong positions, and some of those. In a slice that is its own twin each position counts once. Returns
    early if stop[0] is set. Raises ValueError.
    """
    cdef Slice s = make_slice(shape[0], shape[1], shape[2], shape[3])
    cdef Findings findings
    cdef TwinBlocks blocks
    cdef Board board
    cdef u64 counts[6]
    cdef u64 number, twin_number
    cdef bint symmetric = s.own_men == s.opponent_men and s.own_kings == s.opponent_kings
    cdef int side
    if last > s.arrangements:
        raise ValueError(f"arrangement {last} is beyond the slice's {s.arrangements}")
    if fill_king_sets(s.own_kings) < 0 or fill_king_sets(s.opponent_kings) < 0:
        raise MemoryError("no memory for the sets of squares")
    memset(counts, 0, sizeof(counts))
    memset(&findings, 0, sizeof(findings))
    blocks.db = &database.db
    blocks.known = &distances.db if distances is not None else NULL
    blocks.findings = &findings
    blocks.kings[BLACK] = s.own_kings
    blocks.kings[WHITE] = s.opponent_kings
    blocks.black_sets = s.own_king_sets
    blocks.size = s.block
    blocks.sources = <uint8_t*>malloc(blocks.size) if distances is not None else NULL
    for side in range(2):
        blocks.marks[side] = <uint8_t*>malloc(blocks.size + 8)
        blocks.distances[side] = <int16_t*>malloc(blocks.size * sizeof(int16_t)) if distances is not None else NULL
    try:
        if distances is not None and blocks.sources == NULL:
            raise MemoryError(f"no memory to check {blocks.size} positions at once")
        for side in range(2):
            if blocks.marks[side] == NULL or (distances is not None and blocks.distances[side] == NULL):
                raise MemoryError(f"no memory to check {blocks.size} positions at once")
        with nogil:
            for number in range(first, last):
                if stop[0]:
                    break
                board = board_at(&s, number * s.block)
                blocks.men[BLACK] = board.pieces[BLACK] & ~board.kings
                blocks.men[WHITE] = board.pieces[WHITE] & ~board.kings
                blocks.free = SQUARES & ~(blocks.men[BLACK] | blocks.men[WHITE])
                c_assert(arrangement_number(&s, blocks.men[BLACK], blocks.men[WHITE], BLACK) == number)
                if symmetric:
                    twin_number = arrangement_number(&s, blocks.men[WHITE], blocks.men[BLACK], WHITE)
                    if twin_number < number:
                        continue    # checked together with the other arrangement
                check_twin_blocks(&blocks, symmetric, symmetric and twin_number == number, counts)
    finally:
        free(blocks.sources)
        for side in range(2):
            free(blocks.marks[side])
            free(blocks.distances[side])
    return ((counts[0], counts[1], counts[2]), (counts[3], counts[4], counts[5]), findings.count,
            findings_for_python(&findings))


def egdb_check_boards(EndgameDatabase database not None, const u32[:, ::1] boards, bint distances):
    """Compare the values of positions with those of their successors, and the distances if wanted. Releases the GIL.

    boards: (n, 3), rows of black, white, kings; Black is to move. Returns the number of wrong positions, and some of
    them.
    """
    cdef Findings findings
    cdef MoveList moves
    cdef Board board, child
    cdef Py_ssize_t i
    cdef int stated, best, value, distance, right, j
    memset(&findings, 0, sizeof(findings))
    with nogil:
        for i in range(boards.shape[0]):
            board = board_from_bits(boards[i, 0], boards[i, 1], boards[i, 2], BLACK)
            stated = egdb_value(&database.db, &board)
            best = VALUE_LOSS
            generate(&board, &moves)
            for j in range(moves.size):
                child = played(&board, moves.moves[j])
                value = egdb_value(&database.db, &child)
                if value == VALUE_UNKNOWN:
                    stated = VALUE_UNKNOWN
                    break
                best = max(best, VALUE_WIN - value)
            if stated == VALUE_UNKNOWN:
                report_finding(&findings, FINDING_DAMAGED, &board, stated, stated)
            elif best != stated:
                report_finding(&findings, FINDING_VALUE, &board, stated, best)
            elif distances:
                distance = egdb_distance(&database.db, &board)
                right = NO_DISTANCE if stated == VALUE_DRAW else right_distance(&board, &database.db, NULL, stated)
                if distance != right:
                    report_finding(&findings, FINDING_DISTANCE, &board, distance, right)
    return findings.count, findings_for_python(&findings)
