# The policy `logit`: a conditional logit, the sum of the region tables' score of the position after a choice, seen by
# the side that moved, and of the numbers of its move, its target and its bin of sight.

cdef struct PolicySum:
    const Evaluation* regions
    double unit                  # the regions' score that is a logit of 1
    const float* move
    const float* target
    const float* behind
    const uint8_t* move_ids      # (32, 32): row of `move` by origin and target


cdef void sum_logits(const void* numbers, const PolicyQuery* query, float* out) noexcept nogil:
    cdef const PolicySum* parts = <const PolicySum*>numbers
    cdef Board child
    cdef int i, origin, target
    for i in range(query.moves.size):
        child = played(&query.board, query.moves.moves[i])
        child.side = BLACK
        origin = move_from(query.moves.moves[i])
        target = move_to(query.moves.moves[i])
        out[i] = <float>(evaluate(parts.regions, &child) / parts.unit)
        out[i] += parts.move[parts.move_ids[origin * POLICY_SQUARES + target]] + parts.target[target]
        if query.eyes != NULL:
            out[i] += parts.behind[query.behind[i]]


cdef class PolicyLogit(PolicyAsker):
    """Region tables as a policy. kr.policy.shape defines the arrays."""
    cdef PolicySum parts
    # kept for the sum
    cdef Evaluator regions
    cdef const float[::1] move, target, behind
    cdef const uint8_t[:, ::1] move_ids

    def __cinit__(self, Evaluator regions not None, double unit, arrays, const uint8_t[:, ::1] move_ids not None,
                  Evaluator eyes, int plies, double scale, best, behind):
        """regions: tables that score the position after a choice; arrays: `move` (128,), `target` (32,), `behind`
        float32; the others: as of PolicyNet. Raises ValueError for sizes that don't fit."""
        self.set_sight(eyes, plies, scale, best, behind)
        self.regions = regions
        self.move, self.target, self.behind = arrays["move"], arrays["target"], arrays["behind"]
        self.move_ids = move_ids
        if (not unit > 0 or self.move.shape[0] != POLICY_MOVES or self.target.shape[0] != POLICY_SQUARES
                or self.behind.shape[0] != self.model.behind_edges + 1
                or move_ids.shape[0] != POLICY_SQUARES or move_ids.shape[1] != POLICY_SQUARES
                or max(max(row) for row in move_ids) >= POLICY_MOVES):
            raise ValueError("the arrays of the policy do not belong together")
        self.parts.regions, self.parts.unit = &regions.evaluation, unit
        self.parts.move, self.parts.target, self.parts.behind = &self.move[0], &self.target[0], &self.behind[0]
        self.parts.move_ids = &move_ids[0, 0]
        self.model.logits, self.model.numbers = sum_logits, &self.parts
