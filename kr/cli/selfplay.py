"""`kr selfplay`."""

from kr.cli import console, options
from kr.learn.games import RUN
from kr.learn.selfplay import SelfplayResult, SelfplaySettings, selfplay, selfplay_report
from kr.system import join_command
from kr.units import counted


@options.command
def command(settings: SelfplaySettings, json: bool = options.JSON) -> None:
    """Play games of the engine against itself and store them, with a score for each move, in a run directory.

    Run the same command to resume. The games do not depend on the number of workers.

    Example:
        kr selfplay --games 1e6 --out games/first --weights material
    """
    with console.progress("self-play", settings.games, "games") as progress:
        latest: SelfplayResult | None = None

        def on_game(tally: SelfplayResult) -> None:
            nonlocal latest
            if latest is None:
                latest = tally
                progress.skip(tally.earlier)
            progress.advance(1, f"B {tally.black_wins} W {tally.white_wins} D {tally.draws}")

        try:
            tally = selfplay(settings, on_game)
        except KeyboardInterrupt:
            # before the first game there is nothing to report
            if latest is None:
                raise
            have = f"{latest.earlier + latest.played:,} of {counted(settings.games, 'game')}"
            console.fail(f"interrupted with {have} in {settings.out}; run the same command to resume")
    games = tally.earlier + tally.played
    if tally.played:
        console.wrote(settings.out, counted(games, "game"))
    else:
        console.say(f"games: {settings.out}")
    if json:
        console.emit_json(
            {
                "settings": settings,
                "games": games,
                "tally": tally,
                "games_per_second": tally.games_per_second,
            }
        )
    else:
        console.put(console.fold(selfplay_report(tally), 2))
        directory = "" if settings.out == RUN else f" {join_command([str(settings.out)])}"
        console.put(f"learn from the games: kr fit{directory}")
