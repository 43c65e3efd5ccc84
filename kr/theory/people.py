"""What people play: how often each move was played in each position of an archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from kr.book.frame import BookKey, BookStep
from kr.errors import InvalidPdnError
from kr.game.position import Position, turned_bits
from kr.notation import SQUARES
from kr.pdn import Game, Reader
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

    As `games_played`.
    """
    counts = PeopleGames()
    for _, moves in games_played(path, on_game, on_error):
        for key, step in moves:
            steps = counts.setdefault(key, {})
            steps[step] = steps.get(step, 0) + 1
    return {key: steps for key, steps in counts.items() if sum(steps.values()) >= SEEN_GAMES}


def games_played(
    path: Path, on_game: Callable[[], None] | None = None, on_error: Callable[[InvalidPdnError], None] | None = None
) -> Iterator[tuple[Game, list[tuple[BookKey, BookStep]]]]:
    """The games of an archive from the usual start, each with its first PEOPLE_PLIES positions and the moves there.

    They end where a position is set up. on_game: called for each game; on_error: of what can't be read. Raises
    InvalidPdnError if there is no game, OSError.
    """
    start, games = Position().bits, 0
    with Reader(path, on_error=on_error) as reader:
        for games, game in enumerate(reader, 1):  # noqa: B007
            if on_game is not None:
                on_game()
            if game.start.bits != start:
                continue
            board, moves = start, []
            for node in islice(game.mainline(), PEOPLE_PLIES):
                if node.setup is not None:
                    break
                moves.append(_seen(board, node.move.origin, node.move.target, node.move.captured))
                board = played(board, node.move)
            yield game, moves
    if not games:
        raise InvalidPdnError(f"{path} has no games that can be read")


def _seen(board: tuple[int, int, int, int], origin: int, target: int, captured: int) -> tuple[BookKey, BookStep]:
    """Key and step of a move, turned if White plays it."""
    black, white, kings, side = board
    if side == 0:
        return (black, white, kings), (origin, target, captured)
    return (
        (turned_bits(white), turned_bits(black), turned_bits(kings)),
        (SQUARES - 1 - origin, SQUARES - 1 - target, turned_bits(captured)),
    )
