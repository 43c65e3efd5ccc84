"""Self-play games as training samples: quiet positions seen from the mover, labelled, split by game, duplicates merged.

A sample is a position with no capture for either side whose move was searched, or, in a recorded game without scores,
was a choice. Its target is the game's result from
the mover's view (win 1, draw 1/2, loss 0), or a mixture of it with the search score as a winning expectation,
sigmoid(score / scale). Generations scale their scores differently, so the scale is fitted for each run directory,
by one-dimensional logistic regression of the result on the score over its training games.

The searches of the moves that follow know more: with a decay above 0 the position's own expectation is replaced by
an average of its own and all later ones of the game, each counting `decay` times as much as the one before it, and
the result at the game's end for all that would follow (TD(lambda)). Forced moves, which were not searched, don't count.

Games that were played with leaves give those as well: positions that a search scored, in which one side may threaten to
capture. Nothing is known of a leaf but the score of its own search, which is its whole target.

A game is held out or trained on as a whole, decided by a hash of (seed of the fit, seed of the run, game number).
Positions with and without kings on the board are kept apart, since each has its own group of regions.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kr import _core, _learn
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.evaluation.patterns import mover_frame
from kr.learn import games
from kr.settings import check_type
from kr.storage import as_path
from kr.threads import awaited, thread_pool

_T = TypeVar("_T")
SCORE_STEPS = 1 << 16
"""Different scores of 16 bits."""

OnFitProgress = Callable[[str, int, int], None]
"""Called with the name of the stage, units done and units in all."""


@dataclass(frozen=True)
class Label:
    """Composition of a sample's target."""

    score_share: float = 0.0
    """The share of the search scores, the rest is the game's result."""
    decay: float = 0.0
    """Weight of a searched move's score relative to the one before it; 0: only the position's own."""
    leaves: bool = True
    """True to take in leaves, where games have them and scores count."""

    @classmethod
    def parse(cls, text: str) -> Label:
        """Read "result", or "mix=SHARE" with or without ",decay=DECAY" and ",leaves=no". Raises InvalidSettingError."""
        if text == "result":
            return cls()
        numbers = {}
        mixture = text.removesuffix(",leaves=no")
        for part in mixture.split(","):
            name, _, number = part.partition("=")
            try:
                numbers[name] = float(number)
            except ValueError:
                numbers[name] = -1.0
        share, decay = numbers.pop("mix", -1.0), numbers.pop("decay", 0.0)
        if numbers or not 0 <= share <= 1 or not 0 <= decay < 1:
            raise InvalidSettingError(
                f'label {text!r} is neither "result" nor "mix=SHARE" or "mix=SHARE,decay=DECAY" '
                'with a share from 0 to 1 and a decay from 0 to less than 1, with or without ",leaves=no"'
            )
        return cls(share, decay, mixture == text)

    def __str__(self) -> str:
        if not self.score_share:
            return "result"
        decay, leaves = f",decay={self.decay:g}" if self.decay else "", "" if self.leaves else ",leaves=no"
        return f"mix={self.score_share:g}{decay}{leaves}"


@dataclass(frozen=True, eq=False)
class Samples:
    """Distinct positions in the mover's frame with the means of their labels."""

    boards: NDArray[np.uint32]
    """(n, 4): own men, opponent's men, own kings, opponent's kings."""
    count: NDArray[np.uint32]
    """(n,) number of positions merged into each."""
    target: NDArray[np.float32]
    """(n,) mean target, 0 to 1."""
    result: NDArray[np.float32]
    """(n,) mean result of the games, 0 to 1."""

    def __len__(self) -> int:
        return len(self.boards)

    @property
    def positions(self) -> int:
        """Positions before merging."""
        return int(self.count.sum(dtype=np.int64))

    @property
    def pieces(self) -> NDArray[np.uint8]:
        """(n,) pieces on the board."""
        return np.bitwise_count(self.boards).sum(axis=1, dtype=np.uint8)

    @property
    def material(self) -> NDArray[np.int8]:
        """(n, 2) men and kings, own minus opponent's."""
        counts = np.bitwise_count(self.boards).astype(np.int8)
        return np.ascontiguousarray(counts[:, ::2] - counts[:, 1::2])


