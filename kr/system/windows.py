"""Windows, by its own interface where Python has none. No POSIX signals, niceness of threads only in steps."""

from __future__ import annotations

import ctypes
import errno
import math
import mmap
import msvcrt
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from ctypes import byref, c_void_p
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from kr.system import windows_api as api
from kr.system import windows_words

# for type checkers, which skip the rest elsewhere
assert sys.platform == "win32"

T = TypeVar("T")

END_SIGNALS = (signal.SIGINT, signal.SIGBREAK)
"""Signals that ask a command to end: Ctrl-C and Ctrl-Break, which another program can send. SIGTERM does not exist."""

NO_WINDOW: Mapping[str, Any] = {"creationflags": subprocess.CREATE_NO_WINDOW}
"""Options of Popen with which a program without a console of its own shows no window."""

REPLACE_SECONDS = 3.0
"""Seconds in which a file that is to be replaced may be open elsewhere."""

LOCK_PAUSES = (0.001, 0.01, 0.1)
"""Seconds in which a lock may be another's that only looks whether there is one."""

_LOCK_PLACE = 1 << 62
"""Locks forbid reading what they cover, so they lie beyond the end of any file."""
_PRIORITIES = ((15, -2), (5, -1))
"""Niceness from which on a thread has a priority: lowest, below normal."""


# command lines


def split_command(text: str) -> list[str]:
    """Words of a command, as this system's programs take them from a text. Raises ValueError for an open quote."""
    return windows_words.split_words(text)


def join_command(words: Sequence[str]) -> str:
    """Command of these words: to be typed, and for `split_command`."""
    return windows_words.join_words(words)


def typed_path(text: str) -> Path:
    """The path that somebody has typed, with what shells of this system leave to programs."""
    return windows_words.home_path(text)


