"""Opening books: the graph against plain minimax, the choice of leaves, the working file, and the commands."""

from __future__ import annotations

import json
import random
import sqlite3
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from small_book import book_content
from small_graph import reached, searched, write_graph

from kr.book.frame import BookKey, book_key, move_at, position_of_key, step_at, step_of
from kr.cli import main
from kr.errors import InvalidBookError, InvalidPdnError, InvalidSettingError, OutputBusyError
from kr.game.position import Position
from kr.game.value import Value
from kr.theory import store as store_module
from kr.theory.building import BookProgress, BookSettings, build_book
from kr.theory.graph import LOSS_OF_A_PLY, PROVED_SCORE, RISK_SCORE, BookGraph, BookNode
from kr.theory.people import people_games
from kr.theory.store import book_for_reading, book_for_writing, book_moves

GAMES = """[Event "one"]
1. 11-15 22-18 2. 15x22 25x18 3. 12-16 *

[Event "two"]
1. 11-15 22-18 2. 15x22 26x17 *

[Event "three"]
1. 9-14 22-18 2. 5-9 *
"""


def node_of(position: Position, scores: dict[str, int], value: Value | None = None) -> BookNode:
    """Node of a position with these moves; its own score is the best of them."""
    key = book_key(position)
    rows = [(*step_at(position, position.parse_move(text)), score) for text, score in scores.items()]
    return BookNode(key, max(scores.values(), default=0), 1, 1, 25, value, book_moves(key, rows))


def random_graph(seed: int, count: int) -> BookGraph:
    """A graph that grew at random from the start, with some proved values."""
    rng = random.Random(seed)
    graph = BookGraph({book_key(Position()): "start"})
    while len(graph.nodes) < count and (leaves := graph.leaves(8)):
        key = rng.choice(leaves)
        position = position_of_key(key)
        steps = [step_of(move) for move in rng.sample(position.legal_moves(), min(3, len(position.legal_moves())))]
        moves = book_moves(key, sorted(((*step, rng.randint(-50, 50)) for step in steps), key=lambda row: -row[3]))
        score = moves[0].score if moves else 0
        graph.add(BookNode(key, score, 1, 1, 25, rng.choice([None] * 19 + [Value.DRAW]), moves))
    graph.propagate()
    return graph


@pytest.mark.parametrize("seed", range(5))
def test_worths_are_those_of_plain_minimax(seed: int) -> None:
    graph = random_graph(seed, 60)

    @cache
    def worth(key: BookKey) -> int:
        node = graph.nodes[key]
        if node.value is not None:
            return node.value.sign * PROVED_SCORE
        values = [-worth(move.child) if move.child in graph.nodes else move.score for move in node.moves]
        return max(values, default=node.score)

    assert all(node.worth == worth(key) for key, node in graph.nodes.items())
    assert not list(graph.wrong())
    assert not graph.propagate()


@pytest.mark.parametrize("seed", range(5))
def test_worths_propagated_bit_by_bit(seed: int) -> None:
    """Nodes are added and searched again, and people's moves lead to some: as if all had been there from the first."""
    rng = random.Random(seed)
    complete = random_graph(seed, 60)
    games = {
        key: {step_of(move): 1 for move in rng.sample(position.legal_moves(), min(2, len(position.legal_moves())))}
        for key in complete.nodes if (position := position_of_key(key)).legal_moves()
    }  # fmt: skip
    graph = BookGraph(complete.roots, games=games)
    changed = 0
    for node in rng.sample(list(complete.nodes.values()), len(complete.nodes)) + list(complete.nodes.values())[:20]:
        score = node.score + rng.randint(-30, 30)
        graph.add(BookNode(node.key, score, 1, 1, 25, node.value, node.moves[: rng.randint(1, 3)]))
        changed += len(graph.propagate())
        whole = BookGraph(graph.roots, {key: replace(each) for key, each in graph.nodes.items()}, games)
        whole.propagate()
        assert {key: each.worth for key, each in graph.nodes.items()} == {
            key: each.worth for key, each in whole.nodes.items()
        }
    assert changed


def test_a_position_and_the_same_turned_are_one_node() -> None:
    position = Position().play("11-15").play("22-18")
    assert book_key(position) == book_key(position.flipped())
    white = Position().play("11-15")
    for move in white.legal_moves():
        after = white.play(move).flipped()
        turned = next(each for each in white.flipped().legal_moves() if white.flipped().play(each) == after)
        assert move_at(white, step_of(turned)) == move


