# Evaluations: what all kinds have in common.
#
# A kind is a part of its own below this one: its weights, its score, and the class of its evaluators, which it enters
# in EVALUATORS. Python finds the module kr/evaluation/NAME.py by the kind's name there. That the score is asked for by
# a pointer costs nothing that could be measured: a kind's score is too large to be inlined.
#
# A kind may have memory: what it keeps of a position so that the next one is scored sooner, sums that a move changes a
# little. It is filled at the root of a search (refresh) and made for each child from its parent's (update). Every ply
# has its own, so that nothing is ever taken back. A kind without leaves both pointers NULL.

cdef enum:
    MEMORY_NUMBERS = 2          # of the kind that keeps most

cdef struct Memory:
    int32_t numbers[MEMORY_NUMBERS]

# `weights` are those of the kind. The score is in centi-men from the side to move; `board` of an update is the position
# before the move.
ctypedef int (*KindScore)(const void* weights, const Board* board, const Memory* memory) noexcept nogil
ctypedef void (*KindRefresh)(const void* weights, const Board* board, Memory* memory) noexcept nogil
ctypedef void (*KindUpdate)(const void* weights, const Board* board, Move move, const Memory* memory,
                            Memory* after) noexcept nogil

cdef struct Evaluation:
    KindScore score
    KindRefresh refresh
    KindUpdate update
    const void* weights         # kept by the Evaluator; NULL for none
    u64 noise_seed              # a game's own small changes of mind (self-play)
    int noise                   # at most this many centi-men either way; 0 for none


cdef inline void refresh(const Evaluation* evaluation, const Board* board, Memory* memory) noexcept nogil:
    """Fill the memory from the position alone."""
    if evaluation.refresh != NULL:
        evaluation.refresh(evaluation.weights, board, memory)


cdef bint is_fresh(const Evaluation* evaluation, Board board, const Memory* memory) noexcept nogil:
    """True if a position has the same score with its memory as with one filled from the position alone."""
    cdef Memory fresh
    refresh(evaluation, &board, &fresh)
    return evaluation.score(evaluation.weights, &board, memory) == evaluation.score(evaluation.weights, &board, &fresh)


cdef inline void update(const Evaluation* evaluation, const Board* board, Move move, const Memory* memory,
                        Memory* after) noexcept nogil:
    """Make the memory after a move from that of the position before it."""
    if evaluation.update != NULL:
        evaluation.update(evaluation.weights, board, move, memory, after)
        c_assert(is_fresh(evaluation, played(board, move), after))


cdef inline int evaluate(const Evaluation* evaluation, const Board* board, const Memory* memory) noexcept nogil:
    """The static score in centi-men from the side to move; only for positions with nothing to capture."""
    cdef int score = evaluation.score(evaluation.weights, board, memory)
    cdef u64 mixed
    if evaluation.noise:
        mixed = (board.key ^ evaluation.noise_seed) * <u64>0x9E3779B97F4A7C15
        score += <int>((mixed >> 32) % <u64>(2 * evaluation.noise + 1)) - evaluation.noise
    if score > SCORE_STATIC_MAX:
        return SCORE_STATIC_MAX
    if score < -SCORE_STATIC_MAX:
        return -SCORE_STATIC_MAX
    return score


cdef inline int static_score(const Evaluation* evaluation, const Board* board) noexcept nogil:
    """The same of a position by itself."""
    cdef Memory memory
    refresh(evaluation, board, &memory)
    return evaluate(evaluation, board, &memory)


cdef int nothing(const void* weights, const Board* board, const Memory* memory) noexcept nogil:
    return 0


cdef class Evaluator:
    """A static evaluation with its weights; each kind has its own class. Without one every position scores 0."""
    cdef Evaluation evaluation

    def __cinit__(self):
        self.evaluation.score = nothing

    def evaluate(self, u32 black, u32 white, u32 kings, int side):
        """The static score in centi-men, from the side to move."""
        cdef Board board = board_from_bits(black, white, kings, side)
        return static_score(&self.evaluation, &board)

    def evaluate_batch(self, const uint32_t[:, ::1] positions, int16_t[::1] scores):
        """Write the static score of each row (black, white, kings, side) into `scores`. Releases the GIL."""
        cdef Board board
        cdef Py_ssize_t i
        with nogil:
            for i in range(positions.shape[0]):
                board = board_from_bits(positions[i, 0], positions[i, 1], positions[i, 2], <int>positions[i, 3])
                scores[i] = <int16_t>static_score(&self.evaluation, &board)

    def evaluate_line(self, tuple board_bits, moves):
        """The static scores after each of the moves (origin, target, captured) in a row, with the memory that a search
        would have of them."""
        cdef Board board = board_from_bits(board_bits[0], board_bits[1], board_bits[2], board_bits[3])
        cdef Memory memory, after
        cdef Move move
        scores = []
        refresh(&self.evaluation, &board, &memory)
        for origin, target, captured in moves:
            move = make_move(padded_square(origin), padded_square(target), pad32(captured))
            update(&self.evaluation, &board, move, &memory, &after)
            board = played(&board, move)
            memory = after
            scores.append(evaluate(&self.evaluation, &board, &memory))
        return scores


EVALUATORS = {}                 # the classes of the kinds, by name
