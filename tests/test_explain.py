"""kr explain: the parts of a static score make the score exactly, and are shared out fairly."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tables import random_weights
from test_evaluate import playout_positions

from kr import InvalidSettingError, Position, Side
from kr.cli import main
from kr.evaluation.explanation import Explanation
from kr.evaluation.kinds import Evaluation, explain, load_evaluation
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.parts import MEN_SHAPES, with_parts
from kr.evaluation.patterns import KINGS_BASE, MEN_BASE
from kr.evaluation.picture import colours, format_share
from kr.evaluation.regions import SCORE_UNITS, Regions, _digits, _Mix, _of_parts, _shared_out
from kr.evaluation.weights import Parts

CHOSEN = [
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "B:W18,22,25,26,28,30,31,32:B1,3,5,8,11,12,13,19",
    "W:WK10,21,27,K30:B1,2,9,11,K23",
    "W:WK32:BK1",
    "W:W21:B",
]
POSITIONS = [*map(Position.from_fen, CHOSEN), *playout_positions(300)[::12]]


@pytest.fixture(scope="module")
def random_tables() -> Evaluation:
    return Regions(random_weights("small"))


@pytest.fixture(scope="module")
def shipped() -> Evaluation:
    return load_evaluation()


@cache
def core() -> Any:
    return Regions(random_weights("small")).core


def score_of(position: Position) -> int:
    return core().evaluate(position.black, position.white, position.kings, int(position.side))


def whole(number: float) -> int:
    """A number of SCORE_UNITS, which it must be."""
    units = round(number * SCORE_UNITS)
    assert units == pytest.approx(number * SCORE_UNITS, abs=1e-6)
    return units


def check_sums(found: Explanation) -> None:
    assert found.material is not None
    assert found.rounding is not None
    assert whole(found.material) == sum(whole(piece.material or 0.0) for piece in found.pieces)
    # regions, material and the move make the score, exactly
    total = whole(found.material) + whole(found.move) + sum(whole(region.score) for region in found.regions)
    assert math.trunc(Fraction(total, SCORE_UNITS)) == found.score
    assert total + whole(found.rounding) == found.score * SCORE_UNITS
    assert abs(found.rounding) < 1
    # and so do the pieces with what belongs to none
    places = sum(piece.place or 0.0 for piece in found.pieces)
    assert places + found.empty == pytest.approx(sum(region.score for region in found.regions), abs=1e-6)


@pytest.mark.core
@pytest.mark.parametrize("number", range(len(POSITIONS)))
def test_sums_are_the_static_score(number: int, random_tables: Evaluation) -> None:
    position = POSITIONS[number]
    found = random_tables.explain(position)
    assert found.score == score_of(position)
    assert found.group == ("kings" if position.kings else "men")
    check_sums(found)
    for piece in found.pieces:
        bit = ~(1 << piece.square)
        without = Position(position.black & bit, position.white & bit, position.kings & bit, position.side)
        assert piece.worth == found.score - score_of(without)


@pytest.mark.slow
@pytest.mark.parametrize("fen", CHOSEN[:3])
def test_the_shipped_tables(fen: str, shipped: Evaluation) -> None:
    found = shipped.explain(Position.from_fen(fen))
    check_sums(found)
    assert all(region.own is not None for region in found.regions)


@pytest.mark.parametrize("number", range(0, len(POSITIONS), 6))
def test_both_colours_are_explained_alike(number: int, random_tables: Evaluation) -> None:
    found, twin = (random_tables.explain(each) for each in (POSITIONS[number], POSITIONS[number].flipped()))
    assert twin.score == found.score
    assert {31 - piece.square: (piece.place, piece.material, piece.worth) for piece in twin.pieces} == {
        piece.square: (piece.place, piece.material, piece.worth) for piece in found.pieces
    }
    assert [tuple(sorted(31 - square for square in region.squares)) for region in twin.regions] == [
        region.squares for region in found.regions
    ]


@pytest.mark.parametrize("kings", [False, True])
def test_shares_are_the_mean_over_all_orders(kings: bool) -> None:
    made = random_weights("small")
    region, table, base = (
        (made.layout.kings[4], made.kings_table[4], KINGS_BASE)
        if kings
        else (made.layout.men[2], made.men_table[2], MEN_BASE)
    )
    digits = [0] * 32
    for i, square in enumerate(region[1::2][:5]):
        digits[square] = 1 + i % (base - 1)
    standing = [square for square in region if digits[square]]
    mix = _Mix(11)

    def entry(present: set[int]) -> int:
        index = sum(base**i * digits[square] for i, square in enumerate(region) if square in present)
        return int(mix(table[index]))

    expected = dict.fromkeys(standing, Fraction(0))
    for order in itertools.permutations(standing):
        for i, square in enumerate(order):
            expected[square] += entry({*order[: i + 1]}) - entry({*order[:i]})
    shares, total, empty = _shared_out(table, region, digits, base, mix)
    assert shares == {square: share / math.factorial(len(standing)) for square, share in expected.items()}
    assert (total, empty) == (entry(set(standing)), entry(set()))
    assert sum(shares.values()) + empty == total


def test_what_the_parts_bring() -> None:
    windows = with_parts(LAYOUTS["small"].men, MEN_BASE, MEN_SHAPES)
    values = np.random.default_rng(3).integers(-99, 99, (windows.starts[-1], 2), dtype=np.int16)
    unfolded = windows.unfolded(values)
    digits = _digits(Position.from_fen(CHOSEN[1]))
    for number, region in enumerate(windows.regions):
        index = sum(MEN_BASE**i * digits[square] for i, square in enumerate(region))
        assert _of_parts(Parts(windows, values), number, digits).tolist() == unfolded[number, index].tolist()


def test_material_and_manual() -> None:
    position = Position.from_fen(CHOSEN[2])
    by_material = explain(position, "material")
    check_sums(by_material)
    assert [piece.worth for piece in by_material.pieces] == [piece.material for piece in by_material.pieces]
    by_hand = explain(position, "manual")
    assert (by_hand.material, by_hand.regions, by_hand.rounding) == (None, (), None)
    assert "no tables" in by_hand.note
    assert by_hand.shares == {piece.square: piece.worth for piece in by_hand.pieces}
    with pytest.raises(InvalidSettingError, match="empty board"):
        explain(Position.from_fen("B:W:B"), "material")


def test_notes() -> None:
    assert "capture" in explain(Position.from_fen("B:W18:B15"), "material").note
    assert "over" in explain(Position.from_fen("B:W18:B"), "material").note
    assert explain(Position(), "material").note == ""


def test_colours() -> None:
    shown = colours({1: 30.0, 2: -30.0, 3: 0.0, 4: 15.0}, Side.BLACK)
    # one colour for one side, whoever is to move
    assert colours({1: -30.0, 2: 30.0, 3: 0.0, 4: -15.0}, Side.WHITE) == shown
    assert shown[3] == "#dedbd0"
    assert shown[1] == "#2a78d6"
    assert shown[2] == "#eb6834"
    assert len(set(shown.values())) == 4
    assert [format_share(share) for share in (12.34, -0.02, 0.0, -8.0)] == ["+12.3", "0", "0", "-8.0"]


# --- the command


@pytest.mark.slow
@pytest.mark.smoke
def test_text_and_pictures(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    svg, png = tmp_path / "board.svg", tmp_path / "board.png"
    line = ["explain", "--moves", "11-15 22-18", "--flip"]
    assert main([*line, "--svg", str(svg), "--png", str(png)]) == 0
    out = capsys.readouterr().out
    position = Position().play("11-15").play("22-18")
    assert f"{position.fen}, Black to move: static score" in " ".join(out.split())
    assert "empty regions" in out
    labels = [each for each in ElementTree.parse(svg).iter() if each.get("class") == "label"]
    assert len(labels) == 24
    assert png.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "weights", "said"),
    [
        (CHOSEN[1], "shipped", ["Black to move: static score -69 centi-men", "helps Black", "helps White",
                                "each piece's share of the table entries, in centi-men", "weights: shipped"]),
        (CHOSEN[2], "manual", ["White to move: static score ", "helps Black", "helps White",
                               "what the score loses without the piece, in centi-men", "weights: manual"]),
    ],
)  # fmt: skip
def test_a_picture_says_what_it_shows(fen: str, weights: str, said: list[str]) -> None:
    from kr.evaluation.plot import explanation_figure

    found = explain(Position.from_fen(fen), weights)
    picture = ElementTree.fromstring(found.svg())
    texts = [each.text or "" for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    for text in said:
        assert any(each.startswith(text) for each in texts), text
    assert [text for text in texts if text.startswith("helps")] == said[1:3]
    # nothing outside of the picture
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    assert all(0 <= float(each.attrib["y"]) <= height for each in picture.iter("{http://www.w3.org/2000/svg}text"))
    longest = max(float(each.get("font-size", 0)) * 0.6 * len(each.text or "") for each in picture.iter() if each.text)
    assert longest < width
    made = explanation_figure(found)
    assert made.axes[0].get_title(loc="left") == next(text for text in texts if "static score" in text)
    assert all(text in made.get_supxlabel() for text in said[1:])
    sized = ElementTree.fromstring(found.svg(size=183))
    assert (sized.get("width"), sized.get("height")) == ("183", f"{183 * height / width:g}")
    with pytest.raises(InvalidSettingError):
        found.svg(size=0)


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["shipped", "material", "manual"])
@pytest.mark.parametrize("fen", [*CHOSEN[:3], "B:W18,22:B15"])
def test_text_fits_a_terminal(capsys: pytest.CaptureFixture, fen: str, weights: str) -> None:
    assert main(["explain", fen, "--weights", weights]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80


@pytest.mark.slow
def test_json(capsys: pytest.CaptureFixture, shipped: Evaluation) -> None:
    assert main(["explain", CHOSEN[1], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["score"] == shipped.explain(Position.from_fen(CHOSEN[1])).score
    total = found["material"] + found["move"] + sum(region["score"] for region in found["regions"])
    assert total + found["rounding"] == pytest.approx(found["score"])
    assert [piece["square"] for piece in found["pieces"] if piece["side"] == "white"] == [
        18,
        22,
        25,
        26,
        28,
        30,
        31,
        32,
    ]
