"""The pool for units of work: threads of this process, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from kr.jobs.kinds import Kind
from kr.jobs.needs import Needs
from kr.jobs.pool import Pool

if TYPE_CHECKING:
    from kr.cluster.pool import ClusterPool

T = TypeVar("T")
R = TypeVar("R")


def work_pool(
    kind: Kind[T, R], needs: Needs, workers: int, ready: Sequence[T] = (), cluster: str = ""
) -> Pool[T, R] | ClusterPool[T, R]:
    """Pool of `workers` threads, the first of which have `ready` tools, or that of a cluster if one is named."""
    if not cluster:
        return Pool(kind, needs, workers, ready)
    from kr.cluster.pool import ClusterPool

    return ClusterPool(kind, needs, cluster)
