"""`kr evolve`."""

from kr.cli import console, evolve_pack, options
from kr.evaluation.evolved import EvolvedNetwork
from kr.learn.evolution.reading import EvolutionRun
from kr.learn.evolution.run import EvolveProgress, evolve
from kr.learn.evolution.settings import EvolveSettings
from kr.players.deciders import describe_decider
from kr.units import counted, format_duration

RIVAL_NAMES = {"random": "random moves", "halfway": "champion half-way", "minimax": "itself with MCTS"}
"""Rivals of a run's comparisons, as tables name them."""


@options.command
def _run(settings: EvolveSettings, json: bool = options.JSON) -> None:
    """Evolve networks that learn to play from nothing but who won.

    A generation plays its games in all cores, the best live on, and the next one is made of them by mutation and
    crossing, as the scheme says. Each generation's champion plays those before it, which tells its growth; the last one
    plays chance, pure MCTS and the champion half-way. Run the same command to resume, with more generations to go on.
    `kr evolve show DIR` shows a run, `kr evolve pack` puts champions into one file, and `kr play --weights evolved:DIR`
    plays against one.

    Example:
        kr evolve --out thesis
        kr evolve --scheme fogel2001 --generations 840 --out blondie --seed 2
    """
    with console.Stages() as stages:

        def on_progress(found: EvolveProgress) -> None:
            if found.comparing:
                stages.show("comparisons", found.compared, found.comparisons, "games", "")
            else:
                note = "" if found.growth is None else f"growth {found.growth:+.2f}, sum {found.total_growth:+.2f}"
                stages.show("evolving", found.generation, found.generations, "generations", note)

        run = evolve(settings, on_progress)
    console.wrote(settings.out, "run")
    if json:
        console.emit_json({"out": settings.out, "settings": settings, **run_details(run)})
        return
    print(console.facts(run_facts(run)))
    if run.comparisons:
        print("\n" + comparisons_table(run))


def run_details(run: EvolutionRun) -> dict[str, object]:
    """A run as a JSON object, without its families."""
    growth = run.champion_growth
    return {
        "name": run.name, **run.about, "generations": len(run.generations), "games": run.games,
        "core_seconds": round(run.seconds, 1), "growth": [round(each, 4) for each in growth],
        "champions": [row.champion for row in run.generations],
        "comparisons": {
            rival: {"black": found.black, "white": found.white, "score": round(found.score, 4)}
            for rival, found in run.comparisons.items()
        },
    }  # fmt: skip


def run_facts(run: EvolutionRun) -> list[tuple[str, str]]:
    """A run in a few lines."""
    growth = run.champion_growth
    network = EvolvedNetwork(**run.about["network"])
    facts = [
        ("run", run.name),
        ("network", network.describe()),
        ("decider", describe_decider(run.about["decider"])),
        ("generations", f"{len(run.generations)}, {counted(run.games, 'game')}"),
        ("core time", format_duration(round(run.seconds))),
    ]
    if growth:
        grown = sum(each > 0 for each in growth)
        mean = sum(growth) / len(growth)
        facts.append(("growth", f"mean {mean:+.3f}, sum {sum(growth):+.1f}, above 0 in {grown} of {len(growth)}"))
    if run.generations:
        last = run.generations[-1]
        facts.append(("champion", f"number {last.champion}, of generation {last.born}, by {last.origin}"))
    return facts


def rival_name(rival: str) -> str:
    """A rival of the comparisons in a few words."""
    if rival.startswith("mcts:"):
        return f"pure MCTS, {int(rival.removeprefix('mcts:')):,} play-outs"
    return RIVAL_NAMES[rival]


def comparisons_table(run: EvolutionRun) -> str:
    """The comparisons at the end."""
    rows = [
        (rival_name(rival), found.games, "/".join(map(str, found.black)), "/".join(map(str, found.white)),
         f"{found.score:.1%}")
        for rival, found in run.comparisons.items() if found.games
    ]  # fmt: skip
    return console.table(["champion against", "games", "as Black", "as White", "score"], rows)


command = options.command_group(_run, {"pack": evolve_pack.command})
