"""What the page sends games with: the page of a game, and what pictures of boards are drawn from."""

from __future__ import annotations

from typing import Any

from kr import svg
from kr.analysis.annotation.accuracy import EXPLANATION
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.annotation.pages import game_frame
from kr.game.value import Result


def game_page() -> dict[str, Any]:
    """For games as pages of HTML: what is the same on all of them, and words and figures."""
    settings = JudgeSettings()
    return {
        "frame": game_frame(),
        "accuracy": EXPLANATION,
        "marks": {name: str(getattr(settings, name)) for name in ("inaccuracy", "mistake", "blunder")},
        "results": {result: result.description for result in Result},
    }


def drawing() -> dict[str, Any]:
    """For pictures as SVG: colours by style and name; the pieces of each kind and style, men and kings by side."""
    return {
        "styles": svg.STYLES,
        "pieces": {kind: {style: svg.piece_shapes(style, kind) for style in svg.STYLES} for kind in svg.PIECES},
    }
