"""Annotating the games of files: marks in the games, a summary by player, PDN and pages of HTML.

Each core annotates one game at a time, and a journal holds the finished ones. Games are read when they are needed;
the output is put in order from the journal at the end. `kr.analysis.annotation.annotation` annotates a single game.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

from kr.analysis.annotation.annotation import AnnotateReport, Annotation, annotate, signature
from kr.analysis.annotation.judgement import MARKS, JudgedMove
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.annotation.mistakes import PlayerMistakes
from kr.archives.archive import Archive, ReadSettings, Where, check_any, output
from kr.book.book import book_option
from kr.book.path import Departure
from kr.cluster.address import cluster_option
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidPdnError, InvalidSettingError
from kr.game.position import Position
from kr.jobs.journal import begun_settings
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.openings.lines import opening_name
from kr.pdn import ChildNode, Game, Results, read_game, write_game
from kr.pdn.game import setups_object
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits, book_of, policy_of
from kr.policy.policy import policy_option
from kr.proofs.library import load_proofs, proofs_option
from kr.settings import option, workers_option
from kr.storage import beside, lock_directory
from kr.threads import worker_count

JOURNAL = ".journal"
MEASURED_GAMES = 100
"""Games whose moves are examined for the forecast."""
TRIALS = 4
"""Searches made for the forecast."""
TRIAL_SECONDS = 0.25
SEARCHES_PER_MOVE = 1.4
"""Searches per judged move, as measured in docs/reference/annotation.md."""


@dataclass(frozen=True)
class AnnotateSettings(JudgeSettings, ReadSettings):
    """Games to annotate, how to judge them, and the files to write."""

    out: Path | None = option(
        None, "PDN file to write, packed where its name ends in .gz, .xz or .bz2.  [default: standard output; with "
        "--html none]", metavar="FILE",
    )  # fmt: skip
    html: Path | None = option(
        None, "Directory for a page of HTML for each game, and index.html with all of them.", metavar="DIR"
    )
    player: tuple[str, ...] = option(
        (), "Only games of this player, and what goes wrong most in them; given twice, two spellings of the name.",
        metavar="NAME",
    )  # fmt: skip
    line: int = option(12, "Most plies of a better line; 0: none.", low=0)
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    people: str = policy_option()
    book: str = book_option()
    proofs: tuple[Path, ...] = proofs_option()
    workers: int = workers_option("Games annotated at a time")
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(name.strip() for name in self.player):
            raise InvalidSettingError("--player: expected a name")
        if self.proofs and self.cluster:
            raise InvalidSettingError("--proofs: certificates are read on this machine; leave --cluster out")
        once = [path for path in self.files if str(path) == "-" or path.is_fifo()]
        if self.is_resumable and once:
            raise InvalidSettingError(
                f"{once[0]} can't be read again to resume an interrupted run: leave out --out and --html to write the "
                "games to standard output"
            )

    @property
    def is_resumable(self) -> bool:
        """True if there is a place for a journal; a run that writes to standard output always starts over."""
        return self.out is not None or self.html is not None

    @property
    def journal(self) -> Path:
        """Path of the journal of finished games. Raises InvalidSettingError if nothing can be written to --out."""
        if self.out is not None:
            return beside(self.out, JOURNAL)
        assert self.html is not None
        return self.html / f"annotate{JOURNAL}"


GameEntry = dict[str, Any]
"""An annotated game as a JSON object."""


@dataclass(frozen=True)
class Extent:
    """Estimated work, without examining the moves of all games."""

    games: int
    """Number of games; 0 if the files can be read only once."""
    moves: float = 0.0
    """Average number of judged moves of a game, over the first games."""
    samples: tuple[Position, ...] = ()
    """Positions from the middle of some of the first games."""


@dataclass(frozen=True)
class Forecast:
    """Work still to be done."""

    total: int
    """Number of games."""
    games: int
    """Those of them that no earlier run has annotated."""
    limits: Limits
    """Limit of each search."""
    workers: int
    seconds: float
    """Rough time until all are done."""
    or_more: bool
    """True if it may take far longer, as with a limit of depth."""


def measure(settings: AnnotateSettings, where: Where | None = None) -> Extent:
    """Estimate the work: count the games of the files that are wanted, and examine the first of them."""
    count = 0

    def counted(headers: Mapping[str, str]) -> bool:
        nonlocal count
        if where is not None and not where(headers):
            return False
        count += 1
        return count <= MEASURED_GAMES

    archive = Archive(settings, counted, on_error=lambda path, error: None)
    if not all(path.is_file() for path in archive.paths):
        return Extent(0)
    moves: list[int] = []
    samples: list[Position] = []
    for game in _until_damage(archive):
        positions = islice(game.positions(), settings.first_ply(game), len(game.moves))
        choices = [position for position in positions if len(position.legal_moves()) > 1]
        moves.append(len(choices))
        if choices and len(samples) < TRIALS:
            samples.append(choices[len(choices) // 2])
    return Extent(count, sum(moves) / max(len(moves), 1), tuple(samples))


def _until_damage(archive: Archive) -> Iterator[Game]:
    """Readable games of files; errors are reported when they are annotated."""
    with suppress(InvalidPdnError):
        for _, game in archive:
            yield game


def forecast(settings: AnnotateSettings, extent: Extent, engine: Engine, journalled: int = 0) -> Forecast:
    """Forecast from a few searches in the middle of games. journalled: games of an earlier run."""
    games = max(extent.games - journalled, 0)
    workers = min(worker_count(settings.workers), max(games, 1))
    searches = games * extent.moves * SEARCHES_PER_MOVE / workers
    trials = [_search_seconds(engine, settings.tc, position) for position in extent.samples]
    mean = sum(seconds for seconds, _ in trials) / max(len(trials), 1)
    return Forecast(extent.games, games, settings.tc, workers, searches * mean, any(more for _, more in trials))


def _search_seconds(engine: Engine, limits: Limits, position: Position) -> tuple[float, bool]:
    """Seconds of a search, measured in at most TRIAL_SECONDS, and True if it may take far longer."""
    most = math.inf if limits.time is None else limits.time
    if limits.nodes is None and limits.depth is None:
        return most, False
    engine.new_game()
    result = engine.search(position, replace(limits, time=min(most, TRIAL_SECONDS)), multipv=2)
    if most <= TRIAL_SECONDS or result.time < TRIAL_SECONDS:
        return result.time, False
    if limits.nodes is not None:
        most = min(most, limits.nodes * result.time / max(result.nodes, 1))
    return (result.time, True) if most == math.inf else (most, False)


def annotate_files(
    settings: AnnotateSettings,
    on_game: Callable[[GameEntry, bool], None] = lambda record, resumed: None,
    on_text: Callable[[str], None] = lambda text: None,
    on_error: Callable[[Path, InvalidPdnError], None] = lambda path, error: None,
    on_start: Callable[[Forecast], None] | None = None,
) -> AnnotateReport:
    """Annotate the games of files, or those left by an earlier run, and write the output when all are done.

    on_game: called with each game when it is done, and True for a game of an earlier run. on_text: called with the PDN
    of each game, in order, if neither a file nor pages are written. on_error: called for each unreadable game, which is
    left out. on_start: called with a forecast, unless the files can be read only once. Raises InvalidPdnError if no
    game can be read, InvalidSettingError, InvalidWeightsError, InvalidDatabaseError, OutputBusyError, OSError, and what
    `open_journal` raises.
    """
    player = PlayerMistakes(settings.player) if settings.player else None
    where = None if player is None else player.plays
    report = AnnotateReport(settings, mistakes=player)
    archive = Archive(settings, where, on_error=on_error)
    pages: Pages | None = None

    def record_of(task: WorkTask[int], entry: GameEntry) -> GameEntry:
        record = dict(entry)
        if pages is not None:
            pages.write(record["game"]["page"], record.pop("html"))
        return record

    def enter(record: GameEntry, earlier: bool) -> None:
        report.add(record["game"])
        on_game(record["game"], earlier)
        if not settings.is_resumable:
            on_text(record["pdn"])

    with ExitStack() as stack:
        path = settings.journal if settings.is_resumable else None
        if settings.html is not None:
            from kr.analysis.annotation.pages import Pages

            # report missing libraries before making a directory
            pages = Pages(settings.html)
            stack.enter_context(lock_directory(settings.html))
        work = EngineWork(AnnotatedGames(), settings, policy=settings.people, book=settings.book)
        if (proofs := load_proofs(settings.proofs, work.engine.database)) is not None:
            work.hold("proofs", proofs.signature, proofs)
        records = stack.enter_context(work.records(path, lambda: _shaping(settings, archive, work.needs), _number_of))
        if on_start is not None and (extent := measure(settings, where)).games:
            on_start(forecast(settings, extent, work.engine, len(records)))
        work.run(_tasks(settings, archive, work.engine), records, enter, record_of, in_order=path is None)
        check_any(archive, report.games)
        if settings.player and not report.games:
            names = " or ".join(map(repr, settings.player))
            raise InvalidSettingError(f"--player: no game of {names}; kr pdn stats lists the players of a file")
        report.left_out = archive.left_out
        report.doubts = [f"{each.file}: {each.doubt}" for each in archive.reports if each.doubt]
        if pages is not None:
            pages.write_index(report, (records[number]["game"] for number in sorted(records)))
        if settings.out is not None:
            with output(settings.out) as file:
                for number in sorted(records):
                    file.write(records[number]["pdn"])
        records.remove()
    return report


def _tasks(settings: AnnotateSettings, archive: Archive, engine: Engine) -> Iterator[WorkTask[int]]:
    """The games of files, with the numbers of those that can be read."""
    judging = {each.name: getattr(settings, each.name) for each in fields(JudgeSettings)} | {"tc": str(settings.tc)}
    shared = {
        "judging": judging, "line": settings.line, "results": settings.results, "html": settings.html is not None,
        "by": signature(engine, settings.tc),
    }  # fmt: skip
    for number, (report, game) in enumerate(archive, start=1):
        report.compare_result(game)
        yield WorkTask(number, {
            "number": number, "file": str(report.file), "line_of_file": game.line, "headers": game.headers,
            "pdn": write_game(game), **shared,
        })  # fmt: skip


class AnnotatedGames(EngineUnits[GameEntry]):
    """Units of one game; the result is its line of the journal and, if wanted, its page."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> GameEntry | None:
        values = unit.values
        game = read_game(values["pdn"])
        assert game is not None
        # as in the file: PDN writes some of them in a normal form
        game.headers, game.line = dict(values["headers"]), values["line_of_file"]
        if named := opening_name(game.mainline_bits()):
            game.headers.setdefault("Opening", named.name)
        settings = JudgeSettings(**{**values["judging"], "tc": Limits.parse(values["judging"]["tc"])})
        annotation = annotate(
            game, engine, settings, values["line"], values["by"], stop, policy=policy_of(unit, needs),
            book=book_of(unit, needs),
            proofs=needs.held("proofs", unit.needs["proofs"]) if "proofs" in unit.needs else None,
        )  # fmt: skip
        if stop.is_set():
            return None
        text = write_game(game, results=cast(Results, values["results"]))
        entry: GameEntry = {"game": _record(values, game, annotation), "pdn": text}
        if values["html"]:
            from kr.analysis.annotation.pages import page, page_name

            number = values["number"]
            entry["game"]["page"] = page_name(number, game.headers)
            entry["html"] = page(number, game, annotation, values["by"])
        return entry


