"""Hostile HDF5 files, made here one by one: each reader refuses them in one line, soon, and opens no other file."""

import os
import socket
import time
import zlib
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hdf5_files import IN_PLACE, READERS, SECONDS, check_refused, edited, good

from kr.hdf5 import MOST_ATTRIBUTES, MOST_CHUNKS, MOST_TEXT

__all__ = ["good"]

# Things in place of a dataset: functions of the open file, the name, its true content and a FIFO, or a file where there
# are none. A FIFO that is opened makes the test wait for ever.


def no_dataset(file, name, data, fifo):
    del file[name]


def a_group(file, name, data, fifo):
    del file[name]
    file.create_group(name)


def a_named_type(file, name, data, fifo):
    del file[name]
    file[name] = data.dtype


def a_soft_link(file, name, data, fifo):
    file.move(name, "other")
    file[name] = h5py.SoftLink("/other")


def a_loop_of_links(file, name, data, fifo):
    del file[name]
    file[name] = h5py.SoftLink(f"/{name}")


def an_external_link(file, name, data, fifo):
    del file[name]
    file[name] = h5py.ExternalLink(str(fifo), f"/{name}")


def a_loop_of_files(file, name, data, fifo):
    del file[name]
    file[name] = h5py.ExternalLink(file.filename, f"/{name}")


def external_storage(file, name, data, fifo):
    del file[name]
    file.create_dataset(name, data.shape, data.dtype, external=[(str(fifo), 0, h5py.h5f.UNLIMITED)])


def a_virtual_dataset(file, name, data, fifo):
    layout = h5py.VirtualLayout(data.shape, data.dtype)
    layout[:] = h5py.VirtualSource(str(fifo), name, data.shape)
    del file[name]
    file.create_virtual_dataset(name, layout)


def a_virtual_dataset_without_end(file, name, data, fifo):
    layout = h5py.VirtualLayout(data.shape, data.dtype, maxshape=(None, data.shape[1]))
    source = h5py.VirtualSource(str(fifo), name, data.shape, maxshape=(None, data.shape[1]))
    layout[: h5py.h5s.UNLIMITED, :] = source[: h5py.h5s.UNLIMITED, :]
    del file[name]
    file.create_virtual_dataset(name, layout)


def of_a_named_type(file, name, data, fifo):
    del file[name]
    file["type"] = data.dtype
    file.create_dataset(name, data=data, dtype=file["type"])


def packed(**how):
    def edit(file, name, data, fifo):
        del file[name]
        file.create_dataset(name, data=data, chunks=data.shape, **how)

    return edit


def packed_twice(file, name, data, fifo):
    del file[name]
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(data.shape)
    plist.set_deflate(9)
    plist.set_filter(h5py.h5z.FILTER_DEFLATE, 0, (9,))
    space = h5py.h5s.create_simple(data.shape)
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(data.dtype), space, plist)


def of_type(dtype):
    def edit(file, name, data, fifo):
        del file[name]
        file.create_dataset(name, data.shape, dtype)

    return edit


def of_shape(shape):
    def edit(file, name, data, fifo):
        del file[name]
        file[name] = np.zeros(shape, data.dtype)

    return edit


def without_a_space(file, name, data, fifo):
    del file[name]
    file[name] = h5py.Empty(data.dtype)


def huge(**how):
    """A few bytes that claim to be terabytes."""

    def edit(file, name, data, fifo):
        del file[name]
        file.create_dataset(name, (1 << 40, *data.shape[1:]), data.dtype, **how)

    return edit


def data_never_written(file, name, data, fifo):
    del file[name]
    file.create_dataset(name, data.shape, data.dtype)


def a_chunk_for_each_number(file, name, data, fifo):
    del file[name]
    file.create_dataset(name, (2 * MOST_CHUNKS, *data.shape[1:]), data.dtype, chunks=(1, *data.shape[1:]))
    file[name][:100] = 1


def a_chunk_larger_than_its_dataset(file, name, data, fifo):
    del file[name]
    chunks = (1 << 26, *data.shape[1:])
    options = {"chunks": chunks, "maxshape": (None, *data.shape[1:]), "compression": "gzip"}
    file.create_dataset(name, data.shape, data.dtype, **options)


def a_chunk_that_grows(file, name, data, fifo):
    """Its few bytes become 50 MB, whatever its shape."""
    del file[name]
    dataset = file.create_dataset(name, data.shape, data.dtype, chunks=data.shape, compression="gzip")
    dataset.id.write_direct_chunk((0, 0), zlib.compress(data.tobytes() + bytes(50 << 20)))


