"""A player of random legal moves: what any other one must beat."""

from __future__ import annotations

import random
from collections.abc import Sequence

from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError
from kr.game.position import Position
from kr.players.player import PlayerKind, PlayerSpec, Reply, Resources
from kr.units import parse_count

_PREFIX = "random:"


class RandomPlayer:
    """Plays any legal move alike. Its moves depend only on the seed, the position and the length of the history."""

    version = ""

    def __init__(self, seed: int = 1) -> None:
        self._seed = seed
        self.name = self.source = self.signature = f"{_PREFIX}{seed}"

    def new_game(self) -> None:
        """It remembers nothing."""

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        source = random.Random(f"{self._seed} {position.key} {len(history)}")
        return Reply(source.choice(position.legal_moves()), 0, 0, 0, 0.0)

    def close(self) -> None:
        """It holds nothing."""


def _make(spec: PlayerSpec, resources: Resources) -> RandomPlayer:
    try:
        return RandomPlayer(parse_count(spec.text))
    except InvalidSettingError as error:
        raise InvalidSettingError(f"player {spec.spec!r}: the seed: {error}") from None


KIND = PlayerKind(prefix=_PREFIX, texts=("random:SEED",), make=_make, repeatable=True)
