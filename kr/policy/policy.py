"""A loaded policy, which gives the moves that people are likely to play.

    policy = load_policy()
    for likely in policy.choices(Position()):
        print(likely.move, likely.probability)

Further inputs: from the positions before, the last move of the opponent and the mover's own one before that; the
strength, the mean loss of the player to move as `kr annotate` measures it; the year of the game. `predict` takes
arrays of positions, without the GIL.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakValueDictionary

from kr import _core, storage
from kr.evaluation.kinds import SHIPPED, Scorer, load_scorer
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.weights import REGIONS_KIND
from kr.game.board import PositionLike, with_history
from kr.game.position import Move, Position, Side
from kr.notation import SQUARES
from kr.policy.model_file import PolicyModel, read_policy
from kr.policy.shape import LOGIT_UNIT, UNKNOWN_SQUARE, buckets_of, move_ids
from kr.settings import option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHIPPED_POLICY = "people.h5"
NO_POLICY = "none"


class LikelyMove(NamedTuple):
    """A legal move and the probability that a person plays it."""

    move: Move
    probability: float


class PolicyRows(NamedTuple):
    """The choices of many positions and their probabilities; those of position i are rows first[i] to first[i + 1]."""

    first: NDArray[np.int64]
    """(n + 1,)."""
    origin: NDArray[np.uint8]
    """(m,) squares 0-31 in the mover's frame."""
    target: NDArray[np.uint8]
    captured: NDArray[np.uint32]
    """(m,) captured squares as bitboards, in the mover's frame."""
    probability: NDArray[np.float32]
    """(m,) summing to 1 in each position."""


class Policy:
    """A policy, ready for use by any number of threads.

    eyes: the evaluation that sight looks with; by default the shipped tables.
    """

    def __init__(self, model: PolicyModel, eyes: Scorer | None = None) -> None:
        self.model = model
        self.shape = model.shape
        sees = self.shape.plies >= 0
        self.eyes = (eyes or load_scorer()) if sees else None
        self.signature = model.checksum + (f" {self.eyes.signature}" if self.eyes and not self.sees_as_fitted else "")

    @property
    def name(self) -> str:
        """Name of its file, or of its model."""
        return self.model.path.stem if self.model.path else self.shape.model

    @property
    def card(self) -> dict[str, Any]:
        """Data, splits and scores of its fit."""
        return dict(self.model.card)

    @property
    def sees_as_fitted(self) -> bool:
        """True if sight looks with the evaluation that it was fitted with; else its scores are those of another one."""
        return self.eyes is None or self.eyes.signature == self.model.evaluation

    @cached_property
    def core(self) -> _core.PolicyAsker:
        """The compiled part."""
        shape, arrays = self.shape, self.model.arrays
        eyes = self.eyes.core if self.eyes else None
        scale = self.eyes.scale if self.eyes else 1.0
        plies = max(0, shape.plies)
        if shape.model == "net":
            strengths, years = buckets_of(shape.strengths), buckets_of(shape.years)
            return _core.PolicyNet(
                arrays, move_ids(), shape.before, strengths, years, eyes, plies, scale, shape.best, shape.behind
            )
        layout = LAYOUTS[shape.layout]
        tables = (arrays[f"{group}_{what}"] for what in ("table", "material") for group in ("men", "kings"))
        regions = _core.EVALUATORS[REGIONS_KIND](layout.men, layout.kings, *tables)
        return _core.PolicyLogit(regions, LOGIT_UNIT, arrays, move_ids(), eyes, plies, scale, shape.best, shape.behind)

    def choices(
        self,
        position: PositionLike,
        history: Sequence[Position] = (),
        *,
        strength: float | None = None,
        year: float | None = None,
    ) -> list[LikelyMove]:
        """The legal moves with their probabilities, the most probable first; of equal ones in the order of the rules.

        history: earlier positions of the game, oldest first. strength: mean loss of the player to move; year: of the
        game. Captures that take the same pieces along different paths are one move.
        """
        import numpy as np

        position, history = with_history(position, history, recent=True)
        boards = np.array([frame_of(position)], dtype=np.uint32)
        before = np.array([moves_before(position, history)], dtype=np.uint8)
        strengths, years = (
            np.array([self.shape.bucket(*each)], dtype=np.uint8) for each in (("strengths", strength), ("years", year))
        )
        first, origins, targets, captured = _core.policy_choices(boards)
        probabilities = self.core.predict(boards, before, strengths, years, first)
        turned = position.side is Side.WHITE
        by_squares: dict[tuple[int, int, int], Move] = {}
        for move in position.legal_moves():
            by_squares.setdefault((move.origin, move.target, move.captured), move)
        likely_moves = []
        for origin, target, capture, probability in zip(
            origins.tolist(), targets.tolist(), captured.tolist(), probabilities.tolist(), strict=True
        ):
            squares = (31 - origin, 31 - target, _turned(capture)) if turned else (origin, target, capture)
            likely_moves.append(LikelyMove(by_squares[squares], probability))
        return sorted(likely_moves, key=lambda likely: -likely.probability)

    def predict(
        self,
        boards: NDArray[np.uint32],
        before: NDArray[np.uint8],
        strength: NDArray[np.float32] | None = None,
        year: NDArray[np.float32] | None = None,
    ) -> PolicyRows:
        """The choices of many positions with their probabilities. Releases the GIL.

        boards: (n, 4) in the mover's frame; before: (n, 4) origin and target of the opponent's last move and of the
        mover's own last one, in the same frame, 32 for unknown; strength, year: (n,) as for `choices`, NaN for unknown.
        Raises ValueError for impossible boards.
        """
        boards = _contiguous(boards, "uint32")
        first, origins, targets, captured = _core.policy_choices(boards)
        strengths, years = self._buckets("strengths", strength, len(boards)), self._buckets("years", year, len(boards))
        probabilities = self.core.predict(boards, _contiguous(before, "uint8"), strengths, years, first)
        return PolicyRows(first, origins, targets, captured, probabilities)

    def _buckets(self, name: str, values: NDArray[np.float32] | None, count: int) -> NDArray[np.uint8]:
        import numpy as np

        unknown = self.shape.bucket(name, None)
        if values is None:
            return np.full(count, unknown, dtype=np.uint8)
        edges = getattr(self.shape, name)
        if not edges:
            return np.zeros(count, dtype=np.uint8)
        buckets = np.searchsorted(np.array(edges), values, side="right")
        return np.where(np.isnan(values), unknown, buckets).astype(np.uint8)

    def __repr__(self) -> str:
        return f"<policy {self.name}: {self.shape}>"


