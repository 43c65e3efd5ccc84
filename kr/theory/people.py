"""What people play: how often each move was played in each position of an archive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kr.book.frame import BookKey, BookStep
from kr.errors import InvalidPdnError
from kr.game.position import Position, turned_bits
from kr.notation import SQUARES
from kr.pdn import Reader
from kr.pdn.replay import played

PEOPLE_PLIES = 20
"""Plies of a game that are counted: later ones are no opening, and most of their positions are one game's."""
SEEN_GAMES = 2
"""Games that have come to a position, so that it counts: what was played once says little."""

PeopleGames = dict[BookKey, dict[BookStep, int]]


def people_games(
    path: Path, on_game: Callable[[], None] | None = None, on_error: Callable[[InvalidPdnError], None] | None = None
) -> PeopleGames:
    """Counts of the moves that the games of an archive have played in positions that came up at least SEEN_GAMES times.

    Only games from the usual start are counted, each to its PEOPLE_PLIES, or a position that is set up. on_game: called
    for each game; on_error: of what can't be read. Raises InvalidPdnError if there is no game, OSError.
    """
    start, counts, games = Position().bits, PeopleGames(), 0
    with Reader(path, on_error=on_error) as reader:
        for games, game in enumerate(reader, 1):  # noqa: B007
            if on_game is not None:
                on_game()
            if game.start.bits != start:
                continue
            board = start
            for ply, node in enumerate(game.mainline()):
                if ply == PEOPLE_PLIES or node.setup is not None:
                    break
                key, step = _seen(board, node.move.origin, node.move.target, node.move.captured)
                steps = counts.setdefault(key, {})
                steps[step] = steps.get(step, 0) + 1
                board = played(board, node.move)
    if not games:
        raise InvalidPdnError(f"{path} has no games that can be read")
    return {key: steps for key, steps in counts.items() if sum(steps.values()) >= SEEN_GAMES}


def _seen(board: tuple[int, int, int, int], origin: int, target: int, captured: int) -> tuple[BookKey, BookStep]:
    """Key and step of a move, turned if White plays it."""
    black, white, kings, side = board
    if side == 0:
        return (black, white, kings), (origin, target, captured)
    return (
        (turned_bits(white), turned_bits(black), turned_bits(kings)),
        (SQUARES - 1 - origin, SQUARES - 1 - target, turned_bits(captured)),
    )
