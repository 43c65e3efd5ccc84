# Policies for Python. The class of a kind that the C library lacks stands in the kind's own part.

cdef void alike(const void* numbers, const PolicyQuery* query, float* out) noexcept nogil:
    cdef int i
    for i in range(query.moves.size):
        out[i] = 0


cdef class PolicyAsker:
    """A model of the moves that people play; each kind has its own class. Without one all choices are alike."""
    cdef PolicyModel model
    cdef Evaluator eyes          # None without sight

    def __cinit__(self):
        self.model.logits = alike

    cdef set_sight(self, Evaluator eyes, int plies, double scale, best, behind):
        if len(best) > POLICY_EDGES or len(behind) > POLICY_EDGES or (eyes is not None and not 0 <= plies <= MOST_LOOKED):
            raise ValueError(f"at most {POLICY_EDGES} edges and {MOST_LOOKED} plies")
        if not scale > 0:
            raise ValueError(f"a scale above 0, not {scale}")
        self.eyes, self.model.plies, self.model.scale = eyes, plies, scale
        self.model.best_edges, self.model.behind_edges = len(best), len(behind)
        for i, edge in enumerate(best):
            self.model.best_edge[i] = edge
        for i, edge in enumerate(behind):
            self.model.behind_edge[i] = edge
        set_window(&self.model)

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
        cdef const Evaluation* eyes = NULL if self.eyes is None else &self.eyes.evaluation
        cdef Py_ssize_t n = boards.shape[0]
        cdef Py_ssize_t i
        cdef bint wrong = False
        check_frames(boards)
        if (before.shape[0] != n or before.shape[1] != POLICY_BEFORE or strength.shape[0] != n or year.shape[0] != n
                or first.shape[0] != n + 1):
            raise ValueError("the arrays of the positions do not belong together")
        for i in range(n):
            if (max(before[i, 0], before[i, 1], before[i, 2], before[i, 3]) > POLICY_UNKNOWN
                    or strength[i] >= max(1, self.model.strengths) or year[i] >= max(1, self.model.years)):
                raise ValueError(f"row {i}: a square above {POLICY_UNKNOWN}, or a bucket that the model doesn't have")
        array = np.empty(first[n] + MAX_MOVES, dtype=np.float32)
        cdef float[::1] probabilities = array
        with nogil:
            for i in range(n):
                if first[i] < 0 or first[i] > first[n]:
                    wrong = True
                    break
                ask_policy(&self.model, eyes, &boards[i, 0], &before[i, 0], strength[i], year[i], &query,
                           &probabilities[first[i]])
                if query.moves.size != first[i + 1] - first[i]:
                    wrong = True
                    break
        if wrong:
            raise ValueError(f"row {i}: the offsets are not those of its choices")
        return array[:first[n]]


cdef class PolicyNet(PolicyAsker):
    """A small network as a policy. kr.policy.shape defines the arrays."""
    cdef PolicyNetwork net
    # kept for the network
    cdef const float[:, ::1] move, target, behind
    cdef const float[::1] move_b, target_b, behind_b
    cdef const uint8_t[:, ::1] move_ids

    def __cinit__(self, arrays, const uint8_t[:, ::1] move_ids not None, bint has_before, int strengths, int years,
                  Evaluator eyes, int plies, double scale, best, behind):
        """arrays: float32 by name; move_ids (32, 32): row of `move` by origin and target; strengths, years: buckets, the
        unknown one included; the others: as kr.policy.shape has them. Raises ValueError for sizes that don't fit."""
        self.set_sight(eyes, plies, scale, best, behind)
        cdef const float[:, ::1] w1 = arrays["w1"]
        cdef const float[:, ::1] w2 = arrays["w2"]
        cdef const float[::1] b1 = arrays["b1"]
        cdef const float[::1] b2 = arrays["b2"]
        cdef Py_ssize_t units = w2.shape[1]
        self.move, self.move_b = arrays["move"], arrays["move_b"]
        self.target, self.target_b = arrays["target"], arrays["target_b"]
        self.behind, self.behind_b = arrays["behind"], arrays["behind_b"]
        self.move_ids = move_ids
        self.model.strengths, self.model.years = strengths, years
        cdef int inputs = place_inputs(&self.net, &self.model, has_before)
        if (w1.shape[0] != inputs or units % 8 or not 0 < units <= POLICY_UNITS
                or not 0 < w1.shape[1] <= POLICY_UNITS or w2.shape[0] != w1.shape[1] or b1.shape[0] != w1.shape[1]
                or b2.shape[0] != units
                or self.move.shape[0] != POLICY_MOVES or self.move_b.shape[0] != POLICY_MOVES
                or self.target.shape[0] != POLICY_SQUARES or self.target_b.shape[0] != POLICY_SQUARES
                or self.behind.shape[0] != self.model.behind_edges + 1
                or self.behind_b.shape[0] != self.model.behind_edges + 1
                or self.move.shape[1] != units or self.target.shape[1] != units or self.behind.shape[1] != units
                or move_ids.shape[0] != POLICY_SQUARES or move_ids.shape[1] != POLICY_SQUARES
                or max(max(row) for row in move_ids) >= POLICY_MOVES):
            raise ValueError("the arrays of the policy do not belong together")
        copy_layer(&self.net.first, w1, b1)
        copy_layer(&self.net.second, w2, b2)
        self.net.move, self.net.move_b = &self.move[0, 0], &self.move_b[0]
        self.net.target, self.net.target_b = &self.target[0, 0], &self.target_b[0]
        self.net.behind, self.net.behind_b = &self.behind[0, 0], &self.behind_b[0]
        self.net.move_ids = &move_ids[0, 0]
        self.model.logits, self.model.numbers = net_logits, &self.net

    def __dealloc__(self):
        close_layer(&self.net.first)
        close_layer(&self.net.second)
