"""A unit of long work: a plain value from which alone the work can be done, here or on another machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from kr.storage import parse_json

Chunk = bytes | memoryview
"""A part of a unit's result, which is the chunks of all its pieces in order."""


@dataclass(frozen=True)
class Unit:
    """Work to be done as one. It is JSON: dicts with names, lists, texts, numbers."""

    kind: str
    """The name of a kr.jobs.kinds.Kind."""
    key: str
    """What tells it from the others of its job."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """What it depends on, by checksum or signature: weights, openings, databases."""
    tools: Mapping[str, Any] = field(default_factory=dict)
    """What a worker's tools are like, the same for all units of a job."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """All else that shapes its result."""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Unit:
        """Raises ValueError and TypeError where the text is not a unit's."""
        return cls(**parse_json(text))


def checksum(chunks: Iterable[Chunk]) -> str:
    """32 hex digits of the SHA-256 over a result."""
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()[:32]
