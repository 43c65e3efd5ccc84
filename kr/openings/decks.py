"""Opening decks, generated from the rules: the start, 49 two-move, 174 three-move and 2,500 11-man openings; and
10,000 random endings, for self-play.

Some openings are too one-sided to play. The deck files in selfplay/, made by `kr openings --mark` (kr.openings.marks),
mark those, by kr's own search, and those that a published list accepts; their first lines name the search and the
list. If such a file is missing, every opening counts as playable except the barred three-move ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

from kr.errors import InvalidFenError, InvalidSettingError
from kr.game.position import Move, Position, Side
from kr.notation import fen_lines, format_path, looks_like_fen, square_name
from kr.openings.endings import random_endings
from kr.openings.grades import AT_THE_EDGE, BALANCED, EDGE_SCORES, GRADES_SUFFIX, HARD, ONE_SIDED, read_grades
from kr.openings.lines import lines_named
from kr.pdn import Game, is_pdn, read_games
from kr.pdn.replay import Replay
from kr.settings import check_type
from kr.storage import data_path, read_regular
from kr.text import file_text

DECKS = ("start", "2move", "3move", "11man", "endings")

PLAYABLE, LOST, BARRED = "playable", "lost", "barred"
STANDINGS = (PLAYABLE, LOST, BARRED)
NOT_SEARCHED = "-"
SELECTIONS = ("all", "playable", "accepted", BALANCED, HARD, AT_THE_EDGE)
"""Openings of a deck by their marks, as in 11man:accepted, of a file by their grades, as in grades.jsonl:hard, or of
either by their scores, as in 11man:edge."""
_ACCEPTED: dict[bool | None, str] = {True: "yes", False: "no", None: "-"}
_ACCEPTED_WORDS = {word: accepted for accepted, word in _ACCEPTED.items()}
_LIST = "# accepted: "
"""Beginning of the line of a deck file that names the published list."""

# The three-move openings barred as lost, by their numbers in the federation's list (American Checker Federation,
# 2004: 144 in the old deck and 12 more for play by mail are playable).
BARRED_NUMBERS = frozenset((3, 13, 26, 35, 44, 45, 48, 52, 77, 88, 94, 109, 114, 137, 145, 156, 168, 171))

# If several lines lead to the same three-move opening, the federation's list names it after the first in the order of
# their squares, with these exceptions.
NAMED_AFTER_LATER_LINE = frozenset(
    (
        "9-14 22-18 14-17",
        "10-14 22-18 6-10",
        "10-14 23-19 6-10",
        "10-14 24-19 6-10",
        "10-14 24-20 6-10",
        "10-15 21-17 9-13",
        "10-15 22-17 9-14",
        "11-15 21-17 9-13",
        "11-15 23-19 9-13",
        "11-15 23-19 9-14",
        "11-16 21-17 9-13",
        "11-16 24-20 16-19",
        "12-16 21-17 9-13",
        "12-16 24-20 8-12",
        "12-16 24-20 10-15",
    )
)

# Depth of the search for three-move openings that lose a man.
MAN_LOST_PLIES = 4
# Plies of a game that count as its opening by default: those of a three-move ballot.
BALLOT_PLIES = 3


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening from which games of a match or of self-play begin."""

    name: str
    """Deck and number, such as "3move 17"; file name and number; or the name of an opening, with a number if it has
    several positions."""
    position: Position
    """Position after the opening's moves."""
    moves: str = ""
    """Moves that lead to it, such as "9-13 21-17 5-9" or "remove 11 and 28; 8-11 24-19"; empty if unknown."""
    standing: str = PLAYABLE
    """playable, lost (by search) or barred (by the federation)."""
    score: int | None = None
    """Score of the search that judged it, in centi-men from the side to move; None if not searched."""
    accepted: bool | None = None
    """True if the published list that its deck file names accepts it; None without such a list."""
    start: Position = Position()  # noqa: RUF009 - immutable
    """Position before its moves."""
    grade: str = ""
    """Grade for tournaments (kr.openings.grades); "" if it has none."""

    @property
    def playable(self) -> bool:
        """True if it is neither lost nor barred."""
        return self.standing == PLAYABLE

    @property
    def number(self) -> int:
        """Number in its deck, from 1."""
        number = self.name.rpartition(" ")[2]
        return int(number) if number.isdecimal() else 1

    @property
    def title(self) -> str:
        """Name and moves, as in the Opening tag of a game."""
        return f"{self.name}: {self.moves}" if self.moves else self.name

    def begin(self) -> tuple[Position, tuple[Move, ...]]:
        """Start of a game with this opening, and the opening's moves from there.

        An opening that no moves lead to, as when men are removed, begins in its position.
        """
        replay = Replay(self.start.bits, self.moves.split())
        if replay.error or replay.boards[-1] != self.position.bits:
            return self.position, ()
        return self.start, tuple(replay.moves)


