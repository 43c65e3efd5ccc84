"""Leaves of self-play: positions that searches scored, with the score of a search of their own, as samples of a fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from playouts import positions, write_run
from scipy.special import expit

from kr import InvalidGamesError, InvalidSettingError, Position
from kr.cli import main
from kr.evaluation.kinds import load_evaluation
from kr.evaluation.patterns import mover_frame
from kr.game.position import Side
from kr.jobs.unit import Unit
from kr.learn import games
from kr.learn.fitting.dataset import Label, read_samples
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.learn.shards import Shards
from kr.learn.summary import summarize

pytestmark = pytest.mark.core

SETTINGS = SelfplaySettings(
    games=8, nodes=60, leaf_nodes=40, weights="material", openings="3move", shard_games=4, workers=2, hash=1 << 16
)


def played(directory: Path, **changes: object) -> list[games.StoredGame]:
    selfplay(replace(SETTINGS, out=directory, **changes))  # type: ignore[arg-type]
    return [record for path in games.shard_paths(directory) for record in games.stored_games(games.read_shard(path))]


def content(records: list[games.StoredGame]) -> list[tuple[bytes, ...]]:
    return [tuple(each.tobytes() for each in (r.moves, r.scores, r.leaves, r.leaf_scores)) for r in records]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[games.StoredGame]]:
    directory = tmp_path_factory.mktemp("leaves")
    return directory, played(directory)


def test_every_searched_move_has_a_leaf_below_it(run: tuple[Path, list[games.StoredGame]]) -> None:
    found = 0
    for record in run[1]:
        assert len(record.leaves) == len(record.leaf_scores) == len(record.moves)
        for position, score, leaf, leaf_score in zip(
            positions(record), record.scores, record.leaves.tolist(), record.leaf_scores, strict=True
        ):
            if leaf_score == games.NO_SCORE:
                # forced moves are not searched; a search that ends in the database scores nothing
                assert score == games.NO_SCORE or position.pieces.bit_count() <= 8
                continue
            below = Position(leaf[0], leaf[1], leaf[2], Side(leaf[3]))
            moves = below.legal_moves()
            assert moves
            assert not any(move.is_capture for move in moves)
            for side in ("black", "white"):
                assert getattr(below, side).bit_count() <= getattr(position, side).bit_count()
            found += 1
    assert found > 200


def test_leaves_do_not_depend_on_workers_or_shards(run: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    assert content(played(tmp_path / "one", workers=1)) == content(run[1])
    assert content(played(tmp_path / "other", workers=3, shard_games=3)) == content(run[1])


def test_a_search_of_a_leaf_has_its_own_limit(run: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    more = played(tmp_path, leaf_nodes=400)
    assert [r.start for r in more] == [r.start for r in run[1]]
    assert content(more) != content(run[1])


def test_leaves_are_near_the_score_of_the_search(tmp_path: Path) -> None:
    """But for the score of an iteration before the last, which may have been another one."""
    evaluation = load_evaluation("material")
    shares = {}
    for margin in (0, 50, 20_000):
        records = played(tmp_path / str(margin), leaf_margin=margin, noise=0)
        near, count = 0, 0
        for record in records:
            for position, score, leaf, leaf_score in zip(
                positions(record), record.scores, record.leaves.tolist(), record.leaf_scores, strict=True
            ):
                if leaf_score != games.NO_SCORE:
                    below = Position(leaf[0], leaf[1], leaf[2], Side(leaf[3]))
                    sign = 1 if below.side == position.side else -1
                    near += abs(evaluation.score(below) - sign * score) <= margin
                    count += 1
        shares[margin] = near / count
    assert shares[0] > 0.65
    assert shares[50] > 0.9
    assert shares[20_000] == 1


def test_a_run_keeps_to_its_leaves(run: tuple[Path, list[games.StoredGame]]) -> None:
    with pytest.raises(InvalidSettingError, match="leaf_nodes=40, not 0"):
        selfplay(replace(SETTINGS, out=run[0], leaf_nodes=0, games=9))


def test_shards_without_leaves_are_as_before(tmp_path: Path) -> None:
    write_run(tmp_path, 3)
    with h5py.File(tmp_path / "shard-000000.h5") as file:
        assert file.attrs["format_version"] == 1
        assert "leaf" not in file


def test_shards_hold_the_leaves(run: tuple[Path, list[games.StoredGame]]) -> None:
    with h5py.File(run[0] / "shard-000000.h5") as file:
        assert file.attrs["format_version"] == 2
    arrays = games.read_game_arrays(run[0])
    np.testing.assert_array_equal(arrays.leaf, np.concatenate([record.leaves for record in run[1]]))
    np.testing.assert_array_equal(arrays.leaf_score, np.concatenate([record.leaf_scores for record in run[1]]))


@pytest.mark.parametrize(
    ("row", "value"),
    [
        pytest.param((0, 0), 0xFFFF, id="sixteen pieces"),
        pytest.param((0, 2), 0xFFFFFFFF, id="kings on empty squares"),
        pytest.param((0, 3), 2, id="a third side"),
        pytest.param((0, 1), 0xFFFFF, id="pieces on one square"),
    ],
)
def test_impossible_leaves_are_refused(
    run: tuple[Path, list[games.StoredGame]], tmp_path: Path, row: tuple[int, int], value: int
) -> None:
    leaves = run[1][0].leaves.copy()
    leaves[0] = (0xFFF, 0xFFF00000, 0, 0)
    leaves[row] = value
    games.write_shard(tmp_path / "shard-000000.h5", [replace(run[1][0], leaves=leaves)], {"seed": 1})
    with pytest.raises(InvalidGamesError, match="do not fit together, or hold numbers out of range"):
        games.read_shard(tmp_path / "shard-000000.h5")


def test_leaves_belong_to_their_checksum(run: tuple[Path, list[games.StoredGame]], tmp_path: Path) -> None:
    path = tmp_path / "shard-000000.h5"
    games.write_shard(path, run[1], {"seed": 1})
    with h5py.File(path, "r+") as file:
        scores = file["leaf_score"][:]
        scores[-1] ^= 1
        file["leaf_score"][:] = scores
    with pytest.raises(InvalidGamesError, match="do not match their checksum"):
        games.read_shard(path)


def test_shards_with_and_without_leaves_are_not_one_run(
    run: tuple[Path, list[games.StoredGame]], tmp_path: Path
) -> None:
    games.write_shard(tmp_path / "shard-000000.h5", run[1][:4], {"seed": 1})
    bare = [replace(record, leaves=np.empty((0, 4), np.uint32), leaf_scores=np.empty(0, np.int16)) for record in run[1]]
    games.write_shard(tmp_path / "shard-000001.h5", bare[4:], {"seed": 1})
    with pytest.raises(InvalidGamesError, match="some shards have leaves"):
        games.read_game_arrays(tmp_path)


def test_a_game_that_was_cut_off_is_none() -> None:
    with pytest.raises(ValueError, match="cut off"):
        Shards().decode(Unit(Shards.name(), "0"), b"short")


def test_the_samples_of_a_fit_have_the_leaves(run: tuple[Path, list[games.StoredGame]]) -> None:
    label = Label.parse("mix=0.9,decay=0.6")
    with_leaves = read_samples(run[0], label)
    without = read_samples(run[0], replace(label, leaves=False))
    scale = with_leaves.runs[0].score_scale
    assert scale == without.runs[0].score_scale
    arrays = games.read_game_arrays(run[0])
    used = arrays.leaf_score != games.NO_SCORE
    count, total = 0, 0.0
    for sign, dataset in ((1, with_leaves), (-1, without)):
        for samples in dataset.training.values():
            count += sign * samples.positions
            total += sign * float(samples.target.astype(float) @ samples.count)
    assert count == int(used.sum())
    assert total == pytest.approx(float(expit(arrays.leaf_score[used] / scale).sum()), rel=1e-5)
    boards = {tuple(row) for samples in with_leaves.training.values() for row in samples.boards.tolist()}
    assert boards >= {tuple(row) for row in mover_frame(arrays.leaf[used]).tolist()}


def test_a_leaf_is_held_out_with_its_game(run: tuple[Path, list[games.StoredGame]]) -> None:
    halves = read_samples(run[0], Label(0.9), held_out_share=0.5)
    whole = read_samples(run[0], Label(0.9))

    def positions_of(dataset: dict[bool, object]) -> int:
        return sum(samples.positions for samples in dataset.values())  # type: ignore[attr-defined]

    assert positions_of(halves.training) + positions_of(halves.held_out) == positions_of(whole.training)
    assert positions_of(halves.held_out) > 0


def test_results_alone_take_no_leaves(run: tuple[Path, list[games.StoredGame]]) -> None:
    whole = read_samples(run[0], Label())
    without = read_samples(run[0], Label(0.9, leaves=False))
    assert [s.positions for s in whole.training.values()] == [s.positions for s in without.training.values()]


@pytest.mark.parametrize("text", ["result,leaves=no", "leaves=no", "mix=0.9,leaves=yes", "mix=0.9,leaves=no,decay=0.6"])
def test_labels_that_are_none(text: str) -> None:
    with pytest.raises(InvalidSettingError, match="is neither"):
        Label.parse(text)


def test_the_summary_of_a_run_counts_its_leaves(
    run: tuple[Path, list[games.StoredGame]], capsys: pytest.CaptureFixture[str]
) -> None:
    count = sum(int((record.leaf_scores != games.NO_SCORE).sum()) for record in run[1])
    assert summarize(games.shard_paths(run[0])).leaves == count
    assert main(["games", str(run[0])]) == 0
    assert f"of them searched; {count} leaves" in capsys.readouterr().out
