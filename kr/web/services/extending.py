"""The build of more endings by a server: on half of the cores, at low priority, stopped and gone on with."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kr.egdb.database import ENVIRONMENT, Database
from kr.errors import KrError
from kr.system import core_count, lower_priority, resident_memory
from kr.threads import start_all

if TYPE_CHECKING:
    from kr.egdb.build import BuildProgress
    from kr.web.settings import WebSettings

BUILT_PIECES = 6
"""Pieces up to which all endings are built: a few minutes, where 7 take half an hour and 5 GB of memory."""
BUILD_MEMORY = 1 << 30
"""Beside what the server holds already."""
NICENESS = 10
SAVING_SECONDS = 30.0
"""Time in which a build under way writes down what is solved as the server ends."""


class DatabaseBuild:
    """The build of a server: none yet, under way, or done. Threads may share it."""

    def __init__(self, is_offered: bool) -> None:
        self._is_offered = is_offered
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._progress: BuildProgress | None = None
        self._began = 0.0
        self._is_built = False
        self._error: Exception | None = None

    @classmethod
    def of(cls, settings: WebSettings, database: Database | None) -> DatabaseBuild:
        """The build of a server: offered if the next start would find it, and it has more than there is now."""
        here = database.pieces if database is not None else 0
        return cls(not settings.egdb and not os.environ.get(ENVIRONMENT) and here < BUILT_PIECES)

    def begin(self) -> None:
        """Begin, or go on, unless it is under way, done or not offered. Raises ThreadError."""
        with self._lock:
            if self._is_offered and not self._is_built and self._thread is None:
                self._stopping, self._progress, self._began = False, None, time.monotonic()
                self._thread = threading.Thread(target=self._run, name="endgame database")
                try:
                    start_all([self._thread], lambda: None)
                except BaseException:
                    self._thread = None
                    raise

    def stop(self) -> None:
        """End it; what is solved is kept."""
        self._stopping = True

    def close(self) -> None:
        """End it, and wait until what is solved is written."""
        self.stop()
        if thread := self._thread:
            thread.join(SAVING_SECONDS)

    def state(self) -> dict[str, Any]:
        """What the page shows. Raises the error of a build that failed, once."""
        # before the error is looked at: a build that fails in between must not seem to have ended well
        running = self._running() if self._thread else None
        if error := self._error:
            self._error = None
            raise error
        if not self._is_offered or self._is_built:
            return {"pieces": BUILT_PIECES if self._is_built else 0, "running": None, "built": self._is_built}
        # rooms that a server without a build need not load
        from kr.egdb.forecast import build_forecast

        cost = build_forecast(BUILT_PIECES)
        # of half the cores
        seconds = round(cost.seconds * core_count() / _workers())
        return {
            "pieces": BUILT_PIECES, "seconds": seconds, "bytes": cost.bytes,
            "running": running, "built": False,
        }  # fmt: skip

    def _running(self) -> dict[str, float | None]:
        progress = self._progress
        if progress is None or not progress.positions:
            return {"share": 0, "seconds": None}
        done = progress.earlier + progress.solved
        rate = progress.solved / max(time.monotonic() - self._began, 1e-9)
        # the first pairs are small and slow
        left = round((progress.positions - done) / rate) if progress.solved > progress.positions / 100 else None
        return {"share": done / progress.positions, "seconds": left}

    def _run(self) -> None:
        """Body of the thread, whose niceness those that it starts have too."""
        from kr.egdb.build import BuildSettings, build_database

        lower_priority(NICENESS)
        try:
            # Ctrl-C is what a build writes its state down at
            with suppress(KeyboardInterrupt):
                memory = resident_memory() + BUILD_MEMORY
                build_database(BuildSettings(pieces=BUILT_PIECES, workers=_workers(), memory=memory), self._take)
                self._is_built = True
        except (KrError, OSError, MemoryError) as error:
            self._error = error
        finally:
            self._thread = None

    def _take(self, progress: BuildProgress) -> None:
        self._progress = progress
        if self._stopping:
            raise KeyboardInterrupt


def _workers() -> int:
    return max(1, core_count() // 2)
