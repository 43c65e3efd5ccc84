"""`kr games import`."""

from kr.archives.archive import expanded
from kr.cli import console, options
from kr.learn.recorded import ImportResult, ImportSettings, import_games, left_out_text
from kr.units import MEBIBYTE, counted


@options.command
def command(settings: ImportSettings, json: bool = options.JSON) -> None:
    """Make a run directory of recorded games, of people or of other programs, for `kr fit` and `kr games`.

    Games without a result, with an illegal move, or whose end denies their result are left out and counted; `kr pdn
    check` names those that can't be read. Scores are taken from comments such as [%eval 0.31], as `kr annotate` writes
    them; positions of games without any are labelled by the result. Run the same command to resume.

    Example:
        kr games import games.pdn --out people
        kr games import archive.pdn.xz another.pdn --out people
        kr fit people --out people.h5
    """
    size = sum(path.stat().st_size for path in expanded(settings.files) if path.is_file())
    with console.work("reading", size / MEBIBYTE, "MB", resumes=True) as progress:
        result = import_games(settings, lambda count: progress.advance(count / MEBIBYTE))
    if json:
        console.emit_json({"out": settings.out, **vars(result), "turned": result.turned})
        return
    console.put(console.fold(_report(result), 2))
    if result.turned:
        other = "english" if settings.results == "white" else "white"
        console.say(
            f"results: {result.denied:,} are denied by the final position and {result.agreeing:,} are not; "
            f"perhaps --results {other}"
        )
    if result.games > result.earlier:
        console.wrote(settings.out, counted(result.games, "game"))


def _report(result: ImportResult) -> str:
    there = ", there already" if result.games == result.earlier else ""
    lines = [
        f"{counted(result.games, 'game')}{there}, {result.set_up:,} of them from a position of their own; "
        f"{counted(result.plies, 'move')}, {result.scored:,} of them with a score",
        f"Black won {result.black_wins:,}, White won {result.white_wins:,}, drawn {result.draws:,}",
        left_out_text(result),
    ]
    return "\n".join(filter(None, lines))
