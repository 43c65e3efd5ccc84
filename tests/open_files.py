"""Refuses what Windows forbids: kr may not remove or rename a file that it has open, nor a directory with one in it.

Files that `kr.system.open_to_read` opened can be removed there too; on Linux they are known by a flag that others lack.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import kr

PACKAGE = str(Path(kr.__file__).parent) + os.sep
TESTS = str(Path(__file__).parent) + os.sep
DESCRIPTORS = Path("/proc/self/fd")
OWN = ("remove_held",)
"""Functions that are different on each system."""


def watch_open_files() -> None:
    """Refuse it in this process from now on, where its open files can be listed."""
    if sys.platform == "linux":
        sys.addaudithook(_look)


def _look(event: str, values: tuple) -> None:
    if event in ("os.remove", "os.rmdir"):
        _check(*values)
    elif event == "os.rename":
        source, target, source_directory, target_directory = values
        _check(source, source_directory)
        _check(target, target_directory)


def _check(name: str | bytes | os.PathLike, directory: int) -> None:
    if not _is_of_kr(sys._getframe(2)):
        return
    folder = os.readlink(DESCRIPTORS / str(directory)) if directory >= 0 else ""
    path = os.path.abspath(os.path.join(folder, os.fsdecode(name)))
    path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    for opened in _open_paths():
        if opened == path or opened.startswith(path + os.sep):
            raise PermissionError(13, f"{os.path.basename(opened)} is open in this process", path)


def _is_of_kr(frame: FrameType | None) -> bool:
    """True if kr does it, by the standard library too, and not a test or another package that kr imports or calls."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith((PACKAGE, TESTS)):
            return file.startswith(PACKAGE) and frame.f_code.co_name not in OWN
        if "site-packages" in file:
            return False
        frame = frame.f_back
    return False


def _open_paths() -> Iterator[str]:
    import fcntl

    for number in os.listdir(DESCRIPTORS):
        try:
            path = os.readlink(DESCRIPTORS / number)
            held = not fcntl.fcntl(int(number), fcntl.F_GETFL) & os.O_NONBLOCK
            if held and path.startswith("/") and not os.path.isdir(path):
                yield path
        except OSError:
            # closed meanwhile, by another thread or as the list's own
            continue
