"""kr analyze: where positions come from, the lines after each iteration, Ctrl-C, and the command line."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from systems import interrupt, start

import kr
from kr import Engine, InvalidFenError, InvalidPdnError, InvalidSettingError, Limits, Position
from kr.analysis.analysis import Analysis, Analyzing, analyze
from kr.analysis.sources import AnalyzeSettings, Task, read_tasks
from kr.cli import main
from kr.cli.analyze import _share
from kr.egdb.database import Database
from kr.engine.search import Stop
from kr.game.board import Board
from kr.game.value import Value
from kr.players.people import PersonMove

FEN = "W:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29"
ENDING = "W:WK28,K32:BK1"
PDN = """[Event "one"]
[Black "Robert Roe"]
[White "Jane Doe"]
[Result "*"]

1. 11-15 22-18 2. 15x22 25x18 *

[Event "two"]
[SetUp "1"]
[FEN "W:W21,K30:B1,2"]

1. 30-26 1-6 *
"""
QUICK = ["--weights", "manual", "--hash", "1MB", "--egdb", "none"]


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text(PDN)
    return path


def settings(source: Path | str, **rest: object) -> AnalyzeSettings:
    return AnalyzeSettings(source=str(source), **rest)  # type: ignore[arg-type]


def test_one_position() -> None:
    assert [task.position for task in read_tasks(settings(FEN))] == [Position.from_fen(FEN)]
    assert [task.position for task in read_tasks(AnalyzeSettings())] == [Position()]


def test_a_file_of_fens(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(f"# problems\n{FEN}\n\n{ENDING} # won\n")
    tasks = list(read_tasks(settings(path)))
    assert [(task.position.fen, task.title) for task in tasks] == [
        (Position.from_fen(FEN).fen, f"{path}:2"),
        (ENDING, f"{path}:4"),
    ]
    path.write_text(f"{FEN}\nW:W99:B1\n")
    with pytest.raises(InvalidFenError, match=r"positions\.txt:2: .*99"):
        list(read_tasks(settings(path)))


def test_standard_input_is_read_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{FEN}\nnonsense\n"))
    tasks = read_tasks(settings("-"))
    assert next(tasks).position == Position.from_fen(FEN)
    with pytest.raises(InvalidFenError, match="standard input:2"):
        next(tasks)


def test_lines_that_are_no_position_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"nonsense\n{FEN}\n#\n\xff\n".encode("latin-1"))))
    errors: list[InvalidFenError] = []
    assert [task.title for task in read_tasks(settings("-"), errors.append)] == ["standard input:2"]
    assert [str(error).split(": ")[0] for error in errors] == ["standard input:1", "standard input:4"]


def test_games_that_cannot_be_read_count_as_games(tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    path.write_text('[Event "bad"]\n1. 11-12 *\n\n' + PDN)
    (task,) = read_tasks(settings(path, game=2, ply="0"))
    assert task.title == "Robert Roe v Jane Doe, at the start"
    with pytest.raises(InvalidPdnError, match="line 2"):
        next(read_tasks(settings(path, game=1)))


@pytest.mark.parametrize(
    ("game", "ply", "titles"),
    [
        (1, "", ["at the start", "after 1. 11-15", "after 1... 22-18", "after 2. 15x22", "after 2... 25x18"]),
        (1, "3", ["after 2. 15x22"]),
        (1, "0-1", ["at the start", "after 1. 11-15"]),
        (2, "1-2", ["after 1... 30-26", "after 2. 1-6"]),
    ],
)
def test_the_plies_of_a_game(games: Path, game: int, ply: str, titles: list[str]) -> None:
    tasks = list(read_tasks(settings(games, game=game, ply=ply)))
    who = {1: "Robert Roe v Jane Doe", 2: "game 2"}[game]
    assert [task.title for task in tasks] == [f"{who}, {title}" for title in titles]
    for task in tasks:
        for before, after in itertools.pairwise([*task.history, task.position]):
            assert after in [before.play(move) for move in before.legal_moves()]


def test_limits() -> None:
    assert settings(FEN).limits == Limits()
    assert settings("positions.txt").limits == Limits(time=1.0)
    assert settings("-", nodes=500).limits == Limits(nodes=500)
    assert settings(FEN, tc=Limits(time=2), depth=7, nodes=9).limits == Limits(2, 9, 7)


WRONG = {
    "no file": ({"source": "nowhere.txt"}, InvalidSettingError, "nowhere.txt"),
    "no game": ({"source": "games.pdn", "game": 3}, InvalidSettingError, "2 games; there is no game 3"),
    "no ply": ({"source": "games.pdn", "ply": "5"}, InvalidPdnError, "4 plies; there is no ply 5"),
    "plies of a FEN": ({"source": FEN, "ply": "5"}, InvalidSettingError, "--ply"),
}


@pytest.mark.parametrize("name", WRONG)
def test_sources_that_can_not_be_read(name: str, games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(games.parent)
    given, error, said = WRONG[name]
    with pytest.raises(error, match=said):
        list(read_tasks(AnalyzeSettings(**given)))


def test_after_each_iteration_all_lines() -> None:
    engine = Engine("manual", hash_mb=1)
    seen: list[Analysis] = []
    found = analyze(engine, Task(Position()), Limits(depth=5), 3, seen.append)
    assert [each.depth for each in seen] == [1, 2, 3, 4, 5, 5]
    assert [each.final for each in seen] == [False] * 5 + [True]
    assert found == seen[-1]
    for each in seen:
        assert [line.rank for line in each.lines] == [1, 2, 3]
        assert len({line.pv[0] for line in each.lines}) == 3
        scores = [line.score for line in each.lines]
        assert scores == sorted(scores, reverse=True)
        assert all(line.chances == engine.chances(line.score) for line in each.lines)
    assert found.value is None
    # more lines are wanted than there are moves
    assert len(analyze(engine, Task(Position()), Limits(depth=2), 20).lines) == 7


def test_values_from_the_database(whole: Path) -> None:
    engine = Engine("manual", hash_mb=1, database=Database.open(whole))
    won = analyze(engine, Task(Position.from_fen(ENDING)), Limits(depth=3), 9)
    assert (won.value, won.plies) == ("win", 31)
    assert {line.value for line in won.lines} == {"win"}
    assert [line.plies for line in won.lines] == sorted(line.plies or 0 for line in won.lines)
    assert won.lines[0].plies == 31
    drawn = analyze(engine, Task(Position.from_fen("W:WK32:BK1")), Limits(depth=3), 9)
    assert (drawn.value, drawn.plies) == ("draw", None)
    assert drawn.lines[0].value == "draw"
    assert drawn.lines[0].chances.draw == 1


# White wins in 61 plies, and shuffles: after 8 plies the position is on the board for the third time
SHUFFLED = "W:WK19,K23:B12,K28", "23-18 28-32 18-23 32-28".split()


def shuffled(plies: int) -> Board:
    """That game after so many plies."""
    board = Board(SHUFFLED[0])
    for ply in range(plies):
        board.play(SHUFFLED[1][ply % 4])
    return board


@pytest.mark.parametrize(
    ("plies", "move", "value", "distance", "draw", "expected"),
    [
        (3, "32-28", "loss", 62, "", 0.0),  # once more is no draw yet: White need not repeat
        (6, "18-23", "win", 63, "repetition", 0.5),  # Black can bring about the third
        (6, "19-23", "win", 63, "", 1.0),
        (7, "32-28", "loss", 62, "repetition", 0.5),
        (7, "12-16", "loss", 26, "", 0.0),
        (8, "23-27", "win", 61, "", 1.0),
    ],
)
def test_what_a_move_is_worth_and_what_the_game_becomes_are_two_facts(
    plies: int, move: str, value: str, distance: int, draw: str, expected: float
) -> None:
    """The score says neither something else than the chances nor than what is known."""
    board = shuffled(plies)
    found = analyze(Engine("material", 1), board, "nodes=3000", multipv=10)
    line = next(line for line in found.lines if str(line.move) == move)
    assert (line.value, line.plies, line.draw, line.chances.expected) == (value, distance, draw, expected)
    assert line.occurrence == 1 + board.positions.count(board.position.play(move))
    assert (line.score == 0) is bool(draw)
    assert draw or Value.from_sign(line.score) == line.value == line.certain


@pytest.mark.parametrize(
    ("plies", "draw", "expected"), [(0, "", 1.0), (4, "", 1.0), (7, "", 0.5), (8, "repetition", 0.5)]
)
def test_where_a_game_can_be_claimed_drawn(plies: int, draw: str, expected: float) -> None:
    found = analyze(Engine("material", 1), shuffled(plies), "nodes=500")
    assert (found.draw, found.chances.expected) == (draw, expected)
    assert found.value == ("loss" if plies % 2 else "win")


def test_a_win_that_may_come_too_late_is_not_certain() -> None:
    """After 70 plies of kings alone, the ten that are left before the draw by rule are too few for a win in 61."""
    around = [square for square in range(1, 33) if square not in (12, 19, 23)]
    history = [Position.from_fen(f"{'WB'[i % 2]}:WK19,K23:B12,K{around[i % 29]}") for i in range(70)]
    found = analyze(Engine("material", 1), Task(Position.from_fen(SHUFFLED[0]), tuple(history)), "nodes=3000")
    assert (found.value, found.plies, found.draw) == ("win", 61, "")
    assert (found.lines[0].value, found.lines[0].certain) == ("win", None)
    assert found.lines[0].chances.draw > 0.3


def test_a_game_that_is_over() -> None:
    seen: list[Analysis] = []
    found = analyze(Engine("material", hash_mb=1), Task(Position.from_fen("B:W5:B")), on_analysis=seen.append)
    assert (found.lines, found.value, found.final, seen) == ((), "loss", True, [found])


def test_without_limits_until_it_is_stopped() -> None:
    engine = Engine("manual", hash_mb=1)

    def stop_at_4(found: Analysis) -> None:
        if found.depth == 4:
            engine.stop()

    assert analyze(engine, Task(Position()), None, 2, stop_at_4).depth == 4


def test_a_stop_that_comes_before_the_search_ends_it() -> None:
    stop = Stop()
    stop.set()
    assert analyze(Engine("material", hash_mb=1), Position(), stop=stop).depth == 1


@pytest.mark.parametrize("fen", [FEN, "B:W5:B"])
def test_an_analysis_that_is_held_finds_the_same(fen: str) -> None:
    seen: list[Analysis] = []
    position = Position.from_fen(fen)
    found = analyze(Engine("material", hash_mb=1), position, Limits(depth=5), 3, seen.append)
    with Analyzing(Engine("material", hash_mb=1), position, Limits(depth=5), 3) as analyzing:
        held = list(analyzing)
    assert held[-1].final
    assert found == seen[-1]
    assert [_timeless(each) for each in held] == [_timeless(each) for each in seen]


def _timeless(found: Analysis) -> Analysis:
    return replace(found, time=0)


@pytest.mark.parametrize("limits", [0, 0.0, "", True])
def test_invalid_limits_are_refused(limits: float | str) -> None:
    engine = Engine("material", hash_mb=1)
    for run in (analyze, Analyzing):
        with pytest.raises(InvalidSettingError):
            run(engine, Position(), limits)  # type: ignore[operator]
    assert analyze(engine, Position(), "depth=3").depth == 3


def test_an_analysis_that_is_held_goes_on_until_it_is_stopped() -> None:
    depths = []
    with Analyzing(Engine("material", hash_mb=1), Position()) as analyzing:
        for found in analyzing:
            depths.append(found.depth)
            if found.depth == 3:
                analyzing.stop()
    assert found.final
    assert depths[:3] == [1, 2, 3]


# --- the command


def test_json_streams_an_object_an_iteration(capsys: pytest.CaptureFixture) -> None:
    assert main(["analyze", FEN, "--depth", "3", "--multipv", "2", "--json", *QUICK]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["depth"], line["final"]) for line in lines] == [(1, False), (2, False), (3, False), (3, True)]
    for line in lines:
        assert line["fen"] == Position.from_fen(FEN).fen
        assert [each["multipv"] for each in line["lines"]] == [1, 2]
        for each in line["lines"]:
            assert each["pv"][0] == each["move"]
            assert each["expected"] == pytest.approx(each["win"] + each["draw"] / 2, abs=1e-3)


@pytest.mark.parametrize(
    ("ply", "said", "drawn_by"),
    [
        ("7", "draw by repetition; loss in 62 plies", [None, "repetition"]),
        ("8", "win in 61 plies; the game can be claimed drawn by repetition", ["repetition", None]),
    ],
)
def test_draws_by_rule_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture, ply: str, said: str, drawn_by: list[str | None]
) -> None:
    path = tmp_path / "shuffled.pdn"
    path.write_text(f'[FEN "{SHUFFLED[0]}"]\n{" ".join(SHUFFLED[1] * 2)} 1/2-1/2\n')
    words = ["analyze", str(path), "--ply", ply, "--nodes", "500", "--multipv", "1", *QUICK[:4], "--people", "none"]
    assert main(words) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [found["drawn_by"], found["lines"][0]["drawn_by"]] == drawn_by


def test_text(capsys: pytest.CaptureFixture, games: Path) -> None:
    assert main(["analyze", FEN, "--depth", "3", *QUICK]) == 0
    out, err = capsys.readouterr()
    assert Position.from_fen(FEN).diagram().rpartition("\n")[0] in out
    assert "nodes/s" in out
    assert err == ""
    assert main(["analyze", str(games), "--ply", "2-3", "--nodes", "500", *QUICK]) == 0
    out = capsys.readouterr().out
    assert out.count("Robert Roe v Jane Doe") == 2
    assert out.count("nodes/s") == 2
    assert main(["analyze", "B:W5:B", *QUICK]) == 0
    assert "Black has no move and has lost" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("chance", "holds", "told"),
    [(0.31, True, "31%"), (0.0099, True, "<1%"), (0.31, False, "many"), (0.001, False, "few")],
)
def test_how_many_people_play_a_move(chance: float, holds: bool, told: str) -> None:
    assert _share(PersonMove(Position().legal_moves()[0], chance, holds)) == told


@pytest.mark.parametrize("json", [True, False])
def test_a_bad_line_does_not_end_the_command(
    json: bool, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{FEN}\nW:W99:B1\nrubbish\n{ENDING}\n"
    path = tmp_path / "positions.txt"
    path.write_text(text)
    for source, name in ((str(path), str(path)), ("-", "standard input")):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        assert main(["analyze", source, "--depth", "3", *QUICK, *["--json"] * json]) == 1
        out, err = capsys.readouterr()
        assert all(Position.from_fen(fen).fen in out for fen in (FEN, ENDING))
        first, second, last = err.splitlines()
        assert first.startswith(f"kr: {name}:2: FEN 'W:W99:B1': ")
        assert second.startswith(f"kr: {name}:3: FEN 'rubbish': ")
        assert last == "kr: 2 lines left out"


class Terminal(io.StringIO):
    """Terminal in which the table follows the search."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_the_table_while_it_is_made(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["analyze", FEN, "--depth", "3", *QUICK]) == 0
    assert "until depth=3" in screen.getvalue()
    assert "nodes/s" in capsys.readouterr().out


