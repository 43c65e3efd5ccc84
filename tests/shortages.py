"""Shortages: a system whose threads or disk space run out, by public means."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

STACK = 2 << 30
"""Bytes of address space for a thread's stack, far beyond what anything else asks for."""


@contextmanager
def threads_left(count: int) -> Iterator[None]:
    """A context in which the system can run this many more threads at a time and refuses others.

    Threads get stacks so large that the address space left to the process holds no more of them. This also holds for
    threads that compiled code starts, which no patched `Thread.start` would see. Not at
    Windows, which has no setrlimit; the test is skipped where limits are taken and not held to, as in qemu.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    _let_stacks_go()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    earlier = threading.stack_size(STACK)
    # the rest of a stack is for everything else
    limit = pages * resource.getpagesize() + count * STACK + STACK * 9 // 10
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        if resource.getrlimit(resource.RLIMIT_AS)[0] != limit:
            pytest.skip("this system holds no process to a limit of address space")
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        threading.stack_size(earlier)


def _let_stacks_go() -> None:
    """Make the C library unmap the large stacks of threads that have ended, which it would give to the next ones.

    It keeps a few megabytes of them, and lets go what is beyond that when a thread ends, but for stacks of threads that
    the system has not quite ended yet: hence several rounds.
    """
    for _ in range(5):
        running = len(os.listdir("/proc/self/task"))
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        until = time.monotonic() + 1.0
        while len(os.listdir("/proc/self/task")) > running and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(0.001)


def leave_on_disk(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    """Make every disk look as if it had this many bytes left."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(total=10**9, used=10**9 - free, free=free))
