# cython: language_level=3
"""Constants of the engine for other units: scores, in centi-men from the side to move."""

cpdef enum:
    NO_PROGRESS_PLIES = 80               # a draw after 40 moves of each side without a capture or a man's move
    SCORE_INFINITE = 31000
    SCORE_WIN = 30000                    # a win in n plies: SCORE_WIN - n
    SCORE_DECIDED = 29000                # a higher score is a win searched to its end
    # wins in the endgame database without a distance: SCORE_DATABASE_WIN - n if reached in n plies, SCORE_KEPT_WIN - n
    # after n plies without progress; a fraction of the static score is added to both
    SCORE_DATABASE_WIN = 28600
    SCORE_KEPT_WIN = 28250
    SCORE_STATIC_MAX = 28000             # a higher score is proved, by the endgame database or searched to its end
    SCORE_NONE = -32768                  # the move was not searched
