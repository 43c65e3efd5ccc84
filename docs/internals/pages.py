"""Pages of the site that are made when it is built: an mkdocs hook (`hooks` in mkdocs.yml).

    reference/commands/   a page for each command, from its --help
    measurements.md       from measurements.toml
    start/tutorial.md     from the notebook, with what its cells show
    assets/logo.svg       a king, as kr draws it

A line `<!-- rooms -->` in a page becomes the picture of the rooms, `<!-- front -->` the beginning of README.md,
`<!-- names: A, B -->` the interface of these public names, from their docstrings by mkdocstrings, and
`<!-- topics -->` a table of the pages that have such a line.
"""

import ast
import base64
import contextlib
import importlib
import io
import json
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.structure.files import File, Files

CHECKOUT = Path(__file__).parents[2]
DOCS = CHECKOUT / "docs"
sys.path.insert(0, str(Path(__file__).parent))
import draw_rooms  # noqa: E402


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages to the files of the site, and those of a folder to the navigation."""
    commands = command_pages()
    pages = {**commands, "measurements.md": measurements_page(), "start/tutorial.md": tutorial_page()}
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    from kr import Side, svg

    files.append(File.generated(config, "assets/logo.svg", content=svg.piece(Side.WHITE, True)))
    config.nav = with_pages(config.nav, {"reference/commands/index.md": commands})
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put what is made in the place of the lines that ask for it."""
    if "<!-- rooms -->" in markdown:
        markdown = markdown.replace("<!-- rooms -->", f'<div class="rooms">{draw_rooms.draw()}</div>')
    markdown = NAMES.sub(lambda found: interface(found[1].split(", ")), markdown)
    return markdown.replace("<!-- front -->", front()).replace("<!-- topics -->", topics())


def front() -> str:
    """README.md between its title and its commands, with links as they are from docs/."""
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    begin, end = text.index("# kr\n") + len("# kr\n"), text.index("\n## Use\n")
    return text[begin:end].replace("](docs/", "](").strip()


def on_env(env: Any, config: Any, **_: Any) -> Any:
    """Search in pages opened as files by assets/worker.js; the offline plugin would ask the net for such a script."""
    config.extra["polyfills"] = [ExtraScriptValue("assets/worker.js")]
    return env


def with_pages(nav: Any, folders: dict[str, dict[str, str]]) -> Any:
    """The navigation with all pages of a folder in the place of its index."""
    if isinstance(nav, list):
        return [with_pages(item, folders) for item in nav]
    if isinstance(nav, dict):
        return {title: with_pages(item, folders) for title, item in nav.items()}
    return list(folders[nav]) if nav in folders else nav


# -- commands, from --help ---------------------------------------------------------------------------------------------


def help_text(words: list[str]) -> str:
    """The text of `kr WORDS --help`."""
    from kr import cli

    os.environ["COLUMNS"] = "100"
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = cli.main([*words, "--help"])
    if code or not said.getvalue().startswith("Usage:"):
        raise RuntimeError(f"kr {' '.join(words)} --help says {said.getvalue()!r}, with exit code {code}")
    return said.getvalue()


def entries(block: str) -> list[tuple[str, str]]:
    """Names and descriptions of a two-column list in a help text."""
    found: list[tuple[str, str]] = []
    for line in block.splitlines():
        if re.match(r"  \S", line):
            name, _, text = line.strip().partition("  ")
            found.append((name, text.strip()))
        elif line.strip():
            name, text = found[-1]
            found[-1] = (name, f"{text} {line.strip()}".strip())
    return found


def sections(text: str) -> dict[str, str]:
    """The parts of a help text by their headings, `Usage` and what follows it first."""
    parts = re.split(r"^ {0,2}(Usage|Positional arguments|Options|Commands|Example):", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def escaped(text: str) -> str:
    """Plain text as Markdown; what stands in backticks is code."""
    return re.sub(r"(`[^`]+`)|([\\`*_{}\[\]<>#|~])", lambda found: found[1] or f"\\{found[2]}", text)


def described(words: list[str], level: int) -> str:
    """Help of a command, and of the commands below it, as Markdown."""
    found = sections(help_text(words))
    usage, _, about = found["Usage"].strip().partition("\n\n")
    lines = [f"{'#' * level} kr {' '.join(words)}", f"```text\n{' '.join(usage.split())}\n```"]
    lines += [escaped(" ".join(paragraph.split())) for paragraph in about.strip().split("\n\n")]
    for title in ("Positional arguments", "Options"):
        if title in found:
            lines.append(f"**{title.removeprefix('Positional ').capitalize()}**")
            for name, text in entries(found[title]):
                lines.append(f"`{name}`\n:   {escaped(text) or '…'}")
    if "Example" in found:
        block = re.sub(r"^ {4,6}", "", found["Example"].strip("\n"), flags=re.MULTILINE).rstrip()
        lines.append(f"**Example**\n\n```console\n{block}\n```")
    for name, _ in entries(found.get("Commands", "")):
        lines.append(described([*words, name], level + 1))
    return "\n\n".join(lines)


def command_pages() -> dict[str, str]:
    """The index of the commands and a page for each."""
    found = sections(help_text([]))
    about = found["Usage"].partition("\n\n")[2].strip().split("\n\n")
    rows = entries(found["Commands"])
    index = "# Commands\n\n" + "\n\n".join(escaped(" ".join(part.split())) for part in about)
    index += "\n\n" + "\n\n".join(f"[`kr {name}`]({name}.md)\n:   {escaped(text)}" for name, text in rows) + "\n"
    pages = {"reference/commands/index.md": index}
    for name, _ in rows:
        pages[f"reference/commands/{name}.md"] = f"---\ntitle: kr {name}\n---\n\n{described([name], 1)}\n"
    return pages


# -- the API, from docstrings ------------------------------------------------------------------------------------------


def imported(path: Path, package: str) -> dict[str, str]:
    """The names that a file imports from a package, with the module of each."""
    found = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.level or str(node.module).split(".")[0] == package):
            home = ".".join([package] * bool(node.level) + [node.module] * bool(node.module))
            found |= {alias.asname or alias.name: home for alias in node.names}
    return found


