"""`kr pdn`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from click.exceptions import Exit

from kr import storage
from kr.archives import archive as archives
from kr.archives.archive import Archive, ConvertSettings, FileReport, ReadSettings, Where, complaint, located
from kr.archives.search import GameSearch, Hit, SearchSettings
from kr.archives.stats import ArchiveStats, PlayerResults, ResultCounts
from kr.cli import console, options
from kr.errors import InvalidPdnError
from kr.pdn import Game, write_game
from kr.pdn.game import setups_object
from kr.settings import option
from kr.text import visible
from kr.units import MEBIBYTE, counted


@options.command
def _check(
    settings: ReadSettings,
    warnings: bool = option(True, "Show warnings about games that can be read."),
    json: bool = options.JSON,
) -> None:
    """Check that every game is valid PDN, legal, and ends as its result says.

    Prints FILE:LINE and the column of each error, and warnings: ambiguous captures, words outside braces, illegal
    variations, results that contradict a tag or the final position. The exit code is 1 if a game can't be read.

    Example:
        kr pdn check games.pdn other.pdn.xz
        kr pdn check old/ --encoding cp437 --no-warnings
    """

    def show(report: FileReport, game: Game) -> None:
        if warnings and not json:
            for warning in game.warnings:
                console.put(_folded(f"{_line(report.file)}:{game.line}: {warning}"))

    def fault(path: Path, error: InvalidPdnError) -> None:
        if not json:
            console.put(_folded(located(path, error)))

    with _reading(settings, on_error=fault) as archive:
        reports = archives.check_games(archive, show)
    if json:
        console.emit_json({"files": [_report(report, warnings) for report in reports]})
    else:
        for report in reports:
            console.put(_folded(_summary(report)))
    _exit(settings, archive)


@options.command
def _convert(settings: ConvertSettings, json: bool = options.JSON) -> None:
    """Write games in normal form: UTF-8, the usual tags, canonical moves and FEN, comments in braces, short lines.

    Games that can't be read are reported and left out; the exit code is then 1, unless --allow-errors is given.

    Example:
        kr pdn convert old.pdn --results white --out new.pdn
        kr pdn convert a.pdn b.pdn --unique --no-comments --out all.pdn.xz
    """
    if settings.out is not None:
        storage.check_output(settings.out)

    def say_cut(game: Game) -> None:
        for warning in game.warnings:
            console.say(f"written in part: {warning}")

    with _reading(settings, on_error=_say, cut=settings.cut) as archive:
        count = archives.convert_games(archive, settings, say_cut if settings.cut else None)
    if json and settings.out is not None:
        console.emit_json({"out": settings.out, "games": count, "left_out": archive.left_out})
    games = counted(count, "game")
    if settings.out is not None:
        console.wrote(settings.out, games + _left_out(archive))
    else:
        console.say(f"{games} written{_left_out(archive)}")
    _exit(settings, archive)


@options.command
def _stats(
    settings: ReadSettings,
    top: int = option(20, "Rows of each table: {allowed}.", low=1, zero="all"),
    json: bool = options.JSON,
) -> None:
    """Count games by result, opening, year and player.

    Openings are three-move ballots by the federation's numbers, in any order of moves. The year is that of the Date tag
    or else of the Event tag. A player is one however the name is written: "Müller, J." is "J. Muller" too, but not
    "Müller, Jörg".

    Example:
        kr pdn stats archive.pdn.xz --top 10
        kr pdn stats games.pdn --json
    """
    counts = ArchiveStats()
    with _reading(settings, on_error=_say) as archive:
        for _, game in archive:
            counts.add(game)
    if json:
        console.emit_json({"files": archive.paths, "left_out": archive.left_out, **console.plain(counts)})
    else:
        console.put(_stats_text(counts, top or sys.maxsize))
        if archive.left_out:
            console.put(f"\n{counted(archive.left_out, 'game')} left out")
    _exit(settings, archive)


@options.command
def _search(settings: SearchSettings, json: bool = options.JSON) -> None:
    """Find games by player, event, year, result, opening or position. A game must match all options.

    Names and texts match in part, regardless of case and accents. --json prints an object for each game at once.

    Example:
        kr pdn search archive.pdn --player Tinsley --year 1950-1962 --result 1-0
        kr pdn search archive.pdn.xz --ballot 68 --out doctor.pdn
        kr pdn search archive.pdn.xz --position "W:W21,K30:B1,2" --reversed
    """
    if settings.out is not None:
        storage.check_output(settings.out)
    search = GameSearch(settings)
    count = 0
    rows: list[tuple[Any, ...]] = []
    with (
        _reading(settings, search.accepts, _say) as archive,
        archives.output(settings.out) if settings.out else _nowhere() as file,
    ):
        for report, game in archive:
            hit = search.hit(game)
            if hit is None:
                continue
            count += 1
            if file is not None:
                file.write(write_game(game))
            if json:
                console.emit_json(_game_object(report, game, hit, bool(settings.position)))
            else:
                rows.append(_row(report, game, hit, bool(settings.position)))
            if settings.limit and count >= settings.limit:
                break
    if settings.out is not None:
        console.wrote(settings.out, counted(count, "game"))
    if not json:
        columns = ["line", "date", "event", "Black", "White", "result", "plies"]
        if rows:
            console.put(console.table([*columns, "ply"] if settings.position else columns, rows))
        console.put(f"{counted(count, 'game')} found{_left_out(archive)}")
    _exit(settings, archive)


@contextmanager
def _nowhere() -> Iterator[None]:
    yield None


@contextmanager
def _reading(
    settings: ReadSettings, where: Where | None = None, on_error: Any = None, cut: bool = False
) -> Iterator[Archive]:
    """Yield the games of the files, with a progress line."""
    archive = Archive(settings, where, on_error=on_error, cut=cut)
    size = archive.size
    with console.progress("reading", size / MEBIBYTE if size else None, "MB") as progress:
        archive.on_bytes = lambda count: progress.advance(count / MEBIBYTE)
        yield archive


def _exit(settings: ReadSettings, archive: Archive) -> None:
    """Exit with 1 if games could not be read, unless that is allowed."""
    if archive.left_out and not settings.allow_errors:
        raise Exit(1)


def _folded(line: str) -> str:
    """FILE:LINE: text, folded on a terminal; in a pipe it stays one line, for programs that parse it."""
    return console.fold(line, 2) if sys.stdout.isatty() else line


def _say(path: Path, error: InvalidPdnError) -> None:
    console.say(located(path, error))


def _left_out(archive: Archive) -> str:
    return f", {archive.left_out:,} could not be read" if archive.left_out else ""


def _report(report: FileReport, warnings: bool) -> dict[str, Any]:
    return {
        "file": report.file,
        "games": report.games,
        "plies": report.plies,
        "encoding": report.encoding,
        "results_agreeing": report.agreeing,
        "results_contradicting": report.contradicting,
        "errors": [
            {"line": error.line, "column": error.column, "message": complaint(error)} for error in report.errors
        ],
        "warnings": [{"line": line, "message": text} for line, text in report.warnings] if warnings else [],
    }


def _summary(report: FileReport) -> str:
    text = f"{_line(report.file)}: {counted(report.games, 'game')}, {counted(report.plies, 'ply')}, {report.encoding}"
    if report.errors:
        text += f", {counted(len(report.errors), 'game')} could not be read"
    if report.warnings:
        text += f", {counted(len({line for line, _ in report.warnings}), 'game')} doubtful"
    return f"{text}; {report.doubt}" if report.doubt else text


def _tag(game: Game, name: str) -> str:
    return visible(game.headers.get(name, ""))


def _line(path: Path) -> str:
    return " ".join(str(path).split())


def _row(report: FileReport, game: Game, hit: Hit, with_ply: bool) -> tuple[Any, ...]:
    plies = sum(1 for _ in game.mainline())
    row = (str(game.line), *(_tag(game, name)[:40] for name in ("Date", "Event", "Black", "White")), game.result, plies)
    return (*row, f"{hit.ply}{' turned' if hit.turned else ''}") if with_ply else row


def _game_object(report: FileReport, game: Game, hit: Hit, with_ply: bool) -> dict[str, Any]:
    fields = {
        "file": report.file,
        "line": game.line,
        "headers": game.headers,
        "result": game.result,
        "fen": game.start.fen,
        "moves": [str(move) for move in game.mainline_moves()],
        **setups_object(game),
    }
    return {**fields, "ply": hit.ply, "turned": hit.turned} if with_ply else fields


def _stats_text(counts: ArchiveStats, top: int) -> str:
    games = max(counts.all.games, 1)
    parts = [
        f"{counted(counts.all.games, 'game')}, {counted(counts.plies, 'ply')}: {counts.plies / games:.1f} a game, "
        f"from {counts.shortest} to {counts.longest}",
        console.table(
            ["result", "games", "%"],
            [(name, count, f"{100 * count / games:.1f}") for name, count in counts.results.most_common()],
        ),
        _tally_table("first move", counts.first_moves, top),
        _tally_table("opening", counts.openings, top),
        _tally_table("year", counts.years, top, by_name=True),
    ]
    players = sorted(counts.players.items(), key=lambda item: (-item[1].games, item[0]))
    if players:
        parts.append(
            console.table(
                ["player", "games", "wins", "draws", "losses", "points %"],
                [
                    (visible(name), each.games, each.wins, each.draws, each.losses, _points(each))
                    for name, each in players[:top]
                ],
            )
            + _more(len(players) - top)
        )
    return "\n\n".join(parts)


def _tally_table(name: str, tallies: dict[str, ResultCounts], top: int, by_name: bool = False) -> str:
    rows = sorted(tallies.items(), key=lambda item: (-item[1].games, item[0]))[:top]
    if by_name:
        rows.sort()
    cells = [
        (key, each.games, *(_share(count, each.games) for count in (each.black_wins, each.draws, each.white_wins)))
        for key, each in rows
    ]
    table = console.table([name, "games", "Black wins %", "drawn %", "White wins %"], cells)
    return table + _more(len(tallies) - top)


def _more(count: int) -> str:
    return f"\n... and {count} more (--top 0 for all)" if count > 0 else ""


def _share(count: int, games: int) -> str:
    return f"{100 * count / games:.1f}"


def _points(player: PlayerResults) -> str:
    finished = player.wins + player.draws + player.losses
    return f"{100 * (player.wins + player.draws / 2) / finished:.1f}" if finished else "-"


command = options.group(
    """Collections of games in PDN: check, convert, count and search them.

    Files may be packed (.gz, .xz, .bz2), in UTF-8, Latin-1 or the CP437 of DOS, and of any size. Games that can't be
    read are reported with line and column and left out, and the exit code is then 1; --allow-errors makes it 0.

    Example:
        kr pdn check archive.pdn.xz
        kr pdn search archive.pdn.xz --ballot "white doctor" --out found.pdn
    """,
    {"check": _check, "convert": _convert, "stats": _stats, "search": _search},
)
