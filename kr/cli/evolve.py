"""`kr evolve`."""

from kr.cli import console, evolve_pack, evolve_show, options
from kr.studies.evolution.run import EvolveProgress, evolve
from kr.studies.evolution.settings import EvolveSettings


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
        console.emit_json({"out": settings.out, "settings": settings, **evolve_show.run_details(run)})
        return
    console.put(console.facts(evolve_show.run_facts(run)))
    if run.comparisons:
        console.put("\n" + evolve_show.comparisons_table(run))


command = options.command_group(_run, {"show": evolve_show.command, "pack": evolve_pack.command})
