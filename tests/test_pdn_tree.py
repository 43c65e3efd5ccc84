"""The tree of a game, its clocks and exporters; what old files look like; which encodings and packings are read."""

import bz2
import copy
import gzip
import io
import lzma
import pickle
from pathlib import Path

import pytest

from kr.errors import IllegalMoveError, InvalidPdnError, InvalidSettingError
from kr.game.position import Move, Position, Side
from kr.pdn import (
    SKIP,
    ChildNode,
    FileExporter,
    Game,
    GameNode,
    Reader,
    StringExporter,
    Visitor,
    read_game,
    read_games,
    write_game,
)

TEXT = """[Event "tree"]

{first} 1. 11-15! {good} 23-19 ({or} 1... 22-17 8-11 (2. 9-13 17-14) 3. 17-13) ({also} 1... 22-18 15x22) {then} 2. 8-11
22-17 *
"""


def only(text: str) -> Game:
    game = read_game(text)
    assert game is not None
    return game


def test_the_tree_of_a_text() -> None:
    game = only(TEXT)
    assert list(map(str, game.mainline_moves())) == ["11-15", "23-19", "8-11", "22-17"]
    first = game.variation(0)
    assert (first.comment, first.nags, game.comment, str(first)) == ("good", ["!"], "first", "1. 11-15")
    answer, other, third = first.variations
    assert (other.starting_comment, third.starting_comment) == ("or", "also")
    assert answer.next().starting_comment == "then"
    assert [str(node) for node in other.mainline()] == ["2. 8-11", "2... 17-13"]
    assert str(other.variation("9-13").end()) == "2... 17-14"
    assert (other.starts_variation(), other.is_mainline()) == (True, False)
    assert answer.is_mainline()
    assert not other.next().is_mainline()
    assert (answer.ply(), answer.turn, answer.game(), answer.root()) == (2, Side.BLACK, game, game)
    assert other.next().position == Position().play("11-15").play("22-17").play("8-11")
    assert list(map(str, other.next().board().moves)) == ["11-15", "22-17", "8-11"]
    assert game.end().position == list(game.positions())[-1]
    assert game.end().variations == []
    assert len(list(game.descendants())) == 11
    assert game.warnings == ()
    assert write_game(only(write_game(game))) == write_game(game)


def test_a_game_is_built_move_by_move() -> None:
    game = Game({"Event": "new"})
    node = game.add_variation("11-15", comment="c", nags=["!"])
    node = node.add_variation(node.position.parse_move("23-19"))
    node.parent.add_variation("22-17", starting_comment="or")
    node.add_line(["8-11", "22-17"], comment="end", nags=["?"])
    assert game.accept(StringExporter(headers=False)) == (
        "1. 11-15! {c} 23-19 ({or} 1... 22-17) 2. 8-11 22-17? {end} *\n"
    )
    with pytest.raises(IllegalMoveError, match="10-15 is not legal"):
        node.add_variation("10-15")
    with pytest.raises(IllegalMoveError, match="not legal"):
        node.add_variation(Move((9, 14)))
    with pytest.raises(IllegalMoveError, match="not legal"):
        Game(moves=["11-15", "11-15"])


def test_variations_change_places() -> None:
    game = Game()
    for move in ("9-13", "10-14", "11-15"):
        game.add_variation(move)

    def order() -> list[str]:
        return [node.text for node in game.variations]

    game.promote_to_main("11-15")
    assert order() == ["11-15", "9-13", "10-14"]
    game.promote(Move((9, 13)))
    assert order() == ["11-15", "10-14", "9-13"]
    game.demote(0)
    assert order() == ["10-14", "11-15", "9-13"]
    removed = game.variation("11-15")
    game.remove_variation(removed)
    assert order() == ["10-14", "9-13"]
    assert game.has_variation("9-13")
    assert not game.has_variation("11-15")
    assert game.add_main_variation("12-16").is_mainline()
    with pytest.raises(KeyError):
        game.variation("11-15")
    with pytest.raises(InvalidPdnError, match="was removed from its game"):
        removed.game()


@pytest.mark.slow
def test_games_are_copied_and_pickled() -> None:
    game = only(TEXT.replace("(2. 9-13", "(1-2) (2. 9-13"))
    node = long = Game(start=Position.from_fen("W:WK1:BK32"))
    for _ in range(3000):
        node = node.add_variation(node.position.legal_moves()[0])
    for one in (game, long):
        for copied in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
            assert copied == one
            assert copied is not one
            assert (copied.warnings, copied.line) == (one.warnings, one.line)


