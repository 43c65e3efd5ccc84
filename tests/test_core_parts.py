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


ABOVE = "cdef inline int used_below(int x) noexcept nogil:\n    return x\n"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("cdef int f() noexcept nogil:\n    return used_below(1)\n", ["used_below"]),
        ("def f(\n    int x,\n):\n    if x:\n        used_below(x)\n", ["used_below"]),
        ("cdef class C:\n    def f(self):\n        return used_below(self.x)\n", ["used_below"]),
        ("ANSWER = used_below(1)\n", ["used_below"]),
        ("cdef struct S:\n    u64 x[LATER]\n", ["LATER"]),
        ("cdef Later f() noexcept nogil:\n    return 0\n", ["Later"]),
        ("cdef int f(Later* x) noexcept nogil:\n    return 0\n", ["Later"]),
        ("cdef int f() noexcept nogil:\n    cdef Later x\n    return 0\n", ["Later"]),
        ("cdef int f() noexcept nogil:\n    # used_below\n    return 0\n", []),
        ('cdef int f() noexcept nogil:\n    """As used_below."""\n    return 0\n', []),
        ("cdef int f(int used_below) noexcept nogil:\n    return used_below\n", []),
        ("cdef int f() noexcept nogil:\n    cdef int used_below = 1\n    return used_below\n", []),
        ("cdef int f(S* s) noexcept nogil:\n    return s.used_below\n", []),
    ],
)
def test_a_use_from_below_is_found(source: str, names: list[str]) -> None:
    later = ABOVE + "cdef enum:\n    LATER = 3\n\ncdef struct Later:\n    int x\n"
    assert [name for _, name in uses_from_below([source, later])] == names
    assert uses_from_below([later, source]) == []
