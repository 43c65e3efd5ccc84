"""`kr problem vary`: which positions are tried, which of them are kept, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from proved import shipped
from soundness_reference import LOSES, expected, moves_of, worth

from kr import pdn
from kr.cli import main
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import load_scorer
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.kinds import perform
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.problems.changes import changed_positions
from kr.problems.problem import Problem
from kr.problems.soundness import check_problem
from kr.problems.variations import VariationChecks, candidates, pieces_range

THREE, FOUR = "B:W11:BK9,2", "W:W21,K30:B1,2"
Pieces = dict[int, str]


def vary(*words: object) -> int:
    return main(["problem", "vary", *map(str, words), "--hash", "4MB", "--quiet"])


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def untimed(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in record.items() if name != "seconds"} for record in records]


# the reference: a board is a dict of letters by square 1-32


def placed(fen: str) -> Pieces:
    position = Position.from_fen(fen)
    return {square: str(piece) for square in range(1, 33) if (piece := position.piece_at(square - 1))}


def fen_of(pieces: Pieces, side: str) -> str:
    of = {
        colour: ",".join(f"{'K' * piece.isupper()}{square}" for square, piece in pieces.items() if piece in letters)
        for colour, letters in (("W", "wW"), ("B", "bB"))
    }
    return f"{side}:W{of['W']}:B{of['B']}"


def changed(pieces: Pieces) -> Iterator[Pieces]:
    """Boards after any change of a piece, possible or not."""
    for square in range(1, 33):
        rest = {place: piece for place, piece in pieces.items() if place != square}
        if square in pieces:
            yield rest
            yield rest | {square: pieces[square].swapcase()}
            yield from (rest | {target: pieces[square]} for target in range(1, 33) if target not in pieces)
        else:
            yield from (pieces | {square: piece} for piece in "bBwW")


def possible(pieces: Pieces) -> bool:
    sides = ["".join(pieces.values()).lower().count(letter) for letter in "bw"]
    men = [(piece, square) for square, piece in pieces.items() if piece in "bw"]
    return all(1 <= count <= 12 for count in sides) and not any(
        square > 28 if piece == "b" else square < 5 for piece, square in men
    )


def neighbours(fen: str) -> set[Position]:
    """Positions after one change."""
    boards = [pieces for pieces in changed(placed(fen)) if possible(pieces)]
    return {Position.from_fen(fen_of(pieces, fen[0])) for pieces in boards}


CHANGED = [
    THREE, FOUR, "W:WK11,6:B28", "B:W5:B28", "W:WK1,K2,K3,K4:BK29,K30,K31,K32", Position().fen,
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11",
]  # fmt: skip


@pytest.mark.parametrize("fen", CHANGED)
def test_every_change_of_a_piece_comes_once(fen: str) -> None:
    found = [each.position for each in changed_positions(Position.from_fen(fen))]
    assert len(set(found)) == len(found)
    assert set(found) == neighbours(fen) - {Position.from_fen(fen)}


@pytest.mark.slow
def test_every_change_of_two_pieces_comes_once() -> None:
    found = [each.position for each in changed_positions(Position.from_fen(THREE), 2)]
    one = neighbours(THREE)
    two = set().union(*(neighbours(position.fen) for position in one))
    assert len(set(found)) == len(found)
    assert set(found) == (one | two) - {Position.from_fen(THREE)}


@cache
def in_words() -> dict[str, str]:
    """Positions after two changes, by FEN."""
    return {each.position.fen: str(each) for each in changed_positions(Position.from_fen(FOUR), 2)}


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("W:W17,K30:B1,2", "man 21 to 17"),
        ("W:W21,K1:B6,2", "man 1 to 6, king 30 to 1"),
        ("W:W21:B1,2", "without 30"),
        ("W:WK21,K30:B1,2", "king on 21"),
        ("W:W21,30:B1,2", "man on 30"),
        ("W:W21,K30:B1,2,K11", "plus black king 11"),
        ("W:W20,21,K30:BK1,2", "king on 1, plus white man 20"),
    ],
)
def test_changes_in_words(fen: str, words: str) -> None:
    assert in_words()[Position.from_fen(fen).fen] == words


def test_small_changes_come_first() -> None:
    sizes = [[change.size for change in each.changes] for each in changed_positions(Position.from_fen(THREE), 2)]
    ranks = [(len(each), sum(each)) for each in sizes]
    assert ranks == sorted(ranks)
    assert {len(each) for each in sizes} == {1, 2}


def test_a_position_and_its_mirror_image_are_one() -> None:
    position = Position.from_fen(FOUR)
    problems = [Problem("one", "", position), Problem("other", "", position.flipped())]
    one = list(candidates(problems[:1]))
    assert [each.changed for each in candidates(problems)] == [each.changed for each in one]
    assert {each.origin.id for each in candidates(problems)} == {"one"}
    # a second problem that is a variation of the first is none of its variations
    near = Problem("near", "", one[5].changed.position)
    both = [each.changed.position for each in candidates([problems[0], near])]
    assert position not in both
    assert near.position not in both
    assert len(set(both)) == len(both) > len(one)


@pytest.mark.parametrize("captures", [False, True])
def test_a_key_is_a_choice(captures: bool) -> None:
    fen = "W:W18,K23:B10,12,K28"
    found = {each.changed.position for each in candidates([Problem("", "", Position.from_fen(fen))], captures=captures)}
    for position in neighbours(fen) - {Position.from_fen(fen)}:
        moves = moves_of(position)
        assert (position in found) is (len(moves) > 1 and (captures or not moves[0][0].is_capture)), position.fen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "goal", "options"),
    [
        ("B:W30:BK21,22", "value", ()),
        (THREE, "value", ("--captures",)),
        (THREE, "draw", ("--duals",)),
        ("W:W18,23:B9", "win", ("--duals", "--strict")),
    ],
)  # fmt: skip
def test_what_is_kept_is_what_the_definitions_say(
    fen: str, goal: str, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each neighbour of a position once more, by the values of all moves."""
    assert vary(fen, "--goal", goal, "--tc", "nodes=1e9", "--most", 0, "--json", "--workers", 1, *options) == 0
    *records, summary = lines(capsys.readouterr().out)
    engine = Engine(hash_mb=4, database=shipped())
    wanted: dict[str, tuple[str, str]] = {}
    tried = 0
    for position in neighbours(fen) - {Position.from_fen(fen)}:
        moves = moves_of(position)
        if len(moves) < 2 or ("--captures" not in options and moves[0][0].is_capture):
            continue
        tried += 1
        value = (Value.LOSS, Value.DRAW, Value.WIN)[worth(position, position.side)]
        if worth(position, position.side) == LOSES or goal not in ("value", value):
            continue
        strict = "--strict" in options
        # the opponent's moves in a draw are those of a search
        line = check_problem(Problem("", "", position), engine, Limits(nodes=1 << 40), strict).line
        found = expected(position, None, [], line, strict)
        if found.verdict == "sound" or (found.verdict == "dual" and "--duals" in options):
            wanted[position.fen] = found.verdict, found.keys[0]
    assert {each["fen"]: (each["verdict"], each["keys"][0]["move"]) for each in records} == wanted
    assert wanted
    assert (summary["positions"], summary["kept"], summary["undecided"]) == (tried, len(wanted), 0)
    ranks = [each["rank"] for each in records]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.slow
