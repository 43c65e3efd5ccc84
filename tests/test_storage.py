"""Storage: whole or absent, one writer, checksums and provenance."""

import json
import os
import platform
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kr import storage
from kr.errors import InvalidSettingError, OutputBusyError
from kr.text import LONGEST_SAFE_NAME, portable_name, safe_name

Hold = Callable[[Path], AbstractContextManager[Any]]
"""Holds or writes an output during a block."""

WRITE_AND_WAIT = """
import sys
from kr.storage import atomic_path
with atomic_path(sys.argv[1]) as path:
    path.write_text("half of the n")
    print("writing", flush=True)
    sys.stdin.read()
"""

LOCK_AND_WAIT = """
import sys
from kr.storage import lock
with lock(sys.argv[1]):
    print("locked", flush=True)
    sys.stdin.read()
"""


# A text, and the name of a file that is made from it.
SAFE_NAMES = [
    ("games.pdn.xz", "games.pdn.xz"),
    ("../../etc/passwd", "passwd"),
    ("C:\\games\\mine.pdn", "mine.pdn"),
    (".hidden", "hidden"),
    ("a<b>\x1b[31m\u202e.pdn", "a_b_31m_.pdn"),
    ('a:b*c?d"e|f.pdn', "a_b_c_d_e_f.pdn"),
    ("line\nend\x00.pdn", "line_end_.pdn"),
    ("\N{SNOWMAN}", "_"),
    ("..", "instead"),
    ("games/", "instead"),
    ("Zo\u00eb 1900-1950.pdn", "Zo\u00eb 1900-1950.pdn"),
    ("x" * 500 + ".pdn", "x" * 70 + ".pdn"),
    ("x" * 79 + ". .pdn", "x" * 70 + ".pdn"),
    ("\u6f22" * 90, "\u6f22" * 53),
    ("trailing. ", "trailing"),
    ("con", "_con"),
    ("NUL.pdn.xz", "_NUL.pdn.xz"),
    ("Com1 .txt", "_Com1 .txt"),
    ("lpt9", "_lpt9"),
    ("console.pdn", "console.pdn"),
    ("COM10.pdn", "COM10.pdn"),
]


@pytest.mark.parametrize(("text", "name"), SAFE_NAMES)
def test_a_name_for_every_system(text: str, name: str, tmp_path: Path) -> None:
    assert safe_name(text, "instead") == name
    assert safe_name(name, "instead") == name
    (tmp_path / name).write_text("there")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@given(st.text(max_size=200))
def test_no_text_makes_a_name_that_a_system_refuses(text: str) -> None:
    name = safe_name(text, "instead")
    assert name == name.strip(". ")
    assert 0 < len(name.encode()) <= 2 * LONGEST_SAFE_NAME + 1
    assert not PureWindowsPath(name).is_reserved()
    for each in (name, portable_name(text)):
        assert each == each.rstrip(". ")
        assert not set(each) & set('<>:"/\\|?*')
        assert min(each) >= " "
        assert not PureWindowsPath(each).is_reserved()


@pytest.mark.parametrize("program", ["kr", "kr.exe", "__main__.py"])
def test_the_command_in_a_file_begins_with_kr(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [f"somewhere/{program}", "fit", "games"])
    assert storage.provenance()["command"] == "kr fit games"


def test_paths_in_files_are_those_of_every_system() -> None:
    """A folder that was made on Windows is read on Linux, and the other way round."""
    for path in (PureWindowsPath(r"runs\first\games"), PurePosixPath("runs/first/games")):
        record = storage.provenance("kr", directories=(path,))
        assert json.loads(record["settings"]) == {"directories": ["runs/first/games"]}


def start(script: str, target: Path) -> subprocess.Popen[str]:
    """A second process that has reached the middle of its block."""
    command = [sys.executable, "-c", script, str(target)]
    environment = os.environ | {"PYTHONPATH": str(Path(storage.__file__).parents[1])}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline() in ("writing\n", "locked\n")
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.parametrize("content", ["text é", b"\x00bytes"])
def test_write_atomic(tmp_path: Path, content: str | bytes) -> None:
    target = tmp_path / "new" / "directory" / "file.txt"
    storage.write_atomic(target, "old")
    storage.write_atomic(target, content)
    assert target.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert names(target.parent) == ["file.txt"]


@pytest.mark.parametrize("hold", [storage.lock, storage.lock_directory, storage.atomic_path])
def test_directories_that_stay_empty_go_again(tmp_path: Path, hold: Hold) -> None:
    (tmp_path / "earlier").mkdir()
    with pytest.raises(ZeroDivisionError), hold(tmp_path / "earlier" / "new" / "deep" / "x"):
        raise ZeroDivisionError
    assert list((tmp_path / "earlier").iterdir()) == []


def test_an_error_in_the_block_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), storage.atomic_path(target) as path:
        path.write_text(f"new {1 / 0}")
    assert target.read_text() == "old"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize(
    "name", ["file", "odd [name].h5", pytest.param("odd [name]*.h5", marks=pytest.mark.posix("no * in names"))]
)
def test_a_kill_in_the_middle_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    target.write_text("old")
    kill(start(WRITE_AND_WAIT, target))
    assert target.read_text() == "old"
    # The half-written temporary goes with the next write.
    assert len(names(tmp_path)) == 2
    storage.write_atomic(target, "new")
    assert target.read_text() == "new"
    assert names(tmp_path) == [name]


