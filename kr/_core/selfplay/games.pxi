# Games of the engine against itself, played one at a time by a thread without the GIL.
#
# Game i depends only on the seed, i and the settings: it has its own random numbers and a cleared table, and for
# variety a small noise of its own on the static scores.

cpdef enum:
    MAX_GAME_PLIES = 400     # a longer game is a draw
    # reasons for the end of a game
    REASON_NO_MOVE = 0       # the side to move has no legal move and loses
    REASON_REPETITION = 1
    REASON_NO_PROGRESS = 2
    REASON_PROVEN = 3        # the search found a win to its end, or to a win in the endgame database
    REASON_CLEAR = 4         # both sides had a clear score for the same side for clear_plies
    REASON_LENGTH = 5        # MAX_GAME_PLIES
    REASON_DATABASE = 6      # the position is in the endgame database

cdef enum:
    RESULT_UNKNOWN = 2

cdef struct GameRules:
    u64 seed
    u64 nodes                # limit of each move; 0 for none
    double move_time         # limit of each move in seconds; 0 for none
    int random_plies         # up to this many random moves follow the opening
    int noise                # centi-men
    int draw_plies           # without a capture or a man's move
    int clear_score          # centi-men; 0: games don't end by clear scores
    int clear_plies
    u64 leaf_nodes           # limit of the search of a leaf; 0: no leaves
    int leaf_margin          # centi-men from the score of the search in which it is a leaf
    const Egdb* ending       # database in which games end with the exact result; NULL for none

cdef struct PlayedGame:
    Board start
    int opening
    int result               # 1 if Black won, 0 for a draw, -1 if White won
    int reason
    int plies
    uint16_t moves[MAX_GAME_PLIES]
    int16_t scores[MAX_GAME_PLIES]
    # a leaf of each move's search, and its score by a search of its own, SCORE_NONE without a leaf
    uint32_t leaves[MAX_GAME_PLIES][4]
    int16_t leaf_scores[MAX_GAME_PLIES]


cdef Board random_start(const GameRules* rules, const uint32_t* opening, PlayedGame* record, u64* random) noexcept nogil:
    """Position after the opening and some random moves, none of which ends the game."""
    cdef Board board = board_from_bits(opening[0], opening[1], opening[2], <int>opening[3])
    cdef Board child
    cdef MoveList moves, replies
    cdef int plies = <int>(splitmix64(random) % <u64>(rules.random_plies + 1))
    record.start = board
    record.plies = 0
    while plies > 0:
        generate(&board, &moves)
        child = played(&board, moves.moves[splitmix64(random) % <u64>moves.size])
        generate(&child, &replies)
        if replies.size == 0:
            break
        board = child
        record.start = board
        plies -= 1
    return board


cdef inline int known_result(const Egdb* db, const Board* board) noexcept nogil:
    """Result (as in PlayedGame) of a position without captures that is in the database; else RESULT_UNKNOWN."""
    cdef int value
    if db == NULL or not has_board(db, board) or has_capture(board, board.side):
        return RESULT_UNKNOWN
    value = egdb_value(db, board)
    if value == VALUE_UNKNOWN:
        return RESULT_UNKNOWN
    return value - VALUE_DRAW if board.side == BLACK else VALUE_DRAW - value


cdef inline void note_no_leaf(PlayedGame* record) noexcept nogil:
    record.leaf_scores[record.plies] = SCORE_NONE
    memset(record.leaves[record.plies], 0, sizeof(record.leaves[0]))


cdef void search_leaf(Worker* worker, const GameRules* rules, const Leaf* leaf, PlayedGame* record) noexcept nogil:
    """Search the leaf of the move that is about to be recorded, as a position without a past."""
    cdef int ply = record.plies
    cdef u64 node_limit = worker.node_limit
    if leaf.least == NO_LEAF:
        note_no_leaf(record)
        return
    record.leaves[ply][0] = unpad(leaf.board.pieces[BLACK])
    record.leaves[ply][1] = unpad(leaf.board.pieces[WHITE])
    record.leaves[ply][2] = unpad(leaf.board.kings)
    record.leaves[ply][3] = leaf.board.side
    worker.root_index += 1
    worker.reversible[worker.root_index] = 0
    worker.node_limit = rules.leaf_nodes
    worker.deadline = 1e300
    think(worker, &leaf.board, MAX_PLY, 1, False, NULL, NULL)
    worker.node_limit = node_limit
    worker.root_index -= 1
    record.leaf_scores[ply] = <int16_t>shown_score(&worker.endgames, worker.lines[0].score)


