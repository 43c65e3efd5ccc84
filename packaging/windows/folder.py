"""Packs kr with a Python as a folder for Windows: python packaging/windows/folder.py RUNTIME WHEEL... -o DIRECTORY

RUNTIME is Python's embeddable package, of the version that runs this (`embeddable.py` gets one); the wheels are kr's
and those of the libraries that it needs (libraries.txt). The same input gives the same bytes. A bundle of PyInstaller
was larger and no faster, and the Python that kr starts to read files from elsewhere would have been kr.exe again.
"""

import argparse
import py_compile
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from layout import ROOT, SOURCES, TAG, compiler, tool
from PIL import Image

PACKAGES = "runtime/Lib/site-packages/"
SEARCHED = (f"python{TAG}.zip", ".", "Lib\\site-packages")
"""Where Python looks for modules, from its own folder."""
LEFT_OUT = {"tests", "f2py", "distutils"}
"""Folders of libraries that only their developers use."""
LEFT_OUT_SUFFIXES = {".a", ".c", ".h", ".lib", ".pxd", ".pyi", ".pyx"}
STUBS = "kr/"
"""The package whose stubs (.pyi) stay: it reads its public names in them."""
LICENSES = re.compile(r"[^/]+\.dist-info/(?:licenses/.+|(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*)", re.IGNORECASE)
ICON_SIZES = (16, 24, 32, 48, 64, 256)
WHEN = (1980, 1, 1, 0, 0, 0)
"""The time of all files, so that the same input gives the same zip."""

Files = dict[str, bytes]


def read_zip(path: Path) -> Files:
    """The files of a zip, by name."""
    with zipfile.ZipFile(path) as archive:
        return {each.filename: archive.read(each) for each in archive.infolist() if not each.is_dir()}


def read_wheel(path: Path) -> Files:
    """What a wheel installs into site-packages."""
    # NAME.data/purelib/... goes where the other files go; what is for other places isn't needed
    parts = ((re.sub(r"^[^/]+\.data/(?:purelib|platlib)/", "", name), data) for name, data in read_zip(path).items())
    return {name: data for name, data in parts if not PurePosixPath(name).parts[0].endswith(".data")}


def is_needed(name: str) -> bool:
    """True if a file of site-packages is needed to run kr."""
    path = PurePosixPath(name)
    if LEFT_OUT.intersection(path.parts[:-1]):
        return False
    return path.suffix not in LEFT_OUT_SUFFIXES or (path.suffix == ".pyi" and name.startswith(STUBS))


def compiled(files: Files) -> Files:
    """The files with Python's modules compiled, alone: they load in a third of the time and take half of the place."""
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "module.py"), Path(folder, "module.pyc")
        for name, data in files.items():
            if not name.endswith(".py"):
                result[name] = data
                continue
            source.write_bytes(data)
            # without a check against a source, and so without its time
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(str(source), str(target), dfile=name, doraise=True, invalidation_mode=mode)
            result[f"{name}c"] = target.read_bytes()
    return result


def licenses(runtime: Files, packages: Mapping[str, Files]) -> Iterator[tuple[str, str]]:
    """Names and licences of all parts. Ends the program if one has none."""
    texts = {
        name: [data for path, data in sorted(files.items()) if LICENSES.fullmatch(path)]
        for name, files in packages.items()
    }
    texts["HDF5, in h5py"] = [(SOURCES / "hdf5-license.txt").read_bytes()]
    texts["Python"] = [data for name, data in runtime.items() if name == "LICENSE.txt"]
    for name, notices in texts.items():
        if not notices:
            sys.exit(f"kr: no licence in {name}")
        yield name, "\n\n".join(text.decode(errors="replace").strip() for text in notices)


def make_launcher(version: str) -> bytes:
    """kr.exe."""
    numbers = ",".join((re.findall(r"\d+", version) + ["0"] * 4)[:4])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        icon = Image.open(ROOT / "kr" / "page" / "static" / "icons" / "kr-512.png").convert("RGBA")
        icon.save(folder / "kr.ico", sizes=[(size, size) for size in ICON_SIZES])
        defined = [f"-DKR_VERSION={version}", f"-DKR_NUMBERS={numbers}"]
        resources = [
            tool("windres"),
            *defined,
            f"-I{folder}",
            f"-I{SOURCES}",
            str(SOURCES / "kr.rc"),
            "-Ocoff",
            "resources.o",
        ]
        subprocess.run(resources, cwd=folder, check=True)
        options = ["-O2", "-municode", "-static-libgcc", "-s", "-Wl,--no-insert-timestamp", "-Wall", "-Werror"]
        options += [f'-DPYTHON_DLL=L"python{TAG}.dll"', str(SOURCES / "kr.c"), "resources.o", "-o", "kr.exe"]
        subprocess.run([*compiler(), *options], cwd=folder, check=True)
        return (folder / "kr.exe").read_bytes()


def windows_text(text: str) -> bytes:
    """A text as Windows' editors have it."""
    return text.replace("\n", "\r\n").encode()


def contents(runtime: Files, packages: Mapping[str, Files], version: str) -> Files:
    """The files of the folder."""
    dll = f"python{TAG}.dll"
    if dll not in runtime:
        sys.exit(f"kr: the embeddable package has no {dll}: it has to be of the version of this Python")
    files = {f"runtime/{name}": data for name, data in runtime.items()}
    # in place of the environment's variables and the registry, for python.exe and kr.exe
    files[f"runtime/python{TAG}._pth"] = windows_text("".join(f"{place}\n" for place in SEARCHED))
    for each in packages.values():
        needed = {name: data for name, data in each.items() if is_needed(name)}
        files |= {PACKAGES + name: data for name, data in compiled(needed).items()}
    files["kr.exe"] = make_launcher(version)
    heading = f"kr {version} for Windows"
    readme = (SOURCES / "readme.txt").read_text().replace("HEADRULE", "=" * len(heading)).replace("VERSION", version)
    files["README.txt"] = windows_text(readme)
    rule = "=" * 78
    texts = [f"{rule}\n{name}\n{rule}\n\n{text}\n" for name, text in licenses(runtime, packages)]
    files["LICENSES.txt"] = windows_text("\n\n".join(texts))
    return files


def write_zip(files: Files, target: BinaryIO) -> None:
    """Write a zip of files, the same for the same files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("runtime", type=Path, metavar="RUNTIME")
    parser.add_argument("wheels", type=Path, nargs="+", metavar="WHEEL")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIRECTORY")
    chosen = parser.parse_args(arguments)
    wheels = {wheel.name.partition("-")[0]: wheel for wheel in sorted(chosen.wheels)}
    if "kr_draughts" not in wheels or len(wheels) < len(chosen.wheels):
        sys.exit("kr: give one wheel of kr, and one of each library")
    for wheel in chosen.wheels:
        if not wheel.name.endswith(("-win_amd64.whl", "-any.whl")):
            sys.exit(f"kr: {wheel.name} is not for 64-bit Windows")
    # NAME-VERSION-TAGS.whl
    packages = {" ".join(wheel.name.split("-")[:2]): read_wheel(wheel) for wheel in wheels.values()}
    version = wheels["kr_draughts"].name.split("-")[1]
    files = contents(read_zip(chosen.runtime), packages, version)
    target = chosen.output / f"kr-draughts-{version}-windows.zip"
    chosen.output.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        write_zip({f"kr-draughts-{version}/{name}": data for name, data in files.items()}, file)
    size = target.stat().st_size
    print(f"{target}: {size / 1e6:.1f} MB, {len(files):,} files of {sum(map(len, files.values())) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
