"""Repertoires: files in and out, their faults by a book, suggestions, where games left them, and the commands."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kr.book.book import OpeningBook
from kr.book.frame import BookKey, book_key, numbered_steps, step_at
from kr.book.krb import PackedMove, krb_bytes
from kr.cli import main
from kr.errors import InvalidPdnError
from kr.game.position import Position, Side
from kr.pdn import Game, write_game
from kr.theory.repertoire import SUGGESTION, Repertoire, read_repertoires
from kr.theory.repertoire_check import (
    LINE_END,
    ME,
    OPPONENT,
    WEAK,
    GamesComparison,
    check_repertoire,
    grow_repertoire,
)
from kr.theory.userbook import read_userbook

CASES = json.loads((Path(__file__).with_name("cases") / "repertoire.json").read_text("utf-8"))
WHO = {ME: "me", OPPONENT: "opponent", LINE_END: "end"}
WHITE = CASES["repertoires"][0]["pdn"]


def written(tmp_path: Path, text: str, name: str = "mine.pdn") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def after(moves: str) -> Position:
    position = Position()
    for move in moves.split():
        position = position.play(move)
    return position


def book_of(tmp_path: Path, known: dict[str, dict[str, tuple[int | None, int]]]) -> OpeningBook:
    """A book with the value and weight of moves, best first, in the positions after lines."""
    entries: dict[BookKey, list[PackedMove]] = {}
    for line, moves in known.items():
        position = after(line)
        numbers = {step: number for number, step in enumerate(numbered_steps(position))}
        entries[book_key(position)] = [
            PackedMove(numbers[step_at(position, position.parse_move(move))], value, 9, weight)
            for move, (value, weight) in moves.items()
        ]
    path = tmp_path / "book.krb"
    path.write_bytes(krb_bytes(entries, {}))
    return OpeningBook(path)


def of(text: str, tmp_path: Path, side: Side = Side.WHITE) -> Repertoire:
    return read_repertoires([written(tmp_path, text)])[side]


def texts(repertoire: Repertoire, line: str) -> list[str]:
    return [str(each.move) for each in repertoire.of(after(line).bits)]


@pytest.mark.parametrize("case", CASES["repertoires"], ids=[case["title"] for case in CASES["repertoires"]])
def test_recorded_repertoires(tmp_path: Path, case: dict[str, Any]) -> None:
    ((side, repertoire),) = read_repertoires([written(tmp_path, case["pdn"])]).items()
    assert len(repertoire.illegal) == case.get("unplayable", 0)
    games = [write_game(game) for game in repertoire.games()]
    assert [" ".join(re.sub(r"\[(?:Result|GameType) .*", "", game).split()) for game in games] == case["written"]
    again = of("\n".join(games), tmp_path, side)
    assert (again.roots, again.moves) == (repertoire.roots, repertoire.moves)
    answers = {
        board: " ".join(str(each.move) for each in repertoire.of(board) if not each.is_suggested)
        for board in repertoire.moves
        if repertoire.is_own(board)
    }
    meant = {after(line).bits: moves for line, moves in case["answers"].items()}
    assert {board: moves for board, moves in answers.items() if moves} == meant
    for moves, *expected in case.get("leavings", ()):
        comparison = GamesComparison(repertoire)
        comparison.add(game_of(moves))
        left = [[WHO[each.who], each.move, " ".join(each.meant)] for each in comparison.compared.leavings.values()]
        assert left == ([] if expected == [None] else [expected])


@pytest.mark.parametrize(("title", "book", "weak"), CASES["weak after 11-15 23-19"])
def test_recorded_weak_moves(tmp_path: Path, title: str, book: list[Any], weak: list[Any] | None) -> None:
    repertoire = of('[Repertoire "White"]\n1. 11-15 23-19 *', tmp_path)
    known = book_of(tmp_path, {"11-15": {move: (value, 1) for move, value, _ in book}})
    found = [[each.better, each.loss] for each in check_repertoire(repertoire, known) if each.kind == WEAK]
    assert found == ([] if weak is None else [weak]), title


@pytest.mark.parametrize("text", CASES["refused"])
def test_recorded_games_that_are_not_taken(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidPdnError, match="BallotMoves"):
        of(f'[Repertoire "Black"]\n{text}', tmp_path)


@pytest.mark.parametrize(("name", "side"), CASES["sides"])
def test_recorded_sides(tmp_path: Path, name: str, side: str | None) -> None:
    path = written(tmp_path, f'[Repertoire "{name}"]\n1. 11-15 23-19 *')
    if side is None:
        with pytest.raises(InvalidPdnError, match="the tag Repertoire is"):
            read_repertoires([path])
    else:
        assert [each.name.lower() for each in read_repertoires([path])] == [side]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[Event "x"]\n1. 11-15 *', "the tag Repertoire is missing"),
        ('[Repertoire "Black"]\n[BallotMoves "11"]\n1. 11-15 *', "the tag BallotMoves is '11'"),
        ('[Repertoire "Black"]\n[BallotMoves "3"]\n1. 11-15 *', "the game ends after 1 of its 3 BallotMoves"),
        ('[Repertoire "Black"]\n[BallotMoves "2"]\n1. 11-15 (1. 9-13) *', "the game branches after 0 of its 2"),
        ('[Repertoire "Black"]\n1. 11-15 /FEN "W:W21:B1"/ 21-17 *', "a position is set up after 1. 11-15"),
        ('[Repertoire "Black"]\n1. 11-20 *', "illegal move at ply 1"),
        ('[Repertoire "Black"]\n*', "no repertoire"),
    ],
)
def test_files_that_are_no_repertoire(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidPdnError, match=said):
        read_repertoires([written(tmp_path, text)])


def test_a_side_for_games_without_the_tag(tmp_path: Path) -> None:
    path = written(tmp_path, '[Orientation "white"]\n1. 11-15 23-19 *\n\n[Repertoire "Black"]\n1. 9-14 *')
    for side, expected in ((Side.WHITE, {Side.BLACK: 1, Side.WHITE: 1}), (Side.BLACK, {Side.BLACK: 1})):
        assert {side: len(each.roots) for side, each in read_repertoires([path], side).items()} == expected
    # a chapter of a study
    assert read_repertoires([path]).keys() == {Side.BLACK, Side.WHITE}


FAULTY = """[Event "Faulty"]
[Repertoire "White"]
1. 11-15 23-19 (1... 22-17) 2. 8-11 (2. 9-14) (2. 10-14) 2... 22-17 (2... 1-2) 3. 4-8 *
"""
KNOWN: dict[str, dict[str, tuple[int | None, int]]] = {
    "": {"11-15": (3, 5), "9-14": (2, 0), "12-16": (-20, 4), "10-15": (-20, 1), "10-14": (None, 3)},
    "11-15": {"22-18": (1, 5), "23-19": (-4, 6), "22-17": (-14, 2)},
    "11-15 23-19": {"8-11": (5, 5), "9-14": (2, 4), "12-16": (-30, 1)},
    "11-15 23-19 8-11": {"22-18": (12, 4)},
    "11-15 23-19 9-14": {"27-23": (-5, 3)},
    "9-14": {"22-17": (1, 4)},
    "12-16": {"24-20": (14, 4), "23-18": (12, 4)},
    "12-16 24-20": {"8-12": (-14, 3)},
    "12-16 24-20 8-12": {"28-24": (15, 3)},
}


def test_faults_by_the_book(tmp_path: Path) -> None:
    repertoire = of(FAULTY, tmp_path)
    found = check_repertoire(repertoire, book_of(tmp_path, KNOWN))
    brief = [(each.kind, " ".join(each.line), each.moves, each.loss, each.better, each.reason) for each in found]
    assert brief == [
        ("illegal", "11-15 23-19 8-11", ("1-2",), None, "", ""),
        ("two answers", "11-15", ("23-19", "22-17"), None, "", ""),
        # 15 to 22-18; the book does not have 22-17 behind 8-11, and leaves it out as worse
        ("weak", "11-15", ("22-17",), 15, "22-18", ""),
        ("weak", "11-15 23-19 8-11", ("22-17",), None, "22-18", ""),
        ("no answer", "11-15 23-19 8-11 22-17", ("4-8",), None, "", "in the file"),
        ("no answer", "", ("12-16",), None, "", "played by people"),
        ("no answer", "11-15 23-19", ("9-14",), None, "", "in the file"),
        ("no answer", "", ("10-14",), None, "", "played by people"),
        ("no answer", "", ("9-14",), None, "", "good by the book"),
        ("no answer", "11-15 23-19", ("10-14",), None, "", "in the file"),
    ]
    # games by weight: at the start 256, 64, 16, and one each for 10-15 and 9-14; of two answers each is as likely
    half = 256 / 338 / 2
    meant = [half * 256 / 322, 64 / 338, half * 64 / 322, 16 / 338, 1 / 338, half / 322]
    assert [each.chance for each in found[4:]] == pytest.approx(meant)


def test_without_a_book_only_the_file_speaks(tmp_path: Path) -> None:
    kinds = [each.kind for each in check_repertoire(of(FAULTY, tmp_path), None)]
    assert kinds == ["illegal", "two answers", "no answer", "no answer", "no answer"]


def test_suggestions_answer_the_commonest_replies_first(tmp_path: Path) -> None:
    repertoire = of('[Repertoire "White"]\n1. 11-15 23-19 *', tmp_path)
    book = book_of(tmp_path, KNOWN)
    added = list(grow_repertoire(repertoire, book, 3, 0.0))
    assert [(" ".join(each.line), each.reply, each.answer, each.value) for each in added] == [
        ("11-15 23-19", "8-11", "22-18", 12),
        ("", "12-16", "24-20", 14),
        # behind its own answer, and before the rarer replies at the start
        ("12-16 24-20", "8-12", "28-24", 15),
    ]
    own = repertoire.of(after("12-16").bits)
    assert [(str(each.move), each.is_suggested, each.comments) for each in own] == [
        ("24-20", True, [f"{SUGGESTION} (+14)"])
    ]
    # what is rarer than asked for is left alone, and a second run goes on
    assert list(grow_repertoire(repertoire, book, 9, 0.5)) == []
    rest = list(grow_repertoire(repertoire, book, 9, 0.0))
    assert [each.reply for each in rest] == ["9-14", "9-14"]
    assert {" ".join(each.line) for each in rest} == {"11-15 23-19", ""}


def test_a_root_of_the_player_gets_a_move_too(tmp_path: Path) -> None:
    text = '[Repertoire "White"]\n[BallotMoves "1"]\n1. 12-16 23-18 *'
    repertoire = of(text, tmp_path)
    repertoire.moves.clear()
    first = next(grow_repertoire(repertoire, book_of(tmp_path, KNOWN), 5, 0.0))
    assert first.reply == "8-12"
    assert texts(repertoire, "12-16") == ["24-20"]


def game_of(moves: str, result: str = "*", black: str = "Ann", white: str = "Bob") -> Game:
    return Game({"Black": black, "White": white, "Event": "Open", "Date": "1999.01.02"}, None, moves.split(), result)


def test_games_that_left_are_counted_by_their_results(tmp_path: Path) -> None:
    comparison = GamesComparison(of(WHITE, tmp_path))
    for moves, result in [
        ("11-15 23-19 8-11 22-17 4-8 17-14", "1-0"),
        ("11-15 23-19 8-11 22-17 4-8 17-14", "0-1"),
        ("11-15 23-19 8-11 22-17 4-8 17-14", "1/2-1/2"),
        ("11-15 23-19", "*"),
    ]:
        comparison.add(game_of(moves, result))
    comparison.add(Game({}, Position.from_fen("W:W21:B1"), ["21-17"]))
    compared = comparison.compared
    assert (compared.games, compared.outside, compared.within) == (5, 1, 1)
    (mine,) = compared.leavings.values()
    assert (mine.games, mine.won, mine.drawn, mine.lost) == (3, 1, 1, 1)
    assert mine.examples == ["Ann, Bob, Open, 1999.01.02"] * 3
    assert mine.line == ("11-15", "23-19", "8-11", "22-17", "4-8")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["repertoire", *words])
    out, said = capsys.readouterr()
    return code, out, said


def parsed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code, out, said = run(capsys, *words, "--json")
    assert code == 0, said
    found: dict[str, Any] = json.loads(out)
    return found


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, book = str(written(tmp_path, WHITE)), str(book_of(tmp_path, KNOWN).path)
    code, out, _ = run(capsys, "check", path, "--book", book)
    assert code == 0
    assert "no answer" in out
    assert max(map(len, out.splitlines())) <= 80
    (found,) = parsed(capsys, "check", path, "--book", book)["repertoires"]
    assert (found["side"], found["openings"], found["answers"]) == ("white", 2, 9)
    assert {each["kind"] for each in found["faults"]} == {"two answers", "weak", "no answer"}
    assert {each["share"] for each in found["faults"]} <= {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1}
    alone = parsed(capsys, "check", path, "--book", "none")
    assert alone["book"] is None
    assert {each["share"] for each in alone["repertoires"][0]["faults"]} == {None}

    more = tmp_path / "more.pdn"
    (grown,) = parsed(capsys, "grow", path, "--book", book, "--moves", "2", "--out", str(more))["repertoires"]
    assert (grown["answers"], grown["suggested"], len(grown["added"])) == (11, 2, 2)
    assert more.read_text().count(SUGGESTION) == 2
    code, out, _ = run(capsys, "grow", path, "--book", book, "--moves", "2", "--out", str(more))
    assert code == 0
    assert "answer" in out

    games = written(tmp_path, "\n".join(str(game_of("11-15 22-17", "0-1", white=name)) for name in "AB"), "games.pdn")
    (left,) = parsed(capsys, "left", path, "--games", str(games))["repertoires"]
    assert [(each["who"], each["move"], each["games"], each["won"]) for each in left["left"]] == [("me", "22-17", 2, 2)]
    (left,) = parsed(capsys, "left", path, "--games", str(games), "--player", "a")["repertoires"]
    assert left["me"] == 1
    code, out, _ = run(capsys, "left", path, "--games", str(games))
    assert code == 0
    assert "22-17" in out

    user_book = tmp_path / "userbook.BIN"
    code, _, told = run(capsys, "export", path, "--out", str(user_book))
    assert (code, "user book of CheckerBoard with 9 positions" in told) == (0, True)
    moves, wrong = read_userbook(user_book)
    assert (moves[after("11-15")].path, wrong) == (after("11-15").parse_move("23-19").path, [])

    code, out, _ = run(capsys, "export", path)
    assert code == 0
    assert read_repertoires([written(tmp_path, out, "again.pdn")])[Side.WHITE].moves == of(WHITE, tmp_path).moves


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["check"], 2, "FILE"),
        (["check", "untold.pdn"], 1, "no repertoire"),
        (["check", "illegal.pdn"], 1, "1 variation can't be played"),
        (["check", "mixed.pdn"], 1, "1 game left out"),
        (["check", "mine.pdn", "--book", "mine.pdn"], 1, "not a packed book"),
        (["check", "mine.pdn", "--side", "red"], 2, "--side"),
        (["grow", "mine.pdn", "--book", "none", "--out", "x.pdn"], 2, "expected a book"),
        (["grow", "mine.pdn", "--out", "mine.pdn"], 2, "mine.pdn"),
        (["left", "mine.pdn", "--games", "mine.pdn", "--player", "Nobody"], 2, "no game of mine.pdn has this player"),
        (["export", "mine.pdn", "--only", "black"], 2, "no repertoire for this side"),
        (["export", "mine.pdn", "--json"], 2, "--out FILE"),
        (["export", "mine.pdn", "--out", "x.txt"], 2, "expected a name that ends in .pdn, .gz, .xz, .bz2 or .bin"),
        (["grow", "mine.pdn", "--out", "x.bin"], 2, "expected a name that ends in .pdn, .gz, .xz or .bz2"),
    ],
)
def test_bad_input_is_told_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    words: list[str], code: int, said: str,
) -> None:  # fmt: skip
    written(tmp_path, WHITE)
    written(tmp_path, '[Event "x"]\n1. 11-15 *', "untold.pdn")
    written(tmp_path, FAULTY, "illegal.pdn")
    written(tmp_path, f'{WHITE}\n[Event "x"]\n1. 11-15 *', "mixed.pdn")
    monkeypatch.chdir(tmp_path)
    found, _, told = run(capsys, *words)
    assert found == code
    assert said in told.splitlines()[-1]
    assert "Traceback" not in told
