# Engines for C.

cdef struct Player:
    # An engine: one thread of a search, and what it shows.
    const Tables* tables
    const Store* store
    Evaluation evaluation
    Table table
    Worker worker
    int stopped              # flags
    int searching            # a listener may call no function that changes the engine
    Board root
    volatile u64 line_keys[LINE_SLOTS]
    kr_listener listener
    void* context
    kr_line lines[MAX_LINES]
    kr_move* moves           # (MAX_LINES, MAX_WHOLE_LINE)


cdef inline Player* player_of(kr_engine* engine) noexcept nogil:
    return <Player*>engine


cdef public int kr_open_engine(kr_engine** engine, const kr_tables* tables, const kr_database* database,
                               size_t hash_bytes) noexcept nogil:
    cdef Player* player = <Player*>calloc(1, sizeof(Player))
    cdef Worker* worker
    engine[0] = NULL
    if player == NULL:
        return KR_NO_MEMORY
    player.tables = <const Tables*>tables
    player.store = <const Store*>database
    player.evaluation.score = manual_kind_score if tables == NULL else region_score
    player.evaluation.weights = NULL if tables == NULL else &(<Tables*>tables).regions
    player.moves = <kr_move*>malloc(MAX_LINES * MAX_WHOLE_LINE * sizeof(kr_move))
    if player.moves == NULL or allocate_table(&player.table, hash_bytes) < 0:
        kr_close_engine(<kr_engine*>player)
        return KR_NO_MEMORY
    worker = &player.worker
    worker.evaluation = &player.evaluation
    worker.options = DEFAULT_OPTIONS
    worker.table = &player.table
    worker.line_keys = player.line_keys
    worker.stop = &player.stopped
    if database != NULL:
        use_egdb(&worker.endgames, &player.store.db, EGDB_MAX_PIECES)
    engine[0] = <kr_engine*>player
    set_start(player)
    return KR_OK


cdef void set_start(Player* player) noexcept nogil:
    cdef kr_position start = kr_start()
    kr_set_game(<kr_engine*>player, &start, 1)


cdef public void kr_close_engine(kr_engine* engine) noexcept nogil:
    cdef Player* player = player_of(engine)
    if player != NULL:
        free_pages(player.table.entries)
        free(player.moves)
        free(player)


cdef public int kr_clear(kr_engine* engine) noexcept nogil:
    cdef Player* player = player_of(engine)
    if player.searching:
        return KR_BUSY
    clear_table(&player.table)
    memset(&player.worker.ordering, 0, sizeof(Ordering))
    return KR_OK


cdef public int kr_limit_database(kr_engine* engine, int pieces) noexcept nogil:
    cdef Player* player = player_of(engine)
    if player.searching:
        return KR_BUSY
    if pieces < 0:
        return KR_BAD_VALUE
    if player.store != NULL:
        use_egdb(&player.worker.endgames, &player.store.db, pieces)
    return KR_OK


cdef public int kr_set_option(kr_engine* engine, const char* name, int value) noexcept nogil:
    cdef int i
    if player_of(engine).searching:
        return KR_BUSY
    for i in range(OPTION_COUNT):
        if strcmp(OPTION_ROWS[i].name, name) == 0:
            if not OPTION_ROWS[i].least <= value <= OPTION_ROWS[i].most:
                return KR_BAD_VALUE
            # every field is an int, in the order of the rows
            (<int*>&player_of(engine).worker.options)[i] = value
            return KR_OK
    return KR_BAD_VALUE


cdef public int kr_set_game(kr_engine* engine, const kr_position* positions, int count) noexcept nogil:
    cdef Player* player = player_of(engine)
    cdef Board boards[MAX_GAME]
    cdef int i
    if player.searching:
        return KR_BUSY
    if count < 1:
        return KR_BAD_VALUE
    for i in range(count):
        if kr_check(positions + i):
            return KR_ILLEGAL
    if count > MAX_GAME:
        positions += count - MAX_GAME
        count = MAX_GAME
    for i in range(count):
        boards[i] = board_of(positions + i)
    set_history(&player.worker, boards, count)
    player.root = boards[count - 1]
    # a stop that came as the search before had just ended
    store_flag(&player.stopped, 0)
    return KR_OK


