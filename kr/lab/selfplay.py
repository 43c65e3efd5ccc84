"""Self-play: games of an evaluation against itself, in all cores, into a run directory that resumes."""

from __future__ import annotations

import itertools
import json
import os
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kr import _core, storage
from kr.engine import load_database
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.evaluation import kinds
from kr.lab import games
from kr.lab.games import GameRecord
from kr.lab.matches import openings
from kr.settings import egdb_memory_option, egdb_option, option
from kr.threads import start_all
from kr.units import counted, format_count, format_duration, format_size, parse_count, parse_duration, parse_size

if TYPE_CHECKING:
    from kr.egdb.database import Database

MIXED_OPENINGS = "3move+11man"
MOST_TIMES = 1000
RUN_FILE = "run.json"
EVENTS_WAIT = 0.2
BEFORE = {"egdb": "none", "egdb_ends": False, "egdb_search": False}
"""How runs were played whose description lacks a setting, because there was none."""


@dataclass(frozen=True)
class SelfplaySettings:
    """How self-play games are played. All but those in UNSHAPING shape the games themselves."""

    games: int = option(
        10_000, "Games to have in the end, those of earlier starts counted in.", parse=parse_count, show=format_count
    )
    out: Path = option(Path("selfplay/games"), "Run directory; an earlier run in it goes on.")
    seed: int = option(1, "Seed of openings, random moves and noise.")
    workers: int = option(0, "Threads; 0: one for each core.")
    nodes: int = option(2000, "Nodes searched for each move.", parse=parse_count, show=format_count)
    tc: float | None = option(
        None, "Time for each move instead, such as 20ms; such games can't be repeated.", parse=parse_duration
    )
    weights: str = option("", "Weights file, manual or material; the shipped tables if not given.")
    openings: str = option(
        MIXED_OPENINGS,
        "Decks with + between (start, 2move, 3move, 11man, endings), lost ones too, or a file; 11man*4 counts 4 times.",
    )
    random_plies: int = option(8, "Up to this many random plies follow the opening.")
    noise: int = option(3, "Random part of static scores, centi-men either way, for variety.")
    draw_plies: int = option(60, "A draw after this many plies without a capture or a man's move.")
    clear_score: int = option(300, "Centi-men ahead from which a score is clear; 0: no game ends so.")
    clear_plies: int = option(6, "A game is decided after this many clear scores in a row, by both sides.")
    hash: int = option(1 << 20, "Hash table of each thread.", parse=parse_size, show=format_size)
    shard_games: int = option(2000, "Games in one file.", parse=parse_count, show=format_count)
    egdb: str = egdb_option("", "the one that comes with kr if not given, or that of the run that goes on")
    egdb_memory: int = egdb_memory_option()
    egdb_ends: bool = option(True, "End a game with its exact result where the endgame database knows it.")
    egdb_search: bool = option(True, "Let the search look positions up in the endgame database.")

    def __post_init__(self) -> None:
        for name, low, high in (
            ("games", 1, 10**12),
            ("workers", 0, 1024),
            ("seed", 0, 2**63 - 1),
            ("nodes", 1, 10**12),
            ("random_plies", 0, 100),
            ("noise", 0, 1000),
            ("draw_plies", 4, 80),
            ("clear_score", 0, _core.SCORE_DECIDED),
            ("clear_plies", 1, 100),
            ("shard_games", 1, 100_000),
            ("hash", 1, 1 << 40),
        ):
            if not low <= (value := getattr(self, name)) <= high:
                raise InvalidSettingError(f"{name} is {value}; from {low} to {high}")
        if self.tc is not None and not 0 < self.tc <= 3600:
            raise InvalidSettingError(f"tc is {format_duration(self.tc)}; more than 0 and at most an hour a move")


UNSHAPING = ("games", "out", "workers", "weights", "egdb_memory")
"""Settings that a run may go on with changed; of the weights their signature shapes the games."""


