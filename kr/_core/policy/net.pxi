# The policy `net`: two hidden layers over the position, and for each choice the sum of the products of the second one
# with the rows of its move, its target and its bin of sight.
#
# Few inputs are set, so that the first layer is a sum of their rows; of the second one, the rows of units above 0.

cdef struct PolicyNetwork:
    Layer first, second
    const float* move            # rows of as many numbers as the second layer has units
    const float* target
    const float* behind
    const float* move_b
    const float* target_b
    const float* behind_b
    const uint8_t* move_ids      # (32, 32): row of `move` by origin and target
    # rows of the first layer
    bint has_before, has_strength, has_year
    int before_rows, best_rows, strength_rows, year_rows


cdef int place_inputs(PolicyNetwork* net, const PolicyModel* model, bint has_before) noexcept nogil:
    """Set where the inputs of a model begin; returns their number."""
    net.has_before, net.has_strength, net.has_year = has_before, model.strengths > 0, model.years > 0
    net.before_rows = FRAME_BOARDS * POLICY_SQUARES
    net.best_rows = net.before_rows + (POLICY_BEFORE * (POLICY_SQUARES + 1) if has_before else 0)
    net.strength_rows = net.best_rows + model.best_edges
    net.year_rows = net.strength_rows + model.strengths
    return net.year_rows + model.years


cdef void net_logits(const void* numbers, const PolicyQuery* query, float* out) noexcept nogil:
    cdef const PolicyNetwork* net = <const PolicyNetwork*>numbers
    cdef float units[POLICY_UNITS]
    cdef float inputs[POLICY_UNITS]
    cdef int rows[POLICY_UNITS]
    cdef u32[FRAME_BOARDS] frame
    cdef int k = net.second.units
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
    if net.has_before:
        for i in range(POLICY_BEFORE):
            rows[count] = net.before_rows + i * (POLICY_SQUARES + 1) + query.before[i]
            count += 1
    for i in range(query.best):
        rows[count] = net.best_rows + i
        count += 1
    if net.has_strength:
        rows[count] = net.strength_rows + query.strength
        count += 1
    if net.has_year:
        rows[count] = net.year_rows + query.year
        count += 1
    for i in range(count):
        inputs[i] = 1
    add_inputs(&net.first, rows, inputs, count, units)
    # second layer
    count = 0
    for i in range(net.first.units):
        rows[count] = i
        inputs[count] = units[i]
        count += units[i] > 0
    add_inputs(&net.second, rows, inputs, count, units)
    for i in range(k):
        units[i] = max(units[i], <float>0)
    # choices
    for i in range(query.moves.size):
        origin = move_from(query.moves.moves[i])
        target = move_to(query.moves.moves[i])
        move = net.move_ids[origin * POLICY_SQUARES + target]
        out[i] = (dot(net.move + move * k, units, k) + net.move_b[move]
                  + dot(net.target + target * k, units, k) + net.target_b[target])
        if query.eyes != NULL:
            out[i] += dot(net.behind + query.behind[i] * k, units, k) + net.behind_b[query.behind[i]]
