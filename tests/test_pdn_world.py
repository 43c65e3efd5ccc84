"""PDN as sites and programs of the world write it: letters, captures in pieces, other players' tags, stray text."""

from __future__ import annotations

import pytest

from kr.errors import InvalidPdnError
from kr.pdn import Game, read_game, read_games
from kr.pdn.headings import _squares
from kr.pdn.scan import Scanner

FIVE = "11-15 23-19 8-11 22-17"
ENGLISH = '[Variant "American/English"]\n'


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


@pytest.mark.parametrize(
    ("text", "moves", "warning"),
    [
        (ENGLISH + "1. c3-d4 d6-e5 2. b2-c3 b6-c5 3. d4xb6 a7xc5 4. c3-b4 e5-d4 5. b4xd6 e7xc5 0-1",
         "11-15 23-18 8-11 24-19 15x24 28x19 11-16 18-15 16x23 26x19", "letters: c3-d4 is read as 11-15"),
        ('[GameType "21"]\nC3-D4 d6e5 *', "11-15 23-18", "letters: C3-D4"),
        ('[GameType "21,B,8,8,A0,0"]\nc3-d4 (g3-h4 d6-e5) d6-e5 *', "11-15 23-18", "letters"),
        ('[GameType "21,B,8,8,A1,0"]\nf3-e4 e6-d5 *', "11-15 23-18", "letters: f3-e4 is read as 11-15"),
        ('[GameType "21,B,8,8,A0,1"]\nf3-e4 e6-d5 *', "11-15 23-18", "letters"),
        ('[GameType "21,B,8,8,A2,0"]\nc6-d5 d3-e4 *', "11-15 23-18", "letters"),
        ('[GameType "21,B,8,8,N0,0"]\n10-14 22-19 *', "11-15 23-18", "another corner: 10-14 is read as 11-15"),
        ('[GameType "21,B,8,8,N1,0"]\n11-15 23-18 *', "11-15 23-18", ""),
        ('[GameType "21,B,8,8,N0,0"]\n[FEN "B:W21,22:B1,K4:H0:F1"]\n1-5 *', "4-8", "is read as B:W24,23:B4,K1:H0:F1"),
        ('[GameType "21,B,8,8,N0,0"]\n[FEN "B:W29-32:BK1-3"]\n*', "", "B:W32,31,30,29:BK4,K3,K2"),
        ('[GameType "21,B,8,8,A1,0"]\n[FEN "B:Wa8,Kh7:Bc2,Kh1"]\n1. h1-g2 *', "4-8", "as B:W29,K28:B6,K4"),
        ('[GameType "21,W,8,8,A0,0"]\n[FEN "W:Wa1,Kc1:Bh8"]\n1. a1-b2 h8-g7 *', "4-8 29-25", "White begins"),
        ('[GameType "21,W"]\n[FEN "W:W21,22:B1"]\n21-17 *', "21-17", ""),
        ("{one} ({two} 9-13) {three} 1. 11-15 23-19 2. 8-11 22-17 *", FIVE, ""),
        ("1. 1115 2319 2. 0811 22-17 *", FIVE, ""),
        ("1. 11-15 23-19 (1. 1013) 2. 8-11 22-17 *", FIVE, "in a variation"),
        ("1. 11-15,foo 23-19 2. hello8-11 22-17 *", FIVE, "'hello' is outside braces"),
        ("1. 11-15 23-19 2. 8-11 22-17 3. - - 4. 9-13 {lost} 1-0", FIVE, "line 1, column 33: '- -'"),
        ("[Event “one”]\n1. 11-15 23-19 2. 8-11 22-17 *", FIVE, ""),
        ('[Event "one"]\n[Event "two"]\n1. 11-15 23-19 2. 8-11 22-17 *', FIVE, "line 2, column 1: a second Event tag"),
        ('[Event "one"]\n[Event "one"]\n1. 11-15 23-19 2. 8-11 22-17 *', FIVE, ""),
        ("1. 11-15 (the Old Fourteenth, 1 of 3 ways) 23-19 (New York, 1905) 2. 8-11 22-17 *", FIVE, "New York, 1905"),
        ("1. 11-15 played in 9 of 10 games 23-19 2. 8-11 22-17 *", FIVE, "'played in 9 of 10 games'"),
    ],
)  # fmt: skip
def test_games_are_read_as_they_are_meant(text: str, moves: str, warning: str) -> None:
    game = read(text)
    assert line(game) == moves
    assert any(warning in each for each in game.warnings) if warning else not game.warnings


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1. 11-15 *23-19 8-11", "1. 11-15 23-19* 2. 8-11 *"),
        ("1. *11-15 23-19 *8-11! 2217 *", "1. 11-15* 23-19 2. 8-11* ! 22-17 *"),
        ("1. 11-15 23-19 (*22-18 15x22 *25x18) 2. 8-11* *", "1. 11-15 23-19 (1... 22-18* 2. 15x22 25x18*) 2. 8-11* *"),
        ("1. 11-15 23-19 *1-0", "1. 11-15 23-19 1-0"),
        ("1 11-15 22-18\n2 15x22 *25x18 3 1216", "1. 11-15 22-18 2. 15x22 25x18* 3. 12-16 *"),
        ("1. 11-15---A 23-19 (1... 22-18\u2014b2 15x22) 8-11-C!",
         "1. 11-15 {A} 23-19 (1... 22-18 {b2} 2. 15x22) 2. 8-11! {C} *"),
        ("1. 11-15 23-19 * {adjourned}\n1-0", "1. 11-15 23-19 {adjourned} 1-0"),
        ("1. 11-15 23-19 0-1 *", "1. 11-15 23-19 0-1"),
        ("1. 11-15 23-19 1-0 1/2-1/2", "1. 11-15 23-19 1-0"),
    ],
)  # fmt: skip
def test_what_old_books_and_other_programs_print_is_read(text: str, written: str) -> None:
    assert " ".join(str(read(text)).split("\n\n")[-2].split()) == written


