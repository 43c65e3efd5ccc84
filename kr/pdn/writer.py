"""Games to PDN text."""

from __future__ import annotations

import re
from typing import IO, Literal

from kr.errors import InvalidPdnError
from kr.game.position import Position
from kr.pdn.grammar import plain_result
from kr.pdn.tree import ChildNode, RootNode
from kr.pdn.visitor import SKIP, Visitor
from kr.settings import check_type

Results = Literal["english", "white"]
"""Meaning of "1-0": Black, who begins, won (english), or White won (white)."""
ENGLISH = "21"
LINE_WIDTH = 79
ROSTER = ("Event", "Site", "Date", "Round", "Black", "White", "Result")
"""Tags of every game in normal form, in this order."""
_TURNED = {"1-0": "0-1", "0-1": "1-0", "2-0": "0-2", "0-2": "2-0"}

TAG_NAME = re.compile(r"\w+")
NAG = re.compile(r"\$\d{1,3}|\([!?]+\)|[!?]+|\*")
SIGNS = {"$1": "!", "$2": "?", "$3": "!!", "$4": "??", "$5": "!?", "$6": "?!", "$7": "*", "$8": "*"}
"""Signs of the judgements that have a number too."""
_LINE_ENDS = re.compile(r"\r\n?")


class StringExporter(Visitor[str]):
    """Makes the PDN of a game: `game.accept(StringExporter(comments=False))`.

    headers, comments, variations, nags: False to leave them out. columns: most characters in a line of moves; None for
    one line. results: "white" to write White's win as "1-0". Raises InvalidPdnError for a comment, tag or judgement
    that can't be written.
    """

    def __init__(
        self,
        *,
        headers: bool = True,
        comments: bool = True,
        variations: bool = True,
        nags: bool = True,
        columns: int | None = LINE_WIDTH,
        results: Results = "english",
    ) -> None:
        self._headers = headers
        self._comments = comments
        self._variations = variations
        self._nags = nags
        self._columns = columns
        self._results = results
        self.begin_game()

    def begin_game(self) -> None:
        """Start a new text."""
        self._tags: dict[str, str] = {}
        self._units: list[str] = []
        self._ply = 0
        self._plies: list[int] = []
        # True if the next move needs a number, even one of White
        self._numbered = True
        self._opening = ""
        self._touching = False

    def begin_headers(self) -> bool | None:
        """Take the headers, or skip them."""
        return None if self._headers else SKIP

    def visit_header(self, name: str, value: str) -> None:
        """Keep a tag."""
        if not TAG_NAME.fullmatch(name):
            raise InvalidPdnError(f"a tag can't be called {name!r}: letters, digits and _ only")
        self._tags[name] = value

    def end_headers(self, game: RootNode) -> None:
        """Add the tags that the start needs."""
        self._ply = int(game.start.side)
        tags = self._tags
        if not self._headers:
            return
        if "FEN" in tags or game.start != Position():
            tags.setdefault("SetUp" if "Setup" not in tags else "Setup", "1")
            tags["FEN"] = game.start.fen
        if self._results == "white" and "Result" in tags:
            tags["Result"] = turned(tags["Result"])

    def begin_variation(self) -> bool | None:
        """Open a parenthesis, or skip the variation."""
        if not self._variations:
            return SKIP
        self._plies.append(self._ply)
        self._ply = max(self._ply - 1, 0)
        self._opening += "("
        self._numbered = True
        self._touching = False
        return None

    def end_variation(self) -> None:
        """Close it."""
        if self._opening or self._units[-1].startswith(("%", "(%")):
            self._add(")")
        else:
            self._units[-1] += ")"
        self._ply = self._plies.pop()
        self._numbered = True
        self._touching = False

    def visit_move(self, node: ChildNode) -> None:
        """Write a move, with its number where it needs one."""
        if self._ply % 2 == 0:
            self._add(f"{self._ply // 2 + 1}.")
        elif self._numbered:
            self._add(f"{self._ply // 2 + 1}...")
        self._add(node.text)
        self._ply += 1
        self._numbered = False
        self._touching = True

    def visit_nag(self, nag: str) -> None:
        """Write a judgement; a sign goes directly after its move."""
        if not NAG.fullmatch(nag):
            raise InvalidPdnError(f"{nag!r} is not a judgement of a move such as !, ?!, (!), * or $3")
        if not self._nags:
            return
        if not nag.startswith("$") and self._touching:
            self._units[-1] += nag
        else:
            self._add("$7" if nag == "*" else nag)
        self._touching = False

    def visit_setup(self, position: Position) -> None:
        """Write a setup command."""
        self._add(f'/FEN "{position.fen}"/')
        self._touching = False
        self._numbered = True

    def visit_comment(self, comment: str) -> None:
        """Write a comment."""
        if not self._comments:
            return
        comment = _LINE_ENDS.sub("\n", comment)
        self._touching = False
        if "}" not in comment:
            self._add(f"{{{comment}}}")
        elif "\n" not in comment:
            if self._opening:
                self._add("")
            self._units.append(f"% {comment}")
        else:
            raise InvalidPdnError(f"a comment of several lines can't hold a closing brace: {comment[:20]!r}")

    def visit_result(self, result: str) -> None:
        """Write the result."""
        self._add(turned(result) if self._results == "white" else result)

    def finish(self) -> str:
        """The text, ending with a newline."""
        moves = self._wrapped()
        if not self._headers:
            return moves
        header = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in self._tags.items())
        return f"{header}\n{moves}\n"

    def _add(self, unit: str) -> None:
        self._units.append(f"{self._opening}{unit}")
        self._opening = ""

    def _wrapped(self) -> str:
        """Units joined by blanks into lines; one that begins with % gets its own line."""
        lines: list[list[str]] = [[]]
        columns, width = self._columns or (1 << 62), 0
        for unit in self._units:
            if unit.startswith("%"):
                lines += [[unit], []]
                width = 0
            elif width and width + 1 + len(unit) > columns:
                lines.append([unit])
                width = len(unit)
            else:
                lines[-1].append(unit)
                width += len(unit) + (width > 0)
        return "\n".join(" ".join(line) for line in lines if line) + "\n"


