"""Pasted PDN: as much as can be read is read, and the place of the rest is named."""

import pytest

from kr.errors import InvalidPdnError
from kr.pdn import Game, Reader


def read(text: str) -> tuple[list[Game], list[InvalidPdnError]]:
    errors: list[InvalidPdnError] = []
    return list(Reader(text + "\n", forgiving=True, on_error=errors.append)), errors


@pytest.mark.parametrize(
    ("text", "written", "warnings"),
    [
        (
            "My game with Bob: 1. 11-15 23-19 && 2. 8-11",
            "{My game with Bob:} 1. 11-15 23-19 2. 8-11 *",
            ["line 1, column 34: '&&' is not PDN", "'My game with Bob:' is outside braces"],
        ),
        (
            "1. 11-15 23-19\n2. 8-11 {good} 22-17! 3. 11-20? {bad} (3. 9-13) 9-13 1-0",
            "1. 11-15 23-19 2. 8-11 {good} 22-17! {Not legal from here: 11-20 9-13} 1-0",
            ["line 2, column 26: illegal move at ply 5: 11-20 is not legal: Black's legal moves are"],
        ),
        (
            "1. 11-15 {a 23-19\n22-17",
            "1. 11-15 {a 23-19} 22-17 *",
            ["line 1, column 10: '{a' is not PDN: the comment that begins here is never closed"],
        ),
        (
            "1. 11-15 (1. 9-13 (1. 10-14",
            "1. 11-15 (1. 9-13) (1. 10-14) *",
            ["line 1, column 19: the variation that begins here is never closed"],
        ),
        (
            "1. 11-15 ) 23-19 [12:30] 2. 8-11 }",
            "1. 11-15 23-19 2. 8-11 *",
            ["column 10: ')' is not PDN", "column 18: '[12:30]' is not PDN", "column 34: '}' is not PDN"],
        ),
        ("<b>1. 11-15</b>", "{b>1.} 1. 11-15 {b>} *", ["'<b>1.'", "'</b>'", "'b>1.' is outside braces"]),
        ('[FEN "W:WK1:B5"]\n1. 22-18', "{Not legal from here: 22-18} *", ["line 2, column 4: illegal move at ply 1"]),
    ],
)
def test_as_much_as_can_be_read_is_read(text: str, written: str, warnings: list[str]) -> None:
    (game,), errors = read(text)
    assert not errors
    assert str(game).strip().split("\n\n")[-1] == written
    for warning in warnings:
        assert any(warning in each for each in game.warnings), (warning, game.warnings)


def test_a_variation_open_at_the_next_game_ends_there() -> None:
    games, errors = read('1. 11-15 (9-13\n[Event "x"]\n1. 9-14')
    assert not errors
    assert [str(game).strip().splitlines()[-1] for game in games] == ["1. 11-15 (1. 9-13) *", "1. 9-14 *"]


@pytest.mark.parametrize("text", ["22-18 11-15", '[GameType "20"]\n1. 32-28', '[FEN "W:W40:B1"]\n1. 1-5'])
def test_other_games_are_refused_as_always(text: str) -> None:
    games, errors = read(text)
    assert not games
    assert len(errors) == 1


def test_only_so_many_parts_left_out_are_told() -> None:
    (game,), _ = read("1. 11-15 " + "# " * 1000)
    assert len(game.warnings) == 20
