# Evolved networks: one number from the squares, through layers of tanh (layers.pxi). 100 to 200 ns a position.
#
# Sums are in one order, so that the numbers are the same on every machine.

cdef enum:
    EVOLVED_LAYERS = 4          # with weights, at most
    EVOLVED_UNITS = 96          # of a layer, at most

cdef struct ScoredEvolved:
    Layer layers[EVOLVED_LAYERS]
    int count                   # of layers
    float bias                  # of the output, which is added last
    float king, difference
    bint absolute               # the board as Black sees it, and the output's sign turned for White to move
    float scale                 # centi-men in a logit


cdef float evolved_output(const ScoredEvolved* scored, const Board* board) noexcept nogil:
    """The output before its tanh, from the side to move."""
    cdef int squares[FULL_BOARD]
    cdef float inputs[FULL_BOARD]
    cdef float units[2][EVOLVED_UNITS]
    cdef const int* rows = squares
    cdef const float* before = inputs
    cdef const Layer* layer
    cdef bint as_white = board.side == WHITE and not scored.absolute
    cdef int own = WHITE if as_white else BLACK
    cdef float total = 0
    cdef float value
    cdef int count = 0
    cdef int colour, bit, square, i
    cdef u64 rest
    for colour in range(2):
        rest = board.pieces[colour]
        while rest and count < FULL_BOARD:
            bit = pop_lsb(&rest)
            square = plain_square(bit)
            value = scored.king if board.kings >> bit & 1 else 1
            inputs[count] = value if colour == own else -value
            squares[count] = 31 - square if as_white else square
            total += inputs[count]
            count += 1
    for i in range(scored.count):
        layer = &scored.layers[i]
        add_inputs(layer, rows, before, count, units[i & 1])
        if i + 1 < scored.count:
            tanh_of_all(units[i & 1], layer.units)
            count = scored.layers[i + 1].inputs
        before = units[i & 1]
        rows = NULL
    value = before[0] + scored.bias + total * scored.difference
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
        cdef const float[:, ::1] weights
        cdef const float[::1] biases
        cdef Layer* last
        cdef int layer, units
        cdef int before = 32
        if not 1 <= len(layers) <= EVOLVED_LAYERS:
            raise ValueError(f"{len(layers)} layers; expected 1 to {EVOLVED_LAYERS}")
        for layer in range(<int>len(layers)):
            weights, biases = layers[layer]
            units = <int>weights.shape[1]
            if (weights.shape[0] != before or biases.shape[0] != units
                    or not (units == 1 if layer == <int>len(layers) - 1 else 1 <= units <= EVOLVED_UNITS)):
                raise ValueError(f"layer {layer + 1} has weights ({weights.shape[0]}, {units}) and {biases.shape[0]} "
                                 f"biases; expected ({before}, n) and n, n up to {EVOLVED_UNITS}, 1 in the last layer")
            copy_layer(&self.scored.layers[layer], weights, biases)
            before = units
        last = &self.scored.layers[len(layers) - 1]
        self.scored.bias, last.biases[0] = last.biases[0], 0
        self.scored.count = <int>len(layers)
        self.scored.king = king
        self.scored.difference = difference
        self.scored.absolute = absolute
        self.scored.scale = scale
        self.evaluation.score = evolved_score
        self.evaluation.weights = &self.scored

    def __dealloc__(self):
        cdef int layer
        for layer in range(EVOLVED_LAYERS):
            close_layer(&self.scored.layers[layer])

    def outputs(self, const uint32_t[:, ::1] boards not None):
        """The outputs before the last tanh, float32 (n,), from the side to move, of boards (n, 4): black, white,
        kings, side. Releases the GIL."""
        import numpy as np
        cdef Py_ssize_t i
        cdef Board board
        if boards.shape[1] != 4:
            raise ValueError(f"boards have the shape (n, 4): black, white, kings, side; not (n, {boards.shape[1]})")
        array = np.empty(boards.shape[0], dtype=np.float32)
        cdef float[::1] outputs = array
        with nogil:
            for i in range(boards.shape[0]):
                board = board_from_bits(boards[i, 0], boards[i, 1], boards[i, 2], <int>boards[i, 3])
                outputs[i] = evolved_output(&self.scored, &board)
        return array


EVALUATORS["evolved"] = EvolvedEvaluator
