"""The worth of more time: matches of each limit against the one before, and a comparison of their moves.

After A. Junghanns and J. Schaeffer, "Search versus knowledge in game-playing programs revisited" (IJCAI 1997), whose
figures for checkers reappear in J. Schaeffer's paper on Chinook's search: the score of a search against one that is two
plies shallower, the share of moves that one more ply changes, and by how much it changes the score.

A limit of time or nodes doubles from step to step; a depth grows by two plies. Each step is a match on ballots.
Positions sampled from these games are then searched with every limit, each time from an empty table. If they give more
than one move, the position after each move is searched with the longest limit, so that one judge compares them all.
"""

from __future__ import annotations

import itertools
import math
import operator
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kr import figures
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_WIN
from kr.engine.search import Stop
from kr.engine.settings import MEBIBYTE, egdb_memory_option, egdb_option, hash_option
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import SHIPPED, weights_texts
from kr.game.position import Position
from kr.jobs.journal import check_journal, open_journal, typed
from kr.jobs.kinds import Kind, Portion, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.pool import Pool
from kr.jobs.unit import Unit
from kr.match.elo import CONFIDENCE_95
from kr.match.log import intact_games
from kr.match.match import MatchResult, MatchSettings, check_match, play_match
from kr.openings.decks import DECKS, opening_plies
from kr.pdn import read_games
from kr.players.own import EnginePlayer
from kr.players.registry import kind_of, player_from_spec
from kr.players.workers import player_of, players_needs
from kr.settings import REQUIRED, Settings, option, workers_option
from kr.storage import checksum, lock_directory, provenance
from kr.units import counted, format_count, parse_count

DOUBLINGS = 5
"""Doublings if no longest limit is given."""
MOST_STEPS = 30
DEPTH_STEP = 2
"""Plies by which a depth grows in one step."""
TIE_MARGIN = 5
"""Centi-men: moves whose scores differ by no more count as equally good."""
DECIDED = 400
"""Centi-men: larger scores count as this much, so that a few proved wins don't dominate the mean."""
LARGEST = 10
"""Number of positions shown where the longer search gains most."""
WORTHS = (10, 25, 50, 100)
"""Thresholds in centi-men by which differences are counted."""


@dataclass(frozen=True)
class DoublingSettings(Settings):
    """Player, limits, games and positions of a doubling experiment."""

    out: Path = option(REQUIRED, "Directory for games and searches; run the same command to resume.", metavar="DIR")
    player: str = option(
        "shipped", f"Player: a {weights_texts(SHIPPED)}, with settings as in a match.",
        argument=True, metavar="PLAYER",
    )  # fmt: skip
    shortest: Limits = option(
        Limits(time=0.01), "Limit of the shortest search: 10ms, nodes=2000 or depth=5.", parse=Limits.parse, name="from"
    )
    longest: Limits | None = option(
        None, f"Limit of the longest search; {DOUBLINGS} steps up if not given.", parse=Limits.parse, name="to"
    )
    games: int = option(200, "Games of each limit against the one before.", parse=parse_count, show=format_count)
    positions: int = option(
        1000, "Positions of these games to search with every limit; 0: matches only.",
        parse=parse_count, show=format_count,
    )  # fmt: skip
    ballot: str = option("11man", f"Openings: {', '.join(DECKS)}, or a file of FENs or PDN games.")
    workers: int = workers_option("Games and searches at a time")
    hash: int = hash_option("of each engine")
    seed: int = option(1, "Seed of the order of openings and the choice of positions.")
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    plots: Path | None = option(None, "Directory for a plot of the results.", metavar="DIR")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.limits()
        if not kind_of(self.player).own_engine:
            raise InvalidSettingError(f"player {self.player}: only searches of kr's own engine can be compared")
        if self.plots:
            figures.check_plots(self.plots)

    @property
    def searches(self) -> Path:
        """Journal of the searches."""
        return self.out / "searches.jsonl"

    @property
    def more(self) -> str:
        """Advantage of a search over that of the limit before, in words."""
        kind = _kind(self.shortest)
        return f"{DEPTH_STEP} plies more" if kind == "depth" else f"twice the {kind}"

    @property
    def less(self) -> str:
        """Handicap of a search against that of the next limit, in words."""
        kind = _kind(self.shortest)
        return f"{DEPTH_STEP} plies less" if kind == "depth" else f"half the {kind}"

    def limits(self) -> list[Limits]:
        """Limits from the shortest to the longest. Raises InvalidSettingError if there is no step between them."""
        kind = _kind(self.shortest)
        if kind is None:
            raise InvalidSettingError(f"--from {self.shortest}: expected one limit such as 10ms, nodes=2000 or depth=5")
        if self.longest is not None and _kind(self.longest) != kind:
            raise InvalidSettingError(f"--to {self.longest}: expected a limit of the kind of --from {self.shortest}")
        ladder = [self.shortest]
        while len(ladder) <= (DOUBLINGS if self.longest is None else MOST_STEPS):
            above = _step_up(ladder[-1])
            if self.longest is not None and getattr(above, kind) > getattr(self.longest, kind):
                break
            ladder.append(above)
        if len(ladder) < 2:
            raise InvalidSettingError(f"no step from {self.shortest} to {self.longest}: expected a longer --to")
        return ladder

    def matches(self) -> list[MatchSettings]:
        """Matches of each longer limit (A) against the one before (B)."""
        return [
            MatchSettings(
                a=self.player, b=self.player, ballot=self.ballot, games=self.games, tc=longer, tc_b=shorter,
                workers=self.workers, hash=self.hash, seed=self.seed, egdb=self.egdb,
                egdb_memory=self.egdb_memory, pdn=self.out / f"{longer}.pdn",
            )
            for shorter, longer in itertools.pairwise(self.limits())
        ]  # fmt: skip


