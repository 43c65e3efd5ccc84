"""The game as a file in PDN: saved after each move, resumed later."""

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
from kr.storage import check_output, no_file, write_atomic

NO_FILE = "none"

_SCORE = re.compile(r"([+-]\d{1,4}\.\d\d)/\d+ ")


def default_path(now: datetime.datetime) -> Path:
    """Default file of a game: in the user's data directory, named by the time it began."""
    return default_directory().parent / "games" / f"{now:%Y%m%d-%H%M%S}.pdn"


class PlayRecord:
    """A game as a PDN tree, and its file. path: None for a game without a file."""

    def __init__(self, game: Game, path: Path | None) -> None:
        self.game = game
        self.path = path
        self.saved = False
        """True if the file is up to date."""
        self.opening = opening_plies(game)
        """Plies of the opening, which were not chosen at the board and can't be taken back."""
        self._end: GameNode = game.end()
        self._copies: set[Path] = set()

    @classmethod
    def begin(
        cls, start: Position, headers: Mapping[str, str], path: Path | None, line: Iterable[Move] = ()
    ) -> PlayRecord:
        """Begin a game after the moves of an opening, which the tag Opening names.

        Its file is written with the first move at the board. Raises InvalidSettingError if the file exists.
        """
        if path is not None:
            check_output(path)
            if path.exists():
                raise InvalidSettingError(f"{path} exists: resume it with --resume, or choose another name")
        tags = {"Event": "kr play", "Site": "?", **headers, "Result": Result.UNFINISHED, "GameType": ENGLISH}
        return cls(Game(tags, start, line), path)

    @classmethod
    def resume(cls, path: Path) -> PlayRecord:
        """Resume the game of a file, with its comments and variations.

        Raises InvalidSettingError unless the file holds one game, which is unfinished; InvalidPdnError, OSError.
        """
        if not path.is_file():
            raise InvalidSettingError(f"{no_file(path)}; kr play names the file of a game when it ends")
        games = [game for game, _ in zip(read_games(path), range(2), strict=False)]
        if len(games) != 1:
            content = "no game" if not games else "several games"
            raise InvalidSettingError(f"{path} holds {content}: expected one unfinished game")
        (game,) = games
        if game.result != Result.UNFINISHED:
            end = game.headers.get("Termination", "finished")
            raise InvalidSettingError(f"{path}: the game is over, {game.result} ({end}); begin a new one")
        record = cls(game, path)
        record.saved = True
        return record

    @property
    def is_begun(self) -> bool:
        """True once a move has been made at the board."""
        return any(True for _ in islice(self.game.mainline(), self.opening, None))

    def board(self) -> Board:
        """The game as a board, at its last move."""
        return self.game.end().board()

    def add(self, move: Move, seconds: float, clock: float | None, reply: Reply | None) -> None:
        """Add a move. seconds: time spent; clock: on the mover's clock; reply: of its engine."""
        node = self._end.add_variation(move, comment=reply.note() if reply else "")
        node.set_emt(round(seconds, 3))
        if clock is not None:
            node.set_clock(round(clock, 3))
        self._end, self.saved = node, False

    def undo(self, plies: int) -> None:
        """Remove the last moves."""
        for _ in range(plies):
            node, parent = self._end, self._end.parent
            assert parent is not None
            parent.variations = [other for other in parent.variations if other is not node]
            self._end = parent
        self.saved = False

    def scores(self, side: Side) -> list[int]:
        """Scores of a side's engine so far, in centi-men, its own view."""
        scores = []
        for ply, node in enumerate(self.game.mainline()):
            if (self.game.start.side + ply) % 2 == side and (score := _SCORE.search(node.comment)):
                scores.append(round(100 * float(score[1])))
        return scores

    def clock(self, side: Side, control: Limits | TimeControl) -> Clock:
        """Clock of a side after its last move."""
        clock = Clock(control)
        for ply, node in enumerate(self.game.mainline()):
            if ply >= self.opening and (self.game.start.side + ply) % 2 == side:
                # this counts the moves to the next time control; the time left stands in the file
                clock.stop(0.0)
                if isinstance(control, TimeControl) and (seconds := node.clock()) is not None:
                    clock.left = seconds
        return clock

    def finish(self, result: Result, termination: str) -> None:
        """Enter the result and the reason for it."""
        self.game.result = self.game.headers["Result"] = result
        self.game.headers["Termination"] = termination
        self.saved = False

    def save(self) -> None:
        """Write the file, if there is one and it is out of date. Raises OSError."""
        if self.path is not None and not self.saved and (self.path.exists() or self.is_begun):
            write_atomic(self.path, write_game(self.game))
            self.saved = True

    def copy_to(self, path: Path) -> None:
        """Write the game to another file. Raises InvalidSettingError if it exists already, OSError."""
        if path.exists() and path != self.path and path not in self._copies:
            raise InvalidSettingError(f"{path} exists: choose another name")
        write_atomic(path, write_game(self.game))
        self._copies.add(path)
