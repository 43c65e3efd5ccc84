"""`kr learn`: puzzles at a table, the choice of puzzles, progress in a file."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kr.cli import main
from kr.egdb.database import load_database
from kr.egdb.exact import exact_moves
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError
from kr.game.board import Board
from kr.play.table import Event
from kr.problems.lessons import WINS_FIRST, LearnSettings, Lessons, chosen, lessons_from, parse_ratings, read_training
from kr.problems.shelf import DAILY_RATINGS, Origin, PuzzleShelf
from kr.problems.training import Training

QUICK: dict[str, Any] = {"weights": "manual", "hash": 1 << 20, "tc": Limits(nodes=2000)}
SHELF = PuzzleShelf()
TODAY = datetime.date(2026, 11, 26)


class Person:
    """Types lines, and leaves at their end."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.events: list[Event] = []

    def tell(self, event: Event) -> None:
        self.events.append(event)

    def ask(self, prompt: str, words: Sequence[str], seconds: float | None) -> str:
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    def facts(self, kind: str) -> list[dict[str, Any]]:
        return [dict(event.facts) for event in self.events if event.kind == kind]


def learned(path: Path, *lines: str, **settings: Any) -> tuple[Person, Training]:
    person = Person(*lines)
    with lessons_from(LearnSettings(**QUICK, progress=path, **settings), person) as lessons:
        lessons.run()
    return person, read_training(path)


def test_a_step_of_a_course_in_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "learn.json"
    lines = ("26-31", "24", "27", "27x18")
    person, training = learned(path, *lines, course="third-position")
    verdicts = [(told["move"], told["kept"]) for told in person.facts("verdict")]
    assert verdicts == [("26-31", False), ("24-27", True), ("27x18", True)]
    assert [told["squares"] for told in person.facts("more")] == [["19", "20", "27"]]
    assert person.facts("solved")[0]["why"] == "this step is done"
    assert [told["id"] for told in person.facts("puzzle")] == ["third-position/1", "third-position/2"]
    assert training.steps == ["third-position/1"]
    assert training.puzzles == {}
    # what is done is left out the next time
    person, _ = learned(path, course="third-position")
    assert [told["id"] for told in person.facts("puzzle")] == ["third-position/2"]


def test_a_puzzle_missed_and_one_given_up(tmp_path: Path) -> None:
    path = tmp_path / "learn.json"
    lines = ("nonsense", "19-16", "hint", "hint", "board", "moves", "help", "rating", "solution")
    person, training = learned(path, *lines, puzzle="first-position")
    key = SHELF.puzzles["first-position"].fen
    assert training.puzzles[key] == {"tries": 1, "hints": 3, "solved": False}
    assert training.boxes[key][0] == 0
    assert training.solver.rating < 1500
    assert len(training.curve) == 1
    assert [told.get("square", told.get("move")) for told in person.facts("hint")] == [23, "23-27"]
    assert person.facts("solution")[0]["moves"][0] == "23-27"
    kinds = [event.kind for event in person.events]
    assert {"error", "verdict", "board", "moves", "help", "rating", "end"} <= set(kinds)


def test_a_puzzle_solved_counts_and_ends(tmp_path: Path) -> None:
    """By the best moves, each replied to: the rating rises, and a run of due puzzles has nothing to show."""
    path = tmp_path / "learn.json"
    puzzle = next(each for each in SHELF.of(Origin.CLASSIC) if each.id == "paynes-single-corner")

    class Solver(Person):
        def ask(self, prompt: str, words: Sequence[str], seconds: float | None) -> str:
            board = Board(puzzle.problem.position)
            for told in self.facts("verdict"):
                board.play(told["move"])
                board.play(told["reply"])
            return str(exact_moves(load_database(), board.position)[0].move)

    person = Solver()
    with lessons_from(LearnSettings(**QUICK, progress=path, puzzle=puzzle.id), person) as lessons:
        assert lessons.run() == 1
    training = read_training(path)
    assert training.is_solved(puzzle.key)
    assert training.boxes == {}
    assert (training.solver.rating > 1500) is (puzzle.rating is not None)
    person, _ = learned(path, due=True)
    assert [event.kind for event in person.events] == ["rating", "end"]


@pytest.mark.parametrize(
    ("settings", "check"),
    [
        ({"theme": "bridge"}, lambda each: "bridge" in each.themes),
        ({"rating": (1200, 1500)}, lambda each: 1200 <= each.rating <= 1500),
        ({"goal": "draw"}, lambda each: each.result == "draw"),
        ({"goal": "win", "rating": (1500, 1600)}, lambda each: each.result.endswith("win") and each.rating >= 1500),
        # an easy one to win for who has solved none
        ({"daily": True}, lambda each: each.rating < DAILY_RATINGS[0] and each.result != "draw"),
        ({"course": "first-position"}, lambda each: each.origin is Origin.COURSE),
    ],
)
def test_the_choice(settings: dict[str, Any], check: Any) -> None:
    found = chosen(SHELF, LearnSettings(**settings), Training(), TODAY)
    assert found
    assert all(map(check, found))


