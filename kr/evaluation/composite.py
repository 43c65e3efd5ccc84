"""Tables changed by a network: the evaluation that the text `BASE+NET` names.

BASE is any evaluation, by name or file; NET a weights file of the kind `endnet`, with settings of its own after colons:
`shipped+nets/mine.h5`, `manual+mine.h5:8`, `shipped+mine.h5:pieces=10:bonus=150:share=0.8`. What is not set there, the
file says (`kr.evaluation.endnet`). In positions of at most `pieces` pieces the score s of BASE becomes

    s * (1 - draw * share) + bonus * (win - loss)

with the net's probabilities for the side to move; elsewhere it stays. A file whose name has a + is still a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kr import _core, storage
from kr.errors import InvalidWeightsError
from kr.evaluation import kinds
from kr.evaluation.endnet import Endnet, NetUse
from kr.evaluation.explanation import Explanation, unshared
from kr.evaluation.kinds import Evaluation, Scorer
from kr.game.position import Position

_SETTINGS: dict[str, Callable[[str], float]] = {"pieces": int, "bonus": float, "share": float}


@dataclass(frozen=True)
class CompositeText:
    """A text `BASE+NET`, taken apart."""

    base: str
    net: str
    settings: tuple[str, ...]
    """What stands after the net's colons."""


class Composite(Evaluation):
    """An evaluation changed by a net in endings.

    suffix: what the name says of settings that are not the file's.
    """

    def __init__(self, base: Evaluation, net: Endnet, use: NetUse | None = None, suffix: str = "") -> None:
        self.base, self.net, self.use = base, net, use or net.use
        self.name, self.signature = _identity(base, net, self.use, suffix)
        self.scale = base.scale

    def evaluator(self) -> _core.Evaluator:
        return _evaluator(self.base.core, self.net, self.use)

    def details(self) -> dict[str, Any]:
        return {
            "weights": self.name,
            "checksum": self.signature,
            "base": self.base.details(),
            "net": self.net.details(),
            "use": vars(self.use),
        }

    def facts(self) -> list[tuple[str, str]]:
        use = f"up to {self.use.pieces} pieces, share {self.use.share:g} for draws, bonus {self.use.bonus:g} for wins"
        return [
            ("weights", self.name),
            ("checksum", self.signature),
            *((f"base {name}", text) for name, text in self.base.facts()),
            *((f"net {name}", text) for name, text in self.net.facts() if name != "use"),
            ("use", use),
        ]

    def explanation(self, position: Position, score: int, worth: dict[int, int]) -> Explanation:
        """That of the base where the net is not asked."""
        if position.pieces > self.use.pieces:
            return replace(self.base.explanation(position, score, worth), weights=self.name)
        base = self.base.score(position)
        why = (
            f"a net is asked in this ending, which makes {score} centi-men of {base}; numbers show the loss without "
            "each piece"
        )
        return unshared(position, self.name, score, worth, why)


def composite_text(text: str) -> CompositeText | None:
    """A text `BASE+NET` taken apart; None for any other, such as that of a file. The first BASE that is one counts."""
    if "+" not in text or _is_file(text):
        return None
    at = text.find("+")
    while at >= 0:
        base, rest = text[:at], text[at + 1 :]
        if base == kinds.SHIPPED or base in kinds.built_in() or _is_file(base):
            words = rest.split(":")
            # the longest name that is a file's
            names = [n for n in range(len(words), 0, -1) if _is_file(":".join(words[:n]))]
            count = names[0] if names else 1
            return CompositeText(base, ":".join(words[:count]), tuple(words[count:]))
        at = text.find("+", at + 1)
    return None


def load_composite(parts: CompositeText) -> Composite:
    """The evaluation of a text. Raises InvalidWeightsError."""
    net = _load_net(parts)
    return Composite(kinds.load_evaluation(parts.base), net, _use(parts, net), _suffix(parts))


def load_composite_scorer(parts: CompositeText) -> Scorer:
    """What an engine needs of it; tables that other engines have are not read again. Raises InvalidWeightsError."""
    net, base = _load_net(parts), kinds.load_scorer(parts.base)
    use = _use(parts, net)
    name, signature = _identity(base, net, use, _suffix(parts))
    return kinds.shared_scorer(Composite, name, signature, base.scale, lambda: _evaluator(base.core, net, use))


def _load_net(parts: CompositeText) -> Endnet:
    net = kinds.load_file(parts.net)
    if not isinstance(net, Endnet):
        raise InvalidWeightsError(f"{parts.net}: tables, not a net; expected BASE+NET")
    return net


def _use(parts: CompositeText, net: Endnet) -> NetUse:
    changed: dict[str, Any] = {}
    for word in parts.settings:
        name, equals, value = word.partition("=")
        if not equals:
            name, value = "pieces", word
        if name not in _SETTINGS:
            raise InvalidWeightsError(f"{parts.net}: unknown setting {name!r:.40}; choose from {', '.join(_SETTINGS)}")
        if name in changed:
            raise InvalidWeightsError(f"{parts.net}: {name} is set twice")
        try:
            changed[name] = _SETTINGS[name](value)
        except ValueError:
            what = "a whole number" if _SETTINGS[name] is int else "a number"
            raise InvalidWeightsError(f"{parts.net}: {name} is {value!r:.40}; expected {what}") from None
    try:
        return replace(net.use, **changed)
    except InvalidWeightsError as error:
        raise InvalidWeightsError(f"{parts.net}: {error}") from None


def _suffix(parts: CompositeText) -> str:
    return "".join(f":{word}" for word in parts.settings)


def _identity(base: Evaluation | Scorer, net: Endnet, use: NetUse, suffix: str) -> tuple[str, str]:
    """Name and signature."""
    told = f"{base.signature}+{net.signature} {use.pieces} {use.bonus!r} {use.share!r}"
    return f"{base.name}+{net.name}{suffix}", storage.checksum(told.encode())


def _evaluator(base: _core.Evaluator, net: Endnet, use: NetUse) -> _core.Evaluator:
    return _core.CompositeEvaluator(base, net.evaluator(), use.pieces, use.bonus, use.share)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # not a possible file name
        return False