_policies: WeakValueDictionary[tuple[str, int, int], Policy] = WeakValueDictionary()
_loading = threading.RLock()


def load_policy(text: str | Path = SHIPPED) -> Policy:
    """The policy of a file, or "shipped" for the one that comes with kr. A policy in use is not read again.

    Raises InvalidPolicyError, naming the file.
    """
    path = shipped_policy() if str(text) == SHIPPED else storage.as_path(text)
    try:
        status = path.stat()
    except OSError:
        return Policy(read_policy(path))
    with _loading:
        key = str(path.absolute()), status.st_mtime_ns, status.st_size
        policy = _policies.get(key)
        if policy is None:
            policy = _policies[key] = Policy(read_policy(path))
        return policy


def policy_option() -> Any:
    """Setting: the policy for the moves of people, as text for `chosen_policy`."""
    choices = "none, or a policy of `kr policy fit`"
    return option(SHIPPED, f"What people play: shipped, {choices}.", metavar="POLICY|none")


def chosen_policy(text: str) -> Policy | None:
    """The policy of a `policy_option`; None for "none". Raises InvalidPolicyError."""
    return None if text == NO_POLICY else load_policy(text)


def shipped_policy() -> Path:
    """Path of the policy that comes with kr."""
    return storage.data_path("weights", SHIPPED_POLICY)


def frame_of(position: Position) -> tuple[int, int, int, int]:
    """Own men, opponent's men, own kings, opponent's kings in the mover's frame."""
    own, foe = position.black, position.white
    kings = position.kings
    if position.side is Side.WHITE:
        own, foe, kings = _turned(foe), _turned(own), _turned(kings)
    return own & ~kings, foe & ~kings, own & kings, foe & kings


def moves_before(position: Position, history: Sequence[Position]) -> tuple[int, int, int, int]:
    """Origin and target of the opponent's last move and of the mover's own one before it, in the mover's frame.

    history: earlier positions, oldest first; where they don't lead here by a legal move, the squares are unknown (32).
    """
    latest, before_that = (None, None) if not history else (history[-1], history[-2] if len(history) > 1 else None)
    last = _squares_between(latest, position)
    own = _squares_between(before_that, latest) if latest else None
    turned = position.side is Side.WHITE
    numbers = [
        UNKNOWN_SQUARE if squares is None else SQUARES - 1 - square if turned else square
        for squares in (last, own)
        for square in squares or (0, 0)
    ]
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _squares_between(before: Position | None, after: Position | None) -> tuple[int, int] | None:
    """Origin and target of the move from one position to the next; None without such a move."""
    if before is None or after is None or before.side is after.side:
        return None
    own, now = (before.black, after.black) if before.side is Side.BLACK else (before.white, after.white)
    origin, reached = own & ~now, now & ~own
    if origin.bit_count() == reached.bit_count() == 1:
        squares = origin.bit_length() - 1, reached.bit_length() - 1
        for path, captured in _core.legal_moves(*before.bits):
            if (path[0], path[-1]) == squares and _core.play(*before.bits, *squares, captured) == after.bits:
                return squares
        return None
    # a king may capture in a circle
    for path, captured in _core.legal_moves(*before.bits):
        if path[0] == path[-1] and _core.play(*before.bits, path[0], path[0], captured) == after.bits:
            return path[0], path[0]
    return None


def _contiguous(array: NDArray[Any], dtype: str) -> NDArray[Any]:
    import numpy as np

    return np.ascontiguousarray(array, dtype=dtype)


def _turned(bits: int) -> int:
    """A bitboard turned by 180 degrees."""
    return int(f"{bits:032b}"[::-1], 2)
