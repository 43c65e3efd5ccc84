"""Books in other forms."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest
from small_book import book_content
from small_graph import reached, searched, write_cooks, write_graph
from test_book import build

from kr.book.book import OpeningBook
from kr.book.frame import position_of_key
from kr.cli import main
from kr.errors import InvalidBookError, InvalidSettingError
from kr.game.position import Position
from kr.pdn import read_games
from kr.theory import userbook
from kr.theory.checking import check_book
from kr.theory.exporting import BookExportSettings, export_book
from kr.theory.store import book_for_reading, book_for_writing


@pytest.fixture
def book(tmp_path: Path) -> Path:
    build(tmp_path / "book.sqlite", positions=30)
    return tmp_path / "book.sqlite"


def test_a_packed_book_has_what_the_working_file_has(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = book.with_name("book.KRB")
    assert main(["book", "export", str(book), "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    packed = OpeningBook(out)
    with book_for_reading(book) as store:
        graph, settings = store.graph(), store.settings()
    assert (told["positions"], told["bytes"]) == (len(packed), out.stat().st_size)
    for key, node in graph.nodes.items():
        moves = packed.moves(position_of_key(key))
        assert [move.value for move in moves] == [graph.move_worth(move) for move in graph.ranked(node)]
    facts = packed.facts
    assert [facts[name] for name in ("nodes", "within", "weights")] == [300, 25, settings["weights"]]
    assert facts["positions"] == len(packed)
    assert str(book.parent) not in json.dumps(facts)


def test_what_people_play_is_shown_with_the_value_behind_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, start = tmp_path / "book.sqlite", Position()
    nodes = [searched(start, {"11-15": 4, "9-14": 0}), searched(reached("12-16"), {"24-20": -9})]
    write_graph(path, nodes, {start: {"12-16": 8, "10-14": 7, "9-14": 2}}, {"start": start})
    assert main(["book", "show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["worth"] == 9
    rows = [(row["move"], row["worth"], row["score"], row["games"]) for row in shown["moves"]]
    assert rows == [
        ("12-16", 9, None, 8), ("11-15", 4, 4, 0), ("9-14", 0, 0, 2), ("10-14", None, None, 7),
    ]  # fmt: skip
    assert shown["moves"][0]["line"] == "24-20"


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("book.zip", {}, "without --format, --out .*: expected a name that ends in .krb, .txt, .pdn, .json or .bin"),
        ("book", {}, "expected a name that ends in"),
        ("book.pdn", {"within": -1}, "within"),
        ("book.sqlite", {"format": "krb"}, "is read too"),
        ("book.krb", {"format": "zip"}, "'zip' is unknown"),
    ],
)
def test_exports_that_are_refused(book: Path, name: str, settings: dict[str, str], told: str) -> None:
    before = book.read_bytes()
    with pytest.raises(InvalidSettingError, match=told):
        export_book(BookExportSettings(book=book, out=book.with_name(name), **settings))
    assert book.read_bytes() == before


def test_the_shipped_book_is_named_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.pdn").write_text("1. 11-15 23-19 2. 8-11 22-17 *")
    assert main(["book", "coverage", "shipped", "games.pdn", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["in_book"] == 1
    assert main(["book", "export", "shipped", "--out", "book.txt", "--plies", "1", "--quiet"]) == 0
    assert "\n  11-15  " in Path("book.txt").read_text()
    # a file of this name comes first
    Path("shipped").write_text("something else")
    assert main(["book", "coverage", "shipped", "games.pdn"]) == 1
    assert "shipped" in capsys.readouterr().err


def test_a_book_without_positions(tmp_path: Path) -> None:
    with book_for_writing(tmp_path / "book") as store:
        store.begin({"nodes": 1}, {}, {})
    with pytest.raises(InvalidBookError, match="has no positions yet"):
        export_book(BookExportSettings(book=tmp_path / "book", out=tmp_path / "book.krb"))
    assert not (tmp_path / "book.krb").exists()


def cooked_book(path: Path) -> None:
    """A book of two openings: 11-15, where people answer 22-18 and 22-17 is better, and one set up with White to
    move, where a capture promotes."""
    start = Position()
    white = start.play("11-15")
    ending = Position.from_fen("W:W10,K18:B7,14,K29")
    nodes = [
        searched(start, {"11-15": 5, "9-14": 2}),
        searched(white, {"22-17": 5, "22-18": -20, "23-19": 1}),
        searched(white.play("22-17"), {"8-11": -4, "9-14": -9}),
        searched(start.play("9-14"), {"22-17": -3}),
        searched(start.play("9-14").play("22-17"), {"11-15": 3}),
        searched(ending, {"18x9": 60, "10x3": 55}),
        searched(ending.play("18x9"), {"7x14": -70}),
    ]
    deck = path.with_name("deck.fen")
    deck.write_text(f"{start.fen}\n{ending.fen}\n")
    played = {start: {"11-15": 9}, white: {"22-18": 7, "21-17": 1}}
    write_graph(path, nodes, played, {"deck 1": start, "deck 2": ending}, openings=str(deck))
    write_cooks(path, {"11-15": (("22-17", 4), ("22-18", -20))})


TREE = """
deck 1
  9-14 22-17 11-15  +3  depth 3
  11-15  -4  depth 3  9 games
    22-17  +4  depth 2
      8-11  -4  depth 1
      9-14  -9  depth 1  as 9-14 22-17 11-15
    23-19  +1  depth 1
    22-18  -20  depth 1  7 games  cook: 24 worse