cdef void play_game(Worker* worker, Evaluation* evaluation, const GameRules* rules, const uint32_t* openings,
                    int opening_count, int64_t game, PlayedGame* record) noexcept nogil:
    cdef MoveList moves
    cdef Move move
    cdef Board board
    cdef Leaf leaf
    cdef u64 random = rules.seed * <u64>0x9E3779B97F4A7C15 + <u64>game * <u64>0xD1342543DE82EF95
    cdef int black_score = 0
    cdef int clear = 0       # consecutive searched plies with a clear score; positive for Black
    cdef int score, result
    splitmix64(&random)
    clear_table(worker.table)
    memset(&worker.ordering, 0, sizeof(Ordering))
    record.opening = <int>(splitmix64(&random) % <u64>opening_count)
    board = random_start(rules, openings + 4 * record.opening, record, &random)
    evaluation.noise_seed = splitmix64(&random)
    worker.root_index = 0
    worker.reversible[0] = 0
    record.result = 0
    while True:
        worker.keys[worker.root_index] = board.key
        generate(&board, &moves)
        if moves.size == 0:
            record.result = -1 if board.side == BLACK else 1
            record.reason = REASON_NO_MOVE
            return
        if worker.reversible[worker.root_index] >= rules.draw_plies:
            record.reason = REASON_NO_PROGRESS
            return
        if is_draw_by_rule(worker, 0):
            record.reason = REASON_REPETITION
            return
        result = known_result(rules.ending, &board)
        if result != RESULT_UNKNOWN:
            record.result = result
            record.reason = REASON_DATABASE
            return
        if record.plies == MAX_GAME_PLIES:
            record.reason = REASON_LENGTH
            return
        if moves.size == 1:
            # a forced move needs no search
            move = moves.moves[0]
            score = SCORE_NONE
            note_no_leaf(record)
        else:
            new_generation(worker.table)
            worker.deadline = seconds() + rules.move_time if rules.move_time > 0 else 1e300
            if rules.leaf_nodes:
                leaf.seed = splitmix64(&random)
                leaf.least = NO_LEAF
                leaf.margin = rules.leaf_margin
                leaf.side = board.side
                leaf.wanted = False
                worker.leaf = &leaf
            think(worker, &board, MAX_PLY, 1, True, NULL, NULL)
            worker.leaf = NULL
            if load_flag(worker.stop):
                return
            move = worker.lines[0].moves[0]
            score = shown_score(&worker.endgames, worker.lines[0].score)
            black_score = score if board.side == BLACK else -score
            if abs(score) > SCORE_STATIC_MAX:
                record.result = 1 if black_score > 0 else -1
                record.reason = REASON_PROVEN
                return
            if abs(score) < rules.clear_score:
                clear = 0
            elif black_score > 0:
                clear = clear + 1 if clear > 0 else 1
            else:
                clear = clear - 1 if clear < 0 else -1
            if rules.clear_score and abs(clear) >= rules.clear_plies:
                record.result = 1 if black_score > 0 else -1
                record.reason = REASON_CLEAR
                return
            if rules.leaf_nodes:
                search_leaf(worker, rules, &leaf, record)
                if load_flag(worker.stop):
                    return
        record.moves[record.plies] = <uint16_t>move_code(&moves, move)
        record.scores[record.plies] = <int16_t>score
        record.plies += 1
        worker.reversible[worker.root_index + 1] = (
            worker.reversible[worker.root_index] + 1 if is_reversible(&board, move) else 0)
        worker.root_index += 1
        board = played(&board, move)


