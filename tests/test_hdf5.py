"""Hostile HDF5 files, made here one by one: each reader refuses them in one line, soon, and opens no other file."""

import json
import os
import socket
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from kr import cli, storage
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.sample_reader import SampleFile
from kr.errors import InvalidGamesError, InvalidSampleError, InvalidWeightsError, KrError
from kr.evaluation import files, weights
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.patterns import MAX_REGIONS
from kr.hdf5 import MOST_ATTRIBUTES, MOST_CHUNKS, MOST_TEXT
from kr.learn import games
from kr.learn.games import StoredGame

LAYOUT = LAYOUTS["small"]
STARTS = (0x0000_0FFF, 0xFFF0_0000, 0, 0)
SECONDS = 3.0
"""A hostile file takes well under one; this machine may be busy."""


def write_weights(path: Path) -> None:
    tables = [np.zeros(shape, dtype) for dtype, shape in weights.expected_shapes(LAYOUT).values()]
    weights.save_tables(path, LAYOUT, *tables, attrs={"seed": "3", "centimen_per_logit": 61.25})


def write_games(path: Path) -> None:
    codes = np.array([8 | 12 << 5, 21 | 17 << 5], dtype=np.uint16)
    record = StoredGame(0, STARTS, 0, 0, 5, codes, np.zeros(2, np.int16))
    games.write_shard(path, [record] * 50, {"seed": "1", "decks": '[["start", 1]]', "games_per_second": 2.0})


def write_positions(path: Path) -> None:
    shipped = storage.data_path("egdb")
    write_sample(SampleSettings(out=path, pieces="2", fraction=1.0, planes=False, workers=1, dir=shipped))


def read_positions(path: Path) -> None:
    with SampleFile(path, verify=True):
        pass


# Writer of a good file, reader, its error, a dataset.
READERS: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any], type[KrError], str]] = {
    "weights": (write_weights, weights.load_tables, InvalidWeightsError, "men_material"),
    "games": (write_games, games.read_shard, InvalidGamesError, "start"),
    "positions": (write_positions, read_positions, InvalidSampleError, "training/board"),
}

