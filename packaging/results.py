"""Prints results of kr that are the same on every system: python packaging/results.py [FILE]

A line each: perft, and checksums of what endgame database, evaluations, policy, players, self-play and fit give for
positions of random games. They go to FILE as well. packaging/check.py has the signature of the search.
"""

import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import kr
from kr.evaluation.layouts import LAYOUTS
from kr.evaluation.weights import load_tables
from kr.learn.fitting.fit import fit
from kr.learn.fitting.settings import FitSettings
from kr.learn.games import read_game_arrays
from kr.learn.selfplay import SelfplaySettings, selfplay
from kr.players.registry import player_from_spec
from kr.policy.policy import frame_of, load_policy
from kr.policy.shape import UNKNOWN_SQUARE
from kr.storage import checksum, data_path

GAMES = 40
PLAYERS = ("shipped,level=2", "shipped,level=7", "policy:shipped,temperature=1", "evolved:shipped", "mcts:200")
EVOLVED = tuple(f"evolved:shipped,run={scheme}-1" for scheme in ("thesis", "code", "fogel1999", "fogel2001", "cma"))


def positions() -> list[kr.Position]:
    """The positions of random games."""
    source = random.Random(1)
    results = []
    for _ in range(GAMES):
        position = kr.Position()
        while moves := position.legal_moves():
            position = position.play(source.choice(moves))
            results.append(position)
    return results


def choices(text: str, asked: list[kr.Position]) -> NDArray[np.int64]:
    """Origin and target of the moves of a player."""
    player = player_from_spec(text, hash_mb=1)
    replies = [player.search(position, kr.Limits(nodes=500), ()) for position in asked]
    return np.array([(reply.move.origin, reply.move.target) for reply in replies])


def results() -> Iterator[tuple[str, object]]:
    """The results by name."""
    all_positions = positions()
    open_positions = [position for position in all_positions if not position.is_over]
    boards = np.array([position.bits for position in all_positions], dtype=np.uint32)
    yield "perft 9", kr.perft(kr.Position(), 9)
    database = kr.Database.open(data_path("egdb"))
    yield "values of endgames", checksum(database.values(boards))
    yield "distances of endgames", checksum(database.distances(boards))
    yield "scores of the tables", checksum(kr.Engine(hash_mb=1).evaluate_batch(boards))
    outputs = [kr.load_champion(text).evaluator().outputs(boards) for text in EVOLVED]
    yield "outputs of evolved networks", checksum(*outputs)
    frames = np.array([frame_of(position) for position in open_positions], dtype=np.uint32)
    before = np.full((len(frames), 4), UNKNOWN_SQUARE, dtype=np.uint8)
    yield "people's moves", checksum(load_policy().predict(frames, before).probability)
    for text in PLAYERS:
        yield text, checksum(choices(text, open_positions[::10]))
    with tempfile.TemporaryDirectory() as name:
        run, tables = Path(name, "run"), Path(name, "tables.h5")
        selfplay(SelfplaySettings(games=100, nodes=100, out=run, workers=1))
        games = read_game_arrays(run)
        yield "self-play", checksum(games.move, games.score)
        fit(FitSettings(directories=(run,), out=tables, layout=LAYOUTS["small"], max_iter=10, workers=1))
        yield "fit", load_tables(tables).checksum


def main() -> None:
    lines = []
    for name, result in results():
        lines.append(f"{name}: {result}")
        print(lines[-1], flush=True)
    if files := sys.argv[1:]:
        Path(files[0]).write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