def test_values_do_not_run_in_circles() -> None:
    """Kings that go back and forth: the second node's search counts in the first, and neither feeds itself."""
    one = Position.from_fen("B:WK32:BK1")
    graph = BookGraph({book_key(one): "kings"})
    two = one.play("1-5")
    graph.add(node_of(one, {"1-5": 10, "1-6": 4}))
    graph.add(node_of(two, {"32-27": 3, "32-28": 2}))
    graph.add(node_of(two.play("32-27").play("5-1"), {}, Value.WIN))
    graph.propagate()
    assert graph.nodes[book_key(one)].worth == 4
    assert not list(graph.wrong())


def test_leaves_come_by_what_both_sides_give_away() -> None:
    start = Position()
    graph = BookGraph({book_key(start): "start"})
    assert graph.leaves(3) == [book_key(start)]
    graph.add(node_of(start, {"11-15": 5, "9-14": 5 - LOSS_OF_A_PLY, "12-16": 4}))
    order = [book_key(start.play(text)) for text in ("11-15", "12-16", "9-14")]
    assert graph.leaves(3) == order
    assert graph.leaves(2, without=order[:1]) == order[1:]
    # what people play costs half: 1 against 1 and 2
    graph.games = {book_key(start): {step_of(start.parse_move("9-14")): 5}}
    assert graph.leaves(3)[0] in (order[0], order[2])
    assert graph.leaves(3)[2] == order[1]
    # decided: nothing behind it
    graph.add(node_of(start.play("11-15"), {"22-18": 70}))
    graph.propagate()
    assert book_key(start.play("11-15").play("22-18")) not in graph.leaves(10)


@pytest.mark.parametrize("sign", [1, -1])
def test_leaves_at_risk_come_first(sign: int) -> None:
    level, risk = (Position().play(text) for text in ("11-15", "12-16"))
    for position, other in ((level, risk), (risk, level)):
        graph = BookGraph({book_key(position): "one", book_key(other): "two"})
        graph.add(node_of(level, {"22-18": sign * (RISK_SCORE - 1)}))
        graph.add(node_of(risk, {"22-18": sign * RISK_SCORE}))
        graph.propagate()
        assert graph.leaves(2) == [book_key(each.play("22-18")) for each in (risk, level)]


def test_a_node_whose_moves_all_fail_is_searched_again() -> None:
    start = Position()
    graph = BookGraph({book_key(start): "start"})
    graph.add(node_of(start, {"11-15": 5}))
    graph.add(node_of(start.play("11-15"), {"22-18": 30}))
    graph.propagate()
    assert [node.key for node in graph.dropped()] == [book_key(start)]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "games.pdn"
    path.write_text(GAMES)
    return path


def test_what_people_play(archive: Path) -> None:
    games = people_games(archive)
    start = Position()
    assert games[book_key(start)] == {step_of(start.parse_move("11-15")): 2, step_of(start.parse_move("9-14")): 1}
    assert book_key(start.play("9-14")) not in games
    reached = start.play("11-15").play("22-18").play("15x22")
    assert sorted(str(move_at(reached, step)) for step in games[book_key(reached)]) == ["25x18", "26x17"]


def build(path: Path, **settings: Any) -> BookProgress:
    heard: list[int] = []
    defaults = {"nodes": 300, "openings": "start", "weights": "manual", "egdb": "none", "workers": 1, "hash": 1 << 20}
    state = build_book(BookSettings(out=path, **(defaults | settings)), lambda state: heard.append(state.searched))
    assert heard == list(range(1, state.searched + 1))
    return state


def rows_of(path: Path) -> list[Any]:
    with sqlite3.connect(path) as connection:
        return connection.execute("SELECT * FROM nodes ORDER BY own, other, kings").fetchall()


def test_a_book_grows_and_goes_on(tmp_path: Path, archive: Path) -> None:
    path = tmp_path / "book.sqlite"
    first = build(path, people=archive, positions=20)
    assert (first.positions, first.searched, first.earlier) == (20, 20, 0)
    second = build(path, people=archive, positions=90)
    assert (second.positions, second.earlier) == (90, 20)
    with book_for_reading(path) as store:
        graph = store.graph()
    assert not list(graph.wrong())
    assert set(people_games(archive)) <= set(graph.nodes)
    assert graph.best_line(Position())


