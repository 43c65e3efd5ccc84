"""DXP: games of kr against another draughts program over TCP, as follower or initiator.

Any fault of the other program ends one game with a one-line reason. The next game is played on the same connection if
it can still be used, else on a new one.
"""

from __future__ import annotations

import datetime
import errno
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from kr.errors import KrError, ProtocolError
from kr.game.position import Move, Position, Side
from kr.game.value import Result
from kr.pdn import Comment, format_game
from kr.protocols.dxp_game import DxpEnding, DxpGame, Next, Terms
from kr.protocols.dxp_link import (
    ClosedError,
    Link,
    format_address,
    open_connection,
    open_server,
    parse_address,
)
from kr.protocols.dxp_settings import ConnectSettings as ConnectSettings
from kr.protocols.dxp_settings import DxpSettings
from kr.protocols.dxp_settings import ListenSettings as ListenSettings
from kr.protocols.dxp_text import (
    ACCEPTED,
    BACK_UNSUPPORTED,
    NO_GAME,
    VERSION,
    WRONG_GAME,
    WRONG_VERSION,
    BackAccept,
    BackRequest,
    Chat,
    GameAccept,
    GameRequest,
    Message,
    format_dxp_position,
    parse_dxp_position,
)
from kr.protocols.dxp_thinker import Inner, Remark, SearchDone, TakeBack, Thinker, Wish
from kr.storage import check_output, lock
from kr.threads import SIGNALS_WAIT
from kr.units import counted

REFUSALS = {
    WRONG_VERSION: "it speaks another version",
    WRONG_GAME: "it plays another game",
    NO_GAME: "it wants no game",
}
RETRY_SECONDS = 1.0
"""Seconds between two attempts to connect."""
CONNECT_SECONDS = 10.0
"""Timeout of one attempt."""

Say = Callable[[str], None]
Awaited = TypeVar("Awaited", GameRequest, GameAccept)


@dataclass(frozen=True)
class PlayedGame:
    """A finished or broken-off game."""

    number: int
    """From 1."""
    color: Side
    """Side of kr."""
    opponent: str
    result: Result
    """As written in PDN; unfinished if the game was broken off."""
    reason: str
    faulty: bool
    """True if the other side broke the rules or the protocol."""
    start: Position
    moves: tuple[Move, ...]
    minutes: int = 0
    date: datetime.date = field(default_factory=datetime.date.today, compare=False)

    @property
    def points(self) -> float | None:
        """Points of kr: 1, 0.5, 0, or None for a game that was broken off."""
        value = self.result.value_for(self.color)
        return None if value is None else value.points

    def pdn(self, name: str) -> str:
        """The game as PDN. name: that of kr."""
        players = [name, self.opponent] if self.color == Side.BLACK else [self.opponent, name]
        tags = {
            "Event": "DXP game",
            "Date": f"{self.date:%Y.%m.%d}",
            "Round": str(self.number),
            "Black": players[0],
            "White": players[1],
        }
        if self.minutes:
            tags["TimeControl"] = str(self.minutes * 60)
        notes = [Comment(len(self.moves), self.reason.translate({ord("{"): "(", ord("}"): ")"}))]
        return format_game(tags, self.start, self.moves, self.result, notes)


class Operator:
    """Operator of kr: sends chat and requests to go back during a game, from any thread.

    `listen` and `connect` take it; their `say` reports the answers.
    """

    def __init__(self) -> None:
        self._link: Link[Inner] | None = None

    def chat(self, text: str) -> bool:
        """Send chat of at most 126 characters. True if someone is connected."""
        return self._put(Remark(text))

    def take_back(self, plies: int | None = None) -> bool:
        """Ask to take plies back, by default those since kr was last to move. True if someone is connected."""
        return self._put(TakeBack(plies))

    def sit_down(self, link: Link[Inner] | None) -> None:
        """Attend a connection; None once it has ended."""
        self._link = link

    def _put(self, wish: Wish) -> bool:
        link = self._link
        if link is not None:
            link.put(wish)
        return link is not None


def listen(
    settings: ListenSettings,
    on_game: Callable[[PlayedGame], None] = lambda game: None,
    say: Say = lambda line: None,
    on_open: Callable[[str], None] = lambda address: None,
    operator: Operator | None = None,
) -> None:
    """Play the games that other programs request, one program at a time, up to the number of games wanted.

    on_game: called after each game. say: called with chat and other news, line by line. on_open: called with the
    address once connections are accepted. operator: may chat and ask to take moves back. Raises ProtocolError if it
    can't listen, OSError if a game can't be saved, and what Engine and load_book raise. On Ctrl-C the game under way is
    saved as broken off.
    """
    with _saving(settings.out) as save, open_server(parse_address(settings.address)) as server:
        desk = _Desk(settings, settings.games or None, save, on_game, say, operator)
        host, port = server.getsockname()[:2]
        on_open(format_address((host, port)))
        while not desk.is_done:
            connection, caller = _accepted(server)
            desk.serve(connection, format_address(caller[:2]), settings.usual_start)


