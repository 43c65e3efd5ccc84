"""`kr problem find`: what counts as a puzzle, against the definition, and its files."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from playouts import write_run
from proved import shipped
from recorded import write_archive
from soundness_reference import moves_of

from kr.cli import main
from kr.egdb import slices
from kr.egdb.database import load_database
from kr.egdb.sample import random_positions
from kr.engine.engine import Engine
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.policy.policy import load_policy
from kr.problems import finding_files, sources
from kr.problems.finding import Finder, PuzzleChoice
from kr.problems.finding_files import puzzle_id
from kr.problems.plain import is_plain
from kr.problems.problem import Problem, read_problems
from kr.problems.sources import LotChoice, drawn_positions, lots_of
from kr.problems.themes import Theme, themes_of


@cache
def engine() -> Engine:
    # unpacked, which answers a hundred times as fast as the files
    return Engine(hash_mb=4, database=load_database("", 1 << 26))


# kept, since a policy that nobody uses is read again
policy = cache(load_policy)


def finder(**wanted: Any) -> Finder:
    return Finder(engine(), policy(), PuzzleChoice(**{"lowest": 0} | wanted))


def sample(count: int, seed: int = 1) -> list[Position]:
    shapes = [shape for pieces in (3, 4) for shape in slices.shapes(pieces)]
    return list(islice(random_positions(shapes, random.Random(seed)), count))


def value_of(position: Position) -> Value:
    if position.is_over:
        return Value.LOSS
    database = engine().database
    assert database is not None
    value = database.value(position)
    assert value is not None
    return value


def right_ways(position: Position) -> list[Move]:
    """The moves that keep the value, where it is not a loss."""
    value = value_of(position)
    keeping = [move for move, after in moves_of(position) if value_of(after) is value.opposite]
    return [] if value is Value.LOSS else keeping


def is_puzzle(position: Position) -> bool:
    """The definition of a puzzle with one only move, straight from the database."""
    moves = position.legal_moves()
    if len(moves_of(position)) < 2 or moves[0].is_capture or len(right_ways(position)) != 1:
        return False
    goal = value_of(position)
    own, other = (position.black, position.white)[:: 1 - 2 * position.side]
    far_ahead = goal is Value.WIN and own.bit_count() - other.bit_count() >= 2
    return not far_ahead and not is_plain(position, position.side, goal)


def test_key_is_the_only_move_by_the_database() -> None:
    found = 0
    for position in sample(1_000):
        puzzle = finder(moves=1).find(position)
        assert (puzzle is not None) is is_puzzle(position), position.fen
        if puzzle is not None:
            problem, merit = puzzle
            found += 1
            assert right_ways(position) == [problem.first_move]
            assert problem.evidence == "proved"
            assert merit.stars >= 1
            assert problem.published is value_of(position)
    assert found > 10


def test_each_next_move_is_the_only_one_too() -> None:
    found = 0
    for start in sample(1_000, seed=2):
        puzzle = finder(moves=3).find(start)
        if puzzle is None:
            continue
        found += 1
        problem, _ = puzzle
        position, stars = start, 0
        for text in problem.solution.split():
            if position.side == start.side and len(moves_of(position)) > 1 and stars < 3:
                assert len(right_ways(position)) == 1, (start.fen, position.fen)
                assert str(right_ways(position)[0]) == text
                stars += 1
            position = position.play(text)
        assert stars == 3
        assert position.side != start.side
    assert found > 1


def test_wanted_narrows_what_is_found() -> None:
    loose = {position.fen: found for position in sample(200) if (found := finder(moves=2).find(position))}
    for fen, (problem, merit) in loose.items():
        position, rating = Position.from_fen(fen), problem.rating or 0
        assert finder(moves=2, lowest=rating).find(position) == (problem, merit)
        assert finder(moves=2, lowest=rating + 1).find(position) is None
        assert finder(moves=2, highest=rating - 1).find(position) is None
        assert finder(moves=2, themes=("only-move",)).find(position) == (problem, merit)
        assert (finder(moves=2, themes=("shot",)).find(position) is None) == ("shot" not in problem.themes)
    assert loose


SHOT = "W:W13,20,21,25,29,30,32:B3,6,8,10,12,14,24"


@pytest.mark.slow
def test_search_finds_what_the_database_lacks() -> None:
    """A shot with 14 pieces: 32-27 24x31 30-26 31x22 25x2."""
    puzzle = finder(nodes=30_000, proof_nodes=0).find(Position.from_fen(SHOT))
    assert puzzle is not None
    problem, merit = puzzle
    assert problem.solution.startswith("32-27 24x31 30-26 31x22 25x2")
    assert (problem.result, problem.evidence) == ("W-win", "searched")
    assert set(problem.themes) == {Theme.SHOT, Theme.IN_AND_OUT}
    assert merit.given == 2
    # nothing to find where the game has just begun
    assert finder(nodes=10_000).find(Position()) is None


@pytest.mark.slow
def test_a_result_is_likely_by_the_rule_of_verdicts() -> None:
    """With 8 pieces, where two searches say the same; with 14, as above, it is a shot that is not proved."""
    puzzle = finder(nodes=30_000, proof_nodes=0).find(Position.from_fen("W:W15,21,22,27:B2,7,13,19"))
    assert puzzle is not None
    assert (puzzle[0].result, puzzle[0].evidence) == ("draw", "likely")


@pytest.mark.parametrize("theme", [Theme.BRIDGE, Theme.FIRST_POSITION])
def test_positions_are_set_up_for_a_theme(theme: Theme) -> None:
    choice = LotChoice(seed=3, positions=300, pieces="4-5", themes=(theme,))
    lots = list(lots_of("egdb", choice, pytest.fail))
    positions = [position for each in lots for position in drawn_positions(each.lot, shipped())]
    assert len(positions) > 100
    with_theme = sum(theme in themes_of(position, [], value) for position in positions for value in (Value.WIN,))
    # with the other side to move it is the other's
    assert with_theme > len(positions) / 3


def test_positions_are_set_up_for_in_and_out() -> None:
    """In most, a quiet move lets a man of the opponent capture into the king row, and go on from there."""
    choice = LotChoice(seed=3, positions=200, pieces="4-5", themes=(Theme.IN_AND_OUT,))
    [placed] = lots_of("egdb", choice, pytest.fail)
    positions = drawn_positions(placed.lot, shipped())
    lured = 0
    for position in positions:
        quiet = [move for move in position.legal_moves() if not move.is_capture]
        lines = [(move, reply) for move in quiet for reply in position.play(move).legal_moves() if reply.is_capture]
        lured += any(
            not position.kings >> reply.origin & 1 and position.play(move).play(reply).kings >> reply.target & 1
            for move, reply in lines
        )
    assert lured > len(positions) / 2 > 50


def find(*words: object) -> int:
    return main(["problem", "find", *map(str, words), "--quiet", "--rating", "0"])


def test_files_of_the_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("egdb", "--pieces", "3-4", "--positions", 1_500, "--json")
    assert find(*words, "--out", tmp_path / "one.jsonl", "--workers", 1) == 0
    *records, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert records == [json.loads(line) for line in (tmp_path / "one.jsonl").read_text().splitlines()]
    assert summary["found"] == summary["puzzles"] == summary["evidence"]["proved"] == len(records) > 5
    problems = read_problems(tmp_path / "one.jsonl")
    positions = {problem.position for problem in problems}
    assert len(positions | {position.flipped() for position in positions}) == 2 * len(problems)
    assert [each["merit"] for each in records] == sorted((each["merit"] for each in records), reverse=True)
    for problem in problems:
        assert problem.id == puzzle_id(problem.position) == puzzle_id(problem.position.flipped())
        assert problem.source.startswith("endgame database, ")
    # the same by other numbers of workers, and the best of them
    assert find(*words, "--out", tmp_path / "two.jsonl", "--workers", 2) == 0
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    assert find(*words, "--out", tmp_path / "best.jsonl", "--most", 3) == 0
    assert (tmp_path / "best.jsonl").read_text().splitlines() == (tmp_path / "one.jsonl").read_text().splitlines()[:3]
    assert not list(tmp_path.glob("*.part"))


def test_themes_of_the_command_line(tmp_path: Path) -> None:
    words = ("egdb", "--pieces", "4", "--positions", 1_000, "--themes", "first-position,bridge", "--out")
    assert find(*words, tmp_path / "a.jsonl") == 0
    problems = read_problems(tmp_path / "a.jsonl")
    assert problems
    assert all({"first-position", "bridge"} & set(problem.themes) for problem in problems)


def test_an_interrupted_run_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("egdb", "--pieces", "3-4", "--positions", 900, "--workers", 1)
    monkeypatch.setattr(sources, "POSITIONS_OF_A_LOT", 300)
    assert find(*words, "--out", tmp_path / "whole.jsonl") == 0
    out, real, lots = tmp_path / "cut.jsonl", finding_files.drawn_positions, []

    def interrupted(lot: Any, database: Any) -> Any:
        lots.append(lot["seed"])
        if len(lots) == 3:
            raise KeyboardInterrupt
        return real(lot, database)

    monkeypatch.setattr(finding_files, "drawn_positions", interrupted)
    assert find(*words, "--out", out) == 1
    assert "interrupted; run the same command to resume" in capsys.readouterr().err
    assert not out.exists()
    # other settings don't resume it
    assert find(*words, "--out", out, "--captures") == 2
    assert find(*words, "--out", out, "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["resumed"] == 2
    assert lots[3:] == ["1/600"]
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_games_of_people_and_of_self_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_archive(tmp_path / "games.pdn", 20)
    write_run(tmp_path / "run", 20)
    searches = ("--nodes", 2_000, "--proof", 0, "--captures", "--moves", 1)
    assert find(tmp_path / "games.pdn", tmp_path / "run", "--out", tmp_path / "a.jsonl", *searches) == 0
    problems = read_problems(tmp_path / "a.jsonl")
    places = [problem.source for problem in problems]
    assert any(source.startswith("Test, ") and " v " in source and ", ply " in source for source in places)
    assert any(source.startswith("kr self-play, seed ") for source in places)
    assert {problem.evidence for problem in problems} == {"proved", "searched"}
    assert all(len(source) < 120 for source in places)
    # a choice of the games
    assert find(tmp_path / "games.pdn", "--out", tmp_path / "b.jsonl", *searches, "--share", 0.3, "--json") == 0
    few = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert 0 < few["found"] < len(problems)


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["nothere.pdn"], 2, "no such file; expected PDN, a run directory of kr selfplay, or egdb"),
        (["egdb", "egdb"], 2, "egdb is named twice"),
        (["egdb", "--egdb", "none"], 1, "egdb: no endgame database"),
        (["egdb", "--pieces", "8"], 2, "has no positions of 8 pieces"),
        (["egdb", "--pieces", "9"], 2, "is not a number of pieces"),
        (["egdb", "--themes", "shots"], 2, "'shots' is not a list of themes; expected some of shot, two-for-one"),
        (["TEXT"], 2, "is not a PDN file by its name"),
        (["egdb", "--out", "FOLDER"], 2, "is a directory"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told(
    words: list[str], code: int, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("B:W1:B2")
    places = {"TEXT": str(tmp_path / "a.txt"), "FOLDER": str(tmp_path)}
    given = [places.get(word, word) for word in words]
    given += [] if "--out" in given else ["--out", str(tmp_path / "out.jsonl")]
    assert find(*given, "--positions", 10) == code
    errors = capsys.readouterr().err
    assert part in errors
    assert len(errors.splitlines()) == 1


def test_a_damaged_journal_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = {"lot": "0 egdb", "looked_at": 1, "puzzles": [Problem.from_object({"fen": SHOT}).as_object()]}
    with pytest.raises(KeyError):
        finding_files._key_of(entry)
    with pytest.raises(ValueError, match="three fields"):
        finding_files._key_of(entry | {"puzzles": [{"fen": "B:W1"}]})
