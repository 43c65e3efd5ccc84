"""Engines with a protocol of their own: what is sent byte for byte, what is read, and what they do wrong."""

import re
import shutil
import sys
import threading
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError, ProtocolError
from kr.game.position import Position
from kr.players.registry import player_from_spec
from kr.protocols.program import Startup
from kr.protocols.text_client import TextClient, TextEngine
from kr.system import join_command

TINY = Path(__file__).parent / "text_engines" / "tiny.py"
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "text-engines.md"
QUICK = Limits(time=0.1)


def of_page(language):
    """The first block of a language on the page."""
    return re.search(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]


def engine(fault="", **changes):
    values = tomllib.loads(of_page("toml")) | changes
    lines = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return replace(TextEngine(**values | lines), command=join_command([sys.executable, "-IS", str(TINY), fault]))


def said(folder):
    """What a log has, without times."""
    (path,) = folder.iterdir()
    lines = [line.split(" ", 2)[2] for line in path.read_text("utf-8").splitlines()]
    return "".join(f"{line}\n" for line in lines if line[0] in "<>")


def test_the_example_of_the_page_is_spoken_to_as_it_says(tmp_path):
    shutil.copy(TINY, tmp_path)
    # as the test's own Python is called
    text = of_page("toml").replace("python3 ", f"{join_command([sys.executable])} -IS ".replace("\\", "\\\\"))
    (tmp_path / "tiny.toml").write_text(text)
    player = player_from_spec(f"text:{tmp_path / 'tiny.toml'}", log=tmp_path / "logs")
    assert player.name == "tiny"
    player.new_game()
    reply = player.search(Position(), QUICK, ())
    player.close()
    assert (str(reply.move), reply.score, reply.depth, reply.nodes) == ("9-13", 12, 5, 3450)
    assert said(tmp_path / "logs") == of_page("text")


def test_lines_have_what_is_known_of_position_and_limits():
    line = "{{{side} {board} {start} | {moves} | {last}}}"
    start = Position.from_fen("B:WK32,18:BK1,9")
    history = [start, start.play("9-14")]
    position = history[-1].play("18x9")
    with TextClient(
        engine(search=(line, "t {seconds}", "c {left_ms} {increment}", "d {depth}"), capture=":")
    ) as client:
        assert client._lines_of(position, Limits(depth=3), history) == [
            "{B BeeeeeeeweeeeeeeeeeeeeeeeeeeeeeW B:W18,K32:BK1,9 | 9-14 18:9 | 18:9}", "d 3",
        ]  # fmt: skip
        assert client._lines_of(position, Limits(left=60.0, inc=0.5), [])[-1] == "c 60000 0.5"
        with pytest.raises(InvalidSettingError, match="can't be given the limit nodes=5"):
            client._lines_of(position, Limits(nodes=5), [])


def test_an_answer_may_be_the_board_after_the_move():
    with TextClient(engine("board", move="^board (?P<board>\\S+)", score_of="white")) as client:
        result = client.search(Position(), QUICK)
        assert (str(result.move), result.score) == ("9-13", -12)
        with pytest.raises(ProtocolError, match="plays an illegal move: no legal one leads to the board 'bbbbbbbbeb"):
            client.search(Position().play("9-14"), QUICK)


@pytest.mark.parametrize(
    ("fault", "changes", "words"),
    [
        ("11-18", {}, "plays an illegal move: 11-18 is not legal"),
        ("resigns", {}, "plays an illegal move: 'resigns' is not a move"),
        ("silent", {}, "hangs: no answer to 'think 100 ms' in 0.2s"),
        ("", {"started": "never"}, r"is slow to start: no answer to 'hello' in 0.3s \(start=0.6s in its text"),
    ],
)
def test_faults_are_told(fault, changes, words):
    with pytest.raises(ProtocolError, match=f"^text engine tiny {words}"):
        startup = Startup(seconds=0.3 if changes else 30)
        margin = 0.1 if fault == "silent" else 5.0
        with TextClient(engine(fault, **changes), startup, margin) as client:
            client.search(Position(), QUICK)