IN_PLACE = ("positions",)
"""Readers that don't read the whole file first, and are as strict about chunks."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    paths = {}
    for name, (write, read, *_) in READERS.items():
        paths[name] = tmp_path_factory.mktemp("good") / "good.h5"
        write(paths[name])
        read(paths[name])
    return paths


def check_refused(reader: str, path: Path, said: str = "") -> None:
    _, read, error, _ = READERS[reader]
    began = time.monotonic()
    with pytest.raises(error, match=said or None) as caught:
        read(path)
    assert time.monotonic() - began < SECONDS
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def edited(good: Path, path: Path, edit: Callable[[h5py.File], None]) -> Path:
    path.write_bytes(good.read_bytes())
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        edit(file)
    return path


# What stands where a dataset should: functions of the open file, the name, its true content and a FIFO.
# A FIFO that is opened makes the test wait for ever.


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


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("harm", DATASETS, ids=lambda harm: harm.__qualname__.removesuffix(".<locals>.edit"))
def test_hostile_datasets_are_refused(good: dict[str, Path], tmp_path: Path, reader: str, harm: Callable) -> None:
    name = READERS[reader][3]
    os.mkfifo(tmp_path / "fifo")
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

ODD_VALUES = {
    "bytes": np.bytes_(b"abc"),
    "empty": h5py.Empty("S1"),
    "list": [1, 2],
    "texts": ["a", "b"],
    "truth": np.bool_(True),
    "compound": np.array((1, 2.0), dtype=[("a", "i4"), ("b", "f8")]),
    "long number": np.longdouble(1),
    "complex": 1j,
    "long text": "x" * (MOST_TEXT + 1),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["kind", "format_version", "checksum", "more"])
@pytest.mark.parametrize("value", ODD_VALUES)
def test_attributes_are_texts_and_numbers(
    good: dict[str, Path], tmp_path: Path, reader: str, name: str, value: str
) -> None:
    check_refused(
        reader,
        edited(good[reader], tmp_path / "bad.h5", lambda file: file.attrs.__setitem__(name, ODD_VALUES[value])),
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
        a_fifo, a_directory, a_device, a_socket, a_link_to_itself, nothing, a_user_block, a_hole_of_two_gigabytes,
        of_an_old_format, the_signature_alone,
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
def test_files_cut_short_are_refused(good: dict[str, Path], tmp_path: Path, reader: str) -> None:
    whole = good[reader].read_bytes()
    for size in (8, 9, 48, 100, *range(500, len(whole), len(whole) // 7)):
        (tmp_path / "bad.h5").write_bytes(whole[:size])
        check_refused(reader, tmp_path / "bad.h5")


# Weights whose checksums are right, since whoever makes such a file can count as well.


def weights_with(good: Path, path: Path, **changes: Any) -> Path:
    def edit(file: h5py.File) -> None:
        for name, value in changes.items():
            file.attrs[name] = value
        header = {"kind", "format_version", "layout", "checksum", "attributes_checksum", "parts"}
        attrs = {name: files._plain(value) for name, value in file.attrs.items() if name not in header}
        file.attrs["attributes_checksum"] = files._attributes_checksum(attrs)

    return edited(good, path, edit)


DEEP = "[" * 40_000
REGIONS = LAYOUT.as_dict()
LAYOUTS_OF_A_FIEND = {
    "deep": DEEP,
    "deep name": f'{{"name": {DEEP}',
    "no object": "[]",
    "name of a list": json.dumps(REGIONS | {"name": [1]}),
    "long name": json.dumps(REGIONS | {"name": "x" * 10_000}),
    "name of two lines": json.dumps(REGIONS | {"name": "a\nb"}),
    "endless number": json.dumps(REGIONS).replace("31", "1e400"),
    "long number": json.dumps(REGIONS).replace("31", "9" * 5000),
    "half a square": json.dumps(REGIONS).replace("31", "30.5"),
    "truth": json.dumps(REGIONS).replace("[0, 1,", "[false, true,"),
    "texts": json.dumps(REGIONS | {"men": ["abcdefghijkl"]}),
    "an object": json.dumps(REGIONS | {"men": {"0": 1}}),
    "no regions": json.dumps(REGIONS | {"men": []}),
    "too many regions": json.dumps(REGIONS | {"men": (REGIONS["men"] * 400)[:2001]}),
    "one too many": json.dumps(REGIONS | {"men": [[*range(11), 11 + i] for i in range(21)] + REGIONS["men"] * 2}),
    "a long region": json.dumps(REGIONS | {"men": [list(range(32)) * 1000]}),
}


@pytest.mark.parametrize("text", LAYOUTS_OF_A_FIEND)
def test_hostile_layouts_are_refused(good: dict[str, Path], tmp_path: Path, text: str) -> None:
    path = weights_with(good["weights"], tmp_path / "bad.h5", layout=LAYOUTS_OF_A_FIEND[text])
    check_refused("weights", path, "layout")


def test_regions_are_as_many_as_the_core_adds_up() -> None:
    assert all(max(len(layout.men), len(layout.kings)) <= MAX_REGIONS for layout in LAYOUTS.values())


PARTS = {
    "deep": DEEP,
    "no object": "[]",
    "an object": '{"men": {}}',
    "number": '{"men": 3}',
    "no pair": '{"men": [[1, 2, 3]]}',
    "home a text": '{"men": [[[0], "0"]]}',
    "home far away": '{"men": [[[0], 99999999999999999999]]}',
    "home before": '{"men": [[[0], -1]]}',
    "home itself": '{"men": [[[0], 6]]}',
    "square twice": '{"men": [[[0, 0], 0]]}',
    "descending": '{"men": [[[1, 0], 0]]}',
    "nothing": '{"men": [[[], 0]]}',
    "part twice": '{"men": [[[0, 1], 0], [[0, 1], 0]]}',
    "no squares": '{"men": [[[true], 0]]}',
    "too many": json.dumps({"men": [[[0], 0]] * 30_000}),
    "more than is there": json.dumps({"men": [[list(LAYOUT.men[0][:11]), 0]]}),
}


@pytest.mark.parametrize("text", PARTS)
def test_hostile_parts_are_refused(good: dict[str, Path], tmp_path: Path, text: str) -> None:
    check_refused("weights", weights_with(good["weights"], tmp_path / "bad.h5", parts=PARTS[text]), "parts")


@pytest.mark.parametrize("value", ["abc", "", 0, 0.0, -1.0, float("nan"), float("inf"), 1e300, 2**63 - 1], ids=repr)
def test_a_scale_out_of_range_is_refused(good: dict[str, Path], tmp_path: Path, value: object) -> None:
    path = weights_with(good["weights"], tmp_path / "bad.h5", centimen_per_logit=value)
    check_refused("weights", path, "centimen_per_logit is")


@pytest.mark.parametrize("name", ["checksum", "attributes_checksum", "layout", "parts"])
def test_a_number_for_a_text_is_refused(good: dict[str, Path], tmp_path: Path, name: str) -> None:
    path = edited(good["weights"], tmp_path / "bad.h5", lambda file: file.attrs.__setitem__(name, 7))
    check_refused("weights", path, f"attribute {name} is not text")


@pytest.mark.parametrize("report", ["", "7", "[]", "{}", DEEP, '{"loss": 3}', '{"centimen_per_logit": "x"}'])
def test_a_report_that_makes_no_sense_is_one_line(
    good: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture, report: str
) -> None:
    path = weights_with(good["weights"], tmp_path / "bad.h5", report=report)
    assert cli.main(["weights", "show", str(path)]) == 1
    assert "report" in capsys.readouterr().err


# Games whose checksums are right.


def games_with(good: Path, path: Path, attrs: dict[str, Any], **columns: Any) -> Path:
    def edit(file: h5py.File) -> None:
        for name, value in columns.items():
            data = file[name][()]
            data[...] = value(data) if callable(value) else value
            file[name][...] = data
        content = (file[name][()] for name in games._DTYPES)
        file.attrs.update(attrs | {"checksum": storage.checksum(*content)})

    return edited(good, path, edit)


def wrapped(first: np.ndarray) -> np.ndarray:
    first[1:-1:2] = -(2**63)
    return first


@pytest.mark.parametrize(
    "columns",
    [
        {"side": 7},
        {"side": 2},
        {"game": -1},
        {"result": 2},
        {"result": -128},
        {"reason": 200},
        {"start": 0xFFFF_FFFF},
        {"start": [1, 1, 0]},
        {"start": [1, 2, 4]},
        {"start": [1 << 31, 2, 0]},
        {"start": [1, 2, 0xFFFF_FFFF]},
        {"start": [0x1FFF, 1 << 31, 0]},
        pytest.param({"first": wrapped}, id="first, wrapped"),
        pytest.param({"first": lambda first: first[::-1]}, id="first, backwards"),
        pytest.param({"first": lambda first: first - 1}, id="first, one less"),
        pytest.param({"first": lambda first: first + 1}, id="first, one more"),
    ],
    ids=repr,
)
def test_games_out_of_range_are_refused(good: dict[str, Path], tmp_path: Path, columns: dict[str, Any]) -> None:
    path = games_with(good["games"], tmp_path / "bad.h5", {}, **columns)
    check_refused("games", path, "do not fit together, or hold numbers out of range")


def test_a_game_longer_than_any_is_refused(tmp_path: Path) -> None:
    plies = games._core.MAX_GAME_PLIES + 1
    record = StoredGame(0, STARTS, 0, 0, 5, np.zeros(plies, np.uint16), np.zeros(plies, np.int16))
    games.write_shard(tmp_path / "bad.h5", [record], {})
    check_refused("games", tmp_path / "bad.h5", "out of range")


@pytest.mark.parametrize(
    "attrs",
    [
        {"seed": "abc"},
        {"seed": "-1"},
        {"seed": str(2**63)},
        {"seed": "9" * 5000},
        {"decks": DEEP},
        {"decks": "7"},
        {"decks": "[1]"},
        {"decks": '[["a", "b"]]'},
        {"decks": '[["a", 1e400]]'},
        {"decks": '[["a", -1]]'},
        {"settings": DEEP},
        {"settings": "[]"},
        {"games_per_second": "abc"},
        {"games_per_second": float("nan")},
    ],
    ids=lambda attrs: repr(attrs)[:40],
)
def test_attributes_of_games_out_of_range_are_refused(
    good: dict[str, Path], tmp_path: Path, attrs: dict[str, Any]
) -> None:
    check_refused("games", games_with(good["games"], tmp_path / "bad.h5", attrs), "attributes make no sense")
