"""What comes back from work, as the tests look at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kr.jobs.pool import FinishedPortion


def results(parts: Sequence[FinishedPortion[Any]]) -> dict[str, list[Any]]:
    """The results of the units that are done."""
    done = {part.unit.key for part in parts if part.last}
    ordered = sorted(parts, key=lambda part: part.number)
    return {key: [part.value for part in ordered if part.unit.key == key and part.value is not None] for key in done}
