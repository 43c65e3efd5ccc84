"""Reading files of sampled positions, whole or as an endless stream of batches for training.

    with SampleFile("positions.h5") as file:
        rows = file.shares["test"].read(0, 1000)

    stream = SampleStream("positions.h5", batch=1024, quiet=True)
    for rows in stream.epoch(0):
        step(rows.boards, rows.values)

A file may be larger than memory. Anyone may have made it: its content is checked before it is used.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _core, storage
from kr.egdb.boards import impossible
from kr.egdb.database import VALUES
from kr.egdb.sample_file import FORMAT_VERSION, KIND, SHARES, UNREAD, ShareCounts
from kr.errors import InvalidSampleError, InvalidSettingError
from kr.hdf5 import Attribute, ChunkedRows, Hdf5Source, reading_in_place

WHAT = "file of sampled positions"
DIGEST = 64
"""Hex digits of a SHA-256."""
POOL_ROWS = 1 << 20
"""Rows that a stream holds in memory and shuffles at a time."""
READ_AT_ONCE = 1 << 17
"""Rows read at a time in a pass over a whole share."""


@dataclass(frozen=True)
class SampleRows:
    """Positions, Black to move, with their values."""

    boards: NDArray[np.uint32]
    """(n, 3): black, white, kings; bit s for square s (0-31)."""
    values: NDArray[np.uint8]
    """(n,): 0 loss, 1 draw, 2 win, for Black."""
    distances: NDArray[np.int16] | None = None
    """(n,): plies to the end under best play, -1 for a draw or if unknown; None if the file has none."""

    def __len__(self) -> int:
        return len(self.values)

    def chosen(self, which: Any) -> SampleRows:
        """Some of the rows. which: an index of numpy: a slice, an array of bool, or one of row numbers."""
        distances = None if self.distances is None else self.distances[which]
        return SampleRows(self.boards[which], self.values[which], distances)

    @staticmethod
    def joined(parts: Sequence[SampleRows]) -> SampleRows:
        """The rows of one or several parts, one after the other; with distances if all parts have them."""
        if len(parts) == 1:
            return parts[0]
        distances = [part.distances for part in parts if part.distances is not None]
        return SampleRows(
            np.concatenate([part.boards for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate(distances) if len(distances) == len(parts) else None,
        )


class SampleShare:
    """The positions of a share of a file: training, validation or test. Threads may share it."""

    def __init__(self, path: Path, name: str, counts: ShareCounts, columns: dict[str, ChunkedRows]) -> None:
        self.name = name
        self.counts = counts
        self.chunk_rows = columns["board"].rows
        """Rows of a chunk: whole multiples are read fastest."""
        self._path = path
        self._columns = columns

    def __len__(self) -> int:
        return self.counts.positions

    @property
    def has_distances(self) -> bool:
        """True if the file has a distance for each position."""
        return "distance" in self._columns

    def read(self, first: int, last: int) -> SampleRows:
        """Rows from `first` to `last`, which is not one of them, in the order of the file.

        Raises InvalidSettingError for rows that don't exist, and InvalidSampleError if the file is damaged.
        """
        if not 0 <= first <= last <= len(self):
            raise InvalidSettingError(
                f"{self._path}: rows {first} to {last} of {self.name}: expected rows from 0 to {len(self)}"
            )
        read = {name: column.read(first, last) for name, column in self._columns.items()}
        rows = SampleRows(read["board"], read["value"], read.get("distance"))
        _check_rows(rows, f"{self._path}: damaged {WHAT}: {self.name}", first)
        return rows

    def check(self) -> None:
        """Compare contents with their checksums. Raises InvalidSampleError."""
        values = np.zeros(len(VALUES), dtype=np.int64)
        digests = {name: hashlib.sha256() for name in self._columns}
        for first in range(0, len(self), READ_AT_ONCE):
            last = min(first + READ_AT_ONCE, len(self))
            for name, column in self._columns.items():
                digests[name].update(column.read(first, last).data)
            values += np.bincount(self.read(first, last).values, minlength=len(VALUES))
        for name, column in self._columns.items():
            if digests[name].hexdigest() != column.attributes["sha256"]:
                raise InvalidSampleError(f"{self._path}: damaged {WHAT}: {self.name}/{name} has another checksum")
        if values.tolist() != [self.counts.losses, self.counts.draws, self.counts.wins]:
            raise InvalidSampleError(f"{self._path}: damaged {WHAT}: {self.name} has other counts of values")


class SampleFile:
    """A file that `kr egdb sample` wrote. Its header is checked; its content as it is read, or all at once."""

    def __init__(self, path: Path | str, verify: bool = False) -> None:
        """verify: read all of it and compare the checksums. Raises InvalidSampleError."""
        self.path = storage.as_path(path)
        with reading_in_place(path, InvalidSampleError, WHAT, UNREAD) as (source, file):
            self.attrs: dict[str, Attribute] = source.attributes
            _check_header(self.path, self.attrs)
            self.shares = {name: _share(self.path, file, name, source.group(name)) for name in SHARES}
            digests = [
                bytes.fromhex(str(column.attributes["sha256"]))
                for share in self.shares.values()
                for column in share._columns.values()
            ]
            self.checksum = storage.checksum(*digests)
            if self.checksum != self.attrs["checksum"]:
                raise source.refusal("its checksum is not that of its parts")
            self._file = file
            if verify:
                self.verify()

    def __enter__(self) -> SampleFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; nothing can be read from it any more."""
        self._file.close()

    def verify(self) -> None:
        """Compare all contents with their checksums. Raises InvalidSampleError."""
        for share in self.shares.values():
            share.check()

    @property
    def positions(self) -> int:
        """Positions of all shares."""
        return sum(map(len, self.shares.values()))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the file was made with, by its attributes; empty if it has none."""
        with suppress(ValueError, RecursionError):
            settings = json.loads(str(self.attrs.get("settings", "")))
            return settings if isinstance(settings, dict) else {}
        return {}

    @property
    def pieces(self) -> str:
        """The choice of pieces, such as "2-6" or "4v3"; "" if the file has none."""
        pieces = self.settings.get("pieces", "")
        if isinstance(pieces, list):
            # files from before sides could be chosen
            return "-".join(map(str, sorted(set(pieces))))
        return str(pieces)

    @property
    def is_quiet(self) -> bool:
        """True if by its settings the file has no position in which the side to move must capture."""
        return self.settings.get("quiet") is True


def _check_header(path: Path, attrs: dict[str, Attribute]) -> None:
    if attrs.get("kind") != KIND:
        raise InvalidSampleError(f"{path}: not a {WHAT}; expected one that `kr egdb sample` wrote")
    if complaint := storage.check_version(attrs.get("format_version"), (FORMAT_VERSION,)):
        raise InvalidSampleError(f"{path}: {complaint}")
    if "checksum" not in attrs:
        raise InvalidSampleError(f"{path}: damaged {WHAT}: checksum is missing")


def _share(path: Path, file: FileIO, name: str, source: Hdf5Source) -> SampleShare:
    """A share whose datasets and counts fit together. Raises InvalidSampleError."""
    columns = {
        "board": source.chunks(file, "board", "<u4", (None, 3)),
        "value": source.chunks(file, "value", "u1", (None,)),
    }
    if source.has("distance"):
        columns["distance"] = source.chunks(file, "distance", "<i2", (None,))
    counts: list[Any] = [source.attributes.get(each) for each in ("positions", "wins", "losses", "draws")]
    rows = {column.shape[0] for column in columns.values()}
    whole = all(isinstance(count, int) and count >= 0 for count in counts)
    if not whole or rows != {counts[0]} or sum(counts[1:]) != counts[0]:
        raise source.refusal(f"{name} has datasets and counts that contradict each other")
    if len({column.rows for column in columns.values()}) > 1:
        raise source.refusal(f"{name} has datasets with chunks of different sizes")
    for each, column in columns.items():
        digest = column.attributes.get("sha256")
        if not isinstance(digest, str) or len(digest) != DIGEST or set(digest) - set("0123456789abcdef"):
            raise source.refusal(f"{name}/{each} has no checksum")
    return SampleShare(path, name, ShareCounts(*counts), columns)


def _check_rows(rows: SampleRows, where: str, first: int) -> None:
    """Refuse impossible positions and values. first: number of the first row."""
    bad = impossible(rows.boards) | (rows.boards[:, :2] == 0).any(axis=1) | (rows.values >= len(VALUES))
    if rows.distances is not None:
        bad |= rows.distances < -1
    if bad.any():
        raise InvalidSampleError(f"{where}: row {first + int(np.argmax(bad))} is not a position with a value")


class SampleStream:
    """Batches of positions of one or more files, in random order, in bounded memory.

    An epoch has each position once, but for those that fill no last batch. Its order depends on seed and number of the
    epoch alone, so that training can be resumed anywhere.
    """

    def __init__(
        self,
        paths: Path | str | Sequence[Path | str],
        share: str = "training",
        batch: int = 1024,
        seed: int = 1,
        limit: int | None = None,
        quiet: bool = False,
        pool_rows: int = POOL_ROWS,
    ) -> None:
        """Positions of several files are mixed in proportion to their numbers.

        share: training, validation or test; batch: rows of a batch; limit: at most that many rows, the first ones of
        each file, which are a random choice unless it was written slice by slice; quiet: of these, only positions in
        which the side to move has no capture; pool_rows: rows shuffled at a time, about 60 bytes of memory each.
        Raises InvalidSampleError, and InvalidSettingError.
        """
        if share not in SHARES:
            raise InvalidSettingError(f"share: {share!r} is unknown; expected one of {', '.join(SHARES)}")
        for name, number in {"batch": batch, "limit": 1 if limit is None else limit, "pool_rows": pool_rows}.items():
            if number < 1:
                raise InvalidSettingError(f"{name}: {number} is out of range; expected 1 or more")
        if seed < 0:
            raise InvalidSettingError(f"seed: {seed} is out of range; expected 0 or more")
        sources = [paths] if isinstance(paths, Path | str) else list(paths)
        if not sources:
            raise InvalidSettingError("paths: no file; give one or more files of sampled positions")
        self.files = [SampleFile(path) for path in sources]
        self.batch = batch
        self.seed = seed
        self.quiet = quiet
        self._shares = [file.shares[share] for file in self.files]
        self._filtered = [quiet and not file.is_quiet for file in self.files]
        self._pool_rows = pool_rows
        self._parts = _parts(self._shares, limit)
        if not len(self._parts):
            raise InvalidSettingError(f"{', '.join(map(str, sources))}: no {share} positions")

    @cached_property
    def _row_counts(self) -> NDArray[np.int64]:
        """Rows of each part that are used; a pass over the files if those without captures must be counted."""
        counts = self._parts[:, 2] - self._parts[:, 1]
        for i, (file, first, last) in enumerate(self._parts.tolist()):
            if self._filtered[file]:
                counts[i] = np.count_nonzero(~_core.pending_captures(self._shares[file].read(first, last).boards))
        return counts

    @property
    def positions(self) -> int:
        """Positions of an epoch; the first call counts the quiet ones, if only these are wanted."""
        return int(self._row_counts.sum())

    @property
    def batches(self) -> int:
        """Batches of an epoch."""
        return self.positions // self.batch

    def epoch(self, number: int, skip: int = 0) -> Iterator[SampleRows]:
        """The batches of an epoch, all of the same size. number: from 0; skip: batches to leave out at the start.

        Raises InvalidSettingError if all positions make no batch, and InvalidSampleError.
        """
        if self.batches == 0:
            raise InvalidSettingError(
                f"batch: {self.batch} is out of range; there are {self.positions} positions, expected at most that many"
            )
        order = _permutation(len(self._parts), self.seed, number)
        total = int((self._parts[:, 2] - self._parts[:, 1]).sum())
        pools = np.array_split(order, max(1, math.ceil(total / self._pool_rows)))
        rows_to_skip = skip * self.batch
        waiting: list[SampleRows] = []
        for i, pool in enumerate(pools):
            size = int(self._row_counts[pool].sum())
            if rows_to_skip >= size:
                rows_to_skip -= size
                continue
            rows = SampleRows.joined([self._part(part) for part in pool])
            rows = rows.chosen(_permutation(len(rows), self.seed, number, i + 1)[rows_to_skip:])
            rows_to_skip = 0
            if waiting:
                rows = SampleRows.joined([*waiting, rows])
            whole = len(rows) // self.batch * self.batch
            for first in range(0, whole, self.batch):
                yield rows.chosen(slice(first, first + self.batch))
            waiting = [rows.chosen(slice(whole, None))] if whole < len(rows) else []

    def __iter__(self) -> Iterator[SampleRows]:
        """Batches without end: those of epoch 0, of epoch 1, and so on."""
        number = 0
        while True:
            yield from self.epoch(number)
            number += 1

    def close(self) -> None:
        """Close the files."""
        for file in self.files:
            file.close()

    def _part(self, number: int) -> SampleRows:
        file, first, last = self._parts[number].tolist()
        rows = self._shares[file].read(first, last)
        return rows.chosen(~_core.pending_captures(rows.boards)) if self._filtered[file] else rows


def _parts(shares: Sequence[SampleShare], limit: int | None) -> NDArray[np.int64]:
    """Parts of shares that are read at once (n, 3): number of the share, first row, last row, which is not in it.

    limit: rows of all together, those of each share in proportion to its size.
    """
    total = sum(map(len, shares))
    limit = total if limit is None else min(limit, total)
    parts = []
    before = 0
    for number, share in enumerate(shares):
        after = before + len(share)
        rows = limit * after // max(total, 1) - limit * before // max(total, 1)
        before = after
        parts += [(number, first, min(first + share.chunk_rows, rows)) for first in range(0, rows, share.chunk_rows)]
    return np.array(parts, dtype=np.int64).reshape(-1, 3)


def _permutation(size: int, *seed: int) -> NDArray[np.int64]:
    """A random order, the same for a seed with every version of numpy."""
    keys = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(size)
    # sorting numbers is ten times as fast as sorting their places: each carries its place in its lowest bits
    places = np.uint64((1 << size.bit_length()) - 1)
    keys = np.sort(keys & ~places | np.arange(size, dtype=np.uint64))
    return (keys & places).astype(np.int64)
