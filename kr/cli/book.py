"""`kr book`."""

from pathlib import Path

from kr.cli import console, options
from kr.cli.book_cooks import cooks_command
from kr.cli.book_coverage import coverage_command
from kr.cli.book_export import export_command
from kr.cli.book_merge import merge_command
from kr.cli.book_show import show_command
from kr.cli.book_verify import verify_command
from kr.settings import REQUIRED, option
from kr.theory.building import BookProgress, BookSettings, build_book
from kr.theory.checking import check_book
from kr.units import counted


@options.command
def _build(settings: BookSettings, json: bool = options.JSON) -> None:
    """Build an opening book, or go on with one: searched positions, and what follows from them for earlier ones.

    The positions that people reach (--people) are searched, the commonest first, in turn with those that both sides
    reach by giving away least (drop-out expansion; moves that people play count half, and plies a quarter where the
    game is at risk). A move's value is that of the position after it once that is in the book. It ends with --positions
    or --time, or by Ctrl-C; the same command goes on. With more --nodes it goes on too: after people's positions, those
    with fewer are searched again, the commonest first. Values that the database or certificates (--proofs) prove end a
    line.

    Example:
        kr book build --out book.sqlite --time 8h
        kr book build --people games.pdn.xz --positions 1e5 --out book.sqlite
    """
    left_out = console.LeftOut("game")
    games = checked = 0
    with console.Stages() as stages:

        def on_check(more: int) -> None:
            nonlocal checked
            checked += more
            stages.show("checking certificates", checked, None, "positions", earlier=0)

        def on_game() -> None:
            nonlocal games
            games += 1
            stages.show("reading", games, None, "games", earlier=0)

        def on_progress(state: BookProgress) -> None:
            deepen = f", {state.shallow:,} to deepen" if state.shallow else ""
            note = f"{state.positions:,} in the book, {state.seeds_left:,} of people's left{deepen}"
            if settings.positions:
                stages.show("searching", state.positions, settings.positions, "positions", note, state.earlier)
            else:
                stages.show("searching", state.searched, None, "positions", note, earlier=0)

        try:
            state = build_book(settings, on_progress, on_game, left_out.hear, on_check)
        except KeyboardInterrupt:
            console.fail("interrupted; run the same command to resume")
    console.wrote(settings.out, counted(state.positions, "position"))
    facts = {
        "positions": state.positions, "searched": state.searched, "again": state.again, "earlier": state.earlier,
        "left_of_people": state.seeds_left, "to_deepen": state.shallow, "left_out": left_out.count,
    }  # fmt: skip
    if json:
        console.emit_json({"settings": settings, **facts})
    else:
        console.put(console.facts([(name.replace("_", " "), f"{value:,}") for name, value in facts.items()]))


@options.command
def _check(
    book: Path = option(
        REQUIRED, "The book: of kr book build, packed, or CheckerBoard's; shipped: kr's.", metavar="FILE", argument=True
    ),
    json: bool = options.JSON,
) -> None:
    """Check a book: that each move is legal, and each value follows from those of later positions.

    In a packed book values that rest on searches can't be checked, since it has none: they are counted. A user book of
    CheckerBoard has no values.

    Example:
        kr book check book.sqlite
        kr book check shipped
    """
    report = check_book(book)
    counts = {name: value for name, value in console.plain(report).items() if isinstance(value, int)}
    counts["wrong"] = len(report.wrong)
    if json:
        console.emit_json({**counts, "wrong_positions": report.wrong})
    else:
        console.put(console.facts([(name.replace("_", " "), f"{value:,}") for name, value in counts.items()]))
    if report.wrong:
        console.fail(f"{book}: {counted(len(report.wrong), report.unit)}, the first {report.wrong[0]}{report.remedy}")


command = options.group(
    """Build and read opening books.

    Example:
        kr book build --people games.pdn.xz --time 8h --out book.sqlite
        kr book show book.sqlite
        kr book check book.sqlite
        kr book cooks book.sqlite
        kr book coverage book.sqlite games.pdn.xz
        kr book export book.sqlite --out book.krb
        kr book merge one.sqlite other.sqlite --out both.sqlite
        kr book verify book.sqlite --share 0.01 --times 10
    """,
    {
        "build": _build,
        "show": show_command,
        "check": _check,
        "cooks": cooks_command,
        "coverage": coverage_command,
        "export": export_command,
        "merge": merge_command,
        "verify": verify_command,
    },
)
