"""`kr doubling`."""

from collections.abc import Callable, Iterable

from kr.cli import console, options
from kr.match.doubling import (
    TIE_MARGIN,
    WORTHS,
    Changes,
    DoublingResult,
    DoublingSettings,
    claimed,
    compare_positions,
    play_matches,
)
from kr.match.doubling_plot import draw_doubling
from kr.match.match import MatchResult
from kr.units import counted

CHANGE_NOTE = f"(no tie: differs by more than {TIE_MARGIN} centi-men; mean: gain of a change in centi-men)"
SEARCHES = f"Positions in which the longer search plays a different move\n{CHANGE_NOTE}:"
WORTH = (
    "Share of positions in which the move is better (+) or worse (-) by at least the centi-men of the column, "
    "as judged by the longest search:"
)
ITERATIONS = f"Positions in which one more iteration chooses a different move\n{CHANGE_NOTE}:"
CHANGE = "Share of positions in which the score then changes by at least the centi-men of the column:"
CHANGE_COLUMNS = ["positions", "different", "no tie", "mean"]
WORTH_COLUMNS = [f"{sign}{worth}" for worth in WORTHS for sign in "+-"]
LARGEST_COLUMNS = ["centi-men", "longer", "plays", "not", "position"]


@options.command
def command(settings: DoublingSettings, json: bool = options.JSON) -> None:
    """Measure the gain from twice the time or nodes, or from two more plies, in Elo and in better moves.

    From step to step a limit of time or nodes doubles, and one of depth grows by two plies: --from depth=3 --to depth=7
    compares depth 5 with 3, and 7 with 5. Each limit plays a match against the one before. Then positions of these
    games are searched with every limit and the moves compared. Run the same command to resume.

    Example:
        kr doubling --out doubling --from 10ms --to 320ms --plots pictures
        kr doubling --out doubling --from nodes=2000 --to nodes=64k --hash 4MB
        kr doubling --out doubling --from depth=3 --to depth=13 --positions 0
    """
    with claimed(settings):
        result = _measured(settings)
        games = counted(sum(len(match.games) for match in result.matches), "game")
        console.wrote(settings.out, f"{games}, {counted(len(result.comparisons), 'position')} searched")
        if settings.plots:
            console.wrote(draw_doubling(result, settings.plots))
    if json:
        console.emit_json(result.summary())
        for match in result.matches:
            if match.warning:
                console.say(f"warning: {match.settings.tc} v {match.settings.tc_b}: {match.warning}")
    else:
        console.put(doubling_report(result))


def _measured(settings: DoublingSettings) -> DoublingResult:
    with console.progress("matches", sum(match.games for match in settings.matches()), "games") as progress:
        done = 0

        def on_game(before: int, result: MatchResult) -> None:
            nonlocal done
            games = before + len(result.games)
            # games of an earlier run arrive all at once
            progress.skip(games - done - 1)
            progress.advance(1, f"{result.settings.tc} v {result.settings.tc_b}")
            done = games

        results = play_matches(settings, on_game)
    with console.progress("searches", settings.positions, "positions") as progress:
        return DoublingResult(settings, results, compare_positions(settings, progress.advance))


def doubling_report(result: DoublingResult) -> str:
    """Tables of the matches, of the moves that longer limits change, and of those that one more iteration changes."""
    steps = [f"{match.tc} v {match.tc_b}" for match in result.settings.matches()]
    parts = [f"Each limit against the one before, which has {result.settings.less}:"]
    parts += [console.table(["", "games", "wins", "draws", "losses", "score", "Elo"], _match_rows(steps, result))]
    parts += [
        console.fold(f"warning: {step}: {match.warning}", 2)
        for step, match in zip(steps, result.matches, strict=True)
        if match.warning
    ]
    if result.comparisons:
        changes = result.changes()
        parts += [SEARCHES, console.table(["", *CHANGE_COLUMNS], _rows(steps, changes, _counts))]
        parts += [console.fold(WORTH), console.table(["", *WORTH_COLUMNS], _rows(steps, changes, _worths))]
        by_depth = result.depth_changes()
        depths, changes = list(by_depth), list(by_depth.values())
        parts += [ITERATIONS, console.table(["depth", *CHANGE_COLUMNS], _rows(depths, changes, _counts))]
        parts += [console.fold(CHANGE), console.table(["depth", *WORTH_COLUMNS], _rows(depths, changes, _worths))]
    if largest := result.largest():
        rows = [(f"{each.worth:+}", each.longer, each.move, each.shorter_move, each.fen) for each in largest]
        parts += ["Largest gains of the longer search:", console.table(LARGEST_COLUMNS, rows)]
    return "\n\n".join(parts)


def _rows(
    names: Iterable[object], changes: Iterable[Changes], cells: Callable[[Changes], list[str]]
) -> list[list[object]]:
    return [[name, *cells(each)] for name, each in zip(names, changes, strict=True)]


def _match_rows(steps: list[str], result: DoublingResult) -> list[list[object]]:
    rows: list[list[object]] = []
    for step, match in zip(steps, result.matches, strict=True):
        figures = match.estimate
        counts = [match.count(points) for points in (2, 1, 0)]
        score = (counts[0] + counts[1] / 2) / max(len(match.games), 1)
        elo = f"{figures.elo:+.1f} ± {figures.elo_error:.1f}"
        rows.append([step, len(match.games), *counts, f"{score:.1%}", elo])
    return rows


def _counts(changes: Changes) -> list[str]:
    """Shares of positions with a different move, and the mean gain of a change in centi-men."""
    share, error = changes.share(changes.changed)
    return [
        str(changes.positions),
        f"{share:.1%} ± {error:.1%}",
        f"{changes.share(changes.untied)[0]:.1%}",
        f"{changes.mean_worth:+.1f}",
    ]


def _worths(changes: Changes) -> list[str]:
    """Shares of positions by the size of the gain."""
    counts = [count(worth) for worth in WORTHS for count in (changes.better, changes.worse)]
    return [f"{changes.share(count)[0]:.1%}" for count in counts]
