"""`kr ladder`."""

import math

from kr.cli import console, options
from kr.match.ladder import PICTURE_FILE, Ladder, LadderSettings, climb
from kr.units import counted


@options.command
def command(settings: LadderSettings, json: bool = options.JSON) -> None:
    """Rate versions and engines on one scale, each by as few games as are needed.

    The first player of a new ladder is its anchor, at 0 Elo. Each further one plays matches of --block games, two with
    each opening, against the players from which most is learned, until its 95% error is --error or less. Players are
    those of kr match: tables, options, `hub:OTHER/CHECKOUT/.venv/bin/kr hub`. Without players the ladder is shown. Run
    the same command to resume.

    Example:
        kr ladder ladders/tables shipped old.h5 new.h5 --tc nodes=5000
        kr ladder ladders/tables newer.h5 --tc nodes=5000
        kr ladder ladders/tables
    """

    def report(ladder: Ladder) -> str:
        rows = [
            [
                str(row["name"]),
                str(row["added"]),
                f"{row['elo']:+.1f} ± {row['error']:.1f}" if math.isfinite(row["error"]) else "-",
                str(row["games"]),
            ]
            for row in ladder.summary()
        ]
        return console.table(["player", "added", "Elo", "games"], rows)

    with console.live() as show:
        ladder = climb(settings, lambda so_far: show(report(so_far), f"{counted(len(so_far.matches), 'match')}"))
        show("", "")
    if not ladder.rungs:
        console.fail(f"{settings.dir} is not a ladder yet: name its players, the anchor first")
    if settings.players:
        console.wrote(settings.dir / PICTURE_FILE, counted(len(ladder.rungs), "player"))
    if json:
        console.emit_json(
            {"players": ladder.summary(), "matches": ladder.matches, "scale": ladder.scale, "settings": settings}
        )
    else:
        console.put(report(ladder))
    if ladder.interrupted:
        console.fail("interrupted; run the same command to resume")
