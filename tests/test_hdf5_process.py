"""Files that hang or crash HDF5, files that are being written, and files that HDF5 can't read back: one line each."""

import os
import re
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from hdf5_files import IN_PLACE, READERS, check_refused, good, write_games, write_positions, write_weights
from systems import CRASH, NO_FILE, interrupt, is_alive, start

from kr import storage
from kr.egdb import sample_file
from kr.errors import InvalidGamesError, KrError, UnreadableOutputError
from kr.evaluation import kinds
from kr.hdf5 import files, process, structures, write_hdf5
from kr.learn.games import read_shard

__all__ = ["good"]


@pytest.fixture(autouse=True)
def nothing_known() -> None:
    """No file is known to be this process's own, or to be bad."""
    files._own.clear()
    process._refused.clear()


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Structures are not looked at before HDF5 sees them, and what it reads may take a second."""
    monkeypatch.setattr(structures, "harmful_structure", lambda *given: None)
    monkeypatch.setattr(process, "READ_SECONDS", 1.0)


# Heaps of texts; their objects have no checksum.


def with_heap(good: Path, path: Path, change: Callable[[bytearray, int], None]) -> Path:
    content = bytearray(good.read_bytes())
    change(content, content.index(b"GCOL"))
    path.write_bytes(content)
    return path


def number(field: bytes) -> int:
    return int.from_bytes(field, "little")


def no_object(content: bytearray, at: int) -> None:
    content[at + 16 : at + 32] = bytes(16)


def no_space(content: bytearray, at: int) -> None:
    """The free space at the end has no size."""
    place = at + 16
    while number(content[place : place + 2]):
        place += 16 + -(-number(content[place + 8 : place + 16]) // 8) * 8
    content[place + 8 : place + 16] = bytes(8)


def backwards(content: bytearray, at: int) -> None:
    """The first object ends where it begins, as 64 bits count."""
    content[at + 24 : at + 32] = (2**64 - 16).to_bytes(8, "little")


def beyond(content: bytearray, at: int) -> None:
    content[at + 24 : at + 32] = (1 << 40).to_bytes(8, "little")


def larger_than_the_file(content: bytearray, at: int) -> None:
    content[at + 8 : at + 16] = (1 << 40).to_bytes(8, "little")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("change", [no_object, no_space, backwards, beyond, larger_than_the_file])
def test_heaps_of_impossible_sizes_are_refused(
    good: dict[str, Path], tmp_path: Path, reader: str, change: Callable[[bytearray, int], None]
) -> None:
    check_refused(reader, with_heap(good[reader], tmp_path / "bad.h5", change), "heap of texts whose sizes")


@pytest.mark.parametrize("reader", READERS)
def test_nodes_of_no_size_are_refused(good: dict[str, Path], tmp_path: Path, reader: str) -> None:
    content = bytearray(good[reader].read_bytes())
    at = content.index(b"BTHD")
    content[at + 6 : at + 10] = bytes(4)
    (tmp_path / "bad.h5").write_bytes(content)
    check_refused(reader, tmp_path / "bad.h5", "index of names or chunks whose size")


def test_a_heap_over_the_border_of_two_blocks_is_found(good: dict[str, Path]) -> None:
    heap = with_heap(good["games"], good["games"].with_name("bad.h5"), no_object).read_bytes()
    for ahead in range((1 << 20) - 70 - heap.index(b"GCOL"), (1 << 20) + 8 - heap.index(b"GCOL"), 6):
        content = bytes(ahead) + heap
        found = structures.harmful_structure(lambda at, count, content=content: content[at : at + count], len(content))
        assert found is not None


# The rest, in the library


def refused(reader: str, path: Path) -> tuple[str, float]:
    """Message of a reader about a bad file, and the seconds until it."""
    began = time.monotonic()
    with pytest.raises(KrError) as caught:
        READERS[reader][1](path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    return str(caught.value), time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize(
    "reader", ["weights", *(pytest.param(each, marks=pytest.mark.soak) for each in ("games", "positions"))]
)
def test_a_file_that_hangs_the_library_is_refused(
    good: dict[str, Path], tmp_path: Path, reader: str, trusting: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = with_heap(good[reader], tmp_path / "bad.h5", no_object)
    said, seconds = refused(reader, bad)
    assert said.endswith("HDF5 does not finish reading it in 1 s")
    # it is not tried again, which would take as long, and others are read
    assert refused(reader, bad)[1] < seconds
    monkeypatch.setattr(process, "READ_SECONDS", 60.0)
    READERS[reader][1](good[reader])


@pytest.mark.slow
def test_a_file_that_crashes_the_library_is_refused(
    good: dict[str, Path], tmp_path: Path, trusting: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = with_heap(good["games"], tmp_path / "bad.h5", no_object)
    monkeypatch.setattr(process, "READ_SECONDS", 60.0)
    READERS["games"][1](good["games"])
    assert process._process is not None
    reader = process._process
    reader._accepted = False

    def crash() -> None:
        while not reader._accepted:
            time.sleep(0.01)
        time.sleep(0.3)
        os.kill(reader._process.pid, CRASH)

    thread = threading.Thread(target=crash)
    thread.start()
    assert refused("games", bad)[0].endswith("HDF5 crashes when it reads it")
    thread.join()
    READERS["games"][1](good["games"])


def test_a_process_that_has_ended_is_replaced(good: dict[str, Path]) -> None:
    """One ends when it has nothing to do, at whatever moment."""
    with files.reading(good["games"], InvalidGamesError, "shard of games") as source:
        first = process._process
        assert first is not None
        first._process.kill()
        first._process.wait()
        assert len(source.array("result", "int8", (None,))) == 50
        assert process._process is not first
    READERS["positions"][1](good["positions"])


def test_threads_share_a_process(good: dict[str, Path]) -> None:
    found: list[int] = []

    def read() -> None:
        for _ in range(5):
            found.append(len(read_shard(good["games"])))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [50] * 20


def test_own_and_shipped_files_need_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_running", lambda: pytest.fail("a process for a file of kr's own"))
    write_games(tmp_path / "own.h5")
    assert len(read_shard(tmp_path / "own.h5")) == 50
    kinds.load_file(storage.data_path("weights", "evolved.h5"))


@pytest.mark.parametrize(
    ("executable", "why"), [("/nowhere/python", NO_FILE), (None, "Python does not know its own program")]
)
def test_a_process_that_cannot_start_is_told(
    good: dict[str, Path], monkeypatch: pytest.MonkeyPatch, executable: str | None, why: str
) -> None:
    if process._process is not None:
        process._process.end()
    monkeypatch.setattr(sys, "executable", executable)
    assert re.search(f"can't start the process that reads it: ({why})", refused("games", good["games"])[0])


INTERRUPTED = """
import sys
from kr.hdf5 import process, structures
structures.harmful_structure = lambda *given: None
ask = process._Process.ask
def told(*given):
    print("asks", flush=True)
    return ask(*given)
