"""kr theory: proved bounds against the database, what is known of positions, links and words."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from proved import CASES, case, shipped
from theory_book import LINE, after, node_of, small_book

from kr.ballots.brackets import KNOWN_BY_BOOK, Brackets, bracket_words
from kr.ballots.knowledge import Knowledge
from kr.ballots.pages import TheoryPages, link_of, men
from kr.book.frame import book_key, position_of_key
from kr.game.position import Position
from kr.game.value import Value
from kr.openings.decks import deck
from kr.pdn import read_game
from kr.proofs.library import ProofLibrary
from kr.theory.graph import BookGraph
from kr.theory.store import book_for_reading


@pytest.mark.parametrize("given", [True, False])
def test_a_certificate_is_named_rather_than_the_book(given: bool) -> None:
    """A book that was built with a certificate has its value, and not its name."""
    certificate = case("the winner to move")
    root = certificate.claim.root
    graph = BookGraph()
    graph.add(node_of(root, {}, Value.WIN))
    library = ProofLibrary([("mine.krproof", certificate)]) if given else None
    known = Brackets(graph, None, library).of(root)
    assert (known.value, known.by) == (Value.WIN, "certificate mine.krproof" if given else KNOWN_BY_BOOK)


def graph_below(root: Position, plies: int, shown: int) -> BookGraph:
    """All positions within some plies, each with at most so many of its moves; their searches know nothing."""
    graph, waiting = BookGraph({book_key(root): "root"}), [root]
    for _ in range(plies + 1):
        following = []
        for position in waiting:
            if book_key(position) not in graph.nodes and not position.is_over:
                moves = {str(move): 0 for move in position.legal_moves()[:shown]}
                graph.add(node_of(position, moves))
                following += [position.play(move) for move in moves]
        waiting = following
    return graph


@pytest.mark.parametrize("shown", [2, 100])
def test_brackets_hold_the_value(shown: int) -> None:
    """With values of 3 pieces alone, whatever moves the book has left out: what is proved is true of 4 pieces."""
    rng = random.Random(5)
    bounded = 0
    for _ in range(60):
        squares = rng.sample(range(4, 28), 4)
        bits = [1 << square for square in squares]
        root = Position(bits[0] | bits[1], bits[2] | bits[3], bits[0] | (bits[2] if rng.random() < 0.5 else 0))
        graph = graph_below(root, 3, shown)
        brackets = Brackets(graph, shipped(3))
        for key in graph.nodes:
            position = position_of_key(key)
            known, value = brackets.of(position), shipped().value(position)
            assert value is not None
            assert known.least.sign <= value.sign <= known.most.sign
            bounded += bool(bracket_words(known)) and position.pieces == 4
    assert bounded > 20


def test_at_most_needs_every_legal_move() -> None:
    """A move that the book has left out may win."""
    root = Position.from_fen("B:WK1,K2:BK31")
    lost = {move: after(str(move), root) for move in root.legal_moves()}
    assert len(lost) > 1
    graph = BookGraph({book_key(root): "root"})
    graph.add(node_of(root, {str(next(iter(lost))): 0}))
    graph.add(node_of(next(iter(lost.values())), {}, Value.WIN))
    assert bracket_words(Brackets(graph).of(root)) == ""
    assert bracket_words(Brackets(graph, shipped(3)).of(root)) == str(shipped().value(root)).replace("loss", "lost")


@pytest.mark.parametrize(("value", "words"), [(Value.LOSS, "win"), (Value.DRAW, "at least a draw"), (Value.WIN, "")])
def test_one_move_is_enough_for_at_least(value: Value, words: str) -> None:
    """value: that of the position after one of two moves, for the side to move there."""
    root = Position()
    graph = BookGraph({book_key(root): "start"})
    graph.add(node_of(root, {"11-15": 0, "9-14": 0}))
    graph.add(node_of(root.play("11-15"), {}, value))
    assert bracket_words(Brackets(graph).of(root)) == words
    assert bracket_words(Brackets(graph).of(root.play("9-14"))) == ""


@pytest.mark.parametrize("name", sorted(CASES)[:4])
def test_certificates_count_for_both_colours(name: str) -> None:
    certificate = case(name)
    claim = certificate.claim
    brackets = Brackets(BookGraph(), None, ProofLibrary([("mine.krproof", certificate)]))
    for position in (claim.root, claim.root.flipped()):
        known = brackets.of(position)
        own = (position.side == claim.side) is (position is claim.root)
        assert known.by == "certificate mine.krproof"
        assert (known.least if own else known.most.opposite) is claim.goal


def test_a_cook_counts_all_who_went_wrong(tmp_path: Path) -> None:
    with book_for_reading(small_book(tmp_path / "book.sqlite")) as store:
        graph = store.graph()
    (cook,) = Knowledge(graph, Brackets(graph)).cooks.values()
    # 24-19 is not among the moves that the search has scored
    assert (cook["games"], cook["wrong"], cook["loss"]) == (50, 41, 25)
    assert (cook["best"]["line"], cook["played"]["line"]) == ("25-21 9-14", "23-18 9-14")


def test_the_way_is_the_one_that_people_take() -> None:
    """Of two ways to a position, which transpose."""
    start = Position()
    ways = ("9-13 21-17 11-15", "11-15 21-17 9-13")
    assert after(ways[0]) == after(ways[1])
    graph = BookGraph({book_key(start): "start"})
    for line in ways:
        position = start
        for move in line.split():
            moves = {move: 0} | {each.split()[0]: 0 for each in ways if position == start}
            graph.add(node_of(position, moves))
            position = position.play(move)
    graph.add(node_of(after(ways[0]), {}))
    target = book_key(after(ways[0]))
    for line in ways:
        node = graph.nodes[book_key(start)]
        step = next(move.step for move in node.moves if move.child == book_key(start.play(line.split()[0])))
        graph.games = {book_key(start): {step: 50}}
        before = Knowledge(graph, Brackets(graph)).ways_from(book_key(start))[target]
        assert before is not None
        assert before[0] == book_key(after(" ".join(line.split()[:2])))


def test_links_hold_the_game() -> None:
    """A reader of the address gets the line: its PDN, deflated."""
    import base64
    import zlib

    start = deck("11man", playable_only=False)[16].position
    for position, moves, ply in ((Position(), [*LINE.split(), "25-21"], 3), (start, [], 0)):
        page, _, rest = link_of("../page/", position, moves, ply, "Ballot 1").partition("#analyse/g/")
        packed, _, place = rest.partition("/")
        game = read_game(zlib.decompress(base64.urlsafe_b64decode(packed + "=="), -15).decode())
        assert game is not None
        assert (page, int(place), game.start) == ("../page/", ply, position)
        assert [str(move) for move in game.mainline_moves()] == moves


@pytest.mark.parametrize(
    ("score", "words"), [(-12, "\N{MINUS SIGN}0.12"), (0, "0.00"), (10_000, "win"), (-10_000, "lost")]
)
def test_values_in_words(score: int, words: str) -> None:
    assert men(score) == words


def test_proofs_are_shown(tmp_path: Path) -> None:
    """A ballot that a certificate would settle, by the words of its page."""
    with book_for_reading(small_book(tmp_path / "book.sqlite")) as store:
        graph = store.graph()
    graph.nodes[book_key(after(f"{LINE} 25-21"))].value = Value.LOSS
    graph.propagate()
    known = Knowledge(graph, Brackets(graph))
    opening = deck("3move", playable_only=False)[0]
    entry = known.ballot(opening) | {"grade": None}
    assert entry["bracket"] == {"least": "win", "most": "win", "words": "win", "by": KNOWN_BY_BOOK}
    assert entry["replies"][0]["bracket"] == "win"
    book = {"name": "b", "positions": 1, "nodes": 1, "nodes_of_a_search": 1, "people": True}
    book |= {"exact": True, "exact_games": True}
    data = {
        "deck": "3move",
        "ballots": [entry],
        "cooks": [*known.cooks.values()],
        "book": book,
        "people": None,
        "grades": None,
    }
    page = TheoryPages(data, "../page/").page("ballot-001.html")
    assert "Proved for White, who is to move: win, by the book (a search to the end, or a certificate)." in page
