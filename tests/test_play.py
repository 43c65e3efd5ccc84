"""Games at the board: how the rules end them, clocks, offers, the command, the terminal."""

import io
import json
import os
import sys
from pathlib import Path

import pytest
from at_the_board import TINY, Scripted, kept, start
from refusals import check_refused

from kr.cli import main, terminal
from kr.engine.engine import Engine
from kr.engine.limits import Limits, TimeControl
from kr.game.outcome import AGREEMENT, NO_PIECES, OVERTIME, REPETITION, RESIGNATION
from kr.game.position import Position, Side
from kr.pdn import read_game
from kr.play import play as play_module
from kr.play.input import TABLE_COMMANDS
from kr.play.manners import OFFER_AGAIN
from kr.play.play import clock_text
from kr.play.setup import HUMAN
from kr.play.table import Event, TimeUp, View
from kr.system import join_command, split_command


def test_a_game_to_its_end(tmp_path, monkeypatch):
    play, table = start(tmp_path, monkeypatch, ["7", "10 "], ballot="B:W15:B7", side="black")
    # 7-10 is answered by 15x6, which ends the game: Black has nothing left
    ending = play.run()
    assert (ending.winner, ending.reason, ending.result) == (Side.WHITE, NO_PIECES, "0-1")
    game = kept(tmp_path)
    assert (game.result, game.headers["Termination"], game.headers["Black"]) == ("0-1", NO_PIECES, "human")
    assert [str(move) for move in game.moves] == ["7-10", "15x6"]
    assert game.start == Position.from_fen("B:W15:B7")
    assert table.kinds() == ["start", "turn", "more", "move", "move", "end"]
    assert table.asked[1][0] == "Black: 7-"
    assert table.asked[1][1] == ["10", "11"]


def test_completions(tmp_path, monkeypatch):
    play, table = start(tmp_path, monkeypatch, [])
    assert play.run() is None
    (_, words, seconds), *_ = table.asked
    assert set(words) == {str(move) for move in Position().legal_moves()} | set(TABLE_COMMANDS)
    assert seconds is None
    assert not (tmp_path / "game.pdn").exists()
    assert table.said("left") == ["nothing was played"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("foo", "neither a move nor a command"),
        ("22-18", "Black's legal moves are"),
        ("save", "save FILE"),
        (f"save {__file__}/x", f"{Path(__file__)} is not a directory"),
        ("save a\0b", "is not a file name"),
        pytest.param(
            "save ~nobody-of-that-name/x", "is not a file name", marks=pytest.mark.posix("homes of others are guessed")
        ),
        ("\ufffd\ufffd", "neither a move nor a command"),
        ("undo", "no move to take back"),
        ("\x00", "neither a move nor a command"),
    ],
)
def test_bad_lines_get_one_line_and_the_prompt_again(tmp_path, monkeypatch, line, said):
    play, table = start(tmp_path, monkeypatch, [line, "", "11-15", "quit"])
    assert play.run() is None
    (error,) = table.said("error")
    assert said in error
    assert "\n" not in error
    assert next(str(move) for move in kept(tmp_path).moves) == "11-15"


def test_commands_that_show(tmp_path, monkeypatch):
    play, table = start(tmp_path, monkeypatch, ["moves", "help", "flip", "board", "11", "flip", "15"])
    play.run()
    assert table.said("moves")[0].startswith("legal: ")
    assert all(f"  {name}" in table.said("help")[0] for name in TABLE_COMMANDS)
    views = [event.view.flipped for event in table.events if event.view]
    # Black sits at the bottom to begin with
    assert views[:4] == [True, False, False, True]
    # the command made a new beginning of the squares
    assert "no move" not in "".join(table.said("error"))
    assert table.kinds()[-2:] == ["error", "left"]


def test_undo_takes_both_plies_back(tmp_path, monkeypatch):
    play, table = start(
        tmp_path,
        monkeypatch,
        ["11-15", "undo", "9-14", "5-9", "undo", "undo", "12-16"],
        Scripted(["23-19", "23-19", None]),
    )
    assert play.run() is None
    assert [event.facts["plies"] for event in table.events if event.kind == "undo"] == [2, 2, 2]
    assert next(str(move) for move in kept(tmp_path).moves) == "12-16"


def test_undo_of_everything_is_kept_too(tmp_path, monkeypatch):
    play, _ = start(tmp_path, monkeypatch, ["11-15", "undo", "quit"])
    play.run()
    assert kept(tmp_path).moves == ()


