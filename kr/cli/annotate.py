"""`kr annotate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from click.exceptions import Exit

from kr.analysis.annotation.annotation import AnnotateReport
from kr.analysis.annotation.files import AnnotateSettings, Forecast, annotate_files
from kr.analysis.annotation.mistakes import MistakeGroup, PlayerMistakes, kind_name
from kr.archives.archive import located, standard_output
from kr.cli import console, options
from kr.errors import InvalidPdnError
from kr.settings import option
from kr.text import visible
from kr.units import counted

PLAYER_COLUMNS = ["player", "games", "moves", "accuracy", "best", "unmarked", "loss", "?!", "?", "??", "!"]
LEAST_NAME = 12
SHOWN_PLACES = 8
"""Openings and endings in the tables of a player's mistakes."""
LONGEST_OPENING = 24
LONG = 30.0
"""Seconds; longer runs are announced with an estimate."""


@options.command
def command(
    settings: AnnotateSettings,
    top: int = option(20, "Players in the table: {allowed}.", low=1, zero="all"),
    json: bool = options.JSON,
) -> None:
    """Annotate games: scores, marks for lost chances, better lines, and the accuracy of each player.

    A mark shows how much of the expected result (win 1, draw 1/2, loss 0) a move gave away; with the endgame database
    this is exact. Existing comments, judgements and variations are kept; marks of an earlier run are replaced. PDN is
    written in UTF-8; results keep the convention they were read in. Games that can't be read are reported and left out;
    the exit code is then 1, unless --allow-errors is given. With --out or --html, run the same command to resume.
    With --player what goes wrong most in the games of one player follows, with what trains it; standard output has
    that in place of the games. --json prints an object for each finished game, then the summary.

    Example:
        kr annotate games.pdn --out annotated.pdn --html pages
        kr annotate archive.pdn.xz --player "Smith, J" --out smith.pdn
        kr annotate archive.pdn.xz --tc nodes=50k --out annotated.pdn.xz --json
        kr annotate game.pdn --tc 1s > annotated.pdn
    """
    out = sys.stdout if json else standard_output()
    stories: list[str] = []
    with console.work("annotating", None, "games", settings.is_resumable) as progress:

        def on_game(record: dict[str, Any], earlier: bool) -> None:
            progress.take(earlier)
            if len(stories) < 2:
                # games of an earlier kr have none
                stories.append(record.get("story", ""))
            if json:
                console.emit_json(record)

        def on_text(text: str) -> None:
            if not json and not settings.player:
                out.write(text)

        def on_start(forecast: Forecast) -> None:
            progress.total = forecast.total
            if forecast.seconds >= LONG:
                console.say(_forecast(forecast))

        report = annotate_files(settings, on_game, on_text, _say, on_start)
    for doubt in report.doubts:
        console.say(doubt)
    for path in filter(None, (settings.out, settings.html)):
        console.wrote(path, counted(report.games, "game"))
    story = [console.fold(stories[0])] if len(stories) == 1 and stories[0] else []
    kept = str(settings.out or "")
    if json:
        mistakes = {} if report.mistakes is None else {"player": report.mistakes.as_object(kept)}
        console.emit_json(report.summary() | mistakes | {"out": settings.out, "html": settings.html})
    else:
        sys.stdout.flush()
        show = console.put if settings.is_resumable or settings.player else console.say
        show("\n".join([*story, _table(report, top)]))
        if report.mistakes is not None:
            console.put(f"\n{_mistakes(report.mistakes, kept)}")
    if report.left_out and not settings.allow_errors:
        raise Exit(1)


def _say(path: Path, error: InvalidPdnError) -> None:
    console.say(located(path, error))


def _forecast(forecast: Forecast) -> str:
    """Estimate printed before a long run."""
    workers = f", {forecast.workers} at a time" if forecast.workers > 1 else ""
    about = "more than" if forecast.or_more else "about"
    games = counted(forecast.games, "game")
    return f"kr: {games} at --tc {forecast.limits}{workers}: {about} {_duration(forecast.seconds)}"


def _duration(seconds: float) -> str:
    """Rough duration in words."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _table(report: AnnotateReport, top: int) -> str:
    ranked = report.ranked()
    shown = ranked[: top or len(ranked)]
    numbers = [
        (
            each.games, each.moves, "-".rjust(5) if each.accuracy is None else f"{each.accuracy:.1f}", each.best,
            f"{each.unmarked:.1f}%".rjust(6) if each.moves else "-".rjust(6), f"{each.loss:.4f}",
            each.inaccuracies, each.mistakes, each.blunders, each.only,
        )
        for _, each in shown
    ]  # fmt: skip
    room = console.width() - len(console.table(PLAYER_COLUMNS[1:], numbers).split("\n")[0]) - 2
    rows = [(_shortened(name, max(room, LEAST_NAME)), *row) for (name, _), row in zip(shown, numbers, strict=True)]
    more = f"\n... and {len(ranked) - len(shown)} more (--top 0 for all)" if len(ranked) > len(shown) else ""
    left_out = f", {report.left_out} could not be read" if report.left_out else ""
    table = f"{console.table(PLAYER_COLUMNS, rows)}{more}\n" if rows else ""
    return f"{table}{counted(report.games, 'game')} annotated{left_out}"


def _mistakes(player: PlayerMistakes, kept: str) -> str:
    """What goes wrong most, in which openings and endings, and what trains it."""
    kinds, total = player.kinds(), len(player.mistakes)
    if not total:
        return f"{player.names[0]}: no mark"
    silent = sum(not each.kind for each in player.mistakes)
    parts = [
        f"{player.names[0]}: {counted(total, 'mark')}, {silent} of them without a reason",
        console.table(
            ["what goes wrong", "marks", "given away", "the worst"],
            [(kind_name(each.name), *_counts(each), _example(each)) for each in kinds],
        ),
    ]
    if openings := player.openings():
        columns = ["opening", "side", "games", "marks", "early", "given away", "the worst"]
        parts.append(console.table(columns, [_opening(each) for each in openings[:SHOWN_PLACES]]))
    if endings := player.endings():
        endings_shown = [(each.name, *_counts(each), _worst(each)) for each in endings[:SHOWN_PLACES]]
        parts.append(console.table(["ending", "marks", "given away", "the worst"], endings_shown))
    if drills := player.drills(kept):
        lines = [(each.what, each.marks, f"{each.command}, or #{each.page}") for each in drills]
        parts.append(console.table(["to train", "marks", "command, or place on the page of kr web"], lines))
    return "\n\n".join(parts)


def _opening(group: MistakeGroup) -> tuple[Any, ...]:
    marks, given = _counts(group)
    name = _shortened(group.name, LONGEST_OPENING)
    return name, group.side, group.games, marks, group.early, given, _worst(group)


def _counts(group: MistakeGroup) -> tuple[int, str]:
    return len(group.mistakes), f"{group.given:.2f}"


def _worst(group: MistakeGroup) -> str:
    return f"game {group.worst.game}, {group.worst.label}"


def _example(group: MistakeGroup) -> str:
    worst = group.worst
    return f"{_worst(group)}, better {worst.better}" + (f". {worst.why}" if worst.why else "")


def _shortened(name: str, length: int) -> str:
    """Printable name of at most `length` characters."""
    plain = visible(name)
    return plain if len(plain) <= length else f"{plain[: length - 3]}..."
