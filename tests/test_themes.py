"""Themes of problems: examples and counterexamples of each, also with the board turned and the colours swapped."""

from __future__ import annotations

import pytest
from playouts import moves_of

from kr.game.position import Move, Position
from kr.game.value import Value
from kr.problems.problem import load_problems
from kr.problems.themes import Theme, themes_of

YES = {
    Theme.SHOT: [
        ("W:WK1,K5,K19:BK2,K8,11,K26", "19-15 11x18 1-6 2x9 5x30"),
        ("B:W13,15,26,30:BK1,K9,K14", "14-18 13x6 1x19"),
        ("B:W6,24,26,K32:B4,K17,K25", "25-22 26-23 22-18 23x14 17x1"),
    ],
    Theme.TWO_FOR_ONE: [
        ("B:W13,15,26,30:BK1,K9,K14", "14-18 13x6 1x19"),
        ("B:W5,K10,K31:B8,15,17,K21", "15-18 31-26 17-22 26x17 21x7"),
        ("W:WK1,K17,K27:B7,K13,15,K25", "17-14 25-21 14-9 13x6 1x19"),
    ],
    Theme.FIRST_POSITION: [
        ("W:WK19,K23:B12,K28", "23-27 28-32 19-23 32-28"),
        ("W:WK23,K27:B12,K28", "27-32 28-24"),
        ("W:WK15,20:B12,K19", "15x24"),
    ],
    Theme.BRIDGE: [
        ("W:WK7,10,11,13:B1,3,K19", "7-2"),
        ("W:WK2,10,K17:B1,3,K8", "17-14"),
        ("W:W9,20,21,30:B1,3,14,19", "30-25 19-23 25-22"),
    ],
    Theme.BREECHES: [
        ("B:W6,10,22:B4,15,K23", "23-18 22-17 18-14 6-2 14x21"),
        ("B:W11,15,K30:B23,25,K27,K29", "27-24 30x21 24-19 15-10 19-15 11-8 15x6"),
        ("B:W14,18,K22,29:BK13,15,K23", "15-19 18-15 23-18 14-10 18x11"),
    ],
    Theme.IN_AND_OUT: [
        ("W:W11,22,25,30:B3,8,16", "11x4 3-8 4x20"),
        ("B:W18,26,30:B8,22", "22x31 30-26 31x15"),
        # of the opponent, by force
        ("W:W9,27,31:B2,11,22", "31-26 22x31 9-5 31x24"),
    ],
    Theme.ONLY_MOVE: [
        ("W:W7,14,K16,K26:B13,K18,K21", "14-10"),
        ("B:WK2,21,K28:B3,5,14,24", "24-27"),
        ("W:WK19,K23:B12,K28", "23-27"),
    ],
}
NO = {
    Theme.SHOT: [
        # as many given as taken
        ("W:W18,22:B3,10,26", "18-15 10x19"),
        ("W:W18,21,22:B3,10", "18-14 10x26"),
        # the shot is answered by a capture
        ("B:W13,15,23,26,30:BK1,K9,K14", "14-18 13x6 1x19 23x16"),
        # the opponent has a move to spare
        ("W:W22,24,27,32:B7,10,15,20", "27-23 20x27 23-18 27-31 18x2"),
        # nothing given
        ("W:W18:B6,14,28", "18x2"),
    ],
    Theme.TWO_FOR_ONE: [
        # three for two
        ("W:WK1,K5,K19:BK2,K8,11,K26", "19-15 11x18 1-6 2x9 5x30"),
        ("B:W6,24,26,K32:B4,K17,K25", "25-22 26-23 22-18"),
        ("B:W13,15,23,26,30:BK1,K9,K14", "14-18 13x6 1x19 23x16"),
    ],
    Theme.FIRST_POSITION: [
        # the man on another square, the king far away, a man more, men alone
        ("W:WK19,K23:B11,K28", "23-27"),
        ("W:WK19,K23:B12,K1", "23-18"),
        ("W:WK19,K23,30:B12,K28", "23-27"),
        ("W:W19,23:B12,K28", "23-18"),
    ],
    Theme.BRIDGE: [
        # square 2 guarded too, the bridge of the other side's squares, no man to stop, too many pieces
        ("W:WK7,10,11,13:B1,2,3,K19", "13-9"),
        ("W:WK7,10,11,13:B2,4,K19", "7-3"),
        ("W:WK7,K10,K11:B1,3,K19", "7-2"),
        ("W:WK7,10,11,13,25,26:B1,3,5,12,21", "7-2"),
    ],
    Theme.BREECHES: [
        # one attacked; two attacked, but the piece is lost; two attacked, and another piece takes
        ("W:WK2,31:B18,12", "2-7 12-16 7-10 18-23 10-15 16-20"),
        ("B:W6,10,22,K32:B4,15,27,K23", "23-18 32x14"),
        ("B:W6,10,22,32:B4,15,K23,24", "23-18 22-17 18-14 32-27 24x31"),
    ],
    Theme.IN_AND_OUT: [
        # a king, a crowning without a capture, another piece that goes on, a move that does not capture
        ("W:WK11,22,25,30:B3,8,16", "11x4 3-8 4x20"),
        ("W:W8,22,25,30:B11,12", "8-4 12-16 4-8 11-15"),
        ("W:W11,27,30:B8,3,18,24", "11x4 24x31"),
        ("W:W11,22,25,30:B3,8,16", "11x4 16-20 4-8 3x12"),
    ],
    Theme.ONLY_MOVE: [
        # nine pieces, and a single legal move
        ("W:WK19,K23,30,31,32:B12,K28,1,2", "23-18"),
        ("W:WK19,K23:B12,K15", "19x10"),
    ],
}
CASES = [(theme, True, *case) for theme, cases in YES.items() for case in cases]
CASES += [(theme, False, *case) for theme, cases in NO.items() for case in cases]


