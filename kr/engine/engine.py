"""The engine: static scores and searches over the compiled core. It calls back, and never prints."""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from kr import _core, _egdb
from kr._core import Stop as Stop
from kr.engine.limits import Limits as Limits
from kr.errors import IllegalMoveError, InvalidSettingError, ThreadError
from kr.evaluation import kinds
from kr.evaluation.chances import Chances, chances
from kr.game.position import Move, Position
from kr.settings import EGDB_MEMORY
from kr.threads import MAX_THREADS, no_thread
from kr.units import check_number

if TYPE_CHECKING:
    from _thread import LockType

    import numpy as np
    from numpy.typing import NDArray

    from kr.egdb.database import Database

SCORE_WIN: int = _core.SCORE_WIN
"""The score of a won game; a win in n plies scores n less."""
SCORE_DECIDED: int = _core.SCORE_DECIDED
"""Beyond this, a score is a win or loss seen to its end."""
SCORE_PROVED: int = _core.SCORE_STATIC_MAX
"""Beyond this, a score is a proved win or loss: seen to its end, or to where the endgame database knows it."""
MAX_LINES: int = _core.MAX_LINES
"""Principal variations that one search can keep."""
SEARCH_OPTIONS: dict[str, tuple[int, int, int, int, str]] = _core.SEARCH_OPTIONS
"""What can be set in the search, by name: default, least, most, off, and what it is."""


@dataclass(frozen=True)
class Info:
    """One principal variation after an iteration."""

    depth: int
    """Plies."""
    score: int
    """Centi-men, side to move's view; beyond SCORE_PROVED a proved win or loss."""
    nodes: int
    """In the whole search so far."""
    time: float
    """Seconds since the search began."""
    pv: tuple[Move, ...]
    multipv: int = 1
    """Rank of this line, from 1."""
    probes: int = 0
    """Positions looked up in the endgame database so far."""
    hits: int = 0
    """Look-ups that ended a line of the search."""
    lines: int = 1
    """How many lines this iteration has; `on_info` is called for each in turn."""


@dataclass(frozen=True)
class SearchResult:
    """What a search found; the fields of its best line, and all lines."""

    move: Move
    score: int
    depth: int
    nodes: int
    time: float
    pv: tuple[Move, ...]
    lines: tuple[Info, ...]
    value: str | None = None
    """"win", "draw" or "loss" for the side to move where that is proved, by the endgame database or to the end."""
    probes: int = 0
    """Positions looked up in the endgame database."""
    hits: int = 0
    """Look-ups that ended a line of the search."""

    @property
    def nps(self) -> float:
        """Nodes a second."""
        return self.nodes / max(self.time, 1e-6)


Outcome = SearchResult | BaseException
"""What a search found, or what it raised."""
_NEVER = 1 << 62
"""Infos that no search has."""
_EXIT_SECONDS = 2.0
"""That all searches under way may take to end with the program."""


@dataclass(eq=False)
class _Course:
    """What a search in the background has come to: the thread has this, not the handle, which may be let go.

    Nothing here is done under a lock, so that whatever is raised by a signal handler, and wherever, leaves none held.
    """

    forget: Callable[[], None]
    """Frees the engine of a search whose thread is gone."""
    stop: Stop = field(default_factory=Stop)
    infos: list[Info] = field(default_factory=list)
    outcome: Outcome | None = None
    thread: int = 0
    """That calls back; 0 before it has."""
    bells: set[LockType] = field(default_factory=set)
    """Locks to be released when there is news, one of each that waits for it."""

    def add(self, info: Info) -> None:
        self.infos.append(info)
        self.ring()

    def end(self, outcome: Outcome) -> None:
        self.outcome = outcome
        _under_way.discard(self)
        self.ring()

    def ring(self) -> None:
        for bell in tuple(self.bells):
            self.bells.discard(bell)
            bell.release()

    def wait(self, seen: int, timeout: float | None = None) -> bool:
        """Wait for more infos than were seen, or for the end. False where neither comes in time.

        Raises InvalidSettingError where the search itself would wait.
        """
        until = math.inf if timeout is None else time.monotonic() + timeout
        while not self.has_news(seen):
            left = until - time.monotonic()
            if left <= 0:
                return False
            if self.thread == threading.get_ident():
                raise InvalidSettingError("a search cannot wait for itself: its callback can only stop it")
            bell = threading.Lock()
            bell.acquire()
            self.bells.add(bell)
            try:
                # what came before the bell was there was not heard
                if not self.has_news(seen):
                    bell.acquire(timeout=min(left, threading.TIMEOUT_MAX))
            finally:
                self.bells.discard(bell)
        return True

    def has_news(self, seen: int) -> bool:
        return self.outcome is not None or len(self.infos) > seen


