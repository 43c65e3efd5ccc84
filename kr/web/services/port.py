"""The engine, database and book of the server, for the answers of the page, which run in the browser
(kr/page/static/answers/native).

Searches are a stream, one after another with one engine:

    {"do": "search", "engine": 0, "generation": null, "small": false, "background": false, "database": true,
     "more": false, "searches": [
      {"positions": [[black, white, kings, side], ...], "limits": {"seconds", "left", "increment", "moves", "nodes",
       "depth", "within"}, "lines": 3, "fresh": false, "watched": true}, ...]}

engine: its number, 0 for kr; generation: that of a player that evolved, in place of an engine; small: with one of the
small engines of the levels below full strength; background: with one that gives way to all others; database: whether
that looks positions up. positions: of the game so
far, the one to search last, as bitboards and side to move. left, increment and moves are those of the mover's clock.
fresh: the engine forgets what it knows first. Events: {"waiting": true} if others have to end first, {"turn": true};
of each search, if it is watched, at most UPDATES a second and always the newest {"depth", "lines": [{"depth", "score",
"moves"}, ...], "nodes", "seconds", "value", "name", "hash"}, and after BEAT_SECONDS without news {"progress": {"depth",
"nodes", "seconds"}}, of other engines with its seconds alone; at its end the same, perhaps without lines, with "final":
true. Moves are {"path", "captured", "whole"}.

With "more" the page keeps the engine and says {"searches": [...]}, until it stops the stream. Without, one that says
{"stop": true} gets the end at once.

port/database {} -> {"database": {"pieces", "classes", "distancePieces"}}, or null without one
port/look {"positions"} -> {"known": [{"value", "distance"}, ...]}, null for what is not known
port/draw {"men", "kings", "otherMen", "otherKings", "value", "count", "seed"} -> {"positions"} with a value, of so many
    random ones of a shape, with Black to move and no capture
port/proofs {"positions"} -> {"proofs": whether there are certificates, "known": [{"value", "excludes",
    "certificates"}, ...]}
port/book {"positions"} -> {"book": whether there is one, "moves": of each position those that it knows}
port/facts {"positions": [position], "played": [...], "better": [...]} -> {"facts": [{"kind", "better", "plies",
    "count", "given", "taken", "square", "origin"}, ...]}, why the first of two lines, moves as text, is worse
port/people {"positions", "group"} -> {"moves": [{"move", "probability"}, ...]} of the last position
port/mistakes {"positions"} -> {"move"} by which a known draw is played for people's mistakes, null elsewhere; of the
    last position, after those of the game
port/evaluate {"positions": [position]} -> the parts of its static score
port/scores {"positions"} -> {"scores": [...]}, their static scores
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import anyio.to_thread

from kr.analysis.annotation.coach import line_facts
from kr.book.book import OpeningBook
from kr.egdb.database import Database
from kr.egdb.sample import positions_with_value
from kr.egdb.slices import EGDB_MAX_PIECES
from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import MOST_LIMITS, MOST_WITHIN, Limits
from kr.engine.result import Info, SearchOutcome, SearchResult
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import load_scorer
from kr.game.board import Board
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.language.sentences import Told, count_of, sentence
from kr.page import data
from kr.policy.shape import PolicyShape
from kr.proofs.known import NOTHING_KNOWN
from kr.units import LONGEST_TIME
from kr.web.house import House
from kr.web.live import Inbox, viewer
from kr.web.request import LONGEST_LINE, PageRequest
from kr.web.services.engines import Lender, Loan, shipped_generations
from kr.web.services.searching import Question, RunningSearch, begin_search

UPDATES = 20
"""Events a second of one search."""
BEAT_SECONDS = 0.5
"""Time without news after which a page gets the progress."""
MOST_LOOKED_UP = 2000
"""Positions of one request, but for those of a search, of which there are LONGEST_LINE before the last."""
MOST_RANDOM, MOST_WITH_VALUE = 1 << 17, 300
"""Random positions of one request, and those with the wanted value that are sent."""
MOST_TOGETHER = 20
"""Searches of one message: twenty in the longest game that is reviewed have less than MOST_MESSAGE."""
MOST_OF_POLICY = 3
"""Positions that the policy of what people play takes: two before the last."""
LONGEST_PV = 64
"""Moves of a line that are sent."""
MOST_WHOLE = 1 << 53
"""A seed, a generation: greater numbers of JavaScript are not all whole."""


def questions_of(request: PageRequest, background: bool = False) -> deque[Question]:
    """The searches of a message. Raises KrError."""
    return deque(_question(each, background) for each in request.objects("searches", MOST_TOGETHER))


def _question(request: PageRequest, background: bool) -> Question:
    *history, position = request.positions("positions", LONGEST_LINE + 1)
    return Question(
        position,
        tuple(history),
        _limits(request.object("limits")),
        request.number("lines", 1, MAX_LINES, 1),
        fresh=request.flag("fresh"),
        watched=request.flag("watched", True),
        background=background,
    )


def _limits(request: PageRequest) -> Limits:
    def seconds(name: str, least: float) -> float | None:
        return request.fraction(name, least, LONGEST_TIME) if request.has(name) else None

    def number(name: str, least: int, most: float) -> int | None:
        return request.number(name, least, int(most)) if request.has(name) else None

    return Limits(
        time=seconds("seconds", 1e-3),
        left=seconds("left", -LONGEST_TIME),
        inc=seconds("increment", 0.0) or 0.0,
        moves=number("moves", 1, MOST_LIMITS["depth"]),
        nodes=number("nodes", 1, MOST_LIMITS["nodes"]),
        depth=number("depth", 1, MOST_LIMITS["depth"]),
        within=number("within", 0, MOST_WITHIN),
    )


async def search(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[Mapping[str, Any], None]:
    """Search positions one after another, and report the lines as they change."""
    more, background = request.flag("more"), request.flag("background")
    questions = questions_of(request, background)
    loan = (await _lender(house, request)).ask(viewer.get())
    running: RunningSearch | None = None
    stopping = None if more else asyncio.create_task(inbox.get())
    try:
        if loan.waits:
            yield {"waiting": True}
        tool = await _arrival(loan, stopping)
        if tool is None:
            return
        yield {"turn": True}
        if stopping is not None:
            stopping.add_done_callback(lambda _: running.stop() if running else None)
        while questions or more:
            if not questions:
                questions = questions_of(await inbox.get(), background)
                continue
            question = questions.popleft()
            if question.fresh and isinstance(tool, Engine):
                await anyio.to_thread.run_sync(tool.new_game)
            if stopping is not None and stopping.done():
                return
            running = begin_search(question, loan, tool)
            async with aclosing(_events(running, question)) as events:
                async for event in events:
                    yield event
    finally:
        if stopping is not None:
            stopping.cancel()
        if running is None:
            loan.end()
        else:
            running.stop()


async def _lender(house: House, request: PageRequest) -> Lender[Any]:
    """The lender of the engine that a page has chosen."""
    number = request.number("engine", 0, len(house.engines.names) - 1, 0)
    if request.has("generation"):
        generation = request.number("generation", 0, MOST_WHOLE)
        return await anyio.to_thread.run_sync(house.engines.champion, generation)
    if request.flag("small"):
        return house.engines.small(request.flag("database", True))
    return house.engines.background if request.flag("background") else house.engines.lender(number)


async def _arrival(loan: Loan[Any], stopping: asyncio.Task[Any] | None) -> Any:
    """The engine of a loan; None if the search is stopped before that comes."""
    arriving = asyncio.create_task(loan.arrival())
    try:
        await asyncio.wait((arriving, stopping) if stopping else (arriving,), return_when=asyncio.FIRST_COMPLETED)
        return arriving.result() if arriving.done() else None
    finally:
        arriving.cancel()


async def _events(running: RunningSearch, question: Question) -> AsyncGenerator[dict[str, Any], None]:
    """What is told of a search until its end."""
    while True:
        try:
            # asyncio.wait_for would lose the end of the stream, with Python 3.11, if news come at the same moment
            async with asyncio.timeout(BEAT_SECONDS if question.watched else None):
                await running.news.wait()
        except TimeoutError:
            if progress := running.progress():
                yield {"progress": progress}
            continue
        running.news.clear()
        at = time.monotonic()
        outcome, lines = running.outcome, running.lines()
        if isinstance(outcome, BaseException):
            raise outcome
        if outcome is not None and not lines:
            yield {"final": True}
        elif outcome is not None or (lines and question.watched):
            yield {**_report(lines, outcome), "name": running.name, "hash": running.hash_mb}
        if outcome is not None:
            return
        if question.watched:
            await asyncio.sleep(max(0.0, at + 1 / UPDATES - time.monotonic()))


def _report(lines: list[Info], outcome: SearchOutcome | None) -> dict[str, Any]:
    """What a search has found, as JSON."""
    best = lines[0]
    result = outcome if isinstance(outcome, SearchResult) else None
    return {
        "depth": best.depth,
        "lines": [
            {"depth": each.depth, "score": each.score, "moves": [*map(_move, each.pv[:LONGEST_PV])]} for each in lines
        ],
        "nodes": best.nodes if result is None else result.nodes,
        "seconds": round(best.time if result is None else result.time, 6),
        "value": result and result.value,
        "final": outcome is not None,
    }


def _move(move: Move) -> dict[str, Any]:
    return {"path": move.path, "captured": move.captured, "whole": move.whole}


def data_file(house: House, name: str) -> Any:
    """A file of `kr.page.data`; of the engine, its levels and the puzzles as this server has them."""
    if name == "engine":
        # tables that no engine holds would be read once more for the first search
        house.engines.prepare()
        facts = data.engine_facts(load_scorer(house.settings.weights))
        engines = house.engines
        faults = {str(number): fault for number, fault in engines.faults.items()}
        return {**facts, "engines": engines.names[1:], "faults": faults}
    if name == "puzzles":
        return data.puzzles(house.problems, house.database)
    if name == "levels":
        return {**data.made(name), "generations": shipped_generations()}
    return data.made(name)


def database(house: House, request: PageRequest) -> dict[str, Any]:
    """Which positions the endgame database has."""
    served = house.database
    return {
        "database": served
        and {"pieces": served.pieces, "classes": served.classes, "distancePieces": served.distance_pieces}
    }


def look(house: House, request: PageRequest) -> dict[str, Any]:
    """Values of positions, and plies to their ends."""
    served = _database(house)
    positions = request.positions("positions", MOST_LOOKED_UP)
    return {"known": [{"value": served.value(each), "distance": served.distance(each)} for each in positions]}


def draw_from_shape(house: House, request: PageRequest) -> dict[str, Any]:
    """Random positions of a shape that have a value."""
    served = _database(house)
    men, kings, other_men, other_kings = (
        request.number(name, 0, EGDB_MAX_PIECES) for name in ("men", "kings", "otherMen", "otherKings")
    )
    own, other = men + kings, other_men + other_kings
    if not (own and other and served.has_class((own, other))):
        reach: list[Told] = [count_of("pieces", served.pieces), *served.classes]
        raise InvalidSettingError(sentence("refused.no_class", own=own, rival=other, reach=reach))
    value = Value(request.choice("value", tuple(Value)))
    count, seed = request.number("count", 1, MOST_RANDOM), request.number("seed", 0, MOST_WHOLE)
    positions = positions_with_value(served, (men, kings, other_men, other_kings), value, count, seed)
    return {"positions": [each.bits for each in positions[:MOST_WITH_VALUE]]}


def _database(house: House) -> Database:
    if house.database is None:
        raise InvalidSettingError(sentence("refused.no_database"))
    return house.database


def proofs(house: House, request: PageRequest) -> dict[str, Any]:
    """What the certificates of --proofs say of positions: a value or half of one, and which they are."""
    library = house.proofs
    positions = request.positions("positions", MOST_LOOKED_UP, ())
    values = [library.look_up(each) for each in positions] if library else [NOTHING_KNOWN for _ in positions]
    return {
        "proofs": library is not None,
        "known": [
            {"value": each.value, "excludes": each.excludes, "certificates": each.certificates} for each in values
        ],
    }


def book(house: House, request: PageRequest) -> dict[str, Any]:
    """What the opening book knows."""
    opened = house.book
    positions = request.positions("positions", MOST_LOOKED_UP, ())
    return {"book": opened is not None, "moves": [_known(opened, each) if opened else [] for each in positions]}


def _known(book: OpeningBook, position: Position) -> list[dict[str, Any]]:
    """The moves of a position that a book knows."""
    cooked = book.cook(position)
    return [
        {
            "move": _move(each.move), "value": each.value, "depth": each.depth, "weight": each.weight,
            "cooked": each == cooked,
        }
        for each in book.moves(position)
    ]  # fmt: skip


def moves_of_people(house: House, request: PageRequest) -> dict[str, Any]:
    """The moves of a position as people play them."""
    *before, position = request.positions("positions", MOST_OF_POLICY)
    policy = house.policy
    group = request.number("group", -1, len(policy.shape.strengths or ()), -1)
    strength = mean_loss(policy.shape, group) if policy.shape.strengths and group >= 0 else None
    choices = policy.choices(position, before, strength=strength)
    return {"moves": [{"move": _move(each.move), "probability": float(each.probability)} for each in choices]}


def move_for_mistakes(house: House, request: PageRequest) -> dict[str, Any]:
    """The move by which a known draw is played for people's mistakes."""
    *history, position = request.positions("positions", LONGEST_LINE + 1)
    practical = house.practical
    best = None if practical is None else practical.best(position, history)
    return {"move": None if best is None else _move(best.move)}


