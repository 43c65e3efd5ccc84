"""Archives of random games as PDN files, as if people had played them."""

from __future__ import annotations

import random
from pathlib import Path

from kr.game.position import Position
from kr.pdn import Game

NAMES = ("Moorhead, W.", "Wyllie, J.", "Tinsley, M.", "Chamblee, M.", "Lowder, E.")


def random_recorded(number: int, seed: int = 1, plies: int = 60) -> Game:
    """A random game with players and a year; the same for the same number and seed."""
    source = random.Random(f"{seed} {number}")
    black, white = source.sample(NAMES, 2)
    position, moves = Position(), []
    for _ in range(source.randrange(plies // 2, plies)):
        legal = position.legal_moves()
        if not legal:
            break
        # favourites, so that there is something to learn
        moves.append(legal[min(source.randrange(len(legal)), source.randrange(len(legal)))])
        position = position.play(moves[-1])
    headers = {"Event": "Test", "Date": f"{1850 + 3 * number}.??.??", "Black": black, "White": white}
    return Game(headers, Position(), moves, source.choice(("1-0", "0-1", "1/2-1/2")))


def write_archive(path: Path, games: int, seed: int = 1) -> list[Game]:
    """Write a PDN file with so many random games; returns them."""
    found = [random_recorded(number, seed) for number in range(games)]
    path.write_text("\n\n".join(map(str, found)))
    return found
