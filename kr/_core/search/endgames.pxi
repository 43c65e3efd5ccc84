# Use of an endgame database by the search: exact scores, bounds, and the root moves that keep the root's value.
#
# A win or loss with a known distance has the score of a win searched to its end. Without a distance, it is a bound in a
# range between the static scores and SCORE_DECIDED: a win is worth SCORE_DATABASE_WIN less the plies until the database
# has it, plus a fraction of the static score, so that of two such wins the nearer and easier one is played. A win that
# is searched to its end is worth more.
#
# Draws are exact, with a small score for the side that prefers them: the strong and weak draws of Chinook (Schaeffer,
# Lake, Lu and Bryant 1996). It is a fraction of the static score, so that a position that only seems good is preferred
# to a known draw, and it is bounded, so that no draw hides a real chance.
#
# Once the game itself is within the database, values alone don't lead to a win. Below a drawn root, draws are
# searched as if nothing were known about them; wins and losses still end the search. Below a won or lost root of
# unknown distance, wins and losses with the root's number of pieces are searched, for a conversion to fewer pieces or
# the end of the game. When a draw for lack of progress is near, distances that reach beyond it are useless, and wins
# and losses with the root's number of pieces are searched too. Such searches score positions differently: a salt of the
# key keeps their table entries apart.
#
# A search for a proof asks whether a side wins, or whether it does not lose: draws count as wins of one side, whether the
# database states them or the rules.
#
# A database may have some classes alone of its largest number of pieces. Their positions are looked up at the root,
# after its moves, and where enough plies are left.

cdef enum:
    PROGRESS_SHARE = 4           # divisor of the static score in the score of a win
    PROGRESS_MAX = 100
    DRAW_MAX = 20                # upper bound of a draw's score, either way
    DRAW_HALF = 80               # static score for which a draw gets half of that
    # plies left from which classes beyond the complete pieces are looked up. With all up to 5 pieces and 3v3, of 228
    # problems of 7 to 10 pieces 190 are solved in 1.5 M nodes, 179 without 3v3; with 1, 2 and 6 plies 187, 186 and 188.
    # From 1 ply on the nodes take 1.06 times as long, though these files stay in the cache
    CLASS_DEPTH = 4
    PROBED_DEPTH = 4             # scores from the database are stored in the table with this much more depth
    LATE_PLIES = 64              # without progress before the root: a search reaches the draw by rule

cdef struct Known:
    int bound                    # BOUND_NONE if nothing is known
    int score

cdef struct Endgames:
    # The database of a search, and its values of the root.
    const Egdb* db               # NULL for none
    int pieces                   # positions with this many pieces or fewer are looked up; 0 for none
    int most_pieces              # so are those of classes with this many pieces or fewer, if near the root
    u64 probes
    u64 hits                     # look-ups that ended a line
    int root_value               # VALUE_UNKNOWN if not known
    int root_distance            # plies; -1 if not known
    bint draws_apart             # draws are distinguished: by score, and below a drawn root by search
    bint search_draws            # the root is drawn: draws are searched
    int search_wins              # wins and losses with this many pieces are searched; 0 for none
    int draws_for                # 1 + the side for which draws count as wins; 0: they are draws
    int late                     # so are those with this many whose distance reaches beyond the draw by rule
    u64 salt
    int least_value              # root moves with a lower value are left out
    int root_moves
    Move moves[MAX_MOVES]
    int values[MAX_MOVES]        # of the root moves, for the side to move


cdef inline void use_egdb(Endgames* endgames, const Egdb* db, int most) noexcept nogil:
    """Set the database of searches, NULL for none; most: of the pieces of a position that is looked up."""
    endgames.db = db
    endgames.pieces = min(most, db.pieces) if db != NULL else 0
    endgames.most_pieces = min(most, db.most_pieces) if db != NULL else 0


cdef inline bint within_reach(const Endgames* endgames, const Board* board, int depth) noexcept nogil:
    """True if a position is looked up; depth: plies left."""
    cdef int pieces = popcount(board.pieces[BLACK] | board.pieces[WHITE])
    # all that an ordinary position costs
    if pieces > endgames.most_pieces:
        return False
    return pieces <= endgames.pieces or (depth >= CLASS_DEPTH or endgames.draws_for) and has_board(endgames.db, board)


cdef inline int counted_draw(const Endgames* endgames, int side, int ply) noexcept nogil:
    """Score of a draw for the side to move where draws count as wins of one side."""
    return SCORE_DATABASE_WIN - ply if side == endgames.draws_for - 1 else ply - SCORE_DATABASE_WIN


cdef inline int draw_score(int static_score) noexcept nogil:
    return DRAW_MAX * static_score // (DRAW_HALF + abs(static_score))


