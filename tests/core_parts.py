"""The parts of the compiled units: their order, and the names that each statement of theirs defines and uses."""

import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "kr"

STRING = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*')
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
INCLUDE = re.compile(r'^include "([^"]+)"', re.MULTILINE)
LAST_NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$")


def parts_of(unit: str) -> list[Path]:
    """The parts of a unit in order, first those of its contract."""
    files = dict.fromkeys([(PACKAGE / unit).with_suffix(".pxd"), PACKAGE / unit])
    return [PACKAGE / name for path in files if path.exists() for name in INCLUDE.findall(path.read_text("utf-8"))]


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