cdef void fill_result(Player* player, kr_result* result) noexcept nogil:
    cdef Worker* worker = &player.worker
    cdef Move moves[MAX_WHOLE_LINE]
    cdef kr_move* target
    cdef int i, j, count
    for i in range(worker.line_count):
        target = player.moves + i * MAX_WHOLE_LINE
        count = whole_line(&worker.lines[i], &player.root, worker.endgames.db, moves, MAX_WHOLE_LINE)
        for j in range(count):
            target[j] = squares_of(moves[j])
        player.lines[i].score = shown_score(&worker.endgames, worker.lines[i].score)
        player.lines[i].length = count
        player.lines[i].moves = target
    result.depth = worker.depth
    result.line_count = worker.line_count
    result.lines = player.lines
    result.nodes = worker.nodes
    result.probes = worker.endgames.probes
    result.hits = worker.endgames.hits
    result.seconds = seconds() - worker.start
    result.value = worker.endgames.root_value


cdef bint tell_iteration(Worker* worker, void* owner) noexcept nogil:
    cdef Player* player = <Player*>owner
    cdef kr_result result
    fill_result(player, &result)
    return player.listener(&result, player.context) != 0


cdef public int kr_search(kr_engine* engine, const kr_limits* limits, kr_listener listener, void* context,
                          kr_result* result) noexcept nogil:
    cdef Player* player = player_of(engine)
    cdef Worker* worker = &player.worker
    cdef IterationCallback callback = NULL
    cdef double time_limit = limits.seconds
    cdef double now
    cdef int depth = limits.depth if limits.depth > 0 else MAX_PLY
    if player.searching:
        return KR_BUSY
    # a number that is no number is refused too
    if (not (limits.seconds >= 0 and limits.usual_seconds >= 0) or limits.depth < 0
            or not 0 <= limits.lines <= MAX_LINES or not 0 <= limits.within <= SCORE_INFINITE):
        return KR_BAD_VALUE
    if limits.seconds == 0 and limits.nodes == 0 and limits.depth == 0 and listener == NULL:
        # without an end
        return KR_BAD_VALUE
    now = seconds()
    store_double(&worker.start, now)
    store_double(&worker.asked, now)
    # those of the search before are not its progress
    store_count(&worker.nodes, 0)
    store_int(&worker.depth, 0)
    worker.usual_time = limits.usual_seconds
    if not worker.options.unrest:
        if limits.usual_seconds > 0 and not 0 < time_limit < limits.usual_seconds:
            time_limit = limits.usual_seconds
        worker.usual_time = 0
    worker.deadline = worker.start + time_limit if time_limit > 0 else 1e300
    worker.node_limit = limits.nodes if limits.nodes else <u64>1 << 62
    player.listener = listener
    player.context = context
    if listener != NULL:
        callback = tell_iteration
    worker.within = 1 + limits.within if limits.within else 0
    new_generation(&player.table)
    store_flag(&player.searching, True)
    think(worker, &player.root, depth, max(limits.lines, 1), limits.forced_at_once, callback, player)
    store_flag(&player.searching, False)
    store_flag(&player.stopped, 0)
    fill_result(player, result)
    return KR_OK


cdef public void kr_stop(kr_engine* engine) noexcept nogil:
    store_flag(&player_of(engine).stopped, 1)


cdef public int kr_progress(const kr_engine* engine, kr_progress_info* progress) noexcept nogil:
    cdef const Player* player = <const Player*>engine
    cdef double asked
    memset(progress, 0, sizeof(kr_progress_info))
    if not load_flag(&player.searching):
        return 0
    progress.depth = load_int(&player.worker.depth)
    progress.nodes = load_count(&player.worker.nodes)
    # not by the clock, which may be what calls this; less than 0 if the next search has just begun
    asked = load_double(&player.worker.asked)
    progress.seconds = max(0.0, asked - load_double(&player.worker.start))
    return 1


