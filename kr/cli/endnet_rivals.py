"""`kr endnet rivals`."""

from dataclasses import asdict

from kr.cli import console, options
from kr.studies.endings.rivals import RivalProgress, RivalSettings, rival_cells, run_rivals


@options.command
def command(settings: RivalSettings, json: bool = options.JSON) -> None:
    """Compare networks with region tables, boosted trees and the exact files, by size.

    All learn from the same quiet positions and are tested on the same positions, captures resolved by the rules. Bytes
    are those stored, compressed; bits are the size of a position in an exact store of the rival and corrections to it.
    Run the same command to resume, or with more sizes to add them.

    Example:
        kr egdb sample --pieces 2-5 --fraction 0.02 --no-planes --out positions.h5
        kr endnet rivals positions.h5 --out rivals --sizes 100KB --limit 200k
    """
    with console.Stages() as stages:

        def on_progress(progress: RivalProgress) -> None:
            stages.show(progress.what, progress.count, progress.total, progress.unit)

        rows = run_rivals(settings, on_progress)
    if json:
        listed = [{**asdict(row), "exact_bits": row.exact_bits} for row in rows]
        console.emit_json({"settings": settings, "rivals": listed})
        return
    console.put(console.table(*rival_cells(rows)))
    console.wrote(settings.out, "results")
