"""`kr doubling`."""

from kr.cli import console, options
from kr.lab.doubling import WORTHS, Changes, DoublingResult, DoublingSettings, claimed, compare, play_matches
from kr.lab.doubling_plot import draw
from kr.lab.matches.match import MatchResult

SEARCHES = """Positions where the longer search plays another move, and by how many centi-men that is better (+)
or worse (-) in the judgement of the longest search:"""
ITERATIONS = (
    "Positions where one iteration more chooses another move, and by how many centi-men the score changes with it:"
)
COLUMNS = ["positions", "another move", "no tie", "mean", *(f"{sign}{worth}" for worth in WORTHS for sign in "+-")]
LARGEST_COLUMNS = ["centi-men", "longer", "plays", "not", "position"]


def run(settings: DoublingSettings, json: options.Json = False) -> None:
    """Measure what twice the time is worth: in Elo, and in how often and how far the longer search differs.

    Each limit plays a match against its half; then positions of these games are searched with every limit, and the
    moves compared. The same command goes on where an earlier start was interrupted.

    Example:
        kr doubling --out doubling --from 10ms --to 320ms --games 400 --plots pictures
        kr doubling --out doubling --from nodes=2000 --to nodes=64k --hash 4MB
    """
    with claimed(settings):
        result = _measured(settings)
        if settings.plots:
            draw(result, settings.plots)
    if json:
        console.emit_json(result.summary())
    else:
        print(report(result))


def _measured(settings: DoublingSettings) -> DoublingResult:
    with console.progress("matches", sum(match.games for match in settings.matches()), "games") as progress:
        done = 0

        def on_game(before: int, result: MatchResult) -> None:
            nonlocal done
            games = before + len(result.games)
            # games of an earlier run come all at once
            progress.skip(games - done - 1)
            progress.advance(1, f"{result.settings.tc} v {result.settings.tc_b}")
            done = games

        results = play_matches(settings, on_game)
    with console.progress("searches", settings.positions, "positions") as progress:
        return DoublingResult(settings, results, compare(settings, progress.advance))


def report(result: DoublingResult) -> str:
    """The matches, the moves that the limits change, and those that one iteration more changes, as tables."""
    steps = [f"{match.tc} v {match.tc_b}" for match in result.settings.matches()]
    parts = [console.table(["", "games", "wins", "draws", "losses", "score", "Elo"], _match_rows(steps, result))]
    if result.comparisons:
        parts += [
            SEARCHES,
            console.table(
                ["", *COLUMNS], [[step, *_cells(found)] for step, found in zip(steps, result.changes(), strict=True)]
            ),
            ITERATIONS,
            console.table(
                ["depth", *COLUMNS], [[depth, *_cells(found)] for depth, found in result.depth_changes().items()]
            ),
        ]
    if largest := result.largest():
        rows = [(each.worth, each.longer, each.move, each.shorter_move, each.fen) for each in largest]
        parts += ["Where the longer search gains most:", console.table(LARGEST_COLUMNS, rows)]
    return "\n\n".join(parts)


def _match_rows(steps: list[str], result: DoublingResult) -> list[list[object]]:
    rows: list[list[object]] = []
    for step, match in zip(steps, result.matches, strict=True):
        figures = match.estimate
        counts = [match.count(points) for points in (2, 1, 0)]
        score = (counts[0] + counts[1] / 2) / max(len(match.games), 1)
        elo = f"{figures.elo:+.1f} ± {figures.elo_error:.1f}"
        rows.append([step, len(match.games), *counts, f"{score:.1%}", elo])
    return rows


def _cells(changes: Changes) -> list[str]:
    """The columns of a row: shares of all positions but for the mean, in centi-men."""
    share, error = changes.share(changes.changed)
    worths = [count(worth) for worth in WORTHS for count in (changes.better, changes.worse)]
    return [
        str(changes.positions),
        f"{share:.1%} ± {error:.1%}",
        f"{changes.share(changes.untied)[0]:.1%}",
        f"{changes.mean_worth:+.1f}",
        *(f"{changes.share(count)[0]:.1%}" for count in worths),
    ]


command = options.command(DoublingSettings, run)
