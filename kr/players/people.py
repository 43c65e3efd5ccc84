"""What people play in a position: the moves by a policy, their chances by what a search sees of each.

    people = People(load_policy(), engine.database)
    for each in people.moves(Position()):
        print(each.move, each.probability)

The search is short, always the same for a position, and begins with an empty hash table; a database that has all moves
takes its place. Who has searched a move deeper, as an annotation has, tells its loss. Policies without numbers of their
own (`kr.policy.calibration`) give their probabilities as they are, of which nobody knows how far they hold.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from kr.egdb.database import Database
from kr.egdb.exact import exact_moves
from kr.engine.engine import MAX_LINES, Engine
from kr.engine.limits import Limits
from kr.game.board import PositionLike, draw_by_rule, with_history
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.policy.calibration import CALIBRATION, Calibration
from kr.policy.policy import Policy
from kr.storage import checksum
from kr.units import MEBIBYTE

TESTED_PIECES = 5
"""Most pieces of drawn endings in which the order of chances was tested (docs/lab/policy.md)."""
A_CHANCE, NO_CHANCE = 0.03, 0.01
"""Least chance that people lose by their next move that counts as one, and chance below which there is none."""


class PersonMove(NamedTuple):
    """A legal move and the probability that a person plays it."""

    move: Move
    probability: float
    holds: bool = False
    """True if such probabilities held in a test: it may be told as a number."""


class JudgedLoss(NamedTuple):
    """What a deeper search knows of a position."""

    move: Move
    """The move that it judged."""
    loss: float
    """Expected result, 0 to 1, that it gives away."""
    others: float
    """The least that any other move gives away."""


class People:
    """The people of a policy. database: knows values of moves; None for none."""

    def __init__(self, policy: Policy, database: Database | None = None) -> None:
        self.policy = policy
        self._calibration = Calibration() if policy.model.checksum == CALIBRATION["policy"] else None
        self._database = database
        self._engine: Engine | None = None

    @property
    def calibrated(self) -> bool:
        """True if its policy has numbers of `kr.policy.calibration`."""
        return self._calibration is not None

    @property
    def signature(self) -> str:
        """Identity of the numbers and the database, beside the policy's."""
        numbers = checksum(json.dumps(CALIBRATION, sort_keys=True).encode())
        return numbers if self._database is None else f"{numbers} egdb {self._database.signature}"

    def moves(
        self, position: PositionLike, history: Sequence[Position] = (), *, judgement: JudgedLoss | None = None
    ) -> list[PersonMove]:
        """The legal moves with their probabilities, the most probable first; none if the game is over.

        history: as for Policy.choices. Captures of the same pieces along different paths are one move.
        """
        position, history = with_history(position, history, recent=True)
        choices = self.policy.choices(position, history)
        if self._calibration is None or len(choices) < 2:
            return [PersonMove(*each, holds=self._calibration is not None) for each in choices]
        losses, exact = self._losses(position)
        # a search has no more lines than MAX_LINES
        seen = [losses.get(_squares(each.move), max(losses.values())) for each in choices]
        pieces, numbers = position.pieces, self._calibration
        chances = numbers.chances([each.probability for each in choices], seen, pieces, exact=exact)
        deeper_losses: list[float | None] = [None] * len(choices)
        if judgement is not None and not exact:
            own, others = _squares(judgement.move), judgement.others if numbers.is_losing(judgement.others) else None
            deeper_losses = [judgement.loss if _squares(each.move) == own else others for each in choices]
            chances = numbers.corrected(chances, seen, deeper_losses)
        moves = [
            PersonMove(each.move, chance, numbers.holds(chance, pieces, loss, deeper))
            for each, chance, loss, deeper in zip(choices, chances, seen, deeper_losses, strict=True)
        ]
        return sorted(moves, key=lambda each: -each.probability)

    def loss_chance(self, position: Position, history: Sequence[Position] = ()) -> float:
        """The chance that people lose a drawn position, whose moves the database knows, by their next move. In recorded
        games it orders draws, but no number held (docs/lab/policy.md)."""
        losing = {_squares(each.move) for each in exact_moves(self._database, position) if each.value is Value.LOSS}
        return (
            sum(each.probability for each in self.moves(position, history) if _squares(each.move) in losing)
            if losing
            else 0.0
        )

    def draws(self, position: Position, history: Sequence[Position] = ()) -> list[tuple[Move, float]]:
        """The moves that draw, the hardest for people first, with the chance that they lose by their next move: 0 where
        the game can be claimed drawn. None where the position is not known to be a draw, or that order was not tested.
        """
        if not self.calibrated or position.pieces > TESTED_PIECES:
            return []
        exact, played = exact_moves(self._database, position), [*history, position]
        if not exact or exact[0].value is not Value.DRAW:
            return []
        chances = [
            (each.move, 0.0 if draw_by_rule(each.after, played) else self.loss_chance(each.after, [position]))
            for each in exact
            if each.value is Value.DRAW
        ]
        return sorted(chances, key=lambda each: -each[1])

    def harder_first(self, position: Position, history: Sequence[Position] = ()) -> list[Move]:
        """The moves that draw, the hardest for people first; none where they don't differ in that."""
        draws = self.draws(position, history)
        return [move for move, _ in draws] if draws and draws[0][1] > draws[-1][1] else []

    def harder_draw(self, position: Position, played: Move, history: Sequence[Position] = ()) -> Move | None:
        """Of the moves that draw the hardest for people, where the one played gives them no chance to lose. None if
        they have little with any, or it is not known."""
        chances = dict(draws := self.draws(position, history))
        if played not in chances:
            return None
        hardest, most = draws[0]
        return hardest if chances[played] < NO_CHANCE and most >= A_CHANCE else None

    def _losses(self, position: Position) -> tuple[dict[tuple[int, int, int], float], bool]:
        """The expected result that each move gives away, and whether it is that of known values."""
        if exact := exact_moves(self._database, position):
            highest = exact[0].value.sign
            return {_squares(each.move): (highest - each.value.sign) / 2 for each in exact}, True
        if self._engine is None:
            self._engine = Engine(hash_mb=CALIBRATION["hash"] / MEBIBYTE, database=self._database)
        self._engine.new_game()
        lines = self._engine.search(position, Limits(nodes=CALIBRATION["nodes"]), multipv=MAX_LINES).lines
        # the best of different paths of a capture is the last one
        ascending = sorted(lines, key=lambda line: line.score)
        expected = {_squares(line.pv[0]): self._engine.chances(line.score).expected for line in ascending}
        best = max(expected.values())
        return {squares: best - each for squares, each in expected.items()}, False


def _squares(move: Move) -> tuple[int, int, int]:
    """Identity of a move: captures of the same pieces along different paths are one."""
    return move.origin, move.target, move.captured
