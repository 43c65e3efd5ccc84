"""Games at the board, step by step, for programs that must not wait."""

import time
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from at_the_board import Scripted, start

from kr.engine.limits import Limits
from kr.errors import ProtocolError
from kr.game.outcome import RESIGNATION
from kr.game.position import Position
from kr.pdn import read_game
from kr.play.play import Play
from kr.play.setup import PlaySettings
from kr.play.table import Prompt, Thought


def drive(steps, lines, find=lambda thought: thought.find()):
    """A game whose steps are answered one by one, without a table that waits; its ending and what was wanted."""
    wants, lines = [], iter(lines)
    wanted = next(steps)
    while True:
        wants.append(wanted)
        try:
            wanted = steps.send(next(lines) if isinstance(wanted, Prompt) else find(wanted))
        except StopIteration as end:
            return end.value, wants


class Patient:
    """A table that is never asked."""

    def __init__(self):
        self.kinds = []

    def tell(self, event):
        self.kinds.append(event.kind)


@pytest.mark.slow
def test_a_game_step_by_step_is_the_same_game(tmp_path):
    lines = ["hint", "11-15", "", "moves", "8-11", "undo", "9-13", "resign"]
    games = []
    for number, find in enumerate((lambda thought: thought.find(), in_another_thread)):
        table = Patient()
        settings = PlaySettings(
            level=3, seed=1, hash=1 << 20, hint_tc=Limits(nodes=100), egdb="none", out=tmp_path / f"{number}.pdn"
        )
        ending, wants = drive(Play.prepare(settings, table).steps(), lines, find)
        assert ending.reason == RESIGNATION
        assert [type(wanted) for wanted in wants].count(Thought) == 4
        games.append((ending, table.kinds, read_game(tmp_path / f"{number}.pdn").end().position))
    assert games[0] == games[1]


def in_another_thread(thought):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(thought.find).result(60)


def test_a_step_that_fails_or_is_not_answered_leaves_the_game(tmp_path, monkeypatch):
    play, table = start(tmp_path, monkeypatch, [], Scripted())
    steps = play.steps()
    next(steps)
    assert isinstance(steps.send("11-15"), Thought)
    with pytest.raises(ProtocolError):
        steps.throw(ProtocolError("gone"))
    assert table.kinds()[-1] == "left"
    engine = Scripted()
    play, table = start(tmp_path, monkeypatch, [], engine, out=tmp_path / "other.pdn")
    steps = play.steps()
    next(steps)
    steps.send("11-15")
    steps.close()
    assert table.kinds()[-1] == "left"
    assert engine.closed
    assert read_game(tmp_path / "other.pdn").end().position == Position().play("11-15")


@pytest.mark.slow
def test_a_thought_can_be_ended_from_another_thread(tmp_path):
    settings = PlaySettings(
        side="white", level=10, hash=1 << 20, egdb="none", book="none", tc_engine=Limits(time=3600), out="none"
    )
    play = Play.prepare(settings, Patient())
    steps = play.steps()
    thought = next(steps)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(thought.find)
        time.sleep(0.02)
        thought.stop()
        reply = found.result(60)
    assert reply.move in Position().legal_moves()
    # the stop was for this search only: the player plays on
    steps.send(reply)
    thought = steps.send(str(play.board.position.legal_moves()[0]))
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(thought.find)
        assert not wait([found], 0.05).done
        thought.stop()
        assert found.result(60).move in play.board.position.legal_moves()
    steps.close()


def test_steps_that_are_closed_before_the_first_close_the_players(tmp_path, monkeypatch):
    engine = Scripted()
    play, table = start(tmp_path, monkeypatch, [], engine)
    play.steps().close()
    assert engine.closed
    assert not table.events
