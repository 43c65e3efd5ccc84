# Evaluations: the part that all kinds have in common.
#
# A kind is a part of its own: its weights and its score. Its class for Python stands in evaluators.pxi, or in the same
# part if the C library (_engine.pyx) lacks it. The call of the score through a pointer has no measurable cost: a kind's
# score is too large to be inlined.

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
