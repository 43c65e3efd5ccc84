"""What another program says: its last words on the error stream, and a log of all that is said to it and by it."""

from __future__ import annotations

import datetime
import itertools
import os
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import IO

from kr.storage import make_directory
from kr.text import visible

LONGEST_SAID = 1 << 16
"""Characters of a line: an endless one must not fill our memory."""
LAST_LINES = 3
"""Lines of the error stream that a message has."""
LAST_CHARACTERS = 200
"""Of each of these lines."""
MOST_LOG_BYTES = 1 << 28
"""Bytes of a log, after which it ends."""
TO, BY, ERROR, NOTE = ">", "<", "!", "#"
"""Marks of lines in a log: said to the program, by it, on its error stream; and what kr notes."""

_numbers = itertools.count(1)


class TalkLog:
    """A file of its own, in a folder of logs, for one program. Raises OSError."""

    def __init__(self, folder: Path, program: str) -> None:
        make_directory(folder)
        now = datetime.datetime.now()
        name = re.sub(r"[^\w.-]+", "_", program)[:40]
        self.path = folder / f"{now:%Y%m%d-%H%M%S}-{os.getpid()}-{next(_numbers)}-{name}.log"
        self._lock = Lock()
        self._room = MOST_LOG_BYTES
        self._error: OSError | None = None
        self._file: IO[str] | None = self.path.open("x", encoding="utf-8", newline="\n")

    def write(self, mark: str, text: str) -> None:
        """A line with the time. From any thread; raises OSError, of an earlier line too, only to who speaks (TO)."""
        line = f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S.%f} {mark} {visible(text.rstrip())}\n"
        with self._lock:
            self._room -= len(line)
            if self._file is not None and self._error is None and self._room > 0:
                try:
                    self._file.write(line)
                    self._file.flush()
                except OSError as error:
                    error.filename = str(self.path)
                    self._error = error
            if mark == TO and self._error is not None:
                raise self._error

    def close(self) -> None:
        """End the file. What is said later is not in it."""
        with self._lock:
            file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError:
                # told before, if it is the disk
                pass


class LastWords:
    """The last lines that a program writes to its error stream, which must be read, or it would wait."""

    def __init__(self, stream: IO[str], on_line: Callable[[str], None]) -> None:
        self._stream, self._on_line = stream, on_line
        self._lines: deque[str] = deque(maxlen=LAST_LINES)

    def read(self) -> None:
        """Read to the end. Body of a thread."""
        with self._stream as stream:
            while text := stream.readline(LONGEST_SAID):
                self._on_line(text)
                if line := visible(text.strip()[:LAST_CHARACTERS]):
                    self._lines.append(line)

    def __str__(self) -> str:
        """The last lines in one, "" without any."""
        return " / ".join(tuple(self._lines))
