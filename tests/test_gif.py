"""A line of moves as an animated GIF: what its frames show, how long, and how large it is."""

from __future__ import annotations

import io
from itertools import pairwise

import pytest

from kr import InvalidSettingError, Position, svg
from kr.game.position import Move
from kr.gif import JUMP_MS, LAST_MS, MOVE_MS, animation, painted

Image = pytest.importorskip("PIL.Image")


def line(start: Position, count: int) -> list[Move]:
    moves: list[Move] = []
    for _ in range(count):
        moves.append(start.legal_moves()[-1])
        start = start.play(moves[-1])
    return moves


def frames(content: bytes) -> list[tuple[Image.Image, int]]:
    picture = Image.open(io.BytesIO(content))
    found = []
    for number in range(picture.n_frames):
        picture.seek(number)
        found.append((picture.convert("RGB"), picture.info["duration"]))
    return found


def pieces(picture: Image.Image, flipped: bool = False) -> dict[int, str]:
    """Sides of the pieces by square, by the colour beside the middle of each."""
    found = {}
    unit = picture.width / 366
    for square in range(32):
        column, row = svg.place(square, flipped)
        # within the disc and its groove, below the crown
        red = picture.getpixel((int(unit * (3 + 45 * (column + 0.5))), int(unit * (3 + 45 * (row + 0.5) + 8.5))))[0]
        if red < 80 or red > 246:
            found[square] = "black" if red < 80 else "white"
    return found


def meant(position: svg.Placed) -> dict[int, str]:
    sides = {"black": position.black, "white": position.white}
    return {square: side for side, bits in sides.items() for square in range(32) if bits >> square & 1}


@pytest.mark.parametrize("flipped", [False, True])
def test_each_frame_shows_the_position_after_a_move(flipped: bool) -> None:
    start = Position()
    moves = line(start, 4)
    found = frames(animation(start, moves, flipped=flipped, coordinates=False))
    assert [milliseconds for _, milliseconds in found] == [MOVE_MS] * 4 + [LAST_MS]
    for picture, move in zip([each for each, _ in found], [None, *moves], strict=True):
        start = start if move is None else start.play(move)
        assert pieces(picture, flipped) == meant(start)


def test_a_capture_is_seen_square_by_square() -> None:
    start = Position.from_fen("W:W30:B26,18,10")
    (move,) = start.legal_moves()
    assert len(move.path) == 4
    found = frames(animation(start, [move], coordinates=False))
    assert [milliseconds for _, milliseconds in found] == [MOVE_MS, JUMP_MS, JUMP_MS, LAST_MS]
    squares = [min(square for square, side in pieces(picture).items() if side == "white") for picture, _ in found]
    assert squares == list(move.path)
    counts = [sum(side == "black" for side in pieces(picture).values()) for picture, _ in found]
    assert counts == [3, 2, 1, 0]


@pytest.mark.slow
def test_it_is_repeated_and_small() -> None:
    start = Position()
    content = animation(start, line(start, 40))
    picture = Image.open(io.BytesIO(content))
    assert content.startswith(b"GIF89a")
    assert (picture.size, picture.info["loop"]) == ((366, 366), 0)
    assert len(content) < 1_000_000


def test_it_is_the_same_each_time() -> None:
    start = Position()
    assert animation(start, line(start, 3)) == animation(start, line(start, 3))


def test_the_colours_are_those_that_are_asked_for() -> None:
    (plain, _), (styled, _) = (
        frames(animation(Position(), [], colors=colors))[0] for colors in ({}, {"dark": "#102030"})
    )
    at = (3 + 45 // 2, 3 + 45 + 40)
    assert plain.getpixel((3 + 45 + 40, 5)) != styled.getpixel((3 + 45 + 40, 5)) == (0x10, 0x20, 0x30)
    assert plain.getpixel(at) is not None


@pytest.mark.parametrize(
    ("wrong", "why"), [({"colors": {"dark": "pale"}}, "a colour such as"), ({"size": 3}, "from 8")]
)
def test_what_cannot_be_drawn_is_named(wrong: dict[str, object], why: str) -> None:
    with pytest.raises(InvalidSettingError, match=why):
        animation(Position(), [], **wrong)  # type: ignore[arg-type]


def test_without_pillow_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kr.extras.find_spec", lambda name: None)
    with pytest.raises(InvalidSettingError, match=r"animated pictures need pillow: pip install pillow"):
        animation(Position(), [])


def test_all_that_a_board_can_have_is_painted() -> None:
    """Each thing changes pixels where it stands, and nowhere else."""
    plain = painted(svg.board(None), 366)

    def changed(**drawn: object) -> tuple[int, ...]:
        from PIL import ImageChops

        box = ImageChops.difference(plain, painted(svg.board(None, **drawn), 366)).getbbox()  # type: ignore[arg-type]
        assert box is not None
        return box

    left, top, right, bottom = changed(arrows=[svg.Arrow.parse("14-18", "drawn red")])
    # the third and fourth column, the fourth and fifth row
    assert 2 * 45 < left < right < 4 * 45 + 3
    assert 3 * 45 < top < bottom < 5 * 45 + 3
    assert changed(arrows=[svg.Arrow((0,))])[2] <= 3 + 2 * 45 + 1
    assert changed(labels={0: "+1"})[1] > 25
    assert changed(squares=[0]) == (48, 3, 93, 48)


def test_frames_differ_where_a_move_was_made() -> None:
    start = Position()
    found = frames(animation(start, line(start, 3)))
    assert all(before.tobytes() != after.tobytes() for (before, _), (after, _) in pairwise(found))
