"""Games from PDN text: read one after another and replayed, with errors for anything but English draughts in PDN."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast
from weakref import WeakKeyDictionary

from kr.errors import IllegalMoveError, InvalidFenError, InvalidPdnError
from kr.game.position import Position, Side
from kr.language.sentences import Sentence, Told, sentence, told_by
from kr.notation import SIDE_NAMES, SQUARES, parse_fen
from kr.pdn.comments import moved_notes, plant_notes, replay_line
from kr.pdn.drafts import Draft, DraftLine, Fault, Judgement
from kr.pdn.game import Game
from kr.pdn.grammar import RESULTS, Buffer, NeedMore, plain_move, plain_result
from kr.pdn.headings import number_squares, settle_players
from kr.pdn.replay import is_over
from kr.pdn.source import DETECT, Text
from kr.pdn.tree import NOT_KNOWN, NOT_LEGAL, ChildNode, GameNode
from kr.pdn.writer import ENGLISH, Results, turned

Source = str | Path | IO[Any]
"""PDN text, the path of a file (plain, or packed by gzip, xz or bzip2), or an open file of text or bytes."""

_GAME_TYPES = ("20", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "40", "41")
"""Other games by their numbers (kr/language: draughts)."""
MOST_HINTING = 80
"""Moves read for a hint at the game, where the first one is illegal."""


class Reader:
    """Iterator over the games of a source. It holds a block of the text and one game at a time.

    source, results and encoding: as for `read_games`. on_error: called with the InvalidPdnError of each game left out;
    without it the error is raised, and the next call resumes after that game. where: called with the headers of a game
    before it is replayed; a game for which it returns false is skipped. forgiving: read what people paste: text that is
    not PDN is left out, and a game ends before its first illegal move; the warnings of the game say where. cut: only
    the latter.
    """

    def __init__(
        self,
        source: Source,
        *,
        results: Results = "english",
        encoding: str = DETECT,
        on_error: Callable[[InvalidPdnError], None] | None = None,
        where: Callable[[Mapping[str, str]], bool] | None = None,
        forgiving: bool = False,
        cut: bool = False,
    ) -> None:
        if isinstance(source, str) and "\n" not in source and is_pdn(Path(source)):
            raise InvalidPdnError(f"{source[:80]!r} is not the text of a game; for a file of this name give a Path")
        self._text = Text(source, encoding)
        self._results = results
        self._on_error = on_error
        self._where = where
        self._forgiving = forgiving
        self._cut = cut or forgiving
        self._buffer = Buffer("", final=False, forgiving=forgiving)
        self._offset: int | None = 0
        # where the buffer begins in the file, and up to where lines are counted
        self._line, self._column = 1, 1
        self._counted, self._lines = 0, 0
        # where the text of the last game stands in the buffer
        self._extent = 0, 0
        self.games = 0
        """Games read so far."""
        self.errors = 0
        """Games left out so far."""

    @property
    def name(self) -> str:
        """Name of the file; "" for text."""
        return self._text.name

    @property
    def encoding(self) -> str:
        """Encoding of the text so far: "ascii", "utf-8", "latin-1", "cp437", or several separated by commas."""
        return self._text.encoding

    @property
    def position(self) -> int:
        """Bytes of the file read so far, still packed if it is packed."""
        return self._text.position

    def __iter__(self) -> Iterator[Game]:
        return self

    def __next__(self) -> Game:
        game = self.read_game()
        if game is None:
            raise StopIteration
        return game

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, if the reader opened it."""
        self._text.close()

    def read_game(self) -> Game | None:
        """The next game; None at the end. Raises InvalidPdnError (see `on_error`) and OSError."""
        while self._offset is not None:
            try:
                draft, following = self._buffer.game(self._offset)
            except NeedMore:
                self._read_on(self._offset)
                continue
            except Fault as fault:
                error = self._error(fault)
                self._find_header(fault.resume)
                self._report(error)
                continue
            self._offset = following
            if draft is None:
                break
            draft.tags, warning = settle_players(draft.tags)
            if warning:
                draft.warnings.append(warning)
            headers = draft.tags
            if self._where and not self._where(headers):
                continue
            line = self._line_of(draft.offset)
            try:
                game = game_from_draft(draft, self._results, self._cut)
            except Fault as fault:
                self._report(self._error(fault))
                continue
            game.line = line
            game.warnings = (*(str(self._error(fault)) for fault in draft.left_out), *game.warnings)
            self._extent = draft.offset, following
            self.games += 1
            return game
        self._offset = None
        self.close()
        return None

    def _read_on(self, offset: int) -> None:
        """Drop the text before an offset of the buffer and read at least as much as remains."""
        self._line_of(offset)
        before = self._buffer.text[:offset]
        rest = self._buffer.text[offset:]
        self._line += self._lines
        newline = before.rfind("\n")
        self._column = offset - newline if newline >= 0 else self._column + offset
        self._counted, self._lines = 0, 0
        blocks = [rest]
        length = 0
        while length <= len(rest):
            block = self._text.read()
            if not block:
                break
            blocks.append(block)
            length += len(block)
        self._buffer = Buffer("".join(blocks), final=length <= len(rest), forgiving=self._forgiving)
        self._offset = 0

    def _find_header(self, offset: int) -> None:
        """Continue at the next game whose tags follow something other than tags."""
        while (begin := self._buffer.next_header(offset)) is None and not self._buffer.final:
            # an incomplete line may turn out to be such a tag, or the line before it
            text = self._buffer.text
            offset = max(text.rfind("\n", 0, text.rfind("\n")) + 1, self._buffer.text.rfind("\n", 0, offset) + 1)
            self._read_on(offset)
            offset = 0
        self._offset = begin

    def _line_of(self, offset: int) -> int:
        """Line of an offset of the buffer. Ascending offsets are counted once."""
        if offset < self._counted:
            return self._line + self._buffer.text.count("\n", 0, offset)
        self._lines += self._buffer.text.count("\n", self._counted, offset)
        self._counted = offset
        return self._line + self._lines

    def _error(self, fault: Fault) -> InvalidPdnError:
        newline = self._buffer.text.rfind("\n", 0, fault.offset)
        column = fault.offset - newline if newline >= 0 else self._column + fault.offset
        line = self._line_of(fault.offset)
        why = sentence("pdn.at", line=str(line), column=str(column), why=fault.why)
        error = InvalidPdnError(sentence("pdn.in_file", name=self.name, why=why) if self.name else why)
        error.line, error.column = line, column
        return error

    def _report(self, error: InvalidPdnError) -> None:
        self.errors += 1
        if self._on_error is None:
            raise error
        self._on_error(error)


