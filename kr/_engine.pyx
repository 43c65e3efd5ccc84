# cython: language_level=3
"""The engine as a C library: rules, search, region tables, endgame databases and people's moves behind the functions of
_engine/kr.h.

It is made of the parts of other units that know nothing of Python, and is compiled by itself (`make library`), never
imported. Each part uses only the parts above it.
"""

from libc.string cimport memcmp, strcmp, strlen

from kr._core cimport (
    NO_PROGRESS_PLIES,
    SCORE_DATABASE_WIN,
    SCORE_DECIDED,
    SCORE_INFINITE,
    SCORE_KEPT_WIN,
    SCORE_NONE,
    SCORE_STATIC_MAX,
    SCORE_WIN,
)
from kr._rules cimport *

include "_egdb/types.pxi"
include "_egdb/index.pxi"
include "_egdb/codec.pxi"
include "_egdb/distance_codec.pxi"
include "_egdb/coded.pxi"
include "_egdb/entries.pxi"
include "_egdb/probe.pxi"
include "_egdb/probe_distance.pxi"
include "_egdb/stored.pxi"
include "_core/evaluation/kinds.pxi"
include "_core/evaluation/manual.pxi"
include "_core/evaluation/regions.pxi"
include "_core/evaluation/layers.pxi"
include "_core/policy/choices.pxi"
include "_core/policy/asking.pxi"
include "_core/policy/net.pxi"
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
include "_core/proofs/strategies.pxi"
include "_core/proofs/claims.pxi"
include "_core/proofs/tree.pxi"
include "_core/proofs/descent.pxi"
include "_core/proofs/leaves.pxi"
include "_core/proofs/certificates.pxi"
include "_core/proofs/questions.pxi"
include "_core/proofs/decider.pxi"
include "_core/proofs/prover.pxi"
include "_core/problems/ways.pxi"
include "_core/problems/transpositions.pxi"
include "_core/problems/problem.pxi"
include "_core/problems/soundness.pxi"
include "_core/problems/merit.pxi"
include "_core/problems/variations.pxi"
include "_core/problems/changes.pxi"
include "_core/coach/courses.pxi"
include "_core/coach/facts.pxi"
include "_engine/kr.pxi"
include "_engine/prepare.pxi"
include "_engine/rules.pxi"
include "_engine/bytes.pxi"
include "_engine/tables.pxi"
include "_engine/people.pxi"
include "_engine/header.pxi"
include "_engine/database.pxi"
include "_engine/engine.pxi"
include "_engine/proofs.pxi"
include "_engine/problems.pxi"
include "_engine/certificates.pxi"
include "_engine/coach.pxi"
include "_engine/signature.pxi"
