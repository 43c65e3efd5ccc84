"""Reading and writing games: small games of every form, faults, and the real collections where they are present."""

import lzma
from collections import Counter
from pathlib import Path

import pytest

from kr.errors import InvalidPdnError
from kr.game.position import Move, Position, Side
from kr.pdn import Comment, Game, Nag, Variation, format_game, read_games, write_game
from kr.pdn.headings import _squares

GAMES = Path(__file__).parent / "data" / "games.pdn"


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return list(read_games(GAMES))


def moves_of(game: Game) -> list[str]:
    return [str(move) for move in game.moves]


def only(text: str, **options: str) -> Game:
    (game,) = read_games(text, **options)  # type: ignore[arg-type]
    return game


def test_all_games_of_a_file_are_read(games: list[Game]) -> None:
    assert [(len(game.moves), game.result) for game in games] == [
        (26, "0-1"), (7, "1/2-1/2"), (3, "*"), (3, "*"), (2, "0-1"), (0, "0-0"),
    ]  # fmt: skip
    assert [game.warnings for game in games[:4]] == [()] * 4


def test_tags_and_result_are_read(games: list[Game]) -> None:
    assert games[0].tags["Site"] == 'kr "tests", C:\\draughts'
    assert list(games[0].tags) == ["Event", "Site", "Date", "Black", "White", "Result", "GameType"]
    assert games[0].winner is Side.WHITE
    assert games[1].winner is None
    *_, final = games[0].positions()
    assert final.fen == "B:WK3,K17,25,28,29,30,31,32:B"


def test_notes_keep_their_place(games: list[Game]) -> None:
    assert games[0].notes == (
        Comment(0, "Games made up for these tests: every way of writing that the reader knows."),
        Comment(26, "nothing is left"),
    )
    assert games[1].notes == (
        Comment(0, "before the first\nmove"),
        Nag(1, "!"),
        Comment(1, "[%clk 1:02:03]"),
        Nag(2, "?!"),
        Nag(2, "$14"),
        Nag(3, "(!)"),
        Variation(
            3,
            ("9-14", "22-17", "5-9"),
            (Comment(1, "quiet"), Variation(2, ("27-23", "8-11"), (Nag(1, "!?"),))),
        ),
        Comment(4, "to the end of the line"),
        Comment(4, "a line of its own, with a } brace"),
        Nag(5, "*"),
        Comment(6, "[%emt 3]"),
        Comment(7, "after the result"),
    )


def test_white_begins_where_the_fen_says_so(games: list[Game]) -> None:
    assert games[2].start.fen == "W:WK10,18,24:B12,K22"
    assert moves_of(games[2]) == moves_of(games[3]) == ["10-6", "22x15", "24-20"]
    assert "\n1... 10-6 2. 22x15 24-20 *\n" in write_game(games[2])


def test_a_whole_path_is_written_only_where_it_is_needed(games: list[Game]) -> None:
    assert moves_of(games[4]) == ["32x23x14x7", "11-15"]
    assert moves_of(only('[FEN "W:W32:B27,18,1"] 1... 32x23x14 *')) == ["32x14"]


def test_written_games_read_back_the_same(games: list[Game]) -> None:
    text = "\n".join(write_game(game) for game in games)
    again = list(read_games(text))
    for game, back in zip(games, again, strict=True):
        assert (back.start, back.moves, back.result, back.notes) == (game.start, game.moves, game.result, game.notes)
        assert {**game.tags, "SetUp": "1", "FEN": ""} == {**back.tags, "SetUp": "1", "FEN": ""} | {
            name: value for name, value in game.tags.items() if name == "Setup"
        }
    assert "\n".join(write_game(game) for game in again) == text
    assert max(map(len, text.splitlines())) <= 79


def test_a_new_game_gets_the_tags_that_readers_need() -> None:
    start = Position.from_fen("W:WK10,18,24:B12,K22")
    move = start.parse_move("10-6")
    text = format_game({"Event": "new"}, start, [move], "1-0", [Comment(1, "a slip")])
    assert text == (
        '[Event "new"]\n[Result "1-0"]\n[GameType "21"]\n[SetUp "1"]\n[FEN "W:WK10,18,24:B12,K22"]\n'
        "\n1... 10-6 {a slip} 1-0\n\n"
    )
    assert only(text).moves == (move,)
    assert "FEN" not in format_game({}, Position(), Position().legal_moves()[:1])


