"""Tuning of search options by games: `kr.match.spsa` with pairs of games between an engine and itself.

The directory has the results of all pairs (`pairs.jsonl`), from which the same command resumes, and the games of the
match that confirms or refutes the result (`confirm.pdn`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from kr import figures, storage
from kr.cluster.address import cluster_option
from kr.cluster.pools import work_pool
from kr.engine.limits import Limits
from kr.engine.options import SEARCH_OPTIONS, format_search_options
from kr.engine.settings import MEBIBYTE, egdb_memory_option, egdb_option, hash_option
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import SHIPPED, weights_texts
from kr.game.position import Side
from kr.jobs.journal import open_journal, typed
from kr.jobs.kinds import Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.pool import interruptible
from kr.jobs.unit import Unit
from kr.match.match import MOST_GAMES, MatchResult, MatchSettings, blank_pair, check_match, opening_order, play_match
from kr.match.pairs import PairGame, Pairing, Pairs
from kr.match.spsa import Spsa
from kr.openings.decks import DECKS, deck
from kr.players.own import EnginePlayer
from kr.players.player import Player
from kr.players.registry import kind_of
from kr.players.workers import player_of
from kr.settings import REQUIRED, Settings, check_settings, option, workers_option
from kr.units import format_count, parse_count

LEAST_SPAN = 4
"""An option whose range isn't given goes up and down by its value, and by this at least."""


