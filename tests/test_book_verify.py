"""Verification of a book: what is drawn, what is a mistake, what becomes of it, and resuming."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from small_graph import reached, searched, write_graph
from test_book import build

from kr.book.frame import BookKey, book_key, position_of_key, step_at
from kr.cli import main
from kr.engine.engine import Engine
from kr.errors import InvalidBookError, InvalidGamesError, InvalidSettingError, OutputBusyError
from kr.theory import store as store_module
from kr.theory.graph import BookGraph
from kr.theory.searching import BookSearches
from kr.theory.store import book_for_reading, book_for_writing
from kr.theory.verifying import BY_GAMES, BookVerification, BookVerifySettings, draw_positions, verify_book


def graph_of(path: Path) -> BookGraph:
    with book_for_reading(path) as store:
        return store.graph()


def verify(path: Path, **settings: Any) -> BookVerification:
    defaults = {"weights": "manual", "egdb": "none", "workers": 1, "hash": 1 << 20, "share": 1.0}
    return verify_book(BookVerifySettings(book=path, **(defaults | settings)), lambda outcome: None)


@pytest.mark.slow
def test_a_book_searched_again(tmp_path: Path) -> None:
    path = tmp_path / "book"
    build(path, positions=25, nodes=60)
    before = graph_of(path)
    outcome = verify(path, times=30)
    after = graph_of(path)
    assert not list(after.wrong())
    assert after.nodes.keys() == before.nodes.keys()
    # with one legal move no choice can be wrong
    able = {key for key in before.nodes if len(position_of_key(key).legal_moves()) > 1}
    assert len(outcome.findings) == outcome.drawn == outcome.positions == len(able) < 25
    assert all(after.nodes[key].nodes >= 1800 or after.nodes[key].value is not None for key in able)
    assert outcome.mistakes
    assert len(outcome.mistakes) == len(outcome.corrected) + len(outcome.upheld)
    # nothing is searched twice
    again = verify(path, times=30)
    assert again.findings == outcome.findings
    assert again.along_lines == 0
    with pytest.raises(InvalidSettingError, match="was begun with share"):
        verify(path, times=30, share=0.5)


START, AFTER = reached(""), reached("9-14")
DEEPER = {book_key(START): {"11-15": 10, "9-14": -20}, book_key(AFTER): {"22-18": 25}}
"""Deeper searches, by which 9-14 loses 30."""


@pytest.fixture
def wrong_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book that chooses 9-14 because of what it thinks of the position after it; its searches are looked up."""
    signature = Engine("manual").signature
    nodes = [searched(START, {"9-14": 5, "11-15": 0}), searched(AFTER, {"22-18": -30})]
    write_graph(tmp_path / "book", nodes, {}, {"start": START}, weights=signature, egdb=None)
    positions = {book_key(position): position for position in (START, AFTER)}

    def search(self: BookSearches, unit: Any, needs: Any, engine: Engine, stop: Any) -> dict[str, Any]:
        black, white, kings, _ = unit.values["position"]
        position, scores = positions[black, white, kings], DEEPER[black, white, kings]
        moves = [[*step_at(position, position.parse_move(text)), score] for text, score in scores.items()]
        return {
            "position": unit.values["position"], "score": max(scores.values()), "nodes": unit.values["nodes"],
            "depth": 9, "value": None, "moves": moves,
        }  # fmt: skip

    monkeypatch.setattr(BookSearches, "do", search)
    return tmp_path / "book"


def draw(monkeypatch: pytest.MonkeyPatch, *keys: BookKey) -> None:
    monkeypatch.setattr("kr.theory.verifying.draw_positions", lambda graph, able, settings: list(keys))


