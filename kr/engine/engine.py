"""The engine: static scores and searches over the compiled core. It calls back, and never prints."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kr import _core, _egdb
from kr.egdb.database import VALUES, Database, load_database
from kr.engine.limits import Limits
from kr.engine.options import check_search_options
from kr.engine.result import SCORE_PROVED, Info, SearchOutcome, SearchResult
from kr.engine.search import Course, Search, SearchProgress, Stop, under_way
from kr.errors import IllegalMoveError, InvalidSettingError
from kr.evaluation import kinds
from kr.evaluation.chances import Chances, chances
from kr.game.board import PositionLike, position_of, with_history
from kr.game.position import Bits, Move, Position, Side
from kr.game.value import Value
from kr.settings import EGDB_MEMORY
from kr.threads import THREADS, no_thread
from kr.units import MEBIBYTE, Range, format_size

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kr.evaluation.weights import Weights

MAX_LINES: int = _core.MAX_LINES
"""Most principal variations that one search can keep."""
HASH_MB = Range(above=0, high=1 << 20)
"""Megabytes of a hash table."""
DEFAULT_HASH_MB = 64


class Engine:
    """Evaluation, hash table and search.

    weights: path of a weights file, "manual" (the hand-built evaluation), "material" (men and kings only), None or
    "shipped" for the shipped tables, or tables in memory (`Weights.from_tables`). hash_mb: megabytes of hash table.
    threads: threads of one search; with one thread, the same search from the same state gives the same result.
    database: the endgame database to probe, or the text of an `--egdb` setting: a directory, "" for one in the usual
    places, "none" or None for none; engines share it. options: search options that differ from their defaults, by name
    (SEARCH_OPTIONS). egdb_memory: bytes in which to unpack a database that is given as text. Raises
    InvalidWeightsError, InvalidDatabaseError and InvalidSettingError.

    `score_scale`: centi-men to a logit of the expected result (`kr.evaluation.chances`).
    """

    def __init__(
        self,
        weights: str | Path | Weights | None = None,
        hash_mb: float = DEFAULT_HASH_MB,
        threads: int = 1,
        database: Database | str | Path | None = "",
        options: Mapping[str, int] | None = None,
        egdb_memory: int = EGDB_MEMORY,
    ) -> None:
        self.hash_mb: float = HASH_MB.check("hash_mb", hash_mb, whole=False)
        self.threads: int = THREADS.check("threads", threads)
        self._scorer = kinds.load_scorer(weights)
        self.name, self.signature = self._scorer.name, self._scorer.signature
        self.score_scale = self._scorer.scale
        self.database = load_database(str(database), egdb_memory) if isinstance(database, str | Path) else database
        try:
            core = None if self.database is None else self.database.core
        except AttributeError:
            raise InvalidSettingError(f"the database is {database!r}, not a directory or an open one") from None
        try:
            self._searcher = _core.Searcher(
                self._scorer.core, int(self.hash_mb * MEBIBYTE), self.threads, core, check_search_options(options)
            )
        except ValueError as error:
            raise InvalidSettingError(str(error)) from error
        except MemoryError as error:
            raise InvalidSettingError(f"hash_mb is {hash_mb}: {error}") from error

    def search(
        self,
        position: PositionLike,
        limits: Limits | float | str,
        history: Sequence[Position] = (),
        on_info: Callable[[Info], None] | None = None,
        multipv: int = 1,
        forced_at_once: bool = False,
        stop: Stop | None = None,
        draws_for: Side | None = None,
    ) -> SearchResult:
        """Search a position and return the best move with its score and principal variation.

        position: a position, or a game with its history (Board). limits: Limits, or seconds, or text such as "0.3s",
        "nodes=2000" or "depth=9". history: positions of the game before a Position, oldest first, for draws by
        repetition. on_info: called for each line after each iteration; an
        exception in it ends the search and is raised here. multipv: number of best moves that get a line, unless
        the limits have `within`.
        forced_at_once: play a forced move without searching, as is always done on a clock. stop: ends this search once
        set, even before it has begun; one Stop may serve many searches. A decided score that can't be improved ends the
        search early. draws_for: side for which draws count as wins, and against the other as losses: the search asks
        whether that side loses, stops at the first proved score, and gives no `value`.

        Raises IllegalMoveError if there is no legal move, InvalidDatabaseError if the search met damage in the endgame
        database, InvalidSettingError for invalid arguments and if the engine is searching already, and ThreadError if
        its threads can't be started. KeyboardInterrupt passes through. After any exception the engine is ready for the
        next search.
        """
        _check_function("on_info", on_info, "an Info")
        position, history = with_history(position, history)
        request = _request(position, limits, history, multipv, on_info, forced_at_once, stop, draws_for)
        with self._errors():
            reply = self._searcher.search(request)
        result = self._result(position, reply)
        return result if draws_for is None else replace(result, value=None)

    def seek(
        self,
        position: Bits,
        history: list[Bits],
        nodes: int,
        draws_for: int | None = None,
        stop: Stop | None = None,
        seconds: float | None = None,
    ) -> tuple[int, list[tuple[int, int, int]], int]:
        """A search in the terms of the core, for proofs: score, moves as origin, target and captured, and nodes.

        history: the positions before it, oldest first. Raises as `search` does.
        """
        request = _core.SearchRequest(position, history, nodes=nodes, time=seconds, stop=stop, draws_for=draws_for)
        with self._errors():
            reply = self._searcher.search(request)
        if self.database is not None and reply.probes:
            self.database.raise_damage()
        score, moves = reply.lines[0]
        return score, moves, reply.nodes

    def start(
        self,
        position: PositionLike,
        limits: Limits | float | str,
        history: Sequence[Position] = (),
        on_info: Callable[[Info], None] | None = None,
        multipv: int = 1,
        forced_at_once: bool = False,
        on_end: Callable[[SearchOutcome], None] | None = None,
    ) -> Search:
        """Start the same search in the background and return its handle.

        on_info and on_end are called in the search's thread; on_end gets the result or the exception, once the engine
        is ready for the next search. Exceptions in either are raised by `Search.result`. Invalid arguments are refused
        here, and ThreadError is raised here if no thread can be started.
        """
        _check_function("on_info", on_info, "an Info")
        _check_function("on_end", on_end, "a SearchResult")
        root, history = with_history(position, history)
        course = Course(self._searcher.forget_search)

        def on_line(info: Info) -> None:
            course.thread = threading.get_ident()
            course.add(info)
            if on_info is not None:
                on_info(info)

        def finish(reply: _core.SearchReply | BaseException) -> None:
            course.thread = threading.get_ident()
            try:
                with self._errors():
                    if isinstance(reply, BaseException):
                        raise reply
                outcome: SearchOutcome = self._result(root, reply)
            except BaseException as error:
                outcome = error
            try:
                if on_end is not None:
                    on_end(outcome)
            except BaseException as error:
                outcome = error
            course.end(outcome)

        request = _request(root, limits, history, multipv, on_line, forced_at_once, course.stop)

        def progress() -> SearchProgress | None:
            now = self._searcher.progress(request)
            return None if now is None else SearchProgress(*now)

        search = Search(course, progress)
        try:
            under_way.add(course)
            with self._errors():
                self._searcher.start(request, finish)
        except BaseException:
            # Ctrl-C may also come once the search has begun
            course.stop.set()
            under_way.discard(course)
            raise
        return search

    def _result(self, position: Position, reply: _core.SearchReply) -> SearchResult:
        """The result of a reply. Raises InvalidDatabaseError if the search met damage."""
        if self.database is not None and reply.probes:
            self.database.raise_damage()
        lines = _infos(position, reply)
        best = lines[0]
        return SearchResult(
            best.pv[0], best.score, best.depth, best.nodes, best.time, best.pv, tuple(lines),
            _value(best.score, reply.value), reply.probes, reply.hits,
        )  # fmt: skip

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Translate the core's errors into kr's."""
        try:
            yield
        except _core.SearchingError:
            raise InvalidSettingError("this engine is searching already; stop it, or use another Engine") from None
        except _core.ThreadError:
            raise no_thread(self.threads) from None

    def stop(self) -> None:
        """End the running search, if any, at once. May be called from any thread."""
        self._searcher.stop()

    def new_game(self) -> None:
        """Clear the hash table and the move ordering learned by earlier searches.

        Waits for the end of a search in another thread. Raises InvalidSettingError if called from that search's own
        callbacks.
        """
        with self._errors():
            self._searcher.clear()

    def set_options(self, options: Mapping[str, int]) -> None:
        """Search with these options from now on, and the defaults for all others.

        Waits as `new_game` does. Raises InvalidSettingError.
        """
        checked = check_search_options(options)
        with self._errors():
            try:
                self._searcher.set_options(checked)
            except ValueError as error:
                raise InvalidSettingError(str(error)) from error

    def chances(self, score: int, value: Value | None = None) -> Chances:
        """Chances of a win, a draw and a loss, for a score of this engine.

        value: the proved value if there is one, as in `SearchResult.value`.
        """
        return chances(score, self.score_scale, value)

    def evaluate(self, position: PositionLike) -> int:
        """Static score in centi-men, side to move's view. Meaningful only if nothing can be captured.

        Raises InvalidSettingError for anything but a position.
        """
        return int(self._scorer.core.evaluate(*position_of(position).bits))

    def evaluate_batch(self, positions: NDArray[np.uint32]) -> NDArray[np.int16]:
        """Static scores (n,) of positions (n, 4): black, white, kings, side. Raises InvalidSettingError."""
        import numpy as np

        try:
            array = np.asarray(positions)
            # numpy converts fractions, negative numbers and numbers beyond 32 bits silently
            with np.errstate(invalid="ignore"):
                rows = np.ascontiguousarray(array, dtype=np.uint32)
            if not (rows == array).all():
                raise ValueError("numbers out of range")
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidSettingError(f"positions are not an array of 32-bit numbers: {error}") from None
        if rows.ndim != 2 or rows.shape[1] != 4:
            raise InvalidSettingError(f"positions have the shape {rows.shape}; (n, 4) is black, white, kings, side")
        black, white, kings, side = rows.T
        if ((black & white) | (kings & ~(black | white))).any() or (side > 1).any():
            raise InvalidSettingError(
                "positions hold squares with two pieces, kings on empty squares, or a side other than 0 and 1"
            )
        scores = np.empty(len(rows), dtype=np.int16)
        self._scorer.core.evaluate_batch(rows, scores)
        return scores


