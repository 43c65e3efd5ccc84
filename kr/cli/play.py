"""`kr play`."""

from kr.cli import console, options
from kr.play.play import Play
from kr.play.setup import PlaySettings
from kr.play.table import Table


@options.command
def command(settings: PlaySettings, json: bool = options.JSON) -> None:
    """Play a game of English draughts against kr, or let any two engines play.

    Type moves as 11-15 or 22x15, or as squares in a row. "moves" lists the legal moves and "help" the other commands:
    hint, eval, undo, flip, draw, resign, save, quit. The game is saved to a file after each move. With --json each
    event is an object on its own line, and the same commands are read from standard input.

    Example:
        kr play
        kr play --level 8 --side random --ballot 3move --tc 5m+3s
        kr play --white "hub:other-engine --hub" --tc-engine 2s
        kr play --black shipped --white manual --tc 0.3s --out game.pdn
        kr play --resume game.pdn
    """
    from kr.cli.terminal import Lines, Terminal

    table: Table = Lines() if json else Terminal()
    play = Play.prepare(settings, table)
    if play.run() is None and not play.humans:
        console.fail("interrupted")
