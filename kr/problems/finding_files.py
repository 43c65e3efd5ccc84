"""`kr problem find`: puzzles in games and in the endgame database, found by units of `kr.jobs`.

What is found is recorded in a journal beside the output, FILE.part, a line for each lot of games or positions; the same
command resumes from it. At the end the puzzles are ranked, and written as a problem file.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from kr.cluster.address import cluster_option
from kr.cluster.pools import work_pool
from kr.egdb.sample import parse_pieces
from kr.engine.engine import Engine
from kr.engine.settings import egdb_memory_option, egdb_option, engine_from, hash_option, weights_option
from kr.errors import InvalidDatabaseError, InvalidPdnError, InvalidSettingError
from kr.evaluation.kinds import SHIPPED
from kr.game.position import Position
from kr.jobs.journal import open_journal
from kr.jobs.kinds import Portion, Stop, UnitSteps
from kr.jobs.needs import Needs, check_need
from kr.jobs.unit import Unit
from kr.players.workers import EngineKind, engine_needs
from kr.policy.policy import Policy, load_policy
from kr.problems.finding import Finder, Wanted
from kr.problems.problem import MOST_RATING, Problem
from kr.problems.sources import EGDB_SOURCE, Lot, LotChoice, drawn_positions, game_positions, lots_of
from kr.problems.themes import Theme
from kr.settings import REQUIRED, Settings, option, parse_names, seed_option, workers_option
from kr.storage import beside, lock, provenance, write_atomic
from kr.threads import worker_count
from kr.units import parse_count

PART_SUFFIX = ".part"
OPENING_PLIES = 8
"""Plies of a game from the usual start that are left out."""
ID_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
ID_LENGTH = 6

FindRecord = dict[str, Any]
"""A puzzle as JSON types: the keys of a problem file, and `merit`, the points of `kr.problems.ranking`."""


@dataclass(frozen=True)
class FindSettings(Settings):
    """Sources of puzzles, and what counts as one."""

    sources: tuple[str, ...] = option(
        REQUIRED, "PDN files, also packed, or folders of them; run directories of kr selfplay; or egdb, positions of "
        "the endgame database at random.", metavar="SOURCE", argument=True,
    )  # fmt: skip
    out: Path = option(REQUIRED, "Problem file to write; run the same command to resume.", metavar="FILE")
    moves: int = option(
        2, "Least number of only moves of the solver in a row, forced ones apart, {allowed}.", low=1, high=10
    )
    captures: bool = option(False, "Allow captures as keys.")
    rating: int = option(1000, "Least rating, {allowed}.", low=0, high=MOST_RATING)
    themes: Sequence[str] = option(
        (), f"Only puzzles with one of these themes: {', '.join(Theme)}.  [default: any]",
        parse=parse_names(tuple(Theme), "a list of themes"), show=",".join, metavar="NAMES",
    )  # fmt: skip
    most: int = option(0, "Write only so many, the best: {allowed}.", low=1, zero="all")
    positions: int = option(
        100_000, "Positions of the database that are looked at.", parse=parse_count, metavar="N", low=1, high=10**12
    )
    pieces: str = option("4-7", "Pieces of these: 6, 4-7, 4v3 or a list.", parse=parse_pieces, metavar="PIECES")
    share: float = option(1.0, "Share of the games looked at, chosen at random: {allowed}.", above=0, high=1)
    seed: int = seed_option("Seed of the choice of games and of the positions of the database.")
    nodes: int = option(
        100_000, "Nodes of the searches that decide about a move, where the database doesn't.", parse=parse_count,
        metavar="N", low=1_000, high=10**10,
    )  # fmt: skip
    proof: int = option(
        1_000_000, "Nodes for the proof of such a puzzle: {allowed}.", parse=parse_count, metavar="N", low=1,
        high=10**12, zero="none is tried",
    )  # fmt: skip
    weights: str | None = weights_option()
    hash: int = hash_option("of each engine")
    workers: int = workers_option("Lots looked at side by side")
    cluster: str = cluster_option()
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        for source in self.sources:
            if self.sources.count(source) > 1:
                raise InvalidSettingError(f"{source} is named twice; expected each source once")

    @property
    def wanted(self) -> dict[str, Any]:
        """What counts as a puzzle, as JSON types for `Wanted`."""
        return {
            "moves": self.moves, "captures": self.captures, "lowest": self.rating, "themes": list(self.themes),
            "nodes": self.nodes, "proof_nodes": self.proof,
        }  # fmt: skip


@dataclass
class FindCounts:
    """Outcome of a run so far."""

    looked_at: int = 0
    """Positions."""
    found: int = 0
    """Puzzles, each once."""
    resumed: int = 0
    """Lots of an earlier run."""
    themes: Counter[str] = field(default_factory=Counter)
    evidence: Counter[str] = field(default_factory=Counter)


def find_puzzles(
    settings: FindSettings,
    on_progress: Callable[[float, FindCounts], None],
    on_error: Callable[[InvalidPdnError], None],
) -> tuple[list[FindRecord], FindCounts]:
    """Find puzzles and write them; returns them, best first, and the counts of all that were found.

    on_progress: called after each lot with the number of sources looked at, which ends at their number. on_error:
    called for each game that can't be read. Raises InvalidSettingError, InvalidWeightsError, InvalidPolicyError,
    InvalidDatabaseError, what `lots_of` raises, and what `open_journal` raises.
    """
    engine = engine_from(settings, settings.weights)
    policy = load_policy()
    if EGDB_SOURCE in settings.sources and engine.database is None:
        raise InvalidDatabaseError(f"{EGDB_SOURCE}: no endgame database; `kr egdb build` makes one, --egdb names one")
    choice = LotChoice(settings.seed, settings.share, settings.positions, settings.pieces, settings.themes)
    counts = FindCounts()
    puzzles: dict[Position, FindRecord] = {}
    done = 0.0

    def enter(entry: Lot) -> None:
        counts.looked_at += entry["looked_at"]
        for record in entry["puzzles"]:
            position = Position.from_fen(record["fen"])
            if position in puzzles or position.flipped() in puzzles:
                continue
            puzzles[position] = record
            counts.found += 1
            counts.themes.update(record.get("themes", ()))
            counts.evidence[record["evidence"]] += 1

    part = beside(settings.out, PART_SUFFIX)
    with lock(settings.out), open_journal(part, _fixed(settings, engine, policy), provenance(), _entry) as journal:
        known = dict(journal.entries)
        shares: dict[str, float] = {}
        needs, places = engine_needs(engine, settings.weights)
        needs, places = needs | {"policy": policy.signature}, places | {policy.signature: SHIPPED}
        tools = {"hash": settings.hash, "threads": 1, "egdb_memory": settings.egdb_memory}

        def advance(share: float) -> None:
            nonlocal done
            done += share
            on_progress(done, counts)

        def units() -> Iterator[Unit]:
            for source in settings.sources:
                for number, placed in enumerate(lots_of(source, choice, on_error)):
                    key = f"{number} {source}"
                    if (entry := known.pop(key, None)) is not None:
                        counts.resumed += 1
                        enter(entry)
                        advance(placed.share)
                        continue
                    shares[key] = placed.share
                    yield Unit(PuzzleLots.name(), key, needs, tools, {"lot": placed.lot, "wanted": settings.wanted})

        pool = work_pool(PuzzleLots(), Needs(places), worker_count(settings.workers), [engine], settings.cluster)
        with closing(pool.run(units())) as parts:
            for each in parts:
                journal.append({"lot": each.unit.key} | each.value)
                enter(each.value)
                advance(shares.pop(each.unit.key))
        ranked = sorted(puzzles.values(), key=lambda record: (-record["merit"], record["id"]))
        ranked = ranked[: settings.most or None]
        write_atomic(settings.out, "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in ranked))
        journal.remove()
    return ranked, counts


def _fixed(settings: FindSettings, engine: Engine, policy: Policy) -> dict[str, Any]:
    """The settings that shape the work."""
    return settings.wanted | {
        "sources": [_source_checksum(source) for source in settings.sources],
        "positions": settings.positions,
        "pieces": settings.pieces,
        "share": settings.share,
        "seed": settings.seed,
        "weights": engine.signature,
        "policy": policy.signature,
        "egdb": None if engine.database is None else engine.database.signature,
    }


def _source_checksum(source: str) -> str:
    """Name of a source, of a file with its size."""
    path = Path(source)
    return f"{source} {path.stat().st_size}" if path.is_file() else source


def _entry(values: dict[str, Any]) -> tuple[str, Lot]:
    """Key and content of a line of the journal. Raises ValueError, LookupError or TypeError for an invalid one."""
    for record in values["puzzles"]:
        Problem.from_object(record)
        if type(record["merit"]) is not int:
            raise TypeError("merit")
    return str(values["lot"]), {"looked_at": int(values["looked_at"]), "puzzles": values["puzzles"]}


class PuzzleLots(EngineKind[Lot]):
    """Units of one lot; the result is the number of positions looked at and the puzzles found."""

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Engine, Lot]:
        place = needs.place("policy", unit.needs["policy"])
        policy = load_policy(place)
        check_need("policy", unit.needs["policy"], policy.signature, place)
        yield [Portion(partial(self._look, unit, policy))]

    def _look(self, unit: Unit, policy: Policy, engine: Engine, stop: Stop) -> Lot | None:
        lot, wanted = unit.values["lot"], unit.values["wanted"]
        engine.new_game()
        finder = Finder(engine, policy, Wanted(**wanted | {"themes": tuple(wanted["themes"])}), stop)
        looked_at, puzzles = 0, []
        covered: set[Position] = set()
        for position, source in _positions(lot, engine):
            if stop.is_set():
                return None
            looked_at += 1
            # a position within a solution is no puzzle of its own
            found = None if position in covered else finder.find(position)
            if found is not None and not stop.is_set():
                problem, merit = found
                covered |= _passed(problem)
                problem = replace(problem, id=puzzle_id(position), source=source)
                record = {name: value for name, value in problem.as_object().items() if value not in ("", [])}
                puzzles.append(record | {"merit": merit.score})
        return None if stop.is_set() else {"looked_at": looked_at, "puzzles": puzzles}


def _positions(lot: Lot, engine: Engine) -> Iterator[tuple[Position, str]]:
    """Positions of a lot with their sources, those that were looked at before once."""
    seen: set[Position] = set()
    if "games" not in lot:
        assert engine.database is not None
        for position in drawn_positions(lot, engine.database):
            if position not in seen:
                seen |= {position, position.flipped()}
                own, other = position.black.bit_count(), position.white.bit_count()
                yield position, f"endgame database, {max(own, other)}v{min(own, other)}"
        return
    for game in lot["games"]:
        skipped = OPENING_PLIES if Position.from_bits(tuple(game["start"])) == Position() else 0
        for ply, position in enumerate(game_positions(game)):
            if ply >= skipped and position not in seen:
                seen |= {position, position.flipped()}
                yield position, f"{game['source']}, ply {ply}"


def _passed(problem: Problem) -> set[Position]:
    """The positions of a problem's solution."""
    position, passed = problem.position, {problem.position}
    for text in problem.solution.split():
        position = position.play(text)
        passed.add(position)
    return passed


def puzzle_id(position: Position) -> str:
    """Name of a puzzle, the same for the turned board with the colours swapped."""
    fen = min(position.fen, position.flipped().fen)
    number = int.from_bytes(hashlib.blake2b(fen.encode(), digest_size=8).digest(), "big")
    letters = []
    for _ in range(ID_LENGTH):
        number, index = divmod(number, len(ID_LETTERS))
        letters.append(ID_LETTERS[index])
    return "".join(letters)
