"""Random moves, and run directories of random games, for tests that need games but not good ones."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from kr.game.position import Move, Position
from kr.learn import games

UNSEARCHED = 4
"""Plies at the start of each game that have no score."""


def material(position: Position) -> int:
    """Men and kings of the mover less the opponent's, a king at 130."""
    own, opponent = (position.black, position.white)[:: 1 if position.side == 0 else -1]
    return sum(
        sign * (100 * b.bit_count() + 30 * (b & position.kings).bit_count()) for sign, b in ((1, own), (-1, opponent))
    )


def random_game(number: int, seed: int, plies: int = 80) -> games.StoredGame:
    """A game of random moves; the score of a move is the material, give or take half a man."""
    chance = random.Random(f"{seed} {number}")
    position, codes, scores, result = Position(), [], [], 0
    for ply in range(plies):
        legal = position.legal_moves()
        if not legal:
            result = -1 if position.side == 0 else 1
            break
        move = chance.choice(legal)
        alike = list(dict.fromkeys(m.captured for m in legal if (m.origin, m.target) == (move.origin, move.target)))
        codes.append(move.origin | move.target << 5 | alike.index(move.captured) << 10)
        noise = chance.randint(-50, 50)
        scores.append(games.NO_SCORE if ply < UNSEARCHED else material(position) + noise)
        position = position.play(move)
    else:
        balance = material(position) * (1 if position.side == 0 else -1)
        result = (balance > 0) - (balance < 0)
    return games.StoredGame(
        game=number, start=(0xFFF, 0xFFF00000, 0, 0), opening=0, result=result, reason=0,
        moves=np.array(codes, dtype=np.uint16), scores=np.array(scores, dtype=np.int16),
    )  # fmt: skip


def write_run(directory: Path, number: int, seed: int = 1, shard_games: int = 40) -> list[games.StoredGame]:
    """Write a run directory with this number of random games; returns them."""
    directory.mkdir(parents=True, exist_ok=True)
    records = [random_game(i, seed) for i in range(number)]
    for i in range(0, number, shard_games):
        path = directory / f"shard-{i // shard_games:06d}.h5"
        games.write_shard(path, records[i : i + shard_games], {"seed": seed})
    return records


def positions(record: games.StoredGame) -> Iterator[Position]:
    """Every position of a game but the last."""
    position = Position(*record.start)
    for move in games.decoded_moves(record):
        yield position
        position = position.play(move)


def walked(choices: Sequence[int]) -> Position:
    """The position after legal moves chosen by numbers."""
    position = Position()
    for choice in choices:
        moves = position.legal_moves()
        if not moves:
            break
        position = position.play(moves[choice % len(moves)])
    return position


PLAYED = st.lists(st.integers(0, 50), max_size=70).map(walked)
"""Positions of games."""


def moves_of(position: Position, line: str) -> list[Move]:
    """The moves of a line."""
    found: list[Move] = []
    for text in line.split():
        found.append(position.parse_move(text))
        position = position.play(found[-1])
    return found