def is_deck(name: str) -> bool:
    """True for the name of a deck of DECKS, or of an opening."""
    return name in DECKS or bool(lines_named(name))


def deck(name: str, playable_only: bool = True) -> list[Opening]:
    """The openings of a deck, in order.

    name: start, 2move, 3move, 11man, endings, the name of an opening, such as "Old Fourteenth", or the path of a file:
    PDN, a deck file, grades (*.jsonl), or one FEN per line. Blank lines and lines that begin with # are skipped. Each
    game of a PDN file gives an opening, and repeated positions are dropped. A game without a result (*) is an opening
    line and gives its final position; a finished game gives its position after three moves, or its start if that is
    set up. With ":PLIES" after the path of a PDN file, every game gives its position after that number of moves.
    ":all", ":playable" or ":accepted" after the name of a deck or a deck file chooses openings by their marks, whatever
    playable_only, ":balanced" or ":hard" after that of a file of grades by these, and ":edge" after either by scores
    (EDGE_SCORES); without them those that are one-sided are not playable.

    Raises InvalidSettingError, InvalidFenError, InvalidPdnError, InvalidGamesError for
    damaged grades.
    """
    check_type("the deck", name, str)
    if (chosen := _SELECTED.fullmatch(name)) and not Path(name).is_file():
        return _selected(chosen[1], chosen[2])
    numbered = re.fullmatch(r"(.+):(\d{1,4})", name)
    if name in DECKS:
        openings = _marked(name)
    elif lines := lines_named(name):
        openings = tuple(
            Opening(f"{line.name} {number}" if lines[1:] else line.name, Position.from_bits(line.board), line.moves)
            for number, line in enumerate(lines, start=1)
        )
    elif (path := Path(name)).is_file():
        openings = _openings_of(path)
    elif numbered and is_pdn(path := Path(numbered[1])) and path.is_file():
        openings = _pdn_openings(path, int(numbered[2]))
    else:
        words = ", ".join(f":{selection}" for selection in SELECTIONS)
        raise InvalidSettingError(
            f"no openings {name!r}: expected {', '.join(DECKS)}, a name such as Old Fourteenth, or a file of FENs or "
            f"PDN games; {words} may follow"
        )
    selection = [opening for opening in openings if opening.playable or not playable_only]
    if not selection:
        raise InvalidSettingError(f"{name} holds no opening to play")
    return selection


_SELECTED = re.compile(rf"(.+):({'|'.join(SELECTIONS)})")


def _selected(name: str, selection: str) -> list[Opening]:
    openings = deck(name, playable_only=selection == "playable")
    if selection == AT_THE_EDGE:
        low, high = EDGE_SCORES
        near = [opening for opening in openings if opening.score is not None and low <= abs(opening.score) <= high]
        if not near:
            raise InvalidSettingError(f"{name} has no opening that scores {low} to {high} centi-men for either side")
        return near
    if selection in (BALANCED, HARD):
        graded = [opening for opening in openings if opening.grade == selection]
        if not graded:
            raise InvalidSettingError(f"{name} has no ballot graded {selection}; kr theory grade makes files of grades")
        return graded
    if selection != "accepted":
        return openings
    accepted = [opening for opening in openings if opening.accepted]
    if not accepted:
        listed = ", ".join(each for each in DECKS if deck_sources(each)[1])
        raise InvalidSettingError(f"no published list of {name} is known, only of {listed}")
    return accepted


def deck_sources(name: str) -> tuple[str, str]:
    """The search that judged the openings of a shipped deck, and the published list that accepts some; "" if none."""
    file = data_path("selfplay", f"{name}.txt")
    lines = file.read_text(encoding="utf-8").splitlines()[:3] if name in DECKS and file.is_file() else []
    search = [line.removeprefix("# ") for line in lines if line.startswith(f"# {name}: ")]
    accepted = [line.removeprefix(_LIST) for line in lines if line.startswith(_LIST)]
    return "".join(search), "".join(accepted)


def deck_header(search: str, accepted: str) -> str:
    """First lines of a deck file."""
    listed = f"{_LIST}{accepted}\n" if accepted else ""
    return (
        f"# {search}\n{listed}# number, moves, standing, score (centi-men, side to move), FEN, accepted (yes, no, -)\n"
    )


def opening_plies(game: Game) -> int:
    """Number of moves at the beginning of a game that its Opening tag names; 0 if it names others, or none."""
    _, named, line = game.headers.get("Opening", "").rpartition(": ")
    moves = line.split()
    if not named or not moves:
        return 0
    replay = Replay(game.start.bits, moves)
    first = list(islice(game.mainline_moves(), len(moves)))
    return len(moves) if replay.error is None and replay.moves == first else 0


