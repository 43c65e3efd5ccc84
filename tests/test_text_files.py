"""Texts that people write, as editors and shells of each system write them: all are read the same."""

import codecs
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kr import cli
from kr.analysis.sources import AnalyzeSettings, read_tasks
from kr.cluster.address import ClusterAddress
from kr.engine.bench import load_positions
from kr.evaluation.layouts import LAYOUTS, Layout
from kr.openings.decks import read_deck
from kr.pdn import read_games
from kr.problems.problem import read_problems
from kr.text import file_text

FENS = "# openings\nB:W21-32:B1-12\n\nW:WK19,K23:B12,K28  # a ½ remark\n"
GAMES = (
    '[Event "Açores"]\n[Black "Łukasiewicz"]\n[Result "*"]\n\n1. 11-15 {½ of it\nand more} 22-18 *\n\n'
    '[Event "2"]\n\n9-13 *\n'
)
PROBLEMS = "".join(
    json.dumps(each, ensure_ascii=False) + "\n"
    for each in [{"id": "ä", "title": "One — half", "fen": "W:WK19,K23:B12,K28", "goal": "draw"}]
)
SCHEDULER = '{\n  "address": "tcp://127.0.0.1:8786"\n}\n'


def analysed(path: Path) -> list[str]:
    return [task.position.fen for task in read_tasks(AnalyzeSettings(source=str(path)))]


TEXTS: dict[str, tuple[str, str, Callable[[Path], Any]]] = {
    "games": ("x.pdn", GAMES, lambda path: [(game.headers, str(game), game.line) for game in read_games(path)]),
    "deck": ("x.txt", FENS, lambda path: read_deck(path)),
    "positions to analyse": ("x.fen", FENS, analysed),
    "positions to search": ("x.txt", FENS, lambda path: load_positions(path)),
    "layout": ("x.toml", LAYOUTS["small"].toml().replace("small", "mañana"), lambda path: Layout.read(path)),
    "problems": ("x.jsonl", PROBLEMS, lambda path: read_problems(path)),
    "scheduler": ("x.json", SCHEDULER, lambda path: ClusterAddress.parse(str(path)).scheduler),
}

FORMS: dict[str, Callable[[str], bytes]] = {
    "carriage returns": lambda text: text.replace("\n", "\r\n").encode(),
    "a mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "a mark and carriage returns": lambda text: codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode(),
    "PowerShell": lambda text: codecs.BOM_UTF16_LE + text.replace("\n", "\r\n").encode("utf-16-le"),
    "UTF-16, high byte first": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "no last line end": lambda text: text.rstrip("\n").encode(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_the_same_in_each_form(text: str, form: str, tmp_path: Path) -> None:
    name, content, read = TEXTS[text]
    plain, other = tmp_path / "plain" / name, tmp_path / "other" / name
    for path, written in ((plain, content.encode()), (other, FORMS[form](content))):
        path.parent.mkdir()
        path.write_bytes(written)
    expected = read(plain)
    assert expected
    assert read(other) == expected


def test_what_is_not_text_is_refused() -> None:
    for content in (b"\xff\xff", codecs.BOM_UTF16_LE + b"a", b"caf\xe9"):
        with pytest.raises(UnicodeDecodeError):
            file_text(content)
        assert file_text(content, "replace")


class Pipe(io.TextIOWrapper):
    """Standard output as Python makes it at Windows for a pipe or a file."""

    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="\r\n")

    @property
    def content(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


PRINTED = [
    (["perft", "--depth", "2", "--json"], 0, '"leaves": 49'),
    (["weights", "show", "material"], 0, "material"),
    (["pdn", "convert", "GAMES"], 0, '[Black "Łukasiewicz"]'),
    (["pdn", "check", "GAMES"], 0, "Spiele ½ Ł.pdn"),
    (["pdn", "search", "GAMES", "--player", "Łukasiewicz"], 0, "Łukasiewicz"),
    (["analyze", "½ ♛"], 2, "½ ♛"),
    # the mark before its first line is not part of it
    (["hub"], 0, "\nwait\n"),
    (["play", "--json", "--out", "none", "--level", "1"], 0, '"event": "start"'),
]


@pytest.mark.parametrize(("line", "code", "text"), PRINTED)
@pytest.mark.parametrize("encoding", ["cp1252", "cp437"])
def test_pipes_carry_utf_8_and_line_feeds(
    line: list[str], code: int, text: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the code page is: no character is missing, and programs meet the same lines on each system."""
    games = tmp_path / "Spiele ½ Ł.pdn"
    games.write_bytes(GAMES.encode())
    out, err = Pipe(encoding), Pipe(encoding)
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("\ufeffhub\nquit\n½\n".encode()), encoding=encoding))
    assert cli.main([str(games) if word == "GAMES" else word for word in line]) == code
    printed = (out.content + err.content).decode()
    assert text in printed
    assert "\r" not in printed


@pytest.mark.slow
def test_a_program_without_a_console_has_no_streams() -> None:
    program = (
        "import sys; sys.stdin = sys.stdout = sys.stderr = None; from kr import cli; sys.exit(cli.main(sys.argv[1:]))"
    )
    for words, code in ((["perft", "--depth", "1"], 0), (["play", "--out", "none", "--level", "1"], 0), (["½"], 2)):
        assert subprocess.run([sys.executable, "-c", program, *words]).returncode == code
