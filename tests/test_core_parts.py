"""The parts of the compiled units: each uses only the parts above it, and those of a folder are adjacent. C stands in
headers beside the parts."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import kr

PACKAGE = Path(kr.__file__).parent
UNITS = sorted(path.name for path in (*PACKAGE.glob("_*.pyx"), PACKAGE / "_rules.pxd") if path.exists())

pytestmark = pytest.mark.skipif(len(UNITS) < 2, reason="the sources of the compiled units are not here")

STRING = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*')
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
INCLUDE = re.compile(r'^include "([^"]+)"', re.MULTILINE)
HEADER = re.compile(r'^cdef extern from "(_[^"]+)"', re.MULTILINE)
INCLUDED_BY_HEADER = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
LAST_NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$")


def parts_of(unit: str) -> list[Path]:
    """The parts of a unit in order, first those of its contract."""
    files = dict.fromkeys([(PACKAGE / unit).with_suffix(".pxd"), PACKAGE / unit])
    return [PACKAGE / name for path in files if path.exists() for name in INCLUDE.findall(path.read_text("utf-8"))]


def own_parts(unit: str) -> list[Path]:
    """Those in its own folder; the C library is made of parts of other units too."""
    folder = (PACKAGE / unit).with_suffix("")
    return [part for part in parts_of(unit) if folder in part.parents]


def blocks(source: str) -> Iterator[tuple[str, str]]:
    """Each statement at the left margin with the indented lines below it, without strings and comments."""
    plain = STRING.sub("", source)
    # lines in brackets belong to the line before
    joined = re.sub(r"\([^()]*\)", lambda found: re.sub(r"\s+", " ", found[0]), plain)
    for block in re.split(r"\n(?=[^\s)\]}])", "\n" + joined):
        head, _, body = block.strip("\n").partition("\n")
        if head:
            yield head, body


def declared(text: str) -> set[str]:
    """The names that declarations such as `int a, b[4]` or `const u64* c = d` declare."""
    names = (LAST_NAME.search(part.partition("=")[0].strip()) for part in re.split(r",(?![^\[]*\])", text))
    return {name[1] for name in names if name}


def defined(head: str, body: str) -> set[str]:
    """Names that a statement at the left margin defines."""
    if re.match(r"(cdef|cpdef) (extern from .*|enum\b.*):$", head):
        # the fields of structures are no names of the part
        pointer = re.compile(r"ctypedef .*\(\s*\*\s*(\w+)\s*\)\(.*")
        bare = re.sub(r"(?m)^( +)(?:ctypedef |cdef )?struct\b(.*):\n(?:\1 .*\n?)*", r"\1struct\2\n", f"{body}\n")
        lines = [re.sub(r"\(.*|\s*$", "", pointer.sub(r"int \1", line)) for line in bare.splitlines()]
        return set().union(*(declared(line) for line in lines if line.strip() not in ("", "pass"))) | declared(
            head.partition("enum")[2].rstrip(":")
        )
    if found := re.match(r"(?:cdef |cpdef )?(?:class|struct|union) (\w+)", head):
        return {found[1]}
    if found := re.match(r"(?:def|cdef|cpdef)\b[^(=]*?(\w+)\s*\(", head):
        return {found[1]}
    if head.startswith("ctypedef"):
        return {found[1]} if (found := re.search(r"\(\s*\*\s*(\w+)\s*\)", head)) else declared(head)
    if head.startswith("cdef "):
        return declared(head)
    if found := re.match(r"(?:from .* )?c?import (.+)", head):
        return {name.split()[-1] for name in found[1].split(",")}
    return declared(head.partition("=")[0]) if "=" in head else set()


def used(head: str, body: str) -> set[str]:
    """Names that a statement uses, except for its own arguments, variables and fields."""
    own = set()
    if arguments := re.search(r"\((.*)\)", head):
        own |= declared(arguments[1])
    for line in body.splitlines():
        line = line.strip()
        if re.match(r"cdef(?! class)|(const |volatile |unsigned )*[\w.]+(\s*\*+)? [a-z_]\w*(\[|$|,)", line):
            own |= declared(line.removeprefix("cdef "))
        if found := re.match(r"for (.+?) in\b", line):
            own |= declared(found[1])
        if found := re.match(r"([\w, ]+?) = ", line):
            own |= declared(found[1])
        if found := re.match(r"(?:cdef|def|cpdef)\b[^(]*\((.*)\)", line):
            own |= declared(found[1])
    return set(NAME.findall(f"{head}\n{body}")) - own - defined(head, body)


def uses_from_below(sources: list[str]) -> list[tuple[int, str]]:
    """(number of the part, name) for each name that a part uses and only a later one defines."""
    where: dict[str, int] = {}
    for number, source in enumerate(sources):
        for head, body in blocks(source):
            for name in defined(head, body):
                where.setdefault(name, number)
    return [
        (number, name)
        for number, source in enumerate(sources)
        for head, body in blocks(source)
        for name in sorted(used(head, body))
        if where.get(name, number) > number
    ]


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
