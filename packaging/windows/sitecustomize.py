"""The clock of Windows, for a Python under wine: before Python 3.13 time.time() ticks there, and Dask waits for that."""

import time

TICK = 1 / 64
_exact = time.time


def _ticking() -> float:
    return _exact() // TICK * TICK


time.time = _ticking
