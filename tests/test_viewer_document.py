"""Games as JSON for pages; tests/cases/documents.json has whole ones."""

import time

import pytest

import kr
from kr import pdn
from kr.viewer.document import game_document

# two ways to take from 30 to 14; a king's round in both directions
AMBIGUOUS, ROUND = "W:W30:B17,18,25,26", "W:WK22:B18,10,17,9"
EVERYTHING = (
    '[Event "x"]\n\n{before} 1. 11-15! {good} {so it is} (1. {another} 9-13?! 22-18 (22-17 $14) 11-15) '
    "1... {answer} 23-19* (23-18?? {why}) (22-18) 2. 8-11!? 22-17 1/2-1/2"
)
ILLEGAL = "1. 11-15 (1. 11-20 {what} 22-18! (22-17)) 23-19 (23-18 1-2 3-4) *"


def read(text: str) -> pdn.Game:
    game = pdn.read_game(text + "\n")
    assert game is not None
    return game


def test_nodes_stand_in_the_order_of_the_text_with_the_position_after_each_move() -> None:
    game = read(EVERYTHING)
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
    nodes = game_document(read(ILLEGAL))["nodes"]
    assert [node["text"] for node in nodes if node["fen"] is None] == ["1-2", "3-4", "11-20", "22-18", "22-17"]
    assert all(node["path"] == [] == node["captured"] for node in nodes if node["fen"] is None)


@pytest.mark.parametrize("fen", [AMBIGUOUS, ROUND])
def test_captures_with_the_same_ends_are_told_apart(fen: str) -> None:
    start = kr.Position.from_fen(fen)
    ways = start.legal_moves()
    assert len({(way.origin, way.target) for way in ways}) < len(ways)
    made = [game_document(pdn.Game(start=start, moves=[way]))["nodes"][1] for way in ways]
    assert len({(*node["path"], *node["captured"]) for node in made}) == len(ways)


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
    assert time.process_time() - begun < 2
    assert len(made["nodes"]) > 2000
