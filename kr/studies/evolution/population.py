"""Populations: their individuals, the pairings of a generation, and the next generation.

Random choices depend only on the seed, the generation and their purpose, so that a population can be made again from
the results of the games before it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kr.evaluation.evolved import KING_RANGE, EvolvedNetwork
from kr.studies.evolution.schemes import DOMINANT, KEPT, Scheme

if TYPE_CHECKING:
    from numpy.random import Generator

Genome = NDArray[np.float32]

STARTED, MUTANT, CROSSED, SAMPLE = "start", "mutant", "crossing", "sample"
ORIGINS = (STARTED, MUTANT, CROSSED, SAMPLE)
"""Where an individual comes from: the first population, one parent, two parents, or a distribution."""
CHAMPIONS_KEPT = 5
"""Champions against which growth is measured."""
FIRST_KING = 2.0
"""A king's input before it evolves."""


class Individual(NamedTuple):
    """A network of a population."""

    number: int
    """Unique in a run, in the order of birth; numbers below 0 are the means of `cma`."""
    born: int
    """Generation in which it first played."""
    origin: str
    """One of ORIGINS."""
    parents: tuple[int, ...]
    """Their numbers."""
    genome: Genome
    widths: Genome | None = None
    """Sizes of its own mutations, if they evolve."""


class DuelPairing(NamedTuple):
    """A game to be played, by numbers of individuals."""

    black: int
    white: int
    opening: int
    """Number of an opening; -1: the start."""


class Population(ABC):
    """Individuals of one generation after another.

    individuals: those of this generation, of earlier ones first; champions: of the generations before it, in order.
    """

    def __init__(self, scheme: Scheme, seed: int, openings: int) -> None:
        self.scheme, self.seed, self.openings = scheme, seed, openings
        self.network: EvolvedNetwork = scheme.network
        self.generation = 0
        self.individuals: list[Individual] = []
        self.champions: list[Individual] = []
        self.points: list[float] = []
        """Points of the individuals of the last generation that has been played, in their order."""
        self.entrants: list[Individual] = []
        """Those individuals."""
        self._next = 0

    @abstractmethod
    def pairings(self) -> list[DuelPairing]:
        """Games of this generation."""

    @abstractmethod
    def _follow(self, ranked: list[Individual], points: dict[int, float]) -> tuple[Individual, list[Individual]]:
        """The champion of this generation, given best first, and the individuals of the next one."""

    def advance(self, results: Sequence[int]) -> None:
        """Rank the individuals and make the next generation. results: of `pairings`, 1 if Black won, 0, -1."""
        points: dict[int, float] = dict.fromkeys((each.number for each in self.individuals), 0.0)
        for pairing, result in zip(self.pairings(), results, strict=True):
            for number, own in ((pairing.black, result), (pairing.white, -result)):
                points[number] = points.get(number, 0.0) + self._worth(own)
        self.entrants = self.individuals
        self.points = [points[each.number] for each in self.individuals]
        # of equals, the one that has been there for longer
        ranked = sorted(self.individuals, key=lambda each: -points[each.number])
        champion, following = self._follow(ranked, points)
        self.champions.append(champion)
        self.individuals = following
        self.generation += 1

    def _worth(self, result: int) -> float:
        """Points of a result."""
        return 0.0 if result == 0 else self.scheme.win if result > 0 else self.scheme.loss

    def growth_pairings(self, generation: int, rounds: int) -> list[DuelPairing]:
        """Games of a generation's champion against the champions before it, both sides of `rounds` openings each."""
        champion, rng = self.champions[generation], self._random(generation, "growth")
        pairings = []
        for opponent in self.champions[max(0, generation - CHAMPIONS_KEPT) : generation]:
            openings = rng.choice(self.openings, size=rounds, replace=self.openings < rounds)
            # against itself it is even
            if opponent.number != champion.number:
                for opening in openings.tolist():
                    pairings.append(DuelPairing(champion.number, opponent.number, opening))
                    pairings.append(DuelPairing(opponent.number, champion.number, opening))
        return pairings

    def _random(self, generation: int, purpose: str) -> Generator:
        return np.random.default_rng([self.seed, generation, *purpose.encode()])

    def _born(
        self, genome: NDArray[np.floating], origin: str, parents: Sequence[Individual], widths: Genome | None = None
    ) -> Individual:
        self._next += 1
        born = self.generation if origin == STARTED else self.generation + 1
        numbers = tuple(each.number for each in parents)
        return Individual(self._next - 1, born, origin, numbers, genome.astype(np.float32), widths)

    def _start(self, count: int) -> list[Individual]:
        rng = self._random(0, "start")
        started = []
        for _ in range(count):
            genome = rng.uniform(-self.scheme.start, self.scheme.start, self.network.size)
            if self.network.king is None:
                genome[-1] = FIRST_KING
            widths = None
            if self.scheme.mutation == "self-adaptive":
                widths = np.full(self.network.size, self.scheme.width, dtype=np.float32)
            started.append(self._born(genome, STARTED, (), widths))
        return started

    def _random_opponents(self) -> list[DuelPairing]:
        """Each plays Black against some others, drawn at random."""
        rng = self._random(self.generation, "opponents")
        pairings = []
        for place, individual in enumerate(self.individuals):
            for draw in rng.integers(len(self.individuals) - 1, size=self.scheme.games).tolist():
                opponent = self.individuals[draw + (draw >= place)]
                pairings.append(DuelPairing(individual.number, opponent.number, -1))
        return pairings

    def _mutant(self, rng: Generator, parent: Individual, of: Genome | None = None) -> Individual:
        """A mutant of a parent, or of a genome of no individual yet."""
        genome, widths = mutated(self.scheme, rng, parent.genome if of is None else of, parent.widths)
        return self._born(genome, MUTANT, (parent,), widths)


