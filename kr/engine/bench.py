"""The bench: fixed positions searched to a fixed depth by one thread.

The node total is the signature of search and evaluation: a change that is meant to alter nothing keeps it. `compare`
measures the worth of each feature of the search in nodes and time by switching it off.

Times are CPU seconds, so that other work on the machine matters little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from kr.engine.engine import Engine, engine_from
from kr.engine.limits import Limits
from kr.engine.options import SEARCH_OPTIONS, parse_search_options
from kr.engine.result import Info
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option, weights_option
from kr.errors import InvalidFenError, InvalidSettingError
from kr.game.position import Position
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.notation import fen_lines
from kr.settings import Settings, option
from kr.storage import read_regular
from kr.system import thread_seconds
from kr.text import file_text

POSITIONS = "bench.txt"

SAME_DEPTH = ("aspiration", "etc", "history")
"""Features that find nearly the same scores with fewer nodes. All others are taken to reduce or extend, so that a depth
with them does not compare with the same depth without them."""

CHINOOK = {
    "etc": "22% fewer nodes at 17 plies",
    "single": "all extensions: six plies less deep in the same time, 55-45",
    "shot": "the program ran faster",
}
"""Figures that Chinook's authors published about its search in 2001, by the first word of a feature."""


@dataclass(frozen=True)
class BenchSettings(Settings):
    """Positions of the bench, and settings of their searches."""

    depth: int = option(15, "Depth of each search, in plies: {allowed}.", low=1, high=60)
    weights: str | None = weights_option()
    hash: int = hash_option()
    egdb: str = egdb_option("none", "the signature depends on it")
    egdb_memory: int = egdb_memory_option()
    options: str = option("", "Search options other than their defaults.", metavar="NAME=NUMBER,...")
    positions: Path | None = option(None, "File with a FEN on each line, # before comments; built in if not given.")
    rounds: int = option(3, "Number of times that each search is timed in a comparison: {allowed}.", low=1, high=1000)


@dataclass(frozen=True)
class Iteration:
    """Nodes and time spent up to the end of an iteration."""

    depth: int
    nodes: int
    seconds: float


@dataclass(frozen=True)
class BenchLine:
    """Search of one position."""

    fen: str
    move: str
    score: int
    depth: int
    """Less than in the settings if the search saw the game to its end before."""
    nodes: int
    seconds: float
    probes: int
    """Positions looked up in the endgame database."""
    hits: int
    """Look-ups that ended a line of the search."""
    iterations: tuple[Iteration, ...]

    def spent(self, depth: int) -> Iteration:
        """Last iteration that was finished up to a depth."""
        return max((each for each in self.iterations if each.depth <= depth), key=lambda each: each.depth)


@dataclass(frozen=True)
class DepthLine:
    """Totals of all positions up to one depth."""

    depth: int
    positions: int
    """Positions searched to this depth; the others were seen to their end before."""
    nodes: int
    seconds: float
    branching: float
    """Growth of the nodes by one ply, as a geometric mean; not a number for the first depth."""


@dataclass(frozen=True)
class BenchResult:
    """Result of the bench."""

    settings: BenchSettings
    weights: str
    """Name of the evaluation."""
    lines: tuple[BenchLine, ...]

    @property
    def signature(self) -> int:
        """Node total: the same on every machine for the same code and weights."""
        return sum(line.nodes for line in self.lines)

    @property
    def nps(self) -> float:
        """Nodes per second."""
        return self.signature / max(sum(line.seconds for line in self.lines), 1e-9)

    @property
    def probes(self) -> int:
        """Total look-ups in the endgame database."""
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
    """The bench with other search options, as ratios to the bench with the options of the settings."""

    name: str
    options: Mapping[str, int]
    positions: int
    """Positions that both searched to the full depth; the ratios are over these."""
    nodes: float
    """Geometric mean of the positions' node ratios."""
    nodes_error: float
    """Error of that mean as a factor, with 95% confidence."""
    total: float
    """Ratio of the node totals."""
    seconds: float
    """Geometric mean of the positions' time ratios, averaged over the rounds."""
    seconds_least: float
    """Least of a single round."""
    seconds_most: float
    """Most of a single round."""
    other_moves: int
    """Positions where another move was chosen."""


@dataclass(frozen=True)
class Comparison:
    """Variants of the search, each compared with the search of the settings."""

    settings: BenchSettings
    result: BenchResult
    """Search of the settings, in the first round."""
    variants: tuple[Variant, ...]