@pytest.mark.parametrize("lines", [("halt",), ()])
def test_a_search_is_stopped(lines):
    stop = Stop()
    with TextClient(engine("silent", stop=lines)) as client:
        threading.Timer(0.05, stop.set).start()
        if lines:
            assert str(client.search(Position(), Limits(time=20), (), stop).move) == "9-13"
        else:
            with pytest.raises(ProtocolError, match="can't be stopped"):
                client.search(Position(), Limits(time=20), (), stop)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("name = ", "nmae = ", "unknown key 'nmae'"),
        ("search = ", "game = ", "search is missing"),
        ("{fen}", "{fne}", "{fne} is unknown; expected fen, board,"),
        ("halt", "halt {fen}", "{fen} is unknown; expected no braces"),
        ("?P<move>", "", "move: groups missing; expected one group, move or board"),
        ("?P<nodes>", "?P<node>", "info: groups depth, node, score; expected groups depth, nodes, score"),
        ("(?P<move>", "(", "move: not a pattern"),
        ("= 100", '= "100"', "centimen: '100'; expected a number"),
        ('["hello"]', "7", "start: 7; expected a line, or a list of lines"),
        ('"tiny"', '"tiny', "not the description of an engine"),
    ],
)
def test_a_wrong_description_is_refused(tmp_path, old, new, words):
    (path := tmp_path / "tiny.toml").write_text(of_page("toml").replace(old, new, 1))
    if "not a pattern" in words:
        path.write_text(path.read_text().replace("S+)", "S+", 1))
    with pytest.raises(InvalidSettingError) as failure:
        player_from_spec(f"text:{path}")
    assert str(failure.value).startswith(f"{path}: ")
    assert words in str(failure.value)


def dll_of(folder, machine):
    """A file that has a DLL's beginning, and the program beside it that would load it."""
    header = b"MZ".ljust(0x3C, b"\0") + (0x40).to_bytes(4, "little") + b"PE\0\0" + machine.to_bytes(2, "little")
    (folder / "kr-host64.exe").touch()
    (path := folder / f"{machine:x}.dll").write_bytes(header)
    return path


@pytest.mark.posix("wine, and a shell")
def test_a_dll_is_spoken_to_through_its_host(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    script = TINY.with_name("wine.py")
    (wine := tmp_path / "wine").write_text(
        f'#!/bin/sh\nexec {join_command([sys.executable, "-IS", str(script)])} "$@"\n'
    )
    wine.chmod(0o755)
    player = player_from_spec(f"checkerboard:{dll_of(tmp_path, 0x8664)},env.WINEDEBUG=+all", log=tmp_path / "logs")
    assert player.name == "Fake +all"
    start = Position()
    after = start.play("9-13")
    assert str(player.search(start, QUICK, ()).move) == "9-13"
    reply = player.search(after, Limits(left=61.5, inc=0.25), (start,))
    assert (str(reply.move), reply.depth, reply.score) == ("22-18", 0, 0)
    player.close()
    sent = [line[2:] for line in said(tmp_path / "logs").splitlines() if line[0] == ">"]
    board = "bbbbbbbbebbbbeeeeeeewwwwwwwwwwww"
    assert sent == [
        "hello", f"hist {start.fen}", "time 0.1", "go bbbbbbbbbbbbeeeeeeeewwwwwwwwwwww B",
        f"hist {start.fen} 9-13", "clock 61.5 0.25", f"go {board} W", "bye",
    ]  # fmt: skip


def test_what_is_not_such_a_dll_is_refused(tmp_path):
    for path, words in (
        (tmp_path / "no.dll", "no such file; expected a DLL of an engine for CheckerBoard"),
        (TINY, "not a DLL for Windows on x86"),
        (dll_of(tmp_path, 0xAA64), "not a DLL for Windows on x86"),
        (dll_of(tmp_path, 0x14C), "kr-host32.exe, which loads 14c.dll, is neither beside it nor in"),
    ):
        with pytest.raises(InvalidSettingError, match=re.escape(words)):
            player_from_spec(f"checkerboard:{path}")
