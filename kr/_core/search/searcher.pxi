# The search for Python: a class that owns a table and one worker for each thread.

import _thread
import threading

from cpython.exc cimport PyErr_CheckSignals

cdef class Searcher
cdef class SearchRequest


class SearchingError(RuntimeError):
    """The searcher is at a search already."""


class ThreadError(RuntimeError):
    """A thread of the search can't be started."""


cdef class Stop:
    """Stops the searches whose requests have it: a running one at once, a later one as soon as it has a move.

    It never affects other searches of the same searcher.
    """
    cdef int flag
    cdef list searches          # requests under way that have this stop

    def __cinit__(self):
        self.searches = []

    def set(self):
        """Stop the searches; may be called from any thread and from a signal handler."""
        cdef SearchRequest request
        store_flag(&self.flag, 1)
        for request in tuple(self.searches):
            store_flag(&request.ended, 1)

    def is_set(self):
        """True once `set` was called."""
        return load_flag(&self.flag) != 0

    cdef follow(self, SearchRequest request):
        """Stop this search too: now if it is set already, else when it will be."""
        self.searches.append(request)
        if load_flag(&self.flag):
            store_flag(&request.ended, 1)

    cdef leave(self, SearchRequest request):
        self.searches.remove(request)


cdef class SearchRequest:
    """Position and limits of one search.

    root: black, white, kings, side; history: those of each position before it, oldest first. Limits, None for no
    limit: time in seconds; nodes; depth; usual_time, the seconds that a move takes on average, so that only a difficult
    one takes all of `time`. lines: principal variations wanted; forced_at_once: return a forced move after one ply;
    listener: called with a SearchReply after each iteration; stop: stops the search; draws_for: the side for which draws
    count as wins, None: they are draws; within: centi-men, instead of `lines` all moves get one that score no less than
    the best by more than that, None: only `lines`.
    """
    cdef tuple root
    cdef list history
    cdef double time
    cdef u64 nodes
    cdef int depth
    cdef double usual_time
    cdef int lines
    cdef bint forced_at_once
    cdef object listener
    cdef Stop stop
    cdef int draws_for          # 1 + side; 0 for none
    cdef int within             # 1 + centi-men; 0 for none
    cdef int ended              # set by its stop, or by Searcher.stop for this search alone

    def __init__(self, tuple root not None, list history not None, *, time=None, nodes=None, depth=None,
                 usual_time=None, int lines=1, bint forced_at_once=False, listener=None, Stop stop=None,
                 draws_for=None, within=None):
        self.root = root
        self.history = history
        self.time = 0 if time is None else time
        self.nodes = 0 if nodes is None else nodes
        self.depth = MAX_PLY if depth is None else depth
        self.usual_time = 0 if usual_time is None else usual_time
        self.lines = lines
        self.forced_at_once = forced_at_once
        self.listener = listener
        self.stop = stop
        self.draws_for = 0 if draws_for is None else 1 + <int>draws_for
        self.within = 0 if within is None else 1 + <int>within
        self.ended = 0


cdef class SearchReply:
    """Result of a search, or of an iteration.

    lines: score and moves of each line, a move being (origin, target, captured); value: of the root in the database,
    VALUE_UNKNOWN if it is not known.
    """
    cdef readonly list lines
    cdef readonly int depth
    cdef readonly u64 nodes
    cdef readonly double seconds
    cdef readonly u64 probes
    cdef readonly u64 hits
    cdef readonly int value


