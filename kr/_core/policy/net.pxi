# The policy `net`: two hidden layers over the position, and for each choice the sum of the products of the second one
# with the rows of its move, its target and its bin of sight.
#
# Few inputs are set, so that the first layer is a sum of their rows; of the second one, the rows of units above 0.

cdef class PolicyNet(PolicyAsker):
    """A small network as a policy. kr.policy.shape defines the arrays."""
    cdef Layer first, second
    cdef const float[:, ::1] move, target, behind
    cdef const float[::1] move_b, target_b, behind_b
    cdef const uint8_t[:, ::1] move_ids
    cdef bint has_before
    cdef int before_rows, best_rows, strength_rows, year_rows

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
        self.has_before, self.strengths, self.years = has_before, strengths, years
        self.before_rows = FRAME_BOARDS * POLICY_SQUARES
        self.best_rows = self.before_rows + (POLICY_BEFORE * (POLICY_SQUARES + 1) if has_before else 0)
        self.strength_rows = self.best_rows + self.best_edges
        self.year_rows = self.strength_rows + strengths
        if (w1.shape[0] != self.year_rows + years or units % 8 or not 0 < units <= POLICY_UNITS
                or not 0 < w1.shape[1] <= POLICY_UNITS or w2.shape[0] != w1.shape[1] or b1.shape[0] != w1.shape[1]
                or b2.shape[0] != units
                or self.move.shape[0] != POLICY_MOVES or self.move_b.shape[0] != POLICY_MOVES
                or self.target.shape[0] != POLICY_SQUARES or self.target_b.shape[0] != POLICY_SQUARES
                or self.behind.shape[0] != self.behind_edges + 1 or self.behind_b.shape[0] != self.behind_edges + 1
                or self.move.shape[1] != units or self.target.shape[1] != units or self.behind.shape[1] != units
                or move_ids.shape[0] != POLICY_SQUARES or move_ids.shape[1] != POLICY_SQUARES
                or max(max(row) for row in move_ids) >= POLICY_MOVES):
            raise ValueError("the arrays of the policy do not belong together")

        open_layer(&self.first, w1, b1)
        open_layer(&self.second, w2, b2)

    def __dealloc__(self):
        close_layer(&self.first)
        close_layer(&self.second)

    cdef void logits(self, const PolicyQuery* query, float* out) noexcept nogil:
        cdef float units[POLICY_UNITS]
        cdef float inputs[POLICY_UNITS]
        cdef int rows[POLICY_UNITS]
        cdef u32[FRAME_BOARDS] frame
        cdef int k = self.second.units
        cdef int count = 0
        cdef int i, origin, target, move
        cdef u64 squares
        # first layer
        write_frame(&query.board, frame)
        for i in range(FRAME_BOARDS):
            squares = frame[i]
            while squares:
                rows[count] = i * POLICY_SQUARES + pop_lsb(&squares)
                count += 1
        if self.has_before:
            for i in range(POLICY_BEFORE):
                rows[count] = self.before_rows + i * (POLICY_SQUARES + 1) + query.before[i]
                count += 1
        for i in range(query.best):
            rows[count] = self.best_rows + i
            count += 1
        if self.strengths:
            rows[count] = self.strength_rows + query.strength
            count += 1
        if self.years:
            rows[count] = self.year_rows + query.year
            count += 1
        for i in range(count):
            inputs[i] = 1
        add_inputs(&self.first, rows, inputs, count, units)
        # second layer
        count = 0
        for i in range(self.first.units):
            rows[count] = i
            inputs[count] = units[i]
            count += units[i] > 0
        add_inputs(&self.second, rows, inputs, count, units)
        for i in range(k):
            units[i] = max(units[i], <float>0)
        # choices
        for i in range(query.moves.size):
            origin = move_from(query.moves.moves[i])
            target = move_to(query.moves.moves[i])
            move = self.move_ids[origin, target]
            out[i] = (dot(&self.move[move, 0], units, k) + self.move_b[move]
                      + dot(&self.target[target, 0], units, k) + self.target_b[target])
            if self.eyes is not None:
                out[i] += dot(&self.behind[query.behind[i], 0], units, k) + self.behind_b[query.behind[i]]