class Search:
    """A search in the background, begun by `Engine.start`.

        with engine.start(position, "10s", multipv=3) as search:
            for info in search:
                ...

    Every iteration over it gives all infos from the first, waits for more, and ends with the search. Leaving the block
    stops the search and waits for its end; so does the end of the program, and a handle that nobody holds any more
    stops its search.
    """

    def __init__(self, course: _Course) -> None:
        self._course = course

    def __enter__(self) -> Search:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self._course.stop.set()

    def __iter__(self) -> Iterator[Info]:
        seen = 0
        while self._course.wait(seen) and len(self._course.infos) > seen:
            yield self._course.infos[seen]
            seen += 1

    @property
    def done(self) -> bool:
        """Whether the search has ended."""
        return self._course.outcome is not None

    def stop(self) -> None:
        """End this search at once, from any thread, also before its first node; one that has ended stays as it is."""
        self._course.stop.set()

    def result(self, timeout: float | None = None) -> SearchResult:
        """Wait for the result. Raises what the search raised, and TimeoutError where it goes on after these seconds.

        Raises InvalidSettingError where the search itself, by a callback, would wait for its end.
        """
        if timeout is not None:
            timeout = check_number("the timeout", timeout)
        if not self._course.wait(_NEVER, timeout):
            raise TimeoutError(f"the search goes on after {timeout} s")
        outcome = self._course.outcome
        if isinstance(outcome, BaseException):
            raise outcome
        assert outcome is not None
        return outcome

    def close(self) -> None:
        """Stop the search and wait for its end, whatever it was. Raises InvalidSettingError where the search itself, by
        a callback, would wait."""
        self.stop()
        self._course.wait(_NEVER)


_under_way: set[_Course] = set()


@atexit.register
def _end_searches() -> None:
    """No search may use what the interpreter takes down; one whose callback never returns is left alone."""
    until = time.monotonic() + _EXIT_SECONDS
    for course in tuple(_under_way):
        course.stop.set()
    for course in tuple(_under_way):
        course.wait(_NEVER, until - time.monotonic())


def _forget_searches() -> None:
    """A process that is forked has none of the threads of its parent's searches: nobody may wait for them."""
    for course in tuple(_under_way):
        if course.thread == threading.get_ident():
            continue  # it is a callback of this one that forks
        course.forget()
        course.end(ThreadError("the search is in the process that this one was forked from"))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_searches)


