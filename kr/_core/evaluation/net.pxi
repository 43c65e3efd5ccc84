# A net with one hidden layer, by itself or on top of another evaluation, and the sum of both.
#
# A unit is the sum of a row for each piece on its square, clipped to 0 and 1; the score is a weighted sum of the units,
# with weights for the number of pieces. Positions without and with kings have nets of their own. Nothing is kept from
# ply to ply: with 128 units and the dozen pieces of most leaves, the sums from the start cost as much as tables do.

cdef enum:
    NET_BLOCK = 128             # units of one block, summed in registers; a net has whole blocks
    NET_BLOCKS = 8              # at most
    NET_ONE = 512               # what stands for 1 in a unit
    NET_BANDS = 8               # sets of output weights, by the number of pieces
    BAND_PIECES = 3             # numbers of pieces in one
    NET_KINDS = 4               # own men, opponent's men, own kings, opponent's kings
    PADDED_SQUARES = 35

cdef extern from *:
    """
    #define KR_NET_BLOCK 128
    #define KR_NET_ONE 512
    typedef int16_t kr_units __attribute__((vector_size(64), may_alias));

    #define KR_ADD_ROWS(set, kind) \
        for (left = (set); left; left &= left - 1) { \
            row = (const kr_units*)(rows + (size_t)((kind) * 35 + __builtin_ctzll(left)) * units) + 4 * block; \
            a += row[0]; b += row[1]; c += row[2]; d += row[3]; \
        }

    static inline __attribute__((always_inline)) kr_units kr_clipped(kr_units x) {
        const kr_units one = (kr_units){0} + KR_NET_ONE;
        const kr_units above = (kr_units)(x > one);
        return (x & (kr_units)(x > 0) & ~above) | (one & above);
    }

    /* The sum of one block of units times their weights. */
    static inline __attribute__((always_inline)) int kr_block_sum(const kr_units* unit, const int16_t* weights) {
    #if defined(__SSE2__)
        int i;
        __m128i sums = _mm_setzero_si128();
        for (i = 0; i < KR_NET_BLOCK / 8; i++)
            sums = _mm_add_epi32(sums, _mm_madd_epi16(((const __m128i*)unit)[i], ((const __m128i*)weights)[i]));
        sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0x4E));
        return _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32(sums, 0xB1)));
    #else
        int i, sum = 0;
        for (i = 0; i < KR_NET_BLOCK; i++)
            sum += ((const int16_t*)unit)[i] * weights[i];
        return sum;
    #endif
    }

    /* The outputs' sum, in parts of 1 / KR_NET_ONE of their unit. Rows and weights begin at multiples of 64 bytes. */
    static KR_BY_REGISTERS int kr_net_sum(
            const int16_t* rows, const int16_t* start, const int16_t* weights, const int blocks,
            uint64_t own_men, uint64_t opponent_men, uint64_t own_kings, uint64_t opponent_kings) {
        const size_t units = (size_t)blocks * KR_NET_BLOCK;
        const kr_units* row;
        uint64_t left;
        int block, sum = 0;
        for (block = 0; block < blocks; block++) {
            kr_units a, b, c, d, unit[4];
            row = (const kr_units*)start + 4 * block;
            a = row[0]; b = row[1]; c = row[2]; d = row[3];
            KR_ADD_ROWS(own_men, 0)
            KR_ADD_ROWS(opponent_men, 1)
            KR_ADD_ROWS(own_kings, 2)
            KR_ADD_ROWS(opponent_kings, 3)
            unit[0] = kr_clipped(a); unit[1] = kr_clipped(b); unit[2] = kr_clipped(c); unit[3] = kr_clipped(d);
            sum += kr_block_sum(unit, weights + KR_NET_BLOCK * block);
        }
        return sum;
    }
    """
    int net_sum "kr_net_sum"(const int16_t* rows, const int16_t* start, const int16_t* weights, int blocks,
                             u64 own_men, u64 opponent_men, u64 own_kings, u64 opponent_kings) noexcept nogil


cdef struct Layers:
    # Of one group, positions without or with kings; all NULL where there is no net for it.
    int blocks
    int16_t* rows[2]            # by side to move: [kind][padded square][unit]
    int16_t* start              # [unit]
    int16_t* weights            # [band][unit], in table units
    int32_t last[NET_BANDS]     # what is added to the weighted sum, in table units

cdef struct Net:
    Layers groups[2]            # without kings, with kings
    int least                   # pieces on the board, at least, for any score but 0


