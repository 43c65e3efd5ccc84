"""Layouts as data: errors, layout files, and tables of a layout that is not built in, from games to a match."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playouts import write_run
from tables import TINY

import kr
from kr.cli import main
from kr.errors import InvalidSettingError
from kr.evaluation import weights
from kr.evaluation.kinds import explain, load_evaluation
from kr.evaluation.layouts import DEFAULT_LAYOUT, LAYOUTS, Layout
from kr.evaluation.patterns import mover_frame
from kr.learn.fitting.fit import fit
from kr.learn.fitting.settings import FitSettings
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.storage import data_path

COUNTS = {"small": (6, 9), "tall": (9, 15), "broad": (12, 16), "base": (12, 16), "wide": (16, 22), "full": (25, 26)}
SMALL = LAYOUTS["small"]
EXAMPLE = data_path("weights", "example-layout.toml")
BAND = list(range(12)), list(range(8))


@pytest.mark.parametrize(("name", "counts"), COUNTS.items())
def test_built_in_layouts(name: str, counts: tuple[int, int]) -> None:
    layout = Layout.parse(name)
    assert layout is LAYOUTS[name]
    assert (len(layout.men), len(layout.kings)) == counts
    assert not layout.warning
    assert Layout.from_dict(json.loads(json.dumps(layout.as_dict()))) == layout


def test_every_built_in_layout_is_tested() -> None:
    assert set(COUNTS) == set(LAYOUTS)
    assert DEFAULT_LAYOUT.name == "full"


def test_the_order_of_squares_says_nothing() -> None:
    layout = kr.Layout(men=[np.arange(31, 19, -1)], kings=[(7, 3, 1, 2, 0, 6, 5, 4)])
    assert layout == Layout([range(20, 32)], [range(8)], "custom")
    assert layout.men == (tuple(range(20, 32)),)
    assert hash(layout) == hash(Layout([range(20, 32)], [range(8)]))


def test_squares_without_a_region_are_told() -> None:
    layout = Layout([range(12)], SMALL.kings, "half")
    squares = ", ".join(map(str, range(13, 33)))
    expected = f"layout half: no region of men has the squares {squares}; pieces there count as material only"
    assert layout.warning == expected
    kings = [range(8), range(8, 16), range(16, 24), range(23, 31)]
    assert "no region of kings has the square 32;" in Layout(SMALL.men, kings, "x").warning


@pytest.mark.parametrize(
    ("men", "kings", "name", "message"),
    [
        ([[0, 1, 2]], SMALL.kings, "x", "layout x: men, region 1 has 3 squares; expected 12"),
        (SMALL.men, [*SMALL.kings, range(9)], "x", "layout x: kings, region 10 has 9 squares; expected 8"),
        (SMALL.men, [range(25, 33)], "x", "layout x: kings, region 1: no square 32; squares are 0 to 31"),
        (SMALL.men, [[-1, *range(7)]], "x", "layout x: kings, region 1: no square -1; squares are 0 to 31"),
        (SMALL.men, [[0, 1, 2, 3, 4, 5, 6, 3]], "x", "layout x: kings, region 1: the square 3 is listed twice"),
        ([*SMALL.men, SMALL.men[1][::-1]], SMALL.kings, "x", "men, region 7: the same squares as region 2"),
        ([], SMALL.kings, "x", "layout x: men has 0 regions; from 1 to 32"),
        ([SMALL.men[0]] * 33, SMALL.kings, "x", "layout x: men has 33 regions; from 1 to 32"),
        (3, SMALL.kings, "x", "layout x: men is 3; expected lists of 12 squares"),
        ([1, 2], SMALL.kings, "x", "layout x: men, region 1 is 1; expected a list of 12 squares"),
        (["abcdefghijkl"], SMALL.kings, "x", "men, region 1 is 'abcdefghijkl'; expected a list of 12 squares"),
        ([[True, *range(2, 13)]], SMALL.kings, "x", "men, region 1 is [True, 2, 3"),
        ([[0.5, *range(1, 12)]], SMALL.kings, "x", "men, region 1 is [0.5, 1, 2"),
        (SMALL.men, SMALL.kings, "", "layout: its name is ''; expected 1 to 100 printable characters"),
        (SMALL.men, SMALL.kings, "a\nb", "expected 1 to 100 printable characters"),
    ],
)
def test_wrong_layouts_are_refused(men: object, kings: object, name: str, message: str) -> None:
    with pytest.raises(InvalidSettingError) as caught:
        Layout(men, kings, name)  # type: ignore[arg-type]
    assert message in str(caught.value)


def toml(men: object = (BAND[0],), kings: object = (BAND[1],), more: str = "") -> str:
    lists = (json.dumps([[s + 1 for s in region] for region in group]) for group in (men, kings))  # type: ignore[attr-defined]
    return "men = {}\nkings = {}\n{}".format(*lists, more)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("men = [", "not a layout file: "),
        ("\xff", "not a layout file: "),
        ("men = " + "[" * 20_000, "not a layout file: "),
        (toml(more="mens = 1"), "unknown key 'mens'; expected name, men and kings"),
        ("men = [[1]]", "kings is missing; expected name, men and kings"),
        (toml(men=([0, *range(2, 13)],)), "men, region 1 has the"),
        (toml(kings=([32, *range(1, 8)],)), "kings, region 1: no square 33; squares are 1 to 32"),
        (toml(kings=([-1, *range(1, 8)],)), "kings, region 1: no square 0; squares are 1 to 32"),
        (toml(kings=([1, *range(1, 8)],)), "kings, region 1: the square 2 is listed twice"),
        (toml(kings=(BAND[1], BAND[1])), "kings, region 2: the same squares as region 1"),
        (toml(kings=([1, 2],)), "kings, region 1 has 2 squares; expected 8"),
        ('men = "all"\nkings = []', "men is 'all'; expected lists of 12 squares"),
        (toml(more='name = ""'), "layout: its name is ''"),
        (toml(more="name = 3"), "layout: its name is 3"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(text.encode("latin-1"))
    if "has the" in message:
        assert Layout.read(path).name == "mine"
        return
    with pytest.raises(InvalidSettingError) as caught:
        Layout.read(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_read_back(tmp_path: Path) -> None:
    for layout in (*LAYOUTS.values(), Layout(*([band] for band in BAND), 'a "quoted" näme')):
        path = tmp_path / "layout.toml"
        layout.write(path)
        assert Layout.read(path) == Layout.parse(str(path)) == layout
    path.write_text(toml())
    assert Layout.read(path).name == "layout"


def test_no_such_layout(tmp_path: Path) -> None:
    message = "huge: no such file; expected a layout file or one of small, tall"
    with pytest.raises(InvalidSettingError, match=message):
        Layout.parse("huge")
    with pytest.raises(InvalidSettingError, match="can't be read"):
        Layout.read(tmp_path)


def test_the_example_covers_the_board() -> None:
    example = Layout.read(EXAMPLE)
    assert example.name == "example"
    assert not example.warning
    assert example not in LAYOUTS.values()


@pytest.mark.slow
def test_the_command_writes_layouts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weights", "layout", "small"]) == 0
    path = tmp_path / "small.toml"
    path.write_text(capsys.readouterr().out)
    assert Layout.read(path) == SMALL
    assert main(["weights", "layout", str(path)]) == 0
    assert capsys.readouterr().out == path.read_text("utf-8")
    assert main(["weights", "layout"]) == 0
    made = tmp_path / "shipped.toml"
    made.write_text(capsys.readouterr().out)
    assert Layout.read(made) == weights.load_tables(data_path("weights", "kr.h5")).layout
    assert main(["weights", "layout", str(tmp_path / "none")]) == 2
    assert "none: no such file" in capsys.readouterr().err


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of a layout of one's own, fitted by the command to random games."""
    directory = tmp_path_factory.mktemp("made")
    write_run(directory / "games", 100)
    out, tiny = directory / "made.h5", directory / "mine.toml"
    TINY.write(tiny)
    assert main(["fit", str(directory / "games"), "--out", str(out), "--layout", str(tiny), "--max-iter", "4"]) == 0
    return out


