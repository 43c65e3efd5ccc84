"""Another program's engine behind Hub 2, started by a command line."""

from __future__ import annotations

from collections.abc import Sequence

from kr.engine.limits import Limits
from kr.errors import ProtocolError
from kr.game.position import Position
from kr.players.player import Given, Kind, Means, Reply
from kr.protocols.hub_client import HubClient

PREFIX = "hub:"


class HubPlayer:
    """An engine of a command. Raises ProtocolError where it can't be started.

    patience: seconds that a search without a time limit may take before the engine counts as hanging.
    """

    def __init__(self, command: str, hash_mb: int, patience: float) -> None:
        self._client = HubClient(command, hash_mb=hash_mb, patience=patience)
        self._stopped = False
        self.name = self._client.name
        self.version = self._client.version
        self.source = command
        self.signature = f"{PREFIX}{command} {self.version}".strip()

    def new_game(self) -> None:
        if not self._stopped:
            self._client.new_game()
        # by now, or meanwhile, and then the engine has been started again
        if self._stopped:
            self._client.close()
            raise ProtocolError(f"hub engine {self.name} was stopped")

    def search(self, position: Position, limits: Limits, history: Sequence[Position]) -> Reply:
        result = self._client.search(position, limits, history)
        return Reply(result.move, result.score, result.depth, result.nodes, result.time)

    def stop(self) -> None:
        self._stopped = True
        self._client.close()

    def close(self) -> None:
        self._client.close()


def _make(given: Given, means: Means) -> HubPlayer:
    return HubPlayer(given.text, means.hash_mb, means.patience)


KIND = Kind(prefix=PREFIX, texts=("hub:COMMAND",), make=_make, starts_program=True, names_itself=True)
