"""Books that grow on: deepened by more nodes, and merged of several."""

from __future__ import annotations

import sqlite3
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from proved import shipped, strategy_for
from small_graph import reached, searched, write_graph
from test_book import GAMES, build, rows_of

from kr.book.frame import BookKey, book_key, step_at
from kr.cli import main
from kr.egdb.database import load_database
from kr.errors import InvalidBookError, InvalidSettingError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.jobs.unit import Unit
from kr.proofs.certificate import Claim, certificate_of, write_certificate
from kr.proofs.library import load_proofs
from kr.theory import building
from kr.theory.exporting import BookExportSettings, export_book
from kr.theory.graph import PROVED_SCORE, BookGraph
from kr.theory.merging import BookMergeSettings, merge_books
from kr.theory.searching import BookSearches
from kr.theory.store import BookStore, book_for_reading, telling_book_damage


def graph_of(path: Path) -> BookGraph:
    with book_for_reading(path) as store:
        graph = store.graph()
    assert not list(graph.wrong())
    return graph


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    (tmp_path / "games.pdn").write_text(GAMES)
    return tmp_path / "games.pdn"


def test_more_nodes_deepen_a_book(tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """People's positions come first, then those with fewer nodes, the commonest first; a kill in between loses none."""
    path = tmp_path / "book"
    build(path, people=archive, positions=3)
    order: list[tuple[BookKey, int]] = []
    original = BookSearches.do

    def search(self: BookSearches, unit: Any, *rest: Any) -> Any:
        order.append((tuple(map(int, unit.key.split("-")[1:])), unit.values["nodes"]))  # type: ignore[arg-type]
        return original(self, unit, *rest)

    monkeypatch.setattr(BookSearches, "do", search)
    monkeypatch.setattr(building, "ROUND", 2)
    earlier = set(graph_of(path).nodes)
    state = build(path, people=archive, positions=8, nodes=900)
    graph = graph_of(path)
    assert [nodes for _, nodes in order] == [900] * len(order)
    games = {key: sum(steps.values()) for key, steps in graph.games.items()}
    seeds = set(games) - earlier
    deepened = [key for key, _ in order if key in earlier]
    new = list(takewhile(lambda key: key not in earlier, (key for key, _ in order)))
    # in turn with leaves that nobody has played
    assert seeds < set(new)
    counts = [games.get(key, 0) for key in deepened]
    assert counts == sorted(counts, reverse=True)
    assert (state.again, state.shallow) == (3, 0)
    assert all(node.nodes >= 900 or node.value or not node.moves for node in graph.nodes.values())
    order.clear()
    assert build(path, people=archive, positions=8, nodes=900).searched == len(order) == 0
    with pytest.raises(InvalidSettingError, match="nodes 900, not 300, which is fewer"):
        build(path, people=archive, positions=9)


@pytest.mark.slow
def test_a_merged_book_goes_on(tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other, both = tmp_path / "one", tmp_path / "other", tmp_path / "both"
    build(one, people=archive, positions=9)
    build(other, people=archive, positions=12, nodes=500, openings="Dyke")
    assert main(["book", "merge", str(one), str(other), "--out", str(both), "--json"]) == 0
    first, second, merged = map(graph_of, (one, other, both))
    assert merged.nodes.keys() == first.nodes.keys() | second.nodes.keys()
    assert first.nodes.keys() & second.nodes.keys()
    for key, node in merged.nodes.items():
        expected = second.nodes.get(key) or first.nodes[key]
        assert (node.nodes, node.score) == (expected.nodes, expected.score)
    assert merged.roots == {**first.roots, **second.roots}
    assert merged.games == first.games
    count = len(merged.nodes)
    for openings in ("start", "Dyke"):
        count += 1
        state = build(both, people=archive, positions=count, nodes=500, openings=openings)
        assert state.positions == count
    with pytest.raises(InvalidSettingError, match="openings start and Dyke, not 3move"):
        build(both, people=archive, positions=count, nodes=500, openings="3move")


def test_the_deeper_search_wins_whatever_the_order(tmp_path: Path) -> None:
    start = reached("")
    # 9-14 as of an opening's tree
    write_graph(tmp_path / "a", [searched(start, {"11-15": 5}, nodes=10)], {start: {"9-14": 0}}, {"start": start})
    write_graph(
        tmp_path / "b", [searched(start, {"9-14": 8}, nodes=20)], {start: {"9-14": 3}}, {"b": start}, people="x"
    )
    for name, books in (("ab", "ab"), ("ba", "ba")):
        report = merge_books(BookMergeSettings(books=tuple(tmp_path / each for each in books), out=tmp_path / name))
        assert (report.positions, report.shared, report.openings) == (1, 1, 1)
        graph = graph_of(tmp_path / name)
        assert graph.nodes[book_key(start)].score == 8
        assert sum(graph.games[book_key(start)].values()) == 3
    assert rows_of(tmp_path / "ab") == rows_of(tmp_path / "ba")


def test_a_packed_book_gives_way_to_any_search(tmp_path: Path) -> None:
    start, after = reached(""), reached("9-14")
    write_graph(tmp_path / "a", [searched(start, {"11-15": 5})], {}, {"start": start}, openings="start")
    nodes = [searched(start, {"9-14": 8}), searched(after, {"22-18": -9})]
    write_graph(tmp_path / "b", nodes, {start: {"9-14": 30}}, {"start": start}, openings="3move", people="x")
    export_book(BookExportSettings(book=tmp_path / "b", out=tmp_path / "b.krb"))
    for name, books in (("ab", ("a", "b.krb")), ("ba", ("b.krb", "a"))):
        report = merge_books(BookMergeSettings(books=tuple(tmp_path / each for each in books), out=tmp_path / name))
        assert (report.positions, report.shared, report.unsearched) == (2, 1, 1)
        graph = graph_of(tmp_path / name)
        assert graph.nodes[book_key(start)].score == 5
        assert [graph.nodes[book_key(after)].worth, graph.nodes[book_key(after)].nodes] == [-9, 0]
        assert sum(graph.games[book_key(start)].values()) == 16
        assert not list(graph.wrong())


def answer(**changes: Any) -> dict[str, Any]:
    found = {
        "position": list(reached("").bits), "score": 5, "nodes": 9, "depth": 3, "value": None,
        "moves": [[10, 14, 0, 5]],
    }  # fmt: skip
    return found | changes


@pytest.mark.parametrize(
    ("changes", "fits"),
    [
        ({}, True),
        ({"value": "loss", "moves": []}, True),
        ({"position": [1, 2, 0, 0]}, False),
        ({"score": "x"}, False),
        ({"moves": [[10, 15, 0, "5"]]}, False),
        ({"moves": [[10, 17, 0, 5]]}, False),
        ({"moves": [[10]]}, False),
        ({"moves": []}, False),
        ({"value": "lucky"}, False),
    ],
)
def test_answers_of_other_machines(changes: dict[str, Any], fits: bool) -> None:
    unit = Unit(BookSearches.name(), "1", values={"position": list(reached("").bits), "nodes": 9, "within": 25})
    if fits:
        BookSearches().check(unit, [answer(**changes)])
    else:
        with pytest.raises((ValueError, LookupError, TypeError)):
            BookSearches().check(unit, [answer(**changes)])


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"within": 10}, "within 10, not 25"),
        ({"weights": "other"}, "weights other"),
        ({"egdb": "other"}, "egdb other"),
        ({"people": "other"}, "another archive"),
    ],
)
def test_books_built_otherwise(tmp_path: Path, settings: dict[str, Any], told: str) -> None:
    node = searched(reached(""), {"11-15": 5})
    write_graph(tmp_path / "a", [node], {}, {"start": reached("")}, people="x")
    write_graph(tmp_path / "b", [node], {}, {"start": reached("")}, **({"people": "x"} | settings))
    with pytest.raises(InvalidSettingError, match=told):
        merge_books(BookMergeSettings(books=(tmp_path / "a", tmp_path / "b"), out=tmp_path / "c"))
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}


