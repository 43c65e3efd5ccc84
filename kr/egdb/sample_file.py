"""Files of sampled positions: HDF5 with a group for each share.

Chunks are compressed by a pool of threads and written in order. A group (`training`, `validation`, `test`) has these
datasets, with a row for each position:
 - `board` uint32 (n, 3): black, white and kings, bit s for square s (0-31); Black is to move;
 - `planes` uint8 (n, 4, 8, 8): black kings, white kings, black men, white men; 1 for a piece. Row 0 is Black's first
   row (squares 1-4), column 0 the left one with Black at the top;
 - `pieces` uint8 (n, 4): the number of pieces on each plane;
 - `value` uint8 (n,): 0 loss, 1 draw, 2 win, for Black to move;
 - `distance` int16 (n,), if requested: plies to the end under best play, -1 for a draw.
The datasets `board`, `value` and `distance` have an attribute `sha256`, of their bytes in order. Attributes of the
file: `kind`, `format_version`, `checksum` (of all these digests), `order`, the names of planes and values, and the
provenance.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from kr import _egdb, storage
from kr.egdb.database import VALUES
from kr.egdb.sample_choice import Drawn
from kr.errors import UnreadableOutputError
from kr.hdf5 import new_file, new_group, reading_in_place
from kr.threads import awaited

if TYPE_CHECKING:
    import h5py

KIND = "kr egdb sample"
FORMAT_VERSION = 1
SHARES = ("training", "validation", "test")
PLANES = ("black kings", "white kings", "black men", "white men")
CHUNK = 4096
"""Positions in a chunk, compressed on its own."""
READ_BACK_ROWS = 32 * CHUNK
"""Rows that are read back at a time."""
UNREAD = ("planes", "values")
"""Attributes that are lists of names."""

_SHAPES: dict[str, tuple[Any, tuple[int, ...]]] = {
    "board": (np.uint32, (3,)),
    "planes": (np.uint8, (len(PLANES), 8, 8)),
    "pieces": (np.uint8, (len(PLANES),)),
    "value": (np.uint8, ()),
    "distance": (np.int16, ()),
}
_HASHED = ("board", "value", "distance")


@dataclass(frozen=True)
class ShareCounts:
    """Numbers of the positions of a share, by value."""

    positions: int
    wins: int
    losses: int
    draws: int


class SampleWriter:
    """Writer of a file of sampled positions, which appears when the block ends without an error."""

    def __init__(
        self,
        path: Path,
        shares: Sequence[str],
        attrs: Mapping[str, Any],
        pool: ThreadPoolExecutor,
        threads: int,
        planes: bool = True,
        compression: int = 1,
        distances: bool = False,
    ) -> None:
        """shares: names of the groups; attrs: attributes of the file; pool: compresses `threads` chunks at a time;
        compression: gzip level, 0 for none."""
        self.path = path
        self.checksum = ""
        self.counts: dict[str, ShareCounts] = {}
        left_out = {"planes": not planes, "distance": not distances}
        self._names = [name for name in _SHAPES if not left_out.get(name)]
        self._attrs = attrs
        self._pool = pool
        self._threads = threads
        self._compression = compression
        self._stack = ExitStack()
        self._waiting: deque[tuple[_Share, int, Future[dict[str, bytes]]]] = deque()
        self._shares = {name: _Share() for name in shares}

    def __enter__(self) -> SampleWriter:
        with ExitStack() as stack:
            temporary = stack.enter_context(storage.atomic_path(self.path))
            # once the file is closed, and before it takes its name
            stack.enter_context(self._reading_back(temporary))
            self._file = stack.enter_context(new_file(temporary))
            for name, share in self._shares.items():
                share.open(new_group(self._file, name), self._names, self._compression)
            # from here on __exit__ closes the files
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._finish()
        except BaseException as failure:
            self._stack.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._stack.__exit__(kind, error, trace)

    def add(self, name: str, rows: Drawn) -> None:
        """Add positions to a share."""
        share = self._shares[name]
        if len(rows.values):
            share.pending.append(rows)
            share.pending_rows += len(rows.values)
        if share.pending_rows >= CHUNK:
            rows = share.take_pending()
            whole = len(rows.values) // CHUNK * CHUNK
            for first in range(0, whole, CHUNK):
                self._compress(share, rows.chosen(slice(first, first + CHUNK)))
            self.add(name, rows.chosen(slice(whole, None)))

    def _compress(self, share: _Share, rows: Drawn) -> None:
        """Submit a chunk to be compressed, and write those that are ready."""
        share.count(rows)
        future = self._pool.submit(_compressed, rows, self._names, self._compression)
        self._waiting.append((share, share.rows - len(rows.values), future))
        while len(self._waiting) > 4 * self._threads:
            self._write_next()

    def _write_next(self) -> None:
        share, row, future = self._waiting.popleft()
        for name, content in awaited(future).items():
            dataset = share.datasets[name]
            if dataset.shape[0] < row + CHUNK:
                dataset.resize(row + CHUNK, axis=0)
            dataset.id.write_direct_chunk((row, *(0,) * (dataset.ndim - 1)), content)

    def _finish(self) -> None:
        for share in self._shares.values():
            if share.pending_rows:
                self._compress(share, share.take_pending())
        while self._waiting:
            self._write_next()
        digests = []
        for name, share in self._shares.items():
            for dataset in share.datasets.values():
                dataset.resize(share.rows, axis=0)
            for hashed in share.digests:
                share.datasets[hashed].attrs["sha256"] = share.digests[hashed].hexdigest()
                digests.append(share.digests[hashed].digest())
            losses, draws, wins = (int(count) for count in share.values)
            self.counts[name] = ShareCounts(share.rows, wins, losses, draws)
            share.group.attrs.update({"positions": share.rows, "wins": wins, "losses": losses, "draws": draws})
        self.checksum = storage.checksum(*digests)
        header = {"kind": KIND, "format_version": FORMAT_VERSION, "checksum": self.checksum}
        self._file.attrs.update({**self._attrs, "planes": PLANES, "values": [str(value) for value in VALUES], **header})

    @contextmanager
    def _reading_back(self, temporary: Path) -> Iterator[None]:
        """Read the file back when the block ends without an error. Raises UnreadableOutputError."""
        yield
        try:
            with reading_in_place(temporary, UnreadableOutputError, "file", UNREAD) as (source, file), file:
                wrong = [] if source.attributes.get("checksum") == self.checksum else ["checksum"]
                for name, share in self._shares.items():
                    group = source.group(name)
                    for column, digest in share.digests.items():
                        dtype, shape = _SHAPES[column]
                        rows = group.chunks(file, column, np.dtype(dtype).str, (None, *shape))
                        content = hashlib.sha256()
                        for first in range(0, share.rows, READ_BACK_ROWS):
                            content.update(rows.read(first, min(first + READ_BACK_ROWS, share.rows)).data)
                        if rows.shape[0] != share.rows or content.digest() != digest.digest():
                            wrong.append(f"{name}/{column}")
        except UnreadableOutputError as error:
            fault = str(error).removeprefix(f"{temporary}: ")
            raise UnreadableOutputError(f"{self.path}: not written, since it can't be read back: {fault}") from error
        if wrong:
            raise UnreadableOutputError(
                f"{self.path}: not written, since {wrong[0]} was read back with another content"
            )


class _Share:
    """One group as it grows."""

    def __init__(self) -> None:
        self.datasets: dict[str, h5py.Dataset] = {}
        self.pending: list[Drawn] = []
        self.pending_rows = 0
        self.rows = 0
        """Rows submitted to be written."""
        self.values = np.zeros(len(VALUES), dtype=np.int64)
        self.digests: dict[str, Any] = {}

    def open(self, group: h5py.Group, names: Sequence[str], compression: int) -> None:
        """Make the empty datasets."""
        self.group = group
        self.digests = {name: hashlib.sha256() for name in _HASHED if name in names}
        for name in names:
            dtype, shape = _SHAPES[name]
            packing = {"compression": "gzip", "compression_opts": compression} if compression else {}
            self.datasets[name] = group.create_dataset(
                name, shape=(0, *shape), maxshape=(None, *shape), chunks=(CHUNK, *shape), dtype=dtype, **packing
            )

    def take_pending(self) -> Drawn:
        """Take out the rows that were added but are in no chunk yet."""
        rows = Drawn.joined(self.pending)
        self.pending, self.pending_rows = [], 0
        return rows

    def count(self, rows: Drawn) -> None:
        """Count and hash rows, in the order of the file."""
        self.rows += len(rows.values)
        self.values += np.bincount(rows.values, minlength=len(VALUES))
        self.digests["board"].update(rows.boards.astype("<u4", copy=False).data)
        self.digests["value"].update(rows.values.data)
        if rows.distances is not None:
            self.digests["distance"].update(rows.distances.astype("<i2", copy=False).data)


def _compressed(drawn: Drawn, names: Sequence[str], compression: int) -> dict[str, bytes]:
    """Contents of a chunk of each dataset, padded with zeros."""
    rows = {name: np.zeros((CHUNK, *_SHAPES[name][1]), dtype=_SHAPES[name][0]) for name in names}
    boards, values = drawn.boards, drawn.values
    count = len(values)
    black, white, kings = boards.T
    rows["board"][:count] = boards
    rows["value"][:count] = values
    if drawn.distances is not None:
        rows["distance"][:count] = drawn.distances
    rows["pieces"][:count] = np.bitwise_count(
        np.stack([black & kings, white & kings, black & ~kings, white & ~kings], axis=1)
    )
    if "planes" in rows:
        _egdb.board_planes(np.ascontiguousarray(boards), rows["planes"])
    return {
        name: zlib.compress(array.data, compression) if compression else array.tobytes() for name, array in rows.items()
    }
