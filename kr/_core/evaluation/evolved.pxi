# Evolved networks: one number from the squares, through layers of tanh. Few hundred nanoseconds a position.
#
# Sums are in one order and products are not fused into them, so that the numbers are the same on every machine.

cdef enum:
    EVOLVED_LAYERS = 4          # with weights, at most
    EVOLVED_UNITS = 96          # of a layer, at most

cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    typedef struct {
        int layers;             /* with weights, the output's included */
        int units[5];           /* the 32 squares; then multiples of 8, and 1 */
        float* weights[4];      /* [inputs][units], without those of other squares than the board's */
        float* biases[4];
        float king, difference;
    } kr_evolved;

    #if defined(__clang__)
    #pragma STDC FP_CONTRACT OFF
    #elif defined(__GNUC__)
    #pragma GCC push_options
    #pragma GCC optimize("fp-contract=off")
    #endif

    /* tanh of a layer, to 4e-7: an odd polynomial over an even one, fitted by least squares with the largest relative
       errors weighted up until they were level. */
    static inline __attribute__((always_inline)) void kr_evolved_tanh(float* values, const int count) {
        int i;
        for (i = 0; i < count; i++) {
            float x = values[i], square, above, below;
            x = x < 9.0f ? x : 9.0f;
            x = x > -9.0f ? x : -9.0f;
            square = x * x;
            above = 3.4955906e-03f + square * (2.0609059e-05f + square * 1.33545193e-08f);
            above = x * (1.0f + square * (0.1338103f + square * above));
            below = 2.5876997e-02f + square * (3.2856359e-04f + square * 7.7765230e-07f);
            below = 1.0f + square * (0.46714345f + square * below);
            x = above / below;
            x = x < 1.0f ? x : 1.0f;
            values[i] = x > -1.0f ? x : -1.0f;
        }
    }

    /* A layer of so many units from the inputs that are listed. */
    static inline __attribute__((always_inline)) void kr_evolved_layer(
            const float* weights, const float* biases, const int* rows, const float* inputs, int count,
            float* sums, const int units) {
        int i, k;
        for (i = 0; i < units; i++) sums[i] = biases[i];
        for (k = 0; k < count; k++) {
            const float* row = weights + (rows ? rows[k] : k) * units;
            const float input = inputs[k];
            for (i = 0; i < units; i++) sums[i] += input * row[i];
        }
        kr_evolved_tanh(sums, units);
    }

    /* The number before the last tanh. squares, inputs: the pieces on the board. */
    static float kr_evolved_output(const kr_evolved* net, const int* squares, const float* inputs, int count) {
        float layers[2][96] __attribute__((aligned(64)));
        const float* before = inputs;
        const int* rows = squares;
        float sum = 0.0f;
        int i, layer;
        for (layer = 0; layer < net->layers - 1; layer++) {
            float* sums = layers[layer & 1];
            const int units = net->units[layer + 1];
            if (layer) count = net->units[layer];
            /* the number of units is a constant in the branches that matter */
            if (units == 40) kr_evolved_layer(net->weights[layer], net->biases[layer], rows, before, count, sums, 40);
            else if (units == 16) kr_evolved_layer(net->weights[layer], net->biases[layer], rows, before, count, sums, 16);
            else if (units == 96) kr_evolved_layer(net->weights[layer], net->biases[layer], rows, before, count, sums, 96);
            else kr_evolved_layer(net->weights[layer], net->biases[layer], rows, before, count, sums, units);
            before = sums;
            rows = NULL;
        }
        for (i = 0; i < net->units[layer]; i++) sum += before[i] * net->weights[layer][i];
        return sum + net->biases[layer][0];
    }

    #if !defined(__clang__) && defined(__GNUC__)
    #pragma GCC pop_options
    #endif
    """
    ctypedef struct EvolvedNet "kr_evolved":
        int layers
        int* sizes "units"
        float** weights
        float** biases
        float king
        float difference
    float evolved_sum "kr_evolved_output"(const EvolvedNet* net, const int* squares, const float* inputs,
                                          int count) noexcept nogil


cdef struct ScoredEvolved:
    EvolvedNet net
    bint absolute               # the board as Black sees it, and the output's sign turned for White to move
    float scale                 # centi-men in a logit


cdef float evolved_output(const ScoredEvolved* scored, const Board* board) noexcept nogil:
    """The output before its tanh, from the side to move."""
    cdef int squares[FULL_BOARD]
    cdef float inputs[FULL_BOARD]
    cdef bint as_white = board.side == WHITE and not scored.absolute
    cdef int own = WHITE if as_white else BLACK
    cdef float total = 0
    cdef float value
    cdef int count = 0
    cdef int colour, bit, square
    cdef u64 rest
    for colour in range(2):
        rest = board.pieces[colour]
        while rest and count < FULL_BOARD:
            bit = pop_lsb(&rest)
            square = plain_square(bit)
            value = scored.net.king if board.kings >> bit & 1 else 1
            inputs[count] = value if colour == own else -value
            squares[count] = 31 - square if as_white else square
            total += inputs[count]
            count += 1
    value = evolved_sum(&scored.net, squares, inputs, count) + total * scored.net.difference
    return -value if scored.absolute and board.side == WHITE else value


cdef int evolved_score(const void* weights, const Board* board) noexcept nogil:
    """The logit of the expected result, (1 + tanh(output)) / 2, is twice the output."""
    cdef const ScoredEvolved* scored = <const ScoredEvolved*>weights
    cdef float score = 2 * scored.scale * evolved_output(scored, board)
    return <int>min(max(score, <float>-SCORE_STATIC_MAX), <float>SCORE_STATIC_MAX)


cdef class EvolvedEvaluator(Evaluator):
    """An evolved network; `kr.evaluation.evolved` makes its layers of a genome. Raises ValueError for other shapes."""
    cdef ScoredEvolved scored

    def __cinit__(self, list layers not None, float king, float difference, bint absolute, float scale=1):
        """layers: weights (inputs, units) and biases (units,) of each, float32, from the 32 squares to one output; up
        to 96 units. king: the input of a king, a man's is 1. difference: factor of the inputs' sum in the output.
        absolute: True for a board that is not turned for White to move. scale: centi-men in a logit."""
        cdef EvolvedNet* net = &self.scored.net
        cdef const float[:, ::1] weights
        cdef const float[::1] biases
        cdef int layer, i, units, padded
        cdef int before = 32
        if not 1 <= len(layers) <= EVOLVED_LAYERS:
            raise ValueError(f"{len(layers)} layers; expected 1 to {EVOLVED_LAYERS}")
        net.sizes[0] = 32
        for layer in range(<int>len(layers)):
            weights, biases = layers[layer]
            units = <int>weights.shape[1]
            if (weights.shape[0] != before or biases.shape[0] != units
                    or not (units == 1 if layer == <int>len(layers) - 1 else 1 <= units <= EVOLVED_UNITS)):
                raise ValueError(f"layer {layer + 1} has weights ({weights.shape[0]}, {units}) and {biases.shape[0]} "
                                 f"biases; expected ({before}, n) and n, n up to {EVOLVED_UNITS}, 1 in the last layer")
            # units that are not there are 0: tanh keeps them so
            padded = 1 if layer == <int>len(layers) - 1 else (units + 7) // 8 * 8
            net.weights[layer] = <float*>allocate_pages(net.sizes[layer] * padded * sizeof(float))
            net.biases[layer] = <float*>allocate_pages(padded * sizeof(float))
            if net.weights[layer] == NULL or net.biases[layer] == NULL:
                raise MemoryError("no memory for a network")
            for i in range(before):
                memcpy(net.weights[layer] + i * padded, &weights[i, 0], units * sizeof(float))
            memcpy(net.biases[layer], &biases[0], units * sizeof(float))
            net.sizes[layer + 1] = padded
            before = units
        net.layers = <int>len(layers)
        net.king = king
        net.difference = difference
        self.scored.absolute = absolute
        self.scored.scale = scale
        self.evaluation.score = evolved_score
        self.evaluation.weights = &self.scored

    def __dealloc__(self):
        cdef int layer
        for layer in range(EVOLVED_LAYERS):
            free(self.scored.net.weights[layer])
            free(self.scored.net.biases[layer])

    def outputs(self, const uint32_t[:, ::1] boards not None):
        """The outputs before the last tanh, float32 (n,), from the side to move, of boards (n, 4): black, white,
        kings, side. Releases the GIL."""
        import numpy as np
        cdef Py_ssize_t i
        cdef Board board
        if boards.shape[1] != 4:
            raise ValueError(f"boards have the shape (n, 4): black, white, kings, side; not (n, {boards.shape[1]})")
        found = np.empty(boards.shape[0], dtype=np.float32)
        cdef float[::1] outputs = found
        with nogil:
            for i in range(boards.shape[0]):
                board = board_from_bits(boards[i, 0], boards[i, 1], boards[i, 2], <int>boards[i, 3])
                outputs[i] = evolved_output(&self.scored, &board)
        return found


EVALUATORS["evolved"] = EvolvedEvaluator