def expand_paths(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The files that typed paths stand for: programs of this system replace patterns by them."""
    return tuple(match for path in paths for match in windows_words.matches(path))


def shows_symbols() -> bool:
    """True if the terminal takes characters that its font lacks from others: the old console does not."""
    return not {"WT_SESSION", "TERM_PROGRAM"}.isdisjoint(os.environ)


# files


def open_to_read(path: str | os.PathLike[str]) -> int:
    """Descriptor of a file, open for reading, that others may meanwhile write, rename and remove. Raises OSError."""
    name = os.fspath(path)
    handle = api.create_file(name, api.GENERIC_READ, api.SHARE_ALL, None, api.OPEN_EXISTING, 0, None)
    if handle == api.NO_HANDLE:
        raise api.failure(name)
    try:
        return msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT)
    except BaseException:
        api.close(handle)
        raise


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """At most `size` bytes at an offset of a file; several threads may read at once. Raises OSError."""
    buffer, read = ctypes.create_string_buffer(size), api.DWORD()
    place = api.Overlapped.at(offset)
    if not api.read_file(msvcrt.get_osfhandle(descriptor), buffer, size, byref(read), byref(place)):
        if ctypes.get_last_error() == api.END_OF_FILE:
            return b""
        raise api.failure()
    return buffer.raw[: read.value]


def path_of_open(descriptor: int, path: str) -> str:
    """The path of an open file, which may lead to another one by now: there is none that can't."""
    return path


def flush_file(path: str | os.PathLike[str]) -> None:
    """Have the content of a file on disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_BINARY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_directory(path: str | os.PathLike[str]) -> None:
    """Nothing: the system has no such call."""


def reader_has_gone(error: OSError) -> bool:
    """True for the error of writing to a pipe that nobody reads any more."""
    return isinstance(error, BrokenPipeError) or error.errno == errno.EINVAL


def reason_of(error: OSError) -> str:
    """Why the system refused something, in words: of a path that is too long it says that there is no such file."""
    too_long = windows_words.path_length(error.filename) if isinstance(error, FileNotFoundError) else ""
    return too_long or error.strerror or str(error)


def replace_file(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Give a file the name `target`, in place of a file that may have it. Raises OSError.

    Waits for REPLACE_SECONDS while the file is open elsewhere: readers and virus scanners hold it for moments.
    """
    deadline = time.monotonic() + REPLACE_SECONDS
    pause = 0.001
    while True:
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if time.monotonic() > deadline or os.path.isdir(target):
                raise
        time.sleep(pause)
        pause = min(2 * pause, 0.1)


def _lock(descriptor: int, flags: int, offset: int, size: int) -> bool:
    place = api.Overlapped.at(offset)
    handle = msvcrt.get_osfhandle(descriptor)
    if api.lock_range(handle, flags | api.LOCK_NOW, 0, size & 0xFFFFFFFF, size >> 32, byref(place)):
        return True
    if ctypes.get_last_error() == api.LOCK_VIOLATION:
        return False
    raise api.failure()


def _unlock(descriptor: int, offset: int, size: int) -> None:
    place = api.Overlapped.at(offset)
    api.unlock_range(msvcrt.get_osfhandle(descriptor), 0, size & 0xFFFFFFFF, size >> 32, byref(place))


def lock_file(descriptor: int) -> bool:
    """Lock an open file until it is closed; False if another opening of it is locked. Raises OSError."""
    for pause in (*LOCK_PAUSES, 0.0):
        if _lock(descriptor, api.LOCK_EXCLUSIVE, _LOCK_PLACE, 1):
            return True
        time.sleep(pause)
    return False


def is_locked(descriptor: int) -> bool:
    """True if another program has locked an open file, as HDF5 does while it writes. Takes a lock for a moment."""
    size = _LOCK_PLACE
    try:
        if not _lock(descriptor, 0, 0, size):
            return True
    except OSError:  # a file system without locks
        return False
    _unlock(descriptor, 0, size)
    return False


def remove_held(path: str | os.PathLike[str], descriptor: int) -> None:
    """Close a file that is locked, and remove it unless another has opened it meanwhile, whose file it is then."""
    os.close(descriptor)
    with suppress(FileNotFoundError, PermissionError):
        os.unlink(path)


def _local() -> Path:
    return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")


def data_folder() -> Path:
    """Folder of what kr keeps for this user; XDG_DATA_HOME names the folder above it."""
    return Path(os.environ.get("XDG_DATA_HOME") or _local()) / "kr"


def cache_folder() -> Path:
    """Folder of what kr can make again for this user; XDG_CACHE_HOME names the folder above it."""
    own = _local() / "kr"
    return Path(os.environ["XDG_CACHE_HOME"]) / "kr" if os.environ.get("XDG_CACHE_HOME") else own / "cache"


# processes


def is_alive(pid: int) -> bool:
    """True if a process of this number runs."""
    process = api.open_process(api.SYNCHRONIZE, False, pid)
    if not process:
        # of another user, or nobody's
        return ctypes.get_last_error() != api.INVALID_PARAMETER
    try:
        return bool(api.wait(process, 0) == api.WAIT_TIMEOUT)
    finally:
        api.close(process)


def has_own_window() -> bool:
    """True if this process writes to a window that was opened for it, as by a double-click, and that closes with it.

    Other processes in such a window are those that started Python, such as the kr.exe that pip makes; never a shell.
    """
    if not (os.isatty(0) and os.isatty(1)):
        return False
    pids = (api.DWORD * 8)()
    count = api.window_processes(pids, len(pids))
    # the Python of a virtual environment starts the one that it was made from
    pythons = (sys.executable, getattr(sys, "_base_executable", ""))
    own = {"kr.exe", "kr-draughts.exe", "py.exe", *(os.path.basename(path).lower() for path in pythons)}
    return 0 < count <= len(pids) and all(_program(pid) in own for pid in pids[:count])


def _program(pid: int) -> str:
    """Name of the program that a process runs, in small letters; empty if that can't be known."""
    process = api.open_process(api.QUERY_PROCESS, False, pid)
    if not process:
        return ""
    name, size = ctypes.create_unicode_buffer(1 << 15), api.DWORD(1 << 15)
    has_name = api.program_path(process, 0, name, byref(size))
    api.close(process)
    return os.path.basename(name.value).lower() if has_name else ""


def holds(pid: int, path: str | os.PathLike[str]) -> bool:
    """True if a process, whichever it is, has locked a file by `lock_file`, which waits while this is asked.

    Raises OSError for no file.
    """
    descriptor = open_to_read(path)
    try:
        is_free = _lock(descriptor, 0, _LOCK_PLACE, 1)
        if is_free:
            _unlock(descriptor, _LOCK_PLACE, 1)
        return not is_free
    finally:
        os.close(descriptor)


_jobs: WeakKeyDictionary[subprocess.Popen[Any], int] = WeakKeyDictionary()
"""The job objects of programs: all that they have started belongs to them."""


def windows_program(words: Sequence[str]) -> list[str]:
    """The command of a program for Windows: as it is."""
    return [*words]


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables for a program: those of kr, and these. Names are alike in capitals and small letters."""
    return {**os.environ, **{name.upper(): value for name, value in variables.items()}}


def start_group(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a program that Ctrl-C does not reach, and that ends with this process.

    options: as for Popen. Raises OSError and ValueError.
    """
    flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    process = subprocess.Popen(command, creationflags=flags, **options)
    job = api.create_job(None, None)
    if job:
        limits = api.JobLimits(flags=api.KILL_ON_CLOSE)
        api.limit_job(job, api.JOB_LIMITS, byref(limits), ctypes.sizeof(limits))
        # what it starts before this line is not in the job; programs take longer than that to start something
        api.add_to_job(job, int(process._handle))  # type: ignore[attr-defined]
        _jobs[process] = job
    return process


def end_group(process: subprocess.Popen[Any]) -> None:
    """Kill a program of `start_group` and all that it has started, which may outlive it."""
    if job := _jobs.pop(process, None):
        api.end_job(job, 1)
        api.close(job)
    process.kill()
    process.wait()


def processor_seconds(process: subprocess.Popen[Any]) -> float | None:
    """Seconds of processor time of a program of `start_group` and all that it has started; None if unknown, as under
    wine, and at first, since the system counts in ticks of 16 ms."""
    times = api.JobTimes()
    job = _jobs.get(process)
    if not job or not api.ask_job(job, api.JOB_TIMES, byref(times), ctypes.sizeof(times), None):
        return None
    return (times.user + times.kernel) * 1e-7 or None


_end = c_void_p()
"""The timer of `end_after`."""


def end_after(seconds: float) -> None:
    """End this process in a while, even if it hangs in C by then; the next call sets another time.

    Not by exit, which tells libraries so, and these may wait for what the threads held that it has ended.
    """
    milliseconds = int(1000 * seconds)
    if _end:
        api.change_timer(None, _end, milliseconds, 0)
    else:
        # TerminateProcess(this process, true)
        end = ctypes.cast(api.kernel.TerminateProcess, c_void_p)
        api.create_timer(byref(_end), None, end, api.this_process(), milliseconds, 0, api.IN_TIMER_THREAD)


def ended_how(status: int) -> str:
    """An exit status in words."""
    code = status & 0xFFFFFFFF
    return f"exception 0x{code:08X}" if code >= 0xC0000000 else f"exit status {status}"


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """Have processes that are started meanwhile ignore Ctrl-C, as this one does meanwhile."""
    api.handle_ctrl_c(None, True)
    try:
        yield
    finally:
        api.handle_ctrl_c(None, False)


def _in_thread(read: Callable[[], T], seconds: float) -> T:
    """What `read()` gives in a thread of its own. Raises TimeoutError."""
    answers: list[T | BaseException] = []

    def answer() -> None:
        try:
            answers.append(read())
        except BaseException as failure:
            answers.append(failure)

    reader = threading.Thread(target=answer, name="reader", daemon=True)
    reader.start()
    until = time.monotonic() + seconds
    while not answers:
        if (seconds := until - time.monotonic()) <= 0:
            raise TimeoutError
        # in slices, between which Ctrl-C has its turn
        reader.join(min(seconds, 0.2))
    if isinstance(answers[0], BaseException):
        raise answers[0]
    return answers[0]


def read_pipe(read: Callable[[], T]) -> T:
    """What `read()` gives, which waits for a pipe; Ctrl-C ends the wait, but nothing ends the read itself."""
    if threading.current_thread() is not threading.main_thread():
        return read()
    return _in_thread(read, math.inf)


def within(seconds: float | None, read: Callable[[], T], error: type[Exception]) -> T:
    """What `read()` gives, or an error after so many seconds; then what comes later is lost."""
    if seconds is None:
        return read()
    try:
        return _in_thread(read, seconds)
    except TimeoutError:
        raise error from None


# processor and memory


def core_count() -> int:
    """Cores that this process may use, as far as the system says; at least one."""
    # os.process_cpu_count is new in Python 3.13
    return getattr(os, "process_cpu_count", os.cpu_count)() or 1


def lower_priority(niceness: int) -> None:
    """Lower the priority of the calling thread below that of its process."""
    for least, priority in _PRIORITIES:
        if niceness >= least:
            api.set_priority(api.this_thread(), priority)
            return


def thread_seconds() -> float:
    """Seconds, to be compared with later ones: the system counts processor time only in ticks of 16 ms."""
    return time.perf_counter()


def free_memory() -> int:
    """Bytes of memory available to programs."""
    status = api.MemoryStatus(length=ctypes.sizeof(api.MemoryStatus))
    if not api.memory_status(byref(status)):
        raise api.failure()
    return int(status.available)


def forget_memory_peak() -> None:
    """Nothing: the system keeps the peak of the whole run."""


def memory_peak() -> int:
    """Most bytes of memory that this process had."""
    return int(_memory_of_this_process().peak)


def resident_memory() -> int:
    """Bytes of memory that this process holds, mapped files included."""
    return int(_memory_of_this_process().present)


def _memory_of_this_process() -> api.MemoryCounters:
    counters = api.MemoryCounters(length=ctypes.sizeof(api.MemoryCounters))
    if not api.memory_counters(api.this_process(), byref(counters), counters.length):
        raise api.failure()
    return counters


def give_back_freed() -> None:
    """Nothing: the system's own allocator does so."""


def drop_pages(mapped: mmap.mmap) -> None:
    """Nothing: the system itself takes pages of mapped files out of a process."""
