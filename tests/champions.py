"""Random champions, for tests that need some network."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from kr.evaluation.evolved import ChampionRun, EvolvedNetwork

SUMS = EvolvedNetwork("sums")


def random_genome(network: EvolvedNetwork, seed: int = 1, width: float = 0.3) -> NDArray[np.float32]:
    """Numbers either side of 0, a king's value above 2."""
    genome = np.random.default_rng(seed).uniform(-width, width, network.size).astype(np.float32)
    if network.king is None:
        genome[-1] = 2.3
    return genome


def a_run(
    name: str = "thesis-1", network: EvolvedNetwork = SUMS, generations: tuple[int, ...] = (0, 5, 20)
) -> ChampionRun:
    """A run with random champions."""
    about = {
        "network": asdict(network), "decider": {"kind": "minimax", "plies": 4}, "scheme": name.partition("-")[0],
    }  # fmt: skip
    genomes = np.stack([random_genome(network, seed) for seed in generations])
    return ChampionRun(name, about, genomes, np.array(generations, dtype=np.int32))
