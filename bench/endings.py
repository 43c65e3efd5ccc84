"""Won endings played out against perfect defence: the share won, and the plies of the wins. A few minutes.

    kr egdb build --pieces 5 --distances 5 --dir DIR
    python bench/endings.py DIR [--positions 10k] [--nodes 200] [--engine-distances 0] [--json]

An equal number of won positions is drawn for each number of pieces, all with equal probability. The winner is kr's
engine with the database in DIR; the defence always plays a move after which the win takes longest. With
--engine-distances the engine has distances only up to that number of pieces; above it, it has to make progress by its
own search.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

from kr import Engine, Limits, Position
from kr.egdb import slices
from kr.egdb.database import Database
from kr.egdb.sample import random_positions
from kr.game.board import NO_PROGRESS_PLIES, REPETITIONS
from kr.game.position import Move
from kr.units import parse_count


def best_defence(database: Database, position: Position) -> Move:
    """A move after which the win takes longest."""
    return max(position.legal_moves(), key=lambda move: database.distance(position.play(move)) or 0)


def plies_to_win(engine: Engine, limits: Limits, database: Database, position: Position) -> int | None:
    """Plies in which the engine wins; None if it doesn't."""
    winner = position.side
    history: list[Position] = []
    plies = 0
    engine.new_game()
    while not position.is_over:
        if position.side is winner:
            move = engine.search(position, limits, history).move
        else:
            move = best_defence(database, position)
        reversible = not move.is_capture and position.kings >> move.origin & 1
        history = [*history, position] if reversible else []
        position = position.play(move)
        plies += 1
        if len(history) >= NO_PROGRESS_PLIES or history.count(position) >= REPETITIONS - 1:
            return None
    return plies if position.side is not winner else None


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", type=Path, help="database with distances")
    parser.add_argument("--positions", type=parse_count, default=10_000, help="endings to play (default: 10k)")
    parser.add_argument("--nodes", type=parse_count, default=200, help="nodes of the engine's moves (default: 200)")
    parser.add_argument(
        "--engine-distances", type=int, default=slices.EGDB_MAX_PIECES, help="most pieces with distances (default: all)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the random positions (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    database = Database.open(options.directory)
    counts = range(2, database.distance_pieces + 1)
    guide = Database.open(options.directory, max_distances=options.engine_distances)
    engine = Engine("shipped", hash_mb=4, database=guide)
    began = time.perf_counter()
    rows = []
    for pieces in counts:
        drawn = random_positions(slices.shapes(pieces), random.Random(options.seed))
        positions = (position for position in drawn if database.value(position) == "win")
        games = options.positions // len(counts)
        won = in_time = 0
        longest = most_extra = 0
        for _ in range(games):
            position = next(positions)
            stated = database.distance(position) or 0
            plies = plies_to_win(engine, Limits(nodes=options.nodes), database, position)
            won += plies is not None
            in_time += plies is not None and plies <= stated
            longest = max(longest, stated)
            most_extra = max(most_extra, (plies or 0) - stated)
            if plies is None:
                print(f"not won: {position.fen}")
        rows.append(
            {
                "pieces": pieces,
                "played": games,
                "won": won,
                "within the stated distance": in_time,
                "longest stated": longest,
                "most plies more": most_extra,
            }
        )
    if options.json:
        print(json.dumps({"endings": rows, "seconds": time.perf_counter() - began}))
        return
    for row in rows:
        print(", ".join(f"{name} {value}" for name, value in row.items()))
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