@cache
def _marked(name: str) -> tuple[Opening, ...]:
    file = data_path("selfplay", f"{name}.txt")
    return read_deck(file, name) if file.is_file() else generated(name)


@cache
def generated(name: str) -> tuple[Opening, ...]:
    """Openings of a deck in DECKS as the rules give them; three-move ones are marked as barred by the federation."""
    if name == "11man":
        return _eleven_man()
    if name == "3move":
        return _three_move()
    if name == "endings":
        return tuple(Opening(f"{name} {n}", position) for n, position in enumerate(random_endings(), start=1))
    plies = {"start": 0, "2move": 2}[name]
    return tuple(
        Opening(f"{name} {number}", position, line)
        for number, (line, position) in enumerate(_lines(Position(), plies), start=1)
    )


def _lines(position: Position, plies: int) -> list[tuple[str, Position]]:
    """Every line of this many plies and the position it leads to, in the order of the squares of its moves."""
    if plies == 0:
        return [("", position)]
    return [
        (f"{move} {rest}".strip(), end)
        for move in sorted(position.legal_moves(), key=lambda move: move.path)
        for rest, end in _lines(position.play(move), plies - 1)
    ]


# --- three-move openings ---


def _three_move() -> tuple[Opening, ...]:
    """The 174 three-move openings with their usual numbers.

    The 302 lines of three plies lead to 216 positions. The 42 in which a side loses a man are dropped: those for which
    a search of four plies, which counts men only and plays every capture out, finds an uneven balance (five, six and
    seven plies drop the same 42). The names of the others, in the order of their squares, have the numbers of the
    federation's list.
    """
    lines = _lines(Position(), 3)
    name = {position: line for line, position in reversed(lines)}
    name |= {position: line for line, position in lines if line in NAMED_AFTER_LATER_LINE}
    even = [(line, position) for line, position in lines if name[position] == line and not _loses_man(position)]
    return tuple(
        Opening(
            f"3move {number}",
            position,
            line,
            BARRED if number in BARRED_NUMBERS else PLAYABLE,
            accepted=number not in BARRED_NUMBERS,
        )
        for number, (line, position) in enumerate(even, start=1)
    )


def _loses_man(position: Position) -> bool:
    return _balance(position, MAN_LOST_PLIES, -1, 1) != 0


