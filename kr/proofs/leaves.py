"""Leaves of a proof: a search that asks a claim's question, and the strategy behind its answer.

The engine is the front: its search says that a position is won, or not lost, and with which move. It is not believed.
From its move on, every reply is searched in turn until each line ends in the database or by the rules; what the table
already knows makes these searches short. Only a strategy that is whole counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_PROVED
from kr.game.position import Move, Position, Side
from kr.game.value import Value
from kr.jobs.kinds import Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.players.workers import EngineKind

if TYPE_CHECKING:
    from kr.egdb.database import Database
    from kr.proofs.certificate import Claim, Strategy
    from kr.proofs.certificate import PlainBits as Board
    from kr.proofs.rules import QuickMove

STRATEGY_SHARE = 40
"""Most nodes of all searches for a strategy, as a multiple of a leaf's."""


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


def draws_for(claim: Claim) -> Side:
    """Side for which draws count as wins: the one that is content with a draw."""
    return claim.side if claim.goal is Value.DRAW else claim.side.other


def settled(claim: Claim, position: Position, database: Database | None) -> bool | None:
    """True if the claim holds for a position by the rules or the database, False if it does not; None if open."""
    if position.is_over:
        value = Value.LOSS
    elif database is None or not database.has(position) or (stated := database.value(position)) is None:
        return None
    else:
        value = stated
    if position.side != claim.side:
        value = value.opposite
    return value is Value.WIN or value is claim.goal


def answer_leaf(
    claim: Claim, position: Position, engine: Engine, nodes: int, proofs: Strategy, stop: Stop | None = None
) -> LeafAnswer:
    """Search a leaf, the claim's side to move, with a limit of nodes, and make the strategy if it is proved.

    proofs: moves proved before, closed; the new ones are added to it.
    """
    result = engine.search(position, Limits(nodes=nodes), draws_for=draws_for(claim), stop=stop)
    move = _plain(result.move)
    if result.score <= SCORE_PROVED:
        return LeafAnswer(result.score, move, result.nodes)
    making = _Making(claim, engine, nodes, proofs, stop)
    making.follow(position, result.pv)
    proofs.update(making.strategy)
    return LeafAnswer(result.score, move, result.nodes + making.used, making.strategy)


@dataclass(slots=True)
class _Step:
    """A position on the line that is being followed, with its move and the replies that are still to be answered."""

    position: Position
    move: QuickMove
    replies: list[tuple[Position, Sequence[Move]]]
    """Positions after the replies, and for each the rest of the line, if it was part of one."""
    searched_again: bool
    """True if the move is that of a search from an empty table, with the line before it as history."""
    number: int = 0
    """In the order in which steps were begun."""
    earliest: int = 0
    """Number of the earliest step that a line from here comes back to; its own if there is none."""
    waiting: int = 0
    """Positions that were waiting when it was begun."""


class _Making:
    """Makes a strategy: follows the moves that searches have proved, depth first.

    What has been answered to its end is kept, even if another line stays open. So the strategy is closed at any time:
    its moves lead to its own positions, to known ones, or to the end.
    """

    def __init__(self, claim: Claim, engine: Engine, nodes: int, proofs: Strategy, stop: Stop | None) -> None:
        self.claim, self.engine, self.nodes, self.proofs, self.stop = claim, engine, nodes, proofs, stop
        self.used = 0
        self.strategy: Strategy = {}

    def follow(self, root: Position, line: Sequence[Move]) -> None:
        """Answer a position, the line of whose search is given, and all replies behind its move."""
        steps: list[_Step] = []
        under_way: dict[Board, int] = {}
        # positions whose lines come back to one that is still being followed, with their moves and numbers: they are
        # proved once the earliest of those is answered (Tarjan's strongly connected components)
        waiting: dict[Board, tuple[QuickMove, int]] = {}
        count = 0
        step = self._step(root, line)
        while step is not None:
            count += 1
            step.number, step.earliest, step.waiting = count, count, len(waiting)
            steps.append(step)
            under_way[step.position.bits[:3]] = count
            step = None
            while step is None:
                last = steps[-1]
                if not last.replies:
                    self._end(steps, under_way, waiting)
                    if not steps:
                        return
                    continue
                following, rest = last.replies.pop()
                board = following.bits[:3]
                if board in self.strategy or board in self.proofs:
                    continue
                if board in under_way and self.claim.goal is Value.WIN:
                    # another move, by a search that knows where the line has been
                    del under_way[steps.pop().position.bits[:3]]
                    step = None if last.searched_again else self._step(last.position, (), steps)
                    break
                if board in under_way:
                    last.earliest = min(last.earliest, under_way[board])
                elif board in waiting:
                    last.earliest = min(last.earliest, waiting[board][1])
                else:
                    step = self._step(following, rest)
                    break

    def _end(
        self, steps: list[_Step], under_way: dict[Board, int], waiting: dict[Board, tuple[QuickMove, int]]
    ) -> None:
        """End the last step, whose replies are all answered."""
        last = steps.pop()
        board = last.position.bits[:3]
        waiting[board] = last.move, under_way.pop(board)
        if last.earliest == last.number:
            while len(waiting) > last.waiting:
                board, (move, _) = waiting.popitem()
                self.strategy[board] = move
        else:
            steps[-1].earliest = min(steps[-1].earliest, last.earliest)

    def _step(self, position: Position, line: Sequence[Move], before: Sequence[_Step] | None = None) -> _Step | None:
        """The move of a position, by a search unless the line is known; None if a reply to it is not answered.

        before: steps that led here, for a search that must not come back to them.
        """
        if not line:
            nodes = STRATEGY_SHARE * self.nodes - self.used
            if nodes <= 0 or (self.stop is not None and self.stop.is_set()):
                return None
            history: list[Position] = []
            if before is not None:
                self.engine.new_game()
                for step in before:
                    history += [step.position, step.position.play(step.position.find_move(*step.move))]
            result = self.engine.search(
                position, Limits(nodes=min(self.nodes, nodes)), history, draws_for=draws_for(self.claim), stop=self.stop
            )
            self.used += result.nodes
            if result.score <= SCORE_PROVED:
                return None
            line = result.pv
        step = _Step(position, _plain(line[0]), [], before is not None)
        after = position.play(line[0])
        verdict = settled(self.claim, after, self.engine.database)
        if verdict is None:
            for reply in after.legal_moves():
                following = after.play(reply)
                verdict = settled(self.claim, following, self.engine.database)
                if verdict is False:
                    return None
                if verdict is None:
                    line_after = line[2:] if len(line) > 2 and line[1] == reply else ()
                    step.replies.append((following, line_after))
        elif not verdict:
            return None
        return step


def _plain(move: Move) -> QuickMove:
    return move.origin, move.target, move.captured


class LeafSearches(EngineKind[dict[str, Any]]):
    """Units of one leaf; the result is a LeafAnswer as JSON."""

    def __init__(self) -> None:
        # by engine: the answers of one worker arrive in their order, so that what they rest on has arrived before
        self._proofs: dict[tuple[int, Side, Value], Strategy] = {}

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
        proofs = self._proofs.setdefault((id(engine), claim.side, claim.goal), {})
        proofs.update(_strategy_from(values.get("known", ())))
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