SPLIT = "1. 9-14 24-20 2. 11-15 22-18 3. 15x22 25x18 {half} 4. 18x9 {whole} 5x14 5. 30-25 8-11 *"


def test_a_capture_in_several_moves_is_one() -> None:
    game = read(SPLIT)
    assert line(game) == "9-14 24-20 11-15 22-18 15x22 25x9 5x14 30-25 8-11"
    assert [node.comments for node in game.mainline() if node.comments] == [["half", "whole"]]
    assert game.warnings == ("25x18 18x9 at ply 6 is one capture: read as 25x18x9",)
    variation = read("1. 9-14 24-20 2. 11-15 22-18 3. 15x22 26x17 (25x18 18x9 {here} 5x14! 30-25) *")
    assert str(variation).endswith("3. 15x22 26x17 (3... 25x9 {here} 4. 5x14! 30-25) *\n\n")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1. c3-d4 d6-e5 *", "squares named by letters: Russian"),
        ("1. C3-D4 D6-E5 *", "line 1, column 4: .*squares named by letters: Russian"),
        ('[Variant "Russian checkers"]\n1. c3-d4 *', "squares named by letters: Russian"),
        ('[GameType "25"]\n1. c3-d4 *', "GameType 25 is Russian"),
        (SPLIT.replace("18x9 {whole} 5x14 5. 30-25 8-11", ""), "line 1, column 39: illegal move at ply 6: 25x18"),
        (SPLIT.replace("18x9", "17-13"), "line 1, column .*illegal move at ply 6"),
        ('[FEN "W:W21:B1"]\n[FEN "W:W22:B1"]\n*', "line 2, column 1: a second FEN tag"),
        ('[GameType "21,B,8,8,A1,0"]\n[FEN "B:Wa8:Ba1"]\n*', "line 2, column 1: FEN .*there is no square a1"),
        ("1. 32-28 18-23 2. 38-32 *", r"line 1, column 4: illegal move at ply 1: .*squares beyond 32"),
    ],
)
def test_what_may_be_another_game_is_not_guessed(text: str, complaint: str) -> None:
    with pytest.raises(InvalidPdnError, match=complaint):
        list(read_games(text + "\n"))


