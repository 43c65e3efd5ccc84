"""The page's answers, for tests: they run in node.js, with the engine as WebAssembly."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest
from library import BUILD, ROOT

from kr.errors import OutputBusyError
from kr.storage import lock

ANSWERS = Path(__file__).with_name("page_answers.mjs")
MERGED = Path(__file__).parent / "scripts" / "merged.js"
"""By it modules find each other as in a browser."""
BOOK = ROOT / "books" / "kr.krb"
WASM = ROOT / "build" / "library-wasm"
SECONDS = 60.0
"""Time in which an answer must have come."""


@cache
def made() -> tuple[Path, Path]:
    """The folders of the data and of the WebAssembly, which are made unless they are up to date."""
    data = ROOT / "build" / "page-data"
    WASM.mkdir(parents=True, exist_ok=True)
    while True:
        with suppress(OutputBusyError), lock(WASM):
            subprocess.run([sys.executable, BUILD, "--system", "wasm"], check=True)
            if is_older(data / "done", "kr", "weights"):
                subprocess.run([sys.executable, "-m", "kr.page.data", data], check=True)
                (data / "done").touch()
            return data, WASM
        time.sleep(0.2)


def is_older(made: Path, *sources: str) -> bool:
    """True for a file that is missing, or older than any of some files or in some folders of the checkout."""
    paths = [path for name in sources for path in (ROOT / name, *(ROOT / name).rglob("*"))]
    files = [path for path in paths if "__pycache__" not in path.parts and path.is_file()]
    return not made.exists() or max(path.stat().st_mtime for path in files) > made.stat().st_mtime


class PageStream:
    """A stream of the page."""

    def __init__(self, page: Page, id: int) -> None:
        self._page, self.id = page, id
        self.told: Queue[dict[str, Any]] = Queue()

    def say(self, said: Mapping[str, Any]) -> None:
        """Say something to it."""
        self._page.send({"id": self.id, "say": said})

    def stop(self, said: Mapping[str, Any] | None = None) -> None:
        """Stop it, as a page does that leaves, at once after something was said to it."""
        self._page.send(*([{"id": self.id, "say": said}] if said else []), {"id": self.id, "stop": True})

    def next(self, seconds: float = SECONDS) -> dict[str, Any]:
        """The next event, {"end": True} or {"error": text}."""
        try:
            told = self.told.get(timeout=seconds)
        except Empty:
            raise AssertionError(f"the page told nothing for {seconds} s") from None
        return told["event"] if "event" in told else {name: value for name, value in told.items() if name != "id"}

    def until(self, name: str) -> dict[str, Any]:
        """The next event that has this."""
        while name not in (event := self.next()):
            assert not {"end", "error"} & event.keys(), event
        return event

    def rest(self) -> list[dict[str, Any]]:
        """All events that are still to come, without the end."""
        events: list[dict[str, Any]] = []
        while "end" not in (event := self.next()):
            events.append(event)
            if "error" in event:
                break
        return events


class Page:
    """The answers of the page in a process of node.js."""

    def __init__(self, data: Path, library: Path, database: Path = ROOT / "egdb", book: Path = BOOK) -> None:
        words: list[str | Path] = ["node", "--import", MERGED, ANSWERS, data, library, database, book]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self._streams: dict[int, PageStream] = {}
        self._last = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told = json.loads(line)
            self._streams[told["id"]].told.put(told)

    def send(self, *messages: Mapping[str, Any]) -> None:
        """Send messages as they are; the first has no effect before the last has been read."""
        assert self._process.stdin is not None
        self._process.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
        self._process.stdin.flush()

    def _begin(self, **message: Any) -> PageStream:
        self._last += 1
        stream = self._streams[self._last] = PageStream(self, self._last)
        self.send({"id": self._last, **message})
        return stream

    def ask(self, path: str, body: Any) -> Any:
        """The answer to a request, or {"error": text}."""
        told = self._begin(ask=path, body=body).next()
        return told.get("answer", told)

    def open(self, what: str, args: Any) -> PageStream:
        """A stream."""
        return self._begin(open=what, args=args)

    def stream(self, what: str, args: Any, says: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        """All events of a stream that ends by itself, after some things were said to it."""
        stream = self.open(what, args)
        for said in says:
            stream.say(said)
        return stream.rest()

    def set_clock(self, seconds: float | None) -> None:
        """Let its clock stand at a time, or run again."""
        self._begin(clock=seconds).next()

    def set_seed(self, seed: int) -> None:
        """Begin its random numbers anew."""
        self._begin(seed=seed).next()

    def close(self) -> None:
        """End it, whatever it is at: a browser asks no page either."""
        self._process.kill()
        self._process.wait()


def started(database: Path = ROOT / "egdb", book: Path = BOOK) -> Iterator[Page]:
    """A page for a fixture, with the database of a folder, and a book."""
    if not shutil.which("node"):
        assert not os.environ.get("CI"), "node.js is missing"
        pytest.skip("node.js is missing")
    page = Page(*made(), database, book)
    yield page
    page.close()
