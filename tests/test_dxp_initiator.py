"""DXP over real sockets as the one that asks; settings and commands."""

import json

import pytest
from dxp_peers import FAST, NAME, SHORT_GAMES, START, accept, connecting, listening

from kr import cli
from kr.engine.limits import Limits
from kr.errors import ProtocolError
from kr.game.position import Position, Side
from kr.pdn import read_games
from kr.protocols import dxp, dxp_game
from kr.protocols.dxp import ConnectSettings, ListenSettings

MOVE = r"M\d{8,}"
# White can only be taken after its move
SHORT = Position.from_fen("W:W24:B11")
pytestmark = pytest.mark.usefixtures("impatient")


# --- as initiator


def test_kr_against_kr(peer_server, tmp_path):
    starts = [Position.from_fen(fen) for fen in SHORT_GAMES]
    follower, address = listening(games=4, frame="mover", chat="hello", out=tmp_path / "follower.pdn")
    settings = ConnectSettings(
        **{**FAST, "address": address, "games": 4, "frame": "mover", "chat": "hi", "out": tmp_path / "initiator.pdn"}
    )
    games = []
    dxp.connect(settings, games.append, starts=starts)
    others = follower.end()
    assert [game.color for game in games] == [Side.BLACK, Side.WHITE] * 2
    assert [game.start for game in games] == [starts[0]] * 2 + [starts[1]] * 2
    for mine, other in zip(games, others, strict=True):
        assert (mine.moves, mine.result, mine.start) == (other.moves, other.result, other.start)
        assert mine.color == other.color.other
        assert mine.points + other.points == 1
    saved = [list(read_games(tmp_path / f"{name}.pdn")) for name in ("follower", "initiator")]
    assert [game.moves for game in saved[0]] == [game.moves for game in saved[1]] == [game.moves for game in games]


def test_messages_of_an_initiator(peer_server):
    kr = connecting(peer_server, fen="W:W24:B11", color="white", minutes=5, moves=75, games=1)
    with accept(peer_server) as peer:
        peer.expect(f"R01{'kr':32}Z005075BW{'e' * 10}z{'e' * 12}w{'e' * 8}")
        peer.send(f"A{NAME}0")
        peer.play(SHORT, Side.BLACK, plies=1)
        peer.resign()
        peer.expect(None)
    [game] = kr.end()
    assert (game.result, game.opponent, game.minutes) == ("0-1", "peer", 5)


@pytest.mark.parametrize(("code", "said"), [(1, "another version"), (2, "another game"), (3, "no game")])
def test_a_refusal(peer_server, code, said):
    kr = connecting(peer_server)
    with accept(peer_server) as peer:
        peer.expect("R.*")
        peer.send("Cno", f"A{NAME}{code}")
        peer.expect(None)
    with pytest.raises(ProtocolError, match=f"peer refused the game: .*{said}"):
        kr.end()
    assert kr.games == []


def test_a_peer_that_wants_no_more(peer_server):
    kr = connecting(peer_server, games=3)
    with accept(peer_server) as peer:
        peer.expect("R.*")
        peer.send(f"A{NAME}0")
        peer.expect(MOVE)
        peer.send("E11")
        peer.expect("E00")
        peer.expect(None)
    with pytest.raises(ProtocolError, match="peer wants no more after 1 of 3 games"):
        kr.end()
    assert len(kr.games) == 1


BROKEN_ANSWERS = {
    "garbage": (b"HTTP/1.1 400 Bad Request\r\n\r\n\0", "is not a message"),
    "no answer": (None, "closed the connection"),
    "two initiators": (f"R01{NAME}Z000000BZ{START}".encode() + b"\0", "both sides are initiators"),
}


