# Moves that people play: a policy from a file (docs/reference/c-library.md describes it), and its choices.

cdef enum:
    POLICY_VERSION = 1
    MOST_POLICY_BYTES = 1 << 27
    SIGHTS = 4               # none, captures, reply, answer
    LEAST_UNITS = 8          # of a layer, as kr.policy.shape has it
    MOST_BEFORE = 2          # positions before, of which the last moves are known

cdef struct People:
    PolicyModel model
    PolicyNetwork net
    bint sees
    char checksum[CHECKSUM_LETTERS + 1]
    char tables[CHECKSUM_LETTERS + 1]    # checksum of those that sight looks with
    uint8_t move_ids[POLICY_SQUARES * POLICY_SQUARES]
    float* rows              # all numbers but those of the two layers


cdef inline bint take_double(Bytes* data, double* number) noexcept nogil:
    """Read a finite number."""
    cdef const uint8_t* at = take_bytes(data, 8)
    if at == NULL:
        return False
    memcpy(number, at, 8)
    return number[0] - number[0] == 0


cdef bint take_edges(Bytes* data, u32 count, double* edges) noexcept nogil:
    """Read ascending edges, at most POLICY_EDGES."""
    cdef u32 i
    for i in range(count):
        if not take_double(data, edges + i) or i > 0 and not edges[i] > edges[i - 1]:
            return False
    return True


cdef bint take_halves(Bytes* data, float* numbers, u64 count) noexcept nogil:
    """Read finite numbers of 16 bits."""
    cdef const uint8_t* at = take_bytes(data, 2 * count)
    cdef u32 half, bits
    cdef float value
    cdef u64 i
    if at == NULL:
        return False
    for i in range(count):
        half = at[2 * i] | <u32>at[2 * i + 1] << 8
        if (half >> 10 & 31) == 31:
            return False
        if half >> 10 & 31:
            bits = ((half >> 10 & 31) + 112) << 23 | (half & 1023) << 13
            memcpy(&value, &bits, sizeof(float))
        else:
            value = <float>(half & 1023) / (1 << 24)
        numbers[i] = -value if half >> 15 else value
    return True


cdef bint take_layer(Bytes* data, Layer* layer, int inputs, int units) noexcept nogil:
    cdef int i
    for i in range(inputs):
        if not take_halves(data, layer.weights + <u64>i * layer.units, units):
            return False
    return take_halves(data, layer.biases, units)


cdef bint take_rows(Bytes* data, float** free_rows, const float** numbers, int rows, int columns) noexcept nogil:
    """Read rows into the first of the free ones."""
    cdef float* own = free_rows[0]
    numbers[0] = own
    free_rows[0] += <u64>rows * columns
    return take_halves(data, own, <u64>rows * columns)


cdef int read_numbers(Bytes* data, People* people, int inputs, int first, int second) noexcept nogil:
    """Read what the layers and the rows of the choices hold; KR_OK or an error."""
    cdef PolicyNetwork* net = &people.net
    cdef int bins = people.model.behind_edges + 1
    cdef u64 rows = <u64>(POLICY_MOVES + POLICY_SQUARES + bins) * (second + 1)
    cdef float* free_rows
    if data.left != 2 * (<u64>(inputs + 1) * first + <u64>(first + 1) * second + rows):
        return KR_DAMAGED
    people.rows = <float*>malloc(<size_t>rows * sizeof(float))
    if people.rows == NULL or open_layer(&net.first, inputs, first) < 0 or open_layer(&net.second, first, second) < 0:
        return KR_NO_MEMORY
    free_rows = people.rows
    if (take_layer(data, &net.first, inputs, first) and take_layer(data, &net.second, first, second)
            and take_rows(data, &free_rows, &net.move, POLICY_MOVES, second)
            and take_rows(data, &free_rows, &net.move_b, POLICY_MOVES, 1)
            and take_rows(data, &free_rows, &net.target, POLICY_SQUARES, second)
            and take_rows(data, &free_rows, &net.target_b, POLICY_SQUARES, 1)
            and take_rows(data, &free_rows, &net.behind, bins, second)
            and take_rows(data, &free_rows, &net.behind_b, bins, 1)):
        return KR_OK
    return KR_DAMAGED


