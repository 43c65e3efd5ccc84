"""`kr repertoire`."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from kr.archives.archive import PACKERS, output
from kr.book.book import book_option, load_book
from kr.book.krb import weight_of
from kr.book.shares import coarse_share, share_text
from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.evaluation.chances import format_score
from kr.game.position import Bits, Position, Side
from kr.notation import SIDE_NAMES
from kr.openings.lines import opening_name
from kr.pdn import Reader, write_game
from kr.pdn.replay import Replay
from kr.settings import REQUIRED, known_suffix, option
from kr.storage import check_apart, write_atomic
from kr.text import same_person
from kr.theory.repertoire import Repertoire, read_repertoires
from kr.theory.repertoire_check import (
    LINE_END,
    ME,
    OPPONENT,
    GamesCompared,
    GamesComparison,
    Leaving,
    RepertoireFault,
    check_repertoire,
    grow_repertoire,
)
from kr.theory.userbook import userbook_entries
from kr.units import counted

FILES: Any = option(REQUIRED, "PDN files of the repertoire.", metavar="FILE", argument=True)
SIDE: Any = option(
    "",
    "Side of games without the tag Repertoire: {allowed}.  [default: as the tag Orientation says]",
    choices=("", "black", "white"),
    metavar="SIDE",
)
OUT: Any = option(None, "Write the repertoire to this file: PDN (.pdn, .gz, .bz2, .xz), or .bin.", metavar="FILE")
USER_BOOK_SUFFIX = ".bin"
PDN_SUFFIXES = (".pdn", *PACKERS)


def _read(files: tuple[Path, ...], side: str, left_out: console.LeftOut) -> dict[Side, Repertoire]:
    if not files:
        raise InvalidSettingError("FILE: expected the PDN files of a repertoire")
    given = {"": None, "black": Side.BLACK, "white": Side.WHITE}[side]
    return read_repertoires(files, given, left_out.hear)


@options.command
def _check(
    files: tuple[Path, ...] = FILES,
    book: str = book_option(),
    side: str = SIDE,
    least_games: int = option(4, "Games in which people must have played a reply to need an answer.", low=1),
    json: bool = options.JSON,
) -> None:
    """Check a repertoire: its moves by a book, and what it has no answer to.

    illegal: a variation that can't be played. two answers: the player has two moves in one position. weak: a move of
    the player that loses 15 centi-men or more by the book, or that the book leaves out as worse than others. no answer:
    a reply that people play, or as good as the best of the book, that leads to no position with a move of the player;
    where a line ends none is missed. share: games that come there, by how often people play each reply, as coarse as
    the book's numbers of games, which are known to a factor of 4.

    Example:
        kr repertoire check white.pdn
        kr repertoire check white.pdn black.pdn --book book.krb
    """
    left_out = console.LeftOut("game")
    repertoires = _read(files, side, left_out)
    opened = load_book(book)
    faults = {
        side: check_repertoire(each, opened, weight_of(least_games)) for side, each in repertoires.items()
    }  # fmt: skip
    if json:
        console.emit_json({
            "book": None if opened is None else str(opened.path), "left_out": left_out.count,
            "repertoires": [
                {**_size(repertoires[side]), "faults": [_fault_object(each, opened is not None) for each in faulty]}
                for side, faulty in faults.items()
            ],
        })  # fmt: skip
    else:
        for number, (side_of, faulty) in enumerate(faults.items()):
            console.put("\n" * bool(number) + console.facts(_size_facts(repertoires[side_of])))
            if faulty:
                rows = [_fault_row(each, opened is not None) for each in faulty]
                console.put("\n" + console.table(["fault", "share", "move", "because", "after"], rows))
            else:
                console.put("\nnothing found")
    left_out.end()
    illegal = sum(len(each.illegal) for each in repertoires.values())
    if illegal:
        console.fail(f"{counted(illegal, 'variation')} can't be played")


def _size(repertoire: Repertoire) -> dict[str, Any]:
    own = [board for board in repertoire.moves if repertoire.is_own(board)]
    return {
        "side": SIDE_NAMES[repertoire.side].lower(), "openings": len(repertoire.roots), "answers": len(own),
        "suggested": sum(each.is_suggested for board in own for each in repertoire.of(board)),
    }  # fmt: skip


def _size_facts(repertoire: Repertoire) -> list[tuple[str, str]]:
    return [(name, value if isinstance(value, str) else f"{value:,}") for name, value in _size(repertoire).items()]


def _fault_object(fault: RepertoireFault, has_book: bool) -> dict[str, Any]:
    return {
        "kind": fault.kind, "fen": _fen(fault.board), "line": fault.line, "opening": _named(fault.line),
        "moves": fault.moves, "loss": fault.loss, "better": fault.better or None,
        "share": coarse_share(fault.chance) if has_book else None,
        "reason": fault.reason or None, "file_line": fault.file_line,
    }  # fmt: skip


def _fault_row(fault: RepertoireFault, has_book: bool) -> tuple[str, str, str, str, str]:
    if fault.better:
        loss = f"loses {fault.loss}" if fault.loss else "left out by the book"
        why = f"{loss}; {fault.better} is better"
    elif fault.file_line is not None:
        why = f"game of line {fault.file_line}"
    else:
        why = fault.reason or "one to choose"
    return (
        fault.kind,
        share_text(fault.chance) if has_book else "",
        ", ".join(fault.moves),
        why,
        " ".join(fault.line) or "the start",
    )


def _fen(board: Bits) -> str:
    return Position.from_bits(board).fen


def _named(line: Iterable[str]) -> str | None:
    """The name of the opening that a line from the usual start has come to."""
    replay = Replay(Position().bits, list(line))
    name = None if replay.error else opening_name(replay.boards)
    return None if name is None else name.name


@options.command
def _left(
    files: tuple[Path, ...] = FILES,
    games: Path = option(REQUIRED, "The games, PDN.", metavar="FILE"),
    player: str = option("", "Only games of this player, on the side of the repertoire.", metavar="NAME"),
    side: str = SIDE,
    most: int = option(30, "Most moves that are listed; --json has all.", low=1),
    json: bool = options.JSON,
) -> None:
    """Show where games left a repertoire, who left it, and how often.

    A game has left it after its last position of the repertoire, by whatever way it came there. me: the player made
    another move. opponent: a reply that the repertoire does not have. end of the line: the repertoire has nothing more.
    Results are the player's: won, drawn, lost.

    Example:
        kr repertoire left white.pdn --games my-games.pdn --player "Smith, J"
    """
    left_out = console.LeftOut("game")
    comparisons = [GamesComparison(each) for each in _read(files, side, left_out).values()]
    person = same_person(player)
    with (
        console.progress("comparing", None, "games") as progress,
        Reader(games, on_error=left_out.hear) as reader,
    ):
        for game in reader:
            for each in comparisons:
                name = game.headers.get(SIDE_NAMES[each.compared.side], "")
                if not person or same_person(name) == person:
                    each.add(game)
            progress.advance(1)
    if player and not any(each.compared.games for each in comparisons):
        raise InvalidSettingError(f"--player {player}: no game of {games} has this player on a side of the repertoire")
    if json:
        compared = [_compared_object(each.compared) for each in comparisons]
        console.emit_json({"games": reader.games, "left_out": left_out.count, "repertoires": compared})
    else:
        for number, comparison in enumerate(comparisons):
            console.put("\n" * bool(number) + _compared_text(comparison.compared, most))
    left_out.end()


def _sorted(compared: GamesCompared) -> list[Leaving]:
    return sorted(compared.leavings.values(), key=lambda each: (-each.games, each.line, each.move))


def _counts(compared: GamesCompared) -> dict[str, int]:
    return {
        "games": compared.games, "outside": compared.outside, "within": compared.within,
        **{name.replace(" ", "_"): compared.by(name) for name in (ME, OPPONENT, LINE_END)},
    }  # fmt: skip


def _compared_object(compared: GamesCompared) -> dict[str, Any]:
    return {
        "side": SIDE_NAMES[compared.side].lower(), **_counts(compared),
        "left": [
            {
                "who": each.who, "games": each.games, "won": each.won, "drawn": each.drawn, "lost": each.lost,
                "fen": _fen(each.board), "line": each.line, "opening": _named(each.line), "move": each.move,
                "repertoire": each.meant, "examples": each.examples,
            } for each in _sorted(compared)
        ],
    }  # fmt: skip


def _compared_text(compared: GamesCompared, most: int) -> str:
    words = {
        "games": "games", "outside": "never in it", "within": "never left it", "me": "left by me",
        "opponent": "left by the opponent", "end_of_the_line": "to the end of a line",
    }  # fmt: skip
    facts = [(words[name], f"{count:,}") for name, count in _counts(compared).items()]
    text = console.facts([("side", SIDE_NAMES[compared.side].lower()), *facts])
    leavings = _sorted(compared)
    if not leavings:
        return text
    rows = [
        (
            each.games, f"{each.won}-{each.drawn}-{each.lost}", each.who, each.move, ", ".join(each.meant),
            " ".join(each.line) or "the start",
        ) for each in leavings[:most]
    ]  # fmt: skip
    text += "\n\n" + console.table(["games", "W-D-L", "who", "played", "repertoire", "after"], rows)
    rest = len(leavings) - most
    return f"{text}\n{counted(rest, 'other move')}" if rest > 0 else text


@options.command
def _grow(
    files: tuple[Path, ...] = FILES,
    out: Path = option(REQUIRED, "Write the larger repertoire to this PDN file.", metavar="FILE"),
    book: str = book_option(),
    side: str = SIDE,
    moves: int = option(20, "Most answers that are added to the repertoire of a side.", low=1, high=10_000),
    least_share: float = option(
        0.5, "Percent of games that a reply must be played in to get an answer.", low=0, high=100
    ),
    json: bool = options.JSON,
) -> None:
    """Add the book's answers to the replies that come most often and have none, as suggestions.

    Lines that end are continued the same way. What is added has the comment "Suggestion" with the book's value for the
    player in centi-men, in the file and on the page, until it is taken over.

    Example:
        kr repertoire grow white.pdn --out white-more.pdn
        kr repertoire grow white.pdn --book book.krb --moves 50 --out more.pdn
    """
    check_apart([out], files)
    known_suffix("--out", out, PDN_SUFFIXES)
    left_out = console.LeftOut("game")
    repertoires = _read(files, side, left_out)
    opened = load_book(book)
    if opened is None:
        raise InvalidSettingError(f"--book {book}: expected a book, to take answers from")
    added = {
        side: [
            replace(gap, chance=coarse_share(gap.chance))
            for gap in grow_repertoire(each, opened, moves, least_share / 100)
        ]
        for side, each in repertoires.items()
    }
    _write(out, repertoires)
    if json:
        console.emit_json({
            "out": out, "left_out": left_out.count,
            "repertoires": [
                {**_size(repertoires[side]), "added": each}
                for side, each in added.items()
            ],
        })  # fmt: skip
    else:
        rows = [
            (
                share_text(each.chance), each.reply, each.answer, format_score(each.value),
                " ".join(each.line) or "the start",
            ) for suggested in added.values() for each in suggested
        ]  # fmt: skip
        console.put(console.table(["share", "reply", "answer", "value", "after"], rows) if rows else "nothing to add")
    left_out.end()


@options.command
def _export(
    files: tuple[Path, ...] = FILES,
    out: Path | None = OUT,
    side: str = SIDE,
    only: str = option("", "Only the repertoire for this side: {allowed}.", choices=("", "black", "white")),
    json: bool = options.JSON,
) -> None:
    """Write a repertoire, of one file or several, as PDN in order: a game for each opening, each position once.

    Without --out the PDN is printed. A name in .bin makes CheckerBoard's user book of it: the first move of the player
    in each position, at most 10,000. It can't hold replies, names and comments.

    Example:
        kr repertoire export old.pdn new.pdn --out white.pdn
        kr repertoire export white.pdn --out userbook.bin
    """
    check_apart([out], files)
    suffix = None if out is None else known_suffix("--out", out, (*PDN_SUFFIXES, USER_BOOK_SUFFIX))
    left_out = console.LeftOut("game")
    repertoires = {
        side: each for side, each in _read(files, side, left_out).items()
        if only in ("", SIDE_NAMES[side].lower())
    }  # fmt: skip
    if not repertoires:
        raise InvalidSettingError(f"--only {only}: the files have no repertoire for this side")
    if json and out is None:
        raise InvalidSettingError("--json: expected --out FILE for the PDN itself")
    if out is not None and suffix == USER_BOOK_SUFFIX:
        _write_userbook(out, repertoires)
    else:
        _write(out, repertoires)
    if json:
        console.emit_json({
            "out": out, "left_out": left_out.count, "repertoires": [_size(each) for each in repertoires.values()],
        })  # fmt: skip
    left_out.end()


def _write(out: Path | None, repertoires: dict[Side, Repertoire]) -> None:
    games = [game for each in repertoires.values() for game in each.games()]
    with output(out) as file:
        for game in games:
            file.write(f"{write_game(game)}\n")
    if out is not None:
        console.wrote(out, counted(len(games), "opening"))


def _write_userbook(out: Path, repertoires: dict[Side, Repertoire]) -> None:
    entries = userbook_entries(chain.from_iterable(each.own_moves() for each in repertoires.values()))
    write_atomic(out, b"".join(entries))
    console.wrote(
        out, f"user book of CheckerBoard with {counted(len(entries), 'position')}; it can't hold replies and comments"
    )


command = options.group(
    """Check, grow and follow repertoires: the moves that you mean to play, as PDN with variations.

    The tag [Repertoire "White"] of a game names the side; each game is an opening, and a position stands once, however
    it was reached. With [BallotMoves "3"] the first three moves of a game are drawn by lot: nobody chooses them.

    Example:
        kr repertoire check white.pdn
        kr repertoire left white.pdn --games my-games.pdn --player "Smith, J"
        kr repertoire grow white.pdn --out white-more.pdn
        kr repertoire export old.pdn new.pdn --out white.pdn
    """,
    {"check": _check, "left": _left, "grow": _grow, "export": _export},
)