def _balance(position: Position, plies: int, alpha: int, beta: int) -> int:
    """The mover's men minus the opponent's after best play, exact between alpha and beta, otherwise a bound."""
    moves = position.legal_moves()
    if plies <= 0 and not (moves and moves[0].is_capture):
        balance = position.black.bit_count() - position.white.bit_count()
        return balance if position.side == Side.BLACK else -balance
    best = -12
    for move in moves:
        best = max(best, -_balance(position.play(move), plies - 1, -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


# --- 11-man openings ---


@dataclass(frozen=True, slots=True)
class _Half:
    """One side's part of an 11-man opening, seen from Black: the man removed, the first move, and the men after it."""

    removed: int
    path: tuple[int, int]
    men: int

    def turned(self) -> _Half:
        """White's part that mirrors this one."""
        origin, target = self.path
        men = Position(self.men, 0).flipped().white
        return _Half(31 - self.removed, (31 - origin, 31 - target), men)


def _eleven_man() -> tuple[Opening, ...]:
    """The 2,500 11-man openings: 50 arrangements of Black's eleven men by 50 of White's, Black to move.

    One man is removed from Black's 5-12 and one from White's 21-28, and each side plays one of its first moves. If the
    man to move is the one removed, the man behind it, in the direction of the move, moves up to its square instead. An
    arrangement that arises in two ways is named after the first.
    """
    halves = _halves()
    openings: list[Opening] = []
    for black in halves:
        for white in (half.turned() for half in halves):
            removal = f"remove {square_name(black.removed)} and {square_name(white.removed)}"
            moves = f"{format_path(black.path, False)} {format_path(white.path, False)}"
            position = Position(black.men, white.men, 0, Side.BLACK)
            openings.append(Opening(f"11man {len(openings) + 1}", position, f"{removal}; {moves}"))
    return tuple(openings)


def _halves() -> list[_Half]:
    start = Position()
    halves: dict[int, _Half] = {}
    for removed in range(4, 12):
        for move in start.legal_moves():
            origin, target = move.origin, move.target
            if origin == removed:
                behind = _square_behind(origin, target)
                if behind is None:
                    continue
                origin, target = behind, origin
            men = start.black & ~(1 << removed | 1 << origin) | 1 << target
            halves.setdefault(men, _Half(removed, (origin, target), men))
    return list(halves.values())


def _square_behind(origin: int, target: int) -> int | None:
    """The square from which Black steps to `origin` in the direction of origin to target; None off the board."""
    row = origin // 4
    # two steps on a diagonal are 7 or 9 squares; a single one is 4 and 3, or 5 and 4, by the parity of its row
    behind = target - (7 if target - origin == 4 - row % 2 else 9)
    return behind if behind >= 0 and behind // 4 == row - 1 else None


# --- files ---


def _openings_of(path: Path) -> tuple[Opening, ...]:
    if path.suffix != GRADES_SUFFIX:
        return _pdn_openings(path) if is_pdn(path) else read_deck(path)
    return tuple(
        Opening(
            f"{path.stem} {number}", Position.from_fen(graded.fen), graded.moves,
            LOST if graded.grade == ONE_SIDED else PLAYABLE, graded.score, grade=graded.grade,
        )
        for number, graded in sorted(read_grades(path).items())
    )  # fmt: skip


def format_line(opening: Opening) -> str:
    """Line of a deck file: number, moves, standing, score, FEN and acceptance, separated by tabs."""
    score = NOT_SEARCHED if opening.score is None else str(opening.score)
    accepted = _ACCEPTED[opening.accepted]
    return "\t".join((str(opening.number), opening.moves, opening.standing, score, opening.position.fen, accepted))


def read_deck(path: str | Path, name: str | None = None) -> tuple[Opening, ...]:
    """Openings of a text file with one FEN, or one line of `format_line`, per line. name: first part of their names.

    Raises InvalidFenError and InvalidSettingError, naming the line.
    """
    path = Path(path)
    openings: list[Opening] = []
    try:
        lines = file_text(read_regular(path)).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSettingError(f"can't read {path} as text: {error}") from None
    for number, line in fen_lines(lines):
        try:
            openings.append(_parse_line(line, name or path.stem, len(openings) + 1))
        except InvalidFenError as error:
            raise InvalidFenError(f"{path}, line {number}: {error}") from None
        except InvalidSettingError as error:
            raise InvalidSettingError(f"{path}, line {number}: {error}") from None
    return tuple(openings)


def _parse_line(line: str, name: str, count: int) -> Opening:
    fields = line.split("\t")
    if len(fields) == 1 or looks_like_fen(line):
        return Opening(f"{name} {count}", _playing(Position.from_fen(line)))
    if len(fields) == 5:
        # of an earlier kr
        fields.append(_ACCEPTED[None])
    if len(fields) != 6 or not fields[0].isdecimal() or fields[2] not in STANDINGS or fields[5] not in _ACCEPTED_WORDS:
        expected = (
            f"number, moves, {' or '.join(STANDINGS)}, score, FEN and yes, no or - separated by tabs, or a FEN alone"
        )
        raise InvalidSettingError(f"{line!r} is not an opening; expected {expected}")
    number, moves, standing, score, fen, accepted = fields
    try:
        centimen = None if score == NOT_SEARCHED else int(score)
    except ValueError:
        raise InvalidSettingError(f"the score {score!r} is not a number of centi-men, or {NOT_SEARCHED}") from None
    position = _playing(Position.from_fen(fen))
    return Opening(f"{name} {number}", position, moves, standing, centimen, _ACCEPTED_WORDS[accepted])


def _playing(position: Position) -> Position:
    if position.is_over:
        raise InvalidFenError(f"{position.fen} has no legal move, so no game can begin there")
    return position


def _pdn_openings(path: Path, plies: int | None = None) -> tuple[Opening, ...]:
    """Openings of the games of a PDN file; it is read again only when it changes."""
    state = path.stat()
    return _read_pdn(path, plies, (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=4)
def _read_pdn(path: Path, plies: int | None, state: tuple[int, int]) -> tuple[Opening, ...]:
    name = path.name[: path.name.lower().rindex(".pdn")]
    openings: dict[Position, Opening] = {}
    for number, game in enumerate(read_games(path), start=1):
        is_game = plies is not None or game.result != "*"
        length = _opening_plies(game) if plies is None else plies
        *_, position = islice(game.positions(), None if length is None else length + 1)
        if is_game and position.is_over:
            continue  # a game that ended before its opening did
        try:
            start, line = game.start, list[Move]()
            for node in islice(game.mainline(), length):
                line.append(node.move)
                if node.setup is not None:
                    start, line = node.setup, []
            moves = " ".join(map(str, line))
            openings.setdefault(position, Opening(f"{name} {number}", _playing(position), moves, start=start))
        except InvalidFenError as error:
            raise InvalidFenError(f"{path}, game {number}: {error}") from None
    return tuple(openings.values())


def _opening_plies(game: Game) -> int | None:
    """Number of moves of a game that are its opening; None for all."""
    if game.result == "*":
        return None
    return opening_plies(game) or (BALLOT_PLIES if game.start == Position() else 0)