def _record(values: Mapping[str, Any], game: Game, annotation: Annotation) -> GameEntry:
    """JSON object of a game."""
    return {
        "number": values["number"],
        "file": values["file"],
        "line": values["line_of_file"],
        "headers": dict(game.headers),
        "result": game.result,
        "fen": game.start.fen,
        **setups_object(game),
        "black": annotation.black.as_object(),
        "white": annotation.white.as_object(),
        "story": " ".join(map(str, annotation.story)),
        "left_book": None if annotation.departure is None else _departure_object(annotation.departure),
        "moves": [
            move_object(judgement) | _place_of(judgement, node)
            for judgement, node in zip(annotation.moves, game.mainline(), strict=True)
        ],
        "page": None,
    }


def _place_of(judgement: JudgedMove, node: ChildNode) -> GameEntry:
    """Number and position of a marked move, for the mistakes of a player."""
    if judgement.mark not in MARKS:
        return {}
    assert node.parent is not None
    return {"label": str(node), "fen": node.parent.position.fen}


def _departure_object(departure: Departure) -> GameEntry:
    """JSON object of the move that left an opening book."""
    return {
        "ply": departure.ply,
        "side": departure.side.name.lower(),
        "move": str(departure.move),
        "best": str(departure.best.move),
        "loss": departure.loss,
    }


