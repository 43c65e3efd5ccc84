"""DXP over real sockets as the one that is asked: games, manners, peers that break every rule, the file of games."""

import random
import socket
from contextlib import closing
from types import SimpleNamespace

import pytest
from dxp_peers import FAST, NAME, SECONDS, START, Peer, Playing, link_pair, listening
from shortages import threads_left

from kr.engine.engine import Engine, SearchResult
from kr.engine.limits import Limits, TimeControl
from kr.errors import OutputBusyError, ThreadError
from kr.game.outcome import NO_MOVE, NO_PIECES
from kr.game.position import Position, Side
from kr.pdn import read_games
from kr.protocols import dxp, dxp_game
from kr.protocols.dxp import ListenSettings
from kr.protocols.dxp_game import DxpGame, Manners, Terms
from kr.protocols.dxp_text import format_dxp_move
from kr.protocols.dxp_thinker import SearchDone, Thinker
from kr.storage import lock

MOVE = r"M\d{8,}"
# White can only be taken after its move
SHORT = Position.from_fen("W:W24:B11")
pytestmark = pytest.mark.usefixtures("impatient")


# --- as follower


@pytest.mark.parametrize("own", Side)
def test_a_whole_game_is_played_and_saved(tmp_path, own):
    out = tmp_path / "games.pdn"
    kr, address = listening(games=1, out=out)
    chance = random.Random(1)
    with Peer.at(address) as peer:
        peer.ask(follower=own.other)
        end = peer.play(Position(), own, chance.choice)
        if end.side == own:
            peer.send("E10")
            peer.expect("E01")
        else:
            peer.expect("E11")
            peer.send("E00")
        peer.expect(None)
    [game] = kr.end()
    assert (game.color, game.opponent, game.faulty) == (own.other, "peer", False)
    assert game.reason in (NO_MOVE, NO_PIECES)
    assert game.result == ("0-1" if end.side == Side.BLACK else "1-0")
    assert game.points == float(end.side == own)
    [saved] = read_games(out)
    assert (saved.moves, saved.result, saved.start) == (game.moves, game.result, Position())
    assert (saved.tags["Black"], saved.tags["White"]) == (("peer", "kr") if own == Side.BLACK else ("kr", "peer"))
    assert [note.text for note in saved.notes] == [game.reason]


def test_an_unplayable_game_is_refused_and_the_next_one_played():
    kr, address = listening(games=1)
    requests = {
        f"R02{NAME}Z000000BZ{START}": (1, "version 2"),
        f"R01{NAME}Z000000A": (2, "10x10 start"),
        f"R01{NAME}Z000000BZ{'z' * 20 + 'e' * 10 + 'w' * 20}": (2, "50 squares"),
        f"R01{NAME}Z000000BZ{'z' * 13 + 'e' * 8 + 'w' * 11}": (2, "13 pieces"),
        f"R01{NAME}Z000000BZ{'w' * 12 + 'e' * 8 + 'z' * 12}": (2, "king row"),
    }
    with Peer.at(address) as peer:
        for number, (request, (code, said)) in enumerate(requests.items()):
            peer.send(request)
            peer.expect(f"Akr {{30}}{code}")
            assert len(kr.lines) == number + 1
            assert said in kr.lines[-1]
        peer.ask()
        peer.resign()
    assert [game.result for game in kr.end()] == ["0-1"]


@pytest.mark.parametrize(("who", "side"), [("black", Side.BLACK), ("white", Side.WHITE)])
def test_usual_start(who, side):
    kr, address = listening(games=1, usual_start=who)
    with Peer.at(address) as peer:
        peer.send(f"R01{NAME}{'ZW'[side.other]}000000A")
        peer.expect("A.*0")
        peer.play(Position(side=side), side, plies=2)
        peer.resign()
    assert kr.end()[0].start == Position(side=side)


def test_turned_positions():
    fen = "B:W18,24,27,28:B12,16,20,K31"
    kr, address = listening(games=1, frame="mover")
    with Peer.at(address) as peer:
        peer.send(f"R01{NAME}W000000BZeWeezzeezeeewezeweeeweeeeeeeeeee")
        peer.expect("A.*0")
        peer.play(Position.from_fen(fen), Side.BLACK, plies=4)
        peer.resign()
    assert kr.end()[0].start.fen == Position.from_fen(fen).fen


