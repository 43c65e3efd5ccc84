"""Another program's engine behind Hub 2, started by a command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError, ProtocolError
from kr.game.board import PositionLike, with_history
from kr.game.position import Position
from kr.players.player import Player, PlayerKind, PlayerSpec, Reply, Resources
from kr.protocols.hub_client import DEFAULT_STARTUP, HubClient, Startup
from kr.protocols.talk import TalkLog
from kr.system import split_command
from kr.units import parse_duration

PREFIX = "hub:"
FOLDER = "dir"
"""Setting of an engine's text: the folder in which it runs."""
START_TIME = "start"
"""Setting: the time for its start."""
VARIABLE = "env."
"""Settings that begin so: variables of its environment."""


class HubPlayer(Player):
    """An engine behind a command line. Raises ProtocolError if it can't be started, OSError if its log can't be.

    patience: seconds that a search without a time limit may take before the engine counts as hanging; log: folder for a
    log of what is said.
    """

    def __init__(
        self, command: str, hash_mb: int, patience: float, startup: Startup = DEFAULT_STARTUP, log: Path | None = None
    ) -> None:
        talk = None if log is None else TalkLog(log, program_name(command))
        try:
            self._client = HubClient(command, hash_mb=hash_mb, startup=startup, patience=patience, log=talk)
        except BaseException:
            if talk is not None:
                talk.close()
            raise
        self._closed = False
        self.name = self._client.name
        self.version = self._client.version
        self.source = command
        place = "" if startup.folder is None else f",{FOLDER}={startup.folder}"
        variables = "".join(f",{VARIABLE}{name}={value}" for name, value in startup.variables.items())
        self.signature = f"{PREFIX}{command}{place}{variables} {self.version}".strip()

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
        before = self._client.processor_seconds()
        result = self._client.search(position, limits, history, stop)
        after = self._client.processor_seconds()
        # a program that it had started may be gone, with its part
        used = None if before is None or after is None else max(after - before, 0.0)
        return Reply(result.move, result.score, result.depth, result.nodes, result.time, processor=used)

    def close(self) -> None:
        self._closed = True
        self._client.close()


def _make(spec: PlayerSpec, resources: Resources) -> HubPlayer:
    return HubPlayer(spec.text, resources.hash_mb, resources.patience, startup_of(spec), resources.log)


def startup_of(spec: PlayerSpec) -> Startup:
    """How an engine starts, by the settings of its text. Raises InvalidSettingError."""
    settings = spec.settings
    variables = {name.removeprefix(VARIABLE): text for name, text in settings.items() if name.startswith(VARIABLE)}
    if "" in variables:
        raise InvalidSettingError(f"player {spec.spec!r}: {VARIABLE} needs a name, as in {VARIABLE}THREADS=2")
    try:
        seconds = parse_duration(settings[START_TIME]) if START_TIME in settings else DEFAULT_STARTUP.seconds
    except InvalidSettingError as error:
        raise InvalidSettingError(f"player {spec.spec!r}: {START_TIME}: {error}") from None
    return Startup(Path(settings[FOLDER]) if FOLDER in settings else None, seconds, variables)


def program_name(command: str) -> str:
    """The program of a command, for a name of a file."""
    return Path(split_command(command)[0]).stem if command.strip() else "engine"


KIND = PlayerKind(
    prefix=PREFIX, texts=("hub:COMMAND",), make=_make, settings=(FOLDER, START_TIME, VARIABLE), has_commas=True,
    starts_program=True, names_itself=True,
)  # fmt: skip
