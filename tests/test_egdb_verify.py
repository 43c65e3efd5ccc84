"""Verification: a right database passes with the right counts, and every problem of a wrong one is found and named."""

import dataclasses
import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from egdb_packs import encode_values
from numpy.typing import NDArray

from kr import _egdb, storage
from kr.egdb import files, proof_record, slices, verify
from kr.egdb.database import Database
from kr.egdb.slices import Shape
from kr.egdb.stats import Counts
from kr.egdb.verify import Verification, VerifySettings
from kr.errors import InvalidDatabaseError, InvalidSettingError
from kr.game.position import Position, Side

pytestmark = pytest.mark.core

KNOWN = {"2": Counts(716, 402, 2_370), "3": Counts(100_250, 87_305, 8_477)}
VALUES = {"lost": _egdb.VALUE_LOSS, "drawn": _egdb.VALUE_DRAW, "won": _egdb.VALUE_WIN}
TWO_KINGS: Shape = (0, 2, 0, 1)
PROOF = verify.PROOF_NAME.format(3)
DEEP = b"[" * 100_000
SHIFTS = np.arange(0, 8, 2, dtype=np.uint8)


def verified(directory: Path, **changes: object) -> Verification:
    return verify.verify_database(VerifySettings(**{"dir": directory, "workers": 2, **changes}))  # type: ignore[arg-type]


def stored_values(path: Path) -> NDArray[np.uint8]:
    """Values of a file, one for each entry; with captures pending they are meaningless."""
    opened = files.open_slice(path)
    packed = opened.coded.unpacked().view(np.uint8)
    return (packed[:, None] >> SHIFTS & 3).reshape(-1)[: opened.header.entries].copy()


