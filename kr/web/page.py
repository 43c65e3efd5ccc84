"""The page of `kr web`, filled in for this server."""

from __future__ import annotations

import posixpath
import re
from importlib import resources

from kr.language.sentences import scripts
from kr.viewer.assets import first_board, piece_symbols

_IMPORTS = re.compile(r'^(?:import\b[^;"]*|export\b[^;"]*\bfrom |await import\()"([^"]+\.js)"', re.MULTILINE)
"""Modules that a module has to have before it runs."""


def index() -> str:
    """HTML of the page."""
    import jinja2
    from markupsafe import Markup

    from kr import __version__

    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(_static("index.html"))
    links = (f'<link rel="modulepreload" href="/static/{name}">' for name in start_modules())
    return template.render(
        pieces=Markup(piece_symbols()),
        board=Markup(first_board()),
        modules=Markup("\n".join(links)),
        version=__version__,
    )


def start_modules(entry: str = "main.js") -> list[str]:
    """All that a module needs at its start. A browser told of them at once need not read one to hear of the next."""
    found: dict[str, None] = {}

    def add(name: str) -> None:
        if name not in found:
            found[name] = None
            for other in _IMPORTS.findall(_static(name)):
                add(posixpath.normpath(posixpath.join(posixpath.dirname(name), other)))

    add(entry)
    return [name for name in found if name != entry]


def _static(name: str) -> str:
    """A file of the page, whose own folder and that of all pages are one, with the texts of languages."""
    if name in (made := scripts()):
        return made[name]
    places = (resources.files(room).joinpath("static", name) for room in ("kr.page", "kr.viewer"))
    return next(place for place in places if place.is_file()).read_text(encoding="utf-8")
