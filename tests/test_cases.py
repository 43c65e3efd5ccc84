"""Recorded cases of what the page knows as well: tests/scripts/cases.test.js is their other reader."""

import base64
import io
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kr.book import book, cooks
from kr.engine import limits as engine_limits
from kr.engine import result
from kr.engine.limits import Limits, TimeControl
from kr.errors import KrError
from kr.evaluation import verdicts
from kr.game import board
from kr.game.position import Position
from kr.game.value import Value
from kr.language.sentences import Sentence
from kr.notation import format_fen, looks_like_fen, parse_fen, parse_path
from kr.pdn import Game, Reader, Results, normalise, read_game, write_game
from kr.pdn.scan import Scanner
from kr.pdn.source import Text
from kr.play import manners
from kr.policy.calibration import Calibration
from kr.text import visible_lines
from kr.units import counted, parse_count, parse_duration
from kr.viewer.document import game_document
from kr.web.request import PageRequest
from kr.web.services import port

CASES = Path(__file__).with_name("cases")
CONSTANTS: dict[str, Any] = {
    name: value
    for module in (board, book, cooks, engine_limits, manners, port, result)
    for name, value in vars(module).items()
}


def read_fen(text: str) -> str:
    """A FEN in kr's form."""
    return Position.from_fen(text).fen


def crowned(text: str) -> str:
    """A FEN whose men on their king row are kings."""
    return format_fen(*parse_fen(text, crown=True))


def squares(text: str) -> list[int]:
    """The squares of a move, from 1."""
    return [square + 1 for square in parse_path(text)]


def legal_moves(fen: str) -> dict[str, str]:
    """The legal moves of a position with the positions to which they lead."""
    position = Position.from_fen(fen)
    return {str(move): position.play(move).fen for move in position.legal_moves()}


def parsed(fen: str, text: str) -> str:
    """A move of a position in kr's form."""
    return str(Position.from_fen(fen).parse_move(text))


def blanks() -> str:
    """All characters that part words."""
    return "".join(character for character in map(chr, range(sys.maxunicode)) if character.isspace())


def limits(text: str) -> dict[str, float]:
    """The limits that a text sets."""
    given = Limits.parse(text)
    values = {"seconds": given.time, "nodes": given.nodes, "depth": given.depth}
    return {name: value for name, value in values.items() if value is not None}


def decoded(packed: str) -> str:
    """The text of a file."""
    source = Text(io.BufferedReader(io.BytesIO(base64.b64decode(packed))))  # type: ignore[arg-type]
    return "".join(iter(source.read, ""))


def games(
    text: str,
    games: list[str],
    results: Results = "english",
    forgiving: bool = False,
    warnings: Any = (),
    faults: Any = (),
) -> None:
    """The games of a text as they are written, remarks on them, and why others are left out."""
    errors: list[str] = []
    reader = Reader(f"{text}\n", results=results, forgiving=forgiving, on_error=lambda error: errors.append(str(error)))
    found = list(reader)
    assert [write_game(game).strip() for game in found] == games
    assert [warning for game in found for warning in game.warnings] == list(warnings)
    assert errors == list(faults)
    for game in found:
        check_again(game)
    if len(found) == 1 and not (errors or forgiving) and results == "english":
        scanned = Scanner(f"{text}\n").scan()
        assert scanned is not None
        assert (scanned.headers, scanned.start, scanned.plies) == (
            (found[0].headers, found[0].start.bits, len(found[0].moves))
        )


def check_again(game: Game) -> None:
    """A game that was written is read as it was."""
    assert read_game(write_game(game)) == game


def written(text: str, usual: bool = False, results: Results = "english") -> str:
    """A game as it is written. usual: with the usual tags."""
    game = read_game(f"{text}\n")
    assert game is not None
    if usual:
        normalise(game)
    return write_game(game, results=results).strip()


def document(pdn: str, document: dict[str, Any]) -> None:
    """A game as JSON."""
    game = read_game(f"{pdn}\n")
    assert game is not None
    assert json.loads(json.dumps(game_document(game))) == document


def field(method: str, given: list[Any], value: Any) -> Any:
    """A field of a request."""
    return getattr(PageRequest({"x": value}), method)("x", *given)


def told(sentence: Any) -> str:
    """A sentence in English."""
    return str(sentence_of(sentence))


