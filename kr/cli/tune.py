"""`kr tune`."""

from kr.cli import console, options
from kr.cli.match import match_report
from kr.match.match import MatchResult
from kr.match.tuning import TuneResult, TuneSettings, confirm, tune
from kr.match.tuning_plot import draw_tuning
from kr.units import counted

OPTION_COLUMNS = ["option", "before", "after", "exactly", "range"]


@options.command
def command(settings: TuneSettings, json: bool = options.JSON) -> None:
    """Tune search options by games (SPSA), and confirm the result by a match.

    In each pair of games all options are moved a little, each up or down at random, and play against all of them moved
    the other way; then they move towards the side that won. Tens of thousands of fast games are usual. Run the same
    command to resume.

    Example:
        kr tune --vary static_margin=4:40 --vary lmr_base --out tune --plots tune
        kr tune my.h5 --vary razor_margin --out tune --tc 20ms --confirm-tc 0.1s
    """
    result = _tuned(settings)
    if result.finished and settings.confirm:
        _confirmed(result)
    console.wrote(settings.out, f"{counted(2 * len(result.points), 'game')} of {settings.games:,}")
    if settings.plots:
        console.wrote(draw_tuning(result, settings.plots))
    if json:
        console.emit_json(result.summary())
    else:
        console.put(tuning_report(result))
    if result.interrupted:
        played = len(result.points) * 2
        console.fail(f"interrupted after {counted(played, 'game')}; run the same command to resume")


def _tuned(settings: TuneSettings) -> TuneResult:
    with console.progress("tuning", settings.games, "games") as progress:
        done: int | None = None

        def on_pair(result: TuneResult) -> None:
            nonlocal done
            games = 2 * len(result.points)
            if done is None:
                progress.skip(games)
            else:
                progress.advance(games - done, ", ".join(f"{name} {n}" for name, n in result.options.items()))
            done = games

        return tune(settings, on_pair)


def _confirmed(result: TuneResult) -> None:
    with console.progress("confirming match", result.settings.confirm, "games") as progress:
        done = 0

        def on_game(match: MatchResult) -> None:
            nonlocal done
            # fewer than before if the games of a worker were set aside
            progress.skip(max(0, len(match.games) - done - 1))
            progress.advance(1, f"{match.estimate.elo:+.1f} ± {match.estimate.elo_error:.1f} Elo")
            done = len(match.games)

        confirm(result, on_game)


def tuning_report(result: TuneResult) -> str:
    """Table of the options, the tuned player's text, and the match."""
    rows = [
        (row["option"], row["before"], row["after"], f"{row['exact']:.1f}", f"{row['low']} to {row['high']}")
        for row in result.summary()["options"]
    ]
    parts = [console.table(OPTION_COLUMNS, rows), console.fold(f"tuned player: {result.tuned}", 2)]
    if result.confirmed is not None:
        parts.append(match_report(result.confirmed))
    return "\n\n".join(parts)
