"""Problem positions: reading them, and judging an answer against the published solution.

The built-in set is kr/problems/classics.jsonl, in the format of every problem file: one JSON object per line with

 - `fen`, the only required key, and `id`, `title`, `author`, `source`;
 - `result`: "W-win", "B-win" or "draw", the published result (absent or empty: unknown);
 - `solution`: the published line as PDN moves; `first_move`: its first move;
 - `keeping_moves`: every move that keeps the published result, if an exact database has them;
 - `disproved`: true if an exact database has another result; such a problem is not a puzzle;
 - `themes`: a list of values of `kr.problems.themes.Theme`; `rating`: difficulty (`kr.problems.difficulty`), a number;
 - `evidence`: "proved", "likely" or "searched", what the result rests on, and with "proved" the only moves.

Other keys are ignored. A PDN file gives one problem for each game that has a FEN tag, whose result is read as that of
a game: 1-0 says that Black won, unless `results` is "white".

Judging an answer (`judge_answer`): the engine's verdict is the proved value, or else the one that is likely by the
scores before and after its move (`kr.evaluation.verdicts`), or none. It must be the published value, and in a win or
draw whose `keeping_moves` are known the move must be one of them.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from kr.errors import InvalidPdnError, InvalidProblemError, InvalidSettingError, KrError
from kr.game.position import Move, Position, Side
from kr.game.value import Result, Value
from kr.notation import SIDE_NAMES
from kr.pdn import Game, Reader, Results, is_pdn, read_games
from kr.problems.themes import Theme
from kr.storage import as_path, is_file, no_file, parse_json, read_regular
from kr.text import file_text, printable

_CLASSICS = "classics.jsonl"
_WINNERS = {"W-win": Side.WHITE, "B-win": Side.BLACK, "draw": None}
PROVED_EVIDENCE, LIKELY_EVIDENCE, SEARCHED_EVIDENCE = KINDS_OF_EVIDENCE = "proved", "likely", "searched"
"""A result is proved, likely by the rule of verdicts, or what one search says."""
MOST_RATING = 4000


@dataclass(frozen=True)
class Problem:
    """A position with its published result and solution."""

    id: str
    title: str
    position: Position
    result: str = ""
    """"W-win", "B-win" or "draw"; "" if unknown."""
    author: str = ""
    source: str = ""
    """Book or page of origin and, if needed, how the position was derived."""
    solution: str = ""
    """Published line: PDN moves separated by blanks."""
    first_move: Move | None = None
    """First move of the published solution."""
    keeping_moves: tuple[Move, ...] = ()
    """Every move that keeps the published result; empty if unknown."""
    disproved: bool = False
    """True if an exact database has another result than the published one."""
    themes: tuple[str, ...] = ()
    """Values of `Theme`."""
    rating: int | None = None
    """Difficulty as an Elo number; None if unknown."""
    evidence: str = ""
    """One of KINDS_OF_EVIDENCE, for the result; "" if unknown. The only moves are proved with it, or by searches."""

    @property
    def published(self) -> Value | None:
        """Published value for the side to move; None if unknown."""
        return Value.of(_WINNERS[self.result], self.position.side) if self.result else None

    @property
    def key_moves(self) -> tuple[Move, ...]:
        """Known moves that keep the published result: all of them, or the published one; () if none is known."""
        return self.keeping_moves or (() if self.first_move is None else (self.first_move,))

    def as_object(self) -> dict[str, Any]:
        """JSON object for a line of a problem file."""
        return {
            "id": self.id,
            "title": self.title,
            "author": self.author,
            "source": self.source,
            "fen": self.position.fen,
            "result": self.result,
            "solution": self.solution,
            "first_move": "" if self.first_move is None else str(self.first_move),
            "keeping_moves": [str(move) for move in self.keeping_moves],
            **({"disproved": True} if self.disproved else {}),
            **({"themes": list(self.themes)} if self.themes else {}),
            **({"rating": self.rating} if self.rating is not None else {}),
            **({"evidence": self.evidence} if self.evidence else {}),
        }

    @classmethod
    def from_object(cls, entry: Any, number: int = 1) -> Problem:
        """Problem from the JSON object of a line. Raises InvalidProblemError and other ValueErrors."""
        return _problem(entry, number)


def judge_answer(problem: Problem, move: Move, verdict: Value | None) -> tuple[bool | None, str]:
    """Agreement of an answer with the published solution, and the reason if it disagrees; None without a result.

    verdict: that of the engine, on the position and after the move; None if it is unclear.
    """
    published = problem.published
    if published is None:
        return None, ""
    if verdict != published:
        return False, f"published {published}, {'unclear' if verdict is None else f'found {verdict}'}"
    if published is Value.LOSS or not problem.keeping_moves:
        return True, ""
    keeps = any(same_move(move, keeping) for keeping in problem.keeping_moves)
    return keeps, "" if keeps else f"{move} does not keep the {published}"


def same_move(one: Move, other: Move) -> bool:
    """True if two moves from one position lead to the same position."""
    return (one.origin, one.target, one.captured) == (other.origin, other.target, other.captured)


def load_problems(
    source: str | Path | None = None, errors: list[KrError] | None = None, results: Results = "english"
) -> list[Problem]:
    """Problems by name, FEN or file; the built-in set for None.

    A name is an id or title of the built-in set, or the beginning of one, in upper or lower case: "first" gives every
    First Position. A file whose name ends in .pdn is PDN, any other JSON lines. Raises InvalidSettingError for an
    unknown name, InvalidFenError, and InvalidProblemError or InvalidPdnError for a file that can't be read. errors: a
    list; invalid problems are then left out and their errors added to it. The first one is raised if no problem is
    left. results: as for `kr.pdn.read_games`.
    """
    if source is None:
        return classics()
    if source == "":
        return _named(source)
    path = as_path(source)
    if isinstance(source, Path) or is_file(source):
        return _read_pdn(path, errors, results) if is_pdn(path) else read_problems(path, errors)
    if ":" in source:
        position = Position.from_fen(source)
        return [Problem(position.fen, "", position)]
    return _named(source)


def each_problem(source: str, on_error: Callable[[KrError], None], results: Results = "english") -> Iterator[Problem]:
    """Problems by name, FEN or file, one after another; those that can't be read go to on_error and are left out.

    A file is PDN by its name, packed or not; any other has in each line a JSON object or a FEN, or a comment that
    begins with #. results: as for `kr.pdn.read_games`. Raises InvalidSettingError for an unknown name, InvalidFenError
    for a FEN, and for a file without a problem or an error InvalidProblemError or InvalidPdnError.
    """
    if not is_file(source):
        yield from load_problems(source)
        return
    path, count = Path(source), 0
    if is_pdn(path):
        with Reader(path, on_error=on_error, results=results) as reader:
            for count, game in enumerate((game for game in reader if "FEN" in game.tags), 1):
                yield _game_problem(game, count)
            if not (count or reader.errors):
                raise InvalidPdnError(f"{path}: no game has a FEN tag, so there is no position to solve")
        return
    try:
        text = file_text(read_regular(path))
    except UnicodeDecodeError:
        raise InvalidProblemError(f"{path} is not a text file; {_EXPECTED_LINES}") from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        count += 1
        try:
            problem = _line_problem(line, number)
        except ValueError as error:
            on_error(InvalidProblemError(f"{path}:{number}: {_fault(error)}"))
        else:
            yield problem
    if not count:
        raise InvalidProblemError(f"{path} holds no problems; {_EXPECTED_LINES}")


def other_meaning(source: str | Path | None, results: str) -> str:
    """What 1-0 in a source may mean instead, with the option that reads it so; "" if it is not PDN."""
    if source is None or not (is_file(str(source)) and is_pdn(Path(source))):
        return ""
    other, winner = ("white", Side.WHITE) if results == "english" else ("english", Side.BLACK)
    return f"1-0 means that {SIDE_NAMES[winner]} won: --results {other}"


_EXPECTED_LINES = "a file of problems has a JSON object or a FEN in each line, or is PDN by its name"


def _line_problem(line: str, number: int) -> Problem:
    """The problem of a line. Raises ValueErrors."""
    if line.lstrip().startswith("{"):
        return Problem.from_object(parse_json(line), number)
    return Problem(f"line {number}", "", Position.from_fen(line.partition("#")[0]))


def classics() -> list[Problem]:
    """Problems of the built-in set."""
    resource = files("kr.problems") / _CLASSICS
    return list(parsed_problems(resource.read_text(encoding="utf-8"), _CLASSICS))


def read_problems(path: Path, errors: list[KrError] | None = None) -> list[Problem]:
    """Problems of a JSON-lines file. Raises InvalidProblemError, naming file and line.

    errors: as for `load_problems`.
    """
    try:
        problems = list(parsed_problems(file_text(read_regular(path)), str(path), errors))
    except UnicodeDecodeError:
        raise InvalidProblemError(f"{path} is not a text file; a problem file has one JSON object per line") from None
    if errors and not problems:
        raise errors[0]
    if not problems:
        raise InvalidProblemError(f"{path} holds no problems; a problem file has one JSON object per line")
    return problems


def _named(name: str) -> list[Problem]:
    problems = classics()
    plain = _plain(name)
    for matches in (str.__eq__, str.startswith):
        hits = [each for each in problems if matches(_plain(each.id), plain) or matches(_plain(each.title), plain)]
        if hits and plain:
            return hits
    near = difflib.get_close_matches(name, [problem.id for problem in problems])
    hint = f"; did you mean {' or '.join(near)}?" if near else f" such as {problems[0].id}"
    raise InvalidSettingError(no_file(name, f"a file, a FEN such as W:W21,K30:B1,2, or a built-in problem{hint}"))


def _plain(name: str) -> str:
    """A name without case, blanks and punctuation."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def parsed_problems(text: str, name: str, errors: list[KrError] | None = None) -> Iterator[Problem]:
    """Problems of the text of a JSON-lines file; lines that begin with # are comments. Raises InvalidProblemError.

    name: of the file, for its errors. errors: as for `load_problems`.
    """
    # not splitlines: text may contain other line ends, such as U+2028
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            problem = Problem.from_object(parse_json(line), number)
        except ValueError as error:
            wrong = InvalidProblemError(f"{name}:{number}: {_fault(error)}")
            if errors is None:
                raise wrong from None
            errors.append(wrong)
        else:
            yield problem