class Engine:
    """A player with its own hash table.

    weights: the path of a weights file, "manual" (the hand-built evaluation), "material" (men and kings only), or
    None or "shipped" for the shipped tables. hash_mb: megabytes of hash table. threads: searching in parallel; with
    one, the same search from the same state gives the same result. database: the endgame database to look positions up
    in, or what `--egdb` takes: its directory, "" for the one that is found, "none" or None for none; engines share it.
    options: search options that differ from their defaults, by name (SEARCH_OPTIONS). Raises InvalidWeightsError,
    InvalidDatabaseError and InvalidSettingError.

    `score_scale` says how many centi-men make a logit of the expected result (`kr.evaluation.chances`).
    """

    def __init__(
        self,
        weights: str | Path | None = None,
        hash_mb: float = 64,
        threads: int = 1,
        database: Database | str | Path | None = "",
        options: Mapping[str, int] | None = None,
    ) -> None:
        self.hash_mb: float = check_number("hash_mb", hash_mb)
        self.threads: int = check_number("threads", threads, whole=True)
        if not 0 < self.hash_mb <= 1 << 20:
            raise InvalidSettingError(f"hash_mb is {hash_mb}; megabytes, more than 0 and at most 1048576")
        if not 1 <= self.threads <= MAX_THREADS:
            raise InvalidSettingError(f"threads is {threads}; from 1 to {MAX_THREADS}")
        evaluation = kinds.load(weights)
        self.name, self.signature, self.score_scale = evaluation.name, evaluation.signature, evaluation.scale
        self._evaluator = evaluation.core
        self.database = load_database(str(database)) if isinstance(database, str | Path) else database
        try:
            core = None if self.database is None else self.database.core
        except AttributeError:
            raise InvalidSettingError(f"the database is {database!r}, not a directory or an open one") from None
        try:
            self._searcher = _core.Searcher(
                self._evaluator, int(self.hash_mb * (1 << 20)), self.threads, core, _checked_options(options)
            )
        except ValueError as error:
            raise InvalidSettingError(str(error)) from error
        except MemoryError as error:
            raise InvalidSettingError(f"hash_mb is {hash_mb}: {error}") from error

    def search(
        self,
        position: Position,
        limits: Limits | float | str,
        history: Sequence[Position] = (),
        on_info: Callable[[Info], None] | None = None,
        multipv: int = 1,
        forced_at_once: bool = False,
        stop: Stop | None = None,
    ) -> SearchResult:
        """Search a position and return the best move with its score and principal variation.

        limits: Limits, or seconds, or text such as "0.3s", "nodes=2000" or "depth=9". history: the game's positions
        before this one, oldest first, for draws by repetition. on_info: called for every line after each iteration;
        what it raises ends the search and is raised here. multipv: how many best moves get a line. forced_at_once: play
        a forced move without thinking, as on a clock in any case. A decided score ends the search when it can't be
        bettered. stop: for work that is made of many searches: ends this one when it is set, be it before it has begun.

        Raises IllegalMoveError in a position without legal moves, InvalidDatabaseError where the search met damage in
        the endgame database, InvalidSettingError where this engine is searching already or is asked for what has no
        meaning, ThreadError where its threads can't be started, and lets KeyboardInterrupt through. Whatever is raised,
        the engine is ready for the next search.
        """
        _check_function("on_info", on_info, "an Info")
        request = _request(position, limits, history, multipv, on_info, forced_at_once, stop)
        with self._errors():
            reply = self._searcher.search(request)
        return self._result(position, reply)

    def start(
        self,
        position: Position,
        limits: Limits | float | str,
        history: Sequence[Position] = (),
        on_info: Callable[[Info], None] | None = None,
        multipv: int = 1,
        forced_at_once: bool = False,
        on_end: Callable[[Outcome], None] | None = None,
    ) -> Search:
        """Begin the same search in the background, and return its handle.

        on_info is called in the thread of the search, and so is on_end, with the result or what was raised, when the
        engine is ready for the next search. What they raise is raised by `Search.result`. What is wrong with the
        arguments is raised here, as is ThreadError where there is no thread for it.
        """
        _check_function("on_info", on_info, "an Info")
        _check_function("on_end", on_end, "a SearchResult")
        course = _Course(self._searcher.forget_search)

        def heard(info: Info) -> None:
            course.thread = threading.get_ident()
            course.add(info)
            if on_info is not None:
                on_info(info)

        def ended(found: _core.SearchReply | BaseException) -> None:
            course.thread = threading.get_ident()
            try:
                with self._errors():
                    if isinstance(found, BaseException):
                        raise found
                outcome: Outcome = self._result(position, found)
            except BaseException as error:
                outcome = error
            try:
                if on_end is not None:
                    on_end(outcome)
            except BaseException as error:
                outcome = error
            course.end(outcome)

        request = _request(position, limits, history, multipv, heard, forced_at_once, course.stop)
        search = Search(course)
        try:
            _under_way.add(course)
            with self._errors():
                self._searcher.start(request, ended)
        except BaseException:
            # Ctrl-C may come after the search has begun as well
            course.stop.set()
            _under_way.discard(course)
            raise
        return search

    def _result(self, position: Position, reply: _core.SearchReply) -> SearchResult:
        """Raises InvalidDatabaseError where the search met damage."""
        if self.database is not None:
            self.database.raise_damage()
        lines = _infos(position, reply)
        best = lines[0]
        return SearchResult(
            best.pv[0], best.score, best.depth, best.nodes, best.time, best.pv, tuple(lines),
            _value(best.score, reply.value), reply.probes, reply.hits,
        )  # fmt: skip

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """The core's errors about itself as kr's."""
        try:
            yield
        except _core.SearchingError:
            raise InvalidSettingError("this engine is searching already; stop it, or use another Engine") from None
        except _core.ThreadError:
            raise no_thread(self.threads) from None

    def stop(self) -> None:
        """End the running search at once, from any thread; where none is running, do nothing."""
        self._searcher.stop()

    def new_game(self) -> None:
        """Forget the hash table and what earlier searches learned about move ordering.

        Waits for the end of a search in another thread; raises InvalidSettingError where that search itself calls it.
        """
        with self._errors():
            self._searcher.clear()

    def set_options(self, options: Mapping[str, int]) -> None:
        """Search with these options from now on, the others as by default. Raises InvalidSettingError; waits as
        `new_game` does."""
        chosen = _checked_options(options)
        with self._errors():
            try:
                self._searcher.set_options(chosen)
            except ValueError as error:
                raise InvalidSettingError(str(error)) from error

    def chances(self, score: int, value: str | None = None) -> Chances:
        """The chances of a win, a draw and a loss that a score of this engine promises.

        value: "win", "draw" or "loss" where that is proved, such as `SearchResult.value`.
        """
        return chances(score, self.score_scale, value)

    def evaluate(self, position: Position) -> int:
        """The static score in centi-men, from the side to move; meaningful where nothing can be captured."""
        _check_position(position)
        return int(self._evaluator.evaluate(*_bits(position)))

    def evaluate_batch(self, positions: NDArray[np.uint32]) -> NDArray[np.int16]:
        """Static scores (n,) of positions (n, 4): black, white, kings, side. Raises InvalidSettingError."""
        import numpy as np

        try:
            given = np.asarray(positions)
            # what numpy would convert without a word: fractions, numbers below 0 or beyond 32 bits
            with np.errstate(invalid="ignore"):
                rows = np.ascontiguousarray(given, dtype=np.uint32)
            if not (rows == given).all():
                raise ValueError("numbers out of range")
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidSettingError(f"positions are not an array of 32-bit numbers: {error}") from None
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise InvalidSettingError(f"positions have the shape {rows.shape}; (n, 4) is black, white, kings, side")
        black, white, kings, side = rows.T
        if ((black & white) | (kings & ~(black | white))).any() or (side > 1).any():
            raise InvalidSettingError(
                "positions hold squares with two pieces, kings on empty squares, or no side 0 or 1"
            )
        scores = np.empty(len(rows), dtype=np.int16)
        self._evaluator.evaluate_batch(rows, scores)
        return scores


