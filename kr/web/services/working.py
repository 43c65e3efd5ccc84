"""Work of a stream in a thread of its own: what it tells on its way, and its result, come to the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

from kr.jobs.kinds import Stop
from kr.web.services.engines import give_way

EVENT_SECONDS = 0.05
"""Least seconds between two batches."""

T = TypeVar("T")
R = TypeVar("R")


class Working(Generic[T, R]):
    """A function at work in a thread. do: takes a callback for what it tells, and the stop."""

    def __init__(self, name: str, do: Callable[[Callable[[T], None], Stop], R]) -> None:
        self._do = do
        self._stop = Stop()
        self._loop = asyncio.get_running_loop()
        self._waiting: list[T] = []
        self._news = asyncio.Event()
        self._result: asyncio.Future[R] = self._loop.create_future()
        self._result.add_done_callback(lambda _: self._news.set())
        threading.Thread(target=self._run, name=name, daemon=True).start()

    async def batches(self, beat: float | None = None) -> AsyncGenerator[list[T], None]:
        """What it tells, that of a moment together, until it ends. Raises what the function raised.

        beat: seconds without news after which an empty batch comes.
        """
        while not self._result.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(beat):
                    await self._news.wait()
            self._news.clear()
            if self._waiting or not self._result.done():
                batch, self._waiting = self._waiting, []
                yield batch
                await asyncio.sleep(EVENT_SECONDS)
        self._result.result()
        if self._waiting:
            yield self._waiting

    def result(self) -> R:
        """Its result, once it has ended. Raises what the function raised."""
        return self._result.result()

    async def wait(self, seconds: float) -> None:
        """Wait for its end, but not longer than that."""
        await asyncio.wait([self._result], timeout=seconds)

    async def end(self) -> None:
        """Stop it, and wait until it has ended."""
        self._stop.set()
        await asyncio.wait([self._result])
        self._result.exception()

    def _run(self) -> None:
        give_way()
        try:
            result = self._do(lambda value: self._tell(partial(self._add, value)), self._stop)
        except Exception as error:  # any error is raised in the event loop
            self._tell(partial(self._result.set_exception, error))
        else:
            self._tell(partial(self._result.set_result, result))

    def _tell(self, call: Callable[[], None]) -> None:
        # the loop may be closed
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(call)

    def _add(self, value: T) -> None:
        self._waiting.append(value)
        self._news.set()
