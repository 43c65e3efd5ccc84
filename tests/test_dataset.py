"""Samples from games: quiet positions, labels, the split by game, merging; all against plain Python."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playouts import positions, random_game, write_run
from scipy.special import expit

from kr import _learn
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.evaluation.patterns import mover_frame
from kr.game.position import Position, Side
from kr.learn import games
from kr.learn.fitting.dataset import Dataset, Label, Merger, Split, logistic_slope, read_samples

pytestmark = pytest.mark.core
Row = tuple[tuple[int, ...], int, int, int, int]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[games.StoredGame]]:
    directory = tmp_path_factory.mktemp("games")
    return directory, write_run(directory, 60, shard_games=25)


def quiet(position: Position) -> bool:
    """Nothing to capture for either side, in plain Python."""
    turned = Position(position.black, position.white, position.kings, Side(1 - position.side))
    return not any(move.is_capture for p in (position, turned) for move in p.legal_moves())


def expected(records: list[games.StoredGame]) -> list[Row]:
    """Board in the mover's frame, result, score, ply and row of every quiet searched position."""
    found = []
    for row, record in enumerate(records):
        for ply, position in enumerate(positions(record)):
            if record.scores[ply] != games.NO_SCORE and quiet(position):
                raw = np.array([[position.black, position.white, position.kings, position.side]], dtype=np.uint32)
                board = tuple(mover_frame(raw)[0].tolist())
                result = record.result if position.side == Side.BLACK else -record.result
                found.append((board, result, int(record.scores[ply]), ply, row))
    return found


@pytest.fixture(scope="module")
def replayed(run: tuple[Path, list[games.StoredGame]]) -> list[Row]:
    """Those of the run."""
    return expected(run[1])


def quiet_positions(records: list[games.StoredGame]) -> tuple[np.ndarray, ...]:
    a = games.shard_arrays(records)
    return _learn.quiet_positions(a["start"], a["side"], a["first"], a["result"], a["move"], a["score"])


@pytest.mark.slow
def test_quiet_positions_equal_the_plain_replay(run: tuple[Path, list[games.StoredGame]], replayed: list[Row]) -> None:
    boards, *others = quiet_positions(run[1])
    rows = zip(map(tuple, boards.tolist()), *(column.tolist() for column in others), strict=True)
    assert list(rows) == replayed
    assert len(boards) > 500


def test_a_game_without_scores_has_its_quiet_choices(run: tuple[Path, list[games.StoredGame]]) -> None:
    records = [replace(each, scores=np.full_like(each.scores, games.NO_SCORE)) for each in run[1][:5]]
    boards, _, score, ply, row = quiet_positions([*records, run[1][5]])
    chosen = [
        (number, n)
        for number, record in enumerate(records)
        for n, position in enumerate(positions(record))
        if quiet(position) and len(position.legal_moves()) > 1
    ]
    searched = [(5, n) for n, each in enumerate(positions(run[1][5])) if n >= 4 and quiet(each)]
    assert list(zip(row.tolist(), ply.tolist(), strict=True)) == chosen + searched
    assert set(score[: len(chosen)].tolist()) == {games.NO_SCORE}
    assert len(boards) > 100


def test_no_games_no_positions() -> None:
    assert [len(column) for column in quiet_positions([])] == [0] * 5


@pytest.mark.parametrize("code", [0, 0xFFFF, 8 | 12 << 5 | 1 << 10, 31 | 27 << 5])
def test_illegal_move_names_game_and_ply(code: int) -> None:
    record = random_game(7, 1)
    moves = record.moves.copy()
    moves[6] = code
    with pytest.raises(ValueError, match="game 1 of the shard, ply 6"):
        quiet_positions([random_game(3, 1), replace(record, moves=moves), random_game(4, 1)])


def test_damaged_games_name_the_file(tmp_path: Path) -> None:
    record = random_game(7, 1)
    moves = record.moves.copy()
    moves[3] = 0
    path = tmp_path / "shard-000000.h5"
    games.write_shard(path, [replace(record, moves=moves)], {"seed": 1})
    with pytest.raises(InvalidGamesError, match=r"shard-000000\.h5: game 0 of the shard, ply 3"):
        read_samples([tmp_path], Label(), 0.05, 1)


def test_impossible_start_is_reported() -> None:
    with pytest.raises(ValueError, match="impossible start"):
        quiet_positions([replace(random_game(1, 1), start=(0xFFF, 0xFFF, 0, 0))])


