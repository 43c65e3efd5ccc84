"""A match between two players: pairs of games, played concurrently and counted as they end."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.cluster.address import cluster_option
from kr.cluster.pools import work_pool
from kr.engine.database import load_database
from kr.engine.limits import Limits, TimeControl, parse_limits
from kr.engine.settings import MEBIBYTE, egdb_memory_option, egdb_option, hash_option
from kr.errors import InvalidSettingError
from kr.game.outcome import OVERTIME
from kr.game.position import Side
from kr.game.value import Result
from kr.jobs.needs import Needs
from kr.jobs.pool import interruptible
from kr.jobs.unit import Unit
from kr.match.elo import Estimate, Sprt, estimate
from kr.match.game import FAILURE, Adjudication, FinishedGame
from kr.match.log import Effort, MatchGame, MatchLog, open_log
from kr.match.machines import MatchWorker, match_workers
from kr.match.pairs import Pairs
from kr.match.tally import MatchTally
from kr.match.verdict import PairsInOrder
from kr.openings.decks import DECKS, Opening, deck
from kr.pdn import Comment, format_game
from kr.players.names import described, names_apart
from kr.players.player import Player
from kr.players.registry import PLAYER_HELP, kind_of, player_from_spec
from kr.players.workers import egdb_needs, players_needs
from kr.settings import Settings, check_settings, option, workers_option
from kr.storage import checksum, provenance
from kr.threads import worker_count
from kr.units import counted, format_count, format_duration, parse_count, parse_duration

if TYPE_CHECKING:
    from kr.egdb.database import Database

MOST_GAMES = 10**7


@dataclass(frozen=True)
class MatchSettings(Settings):
    """Settings of a match. Raises InvalidSettingError if it can't be played."""

    a: str = option("shipped", f"First player: {PLAYER_HELP}.", argument=True, metavar="A")
    b: str = option("manual", "Second player.", argument=True, metavar="B")
    ballot: str = option(
        "11man",
        f"Openings: {', '.join(DECKS)}, a name such as 'Old Fourteenth', or a file of FENs or PDN games; FILE.pdn:8 "
        "for those after 8 plies; 11man:accepted for those that a published list accepts; grades.jsonl:balanced or "
        ":hard for those that kr theory grade has graded so.",
    )
    games: int = option(
        200, "Games to play, two with each opening.", parse=parse_count, show=format_count, low=2, high=MOST_GAMES
    )
    tc: Limits | TimeControl = option(
        Limits(time=0.3),
        "Limit of each move: 0.3s, nodes=2000, depth=8; or a clock: 5+3 (minutes and seconds), 40/30.",
        parse=parse_limits,
    )
    tc_b: Limits | TimeControl | None = option(None, "Limit or clock of B, if different.", parse=parse_limits)
    workers: int = workers_option("Games at a time")
    cluster: str = cluster_option()
    hash: int = hash_option("of each player")
    seed: int = option(1, "Seed of the order of openings.")
    adjudicate: bool = option(True, "End games that both players see as decided or drawn.")
    win_score: int = option(400, "Adjudicate a win when both players see one side ahead by this many centi-men.")
    win_moves: int = option(4, "Consecutive moves of each player for which that must hold.")
    draw_score: int = option(10, "Adjudicate a draw when both players' scores stay within this many centi-men of 0.")
    draw_moves: int = option(12, "Consecutive moves of each player for which that must hold.")
    draw_after: int = option(60, "Plies before which no draw is adjudicated.")
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    egdb_adjudication: bool = option(True, "End games once the endgame database knows the result.")
    margin: float = option(
        0.2,
        "Time by which a move may exceed its limit, or a clock may be overdrawn.",
        parse=parse_duration,
        show=format_duration,
    )
    patience: float = option(
        120.0, "Time that a Hub engine may search without a time limit.", parse=parse_duration, show=format_duration
    )
    sprt: tuple[float, float] | None = option(
        None, "Stop once decided between these two Elo differences.", metavar="ELO0 ELO1"
    )
    log: Path | None = option(
        None, "Write all that is said to Hub engines and by them into this folder, with times.", metavar="DIR"
    )
    pdn: Path | None = option(None, "Write the games here; run the same command to resume.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.games % 2:
            raise InvalidSettingError(f"{counted(self.games, 'game')}: expected an even number, two with each opening")
        if Limits() in self.controls():
            raise InvalidSettingError("a match needs a limit of each move, such as 0.3s, nodes=2000 or depth=8")
        self.terms()
        self.test()

    def terms(self) -> Adjudication | None:
        """Terms of adjudication; None if games are played out."""
        terms = Adjudication(self.win_score, self.win_moves, self.draw_score, self.draw_moves, self.draw_after)
        return terms if self.adjudicate else None

    def test(self) -> Sprt | None:
        """Sequential test that may end the match."""
        return None if self.sprt is None else Sprt(*self.sprt)

    def controls(self) -> tuple[Limits | TimeControl, Limits | TimeControl]:
        """Limits of each move, or clocks, of A and B."""
        return self.tc, self.tc_b or self.tc

    @property
    def timed(self) -> bool:
        """True if the time of a search is limited, so that its result depends on the machine."""
        return any(control.time is not None for control in self.controls())

    def threads(self) -> int:
        """Number of games played at a time."""
        return min(worker_count(self.workers), self.games // 2)

    def player(self, spec: str) -> Player:
        """A new player of this match."""
        return player_from_spec(spec, self.hash // MEBIBYTE, self.patience, self.egdb, self.egdb_memory, log=self.log)

    def referee(self) -> Database | None:
        """Endgame database that ends games; None if there is none."""
        return load_database(self.egdb, self.egdb_memory) if self.egdb_adjudication else None


JUDGED_EVERY = 4
"""Games of a worker between two checks for being suspect."""


@dataclass
class MatchResult:
    """Games of a match so far, as A sees them."""

    settings: MatchSettings
    names: tuple[str, str]
    games: list[MatchGame] = field(default_factory=list)
    """Games that count."""
    set_aside: list[MatchGame] = field(default_factory=list)
    """Games of suspect workers, and those that were played twice for that."""
    reviews: int = 0
    """Number of times that counted games were set aside; the totals are then computed afresh."""
    interrupted: bool = False
    damaged: int = 0
    """Games of the record that were damaged and have been removed, to be played again."""
    descriptions: tuple[str, str] = ("", "")
    """Of A and B, as `kr.players.names.described`."""
    _tally: MatchTally = field(default_factory=MatchTally, init=False, repr=False, compare=False)
    _ordered: PairsInOrder | None = field(default=None, init=False, repr=False, compare=False)
    _by_worker: Counter[str] = field(default_factory=Counter, init=False, repr=False, compare=False)
    _suspects: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def enter(self, game: MatchGame) -> None:
        """Add a finished game."""
        if game.worker in self._suspects:
            self.set_aside.append(game)
            return
        self.games.append(game)
        self._by_worker[game.worker] += 1
        if game.worker and self._by_worker[game.worker] % JUDGED_EVERY == 0:
            self.review()

    def review(self) -> dict[str, str]:
        """Set the games of suspect workers aside; returns these workers with the reasons."""
        suspects = {each.name: each.suspect for each in self.workers() if each.suspect}
        if suspects.keys() - self._suspects.keys():
            self._suspects = suspects | self._suspects
            valid: dict[tuple[int, bool], MatchGame] = {}
            aside = []
            for game in self.played():
                good = game.worker not in self._suspects and (game.pair, game.a_black) not in valid
                if good:
                    valid[game.pair, game.a_black] = game
                else:
                    aside.append(game)
            self.games, self.set_aside = list(valid.values()), aside
            self._tally, self._ordered = MatchTally(), None
            self.reviews += 1
        return self._suspects

    def played(self) -> list[MatchGame]:
        """All games, those set aside too."""
        return [*self.games, *self.set_aside]

    def workers(self) -> list[MatchWorker]:
        """Workers of a cluster that played."""
        return match_workers(self.played(), self.settings.timed)

    @property
    def tally(self) -> MatchTally:
        """Totals over all games so far."""
        for game in self.games[self._tally.games :]:
            self._tally.add(game)
        return self._tally

    def count(self, points: int) -> int:
        """Number of games in which A scored this many half points."""
        return self.tally.points[points]

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Complete pairs by A's half points, worst first."""
        worst, worse, even, better, best = self.tally.pairs
        return worst, worse, even, better, best

    @property
    def estimate(self) -> Estimate:
        """Elo, its error and LOS, from complete pairs."""
        return estimate(self.pentanomial)

    @property
    def warning(self) -> str | None:
        """Warning, in one line, if forfeits distort the result; else None."""
        warning = self.tally.warning()
        return None if warning is None else str(warning)

    @property
    def ordered(self) -> PairsInOrder | None:
        """The pairs on which the verdict of the sequential test rests; None without a test."""
        test = self.settings.test()
        if test is None:
            return None
        if self._ordered is None:
            self._ordered, self._in_order = PairsInOrder(test), 0
        for game in self.games[self._in_order :]:
            self._ordered.add(game)
        self._in_order = len(self.games)
        return self._ordered

    @property
    def decision(self) -> str | None:
        """Decision of the sequential test; None without a test, and while it is undecided."""
        return self.ordered.decision if self.ordered else None

    def reasons(self) -> dict[str, int]:
        """Numbers of games by the reason for their end, most frequent first."""
        return dict(self.tally.reasons.most_common())

    def faults(self, reason: str) -> tuple[int, int]:
        """Numbers of games that A and B lost for this reason."""
        return self.tally.lost[0][reason], self.tally.lost[1][reason]

    def last_failure(self, points: int) -> str | None:
        """What the program said, or did, that lost the last game by failure in which A scored so many half points; None
        if there is none."""
        if not self.faults(FAILURE)[points // 2]:
            return None
        return next(game.detail for game in reversed(self.games) if (game.reason, game.points) == (FAILURE, points))

    def efforts(self) -> tuple[Effort, Effort]:
        """Totals of the searches of A and of B."""
        return self.tally.efforts

    def summary(self) -> dict[str, Any]:
        """All results, for programs: numbers and texts by name. Undefined numbers are None or infinite."""
        figures = self.estimate
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
            "set_aside": len(self.set_aside),
            "workers": self.workers(),
            "settings": self.settings,
        }
        if ordered := self.ordered:
            test = ordered.test
            summary["sprt"] = {
                "llr": ordered.llr, "lower": test.lower, "upper": test.upper, "decision": ordered.decision,
                "pairs": ordered.count,
            }  # fmt: skip
        for index, letter in enumerate("ab"):
            effort = self.efforts()[index]
            summary[letter] = {
                "name": self.names[index],
                "player": self.descriptions[index],
                "mean_depth": effort.depth / max(effort.searches, 1),
                "nodes_per_second": effort.nodes / max(effort.seconds, 1e-9),
                "time_forfeits": self.faults(OVERTIME)[index],
                "failures": self.faults(FAILURE)[index],
                "last_failure": self.last_failure(2 * index),
            }
        return summary


def play_match(
    settings: MatchSettings,
    on_game: Callable[[MatchResult], None] = lambda result: None,
    on_begin: Callable[[MatchResult], None] = lambda result: None,
) -> MatchResult:
    """Play a match, or the rest of it.

    on_begin: called before the first game; on_game: after each. Ctrl-C ends the match with the games played so far
    (`interrupted`). Raises what the settings, players and files raise.
    """
    check_settings(settings, MatchSettings)
    openings = deck(settings.ballot)
    _check_variety(settings, openings)
    referee = settings.referee()
    first = (settings.player(settings.a), settings.player(settings.b))
    try:
        a, b = settings.controls()
        names = first[0].name, first[1].name
        apart = names_apart(names, first, (str(a), str(b)), ("A", "B"))
        result = MatchResult(settings, apart, descriptions=(described(first[0]), described(first[1])))
        with match_record(settings, openings, first, referee) as log:
            if log:
                for game in log.games:
                    result.enter(game)
                result.damaged = log.damaged
            on_begin(result)
            if result.games:
                on_game(result)
            order = opening_order(openings, settings.games // 2, settings.seed)
            _play(settings, order, result, log, first, on_game)
    finally:
        for player in first:
            player.close()
    return result


def check_match(settings: MatchSettings) -> None:
    """Check openings and endgame database of a match before other work is done for it. Raises as play_match does."""
    _check_variety(settings, deck(settings.ballot))
    load_database(settings.egdb, settings.egdb_memory)


def _check_variety(settings: MatchSettings, openings: Sequence[Opening]) -> None:
    """Refuse a match that would repeat games and count them as new."""
    repeatable = all(control.time is None for control in settings.controls()) and all(
        kind_of(spec).repeatable for spec in (settings.a, settings.b)
    )
    if repeatable and settings.games > 2 * len(openings):
        raise InvalidSettingError(
            f"{settings.games} games with {counted(len(openings), 'opening')} of {settings.ballot} at {settings.tc} "
            f"would repeat each other: expected at most {2 * len(openings)} games, more openings, or a time limit"
        )


def opening_order(openings: Sequence[Opening], pairs: int, seed: int) -> list[Opening]:
    """Opening of each pair: all openings in random order, then all in another random order, and so on."""
    source = random.Random(seed)
    order: list[Opening] = []
    while len(order) < pairs:
        order += source.sample(openings, len(openings))
    return order[:pairs]


@contextmanager
def match_record(
    settings: MatchSettings,
    openings: Sequence[Opening],
    players: tuple[Player, Player],
    referee: Database | None,
    **others: Any,
) -> Iterator[MatchLog | None]:
    """Open the record of the match, if it has one. It keeps the settings that must not change in a resumed match, and
    others by name. Raises what open_log raises."""
    if settings.pdn is None:
        with nullcontext() as nothing:
            yield nothing
        return
    header = {
        "players": [player.signature for player in players],
        "openings": checksum("\n".join(opening.position.fen for opening in openings).encode()),
        "tc": str(settings.tc),
        "tc_b": None if settings.tc_b is None else str(settings.tc_b),
        "egdb_adjudication": None if referee is None else referee.signature,
    }
    for name in ("ballot", "hash", "seed", "adjudicate", "win_score", "win_moves", "draw_score", "draw_moves"):
        header[name] = getattr(settings, name)
    story = provenance(seed=settings.seed, games=settings.games, sprt=settings.sprt)
    with open_log(settings.pdn, header | {"draw_after": settings.draw_after} | others, story) as log:
        yield log


def _play(
    settings: MatchSettings,
    schedule: Sequence[Opening],
    result: MatchResult,
    log: MatchLog | None,
    first: tuple[Player, Player],
    on_game: Callable[[MatchResult], None],
) -> None:
    """Play the missing games. first: players of one worker, which stay the caller's to close."""
    if result.decision or len(result.games) >= settings.games:
        return
    under_way: set[int] = set()
    units, places = _units(settings, schedule, result, first, under_way)
    pool = work_pool(Pairs(), Needs(places), settings.threads(), [first], settings.cluster)
    for worker, reason in result.review().items():
        pool.leave(worker, reason)

    def interrupt() -> None:
        result.interrupted = True
        pool.stop()

    with interruptible(interrupt), closing(pool.run(units)) as parts:
        for part in parts:
            pair = part.unit.values["pair"]
            a_black, finished = part.value
            game = entered_game(pair, a_black, schedule[pair], finished, part.worker)
            if log:
                log.append(game, match_pdn(settings, result.names, game, schedule[pair], finished))
            reviews = result.reviews
            result.enter(game)
            if part.last:
                under_way.discard(pair)
            if result.reviews > reviews:
                for worker, reason in result.review().items():
                    pool.leave(worker, reason)
            on_game(result)
            if result.decision:
                pool.stop()


def _units(
    settings: MatchSettings,
    schedule: Sequence[Opening],
    result: MatchResult,
    first: tuple[Player, Player],
    under_way: set[int],
) -> tuple[Iterator[Unit | None], dict[str, str]]:
    """Incomplete pairs as units of work, and the places of what they need.

    under_way: pairs that were begun, from which the caller removes those that end. On a cluster, pairs that were set
    aside come again at the end; None while more of them may follow.
    """
    blank, places = _blank_pair(settings, first)

    def units() -> Iterator[Unit | None]:
        while True:
            played = {(game.pair, game.a_black) for game in result.games}
            for pair, opening in enumerate(schedule):
                missing = [a_black for a_black in (True, False) if (pair, a_black) not in played]
                if missing and pair not in under_way:
                    under_way.add(pair)
                    values = {"pair": pair, "games": missing, "opening": opening.name, "fen": opening.position.fen}
                    yield replace(blank, key=str(pair), values={**blank.values, **values})
            if not settings.cluster or len(result.games) >= settings.games:
                return
            yield None

    return units(), places


def _blank_pair(settings: MatchSettings, players: tuple[Player, Player]) -> tuple[Unit, dict[str, str]]:
    """A unit with what all pairs of a match have in common, and the places of what they need."""
    sides = {"a": (settings.a, players[0]), "b": (settings.b, players[1])}
    needs, places = players_needs(sides, settings.egdb, settings.egdb_memory)
    referee, place = egdb_needs(settings.referee())
    if referee:
        needs["referee"] = referee["egdb"]
    tools = {name: getattr(settings, name) for name in ("hash", "patience", "egdb_memory")}
    if settings.log is not None:
        tools["log"] = str(settings.log)
    terms = settings.terms()
    values = {
        "controls": [str(control) for control in settings.controls()],
        "margin": settings.margin,
        "terms": None if terms is None else asdict(terms),
    }
    return Unit(Pairs.name(), "", needs, tools, values), places | place


def entered_game(pair: int, a_black: bool, opening: Opening, finished: FinishedGame, worker: str = "") -> MatchGame:
    """Describe a finished game as A sees it."""
    a_side = Side.BLACK if a_black else Side.WHITE
    efforts = _efforts(finished)
    return MatchGame(
        pair=pair,
        a_black=a_black,
        opening=opening.name,
        points=1 if finished.winner is None else 2 if finished.winner == a_side else 0,
        reason=finished.reason,
        detail=finished.detail,
        plies=len(finished.moves),
        a=efforts[a_side],
        b=efforts[a_side.other],
        worker=worker,
    )


def match_pdn(
    settings: MatchSettings, names: tuple[str, str], game: MatchGame, opening: Opening, finished: FinishedGame
) -> str:
    """A game of a match as PDN, with the replies as comments."""
    black, white = names if game.a_black else names[::-1]
    tags = {
        "Event": "kr match",
        "Site": "?",
        "Date": datetime.datetime.now(datetime.UTC).strftime("%Y.%m.%d"),
        "Round": f"{game.pair + 1}.{1 if game.a_black else 2}",
        "Black": black,
        "White": white,
        "Opening": opening.title,
        "TimeControl": _time_control(settings, game.a_black),
        "Termination": f"{game.reason}: {game.detail}" if game.detail else game.reason,
    }
    start, line = opening.begin()
    notes = [Comment(ply, reply.note()) for ply, reply in enumerate(finished.replies, start=len(line) + 1) if reply]
    result = Result.of(finished.winner)
    return format_game(tags, start, (*line, *finished.moves), result, notes) + "\n"


def _time_control(settings: MatchSettings, a_black: bool) -> str:
    a, b = map(str, settings.controls())
    black, white = (a, b) if a_black else (b, a)
    return black if black == white else f"Black {black}, White {white}"


def _efforts(finished: FinishedGame) -> tuple[Effort, Effort]:
    """Totals of the searches of Black and White."""
    sums = [Effort(), Effort()]
    for ply, reply in enumerate(finished.replies):
        if reply and not reply.from_book:
            side = (finished.start.side + ply) % 2
            sums[side] += Effort(1, reply.depth, reply.nodes, reply.time)
    return sums[0], sums[1]
