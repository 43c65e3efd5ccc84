"""What a page is told, in English."""

from __future__ import annotations

from typing import Any

from kr.language.sentences import Duration, Figure, Sentence, Size, Told


def read(told: Any) -> Told:
    """What is told, from its JSON."""
    if isinstance(told, list):
        return [read(each) for each in told]
    if not isinstance(told, dict):
        return told
    kinds = {"number": Figure, "seconds": Duration, "bytes": Size}
    if made := next((kinds[key](**told) for key in kinds if key in told), None):
        return made
    return Sentence(told["say"], {name: read(value) for name, value in told.get("with", {}).items()})


def english(told: Any) -> str:
    """The English text of what is told, from its JSON; "-" for what is not known."""
    if isinstance(told, list):
        return ", ".join(map(english, told))
    return "-" if told is None else f"{told:,}" if isinstance(told, int) else str(read(told))
