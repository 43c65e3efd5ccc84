"""What notebooks show of positions, moves, games and analyses, without a server."""

from __future__ import annotations

import pytest
from html_page import Page

import kr

ENGINE = kr.Engine("material", hash_mb=1, database="none")
CAPTURE = kr.Position.from_fen("W:W30:B17,18,25,26")


def test_an_analysis_is_a_board_with_its_lines() -> None:
    analysis = kr.analyze(ENGINE, kr.Position(), kr.Limits(depth=12), multipv=4)
    page = Page(analysis._repr_html_())
    assert [len(page.all(tag)) for tag in ("svg", "table", "td")] == [1, 1, 16]
    assert page.cells[0::4] == [str(line.move) for line in analysis.lines]
    assert page.cells[3].split()[:8] == [str(move) for move in analysis.lines[0].pv[:8]]
    assert analysis._repr_html_().count('class="arrow"') == 3
    assert f"depth 12, {analysis.nodes:,} nodes" in page.words
    assert "#000" not in analysis._repr_html_().partition("</svg>")[2], "colours are those of the notebook"


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("W:W21,K30:B1,2", "proved: win in 67 plies; "),
        ("W:W:B1", "the game is over; "),
        ("W:WK32:BK1", "proved: draw; "),
    ],
)
def test_what_is_proved_is_told(fen: str, words: str) -> None:
    engine = kr.Engine("material", hash_mb=1)
    assert words in Page(kr.analyze(engine, kr.Position.from_fen(fen), kr.Limits(nodes=2000))._repr_html_()).words


def test_a_draw_of_the_game_is_told() -> None:
    board = kr.Board("W:WK32:BK1")
    for move in 2 * ["32-27", "1-6", "27-32", "6-1"]:
        board.play(move)
    words = Page(kr.analyze(ENGINE, board, kr.Limits(depth=4))._repr_html_()).words
    assert "a draw by repetition; " in words


def test_moves_and_games_are_boards() -> None:
    move = CAPTURE.legal_moves()[0]
    assert move._repr_svg_().count('class="arrow"') == 1 + move.captured.bit_count()
    assert move._repr_svg_().count('class="piece') == 0
    game = kr.pdn.read_game("1. 11-15 23-19 *")
    assert game is not None
    assert game.end()._repr_svg_() == kr.svg.board(game.end().position, last_move="23-19", size=kr.svg.SHOWN)
    assert game._repr_svg_() == kr.svg.board(kr.Position(), size=kr.svg.SHOWN)
