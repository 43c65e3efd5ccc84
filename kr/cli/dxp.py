"""`kr dxp`."""

import os
import sys
from collections.abc import Callable
from threading import Thread

from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.notation import SIDE_NAMES
from kr.protocols import dxp
from kr.protocols.dxp import ConnectSettings, ListenSettings, Operator, PlayedGame
from kr.settings import option
from kr.threads import start_all
from kr.units import counted


class _Table:
    """Table of the games so far, printed as they end."""

    def __init__(self, json: bool) -> None:
        self.games: list[PlayedGame] = []
        self._json = json

    def add(self, game: PlayedGame) -> None:
        """Print a game's line."""
        self.games.append(game)
        if not self._json:
            side = SIDE_NAMES[game.color]
            end = f"{game.result} after {counted(len(game.moves), 'ply')}, {game.reason}"
            console.put(console.fold(f"game {game.number}: {side} v {game.opponent}: {end}", 2), flush=True)

    def close(self) -> None:
        """Print the summary."""
        counts = {
            name: sum(game.points == points for game in self.games)
            for name, points in (("wins", 1.0), ("draws", 0.5), ("losses", 0.0), ("unfinished", None))
        }
        if self._json:
            fields = ("number", "color", "opponent", "result", "reason", "faulty")
            records = [
                {name: getattr(game, name) for name in fields}
                | {"fen": game.start.fen, "moves": [str(move) for move in game.moves]}
                for game in self.games
            ]
            console.emit_json({"played": len(self.games), **counts, "games": records})
        else:
            numbers = ", ".join(f"{name} {count}" for name, count in counts.items())
            console.put(f"{counted(len(self.games), 'game')}: {numbers}")


def _play(table: _Table, run: Callable[[], None], count: int) -> None:
    """Play until all games are played or Ctrl-C; the table is closed in any case."""
    try:
        run()
    except KeyboardInterrupt:
        if count:
            console.fail(f"interrupted after {len(table.games)} of {counted(count, 'game')}")
    finally:
        table.close()


TALK = option(
    False,
    "Read lines from standard input: chat for the other side; /back asks to take back to kr's last turn, /back 5 the "
    "last 5 plies.",
)


def _read_lines(file: int, operator: Operator) -> None:
    """Pass typed lines to the operator."""
    rest = b""
    # not from sys.stdin: a waiting thread would hold its lock when Python ends
    while content := os.read(file, 4096):
        *lines, rest = (rest + content).split(b"\n")
        for line in lines:
            _obey(line.decode(errors="replace").strip(), operator)


def _obey(line: str, operator: Operator) -> None:
    word, *rest = line.split()[:3] or [""]
    if word == "/back" and (not rest or (len(rest) == 1 and rest[0].isdecimal())):
        connected = operator.take_back(int(rest[0]) if rest else None)
    elif word.startswith("/"):
        console.say(f"{word} is not a command: /back, /back 5, or chat that begins with another character")
        return
    else:
        connected = not line or operator.chat(line)
    if not connected:
        console.say("nobody is connected")


def _operator(talk: bool) -> Operator:
    """Operator whose lines are read from standard input; silent without --talk."""
    operator = Operator()
    if talk and sys.stdin is not None:
        reader = Thread(target=_read_lines, args=(sys.stdin.fileno(), operator), name="dxp operator", daemon=True)
        start_all([reader], lambda: None)
    return operator


@options.command
def _listen(settings: ListenSettings, talk: bool = TALK, json: bool = options.JSON) -> None:
    """Wait for other programs to ask for games and play them, one program at a time, until Ctrl-C.

    Without an address, only programs on this machine can connect. Errors and chat appear on stderr.

    Example:
        kr dxp listen --tc 0.5s --out games.pdn
        kr dxp listen 0.0.0.0:27531      # reachable from anywhere
        kr dxp listen 28917              # another port, this machine only
        kr dxp listen --talk             # typed lines are chat
    """
    table, operator = _Table(json), _operator(talk)
    _play(
        table,
        lambda: dxp.listen(settings, table.add, console.say, lambda at: console.say(f"listening on {at}"), operator),
        settings.games,
    )


@options.command
def _connect(
    settings: ConnectSettings,
    ballot: str | None = option(
        None,
        "Begin from these openings, in turn: start, 2move, 3move, 11man, endings, a name such as 'Old Fourteenth', or "
        "a file of FENs or games.",
    ),
    talk: bool = TALK,
    json: bool = options.JSON,
) -> None:
    """Ask the program that listens at an address for games and play them.

    By default kr alternates its colour, and each opening is played twice.

    Example:
        kr dxp connect 192.168.1.7:27531 --games 10 --minutes 5 --moves 75
        kr dxp connect --ballot 3move --games 20 --tc nodes=5000
        kr dxp connect --fen "W:W18,24,27,28:B12,16,20,K31" --color white
    """
    if ballot is not None and settings.fen is not None:
        raise InvalidSettingError("--fen and --ballot both set the first position; give only one")
    starts = []
    if ballot is not None:
        from kr.openings.decks import deck

        starts = [opening.position for opening in deck(ballot)]
    table, operator = _Table(json), _operator(talk)
    _play(table, lambda: dxp.connect(settings, table.add, console.say, starts, operator), settings.games)


command = options.group(
    """Play against another draughts program by DXP (DamExchange) over TCP: ask for games, or wait for them.

    Example:
        kr dxp listen --out games.pdn
        kr dxp connect 127.0.0.1:27531 --games 2 --tc 0.3s
    """,
    {"listen": _listen, "connect": _connect},
)
