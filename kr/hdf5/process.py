"""HDF5 in a process of its own: a file that hangs or crashes the library ends that process, never this one.

The process starts with the first file that needs it, serves all threads of this one, and ends when it has had nothing
to do for a while. It reads as `kr.hdf5.library` does. A watchdog in it, which needs nothing of the interpreter, ends it
when a request takes too long; a file that has ended it once is refused from then on.

A request is a line of JSON; the content of a file follows the one that opens it. The answer is REQUEST_TAKEN, a line
of JSON, and the bytes of an array if the line has its type and shape.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from itertools import count
from typing import TYPE_CHECKING, Any

from kr.errors import KrError
from kr.hdf5.library import LibrarySource, library_file
from kr.hdf5.source import Chunks, Hdf5Source
from kr.storage import open_regular
from kr.system import end_after, path_of_open, read_pipe, start_group

if TYPE_CHECKING:
    from numpy.typing import NDArray

READ_SECONDS = 10.0
"""Time of a request, and a second more for each BYTES_A_SECOND of the file, but no more than LONGEST_READ."""
BYTES_A_SECOND = 4 << 20
BYTES_A_SECOND_IN_PLACE = 256 << 20
"""The rate for a file whose rows are not read there."""
LONGEST_READ = 600.0
READER_IDLE_SECONDS = 20.0
"""Seconds without a request after which the process ends."""
REQUEST_TAKEN = b"+"
MOST_REFUSED = 1000
"""Files that are remembered for having ended a process."""

_START = "import sys; sys.path[:] = {path!r}; from kr.hdf5.process import serve; serve()"


@contextmanager
def opened_apart(
    content: bytes, key: object, error: type[KrError], damaged: str, unread: Collection[str] = ()
) -> Iterator[DistantSource]:
    """Open the content of a file in the other process. key: the same for the same content alone; the rest as for
    `library.library_file`."""
    limit = READ_SECONDS + len(content) / BYTES_A_SECOND
    file = _DistantFile({"unread": list(unread)}, content, key, limit)
    try:
        yield DistantSource(file, (), error, damaged)
    finally:
        file.close()


@contextmanager
def opened_in_place_apart(
    path: str, file: FileIO, error: type[KrError], damaged: str, unread: Collection[str] = ()
) -> Iterator[DistantSource]:
    """Open a file in the other process, which opens it by its path. file: the same one, open here."""
    status = os.fstat(file.fileno())
    key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    limit = min(READ_SECONDS + status.st_size / BYTES_A_SECOND_IN_PLACE, LONGEST_READ)
    place = {"path": os.path.abspath(path), "file": [status.st_dev, status.st_ino], "unread": list(unread)}
    there = _DistantFile(place, b"", key, limit)
    try:
        yield DistantSource(there, (), error, damaged)
    finally:
        there.close()


class DistantSource(Hdf5Source):
    """An open file or a group in it, read by the other process."""

    def __init__(self, file: _DistantFile, group: tuple[str, ...], error: type[KrError], damaged: str) -> None:
        super().__init__(error, damaged)
        self._file = file
        self._group = group
        self.attributes = self._ask("attributes")[0]["attributes"]

    def read(self, name: str, dtype: str, shape: Sequence[int | None]) -> NDArray[Any]:
        array: NDArray[Any] = self._ask("array", name=name, dtype=dtype, shape=list(shape))[1]
        return array

    def group(self, name: str) -> DistantSource:
        return DistantSource(self._file, (*self._group, name), self._error, self._damaged)

    def has(self, name: str) -> bool:
        return bool(self._ask("has", name=name)[0]["has"])

    def places(self, name: str, dtype: str, shape: Sequence[int | None]) -> Chunks:
        answer, places = self._ask("places", name=name, dtype=dtype, shape=list(shape))
        return Chunks(tuple(answer["whole"]), answer["rows"], answer["packed"], places, answer["attributes"])

    def _ask(self, what: str, **details: Any) -> tuple[dict[str, Any], Any]:
        try:
            return self._file.ask(what, group=self._group, **details)
        except _RefusedError as refused:
            raise self.refusal(str(refused)) from refused.__cause__


class _RefusedError(Exception):
    """A file that can't be read, with the reason."""