def test_results_can_be_told_from_whites_side() -> None:
    text = '[Result "1-0"]\n1. 11-15 1-0\n'
    assert only(text).winner is Side.BLACK
    turned = only(text, results="white")
    assert turned.winner is Side.WHITE
    assert turned.result == turned.tags["Result"] == "0-1"
    assert only(write_game(turned, results="white")) == only(text)
    assert only("1. 11-15 1/2-1/2", results="white").result == "1/2-1/2"


@pytest.mark.parametrize(
    "text",
    ["1. 11-15 23-19 { never closed", "1. 11-15 (1. 9-13 ( 23-19 )", '[Event "x]\n*', "Dear reader,", "1. 21-17 *"],
)
def test_reading_goes_on_after_a_bad_game(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mixed.pdn"
    good = '[Event "good"]\n[Result "*"]\n\n1. 11-15 *\n'
    path.write_bytes(f"{good}\n{text}\n\n{good}".replace("\n", "\r\n").encode())
    errors: list[InvalidPdnError] = []
    found = list(read_games(path, errors=errors))
    assert [game.tags.get("Event") for game in found].count("good") == 2
    assert len(errors) >= 1
    assert str(errors[0]).startswith("mixed.pdn, line ")


def test_corners_of_the_board_have_the_names_that_pdn_3_gives_them() -> None:
    assert _squares("N", 1, False) == {str(number): number for number in range(1, 33)}
    for corner, first in enumerate((4, None, None, 29)):
        assert first is None or _squares("A", corner, False)["a1"] == first
    assert _squares("A", 1, True)["a1"] == 4
    assert _squares("N", 2, True)["1"] == 29


def test_a_game_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(InvalidPdnError, match="result '2-0' is not one of 1-0, 0-1"):
        Game(result="2-0")
    with pytest.raises(InvalidPdnError, match="a note is at ply 1 of a game of 0 plies"):
        Game(notes=(Comment(1, "late"),))
    with pytest.raises(InvalidPdnError, match="can't hold a closing brace"):
        write_game(Game(notes=(Comment(0, "two\n} lines"),)))


def test_a_comment_in_a_variation_may_hold_a_brace() -> None:
    game = Game({}, Position(), (Move((10, 14)),), "*", (Variation(1, ("9-13",), (Comment(1, "}"),)),))
    assert only(write_game(game)) == game


# file, games read, games left out: the English games among the test files of the PDN standard
CORPUS = [
    ("succeed__OCA_2.0", 43), ("succeed__inferno", 68), ("succeed__Principles_of_Strategy", 16),
    ("succeed__Tricks_traps_and_shots", 91), ("succeed__goulds", 262), ("succeed__bridges", 267),
    ("succeed__borderclassics", 183), ("succeed__gem", 162), ("succeed__lpc", 100), ("succeed__beginner", 58),
]  # fmt: skip


@pytest.mark.parametrize(("name", "count"), CORPUS)
def test_the_english_files_of_the_standard_are_read(shared_data: Path, name: str, count: int) -> None:
    found = list(read_games(shared_data / "pdn-corpus" / f"{name}.pdn"))
    assert len(found) == count
    for game in found:
        back = only(write_game(game))
        assert (back.start, back.moves, back.result, back.notes) == (game.start, game.moves, game.result, game.notes)


def test_all_other_files_of_the_standard_are_refused(shared_data: Path) -> None:
    english = {name for name, _ in CORPUS}
    others = [path for path in sorted((shared_data / "pdn-corpus").glob("*.pdn")) if path.stem not in english]
    assert len(others) > 20
    for path in others:
        with pytest.raises(InvalidPdnError, match=rf"^{path.name}, line \d+, column \d+: "):
            list(read_games(path))


def test_variations_nest_only_so_deep() -> None:
    with pytest.raises(InvalidPdnError, match="line 1, column 16394: variations are nested more than 16,384 deep"):
        only("1. 11-15 " + "(" * 16_385)


def test_an_illegal_game_is_named_and_the_others_read(shared_data: Path) -> None:
    errors: list[InvalidPdnError] = []
    assert sum(1 for _ in read_games(shared_data / "tinsley.pdn", errors=errors)) == 723
    assert [str(error).split(":")[:2] for error in errors] == [
        ["tinsley.pdn, line 5588, column 5", " illegal move at ply 123"]
    ]


@pytest.mark.slow
def test_a_part_of_the_open_archive_is_read(shared_data: Path) -> None:
    with lzma.open(shared_data / "OCA_2.0.pdn.xz", "rt", encoding="utf-8") as file:
        text = file.read(1_000_000)
    text = text[: text.rindex("[Event")]
    found = list(read_games(text))
    assert len(found) == text.count("[Event ")
    assert Counter(game.result for game in found) == Counter(game.tags["Result"] for game in found)
    assert not any(game.warnings for game in found)
