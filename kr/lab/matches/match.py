"""A match between two players: pairs of games, played side by side, counted as they end."""

from __future__ import annotations

import datetime
import os
import queue
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.engine import load_database
from kr.errors import InvalidSettingError
from kr.lab.engines import STOP_AGAIN
from kr.lab.matches.elo import Estimate, Sprt, estimate
from kr.lab.matches.game import FAILURE, OVERTIME, Adjudication, Outcome, play_game
from kr.lab.matches.log import Effort, GameRecord, MatchLog, open_log
from kr.lab.matches.openings import DECKS, Opening, deck
from kr.lab.matches.tally import Tally
from kr.limits import Limits, TimeControl, parse_limits
from kr.pdn import Comment, format_game
from kr.players.names import names_apart
from kr.players.player import Player
from kr.players.registry import PLAYER_HELP, kind_of, player_from_spec
from kr.position import Side
from kr.settings import egdb_memory_option, egdb_option, option
from kr.storage import checksum, provenance
from kr.threads import MAX_THREADS, start_all
from kr.units import counted, format_count, format_duration, format_size, parse_count, parse_duration, parse_size

if TYPE_CHECKING:
    from kr.egdb.database import Database

MEBIBYTE = 1 << 20
MOST_GAMES = 10**7
MOST_HASH = 1 << 40
BLACK_RESULTS = {Side.BLACK: "1-0", Side.WHITE: "0-1", None: "1/2-1/2"}