def sentence_of(told: Any) -> Any:
    """A sentence from its JSON object, or what else is told."""
    if isinstance(told, list):
        return list(map(sentence_of, told))
    if not isinstance(told, dict):
        return told
    return Sentence(told["say"], {name: sentence_of(value) for name, value in told["with"].items()})


def likely(*given: Any) -> dict[str, Any] | None:
    """The likely value of a position, and its chance."""
    found = verdicts.likely(*given)
    return found and asdict(found)


def likely_if_composed(*given: Any) -> dict[str, Any] | None:
    """The likely value of a composed problem, and its chance."""
    found = verdicts.likely_if_composed(*given)
    return found and asdict(found)


def lines(problem: str, scale: float, steps: list[Any]) -> None:
    """The verdicts along a published line, by recorded scores of two limits, never contradict its value."""
    for fen, published, *searches in steps:
        pieces = Position.from_fen(fen).pieces
        for score, reply in searches:
            found = verdicts.likely(score, reply, pieces, scale)
            assert found is None or found.value == published, f"{problem}: {fen}"
    for (_, before, *_), (_, after, *_) in pairwise(steps):
        assert Value(before).opposite == after


def people(numbers: dict[str, Any], chances: list[Any], corrected: list[Any], holds: list[Any]) -> None:
    """Chances of people's moves by some numbers, and whether they may be told."""
    calibration = Calibration(numbers)
    for *given, exact, expected in chances:
        found = calibration.chances(*given, exact=exact)
        assert found == pytest.approx(expected, abs=1e-6), given
    for *given, expected in corrected:
        assert calibration.corrected(*given) == pytest.approx(expected, abs=1e-6), given
    for *given, expected in holds:
        assert calibration.holds(*given) == expected, given


def gives(read: Callable[..., Any], *case: Any) -> None:
    """What is read of the last but one is the last."""
    *given, expected = case
    assert read(*given) == expected


def refuses(read: Callable[..., Any], *case: Any) -> None:
    """What is given is refused by the words that come last, or by any."""
    *given, why = case
    with pytest.raises(KrError) as caught:
        read(*given)
    assert why in (None, str(caught.value))


def gives_or_refuses(read: Callable[..., Any], *case: Any) -> None:
    """None stands for what is refused."""
    (refuses if case[-1] is None else gives)(read, *case)


READERS: dict[str, dict[str, Callable[..., None]]] = {
    "pdn": {},
    "notation": {
        "fens": partial(gives, read_fen),
        "bad fens": partial(refuses, read_fen),
        "fens or not": partial(gives, looks_like_fen),
        "crowned": partial(gives, crowned),
        "paths": partial(gives, squares),
        "no paths": partial(refuses, squares),
        "legal moves": partial(gives, legal_moves),
        "moves": partial(gives, parsed),
        "illegal moves": partial(refuses, parsed),
    },
    "verdicts": {
        "likely": partial(gives, likely),
        "composed": partial(gives, likely_if_composed),
        "lines": lines,
    },
    "people": {"chances": people},
    "constants": {"constants": partial(gives, CONSTANTS.__getitem__)},
    "encodings": {"texts": partial(gives, decoded), "no texts": partial(refuses, decoded)},
    "documents": {"games": document},
    "writing": {
        "usual tags": partial(gives, partial(written, usual=True)),
        "results of White": partial(gives, partial(written, results="white")),
    },
    "requests": {"fields": partial(gives, field), "bad fields": partial(refuses, field)},
    "sentences": {"English": partial(gives, told)},
    "texts": {
        "blanks": partial(gives, blanks),
        "limits": partial(gives_or_refuses, limits),
        "durations": partial(gives_or_refuses, parse_duration),
        "counts": partial(gives_or_refuses, parse_count),
        "clocks": partial(gives_or_refuses, lambda text: str(TimeControl.parse(text))),
        "visible": partial(gives, visible_lines),
        "quoted": partial(gives, repr),
        "counted": partial(gives, counted),
    },
}
"""What reads the cases of a file, by their kinds. Those of pdn.json are all games."""


def recorded() -> list[Any]:
    """All cases, each with its reader."""
    return [
        pytest.param(READERS[name].get(kind, games), case, id=f"{name}: {kind} {number}")
        for name in READERS
        for kind, cases in json.loads((CASES / f"{name}.json").read_text("utf-8")).items()
        for number, case in enumerate(cases)
    ]


@pytest.mark.parametrize(("check", "case"), recorded())
def test_recorded_cases(check: Callable[..., None], case: Any) -> None:
    check(**case) if isinstance(case, dict) else check(*case)
