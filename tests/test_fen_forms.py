"""The forms of FEN that other programs write, wherever a position can be given."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kr.analysis.sources import AnalyzeSettings, read_tasks
from kr.archives.search import GameSearch, SearchSettings
from kr.engine.bench import load_positions
from kr.engine.limits import Limits
from kr.game.board import Board
from kr.game.position import Position
from kr.openings.decks import deck
from kr.pdn import Game, read_game
from kr.play.setup import PlaySettings, set_up
from kr.problems.problem import load_problems
from kr.proofs.prover import ProveSettings, prove
from kr.storage import write_atomic

FORMS = {
    "W:W21,K30:B1,2:H0:F1": "W:W21,K30:B1,2",
    "B:Wa7,c7:Bb2,Kd2": "B:W27,28:BK7,8",
    '[FEN "W:W21,K30:B1,2"]': "W:W21,K30:B1,2",
    "[B:W23,22,15,14:B11,10.]": "B:W14,15,22,23:B10,11",
    "'W:W21,K30:B1,2'": "W:W21,K30:B1,2",
}


def _in_file(text: str, directory: Path) -> Path:
    write_atomic(directory / "fens.txt", f"# copied\n{text} # here\n")
    return directory / "fens.txt"


def _pdn(text: str, directory: Path) -> Position:
    quoted = text.replace('"', '\\"')
    game = read_game(f'[Event "x"]\n[FEN "{quoted}"]\n\n*\n')
    assert game is not None
    return game.start


def _problem(text: str, directory: Path) -> Position:
    path = directory / "problems.jsonl"
    write_atomic(path, json.dumps({"fen": text}) + "\n")
    (one,), (other,) = load_problems(path), load_problems(text)
    assert one.position == other.position
    return one.position


def _proved(text: str) -> Position:
    return prove(ProveSettings(text, tc=Limits(nodes=1), weights="material", egdb="none", workers=1)).position


def _searched(text: str, directory: Path) -> Position:
    """The position that a search finds, in the game that begins with it."""
    position = _pdn(text, directory)
    assert GameSearch(SearchSettings((directory,), position=text)).hit(Game(start=position)) is not None
    return position


READERS: dict[str, Callable[[str, Path], Position]] = {
    "Position": lambda text, _: Position.from_fen(text),
    "Board": lambda text, _: Board(text).position,
    "kr analyze FEN": lambda text, _: next(read_tasks(AnalyzeSettings(text))).position,
    "kr analyze FILE": lambda text, at: next(read_tasks(AnalyzeSettings(str(_in_file(text, at))))).position,
    "kr solve-problem": _problem,
    "kr prove": lambda text, _: _proved(text),
    "kr match --openings": lambda text, at: deck(str(_in_file(text, at)))[0].position,
    "kr bench --positions": lambda text, at: load_positions(_in_file(text, at))[0],
    "kr play --ballot": lambda text, _: set_up(PlaySettings(ballot=text)).start,
    "kr pdn search --position": _searched,
    "PDN": _pdn,
}


@pytest.mark.parametrize("reader", READERS)
def test_the_forms_of_other_programs_are_read_everywhere(reader: str, tmp_path: Path) -> None:
    for form, fen in FORMS.items():
        assert READERS[reader](form, tmp_path).fen == fen
