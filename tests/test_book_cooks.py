"""Cooks of a book: which moves they are, the way to them, and the games that went wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_graph import CookValues, reached, searched, write_cooks, write_graph

import kr
from kr.book.book import OpeningBook
from kr.book.cooks import COOK
from kr.cli import main
from kr.engine.engine import Engine
from kr.errors import InvalidBookError, InvalidSettingError
from kr.game.value import Value
from kr.pdn import read_games
from kr.storage import data_path
from kr.theory.cook_search import search_cooks
from kr.theory.cooks import CookSettings, CookVerdict, cook_title, find_cooks
from kr.theory.merging import BookMergeSettings, merge_books
from kr.theory.store import book_for_reading

BOOKS_PAGE = Path(__file__).parents[1] / "docs" / "lab" / "books.md"
ARCHIVE = """[Event "Glasgow 1901"]
[Black "Ferrie, J."]
[White "Stewart, R."]
1. 9-14 22-18 1/2-1/2

[Event "Leeds"]
[Black "One"]
[White "Two"]
[Date "1934.??.??"]
1. 9-14 22-18 0-1

[Event "Elsewhere"]
1. 9-14 23-18 1/2-1/2
"""
"""Two of three games went wrong after 9-14."""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """After 9-14 people's 22-18 is 20 worse than 24-20; after 9-14 22-18, which they should not reach, their 6-9
    loses. 11-15 is played as often as 9-14 and 15 better, and so no cook; what is unknown is none either.
    """
    nodes = [
        searched(reached(""), {"11-15": 12, "9-14": -3}),
        searched(reached("9-14"), {"24-20": 8, "22-18": 3, "23-18": -20}),
        searched(reached("9-14 22-18"), {"5-9": 12, "6-9": 2, "11-15": -3}),
        searched(reached("9-14 24-20"), {"5-9": -8}),
        searched(reached("9-14 22-18 6-9"), {}, value=Value.WIN),
        searched(reached("11-15"), {"23-19": -12}),
    ]
    played = {
        reached(""): {"9-14": 20, "11-15": 20},
        reached("9-14"): {"22-18": 11, "24-20": 6, "23-18": 3},
        reached("9-14 22-18"): {"6-9": 10, "5-9": 1},
        reached("11-15"): {"22-18": 9},
        reached("12-16"): {"22-18": 90},
    }
    settings = {"weights": Engine("manual").signature, "egdb": None}
    write_graph(tmp_path / "book", nodes, played, {"start": reached("")}, **settings)
    write_cooks(tmp_path / "book", {"9-14": (("24-20", 9), ("22-18", -11)), "9-14 22-18": (("5-9", 10), ("6-9", -200))})
    return tmp_path / "book"


def test_cooks_by_how_often_people_come_there(book: Path) -> None:
    report = find_cooks(CookSettings(book=book))
    first, second = report.cooks
    assert report.verdicts == {CookVerdict.HOLDS: 2}
    assert (first.moves, first.games, first.loss) == (["9-14"], 20, 20)
    assert (first.best.searched, first.played.searched, first.best.searched_depth) == (9, -11, 20)
    assert (first.played.move, first.played.value, first.played.games, first.played.positions) == ("22-18", -12, 11, 2)
    assert (first.best.move, first.best.value, first.best.line) == ("24-20", 8, ["24-20", "5-9"])
    assert first.name == "Double Corner"
    assert first.fen == reached("9-14").fen
    # reached only after the first
    assert (second.moves, second.played.move, second.played.proved) == (["9-14", "22-18"], "6-9", True)
    assert (second.best.proved, second.played.value, second.loss) == (False, -10_000, 210)
    assert find_cooks(CookSettings(book=book, count=1)).cooks == [first]


@pytest.mark.parametrize(("loss", "is_cook"), [(COOK, True), (COOK - 1, False)])
def test_how_much_a_cook_loses(tmp_path: Path, loss: int, is_cook: bool) -> None:
    nodes = [searched(reached(""), {"11-15": loss, "9-14": 0})]
    write_graph(tmp_path / "book", nodes, {reached(""): {"9-14": 2, "11-15": 1}}, {"start": reached("")})
    assert find_cooks(CookSettings(book=tmp_path / "book")).verdicts.total() == is_cook


@pytest.mark.parametrize(
    ("found", "depth", "verdict"),
    [
        ((("11-15", 0), ("9-14", -COOK)), 2, CookVerdict.HOLDS),
        ((("11-15", 0), ("9-14", 1 - COOK)), 2, CookVerdict.FALLS),
        # as deep as the values of the book
        ((("11-15", 0), ("9-14", -COOK)), 1, CookVerdict.SHALLOW),
        ((("11-15", 10_000), ("9-14", -10_000)), 1, CookVerdict.HOLDS),
        # of moves that were other ones then
        ((("11-15", 0), ("12-16", -COOK)), 2, CookVerdict.UNSEARCHED),
    ],
)
def test_a_cook_that_deeper_searches_confirm(
    tmp_path: Path, found: CookValues, depth: int, verdict: CookVerdict
) -> None:
    nodes = [searched(reached(""), {"11-15": COOK, "9-14": 0})]
    write_graph(tmp_path / "book", nodes, {reached(""): {"9-14": 2, "11-15": 1}}, {"start": reached("")})
    write_cooks(tmp_path / "book", {"": found}, depth)
    report = find_cooks(CookSettings(book=tmp_path / "book"))
    assert (report.verdicts, len(report.cooks)) == ({verdict: 1}, verdict is CookVerdict.HOLDS)


ENGINE: dict[str, Any] = {"weights": "manual", "egdb": "none", "workers": 1, "hash": 1 << 20}


def test_searching_the_cooks_of_a_book(book: Path) -> None:
    """Cut off and resumed; what holds already is left alone, and what was no deeper than the book searched again."""
    write_cooks(book, {"9-14 22-18": (("5-9", 10), ("6-9", -200))}, depth=0)
    settings = CookSettings(book=book, nodes=2000, **ENGINE)
    heard: list[tuple[int, int]] = []

    def interrupted(*state: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search_cooks(settings, interrupted)
    with book_for_reading(book) as store:
        (before,) = store.graph().cooks.by_key.values()
    assert before.nodes == 1000
    search_cooks(settings, lambda *state: heard.append(state))
    assert heard == [(1, 2), (2, 2)]
    with book_for_reading(book) as store:
        cooks = store.graph().cooks
    assert {each.nodes for each in cooks.by_key.values()} == {2000}
    assert all(each.best.depth > 2 and each.played.depth > 2 for each in cooks.by_key.values())
    assert cooks.origin["by"]["kr"] == kr.__version__
    assert not list(book.parent.glob("*.jsonl"))
    # nothing is left to search
    search_cooks(replace(settings, nodes=4000), interrupted)


@pytest.mark.parametrize("has_journal", [True, False])
def test_interrupted_cooks_resume_only_what_has_begun(
    book: Path, has_journal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = book.with_name("journal")

    def interrupted(*arguments: object) -> None:
        if has_journal:
            journal.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr("kr.cli.book_cooks.search_cooks", interrupted)
    assert main(["book", "cooks", str(book), "--nodes", "1k", "--journal", str(journal)]) == 1
    assert ("run the same command to resume" in capsys.readouterr().err) == has_journal


def test_what_is_found_goes_with_the_book(book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_cooks(book, {"9-14": (("24-20", 9), ("22-18", -20))})
    packed, searched_copy = tmp_path / "book.krb", tmp_path / "searched.krb"
    assert main(["book", "export", str(book), "--out", str(packed)]) == 0
    contents = OpeningBook(packed)
    assert {len(contents.cooks.by_key), len(contents.cooks.standing)} == {1}
    cook = contents.cook(reached("9-14"))
    assert cook is not None
    assert str(cook.move) == "22-18"
    assert contents.cook(reached("")) is None
    with pytest.raises(InvalidSettingError, match="is packed: give --out"):
        search_cooks(CookSettings(book=packed, nodes=1), lambda *state: None)
    with pytest.raises(InvalidSettingError, match="leave --out out"):
        search_cooks(CookSettings(book=book, nodes=1, out=packed), lambda *state: None)
    settings = CookSettings(book=packed, nodes=500, out=searched_copy, **ENGINE)
    search_cooks(settings, lambda *state: None)
    copy = OpeningBook(searched_copy)
    assert len(copy.cooks.by_key) == 2
    assert copy.cooks.by_key.items() >= contents.cooks.by_key.items()
    assert copy.facts["weights"] == contents.facts["weights"]
    # a copy to which nothing is added is the same file
    again = tmp_path / "again.krb"
    search_cooks(replace(settings, book=searched_copy, out=again), lambda *state: None)
    assert again.read_bytes() == searched_copy.read_bytes()
    assert [copy.moves(each) for each in copy.positions()] == [contents.moves(each) for each in contents.positions()]


def test_games_that_went_wrong(book: Path) -> None:
    archive = book.with_name("games.pdn")
    archive.write_text(ARCHIVE)
    heard: list[None] = []
    first, second = find_cooks(CookSettings(book=book, games=archive), lambda: heard.append(None)).cooks
    assert len(heard) == 3
    assert [(game.black, game.year, game.result, game.ply) for game in first.wrong_games] == [
        ("One", 1934, "0-1", 1), ("Ferrie, J.", 1901, "1/2-1/2", 1),
    ]  # fmt: skip
    assert second.wrong_games == []


def test_the_commonest_way(tmp_path: Path) -> None:
    """Two ways lead to the position of 9-14 22-17 11-15 and 11-15 22-17 9-14."""
    cook = reached("9-14 22-17 11-15")
    nodes = [searched(cook, {"17-13": 20, "25-22": 0})]
    played = {
        reached(""): {"9-14": 30, "11-15": 70},
        reached("9-14"): {"22-17": 9, "23-19": 1},
        reached("9-14 22-17"): {"11-15": 9, "5-9": 1},
        reached("11-15"): {"22-17": 10, "23-19": 90},
        reached("11-15 22-17"): {"9-14": 10, "15-19": 90},
        cook: {"25-22": 2},
    }
    write_graph(tmp_path / "book", nodes, played, {"start": reached("")})
    write_cooks(tmp_path / "book", {"9-14 22-17 11-15": (("17-13", 20), ("25-22", 0))})
    (found,) = find_cooks(CookSettings(book=tmp_path / "book")).cooks
    assert found.moves == ["9-14", "22-17", "11-15"]


def test_the_command(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive, pdn = book.with_name("games.pdn"), book.with_name("cooks.pdn")
    archive.write_text(ARCHIVE)
    options = ["book", "cooks", str(book), "--games", str(archive), "--pdn", str(pdn)]
    assert main(options) == 0
    text = capsys.readouterr().out
    assert "22-18 -12, depth 2, alone -11, depth 20, 2 positions after it, 11 of 20 games (55%)" in " ".join(
        text.split()
    )
    assert "2 cooks by the values" in text
    assert "One - Two 0-1, Leeds, 1934" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    first, second = read_games(pdn)
    assert [str(move) for move in first.moves] == ["9-14", "24-20", "5-9"]
    worse = first.variation(0).variations[1]
    assert [str(node.move) for node in (worse, *worse.mainline())] == ["22-18", "5-9"]
    assert second.headers["Event"].startswith("Cook 2: ")
    assert main([*options, "--json"]) == 0
    cooks = json.loads(capsys.readouterr().out)["cooks"]
    assert [cook["wrong_games"][0]["event"] for cook in cooks[:1]] == ["Leeds"]


@pytest.mark.parametrize(
    ("name", "told"),
    [("book", "knows of no games of people"), ("none", "no such file"), ("userbook.bin", "is an empty")],
)
def test_books_without_cooks(tmp_path: Path, name: str, told: str) -> None:
    write_graph(tmp_path / "book", [searched(reached(""), {"11-15": 1})], {}, {"start": reached("")})
    (tmp_path / "userbook.bin").touch()
    with pytest.raises((InvalidSettingError, InvalidBookError), match=told):
        find_cooks(CookSettings(book=tmp_path / name))


def test_a_packed_book_has_cooks_as_coarse_as_its_games(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = book.with_name("book.krb")
    assert main(["book", "export", str(book), "--out", str(packed)]) == 0
    # 11 and 6 games are alike to it, and the move that was searched counts
    found = find_cooks(CookSettings(book=packed)).cooks
    assert [(each.played.move, each.loss, each.nodes) for each in found] == [("22-18", 20, None), ("6-9", 210, None)]
    assert main(["book", "cooks", str(packed)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert re.search(r"at least 4 of at least 5 games \(~70%\)", text)
    assert "search:" not in text


def test_a_merged_book_keeps_cooks_and_says_how_coarse_its_games_are(book: Path) -> None:
    packed, merged = book.with_name("book.krb"), book.with_name("merged")
    assert main(["book", "export", str(book), "--out", str(packed)]) == 0
    merge_books(BookMergeSettings((packed, packed), merged))
    with book_for_reading(merged) as store:
        graph = store.graph()
    assert (graph.exact_games, len(graph.cooks.standing)) == (False, 2)
    merge_books(BookMergeSettings((book, book), book.with_name("exact")))
    with book_for_reading(book.with_name("exact")) as store:
        assert store.graph().exact_games


def test_the_shipped_book_is_of_a_clean_commit() -> None:
    facts = OpeningBook(data_path("books", "kr.krb")).facts
    assert not [each for each in (facts["exported"], facts["cooks"]["by"]) if each["commit"].endswith("-dirty")]


@pytest.mark.soak
@pytest.mark.skipif(not BOOKS_PAGE.exists(), reason="the checkout is not here")
def test_the_lab_notes_have_the_cooks_of_the_shipped_book() -> None:
    cooks = find_cooks(CookSettings(Path("shipped"))).cooks
    rows = [
        f"| {cook_title(cook)} | {cook.games} | {cook.played.move} | {cook.best.move} | {cook.loss} |" for cook in cooks
    ]
    assert "\n".join(["|---|---|---|---|---|", *rows, ""]) in BOOKS_PAGE.read_text(encoding="utf-8")
