"""Another program's engine behind Hub 2, started by a command line."""

from __future__ import annotations

from collections.abc import Sequence

from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import ProtocolError
from kr.game.board import PositionLike, with_history
from kr.game.position import Position
from kr.players.player import PlayerKind, PlayerSpec, Reply, Resources
from kr.protocols.hub_client import HubClient

PREFIX = "hub:"


class HubPlayer:
    """An engine behind a command line. Raises ProtocolError if it can't be started.

    patience: seconds that a search without a time limit may take before the engine counts as hanging.
    """

    def __init__(self, command: str, hash_mb: int, patience: float) -> None:
        self._client = HubClient(command, hash_mb=hash_mb, patience=patience)
        self._closed = False
        self.name = self._client.name
        self.version = self._client.version
        self.source = command
        self.signature = f"{PREFIX}{command} {self.version}".strip()

    def new_game(self) -> None:
        if not self._closed:
            self._client.new_game()
        # closed before, or from another thread meanwhile, in which case the engine may have been restarted
        if self._closed:
            self._client.close()
            raise ProtocolError(f"hub engine {self.name} has been closed")

    def search(
        self, position: PositionLike, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        position, history = with_history(position, history)
        result = self._client.search(position, limits, history, stop)
        return Reply(result.move, result.score, result.depth, result.nodes, result.time)

    def close(self) -> None:
        self._closed = True
        self._client.close()


def _make(spec: PlayerSpec, resources: Resources) -> HubPlayer:
    return HubPlayer(spec.text, resources.hash_mb, resources.patience)


KIND = PlayerKind(prefix=PREFIX, texts=("hub:COMMAND",), make=_make, starts_program=True, names_itself=True)
