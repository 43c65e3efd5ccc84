# Tables changed by a net: in endings the score of any evaluation, less what the net says is drawn, more what it says is
# won. The evaluation keeps its memory as it does alone.

cdef struct Composite:
    const Evaluation* base
    const EndNet* net
    int pieces                  # on the board, at most, for the net to be asked
    float bonus                 # centi-men for a sure win
    float share                 # of the score that a sure draw takes away


cdef int composite_score(const void* weights, const Board* board, const Memory* memory) noexcept nogil:
    cdef const Composite* composite = <const Composite*>weights
    cdef int score = composite.base.score(composite.base.weights, board, memory)
    cdef u32 row[3]
    cdef float chances[3]
    if popcount(board.pieces[BLACK] | board.pieces[WHITE]) > composite.pieces:
        return score
    write_row(board, row)
    net_chances(composite.net, row, chances)
    return <int>(<float>score * (1 - chances[1] * composite.share) + composite.bonus * (chances[2] - chances[0]))


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