cdef class SelfPlayer:
    """Plays games of an evaluation against itself. Each thread needs one of its own. Raises MemoryError."""
    cdef Evaluation evaluation
    cdef Evaluator evaluator     # owns the tables
    cdef EndgameDatabase database
    cdef Table table
    cdef Worker* worker
    cdef u64 line_keys[LINE_SLOTS]
    cdef PlayedGame* record
    cdef GameRules rules

    def __cinit__(self, Evaluator evaluator not None, *, u64 seed, u64 hash_bytes, u64 nodes, double move_time,
                  int random_plies, int noise, int draw_plies, int clear_score, int clear_plies,
                  u64 leaf_nodes=0, int leaf_margin=0, EndgameDatabase database=None, bint end_by_database=True,
                  bint search_database=True):
        self.evaluator = evaluator
        self.database = database
        self.evaluation = evaluator.evaluation
        self.evaluation.noise = noise
        self.rules.seed = seed
        self.rules.nodes = nodes
        self.rules.move_time = move_time
        self.rules.random_plies = random_plies
        self.rules.noise = noise
        self.rules.draw_plies = draw_plies
        self.rules.clear_score = clear_score
        self.rules.clear_plies = clear_plies
        self.rules.leaf_nodes = leaf_nodes
        self.rules.leaf_margin = leaf_margin
        self.rules.ending = &database.db if database is not None and end_by_database else NULL
        self.worker = <Worker*>calloc(1, sizeof(Worker))
        self.record = <PlayedGame*>calloc(1, sizeof(PlayedGame))
        if self.worker == NULL or self.record == NULL or allocate_table(&self.table, hash_bytes) < 0:
            raise MemoryError("no memory for the search")
        self.worker.evaluation = &self.evaluation
        self.worker.options = DEFAULT_OPTIONS
        self.worker.table = &self.table
        self.worker.line_keys = self.line_keys
        use_database(&self.worker.endgames, database if search_database else None)
        self.worker.node_limit = nodes if nodes > 0 else <u64>1 << 62

    def __dealloc__(self):
        free(self.worker)
        free(self.record)
        free_pages(self.table.entries)

    def play(self, const uint32_t[:, ::1] openings, int64_t game, uint32_t[::1] start, uint16_t[::1] moves,
             int16_t[::1] scores, uint32_t[:, ::1] leaves, int16_t[::1] leaf_scores, int32_t[::1] stop):
        """Play one game without the GIL.

        openings: (n, 4), rows of black, white, kings, side. Writes the start position (black, white, kings, side) into
        `start`, and the plies into `moves` and `scores` (MAX_GAME_PLIES each); if leaves are searched, also into
        `leaves` (MAX_GAME_PLIES, 4) and `leaf_scores`, SCORE_NONE where there is none. Returns (plies, result, reason,
        opening), the result as 1 if Black won, 0 for a draw, -1 if White won; None if `stop[0]` was set. Raises
        ValueError.
        """
        cdef PlayedGame* record = self.record
        cdef int count = <int>openings.shape[0]
        if (start.shape[0] < 4 or moves.shape[0] < MAX_GAME_PLIES or scores.shape[0] < MAX_GAME_PLIES
                or leaves.shape[0] < MAX_GAME_PLIES or leaves.shape[1] != 4 or leaf_scores.shape[0] < MAX_GAME_PLIES):
            raise ValueError(f"arrays too short for a game of {MAX_GAME_PLIES} plies")
        if count == 0:
            raise ValueError("no openings")
        self.worker.stop = <int*>&stop[0]
        with nogil:
            play_game(self.worker, &self.evaluation, &self.rules, &openings[0, 0], count, game, record)
        if load_flag(self.worker.stop):
            return None
        start[0] = unpad(record.start.pieces[BLACK])
        start[1] = unpad(record.start.pieces[WHITE])
        start[2] = unpad(record.start.kings)
        start[3] = record.start.side
        memcpy(&moves[0], record.moves, record.plies * sizeof(uint16_t))
        memcpy(&scores[0], record.scores, record.plies * sizeof(int16_t))
        if self.rules.leaf_nodes:
            memcpy(&leaves[0, 0], record.leaves, record.plies * sizeof(record.leaves[0]))
            memcpy(&leaf_scores[0], record.leaf_scores, record.plies * sizeof(int16_t))
        return record.plies, record.result, record.reason, record.opening
