"""Linux, macOS and other systems of that kind. A function says where only Linux can do what it does."""

from __future__ import annotations

import faulthandler
import fcntl
import mmap
import os
import resource
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, TypeVar

# for type checkers, which skip the rest elsewhere
assert sys.platform != "win32"

T = TypeVar("T")

END_SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a command to end: Ctrl-C, and what another program sends."""

NO_WINDOW: Mapping[str, Any] = {}
"""Options of Popen with which a program without a console of its own shows no window."""

_MMAP_THRESHOLD = -3
"""M_MMAP_THRESHOLD of glibc."""


# command lines


def split_command(text: str) -> list[str]:
    """Words of a command, as this system's programs take them from a text. Raises ValueError for an open quote."""
    return shlex.split(text)


def join_command(words: Sequence[str]) -> str:
    """Command of these words: to be typed, and for `split_command`."""
    return shlex.join(words)


def typed_path(text: str) -> Path:
    """The path that somebody has typed, with what shells of this system leave to programs."""
    return Path(text)


def expand_paths(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The files that typed paths stand for: shells of this system have replaced patterns by them."""
    return tuple(paths)


def shows_symbols() -> bool:
    """True if the terminal takes characters that its font lacks from others."""
    return True


# files


def open_to_read(path: str | os.PathLike[str]) -> int:
    """Descriptor of a file, open for reading; a FIFO is not waited for. Raises OSError."""
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """At most `size` bytes at an offset of a file; several threads may read at once. Raises OSError."""
    return os.pread(descriptor, size, offset)


def path_of_open(descriptor: int, path: str) -> str:
    """A path that leads to an open file, even if its own leads to another one by now; its own where there is none."""
    own = f"/proc/self/fd/{descriptor}"
    return own if os.path.exists(own) else path


def flush_file(path: str | os.PathLike[str]) -> None:
    """Have the content of a file on disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_directory(path: str | os.PathLike[str]) -> None:
    """Have the names in a directory on disk, where the system can. Raises OSError."""
    flush_file(path)


def reader_has_gone(error: OSError) -> bool:
    """True for the error of writing to a pipe that nobody reads any more."""
    return isinstance(error, BrokenPipeError)


def reason_of(error: OSError) -> str:
    """Why the system refused something, in words."""
    return error.strerror or str(error)


def replace_file(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Give a file the name `target`, in place of a file that may have it and be open elsewhere. Raises OSError."""
    os.replace(source, target)


def lock_file(descriptor: int) -> bool:
    """Lock an open file until it is closed; False if another opening of it is locked. Raises OSError."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(descriptor: int) -> bool:
    """True if another program has locked an open file, as HDF5 does while it writes. Takes a lock for a moment."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def remove_held(path: str | os.PathLike[str], descriptor: int) -> None:
    """Remove a file that is locked, and close it: whoever has opened it meanwhile sees that its name is gone."""
    with suppress(FileNotFoundError):
        os.unlink(path)
    os.close(descriptor)


def data_folder() -> Path:
    """Folder of what kr keeps for this user; XDG_DATA_HOME names the folder above it."""
    mac = sys.platform == "darwin"
    own = Path.home().joinpath(*("Library", "Application Support") if mac else (".local", "share"))
    return Path(os.environ.get("XDG_DATA_HOME") or own) / "kr"


def cache_folder() -> Path:
    """Folder of what kr can make again for this user; XDG_CACHE_HOME names the folder above it."""
    own = Path.home().joinpath(*("Library", "Caches") if sys.platform == "darwin" else (".cache",))
    return Path(os.environ.get("XDG_CACHE_HOME") or own) / "kr"


# processes


def is_alive(pid: int) -> bool:
    """True if a process of this number runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def has_own_window() -> bool:
    """False: no program is given a window to write in unless it is asked for."""
    return False


def holds(pid: int, path: str | os.PathLike[str]) -> bool:
    """True if a process has a file open, or this can't be known: a killed process's number may be another's now.

    Known on Linux alone, and of the user's own processes. Raises OSError for no file.
    """
    status = os.stat(path)
    try:
        opened = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return True
    for number in opened:
        with suppress(OSError):
            if os.path.samestat(os.stat(f"/proc/{pid}/fd/{number}"), status):
                return True
    return False


def windows_program(words: Sequence[str]) -> list[str]:
    """The command of a program for Windows: by wine."""
    return ["wine", *words]


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables for a program: those of kr, and these."""
    return {**os.environ, **variables}


def start_group(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a program that Ctrl-C does not reach. options: as for Popen. Raises OSError and ValueError."""
    return subprocess.Popen(command, start_new_session=True, **options)


def end_group(process: subprocess.Popen[Any]) -> None:
    """Kill a program of `start_group` and all that it has started, which may outlive it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def processor_seconds(process: subprocess.Popen[Any]) -> float | None:
    """Seconds of processor time of a program of `start_group` and those that it has started, as far as they run; on
    Linux alone, None elsewhere and of one that has ended."""
    return _processor_seconds(process.pid) if sys.platform == "linux" else None


def _processor_seconds(pid: int) -> float | None:
    try:
        # the clock of a process, as clock_getcpuclockid of C gives it: its nanoseconds, where /proc has ticks of 10 ms
        seconds = time.clock_gettime(~pid << 3 | 2)
        children = [child for task in Path(f"/proc/{pid}/task").iterdir() for child in _words(task / "children")]
    except OSError:
        return None
    return seconds + sum(_processor_seconds(int(child)) or 0.0 for child in children)


def _words(path: Path) -> list[str]:
    """Words of a file; none if there is no such file."""
    try:
        return path.read_text().split()
    except OSError:
        return []


@cache
def _nowhere() -> int:
    return os.open(os.devnull, os.O_WRONLY)


def end_after(seconds: float) -> None:
    """End this process in a while, even if it hangs in C by then; the next call sets another time."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=_nowhere())


def ended_how(status: int) -> str:
    """An exit status in words."""
    return f"signal {-status} ({signal.strsignal(-status)})" if status < 0 else f"exit status {status}"


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """Block Ctrl-C in processes that are started meanwhile, from their first moment on, and for a while in this thread.

    Threads that are started meanwhile pass that on to the processes that they start, later ones too.
    """
    # its start would unblock Ctrl-C in the thread that happens to need it first
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def read_pipe(read: Callable[[], T]) -> T:
    """What `read()` gives, which waits for a pipe; Ctrl-C ends the wait."""
    return read()


def within(seconds: float | None, read: Callable[[], T], error: type[Exception]) -> T:
    """What `read()` gives, or an error after so many seconds; without this limit outside of the main thread."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        return read()

    def ring(number: int, frame: object) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        return read()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# processor and memory


def core_count() -> int:
    """Cores that this process may use, as far as the system says; at least one."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    # os.process_cpu_count is new in Python 3.13
    return getattr(os, "process_cpu_count", os.cpu_count)() or 1


def lower_priority(niceness: int) -> None:
    """Make the calling thread nicer than the process is. Linux alone has a niceness of threads."""
    if sys.platform == "linux":
        with suppress(OSError):
            # from the niceness of the process on: the process itself may give way to something
            niceness += os.getpriority(os.PRIO_PROCESS, os.getpid())
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)


def thread_seconds() -> float:
    """Seconds of processor time that the calling thread has had, to be compared with later ones."""
    return time.thread_time()


def free_memory() -> int:
    """Bytes of memory available to programs; all that the machine has, where only that is known."""
    with suppress(OSError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def forget_memory_peak() -> None:
    """Begin to measure the peak of memory anew; on Linux alone."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def memory_peak() -> int:
    """Most bytes of memory that this process had, since `forget_memory_peak` where that can be."""
    with suppress(OSError, ValueError, IndexError):
        peak = Path("/proc/self/status").read_text().split("VmHWM:")[1]
        return int(peak.split()[0]) << 10
    peak_size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak_size if sys.platform == "darwin" else peak_size << 10


def resident_memory() -> int:
    """Bytes of memory that this process holds, mapped files included; on Linux alone, 0 elsewhere."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def give_back_freed() -> None:
    """Have blocks of 256 KiB and more returned to the system as they are freed: glibc keeps them up to 32 MiB."""
    import ctypes

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, 1 << 18)


def drop_pages(mapped: mmap.mmap) -> None:
    """Take the pages of a mapped file out of this process, until they are read again."""
    if hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)