class EngineSettings(Protocol):
    """The settings that every engine needs."""

    @property
    def hash(self) -> int:
        """Bytes of the hash table."""

    @property
    def egdb(self) -> str:
        """Endgame database, in the form of load_database."""

    @property
    def egdb_memory(self) -> int:
        """Bytes in which to unpack the endgame database."""


def engine_from(
    settings: EngineSettings,
    weights: str | None = None,
    threads: int = 1,
    options: Mapping[str, int] | None = None,
) -> Engine:
    """The engine of some settings. weights, threads, options: as for Engine, with the same errors."""
    try:
        return Engine(weights, settings.hash / MEBIBYTE, threads, settings.egdb, options, settings.egdb_memory)
    except InvalidSettingError as error:
        if isinstance(error.__cause__, MemoryError):
            raise InvalidSettingError(f"--hash {format_size(settings.hash)}: {error.__cause__}") from error
        raise


def _value(score: int, database_value: int) -> Value | None:
    """Proved result of a position with this score and this value in the endgame database."""
    if database_value != _egdb.VALUE_UNKNOWN:
        return VALUES[database_value]
    return None if abs(score) <= SCORE_PROVED else Value.from_sign(score)


def _draws_for(side: Side | None) -> int | None:
    """The side for which draws count as wins, for the core. Raises InvalidSettingError."""
    try:
        return None if side is None else int(Side(side))
    except ValueError:
        raise InvalidSettingError(f"draws_for is {side!r}; expected Side.BLACK, Side.WHITE or None") from None