@dataclass(frozen=True)
class SampledRun:
    """One run directory of games that went into a dataset."""

    directory: str
    shards: int
    games: int
    score_scale: float | None
    """Centi-men in one logit of the result; None if the scores are not used."""
    held_out: int
    """Of the games, those that were held out."""
    seed: int
    """Of the run."""
    player: str
    """Identity of the evaluation that played (`kr.learn.games.GameArrays`)."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Training and held-out samples, each apart for positions without (False) and with (True) a king on the board."""

    training: dict[bool, Samples]
    """Samples to fit, without (False) and with (True) kings."""
    held_out: dict[bool, Samples]
    """Samples of the held-out games, in the same way."""
    runs: tuple[SampledRun, ...]
    """The run directories read, in order."""


class Merger:
    """Distinct samples growing as positions are added, each with its number of positions and the sums of its labels."""

    def __init__(self) -> None:
        self._used = 0
        self._boards = np.empty((0, 4), dtype=np.uint32)
        self._count = np.empty(0, dtype=np.uint32)
        self._result = np.empty(0)
        self._target = np.empty(0)
        self._table = np.empty(0, dtype=np.uint32)

    def add(self, boards: NDArray[np.uint32], result: NDArray[np.float32], target: NDArray[np.float32]) -> None:
        """Add positions: boards (n, 4) in the mover's frame, result and target (n,) from 0 to 1."""
        self._make_room(self._used + len(boards))
        self._used = _learn.merge_samples(
            boards, result, target, self._boards, self._count, self._result, self._target, self._used, self._table
        )

    def _make_room(self, rows: int) -> None:
        if rows > len(self._boards):
            capacity = max(rows, len(self._boards) * 3 // 2, 1 << 16)
            for name in ("_boards", "_count", "_result", "_target"):
                old = getattr(self, name)
                new = np.empty((capacity, *old.shape[1:]), dtype=old.dtype)
                new[: self._used] = old[: self._used]
                setattr(self, name, new)
        if 2 * rows > len(self._table):
            self._table = np.full(1 << (2 * rows - 1).bit_length(), 0xFFFFFFFF, dtype=np.uint32)
            _learn.fill_merge_table(self._boards, self._used, self._table)

    @property
    def bytes(self) -> int:
        """Memory of the samples so far."""
        return sum(each.nbytes for each in (self._boards, self._count, self._result, self._target, self._table))

    def samples(self) -> Samples:
        """The samples in order of first appearance. Empties the merger, whose memory is handed over."""
        used, count = self._used, self._count[: self._used].copy()
        target, result = ((s[:used] / count).astype(np.float32) for s in (self._target, self._result))
        boards = self._boards[:used].copy()
        self.__init__()  # type: ignore[misc]
        return Samples(boards, count, target, result)


def read_samples(
    directories: Sequence[Path | str] | Path | str,
    label: Label | None = None,
    held_out_share: float = 0.0,
    seed: int = 1,
    workers: int = 1,
    on_progress: OnFitProgress | None = None,
) -> Dataset:
    """Read the games of run directories as training samples; the result does not depend on the number of workers.

    directories: one or several; label: what the targets are made of, the results if not given; held_out_share: share
    of the games to hold out, chosen by `seed`; on_progress: called after each shard. Raises InvalidGamesError, naming
    the file, for a damaged shard, and if there are no games or no samples at all.
    """
    label = label or Label()
    if isinstance(directories, str | Path):
        directories = [directories]
    check_type("the directories", directories, Iterable)
    shards = {as_path(each): games.game_files(each) for each in directories}
    total = sum(len(paths) for paths in shards.values())
    steps = total * (2 if label.score_share else 1)
    count = itertools.count(1)

    def advance() -> None:
        if on_progress:
            on_progress("reading games", next(count), steps)

    mergers = {(held, kings): Merger() for held in (False, True) for kings in (False, True)}
    runs = []
    with thread_pool(workers) as pool:
        for directory, paths in shards.items():
            split = Split(seed, held_out_share)
            scale = _score_scale(directory, paths, split, pool, workers, advance) if label.score_share else None
            work = partial(shard_samples, split=split, label=label, scale=scale)
            read = []
            for shard, parts in _in_order(pool, workers, paths, work):
                read.append(shard)
                for key, part in parts.items():
                    mergers[key].add(*part)
                advance()
            game_count, held = (sum(getattr(shard, name) for shard in read) for name in ("games", "held_out"))
            runs.append(
                SampledRun(directory.as_posix(), len(paths), game_count, scale, held, read[0].seed, read[0].player)
            )
    samples = {key: merger.samples() for key, merger in mergers.items()}
    training, held_out = ({k: samples[held, k] for k in (False, True)} for held in (False, True))
    if not any(len(s) for s in training.values()):
        raise InvalidGamesError(f"{', '.join(map(str, directories))}: no quiet searched position in these games")
    return Dataset(training, held_out, tuple(runs))


@dataclass(frozen=True)
class Split:
    """Choice of the held-out games."""

    seed: int
    share: float

    def held_out(self, run_seed: int, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """True for each game number of a run that is held out. The choice never changes."""
        start = (self.seed * 0x9E3779B97F4A7C15 + run_seed) % 2**64
        with np.errstate(over="ignore"):
            z = numbers.astype(np.uint64) + _mixed(np.array([start], dtype=np.uint64))
        return _mixed(z) < np.uint64(min(int(self.share * 2.0**64), 2**64 - 1))


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64: every bit of the argument reaches every bit of the result."""
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)


def _in_order(
    pool: ThreadPoolExecutor, workers: int, paths: Sequence[Path], work: Callable[[Path], _T]
) -> Iterator[_T]:
    """work(path) for every path, in order, with only a few results in memory at a time."""
    waiting: deque[Future[_T]] = deque()
    try:
        for path in paths:
            waiting.append(pool.submit(work, path))
            if len(waiting) > workers + 1:
                yield awaited(waiting.popleft())
        while waiting:
            yield awaited(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


@dataclass(frozen=True)
class ReadShard:
    """A shard whose samples have been taken."""

    games: int
    held_out: int
    seed: int
    player: str


Labelled = tuple[NDArray[np.uint32], NDArray[np.float32], NDArray[np.float32]]


def shard_samples(
    path: Path, split: Split, label: Label, scale: float | None
) -> tuple[ReadShard, dict[tuple[bool, bool], Labelled]]:
    """A shard, and its samples by (held out, kings): boards, results, targets."""
    shard = games.read_shard(path)
    try:
        boards, outcome, _, ply, game = _learn.quiet_positions(
            shard.start, shard.side, shard.first, shard.result, shard.move, shard.score
        )
    except ValueError as error:
        raise InvalidGamesError(f"{path}: {error}") from error
    result = ((outcome + 1) / 2).astype(np.float32)
    target = result
    if scale is not None:
        expected = outlook(shard, scale, label.decay)[shard.first[game] + ply]
        target = ((1 - label.score_share) * result + label.score_share * expected).astype(np.float32)
    games_held = split.held_out(shard.seed, shard.game)
    held = games_held[game]
    if scale is not None and label.leaves and len(shard.leaf):
        rows = np.flatnonzero(shard.leaf_score != games.NO_SCORE)
        expected = logistic(shard.leaf_score[rows] / scale).astype(np.float32)
        boards = np.concatenate([boards, mover_frame(shard.leaf[rows])])
        result, target = (np.concatenate([each, expected]) for each in (result, target))
        held = np.concatenate([held, games_held[shard.game_of_ply[rows]]])
    kings = (boards[:, 2] | boards[:, 3]) != 0
    parts = {}
    for key in itertools.product((False, True), (False, True)):
        rows = np.flatnonzero((held == key[0]) & (kings == key[1]))
        parts[key] = (boards[rows], result[rows], target[rows])
    return ReadShard(len(shard), int(games_held.sum()), shard.seed, shard.player), parts


def outlook(shard: games.GameArrays, scale: float, decay: float) -> NDArray[np.float64]:
    """(P,) the mover's expectation by the scores of each ply and those after it, from 0 to 1.

    A searched ply has (1 - decay) of its own expectation and decay of the outlook one ply on, seen from the other side;
    another ply all of the latter. After the last ply stands the result.
    """
    searched = shard.score != games.NO_SCORE
    own = np.where(searched, (1 - decay) * logistic(shard.score / scale), 0.0)
    later = np.where(searched, decay, 1.0)
    lengths = np.diff(shard.first)
    mover = np.where((shard.side + lengths) % 2 == 1, -1, 1)
    ahead = (mover * shard.result + 1) / 2
    out = np.empty(len(searched))
    for back in range(1, int(lengths.max(initial=0)) + 1):
        playing = np.flatnonzero(lengths >= back)
        ply = shard.first[playing + 1] - back
        ahead[playing] = out[ply] = own[ply] + later[ply] * (1 - ahead[playing])
    return out


def _score_scale(
    directory: Path,
    paths: Sequence[Path],
    split: Split,
    pool: ThreadPoolExecutor,
    workers: int,
    advance: Callable[[], None],
) -> float | None:
    """Centi-men in one logit of the result, over all searched positions of a run's training games."""
    count, points = np.zeros(SCORE_STEPS), np.zeros(SCORE_STEPS)
    for shard_count, shard_points in _in_order(pool, workers, paths, partial(score_histogram, split=split)):
        count += shard_count
        points += shard_points
        advance()
    return score_scale(directory, count, points)


def score_scale(directory: Path, count: NDArray[np.float64], points: NDArray[np.float64]) -> float | None:
    """Centi-men in one logit of the result, from the sums of `score_histogram`; None where no position has a score.

    Raises InvalidGamesError.
    """
    if not count.any():
        return None
    scores = np.arange(float(SCORE_STEPS)) - SCORE_STEPS / 2
    # a proved win or loss says nothing about the scale of the others
    used = (count > 0) & (np.abs(scores) <= _core.SCORE_STATIC_MAX)
    slope = logistic_slope(scores[used], count[used], points[used])
    if slope is None:
        raise InvalidGamesError(
            f"{directory}: the search scores do not predict the results, so they can't be mixed in; use --label result"
        )
    return 1 / slope


def score_histogram(path: Path, split: Split) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count of each score (row score + 2^15) in a shard's training games, and the points then made."""
    shard = games.read_shard(path)
    lengths = np.diff(shard.first)
    game = np.repeat(np.arange(len(lengths)), lengths)
    ply = np.arange(len(game)) - shard.first[game]
    whites = (shard.side[game] + ply) % 2 == 1
    points = (np.where(whites, -1, 1) * shard.result[game] + 1) / 2
    used = (shard.score != games.NO_SCORE) & ~split.held_out(shard.seed, shard.game)[game]
    bins = shard.score[used].astype(np.int64) + 2**15
    count = np.bincount(bins, minlength=2**16).astype(np.float64)
    scored = np.bincount(bins, points[used], minlength=2**16).astype(np.float64)
    return count, scored


def logistic(logits: NDArray[np.floating]) -> NDArray[np.floating]:
    """Chances of logits, from 0 to 1."""
    from scipy.special import expit

    return expit(logits)


def logistic_slope(x: NDArray[np.float64], count: NDArray[np.float64], points: NDArray[np.float64]) -> float | None:
    """The b > 0 for which logistic(b * x) fits best (cross entropy); None if there is no such b.

    x, count, points (n,): the points made in `count` cases at each x. Newton's method, steps halved until they help.
    """

    def loss(b: float) -> float:
        return float(np.sum(count * np.logaddexp(0, b * x) - points * b * x))

    slope = 0.0
    for _ in range(100):
        p = logistic(slope * x)
        curvature = float(np.sum(count * p * (1 - p) * x * x))
        if curvature <= 0:
            return None
        step = float(np.sum((points - count * p) * x)) / curvature
        while loss(slope + step) > loss(slope) and abs(step) > 1e-12:
            step /= 2
        slope += step
        if abs(step) < 1e-7 * abs(slope):
            break
    return slope if slope > 0 else None