def rewrite(path: Path, values: NDArray[np.uint8], facts: dict[str, object] | None = None) -> None:
    """Write a file again with other values or facts, and right checksums."""
    header = files.read_header(path)
    entries = np.zeros(-(-len(values) // 32) * 32, dtype=np.uint8)
    entries[: len(values)] = values
    packed = (entries.reshape(-1, 4) << SHIFTS).sum(axis=1, dtype=np.uint8).view(np.uint64)
    storage.write_atomic(
        path, files.values_file(encode_values({header.stored: packed}), {**header.facts, **(facts or {})})
    )


def value_file(directory: Path, shape: Shape) -> Path:
    return directory / files.file_name("wld", slices.pair_of(shape))


def position_at(shape: Shape, index: int) -> Position:
    black, white, kings, side = _egdb.egdb_position(shape, index)
    return Position(black, white, kings, Side(side))


def is_quiet(position: Position) -> bool:
    return not any(move.is_capture for move in position.legal_moves())


def value_of(database: Database, position: Position) -> int:
    return int(database.core.probe(position.black, position.white, position.kings, position.side))


def test_a_right_database_is_proven_and_counted(whole: Path) -> None:
    found = verified(whole)
    assert (found.wrong, found.problems, found.skipped, found.sampled) == (0, [], [], False)
    assert {count: each.counts for count, each in found.verified.items()} == KNOWN
    assert {count: each.positions for count, each in found.verified.items()} == {"2": 3_488, "3": 196_032}
    assert all(each.distances for each in found.verified.values())
    assert found.files == len(list(whole.glob("*.egdb"))) == 2 * (3 + 6)


@pytest.mark.parametrize("shape", [(1, 0, 1, 0), (0, 1, 0, 1), (1, 1, 1, 0), TWO_KINGS], ids=slices.name)
def test_every_part_of_a_slice_is_counted_once(whole: Path, shape: Shape) -> None:
    """In parts or at once, from either slice of a pair: the same counts."""
    database = Database.open(whole)
    arrangements = slices.size(shape) // slices.block(shape)
    cuts = sorted({0, 1, arrangements // 3, arrangements - 1, arrangements})
    stop = np.zeros(1, dtype=np.int32)
    total = np.zeros((2, 3), dtype=np.int64)
    for first, last in itertools.pairwise(cuts):
        own, other, wrong, _ = _egdb.egdb_check_arrangements(database.core, shape, first, last, None, stop)
        total += np.array([own, other])
        assert wrong == 0
    own, other, *_ = _egdb.egdb_check_arrangements(
        database.core, slices.twin(shape), 0, slices.size(slices.twin(shape)) // slices.block(shape), None, stop
    )
    assert total.tolist() == ([list(own), list(other)] if slices.is_symmetric(shape) else [list(other), list(own)])
    assert total[0].sum() == slices.size(shape)
    stop[0] = 1
    checked = _egdb.egdb_check_arrangements(database.core, shape, 0, arrangements, None, stop)
    assert checked == ((0,) * 3, (0,) * 3, 0, [])


@pytest.mark.parametrize(("right", "stated"), list(itertools.permutations(VALUES, 2)))
def test_one_wrong_value_is_found(copy: Path, right: str, stated: str) -> None:
    path, values, index = next(
        (path, values, index)
        for pair in slices.pairs(3)
        for path in [value_file(copy, pair)]
        for values in [stored_values(path)]
        for index in np.flatnonzero(values == VALUES[right])
        if is_quiet(position_at(files.read_header(path).stored, index))
    )
    values[index] = VALUES[stated]
    rewrite(path, values)
    found = verified(copy)
    position = position_at(files.read_header(path).stored, index)
    twin = position.flipped()
    # in the message, the side with more pieces is Black
    wrong = [problem for problem in found.problems if position.fen in problem or twin.fen in problem]
    assert wrong
    assert all(f"is {stated}; by its moves it is {right}" in problem for problem in wrong)


def test_wins_that_lead_nowhere_are_found(whole: Path, copy: Path) -> None:
    """Draws of two kings against one, turned into wins that agree with all their successors: found only by a proof."""
    database = Database.open(whole)
    claimed = {
        position
        for shape in slices.members(TWO_KINGS)
        for index in range(slices.size(shape))
        if value_of(database, position := position_at(shape, index)) == _egdb.VALUE_DRAW and is_quiet(position)
    }
    # the largest set in which the two kings can stay and which the single king can leave only by losing
    while True:
        left = {
            position
            for position in claimed
            if (
                position.black.bit_count() == 2
                and not any(position.play(move).flipped() in claimed for move in position.legal_moves())
            )
            or (
                position.black.bit_count() == 1
                and not all(
                    (after := position.play(move).flipped()) in claimed or value_of(database, after) == _egdb.VALUE_WIN
                    for move in position.legal_moves()
                )
            )
        }
        if not left:
            break
        claimed -= left
    assert claimed
    path = value_file(copy, TWO_KINGS)
    stored, values = files.read_header(path).stored, stored_values(path)
    for index in range(len(values)):
        if position_at(stored, index) in claimed:
            values[index] = _egdb.VALUE_WIN if stored == TWO_KINGS else _egdb.VALUE_LOSS
    rewrite(path, values)
    found = verified(copy)
    assert found.wrong >= len(claimed)
    assert any(problem.startswith("wld-0201") for problem in found.problems)
    assert all("no line of play" in problem for problem in found.problems if problem.startswith("wld-0201"))
    # each value agrees with its successors
    shaken = Database.open(copy)
    for shape in slices.members(TWO_KINGS):
        boards = np.array([_egdb.egdb_position(shape, i)[:3] for i in range(slices.size(shape))], dtype=np.uint32)
        assert _egdb.egdb_check_boards(shaken.core, boards, False) == (0, [])


def test_a_sample_is_compared_with_its_successors(whole: Path, copy: Path) -> None:
    share = 0.1
    found = verified(whole, sample=share)
    assert (found.wrong, found.sampled) == (0, True)
    checked = sum(each.positions for each in found.verified.values())
    assert abs(checked - share * 199_520) < 700
    assert found.verified["3"].counts is None
    again = verified(whole, sample=share, workers=1)
    assert again.verified == found.verified
    assert verified(whole, sample=share, seed=2).verified != found.verified

    path = value_file(copy, TWO_KINGS)
    values = stored_values(path)
    values[values != _egdb.VALUE_DRAW] = _egdb.VALUE_DRAW
    rewrite(path, values)
    assert verified(copy, sample=share).wrong > 100


@pytest.mark.parametrize("pair", [(0, 1, 0, 1), (1, 1, 1, 0), TWO_KINGS], ids=slices.name)
def test_one_wrong_distance_is_found(copy: Path, pair: Shape) -> None:
    path = copy / files.file_name("dtw", pair)
    opened = files.open_slice(path)
    stored = opened.header.stored
    halves = opened.coded.read(np.arange(opened.header.entries, dtype=np.uint64)).astype(np.uint8)
    database = Database.open(copy)
    index = next(
        index
        for index in range(len(halves))
        for position in [position_at(stored, index)]
        if is_quiet(position) and value_of(database, position) != _egdb.VALUE_DRAW and halves[index] > 2
    )
    plies = database.distance(position_at(stored, index)) or 0
    halves[index] -= 1
    storage.write_atomic(path, files.distances_file({stored: halves}, opened.header.facts))
    # a sample of nearly all is slow, but for two pieces
    for sample in (0.0, 0.999)[: 1 + (sum(pair) == 2)]:
        found = verified(copy, sample=sample, pieces=sum(pair))
        assert found.wrong
        assert all(problem.startswith("dtw-") for problem in found.problems)
        expected = position_at(stored, index)
        wrong = [each for each in found.problems if f"{expected.fen} " in each or f"{expected.flipped().fen} " in each]
        assert wrong
        assert all(f"ends in {plies - 2} plies; by its moves, in {plies}" in each for each in wrong)


def test_wrong_counts_are_named(copy: Path) -> None:
    path = value_file(copy, (1, 0, 1, 0))
    losses, draws, wins = files.read_header(path).facts["counts"]["1010"]
    rewrite(path, stored_values(path), {"counts": {"1010": (losses + 1, draws - 1, wins)}})
    found = verified(copy)
    assert found.wrong == 1
    assert str(path) in found.problems[0]
    assert f"{losses + 1} losses" in found.problems[0]
    # a sample counts nothing, but the right numbers are known from earlier builds
    found = verified(copy, sample=0.5)
    assert found.wrong == 1
    assert f"earlier builds had {wins} wins, {losses} losses, {draws} draws" in found.problems[0]


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: path.write_bytes(path.with_name("wld-1010.egdb").read_bytes()), "wld-1010.egdb"),
        (lambda path: rewrite(path, stored_values(path), {"counts": {}}), "counts"),
    ],
    ids=["renamed", "without counts"],
)
def test_damaged_files_are_named(copy: Path, harm: Callable[[Path], None], message: str) -> None:
    path = value_file(copy, (1, 1, 1, 0))
    harm(path)
    found = verified(copy)
    assert found.wrong == 1
    assert path.name in found.problems[0]
    assert message in found.problems[0]
    assert found.verified == {}


def test_files_that_are_not_all_there(whole: Path, copy: Path, tmp_path: Path) -> None:
    value_file(copy, (0, 2, 1, 0)).unlink()
    found = verified(copy)
    assert (found.wrong, found.pieces) == (0, 2)
    assert {name[4:8] for name in found.skipped} | {"0210"} == {slices.name(pair) for pair in slices.pairs(3)}
    with pytest.raises(InvalidSettingError, match="wld-0210.egdb is missing"):
        verified(copy, pieces=3)
    with pytest.raises(InvalidSettingError, match="is missing"):
        verified(whole, pieces=4)
    assert verified(whole, pieces=2).pieces == 2
    with pytest.raises(InvalidDatabaseError, match="no endgame database"):
        verified(tmp_path)
    value_file(copy, (1, 0, 1, 0)).unlink()
    with pytest.raises(InvalidSettingError, match="wld-1010.egdb is missing"):
        verified(copy)


@dataclasses.dataclass
class Interrupted:
    """A progress display during which the user interrupts."""

    calls: int
    """Ranges to let pass before the interruption."""
    done: list[float] = dataclasses.field(default_factory=list)

    def __call__(self, what: str, done: float, total: float) -> None:
        if what == "positions":
            self.done.append(done)
            if len(self.done) > self.calls:
                raise KeyboardInterrupt


@pytest.fixture
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "CHECKED_AT_ONCE", 3_000)


