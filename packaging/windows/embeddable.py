"""Gets Python's embeddable package for 64-bit Windows: python packaging/windows/embeddable.py [--of FOLDER] -o ZIP

It is downloaded from python.org, of the version of the Python that runs this, and must have the checksum below. With
--of FOLDER it is made, in the same layout, of a Windows Python such as that of runtime.py.
"""

import argparse
import hashlib
import io
import sys
import urllib.request
from pathlib import Path

from folder import Files, compiled, write_zip
from layout import MINOR, TAG

ADDRESS = "https://www.python.org/ftp/python/{version}/python-{version}-embed-amd64.zip"
PACKAGES = {
    "3.11": ("3.11.9", "009d6bf7e3b2ddca3d784fa09f90fe54336d5b60f0e0f305c37f400bf83cfd3b"),
    "3.12": ("3.12.10", "4acbed6dd1c744b0376e3b1cf57ce906f9dc9e95e68824584c8099a63025a3c3"),
}
"""The last version of each minor one that has such a package, and its SHA-256."""
NOT_IN_IT = {"_tkinter.pyd", "tcl86t.dll", "tk86t.dll"}


def download() -> bytes:
    """The package, as python.org has it."""
    if MINOR not in PACKAGES:
        sys.exit(f"kr: no embeddable package is known for Python {MINOR}; known are {', '.join(PACKAGES)}")
    version, checksum = PACKAGES[MINOR]
    with urllib.request.urlopen(ADDRESS.format(version=version)) as answer:
        content: bytes = answer.read()
    if hashlib.sha256(content).hexdigest() != checksum:
        sys.exit(f"kr: the embeddable package of Python {version} is not the one that was expected: other checksum")
    return content


def library(folder: Path) -> bytes:
    """The standard library as a zip, compiled."""
    paths = [path for path in folder.rglob("*.py") if "site-packages" not in path.parts]
    files: Files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    content = io.BytesIO()
    write_zip(compiled(files), content)
    return content.getvalue()


def made_of(python: Path) -> Files:
    """The files of a package, made of a Windows Python in a folder."""
    binaries = [
        path for path in (*python.iterdir(), *(python / "DLLs").iterdir()) if path.suffix in (".exe", ".dll", ".pyd")
    ]
    files = {path.name: path.read_bytes() for path in binaries if path.name not in NOT_IN_IT}
    files["LICENSE.txt"] = (python / "Lib" / "LICENSE.txt").read_bytes()
    files[f"python{TAG}.zip"] = library(python / "Lib")
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--of", type=Path, metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="ZIP")
    chosen = parser.parse_args()
    chosen.output.parent.mkdir(parents=True, exist_ok=True)
    if chosen.of:
        with chosen.output.open("wb") as file:
            write_zip(made_of(chosen.of), file)
    else:
        chosen.output.write_bytes(download())


if __name__ == "__main__":
    main()
