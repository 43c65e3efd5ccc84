"""Positions set up within a game: all that reads its moves plays on from there."""

from __future__ import annotations

import copy
import json
import pickle
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from at_the_board import Scripted, start

from kr import cli
from kr.analysis.annotation.judging import JudgeSettings, judge_moves
from kr.analysis.annotation.searches import GameSearches
from kr.analysis.sources import AnalyzeSettings, Task, read_tasks
from kr.archives.archive import Archive, ConvertSettings, ReadSettings, convert_games
from kr.archives.index import open_index
from kr.archives.index_build import update_index
from kr.archives.search import SearchSettings
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidPdnError, KrError
from kr.game.board import Board
from kr.game.position import Position
from kr.learn.fitting.check import quiet_positions
from kr.openings.decks import deck
from kr.pdn import Comment, Game, Reader, Setup, read_game, read_games
from kr.pdn.replay import Replay
from kr.pdn.scan import Scanner
from kr.play.record import PlayRecord
from kr.problems.problem import load_problems
from kr.studies.people.decisions import read_decisions
from kr.viewer.document import game_document

CORRECTED = "W:W17,19,21,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,9,10,11,12,15"
TEXT = f'1. 11-15 23-19 2. 8-11 /FEN "{CORRECTED}"/ {{played 22-17}} 2... 26-22 *'
MOVES = "11-15 23-19 8-11 26-22"

# kings that go to and fro; the same position is set up again
SHUFFLE = "1-5 32-28 5-1 28-32"
KINGS = "B:WK32:BK1"
REPEATED = f'[FEN "{KINGS}"]\n{SHUFFLE} {SHUFFLE.rsplit(" ", 1)[0]} 28-32 /FEN "{KINGS}"/ {SHUFFLE} *'


def read(text: str) -> Game:
    (game,) = read_games(text + "\n")
    scanner = Scanner(text + "\n")
    scanned = scanner.scan()
    assert scanned is not None
    assert scanned.headers == game.headers
    assert (scanned.start, scanned.plies) == (game.start.bits, len(game.moves))
    again = read_game(str(game))
    assert again == game
    return game


def line(game: Game) -> str:
    return " ".join(map(str, game.moves))


def test_a_game_with_a_setup_is_one_game() -> None:
    game = read(TEXT)
    assert line(game) == MOVES
    (warning,) = game.warnings
    assert "line 1, column 24: a position is set up within the game, after 8-11: W:W17,19," in warning
    node = list(game.mainline())[2]
    assert node.setup == node.position == Position.from_fen(CORRECTED)
    assert node.comments == ["played 22-17"]
    assert [each.setup for each in (game, *game.mainline())].count(None) == 4
    assert list(game.positions())[3:] == [node.position, node.position.play("26-22")]
    assert list(game.positions()) == [each.position for each in (game, *game.mainline())]
    assert game.notes == (Setup(3, CORRECTED), Comment(3, "played 22-17"))
    assert str(game).replace("\n", " ").endswith(f' 2. 8-11 /FEN "{CORRECTED}"/ {{played 22-17}} 2... 26-22 *  ')
    assert [turn.turn for turn in (game, *game.mainline())] == [each.side for each in game.positions()]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_a_copy_has_the_setups(again) -> None:
    game = read(TEXT.replace("2... 26-22", '2... 26-22 (26-23 /FEN "B:W18:B10"/ 10-15 18-14)'))
    assert again(game) == game
    assert list(again(game).positions()) == list(game.positions())
    assert game != read(f"{MOVES} *".replace("26-22", "22-17"))
    assert again(game) != Game({}, None, game.moves[:3])


def test_setups_differ() -> None:
    assert read('11-15 /FEN "W:W18:B10"/ *') != read('11-15 /FEN "W:W18:B9"/ *')
    assert read('11-15 /FEN "W:W18:B10"/ *') != read("11-15 *")


def test_a_setup_of_a_variation_is_its_own() -> None:
    game = read('11-15 23-19 (22-18! /FEN "B:W18:B10"/ {here} 10-14 18x9 (18x9 $3)) 8-11 *')
    _, variation = next(game.mainline()).variations
    assert variation.setup is not None
    assert [str(node.move) for node in variation.mainline()] == ["10-14", "18x9"]
    assert (variation.nags, variation.comments) == (["!"], ["here"])
    assert game.setups() == []


