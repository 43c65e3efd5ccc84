"""The evaluation `manual`, written by hand from what players look at (docs/internals/manual.md)."""

from __future__ import annotations

from kr.evaluation.kinds import BuiltIn


class Manual(BuiltIn):
    """The hand-built evaluation; its score is not a sum over pieces."""

    name = "manual"
    scale = 50.0
    about = "the hand-made evaluation, see docs/internals/manual.md: what fitted tables are measured against"


KIND = Manual
