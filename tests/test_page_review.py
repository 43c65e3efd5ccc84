"""Games judged on the page: events, marks, table, story and accuracy, bad requests. What is judged how is recorded in
tests/cases/judging.json."""

from __future__ import annotations

from typing import Any

import pytest
from page import Page
from test_annotate import BLUNDER, PDN, played, playout

from kr.analysis.annotation.marking import unmark_game
from kr.game.position import Position
from kr.pdn import Game, Reader, normalise, read_game
from kr.viewer.document import game_document

pytestmark = pytest.mark.slow

NODES = 3000
Document = dict[str, Any]


def judged(page: Page, game: Game | Document, now: Document | None = None, **asked: Any) -> list[dict[str, Any]]:
    """All events. now: the game as the page has it at the end, if that is another."""
    document = game_document(game) if isinstance(game, Game) else game
    asked = {"nodes": NODES, **asked, "document": document}
    return page.stream("annotate", asked, ({"document": now or document},))


def moves_of(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [move for event in events for move in event.get("moves", [])]


def test_each_move_is_told_from_the_last_to_the_first_then_the_marked_game(page: Page) -> None:
    game = read_game(PDN)
    assert game is not None
    events = judged(page, game)
    assert (events[0], events[-2]) == ({"total": 12}, {"judged": True})
    moves, last = moves_of(events), events[-1]
    assert [move["ply"] for move in moves] == [*range(12, 0, -1)]
    assert {move["ply"]: move["kind"] for move in moves if move["kind"]} == {10: "blunder"}
    assert [move["ply"] for move in moves if move["reason"] == "opening"] == [3, 2, 1]
    marked = read_game(page.ask("games/pdn", {"document": last["document"]})["pdn"])
    assert marked is not None
    normalise(game)
    unmark_game(game)
    unmark_game(marked)
    assert marked == game
    assert [row[0] for row in last["table"]] == ["Player", "A", "B"]
    assert [row[-2] for row in last["table"]] == ["??", "0", "1"]
    # again, the same
    assert judged(page, last["document"])[-1]["document"] == last["document"]


def test_another_draw_that_is_harder_for_people_is_told(page: Page) -> None:
    told = []
    for move in ("11-15", "10-7"):
        document = judged(page, played(move, "W:W10,K11:B9,12"))[-1]["document"]
        told.append(
            "10-7 draws as well, and is harder for people." in page.ask("games/pdn", {"document": document})["pdn"]
        )
    assert told == [True, False]


PLAYED_HERE = {"BlackPlayer": "human", "WhitePlayer": "shipped,level=3"}


@pytest.mark.parametrize(
    ("tags", "plies"),
    [({}, 3), (PLAYED_HERE, 0), ({**PLAYED_HERE, "Opening": "Bristol"}, 0),
     ({**PLAYED_HERE, "Opening": "3move 131: 11-16 22-18 16-20"}, 3)],
)  # fmt: skip
def test_games_played_here_are_judged_from_the_first_move_that_no_ballot_chose(
    page: Page, tags: dict[str, str], plies: int
) -> None:
    game = read_game("1. 11-16 22-18 2. 16-20 25-22 *")
    assert game is not None
    game.headers.update(tags)
    moves = moves_of(judged(page, game, nodes=1000))
    assert [move["ply"] for move in moves if move["reason"] == "opening"] == [*range(plies, 0, -1)]


@pytest.mark.parametrize(
    ("black", "white", "you"),
    [("human", "shipped", "black"), ("shipped", "human", "white"), ("human", "human", None), ("human", "", None),
     ("", "human", None), ("shipped", "weights.h5", None)],
)  # fmt: skip
def test_story_and_accuracy_come_with_the_marked_game(page: Page, black: str, white: str, you: str | None) -> None:
    game = played(BLUNDER)
    game.result = "1-0"
    game.headers.update({name: value for name, value in {"BlackPlayer": black, "WhitePlayer": white}.items() if value})
    last = judged(page, game)[-1]
    assert last["you"] == you
    turn = next(each["with"] for each in last["story"] if each["say"] == "story.turn.worse")
    assert (turn["side"], turn["move"]) == ("you" if you == "white" else "white", "5... 20-16")
    assert 0 < last["accuracy"][1] < last["accuracy"][0] <= 100
    marked = next(text for node in last["document"]["nodes"] for text in node["comments"] if "nag=" in text)
    assert "with 26-22 0." in marked
    assert "This gives up 2 pieces: 20-16 12x28." in marked
    # kept in the game, told of nobody in particular
    comment = " ".join(last["document"]["nodes"][0]["comments"])
    assert "accuracy={:.1f}/{:.1f}]".format(*last["accuracy"]) in comment
    assert "[%kr story White came into a worse position at <move=5... 20-16>" in comment


def test_a_record_that_breaks_off(page: Page) -> None:
    (game,) = Reader("1. 11-15 23-19 2. 8-11 22-17 3. 1-2 1-0\n", forgiving=True)
    assert judged(page, game, nodes=1000)[-1]["story"][0]["say"] == "story.broken_off"


def test_a_position_that_was_set_up_in_the_game(page: Page) -> None:
    document = game_document(game := played("17-21 12-3 21-25", "B:W12,K18:B8,K17,27"))
    node = document["nodes"][1]
    black, white, kings, side = [*game.positions()][1].bits
    # a man that has no part in what follows
    node["setup"], node["fen"] = True, Position.from_bits((black & ~(1 << 26), white, kings, side)).fen
    assert "document" in judged(page, document, nodes=1000)[-1]


def test_the_game_may_be_added_to_but_not_changed_meanwhile(page: Page) -> None:
    asked, now = played(BLUNDER), played(BLUNDER)
    now.variations[0].comment = "mine"
    now.variations[0].add_variation("22-18")
    now.headers["Black"] = "Somebody"
    last = judged(page, asked, game_document(now), nodes=1000)[-1]
    assert last["table"][1][0] == "Somebody"
    nodes = last["document"]["nodes"]
    assert nodes[1]["comments"] == ["mine"]
    assert [node["text"] for node in nodes if node["parent"] == 1] == ["24-20", "22-18"]
    for other in (played(f"{BLUNDER} 6-9"), played("11-15 24-20"), played("9-14 24-20")):
        last = judged(page, asked, game_document(other), nodes=1000)[-1]
        assert last == {"error": "the moves of the game have changed meanwhile; analyse it again"}
    broken: list[Any] = [{"start": "B"}, {"start": 3}, 3]
    for bad in broken:
        assert "error" in judged(page, asked, bad, nodes=1000)[-1]


SHORT = game_document(played("11-15 24-20 8-11 28-24"))


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({}, "document is missing"), ({"document": 3}, "document is not an object"),
        ({"document": {}}, "start is missing"), ({"document": {"start": "nothing"}}, "nothing"),
        ({"document": game_document(played(""))}, "the game has no moves to judge"),
        ({"document": {**SHORT, "more": 1}}, "more"),
        ({"document": {**SHORT, "nodes": [*SHORT["nodes"], {"parent": 4, "path": [1, 2]}]}}, "1-2"),
        ({"document": game_document(played("1-6 30-26 6-1 26-30 " * 251, "B:WK30:BK1"))},
         "a game of 1,004 moves; at most 1,000 are judged"),
        *(({"document": SHORT, "nodes": nodes}, "nodes is not a whole number from 1,000 to 5,000,000")
          for nodes in (999, 5_000_001, 1000.5, "1000", True, [0])),
        *(({"document": SHORT, "seconds": seconds}, "seconds is not a number from 0.01 to 10")
          for seconds in (0, 0.009, 10.5, "1", False)),
    ],
)  # fmt: skip
def test_a_bad_request(page: Page, asked: dict[str, Any], error: str) -> None:
    (told,) = page.stream("annotate", asked)
    assert error in told["error"]


