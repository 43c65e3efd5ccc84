"""Games as JSON for pages, and what is refused."""

import json
import time
from typing import Any

import pytest

import kr
from kr import pdn
from kr.errors import KrError
from kr.viewer import document
from kr.viewer.document import game_document, read_document

# two ways to take from 30 to 14; a king's round in both directions
AMBIGUOUS, ROUND = "W:W30:B17,18,25,26", "W:WK22:B18,10,17,9"
GAMES = {
    "empty": "*",
    "headers": '[Event "A \\"b\\" <i>"]\n[Site "\u202eevil"]\n[Black "X"]\n[Result "1-0"]\n\n1. 11-15 23-19 1-0',
    "everything": (
        '[Event "x"]\n\n{before} 1. 11-15! {good} {so it is} (1. {another} 9-13?! 22-18 (22-17 $14) 11-15) '
        "1... {answer} 23-19* (23-18?? {why}) (22-18) 2. 8-11!? 22-17 1/2-1/2"
    ),
    "illegal variation": "1. 11-15 (1. 11-20 {what} 22-18! (22-17)) 23-19 (23-18 1-2 3-4) *",
    "setup": f'[SetUp "1"]\n[FEN "{AMBIGUOUS}"]\n\n1. 30x21x14 {{one way}} *',
    "setup without the tag's usual form": '[FEN "B:bk5:w30,K32."]\n\n1. 5-9 30-26 *',
    "setups": '1. 11-15 23-19! /FEN "B:W18:B10"/ {here} 2. 10-15 (2. 10-14 /FEN "W:W22:B1"/ 22-17) 18x11 *',
    "clock": "1. 11-15 {[%clk 0:04:59]} 23-19 {[%emt 3.2] [%eval 0.1]} 0-1",
}


def read(text: str) -> pdn.Game:
    game = pdn.read_game(text + "\n")
    assert game is not None
    return game


@pytest.mark.parametrize("text", GAMES.values(), ids=GAMES.keys())
def test_a_game_comes_back_as_it_was(text: str) -> None:
    game = read(text)
    made = json.loads(json.dumps(game_document(game)))
    back = read_document(made)
    assert back == game
    assert str(back) == str(game)
    assert game_document(back) == made


def test_nodes_stand_in_the_order_of_the_text_with_the_position_after_each_move() -> None:
    game = read(GAMES["everything"])
    nodes = game_document(game)["nodes"]
    assert [node.get("text") for node in nodes] == (
        [None, "11-15", "23-19", "8-11", "22-17", "23-18", "22-18", "9-13", "22-18", "11-15", "22-17"]
    )
    assert [node["parent"] for node in nodes] == [None, 0, 1, 2, 3, 1, 1, 0, 7, 8, 7]
    for node in nodes[1:]:
        before = kr.Position.from_fen(nodes[node["parent"]]["fen"])
        assert before.play(node["text"]).fen == node["fen"]
        assert [node["path"][0], node["path"][-1]] == [int(square) for square in node["text"].split("-")]
    assert nodes[0]["comments"] == ["before"]
    assert nodes[1]["nags"] == ["!"]
    assert nodes[7]["starting_comments"] == ["another"]
    assert nodes[2] | {"comments": []} == nodes[2]


def test_nodes_where_a_game_can_be_claimed_drawn_say_so() -> None:
    """By the rule, in variations too; a game that goes on is no longer drawn once a man has moved."""
    circle = "23-18 28-32 18-23 32-28"
    text = f'[FEN "W:WK19,K23:B12,K28"]\n{circle} {circle} (32-27 23x32) 23-18 12-16 *'
    nodes = game_document(read(text))["nodes"]
    assert [(node["text"], node["draw"]) for node in nodes if "draw" in node] == (
        [("32-28", "repetition"), ("23-18", "repetition")]
    )
    walk = [(31, 26), (2, 7), (26, 31), (7, 2)] * 20
    game = pdn.Game(start=kr.Position.from_fen("W:WK31:BK2"), moves=[f"{a}-{b}" for a, b in walk])
    drawn = [node.get("draw") for node in game_document(game)["nodes"]]
    assert (drawn[7:9], drawn.count("repetition")) == ([None, "repetition"], 73)


def test_an_illegal_variation_is_text() -> None:
    nodes = game_document(read(GAMES["illegal variation"]))["nodes"]
    assert [node["text"] for node in nodes if node["fen"] is None] == ["1-2", "3-4", "11-20", "22-18", "22-17"]
    assert all(node["path"] == [] == node["captured"] for node in nodes if node["fen"] is None)


@pytest.mark.parametrize("fen", [AMBIGUOUS, ROUND])
def test_captures_with_the_same_ends_are_told_apart(fen: str) -> None:
    start = kr.Position.from_fen(fen)
    ways = start.legal_moves()
    assert len({(way.origin, way.target) for way in ways}) < len(ways)
    for way in ways:
        made = game_document(pdn.Game(start=start, moves=[way]))
        assert [(move.path, move.captured) for move in read_document(made).moves] == [(way.path, way.captured)]


