"""A DXP connection: sending messages, and one inbox for the peer's messages and for items from our own side.

Any fault of the peer on the wire becomes one ProtocolError, after which the connection can't be used any more.
"""

from __future__ import annotations

import math
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
from kr.protocols.talk import BY, TO, TalkLog
from kr.threads import in_slices, start_all
from kr.units import format_duration

PAUSE = 0.1
"""Seconds between two messages of ours, unless the first was answered: public clients treat all data of one read as one
message."""
MOST_UNREAD = 1000
"""Most messages that may wait in the inbox."""
MOST_IDLE = 100
"""Most messages between two moves, which can only be chat and requests to go back."""
SEND_SECONDS = 10.0
CLOSE_SECONDS = 0.5
TURNS = (GameRequest, GameAccept, MoveMade, GameEnd)
LOOPBACK = "127.0.0.1"
MAX_PORT = 65535

T = TypeVar("T")


class ClosedError(ProtocolError):
    """The peer closed the connection between two messages."""


class SilentError(ProtocolError):
    """Nothing came from the peer in time. Later messages can still be taken."""


class Link(Generic[T]):
    """A connection. T: type of items from our own side. log: hears all messages. Raises ThreadError if no thread can
    read the socket."""

    def __init__(self, connection: socket.socket, log: TalkLog | None = None) -> None:
        self._log = log
        connection.settimeout(SEND_SECONDS)
        # some systems refuse options of a connection that has been reset by now; the reader tells of that
        with suppress(OSError):
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
        """True if our last message is one that a message in turn, such as a move, answers."""
        self._reader = Thread(target=self._read, name="dxp reader", daemon=True)
        start_all([self._reader], connection.close)

    def send(self, message: Message) -> None:
        """Send a message. Raises ProtocolError if the peer has gone or does not read."""
        if self._failure is not None:
            raise self._failure
        time.sleep(max(self._last_sent + PAUSE - time.monotonic(), 0.0))
        text = format_message(message)
        if self._log is not None:
            self._log.write(TO, text)
        try:
            self._socket.sendall(text.encode("ascii") + b"\0")
        except OSError as error:
            raise ProtocolError(f"the connection broke: {error.strerror or error}") from None
        self._last_sent = time.monotonic()
        self._answerable = isinstance(message, TURNS)

    def take(self, seconds: float | None = None) -> Message | T:
        """Next message or item, waiting at most `seconds`.

        Raises ClosedError if the peer has closed the connection between two messages, SilentError if nothing comes in
        time, and ProtocolError if the peer breaks the protocol.
        """
        if self._failure is not None:
            raise self._failure
        items: list[Message | ProtocolError | T] = []

        def is_here(slice: float) -> bool:
            with suppress(queue.Empty):
                items.append(self._inbox.get(timeout=slice))
            return bool(items)

        if not in_slices(is_here, math.inf if seconds is None else seconds):
            # another thread reads, so this only serves the error message
            half = ", in the middle of a message" if self._splitter.is_inside else ""
            raise SilentError(f"silent for too long{half}")
        (item,) = items
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

    def put(self, item: T) -> None:
        """Put an item into the inbox, from any thread."""
        self._inbox.put(item)

    def made_progress(self) -> None:
        """Reset the count of idle messages: the last one advanced the game."""
        self._idle = 0

    def close(self) -> None:
        """Close the connection. Messages already sent are still delivered."""
        self._closed = True
        # the peer must read our last message before it sees the end; closing with unread data here would discard it
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        if self._failure is None:
            self._reader.join(CLOSE_SECONDS)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RD)
        self._socket.close()
        if self._log is not None:
            self._log.close()

    def _read(self) -> None:
        """Fill the inbox until the connection ends. Body of the reader thread."""
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
                    if self._log is not None:
                        self._log.write(BY, text)
                    if not self._closed:
                        self._inbox.put(parse_message(text))
                if self._inbox.qsize() > MOST_UNREAD:
                    raise ProtocolError(f"more than {MOST_UNREAD} messages at once")
        except ProtocolError as error:
            self._inbox.put(error)
        except OSError as error:
            self._inbox.put(ProtocolError(f"the connection broke: {error.strerror or error}"))


def parse_address(text: str) -> tuple[str, int]:
    """Parse "HOST:PORT", "HOST", "PORT", ":PORT" or "[IPV6]:PORT" as host and port.

    The defaults are the loopback address and DXP's port. Raises InvalidSettingError.
    """
    # a number alone is a port, not an IPv4 address
    full = f":{text}" if re.fullmatch("[0-9]+", text) else text
    match = re.fullmatch(r"(?:\[([^\[\]\s]+)\]|([^:\[\]\s]*))(?::([0-9]{1,5}))?", full)
    if match is None or int(match[3] or PORT) > MAX_PORT:
        expected = f"HOST:PORT, HOST or PORT, as in {LOOPBACK}:{PORT} or [::1]:{PORT}, with a port up to {MAX_PORT}"
        raise InvalidSettingError(f"{text!r} is not an address: expected {expected}")
    return match[1] or match[2] or LOOPBACK, int(match[3] or PORT)


def format_address(address: tuple[str, int]) -> str:
    """Text of an address, in the form of parse_address."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def open_server(address: tuple[str, int]) -> socket.socket:
    """Open a socket that listens at an address. Port 0 chooses a free port. Raises ProtocolError."""
    try:
        family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server(address, family=family)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(f"can't listen on {format_address(address)}: {reason}") from None


def open_connection(address: tuple[str, int], timeout: float) -> socket.socket:
    """Open a socket that is connected to an address. Raises ProtocolError."""
    try:
        return socket.create_connection(address, timeout)
    except TimeoutError:
        raise ProtocolError(
            f"can't connect to {format_address(address)}: no answer in {format_duration(timeout)}"
        ) from None
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(f"can't connect to {format_address(address)}: {reason}") from None