def test_undo_between_people_is_one_ply(tmp_path, monkeypatch):
    play, _table = start(tmp_path, monkeypatch, ["11-15", "22-18", "undo", "23-19"], black=HUMAN, white=HUMAN)
    play.run()
    assert [str(move) for move in kept(tmp_path).moves] == ["11-15", "23-19"]


def test_the_engine_begins(tmp_path, monkeypatch):
    play, table = start(tmp_path, monkeypatch, ["undo", "22-18"], Scripted(["11-15", None]), side="white")
    play.run()
    assert "no move to take back" in table.said("error")[0]
    assert [str(move) for move in kept(tmp_path).moves][:2] == ["11-15", "22-18"]
    assert not next(event for event in table.events if event.kind == "turn").view.flipped


def test_resignation_of_a_person(tmp_path, monkeypatch):
    play, _ = start(tmp_path, monkeypatch, ["11-15", "resign"])
    assert play.run().reason == RESIGNATION
    assert kept(tmp_path).result == "0-1"


@pytest.mark.parametrize("resign", [True, False])
def test_resignation_of_an_engine(tmp_path, monkeypatch, resign):
    lines = ["11-15", "8-11", "4-8", "12-16", "15-19"]
    moves = ["22-17", "17-13", "25-22", "29-25"]
    play, _ = start(tmp_path, monkeypatch, lines, Scripted(moves, [-450] * 9), resign=resign)
    ending = play.run()
    assert (ending is not None) is resign
    assert kept(tmp_path).result == ("1-0" if resign else "*")


KINGS = "B:WK32,K31:BK1,K2"


def test_third_repetition_is_declared(tmp_path, monkeypatch):
    play, _ = start(tmp_path, monkeypatch, ["1-5", "5-1"] * 9, Scripted(["32-28", "28-32"] * 9), ballot=KINGS)
    assert play.run().reason == REPETITION
    assert kept(tmp_path).result == "1/2-1/2"


def test_draws_are_offered_and_answered(tmp_path, monkeypatch):
    lines = ["draw", "draw", "11-15", "draw"]
    play, table = start(tmp_path, monkeypatch, lines)
    assert play.run() is None
    assert len(table.said("answer")) == 1
    assert "declines: it accepts no draw before" in table.said("answer")[0]
    assert f"again in {OFFER_AGAIN} plies" in table.said("error")[0]
    assert f"again in {OFFER_AGAIN - 2} plies" in table.said("error")[1]


def test_a_draw_is_accepted_by_an_engine_that_stands_worse(tmp_path, monkeypatch):
    lines = ["11-15", "8-11", "4-8", "12-16", "9-14", "draw"]
    moves = ["22-17", "17-13", "25-22", "29-25", "24-20"]
    play, _ = start(tmp_path, monkeypatch, lines, Scripted(moves, [-60] * 9))
    assert play.run().reason == AGREEMENT
    assert kept(tmp_path).headers["Termination"] == AGREEMENT


def test_people_agree_or_move_on(tmp_path, monkeypatch):
    play, table = start(tmp_path, monkeypatch, ["draw", "11-15", "draw"], black=HUMAN, white=HUMAN)
    assert play.run().reason == AGREEMENT
    play, table = start(
        tmp_path, monkeypatch, ["draw", "11-15", "22-18", "draw"], black=HUMAN, white=HUMAN, out=tmp_path / "b.pdn"
    )
    assert play.run() is None
    assert "already" in table.said("error")[0]


def test_an_engine_offers(tmp_path, monkeypatch):
    monkeypatch.setattr(play_module, "offers_draw", lambda scores, plies: True)
    play, table = start(tmp_path, monkeypatch, ["11-15", "draw"])
    assert play.run().reason == AGREEMENT
    assert table.said("offer") == ["White offers a draw; draw accepts, a move declines"]


# --- clocks


def test_clocks_run_and_are_written_down(tmp_path, monkeypatch):
    engine = Scripted(["23-19", "22-17"], time=4.0)
    play, table = start(
        tmp_path, monkeypatch, ["11-15", "moves", "8-11"], engine, tc=TimeControl(60, 2), seconds=5.0, margin=0.0
    )
    play.run()
    nodes = list(kept(tmp_path).mainline())
    # 60 s, 5 gone and 2 more; 60 s, 4 gone and 2 more; then two lines of 5 s each
    assert [node.clock() for node in nodes][:3] == [57, 58, 49]
    assert [node.emt() for node in nodes][:3] == [5, 4, 10]
    assert engine.asked[0] == Limits(left=60, inc=2)
    assert table.asked[0][0] == "Black (1:02): "
    assert table.asked[0][2] == 62