# what a peer does after its first move and kr's answer, and what is said of it; True where the connection goes on
FAULTS = {
    "garbage": (["hello"], "'hello' is not a message", False),
    "no ASCII": ([b"\xff\xfe\xfd\0"], "not ASCII text", False),
    "too long": ([b"C" * 5000], "more than 127 characters", False),
    "malformed": (["M00011115"], "MOVE 'M00011115'", False),
    "a square that is not": (["M0001115000"], "square '50' does not exist", False),
    "half a message": ([b"M000", None], "in the middle of a message", False),
    "gone": ([None], "closed the connection", False),
    "flood of chat": (["Cx"] * 200, "more than 100 messages without a move", False),
    "flood of bytes": ([b"Cx\0" * 20000], "messages", False),
    "illegal move": (["M0000112000"], "illegal move: 11-20 is not legal", True),
    "wrong captures": (["M000009130117"], "illegal move: 9x13", True),
    "another game": ([f"R01{NAME}W000000BZ{START}"], "asked for another game", True),
    "the end, for no reason": (["E00"], "peer ended the game", True),
    "a win from nowhere": (["E30"], "claiming a win that the board does not show", True),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_peer_ends_one_game(name):
    messages, said, goes_on = FAULTS[name]
    kr, address = listening(games=2)
    peer = Peer.at(address)
    peer.ask()
    peer.play(Position(), Side.BLACK, plies=2)
    for message in messages:
        if message is None:
            peer.socket.shutdown(socket.SHUT_WR)
            continue
        try:
            peer.send(message)
        except OSError:
            break
    if goes_on:
        if name == "another game":
            peer.expect("Akr {30}0")
        else:
            peer.expect("E00")
            if "E" not in messages[0]:
                peer.send("E00")
            peer.ask()
        peer.resign()
    else:
        with closing(peer), Peer.at(address) as second:
            second.ask()
            second.resign()
    first, _ = kr.end()
    peer.close()
    assert said in first.reason
    assert "\n" not in first.reason
    assert (first.result, len(first.moves)) == ("*", 2)
    assert first.faulty == (name not in ("the end, for no reason", "a win from nowhere"))


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "said"), [([], "silent for too long"), ([b"M00"], "in the middle of a message")])
def test_silence(sent, said):
    kr, address = listening(games=1, timeout=1.5)
    with Peer.at(address) as peer:
        peer.ask()
        peer.send(*sent)
        peer.expect(None)
    [game] = kr.end()
    assert said in game.reason
    assert game.result == "*"


@pytest.mark.slow
def test_silence_before_a_game_lets_the_next_program_in():
    kr, address = listening(games=1, timeout=1.5)
    with Peer.at(address) as silent, Peer.at(address) as peer:
        silent.expect(None)
        peer.ask()
        peer.resign()
    assert len(kr.end()) == 1
    assert "silent for too long" in kr.lines[0]


def test_noise_before_a_game_is_not_a_game():
    kr, address = listening(games=1)
    with Peer.at(address) as peer:
        peer.send("E01", "Cgood day", "B001Z", "K0", "M0000111500")
        peer.expect("K1")
        peer.ask()
        peer.resign()
    assert len(kr.end()) == 1
    assert "good day" in kr.lines[0]


SLOW = {"tc": Limits(nodes=10**12), "weights": "material"}


@pytest.mark.parametrize(
    ("message", "result", "reason"),
    [
        ("M0000111500", "*", "moves when it is not its turn"),
        ("E10", "1-0", "gave up"),
        ("E20", "1/2-1/2", "called it a draw"),
        (None, "*", "closed the connection"),
    ],
)
def test_kr_listens_while_it_thinks(message, result, reason):
    kr, address = listening(games=1, **SLOW)
    with Peer.at(address) as peer:
        peer.ask(follower=Side.BLACK)
        if message is None:
            peer.close()
        else:
            peer.send(message)
            peer.expect("E01")
            peer.send("E00")
    [game] = kr.end()
    assert (game.result, game.moves) == (result, ())
    assert reason in game.reason