@dataclass
class Tally:
    """What is done so far, for progress displays and the final report."""

    wanted: int
    earlier: int = 0
    """Games found done already."""
    played: int = 0
    black_wins: int = 0
    draws: int = 0
    white_wins: int = 0
    plies: int = 0
    reasons: dict[str, int] = field(default_factory=lambda: dict.fromkeys(games.REASONS, 0))
    seconds: float = 0.0

    def add(self, record: GameRecord) -> None:
        """Count one more game."""
        self.played += 1
        self.black_wins += record.result > 0
        self.draws += record.result == 0
        self.white_wins += record.result < 0
        self.plies += len(record.moves)
        self.reasons[games.REASONS[record.reason]] += 1

    @property
    def games_per_second(self) -> float:
        """Speed of this start."""
        return self.played / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class Openings:
    """The start positions of a run."""

    bits: np.ndarray
    """(n, 4) uint32 black, white, kings, side."""
    decks: tuple[tuple[str, int], ...]
    """Name and size of each deck, in order."""


def opening_mix(spec: str) -> Openings:
    """The openings of a `--openings` text: decks with + between, each of their openings played as often as any other.

    A deck with *4 after its name counts four times. Raises InvalidSettingError and InvalidFenError.
    """
    parts = []
    for part in spec.split("+"):
        name, times = _deck_and_times(part)
        chosen = [o.position for o in openings.deck(name, playable_only=False) if not o.position.is_over]
        parts.append((name, times, chosen))
    decks = tuple((name, times * len(chosen)) for name, times, chosen in parts)
    if not 0 < (count := sum(size for _, size in decks)) <= 1 << 16:
        raise InvalidSettingError(f"{spec!r} has {counted(count, 'opening')}; from 1 to 65536")
    rows = [(p.black, p.white, p.kings, int(p.side)) for _, times, chosen in parts for p in times * chosen]
    return Openings(np.array(rows, dtype=np.uint32), decks)


def _deck_and_times(part: str) -> tuple[str, int]:
    name, _, times = part.rpartition("*")
    if not name:
        return part, 1
    if not times.isdecimal() or not 0 < int(times) <= MOST_TIMES:
        raise InvalidSettingError(f"{part!r} counts a deck {times!r} times; from 1 to {MOST_TIMES}, such as 11man*4")
    return name, int(times)


def play(settings: SelfplaySettings, on_game: Callable[[Tally], None] | None = None) -> Tally:
    """Play the games that the run directory lacks; each full shard appears as soon as its games are done.

    Game i depends only on the seed, i and the settings, whatever the number of workers and interruptions. On an
    interruption finished games are kept for the next start. Raises InvalidSettingError where the directory holds
    games of other settings, InvalidWeightsError, InvalidDatabaseError, OutputBusyError, OSError.
    """
    evaluation = kinds.load(settings.weights or None)
    mix = opening_mix(settings.openings)
    storage.make_directory(settings.out)
    with storage.lock(settings.out):
        earlier = _earlier_shaping(settings.out)
        database = _database(settings, earlier)
        shaping = _shaping(settings, evaluation.signature, database, mix)
        attrs = _begin_run(settings, evaluation.name, shaping, earlier, mix)
        return _Run(settings, evaluation.core, database, mix, attrs, on_game).play()


def _database(settings: SelfplaySettings, earlier: Mapping[str, Any] | None) -> Database | None:
    """The endgame database to play with. What this machine happens to have beyond kr's own must be asked for."""
    if not (settings.egdb_ends or settings.egdb_search):
        return None
    if settings.egdb:
        return load_database(settings.egdb, settings.egdb_memory)
    shipped = storage.data_path("egdb")
    if not shipped.is_dir() or (earlier is not None and earlier["egdb"] == "none"):
        return None
    return load_database(str(shipped), settings.egdb_memory)


def _shaping(settings: SelfplaySettings, signature: str, database: Database | None, mix: Openings) -> dict[str, Any]:
    """What must be the same for games to belong to one run."""
    shaping = {key: value for key, value in asdict(settings).items() if key not in UNSHAPING}
    shaping["weights"] = signature
    shaping["openings"] = f"{settings.openings} {storage.checksum(mix.bits)}"
    if database is None:
        return shaping | BEFORE
    return shaping | {"egdb": database.signature}


