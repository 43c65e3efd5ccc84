"""Which piece of work comes next when a database is built, and how much memory that takes.

A pair's positions are solved in steps: all arrangements of men that have advanced equally far can be solved side by
side, the most advanced first. Steps of different pairs are independent where none leads to the other.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kr import _egdb
from kr.egdb import slices
from kr.egdb.slices import Shape

SHARE_POSITIONS = 1 << 23
"""Positions that one call of the solver takes on, where a single set of own men isn't more."""
PACKED = 4
"""Positions in a byte of packed values."""


@dataclass(frozen=True)
class Share:
    """One call of the solver: a range of the sets of own men, and rows advanced."""

    own_rows: int
    opponent_rows: int
    first: int
    last: int
    positions: int
    """An estimate: arrangements with men on one square are counted in."""


def steps(pair: Shape) -> Iterator[list[Share]]:
    """The steps of a pair in order, each a list of shares that may run side by side."""
    own = _egdb.men_sets(pair[0])
    opponent = _egdb.men_sets(pair[2])
    block = slices.block(pair) * len(slices.views(pair))
    for rows in range(6 * (pair[0] + pair[2]), -1, -1):
        shares: list[Share] = []
        for own_rows in range(max(0, rows - len(opponent) + 1), min(rows, len(own) - 1) + 1):
            sets, others = own[own_rows], opponent[rows - own_rows]
            if others:
                at_once = max(1, SHARE_POSITIONS // (others * block))
                shares += [
                    Share(own_rows, rows - own_rows, i, min(i + at_once, sets), min(at_once, sets - i) * others * block)
                    for i in range(0, sets, at_once)
                ]
        if shares:
            yield shares


def urgency(wanted: Sequence[Shape]) -> dict[Shape, int]:
    """Positions on the longest chain of pairs that begins with each and follows from it; the longest goes first."""
    chosen = set(wanted)
    chains: dict[Shape, int] = {}
    for pair in sorted(wanted, key=lambda pair: (slices.pieces(pair), pair[0] + pair[2]), reverse=True):
        chains[pair] = slices.pair_size(pair)
        followers = [other for other in chains if other in chosen and pair in slices.successors(other)]
        chains[pair] += max((chains[other] for other in followers), default=0)
    return chains


@dataclass
class Plan:
    """The order in which pairs are begun, and what each of them still needs."""

    todo: Sequence[Shape]
    """Pairs to work on, each once."""
    waiting: dict[Shape, set[Shape]] = field(init=False)
    """What a pair that hasn't begun waits for."""
    users: dict[Shape, set[Shape]] = field(init=False)
    """The pairs that aren't done and look up this one."""
    _ready: list[tuple[int, Shape]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        chosen = set(self.todo)
        self._urgency = urgency(self.todo)
        self.waiting = {pair: set(slices.successors(pair)) & chosen for pair in self.todo}
        self.users = {}
        for pair in self.todo:
            for successor in slices.successors(pair):
                self.users.setdefault(successor, set()).add(pair)
        for pair in self.todo:
            if not self.waiting[pair]:
                heapq.heappush(self._ready, (-self._urgency[pair], pair))

    def next(self) -> Shape | None:
        """A pair that may begin, or None while all that are left wait for others."""
        return heapq.heappop(self._ready)[1] if self._ready else None

    def done(self, pair: Shape) -> list[Shape]:
        """A pair is done; returns those that no other will look up from now on."""
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


def peak_memory(todo: Sequence[Shape], held: Mapping[Shape, int] | Sequence[Shape], jobs: int) -> int:
    """Bytes that building these pairs takes at most, `held` being values of others that are looked up.

    Plays the plan through with `jobs` pairs open at once: values and codes of open pairs, values of done ones that are
    still looked up, one byte and two numbers a position of the largest arrangement for each job.
    """
    plan = Plan(todo)
    alive = sum(slices.pair_size(pair) for pair in held) // PACKED
    work = max((10 * slices.block(pair) for pair in todo), default=0)
    peak = alive
    opened: list[Shape] = []
    while True:
        while len(opened) < jobs and (pair := plan.next()) is not None:
            opened.append(pair)
            alive += 2 * slices.pair_size(pair) // PACKED
        if not opened:
            break
        peak = max(peak, alive + min(jobs, len(opened)) * work)
        pair = opened.pop(0)
        alive -= slices.pair_size(pair) // PACKED
        alive -= sum(slices.pair_size(free) for free in plan.done(pair)) // PACKED
    return peak
