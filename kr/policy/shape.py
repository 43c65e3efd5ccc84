"""Shapes of policies: the models, their inputs, and their arrays.

Positions are in the mover's frame: own men, opponent's men, own kings, opponent's kings, squares 0-31, the board turned
if White is to move. A choice is a legal move; two paths to the same position are one choice.

`sight` is the input for each choice in addition to the squares: nothing (`none`), the static score of the
position after it once pending captures are resolved by rule (`captures`), that after the opponent's best reply
(`reply`), or after the best answer to it too (`answer`). The scores are those of an evaluation, in logits of its scale;
`best` are the edges that the score of the best choice may be above, `behind` those of the bins of how far each choice
is behind it.

The models:
 - `net`: inputs are the 4 x 32 squares; if `before`, the origin and the target of the opponent's last move and those of
   the mover's own one before it, 33 each, the last for unknown; an input for each edge in `best` that the best score is
   above; with `strengths` or `years`, edges of buckets of the mover's mean loss and of the year, one input for each
   bucket and a last one for unknown. Two layers with ReLU, `hidden` units. The logit of a choice is the sum of three
   rows times the second layer, and of their numbers: `move` by origin and direction, `target` by target, and with
   sight `behind` by bin.
 - `logit`: a conditional logit. The tables of the regions of `layout`, as a weights file has them, score the position
   after the choice, seen by the side that moved; `LOGIT_UNIT` of it are a logit of 1. `move`, `target` and `behind`, a
   number each, are added.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kr.errors import InvalidPolicyError, InvalidSettingError
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.weights import expected_shapes
from kr.notation import SQUARES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODELS = ("net", "logit")
SIGHTS = ("none", "captures", "reply", "answer")
"""Inputs for each choice; from the second on, the number of quiet plies looked ahead is one less than the index."""
PIECE_INPUTS = 4 * SQUARES
BEFORE_INPUTS = 4 * (SQUARES + 1)
UNKNOWN_SQUARE = SQUARES
"""Stands for a square of a move before that is not known."""
MOVES = 4 * SQUARES
"""Rows of `move`: four directions from each origin."""
MOST_EDGES = 64
MOST_HIDDEN = 4096
LOGIT_UNIT = 100.0
"""Score of the tables of a `logit` that is a logit of 1."""
BEST = (-3.0, -2.0, -1.5, -1.0, -0.7, -0.4, -0.2, 0.0, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0)
BEHIND = (1e-4, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0)


@dataclass(frozen=True)
class PolicyShape:
    """Model, inputs and sizes of a policy. Raises InvalidSettingError."""

    model: str = "net"
    sight: str = "captures"
    hidden: tuple[int, int] = (512, 128)
    """Units of the hidden layers of a net; those of the second are a multiple of 8."""
    before: bool = True
    """True if the moves before are inputs of a net."""
    strengths: tuple[float, ...] = ()
    """Edges of the buckets of the mover's mean loss, ascending; empty if it is not an input of a net."""
    years: tuple[float, ...] = ()
    """Edges of the buckets of the year."""
    best: tuple[float, ...] = BEST
    """Edges of the score of the best choice, in logits; empty without sight."""
    behind: tuple[float, ...] = BEHIND
    """Edges of the bins of the distance from it."""
    layout: str = "base"
    """Built-in layout of the regions of a `logit`."""

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("model", self.model, MODELS), ("sight", self.sight, SIGHTS), ("layout", self.layout, tuple(LAYOUTS)),
        ):  # fmt: skip
            if value not in allowed:
                raise InvalidSettingError(f"{name}: {value!r:.40}; expected {', '.join(allowed)}")
        if self.sight == "none":
            object.__setattr__(self, "best", ())
            object.__setattr__(self, "behind", ())
        for name in ("strengths", "years", "best", "behind"):
            edges = getattr(self, name)
            sound = all(type(edge) in (int, float) and math.isfinite(edge) for edge in edges)
            if not sound or len(edges) > MOST_EDGES or any(a >= b for a, b in pairwise(edges)):
                raise InvalidSettingError(f"{name}: expected at most {MOST_EDGES} ascending edges")
        if len(self.hidden) != 2 or not all(type(n) is int and 8 <= n <= MOST_HIDDEN for n in self.hidden):
            raise InvalidSettingError(f"hidden: {self.hidden}; expected two layers of 8 to {MOST_HIDDEN} units")
        if self.hidden[1] % 8:
            raise InvalidSettingError(f"hidden: {self.hidden[1]} units in the second layer; expected a multiple of 8")

    @property
    def plies(self) -> int:
        """Quiet plies that sight looks ahead of a choice; -1 without sight."""
        return SIGHTS.index(self.sight) - 1

    @property
    def inputs(self) -> int:
        """Inputs of a net."""
        conditions = sum(buckets_of(edges) for edges in (self.strengths, self.years))
        return PIECE_INPUTS + (BEFORE_INPUTS if self.before else 0) + len(self.best) + conditions

    @property
    def array_sizes(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Type and size of each array, by name."""
        bins = len(self.behind) + 1
        if self.model == "net":
            first, second = self.hidden
            sizes: dict[str, tuple[int, ...]] = {
                "w1": (self.inputs, first), "b1": (first,), "w2": (first, second), "b2": (second,),
                "move": (MOVES, second), "move_b": (MOVES,), "target": (SQUARES, second), "target_b": (SQUARES,),
                "behind": (bins, second), "behind_b": (bins,),
            }  # fmt: skip
            return {name: ("float32", size) for name, size in sizes.items()}
        numbers = {"move": MOVES, "target": SQUARES, "behind": bins}
        return {
            **expected_shapes(LAYOUTS[self.layout]),
            **{name: ("float32", (size,)) for name, size in numbers.items()},
        }

    def bucket(self, name: str, value: float | None) -> int:
        """Bucket of a mean loss (`strengths`) or year (`years`); the last one is for None, or NaN."""
        edges: Sequence[float] = getattr(self, name)
        if value is None or math.isnan(value):
            return max(0, buckets_of(edges) - 1)
        return sum(value >= edge for edge in edges)

    def json(self) -> str:
        """The text that a policy file has."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> PolicyShape:
        """Read the text of a policy file. Raises InvalidPolicyError, which does not name the file."""
        lists = ("hidden", "strengths", "years", "best", "behind")
        try:
            fields: Any = json.loads(text)
            shape = cls(**{**fields, **{name: tuple(fields[name]) for name in lists}})
            if type(shape.before) is not bool:
                raise TypeError("before is true or false")
            if shape.model != "net" and (shape.strengths or shape.years):
                raise ValueError("buckets of a model without them")
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise InvalidPolicyError("not the shape of a policy") from error
        return shape

    def __str__(self) -> str:
        inputs = ["squares"]
        if self.model == "net" and self.before:
            inputs.append("moves before")
        inputs += [name for name in ("strengths", "years") if getattr(self, name)]
        eyes = "" if self.sight == "none" else f", sight: {self.sight}"
        size = f" {self.inputs}-{self.hidden[0]}-{self.hidden[1]}" if self.model == "net" else ""
        return f"{self.model}{size} of {', '.join(inputs)}{eyes}"


def buckets_of(edges: Sequence[float]) -> int:
    """Number of buckets between edges and beyond, and one for unknown; 0 without edges."""
    return len(edges) + 2 if edges else 0


@cache
def move_ids() -> NDArray[np.uint8]:
    """Row of `move` for each origin and target, uint8 (32, 32): 4 * origin + direction, which is 2 up the numbers and 1
    to the right."""
    import numpy as np

    rows, columns = np.arange(SQUARES) // 4, (np.arange(SQUARES) % 4) * 2 + (np.arange(SQUARES) // 4 % 2 == 0)
    onward = rows[None] > rows[:, None]
    right = columns[None] > columns[:, None]
    ids = (4 * np.arange(SQUARES)[:, None] + 2 * onward + right).astype(np.uint8)
    ids.setflags(write=False)
    return ids
