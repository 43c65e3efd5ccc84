# Proofs for Python. A claim is given as the root (black, white, kings, side), its side and its goal, VALUE_WIN or
# VALUE_DRAW; a position of a strategy as (black, white, kings), and a move as (origin, target, captured).

cdef Claim claim_from(tuple root, int side, int goal):
    cdef Board board = board_of(root)
    return claim_of(&board, side, goal)


cdef Move move_from_squares(squares) except? 0:
    cdef int origin, target
    cdef u32 captured
    origin, target, captured = squares
    if not (0 <= origin < 32 and 0 <= target < 32):
        raise ValueError(f"squares {origin} and {target}; expected 0 to 31")
    return make_move(padded_square(origin), padded_square(target), pad32(captured))


cdef tuple plain_board(const ProvedMove* row):
    return row.black, row.white, row.kings


cdef tuple board_bits(const Board* board):
    return unpad(board.pieces[BLACK]), unpad(board.pieces[WHITE]), unpad(board.kings), board.side


cdef const Egdb* egdb_of(EndgameDatabase database):
    return NULL if database is None else &database.db


cdef list strategy_items(const Strategy* strategy, int32_t first):
    cdef int32_t i
    return [(plain_board(&strategy.rows[i]), move_squares(strategy.rows[i].move)) for i in range(first, strategy.count)]


cdef class ProvedMoves:
    """Moves that are proved, by position, in the order in which they were found. Moves may be added, not changed.

    items: positions and moves to begin with. Raises ValueError or OverflowError for numbers that are none of these.
    """
    cdef Strategy own
    cdef Strategy* at           # its own, or that of the keeper
    cdef object keeper

    def __cinit__(self, items=()):
        self.at = &self.own
        self.update(items)

    def __dealloc__(self):
        free_strategy(&self.own)

    def update(self, items):
        """Add those whose positions are not there."""
        cdef ProvedMove row
        for board, move in items:
            row.black, row.white, row.kings = board
            row.move = move_from_squares(move)
            if not add_row(self.at, &row):
                raise MemoryError("no memory for proved moves")

    def __len__(self):
        return self.at.count

    def __contains__(self, board):
        return plain_row(self.at, board[0], board[1], board[2]) >= 0

    def __iter__(self):
        return iter(self.keys())

    def __getitem__(self, board):
        cdef int32_t row = plain_row(self.at, board[0], board[1], board[2])
        if row < 0:
            raise KeyError(board)
        return move_squares(self.at.rows[row].move)

    def keys(self):
        """The positions."""
        return [board for board, _ in self.items()]

    def items(self, most=None):
        """Positions with their moves; most: the latest of them alone."""
        return strategy_items(self.at, 0 if most is None else max(0, self.at.count - <int32_t>most))


cdef ProvedMoves moves_kept(Strategy* strategy, object keeper):
    """A view of the strategy of an object, which it keeps."""
    cdef ProvedMoves moves = ProvedMoves()
    moves.at = strategy
    moves.keeper = keeper
    return moves


def settled_claim(tuple root not None, int side, int goal, tuple position not None, EndgameDatabase database=None):
    """True if a claim holds for a position by the rules or the database, False if it does not; None if that is open."""
    cdef Claim claim = claim_from(root, side, goal)
    cdef Board board = board_of(position)
    cdef int verdict = settled(&claim, &board, egdb_of(database))
    return None if verdict == OPEN else verdict == 1


def proof_numbers(int goal, int score):
    """Proof and disproof number of an open leaf with this score for the claim's side."""
    cdef Claim claim
    cdef double proof, disproof
    claim.goal = goal
    leaf_numbers(&claim, score, &proof, &disproof)
    return proof, disproof


def claims_of(int goal, tuple root not None):
    """Sides and goals of the claims that answer a goal, PROVE_VALUE to PROVE_LOSS, about a position."""
    cdef Board board = board_of(root)
    cdef Claim claims[MOST_CLAIMS]
    cdef int count = claims_for(&board, goal, claims)
    return [(claims[i].side, claims[i].goal) for i in range(count)]


def value_bounds(int goal, tuple root not None, list proved not None):
    """Least and most value for the side to move, and whether that answers a goal; proved: sides and goals of claims."""
    cdef Claim claims[MOST_CLAIMS]
    cdef int holds[MOST_CLAIMS]
    cdef ProvedBounds bounds
    cdef int count = 0
    for side, of in proved[:MOST_CLAIMS]:
        claims[count] = claim_from(root, side, of)
        holds[count] = 1
        count += 1
    bounds = bounds_of(goal, claims, holds, count)
    return bounds.least, bounds.most, bool(bounds.answered)


