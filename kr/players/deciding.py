"""A decider of the core as a player: it looks ahead as it was made to, whatever the limits of the game are."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from kr import _core
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.game.position import Position
from kr.players.player import Reply

LEAST_CHANCE = 1e-6
"""Expected result beside a sure win or loss, for a score that stays finite."""


class DecidingPlayer:
    """A player whose moves a decider chooses. Random choices depend only on the decider's seed, the position and the
    length of the history.

    scale: centi-men in a logit of the expected result; depth: told with each move.
    """

    version = ""

    def __init__(
        self, decider: _core.Decider, name: str, source: str, signature: str, scale: float, depth: int = 0
    ) -> None:
        self.name, self.source, self.signature = name, source, signature
        self._decider, self._scale, self._depth = decider, scale, depth

    def new_game(self) -> None:
        """It remembers nothing."""

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        began = time.perf_counter()
        moves = position.legal_moves()
        index, value, nodes = 0, 0.0, 0
        if len(moves) > 1:
            index, value, nodes = self._decider.choose(*position.bits, len(history), stop)
        expected = min(max((1 + value) / 2, LEAST_CHANCE), 1 - LEAST_CHANCE)
        score = round(self._scale * math.log(expected / (1 - expected)))
        return Reply(moves[index], score, self._depth, nodes, time.perf_counter() - began)

    def close(self) -> None:
        """It holds nothing."""