def test_what_can_not_be_merged(tmp_path: Path) -> None:
    for name in "abc":
        write_graph(tmp_path / name, [searched(reached(""), {"11-15": 5})], {}, {"start": reached("")})
    with sqlite3.connect(tmp_path / "b") as connection:
        connection.execute("UPDATE nodes SET moves = '[[0,1,0,5]]'")
    books = (tmp_path / "a", tmp_path / "b")
    with pytest.raises(InvalidBookError, match="b is damaged: no legal move"):
        merge_books(BookMergeSettings(books=books, out=tmp_path / "d"))
    with pytest.raises(InvalidSettingError, match="exists already"):
        merge_books(BookMergeSettings(books=books, out=tmp_path / "c"))
    with pytest.raises(InvalidSettingError, match="is read too"):
        merge_books(BookMergeSettings(books=books, out=tmp_path / "a"))
    with pytest.raises(InvalidSettingError, match="two books or more"):
        BookMergeSettings(books=books[:1], out=tmp_path / "d")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "c"}


REPERTOIRE = """[Event "Mine"]
1. 11-15 23-19 (1... 22-18 2. 15x22 25x18) 2. 8-11 (2. 9-14 22-17) 22-17 *

[Event "Set up"]
[FEN "B:W18,26,K29:B1,2,5"]
1. 5-9 26-23 (1... 26-22) (1... 26-11) *

[Event "Line"]
[Repertoire "White"]
1. 12-16 24-20 *
"""