class FileExporter(StringExporter):
    """StringExporter that writes each game to an open text file, followed by an empty line."""

    def __init__(self, file: IO[str], **options: bool | int | str | None) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._file = file

    def finish(self) -> str:
        """Write the game; returns its text."""
        text = super().finish()
        self._file.write(text)
        return text


def write_game(game: RootNode, *, results: Results = "english") -> str:
    """PDN of a game, ending with a newline; read_games gives an equal game back.

    Tags are written unchanged. FEN is canonical, and added if the game does not begin at the usual start.
    """
    check_type("the game", game, RootNode)
    return game.accept(StringExporter(results=results))


def turned(result: str) -> str:
    """A result, as text, in the other convention for the player named first."""
    return _TURNED.get(result) or _TURNED.get(plain_result(result.strip()), result)


def normalise(game: RootNode) -> None:
    """Bring a game into normal form: the tags of ROSTER first, in order, GameType last, and a single result.

    Empty tags become "?", and the Result tag agrees with the result. Judgements $1 to $8 become signs.
    """
    headers = game.headers
    unknown = {"Date": "????.??.??", "Result": "*"}
    first = {name: headers.get(name, "").strip() or unknown.get(name, "?") for name in ROSTER}
    first["Result"] = game.result
    own = {*ROSTER, "GameType", "FEN", "SetUp", "Setup"}
    rest = {name: value for name, value in headers.items() if name not in own}
    game.headers = {**first, **rest, "GameType": ENGLISH}
    for node in game.descendants():
        if node._nags:
            node.nags = list(dict.fromkeys(SIGNS.get(nag, nag) for nag in node._nags))


def _escaped(value: str) -> str:
    value = " ".join(value.splitlines()) if "\n" in value or "\r" in value else value
    return value.replace("\\", "\\\\").replace('"', '\\"')
