"""State that the handlers of a server share."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kr.archives.archive import expanded
from kr.book.book import load_book
from kr.egdb.database import load_database
from kr.evaluation.kinds import Evaluation, load_evaluation
from kr.policy.policy import Policy, load_policy
from kr.policy.practical import PracticalChances
from kr.problems.puzzles import own_puzzles
from kr.proofs.library import load_proofs
from kr.web.services.engines import Engines
from kr.web.services.extending import DatabaseBuild
from kr.web.settings import WebSettings


class House:
    """Settings and everything that is opened once for all viewers.

    Raises InvalidSettingError, InvalidBookError, InvalidDatabaseError, InvalidWeightsError, InvalidProblemError and
    InvalidPdnError, and OSError for a file that can't be read.
    """

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self.visited = threading.Event()
        """Set once a page has been asked for."""
        # reported at once, not when a page asks for it
        for path in settings.files:
            if not path.is_dir():
                path.open("rb").close()
        self.files = expanded(settings.files)
        """PDN files to open, which the page lists."""
        self.mark = secrets.token_hex(4)
        """Distinguishes this server from the one before, so that a page opens the files of a new one."""
        self.archives = expanded(settings.archive)
        """PDN files to explore."""
        self.book = load_book(settings.book)
        """The opening book; None without one."""
        self.database = load_database(settings.egdb, settings.egdb_memory)
        self.proofs = load_proofs(settings.proofs, self.database)
        """Certificates whose values count; None without any."""
        self._evaluation: Evaluation | None = None
        self._policy: Policy | None = None
        self._practical: PracticalChances | None = None
        self._loading = threading.Lock()
        self.problems = own_puzzles(settings.problems, settings.results)
        """Problems of the person's files, by id."""
        self._at_work: set[int] = set()
        self._closing: list[Callable[[], None]] = []
        self.engines = Engines(settings, self.database)
        self.on_close(self.engines.close)
        self.build = DatabaseBuild.of(settings, self.database)
        self.on_close(self.build.close)

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation with all that its file holds, read at its first use. Raises InvalidWeightsError."""
        with self._loading:
            if self._evaluation is None:
                self._evaluation = load_evaluation(self.settings.weights)
            return self._evaluation

    @property
    def policy(self) -> Policy:
        """The policy of what people play, read at its first use. Raises InvalidPolicyError."""
        with self._loading:
            if self._policy is None:
                self._policy = load_policy()
            return self._policy

    @property
    def practical(self) -> PracticalChances | None:
        """Chances against people; None without a database. Raises InvalidPolicyError."""
        policy = self.policy
        with self._loading:
            if self._practical is None and self.database is not None:
                self._practical = PracticalChances.usual(policy, self.database)
            return self._practical

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Count this thread as one that works on a request."""
        thread = threading.get_ident()
        self._at_work.add(thread)
        try:
            yield
        finally:
            self._at_work.discard(thread)

    @property
    def is_busy(self) -> bool:
        """True if a thread works on a request, perhaps after the server has ended."""
        return bool(self._at_work)

    def on_close(self, close: Callable[[], None]) -> None:
        """Have something called when the server stops."""
        self._closing.append(close)

    def close(self) -> None:
        """Close what was opened, the last first."""
        while self._closing:
            self._closing.pop()()