cdef int net_score(const void* weights, const Board* board, const Memory* memory) noexcept nogil:
    cdef const Net* net = <const Net*>weights
    cdef const Layers* layers = &net.groups[board.kings != 0]
    cdef u64 own = board.pieces[board.side]
    cdef u64 opponent = board.pieces[1 - board.side]
    cdef int pieces = popcount(own | opponent)
    cdef int band = min((pieces - 1) // BAND_PIECES, NET_BANDS - 1)
    cdef int sum
    if layers.blocks == 0 or pieces == 0 or pieces < net.least:
        return 0
    sum = net_sum(layers.rows[board.side], layers.start, layers.weights + band * layers.blocks * NET_BLOCK,
                  layers.blocks, own & ~board.kings, opponent & ~board.kings, own & board.kings,
                  opponent & board.kings)
    return ((sum >> 9) + layers.last[band]) >> 4


cdef int fill_layers(Layers* layers, const int16_t[:, :, ::1] rows, const int16_t[::1] start,
                     const int16_t[:, ::1] weights, const int32_t[::1] last) except -1:
    cdef Py_ssize_t units = start.shape[0]
    cdef int side, kind, square, band
    if (units == 0 or units % NET_BLOCK or units > NET_BLOCK * NET_BLOCKS or rows.shape[0] != NET_KINDS
            or rows.shape[1] != 32 or rows.shape[2] != units or weights.shape[0] != NET_BANDS
            or weights.shape[1] != units or last.shape[0] != NET_BANDS):
        raise ValueError("the arrays of a net do not belong together")
    layers.start = <int16_t*>allocate_pages(units * sizeof(int16_t))
    layers.weights = <int16_t*>allocate_pages(NET_BANDS * units * sizeof(int16_t))
    layers.rows[BLACK] = <int16_t*>allocate_pages(NET_KINDS * PADDED_SQUARES * units * sizeof(int16_t))
    layers.rows[WHITE] = <int16_t*>allocate_pages(NET_KINDS * PADDED_SQUARES * units * sizeof(int16_t))
    if (layers.start == NULL or layers.weights == NULL or layers.rows[BLACK] == NULL
            or layers.rows[WHITE] == NULL):
        raise MemoryError("no memory for a net")
    layers.blocks = <int>(units // NET_BLOCK)
    memcpy(layers.start, &start[0], units * sizeof(int16_t))
    memcpy(layers.weights, &weights[0, 0], NET_BANDS * units * sizeof(int16_t))
    for band in range(NET_BANDS):
        layers.last[band] = last[band]
    for side in range(2):
        for kind in range(NET_KINDS):
            for square in range(32):
                memcpy(layers.rows[side] + (kind * PADDED_SQUARES + padded_square(square)) * units,
                       &rows[kind, square if side == BLACK else 31 - square, 0], units * sizeof(int16_t))
    return 0


cdef class _NetEvaluator(Evaluator):
    """A net, copied. Raises ValueError for shapes that do not belong together.

    groups: for positions without and with kings, a tuple of arrays or None for none: rows int16 (4, 32, units) of own
    men, opponent's men, own and opponent's kings in the mover's frame, start int16 (units,), weights int16 (8, units),
    last int32 (8,); the sums must stay within 16 bits, those of the outputs within 32. Units are a multiple of 128.
    least: pieces from which it scores.
    """
    cdef Net net

    def __cinit__(self, groups, int least=0):
        cdef int number
        for number in range(2):
            if groups[number] is not None:
                rows, start, weights, last = groups[number]
                fill_layers(&self.net.groups[number], rows, start, weights, last)
        self.net.least = least
        self.evaluation.score = net_score
        self.evaluation.weights = &self.net

    def __dealloc__(self):
        cdef int i
        for i in range(2):
            free(self.net.groups[i].rows[BLACK])
            free(self.net.groups[i].rows[WHITE])
            free(self.net.groups[i].start)
            free(self.net.groups[i].weights)


EVALUATORS["net"] = _NetEvaluator


cdef struct Sum:
    const Evaluation* base
    const Evaluation* added     # keeps no memory


cdef int sum_score(const void* weights, const Board* board, const Memory* memory) noexcept nogil:
    cdef const Sum* sum = <const Sum*>weights
    return (sum.base.score(sum.base.weights, board, memory)
            + sum.added.score(sum.added.weights, board, memory))


cdef void refresh_first(const void* weights, const Board* board, Memory* memory) noexcept nogil:
    cdef const Evaluation* base = (<const Sum*>weights).base
    base.refresh(base.weights, board, memory)


cdef void update_first(const void* weights, const Board* board, Move move, const Memory* memory,
                       Memory* after) noexcept nogil:
    cdef const Evaluation* base = (<const Sum*>weights).base
    base.update(base.weights, board, move, memory, after)


cdef class SumEvaluator(Evaluator):
    """The sum of the scores of an evaluator and of a net."""
    cdef Sum sum
    cdef Evaluator base
    cdef _NetEvaluator net

    def __cinit__(self, Evaluator base not None, _NetEvaluator net not None):
        self.base = base
        self.net = net
        self.sum.base = &base.evaluation
        self.sum.added = &net.evaluation
        self.evaluation.score = sum_score
        if base.evaluation.refresh != NULL:
            self.evaluation.refresh = refresh_first
        if base.evaluation.update != NULL:
            self.evaluation.update = update_first
        self.evaluation.weights = &self.sum
