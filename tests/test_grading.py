"""Grades of ballots for tournaments: the verdicts, the file that resumes, and matches and decks that take them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from kr.ballots.grading import BallotSearches, chosen_ballots
from kr.cli import main
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.game.position import Position
from kr.jobs.unit import Unit
from kr.openings.decks import LOST, PLAYABLE, deck
from kr.openings.grades import SideSearch, grade_of, read_grades

WORDS = ["theory", "grade", "--tc", "nodes=2000", "--sample", "6", "--workers", "1", "--hash", "1MB", "--quiet"]


def search(score: int, holding: int = 3, moves: int = 7, value: str = "") -> SideSearch:
    return SideSearch(score, 1000, 10, moves, holding, value)


@pytest.mark.parametrize(
    ("mover", "other", "grade"),
    [
        (search(0), search(0), "balanced"),
        (search(14), search(-14), "balanced"),
        (search(15), search(-3), "hard"),
        (search(-3), search(24), "hard"),
        (search(0, holding=1), search(0), "hard"),
        (search(0), search(2, holding=1), "hard"),
        # forced is not hard
        (search(0, holding=1, moves=1), search(0), "balanced"),
        (search(25), search(-3), "one-sided"),
        (search(-3), search(-40), "one-sided"),
        (search(3, value="win"), search(-3), "one-sided"),
        (search(0, value="draw"), search(0), "balanced"),
        (search(0), None, "one-sided"),
    ],
)
def test_grades_of_searches(mover: SideSearch, other: SideSearch | None, grade: str) -> None:
    assert grade_of(mover, other) == grade


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("grades") / "grades.jsonl"
    assert main([*WORDS, "--out", str(out)]) == 0
    return out


def test_ballots_are_searched_for_either_side(graded: Path) -> None:
    grades = read_grades(graded, "11man")
    openings = {opening.number: opening for opening in deck("11man", playable_only=False)}
    assert len(grades) == 6
    for number, grade in grades.items():
        position = openings[number].position
        assert (grade.fen, grade.moves) == (position.fen, openings[number].moves)
        assert grade.grade == grade_of(grade.mover, grade.other)
        assert grade.other is not None
        for each in (grade.mover, grade.other):
            assert 0 <= each.holding <= each.moves
            assert each.nodes > 0
        assert grade.mover.moves == len(position.legal_moves())
        assert grade.score == -grade.other.score


SEARCH = {"score": 0, "nodes": 9, "depth": 3, "moves": 7, "holding": 3, "value": ""}


@pytest.mark.parametrize(
    ("searches", "fits"),
    [
        ([SEARCH, SEARCH], True),
        ([SEARCH], True),
        ([], False),
        ([SEARCH, SEARCH, SEARCH], False),
        ([SEARCH | {"moves": 6}, SEARCH], False),
        ([SEARCH | {"score": "0"}, SEARCH], False),
        ([SEARCH, SEARCH | {"holding": 8}], False),
        ([SEARCH, SEARCH | {"value": "won"}], False),
        ([SEARCH, {"score": 0}], False),
        ([SEARCH, 1], False),
    ],
)
def test_searches_of_other_machines_are_checked(searches: list[dict[str, Any]], fits: bool) -> None:
    unit = Unit(BallotSearches.name(), "0", {}, {}, {"position": Position().bits, "limits": "nodes=1"})
    with nullcontext() if fits else pytest.raises(ValueError, match="searches of"):
        BallotSearches().check(unit, [searches])


def test_a_larger_sample_has_the_smaller_one() -> None:
    few, more = ({each.number for each in chosen_ballots("11man", count)} for count in (5, 20))
    assert len(few) == 5
    assert few < more
    assert len(chosen_ballots("3move", 0)) == len(chosen_ballots("3move", 500)) == 174


def test_candidates_for_the_edge_are_of_two_decks_under_numbers_of_their_own() -> None:
    candidates = {opening.number: opening.position for opening in chosen_ballots("edge", 0)}
    eleven, three = (deck(name, playable_only=False) for name in ("11man", "3move"))
    assert candidates.items() < {number: each.position for number, each in enumerate((*eleven, *three), 1)}.items()
    marked = {opening.position for name in ("11man:edge", "3move:edge") for opening in deck(name)}
    assert len(marked) >= 400
    assert marked < set(candidates.values())


def test_matches_take_ballots_by_grade(graded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mine.jsonl"
    head, *lines = graded.read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    for row, grade in zip(rows, ["balanced", "hard", "one-sided", "hard", "balanced", "balanced"], strict=True):
        row["grade"] = grade
    for row, score in zip(rows, [12, -13, 40, -41, 0, 25], strict=True):
        row["other"]["score"] = score
    out.write_text("\n".join([head, *map(json.dumps, rows)]) + "\n")
    for name, count in (("", 5), (":all", 6), (":balanced", 3), (":hard", 2), (":edge", 3)):
        openings = deck(f"{out}{name}")
        assert len(openings) == count, name
        assert [opening.number for opening in openings] == sorted(opening.number for opening in openings)
        assert all(opening.standing == (LOST if opening.grade == "one-sided" else PLAYABLE) for opening in openings)
    assert main(["openings", "--deck", str(out)]) == 0
    table = capsys.readouterr().out
    assert "accepted" not in table
    assert (table.count(" balanced"), table.count(" hard")) == (3, 2)
    first = deck(f"{out}:hard")[0]
    assert first.begin() == (first.position, ())
    assert first.title.startswith(f"mine {first.number}: remove")
    pdn = tmp_path / "match.pdn"
    words = ["match", "material", "material", "--ballot", f"{out}:hard", "--games", "4", "--tc", "depth=1"]
    assert main([*words, "--adjudicate", "--pdn", str(pdn), "--quiet"]) == 0
    assert pdn.read_text().count('[FEN "') == 4
    with pytest.raises(InvalidSettingError, match="no ballot graded balanced; kr theory grade makes files of grades"):
        deck("11man:balanced")


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        (lambda text: text.replace('"11man"', '"3move"', 1), InvalidSettingError, "has the grades of 3move, not of"),
        (lambda text: text.replace('"grades"', '"other"', 1), InvalidSettingError, "is not a file of grades"),
        (lambda text: "B:W21:B12\n", InvalidSettingError, "is not a journal"),
        (lambda text: text.replace('"number": ', '"number": "x', 1), InvalidGamesError, "line 2 is damaged"),
        (lambda text: text.replace('"grade": "', '"grade": "very ', 1), InvalidGamesError, "line 2 is damaged"),
    ],
)
def test_damaged_grades(
    change: Callable[[str], str], error: type[Exception], told: str, graded: Path, tmp_path: Path
) -> None:
    out = tmp_path / "grades.jsonl"
    out.write_text(change(graded.read_text()))
    with pytest.raises(error, match=told):
        read_grades(out, "11man")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--out", "grades.txt"], r"must end in .jsonl"),
        (["--out", "grades.jsonl", "--tc", "0s"], "limit time"),
    ],
)
def test_settings_that_are_refused(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", "grade", *words]) == 2
    assert told in capsys.readouterr().err
