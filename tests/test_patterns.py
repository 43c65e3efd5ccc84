"""The layouts, and the index arithmetic of the core against its plain statement."""

import numpy as np
import pytest

from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.patterns import mover_frame, region_indices, windows


def random_boards(n: int, kings: bool, seed: int = 1) -> np.ndarray:
    """(n, 4) disjoint random bitboards in the mover's frame."""
    rng = np.random.default_rng(seed)
    pieces = rng.integers(0, 5 if kings else 3, (n, 32))
    return np.stack([((pieces == p) << np.arange(32)).sum(axis=1) for p in (1, 2, 3, 4)], axis=1).astype(np.uint32)


def test_windows_are_rectangles() -> None:
    assert windows(2, 3, (1,), (0, 1)) == ((4, 5, 6, 8, 9, 10), (5, 6, 7, 9, 10, 11))


def test_index_of_known_squares() -> None:
    # an own man on square 0 and an opponent's man on square 1: digits 1 and 2 in the region that starts there
    boards = np.array([[1, 2, 0, 0], [0, 0, 1, 2]], dtype=np.uint32)
    assert region_indices(boards[:1], *LAYOUTS["base"].group(False))[0, 0] == 1 + 2 * 3
    assert region_indices(boards[1:], *LAYOUTS["base"].group(True))[0, 0] == 3 + 4 * 5


def test_mover_frame_turns_white_around() -> None:
    black, white, kings = 0x0000_0011, 0x8000_0000, 0x8000_0010
    for_black, for_white = mover_frame(np.array([[black, white, kings, 0], [black, white, kings, 1]], dtype=np.uint32))
    assert for_black.tolist() == [0x1, 0, 0x10, 0x8000_0000]
    assert for_white.tolist() == [0, 0x8000_0000, 0x1, 0x0800_0000]


@pytest.mark.core
@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("kings", [False, True])
def test_core_indices_equal_the_reference(name: str, kings: bool) -> None:
    from kr import _learn
    from kr.learn.fitting.inputs import byte_digits

    layout, boards = LAYOUTS[name], random_boards(500, kings)
    regions, base = layout.group(kings)
    ids = np.zeros((len(regions), len(boards)), dtype=np.uint32)
    _learn.region_ids(boards, byte_digits(regions, base), ids, 0, 200)
    _learn.region_ids(boards, byte_digits(regions, base), ids, 200, 500)
    assert (ids == region_indices(boards, regions, base)).all()
    assert ids.max() < base ** len(regions[0])