def test_the_next_puzzle_is_near_the_rating_and_what_is_due_comes_again() -> None:
    training, day = Training(), TODAY.toordinal()
    person = Person()
    for number in range(WINS_FIRST):
        training.solve(f"before {number}", None, day, clean=False)

    def first(**settings: Any) -> str:
        lessons = Lessons(LearnSettings(**settings), SHELF, training, person, None, today=lambda: TODAY)  # type: ignore[arg-type]
        found = lessons._next()
        return found.id if found else ""

    rated = [each for each in SHELF.of(Origin.CLASSIC, Origin.COLLECTION) if each.rating]
    near = min(rated, key=lambda each: abs((each.rating or 0) - 1500))
    assert first() == near.id
    assert first(due=True) == ""
    training.miss(near.key, "tries", near.rating, day - 1)
    assert first(due=True) == near.id
    training.miss(near.key, "tries", near.rating, day)
    assert first() != near.id
    assert SHELF.daily(TODAY).id == first(daily=True)


def test_each_day_has_its_puzzle() -> None:
    middling = [
        each.id
        for each in SHELF.of(Origin.CLASSIC, Origin.COLLECTION)
        if each.rating and DAILY_RATINGS[0] <= each.rating <= DAILY_RATINGS[1]
    ]
    # two wins before one draw, and one whole turn of each
    draws = [name for name in middling if SHELF.puzzles[name].result == "draw"]
    first = TODAY.toordinal() // 3 * 3
    days = [SHELF.daily(datetime.date.fromordinal(first + number)) for number in range(3 * len(draws))]
    assert [each.result == "draw" for each in days] == [False, False, True] * len(draws)
    assert sorted({each.id for each in days}) == sorted(middling)
    assert sorted(each.id for each in days if each.result == "draw") == sorted(draws)
    wins = [each.id for each in days if each.result != "draw"][: len(middling) - len(draws)]
    assert sorted(wins) == sorted(set(middling) - set(draws))


@pytest.mark.parametrize("text", ["", "x", "1500-1200", "1200-", "-5", "1-2-3", pytest.param("1" * 5000, id="long")])
def test_what_is_no_range_of_ratings(text: str) -> None:
    with pytest.raises(InvalidSettingError, match="1200-1500"):
        parse_ratings(text)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--course", "nope"], 2, "expected one of the-move, two-kings-double-corner"),
        (["--puzzle", "nope"], 2, "there is no puzzle 'nope'"),
        (["--daily", "--due"], 2, "both name the puzzles"),
        (["--daily", "--theme", "shot"], 2, "leave out --theme"),
        (["--theme", "shots"], 2, "theme"),
        (["--rating", "x"], 2, "not a range of ratings"),
        (["--import", "missing.json"], 2, "no such file"),
    ],
)
def test_bad_usage(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    arguments: list[str], code: int, said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["learn", *arguments, "--progress", str(tmp_path / "p.json")]) == code
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("content", ["", "[]", '{"format": 1}', "\xff"])
def test_damaged_progress_is_told_and_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str) -> None:
    path = tmp_path / "learn.json"
    path.write_bytes(content.encode("latin-1"))
    assert main(["learn", "--progress", str(path), "--list"]) == 2
    assert str(path) in capsys.readouterr().err
    assert path.read_bytes() == content.encode("latin-1")


def test_progress_goes_out_and_in(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    own, out, other = tmp_path / "learn.json", tmp_path / "out.json", tmp_path / "other.json"
    learned(own, "19-16", puzzle="first-position")
    assert main(["learn", "--progress", str(own), "--export", str(out)]) == 0
    assert main(["learn", "--progress", str(other), "--import", str(out)]) == 0
    assert json.loads(other.read_text()) == json.loads(own.read_text())
    capsys.readouterr()
    assert main(["learn", "--list", "--theme", "bridge", "--json", "--progress", str(own)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {theme for each in told["puzzles"] for theme in each["themes"]} >= {"bridge"}


def test_lines_for_a_program(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typed through a pipe, the end of which ends it."""
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("hint\n"))
    path = str(tmp_path / "p.json")
    assert main(["learn", "--course", "two-kings-open", "--json", "--progress", path, "--weights", "manual"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["event"] for each in events] == ["rating", "puzzle", "hint", "left"]


def test_a_wrong_choice_is_told_before_anything_else(tmp_path: Path) -> None:
    person = Person()
    settings = LearnSettings(**QUICK, progress=tmp_path / "learn.json", course="nosuch")
    with lessons_from(settings, person) as lessons, pytest.raises(InvalidSettingError, match="nosuch"):
        lessons.run()
    assert person.events == []