@pytest.mark.parametrize("parts", [1, 7])
def test_merging_equals_plain_python(parts: int) -> None:
    rng = np.random.default_rng(3)
    # few different boards, so that most are duplicates, and boards that differ in one word only
    boards = rng.integers(0, 4, (5000, 4)).astype(np.uint32)
    boards[:, 3] *= np.uint32(0x1000_0000)
    result, target = (rng.random(5000).astype(np.float32) for _ in range(2))
    merger = Merger()
    for rows in np.array_split(np.arange(5000), parts):
        merger.add(boards[rows], result[rows], target[rows])
    samples = merger.samples()
    keys = [tuple(b) for b in boards.tolist()]
    counts = Counter(keys)
    assert [tuple(b) for b in samples.boards.tolist()] == list(dict.fromkeys(keys))
    assert samples.count.tolist() == list(counts.values())
    assert samples.positions == 5000
    for values, means in ((result, samples.result), (target, samples.target)):
        sums: dict[tuple[int, ...], float] = dict.fromkeys(counts, 0.0)
        for key, value in zip(keys, values, strict=True):
            sums[key] += float(value)
        assert means == pytest.approx([sums[k] / n for k, n in counts.items()], rel=1e-6)


def test_merging_survives_growth() -> None:
    boards = np.arange(4 * 150_000, dtype=np.uint32).reshape(-1, 4)
    ones = np.ones(len(boards), dtype=np.float32)
    merger = Merger()
    for rows in np.array_split(np.arange(len(boards)), 3):
        merger.add(boards[rows], ones[rows], ones[rows])
    merger.add(boards, ones * 0, ones)
    samples = merger.samples()
    assert (samples.boards == boards).all()
    assert (samples.count == 2).all()
    assert (samples.result == 0.5).all()
    assert (samples.target == 1).all()


def all_samples(dataset: Dataset) -> dict[tuple[str, bool], dict[tuple[int, ...], tuple[int, float, float]]]:
    return {
        (name, kings): {
            tuple(b): (int(n), round(float(r), 5), round(float(t), 5))
            for b, n, r, t in zip(s.boards.tolist(), s.count, s.result, s.target, strict=True)
        }
        for name in ("training", "held_out")
        for kings, s in getattr(dataset, name).items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_dataset_equals_plain_python(
    run: tuple[Path, list[games.StoredGame]], replayed: list[Row], share: float
) -> None:
    directory, records = run
    dataset = read_samples([directory], Label(), share, seed=4, workers=2)
    held = Split(4, share).held_out(1, np.arange(len(records)))
    assert held.any() == (share > 0)
    plain: dict[tuple[str, bool], dict[tuple[int, ...], list[float]]] = {
        (name, kings): {} for name in ("training", "held_out") for kings in (False, True)
    }
    for board, result, _, _, row in replayed:
        key = ("held_out" if held[row] else "training", bool(board[2] | board[3]))
        plain[key].setdefault(board, []).append((result + 1) / 2)
    means = {
        key: {b: (len(v), round(sum(v) / len(v), 5), round(sum(v) / len(v), 5)) for b, v in group.items()}
        for key, group in plain.items()
    }
    assert all_samples(dataset) == means
    assert [(r.shards, r.games, r.score_scale) for r in dataset.runs] == [(3, 60, None)]


def test_dataset_does_not_depend_on_workers(run: tuple[Path, list[games.StoredGame]]) -> None:
    one, three = (read_samples([run[0]], Label(0.6), 0.2, 1, workers) for workers in (1, 3))
    assert all_samples(one) == all_samples(three)
    assert one.runs == three.runs


def outlooks(record: games.StoredGame, scale: float, decay: float) -> list[float]:
    """The mover's outlook at each ply, from the last ply back."""
    found: list[float] = []
    ahead = (record.result if len(record.scores) % 2 == record.start[3] else -record.result) / 2 + 0.5
    for score in reversed(record.scores.tolist()):
        ahead = 1 - ahead
        if score != games.NO_SCORE:
            ahead = (1 - decay) / (1 + np.exp(-score / scale)) + decay * ahead
        found.append(ahead)
    return found[::-1]


@pytest.mark.slow
@pytest.mark.parametrize("decay", [0.0, 0.5])
def test_mixed_target(run: tuple[Path, list[games.StoredGame]], replayed: list[Row], decay: float) -> None:
    dataset = read_samples([run[0]], Label(0.6, decay), 0.0, 1)
    scale = dataset.runs[0].score_scale
    assert scale is not None
    assert scale > 0
    promised = [outlooks(record, scale, decay) for record in run[1]]
    mean: dict[tuple[int, ...], list[float]] = {}
    for board, result, _, ply, row in replayed:
        mean.setdefault(board, []).append(0.4 * (result + 1) / 2 + 0.6 * promised[row][ply])
    for samples in dataset.training.values():
        for board, target in zip(samples.boards.tolist(), samples.target, strict=True):
            assert target == pytest.approx(np.mean(mean[tuple(board)]), abs=1e-5)


def test_score_scale_uses_all_searched_positions(run: tuple[Path, list[games.StoredGame]]) -> None:
    from sklearn.linear_model import LogisticRegression

    scores, wins, weight = [], [], []
    for record in run[1]:
        for ply, score in enumerate(record.scores):
            if score != games.NO_SCORE:
                points = ((record.result if ply % 2 == 0 else -record.result) + 1) / 2
                scores += [score, score]
                wins += [1, 0]
                weight += [points, 1 - points]
    free = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10)
    free.fit(np.array(scores, dtype=float)[:, None] / 100, wins, sample_weight=weight)
    scale = read_samples([run[0]], Label(1.0), 0.0, 1).runs[0].score_scale
    assert scale == pytest.approx(100 / free.coef_[0, 0], rel=1e-3)


