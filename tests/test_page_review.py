"""Games judged on the page without a server, against those of kr web: events, marks, table, story and accuracy."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
from page import Page, web_house
from test_annotate import BLUNDER, PDN, SHUFFLED, played, playout
from test_page_openings import in_node
from web_pages import finished

from kr.analysis.analysis import Task, weighed
from kr.analysis.annotation.annotation import TABLE, Annotation, mark
from kr.analysis.annotation.judging import (
    AVOIDED,
    FORCED,
    MARKS,
    ONLY,
    OPENING,
    OVERSIGHT,
    TRAP,
    UNSEARCHED,
    JudgedMove,
    JudgeSettings,
)
from kr.analysis.annotation.story import tell
from kr.engine.result import Info
from kr.errors import KrError
from kr.game.board import Board
from kr.game.outcome import NO_PROGRESS, REPETITION
from kr.game.position import Move, Position, Side
from kr.game.value import Result, Value
from kr.language import sentences
from kr.openings.decks import deck
from kr.page import data
from kr.pdn import Game, Reader, read_game, read_games
from kr.viewer.document import game_document
from kr.web import judging, working
from kr.web.house import House
from kr.web.request import PageRequest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
NODES = 1000
Document = dict[str, Any]


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    house = web_house()
    with pytest.MonkeyPatch.context() as patch:
        # moves that are judged in a moment come together; how many is the clock's affair
        patch.setattr(working, "EVENT_SECONDS", 0.0)
        yield house
    house.close()


def spread(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events with each move by itself."""
    alone: list[dict[str, Any]] = []
    for event in events:
        alone += [{"move": move} for move in event["moves"]] if "moves" in event else [event]
    return alone


def of_page(page: Page, asked: dict[str, Any], now: Document | None = None) -> list[dict[str, Any]]:
    return spread(page.stream("annotate", asked, ({"document": now or asked.get("document")},)))


def of_server(house: House, asked: dict[str, Any], now: Document | None = None) -> list[dict[str, Any]]:
    async def run() -> list[dict[str, Any]]:
        inbox: asyncio.Queue[PageRequest] = asyncio.Queue()
        inbox.put_nowait(PageRequest({"document": now or asked.get("document")}))
        events: list[dict[str, Any]] = []
        try:
            async with aclosing(judging.annotate_game(house, PageRequest(asked), inbox)) as stream:
                async for event in stream:
                    events.append(event)
        except KrError as error:
            events.append({"error": str(error)})
        return events

    told: list[dict[str, Any]] = json.loads(json.dumps(finished(run())))
    return spread(told)


def same(page: Page, house: House, game: Game | Document, now: Document | None = None, **asked: Any) -> dict[str, Any]:
    """The last event, once all are those of kr web."""
    document = game_document(game) if isinstance(game, Game) else game
    asked = {"nodes": NODES, **asked, "document": document}
    events = of_page(page, asked, now)
    assert events == of_server(house, asked, now)
    return events[-1]


def tagged(game: Game, **tags: str) -> Game:
    game.headers.update(tags)
    return game


def kings_about(fen: str, plies: int, seed: int = 1) -> Game:
    """Kings that go to and fro and take nothing."""
    chance, board = random.Random(seed), Board(fen)
    while len(board.moves) < plies:
        quiet = [move for move in board.position.legal_moves() if not move.is_capture]
        safe = [move for move in quiet if not any(each.is_capture for each in board.position.play(move).legal_moves())]
        if safe:
            board.play(chance.choice(safe))
        else:
            board.undo(2)
    return Game({}, board.start, board.moves, "1/2-1/2")


def from_deck(number: int, seed: int) -> Game:
    """A ballot and random moves after it, as a game that was played here."""
    opening, chance = deck("3move", playable_only=False)[number], random.Random(seed)
    board = Board()
    for move in opening.moves.split():
        board.play(move)
    for _ in range(16):
        board.play(chance.choice(board.position.legal_moves()))
    tags = {"Opening": f"{opening.name}: {opening.moves}", "BlackPlayer": "shipped,level=3", "WhitePlayer": "human"}
    return Game(tags, None, board.moves, "1-0")