def proven_in_part(directory: Path, ranges: int) -> float:
    """Prove some ranges; returns the number of positions gone through."""
    progress = Interrupted(ranges)
    with pytest.raises(KeyboardInterrupt):
        verify.verify_database(VerifySettings(dir=directory, workers=2), progress)
    return progress.done[-1]


def begun_at(directory: Path, **changes: object) -> float:
    """Number of positions that a proof starts from; it is interrupted at once."""
    progress = Interrupted(0)
    with pytest.raises(KeyboardInterrupt):
        verify.verify_database(VerifySettings(dir=directory, **changes), progress)  # type: ignore[arg-type]
    return progress.done[0]


@pytest.mark.slow
@pytest.mark.usefixtures("small_ranges")
def test_a_proof_is_resumed(copy: Path) -> None:
    right = verified(copy)
    assert not (copy / PROOF).exists()
    assert begun_at(copy) == 0
    first = proven_in_part(copy, 2)
    assert first > 0
    second = proven_in_part(copy, 9)
    assert second > first
    assert begun_at(copy) == second
    assert begun_at(copy, pieces=2) == 0
    found = verified(copy)
    assert found.seconds > 0
    assert dataclasses.replace(found, seconds=right.seconds) == right
    # a further run proves everything again
    assert not (copy / PROOF).exists()
    assert begun_at(copy) == 0