# ---- static scores ----

cdef int square_digit(u32 own, u32 opponent, u32 kings, int square) noexcept nogil:
    """What stands on a square of the mover's board, as in an index: 1 own man, 2 opponent's, 3 and 4 kings."""
    cdef int piece = <int>(own >> square & 1) + 2 * <int>(opponent >> square & 1)
    return piece + 2 * <int>(kings >> square & 1) if piece else 0


cdef double entry_share(const int16_t* entry, int pieces) noexcept nogil:
    return <double>(entry[0] * pieces + entry[1] * (FULL_BOARD - pieces)) / (FULL_BOARD * TABLE_UNIT)


cdef double weight_share(const int32_t* weights, int pieces) noexcept nogil:
    return (<double>weights[0] * pieces + <double>weights[1] * (FULL_BOARD - pieces)) / (FULL_BOARD * TABLE_UNIT)


cdef public int kr_evaluate(const kr_engine* engine, const kr_position* position,
                            kr_evaluation* evaluation) noexcept nogil:
    cdef const Player* player = <const Player*>engine
    cdef const RegionGroup* group
    cdef const uint8_t* squares
    cdef Board board
    cdef u32 own, opponent, kings
    cdef int pieces, men, king_balance, group_number, size, base, i, k
    cdef u64 index, power, table
    memset(evaluation, 0, sizeof(kr_evaluation))
    if kr_check(position):
        return KR_ILLEGAL
    board = board_of(position)
    evaluation.score = evaluate(&player.evaluation, &board)
    if player.tables == NULL:
        return KR_OK
    # as the side to move sees the board
    own = position.black if position.side == BLACK else rotated32(position.white)
    opponent = position.white if position.side == BLACK else rotated32(position.black)
    kings = position.kings if position.side == BLACK else rotated32(position.kings)
    group_number = 1 if kings else 0
    group = &player.tables.regions.kings if kings else &player.tables.regions.men
    squares = player.tables.squares[group_number]
    size = KINGS_SQUARES if kings else MEN_SQUARES
    base = 5 if kings else 3
    table = KINGS_ENTRIES if kings else MEN_ENTRIES
    pieces = popcount(own | opponent)
    king_balance = popcount(own & kings) - popcount(opponent & kings)
    men = popcount(own) - popcount(opponent) - king_balance
    evaluation.material = (men * weight_share(group.material[0], pieces)
                           + king_balance * weight_share(group.material[1], pieces))
    evaluation.turn = weight_share(group.material[2], pieces)
    evaluation.count = group.count
    for i in range(group.count):
        index = 0
        power = 1
        for k in range(size):
            index += power * square_digit(own, opponent, kings, squares[i * size + k])
            power *= base
            evaluation.regions[i].squares |= <u32>1 << (
                squares[i * size + k] if position.side == BLACK else 31 - squares[i * size + k])
        evaluation.regions[i].score = entry_share(<const int16_t*>(group.entries + i * table + index), pieces)
    return KR_OK


cdef enum:
    MOST_SETS = 1 << MEN_SQUARES     # of the pieces in a region