def turned(move: Move) -> Move:
    """A move on the board turned by 180 degrees."""
    return Move(tuple(31 - square for square in move.path), int(f"{move.captured:032b}"[::-1], 2))


@pytest.mark.parametrize(("theme", "has", "fen", "line"), CASES)
def test_definitions(theme: Theme, has: bool, fen: str, line: str) -> None:
    position = Position.from_fen(fen)
    played = moves_of(position, line)
    themes = themes_of(position, played, Value.WIN, played[:1])
    assert (theme in themes) is has, themes
    assert themes_of(position.flipped(), [turned(move) for move in played], Value.WIN, [turned(played[0])]) == themes


def test_first_position_is_a_win() -> None:
    position = Position.from_fen("W:WK19,K23:B12,K28")
    assert Theme.FIRST_POSITION in themes_of(position, [])
    assert Theme.FIRST_POSITION not in themes_of(position, [], Value.DRAW)
    # where the side to move loses, the other one solves
    lost = Position.from_fen("B:WK19,K23:B12,K28")
    assert Theme.FIRST_POSITION in themes_of(lost, [], Value.LOSS)


def test_more_than_one_move_is_no_only_move() -> None:
    position = Position.from_fen("W:WK19,K23:B12,K28")
    keeping = position.legal_moves()[:2]
    assert Theme.ONLY_MOVE not in themes_of(position, [], Value.WIN, keeping)
    assert Theme.ONLY_MOVE not in themes_of(position, [], Value.WIN)


def test_themes_begin_early() -> None:
    """A shot in the ninth move of the solver is not what there was to see."""
    start, shot = Position.from_fen("B:W6,24,26,K32:B4,K17,K25"), "25-22 26-23 22-18 23x14 17x1"
    assert Theme.SHOT in themes_of(start, moves_of(start, shot))
    assert Theme.SHOT not in themes_of(start, moves_of(start, "17-21 32-28 21-17 28-32 " * 4 + shot))


CLASSICS = {
    "first-position": {Theme.FIRST_POSITION},
    "first-position-gould": {Theme.FIRST_POSITION},
    "bridge-mcgill": {Theme.BRIDGE, Theme.ONLY_MOVE},
    "petterson-drawbridge": {Theme.BRIDGE},
    "goose-walk": {Theme.SHOT, Theme.TWO_FOR_ONE},
    "fifth-position": set(),
}


@pytest.mark.parametrize("name", CLASSICS)
def test_classics(name: str) -> None:
    problem = load_problems(name)[0]
    assert problem.published is not None
    line = moves_of(problem.position, problem.solution)
    assert set(themes_of(problem.position, line, problem.published, problem.keeping_moves)) == CLASSICS[name]
