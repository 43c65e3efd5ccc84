# The hand-built evaluation: what players of the game look at, each with a weight for the opening and one for the
# ending. Every term counts for one side, from its own view; the score is the mover's sum minus the opponent's.

cdef extern from "_core/evaluation/manual.h":
    const u64 SQUARE_1, SQUARE_2, SQUARE_3, SQUARE_4, SQUARE_13, SQUARE_20
    const u64 SQUARE_21, SQUARE_24, SQUARE_28, SQUARE_30, SQUARE_32
    const u64 ROW_6, ROW_7, EVEN_ROWS, ROWS_3_4_7_8, ROWS_5_TO_8, LEFT_HALF, RIGHT_HALF
    const u64 CENTRE_SQUARES, INNER_SQUARES, SIDE_SQUARES, RIM, DOUBLE_CORNERS
    const u64 BRIDGE_MEN, OREO_MEN, CORNER_MEN, HELD_AT_13
    const u64 LEFT_LOCK, LEFT_LOCKED, RIGHT_LOCK, RIGHT_LOCKED, STRONG_CORNER, BEFORE_STRONG_CORNER

cdef enum:
    ENDING = 65536      # opening and ending weights travel in one number: opening + ENDING * ending

cdef enum:              # centi-men with 24 pieces on the board, and where the line between would end with none
    MAN = 130 + 50 * ENDING
    KING = 130 + 85 * ENDING
    TRADE_AHEAD = 14 + 13 * ENDING
    ONLY_KING = 0 + 16 * ENDING
    TURN = 3 + 1 * ENDING
    THE_MOVE = -3 + 4 * ENDING
    HOME_1 = 2 + 5 * ENDING
    HOME_2 = 3 + 20 * ENDING
    HOME_3 = 0 + 8 * ENDING
    HOME_4 = -12 - 3 * ENDING
    BRIDGE = -5 + 36 * ENDING
    OREO = 0 + 27 * ENDING
    IDLE_CORNER = -6 + 12 * ENDING
    CENTRE = 14 + 0 * ENDING
    INNER = 6 + 2 * ENDING
    SIDE = 2 + 2 * ENDING
    TEMPO = -13 + 7 * ENDING
    SIXTH_ROW = 8 + 3 * ENDING
    SEVENTH_ROW = 6 - 2 * ENDING
    BALANCE = -3 - 2 * ENDING
    UNGROUNDED = -5 - 6 * ENDING
    OPEN_BACK = -5 + 8 * ENDING
    SAFE_MOVE = 4 + 3 * ENDING
    HELD_MAN = -1 - 5 * ENDING
    STUCK_MAN = 2 - 5 * ENDING
    CRAMPED = -24 - 6 * ENDING
    LOCK = 10 + 60 * ENDING
    HOLD = 17 + 13 * ENDING
    FOILED_CORNER = 10 + 20 * ENDING
    DOG_HOLE = -8 - 15 * ENDING
    RUNAWAY = 110 - 20 * ENDING
    RUNAWAY_STEP = -30 + 8 * ENDING
    FIRST_CROWN = 10 + 0 * ENDING
    KING_CENTRE = 8 + 1 * ENDING
    KING_RIM = 6 - 6 * ENDING
    KING_MOVE = 10 - 2 * ENDING
    CORNERED_KING = -8 - 4 * ENDING
    TRAPPED_KING = -35 - 5 * ENDING
    REFUGE = 0 + 30 * ENDING
    TAILHOOK = 0 + 20 * ENDING
    KING_ATTACK = 20 + 1 * ENDING

cdef struct Camp:
    # The board from one side's view: its men move up the numbers, 1-4 is its home row.
    u64 men
    u64 kings
    u64 own
    u64 foe_men
    u64 foe_kings
    u64 foes
    u64 empty


cdef inline Camp camp_from(u64 own, u64 foes, u64 kings) noexcept nogil:
    cdef Camp camp
    camp.own = own
    camp.foes = foes
    camp.men = own & ~kings
    camp.kings = own & kings
    camp.foe_men = foes & ~kings
    camp.foe_kings = foes & kings
    camp.empty = SQUARES & ~(own | foes)
    return camp


