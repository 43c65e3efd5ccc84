"""The explorer: moves played in a position of an archive, the games behind them, and searches of these.

Archives are numbered: first those of --archive, then the PDN files of the command line, then those that pages have
sent (`uploads.py`); the number of one that is removed is not given again. The index of one is made when a page
first opens it, for all pages; `explorer/open` reports the progress. A request for moves or games has `archives`, the
conditions of `_search`, and `fen`.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from kr.archives.archive import STANDARD_INPUT
from kr.archives.index import ArchiveIndex, Hits, Record, open_index, rebuild
from kr.archives.index_build import is_current
from kr.archives.search import SearchSettings
from kr.errors import InvalidIndexError, InvalidSettingError, KrError, StoppedError
from kr.language.sentences import Told, as_json, sentence
from kr.openings.lines import name_at
from kr.pdn import write_game
from kr.threads import join, start_all
from kr.viewer.positions import move_json, side_name
from kr.web.archives.store import ArchiveStore
from kr.web.house import House
from kr.web.live import Inbox, error_told
from kr.web.request import LONGEST_FEN, PageRequest
from kr.web.services.engines import give_way

LONGEST_TOLD = 300
"""Characters of a text within a complaint about a game."""
GAMES_SHOWN = 20
"""Games on one page of a list."""
NAMES_SHOWN = 12
"""Names that complete what is typed."""
MOST_PLAYERS = 4
MOST_NUMBER = 1 << 32
ROOM_SECONDS = 1.0
"""Time between two looks at the room on the disk, while the index of an archive that a page has sent is being made."""
NEWS_SECONDS = 0.1
"""Time between two reports of an index that is being made."""
ORDERS = ("archive", "newest", "oldest")


class ExploredFile:
    """A PDN file and its index, once a page has asked for it."""

    def __init__(self, path: Path, is_archive: bool, store: ArchiveStore | None = None) -> None:
        self.path, self.is_archive = path, is_archive
        self.store = store
        """Where it lies if a page has sent it; None for a file of the command line."""
        self.share = 0.0
        """Share of the file read so far."""
        self.error: Told = ""
        self._index: ArchiveIndex | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._looked = 0.0

    @property
    def is_opening(self) -> bool:
        """True while the index is being made."""
        return self._thread is not None and self._thread.is_alive()

    def open(self) -> None:
        """Have the index opened, made or brought up to date, in a thread if that takes long. Raises ThreadError."""
        with self._lock:
            if self.is_opening or self._closed:
                return
            self.error = ""
            try:
                if self._index is not None and is_current(self._index.path, self.path):
                    return
            except OSError as error:
                self.error = error_told(error)
                return
            self._start(lambda: open_index(self.path, self._report))

    def index(self) -> ArchiveIndex:
        """The index. Raises InvalidSettingError if it is not open."""
        index = self._index
        if index is None:
            why = self.error or sentence("refused.index_under_way")
            raise InvalidSettingError(sentence("refused.archive_closed", name=self.path.name, why=why))
        return index

    def _close_index(self) -> None:
        """Close the index: what it is made of can't be moved or removed on every system while it is open."""
        index, self._index = self._index, None
        if index is not None:
            index.close()

    def mend(self, index: ArchiveIndex) -> None:
        """Make a damaged index anew."""
        with self._lock:
            if self._index is index and not self.is_opening and not self._closed:
                self._start(lambda: rebuild(index, self._report))

    def make_lasting(self) -> None:
        """Have an archive that a page has sent stay when the server ends. Raises OSError, and ThreadError."""
        assert self.store is not None
        if self.store.is_lasting(self.path):
            return
        self.end_work()
        self._close_index()
        try:
            # what is done of the index moves with it
            self.path = self.store.make_lasting(self.path)
        finally:
            self._closed = False
            self.open()

    def close(self) -> None:
        """Stop what is under way, and close the index."""
        self.end_work()
        self._close_index()

    def end_work(self) -> None:
        """Stop what is under way, for good."""
        with self._lock:
            self._closed = True
        if self._thread is not None:
            join(self._thread)

    def json(self, number: int) -> dict[str, Any]:
        """State of the file for a page."""
        index = self._index
        return {
            "number": number,
            "name": self.path.name,
            "archive": self.is_archive,
            "added": self.store is not None,
            "lasting": self.store is None or self.store.is_lasting(self.path),
            "open": index is not None and not self.is_opening,
            "opening": self.is_opening,
            "share": round(self.share, 3),
            "error": as_json(self.error),
            "games": len(index) if index is not None else None,
            "left_out": index.left_out if index is not None else 0,
            "complaints": _bounded(index.complaints[:20]) if index is not None else [],
        }

    def _start(self, make: Callable[[], ArchiveIndex]) -> None:
        self.share = 0.0
        self._thread = threading.Thread(target=self._make, args=(make,), name="explorer", daemon=True)
        start_all([self._thread], lambda: None)

    def _make(self, make: Callable[[], ArchiveIndex]) -> None:
        give_way()
        try:
            index = make()
        except (KrError, OSError) as error:
            self.error = "" if isinstance(error, StoppedError) else error_told(error)
            return
        if self.store is not None and not len(index):
            self.error = sentence("refused.no_games")
            index.close()
            return
        # one that others still ask is closed when the last of them is done
        self._index, self.share = index, 1.0

    def _report(self, share: float) -> None:
        self.share = share
        if self._closed:
            raise StoppedError(sentence("refused.stopping"))
        now = time.monotonic()
        if self.store is not None and now - self._looked >= ROOM_SECONDS:
            self._looked = now
            self.store.check_room(0)


