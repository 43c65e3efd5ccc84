"""`kr dxp`."""

from collections.abc import Callable
from typing import Annotated

import typer

from kr.cli import console, options
from kr.errors import InvalidSettingError
from kr.notation import SIDE_NAMES
from kr.protocols import dxp
from kr.protocols.dxp import ConnectSettings, ListenSettings, PlayedGame

command = typer.Typer()


@command.callback()
def group() -> None:
    """Play against another draughts program by DXP (DamExchange), over TCP: kr asks for the games, or waits for them.

    Example:
        kr dxp listen --out games.pdn
        kr dxp connect 127.0.0.1:27531 --games 2 --tc 0.3s
    """


class _Table:
    """The games so far, printed as they end."""

    def __init__(self, json: bool) -> None:
        self.games: list[PlayedGame] = []
        self._json = json

    def add(self, game: PlayedGame) -> None:
        """Print a game's line."""
        self.games.append(game)
        if not self._json:
            side = SIDE_NAMES[game.color]
            end = f"{game.result} after {len(game.moves)} plies, {game.reason}"
            print(f"game {game.number}: {side} v {game.opponent}: {end}", flush=True)

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
            print(f"{len(self.games)} games: " + ", ".join(f"{name} {count}" for name, count in counts.items()))


def _play(table: _Table, run: Callable[[], None], wanted: int) -> None:
    """Play games until they are all played, or Ctrl-C; the table is closed in any case."""
    try:
        run()
    except KeyboardInterrupt:
        if wanted:
            console.fail(f"interrupted after {len(table.games)} of {wanted} games")
    finally:
        table.close()


def _listen(settings: ListenSettings, json: options.Json = False) -> None:
    """Wait for another program to ask for games, and play them: one program at a time, until Ctrl-C.

    Without an address only programs of this machine can connect. What goes wrong, and chat, is told on stderr.

    Example:
        kr dxp listen --tc 0.5s --out games.pdn
        kr dxp listen 0.0.0.0:27531 --games 10    # reachable from everywhere
    """
    table = _Table(json)
    _play(
        table,
        lambda: dxp.listen(settings, table.add, console.say, lambda at: console.say(f"listening on {at}")),
        settings.games,
    )


def _connect(
    settings: ConnectSettings,
    ballot: Annotated[
        str, typer.Option(help="Begin from these openings, in turn: 11man, 3move, 2move or a file of FENs or games.")
    ] = "",
    json: options.Json = False,
) -> None:
    """Ask the program that listens at an address for games, and play them.

    Where kr alternates its colour, which it does if nothing else is said, each opening is played twice.

    Example:
        kr dxp connect 192.168.1.7:27531 --games 10 --minutes 5 --moves 75 --out games.pdn
        kr dxp connect --ballot 3move --games 20 --tc nodes=5000
        kr dxp connect --fen 'W:W18,24,27,28:B12,16,20,K31' --color white
    """
    if ballot and settings.fen:
        raise InvalidSettingError("--fen and --ballot both say where games begin: give one")
    starts = []
    if ballot:
        from kr.lab.openings import deck

        starts = [opening.position for opening in deck(ballot)]
    table = _Table(json)
    _play(table, lambda: dxp.connect(settings, table.add, console.say, starts), settings.games)


command.command("listen")(options.command(ListenSettings, _listen))
command.command("connect")(options.command(ConnectSettings, _connect))
