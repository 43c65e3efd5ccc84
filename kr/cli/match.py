"""`kr match`."""

from dataclasses import replace
from pathlib import Path

from kr import figures
from kr.cli import console, options
from kr.cli.match_report import elo, match_report, tournament_report
from kr.errors import InvalidSettingError
from kr.evaluation.files import FITTED
from kr.evaluation.kinds import SHIPPED
from kr.jobs.progress import Progress
from kr.match.crosstable import LETTERS
from kr.match.match import play_tournament
from kr.match.plot import draw_verdict
from kr.match.settings import MatchSettings
from kr.match.tournament import Tournament
from kr.settings import option
from kr.units import counted


@options.command
def command(
    settings: MatchSettings,
    plots: Path | None = option(
        None, "Directory for a plot of the verdict: Elo and the test's likelihood ratio by pairs.", metavar="DIR"
    ),
    json: bool = options.JSON,
) -> None:
    """Play a match between two players, or more, and measure the Elo differences.

    Without players, fitted.h5, which `kr fit` writes by default, plays the shipped tables; without that file, these
    play the hand-built evaluation. Every opening is played twice with colours swapped; error bars are computed from
    these pairs. Each of three or more players plays --games games against each other one, with --gauntlet against A
    alone; the report is then a cross table with the Elo of all by maximum likelihood. Draws by rule (threefold
    repetition, 80 plies without a capture or a man's move) end games even with --no-adjudicate.

    Example:
        kr match --ballot 11man --tc 20ms --games 1000 --pdn match.pdn
        kr match --tc 1m+0.5s --games 100
        kr match weights/new.h5 shipped --tc nodes=5000 --games 20k --sprt 0 5
        kr match --sprt 0 5 --normalized --pdn match.pdn --plots pictures
        kr match "hub:kr hub" shipped --ballot 3move
        kr match shipped manual material --games 20 --tc nodes=2000 --pdn all.pdn
    """
    if "a" not in options.explicit_parameters() and FITTED.exists():
        settings = replace(settings, a=str(FITTED), b=SHIPPED)
        console.say(f"players: {FITTED}, as kr fit wrote it, and {SHIPPED}")
    if plots:
        if not settings.sprt:
            raise InvalidSettingError("--plots draws the course of the test; add --sprt, such as --sprt 0 5")
        figures.check_plots(plots)
    wanted = settings.games * len(settings.pairings())
    work = Progress("match", wanted, "games")

    def report(result: Tournament) -> str:
        return tournament_report(result) if settings.more else match_report(result.results[0])

    with console.live() as show:

        def update(result: Tournament) -> None:
            # games of an earlier run arrive all at once and say nothing about the speed
            count = max(0, result.games - int(work.count))
            if work.count:
                work.advance(count, note="" if settings.more else f"Elo {elo(result.results[0].summary())}")
            else:
                work.skip(count)
            show(f"{report(result)}\n{work.status()}", str(work))

        def begin(result: Tournament) -> None:
            for letter, player in zip(LETTERS, result.descriptions, strict=False):
                console.say(console.fold(f"{letter}: {player}", 3))

        result = play_tournament(settings, update, begin)
        # clear the table: the result follows on stdout
        show("", "")
    if settings.pdn:
        if result.damaged:
            damaged = counted(result.damaged, "damaged game")
            console.say(f"{settings.pdn}: {damaged} removed at the start, to be played again")
        console.wrote(settings.pdn, counted(result.games, "game"))
    if plots:
        console.wrote(draw_verdict(result.results[0], plots))
    if json:
        console.emit_json(result.summary() if settings.more else result.results[0].summary())
        if result.warning:
            console.say(f"warning: {result.warning}")
    else:
        console.put(report(result))
    if result.interrupted:
        more = "; run the same command to resume" if settings.pdn else ""
        console.fail(f"interrupted after {result.games} of {counted(wanted, 'game')}{more}")