@pytest.mark.parametrize("after", [False, True])
def test_an_interrupt_between_the_graph_and_the_file(
    tmp_path: Path, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, left = store_module.BookStore.put, 30

    def interrupted(store: store_module.BookStore, nodes: list[BookNode]) -> None:
        nonlocal left
        left -= 1
        if left >= 0 or after:
            put(store, nodes)
        if left < 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(store_module.BookStore, "put", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "book")
    with book_for_reading(tmp_path / "book") as store:
        graph = store.graph()
    assert len(graph.nodes) == 30 + after
    assert not list(graph.wrong())


def test_the_same_book_twice(tmp_path: Path) -> None:
    for name in ("one", "two"):
        build(tmp_path / name, positions=70)
    assert rows_of(tmp_path / "one") == rows_of(tmp_path / "two")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"nodes": 299}, "nodes 300, not 299, which is fewer"),
        ({"within": 10}, "within 25, not 10"),
        ({"openings": "3move"}, "openings start"),
    ],
)
def test_a_book_begun_otherwise(tmp_path: Path, settings: dict[str, Any], told: str) -> None:
    build(tmp_path / "book", positions=3)
    with pytest.raises(InvalidSettingError, match=told):
        build(tmp_path / "book", positions=5, **settings)


def test_a_packed_book_is_not_built_on(tmp_path: Path) -> None:
    path = tmp_path / "small.krb"
    content = book_content()
    path.write_bytes(content)
    with pytest.raises(InvalidSettingError, match=r"small\.krb is packed for play"):
        build(path, positions=3)
    assert path.read_bytes() == content


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_time_longer_than_a_timer_waits(tmp_path: Path) -> None:
    assert build(tmp_path / "book", positions=3, time=1e15).positions == 3


def test_two_builders(tmp_path: Path) -> None:
    with book_for_writing(tmp_path / "book"), pytest.raises(OutputBusyError):
        build(tmp_path / "book", positions=3)


DAMAGE = [
    ("UPDATE nodes SET moves = '[[0,1,0,5]]'", "no legal move"),
    ("UPDATE nodes SET moves = 'x'", "damaged"),
    ("UPDATE nodes SET value = 'lucky'", "damaged"),
    ("UPDATE nodes SET moves = '[[0,1,0,\"a\"]]'", "a is not a whole number"),
    (f"UPDATE nodes SET moves = '{'[' * 100_000}'", "recursion"),
    ("UPDATE nodes SET worth = 'abc'", "abc is not a whole number"),
    ("UPDATE nodes SET depth = 1.5", "1.5 is not a whole number"),
    ("UPDATE roots SET own = 'abc'", "abc is not a whole number"),
    ("UPDATE roots SET own = 1 << 40", "damaged"),
    ("UPDATE roots SET own = other", "damaged"),
    ("UPDATE nodes SET own = -1 WHERE own = (SELECT max(own) FROM nodes)", "damaged"),
    ("UPDATE nodes SET depth = -1", "depth -1"),
    ("UPDATE nodes SET score = 1 << 62", "4611686018427387904 is not a score"),
    ("UPDATE nodes SET moves = '[[8,12,0,99999999999999999999]]'", "damaged"),
    ("UPDATE nodes SET moves = '[[8,12,0,5],[8,12,0,5]]' WHERE own = 4095", "9-13, or twice"),
    ("INSERT INTO games VALUES (4095, 4293918720, 0, 0, 31, 0, 2)", "not legal in B:W21"),
    ("INSERT INTO games VALUES (4095, 4293918720, 0, 8, 12, 0, -2)", "-2 games"),
    ("UPDATE settings SET value = '[1]' WHERE name = 'people'", "its setting people is"),
    ("UPDATE settings SET value = '7' WHERE name = 'provenance'", "its setting provenance is 7"),
    ("DROP TABLE nodes", "table nodes is missing"),
    ("PRAGMA user_version = 9", "format version 9"),
    ("PRAGMA application_id = 1", "is an SQLite file that is not of kr; expected a book"),
]


@pytest.mark.parametrize(("damage", "told"), DAMAGE)
def test_damage_is_told(tmp_path: Path, damage: str, told: str) -> None:
    path = tmp_path / "book"
    build(path, positions=3)
    with sqlite3.connect(path) as connection:
        connection.execute(damage)
    with pytest.raises(InvalidBookError, match=told), book_for_reading(path) as store:
        store.settings()
        store.graph()


