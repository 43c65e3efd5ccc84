"""History of a run so far: the champions, their growth, and their ancestors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from kr.studies.evolution.duels import DuelResult
from kr.studies.evolution.population import Individual, Population
from kr.studies.evolution.reading import FamilyMember, GenerationRow


class RunHistory:
    """Rows of the generations, growth, and the individuals that have been."""

    def __init__(self) -> None:
        self.generations: list[GenerationRow] = []
        self.growth: list[list[float]] = []
        """For each champion but the first, its mean points against each champion before it."""
        self._members: dict[int, FamilyMember] = {}

    def add_generation(self, population: Population, results: Sequence[DuelResult]) -> None:
        """Note the generation that `population` has just finished. results: of its games."""
        generation, champion = population.generation - 1, population.champions[-1]
        living = {each.number for each in population.individuals}
        born = Counter(each.origin for each in population.entrants if each.born == generation)
        stayed = Counter(
            each.origin for each in population.entrants if each.born == generation and each.number in living
        )
        points = dict(zip((each.number for each in population.entrants), population.points, strict=True))
        self.generations.append(
            GenerationRow(
                generation, champion.number, champion.born, champion.origin,
                points.get(champion.number, max(population.points)), sum(population.points) / len(population.points),
                len(results), sum(each.plies for each in results), sum(each.result != 0 for each in results),
                dict(born), dict(stayed),
            )
        )  # fmt: skip
        for each in (*population.entrants, champion):
            self._members.setdefault(each.number, FamilyMember(each.born, each.origin, list(each.parents)))

    def add_growth(self, means: list[float]) -> None:
        """Note the growth of the next champion."""
        self.growth.append(means)

    def family(self, champions: Iterable[Individual]) -> dict[int, FamilyMember]:
        """The champions and all their ancestors, by number."""
        members: dict[int, FamilyMember] = {}
        waiting = [each.number for each in champions]
        while waiting:
            number = waiting.pop()
            if number not in members and number in self._members:
                members[number] = self._members[number]
                waiting.extend(members[number].parents)
        return dict(sorted(members.items()))
