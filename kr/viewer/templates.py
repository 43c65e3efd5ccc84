"""Pages without a server from jinja2's templates: each a single file that needs no other file and no network.

A template extends `page.html` of this room. All text is escaped, and a policy in the page lets the browser run no
script but its own, and load nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from kr.text import visible_lines
from kr.viewer.assets import board_colors, static
from kr.viewer.bundle import page_policy, script

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

FRAME = "page.html"


@dataclass(frozen=True)
class PageSources:
    """Script and style of a page, and the policy that allows them alone."""

    script: Markup
    style: Markup
    policy: str


def template_environment(package: str) -> jinja2.Environment:
    """The templates that stand in a package, such as "kr.problems", and the frame of all pages."""
    import jinja2

    def template(name: str) -> str:
        return template_text("kr.viewer" if name == FRAME else package, name)

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(template), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=_shown,
    )  # fmt: skip


def template_text(package: str, name: str) -> str:
    """The text of a template or a style sheet in a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def _shown(value: Any) -> Any:
    """Make a value printable by a template; all text but the markup of kr itself may come from a file."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else visible_lines(value)


def page_sources(entry: str, styles: Sequence[str], own: str) -> PageSources:
    """Sources of a page. entry: its script in kr/viewer/static; styles: style sheets there; own: style of its own."""
    from markupsafe import Markup

    code = script(entry)
    style = "\n".join([board_colors(), *map(static, styles), own])
    return PageSources(Markup(code), Markup(style), page_policy(code, style))
