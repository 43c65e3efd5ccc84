# cython: language_level=3
"""The compiled engine: evaluation, policies, search and self-play, and the rules for Python.

It is one unit, so that everything can be inlined, made of parts in folders by subject; each part uses only the parts
above it. Positions are passed to and from Python as four integers: black, white and kings (32-bit bitboards, bit s for
square s, 0-31) and the side to move (0 Black, 1 White).
"""

from kr._egdb cimport (
    EGDB_MAX_PIECES,
    VALUE_DRAW,
    VALUE_LOSS,
    VALUE_UNKNOWN,
    VALUE_WIN,
    Egdb,
    EndgameDatabase,
    egdb_distance,
    egdb_value,
    has_board,
)
from kr._rules cimport *

include "_core/rules/moves.pxi"
include "_core/rules/perft.pxi"
include "_core/rules/lines.pxi"
include "_core/rules/batch.pxi"
include "_core/evaluation/kinds.pxi"
include "_core/evaluation/manual.pxi"
include "_core/evaluation/regions.pxi"
include "_core/evaluation/evaluators.pxi"
include "_core/evaluation/material.pxi"
include "_core/evaluation/layers.pxi"
include "_core/evaluation/layer_arrays.pxi"
include "_core/evaluation/evolved.pxi"
include "_core/policy/choices.pxi"
include "_core/policy/asking.pxi"
include "_core/policy/net.pxi"
include "_core/policy/choice_arrays.pxi"
include "_core/policy/askers.pxi"
include "_core/policy/logit.pxi"
include "_core/search/sizes.pxi"
include "_core/search/tt.pxi"
include "_core/search/search_options.pxi"
include "_core/search/ordering.pxi"
include "_core/search/sharing.pxi"
include "_core/search/endgames.pxi"
include "_core/search/reductions.pxi"
include "_core/search/clock.pxi"
include "_core/search/worker.pxi"
include "_core/search/shots.pxi"
include "_core/search/qsearch.pxi"
include "_core/search/search.pxi"
include "_core/search/iteration.pxi"
include "_core/search/game.pxi"
include "_core/search/option_choice.pxi"
include "_core/search/searcher.pxi"
include "_core/proofs/strategies.pxi"
include "_core/proofs/claims.pxi"
include "_core/proofs/tree.pxi"
include "_core/proofs/descent.pxi"
include "_core/proofs/leaves.pxi"
include "_core/proofs/certificates.pxi"
include "_core/proofs/questions.pxi"
include "_core/proofs/decider.pxi"
include "_core/proofs/prover.pxi"
include "_core/proofs/proved_moves.pxi"
include "_core/proofs/provers.pxi"
include "_core/problems/ways.pxi"
include "_core/problems/transpositions.pxi"
include "_core/problems/problem.pxi"
include "_core/problems/soundness.pxi"
include "_core/problems/merit.pxi"
include "_core/problems/variations.pxi"
include "_core/problems/changes.pxi"
include "_core/problems/checks.pxi"
include "_core/coach/courses.pxi"
include "_core/coach/facts.pxi"
include "_core/coach/explaining.pxi"
include "_core/selfplay/games.pxi"
include "_core/deciders/decider.pxi"
include "_core/deciders/minimax.pxi"
include "_core/deciders/mcts.pxi"
include "_core/deciders/duel.pxi"
