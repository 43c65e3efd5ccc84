"""`kr evolve show`."""

from pathlib import Path
from typing import Any

from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.evaluation.evolved import EvolvedNetwork
from kr.figures import check_plots
from kr.players.deciders import describe_decider
from kr.settings import REQUIRED, option
from kr.studies.evolution.family import family_tree
from kr.studies.evolution.growth import Interval, growth_curve, mean_growth, score_interval, scores_together
from kr.studies.evolution.plots import by_scheme, draw_family, draw_growth
from kr.studies.evolution.reading import EvolutionRun, read_run
from kr.units import counted, format_clock

RIVAL_NAMES = {"random": "random moves", "halfway": "champion half-way", "minimax": "itself with MCTS"}
"""Rivals of a run's comparisons, as tables name them."""
SHOWN_GENERATIONS = 12
"""Generations in the table of a run."""
LINE_LENGTH = 12
"""Members of the champion's line that are named."""


@options.command
def command(
    runs: tuple[Path, ...] = option(REQUIRED, "Directories of runs.", argument=True, metavar="DIR"),
    generation: int | None = option(None, "Generation whose champion's family is shown; the last if not given.", low=0),
    plots: Path | None = option(None, "Directory for pictures: growth.png and family.png.", metavar="DIR"),
    json: bool = options.JSON,
) -> None:
    """Show runs of `kr evolve`: champions, growth, comparisons, and a champion's family.

    One run is shown by its generations; several are taken together by scheme, with 95% intervals over seeds. Growth is
    the champion's mean points a game (win 1, loss -1) against the five champions before it.

    Example:
        kr evolve show thesis
        kr evolve show thesis-* fogel2001-* --plots pictures
    """
    if plots:
        check_plots(plots)
    evolutions = [read_run(each) for each in runs]
    if empty := [str(place) for place, run in zip(runs, evolutions, strict=True) if not run.generations]:
        raise InvalidSettingError(f"{empty[0]} has no finished generation yet")
    if generation is not None and (short := [run for run in evolutions if generation >= len(run.generations)]):
        raise InvalidSettingError(
            f"generation: {short[0].name} has {counted(len(short[0].generations), 'generation')}, from 0"
        )
    if plots:
        console.wrote(draw_growth(evolutions, plots / "growth.png"), "growth")
        console.wrote(draw_family(evolutions[0], plots / "family.png", generation), "family")
    if json:
        console.emit_json({"runs": [run_details(run) for run in evolutions], "schemes": _schemes(evolutions)})
    elif len(evolutions) == 1:
        console.put(_single(evolutions[0], generation))
    else:
        console.put(_together(evolutions))


def run_details(run: EvolutionRun) -> dict[str, Any]:
    """A run as a JSON object, its family left out."""
    growth = mean_growth([run])
    return {
        "name": run.name, **run.about, "generations": len(run.generations), "games": run.games,
        "core_seconds": round(run.seconds, 1), "champions": [row.champion for row in run.generations],
        "points": [row.points for row in run.generations],
        "growth": [round(each, 4) for each in run.champion_growth],
        "mean_growth": None if growth is None else [round(each, 4) for each in growth],
        "comparisons": {
            rival: {"black": each.black, "white": each.white, "score": round(each.score, 4)}
            for rival, each in run.comparisons.items() if each.games
        },
    }  # fmt: skip


def run_facts(run: EvolutionRun) -> list[tuple[str, str]]:
    """A run in a few lines."""
    growth = mean_growth([run])
    facts = [
        ("run", run.name),
        ("network", EvolvedNetwork(**run.about["network"]).describe()),
        ("decider", describe_decider(run.about["decider"])),
        ("generations", f"{len(run.generations):,}, {counted(run.games, 'game')}"),
        ("core time", format_clock(run.seconds)),
    ]
    if growth:
        total = sum(run.champion_growth)
        facts.append(("growth", f"{growth} a generation by blocks of generations, sum {total:+.2f}"))
    if run.generations:
        last = run.generations[-1]
        facts.append(("champion", f"number {last.champion}, born in generation {last.born}: {last.origin}"))
    return facts


def comparisons_table(run: EvolutionRun) -> str:
    """The comparisons at the end of a run."""
    rows = [
        (rival_name(rival), each.games, "/".join(map(str, each.black)), "/".join(map(str, each.white)),
         _percent(score_interval(each)))
        for rival, each in run.comparisons.items() if each.games
    ]  # fmt: skip
    return console.table(["champion against", "games", "as Black", "as White", "score"], rows)