def changed_file(directory: Path) -> None:
    path = value_file(directory, (1, 0, 1, 0))
    rewrite(path, stored_values(path), {"other": 1})


def changed_proof(change: Callable[[str], str]) -> Callable[[Path], None]:
    def harm(directory: Path) -> None:
        path = directory / PROOF
        path.write_text(change(path.read_text()))

    return harm


@pytest.mark.parametrize(
    "harm",
    [
        changed_file,
        changed_proof(lambda text: text.replace("[[0, ", "[[1, ", 1)),
        changed_proof(lambda text: text[:-9]),
        changed_proof(lambda text: ""),
        changed_proof(lambda text: f"{storage.checksum(b'[]')}\n[]"),
        changed_proof(lambda text: f"{storage.checksum(DEEP)}\n{DEEP.decode()}"),
        lambda directory: (directory / PROOF).write_bytes(b"\xff" * 9),
    ],
    ids=["a file of the database", "overwritten", "truncated", "empty", "foreign", "nested", "no text"],
)
@pytest.mark.usefixtures("small_ranges")
def test_a_proof_starts_over_when_something_changed(copy: Path, harm: Callable[[Path], None]) -> None:
    assert proven_in_part(copy, 5) > 0
    harm(copy)
    assert begun_at(copy) == 0


@pytest.mark.usefixtures("small_ranges")
def test_a_proof_starts_over_with_other_code(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert proven_in_part(copy, 5) > 0
    other = tmp_path / "verify.py"
    other.write_text(Path(verify.__file__).read_text() + "# more\n")
    with monkeypatch.context() as changed:
        changed.setattr(verify, "__file__", str(other))
        assert begun_at(copy) == 0


@pytest.mark.usefixtures("small_ranges")
def test_a_proof_with_findings_starts_over(copy: Path) -> None:
    assert proven_in_part(copy, 5) > 0
    path = value_file(copy, TWO_KINGS)
    values = stored_values(path)
    values[:] = _egdb.VALUE_DRAW
    rewrite(path, values)
    # the slice with the most kings comes first
    assert proven_in_part(copy, 10) > 0
    assert begun_at(copy) == 0
    assert verified(copy).wrong
    assert not (copy / PROOF).exists()


def test_a_database_that_can_only_be_read_is_proven(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, content: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(proof_record, "SAVE_SECONDS", 0)
    monkeypatch.setattr(storage, "write_atomic", refuse)
    assert verified(copy).wrong == 0


def test_arrangements_beyond_the_slice_are_refused(whole: Path) -> None:
    database = Database.open(whole)
    with pytest.raises(ValueError, match="beyond"):
        _egdb.egdb_check_arrangements(database.core, TWO_KINGS, 0, 2, None, np.zeros(1, dtype=np.int32))
