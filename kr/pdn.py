"""Games in PDN: reading them, with their comments, and writing them.

Results follow the English convention: the first player is Black, so "1-0" says that Black won. Files in which
"1-0" is White's win are read and written with ``results="white"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from kr.errors import IllegalMoveError, InvalidFenError, InvalidPdnError
from kr.notation import SIDE_NAMES, SQUARES, parse_fen
from kr.position import Move, Position, Side

Results = Literal["english", "white"]
RESULTS = ("1-0", "0-1", "1/2-1/2", "0-0", "*")
ENGLISH = "21"
LINE_WIDTH = 79

_WINNERS = {"1-0": Side.BLACK, "0-1": Side.WHITE}
_TURNED = {"1-0": "0-1", "0-1": "1-0"}
_GAME_TYPES = {
    "20": "International draughts", "22": "Italian draughts", "23": "American pool checkers",
    "24": "Spanish draughts", "25": "Russian draughts", "26": "Brazilian draughts", "27": "Canadian draughts",
    "28": "Portuguese draughts", "29": "Czech draughts", "30": "Turkish draughts", "31": "Thai draughts",
    "40": "Frisian draughts", "41": "Spantsiretti draughts",
}  # fmt: skip

# a result stands before the moves because 1-0 looks like one; a star that touches a move praises it ("only move")
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<line>^%[^\n]*|;[^\n]*)
    | (?P<comment>\{[^}]*\})
    | (?P<tag>\[\s*(?P<name>\w+)\s+"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\])
    | (?P<praise>\([!?]+\)|[!?]+|(?<=\d)\*)
    | (?P<result>(?:1-0|0-1|0-0|1/2-1/2)(?![-\d/:x])|\*)
    | (?P<move>\d+(?:[ ]?[-xX:][ ]?\d+)+|[a-h][1-8](?:[-x:]?[a-h][1-8])+)
    | (?P<number>\d+[ ]?\.(?:[ ]?\.{2,3})?|\.{3})
    | (?P<nag>\$\d+)
    | (?P<open>\()
    | (?P<close>\))
    | (?P<word>[^\W\d_][^\s(){}\[\]]*)
    | (?P<junk>\S+)
    )""",
    re.VERBOSE | re.MULTILINE,
)
# where reading goes on after a fault: a tag that follows a line which is no tag
_NEXT_HEADER = re.compile(r'^(?!\[).*\n(?=\[\s*\w+\s+")', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Comment:
    """A text between braces, after a ``;`` or on a ``%`` line."""

    ply: int
    """How many moves of its line stand before it."""
    text: str


@dataclass(frozen=True, slots=True)
class Nag:
    """A judgement of the move before it: ``$3``, ``!?``, ``(!)`` or ``*``."""

    ply: int
    """How many moves of its line stand before it."""
    text: str


@dataclass(frozen=True, slots=True)
class Variation:
    """Moves that could have been played instead of the move before them; kept as text, their legality unchecked."""

    ply: int
    """How many moves of its line stand before it; the variation replaces the last of them."""
    moves: tuple[str, ...]
    notes: tuple[Note, ...] = ()


Note = Comment | Nag | Variation


@dataclass(frozen=True, slots=True)
class Game:
    """One game: tags, start, legal moves, result (English convention) and the notes between the moves.

    Raises InvalidPdnError for an unknown result or a note that stands after the last move.
    """

    tags: Mapping[str, str] = field(default_factory=dict)
    start: Position = field(default_factory=Position)
    moves: tuple[Move, ...] = ()
    result: str = "*"
    notes: tuple[Note, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """What the reader had to decide, and where the result contradicts its tag or the final position."""

    def __post_init__(self) -> None:
        if self.result not in RESULTS:
            raise InvalidPdnError(f"result {self.result!r} is not one of {', '.join(RESULTS)}")
        for note in self.notes:
            if not 0 <= note.ply <= len(self.moves):
                raise InvalidPdnError(f"a note stands at ply {note.ply} of a game of {len(self.moves)} plies")

    @property
    def winner(self) -> Side | None:
        """The side that won by the result; None for a draw, a double loss or an unfinished game."""
        return _WINNERS.get(self.result)

    def positions(self) -> Iterator[Position]:
        """The start and then the position after each move; raises IllegalMoveError at a move that is not legal."""
        position = self.start
        yield position
        for move in self.moves:
            position = position.play(move)
            yield position


def read_games(
    source: str | Path, *, results: Results = "english", errors: list[InvalidPdnError] | None = None
) -> Iterator[Game]:
    """The games of a PDN text (str) or file (Path), one after another.

    InvalidPdnError names line and column of what is no PDN, no English draughts or an illegal move. With a list in
    `errors` such games are left out, the errors are added to the list and reading goes on with the next game.
    """
    text = _file_text(source) if isinstance(source, Path) else source
    text = text.replace("\r\n", "\n")
    name = f"{source.name}, " if isinstance(source, Path) else ""
    offset: int | None = 0
    while offset is not None:
        fault = None
        try:
            for draft in _drafts(text, offset):
                try:
                    yield _game(draft, results)
                except _Fault as found:
                    _report(found, text, name, errors)
        except _Fault as found:
            fault = found
            _report(fault, text, name, errors)
        offset = _next_header(text, fault.offset) if fault else None


def write_game(game: Game, *, results: Results = "english") -> str:
    """The PDN of a game, ending with a newline; read_games gives the same game back.

    The tags are written as they are, FEN canonical and added where the game does not begin at the usual start.
    """
    tags = dict(game.tags)
    if "FEN" in tags or game.start != Position():
        tags.setdefault("SetUp" if "Setup" not in tags else "Setup", "1")
        tags["FEN"] = game.start.fen
    result = game.result
    if results == "white":
        result = _TURNED.get(result, result)
        if "Result" in tags:
            tags["Result"] = _TURNED.get(tags["Result"], tags["Result"])
    header = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items())
    units = _units([str(move) for move in game.moves], game.notes, int(game.start.side))
    return f"{header}\n{_wrapped([*units, result])}\n"


def format_game(
    tags: Mapping[str, str], start: Position, moves: Iterable[Move], result: str = "*", notes: Iterable[Note] = ()
) -> str:
    """The PDN of a new game, with the tags GameType, Result and, where it is needed, FEN added to those given."""
    full = {**tags, "Result": result, "GameType": ENGLISH}
    return write_game(Game(full, start, tuple(moves), result, tuple(notes)))


# --- reading


class _Fault(Exception):
    """What is wrong at an offset of the text; told to the caller as an InvalidPdnError with line and column."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(slots=True)
class _Draft:
    """A game as it is written, its moves not yet replayed."""

    tags: dict[str, str] = field(default_factory=dict)
    tag_offsets: dict[str, int] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    move_offsets: list[int] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    result: str | None = None
    warnings: list[str] = field(default_factory=list)


def _file_text(path: Path) -> str:
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")  # what old files use; it cannot fail


def _report(fault: _Fault, text: str, name: str, errors: list[InvalidPdnError] | None) -> None:
    line = text.count("\n", 0, fault.offset) + 1
    column = fault.offset - text.rfind("\n", 0, fault.offset)
    error = InvalidPdnError(f"{name}line {line}, column {column}: {fault}")
    if errors is None:
        raise error from None
    errors.append(error)


def _next_header(text: str, offset: int) -> int | None:
    found = _NEXT_HEADER.search(text, text.rfind("\n", 0, offset) + 1)
    return found.end() if found else None


def _drafts(text: str, offset: int) -> Iterator[_Draft]:
    """The games from an offset on; a game ends with its result, or where the next one's tags begin."""
    draft, empty = _Draft(), True
    tokens = _TOKEN.finditer(text, offset)
    for token in tokens:
        kind = token.lastgroup
        if kind == "tag":
            if draft.moves or draft.result or token["name"] in draft.tags:
                yield draft
                draft = _Draft()
            draft.tags[token["name"]] = re.sub(r"\\([\"\\])", r"\1", token["value"])
            draft.tag_offsets[token["name"]] = token.start("tag")
        elif kind == "result":
            if draft.result:
                yield draft
                draft = _Draft()
            draft.result = token["result"]
        elif kind == "comment" or kind == "line":
            draft.notes.append(_comment(token, len(draft.moves)))
        elif kind == "word" and draft.moves and not draft.result:
            draft.notes.append(Comment(len(draft.moves), token["word"]))
            draft.warnings.append(f"{token['word']!r} stands outside braces: read as a comment")
        else:
            if draft.result:
                yield draft
                draft = _Draft()
            if kind == "move":
                draft.moves.append(token["move"])
                draft.move_offsets.append(token.start("move"))
            else:
                _add_note(draft.notes, len(draft.moves), token, tokens)
        empty = False
    if not empty:
        yield draft


def _add_note(notes: list[Note], ply: int, token: re.Match[str], tokens: Iterator[re.Match[str]]) -> None:
    """Add what a token other than a tag, comment, result or move says; move numbers say nothing."""
    kind = token.lastgroup or ""
    if kind == "number":
        return
    if kind in ("nag", "praise"):
        notes.append(Nag(ply, token[kind]))
    elif kind == "open":
        notes.append(_variation(ply, token, tokens))
    else:
        raise _Fault(token.start(kind), f"{token[kind][:20]!r} is not PDN: {_complaint(token[kind])}")


def _variation(ply: int, opening: re.Match[str], tokens: Iterator[re.Match[str]]) -> Variation:
    moves: list[str] = []
    notes: list[Note] = []
    for token in tokens:
        kind = token.lastgroup
        if kind == "close":
            return Variation(ply, tuple(moves), tuple(notes))
        if kind == "move":
            moves.append(token["move"])
        elif kind == "comment" or kind == "line":
            notes.append(_comment(token, len(moves)))
        elif kind == "result":
            notes.append(Comment(len(moves), token["result"]))
        elif kind == "tag":
            break
        else:
            _add_note(notes, len(moves), token, tokens)
    raise _Fault(opening.start("open"), "the variation that begins here is never closed")


def _comment(token: re.Match[str], ply: int) -> Comment:
    if token["comment"]:
        return Comment(ply, token["comment"][1:-1].strip())
    return Comment(ply, token["line"][1:].strip())


def _complaint(junk: str) -> str:
    known = {
        "{": "the comment that begins here is never closed",
        "}": "a comment ends here that did not begin; comments do not nest",
        ")": "a variation ends here that did not begin",
        "[": 'a tag is written [Name "value"]',
    }
    return known.get(junk[0], "moves are written as 11-15 or 22x15, other text stands in braces")


def _game(draft: _Draft, results: Results) -> Game:
    """Replay a draft; raises _Fault at the tag or move that is wrong."""
    game_type = draft.tags.get("GameType", ENGLISH).split(",")[0].strip()
    if game_type != ENGLISH:
        name = _GAME_TYPES.get(game_type, "not a game that kr knows")
        raise _Fault(
            draft.tag_offsets["GameType"], f"GameType {game_type} is {name}; only English draughts ({ENGLISH}) is read"
        )
    warnings = list(draft.warnings)
    start = _start(draft, warnings)
    moves, final = _replayed(draft, start, 0, warnings)
    tags, result = dict(draft.tags), draft.result
    if results == "white":
        result = _TURNED.get(result or "", result)
        if "Result" in tags:
            tags["Result"] = _TURNED.get(tags["Result"], tags["Result"])
    tag = tags.get("Result") if tags.get("Result") in RESULTS else None
    if result and tag and result != tag:
        warnings.append(f"the Result tag says {tag} but the game ends with {result}")
    game = Game(tags, start, tuple(moves), result or tag or "*", tuple(draft.notes))
    if game.result != "*" and game.winner != final.side.other and final.is_over:
        loser = SIDE_NAMES[final.side]
        warnings.append(f"{loser} has no legal move at the end and so lost, but the result is {game.result}")
    return replace(game, warnings=tuple(warnings))


def _start(draft: _Draft, warnings: list[str]) -> Position:
    fen = draft.tags.get("FEN", "").strip()
    if not fen:
        return Position()
    try:
        return Position.from_fen(fen)
    except InvalidFenError as error:
        complaint = error
    try:
        black, white, kings, side = parse_fen(fen, crown=True)
    except InvalidFenError as error:
        raise _Fault(draft.tag_offsets["FEN"], f"{error}{_other_game(fen)}") from None
    warnings.append(f"{complaint} (read so)")
    return Position(black, white, kings, Side(side))


def _replayed(draft: _Draft, position: Position, first: int, warnings: list[str]) -> tuple[list[Move], Position]:
    """The moves from index `first` on and the position after them.

    An ambiguous capture is read so that the moves after it are legal.
    """
    moves: list[Move] = []
    for index in range(first, len(draft.moves)):
        text = draft.moves[index]
        try:
            choices = position.moves_named(text)
        except IllegalMoveError as error:
            hint = _other_game(text) or (_white_first(text) if index == 0 and position == Position() else "")
            raise _Fault(draft.move_offsets[index], f"illegal move at ply {index + 1}: {error}{hint}") from None
        if len(choices) > 1:
            rest, final = _settled(draft, position, index, choices, warnings)
            return moves + rest, final
        moves.append(choices[0])
        position = position.play(choices[0])
    return moves, position


def _settled(
    draft: _Draft, position: Position, index: int, choices: list[Move], warnings: list[str]
) -> tuple[list[Move], Position]:
    """The moves from an ambiguous one on: of its choices, the first after which the rest is legal."""
    faults = []
    for move in choices:
        try:
            rest, final = _replayed(draft, position.play(move), index + 1, warnings)
        except _Fault as fault:
            faults.append(fault)
            continue
        ways = " or ".join(map(str, choices))
        warnings.append(f"{draft.moves[index]} at ply {index + 1} is ambiguous, {ways}: read as {move}")
        return [move, *rest], final
    raise max(faults, key=lambda fault: fault.offset)


def _other_game(text: str) -> str:
    """What a FEN or move that names squares beyond 32, or by letters, says about the game it comes from."""
    if re.search(r"[a-h][1-8]", text):
        return " (squares named by letters: Russian, Brazilian, Czech or another game, not English draughts)"
    if any(int(number) > SQUARES for number in re.findall(r"\d+", text)):
        return f" (squares beyond {SQUARES}: International draughts or another game on a larger board)"
    return ""


def _white_first(text: str) -> str:
    try:
        Position(side=Side.WHITE).parse_move(text)
    except IllegalMoveError:
        return ""
    return " (White moves first: Italian draughts or another game, not English draughts)"


# --- writing


def _units(moves: list[str], notes: Iterable[Note], first_ply: int) -> list[str]:
    """The words of a line of play; first_ply counts from Black's first move as 0."""
    notes_at: dict[int, list[Note]] = {}
    for note in notes:
        notes_at.setdefault(note.ply, []).append(note)
    units: list[str] = []
    for index in range(len(moves) + 1):
        if index > 0:
            ply = first_ply + index - 1
            if ply % 2 == 0 or index == 1:
                units.append(f"{ply // 2 + 1}." if ply % 2 == 0 else f"{ply // 2 + 1}...")
            units.append(moves[index - 1])
        touching = index > 0
        for note in notes_at.get(index, ()):
            if isinstance(note, Nag) and touching and not note.text.startswith("$"):
                units[-1] += note.text
            else:
                units += _note_units(note, first_ply)
                touching = False
    return units


def _note_units(note: Note, first_ply: int) -> list[str]:
    if isinstance(note, Nag):
        return [note.text]
    if isinstance(note, Comment):
        if "}" not in note.text:
            return [f"{{{note.text}}}"]
        if "\n" not in note.text:
            return [f"% {note.text}"]
        raise InvalidPdnError(f"a comment of several lines can't hold a closing brace: {note.text[:20]!r}")
    inside = _units(list(note.moves), note.notes, first_ply + max(note.ply - 1, 0)) or [""]
    inside[0] = f"({inside[0]}"
    if inside[-1].startswith(("%", "(%")):
        return [*inside, ")"]
    return [*inside[:-1], f"{inside[-1]})"]


def _wrapped(units: Iterable[str]) -> str:
    """Units joined by blanks into lines; a unit that begins with % needs a line of its own."""
    lines = [""]
    for unit in units:
        if unit.startswith("%"):
            lines += [unit, ""]
        elif len(lines[-1]) + 1 + len(unit) > LINE_WIDTH or not lines[-1]:
            lines.append(unit)
        else:
            lines[-1] += f" {unit}"
    return "\n".join(line for line in lines if line) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
