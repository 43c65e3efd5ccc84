"""Checks what the archives of a release contain: python packaging/contents.py [DIR]

The source archive in DIR (dist/ if not given) must have each file that git has, but for hidden ones, and the C code of
the units; a wheel what of these a user runs. Prints the sizes, and ends with exit code 1 if anything is missing or not
expected.
"""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {".pyx", ".pxd", ".pxi", ".h"}
"""Suffixes of files of kr/ that only a build needs."""
DATA = ("weights", "egdb", "books", "selfplay")
"""Folders that stand in kr/data of a wheel."""
OF_SETUPTOOLS = ("PKG-INFO", "setup.cfg", "kr_draughts.egg-info/")


def own_files(*options: str) -> set[str]:
    """The files that git has, but for hidden ones; the options of git ls-files choose others."""
    command = ["git", "ls-files", "-z", *options]
    listing = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    names = listing.stdout.rstrip("\0").split("\0")
    return {name for name in names if not any(part.startswith(".") for part in PurePosixPath(name).parts)}


def units() -> list[str]:
    """Names of the compiled units that Python imports."""
    return [path.stem for path in (ROOT / "kr").glob("_*.pyx") if path.stem != "_engine"]


def bundle() -> set[str]:
    """The scripts of kr web as `make bundle` bundles them; nothing where there is no node."""
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / "kr/page/bundle").rglob("*") if path.is_file()}


def of_source_archive(path: Path) -> tuple[set[str], set[str]]:
    """The files of a source archive, less those of setuptools, and those that it should have."""
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    expected = own_files() | {f"build/release-c/{unit}.c" for unit in units()} | bundle()
    return {name for name in names if not name.startswith(OF_SETUPTOOLS)}, expected


def of_wheel(path: Path) -> tuple[set[str], set[str]]:
    """The files of a wheel, and those that it should have."""
    with zipfile.ZipFile(path) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    suffix = ".pyd" if "-win" in path.name else ".abi3.so"
    expected = {f"kr/{unit}{suffix}" for unit in units()}
    for name in own_files():
        folder = PurePosixPath(name).parts[0]
        if folder == "kr" and PurePosixPath(name).suffix not in SOURCES:
            expected.add(name)
        elif folder in DATA:
            expected.add(f"kr/data/{name}")
    information = "-".join(path.name.split("-")[:2]) + ".dist-info"
    of_all = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt", "licenses/LICENSE")
    return names, expected | bundle() | {f"{information}/{name}" for name in of_all}


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist")
    if not (ROOT / ".git").exists():
        print("kr: this is no checkout of git: what the archives contain was not checked")
        return
    archives, wheels = sorted(folder.glob("kr_draughts-*.tar.gz")), sorted(folder.glob("*.whl"))
    if not archives or not wheels:
        sys.exit(f"kr: {folder} has no source archive or no wheel")
    for path in archives + wheels:
        names, expected = of_wheel(path) if path in wheels else of_source_archive(path)
        print(f"{path.name}: {len(names)} files, {path.stat().st_size / 1e6:.1f} MB")
        if missing := sorted(expected - names):
            sys.exit(f"kr: {path.name} lacks {', '.join(missing)}")
        # a new file of somebody's work may already be in the archives, and need not be
        new = own_files("--others", "--exclude-standard")
        if strange := sorted(names - expected - new - {f"kr/data/{name}" for name in new}):
            sys.exit(f"kr: {path.name} should not have {', '.join(strange)}")


if __name__ == "__main__":
    main()
