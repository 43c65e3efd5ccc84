# The search for Python: a class that owns a table and one worker for each thread.

import _thread
import threading

from cpython.exc cimport PyErr_CheckSignals

cdef class Searcher


class SearchingError(RuntimeError):
    """The searcher is at a search already."""


class ThreadError(RuntimeError):
    """A thread of the search can't be started."""


cdef class Stop:
    """Ends the search that it is given to: a running one at once, one that is still to begin as soon as it has a move.

    It belongs to that search alone, so that nothing is left of it for the next one, whichever of the two ends first.
    """
    cdef int flag

    def set(self):
        """End the search; from any thread, and from a signal handler."""
        self.flag = 1

    def is_set(self):
        """Whether the search was to end."""
        return self.flag != 0


cdef bint hear_signals(void* owner) noexcept with gil:
    """Let Ctrl-C in: the exception is kept for the search to raise when it has unwound."""
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Searcher>owner).pending = error
        return True
    return False


cdef bint report_iteration(Worker* worker, void* owner) noexcept nogil:
    with gil:
        return (<Searcher>owner).report()


cdef class Searcher:
    """A search with its transposition table; one at a time.

    Raises MemoryError where the table does not fit, ValueError for options that are none (see SEARCH_OPTIONS).
    """
    cdef Table table
    cdef Busy busy
    cdef Worker** workers
    cdef int threads
    cdef Stop stopper        # of the running search, None between searches
    cdef int helpers_end
    cdef object searching    # held while a search, or what changes its state, is under way
    cdef object thread       # that searches
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
        self.searching = threading.Lock()
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
            self.workers[i].stop = &self.helpers_end
        self.set_options(options or {})

    def __dealloc__(self):
        cdef int i
        if self.workers != NULL:
            for i in range(self.threads):
                free(self.workers[i])
        free(self.workers)
        free(self.table.entries)

    def clear(self):
        """Forget everything: a new game. Waits for the end of a search in another thread."""
        cdef int i
        self.refuse_own_search()
        with self.searching:
            clear_table(&self.table)
            for i in range(self.threads):
                memset(&self.workers[i].ordering, 0, sizeof(Ordering))

    def set_options(self, dict options):
        """Search with these options from now on, the others as by default. Waits as `clear` does."""
        cdef SearchOptions chosen = search_options(options)
        cdef int i
        self.refuse_own_search()
        with self.searching:
            for i in range(self.threads):
                self.workers[i].options = chosen

    def stop(self):
        """End the running search, from any thread; without one, nothing."""
        cdef Stop stopper = self.stopper
        if stopper is not None:
            stopper.set()

    cdef refuse_own_search(self):
        """Whoever is called by a search can't wait for its end."""
        if self.stopper is not None and self.thread == threading.get_ident():
            raise SearchingError

    def search(self, tuple board_bits, history, double time_limit, u64 node_limit, int max_depth, int lines=1,
               bint forced_at_once=False, listener=None, double usual_time=0, Stop stopper=None):
        """Search and return (lines, depth, nodes, seconds, probes, hits, value), each line (score, moves).

        A move is (origin, target, captured), value that of the root in the database (VALUE_UNKNOWN where it has none).

        board_bits: black, white, kings, side; history: the same for each position before it, oldest first;
        time_limit: seconds, 0 for none; node_limit and max_depth likewise; lines: principal variations wanted;
        forced_at_once: return a forced move after one ply; listener: called with the same tuple after each iteration;
        usual_time: seconds that a move takes on average, 0 where every move may take all of time_limit; stopper: what
        ends it before. Raises what a signal handler raised (Ctrl-C) or the listener did, SearchingError and ThreadError.
        """
        # no signal handler runs between these lines, as one could between two lines of Python: whatever is raised,
        # the lock is held by a search or by nobody
        if not self.searching.acquire(False):
            raise SearchingError
        try:
            self.thread = threading.get_ident()
            self.stopper = stopper if stopper is not None else Stop()
            return self.search_alone(
                board_bits, history, time_limit, node_limit, max_depth, lines, forced_at_once, listener, usual_time)
        finally:
            self.stopper = None
            self.listener = None
            self.pending = None
            self.searching.release()

    cdef search_alone(self, tuple board_bits, history, double time_limit, u64 node_limit, int max_depth, int lines,
                      bint forced_at_once, listener, double usual_time):
        """The search, while no other one runs."""
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
            self.workers[i].node_limit = max(<u64>1, node_limit // self.threads) if node_limit > 0 else <u64>1 << 62
            self.workers[i].owner = NULL
        if threading.current_thread() is threading.main_thread():
            worker.hear_signals = hear_signals
            worker.owner = <void*>self
        worker.stop = &self.stopper.flag
        new_generation(&self.table)
        ends = []
        self.helpers_end = 0
        try:
            for i in range(1, self.threads):
                ends.append(self.start_helper(i, board_bits))
            with nogil:
                think(worker, &board, depth, lines, forced_at_once, callback, <void*>self)
        finally:
            worker.stop = &self.helpers_end
            self.helpers_end = 1
            self.join_helpers(ends)
        if self.pending is not None:
            raise self.pending
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

    cdef start_helper(self, int index, tuple board_bits):
        """Start a thread of the search; returns a lock that is held until it ends. Raises ThreadError."""
        end = _thread.allocate_lock()
        end.acquire()
        try:
            # not by threading.Thread, which waits for the thread to begin and may be interrupted there
            _thread.start_new_thread(self.help, (index, board_bits, end))
        except RuntimeError as error:
            raise ThreadError(str(error)) from None
        return end

    def help(self, int index, tuple board_bits, end):
        """Lazy parallel search: the same position with a thread's own ordering, meeting the others in the table, and
        leaving to them the moves that they are at."""
        cdef Board board = board_from_bits(board_bits[0], board_bits[1], board_bits[2], board_bits[3])
        cdef Worker* worker = self.workers[index]
        with nogil:
            think(worker, &board, MAX_PLY, 1, False, NULL, NULL)
        end.release()

    cdef join_helpers(self, list ends):
        """Wait until all helpers have ended; a Ctrl-C meanwhile is kept for the search to raise."""
        for end in ends:
            while True:
                try:
                    end.acquire()
                    break
                except BaseException as error:
                    self.pending = error

    cdef bint report(self):
        """After an iteration: tell the listener; True to stop, where it raises something, which is kept."""
        try:
            self.listener(self.results())
        except BaseException as error:
            self.pending = error
            return True
        return False

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