@pytest.mark.parametrize(("seconds", "text"), [(0.01, "10ms"), (0.0125, "12.5ms")])
def test_a_limit_of_time_stands_in_the_tag(page: Page, seconds: float, text: str) -> None:
    last = judged(page, played("1-6", "B:W32:B1,2"), seconds=seconds)[-1]
    assert f"({text} a position" in last["document"]["headers"]["Annotator"]


def test_a_review_is_stopped_in_the_middle(page: Page) -> None:
    game = playout(2, 80)
    stream = page.open("annotate", {"document": game_document(game), "nodes": 20_000})
    assert stream.next() == {"total": len(game.moves)}
    first = stream.next()["moves"]
    stream.stop()
    more = [move for event in stream.rest() for move in event["moves"]]
    assert 0 < len(first) + len(more) < len(game.moves)
    # waiting for the document too
    stream = page.open("annotate", {"document": SHORT, "nodes": 1000})
    stream.until("judged")
    # what is no object is not taken, and harms nothing
    page.send({"id": stream.id, "say": "nothing that a page says"})
    stream.stop()
    assert stream.rest() == []
    # and nothing of it is left
    assert "document" in judged(page, played(BLUNDER), nodes=1000)[-1]


def test_a_move_is_tried_by_the_thresholds_of_the_review(page: Page) -> None:
    game = read_game(PDN)
    assert game is not None
    asked = {"start": game.start.fen, "moves": [str(move) for move in game.moves[:9]], "nodes": NODES}
    blunder = str(game.moves[9])

    def tried(move: str, best: float) -> dict[str, Any]:
        (event,) = page.stream("annotate/trial", {**asked, "move": move, "best": best})
        return dict(event)

    found = tried(blunder, 0.5)
    assert found["verdict"] == "not"
    assert 0 <= found["expected"] <= 0.35
    after = list(game.positions())[9]
    for step in found["line"]:
        after = after.play(after.parse_move(step["text"]))
        assert step["fen"] == after.fen
    assert len(found["line"]) > 1
    # the same search, beside another best move
    for least, verdict in ((0.02, "right"), (0.03, "playable"), (0.08, "not")):
        again = tried(blunder, round(found["expected"] + least, 2))
        assert again == {**found, "verdict": verdict}
    assert tried("1-32", 0.5).keys() == {"error"}
    # beside the line of a better one
    better = {"better": ["26-22", "11-15"]}
    (event,) = page.stream("annotate/trial", {**asked, **better, "move": blunder, "best": 0.5})
    assert event["why"][0]["say"] == "why.at_once"
    assert event["why"][0]["with"]["line"] == f"{blunder} 12x28"
