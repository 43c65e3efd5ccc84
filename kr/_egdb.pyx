# cython: language_level=3
"""The compiled part of the endgame databases: numbering, files, probing, building, verifying and sampling.

Each part uses only what stands above it. What the search may use of it stands in _egdb.pxd.
"""

from kr._rules cimport *

include "_egdb/index.pxi"
include "_egdb/codec.pxi"
include "_egdb/encode.pxi"
include "_egdb/code_distance.pxi"
include "_egdb/file.pxi"
include "_egdb/probe.pxi"
include "_egdb/database.pxi"
include "_egdb/solve.pxi"
include "_egdb/distance.pxi"
include "_egdb/solver.pxi"
include "_egdb/verify.pxi"
include "_egdb/sample.pxi"