def test_moves_are_taken_back():
    kr, address = listening(games=1)
    with Peer.at(address) as peer:
        peer.ask(follower=Side.WHITE)
        first = peer.play(Position(), Side.BLACK, plies=2)
        peer.play(first, Side.BLACK, plies=4)
        peer.send("B002Z")
        peer.expect("K0")
        second = peer.play(first, Side.BLACK, lambda moves: moves[-1], plies=2)
        # to the position with White, kr, to move: it moves again
        peer.send("B002W")
        peer.expect("K0")
        peer.expect(MOVE)
        for impossible in ("B000Z", "B004Z", "B999W"):
            peer.send(impossible)
            peer.expect("K2")
        peer.resign()
    [game] = kr.end()
    assert len(game.moves) == 4
    assert first.play(game.moves[2]).play(game.moves[3]) == second
    assert "goes back to move 2, 2 plies" in kr.lines[0]


def test_moves_are_taken_back_while_kr_thinks():
    kr, address = listening(games=1, **SLOW)
    with Peer.at(address) as peer:
        peer.ask(follower=Side.WHITE)
        for _ in range(3):
            peer.send("M0000111500", "B001Z")
            peer.expect("K0")
        # a game that kr began: the first position is its own again, and it goes on thinking
        peer.resign()
        peer.expect(None)
    assert kr.end()[0].moves == ()


@pytest.mark.parametrize(
    ("given", "plies", "request_back", "answer"),
    [
        ({"takeback": False}, 2, "B001Z", "K2"),
        # a peer that turns the board counts from White
        ({"frame": "mover"}, 4, "B002W", "K0"),
    ],
)
def test_take_back_refused_or_counted_from_white(given, plies, request_back, answer):
    kr, address = listening(games=1, **given)
    with Peer.at(address) as peer:
        peer.ask()
        peer.play(Position(), Side.BLACK, plies=plies)
        peer.send(request_back)
        peer.expect(answer)
        peer.resign()
    assert len(kr.end()[0].moves) == 2


def test_chat_is_shown_and_answered_once_a_move():
    kr, address = listening(games=1, chat="Good luck!")
    with Peer.at(address) as peer:
        peer.ask()
        peer.expect("CGood luck!")
        peer.send("Chow are you?", "Cand now?")
        peer.expect("Ckr plays by itself; it has not searched yet.")
        peer.play(Position(), Side.BLACK, plies=2)
        peer.send("Cgood \x07 move")
        score = r"([+-]\d+|0|win|loss)"
        peer.expect(rf"Ckr plays by itself; its last move: score {score} at depth \d+(, expecting \d+[-x]\d+)?\.")
        peer.resign()
    kr.end()
    assert kr.lines == ["peer says: how are you?", "peer says: and now?", "peer says: good ? move"]


def test_the_game_ends_after_the_moves_agreed():
    kr, address = listening(games=1)
    with Peer.at(address) as peer:
        peer.ask(follower=Side.BLACK, moves=2)
        peer.play(Position(), Side.WHITE, plies=4)
        peer.expect("E01")
        peer.send("E00")
    [game] = kr.end()
    assert (game.result, game.reason, len(game.moves)) == ("*", "2 moves played", 4)


@pytest.mark.parametrize(
    ("fen", "own", "end", "result"),
    [
        ("B:WK32:BK1,K2", Side.BLACK, "E31", "1-0"),
        ("W:WK32:BK1,K2", Side.WHITE, "E11", "1-0"),
        ("B:WK32:BK1", Side.BLACK, "E21", "1/2-1/2"),
    ],
)
def test_the_database_decides_a_game_cut_short_by_agreement(whole, fen, own, end, result):
    kr, address = listening(games=1, egdb=str(whole))
    with Peer.at(address) as peer:
        peer.ask(own, Position.from_fen(fen), moves=1)
        peer.play(Position.from_fen(fen), own.other, plies=2)
        peer.expect(end)
        peer.send("E00")
    [game] = kr.end()
    assert (game.result, game.reason) == (result, "1 move played, endgame database")


