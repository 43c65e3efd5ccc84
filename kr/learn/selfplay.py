"""Self-play: games of an evaluation against itself, in all cores, into a run directory that resumes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kr import _core, storage
from kr.cluster.address import cluster_option
from kr.cluster.pool import work_pool
from kr.egdb.database import Database, load_database
from kr.engine.search import Stop
from kr.engine.settings import egdb_memory_option, egdb_option
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.evaluation import kinds
from kr.evaluation.kinds import SHIPPED, weights_texts
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.learn import games
from kr.learn.games import RUN, StoredGame
from kr.learn.shards import UNIT_SETTINGS, OpeningMix, Shards, opening_mix, ranges
from kr.players.workers import egdb_needs
from kr.settings import Settings, check_settings, option, seed_option, workers_option
from kr.threads import worker_count
from kr.units import counted, format_count, format_duration, format_size, parse_count, parse_duration, parse_size

MIXED_OPENINGS = "3move+11man"
RUN_FILE = "run.json"
WITHOUT_DATABASE = {"egdb": "none", "egdb_ends": False, "egdb_search": False}
FORMER_DEFAULTS = WITHOUT_DATABASE | {"leaf_nodes": 0, "leaf_margin": 60}
"""Settings of runs from before these settings existed."""


@dataclass(frozen=True)
class SelfplaySettings(Settings):
    """Settings of self-play. All but those in UNSHAPING shape the games themselves."""

    games: int = option(
        10_000,
        "Games in the run directory at the end, including earlier ones.",
        parse=parse_count,
        show=format_count,
        low=1,
        high=10**12,
    )
    out: Path = option(RUN, "Run directory; an earlier run in it is resumed.", metavar="DIR")
    seed: int = seed_option("Seed of openings, random moves and noise.")
    workers: int = workers_option()
    cluster: str = cluster_option()
    nodes: int = option(2000, "Nodes searched for each move.", parse=parse_count, show=format_count, low=1, high=10**12)
    tc: float | None = option(
        None,
        "Time for each move instead, such as 20ms; such games can't be repeated.",
        parse=parse_duration,
        show=format_duration,
        above=0,
        high=3600,
    )
    weights: str = option("", f"A {weights_texts()}; the shipped tables if not given.")
    openings: str = option(
        MIXED_OPENINGS,
        "Decks joined by + (start, 2move, 3move, 11man, endings), lost openings included (not in 11man:playable and "
        "11man:accepted), or a file; 11man*4 counts 4 times.",
    )
    random_plies: int = option(8, "Most random plies after the opening.", low=0, high=100)
    noise: int = option(3, "Random change of static scores for variety, in centi-men either way.", low=0, high=1000)
    draw_plies: int = option(
        60, "Plies without a capture or a man's move after which a game is drawn, {allowed}.", low=4, high=80
    )
    clear_score: int = option(
        300,
        "Centi-men ahead from which a score is clear; 0: no game ends by clear scores.",
        low=0,
        high=_core.SCORE_DECIDED,
    )
    clear_plies: int = option(6, "Consecutive clear scores, by both sides, that decide a game.", low=1, high=100)
    leaf_nodes: int = option(
        0,
        "Nodes for a leaf of each move's search, which becomes a sample of its own; 0: no leaves.",
        parse=parse_count,
        show=format_count,
        low=0,
        high=10**12,
    )
    leaf_margin: int = option(
        60, "Most centi-men between the static score of a leaf and that of the search.", low=0, high=_core.SCORE_DECIDED
    )
    hash: int = option(1 << 20, "Hash table of each thread.", parse=parse_size, show=format_size, low=1, high=1 << 40)
    shard_games: int = option(2000, "Games in one file.", parse=parse_count, show=format_count, low=1, high=100_000)
    egdb: str = egdb_option("", "the one that comes with kr if not given, or that of the resumed run")
    egdb_memory: int = egdb_memory_option()
    egdb_ends: bool = option(True, "End games with their exact result once the endgame database knows it.")
    egdb_search: bool = option(True, "Let the search probe the endgame database.")


UNSHAPING = ("games", "out", "workers", "cluster", "weights", "egdb_memory")
"""Settings that may change when a run is resumed; of the weights, only the signature shapes the games."""


@dataclass
class SelfplayResult:
    """Games played so far, or in the end."""

    planned: int
    """Games to have in the end."""
    earlier: int = 0
    """Games that were there before this start; the other counts leave them out."""
    played: int = 0
    black_wins: int = 0
    draws: int = 0
    white_wins: int = 0
    plies: int = 0
    reasons: dict[str, int] = field(default_factory=lambda: dict.fromkeys(games.REASONS, 0))
    seconds: float = 0.0

    def add(self, record: StoredGame) -> None:
        """Count one more game."""
        self.played += 1
        self.black_wins += record.result > 0
        self.draws += record.result == 0
        self.white_wins += record.result < 0
        self.plies += len(record.moves)
        self.reasons[games.REASONS[record.reason]] += 1

    @property
    def finished(self) -> bool:
        """True if the run directory has all games."""
        return self.earlier + self.played >= self.planned

    @property
    def games_per_second(self) -> float:
        """Speed of this start."""
        return self.played / max(self.seconds, 1e-9)


def selfplay(
    settings: SelfplaySettings,
    on_game: Callable[[SelfplayResult], None] | None = None,
    stop: Stop | None = None,
) -> SelfplayResult:
    """Play the games that the run directory lacks; each full shard appears as soon as its games are done.

    Game i depends only on the seed, i and the settings, whatever the number of workers and interruptions.
    on_game: called after each game. stop: ends the work when the next game is over; the result is then not `finished`.
    After that, as after an exception from on_game, finished games are kept, and the same call resumes. Raises
    InvalidSettingError if the directory holds games of other settings, InvalidGamesError if they are damaged,
    InvalidWeightsError, InvalidDatabaseError, OutputBusyError, OSError.
    """
    check_settings(settings, SelfplaySettings)
    evaluation = kinds.load_scorer(settings.weights or None)
    mix = opening_mix(settings.openings)
    with storage.lock_directory(settings.out):
        old_shaping = _old_shaping(settings.out)
        database = _database(settings, old_shaping)
        shaping = _shaping(settings, evaluation.signature, database, mix)
        attrs = _begin_run(settings, evaluation.name, shaping, old_shaping, mix)
        egdb, places = egdb_needs(database)
        openings = storage.checksum(mix.bits)
        needs = Needs(places | {evaluation.signature: settings.weights or SHIPPED, openings: settings.openings})
        needs.keep("weights", evaluation.signature, evaluation.core)
        needs.keep("openings", openings, mix.bits)
        run = _RunDirectory(settings, attrs)
        units = run.units({"weights": evaluation.signature, "openings": openings} | egdb)
        return _play(settings, run, units, needs, on_game, stop) if units else run.result


def _play(
    settings: SelfplaySettings,
    run: _RunDirectory,
    units: Sequence[Unit],
    needs: Needs,
    on_game: Callable[[SelfplayResult], None] | None,
    stop: Stop | None,
) -> SelfplayResult:
    """Play the games of these units."""
    began = time.monotonic()
    missing = settings.games - run.result.earlier
    workers = min(worker_count(settings.workers), missing)
    pool = work_pool(Shards(), needs, workers, cluster=settings.cluster)
    try:
        with closing(pool.run(units)) as parts:
            for part in parts:
                run.result.seconds = time.monotonic() - began
                run.take(part.value)
                if on_game is not None:
                    on_game(run.result)
                if stop is not None and stop.is_set():
                    pool.stop()
    finally:
        for part in pool.rest():
            run.take(part.value)
        run.keep_unfinished()
    return run.result


def _database(settings: SelfplaySettings, old_shaping: Mapping[str, Any] | None) -> Database | None:
    """Endgame database to play with. Any but kr's own must be named in the settings."""
    if not (settings.egdb_ends or settings.egdb_search):
        return None
    if settings.egdb:
        return load_database(settings.egdb, settings.egdb_memory)
    shipped = storage.data_path("egdb")
    if not shipped.is_dir() or (old_shaping is not None and old_shaping["egdb"] == "none"):
        return None
    return load_database(str(shipped), settings.egdb_memory)


