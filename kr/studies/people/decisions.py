"""Decisions: the positions of recorded games with the moves that people played there.

Rows are in the order of the games and of their plies, in the mover's frame: own men, opponent's men, own kings,
opponent's kings, squares 0-31, the board turned by 180 degrees if White is to move. A decision with one distinct legal
move is forced.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kr import _learn, storage
from kr.archives.archive import Archive, ReadSettings, check_any, year_of
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Bits, Move, Side
from kr.openings.decks import opening_plies
from kr.pdn import Game
from kr.settings import check_settings
from kr.text import same_person

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

UNKNOWN_YEAR = 0


@dataclass(frozen=True, eq=False)
class DecisionGames:
    """The games of decisions, arrays (games,)."""

    year: NDArray[np.int16]
    """Year of the game, or UNKNOWN_YEAR."""
    black: NDArray[np.int32]
    """Numbers of the players' names."""
    white: NDArray[np.int32]
    result: NDArray[np.int8]
    """Black's view: 1, 0 or -1; 0 too if unknown."""
    duplicate: NDArray[np.bool_]
    """True for a game with the start and moves of an earlier one."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions as arrays of n rows, or some of them."""

    boards: NDArray[np.uint32]
    """(n, 4) own men, opponent's men, own kings, opponent's kings."""
    before: NDArray[np.uint8]
    """(n, 4) origin and target of the opponent's last move and of the mover's own last one; 32 without one."""
    moves: NDArray[np.uint8]
    """(n, 2) origin and target of the move played."""
    captured: NDArray[np.uint32]
    """(n,) captured squares of it as a bitboard."""
    choices: NDArray[np.uint8]
    """(n,) number of distinct legal moves."""
    side: NDArray[np.uint8]
    """(n,) 0 Black, 1 White."""
    game: NDArray[np.int32]
    """(n,) number of its game."""
    ply: NDArray[np.uint16]
    """(n,) moves before it in the game."""
    prescribed: NDArray[np.bool_]
    """(n,) True for moves of an opening that the game's tags name, which no player chose."""
    games: DecisionGames
    players: tuple[str, ...]
    """Names by number; "" for unknown."""

    def __len__(self) -> int:
        return len(self.boards)

    def of(self, rows: NDArray[np.int64]) -> Decisions:
        """Some of the decisions, by their row numbers; games and players stay."""
        columns = {each.name: getattr(self, each.name)[rows] for each in fields(self)[:-2]}
        return replace(self, **columns)

    @cached_property
    def player(self) -> NDArray[np.int32]:
        """(n,) number of the mover's name."""
        import numpy as np

        return np.where(self.side == Side.BLACK, self.games.black[self.game], self.games.white[self.game])

    @cached_property
    def year(self) -> NDArray[np.int16]:
        """(n,) year of the game, or UNKNOWN_YEAR."""
        return self.games.year[self.game]

    @cached_property
    def pieces(self) -> NDArray[np.int64]:
        """(n,) pieces on the board."""
        import numpy as np

        return np.bitwise_count(self.boards).sum(axis=1, dtype=np.int64)

    @cached_property
    def signature(self) -> str:
        """Identity of the positions, the moves, and the games they are of."""
        return storage.checksum(self.boards, self.moves, self.captured, self.game)

    def facts(self) -> dict[str, int]:
        """Counts for a card: games, duplicates, decisions, forced and prescribed ones among those that count."""
        import numpy as np

        counted = ~self.games.duplicate[self.game]
        return {
            "games": len(self.games.year),
            "duplicate_games": int(self.games.duplicate.sum()),
            "decisions": int(counted.sum()),
            "forced": int((counted & (self.choices == 1)).sum()),
            "prescribed": int((counted & self.prescribed).sum()),
            "players": len(self.players) - ("" in self.players),
            "first_year": int(np.min(self.games.year[self.games.year > UNKNOWN_YEAR], initial=9999)),
            "last_year": int(self.games.year.max(initial=0)),
        }