def rival_name(rival: str) -> str:
    """A rival of the comparisons in a few words."""
    if rival.startswith("mcts:"):
        return f"pure MCTS, {int(rival.removeprefix('mcts:')):,} play-outs"
    return RIVAL_NAMES.get(rival, rival)


def _single(run: EvolutionRun, generation: int | None) -> str:
    """One run: facts, some of its generations, comparisons, the champion's family."""
    parts = [console.facts(run_facts(run)), _generations_table(run)]
    if any(each.games for each in run.comparisons.values()):
        parts.append(comparisons_table(run))
    parts.append(_family(run, generation))
    return "\n\n".join(parts)


def _generations_table(run: EvolutionRun) -> str:
    count = len(run.generations)
    indices = sorted({round(i * (count - 1) / max(SHOWN_GENERATIONS - 1, 1)) for i in range(SHOWN_GENERATIONS)})
    growth = run.champion_growth
    rows = [
        (row.generation, row.champion, row.born, row.origin, f"{row.points:g}", f"{row.mean_points:+.2f}",
         f"{row.decided / max(row.games, 1):.0%}", f"{growth[each - 1]:+.2f}" if 0 < each <= len(growth) else "",
         f"{sum(growth[:each]):+.2f}")
        for each in indices for row in [run.generations[each]]
    ]  # fmt: skip
    columns = ["generation", "champion", "born", "origin", "points", "mean", "decided", "growth", "sum"]
    return console.table(columns, rows)


def _family(run: EvolutionRun, generation: int | None) -> str:
    """The family of a champion in a few lines: number and origin of its members, and the line of first parents."""
    tree = family_tree(run, generation)
    origins = ", ".join(f"{count} {origin}" for origin, count in sorted(tree.origins().items()))
    ancestors = [
        f"{number} ({run.family[number].origin}, {run.family[number].born})" for number in tree.line[:LINE_LENGTH]
    ]
    more = len(tree.line) - len(ancestors)
    line = " < ".join(ancestors) + (f" < {more} more" if more > 0 else "")
    return console.facts(
        [
            ("family", f"{counted(len(tree.members), 'member')}: {origins}; {counted(len(tree.founders), 'founder')}"),
            ("line", line),
        ]
    )


def _schemes(runs: list[EvolutionRun]) -> dict[str, Any]:
    """Runs of a scheme together: figures with intervals over seeds."""
    schemes: dict[str, Any] = {}
    for scheme, group in by_scheme(runs).items():
        growth = mean_growth(group)
        rivals = {rival for run in group for rival, each in run.comparisons.items() if each.games}
        schemes[scheme] = {
            "runs": len(group),
            "generations": min(len(run.generations) for run in group),
            "games": sum(run.games for run in group),
            "core_seconds": round(sum(run.seconds for run in group), 1),
            "mean_growth": None if growth is None else [round(each, 4) for each in growth],
            "growth_sum": round(float(growth_curve(group).total[-1]), 3) if growth else None,
            "scores": {
                rival: [round(each, 4) for each in scores_together([run.comparisons[rival] for run in those])]
                for rival in sorted(rivals)
                for those in [[run for run in group if rival in run.comparisons and run.comparisons[rival].games]]
            },
        }
    return schemes


def _together(runs: list[EvolutionRun]) -> str:
    schemes = _schemes(runs)
    rows = [
        (scheme, each["runs"], each["generations"], f"{each['games']:,}", format_clock(each["core_seconds"]),
         str(Interval(*each["mean_growth"])) if each["mean_growth"] else "")
        for scheme, each in schemes.items()
    ]  # fmt: skip
    parts = [console.table(["scheme", "seeds", "generations", "games", "core time", "growth (95%)"], rows)]
    rivals = sorted({rival for each in schemes.values() for rival in each["scores"]}, key=_order)
    if rivals:
        scores = [
            (rival_name(rival), *(_percent(Interval(*each["scores"][rival])) if rival in each["scores"] else ""
                                  for each in schemes.values()))
            for rival in rivals
        ]  # fmt: skip
        parts.append(console.table(["champion against", *schemes], scores))
    return "\n\n".join(parts)


def _order(rival: str) -> tuple[int, int]:
    """Chance first, then MCTS by its play-outs, then the others."""
    if rival.startswith("mcts:"):
        return 1, int(rival.removeprefix("mcts:"))
    return {"random": 0, "halfway": 2}.get(rival, 3), 0


def _percent(interval: Interval) -> str:
    return f"{interval.mean:.1%} ± {max(interval.high - interval.mean, interval.mean - interval.low):.1%}"
