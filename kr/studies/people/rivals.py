"""Rivals of policies: kr's own search, whose best moves stand for predictions.

A search of N nodes gives the first move. The other moves follow in the order of a second search of N nodes that keeps a
line for each, so that it can be right within its first choices too; moves for whose lines the nodes don't suffice
follow in the order of their static scores. Probabilities stand for that order alone. The ranking of a position goes
into a journal and serves every split; the same command resumes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kr import _core
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.evaluation.kinds import load_scorer
from kr.game.position import Position
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.players.engine_work import EngineWork
from kr.players.workers import EngineUnits
from kr.policy.policy import PolicyRows
from kr.settings import EGDB_MEMORY
from kr.studies.people.baselines import MoveRival, RandomMoves, SeenMoves, uniform_rows
from kr.studies.people.decisions import Decisions
from kr.units import MEBIBYTE, parse_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NODES_A_UNIT = 500_000
MOST_A_UNIT = 1000
"""Positions."""

FrameBits = tuple[int, int, int, int]
"""Own men, opponent's men, own kings, opponent's kings in the mover's frame."""
Rankings = dict[FrameBits, tuple[int, ...]]
"""Numbers of the choices of positions, the best first."""
OnSearched = Callable[[int, int], None]
"""Called with the numbers of positions searched and of all."""


class _SearchSettings(NamedTuple):
    """Engines of searches that rank moves."""

    weights: str | None
    egdb: str
    workers: int
    hash: int = MEBIBYTE
    egdb_memory: int = EGDB_MEMORY
    cluster: str = ""