def test_undo_turns_the_clocks_back(tmp_path, monkeypatch):
    play, table = start(
        tmp_path, monkeypatch, ["11-15", "8-11", "undo"], Scripted(["23-19", "22-17"]), tc=TimeControl(60), seconds=5.0
    )
    play.run()
    clocks = [event.facts["clocks"] for event in table.events if event.kind == "turn"]
    assert clocks == [[60, 60], [55, 60], [50, 60], [55, 60]]


@pytest.mark.parametrize("typed", ["11-15", TimeUp()])
def test_a_person_loses_on_time(tmp_path, monkeypatch, typed):
    play, _ = start(tmp_path, monkeypatch, [typed], tc=TimeControl(9), seconds=10.0)
    ending = play.run()
    assert (ending.winner, ending.reason) == (Side.WHITE, OVERTIME)


def test_an_engine_loses_on_time(tmp_path, monkeypatch):
    play, _ = start(tmp_path, monkeypatch, ["11-15"], Scripted(time=9.5), tc_engine=TimeControl(9))
    ending = play.run()
    assert (ending.winner, ending.reason, kept(tmp_path).result) == (Side.BLACK, OVERTIME, "1-0")


@pytest.mark.parametrize(
    ("seconds", "text"), [(302.4, "5:03"), (59.99, "1:00"), (9.96, "10.0"), (3.21, "3.2"), (-1, "0.0")]
)
def test_clock_text(seconds, text):
    assert clock_text(seconds) == text


# --- ballots


def test_the_moves_of_a_ballot_are_moves_of_the_game(tmp_path, monkeypatch, capsys):
    play, table = start(tmp_path, monkeypatch, ["quit"], Scripted(), ballot="3move", tc=TimeControl(60, 5, 40))
    assert play.run() is None
    game = kept(tmp_path)
    assert game.start == Position()
    # White, the engine, has answered the ballot; its three plies took no time and no moves of the control
    name, _, line = game.headers["Opening"].partition(": ")
    assert [str(move) for move in game.moves][:3] == line.split()
    assert len(game.moves) == 4
    assert [node.emt() for node in game.mainline()] == [None, None, None, 0.0]
    begin = table.events[0]
    assert (begin.facts["start"], begin.facts["ply"]) == (Position().fen, 3)
    assert [seat.clock.moves for seat in play._seats] == [40, 39]
    assert [seat.clock.left for seat in play._seats] == [60, 65]
    assert main(["pdn", "search", str(tmp_path / "game.pdn"), "--ballot", name.removeprefix("3move ")]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 game")

    play, table = start(tmp_path, monkeypatch, [], resume=tmp_path / "game.pdn")
    assert [seat.clock.moves for seat in play._seats] == [40, 39]
    assert play.board.position == game.end().position


def test_nobody_takes_a_ballot_back(tmp_path, monkeypatch):
    play, table = start(tmp_path, monkeypatch, ["undo", "quit"], black=HUMAN, white=HUMAN, ballot="3move")
    assert play.run() is None
    assert table.said("error") == ["you have no move to take back"]
    assert len(play.board.moves) == 3
    # nothing was played at the board, so nothing is kept
    assert not (tmp_path / "game.pdn").exists()
    assert table.said("left") == ["nothing was played"]


def test_eleven_men_begin_where_the_men_are_taken(tmp_path, monkeypatch):
    play, _ = start(tmp_path, monkeypatch, ["quit"], ballot="11man", side="white")
    assert play.run() is None
    game = kept(tmp_path)
    assert game.start.pieces == 22
    assert game.headers["Opening"].startswith("11man ")
    assert len(game.moves) == 1


def test_a_game_from_before_ballots_were_moves_is_resumed(tmp_path, monkeypatch):
    path = tmp_path / "old.pdn"
    position = Position().play("9-13").play("21-17").play("5-9")
    path.write_text(
        f'[SetUp "1"]\n[FEN "{position.fen}"]\n[BlackPlayer "human"]\n[WhitePlayer "human"]\n'
        '[Opening "3move 1: 9-13 21-17 5-9"]\n\n1... 23-18 {[%emt 0:00:01]} *\n'
    )
    play, _ = start(tmp_path, monkeypatch, ["undo", "quit"], resume=path)
    assert play.run() is None
    assert play.board.moves == ()
    assert play.board.position == position


# --- real engines, and the command


def test_hint_and_eval(tmp_path, monkeypatch):
    def make_adviser():
        table.now += 20
        return Engine("material", hash_mb=1, database="none")

    given = {"ballot": "W:W18:B14,K1", "side": "white", "tc": TimeControl(60), "hint_tc": Limits(nodes=200)}
    play, table = start(tmp_path, monkeypatch, ["hint", "eval"], seconds=0.0, make_adviser=make_adviser, **given)
    assert play.run() is None
    # the clock stands still while the engine is made and searches
    assert [prompt for prompt, _, _ in table.asked] == ["White (1:00): "] * 3
    hint, evaluation = (event for event in table.events if event.kind in ("hint", "eval"))
    assert hint.facts["move"] == "18x9"
    assert hint.text.startswith("18x9: ")
    assert "expected result" in evaluation.text
    assert evaluation.facts["win"] + evaluation.facts["draw"] + evaluation.facts["loss"] == pytest.approx(1, abs=1e-3)


def command(monkeypatch, line, typed=""):
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return main(split_command(line))


def test_the_command(tmp_path, monkeypatch, capsys):
    line = f"play --white material --level 1 --seed 3 --tc {TINY} --out {tmp_path}/a.pdn --hash 1MB"
    assert command(monkeypatch, line, "11-15\nnonsense\n") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("Black: human, White: material level 1\n")
    assert "Black: 11-15\n" in out
    assert "White (material level 1) plays " in out
    assert "| 4 b         3 b" in out
    assert out.endswith(f"resume it with: {join_command(['kr', 'play', '--resume', str(tmp_path / 'a.pdn')])}\n")
    assert "\x1b" not in out
    once = read_game(tmp_path / "a.pdn")
    assert command(monkeypatch, line.replace("a.pdn", "b.pdn"), "11-15\n") == 0
    assert read_game(tmp_path / "b.pdn").moves == once.moves
    capsys.readouterr()
    check_refused(capsys, line, 2, "--resume")


def test_events_for_programs(tmp_path, monkeypatch, capsys):
    line = f"play --white material --tc {TINY} --out none --hash 1MB --egdb none --book none --json"
    assert command(monkeypatch, line, "11-15\nbad\nresign\n") == 0
    events = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in events] == ["start", "turn", "move", "thinking", "move", "turn", "error", "end"]
    assert events[2]["side"] == "black"
    assert events[2]["move"] == "11-15"
    assert events[4]["nodes"] > 0
    assert events[4]["fen"] == events[5]["fen"]
    assert events[-1]["result"] == "0-1"
    assert events[-1]["winner"] == "white"