def test_an_illegal_variation_is_kept_as_text() -> None:
    text = "1. 11-15 23-19 (1... 22-17 {here} 1-2 {there} 5-6! (7-8)) 2. 8-11 *"
    game = only(text)
    assert game.warnings[0].startswith("in a variation, ply 3: 1-2 is not legal: Black's legal moves are")
    assert "kept as text" in game.warnings[0]
    legal = game.variation(0).variations[1]
    illegal = legal.next()
    assert (legal.is_legal, illegal.is_legal, illegal.text, illegal.comment) == (True, False, "1-2", "there")
    for wrong in (lambda: illegal.move, lambda: illegal.position, lambda: illegal.add_variation("8-11")):
        with pytest.raises(IllegalMoveError, match="1-2 is part of an illegal variation"):
            wrong()
    assert "22-17 {here} 2. 1-2 {there} 5-6! (2... 7-8)) 2. 8-11 *" in write_game(game)
    assert only(write_game(game)) == game


@pytest.mark.parametrize(
    ("comment", "clock", "emt"),
    [
        ("[%clk 1:02:03]", 3723, None),
        ("a [%emt 0:00:03.5] b", None, 3.5),
        ("[%clk 4:59] [%emt 7]", 299, 7),
        ("clk 1:00:00", None, None),
    ],
)
def test_clocks_are_read(comment: str, clock: float | None, emt: float | None) -> None:
    node = Game().add_variation("11-15", comment=comment)
    assert (node.clock(), node.emt()) == (clock, emt)


def test_clocks_are_set() -> None:
    node = Game().add_variation("11-15", comment="quick [%clk 0:01:00]")
    node.set_clock(59.25)
    node.set_emt(3)
    assert node.comments == ["[%emt 0:00:03]", "[%clk 0:00:59.25]", "quick"]
    assert (node.clock(), node.emt()) == (59.25, 3)
    node.set_clock(None)
    node.set_emt(None)
    assert node.comments == ["quick"]


class Words(Visitor[list[str]]):
    """Notes what it is shown; skips headers and the variations that `skip` names by number."""

    def __init__(self, skip: int) -> None:
        self.words: list[str] = []
        self.skip = skip

    def begin_headers(self) -> bool | None:
        return SKIP

    def visit_header(self, name: str, value: str) -> None:
        raise AssertionError

    def begin_variation(self) -> bool | None:
        self.skip -= 1
        return SKIP if self.skip == 0 else None

    def visit_move(self, node: ChildNode) -> None:
        self.words.append(node.text)

    def visit_comment(self, comment: str) -> None:
        self.words.append(comment)

    def finish(self) -> list[str]:
        return self.words


def test_visitors_may_skip() -> None:
    game = only("1. 11-15 {a} (1. 9-13 {b}) (1. 9-14 (1. 10-14)) 22-18 *")
    assert game.accept(Words(9)) == ["11-15", "a", "9-13", "b", "9-14", "10-14", "22-18"]
    assert game.accept(Words(1)) == ["11-15", "a", "9-14", "10-14", "22-18"]
    assert game.variation("11-15").accept(Words(1)) == ["a", "22-18"]


def test_exporters_leave_out_unwanted_parts() -> None:
    game = only(TEXT)
    plain = {"headers": False, "comments": False, "variations": False, "nags": False}
    assert game.accept(StringExporter(**plain)) == "1. 11-15 23-19 2. 8-11 22-17 *\n"
    assert game.accept(StringExporter(**plain, columns=16)) == "1. 11-15 23-19\n2. 8-11 22-17 *\n"
    assert len(game.accept(StringExporter(columns=None)).splitlines()) == 4
    file = io.StringIO()
    exporter = FileExporter(file)
    for _ in range(2):
        game.accept(exporter)
    assert [again == game for again in read_games(file.getvalue())] == [True, True]
    for wrong, message in ((["good"], "is not a judgement"),):
        game.variation(0).nags = wrong
        with pytest.raises(InvalidPdnError, match=message):
            write_game(game)
    with pytest.raises(InvalidPdnError, match="can't be called"):
        write_game(Game({"a b": ""}))


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "0-0", "2-0", "0-2", "1-1", "1/2", "*"])
def test_no_result_is_taken_for_a_move(result: str) -> None:
    """Not even where the first move could be one: from square 1, and after captures that end there."""
    for fen in ("B:W6:BK1", "B:W6,7,14,15:BK2,K1", "W:W6,10:B1,2"):
        game = only(f'[FEN "{fen}"]\n{result}')
        assert game.moves == ()
        assert only(write_game(game)) == game


