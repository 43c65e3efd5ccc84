"""The clock of Windows for a Python under wine: time.time() ticks there before Python 3.13, and Dask waits for it."""

import time

TICK = 1 / 64
_exact = time.time


def _ticking() -> float:
    return _exact() // TICK * TICK


time.time = _ticking