class SearchMoves:
    """The moves that kr's search prefers, from an empty table in each position.

    nodes: of a search; directory: that of the journals; weights, egdb: as for Engine; workers: positions at a time,
    0 for one per core. Raises the errors of making an engine.
    """

    ranked = True

    def __init__(
        self,
        nodes: int,
        directory: Path,
        weights: str | None = None,
        egdb: str = "",
        workers: int = 0,
        on_searched: OnSearched | None = None,
    ) -> None:
        self.nodes, self.name = nodes, f"nodes={nodes}"
        self.path = directory / f"search-{nodes}.jsonl"
        settings = _SearchSettings(weights, egdb, workers)
        self._work = EngineWork(RankedPositions(), settings)
        self._scorer = load_scorer(weights)
        self._on_searched = on_searched

    def predict(self, decisions: Decisions, rows: NDArray[np.int64]) -> PolicyRows:
        """The choices of decisions, those that the search prefers first.

        Raises InvalidSettingError for a journal of another engine, InvalidGamesError for a damaged one, OutputBusyError
        and OSError.
        """
        import numpy as np

        subset = decisions.of(rows)
        uniform = uniform_rows(subset)
        frames = [_frame(board) for board in subset.boards]
        counts = np.diff(uniform.first).tolist()
        rankings = self._rankings({frame: count for frame, count in zip(frames, counts, strict=True) if count > 1})
        probability = np.ones(len(uniform.origin), dtype=np.float32)
        for frame, count, first in zip(frames, counts, uniform.first.tolist(), strict=False):
            if count > 1:
                falling = 1 / np.arange(1, count + 1)
                probability[first + np.array(rankings[frame])] = falling / falling.sum()
        return uniform._replace(probability=probability)

    def _rankings(self, counts: Mapping[FrameBits, int]) -> Rankings:
        """Rankings of positions with these numbers of choices; those missing in the journal are searched."""
        rankings: Rankings = {}
        with self._work.journal(self.path, {"nodes": self.nodes}, _rankings_of) as journal:
            for entry in journal.entries:
                rankings |= entry
            for frame, count in counts.items():
                if len(rankings.get(frame, range(count))) != count:
                    raise InvalidGamesError(f"{self.path}: a ranking of {len(rankings[frame])} moves, not {count}")
            missing = [frame for frame in counts if frame not in rankings]
            self._report(len(counts) - len(missing), len(counts))
            searches = len(counts) - len(missing)
            with closing(self._work.pool().run(self._units(missing))) as parts:
                for part in parts:
                    journal.append(part.value)
                    entry = _rankings_of(part.value)
                    rankings |= entry
                    searches += len(entry)
                    self._report(searches, len(counts))
        return rankings

    def _units(self, missing: Sequence[FrameBits]) -> Iterator[Unit]:
        size = max(1, min(MOST_A_UNIT, NODES_A_UNIT // self.nodes))
        for at in range(0, len(missing), size):
            boards = missing[at : at + size]
            values = {"nodes": self.nodes, "boards": list(map(list, boards)), "static": self._static_orders(boards)}
            yield self._work.unit(str(at), values)

    def _static_orders(self, frames: Sequence[FrameBits]) -> list[list[int]]:
        """Numbers of the choices of positions by their static scores, captures resolved, the best first."""
        import numpy as np

        boards = np.array(frames, dtype=np.uint32)
        first = _core.policy_choices(boards)[0]
        scores = _core.choice_scores(boards, self._scorer.core)
        return [np.argsort(-part.astype(int), kind="stable").tolist() for part in np.split(scores, first[1:-1])]

    def _report(self, count: int, total: int) -> None:
        if self._on_searched:
            self._on_searched(count, total)


class RankedPositions(EngineUnits[dict[str, Any]]):
    """Units of a few positions; the result is a line of the journal."""

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> dict[str, Any] | None:
        """The orders of the moves; None if it was stopped."""
        limits = Limits(nodes=unit.values["nodes"])
        orders = []
        for board, static in zip(unit.values["boards"], unit.values["static"], strict=True):
            orders.append(ranking(engine, _frame(board), static, limits, stop))
            if stop.is_set():
                return None
        return {"boards": unit.values["boards"], "orders": orders}


def ranking(
    engine: Engine, frame: FrameBits, static: Sequence[int], limits: Limits, stop: Stop | None = None
) -> list[int]:
    """Numbers of the choices of a position, the best first: the move that a search from an empty table would play, then
    the lines of a second search, then the moves without a line, in the order of their static scores."""
    men, foe_men, kings, foe_kings = frame
    position = Position(men | kings, foe_men | foe_kings, kings | foe_kings)
    numbers: dict[tuple[int, int, int], int] = {}
    for move in position.legal_moves():
        numbers.setdefault((move.origin, move.target, move.captured), len(numbers))
    engine.new_game()
    best = engine.search(position, limits, stop=stop).move
    moves = [best]
    if len(numbers) > 2:
        lines = engine.search(position, limits, multipv=len(numbers), stop=stop).lines
        moves += [line.pv[0] for line in lines]
    order = [numbers[move.origin, move.target, move.captured] for move in moves]
    return list(dict.fromkeys([*order, *static]))


def _frame(board: Sequence[int] | NDArray[np.uint32]) -> FrameBits:
    men, foe_men, kings, foe_kings = (int(bits) for bits in board)
    return men, foe_men, kings, foe_kings


def _rankings_of(values: Mapping[str, Any]) -> Rankings:
    """A line of the journal. Raises ValueError, LookupError and TypeError for an invalid one."""
    rankings = {}
    for board, order in zip(values["boards"], values["orders"], strict=True):
        if not all(type(bits) is int and 0 <= bits < 1 << 32 for bits in board):
            raise ValueError("an invalid position")
        if any(type(number) is not int for number in order) or sorted(order) != list(range(len(order))):
            raise ValueError("an invalid ranking")
        rankings[_frame(board)] = tuple(order)
    return rankings


# Rivals by their texts


def parse_move_rivals(text: str) -> tuple[str, ...]:
    """Rivals as settings name them: "seen", "random" or "nodes=N", with commas between.

    Raises InvalidSettingError.
    """
    names = []
    for name in (part.strip() for part in text.split(",")):
        what, separator, number = name.partition("=")
        if separator and what == "nodes":
            if (nodes := parse_count(number)) < 1:
                raise InvalidSettingError(f"{name!r:.40}: a search needs a node; expected nodes=500, for instance")
            name = f"nodes={nodes}"
        elif name not in ("seen", "random"):
            raise InvalidSettingError(f"{name!r:.40} is not a rival; expected seen, random or nodes=N")
        names.append(name)
    return tuple(dict.fromkeys(names))


def move_rival(
    name: str,
    decisions: Decisions,
    training: NDArray[np.int64],
    directory: Path,
    workers: int = 0,
    on_searched: OnSearched | None = None,
) -> MoveRival:
    """A rival by one of the names of `parse_move_rivals`.

    training: rows of the decisions whose moves "seen" knows; directory: for journals of searches.
    """
    if name == "seen":
        return SeenMoves(decisions, training)
    if name == "random":
        return RandomMoves()
    return SearchMoves(int(name.removeprefix("nodes=")), directory, workers=workers, on_searched=on_searched)
