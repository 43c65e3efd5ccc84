"""The bench: fixed positions searched to a fixed depth by one thread.

The total of nodes is the signature of search and evaluation: a change that is meant to alter nothing keeps it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kr.engine import Engine, Limits, load_database
from kr.errors import InvalidSettingError
from kr.position import Position
from kr.settings import egdb_memory_option, egdb_option, option
from kr.units import format_size, parse_size

# From the opening to endings with few pieces, with and without kings, won, lost and drawn.
POSITIONS = (
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "W:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,7,8,9,10,11,12,13",
    "B:W19,21,22,23,25,26,27,29,30,31,32:B1,2,3,4,5,6,7,9,10,11,12",
    "W:W17,21,22,23,26,27,28,29,30,31:B2,3,4,8,9,10,12,13,14,20",
    "W:W12,17,21,22,25,26,27,28,29,31:B2,3,4,9,10,13,14,16,20",
    "W:W19,21,22,23,27,31,32:B1,2,3,10,11,14,20",
    "W:W16,17,19,20,21,26,28:B3,5,7,10,14,22",
    "B:W18,22,23,25,27,28,32:B3,5,6,8,10,12,20",
    "W:WK8,10,21,22,32:B2,13,14,28,K31",
    "W:WK1,K12,17,19,23,26,K30:B6,K10,11,14,K21,K24",
    "W:W12,17,20,21,23,28:B3,5,10,14,K31",
    "B:WK5,13,21,22:B12,K15,20,26",
    "W:WK18,K23,28:BK10,12,20",
    "W:WK22,K23,K24:BK31,K32",
)


@dataclass(frozen=True)
class BenchSettings:
    """What is searched, and how."""

    depth: int = option(17, "Plies to which each position is searched.")
    weights: str = option("", "Weights file, manual or material; the shipped tables if not given.")
    hash: int = option(64 << 20, "Hash table.", parse=parse_size, show=format_size)
    egdb: str = egdb_option("none", "the signature depends on it")
    egdb_memory: int = egdb_memory_option()

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= 60:
            raise InvalidSettingError(f"depth is {self.depth}; from 1 to 60 plies")


@dataclass(frozen=True)
class BenchLine:
    """One position of the bench."""

    fen: str
    move: str
    score: int
    nodes: int
    seconds: float
    probes: int
    """Positions looked up in the endgame database."""
    hits: int
    """Look-ups that ended a line of the search."""


@dataclass(frozen=True)
class BenchResult:
    """The bench as a whole."""

    settings: BenchSettings
    weights: str
    """Name of the evaluation."""
    lines: tuple[BenchLine, ...]

    @property
    def signature(self) -> int:
        """All nodes: the same on every machine for the same code and weights."""
        return sum(line.nodes for line in self.lines)

    @property
    def nps(self) -> float:
        """Nodes a second."""
        return self.signature / max(sum(line.seconds for line in self.lines), 1e-9)

    @property
    def probes(self) -> int:
        """All look-ups in the endgame database."""
        return sum(line.probes for line in self.lines)


def run(settings: BenchSettings, on_line: Callable[[BenchLine], None] | None = None) -> BenchResult:
    """Search each position from an empty table. Raises InvalidWeightsError and InvalidDatabaseError."""
    database = load_database(settings.egdb, settings.egdb_memory)
    engine = Engine(settings.weights or None, settings.hash / (1 << 20), database=database)
    lines = []
    for fen in POSITIONS:
        engine.new_game()
        found = engine.search(Position.from_fen(fen), Limits(depth=settings.depth))
        lines.append(BenchLine(fen, str(found.move), found.score, found.nodes, found.time, found.probes, found.hits))
        if on_line is not None:
            on_line(lines[-1])
    return BenchResult(settings, engine.name, tuple(lines))
