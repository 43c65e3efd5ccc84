"""Makes a release but for its publication: python packaging/release.py [--anyway] (make release)

It ends at the first of these that fails:

1. The version of kr/__init__.py is final, and CITATION.cff has it. CHANGELOG.md begins with it and a date, as in
   "## 0.3.0, 2026-12-24". [tool.kr] says where it is published, and no page that nothing is released yet. No tag has
   its name. Nothing is left to commit, before `make figures` and after it. --anyway only says what of this fails, and
   repeats no figures.
2. dist/ is emptied of archives. Source archive and wheel are built in empty environments, the wheel from the archive;
   auditwheel gives the wheel its name. The tools of the Python Packaging Authority find nothing wrong, the archives
   have each file that they should, and the wheel no symbol that is not in the limited API.
3. With each Python from 3.11 that is found on the PATH (or by PYTHONS, their paths), both are installed in an empty
   environment, beside the libraries of requirements.lock, and checked there.
4. `uvx` and `pipx run` run the wheel.
5. What else a release has is made by the targets of OTHERS, each with its own tests, as far as this machine has the
   programs for it; what it lacks is told. The wheel for Windows is checked as in 2.
6. dist/notes.md, from the changelog, and dist/SHA256SUMS of all archives in dist/ are written.

It ends with what is left: wheels of other systems and the publication are for the workflow
.github/workflows/release.yml, which a tag starts.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
BIN = Path(sys.executable).parent
UV = BIN / "uv"
FRONT = ("README.md", "CHANGELOG.md", "docs/start/install.md")
UNRELEASED = re.compile(r"(?i)nothing\s+(?:is|has\s+been)\s+released|there is none yet|not published yet")
"""How these pages say, until the first release, that there is none."""


def run(*command: str | Path, cwd: Path | None = None, output: bool = False) -> str:
    """Run a command, in the checkout if not elsewhere; return what it prints if that is wanted; end if it fails."""
    print("$", *(str(word).removeprefix(f"{ROOT}/") for word in command), flush=True)
    # certificates are those that the system trusts; later versions of uv know the other name of that
    environment = os.environ | {
        "UV_NATIVE_TLS": "1",
        "UV_SYSTEM_CERTS": "1",
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
    }
    if index := os.environ.get("PIP_INDEX_URL"):
        environment["UV_DEFAULT_INDEX"] = index
    stdout = subprocess.PIPE if output else None
    process = subprocess.run(command, cwd=cwd or ROOT, env=environment, stdout=stdout, text=True)
    if process.returncode:
        sys.exit(f"kr: {Path(command[0]).name} failed")
    return process.stdout or ""


def version() -> str:
    """The version that is to be released."""
    (version,) = re.findall(r'^__version__ = "(.+)"$', (ROOT / "kr" / "__init__.py").read_text(), re.MULTILINE)
    return str(version)


def not_ready(release: str) -> list[str]:
    """What stands against a release of this version, in one line each."""
    faults = []
    if not re.fullmatch(r"\d+\.\d+\.\d+", release):
        faults.append(f"{release} is not a final version: kr/__init__.py")
    heading = re.search("^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    dated = re.fullmatch(rf"{re.escape(release)}, (\d{{4}}-\d\d-\d\d)", heading[1] if heading else "")
    if not dated:
        faults.append(f'CHANGELOG.md does not begin with "## {release}, YEAR-MONTH-DAY"')
    where = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["kr"]
    if unknown := [name for name, address in where.items() if not address]:
        faults.append(f"pyproject.toml, [tool.kr], does not say where it is published: {', '.join(unknown)}")
    faults += [
        f"{name} says that there is no release"
        for name in FRONT
        if UNRELEASED.search((ROOT / name).read_text(encoding="utf-8"))
    ]
    citation = dict(re.findall("^(version|date-released): (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    if citation != {"version": release, "date-released": dated[1] if dated else citation.get("date-released")}:
        faults.append(f"CITATION.cff has {citation}")
    if run("git", "tag", "--list", f"v{release}", output=True):
        faults.append(f"there is a tag v{release}")
    if changed := run("git", "status", "--porcelain", output=True):
        faults.append(f"not committed: {', '.join(line[3:] for line in changed.splitlines())}")
    return faults


def say_what_is_missing(release: str, anyway: bool = False) -> None:
    """Print what stands against a release; end if anything does."""
    reasons = not_ready(release)
    for reason in reasons:
        print(f"kr: {reason}", file=sys.stderr)
    if reasons and not anyway:
        sys.exit(f"kr: {release} can't be released")


def build() -> tuple[Path, Path]:
    """Source archive and wheel, in dist/ and without older ones."""
    for old in (*DIST.glob("*.whl"), *DIST.glob("*.tar.gz"), *DIST.glob("*.zip")):
        old.unlink()
    run(UV, "build", "-q", "--python", sys.executable, "--out-dir", DIST)
    (archive,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*-linux_*.whl")
    run("auditwheel", "repair", "--wheel-dir", DIST, wheel)
    wheel.unlink()
    (wheel,) = DIST.glob("*-manylinux*.whl")
    return archive, wheel


def check_archives() -> None:
    """Check those in dist/ by the usual tools, and by what they contain."""
    archives = sorted(path for path in DIST.glob("kr_draughts-*") if path.name.endswith((".whl", ".tar.gz")))
    wheels = [path for path in archives if path.suffix == ".whl"]
    run("twine", "check", "--strict", *archives)
    run("check-wheel-contents", *wheels)
    run("abi3audit", "--strict", *wheels)
    run(sys.executable, ROOT / "packaging" / "contents.py", DIST)


def pythons() -> list[str]:
    """The Pythons to check with: those of PYTHONS, or one of each minor version that kr's metadata name."""
    if named := os.environ.get("PYTHONS"):
        return named.split()
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    minors = [line.rpartition(" ")[2] for line in classifiers if re.search(r":: 3\.\d+$", line)]
    paths = [path for minor in minors if (path := shutil.which(f"python{minor}"))]
    # shims of pyenv are there for versions that are not chosen
    return [path for path in paths if not subprocess.run([path, "-c", ""], stderr=subprocess.DEVNULL).returncode]