GAMES: dict[str, Callable[[], Game]] = {
    **{f"random {seed}": lambda seed=seed: playout(seed, 20 + 15 * seed) for seed in range(5)},  # type: ignore[misc]
    "a blunder": lambda: played(BLUNDER),
    "a first move": lambda: played("11-15"),
    "nothing after the ballot": lambda: played("11-15 24-20 8-11"),
    "a person in a ballot": lambda: from_deck(30, 1),
    "a person in a lost ballot": lambda: from_deck(3, 2),
    "not claimed": lambda: played(f"{SHUFFLED} 32-28 23-27", "W:WK19,K23:B12,K28"),
    "not repeated": lambda: played(f"{SHUFFLED} 12-16", "W:WK19,K23:B12,K28"),
    "known values": lambda: played("17-21 12-3 21-25", "B:W12,K18:B8,K17,27"),
    "no progress": lambda: tagged(kings_about("B:WK1,K30:BK5,K32", 84), Termination="no progress"),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_game(page: Page, house: House, name: str) -> None:
    answer = same(page, house, GAMES[name]())
    assert len(answer["table"]) == 3
    assert answer["table"][0] == list(TABLE)


def test_written_games_and_those_that_are_marked_already(page: Page, house: House) -> None:
    games = [*read_games(HERE / "data" / "games.pdn"), *read_games(PDN, errors=[])]
    assert any(len(node.variations) > 1 for game in games for node in game.descendants())
    for game in filter(lambda each: each.moves, games):
        document = same(page, house, game)["document"]
        if "Black" not in game.headers:
            continue
        assert same(page, house, document)["document"] == document
        # a line of kr to which something was added stays, and so does a sign that was there
        for node in document["nodes"]:
            if any("[%kr line" in comment for comment in node["comments"]):
                node["comments"].append("really")
            node["nags"] = [{"?": "$2", "??": "$4"}.get(nag, nag) for nag in node["nags"]]
        same(page, house, document)


def test_scores_of_another_program(page: Page, house: House) -> None:
    game = read_game("1. 11-15 {[%eval 0.02] [%clk 0:05:00]} 23-19 {[%eval 0.1] so} 2. 8-11?! {[%eval -0.2]} 22-17! *")
    assert game is not None
    same(page, house, game)


def test_a_record_that_breaks_off(page: Page, house: House) -> None:
    (game,) = Reader("1. 11-15 23-19 2. 8-11 22-17 3. 1-2 1-0\n", forgiving=True)
    assert same(page, house, game)["story"][0]["say"] == "story.broken_off"


def test_more_nodes(page: Page, house: House) -> None:
    same(page, house, played(BLUNDER), nodes=20_000)


@pytest.mark.parametrize(
    "termination", ["", "resignation", "Time forfeit", "adjudication", "repetition", "no progress", "agreement"]
)
@pytest.mark.parametrize("result", Result)
def test_an_end(page: Page, house: House, result: Result, termination: str) -> None:
    game = played("9-13 22-18 13-17 21x14 10x17 18-14")
    game.result = result
    answer = same(page, house, tagged(game, Termination=termination))
    assert answer["story"]


@pytest.mark.parametrize(
    ("black", "white", "you"),
    [("human", "shipped", "black"), ("shipped", "human", "white"), ("human", "human", None), ("human", "", None),
     ("", "human", None), ("shipped", "weights.h5", None)],
)  # fmt: skip
def test_a_game_against_a_person(page: Page, house: House, black: str, white: str, you: str | None) -> None:
    names = {"Black": " \u00a0A  person\x85 ", "White": "?"}
    tags = {name: value for name, value in {"BlackPlayer": black, "WhitePlayer": white}.items() if value}
    game = tagged(played(BLUNDER), **names, **tags)
    game.result = "1-0"
    assert same(page, house, game)["you"] == you


@pytest.mark.parametrize(
    ("game", "ply", "gone"),
    [
        (played("11-15 23-19 8-11 22-17 11-16 24-20 16x23 27x11 7x16 20x11"), 4, (4, 29)),
        # where values are known
        (played("17-21 12-3 21-25", "B:W12,K18:B8,K17,27"), 1, (27,)),
    ],
)
def test_a_position_that_was_set_up_in_the_game(
    page: Page, house: House, game: Game, ply: int, gone: tuple[int, ...]
) -> None:
    """gone: men that have no part in what follows."""
    document = game_document(game)
    node = document["nodes"][ply]
    left = ~sum(1 << (square - 1) for square in gone)
    black, white, kings, side = [*game.positions()][ply].bits
    node["setup"], node["fen"] = True, Position.from_bits((black & left, white & left, kings, side)).fen
    assert "document" in same(page, house, document)


def test_the_game_may_be_added_to_but_not_changed_meanwhile(page: Page, house: House) -> None:
    asked, now = played(BLUNDER), played(BLUNDER)
    list(now.mainline())[2].comments.append("a remark")
    now.add_variation("9-14").add_variation("24-20").nags.append("!")
    now.headers["Black"] = "Somebody"
    assert same(page, house, asked, game_document(now))["table"][1][0] == "Somebody"
    for other in (played(f"{BLUNDER} 6-9"), played("11-15 24-20"), played("9-14 24-20")):
        answer = same(page, house, asked, game_document(other))
        assert answer == {"error": "the moves of the game have changed meanwhile; analyse it again"}
    broken: list[Any] = [{"start": "B"}, {"start": 3}, 3]
    for bad in broken:
        assert "error" in same(page, house, asked, bad)


SHORT = game_document(played("11-15 24-20 8-11 28-24"))


@pytest.mark.parametrize(
    "asked",
    [
        {}, {"document": None}, {"document": 3}, {"document": []}, {"document": {}}, {"document": {"start": "nothing"}},
        {"document": game_document(played(""))}, {"document": {**SHORT, "more": 1}},
        {"document": {**SHORT, "nodes": [*SHORT["nodes"], {"parent": 4, "path": [1, 2]}]}},
        {"document": game_document(played("1-6 30-26 6-1 26-30 " * 251, "B:WK30:BK1"))},
        *({"document": SHORT, "nodes": nodes} for nodes in (999, 5_000_001, 1000.5, "1000", True, [0])),
        *({"document": SHORT, "seconds": seconds} for seconds in (0, 0.009, 10.5, "1", False)),
    ],
)  # fmt: skip
def test_a_bad_request(page: Page, house: House, asked: dict[str, Any]) -> None:
    (error,) = of_page(page, asked)
    assert [error] == of_server(house, asked)
    assert set(error) == {"error"}


@pytest.mark.parametrize(("seconds", "text"), [(0.01, "10ms"), (0.0125, "12.5ms"), (1e-2 + 0.015, "25ms")])
def test_a_limit_of_time_stands_in_the_tag(page: Page, house: House, seconds: float, text: str) -> None:
    asked = {"document": game_document(played("1-6", "B:W32:B1,2")), "seconds": seconds}
    tags = [told[-1]["document"]["headers"]["Annotator"] for told in (of_page(page, asked), of_server(house, asked))]
    assert tags[0] == tags[1]
    assert f"({text} a position" in tags[0]


def test_a_review_is_stopped_in_the_middle(page: Page, house: House) -> None:
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
    same(page, house, played(BLUNDER))


# --- without searches


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def plain(value: Any) -> Any:
    """A judged move and what it holds as JSON."""
    if isinstance(value, JudgedMove):
        return {camel(each.name): plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Move):
        return {"path": value.path, "captured": value.captured, "whole": value.whole}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def line_from(chance: random.Random, position: Position, plies: int) -> tuple[Move, ...]:
    line: list[Move] = []
    while len(line) < plies and not position.is_over:
        line.append(chance.choice(position.legal_moves()))
        position = position.play(line[-1])
    return tuple(line)


def any_judgement(chance: random.Random, ply: int, position: Position, move: Move) -> JudgedMove:
    """Judgements that no search need have made."""

    def share() -> float:
        return chance.choice([0.0, 0.5, 1.0, 0.125, 0.375, 0.004, chance.random(), chance.random()])

    def value() -> Value | None:
        return chance.choice([None, None, *Value])

    if chance.random() < 0.1:
        return JudgedMove(ply, position.side, move, False, reason=OPENING)
    rule = chance.choice(["", "", "", REPETITION, NO_PROGRESS])
    common: dict[str, Any] = {
        "score": chance.choice([0, chance.randint(-500, 500), chance.randint(-29999, 29999)]), "expected": share(),
        "value": value(), "plies": chance.choice([None, 0, 1, chance.randint(2, 1500)]), "draw": rule,
        "draw_next": "" if rule else chance.choice(["", "", REPETITION, NO_PROGRESS]),
        "occurrence": chance.choice([1, 1, 2, 3, 4, 5, 6]), "confirmed": chance.random() < 0.7,
    }  # fmt: skip
    if chance.random() < 0.1:
        return JudgedMove(ply, position.side, move, False, **common, reason=chance.choice([FORCED, UNSEARCHED]))
    line = line_from(chance, position, chance.randint(1, 15)) if chance.random() < 0.7 else ()
    return JudgedMove(
        ply, position.side, move, True, **common, best=line[0] if line else move, best_score=chance.randint(-500, 500),
        best_expected=share(), best_value=value(), line=line, others_expected=share(), loss=share(),
        mark=chance.choice(["", *MARKS, ONLY]), obvious=chance.random() < 0.2, likely=share(),
        likeliest=chance.choice(position.legal_moves()), likeliest_probability=share(),
        slip=chance.choice(["", TRAP, OVERSIGHT, AVOIDED]),
    )  # fmt: skip


def any_game(seed: int) -> tuple[Game, tuple[JudgedMove, ...]]:
    chance = random.Random(seed)
    game = playout(seed, chance.choice([1, 2, 7, 30, 90]))
    game.result = chance.choice([*Result])
    terms = ["", "Time forfeit", "by DEFAULT", "repetition", "no progress"]
    game.headers.update(Termination=chance.choice(terms), Annotator=chance.choice(["", "A; kr 0.1 (x)", "kr 2", "B"]))
    # a game whose moves give little away has another story
    quiet = chance.random() < 0.3
    moves = []
    for ply, (position, move) in enumerate(zip(game.positions(), game.moves, strict=False)):
        one = any_judgement(chance, ply, position, move)
        if quiet and one.judged:
            one = JudgedMove(
                ply, one.side, move, True, 5, 0.2 + chance.random() / 2, best=move, best_score=5, best_expected=0.6,
                others_expected=0.5, loss=chance.choice([0, 0.1]), confirmed=True,
            )  # fmt: skip
        moves.append(one)
    return game, tuple(moves)


def test_any_judgements_make_the_same_marks_and_story() -> None:
    cases = [any_game(seed) for seed in range(100)]
    sent = [{"document": game_document(game), "moves": plain(moves)} for game, moves in cases]
    found = in_node(
        """
        const [{Move}, {gameDocument, readDocument}, {tell}, {accuracies, mark, tableOf}, {speak}] = await Promise.all(
          ["rules", "document", "review/story", "review/annotation", "../../../viewer/static/texts"].map(load));
        speak("en", {}, given.sentences);
        const move = given => given && new Move(given.path, given.captured, given.whole);
        return given.cases.map(({document, moves}) => {
          const game = readDocument(document), {facts} = given;
          moves = moves.map(each => ({...each, move: move(each.move), best: move(each.best), line: each.line.map(move),
            likeliest: move(each.likeliest)}));
          const stories = [null, 0, 1].map(you => tell(game, moves, facts, you));
          mark(game, moves, stories[0], "kr test");
          const table = tableOf(moves, game.headers);
          return {stories, document: gameDocument(game), table, accuracy: accuracies(moves)};
        });
        """,
        {"cases": sent, "facts": data.annotation()["story"], "sentences": sentences.texts("en")},
    )
    for (game, moves), mine in zip(cases, found, strict=True):
        stories = [[each.as_object() for each in tell(game, moves, you)] for you in (None, Side.BLACK, Side.WHITE)]
        assert mine["stories"] == stories
        annotation = Annotation(moves, JudgeSettings(), tell(game, moves))
        assert mine["table"] == [list(TABLE), *annotation.table(game.headers)]
        accuracy = [annotation.of(side).accuracy for side in Side]
        assert mine["accuracy"] == [None if each is None else pytest.approx(each) for each in accuracy]
        mark(game, annotation, "kr test", 12)
        assert mine["document"] == json.loads(json.dumps(game_document(game)))


def test_a_line_is_weighed_by_its_value_and_the_history_of_the_game() -> None:
    chance = random.Random(5)
    sent, meant = [], []
    for seed in range(12):
        game = kings_about("B:WK1,K30:BK5,K32", 79, seed) if seed % 3 else played(SHUFFLED, "W:WK19,K23:B12,K28")
        positions = list(game.positions())
        for ply in range(len(positions) - 6 if seed % 3 else 0, len(positions)):
            task = Task(positions[ply], tuple(positions[:ply]))
            for move in task.position.legal_moves():
                score = chance.choice([0, 40, -300, 28000, 28001, -28500, 29001, -29960, 29970])
                value = chance.choice([None, *Value])
                plies = None if value is None else chance.choice([None, 3, 60])
                worth = weighed(Info(9, score, 1, 0.0, (move,)), task, value, plies)
                meant.append(asdict(worth))
                sent.append({"fens": [each.fen for each in positions[: ply + 1]], "move": plain(move), "score": score,
                             "value": value, "plies": plies})  # fmt: skip
    found = in_node(
        """
        const [{Move, Position}, {weighed}] = await Promise.all(["rules", "weighing"].map(load));
        return given.map(({fens, move, score, value, plies}) => {
          const history = fens.map(fen => Position.fromFen(fen)), position = history.pop();
          return weighed({score, moves: [new Move(move.path, move.captured)]}, {position, history}, value, plies);
        });
        """,
        sent,
    )
    assert found == meant
    assert {each["draw"] for each in meant} == {"", REPETITION, NO_PROGRESS}
    assert None in {each["certain"] for each in meant if each["value"] == Value.WIN}


def test_numbers_are_written_as_python_has_them() -> None:
    chance = random.Random(2)
    numbers = [0.0, 0.5, 1.5, 2.5, 0.125, 0.375, 0.625, 0.0625, 0.005, 1.005, 99.95, 1 / 3, -0.125, -2.5, 12.345, 100.0]
    numbers += [chance.randint(-4000, 4000) / 2 ** chance.randint(0, 12) for _ in range(500)]
    numbers += [chance.uniform(-1, 1) for _ in range(500)]
    found = in_node(
        """
        const {fixed, rounded} = await load("review/figures");
        return given.map(number => [[0, 1, 2, 3, 6].map(digits => fixed(number, digits)), rounded(number, 2)]);
        """,
        numbers,
    )
    for number, (texts, near) in zip(numbers, found, strict=True):
        assert texts == [f"{number:.{digits}f}" for digits in (0, 1, 2, 3, 6)]
        assert near == round(number, 2)
