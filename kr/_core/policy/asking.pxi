# Asking a policy: the part that all models have in common, from the choices of a position to their probabilities.
#
# A model gives each choice a logit; the probabilities are their softmax. With sight, another input is the
# distance of each choice behind the best one, in bins of logits of the evaluation that looks.

cdef extern from "math.h" nogil:
    float expf(float x) noexcept

cdef enum:
    POLICY_EDGES = 64            # most edges of the bins
    POLICY_SQUARES = 32
    POLICY_UNKNOWN = 32          # as a square of a move before: not known
    POLICY_MOVES = 128           # origin and direction
    POLICY_UNITS = 4096          # of a layer of a net, at most
    POLICY_BEFORE = 4            # squares of the moves before: origin and target of the opponent's and the own last one

cdef struct PolicyQuery:
    # A position with the inputs of a model.
    Board board
    const Evaluation* eyes       # that sight looks with; NULL without sight
    const uint8_t* before
    int strength                 # buckets
    int year
    int best                     # edges below the best choice's score
    MoveList moves
    int16_t scores[MAX_MOVES]
    uint8_t behind[MAX_MOVES]    # bin of each choice

# gives the logit of each choice
ctypedef void (*PolicyLogits)(const void* numbers, const PolicyQuery* query, float* out) noexcept nogil

cdef struct PolicyModel:
    # A model of the moves that people play.
    PolicyLogits logits
    const void* numbers          # of its kind
    int plies                    # quiet ones that sight looks ahead of a choice
    double scale                 # centi-men in a logit
    int best_edges
    double best_edge[POLICY_EDGES]
    int behind_edges
    double behind_edge[POLICY_EDGES]
    int window                   # centi-men to the last of these edges, rounded up
    int strengths                # buckets, the unknown one included; 0 without this input
    int years


cdef void set_window(PolicyModel* model) noexcept nogil:
    """Set the window of a model by its scale and edges."""
    cdef double last = 0
    cdef int edge
    for edge in range(model.behind_edges):
        last = max(last, model.behind_edge[edge])
    model.window = <int>min(model.scale * last, <double>(SCORE_INFINITE - 1)) + 1


cdef void look(const PolicyModel* model, PolicyQuery* query) noexcept nogil:
    """Look at the choices: the bins of sight."""
    cdef int i, edge, best
    cdef double behind
    # all scores beyond the last edge are alike
    best = look_at_choices(query.eyes, &query.board, &query.moves, model.plies, model.window, query.scores)
    query.best = 0
    for edge in range(model.best_edges):
        query.best += best / model.scale > model.best_edge[edge]
    for i in range(query.moves.size):
        behind = (best - query.scores[i]) / model.scale
        query.behind[i] = 0
        for edge in range(model.behind_edges):
            query.behind[i] += behind >= model.behind_edge[edge]


cdef void ask_policy(const PolicyModel* model, const Evaluation* eyes, const u32* row, const uint8_t* before,
                     int strength, int year, PolicyQuery* query, float* probabilities) noexcept nogil:
    """The probability of each choice of a position in the mover's frame, in the order of generation."""
    cdef float most, total
    cdef int i
    query.board = framed(row)
    query.eyes, query.before, query.strength, query.year, query.best = eyes, before, strength, year, 0
    generate(&query.board, &query.moves)
    if query.moves.size == 0:
        return
    if query.moves.size == 1:
        probabilities[0] = 1
        return
    if eyes != NULL:
        look(model, query)
    model.logits(model.numbers, query, probabilities)
    most = probabilities[0]
    for i in range(1, query.moves.size):
        most = max(most, probabilities[i])
    total = 0
    for i in range(query.moves.size):
        probabilities[i] = expf(probabilities[i] - most)
        total += probabilities[i]
    for i in range(query.moves.size):
        probabilities[i] /= total
