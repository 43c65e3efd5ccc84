"""Regions of any size: tables from arrays as the core, numpy and plain sums see them, files, fits, and refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playouts import positions, random_game, write_run
from tables import TINY

import kr
from kr.cli import main
from kr.errors import InvalidSettingError, KrError
from kr.evaluation.kinds import load_scorer
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.patterns import MEN_ENTRIES, mover_frame
from kr.evaluation.weights import load_tables

CORNER, CENTRE, EDGE = (0, 1, 4, 5), (13, 14, 17, 18, 21), (28, 12, 4)
LINE = (0, 5, 9, 14, 18, 23, 27)
MATERIAL = (100, (130, 150), (3, -2))
rng = np.random.default_rng(5)


def table(base: int, squares: tuple[int, ...], columns: int = 2) -> np.ndarray:
    """Entries of whole units, so that nothing is rounded."""
    shape = (base ** len(squares), columns) if columns == 2 else base ** len(squares)
    return rng.integers(-300, 300, shape) / 16


MEN = [(squares, table(3, squares, columns)) for squares, columns in ((CORNER, 2), (CENTRE, 1), (EDGE, 2), (LINE, 2))]
KINGS = [(squares, table(5, squares)) for squares in (CENTRE, EDGE)]


@pytest.fixture(scope="module")
def own() -> kr.Weights:
    return kr.Weights.from_tables(MEN, KINGS, MATERIAL, name="mine", centimen_per_logit=42.5)


def plain_score(position: kr.Position) -> float:
    """Score by the definition, region by region."""
    if position.side == kr.Side.WHITE:
        position = position.flipped()
    board = [position.piece_at(square) for square in range(32)]
    digits = [0 if piece is None else "bwBW".index(piece) + 1 for piece in board]
    pieces, kings = position.pieces, position.kings != 0
    base, regions = (5, KINGS) if kings else (3, MEN)
    opening = pieces / 24
    material = [(100, 100), (130, 150), (3, -2)]
    count = [digits.count(1) - digits.count(2), digits.count(3) - digits.count(4), 1]
    total = sum(n * (opening * o + (1 - opening) * e) for n, (o, e) in zip(count, material, strict=True))
    for squares, entries in regions:
        entry = entries[sum(digits[square] * base**place for place, square in enumerate(squares))]
        first, last = entry if np.ndim(entry) else (entry, entry)
        total += opening * first + (1 - opening) * last
    return float(total)


def test_core_numpy_and_the_definition_agree(own: kr.Weights) -> None:
    engine = kr.Engine(own, hash_mb=1, database="none")
    played = [position for number in range(3) for position in positions(random_game(number, 2))]
    assert {bool(position.kings) for position in played} == {False, True}
    rows = np.array([position.bits for position in played], dtype=np.uint32)
    expected = [plain_score(position) for position in played]
    assert own.scores(mover_frame(rows)) == pytest.approx(expected)
    found = engine.evaluate_batch(rows).tolist()
    assert all(abs(a - b) <= 1 for a, b in zip(found, expected, strict=True))
    assert kr.explain(played[30], own).score == found[30]
    assert load_scorer(own) is load_scorer(own)


def test_tables_are_saved_loaded_and_searched_alike(own: kr.Weights, tmp_path: Path) -> None:
    own.save(tmp_path / "mine.h5")
    again = kr.Weights.load(tmp_path / "mine.h5")
    assert (again.checksum, again.layout) == (own.checksum, own.layout)
    assert again.attrs["centimen_per_logit"] == 42.5
    assert str(again) == f"<weights mine: 2 and 1 tables, {own.checksum}>"
    assert again.men_parts is not None
    assert {part.squares for part in again.men_parts.windows.parts} == {tuple(sorted(squares)) for squares, _ in MEN}
    assert [len(again.layout.men), len(again.layout.kings)] == [2, 1]
    assert (tmp_path / "mine.h5").stat().st_size < 100_000
    found = [
        kr.Engine(weights, hash_mb=1, database="none").search(kr.Position(), "depth=7")
        for weights in (own, again, tmp_path / "mine.h5")
    ]
    assert len({(result.nodes, result.score, *map(str, result.pv)) for result in found}) == 1
    with pytest.raises(InvalidSettingError, match="centimen_per_logit"):
        kr.Weights.from_tables(MEN, centimen_per_logit=0)


def test_regions_of_the_full_size_are_tables_of_the_core() -> None:
    """Those of a weights file, through this way, are the same tables, with the same checksum."""
    small = LAYOUTS["small"]
    men = {squares: rng.integers(-99, 99, (MEN_ENTRIES, 2), dtype=np.int16) for squares in small.men[:2]}
    kings = {squares: rng.integers(-99, 99, (5**8, 2), dtype=np.int16) for squares in small.kings[:2]}
    made = kr.Weights.from_tables(
        {squares: entries / 16 for squares, entries in men.items()},
        [(squares, entries / 16) for squares, entries in kings.items()],
        name="small",
    )
    assert made.men_parts is None
    assert np.array_equal(made.men_table, np.stack(list(men.values())))
    assert np.array_equal(made.kings_table, np.stack(list(kings.values())))


def test_a_region_lies_in_as_few_tables_as_there_is_room_for() -> None:
    pairs = [(square, square + 1) for square in range(0, 32, 2)]
    assert len(kr.RegionSet(pairs).layout.men) == 3
    regions = kr.RegionSet([range(12), (0, 1, 2), *pairs[6:]], [(3,)])
    windows = regions.windows(kings=False)
    assert windows.regions[0] == tuple(range(12))
    assert windows.shells == {1, 2}
    assert windows.parts[0].home == 0


SPREAD = [tuple(sorted({place, *range(20, 31)})) for place in range(20)]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"men": []}, "regions own: none at all"),
    (
        {"men": [((0, 1), np.zeros(8))]},
        "men, region 1: its table has the shape (8,); for 2 squares expected (9,), or (9, 2)",
    ),
    (
        {"kings": [((0, 1), np.zeros((25, 3)))]},
        "kings, region 1: its table has the shape (25, 3); for 2 squares expected (25,)",
    ),
    ({"men": [(range(13), np.zeros(3**13))]}, "men, region 1 has 13 squares; expected 1 to 12"),
    ({"kings": [(range(9), np.zeros(3))]}, "kings, region 1 has 9 squares; expected 1 to 8"),
    ({"men": [((0, 32), np.zeros(9))]}, "men, region 1: no square 32; squares are 0 to 31"),
    ({"men": [((0, 0), np.zeros(9))]}, "men, region 1: the square 0 is listed twice"),
    ({"men": [((0, 1), np.zeros(9)), ((1, 0), np.zeros(9))]}, "men, region 2: the same squares as region 1"),
    ({"men": [((0,), [0, math.nan, 1])]}, "men, region 1: numbers that are not finite"),
    ({"men": [((0,), [0, math.inf, 1])]}, "men, region 1: numbers that are not finite"),
    ({"men": [((0,), [0, 2048, 1])]}, "men, region 1: 2048 centi-men; at most 2,047"),
    ({"men": [((0,), ["0", "1", "2"])]}, "men, region 1: ['0', '1', '2'] is not an array of numbers"),
    ({"men": [((0,), [[0], [1, 2], 3])]}, "men, region 1: [[0], [1, 2], 3] is not an array of numbers"),
    ({"men": [((0,), None)]}, "men, region 1: None is not an array of numbers"),
    ({"men": [((0,), [0, 1500, 0]), ((1,), [0, 1500, 0])]}, "men: regions in one table of the core add up to more"),
    ({"men": np.zeros((6, 9))}, "expected pairs of a list of squares and its table"),
    ({"men": 3}, "men: 3; expected pairs of a list of squares and its table"),
    ({"men": [((square,), np.zeros(3)) for square in range(32)] * 6}, "men has 192 regions; from 0 to 160"),
    ({"men": MEN, "material": (1, 2)}, "material of men: (1, 2); expected a man, a king and having the move"),
    ({"men": MEN, "material": "100"}, "material of men: '100'; expected"),
    ({"men": MEN, "kings_material": (1, 2, (3, 4, 5))}, "material of kings: (1, 2, (3, 4, 5)); expected"),
    ({"men": MEN, "material": (1, 2, 1e9)}, "material of men: 1e+09 centi-men; at most 65,536"),
    ({"men": MEN, "name": "a\nb"}, "regions: its name is 'a\\nb'; expected 1 to 100 printable characters"),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_anything_else_is_refused_in_a_line(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSettingError) as caught:
        kr.Weights.from_tables(**words)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_more_than_the_core_holds_is_refused() -> None:
    rows = [tuple(sorted(rng.choice(32, 8, replace=False).tolist())) for _ in range(60)]
    with pytest.raises(InvalidSettingError, match="kings: 60 regions need 60 tables of 8 squares each; at most 32"):
        kr.RegionSet(kings=rows)


odd = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 40), st.floats(), st.text(max_size=3), st.lists(st.integers(-1, 33)),
    st.just(np.zeros(9)), st.just(np.zeros((9, 2))), st.just(np.array([1, math.nan, 2])), st.just(np.array(object())),
)  # fmt: skip
START = mover_frame(np.array([kr.Position().bits], dtype=np.uint32))
pair = st.one_of(odd, st.tuples(odd, odd), st.tuples(st.lists(st.integers(0, 31), max_size=3), odd), st.tuples(odd))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(men=st.one_of(odd, st.lists(pair, max_size=3)), kings=st.one_of(odd, st.lists(pair, max_size=2)), other=odd)
def test_whatever_is_given_makes_tables_or_one_line(men: object, kings: object, other: object) -> None:
    for words in ({"men": men, "kings": kings}, {"men": MEN[:1], "material": other}, {"men": MEN[:1], "name": other}):
        refusal = ""
        try:
            made = kr.Weights.from_tables(**words)
            assert np.isfinite(made.scores(START)).all()
        except KrError as error:
            refusal = str(error)
        assert "\n" not in refusal
        assert len(refusal) < 300


# --- files, and fits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a JSON file of regions: "),
        ("[1]", "expected one JSON object with name, men and kings"),
        ('{"men": [[1]], "kins": [[1]]}', "expected one JSON object with name, men and kings"),
        ('{"men": [[0, 1]]}', "men, region 1: no square 0; squares are 1 to 32"),
        ('{"men": [[1, 33]]}', "men, region 1: no square 33; squares are 1 to 32"),
        ('{"men": [[1, 2], [2, 1]]}', "men, region 2: the same squares as region 1"),
        ('{"men": [[]]}', "men, region 1 has 0 squares; expected 1 to 12"),
        ('{"kings": [[1, 2, 3, 4, 5, 6, 7, 8, 9]]}', "kings, region 1 has 9 squares; expected 1 to 8"),
        ('{"men": [[1, 1.5]]}', "men, region 1 is [1, 1.5]; expected a list of 1 to 12 squares"),
        ('{"men": "all"}', "men is 'all'; expected lists of 1 to 12 squares"),
        ("{}", "none at all; expected lists of squares for men or kings"),
        ('{"men": [[1]], "name": 3}', "mine.json: regions: its name is 3"),
        ("[" * 20_000, "not a JSON file of regions: "),
    ],
)
def test_wrong_files_are_refused(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text)
    assert main(["fit", str(tmp_path), "--out", str(tmp_path / "x.h5"), "--regions", str(path)]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_files_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    regions = kr.RegionSet([CORNER, LINE], [EDGE], "mine")
    regions.write(tmp_path / "other.json")
    assert kr.RegionSet.read(tmp_path / "other.json") == regions
    assert main(["weights", "layout", "small", "--regions"]) == 0
    (tmp_path / "small.json").write_text(capsys.readouterr().out)
    small = kr.RegionSet.read(tmp_path / "small.json")
    assert (small.name, small.men, small.kings) == ("small", LAYOUTS["small"].men, LAYOUTS["small"].kings)
    (tmp_path / "other.json").write_text(json.dumps({"men": [[32, 1]]}))
    assert kr.RegionSet.read(tmp_path / "other.json") == kr.RegionSet([(0, 31)], name="other")
    assert "no region of men has the squares 2, 3" in kr.RegionSet([(0, 31)]).warning
    with pytest.raises(InvalidSettingError, match="layout and regions exclude each other"):
        kr.FitSettings((tmp_path,), layout=LAYOUTS["small"], regions=regions)
    pairs = [(a + first, b + first) for first in (0, 12) for a in range(12) for b in range(a)]
    many = kr.RegionSet([*pairs, *[(0, 1, square) for square in range(2, 12)]])
    with pytest.raises(InvalidSettingError, match="at most 160: fit with --no-parts"):
        kr.FitSettings((tmp_path,), regions=many)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("run")
    write_run(directory, 150)
    return directory


@pytest.mark.soak
def test_a_fit_to_regions_of_any_size(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Entries are the sum of the regions' weights, nothing else; they predict better than material alone."""
    regions = kr.RegionSet([CENTRE, CORNER, *[(square,) for square in range(32)]], [(square,) for square in range(32)])
    regions.write(tmp_path / "mine.json")
    out = tmp_path / "mine.h5"
    words = ["fit", str(run), "--out", str(out), "--max-iter", "6", "--no-parts", "--label", "result", "--quiet"]
    assert main([*words, "--regions", str(tmp_path / "mine.json"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    found = load_tables(out)
    for kings, parts, whole in (
        (False, found.men_parts, found.men_table),
        (True, found.kings_parts, found.kings_table),
    ):
        assert parts is not None
        assert {part.squares for part in parts.windows.parts} == set(regions.kings if kings else regions.men)
        assert np.array_equal(whole, parts.windows.unfolded(parts.values))
        assert np.abs(parts.values).max() > 0
    first, *_, last = report["history"]["men"]
    assert last[0] < first[0]
    assert kr.fit(kr.FitSettings((run,), out, regions=regions, max_iter=6, parts=False, label=kr.Label())).earlier
    assert main([*words, "--prior", str(out), "--regions", str(tmp_path / "mine.json")]) == 0


@pytest.mark.slow
def test_a_fit_to_regions_of_the_full_size_is_that_of_their_layout(run: Path, tmp_path: Path) -> None:
    regions = kr.RegionSet(TINY.men, TINY.kings, TINY.name)
    made = [
        kr.fit(kr.FitSettings((run,), tmp_path / f"{len(words)}.h5", max_iter=3, **words)).checksum
        for words in ({"layout": TINY}, {"regions": regions, "parts": True})
    ]
    assert made[0] == made[1]