def _shaping(settings: SelfplaySettings, signature: str, database: Database | None, mix: OpeningMix) -> dict[str, Any]:
    """Settings that the games of a run have in common."""
    shaping = {key: value for key, value in asdict(settings).items() if key not in UNSHAPING}
    shaping["weights"] = signature
    shaping["openings"] = f"{settings.openings} {storage.checksum(mix.bits)}"
    if database is None:
        return shaping | WITHOUT_DATABASE
    return shaping | {"egdb": database.signature}


def _old_shaping(directory: Path) -> dict[str, Any] | None:
    """Settings that shape the games of the run in a directory; None if no run has begun."""
    path = directory / RUN_FILE
    has_games = any(directory.glob("shard-*"))
    if not path.exists():
        if has_games:
            raise InvalidGamesError(f"{directory} holds games but no {RUN_FILE}; choose another --out")
        return None
    try:
        old_shaping = FORMER_DEFAULTS | storage.parse_json(storage.read_regular(path))["shaping"]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidGamesError(f"{path}: not the description of a run; choose another --out") from error
    if "recorded" in old_shaping:
        raise InvalidSettingError(f"{directory} holds recorded games; choose another --out")
    return old_shaping if has_games else None


def _begin_run(
    settings: SelfplaySettings,
    name: str,
    shaping: dict[str, Any],
    old_shaping: Mapping[str, Any] | None,
    mix: OpeningMix,
) -> dict[str, str]:
    """Write or check run.json; returns the attributes of this start's shards."""
    if old_shaping is None:
        text = json.dumps({"shaping": shaping, **storage.provenance(**asdict(settings))}, indent=1, default=str)
        storage.write_atomic(settings.out / RUN_FILE, text + "\n")
    elif differing := [key for key in shaping if old_shaping.get(key) != shaping[key]]:
        key = differing[0]
        raise InvalidSettingError(
            f"{settings.out} holds games with {key}={old_shaping.get(key)}, not {shaping[key]}; "
            "use the same settings to resume, or another --out"
        )
    facts = {**asdict(settings), "weights": name, "out": settings.out.as_posix(), "egdb": shaping["egdb"]}
    parents = [shaping["weights"]] + [shaping["egdb"]] * (shaping["egdb"] != "none")
    return {**storage.provenance(parents=parents, **facts), "decks": json.dumps(mix.decks)}