def parse_search_options(text: str) -> dict[str, int]:
    """Search options as text: "lmr_move=4,etc_depth=99"; none for "". Raises InvalidSettingError.

    Whether a number is too small or too large is found when an engine gets it.
    """
    options: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, _, number = (word.strip() for word in part.partition("="))
        if name not in SEARCH_OPTIONS:
            raise InvalidSettingError(f"no search option {name!r}; one of {', '.join(SEARCH_OPTIONS)}")
        if not number.isdecimal():
            raise InvalidSettingError(f"search option {name} is {number!r}, not a whole number")
        if name in options:
            raise InvalidSettingError(f"{text!r} sets the search option {name} twice")
        options[name] = int(number)
    return options


def format_search_options(options: Mapping[str, int]) -> str:
    """The text of search options that parse_search_options reads."""
    return ",".join(f"{name}={number}" for name, number in options.items())


_databases: WeakValueDictionary[tuple[str, int], Database] = WeakValueDictionary()
_opening = threading.Lock()


def load_database(setting: str = "", memory: int = EGDB_MEMORY) -> Database | None:
    """The endgame database of an `--egdb` setting; None for "none", and for "" where none is found.

    setting: a directory, "none", or "" for the places where databases are kept. memory: bytes in which to unpack it, as
    far as it fits. All who ask for the same share one object. Raises InvalidSettingError and InvalidDatabaseError.
    """
    from kr.egdb.database import Database, find

    directory = find(setting)
    if directory is None:
        return None
    with _opening:
        key = os.path.realpath(directory), memory
        database = _databases.get(key)
        if database is None:
            database = _databases[key] = Database.open(directory, unpack_bytes=memory)
    return database


