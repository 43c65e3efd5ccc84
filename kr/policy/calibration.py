"""Chances of people's moves: what a policy gives them, corrected by what a search or a database knows of each.

A policy ranks moves well, but gives bad ones too much, as it sees little of what follows (docs/lab/policy.md). With
the expected result that a move gives away, its loss, the probability becomes

    log p' = (power + a * stakes) log p - odds(loss) - b * stakes * loss, made to add up to 1,

`odds` rising in straight pieces, by the number of pieces on the board. The stakes are the loss that the policy expects:
where the usual moves lose, people think longer, follow habit less and see more. Where a database has the values of all
moves, the loss of a value, one number, takes the place of all that. Players of other strength weigh losses by a factor.

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
from typing import Any

CALIBRATION: dict[str, Any] = json.loads(resources.files(__package__).joinpath("calibration.json").read_text("utf-8"))
"""policy: checksum of the policy that they are for; nodes, hash: of the search that sees the losses, and bytes of its
hash table. losses: those between which `odds` is straight; stakes: the most that count; search: by pieces, up to
`most`, the power, the slopes of `odds`, a and b; exact: the power, and the odds of a lost value. strengths: factors of
the losses, for the strongest group of players first, at last that for anyone. losing: least loss of a losing move;
chances: edges of the bins that were tested; holds: for losing moves and for others, by pieces as above, whether each
bin held."""


class Calibration:
    """The numbers of a policy, as in CALIBRATION."""

    def __init__(self, numbers: Mapping[str, Any] = CALIBRATION) -> None:
        self._numbers = numbers

    def chances(
        self, probabilities: Sequence[float], losses: Sequence[float], pieces: int, group: int = -1, *,
        exact: bool = False,
    ) -> list[float]:  # fmt: skip
        """Chances of a position's moves, which have these probabilities by the policy.

        losses: the expected result, 0 to 1, that each gives away; pieces: on the board; group: of the player, 0 for the
        strongest, -1 for anyone; exact: the losses are those of values that are known.
        """
        moves = list(zip(probabilities, losses, strict=True))
        if exact:
            power = self._numbers["exact"]["power"]
            odds = [self._numbers["exact"]["odds"] * (loss > 0) for loss in losses]
        else:
            rule = self._numbers["search"][self._class(pieces)]
            stakes = min(self._numbers["stakes"], sum(probability * loss for probability, loss in moves))
            power = rule["power"] + rule["stakes"]["power"] * stakes
            odds = [self._odds(rule["odds"], loss) + rule["stakes"]["odds"] * stakes * loss for loss in losses]
        factor = self._numbers["strengths"][group]
        logits = [
            power * math.log(max(probability, 1e-9)) - factor * each
            for probability, each in zip(probabilities, odds, strict=True)
        ]
        highest = max(logits, default=0.0)
        weights = [math.exp(logit - highest) for logit in logits]
        total = sum(weights)
        return [weight / total for weight in weights]

    def _odds(self, slopes: Sequence[float], loss: float) -> float:
        pieces = zip(slopes, pairwise(self._numbers["losses"]), strict=True)
        return sum(slope * (min(loss, high) - min(loss, low)) for slope, (low, high) in pieces)

    def holds(self, chance: float, loss: float, pieces: int) -> bool:
        """True if the test confirmed such a chance of a move with this loss, so that it may be told as a number."""
        numbers = self._numbers
        kind = "losing" if loss >= numbers["losing"] else "others"
        held: list[bool] = numbers["holds"][kind][self._class(pieces)]
        return held[bisect_right(numbers["chances"], chance) - 1]

    def _class(self, pieces: int) -> int:
        most = [rule["most"] for rule in self._numbers["search"]]
        return next((number for number, each in enumerate(most) if pieces <= each), len(most) - 1)
