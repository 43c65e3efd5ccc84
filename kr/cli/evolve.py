"""`kr evolve`."""

from kr.cli import console, evolve_pack, evolve_show, options
from kr.studies.evolution.run import EvolveProgress, evolve
from kr.studies.evolution.settings import EvolveSettings


@options.command
def _run(settings: EvolveSettings, json: bool = options.JSON) -> None:
    """Evolve networks that learn to play from the results of games alone.

    A generation plays its games in all cores, the best live on, and the next one is made of them by mutation and
    crossing, by the rules of the scheme. Each generation's champion plays those before it, which measures its growth;
    the last one plays chance, pure MCTS and the champion half-way. Run the same command to resume, or with more
    generations to continue. `kr evolve show DIR` shows a run, `kr evolve pack` puts champions into one file, and
    `kr play --weights evolved:DIR` plays against one.

    Example:
        kr evolve --out thesis
        kr evolve --scheme fogel2001 --generations 840 --out blondie --seed 2
    """
    with console.Stages() as stages:

        def on_progress(state: EvolveProgress) -> None:
            if state.comparing:
                stages.show("comparisons", state.compared, state.comparisons, "games", "")
            else:
                note = "" if state.growth is None else f"growth {state.growth:+.2f}, sum {state.total_growth:+.2f}"
                stages.show("evolving", state.generation, state.generations, "generations", note)

        run = evolve(settings, on_progress)
    console.wrote(settings.out, "run")
    if json:
        console.emit_json({"out": settings.out, "settings": settings, **evolve_show.run_details(run)})
        return
    console.put(console.facts(evolve_show.run_facts(run)))
    if run.comparisons:
        console.put("\n" + evolve_show.comparisons_table(run))


command = options.command_group(_run, {"show": evolve_show.command, "pack": evolve_pack.command})