class ParentsPopulation(Population):
    """The five best of 15 live on. 1st and 2nd have two crossings and two mutants, as have 2nd and 3rd; 4th and 5th
    have a mutant each.

    Of other sizes a third lives on, and a fifth of the children have a single parent.
    """

    def __init__(self, scheme: Scheme, seed: int, openings: int) -> None:
        super().__init__(scheme, seed, openings)
        self.individuals = self._start(scheme.population)

    def pairings(self) -> list[DuelPairing]:
        return self._random_opponents()

    def _follow(self, ranked: list[Individual], points: dict[int, float]) -> tuple[Individual, list[Individual]]:
        rng = self._random(self.generation, "children")
        size = self.scheme.population
        survivors = ranked[: max(2, size * KEPT // 15)]
        children: list[Individual] = []
        pairs = [(survivors[i], survivors[i + 1]) for i in range(min(2, len(survivors) - 1))]
        lone = survivors[3:]
        # 8 of 10 children have their parents in the pairs
        places = size - len(survivors)
        singles = min(len(lone), max(0, places // 5))
        while len(children) < places - singles:
            first, second = pairs[len(children) // 4 % len(pairs)]
            level = points[first.number] == points[second.number]
            if level and rng.integers(2):
                first, second = second, first
            children += self._family(rng, first, second)[: places - singles - len(children)]
        children += [self._mutant(rng, each) for each in lone[:singles]]
        return ranked[0], survivors + children

    def _family(self, rng: Generator, first: Individual, second: Individual) -> list[Individual]:
        """Two crossings and two mutants; the first parent is the dominant one."""
        mutants = [self._mutant(rng, first), self._mutant(rng, second)]
        if self.scheme.crossing == "none":
            return [self._mutant(rng, first), self._mutant(rng, second), *mutants]
        crossings: Sequence[NDArray[np.floating]] = crossed(self.scheme, rng, first.genome, second.genome)
        # in the public code crossings mutate too
        if self.scheme.mutation == "grown":
            crossings = [mutated(self.scheme, rng, each, None)[0] for each in crossings]
        return [self._born(each, CROSSED, (first, second)) for each in crossings] + mutants


class OffspringPopulation(Population):
    """Each parent has a mutant; all play, and the better half lives on."""

    def __init__(self, scheme: Scheme, seed: int, openings: int) -> None:
        super().__init__(scheme, seed, openings)
        parents = self._start(scheme.population)
        rng = self._random(0, "first children")
        mutants = [self._mutant(rng, each)._replace(born=0) for each in parents]
        self.individuals = parents + mutants

    def pairings(self) -> list[DuelPairing]:
        return self._random_opponents()

    def _follow(self, ranked: list[Individual], points: dict[int, float]) -> tuple[Individual, list[Individual]]:
        rng = self._random(self.generation, "children")
        parents = ranked[: self.scheme.population]
        return ranked[0], parents + [self._mutant(rng, each) for each in parents]


class CmaPopulation(Population):
    """Samples of separable CMA-ES (Ros and Hansen 2008), by the library `cma`: the champion is their mean.

    All samples play the last champions from equal openings in both colours, so that samples can be compared.
    """

    def __init__(self, scheme: Scheme, seed: int, openings: int) -> None:
        super().__init__(scheme, seed, openings)
        import cma

        rng = self._random(0, "samples")
        start = self._start(1)[0]._replace(number=-1)
        self._next = 0
        options = {
            "CMA_diagonal": True, "popsize": scheme.population, "verbose": -9, "seed": np.nan,
            "randn": lambda *shape: rng.standard_normal(shape),
        }  # fmt: skip
        self._strategy = cma.CMAEvolutionStrategy(start.genome.astype(float), scheme.width * scheme.strength, options)
        self._means = [start]
        self._samples: list[NDArray[np.float64]] = []
        self.individuals = self._sampled(0)

    def _sampled(self, born: int) -> list[Individual]:
        self._samples = self._strategy.ask()
        return [self._born(each, SAMPLE, (self._means[-1],))._replace(born=born) for each in self._samples]

    @property
    def opponents(self) -> list[Individual]:
        """The last means, as many as there are games for each sample; the newest again and again if there are fewer."""
        means = self._means[-self.scheme.games :]
        return [*means, *[means[-1]] * (self.scheme.games - len(means))]

    def pairings(self) -> list[DuelPairing]:
        rng = self._random(self.generation, "opponents")
        openings = rng.integers(self.openings, size=self.scheme.games).tolist()
        pairings = []
        for sample in self.individuals:
            for opponent, opening in zip(self.opponents, openings, strict=True):
                pairings.append(DuelPairing(sample.number, opponent.number, opening))
                pairings.append(DuelPairing(opponent.number, sample.number, opening))
        return pairings

    def _follow(self, ranked: list[Individual], points: dict[int, float]) -> tuple[Individual, list[Individual]]:
        self._strategy.tell(self._samples, [-points[each.number] for each in self.individuals])
        best = tuple(each.number for each in ranked[: len(ranked) // 2])
        mean = Individual(-1 - len(self._means), self.generation, SAMPLE, best, self._strategy.mean.astype(np.float32))
        self._means.append(mean)
        return mean, self._sampled(self.generation + 1)


BREEDINGS: dict[str, Callable[[Scheme, int, int], Population]] = {
    "parents": ParentsPopulation, "offspring": OffspringPopulation, "cma": CmaPopulation,
}  # fmt: skip


def mutated(
    scheme: Scheme, rng: Generator, genome: NDArray[np.floating], widths: Genome | None
) -> tuple[NDArray[np.float64], Genome | None]:
    """A mutant's genome, and the widths of its own mutations if they evolve."""
    size = len(genome)
    mutant = genome.astype(np.float64)
    tau = 1 / np.sqrt(2 * np.sqrt(size)) * scheme.strength
    if scheme.mutation == "added":
        mutant += tau * rng.uniform(-1, 1, size)
    elif scheme.mutation == "grown":
        mutant *= np.exp(tau * rng.uniform(0, 1, size))
    else:
        assert widths is not None
        # the widths mutate first (Chellapilla and Fogel 1999, equations 1 and 2)
        changed = widths * np.exp(tau / scheme.strength * rng.standard_normal(size))
        if scheme.most_width is not None:
            changed = np.minimum(changed, scheme.most_width)
        mutant += scheme.strength * changed * rng.standard_normal(size)
        widths = changed.astype(np.float32)
    if scheme.most is not None:
        mutant = np.clip(mutant, -scheme.most, scheme.most)
    if scheme.network.king is None:
        king = float(genome[-1])
        if scheme.king_step == "step":
            king += 0.1 * (rng.integers(3) - 1)
        else:
            king *= np.exp(rng.standard_normal() / np.sqrt(2))
        mutant[-1] = np.clip(king, *KING_RANGE)
    return mutant, widths


def crossed(scheme: Scheme, rng: Generator, dominant: Genome, other: Genome) -> tuple[Genome, Genome]:
    """Two reciprocal crossings."""
    if scheme.crossing == "cut":
        first, second = sorted(rng.integers(len(dominant) + 1, size=2).tolist())
        places = np.arange(first, second)
    else:
        nodes = scheme.network.hidden_nodes
        places = nodes[int(rng.integers(len(nodes)))]
        places = places[np.abs(dominant[places]) > DOMINANT]
    one, two = dominant.copy(), other.copy()
    one[places], two[places] = other[places], dominant[places]
    return one, two


def new_population(scheme: Scheme, seed: int, openings: int) -> Population:
    """The first generation. openings: number of openings to draw from."""
    return BREEDINGS[scheme.breeding](scheme, seed, openings)
