# cython: language_level=3
"""Compiled code of the endgame databases: indices, files, probing, building, verifying and sampling.

Each part uses only the parts above it; those before numbering.pxi are in the C library too (_engine.pyx). The
interface for the search is _egdb.pxd.
"""

from kr._rules cimport *

include "_egdb/index.pxi"
include "_egdb/codec.pxi"
include "_egdb/distance_codec.pxi"
include "_egdb/coded.pxi"
include "_egdb/entries.pxi"
include "_egdb/probe.pxi"
include "_egdb/probe_distance.pxi"
include "_egdb/stored.pxi"
include "_egdb/numbering.pxi"
include "_egdb/output.pxi"
include "_egdb/encode.pxi"
include "_egdb/encode_distance.pxi"
include "_egdb/file.pxi"
include "_egdb/database.pxi"
include "_egdb/solve.pxi"
include "_egdb/distance.pxi"
include "_egdb/solver.pxi"
include "_egdb/mapped.pxi"
include "_egdb/unneeded.pxi"
include "_egdb/verify.pxi"
include "_egdb/sample.pxi"