# ---- searches ----

cdef class ProofAsker:
    """Searches for proofs by an engine.

    ask: called with the position, those before it, a limit of nodes and the side for which draws count as wins; returns
    score, moves and nodes. clear: makes the engine forget everything.
    """
    cdef object ask
    cdef object clear
    cdef object pending         # exception of either, to raise once the work has unwound

    def __init__(self, ask, clear):
        self.ask, self.clear = ask, clear

    cdef bint take(self, const Board* positions, int count, u64 nodes, int draws_for, Searched* searched) except False:
        cdef int i = 0
        history = [board_bits(&positions[j]) for j in range(max(0, count - MAX_GAME), count - 1)]
        score, moves, used = self.ask(board_bits(&positions[count - 1]), history, nodes,
                                      None if draws_for == 0 else draws_for - 1)
        searched.score, searched.nodes = score, used
        for move in moves[:MAX_WHOLE_LINE]:
            searched.moves[i] = move_from_squares(move)
            i += 1
        searched.length = i
        if i == 0:
            raise ValueError("a search without a move")
        return True

    cdef raise_pending(self):
        """Raise what a search raised."""
        pending, self.pending = self.pending, None
        if pending is not None:
            raise pending


cdef bint ask_asker(void* owner, const Board* positions, int count, u64 nodes, int draws_for,
                    Searched* searched) noexcept with gil:
    try:
        return (<ProofAsker>owner).take(positions, count, nodes, draws_for, searched)
    except BaseException as error:
        (<ProofAsker>owner).pending = error
        return False


cdef bint clear_asker(void* owner) noexcept with gil:
    try:
        (<ProofAsker>owner).clear()
        return True
    except BaseException as error:
        (<ProofAsker>owner).pending = error
        return False


cdef void work_with(ProofWork* work, ProofAsker asker, EndgameDatabase database, Stop stop):
    """Set a work without limits; the caller keeps references to all."""
    memset(work, 0, sizeof(ProofWork))
    work.search = ask_asker
    work.clear = clear_asker
    work.owner = <void*>asker
    work.db = egdb_of(database)
    work.stop = &stop.flag if stop is not None else NULL
    work.deadline = 1e300
    work.node_limit = NO_NODE_LIMIT


def ask_leaf(ProofAsker asker not None, tuple leaf not None, int side, int goal, u64 nodes, ProvedMoves proofs not None,
             EndgameDatabase database=None, Stop stop=None):
    """Search a leaf of a claim, the claim's side to move, and make the strategy if it is proved.

    proofs: moves proved before, closed; the new ones are added to it. Returns score, best move, nodes, and the strategy
    as positions and moves. Releases the GIL. Raises what the asker raised, and MemoryError.
    """
    cdef Claim claim = claim_from(leaf, side, goal)
    cdef ProofWork work
    cdef LeafAnswer answer
    work_with(&work, asker, database, stop)
    with nogil:
        answer_leaf(&work, &claim, &claim.root, nodes, proofs.at, &answer)
    try:
        asker.raise_pending()
        if work.error:
            raise MemoryError("no memory for a strategy")
        return answer.score, move_squares(answer.move), answer.nodes, strategy_items(&answer.strategy, 0)
    finally:
        free_strategy(&answer.strategy)


# ---- certificates ----

cdef object certified_columns(const Certified* certified):
    """Columns of a certificate as bytes: boards, numbers of moves, ranks. Or (fault, position, move there, value, positions
    that lead back to the first)."""
    cdef int32_t i
    if certified.fault == FAULT_NO_MEMORY:
        raise MemoryError("no memory for a certificate")
    if certified.fault:
        circle = [plain_board(&certified.walked.rows[certified.circle.items[i]]) for i in range(certified.circle.count)]
        return (certified.fault, board_bits(&certified.board), move_squares(certified.move), certified.value, circle)
    return ((<char*>certified.boards)[:12 * certified.count], (<char*>certified.moves)[:certified.count],
            (<char*>certified.ranks)[:2 * certified.count])


def certify_moves(tuple root not None, int side, int goal, ProvedMoves strategy not None,
                  EndgameDatabase database=None):
    """The columns of the certificate of a strategy, or its fault. Releases the GIL."""
    cdef Claim claim = claim_from(root, side, goal)
    cdef Certified certified
    cdef const Egdb* db = egdb_of(database)
    with nogil:
        certify_strategy(&claim, strategy.at, db, &certified)
    try:
        return certified_columns(&certified)
    finally:
        free_certified(&certified)
