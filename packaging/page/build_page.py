"""Builds the page without a server: python packaging/page/build_page.py [--out DIR] [--modules]

Into build/page go the files that any web server can show, in any folder:

    index.html, manifest.webmanifest, icons    the page of kr web
    NAME-DIGEST.js, NAME-DIGEST.css            its scripts and styles, bundled by esbuild
    NAME-DIGEST.gz                             the engine, its tables, its database, data
    worker.js                                  keeps all that for when there is no network

The scripts are those of kr/viewer/static and kr/page/static, with those of packaging/page/static in place of their
namesakes, and kr/page/static/answers, which answers in place of a server. It needs build/library-wasm (make library
SYSTEM=wasm) and node_modules (npm ci). --modules lists of what a board's scripts consist.
"""

import argparse
import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bundle import ESBUILD, LEGAL_MOVES, ROOT, SHEETS, START, bundle, closure, esbuild, lay_out

from kr.egdb.database import Database
from kr.page import data
from kr.page.files import content_digest, folder_files, index, sources, style_sheets

SOURCES = Path(__file__).resolve().parent
LIBRARY = ROOT / "build" / "library-wasm"
PEOPLE = ROOT / "weights" / "people.h5"
LEFT_OUT = {
    "explorer/archives.js": "Archives", "play/matchform.js": "MatchForm", "runs/page.js": "page",
}  # fmt: skip
"""Modules of kr web that nothing asks for here (packaging/page/static/offers.js), and what they export."""
STYLES_LEFT_OUT = {"runs.css"}
WORKERS = {"search-worker": ("answers/search-worker.js",), "main": ("answers/main.js", LEGAL_MOVES)}
"""Scripts that run beside the page, with what a board asks of each, by the names that they have there; each may start
those before it."""
MAIN = "main"
"""The one that the page starts."""
POLICY = {
    # styles, workers and the manifest, for which some browsers know no name of its own
    "default-src": "'self'",
    "object-src": "'none'",
    "frame-src": "'none'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    "worker-src": "'self'",
    "img-src": "'self' data: blob:",
    "connect-src": "'self' blob:",
    "base-uri": "'none'",
    "form-action": "'none'",
}
"""What the page may load and run; frame-ancestors and other headers of kr.web.guard are up to the host."""


@dataclass
class Site:
    """The files of the page so far: content by path, and the table of those that scripts ask for by name."""

    files: dict[str, bytes] = field(default_factory=dict)
    table: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add_packed(self, name: str, content: bytes) -> None:
        """A file that scripts load, packed, so that no host has to."""
        sum = hashlib.sha256(content).hexdigest()
        self.add(name, f"{name}-{sum[:8]}.gz", content, gzip.compress(content, 9, mtime=0))

    def add(self, name: str, path: str, content: bytes, stored: bytes) -> None:
        """A file with an entry in the table."""
        self.files[path] = stored
        self.table[name] = {
            "path": path,
            "size": len(content),
            "packed": len(stored),
            "sha256": hashlib.sha256(content).hexdigest(),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "page")
    parser.add_argument("--modules", action="store_true")
    chosen = parser.parse_args()
    site = Site()
    missing = add_large_files(site)
    large = set(site.files)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        outputs = bundle_all(folder, site)
    first, of_worker = closure(outputs, START), closure(outputs, WORKERS[MAIN])
    sheets = {
        kind: [path] for kind, name in SHEETS.items() for path in outputs if outputs[path].get("entryPoint") == name
    }
    add_page(site, sheets, first)
    add_worker(site, large)
    write(site, chosen.out)
    report(site, chosen.out, large, sheets["stylesheet"][0], first, of_worker)
    if chosen.modules:
        list_modules(outputs, first)
        list_modules(outputs, of_worker)
    if missing:
        sys.exit(f"kr: {chosen.out} is incomplete: {'; '.join(missing)}")


# --- the large files