def source(module: str) -> Path | None:
    """The file of a module of the package, None for what is not one."""
    path = CHECKOUT / module.replace(".", "/")
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


NAMES = re.compile(r"^<!-- names: (.+) -->$", re.MULTILINE)
"""Where a page has the interface of public names."""


def api_files() -> list[str]:
    """The pages with names, in the order of the navigation."""
    return re.findall(r"(reference/api/\w+\.md)$", (CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)


def names_on(text: str) -> list[str]:
    """The public names that a page describes."""
    return [name for found in NAMES.finditer(text) for name in found[1].split(", ")]


def interface(names: list[str]) -> str:
    """Their interface, by docstrings; of a package that of the names in its `__all__`, each name once."""
    listing = CHECKOUT / "kr" / "__init__.pyi"
    homes = imported(listing if listing.is_file() else CHECKOUT / "kr" / "__init__.py", "kr")
    blocks: dict[str, None] = {}
    for name in names:
        for block in documented(f"{homes[name]}.{name}"):
            blocks.setdefault(block)
    return "\n\n".join(f"{block}\n    options: {{heading_level: 3}}" for block in blocks)


def topics() -> str:
    """A table of the pages with the names that each describes."""
    rows = ["| topic | names |", "|---|---|"]
    for path in api_files():
        text = (DOCS / path).read_text(encoding="utf-8")
        if names := names_on(text):
            title = text.partition("\n")[0].removeprefix("# ")
            rows.append(f"| [{title}]({Path(path).name}) | {', '.join(f'`{name}`' for name in names)} |")
    return "\n".join(rows)


def documented(name: str) -> list[str]:
    """The directives of mkdocstrings for a public name; of a package, for the names in its `__all__`, if any."""
    path = source(name)
    if path is None or path.name != "__init__.py":
        return [f"::: {name}"]
    homes = imported(path, "kr")
    names = getattr(importlib.import_module(name), "__all__", ())
    return [f"::: {homes.get(entry, name)}.{entry}" for entry in names]


# -- other pages -------------------------------------------------------------------------------------------------------


def measurements_page() -> str:
    """All figures of measurements.toml by subject, each with what repeats it."""
    data = tomllib.loads((DOCS / "measurements.toml").read_text(encoding="utf-8"))
    parts = [f"# Measurements\n\n{data['about'].strip()}"]
    for key, title in data["subjects"].items():
        parts.append(f"## {title}")
        for figure in data["figure"]:
            if figure["subject"] == key:
                machine = data["machines"][figure["machine"]]
                value = figure["value"].format_map(figure.get("numbers", {}))
                parts.append(f"**{figure['what']}**\n:   {value}")
                if "note" in figure:
                    parts[-1] += f"\n\n    {figure['note']}"
                if "command" in figure:
                    parts[-1] += "\n\n    ```console\n" + indented(figure["command"]) + "\n    ```"
                parts[-1] += f"\n\n    <small>{figure['date']} · commit {figure['commit']} · {machine}</small>"
    return "\n\n".join(parts) + "\n"


def indented(text: str) -> str:
    """The lines of a text four columns to the right."""
    return "\n".join(f"    {line}" for line in text.strip().splitlines())


def tutorial_page() -> str:
    """The notebook as a page: cells, and what they show."""
    parts = []
    for cell in json.loads((DOCS / "start" / "tutorial.ipynb").read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if drawing := "".join(data.get("image/svg+xml", "")):
                picture = base64.b64encode(drawing.encode()).decode()
                parts.append(f"![board](data:image/svg+xml;base64,{picture})")
            else:
                shown = "".join(output.get("text", data.get("text/plain", ""))).rstrip()
                parts.append(f'```{{.text .output title="Output"}}\n{shown}\n```')
    return "\n\n".join(parts) + "\n"
