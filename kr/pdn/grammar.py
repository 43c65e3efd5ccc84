"""The grammar of PDN: text to drafts of games, whose moves are not yet checked.

    file      = game*
    game      = tag* line [result] comment*       it ends where the next begins: at a tag, a move after the result
    tag       = "[" name '"' text '"' "]"         in the text \\" and \\\\ stand for " and \\; or with curly quotes
    line      = (number | move | nag | comment | variation | setup | unknown)*
    number    = digits ["." [".." | "..."]]       ignored, without a dot before a move alone; "1." at the start of a
                                                    line may begin a game
    move      = square (separator square)+        separator: - x X : or a dash of any length; or four digits
    setup     = "/FEN" '"' text '"' "/"             the position before the first move, or after the move before it
    unknown   = "- -"                             the moves from there on are text; so they are from a move whose second
                                                    square can't be read, which is not PDN
    nag       = "$" digits | "!" | "?" ... | "(!)" ... | "*" that touches the move before it, or else the one after it
    letter    = "-"... letter [digit]             of a note, where it touches a move: read as a comment
    comment   = "{" text "}" | ";" to the end of the line | "%" at the start of a line, to its end
    variation = "(" line ")"
    result    = "1-0" | "2-0" | "0-1" | "0-2" | "1/2-1/2" | "1-1" | "1/2" | "½-½" | "0-0" | "*"     a dash as in moves

Two results without an empty line between them end one game: a star says nothing beside another, which counts.

Words among the moves, and words and numbers in round brackets without a move, are read as a comment, with a warning.
Words before the moves, and anything else, are a fault. A forgiving buffer takes words anywhere, closes what was left
open, and leaves out what is not PDN, with a warning.

A game is read from a buffer that may be continued: text near its end is not judged before there is more (NeedMore). No
part of a text is scanned more than a fixed number of times, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto

from kr.game.value import Result
from kr.language.sentences import Sentence, sentence
from kr.pdn.drafts import Draft, DraftLine, DraftNote, DraftSetup, Fault, Judgement

MARGIN = 64
"""Characters at the end of an unfinished buffer that may belong to something longer."""
MAX_GAME_LENGTH = 1 << 24
"""Characters of one game; more is a fault, so that an unclosed comment cannot fill the memory."""

MOST_NESTED = 1 << 14
"""Variations in variations; more is a fault at once, for each takes memory before anything is known of it."""

RESULTS: tuple[str, ...] = tuple(Result)
_RESULT_FORMS = {
    "2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "1/2": "1/2-1/2", "½-½": "1/2-1/2", "½": "1/2-1/2",
}  # fmt: skip
"""Other ways of writing a result; two points for a win are those of PDN 3.0."""

# A result comes before the moves because it looks like one. No result is a move: there is no square 0, and no capture
# returns to square 1, which has only one neighbour to jump over.
_DASH = r"[ ]?[-\u2010-\u2014\u2212][ ]?"
_CURLY = "[“”„‟]"
# capitals too, as Russian programs write them
_LETTERS = r"[a-h][1-8](?:[-x:]?[a-h][1-8])++|[A-H][1-8](?:[-xX:]?[A-H][1-8])++"
_TOKEN = re.compile(
    r"""[\s,\x00\x1a\ufeff]*+(?:
      (?P<line>^%[^\n]*+|;[^\n]*+)
    | (?P<comment>\{)
    | (?P<tag>\[\s*+(?P<name>\w++)\s++(?:"(?P<value>(?:[^"\\\n]|\\.)*+)"|CURLY(?P<curly>[^\n"“”„‟\]]*+)CURLY)\s*+\])
    | (?P<nag>\$\d{1,3}|\([!?]++\)|[!?]++)
    | (?P<star>\*)
    | (?P<result>(?:(?:[12]DASH0|0DASH[012]|1DASH1|1/2DASH1/2|½DASH½)(?![-\d/:xX])|(?:1/2|½)(?![-\d/:x])))
    | (?P<rule>^[-=_~]{3,}[ \t]*+$)
    | (?P<move>\d{1,3}(?:[ ]?[-xX:\u00d7\u2010-\u2014\u2212][ ]?\d{1,3})++(?!\d)|LETTERS)
    | (?P<number>\d{1,6}[ ]?(?:\.(?:[ ]?\.{2,3})?|…)|\.{3}|…)
    | (?P<open>\()
    | (?P<close>\))
    | (?P<joined>JOINED)
    | (?P<bare>\d{1,3}(?=\s{1,20}+\*?(?:[1-9]\d?[ ]?[-xX:\u00d7\u2010-\u2014\u2212][ ]?[1-9]|JOINED)))
    | (?P<setup>/\s*+FEN\s++["“”„‟](?P<fen>[^"“”„‟/\n]*+)["“”„‟]\s*+/)
    | (?P<unknown>[-\u2013\u2014][ ]?[-\u2013\u2014](?![-\w]))
    | (?P<letter>[-\u2013\u2014]{1,5}(?P<note>[^\W\d_]\d?)(?!\w))
    | (?P<word>[^\W\d_]++(?=\d{1,2}[-xX:]\d{1,2}(?![-\w]))|[^\W\d_][^\s(){}\[\]]*+)
    | (?P<junk>\S)
    )""".replace("DASH", _DASH)
    .replace("CURLY", _CURLY)
    .replace("JOINED", r"(?:0[1-9]|[12]\d|3[0-2]){2}(?![\w.…])")
    .replace("LETTERS", _LETTERS),
    re.VERBOSE | re.MULTILINE,
)
_JUNK = re.compile(r"\S{1,20}")
# A move whose second square can't be read.
_ILLEGIBLE = re.compile(r"\d{1,2}[-xX:\u00d7\u2010-\u2014\u2212]\S{0,17}")
# A setup command that may continue behind the end of the buffer.
_SETUP_START = re.compile(r"/(?:\s*+(?:F|FE|FEN\s*+(?:[“”„‟\"][^“”„‟\"/\n]*+[“”„‟\"]?\s*+)?)?)?\Z")
# Part of text that is not PDN, left out at once: a remark in brackets, or a character.
_LEFT_OUT = re.compile(r"\[[^\[\]\n]{0,200}\]|[#&+<>@^|~]+|.", re.DOTALL)
MOST_LEFT_OUT = 20
"""Parts left out of a game that are reported."""
_ESCAPED = re.compile(r"\\([\"\\])")
_DASHES = str.maketrans(dict.fromkeys("X\u00d7", "x") | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
# Words and numbers in round brackets, and the signs of a variation.
MOST_REMARK = 400
_REMARK = re.compile(rf"\(([^(){{}}\[\]]{{1,{MOST_REMARK}}})\)")
_WORD = re.compile(r"[^\W\d_]|(?<![\w.])\d++(?!\s*+[.…])")
_MOVES = re.compile(rf"\d[ ]?[-xX:\u00d7\u2010-\u2014\u2212][ ]?\d|\b(?:{_LETTERS})\b")
_JOINED_MOVE = re.compile(r"(?:0[1-9]|[12]\d|3[0-2]){2}")
_JOINED = re.compile(r"[\s.\d,!?]*+")
# A number among words.
_COUNT = re.compile(r"[\s,]*+\d{1,6}(?![-\dxX:./…])(?=[\s,]*+[^\W\d_])")
_EMPTY_LINE = re.compile(r"\n[ \t]*+\n")
# Tags after an empty line inside a comment: the brace that should have closed it is missing.
_FORGOTTEN = re.compile(r'\n\n\[\w++\s++"[^"\n]*+"\][ \t]*+\n\[\w++\s++"')
# Where reading resumes after a fault: a tag after a line that is not a tag.
_NEXT_HEADER = re.compile(r'^(?!\[).*\n(?=\[\s*+\w++\s++["“”„‟])', re.MULTILINE)


class NeedMore(Exception):
    """The buffer ends before the text there can be judged."""


class _Step(Enum):
    """Where a token leaves the game, if it does not go on."""

    PASSED_OVER = auto()
    """The token is no part of the game, which may not have begun."""
    END = auto()
    """The game ends before the token."""
    END_BEHIND = auto()


class _Reading:
    """A game that is being read."""

    __slots__ = ("at", "draft", "line", "offset", "praised", "result_end", "stack", "touch")

    def __init__(self, offset: int) -> None:
        self.offset = self.at = offset
        self.draft = Draft()
        self.line: DraftLine = self.draft
        """The line that moves are added to."""
        self.stack: list[tuple[int, DraftLine]] = []
        """Offsets of the variations that are open, with the lines that they interrupt."""
        self.touch = -1
        """End of the last move or its judgements: a star there praises the move."""
        self.praised = -1
        """Begin of a move behind a star, which praises it; any other star is a result."""
        self.result_end = -1
        """End of the last result."""

    @property
    def is_main(self) -> bool:
        """True outside of variations."""
        return not self.stack

    def note(self, note: DraftNote) -> None:
        """Add a note after the last move."""
        self.line.notes.append((len(self.line.moves), note))

    def close(self) -> None:
        """End the innermost variation."""
        variation, (_, self.line) = self.line, self.stack.pop()
        self.note(variation)


class Buffer:
    """Text in memory from which games are read."""

    def __init__(self, text: str, final: bool, forgiving: bool = False) -> None:
        self.text = text
        self.forgiving = forgiving
        self.final = final
        """True if there is no more text."""
        self._sure = len(text) if final else len(text) - MARGIN
        self._brace = (0, -1)

    def game(self, offset: int) -> tuple[Draft | None, int]:
        """The game that begins at an offset, or None at the end, and the offset at which to resume.

        Raises Fault for text that is not PDN, NeedMore if the text continues.
        """
        try:
            return self._game(offset)
        except Fault as fault:
            if not self.final and fault.offset > self._sure and len(self.text) - offset < MAX_GAME_LENGTH:
                raise NeedMore from None
            raise

    def next_header(self, offset: int) -> int | None:
        """Offset of the first game whose tags follow something other than tags, from the line of `offset` on."""
        match = _NEXT_HEADER.search(self.text, self.text.rfind("\n", 0, offset) + 1)
        return match.end() if match else None

    def _game(self, offset: int) -> tuple[Draft | None, int]:
        reading = _Reading(offset)
        draft, stack, text, match = reading.draft, reading.stack, self.text, _TOKEN.match
        while (token := match(text, reading.at)) is not None:
            kind = token.lastgroup
            assert kind is not None
            begin, at = token.start(kind), token.end()
            if at > self._sure:
                self._more(offset)
            if kind == "star":
                kind = "nag" if begin == reading.touch else "praise" if self._praises(at, offset) else "result"
            if draft.result and not stack and kind not in ("comment", "line"):
                if kind != "result" or not self._ends_again(draft, text[begin:at], reading.result_end, begin):
                    return draft, begin
                reading.at = reading.result_end = at
                continue
            reading.at = at
            step = _READERS[kind](self, reading, token, begin)
            if step is None:
                if draft.offset < 0:
                    draft.offset = begin
            elif step is not _Step.PASSED_OVER:
                return draft, begin if step is _Step.END else at
        if not self.final:
            self._more(offset)
        if stack:
            self._close_all(reading, len(text))
        return (None if draft.is_empty else draft), len(text)

    # what a token of each kind says: None if the game goes on, and then it has begun

    def _move(self, reading: _Reading, token: re.Match[str], begin: int) -> None:
        line = reading.line
        line.moves.append(token["move"] or f"{self.text[begin : begin + 2]}-{self.text[begin + 2 : begin + 4]}")
        line.offsets.append(begin)
        if begin == reading.praised:
            line.notes.append((len(line.moves), Judgement("*")))
        reading.touch = reading.at

    def _star_before(self, reading: _Reading, token: re.Match[str], begin: int) -> None:
        reading.praised = reading.at

    def _number(self, reading: _Reading, token: re.Match[str], begin: int) -> _Step | None:
        if self.text[begin : reading.at] not in ("1.", "1") or not reading.is_main:
            return None
        if not self._begins_game(reading.draft, self.text[token.start() : begin]):
            return None
        reading.draft.warnings.append(sentence("pdn.no_result"))
        return _Step.END

    def _comment(self, reading: _Reading, token: re.Match[str], begin: int) -> None:
        brace = self._closing_brace(begin, reading.offset, reading.draft)
        reading.at = brace + 1
        reading.note(self.text[begin + 1 : brace].strip())

    def _line_comment(self, reading: _Reading, token: re.Match[str], begin: int) -> None:
        reading.note(token["line"][1:].strip())

    def _tag(self, reading: _Reading, token: re.Match[str], begin: int) -> _Step | None:
        draft = reading.draft
        if reading.stack:
            self._close_all(reading, begin - 1)
        name, value = token["name"], token["value"]
        value = _ESCAPED.sub(r"\1", value) if value is not None else token["curly"]
        if draft.tags and _EMPTY_LINE.search(self.text, draft.tags_end, begin):
            draft.block = begin
        if draft.moves or (name in draft.tags and not self._repeats(draft, name, value, begin)):
            return _Step.END
        draft.tags_end = reading.at
        if name not in draft.tags:
            draft.tags[name] = value
            draft.tag_offsets[name] = begin
        return None

    def _nag(self, reading: _Reading, token: re.Match[str], begin: int) -> None:
        reading.note(Judgement(self.text[begin : reading.at]))
        reading.touch = reading.at if reading.line.moves else -1

    def _open(self, reading: _Reading, token: re.Match[str], begin: int) -> None:
        if (remark := self._remark(begin, reading.offset)) is not None:
            reading.at = remark.end()
            self._say(reading, " ".join(remark[1].split()))
            return
        if len(reading.stack) == MOST_NESTED:
            raise Fault(begin, sentence("pdn.nested", most=MOST_NESTED))
        reading.stack.append((begin, reading.line))
        reading.line = DraftLine()

    def _close(self, reading: _Reading, token: re.Match[str], begin: int) -> _Step | None:
        if not reading.stack:
            self._pass_over(reading.draft, self._fault(begin, sentence("pdn.variation_end")))
            return _Step.PASSED_OVER
        reading.close()
        return None

    def _result(self, reading: _Reading, token: re.Match[str], begin: int) -> None:
        result = plain_result(self.text[begin : reading.at])
        if reading.is_main:
            reading.draft.result, reading.result_end = result, reading.at
        else:
            reading.note(result)

    def _word(self, reading: _Reading, token: re.Match[str], begin: int) -> _Step | None:
        if reading.is_main and not reading.draft.moves and not self.forgiving:
            return self._junk(reading, token, begin)
        self._words(reading, begin)
        return None

    def _unknown(self, reading: _Reading, token: re.Match[str], begin: int) -> None:
        line, draft, written = reading.line, reading.draft, self.text[begin : reading.at]
        if reading.is_main and not line.moves:
            self._pass_over(draft, Fault(begin, sentence("pdn.none_known", move=repr(written))))
        elif line.unknown_from is None:
            line.unknown_from = len(line.moves)
            self._warn(draft, begin, sentence("pdn.unwritten", move=repr(written)))

    def _letter(self, reading: _Reading, token: re.Match[str], begin: int) -> _Step | None:
        if begin != reading.touch:
            return self._junk(reading, token, begin)
        self._say(reading, token["note"])
        return None

    def _rule(self, reading: _Reading, token: re.Match[str], begin: int) -> _Step | None:
        if reading.stack:
            return self._junk(reading, token, begin)
        return _Step.PASSED_OVER if reading.draft.is_empty else _Step.END_BEHIND

    def _junk(self, reading: _Reading, token: re.Match[str], begin: int) -> _Step | None:
        if not self.final and self.text[begin] == "/" and _SETUP_START.match(self.text, begin):
            self._more(reading.offset)
        self._pass_over(reading.draft, self._fault(begin))
        line, junk = reading.line, _ILLEGIBLE.match(self.text, begin)
        if junk is not None and reading.is_main and line.moves and line.unknown_from is None:
            line.unknown_from, line.illegible = len(line.moves), junk[0]
        else:
            junk = _LEFT_OUT.match(self.text, begin)
            assert junk is not None
        reading.at = junk.end()
        return _Step.PASSED_OVER

    # parts of them

    def _more(self, offset: int) -> None:
        """Request more text unless the game is already too long."""
        if len(self.text) - offset >= MAX_GAME_LENGTH:
            raise Fault(offset, sentence("pdn.long_game", most=MAX_GAME_LENGTH), len(self.text))
        raise NeedMore

    @staticmethod
    def _begins_game(draft: Draft, before: str) -> bool:
        """True if "1." or "1", after moves that have no result, begins a new game: at the start of a line.

        before: blanks between the token before it and the number.
        """
        if len(draft.moves) < 2 or draft.result:
            return False
        _, newline, indent = before.rpartition("\n")
        return bool(newline) and not indent.strip()

    def _praises(self, at: int, offset: int) -> bool:
        """True if a move stands right behind a star that ends at an offset."""
        text = self.text
        if not text[at : at + 1].isalnum() or (token := _TOKEN.match(text, at)) is None:
            return False
        if token.end() > self._sure:
            self._more(offset)
        return token.lastgroup in ("move", "joined")

    def _ends_again(self, draft: Draft, written: str, ended: int, begin: int) -> bool:
        """True if a second result belongs to the game, which has one that ends at an offset."""
        if not (draft.moves or draft.tags) or _EMPTY_LINE.search(self.text, ended, begin):
            return False
        result = plain_result(written)
        if draft.result == "*":
            draft.result = result
        elif result not in ("*", draft.result):
            draft.warnings.append(sentence("pdn.end_differs", first=draft.result or "", second=result))
        return True

    def _pass_over(self, draft: Draft, fault: Fault) -> None:
        """Raise a fault, or note it and continue."""
        if not self.forgiving:
            raise fault
        if len(draft.left_out) < MOST_LEFT_OUT:
            draft.left_out.append(fault)

    def _close_all(self, reading: _Reading, resume: int) -> None:
        """End the variations that were left open."""
        fault = Fault(reading.stack[-1][0], sentence("pdn.open_variation"), resume)
        self._pass_over(reading.draft, fault)
        while reading.stack:
            reading.close()

    def _closing_brace(self, begin: int, offset: int, draft: Draft) -> int:
        """Offset of the brace that closes a comment; without one a forgiving buffer ends it with its line."""
        first, brace = self._brace
        if not first <= begin <= brace:
            brace = self.text.find("}", begin)
            if brace < 0:
                brace = len(self.text)
            self._brace = begin, brace
        if brace == len(self.text):
            if not self.final and len(self.text) - begin < MAX_GAME_LENGTH:
                raise NeedMore
            self._pass_over(draft, self._fault(begin, sentence("pdn.open_comment")))
            return end if (end := self.text.find("\n", begin)) >= 0 else brace
        if self.text.find("\n[", begin, brace) >= 0 and (lost := _FORGOTTEN.search(self.text, begin, brace)):
            self._pass_over(draft, Fault(begin, sentence("pdn.open_before_game"), lost.start() + 1))
            return lost.start()
        if not self.final and brace > self._sure:
            self._more(offset)
        return brace

    def _warn(self, draft: Draft, offset: int, why: Sentence) -> None:
        """Note a warning at a place."""
        if len(draft.left_out) < MOST_LEFT_OUT:
            draft.left_out.append(Fault(offset, why))

    def _repeats(self, draft: Draft, name: str, value: str, begin: int) -> bool:
        """True if a tag that the game has already belongs to it: both stand in one block, without an empty line."""
        if draft.tag_offsets[name] < draft.block:
            return False
        if value != draft.tags[name]:
            if name in ("FEN", "GameType"):
                raise Fault(begin, sentence("pdn.second_tag", name=name, value=repr(value[:40])))
            self._warn(draft, begin, sentence("pdn.second_tag_kept", name=name, value=repr(value[:60])))
            draft.notes.append((0, f"{name}: {value}"))
        return True

    def _remark(self, begin: int, offset: int) -> re.Match[str] | None:
        """Words and numbers in round brackets without a move, which are a comment; None for a variation."""
        remark = _REMARK.match(self.text, begin)
        if remark is None:
            if not self.final and begin + MOST_REMARK + 2 > len(self.text):
                self._more(offset)
            return None
        words = remark[1]
        if not _WORD.search(words) or _MOVES.search(words):
            return None
        if _JOINED.fullmatch(words) and all(_JOINED_MOVE.fullmatch(each) for each in re.findall(r"\d++(?!\.)", words)):
            return None
        return remark

    def _set_up(self, reading: _Reading, token: re.Match[str], begin: int) -> None:
        """A setup command: the start of a game, or the position after a move."""
        draft, line = reading.draft, reading.line
        if reading.is_main and not line.moves and draft.setup is None and not draft.tags.get("FEN", "").strip():
            draft.setup = token["fen"], begin
            return
        setup = DraftSetup(token["fen"].strip(), begin)
        if line.moves and line.unknown_from is None:
            self._warn(draft, begin, sentence("pdn.setup_within", move=line.moves[-1], fen=setup.fen[:120]))
            reading.note(setup)
            return
        if line.unknown_from is None:
            line.unknown_from = 0
            self._warn(draft, begin, sentence("pdn.setup_first"))
        reading.note(setup.text)

    def _say(self, reading: _Reading, words: str) -> None:
        """Note words outside braces as a comment."""
        reading.note(words)
        reading.draft.warnings.append(sentence("pdn.outside", text=repr(words[:60])))

    def _words(self, reading: _Reading, begin: int) -> None:
        """Read words outside braces as a comment."""
        end = reading.at
        while True:
            if (count := _COUNT.match(self.text, end)) is not None:
                end = count.end()
            if (token := _TOKEN.match(self.text, end)) is None or token.lastgroup != "word":
                break
            end = token.end()
        if not self.final and end > self._sure:
            self._more(max(reading.draft.offset, 0))
        self._say(reading, " ".join(self.text[begin:end].split()))
        reading.at = end

    def _fault(self, begin: int, why: Sentence | None = None) -> Fault:
        match = _JUNK.match(self.text, begin)
        junk = match[0] if match else ""
        return Fault(begin, sentence("pdn.junk", text=repr(junk), why=why or _complaint(junk)))


_READERS: dict[str, Callable[[Buffer, _Reading, re.Match[str], int], _Step | None]] = {
    "move": Buffer._move, "joined": Buffer._move, "praise": Buffer._star_before, "number": Buffer._number,
    "bare": Buffer._number, "comment": Buffer._comment, "line": Buffer._line_comment, "tag": Buffer._tag,
    "nag": Buffer._nag, "open": Buffer._open, "close": Buffer._close, "result": Buffer._result, "word": Buffer._word,
    "unknown": Buffer._unknown, "setup": Buffer._set_up, "letter": Buffer._letter, "rule": Buffer._rule,
    "junk": Buffer._junk,
}  # fmt: skip
"""What reads a token, by its kind."""


def plain_move(text: str) -> str:
    """A move with separators that kr.notation reads."""
    return text.translate(_DASHES)


def plain_result(text: str) -> str:
    """A result in its form in RESULTS; any other text unchanged."""
    plain = text.translate(_DASHES).replace(" ", "")
    plain = _RESULT_FORMS.get(plain, plain)
    return plain if plain in RESULTS else text


def _complaint(junk: str) -> Sentence:
    if junk[0] == "}":
        return sentence("pdn.comment_end")
    return sentence("pdn.tag_form" if junk[0] == "[" else "pdn.move_form")
