"""`kr evolve pack`."""

from pathlib import Path

from kr import storage
from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.evaluation.evolved import load_runs, picked_champions, save_champions
from kr.settings import REQUIRED, option
from kr.system import expand_paths
from kr.units import counted, parse_count

ALL_GENERATIONS = "all"


@options.command
def command(
    runs: tuple[str, ...] = option(
        REQUIRED, "Directories of runs, files of champions, or shipped.", argument=True, metavar="RUN"
    ),
    out: Path = option(REQUIRED, "File of champions to write.", metavar="FILE"),
    generations: str = option(
        "", "Generations to keep in addition to the last of each run, such as 0,10,100, or all; none if not given."
    ),
    short: bool = option(False, "Numbers of 16 bits: half the size, and almost the same play."),
    json: bool = options.JSON,
) -> None:
    """Put champions of several runs into one file.

    Commands that take `evolved:DIR` take `evolved:FILE` as well, with run=NAME for one of several runs.

    Example:
        kr evolve pack thesis-1 thesis-2 --out champions.h5
        kr evolve pack thesis-1 --generations 0,1,2,5 --short --out some.h5
    """
    numbers = (
        None
        if generations == ALL_GENERATIONS
        else [parse_count(each) for each in generations.split(",") if generations]
    )
    places = map(str, expand_paths(tuple(map(Path, runs))))
    champions = [picked_champions(run, numbers, short) for place in places for run in load_runs(place)]
    names = [run.name for run in champions]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidSettingError(f"two runs are named {twice[0]}: give one of them")
    save_champions(out, champions, storage.provenance(generations=generations, short=short))
    console.wrote(out, "champions")
    counts = {run.name: len(run.generations) for run in champions}
    if json:
        console.emit_json({"out": out, "runs": counts})
        return
    console.put(console.facts([("runs", counted(len(champions), "run")), ("champions", f"{sum(counts.values()):,}")]))