def read_games(
    source: Source,
    *,
    results: Results = "english",
    encoding: str = DETECT,
    errors: list[InvalidPdnError] | None = None,
    where: Callable[[Mapping[str, str]], bool] | None = None,
) -> Iterator[Game]:
    """The games of a PDN text (str), file (Path, also packed by gzip, xz or bzip2) or open file, one after another.

    Raises InvalidPdnError, with line and column, for text that is not PDN, other games than English draughts, and
    illegal moves. errors: a list; such games are then left out, and their errors added to it. results: "white" if "1-0"
    means that White won. encoding: encoding of the bytes, or "detect". where: called with the headers of each game;
    games for which it returns false are skipped without reading their moves.
    """
    on_error = None if errors is None else errors.append
    with Reader(source, results=results, encoding=encoding, on_error=on_error, where=where) as reader:
        yield from reader


_open_readers: WeakKeyDictionary[Any, Reader] = WeakKeyDictionary()


def read_game(source: Source, *, results: Results = "english", encoding: str = DETECT) -> Game | None:
    """The first game of a text or file; for an open file, the next game at each call. None if there is none left.

        with open("games.pdn") as file:
            while game := kr.pdn.read_game(file):
                ...

    An open file is read ahead by a block. Raises InvalidPdnError for a game that can't be read; the next call resumes
    after it.
    """
    if isinstance(source, str | Path) or not hasattr(source, "read"):
        with Reader(source, results=results, encoding=encoding) as reader:
            return reader.read_game()
    open_reader = _open_readers.get(source)
    if open_reader is None:
        open_reader = _open_readers[source] = Reader(cast(Source, _Weak(source)), results=results, encoding=encoding)
    return open_reader.read_game()


def is_pdn(path: Path) -> bool:
    """True if a file is PDN by its name, which may end in .pdn, or .pdn.gz, .pdn.xz or .pdn.bz2."""
    name = path.name.lower()
    return name.removesuffix(".gz").removesuffix(".xz").removesuffix(".bz2").endswith(".pdn")


class _Weak:
    """An open file that its reader does not keep alive."""

    def __init__(self, file: IO[Any]) -> None:
        from weakref import ref

        self._file = ref(file)
        self.name = getattr(file, "name", "")

    def read(self, size: int) -> Any:
        file = self._file()
        return file.read(size) if file is not None else ""