@pytest.mark.slow
def test_the_figures_in_a_terminal_move_between_iterations(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["analyze", "--tc", "1.5s", *QUICK]) == 0
    nodes = re.findall(r"depth (\d+), now \d+, ([\d,]+) nodes", screen.getvalue())
    assert len(set(nodes)) > len({depth for depth, _ in nodes})
    assert "now" not in capsys.readouterr().out


def started(*arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(kr.__file__).parents[1])}
    return start(
        [sys.executable, "-m", "kr", "analyze", *arguments, *QUICK],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def rest_of(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Rest of both outputs; `communicate` would lose the text that `readline` has read ahead."""
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = process.stdout.read(), process.stderr.read()
    process.wait(timeout=60)
    return out, err


@pytest.mark.slow
def test_ctrl_c_ends_an_endless_search_in_good_order() -> None:
    with started(FEN, "--json") as process:
        assert process.stdout is not None
        # it is searching: the second iteration is there
        first = [json.loads(process.stdout.readline()) for _ in range(2)]
        interrupt(process)
        rest, err = rest_of(process)
    assert process.returncode == 0
    assert err == ""
    last = json.loads(rest.splitlines()[-1])
    assert last["final"]
    assert last["depth"] >= first[-1]["depth"]


@pytest.mark.slow
def test_ctrl_c_keeps_the_analyses_made_so_far() -> None:
    with started("-", "--tc", "100s", "--json") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{FEN}\n{ENDING}\n")
        process.stdin.flush()
        process.stdout.readline()
        interrupt(process)
        rest, err = rest_of(process)
    assert process.returncode == 1
    assert err == "kr: interrupted\n"
    assert {json.loads(line)["fen"] for line in rest.splitlines()} == {Position.from_fen(FEN).fen}
