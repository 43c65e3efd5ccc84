"""The site of kr theory: the data and pages of a small book, what stays of other files, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from proved import case
from theory_book import GAMES, LINE, after, node_of, small_book

from kr.ballots.pages import page_files
from kr.ballots.site import TheorySettings, write_theory
from kr.book.frame import book_key
from kr.cli import main
from kr.openings.decks import deck
from kr.proofs.certificate import write_certificate
from kr.storage import data_path, lock
from kr.theory.store import book_for_writing

pytestmark = pytest.mark.slow
Site = tuple[Path, dict[str, Any]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of the small book, and its data."""
    folder = tmp_path_factory.mktemp("theory")
    book, games, out = small_book(folder / "book.sqlite"), folder / "games.pdn", folder / "site"
    games.write_text(GAMES)
    assert main(["theory", str(book), "--people", str(games), "--out", str(out), "--quiet"]) == 1
    return out, json.loads((out / "data.json").read_text())


def test_the_entry_of_a_ballot(made: Site) -> None:
    _, data = made
    assert [entry["number"] for entry in data["ballots"]] == list(range(1, 175))
    entry, other = data["ballots"][0], data["ballots"][67]
    assert entry["moves"] == LINE
    assert entry["fen"] == after(LINE).fen
    assert (entry["worth"], entry["search"]["score"], entry["depth"], entry["search"]["depth"]) == (-5, 2, 13, 12)
    assert entry["below"] == {"positions": 2, "nodes": 8_000_000}
    assert [(row["move"], row["worth"], row["games"]) for row in entry["replies"]] == [
        ("25-21", -5, 9), ("23-18", -30, 40), ("24-19", None, 1),
    ]  # fmt: skip
    assert entry["main_line"] == {"moves": "25-21 9-14", "names": [{"name": "Edinburgh", "ply": 1}]}
    assert entry["bracket"]["words"] == ""
    record = entry["record"]
    assert [record[name] for name in ("games", "black_wins", "draws", "white_wins")] == [3, 1, 1, 1]
    assert [(each["decade"], each["games"]) for each in record["decades"]] == [("1880s", 2), ("1900s", 1)]
    assert record["players"][0] == {"player": "Bob", "games": 3, "wins": 1, "draws": 1, "losses": 1}
    assert not other["in_book"]
    assert other["name"] == "White Doctor"
    assert other["record"]["games"] == 0
    assert data["people"] == {"name": "games.pdn", "games": 4, "left_out": 1}


def test_the_entry_of_a_cook(made: Site) -> None:
    _, data = made
    (cook,) = data["cooks"]
    assert cook["moves"] == LINE
    assert (cook["best"]["move"], cook["played"]["move"], cook["loss"]) == ("25-21", "23-18", 25)
    assert (cook["games"], cook["wrong"], cook["ballots"]) == (50, 41, [1])
    assert data["ballots"][0]["cooks"] == [{"fen": cook["fen"], "moves": ""}]


def test_pages_tell_what_the_data_has(made: Site) -> None:
    out, data = made
    names = page_files(data)
    assert sorted(path.name for path in out.iterdir()) == sorted([*names, "data.json"])
    index = (out / "index.html").read_text()
    assert index.count("<tr data-first=") == 174
    row = index.partition('href="ballot-068.html">')[2].partition("</tr>")[0]
    assert re.sub(r"<[^>]*>", "", row).startswith("10-14 22-18 12-16 White Doctor")
    page = (out / "ballot-001.html").read_text()
    assert "Not proved: \N{MINUS SIGN}0.05 for White, who is to move, by 3.0 M nodes and a book of 2 positions" in page
    assert "25-21 beats 23-18 by 0.25" in page
    assert "Ann &lt;script&gt;alert(1)" in page
    missing = (out / "ballot-068.html").read_text()
    assert "not in the book yet" in missing
    assert "No game of the archive has this ballot" in missing
    for name in names:
        text = (out / name).read_text()
        assert "a proof is a certificate" in text
        assert "showed in 2007 that draughts is a draw" in text
        assert len(re.findall("<script>", text)) == 1
        assert not [each for each in re.findall(r'href="([\w-]+\.html)"', text) if each not in names]


