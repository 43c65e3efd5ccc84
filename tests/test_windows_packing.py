"""How the folder for Windows is packed; tests/test_windows_folder.py starts one at Windows."""

from __future__ import annotations

import importlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("PIL")

SCRIPTS = Path(__file__).parents[1] / "packaging" / "windows"
TAG = f"{sys.version_info.major}{sys.version_info.minor}"
RUNTIME = {
    f"python{TAG}.dll": "a library",
    "python.exe": "a program",
    f"python{TAG}.zip": "modules",
    f"python{TAG}._pth": "import site",
    "LICENSE.txt": "Python's licence",
}
KR = {
    "kr/__init__.py": "from lib import more\nVALUE = more.VALUE + 1\n",
    "kr/__init__.pyi": "VALUE: int\n",
    "kr/data/weights/kr.h5": "tables",
    "kr_draughts-9.8.7.dist-info/licenses/LICENSE": "kr's licence\n",
}
LIBRARY = {
    "lib/__init__.py": "",
    "lib/more.py": "VALUE = 41\n",
    "lib/core.pyi": "",
    "lib/core.h": "",
    "lib/tests/test_core.py": "",
    "lib-1.0.data/purelib/beside.py": "",
    "lib-1.0.data/scripts/lib.exe": "",
    "lib-1.0.dist-info/METADATA": "Name: lib",
    "lib-1.0.dist-info/LICENSE.txt": "the library's licence",
}
PACKAGES = "runtime/Lib/site-packages/"

pytestmark = [
    pytest.mark.posix("the folder is packed on Linux"),
    pytest.mark.skipif(not SCRIPTS.is_dir(), reason="the checkout is not here"),
]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module("folder")


@pytest.fixture
def folder(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script with something else for kr.exe, which takes a compiler and seconds."""
    monkeypatch.setattr(script, "make_launcher", lambda version: b"MZ")
    return script


def zipped(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def packed(
    folder: ModuleType, place: Path, runtime: dict[str, str] = RUNTIME, library: dict[str, str] = LIBRARY,
    wheel: str = "kr_draughts-9.8.7-cp311-abi3-win_amd64.whl",
) -> Path:  # fmt: skip
    """The zip that the script packs."""
    place.mkdir(exist_ok=True)
    inputs = [
        zipped(place / "runtime.zip", runtime),
        zipped(place / wheel, KR),
        zipped(place / "lib-1.0-py3-none-any.whl", library),
    ]
    folder.main([*map(str, inputs), "-o", str(place / "out")])
    (found,) = (place / "out").iterdir()
    return found


def test_the_folder_has_what_runs_and_no_more(folder: ModuleType, tmp_path: Path) -> None:
    found = packed(folder, tmp_path)
    assert found.name == "kr-draughts-9.8.7-windows.zip"
    with zipfile.ZipFile(found) as archive:
        archive.extractall(tmp_path / "unpacked")
    top = tmp_path / "unpacked" / "kr-draughts-9.8.7"
    names = {path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file()}
    assert names == {
        *("kr.exe", "README.txt", "LICENSES.txt"),
        *(f"runtime/{name}" for name in RUNTIME),
        *(PACKAGES + name for name in ("kr/__init__.pyc", "kr/__init__.pyi", "kr/data/weights/kr.h5", "beside.pyc")),
        *(PACKAGES + name for name in ("lib/__init__.pyc", "lib/more.pyc", "lib-1.0.dist-info/METADATA")),
        *(
            PACKAGES + name
            for name in ("kr_draughts-9.8.7.dist-info/licenses/LICENSE", "lib-1.0.dist-info/LICENSE.txt")
        ),
    }
    assert (top / "kr.exe").read_bytes().startswith(b"MZ")
    assert (top / f"runtime/python{TAG}._pth").read_text() == f"python{TAG}.zip\n.\nLib\\site-packages\n"
    told = (top / "LICENSES.txt").read_bytes().decode()
    assert all(text in told for text in ("kr's licence", "the library's licence", "Python's licence", "HDF5"))
    for name in ("README.txt", "LICENSES.txt"):
        assert b"\n" not in (top / name).read_bytes().replace(b"\r\n", b"")
    # modules without their sources
    command = [sys.executable, "-S", "-c", "import kr; print(kr.VALUE, kr.__file__)"]
    done = subprocess.run(command, cwd=top / PACKAGES, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("42 ")


def test_the_same_input_gives_the_same_bytes(folder: ModuleType, tmp_path: Path) -> None:
    assert packed(folder, tmp_path / "one").read_bytes() == packed(folder, tmp_path / "two").read_bytes()


@pytest.mark.slow
def test_the_launcher_is_the_same_each_time(script: ModuleType) -> None:
    if not script.tool("windres"):
        pytest.skip("no compiler for Windows: apt install gcc-mingw-w64-x86-64")
    launcher = script.make_launcher("9.8.7rc1")
    assert launcher.startswith(b"MZ")
    assert "9.8.7rc1".encode("utf-16-le") in launcher
    assert launcher == script.make_launcher("9.8.7rc1")


UNLICENSED = {name: text for name, text in LIBRARY.items() if "LICENSE" not in name}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"runtime": {"python399.dll": ""}}, f"no python{TAG}.dll"),
        ({"library": UNLICENSED}, "no licence in lib 1.0"),
        ({"wheel": "kr_draughts-9.8.7-cp311-abi3-linux_x86_64.whl"}, "is not for 64-bit Windows"),
        ({"wheel": "kr-9.8.7-py3-none-any.whl"}, "give one wheel of kr"),
        ({"wheel": "lib-2.0-py3-none-any.whl"}, "give one wheel of kr, and one of each library"),
    ],
)
def test_wrong_input_is_told(
    folder: ModuleType, tmp_path: Path, changed: dict[str, dict[str, str]], message: str
) -> None:
    with pytest.raises(SystemExit, match=message):
        packed(folder, tmp_path, **changed)


def test_another_package_than_pythons_is_refused(folder: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    embeddable = importlib.import_module("embeddable")
    asked = []

    def answer(address: str) -> io.BytesIO:
        asked.append(address)
        return io.BytesIO(b"something else")

    monkeypatch.setattr(embeddable.urllib.request, "urlopen", answer)
    monkeypatch.setattr(embeddable, "MINOR", "3.11")
    with pytest.raises(SystemExit, match=r"of Python 3\.11\.9 is not the one that was expected"):
        embeddable.download()
    assert asked == ["https://www.python.org/ftp/python/3.11.9/python-3.11.9-embed-amd64.zip"]
    monkeypatch.setattr(embeddable, "MINOR", "3.10")
    with pytest.raises(SystemExit, match=r"no embeddable package is known for Python 3\.10"):
        embeddable.download()
