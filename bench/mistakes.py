"""Play for people's mistakes: the games that kr wins with and without it, from drawn endings or 11-man ballots, and
where draws of the database are all the same to it.

    python bench/mistakes.py DIR endings     # 40 drawn endings of 3 pieces against 2, both colours
    python bench/mistakes.py DIR ballots     # 60 games each from 11-man ballots: hours
    python bench/mistakes.py DIR archive --archives GAMES.pdn.xz --egdb EGDB --pieces 6

Endings are drawn at random, each with equal probability, of those without a capture on the board. Of an archive they
are the first position of such a game with so few pieces that the database knows to be drawn, with two legal moves or
more, each once, in a random order. Games are played out; those of a match stay in DIR, and the same command resumes.
The shares won have 95% errors; so has the ratio of all wins of the last two players, by drawing endings or ballots
anew. The reference for people is policy:shipped,calibrated=1, for engines kr without a database.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from kr.archives.archive import Archive, ReadSettings
from kr.egdb import slices
from kr.egdb.database import Database, directory_for
from kr.egdb.sample import random_positions
from kr.engine.limits import Limits
from kr.game.value import Value
from kr.match.elo import CONFIDENCE_95
from kr.match.match import play_match
from kr.match.settings import MatchSettings

PLAYERS = ("shipped,draws_apart=0", "shipped", "shipped,against=people")
OPPONENTS = (
    "policy:shipped,calibrated=1",
    "policy:shipped,temperature=1",
    "policy:shipped",
    "shipped,level=5",
    "shipped,level=6",
    "shipped,level=7",
    "shipped,egdb=none",
)
ENDINGS = 40
DRAWINGS = 2000
"""Samples of endings for the error of a ratio."""
Lot: TypeAlias = tuple[int, int]
"""Seed, and number of an ending or ballot among those of that seed."""


def write_endings(path: Path, seed: int) -> None:
    """Write a file of drawn endings."""
    database = Database.open(directory_for(None))
    shapes = [shape for shape in slices.shapes(5) if shape[0] + shape[1] in (2, 3)]
    drawn = (
        position
        for position in random_positions(shapes, random.Random(seed))
        if database.value(position) is Value.DRAW and not position.legal_moves()[0].is_capture
    )
    path.write_text("".join(f"{position.fen}\n" for position in islice(drawn, ENDINGS)))


def write_reached(path: Path, archives: Sequence[Path], database: Database, pieces: int, seed: int) -> None:
    """Write a file of drawn endings that were reached in games."""
    reached: dict[str, None] = {}
    for _, game in Archive(ReadSettings(files=tuple(archives), allow_errors=True), on_error=lambda path, error: None):
        for position in game.positions():
            if position.pieces > pieces or len(moves := position.legal_moves()) < 2 or moves[0].is_capture:
                continue
            if database.has(position) and database.value(position) is Value.DRAW:
                reached[position.fen] = None
            break
    fens = list(reached)
    random.Random(seed).shuffle(fens)
    print(f"{len(fens)} drawn endings")
    path.write_text("".join(f"{fen}\n" for fen in fens[:ENDINGS]))


def ratio_error(won: Sequence[Counter[Lot]], lots: Sequence[Lot]) -> float:
    """95% error of the ratio of wins of the second player and the first, by ending or ballot."""
    chance, ratios = random.Random(1), []
    for _ in range(DRAWINGS):
        drawn = chance.choices(lots, k=len(lots))
        first, second = (sum(each[ending] for ending in drawn) for each in won)
        ratios.append(second / max(first, 1))
    ratios.sort()
    return (ratios[int(0.975 * DRAWINGS)] - ratios[int(0.025 * DRAWINGS)]) / 2


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path, help="directory of the games")
    parser.add_argument("what", choices=("endings", "ballots", "archive"))
    parser.add_argument("--archives", nargs="+", type=Path, default=(), help="games from which endings are taken")
    parser.add_argument("--egdb", type=Path, default=directory_for(None), help="database of kr (default: that of kr)")
    parser.add_argument("--pieces", type=int, default=5, help="most pieces of endings of an archive (default: 5)")
    parser.add_argument("--games", type=int, default=0, help="of each match (default: 80, or 60 from ballots)")
    parser.add_argument("--tc", type=Limits.parse, help="limit of a move (default: nodes=4000, or 200k from ballots)")
    parser.add_argument("--players", nargs="+", default=PLAYERS, help=f"(default: {' '.join(PLAYERS)})")
    parser.add_argument("--opponents", nargs="+", default=OPPONENTS, help=f"(default: {' '.join(OPPONENTS)})")
    parser.add_argument("--workers", type=int, default=0, help="games at a time (default: one per core)")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1], help="of lots of endings or ballots (default: 1)")
    options = parser.parse_args()

    options.dir.mkdir(parents=True, exist_ok=True)
    endings = options.what != "ballots"
    decks = {}
    for seed in options.seeds:
        deck = decks[seed] = options.dir / f"{options.what}-{seed}.txt"
        if options.what == "archive":
            write_reached(deck, options.archives, Database.open(options.egdb), options.pieces, seed)
        elif endings:
            write_endings(deck, seed)
    games = options.games or (2 * ENDINGS if endings else 60)
    wins = [Counter[Lot]() for _ in options.players]
    for opponent in options.opponents:
        cells = []
        for number, player in enumerate(options.players):
            won = lost = 0
            for seed, deck in decks.items():
                name = f"{options.what}-{seed}-{player}-{opponent}".replace(":", "-").replace("/", "-")
                settings = MatchSettings(
                    a=player,
                    b=opponent,
                    ballot=str(deck) if endings else "11man",
                    games=games,
                    tc=options.tc or Limits(nodes=4_000 if endings else 200_000),
                    hash=4 << 20,
                    workers=options.workers,
                    seed=seed,
                    adjudicate=False,
                    egdb_adjudication=False,
                    pdn=options.dir / f"{name}.pdn",
                )
                result = play_match(settings)
                won, lost = won + result.count(2), lost + result.count(0)
                wins[number].update((seed, game.pair) for game in result.games if game.points == 2)
            played = games * len(decks)
            share = won / played
            error = CONFIDENCE_95 * math.sqrt(share * (1 - share) / played)
            cells.append(f"{share:.0%} ± {error:.0%}" + f", {lost} lost" * (lost > 0))
        print(f"{opponent:32} {'  '.join(f'{cell:14}' for cell in cells)}", flush=True)
    if len(wins) > 1:
        first, second = (each.total() for each in wins[-2:])
        error = ratio_error(wins[-2:], [(seed, pair) for seed in decks for pair in range(games // 2)])
        print(f"wins {first} and {second}: {second / max(first, 1):.2f} ± {error:.2f} times as many")


if __name__ == "__main__":
    main()
