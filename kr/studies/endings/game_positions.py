"""`kr endnet positions`: positions of games, instead of random ones, with their values.

Endgames that are played look different from random ones: the sides are close, kings stand where they are needed, and
draws are common. Positions that the endgame database knows get their exact values; with --results, those with more
pieces get the result of their game, which is only a guess at the value.

The file is one of sampled positions, as `kr egdb sample` writes them. All are turned so that Black is to move; a
position occurs once. A hash of seed and position assigns it to a share, so that none is in two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _core, storage
from kr.egdb.database import UNKNOWN_VALUE, Database, directory_for
from kr.egdb.sample import Sample
from kr.egdb.sample_choice import Drawn
from kr.egdb.sample_file import SHARES, SampleWriter
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.learn.games import read_shard, run_directories, shard_paths
from kr.settings import REQUIRED, Settings, check_settings, option, seed_option, workers_option
from kr.threads import thread_pool, worker_count

LEAST_PIECES, MOST_PIECES = 2, 24
GAME_SHARES = (0.8, 0.1, 0.1)
"""Training, validation and test."""


@dataclass(frozen=True)
class GamePositionsSettings(Settings):
    """Choice of games and of their positions."""

    directories: tuple[Path, ...] = option(
        REQUIRED, "Run directories of `kr selfplay`, or folders of them.", argument=True, metavar="DIR"
    )
    out: Path = option(REQUIRED, "HDF5 file to write.")
    low: int = option(LEAST_PIECES, "Fewest pieces, {allowed}.", low=LEAST_PIECES, high=MOST_PIECES)
    high: int = option(7, "Most pieces, {allowed}.", low=LEAST_PIECES, high=MOST_PIECES)
    results: bool = option(False, "Give positions beyond the database the result of their game.")
    quiet: bool = option(True, "Only positions in which the side to move has no capture.", name="quiet-only")
    egdb: Path | None = option(None, "Directory of the endgame database.  [default: the one that kr uses in play]")
    seed: int = seed_option("Seed of order and shares.")
    workers: int = workers_option()


def write_game_positions(
    settings: GamePositionsSettings, on_progress: Callable[[int, int], None] | None = None
) -> Sample:
    """Write the positions. on_progress: called with shards read and shards in all.

    Raises InvalidGamesError, InvalidSettingError if nothing is left, InvalidDatabaseError, OSError.
    """
    check_settings(settings, GamePositionsSettings)
    storage.check_output(settings.out)
    if settings.low > settings.high:
        raise InvalidSettingError(f"low: {settings.low} is more than high, {settings.high}")
    database = Database.open(directory_for(settings.egdb), max_pieces=settings.high)
    paths = [path for directory in run_directories(settings.directories) for path in shard_paths(directory)]
    if not paths:
        raise InvalidGamesError(f"{settings.directories[0]}: no shards of games in it")
    boards, values = np.empty((0, 3), dtype=np.uint32), np.empty(0, dtype=np.uint8)
    for done, path in enumerate(paths, 1):
        shard = _of_shard(path, settings)
        boards, values = _distinct(np.concatenate([boards, shard[0]]), np.concatenate([values, shard[1]]))
        if on_progress:
            on_progress(done, len(paths))
    exact = database.values(boards, workers=settings.workers)
    known = exact != UNKNOWN_VALUE
    values[known] = exact[known]
    if not settings.results:
        boards, values = boards[known], values[known]
    if not len(values):
        raise InvalidSettingError(
            f"{settings.directories[0]}: no position with {settings.low} to {settings.high} pieces that the database "
            f"in {database.directory} knows; it has {database.reach}"
        )
    return _written(settings, boards, values)


def _of_shard(path: Path, settings: GamePositionsSettings) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Positions of a shard with Black to move, and the results of their games as values."""
    games = read_shard(path)
    rows = games.positions()
    pieces = np.bitwise_count(rows[:, 0] | rows[:, 1])
    mask = (pieces >= settings.low) & (pieces <= settings.high)
    rows, values = rows[mask], (games.mover_result[mask] + 1).astype(np.uint8)
    turned = rows[:, 3] == 1
    boards = np.ascontiguousarray(rows[:, :3])
    boards[turned] = _rotated(rows[turned][:, [1, 0, 2]])
    if settings.quiet:
        quiet = ~_core.pending_captures(boards)
        boards, values = boards[quiet], values[quiet]
    return boards, values


def _rotated(boards: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Bitboards with the board turned by 180 degrees: square 31 - s for s."""
    bits: NDArray[Any] = boards.astype(np.uint64)
    for shift, mask in ((1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0F0F_0F0F), (8, 0x00FF_00FF), (16, 0x0000_FFFF)):
        bits = (bits >> shift & mask) | (bits & mask) << shift
    return bits.astype(np.uint32)


def _distinct(boards: NDArray[np.uint32], values: NDArray[np.uint8]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Each position once, with the value of its first occurrence."""
    rows = np.ascontiguousarray(boards).view([("", np.uint32)] * 3)[:, 0]
    _, first = np.unique(rows, return_index=True)
    first.sort()
    return boards[first], values[first]


def _written(settings: GamePositionsSettings, boards: NDArray[np.uint32], values: NDArray[np.uint8]) -> Sample:
    """Write positions in the order of their hashes."""
    keys = boards.astype(np.uint64)
    hashes = np.full(len(keys), settings.seed, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in keys.T:
            hashes = (hashes ^ column) * np.uint64(0x9E37_79B9_7F4A_7C15)
            hashes ^= hashes >> np.uint64(29)
    order = np.argsort(hashes, kind="stable")
    ends = (np.cumsum(GAME_SHARES)[:2] * 2.0**64).astype(np.uint64)
    share = np.searchsorted(ends, hashes, side="right")
    recorded = {**asdict(settings), "pieces": f"{settings.low}-{settings.high}"}
    attrs = {**storage.provenance(**{**recorded, "quiet": settings.quiet}), "order": "random"}
    threads = worker_count(settings.workers)
    with thread_pool(threads) as pool:
        writer = SampleWriter(settings.out, SHARES, attrs, pool, threads, planes=False)
        with writer:
            for i, name in enumerate(SHARES):
                rows = order[share[order] == i]
                writer.add(name, Drawn(boards[rows], values[rows], hashes[rows]))
    return Sample(settings.out, writer.counts, writer.checksum, settings.out.stat().st_size)
