"""Samples: right positions, values and planes, the same for a seed with any number of threads."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray
from shortages import leave_on_disk

from kr import _core, _egdb
from kr.egdb import sample, sample_choice, slices
from kr.egdb.build import BuildSettings, build_database
from kr.egdb.database import Database
from kr.egdb.sample import SampleSettings
from kr.egdb.sample_choice import STRATIFIED
from kr.egdb.sample_file import CHUNK, SHARES
from kr.egdb.sample_reader import SampleFile, SampleStream
from kr.errors import InvalidDatabaseError, InvalidSettingError
from kr.game.position import Position
from kr.proofs import rules as reference

pytestmark = pytest.mark.core

POSITIONS = {2: 3_488, 3: 196_032}
PLANE_PIECES = "BWbw"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All positions with up to 3 pieces."""
    directory = tmp_path_factory.mktemp("whole")
    build_database(BuildSettings(pieces=3, dir=directory, distances=0))
    return directory


def sampled(directory: Path, out: Path, **changes: Any) -> sample.Sample:
    settings = {"pieces": "2-3", "dir": directory, "out": out, "workers": 2, **changes}
    return sample.write_sample(SampleSettings(**settings))


def content(out: Path) -> dict[str, NDArray[Any]]:
    """All datasets of a file."""
    with h5py.File(out) as file:
        return {f"{share}/{name}": dataset[()] for share in SHARES for name, dataset in file[share].items()}


def numbers(boards: NDArray[np.uint32]) -> list[tuple[tuple[int, ...], int]]:
    """Slice and index of every board."""
    return [_egdb.egdb_index(*map(int, board), 0) for board in boards]


