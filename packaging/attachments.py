"""Makes what a release has beside the archives of the index: python packaging/attachments.py WHAT... [--to DIR]

WHAT is one or more of

    page     kr-page-VERSION.zip: build/page, for any web server (after `make page`)
    library  kr-library-VERSION-linux-MACHINE.tar.gz: the C library as `make install PREFIX=/usr/local` puts it (after
             `make library`)
    notes    notes.md: what CHANGELOG.md says of this version
    sums     SHA256SUMS of all archives that are there, as `sha256sum -c` reads it; the last

They go into DIR (dist/). The same content gives the same bytes: archives are in order, without times and owners.
"""

import argparse
import gzip
import hashlib
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = (".whl", ".tar.gz", ".zip")
"""Of what is released."""
THEN = (1980, 1, 1, 0, 0, 0)
"""The time of files in a zip file, which has to have one."""


def version() -> str:
    """The version of kr."""
    (version,) = re.findall(r'^__version__ = "(.+)"$', (ROOT / "kr" / "__init__.py").read_text(), re.MULTILINE)
    return str(version)


def files_below(folder: Path, made_by: str) -> list[Path]:
    """The files of a folder in order; ends if there are none."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    if not files:
        sys.exit(f"kr: {folder} is empty or missing; first {made_by}")
    return files


def page(to: Path) -> Path:
    """The page without a server."""
    folder, name = ROOT / "build" / "page", f"kr-page-{version()}"
    target = to / f"{name}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files_below(folder, "make page"):
            entry = zipfile.ZipInfo(f"{name}/{path.relative_to(folder).as_posix()}", THEN)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    return target


def without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """An entry that says nothing of this machine."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


def library(to: Path) -> Path:
    """The C library of Linux."""
    files_below(ROOT / "build" / "library", "make library")
    name = f"kr-library-{version()}-linux-{platform.machine()}"
    target = to / f"{name}.tar.gz"
    install = ROOT / "packaging" / "library" / "install.py"
    with tempfile.TemporaryDirectory(prefix="kr-library-") as folder:
        subprocess.run(
            [sys.executable, install, "--prefix", "/usr/local", "--destdir", folder],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        top = Path(folder, "usr", "local")
        with (
            target.open("wb") as file,
            gzip.GzipFile("", "wb", 9, file, 0) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            for path in files_below(top, "make library"):
                archive.add(path, f"{name}/{path.relative_to(top)}", filter=without_owner)
    return target


def notes(to: Path) -> Path:
    """What the changelog says of this version, or of what is not released if it doesn't know it."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    sections = {title.partition(",")[0]: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}
    body = sections.get(version()) or sections.get("Unreleased")
    if not body:
        sys.exit(f"kr: CHANGELOG.md says nothing of {version()}")
    target = to / "notes.md"
    target.write_text(body + "\n", encoding="utf-8")
    return target


def sums(to: Path) -> Path:
    """SHA-256 sums of the archives."""
    archives = sorted(path for path in to.iterdir() if path.name.endswith(SUFFIXES))
    if not archives:
        sys.exit(f"kr: {to} has no archives")
    target = to / "SHA256SUMS"
    target.write_text(
        "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in archives),
        encoding="utf-8",
    )
    return target


MADE: dict[str, Callable[[Path], Path]] = {"page": page, "library": library, "notes": notes, "sums": sums}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=MADE)
    parser.add_argument("--to", type=Path, default=ROOT / "dist")
    chosen = parser.parse_args()
    chosen.to.mkdir(parents=True, exist_ok=True)
    for what in chosen.what:
        print(f"kr: wrote {MADE[what](chosen.to)}")


if __name__ == "__main__":
    main()
