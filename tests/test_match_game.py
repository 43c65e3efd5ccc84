"""One game of a match: its ends, adjudication, what engines may not do."""

from collections import Counter

import pytest

from kr.engine.limits import Limits, TimeControl
from kr.errors import ProtocolError
from kr.game.outcome import NO_MOVE, NO_PIECES, OVERTIME, REPETITION
from kr.game.position import Position, Side
from kr.match.game import AGREED_DRAW, AGREED_WIN, BY_PROOF, FAILURE, UNFINISHED, Adjudication, play_game
from kr.openings.decks import Opening
from kr.players.player import Reply

NODES = Limits(nodes=60)


class Scripted:
    """A player that chooses among the legal moves by number, with a score and a time made up."""

    def __init__(self, choose=lambda ply: 0, score=lambda ply: 0, time=0.0, fail=None):
        self.name = self.signature = "scripted"
        self.version = self.source = ""
        self.choose, self.score, self.time, self.fail = choose, score, time, fail
        self.plies = 0

    def new_game(self):
        self.plies = 0

    def search(self, position, limits, history, stop=None):
        self.plies += 1
        if self.fail and self.plies == 3:
            raise self.fail
        legal = position.legal_moves()
        return Reply(legal[self.choose(self.plies) % len(legal)], self.score(self.plies), 5, 100, self.time)

    def close(self):
        pass


TERMS = Adjudication(win_score=400, win_moves=3, draw_score=10, draw_moves=4, draw_after=12)


def game(fen, black, white, limits=NODES, terms=None, margin=0.1):
    return play_game(Opening("x 1", Position.from_fen(fen)), (black, white), (limits, limits), margin, terms)