def a_chunk_of_noise(file, name, data, fifo):
    del file[name]
    dataset = file.create_dataset(name, data.shape, data.dtype, chunks=data.shape, compression="gzip")
    dataset.id.write_direct_chunk((0, 0), b"noise" * 20)


DATASETS = {
    no_dataset: "is missing",
    a_group: "not a dataset",
    a_named_type: "not a dataset",
    a_soft_link: "a link to another place",
    a_loop_of_links: "a link to another place",
    an_external_link: "a link to another place",
    a_loop_of_files: "a link to another place",
    external_storage: "data in another place",
    a_virtual_dataset: "data in another place",
    a_virtual_dataset_without_end: "data in another place",
    of_a_named_type: "expected",
    packed(compression="lzf"): "packed in a way",
    packed(fletcher32=True): "packed in a way",
    packed(scaleoffset=0): "packed in a way",
    packed_twice: "packed in a way",
    of_type("f4"): "is float32",
    of_type(">i4"): "expected",
    of_type(np.bool_): "expected",
    of_type("S4"): "expected",
    of_type(h5py.string_dtype()): "expected",
    of_type(h5py.vlen_dtype(np.int32)): "expected",
    of_type(h5py.ref_dtype): "expected",
    of_type(np.dtype([("a", "i4")])): "expected",
    of_type(np.dtype(("i4", (3,)))): "expected",
    of_shape(()): r"\(\); expected",
    of_shape((7,)): r"\(7,\); expected",
    of_shape((3, 2, 1)): r"\(3, 2, 1\); expected",
    without_a_space: "expected|cannot be read",
    huge(): "expected|claims",
    huge(chunks=True): "expected|claims",
    huge(chunks=(1 << 20, 1), compression="gzip"): "expected|claims",
    data_never_written: "claims",
    a_chunk_for_each_number: "expected|claims|cut up",
    a_chunk_larger_than_its_dataset: "claims|cut up",
    a_chunk_of_noise: "cannot be read",
}


@pytest.mark.slow
# games are read as weights are
@pytest.mark.parametrize("reader", ["weights", pytest.param("games", marks=pytest.mark.soak), "positions"])
@pytest.mark.parametrize("harm", DATASETS, ids=lambda harm: harm.__qualname__.removesuffix(".<locals>.edit"))
def test_hostile_datasets_are_refused(good: dict[str, Path], tmp_path: Path, reader: str, harm: Callable) -> None:
    name = READERS[reader][3]
    getattr(os, "mkfifo", Path.touch)(tmp_path / "fifo")
    with h5py.File(good[reader]) as file:
        data = file[name][()]
    path = edited(good[reader], tmp_path / "bad.h5", lambda file: harm(file, name, data, tmp_path / "fifo"))
    assert path.stat().st_size < 200_000
    check_refused(reader, path, DATASETS[harm] + "|chunk" * (reader in IN_PLACE))


@pytest.mark.slow
@pytest.mark.parametrize("reader", [reader for reader in READERS if reader not in IN_PLACE])
def test_a_chunk_that_grows_is_cut_off(good: dict[str, Path], tmp_path: Path, reader: str) -> None:
    _, read, _, name = READERS[reader]
    with h5py.File(good[reader]) as file:
        data = file[name][()]
    path = edited(good[reader], tmp_path / "odd.h5", lambda file: a_chunk_that_grows(file, name, data, None))
    began = time.monotonic()
    assert (getattr(read(path), name) == data).all()
    assert time.monotonic() - began < SECONDS


# Attributes of other kinds, whatever their name, and those of every name.


def of_80_bits() -> h5py.h5t.TypeFloatID:
    """The type of long double numbers; numpy has them where the C compiler has."""
    kind = h5py.h5t.IEEE_F64LE.copy()
    kind.set_size(16)
    kind.set_precision(80)
    kind.set_fields(79, 64, 15, 0, 64)
    kind.set_ebias(16383)
    kind.set_norm(h5py.h5t.NORM_NONE)
    return kind


def put(file: h5py.File, name: str, value: Any) -> None:
    """Give a file an attribute of a value, or one of a type."""
    if isinstance(value, h5py.h5t.TypeID):
        file.attrs.pop(name, None)
        h5py.h5a.create(file.id, name.encode(), value, h5py.h5s.create(h5py.h5s.SCALAR))
    else:
        file.attrs[name] = value


ODD_VALUES = {
    "bytes": np.bytes_(b"abc"),
    "empty": h5py.Empty("S1"),
    "list": [1, 2],
    "texts": ["a", "b"],
    "truth": np.bool_(True),
    "compound": np.array((1, 2.0), dtype=[("a", "i4"), ("b", "f8")]),
    "long number": of_80_bits(),
    "complex": 1j,
    "long text": "x" * (MOST_TEXT + 1),
}


