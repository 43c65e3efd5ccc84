"""The page of `kr web`, filled in for this server."""

from __future__ import annotations

from importlib import resources

from kr.viewer.assets import piece_symbols
from kr.web.house import House


def index(house: House) -> str:
    """HTML of the page."""
    import jinja2

    from kr import __version__

    text = resources.files("kr.web").joinpath("static", "index.html").read_text(encoding="utf-8")
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(text)
    from markupsafe import Markup

    return template.render(pieces=Markup(piece_symbols()), version=__version__)