@dataclass(frozen=True)
class MatchSettings:
    """What a match is. Raises InvalidSettingError for what can't be played."""

    a: str = option("shipped", f"First player: {PLAYER_HELP}.", argument=True, metavar="A")
    b: str = option("manual", "Second player.", argument=True, metavar="B")
    ballot: str = option(
        "11man",
        f"Openings: {', '.join(DECKS)}, or a file of FENs or PDN games; FILE.pdn:8 for those after 8 plies.",
    )
    games: int = option(200, "Games to play, two with each opening.", parse=parse_count, show=format_count)
    tc: Limits | TimeControl = option(
        Limits(time=0.3),
        "Limit of each move: 0.3s, nodes=2000, depth=8; or a clock: 5+3 (minutes and seconds), 40/30.",
        parse=parse_limits,
    )
    tc_b: Limits | TimeControl | None = option(None, "The same for B, if it is another.", parse=parse_limits)
    concurrency: int = option(0, "Games at a time; 0: one a core.")
    hash: int = option(64 * MEBIBYTE, "Hash table of each player.", parse=parse_size, show=format_size)
    seed: int = option(1, "Order of the openings.")
    adjudicate: bool = option(True, "End games that both players see as decided, or as drawn.")
    win_score: int = option(400, "Adjudicate a win when both players hold one side this many centi-men ahead.")
    win_moves: int = option(4, "The same, for so many moves in a row of each player.")
    draw_score: int = option(10, "Adjudicate a draw when both players' scores stay within this, either way.")
    draw_moves: int = option(12, "The same, for so many moves in a row of each player.")
    draw_after: int = option(60, "Plies before which no draw is adjudicated.")
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    egdb_adjudication: bool = option(True, "End games where the endgame database knows the result.")
    margin: float = option(
        0.2,
        "How much longer than its time a move may take, or how far a clock may be overdrawn.",
        parse=parse_duration,
        show=format_duration,
    )
    patience: float = option(
        120.0, "How long a Hub engine may search without a time limit.", parse=parse_duration, show=format_duration
    )
    sprt: tuple[float, float] | None = option(None, "Stop when decided between these two Elo.", metavar="ELO0 ELO1")
    pdn: Path | None = option(None, "Write the games here; run the same command to resume.")

    def __post_init__(self) -> None:
        if not 2 <= self.games <= MOST_GAMES or self.games % 2:
            expected = f"an even number up to {format_count(MOST_GAMES)}, two with each opening"
            raise InvalidSettingError(f"{counted(self.games, 'game')}: expected {expected}")
        if Limits() in self.controls():
            raise InvalidSettingError("a match needs a limit for each move, such as 0.3s, nodes=2000 or depth=8")
        if not 0 <= self.concurrency <= MAX_THREADS:
            raise InvalidSettingError(
                f"concurrency {self.concurrency}: expected 1 to {MAX_THREADS}, or 0 for one a core"
            )
        if not MEBIBYTE <= self.hash <= MOST_HASH:
            raise InvalidSettingError(f"hash {format_size(self.hash)}: expected 1MB to {format_size(MOST_HASH)}")
        self.terms()
        self.test()

    def terms(self) -> Adjudication | None:
        """The terms of adjudication, None where games are played out."""
        terms = Adjudication(self.win_score, self.win_moves, self.draw_score, self.draw_moves, self.draw_after)
        return terms if self.adjudicate else None

    def test(self) -> Sprt | None:
        """The sequential test that may end the match."""
        return None if self.sprt is None else Sprt(*self.sprt)

    def controls(self) -> tuple[Limits | TimeControl, Limits | TimeControl]:
        """The limits of each of A's and of B's moves, or their clocks."""
        return self.tc, self.tc_b or self.tc

    def threads(self) -> int:
        """How many games go on at a time."""
        return min(self.concurrency or len(os.sched_getaffinity(0)), self.games // 2)

    def player(self, spec: str) -> Player:
        """A new player of this match."""
        return player_from_spec(spec, self.hash // MEBIBYTE, self.patience, self.egdb, self.egdb_memory)

    def referee(self) -> Database | None:
        """The endgame database that ends games, if one does."""
        return load_database(self.egdb, self.egdb_memory) if self.egdb_adjudication else None


@dataclass
class MatchResult:
    """The games of a match so far, as A sees them."""

    settings: MatchSettings
    names: tuple[str, str]
    games: list[GameRecord] = field(default_factory=list)
    interrupted: bool = False
    damaged: int = 0
    """Games of the record that were not as they had been written: removed, to be played again."""
    _tally: Tally = field(default_factory=Tally, init=False, repr=False, compare=False)

    @property
    def tally(self) -> Tally:
        """The sums over all games, with those that came since it was asked for last."""
        for game in self.games[self._tally.games :]:
            self._tally.add(game)
        return self._tally

    def count(self, points: int) -> int:
        """How many games brought A so many half points."""
        return self.tally.points[points]

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Whole pairs by A's half points, worst first."""
        worst, worse, even, better, best = self.tally.pairs
        return worst, worse, even, better, best

    @property
    def estimate(self) -> Estimate:
        """Elo and what belongs to it, from whole pairs."""
        return estimate(self.pentanomial)

    @property
    def warning(self) -> str | None:
        """One line where so many games were lost on time or by failure that the result is distorted; else None."""
        return self.tally.warning()

    @property
    def decision(self) -> str | None:
        """What the sequential test has decided, if there is one and it has."""
        test = self.settings.test()
        return test.decision(self.pentanomial) if test else None

    def reasons(self) -> dict[str, int]:
        """Why the games ended, most frequent first."""
        return dict(self.tally.reasons.most_common())

    def faults(self, reason: str) -> tuple[int, int]:
        """How many games A and B lost for this reason."""
        return self.tally.lost[0][reason], self.tally.lost[1][reason]

    def efforts(self) -> tuple[Effort, Effort]:
        """What the searches of A and of B amount to."""
        return self.tally.efforts

    def summary(self) -> dict[str, Any]:
        """All of it, for programs: numbers and texts by name; a number that doesn't exist is None or infinite."""
        figures = self.estimate
        test = self.settings.test()
        summary: dict[str, Any] = {
            "games": len(self.games),
            "wins": self.count(2),
            "draws": self.count(1),
            "losses": self.count(0),
            "pentanomial": self.pentanomial,
            "elo": figures.elo,
            "elo_error": figures.elo_error,
            "normalized_elo": figures.normalized_elo,
            "normalized_elo_error": figures.normalized_elo_error,
            "los": figures.los,
            "reasons": self.reasons(),
            "forfeits": sum(self.tally.forfeits),
            "warning": self.warning,
            "interrupted": self.interrupted,
            "sprt": None,
            "settings": self.settings,
        }
        if test:
            llr = test.llr(self.pentanomial)
            summary["sprt"] = {"llr": llr, "lower": test.lower, "upper": test.upper, "decision": self.decision}
        for index, letter in enumerate("ab"):
            effort = self.efforts()[index]
            summary[letter] = {
                "name": self.names[index],
                "mean_depth": effort.depth / max(effort.searches, 1),
                "nodes_per_second": effort.nodes / max(effort.seconds, 1e-9),
                "time_forfeits": self.faults(OVERTIME)[index],
                "failures": self.faults(FAILURE)[index],
            }
        return summary


def play_match(settings: MatchSettings, on_game: Callable[[MatchResult], None] = lambda result: None) -> MatchResult:
    """Play a match, or the rest of it; `on_game` is called after each game.

    Ctrl-C ends it with what has been played (`interrupted`). Raises what the settings, players and files raise.
    """
    openings = deck(settings.ballot)
    _check_variety(settings, openings)
    referee = settings.referee()
    first = (settings.player(settings.a), settings.player(settings.b))
    try:
        a, b = settings.controls()
        names = first[0].name, first[1].name
        apart = names_apart(names, first, (str(a), str(b)), ("A", "B"))
        result = MatchResult(settings, apart)
        with _record(settings, openings, first, referee) as log:
            if log:
                result.games.extend(log.games)
                result.damaged = log.damaged
            if result.games:
                on_game(result)
            _Hall(settings, _schedule(settings, openings), result, log, referee).play(first, on_game)
    finally:
        for player in first:
            player.close()
    return result


def check_match(settings: MatchSettings) -> None:
    """Raise what a match is refused for by its openings or its endgame database, before work is done that it needs."""
    _check_variety(settings, deck(settings.ballot))
    load_database(settings.egdb, settings.egdb_memory)


def _check_variety(settings: MatchSettings, openings: Sequence[Opening]) -> None:
    """Refuse a match that would play games over again and count them as new."""
    repeatable = all(control.time is None for control in settings.controls()) and all(
        kind_of(spec).repeatable for spec in (settings.a, settings.b)
    )
    if repeatable and settings.games > 2 * len(openings):
        raise InvalidSettingError(
            f"{settings.games} games with {counted(len(openings), 'opening')} of {settings.ballot} at {settings.tc} "
            f"would repeat each other: play {2 * len(openings)} at most, choose more openings or a time limit"
        )


def _schedule(settings: MatchSettings, openings: Sequence[Opening]) -> list[Opening]:
    """The opening of each pair: all of them in random order, then all in another order, and so on."""
    source = random.Random(settings.seed)
    order: list[Opening] = []
    while len(order) < settings.games // 2:
        order += source.sample(openings, len(openings))
    return order[: settings.games // 2]


@contextmanager
def _record(
    settings: MatchSettings, openings: Sequence[Opening], players: tuple[Player, Player], referee: Database | None
) -> Iterator[MatchLog | None]:
    """The record of the match, if it has one. It holds what may not change when the match is continued."""
    if settings.pdn is None:
        with nullcontext() as nothing:
            yield nothing
        return
    kept = {
        "players": [player.signature for player in players],
        "openings": checksum("\n".join(opening.position.fen for opening in openings).encode()),
        "tc": str(settings.tc),
        "tc_b": None if settings.tc_b is None else str(settings.tc_b),
        "egdb_adjudication": None if referee is None else referee.signature,
    }
    for name in ("ballot", "hash", "seed", "adjudicate", "win_score", "win_moves", "draw_score", "draw_moves"):
        kept[name] = getattr(settings, name)
    with open_log(settings.pdn, kept | {"draw_after": settings.draw_after}, provenance(seed=settings.seed)) as log:
        yield log


class _Hall:
    """The tables at which the games of a match are played, one thread each; a pair is played at one of them."""

    def __init__(
        self,
        settings: MatchSettings,
        schedule: Sequence[Opening],
        result: MatchResult,
        log: MatchLog | None,
        referee: Database | None,
    ) -> None:
        self._settings = settings
        self._schedule = schedule
        self._result = result
        self._log = log
        self._referee = referee
        self._played = {(game.pair, game.a_black) for game in result.games}
        self._pairs = iter(range(len(schedule)))
        self._next_pair = threading.Lock()
        self._stop = threading.Event()
        self._players: list[Player] = []
        self._news: queue.Queue[tuple[int, bool, Outcome] | BaseException | None] = queue.Queue()

    def play(self, first: tuple[Player, Player], on_game: Callable[[MatchResult], None]) -> None:
        """Play what is missing. `first`: the players of the first table, which stay the caller's to close."""
        if self._result.decision or len(self._played) >= self._settings.games:
            return
        error: BaseException | None = None
        with self._interruptible():
            tables = self._settings.threads()
            seats = [first, *[None] * (tables - 1)]
            threads = [threading.Thread(target=self._sit, args=(seat,), daemon=True) for seat in seats]
            start_all(threads, lambda: self._end(threads))
            while tables:
                try:
                    news = self._news.get(timeout=0.1)
                except queue.Empty:
                    self._end_if_stopped()
                    continue
                if news is None:
                    tables -= 1
                elif isinstance(news, BaseException):
                    error = error or news
                    self._stop.set()
                elif error is None:
                    try:
                        self._enter(*news)
                        on_game(self._result)
                    except Exception as fault:
                        error = fault
                    if error or self._result.decision:
                        self._stop.set()
                self._end_if_stopped()
        if error:
            raise error

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Let the first Ctrl-C or SIGTERM end the match in good order, and the second at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

        def restore() -> None:
            for number, handler in before.items():
                signal.signal(number, handler)

        def interrupt(number: int, frame: object) -> None:
            self._result.interrupted = True
            self._stop.set()
            restore()

        for number, handler in before.items():
            # a shell's background jobs have Ctrl-C ignored, and keep it so
            if handler is not signal.SIG_IGN:
                signal.signal(number, interrupt)
        try:
            yield
        finally:
            restore()

    def _end(self, threads: Sequence[threading.Thread]) -> None:
        """Let those tables that are there end their games."""
        self._stop.set()
        while any(thread.is_alive() for thread in threads):
            self._end_if_stopped()
            time.sleep(STOP_AGAIN)

    def _end_if_stopped(self) -> None:
        """Asked for again and again: a player that is between two searches hears nothing of a stop."""
        if self._stop.is_set():
            for player in list(self._players):
                player.stop()

    def _sit(self, players: tuple[Player, Player] | None) -> None:
        """The work of one table: pairs until there are none left; its last news is None."""
        own: list[Player] = []
        try:
            if players is None:
                for spec in (self._settings.a, self._settings.b):
                    own.append(self._settings.player(spec))
                players = (own[0], own[1])
            self._players.extend(players)
            while not self._stop.is_set():
                with self._next_pair:
                    pair = next(self._pairs, None)
                if pair is None:
                    break
                self._play_pair(pair, players)
        except BaseException as error:
            self._news.put(error)
        finally:
            for player in own:
                player.close()
            self._news.put(None)

    def _play_pair(self, pair: int, players: tuple[Player, Player]) -> None:
        settings = self._settings
        controls = settings.controls()
        for a_black in (True, False):
            if (pair, a_black) in self._played:
                continue
            black, white = (0, 1) if a_black else (1, 0)
            outcome = play_game(
                self._schedule[pair],
                (players[black], players[white]),
                (controls[black], controls[white]),
                settings.margin,
                settings.terms(),
                self._stop.is_set,
                self._referee,
            )
            if outcome is None:
                return
            self._news.put((pair, a_black, outcome))

    def _enter(self, pair: int, a_black: bool, outcome: Outcome) -> None:
        """Count a finished game and write it down."""
        a_side = Side.BLACK if a_black else Side.WHITE
        points = 1 if outcome.winner is None else 2 if outcome.winner == a_side else 0
        efforts = _efforts(outcome)
        game = GameRecord(
            pair=pair,
            a_black=a_black,
            opening=self._schedule[pair].name,
            points=points,
            reason=outcome.reason,
            detail=outcome.detail,
            plies=len(outcome.moves),
            a=efforts[a_side],
            b=efforts[a_side.other],
        )
        if self._log:
            self._log.append(game, self._pdn(game, self._schedule[pair], outcome))
        self._result.games.append(game)

    def _pdn(self, game: GameRecord, opening: Opening, outcome: Outcome) -> str:
        names = self._result.names if game.a_black else self._result.names[::-1]
        tags = {
            "Event": "kr match",
            "Site": "?",
            "Date": datetime.datetime.now(datetime.UTC).strftime("%Y.%m.%d"),
            "Round": f"{game.pair + 1}.{1 if game.a_black else 2}",
            "Black": names[0],
            "White": names[1],
            "Opening": opening.title,
            "TimeControl": self._time_control(game.a_black),
            "Termination": f"{game.reason}: {game.detail}" if game.detail else game.reason,
        }
        start, line = opening.begin()
        notes = [Comment(ply, reply.note()) for ply, reply in enumerate(outcome.replies, start=len(line) + 1) if reply]
        result = BLACK_RESULTS[outcome.winner]
        return format_game(tags, start, (*line, *outcome.moves), result, notes) + "\n"

    def _time_control(self, a_black: bool) -> str:
        a, b = map(str, self._settings.controls())
        black, white = (a, b) if a_black else (b, a)
        return black if black == white else f"Black {black}, White {white}"


def _efforts(outcome: Outcome) -> tuple[Effort, Effort]:
    """Black's and White's."""
    sums = [Effort(), Effort()]
    for ply, reply in enumerate(outcome.replies):
        if reply:
            side = (outcome.start.side + ply) % 2
            sums[side] += Effort(1, reply.depth, reply.nodes, reply.time)
    return sums[0], sums[1]