def test_an_illegal_move_after_a_setup_has_its_ply() -> None:
    with pytest.raises(InvalidPdnError, match="column .*: illegal move at ply 4: 22-17 .*26-22"):
        read_game(TEXT.replace("26-22", "22-17") + "\n")
    (game,) = Reader(TEXT.replace("26-22", "26-22 1-32") + "\n", forgiving=True)
    assert (line(game), len(game.setups())) == (MOVES, 1)


def test_many_setups_are_replayed_in_linear_time() -> None:
    """It takes a fraction of a second; copies of what was replayed before each setup would take half a minute."""
    board, count = Position.from_fen(KINGS).bits, 160_000
    replay = Replay(board, ())
    began = time.process_time()
    for _ in range(count):
        replay.resume(board, ("1-5",))
    assert time.process_time() - began < 5
    assert (len(replay.moves), len(replay.boards), replay.failed) == (count, count + 1, count)
    assert replay.firsts == list(range(count))


class Dripping:
    """An open file that gives its text in blocks of a few characters."""

    def __init__(self, text: str, size: int) -> None:
        self.left, self.size = text, size

    def read(self, size: int) -> str:
        given, self.left = self.left[: self.size], self.left[self.size :]
        return given


@pytest.mark.parametrize("size", [30, 50, 70, 90, 110, 150])
def test_a_setup_may_be_longer_than_what_is_read_at_once(size: int) -> None:
    fen = f'/FEN \n  {" " * 80}"{CORRECTED}"{" " * 80}/'
    (game,) = Reader(Dripping(TEXT.replace(f'/FEN "{CORRECTED}"/', fen) + "\n", size))  # type: ignore[arg-type]
    assert line(game) == MOVES


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Game({}, None, ["11-15"], notes=[Setup(0, KINGS)]), "give it as the start"),
        (lambda: Game({}, None, ["11-15"], notes=[Setup(2, KINGS)]), "a note is at ply 2"),
        (lambda: Game({}, None, ["11-15"], notes=[Setup(1, KINGS)]), "other side to move: expected W"),
        (lambda: Game({}, None, ["11-15"], notes=[Setup(1, "x")]), "is not one"),
        (lambda: Game().add_variation("11-15", setup=Position()), "has the other side to move"),
        (lambda: Board().set_up(Position.from_fen("W:W18:B10")), "expected B"),
    ],
)
def test_setups_that_do_not_fit_are_refused(make, complaint: str) -> None:
    with pytest.raises(KrError, match=complaint):
        make()


def test_a_board_sets_up_and_takes_back() -> None:
    game = read(REPEATED)
    node = list(game.mainline())[7]
    board = node.board()
    assert (board.position, board.history, board.recent) == (node.position, (), ())
    assert board.outcome() is None
    end = game.end().board()
    assert end == board.copy() or len(end.moves) == 12
    assert len(end.history) == 4
    assert end.copy() == end
    assert end != Board(KINGS)
    end.undo(4)
    assert end == board
    assert end.history == ()
    board.undo()
    assert len(board.history) == 7
    assert Task.at(game.end()).history == game.end().board().history


def test_repetition_begins_anew(tmp_path: Path) -> None:
    game = read(REPEATED)
    assert game.history_begins() == [0] * 8 + [8] * 5
    assert [node.get("draw") for node in game_document(game)["nodes"]] == [None] * 13
    without = read(REPEATED.replace(f'/FEN "{KINGS}"/', ""))
    assert [bool(node.get("draw")) for node in game_document(without)["nodes"]] == [False] * 8 + [True] * 5
    file = tmp_path / "a.pdn"
    file.write_text(REPEATED + "\n")
    tasks = list(read_tasks(AnalyzeSettings(str(file), game=1, ply="7-12")))
    assert [len(task.history) for task in tasks] == [7, 0, 1, 2, 3, 4]


