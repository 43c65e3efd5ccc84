"""`kr theory`: the state of knowledge on every ballot, as JSON and as pages that need no server.

Each page is a single file. The pages of an earlier run are replaced one by one, each whole; files of others stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kr.archives.stats import ArchiveStats
from kr.ballots.brackets import Brackets
from kr.ballots.knowledge import Knowledge
from kr.ballots.pages import GENERATOR, TheoryPages, page_files
from kr.egdb.database import Database, load_database
from kr.engine.settings import egdb_memory_option, egdb_option
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Position
from kr.openings.decks import BALLOT_PLIES, deck
from kr.openings.grades import grades_limits, read_grades
from kr.pdn import Reader
from kr.proofs.library import ProofLibrary, proofs_option
from kr.settings import REQUIRED, Settings, option
from kr.storage import check_directory, lock_directory, provenance, write_atomic
from kr.text import printable
from kr.theory.people import PeopleGames, people_games
from kr.theory.unpacking import read_book

if TYPE_CHECKING:
    from kr.theory.graph import BookGraph

DATA_FILE = "data.json"
THEORY_KIND = "kr theory"
THEORY_VERSION = 1
THEORY_DECKS = ("3move", "11man")
_BEGINNING = 4096
"""Bytes of a file in which it says that it is one of these pages."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SCHEMES = ("http", "https", "file")

OnStage = Callable[[str, int, int | None, str], None]
"""Hears of the work: its name, the units that are done, of how many (None if unknown), and their name."""


@dataclass(frozen=True)
class TheorySettings(Settings):
    """A book, what else is known, and where the pages go."""

    book: Path = option(
        REQUIRED, "The book: a file of kr book build, or a packed one, of which it knows less; shipped for kr's own.",
        metavar="BOOK", argument=True,
    )  # fmt: skip
    out: Path = option(REQUIRED, "Directory of the pages.", metavar="DIR")
    deck: str = option("3move", "Ballots: {allowed}.", choices=THEORY_DECKS)
    people: Path | None = option(
        None, "Archive of games, PDN: results by ballot, decade and player.", metavar="FILE"
    )  # fmt: skip
    proofs: tuple[Path, ...] = proofs_option()
    grades: Path | None = option(
        None, "Grades of the ballots for tournaments: a file of kr theory grade.", metavar="FILE"
    )
    page: str = option(
        "../page/", "Address of the page without a server (make page), on which ballots open; from DIR, or whole.",
        metavar="URL",
    )  # fmt: skip
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        scheme = _SCHEME.match(self.page)
        if not self.page.strip() or (scheme and scheme[1].lower() not in _SCHEMES):
            raise InvalidSettingError(
                f"--page: {self.page!r} is not the address of a page; expected such as ../page/ or https://HOST/kr/"
            )


@dataclass(frozen=True)
class TheoryReport:
    """What a run has written."""

    ballots: int
    in_book: int
    proved: int
    """Ballots whose value is proved, in part or whole."""
    cooks: int
    pages: int
    games: int
    """Games of the archive."""
    left_out: int
    """Games that could not be read."""


def write_theory(
    settings: TheorySettings,
    load: Callable[[Database | None], ProofLibrary | None],
    on_stage: OnStage,
    on_error: Callable[[InvalidPdnError], None],
) -> TheoryReport:
    """Write the pages of a deck and their data. load: the certificates of `settings.proofs`, checked.

    Raises InvalidSettingError, InvalidBookError, InvalidPdnError, InvalidGamesError for a damaged file of grades,
    InvalidDatabaseError, OutputBusyError, OSError.
    """
    check_directory(settings.out)
    _refuse_foreign(settings)
    facts, graph, _ = read_book(settings.book)
    grades = {} if settings.grades is None else read_grades(settings.grades, settings.deck)
    # nothing is made for what can't be read
    with lock_directory(settings.out):
        database = load_database(settings.egdb, settings.egdb_memory)
        proofs = load(database)
        people = _People(settings, on_stage, on_error)
        if settings.people is not None and not graph.games:
            graph.games, graph.exact_games = people.moves_played(settings.people, on_stage), True
            # a move that people play counts once it leads to a position of the book
            graph.propagate()
        openings = deck(settings.deck, playable_only=False)
        knowledge = Knowledge(graph, Brackets(graph, database, proofs), people.records)
        entries = []
        for count, opening in enumerate(openings):
            on_stage("ballots", count, len(openings), "ballots")
            grade = grades.get(opening.number)
            entries.append(knowledge.ballot(opening) | {"grade": None if grade is None else grade.as_object()})
        cooks = [cook for cook in knowledge.cooks.values() if cook["ballots"]]
        data = _head(settings, facts, graph, people, proofs) | {"ballots": entries, "cooks": cooks}
        pages = TheoryPages(data, settings.page)
        files = page_files(data)
        for count, name in enumerate(files):
            on_stage("pages", count, len(files), "pages")
            write_atomic(settings.out / name, pages.page(name))
        # last, so that it is never newer than a page
        write_atomic(settings.out / DATA_FILE, json.dumps(data, separators=(",", ":")) + "\n")
        for old in settings.out.glob("*.html"):
            if old.name not in files and _is_ours(old):
                old.unlink()
    return TheoryReport(
        len(entries), sum(entry["in_book"] for entry in entries),
        sum(bool(entry["bracket"]["words"]) for entry in entries), len(cooks), len(files), people.games,
        people.left_out,
    )  # fmt: skip


