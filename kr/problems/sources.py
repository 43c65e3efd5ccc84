"""Where `kr problem find` looks: games of archives and of self-play, and positions of the endgame database.

Each source comes as lots, the work of one unit: games with their moves, or a seed from which positions are drawn. The
same sources and settings give the same lots in the same order.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from kr.archives.archive import Archive, ReadSettings, year_of
from kr.egdb import slices
from kr.egdb.database import Database
from kr.egdb.sample import random_positions, slices_of
from kr.egdb.slices import Shape
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Move, Position, Side
from kr.learn.games import decoded_moves, game_files, read_shard, run_directories, stored_games
from kr.notation import SQUARES
from kr.pdn import Game, is_pdn
from kr.problems.themes import Theme
from kr.storage import no_file
from kr.text import visible

EGDB_SOURCE = "egdb"
GAMES_OF_A_LOT = 50
POSITIONS_OF_A_LOT = 2_000
LONGEST_SOURCE = 100
"""Characters of the text that says where a puzzle comes from."""
SET_UP_THEMES = {Theme.FIRST_POSITION, Theme.BRIDGE, Theme.IN_AND_OUT}
"""Themes for which pieces are set up, since chance hardly ever does."""

Lot = dict[str, Any]
"""Work of a unit as JSON types: `games`, each with `source`, `start` and `moves`; or `seed`, `count`, `pieces` and
`themes` for positions of the database."""


@dataclass(frozen=True)
class PlacedLot:
    """A lot, and how much of its source is read with it."""

    lot: Lot
    share: float
    """From 0 to 1; those of a source add up to 1."""


@dataclass(frozen=True)
class LotChoice:
    """What of the sources is looked at."""

    seed: int = 1
    share: float = 1.0
    """Share of the games, chosen by the seed."""
    positions: int = 100_000
    """Positions of the database."""
    pieces: str = "4-7"
    themes: Sequence[str] = ()
    """Themes wanted of them; empty for any."""

    def has(self, number: int) -> bool:
        """True if the game with this number in its source, from 0, is looked at."""
        return self.share >= 1 or random.Random(f"{self.seed}/{number}").random() < self.share


def lots_of(source: str, choice: LotChoice, on_error: Callable[[InvalidPdnError], None]) -> Iterator[PlacedLot]:
    """The lots of a source: egdb, a PDN file or a folder of them, or a run directory of self-play.

    on_error: called for each game that can't be read. Raises InvalidSettingError, InvalidPdnError, InvalidGamesError.
    """
    if source == EGDB_SOURCE:
        yield from _drawn_lots(choice)
        return
    path = Path(source)
    if not path.exists():
        raise InvalidSettingError(no_file(path, f"PDN, a run directory of kr selfplay, or {EGDB_SOURCE}"))
    if path.is_file() and not is_pdn(path):
        raise InvalidSettingError(f"{source} is not a PDN file by its name; expected .pdn, also packed: .pdn.xz")
    runs = [run for run in run_directories([path]) if path.is_dir() and any(run.glob("shard-*"))]
    yield from _shard_lots(runs, choice) if runs else _archive_lots(path, choice, on_error)


def _drawn_lots(choice: LotChoice) -> Iterator[PlacedLot]:
    positions = choice.positions
    for first in range(0, positions, POSITIONS_OF_A_LOT):
        count = min(POSITIONS_OF_A_LOT, positions - first)
        lot = {"seed": f"{choice.seed}/{first}", "count": count, "pieces": choice.pieces, "themes": list(choice.themes)}
        yield PlacedLot(lot, count / positions)


def _archive_lots(path: Path, choice: LotChoice, on_error: Callable[[InvalidPdnError], None]) -> Iterator[PlacedLot]:
    read, before = 0, 0

    def on_bytes(count: int) -> None:
        nonlocal read
        read += count

    archive = Archive(ReadSettings((path,)), on_bytes=on_bytes, on_error=lambda _, error: on_error(error))
    games = (game for number, (_, game) in enumerate(archive) if choice.has(number))
    while chunk := list(islice(games, GAMES_OF_A_LOT)):
        yield PlacedLot({"games": [_game(game) for game in chunk]}, (read - before) / max(1, archive.size))
        before = read


def _game(game: Game) -> Lot:
    _, moves = next(game.stretches())
    return {"source": game_source(game), "start": list(game.start.bits), "moves": [_code(move) for move in moves]}


def game_source(game: Game) -> str:
    """Event, players and year of a game, on one line and shortened."""
    headers = game.headers
    event = visible(headers.get("Event", "")).strip()
    players = " v ".join(filter(None, (visible(headers.get(name, "")).strip() for name in ("Black", "White"))))
    year = year_of(headers)
    words = [text for text in (event, players) if text and text != "?"]
    if year is not None and str(year) not in event:
        words.append(str(year))
    return ", ".join(words)[:LONGEST_SOURCE] or "an archive"


def _shard_lots(runs: Sequence[Path], choice: LotChoice) -> Iterator[PlacedLot]:
    files = [file for run in runs for file in game_files(run)]
    for file in files:
        shard = read_shard(file)
        records = (record for record in stored_games(shard) if choice.has(record.game))
        while chunk := list(islice(records, GAMES_OF_A_LOT)):
            games = [
                {"source": f"kr self-play, seed {shard.seed}, game {record.game}", "start": list(record.start),
                 "moves": [_code(move) for move in decoded_moves(record)]}
                for record in chunk
            ]  # fmt: skip
            yield PlacedLot({"games": games}, len(chunk) / (len(shard) * choice.share * len(files)))


def _code(move: Move) -> list[int]:
    return [move.origin, move.target, move.captured]


def game_positions(game: Lot) -> Iterator[Position]:
    """The positions of a game, from its start on. Raises IllegalMoveError."""
    position = Position.from_bits(tuple(game["start"]))
    yield position
    for origin, target, captured in game["moves"]:
        position = position.play(position.find_move(origin, target, captured))
        yield position


def drawn_positions(lot: Lot, database: Database) -> list[Position]:
    """The positions of a lot from the database. Raises InvalidSettingError if it has none with these pieces."""
    shapes = [shape for shape in slices_of(lot["pieces"]) if database.has_class(_sides(shape))]
    if not shapes:
        raise InvalidSettingError(f"the endgame database, {database.reach}, has no positions of {lot['pieces']} pieces")
    source = random.Random(lot["seed"])
    themes = set(lot["themes"])
    if themes and themes <= SET_UP_THEMES:
        most = max(map(slices.pieces, shapes))
        made = (_set_up(source.choice(sorted(themes)), source, most) for _ in range(lot["count"]))
        return [position for position in made if position is not None and database.has(position)]
    return list(islice(random_positions(shapes, source), lot["count"]))


def _sides(shape: Shape) -> tuple[int, int]:
    return sum(shape[:2]), sum(shape[2:])


_SQUARES_OF_BLACK_KING = [18, 19, 22, 23, 26, 27, 30, 31]


def _set_up(theme: str, source: random.Random, most: int) -> Position | None:
    """A random position of up to so many pieces, set up for a theme; None if it came out without one of White's."""
    black, white, kings, barred, side = 0, 0, 0, 0, source.choice(list(Side))
    if theme == Theme.FIRST_POSITION:
        king = source.choice(_SQUARES_OF_BLACK_KING)
        black, kings = 1 << 11 | 1 << king, 1 << king
        counts = 0, 2
    elif theme == Theme.BRIDGE:
        black = 0b101
        more = source.randint(1, max(1, most - 3))
        own = source.randint(0, more - 1)
        counts = own, more - own
    else:
        black, white, barred = _before_the_king_row(source)
        own = source.randint(0, most - 3)
        counts, side = (own, source.randint(0, most - 3 - own)), Side.WHITE
    free = [square for square in range(SQUARES) if not (black | white | barred) >> square & 1]
    source.shuffle(free)
    for number in range(sum(counts)):
        square = free.pop()
        of_black = number < counts[0]
        king_row = square >= 28 if of_black else square < 4
        kings |= (1 << square) * (king_row or source.random() < 0.5)
        if of_black:
            black |= 1 << square
        else:
            white |= 1 << square
    if not white:
        return None
    position = Position(black, white, kings, side)
    return position.flipped() if source.random() < 0.5 else position


def _before_the_king_row(source: random.Random) -> tuple[int, int, int]:
    """A man of Black, two of White, and squares to leave empty, as bitboards: if White moves a man of the king row
    forward, Black captures it, lands in the king row, and could capture the other and leave it.
    """
    while True:
        column, step = source.randrange(8), source.choice((-1, 1))
        places = [(5, column), (7, column), (6, column + 3 * step)]
        empty = [(6, column + step), (7, column + 2 * step), (5, column + 4 * step)]
        squares = [_square(*place) for place in places + empty]
        if None not in squares:
            man, first, second, *rest = (1 << square for square in squares if square is not None)
            return man, first | second, sum(rest)


def _square(row: int, column: int) -> int | None:
    """The square 0-31 of a row and a column from 0 to 7; None if it is light or off the board."""
    dark = (row + column) % 2 == 1
    return 4 * row + column // 2 if dark and 0 <= column < 8 else None