class _DistantFile:
    """A file that is open in the other process, which may have been restarted."""

    def __init__(self, place: Mapping[str, Any], content: bytes, key: object, limit: float) -> None:
        """place: arguments to open it; limit: of each request, in seconds."""
        self._place = place
        self._content = content
        self._key = key
        self._limit = limit
        self._number = next(_numbers)
        self._process: _Process | None = None

    def ask(self, what: str, **details: Any) -> tuple[dict[str, Any], Any]:
        """The answer to a request, and the array with it. Raises _RefusedError."""
        with _lock:
            if self._key in _refused:
                raise _RefusedError(_refused[self._key])
            # an idle process may end just when it gets a request
            for _ in range(3):
                process = _running()
                try:
                    if self._process is not process:
                        _checked(process.ask(self._request("open", self._place), self._content))
                        self._process = process
                    return _checked(process.ask(self._request(what, details)))
                except _LostError as lost:
                    if lost.accepted:
                        _remember(self._key, str(lost))
                        raise _RefusedError(str(lost)) from None
            raise _RefusedError("the process that should read it ends at once")

    def close(self) -> None:
        """Forget the file there."""
        with _lock, suppress(_LostError):
            if self._process is not None and self._process is _process:
                self._process.ask(self._request("close", {}))
            self._process = None

    def _request(self, what: str, details: Mapping[str, Any]) -> dict[str, Any]:
        return {"what": what, "number": self._number, "limit": self._limit, **details}


def _checked(answer: tuple[dict[str, Any], Any]) -> tuple[dict[str, Any], Any]:
    if "refused" in answer[0]:
        raise _RefusedError(answer[0]["refused"])
    return answer


class _LostError(Exception):
    """The other process has ended, in the way `how`. accepted: True if it had accepted the request."""

    def __init__(self, how: str, accepted: bool) -> None:
        super().__init__(how)
        self.accepted = accepted


