# Claims under proof, for Python: those of a position, and the decider's.

cdef class ProofTaskOf:
    """A search that brings a question forward: `number` of the question, `position`, `nodes`, and whether it is `of_root`."""
    cdef ProofTask task
    cdef readonly int number
    cdef readonly tuple position
    cdef public u64 nodes
    cdef readonly bint of_root

    def __dealloc__(self):
        free(self.task.line)

    @property
    def length(self):
        """Positions from the root to it."""
        return self.task.length


cdef ProofTaskOf task_of(ProofTask task, int number, const ProofQuestion* question):
    cdef ProofTaskOf made = ProofTaskOf()
    made.task = task
    made.number = number
    made.position = board_bits(task_board(question, &task))
    made.nodes = task.nodes
    made.of_root = task.of_root
    return made


cdef class ClaimQuestion:
    """A claim with its tree; it belongs to a ClaimProver. Not to be shared by threads."""
    cdef ProofQuestion* at
    cdef object keeper
    cdef int number

    @property
    def holds(self):
        """True if the claim is proved, False if it is disproved; None while it is open."""
        cdef int holds = tree_holds(&self.at.tree)
        return None if holds == OPEN else holds == 1

    @property
    def numbers(self):
        """Proof and disproof number."""
        return self.at.tree.nodes[0].proof, self.at.tree.nodes[0].disproof

    @property
    def nodes(self):
        """Nodes of its searches."""
        return self.at.nodes

    @property
    def searches(self):
        """Searches so far."""
        return self.at.searches

    @property
    def size(self):
        """Positions of the tree."""
        return self.at.tree.count

    @property
    def strategy(self):
        """Everything proved so far, closed."""
        return moves_kept(&self.at.tree.strategy, self)

    def note(self):
        """Bring what the choice of a claim knows of it up to date."""
        note(self.at)

    def next_leaf(self):
        """The leaf that is searched next; None if there is none now. It is busy until it has its answer."""
        cdef ProofTask task
        memset(&task, 0, sizeof(ProofTask))
        if not next_leaf(&self.at.tree):
            self.check()
            return None
        if not copy_line(&self.at.tree, &task):
            raise MemoryError("no memory for a line")
        return task_of(task, self.number, self.at)

    def enter(self, ProofTaskOf task not None, int score, move, u64 nodes, ProvedMoves strategy not None, bint cut=False):
        """Take the answer to a task; move: None for none; cut: it was cut short, so that only its strategy counts."""
        cdef LeafAnswer answer
        answer.score, answer.nodes = score, nodes
        answer.move = 0 if move is None else move_from_squares(move)
        answer.strategy = strategy.at[0]
        enter_answer(self.at, &task.task, &answer, cut)
        self.check()

    def learn(self, ProvedMoves strategy not None):
        """Take moves that are proved, closed among themselves and those known already."""
        learn(&self.at.tree, strategy.at, 0)
        self.check()

    def begin_strategy(self):
        """Give a root of which the database has the value its move."""
        if not begin_strategy(&self.at.tree):
            raise MemoryError("no memory for proved moves")

    def resisting_line(self):
        """Moves of the line that the claim has most trouble with, as far as the tree goes."""
        cdef Move moves[MAX_GAME]
        cdef int count = resisting_line(&self.at.tree, moves, MAX_GAME)
        cdef int i
        return [move_squares(moves[i]) for i in range(count)]

    def positions(self):
        """Of each position of the tree itself, the proof and the disproof number, and the searches of it."""
        cdef const ProofNode* node
        cdef int32_t i
        rows = []
        for i in range(self.at.tree.count):
            node = &self.at.tree.nodes[i]
            rows.append((board_bits(&node.board), node.proof, node.disproof, node.level))
        return rows

    cdef check(self):
        if self.at.tree.failed:
            raise MemoryError("no memory for the tree of a proof")


cdef class ClaimProver:
    """The claims that answer a goal about a position, PROVE_VALUE to PROVE_LOSS. Not to be shared by threads.

    Raises MemoryError.
    """
    cdef Prover prover
    cdef EndgameDatabase database

    def __cinit__(self, tuple root not None, int goal, EndgameDatabase database=None):
        cdef Board board = board_of(root)
        self.database = database
        if not open_prover(&self.prover, &board, goal, egdb_of(database)):
            raise MemoryError("no memory for a proof")

    def __dealloc__(self):
        free_prover(&self.prover)

    @property
    def questions(self):
        """The claims with their trees, in the order of `claims_of`."""
        cdef ClaimQuestion question
        cdef int i
        questions = []
        for i in range(self.prover.count):
            question = ClaimQuestion()
            question.at, question.keeper, question.number = &self.prover.questions[i], self, i
            questions.append(question)
        return questions

    def next_task(self):
        """The next search: for the claim that is nearest to its proof, for what it has cost. None for none now."""
        cdef ProofTask task
        cdef int number = next_of_all(&self.prover, &task)
        if number < 0:
            return None
        if self.prover.questions[number].tree.failed:
            free(task.line)
            raise MemoryError("no memory for the tree of a proof")
        return task_of(task, number, &self.prover.questions[number])


# ---- claims decided one after another ----

