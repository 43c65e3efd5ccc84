"""Boards as SVG: well-formed, the right pieces on the right squares, and everything that can be asked for."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kr import IllegalMoveError, InvalidSettingError, Position, svg
from kr.notation import letters_square, squares

POSITIONS = {
    "start": Position(),
    "kings": Position.from_fen("W:W21,27,K30,K10:B1,2,K23,9,11"),
    "one side": Position.from_fen("B:W:BK1,28"),
    "nothing": Position.from_fen("B:W:B"),
}
XML = "{http://www.w3.org/2000/svg}"


def drawn(picture: str, kind: str) -> list[ElementTree.Element]:
    """The elements with a class, whatever else they are."""
    return [each for each in ElementTree.fromstring(picture).iter() if kind in each.get("class", "").split()]


def places(picture: str) -> dict[tuple[float, float], str]:
    """Drawn elements by their centre."""
    found = {}
    for each in drawn(picture, "piece"):
        x, y = each.attrib["transform"].removeprefix("translate(").rstrip(")").split(",")
        found[float(x), float(y)] = each.attrib["class"].removeprefix("piece ")
    return found


@pytest.mark.parametrize("name", POSITIONS)
def test_every_piece_is_drawn_once(name: str) -> None:
    position = POSITIONS[name]
    picture = svg.board(position)
    assert ElementTree.fromstring(picture).tag == f"{XML}svg"
    counts = Counter(places(picture).values())
    for side, pieces in (("black", position.black), ("white", position.white)):
        assert counts[f"{side} man"] == (pieces & ~position.kings).bit_count()
        assert counts[f"{side} king"] == (pieces & position.kings).bit_count()
    assert len(drawn(picture, "dark")) == len(drawn(picture, "number")) == 32
    assert position.fen in ElementTree.fromstring(picture).findtext(f"{XML}title", "")


@pytest.mark.parametrize("name", POSITIONS)
def test_pieces_stand_on_their_squares(name: str) -> None:
    position = POSITIONS[name]
    picture = svg.board(position)
    corners = {
        (float(rect.attrib["x"]) + svg.CELL / 2, float(rect.attrib["y"]) + svg.CELL / 2): text.text
        for rect, text in zip(drawn(picture, "dark"), drawn(picture, "number"), strict=True)
    }
    assert {corners[at] for at in places(picture)} == {
        str(square + 1) for square in squares(position.black | position.white)
    }
    assert min(corners, key=lambda at: (at[1], at[0])) == next(at for at, text in corners.items() if text == "1")


@pytest.mark.parametrize("name", POSITIONS)
def test_flipped_board_turns_by_180_degrees(name: str) -> None:
    whole = 8 * svg.CELL + 2 * svg.EDGE
    straight, flipped = (places(svg.board(POSITIONS[name], flipped=turned)) for turned in (False, True))
    assert flipped == {(whole - x, whole - y): what for (x, y), what in straight.items()}
    # and a position turned with its colours swapped looks the same but for the colours
    swap = {"black man": "white man", "white man": "black man", "black king": "white king", "white king": "black king"}
    assert places(svg.board(POSITIONS[name].flipped(), flipped=True)) == {
        at: swap[what] for at, what in straight.items()
    }


def test_last_move_highlights_fill_and_labels() -> None:
    position = POSITIONS["kings"]
    picture = svg.board(
        position,
        last_move="10x19x26",
        squares=[0, 31],
        fill={5: "#123456"},
        labels={3: "<+1>", 4: "-2"},
        coordinates=False,
    )
    assert len(drawn(picture, "last-move")) == 3
    assert len(drawn(picture, "highlight")) == 2
    assert [rect.attrib["fill"] for rect in drawn(picture, "dark")].count("#123456") == 1
    assert [text.text for each in drawn(picture, "label") for text in each.iter(f"{XML}text")] == ["<+1>", "-2"]
    assert not drawn(picture, "number")
    move = Position().legal_moves()[0]
    assert svg.board(Position(), last_move=move) == svg.board(Position(), last_move=str(move))


@pytest.mark.parametrize("flipped", [False, True])
def test_letters_name_each_square_from_its_edges(flipped: bool) -> None:
    files, ranks = {}, {}
    for text in drawn(svg.board(coordinates="letters", flipped=flipped), "number"):
        column, row = (int(float(text.attrib[name]) - svg.EDGE) // svg.CELL for name in ("x", "y"))
        name = str(text.text)
        (files if name.isalpha() else ranks)[column if name.isalpha() else row] = name
    for square in range(32):
        column, row = svg.place(square, flipped)
        assert letters_square(files[column] + ranks[row]) == square
    assert not drawn(svg.board(coordinates="none"), "number")
    assert svg.board(coordinates="numbers") == svg.board(coordinates=True)


def test_labels_lie_below_the_pieces() -> None:
    position = POSITIONS["kings"]
    picture = svg.board(position, labels=dict.fromkeys(squares(position.black | position.white), "+1.0"))
    tops = [float(each.attrib["y"]) for label in drawn(picture, "label") for each in label.iter(f"{XML}rect")]
    bottoms = []
    for piece in drawn(picture, "piece"):
        at, scale = re.fullmatch(r"translate\(.+,(.+)\) scale\((.+)\)", piece.attrib["transform"]).groups()
        lowest = max(float(disc.get("cy", 0)) + float(disc.attrib["r"]) for disc in piece.iter(f"{XML}circle"))
        bottoms.append(float(at) + float(scale) * lowest)
    assert len(tops) == len(bottoms) == position.pieces
    # half a unit for the rim
    assert all(bottom <= top + 0.5 for bottom, top in zip(bottoms, tops, strict=True))


def test_arrows() -> None:
    move = Position().parse_move("11-15")
    picture = svg.board(arrows=[move, svg.Arrow.parse("10x19x26", "#ff0000"), svg.Arrow((7,))])
    assert len(drawn(picture, "arrow")) == 3
    assert svg.Arrow.of(move) == svg.Arrow.parse("11-15")
    lines = [line.attrib["points"].split() for line in ElementTree.fromstring(picture).iter(f"{XML}polyline")]
    assert [len(points) for points in lines] == [2, 3]
    assert len(list(ElementTree.fromstring(picture).iter(f"{XML}circle"))) == 1


def test_size_and_colours() -> None:
    root = ElementTree.fromstring(svg.board(size=400, colors={"dark": 'url("x") & <y>', "black": "navy"}))
    assert (root.get("width"), root.get("height")) == ("400", "400")
    assert root.get("viewBox") == ElementTree.fromstring(svg.board()).get("viewBox")
    assert ElementTree.fromstring(svg.board()).get("width") is None
    assert sum(each.get("fill") == 'url("x") & <y>' for each in root.iter()) == 32
    assert 'fill="navy"' in svg.piece(0, king=True, colors={"black": "navy"})
    assert len(drawn(svg.piece(1, size=30), "piece")) == 1


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb, as WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("style", svg.STYLES)
def test_pieces_stand_out_from_their_squares_and_crowns_from_pieces(style: str) -> None:
    """By their body or by their rim: 3 is what WCAG asks of graphics."""
    colours = svg.STYLES[style]
    assert colours.keys() == svg.COLORS.keys()
    for side in ("black", "white"):
        for square in ("dark", "last move", "highlight"):
            parts = [contrast(colours[part], colours[square]) for part in (side, f"{side} rim")]
            assert max(parts) >= 3, (side, square)
        assert contrast(colours[f"{side} crown"], colours[side]) >= 3
    assert contrast(colours["black"], colours["white"]) >= 10
    assert min(contrast(colours["number"], colours[square]) for square in ("dark", "light", "last move")) >= 3


@pytest.mark.parametrize("pieces", svg.PIECES)
@pytest.mark.parametrize("style", svg.STYLES)
def test_each_style_draws_the_same_board(style: str, pieces: str) -> None:
    position = POSITIONS["kings"]
    picture = svg.board(position, style=style, pieces=pieces, colors={"edge": "#010203"})
    assert places(picture) == places(svg.board(position))
    fills = {each.get("fill") for each in drawn(picture, "dark")}
    assert fills == {svg.STYLES[style]["dark"]}
    assert drawn(picture, "edge")[0].get("fill") == "#010203"
    shapes = {
        king: len(list(ElementTree.fromstring(svg.piece(0, king, pieces=pieces)).iter())) for king in (False, True)
    }
    assert shapes[True] > shapes[False]


def test_symbols_have_both_forms_of_each_piece_and_take_the_colours_of_the_page() -> None:
    symbols = ElementTree.fromstring(svg.symbols())
    assert [each.get("id") for each in symbols] == (
        ["piece-black-man", "piece-black-king", "piece-white-man", "piece-white-king"]
    )
    for symbol in symbols:
        assert [each.get("class") for each in symbol[0]] == ["flat-piece", "carved-piece"]
        side = (symbol.get("id") or "").split("-")[1]
        assert f"var(--board-{side}, {svg.COLORS[side]})" in {each.get("fill") for each in symbol.iter()}


def test_notebooks_show_boards() -> None:
    assert Position()._repr_svg_() == svg.board(Position(), size=svg.SHOWN)
    assert svg.board()._repr_svg_() == svg.board()


WRONG = {
    "a size of nothing": {"size": 0},
    "a colour that has no name": {"colors": {"drak": "red"}},
    "a square off the board": {"squares": [32]},
    "a label off the board": {"labels": {-1: "x"}},
    "a fill by text": {"fill": {"5": "red"}},
    "a style that has no name": {"style": "marble"},
    "pieces of no kind": {"pieces": "round"},
    "coordinates of no kind": {"coordinates": "roman"},
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_arguments_are_refused(name: str) -> None:
    with pytest.raises(InvalidSettingError):
        svg.board(**WRONG[name])


def test_invalid_arrows_are_refused() -> None:
    with pytest.raises(InvalidSettingError):
        svg.Arrow(())
    with pytest.raises(IllegalMoveError):
        svg.Arrow.parse("11-33")
    with pytest.raises(InvalidSettingError):
        svg.piece(2)


def test_many_positions_can_lie_over_one_empty_board() -> None:
    position = Position()
    whole, over = svg.board(position, last_move="11-15"), svg.board(position, last_move="11-15", backdrop=False)
    assert places(over) == places(whole)
    assert len(drawn(over, "last-move")) == len(drawn(over, "dark")) == 2
    assert drawn(over, "edge") == drawn(over, "light") == []
    assert ElementTree.fromstring(over).get("viewBox") == ElementTree.fromstring(svg.board(None)).get("viewBox")


def test_recorded_boards() -> None:
    """The page is held to them as well when it sends a picture."""
    cases = json.loads((Path(__file__).with_name("cases") / "boards.json").read_text("utf-8"))
    assert cases["drawing"]["styles"] == svg.STYLES
    for kind, styles in cases["drawing"]["pieces"].items():
        assert {style: svg.piece_shapes(style, kind) for style in styles} == styles
    for case in cases["boards"]:
        arrows = [svg.Arrow(tuple(square - 1 for square in each["path"]), each["colour"]) for each in case["arrows"]]
        last = "-".join(map(str, case["last"])) or None
        assert svg.board(case["fen"], last_move=last, arrows=arrows, **case["looks"]) == case["svg"]
