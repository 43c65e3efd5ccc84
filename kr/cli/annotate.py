"""`kr annotate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kr.cli import console, options
from kr.errors import InvalidPdnError
from kr.lab.annotating.annotation import AnnotateReport
from kr.lab.annotating.files import AnnotateSettings, annotate_files, count_games
from kr.lab.archives.archive import located, standard_output
from kr.units import counted

COLUMNS = ["player", "games", "moves", "best", "accuracy %", "loss", "?!", "?", "??", "!"]


def run(
    settings: AnnotateSettings,
    top: Annotated[int, typer.Option(help="Players in the table; 0 for all.")] = 20,
    json: options.Json = False,
) -> None:
    """Annotate games: scores, marks for what was given away, better lines; and who played how well.

    A mark says how much of the expected result (a win counts 1, a draw 1/2) a move gave away, exactly where the endgame
    database knows. Comments, judgements and variations that are there are kept; marks of an earlier run are replaced.
    PDN is written in UTF-8; results stay in the convention that they were read in. Games that can't be read are
    reported and left out; the exit code is 1 then, unless --allow-errors is given. With --out or --html the same
    command goes on where an earlier start was interrupted. --json prints an object for each game as it is done, and at
    last the summary.

    Example:
        kr annotate games.pdn --out annotated.pdn --html pages
        kr annotate archive.pdn.xz --tc nodes=50k --out annotated.pdn.xz --json
        kr annotate game.pdn --tc 1s > annotated.pdn
    """
    out = sys.stdout if json else standard_output()
    total = count_games(settings) if sys.stderr.isatty() else 0
    with console.progress("annotating", total or None, "games") as progress:

        def on_game(record: dict[str, Any], earlier: bool) -> None:
            (progress.skip if earlier else progress.advance)(1)
            if json:
                console.emit_json(record)

        def on_text(text: str) -> None:
            if not json:
                out.write(text)

        report = annotate_files(settings, on_game, on_text, _say)
    for path in filter(None, (settings.out, settings.html)):
        console.wrote(path, counted(report.games, "game"))
    if json:
        console.emit_json(report.summary() | {"out": settings.out, "html": settings.html})
    elif settings.is_resumable:
        print(_table(report, top))
    else:
        sys.stdout.flush()
        console.say(_table(report, top))
    if report.left_out and not settings.allow_errors:
        raise typer.Exit(1)


def _say(path: Path, error: InvalidPdnError) -> None:
    console.say(located(path, error))


def _table(report: AnnotateReport, top: int) -> str:
    ranked = report.ranked()
    shown = ranked[: top or len(ranked)]
    rows = [
        (
            "".join(letter if letter.isprintable() else "?" for letter in name)[:40], each.games, each.moves, each.best,
            f"{each.accuracy:.1f}", f"{each.loss:.4f}", each.inaccuracies, each.mistakes, each.blunders, each.only,
        )
        for name, each in shown
    ]  # fmt: skip
    more = f"\n... and {len(ranked) - len(shown)} more (--top 0 for all)" if len(ranked) > len(shown) else ""
    left_out = f", {report.left_out} could not be read" if report.left_out else ""
    table = f"{console.table(COLUMNS, rows)}{more}\n" if rows else ""
    return f"{table}{counted(report.games, 'game')} annotated{left_out}"


command = options.command(AnnotateSettings, run)