def test_the_name_of_a_file_is_no_text() -> None:
    with pytest.raises(InvalidPdnError, match="give a Path"):
        read_game("games.pdn.xz")


def test_lines_and_columns_are_those_of_the_file() -> None:
    text = '[Event "a"]\r\n1. 11-15 1-0\r\n\r\n[Event "b"]\r\n1. 11-15\r\n  22-33 *\r\n[Event "c"]\r\n*\r\n'
    errors: list[InvalidPdnError] = []
    assert [game.line for game in read_games(io.StringIO(text), errors=errors)] == [1, 7]
    assert [(error.line, error.column) for error in errors] == [(6, 3)]


def test_games_of_an_open_file_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "two.pdn"
    path.write_text("1. 11-15 * 1. 11-14 * 1. 9-13 *")
    with path.open() as file, path.open("rb") as other:
        assert read_game(file).moves == (Move((10, 14)),)
        with pytest.raises(InvalidPdnError, match=r"two\.pdn, line 1, column 15"):
            read_game(file)
        assert read_game(other).moves == (Move((10, 14)),)
        assert read_game(file).moves == (Move((8, 12)),)
        assert read_game(file) is None
    assert read_game("") is None
    assert read_game(path).line == 1


def test_games_are_passed_over_by_their_headers() -> None:
    text = '[Event "a"]\n1. 11-15 *\n[Event "b"]\n1. 1-2 *\n[Event "c"]\n1. 9-13 *'
    found = read_games(text, where=lambda headers: headers["Event"] != "b")
    assert [game.headers["Event"] for game in found] == ["a", "c"]


@pytest.mark.slow
@pytest.mark.parametrize("module", [gzip, bz2, lzma])
def test_packed_files_are_read(tmp_path: Path, module: object) -> None:
    path = tmp_path / "games.pdn.z"
    packed = module.compress(b"1. 11-15 *\n" * 10_000)  # type: ignore[attr-defined]
    path.write_bytes(packed)
    reader = Reader(path)
    assert sum(1 for _ in reader) == 10_000
    assert reader.position == len(packed)
    with path.open("rb") as file:
        assert sum(1 for _ in read_games(file)) == 10_000
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InvalidPdnError, match="the file is damaged"):
        list(read_games(path, errors=[]))


@pytest.mark.parametrize(
    ("names", "encoding", "found"),
    [
        ("Müller, José; Ångström, Pérez", "cp437", "cp437"),
        ("Müller, José; Ångström, Pérez", "latin-1", "latin-1"),
        ("Muller", "ascii", "ascii"),
        ("MÜLLER", "latin-1", "latin-1"),
        ("MÜLLER", "cp437", "cp437"),
        ("Françoise", "cp437", "cp437"),
        ("Tinsley\u2019s", "cp1252", "latin-1"),
    ],
)
def test_old_encodings_are_told_apart(names: str, encoding: str, found: str) -> None:
    reader = Reader(io.BytesIO(f'[Black "{names}"]\n1. 11-15 *\n'.encode(encoding)))
    assert next(reader).headers["Black"] == names
    assert reader.encoding == found


def test_a_file_of_several_encodings() -> None:
    line = '[Black "Müller"]\n1. 11-15 *\n'
    reader = Reader(io.BytesIO(line.encode("utf-8") + line.encode("cp437") * 2 + line.encode("utf-8")))
    assert [game.headers["Black"] for game in reader] == ["Müller"] * 4
    assert reader.encoding == "utf-8,cp437"


def test_an_encoding_that_is_given_is_kept_to() -> None:
    content = '[Black "Müller"]\n*'.encode("latin-1")
    assert next(read_games(io.BytesIO(content), encoding="latin-1")).headers["Black"] == "Müller"
    with pytest.raises(InvalidPdnError, match="byte 0xfc is not utf-8"):
        list(read_games(io.BytesIO(content), encoding="utf-8"))
    with pytest.raises(InvalidSettingError, match="encoding 'klingon' is not known"):
        Reader(io.BytesIO(content), encoding="klingon")


def test_games_that_differ_are_not_equal() -> None:
    def game(text: str) -> GameNode:
        return only(text)

    assert game(TEXT) == game(TEXT)
    for old, new in (
        ("first", "1st"),
        ("!", "?"),
        ("{or}", ""),
        ("22-17 *", "22-18 *"),
        ("*", "1-0"),
        ("tree", "bush"),
    ):
        assert game(TEXT) != game(TEXT.replace(old, new))
    assert game(TEXT) != TEXT