@pytest.mark.parametrize(
    ("variation", "moves", "comments"),
    [
        ("9-13 - - 5-9! {good}", ["9-13"], ["good", "Not known from here: 5-9"]),
        ("9-13 22-18 - - 18-14 (18-15)", ["9-13", "22-18"], ["Not known from here: 18-14"]),
        ("- - 22-18", [], []),
        (
            '9-13 - - 5-9 /FEN "W:W21,22:B1,2"/ 22-18',
            ["9-13"],
            ['/FEN "W:W21,22:B1,2"/', "Not known from here: 5-9 22-18"],
        ),
    ],
)
def test_a_variation_ends_where_a_move_is_not_known(variation: str, moves: list[str], comments: list[str]) -> None:
    game = read(f"1. 11-15 ({variation}) 23-19 2. 8-11 22-17 *")
    assert line(game) == FIVE
    nodes = [node for node in game.descendants() if not node.is_mainline()]
    assert [node.text for node in nodes] == moves
    if nodes:
        assert nodes[-1].comments == comments
        assert all(node.is_legal for node in nodes)
    else:
        assert game.next().comments == ["Not known from here: 22-18"]


@pytest.mark.parametrize(
    ("tags", "players"),
    [
        ({"Red": "a", "White": "b"}, ("a", "b")),
        ({"Red": "a"}, ("a", None)),
        ({"Red": "a", "Black": "b"}, ("a", "b")),
        ({"P1": "a", "P2": "b"}, ("a", "b")),
        ({"White": "a", "Black": "b", "GameType": "21,W,8,8,N1,0"}, ("a", "b")),
        ({"Red": "b", "White": "a", "GameType": "21,W"}, ("a", "b")),
        ({"Red": "a", "Black": "b", "GameType": "21,W"}, ("a", "b")),
        ({"P1": "a", "P2": "b", "GameType": "21,W"}, ("a", "b")),
        ({"Black": "a", "White": "b", "Red": "c"}, ("a", "b")),
    ],
)
def test_the_player_who_begins_is_black(tags: dict[str, str], players: tuple[str, str | None]) -> None:
    text = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    game = read(f"{text}1. 11-15 23-19 *")
    assert (game.headers["Black"], game.headers.get("White")) == players


def test_an_empty_line_parts_games_of_tags() -> None:
    games = list(read_games('[Event "one"]\n[Black "a"]\n\n[Event "two"]\n1. 11-15 *\n'))
    assert [game.headers["Event"] for game in games] == ["one", "two"]


def test_corners_of_the_board_have_the_names_that_pdn_3_gives_them() -> None:
    assert _squares("N", 1, False) == {str(number): number for number in range(1, 33)}
    for corner, first in enumerate((4, None, None, 29)):
        assert first is None or _squares("A", corner, False)["a1"] == first
    assert _squares("A", 1, True)["a1"] == 4
    assert _squares("N", 2, True)["1"] == 29


def test_a_position_may_be_set_up() -> None:
    game = read('/FEN "W:W18,26:B10"/ 1. 18-14 10x17 *')
    assert (game.start.fen, line(game)) == ("W:W18,26:B10", "18-14 10x17")


@pytest.mark.parametrize(
    ("moves", "warning"),
    [
        ("5x14 31-27", "5x14 at ply 1 is ambiguous"),
        ("5x14 14x21 21x30x23x14 31-27", "5x14 14x21 21x30x23x14 at ply 1 is one capture: read as 5x14x21x30x23x14"),
    ],
)
def test_a_capture_that_may_end_or_go_on_is_told(moves: str, warning: str) -> None:
    game = read(f'[FEN "B:W8,9,17,18,25,26,31,32:BK5"]\n{moves} *')
    assert len(game.moves) == 2
    assert any(warning in each for each in game.warnings)