def _kind(limits: Limits) -> str | None:
    """Name of the only limit that is set; None if there are none or several."""
    kinds = [name for name in ("time", "nodes", "depth") if getattr(limits, name) is not None]
    return kinds[0] if len(kinds) == 1 else None


def _step_up(limits: Limits) -> Limits:
    if limits.depth is not None:
        return Limits(depth=limits.depth + DEPTH_STEP)
    if limits.nodes is not None:
        return Limits(nodes=2 * limits.nodes)
    return Limits(time=2 * (limits.time or 0))


@dataclass(frozen=True, slots=True)
class Choice:
    """Move and score of a search, or of one iteration."""

    move: str
    score: int
    """Centi-men, side to move's view."""
    depth: int


@dataclass(frozen=True, slots=True)
class ComparedPosition:
    """One position, searched with every limit."""

    fen: str
    searches: tuple[Choice, ...]
    """In the order of the limits."""
    iterations: tuple[Choice, ...]
    """Iterations of the longest search."""
    judged: dict[str, int]
    """Score of each move that a search chose, by a search with the longest limit after it; empty if all agree."""

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ComparedPosition:
        """Raises ValueError, KeyError and TypeError for invalid values."""
        searches, iterations = (
            tuple(typed(Choice(**each)) for each in values[name]) for name in ("searches", "iterations")
        )
        judged = {move: operator.index(score) for move, score in dict(values["judged"]).items()}
        moves = {each.move for each in searches}
        if set(judged) != (moves if len(moves) > 1 else set()):
            raise ValueError("judged moves differ from the moves found")
        return typed(cls(values["fen"], searches, iterations, judged))


