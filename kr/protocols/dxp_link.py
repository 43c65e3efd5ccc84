"""A DXP connection: messages out, and one inbox for what comes in, be it from the peer or from a search.

Whatever a peer does wrong on the wire becomes one ProtocolError, after which the connection is of no use any more.
"""

from __future__ import annotations

import queue
import re
import socket
import time
from contextlib import suppress
from threading import Thread
from typing import Generic, TypeVar

from kr.errors import InvalidSettingError, ProtocolError
from kr.protocols.dxp_text import (
    PORT,
    GameAccept,
    GameEnd,
    GameRequest,
    Message,
    MessageSplitter,
    MoveMade,
    format_message,
    parse_message,
)
from kr.threads import start_all
from kr.units import format_duration

PAUSE = 0.1
"""Seconds between two messages of ours, unless the first was answered: public clients take all that one read gives
them for one message."""
MOST_UNREAD = 1000
"""Messages that may wait to be read here."""
MOST_IDLE = 100
"""Messages between two moves; chat and requests to go back are the only ones there can be."""
SEND_SECONDS = 10.0
CLOSE_SECONDS = 0.5
TURNS = (GameRequest, GameAccept, MoveMade, GameEnd)
LOOPBACK = "127.0.0.1"
MAX_PORT = 65535

T = TypeVar("T")


class ClosedError(ProtocolError):
    """The peer closed the connection between two messages."""


class SilentError(ProtocolError):
    """Nothing came from the peer in time; what comes later can still be taken."""


class Link(Generic[T]):
    """A connected socket, which it closes in the end. Raises ThreadError, and closes it, where nothing can read it."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(SEND_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._socket = connection
        self._inbox: queue.SimpleQueue[Message | ProtocolError | T] = queue.SimpleQueue()
        self._failure: ProtocolError | None = None
        self._splitter = MessageSplitter()
        self._closed = False
        self._idle = 0
        self._last_sent = 0.0
        self._answerable = False
        """Whether what we sent last is something that a move, or another message that takes turns, answers."""
        self._reader = Thread(target=self._read, name="dxp reader", daemon=True)
        start_all([self._reader], connection.close)

    def send(self, message: Message) -> None:
        """Raises ProtocolError where the peer has gone or does not read."""
        if self._failure is not None:
            raise self._failure
        time.sleep(max(self._last_sent + PAUSE - time.monotonic(), 0.0))
        try:
            self._socket.sendall(format_message(message).encode("ascii") + b"\0")
        except OSError as error:
            raise ProtocolError(f"the connection broke: {error.strerror or error}") from None
        self._last_sent = time.monotonic()
        self._answerable = isinstance(message, TURNS)

    def take(self, seconds: float | None = None) -> Message | T:
        """The next message, or what `put` put; within so many seconds.

        Raises ClosedError where the peer has gone in good order, SilentError where nothing comes, and ProtocolError
        where it breaks the protocol.
        """
        if self._failure is not None:
            raise self._failure
        try:
            item = self._inbox.get(timeout=None if seconds is None else max(seconds, 0.0))
        except queue.Empty:
            # another thread reads: what is there of a message is only for the words
            half = ", in the middle of a message" if self._splitter.is_inside else ""
            raise SilentError(f"silent for too long{half}") from None
        if isinstance(item, ProtocolError):
            self._failure = item
            raise item
        if isinstance(item, Message):
            if self._answerable and isinstance(item, TURNS):
                self._last_sent = 0.0
            self._idle += 1
            if self._idle > MOST_IDLE:
                self._failure = ProtocolError(f"more than {MOST_IDLE} messages without a move")
                raise self._failure
        return item

    def put(self, found: T) -> None:
        """Let `take` return this; from any thread."""
        self._inbox.put(found)

    def made_progress(self) -> None:
        """The last message was one that brings the game on: the count of idle ones begins anew."""
        self._idle = 0

    def close(self) -> None:
        """Close the connection; what was sent is still delivered."""
        self._closed = True
        # the peer reads our last message before it sees the end; closing with unread messages here would take it back
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        if self._failure is None:
            self._reader.join(CLOSE_SECONDS)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RD)
        self._socket.close()

    def _read(self) -> None:
        """Fill the inbox until the connection ends; the body of the reader thread."""
        try:
            while True:
                try:
                    content = self._socket.recv(4096)
                except TimeoutError:
                    continue
                if not content:
                    if self._splitter.is_inside:
                        raise ProtocolError("closed the connection in the middle of a message")
                    raise ClosedError("closed the connection")
                for text in self._splitter.feed(content):
                    if not self._closed:
                        self._inbox.put(parse_message(text))
                if self._inbox.qsize() > MOST_UNREAD:
                    raise ProtocolError(f"more than {MOST_UNREAD} messages at once")
        except ProtocolError as error:
            self._inbox.put(error)
        except OSError as error:
            self._inbox.put(ProtocolError(f"the connection broke: {error.strerror or error}"))


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of "HOST:PORT", "HOST", "PORT", ":PORT" or "[IPV6]:PORT".

    The loopback and DXP's port stand where one is not given. Raises InvalidSettingError.
    """
    # a number alone is a port: nobody writes an IPv4 address as one
    full = f":{text}" if re.fullmatch("[0-9]+", text) else text
    found = re.fullmatch(r"(?:\[([^\[\]\s]+)\]|([^:\[\]\s]*))(?::([0-9]{1,5}))?", full)
    if found is None or int(found[3] or PORT) > MAX_PORT:
        expected = f"HOST:PORT, HOST or PORT, as in {LOOPBACK}:{PORT} or [::1]:{PORT}, with a port up to {MAX_PORT}"
        raise InvalidSettingError(f"{text!r} is not an address: write {expected}")
    return found[1] or found[2] or LOOPBACK, int(found[3] or PORT)


def format_address(address: tuple[str, int]) -> str:
    """The text of an address."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def open_server(address: tuple[str, int]) -> socket.socket:
    """A socket that listens there; port 0 chooses a free one. Raises ProtocolError."""
    try:
        family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server(address, family=family)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(f"cannot listen on {format_address(address)}: {reason}") from None


def open_connection(address: tuple[str, int], timeout: float) -> socket.socket:
    """A socket that is connected there. Raises ProtocolError."""
    try:
        return socket.create_connection(address, timeout)
    except TimeoutError:
        raise ProtocolError(
            f"cannot connect to {format_address(address)}: no answer in {format_duration(timeout)}"
        ) from None
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(f"cannot connect to {format_address(address)}: {reason}") from None
