"""Settings of `kr evolve`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kr.errors import InvalidSettingError
from kr.evaluation.evolved import EVOLVED_INPUTS
from kr.settings import REQUIRED, Settings, option, seed_option, workers_option
from kr.studies.evolution.schemes import SCHEMES, Scheme
from kr.units import format_count, parse_count

PLAYOUT_PLIES = 6
"""Plies of a play-out before it is cut off and valued."""
ROUNDS_A_PLY = 300
"""Play-outs of a decision for each ply, as in the public code of the thesis."""
DECIDERS = ("minimax", "mcts")


@dataclass(frozen=True)
class EvolveSettings(Settings):
    """Settings of a run. All but NOT_SHAPING shape its games."""

    out: Path = option(REQUIRED, "Directory of the run; an earlier start of it is resumed.", metavar="DIR")
    scheme: str = option("thesis", "Evolutionary algorithm: {allowed}.", choices=tuple(SCHEMES))
    generations: int = option(
        200, "Generations in the run at the end, including earlier ones.", parse=parse_count, show=format_count, low=1,
        high=100_000,
    )  # fmt: skip
    seed: int = seed_option("Seed of everything random.")
    plies: int = option(4, "Plies that are looked ahead, {allowed}.", low=1, high=12)
    extend: bool = option(False, "Let minimax look two plies further where a capture is due; takes ten times as long.")
    decider: str = option("minimax", "Choice of moves: {allowed}, which is Monte Carlo tree search.", choices=DECIDERS)
    rounds: int | None = option(
        None, f"Play-outs of an mcts decision; {ROUNDS_A_PLY} a ply if not given.", parse=parse_count, low=1, high=10**7
    )
    moves: int = option(100, "Moves of each side after which a game is drawn.", low=1, high=500)
    comparisons: int = option(
        256, "Games against each rival at the end of the run; 0: none.", parse=parse_count, low=0, high=100_000
    )
    playouts: tuple[int, ...] = option(
        (100, 1800), "Play-outs of a rival that is pure MCTS, {allowed}; more than once for more rivals.",
        parse=parse_count, low=1, high=10**7,
    )  # fmt: skip
    population: int | None = option(None, "Networks, if other than in the scheme.", low=4, high=1000)
    games: int | None = option(None, "Games that each plays as Black, if other than in the scheme.", low=1, high=1000)
    inputs: str = option(
        "", "Inputs of the first layer, if other than in the scheme: {allowed}.", choices=("", *EVOLVED_INPUTS)
    )
    difference: float | None = option(
        None, "Factor of the piece difference in the output, if other than in the scheme.", low=0, high=10
    )
    crossing: bool = option(True, "Crossings, where the scheme has them.")
    mutation: float = option(1.0, "Factor of the size of mutations.", above=0, high=100)
    most_width: float | None = option(None, "Bound of widths of mutations that evolve.", above=0, high=10)
    workers: int = workers_option()


NOT_SHAPING = ("out", "generations", "comparisons", "playouts", "workers")
"""Settings that may change when a run is resumed."""


def scheme_of(settings: EvolveSettings) -> Scheme:
    """The scheme with the changes of the settings. Raises InvalidSettingError."""
    scheme = SCHEMES[settings.scheme]
    network = scheme.network
    if settings.inputs:
        network = replace(network, inputs=settings.inputs)
    if settings.difference is not None:
        network = replace(network, difference=settings.difference)
    scheme = replace(scheme, network=network, strength=settings.mutation)
    if settings.population is not None:
        scheme = replace(scheme, population=settings.population)
    if settings.games is not None:
        scheme = replace(scheme, games=settings.games)
    if not settings.crossing:
        scheme = replace(scheme, crossing="none")
    if settings.most_width is not None:
        if scheme.mutation != "self-adaptive" or scheme.breeding == "cma":
            raise InvalidSettingError(f"most_width: widths don't evolve in the scheme {settings.scheme}; leave it out")
        scheme = replace(scheme, most_width=settings.most_width)
    return scheme


def decider_of(settings: EvolveSettings) -> dict[str, Any]:
    """Description of the decider, for `kr.players.deciders`."""
    return minimax_decider(settings) if settings.decider == "minimax" else mcts_decider(settings)


def mcts_decider(settings: EvolveSettings) -> dict[str, Any]:
    """MCTS of the champion with early end of its play-outs."""
    rounds = settings.rounds or ROUNDS_A_PLY * settings.plies
    return {"kind": "mcts", "rounds": rounds, "playout_plies": PLAYOUT_PLIES}


def minimax_decider(settings: EvolveSettings) -> dict[str, Any]:
    """Minimax of the champion."""
    return {"kind": "minimax", "plies": settings.plies, "extend": settings.extend}
