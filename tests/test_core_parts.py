"""The parts of the compiled units: each uses only the parts above it, and those of a folder are adjacent. C stands in
headers beside the parts."""

import itertools
import re
from pathlib import Path

import pytest
from core_parts import PACKAGE, parts_of, uses_from_below

UNITS = sorted(path.name for path in (*PACKAGE.glob("_*.pyx"), PACKAGE / "_rules.pxd") if path.exists())

pytestmark = pytest.mark.skipif(len(UNITS) < 2, reason="the sources of the compiled units are not here")

HEADER = re.compile(r'^cdef extern from "(_[^"]+)"', re.MULTILINE)
INCLUDED_BY_HEADER = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def own_parts(unit: str) -> list[Path]:
    """Those in its own folder; the C library is made of parts of other units too."""
    folder = (PACKAGE / unit).with_suffix("")
    return [part for part in parts_of(unit) if folder in part.parents]


@pytest.mark.parametrize("unit", UNITS)
def test_each_part_uses_only_what_stands_above_it(unit: str) -> None:
    parts = parts_of(unit)
    assert [
        f"{parts[n].name}: {name}" for n, name in uses_from_below([part.read_text(encoding="utf-8") for part in parts])
    ] == []


@pytest.mark.parametrize("unit", UNITS)
def test_parts_stand_in_folders_by_subject(unit: str) -> None:
    """Each part is included once, and those of a folder one after the other."""
    parts = parts_of(unit)
    assert sorted(own_parts(unit)) == sorted((PACKAGE / unit).with_suffix("").rglob("*.pxi"))
    assert len(set(parts)) == len(parts)
    folders = [folder for folder, _ in itertools.groupby(part.parent for part in parts)]
    assert len(folders) == len(set(folders))


@pytest.mark.parametrize("unit", UNITS)
def test_headers_stand_beside_the_parts_of_their_names(unit: str) -> None:
    """Each is included there, and may include others of its folder."""
    own = {part: HEADER.findall(part.read_text(encoding="utf-8")) for part in own_parts(unit)}
    headers = {PACKAGE / name for names in own.values() for name in names}
    assert headers == {*(PACKAGE / unit).with_suffix("").rglob("*.h")}
    assert [
        names for part, names in own.items() if names and [PACKAGE / n for n in names] != [part.with_suffix(".h")]
    ] == []
    for header in headers:
        assert {
            header.parent / name for name in INCLUDED_BY_HEADER.findall(header.read_text(encoding="utf-8"))
        } <= headers


@pytest.mark.parametrize("unit", UNITS)
def test_no_part_has_c_in_a_string(unit: str) -> None:
    assert [
        part.name
        for part in parts_of(unit)
        if re.search(r'^cdef extern from .*:\s+"""', part.read_text(encoding="utf-8"), re.M)
    ] == []


@pytest.mark.parametrize("unit", UNITS)
def test_only_system_h_asks_for_the_system(unit: str) -> None:
    asked = re.compile(
        r"_WIN32|__linux__|__gnu_linux__|__APPLE__|\b(c?import|from) posix\b|<(unistd|pthread|windows)\.h>"
    )
    files = [file for file in (PACKAGE / unit).with_suffix("").rglob("*.*") if file.suffix in (".pxi", ".h")]
    assert [file.name for file in files if asked.search(file.read_text())] == ["system.h"] * (unit == "_rules.pxd")
