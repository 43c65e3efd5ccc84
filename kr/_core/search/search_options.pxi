# Options of the search. Each feature is on by default, with the value chosen by measurements, and can be turned off to
# measure its worth: `kr bench --ablate`, and matches such as `kr match shipped shipped,etc_depth=99`.

cdef struct SearchOptions:
    int aspiration_window
    int etc_depth
    int single_reply
    int line_extension
    int static_depth
    int static_margin
    int razor_depth
    int razor_margin
    int iir_depth
    int singular_depth
    int singular_margin
    int lmr_depth
    int lmr_move
    int lmr_base
    int lmr_scale
    int lmr_forcing
    int threat_plies
    int shot_margin
    int fade_plies
    int history
    int draws_apart
    int unrest

cdef enum:
    NEVER = 99               # a depth or a move number that is never reached

# name: default, lowest, highest, off, description
SEARCH_OPTIONS = {
    "aspiration_window": (8, 1, SCORE_INFINITE, SCORE_INFINITE,
                          "Centi-men either way from the last score to the edges of the first window."),
    "etc_depth": (6, 2, NEVER, NEVER, "Plies left from which enhanced transposition cutoffs are tried."),
    "single_reply": (1, 0, 1, 0, "Forced moves cost no depth."),
    "line_extension": (100, 0, 200, 0, "Percent of an iteration's depth, from the root on, in which positions of "
                       "earlier principal variations are searched a ply deeper."),
    "static_depth": (4, 0, 20, 0, "Plies left up to which a static score far above the window ends a quiet node."),
    "static_margin": (10, 0, 1000, 10, "Distance above the window: centi-men for each ply left."),
    "razor_depth": (5, 0, 20, 0, "Plies left up to which a static score far below the window ends a quiet node."),
    "razor_margin": (33, 0, 1000, 33, "Distance below the window: centi-men for each ply left."),
    "iir_depth": (4, 2, NEVER, NEVER, "Plies left from which a quiet node without a table move is searched a ply less."),
    "singular_depth": (8, 4, NEVER, NEVER, "Plies left from which a move is searched a ply deeper if it has no equal."),
    "singular_margin": (10, 0, 1000, 10, "Centi-men by which all others are worse than such a move."),
    "lmr_depth": (3, 2, NEVER, NEVER, "Plies left from which late moves are reduced."),
    "lmr_move": (3, 1, NEVER, NEVER, "First move to be reduced, counted from 0."),
    "lmr_base": (27, 0, 1000, 27, "Reduction of every late move, in hundredths of a ply."),
    "lmr_scale": (31, 0, 1000, 31, "Hundredths of a ply added for each doubling of the depth and of the move number."),
    "lmr_forcing": (1, 0, NEVER, NEVER, "Plies by which a move that forces a capture is reduced less."),
    "threat_plies": (1, 0, 8, 0, "Full-width plies of quiescence when the opponent threatens to capture."),
    "shot_margin": (110, 0, 1000, 0, "Centi-men below the window up to which a leaf is looked at for a shot."),
    "fade_plies": (160, 0, 1000, 0, "Plies without progress in which a static score would fade to that of a draw."),
    "history": (1, 0, 1, 0, "Order moves by how often they were best before."),
    "draws_apart": (1, 0, 1, 0, "Tell draws of the endgame database apart, by score and below a drawn root by search."),
    # off is the default, as a search to a fixed depth has no clock
    "unrest": (1, 0, 1, 1, "Spend less of the clock on easy moves than on hard ones; 0: the same on all moves."),
}

cdef SearchOptions DEFAULT_OPTIONS


cdef SearchOptions search_options(dict settings) except *:
    """The default options, changed by those chosen by name.

    Raises ValueError for unknown names, for values that are not whole numbers, and for numbers out of range.
    """
    for name in settings:
        if name not in SEARCH_OPTIONS:
            raise ValueError(f"no search option {name!r}; one of {', '.join(SEARCH_OPTIONS)}")
        _, least, most, _, _ = SEARCH_OPTIONS[name]
        if not isinstance(settings[name], int):
            raise ValueError(f"search option {name} is {settings[name]!r}, not a whole number")
        if not least <= settings[name] <= most:
            raise ValueError(f"search option {name}: {settings[name]} is out of range; expected {least} to {most}")
    return {name: settings.get(name, row[0]) for name, row in SEARCH_OPTIONS.items()}


DEFAULT_OPTIONS = search_options({})
