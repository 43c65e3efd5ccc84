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
    const uint8_t* before
    int strength                 # buckets
    int year
    int best                     # edges below the best choice's score
    MoveList moves
    int16_t scores[MAX_MOVES]
    uint8_t behind[MAX_MOVES]    # bin of each choice


cdef class PolicyAsker:
    """A model of the moves that people play; its kinds give the logits."""
    cdef Evaluator eyes          # None without sight
    cdef int plies
    cdef double scale            # centi-men in a logit
    cdef int best_edges
    cdef double[POLICY_EDGES] best_edge
    cdef int behind_edges
    cdef double[POLICY_EDGES] behind_edge
    cdef int window              # centi-men to the last of these edges, rounded up
    cdef int strengths           # buckets, the unknown one included; 0 without this input
    cdef int years

    cdef void logits(self, const PolicyQuery* query, float* out) noexcept nogil:
        """The logit of each choice."""
        pass

    cdef set_sight(self, Evaluator eyes, int plies, double scale, best, behind):
        if len(best) > POLICY_EDGES or len(behind) > POLICY_EDGES or (eyes is not None and not 0 <= plies <= MOST_LOOKED):
            raise ValueError(f"at most {POLICY_EDGES} edges and {MOST_LOOKED} plies")
        if not scale > 0:
            raise ValueError(f"a scale above 0, not {scale}")
        self.eyes, self.plies, self.scale = eyes, plies, scale
        self.best_edges, self.behind_edges = len(best), len(behind)
        self.window = min(<int>SCORE_INFINITE, <int>(scale * max(behind, default=0)) + 1)
        for i, edge in enumerate(best):
            self.best_edge[i] = edge
        for i, edge in enumerate(behind):
            self.behind_edge[i] = edge

    cdef void look(self, PolicyQuery* query) noexcept nogil:
        """Look at the choices: the bins of sight."""
        cdef const Evaluation* evaluation = &self.eyes.evaluation
        cdef int i, edge, best
        cdef double behind
        # all scores beyond the last edge are alike
        best = look_at_choices(evaluation, &query.board, &query.moves, self.plies, self.window, query.scores)
        query.best = 0
        for edge in range(self.best_edges):
            query.best += best / self.scale > self.best_edge[edge]
        for i in range(query.moves.size):
            behind = (best - query.scores[i]) / self.scale
            query.behind[i] = 0
            for edge in range(self.behind_edges):
                query.behind[i] += behind >= self.behind_edge[edge]

    cdef void ask(self, const u32* row, const uint8_t* before, int strength, int year, PolicyQuery* query,
                  float* probabilities) noexcept nogil:
        """The probability of each choice of a position with choices, in the order of generation."""
        cdef float most, total
        cdef int i
        query.board = framed(row)
        query.before, query.strength, query.year, query.best = before, strength, year, 0
        generate(&query.board, &query.moves)
        if query.moves.size == 0:
            return
        if query.moves.size == 1:
            probabilities[0] = 1
            return
        if self.eyes is not None:
            self.look(query)
        self.logits(query, probabilities)
        most = probabilities[0]
        for i in range(1, query.moves.size):
            most = max(most, probabilities[i])
        total = 0
        for i in range(query.moves.size):
            probabilities[i] = expf(probabilities[i] - most)
            total += probabilities[i]
        for i in range(query.moves.size):
            probabilities[i] /= total

    def predict(self, const uint32_t[:, ::1] boards not None, const uint8_t[:, ::1] before not None,
                const uint8_t[::1] strength not None, const uint8_t[::1] year not None,
                const int64_t[::1] first not None):
        """Probabilities float32 (m,) of the choices of positions, in the order of `policy_choices`. Releases the GIL.

        boards: uint32 (n, 4) in the mover's frame; before: uint8 (n, 4), origin and target of the opponent's last move
        and of the own one before it, 32 for unknown; strength, year: uint8 (n,) buckets; first: int64 (n + 1,) of
        `policy_choices`. Raises ValueError for shapes or numbers that don't belong together.
        """
        import numpy as np
        cdef PolicyQuery query
        cdef Py_ssize_t n = boards.shape[0]
        cdef Py_ssize_t i
        cdef bint wrong = False
        check_frames(boards)
        if (before.shape[0] != n or before.shape[1] != POLICY_BEFORE or strength.shape[0] != n or year.shape[0] != n
                or first.shape[0] != n + 1):
            raise ValueError("the arrays of the positions do not belong together")
        for i in range(n):
            if (max(before[i, 0], before[i, 1], before[i, 2], before[i, 3]) > POLICY_UNKNOWN
                    or strength[i] >= max(1, self.strengths) or year[i] >= max(1, self.years)):
                raise ValueError(f"row {i}: a square above {POLICY_UNKNOWN}, or a bucket that the model doesn't have")
        array = np.empty(first[n] + MAX_MOVES, dtype=np.float32)
        cdef float[::1] probabilities = array
        with nogil:
            for i in range(n):
                if first[i] < 0 or first[i] > first[n]:
                    wrong = True
                    break
                self.ask(&boards[i, 0], &before[i, 0], strength[i], year[i], &query, &probabilities[first[i]])
                if query.moves.size != first[i + 1] - first[i]:
                    wrong = True
                    break
        if wrong:
            raise ValueError(f"row {i}: the offsets are not those of its choices")
        return array[:first[n]]