def _earlier_shaping(directory: Path) -> dict[str, Any] | None:
    """What shapes the games of the run in a directory; None where none has begun."""
    path = directory / RUN_FILE
    begun = any(directory.glob("shard-*"))
    if not path.exists():
        if begun:
            raise InvalidGamesError(f"{directory} holds games but no {RUN_FILE}; choose another --out")
        return None
    try:
        earlier = BEFORE | storage.parse_json(storage.read_regular(path))["shaping"]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidGamesError(f"{path}: not the description of a run; choose another --out") from error
    return earlier if begun else None


def _begin_run(
    settings: SelfplaySettings, name: str, shaping: dict[str, Any], earlier: Mapping[str, Any] | None, mix: Openings
) -> dict[str, str]:
    """Write or check run.json; returns the attributes of this start's shards."""
    if earlier is None:
        text = json.dumps({"shaping": shaping, **storage.provenance(**asdict(settings))}, indent=1, default=str)
        storage.write_atomic(settings.out / RUN_FILE, text + "\n")
    elif differing := [key for key in shaping if earlier.get(key) != shaping[key]]:
        key = differing[0]
        raise InvalidSettingError(
            f"{settings.out} holds games with {key}={earlier.get(key)}, not {shaping[key]}; "
            "use the same settings to go on, or another --out"
        )
    shown = {**asdict(settings), "weights": name, "out": str(settings.out), "egdb": shaping["egdb"]}
    parents = [shaping["weights"]] + [shaping["egdb"]] * (shaping["egdb"] != "none")
    return {**storage.provenance(parents=parents, **shown), "decks": json.dumps(mix.decks)}


