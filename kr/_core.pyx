# cython: language_level=3
"""The compiled core of kr: rules, evaluation, search and the self-play loop.

One extension made of small parts. The order of the includes is the architecture: each part uses
only what stands above it. Positions cross the boundary to Python as four integers: black, white
and kings (32-bit bitboards, bit s for square s, 0-31) and the side to move (0 Black, 1 White).
"""

include "_core/types.pxi"
include "_core/memory.pxi"
include "_core/bitboard.pxi"
include "_core/movegen.pxi"
include "_core/perft.pxi"
include "_core/egdb_index.pxi"
include "_core/egdb_codec.pxi"
include "_core/egdb_encode.pxi"
include "_core/egdb_code_distance.pxi"
include "_core/egdb_file.pxi"
include "_core/egdb_probe.pxi"
include "_core/egdb_database.pxi"
include "_core/egdb_solve.pxi"
include "_core/egdb_distance.pxi"
include "_core/egdb_solver.pxi"
include "_core/egdb_verify.pxi"
include "_core/egdb_sample.pxi"
include "_core/patterns.pxi"
include "_core/manual.pxi"
include "_core/evaluate.pxi"
include "_core/tt.pxi"
include "_core/search_options.pxi"
include "_core/ordering.pxi"
include "_core/egdb_search.pxi"
include "_core/search.pxi"
include "_core/searcher.pxi"
include "_core/replay.pxi"
include "_core/dataset.pxi"
include "_core/fit.pxi"
include "_core/selfplay.pxi"
include "_core/board_api.pxi"