@pytest.mark.slow
def test_all_positions_each_in_one_share(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.h5"
    made = sampled(whole, out, fraction=1.0)
    assert made.positions == sum(POSITIONS.values())
    found = content(out)
    seen = np.concatenate([found[f"{share}/board"] for share in SHARES])
    assert len(np.unique(seen, axis=0)) == len(seen) == made.positions
    assert {share: len(found[f"{share}/value"]) for share in SHARES} == {
        share: counts.positions for share, counts in made.shares.items()
    }
    for share, expected in zip(SHARES, (0.7, 0.1, 0.2), strict=True):
        assert abs(made.shares[share].positions / made.positions - expected) < 0.005
    values = np.bincount(np.concatenate([found[f"{share}/value"] for share in SHARES]))
    assert values.tolist() == [402 + 87_305, 2_370 + 8_477, 716 + 100_250]


def test_rows_say_what_stands_on_the_board(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "some.h5"
    sampled(whole, out, fraction=0.01)
    database = Database.open(whole)
    found = content(out)
    for share in SHARES:
        rows = zip(*(found[f"{share}/{name}"] for name in ("board", "planes", "pieces", "value")), strict=True)
        for board, planes, pieces, value in rows:
            black, white, kings = map(int, board)
            assert database.core.probe(black, white, kings, 0) == value
            squares = reference.from_bits(black, white, kings)
            expected = np.zeros((4, 8, 8), dtype=np.uint8)
            for square, piece in squares.items():
                expected[PLANE_PIECES.index(piece), *reference.row_and_column(square)] = 1
            assert (planes == expected).all()
            assert pieces.tolist() == [list(squares.values()).count(piece) for piece in PLANE_PIECES]


def test_planes_have_black_above_moving_down() -> None:
    """11-15, which the seed of this form writes as f6-e5."""
    planes = np.ones((2, 4, 8, 8), dtype=np.uint8)
    _egdb.board_planes(np.array([[1 << 10, 1 << 31, 0], [1 << 14, 1 << 31, 1 << 31]], dtype=np.uint32), planes)
    assert [tuple(map(int, where)) for where in np.argwhere(planes)] == [
        (0, 2, 2, 5),
        (0, 3, 7, 6),
        (1, 1, 7, 6),
        (1, 2, 3, 4),
    ]


@pytest.mark.parametrize("changes", [{"workers": 1}, {"workers": 3}, {"memory": 1 << 20}, {"compression": 0}], ids=str)
def test_the_content_depends_on_the_sample_alone(
    whole: Path, tmp_path: Path, changes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "DRAWN_AT_ONCE", 1 << 10)
    one = sampled(whole, tmp_path / "one.h5", fraction=0.2)
    other = sampled(whole, tmp_path / "other.h5", fraction=0.2, **changes)
    assert one.checksum == other.checksum
    assert one.shares == other.shares
    expected, found = content(one.out), content(other.out)
    assert expected.keys() == found.keys()
    assert all((expected[name] == found[name]).all() for name in expected)


def test_other_seeds_give_other_positions(whole: Path, tmp_path: Path) -> None:
    made = [sampled(whole, tmp_path / f"{seed}.h5", fraction=0.1, seed=seed) for seed in (1, 2)]
    chosen = [set(numbers(np.concatenate([content(each.out)[f"{share}/board"] for share in SHARES]))) for each in made]
    share = len(chosen[0] & chosen[1]) / len(chosen[0])
    assert 0.07 < share < 0.13


@pytest.mark.parametrize("fraction", [1.0, 0.5, 0.1, 0.001, 1e-5])
def test_each_position_has_the_same_chance(whole: Path, fraction: float) -> None:
    shape = (1, 1, 1, 1)
    size = slices.size(shape)
    sampler = _egdb.EndgameSampler(None, shape, 0, size, sample.survival(fraction), 5, False)
    boards = np.concatenate([np.empty((0, 3), dtype=np.uint32), *(batch[0] for batch in sample.drawn(sampler))])
    indices = np.array([index for _, index in numbers(boards[:20_000])])
    assert (np.diff(indices) > 0).all()
    spread = (size * fraction * (1 - fraction)) ** 0.5
    assert abs(len(boards) - size * fraction) <= 4 * spread
    if 1_000 < len(boards) < 20_000:
        # gaps are geometric: their mean and standard deviation are about 1 / fraction
        assert np.std(np.diff(indices)) == pytest.approx(1 / fraction, rel=0.1)


def test_survival_is_exact() -> None:
    chances = sample.survival(0.5)
    assert chances[:64].tolist() == [2 ** (63 - i) for i in range(64)]
    assert chances[64:].max() == 0
    assert sample.survival(1.0).max() == 0
    assert (np.diff(sample.survival(1e-12).astype(np.float64)) <= 0).all()


@pytest.mark.slow
def test_slice_order_and_bitboards_only(whole: Path, tmp_path: Path) -> None:
    made = sampled(whole, tmp_path / "plain.h5", fraction=0.2, shuffle=False, planes=False)
    mixed = sampled(whole, tmp_path / "mixed.h5", fraction=0.2)
    found, shuffled = content(made.out), content(mixed.out)
    assert "test/planes" not in found
    assert made.shares == mixed.shares
    order = {shape: i for i, shape in enumerate([*slices.shapes(2), *slices.shapes(3)])}
    for share in SHARES:
        rows = [(order[shape], index) for shape, index in numbers(found[f"{share}/board"])]
        assert rows == sorted(rows)
        assert set(map(tuple, found[f"{share}/board"].tolist())) == set(map(tuple, shuffled[f"{share}/board"].tolist()))
    first = shuffled["training/pieces"][:CHUNK].sum(axis=0)
    last = shuffled["training/pieces"][-CHUNK:].sum(axis=0)
    assert first == pytest.approx(last, rel=0.1)


@pytest.mark.slow
def test_quiet_positions_only(whole: Path, tmp_path: Path) -> None:
    made = sampled(whole, tmp_path / "quiet.h5", fraction=1.0, quiet=True, planes=False)
    boards = np.concatenate([content(made.out)[f"{share}/board"] for share in SHARES])
    quiet = {
        (black, white, kings)
        for shape in slices.shapes(2)
        for black, white, kings, _ in (_egdb.egdb_position(shape, i) for i in range(slices.size(shape)))
        if not any(captured for _, captured in _core.legal_moves(black, white, kings, 0))
    }
    assert {tuple(board) for board in boards.tolist() if sum(board[i].bit_count() for i in (0, 1)) == 2} == quiet
    assert made.positions < 0.9 * sum(POSITIONS.values())


def test_shares_may_be_empty_and_files_name_their_origin(whole: Path, tmp_path: Path) -> None:
    made = sampled(whole, tmp_path / "sub" / "x.h5", pieces="2", fraction=0.5, shares=(1.0, 0.0, 0.0), seed=9)
    assert made.shares["validation"].positions == made.shares["test"].positions == 0
    with h5py.File(made.out) as file:
        assert file.attrs["kind"] == "kr egdb sample"
        assert file.attrs["seed"] == "9"
        assert file.attrs["checksum"] == made.checksum
        assert list(file.attrs["planes"]) == ["black kings", "white kings", "black men", "white men"]
        assert file["training"].attrs["wins"] == made.shares["training"].wins
        assert file["test/planes"].shape == (0, 4, 8, 8)
    assert made.bytes == made.out.stat().st_size


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pieces": "2-4"}, "up to 3 pieces"),
        ({"distances": True}, "has no distances"),
        ({"count": 5, "fraction": 0.1}, "count, fraction: both are given; expected one of them"),
        ({"count": 10**12}, "count: 1000000000000 is out of range; there are 199520 such positions"),
        ({"stratify": "value"}, "stratify: value needs a number of positions; give --count"),
    ],
    ids=lambda case: "" if isinstance(case, str) else str(case),
)
def test_what_cannot_be_sampled(whole: Path, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSettingError, match=message):
        sampled(whole, tmp_path / "x.h5", **changes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stratify", STRATIFIED)
@pytest.mark.parametrize(
    ("quiet", "count"), [(False, 1), (True, 1000), (False, 20_000), pytest.param(True, 20_000, marks=pytest.mark.slow)]
)
def test_exactly_so_many_equally_from_strata(
    whole: Path, tmp_path: Path, stratify: str, quiet: bool, count: int
) -> None:
    made = sampled(whole, tmp_path / "x.h5", count=count, stratify=stratify, quiet=quiet, planes=False)
    assert made.positions == count
    found = content(made.out)
    boards, values = (np.concatenate([found[f"{share}/{name}"] for share in SHARES]) for name in ("board", "value"))
    assert len(np.unique(boards, axis=0)) == count
    assert (Database.open(whole).values(boards) == values).all()
    if quiet:
        assert not any(captured for board in boards.tolist() for _, captured in _core.legal_moves(*board, 0))
    if count == 1:
        return
    if stratify == "value":
        losses, draws, wins = np.bincount(values).tolist()
        assert abs(losses - wins) <= 1
        every = sampled(whole, tmp_path / "all.h5", fraction=1.0, quiet=quiet, planes=False)
        assert min(losses - 1, sum(share.draws for share in every.shares.values())) <= draws <= losses
    elif stratify == "pieces":
        two = np.count_nonzero(np.bitwise_count(boards[:, :2]).sum(axis=1) == 2)
        available = POSITIONS[2] * 0.9 if quiet else POSITIONS[2]
        assert two == min(count // 2, two)
        assert two >= min(count // 2, available)
    elif stratify == "slice":
        numbers_of = Counter(shape for shape, _ in numbers(boards))
        shapes = sample.slices_of("2-3")
        assert set(numbers_of) == set(shapes)
        full = [shape for shape in shapes if numbers_of[shape] == max(numbers_of.values())]
        assert all(numbers_of[shape] >= max(numbers_of.values()) - 1 or slices.size(shape) < count for shape in shapes)
        assert len(full) > 5
    else:
        two = np.count_nonzero(np.bitwise_count(boards[:, :2]).sum(axis=1) == 2)
        share = POSITIONS[2] / sum(POSITIONS.values())
        assert abs(two - count * share) < 5 * (count * share) ** 0.5


def test_the_last_position_can_be_asked_for(whole: Path, tmp_path: Path) -> None:
    every = sum(POSITIONS.values())
    assert sampled(whole, tmp_path / "all.h5", count=every, planes=False).positions == every
    for stratify in ("none", "value"):
        with pytest.raises(InvalidSettingError, match="count: 199521 is out of range; there are 199520 such positions"):
            sampled(whole, tmp_path / "more.h5", count=every + 1, stratify=stratify)
    with pytest.raises(InvalidSettingError, match=r"count: 199520 is out of range; there are 1\d{5} such positions"):
        sampled(whole, tmp_path / "more.h5", count=every, quiet=True)
    assert not (tmp_path / "more.h5").exists()


@pytest.mark.parametrize("changes", [{"workers": 1}, {"memory": 1 << 19}], ids=str)
def test_a_choice_depends_on_the_settings_alone(whole: Path, tmp_path: Path, changes: dict[str, int]) -> None:
    chosen = {"count": 10_000, "stratify": "value", "quiet": True, "planes": False}
    one = sampled(whole, tmp_path / "one.h5", **chosen)
    assert sampled(whole, tmp_path / "other.h5", **chosen, **changes).checksum == one.checksum
    assert sampled(whole, tmp_path / "seed.h5", **chosen, seed=2).checksum != one.checksum


@pytest.mark.slow
def test_each_position_is_chosen_with_the_same_chance(whole: Path, tmp_path: Path) -> None:
    """Of twenty choices of a tenth, each position of a slice is in two on average, with the spread of a binomial."""
    times: Counter[tuple[int, ...]] = Counter()
    for seed in range(20):
        made = sampled(whole, tmp_path / "x.h5", pieces="2", count=349, seed=seed, planes=False)
        found = content(made.out)
        times.update(tuple(board) for share in SHARES for board in found[f"{share}/board"].tolist())
    counts = np.zeros(POSITIONS[2])
    counts[: len(times)] = list(times.values())
    assert np.mean(counts) == pytest.approx(20 * 349 / POSITIONS[2])
    assert np.var(counts) == pytest.approx(20 * 0.1 * 0.9, rel=0.1)


@pytest.mark.parametrize(
    ("sizes", "count", "quotas"),
    [
        ([3, 5, 9], 12, [3, 4, 5]),
        ([9, 5, 3], 12, [5, 4, 3]),
        ([10], 4, [4]),
        ([4, 4, 4], 12, [4, 4, 4]),
        ([4, 4, 4], 11, [3, 4, 4]),
        ([1, 2], 5, [1, 2]),
        ([0, 7], 3, [0, 3]),
    ],
)
def test_shares_of_strata(sizes: list[int], count: int, quotas: list[int]) -> None:
    assert sample_choice.shared_out(count, np.array(sizes, dtype=float)).tolist() == quotas


def test_distances_stand_beside_values(tmp_path: Path) -> None:
    directory = tmp_path / "egdb"
    build_database(BuildSettings(pieces=2, dir=directory, distances=2))
    made = sampled(directory, tmp_path / "x.h5", pieces="2", fraction=0.5, distances=True)
    opened = Database.open(directory)
    with SampleFile(made.out, verify=True) as file:
        for share in file.shares.values():
            rows = share.read(0, len(share))
            assert rows.distances is not None
            expected = [opened.distance(Position(*board)) for board in rows.boards.tolist()]
            assert [None if plies < 0 else plies for plies in rows.distances.tolist()] == expected
            assert ((rows.distances < 0) == (rows.values == 1)).all()
            # a win takes an odd number of plies
            assert (rows.distances[rows.values != 1] % 2 == rows.values[rows.values != 1] // 2).all()
        batch = next(SampleStream(made.out, batch=64).epoch(0))
        assert batch.distances is not None
        assert (batch.distances == opened.distances(batch.boards)).all()
    without = sampled(directory, tmp_path / "y.h5", pieces="2", fraction=0.5)
    assert without.shares == made.shares
    assert without.checksum != made.checksum


def test_a_full_disk_is_foreseen(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_on_disk(monkeypatch, 1000)
    with pytest.raises(InvalidSettingError, match="kB, 1000B is free"):
        sampled(whole, tmp_path / "x.h5")


def test_a_damaged_database_leaves_no_file(whole: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(whole, tmp_path / "egdb")
    path = copy / "wld-1101.egdb"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    for fraction in (0.5, sample.UNPACK_FRACTION / 2):
        with pytest.raises(InvalidDatabaseError, match="wld-1101"):
            sampled(copy, tmp_path / "out" / "x.h5", fraction=fraction, pieces="3")
        assert not list(tmp_path.glob("out/*"))


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("3", {(1, 2), (2, 1)}),
        ("2-3", {(1, 1), (1, 2), (2, 1)}),
        ("3-3", {(1, 2), (2, 1)}),
        ("4v3", {(4, 3), (3, 4)}),
        ("3v4", {(4, 3), (3, 4)}),
        ("2v2", {(2, 2)}),
        ("2, 3v1", {(1, 1), (3, 1), (1, 3)}),
        ("3v1,2-3", {(1, 1), (1, 2), (2, 1), (3, 1), (1, 3)}),
    ],
)
def test_choices_of_pieces(text: str, sides: set[tuple[int, int]]) -> None:
    found = sample.slices_of(text)
    most = max(map(sum, sides))
    every = [shape for count in range(2, most + 1) for shape in slices.shapes(count)]
    assert found == [shape for shape in every if (sum(shape[:2]), sum(shape[2:])) in sides]
    assert sample.slices_of(sample.parse_pieces(text)) == found


@pytest.mark.parametrize(
    "text", ["", "x", "1", "2-", "7-2", "2-9", "-3", "4v", "v3", "0v4", "4v0", "7v2", "2,", "4v3v2", "²", "66"]
)
def test_no_choices_of_pieces(text: str) -> None:
    with pytest.raises(InvalidSettingError, match="not a number of pieces"):
        sample.parse_pieces(text)
    with pytest.raises(InvalidSettingError, match="not a number of pieces"):
        SampleSettings(out=Path("x.h5"), pieces=text)


@pytest.mark.parametrize(("pieces", "expected"), [("2v1", {(1, 2), (2, 1)}), ("2,2v1", {(1, 1), (1, 2), (2, 1)})])
def test_samples_of_sides(whole: Path, tmp_path: Path, pieces: str, expected: set[tuple[int, int]]) -> None:
    made = sampled(whole, tmp_path / "sides.h5", pieces=pieces, fraction=0.01)
    boards = np.concatenate([content(made.out)[f"{share}/board"] for share in SHARES])
    assert {(black.bit_count(), white.bit_count()) for black, white, _ in boards.tolist()} == expected
    share = sum(slices.size(shape) for shape in sample.slices_of(pieces)) * 0.01
    assert abs(made.positions - share) < 5 * share**0.5


def test_shares() -> None:
    assert sample.parse_shares("0.7,0.1,0.2") == (0.7, 0.1, 0.2)
    assert sample.parse_shares(sample.format_shares((0.5, 0.25, 0.25))) == (0.5, 0.25, 0.25)
    for text in ("", "0.5", "0.5,0.5", "0.5,0.5,0.5", "-1,1,1", "a,b,c"):
        with pytest.raises(InvalidSettingError, match="three shares"):
            sample.parse_shares(text)