def shuttle(*ways):
    """A player that moves its king to and fro: `ways` are the moves in turn."""
    player = Scripted()
    player.search = lambda position, limits, history, stop=None: Reply(
        position.parse_move(ways[len(history) // 2 % len(ways)]), 0, 1, 1, 0.0
    )
    return player


def test_side_without_a_move_loses():
    ended = game("B:W13:B5,6,1", Scripted(choose=lambda ply: 1), Scripted())
    assert (ended.winner, ended.reason) == (Side.BLACK, NO_MOVE)


@pytest.mark.parametrize(
    ("fen", "winner"), [("B:W18:B14", Side.BLACK), ("W:W18:B14", Side.WHITE), ("W:W10:B6,7,1", Side.WHITE)]
)
def test_side_without_pieces_loses(fen, winner):
    outcome = game(fen, Scripted(), Scripted())
    assert (outcome.winner, outcome.reason) == (winner, NO_PIECES)
    *_, final = replay(outcome)
    assert final.is_over
    assert final.side == winner.other


def replay(outcome):
    position = outcome.start
    yield position
    for move in outcome.moves:
        position = position.play(move)
        yield position


def test_third_repetition_is_a_draw():
    outcome = game("B:WK32:BK1", shuttle("1-5", "5-1"), shuttle("32-28", "28-32"))
    assert (outcome.winner, outcome.reason, len(outcome.moves)) == (None, REPETITION, 8)
    assert Counter(replay(outcome))[outcome.start] == 3


@pytest.mark.parametrize(
    ("scores", "winner", "reason"),
    [
        ((500, -500), Side.BLACK, AGREED_WIN),
        ((-500, 500), Side.WHITE, AGREED_WIN),
        ((29990, -29990), Side.BLACK, AGREED_WIN),
        ((5, -10), None, AGREED_DRAW),
        ((-10, 10), None, AGREED_DRAW),
    ],
)
def test_adjudication_needs_both_players(scores, winner, reason):
    def players(mine, theirs):
        return Scripted(score=lambda ply: mine), Scripted(score=lambda ply: theirs)

    start = Position().fen
    outcome = game(start, *players(*scores), terms=TERMS)
    assert (outcome.winner, outcome.reason) == (winner, reason)
    # three moves of each player suffice for a win, a draw also waits for its ply
    asked = sum(reply is not None for reply in outcome.replies)
    assert asked == 6 if reason == AGREED_WIN else len(outcome.moves) >= 12
    for one_sided in ((scores[0], 50), (50, scores[1]), (600, 600)):
        assert game(start, *players(*one_sided), terms=TERMS).reason not in (AGREED_WIN, AGREED_DRAW)
    assert game(start, *players(*scores), terms=None).reason not in (AGREED_WIN, AGREED_DRAW)


def test_a_program_that_tells_no_score_agrees_to_nothing():
    silent = Scripted()
    tells = silent.search
    silent.search = lambda *given, **named: tells(*given, **named)._replace(depth=0)
    assert game(Position().fen, Scripted(), Scripted(), terms=TERMS).reason == AGREED_DRAW
    assert game(Position().fen, Scripted(), silent, terms=TERMS).reason != AGREED_DRAW


def test_a_wavering_view_is_not_adjudicated():
    wavering = Scripted(score=lambda ply: 0 if ply % 3 == 0 else 500)
    outcome = game(Position().fen, wavering, Scripted(score=lambda ply: -500), terms=TERMS)
    assert outcome.reason not in (AGREED_WIN, AGREED_DRAW)


@pytest.mark.parametrize("side", list(Side))
def test_a_player_that_fails_loses(side):
    players = [Scripted(), Scripted()]
    players[side] = Scripted(fail=ProtocolError("it burnt down"))
    outcome = game(Position().fen, *players)
    assert (outcome.winner, outcome.reason, outcome.detail) == (side.other, FAILURE, "it burnt down")


def test_an_illegal_move_loses():
    cheat = Scripted()
    cheat.search = lambda position, limits, history, stop=None: Reply(Position().parse_move("9-13"), 0, 1, 1, 0.0)
    outcome = game(Position().play("11-15").fen, Scripted(), cheat)
    assert (outcome.winner, outcome.reason) == (Side.BLACK, FAILURE)
    assert "not legal" in outcome.detail


@pytest.mark.parametrize(
    ("time", "limits", "forfeit"),
    [(0.45, Limits(time=0.3), True), (0.35, Limits(time=0.3), False), (9.0, Limits(depth=3), False)],
)
def test_overstepping_the_time_loses(time, limits, forfeit):
    outcome = game(Position().fen, Scripted(time=time), Scripted(), limits)
    assert (outcome.reason == OVERTIME) == forfeit
    if forfeit:
        assert (outcome.winner, len(outcome.moves)) == (Side.WHITE, 0)


@pytest.mark.parametrize(
    ("times", "control", "forfeit", "plies"),
    [
        # Black takes 1 s a move; the margin is 0.1 s
        ((1.0, 0.0), "3s+0s", Side.BLACK, 6),
        ((1.0, 0.0), "3s+0.5s", Side.BLACK, 12),
        ((0.0, 1.0), "3s+0.5s", Side.WHITE, 12),
        ((1.0, 0.0), "2/2s", None, None),
        ((1.0, 0.0), "3/2s", Side.BLACK, 4),
        ((0.01, 0.01), "2s+10ms", None, None),
    ],
)
def test_a_clock_runs_down(times, control, forfeit, plies):
    players = [Scripted(time=time) for time in times]
    outcome = game(Position().fen, *players, TimeControl.parse(control))
    if forfeit is None:
        assert outcome.reason != OVERTIME
    else:
        # forced moves take no time: count the others
        asked = sum(reply is not None for reply in outcome.replies[forfeit::2])
        assert (outcome.reason, outcome.winner) == (OVERTIME, forfeit.other)
        assert asked == plies // 2
        assert "a move of" in outcome.detail


@pytest.mark.parametrize("score", [29000, -29000])
def test_a_proved_score_ends_the_game_or_tells_a_draw_apart(score):
    black, white = shuttle("1-5", "5-1"), shuttle("32-28", "28-32")
    prover = white if score > 0 else black
    search = prover.search
    prover.search = lambda *given: search(*given)._replace(score=score, proved=True)
    opening, limits = Opening("x 1", Position.from_fen("B:WK32:BK1")), (NODES, NODES)
    ended = play_game(opening, (black, white), limits, 0.1, None, proofs=True)
    assert (ended.winner, ended.reason, len(ended.moves)) == (Side.WHITE, BY_PROOF, 2 if score > 0 else 1)
    drawn = play_game(opening, (black, white), limits, 0.1, None)
    assert (drawn.winner, drawn.reason) == (None, UNFINISHED)
    assert drawn.detail == f"White had a proved win; {REPETITION}"


def test_a_forced_move_is_not_asked_for():
    outcome = game("B:W18,32:B14,1", Scripted(), Scripted())
    assert outcome.replies[0] is None
    assert str(outcome.moves[0]) == "14x23"
