"""`kr book cooks`."""

from contextlib import nullcontext
from dataclasses import replace

from kr.archives.archive import output
from kr.book.shares import games_text, share_text
from kr.cli import console, options
from kr.pdn import write_game
from kr.text import visible
from kr.theory.cook_search import journal_of, search_cooks
from kr.theory.cooks import (
    Cook,
    CookGame,
    CookMove,
    CookReport,
    CookSettings,
    CookVerdict,
    cook_game,
    cook_title,
    find_cooks,
)
from kr.theory.trees import value_text
from kr.units import counted

SHOWN_GAMES = 3
"""Games named of each cook as text."""


@options.command
def cooks_command(settings: CookSettings, json: bool = options.JSON) -> None:
    """List the cooks of a book: where the best move is at least 15 centi-men better than what people play most.

    Both moves must have been searched deeper than the book's values of them, and the difference must hold: --nodes does
    that for those that lack it, and writes what is found into the book, or a packed one's copy. The same command
    resumes. More nodes search again only where the searches before looked no further than the book's values.

    Those that people reach most often come first, each with the commonest way there, both moves with their values and
    lines, and what the values rest on: nodes of the position's own search, plies to the end of the search behind a
    value, positions of the book after the move. --games names the games of an archive that went wrong there; --json has
    all of them.

    Example:
        kr book cooks shipped
        kr book cooks book.sqlite --nodes 5M
        kr book cooks book.sqlite --count 50 --games games.pdn.xz --pdn cooks.pdn
    """
    left_out = console.LeftOut("game")
    if settings.nodes:
        _search(settings)
        settings = replace(settings, book=settings.out or settings.book, nodes=0, out=None)
    with console.progress("reading", None, "games") if settings.games else nullcontext() as reading:
        report = find_cooks(settings, (lambda: reading.advance(1)) if reading else None, left_out.hear)
    cooks = report.cooks
    if settings.pdn is not None:
        with output(settings.pdn) as file:
            file.writelines(f"{write_game(cook_game(cook, number))}\n" for number, cook in enumerate(cooks, 1))
        console.wrote(settings.pdn, counted(len(cooks), "cook"))
    if json:
        verdicts = {str(each): report.verdicts[each] for each in CookVerdict}
        console.emit_json({"settings": settings, "left_out": left_out.count, "verdicts": verdicts, "cooks": cooks})
    elif not cooks:
        console.put("no cooks")
    else:
        rows = [_row(number, cook) for number, cook in enumerate(cooks, 1)]
        console.put(console.table(["", "games", "played", "best", "loss", "opening"], rows))
        for number, cook in enumerate(cooks, 1):
            console.put(f"\n{_text(number, cook)}")
    if not json and report.verdicts:
        console.put(f"\n{_verdicts(settings, report)}")
    left_out.end()


def _search(settings: CookSettings) -> None:
    """Search the cooks that need it. Games that can't be read are told when the archive is read for the list."""
    with console.Stages() as stages:
        games = 0

        def on_game() -> None:
            nonlocal games
            games += 1
            stages.show("reading", games, None, "games", earlier=0)

        def on_cook(count: int, total: int) -> None:
            stages.show("searching", count, total, "cooks", earlier=0)

        try:
            search_cooks(settings, on_cook, on_game, lambda error: None)
        except KeyboardInterrupt:
            has_begun = journal_of(settings).exists()
            console.fail("interrupted; run the same command to resume" if has_begun else "interrupted")
    if settings.out is not None:
        console.wrote(settings.out)


def _verdicts(settings: CookSettings, report: CookReport) -> str:
    """How many cooks the book's values make, and what searches say of them."""
    counts = report.verdicts
    words = {
        CookVerdict.HOLDS: "hold where both moves were searched deeper",
        CookVerdict.FALLS: "do not",
        CookVerdict.SHALLOW: "were searched no deeper than the book's values: more --nodes",
        CookVerdict.UNSEARCHED: "are not searched: --nodes 5M",
    }
    verdicts = "; ".join(f"{counts[each]:,} {text}" for each, text in words.items() if counts[each])
    return console.fold(f"{counted(counts.total(), 'cook')} by the values of {settings.book}: {verdicts}")


def _row(number: int, cook: Cook) -> tuple[str, ...]:
    games, title = f"{cook.games:,}{'' if cook.exact_games else '+'}", visible(cook_title(cook))
    return str(number), games, cook.played.move, cook.best.move, str(cook.loss), title


def _text(number: int, cook: Cook) -> str:
    people, best = cook.played, cook.best
    least = "" if cook.exact_games else "at least "
    games = f"{least}{people.games:,} of {least}{counted(cook.games, 'game')}"
    share = share_text(people.games / cook.games, cook.exact_games)
    facts = [
        ("way", " ".join(cook.moves) or "the start"),
        ("played", f"{_move(people)}, {games} ({share})"),
        ("line", " ".join(people.line)),
        ("best", f"{_move(best)}, {games_text(best.games, cook.exact_games)}"),
        ("line", " ".join(best.line)),
        ("searched", f"{counted(cook.searched_nodes, 'node')} after each move"),
        *([] if cook.nodes is None else [("search", counted(cook.nodes, "node"))]),
        *(("wrong", _game(each)) for each in cook.wrong_games[:SHOWN_GAMES]),
    ]
    more = len(cook.wrong_games) - SHOWN_GAMES
    facts += [("wrong", f"and {counted(more, 'game')} more")] if more > 0 else []
    return f"{number}. {visible(cook_title(cook))}\n{console.facts(facts)}"


def _move(move: CookMove) -> str:
    after = counted(move.positions, "position") + " after it"
    searched = f"alone {value_text(move.searched)}, depth {move.searched_depth}"
    proved = ", proved" if move.proved else ""
    return f"{move.move}  {value_text(move.value)}{proved}, depth {move.depth}, {searched}, {after}"


def _game(game: CookGame) -> str:
    year = f", {game.year}" if game.year else ""
    return visible(f"{game.black} - {game.white} {game.result}, {game.event}{year}")
