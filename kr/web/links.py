"""Connections of the server, which no client can hold by being slow, or exhaust by opening many.

uvicorn bounds the time between requests, but not that in which one must arrive, nor what waits for a client that does
not read.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

ARRIVAL_SECONDS = 30.0
"""Time in which a request must have arrived, and an answer have been taken."""
MOST_WITHOUT_REQUEST = 200
"""Connections without a whole request; a new one then ends the one that has been so for the longest."""
MOST_UNTAKEN = 1 << 20
"""Bytes that wait for a client of the WebSocket that goes on sending but does not read."""
MOST_FRAMES = 4096
"""Parts of a message."""


class HttpLink(H11Protocol):
    """A connection for requests."""

    _since: float | None = None
    _unread = False
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request; with too many such waits, cut off the longest."""
        super().connection_made(transport)
        self._wait()
        idle = [each for each in self.connections if isinstance(each, HttpLink) and each._since is not None]
        if len(idle) > MOST_WITHOUT_REQUEST:
            longest = min(idle, key=lambda each: each._since or 0.0)
            longest._end_wait()
            longest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Begin to wait with the first bytes of a request."""
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0] and not self._unread:
            # the first bytes of a request
            self._wait()
        super().data_received(data)
        if self.transport.get_protocol() is self:
            self._look()

    def on_response_complete(self) -> None:
        """Look whether the next request has arrived."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        self._unread = True
        self._wait()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client has read."""
        super().resume_writing()
        self._unread = False
        self._end_wait()
        self._look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """End the wait: LiveLink has its own."""
        self._end_wait()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait."""
        self._end_wait()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self._unread:
            return
        arrived = self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
        if arrived and self.cycle is not None and not self.cycle.response_complete:
            self._end_wait()
        elif self._since is None:
            self._wait()

    def _wait(self) -> None:
        self._end_wait()
        self._since = self.loop.time()
        # aborted, not closed: that would wait for an answer to be taken
        self._timer = self.loop.call_later(ARRIVAL_SECONDS, self.transport.abort)

    def _end_wait(self) -> None:
        self._since = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class LiveLink(WebSocketsSansIOProtocol):
    """The connection of a page's WebSocket."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the handshake its time."""
        super().connection_made(transport)
        self.loop.call_later(ARRIVAL_SECONDS, self._end_unless_open)

    def _end_unless_open(self) -> None:
        # one that closes waits for what was sent to be taken
        if not self.handshake_complete or self.transport.is_closing():
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Cut off a client that sends without reading."""
        super().data_received(data)
        # answers to pings are written without waiting
        if self.transport.get_write_buffer_size() > MOST_UNTAKEN or len(self.frames) > MOST_FRAMES:
            self.transport.abort()
