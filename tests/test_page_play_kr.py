"""Games against kr by the page's answers: its levels, what people play, draws, hints, and games that go on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from library import ROOT
from page import Page, started
from small_book import book_file
from watched_games import ID, TWO_KINGS_EACH, Game, noted_document, quiet

from kr import _core
from kr.book.book import OpeningBook, book_note
from kr.egdb.database import load_database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.outcome import AGREEMENT, OVERTIME, RESIGNATION
from kr.game.position import Position
from kr.players.levels import LEVELS
from kr.policy.policy import frame_of, load_policy


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "side", "ballot"),
    [(0, "black", ""), (0, "white", "3move 10"), *((level, ("black", "white")[level % 2], "") for level in range(1, 8)),
     (8, "black", "W:WK5,12,20:B3,21,22"), (9, "white", "W:WK5,12,20:B3,21,22"), (3, "random", "3move")],
)  # fmt: skip
def test_whole_games_against_kr(page: Page, level: int, side: str, ballot: str) -> None:
    page.set_seed(level + 1)
    source = random.Random(level)
    game = Game(page, level=level, side=side, ballot=ballot)
    settings = game.game["settings"]
    assert settings["level"] == level
    assert settings["side"] in ([side] if side != "random" else ["black", "white"])
    assert settings["ballot"].startswith(ballot)
    while game.turn():
        # the highest levels think for long
        if level >= 8 and len(game.board.moves) >= 8:
            game.say("resign")
        else:
            game.move(source.choice(game.state["moves"])["path"])
    assert game.hear() == {"end": True}
    over, outcome = game.game["over"], game.board.outcome()
    if over["reason"] != RESIGNATION:
        assert outcome
        assert (over["result"], over["reason"]) == (outcome.result, outcome.reason)
    assert [node["text"] for node in game.game["document"]["nodes"][1:]] == [str(each) for each in game.board.moves]


def test_what_a_level_sees(page: Page) -> None:
    """The score and depth of its move are those of the same search."""
    page.set_seed(1)
    for level in LEVELS[:8]:
        # levels with a database also have a book, but none of endings
        ballot = "W:WK5,12,20,24:B3,11,21,22" if level.database else "3move 20"
        game = Game(page, level=level.number, side="black", ballot=ballot)
        assert game.turn()
        board = game.board
        (note,) = (each for each in game.comments[-1] if "/" in each)
        search = Engine(None, hash_mb=0.5, database=load_database(str(ROOT / "egdb"), 0) if level.database else None)
        before = board.positions[-2]
        found = search.search(before, Limits(nodes=level.nodes), board.positions[-4:-2], multipv=64)
        (line,) = (each for each in found.lines if each.pv[0] == board.moves[-1])
        assert note.startswith(f"{line.score / 100:+.2f}/{line.depth} ")
        game.stream.stop()


@pytest.fixture(scope="module")
def with_small_book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, OpeningBook]]:
    """A page with a book of a few positions, and that book."""
    path = Path(book_file(tmp_path_factory.mktemp("book")))
    for page in started(book=path):
        yield page, OpeningBook(path)


@pytest.mark.slow
@pytest.mark.parametrize("level", [7, 8, 9, 10])
def test_high_levels_play_from_the_book(with_small_book: tuple[Page, OpeningBook], level: int) -> None:
    page, book = with_small_book
    chosen = set()
    for seed in range(1, 41):
        page.set_seed(seed)
        game = Game(page, level=level, side="white")
        assert game.turn()
        (move,) = game.board.moves
        notes = " ".join(game.comments[-1])
        assert ("book, " in notes) == (level >= 8)
        if level >= 8:
            (known,) = (each for each in book.moves(Position()) if each.move == move)
            assert known.value is not None
            assert book_note(known.value, known.weight) in notes
            chosen.add(str(move))
        game.stream.stop()
        if level < 8:
            return
    assert chosen == {"11-15", "9-14"}


def test_beyond_the_book_it_searches(with_small_book: tuple[Page, OpeningBook]) -> None:
    page, book = with_small_book
    page.set_seed(3)
    game, told = Game(page, level=8, side="black"), []
    while game.turn() and len(told) < 6:
        position, ply = game.board.position, len(game.board.moves)
        choice = book.choice(position)
        game.move([square + 1 for square in (choice.move if choice else position.legal_moves()[0]).path])
        while len(game.board.moves) < ply + 2:
            game.hear("move")
        answered = game.board.positions[ply + 1]
        forced = len(answered.legal_moves()) == 1
        told.append("book, " in " ".join(game.comments[-1]))
        assert told[-1] == bool(book.choice(answered) and not forced)
    assert told[0]
    assert not told[-1]
    game.stream.stop()


def test_what_people_see(page: Page) -> None:
    """The score is that of sight of captures; moves that are likely come more often."""
    policy = load_policy()
    assert policy.eyes
    page.set_seed(1)
    game, source, probabilities = Game(page, level=0, side="white"), random.Random(6), []
    while game.turn() and len(game.board.moves) < 60:
        game.move(source.choice(game.state["moves"])["path"])
    for ply, comments in enumerate(game.comments[1:]):
        if ply % 2 or not (notes := [each for each in comments if "/" in each]):
            continue
        position, before = game.board.positions[ply], game.board.positions[max(0, ply - 2) : ply]
        frame = np.array([frame_of(position)], dtype=np.uint32)
        score = int(_core.choice_scores(frame, policy.eyes.core).max())
        assert notes[0].startswith(f"{score / 100:+.2f}/0 ")
        likely = {str(each.move): each.probability for each in policy.choices(position, before)}
        probabilities.append(likely[str(game.board.moves[ply])] * len(likely))
    assert len(probabilities) > 10
    assert np.mean(probabilities) > 1.5
    game.stream.stop()


def test_taking_back_and_offering_a_draw(page: Page) -> None:
    page.set_seed(1)
    game = Game(page, level=1, side="white")
    game.turn()
    assert not game.state["undoable"]
    game.say("undo")
    assert game.hear("say")["say"] == {"say": "play.nothing_to_take_back"}
    game.turn()
    game.move(game.state["moves"][0]["path"])
    game.turn()
    game.say("undo")
    assert game.hear("undo")["undo"] == 2
    assert len(game.hear("game")["game"]["document"]["nodes"]) == 2
    game.turn()
    game.say("draw")
    assert game.hear("offer")["offer"] == "white"
    assert game.hear("answer")["answer"] == {"why": "moves", "number": 5}
    game.turn()
    game.say("draw")
    assert game.hear("say")["say"] == {"say": "play.offered_already", "with": {"count": 10}}
    game.turn()
    game.say("resign")
    assert game.turn() is False
    assert game.game["over"] == {"result": "1-0", "winner": "black", "reason": RESIGNATION}


def noted(page: Page, start: str, plies: int, score: float) -> Game:
    """A game of Black against kr that goes on after so many plies, in each of which kr had this score."""
    return Game(page, game=f"20260101-000000-{plies:020x}", document=noted_document(start, plies, score))


ALL_BUT_LOST = "B:WK29:BK1,K2,K3"


def test_kr_accepts_a_draw(page: Page) -> None:
    game = noted(page, TWO_KINGS_EACH, 40, 0.0)
    assert game.turn()
    game.say("draw")
    assert game.hear("offer")["offer"] == "black"
    assert game.turn() is False
    assert game.game["over"] == {"result": "1/2-1/2", "winner": None, "reason": AGREEMENT}


def test_full_strength_on_a_clock(page: Page) -> None:
    # beyond the book
    ballot = "B:W21,22,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,16"
    game = Game(page, level=10, side="white", clock="0:10+0.1", ballot=ballot)
    assert game.hear("state")["state"]["ticking"] == "black"
    assert game.turn()
    (note,) = (each for each in game.comments[1] if "/" in each)
    assert 1 < int(note.split("/")[1].split()[0]) < 60
    assert game.state["ticking"] == "white"
    left, own = game.state["clocks"]
    assert 0 < left < 10.1
    assert own == pytest.approx(10, abs=1)
    # a move that is taken back, or a game that is resigned, waits for no search
    game.move(game.state["moves"][0]["path"])
    game.say("resign")
    while not game.game["over"]:
        game.hear()
    assert game.game["over"]["reason"] == RESIGNATION


@pytest.mark.parametrize("answer", ["draw", "move"])
def test_kr_offers_a_draw(page: Page, answer: str) -> None:
    game = noted(page, TWO_KINGS_EACH, 62, 0.0)
    assert game.turn()
    game.move([square + 1 for square in quiet(game.board, random.Random(1)).path])
    assert game.hear("offer")["offer"] == "white"
    assert game.turn()
    assert game.state["offer"]
    if answer == "draw":
        game.say("draw")
        assert game.turn() is False
        assert game.game["over"]["reason"] == AGREEMENT
    else:
        # it has been declined, and is not made again soon
        game.move([square + 1 for square in quiet(game.board, random.Random(1)).path])
        assert game.turn()
        assert not game.state["offer"]
    game.stream.stop()


def test_kr_resigns(page: Page) -> None:
    game = noted(page, ALL_BUT_LOST, 10, -5.0)
    assert game.turn()
    game.move([square + 1 for square in quiet(game.board, random.Random(1)).path])
    assert game.turn() is False
    assert game.game["over"] == {"result": "1-0", "winner": "black", "reason": RESIGNATION}


def test_a_game_goes_on(page: Page) -> None:
    """With the same page after a stream has been stopped, and after a reload from the document that it keeps."""
    game = Game(page, level=2, side="white", ballot="3move 68", clock="5+3")
    game.turn()
    game.move(game.state["moves"][0]["path"])
    game.turn()
    id, before = game.game["id"], game.state
    other = Game(page, game=id)
    other.turn()
    assert (other.state["fen"], other.state["moves"]) == (before["fen"], before["moves"])
    assert before["clocks"][1] - 1 < other.state["clocks"][1] < before["clocks"][1]
    # both hear what one of them says
    other.move(other.state["moves"][0]["path"])
    assert game.hear("move") == other.hear("move")
    game.stream.stop()
    other.stream.stop()
    again = Game(page, game=id)
    again.turn()
    assert again.state["ply"] == before["ply"] + 2
    document = again.game["document"]
    again.stream.stop()
    reloaded = Game(page, game=ID, document=document)
    reloaded.turn()
    assert reloaded.game["settings"] == game.game["settings"]
    assert {**reloaded.game["document"], "headers": 0} == {**document, "headers": 0}
    assert reloaded.game["document"]["headers"] == document["headers"]
    assert reloaded.state["clocks"] == pytest.approx(again.state["clocks"], abs=1)
    reloaded.say("resign")
    assert reloaded.turn() is False
    (whole,) = page.stream("play", {"game": ID, "document": reloaded.game["document"]})
    assert whole["game"]["over"]["reason"] == RESIGNATION


def test_kr_does_not_think_while_nobody_watches(page: Page, request: pytest.FixtureRequest) -> None:
    page.set_clock(0.0)
    request.addfinalizer(lambda: page.set_clock(None))
    game = Game(page, level=7, side="black", clock="5+0")
    game.turn()
    # it hears both before it begins to search
    game.stream.stop({"do": "move", "ply": 0, "path": [11, 15]})
    game.stream.rest()
    page.set_clock(100.0)
    again = Game(page, game=game.game["id"])
    state = again.hear("state")["state"]
    assert (state["thinking"], state["clocks"], state["ply"]) == (True, [300, 300], 1)
    # its own time runs from now on; that of a person runs on
    assert again.hear("move")["move"]["side"] == "white"
    again.turn()
    again.stream.stop()
    page.set_clock(500.0)
    late = Game(page, game=game.game["id"])
    assert late.hear("game")["game"]["over"]["reason"] == OVERTIME


def test_time_away_costs_kr_none(page: Page, request: pytest.FixtureRequest) -> None:
    page.set_clock(0.0)
    request.addfinalizer(lambda: page.set_clock(None))
    headers = {"BlackPlayer": "human", "WhitePlayer": "shipped,level=2,seed=7", "TimeControl": "10s+2s"}
    nodes = [{"parent": None}, {"parent": 0, "text": "11-15", "comments": ["[%clk 0:00:10]"]}]
    document = {"start": Position().fen, "headers": headers, "nodes": nodes}
    game = Game(page, game=ID[:-1] + "9", document=document, time={"ply": 1, "left": 0.5})
    state = game.hear("state")["state"]
    assert (state["thinking"], state["clocks"]) == (True, [12, 12])
    # nor is the time of the person's next move less
    assert game.turn()
    assert game.state["clocks"][0] == 12
    game.stream.stop()


HINT_SHAPE = {
    "text",
    "path",
    "captured",
    "score",
    "plies",
    "line",
    "gain",
    "crowned",
    "other",
    "win",
    "draw",
    "loss",
    "value",
}


def test_a_hint(page: Page) -> None:
    game = Game(page, level=1, side="black", ballot="B:WK31,K32,13:BK1,K2,K10,21", clock="5+3")
    game.turn()
    before = game.state["clocks"][0]
    game.say("hint", ply=0)
    assert game.hear("state")["state"]["advising"]
    hint = game.hear("hint")["hint"]
    assert hint.keys() - {"forced"} == HINT_SHAPE
    assert hint["other"].keys() == HINT_SHAPE - {"other", "win", "draw", "loss"} | {"why"}
    assert hint["win"] + hint["draw"] + hint["loss"] == pytest.approx(1, abs=1e-3)
    assert hint["path"] in [each["path"] for each in game.state["moves"]] or game.state["advising"]
    game.turn()
    # the clock stood still
    assert game.state["clocks"][0] == pytest.approx(before, abs=0.3)
    game.stream.stop()
