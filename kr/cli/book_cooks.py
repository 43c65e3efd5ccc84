"""`kr book cooks`."""

from contextlib import nullcontext

from kr.archives.archive import output
from kr.book.shares import share_text
from kr.cli import console, options
from kr.pdn import write_game
from kr.text import visible
from kr.theory.cooks import Cook, CookGame, CookMove, CookSettings, cook_game, cook_title, find_cooks
from kr.theory.trees import games_text, value_text
from kr.units import counted

SHOWN_GAMES = 3
"""Games named of each cook as text."""


@options.command
def cooks_command(settings: CookSettings, json: bool = options.JSON) -> None:
    """List the cooks of a book: where the best move is at least 15 centi-men better than what people play most.

    Those that people reach most often come first, each with the commonest way there, both moves with their values and
    lines, and what the values rest on: nodes of the position's own search, plies to the end of the search behind a
    value, positions of the book after the move. --games names the games of an archive that went wrong there; --json has
    all of them.

    Example:
        kr book cooks book.sqlite
        kr book cooks book.sqlite --count 50 --games games.pdn.xz --pdn cooks.pdn
    """
    left_out = console.LeftOut("game")
    with console.progress("reading", None, "games") if settings.games else nullcontext() as reading:
        cooks = find_cooks(settings, (lambda: reading.advance(1)) if reading else None, left_out.hear)
    if settings.pdn is not None:
        with output(settings.pdn) as file:
            file.writelines(f"{write_game(cook_game(cook, number))}\n" for number, cook in enumerate(cooks, 1))
        console.wrote(settings.pdn, counted(len(cooks), "cook"))
    if json:
        console.emit_json({"settings": settings, "left_out": left_out.count, "cooks": cooks})
    elif not cooks:
        console.put("no cooks")
    else:
        rows = [_row(number, cook) for number, cook in enumerate(cooks, 1)]
        console.put(console.table(["", "games", "played", "best", "loss", "opening"], rows))
        for number, cook in enumerate(cooks, 1):
            console.put(f"\n{_text(number, cook)}")
    left_out.end()


def _row(number: int, cook: Cook) -> tuple[str, ...]:
    games, title = f"{cook.games:,}{'' if cook.exact_games else '+'}", visible(cook_title(cook))
    return str(number), games, cook.played.move, cook.best.move, str(cook.loss), title


def _text(number: int, cook: Cook) -> str:
    played, best = cook.played, cook.best
    least = "" if cook.exact_games else " or more"
    games = f"{played.games:,}{least} of {counted(cook.games, 'game')}{least}"
    share = share_text(played.games / cook.games, cook.exact_games)
    facts = [
        ("way", " ".join(cook.moves) or "the start"),
        ("played", f"{_move(played)}, {games} ({share})"),
        ("line", " ".join(played.line)),
        ("best", f"{_move(best)}, {games_text(best.games, cook.exact_games)}"),
        ("line", " ".join(best.line)),
        *([] if cook.nodes is None else [("search", counted(cook.nodes, "node"))]),
        *(("wrong", _game(each)) for each in cook.wrong_games[:SHOWN_GAMES]),
    ]
    more = len(cook.wrong_games) - SHOWN_GAMES
    facts += [("wrong", f"and {counted(more, 'game')} more")] if more > 0 else []
    return f"{number}. {visible(cook_title(cook))}\n{console.facts(facts)}"


def _move(move: CookMove) -> str:
    after = counted(move.positions, "position") + " after it"
    return f"{move.move}  {value_text(move.value)}{', proved' if move.proved else ''}, depth {move.depth}, {after}"


def _game(game: CookGame) -> str:
    year = f", {game.year}" if game.year else ""
    return visible(f"{game.black} - {game.white} {game.result}, {game.event}{year}")
