# cython: language_level=3
"""The compiled kernels of learning: games replayed, samples and decisions drawn from them, region tables fitted.

Arrays in, arrays out. Each part uses only what stands above it.
"""

from kr._core cimport SCORE_NONE
from kr._rules cimport *

include "_learn/replay.pxi"
include "_learn/dataset.pxi"
include "_learn/decisions.pxi"
include "_learn/fit.pxi"
