"""Files of games at the board: written while they are played, resumed, damaged."""

import pytest
from at_the_board import Scripted, kept, start

from kr import storage
from kr.engine.limits import TimeControl
from kr.errors import InvalidSettingError, OutputBusyError, ProtocolError
from kr.game.position import Side
from kr.pdn import read_game
from kr.play.record import PlayRecord
from kr.system import join_command


def test_a_game_is_resumed(tmp_path, monkeypatch):
    engine = Scripted(["23-19", "22-17"], [5, 7], time=2.0)
    play, table = start(tmp_path, monkeypatch, ["11-15", "8-11"], engine, tc=TimeControl(60, 0, 3), level=4)
    assert play.run() is None
    assert engine.closed
    path = tmp_path / "game.pdn"
    (event,) = (event for event in table.events if event.kind == "left")
    assert event.facts["resume"] == join_command(["kr", "play", "--resume", str(path)])

    engine = Scripted()
    play, table = start(tmp_path, monkeypatch, ["quit"], engine, resume=path)
    assert play.run() is None
    turn = next(event for event in table.events if event.kind == "turn")
    begin = table.events[0]
    assert begin.facts["ply"] == 4
    assert begin.facts["white"] == "kr level 4"
    assert turn.facts["clocks"] == [58, 56]
    # two of three moves to the time control are made
    assert [seat.clock.moves for seat in play._seats] == [1, 1]
    assert play._record.scores(Side.WHITE) == [5, 7]
    assert play._record.scores(Side.BLACK) == []


def test_a_file_of_another_program_is_resumed(tmp_path, monkeypatch):
    path = tmp_path / "other.pdn"
    path.write_text(
        '[Event "x"]\n[White "Someone"]\n[TimeControl "300"]\n\n1. 11-15 {a comment} 23-19 (23-18 {worse}) 2. 8-11 *\n'
    )
    play, table = start(tmp_path, monkeypatch, ["22-17"], resume=path)
    play.run()
    assert table.events[0].facts["black"] == "kr level 5"
    game = read_game(path)
    assert [str(move) for move in game.moves][:4] == ["11-15", "23-19", "8-11", "22-17"]
    assert "a comment" in str(game)
    assert "(1... 23-18 {worse})" in str(game)
    assert game.headers["White"] == "Someone"
    assert "TimeControl" not in game.headers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1. 11-15 *\n\n1. 11-16 *\n", "several games"),
        ("", "no game"),
        ('[Termination "resignation"]\n1. 11-15 1-0\n', "the game is over, 1-0 (resignation)"),
    ],
)
def test_files_that_cannot_be_resumed(tmp_path, text, said):
    path = tmp_path / "x.pdn"
    path.write_text(text)
    with pytest.raises(InvalidSettingError, match="x.pdn") as error:
        PlayRecord.resume(path)
    assert said in str(error.value)


def test_an_existing_file_is_not_overwritten(tmp_path, monkeypatch):
    (tmp_path / "game.pdn").write_text("mine")
    with pytest.raises(InvalidSettingError, match="--resume"):
        start(tmp_path, monkeypatch, [])
    play, table = start(tmp_path, monkeypatch, ["11-15", f"save {tmp_path / 'game.pdn'}"], out=tmp_path / "b.pdn")
    play.run()
    assert "exists" in table.said("error")[0]
    assert (tmp_path / "game.pdn").read_text() == "mine"


def test_save_writes_a_copy(tmp_path, monkeypatch):
    play, table = start(
        tmp_path, monkeypatch, ["11-15", f"save {tmp_path}/deep/copy.pdn", f"save {tmp_path}/deep/copy.pdn"]
    )
    play.run()
    assert table.said("error") == []
    assert read_game(tmp_path / "deep" / "copy.pdn") == kept(tmp_path)
    assert table.said("saved")


def test_two_writers_are_refused(tmp_path, monkeypatch):
    play, _ = start(tmp_path, monkeypatch, ["11-15"])
    with storage.lock(tmp_path / "game.pdn"), pytest.raises(OutputBusyError):
        play.run()


def test_a_full_disk_does_not_end_a_game(tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("kr.play.record.write_atomic", full)
    play, table = start(tmp_path, monkeypatch, ["11-15", "8-11"], Scripted(["22-18"]))
    assert play.run() is None
    assert "not kept" in table.said("error")[0]
    assert table.said("left") == ["the game is not kept"]


@pytest.mark.parametrize("end", [KeyboardInterrupt(), EOFError(), "quit"])
def test_leaving_keeps_the_game(tmp_path, monkeypatch, end):
    play, table = start(tmp_path, monkeypatch, ["11-15", end], Scripted(["22-18"]))
    assert play.run() is None
    assert [str(move) for move in kept(tmp_path).moves] == ["11-15", "22-18"]
    assert "resume it with: kr play --resume" in table.said("left")[0]


def test_leaving_while_the_engine_thinks(tmp_path, monkeypatch):
    play, _table = start(tmp_path, monkeypatch, ["11-15"], Scripted([KeyboardInterrupt()]))
    assert play.run() is None
    assert [str(move) for move in kept(tmp_path).moves] == ["11-15"]


def test_an_engine_that_fails_costs_nothing_that_was_played(tmp_path, monkeypatch):
    play, table = start(tmp_path, monkeypatch, ["11-15"], Scripted([ProtocolError("gone")]), white="hub:./x y")
    with pytest.raises(ProtocolError):
        play.run()
    assert [str(move) for move in kept(tmp_path).moves] == ["11-15"]
    assert table.said("left")[0].endswith(
        join_command(["kr", "play", "--resume", str(tmp_path / "game.pdn"), "--white", "hub:./x y"])
    )
