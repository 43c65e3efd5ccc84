"""What the page without a server sends games with: the page of a game, and what pictures of boards are drawn from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from typing import Any

from kr import svg
from kr.analysis.annotation import pages
from kr.analysis.annotation.accuracy import EXPLANATION
from kr.analysis.annotation.judging import JudgeSettings
from kr.game.value import Result
from kr.notation import SIDE_NAMES
from kr.pdn import Game

_SIDES_AND_KINGS = tuple(product(range(len(SIDE_NAMES)), (False, True)))
_PAGE = re.compile(
    r'<!DOCTYPE html>\n<html lang="en">(.*?)<title>[^<]*</title>(.*?)<h1>.*'
    r'<script type="application/json" id="game">[^<]*</script>(.*)',
    re.DOTALL,
)


def game_page() -> dict[str, Any]:
    """For games as pages of HTML: what is the same on all of them, taken from one, and words and figures."""
    parts = _PAGE.fullmatch(pages.game_page(Game()))
    assert parts is not None
    head, top, end = parts.groups()
    settings = JudgeSettings()
    return {
        "head": head,
        "top": top,
        "end": end,
        "accuracy": EXPLANATION,
        "marks": {name: str(getattr(settings, name)) for name in ("inaccuracy", "mistake", "blunder")},
        "results": {result: result.description for result in Result},
    }


def drawing() -> dict[str, Any]:
    """For pictures as SVG: colours by style and name; the pieces of each kind and style, men and kings by side."""
    return {
        "styles": svg.STYLES,
        "pieces": {kind: {style: [*_pieces(style, kind)] for style in svg.STYLES} for kind in svg.PIECES},
    }


def _pieces(style: str, kind: str) -> Iterable[str]:
    """The pieces of a style as SVG, each round the middle of its square."""
    for side, king in _SIDES_AND_KINGS:
        piece = svg.piece(side, king, style=style, pieces=kind).splitlines()[1]
        yield piece[piece.index(">") + 1 : piece.rindex("</g>")]
