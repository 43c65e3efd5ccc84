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
from ctypes import byref, c_int64, c_size_t, c_uint64, c_void_p, wintypes
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

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

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)

_GENERIC_READ = 0x80000000
_SHARE_ALL = 7
_OPEN_EXISTING = 3
_NO_HANDLE = c_void_p(-1).value
_LOCK_NOW, _LOCK_EXCLUSIVE = 1, 2
_LOCK_PLACE = 1 << 62
"""Locks forbid reading what they cover, so they lie beyond the end of any file."""
_QUERY_PROCESS, _SYNCHRONIZE = 0x1000, 0x100000
_WAIT_TIMEOUT = 258
_SHARING_VIOLATION, _LOCK_VIOLATION, _INVALID_PARAMETER = 32, 33, 87
_END_OF_FILE = 38
_JOB_LIMITS, _KILL_ON_CLOSE = 9, 0x2000
_IN_TIMER_THREAD = 0x20
_PRIORITIES = ((15, -2), (5, -1))
"""Niceness from which on a thread has a priority: lowest, below normal."""


class _Overlapped(ctypes.Structure):
    _fields_ = (
        ("internal", c_size_t),
        ("internal_high", c_size_t),
        ("offset", wintypes.DWORD),
        ("offset_high", wintypes.DWORD),
        ("event", wintypes.HANDLE),
    )

    @classmethod
    def at(cls, offset: int) -> _Overlapped:
        return cls(0, 0, offset & 0xFFFFFFFF, offset >> 32, None)


class _MemoryStatus(ctypes.Structure):
    _fields_ = (
        ("length", wintypes.DWORD),
        ("load", wintypes.DWORD),
        ("total", c_uint64),
        ("available", c_uint64),
        ("rest", c_uint64 * 5),
    )


class _MemoryCounters(ctypes.Structure):
    _fields_ = (
        ("length", wintypes.DWORD),
        ("faults", wintypes.DWORD),
        ("peak", c_size_t),
        ("present", c_size_t),
        ("rest", c_size_t * 7),
    )


class _JobLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION, of which only the flags are used."""

    _fields_ = (
        ("times", c_int64 * 2),
        ("flags", wintypes.DWORD),
        ("sizes", c_size_t * 2),
        ("processes", wintypes.DWORD),
        ("affinity", c_size_t),
        ("classes", wintypes.DWORD * 2),
        ("counters", c_uint64 * 6),
        ("memory", c_size_t * 4),
    )


def _function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    function = getattr(_kernel, name)
    function.restype, function.argtypes = result, arguments
    return function


_HANDLE, _DWORD, _BOOL = wintypes.HANDLE, wintypes.DWORD, wintypes.BOOL
_create_file = _function("CreateFileW", _HANDLE, wintypes.LPCWSTR, _DWORD, _DWORD, c_void_p, _DWORD, _DWORD, _HANDLE)
_read_file = _function("ReadFile", _BOOL, _HANDLE, c_void_p, _DWORD, c_void_p, c_void_p)
_lock_range = _function("LockFileEx", _BOOL, _HANDLE, _DWORD, _DWORD, _DWORD, _DWORD, c_void_p)
_unlock_range = _function("UnlockFileEx", _BOOL, _HANDLE, _DWORD, _DWORD, _DWORD, c_void_p)
_open_process = _function("OpenProcess", _HANDLE, _DWORD, _BOOL, _DWORD)
_wait = _function("WaitForSingleObject", _DWORD, _HANDLE, _DWORD)
_close = _function("CloseHandle", _BOOL, _HANDLE)
_this_thread = _function("GetCurrentThread", _HANDLE)
_this_process = _function("GetCurrentProcess", _HANDLE)
_set_priority = _function("SetThreadPriority", _BOOL, _HANDLE, ctypes.c_int)
_memory_status = _function("GlobalMemoryStatusEx", _BOOL, c_void_p)
_memory_counters = _function("K32GetProcessMemoryInfo", _BOOL, _HANDLE, c_void_p, _DWORD)
_create_job = _function("CreateJobObjectW", _HANDLE, c_void_p, wintypes.LPCWSTR)
_limit_job = _function("SetInformationJobObject", _BOOL, _HANDLE, ctypes.c_int, c_void_p, _DWORD)
_add_to_job = _function("AssignProcessToJobObject", _BOOL, _HANDLE, _HANDLE)
_end_job = _function("TerminateJobObject", _BOOL, _HANDLE, wintypes.UINT)
_program_path = _function("QueryFullProcessImageNameW", _BOOL, _HANDLE, _DWORD, wintypes.LPWSTR, c_void_p)
_window_processes = _function("GetConsoleProcessList", _DWORD, c_void_p, _DWORD)
_create_timer = _function(
    "CreateTimerQueueTimer", _BOOL, c_void_p, _HANDLE, c_void_p, c_void_p, _DWORD, _DWORD, wintypes.ULONG
)
_change_timer = _function("ChangeTimerQueueTimer", _BOOL, _HANDLE, _HANDLE, wintypes.ULONG, wintypes.ULONG)
_handle_ctrl_c = _function("SetConsoleCtrlHandler", _BOOL, c_void_p, _BOOL)


def _failure(path: str | None = None) -> OSError:
    number = ctypes.get_last_error()
    return OSError(0, ctypes.FormatError(number).strip(), path, number)


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
    handle = _create_file(name, _GENERIC_READ, _SHARE_ALL, None, _OPEN_EXISTING, 0, None)
    if handle == _NO_HANDLE:
        raise _failure(name)
    try:
        return msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT)
    except BaseException:
        _close(handle)
        raise


def read_at(descriptor: int, size: int, offset: int) -> bytes:
    """At most `size` bytes at an offset of a file; several threads may read at once. Raises OSError."""
    buffer, read = ctypes.create_string_buffer(size), _DWORD()
    place = _Overlapped.at(offset)
    if not _read_file(msvcrt.get_osfhandle(descriptor), buffer, size, byref(read), byref(place)):
        if ctypes.get_last_error() == _END_OF_FILE:
            return b""
        raise _failure()
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
    place = _Overlapped.at(offset)
    handle = msvcrt.get_osfhandle(descriptor)
    if _lock_range(handle, flags | _LOCK_NOW, 0, size & 0xFFFFFFFF, size >> 32, byref(place)):
        return True
    if ctypes.get_last_error() == _LOCK_VIOLATION:
        return False
    raise _failure()


def _unlock(descriptor: int, offset: int, size: int) -> None:
    place = _Overlapped.at(offset)
    _unlock_range(msvcrt.get_osfhandle(descriptor), 0, size & 0xFFFFFFFF, size >> 32, byref(place))


def lock_file(descriptor: int) -> bool:
    """Lock an open file until it is closed; False if another opening of it is locked. Raises OSError."""
    for pause in (*LOCK_PAUSES, 0.0):
        if _lock(descriptor, _LOCK_EXCLUSIVE, _LOCK_PLACE, 1):
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
    process = _open_process(_SYNCHRONIZE, False, pid)
    if not process:
        # of another user, or nobody's
        return ctypes.get_last_error() != _INVALID_PARAMETER
    try:
        return bool(_wait(process, 0) == _WAIT_TIMEOUT)
    finally:
        _close(process)


def has_own_window() -> bool:
    """True if this process writes to a window that was opened for it, as by a double-click, and that closes with it.

    Other processes in such a window are those that started Python, such as the kr.exe that pip makes; never a shell.
    """
    if not (os.isatty(0) and os.isatty(1)):
        return False
    pids = (_DWORD * 8)()
    count = _window_processes(pids, len(pids))
    # the Python of a virtual environment starts the one that it was made from
    pythons = (sys.executable, getattr(sys, "_base_executable", ""))
    own = {"kr.exe", "kr-draughts.exe", "py.exe", *(os.path.basename(path).lower() for path in pythons)}
    return 0 < count <= len(pids) and all(_program(pid) in own for pid in pids[:count])


def _program(pid: int) -> str:
    """Name of the program that a process runs, in small letters; empty if that can't be known."""
    process = _open_process(_QUERY_PROCESS, False, pid)
    if not process:
        return ""
    name, size = ctypes.create_unicode_buffer(1 << 15), _DWORD(1 << 15)
    has_name = _program_path(process, 0, name, byref(size))
    _close(process)
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