def load_positions(path: Path | None = None) -> tuple[Position, ...]:
    """Positions of a file, or the built-in ones: a FEN on each line, # before a comment.

    Raises InvalidFenError with file and line, InvalidSettingError for a file without positions, and OSError.
    """
    content = files("kr.engine").joinpath(POSITIONS).read_bytes() if path is None else read_regular(path)
    text = file_text(content, "replace")
    positions = []
    for number, fen in fen_lines(text.splitlines()):
        try:
            positions.append(Position.from_fen(fen))
        except InvalidFenError as error:
            raise InvalidFenError(f"{path}: line {number}: {error}") from None
        if positions[-1].is_over:
            raise InvalidSettingError(f"{path}: line {number}: {fen} has no legal move")
    if not positions:
        raise InvalidSettingError(f"{path}: no positions; expected a FEN on each line")
    return tuple(positions)


def run_bench(settings: BenchSettings, on_line: Callable[[BenchLine], None] | None = None) -> BenchResult:
    """Search each position, starting with an empty hash table.

    on_line: called after each position. Raises InvalidWeightsError, InvalidDatabaseError, and what load_positions
    raises.
    """
    engine = _engine(settings)
    lines = []
    for position in load_positions(settings.positions):
        lines.append(_search(engine, position, settings.depth))
        if on_line is not None:
            on_line(lines[-1])
    return BenchResult(settings, engine.name, tuple(lines))


class SearchSignature(Kind[None, dict[str, float]]):
    """Work by which machines check that they search alike: the bench. Its result is two numbers by name.

    {"signature": 15075549, "nodes_per_second": 6100000.0}
    """

    def open(self, unit: Unit, needs: Needs) -> None:
        return None

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[None, dict[str, float]]:
        yield [Portion(_signature)]


def _signature(tools: None, stop: Stop) -> dict[str, float]:
    result = run_bench(BenchSettings())
    return {"signature": result.signature, "nodes_per_second": result.nps}


def features() -> dict[str, dict[str, int]]:
    """Features of the search, each with the options that switch it off.

    Options whose names begin with the same word, such as "lmr", belong to one feature. Options that are off by default
    are left out.
    """
    by_word: dict[str, dict[str, int]] = {}
    for name, (default, _, _, off, _) in SEARCH_OPTIONS.items():
        if default != off:
            by_word.setdefault(first_word(name), {})[name] = off
    return {word if len(off) > 1 else next(iter(off)): off for word, off in by_word.items()}


def first_word(name: str) -> str:
    """First word of a search option or feature: its key in SAME_DEPTH and CHINOOK."""
    return name.partition("_")[0]


def compare(
    settings: BenchSettings,
    variants: Mapping[str, Mapping[str, int]],
    on_search: Callable[[], None] | None = None,
) -> Comparison:
    """Search each position with the options of the settings, and with those of each variant added.

    In each round a position is searched by all variants before the next position, so that other load on the machine
    falls on all alike. Node counts are the same in every round. on_search: called after each search. Raises
    InvalidSettingError for unknown options, and what run_bench raises.
    """
    own = parse_search_options(settings.options)
    engine = _engine(settings)
    searches: dict[str, dict[str, int]] = {"": own} | {name: own | dict(extra) for name, extra in variants.items()}
    for options in searches.values():
        engine.set_options(options)
    positions = load_positions(settings.positions)
    rounds = []
    for _ in range(settings.rounds):
        lines: dict[str, list[BenchLine]] = {name: [] for name in searches}
        for position in positions:
            for name, options in searches.items():
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
    return engine_from(settings, settings.weights, options=parse_search_options(settings.options))


def _search(engine: Engine, position: Position, depth: int) -> BenchLine:
    iterations: list[Iteration] = []

    def finished(info: Info) -> None:
        iterations.append(Iteration(info.depth, info.nodes, thread_seconds() - began))

    engine.new_game()
    began = thread_seconds()
    result = engine.search(position, Limits(depth=depth), on_info=finished)
    return BenchLine(
        position.fen, str(result.move), result.score, result.depth, result.nodes, thread_seconds() - began,
        result.probes, result.hits, tuple(iterations),
    )  # fmt: skip


def _variant(
    name: str, options: Mapping[str, int], base: Sequence[Sequence[BenchLine]], other: Sequence[Sequence[BenchLine]]
) -> Variant:
    """Compare one variant. base, other: a list of lines for each round."""
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
    """Geometric mean of factors given by their logarithms; not a number for none."""
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def _mean_error(logs: Sequence[float]) -> float:
    """Error of that mean as a factor, with 95% confidence; not a number for fewer than two."""
    if len(logs) < 2:
        return math.nan
    mean = sum(logs) / len(logs)
    deviation = math.sqrt(sum((each - mean) ** 2 for each in logs) / (len(logs) - 1))
    return math.exp(1.96 * deviation / math.sqrt(len(logs)))