class Explorer:
    """The archives of a server."""

    def __init__(self, house: House) -> None:
        archives = [path.absolute() for path in house.archives if path != STANDARD_INPUT]
        files = [path.absolute() for path in house.files if path != STANDARD_INPUT]
        self._files: dict[int, ExploredFile] = {}
        self._next = 0
        self._lock = threading.Lock()
        for path in dict.fromkeys((*archives, *files)):
            self._add(ExploredFile(path, path in archives))
        self.store = ArchiveStore()
        for path in self.store.lasting():
            if path not in archives and path not in files:
                self._add(ExploredFile(path, True, self.store))
        house.on_close(self.close)

    @classmethod
    def of(cls, house: House) -> Explorer:
        """The explorer of a server."""
        with _MAKING:
            if house not in _EXPLORERS:
                _EXPLORERS[house] = cls(house)
            return _EXPLORERS[house]

    def selection(self, request: PageRequest) -> dict[int, ExploredFile]:
        """The files that a request names, by number. Raises InvalidSettingError."""
        numbers = request.fields.get("archives")
        if not isinstance(numbers, list) or not numbers or len(numbers) > self._next:
            raise InvalidSettingError(sentence("refused.field_archives"))
        return {number: self.file(number) for number in numbers}

    def file(self, number: object) -> ExploredFile:
        """A file by its number. Raises InvalidSettingError."""
        file = self._files.get(number) if type(number) is int else None
        if file is None:
            raise InvalidSettingError(sentence("refused.no_archive", number=str(number)[:20]))
        return file

    def add(self, path: Path) -> int:
        """Add an archive of the store, if it is not there, and return its number."""
        with self._lock:
            number = next((number for number, file in self._files.items() if file.path == path), None)
            return self._add(ExploredFile(path, True, self.store)) if number is None else number

    def remove(self, number: int) -> None:
        """Remove an archive that a page has sent, and its file. Raises InvalidSettingError, and OSError."""
        file = self.file(number)
        if file.store is None:
            raise InvalidSettingError(sentence("refused.not_removed", name=file.path.name))
        file.close()
        file.store.remove(file.path)
        with self._lock:
            self._files.pop(number, None)

    def keep(self, number: int) -> None:
        """Have an archive that a page has sent stay when the server ends. Raises InvalidSettingError, and OSError."""
        file = self.file(number)
        if file.store is None:
            raise InvalidSettingError(sentence("refused.not_moved", name=file.path.name))
        file.make_lasting()

    def json(self) -> dict[str, Any]:
        """All files."""
        with self._lock:
            files = list(self._files.items())
        return {"archives": [file.json(number) for number, file in files]}

    def close(self) -> None:
        """Close all files."""
        for file in list(self._files.values()):
            file.close()
        self.store.close()

    def _add(self, file: ExploredFile) -> int:
        number, self._next = self._next, self._next + 1
        self._files[number] = file
        return number