def test_logistic_slope_recovers_the_slope() -> None:
    x = np.arange(-3000, 3001, 10.0)
    count = np.full(len(x), 7.0)
    assert logistic_slope(x, count, count * expit(x / 130)) == pytest.approx(1 / 130, rel=1e-6)
    assert logistic_slope(x, count, count * expit(-x / 130)) is None
    assert logistic_slope(x[:0], count[:0], count[:0]) is None


def test_scores_that_predict_nothing_are_refused(tmp_path: Path) -> None:
    record = random_game(1, 1)
    games.write_shard(
        tmp_path / "shard-000000.h5",
        [
            replace(
                record,
                scores=-record.result * abs(record.scores) * (np.where(np.arange(len(record.scores)) % 2, -1, 1)),
            )
        ],
        {"seed": 1},
    )
    with pytest.raises(InvalidGamesError, match="do not predict the results"):
        read_samples([tmp_path], Label(0.5), 0.0, 1)


def test_split_is_by_game_and_for_ever() -> None:
    numbers = np.arange(20_000)
    held = Split(1, 0.05).held_out(9, numbers)
    assert 0.045 < held.mean() < 0.055
    # part of the format: another choice would mix old held-out games into training
    assert np.flatnonzero(held)[:5].tolist() == [48, 57, 112, 139, 174]
    assert (held == np.concatenate([Split(1, 0.05).held_out(9, part) for part in np.array_split(numbers, 3)])).all()
    for other in (Split(2, 0.05).held_out(9, numbers), Split(1, 0.05).held_out(10, numbers)):
        assert 0.1 < (other & held).sum() / (0.05 * held.sum()) < 3
    assert Split(1, 1.0).held_out(9, numbers).mean() > 0.999
    assert not Split(1, 0.0).held_out(9, numbers).any()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("result", Label(0.0)),
        ("mix=0.6", Label(0.6)),
        ("mix=1", Label(1.0)),
        ("mix=0", Label(0.0)),
        ("mix=1,decay=0.7", Label(1.0, 0.7)),
        ("mix=0.5,decay=0", Label(0.5)),
    ],
)
def test_labels(text: str, label: Label) -> None:
    assert Label.parse(text) == label
    assert Label.parse(str(label)) == label


@pytest.mark.parametrize(
    "text",
    ["", "mix", "mix=", "mix=1.5", "mix=-1", "mix=nan", "score", "result=1", "decay=0.5", "mix=1,decay=1", "mix=1,d=0"],
)
def test_bad_labels(text: str) -> None:
    with pytest.raises(InvalidSettingError, match="neither"):
        Label.parse(text)


def test_directories_without_games(tmp_path: Path) -> None:
    with pytest.raises(InvalidGamesError, match="no shards of games"):
        read_samples([tmp_path], Label(), 0.05, 1)
    with pytest.raises(InvalidGamesError, match="no such directory"):
        read_samples([tmp_path / "none"], Label(), 0.05, 1)
    searched_nothing = replace(random_game(1, 1), moves=np.empty(0, np.uint16), scores=np.empty(0, np.int16))
    games.write_shard(tmp_path / "shard-000000.h5", [searched_nothing], {"seed": 1})
    with pytest.raises(InvalidGamesError, match="no quiet searched position"):
        read_samples([tmp_path], Label(), 0.05, 1)
