"""Order of the work of a build, and the memory that it takes.

A pair is solved in steps, one for each number of rows that its men have advanced, the highest first. The arrangements
of men of one step are independent of each other, and so are pairs of which neither leads to the other.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kr import _egdb
from kr.egdb import slices
from kr.egdb.slices import Shape

SOLVED_AT_ONCE = 1 << 23
"""Positions that one call of the solver takes, unless a single set of own men has more."""
FILE_SHARE = 0.14
"""Upper bound on the size of a pair's files by that of its values, two bits a position, and distances."""
VALUES_PER_BYTE = 4
"""Packed values in a byte."""


@dataclass(frozen=True)
class SolverCall:
    """One call of the solver: a range of the sets of own men that have advanced `own_rows`."""

    own_rows: int
    """Rows that own men have advanced, all together."""
    opponent_rows: int
    first: int
    last: int
    """The set after the last one."""
    positions: int
    """Upper bound: it includes impossible arrangements, with two men on one square."""


def steps(pair: Shape) -> Iterator[list[SolverCall]]:
    """The steps of a pair in order, each a list of calls that may run side by side."""
    own = _egdb.men_sets(pair[0])
    opponent = _egdb.men_sets(pair[2])
    block = slices.block(pair) * len(slices.members(pair))
    for rows in range(6 * (pair[0] + pair[2]), -1, -1):
        calls: list[SolverCall] = []
        for own_rows in range(max(0, rows - len(opponent) + 1), min(rows, len(own) - 1) + 1):
            sets, others = own[own_rows], opponent[rows - own_rows]
            if others:
                each = others * block
                step = max(1, SOLVED_AT_ONCE // each)
                calls += [
                    SolverCall(own_rows, rows - own_rows, i, min(i + step, sets), min(step, sets - i) * each)
                    for i in range(0, sets, step)
                ]
        if calls:
            yield calls


def urgency(pairs: Sequence[Shape]) -> dict[Shape, int]:
    """Positions on the longest chain of pairs that begins with each pair, every one resting on the one before it.

    The pair with the longest chain is solved first.
    """
    members = set(pairs)
    chains: dict[Shape, int] = {}
    for pair in sorted(pairs, key=lambda pair: (slices.pieces(pair), pair[0] + pair[2]), reverse=True):
        chains[pair] = slices.pair_size(pair)
        followers = [other for other in chains if other in members and pair in slices.successors(other)]
        chains[pair] += max((chains[other] for other in followers), default=0)
    return chains


@dataclass
class Plan:
    """Order in which pairs are begun, and the unsolved pairs that each of them needs."""

    todo: Sequence[Shape]
    """Pairs to solve, each once."""
    waiting: dict[Shape, set[Shape]] = field(init=False)
    """Unsolved pairs that a pair waits for."""
    users: dict[Shape, set[Shape]] = field(init=False)
    """Unsolved pairs that look up a pair."""
    _ready: list[tuple[int, Shape]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        members = set(self.todo)
        self._urgency = urgency(self.todo)
        self.waiting = {pair: set(slices.successors(pair)) & members for pair in self.todo}
        self.users = {}
        for pair in self.todo:
            for successor in slices.successors(pair):
                self.users.setdefault(successor, set()).add(pair)
        for pair in self.todo:
            if not self.waiting[pair]:
                heapq.heappush(self._ready, (-self._urgency[pair], pair))

    def next(self, fits: Callable[[Shape], bool] = lambda pair: True) -> Shape | None:
        """The most urgent pair that may begin and fits, or None while all the remaining ones wait for others."""
        for ready in sorted(self._ready):
            if fits(ready[1]):
                self._ready.remove(ready)
                heapq.heapify(self._ready)
                return ready[1]
        return None

    def finish(self, pair: Shape) -> list[Shape]:
        """Note that a pair is solved; returns the pairs that none of the remaining ones will look up."""
        for user in self.users.get(pair, ()):
            if pair in self.waiting[user]:
                self.waiting[user].remove(pair)
                if not self.waiting[user]:
                    heapq.heappush(self._ready, (-self._urgency[user], user))
        free = [] if self.users.get(pair) else [pair]
        for successor in slices.successors(pair):
            self.users[successor].discard(pair)
            if not self.users[successor]:
                free.append(successor)
        return free


def own_memory(pair: Shape, distances: bool, workers: int) -> int:
    """Bytes that solving a pair takes at most, without the values that it looks up.

    They are its own values and distances, the files of these, and for each thread two states and two numbers a position
    of a block.
    """
    threads = min(workers, slices.pair_size(pair) // slices.block(pair))
    return int((1 + FILE_SHARE) * _values_bytes(pair, distances)) + threads * (10 + 6 * distances) * slices.block(pair)


def looked_up(pairs: Iterable[Shape]) -> int:
    """Bytes of the values that these pairs look up, as far as they are not their own."""
    members = set(pairs)
    needed = {successor for pair in members for successor in slices.successors(pair)} - members
    return sum(_values_bytes(pair, False) for pair in needed)


def peak_disk(todo: Sequence[Shape], kept: bool) -> int:
    """Most bytes that a build adds to the values on the disk, with the checkpoint of the pair under way.

    kept: values stay when no pair needs them any more. The plan is played through with one pair at a time.
    """
    plan = Plan(todo)
    alive = peak = 0
    while (pair := plan.next()) is not None:
        # the values written so far, and those of the checkpoint until they are whole
        peak = max(peak, alive + 2 * _values_bytes(pair, False))
        alive += _values_bytes(pair, False)
        gone = plan.finish(pair)
        if not kept:
            alive -= sum(_values_bytes(each, False) for each in gone)
    return peak


def _values_bytes(pair: Shape, distances: bool) -> int:
    return slices.pair_size(pair) // VALUES_PER_BYTE + distances * slices.pair_size(pair)
