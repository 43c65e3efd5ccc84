# Checks of a database against the rules, by a way of its own: positions are placed square by square, moves come from
# the general generator, values and distances from the probe; nothing here is shared with the solver but tables of sets.
#
# A unit is one arrangement of men with either side to move. Only kings' quiet moves stay within it; all others lead to
# fewer pieces, fewer men or men further advanced. By induction in that order a database is right where in every unit
#  - each win and each loss is proven: a win has a losing successor, a loss none but winning ones (or none at all),
#    and what it rests on stands outside the unit or was proven before;
#  - each draw has a drawing successor and no losing one: then both sides can stay among draws, and for a side to leave
#    them is to lose.
# That every value is the best over its successors would not be enough: kings could claim wins in a circle.

cpdef enum:
    FINDING_DAMAGED = 0      # the probe has no value
    FINDING_VALUE = 1        # the value is not the best over the successors
    FINDING_UNPROVEN = 2     # a win or loss that leads to no end
    FINDING_DISTANCE = 3     # the distance is not one more than its successors say

cdef enum:
    MARK_VALUE = 3           # what the database says
    MARK_PROVEN = 4
    MARK_STALE = 8           # to look at: for the first time, or since a successor was proven
    MAX_FINDINGS = 8         # kept of a call; all are counted
    NO_DISTANCE = -1         # what the probe says of draws
    SOURCE_STORED = 1
    SOURCE_MOVES = 4
    PROBED = 16              # of so many distances that follow from moves one is probed

cdef struct Finding:
    int kind
    int stated
    int right
    Board board

cdef struct Findings:
    u64 count
    Finding kept[MAX_FINDINGS]

cdef struct Unit:
    const Egdb* db
    const Egdb* known        # the same with distances unpacked
    u64 men[2]               # by colour
    int kings[2]             # how many
    u64 free                 # squares without men
    u64 black_sets           # of Black's kings, beside White's
    u64 size                 # placements of the kings
    uint8_t* marks[2]        # of each placement, by side to move
    int16_t* distances[2]    # NULL: not to be checked
    uint8_t* sources         # of each placement: where the distances come from, a bit by side to move
    Findings* findings


cdef void report_finding(Findings* findings, int kind, const Board* board, int stated, int right) noexcept nogil:
    if findings.count < MAX_FINDINGS:
        findings.kept[findings.count].kind = kind
        findings.kept[findings.count].stated = stated
        findings.kept[findings.count].right = right
        findings.kept[findings.count].board = board[0]
    findings.count += 1


cdef inline u64 placement_number(const Unit* unit, u64 black_kings, u64 white_kings) noexcept nogil:
    """The place of the kings' squares in the marks of a unit, the same with either side to move."""
    return (rank_set(pext(white_kings, unit.free)) * unit.black_sets
            + rank_set(pext(black_kings, unit.free & ~white_kings)))


