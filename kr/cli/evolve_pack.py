"""`kr evolve pack`."""

from pathlib import Path

from kr import storage
from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.evaluation.evolved import load_runs, picked_champions, save_champions
from kr.settings import REQUIRED, option
from kr.units import counted, parse_count

ALL_GENERATIONS = "all"


@options.command
def command(
    runs: tuple[str, ...] = option(
        REQUIRED, "Directories of runs, files of champions, or shipped.", argument=True, metavar="RUN"
    ),
    out: Path = option(REQUIRED, "File of champions to write.", metavar="FILE"),
    generations: str = option(
        "", "Generations to keep beside the last of each run, such as 0,10,100, or all; none if not given."
    ),
    short: bool = option(False, "Numbers of 16 bits: half the size, and almost the same play."),
    json: bool = options.JSON,
) -> None:
    """Put champions of several runs into one file.

    Whatever plays or analyses with `evolved:DIR` takes `evolved:FILE` as well, with run=NAME if it has several.

    Example:
        kr evolve pack thesis-1 thesis-2 --out champions.h5
        kr evolve pack thesis-1 --generations 0,1,2,5 --short --out some.h5
    """
    wanted = (
        None
        if generations == ALL_GENERATIONS
        else [parse_count(each) for each in generations.split(",") if generations]
    )
    found = [picked_champions(run, wanted, short) for place in runs for run in load_runs(place)]
    names = [run.name for run in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidSettingError(f"two runs are named {twice[0]}: give one of them")
    save_champions(out, found, storage.provenance(generations=generations, short=short))
    console.wrote(out, "champions")
    counts = {run.name: len(run.generations) for run in found}
    if json:
        console.emit_json({"out": out, "runs": counts})
        return
    console.put(console.facts([("runs", counted(len(found), "run")), ("champions", f"{sum(counts.values()):,}")]))