def game_from_draft(draft: Draft, results: Results = "english", cut: bool = False) -> Game:
    """Replay a draft. Raises Fault at the first wrong tag or move; cut: a draft ends before such a move."""
    game_type = draft.tags.get("GameType", ENGLISH).split(",")[0].strip()
    if game_type != ENGLISH:
        other = sentence(f"draughts.{game_type}") if game_type in _GAME_TYPES else sentence("draughts.unknown")
        why = sentence("pdn.game_type", type=game_type[:20], game=other, english=ENGLISH)
        raise Fault(draft.tag_offsets["GameType"], why)
    warnings = list(draft.warnings)
    if warning := number_squares(draft):
        warnings.append(warning)
    game = Game(draft.tags, _start(draft, warnings))
    final = _play(game, draft, warnings, cut)
    result = draft.result
    if results == "white":
        result = turned(result) if result else None
        if "Result" in game.headers:
            game.headers["Result"] = turned(game.headers["Result"])
    tag = plain_result(game.headers.get("Result", "").strip())
    if tag not in RESULTS:
        if tag.strip("?"):
            warnings.append(sentence("pdn.result_tag", tag=repr(tag[:20]), results=RESULTS))
        tag = ""
    if result == "*":
        result = tag or result  # a star only ends the text of a game
    if result and tag and result != tag:
        warnings.append(sentence("pdn.result_differs", tag=tag, result=result))
    game.result = result or tag or "*"
    loser = Side(final[3])
    if game.result != "*" and game.winner != loser.other and is_over(final):
        warnings.append(sentence("pdn.lost", side=SIDE_NAMES[loser].lower(), result=game.result))
    game.warnings = tuple(map(str, warnings))
    return game


def _play(game: Game, draft: Draft, warnings: list[Sentence], cut: bool) -> tuple[int, int, int, int]:
    """Add the moves of a draft with their comments and variations; returns the final position."""
    # all at once: a call for each move takes 3% of the time of reading
    texts = plain_move("\n".join(draft.moves)).split("\n") if draft.moves else []
    replay, draft.notes, refused = replay_line(game.start.bits, texts[: draft.replayable], draft.notes)
    if refused:
        draft.left_out.append(Fault(refused[0].offset, sentence("pdn.kept_after", why=refused[1])))
    end = replay.failed
    if replay.error is not None:
        text = texts[end]
        first = end == 0 and game.start == Position()
        hint = _other_game(text) or (_other_game(" ".join(texts[:MOST_HINTING])) or _white_first(text) if first else "")
        ply, why = str(len(replay.moves) + 1), told_by(replay.error)
        fault = Fault(draft.offsets[end], sentence("pdn.illegal", ply=ply, why=why, hint=hint))
        if not cut or (not end and "FEN" not in draft.tags):
            raise fault
        draft.left_out.append(fault)
        draft.notes = [note for note in draft.notes if note[0] <= end]
        draft.notes.append((end, f"{NOT_LEGAL}: {' '.join(texts[end:])}"))
    elif end < len(texts) or draft.unknown_from:
        draft.notes = [note for note in draft.notes if note[0] <= end or not isinstance(note[1], DraftLine | Judgement)]
        draft.notes = [(min(ply, end), note) for ply, note in draft.notes]
        rest = " ".join(filter(None, [draft.illegible, *texts[end:]]))
        draft.notes.append((end, f"{NOT_KNOWN}: {rest}" if rest else NOT_KNOWN))
    draft.notes = moved_notes(draft.notes, replay.firsts, end)
    warnings += replay.ambiguous
    node: GameNode = game
    nodes: list[GameNode] = [game]
    for move in replay.moves:
        child = ChildNode(node, move)
        node.variations.append(child)
        nodes.append(child)
        node = child
    if draft.notes:
        warnings += plant_notes(nodes, draft.notes)
    return replay.boards[-1]


def _start(draft: Draft, warnings: list[Sentence]) -> Position:
    fen = draft.tags.get("FEN", "").strip()
    offset = draft.tag_offsets.get("FEN", 0)
    if draft.setup:
        fen, offset = draft.setup
    if not fen:
        return Position()
    try:
        return Position.from_fen(fen)
    except InvalidFenError as error:
        complaint = error
    try:
        black, white, kings, side = parse_fen(fen, crown=True)
    except InvalidFenError as error:
        raise Fault(offset, sentence("pdn.hinted", why=told_by(error), hint=_other_game(fen))) from None
    warnings.append(sentence("pdn.read_so", why=told_by(complaint)))
    return Position(black, white, kings, Side(side))


def _other_game(text: str) -> Told:
    """Hint at another game in a FEN or move with squares beyond 32 or named by letters; "" for none."""
    if re.search(r"[a-h][1-8]|\b[A-H][1-8][-xX:]?[A-H][1-8]", text):
        return sentence("pdn.hint_letters")
    if any(int(number) > SQUARES for number in re.findall(r"(?<!\d)\d{1,3}(?!\d)", text)):
        return sentence("pdn.hint_larger", most=SQUARES)
    return ""


def _white_first(text: str) -> Told:
    try:
        Position(side=Side.WHITE).parse_move(text)
    except IllegalMoveError:
        return ""
    return sentence("pdn.hint_white")
