"""Names of openings: the list, names of games by recorded cases, which the page is held to as well, and searches."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import kr
from kr.cli import main
from kr.errors import InvalidSettingError
from kr.game.position import Bits, Position
from kr.openings.decks import deck
from kr.openings.lines import lines_matching, lines_named, name_at, name_key, named_lines, opening_name, opening_names
from kr.openings.names import OpeningPosition, ballot_of, find_opening

CASES = json.loads((Path(__file__).with_name("cases") / "names.json").read_text("utf-8"))
FIRST_MOVES = {"9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"}
SEVERAL = {"Octopus": 2, "Pioneer": 2, "Switcher": 2, "Whilter": 2}
"""Names with more than one position."""


def boards(moves: str, start: str | None = None) -> list[Bits]:
    board = kr.Board(start) if start else kr.Board()
    for move in moves.split():
        board.play(move)
    return [position.bits for position in board.positions]


def test_every_line_is_legal_and_written_as_kr_writes_moves() -> None:
    for line in named_lines():
        board = kr.Board()
        for move in line.moves.split():
            board.play(move)
        assert " ".join(map(str, board.moves)) == line.moves
        assert (board.position.bits, len(board.moves)) == (line.board, line.plies)


def test_a_position_has_one_name_and_a_name_one_position_but_for_a_few() -> None:
    lines = named_lines()
    assert len(lines) == len({line.board for line in lines}) == 71
    counts = Counter(line.name for line in lines)
    assert {name: count for name, count in counts.items() if count > 1} == SEVERAL
    # no spelling of one name is another name
    names = {line.name: line.keys for line in lines}
    keys = [key for each in names.values() for key in each]
    assert len(keys) == len(set(keys))


def test_names_are_printable_and_trimmed() -> None:
    for line in named_lines():
        for name in (line.name, *line.spellings):
            assert re.fullmatch(r"[A-Z0-9][A-Za-z0-9'& -]*[A-Za-z]", name), name


def test_every_ballot_has_a_name_along_its_moves() -> None:
    assert {line.moves for line in named_lines() if line.plies == 1} == FIRST_MOVES
    named = [opening_names(boards(opening.moves)) for opening in deck("3move", playable_only=False)]
    assert all(names[0].ply == 1 for names in named)
    # by a move that all ballots of a family share, by two, and by all three
    assert Counter(names[-1].ply for names in named) == {1: 111, 2: 33, 3: 30}


@pytest.mark.parametrize("case", CASES["games"], ids=lambda case: case["moves"])
def test_the_names_that_a_game_comes_to_and_its_ballot(case: dict[str, Any]) -> None:
    way = boards(case["moves"], case.get("start"))
    names = opening_names(way)
    assert [[each.name, each.ply] for each in names] == case["names"]
    assert opening_name(way) == (names[-1] if names else None)
    ballot, ply = ballot_of(way)
    assert (ballot and [ballot.number, ballot.name, ply]) == case["ballot"]


def test_a_game_without_a_named_position_has_no_name() -> None:
    assert opening_name([]) is None
    assert opening_name([Position.from_fen("W:WK1:BK32").bits]) is None
    # one that is set up in a named position has its name
    doctor = boards("10-14 22-18 12-16")[-1]
    assert name_at(doctor) == "White Doctor"
    assert opening_name([doctor]) == opening_names([doctor])[0]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("will o the wisp", {"Will o' the Wisp"}),
        ("WILL O\u2019 THE WISP", {"Will o' the Wisp"}),
        ("Will-o'-the-Wisp", {"Will o' the Wisp"}),
        ("frasers inferno", {"Fraser's Inferno"}),
        ("skullcracker", {"Skull-Cracker"}),
        ("kelso cross", {"Kelso-Cross"}),
        ("Old 14th", {"Old Fourteenth"}),
        ("laird & lady", {"Laird and Lady"}),
        ("s\u00f3uter", {"Souter"}),
        ("suter", {"Souter"}),
        ("Wilderness", {"Wilderness I"}),
        # a whole name comes before parts of others
        ("Cross", {"Cross"}),
        ("the Dyke", {"Dyke"}),
        ("fourteen", {"Old Fourteenth"}),
        ("gemini", {"Gemini I", "Gemini II"}),
        ("corner", {"Single Corner", "Double Corner", "Second Double Corner"}),
        ("", set()),
        ("'", set()),
        ("Hare", set()),
    ],
)
def test_names_are_compared_without_case_accents_and_apostrophes(text: str, names: set[str]) -> None:
    assert {line.name for line in lines_matching(text)} == names
    assert name_key(text) == "" or {line.name for line in lines_named(text)} in (names, set())


@pytest.mark.parametrize(
    ("text", "plies"),
    [
        ("Old Fourteenth", [5]),
        ("edinburgh", [1]),
        ("Octopus", [3, 3]),
        ("whilter", [3, 5]),
        ("2nd double corner", [2]),
        ("68", [3]),
        ("11-15, 23-19", [2]),
    ],
)
def test_an_opening_is_found_by_its_name(text: str, plies: list[int]) -> None:
    assert [each.plies for each in find_opening(text)] == plies


def test_the_opening_found_is_that_of_its_moves() -> None:
    fourteenth = boards("11-15 23-19 8-11 22-17 4-8")
    assert find_opening("old fourteenth") == [OpeningPosition(5, fourteenth[-1])]
    with pytest.raises(InvalidSettingError, match="a name such as White Doctor or Old Fourteenth"):
        find_opening("Young Fifteenth")


def test_openings_are_listed_with_their_names(capsys: pytest.CaptureFixture) -> None:
    assert main(["openings", "--names", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["names"]
    assert {"name": "White Doctor", "moves": "10-14 22-18 12-16", "ballot": 68, "spellings": []} in listed
    assert {
        "name": "Old Fourteenth", "moves": "11-15 23-19 8-11 22-17 4-8", "ballot": None, "spellings": ["Old 14th"],
    } in listed  # fmt: skip
    assert main(["openings", "--names"]) == 0
    assert re.search(r"^White Doctor +10-14 22-18 12-16 +68$", capsys.readouterr().out, re.M)
    assert main(["openings", "--deck", "3move", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["openings"]
    assert {entry["number"]: entry["name"] for entry in entries}[68] == "White Doctor"
    assert main(["openings", "--names", "--mark"]) == 2
    assert "leave out --mark and --out" in capsys.readouterr().err
