# The policy `net`: two hidden layers over the position, and for each choice the sum of what its move, its target and
# its bin of sight say to the second one.
#
# Few inputs are set, so that the first layer is a sum of their rows; of the second one, the rows of units above 0.

cdef class PolicyNet(PolicyAsker):
    """A small network as a policy. kr.policy.shape says what the arrays are."""
    cdef const float[:, ::1] w1, w2, move, target, behind
    cdef const float[::1] b1, b2, move_b, target_b, behind_b
    cdef const uint8_t[:, ::1] move_ids
    cdef int first_units, second_units
    cdef bint has_before
    cdef int before_rows, best_rows, strength_rows, year_rows

    def __cinit__(self, arrays, const uint8_t[:, ::1] move_ids not None, bint has_before, int strengths, int years,
                  Evaluator eyes, int plies, double scale, best, behind):
        """arrays: float32 by name; move_ids (32, 32): row of `move` by origin and target; strengths, years: buckets, the
        unknown one included; the others: as kr.policy.shape has them. Raises ValueError for sizes that don't fit."""
        self.set_sight(eyes, plies, scale, best, behind)
        self.w1, self.b1, self.w2, self.b2 = arrays["w1"], arrays["b1"], arrays["w2"], arrays["b2"]
        self.move, self.move_b = arrays["move"], arrays["move_b"]
        self.target, self.target_b = arrays["target"], arrays["target_b"]
        self.behind, self.behind_b = arrays["behind"], arrays["behind_b"]
        self.move_ids = move_ids
        self.has_before, self.strengths, self.years = has_before, strengths, years
        self.first_units, self.second_units = <int>self.w1.shape[1], <int>self.w2.shape[1]
        self.before_rows = FRAME_BOARDS * POLICY_SQUARES
        self.best_rows = self.before_rows + (POLICY_BEFORE * (POLICY_SQUARES + 1) if has_before else 0)
        self.strength_rows = self.best_rows + self.best_edges
        self.year_rows = self.strength_rows + strengths
        if (self.w1.shape[0] != self.year_rows + years or self.second_units % 8 or not self.second_units
                or self.w2.shape[0] != self.first_units or self.b1.shape[0] != self.first_units
                or self.b2.shape[0] != self.second_units
                or self.move.shape[0] != POLICY_MOVES or self.move_b.shape[0] != POLICY_MOVES
                or self.target.shape[0] != POLICY_SQUARES or self.target_b.shape[0] != POLICY_SQUARES
                or self.behind.shape[0] != self.behind_edges + 1 or self.behind_b.shape[0] != self.behind_edges + 1
                or self.move.shape[1] != self.second_units or self.target.shape[1] != self.second_units
                or self.behind.shape[1] != self.second_units
                or move_ids.shape[0] != POLICY_SQUARES or move_ids.shape[1] != POLICY_SQUARES
                or max(max(row) for row in move_ids) >= POLICY_MOVES):
            raise ValueError("the arrays of the policy do not belong together")

    cdef Py_ssize_t scratch_size(self) noexcept nogil:
        return self.first_units + self.second_units

    cdef void logits(self, const Asked* asked, float* scratch, float* found) noexcept nogil:
        cdef int n = self.first_units
        cdef int k = self.second_units
        cdef float* first = scratch
        cdef float* second = scratch + n
        cdef const float* rows = &self.w1[0, 0]
        cdef u32[FRAME_BOARDS] frame
        cdef int i, origin, target, move
        # first layer
        write_frame(&asked.board, frame)
        memcpy(first, &self.b1[0], n * sizeof(float))
        for i in range(FRAME_BOARDS):
            add_squares(first, rows + i * POLICY_SQUARES * n, frame[i], n)
        if self.has_before:
            for i in range(POLICY_BEFORE):
                add_row(first, rows + (self.before_rows + i * (POLICY_SQUARES + 1) + asked.before[i]) * n, n)
        for i in range(asked.best):
            add_row(first, rows + (self.best_rows + i) * n, n)
        if self.strengths:
            add_row(first, rows + (self.strength_rows + asked.strength) * n, n)
        if self.years:
            add_row(first, rows + (self.year_rows + asked.year) * n, n)
        # second layer
        memcpy(second, &self.b2[0], k * sizeof(float))
        for i in range(n):
            if first[i] > 0:
                add_scaled(second, &self.w2[i, 0], first[i], k)
        for i in range(k):
            second[i] = max(second[i], <float>0)
        # choices
        for i in range(asked.moves.size):
            origin = move_from(asked.moves.moves[i])
            target = move_to(asked.moves.moves[i])
            move = self.move_ids[origin, target]
            found[i] = (dot(&self.move[move, 0], second, k) + self.move_b[move]
                        + dot(&self.target[target, 0], second, k) + self.target_b[target])
            if self.eyes is not None:
                found[i] += dot(&self.behind[asked.behind[i], 0], second, k) + self.behind_b[asked.behind[i]]
