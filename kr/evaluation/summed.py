"""Tables and a net that adds to their score: what the text `TABLES+NET` names for a net of the kind `net`."""

from __future__ import annotations

from typing import Any

from kr import _core, storage
from kr.errors import InvalidWeightsError
from kr.evaluation.explanation import Explanation, unshared
from kr.evaluation.kinds import Evaluation, Scorer
from kr.evaluation.net import LayerNet
from kr.game.position import Position


class Summed(Evaluation):
    """An evaluation and a net that was fitted on top of it. Raises InvalidWeightsError for another evaluation."""

    def __init__(self, base: Evaluation, net: LayerNet) -> None:
        self.base, self.net = base, net
        self.name, self.signature = sum_identity(base, net)
        self.scale = base.scale

    def evaluator(self) -> _core.Evaluator:
        return sum_evaluator(self.base.core, self.net)

    def details(self) -> dict[str, Any]:
        base, net = self.base.details(), self.net.details()
        return {"weights": self.name, "checksum": self.signature, "base": base, "net": net}

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("weights", self.name),
            ("checksum", self.signature),
            *((f"base {name}", text) for name, text in self.base.facts()),
            *((f"net {name}", text) for name, text in self.net.facts() if name != "use"),
        ]

    def explanation(self, position: Position, score: int, worth: dict[int, int]) -> Explanation:
        base = self.base.score(position)
        why = (
            f"a net adds {score - base} to the {base} centi-men of {self.base.name}; numbers show the loss without each"
        )
        return unshared(position, self.name, score, worth, f"{why} piece")


def sum_identity(base: Evaluation | Scorer, net: LayerNet) -> tuple[str, str]:
    """Name and signature. Raises InvalidWeightsError if the net does not belong to this evaluation."""
    where = net.path or net.name
    if not net.base_checksum:
        raise InvalidWeightsError(f"{where}: a net by itself, which adds to no tables; expected --weights {where}")
    if net.base_checksum != base.signature:
        raise InvalidWeightsError(
            f"{where}: fitted on top of {net.base} with the checksum {net.base_checksum}; that of {base.name} is "
            f"{base.signature}"
        )
    return f"{base.name}+{net.name}", storage.checksum(f"{base.signature}+{net.signature}".encode())


def sum_evaluator(base: _core.Evaluator, net: LayerNet) -> _core.Evaluator:
    """The core's evaluator of the sum."""
    return _core.SumEvaluator(base, net.adder)
