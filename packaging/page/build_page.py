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
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kr
from kr.language.sentences import scripts
from kr.page import data
from kr.viewer.assets import board_colors, first_board, piece_symbols

SOURCES = Path(__file__).resolve().parent
ROOT = SOURCES.parents[1]
PAGE = ROOT / "kr" / "page"
LIBRARY = ROOT / "build" / "library-wasm"
ESBUILD = ROOT / "node_modules" / ".bin" / "esbuild"
PEOPLE = ROOT / "weights" / "people.h5"
STATIC = (ROOT / "kr" / "viewer" / "static", PAGE / "static", SOURCES / "static")
"""Folders with the files of the page; of two with one name the later is taken."""
STYLES = ("page.css",)
"""Style sheets beside those of kr web."""
LEFT_OUT = {
    "composing/panel.js": "Composing", "explorer/archives.js": "Archives", "play/matchform.js": "MatchForm",
    "runs/page.js": "page",
}  # fmt: skip
"""Modules of kr web that nothing asks for here (packaging/page/static/offers.js), and what they export."""
STYLES_LEFT_OUT = {"runs.css"}
WORKERS = {"search-worker": "answers/search-worker.js", "main": "answers/main.js"}
"""Scripts that run beside the page, by the names that they have there; each may start those before it."""
MAIN = "main"
"""The one that the page starts."""
START = ("main.js", "shell.js")
"""Scripts that a board needs, with all that they import."""
WORKER_START = ("answers/main.js", "answers/positions.js")
"""The same in the worker: those that answer with a position's legal moves."""
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
        digest = hashlib.sha256(content).hexdigest()
        self.add(name, f"{name}-{digest[:8]}.gz", content, gzip.compress(content, 9, mtime=0))

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
    answers = PAGE / "static" / "answers"
    parser.add_argument("--answers", type=Path, default=answers, help="scripts that answer, for tests")
    parser.add_argument("--modules", action="store_true")
    chosen = parser.parse_args()
    if not ESBUILD.exists():
        sys.exit("kr: node_modules has no esbuild: npm ci (apt install nodejs npm)")
    site = Site()
    missing = add_large_files(site)
    large = set(site.files)
    with tempfile.TemporaryDirectory() as name:
        sources = Path(name)
        lay_out(sources, chosen.answers)
        outputs = bundle_all(sources, site)
    first, of_worker = closure(outputs, START), closure(outputs, WORKER_START)
    add_page(site, sheet=next(path for path in site.files if path.endswith(".css")), first=first)
    build = add_worker(site, large)
    write(site, chosen.out)
    report(site, chosen.out, large, first, of_worker, build)
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
    r"""The files of egdb/ in one: a line, {"names": [NAME, ...], "sizes": [BYTES, ...]}\n, then their contents."""
    paths = sorted((ROOT / "egdb").glob("*.egdb"))
    if not paths:
        sys.exit("kr: egdb/ has no *.egdb")
    contents = [path.read_bytes() for path in paths]
    head = {"names": [path.name for path in paths], "sizes": [*map(len, contents)]}
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + b"".join(contents)


def policy_file() -> Path | str:
    """The policy of how people play, compact, or why there is none."""
    compact = LIBRARY / "people.krp"
    if not compact.exists() or compact.stat().st_mtime < PEOPLE.stat().st_mtime:
        command: list[str | Path] = [sys.executable, "-m", "kr", "policy", "compact", PEOPLE, "--out", compact]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            return f"no policy, since kr policy compact failed: {(done.stderr.strip() or '?').splitlines()[-1]}"
    return compact


def data_files() -> dict[str, Any]:
    """The data of kr/page/data.py by name."""
    return {name: make() for name, make in data.DATA.items()}


# --- scripts and styles


def lay_out(folder: Path, answers: Path) -> None:
    """Make the folder with all scripts and styles that esbuild reads."""
    for static in STATIC:
        shutil.copytree(static, folder, dirs_exist_ok=True)
    shutil.copytree(answers, folder / "answers", dirs_exist_ok=True)
    (folder / "languages").mkdir()
    for path, text in scripts().items():
        (folder / path).write_text(text, encoding="utf-8")
    for name, export in LEFT_OUT.items():
        if f" {export}" not in (folder / name).read_text(encoding="utf-8"):
            sys.exit(f"kr: {name} does not export {export}")
        (folder / name).write_text(f"export const {export} = null;\n")
    # what no script uses is left out: importing a module does nothing but define names
    (folder / "package.json").write_text('{"sideEffects": false}')
    (folder / "colors.css").write_text(board_colors())
    names = [*re.findall(r'<link rel="stylesheet" href="/static/([^"]+)">', template()), *STYLES]
    imports = (f'@import "./{name}";\n' for name in names if name not in STYLES_LEFT_OUT)
    (folder / "style-sheets.css").write_text("".join(imports))


def bundle_all(folder: Path, site: Site) -> dict[str, Any]:
    """Bundle the scripts into the site. Returns what esbuild says of each, by path."""
    told: dict[str, Any] = {}
    for name, worker in WORKERS.items():
        write_table(folder / "answers", site.table)
        made, outputs = bundle(folder, [worker], entries=f"answers-{name}-[hash]")
        site.files.update(made)
        told |= outputs
        (entry,) = (path for path, each in outputs.items() if each.get("entryPoint") == worker)
        site.add(name, entry, made[entry], made[entry])
    # the page loads no other file by its name
    write_table(folder, {MAIN: site.table[MAIN]})
    made, outputs = bundle(folder, ["main.js", "style-sheets.css"], entries="[name]-[hash]")
    site.files.update(made)
    return told | outputs


