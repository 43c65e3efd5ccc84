"""`kr games tally`."""

from kr.cli import console, options
from kr.learn.games import shard_paths
from kr.learn.tally import TallySettings, write_tally
from kr.units import counted


@options.command
def command(settings: TallySettings, json: bool = options.JSON) -> None:
    """Count results of self-play by the moves of its openings, for the explorer of the page.

    The file has no games: of each position of the openings, how many games each move led to, and how they ended.

    Example:
        kr selfplay --openings 3move --random-plies 0 --noise 15 --out games
        kr games tally games --out self-play.json
    """
    with console.progress("reading", len(shard_paths(settings.directory)), "shards") as progress:
        content = write_tally(settings, lambda: progress.advance(1))
    positions = counted(len(content["positions"]), "position")
    if json:
        console.emit_json({"out": settings.out, "games": content["games"], "positions": len(content["positions"])})
    console.wrote(settings.out, f"{positions} of {counted(content['games'], 'game')}")
