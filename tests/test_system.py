"""What systems do differently stands in one room, which offers the same to the others everywhere."""

import ast
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from systems import POSIX

import kr
from kr import system

PACKAGE = Path(kr.__file__).parent
ROOM = PACKAGE / "system"

# Modules and names that not every system has.
OWN = {
    "fcntl", "resource", "termios", "tty", "pwd", "grp", "msvcrt", "winreg", "ctypes.windll", "sys.platform", "os.name",
    "os.kill", "os.killpg", "os.fork", "os.fsync", "os.pread", "os.pwrite", "os.nice", "os.sysconf", "os.getuid",
    "os.geteuid", "os.setpriority", "os.getpriority", "os.sched_getaffinity", "os.sched_setaffinity", "os.O_NONBLOCK",
    "os.O_CLOEXEC", "os.O_DIRECTORY", "os.mkfifo", "os.replace", "os.rename", "signal.SIGKILL", "signal.SIGTERM",
    "signal.SIGALRM", "signal.SIGHUP", "signal.setitimer", "signal.pthread_sigmask", "platform.system",
}  # fmt: skip

# Places outside the room that use one, with the reason.
ALLOWED = {
    ("storage.py", "os.fsync"): "of a descriptor that is open for writing, which every system has",
    ("openings/marks.py", "os.fsync"): "likewise",
    ("protocols/dxp.py", "os.fsync"): "likewise",
    ("storage.py", "platform.system"): "a name in the provenance of files, on which nothing depends",
}


def used(path: Path) -> set[str]:
    """Names of OWN in a module."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                names |= {alias.name for alias in node.names}
            case ast.ImportFrom(module=str(module)):
                names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
            case ast.Attribute():
                names.add(ast.unparse(node))
    return names & OWN


def test_no_other_room_knows_of_one_system() -> None:
    places = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        if ROOM not in path.parents
        for name in used(path)
    }
    assert places == set(ALLOWED)


def functions(path: Path) -> dict[str, str]:
    """Parameters and results of the public functions of a module."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    public = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]
    assert all(map(ast.get_docstring, public))
    return {node.name: f"({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}" for node in public}


def test_each_system_offers_the_same() -> None:
    own, other = functions(ROOM / "posix.py"), functions(ROOM / "windows.py")
    assert own == other
    constants = {name for name in system.__all__ if name.isupper()}
    assert {*own, *constants} == set(system.__all__) <= set(dir(system))


def run(program: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


LOCKS = """
import os, sys
from kr import system
descriptor = os.open(sys.argv[1], os.O_RDWR)
print(system.lock_file(descriptor), flush=True)
sys.stdin.read()
"""


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "locked"
    path.write_text("content")
    holder = run(LOCKS, str(path))
    assert holder.stdout.readline() == "True\n"
    descriptor = os.open(path, os.O_RDWR)
    try:
        assert not system.lock_file(descriptor)
        assert system.is_alive(holder.pid)
        # what is locked can be read: a writer's number stands in the file
        assert os.read(descriptor, 20) == b"content"
        holder.kill()
        holder.wait()
        assert not system.is_alive(holder.pid)
        assert system.lock_file(descriptor)
    finally:
        os.close(descriptor)


def test_a_file_is_replaced_while_others_read_it(tmp_path: Path) -> None:
    """Where a system forbids that, the reader is waited for."""
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("old")
    new.write_text("new")
    descriptor = system.open_to_read(old)

    def read_slowly() -> None:
        time.sleep(0.2)
        os.close(descriptor)

    reader = threading.Thread(target=read_slowly)
    reader.start()
    system.replace_file(new, old)
    reader.join()
    assert old.read_text() == "new"
    assert not new.exists()


def test_an_open_file_can_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "read"
    path.write_bytes(b"0123456789")
    descriptor = system.open_to_read(path)
    try:
        path.unlink()
        assert system.read_at(descriptor, 4, 3) == b"3456"
        assert system.read_at(descriptor, 4, 8) == b"89"
        assert system.read_at(descriptor, 4, 1 << 33) == b""
    finally:
        os.close(descriptor)
    assert not path.exists()


def test_a_missing_file_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as failure:
        system.open_to_read(tmp_path / "none")
    assert failure.value.filename == str(tmp_path / "none") or failure.value.filename == tmp_path / "none"


CHILD = "import time; print('here', flush=True); time.sleep(600)"
STARTS = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}], stdout=subprocess.PIPE, text=True)
child.stdout.readline()
print(child.pid, flush=True)
if sys.argv[1] == "stays":
    time.sleep(600)
"""


@pytest.mark.parametrize("leader", ["stays", "ends"])
def test_a_group_ends_with_all_that_it_started(leader: str) -> None:
    process = system.start_group([sys.executable, "-c", STARTS, leader], stdout=subprocess.PIPE, text=True)
    child = int(process.stdout.readline())
    if leader == "ends":
        process.wait()
    assert system.is_alive(child)
    system.end_group(process)
    deadline = time.monotonic() + 60
    while system.is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not system.is_alive(child)


def test_a_crash_is_told_from_an_end() -> None:
    told = []
    for program in ("raise SystemExit(3)", "import faulthandler; faulthandler._read_null()"):
        done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
        told.append(system.ended_how(done.returncode))
    assert told == ["exit status 3", "signal 11 (Segmentation fault)" if POSIX else "exception 0xC0000005"]


HANGS = """
import re, sys, time
from kr import system
system.end_after(1.0)
system.end_after(3600.0)
time.sleep(1.2)
print("here", flush=True)
system.end_after(float(sys.argv[1]))
re.match(r"(a+)+$", "a" * 200 + "b")
"""


@pytest.mark.slow
def test_a_process_that_hangs_is_ended() -> None:
    process = run(HANGS, "1.0")
    began = time.monotonic()
    assert process.communicate(timeout=60)[0] == "here\n"
    assert time.monotonic() - began >= 1.2
    assert process.returncode


def test_memory_is_told() -> None:
    assert system.free_memory() > 1 << 26
    before = system.memory_peak()
    assert 1 << 22 < before < 1 << 40
    used = bytearray(1 << 27)
    used[::4096] = b"1" * len(used[::4096])
    assert system.memory_peak() >= min(before + (1 << 26), 1 << 27)


def test_threads_give_way() -> None:
    """Whatever it does, it raises nothing, and this thread can take part again."""
    thread = threading.Thread(target=system.lower_priority, args=(10,))
    thread.start()
    thread.join()
    assert system.core_count() >= 1