@pytest.mark.slow
def test_tables_carry_their_layout(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file of the layout is needed once the tables are made."""
    found = weights.load_tables(made)
    assert found.layout == TINY
    assert found.men_parts is not None
    # every single square has a part of its own, windows of which no region has all squares have none
    parts = {part.squares for part in found.men_parts.windows.parts}
    assert {(square,) for square in range(32)} <= parts
    assert all(any(set(part) <= set(region) for region in found.layout.men) for part in parts)
    assert main(["weights", "show", str(made)]) == 0
    assert "tiny, 3 regions of 12 squares without kings on the board, 4 of 8 with kings" in " ".join(
        capsys.readouterr().out.split()
    )


def test_tables_of_any_layout_search_and_explain_alike(made: Path) -> None:
    """The core, numpy and the explanation agree on the score; turning the board changes nothing."""
    evaluation = load_evaluation(made)
    positions = [kr.Position(), *map(kr.Position.from_fen, ("W:W18,25,K3:B9,10,K31", "B:W18,22,28:B3,11,12"))]
    rows = np.array([(p.black, p.white, p.kings, int(p.side)) for p in positions], dtype=np.uint32)
    expected = np.trunc(evaluation.scores(mover_frame(rows)))
    for position, score in zip(positions, expected, strict=True):
        explained = explain(position, evaluation)
        assert explained.score == evaluation.score(position) == evaluation.score(position.flipped()) == score
        parts = explained.material + explained.move + sum(region.score for region in explained.regions)
        assert parts + explained.rounding == pytest.approx(score)
    engine = kr.Engine(made, hash_mb=1, database="none")
    assert engine.search(kr.Position(), kr.Limits(depth=5)).depth == 5


@pytest.mark.slow
def test_tables_of_any_layout_play(made: Path, tmp_path: Path) -> None:
    """Self-play, a fit to its games that starts from the same tables, and a match of the two."""
    games = tmp_path / "games"
    selfplay(SelfplaySettings(games=40, out=games, nodes=60, weights=str(made), workers=1, egdb="none", hash=1 << 16))
    settings = FitSettings((games,), tmp_path / "next.h5", TINY, max_iter=3, prior=made)
    assert weights.load_tables(fit(settings).path).layout == TINY
    with pytest.raises(InvalidSettingError, match="has the layout tiny, the fit small"):
        fit(replace(settings, out=tmp_path / "other.h5", layout=SMALL))
    limits = kr.Limits(nodes=50)
    found = play_match(
        MatchSettings(a=str(made), b=str(tmp_path / "next.h5"), games=4, tc=limits, workers=1, egdb="none")
    )
    assert len(found.games) == 4


@pytest.mark.slow
def test_the_command_tells_of_squares_without_a_region(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(tmp_path / "games", 60)
    half = tmp_path / "half.toml"
    Layout(TINY.men[:2], TINY.kings, "half").write(half)
    words = ["fit", str(tmp_path / "games"), "--out", str(tmp_path / "half.h5"), "--max-iter", "2", "--quiet"]
    assert main([*words, "--layout", str(half)]) == 0
    assert "warning: layout half: no region of men has the squares 25, 26" in capsys.readouterr().err
    assert kr.Engine(tmp_path / "half.h5", hash_mb=1, database="none").evaluate(kr.Position()) is not None
    half.write_text(half.read_text("utf-8").replace("[1, 2,", "[1, 1,", 1))
    assert main([*words, "--layout", str(half)]) == 2
    assert f"{half}: men, region 1: the square 1 is listed twice" in capsys.readouterr().err