def read_decisions(
    settings: ReadSettings,
    on_bytes: Callable[[int], None] | None = None,
    on_error: Callable[[Path, InvalidPdnError], None] | None = None,
) -> Decisions:
    """The decisions of all games in PDN files.

    on_bytes: called with the number of bytes read since the last call; on_error: for each unreadable game, which is
    left out. Raises InvalidSettingError for a missing file or games without a move, InvalidPdnError for a damaged
    file or one without a readable game.
    """
    check_settings(settings, ReadSettings)
    return decisions_of(Archive(settings, on_bytes=on_bytes, on_error=on_error))


def decisions_of(archive: Archive) -> Decisions:
    """The decisions of an archive. Raises InvalidSettingError and InvalidPdnError as `read_decisions` does."""
    gathered = _Columns()
    for _, game in archive:
        gathered.add(game)
    check_any(archive, len(gathered.years))
    if not gathered.captured:
        names = ", ".join(report.file.name for report in archive.reports)
        raise InvalidSettingError(f"{names}: no game with a move; expected PDN games")
    return gathered.decisions()


class _Columns:
    """Games on their way into arrays."""

    def __init__(self) -> None:
        self.starts, self.sides, self.firsts = array("I"), bytearray(), array("q", [0])
        self.squares, self.captured = bytearray(), array("I")
        self.years, self.black, self.white, self.results = array("h"), array("i"), array("i"), array("b")
        self.openings = array("i")
        self.duplicate = bytearray()
        self._names: dict[str, int] = {}
        self._spelling: dict[str, str] = {}
        self._identities: set[int] = set()

    def add(self, game: Game) -> None:
        """Add a game; where positions are set up within it, each piece that follows one as a game of its own."""
        for number, (board, moves) in enumerate(game.stretches()):
            if moves or number == 0:
                self._add(game, board, moves, 0 if number else opening_plies(game))

    def _add(self, game: Game, board: Bits, moves: list[Move], prescribed: int) -> None:
        black, white, kings, side = board
        self.starts.extend((black, white, kings))
        self.sides.append(side)
        begin = len(self.captured)
        for move in moves:
            path = move.path
            self.squares.append(path[0])
            self.squares.append(path[-1])
            self.captured.append(move.captured)
        self.firsts.append(len(self.captured))
        self.years.append(year_of(game.headers) or UNKNOWN_YEAR)
        for names, tag in ((self.black, "Black"), (self.white, "White")):
            name = " ".join(game.headers.get(tag, "").split())
            name = self._spelling.setdefault(same_person(name), name)
            names.append(self._names.setdefault(name, len(self._names)))
        self.results.append(0 if game.winner is None else 1 if game.winner is Side.BLACK else -1)
        self.openings.append(prescribed)
        # with 64 bits, two different games among a million collide with a chance of 1 in 37 million
        identity = hash((board, bytes(self.squares[2 * begin :]), self.captured[begin:].tobytes()))
        self.duplicate.append(identity in self._identities)
        self._identities.add(identity)

    def decisions(self) -> Decisions:
        """The decisions of the games so far."""
        import numpy as np

        first = np.array(self.firsts, dtype=np.int64)
        boards, before, moves, captured, side, choices = _learn.decisions_of_games(
            np.array(self.starts, dtype=np.uint32).reshape(-1, 3),
            np.frombuffer(bytes(self.sides), dtype=np.uint8),
            first,
            np.frombuffer(bytes(self.squares), dtype=np.uint8).reshape(-1, 2),
            np.array(self.captured, dtype=np.uint32),
        )
        plies = np.diff(first)
        game = np.repeat(np.arange(len(plies), dtype=np.int32), plies)
        ply = np.arange(len(boards), dtype=np.int64) - first[game]
        games = DecisionGames(
            np.array(self.years, dtype=np.int16),
            np.array(self.black, dtype=np.int32),
            np.array(self.white, dtype=np.int32),
            np.array(self.results, dtype=np.int8),
            np.frombuffer(bytes(self.duplicate), dtype=np.bool_),
        )
        prescribed = ply < np.array(self.openings, dtype=np.int64)[game]
        return Decisions(
            boards, before, moves, captured, choices, side, game, ply.astype(np.uint16), prescribed, games,
            tuple(self._names),
        )  # fmt: skip