def _refuse_foreign(settings: TheorySettings) -> None:
    """Raise InvalidSettingError where a file of others has the name of a page."""
    for name in ("index.html", DATA_FILE):
        path = settings.out / name
        if path.exists() and not _is_ours(path):
            raise InvalidSettingError(f"--out: {path} is not of kr theory; give another directory, or remove it")


def _is_ours(path: Path) -> bool:
    """True for a page, or the data, of this command."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    return f" · {GENERATOR}</title>".encode() in beginning or beginning.startswith(_data_beginning())


def _data_beginning() -> bytes:
    return f'{{"kind":{json.dumps(THEORY_KIND)},'.encode()


class _People:
    """What an archive says: the results of each ballot's games, and how often each move was played."""

    def __init__(
        self, settings: TheorySettings, on_stage: OnStage, on_error: Callable[[InvalidPdnError], None]
    ) -> None:
        self.games = self.left_out = 0
        self.records: dict[int, ArchiveStats] | None = None
        """By the number of the ballot; None without an archive."""
        if settings.people is None:
            return
        self.records = {}
        numbers = {opening.position.bits: opening.number for opening in deck(settings.deck, playable_only=False)}
        start = Position().bits

        def fault(error: InvalidPdnError) -> None:
            self.left_out += 1
            on_error(error)

        with Reader(settings.people, on_error=fault) as reader:
            for game in reader:
                self.games += 1
                on_stage("reading", self.games, None, "games")
                plies = BALLOT_PLIES if game.start.bits == start else 0
                board = next(islice(game.mainline_bits(), plies, None), None)
                number = None if board is None else numbers.get(board)
                if number is not None:
                    self.records.setdefault(number, ArchiveStats()).add(game)
        if not self.games:
            raise InvalidPdnError(f"{settings.people} has no games that can be read")

    def moves_played(self, path: Path, on_stage: OnStage) -> PeopleGames:
        """How often each move was played, for a book that does not know it."""
        read = 0

        def on_game() -> None:
            nonlocal read
            read += 1
            on_stage("moves", read, self.games, "games")

        # what can't be read was told before
        return people_games(path, on_game, lambda error: None)


def _head(
    settings: TheorySettings,
    facts: Mapping[str, Any],
    graph: BookGraph,
    people: _People,
    proofs: ProofLibrary | None,
) -> dict[str, Any]:
    """What the data says of its sources."""
    return {
        "kind": THEORY_KIND,
        "format_version": THEORY_VERSION,
        "deck": settings.deck,
        "book": {
            "name": printable(settings.book.name), "positions": len(graph.nodes),
            "nodes": sum(node.nodes for node in graph.nodes.values()),
            **{name: facts.get(name) for name in ("openings", "within", "weights", "egdb")},
            "nodes_of_a_search": facts.get("nodes"),
            "people": bool(graph.games),
            "exact": graph.has_searches, "exact_games": graph.exact_games,
        },
        "people": None if settings.people is None else {
            "name": printable(settings.people.name), "games": people.games, "left_out": people.left_out,
        },
        "proofs": [] if proofs is None else proofs.names,
        "grades": None if settings.grades is None else {
            "name": printable(settings.grades.name), "limits": grades_limits(settings.grades),
        },
        "provenance": provenance(),
    }  # fmt: skip
