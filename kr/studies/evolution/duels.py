"""Games of a run as units of work: their sides, and the results."""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kr import _core
from kr.evaluation.evolved import EvolvedNetwork
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit
from kr.players.deciders import make_decider

MOST_EVALUATORS = 200
"""Evaluators that a worker keeps."""
PORTIONS = 12
"""Least number of portions of a unit with enough games."""
BY_CHANCE = {"kind": "random"}
SEED_BITS = 62


class DuelSide(NamedTuple):
    """A side of a game: its network and its decider."""

    decider: str
    """Name of a description of a decider."""
    genome: int | None
    """Number of an individual, if the decider has an evaluation."""


class Duel(NamedTuple):
    """A game to be played."""

    stage: str
    """Purpose of the game."""
    number: int
    """Among the games of its stage, from 0."""
    black: DuelSide
    white: DuelSide
    opening: int
    """-1: the start."""
    seed: int


class DuelResult(NamedTuple):
    """A game that has been played."""

    stage: str
    number: int
    result: int
    """1 if Black won, 0, -1."""
    reason: int
    """A REASON_ number of the core."""
    plies: int


@dataclass(frozen=True)
class DuelSetting:
    """Setting of all games of a run."""

    network: Mapping[str, Any]
    """Fields of an EvolvedNetwork."""
    deciders: Mapping[str, Mapping[str, Any]]
    """Descriptions by name."""
    openings: Sequence[tuple[int, int, int, int]]
    most_plies: int


Evaluators = dict[int, _core.EvolvedEvaluator]
"""Evaluators by the number of the genome."""
PlayedDuels = tuple[list[DuelResult], float]
"""Results of games, and the seconds of the thread that played them."""


class EvolutionDuels(Kind[Evaluators, PlayedDuels]):
    """Units of some games."""

    def open(self, unit: Unit, needs: Needs) -> Evaluators:
        return {}

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Evaluators, PlayedDuels]:
        duels = [duel_of(values) for values in unit.values["duels"]]
        size = max(1, min(len(duels) // PORTIONS, 8)) if unit.values["quick"] else 1
        shares = [duels[first : first + size] for first in range(0, len(duels), size)]
        yield [Portion(partial(self._play, unit.values, share), len(share)) for share in shares]

    def decode(self, unit: Unit, chunk: Chunk) -> PlayedDuels:
        games, seconds = super().decode(unit, chunk)
        return [DuelResult(*each) for each in games], seconds

    def _play(
        self, values: Mapping[str, Any], duels: list[Duel], evaluators: Evaluators, stop: Stop
    ) -> PlayedDuels | None:
        began = time.thread_time()
        network = EvolvedNetwork(**values["network"])
        games = []
        for duel in duels:
            sides = []
            for colour, side in enumerate((duel.black, duel.white)):
                evaluator = None
                if side.genome is not None:
                    evaluator = _evaluator(network, side.genome, values["genomes"], evaluators)
                sides.append(make_decider(values["deciders"][side.decider], evaluator, 2 * duel.seed + colour))
            start = _core_start(values, duel.opening)
            outcome = _core.play_duel(sides[0], sides[1], start, values["most_plies"], duel.seed, stop)
            if outcome is None:
                break
            result, reason, moves = outcome
            games.append(DuelResult(duel.stage, duel.number, result, reason, len(moves)))
        return (games, time.thread_time() - began) if games else None


def _evaluator(
    network: EvolvedNetwork, number: int, genomes: Mapping[str, str], evaluators: Evaluators
) -> _core.EvolvedEvaluator:
    if number not in evaluators:
        if len(evaluators) >= MOST_EVALUATORS:
            evaluators.clear()
        evaluators[number] = network.evaluator(np.frombuffer(base64.b64decode(genomes[str(number)]), dtype=np.float32))
    return evaluators[number]


_START = (0xFFF, 0xFFF00000, 0, 0)


def _core_start(values: Mapping[str, Any], opening: int) -> tuple[int, int, int, int]:
    if opening < 0:
        return _START
    black, white, kings, side = values["openings"][str(opening)]
    return black, white, kings, side


def duel_of(values: Sequence[Any]) -> Duel:
    """A game from its values in a unit."""
    stage, number, black, white, opening, seed = values
    return Duel(stage, number, DuelSide(*black), DuelSide(*white), opening, seed)


def duels_unit(key: str, setting: DuelSetting, duels: Sequence[Duel], genomes: Mapping[int, Any]) -> Unit:
    """A unit of these games. genomes: of the individuals by number, float32 (size,)."""
    numbers = {side.genome for duel in duels for side in (duel.black, duel.white) if side.genome is not None}
    openings = {duel.opening for duel in duels if duel.opening >= 0}
    deciders = {side.decider for duel in duels for side in (duel.black, duel.white)}
    used = {name: dict(setting.deciders[name]) for name in sorted(deciders)}
    return Unit(
        EvolutionDuels.name(),
        key,
        values={
            "network": dict(setting.network),
            "deciders": used,
            # games of a few milliseconds go together
            "quick": all(each["kind"] != "mcts" and each.get("plies", 0) <= 4 for each in used.values()),
            "most_plies": setting.most_plies,
            "openings": {str(each): list(setting.openings[each]) for each in sorted(openings)},
            "genomes": {
                str(number): base64.b64encode(genomes[number].astype(np.float32).tobytes()).decode()
                for number in sorted(numbers)
            },
            "duels": [list(map(_plain, duel)) for duel in duels],
        },
    )


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