def add_large_files(site: Site) -> list[str]:
    """Add the files of the engine; returns what is missing."""
    missing: list[str] = []
    for name, file in (("kr.wasm", "kr.wasm"), ("tables", "kr.krt")):
        path = LIBRARY / file
        if not path.exists():
            sys.exit(f"kr: no {path.relative_to(ROOT)}: make library SYSTEM=wasm")
        site.add_packed(name, path.read_bytes())
    site.add_packed("database", database())
    site.add_packed("book", (ROOT / "books" / "kr.krb").read_bytes())
    people = policy_file()
    if isinstance(people, Path):
        site.add_packed("people", people.read_bytes())
    else:
        missing.append(people)
    for name, content in data_files().items():
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        site.add_packed(f"{name}.json", text.encode())
    return missing


def database() -> bytes:
    r"""The files of egdb/ in one: a line, then their contents.

    The line: {"names": [NAME, ...], "sizes": [BYTES, ...], "signature": WORDS}\n
    """
    paths = sorted((ROOT / "egdb").glob("*.egdb"))
    if not paths:
        sys.exit("kr: egdb/ has no *.egdb")
    contents = [path.read_bytes() for path in paths]
    signature = Database.open(ROOT / "egdb").signature
    head = {"names": [path.name for path in paths], "sizes": [*map(len, contents)], "signature": signature}
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + b"".join(contents)


def policy_file() -> Path | str:
    """The policy of how people play, compact, or why there is none."""
    compact = LIBRARY / "people.krp"
    if not compact.exists() or compact.stat().st_mtime < PEOPLE.stat().st_mtime:
        command: list[str | Path] = [sys.executable, "-m", "kr", "policy", "compact", PEOPLE, "--out", compact]
        process = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if process.returncode:
            return f"no policy, since kr policy compact failed: {(process.stderr.strip() or '?').splitlines()[-1]}"
    return compact


def data_files() -> dict[str, Any]:
    """The data of kr/page/data.py by name."""
    return {name: make() for name, make in data.DATA.items()}


# --- scripts and styles


def prepare(folder: Path) -> None:
    """Make the folder with all scripts and styles that esbuild reads."""
    files = {**sources(), **folder_files(SOURCES / "static")}
    for name, export in LEFT_OUT.items():
        if f" {export}".encode() not in files[name]:
            sys.exit(f"kr: {name} does not export {export}")
        files[name] = f"export const {export} = null;\n".encode()
    sheets = {kind: [name for name in names if name not in STYLES_LEFT_OUT] for kind, names in style_sheets().items()}
    lay_out(folder, files, sheets)


def bundle_all(folder: Path, site: Site) -> dict[str, Any]:
    """Bundle the scripts into the site. Returns what esbuild says of each, by path."""
    outputs_of_all: dict[str, Any] = {}
    for name, start in WORKERS.items():
        write_table(folder / "answers", site.table)
        made, outputs = bundle(folder, [*start[:1]], f"answers-{name}-[hash]", start)
        site.files.update(made)
        outputs_of_all |= outputs
        (entry,) = (path for path, each in outputs.items() if each.get("entryPoint") == start[0])
        site.add(name, entry, made[entry], made[entry])
    # the page loads no other file by its name
    write_table(folder, {MAIN: site.table[MAIN]})
    made, outputs = bundle(folder, ["main.js", *SHEETS.values()], "[name]-[hash]", START)
    site.files.update(made)
    return outputs_of_all | outputs


def write_table(folder: Path, table: dict[str, dict[str, Any]]) -> None:
    """Write the module by which scripts find files: in each bundle all that was made before it."""
    (folder / "files.js").write_text(f"export const FILES = {json.dumps(table)};\n")


# --- the page


def add_page(site: Site, sheets: dict[str, list[str]], first: list[str]) -> None:
    """Add the page, its manifest and its icons."""
    policy = "; ".join(f"{name} {sources}" for name, sources in POLICY.items())
    head = (
        f'<meta http-equiv="content-security-policy" content="{policy}">\n<meta name="referrer" content="no-referrer">'
    )
    # how to come in stands on a page with a door
    text = re.sub(r'<p class="shut">.*\n', "", index("./", sheets, first, "", head))
    files = sources()
    looks = f"first-{hashlib.sha256(files['first.js']).hexdigest()[:8]}.js"
    text = text.replace('"./first.js"', f'"./{looks}"')
    site.files[looks] = files["first.js"]
    if match := re.search(r'="/[^"]*|\{\{.*', text):
        sys.exit(f"kr: kr/page/static/index.html has {match[0]}, which build_page.py does not know")
    site.files["index.html"] = text.encode()
    site.files |= {name: content for name, content in files.items() if name.startswith("icons/")}
    manifest = json.loads(files["manifest.webmanifest"])
    # an id would be one of the whole host; it is the address of the page where it is left out
    del manifest["id"]
    manifest |= {"start_url": "./", "scope": "./"}
    site.files["manifest.webmanifest"] = json.dumps(manifest, ensure_ascii=False, separators=(",", ":")).encode()


