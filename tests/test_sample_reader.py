"""Files of sampled positions read back: as they were written, streamed in an order that can be repeated, or refused."""

import re
import shutil
import struct
import sys
import types
import zlib
from collections import Counter
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from kr import _core, storage
from kr.egdb import sample, slices
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.sample_file import SHARES
from kr.egdb.sample_reader import SampleFile, SampleRows, SampleStream
from kr.errors import InvalidSampleError, InvalidSettingError

SHIPPED = storage.data_path("egdb")
BATCH = 128


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """About 20,000 positions in chunks of 4,096."""
    path = tmp_path_factory.mktemp("sample") / "three.h5"
    write_sample(SampleSettings(out=path, pieces="2-3", fraction=0.1, planes=False, dir=SHIPPED, workers=1))
    return path


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """About 8,000 positions, 2 against 2."""
    path = tmp_path_factory.mktemp("sample") / "four.h5"
    write_sample(SampleSettings(out=path, pieces="2v2", fraction=0.002, planes=False, dir=SHIPPED, workers=1))
    return path


def content(path: Path, share: str) -> dict[str, NDArray[Any]]:
    with h5py.File(path) as file:
        return {name: dataset[()] for name, dataset in file[share].items()}


def rows_of(batches: list[SampleRows]) -> list[tuple[int, ...]]:
    """Boards and values of all batches, in order."""
    return [
        (*board, value)
        for rows in batches
        for board, value in zip(rows.boards.tolist(), rows.values.tolist(), strict=True)
    ]


def test_rows_are_those_of_the_file(written: Path) -> None:
    with SampleFile(written, verify=True) as file:
        assert file.pieces == "2-3"
        assert not file.is_quiet
        assert file.positions == sum(map(len, file.shares.values()))
        assert list(file.shares) == list(SHARES)
        for name, share in file.shares.items():
            expected = content(written, name)
            for first, last in ((0, len(share)), (0, 0), (len(share), len(share)), (5, 6), (1000, 1501)):
                rows = share.read(first, last)
                assert (rows.boards == expected["board"][first:last]).all()
                assert (rows.values == expected["value"][first:last]).all()
                assert rows.distances is None
                assert len(rows) == last - first
            counts = np.bincount(expected["value"], minlength=3).tolist()
            assert [share.counts.losses, share.counts.draws, share.counts.wins] == counts
        assert file.checksum == h5py.File(written).attrs["checksum"]
        with pytest.raises(InvalidSettingError, match="rows 3 to 999999 of test: expected rows from 0 to"):
            file.shares["test"].read(3, 999_999)


@pytest.mark.parametrize("compression", [0, 1, 9])
def test_any_packing_is_read(tmp_path: Path, compression: int) -> None:
    path = tmp_path / "packed.h5"
    settings = SampleSettings(
        out=path, pieces="2", fraction=0.5, dir=SHIPPED, workers=1, shares=(1, 0, 0), compression=compression
    )
    made = write_sample(settings)
    with SampleFile(path, verify=True) as file:
        assert file.checksum == made.checksum
        assert {name: share.counts for name, share in file.shares.items()} == made.shares
        assert len(file.shares["test"].read(0, 0)) == 0


def test_an_epoch_has_every_position_once(written: Path, other: Path) -> None:
    stream = SampleStream([written, other], batch=BATCH, pool_rows=6000)
    expected = [content(path, "training") for path in (written, other)]
    every = Counter(rows_of([SampleRows(each["board"], each["value"]) for each in expected]))
    assert stream.positions == every.total()
    epochs = [list(stream.epoch(number)) for number in (0, 1)]
    for batches in epochs:
        assert len(batches) == stream.batches == every.total() // BATCH
        assert {len(rows) for rows in batches} == {BATCH}
        missing = every - Counter(rows_of(batches))
        assert missing.total() == every.total() % BATCH
        assert not Counter(rows_of(batches)) - every
    assert rows_of(epochs[0]) != rows_of(epochs[1])


def test_order_depends_on_seed_and_epoch_alone(written: Path) -> None:
    def order(seed: int, number: int) -> list[tuple[int, ...]]:
        return rows_of(list(SampleStream(written, batch=BATCH, seed=seed, pool_rows=6000).epoch(number)))

    one = order(1, 0)
    assert one == order(1, 0)
    used = SampleStream(written, batch=BATCH, seed=1, pool_rows=6000)
    list(used.epoch(5))
    assert rows_of(list(used.epoch(0))) == one
    assert one not in (order(2, 0), order(1, 1))
    endless = iter(used)
    assert rows_of([next(endless) for _ in range(used.batches + 3)]) == one + order(1, 1)[: 3 * BATCH]


@pytest.mark.parametrize("quiet", [False, True])
def test_an_epoch_can_be_entered_anywhere(written: Path, other: Path, quiet: bool) -> None:
    stream = SampleStream([written, other], batch=BATCH, quiet=quiet, pool_rows=6000)
    whole = list(stream.epoch(2))
    for skip in (0, 1, 30, 47, len(whole) - 1, len(whole), len(whole) + 5):
        assert rows_of(list(stream.epoch(2, skip))) == rows_of(whole[skip:])


