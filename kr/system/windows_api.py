"""The calls of Windows that Python has no function for: their structures, constants and declarations."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from ctypes import c_int64, c_size_t, c_uint64, c_void_p, wintypes
from typing import Any

# for type checkers, which skip the rest elsewhere
assert sys.platform == "win32"

kernel = ctypes.WinDLL("kernel32", use_last_error=True)

GENERIC_READ = 0x80000000
SHARE_ALL = 7
OPEN_EXISTING = 3
NO_HANDLE = c_void_p(-1).value
LOCK_NOW, LOCK_EXCLUSIVE = 1, 2
QUERY_PROCESS, SYNCHRONIZE = 0x1000, 0x100000
WAIT_TIMEOUT = 258
LOCK_VIOLATION, INVALID_PARAMETER = 33, 87
END_OF_FILE = 38
JOB_TIMES, JOB_LIMITS, KILL_ON_CLOSE = 1, 9, 0x2000
IN_TIMER_THREAD = 0x20


class Overlapped(ctypes.Structure):
    """The place in a file that a call is about."""

    _fields_ = (
        ("internal", c_size_t),
        ("internal_high", c_size_t),
        ("offset", wintypes.DWORD),
        ("offset_high", wintypes.DWORD),
        ("event", wintypes.HANDLE),
    )

    @classmethod
    def at(cls, offset: int) -> Overlapped:
        """That of an offset."""
        return cls(0, 0, offset & 0xFFFFFFFF, offset >> 32, None)


class MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX."""

    _fields_ = (
        ("length", wintypes.DWORD),
        ("load", wintypes.DWORD),
        ("total", c_uint64),
        ("available", c_uint64),
        ("rest", c_uint64 * 5),
    )


class MemoryCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS."""

    _fields_ = (
        ("length", wintypes.DWORD),
        ("faults", wintypes.DWORD),
        ("peak", c_size_t),
        ("present", c_size_t),
        ("rest", c_size_t * 7),
    )


class JobTimes(ctypes.Structure):
    """JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, of which only the times are used, in units of 100 ns."""

    _fields_ = (
        ("user", c_int64),
        ("kernel", c_int64),
        ("period", c_int64 * 2),
        ("counters", wintypes.DWORD * 4),
    )


class JobLimits(ctypes.Structure):
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
    function = getattr(kernel, name)
    function.restype, function.argtypes = result, arguments
    return function


HANDLE, DWORD, BOOL = wintypes.HANDLE, wintypes.DWORD, wintypes.BOOL
create_file = _function("CreateFileW", HANDLE, wintypes.LPCWSTR, DWORD, DWORD, c_void_p, DWORD, DWORD, HANDLE)
read_file = _function("ReadFile", BOOL, HANDLE, c_void_p, DWORD, c_void_p, c_void_p)
lock_range = _function("LockFileEx", BOOL, HANDLE, DWORD, DWORD, DWORD, DWORD, c_void_p)
unlock_range = _function("UnlockFileEx", BOOL, HANDLE, DWORD, DWORD, DWORD, c_void_p)
open_process = _function("OpenProcess", HANDLE, DWORD, BOOL, DWORD)
wait = _function("WaitForSingleObject", DWORD, HANDLE, DWORD)
close = _function("CloseHandle", BOOL, HANDLE)
this_thread = _function("GetCurrentThread", HANDLE)
this_process = _function("GetCurrentProcess", HANDLE)
set_priority = _function("SetThreadPriority", BOOL, HANDLE, ctypes.c_int)
memory_status = _function("GlobalMemoryStatusEx", BOOL, c_void_p)
memory_counters = _function("K32GetProcessMemoryInfo", BOOL, HANDLE, c_void_p, DWORD)
create_job = _function("CreateJobObjectW", HANDLE, c_void_p, wintypes.LPCWSTR)
limit_job = _function("SetInformationJobObject", BOOL, HANDLE, ctypes.c_int, c_void_p, DWORD)
ask_job = _function("QueryInformationJobObject", BOOL, HANDLE, ctypes.c_int, c_void_p, DWORD, c_void_p)
add_to_job = _function("AssignProcessToJobObject", BOOL, HANDLE, HANDLE)
end_job = _function("TerminateJobObject", BOOL, HANDLE, wintypes.UINT)
program_path = _function("QueryFullProcessImageNameW", BOOL, HANDLE, DWORD, wintypes.LPWSTR, c_void_p)
window_processes = _function("GetConsoleProcessList", DWORD, c_void_p, DWORD)
create_timer = _function(
    "CreateTimerQueueTimer", BOOL, c_void_p, HANDLE, c_void_p, c_void_p, DWORD, DWORD, wintypes.ULONG
)
change_timer = _function("ChangeTimerQueueTimer", BOOL, HANDLE, HANDLE, wintypes.ULONG, wintypes.ULONG)
handle_ctrl_c = _function("SetConsoleCtrlHandler", BOOL, c_void_p, BOOL)


def failure(path: str | None = None) -> OSError:
    """The error of the last call that failed."""
    number = ctypes.get_last_error()
    return OSError(0, ctypes.FormatError(number).strip(), path, number)
