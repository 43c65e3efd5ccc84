"""Family trees: the ancestors of a champion."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from kr.studies.evolution.reading import EvolutionRun, FamilyMember


@dataclass(frozen=True)
class FamilyTree:
    """A champion and its ancestors."""

    champion: int
    members: dict[int, FamilyMember]
    """By number, the champion included."""
    line: list[int]
    """From the champion along first parents to the first generation."""

    @property
    def founders(self) -> list[int]:
        """Ancestors without parents."""
        return [number for number, member in self.members.items() if not member.parents]

    def origins(self) -> dict[str, int]:
        """Ancestors by origin, the champion included."""
        return dict(Counter(member.origin for member in self.members.values()))


def family_tree(run: EvolutionRun, generation: int | None = None) -> FamilyTree:
    """The tree of a generation's champion, the last one by default. Raises IndexError for an unknown generation."""
    champion = run.generations[-1 if generation is None else generation].champion
    members: dict[int, FamilyMember] = {}
    waiting = [champion]
    while waiting:
        number = waiting.pop()
        if number not in members and number in run.family:
            members[number] = run.family[number]
            waiting.extend(members[number].parents)
    line = [champion]
    while (member := members.get(line[-1])) and member.parents and member.parents[0] in members:
        line.append(member.parents[0])
    return FamilyTree(champion, dict(sorted(members.items())), line)
