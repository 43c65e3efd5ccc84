"""An engine of CheckerBoard, a DLL, in a process of its own: on Windows, and under wine.

A small program loads the DLL and is spoken to in lines (packaging/checkerboard/engine_host.c has them). It is looked
for beside the DLL and in build/checkerboard of a checkout.
"""

from __future__ import annotations

from pathlib import Path

from kr.errors import InvalidSettingError
from kr.players.hub import START_TIME, VARIABLE, ProgramPlayer, startup_of, startup_text, talk_log
from kr.players.player import PlayerKind, PlayerSpec, Resources
from kr.protocols.program import Startup
from kr.protocols.text_client import TextClient, TextEngine
from kr.storage import checksum, no_file, read_regular
from kr.system import join_command, windows_program

_PREFIX = "checkerboard:"
_HOST = "host"
"""Setting: the program that loads the DLL."""
_HOSTS = {0x8664: "kr-host64.exe", 0x14C: "kr-host32.exe"}
"""By the machine that a DLL is for."""
_BUILT = Path(__file__).resolve().parents[2] / "build" / "checkerboard"
_QUIET = {"WINEDEBUG": "-all"}
"""Variables for wine, beside those of the player's text."""


_LARGEST = 1 << 28
"""Bytes of a DLL."""


def _engine(name: str, command: str) -> TextEngine:
    """How the program is spoken to."""
    return TextEngine(
        name=name,
        command=command,
        start=("hello",),
        started="^ready ?(?P<name>.*)$",
        search=("hist {start} {moves}", "time {seconds}", "clock {left} {increment}", "go {board} {side}"),
        move="^board (?P<board>[bwBWe]{32})$",
        capture="-",
        stop=("stop",),
        quit=("bye",),
    )


def _make(spec: PlayerSpec, resources: Resources) -> ProgramPlayer:
    dll, startup = Path(spec.text), startup_of(spec)
    if not dll.is_file():
        raise InvalidSettingError(no_file(dll, "a DLL of an engine for CheckerBoard"))
    content = read_regular(dll, _LARGEST)
    host = Path(spec.settings[_HOST]) if _HOST in spec.settings else _host_of(dll, content)
    words = windows_program([str(host.absolute()), dll.name])
    here = Startup(dll.absolute().parent, startup.seconds, _QUIET | dict(startup.variables))
    with talk_log(resources.log, dll.stem) as log:
        engine = _engine(dll.stem, join_command(words))
        client = TextClient(engine, here, patience=resources.patience, log=log, kind="CheckerBoard engine")
    return ProgramPlayer(client, spec.text, f"{_PREFIX}{checksum(content)}{startup_text(startup)}")


def _host_of(dll: Path, content: bytes) -> Path:
    """The program that loads a DLL. Raises InvalidSettingError if it is not there, or the file is not a DLL."""
    header = int.from_bytes(content[0x3C:0x40], "little")
    name = _HOSTS.get(int.from_bytes(content[header + 4 : header + 6], "little"))
    if content[:2] != b"MZ" or content[header : header + 4] != b"PE\0\0" or name is None:
        raise InvalidSettingError(f"{dll}: not a DLL for Windows on x86")
    for folder in (dll.parent, _BUILT):
        if (folder / name).is_file():
            return folder / name
    raise InvalidSettingError(
        f"{name}, which loads {dll.name}, is neither beside it nor in {_BUILT}; kr-checkerboard-VERSION.zip of a "
        f"release has it, `make checkerboard` makes it, and host=FILE names it elsewhere"
    )


KIND = PlayerKind(
    prefix=_PREFIX, texts=("checkerboard:DLL",), make=_make, settings=(_HOST, START_TIME, VARIABLE), has_commas=True,
    starts_program=True, names_itself=True,
)  # fmt: skip