def test_only_quiet_positions(written: Path) -> None:
    stream = SampleStream(written, share="test", batch=1, quiet=True)
    expected = content(written, "test")["board"].tolist()
    quiet = [board for board in expected if not any(captured for _, captured in _core.legal_moves(*board, 0))]
    assert 0 < len(quiet) < len(expected)
    assert stream.positions == len(quiet)
    assert Counter(map(tuple, quiet)) == Counter(row[:3] for row in rows_of(list(stream.epoch(0))))


def test_a_limit_takes_the_first_rows_of_each_file(written: Path, other: Path) -> None:
    stream = SampleStream([written, other], batch=100, limit=8000)
    shares = [content(path, "training") for path in (written, other)]
    sizes = [len(share["value"]) for share in shares]
    three = 8000 * sizes[0] // sum(sizes)
    taken = zip(shares, (three, 8000 - three), strict=True)
    assert stream.positions == 8000
    first = [SampleRows(share["board"][:count], share["value"][:count]) for share, count in taken]
    assert Counter(rows_of(list(stream.epoch(0)))) == Counter(rows_of(first))
    quiet = SampleStream([written, other], batch=1, limit=8000, quiet=True)
    assert not Counter(rows_of(list(quiet.epoch(0)))) - Counter(rows_of(first))
    assert 0 < quiet.positions < 8000
    assert SampleStream(written, limit=10**9).positions == sizes[0]


