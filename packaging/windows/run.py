"""Runs the Windows Python under wine: python packaging/windows/run.py [--checkout] [ARGUMENTS OF PYTHON]

The streams and the exit status are those of the Windows Python. What it leaves running is killed when it ends. The kr
that it imports is the installed wheel; with --checkout, that of this checkout, whose units `build.py --inplace` makes.
"""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

from layout import PYTHON, ROOT, wine_environment

SERVER_SECONDS = 60
"""How long wine's server waits for the next command: a start of it takes a second."""
PR_SET_CHILD_SUBREAPER = 36


def windows_path(path: Path) -> str:
    """A path of this system as Windows programs name it under wine."""
    return "Z:" + str(path.resolve()).replace("/", "\\")


def environment(checkout: bool) -> dict[str, str]:
    """The environment of the Windows Python."""
    own = wine_environment() | {"PYTHONSAFEPATH": "1"}
    if checkout:
        own["PYTHONPATH"] = windows_path(ROOT)
    return own


def feed(source: int, target: int) -> None:
    """Copy one stream into another until either ends, and close the target."""
    with contextlib.suppress(OSError), open(target, "wb", buffering=0) as sink:
        while block := os.read(source, 1 << 16):
            sink.write(block)


def drain(source: int, target: int, ended: threading.Event) -> None:
    """Copy one stream into another until it ends, or has nothing more once its program has ended: wine's services hold
    on to the streams of the program that they were started for."""
    while True:
        last = ended.is_set()
        if select.select([source], [], [], 0 if last else 0.05)[0]:
            block = os.read(source, 1 << 16)
            if not block:
                return
            while block:
                block = block[os.write(target, block) :]
        elif last:
            return


def children(pid: int) -> list[int]:
    """Processes that a process has started, or that their parents left to it."""
    pids = []
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            pids += [int(word) for word in tasks.read_text().split()]
    return pids


def left_behind() -> list[int]:
    """Windows programs that have outlived the one that was run, but for those of wine itself, which all share."""
    found, pids = [], children(os.getpid())
    for pid in pids:
        pids += children(pid)
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().lower()
            if b"wineserver" not in command and not command.startswith(rb"c:\windows\system32"):
                found.append(pid)
    return found


def run(words: list[str], checkout: bool) -> int:
    """Run the Windows Python; its exit status."""
    own = environment(checkout)
    # before this process becomes the one that orphans are left to
    subprocess.run(["wineserver", f"-p{SERVER_SECONDS}"], env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # wine wants three pipes: it hangs or drops output on files and terminals that are no display's
    process = subprocess.Popen(
        ["wine", str(PYTHON / "python.exe"), *words],
        env=own,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    threading.Thread(target=feed, args=(0, os.dup(process.stdin.fileno())), daemon=True).start()
    process.stdin.close()
    ended = threading.Event()
    outputs = [
        threading.Thread(target=drain, args=(stream.fileno(), number, ended))
        for stream, number in ((process.stdout, 1), (process.stderr, 2))
    ]
    for output in outputs:
        output.start()
    try:
        return process.wait()
    finally:
        for pid in left_behind():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        ended.set()
        for output in outputs:
            output.join()


def main() -> None:
    words = sys.argv[1:]
    checkout = words[:1] == ["--checkout"]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(run(words[checkout:], checkout))


if __name__ == "__main__":
    main()
