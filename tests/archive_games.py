"""An archive of random games, and what its index must have of it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kr.archives import index_build
from kr.archives.index import ArchiveIndex
from kr.archives.search import SearchSettings
from kr.errors import InvalidPdnError
from kr.game.position import Position
from kr.language.sentences import as_json, told_by
from kr.pdn import Game, read_games


def games_text(first: int, count: int, seed: int = 3) -> str:
    """Games of random moves between a few players, one in ten with a remark, one in thirty illegal."""
    dice = random.Random(seed)
    texts = []
    for number in range(first + count):
        position, moves = Position(), []
        for _ in range(dice.randrange(2, 40)):
            legal = position.legal_moves()
            if not legal:
                break
            # few moves in the opening, so that games share positions
            move = legal[min(len(legal) - 1, int(dice.expovariate(0.8)))]
            moves.append(str(move))
            position = position.play(move)
        if number % 30 == 29:
            moves.append("1-32")
        black, white = dice.sample(["Tinsley, M.", "Lafferty, D.", "Fortman, R.", "Long, A.", "?"], 2)
        tags = {"Event": f"Match {number // 9}", "Black": black, "White": white}
        if number % 5:
            tags["Date"] = f"{1900 + number % 90}.??.??"
        remark = " {remark}" if number % 10 == 0 else ""
        start = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        text = f"{start}{' '.join(moves)}{remark} {dice.choice(['1-0', '0-1', '1/2-1/2', '*', '0-0'])}\n\n"
        if number >= first:
            texts.append(text)
    return "".join(texts)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive of 120 games, of which 4 can't be read, in an index of several segments, chunks and blocks."""
    monkeypatch.setattr(index_build, "GAMES_A_SEGMENT", 40)
    monkeypatch.setattr(index_build, "ROWS_A_CHUNK", 32)
    monkeypatch.setattr(index_build, "PROGRESS_GAMES", 10)
    path = tmp_path / "games.pdn"
    path.write_text(games_text(0, 120))
    return path


def games_of(index: ArchiveIndex) -> list[Game]:
    return [index.game(number) for number in range(len(index))]


def check_true(index: ArchiveIndex) -> None:
    """The index has the games of its archive, and finds each of their positions."""
    errors: list[InvalidPdnError] = []
    expected = list(read_games(index.source, errors=errors))
    assert games_of(index) == expected
    assert [index.game(number).line for number in range(len(index))] == [game.line for game in expected]
    assert index.left_out == len(errors)
    assert index.complaints == [as_json(told_by(error)) for error in errors]
    positions = {position: number for number, game in enumerate(expected) for position in game.positions()}
    for position, number in list(positions.items())[::25]:
        found = index.find(SearchSettings(files=(index.source,), position=position.fen))
        assert number in found.games.tolist()
