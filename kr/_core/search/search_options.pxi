# Options of the search. Each feature is on by default, with the value chosen by measurements, and can be turned off to
# measure its worth: `kr bench --ablate`, and matches such as `kr match shipped shipped,etc_depth=99`. The header has
# the list.

cdef extern from "_core/search/search_options.h":
    ctypedef struct SearchOptions "kr_search_options":
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
    ctypedef struct OptionRow "kr_option_row":
        const char* name
        int usual
        int least
        int most
        int off
        const char* about
    const SearchOptions DEFAULT_OPTIONS "kr_default_options"
    const OptionRow* OPTION_ROWS "kr_option_rows"
    int OPTION_COUNT "KR_OPTION_COUNT"