cdef double share_region(const RegionGroup* group, u64 first, const u64* steps, const int* squares, int count,
                         int pieces, double* places) noexcept nogil:
    """Share an entry out among its pieces, and return what belongs to none of them. steps: what each adds to the index
    of the entry; as kr/evaluation/regions.py does it, in whole numbers."""
    cdef int64_t scores[MOST_SETS]
    cdef u64 indices[MOST_SETS]
    cdef int64_t orders[MEN_SQUARES + 1]   # in which a number of pieces comes before one, and the others after it
    cdef int64_t sum, all_orders = 1
    cdef const int16_t* entry
    cdef int i, j
    indices[0] = 0
    for i in range(1 << count):
        if i:
            # the set without its last piece comes before it
            j = 63 - leading_zeros(i)
            indices[i] = indices[i ^ 1 << j] + steps[j]
        entry = <const int16_t*>(group.entries + first + indices[i])
        scores[i] = entry[0] * pieces + entry[1] * (FULL_BOARD - pieces)
    for i in range(2, count + 1):
        all_orders *= i
    for i in range(count):
        orders[i] = 1
        for j in range(2, i + 1):
            orders[i] *= j
        for j in range(2, count - i):
            orders[i] *= j
    for j in range(count):
        sum = 0
        for i in range(1 << count):
            if not i >> j & 1:
                sum += (scores[i | 1 << j] - scores[i]) * orders[popcount(<u32>i)]
        places[squares[j]] += <double>sum / all_orders / (FULL_BOARD * TABLE_UNIT)
    return <double>scores[0] / (FULL_BOARD * TABLE_UNIT)


cdef public int kr_share_out(const kr_engine* engine, const kr_position* position, kr_shares* shares) noexcept nogil:
    cdef const Player* player = <const Player*>engine
    cdef const RegionGroup* group
    cdef const uint8_t* region
    cdef kr_position less
    cdef Board board
    cdef u64 steps[MEN_SQUARES]
    cdef int squares[MEN_SQUARES]
    cdef u32 own, opponent, kings
    cdef u64 power
    cdef int pieces, group_number, size, base, count, score, square, digit, i, k
    memset(shares, 0, sizeof(kr_shares))
    if kr_check(position):
        return KR_ILLEGAL
    board = board_of(position)
    score = evaluate(&player.evaluation, &board)
    for square in range(32):
        if (position.black | position.white) >> square & 1:
            less = position[0]
            less.black &= ~(<u32>1 << square)
            less.white &= ~(<u32>1 << square)
            less.kings &= ~(<u32>1 << square)
            board = board_of(&less)
            shares.worths[square] = score - evaluate(&player.evaluation, &board)
    if player.tables == NULL:
        return KR_OK
    own = position.black if position.side == BLACK else rotated32(position.white)
    opponent = position.white if position.side == BLACK else rotated32(position.black)
    kings = position.kings if position.side == BLACK else rotated32(position.kings)
    group_number = 1 if kings else 0
    group = &player.tables.regions.kings if kings else &player.tables.regions.men
    size = KINGS_SQUARES if kings else MEN_SQUARES
    base = 5 if kings else 3
    pieces = popcount(own | opponent)
    for i in range(group.count):
        region = player.tables.squares[group_number] + i * size
        count = 0
        power = 1
        for k in range(size):
            digit = square_digit(own, opponent, kings, region[k])
            if digit:
                steps[count] = power * digit
                squares[count] = region[k] if position.side == BLACK else 31 - region[k]
                count += 1
            power *= base
        shares.empty += share_region(
            group, <u64>i * (KINGS_ENTRIES if kings else MEN_ENTRIES), steps, squares, count, pieces, shares.places)
    return KR_OK


# ---- texts ----

cdef public const char* kr_version() noexcept nogil:
    return KR_VERSION


cdef public const char* kr_error_text(int error) noexcept nogil:
    if error == KR_OK:
        return "no error"
    if error == KR_NO_MEMORY:
        return "not enough memory"
    if error == KR_NO_FILE:
        return "a file is missing or can't be read"
    if error == KR_NOT_KR:
        return "not a file of kr of the wanted kind"
    if error == KR_DAMAGED:
        return "damaged: a file of kr doesn't match its checksum or contradicts itself"
    if error == KR_NEWER:
        return "a file of a format that this version of kr doesn't know"
    if error == KR_ILLEGAL:
        return "an impossible position, an illegal move, or text that is neither"
    if error == KR_BAD_VALUE:
        return "a number out of its range, an option of another name, or other tables than the policy's"
    if error == KR_BUSY:
        return "the engine is searching"
    return "unknown error"
