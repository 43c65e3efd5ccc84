"""Pieces and colours of kr.svg for the scripts of a page."""

from __future__ import annotations

from importlib import resources

from kr import svg
from kr.game.position import Position


def static(name: str) -> str:
    """A file of kr/viewer/static as text."""
    return resources.files("kr.viewer").joinpath("static", name).read_text(encoding="utf-8")


def piece_symbols() -> str:
    """The pieces as SVG symbols, to stand once in the body of a page."""
    return svg.symbols()


def first_board() -> str:
    """The start of a game as a picture, for a page to show until its scripts have come."""
    return svg.board(Position(), colors=svg.page_colors())


def board_colors() -> str:
    """Style sheet with the colours of boards as variables, --board-light, --board-last-move, for each data-board."""
    blocks: list[str] = []
    for style, colors in svg.STYLES.items():
        lines = [f"--board-{name.replace(' ', '-')}: {color};" for name, color in colors.items()]
        selector = f"[data-board={style}]" + ("" if blocks else ", :root:not([data-board])")
        blocks.append(f"{selector} {{\n  " + "\n  ".join(lines) + "\n}\n")
    return "".join(blocks)
