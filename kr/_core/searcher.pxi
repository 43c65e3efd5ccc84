# The search for Python: a class that owns a table and one worker for each thread.

import threading

cdef class Searcher


cdef bint hear_signals(void* owner) noexcept with gil:
    """Let Ctrl-C in: the exception is kept for the search to raise when it has unwound."""
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Searcher>owner).pending = error
        return True
    return False


cdef void report_iteration(Worker* worker, void* owner) noexcept nogil:
    with gil:
        (<Searcher>owner).report()


cdef class Searcher:
    """A search with its transposition table; one at a time.

    Raises MemoryError where the table does not fit, ValueError for options that are none (see SEARCH_OPTIONS).
    """
    cdef Table table
    cdef Busy busy
    cdef Worker** workers
    cdef int threads
    cdef int stop_flag
    cdef object pending
    cdef object listener
    cdef object started
    cdef Board root
    cdef Evaluator evaluator
    cdef EndgameDatabase database

    def __cinit__(self, Evaluator evaluator not None, u64 hash_bytes, int threads=1, EndgameDatabase database=None,
                  dict options=None):
        cdef int i
        self.evaluator = evaluator
        self.database = database
        self.threads = threads
        self.table.entries = NULL
        self.workers = <Worker**>calloc(threads, sizeof(Worker*))
        if self.workers == NULL or allocate_table(&self.table, hash_bytes) < 0:
            raise MemoryError(f"no memory for a hash table of {hash_bytes} bytes")
        for i in range(threads):
            self.workers[i] = <Worker*>calloc(1, sizeof(Worker))
            if self.workers[i] == NULL:
                raise MemoryError("no memory for the search")
            self.workers[i].evaluation = &evaluator.evaluation
            self.workers[i].table = &self.table
            self.workers[i].busy = &self.busy if threads > 1 else NULL
            use_database(&self.workers[i].endgames, database)
            self.workers[i].stop = &self.stop_flag
        self.set_options(options or {})

    def __dealloc__(self):
        cdef int i
        if self.workers != NULL:
            for i in range(self.threads):
                free(self.workers[i])
        free(self.workers)
        free(self.table.entries)

    def clear(self):
        """Forget everything: a new game."""
        cdef int i
        clear_table(&self.table)
        for i in range(self.threads):
            memset(&self.workers[i].ordering, 0, sizeof(Ordering))

    def set_options(self, dict options):
        """Search with these options from now on, the others as by default."""
        cdef SearchOptions chosen = search_options(options)
        cdef int i
        for i in range(self.threads):
            self.workers[i].options = chosen

    def stop(self):
        """End the running search, from any thread."""
        self.stop_flag = 1

    def prepare(self):
        """Before a search, in the thread that will stop it: forget an earlier stop."""
        self.stop_flag = 0

    def search(self, tuple board_bits, history, double time_limit, u64 node_limit, int max_depth, int lines=1,
               bint forced_at_once=False, listener=None, double usual_time=0):
        """Search and return (lines, depth, nodes, seconds, probes, hits, value), each line (score, moves).

        A move is (origin, target, captured), value that of the root in the database (VALUE_UNKNOWN where it has none).

        board_bits: black, white, kings, side; history: the same for each position before it, oldest first;
        time_limit: seconds, 0 for none; node_limit and max_depth likewise; lines: principal variations wanted;
        forced_at_once: return a forced move after one ply; listener: called with the same tuple after each iteration;
        usual_time: seconds that a move takes on average, 0 where every move may take all of time_limit.
        Raises what a signal handler raised (Ctrl-C).
        """
        cdef Board board = board_from_bits(board_bits[0], board_bits[1], board_bits[2], board_bits[3])
        cdef Worker* worker = self.workers[0]
        cdef double start = seconds()
        cdef int depth = max_depth if max_depth > 0 else MAX_PLY
        cdef IterationCallback callback = NULL
        cdef int i
        if listener is not None:
            callback = report_iteration
        self.pending = None
        self.listener = listener
        self.root = board
        self.started = start
        if not worker.options.unrest:
            time_limit = usual_time if usual_time > 0 else time_limit
            usual_time = 0
        worker.usual_time = usual_time
        worker.start = start
        for i in range(self.threads):
            self.set_history(self.workers[i], [*history, board_bits])
            self.workers[i].deadline = start + time_limit if time_limit > 0 else 1e300
            self.workers[i].node_limit = max(1, node_limit // self.threads) if node_limit > 0 else <u64>1 << 62
            self.workers[i].owner = NULL
        if threading.current_thread() is threading.main_thread():
            worker.owner = <void*>self
        new_generation(&self.table)
        helpers = [threading.Thread(target=self.help, args=(i, board_bits), daemon=True)
                   for i in range(1, self.threads)]
        for helper in helpers:
            helper.start()
        with nogil:
            think(worker, &board, depth, lines, forced_at_once, callback, <void*>self)
        if helpers:
            self.stop_flag = 1
            for helper in helpers:
                helper.join()
        self.listener = None
        if self.pending is not None:
            pending = self.pending
            self.pending = None
            raise pending
        return self.results()

    cdef set_history(self, Worker* worker, positions):
        """The positions of the game, the root last: their keys, and how long only kings have moved."""
        cdef Board board
        cdef int i
        recent = positions[-MAX_GAME:]
        worker.root_index = len(recent) - 1
        worker.reversible[0] = 0
        for i in range(len(recent)):
            board = board_from_bits(recent[i][0], recent[i][1], recent[i][2], recent[i][3])
            worker.keys[i] = board.key
            if i > 0:
                worker.reversible[i] = worker.reversible[i - 1] + 1 if only_kings_moved(recent[i - 1], recent[i]) else 0

    def help(self, int index, tuple board_bits):
        """Lazy parallel search: the same position with a thread's own ordering, meeting the others in the table, and
        leaving to them the moves that they are at."""
        cdef Board board = board_from_bits(board_bits[0], board_bits[1], board_bits[2], board_bits[3])
        cdef Worker* worker = self.workers[index]
        with nogil:
            think(worker, &board, MAX_PLY, 1, False, NULL, NULL)

    def report(self):
        """After an iteration: tell the listener, keep what it raises, stop when asked to."""
        try:
            self.listener(self.results())
        except BaseException as error:
            self.pending = error
            self.stop_flag = 1

    cdef results(self):
        cdef Worker* worker = self.workers[0]
        cdef u64 nodes = 0
        cdef u64 probes = 0
        cdef u64 hits = 0
        cdef int i
        for i in range(self.threads):
            nodes += self.workers[i].nodes
            probes += self.workers[i].endgames.probes
            hits += self.workers[i].endgames.hits
        lines = [(shown_score(&worker.endgames, worker.lines[i].score), self.line_moves(&worker.lines[i]))
                 for i in range(worker.line_count)]
        return (lines, worker.depth, nodes, seconds() - <double>self.started, probes, hits,
                worker.endgames.root_value)

    cdef list line_moves(self, const Line* line):
        """The moves of a line; where it ends at a known distance in the database, by best play to the end."""
        cdef Board board = self.root
        cdef Move move
        cdef int left = SCORE_WIN - abs(line.score) - line.length
        cdef int i
        moves = []
        for i in range(line.length):
            moves.append(move_squares(line.moves[i]))
            board = played(&board, line.moves[i])
        if self.database is not None and abs(line.score) > SCORE_DECIDED:
            for i in range(left):
                move = best_known_move(&self.database.db, &board)
                if move == 0:
                    break
                moves.append(move_squares(move))
                board = played(&board, move)
        return moves


cdef tuple move_squares(Move move):
    return move_from(move), move_to(move), unpad(move_captured(move))


cdef void use_database(Endgames* endgames, EndgameDatabase database):
    """Let a search look positions up; the caller keeps the database. None: in none."""
    endgames.db = &database.db if database is not None else NULL
    endgames.pieces = database.db.pieces if database is not None else 0


def only_kings_moved(tuple before, tuple after):
    """Whether the move from one position to the next was a king's quiet move. Positions as (black, white, kings, side)."""
    return (int(before[0] | before[1]).bit_count() == int(after[0] | after[1]).bit_count()
            and (before[0] & ~before[2], before[1] & ~before[2]) == (after[0] & ~after[2], after[1] & ~after[2]))
