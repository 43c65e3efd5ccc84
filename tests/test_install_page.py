"""The page about installing names commands, extras and messages that exist."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from kr.cli import COMMANDS

CHECKOUT = Path(__file__).parents[1]
PAGE = CHECKOUT / "docs" / "start" / "install.md"
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"] if TEXT else {}
DEVELOPERS = {"test", "figures", "docs", "library", "notebook", "release"}
"""Extras that a user needs for nothing."""
OTHERS = {
    "sudo",
    "brew",
    "pipx",
    "uv",
    "python3",
    "py",
    ".",
    "git",
    "docker",
    "certutil",
    "xattr",
    "Set-ExecutionPolicy",
}
"""Programs that are not kr's."""

pytestmark = pytest.mark.skipif(not TEXT, reason="the checkout is not here")


def commands() -> Iterator[list[str]]:
    """Words of the command lines of the page, in blocks and in texts; the first column of a table may be messages."""
    block = re.compile(r"^```(?:console|bat)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^\| [^|]*", "", block.sub("", TEXT), flags=re.MULTILINE)
    inline = re.findall(r"`((?:kr|make|pip|pipx|uv|uvx|py|python3) [^`]+)`", prose)
    for line in [*"".join(block.findall(TEXT)).splitlines(), *(" ".join(each.split()) for each in inline)]:
        yield shlex.split(line, comments=True)


def test_its_commands_exist() -> None:
    targets = re.findall(r"^([\w-]+):", (CHECKOUT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    found = 0
    for words in commands():
        program = words[0]
        if program == "make":
            assert words[1] in targets, words
            continue
        if words[:2] == ["docker", "build"]:
            assert (CHECKOUT / words[words.index("-f") + 1]).is_file()
            continue
        if program not in OTHERS | {"uvx", "pip"} and not program.startswith("kr-env"):
            assert program == "kr", words
        # what stands after kr, however it is started
        starts = [i for i, word in enumerate(words) if re.search(r"(?:^|[/\\])kr$", word) or word == "kr-draughts[web]"]
        if starts and (rest := words[starts[-1] + 1 :]):
            assert rest[0] in COMMANDS or rest[0] == "--version" or program in ("pip", "pipx"), words
            found += 1
    assert found > 10


def test_its_extras_are_those_of_the_project() -> None:
    extras = PROJECT["optional-dependencies"]
    named = {name for text in re.findall(r"(?:kr-draughts|\.|\.whl)\[([\w,]+)\]", TEXT) for name in text.split(",")}
    assert named <= extras.keys()
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| ([\w, ]+) \|$", TEXT, re.MULTILINE))
    packages = {name: [each.partition(">=")[0] for each in extras[name]] for name in extras.keys() - DEVELOPERS}
    assert {name: text.split(", ") for name, text in rows.items()} == packages
    assert PROJECT["scripts"].keys() == {"kr", PROJECT["name"]}


MESSAGES = [
    ("building kr needs a C compiler", "setup.py"),
    ("kr can't be built on Windows", "setup.py"),
    ("could not be loaded", "packaging/windows/kr.c"),
    ("kr web needs", "kr/web/serve.py"),
]


@pytest.mark.parametrize(("message", "source"), MESSAGES)
def test_its_messages_are_those_of_kr(message: str, source: str) -> None:
    assert message in TEXT
    assert message in (CHECKOUT / source).read_text(encoding="utf-8")