process._Process.ask = told
from kr.cli import main
sys.exit(main(["games", sys.argv[1]]))
"""


@pytest.mark.slow
def test_ctrl_c_ends_a_command_that_waits(good: dict[str, Path], tmp_path: Path) -> None:
    with_heap(good["games"], tmp_path / "shard-000000.h5", no_object)
    command = start(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert command.stdout.readline() == "asks\n"
    time.sleep(0.5)
    assert command.poll() is None
    interrupt(command)
    _, said = command.communicate(timeout=60)
    assert said.strip().endswith("interrupted")


LEFT_WAITING = """
import sys, threading, time
from kr.hdf5 import process, structures
from kr.learn.games import read_shard
structures.harmful_structure = lambda *given: None
process.READ_SECONDS = 60.0
read_shard(sys.argv[1])
threading.Thread(target=read_shard, args=[sys.argv[2]], daemon=True).start()
time.sleep(0.3)
print(process._process._process.pid)
"""


@pytest.mark.slow
def test_a_thread_that_waits_keeps_no_process_from_ending(good: dict[str, Path], tmp_path: Path) -> None:
    """The library hangs in a daemon thread, as of a server, when the process ends."""
    bad = with_heap(good["games"], tmp_path / "bad.h5", no_object)
    command = [sys.executable, "-c", LEFT_WAITING, str(good["games"]), str(bad)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr
    assert not is_alive(int(done.stdout))


# Files that are open elsewhere


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_open_elsewhere_is_told(good: dict[str, Path], tmp_path: Path, reader: str) -> None:
    path = tmp_path / "open.h5"
    path.write_bytes(good[reader].read_bytes())
    with h5py.File(path, "r+", libver=("v110", "v110")):
        said, seconds = refused(reader, path)
        assert "another program has this" in said
        assert "open for writing" in said
        assert "damaged" not in said
        assert seconds < 1
    READERS[reader][1](path)


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_being_made_elsewhere_is_told(tmp_path: Path, reader: str) -> None:
    with h5py.File(tmp_path / "new.h5", "w", libver=("v110", "v110")) as file:
        file.create_dataset("x", data=np.arange(9))
        assert "another program has this" in refused(reader, tmp_path / "new.h5")[0]


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_was_never_closed_is_told(good: dict[str, Path], tmp_path: Path, reader: str) -> None:
    path = tmp_path / "open.h5"
    path.write_bytes(good[reader].read_bytes())
    with h5py.File(path, "r+", libver=("v110", "v110")):
        left = path.read_bytes()
    (tmp_path / "left.h5").write_bytes(left)
    said = refused(reader, tmp_path / "left.h5")[0]
    assert "did not close it" in said
    assert "damaged" not in said


# Files that are read back


@pytest.mark.parametrize("reader", [reader for reader in READERS if reader not in IN_PLACE])
def test_what_cannot_be_read_back_takes_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str) -> None:
    path = tmp_path / "out.h5"
    path.write_bytes(b"the old file")
    whole = files._hdf5_content

    def damaged(*given: object) -> bytes:
        content = bytearray(whole(*given))  # type: ignore[arg-type]
        content[44] ^= 1
        return bytes(content)

    monkeypatch.setattr(files, "_hdf5_content", damaged)
    with pytest.raises(UnreadableOutputError, match=rf"{re.escape(str(path))}: .*not written") as caught:
        READERS[reader][0](path)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == b"the old file"
    assert os.listdir(tmp_path) == ["out.h5"]


def test_positions_that_cannot_be_read_back_take_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = sample_file._compressed
    wrong = zlib.compress(bytes(sample_file.CHUNK * 12), 1)
    monkeypatch.setattr(sample_file, "_compressed", lambda *given: {**packed(*given), "board": wrong})
    with pytest.raises(UnreadableOutputError, match=r"out\.h5: not written, since training/board was read back"):
        write_positions(tmp_path / "out.h5")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("what", ["array", "attribute"])
def test_another_content_takes_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    arrays, attrs = {"a": np.arange(100, dtype=np.int16)}, {"text": "x", "number": float("nan")}
    write_hdf5(tmp_path / "right.h5", arrays, attrs)
    other = {"a": arrays["a"] + (what == "array")}, {**attrs, "text": "xy"[what == "attribute"]}
    changed = files._hdf5_content(*other, {})
    monkeypatch.setattr(files, "_hdf5_content", lambda *given: changed)
    with pytest.raises(UnreadableOutputError, match="read back with another content"):
        write_hdf5(tmp_path / "wrong.h5", arrays, attrs)
    assert os.listdir(tmp_path) == ["right.h5"]


@pytest.mark.parametrize("write", [write_weights, write_games])
def test_files_are_closed_and_the_same_each_time(tmp_path: Path, write: Callable[[Path], None]) -> None:
    for name in ("a.h5", "b.h5"):
        write(tmp_path / name)
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()
    assert not structures.is_being_written((tmp_path / "a.h5").read_bytes()[:12])


@pytest.mark.parametrize("reader", READERS)
def test_files_have_no_times(good: dict[str, Path], reader: str) -> None:
    content = good[reader].read_bytes()
    # flags of groups and datasets, of which one says that times follow
    flags = [content[found.end()] for found in re.finditer(rb"OHDR\x02", content)]
    assert flags
    assert not [each for each in flags if each & 0x20]
