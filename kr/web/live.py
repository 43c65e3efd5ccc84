"""The WebSocket of a page: many streams over one connection.

A page has one connection however many things it watches, because browsers allow few to one host.

    {"id": 7, "do": "analysis", ...}    the page opens a stream,
    {"id": 7, "say": {...}}             speaks to it,
    {"id": 7, "stop": true}             and ends it
    {"id": 7, ...}                      an event from the server
    {"id": 7, "end": true}              the last one, or {"id": 7, "error": "..."}

A page that leaves ends all its streams.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from contextvars import ContextVar
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from kr.errors import InvalidSettingError, KrError
from kr.language.sentences import Sentence, Told, as_json, sentence, told_by
from kr.text import whole_characters
from kr.web.house import House
from kr.web.request import PageRequest

MOST_STREAMS = 12
"""Streams of one page at a time."""
MOST_MESSAGE = 1 << 20
"""Bytes of a message from a page."""
MOST_ID = 1 << 31
MESSAGE_RATE, MESSAGE_BURST = 100.0, 300.0
"""Messages a second that a page may send for long, and at once."""
MOST_WAITING = 100
"""Messages that a stream has not taken yet."""
NOT_TEXT, POLICY_VIOLATION, TOO_BIG = 1003, 1008, 1009
BROKEN = sentence("refused.broken")
"""Of an error that kr did not expect."""

viewer: ContextVar[object] = ContextVar("viewer", default=None)
"""Identity of the page of the running stream; equal for all streams of a page."""

Inbox = asyncio.Queue[PageRequest]
"""Messages from the page to a stream, in order."""
Stream = Callable[[House, PageRequest, Inbox], AsyncGenerator[Mapping[str, Any], None]]
"""A stream: from the request and later messages to events. It is closed when its page leaves or stops it."""


class Budget:
    """Messages that may still be sent: `rate` a second, saved up to `burst`."""

    def __init__(self, rate: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._tokens, self._at = burst, now()

    def take(self) -> bool:
        """Take one; False if there is none."""
        at = self._now()
        self._tokens = min(self._burst, self._tokens + (at - self._at) * self._rate)
        self._at = at
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    @property
    def is_full(self) -> bool:
        """True if nothing has been taken for long."""
        return self._tokens + (self._now() - self._at) * self._rate >= self._burst


class Connection:
    """The connection of one page."""

    def __init__(self, house: House, socket: WebSocket, stream_of: Callable[[str], Stream | None]) -> None:
        self._house, self._socket, self._stream_of = house, socket, stream_of
        self._running: dict[int, tuple[asyncio.Task[None], Inbox]] = {}
        self._sending = asyncio.Lock()

    async def serve(self) -> None:
        """Answer until the page leaves."""
        await self._socket.accept()
        viewer.set(object())
        budget = Budget(MESSAGE_RATE, MESSAGE_BURST)
        try:
            while True:
                try:
                    text = await self._socket.receive_text()
                except KeyError:
                    await self._socket.close(NOT_TEXT, "expected text")
                    return
                if not budget.take():
                    await self._socket.close(POLICY_VIOLATION, "too many messages")
                    return
                try:
                    self._obey(text)
                except _Unreadable as error:
                    await self._socket.close(POLICY_VIOLATION, str(error))
                    return
                except _Refused as refused:
                    await self._send({"id": refused.id, "error": as_json(refused.why)})
        except (WebSocketDisconnect, _Left):
            return
        finally:
            tasks = [task for task, _ in self._running.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _obey(self, text: str) -> None:
        try:
            request = PageRequest(json.loads(text))
            id = request.number("id", 0, MOST_ID)
        except (ValueError, RecursionError) as error:
            raise _Unreadable("expected a JSON object with an id") from error
        if request.has("do"):
            self._open(id, request)
        elif id in self._running:
            task, inbox = self._running[id]
            if request.has("stop"):
                task.cancel()
            elif inbox.full():
                raise _Refused(id, sentence("refused.messages"))
            else:
                try:
                    inbox.put_nowait(request.object("say"))
                except InvalidSettingError as error:
                    raise _Refused(id, error_told(error)) from error
        # else: it has ended meanwhile

    def _open(self, id: int, request: PageRequest) -> None:
        do = str(request.fields["do"])[:100]
        stream = self._stream_of(do)
        if stream is None:
            raise _Refused(id, sentence("refused.nothing_to_do", name=do))
        if id in self._running:
            raise _Unreadable("an id is used twice")
        # those that have been stopped count no more: a page that steps quickly is ahead of their ends
        if sum(not task.cancelling() for task, _ in self._running.values()) >= MOST_STREAMS:
            raise _Refused(id, sentence("refused.streams", count=MOST_STREAMS))
        inbox: Inbox = asyncio.Queue(MOST_WAITING)
        task = asyncio.create_task(self._run(id, stream, request, inbox), name=do)
        self._running[id] = task, inbox
        task.add_done_callback(lambda _: self._running.pop(id, None))

    async def _run(self, id: int, stream: Stream, request: PageRequest, inbox: Inbox) -> None:
        try:
            async with aclosing(stream(self._house, request, inbox)) as events:
                async for event in events:
                    await self._send({"id": id, **event})
            last: dict[str, Any] = {"end": True}
        except _Left:
            return
        except (KrError, OSError) as error:
            last = {"error": as_json(error_told(error))}
        except Exception:
            # the page must not wait for what will never come
            last = {"error": as_json(BROKEN)}
        with suppress(_Left):
            await self._send({"id": id, **last})

    async def _send(self, message: Mapping[str, Any]) -> None:
        text = json.dumps(message, separators=(",", ":"), allow_nan=False)
        async with self._sending:
            try:
                await self._socket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                raise _Left from None


class _Unreadable(Exception):
    """A message that no page of kr sends; the connection is closed."""


class _Left(Exception):
    """The page has left while something was being sent."""


class _Refused(Exception):
    """A stream that is not opened, or a message that it does not take."""

    def __init__(self, id: int, why: Told) -> None:
        super().__init__()
        self.id, self.why = id, why


def error_told(error: Exception) -> Told:
    """An error for a page: the sentence that it was raised with, or one line of English. Paths of this machine are left
    out, except in kr's own messages."""
    if isinstance(told := told_by(error), Sentence):
        return told
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return whole_characters(" ".join(str(error).split())[:500])
