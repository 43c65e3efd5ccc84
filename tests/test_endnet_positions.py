"""`kr endnet positions`: positions of games with their values, as a file of sampled positions."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kr import _core
from kr.egdb.database import Database, directory_for
from kr.egdb.sample_file import SHARES
from kr.egdb.sample_reader import SampleFile, SampleRows
from kr.errors import InvalidSettingError
from kr.learn.games import read_game_arrays
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.studies.endings.game_positions import GamePositionsSettings, write_game_positions

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games to the end, by material alone."""
    out = tmp_path_factory.mktemp("played") / "games"
    selfplay(
        SelfplaySettings(
            games=60, out=out, nodes=40, weights="material", egdb="none", clear_score=0, workers=1, shard_games=20
        )
    )
    return out


def written(path: Path) -> dict[str, SampleRows]:
    with SampleFile(path, verify=True) as file:
        return {name: file.shares[name].read(0, len(file.shares[name])) for name in SHARES}


def turned(row: NDArray[np.uint32]) -> tuple[int, int, int]:
    """A position (black, white, kings, side) with Black to move, by text."""
    black, white, kings, side = (int(each) for each in row)
    if side == 0:
        return black, white, kings
    around = [int(f"{board:032b}"[::-1], 2) for board in (white, black, kings)]
    return around[0], around[1], around[2]


def of_games(games: Path, low: int, high: int) -> dict[tuple[int, int, int], set[int]]:
    """The quiet positions of games with so many pieces, each with the results of its games as values."""
    arrays = read_game_arrays(games)
    found: dict[tuple[int, int, int], set[int]] = {}
    for row, result in zip(arrays.positions(), arrays.mover_result.tolist(), strict=True):
        board = turned(row)
        if low <= (board[0] | board[1]).bit_count() <= high:
            found.setdefault(board, set()).add(result + 1)
    quiet = ~_core.pending_captures(np.array(list(found), dtype=np.uint32))
    return {board: values for board, values, is_quiet in zip(found, found.values(), quiet, strict=True) if is_quiet}


def test_quiet_positions_of_games_with_exact_values(played: Path, tmp_path: Path) -> None:
    made = write_game_positions(GamePositionsSettings((played,), tmp_path / "p.h5", high=4, workers=1))
    shares = written(tmp_path / "p.h5")
    boards = [tuple(row) for rows in shares.values() for row in rows.boards.tolist()]
    assert len(boards) == len(set(boards)) == made.positions
    assert set(boards) == set(of_games(played, 2, 4))
    database = Database.open(directory_for(None))
    for rows in shares.values():
        assert np.array_equal(rows.values, database.values(rows.boards))
    assert len(shares["training"]) > len(shares["validation"]) + len(shares["test"]) > 0


def test_results_stand_in_where_the_database_ends(played: Path, tmp_path: Path) -> None:
    settings = GamePositionsSettings((played,), tmp_path / "p.h5", low=7, high=8, results=True)
    write_game_positions(settings)
    expected = of_games(played, 7, 8)
    seen = 0
    for rows in written(tmp_path / "p.h5").values():
        for board, value in zip(rows.boards.tolist(), rows.values.tolist(), strict=True):
            assert value in expected[tuple(board)]
            seen += 1
    assert seen == len(expected) > 50


def test_no_position_is_in_two_shares_of_two_files(played: Path, tmp_path: Path) -> None:
    """The choice of share depends on seed and position alone."""
    shares = {}
    for high in (3, 4):
        write_game_positions(GamePositionsSettings((played,), tmp_path / "p.h5", high=high))
        shares[high] = {
            tuple(row): name for name, rows in written(tmp_path / "p.h5").items() for row in rows.boards.tolist()
        }
    assert shares[3].items() <= shares[4].items()


def test_the_file_says_which_pieces(played: Path, tmp_path: Path) -> None:
    write_game_positions(GamePositionsSettings((played,), tmp_path / "p.h5", low=3, high=5))
    with SampleFile(tmp_path / "p.h5") as file:
        assert file.pieces == "3-5"
        assert file.is_quiet
        assert json.loads(str(file.attrs["settings"]))["results"] is False


@pytest.mark.parametrize(
    ("low", "high", "what"), [(5, 4, "low: 5 is more than high, 4"), (12, 14, "it has up to 5 pieces")]
)
def test_what_can_give_no_positions(played: Path, tmp_path: Path, low: int, high: int, what: str) -> None:
    with pytest.raises(InvalidSettingError, match=what):
        write_game_positions(GamePositionsSettings((played,), tmp_path / "p.h5", low=low, high=high))
    assert not (tmp_path / "p.h5").exists()
