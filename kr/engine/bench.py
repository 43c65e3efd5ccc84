"""The bench: fixed positions searched to a fixed depth by one thread.

The total of nodes is the signature of search and evaluation: a change that is meant to alter nothing keeps it. What
each feature of the search is worth in nodes and time is measured by switching it off (`compare`).

Seconds are those of the processor, not of the clock on the wall, so that other work on the machine counts little.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from kr.engine.engine import SEARCH_OPTIONS, Engine, Info, Limits, load_database, parse_search_options
from kr.errors import InvalidFenError, InvalidSettingError
from kr.evaluation.kinds import weights_texts
from kr.game.position import Position
from kr.settings import egdb_memory_option, egdb_option, option
from kr.units import format_size, parse_size

POSITIONS = "bench.txt"

SAME_DEPTH = ("aspiration", "etc", "history")
"""Features that leave a depth what it is: they find nearly the same scores with fewer nodes. Any other one is taken to
reduce or extend, so that the same depth says something else with and without it."""

PAPER = {
    "etc": "22% fewer nodes at 17 plies",
    "single": "all extensions: six plies less deep in the same time, 55-45",
}
"""What Chinook's authors published of its search in 2001, by the first word of a feature."""


@dataclass(frozen=True)
class BenchSettings:
    """What is searched, and how."""

    depth: int = option(17, "Plies to which each position is searched.")
    weights: str = option("", f"A {weights_texts()}; the shipped tables if not given.")
    hash: int = option(64 << 20, "Hash table.", parse=parse_size, show=format_size)
    egdb: str = egdb_option("none", "the signature depends on it")
    egdb_memory: int = egdb_memory_option()
    options: str = option("", "Search options other than their defaults.", metavar="NAME=NUMBER,...")
    positions: Path | None = option(None, "A FEN a line, # before a comment; the built-in positions if not given.")
    rounds: int = option(3, "How often each search is timed where searches are compared.")

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= 60:
            raise InvalidSettingError(f"depth is {self.depth}; from 1 to 60 plies")
        if not 1 <= self.rounds <= 1000:
            raise InvalidSettingError(f"rounds is {self.rounds}; from 1 to 1000")


@dataclass(frozen=True)
class Iteration:
    """What had been spent when an iteration was finished."""

    depth: int
    nodes: int
    seconds: float


@dataclass(frozen=True)
class BenchLine:
    """One position of the bench."""

    fen: str
    move: str
    score: int
    depth: int
    """Less than was asked for where the game was seen to its end before."""
    nodes: int
    seconds: float
    probes: int
    """Positions looked up in the endgame database."""
    hits: int
    """Look-ups that ended a line of the search."""
    iterations: tuple[Iteration, ...]

    def spent(self, depth: int) -> Iteration:
        """The last iteration that was finished up to a depth."""
        return max((each for each in self.iterations if each.depth <= depth), key=lambda each: each.depth)


@dataclass(frozen=True)
class DepthLine:
    """All positions up to one depth."""

    depth: int
    positions: int
    """Those that were searched as deep as this; the others were seen to their end before."""
    nodes: int
    seconds: float
    branching: float
    """How many times as many nodes as one ply before, the geometric mean; no number for the first."""


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

    @property
    def depths(self) -> tuple[DepthLine, ...]:
        """Nodes, time and branching by depth."""
        reached = [{each.depth: each.nodes for each in line.iterations} for line in self.lines]
        depths = sorted(set().union(*reached))
        growth = {
            depth: [math.log(nodes[depth] / nodes[before]) / (depth - before)
                    for nodes in reached if before in nodes and depth in nodes]
            for before, depth in pairwise(depths)
        }  # fmt: skip
        return tuple(
            DepthLine(
                depth,
                sum(depth in nodes for nodes in reached),
                sum(line.spent(depth).nodes for line in self.lines),
                sum(line.spent(depth).seconds for line in self.lines),
                _mean_factor(growth.get(depth, ())),
            )
            for depth in depths
        )


@dataclass(frozen=True)
class Variant:
    """The bench with other search options, against the bench as it is. Ratios: more than 1 is more than as it is."""

    name: str
    options: Mapping[str, int]
    positions: int
    """Those that both searched to the full depth; the ratios are of these."""
    nodes: float
    """Nodes, the geometric mean of the positions' ratios."""
    nodes_error: float
    """Of that mean: 95% of samples of as many positions lie within this factor of it."""
    total: float
    """All nodes."""
    seconds: float
    """Time, the geometric mean of the positions' ratios, the mean of the rounds."""
    seconds_least: float
    """The same of single rounds."""
    seconds_most: float
    other_moves: int
    """Positions in which another move was chosen."""


@dataclass(frozen=True)
class Comparison:
    """Variants of the search, each against the search as it is."""

    settings: BenchSettings
    result: BenchResult
    """The search as it is, in the first round."""
    variants: tuple[Variant, ...]