def mean_loss(shape: PolicyShape, group: int) -> float:
    """A mean loss in a group of players of a policy, 0 for the strongest."""
    edges = shape.strengths
    if group == 0:
        return edges[0] / 2
    return edges[-1] * 1.5 if group == len(edges) else (edges[group - 1] + edges[group]) / 2


def evaluate(house: House, request: PageRequest) -> dict[str, Any]:
    """The parts of a static score, in centi-men of the side to move; squares of regions as sets."""
    (position,) = request.positions("positions", 1)
    explanation = house.evaluation.explain(position)
    shares = [0.0] * 32
    worths = [0] * 32
    for square, share in explanation.shares.items():
        shares[square] = share
    for piece in explanation.pieces:
        worths[piece.square] = piece.worth
    return {
        "score": explanation.score,
        "material": explanation.material,
        "turn": explanation.move,
        "empty": explanation.empty,
        "shares": shares,
        "worths": worths,
        "regions": [
            {
                "squares": sum(1 << square for square in region.squares),
                "score": region.score,
                "own": region.own,
                "seen": region.seen,
            }
            for region in explanation.regions
        ],
        "evidence": explanation.evidence and explanation.evidence.as_object(),
    }


def scores(house: House, request: PageRequest) -> dict[str, Any]:
    """Static scores, in centi-men of the side to move."""
    return {"scores": [house.evaluation.score(each) for each in request.positions("positions", MOST_LOOKED_UP)]}


def facts_of_lines(house: House, request: PageRequest) -> dict[str, Any]:
    """Why the first of two lines from a position is worse than the other."""
    (position,) = request.positions("positions", 1)
    played, better = (_line(position, request.texts(name, LONGEST_PV)) for name in ("played", "better"))
    names = "kind", "better", "plies", "count", "given", "taken", "square", "origin"
    found = line_facts(position, played, better, house.database)
    return {"facts": [dict(zip(names, each, strict=True)) for each in found]}


def _line(position: Position, texts: Sequence[str]) -> list[Move]:
    board = Board(position)
    return [board.play(text) for text in texts]


ROUTES: dict[str, Any] = {
    "port/facts": facts_of_lines,
    "port/database": database,
    "port/look": look,
    "port/draw": draw_from_shape,
    "port/proofs": proofs,
    "port/book": book,
    "port/people": moves_of_people,
    "port/mistakes": move_for_mistakes,
    "port/evaluate": evaluate,
    "port/scores": scores,
}
LIVE: dict[str, Any] = {"search": search}
