"""`kr policy players`."""

from dataclasses import asdict
from math import isnan

from kr.cli import console, options
from kr.settings import option
from kr.studies.people.decisions import read_decisions
from kr.studies.people.strengths import PlayersSettings, agreement, measure_losses, player_strengths
from kr.text import visible
from kr.units import counted


@options.command
def command(
    settings: PlayersSettings,
    top: int = option(20, "Rows of the table: {allowed}.", low=1, zero="all"),
    json: bool = options.JSON,
) -> None:
    """Judge every move of recorded games, and measure the losses of their players.

    "loss" is the expected result that a move gives away on average, as `kr annotate` measures it, with its 95%
    interval; forced moves and the first three plies are not judged. `kr policy fit --players` learns the moves of
    players of different strength from the file. Run the same command to resume.

    Example:
        kr policy players games.pdn.xz --out players.h5
        kr policy players games.pdn.xz --out players.h5 --nodes 5k --top 0
    """
    with console.Stages() as stages:
        decisions = read_decisions(settings.reading)
        losses = measure_losses(
            decisions, settings, lambda count, total: stages.show("judging", count, total, "games", "")
        )
    strengths = player_strengths(decisions, losses.loss)
    correlation, players = agreement(decisions, losses.loss)
    if json:
        console.emit_json(
            {
                "out": settings.out, "decisions": len(decisions), "players": [asdict(each) for each in strengths],
                "agreement": None if isnan(correlation) else round(correlation, 4), "compared": players,
            }
        )  # fmt: skip
        return
    rows = [
        (visible(each.name or "(unknown)"), each.games, each.moves, f"{each.loss:.4f} ± {each.error:.4f}",
         f"{each.first_year}-{each.last_year}" if each.first_year else "")
        for each in strengths[: top or None]
    ]  # fmt: skip
    console.put(console.table(["player", "games", "moves", "loss", "years"], rows))
    if not isnan(correlation):
        console.put(
            f"\nMean losses in even and odd games of {counted(players, 'player')} with most moves correlate by "
            f"{correlation:.2f}."
        )
    if not losses.earlier:
        console.wrote(settings.out, "losses")