def load_positions(path: Path | None = None) -> tuple[Position, ...]:
    """The positions of a file, or the built-in ones: a FEN a line, with # before what is no FEN.

    Raises InvalidFenError with file and line, InvalidSettingError for a file without any, and OSError.
    """
    text = (path or files("kr.engine").joinpath(POSITIONS)).read_bytes().decode(errors="replace")
    positions = []
    for number, line in enumerate(text.splitlines(), 1):
        fen = line.partition("#")[0].strip()
        try:
            if fen:
                positions.append(Position.from_fen(fen))
        except InvalidFenError as error:
            raise InvalidFenError(f"{path}: line {number}: {error}") from None
        if fen and positions[-1].is_over:
            raise InvalidSettingError(f"{path}: line {number}: {fen} has no legal move to search")
    if not positions:
        raise InvalidSettingError(f"{path}: no position in it; expected a FEN a line")
    return tuple(positions)


def run(settings: BenchSettings, on_line: Callable[[BenchLine], None] | None = None) -> BenchResult:
    """Search each position from an empty table.

    Raises InvalidWeightsError, InvalidDatabaseError, and what load_positions raises.
    """
    engine = _engine(settings)
    lines = []
    for position in load_positions(settings.positions):
        lines.append(_search(engine, position, settings.depth))
        if on_line is not None:
            on_line(lines[-1])
    return BenchResult(settings, engine.name, tuple(lines))


def features() -> dict[str, dict[str, int]]:
    """The features of the search, each with the options that switch it off.

    Options whose names begin with the same word belong to one feature, "lmr"; what is off already is none.
    """
    found: dict[str, dict[str, int]] = {}
    for name, (default, _, _, off, _) in SEARCH_OPTIONS.items():
        if default != off:
            found.setdefault(first_word(name), {})[name] = off
    return {word if len(off) > 1 else next(iter(off)): off for word, off in found.items()}


def first_word(name: str) -> str:
    """The word of a search option, or of a feature, by which SAME_DEPTH and PAPER know it."""
    return name.partition("_")[0]


def compare(
    settings: BenchSettings,
    variants: Mapping[str, Mapping[str, int]],
    on_search: Callable[[], None] | None = None,
) -> Comparison:
    """Search each position with the settings' own options and with those of each variant besides, in turn.

    In each round every position is searched by all before the next one is, so that what else the machine does falls
    on all alike; nodes are the same in every round. Raises InvalidSettingError for options that are none, and what run
    raises.
    """
    own = parse_search_options(settings.options)
    engine = _engine(settings)
    chosen: dict[str, dict[str, int]] = {"": own} | {name: own | dict(extra) for name, extra in variants.items()}
    for options in chosen.values():
        engine.set_options(options)
    positions = load_positions(settings.positions)
    rounds = []
    for _ in range(settings.rounds):
        lines: dict[str, list[BenchLine]] = {name: [] for name in chosen}
        for position in positions:
            for name, options in chosen.items():
                engine.set_options(options)
                lines[name].append(_search(engine, position, settings.depth))
                if on_search is not None:
                    on_search()
        rounds.append(lines)
    return Comparison(
        settings,
        BenchResult(settings, engine.name, tuple(rounds[0][""])),
        tuple(
            _variant(name, extra, [lines[""] for lines in rounds], [lines[name] for lines in rounds])
            for name, extra in variants.items()
        ),
    )


def _engine(settings: BenchSettings) -> Engine:
    database = load_database(settings.egdb, settings.egdb_memory)
    options = parse_search_options(settings.options)
    return Engine(settings.weights or None, settings.hash / (1 << 20), database=database, options=options)


def _search(engine: Engine, position: Position, depth: int) -> BenchLine:
    iterations: list[Iteration] = []

    def finished(info: Info) -> None:
        iterations.append(Iteration(info.depth, info.nodes, time.thread_time() - began))

    engine.new_game()
    began = time.thread_time()
    found = engine.search(position, Limits(depth=depth), on_info=finished)
    return BenchLine(
        position.fen, str(found.move), found.score, found.depth, found.nodes, time.thread_time() - began,
        found.probes, found.hits, tuple(iterations),
    )  # fmt: skip


def _variant(
    name: str, options: Mapping[str, int], base: Sequence[Sequence[BenchLine]], other: Sequence[Sequence[BenchLine]]
) -> Variant:
    """One variant; base and other have a list of lines for each round."""
    depth = max(line.depth for line in base[0])
    both = [i for i, (line, its) in enumerate(zip(base[0], other[0], strict=True)) if line.depth == its.depth == depth]
    nodes = [math.log(other[0][i].nodes / base[0][i].nodes) for i in both]
    times = [
        _mean_factor([math.log(its[i].seconds / lines[i].seconds) for i in both])
        for lines, its in zip(base, other, strict=True)
    ]
    return Variant(
        name,
        dict(options),
        len(both),
        _mean_factor(nodes),
        _mean_error(nodes),
        sum(other[0][i].nodes for i in both) / sum(base[0][i].nodes for i in both) if both else math.nan,
        sum(times) / len(times),
        min(times),
        max(times),
        sum(its.move != line.move for line, its in zip(base[0], other[0], strict=True)),
    )


def _mean_factor(logs: Sequence[float]) -> float:
    """The geometric mean of factors given by their logarithms; no number for none."""
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def _mean_error(logs: Sequence[float]) -> float:
    """The factor within which that mean lies of the true one, with 95%; no number for fewer than two."""
    if len(logs) < 2:
        return math.nan
    mean = sum(logs) / len(logs)
    deviation = math.sqrt(sum((each - mean) ** 2 for each in logs) / (len(logs) - 1))
    return math.exp(1.96 * deviation / math.sqrt(len(logs)))