def _fault(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON, {error.msg} at column {error.colno}"
    return str(error) if isinstance(error, KrError) else f"unusable JSON, {error}"


def _problem(entry: Any, number: int) -> Problem:
    """Problem from the JSON object of a line."""
    if not isinstance(entry, dict):
        raise InvalidProblemError('a line must be a JSON object such as {"fen": "W:W21,K30:B1,2", "result": "draw"}')
    fen = _text(entry, "fen")
    if not fen:
        raise InvalidProblemError('"fen" is missing')
    result = _text(entry, "result")
    if result and result not in _WINNERS:
        raise InvalidProblemError(f'"result" is {result!r}; it must be one of {", ".join(_WINNERS)}')
    position = Position.from_fen(fen)
    solution = _text(entry, "solution")
    first = _text(entry, "first_move") or (solution.split()[0] if solution.split() else "")
    keeping = entry.get("keeping_moves") or []
    if not isinstance(keeping, list) or not all(isinstance(move, str) for move in keeping):
        raise InvalidProblemError('"keeping_moves" must be a list of moves such as ["11-15", "22x15"]')
    disproved = entry.get("disproved", False)
    if not isinstance(disproved, bool):
        raise InvalidProblemError(f'"disproved" must be true or false, not {json.dumps(disproved)}')
    themes = entry.get("themes") or []
    if not isinstance(themes, list) or not all(theme in tuple(Theme) for theme in themes):
        raise InvalidProblemError(f'"themes" is {json.dumps(themes)}; it must be a list of {", ".join(Theme)}')
    rating = entry.get("rating")
    if rating is not None and (type(rating) is not int or not 0 <= rating <= MOST_RATING):
        raise InvalidProblemError(f'"rating" must be a whole number from 0 to {MOST_RATING}, not {json.dumps(rating)}')
    evidence = _text(entry, "evidence")
    if evidence not in ("", *KINDS_OF_EVIDENCE):
        expected = f"{', '.join(KINDS_OF_EVIDENCE[:-1])} or {KINDS_OF_EVIDENCE[-1]}"
        raise InvalidProblemError(f'"evidence" is {evidence!r}; it must be {expected}')
    title = _text(entry, "title")
    return Problem(
        id=_text(entry, "id") or title or f"line {number}",
        title=title,
        position=position,
        result=result,
        author=_text(entry, "author"),
        source=_text(entry, "source"),
        solution=solution,
        first_move=position.parse_move(first) if first else None,
        keeping_moves=tuple(position.parse_move(move) for move in keeping),
        disproved=disproved,
        themes=tuple(themes),
        rating=rating,
        evidence=evidence,
    )


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        raise InvalidProblemError(f'"{key}" must be text, not {json.dumps(value)}')
    if value and printable(value) != value:
        raise InvalidProblemError(f'"{key}" has half a surrogate pair, which is not a character: {json.dumps(value)}')
    return (value or "").strip()


def _read_pdn(path: Path, errors: list[KrError] | None, results: Results) -> list[Problem]:
    """A problem for each game with a FEN tag; the moves of the game are the published solution."""
    faults: list[InvalidPdnError] | None = None if errors is None else []
    games = [game for game in read_games(path, errors=faults, results=results) if "FEN" in game.tags]
    if errors is not None and faults:
        errors += faults
        if not games:
            raise errors[0]
    if not games:
        raise InvalidPdnError(f"{path}: no game has a FEN tag, so there is no position to solve")
    return [_game_problem(game, number) for number, game in enumerate(games, 1)]


def _game_problem(game: Game, number: int) -> Problem:
    # a position that is set up later is another problem
    _, moves = next(game.stretches())
    title = game.tags.get("Event", "").strip()
    return Problem(
        id=title or f"position {number}",
        title=title,
        position=game.start,
        result={Result.of(winner): text for text, winner in _WINNERS.items()}.get(game.result, ""),
        author=game.tags.get("Author", "").strip() or game.tags.get("Composer", "").strip(),
        source=game.tags.get("Site", ""),
        solution=" ".join(map(str, moves)),
        first_move=moves[0] if moves else None,
    )
