"""Another program's engine behind Hub 2, started by a command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError, ProtocolError
from kr.game.board import PositionLike, with_history
from kr.game.position import Position
from kr.players.player import Player, PlayerKind, PlayerSpec, Reply, Resources
from kr.protocols.hub_client import HubClient
from kr.protocols.program import DEFAULT_STARTUP, ProgramClient, Startup
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


class ProgramPlayer(Player):
    """An engine in a process of its own. client: the player's to close; source: its command."""

    def __init__(self, client: ProgramClient, source: str, signature: str) -> None:
        self._client = client
        self._closed = False
        self.name, self.version = client.name, client.version
        self.source = source
        self.signature = f"{signature} {self.version}".strip()

    def new_game(self) -> None:
        if not self._closed:
            self._client.new_game()
        # closed before, or from another thread meanwhile, in which case the engine may have been restarted
        if self._closed:
            self._client.close()
            raise ProtocolError(f"engine {self.name} has been closed")

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


def _make(spec: PlayerSpec, resources: Resources) -> ProgramPlayer:
    command, startup = spec.text, startup_of(spec)
    with talk_log(resources.log, command) as log:
        client = HubClient(command, None, resources.hash_mb, startup, patience=resources.patience, log=log)
    return ProgramPlayer(client, command, f"{PREFIX}{command}{startup_text(startup)}")


@contextmanager
def talk_log(folder: Path | None, command: str) -> Iterator[TalkLog | None]:
    """A log of a program that is being started, closed if that fails; None without a folder. Raises OSError."""
    log = None if folder is None else TalkLog(folder, program_name(command))
    try:
        yield log
    except BaseException:
        if log is not None:
            log.close()
        raise


def startup_text(startup: Startup) -> str:
    """What of the way in which a program starts may change its play, as settings of a player's text."""
    place = "" if startup.folder is None else f",{FOLDER}={startup.folder}"
    return place + "".join(f",{VARIABLE}{name}={value}" for name, value in startup.variables.items())


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