@dataclass(frozen=True)
class VariedOption:
    """An option that is tuned, with the range in which it is looked for."""

    name: str
    low: int | None = None
    high: int | None = None

    @classmethod
    def parse(cls, text: str) -> VariedOption:
        """Read "NAME" or "NAME=LOW:HIGH". Raises InvalidSettingError."""
        name, equals, span = (part.strip() for part in text.partition("="))
        if name not in SEARCH_OPTIONS:
            raise InvalidSettingError(f"unknown search option {name!r}; choose from {', '.join(SEARCH_OPTIONS)}")
        if not equals:
            return cls(name)
        low, _, high = (part.strip() for part in span.partition(":"))
        if not (low.isdecimal() and high.isdecimal()):
            raise InvalidSettingError(f"{text!r}: expected a range such as {name}=4:40")
        _, least, most, *_ = SEARCH_OPTIONS[name]
        if not least <= int(low) < int(high) <= most:
            raise InvalidSettingError(f"{text!r}: expected a range within {least}:{most}, the lower end first")
        return cls(name, int(low), int(high))

    def __str__(self) -> str:
        return self.name if self.low is None else f"{self.name}={self.low}:{self.high}"

    def within(self, start: int) -> tuple[int, int]:
        """The range: the given one, or around the value with which the option starts."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        _, least, most, *_ = SEARCH_OPTIONS[self.name]
        return max(least, start - max(start, LEAST_SPAN)), min(most, start + max(start, LEAST_SPAN))


@dataclass(frozen=True)
class TuneSettings(Settings):
    """Settings of a tuning run. All but `workers`, `cluster`, `confirm`, `confirm_tc` and `plots` shape its course."""

    vary: tuple[VariedOption, ...] = option(
        REQUIRED,
        "Search option to tune, with or without its range, such as static_margin=4:40; can be repeated.",
        parse=VariedOption.parse,
        metavar="OPTION",
    )
    out: Path = option(REQUIRED, "Directory of the run; run the same command to resume.", metavar="DIR")
    player: str = option(
        "shipped", f"Player: a {weights_texts(SHIPPED)}, with settings as in a match.",
        argument=True, metavar="PLAYER",
    )  # fmt: skip
    games: int = option(
        30_000, "Games to tune with, two with each opening.", parse=parse_count, show=format_count, low=2,
        high=MOST_GAMES,
    )  # fmt: skip
    tc: Limits = option(Limits(nodes=8000), "Limit of each move: nodes=8000, 20ms.", parse=Limits.parse)
    batch: int = option(8, "Pairs of games that are played with the same numbers.", low=1, high=10_000)
    perturbation: float = option(
        0.1, "Change of each option either way in the last pair, as a share of its range.", above=0, high=0.5
    )
    rate: float = option(
        0.01, "Step in the last pair if one side wins both its games, in perturbations.", above=0, high=10
    )
    ballot: str = option("11man", f"Openings: {', '.join(DECKS)}, or a file of FENs or PDN games.")
    confirm: int = option(
        2000, "Games of the match at the end between the tuned player and the original; 0: no match.",
        parse=parse_count, show=format_count, low=0, high=MOST_GAMES,
    )  # fmt: skip
    confirm_tc: Limits | None = option(
        None, "Limit of each move of that match; that of the tuning if not given.", parse=Limits.parse
    )
    workers: int = workers_option("Games at a time")
    cluster: str = cluster_option()
    hash: int = hash_option("of each player", 4 * MEBIBYTE)
    seed: int = option(1, "Seed of the order of openings and of all random choices.")
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    plots: Path | None = option(None, "Directory for a plot of the course.", metavar="DIR")

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [each.name for each in self.vary]
        if twice := [name for name in names if names.count(name) > 1]:
            raise InvalidSettingError(f"--vary: {twice[0]} is given twice")
        if not names:
            raise InvalidSettingError("--vary: expected a search option, such as static_margin=4:40")
        if not kind_of(self.player).own_engine:
            raise InvalidSettingError(f"player {self.player}: only kr's own engine has search options to tune")
        if Limits() in (self.tc, self.confirm_tc):
            raise InvalidSettingError("--tc: expected a limit of each move, such as nodes=8000 or 20ms")
        self.match()
        if self.confirm:
            self.confirmation(self.player)
        if self.plots:
            figures.check_plots(self.plots)

    def match(self) -> MatchSettings:
        """The pairs of the tuning as those of a match of the player against itself."""
        return MatchSettings(
            a=self.player, b=self.player, ballot=self.ballot, games=self.games, tc=self.tc, workers=self.workers,
            cluster=self.cluster, hash=self.hash, seed=self.seed, egdb=self.egdb, egdb_memory=self.egdb_memory,
        )  # fmt: skip

    def confirmation(self, tuned: str) -> MatchSettings:
        """The match at the end. Its openings come in another order than those of the tuning."""
        return replace(
            self.match(), a=tuned, games=self.confirm, tc=self.confirm_tc or self.tc, seed=self.seed + 1,
            pdn=self.out / "confirm.pdn",
        )  # fmt: skip

    @property
    def journal(self) -> Path:
        """Results of the pairs."""
        return self.out / "pairs.jsonl"


@dataclass(frozen=True, slots=True)
class TunedPair:
    """A finished pair of games."""

    pair: int
    points: int
    """Half points of the side whose options were moved as they are noted in `Spsa.directions`, from 0 to 4."""

    @classmethod
    def from_json(cls, values: dict[str, Any], pairs: int) -> TunedPair:
        """The line of a journal with this number of pairs. Raises ValueError and TypeError."""
        entry = typed(cls(**values))
        if not (0 <= entry.pair < pairs and 0 <= entry.points <= 4):
            raise ValueError(f"pair {entry.pair} with {entry.points} half points")
        return entry


@dataclass
class TuneResult:
    """The course of the options so far."""

    settings: TuneSettings
    spsa: Spsa
    points: dict[int, int] = field(default_factory=dict)
    """Half points of the pairs that were played, by their number."""
    interrupted: bool = False
    confirmed: MatchResult | None = None
    _course: list[list[float]] = field(default_factory=list, init=False, repr=False, compare=False)

    def enter(self, pair: int, points: int) -> None:
        """Add the result of a pair; those of later batches wait for it."""
        self.points[pair] = points

    @property
    def course(self) -> list[list[float]]:
        """The numbers at first and after each complete batch."""
        if not self._course:
            self._course = [list(self.spsa.starts)]
        while (batch := len(self._course) - 1) < self.spsa.batches:
            pairs = self.spsa.batch_pairs(batch)
            if any(pair not in self.points for pair in pairs):
                break
            points = [self.points[pair] for pair in pairs]
            self._course.append(self.spsa.after(self._course[-1], batch, points))
        return self._course

    @property
    def finished(self) -> bool:
        """True if all pairs are played."""
        return len(self.course) > self.spsa.batches

    @property
    def options(self) -> dict[str, int]:
        """The tuned options as whole numbers."""
        names = (each.name for each in self.settings.vary)
        return {name: round(number) for name, number in zip(names, self.course[-1], strict=True)}

    @property
    def tuned(self) -> str:
        """Text of the tuned player."""
        text = self.settings.player
        for name in self.options:
            text = ",".join(part for part in text.split(",") if not part.startswith(f"{name}="))
        return f"{text},{format_search_options(self.options)}"

    def summary(self) -> dict[str, Any]:
        """All results, for programs."""
        rows = zip(self.settings.vary, self.spsa.starts, self.course[-1], self.spsa.lows, self.spsa.highs, strict=True)
        return {
            "player": self.tuned,
            "games": 2 * len(self.points),
            "finished": self.finished,
            "options": [
                {"option": each.name, "before": round(start), "after": round(now), "exact": now,
                 "low": round(low), "high": round(high)}
                for each, start, now, low, high in rows
            ],
            "match": None if self.confirmed is None else self.confirmed.summary(),
            "settings": self.settings,
        }  # fmt: skip


class TunedPairs(Pairs):
    """Pairs of games of one player against itself, both with options of their own: values["options"]."""

    def open(self, unit: Unit, needs: Needs) -> Pairing:
        return player_of(unit, needs, "a"), player_of(unit, needs, "a")

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Pairing, PairGame]:
        def play(do: Callable[[Pairing, Stop], PairGame | None], table: Pairing, stop: Stop) -> PairGame | None:
            for player, options in zip(table, unit.values["options"], strict=True):
                assert isinstance(player, EnginePlayer)
                player.engine.set_options(player.options | options)
            return do(table, stop)

        for portions in super().steps(unit, needs):
            yield [replace(portion, do=partial(play, portion.do)) for portion in portions]


def tune(settings: TuneSettings, on_pair: Callable[[TuneResult], None] = lambda result: None) -> TuneResult:
    """Play the pairs that are missing; the course so far if interrupted by Ctrl-C.

    on_pair: called at first, and after each pair. Raises what the settings, players and files raise.
    """
    check_settings(settings, TuneSettings)
    match = settings.match()
    # openings may come again with other options, in the match at the end they may not
    check_match(replace(match, games=min(match.games, 2 * len(deck(match.ballot)))))
    if settings.confirm:
        check_match(settings.confirmation(settings.player))
    player = match.player(settings.player)
    try:
        assert isinstance(player, EnginePlayer)
        result = TuneResult(settings, _spsa(settings, player))
        header = _header(settings, match, player)
        story = storage.provenance(seed=settings.seed, games=settings.games)
        read = partial(TunedPair.from_json, pairs=result.spsa.pairs)
        with open_journal(settings.journal, header, story, read) as journal:
            for entry in journal.entries:
                result.enter(entry.pair, entry.points)
            on_pair(result)
            _play(settings, match, player, result, lambda pair: journal.append(asdict(pair)), on_pair)
    finally:
        player.close()
    return result


def confirm(result: TuneResult, on_game: Callable[[MatchResult], None] = lambda match: None) -> None:
    """Play the match of the tuned player against the original, or the rest of it, and add it to the result."""
    result.confirmed = play_match(result.settings.confirmation(result.tuned), on_game)
    result.interrupted |= result.confirmed.interrupted


def _spsa(settings: TuneSettings, player: EnginePlayer) -> Spsa:
    """Raises InvalidSettingError for an option that starts out of its range."""
    starts, spans = [], []
    for each in settings.vary:
        start = player.options.get(each.name, SEARCH_OPTIONS[each.name][0])
        low, high = each.within(start)
        if not low <= start <= high:
            raise InvalidSettingError(f"{each.name} starts at {start}, out of its range {low}:{high}")
        starts.append(float(start))
        spans.append((float(low), float(high)))
    lows, highs = zip(*spans, strict=True)
    return Spsa(
        tuple(starts), lows, highs, settings.games // 2, settings.batch, settings.perturbation, settings.rate,
        settings.seed,
    )  # fmt: skip


def _header(settings: TuneSettings, match: MatchSettings, player: Player) -> dict[str, Any]:
    """Settings that shape the course."""
    header: dict[str, Any] = {
        "player": player.signature,
        "vary": [str(each) for each in settings.vary],
        "tc": str(settings.tc),
        "openings": storage.checksum("\n".join(each.position.fen for each in deck(settings.ballot)).encode()),
        "referee": None if (referee := match.referee()) is None else referee.signature,
    }
    return header | {
        name: getattr(settings, name) for name in ("games", "batch", "perturbation", "rate", "hash", "seed")
    }


def _play(
    settings: TuneSettings,
    match: MatchSettings,
    player: Player,
    result: TuneResult,
    write: Callable[[TunedPair], None],
    on_pair: Callable[[TuneResult], None],
) -> None:
    if result.finished:
        return
    blank, places = blank_pair(match, (player, player))
    openings = opening_order(deck(match.ballot), result.spsa.pairs, settings.seed)
    under_way: dict[int, int] = {}
    """Half points of the games that are over, by pair."""

    def units() -> Iterator[Unit | None]:
        while not result.finished:
            batch = len(result.course) - 1
            for pair in result.spsa.batch_pairs(batch):
                if pair not in result.points and pair not in under_way:
                    under_way[pair] = 0
                    sides = result.spsa.sides(result.course[batch], pair)
                    values: Mapping[str, Any] = {
                        "pair": pair, "games": [True, False], "opening": openings[pair].name,
                        "fen": openings[pair].position.fen,
                        "options": [dict(zip((each.name for each in settings.vary), side, strict=True))
                                    for side in sides],
                    }  # fmt: skip
                    yield replace(blank, kind=TunedPairs.name(), key=str(pair), values={**blank.values, **values})
            yield None

    workers = min(match.threads(), settings.batch)
    pool = work_pool(TunedPairs(), Needs(places), workers, cluster=settings.cluster)

    def interrupt() -> None:
        result.interrupted = True
        pool.stop()

    with interruptible(interrupt), closing(pool.run(units())) as parts:
        for part in parts:
            pair = part.unit.values["pair"]
            a_black, finished = part.value
            winner = finished.winner
            under_way[pair] += 1 if winner is None else 2 * ((winner == Side.BLACK) == a_black)
            if part.last:
                result.enter(pair, under_way.pop(pair))
                write(TunedPair(pair, result.points[pair]))
                on_pair(result)
