"""Command lines by the rules of Windows, which need no Windows to be tested."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from kr.errors import InvalidSettingError, ProtocolError
from kr.protocols import hub_client, program
from kr.system import windows_words
from kr.system.windows_words import join_words, matches, path_length, split_words
from kr.web.services import engines

SCAN = r"C:\Program Files\Scan\scan.exe"

# The first five are those of Microsoft's documentation of how a C program gets its words.
LINES = [
    (r'"a b c" d e', ["a b c", "d", "e"]),
    (r'"ab\"c" "\\" d', ['ab"c', "\\", "d"]),
    (r'a\\\b d"e f"g h', [r"a\\\b", "de fg", "h"]),
    (r'a\\\"b c d', [r"a\"b", "c", "d"]),
    (r'a\\\\"b c" d e', [r"a\\b c", "d", "e"]),
    (r'"a b"" c" d', ['a b" c', "d"]),
    (r'"" x', ["", "x"]),
    ("", []),
    (" \t ", []),
    (r"C:\engines\scan.exe hub", [r"C:\engines\scan.exe", "hub"]),
    (r"C:\new\table.exe", [r"C:\new\table.exe"]),
    (r"\\server\share\x.exe  hub ", [r"\\server\share\x.exe", "hub"]),
    (f'"{SCAN}" hub', [SCAN, "hub"]),
    (f"'{SCAN}' hub", [SCAN, "hub"]),
    (r"'C:\Users\O'Brien\a b.exe' hub", [r"C:\Users\O'Brien\a b.exe", "hub"]),
    (r"C:\Users\O'Brien\ab.exe hub", [r"C:\Users\O'Brien\ab.exe", "hub"]),
    (r"x.exe it's", ["x.exe", "it's"]),
    (r'x.exe --dir="C:\a b\\" --level 3', ["x.exe", r"--dir=C:\a b" + "\\", "--level", "3"]),
    ("x\ty\nz", ["x", "y", "z"]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "words"), LINES)
def test_words_of_a_command_line(line: str, words: list[str]) -> None:
    assert split_words(line) == words
    assert split_words(join_words(words)) == words


@pytest.mark.skipif(sys.platform != "win32", reason="asks Windows itself")
def test_a_program_gets_these_words() -> None:
    program = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"]
    for line, words in LINES:
        # single quotes and line ends are more than Windows knows
        if not line.startswith("'") and "\n" not in line:
            printed = subprocess.run(f"{join_words(program)} {line}", capture_output=True, check=True).stdout
            assert json.loads(printed) == words, line


@pytest.mark.parametrize("line", ['"a', 'x "a b', r'a"b"" c d', r'"C:\Program Files\" hub'])
def test_a_quote_without_its_other_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="quotation"):
        split_words(line)


def test_any_words_come_back() -> None:
    source = random.Random(5)
    for _ in range(3000):
        words = ["".join(source.choices("ab \\\"'\t,&", k=source.randrange(8))) for _ in range(source.randrange(1, 4))]
        assert split_words(join_words(words)) == words


# What is printed to be typed again: by cmd.exe, and by PowerShell, where a comma makes a list of two words.
TYPED = [
    (["kr", "play", "--resume", r"C:\games\20261122-224501.pdn"], r"kr play --resume C:\games\20261122-224501.pdn"),
    (["kr", "fit", r"my games"], 'kr fit "my games"'),
    (["kr", "fit", "my games\\"], r'kr fit "my games\\"'),
    (["--black", f"hub:'{SCAN}' hub"], f"--black \"hub:'{SCAN}' hub\""),
    (["shipped,level=3"], '"shipped,level=3"'),
    (["a&b", "x|y", "%z"], '"a&b" "x|y" "%z"'),
    ([""], '""'),
]


@pytest.mark.parametrize(("words", "line"), TYPED)
def test_a_command_to_be_typed(words: list[str], line: str) -> None:
    assert join_words(words) == line


@pytest.fixture
def windows_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kr take command lines apart as it does at Windows."""
    for room, names in ((program, ("split_command", "join_command")), (engines.system, ("split_command",))):
        for name in names:
            monkeypatch.setattr(room, name, getattr(windows_words, name.replace("command", "words")))


def test_an_engine_in_a_folder_of_windows(windows_lines: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "is_startable", lambda words, folder: True)
    for text in (rf'"{SCAN}" hub', rf"'{SCAN}' hub"):
        assert engines._command(f"hub:{text}") == ([SCAN, "hub"], program.Startup())
        with pytest.raises(ProtocolError) as failure:
            hub_client.HubClient(text)
        assert f'hub engine "{SCAN}" hub can\'t be started' in str(failure.value)
    with pytest.raises(InvalidSettingError, match="can't be parsed: No closing quotation"):
        hub_client.HubClient(rf'"{SCAN} hub')


@pytest.mark.parametrize(("length", "said"), [(259, False), (260, True), (400, True)])
def test_a_path_that_is_too_long_is_told(length: int, said: bool) -> None:
    path = os.path.abspath("x")
    path += "x" * (length - len(path))
    reason = f"the path has {length} characters; Windows takes 259, unless its long paths are enabled"
    assert path_length(path) == (reason if said else "")
    assert path_length(None) == path_length(7) == ""


NAMES = ["a.pdn", "b.pdn", "b[1].pdn", "c.pdn.xz", "d.txt"]
PATTERNS = [
    ("*.pdn", ["a.pdn", "b.pdn", "b[1].pdn"]),
    ("?.pdn", ["a.pdn", "b.pdn"]),
    ("b[1].pdn", ["b[1].pdn"]),
    ("*[1].pdn", ["b[1].pdn"]),
    ("*.gz", ["*.gz"]),
    ("d.txt", ["d.txt"]),
    ("missing.txt", ["missing.txt"]),
    ("-", ["-"]),
]


@pytest.mark.parametrize(("pattern", "found"), PATTERNS)
@pytest.mark.parametrize("below", ["", "sub"])
def test_patterns_become_files(
    pattern: str, found: list[str], below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name in NAMES:
        (tmp_path / below / name).touch()
    assert matches(Path(below, pattern)) == [Path(below, name) for name in found]