class _RunDirectory:
    """Files of a run directory: the games in them, and new ones."""

    def __init__(self, settings: SelfplaySettings, attrs: Mapping[str, str]) -> None:
        self.settings = settings
        self.attrs = attrs
        self.result = SelfplayResult(settings.games)
        self.pending: dict[int, dict[int, StoredGame]] = {}

    def path(self, shard: int, suffix: str = "h5") -> Path:
        return self.settings.out / f"shard-{shard:06d}.{suffix}"

    def shard_range(self, shard: int) -> range:
        size = self.settings.shard_games
        return range(shard * size, min((shard + 1) * size, self.settings.games))

    def units(self, needs: Mapping[str, str]) -> list[Unit]:
        """Units still to play; finished games of interrupted shards are kept."""
        storage.remove_orphans(self.settings.out, "shard-*")
        tools = {name: getattr(self.settings, name) for name in UNIT_SETTINGS}
        units = []
        for shard in range(-(-self.settings.games // self.settings.shard_games)):
            numbers = self.shard_range(shard)
            stored = self._held(shard)
            self.result.earlier += len(numbers) if stored is None else len(stored)
            if stored is None:
                self.path(shard, "part").unlink(missing_ok=True)
                continue
            self.pending[shard] = stored
            missing = ranges([number for number in numbers if number not in stored])
            if missing:
                units.append(Unit(Shards.name(), f"{shard:06d}", needs, tools, {"games": missing}))
            else:
                # interrupted after its last game, before it was written
                self._finish(shard)
        return units

    def _held(self, shard: int) -> dict[int, StoredGame] | None:
        """Finished games of an incomplete shard; None for a complete one."""
        numbers = self.shard_range(shard)
        held = self._records(self.path(shard), numbers)
        return None if len(held) == len(numbers) else held | self._records(self.path(shard, "part"), numbers)

    def _records(self, path: Path, numbers: range) -> dict[int, StoredGame]:
        """Games with these numbers in a file. Raises InvalidGamesError if it belongs to another run."""
        if not path.exists():
            return {}
        shard = games.read_shard(path)
        if any(shard.attrs.get(name) != self.attrs[name] for name in ("seed", "parents")):
            raise InvalidGamesError(
                f"{path}: games of another run (seed {shard.attrs.get('seed')}, weights and endgame database "
                f"{shard.attrs.get('parents')}); remove it to play its games again"
            )
        return {record.game: record for record in games.stored_games(shard) if record.game in numbers}

    def take(self, record: StoredGame) -> None:
        """Count a game; a shard is written when it is complete."""
        shard = record.game // self.settings.shard_games
        held = self.pending[shard]
        held[record.game] = record
        self.result.add(record)
        if len(held) == len(self.shard_range(shard)):
            self._finish(shard)

    def _finish(self, shard: int) -> None:
        """Write a shard whose games are complete."""
        self._write(shard, "h5")
        self.path(shard, "part").unlink(missing_ok=True)
        del self.pending[shard]

    def _write(self, shard: int, suffix: str) -> None:
        held = self.pending[shard]
        attrs = {**self.attrs, "games_per_second": self.result.games_per_second}
        games.write_shard(self.path(shard, suffix), [held[number] for number in sorted(held)], attrs)

    def keep_unfinished(self) -> None:
        """Write the games of incomplete shards to their own files."""
        for shard, held in self.pending.items():
            if held:
                self._write(shard, "part")


def selfplay_report(result: SelfplayResult) -> str:
    """Final report as text. Its figures are those of this start; earlier games are counted only in number."""
    if not result.played:
        return f"nothing to do: {counted(result.earlier, 'game')} there already"
    shares = ", ".join(f"{name} {100 * n / result.played:.1f}%" for name, n in result.reasons.items() if n)
    speed = f"{result.games_per_second:.1f} games/s"
    before = f", after the {result.earlier:,} that were there already" if result.earlier else ""
    return "\n".join(
        [
            f"{counted(result.played, 'game')} in {result.seconds:.1f} s ({speed}){before}",
            f"Black won {result.black_wins:,}, White won {result.white_wins:,}, drawn {result.draws:,}",
            f"{result.plies / result.played:.1f} plies a game",
            f"ended by {shares}",
        ]
    )
