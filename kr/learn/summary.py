"""Counts over the self-play games of a run directory: results, lengths, ends, phases."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kr import _learn
from kr.errors import InvalidGamesError
from kr.learn.games import NO_SCORE, REASONS, GameArrays, read_shard


@dataclass
class Summary:
    """Counts over the games of a run directory. Triples are Black's wins, draws, White's wins."""

    games: int = 0
    black_wins: int = 0
    draws: int = 0
    white_wins: int = 0
    plies: int = 0
    searched: int = 0
    leaves: int = 0
    """Leaves of searches, each with a score of its own."""
    shortest: int = 0
    longest: int = 0
    bytes: int = 0
    shards: int = 0
    games_per_second: float = 0.0
    """Speed of the start that wrote the last shard; 0 if unknown."""
    reasons: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))
    decks: dict[str, list[int]] = field(default_factory=dict)
    """Results by deck of openings."""
    phases: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """Positions by pieces on the board, "no kings" or "kings", and the result of their game."""

    @property
    def bytes_per_move(self) -> float:
        """Bytes on disk for each move stored."""
        return self.bytes / max(self.plies, 1)

    def add(self, path: Path) -> GameArrays:
        """Count the games of a shard, and return them. If it raises InvalidGamesError, the counts stay."""
        shard = read_shard(path)
        _count_phases(self.phases, shard, path)
        self.shards += 1
        self.bytes += path.stat().st_size
        self.games += len(shard)
        results = _results(shard.result)
        self.black_wins += results[0]
        self.draws += results[1]
        self.white_wins += results[2]
        self.plies += len(shard.move)
        self.searched += int((shard.score != NO_SCORE).sum())
        self.leaves += int((shard.leaf_score != NO_SCORE).sum())
        self.games_per_second = float(shard.attrs.get("games_per_second", 0.0))
        if len(shard):
            lengths = np.diff(shard.first)
            self.shortest = min(self.shortest or 1 << 30, int(lengths.min()))
            self.longest = max(self.longest, int(lengths.max()))
        for code, reason in enumerate(REASONS):
            self.reasons[reason] += int((shard.reason == code).sum())
        _count_decks(self.decks, shard)
        return shard


def summarize(paths: Iterable[Path], on_shard: Callable[[], None] | None = None) -> Summary:
    """Read shards and count. Raises InvalidGamesError."""
    total = Summary()
    for path in paths:
        total.add(path)
        if on_shard is not None:
            on_shard()
    return total


def _results(results: NDArray[np.int8]) -> list[int]:
    return [int((results == result).sum()) for result in (1, 0, -1)]


_Name = TypeVar("_Name")


def _add(counts: dict[_Name, list[int]], name: _Name, more: Iterable[int]) -> None:
    counts[name] = [a + int(b) for a, b in zip(counts.get(name, [0, 0, 0]), more, strict=True)]


def _count_decks(decks: dict[str, list[int]], shard: GameArrays) -> None:
    begin = 0
    for name, size in shard.decks:
        _add(decks, name, _results(shard.result[(shard.opening >= begin) & (shard.opening < begin + size)]))
        begin += size


def _count_phases(phases: dict[tuple[str, str], list[int]], shard: GameArrays, path: Path) -> None:
    """Count positions by number of pieces, in fours, without and with kings."""
    counts = np.zeros((25, 2, 3), dtype=np.int64)
    bad = _learn.count_pieces(shard.start, shard.side, shard.first, shard.result, shard.move, counts)
    if bad >= 0:
        raise InvalidGamesError(f"{path}: game {shard.game[bad]} has a move that is not legal")
    for low in range(21, 0, -4):
        for kings, words in ((0, "no kings"), (1, "kings")):
            _add(phases, (f"{low}-{low + 3}", words), counts[low : low + 4, kings].sum(axis=0))