def test_engines_among_themselves(tmp_path, monkeypatch, capsys):
    line = f"play --seed 2 --black manual,level=2 --white material --tc {TINY} --out {tmp_path}/a.pdn --hash 1MB"
    line += " --ballot 11man"
    assert command(monkeypatch, line) == 0
    out = capsys.readouterr().out
    game = read_game(tmp_path / "a.pdn")
    assert game.result in ("1-0", "0-1", "1/2-1/2")
    assert out.count("plays") == len(game.moves)
    assert game.headers["Opening"].startswith("11man ")
    check_refused(capsys, f"play --resume {tmp_path}/a.pdn", 2, "the game is over")


def test_engines_of_one_name_are_told_apart(tmp_path, monkeypatch):
    def from_command(spec):
        made = Scripted()
        made.source = spec.removeprefix("hub:")
        return made

    specs = {"black": "hub:old/kr hub", "white": "hub:new/kr hub"}
    play, table = start(tmp_path, monkeypatch, [], from_command, ballot="B:W15:B7", **specs)
    play.run()
    names = {"black": "scripted (old/kr)", "white": "scripted (new/kr)"}
    assert {side: table.events[0].facts[side] for side in names} == names
    assert [kept(tmp_path).headers[tag] for tag in ("Black", "White")] == list(names.values())


# --- the terminal


class Screen(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_are_for_terminals(monkeypatch, variables, coloured):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, text in ({"TERM": "xterm-256color"} | variables).items():
        monkeypatch.setenv(name, text)
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stdin", io.StringIO("11-15\n"))
    table = terminal.Terminal()
    table.tell(Event("turn", view=View(Position(), True, None)))
    table.tell(Event("error", "wrong"))
    assert ("\x1b[" in screen.getvalue()) is coloured
    assert ("●" in screen.getvalue()) is coloured
    assert "wrong" in screen.getvalue()
    assert table.ask("Black: ", ["11-15"], None) == "11-15"


def test_a_question_ends_when_its_time_is_up(monkeypatch):
    read, write = os.pipe()
    with os.fdopen(read) as silent, os.fdopen(write, "w"):
        monkeypatch.setattr(sys, "stdin", silent)
        with pytest.raises(TimeUp):
            terminal.Lines().ask("", [], 0.01)