def test_a_writer_does_not_remove_what_a_living_one_writes(tmp_path: Path) -> None:
    process = start(WRITE_AND_WAIT, tmp_path / "file")
    storage.write_atomic(tmp_path / "file", "other")
    process.communicate("")
    assert process.returncode == 0
    assert (tmp_path / "file").read_text() == "half of the n"


@pytest.mark.posix("no links without rights")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    storage.write_atomic(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_what_can_be_written_is_found_out_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    before = path.stat()
    assert storage.can_write(path)
    assert storage.can_write(tmp_path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (b"content", before.st_mtime_ns)
    assert names(tmp_path) == ["file"]
    assert not storage.can_write(tmp_path / "none")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system has no /proc")
def test_a_folder_that_takes_no_file_is_noticed_whatever_its_permissions() -> None:
    """As folders of Windows and network drives may be; root may write to all others."""
    assert not storage.can_write(Path("/proc"))


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_who_looks_whether_an_output_is_held_takes_no_lock(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "out"
    if kind == "directory":
        target.mkdir()
    assert not storage.is_held(target)
    process = start(LOCK_AND_WAIT, target)
    try:
        assert storage.is_held(target)
    finally:
        kill(process)
    (lock,) = tmp_path.rglob("*lock")
    assert not storage.is_held(target)
    # the number of a killed writer may be another process's by now
    lock.write_text(str(os.getpid()))
    assert not storage.is_held(target)
    with storage.lock(target):
        assert storage.is_held(target)
    assert not storage.is_held(target)


def test_who_looks_makes_no_writer_give_up(tmp_path: Path) -> None:
    target, over = tmp_path / "out", threading.Event()
    seen: list[bool] = []

    def look() -> None:
        while not over.is_set():
            seen.append(storage.is_held(target))

    looking = [threading.Thread(target=look) for _ in range(2)]
    for thread in looking:
        thread.start()
    for _ in range(100):
        with storage.lock(target):
            assert storage.is_held(target)
    over.set()
    for thread in looking:
        thread.join()
    assert seen


def test_the_second_writer_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "run"
    process = start(LOCK_AND_WAIT, target)
    with pytest.raises(OutputBusyError, match=f"{re.escape(str(target))} .*{process.pid}"), storage.lock(target):
        pass
    process.communicate("")
    with storage.lock(target), pytest.raises(OutputBusyError), storage.lock(target):
        pass
    assert names(tmp_path) == []


def test_a_killed_writer_frees_its_output(tmp_path: Path) -> None:
    tmp_path.joinpath("run").mkdir()
    kill(start(LOCK_AND_WAIT, tmp_path / "run"))
    with storage.lock(tmp_path / "run"):
        assert names(tmp_path) == ["run"]
    assert names(tmp_path / "run") == []


def test_checksum_sees_type_shape_content_and_order() -> None:
    row = np.arange(6, dtype=np.int16)
    different = [
        (row,),
        (row.reshape(2, 3),),
        (row.astype(np.int32),),
        (row[:3], row[3:]),
        (row[::-1],),
        (row.tobytes(),),
        (),
    ]
    assert len({storage.checksum(*parts) for parts in different}) == len(different)


@pytest.mark.parametrize(
    "twin",
    [
        np.arange(6, dtype=">i2").reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype="<i2").reshape(2, 3)),
        np.arange(12, dtype="<i2").reshape(2, 6)[:, ::2] // 2,
    ],
)
def test_checksum_ignores_how_the_machine_holds_it(twin: np.ndarray) -> None:
    assert storage.checksum(twin) == storage.checksum(np.arange(6, dtype="<i2").reshape(2, 3))


def test_checksum_never_changes() -> None:
    # Stored in files: a change here makes every old weights file look damaged.
    assert storage.checksum(np.arange(6, dtype=np.int16), b"kr") == "425c2aac00c1208b6ff8c84a6b7f7115"


def test_checksum_of_nothing_and_of_one_number() -> None:
    assert storage.checksum(np.zeros((0, 3))) != storage.checksum(np.zeros(()))


@given(st.lists(st.binary()))
def test_checksum_of_bytes(parts: list[bytes]) -> None:
    assert len(storage.checksum(*parts)) == 32
    assert storage.checksum(*parts) != storage.checksum(*parts, b"")


def test_provenance() -> None:
    record = storage.provenance("kr fit runs", parents=["a1", "b2"], seed=7, path=Path("x"))
    assert record["platform"] == f"{platform.system()} {platform.machine()}"
    assert record["command"] == "kr fit runs"
    assert json.loads(record["settings"]) == {"seed": 7, "path": "x"}
    assert json.loads(record["parents"]) == ["a1", "b2"]
    assert record["seed"] == "7"
    assert record["created"].endswith("+00:00")
    assert all(isinstance(text, str) for text in record.values())
    assert "seed" not in storage.provenance()


def test_unknown_kind_of_data() -> None:
    with pytest.raises(InvalidSettingError, match="weights, selfplay"):
        storage.data_path("games")