cdef inline int buckets_of(u32 edges) noexcept nogil:
    """Buckets between edges and beyond, and one for unknown."""
    return <int>edges + 2 if edges else 0


cdef int read_policy(People* people, const uint8_t* bytes, u64 size) noexcept nogil:
    """Read a file of a policy, `people` being all zeros; KR_OK or an error."""
    cdef PolicyModel* model = &people.model
    cdef Bytes data
    cdef u32 version, check, sight, before, first, second, i
    cdef u32 counts[4]       # of edges: strengths, years, best, behind
    cdef double unused[POLICY_EDGES]
    cdef const uint8_t* at
    data.at = bytes
    data.left = size
    at = take_bytes(&data, 8)
    if at == NULL or memcmp(at, b"\x89KRPOLI\n", 8):
        return KR_NOT_KR
    if not take_number(&data, &version):
        return KR_DAMAGED
    if version != POLICY_VERSION:
        return KR_NEWER
    if not take_number(&data, &check) or crc32(data.at, data.left) != check:
        return KR_DAMAGED
    at = take_bytes(&data, 2 * CHECKSUM_LETTERS)
    if at == NULL:
        return KR_DAMAGED
    memcpy(people.checksum, at, CHECKSUM_LETTERS)
    memcpy(people.tables, at + CHECKSUM_LETTERS, CHECKSUM_LETTERS)
    if (not take_number(&data, &sight) or not take_number(&data, &before)
            or not take_number(&data, &first) or not take_number(&data, &second)):
        return KR_DAMAGED
    if (sight >= SIGHTS or before > 1 or second % 8 or not LEAST_UNITS <= first <= POLICY_UNITS
            or not LEAST_UNITS <= second <= POLICY_UNITS):
        return KR_DAMAGED
    for i in range(4):
        if not take_number(&data, &counts[i]) or counts[i] > POLICY_EDGES:
            return KR_DAMAGED
    people.sees = sight > 0
    model.plies = <int>sight - 1
    model.strengths, model.years = buckets_of(counts[0]), buckets_of(counts[1])
    model.best_edges, model.behind_edges = <int>counts[2], <int>counts[3]
    if (not take_double(&data, &model.scale) or not model.scale > 0 or not take_edges(&data, counts[0], unused)
            or not take_edges(&data, counts[1], unused) or not take_edges(&data, counts[2], model.best_edge)
            or not take_edges(&data, counts[3], model.behind_edge)):
        return KR_DAMAGED
    set_window(model)
    at = take_bytes(&data, sizeof(people.move_ids))
    if at == NULL:
        return KR_DAMAGED
    memcpy(people.move_ids, at, sizeof(people.move_ids))
    for i in range(sizeof(people.move_ids)):
        if people.move_ids[i] >= POLICY_MOVES:
            return KR_DAMAGED
    people.net.move_ids = people.move_ids
    model.logits, model.numbers = net_logits, &people.net
    return read_numbers(&data, people, place_inputs(&people.net, model, before), <int>first, <int>second)


cdef public int kr_read_policy(kr_policy** policy, const void* bytes, size_t size) noexcept nogil:
    cdef People* made = <People*>calloc(1, sizeof(People))
    cdef int error
    policy[0] = NULL
    if made == NULL:
        return KR_NO_MEMORY
    error = read_policy(made, <const uint8_t*>bytes, size)
    if error:
        kr_close_policy(<kr_policy*>made)
        return error
    policy[0] = <kr_policy*>made
    return KR_OK


cdef public int kr_open_policy(kr_policy** policy, const char* path) noexcept nogil:
    cdef uint8_t* bytes
    cdef size_t size
    cdef int error = read_whole(path, MOST_POLICY_BYTES, &bytes, &size)
    policy[0] = NULL
    if error == KR_OK:
        error = kr_read_policy(policy, bytes, size)
    free(bytes)
    return error


cdef public const char* kr_policy_checksum(const kr_policy* policy) noexcept nogil:
    return (<const People*>policy).checksum


