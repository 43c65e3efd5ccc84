# Evaluations: the part that all kinds have in common.
#
# A kind is a part of its own below this one: its weights, its score, and the class of its evaluators, which it enters
# in EVALUATORS. Python finds the module kr/evaluation/NAME.py by the kind's name there. The call of the score through a
# pointer has no measurable cost: a kind's score is too large to be inlined.

# `weights` are those of the kind. The score is in centi-men from the side to move.
ctypedef int (*KindScore)(const void* weights, const Board* board) noexcept nogil

cdef struct Evaluation:
    KindScore score
    const void* weights         # kept by the Evaluator; NULL for none
    u64 noise_seed              # seed of a game's own noise (self-play)
    int noise                   # at most this many centi-men either way; 0 for none


cdef inline int evaluate(const Evaluation* evaluation, const Board* board) noexcept nogil:
    """The static score in centi-men from the side to move; only for positions with nothing to capture."""
    cdef int score = evaluation.score(evaluation.weights, board)
    cdef u64 mixed
    if evaluation.noise:
        mixed = (board.key ^ evaluation.noise_seed) * <u64>0x9E3779B97F4A7C15
        score += <int>((mixed >> 32) % <u64>(2 * evaluation.noise + 1)) - evaluation.noise
    if score > SCORE_STATIC_MAX:
        return SCORE_STATIC_MAX
    if score < -SCORE_STATIC_MAX:
        return -SCORE_STATIC_MAX
    return score


cdef int nothing(const void* weights, const Board* board) noexcept nogil:
    return 0


cdef class Evaluator:
    """A static evaluation with its weights; each kind has its own class. Without one every position scores 0."""
    cdef Evaluation evaluation

    def __cinit__(self):
        self.evaluation.score = nothing

    def evaluate(self, u32 black, u32 white, u32 kings, int side):
        """The static score in centi-men, from the side to move."""
        cdef Board board = board_from_bits(black, white, kings, side)
        return evaluate(&self.evaluation, &board)

    def evaluate_batch(self, const uint32_t[:, ::1] positions, int16_t[::1] scores):
        """Write the static score of each row (black, white, kings, side) into `scores`. Releases the GIL."""
        cdef Board board
        cdef Py_ssize_t i
        with nogil:
            for i in range(positions.shape[0]):
                board = board_from_bits(positions[i, 0], positions[i, 1], positions[i, 2], <int>positions[i, 3])
                scores[i] = <int16_t>evaluate(&self.evaluation, &board)


EVALUATORS = {}                 # the classes of the kinds, by name