def write_table(folder: Path, table: dict[str, dict[str, Any]]) -> None:
    """Write the module by which scripts find files: in each bundle all that was made before it."""
    (folder / "files.js").write_text(f"export const FILES = {json.dumps(table)};\n")


def bundle(folder: Path, entries_of: list[str], entries: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Bundle scripts. Returns the files by path, and what esbuild says of each."""
    out = folder / ".out"
    shutil.rmtree(out, ignore_errors=True)
    options = ("--bundle", "--splitting", "--format=esm", "--minify", "--target=es2022", "--log-level=warning")
    names = (f"--entry-names={entries}", "--chunk-names=[name]-[hash]", "--asset-names=[name]-[hash]")
    command: list[str | Path] = [ESBUILD, *entries_of, *options, *names, "--outdir=.out", "--metafile=.out/.meta.json"]
    esbuild(command, folder)
    outputs = json.loads((out / ".meta.json").read_bytes())["outputs"]
    told = {path.removeprefix(".out/"): each for path, each in outputs.items()}
    return {path: (out / path).read_bytes() for path in told}, told


def esbuild(command: list[str | Path], folder: Path) -> None:
    """Run esbuild; what it says is shown if it fails."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.stdout:
        sys.stderr.write(done.stdout)
    if done.returncode:
        sys.exit("kr: esbuild failed")


def closure(outputs: dict[str, Any], starts: Iterable[str]) -> list[str]:
    """The bundles of some scripts with all that they import, the first of them first."""
    found: list[str] = []

    def add(path: str) -> None:
        if path not in found:
            found.append(path)
            for each in outputs[path]["imports"]:
                if each["kind"] == "import-statement":
                    add(each["path"].removeprefix(".out/"))

    for start in starts:
        entries = [path for path, each in outputs.items() if each.get("entryPoint") == start]
        if not entries:
            sys.exit(f"kr: no bundle begins with {start}")
        add(entries[0])
    return found


# --- the page


def template() -> str:
    """The page of kr web as it stands."""
    return (STATIC[1] / "index.html").read_text(encoding="utf-8")


def add_page(site: Site, sheet: str, first: list[str]) -> None:
    """Add the page, its manifest and its icons."""
    policy = "; ".join(f"{name} {sources}" for name, sources in POLICY.items())
    charset, script = '<meta charset="utf-8">\n', '<script type="module" src="/static/main.js"></script>\n'
    loads = [
        f'<link rel="stylesheet" href="./{sheet}">',
        *(f'<link rel="modulepreload" href="./{path}">' for path in first),
    ]
    loads[1] = f'<script type="module" src="./{first[0]}"></script>'
    text = re.sub(r'<link rel="stylesheet"[^>]*>\n|<p class="shut">.*\n', "", template())
    for old, new in (
        (
            charset,
            f'{charset}<meta http-equiv="content-security-policy" content="{policy}">\n'
            '<meta name="referrer" content="no-referrer">\n',
        ),
        (script, "\n".join(loads) + "\n"),
        ('"/static/', '"./'),
        ("{{ modules }}\n", ""),
        ("{{ pieces }}", piece_symbols()),
        ("{{ board }}", first_board()),
        ('data-version="{{ version }}"', f'data-version="{kr.__version__}" data-build=""'),
    ):
        if old not in text:
            sys.exit(f"kr: kr/page/static/index.html has no {old.strip()}")
        text = text.replace(old, new)
    if found := re.search(r'="/[^"]*|\{\{.*', text):
        sys.exit(f"kr: kr/page/static/index.html has {found[0]}, which build_page.py does not know")
    site.files["index.html"] = text.encode()
    for path in sorted((STATIC[1] / "icons").iterdir()):
        site.files[f"icons/{path.name}"] = path.read_bytes()
    manifest = json.loads((STATIC[1] / "manifest.webmanifest").read_bytes())
    # an id would be one of the whole host; it is the address of the page where it is left out
    del manifest["id"]
    manifest |= {"start_url": "./", "scope": "./"}
    site.files["manifest.webmanifest"] = json.dumps(manifest, ensure_ascii=False, separators=(",", ":")).encode()


def add_worker(site: Site, large: Iterable[str]) -> str:
    """Add the service worker, and give the page the digest of all files, which is returned."""
    digest = hashlib.sha256()
    for path, content in sorted(site.files.items()):
        digest.update(b"%b\0%d\0%b" % (path.encode(), len(content), content))
    build = digest.hexdigest()[:12]
    site.files["index.html"] = site.files["index.html"].replace(b'data-build=""', f'data-build="{build}"'.encode())
    named_by_content = {
        path: "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode()
        for path, content in site.files.items()
        if path.endswith((".js", ".css"))
    }
    others = {path: "" for path in site.files if path not in named_by_content and path not in large}
    others["./"] = others.pop("index.html")
    shell = {"build": build, "files": others | named_by_content, "large": sorted(large)}
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(STATIC[2] / "worker.js", name)
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
    return build


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


def report(site: Site, out: Path, large: Iterable[str], first: list[str], of_worker: list[str], build: str) -> None:
    """Print sizes."""
    page, sheet = site.files["index.html"], next(path for path in site.files if path.endswith(".css"))
    scripts, workers = (sum(packed(site.files[path]) for path in paths) for paths in (first, of_worker))
    whole = packed(page) + packed(site.files[sheet]) + scripts
    small = sum(packed(content) for path, content in site.files.items() if path not in large)
    place = out.resolve().relative_to(ROOT) if out.resolve().is_relative_to(ROOT) else out
    print(
        f"kr: wrote {place}, build {build}: {len(site.files)} files, {sum(map(len, site.files.values())) / 1e6:.1f} MB"
    )
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