_EXPLORERS: WeakKeyDictionary[House, Explorer] = WeakKeyDictionary()
_MAKING = threading.Lock()


def archives(house: House, request: PageRequest) -> dict[str, Any]:
    """The archives and their state."""
    return Explorer.of(house).json()


async def opening(house: House, request: PageRequest, inbox: Inbox) -> AsyncGenerator[Mapping[str, Any], None]:
    """Open archives, and report their state until all are open or have failed."""
    explorer = Explorer.of(house)
    selection = explorer.selection(request)
    for file in selection.values():
        await asyncio.to_thread(file.open)
    last: dict[str, Any] = {}
    while True:
        over = not any(file.is_opening for file in selection.values())
        state = explorer.json()
        if state != last:
            yield state
            last = state
        if over:
            return
        await asyncio.sleep(NEWS_SECONDS)


def moves(house: House, request: PageRequest) -> dict[str, Any]:
    """Each legal move in a position with the results of the games that played it, the most frequent first.

    With the name of the opening that it leads to, or "".
    """
    position = request.position()
    total = Record()
    records: dict[tuple[int, int, int], Record] = {}
    for index, hits in _searched(house, request, here=True):
        total += index.record(hits)
        for move, record in index.moves(position, hits):
            squares = move.origin, move.target, move.captured
            records[squares] = records.get(squares, Record()) + record
    # captures by several paths to one position are one move
    legal = {(move.origin, move.target, move.captured): move for move in reversed(position.legal_moves())}
    rows = [
        {
            **move_json(move),
            "fen": after.fen,
            "opening": name_at(after.bits),
            **_record_json(records.get(squares, Record())),
        }
        for squares, move in reversed(legal.items())
        for after in (position.play(move),)
    ]
    rows.sort(key=lambda row: -row["games"])
    about = {"fen": position.fen, "side": side_name(position.side), "opening": name_at(position.bits)}
    return {**about, "total": _record_json(total), "moves": rows}


def games(house: House, request: PageRequest) -> dict[str, Any]:
    """A page of the games that meet the conditions; with `here`, of those that came to the position."""
    start = request.number("start", 0, MOST_NUMBER, 0)
    order = request.choice("order", ORDERS, "archive")
    here = request.flag("here", True)
    sources: list[tuple[int, ArchiveIndex, Hits]] = []
    for number, (index, hits) in zip(
        Explorer.of(house).selection(request), _searched(house, request, here), strict=True
    ):
        sources.append((number, index, hits))
    counts = [len(hits) for _, _, hits in sources]
    which = np.repeat(np.arange(len(sources)), counts)
    rows = np.concatenate([np.arange(count) for count in counts])
    if order != "archive":
        years = np.concatenate([index.years[hits.games].astype(np.int64) for _, index, hits in sources])
        # games without a year stand last
        keys = np.where(years == 0, MOST_NUMBER, years if order == "oldest" else -years)
        sorting = np.argsort(keys, kind="stable")
        which, rows = which[sorting], rows[sorting]
    page = []
    for source, row in zip(which[start : start + GAMES_SHOWN], rows[start : start + GAMES_SHOWN], strict=True):
        number, index, hits = sources[source]
        with _telling_damage(house, number, index):
            page.append(_game_json(number, index, hits, int(row)))
    return {"games": page, "found": len(rows), "start": start}


