"""A match of engines in a thread of its own, watched move by move; what stands in its file is played once.

The games go to a PDN file with a log, as those of `kr match --pdn` do. A stopped match resumes from them, and plays the
game that was cut off again.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kr.engine.limits import Clock, Limits, TimeControl, parse_limits
from kr.engine.search import Stop
from kr.errors import InvalidGamesError, InvalidSettingError, KrError
from kr.game.position import Move, Position, Side
from kr.jobs.journal import read_entries
from kr.language.sentences import Told, as_json, count_of, named, sentence
from kr.match.game import FAILURE, Clocks, play_game
from kr.match.log import MatchGame, MatchLog, Written, log_of
from kr.match.match import entered_game, match_pdn, match_record, opening_order
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.openings.decks import Opening, deck
from kr.pdn import read_game
from kr.players.player import Player, Reply
from kr.storage import open_regular
from kr.threads import start_all
from kr.units import MEBIBYTE
from kr.viewer.document import game_document
from kr.viewer.positions import move_json, side_name
from kr.web.house import House
from kr.web.live import BROKEN, error_told
from kr.web.matches.contenders import MATCH_HASH_MB, check_contender, contender_name, is_program, make_contender
from kr.web.matches.files import path_of
from kr.web.request import LONGEST_FEN, PageRequest
from kr.web.services.engines import give_way

MOST_GAMES_OF_A_MATCH = 1000
LONGEST_MOVE = 60.0
"""Most seconds of a move without a clock."""
MOST_NODES_OF_A_MOVE = 100_000_000
LONGEST_MATCH_CLOCK = 3600.0
"""Most seconds of a clock."""
MATCH_MARGIN = 2.0
"""Seconds by which a move may be late: the searches give way to everything else."""
USUAL_PACE, LONGEST_PACE = 0.4, 10.0
"""Seconds that a move takes at least while somebody watches."""
CLOSING_SECONDS = 5.0
RUNNING, STOPPED, DONE, FAILED = "running", "stopped", "done", "failed"


@dataclass(frozen=True)
class MatchPlan:
    """A match as a page asked for it; its log keeps it."""

    a: str
    b: str
    games: int
    tc: str
    ballot: str
    seed: int

    @classmethod
    def of(cls, house: House, request: PageRequest) -> MatchPlan:
        """Read a request. Raises KrError."""
        ballot = request.text("ballot", LONGEST_FEN, "")
        if ballot not in ("", "3move", "11man"):
            position = Position.from_fen(ballot)
            if position.is_over:
                raise InvalidSettingError(sentence("refused.over"))
            ballot = position.fen
        plan = cls(
            check_contender(house, request.text("a", 60)),
            check_contender(house, request.text("b", 60)),
            request.number("games", 2, MOST_GAMES_OF_A_MATCH, 2),
            str(_limits(request.text("tc", 40, "0.3s"))),
            ballot,
            secrets.randbelow(10**6) + 1,
        )
        most = 2 * len(plan.openings())
        if plan.games > most or plan.games % 2:
            raise InvalidSettingError(sentence("refused.odd", games=count_of("games", plan.games), most=most))
        return plan

    def openings(self) -> list[Opening]:
        """Openings to choose from."""
        if self.ballot in ("3move", "11man"):
            return deck(self.ballot)
        return deck("start") if not self.ballot else [Opening("position 1", Position.from_fen(self.ballot))]

    def settings(self, path: Path) -> MatchSettings:
        """Settings of the match; its games go to a file."""
        return MatchSettings(
            a=self.a,
            b=self.b,
            games=self.games,
            tc=parse_limits(self.tc),
            ballot=self.ballot or "start",
            seed=self.seed,
            hash=MATCH_HASH_MB * MEBIBYTE,
            workers=1,
            margin=MATCH_MARGIN,
            proof_adjudication="always" if any(map(is_program, (self.a, self.b))) else "never",
            pdn=path,
        )


def _limits(text: str) -> Limits | TimeControl:
    """Limit of a move, or a clock. Raises InvalidSettingError."""
    limits = parse_limits(text)
    if isinstance(limits, TimeControl):
        if limits.longest + limits.inc + limits.delay > LONGEST_MATCH_CLOCK:
            raise InvalidSettingError(sentence("refused.long_clock", clock=text))
        return limits
    if limits.time is None and limits.nodes is None:
        raise InvalidSettingError(sentence("refused.no_limit", limit=text))
    if (limits.time or 0) > LONGEST_MOVE or (limits.nodes or 0) > MOST_NODES_OF_A_MOVE:
        most = {"seconds": round(LONGEST_MOVE), "nodes": MOST_NODES_OF_A_MOVE}
        raise InvalidSettingError(sentence("refused.long_move", limit=text, **most))
    return limits


@dataclass
class Seen:
    """The news that a page has."""

    facts: object = None
    rows: int = -1
    game: int = -1
    ply: int = 0
    clock: int = -1


@dataclass
class _Board:
    """The game that is being played, as pages see it."""

    number: int
    a_black: bool
    opening: Opening
    nodes: list[dict[str, Any]] = field(default_factory=list)
    clocks: Clocks = (None, None)
    ticking: Side | None = None
    since: float = 0.0
    changes: int = 0

    def __post_init__(self) -> None:
        start, line = self.opening.begin()
        self.start = self._at = start
        for move in line:
            self.add(move, None)

    def add(self, move: Move, reply: Reply | None) -> None:
        """A move, with the reply of a player."""
        side = self._at.side
        self._at = self._at.play(move)
        thought = {} if reply is None else {"score": reply.score, "depth": reply.depth, "time": round(reply.time, 3)}
        self.nodes.append({"side": side_name(side), **move_json(move), "fen": self._at.fen, **thought})

    def tick(self, clocks: Clocks, ticking: Side | None) -> None:
        """Set the clocks, and the one that runs from now on."""
        self.clocks, self.ticking, self.since = clocks, ticking, time.monotonic()
        self.changes += 1

    @property
    def side(self) -> Side:
        """Side to move."""
        return self._at.side

    def clock_json(self) -> dict[str, Any]:
        """The clocks at this moment."""
        seconds = list(self.clocks)
        if self.ticking is not None and (own := seconds[self.ticking]) is not None:
            seconds[self.ticking] = own - (time.monotonic() - self.since)
        ticks = self.ticking is not None and seconds != [None, None]
        return {"clocks": None if seconds == [None, None] else seconds,
                "ticking": side_name(self.ticking) if ticks and self.ticking is not None else None}  # fmt: skip

    def json(self) -> dict[str, Any]:
        """The game so far."""
        return {"number": self.number, "black": "a" if self.a_black else "b", "opening": self.opening.title,
                "start": self.start.fen, "nodes": list(self.nodes)}  # fmt: skip


class LiveMatch:
    """A match, and the bells of the pages that watch it. Its thread plays; the loop reads under the lock."""

    def __init__(self, id: str, plan: MatchPlan, house: House) -> None:
        self.id, self.plan, self._house = id, plan, house
        self.path = path_of(id)
        self.bells: set[Callable[[], None]] = set()
        self.last_watched = time.monotonic()
        self.pace = USUAL_PACE
        self.state = STOPPED
        self.why: Told = ""
        self._lock = threading.Lock()
        self._names = _names_of(house, plan)
        self._result = MatchResult(plan.settings(self.path), self._names)
        self._board: _Board | None = None
        self._stop, self._halt = Stop(), threading.Event()
        self._thread: threading.Thread | None = None
        self._closing = False

    def load(self) -> None:
        """Read the games of its file. Raises InvalidGamesError, OSError."""
        for written in read_entries(log_of(self.path), Written.from_json):
            self._result.enter(written.game)
        if len(self._result.games) >= self.plan.games:
            self.state = DONE

    def start(self) -> None:
        """Play on, if it does not already. Raises ThreadError."""
        if self.state in (RUNNING, DONE):
            return
        if self._thread is not None:
            # it is ending
            self._thread.join(CLOSING_SECONDS)
        self._stop, self._halt = Stop(), threading.Event()
        self.state, self.why = RUNNING, ""
        self._thread = threading.Thread(target=self._run, name=f"match {self.id}", daemon=True)
        start_all([self._thread], lambda: None)
        self._ring()

    def stop(self) -> None:
        """End the game under way; the match can be resumed."""
        self._stop.set()
        self._halt.set()

    def close(self) -> None:
        """End it with the server; pages that watch it have it play on when the server is back."""
        self._closing = True
        self.stop()

    def join(self) -> None:
        """Wait until its thread has ended."""
        if self._thread is not None:
            self._thread.join(CLOSING_SECONDS)

    def news(self, seen: Seen) -> list[dict[str, Any]]:
        """Events that bring a page up to date."""
        events: list[dict[str, Any]] = []
        with self._lock:
            facts = {
                "id": self.id, "settings": asdict(self.plan), "names": list(self._names), "state": self.state,
                "why": as_json(self.why),
            }  # fmt: skip
            is_first, is_new = seen.facts is None, facts != seen.facts
            seen.facts = facts
            games = self._result.games
            if seen.rows != len(games):
                rows = [_row(number, game) for number, game in enumerate(games[max(seen.rows, 0) :], max(seen.rows, 0))]
                seen.rows = len(games)
                events.append({"games": rows, "score": score_json(self._result)})
            if (board := self._board) is not None:
                if seen.game != board.number:
                    seen.game, seen.ply = board.number, len(board.nodes)
                    events.append({"game": board.json(), **board.clock_json()})
                elif seen.ply != len(board.nodes) or seen.clock != board.changes:
                    events.append({"moves": board.nodes[seen.ply :], "ply": seen.ply, **board.clock_json()})
                    seen.ply = len(board.nodes)
                seen.clock = board.changes
            if is_new:
                # a match is over only once its last game is known
                events.insert(0 if is_first else len(events), {"match": facts})
        return events

    def document(self, number: int) -> dict[str, Any]:
        """A finished game. Raises InvalidSettingError, InvalidGamesError, OSError."""
        entries = read_entries(log_of(self.path), Written.from_json)
        if number >= len(entries):
            raise InvalidSettingError(sentence("refused.no_game_yet", number=number + 1))
        begin = entries[number - 1].end if number else 0
        with open_regular(self.path) as file:
            file.seek(begin)
            text = file.read(entries[number].end - begin).decode("utf-8", "replace")
        game = read_game(text)
        if game is None:
            raise InvalidGamesError(sentence("refused.bad_game", number=number + 1))
        return game_document(game)

    # --- its thread

    def _run(self) -> None:
        state = FAILED
        why: Told = ""
        give_way()
        try:
            self._play()
            state = DONE if len(self._result.games) >= self.plan.games else STOPPED
        except (KrError, OSError) as error:
            state, why = (STOPPED, "") if self._stop.is_set() else (FAILED, error_told(error))
        except BaseException:
            why = BROKEN
            raise
        finally:
            with self._lock:
                if not self._closing:
                    self.state, self.why = state, why
                # the last game stays on the boards
                if self._board is not None:
                    self._board.tick(self._board.clocks, None)
            self._ring()

    def _play(self) -> None:
        plan, house = self.plan, self._house
        settings, openings = plan.settings(self.path), plan.openings()
        with (
            _players(house, plan, self.id, self._stop) as players,
            match_record(settings, openings, players, house.database, web=asdict(plan)) as log,
        ):
            assert log is not None
            result = MatchResult(settings, self._names)
            for game in log.games:
                result.enter(game)
            with self._lock:
                self._result = result
            games = {(game.pair, game.a_black) for game in result.games}
            for pair, opening in enumerate(opening_order(openings, plan.games // 2, plan.seed)):
                for a_black in (True, False):
                    if (pair, a_black) not in games and not self._play_game(players, pair, opening, a_black, log):
                        return

    def _play_game(
        self, players: tuple[Player, Player], pair: int, opening: Opening, a_black: bool, log: MatchLog
    ) -> bool:
        """Play and record a game; False if it was stopped."""
        settings = self._result.settings
        self._begin_board(opening, a_black)
        finished = play_game(
            opening,
            players if a_black else (players[1], players[0]),
            settings.controls(),
            settings.margin,
            settings.terms(),
            self._house.database,
            self._stop,
            self._moved,
            settings.ends_by_proof,
        )
        if finished is None:
            return False
        game = entered_game(pair, a_black, opening, finished)
        log.append(game, match_pdn(settings, self._names, game, opening, finished))
        with self._lock:
            self._result.enter(game)
        self._ring()
        self._rest(4 * self.pace)
        return True

    def _begin_board(self, opening: Opening, a_black: bool) -> None:
        seconds = Clock(parse_limits(self.plan.tc)).allowed
        with self._lock:
            board = self._board = _Board(len(self._result.games), a_black, opening)
            board.tick((seconds, seconds), board.side)
        self._ring()

    def _moved(self, move: Move, reply: Reply | None, clocks: Clocks) -> None:
        board = self._board
        assert board is not None
        with self._lock:
            board.add(move, reply)
            board.tick(clocks, None)
        self._ring()
        self._rest(self.pace - (reply.time if reply else 0.0))
        with self._lock:
            board.tick(clocks, board.side)
        if clocks != (None, None):
            self._ring()

    def _rest(self, seconds: float) -> None:
        """Let those who watch see what has been played."""
        if self.bells and seconds > 0:
            self._halt.wait(seconds)

    def _ring(self) -> None:
        for ring in tuple(self.bells):
            ring()


@contextmanager
def _players(house: House, plan: MatchPlan, viewer: str, stop: Stop) -> Iterator[tuple[Player, Player]]:
    a = make_contender(house, plan.a, plan.seed, viewer, stop)
    try:
        b = make_contender(house, plan.b, plan.seed + 1, viewer, stop)
        try:
            yield a, b
        finally:
            b.close()
    finally:
        a.close()


def _names_of(house: House, plan: MatchPlan) -> tuple[str, str]:
    """Names of the players, apart. Raises LookupError for players that are not there any more."""
    a, b = contender_name(house, plan.a), contender_name(house, plan.b)
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def _row(number: int, game: MatchGame) -> dict[str, Any]:
    return {"number": number, "black": "a" if game.a_black else "b", "opening": game.opening, "points": game.points,
            "reason": as_json(_reason(game)), "plies": game.plies}  # fmt: skip


def _reason(game: MatchGame) -> Told:
    if game.reason == FAILURE and game.detail:
        return sentence("reason.engine_failed", detail=game.detail)
    return named("reason", game.reason)


def score_json(result: MatchResult) -> dict[str, Any]:
    """The score as A sees it, and its Elo; numbers that no pair gives yet are null."""
    figures = result.estimate
    elo, error = figures.elo, figures.elo_error
    is_known = sum(result.pentanomial) > 0 and math.isfinite(error)
    return {
        "wins": result.count(2), "draws": result.count(1), "losses": result.count(0),
        "elo": round(elo, 1) if is_known else None, "error": round(error, 1) if is_known else None,
        "superior": round(figures.los, 4) if is_known else None, "pairs": list(result.pentanomial),
    }  # fmt: skip