def test_settings_that_are_damaged(tmp_path: Path) -> None:
    build(tmp_path / "book", positions=3)
    with sqlite3.connect(tmp_path / "book") as connection:
        connection.execute("UPDATE settings SET value = 'x'")
    with pytest.raises(InvalidBookError, match="damaged"):
        build(tmp_path / "book", positions=5)


@pytest.mark.parametrize("text", [None, "", "hello"])
def test_an_archive_without_games_begins_no_book(tmp_path: Path, text: str | None) -> None:
    archive = tmp_path / "games.pdn"
    if text is not None:
        archive.write_text(text)
    with pytest.raises((OSError, InvalidPdnError), match=r"No such file|has no games|is not PDN"):
        build(tmp_path / "book", people=archive, positions=3)
    assert not (tmp_path / "book").exists()


def test_a_builder_writes_while_a_book_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "book"
    build(path, positions=3)
    monkeypatch.setattr(store_module, "BUSY_SECONDS", 0.0)
    with book_for_writing(path) as writer, book_for_reading(path) as reader:
        node = next(iter(writer.graph().nodes.values()))
        parsed = store_module._node

        def parse(row: Any) -> BookNode:
            writer.put([node])
            return parsed(row)

        monkeypatch.setattr(store_module, "_node", parse)
        assert len(reader.graph().nodes) == 3


def test_a_book_that_another_process_holds_is_not_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "book"
    build(path, positions=3)
    monkeypatch.setattr(store_module, "BUSY_SECONDS", 0.0)
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(OSError, match="locked"), book_for_reading(path) as store:
            store.graph()


def test_a_transaction_that_a_kill_has_cut_off(tmp_path: Path) -> None:
    """The journal stands beside the book, as a kill between its writing and its end leaves them."""
    path = tmp_path / "book"
    build(path, positions=70)
    before = rows_of(path)
    journal = tmp_path / "book-journal"
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE nodes SET score = 7777, moves = moves || '                    '")
        kept = tmp_path / "kept"
        kept.mkdir()
        (kept / "book").write_bytes(path.read_bytes())
        (kept / "book-journal").write_bytes(journal.read_bytes())
        connection.execute("ROLLBACK")
    with book_for_reading(kept / "book") as store:
        assert all(node.score != 7777 for node in store.graph().nodes.values())
    assert rows_of(kept / "book") == before


def test_a_value_that_comes_from_a_move_of_people_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start, after = reached(""), reached("9-13")
    nodes = [searched(start, {"11-15": 5, "9-14": 3}), searched(after, {"22-18": -40})]
    write_graph(tmp_path / "book", nodes, {start: {"9-13": 7}}, {"start": start})
    assert main(["book", "show", str(tmp_path / "book"), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    best = shown["moves"][0]
    assert (shown["worth"], best["move"], best["worth"], best["games"]) == (40, "9-13", 40, 7)


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([*map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    path = tmp_path / "book.sqlite"
    options = ["--openings", "start", "--weights", "manual", "--egdb", "none", "--workers", "1", "--nodes", "300"]
    _, out, _ = run("book", "build", "--out", path, "--positions", 30, *options, "--json")
    assert json.loads(out)["positions"] == 30
    shown = json.loads(run("book", "show", path, "--json")[1])
    assert shown["moves"][0]["worth"] == shown["worth"] == max(move["worth"] for move in shown["moves"])
    assert run("book", "check", path)[0] == 0
    assert "depth" in run("book", "show", path)[1]
    packed = tmp_path / "book.krb"
    assert run("book", "export", path, "--out", packed)[0] == 0
    again = json.loads(run("book", "show", packed, "--json")[1])
    assert [{**move, "score": None} for move in shown["moves"]] == again["moves"]
    assert (again["worth"], again["nodes"], again["exact_games"]) == (shown["worth"], None, False)
    # a position alone is one of the shipped book
    after = Position().play("11-15").fen
    assert json.loads(run("book", "show", after, "--json")[1])["fen"] == after
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE nodes SET worth = worth + 1 WHERE worth = (SELECT max(worth) FROM nodes)")
    code, _, err = run("book", "check", path)
    assert code == 1
    assert "not that of its moves" in err
    code, _, err = run("book", "show", path, "W:W21:B1")
    assert code == 2
    assert "nothing about W:W21:B1" in err