cdef bint hear_signals(void* owner) noexcept with gil:
    """Run signal handlers; an exception of theirs (Ctrl-C) is kept for the search to raise once it has unwound."""
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
    """Searches one position at a time, with a transposition table that it keeps.

    Raises MemoryError if the table does not fit, ValueError for invalid options (see SEARCH_OPTIONS).
    """
    cdef Table table
    cdef Busy busy
    cdef u64 line_keys[LINE_SLOTS]
    cdef Worker** workers
    cdef int threads
    cdef SearchRequest request  # of the running search; None between searches
    cdef int helpers_end
    cdef object searching       # lock, held during a search and during changes of its state
    cdef object thread          # the searching thread
    cdef object pending         # exception to raise after the search
    cdef double started
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
            self.workers[i].line_keys = self.line_keys
            self.workers[i].helps = i > 0
            use_database(&self.workers[i].endgames, database)
            self.workers[i].stop = &self.helpers_end
        self.set_options(options or {})

    def __dealloc__(self):
        cdef int i
        if self.workers != NULL:
            for i in range(self.threads):
                free(self.workers[i])
        free(self.workers)
        free_pages(self.table.entries)

    def clear(self):
        """Forget everything, for a new game. Waits for the end of a search in another thread."""
        cdef int i
        self.refuse_own_search()
        with self.searching:
            clear_table(&self.table)
            for i in range(self.threads):
                memset(&self.workers[i].ordering, 0, sizeof(Ordering))

    def set_options(self, dict options):
        """Use these options from now on, with defaults for the others. Waits as `clear` does."""
        cdef SearchOptions own_options = search_options(options)
        cdef int i
        self.refuse_own_search()
        with self.searching:
            for i in range(self.threads):
                self.workers[i].options = own_options

    def stop(self):
        """Stop the running search, if there is one; may be called from any thread."""
        cdef SearchRequest request = self.request
        if request is not None:
            store_flag(&request.ended, 1)

    cdef refuse_own_search(self):
        """Raise SearchingError in a call from a listener, which can't wait for the end of its own search."""
        if self.request is not None and self.thread == threading.get_ident():
            raise SearchingError

    # Compiled code, unlike Python code, runs no signal handlers between its lines: after any exception the lock is held
    # only while there is a search.

    def search(self, SearchRequest request not None):
        """Search, and return the SearchReply.

        Raises SearchingError, ThreadError, and any exception of a signal handler (Ctrl-C) or of the listener.
        """
        self.claim(request)
        try:
            return self.search_alone(request)
        finally:
            self.release()

    def start(self, SearchRequest request not None, on_end):
        """Search in a thread of its own. Raises SearchingError and ThreadError.

        on_end: called there with the SearchReply, or with an exception, once the searcher is ready for the next search.
        """
        self.claim(request)
        try:
            _thread.start_new_thread(self.search_apart, (request, on_end))
        except RuntimeError as error:
            self.release()
            raise ThreadError(str(error)) from None
        except BaseException:
            self.release()
            raise

    def forget_search(self):
        """Be ready for the next search in a forked process, which doesn't have the threads of the running one."""
        if self.request is not None:
            memset(&self.busy, 0, sizeof(Busy))
            self.release()

    def search_apart(self, SearchRequest request, on_end):
        """Body of the thread of a search that was started."""
        try:
            outcome = self.search_alone(request)
        except BaseException as error:
            outcome = error
        self.release()
        on_end(outcome)

    def progress(self, SearchRequest request not None):
        """Depth in work, nodes and seconds so far of a running search, from any thread; None if it isn't running."""
        cdef u64 nodes = 0
        cdef int i
        if self.request is not request:
            return None
        # read while the threads count: a number may be a moment old
        for i in range(self.threads):
            nodes += load_count(&self.workers[i].nodes)
        return load_int(&self.workers[0].root_depth), nodes, seconds() - self.started

    cdef claim(self, SearchRequest request):
        cdef int i
        if not self.searching.acquire(False):
            raise SearchingError
        # those of the search before are not its progress
        for i in range(self.threads):
            store_count(&self.workers[i].nodes, 0)
        store_int(&self.workers[0].root_depth, 0)
        self.started = seconds()
        self.request = request
        self.thread = None

    cdef release(self):
        self.request = None
        self.pending = None
        self.searching.release()

    cdef search_alone(self, SearchRequest request):
        """Search; the caller has claimed the searcher."""
        cdef Board board = board_of(request.root)
        cdef Worker* worker = self.workers[0]
        cdef double start = seconds()
        cdef double time_limit = request.time
        cdef double usual_time = request.usual_time
        cdef IterationCallback callback = NULL
        cdef Board positions[MAX_GAME]
        cdef int count = 0
        cdef int i
        if request.listener is not None:
            callback = report_iteration
        self.thread = threading.get_ident()
        self.pending = None
        self.root = board
        self.started = start
        if not worker.options.unrest:
            time_limit = usual_time if usual_time > 0 else time_limit
            usual_time = 0
        worker.usual_time = usual_time
        store_double(&worker.start, start)
        for each in [*request.history, request.root][-MAX_GAME:]:
            positions[count] = board_of(each)
            count += 1
        for i in range(self.threads):
            set_history(self.workers[i], positions, count)
            self.workers[i].deadline = start + time_limit if time_limit > 0 else 1e300
            self.workers[i].node_limit = max(<u64>1, request.nodes // self.threads) if request.nodes > 0 else <u64>1 << 62
            self.workers[i].owner = NULL
            self.workers[i].endgames.draws_for = request.draws_for
            # helpers lead one line and store what the others' windows need
            self.workers[i].within = request.within if i == 0 else 0
        if self.thread == threading.main_thread().ident:
            worker.hear_signals = hear_signals
            worker.owner = <void*>self
        worker.stop = &request.ended
        new_generation(&self.table)
        ends = []
        store_flag(&self.helpers_end, 0)
        try:
            if request.stop is not None:
                request.stop.follow(request)
            for i in range(1, self.threads):
                ends.append(self.start_helper(i, request.root))
            with nogil:
                think(worker, &board, request.depth, request.lines, request.forced_at_once, callback, <void*>self)
        finally:
            worker.stop = &self.helpers_end
            store_flag(&self.helpers_end, 1)
            if request.stop is not None:
                request.stop.leave(request)
            self.join_helpers(ends)
        if self.pending is not None:
            raise self.pending
        return self.reply()

    cdef start_helper(self, int index, tuple root):
        """Start a helper thread; returns a lock that is held until it ends. Raises ThreadError."""
        end = _thread.allocate_lock()
        end.acquire()
        try:
            # threading.Thread would wait for the thread to begin, and could be interrupted there
            _thread.start_new_thread(self.help, (index, root, end))
        except RuntimeError as error:
            raise ThreadError(str(error)) from None
        return end

    def help(self, int index, tuple root, end):
        """Body of a helper thread: searches the same position with an ordering of its own, sharing the table and the
        moves (sharing.pxi) with the other threads."""
        cdef Board board = board_of(root)
        cdef Worker* worker = self.workers[index]
        with nogil:
            think(worker, &board, MAX_PLY, 1, False, NULL, NULL)
        end.release()

    cdef join_helpers(self, list ends):
        """Wait until all helpers have ended; a Ctrl-C in the meantime is kept for the search to raise."""
        for end in ends:
            while True:
                try:
                    end.acquire()
                    break
                except BaseException as error:
                    self.pending = error

    cdef bint report(self):
        """Call the listener after an iteration; an exception of it is kept, and True returned to stop the search."""
        try:
            self.request.listener(self.reply())
        except BaseException as error:
            self.pending = error
            return True
        return False

    cdef SearchReply reply(self):
        cdef Worker* worker = self.workers[0]
        cdef SearchReply reply = SearchReply()
        cdef int i
        for i in range(self.threads):
            reply.nodes += load_count(&self.workers[i].nodes)
            reply.probes += self.workers[i].endgames.probes
            reply.hits += self.workers[i].endgames.hits
        reply.lines = [(shown_score(&worker.endgames, worker.lines[i].score), self.line_moves(&worker.lines[i]))
                       for i in range(worker.line_count)]
        reply.depth = worker.depth
        reply.seconds = seconds() - self.started
        reply.value = worker.endgames.root_value
        return reply

    cdef list line_moves(self, const Line* line):
        """Moves of a line, to the end if it is known."""
        cdef Move moves[MAX_WHOLE_LINE]
        cdef int count = whole_line(line, &self.root, &self.database.db if self.database is not None else NULL, moves,
                                    MAX_WHOLE_LINE)
        cdef int i
        return [move_squares(moves[i]) for i in range(count)]


cdef Board board_of(tuple bits):
    return board_from_bits(bits[0], bits[1], bits[2], bits[3])


cdef tuple move_squares(Move move):
    return move_from(move), move_to(move), unpad(move_captured(move))


cdef void use_database(Endgames* endgames, EndgameDatabase database):
    """Set the database of a search, None for none; the caller keeps a reference to it."""
    use_egdb(endgames, &database.db if database is not None else NULL, EGDB_MAX_PIECES)


def only_kings_moved(tuple before, tuple after):
    """True if a king's quiet move leads from one position to the next; positions are (black, white, kings, side)."""
    cdef Board first = board_of(before)
    cdef Board second = board_of(after)
    return only_a_king_moved(&first, &second)
