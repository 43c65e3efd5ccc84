"""The stubs match the compiled units."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kr
from kr import _core, _egdb, _learn

UNITS = [_core, _egdb, _learn]
PACKAGE = Path(kr.__file__).parent
CYTHONS_OWN = r"kr\._\w+(\.\w+)?\.__(pyx_capi|test|reduce_cython|setstate_cython)__"


def stub_of(unit: object) -> Path:
    return PACKAGE / f"{unit.__name__.split('.')[-1]}.pyi"


@pytest.fixture(scope="module")
def stubtest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Faults that mypy's stubtest finds in all units."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("stubtest")
    allowed = folder / "allowed"
    allowed.write_text(CYTHONS_OWN)
    # alone in a package, as the stub of kr itself has the whole of kr read, and what that imports
    (folder / "kr").mkdir()
    (folder / "kr/__init__.pyi").touch()
    for unit in UNITS:
        shutil.copy(stub_of(unit), folder / "kr")
    command = [
        *(sys.executable, "-m", "mypy.stubtest", "--concise", "--ignore-disjoint-bases", "--ignore-unused-allowlist"),
        *("--allowlist", str(allowed), "--mypy-config-file", str(PACKAGE.parent / "pyproject.toml")),
        *(unit.__name__ for unit in UNITS),
    ]
    environment = {**os.environ, "MYPYPATH": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent, env=environment)
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.soak
@pytest.mark.skipif(not (PACKAGE.parent / "pyproject.toml").exists(), reason="the checkout is not here")
def test_stubs_match_the_compiled_units(stubtest: str) -> None:
    assert not stubtest


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.__name__)
def test_no_name_is_left_open(unit: object) -> None:
    """No catch-all that would hide a misspelt name, and no Any where a type can be given."""
    text = stub_of(unit).read_text("utf-8")
    assert "__getattr__" not in text
    assert not re.findall(r"\bAny\b", text)
