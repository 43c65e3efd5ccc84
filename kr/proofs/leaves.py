"""Leaves of a proof, searched by the core: their answers, as units of work and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kr import _core
from kr.egdb.database import Database
from kr.engine.engine import Engine
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.jobs.kinds import Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.players.workers import EngineKind

if TYPE_CHECKING:
    from kr.proofs.certificate import Claim, Strategy


@dataclass(frozen=True)
class LeafAnswer:
    """Answer to a leaf, the claim's side to move."""

    score: int
    """Centi-men, for the claim's side; beyond SCORE_PROVED if the search says that the claim is true or false."""
    move: tuple[int, int, int] | None
    """Origin, target and captured bitboard of the best move; None if there is none."""
    nodes: int
    strategy: Strategy = field(default_factory=dict)
    """Moves that are proved: closed with those before, but without one for the leaf if a line from it stays open."""
    cut: bool = False
    """True if a stop cut the search short: its strategy counts, its score and its move don't."""


def settled(claim: Claim, position: Position, database: Database | None) -> bool | None:
    """True if the claim holds for a position by the rules or the database, False if it does not; None if open.

    Raises InvalidDatabaseError.
    """
    core = None if database is None else database.core
    verdict = _core.settled_claim(*claim.bits, position.bits, core)
    if verdict is None and database is not None and database.has(position):
        database.raise_damage()
    return verdict


def answer_leaf(
    claim: Claim, position: Position, engine: Engine, nodes: int, proofs: _core.ProvedMoves, stop: Stop | None = None
) -> LeafAnswer:
    """Search a leaf, the claim's side to move, with a limit of nodes, and make the strategy if it is proved.

    proofs: moves proved before, closed; the new ones are added to it. Raises InvalidDatabaseError.
    """
    core = None if engine.database is None else engine.database.core
    asker = _core.ProofAsker(partial(engine.seek, stop=stop), engine.new_game)
    _, side, goal = claim.bits
    score, move, used, strategy = _core.ask_leaf(asker, position.bits, side, goal, nodes, proofs, core, stop)
    return LeafAnswer(score, move, used, dict(strategy))


class LeafSearches(EngineKind[dict[str, Any]]):
    """Units of one leaf; the result is a LeafAnswer as JSON."""

    def __init__(self) -> None:
        # by engine: the answers of one worker arrive in their order, so that what they rest on has arrived before
        self._proofs: dict[tuple[int, Side, Value], _core.ProvedMoves] = {}

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Engine, dict[str, Any]]:
        yield [Portion(partial(self._answer, unit))]

    def check(self, unit: Unit, values: Sequence[dict[str, Any]]) -> None:
        """One answer; what its strategy proves is seen when it is entered."""
        (value,) = values
        answer_from_json(value)

    def _answer(self, unit: Unit, engine: Engine, stop: Stop) -> dict[str, Any] | None:
        from kr.proofs.certificate import Claim

        values = unit.values
        position = Position.from_bits(tuple(values["position"]))
        claim = Claim(position, Side(values["side"]), Value(values["goal"]))
        proofs = self._proofs.setdefault((id(engine), claim.side, claim.goal), _core.ProvedMoves())
        proofs.update(_strategy_from(values.get("known", ())).items())
        answer = answer_leaf(claim, position, engine, values["nodes"], proofs, stop)
        if stop.is_set():
            # what has been proved until then stays proved
            return answer_to_json(replace(answer, cut=True)) if answer.strategy else None
        return answer_to_json(answer)


def answer_to_json(answer: LeafAnswer) -> dict[str, Any]:
    """A LeafAnswer as JSON types."""
    values = {
        "score": answer.score, "move": answer.move, "nodes": answer.nodes, "strategy": strategy_rows(answer.strategy),
    }  # fmt: skip
    return {**values, "cut": True} if answer.cut else values


def answer_from_json(values: dict[str, Any]) -> LeafAnswer:
    """Inverse of `answer_to_json`. Raises ValueError, LookupError or TypeError if it is not one."""
    strategy = _strategy_from(values["strategy"])
    move = values["move"]
    if not isinstance(cut := values.get("cut", False), bool):
        raise TypeError("cut")
    if move is not None:
        origin, target, captured = map(_whole, move)
        move = (origin, target, captured)
    return LeafAnswer(_whole(values["score"]), move, _whole(values["nodes"]), strategy, cut)


def strategy_rows(strategy: Strategy) -> list[list[int]]:
    """A strategy as JSON types: black, white, kings, origin, target and captured of each move."""
    return [[*board, *move] for board, move in strategy.items()]


def _strategy_from(values: Iterable[Any]) -> Strategy:
    """Inverse of `strategy_rows`. Raises ValueError or TypeError if it is not one."""
    rows = [tuple(map(_whole, row)) for row in values]
    if any(len(row) != 6 for row in rows):
        raise ValueError("strategy")
    return {row[:3]: row[3:] for row in rows}  # type: ignore[misc]


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is not a whole number")
    return value