deck 2
  18x9 7x14  +70  depth 2
  10x3  +55  depth 1
"""


@pytest.mark.parametrize("packed", [False, True])
def test_a_tree_as_text(tmp_path: Path, packed: bool) -> None:
    cooked_book(tmp_path / "book")
    if packed:
        export_book(BookExportSettings(book=tmp_path / "book", out=tmp_path / "book.krb"))
    source = tmp_path / ("book.krb" if packed else "book")
    report = export_book(BookExportSettings(book=source, out=tmp_path / "tree.txt", within=25))
    assert report.number == 2
    text = (tmp_path / "tree.txt").read_text()
    # a packed book has weights
    assert text.endswith(re.sub(r"\d games", "4 or more games", TREE) if packed else TREE)


@pytest.mark.parametrize("form", ["text", "pdn"])
def test_names_of_openings_that_a_terminal_would_obey(tmp_path: Path, form: str) -> None:
    start = Position()
    after = start.play("11-15")
    nodes = [searched(start, {"11-15": 5}), searched(after, {"22-17": 5})]
    roots = {"start": start, "\x1b[31m }\n[Event ": after, "not in it yet": start.play("9-14")}
    write_graph(tmp_path / "book", nodes, {}, roots, openings="gone")
    report = export_book(BookExportSettings(tmp_path / "book", tmp_path / "out", format=form))
    text = (tmp_path / "out").read_text()
    assert r"as \x1b[31m }\n[Event" in " ".join(text.split())
    assert "\x1b" not in text
    assert report.number == 2
    assert form == "text" or len(list(read_games(tmp_path / "out"))) == 2


def test_games_with_variations(tmp_path: Path) -> None:
    cooked_book(tmp_path / "book")
    export_book(BookExportSettings(book=tmp_path / "book", out=tmp_path / "book.pdn", within=3, plies=3))
    first, second = read_games(tmp_path / "book.pdn")
    line = [(str(node.move), node.comment) for node in first.mainline()]
    assert line == [("9-14", "+3, depth 3"), ("22-17", "-3, depth 2"), ("11-15", "+3, depth 1")]
    assert not first.variations[1:]
    assert second.start.fen == "W:W10,K18:B7,14,K29"
    assert [str(node.move) for node in second.descendants()] == ["18x9", "7x14"]
    export_book(BookExportSettings(book=tmp_path / "book", out=tmp_path / "book.pdn", within=7))
    first, _ = read_games(tmp_path / "book.pdn")
    cooks = [node for node in first.descendants() if node.nags]
    assert [(str(node.move), node.comment) for node in cooks] == [("22-18", "-20, depth 1, 7 games, cook: 24 worse")]
    assert [str(move) for move in cooks[0].parent.variation(0).mainline_moves()] == ["8-11"]


def test_positions_as_json(tmp_path: Path) -> None:
    cooked_book(tmp_path / "book")
    report = export_book(BookExportSettings(book=tmp_path / "book", out=tmp_path / "book.json"))
    content = json.loads((tmp_path / "book.json").read_text())
    assert [opening["name"] for opening in content["openings"]] == ["deck 1", "deck 2"]
    assert report.number == len(content["positions"]) == 7
    moves = {each["fen"]: each["moves"] for each in content["positions"]}
    assert moves[Position().fen] == [
        {"move": "9-14", "value": 3, "depth": 3, "games": 0},
        {"move": "11-15", "value": -4, "depth": 3, "games": 9},
    ]
    (unknown,) = (each for each in moves[Position().play("11-15").flipped().fen] if each["value"] is None)
    assert unknown == {"move": "12-16", "value": None, "depth": 0, "games": 1}


def read_userbook(content: bytes) -> dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[str, int, int]]:
    """Boards of a user book, as black men, black kings, white men and white kings, and the move there with the moving
    piece before and after it. Written by the structs of CheckerBoard alone."""
    moves = {}
    for at in range(0, len(content), 284):
        boards = struct.unpack_from("<4I", content, at)
        numbers = struct.unpack_from("<67i", content, at + 16)
        # a board of 8 by 8, x from the right of square 1's row
        names = {(6 - 2 * (square % 4) + square // 4 % 2, square // 4): square + 1 for square in range(32)}
        placed = [
            tuple(sorted(names[2 * (bit % 4) + bit // 4 % 2, bit // 4] for bit in range(32) if board >> bit & 1))
            for board in boards
        ]
        jumps, after, before = numbers[:3]
        coordinates = list(zip(numbers[3:55:2], numbers[4:55:2], strict=True))
        captured = [names[each] for each in coordinates[14 : 14 + jumps]]
        text = f"{names[coordinates[0]]}{'x' if jumps else '-'}{names[coordinates[1]]}"
        assert all(piece in sum(placed, ()) for piece in captured)
        assert [bool(piece) for piece in numbers[55:]] == [index < jumps for index in range(12)]
        moves[tuple(placed)] = (text, before, after)
    return moves


def test_a_user_book_of_checkerboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cooked_book(tmp_path / "book")
    report = export_book(BookExportSettings(book=tmp_path / "book", out=tmp_path / "userbook.bin"))
    moves = read_userbook((tmp_path / "userbook.bin").read_bytes())
    assert report.number == len(moves) == 7
    black, white = tuple(range(1, 13)), tuple(range(21, 33))
    assert moves[black, (), white, ()] == ("9-14", 6, 6)
    after = tuple(sorted({*black, 15} - {11}))
    assert moves[after, (), white, ()] == ("22-17", 5, 5)
    assert moves[(7, 14), (29,), (10,), (18,)] == ("18x9", 9, 9)
    monkeypatch.setattr(userbook, "MOST_ENTRIES", 3)
    export_book(BookExportSettings(book=tmp_path / "book", out=tmp_path / "userbook.bin"))
    assert len(read_userbook((tmp_path / "userbook.bin").read_bytes())) == 3


def test_a_user_book_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cooked_book(tmp_path / "book")
    path = tmp_path / "any.name"
    export_book(BookExportSettings(book=tmp_path / "book", out=path, format="checkerboard"))
    assert main(["book", "show", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [(move["move"], move["worth"], move["line"]) for move in shown["moves"]] == [("9-14", None, "22-17 11-15")]
    assert main(["book", "show", str(path)]) == 0
    assert "worse" not in capsys.readouterr().out
    # in other forms
    for form, told in (("pdn", "1. 9-14 22-17"), ("text", "9-14 22-17"), ("json", '"move": "9-14", "value": null')):
        export_book(BookExportSettings(book=path, out=tmp_path / "out", format=form))
        assert told in (tmp_path / "out").read_text()
    export_book(BookExportSettings(book=path, out=tmp_path / "again.bin"))
    assert read_userbook((tmp_path / "again.bin").read_bytes()).items() <= read_userbook(path.read_bytes()).items()
    with pytest.raises(InvalidSettingError, match="a user book of CheckerBoard, which has no values; expected"):
        export_book(BookExportSettings(book=path, out=tmp_path / "book.krb"))
    # an entry that no game has
    content = bytearray(path.read_bytes())
    content[284 + 4 * 9] = 7
    path.write_bytes(content)
    assert main(["book", "check", str(path)]) == 1
    assert "1 entry without a legal move, the first entry 2" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "export --out out.json", "check", "cooks", "verify", "coverage x.pdn"])
def test_what_is_no_book_is_named(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.pdn").write_text('[Event "x"]\n1. 11-15 *\n')
    name, *rest = command.split()
    assert main(["book", name, "x.pdn", *rest]) == 1
    assert capsys.readouterr().err.startswith("kr: x.pdn is a PDN file; expected a book of kr book build")


def test_a_packed_book_is_checked_as_far_as_it_goes(book: Path) -> None:
    packed = book.with_name("book.krb")
    export_book(BookExportSettings(book=book, out=packed))
    report = check_book(packed)
    assert not report.wrong
    assert report.checked
    assert report.moves == report.checked + (report.not_checked or 0)
    # 11-15 is worth what 22-18 is after it, the other way round
    packed.write_bytes(book_content({"": "11-15 6 20 5", "11-15": "22-18 -5 18 4"}))
    assert check_book(packed).wrong == [Position().fen]