cdef public int kr_policy_groups(const kr_policy* policy) noexcept nogil:
    # without the bucket for unknown
    return max(0, (<const People*>policy).model.strengths - 1)


cdef public void kr_close_policy(kr_policy* policy) noexcept nogil:
    cdef People* people = <People*>policy
    if people != NULL:
        close_layer(&people.net.first)
        close_layer(&people.net.second)
        free(people.rows)
        free(people)


# ---- choices ----

cdef void move_between(const kr_position* before, const kr_position* after, uint8_t* squares) noexcept nogil:
    """Origin and target, 0-31, of the legal move from one position to the next; unknown ones without such a move."""
    cdef Board board = board_of(before)
    cdef Board child
    cdef kr_position reached
    cdef MoveList moves
    cdef int i
    squares[0] = squares[1] = POLICY_UNKNOWN
    generate(&board, &moves)
    for i in range(moves.size):
        child = played(&board, moves.moves[i])
        reached = position_of(&child)
        if memcmp(&reached, after, sizeof(kr_position)) == 0:
            squares[0] = <uint8_t>move_from(moves.moves[i])
            squares[1] = <uint8_t>move_to(moves.moves[i])
            return


cdef void moves_before(const kr_position* positions, int count, uint8_t* before) noexcept nogil:
    """The opponent's last move and the mover's own one before it, in the mover's frame."""
    cdef int i
    memset(before, POLICY_UNKNOWN, POLICY_BEFORE)
    for i in range(min(count - 1, MOST_BEFORE)):
        move_between(positions + count - 2 - i, positions + count - 1 - i, before + 2 * i)
    if positions[count - 1].side == WHITE:
        for i in range(POLICY_BEFORE):
            if before[i] != POLICY_UNKNOWN:
                before[i] = 31 - before[i]


cdef void write_row(const kr_position* position, u32* row) noexcept nogil:
    """A position in the mover's frame."""
    cdef Board board = board_of(position)
    if board.side == WHITE:
        board = board_from_bits(rotated32(position.white), rotated32(position.black), rotated32(position.kings), BLACK)
    write_frame(&board, row)


cdef inline kr_move turned_move(kr_move move) noexcept nogil:
    move.origin = 33 - move.origin
    move.to = 33 - move.to
    move.captured = rotated32(move.captured)
    return move


cdef public int kr_people(const kr_policy* policy, const kr_tables* tables, const kr_position* positions, int count,
                          int group, kr_choice* choices) noexcept nogil:
    cdef const People* people = <const People*>policy
    cdef const PolicyModel* model = &people.model
    cdef const Evaluation* eyes = NULL
    cdef Evaluation evaluation
    cdef PolicyQuery query
    cdef kr_choice choice
    cdef float probabilities[MAX_MOVES]
    cdef u32 row[FRAME_BOARDS]
    cdef uint8_t before[POLICY_BEFORE]
    cdef int i, j
    if count < 1 or not -1 <= group < kr_policy_groups(policy):
        return KR_BAD_VALUE
    if people.sees:
        if tables == NULL or strcmp((<const Tables*>tables).checksum, people.tables):
            return KR_BAD_VALUE
        memset(&evaluation, 0, sizeof(Evaluation))
        evaluation.score = region_score
        evaluation.weights = &(<const Tables*>tables).regions
        eyes = &evaluation
    for i in range(max(0, count - 1 - MOST_BEFORE), count):
        if kr_check(positions + i):
            return KR_ILLEGAL
    write_row(positions + count - 1, row)
    moves_before(positions, count, before)
    # the last buckets are those of the unknown
    ask_policy(model, eyes, row, before, group if group >= 0 else max(0, model.strengths - 1),
               max(0, model.years - 1), &query, probabilities)
    for i in range(query.moves.size):
        choice.move = squares_of(query.moves.moves[i])
        if positions[count - 1].side == WHITE:
            choice.move = turned_move(choice.move)
        choice.probability = probabilities[i]
        j = i
        while j > 0 and choices[j - 1].probability < choice.probability:
            choices[j] = choices[j - 1]
            j -= 1
        choices[j] = choice
    return query.moves.size
