"""Bundles the scripts and styles of kr web into kr/page/bundle: python packaging/page/bundle.py [--out DIR]

Needs node_modules (npm ci). A bundle of the same sources is left as it is; a server takes no other (kr.page.files).
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kr.page.files import BUNDLED, content_digest, sources, style_sheets

ROOT = Path(__file__).resolve().parents[2]
ESBUILD = ROOT / "node_modules" / ".bin" / "esbuild"
START = ("main.js", "shell.js")
"""Scripts that a board needs, with all that they import."""
WORKER = "answers/native.js"
"""The script that answers beside the page."""
LEGAL_MOVES = "answers/positions.js"
"""That part of it which a board asks first."""
TOGETHER = "together.js"
"""A module made here, which makes one file of those that several others share."""
LANGUAGES = "languages/"
"""They come before all else."""
SHEETS = {"stylesheet": "style-sheets.css", "later": "later.css"}
"""Style sheets that import those of a board, and the rest."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "kr" / "page" / "bundle")
    out = parser.parse_args().out
    files = sources()
    made_of = content_digest(files)
    description = out / BUNDLED
    if description.exists() and json.loads(description.read_bytes())["of"] == made_of:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out(folder, files, style_sheets())
        made, outputs = bundle(folder, ["main.js", *SHEETS.values()], "[name]", START)
        worker, _ = bundle(folder, [WORKER], "[dir]/[name]", [WORKER, LEGAL_MOVES])
    first = closure(outputs, START)
    contents = {"of": made_of, "scripts": first, "sheets": {kind: [name] for kind, name in SHEETS.items()}}
    shutil.rmtree(out, ignore_errors=True)
    for path, content in {**made, **worker, BUNDLED: json.dumps(contents).encode()}.items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    print(f"kr: bundled the scripts of kr web: {len(made) + len(worker)} files, {len(first)} of them for the board")


def lay_out(folder: Path, files: Mapping[str, bytes], sheets: Mapping[str, Iterable[str]]) -> None:
    """Make the folder that esbuild reads."""
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    # what no script uses is left out: importing a module does nothing but define names
    (folder / "package.json").write_text(json.dumps({"sideEffects": [f"./{TOGETHER}"]}))
    for kind, names in sheets.items():
        (folder / SHEETS[kind]).write_text("".join(f'@import "./{name}";\n' for name in names))


def bundle(
    folder: Path, entries_of: list[str], entries: str, start: Iterable[str]
) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Bundle scripts. Returns the files by path, and what esbuild says of each.

    start: those that are there, with all that they import, when any other that is imported later is asked for. They
    stay in files of their own, whose lines run in their order.

    esbuild makes a file of the modules that the same entries reach, most of them a few hundred bytes: eighty requests
    for a board. So the later entries are made to reach the same: what the start has, and what two of them share.
    """
    outputs = split(folder, entries_of, entries)
    later = [
        each["entryPoint"]
        for path, each in outputs.items()
        if path.endswith(".js") and "entryPoint" in each and each["entryPoint"] not in {*entries_of, *start}
    ]
    later = [entry for entry in later if not entry.startswith(LANGUAGES)]
    first = modules(outputs, start)
    reached = Counter(name for entry in later for name in modules(outputs, [entry]) if name not in first)
    shared = [
        *(name for name in first if name not in {*entries_of, *start}),
        *(name for name, count in reached.items() if count > 1),
    ]
    # a namespace that nobody uses leaves nothing behind
    lines = (f'export * as each{number} from "./{name}";\n' for number, name in enumerate(shared))
    (folder / TOGETHER).write_text("".join(lines))
    for entry in later:
        with (folder / entry).open("a") as script:
            script.write(f'import "{"../" * entry.count("/") or "./"}{TOGETHER}";\n')
    outputs = split(folder, entries_of, entries)
    return {path: (folder / ".out" / path).read_bytes() for path in outputs}, outputs


def split(folder: Path, entries_of: list[str], entries: str) -> dict[str, Any]:
    """Bundle scripts into .out, as esbuild divides them. Returns what it says of each file, by path."""
    out = folder / ".out"
    shutil.rmtree(out, ignore_errors=True)
    options = ("--bundle", "--splitting", "--format=esm", "--minify", "--target=es2022", "--log-level=warning")
    names = (f"--entry-names={entries}", "--chunk-names=[name]-[hash]", "--asset-names=[name]-[hash]")
    command: list[str | Path] = [ESBUILD, *entries_of, *options, *names, "--outdir=.out", "--outbase=."]
    esbuild([*command, "--metafile=.out/.meta.json"], folder)
    outputs = json.loads((out / ".meta.json").read_bytes())["outputs"]
    return {path.removeprefix(".out/"): each for path, each in outputs.items()}


def modules(outputs: dict[str, Any], starts: Iterable[str]) -> list[str]:
    """The modules of some scripts with all that they import."""
    return [name for path in closure(outputs, starts) for name in outputs[path]["inputs"]]


def esbuild(command: list[str | Path], folder: Path) -> None:
    """Run esbuild; what it says is shown if it fails."""
    if not ESBUILD.exists():
        sys.exit("kr: node_modules has no esbuild: npm ci (apt install nodejs npm)")
    process = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if process.stdout:
        sys.stderr.write(process.stdout)
    if process.returncode:
        sys.exit("kr: esbuild failed")


def closure(outputs: dict[str, Any], starts: Iterable[str]) -> list[str]:
    """The bundles of some scripts with all that they import, the first of them first."""
    names: list[str] = []

    def add(path: str) -> None:
        if path not in names:
            names.append(path)
            for each in outputs[path]["imports"]:
                if each["kind"] == "import-statement":
                    add(each["path"].removeprefix(".out/"))

    for start in starts:
        entries = [path for path, each in outputs.items() if each.get("entryPoint") == start]
        if not entries:
            sys.exit(f"kr: no bundle begins with {start}")
        add(entries[0])
    return names


if __name__ == "__main__":
    main()