class _Process:
    """The process that reads, and the pipes to it."""

    def __init__(self) -> None:
        path = [os.path.abspath(each) for each in sys.path]
        # Ctrl-C is for the process that asks
        self._process = start_group(
            [sys.executable, "-c", _START.format(path=path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        self._requests: Any = self._process.stdin
        self._answers: Any = self._process.stdout

    def ask(self, request: Mapping[str, Any], content: bytes = b"") -> tuple[dict[str, Any], Any]:
        """Answer and array. Raises _LostError."""
        self._accepted = False
        began = time.monotonic()
        try:
            with suppress(OSError):
                if answer := read_pipe(lambda: self._answer(request, content)):
                    return answer
        except BaseException:
            # the rest of the answer would count as the next one
            self.end()
            raise
        self.end()
        in_time = time.monotonic() - began < request["limit"]
        ended = "crashes when it reads it" if in_time else f"does not finish reading it in {request['limit']:.0f} s"
        raise _LostError(f"HDF5 {ended}", self._accepted)

    def _answer(self, request: Mapping[str, Any], content: bytes) -> tuple[dict[str, Any], Any] | None:
        """Answer and array, None if the process ends instead. Raises OSError for the same reason."""
        self._requests.write(json.dumps({**request, "content": len(content)}).encode() + b"\n")
        self._requests.write(content)
        self._requests.flush()
        self._accepted = self._answers.read(1) == REQUEST_TAKEN
        line = self._answers.readline() if self._accepted else b""
        if not line.endswith(b"\n"):
            return None
        answer = json.loads(line)
        return answer, self._array(*answer["array"]) if "array" in answer else None

    def _array(self, dtype: str, shape: Sequence[int]) -> NDArray[Any]:
        import numpy as np

        array = np.empty(math.prod(shape), dtype=dtype)
        rest = array.view(np.uint8).data
        while rest:
            if not (read := self._answers.readinto(rest)):
                raise OSError("an array that was cut off")
            rest = rest[read:]
        return array.reshape(shape)

    def kill(self) -> None:
        """Kill it; requests under way raise _LostError."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """End it and close the pipes."""
        global _process

        if _process is self:
            _process = None
        self.kill()
        for pipe in (self._requests, self._answers):
            with suppress(OSError):
                pipe.close()


_lock = threading.RLock()
_process: _Process | None = None
_ending = False
"""True once this process ends: a request by a daemon thread would leave another process behind."""
_numbers = count()
_refused: dict[object, str] = {}
"""Reasons of the files that ended a process, by their keys."""


def _remember(key: object, reason: str) -> None:
    while len(_refused) >= MOST_REFUSED:
        del _refused[next(iter(_refused))]
    _refused[key] = reason


def _running() -> _Process:
    global _process

    if _ending:
        raise _RefusedError("this process ends")
    if _process is None:
        if not sys.executable:
            raise _RefusedError("can't start the process that reads it: Python does not know its own program")
        try:
            _process = _Process()
        except OSError as failure:
            raise _RefusedError(f"can't start the process that reads it: {failure.strerror}") from failure
    return _process


def _end() -> None:
    global _ending

    # without the lock: a daemon thread may hold it as long as the other process hangs
    _ending = True
    if (process := _process) is not None:
        process.kill()


def _forget() -> None:
    """Forget the process in a forked child, which must not use the pipes of its parent."""
    global _lock, _process

    _lock, _process = threading.RLock(), None


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# In the other process


def serve() -> None:
    """Answer requests until there are no more."""
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # output of the library must not get among the answers
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
    files: dict[int, _ServedFile] = {}
    while True:
        end_after(READER_IDLE_SECONDS)
        if not (line := requests.readline()):
            return
        request = json.loads(line)
        end_after(LONGEST_READ)
        content = requests.read(request["content"])
        end_after(request["limit"])
        answers.write(REQUEST_TAKEN)
        answers.flush()
        try:
            answer, array = _answered(files, request, content)
        except KrError as error:
            answer, array = {"refused": str(error).removeprefix(": ")}, None
        except MemoryError:
            answer, array = {"refused": "it claims more memory than there is"}, None
        if array is not None:
            answer["array"] = [array.dtype.str, array.shape]
        end_after(LONGEST_READ)
        answers.write(json.dumps(answer).encode() + b"\n")
        if array is not None:
            answers.write(array.reshape(-1).view("u1").data)
        answers.flush()


class _ServedFile:
    """A file that is open here, and its groups."""

    def __init__(self, request: Mapping[str, Any], content: bytes) -> None:
        with ExitStack() as stack:
            place: bytes | str = content
            size = len(content)
            if "path" in request:
                file = stack.enter_context(open_regular(request["path"]))
                status = os.fstat(file.fileno())
                if [status.st_dev, status.st_ino] != request["file"]:
                    raise KrError("replaced by another file while it was opened")
                # the checked file, even if the name leads to another one by now
                place, size = path_of_open(file.fileno(), request["path"]), status.st_size
            root = stack.enter_context(library_file(place, size, KrError, "", request["unread"]))
            self._groups: dict[tuple[str, ...], LibrarySource] = {(): root}
            self._stack = stack.pop_all()

    def group(self, names: tuple[str, ...]) -> LibrarySource:
        """The group that these names lead to."""
        if names not in self._groups:
            self._groups[names] = self.group(names[:-1]).group(names[-1])
        return self._groups[names]

    def close(self) -> None:
        """Close it."""
        self._stack.close()


def _answered(files: dict[int, _ServedFile], request: Mapping[str, Any], content: bytes) -> tuple[dict[str, Any], Any]:
    """Answer and array. Raises KrError."""
    what, number = request["what"], request["number"]
    if what == "open":
        try:
            files[number] = _ServedFile(request, content)
        except OSError as failure:
            raise KrError(failure.strerror) from failure
        return {}, None
    if what == "close":
        files.pop(number).close()
        return {}, None
    source = files[number].group(tuple(request["group"]))
    if what == "attributes":
        return {"attributes": source.attributes}, None
    if what == "has":
        return {"has": source.has(request["name"])}, None
    selection = request["name"], request["dtype"], request["shape"]
    if what == "array":
        return {}, source.read(*selection)
    chunks = source.places(*selection)
    layout = {"whole": chunks.shape, "rows": chunks.rows, "packed": chunks.packed, "attributes": chunks.attributes}
    return layout, chunks.places
