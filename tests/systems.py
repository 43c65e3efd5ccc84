"""What tests ask of the system in a way that depends on it."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kr import system

POSIX = os.name == "posix"
KILLED = -9 if POSIX else 9
"""Exit status of a process that os.kill(pid, 9) has ended: SIGKILL has that number, and Windows takes any."""
DEVICE = "/dev/full" if POSIX else "NUL"
"""A device, to which nothing is to be written."""
INTERRUPTED = -signal.SIGINT if POSIX else 0xC000013A
"""Exit status of a Python that Ctrl-C has ended."""

NO_FILE = "No such file|[Ff]ile not found|[Pp]ath not found|cannot find the (file|path)"
"""A missing file or folder in a system's words."""
CRASH = signal.SIGSEGV if POSIX else 0xC0000005 - (1 << 32)
"""Number that ends a process by os.kill as if it had used memory that it hasn't."""
CRASHED = r"signal 11 \(Segmentation fault\)" if POSIX else "exception 0xC0000005"
"""How kr tells such an end."""
PLAIN = {"PYTHONPATH": str(Path(__file__).parent), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Environment of a pytest that has no plugins but those that it names."""
RUNS_JAX = pytest.mark.wine("JAX corrupts its memory")
"""Mark of tests that compute by JAX, without kr no less: wine ends with a page fault in its heap, now and then."""


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a program for `interrupt`; options: as for Popen."""
    # with a console of its own: Ctrl-C comes to all programs of one
    return subprocess.Popen(command, creationflags=0 if POSIX else subprocess.CREATE_NO_WINDOW, **options)


PRESS_CTRL_C = """
import ctypes, sys
kernel = ctypes.WinDLL("kernel32")
kernel.FreeConsole()
kernel.SetConsoleCtrlHandler(None, True)
sys.exit(not (kernel.AttachConsole(int(sys.argv[1])) and kernel.GenerateConsoleCtrlEvent(0, 0)))
"""


def interrupt(process: subprocess.Popen[Any]) -> None:
    """Press Ctrl-C for a program of `start`."""
    if POSIX:
        process.send_signal(signal.SIGINT)
    else:
        subprocess.run([sys.executable, "-c", PRESS_CTRL_C, str(process.pid)], check=True)


def make_fifo(path: Path) -> None:
    """Make a FIFO; the test is skipped where there are none."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("not at Windows: no FIFOs")
    os.mkfifo(path)


def is_alive(pid: int) -> bool:
    """True if a process runs. A child that nobody has waited for is dead all the same."""
    if not system.is_alive(pid):
        return False
    status = Path(f"/proc/{pid}/stat")
    return not POSIX or status.read_text().rpartition(")")[2].split()[0] != "Z"