cdef inline u64 ahead(u64 squares) noexcept nogil:
    return squares << 4 | squares << 5


cdef inline u64 behind(u64 squares) noexcept nogil:
    return squares >> 4 | squares >> 5


cdef inline u64 beside(u64 squares) noexcept nogil:
    """One king's step away."""
    return ahead(squares) | behind(squares)


cdef inline bint holds(u64 pieces, u64 formation) noexcept nogil:
    return pieces & formation == formation


cdef inline int material(const Camp* camp) noexcept nogil:
    """Men and kings. A lead weighs more the fewer pieces are left, so that the side ahead trades down; and a king is
    worth most while the other side has none to oppose it."""
    cdef int own = popcount(camp.own)
    cdef int foes = popcount(camp.foes)
    cdef int score = MAN * popcount(camp.men) + KING * popcount(camp.kings)
    if own > foes:
        score += TRADE_AHEAD * ((own - foes) * FULL_BOARD // (own + foes))
    if camp.kings and not camp.foe_kings:
        score += ONLY_KING
    return score


cdef inline int back_rank(const Camp* camp) noexcept nogil:
    """Men at home keep the opponent from crowning. Two can do it alone: the bridge on 1 and 3; with the triangle
    2, 3, 7 ("oreo") it takes a sacrifice to break through."""
    cdef int score = 0
    if camp.men & SQUARE_1:
        score += HOME_1
    if camp.men & SQUARE_2:
        score += HOME_2
    if camp.men & SQUARE_3:
        score += HOME_3
    if camp.men & SQUARE_4:
        score += HOME_4
    if holds(camp.men, BRIDGE_MEN):
        score += BRIDGE
    if holds(camp.men, OREO_MEN):
        score += OREO
    return score


cdef inline int placement(const Camp* camp) noexcept nogil:
    """Where the men stand: the centre commands both wings, a man on the side is safe but has one way only, and the two
    in the single corner have to come into play before the ending. Tempo, the sum of the rows gained, is a burden while
    the board is full (the moves run out first) and a gain when there is a way to the king row."""
    cdef u64 men = camp.men
    cdef int score = CENTRE * popcount(men & CENTRE_SQUARES)
    score += INNER * popcount(men & INNER_SQUARES)
    score += SIDE * popcount(men & SIDE_SQUARES)
    score += TEMPO * (popcount(men & EVEN_ROWS) + 2 * popcount(men & ROWS_3_4_7_8) + 4 * popcount(men & ROWS_5_TO_8))
    score += SIXTH_ROW * popcount(men & ROW_6)
    score += SEVENTH_ROW * popcount(men & ROW_7)
    if holds(men, CORNER_MEN):
        score += IDLE_CORNER
    return score


cdef inline int structure(const Camp* camp) noexcept nogil:
    """Cohesion of the men: equal numbers on both wings; a chain that begins at the rim can't be jumped from the
    front; a man with an empty square behind it can."""
    cdef u64 men = camp.men
    cdef u64 grounded = men & RIM
    cdef int score = BALANCE * abs(popcount(men & LEFT_HALF) - popcount(men & RIGHT_HALF))
    grounded |= ahead(grounded) & men
    grounded |= ahead(grounded) & men
    grounded |= ahead(grounded) & men
    grounded |= ahead(grounded) & men
    score += UNGROUNDED * popcount(men & ~grounded)
    score += OPEN_BACK * popcount(men & ~RIM & ahead(camp.empty))
    return score


cdef inline int mobility(const Camp* camp) noexcept nogil:
    """The men's moves that lose nothing at once. A man that has only losing moves is held, one that has none behind
    an opponent's is stuck, and a side without safe moves has to give something up."""
    cdef u64 men = camp.men
    # a foe beyond the target can jump back over it: along the line of the move always, else if a square is empty
    cdef u64 safe_left = men << 4 & camp.empty & ~(
        camp.foes >> 4 | camp.foes >> 5 & camp.empty << 5 | camp.foe_kings << 5 & camp.empty >> 5)
    cdef u64 safe_right = men << 5 & camp.empty & ~(
        camp.foes >> 5 | camp.foes >> 4 & camp.empty << 4 | camp.foe_kings << 4 & camp.empty >> 4)
    cdef u64 movable = men & behind(camp.empty)
    cdef int moves = popcount(safe_left) + popcount(safe_right)
    cdef int score = SAFE_MOVE * moves
    score += HELD_MAN * popcount(movable & ~(safe_left >> 4 | safe_right >> 5))
    score += STUCK_MAN * popcount(men & ~movable & behind(camp.foes))
    if moves < 2 and not camp.kings:
        score += CRAMPED * (2 - moves)
    return score


cdef inline int locks(const Camp* camp) noexcept nogil:
    """Men that hold more than their own number: three at the side that lock four, left or right; one on 20 or 13 that
    cramps what stands before it; and the strong double corner, where two men on 1 and 2 stop three."""
    cdef u64 men = camp.men
    cdef u64 foes = camp.foe_men
    cdef int score = 0
    if holds(men, LEFT_LOCK) and holds(foes, LEFT_LOCKED):
        score += LOCK
    if holds(men, RIGHT_LOCK) and holds(foes, RIGHT_LOCKED):
        score += LOCK
    if men & SQUARE_20 and foes & SQUARE_24:
        score += HOLD
    if men & SQUARE_13 and holds(foes, HELD_AT_13):
        score += HOLD
    if holds(men, STRONG_CORNER) and popcount(foes & BEFORE_STRONG_CORNER) > 2:
        score += FOILED_CORNER
    return score


cdef inline int dog_holes(const Camp* camp) noexcept nogil:
    """A man that ran into a hole at the far side, with an opponent's man before its only way out: on 28 behind 32,
    on 21 behind 30."""
    cdef int score = 0
    if camp.men & SQUARE_28 and camp.foe_men & SQUARE_32:
        score += DOG_HOLE
    if camp.men & SQUARE_21 and camp.foe_men & SQUARE_30:
        score += DOG_HOLE
    return score


cdef inline int crown_moves(const Camp* camp, bint to_move) noexcept nogil:
    """The moves that the first runaway needs to its crown; 0 if there is none. A runaway is a man with a path that no
    opponent can reach in time, even if all of them moved at once: they would have to stand on the path or, off the
    rim, beside it."""
    cdef u64 front = camp.men
    cdef u64 reach = camp.foes
    cdef u64 kings = camp.foe_kings
    cdef u64 reached
    cdef int moves = 0
    if not to_move:
        reach |= behind(reach) & SQUARES
        kings |= beside(kings) & SQUARES
        reach |= kings
    while front:
        moves += 1
        reached = reach
        kings |= beside(kings) & SQUARES
        reach |= behind(reach) & SQUARES | kings
        front = ahead(front) & camp.empty & ~(reach & ~RIM | reached)
        if front & BLACK_KING_ROW:
            return moves
    return 0


cdef inline int runaways(int own_moves, int foe_moves, bint to_move) noexcept nogil:
    """A man sure to crown, the nearer the better, and better still if it crowns before the opponent's."""
    cdef int score
    if own_moves == 0:
        return 0
    score = RUNAWAY + RUNAWAY_STEP * own_moves
    if foe_moves == 0 or own_moves < foe_moves + to_move:
        score += FIRST_CROWN
    return score


cdef inline u64 attacked_squares(const Camp* camp) noexcept nogil:
    """Squares where a king would be jumped; kings' own squares count as empty, since it leaves one of them."""
    cdef u64 empty = camp.empty | camp.kings
    return (camp.foes >> 4 & empty << 4 | camp.foes >> 5 & empty << 5
            | camp.foe_kings << 4 & empty >> 4 | camp.foe_kings << 5 & empty >> 5)


cdef inline int king_freedom(const Camp* camp) noexcept nogil:
    """Safe squares in reach of each king. One that can't get anywhere in three moves is trapped: in a single corner, or
    under a bridge; where it is not locked in at once it is cornered."""
    cdef u64 safe = camp.empty & ~attacked_squares(camp)
    cdef u64 rest = camp.kings
    cdef u64 here, reach
    cdef int score = KING_MOVE * popcount(beside(camp.kings) & safe)
    while rest:
        here = pop_lowest(&rest)
        reach = beside(here) & safe
        if reach == 0:
            score += TRAPPED_KING
            continue
        reach |= beside(reach) & safe
        reach |= beside(reach) & safe
        if popcount(reach | here) <= 3:
            score += CORNERED_KING
    return score


cdef inline int kings_at_work(const Camp* camp) noexcept nogil:
    """Kings belong in the centre. They win men from behind: near men off the rim, or hooked to the tail of two in a
    row, where the front one can't move without losing the other. A side that is behind holds out in a double corner."""
    cdef u64 kings = camp.kings
    cdef u64 near = beside(kings) & SQUARES
    cdef u64 tails = camp.foe_men << 4 & camp.foe_men << 8 | camp.foe_men << 5 & camp.foe_men << 10
    cdef int score = KING_CENTRE * popcount(kings & CENTRE_SQUARES)
    score += KING_RIM * popcount(kings & RIM)
    score += TAILHOOK * popcount(kings & tails)
    near |= beside(near)
    score += KING_ATTACK * popcount(near & camp.foe_men & ~RIM)
    if kings & DOUBLE_CORNERS and popcount(camp.own) < popcount(camp.foes):
        score += REFUGE
    return score


cdef inline bint has_the_move(const Camp* mover) noexcept nogil:
    """The opposition, by the count of the books: with equal forces the mover has it when an odd number of pieces
    stands on its own system of squares, the rows 1, 3, 5 and 7."""
    return popcount((mover.own | mover.foes) & ~EVEN_ROWS) & 1


cdef inline int camp_score(const Camp* camp) noexcept nogil:
    cdef int score = material(camp)
    score += back_rank(camp)
    score += placement(camp)
    score += structure(camp)
    score += mobility(camp)
    score += locks(camp)
    score += dog_holes(camp)
    if camp.kings:
        score += king_freedom(camp)
        score += kings_at_work(camp)
    return score


cdef int manual_score(const Board* board) noexcept nogil:
    """The static score in centi-men, from the side to move."""
    cdef u64 own = board.pieces[board.side]
    cdef u64 foes = board.pieces[1 - board.side]
    cdef u64 turned_own = turned(own)
    cdef u64 turned_foes = turned(foes)
    cdef u64 turned_kings = turned(board.kings)
    cdef int pieces = popcount(own | foes)
    cdef int balance = popcount(own) - popcount(foes)
    cdef int both, opening, ending, own_moves, foe_moves
    cdef Camp mover, opponent
    if board.side == BLACK:
        mover = camp_from(own, foes, board.kings)
        opponent = camp_from(turned_foes, turned_own, turned_kings)
    else:
        mover = camp_from(turned_own, turned_foes, turned_kings)
        opponent = camp_from(foes, own, board.kings)
    both = camp_score(&mover) - camp_score(&opponent) + TURN
    own_moves = crown_moves(&mover, True)
    foe_moves = crown_moves(&opponent, False)
    both += runaways(own_moves, foe_moves, True) - runaways(foe_moves, own_moves, False)
    if balance == 0:
        both += THE_MOVE if has_the_move(&mover) else -THE_MOVE
    opening = <int16_t>(both & 0xFFFF)
    ending = (both - opening) >> 16
    return (opening * pieces + ending * (FULL_BOARD - pieces)) // FULL_BOARD


cdef int manual_kind_score(const void* weights, const Board* board) noexcept nogil:
    return manual_score(board)
