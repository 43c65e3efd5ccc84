"""DXP: noise from any number of peers, and what a link does with single messages."""

import errno
import socket
from contextlib import closing
from types import SimpleNamespace

import pytest
from dxp_peers import NAME, SECONDS, START, Peer, link_pair, listening
from hypothesis import given, settings
from hypothesis import strategies as st

from kr.errors import ProtocolError
from kr.game.position import Position
from kr.protocols import dxp, dxp_link
from kr.protocols.dxp_link import ClosedError, Link
from kr.protocols.dxp_text import BackAccept, Chat, GameAccept, GameEnd, MoveMade
from kr.protocols.talk import TalkLog

MOVE = r"M\d{8,}"
# White can only be taken after its move
SHORT = Position.from_fen("W:W24:B11")
pytestmark = pytest.mark.usefixtures("impatient")


# --- noise


@pytest.fixture(scope="module")
def tireless():
    """A listener for any number of games, and its address."""
    return listening(games=10**6, timeout=5.0)


VALID = st.sampled_from(
    [
        f"R01{NAME}Z000000BZ{START}", f"R01{NAME}W000000BZ{START}", f"A{NAME}0", "M0000111500", "M0000221800",
        "E10", "E00", "E31", "Chi", "B001Z", "B002W", "K0",
    ]
).map(lambda text: text.encode() + b"\0")  # fmt: skip
NOISE = st.one_of(VALID, VALID, VALID, st.binary(max_size=20), st.binary(max_size=6).map(lambda noise: noise + b"\0"))


@settings(max_examples=60)
@given(st.lists(NOISE, max_size=12), st.booleans())
def test_no_noise_ends_the_program(tireless, pieces, abrupt):
    kr, address = tireless
    with Peer.at(address) as peer:
        try:
            for piece in pieces:
                peer.send(piece)
        except OSError:
            pass
        if abrupt:
            # the connection is reset, not closed
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    with Peer.at(address) as peer:
        peer.ask()
        peer.resign()
    assert kr.is_alive()
    assert all("\n" not in line for line in kr.lines)
    assert all("\n" not in game.reason for game in kr.games)


class Fleeting:
    """A server whose callers hang up again, each told in the way of another system, before one stays."""

    def __init__(self, *errors):
        self.errors = list(errors)

    def settimeout(self, seconds):
        pass

    def accept(self):
        if self.errors:
            raise self.errors.pop(0)
        return "connection", "caller"


def test_a_caller_that_hangs_up_at_once_does_not_end_the_listener():
    gone = [ConnectionAbortedError(), ConnectionResetError(), OSError(errno.ENOTCONN, ""), TimeoutError()]
    assert dxp._accepted(Fleeting(*gone)) == ("connection", "caller")
    with pytest.raises(OSError, match="too many"):
        dxp._accepted(Fleeting(OSError(errno.EMFILE, "too many")))


def test_a_connection_that_takes_no_options_is_read_to_its_end():
    class Reset(socket.socket):
        def setsockopt(self, *words):
            raise OSError(errno.EINVAL, "reset")

    here, there = socket.socketpair()
    there.close()
    with closing(Link(Reset(fileno=here.detach()))) as link, pytest.raises(ClosedError):
        link.take(SECONDS)


def test_messages_are_kept_apart_unless_the_peer_has_answered(monkeypatch):
    """Public clients lose a message that comes together with another one."""
    monkeypatch.setattr(dxp_link, "PAUSE", 0.1)
    slept = []
    monkeypatch.setattr(dxp_link, "time", SimpleNamespace(monotonic=lambda: 100.0, sleep=slept.append))
    link, peer = link_pair()
    move = MoveMade(0, 8, 12)
    # what is sent, what the peer says before it, and whether there must be a pause
    for message, said, pause in [
        (GameAccept("kr"), None, False),
        (move, None, True),
        (Chat("a"), "Chello", True),
        (BackAccept(0), "B001W", True),
        (move, None, True),
        (move, "M0000221800", False),
        (Chat("b"), "Chello", True),
        (move, "M0000221800", True),
        (GameEnd(), "M0000221800", False),
    ]:
        if said:
            peer.send(said)
            link.take(SECONDS)
        link.send(message)
        peer.read()
        assert slept.pop() == pytest.approx(0.1 if pause else 0.0), message
    link.close()


def test_a_link_whose_peer_has_gone():
    link, peer = link_pair()
    peer.close()
    with pytest.raises(ProtocolError, match="closed the connection"):
        link.take(SECONDS)
    with pytest.raises(ProtocolError, match="closed the connection"):
        link.send(Chat("hello"))
    link.close()


def test_the_log_has_what_both_sides_say(tmp_path):
    here, there = socket.socketpair()
    log = TalkLog(tmp_path, "dxp-[::1]:27531")
    with closing(Link(here, log)) as link, there:
        link.send(Chat("hello"))
        there.sendall(b"Chi\0")
        assert link.take(SECONDS) == Chat("hi")
    assert log.path.name.endswith("-dxp-_1_27531.log")
    assert [line[27:] for line in log.path.read_text("utf-8").splitlines()] == ["> Chello", "< Chi"]
