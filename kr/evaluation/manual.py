"""The evaluation `manual`: what players of the game look at, by hand (docs/manual-evaluation.md)."""

from __future__ import annotations

from kr.evaluation.kinds import BuiltIn


class Manual(BuiltIn):
    """The hand-built evaluation; it is no sum over pieces."""

    name = "manual"
    scale = 50.0
    about = "the hand-made evaluation, see docs/manual-evaluation.md: what fitted tables are measured against"


KIND = Manual
