"""What the handlers of a server share."""

from __future__ import annotations

from collections.abc import Callable

from kr.analysis.puzzles import load_puzzles
from kr.engine.database import load_database
from kr.web.engines import Engines
from kr.web.settings import WebSettings


class House:
    """Settings and everything that is opened once for all viewers.

    Raises InvalidSettingError, InvalidDatabaseError, InvalidWeightsError, InvalidProblemError and InvalidPdnError.
    """

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self.database = load_database(settings.egdb, settings.egdb_memory)
        self.problems = load_puzzles(settings.problems)
        self._closing: list[Callable[[], None]] = []
        self.engines = Engines(settings, self.database)
        self.on_close(self.engines.close)

    def on_close(self, close: Callable[[], None]) -> None:
        """Have something called when the server stops."""
        self._closing.append(close)

    def close(self) -> None:
        """Close what was opened, the last first."""
        while self._closing:
            self._closing.pop()()
