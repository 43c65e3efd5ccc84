# cython: language_level=3
"""What the engine's unit shares: scores, in centi-men from the side to move."""

cpdef enum:
    NO_PROGRESS_PLIES = 80               # a draw after 40 moves of each side without a capture or a man's move
    SCORE_INFINITE = 31000
    SCORE_WIN = 30000                    # won in n plies: SCORE_WIN - n
    SCORE_DECIDED = 29000                # beyond this a score is a win or loss seen to its end
    # wins that the endgame database knows without a distance: SCORE_DATABASE_WIN - n if entered in n plies,
    # SCORE_KEPT_WIN - n after n plies without progress; both with a little of the static score
    SCORE_DATABASE_WIN = 28600
    SCORE_KEPT_WIN = 28250
    SCORE_STATIC_MAX = 28000             # beyond this it is proved, by the endgame database or to its end
    SCORE_NONE = -32768                  # the move was not searched