def check_installed(python: str, file: Path, folder: Path) -> None:
    """Install an archive in an empty environment, and check it there."""
    run(UV, "venv", "-q", "--clear", "--python", python, folder)
    own = folder / "bin" / "python"
    install = [UV, "pip", "install", "-q", "--python", own]
    run(*install, "--require-hashes", "-r", "requirements.lock")
    # not one that an earlier release of this version left in uv's cache
    run(*install, "--no-deps", "--refresh-package", "kr-draughts", file)
    run(own, ROOT / "packaging" / "check.py", cwd=folder)


MINGW = "x86_64-w64-mingw32-gcc"
OTHERS: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "the page": (("npm",), ("page",), "page"),
    "the C library": (("cc",), ("library",), "library"),
    "the engines for CheckerBoard": ((MINGW, "i686-w64-mingw32-gcc", "wine"), ("checkerboard", "GAMES=2"), ""),
    "the wheel for Windows": ((MINGW, "wine"), ("windows", "SMOKE=1"), ""),
    "the folder for Windows": ((MINGW, "wine"), ("windows-folder",), ""),
}
"""By what it is: programs that it needs, the target that makes and tests it, and what attachments.py makes of that."""
ELSEWHERE = (
    "wheels of musllinux, aarch64, macOS and of the free-threaded 3.14, by cibuildwheel",
    "the tests on Windows and macOS themselves",
    "the image of deploy/web.Dockerfile, which needs a Docker engine",
    "the page of the release with these files and dist/notes.md, the page on its site, the upload to the index",
)
"""What only the workflow does."""


def make_others() -> list[str]:
    """Make what a release has beside the archives of the index; what was left out, and why."""
    missing = []
    for what, (programs, target, attachment) in OTHERS.items():
        if lacking := [program for program in programs if not shutil.which(program)]:
            missing.append(f"{what}: this machine has no {' and no '.join(lacking)}")
            continue
        run("make", *target)
        if attachment:
            run(sys.executable, ROOT / "packaging" / "attachments.py", attachment)
    return missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--anyway", action="store_true", help="build and check what is not ready")
    parser.add_argument("--without-others", action="store_true", help="only the archives of the index")
    options = parser.parse_args()
    release = version()
    say_what_is_missing(release, options.anyway)
    if not options.anyway:
        run("make", "figures")
        say_what_is_missing(release)
    archive, wheel = build()
    check_archives()
    checked = pythons()
    with tempfile.TemporaryDirectory(prefix="kr-release-") as folder:
        for python in checked:
            for file in (wheel, archive):
                check_installed(python, file, Path(folder, "installed"))
        run(UV, "tool", "run", "--from", wheel, "kr", "--version", cwd=Path(folder))
        run("pipx", "run", "--spec", wheel, "kr", "--version", cwd=Path(folder))
    missing = ["what else a release has, by --without-others"] if options.without_others else make_others()
    check_archives()
    run(sys.executable, ROOT / "packaging" / "attachments.py", "notes", "sums")
    print((DIST / "SHA256SUMS").read_text(), end="")
    print(f"kr: {release} was built and checked with {' '.join(checked)}")
    for each in missing:
        print(f"kr: left out: {each}")
    print(f"kr: what is left: git tag v{release} && git push origin v{release}, from which the workflow makes")
    for each in ELSEWHERE:
        print(f"    {each}")


if __name__ == "__main__":
    main()