@pytest.fixture
def clock(monkeypatch):
    """A clock of games that stands still unless its `now` is changed."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(dxp_game, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


class Scripted(Thinker):
    """Makes the moves of a line in turn with the peer, which sends `end` after the last one.

    clock, seconds: each of our own moves takes so long. limits: those of our moves.
    """

    def __init__(self, peer, start, line, end, clock, seconds):
        super().__init__(Engine("material", 1, database=None))
        self.peer, self.end, self.clock, self.seconds = peer, end, clock, seconds
        self.limits = []
        self.moves = []
        for text in line.split():
            self.moves.append(start.parse_move(text))
            start = start.play(self.moves[-1])

    def start(self, position, limits, history, link):
        self.limits.append(limits)
        if self.clock:
            self.clock.now += self.seconds
        if self.moves:
            move = self.moves.pop(0)
            link.put(SearchDone(0, SearchResult(move, 0, 1, 1, 0.0, (move,), ())))
        self.answer()
        return 0

    def answer(self):
        """Send the peer's next message."""
        self.peer.send(format_dxp_move(self.moves.pop(0)) if self.moves else self.end)


def agreed_game(own, start=None, line="", end="E00", minutes=1, moves=40, clock=None, seconds=0.0, **manners):
    """A game that was agreed, its link, the peer, and who makes our moves."""
    link, peer = link_pair()
    start = start or Position()
    thinker = Scripted(peer, start, line, end, clock, seconds)
    game = DxpGame(link, thinker, Terms(own, start, "peer", minutes, moves), Manners(**manners), last=True)
    return game, link, peer, thinker


@pytest.mark.parametrize(
    ("fen", "moves", "end", "result", "reason"),
    [
        ("B:WK32:BK1", "1-6 32-27 6-1 27-32 1-6 32-27 6-1", "E01", "1/2-1/2", "repetition, by a move"),
        ("B:WK32:BK1", "1-6 32-27 6-1 27-32 1-6 32-27 6-1", "E31", "*", "claiming a win"),
        ("B:WK32:BK1", "1-6 32-27 6-1", "E01", "*", "peer ended the game"),
        ("B:WK7,32:B1", "1-6", "E01", "*", "peer ended the game"),
        ("B:WK9,32:B1", "1-6", "E01", "0-1", "no pieces left, by a move"),
        ("B:WK9,32:B1", "1-6", "E31", "0-1", "no pieces left, by a move"),
    ],
)
def test_the_last_move_may_not_be_sent(fen, moves, end, result, reason):
    game, link, _, _ = agreed_game(Side.BLACK, Position.from_fen(fen), moves, end, minutes=0)
    ending = game.play()
    assert (ending.result, ending.stop) == (result, True)
    assert reason in ending.reason
    assert " ".join(map(str, game.board.moves)) == moves
    link.close()


@pytest.mark.parametrize("plies", [8, 9])
def test_repetition_is_a_draw(plies):
    """Also if the other side, whose move made it one, plays on."""
    own = Side(plies % 2)
    line = " ".join([*["1-6", "32-27", "6-1", "27-32"] * 2, "1-5"][:plies])
    game, link, peer, thinker = agreed_game(own, Position.from_fen("B:WK32:BK1"), line)
    if own is Side.WHITE:
        thinker.answer()
    ending = game.play()
    assert (ending.result, ending.reason) == ("1/2-1/2", "repetition")
    assert len(game.board.moves) == plies
    peer.send("E00")
    game.part(ending)
    for _ in thinker.limits:
        peer.expect(MOVE)
    peer.expect("E21")
    link.close()


def test_a_peer_whose_clock_has_run_out(clock):
    game, link, peer, _ = agreed_game(Side.WHITE, claim_time=True, greeting="hello")
    kr = Playing(lambda to: to.games.append(game.play()))
    # then its turn has begun
    peer.expect("Chello")
    clock.now += 60.1
    peer.send("M0000111500")
    [ending] = kr.end()
    assert (ending.result, ending.reason) == ("0-1", "time")
    peer.send("E00")
    game.part(ending)
    peer.expect("E31")
    link.close()


def test_our_clock_has_run_out(clock):
    game, link, _, thinker = agreed_game(Side.WHITE, line="11-15", end="E30", clock=clock, seconds=60.1)
    thinker.answer()
    ending = game.play()
    assert (ending.result, ending.reason) == ("1-0", "time")
    link.close()