def test_a_game_of_a_thousand_plies_with_variations_is_quick() -> None:
    game = pdn.Game(start=kr.Position.from_fen("W:WK31:BK2"))
    node: pdn.GameNode = game
    for move in ("31-26", "2-7", "26-31", "7-2") * 250:
        following = node.add_variation(move)
        for other in node.position.legal_moves():
            if str(other) != move:
                node.add_variation(other)
        node = following
    node.comment = "the end"
    begun = time.process_time()
    made = game_document(game)
    back = read_document(made)
    assert time.process_time() - begun < 2
    assert back == game
    assert len(made["nodes"]) > 2000


def test_only_the_start_is_needed_and_moves_may_be_text() -> None:
    start = kr.Position().fen
    assert read_document({"start": start}) == pdn.Game()
    nodes = [{"parent": None}, {"parent": 0, "text": "11-15"}, {"parent": 1, "text": "23 - 19"}]
    assert [str(move) for move in read_document({"start": start, "nodes": nodes}).moves] == ["11-15", "23-19"]


def test_half_a_character_does_no_harm() -> None:
    made = {
        "start": kr.Position().fen,
        "headers": {"Event": "\ud83d"},
        "nodes": [{"parent": None, "comments": ["\udc00é"]}],
    }
    game = read_document(made)
    assert (game.headers["Event"], game.comment) == ("?", "?é")
    str(game).encode()


def changed(**fields: Any) -> dict[str, Any]:
    return {**game_document(read("1. 11-15 (1. 9-13) 23-19 *")), **fields}


def node(number: int, **fields: Any) -> dict[str, Any]:
    made = changed()
    made["nodes"][number] = {**made["nodes"][number], **fields}
    return made


REFUSED = [
    ([], "a JSON object"),
    (None, "a JSON object"),
    ({}, "start is missing"),
    (changed(start=7), "start is not text"),
    (changed(start="B:W1"), "three fields"),
    (changed(extra=1), "no field 'extra'"),
    (changed(result="3-0"), "'3-0' is not one of"),
    (changed(result=None), "result is missing"),
    (changed(headers=[]), "headers is not an object"),
    (changed(headers={"a b": "c"}), "can't be called 'a b'"),
    (changed(headers={'x"]': "c"}), "letters, digits and _ only"),
    (changed(headers={"Event": 1}), "header Event is not text"),
    (changed(headers={"Event": "x" * document.MOST_CHARACTERS}), "more than 1,000,000 characters"),
    (changed(nodes={}), "nodes is not a list"),
    (changed(nodes=[7]), "node 0 is not an object"),
    (changed(nodes=[{"parent": None}] * (document.MOST_NODES + 1)), "a game of 20001 nodes; at most 20000"),
    (node(0, parent=0), "only node 0"),
    (node(1, parent=None), "only node 0"),
    (node(1, parent=1), "not the number of a node before it"),
    (node(1, parent=-1), "not the number of a node before it"),
    (node(1, parent=False), "not the number of a node before it"),
    (node(1, parent=0.0), "not the number of a node before it"),
    (node(1, path=[11, 16, 20]), "node 1: 11-16-20 is not legal; legal moves: 9-13, "),
    (node(1, path=[11, 33]), "squares from 1 to 32"),
    (node(1, path=["11", "15"]), "squares from 1 to 32"),
    (node(1, path=[11] * 33), "squares from 1 to 32"),
    (node(1, path=[True, 15]), "squares from 1 to 32"),
    (node(1, path="11-15"), "squares from 1 to 32"),
    (node(1, path=None, text=None), "text is missing"),
    (node(1, path=None, text="11-20"), "node 1: 11-20 is not legal"),
    (node(1, path=None, text="11-15 } 1-0"), "is not a move"),
    (node(1, path=None, text="11" + "-15" * 50), "is not a move"),
    (node(2, path=None, text="1-0"), "node 2: "),
    (node(1, comments="x"), "comments is not a list"),
    (node(1, comments=[3]), "one of comments is not text"),
    (node(1, starting_comments=[None]), "one of starting_comments is missing"),
    (node(1, nags=["great"]), "'great' is not a judgement"),
    (node(1, nags=["! {"]), "is not a judgement"),
    (node(1, comments=[""] * document.MOST_CHARACTERS), "more than 1,000,000 characters"),
]


@pytest.mark.parametrize(("given", "why"), REFUSED, ids=[why for _, why in REFUSED])
def test_anything_else_is_refused_with_one_line(given: object, why: str) -> None:
    with pytest.raises(KrError) as caught:
        read_document(given)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_text_of_an_illegal_variation_cannot_become_anything_else() -> None:
    made = node(3, path=None, text="1-2")
    assert "(1. 1-2)" in str(read_document(made))
    with pytest.raises(KrError, match="is not a move"):
        read_document(node(3, path=None, text='1-2) [Event "x"]'))