cdef inline Board placed(const Unit* unit, u64 number, int side) noexcept nogil:
    cdef Board board
    cdef u64 white_kings = pdep(KING_SETS[unit.kings[WHITE]][number // unit.black_sets], unit.free)
    cdef u64 black_kings = pdep(KING_SETS[unit.kings[BLACK]][number % unit.black_sets], unit.free & ~white_kings)
    board.pieces[BLACK] = unit.men[BLACK] | black_kings
    board.pieces[WHITE] = unit.men[WHITE] | white_kings
    board.kings = black_kings | white_kings
    board.side = side
    board.key = 0
    c_assert(placement_number(unit, black_kings, white_kings) == number)
    return board


cdef inline u64 board_placement(const Unit* unit, const Board* board) noexcept nogil:
    return placement_number(unit, board.pieces[BLACK] & board.kings, board.pieces[WHITE] & board.kings)


cdef inline int successor_mark(const Unit* unit, const Board* board, Move move) noexcept nogil:
    """Value and MARK_PROVEN of what a move leads to."""
    cdef Board child = played(board, move)
    if is_reversible(board, move):
        return unit.marks[child.side][board_placement(unit, &child)] & (MARK_VALUE | MARK_PROVEN)
    return egdb_value(unit.db, &child) | MARK_PROVEN


cdef void renew_predecessors(Unit* unit, const Board* board, int value) noexcept nogil:
    """Mark what the opponent's kings come from and what this proven value may prove.

    Proofs don't rest on this: a predecessor left out would be found unproven.
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
            number = (placement_number(unit, before, others) if mover == BLACK
                      else placement_number(unit, others, before))
            if unit.marks[mover][number] & (MARK_VALUE | MARK_PROVEN) == wanted:
                unit.marks[mover][number] |= MARK_STALE


cdef void examine(Unit* unit, u64 number, int side, bint first) noexcept nogil:
    """Compare a position's value with those of its successors, and prove it where they suffice."""
    cdef Board board = placed(unit, number, side)
    cdef MoveList moves
    cdef int stated = unit.marks[side][number] & MARK_VALUE
    cdef int best = VALUE_LOSS
    cdef bint won = False          # a losing successor is proven
    cdef bint all_proven = True
    cdef int i, mark, value
    generate(&board, &moves)
    for i in range(moves.size):
        mark = successor_mark(unit, &board, moves.moves[i])
        value = VALUE_WIN - (mark & MARK_VALUE)
        if value < VALUE_LOSS:
            report_finding(unit.findings, FINDING_DAMAGED, &board, stated, VALUE_UNKNOWN)
            return
        best = max(best, value)
        if mark & MARK_PROVEN:
            won = value == VALUE_WIN
            if won:
                break
        else:
            all_proven = False
            # what is unproven now will make it stale again
            if stated == VALUE_LOSS and not first:
                return
    if best != stated:
        report_finding(unit.findings, FINDING_VALUE, &board, stated, best)
    elif stated == VALUE_WIN and won or stated == VALUE_LOSS and all_proven:
        unit.marks[side][number] |= MARK_PROVEN
        renew_predecessors(unit, &board, stated)


cdef u64 next_stale(const uint8_t* marks, u64 number, u64 size) noexcept nogil:
    """The first stale mark from `number` on, or `size`; there are 8 bytes more behind the marks, all 0."""
    cdef u64 stale
    while number < size:
        stale = load8(marks + number) & <u64>0x0101010101010101 * MARK_STALE
        if stale:
            return number + (lsb(stale) >> 3)
        number += 8
    return size


cdef void prove(Unit* unit) noexcept nogil:
    """Examine all positions, and again those that what has been proven since may prove."""
    cdef u64 before = unit.findings.count
    cdef u64 number
    cdef bint first = True
    cdef bint again = True
    cdef int side
    cdef Board board
    while again:
        again = False
        for side in range(2):
            number = next_stale(unit.marks[side], 0, unit.size)
            while number < unit.size:
                again = True
                unit.marks[side][number] ^= MARK_STALE
                examine(unit, number, side, first)
                number = next_stale(unit.marks[side], number + 1, unit.size)
        first = False
    if unit.findings.count > before:
        return
    for side in range(2):
        for number in range(unit.size):
            if not unit.marks[side][number] & MARK_PROVEN and unit.marks[side][number] & MARK_VALUE != VALUE_DRAW:
                board = placed(unit, number, side)
                report_finding(unit.findings, FINDING_UNPROVEN, &board, unit.marks[side][number] & MARK_VALUE,
                               VALUE_UNKNOWN)


cdef int right_distance(const Board* board, const Egdb* db, const Unit* unit, int value) noexcept nogil:
    """The distance to the end of a won or lost position by those of its successors, taken from the unit where given."""
    cdef MoveList moves
    cdef Board child
    cdef int best = NO_DISTANCE
    cdef int i, distance
    generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        if unit != NULL and is_reversible(board, moves.moves[i]):
            distance = unit.distances[child.side][board_placement(unit, &child)]
            if value == VALUE_WIN and unit.marks[child.side][board_placement(unit, &child)] & MARK_VALUE != VALUE_LOSS:
                continue
        else:
            if value == VALUE_WIN and egdb_value(db, &child) != VALUE_LOSS:
                continue
            distance = valued_distance(db, &child, VALUE_WIN - value)
        if best == NO_DISTANCE or (distance < best if value == VALUE_WIN else distance > best):
            best = distance
    return best + 1


cdef void follow_distance(Unit* unit, const Board* board, u64 number) noexcept nogil:
    """Take the distance of a position, of which none is stored, from its successors."""
    cdef int right = right_distance(board, unit.known, unit, unit.marks[board.side][number] & MARK_VALUE)
    cdef int distance
    unit.distances[board.side][number] = <int16_t>right
    if number % PROBED == 0:
        distance = egdb_distance(unit.db, board)
        if distance != right:
            report_finding(unit.findings, FINDING_DISTANCE, board, distance, right)


cdef void check_distances(Unit* unit) noexcept nogil:
    """Compare the distances of all positions with those of their successors: in a right database they count down.

    Those stored are probed, and compared with what unpacking them gave. The others are by definition what their
    successors say: some are probed, to see that the probe agrees.
    """
    cdef Board board
    cdef int side, value, distance, known, right
    cdef u64 number
    memset(unit.sources, 0, unit.size)
    # those stored, and captures: they leave the unit
    for side in range(2):
        for number in range(unit.size):
            value = unit.marks[side][number] & MARK_VALUE
            if value == VALUE_DRAW:
                continue
            board = placed(unit, number, side)
            if half_distance(unit.known, &board) == HALF_FOLLOWS:
                if has_capture(&board, side):
                    follow_distance(unit, &board, number)
                else:
                    unit.sources[number] |= SOURCE_MOVES << side
                continue
            unit.sources[number] |= SOURCE_STORED << side
            distance = valued_distance(unit.db, &board, value)
            known = valued_distance(unit.known, &board, value)
            unit.distances[side][number] = <int16_t>distance
            if known != distance:
                report_finding(unit.findings, FINDING_DISTANCE, &board, distance, known)
    # the others, which kings' moves take to the former
    for side in range(2):
        for number in range(unit.size):
            if unit.sources[number] & SOURCE_MOVES << side:
                board = placed(unit, number, side)
                follow_distance(unit, &board, number)
    for side in range(2):
        for number in range(unit.size):
            if not unit.sources[number] & SOURCE_STORED << side:
                continue
            board = placed(unit, number, side)
            right = right_distance(&board, unit.known, unit, unit.marks[side][number] & MARK_VALUE)
            if unit.distances[side][number] != right:
                report_finding(unit.findings, FINDING_DISTANCE, &board, unit.distances[side][number], right)


cdef void probe_unit(Unit* unit, u64* counts) noexcept nogil:
    """Take the values of all positions of a unit from the database; counts: 3 values by side to move."""
    cdef Board board
    cdef int side, value
    cdef u64 number
    for side in range(2):
        memset(unit.marks[side] + unit.size, 0, 8)
        for number in range(unit.size):
            board = placed(unit, number, side)
            value = egdb_value(unit.db, &board)
            if value == VALUE_UNKNOWN:
                unit.marks[side][number] = VALUE_DRAW
                report_finding(unit.findings, FINDING_DAMAGED, &board, VALUE_UNKNOWN, VALUE_UNKNOWN)
            else:
                unit.marks[side][number] = value | MARK_STALE
                counts[3 * side + value] += 1


cdef void check_unit(Unit* unit, bint symmetric, bint alone, u64* counts) noexcept nogil:
    """Check all positions of a unit and count their values.

    symmetric: the slice is its own twin; alone: and the unit is its own flip, so that both sides to move are the same.
    """
    cdef u64 found[6]
    cdef u64 before = unit.findings.count
    cdef int i
    memset(found, 0, sizeof(found))
    probe_unit(unit, found)
    prove(unit)
    # distances between wrong values say nothing
    if unit.distances[BLACK] != NULL and unit.findings.count == before:
        check_distances(unit)
    for i in range(3):
        counts[i] += found[i]
        if not alone:
            counts[i if symmetric else i + 3] += found[i + 3]


cdef list findings_found(const Findings* findings):
    """The findings kept, for Python: (kind, (black, white, kings, side), stated, right)."""
    cdef const Finding* found
    cdef u64 i
    kept = []
    for i in range(min(findings.count, <u64>MAX_FINDINGS)):
        found = &findings.kept[i]
        position = (unpad(found.board.pieces[BLACK]), unpad(found.board.pieces[WHITE]), unpad(found.board.kings),
                    found.board.side)
        kept.append((found.kind, position, found.stated, found.right))
    return kept


cdef class KnownDistances:
    """The distances stored in a database, up to so many pieces unpacked by `unpack`: each is looked up many times."""
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
        free(self.memory)

    def unpack(self, u64 part, u64 parts):
        """Unpack one of so many equal parts, without the GIL."""
        cdef StoredSlice* s = self.slices
        cdef u64 blocks, number
        with nogil:
            while s.packed != NULL:
                blocks = (s.shape.size - 1 >> s.coded.block_bits) + 1
                for number in range(blocks * part // parts, blocks * (part + 1) // parts):
                    unpack_distances(s.coded, number, <uint8_t*>s.packed + (number << s.coded.block_bits))
                s += 1


def egdb_check_units(EndgameDatabase database not None, tuple shape, u64 first, u64 last, KnownDistances distances,
                     const int[::1] stop):
    """Check the units of a slice and its twin with arrangements of men `first` to `last` - 1, without the GIL.

    distances: None if they aren't to be checked.
    Returns the counts of (losses, draws, wins) of the slice and of its twin, how many positions are wrong, and some
    of them. Of a slice that is its own twin each position counts once. Returns early where stop[0] is set.
    """
    cdef Slice s = make_slice(shape[0], shape[1], shape[2], shape[3])
    cdef Findings findings
    cdef Unit unit
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
    unit.db = &database.db
    unit.known = &distances.db if distances is not None else NULL
    unit.findings = &findings
    unit.kings[BLACK] = s.own_kings
    unit.kings[WHITE] = s.opponent_kings
    unit.black_sets = s.own_king_sets
    unit.size = s.block
    unit.sources = <uint8_t*>malloc(unit.size) if distances is not None else NULL
    for side in range(2):
        unit.marks[side] = <uint8_t*>malloc(unit.size + 8)
        unit.distances[side] = <int16_t*>malloc(unit.size * sizeof(int16_t)) if distances is not None else NULL
    try:
        if distances is not None and unit.sources == NULL:
            raise MemoryError(f"no memory to check {unit.size} positions at once")
        for side in range(2):
            if unit.marks[side] == NULL or (distances is not None and unit.distances[side] == NULL):
                raise MemoryError(f"no memory to check {unit.size} positions at once")
        with nogil:
            for number in range(first, last):
                if stop[0]:
                    break
                board = board_at(&s, number * s.block)
                unit.men[BLACK] = board.pieces[BLACK] & ~board.kings
                unit.men[WHITE] = board.pieces[WHITE] & ~board.kings
                unit.free = SQUARES & ~(unit.men[BLACK] | unit.men[WHITE])
                c_assert(arrangement_number(&s, unit.men[BLACK], unit.men[WHITE], BLACK) == number)
                if symmetric:
                    twin_number = arrangement_number(&s, unit.men[WHITE], unit.men[BLACK], WHITE)
                    if twin_number < number:
                        continue    # checked as the other's twin
                check_unit(&unit, symmetric, symmetric and twin_number == number, counts)
    finally:
        free(unit.sources)
        for side in range(2):
            free(unit.marks[side])
            free(unit.distances[side])
    return (counts[0], counts[1], counts[2]), (counts[3], counts[4], counts[5]), findings.count, findings_found(&findings)


def egdb_check_boards(EndgameDatabase database not None, const u32[:, ::1] boards, bint distances):
    """Check the value, and the distance, of positions (black, white, kings; Black to move) against their successors'.

    Returns how many are wrong, and some of them. Releases the GIL.
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
    return findings.count, findings_found(&findings)