def _request(
    position: Position,
    limits: Limits | float | str,
    history: Sequence[Position],
    multipv: int,
    on_info: Callable[[Info], None] | None,
    forced_at_once: bool,
    stop: Stop | None,
    draws_for: Side | None = None,
) -> _core.SearchRequest:
    """Arguments of a search for the core. Raises IllegalMoveError and InvalidSettingError."""
    if position.is_over:
        raise IllegalMoveError(f"{position.fen} has no legal move: the game is over")
    lines = Range(1, MAX_LINES).check("multipv", multipv)
    if stop is not None and not isinstance(stop, Stop):
        raise InvalidSettingError(f"stop is {stop!r}, not a kr.Stop")
    limits = Limits.of(limits)
    usual, most = limits.seconds()
    clocked = limits.left is not None
    return _core.SearchRequest(
        position.bits,
        [earlier.bits for earlier in history],
        time=most,
        nodes=limits.nodes,
        depth=limits.depth,
        usual_time=usual if clocked else None,
        lines=lines,
        forced_at_once=bool(forced_at_once) or clocked,
        listener=None if on_info is None else _listener(position, on_info),
        stop=stop,
        draws_for=_draws_for(draws_for),
        within=limits.within,
    )


def _listener(position: Position, on_info: Callable[[Info], None]) -> Callable[[_core.SearchReply], None]:
    """Pass each line of an iteration to the callback."""

    def listener(reply: _core.SearchReply) -> None:
        for info in _infos(position, reply):
            on_info(info)

    return listener


def _check_function(name: str, function: object, argument: str) -> None:
    if function is not None and not callable(function):
        raise InvalidSettingError(f"{name} is {function!r}, not a function that takes {argument}")


def _infos(position: Position, reply: _core.SearchReply) -> list[Info]:
    return [
        Info(
            max(reply.depth, 1), score, reply.nodes, reply.seconds, _moves(position, moves), rank,
            reply.probes, reply.hits, len(reply.lines),
        )
        for rank, (score, moves) in enumerate(reply.lines, 1)
    ]  # fmt: skip


def _moves(position: Position, moves: list[tuple[int, int, int]]) -> tuple[Move, ...]:
    """Legal moves of a line from squares and captured pieces, the form of the core."""
    line, bits = [], position.bits
    for origin, target, captured in moves:
        # the squares between are only in the move generator's list; a quiet move has none
        move_on_board = (
            Position.from_bits(bits).find_move(origin, target, captured) if captured else Move((origin, target))
        )
        line.append(move_on_board)
        bits = _core.play(*bits, origin, target, captured)
    return tuple(line)
