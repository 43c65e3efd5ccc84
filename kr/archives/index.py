"""An archive with its index: moves played in a position, the games behind them, and searches without reading the file.

index = open_index(Path("archive.pdn.xz"))
hits = index.find(SearchSettings(files=(index.source,), player=("Tinsley",), position=Position().fen))
for move, record in index.moves(Position(), hits):
    print(move, record.games, record.score)
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr.archives.index_build import OnShare, remove_index, update_index
from kr.archives.index_file import (
    POSITION_COLUMNS,
    TEXTS_A_BLOCK,
    Columns,
    open_for_reading,
    read_segments,
    telling_damage,
    unpacked_positions,
    unpacked_texts,
)
from kr.archives.search import SearchSettings, tag_holds
from kr.errors import InvalidIndexError, InvalidSettingError
from kr.game.board import PositionLike, position_of
from kr.game.position import Move, Position
from kr.game.value import Result
from kr.openings.names import find_opening
from kr.pdn import RESULTS, Game, Reader, read_game
from kr.pdn.grammar import plain_result
from kr.pdn.scan import NO_CODE
from kr.text import plain_name

CACHED_CHARACTERS = 1 << 24
"""Most characters of texts that stay unpacked, but for those of one block."""
CACHED_MASKS = 16
"""Most searches by tags whose games are remembered."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Record:
    """Results of games. Wins are those of the side named, also in games matched with colours reversed."""

    games: int = 0
    black_wins: int = 0
    draws: int = 0
    white_wins: int = 0
    other: int = 0
    """Unfinished, unknown, or lost by both."""
    first_year: int | None = None
    last_year: int | None = None

    @property
    def score(self) -> float | None:
        """Black's points per game, 0 to 1, a draw being half a point; None if no game was won or drawn."""
        scored = self.black_wins + self.draws + self.white_wins
        return (self.black_wins + self.draws / 2) / scored if scored else None

    def __add__(self, other: Record) -> Record:
        years = [year for each in (self, other) for year in (each.first_year, each.last_year) if year is not None]
        return Record(
            self.games + other.games,
            self.black_wins + other.black_wins,
            self.draws + other.draws,
            self.white_wins + other.white_wins,
            self.other + other.other,
            min(years, default=None),
            max(years, default=None),
        )


@dataclass(frozen=True, slots=True)
class Hits:
    """Games that match a search, in the order of the archive, each once."""

    games: NDArray[np.int64]
    """Numbers of the games, from 0."""
    plies: NDArray[np.int64]
    """Moves before the position first came; 0 for a search without a position."""
    turned: Mask
    """True where it came with colours and board reversed."""
    codes: NDArray[np.uint16]
    """Code of the move played there, in the position of the search; NO_CODE for none."""

    def __len__(self) -> int:
        return len(self.games)