def add_worker(site: Site, large: Iterable[str]) -> None:
    """Add the service worker, and give the page the digest of all files."""
    build = content_digest(site.files)[:12]
    site.files["index.html"] = site.files["index.html"].replace(b'data-build=""', f'data-build="{build}"'.encode())
    named_by_content = {
        path: "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()
        for path, content in site.files.items()
        if path.endswith((".js", ".css"))
    }
    others = {path: "" for path in site.files if path not in named_by_content and path not in large}
    others["./"] = others.pop("index.html")
    shell = {"build": build, "files": others | named_by_content, "large": sorted(large), "data": []}
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "worker.js").write_bytes(sources()["worker.js"])
        esbuild(
            [
                ESBUILD,
                "worker.js",
                "--minify",
                "--format=iife",
                "--target=es2022",
                "--log-level=warning",
                "--outfile=small.js",
            ],
            Path(name),
        )
        script = (Path(name) / "small.js").read_bytes()
    site.files["worker.js"] = f"globalThis.SHELL={json.dumps(shell, separators=(',', ':'))};\n".encode() + script


def write(site: Site, out: Path) -> None:
    """Write all files, the page last, and remove those of an older build."""
    last = ("worker.js", "index.html")
    for path in [*(path for path in site.files if path not in last), *last]:
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != site.files[path]:
            part = target.with_name(f".{target.name}.part")
            part.write_bytes(site.files[path])
            part.replace(target)
    for old in out.rglob("*"):
        if old.is_file() and old.relative_to(out).as_posix() not in site.files:
            old.unlink()


# --- what is said of it


def packed(content: bytes) -> int:
    """Bytes of what a host may pack."""
    return len(gzip.compress(content, 9, mtime=0))


def report(site: Site, out: Path, large: Iterable[str], sheet: str, first: list[str], of_worker: list[str]) -> None:
    """Print sizes."""
    page = site.files["index.html"]
    scripts, workers = (sum(packed(site.files[path]) for path in paths) for paths in (first, of_worker))
    whole = packed(page) + packed(site.files[sheet]) + scripts
    small = sum(packed(content) for path, content in site.files.items() if path not in large)
    place = out.resolve().relative_to(ROOT) if out.resolve().is_relative_to(ROOT) else out
    print(f"kr: wrote {place}: {len(site.files)} files, {sum(map(len, site.files.values())) / 1e6:.1f} MB")
    print(f"  before the board  {whole / 1e3:6.1f} kB packed: page {packed(page) / 1e3:.1f}, "
          f"styles {packed(site.files[sheet]) / 1e3:.1f}, {len(first)} scripts {scripts / 1e3:.1f}")  # fmt: skip
    print(f"  before its moves  {workers / 1e3:6.1f} kB more: {len(of_worker)} scripts of the worker")
    print(f"  all but large     {small / 1e3:6.1f} kB packed")
    for name, entry in site.table.items():
        if name not in WORKERS:
            print(f"  {name:<17} {entry['packed'] / 1e3:6.1f} kB packed, {entry['size'] / 1e3:.1f} kB")


def list_modules(outputs: dict[str, Any], paths: list[str]) -> None:
    """Print the modules in some bundles, by their bytes there."""
    sizes = {name: each["bytesInOutput"] for path in paths for name, each in outputs[path]["inputs"].items()}
    print(f"  {sum(sizes.values())} bytes, not packed, of {len(sizes)} modules:")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        print(f"    {size:6}  {name}")


if __name__ == "__main__":
    main()