LEVELS = [
    # level, minutes and moves of the request, seconds of each move, plies made; the limits of the next move
    (None, 0, 0, 20.0, 2, Limits(time=1.0)),
    (None, 1, 40, 20.0, 2, Limits(left=40.0, moves=39)),
    (None, 1, 6, 10.0, 4, Limits(left=40.0, moves=4)),
    (None, 1, 2, 20.0, 2, Limits(left=40.0, moves=1)),
    (None, 1, 0, 35.0, 4, Limits(left=-10.0)),
    (Limits(time=0.2, nodes=7), 1, 0, 0.0, 0, Limits(time=0.2, nodes=7, left=60.0)),
    (Limits(depth=3), 0, 20, 0.0, 0, Limits(depth=3)),
    (TimeControl(300.0, 3.0), 0, 0, 0.0, 0, Limits(left=300.0, inc=3.0)),
    (TimeControl(300.0, 3.0), 1, 0, 0.0, 0, Limits(left=60.0)),
    (TimeControl(30.0, 0.0), 1, 0, 0.0, 0, Limits(left=30.0)),
    (TimeControl(60.0, 2.0), 0, 0, 10.0, 4, Limits(left=60.0 - 20.0 + 4.0, inc=2.0)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("level", "minutes", "moves", "seconds", "plies", "limits"), LEVELS)
def test_limits_of_a_move(clock, level, minutes, moves, seconds, plies, limits):
    line = " ".join(["11-15", "22-18", "15x22", "25x18"][:plies])
    game, link, _, thinker = agreed_game(
        Side.BLACK, line=line, minutes=minutes, moves=moves, clock=clock, seconds=seconds, level=level
    )
    game.play()
    assert len(game.board.moves) == plies
    assert thinker.limits[-1] == limits
    link.close()


def test_ctrl_c_keeps_the_game(tmp_path):
    out = tmp_path / "games.pdn"
    settings = ListenSettings(**{**FAST, "address": ":0", "out": out})

    def interrupted(line):
        raise KeyboardInterrupt

    def play(to):
        dxp.listen(settings, to.games.append, interrupted, to.address.put)

    kr = Playing(play)
    with Peer.at(kr.address.get(timeout=SECONDS)) as peer:
        peer.ask()
        peer.play(Position(), Side.BLACK, plies=4)
        peer.send("Cwhatever")
        peer.expect("E01")
        peer.expect(None)
    with pytest.raises(KeyboardInterrupt):
        kr.end()
    [game] = read_games(out)
    assert (len(game.moves), game.result, game.notes[0].text) == (4, "*", "interrupted")


# --- the file of games


def test_games_are_appended(tmp_path):
    out = tmp_path / "games.pdn"
    out.write_text('[Event "old"]\n\n1. 11-15 22-18 *')
    for _ in range(2):
        kr, address = listening(games=2, out=out)
        with Peer.at(address) as peer:
            for _ in range(2):
                peer.ask()
                peer.resign()
        kr.end()
    games = list(read_games(out))
    assert [game.tags["Event"] for game in games] == ["old", *["DXP game"] * 4]
    assert "\n\n\n" not in out.read_text()


def test_a_file_that_another_writes_is_refused(tmp_path):
    out = tmp_path / "games.pdn"
    with lock(out), pytest.raises(OutputBusyError):
        dxp.listen(ListenSettings(**{**FAST, "address": ":0", "out": out}))


# of a connection, its reader comes before a search
@pytest.mark.posix("no setrlimit")
@pytest.mark.parametrize(("name", "started"), [("reader", 0), ("search", 1)])
def test_threads_that_cannot_be_started_end_it_and_tell_the_peer(tmp_path, name, started):
    kr, address = listening(games=1, out=tmp_path / "games.pdn")
    # before anything connects: the threads of a connection start at once
    with threads_left(started), Peer.at(address) as peer:
        if name == "search":
            peer.ask(follower=Side.BLACK)
            peer.expect("E01")
            # what it says to the end of the game, which it can't say any more
            peer.send("E00")
        peer.expect(None)
        with pytest.raises(ThreadError, match="cannot start a thread"):
            kr.end()
    games = tmp_path / "games.pdn"
    assert len(list(read_games(games)) if games.exists() else []) == (name == "search")