cdef inline int progress_score(int static_score) noexcept nogil:
    return max(-PROGRESS_MAX, min(PROGRESS_MAX, static_score // PROGRESS_SHARE))


cdef Known look_up(Endgames* endgames, const Evaluation* evaluation, const Board* board, int ply, int reversible,
                   bint leaf) noexcept nogil:
    """Score or bound of a position within reach of the database, without captures; BOUND_NONE if it is to be searched.

    reversible: plies without progress before it; leaf: the search ends here, so that a score is needed in any case.
    """
    cdef Known known
    cdef int value, distance, static_score, won
    cdef int pieces = popcount(board.pieces[BLACK] | board.pieces[WHITE])
    known.bound = BOUND_NONE
    known.score = 0
    endgames.probes += 1
    value = egdb_value(endgames.db, board)
    if value == VALUE_UNKNOWN:
        return known

    # draws
    if value == VALUE_DRAW:
        if endgames.draws_for:
            known.bound = BOUND_EXACT
            known.score = counted_draw(endgames, board.side, ply)
            return known
        if not endgames.search_draws:
            known.bound = BOUND_EXACT
            known.score = draw_score(evaluate(evaluation, board)) if endgames.draws_apart else 0
        return known

    # wins and losses: by distance
    distance = egdb_distance(endgames.db, board)
    if distance >= 0:
        if pieces == endgames.late and reversible + distance >= NO_PROGRESS_PLIES:
            return known
        known.bound = BOUND_EXACT
        known.score = SCORE_WIN - ply - distance if value == VALUE_WIN else ply + distance - SCORE_WIN
        return known

    # wins and losses in which the root's side has to make progress
    won = SCORE_DATABASE_WIN
    if pieces == endgames.search_wins:
        if not leaf:
            return known
        won = SCORE_KEPT_WIN

    # as a bound; the tables were fitted to games that ended earlier, so that they know little about making progress
    static_score = manual_score(board) if endgames.search_wins else evaluate(evaluation, board)
    if value == VALUE_WIN:
        known.bound = BOUND_LOWER
        known.score = won - ply + progress_score(static_score)
    else:
        known.bound = BOUND_UPPER
        known.score = ply - won + progress_score(static_score)
    return known


cdef void look_up_root(Endgames* endgames, const Board* board, const MoveList* moves, int reversible) noexcept nogil:
    """Before a search: look up the root and its moves, and set which positions below are to be searched."""
    cdef Board child
    cdef int i, value
    cdef int pieces = popcount(board.pieces[BLACK] | board.pieces[WHITE])
    endgames.probes = 0
    endgames.hits = 0
    endgames.root_value = VALUE_UNKNOWN
    endgames.root_distance = -1
    endgames.search_draws = False
    endgames.search_wins = 0
    endgames.late = 0
    endgames.salt = 0
    if endgames.draws_for:
        # the root counts as unknown: its own value answers no question
        endgames.salt = <u64>0x94D049BB133111EB * <u64>endgames.draws_for
        return
    if not within_reach(endgames, board, MAX_PLY):
        return
    endgames.root_moves = moves.size
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        endgames.probes += 1
        value = egdb_value(endgames.db, &child)
        if value == VALUE_UNKNOWN:
            return
        endgames.moves[i] = moves.moves[i]
        endgames.values[i] = VALUE_WIN - value
    endgames.probes += 1
    endgames.root_value = egdb_value(endgames.db, board)
    if endgames.root_value == VALUE_UNKNOWN:
        return
    if endgames.root_value == VALUE_DRAW:
        if endgames.draws_apart:
            endgames.search_draws = True
            endgames.salt = <u64>0xD1B54A32D192ED03
        return
    endgames.root_distance = egdb_distance(endgames.db, board)
    if endgames.root_distance < 0:
        endgames.search_wins = pieces
        endgames.salt = <u64>0x8CB92BA72F3D8DD7 * <u64>pieces
    elif reversible >= LATE_PLIES and reversible + endgames.root_distance >= NO_PROGRESS_PLIES:
        # the root's distance is no longer the depth that the search needs
        endgames.late = pieces
        endgames.root_distance = -1
        endgames.salt = <u64>0xA3B195354A39B70D * <u64>(reversible + 1)


cdef int root_move_value(const Endgames* endgames, Move move) noexcept nogil:
    """Value of a root move in the database, for the side to move."""
    cdef int i
    if endgames.root_value != VALUE_UNKNOWN:
        for i in range(endgames.root_moves):
            if endgames.moves[i] == move:
                return endgames.values[i]
    return VALUE_UNKNOWN


cdef int shown_score(const Endgames* endgames, int score) noexcept nogil:
    """Score of a line as it is reported: below a drawn root, lines are searched by their static scores."""
    return draw_score(score) if endgames.search_draws and abs(score) <= SCORE_STATIC_MAX else score


cdef Move best_known_move(const Egdb* db, const Board* board) noexcept nogil:
    """The move that wins soonest or loses latest; 0 for a draw or if a distance is not known."""
    cdef MoveList moves
    cdef Board child
    cdef Move best = 0
    cdef int least = 1 << 30
    cdef int i, value, distance
    cdef int own_value = egdb_value(db, board)
    if own_value != VALUE_WIN and own_value != VALUE_LOSS:
        return 0
    generate(board, &moves)
    for i in range(moves.size):
        child = played(board, moves.moves[i])
        value = egdb_value(db, &child)
        if value != VALUE_WIN - own_value:
            continue
        distance = egdb_distance(db, &child)
        if distance < 0:
            return 0
        if own_value == VALUE_LOSS:
            distance = -distance
        if distance < least:
            least = distance
            best = moves.moves[i]
    return best
