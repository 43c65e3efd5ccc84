"""`kr book`."""

from pathlib import Path
from typing import Any

from kr.book.frame import book_key, move_at, position_of_key
from kr.cli import console, options
from kr.cli.book_cooks import cooks_command
from kr.cli.book_coverage import coverage_command
from kr.cli.book_export import export_command
from kr.cli.book_merge import merge_command
from kr.cli.book_verify import verify_command
from kr.errors import InvalidSettingError, KrError
from kr.evaluation.chances import format_score
from kr.game.position import Position
from kr.settings import REQUIRED, option
from kr.theory.building import BookProgress, BookSettings, build_book
from kr.theory.graph import BookGraph, BookNode
from kr.theory.store import book_for_reading
from kr.units import counted


@options.command
def _build(settings: BookSettings, json: bool = options.JSON) -> None:
    """Build an opening book, or go on with one: searched positions, and what follows from them for earlier ones.

    The positions that people reach (--people) are searched, the commonest first, in turn with those that both sides
    reach by giving away least (drop-out expansion; moves that people play count half). A move's value is that of the
    position after it once that is in the book. It ends with --positions or --time, or by Ctrl-C; the same command goes
    on. With more --nodes it goes on too: after people's positions, those with fewer are searched again, the commonest
    first. Values that the database or certificates (--proofs) prove end a line.

    Example:
        kr book build --out book.sqlite --time 8h
        kr book build --people games.pdn.xz --positions 1e5 --out book.sqlite
    """
    faults = 0

    def on_error(error: KrError) -> None:
        nonlocal faults
        faults += 1
        console.say_error(error, 1)

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
            state = build_book(settings, on_progress, on_game, on_error, on_check)
        except KeyboardInterrupt:
            console.fail("interrupted; run the same command to resume")
    console.wrote(settings.out, counted(state.positions, "position"))
    facts = {
        "positions": state.positions, "searched": state.searched, "again": state.again, "earlier": state.earlier,
        "left_of_people": state.seeds_left, "to_deepen": state.shallow, "left_out": faults,
    }  # fmt: skip
    if json:
        console.emit_json({"settings": settings, **facts})
    else:
        console.put(console.facts([(name.replace("_", " "), f"{value:,}") for name, value in facts.items()]))


@options.command
def _show(
    book: Path = option(REQUIRED, "The book.", metavar="FILE", argument=True),
    fen: str = option("", "The position; the usual start if left out.", metavar="FEN", argument=True),
    json: bool = options.JSON,
) -> None:
    """Show what a book knows of a position: its moves, best first.

    Example:
        kr book show book.sqlite
        kr book show book.sqlite "W:W21-32:B1-8,10-12,14"
    """
    position = Position.from_fen(fen) if fen else Position()
    with book_for_reading(book) as store:
        graph = store.graph()
    node = graph.nodes.get(book_key(position))
    if node is None:
        raise InvalidSettingError(f"{book} has nothing about {position.fen}")
    played = graph.games.get(node.key, {})
    rows = _moves(graph, node, position)
    if json:
        console.emit_json({
            "fen": position.fen, "worth": node.worth, "value": node.value, "score": node.score, "nodes": node.nodes,
            "depth": node.depth, "games": sum(played.values()), "moves": rows,
        })  # fmt: skip
        return
    console.put(position.diagram())
    known = f"{node.value}, proved" if node.value else format_score(node.worth)
    console.put(
        console.facts(
            [
                ("value", known),
                ("search", f"{format_score(node.score)}, depth {node.depth}, {counted(node.nodes, 'node')}"),
                ("games", f"{sum(played.values()):,}"),
            ]
        )
    )
    console.put()
    shown = [
        (row["move"], _score(row["worth"]), _score(row["score"]), f"{row['games']:,}", row["line"]) for row in rows
    ]
    console.put(console.table(["move", "value", "search", "games", "line"], shown))


def _score(score: int | None) -> str:
    return "" if score is None else format_score(score)


def _moves(graph: BookGraph, node: BookNode, position: Position) -> list[dict[str, Any]]:
    """The moves of a node as JSON types, best first; those that people play beyond them at the end."""
    played = dict(graph.games.get(node.key, {}))
    rows = []
    for each in sorted(node.moves, key=graph.move_worth, reverse=True):
        line = [str(move) for move in graph.best_line(position, each)]
        rows.append({
            "move": line[0], "worth": graph.move_worth(each), "score": each.score,
            "games": played.pop(each.step, 0), "in_book": each.child in graph.nodes, "line": " ".join(line[1:]),
        })  # fmt: skip
    for step, count in sorted(played.items(), key=lambda item: -item[1]):
        move = str(move_at(position, step))
        rows.append({"move": move, "worth": None, "score": None, "games": count, "in_book": False, "line": ""})
    return rows


@options.command
def _check(
    book: Path = option(REQUIRED, "The book.", metavar="FILE", argument=True), json: bool = options.JSON
) -> None:
    """Check a book: that each move is legal, and each value follows from those of later positions.

    Example:
        kr book check book.sqlite
    """
    with book_for_reading(book) as store:
        graph = store.graph()
    wrong = [position_of_key(node.key).fen for node in graph.wrong()]
    facts = {
        "positions": len(graph.nodes), "moves": sum(len(node.moves) for node in graph.nodes.values()),
        "proved": sum(node.value is not None for node in graph.nodes.values()), "wrong": len(wrong),
    }  # fmt: skip
    if json:
        console.emit_json({**facts, "wrong_positions": wrong})
    else:
        console.put(console.facts([(name, f"{value:,}") for name, value in facts.items()]))
    if wrong:
        console.fail(
            f"{counted(len(wrong), 'value')} of {book} not those of the moves, the first of {wrong[0]}; "
            "the same kr book build mends them"
        )


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
        "show": _show,
        "check": _check,
        "cooks": cooks_command,
        "coverage": coverage_command,
        "export": export_command,
        "merge": merge_command,
        "verify": verify_command,
    },
)