def move_object(judgement: JudgedMove) -> GameEntry:
    """JSON object of a judgement; scores and expected results are from the view of the side that moved."""

    def rounded(expected: float | None) -> float | None:
        return None if expected is None else round(expected, 4)

    return {
        "ply": judgement.ply,
        "side": judgement.side.name.lower(),
        "move": str(judgement.move),
        "judged": judgement.judged,
        "mark": judgement.mark,
        "score": judgement.score,
        "expected": rounded(judgement.expected),
        "confirmed": judgement.confirmed,
        "value": judgement.value,
        "plies": judgement.plies,
        "by": judgement.by or None,
        "drawn_by": judgement.draw or None,
        "drawn_next_by": judgement.draw_next or None,
        "occurrence": judgement.occurrence,
        "value_before": judgement.value_before,
        "best": None if judgement.best is None else str(judgement.best),
        "best_score": judgement.best_score,
        "best_expected": rounded(judgement.best_expected),
        "others_expected": rounded(judgement.others_expected),
        "obvious": judgement.obvious,
        "loss": round(judgement.loss, 4),
        "line": [str(move) for move in judgement.line],
        "refutation": [str(move) for move in judgement.refutation],
        "why": [sentence.as_object() for sentence in judgement.why],
        "reason": judgement.reason or None,
        "people": rounded(judgement.likely),
        "likeliest": None if judgement.likeliest is None else str(judgement.likeliest),
        "likeliest_people": rounded(judgement.likeliest_probability),
        "slip": judgement.slip or None,
        "harder": None if judgement.harder is None else str(judgement.harder),
    }