def test_files_are_mixed_in_proportion(written: Path, other: Path) -> None:
    stream = SampleStream([written, other], batch=1000)
    sizes = [len(content(path, "training")["value"]) for path in (written, other)]
    for rows in stream.epoch(0):
        four = np.count_nonzero(np.bitwise_count(rows.boards[:, :2]).sum(axis=1) == 4)
        assert four / 1000 == pytest.approx(sizes[1] / sum(sizes), abs=0.08)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"share": "train"}, "share: 'train' is unknown; expected one of training, validation, test"),
        ({"batch": 0}, "batch: 0 is out of range"),
        ({"limit": 0}, "limit: 0 is out of range"),
        ({"seed": -1}, "seed: -1 is out of range"),
        ({"paths": []}, "no file"),
        ({"batch": 10**6}, "batch: 1000000 is out of range; there are"),
        ({"paths": "missing.h5"}, "missing.h5: no such file"),
    ],
    ids=str,
)
def test_what_cannot_be_streamed(written: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises((InvalidSettingError, InvalidSampleError), match=message):
        next(SampleStream(**{"paths": written, **changes}).epoch(0))


def test_an_empty_share_cannot_be_streamed(tmp_path: Path) -> None:
    path = tmp_path / "no_test.h5"
    write_sample(SampleSettings(out=path, pieces="2", dir=SHIPPED, workers=1, shares=(1, 0, 0)))
    with pytest.raises(InvalidSettingError, match=r"no_test\.h5: no test positions"):
        SampleStream(path, share="test")


# Damage: functions of the open file.


def fewer_values(file: h5py.File) -> None:
    file["training/value"].resize(10, axis=0)


def other_counts(file: h5py.File) -> None:
    file["test"].attrs["wins"] += 1


def other_kind(file: h5py.File) -> None:
    file.attrs["kind"] = "kr weights"


def other_digest(file: h5py.File) -> None:
    file["training/value"].attrs["sha256"] = "0" * 64


def no_digest(file: h5py.File) -> None:
    del file["training/value"].attrs["sha256"]


def more_rows_than_chunks(file: h5py.File) -> None:
    for name in ("board", "value"):
        file[f"training/{name}"].resize(10**15, axis=0)
    file["training"].attrs["positions"] = 10**15


def missing_chunks(file: h5py.File) -> None:
    for name in ("board", "value"):
        file[f"training/{name}"].resize(40_000, axis=0)
    file["training"].attrs["positions"] = 40_000


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (fewer_values, "contradict"),
        (other_counts, "contradict"),
        (other_kind, "not a file of sampled positions"),
        (other_digest, "checksum is not that of its parts"),
        (no_digest, "has no checksum"),
        (more_rows_than_chunks, "more than the file holds"),
        (missing_chunks, "missing"),
    ],
)
def test_damaged_headers_are_refused(
    written: Path, tmp_path: Path, harm: Callable[[h5py.File], None], said: str
) -> None:
    path = Path(shutil.copy(written, tmp_path / "harmed.h5"))
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        harm(file)
    with pytest.raises(InvalidSampleError, match=said) as caught:
        SampleFile(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_damaged_rows_are_refused(written: Path, tmp_path: Path) -> None:
    """A flipped byte in a chunk is found when the chunk is read, or by `verify`."""
    with h5py.File(written) as file:
        chunks: list[Any] = []
        file["training/board"].id.chunk_iter(chunks.append)
    path = Path(shutil.copy(written, tmp_path / "harmed.h5"))
    damaged = bytearray(path.read_bytes())
    damaged[chunks[1].byte_offset + chunks[1].size // 2] ^= 0x55
    path.write_bytes(damaged)
    file = SampleFile(path)
    file.shares["training"].read(0, 4096)
    with pytest.raises(InvalidSampleError, match="chunk 1 cannot be read|row .* is not a position"):
        file.shares["training"].read(4096, 4097)
    with pytest.raises(InvalidSampleError):
        SampleFile(path, verify=True)


def test_a_chunk_that_grows_is_cut_off(written: Path, tmp_path: Path) -> None:
    """A few bytes that would become a gigabyte."""
    path = Path(shutil.copy(written, tmp_path / "harmed.h5"))
    grown = zlib.compressobj()
    packed = b"".join([*(grown.compress(bytes(1 << 20)) for _ in range(30)), grown.flush()])
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file["training/board"].id.write_direct_chunk((0, 0), packed)
    with pytest.raises(InvalidSampleError, match="chunk 0 has 49153 bytes, expected 49152"):
        SampleFile(path).shares["training"].read(0, 1)


def test_an_index_without_end_is_refused(written: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(written, tmp_path / "harmed.h5"))
    content = bytearray(path.read_bytes())
    index = content.index(b"EAHD")
    assert struct.unpack_from("<Q", content, index + 44)[0] == 4
    struct.pack_into("<Q", content, index + 44, 1 << 50)
    path.write_bytes(content)
    with pytest.raises(InvalidSampleError, match="index of names or chunks whose size is impossible"):
        SampleFile(path)


@pytest.mark.parametrize("board", [(1, 1, 0), (1, 0, 0), (1, 2, 4), (1 << 31, 2, 2), (2, 1, 0)], ids=str)
def test_impossible_positions_are_refused(written: Path, tmp_path: Path, board: tuple[int, int, int]) -> None:
    path = Path(shutil.copy(written, tmp_path / "harmed.h5"))
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file["training/board"][17] = board
    file = SampleFile(path)
    with pytest.raises(InvalidSampleError, match="training: row 17 is not a position with a value"):
        file.shares["training"].read(10, 100)


def test_memory_stays_bounded(written: Path) -> None:
    """No more is read at a time than a pool holds."""
    stream = SampleStream(written, batch=BATCH, pool_rows=4096)
    read: list[int] = []
    share = stream._shares[0]
    original = share.read
    share.read = lambda first, last: read.append(last - first) or original(first, last)  # type: ignore[method-assign]
    batches = stream.epoch(0)
    next(batches)
    assert sum(read) <= 2 * 4096
    list(batches)
    assert sum(read) == len(share)


def test_shares_depend_on_the_position_alone(tmp_path: Path) -> None:
    """With one seed a position goes to the same share in all files, whatever else is chosen."""
    boards: dict[str, set[tuple[int, ...]]] = {name: set() for name in SHARES}
    for number, (pieces, fraction) in enumerate([("2", 1.0), ("2-3", 0.05), ("2v1,2", 0.1)]):
        path = tmp_path / f"{number}.h5"
        write_sample(SampleSettings(out=path, pieces=pieces, fraction=fraction, dir=SHIPPED, workers=1))
        for name in SHARES:
            boards[name] |= set(map(tuple, content(path, name)["board"].tolist()))
    assert not boards["training"] & boards["test"]
    assert not boards["training"] & boards["validation"]
    assert not boards["validation"] & boards["test"]
    assert sum(map(len, boards.values())) > sum(slices.size(shape) for shape in sample.slices_of("2"))


class Worker(NamedTuple):
    """Information of PyTorch for a worker of a loader."""

    id: int
    num_workers: int


class Loader:
    """Stands for PyTorch's DataLoader."""

    def __init__(self, dataset: Any, batch_size: int | None, num_workers: int) -> None:
        assert batch_size is None
        self.dataset = dataset


def test_the_guide_shows_a_loader_that_works(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example for PyTorch in the guide, with the few names of PyTorch that it uses."""
    current: dict[str, Any] = {"worker": None}
    torch, utils, data = (types.ModuleType(name) for name in ("torch", "torch.utils", "torch.utils.data"))
    torch.from_numpy = np.asarray
    data.IterableDataset, data.DataLoader = object, Loader
    data.get_worker_info = lambda: current["worker"]
    for module in (torch, utils, data):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.chdir(tmp_path)
    shutil.copy(written, "endings.h5")
    guide = (Path(__file__).parents[1] / "docs" / "guides" / "researcher.md").read_text("utf-8")
    [example] = [each for each in re.findall(r"```python\n(.*?)```", guide, re.DOTALL) if "import torch" in each]
    names: dict[str, Any] = {}
    exec(example, names)
    loader = names["loader"]
    stream = SampleStream(written)
    for epoch in (0, 1):
        loader.dataset.epoch = epoch
        taken = []
        for number in (0, 1):
            current["worker"] = Worker(number, 2)
            taken.append([SampleRows(boards, values) for boards, values in loader.dataset])
        together = [rows for pair in zip_longest(*taken) for rows in pair if rows is not None]
        assert rows_of(together) == rows_of(list(stream.epoch(epoch)))
    current["worker"] = None
    alone = [SampleRows(boards, values) for boards, values in loader.dataset]
    assert rows_of(alone) == rows_of(list(stream.epoch(1)))
