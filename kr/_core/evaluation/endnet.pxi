# Networks for endings: loss, draw and win of a quiet position, from two hidden layers in whole numbers.
#
# The inputs are a bit for each kind of piece on each square, seen from the side to move. Few are set, so that the first
# layer is a sum of a few rows of weights. Its units are clipped to what stands for 0 and 1; many are 0, and the second
# layer takes only the pairs of units that are not. All sums fit: `EndNetEvaluator` checks it once. Numbers stay whole
# up to the logits, so that these are the same on every machine.

from libc.math cimport logf
from libc.stdlib cimport llabs

cdef enum:
    NET_INPUTS = 128            # own men, opponent's men, own kings, opponent's kings, 32 squares each
    NET_MAX_UNITS = 1024        # of the first hidden layer; a multiple of 32
    NET_MAX_HIDDEN = 64         # of the second; a multiple of 16
    NET_HIDDEN_ONE = 4095       # what stands for 1 in the second layer
    NET_MOST_PIECES = 24
    NET_MOST_LOGIT = 8          # of the expected result in a score
    NET_MATERIAL_SHARE = 8      # a score's part of the material is one in this many

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    #if defined(__x86_64__) && defined(__GNUC__)
    #include <immintrin.h>
    #define KR_NET_LEVELS 4
    #else
    #define KR_NET_LEVELS 1
    #endif
    typedef struct {
        int units, hidden;          /* multiples of 32 and 16 */
        int one;                    /* what stands for 1 in the first hidden layer */
        int16_t* inputs;            /* [128][units] */
        int16_t* first;             /* [units]: where the sums of the first layer begin */
        int16_t* pairs;             /* [units / 2][hidden][2] */
        int32_t* second;            /* [hidden] */
        float* factors;             /* [hidden]: from a sum of the second layer to its unit */
        int16_t* outputs;           /* [3][hidden] */
        int32_t third[3];
        float logit;                /* a logit's unit */
    } kr_endnet;

    typedef void (*kr_net_layers)(const kr_endnet* net, const int16_t** rows, int count, int32_t* logits);

    /* The third layer from the sums of the second. */
    static inline __attribute__((always_inline)) void kr_net_outputs(
            const kr_endnet* net, const int32_t* sums, int32_t* logits) {
        int32_t units[64];
        int i, j;
        for (i = 0; i < net->hidden; i++) {
            float unit = (float)sums[i] * net->factors[i];
            unit = unit > 0 ? unit : 0;
            units[i] = (int32_t)(unit < 4095 ? unit : 4095);
        }
        for (j = 0; j < 3; j++) {
            int32_t sum = net->third[j];
            for (i = 0; i < net->hidden; i++) sum += units[i] * net->outputs[j * net->hidden + i];
            logits[j] = sum;
        }
    }

    /* What machines without SSE2 do, and what all must come to. */
    static void kr_net_plain(const kr_endnet* net, const int16_t** rows, int count, int32_t* logits) {
        int32_t sums[64];
        int i, j, k;
        memcpy(sums, net->second, net->hidden * sizeof(int32_t));
        for (i = 0; i < net->units; i++) {
            int unit = net->first[i];
            for (k = 0; k < count; k++) unit += rows[k][i];
            if (unit > net->one) unit = net->one;
            if (unit > 0)
                for (j = 0; j < net->hidden; j++)
                    sums[j] += unit * net->pairs[(i / 2 * net->hidden + j) * 2 + i % 2];
        }
        kr_net_outputs(net, sums, logits);
    }

    #if KR_NET_LEVELS > 1
    /* The numbers of the pairs that are not both 0. */
    static inline __attribute__((always_inline)) int kr_net_used(const int32_t* pairs, int count, int32_t* used) {
        int i, n = 0;
        for (i = 0; i < count; i++) {
            used[n] = i;
            n += pairs[i] != 0;
        }
        return n;
    }

    __attribute__((target("avx512f,avx512bw,popcnt"))) static inline int kr_net_used_wide(
            const int32_t* pairs, int count, int32_t* used) {
        __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        int i, n = 0;
        for (i = 0; i < count; i += 16) {
            __m512i here = _mm512_load_si512(pairs + i);
            __mmask16 set = _mm512_test_epi32_mask(here, here);
            _mm512_storeu_si512(used + n, _mm512_maskz_compress_epi32(set, numbers));
            numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
            n += __builtin_popcount(set);
        }
        return n;
    }

    /* The layers with registers of one size. The number of vectors of sums is a constant in each branch. */
    #define KR_NET_LAYERS(NAME, TARGET, OP, VECTOR, USED)                                                        \\
        TARGET static inline __attribute__((always_inline)) void NAME##_second(                                  \\
                const kr_endnet* net, const int32_t* pairs, const int32_t* used, int count, int32_t* sums,       \\
                const int vectors) {                                                                             \\
            VECTOR total[64 * 4 / sizeof(VECTOR)];                                                               \\
            int i, k;                                                                                            \\
            _Pragma("GCC unroll 16")                                                                             \\
            for (i = 0; i < vectors; i++) total[i] = ((const VECTOR*)net->second)[i];                            \\
            for (k = 0; k < count; k++) {                                                                        \\
                const VECTOR* weights = (const VECTOR*)net->pairs + used[k] * (long)vectors;                     \\
                VECTOR pair = OP##_set1_epi32(pairs[used[k]]);                                                   \\
                _Pragma("GCC unroll 16")                                                                         \\
                for (i = 0; i < vectors; i++)                                                                    \\
                    total[i] = OP##_add_epi32(total[i], OP##_madd_epi16(pair, weights[i]));                      \\
            }                                                                                                    \\
            _Pragma("GCC unroll 16")                                                                             \\
            for (i = 0; i < vectors; i++) ((VECTOR*)sums)[i] = total[i];                                         \\
        }                                                                                                        \\
        TARGET static void NAME(const kr_endnet* net, const int16_t** rows, int count, int32_t* logits) {  \\
            union { int16_t units[1024]; int32_t pairs[512]; } __attribute__((aligned(64))) active;              \\
            int32_t sums[64] __attribute__((aligned(64)));                                                       \\
            int32_t used[512 + 16];                                                                              \\
            const int in_one = sizeof(VECTOR) / 4;                                                               \\
            const VECTOR none = OP##_set1_epi16(0), one = OP##_set1_epi16((short)net->one);                      \\
            int i, k;                                                                                            \\
            for (i = 0; i < net->units; i += 2 * in_one) {                                                       \\
                VECTOR sum = *(const VECTOR*)(net->first + i);                                                   \\
                for (k = 0; k < count; k++) sum = OP##_add_epi16(sum, *(const VECTOR*)(rows[k] + i));            \\
                *(VECTOR*)(active.units + i) = OP##_min_epi16(OP##_max_epi16(sum, none), one);                   \\
            }                                                                                                    \\
            k = USED(active.pairs, net->units / 2, used);                                                        \\
            if (net->hidden == 16) NAME##_second(net, active.pairs, used, k, sums, 16 / in_one);                 \\
            else if (net->hidden == 32) NAME##_second(net, active.pairs, used, k, sums, 32 / in_one);            \\
            else if (net->hidden == 48) NAME##_second(net, active.pairs, used, k, sums, 48 / in_one);            \\
            else NAME##_second(net, active.pairs, used, k, sums, 64 / in_one);                                   \\
            kr_net_outputs(net, sums, logits);                                                                   \\
        }

    KR_NET_LAYERS(kr_net_sse2, , _mm, __m128i, kr_net_used)
    KR_NET_LAYERS(kr_net_avx2, __attribute__((target("avx2"))), _mm256, __m256i, kr_net_used)
    KR_NET_LAYERS(kr_net_avx512, __attribute__((target("avx512f,avx512bw,popcnt"))), _mm512, __m512i, kr_net_used_wide)
    #endif

    /* The layers by level, plain, SSE2, AVX2 or AVX-512; NULL for what this machine has not. */
    static kr_net_layers kr_net_level(int level) {
    #if KR_NET_LEVELS > 1
        __builtin_cpu_init();
        if (level == 1) return kr_net_sse2;
        if (level == 2) return __builtin_cpu_supports("avx2") ? kr_net_avx2 : NULL;
        if (level == 3) return __builtin_cpu_supports("avx512bw") ? kr_net_avx512 : NULL;
    #endif
        return level == 0 ? kr_net_plain : NULL;
    }

    static kr_net_layers kr_net_best;
    __attribute__((constructor)) static void kr_net_choose(void) {
        int level;
        for (level = 0; level < KR_NET_LEVELS; level++)
            if (kr_net_level(level)) kr_net_best = kr_net_level(level);
    }

    static inline int kr_net_rows(const kr_endnet* net, uint32_t set, int first, const int16_t** rows, int count) {
        for (; set; set &= set - 1) rows[count++] = net->inputs + (size_t)(first + __builtin_ctz(set)) * net->units;
        return count;
    }

    /* The logits of a row (black, white, kings; Black to move) in the net's unit. Of more pieces than a game has, those
       beyond are left out: the sums are made for as many. */
    static inline void kr_net_logits(
            const kr_endnet* net, kr_net_layers layers, const uint32_t* row, int32_t* logits) {
        const int16_t* rows[32];
        int count = kr_net_rows(net, row[0] & ~row[2], 0, rows, 0);
        count = kr_net_rows(net, row[1] & ~row[2] & ~row[0], 32, rows, count);
        count = kr_net_rows(net, row[0] & row[2], 64, rows, count);
        count = kr_net_rows(net, row[1] & row[2] & ~row[0], 96, rows, count);
        layers(net, rows, count < 24 ? count : 24, logits);
    }

    static inline void kr_net_logits_by(const kr_endnet* net, int level, const uint32_t* row, int32_t* logits) {
        kr_net_logits(net, level < 0 ? kr_net_best : kr_net_level(level), row, logits);
    }

    static inline int kr_net_has_level(int level) {
        return level < 0 || kr_net_level(level) != NULL;
    }

    /* Probabilities of loss, draw and win. */
    static inline void kr_net_chances(const kr_endnet* net, const uint32_t* row, float* chances) {
        int32_t logits[3];
        int32_t most;
        float total = 0;
        int i;
        kr_net_logits(net, kr_net_best, row, logits);
        most = logits[0] > logits[1] ? logits[0] : logits[1];
        most = most > logits[2] ? most : logits[2];
        for (i = 0; i < 3; i++) total += chances[i] = expf((float)((int64_t)logits[i] - most) * net->logit);
        for (i = 0; i < 3; i++) chances[i] /= total;
    }

    /* Fill a net; false without the memory. second: [units][hidden], third: [hidden][3]. */
    static int kr_net_open(
            kr_endnet* net, int units, int hidden, int one, const int16_t* inputs, const int16_t* first,
            const int16_t* second, const int32_t* second_start, const float* factors, const int16_t* third,
            const int32_t* third_start, float logit) {
        int i, j;
        net->units = units;
        net->hidden = hidden;
        net->one = one;
        net->logit = logit;
        net->inputs = kr_allocate_untouched(128 * units * sizeof(int16_t));
        net->first = kr_allocate_untouched(units * sizeof(int16_t));
        net->pairs = kr_allocate_untouched(units * hidden * sizeof(int16_t));
        net->second = kr_allocate_untouched(hidden * sizeof(int32_t));
        net->factors = kr_allocate_untouched(hidden * sizeof(float));
        net->outputs = kr_allocate_untouched(3 * hidden * sizeof(int16_t));
        if (!net->inputs || !net->first || !net->pairs || !net->second || !net->factors || !net->outputs) return 0;
        memcpy(net->inputs, inputs, 128 * units * sizeof(int16_t));
        memcpy(net->first, first, units * sizeof(int16_t));
        memcpy(net->second, second_start, hidden * sizeof(int32_t));
        memcpy(net->factors, factors, hidden * sizeof(float));
        memcpy(net->third, third_start, 3 * sizeof(int32_t));
        for (i = 0; i < units; i++)
            for (j = 0; j < hidden; j++) net->pairs[(i / 2 * hidden + j) * 2 + i % 2] = second[i * hidden + j];
        for (i = 0; i < 3; i++)
            for (j = 0; j < hidden; j++) net->outputs[i * hidden + j] = third[j * 3 + i];
        return 1;
    }

    static void kr_net_close(kr_endnet* net) {
        free(net->inputs);
        free(net->first);
        free(net->pairs);
        free(net->second);
        free(net->factors);
        free(net->outputs);
    }
    """
    ctypedef struct EndNet "kr_endnet":
        pass
    void net_chances "kr_net_chances"(const EndNet* net, const u32* row, float* chances) noexcept nogil
    void net_logits "kr_net_logits_by"(const EndNet* net, int level, const u32* row, int32_t* logits) noexcept nogil
    bint has_net_level "kr_net_has_level"(int level) noexcept nogil
    bint open_net "kr_net_open"(EndNet* net, int units, int hidden, int one, const int16_t* inputs,
                                const int16_t* first, const int16_t* second, const int32_t* second_start,
                                const float* factors, const int16_t* third, const int32_t* third_start,
                                float logit) noexcept nogil
    void close_net "kr_net_close"(EndNet* net) noexcept nogil


cdef struct ScoredNet:
    EndNet net
    float scale                 # centi-men in a logit


cdef int endnet_score(const void* weights, const Board* board, const Memory* memory) noexcept nogil:
    """The logit of the expected result, and a little for material: a net that is sure of a win doesn't tell which move
    comes nearer to it."""
    cdef const ScoredNet* scored = <const ScoredNet*>weights
    cdef u32 row[3]
    cdef float chances[3]
    cdef float most = NET_MOST_LOGIT
    cdef float logit
    write_row(board, row)
    if row[0] == 0 or row[1] == 0:
        logit = most if row[0] else -most
    else:
        net_chances(&scored.net, row, chances)
        logit = logf((chances[2] + 0.5 * chances[1] + <float>1e-9) / (chances[0] + 0.5 * chances[1] + <float>1e-9))
        logit = min(max(logit, -most), most)
    return <int>(scored.scale * logit) + material_score(NULL, board, memory) // NET_MATERIAL_SHARE


cdef bint sums_fit(const int16_t* weights, Py_ssize_t step, Py_ssize_t count, int64_t unit,
                   int64_t start) noexcept nogil:
    """True if a sum of weights, each times 0 to `unit`, stays below 2^31 whatever the order."""
    cdef int64_t total = llabs(start)
    cdef Py_ssize_t i
    for i in range(count):
        total += unit * llabs(<int64_t>weights[i * step])
    return total < <int64_t>1 << 31


cdef bint first_layer_fits(const int16_t[:, ::1] inputs, const int16_t[::1] first, int unit) noexcept nogil:
    """True if the sum of a unit of the first layer stays within 16 bits for any NET_MOST_PIECES pieces."""
    cdef int64_t most[32]
    cdef int64_t total, best
    cdef int square, plane, i, chosen
    for square in range(32):
        most[square] = 0
        for plane in range(4):
            most[square] = max(most[square], llabs(<int64_t>inputs[32 * plane + square, unit]))
    total = llabs(<int64_t>first[unit])
    for i in range(NET_MOST_PIECES):
        chosen = 0
        for square in range(32):
            if most[square] > most[chosen]:
                chosen = square
        total += most[chosen]
        most[chosen] = 0
    return total < 1 << 15


cdef class EndNetEvaluator(Evaluator):
    """A network for endings in whole numbers; `kr.evaluation.endnet` makes its arrays of those of a fit.

    Raises ValueError for arrays of other shapes, or whose sums could overflow.
    """
    cdef ScoredNet scored

    def __cinit__(self, const int16_t[:, ::1] inputs not None, const int16_t[::1] first not None, int one,
                  const int16_t[:, ::1] second not None, const int32_t[::1] second_start not None,
                  const float[::1] factors not None, const int16_t[:, ::1] third not None,
                  const int32_t[::1] third_start not None, float logit, float scale):
        """inputs (128, units), first (units,): weights of the first layer and its start, in units of 1 / one.
        second (units, hidden), second_start (hidden,), factors (hidden,): the second layer, and from its sums to
        1 / 4095. third (hidden, 3), third_start (3,), logit: the outputs, and the unit of their logits. scale:
        centi-men in a logit of the expected result."""
        cdef Py_ssize_t units = inputs.shape[1]
        cdef Py_ssize_t hidden = second.shape[1]
        cdef Py_ssize_t i
        if (inputs.shape[0] != NET_INPUTS or not 0 < units <= NET_MAX_UNITS or units % 32
                or not 0 < hidden <= NET_MAX_HIDDEN or hidden % 16 or first.shape[0] != units
                or second.shape[0] != units or second_start.shape[0] != hidden or factors.shape[0] != hidden
                or third.shape[0] != hidden or third.shape[1] != 3 or third_start.shape[0] != 3):
            raise ValueError(f"a net for endings has {NET_INPUTS} inputs, up to {NET_MAX_UNITS} units (a multiple of "
                             f"32), up to {NET_MAX_HIDDEN} (a multiple of 16) and 3 outputs")
        if not 0 < one < 1 << 15:
            raise ValueError(f"{one} can't stand for 1 in the first layer: expected 1 to 32767")
        for i in range(units):
            if not first_layer_fits(inputs, first, <int>i):
                raise ValueError(f"unit {i} of the first layer could overflow")
        for i in range(hidden):
            if not sums_fit(&second[0, i], hidden, units, one, second_start[i]):
                raise ValueError(f"unit {i} of the second layer could overflow")
            if not 0 <= factors[i] < 1e9:
                raise ValueError(f"factor {i} of the second layer is {factors[i]}; expected 0 or more")
        for i in range(3):
            if not sums_fit(&third[0, i], 3, hidden, NET_HIDDEN_ONE, third_start[i]):
                raise ValueError(f"output {i} could overflow")
        if not (0 < logit < 1e9 and 0 < scale < 1e9):
            raise ValueError("logit and scale are numbers above 0")
        if not open_net(&self.scored.net, <int>units, <int>hidden, one, &inputs[0, 0], &first[0], &second[0, 0],
                        &second_start[0], &factors[0], &third[0, 0], &third_start[0], logit):
            raise MemoryError("no memory for a net")
        self.scored.scale = scale
        self.evaluation.score = endnet_score
        self.evaluation.weights = &self.scored

    def __dealloc__(self):
        close_net(&self.scored.net)

    def predict(self, const uint32_t[:, ::1] boards not None):
        """float32 (n, 3): probabilities of loss, draw and win for the side to move. Releases the GIL.

        boards: uint32 (n, 3), black, white and kings, Black to move; nothing to capture, if the net was fitted to such
        positions. Raises ValueError for anything else.
        """
        import numpy as np
        check_boards(boards)
        found = np.empty((boards.shape[0], 3), dtype=np.float32)
        cdef float[:, ::1] chances = found
        cdef Py_ssize_t i
        with nogil:
            for i in range(boards.shape[0]):
                net_chances(&self.scored.net, &boards[i, 0], &chances[i, 0])
        return found

    def logits(self, const uint32_t[:, ::1] boards not None, int level=-1):
        """int32 (n, 3): the logits in whole numbers, of boards as for `predict`.

        level: instructions that are used, 0 plain, 1 SSE2, 2 AVX2, 3 AVX-512; -1 the best that this machine has. Raises
        ValueError for a level that it has not.
        """
        import numpy as np
        check_boards(boards)
        found = np.empty((boards.shape[0], 3), dtype=np.int32)
        cdef int32_t[:, ::1] logits = found
        cdef Py_ssize_t i
        if not has_net_level(level):
            raise ValueError(f"this machine has no level {level}")
        with nogil:
            for i in range(boards.shape[0]):
                net_logits(&self.scored.net, level, &boards[i, 0], &logits[i, 0])
        return found


EVALUATORS["endnet"] = EndNetEvaluator
