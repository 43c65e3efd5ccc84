"""Another program's engine behind Hub 2, started by a command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import ProtocolError
from kr.game.board import PositionLike, with_history
from kr.game.position import Position
from kr.players.player import Player, PlayerKind, PlayerSpec, Reply, Resources
from kr.protocols.hub_client import HubClient
from kr.protocols.talk import TalkLog
from kr.system import split_command

PREFIX = "hub:"
FOLDER = "dir"
"""Setting of an engine's text: the folder in which it runs."""


class HubPlayer(Player):
    """An engine behind a command line. Raises ProtocolError if it can't be started, OSError if its log can't be.

    patience: seconds that a search without a time limit may take before the engine counts as hanging; folder: in which
    it runs; log: folder for a log of what is said.
    """

    def __init__(
        self, command: str, hash_mb: int, patience: float, folder: Path | None = None, log: Path | None = None
    ) -> None:
        talk = None if log is None else TalkLog(log, program_name(command))
        try:
            self._client = HubClient(command, hash_mb=hash_mb, patience=patience, folder=folder, log=talk)
        except BaseException:
            if talk is not None:
                talk.close()
            raise
        self._closed = False
        self.name = self._client.name
        self.version = self._client.version
        self.source = command
        place = "" if folder is None else f",{FOLDER}={folder}"
        self.signature = f"{PREFIX}{command}{place} {self.version}".strip()

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
    return HubPlayer(spec.text, resources.hash_mb, resources.patience, folder_of(spec), resources.log)


def folder_of(spec: PlayerSpec) -> Path | None:
    """The folder in which an engine runs; None for that of kr."""
    return Path(spec.settings[FOLDER]) if FOLDER in spec.settings else None


def program_name(command: str) -> str:
    """The program of a command, for a name of a file."""
    return Path(split_command(command)[0]).stem if command.strip() else "engine"


KIND = PlayerKind(
    prefix=PREFIX, texts=("hub:COMMAND",), make=_make, settings=(FOLDER,), is_name=lambda text: True,
    starts_program=True, names_itself=True,
)  # fmt: skip
