"""Whoever sits beside kr in DXP games: what is said for kr, and moves that kr asks to take back."""

import os
import time
from contextlib import contextmanager

import pytest
from dxp_peers import FAST, NAME, SECONDS, Peer, Playing, accept, listening

from kr import cli
from kr.cli import dxp as command
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.position import Position, Side
from kr.protocols import dxp_game, dxp_thinker
from kr.protocols.dxp import ConnectSettings, ListenSettings, Operator, connect
from kr.protocols.dxp_text import format_dxp_move

MOVE = r"M\d{8,}"
SLOW = {"tc": Limits(nodes=10**12), "weights": "material"}
pytestmark = pytest.mark.usefixtures("impatient")


def wait_for(told):
    until = time.monotonic() + SECONDS
    while not told():
        assert time.monotonic() < until
        time.sleep(0.005)


def said(kr, words):
    """Wait until kr has told so in its last line."""
    wait_for(lambda: kr.lines and words in kr.lines[-1])


def test_in_the_turn_of_the_other_side():
    kr, address = listening(games=1)
    with Peer.at(address) as peer:
        peer.ask(follower=Side.WHITE)
        first = peer.play(Position(), Side.BLACK, plies=2)
        peer.play(first, Side.BLACK, plies=2)
        assert kr.operator.take_back(2)
        peer.expect("B002Z")
        peer.send("K0")
        peer.play(first, Side.BLACK, lambda moves: moves[-1], plies=2)
        # to kr's own move: it moves again
        assert kr.operator.take_back()
        peer.expect("B002W")
        peer.send("Cwell", "K0")
        peer.expect("Ckr plays by itself.*")
        peer.expect(MOVE)
        peer.resign()
    [game] = kr.end()
    assert len(game.moves) == 4
    assert game.moves[2] == first.legal_moves()[-1]
    assert kr.lines[:2] == ["peer is asked to go back to move 2, 2 plies into the game", "peer agrees to go back"]


def test_while_kr_thinks():
    """Its search is stopped; where it may not go back, it begins anew."""
    kr, address = listening(games=1, **SLOW)
    with Peer.at(address) as peer:
        peer.ask(follower=Side.WHITE)
        for move, answer, end in (("11-15", "K0", "agrees"), ("9-13", "K2", "refuses")):
            peer.send(format_dxp_move(Position().parse_move(move)), f"C{move}")
            said(kr, f"says: {move}")
            peer.expect("Ckr plays by itself; it has not searched yet.")
            kr.operator.take_back(1)
            peer.expect("B001Z")
            peer.send(answer)
            said(kr, end)
        peer.resign()
    assert [str(move) for move in kr.end()[0].moves] == ["9-13"]


@contextmanager
def requesting():
    """A game of which two plies are played, with kr asking to go back before the first; at the end the peer resigns."""
    kr, address = listening(games=1)
    with Peer.at(address) as peer:
        peer.ask()
        position = peer.play(Position(), Side.BLACK, plies=2)
        kr.operator.take_back()
        peer.expect("B001W")
        yield kr, peer, position
        peer.resign()


@pytest.mark.parametrize(("answer", "end"), [("K2", "refuses to go back"), ("K1", "refuses to go back: it can't")])
def test_refused(answer, end):
    with requesting() as (kr, peer, position):
        peer.send(answer)
        peer.play(position, Side.BLACK, plies=2)
    assert len(kr.end()[0].moves) == 4
    assert kr.lines[1] == f"peer {end}"


@pytest.mark.parametrize("answer", ["K0", "K2"])
def test_a_move_that_crosses_the_request_counts(answer):
    """It was made before the answer; kr waits with its own until that is there."""
    with requesting() as (kr, peer, first):
        crossing = first.legal_moves()[0]
        peer.send(format_dxp_move(crossing), answer)
        position = first.play(crossing) if answer == "K2" else Position().play(Position().legal_moves()[0])
        peer.play(position, Side.BLACK, plies=1)
    assert len(kr.end()[0].moves) == (4 if answer == "K2" else 2)


def test_two_requests_at_once_are_both_refused():
    with requesting() as (kr, peer, position):
        peer.send("B001Z")
        peer.expect("K2")
        peer.send("K2")
        peer.play(position, Side.BLACK, plies=2)
    assert len(kr.end()[0].moves) == 4