class ArchiveIndex:
    """The index of an archive, open for queries. Several threads may use it.

    Raises InvalidIndexError, as does every query that meets damage; `rebuild` then mends it.
    """

    def __init__(self, path: Path, source: Path) -> None:
        self.path, self.source = path, source
        self._lock = threading.Lock()
        self._blocks: OrderedDict[int, list[str]] = OrderedDict()
        self._characters = 0
        self._masks: OrderedDict[SearchSettings, Mask] = OrderedDict()
        self._file = open_for_reading(path)
        # it is part of a cycle: it would stay open until the garbage collector finds it
        weakref.finalize(self, self._file.close)
        try:
            with telling_damage(path):
                segments = read_segments(self._file)
                self._first_keys = [segment.first_keys for segment in segments]
                self._firsts = np.cumsum([0, *(segment.games for segment in segments)])
                names = segments[0].columns if segments else {}
                self._columns: Columns = {
                    name: np.concatenate([segment.columns[name] for segment in segments]) for name in names
                }
        except BaseException:
            self._file.close()
            raise
        self.left_out = sum(segment.left_out for segment in segments)
        """Games of the archive that could not be read."""
        self.complaints = [complaint for segment in segments for complaint in segment.complaints]
        """Errors of the first of them."""

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> ArchiveIndex:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of games."""
        return int(self._firsts[-1])

    # --- games

    def text(self, number: int) -> str:
        """The PDN text of a game, by its number from 0. Raises InvalidSettingError if there is none."""
        if not 0 <= number < len(self):
            raise InvalidSettingError(f"there is no game {number + 1}: the archive has {len(self)}")
        segment = int(np.searchsorted(self._firsts, number, "right")) - 1
        block, place = divmod(number - int(self._firsts[segment]), TEXTS_A_BLOCK)
        with telling_damage(self.path):
            return self._block(segment << 32 | block)[place]

    def game(self, number: int) -> Game:
        """A game by its number from 0. Raises InvalidSettingError if there is none."""
        game = read_game(self.text(number) + "\n")
        if game is None:
            raise InvalidIndexError(f"{self.path} is damaged: game {number + 1} is missing")
        game.line = self.line(number)
        return game

    def headers(self, number: int) -> dict[str, str]:
        """The headers of a game."""
        return headers_of(self.text(number))

    def line(self, number: int) -> int:
        """Line of the archive at which a game begins."""
        return int(self._columns["line"][number])

    def result(self, number: int) -> Result:
        """Result of a game."""
        return Result(RESULTS[self._columns["result"][number]])

    def plies(self, number: int) -> int:
        """Number of moves of a game."""
        return int(self._columns["plies"][number])

    @property
    def years(self) -> NDArray[np.uint16]:
        """Year of each game; 0 where it is unknown."""
        return self._columns["year"] if self._columns else np.empty(0, np.uint16)

    def _block(self, id: int) -> list[str]:
        with self._lock:
            if id not in self._blocks:
                ((content,),) = self._file.rows("SELECT content FROM texts WHERE id = ?", (id,))
                self._blocks[id] = unpacked_texts(content)
                self._characters += sum(map(len, self._blocks[id]))
                while len(self._blocks) > 1 and self._characters > CACHED_CHARACTERS:
                    self._characters -= sum(map(len, self._blocks.popitem(last=False)[1]))
            self._blocks.move_to_end(id)
            return self._blocks[id]

    # --- positions

    def moves(self, position: PositionLike, hits: Hits) -> list[tuple[Move, Record]]:
        """The moves played in a position by games with it, the most frequent first."""
        records: list[tuple[Move, Record]] = []
        for code, move in move_codes(position_of(position)).items():
            rows = hits.codes == code
            if rows.any():
                records.append((move, self.record(hits, rows)))
        return sorted(records, key=lambda each: -each[1].games)

    def record(self, hits: Hits, rows: Mask | None = None) -> Record:
        """Results of the games, or of the rows chosen among them."""
        games, turned = hits.games, hits.turned
        if rows is not None:
            games, turned = games[rows], turned[rows]
        if not len(games):
            return Record()
        results = self._columns["result"][games]
        black, white, draws = (RESULTS.index(result) for result in ("1-0", "0-1", "1/2-1/2"))
        counts = np.bincount(results[~turned], minlength=len(RESULTS))
        swapped = np.bincount(results[turned], minlength=len(RESULTS))
        wins = int(counts[black] + swapped[white]), int(counts[white] + swapped[black])
        drawn = int(counts[draws] + swapped[draws])
        years = self._columns["year"][games]
        years = years[years > 0]
        span = (int(years.min()), int(years.max())) if len(years) else (None, None)
        return Record(len(games), wins[0], drawn, wins[1], len(games) - sum(wins) - drawn, *span)

    def find(self, settings: SearchSettings) -> Hits:
        """The games that meet all conditions, as in `GameSearch`.

        Raises InvalidFenError, IllegalMoveError, and InvalidSettingError, also for a search in variations.
        """
        if settings.in_variations:
            raise InvalidSettingError("positions of variations are not in the index")
        mask = self._meeting(settings)
        if not settings.position:
            games = np.flatnonzero(mask)
            none = np.zeros(len(games), np.int64)
            return Hits(games, none, none.astype(bool), np.full(len(games), NO_CODE, np.uint16))
        position = Position.from_fen(settings.position)
        columns = self._occurrences(position)
        turned = np.zeros(len(columns["key"]), bool)
        if settings.reversed:
            others = self._occurrences(position.flipped())
            others["code"] = _turned_codes(position)[others["code"]]
            turned = np.concatenate([turned, np.ones(len(others["key"]), bool)])
            columns = {name: np.concatenate([columns[name], others[name]]) for name in columns}
        meets = mask[columns["game"]]
        columns, turned = {name: each[meets] for name, each in columns.items()}, turned[meets]
        # each game once, where the position came first
        order = np.lexsort((columns["ply"], columns["game"]))
        games = columns["game"][order]
        order = order[np.concatenate([[True], games[1:] != games[:-1]])[: len(games)]]
        return Hits(
            columns["game"][order].astype(np.int64), columns["ply"][order].astype(np.int64), turned[order],
            columns["code"][order],
        )  # fmt: skip

    def _occurrences(self, position: Position) -> Columns:
        """Occurrences of a position in the games, by game and ply."""
        key = np.uint64(position.key)
        parts: list[Columns] = []
        for segment, first_keys in enumerate(self._first_keys):
            first = max(0, int(np.searchsorted(first_keys, key, "left")) - 1)
            last = int(np.searchsorted(first_keys, key, "right"))
            with self._lock, telling_damage(self.path):
                rows = self._file.rows(
                    "SELECT rows, content FROM positions WHERE id >= ? AND id < ? ORDER BY id",
                    (segment << 32 | first, segment << 32 | last),
                )
                if len(rows) != max(0, last - first):
                    raise ValueError("positions are missing")
            for count, content in rows:
                with telling_damage(self.path):
                    chunk = unpacked_positions(content, count)
                begin, end = np.searchsorted(chunk["key"], key, "left"), np.searchsorted(chunk["key"], key, "right")
                if begin < end:
                    parts.append({name: each[begin:end] for name, each in chunk.items()})
        if not parts:
            return {name: np.empty(0, kind) for name, kind in POSITION_COLUMNS.items()}
        occurrences = {name: np.concatenate([part[name] for part in parts]) for name in POSITION_COLUMNS}
        if int(occurrences["game"].max()) >= len(self):
            raise InvalidIndexError(f"{self.path} is damaged: a position of a game that does not exist")
        return occurrences

    # --- tags

    def players(self, text: str, most: int) -> list[tuple[str, int]]:
        """Names of players with a part in common with a text, and their numbers of games, the most active first."""
        part = plain_name(text)
        numbers, folded, games = self._players
        matching = [number for number in numbers if part in folded[number]]
        # names that begin with the text come before those that have it inside
        matching.sort(key=lambda number: (not folded[number].startswith(part), -games[number]))
        return [(self._names[number], int(games[number])) for number in matching[:most]]

    @cached_property
    def _names(self) -> list[str]:
        with self._lock, telling_damage(self.path):
            names = [text for (text,) in self._file.rows("SELECT text FROM names ORDER BY id")]
            if not all(isinstance(name, str) for name in names):
                raise ValueError("a name that is not text")
            return names

    @cached_property
    def _players(self) -> tuple[list[int], list[str], NDArray[np.int64]]:
        """Numbers of the names of players, all names as they are compared, and games by name."""
        folded = [plain_name(name) for name in self._names]
        if not self._columns:
            return [], folded, np.zeros(len(folded), np.int64)
        with telling_damage(self.path):
            if any((self._columns[side] >= len(folded)).any() for side in ("black", "white")):
                raise ValueError("a player without a name")
        both = (np.bincount(self._columns[side], minlength=len(folded)) for side in ("black", "white"))
        games = np.add(*both)
        return [number for number in np.flatnonzero(games).tolist() if folded[number].strip(" ?")], folded, games

    def _meeting(self, settings: SearchSettings) -> Mask:
        """True for each game that meets all conditions but the position."""
        settings = replace(settings, position="", reversed=False, out=None, limit=0)
        with self._lock:
            if settings in self._masks:
                self._masks.move_to_end(settings)
                return self._masks[settings]
        mask = self._conditions(settings)
        with self._lock:
            self._masks[settings] = mask
            if len(self._masks) > CACHED_MASKS:
                self._masks.popitem(last=False)
        return mask

    def _conditions(self, settings: SearchSettings) -> Mask:
        mask = np.ones(len(self), bool)
        if not self._columns:
            return mask
        columns = self._columns
        for name in settings.player:
            mask &= self._named("black", name) | self._named("white", name)
        for column, part in (("black", settings.black), ("white", settings.white), ("event", settings.event)):
            if part:
                mask &= self._named(column, part)
        if years := settings.years():
            mask &= (columns["year"] >= years[0]) & (columns["year"] <= years[1]) & (columns["year"] > 0)
        if settings.result:
            mask &= columns["result"] == RESULTS.index(plain_result(settings.result))
        if settings.ballot:
            mask &= self._opening(settings.ballot)
        for tag in settings.tag:
            for number in np.flatnonzero(mask).tolist():
                mask[number] = tag_holds(self.headers(number), tag)
        return mask

    def _named(self, column: str, part: str) -> Mask:
        plain = plain_name(part)
        _, folded, _ = self._players
        hits = np.fromiter((plain in name for name in folded), bool, len(folded))
        with telling_damage(self.path):
            return hits[self._columns[column]]

    def _opening(self, text: str) -> Mask:
        mask = np.zeros(len(self), bool)
        for line in find_opening(text):
            where = self._occurrences(Position.from_bits(line.board))
            set_up = self._columns["set_up"][where["game"]] > 0
            # a game that starts elsewhere has the opening it starts with
            opens = np.where(set_up, where["ply"] == 0, where["ply"] == line.plies)
            mask[where["game"][opens]] = True
        return mask


def open_index(source: Path, on_share: OnShare = lambda share: None) -> ArchiveIndex:
    """The index of an archive, made or brought up to date first if need be.

    Raises OutputBusyError if another process is writing it, InvalidPdnError for a damaged archive or one that changes
    meanwhile, and OSError.
    """
    path = update_index(source, on_share)
    try:
        return ArchiveIndex(path, source)
    except InvalidIndexError:
        return _rebuilt(path, source, on_share)


def rebuild(index: ArchiveIndex, on_share: OnShare = lambda share: None) -> ArchiveIndex:
    """Make a damaged index anew; raises as `open_index` does."""
    index.close()
    return _rebuilt(index.path, index.source, on_share)


def _rebuilt(path: Path, source: Path, on_share: OnShare) -> ArchiveIndex:
    remove_index(path)
    return ArchiveIndex(update_index(source, on_share), source)


def headers_of(text: str) -> dict[str, str]:
    """Headers of the PDN of a game."""
    notes: list[dict[str, str]] = []

    def note(headers: Mapping[str, str]) -> bool:
        notes.append(dict(headers))
        return False

    with closing(Reader(text + "\n", where=note, on_error=lambda error: None)) as reader:
        reader.read_game()
    return notes[0] if notes else {}


def move_codes(position: Position) -> dict[int, Move]:
    """The legal moves by the 16-bit codes with which they are stored."""
    codes: dict[int, Move] = {}
    seen: set[tuple[int, int, int]] = set()
    variants: dict[tuple[int, int], int] = {}
    for move in position.legal_moves():
        if (move.origin, move.target, move.captured) in seen:
            continue
        seen.add((move.origin, move.target, move.captured))
        variant = variants.get((move.origin, move.target), 0)
        variants[move.origin, move.target] = variant + 1
        codes[move.origin | move.target << 5 | variant << 10] = move
    return codes


def _turned_codes(position: Position) -> NDArray[np.uint16]:
    """For each code in the position with colours and board reversed, that of the same move here."""
    here = {(move.origin, move.target, move.captured): code for code, move in move_codes(position).items()}
    table = np.full(1 << 16, NO_CODE, np.uint16)
    for code, move in move_codes(position.flipped()).items():
        captured = int(f"{move.captured:032b}"[::-1], 2)
        table[code] = here[31 - move.origin, 31 - move.target, captured]
    return table
