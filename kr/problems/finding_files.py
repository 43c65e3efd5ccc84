"""`kr problem find`: puzzles in games and in the endgame database, found by units of `kr.jobs`.

What is found is recorded in a journal beside the output, FILE.part, a line for each lot of games or positions; the same
command resumes from it. At the end the puzzles are ranked, and written as a problem file.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kr.cluster.address import cluster_option
from kr.egdb.sample import parse_pieces
from kr.engine.engine import Engine
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidDatabaseError, InvalidPdnError, InvalidSettingError
from kr.evaluation.kinds import SHIPPED
from kr.game.position import Position
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits, policy_of
from kr.problems.finding import Finder, PuzzleChoice
from kr.problems.problem import MOST_RATING, Problem
from kr.problems.sources import EGDB_SOURCE, Lot, LotChoice, drawn_positions, game_positions, lots_of
from kr.problems.themes import Theme
from kr.settings import REQUIRED, Settings, option, parse_names, seed_option, workers_option
from kr.storage import beside, lock, write_atomic
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
        high=10**12, zero="no proofs",
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
    def puzzle_choice(self) -> dict[str, Any]:
        """What counts as a puzzle, as JSON types for `PuzzleChoice`."""
        return {
            "moves": self.moves, "captures": self.captures, "lowest": self.rating, "themes": list(self.themes),
            "nodes": self.nodes, "proof_nodes": self.proof,
        }  # fmt: skip


@dataclass
class FindCounts:
    """Outcome of a run so far."""

    looked_at: int = 0
    """Positions."""
    puzzles: int = 0
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
    work = EngineWork(PuzzleLots(), settings, policy=SHIPPED)
    if EGDB_SOURCE in settings.sources and work.engine.database is None:
        raise InvalidDatabaseError(f"{EGDB_SOURCE}: no endgame database; `kr egdb build` makes one, --egdb names one")
    choice = LotChoice(settings.seed, settings.share, settings.positions, settings.pieces, settings.themes)
    counts = FindCounts()
    puzzles: dict[Position, FindRecord] = {}
    shares: dict[str, float] = {}
    share = 0.0

    def tasks() -> Iterator[WorkTask[str]]:
        for source in settings.sources:
            for number, placed in enumerate(lots_of(source, choice, on_error)):
                key = f"{number} {source}"
                shares[key] = placed.share
                yield WorkTask(key, {"lot": placed.lot, "choice": settings.puzzle_choice}, {"lot": key})

    def enter(record: dict[str, Any], earlier: bool) -> None:
        nonlocal share
        counts.resumed += earlier
        counts.looked_at += record["looked_at"]
        for puzzle in record["puzzles"]:
            position = Position.from_fen(puzzle["fen"])
            if position in puzzles or position.flipped() in puzzles:
                continue
            puzzles[position] = puzzle
            counts.puzzles += 1
            counts.themes.update(puzzle.get("themes", ()))
            counts.evidence[puzzle["evidence"]] += 1
        share += shares.pop(record["lot"])
        on_progress(share, counts)

    part = beside(settings.out, PART_SUFFIX)
    with lock(settings.out), work.records(part, lambda: _shaping(settings, work.needs["policy"]), _key_of) as records:
        work.run(tasks(), records, enter)
        ranked = sorted(puzzles.values(), key=lambda puzzle: (-puzzle["merit"], puzzle["id"]))
        ranked = ranked[: settings.most or None]
        write_atomic(settings.out, "".join(f"{json.dumps(puzzle, ensure_ascii=False)}\n" for puzzle in ranked))
        records.remove()
    return ranked, counts


def _shaping(settings: FindSettings, policy: str) -> dict[str, Any]:
    """The settings that shape the work."""
    return settings.puzzle_choice | {
        "sources": [_source_checksum(source) for source in settings.sources],
        "positions": settings.positions,
        "pieces": settings.pieces,
        "share": settings.share,
        "seed": settings.seed,
        "policy": policy,
    }


def _source_checksum(source: str) -> str:
    """Name of a source, of a file with its size."""
    path = Path(source)
    return f"{source} {path.stat().st_size}" if path.is_file() else source


def _key_of(record: dict[str, Any]) -> str:
    """Raises ValueError, LookupError or TypeError for an invalid record."""
    operator.index(record["looked_at"])
    for puzzle in record["puzzles"]:
        Problem.from_object(puzzle)
        if type(puzzle["merit"]) is not int:
            raise TypeError("merit")
    return str(record["lot"])


class PuzzleLots(EngineUnits[Lot]):
    """Units of one lot; the result is the number of positions looked at and the puzzles found."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> Lot | None:
        lot, choice = unit.values["lot"], unit.values["choice"]
        policy = policy_of(unit, needs)
        assert policy is not None
        engine.new_game()
        finder = Finder(engine, policy, PuzzleChoice(**choice | {"themes": tuple(choice["themes"])}), stop)
        looked_at, puzzles = 0, []
        covered: set[Position] = set()
        for position, source in _positions(lot, engine):
            if stop.is_set():
                return None
            looked_at += 1
            # a position within a solution is no puzzle of its own
            puzzle = None if position in covered else finder.find(position)
            if puzzle is not None and not stop.is_set():
                problem, merit = puzzle
                covered |= _passed(problem)
                problem = replace(problem, id=puzzle_id(position), source=source)
                record = {name: value for name, value in problem.as_object().items() if value not in ("", [])}
                puzzles.append(record | {"merit": merit.score})
        return {"looked_at": looked_at, "puzzles": puzzles}


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