def test_all_positions_of_a_repertoire_come_first(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "ROUND", 4)
    repertoire, path = tmp_path / "mine.pdn", tmp_path / "book"
    repertoire.write_text(REPERTOIRE)
    endings = Position.from_fen("B:W18,26,K29:B1,2,5").play("5-9")
    ways = (
        "", "11-15", "11-15 22-18", "11-15 22-18 15x22", "11-15 22-18 15x22 25x18", "11-15 23-19", "11-15 23-19 8-11",
        "11-15 23-19 8-11 22-17", "11-15 23-19 9-14", "11-15 23-19 9-14 22-17", "12-16", "12-16 24-20",
    )  # fmt: skip
    wanted = {book_key(position) for position in (*map(reached, ways), endings, endings.play("26-22"))}
    wanted |= {book_key(Position.from_fen("B:W18,26,K29:B1,2,5")), book_key(endings.play("26-23"))}
    build(path, people=archive, openings=str(repertoire), positions=len(wanted))
    graph = graph_of(path)
    assert graph.nodes.keys() == wanted
    named = {"Mine: 11-15": reached("11-15"), "Set up: 5-9": endings, "Line: 12-16 24-20": reached("12-16 24-20")}
    assert graph.roots == {book_key(position): name for name, position in named.items()}
    # people's games stand beside it
    assert graph.games[book_key(reached(""))][step_at(reached(""), reached("").parse_move("11-15"))] == 2
    assert build(path, people=archive, openings=str(repertoire), positions=len(wanted) + 3).positions > len(wanted)
    assert main(["book", "cooks", str(path)]) == 0


def test_games_without_variations_give_openings_as_decks_do(tmp_path: Path, archive: Path) -> None:
    build(tmp_path / "book", openings=str(archive), positions=1)
    graph = graph_of(tmp_path / "book")
    assert len(graph.roots) == 3
    assert not graph.games


WON = "B:WK1:B14,K19,26"
"""Won for Black by a certificate that leans on positions with 3 pieces."""


@pytest.mark.slow
def test_certificates_end_a_line(tmp_path: Path, whole: Path) -> None:
    """The database knows no position with 4 pieces; neither does a search of 1 node."""
    deck, path, proof = tmp_path / "deck.fen", tmp_path / "book", tmp_path / "won.krproof"
    won = Position.from_fen(WON)
    claim = Claim(won, Side.BLACK, Value.WIN)
    write_certificate(proof, certificate_of(claim, strategy_for(claim, shipped(3)), shipped(3)))
    deck.write_text(f"{won.flipped().fen}\n{reached('').fen}\n")
    settings = {"openings": str(deck), "egdb": str(whole), "nodes": 1}
    build(path, positions=3, **settings)
    assert graph_of(path).nodes[book_key(won)].value is None
    state = build(path, positions=20, proofs=(proof,), **settings)
    assert state.positions == 20
    graph = graph_of(path)
    node = graph.nodes[book_key(won)]
    assert (node.value, node.worth) == (Value.WIN, PROVED_SCORE)
    # the move by which the certificate wins comes first, and nothing more is searched there
    known = load_proofs((proof,), load_database(str(whole))).look_up(won)  # type: ignore[union-attr]
    assert graph.best_line(won)[0] == known.move
    ending = {key for key in graph.nodes if sum(key[:2]).bit_count() <= 4}
    assert ending <= {book_key(won), *(move.child for move in node.moves)}
    # from the file alone
    before = rows_of(path)
    assert build(path, positions=20, **settings).searched == 0
    assert rows_of(path) == before


def test_a_full_disk_is_told_of_the_merged_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        build(tmp_path / name, positions=2)

    def full(store: BookStore, nodes: object) -> None:
        with telling_book_damage(store.path):
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    monkeypatch.setattr(BookStore, "put", full)
    with pytest.raises(OSError, match="is full") as told:
        merge_books(BookMergeSettings((tmp_path / "one", tmp_path / "two"), tmp_path / "both"))
    assert Path(told.value.filename) == tmp_path / "both"
    assert not (tmp_path / "both").exists()
