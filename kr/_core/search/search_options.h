/* Options of the search, in one list: X(name, default, lowest, highest, off, description). C, since the preprocessor
   makes of it the structure, its defaults and the table for Python. */

#pragma once

#define KR_NEVER 99 /* a depth or a move number that is never reached */
#define KR_ANY_SCORE 31000

#define KR_SEARCH_OPTIONS(X)                                                                                           \
    X(aspiration_window, 8, 1, KR_ANY_SCORE, KR_ANY_SCORE,                                                             \
        "Centi-men either way from the last score to the edges of the first window.")                                  \
    X(etc_depth, 6, 2, KR_NEVER, KR_NEVER, "Plies left from which enhanced transposition cutoffs are tried.")          \
    X(single_reply, 1, 0, 1, 0, "Forced moves cost no depth.")                                                         \
    X(line_extension, 100, 0, 200, 0,                                                                                  \
        "Percent of an iteration's depth, from the root on, in which positions of earlier principal "                  \
        "variations are searched a ply deeper.")                                                                       \
    X(static_depth, 4, 0, 20, 0, "Plies left up to which a static score far above the window ends a quiet node.")      \
    X(static_margin, 10, 0, 1000, 10, "Distance above the window: centi-men for each ply left.")                       \
    X(razor_depth, 5, 0, 20, 0, "Plies left up to which a static score far below the window ends a quiet node.")       \
    X(razor_margin, 33, 0, 1000, 33, "Distance below the window: centi-men for each ply left.")                        \
    X(iir_depth, 4, 2, KR_NEVER, KR_NEVER,                                                                             \
        "Plies left from which a quiet node without a table move is searched a ply less.")                             \
    X(singular_depth, 8, 4, KR_NEVER, KR_NEVER,                                                                        \
        "Plies left from which a move is searched a ply deeper if it has no equal.")                                   \
    X(singular_margin, 10, 0, 1000, 10, "Centi-men by which all others are worse than such a move.")                   \
    X(lmr_depth, 3, 2, KR_NEVER, KR_NEVER, "Plies left from which late moves are reduced.")                            \
    X(lmr_move, 3, 1, KR_NEVER, KR_NEVER, "First move to be reduced, counted from 0.")                                 \
    X(lmr_base, 27, 0, 1000, 27, "Reduction of every late move, in hundredths of a ply.")                              \
    X(lmr_scale, 31, 0, 1000, 31, "Hundredths of a ply added for each doubling of the depth and of the move number.")  \
    X(lmr_forcing, 1, 0, KR_NEVER, KR_NEVER, "Plies by which a move that forces a capture is reduced less.")           \
    X(threat_plies, 1, 0, 8, 0, "Full-width plies of quiescence when the opponent threatens to capture.")              \
    X(shot_margin, 110, 0, 1000, 0, "Centi-men below the window up to which a leaf is looked at for a shot.")          \
    X(fade_plies, 160, 0, 1000, 0, "Plies without progress in which a static score would fade to that of a draw.")     \
    X(history, 1, 0, 1, 0, "Order moves by how often they were best before.")                                          \
    X(draws_apart, 1, 0, 1, 0,                                                                                         \
        "Tell draws of the endgame database apart, by score and below a drawn root by search.")                        \
    /* off is the default, as a search to a fixed depth has no clock */                                                \
    X(unrest, 1, 0, 1, 1, "Spend less of the clock on easy moves than on hard ones; 0: the same on all moves.")

#define KR_OPTION_FIELD(name, usual, least, most, off, about) int name;
#define KR_OPTION_USUAL(name, usual, least, most, off, about) usual,
#define KR_OPTION_ROW(name, usual, least, most, off, about) {#name, usual, least, most, off, about},

/* every field is an int, in the order of the list */
typedef struct {
    KR_SEARCH_OPTIONS(KR_OPTION_FIELD)
} kr_search_options;

static const kr_search_options kr_default_options = {KR_SEARCH_OPTIONS(KR_OPTION_USUAL)};

typedef struct {
    const char* name;
    int usual, least, most, off;
    const char* about;
} kr_option_row;

static const kr_option_row kr_option_rows[] = {KR_SEARCH_OPTIONS(KR_OPTION_ROW)};

#define KR_OPTION_COUNT ((int)(sizeof(kr_option_rows) / sizeof(kr_option_rows[0])))
