"""Shares as coarse as they are known."""

import pytest

from kr.book.shares import coarse_share, share_text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"), (1e-9, "<0.01%"), (0.0012, "~0.1%"), (0.01, "~1%"), (0.0312, "~3%"),
        (0.1, "~10%"), (0.13, "~10%"), (0.25, "~30%"), (0.5, "~50%"), (0.67, "~70%"),
        (0.9, "~90%"), (0.96, "~97%"), (1, "100%"),
    ],
)  # fmt: skip
def test_a_share_in_words(share: float, text: str) -> None:
    assert share_text(share) == text
    assert share_text(coarse_share(share)) == text
    assert share_text(share, exact=True) == f"{share:.0%}"
