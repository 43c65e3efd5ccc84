"""Problems under construction for the page (kr/page/static/answers/composing.js): is one sound, and its variations."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any

from anyio.to_thread import run_sync

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.errors import InvalidSettingError
from kr.game.position import Position
from kr.game.value import Value
from kr.jobs.kinds import Stop
from kr.language.sentences import sentence
from kr.problems.changes import MOST_CHANGES, ChangedPosition
from kr.problems.problem import Problem
from kr.problems.soundness import ProblemVerdict, Soundness, check_by
from kr.problems.variations import EITHER, candidates, check_variation, goals_of
from kr.problems.ways import Way
from kr.proofs.decider import Decider, Grounds
from kr.viewer.positions import side_name
from kr.web.house import House
from kr.web.live import Inbox, viewer
from kr.web.request import PageRequest
from kr.web.services.working import Working

PROOF_SECONDS = 0.01, 60.0
"""Least and most time of the proofs about a position."""
VARIATION_SECONDS = 0.01, 10.0
"""The same for one variation."""
PROOF_MEMORY = 256 << 20
"""Most bytes of the proofs about a position."""
PROOF_BEAT = 0.25
"""Seconds between two reports on progress."""


async def check_problem(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[dict[str, Any], None]:
    """Whether a position is a sound problem, as `kr problem check` says it.

    Request: `fen`; `result` that the side to move is to reach, "win" or "draw", or "" for the proved one; `strict`;
    `seconds` of all proofs. Events: `waits` if others must end their searches first; `progress`, with `nodes` and
    `seconds` so far; `found`, see `soundness_json`.
    """
    position = _position(request)
    result, strict = request.choice("result", (Value.WIN, Value.DRAW, "")), request.flag("strict")
    problem = Problem(position.fen, "", position, f"{position.fen[0]}-win" if result == Value.WIN else result)
    limits = Limits(time=request.fraction("seconds", *PROOF_SECONDS))
    at_work: list[Decider] = []

    def check(engine: Engine, stop: Stop) -> Soundness:
        with Decider(engine, limits, stop, PROOF_MEMORY) as decider:
            at_work.append(decider)
            return check_by(decider, problem, strict)

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
    yield {"found": soundness_json(work.result())}


def soundness_json(soundness: Soundness) -> dict[str, Any]:
    """What a check has found: verdict, value, line, its steps, ways."""
    names = ("verdict", "value", "unsettled", "line", "ended", "nodes", "seconds")
    claim = soundness.refutation
    return {
        **{name: getattr(soundness, name) for name in names},
        "limit": "" if soundness.limit is None else soundness.limit.as_object(),
        "by": _grounds(soundness.by), "number": soundness.move_number, "keys": [_way(way) for way in soundness.keys],
        "steps": [
            {
                "ply": step.ply, "number": step.number, "plain": step.plain, "played": _way(step.played),
                "others": [_way(way) for way in step.others],
            }
            for step in soundness.steps
        ],
        "refutation": None if claim is None else {"side": side_name(claim.side), "goal": claim.goal},
    }  # fmt: skip


def _way(way: Way) -> dict[str, Any]:
    return {"move": way.move, "keeps": way.keeps, "by": _grounds(way.by), "transposes": way.transposes}


def _grounds(by: str) -> Any:
    """What proves something; "" for nothing."""
    return by.sentence.as_object() if isinstance(by, Grounds) else by


async def vary(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[dict[str, Any], None]:
    """Check the positions after changes of one in which a key is possible, as `kr problem vary` does.

    Request: `fen`; `goal`, "win", "draw" or "value" for either; `changes`, the most pieces changed; `captures` and
    `strict` as for `kr problem vary`; `seconds` of each position. Events: `total`, the number of positions; `waits` if
    others must end their searches first; `checked`, some positions as they are done: see `variation_json`.
    """
    position = _position(request)
    strict, captures = request.flag("strict"), request.flag("captures")
    goals = goals_of(request.choice("goal", (Value.WIN, Value.DRAW, EITHER)))
    changes = request.number("changes", 1, MOST_CHANGES)
    limits = Limits(time=request.fraction("seconds", *VARIATION_SECONDS))
    origin = Problem(position.fen, "", position)
    positions = await run_sync(lambda: candidates([origin], changes, captures=captures))
    yield {"total": len(positions)}

    def check(engine: Engine, tell: Callable[[dict[str, Any]], None], stop: Stop) -> None:
        for candidate in positions:
            if stop.is_set():
                return
            with Decider(engine, limits, stop, PROOF_MEMORY) as decider:
                soundness, rank = check_variation(candidate.changed.position, goals, decider, strict)
            tell(variation_json(candidate.changed, soundness, rank))

    with house.engines.own.ask(viewer.get()) as loan:
        if loan.waits:
            yield {"waits": True}
        engine = await loan.arrival()
        work = Working[dict[str, Any], None]("variations", lambda tell, stop: check(engine, tell, stop))
        try:
            async for checked in work.batches():
                if checked:
                    yield {"checked": checked}
        finally:
            loan.ending = True
            await work.end()


def variation_json(changed: ChangedPosition, soundness: Soundness, rank: int) -> dict[str, Any]:
    """A position that was checked: nothing but the verdict of one that is neither sound nor has duals alone."""
    verdict = soundness.verdict
    kept = verdict in (ProblemVerdict.SOUND, ProblemVerdict.DUAL)
    return {
        "fen": changed.position.fen, "changes": [change.as_object() for change in changed.changes], "rank": rank,
        "found": soundness_json(soundness) if kept else {"verdict": verdict},
    }  # fmt: skip


def _position(request: PageRequest) -> Position:
    """The position of a request, with pieces of both sides."""
    position = request.position()
    if not position.black or not position.white:
        raise InvalidSettingError(sentence("refused.one_side"))
    return position


ROUTES: dict[str, Callable[[House, PageRequest], Any]] = {}
LIVE = {"problem": check_problem, "varying": vary}