@pytest.mark.parametrize(
    ("reader", "name", "value"),
    [*product(["weights"], ["more"], ODD_VALUES), *product(READERS, ["kind", "format_version", "checksum"], ["list"])],
)
def test_attributes_are_texts_and_numbers(
    good: dict[str, Path], tmp_path: Path, reader: str, name: str, value: str
) -> None:
    check_refused(
        reader,
        edited(good[reader], tmp_path / "bad.h5", lambda file: put(file, name, ODD_VALUES[value])),
        f"attribute '{name}'",
    )


def a_reference(file: h5py.File) -> None:
    file.attrs["more"] = file.ref


def of_a_named_type_too(file: h5py.File) -> None:
    file["type"] = np.dtype("i8")
    file.attrs.create("more", 3, dtype=file["type"])


def too_many(file: h5py.File) -> None:
    for number in range(MOST_ATTRIBUTES + 1):
        file.attrs[f"a{number}"] = number


def no_text(file: h5py.File) -> None:
    file.attrs.create("more", b"\xff\xfe", dtype=h5py.string_dtype())


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("harm", [a_reference, of_a_named_type_too, too_many, no_text])
def test_hostile_attributes_are_refused(
    good: dict[str, Path], tmp_path: Path, reader: str, harm: Callable[[h5py.File], None]
) -> None:
    check_refused(reader, edited(good[reader], tmp_path / "bad.h5", harm), "attribute")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("2", "format version is '2', not a whole number"),
        ("1", "format version is '1', not a whole number"),
        (1.0, "format version is 1.0, not a whole number"),
        (float("nan"), "format version is nan, not a whole number"),
        (9, "format version 9, this kr reads 1.*: a newer kr wrote it"),
        (0, "format version 0, this kr reads 1.*: no kr wrote it"),
        (None, "format version is missing"),
    ],
)
def test_other_versions_are_told_from_the_right_one(
    good: dict[str, Path], tmp_path: Path, reader: str, version: object, said: str
) -> None:
    def edit(file: h5py.File) -> None:
        del file.attrs["format_version"]
        if version is not None:
            file.attrs["format_version"] = version

    check_refused(reader, edited(good[reader], tmp_path / "bad.h5", edit), said)


# Not a file, or not an HDF5 file.


def a_fifo(path: Path, good: bytes) -> None:
    os.mkfifo(path)


def a_directory(path: Path, good: bytes) -> None:
    path.mkdir()


def a_device(path: Path, good: bytes) -> None:
    path.symlink_to("/dev/zero")


def a_socket(path: Path, good: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(path))


def a_link_to_itself(path: Path, good: bytes) -> None:
    path.symlink_to(path)


def nothing(path: Path, good: bytes) -> None:
    path.write_bytes(b"")


def a_user_block(path: Path, good: bytes) -> None:
    path.write_bytes(bytes(512) + good)


def a_hole_of_two_gigabytes(path: Path, good: bytes) -> None:
    path.write_bytes(good)
    os.truncate(path, 1 << 31)


def of_an_old_format(path: Path, good: bytes) -> None:
    with h5py.File(path, "w", libver="earliest") as file:
        file.attrs["kind"] = "kr weights"


def the_signature_alone(path: Path, good: bytes) -> None:
    path.write_bytes(good[:9])


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(a_fifo, marks=pytest.mark.posix("no FIFOs")),
        pytest.param(a_device, marks=pytest.mark.posix("no device files")),
        pytest.param(a_socket, marks=pytest.mark.posix("no sockets that are files")),
        pytest.param(a_link_to_itself, marks=pytest.mark.posix("no links without rights")),
        a_directory, nothing, a_user_block, a_hole_of_two_gigabytes, of_an_old_format, the_signature_alone,
    ],
)  # fmt: skip
def test_foreign_files_are_refused(
    good: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, harm: Callable
) -> None:
    monkeypatch.chdir(tmp_path)
    harm(tmp_path / "bad.h5", good[reader].read_bytes())
    if reader in IN_PLACE and harm is a_hole_of_two_gigabytes:
        # whatever follows, what has been written is all there
        os.truncate(tmp_path / "bad.h5", 1 << 26)
        READERS[reader][1](tmp_path / "bad.h5")
    else:
        check_refused(reader, tmp_path / "bad.h5")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.smoke
def test_files_cut_short_are_refused(good: dict[str, Path], tmp_path: Path, reader: str) -> None:
    whole = good[reader].read_bytes()
    for size in (8, 9, 48, 100, *range(500, len(whole), len(whole) // 7)):
        (tmp_path / "bad.h5").write_bytes(whole[:size])
        check_refused(reader, tmp_path / "bad.h5")
