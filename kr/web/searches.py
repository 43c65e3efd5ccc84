"""Analysis while a page watches: one stream is one search of one position.

    {"do": "analysis", "start": FEN, "moves": ["11-15", ...], "engine": 0, "lines": 3, "limit": "", "threat": false,
     "within": 0}

With "within" kr shows all moves that are worse than the best by no more centi-men, however many "lines" there are.
The first event has the exact values: {"exact": {"value", "plies", "moves": [{move, "value", "plies"}, ...]}}, or null
where neither a database nor a certificate of --proofs reaches; "by" names a certificate, "bound" is half of a
value, such as "does not lose". And "draw", the rule by which the game can be claimed drawn by its history, left out if
there is none. Then, at most UPDATES a second and always the newest, for each line {"score", "value",
"plies", "draw", "chances", "pv"}, where a pv that is the same as in the event before is left out. Scores,
values and chances are those of the side to move; "value" and "plies" are those of the first move without the history,
score and chances those of the game (`kr.analysis.analysis.weighed`). The last event of a search that was not stopped
has "final": true. After BEAT_SECONDS without news, {"progress": {"depth", "nodes", "nps", "time"}} shows how far the
search is; for another program's engine, which reports that itself, only its time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

import anyio.to_thread

from kr.analysis.analysis import Task, Worth, weighed
from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import MOST_WITHIN, Limits
from kr.engine.result import Info
from kr.errors import InvalidSettingError
from kr.game.board import draw_by_rule
from kr.game.position import Move, Position
from kr.notation import SIDE_NAMES
from kr.proofs.library import CERTIFICATE_WORD, NOTHING_KNOWN, KnownValue, known_value
from kr.viewer.positions import move_json, over, side_name
from kr.web.house import House
from kr.web.live import Inbox, viewer
from kr.web.request import PageRequest
from kr.web.searching import BEAT_SECONDS, UPDATES, ChancesOf, HubSearch, OwnSearch, Question

MOST_LINES_SHOWN = min(10, MAX_LINES)
LONGEST_PV = 24
"""Moves of a line that are sent."""


def question_of(house: House, request: PageRequest) -> Question:
    """Read the fields of a request. Raises KrError."""
    board = request.board()
    limit, within = request.text("limit", 100, ""), request.number("within", 0, MOST_WITHIN, 0)
    position, history = board.position, board.history
    if request.flag("threat"):
        position, history = replace(position, side=position.side.other), ()
        if position.is_over:
            raise InvalidSettingError(f"no threat: {SIDE_NAMES[position.side]} could not move")
    return Question(
        position,
        tuple(history),
        replace(Limits.parse(limit) if limit else Limits(), within=within or None),
        request.number("lines", 1, MOST_LINES_SHOWN, 1),
        request.number("engine", 0, len(house.engines.names) - 1, 0),
    )


async def analysis(house: House, request: PageRequest, inbox: Inbox) -> AsyncIterator[dict[str, Any]]:
    """Search a position and report its lines as they change, until a limit or the end of the stream."""
    async with aclosing(answers(house, question_of(house, request))) as events:
        async for event in events:
            yield event


async def answers(house: House, question: Question) -> AsyncGenerator[dict[str, Any], None]:
    """The events of an analysis."""
    if question.position.is_over:
        yield {"over": over(question.position)}
        return
    loan = house.engines.lender(question.engine).ask(viewer.get())
    begun: OwnSearch | HubSearch | None = None
    try:
        exact = await anyio.to_thread.run_sync(_exact, house, question.position)
        most = max(question.lines, MOST_LINES_SHOWN)
        report = LineReport(Task(question.position, question.history), exact, most)
        draw = draw_by_rule(question.position, question.history)
        yield {"exact": report.exact, **({"draw": draw} if draw else {})}
        if loan.waits:
            yield {"waiting": True}
        tool = await loan.arrival()
        begun = OwnSearch(question, loan, tool) if isinstance(tool, Engine) else HubSearch(question, loan, tool)
        while True:
            try:
                # asyncio.wait_for would lose the end of the stream, with Python 3.11, if news come at the same moment
                async with asyncio.timeout(BEAT_SECONDS):
                    await begun.news.wait()
            except TimeoutError:
                if progress := begun.progress():
                    seconds = progress.pop("seconds")
                    time_only = {"time": round(seconds, 3)}
                    yield {
                        "progress": {**progress, **_pace(progress["nodes"], seconds)}
                        if "nodes" in progress
                        else time_only
                    }
                continue
            begun.news.clear()
            at = time.monotonic()
            outcome, lines = begun.outcome, begun.lines()
            if isinstance(outcome, BaseException):
                raise outcome
            if lines:
                event = report.event(lines, begun.chances)
                yield {**event, "engine": begun.name, "hash": begun.hash_mb, "final": outcome is not None}
            if outcome is not None:
                return
            await asyncio.sleep(max(0.0, at + 1 / UPDATES - time.monotonic()))
    finally:
        if begun is None:
            loan.end()
        else:
            begun.stop()


class LineReport:
    """Lines of a position as its page has them, so that nothing is computed or sent twice; at most `most` of them."""

    def __init__(self, task: Task, exact: ExactValues | None, most: int) -> None:
        self._task, self._position, self._most = task, task.position, most
        position = task.position
        self._steps: dict[tuple[Position, Move], tuple[Position, dict[str, Any]]] = {}
        self._sent: list[tuple[Move, ...]] = []
        self._exact_moves: dict[str, KnownValue] = {}
        self.exact: dict[str, Any] | None = None
        """Known values as JSON."""
        if exact is not None:
            self._exact_moves = {str(move): known for move, known in exact.moves}
            here = exact.position
            self.exact = {
                "value": here.value,
                "plies": here.plies,
                **_certified(here),
                **({"bound": here.bound} if here.bound else {}),
                "moves": [
                    {**self._step(position, move)[1], "value": known.value, "plies": known.plies, **_certified(known)}
                    for move, known in exact.moves
                ],
            }

    def event(self, lines: Sequence[Info], chances: ChancesOf) -> dict[str, Any]:
        """Lines as JSON, best first."""
        shown, sent = [], []
        for rank, info in enumerate(lines[: self._most]):
            worth = self._worth(info)
            line: dict[str, Any] = {
                "score": worth.score, "value": worth.value, "plies": worth.plies, "draw": worth.draw,
                "depth": info.depth,
            }  # fmt: skip
            odds = chances(worth.score, worth.certain)
            line["chances"] = None if odds is None else [round(each, 4) for each in odds]
            if self._sent[rank : rank + 1] != [info.pv]:
                line["pv"] = self._pv(info.pv[:LONGEST_PV])
            shown.append(line)
            sent.append(info.pv)
        self._sent = sent
        best = lines[0]
        return {
            "side": side_name(self._position.side),
            "lines": shown,
            "depth": best.depth,
            **_pace(best.nodes, best.time),
        }

    def _worth(self, info: Info) -> Worth:
        known = self._exact_moves.get(str(info.pv[0]))
        value, plies = (None, None) if known is None else (known.value, known.plies)
        return weighed(info, self._task, value, plies)

    def _pv(self, moves: Sequence[Move]) -> list[dict[str, Any]]:
        position, steps = self._position, []
        for move in moves:
            position, step = self._step(position, move)
            steps.append(step)
        return steps

    def _step(self, position: Position, move: Move) -> tuple[Position, dict[str, Any]]:
        step = self._steps.get((position, move))
        if step is None:
            after = position.play(move)
            step = self._steps[position, move] = after, {**move_json(move), "fen": after.fen}
        return step


def _pace(nodes: int, seconds: float) -> dict[str, Any]:
    return {"nodes": nodes, "nps": round(nodes / seconds) if seconds > 0 else 0, "time": round(seconds, 3)}


@dataclass(frozen=True)
class ExactValues:
    """What is known for certain of a position and of its moves."""

    position: KnownValue
    moves: tuple[tuple[Move, KnownValue], ...]
    """Moves whose value is known, best first, for the side that plays them."""


def _exact(house: House, position: Position) -> ExactValues | None:
    """Values of a position and of its moves, as far as the database and certificates know; None for nothing."""
    database, proofs = house.database, house.proofs
    if database is None and proofs is None:
        return None
    after = ((move, known_value(position.play(move), database, proofs)) for move in position.legal_moves())
    moves = [(move, known.one_move_earlier()) for move, known in after if known.value is not None]
    # quick wins first, slow losses first
    moves.sort(key=lambda each: (-each[1].least.sign, each[1].least.sign * (each[1].plies or 0)))
    here = known_value(position, database, proofs)
    return ExactValues(here, tuple(moves)) if moves or here is not NOTHING_KNOWN else None


def _certified(known: KnownValue) -> dict[str, str]:
    """The certificate that a value rests on, as JSON; nothing for the database."""
    return {"by": known.by} if known.by.startswith(CERTIFICATE_WORD) else {}


def list_engines(house: House, request: PageRequest) -> dict[str, Any]:
    """The engines by number, and the most lines of one."""
    return {"engines": house.engines.names, "lines": MOST_LINES_SHOWN}


ROUTES: dict[str, Any] = {"engines": list_engines}
LIVE: dict[str, Any] = {"analysis": analysis}