class _Run:
    """One start of a run: workers that play, and the thread that gathers their games into shards."""

    def __init__(
        self,
        settings: SelfplaySettings,
        evaluator: _core.Evaluator,
        database: Database | None,
        mix: Openings,
        attrs: Mapping[str, str],
        on_game: Callable[[Tally], None] | None,
    ) -> None:
        self.settings = settings
        self.evaluator = evaluator
        self.database = database
        self.mix = mix
        self.attrs = attrs
        self.on_game = on_game
        self.tally = Tally(settings.games)
        self.stop = np.zeros(1, dtype=np.int32)
        self.finished: queue.SimpleQueue[GameRecord | BaseException] = queue.SimpleQueue()
        self.pending: dict[int, dict[int, GameRecord]] = {}
        self.next_lock = threading.Lock()

    def path(self, shard: int, suffix: str = "h5") -> Path:
        return self.settings.out / f"shard-{shard:06d}.{suffix}"

    def shard_range(self, shard: int) -> range:
        size = self.settings.shard_games
        return range(shard * size, min((shard + 1) * size, self.settings.games))

    def missing(self) -> list[int]:
        """The games still to play; finished games of interrupted shards are taken up."""
        storage.remove_orphans(self.settings.out, "shard-*")
        wanted: list[int] = []
        for shard in range(-(-self.settings.games // self.settings.shard_games)):
            numbers = self.shard_range(shard)
            held = self._held(shard)
            done = len(held) if held is not None else len(numbers)
            self.tally.earlier += done
            if held is not None:
                self.pending[shard] = held
                wanted += [number for number in numbers if number not in held]
            else:
                self.path(shard, "part").unlink(missing_ok=True)
        return wanted

    def _held(self, shard: int) -> dict[int, GameRecord] | None:
        """Finished games of a shard that is not whole; None for a whole one."""
        numbers = self.shard_range(shard)
        held = self._records(self.path(shard), numbers)
        return None if len(held) == len(numbers) else held | self._records(self.path(shard, "part"), numbers)

    def _records(self, path: Path, numbers: range) -> dict[int, GameRecord]:
        """The games with these numbers in a file. Raises InvalidGamesError where it is of another run."""
        if not path.exists():
            return {}
        shard = games.read_shard(path)
        if any(shard.attrs.get(name) != self.attrs[name] for name in ("seed", "parents")):
            raise InvalidGamesError(
                f"{path}: games of another run (seed {shard.attrs.get('seed')}, weights and endgame database "
                f"{shard.attrs.get('parents')}); take it away, and its games are played"
            )
        return {record.game: record for record in games.records(shard) if record.game in numbers}

    def play(self) -> Tally:
        numbers = self.missing()
        if not numbers:
            return self.tally
        began = time.monotonic()
        self.numbers = iter(numbers)
        workers = min(self.settings.workers or len(os.sched_getaffinity(0)), len(numbers))
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        try:
            start_all(threads, lambda: self.stop.fill(1))
            for _ in numbers:
                record = self._next_finished()
                self.tally.seconds = time.monotonic() - began
                self._take(record)
                if self.on_game is not None:
                    self.on_game(self.tally)
        finally:
            self.stop[0] = 1
            for thread in threads:
                if thread.is_alive():
                    thread.join()
            self._keep_unfinished()
        return self.tally

    def _next_finished(self) -> GameRecord:
        while True:
            try:
                found = self.finished.get(timeout=EVENTS_WAIT)
            except queue.Empty:
                continue
            if isinstance(found, BaseException):
                raise found
            return found

    def _take(self, record: GameRecord) -> None:
        shard = record.game // self.settings.shard_games
        held = self.pending[shard]
        held[record.game] = record
        self.tally.add(record)
        if len(held) == len(self.shard_range(shard)):
            self._write(shard, "h5")
            self.path(shard, "part").unlink(missing_ok=True)
            del self.pending[shard]

    def _write(self, shard: int, suffix: str) -> None:
        held = self.pending[shard]
        attrs = {**self.attrs, "games_per_second": self.tally.games_per_second}
        games.write_shard(self.path(shard, suffix), [held[number] for number in sorted(held)], attrs)

    def _keep_unfinished(self) -> None:
        """Games of shards that are not full wait in a file of their own."""
        while not self.finished.empty():
            found = self.finished.get()
            if isinstance(found, GameRecord):
                self._take(found)
        for shard, held in self.pending.items():
            if held:
                self._write(shard, "part")

    def _work(self) -> None:
        """One thread: play games until none is left."""
        settings = self.settings
        try:
            player = _core.SelfPlayer(
                self.evaluator,
                seed=settings.seed,
                hash_bytes=settings.hash,
                nodes=settings.nodes if settings.tc is None else 0,
                move_time=settings.tc or 0.0,
                random_plies=settings.random_plies,
                noise=settings.noise,
                draw_plies=settings.draw_plies,
                clear_score=settings.clear_score,
                clear_plies=settings.clear_plies,
                database=None if self.database is None else self.database.core,
                end_by_database=settings.egdb_ends,
                search_database=settings.egdb_search,
            )
            start = np.zeros(4, dtype=np.uint32)
            moves = np.zeros(_core.MAX_GAME_PLIES, dtype=np.uint16)
            scores = np.zeros(_core.MAX_GAME_PLIES, dtype=np.int16)
            while True:
                with self.next_lock:
                    batch = list(itertools.islice(self.numbers, 1))
                if not batch:
                    return
                found = player.play(self.mix.bits, batch[0], start, moves, scores, self.stop)
                if found is None:
                    return
                if self.database is not None:
                    self.database.raise_damage()
                plies, result, reason, opening = found
                black, white, kings, side = map(int, start)
                record = GameRecord(
                    batch[0],
                    (black, white, kings, side),
                    opening,
                    result,
                    reason,
                    moves[:plies].copy(),
                    scores[:plies].copy(),
                )
                self.finished.put(record)
        except BaseException as error:  # shown by the gathering thread
            self.finished.put(error)


def report(tally: Tally) -> str:
    """The final report as text, of the games played now: those found have no tally."""
    if not tally.played:
        return f"nothing to do: {counted(tally.earlier, 'game')} there already"
    shares = ", ".join(f"{name} {100 * n / tally.played:.1f}%" for name, n in tally.reasons.items() if n)
    speed = f"{tally.games_per_second:.1f} games/s"
    found = f", after the {tally.earlier:,} that were there already" if tally.earlier else ""
    return "\n".join(
        [
            f"{counted(tally.played, 'game')} in {tally.seconds:.1f} s ({speed}){found}",
            f"Black won {tally.black_wins:,}, White won {tally.white_wins:,}, drawn {tally.draws:,}",
            f"{tally.plies / tally.played:.1f} plies a game",
            f"ended by {shares}",
        ]
    )
