"""Command lines as Windows has them: backslashes stand for themselves, and programs expand patterns of file names.

Nothing here needs Windows, so that the tests of these rules run everywhere.
"""

from __future__ import annotations

import glob
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

MAX_PATH = 260
"""Characters of a path, with a zero at its end."""
_BACKSLASHES = re.compile(r"\\+(?=[^\\]|$)")
_SINGLE_QUOTED = re.compile(r"'(.*?)'(?=\s|$)")
_PLAIN = re.compile(r"[\w.:\\/+=-]+")
"""A word that cmd.exe and PowerShell take as it is; in PowerShell a comma is the operator of lists."""


def split_words(text: str) -> list[str]:
    """Words of a command line, by the rules of Microsoft's C runtime. Raises ValueError for a quote without its other.

    A word may also stand in single quotes: inside of a word that is in double quotes already, they are what every shell
    leaves alone.
    """
    words: list[str] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif single := _SINGLE_QUOTED.match(text, at):
            words.append(single[1])
            at = single.end()
        else:
            word, at = _word(text, at)
            words.append(word)
    return words


def _word(text: str, at: int) -> tuple[str, int]:
    """The word that begins at a place, and the place behind it."""
    word, quoted = "", False
    while at < len(text) and (quoted or not text[at].isspace()):
        run = _BACKSLASHES.match(text, at)
        slashes = len(run[0]) if run else 0
        at += slashes
        if text[at : at + 1] != '"':
            # backslashes are escapes before a quote alone
            word += "\\" * slashes or text[at]
            at += not slashes
            continue
        word += "\\" * (slashes // 2)
        if slashes % 2:
            word += '"'
        elif quoted and text[at + 1 : at + 2] == '"':
            word += '"'
            at += 1
        else:
            quoted = not quoted
        at += 1
    if quoted:
        raise ValueError("No closing quotation")
    return word, at


def join_words(words: Sequence[str]) -> str:
    """Command line of these words, to be typed or for `split_words`."""
    return " ".join(word if _PLAIN.fullmatch(word) else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    # with a blank in front, the word is in quotes whatever it has in it
    return f'"{subprocess.list2cmdline([f" {word}"])[2:]}'


def path_length(name: object) -> str:
    """What is wrong with a path that is longer than programs may use by default; "" for any other one."""
    length = len(os.path.abspath(name)) if isinstance(name, str) else 0
    if length < MAX_PATH:
        return ""
    return f"the path has {length} characters; Windows takes {MAX_PATH - 1}, unless its long paths are enabled"


def home_path(text: str) -> Path:
    """The path of a text in which `~` is the home directory."""
    return Path(os.path.expanduser(text)) if text.startswith("~") else Path(text)


def matches(path: Path) -> list[Path]:
    """Paths that a path with * and ? stands for, in order; itself if there are none. Brackets stand for themselves."""
    text = str(path)
    paths = glob.glob(text.replace("[", "[[]")) if "*" in text or "?" in text else []
    return sorted(map(Path, paths)) or [path]
