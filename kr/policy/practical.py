"""Play for people's mistakes where values are exact: for each move that keeps a draw, the chance that people then lose.

    practical = PracticalChances.usual(load_policy(), database)
    for each in practical.moves(position):
        print(each.move, each.chance)

Drawn positions around the root are a graph in which we choose among the moves that keep the draw, and people answer by
the probabilities of `kr.policy.calibration`; an answer that loses ends it. Value iteration finds the chance of each
position, in which a mistake counts less the later it comes. At the edge of the graph stand the chances of
`kr.policy.ending_chances`, so that a small one is enough where these have the root.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kr import _core
from kr.egdb.database import VALUES, Database
from kr.egdb.slices import Shape
from kr.game.board import REPETITIONS
from kr.game.position import Move, Position
from kr.game.value import Value
from kr.policy.calibration import CALIBRATION, Calibration
from kr.policy.ending_chances import EndingChances
from kr.policy.policy import Policy, frame_of
from kr.policy.shape import UNKNOWN_SQUARE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GRAPH_POSITIONS = 3_000
"""Positions from which on a graph grows no more."""
KNOWN_POSITIONS = 200
"""The same where there are chances of the root in files."""
DISCOUNT = 0.98
"""Worth of a mistake that comes a move and an answer later."""
_SWEEPS = 200
_ACCURACY = 1e-6
"""Change of all chances at which value iteration ends."""
_CANDIDATES = 10
"""Draws that are looked at for each of the hardest."""
_AT_ONCE = 64
"""Positions of ours that are expanded together."""
_HOPE = 0.3
"""Chance of a position that is not expanded, while the graph grows."""
_PREFERENCE = 0.02
"""Chance by which a move is worse that is e times less likely to be ours."""
_FEW_SWEEPS, _FARTHEST = 4, 12
"""Sweeps after each expansion, and moves and answers to which play is followed."""
_LOST, _DRAWN = VALUES.index(Value.LOSS), VALUES.index(Value.DRAW)
_WON = VALUES.index(Value.WIN)

BoardKey: TypeAlias = tuple[int, int, int]
"""Black, white and kings, turned so that Black is to move."""


class PracticalMove(NamedTuple):
    """A move that keeps the draw."""

    move: Move
    chance: float
    """Chance that people lose after it, in which a mistake counts less the later it comes."""


class PracticalChances:
    """Chances against people of a policy, where a database has the values."""

    def __init__(
        self,
        policy: Policy,
        database: Database,
        positions: int = GRAPH_POSITIONS,
        discount: float = DISCOUNT,
        endings: EndingChances | None = None,
    ) -> None:
        self.policy, self.database, self.endings = policy, database, endings
        self._positions, self._discount = positions, discount
        self._calibration = Calibration() if policy.model.checksum == CALIBRATION["policy"] else None

    @classmethod
    def usual(cls, policy: Policy, database: Database) -> PracticalChances:
        """Those with the files beside the database, the user's, and those that come with kr."""
        return cls(policy, database, endings=EndingChances.beside(database, policy, DISCOUNT))

    def moves(self, position: Position, history: Sequence[Position] = ()) -> list[PracticalMove]:
        """The moves that keep the draw, in the order of the rules; none where it is no draw, or the value is unknown.

        history: earlier positions of the game; where it would end by repetition, nobody loses. Raises
        InvalidDatabaseError.
        """
        if position.is_over or self.database.value(position) is not Value.DRAW:
            return []
        root = key_of(position)
        is_known = self.endings is not None and self.endings.has(root)
        graph = _Graph(self, root, KNOWN_POSITIONS if is_known else self._positions)
        often = Counter(each for each in history if each.side is not position.side)
        closed = [key_of(each) for each, times in often.items() if times >= REPETITIONS - 1]
        chances = graph.chances(self._discount, closed)
        after = [(move, graph.theirs.get(key_of(position.play(move)))) for move in position.legal_moves()]
        return [PracticalMove(move, float(chances[number])) for move, number in after if number is not None]

    def best(self, position: Position, history: Sequence[Position] = ()) -> PracticalMove | None:
        """The move with the highest chance; None if there is none, or no chance."""
        best = max(self.moves(position, history), key=lambda each: each.chance, default=None)
        return best if best and best.chance else None

    def hardest(self, shape: Shape, count: int) -> list[Position]:
        """The draws of a slice that people lose most, at most so many, the hardest first: Black is to move, may not
        capture, and has a move that loses. None without files of their chances."""
        import numpy as np

        if self.endings is None:
            return []
        rows = self.endings.highest(shape, _CANDIDATES * count)
        rows = np.ascontiguousarray(rows[~_core.pending_captures(rows)])
        if not len(rows):
            return []
        children, first = _core.successors(rows)
        loses = self.values(children) == _WON
        after = np.ones(len(children))
        after[~loses] = self._discount * self.endings.ours(children[~loses])
        chances = np.add.reduceat(self.probabilities(rows, first, loses) * after, first[:-1])
        risky = np.flatnonzero(np.logical_or.reduceat(loses, first[:-1]))
        order = risky[np.argsort(-chances[risky], kind="stable")[:count]]
        return [Position(black, white, kings) for black, white, kings in rows[order].tolist()]

    def values(self, rows: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """Numbers of the values (n,) of boards (n, 3) for Black, to move, who may have no pieces left."""
        import numpy as np

        values = np.full(len(rows), _LOST, dtype=np.uint8)
        there = rows[:, 0] != 0
        values[there] = self.database.values(rows[there], workers=1)
        return values

    def probabilities(
        self,
        rows: NDArray[np.uint32],
        first: NDArray[np.int64],
        loses: NDArray[np.bool_],
        before: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.float64]:
        """The probability (m,) of each move of drawn boards (n, 3), Black to move; loses: True for those that lose;
        before: (n, 4) squares of moves before them, as for Policy.predict."""
        import numpy as np

        kings = rows[:, 2]
        frames = np.stack([rows[:, 0] & ~kings, rows[:, 1] & ~kings, rows[:, 0] & kings, rows[:, 1] & kings], axis=1)
        if before is None:
            before = np.full((len(rows), 4), UNKNOWN_SQUARE, dtype=np.uint8)
        weights = self.policy.predict(frames, before).probability.astype(np.float64)
        counts = np.diff(first)
        if self._calibration is not None:
            pieces = np.bitwise_count(rows[:, 0] | rows[:, 1])
            weights = self._calibration.exact_weights(weights, loses, np.repeat(pieces, counts))
        return weights / np.repeat(np.add.reduceat(weights, first[:-1]), counts)


class _Graph:
    """Drawn positions: ours, in which we move, the first of which is the root, and theirs.

    It grows where play leads most likely: people by their probabilities, we by the chances so far, in which a position
    of ours that is not expanded has _HOPE.
    """

    def __init__(self, chances: PracticalChances, root: BoardKey, most: int) -> None:
        import numpy as np

        self._chances = chances
        self._ours: dict[BoardKey, int] = {root: 0}
        self.theirs: dict[BoardKey, int] = {}
        self._order, self._moves, self._answers = _Lists(), _Lists(), _Lists()
        self._move_counts, self._answer_counts, self._probabilities = _Lists(), _Lists(), _Lists()
        self._answered = 0
        self._worth = np.zeros(0)
        unexpanded = np.zeros(1, dtype=np.int64)
        while len(unexpanded) and len(self._ours) + len(self.theirs) < most:
            self._expand(self._likeliest(unexpanded))
            self._answer()
            unexpanded = np.setdiff1d(np.arange(len(self._ours)), self._order.all)
        # theirs after the moves at the edge
        if chances.endings is not None and len(unexpanded):
            self._expand(unexpanded)
        edge = _rows(self.theirs, self._answered, len(self.theirs))
        self._edge = np.zeros(0) if chances.endings is None else np.nan_to_num(chances.endings.theirs(edge))

    def chances(self, discount: float, closed: Sequence[BoardKey]) -> NDArray[np.float64]:
        """The chance in each of theirs; in the `closed` ones it is 0, and in ours that were not expanded."""
        import numpy as np

        is_open = np.ones(len(self.theirs))
        is_open[[self.theirs[key] for key in closed if key in self.theirs]] = 0
        theirs = np.concatenate([np.zeros(self._answered), self._edge * is_open[self._answered :]])
        # the last one stands for answers that lose, whose number is -1
        self._iterate(np.zeros(len(self._ours) + 1), theirs, discount, is_open[: self._answered], _SWEEPS)
        return theirs

    def _iterate(
        self,
        ours: NDArray[np.float64],
        theirs: NDArray[np.float64],
        discount: float,
        is_open: NDArray[np.float64] | float,
        sweeps: int,
    ) -> None:
        """Improve chances by sweeps, until they change no more."""
        import numpy as np

        order, moves, answers = self._order.all, self._moves.all, self._answers.all
        first_move, first_answer = _firsts(self._move_counts.all), _firsts(self._answer_counts.all)
        at_once = np.add.reduceat(self._probabilities.all * (answers < 0), first_answer)
        later = discount * self._probabilities.all
        answered = theirs[: self._answered]
        for _ in range(sweeps):
            before = answered.copy()
            answered[:] = is_open * (at_once + np.add.reduceat(later * ours[answers], first_answer))
            ours[order] = np.maximum.reduceat(theirs[moves], first_move)
            if np.abs(answered - before).max() < _ACCURACY:
                break

    def _expand(self, numbers: NDArray[np.int64]) -> None:
        """Find our moves in some positions."""
        import numpy as np

        children, first = _core.successors(_rows(self._ours, 0, len(self._ours))[numbers])
        keeps = self._chances.values(children) == _DRAWN
        self._order.add(numbers)
        self._moves.add(_numbers(self.theirs, children[keeps]))
        self._move_counts.add(np.add.reduceat(keeps.astype(np.int64), first[:-1]))

    def _answer(self) -> None:
        """Find the answers in all of theirs."""
        import numpy as np

        rows = _rows(self.theirs, self._answered, len(self.theirs))
        self._answered = len(self.theirs)
        if not len(rows):
            return
        children, first = _core.successors(rows)
        loses = self._chances.values(children) == _WON
        numbers = np.full(len(loses), -1)
        numbers[~loses] = _numbers(self._ours, children[~loses])
        self._answers.add(numbers)
        self._answer_counts.add(np.diff(first))
        self._probabilities.add(self._chances.probabilities(rows, first, loses))

    def _likeliest(self, unexpanded: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of ours to which play leads most likely, by the likeliest way."""
        import numpy as np

        if len(unexpanded) <= _AT_ONCE:
            return unexpanded
        ours = np.append(self._worth, np.zeros(len(self._ours) + 1 - len(self._worth)))
        ours[unexpanded] = _HOPE
        theirs = np.zeros(self._answered)
        self._iterate(ours, theirs, DISCOUNT, 1, _FEW_SWEEPS)
        self._worth = ours[:-1]
        order, moves, counts = self._order.all, self._moves.all, self._move_counts.all
        keeps = self._answers.all >= 0
        answers, probabilities = self._answers.all[keeps], self._probabilities.all[keeps]
        sources = np.repeat(np.arange(self._answered), self._answer_counts.all)[keeps]
        preferred = np.exp((theirs[moves] - np.repeat(ours[order], counts)) / _PREFERENCE)
        likely, likely_theirs = np.zeros(len(self._ours)), np.zeros(self._answered)
        likely[0] = 1
        for _ in range(_FARTHEST):
            np.maximum.at(likely_theirs, moves, np.repeat(likely[order], counts) * preferred)
            np.maximum.at(likely, answers, likely_theirs[sources] * probabilities)
        return unexpanded[np.argsort(-likely[unexpanded], kind="stable")[:_AT_ONCE]]


class _Lists:
    """An array that grows."""

    def __init__(self) -> None:
        self._parts: list[NDArray[Any]] = []

    def add(self, part: NDArray[Any]) -> None:
        self._parts.append(part)

    @property
    def all(self) -> NDArray[Any]:
        import numpy as np

        self._parts = [np.concatenate(self._parts)]
        return self._parts[0]


def key_of(position: Position) -> BoardKey:
    """Key of a position: equal for it and the one with colours reversed."""
    men, other_men, kings, other_kings = frame_of(position)
    return men | kings, other_men | other_kings, kings | other_kings


def _rows(keys: dict[BoardKey, int], first: int, last: int) -> NDArray[np.uint32]:
    import numpy as np

    return np.array(list(islice(keys, first, last)), dtype=np.uint32).reshape(-1, 3)


def _numbers(keys: dict[BoardKey, int], rows: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Numbers of positions, of which new ones join the keys."""
    import numpy as np

    return np.array([keys.setdefault(tuple(row), len(keys)) for row in rows.tolist()], dtype=np.int64)


def _firsts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Place of the first of each row's members, by their counts."""
    import numpy as np

    return np.cumsum(counts) - counts
