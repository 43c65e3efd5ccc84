"""Units of long work: plain values that are enough to do the work, here or on another machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Chunk = bytes | memoryview
"""A value of a unit's result as it travels, or a file."""


@dataclass(frozen=True)
class Unit:
    """Work done as one. Its values are JSON types."""

    kind: str
    """The name of a kr.jobs.kinds.Kind."""
    key: str
    """Unique among the units of its job."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """Dependencies by checksum or signature: weights, openings, databases."""
    tools: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the workers' tools, the same for all units of a job."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Everything else that shapes the result."""
