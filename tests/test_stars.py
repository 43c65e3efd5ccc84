"""Stars: where they are read, among the words of comments too, and resuming their check."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kr import pdn
from kr.cli import main
from kr.problems.star_marks import star_marks

GAME = '[Event "x"]\n[FEN "W:W21,K30:B1,2"]\n{moves} *\n'
READ = {
    # id: moves, the moves with a star that are read, c for those of comments
    "at a move": ("1. 30-26* 2-6", ["1... 30-26"]),
    "beside other judgements": ("1. 30-26*! 2-6!* 2. 26-23 $1*", ["1... 30-26", "2. 2-6", "2... 26-23"]),
    "a comment that is a star": ("1. 30-26 {*}", ["1... 30-26"]),
    "in a variation": ("1. 30-26 2-6 (1... 1-5 2. 21-17*)", ["2... 21-17"]),
    "the move that the comment stands at": ("1. 30-26 {30-26* is the only move}", ["1... 30-26 c"]),
    "marked and said": ("1. 30-26* {30-26* is the only move}", ["1... 30-26"]),
    "after it": ("1. 30-26 {now 2-6*}", ["2. 2-6 c"]),
    "in its place": ("1. 30-25 {30-26* wins}", ["1... 30-26 c"]),
    "before it": ("{30-26* wins} 1. 30-25", ["1... 30-26 c"]),
    "a star before its move": ("1. *30-26 2-6 {or *1-5!}", ["1... 30-26", "2. 1-5 c"]),
    "the same in a remark": ("{1... *30-26 is the only move} 1. 30-26", ["1... 30-26 c"]),
    "a comment before a variation's move": ("1. 30-26 2-6 ({1-5* too} 1... 1-5)", ["2. 1-5 c"]),
    "in a line": ("1. 30-26 {1... 1-5 2. 21-17*}", ["2... 21-17 c"]),
    "in a line with commas and judgements": ("1. 30-26 {1-5?, 21-17!* wins}", ["2... 21-17 c"]),
    "another dash": ("1. 30-26 {now 2\u20136*}", ["2. 2-6 c"]),
    "a capture": ("1. 30-26 2-6 2. 26-22 6-10 {or 22x15*, 22-17*}", ["3... 22-17 c"]),
}
NOT_READ = {
    # id: moves, stars that are counted
    "between blanks": ("1. 30-26 {30-26 * wins; * a footnote}", 0),
    "at a word": ("1. 30-26 {best* 30-26 **}", 0),
    "of a program": ("1. 30-26 {[%kr 30-26*]}", 0),
    "no legal move": ("1. 30-26 {99-1* 30-1* 26-26*}", 3),
    "at two places": ("1. 30-26 {1-5 and 21-17*}", 1),
}


def game(moves: str) -> pdn.Game:
    with pdn.Reader(GAME.replace("{moves}", moves)) as reader:
        (read,) = reader
    return read


@pytest.mark.parametrize(("moves", "told"), READ.values(), ids=READ)
def test_stars_that_are_read(moves: str, told: list[str]) -> None:
    marks = [mark for mark in star_marks(game(moves)) if mark.move is not None]
    assert [f"{mark.number} {mark.move}{' c' if mark.comment else ''}" for mark in marks] == told
    for mark in marks:
        assert mark.move in mark.position.legal_moves()


@pytest.mark.parametrize(("moves", "count"), NOT_READ.values(), ids=NOT_READ)
def test_stars_that_are_not_read(moves: str, count: int) -> None:
    marks = list(star_marks(game(moves)))
    assert [mark.move for mark in marks] == [None] * count


def test_a_long_comment_is_quick() -> None:
    list(star_marks(game("1. 30-26 {" + "1-5 21-17* 1... -9 * 1-2-3x" * 4000 + "}")))


STARS = GAME.replace("{moves}", "1. 30-26* {99-1*} 2-6 (1... 1-5 2. 21-17*) 2. 26-23 {or 26-22*}") * 2


def stars(*words: object) -> int:
    return main(["problem", "stars", *map(str, words), "--tc", "nodes=2k", "--quiet"])


def told(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
