"""Chances of people's moves: what a policy gives them, corrected by what a search or a database knows of each.

A policy ranks moves well, but gives bad ones too much, as it sees little of what follows (docs/lab/policy.md). With
the expected result that a move gives away, its loss, the probability becomes

    log p' = power * log p - odds(loss), made to add up to 1,

`odds` rising in straight pieces, by the number of pieces on the board. Where a database has the values of all moves,
one number for a lost one takes the place of `odds`. The losses are those of a short search, which sees about as much as
people do. Where a deeper one, as of an annotation, has found that a move loses, the log odds of its chance change by

    constant + likely * above + seen * loss by the short search - judged * loss by the deeper one,

`above` being the log odds beyond those of the last bin.

The numbers, for one policy, stand in calibration.json; the page reads them as well. `python bench/calibration.py` fits
and tests them. `holds` says where the test confirmed a chance, so that it may be told as a percentage.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CALIBRATION: dict[str, Any] = json.loads(resources.files(__package__).joinpath("calibration.json").read_text("utf-8"))
"""policy: checksum of the policy that they are for; nodes, hash: of the short search, and bytes of its hash table.
losses: those between which `odds` is straight; search: by pieces, up to `most`, the power and the slopes of `odds`;
exact: the odds of a lost value; correction: the numbers above, and the loss from which on more counts no more. losing:
least loss of a losing move; chances: edges of the bins that were tested; holds: by pieces as above, whether each bin
held, of moves that lose by a deeper search, of those that do by the short one alone, and of others."""

_LEAST = 1e-9
"""Least probability of a move by a policy."""


class Calibration:
    """The numbers of a policy, as in CALIBRATION."""

    def __init__(self, numbers: Mapping[str, Any] = CALIBRATION) -> None:
        self._numbers = numbers

    def chances(
        self, probabilities: Sequence[float], losses: Sequence[float], pieces: int, *, exact: bool = False
    ) -> list[float]:
        """Chances of a position's moves, which have these probabilities by the policy.

        losses: the expected result, 0 to 1, that each gives away by the short search; pieces: on the board; exact: the
        losses are those of values that are known.
        """
        rule = self._numbers["search"][self._class(pieces)]
        odds = [self._numbers["exact"] * (loss > 0) if exact else self._odds(rule["odds"], loss) for loss in losses]
        logits = [
            rule["power"] * math.log(max(probability, _LEAST)) - each
            for probability, each in zip(probabilities, odds, strict=True)
        ]
        highest = max(logits, default=0.0)
        weights = [math.exp(logit - highest) for logit in logits]
        total = sum(weights)
        return [weight / total for weight in weights]

    def exact_weights(
        self, probabilities: NDArray[np.float64], errs: NDArray[np.bool_], pieces: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Chances (n,) of moves of many positions with known values, each position's up to a factor.

        errs: True for moves that give the value up; pieces: on the board before each.
        """
        import numpy as np

        powers = np.array([rule["power"] for rule in self._numbers["search"]])
        most = [rule["most"] for rule in self._numbers["search"]][:-1]
        power = powers[np.searchsorted(most, pieces)]
        return np.maximum(probabilities, _LEAST) ** power * np.exp(-self._numbers["exact"] * errs)

    def corrected(self, chances: Sequence[float], seen: Sequence[float], deeper: Sequence[float | None]) -> list[float]:
        """Chances of a position's moves, of which a deeper search knows that some lose; the others share what is left.

        chances: by the short search; seen, deeper: the losses by that one and by the deeper one, None where that knows
        none.
        """
        own = [
            None if loss is None or not self.is_losing(loss) else self.corrected_chance(chance, short, loss)
            for chance, short, loss in zip(chances, seen, deeper, strict=True)
        ]
        rest = sum(chance for chance, each in zip(chances, own, strict=True) if each is None)
        remainder = 1 - sum(each for each in own if each is not None)
        scale = remainder / rest if rest else 1.0
        return [chance * scale if each is None else each for chance, each in zip(chances, own, strict=True)]

    def corrected_chance(self, chance: float, seen: float, deeper: float) -> float:
        """The chance of a move that loses by a deeper search; arguments as for `corrected`."""
        if not 0 < chance < 1:
            return chance
        numbers = self._numbers["correction"]
        odds = _log_odds(chance)
        odds += (
            numbers["constant"]
            + numbers["likely"] * max(0.0, odds - _log_odds(self._numbers["chances"][-1]))
            + numbers["seen"] * min(seen, numbers["most"])
            - numbers["judged"] * min(deeper, numbers["most"])
        )
        return 1 / (1 + math.exp(-odds))

    def _odds(self, slopes: Sequence[float], loss: float) -> float:
        pieces = zip(slopes, pairwise(self._numbers["losses"]), strict=True)
        return sum(slope * (min(loss, high) - min(loss, low)) for slope, (low, high) in pieces)

    def is_losing(self, loss: float) -> bool:
        """True if a move with this loss counts as a losing one."""
        return loss >= self._numbers["losing"]

    def holds(self, chance: float, pieces: int, seen: float, deeper: float | None = None) -> bool:
        """True if the test confirmed such a chance, so that it may be told as a number.

        seen, deeper: the move's loss by the short search, and by a deeper one, None without one.
        """
        if deeper is not None and self.is_losing(deeper):
            kind = "judged"
        else:
            kind = "seen" if self.is_losing(seen) else "others"
        held: list[bool] = self._numbers["holds"][kind][self._class(pieces)]
        return held[bisect_right(self._numbers["chances"], chance) - 1]

    def _class(self, pieces: int) -> int:
        most = [rule["most"] for rule in self._numbers["search"]]
        return next((number for number, each in enumerate(most) if pieces <= each), len(most) - 1)


def _log_odds(chance: float) -> float:
    return math.log(chance / (1 - chance))