cdef class DeciderAsker(ProofAsker):
    """Searches for a ClaimDecider; refuse: called with a claim's side and goal, its root, and the fault of its strategy."""
    cdef object refuse
    cdef object enough

    def __init__(self, ask, clear, refuse):
        ProofAsker.__init__(self, ask, clear)
        self.refuse = refuse


cdef bint tell_fault(void* owner, const Claim* claim, const Certified* certified) noexcept with gil:
    try:
        (<DeciderAsker>owner).refuse(board_bits(&claim.root), claim.side, claim.goal, certified_columns(certified))
        return True
    except BaseException as error:
        (<DeciderAsker>owner).pending = error
        return False


cdef bint is_enough(void* owner) noexcept with gil:
    try:
        return bool((<DeciderAsker>owner).enough())
    except BaseException as error:
        (<DeciderAsker>owner).pending = error
        return True


cdef class DeciderOfClaims:
    """Decides claims within limits that all of them share. Not to be shared by threads, but for its numbers.

    seconds, nodes: limits, None for none; memory: bytes that trees and strategies may hold, 0 for any number. Raises
    MemoryError.
    """
    cdef ClaimDecider* decider
    cdef DeciderAsker asker
    cdef EndgameDatabase database
    cdef Stop stop
    cdef double began

    def __cinit__(self, DeciderAsker asker not None, EndgameDatabase database=None, time=None, nodes=None,
                  Stop stop=None, int64_t memory=0):
        cdef ProofWork work
        self.asker, self.database, self.stop = asker, database, stop
        work_with(&work, asker, database, stop)
        self.began = seconds()
        if time is not None:
            work.deadline = self.began + <double>time
        if nodes is not None:
            work.node_limit = nodes
        work.memory = memory
        self.decider = open_decider(&work)
        if self.decider == NULL:
            raise MemoryError("no memory for a decider")
        self.decider.tell_refused = tell_fault

    def __dealloc__(self):
        close_decider(self.decider)

    @property
    def nodes(self):
        """Nodes of all searches so far."""
        return self.decider.work.nodes

    @property
    def seconds(self):
        """Seconds since it was made."""
        return seconds() - self.began

    @property
    def left(self):
        """Seconds until its time is over; None without a limit."""
        return None if self.decider.work.deadline >= 1e300 else max(0.0, self.decider.work.deadline - seconds())

    @property
    def held(self):
        """Bytes that are held, about: counted, not measured, so that the same work has the same number anywhere."""
        return self.decider.work.held

    @property
    def full(self):
        """True once the limit of memory is reached."""
        return bool(is_full(&self.decider.work))

    @property
    def over(self):
        """True once a limit is reached or the work was stopped."""
        return bool(is_over(&self.decider.work))

    def hold(self, int64_t size):
        """Count bytes that are held elsewhere for the same work."""
        hold(self.decider, size)

    def learn(self, int side, int goal, ProvedMoves moves not None):
        """Take moves of a side that others have proved to win, or not to lose; no certificate goes without its check."""
        cdef Claim claim
        claim.side, claim.goal = side, goal
        if not add_rows(proved_for(self.decider, &claim), moves.at, 0):
            raise MemoryError("no memory for proved moves")

    def decision(self, tuple root not None, int side, int goal):
        """Whether a claim holds, what proves it, and the positions of its certificate; None if it is open."""
        cdef Claim claim = claim_from(root, side, goal)
        cdef Decision decision = decision_of(self.decider, &claim)
        return None if decision.holds == OPEN else (decision.holds == 1, decision.by, decision.positions)

    def decide(self, list claims not None, enough=None):
        """Work on claims, each a root, a side and a goal, in turn, until all are decided or the limits are reached.

        enough: ends the work before that. Releases the GIL. Raises what a search or `enough` raised, and MemoryError.
        """
        cdef int count = len(claims)
        cdef Claim* list_of = <Claim*>malloc(count * sizeof(Claim) + 1)
        cdef Enough callback = NULL
        cdef int i
        if list_of == NULL:
            raise MemoryError("no memory for claims")
        try:
            for i, (root, side, goal) in enumerate(claims):
                list_of[i] = claim_from(root, side, goal)
            if enough is not None:
                self.asker.enough = enough
                callback = is_enough
            with nogil:
                decide(self.decider, list_of, count, callback, <void*>self.asker)
        finally:
            free(list_of)
            self.asker.enough = None
        self.check()

    def proving_move(self, tuple root not None, int side, int goal):
        """A move of the claim's side at the root that proves a claim, if one is at hand; else None."""
        cdef Claim claim = claim_from(root, side, goal)
        cdef Move move = proving_move(self.decider, &claim)
        return None if move == 0 else move_squares(move)

    def certificate(self, tuple root not None, int side, int goal):
        """The columns of the certificate of a claim that is known to be true, or its fault. Releases the GIL."""
        cdef Claim claim = claim_from(root, side, goal)
        cdef Certified certified
        with nogil:
            certify_claim(self.decider, &claim, &certified)
        try:
            return certified_columns(&certified)
        finally:
            free_certified(&certified)

    cdef check(self):
        cdef int error = self.decider.work.error
        # the next work may succeed
        self.decider.work.error = 0
        self.asker.raise_pending()
        if error:
            raise MemoryError("no memory for a proof")