def _accepted(server: socket.socket) -> tuple[socket.socket, Any]:
    # nothing wakes a wait for a caller at Ctrl-C on Windows
    server.settimeout(SIGNALS_WAIT)
    while True:
        try:
            return server.accept()
        except OSError as error:
            # of a caller that has hung up again, some systems tell an error
            if not isinstance(error, TimeoutError | ConnectionError) and error.errno != errno.ENOTCONN:
                raise


def connect(
    settings: ConnectSettings,
    on_game: Callable[[PlayedGame], None] = lambda game: None,
    say: Say = lambda line: None,
    starts: Sequence[Position] = (),
    operator: Operator | None = None,
) -> None:
    """Ask another program for games, one after another.

    starts: starting positions, used in turn, each twice in a row if kr alternates its colour; by default that of the
    settings. on_game, say, operator: as for `listen`. Raises ProtocolError if no connection is made or a game is
    refused, OSError if a game can't be saved, and what Engine and load_book raise.
    """
    positions = list(starts) or [Position() if settings.fen is None else Position.from_fen(settings.fen)]
    each = 2 if settings.color == "alternate" else 1
    with _saving(settings.out) as save:
        desk = _Desk(settings, settings.games, save, on_game, say, operator)
        while not desk.is_done:
            with _connected(settings, say) as link, desk.attended(link):
                while not desk.is_done:
                    start = positions[desk.game_count // each % len(positions)]
                    ending = desk.ask(link, settings, start)
                    if ending.next is Next.BROKEN:
                        break
                    if ending.stop and not desk.is_done:
                        raise ProtocolError(
                            f"{desk.opponent} wants no more after {desk.game_count} of "
                            f"{counted(settings.games, 'game')}"
                        )


@contextmanager
def _connected(settings: ConnectSettings, say: Say) -> Iterator[Link[Inner]]:
    address = parse_address(settings.address)
    for attempt in range(1, settings.reconnect + 1):
        try:
            connection = open_connection(address, min(settings.timeout, CONNECT_SECONDS))
            break
        except ProtocolError as error:
            if attempt == settings.reconnect:
                raise
            say(f"{error}; attempt {attempt} of {settings.reconnect}")
            time.sleep(RETRY_SECONDS)
    link = settings.link(connection, settings.address)
    try:
        yield link
    finally:
        link.close()


class _Desk:
    """Arranges, counts and reports games."""

    def __init__(
        self,
        settings: DxpSettings,
        games: int | None,
        save: Callable[[str], None],
        on_game: Callable[[PlayedGame], None],
        say: Say,
        operator: Operator | None,
    ) -> None:
        self.game_count = 0
        self.opponent = ""
        self._settings = settings
        self._manners = settings.manners()
        self._thinker = Thinker(settings.engine(), settings.opening_book())
        self._games = games
        self._save = save
        self._on_game = on_game
        self._say = say
        self._operator = operator or Operator()

    @property
    def is_done(self) -> bool:
        """True once all games wanted have been played."""
        return self.game_count == self._games

    @contextmanager
    def attended(self, link: Link[Inner]) -> Iterator[None]:
        """Let the operator attend this connection during the block."""
        self._operator.sit_down(link)
        try:
            yield
        finally:
            self._operator.sit_down(None)

    # as follower

    def serve(self, connection: socket.socket, caller: str, usual_start: str) -> None:
        """Play the games that the peer requests, until it leaves or breaks the protocol."""
        self.opponent = caller
        link = self._settings.link(connection, caller)
        request: GameRequest | None = None
        try:
            with self.attended(link):
                while not self.is_done:
                    request = request or self._await(link, GameRequest)
                    terms = self._accepted(link, request, usual_start)
                    request = None
                    if terms is not None:
                        ending = self._play(link, terms)
                        request = ending.request
                        if ending.next is Next.BROKEN:
                            return
        except ClosedError:
            self._say(f"{self.opponent} has left")
        except ProtocolError as error:
            self._say(f"{self.opponent}: {error}; the connection is closed")
        finally:
            link.close()

    def _accepted(self, link: Link[Inner], request: GameRequest, usual_start: str) -> Terms | None:
        """Answer a request. None if it is refused."""
        name = request.name or self.opponent
        code, start = ACCEPTED, Position()
        try:
            if request.version != VERSION:
                code = WRONG_VERSION
                raise ProtocolError(f"DXP version {request.version}: kr speaks {VERSION}")
            code = WRONG_GAME
            if request.side is not None:
                start = parse_dxp_position(request.position, request.side, self._manners.frame)
            elif usual_start == "refuse":
                raise ProtocolError("no position, which in DXP means the 10x10 start: see --usual-start")
            elif usual_start == "white":
                start = Position(side=Side.WHITE)
        except KrError as error:
            self._say(f"{name}: game refused: {error}")
            link.send(GameAccept(self._settings.name, code))
            return None
        link.send(GameAccept(self._settings.name, ACCEPTED))
        self.opponent = name
        return Terms(request.follower, start, name, request.minutes, request.moves)

    # as initiator

    def ask(self, link: Link[Inner], settings: ConnectSettings, start: Position) -> DxpEnding:
        """Ask for the next game and play it. Raises ProtocolError if it is refused."""
        own = settings.side(self.game_count)
        self.opponent = self.opponent or settings.address
        request = GameRequest(
            settings.name, own.other, settings.minutes, settings.moves, start.side,
            format_dxp_position(start, self._manners.frame),
        )  # fmt: skip
        terms = Terms(own, start, self.opponent, settings.minutes, settings.moves)
        try:
            link.send(request)
            answer = self._await(link, GameAccept)
        except ProtocolError as error:
            return self._finished(
                terms, (), DxpEnding(Result.UNFINISHED, f"{self.opponent}: {error}", Next.BROKEN, faulty=True)
            )
        self.opponent = answer.name or self.opponent
        if answer.code != ACCEPTED:
            raise ProtocolError(f"{self.opponent} refused the game: {REFUSALS[answer.code]}")
        return self._play(link, Terms(own, start, self.opponent, settings.minutes, settings.moves))

    # as either

    def _await(self, link: Link[Inner], kind: type[Awaited]) -> Awaited:
        """Next message of a kind. Raises ProtocolError if none comes in time."""
        deadline = time.monotonic() + self._settings.timeout
        while True:
            message = link.take(deadline - time.monotonic())
            if isinstance(message, kind):
                return message
            if not isinstance(message, SearchDone):
                self._answer_outside(link, message)

    def _answer_outside(self, link: Link[Inner], message: Message | Wish) -> None:
        """Handle messages between games: chat is passed on, nothing can be taken back, the rest is ignored."""
        if isinstance(message, GameRequest):
            raise ProtocolError("asks for a game instead of answering: both sides are initiators")
        if isinstance(message, Chat):
            self._say(f"{self.opponent} says: {message.text}")
        elif isinstance(message, BackRequest):
            link.send(BackAccept(BACK_UNSUPPORTED))
        elif isinstance(message, Remark):
            link.send(Chat(message.text))
        elif isinstance(message, TakeBack):
            self._say("no moves to take back: no game is under way")

    def _play(self, link: Link[Inner], terms: Terms) -> DxpEnding:
        last = self._games is not None and self.game_count + 1 >= self._games
        game = DxpGame(link, self._thinker, terms, self._manners, last, self._say)
        try:
            ending = game.play()
        except BaseException as error:
            # after Ctrl-C or a failure of the engine the game is saved, and the other side gets a message
            reason = "interrupted" if isinstance(error, KeyboardInterrupt) else f"{self._settings.name} failed: {error}"
            self._finished(terms, game.board.moves, DxpEnding(Result.UNFINISHED, reason, Next.BROKEN))
            game.abandon()
            raise
        self._finished(terms, game.board.moves, ending)
        return game.part(ending)

    def _finished(self, terms: Terms, moves: tuple[Move, ...], ending: DxpEnding) -> DxpEnding:
        self.game_count += 1
        game = PlayedGame(
            self.game_count, terms.own, terms.opponent, ending.result, ending.reason, ending.faulty, terms.start, moves,
            terms.minutes,
        )  # fmt: skip
        self._save(game.pdn(self._settings.name))
        self._on_game(game)
        return ending


@contextmanager
def _saving(path: Path | None) -> Iterator[Callable[[str], None]]:
    """Function that appends a game to a PDN file, which is locked during the block; without a path it does nothing.

    Raises InvalidSettingError if the path can't be a file, OutputBusyError, OSError.
    """
    if path is None:
        yield lambda text: None
        return
    check_output(path)
    with lock(path):
        if path.exists():
            # one that can't be written is told before the first game
            path.open("ab").close()

        def append(text: str) -> None:
            with path.open("a+b") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(size - 1, 0))
                # a line that was cut off must not swallow the next game's tags
                separator = b"" if size == 0 else b"\n" if file.read(1) == b"\n" else b"\n\n"
                file.write(separator + text.rstrip().encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())

        yield append
