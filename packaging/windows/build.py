"""Builds kr's wheel for 64-bit Windows with mingw-w64: python packaging/windows/build.py [--inplace]

setup.py is run by this Python, whose settings (sysconfig) are replaced by those of a Windows Python, as is usual for
cross builds. The wheel is put into dist/, and into the Windows Python that runtime.py made. With --inplace the units
are put beside their sources in kr/ instead, for a Windows Python that runs the checkout as it is.
"""

import os
import pprint
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from layout import BUILD, CROSS, MINOR, PYTHON, ROOT, SOURCES, TAG, compiler, object_dump, tool

LIBRARY = "python3"
"""The DLL of Python that units are linked to: that of the limited API."""


def settings() -> dict[str, str | int]:
    """The settings of a Windows Python that setuptools asks for, in the form of those of other systems."""
    gcc = " ".join(compiler())
    return {
        "AR": tool("ar"),
        "ARFLAGS": "rcs",
        "CC": gcc,
        "CCSHARED": "",
        "CFLAGS": "",
        "CXX": gcc,
        "EXT_SUFFIX": f".cp{TAG}-win_amd64.pyd",
        "INCLUDEPY": str(CROSS / "include"),
        "CONFINCLUDEPY": str(CROSS / "include"),
        "LDSHARED": f"{gcc} -shared -static-libgcc -s",
        "LDCXXSHARED": f"{gcc} -shared -static-libgcc -s",
        # which other systems link to the library of Python
        "LDVERSION": LIBRARY.removeprefix("python"),
        "LIBDIR": str(PYTHON),
        "MACHDEP": "cygwin",
        "Py_ENABLE_SHARED": 1,
        "SHLIB_SUFFIX": ".pyd",
        "SOABI": f"cp{TAG}-win_amd64",
        "VERSION": MINOR,
    }


def environment() -> dict[str, str]:
    """The environment of a cross build, and the files that it names."""
    headers = CROSS / "include"
    shutil.copytree(sysconfig.get_path("include"), headers, dirs_exist_ok=True)
    shutil.copy(SOURCES / "pyconfig.h", headers)
    text = f"build_time_vars = {pprint.pformat(settings())}\n"
    (CROSS / "_sysconfigdata_windows.py").write_text(text)
    return os.environ | {
        "PYTHONPATH": str(CROSS),
        "_PYTHON_HOST_PLATFORM": "win-amd64",
        "_PYTHON_SYSCONFIGDATA_NAME": "_sysconfigdata_windows",
    }


def setup(*words: str) -> None:
    """Run setup.py for Windows; what it says is shown if it fails."""
    command = [sys.executable, "setup.py", *words]
    process = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if process.returncode:
        sys.stderr.buffer.write(process.stdout)
        sys.exit("kr: the build for Windows failed")


def check_libraries(unit: Path) -> None:
    """End if a unit needs what no Windows has, or a C runtime other than Python's."""
    needed = {name.lower() for name in re.findall(r"DLL Name: (\S+)", object_dump(unit))}
    if strange := [name for name in needed if not re.match(rf"api-ms-win-crt-|kernel32\.dll|{LIBRARY}\.dll", name)]:
        sys.exit(f"kr: {unit.name} needs {', '.join(strange)}")


def install() -> None:
    """Put the newest wheel into the Windows Python, in place of the one there."""
    packages = PYTHON / "Lib" / "site-packages"
    for old in packages.glob("kr_draughts-*"):
        shutil.rmtree(old)
    shutil.rmtree(packages / "kr", ignore_errors=True)
    wheel = max((ROOT / "dist").glob("kr_draughts-*-win_amd64.whl"), key=lambda path: path.stat().st_mtime)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)


def main() -> None:
    os.environ.setdefault("KR_ARCH", "portable")
    # apart from what is built for this system
    built, objects = BUILD / "win_amd64", BUILD / "objects"
    inplace = sys.argv[1:] == ["--inplace"]
    if inplace:
        setup("build_ext", f"--build-lib={built}", f"--build-temp={objects}")
    else:
        # a module that was taken out of the checkout is no part of the wheel
        for file in built.rglob("*"):
            if file.is_file() and file.suffix != ".pyd":
                file.unlink()
        build = ["build", f"--build-lib={built}", f"--build-temp={objects}"]
        setup(*build, "bdist_wheel", f"--bdist-dir={BUILD / 'wheel'}", f"--dist-dir={ROOT / 'dist'}")
        install()
    for unit in (built / "kr").glob("*.pyd"):
        check_libraries(unit)
        if inplace:
            shutil.copy2(unit, ROOT / "kr")


if __name__ == "__main__":
    main()