def written(book: Path, out: Path, *words: str) -> int:
    return main(["theory", str(book), "--out", str(out), "--egdb", "none", "--quiet", *words])


def test_an_empty_book_and_one_without_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.sqlite"
    with book_for_writing(empty) as store:
        store.begin({"openings": "3move"}, {}, {})
    assert written(empty, tmp_path / "one", "--json") == 0
    report = json.loads(capsys.readouterr().out)["report"]
    assert (report["ballots"], report["in_book"], report["cooks"]) == (174, 0, 0)
    assert "is still empty" in (tmp_path / "one" / "index.html").read_text()
    assert written(small_book(tmp_path / "alone.sqlite", people=False), tmp_path / "two") == 0
    data = json.loads((tmp_path / "two" / "data.json").read_text())
    assert data["ballots"][0]["record"] is None
    assert data["cooks"] == []
    assert "says what people play" in (tmp_path / "two" / "cooks.html").read_text()
    # an archive tells a book without people what they play
    (tmp_path / "games.pdn").write_text(GAMES)
    assert written(tmp_path / "alone.sqlite", tmp_path / "two", "--people", str(tmp_path / "games.pdn")) == 1
    (cook,) = json.loads((tmp_path / "two" / "data.json").read_text())["cooks"]
    assert (cook["games"], cook["wrong"]) == (3, 2)


def test_a_packed_book_tells_the_same_as_far_as_it_goes(tmp_path: Path) -> None:
    book, packed = small_book(tmp_path / "book.sqlite"), tmp_path / "book.krb"
    assert main(["book", "export", str(book), "--out", str(packed)]) == 0
    entries = []
    for path in (book, packed):
        assert written(path, tmp_path / path.suffix[1:]) == 0
        entries.append(json.loads((tmp_path / path.suffix[1:] / "data.json").read_text()))
    (one, *_), (other, *_) = (data["ballots"] for data in entries)
    for name in ("worth", "depth", "main_line", "cooks", "bracket"):
        assert one[name] == other[name], name
    assert other["below"] == {"positions": 2, "nodes": 9_000_000}
    told = [
        [(row["move"], row["worth"], row["depth"], row["line"]) for row in each["replies"] if row["worth"] is not None]
        for each in (one, other)
    ]
    assert told[0] == told[1]
    assert [row["games"] for row in other["replies"]] == [4, 16, 1]
    assert [each["search"].keys() for each in (one, other)] == [
        {"score", "depth", "nodes", "within"},
        {"nodes", "within"},
    ]
    assert [data["book"]["exact"] for data in entries] == [True, False]
    page = (tmp_path / "krb" / "ballot-001.html").read_text()
    assert "+ games, " in page
    assert "N+ games: N or more" in page


@pytest.mark.soak
def test_the_shipped_book_has_theory(tmp_path: Path) -> None:
    assert written(Path("shipped"), tmp_path / "site") == 0
    data = json.loads((tmp_path / "site" / "data.json").read_text())
    assert any(entry["in_book"] for entry in data["ballots"])


def test_certificates_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book, proof = small_book(tmp_path / "book.sqlite"), tmp_path / "mine.krproof"
    write_certificate(proof, case("three pieces known"))
    words = ["--egdb", str(data_path("egdb")), "--proofs", str(proof)]
    assert main(["theory", str(book), "--out", str(tmp_path / "site"), *words, "--quiet"]) == 0
    assert json.loads((tmp_path / "site" / "data.json").read_text())["proofs"] == ["mine.krproof"]
    proof.write_bytes(proof.read_bytes()[:-1])
    assert main(["theory", str(book), "--out", str(tmp_path / "site"), *words, "--quiet"]) == 2
    assert "mine.krproof" in capsys.readouterr().err


def test_other_files_stay_and_old_pages_go(tmp_path: Path) -> None:
    book, out = small_book(tmp_path / "book.sqlite"), tmp_path / "site"
    assert written(book, out, "--deck", "11man") == 0
    (out / "notes.html").write_text("mine")
    (out / "logo.svg").write_text("mine")
    assert written(book, out) == 0
    names = {path.name for path in out.iterdir()}
    assert {"notes.html", "logo.svg", "ballot-174.html", "data.json"} <= names
    assert not [name for name in names if name.startswith("removed-")]