@pytest.mark.parametrize("name", BROKEN_ANSWERS)
def test_a_lost_connection_is_made_again(peer_server, name):
    answer, said = BROKEN_ANSWERS[name]
    kr = connecting(peer_server, games=2, color="white")
    with accept(peer_server) as peer:
        peer.expect("R.*")
        if answer is not None:
            peer.send(answer)
    with accept(peer_server) as peer:
        peer.expect("R.*")
        peer.send(f"A{NAME}0")
        peer.resign()
    first, second = kr.end()
    assert said in first.reason
    assert (first.result, second.result) == ("*", "0-1")


def test_nobody_is_there(peer_server, tmp_path):
    out = tmp_path / "new" / "games.pdn"
    address = f":{peer_server.getsockname()[1]}"
    peer_server.close()
    lines = []
    with pytest.raises(ProtocolError, match="can't connect to 127.0.0.1"):
        dxp.connect(ConnectSettings(**{**FAST, "address": address, "reconnect": 3, "out": out}), say=lines.append)
    assert len(lines) == 2
    assert "attempt 2 of 3" in lines[1]
    assert not list(tmp_path.iterdir())


def test_a_port_in_use(peer_server):
    with pytest.raises(ProtocolError, match="can't listen on 127.0.0.1"):
        dxp.listen(ListenSettings(**{**FAST, "address": f":{peer_server.getsockname()[1]}"}))


@pytest.mark.parametrize("answer", [None, "R"])
def test_the_answer_to_the_end_may_be_missing(peer_server, answer, monkeypatch):
    monkeypatch.setattr(dxp_game, "ANSWER_SECONDS", 0.2)
    kr = connecting(peer_server, games=1, moves=1)
    with accept(peer_server) as peer:
        peer.expect("R.*")
        peer.send(f"A{NAME}0")
        peer.play(Position(), Side.WHITE, plies=2)
        peer.expect("E01")
        if answer:
            peer.send(f"R01{NAME}Z000000BZ{START}")
        peer.expect(None)
    [game] = kr.end()
    assert game.reason == "1 move played"


# --- settings and commands


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (lambda: ListenSettings(address="a:b:c"), "HOST:PORT"),
        (lambda: ListenSettings(name="n" * 33), "1 to 32"),
        (lambda: ListenSettings(tc=Limits()), "no limit"),
        (lambda: ConnectSettings(fen="x"), "FEN"),
    ],
)
def test_settings_are_checked(settings, said):
    with pytest.raises(ValueError, match=said):
        settings()


def run(line, capsys):
    code = cli.main(line.split())
    return code, *capsys.readouterr()


ENGINE = "--weights material --hash 1MB --egdb none --tc nodes=50"


def test_connect_command(capsys, tmp_path):
    follower, address = listening(games=2)
    out, ballot = tmp_path / "games.pdn", tmp_path / "ballot.txt"
    ballot.write_text("\n".join(SHORT_GAMES))
    code, text, _ = run(f"dxp connect {address} --games 2 --ballot {ballot} {ENGINE} --out {out} --json", capsys)
    assert code == 0
    result = json.loads(text)
    follower.end()
    assert result["played"] == len(result["games"]) == 2
    assert result["wins"] + result["draws"] + result["losses"] == 2
    assert [game["color"] for game in result["games"]] == ["black", "white"]
    assert [game["fen"] for game in result["games"]] == [Position.from_fen(SHORT_GAMES[0]).fen] * 2
    assert [len(game.moves) for game in read_games(out)] == [len(game["moves"]) for game in result["games"]]


def test_commands_report_errors(capsys, peer_server):
    port = peer_server.getsockname()[1]
    code, _, error = run(f"dxp listen :{port} {ENGINE}", capsys)
    assert (code, error.count("\n")) == (1, 1)
    code, _, error = run(f"dxp connect :{port} --fen W:W24:B11 --ballot 3move {ENGINE}", capsys)
    assert (code, error.count("\n")) == (2, 1)
    code, _, error = run(f"dxp connect :{port}x {ENGINE}", capsys)
    assert (code, error.count("\n")) == (2, 1)
