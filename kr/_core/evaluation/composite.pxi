# Tables changed by a net: in endings the score of any evaluation, less what the net says is drawn, more what it says is
# won. The evaluation keeps its memory as it does alone.
#
# A net costs several times what tables do, and searches meet the same endings again and again, so what it said is kept:
# in one word the upper bits of the position's key, the draw and the difference of win and loss, in whole numbers, so
# that a score is the same from there as from the net. Threads share it.

cdef enum:
    SAID_ENTRIES = 1 << 16
    SAID_BITS = 12              # of each number
    SAID_DRAW = 4095            # a sure draw
    SAID_WIN = 2047             # a sure win, less a sure loss

cdef extern from *:
    """
    #define kr_load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
    #define kr_store(p, x) __atomic_store_n((p), (x), __ATOMIC_RELAXED)
    """
    u64 load_word "kr_load"(const u64* word) noexcept nogil
    void store_word "kr_store"(u64* word, u64 value) noexcept nogil


cdef struct Composite:
    const Evaluation* base
    const EndNet* net
    u64* said                   # SAID_ENTRIES words
    int pieces                  # on the board, at most, for the net to be asked
    float bonus                 # centi-men for a sure win
    float share                 # of the score that a sure draw takes away


cdef u64 ask_net(const EndNet* net, const Board* board) noexcept nogil:
    """What a net says of a position: draw and difference, never 0."""
    cdef u32 row[3]
    cdef float chances[3]
    write_row(board, row)
    net_chances(net, row, chances)
    return (<u64>(chances[1] * SAID_DRAW + <float>0.5) << SAID_BITS
            | <u64>((chances[2] - chances[0]) * SAID_WIN + <float>(SAID_WIN + 1.5)))


cdef int composite_score(const void* weights, const Board* board, const Memory* memory) noexcept nogil:
    cdef const Composite* composite = <const Composite*>weights
    cdef int score = composite.base.score(composite.base.weights, board, memory)
    cdef u64 upper = board.key >> 2 * SAID_BITS << 2 * SAID_BITS
    cdef u64* word
    cdef u64 said
    cdef float draw, difference
    if (popcount(board.pieces[BLACK] | board.pieces[WHITE]) > composite.pieces or board.pieces[BLACK] == 0
            or board.pieces[WHITE] == 0):
        return score
    word = &composite.said[board.key % SAID_ENTRIES]
    said = load_word(word) ^ upper
    if said == 0 or said >> 2 * SAID_BITS:
        said = ask_net(composite.net, board)
        store_word(word, upper | said)
    draw = <float>(said >> SAID_BITS) / SAID_DRAW
    difference = <float>(<int>(said & (1 << SAID_BITS) - 1) - SAID_WIN - 1) / SAID_WIN
    return <int>(<float>score * (1 - draw * composite.share) + composite.bonus * difference)


cdef void refresh_base(const void* weights, const Board* board, Memory* memory) noexcept nogil:
    cdef const Evaluation* base = (<const Composite*>weights).base
    base.refresh(base.weights, board, memory)


cdef void update_base(const void* weights, const Board* board, Move move, const Memory* memory,
                      Memory* after) noexcept nogil:
    cdef const Evaluation* base = (<const Composite*>weights).base
    base.update(base.weights, board, move, memory, after)


cdef class CompositeEvaluator(Evaluator):
    """The evaluator of tables, changed by a net in positions of at most `pieces` pieces.

    bonus: centi-men for a sure win; share: part of the score that a sure draw takes away.
    """
    cdef Composite composite
    cdef Evaluator base
    cdef EndNetEvaluator net

    def __cinit__(self, Evaluator base not None, EndNetEvaluator net not None, int pieces, float bonus, float share):
        self.base = base
        self.net = net
        self.composite.said = <u64*>allocate_pages(SAID_ENTRIES * sizeof(u64))
        if self.composite.said == NULL:
            raise MemoryError("no memory for a net beside tables")
        self.composite.base = &base.evaluation
        self.composite.net = &net.scored.net
        self.composite.pieces = pieces
        self.composite.bonus = bonus
        self.composite.share = share
        self.evaluation.score = composite_score
        if base.evaluation.refresh != NULL:
            self.evaluation.refresh = refresh_base
        if base.evaluation.update != NULL:
            self.evaluation.update = update_base
        self.evaluation.weights = &self.composite

    def __dealloc__(self):
        free(self.composite.said)
