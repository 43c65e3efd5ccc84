"""The files of the page as `kr web` serves them: its scripts and styles, bundled where that has been done; its HTML.

`make bundle` bundles the scripts by a tool of node into kr/page/bundle, which wheels carry. A bundle says what it was
made of, and one of other scripts is left alone: then a browser gets the modules as they stand.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from kr import __version__
from kr.language.sentences import scripts
from kr.viewer.assets import board_colors, first_board, piece_symbols

SERVED = (".js", ".css", ".html", ".svg", ".png", ".webmanifest")
"""Of the files that a browser gets."""
BUNDLE = resources.files("kr.page").joinpath("bundle")
UNBUNDLED = ("first.js", "worker.js")
"""Scripts that run by themselves, before the others and beside the page."""
BUNDLED = "bundle.json"
"""File of a bundle: {"of": digest of its sources, "scripts": those of its start, "sheets": style sheets by kind}."""

_SHEET = re.compile(r'<link rel="(stylesheet|later)" href="([^"]+)">\n')
_IMPORTS = re.compile(r'^(?:import\b[^;"]*|export\b[^;"]*\bfrom |await import\()"([^"]+\.js)"', re.MULTILINE)
"""Modules that a module has to have before it runs."""


@dataclass(frozen=True)
class PageFiles:
    """All files that a browser may get, by their names below one folder, and what it loads first."""

    files: Mapping[str, bytes]
    sheets: Mapping[str, Sequence[str]]
    """Style sheets: "stylesheet" are those of a board, "later" those of the rest."""
    scripts: Sequence[str]
    """What is needed at the start, first the script that runs. A browser told of all need not read one to hear of the
    next."""
    sources: Mapping[str, bytes]
    """The files as they stand."""
    has_old_bundle: bool = False
    """True if there is a bundle, but of other files than these."""


def files_to_serve() -> PageFiles:
    """The files, bundled if there is a bundle of them."""
    files = sources()
    if (description := BUNDLE.joinpath(BUNDLED)).is_file():
        bundle = json.loads(description.read_bytes())
        if bundle["of"] == content_digest(files):
            others = {name: content for name, content in files.items() if not name.endswith((".js", ".css"))}
            whole = {name: files[name] for name in UNBUNDLED}
            served = {**others, **whole, **folder_files(BUNDLE)}
            return PageFiles(served, bundle["sheets"], bundle["scripts"], files)
    return PageFiles(files, style_sheets(), start_modules(files), files, has_old_bundle=description.is_file())


def sources() -> dict[str, bytes]:
    """The files as they stand: those of all pages, and those of this one."""
    files = {"colors.css": board_colors().encode()}
    for room in ("kr.viewer", "kr.page"):
        files |= folder_files(resources.files(room).joinpath("static"))
    return files | {name: text.encode() for name, text in scripts().items()}


def folder_files(folder: Traversable, below: str = "") -> dict[str, bytes]:
    """The files of a folder that browsers get, by their names below it."""
    files: dict[str, bytes] = {}
    for file in folder.iterdir():
        if file.is_dir():
            files |= folder_files(file, f"{below}{file.name}/")
        elif file.name.endswith(SERVED):
            files[below + file.name] = file.read_bytes()
    return files


def content_digest(files: Mapping[str, bytes]) -> str:
    """Digest of names and contents."""
    whole = hashlib.sha256()
    for name, content in sorted(files.items()):
        whole.update(b"%b\0%d\0%b" % (name.encode(), len(content), content))
    return whole.hexdigest()


def _template() -> str:
    return resources.files("kr.page").joinpath("static", "index.html").read_text(encoding="utf-8")


def style_sheets() -> dict[str, list[str]]:
    """Style sheets of the page in their order: those of a board, and those that come later."""
    sheets: dict[str, list[str]] = {}
    for kind, name in _SHEET.findall(_template()):
        sheets.setdefault(kind, []).append(name)
    return sheets


def start_modules(files: Mapping[str, bytes], entry: str = "main.js") -> list[str]:
    """A module and all that it needs at its start."""
    modules: list[str] = []

    def add(name: str) -> None:
        if name not in modules:
            modules.append(name)
            for other in _IMPORTS.findall(files[name].decode()):
                add(posixpath.normpath(posixpath.join(posixpath.dirname(name), other)))

    add(entry)
    return modules


def index(base: str, sheets: Mapping[str, Iterable[str]], scripts: Sequence[str], build: str, head: str = "") -> str:
    """HTML of the page.

    base: the folder of its files, as the page names it; build: the version of these; head: what begins the head.
    """
    first, *rest = scripts
    loads = [
        *(f'<link rel="{kind}" href="{base}{name}">' for kind, names in sheets.items() for name in names),
        f'<script type="module" src="{base}{first}"></script>',
        *(f'<link rel="modulepreload" href="{base}{name}">' for name in rest),
    ]
    text = _SHEET.sub("", _template())
    for name, filled in (
        ("head", head),
        ("loads", "\n".join(loads)),
        ("base", base),
        ("version", __version__),
        ("build", build),
        ("pieces", piece_symbols()),
        ("board", first_board()),
    ):
        text = text.replace(f"{{{{ {name} }}}}", filled)
    return text
