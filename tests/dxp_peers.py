"""The other side of DXP games in tests: a socket and what is said over it, and kr's side in a thread."""

import queue
import re
import socket
import threading

from kr.engine.limits import Limits
from kr.game.position import Position, Side
from kr.protocols.dxp import ConnectSettings, ListenSettings, Operator, connect, listen
from kr.protocols.dxp_link import Link
from kr.protocols.dxp_text import (
    GameRequest,
    MoveMade,
    find_move,
    format_dxp_move,
    format_dxp_position,
    format_message,
    parse_message,
)

SECONDS = 60.0
START = "z" * 12 + "e" * 8 + "w" * 12
NAME = "peer".ljust(32)
# positions that are won in a few moves
SHORT_GAMES = ["W:W24:BK10,K15", "W:W28,32:B12,K19,K15"]
FAST = {"weights": "material", "hash": 1 << 20, "egdb": "none", "tc": Limits(nodes=50), "name": "kr"}


class Peer:
    """A program that does as the test says."""

    def __init__(self, connection):
        self.socket = connection
        connection.settimeout(SECONDS)
        self._rest = b""

    @classmethod
    def at(cls, address):
        """Connected to a listener."""
        host, port = address.rsplit(":", 1)
        return cls(socket.create_connection((host.strip("[]"), int(port)), SECONDS))

    def send(self, *messages):
        """Messages as text, as objects, or bytes as they are."""
        for message in messages:
            if not isinstance(message, bytes | str):
                message = format_message(message)
            self.socket.sendall(message if isinstance(message, bytes) else message.encode() + b"\0")

    def read(self):
        """The next message as text; None where the connection was closed."""
        while b"\0" not in self._rest:
            content = self.socket.recv(4096)
            if not content:
                return None
            self._rest += content
        text, self._rest = self._rest.split(b"\0", 1)
        return text.decode("ascii")

    def expect(self, pattern):
        """The next message, which must match; None expects that the connection is closed."""
        text = self.read()
        if pattern is None:
            assert text is None
            return None
        match = re.fullmatch(pattern, text or "")
        assert match, f"expected {pattern!r}, heard {text!r}"
        return match

    def ask(self, follower=Side.WHITE, position=None, minutes=0, moves=0):
        """Ask for a game, which must be accepted."""
        position = position or Position()
        self.send(GameRequest("peer", follower, minutes, moves, position.side, format_dxp_position(position)))
        self.expect("Akr {30}0")

    def play(self, position, own, choose=lambda moves: moves[0], plies=10**6):
        """Make moves and take the other side's until the game is over on the board; the last position."""
        while plies and (moves := position.legal_moves()):
            if position.side == own:
                move = choose(moves)
                self.send(format_dxp_move(move))
            else:
                message = parse_message(self.read())
                assert isinstance(message, MoveMade)
                move = find_move(message, position)
            position = position.play(move)
            plies -= 1
        return position

    def resign(self):
        """End a game as lost, in the middle of nothing else."""
        self.send("E10")
        self.expect("E0[01]")

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class Playing(threading.Thread):
    """One side in a thread, mostly kr's: its games, its lines, and the exception that it raised."""

    def __init__(self, run):
        super().__init__(daemon=True)
        self.games = []
        self.lines = []
        self.address = queue.Queue()
        self.operator = Operator()
        self._run = run
        self._error = None
        self.start()

    def run(self):
        try:
            self._run(self)
        except BaseException as error:
            self._error = error

    def end(self, seconds=SECONDS):
        """The games, when all are played; raises what was raised."""
        self.join(seconds)
        assert not self.is_alive()
        if self._error is not None:
            raise self._error
        return self.games


def listening(**settings):
    """A listener on a free port, and its address."""
    settings = ListenSettings(**{**FAST, "address": ":0", **settings})
    playing = Playing(lambda to: listen(settings, to.games.append, to.lines.append, to.address.put, to.operator))
    return playing, playing.address.get(timeout=SECONDS)


def connecting(server, starts=(), **settings):
    """An initiator that connects to a server socket of the test."""
    settings = ConnectSettings(**{**FAST, "address": f":{server.getsockname()[1]}", **settings})
    return Playing(lambda to: connect(settings, to.games.append, to.lines.append, starts, to.operator))


def accept(server):
    """The peer that a server of ours meets."""
    return Peer(server.accept()[0])


def link_pair():
    """A link of kr's, and the peer at its other end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        peer = Peer(socket.create_connection(server.getsockname()))
        return Link(server.accept()[0]), peer
