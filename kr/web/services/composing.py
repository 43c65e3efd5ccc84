"""Problems under construction: whether a position is sound, and its variations, live for the editor of positions."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from anyio.to_thread import run_sync

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.language.sentences import sentence
from kr.problems.changes import MOST_CHANGES
from kr.problems.problem import Problem
from kr.problems.soundness import Soundness, check_by
from kr.problems.variations import (
    EITHER,
    Candidate,
    VariationRecord,
    candidates,
    check_variation,
    goals_of,
    keeps,
    place_of,
    verdict_of,
)
from kr.problems.ways import Way
from kr.proofs.decider import Decider, Grounds
from kr.viewer.positions import move_json, side_name
from kr.web.house import House
from kr.web.live import Inbox, viewer
from kr.web.request import PageRequest
from kr.web.services.working import Working

PROOF_SECONDS = 0.01, 60.0
"""Least and most time of the proofs about a position."""
VARIATION_SECONDS = 0.01, 10.0
"""The same for one variation."""
LONGEST_SECONDS = 900.0
"""Time after which variations end."""
MOST_FOUND = 500
"""Variations that are sent."""
PROOF_MEMORY = 256 << 20
"""Most bytes of the proofs about a position."""
PROOF_BEAT = 0.25
"""Seconds between two reports on progress."""
LONGEST_SHOWN = 100
"""Plies of a line that are sent."""


async def soundness(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[dict[str, Any], None]:
    """Whether a position is a sound problem, as `kr problem check` says it.

    Request: `fen`; `result` that the side to move is to reach, "win" or "draw", or "" for the proved one; `strict`;
    `seconds` of all proofs. Events: `waits` if others must end their searches first; `progress`, with `nodes` and
    `seconds` so far; `verdict`, see `soundness_json`.
    """
    position = _position(request)
    result, strict = _result(request, position), request.flag("strict")
    limits = Limits(time=request.fraction("seconds", *PROOF_SECONDS, default=10.0))
    at_work: list[Decider] = []

    def check(engine: Engine, stop: Stop) -> Soundness:
        with Decider(engine, limits, stop, PROOF_MEMORY) as decider:
            at_work.append(decider)
            return check_by(decider, Problem(position.fen, "", position, result), strict)

    with house.engines.own.ask(viewer.get()) as loan:
        if loan.waits:
            yield {"waits": True}
        engine = await loan.arrival()
        work = Working[None, Soundness]("soundness", lambda _, stop: check(engine, stop))
        try:
            async for _ in work.batches(PROOF_BEAT):
                decider = at_work[0] if at_work else None
                if decider is not None:
                    yield {"progress": {"nodes": decider.nodes, "seconds": round(decider.seconds, 2)}}
        finally:
            loan.ending = True
            await work.end()
    yield {"verdict": await run_sync(soundness_json, position, work.result(), strict)}


def soundness_json(position: Position, soundness: Soundness, strict: bool) -> dict[str, Any]:
    """A verdict for a page: `verdict`, proved `value` and what proves it (`by`), `number` of the move that it is about,
    the `unsettled` moves there, `keys`, the `line` with the position after each move and why it `ended`, and its
    `steps`: the solver's moves that count, each with its `ply` and `number`, the `only` way or not, and the `others`
    that keep the result; `refutation`, a `side` and what it reaches (`goal`).
    """
    line, at = [], position
    for text in soundness.line[:LONGEST_SHOWN]:
        move = at.parse_move(text)
        at = at.play(move)
        line.append({**move_json(move), "fen": at.fen})
    steps = [step for step in soundness.steps if (strict or not step.plain) and step.ply < LONGEST_SHOWN]
    claim = soundness.refutation
    return {
        "verdict": soundness.verdict, "value": soundness.value, "by": _grounds(soundness.by),
        "number": soundness.move_number, "unsettled": soundness.unsettled,
        "keys": [_way(way) for way in soundness.keys], "line": line, "ended": soundness.ended,
        "steps": [
            {
                "ply": step.ply, "number": step.number, "move": step.played.move, "forced": not step.others,
                "only": all(way.keeps is False for way in step.others),
                "others": [_way(way) for way in step.others if way.keeps],
            }
            for step in steps
        ],
        "refutation": None if claim is None else {"side": side_name(claim.side), "goal": claim.goal},
        "nodes": soundness.nodes, "seconds": round(soundness.seconds, 2),
    }  # fmt: skip


def _way(way: Way) -> dict[str, Any]:
    return {"move": way.move, "by": _grounds(way.by), "transposes": bool(way.transposes)}


def _grounds(by: str) -> Any:
    """What proves something; "" for nothing."""
    return by.sentence.as_object() if isinstance(by, Grounds) else by


async def variations(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[dict[str, Any], None]:
    """The sound positions that differ from one by a piece or two, as they are found.

    Request: `fen`; `goal`, "win", "draw" or "value" for either; `changes`, the most pieces changed; `duals`, `strict`
    and `captures` as for `kr problem vary`; `seconds` of each position. Events: `total`, the number of positions;
    `waits` if others must end their searches first; `done`, how many are checked, with those `found` since the last
    event and the `counts` of all verdicts. The last event has `ended`: "all", "time" after LONGEST_SECONDS, or "most"
    after MOST_FOUND.
    """
    position = _position(request)
    duals, strict, captures = (request.flag(name) for name in ("duals", "strict", "captures"))
    goals = goals_of(_one_of(request, "goal", (Value.WIN, Value.DRAW, EITHER)))
    changes = request.number("changes", 1, MOST_CHANGES, 1)
    limits = Limits(time=request.fraction("seconds", *VARIATION_SECONDS, default=1.0))
    origin = Problem(position.fen, "", position)
    positions = await run_sync(lambda: candidates([origin], changes, captures=captures))
    yield {"total": len(positions)}

    def check(engine: Engine, tell: Callable[[VariationRecord], None], stop: Stop) -> str:
        def checked(each: Position, decider: Decider) -> tuple[Soundness, int]:
            return check_variation(each, goals, decider, strict)

        return _check_all(positions, engine, checked, limits, duals, tell, stop)

    with house.engines.own.ask(viewer.get()) as loan:
        if loan.waits:
            yield {"waits": True}
        engine = await loan.arrival()
        work = Working[VariationRecord, str]("variations", lambda tell, stop: check(engine, tell, stop))
        counts: Counter[str] = Counter()
        try:
            async for records in work.batches():
                counts.update(record["verdict"] for record in records)
                kept = [_variation(record) for record in records if keeps(record, duals)]
                yield {"done": counts.total(), "found": kept, "counts": dict(counts)}
        finally:
            loan.ending = True
            await work.end()
    yield {"ended": work.result()}


def _check_all(
    positions: Sequence[Candidate], engine: Engine, check: Callable[[Position, Decider], tuple[Soundness, int]],
    limits: Limits, duals: bool, tell: Callable[[VariationRecord], None], stop: Stop,
) -> str:  # fmt: skip
    """Check positions in turn, and tell each; returns why it ended: "all", "time" or "most"."""
    until, kept = time.monotonic() + LONGEST_SECONDS, 0
    for number, candidate in enumerate(positions):
        if stop.is_set() or time.monotonic() > until:
            return "time"
        position = candidate.changed.position
        with Decider(engine, limits, stop, PROOF_MEMORY) as decider:
            found = check(position, decider)
        record = place_of(candidate, number) | verdict_of(*found)
        kept += keeps(record, duals)
        tell(record)
        if kept == MOST_FOUND:
            return "most"
    return "all"


def _variation(record: VariationRecord) -> dict[str, Any]:
    """A variation for a page."""
    names = ("fen", "changes", "verdict", "move_number", "rank")
    moves = sum(not step["plain"] for step in record["steps"])
    return {**{name: record[name] for name in names}, "key": record["keys"][0]["move"], "moves": moves}


def _position(request: PageRequest) -> Position:
    """The position of a request, with pieces of both sides."""
    position = request.position()
    if not position.black or not position.white:
        raise InvalidSettingError(sentence("refused.one_side"))
    return position


def _result(request: PageRequest, position: Position) -> str:
    """The result of a problem as files have it."""
    result = _one_of(request, "result", (Value.WIN, Value.DRAW, ""))
    if result == Value.WIN:
        return "B-win" if position.side is Side.BLACK else "W-win"
    return result


def _one_of(request: PageRequest, name: str, choices: tuple[str, ...]) -> str:
    text = request.text(name, 10, "")
    if text not in choices:
        named = tuple(choice or "nothing" for choice in choices)
        raise InvalidSettingError(sentence("refused.unknown_choice", name=name, text=text, choices=named))
    return text


ROUTES: dict[str, Callable[[House, PageRequest], Any]] = {}
LIVE = {"soundness": soundness, "variations": variations}