def test_eleven_man_ballots_of_a_book(tmp_path: Path) -> None:
    ballot = deck("11man", playable_only=False)[0]
    book = tmp_path / "book.sqlite"
    with book_for_writing(book) as store:
        store.begin({"openings": "11man", "nodes": 1000}, {book_key(ballot.position): ballot.title}, {})
        store.put([node_of(ballot.position, {"10-14": 12, "6-9": 3})])
        store.put(store.graph().propagate())
    assert written(book, tmp_path / "site", "--deck", "11man") == 0
    entries = json.loads((tmp_path / "site" / "data.json").read_text())["ballots"]
    assert [entry["number"] for entry in entries if entry["in_book"]] == [1]
    assert (entries[0]["worth"], entries[0]["main_line"]["moves"]) == (12, "10-14")
    page, other = ((tmp_path / "site" / f"removed-{pair}.html").read_text() for pair in ("5-28", "12-21"))
    assert page.count("<tr data-first=") == 49
    assert "+0.12" in page
    assert '<td class="wide">10-14</td>' in page
    assert "Main line" not in other


def test_a_run_that_is_cut_off_leaves_whole_pages(tmp_path: Path) -> None:
    book, out = small_book(tmp_path / "book.sqlite"), tmp_path / "site"

    def on_stage(name: str, done: int, total: int | None, unit: str) -> None:
        if name == "pages" and done == 5:
            raise KeyboardInterrupt

    settings = TheorySettings(book=book, out=out, egdb="none")
    with pytest.raises(KeyboardInterrupt):
        write_theory(settings, lambda database: None, on_stage, lambda error: None)
    pages = sorted(path.name for path in out.iterdir())
    assert pages == [f"ballot-{number:03}.html" for number in range(1, 6)]
    assert all((out / name).read_text().endswith("</html>\n") for name in pages)
    assert written(book, out) == 0
    assert (out / "data.json").is_file()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["{folder}/damaged.sqlite"], 1, "is damaged"),
        (["{folder}/damaged.krb"], 1, "damaged.krb: damaged: its checksum differs"),
        (["{book}", "--page", "javascript:alert(1)"], 2, "is not the address of a page"),
        (["{book}", "--grades", "{folder}/games.pdn", "--deck", "11man"], 2, "is not a journal"),
        (["{book}", "--grades", "{folder}/none.jsonl"], 2, "kr theory grade"),
        (["{book}", "--people", "{folder}/empty.pdn"], 1, "has no games that can be read"),
        (["{book}", "--proofs", "{folder}"], 2, "has no certificates"),
    ],
)
def test_what_is_refused(
    words: list[str], code: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = small_book(tmp_path / "book.sqlite")
    (tmp_path / "damaged.sqlite").write_bytes(book.read_bytes()[:5000] + b"x" * 9000)
    (tmp_path / "games.pdn").write_text(GAMES)
    (tmp_path / "empty.pdn").write_text("\n")
    (tmp_path / "damaged.krb").write_bytes(data_path("books", "kr.krb").read_bytes()[:-1])
    places = {"folder": tmp_path, "book": book}
    named, *rest = [word.format(**places) for word in words]
    assert written(Path(named), tmp_path / "site", *rest) == code
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert told in lines[0]
    assert not list((tmp_path / "site").glob("*.html"))


def test_outputs_that_are_not_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book, out = small_book(tmp_path / "book.sqlite"), tmp_path / "site"
    (tmp_path / "file").touch()
    assert written(book, tmp_path / "file") == 2
    assert "is not a directory" in capsys.readouterr().err
    out.mkdir()
    with lock(out):
        assert written(book, out) == 1
    assert "is being written by another process" in capsys.readouterr().err
    (out / "index.html").write_text("<title>my site</title>")
    assert written(book, out) == 2
    assert "is not of kr theory" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["index.html"]