def game(house: House, request: PageRequest) -> dict[str, Any]:
    """The PDN of a game by the numbers of its archive and of itself, both from 0."""
    explorer = Explorer.of(house)
    number = request.number("archive", 0, MOST_NUMBER)
    file = explorer.file(number)
    index = file.index()
    with _telling_damage(house, number, index):
        game = index.game(request.number("number", 0, MOST_NUMBER))
    return {"pdn": write_game(game), "archive": file.path.name, "line": game.line}


def players(house: House, request: PageRequest) -> dict[str, Any]:
    """Names of players that complete a text, with their numbers of games."""
    text = request.text("wanted", 100)
    counts: dict[str, int] = {}
    for number, file in Explorer.of(house).selection(request).items():
        index = file.index()
        with _telling_damage(house, number, index):
            for name, count in index.players(text, NAMES_SHOWN):
                counts[name] = counts.get(name, 0) + count
    return {"players": [{"name": name[:100], "games": count} for name, count in list(counts.items())[:NAMES_SHOWN]]}


def _searched(house: House, request: PageRequest, here: bool) -> Iterator[tuple[ArchiveIndex, Hits]]:
    """For each archive of a request, its index and the games that meet the conditions."""
    for number, file in Explorer.of(house).selection(request).items():
        index = file.index()
        with _telling_damage(house, number, index):
            hits = index.find(_search(file.path, request, here))
        yield index, hits


def _search(path: Path, request: PageRequest, here: bool) -> SearchSettings:
    """The conditions of a request: players, black, white, event, year, result, opening; fen and reversed."""

    def field(name: str, longest: int = 100) -> str:
        return request.text(name, longest, "").strip()

    return SearchSettings(
        files=(path,),
        player=tuple(name.strip() for name in request.texts("players", MOST_PLAYERS, 100, ()) if name.strip()),
        black=field("black"),
        white=field("white"),
        event=field("event"),
        year=field("year"),
        result=field("result"),
        ballot=field("opening", 400),
        position=request.text("fen", LONGEST_FEN) if here else "",
        reversed=here and request.flag("reversed"),
    )


@contextmanager
def _telling_damage(house: House, number: int, index: ArchiveIndex) -> Iterator[None]:
    """Have a damaged index made anew, and say so."""
    try:
        yield
    except InvalidIndexError:
        file = Explorer.of(house).file(number)
        if file.index() is not index:
            raise InvalidSettingError(sentence("refused.reopened", name=file.path.name)) from None
        file.mend(index)
        raise InvalidSettingError(sentence("refused.index_damaged", name=file.path.name)) from None


def _bounded(value: Any) -> Any:
    """A value as JSON, none of its texts too long."""
    if isinstance(value, Mapping):
        return {name: _bounded(each) for name, each in value.items()}
    return [_bounded(each) for each in value] if isinstance(value, list) else str(value)[:LONGEST_TOLD]


def _record_json(record: Record) -> dict[str, Any]:
    return {
        "games": record.games,
        "black": record.black_wins,
        "draws": record.draws,
        "white": record.white_wins,
        "other": record.other,
        "average": None if record.score is None else round(record.score, 4),
        "first": record.first_year,
        "last": record.last_year,
    }


def _game_json(archive: int, index: ArchiveIndex, hits: Hits, row: int) -> dict[str, Any]:
    number = int(hits.games[row])
    headers = index.headers(number)
    names = {name.lower(): headers.get(name, "").strip(" ?")[:80] for name in ("Event", "Black", "White", "Date")}
    return {
        "archive": archive,
        "number": number,
        **names,
        "result": str(index.result(number)),
        "moves": index.plies(number),
        "line": index.line(number),
        "ply": int(hits.plies[row]),
        "turned": bool(hits.turned[row]),
    }


ROUTES: dict[str, Callable[[House, PageRequest], dict[str, Any]]] = {
    "explorer/archives": archives,
    "explorer/moves": moves,
    "explorer/games": games,
    "explorer/game": game,
    "explorer/players": players,
}
LIVE = {"explorer/open": opening}
