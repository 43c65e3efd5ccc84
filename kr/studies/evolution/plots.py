"""Pictures of runs: growth with its bands, points, and the family of a champion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kr.figures import BLUE, INK, MUTED, ORANGE, finish, headline, new_figure, save
from kr.studies.evolution.family import FamilyTree, family_tree
from kr.studies.evolution.growth import growth_curve
from kr.studies.evolution.population import CROSSED, MUTANT, SAMPLE, STARTED
from kr.studies.evolution.reading import EvolutionRun
from kr.units import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCHEME_COLOURS = {
    "thesis": "#0b0b0b", "code": "#009e73", "fogel1999": "#0072b2", "fogel2001": "#d55e00", "cma": "#cc79a7",
}  # fmt: skip
ORIGIN_COLOURS = {STARTED: MUTED, MUTANT: BLUE, CROSSED: ORANGE, SAMPLE: "#009e73"}
ORIGIN_NAMES = {STARTED: "first generation", MUTANT: "mutant", CROSSED: "crossing", SAMPLE: "sample"}
MOST_DRAWN = 3000
"""Ancestors in a picture: of more, only the line of first parents is drawn."""


def by_scheme(runs: Sequence[EvolutionRun]) -> dict[str, list[EvolutionRun]]:
    """Runs by their scheme, in the order in which they come."""
    groups: dict[str, list[EvolutionRun]] = defaultdict(list)
    for run in runs:
        groups[run.about["scheme"]].append(run)
    return dict(groups)


def draw_growth(runs: Sequence[EvolutionRun], path: Path) -> Path:
    """Running sum of growth by generation, with 95% bands, and the share of games that were decided."""
    figure, (sums, decided) = new_figure(2, 11, 4.6)
    games = sum(run.games for run in runs)
    headline(figure, "growth of champions", counted(len(runs), "run"), counted(games, "game"))
    for scheme, group in by_scheme(runs).items():
        colour = SCHEME_COLOURS.get(scheme, INK)
        name = f"{scheme}, {counted(len(group), 'seed')}" if len(runs) > 1 else group[0].name
        curve = growth_curve(group)
        generations = range(1, len(curve.total) + 1)
        sums.plot(generations, curve.total, color=colour, linewidth=1.6, label=name)
        sums.fill_between(generations, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0)
        _decided(decided, group, colour, name)
    sums.axhline(0, color=MUTED, linewidth=0.8)
    finish(sums, "running sum of growth, 95% bands", "generation", "points a game")
    finish(decided, "games that were decided", "generation", "percent")
    decided.set_ylim(0, 100)
    sums.legend(frameon=False, labelcolor=INK, fontsize=9)
    save(figure, path)
    return path


def _decided(ax: Axes, group: Sequence[EvolutionRun], colour: str, name: str) -> None:
    """Mean of runs, in tenths of their generations, so that the curve is smooth."""
    import numpy as np

    length = min(len(run.generations) for run in group)
    shares = np.array([[row.decided / max(row.games, 1) for row in run.generations[:length]] for run in group])
    step = max(1, length // 40)
    whole = length // step * step
    smooth = 100 * shares.mean(axis=0)[:whole].reshape(-1, step).mean(axis=1)
    ax.plot(np.arange(len(smooth)) * step + step / 2, smooth, color=colour, linewidth=1.6, label=name)


def draw_family(run: EvolutionRun, path: Path, generation: int | None = None) -> Path:
    """The ancestors of a champion by generation of birth, with lines to their parents."""
    tree = family_tree(run, generation)
    figure, (ax,) = new_figure(1, 11, 5.6)
    last = run.generations[-1 if generation is None else generation].generation
    headline(figure, f"{run.name}: family of the champion of generation {last}", counted(len(tree.members), "member"))
    places = _places(tree)
    line = set(tree.line)
    for number, (x, y) in places.items():
        for parent in tree.members[number].parents:
            if parent in places:
                direct = number in line and parent in line
                ax.plot(
                    [x, places[parent][0]], [y, places[parent][1]], color=INK if direct else "#c9c7c0",
                    linewidth=1.4 if direct else 0.5, zorder=2 if direct else 1,
                )  # fmt: skip
    for origin, colour in ORIGIN_COLOURS.items():
        those = [places[number] for number in places if tree.members[number].origin == origin]
        if those:
            xs, ys = zip(*those, strict=True)
            ax.scatter(xs, ys, s=14 if len(places) < 400 else 5, color=colour, zorder=3, label=ORIGIN_NAMES[origin])
    finish(ax, "black: the line of first parents", "generation of birth", "")
    ax.set_yticks([])
    ax.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper left", ncols=4)
    ax.margins(y=0.12)
    save(figure, path)
    return path


def _places(tree: FamilyTree) -> dict[int, tuple[float, float]]:
    """Place of each member: by its birth, those of the line of first parents in the middle."""
    line = set(tree.line)
    nodes = tree.members if len(tree.members) <= MOST_DRAWN else {number: tree.members[number] for number in tree.line}
    born: dict[int, list[int]] = defaultdict(list)
    for number, member in nodes.items():
        born[member.born].append(number)
    places = {}
    for generation, numbers in born.items():
        others = [number for number in numbers if number not in line]
        for number in numbers:
            if number in line:
                places[number] = (float(generation), 0.0)
        for index, number in enumerate(others):
            # in turn above and below
            places[number] = (float(generation), (index // 2 + 1) * (1 if index % 2 == 0 else -1))
    return places