def test_no_answer(monkeypatch):
    monkeypatch.setattr(dxp_game, "BACK_SECONDS", 0.1)
    with requesting() as (kr, peer, position):
        said(kr, "has not answered the request to go back")
        peer.play(position, Side.BLACK, plies=2)
    assert len(kr.end()[0].moves) == 4


def test_impossible_requests():
    kr, address = listening(games=1)
    assert not kr.operator.take_back()
    assert not kr.operator.chat("anybody?")
    with Peer.at(address) as peer:
        peer.send("Chello")
        said(kr, "hello")
        kr.operator.take_back()
        said(kr, "no game is under way")
        kr.operator.chat("hello to you")
        peer.expect("Chello to you")
        peer.ask()
        position = peer.play(Position(), Side.BLACK, plies=2)
        for plies in ("0 plies", "3 plies"):
            kr.operator.take_back(int(plies[0]))
            said(kr, f"no request to take back {plies}: the game has 2 plies")
        kr.operator.take_back(2)
        peer.expect("B001Z")
        kr.operator.take_back(2)
        said(kr, "no request to take back 2 plies: the last request is not answered yet")
        peer.send("K2")
        kr.operator.chat("a pity")
        peer.expect("Ca pity")
        peer.play(position, Side.BLACK, plies=2)
        peer.resign()
    kr.end()


@pytest.mark.parametrize(("frame", "request_back"), [("pdn", "B001W"), ("mover", "B001Z")])
def test_a_peer_that_turns_the_board_counts_from_white(frame, request_back):
    kr, address = listening(games=1, frame=frame)
    with Peer.at(address) as peer:
        peer.ask()
        peer.play(Position(), Side.BLACK, plies=2)
        kr.operator.take_back()
        peer.expect(request_back)
        peer.send("K2")
        peer.resign()
    kr.end()


@pytest.mark.parametrize("frame", ["pdn", "mover"])
def test_kr_against_kr(monkeypatch, frame):
    engine = Engine("material", 1, database="none")
    monkeypatch.setattr(ListenSettings, "engine", lambda self: engine)
    follower, address = listening(games=1, frame=frame, **SLOW)
    settings = ConnectSettings(**{**FAST, "address": address, "frame": frame, "moves": 4})
    initiator = Playing(lambda to: connect(settings, to.games.append, to.lines.append, (), to.operator))
    # the initiator has moved, and the follower thinks until it is stopped
    for asker, asked in ((follower, initiator), (initiator, follower)):
        while not any("agrees to go back" in line for line in asker.lines):
            asker.operator.take_back(1)
            time.sleep(0.005)
        wait_for(lambda asked=asked: any("goes back to move 1, 0 plies" in line for line in asked.lines))
    while follower.is_alive():
        engine.stop()
        time.sleep(0.002)
    [one], [other] = initiator.end(), follower.end()
    assert one.moves == other.moves
    assert len(one.moves) == 8


def test_talk(peer_server, monkeypatch, capsys):
    reading, writing = os.pipe()
    with os.fdopen(reading) as typed:
        monkeypatch.setattr("sys.stdin", typed)
        address = f":{peer_server.getsockname()[1]}"
        words = [
            "dxp",
            "connect",
            address,
            "--talk",
            *"--weights material --hash 1MB --egdb none --color white".split(),
        ]
        kr = Playing(lambda to: to.games.append(cli.main(words)))
        with accept(peer_server) as peer:
            peer.expect("R.*")
            os.write(writing, b"hello\n/resign\n")
            peer.expect("Chello")
            peer.send(f"A{NAME}0")
            peer.resign()
            peer.expect(None)
        assert kr.end() == [0]
        os.close(writing)
    assert "/resign is not a command" in capsys.readouterr().err


def test_lines_that_are_typed():
    class Heard(Operator):
        def __init__(self):
            self.wishes = []

        def _put(self, wish):
            self.wishes.append(wish)
            return True

    lines = b"good luck\n\n/back\n  /back 3 \r\n/back x\n/resign\n\xff\nnot sent without its end"
    reading, writing = os.pipe()
    os.write(writing, lines)
    os.close(writing)
    operator = Heard()
    command._read_lines(reading, operator)
    os.close(reading)
    remark, back = dxp_thinker.Remark, dxp_thinker.TakeBack
    assert operator.wishes == [remark("good luck"), back(None), back(3), remark("\ufffd")]