def test_the_table_and_the_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "best.pdn"
    assert vary(FOUR, "--duals", "--tc", "nodes=1e6", "--most", 3, "--pdn", out) == 0
    told = capsys.readouterr().out
    assert "14 kept" in told
    assert all(len(line) <= 80 for line in told.splitlines())
    games = list(pdn.read_games(out))
    assert len(games) == 3
    for game in games:
        change = game.headers["Event"].split(": ")[1]
        assert change in told
        assert game.start in {each.position for each in changed_positions(Position.from_fen(FOUR))}
        assert game.moves


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((FOUR, "--pieces", "3-1"), "'3-1' is not a number of pieces or a range such as 6-8, from 2 to 24"),
        ((FOUR, "--pieces", "25"), "'25' is not a number of pieces"),
        ((FOUR, "--pieces", "9"), "no changed position with these settings"),
        ((FOUR, "--tc", "depth=3"), "expected a time or nodes of all searches, such as 10s"),
        (("W:W33:B1",), "33"),
        (("no such problem",), "no such file; expected a file, a FEN such as"),
    ],
)
def test_bad_input_to_vary(words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert vary(*words) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told


def test_broken_problems_are_told_and_the_others_varied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(f'{{"fen": "{THREE}", "id": "mine"}}\nnonsense\n')
    assert vary(path, "--tc", "nodes=1e6", "--json", "--pieces", 2) == 1
    out, errors = capsys.readouterr()
    assert lines(out)[-1]["left_out"] == 1
    assert "mine.jsonl:2: " in errors


def test_too_many_positions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kr.problems.variations.MOST_POSITIONS", 100)
    assert vary(FOUR) == 2
    assert "more than 100 positions; vary fewer problems" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "numbers"), [("", (2, 24)), ("7", (7, 7)), ("6-8", (6, 8)), ("2-24", (2, 24)), (" 12 ", (12, 12))]
)
def test_ranges_of_pieces(text: str, numbers: tuple[int, int]) -> None:
    assert pieces_range(text) == numbers


@pytest.mark.parametrize("text", ["1", "8-6", "6-", "-6", "6..8", "six", "2-25", "²"])
def test_no_ranges_of_pieces(text: str) -> None:
    with pytest.raises(InvalidSettingError, match="range such as 6-8"):
        pieces_range(text)


@pytest.mark.parametrize("goal", ["win", "draw"])
def test_a_unit_needs_nothing_but_its_text(goal: str) -> None:
    database = shipped()
    needs = {"weights": load_scorer().signature, "egdb": database.signature}
    places = dict(zip(needs.values(), ("shipped", str(database.directory)), strict=True))
    position = Position.from_fen("B:WK8,30:BK21,22")
    values = {"position": position.bits, "goal": goal, "limits": "nodes=1000000", "memory": 0, "strict": False}
    tools = {"hash": 1 << 22, "threads": 1, "egdb_memory": 1 << 26}
    unit = Unit(VariationChecks.name(), "0", needs, tools, json.loads(json.dumps(values)))
    (record,) = perform(unit, Needs(places))
    assert (record["verdict"], record["rank"]) == (("sound", 50) if goal == "draw" else ("unsound", 0))