def start_group(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a program that Ctrl-C does not reach, and that ends with this process.

    options: as for Popen. Raises OSError and ValueError.
    """
    flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    process = subprocess.Popen(command, creationflags=flags, **options)
    job = _create_job(None, None)
    if job:
        limits = _JobLimits(flags=_KILL_ON_CLOSE)
        _limit_job(job, _JOB_LIMITS, byref(limits), ctypes.sizeof(limits))
        # what it starts before this line is not in the job; programs take longer than that to start something
        _add_to_job(job, int(process._handle))  # type: ignore[attr-defined]
        _jobs[process] = job
    return process


def end_group(process: subprocess.Popen[Any]) -> None:
    """Kill a program of `start_group` and all that it has started, which may outlive it."""
    if job := _jobs.pop(process, None):
        _end_job(job, 1)
        _close(job)
    process.kill()
    process.wait()


_end = c_void_p()
"""The timer of `end_after`."""


def end_after(seconds: float) -> None:
    """End this process in a while, even if it hangs in C by then; the next call sets another time.

    Not by exit, which tells libraries so, and these may wait for what the threads held that it has ended.
    """
    milliseconds = int(1000 * seconds)
    if _end:
        _change_timer(None, _end, milliseconds, 0)
    else:
        # TerminateProcess(this process, true)
        end = ctypes.cast(_kernel.TerminateProcess, c_void_p)
        _create_timer(byref(_end), None, end, _this_process(), milliseconds, 0, _IN_TIMER_THREAD)


def ended_how(status: int) -> str:
    """An exit status in words."""
    code = status & 0xFFFFFFFF
    return f"exception 0x{code:08X}" if code >= 0xC0000000 else f"exit status {status}"


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """Have processes that are started meanwhile ignore Ctrl-C, as this one does meanwhile."""
    _handle_ctrl_c(None, True)
    try:
        yield
    finally:
        _handle_ctrl_c(None, False)


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
            _set_priority(_this_thread(), priority)
            return


def thread_seconds() -> float:
    """Seconds, to be compared with later ones: the system counts processor time only in ticks of 16 ms."""
    return time.perf_counter()


def free_memory() -> int:
    """Bytes of memory available to programs."""
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    if not _memory_status(byref(status)):
        raise _failure()
    return int(status.available)


def forget_memory_peak() -> None:
    """Nothing: the system keeps the peak of the whole run."""


def memory_peak() -> int:
    """Most bytes of memory that this process had."""
    return int(_memory_of_this_process().peak)


def resident_memory() -> int:
    """Bytes of memory that this process holds, mapped files included."""
    return int(_memory_of_this_process().present)


def _memory_of_this_process() -> _MemoryCounters:
    counters = _MemoryCounters(length=ctypes.sizeof(_MemoryCounters))
    if not _memory_counters(_this_process(), byref(counters), counters.length):
        raise _failure()
    return counters


def drop_pages(mapped: mmap.mmap) -> None:
    """Nothing: the system itself takes pages of mapped files out of a process."""