@dataclass(frozen=True)
class Changes:
    """Changes of the move by a longer search, and what they are worth."""

    positions: int
    changed: int
    """Positions where the move changes."""
    worths: tuple[int, ...]
    """Centi-men by which the longer search's move is judged better, for each change."""

    @property
    def untied(self) -> int:
        """Changes between moves that are not equally good."""
        return sum(abs(worth) > TIE_MARGIN for worth in self.worths)

    @property
    def mean_worth(self) -> float:
        """Mean gain of a change, in centi-men; 0 without changes."""
        return sum(self.worths) / len(self.worths) if self.worths else 0.0

    def better(self, least: int) -> int:
        """Changes that gain at least `least` centi-men."""
        return sum(worth >= least for worth in self.worths)

    def worse(self, least: int) -> int:
        """Changes that lose at least `least` centi-men."""
        return sum(worth <= -least for worth in self.worths)

    def share(self, count: int) -> tuple[float, float]:
        """Share of all positions, and its error with 95% confidence."""
        n = max(self.positions, 1)
        return count / n, CONFIDENCE_95 * math.sqrt(count / n * (1 - count / n) / n)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A position where the longer search plays a better move."""

    worth: int
    """Centi-men by which it is judged better."""
    fen: str
    longer: str
    """Limit of the longer search."""
    move: str
    shorter_move: str
    """Move of the search with the limit before."""


@dataclass(frozen=True)
class DoublingResult:
    """Matches and compared positions."""

    settings: DoublingSettings
    matches: list[MatchResult]
    comparisons: list[ComparedPosition]

    def changes(self) -> list[Changes]:
        """Changes of each limit against the one before."""
        worths = [tuple(each.worth for each in step) for step in self._disagreements()]
        return [Changes(len(self.comparisons), len(each), each) for each in worths]

    def largest(self, count: int = LARGEST) -> list[Disagreement]:
        """Largest gains of a longer search over the shorter one, each position once."""
        every = [each for step in self._disagreements() for each in step if each.worth > TIE_MARGIN]
        best = {each.fen: each for each in sorted(every, key=lambda each: each.worth)}
        return sorted(best.values(), key=lambda each: -each.worth)[:count]

    def _disagreements(self) -> list[list[Disagreement]]:
        """Disagreements of each limit with the one before, whichever move is better."""
        steps: list[list[Disagreement]] = []
        for i, limits in enumerate(self.settings.limits()[1:]):
            steps.append([])
            for each in self.comparisons:
                old, new = each.searches[i].move, each.searches[i + 1].move
                if old != new:
                    worth = _clipped(each.judged[new]) - _clipped(each.judged[old])
                    steps[-1].append(Disagreement(worth, each.fen, str(limits), new, old))
        return steps

    def depth_changes(self) -> dict[int, Changes]:
        """Changes of each depth against the iteration before. A change is worth the difference of the two scores.

        Depths that fewer than half of the searches reached are left out.
        """
        steps: dict[int, list[tuple[Choice, Choice]]] = {}
        for each in self.comparisons:
            for old, new in itertools.pairwise(each.iterations):
                steps.setdefault(new.depth, []).append((old, new))
        return {
            depth: Changes(
                len(pairs),
                sum(old.move != new.move for old, new in pairs),
                tuple(_clipped(new.score) - _clipped(old.score) for old, new in pairs if old.move != new.move),
            )
            for depth, pairs in sorted(steps.items())
            if 2 * len(pairs) >= len(self.comparisons)
        }

    def summary(self) -> dict[str, Any]:
        """All results, as JSON."""
        limits = self.settings.limits()
        rows = itertools.zip_longest(itertools.pairwise(limits), self.matches, self.changes())
        return {
            "settings": self.settings,
            "longer_has": self.settings.more,
            "steps": [
                {
                    "longer": str(longer),
                    "shorter": str(shorter),
                    "match": None if match is None else match.summary(),
                    "changes": _change_summary(changes),
                }
                for (shorter, longer), match, changes in rows
            ],
            "largest": self.largest(),
            "depths": [{"depth": depth, **_change_summary(changes)} for depth, changes in self.depth_changes().items()],
        }


def _change_summary(changes: Changes) -> dict[str, Any]:
    return {
        "positions": changes.positions,
        "changed": changes.changed,
        "untied": changes.untied,
        "mean_worth": changes.mean_worth,
        "better": {str(worth): changes.better(worth) for worth in WORTHS},
        "worse": {str(worth): changes.worse(worth) for worth in WORTHS},
    }


def _clipped(score: int) -> int:
    return max(-DECIDED, min(DECIDED, score))


@contextmanager
def claimed(settings: DoublingSettings) -> Iterator[None]:
    """Hold the directory, for matches and searches, during this block. Raises OutputBusyError, and what these raise."""
    # before the directory is made
    signature = _player(settings).signature
    for match in settings.matches():
        check_match(match)
    with lock_directory(settings.out):
        _check_searches(settings, signature)
        yield


def play_matches(
    settings: DoublingSettings, on_game: Callable[[int, MatchResult], None] = lambda before, result: None
) -> list[MatchResult]:
    """Play the matches, or the rest of them.

    on_game: called after each game with the number of games in earlier matches, and the present match.

    Raises KeyboardInterrupt after Ctrl-C; the games played are kept.
    """
    results: list[MatchResult] = []
    for match in settings.matches():
        before = sum(len(result.games) for result in results)
        result = play_match(match, lambda result, before=before: on_game(before, result))  # type: ignore[misc]
        if result.interrupted:
            raise KeyboardInterrupt
        results.append(result)
    return results


def sample_positions(settings: DoublingSettings) -> list[Position]:
    """Sample positions with a choice of moves from the games played: as many as wanted, or all."""
    seen: dict[Position, None] = {}
    for match in settings.matches():
        assert match.pdn is not None
        for game in sorted(read_games(match.pdn), key=lambda game: game.tags["Round"]):
            # from the position in which the players began to move
            positions = itertools.islice(game.positions(), opening_plies(game), None)
            seen.update(dict.fromkeys(position for position in positions if len(position.legal_moves()) > 1))
    return random.Random(settings.seed).sample(list(seen), min(settings.positions, len(seen)))


def compare_positions(
    settings: DoublingSettings, on_position: Callable[[int], None] = lambda count: None
) -> list[ComparedPosition]:
    """Search the sampled positions, or the rest of them, with every limit.

    on_position: called with the number of positions just done, at first with those of an earlier run.
    """
    positions = {position.fen: position for position in sample_positions(settings)} if settings.positions else {}
    if not positions:
        return []
    player = _player(settings)
    header = _header(settings, player.signature) | _sampled(positions)
    with open_journal(settings.searches, header, provenance(seed=settings.seed), ComparedPosition.from_json) as journal:
        done = {each.fen: each for each in journal.entries}
        on_position(len(done))
        workers = max(1, min(settings.matches()[0].threads(), len(positions)))
        needs, places = players_needs({"player": (settings.player, player)}, settings.egdb, settings.egdb_memory)
        tools = {"hash": settings.hash, "patience": 0.0, "egdb_memory": settings.egdb_memory}
        units = (
            Unit(Comparisons.name(), fen, needs, tools, {"fen": fen, "limits": header["limits"]})
            for fen in positions
            if fen not in done
        )
        with closing(Pool(Comparisons(), Needs(places), workers, [player.engine]).run(units)) as parts:
            for part in parts:
                journal.append(part.value)
                done[part.unit.key] = ComparedPosition.from_json(part.value)
                on_position(1)
    return [done[fen] for fen in positions]


def _check_searches(settings: DoublingSettings, signature: str) -> None:
    """Refuse a journal of other limits or positions before any match is played.

    Searches begin once all matches are complete: if a match lacks games now, it was shorter when the journal was begun.
    """
    if not settings.positions or not settings.searches.exists():
        return
    check_journal(settings.searches, _header(settings, signature))
    for match in settings.matches():
        assert match.pdn is not None
        played = intact_games(match.pdn)
        if played < match.games:
            raise InvalidSettingError(
                f"{settings.searches} has positions of matches of {counted(played, 'game')}, not {match.games}; "
                f"use --games {played}, remove the file, or choose another directory"
            )
    check_journal(settings.searches, _sampled(position.fen for position in sample_positions(settings)))


def _header(settings: DoublingSettings, signature: str) -> dict[str, Any]:
    """Settings that shape a search, other than its position."""
    limits = [str(each) for each in settings.limits()]
    return {"player": signature, "limits": limits, "hash": settings.hash}


def _sampled(fens: Iterable[str]) -> dict[str, str]:
    return {"positions": checksum("\n".join(fens).encode())}


def _player(settings: DoublingSettings) -> EnginePlayer:
    """Player whose engine searches."""
    player = player_from_spec(
        settings.player, settings.hash // MEBIBYTE, egdb=settings.egdb, egdb_memory=settings.egdb_memory
    )
    assert isinstance(player, EnginePlayer)
    return player


class Comparisons(Kind[Engine, dict[str, Any]]):
    """Units of one position each; the result is a line of the journal."""

    def open(self, unit: Unit, needs: Needs) -> Engine:
        player = player_of(unit, needs)
        assert isinstance(player, EnginePlayer)
        return player.engine

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Engine, dict[str, Any]]:
        yield [Portion(partial(self._compare, unit))]

    def _compare(self, unit: Unit, engine: Engine, stop: Stop) -> dict[str, Any] | None:
        limits = [Limits.parse(text) for text in unit.values["limits"]]
        comparison = search_position(Position.from_fen(unit.values["fen"]), limits, engine, stop)
        return None if stop.is_set() else asdict(comparison)


def search_position(
    position: Position, limits: Sequence[Limits], engine: Engine, stop: Stop | None = None
) -> ComparedPosition:
    """Search a position with every limit, each time from an empty table, and judge the moves if they differ.

    stop: ends the searches; the result is then invalid.
    """
    searches: list[Choice] = []
    iterations: list[Choice] = []
    for limit in limits:
        iterations.clear()
        engine.new_game()
        result = engine.search(
            position, limit,
            on_info=lambda info: iterations.append(Choice(str(info.pv[0]), info.score, info.depth)),
            stop=stop,
        )  # fmt: skip
        searches.append(Choice(str(result.move), result.score, result.depth))
    moves = dict.fromkeys(choice.move for choice in searches)
    judged = {} if len(moves) == 1 else {move: _judged(position, move, limits[-1], engine, stop) for move in moves}
    return ComparedPosition(position.fen, tuple(searches), tuple(iterations), judged)


def _judged(position: Position, move: str, limit: Limits, engine: Engine, stop: Stop | None) -> int:
    """Score of a move for its side, by a search of the position after it."""
    after = position.play(move)
    if after.is_over:
        return SCORE_WIN
    engine.new_game()
    return -engine.search(after, limit, history=[position], stop=stop).score
