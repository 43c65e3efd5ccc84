"""Settings of games by DXP: for either side, for one that listens, and for one that connects."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path

from kr import __version__
from kr.book.book import NO_BOOK, OpeningBook, book_option, load_book
from kr.engine.engine import Engine, engine_from
from kr.engine.limits import Limits, TimeControl, parse_limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, threads_option, weights_option
from kr.errors import InvalidSettingError
from kr.game.position import Position, Side
from kr.protocols.dxp_game import Manners
from kr.protocols.dxp_link import (
    LOOPBACK,
    Link,
    parse_address,
)
from kr.protocols.dxp_text import (
    NAME_WIDTH,
    PORT,
)
from kr.protocols.dxp_thinker import Inner
from kr.protocols.talk import TalkLog
from kr.protocols.text import FRAMES, Frame
from kr.settings import Settings, option
from kr.units import format_count, format_duration, parse_count, parse_duration

DXP_COLORS = ("alternate", "black", "white")
USUAL_STARTS = ("refuse", "black", "white")


@dataclass(frozen=True, kw_only=True)
class DxpSettings(Settings):
    """Settings of kr for games by DXP. Raises InvalidSettingError."""

    tc: Limits | TimeControl | None = option(
        None,
        "Limit of each move, 0.3s, nodes=5000 or depth=8, or a clock of kr's own, 5m+3s or 40/30m, in addition to the "
        "game's clock; 1s per move without any of these.",
        parse=parse_limits,
    )
    weights: str | None = weights_option()
    hash: int = hash_option()
    threads: int = threads_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    book: str = book_option(NO_BOOK)
    name: str = option(f"kr {__version__}", f"Name of kr, at most {NAME_WIDTH} characters.")
    chat: str = option("", "Chat at the beginning of each game.", metavar="TEXT")
    takeback: bool = option(True, "Grant requests to go back to an earlier position.")
    claim_time: bool = option(False, "End a game as won once the other side's clock has run out.")
    timeout: float = option(
        600.0,
        "End a game, and the connection, after this much silence.",
        parse=parse_duration,
        show=format_duration,
        above=0,
    )
    frame: str = option("pdn", "Squares of positions sent: {allowed} (turned, as pydraughts does).", choices=FRAMES)
    out: Path | None = option(None, "Append the games to this PDN file.", metavar="FILE")
    log: Path | None = option(
        None, "Write all that is said to the other program and by it into this folder, with times.", metavar="DIR"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tc == Limits():
            raise InvalidSettingError("tc sets no limit: expected, for example, 0.3s, nodes=5000 or depth=8")
        if not self.name.strip() or len(self.name) > NAME_WIDTH:
            raise InvalidSettingError(f"name {self.name!r}: expected 1 to {NAME_WIDTH} characters")

    def manners(self) -> Manners:
        """Settings that matter in a game."""
        frame: Frame = "mover" if self.frame == "mover" else "pdn"
        return Manners(self.tc, self.timeout, self.takeback, self.claim_time, self.chat, frame)

    def engine(self) -> Engine:
        """Engine that plays. Raises what Engine raises."""
        return engine_from(self, self.weights, self.threads)

    def link(self, connection: socket.socket, peer: str) -> Link[Inner]:
        """A connection to another program at an address. Raises ThreadError, and OSError for its log."""
        return Link(connection, None if self.log is None else TalkLog(self.log, f"dxp-{peer}"))

    def opening_book(self) -> OpeningBook | None:
        """Book from which it plays. Raises what load_book raises."""
        return load_book(self.book)


@dataclass(frozen=True, kw_only=True)
class ListenSettings(DxpSettings):
    """Settings of kr as the follower, which waits for games."""

    address: str = option(
        f"{LOOPBACK}:{PORT}",
        f"Address to listen on; only programs on this machine reach {LOOPBACK}.",
        argument=True,
        metavar="HOST:PORT|PORT",
    )
    games: int = option(0, "Games to play; 0: until Ctrl-C.", parse=parse_count, show=format_count)
    usual_start: str = option(
        "refuse",
        "Side that begins if the other program sends no position, which in DXP means the 10x10 start: {allowed}.",
        choices=USUAL_STARTS,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        parse_address(self.address)


@dataclass(frozen=True, kw_only=True)
class ConnectSettings(DxpSettings):
    """Settings of kr as the initiator, which asks for games."""

    address: str = option(
        f"{LOOPBACK}:{PORT}", "Address on which the other program listens.", argument=True, metavar="HOST:PORT|PORT"
    )
    games: int = option(1, "Games to play.", parse=parse_count, show=format_count, low=1)
    color: str = option("alternate", "Color of kr: {allowed} (Black first).", choices=DXP_COLORS)
    fen: str | None = option(None, "Starting position.", metavar="FEN")
    minutes: int = option(
        0, "Clock of each side for the whole game: {allowed}.", metavar="MINUTES", low=1, high=999, zero="none"
    )
    moves: int = option(0, "Moves of each side after which a game ends: {allowed}.", low=1, high=999, zero="no limit")
    reconnect: int = option(
        5, "Attempts to connect, one a second, at the beginning and after a connection is lost.", low=1,
        high=10**6,
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        parse_address(self.address)
        if self.fen is not None:
            Position.from_fen(self.fen)

    def side(self, game: int) -> Side:
        """Side of kr in a game, counted from 0."""
        if self.color == "alternate":
            return Side(game % 2)
        return Side(DXP_COLORS.index(self.color) - 1)
