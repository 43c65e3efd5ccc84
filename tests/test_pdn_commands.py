"""Commands in comments: clocks of PDN 3.0, arrows and circles, in games and in documents of pages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kr.game.position import Side
from kr.pdn import DrawnArrow, DrawnCircle, read_game, split_comment
from kr.viewer.document import game_document


@pytest.mark.parametrize(
    ("comment", "text", "arrows", "circles"),
    [
        ("a [%cal G11-15,R1518,Yc3d4] b", "a b", [("G", 11, 15), ("R", 15, 18), ("Y", 11, 15)], []),
        ("[%csl G18, R05,y5,Bh8]good", "good", [], [("G", 18), ("R", 5), ("Y", 5), ("B", 29)]),
        ("[%csl Ra1][%cal Gg1h2]", "", [("G", 1, 5)], [("R", 4)]),
        ("[%cal Ga1b1] [%csl R33] [%csl ] [%cal G1115,] [%eval 0.3]",
         "[%cal Ga1b1] [%csl R33] [%csl ] [%eval 0.3]", [("G", 11, 15)], []),
        ("two  blanks [%emt 3]", "two  blanks [%emt 3]", [], []),
    ],
)  # fmt: skip
def test_a_comment_is_split(comment: str, text: str, arrows: list[Any], circles: list[Any]) -> None:
    remark = split_comment(comment)
    assert remark.text == text
    assert remark.arrows == tuple(DrawnArrow(colour, start - 1, end - 1) for colour, start, end in arrows)
    assert remark.circles == tuple(DrawnCircle(colour, square - 1) for colour, square in circles)


def test_clocks_of_both_sides() -> None:
    text = "1. 11-15 {[%clock w0:10:00 B0:09:57]} 23-19 {start [%clock 0:09:51] end} 2. 8-11 {[%clk W60 b1:30.5]} *\n"
    game = read_game(text)
    assert game is not None
    assert [node.clock() for node in game.mainline()] == [597, 591, 90.5]
    first = next(game.mainline())
    assert split_comment(first.comment).clocks == ((Side.WHITE, 600), (Side.BLACK, 597))
    assert split_comment("start [%clock 0:09:51] end").text == "start end"
    first.set_clock(5)
    assert first.comments == ["[%clk 0:00:05]"]


DRAWN = (
    "{[%csl Gc3] before} 1. 11-15 {start [%csl R18][%cal Gc3d4] end} {[%cal G1115]} (9-13 {[%cal B09-13]}) 23-19 *\n"
)


def test_a_document_holds_arrows_and_circles_beside_comments_without_them() -> None:
    game = read_game(DRAWN)
    assert game is not None
    document = json.loads(json.dumps(game_document(game)))
    nodes = document["nodes"]
    assert [node["comments"] for node in nodes] == [["before"], ["start end"], [], []]
    assert [node.get("arrows") for node in nodes] == [
        None, [{"colour": "G", "from": 11, "to": 15}], None, [{"colour": "B", "from": 9, "to": 13}],
    ]  # fmt: skip
    assert [node.get("circles") for node in nodes] == [
        [{"colour": "G", "square": 11}], [{"colour": "R", "square": 18}], None, None,
    ]  # fmt: skip