def test_a_document_keeps_setups() -> None:
    document = json.loads(json.dumps(game_document(read(TEXT))))
    assert [(node.get("setup"), node["fen"] == CORRECTED) for node in document["nodes"]][2:] == (
        [(None, False), (True, True), (None, False)]
    )


def test_moves_are_judged_by_what_they_led_to() -> None:
    # Black is a man down, and a position in which Black has nearly won is set up
    game = read('[FEN "B:W18,22,26:B9,10"]\n10-14 /FEN "W:W32:B1,2,3,9,10,K20,K22"/ 32-28 22-26 *')
    engine = Engine(hash_mb=1)
    moves = judge_moves(game, engine, JudgeSettings(tc=Limits(nodes=300), from_ply=0))
    assert [each.move for each in moves] == list(game.moves)
    assert moves[0].expected is not None
    assert moves[0].expected < 0.5
    assert moves[1].expected is not None
    assert moves[1].expected < 0.1
    search = GameSearches(engine, Limits(nodes=100), read(REPEATED), None, None)
    assert [search.occurrence(ply) for ply in (3, 6, 7, 8, 11)] == [2, 2, 3, 1, 2]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text(f'[Event "a"]\n{TEXT}\n\n[Event "b"]\n{MOVES.replace("26-22", "22-17")} 1-0\n'.replace("*", "1-0"))
    return path


def test_the_index_knows_setups(archive: Path) -> None:
    update_index(archive)
    with closing(open_index(archive)) as index:
        assert [index.plies(number) for number in range(2)] == [4, 4]
        found = index.find(SearchSettings(files=(archive,), position=CORRECTED))
        assert found.games.tolist() == [0]
        ((move, record),) = index.moves(Position.from_fen(CORRECTED), found)
        assert (str(move), record.games) == ("26-22", 1)
        assert index.game(0).setups() == [(3, Position.from_fen(CORRECTED))]


def test_moves_are_learnt_from_where_they_were_played(archive: Path) -> None:
    decisions = read_decisions(ReadSettings(files=(archive,)))
    assert decisions.ply.tolist() == [0, 1, 2, 0, 0, 1, 2, 3]
    assert decisions.before[3].tolist() == decisions.before[0].tolist()
    games = [game for _, game in Archive(ReadSettings(files=(archive,)))]
    (boards, result), (plain, _) = quiet_positions(games), quiet_positions(games[1:])
    assert len(boards) == len(result) == 2 * len(plain)
    assert boards[3].tolist() != plain[3].tolist()
    assert np.array_equal(boards[:3], plain[:3])


def test_programs_are_told_of_setups(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main(["pdn", "search", str(archive), "--json"]) in (0, None)
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["setups"] == [{"ply": 3, "fen": CORRECTED}]
    assert "setups" not in second
    out = tmp_path / "out.pdn"
    settings = ConvertSettings(files=(archive, archive), out=out, comments=False, variations=False, unique=True)
    assert convert_games(Archive(settings), settings) == 2
    game = read_game(out)
    assert game is not None
    assert line(game) == MOVES
    assert not game.end().comments


def test_a_game_with_a_setup_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.pdn"
    path.write_text(TEXT + "\n")
    assert PlayRecord.resume(path).board().position == Position.from_fen(CORRECTED).play("26-22")
    play, table = start(tmp_path, monkeypatch, ["11-16", "quit"], Scripted(["30-26"]), resume=path)
    play.run()
    assert table.events[0].facts["setups"] == [{"ply": 3, "fen": CORRECTED}]
    game = read_game(path)
    assert game is not None
    assert line(game).startswith(f"{MOVES} 11-16")


def test_problems_and_openings_of_games_with_setups(tmp_path: Path) -> None:
    path = tmp_path / "a.pdn"
    path.write_text(f'[FEN "{Position().fen}"]\n{TEXT}\n')
    (problem,) = load_problems(path)
    assert problem.solution == "11-15 23-19 8-11"
    (opening,) = deck(str(path))
    assert (opening.start.fen, opening.moves) == (CORRECTED, "26-22")
    assert opening.begin() == (opening.start, (opening.start.parse_move("26-22"),))
