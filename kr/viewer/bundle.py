"""Pages without a server: modules of kr/viewer/static joined into one script, and the policy that lets it run alone.

A page opened from a disk can load neither modules nor anything else beside it. So each module becomes a function that
returns its exports, before the modules that need it; names in different modules don't meet.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from kr.viewer.assets import static

_IMPORT = re.compile(r'^import \{([^{}]*)\} from "\./([\w-]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_EXPORTS = re.compile(r"^export \{(\w+(?:, \w+)*)\};$", re.MULTILINE)
# a comment for readers and tools, on lines of its own
_DOC = re.compile(r"^[ \t]*/\*\*.*?\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
# imports and exports of any other form, and texts that would end the script in a page
_OTHER = re.compile(r"^(?:import|export)\b.*|^.*(?:</script|<!--).*", re.MULTILINE | re.IGNORECASE)


class BundleError(ValueError):
    """A module that can't be joined with others: a fault in kr."""


def script(entry: str, read: Callable[[str], str] = static) -> str:
    """The module `entry`, such as "viewer.js", and all that it imports as one script. read: text of a module by name.

    Imports are of the form `import {a, b as c} from "./name.js";`, exports of the form `export function a`, `class` or
    `const`, or `export {a, b};` of names without another. Raises BundleError for any other, for a missing export and
    for modules that import each other. Comments that describe types stay behind.
    """
    scripts: dict[str, str] = {}
    exports: dict[str, list[str]] = {}

    def add(name: str, importers: tuple[str, ...]) -> None:
        if name in importers:
            raise BundleError(f"modules import each other: {' -> '.join([*importers, name])}")
        if name in scripts:
            return
        source = _DOC.sub("", read(name))
        for names, other in _IMPORT.findall(source):
            add(other, (*importers, name))
            for each in names.split(","):
                if (export := each.split(" as ")[0].strip()) and export not in exports[other]:
                    raise BundleError(f"{name} imports {export} from {other}, which has no such export")
        exports[name] = _EXPORT.findall(source)
        for names in _EXPORTS.findall(source):
            exports[name] += names.split(", ")
        body = _EXPORTS.sub("", _EXPORT.sub("", _IMPORT.sub(_constants, source)))
        if odd := _OTHER.search(body):
            raise BundleError(f"{name}: {odd[0].strip()!r} can't be joined with other modules")
        scripts[name] = f"const {_variable(name)} = (() => {{\n{body}\nreturn {{{', '.join(exports[name])}}};\n}})();\n"

    add(entry, ())
    return f'(() => {{\n"use strict";\n{"".join(scripts.values())}}})();\n'


def _constants(match: re.Match[str]) -> str:
    return f"const {{{match[1].replace(' as ', ': ')}}} = {_variable(match[2])};"


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("-", "_")


def data(value: Any) -> str:
    """JSON for a script element of type application/json, in which no text can end the element or begin a comment."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def page_policy(script: str, style: str) -> str:
    """Policy by which a page runs and shows only this script and style, and loads nothing."""
    return (
        f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; base-uri 'none'; "
        "form-action 'none'"
    )


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
