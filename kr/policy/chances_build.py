"""`kr egdb chances`: the chances of all drawn endings against people, pair by pair of slices; resumes.

For each drawn position with people to move, the chance that they lose the draw if the other side plays best for that,
by value iteration over all draws of a pair. Moves out of it lead to pairs that are done, whose chances are those of
their files: so a build that is stopped and resumed gives the same files.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _core, _egdb, storage
from kr.egdb import slices
from kr.egdb.database import VALUES, Database, default_directory, directory_for
from kr.egdb.slices import Shape
from kr.errors import InvalidDatabaseError, InvalidSettingError
from kr.game.value import Value
from kr.policy.ending_chances import (
    EndingChances,
    SliceChances,
    chances_file_name,
    chances_of,
    codes_of,
    pair_file,
    people_of,
    read_chances,
)
from kr.policy.policy import load_policy
from kr.policy.practical import DISCOUNT, PracticalChances
from kr.settings import Settings, option

AT_ONCE = 1 << 16
"""Positions looked at together."""
SWEEPS = 2000
ACCURACY = 1e-4
"""Change of all chances of a pair at which value iteration ends."""
DRAWN = VALUES.index(Value.DRAW)


@dataclass(frozen=True)
class ChancesSettings(Settings):
    """Extent of the chances, and their directory."""

    pieces: int = option(4, "Most pieces of the positions, {allowed}.", low=2, high=6)
    dir: Path | None = option(
        None, "Directory of the files, where an earlier build is resumed.  [default: in the user's data directory]"
    )
    egdb: Path | None = option(None, "Directory of the endgame database.  [default: as for kr egdb probe]")


@dataclass
class ChancesProgress:
    """Progress of a build, and its result at the end."""

    pairs: int
    positions: int
    """Positions of all pairs."""
    earlier: int = 0
    """Those of pairs done by earlier runs."""
    done: int = 0
    """Those of pairs done by this run."""
    pairs_done: int = 0
    draws: int = 0
    """Drawn positions of the pairs done by this run."""
    bytes: int = 0
    """Size of the files written by this run."""
    seconds: float = 0.0
    directory: Path = Path()
    written: list[dict[str, Any]] = field(default_factory=list)
    """Name, draws, mean chance, seconds and bytes of each pair done by this run."""


def build_chances(
    settings: ChancesSettings, on_progress: Callable[[ChancesProgress], None] | None = None
) -> ChancesProgress:
    """Build what the directory lacks.

    Raises InvalidSettingError if the database has too few pieces, OutputBusyError, InvalidDatabaseError and OSError.
    """
    directory = settings.dir or default_directory()
    database = Database.open(directory_for(settings.egdb))
    if database.pieces < settings.pieces:
        raise InvalidSettingError(
            f"--pieces {settings.pieces}: the database in {database.directory} has positions with {database.reach}"
        )
    policy = load_policy()
    pairs, people = list(slices.pairs_up_to(settings.pieces)), people_of(policy, DISCOUNT)
    builder = _Builder(PracticalChances(policy, database), EndingChances([directory], people))
    progress = ChancesProgress(len(pairs), sum(map(slices.pair_size, pairs)), directory=directory)
    began = time.monotonic()
    with storage.lock_directory(directory):
        for pair in pairs:
            path, size = directory / chances_file_name(pair), slices.pair_size(pair)
            if _is_done(path, people):
                progress.earlier += size
            else:
                start = time.monotonic()
                own = builder.solve(pair)
                content = pair_file(pair, own, people)
                storage.write_atomic(path, content)
                codes = np.concatenate([each.codes for each in own.values()])
                progress.done += size
                progress.draws += len(codes)
                progress.bytes += len(content)
                chance = float(chances_of(codes).mean()) if len(codes) else 0.0
                progress.written.append({
                    "pair": slices.name(pair), "draws": len(codes), "chance": chance,
                    "seconds": time.monotonic() - start, "bytes": len(content),
                })  # fmt: skip
            progress.pairs_done += 1
            progress.seconds = time.monotonic() - began
            if on_progress is not None:
                on_progress(progress)
    return progress


def _is_done(path: Path, people: dict[str, Any]) -> bool:
    try:
        return path.exists() and bool(read_chances(path, people))
    except InvalidDatabaseError:
        return False


class _Builder:
    """Chances of one pair after the other, the earlier ones by their files."""

    def __init__(self, practical: PracticalChances, endings: EndingChances) -> None:
        self._practical, self._endings = practical, endings

    def solve(self, pair: Shape) -> dict[Shape, SliceChances]:
        """The chances of a pair, whose successors have files."""
        members = slices.members(pair)
        drawn = {shape: self._draws(shape) for shape in members}
        boards = np.concatenate([rows for _, rows in drawn.values()])
        if not len(boards):
            return {shape: SliceChances(indices, np.empty(0, np.uint8)) for shape, (indices, _) in drawn.items()}
        begins = dict(zip(members, np.cumsum([0, *(len(rows) for _, rows in drawn.values())]).tolist(), strict=False))
        parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]] = []
        ours, theirs = ([np.zeros(len(boards) + 1)] for _ in range(2))
        # behind the pair's own draws stand all that is not drawn, worth nothing, and the draws reached outside
        lost = len(boards)
        size = lost + 1
        for at in range(0, len(boards), AT_ONCE):
            rows = boards[at : at + AT_ONCE]
            children, first = _core.successors(rows)
            numbers = np.full(len(children), lost)
            is_outside = np.ones(len(children), dtype=bool)
            for shape in members:
                indices = _egdb.egdb_indices(shape, children)
                of_shape = indices != _egdb.NO_INDEX
                is_outside &= ~of_shape
                places = _places(drawn[shape][0], indices[of_shape])
                numbers[of_shape] = np.where(places < 0, lost, begins[shape] + places)
            [outside] = np.nonzero(is_outside)
            known = self._endings.theirs(children[outside])
            is_drawn = ~np.isnan(known)
            reached = outside[is_drawn]
            numbers[reached] = size + np.arange(len(reached))
            size += len(reached)
            theirs.append(known[is_drawn])
            ours.append(self._endings.ours(children[reached]) if len(reached) else np.empty(0))
            probabilities = self._practical.probabilities(rows, first, numbers == lost)
            parts.append((numbers, np.diff(first), probabilities.astype(np.float32)))
        numbers, counts, shares = (np.concatenate(each) for each in zip(*parts, strict=True))
        outside_ours, outside_theirs = (np.concatenate(each).astype(np.float32) for each in (ours, theirs))
        first = np.cumsum(counts) - counts
        chances = _iterated(numbers.astype(np.int32), first, shares, lost, outside_ours, outside_theirs)
        return {
            shape: SliceChances(indices, codes_of(chances[begins[shape] : begins[shape] + len(indices)]))
            for shape, (indices, _) in drawn.items()
        }

    def _draws(self, shape: Shape) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Indices and boards of the drawn positions of a slice."""
        database, size = self._practical.database, slices.size(shape)
        everything = np.zeros(1, dtype=np.uint64)
        sampler = _egdb.EndgameSampler(database.core, shape, 0, size, everything, 0, False)
        boards, hashes = np.empty((AT_ONCE, 3), np.uint32), np.empty(AT_ONCE, np.uint64)
        values = np.empty(AT_ONCE, np.uint8)
        indices, rows = [np.empty(0, np.uint64)], [np.empty((0, 3), np.uint32)]
        at = 0
        while count := sampler.next(boards, values, hashes):
            [drawn] = np.nonzero(values[:count] == DRAWN)
            indices.append((at + drawn).astype(np.uint64))
            rows.append(boards[drawn])
            at += count
        database.raise_damage()
        return np.concatenate(indices), np.concatenate(rows)


def _places(among: NDArray[np.uint64], indices: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Places of indices in a rising row of them; -1 of those that are not there."""
    if not len(among):
        return np.full(len(indices), -1)
    at = np.minimum(np.searchsorted(among, indices), len(among) - 1)
    return np.where(among[at] == indices, at, -1)


def _iterated(
    numbers: NDArray[np.int32],
    first: NDArray[np.int64],
    probabilities: NDArray[np.float32],
    count: int,
    ours: NDArray[np.float32],
    theirs: NDArray[np.float32],
) -> NDArray[np.float64]:
    """The chances of `count` positions with people to move.

    numbers: of the position after each move, `count` for one that isn't drawn; first: move of each position; ours,
    theirs: chances by number, which are set from `count` on.
    """
    loses = np.add.reduceat(probabilities * (numbers == count), first)
    later = np.float32(DISCOUNT) * probabilities
    for _ in range(SWEEPS):
        ours[:count] = np.maximum.reduceat(theirs[numbers], first)
        after = loses + np.add.reduceat(later * ours[numbers], first)
        change = float(np.abs(after - theirs[:count]).max())
        theirs[:count] = after
        if change < ACCURACY:
            break
    return np.minimum(theirs[:count].astype(np.float64), 1)
