"""Play for people's mistakes where values are exact: for each move that keeps a draw, the chance that people then lose.

    practical = PracticalChances.usual(load_policy(), database)
    for each in practical.moves(position):
        print(each.move, each.chance)

Drawn positions around the root, breadth first, are a graph in which we choose among the moves that keep the draw, and
people answer by the probabilities of `kr.policy.calibration`; an answer that loses ends it. Value iteration finds the
chance of each position, in which a mistake counts less the later it comes. At the edge of the graph stand the chances
of `kr.policy.ending_chances`, so that a small one is enough where these have the root.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

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
_AT_ONCE = 128
"""Positions of ours that are expanded together."""
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
        known: EndingChances | None = None,
    ) -> None:
        self.policy, self.database, self.known = policy, database, known
        self._positions, self._discount = positions, discount
        self._calibration = Calibration() if policy.model.checksum == CALIBRATION["policy"] else None

    @classmethod
    def usual(cls, policy: Policy, database: Database) -> PracticalChances:
        """Those with the files beside the database, the user's, and those that come with kr."""
        return cls(policy, database, known=EndingChances.beside(database, policy, DISCOUNT))

    def moves(self, position: Position, history: Sequence[Position] = ()) -> list[PracticalMove]:
        """The moves that keep the draw, in the order of the rules; none where it is no draw, or the value is unknown.

        history: earlier positions of the game; where it would end by repetition, nobody loses. Raises
        InvalidDatabaseError.
        """
        if position.is_over or self.database.value(position) is not Value.DRAW:
            return []
        root = key_of(position)
        is_known = self.known is not None and self.known.has(root)
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

        if self.known is None:
            return []
        rows = self.known.highest(shape, _CANDIDATES * count)
        rows = np.ascontiguousarray(rows[~_core.pending_captures(rows)])
        if not len(rows):
            return []
        children, first = _core.successors(rows)
        loses = self.values(children) == _WON
        after = np.ones(len(children))
        after[~loses] = self._discount * self.known.ours(children[~loses])
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
        self, rows: NDArray[np.uint32], first: NDArray[np.int64], loses: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """The probability (m,) of each move of drawn boards (n, 3), Black to move; loses: True for those that lose."""
        import numpy as np

        kings = rows[:, 2]
        frames = np.stack([rows[:, 0] & ~kings, rows[:, 1] & ~kings, rows[:, 0] & kings, rows[:, 1] & kings], axis=1)
        unknown = np.full((len(rows), 4), UNKNOWN_SQUARE, dtype=np.uint8)
        weights = self.policy.predict(frames, unknown).probability.astype(np.float64)
        counts = np.diff(first)
        if self._calibration is not None:
            pieces = np.bitwise_count(rows[:, 0] | rows[:, 1])
            weights = self._calibration.exact_weights(weights, loses, np.repeat(pieces, counts))
        return weights / np.repeat(np.add.reduceat(weights, first[:-1]), counts)


class _Graph:
    """Drawn positions: ours, in which we move, the first of which is the root, and theirs."""

    def __init__(self, chances: PracticalChances, root: BoardKey, most: int) -> None:
        import numpy as np

        ours: dict[BoardKey, int] = {root: 0}
        theirs: dict[BoardKey, int] = {}
        moves, move_counts, answers, answer_counts, probabilities = ([] for _ in range(5))
        expanded = answered = 0
        while expanded < len(ours) and len(ours) + len(theirs) < most:
            rows = _rows(ours, expanded, expanded + _AT_ONCE)
            expanded += len(rows)
            children, first = _core.successors(rows)
            keeps = chances.values(children) == _DRAWN
            moves.append(_numbers(theirs, children[keeps]))
            move_counts.append(np.add.reduceat(keeps.astype(np.int64), first[:-1]))
            rows = _rows(theirs, answered, len(theirs))
            answered = len(theirs)
            if not len(rows):
                continue
            children, first = _core.successors(rows)
            loses = chances.values(children) == _WON
            numbers = np.full(len(loses), -1)
            numbers[~loses] = _numbers(ours, children[~loses])
            answers.append(numbers)
            answer_counts.append(np.diff(first))
            probabilities.append(chances.probabilities(rows, first, loses))
        # ours at the edge, and theirs after them
        rows = _rows(ours, expanded, len(ours))
        if chances.known is not None and len(rows):
            children, first = _core.successors(rows)
            keeps = chances.values(children) == _DRAWN
            moves.append(_numbers(theirs, children[keeps]))
            move_counts.append(np.add.reduceat(keeps.astype(np.int64), first[:-1]))
        edge = _rows(theirs, answered, len(theirs))
        self._edge = np.zeros(0) if chances.known is None else np.nan_to_num(chances.known.theirs(edge))
        self.theirs = theirs
        self._moves, self._first_move = np.concatenate(moves), _firsts(move_counts)
        self._answers, self._first_answer = np.concatenate(answers), _firsts(answer_counts)
        self._probabilities = np.concatenate(probabilities)
        self._ours = len(ours)

    def chances(self, discount: float, closed: Sequence[BoardKey]) -> NDArray[np.float64]:
        """The chance in each of theirs; in the `closed` ones it is 0, and in ours that were not expanded."""
        import numpy as np

        is_open = np.ones(len(self.theirs))
        is_open[[self.theirs[key] for key in closed if key in self.theirs]] = 0
        is_open, is_open_edge = np.split(is_open, [len(self._first_answer)])
        at_once = np.add.reduceat(self._probabilities * (self._answers < 0), self._first_answer)
        later = discount * self._probabilities
        # the last one stands for answers that lose, whose number is -1
        ours = np.zeros(self._ours + 1)
        theirs = np.concatenate([at_once * is_open, self._edge * is_open_edge])
        answered = theirs[: len(self._first_answer)]
        for _ in range(_SWEEPS):
            before = answered.copy()
            ours[: len(self._first_move)] = np.maximum.reduceat(theirs[self._moves], self._first_move)
            answered[:] = is_open * (at_once + np.add.reduceat(later * ours[self._answers], self._first_answer))
            if np.abs(answered - before).max() < _ACCURACY:
                break
        return theirs


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


def _firsts(counts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    import numpy as np

    sizes = np.concatenate(counts)
    return np.cumsum(sizes) - sizes