def test_a_mistake_is_corrected_along_its_line(wrong_book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw(monkeypatch, book_key(START))
    outcome = verify(wrong_book)
    (finding,) = outcome.findings
    assert (finding.loss, finding.value, finding.score, finding.is_mistake) == (30, 30, 10, True)
    assert (outcome.corrected, outcome.upheld, outcome.along_lines) == ([finding], [], 1)
    graph = graph_of(wrong_book)
    assert graph.nodes[book_key(START)].worth == 10
    assert [str(move) for move in graph.best_line(START)] == ["11-15"]


def test_a_mistake_that_its_line_upholds(wrong_book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw(monkeypatch, book_key(START))
    monkeypatch.setitem(DEEPER, book_key(AFTER), {"22-18": -30})
    outcome = verify(wrong_book)
    assert (outcome.corrected, outcome.upheld, outcome.along_lines) == ([], outcome.findings, 1)
    assert graph_of(wrong_book).nodes[book_key(START)].worth == 30


def test_a_small_loss_is_no_mistake(wrong_book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw(monkeypatch, book_key(START))
    monkeypatch.setitem(DEEPER, book_key(START), {"11-15": 10, "9-14": 0})
    outcome = verify(wrong_book)
    assert [each.loss for each in outcome.findings] == [10]
    assert (outcome.mistakes, outcome.along_lines) == ([], 0)


@pytest.mark.parametrize("stored", [False, True])
def test_an_interrupted_verification_goes_on(wrong_book: Path, stored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the finding is in the journal, before or after the search is in the book."""
    put = store_module.BookStore.put

    def interrupted(store: store_module.BookStore, nodes: Any) -> None:
        if stored:
            put(store, nodes)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        draw(patch, book_key(START))
        patch.setattr(store_module.BookStore, "put", interrupted)
        with pytest.raises(KeyboardInterrupt):
            verify(wrong_book)
    draw(monkeypatch, book_key(START), book_key(AFTER))
    outcome = verify(wrong_book)
    first, second = outcome.findings
    assert (first.loss, second.loss) == (30, 0)
    assert outcome.corrected == [first]
    assert len(Path(f"{wrong_book}.verified.jsonl").read_text().splitlines()) == 3


def test_the_draw() -> None:
    texts = [str(move) for move in START.legal_moves()]
    nodes = [searched(START.play(text), {str(START.play(text).legal_moves()[0]): 0}) for text in texts]
    games = {nodes[0].key: dict.fromkeys([nodes[0].moves[0].step], 10**6)}
    graph = BookGraph(nodes={node.key: node for node in nodes}, games=games)

    def drawn(nodes: Any = nodes, **settings: Any) -> list[BookKey]:
        return draw_positions(graph, nodes, BookVerifySettings(book=Path("x"), **settings))

    assert len(drawn(share=0.01)) == 1
    assert len(drawn(share=0.3)) == 3
    assert drawn(share=0.5) == drawn(share=0.5)
    assert {tuple(drawn(share=0.01, seed=seed)) for seed in range(9)} > {tuple(drawn(share=0.01))}
    # what people play a million times as often always comes first
    assert all(drawn(share=0.01, seed=seed, chance=BY_GAMES) == [nodes[0].key] for seed in range(9))
    # fewer positions leave the order of the others
    assert drawn(nodes[1:], share=1) == [key for key in drawn(share=1) if key != nodes[0].key]


def test_the_command(wrong_book: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    draw(monkeypatch, book_key(START))
    command = ["book", "verify", str(wrong_book), "--weights", "manual", "--egdb", "none", "--workers", "1"]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["verified"], told["mistakes"], told["share_of_mistakes"], told["corrected"]) == (1, 1, 1.0, 1)
    assert [(each["chosen"], each["best"], each["loss"]) for each in told["found"]] == [("9-14", "11-15", 30)]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert "100.00%" in text
    assert "11-15" in text


def test_what_can_not_be_verified(wrong_book: Path) -> None:
    with pytest.raises(InvalidSettingError, match="was built with weights"):
        verify(wrong_book, weights="material")
    with pytest.raises(InvalidSettingError, match="is read too"):
        verify(wrong_book, journal=wrong_book)
    with pytest.raises(InvalidSettingError, match="no such file"):
        verify(wrong_book.with_name("none"))
    with pytest.raises(InvalidSettingError, match="share"):
        verify(wrong_book, share=0)
    with book_for_writing(wrong_book), pytest.raises(OutputBusyError):
        verify(wrong_book)
    write_graph(wrong_book.with_name("empty"), [], {}, {"start": START}, weights=Engine("manual").signature, egdb=None)
    with pytest.raises(InvalidBookError, match="no positions to verify"):
        verify(wrong_book.with_name("empty"))
    assert verify(wrong_book, share=0.5).drawn == 1
    journal = Path(f"{wrong_book}.verified.jsonl")
    text = journal.read_text()
    for name, wrong in (("key", '["x", 1, 2]'), ("key", "[7, 7, 7]"), ("chosen", "[0, 31, 0]")):
        journal.write_text(re.sub(rf'("{name}": )\[[^]]*\]', rf"\1{wrong}", text))
        with pytest.raises(InvalidGamesError, match="line 2 is damaged"):
            verify(wrong_book, share=0.5)


def test_a_packed_book_is_verified_and_stays(
    wrong_book: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = wrong_book.with_name("book.krb")
    assert main(["book", "export", str(wrong_book), "--out", str(packed)]) == 0
    before = packed.read_bytes()
    draw(monkeypatch, book_key(START))
    for _ in range(2):
        outcome = verify(packed)
        assert ([each.loss for each in outcome.mistakes], outcome.along_lines) == ([30], 0)
        assert not outcome.corrected + outcome.upheld
    assert packed.read_bytes() == before