def _value(score: int, known: int) -> str | None:
    """What is proved about a position with this score and this value in the endgame database."""
    if known != _egdb.VALUE_UNKNOWN:
        from kr.egdb.database import VALUES

        return VALUES[known]
    return None if abs(score) <= SCORE_PROVED else "win" if score > 0 else "loss"


def _checked_options(options: Mapping[str, int] | None) -> dict[str, int]:
    """Search options as the core takes them: plain numbers. Raises InvalidSettingError for what is no mapping."""
    if options is not None and not isinstance(options, Mapping):
        raise InvalidSettingError(f"the search options are {options!r}, not names with numbers: {{'lmr_move': 4}}")
    return {name: check_number(f"search option {name}", number, whole=True) for name, number in (options or {}).items()}


def _request(
    position: Position,
    limits: Limits | float | str,
    history: Sequence[Position],
    multipv: int,
    on_info: Callable[[Info], None] | None,
    forced_at_once: bool,
    stop: Stop | None,
) -> _core.SearchRequest:
    """The arguments of a search as the core takes them. Raises IllegalMoveError and InvalidSettingError."""
    _check_position(position)
    earlier = _history(history)
    if position.is_over:
        raise IllegalMoveError(f"{position.fen} has no legal move to search, the game is over")
    lines = check_number("multipv", multipv, whole=True)
    if not 1 <= lines <= MAX_LINES:
        raise InvalidSettingError(f"multipv is {multipv}; from 1 to {MAX_LINES}")
    if stop is not None and not isinstance(stop, Stop):
        raise InvalidSettingError(f"stop is {stop!r}, not a kr.engine.engine.Stop")
    limits = Limits.of(limits)
    usual, most = limits.seconds()
    clocked = limits.left is not None
    return _core.SearchRequest(
        _bits(position),
        earlier,
        time=most,
        nodes=limits.nodes,
        depth=limits.depth,
        usual_time=usual if clocked else None,
        lines=lines,
        forced_at_once=bool(forced_at_once) or clocked,
        listener=None if on_info is None else _listener(position, on_info),
        stop=stop,
    )


def _listener(position: Position, on_info: Callable[[Info], None]) -> Callable[[_core.SearchReply], None]:
    """Hands over each line of an iteration."""

    def listener(reply: _core.SearchReply) -> None:
        for info in _infos(position, reply):
            on_info(info)

    return listener


def _check_position(position: object, what: str = "the position") -> None:
    if not isinstance(position, Position):
        raise InvalidSettingError(f"{what} is {position!r}, not a Position; Position.from_fen reads one")


def _check_function(name: str, given: object, taken: str) -> None:
    if given is not None and not callable(given):
        raise InvalidSettingError(f"{name} is {given!r}, not a function that takes {taken}")


def _history(history: Iterable[Position]) -> list[tuple[int, int, int, int]]:
    try:
        positions = list(history)
    except TypeError:
        raise InvalidSettingError(f"the history is {history!r}, not a sequence of positions") from None
    for earlier in positions:
        _check_position(earlier, "a position of the history")
    return [_bits(earlier) for earlier in positions]


def _bits(position: Position) -> tuple[int, int, int, int]:
    return position.black, position.white, position.kings, int(position.side)


def _infos(position: Position, reply: _core.SearchReply) -> list[Info]:
    return [
        Info(
            max(reply.depth, 1), score, reply.nodes, reply.seconds, _moves(position, moves), rank,
            reply.probes, reply.hits, len(reply.lines),
        )
        for rank, (score, moves) in enumerate(reply.lines, 1)
    ]  # fmt: skip


def _moves(position: Position, moves: list[tuple[int, int, int]]) -> tuple[Move, ...]:
    """The legal moves of a line that the core gives as squares and captured pieces."""
    line = []
    for origin, target, captured in moves:
        move = position.find_move(origin, target, captured)
        line.append(move)
        position = Position.from_bits(_core.play(*_bits(position), origin, target, captured))
    return tuple(line)
