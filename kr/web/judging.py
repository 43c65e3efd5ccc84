"""Whole games judged live: each move as it is known, from the last to the first, then the marked game."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from anyio.to_thread import run_sync

from kr.analysis.annotation.annotation import TABLE, Annotation, mark, signature
from kr.analysis.annotation.judging import JudgedMove, JudgeSettings, judge_moves
from kr.analysis.annotation.marking import MARK_KINDS, pov
from kr.analysis.annotation.policy import with_policy
from kr.analysis.annotation.story import tell
from kr.engine.limits import Limits
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Side
from kr.openings.decks import opening_plies
from kr.pdn import Game
from kr.play.setup import HUMAN, SPEC_TAGS
from kr.viewer.document import game_document, read_document
from kr.viewer.positions import side_name
from kr.web.house import House
from kr.web.live import Inbox, viewer
from kr.web.request import PageRequest
from kr.web.working import Working

MOST_PLIES = 1000
"""Moves of a game that is judged."""
NODES = 1000, 5_000_000
"""Least and most nodes of a search."""
SECONDS = 0.01, 10.0
"""Least and most time of a search."""
LINE_PLIES = 12
"""Most plies of a better line."""
DOCUMENT_SECONDS = 20.0
"""Time in which the page sends its game for the marks."""


async def annotate_game(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[dict[str, Any], None]:
    """Judge a game.

    Request: `document`; `nodes` or `seconds` of each search. Events: `total`, the number of moves; `waits` if others
    must end their searches first; `moves`, those judged since the last event, each with `ply` (of the position after
    it), `expected` (of Black), `kind` of mark, `reason` and `once` (seen by one search only); `judged` when all are.
    Then the page sends its `document`, to which comments and variations may have been added meanwhile, and receives
    it with the marks, the players' `table`, the `story` as sentences ({"text", "values"}) about `you`, the side of the
    person who played the game here, if one did, and the `accuracy` of Black and White (null if no move mattered).
    """
    game = await run_sync(read_document, request.object("document").fields)
    if not game.moves:
        raise InvalidSettingError("the game has no moves to judge")
    if len(game.moves) > MOST_PLIES:
        raise InvalidSettingError(f"a game of {len(game.moves)} moves; at most {MOST_PLIES} are judged")
    settings = JudgeSettings(tc=_limits(request), from_ply=_first_ply(game))
    yield {"total": len(game.moves)}
    with house.engines.own.ask(viewer.get()) as loan:
        if loan.waits:
            yield {"waits": True}
        engine = await loan.arrival()
        work = Working[JudgedMove, tuple[JudgedMove, ...]](
            "judging", lambda on_move, stop: judge_moves(game, engine, settings, stop, on_move, house.proofs)
        )
        try:
            async for moves in work.batches():
                yield {"moves": [_event(judged) for judged in moves]}
        finally:
            await work.end()
        by = signature(engine, settings.tc)
    annotation = await run_sync(_annotation, house, game, work.result(), settings)
    yield {"judged": True}
    now = await _current(game, inbox)
    yield await run_sync(_marked, now, annotation, by)


def _annotation(house: House, game: Game, moves: tuple[JudgedMove, ...], settings: JudgeSettings) -> Annotation:
    judged = with_policy(game, moves, house.policy, settings)
    return Annotation(judged, settings, tell(game, judged))


def _marked(game: Game, annotation: Annotation, by: str) -> dict[str, Any]:
    mark(game, annotation, by, LINE_PLIES)
    you = _person(game)
    figures = [annotation.of(side).accuracy for side in Side]
    return {
        "document": game_document(game),
        "table": [list(TABLE), *annotation.table(game.headers)],
        "story": [sentence.as_object() for sentence in tell(game, annotation.moves, you)],
        "accuracy": [None if figure is None else round(figure, 1) for figure in figures],
        "you": None if you is None else side_name(you),
    }


def _first_ply(game: Game) -> int | None:
    """First ply that is judged: in a game that was played here, the first that no ballot chose; elsewhere nobody knows,
    and the judge's own rule holds (None)."""
    return opening_plies(game) if any(tag in game.headers for tag in SPEC_TAGS) else None


def _person(game: Game) -> Side | None:
    """Side of the person in a game against kr; None for other games."""
    people = [side for side in Side if game.headers.get(SPEC_TAGS[side]) == HUMAN]
    return people[0] if len(people) == 1 and game.headers.get(SPEC_TAGS[people[0].other]) else None


def _limits(request: PageRequest) -> Limits:
    if request.has("seconds"):
        return Limits(time=request.fraction("seconds", *SECONDS))
    return Limits(nodes=request.number("nodes", *NODES, default=200_000))


def _event(judged: JudgedMove) -> dict[str, Any]:
    return {
        "ply": judged.ply + 1,
        "expected": None if judged.expected is None else round(pov(judged.side, judged.expected), 2),
        "kind": MARK_KINDS.get(judged.mark, ""),
        "reason": judged.reason,
        "once": judged.expected is not None and not judged.confirmed,
    }


async def _current(game: Game, inbox: Inbox) -> Game:
    """The game as the page has it now."""
    try:
        async with asyncio.timeout(DOCUMENT_SECONDS):
            message = await inbox.get()
    except TimeoutError:
        raise InvalidSettingError("the page did not send its game for the marks") from None
    now = await run_sync(read_document, message.object("document").fields)
    if list(now.stretches()) != list(game.stretches()):
        raise InvalidPdnError("the moves of the game have changed meanwhile; analyse it again")
    return now


ROUTES: dict[str, Callable[[House, PageRequest], Any]] = {}
LIVE = {"annotate": annotate_game}