def _shaping(settings: AnnotateSettings, archive: Archive, needs: Mapping[str, str]) -> dict[str, Any]:
    """The settings that shape the games. needs: signatures of what the units need."""
    people = needs.get("policy")
    return {
        "tc": str(settings.tc), "from_ply": settings.from_ply, "inaccuracy": settings.inaccuracy,
        "mistake": settings.mistake, "blunder": settings.blunder, "only": settings.only, "line": settings.line,
        "results": settings.results, "encoding": settings.encoding, "hash": settings.hash,
        "html": _place_of_pages(settings), "files": [_checksum(path) for path in archive.paths],
        "player": list(settings.player) or None,
        # traps and oversights are named by the policy; a journal of kr 0.1 has none of the three
        "people": people, "trap": None if people is None else settings.trap,
        "oversight": None if people is None else settings.oversight,
        # a journal of an earlier kr has neither
        "book": needs.get("book"), "proofs": needs.get("proofs"),
    }  # fmt: skip


def _number_of(record: GameEntry) -> int:
    """Number of a game. Raises ValueError, LookupError or TypeError for an invalid record."""
    number: Any = record["game"]["number"]
    if not isinstance(number, int) or number < 1 or not isinstance(record["pdn"], str):
        raise ValueError("not a game")
    # it is counted once more when its turn comes
    AnnotateReport(JudgeSettings()).add(record["game"])
    return number


def _place_of_pages(settings: AnnotateSettings) -> str | None:
    """Directory of the pages, seen from that of the journal: they may move together."""
    if settings.html is None:
        return None
    pages, journal = os.path.realpath(settings.html), settings.journal
    recorded = begun_settings(journal) if journal.exists() else None
    if recorded is not None and recorded.get("html") == pages:
        return pages  # in a journal of kr 0.2
    try:
        return Path(os.path.relpath(pages, os.path.realpath(journal.parent))).as_posix()
    except ValueError:  # on another drive
        return Path(pages).as_posix()


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]
