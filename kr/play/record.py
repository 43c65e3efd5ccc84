"""The game as a file in PDN: kept after each move, resumed later."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

from kr.egdb.database import default_directory
from kr.engine.limits import Clock, Limits, TimeControl
from kr.errors import InvalidSettingError
from kr.game.board import Board
from kr.game.position import Move, Position, Side
from kr.game.value import Result
from kr.openings.decks import opening_plies
from kr.pdn import ENGLISH, Game, GameNode, read_games, write_game
from kr.players.player import Reply
from kr.storage import check_output, write_atomic

NO_FILE = "none"

_SCORE = re.compile(r"([+-]\d{1,4}\.\d\d)/\d+ ")


def default_path(now: datetime.datetime) -> Path:
    """Where a game is kept if nothing else is said: in the user's data directory, by the time it began."""
    return default_directory().parent / "games" / f"{now:%Y%m%d-%H%M%S}.pdn"


class PlayRecord:
    """The tree of a game, its end, and the file it is kept in; path: None where it is kept in none."""

    def __init__(self, game: Game, path: Path | None) -> None:
        self.game = game
        self.path = path
        self.kept = False
        """Whether the file has the game as it is."""
        self.opening = opening_plies(game)
        """Plies at the beginning that nobody at the board chose, and nobody takes back."""
        self._end: GameNode = game.end()
        self._copies: set[Path] = set()

    @classmethod
    def begin(
        cls, start: Position, headers: Mapping[str, str], path: Path | None, line: Iterable[Move] = ()
    ) -> PlayRecord:
        """A new game, after the moves of an opening that its tag Opening names; its file is written with the first move
        at the board. Raises InvalidSettingError where the file is there.
        """
        if path is not None:
            check_output(path)
            if path.exists():
                raise InvalidSettingError(f"{path} exists: resume it with --resume, or give another name")
        tags = {"Event": "kr play", "Site": "?", **headers, "Result": Result.UNFINISHED, "GameType": ENGLISH}
        return cls(Game(tags, start, line), path)

    @classmethod
    def resume(cls, path: Path) -> PlayRecord:
        """The game of a file, with its comments and variations.

        Raises InvalidSettingError unless it holds one unfinished game, InvalidPdnError, OSError.
        """
        if not path.is_file():
            raise InvalidSettingError(f"{path}: no such file to resume; kr play says where it keeps a game")
        games = [game for game, _ in zip(read_games(path), range(2), strict=False)]
        if len(games) != 1:
            held = "no game" if not games else "several games"
            raise InvalidSettingError(f"{path} holds {held}: a file of one unfinished game can be resumed")
        (game,) = games
        if game.result != Result.UNFINISHED:
            end = game.headers.get("Termination", "finished")
            raise InvalidSettingError(f"{path}: the game is over, {game.result} ({end}); start another one")
        record = cls(game, path)
        record.kept = True
        return record

    @property
    def is_begun(self) -> bool:
        """Whether a move was made at the board."""
        return any(True for _ in islice(self.game.mainline(), self.opening, None))

    def board(self) -> Board:
        """The game from its start to the last move."""
        board = Board(self.game.start)
        for move in self.game.mainline_moves():
            board.play(move)
        return board

    def add(self, move: Move, seconds: float, left: float | None, reply: Reply | None) -> None:
        """Add a move that took so long, with what is left on the mover's clock and what its engine thought."""
        node = self._end.add_variation(move, comment=reply.note() if reply else "")
        node.set_emt(round(seconds, 3))
        if left is not None:
            node.set_clock(round(left, 3))
        self._end, self.kept = node, False

    def undo(self, plies: int) -> None:
        """Drop the last moves."""
        for _ in range(plies):
            node, parent = self._end, self._end.parent
            assert parent is not None
            parent.variations = [other for other in parent.variations if other is not node]
            self._end = parent
        self.kept = False

    def scores(self, side: Side) -> list[int]:
        """What the engine of a side has thought so far: centi-men, its own view."""
        found = []
        for ply, node in enumerate(self.game.mainline()):
            if (self.game.start.side + ply) % 2 == side and (score := _SCORE.search(node.comment)):
                found.append(round(100 * float(score[1])))
        return found

    def clock(self, side: Side, control: Limits | TimeControl) -> Clock:
        """A side's clock as it is after its last move."""
        clock = Clock(control)
        for ply, node in enumerate(self.game.mainline()):
            if ply >= self.opening and (self.game.start.side + ply) % 2 == side:
                # counts the moves to the next time control; what is left of the time itself is written down
                clock.stop(0.0)
                if isinstance(control, TimeControl) and (left := node.clock()) is not None:
                    clock.left = left
        return clock

    def finish(self, result: Result, termination: str) -> None:
        """Enter the result."""
        self.game.result = self.game.headers["Result"] = result
        self.game.headers["Termination"] = termination
        self.kept = False

    def save(self) -> None:
        """Write the file, if there is one and something to keep. Raises OSError."""
        if self.path is not None and not self.kept and (self.path.exists() or self.is_begun):
            write_atomic(self.path, write_game(self.game))
            self.kept = True

    def copy_to(self, path: Path) -> None:
        """Write the game to another file. Raises InvalidSettingError where there is one of something else, OSError."""
        if path.exists() and path != self.path and path not in self._copies:
            raise InvalidSettingError(f"{path} exists: give another name")
        write_atomic(path, write_game(self.game))
        self._copies.add(path)
