"""The accuracy of a review: does it rise with strength, is it the same at other limits and against other opponents?

    python bench/accuracy.py OCA_2.0.pdn.xz [--games 1000] [--deep 120] [--out accuracy] [--workers 1]

Makes the figures of docs/lab/games.md. Players of an archive are rated by its results alone (Bradley and Terry, a draw
counts half, those with at least --least games), and put into five bands of equally many; 200 games are drawn for each
band. Levels of `kr play` play each other and themselves. All games are annotated by --nodes, some of the archive again
by --deep-nodes. What is done stays in the directory --out; run the same command to resume. Errors are 95% intervals.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from kr.analysis.annotation.files import AnnotateSettings, annotate_files
from kr.archives.archive import Archive, ReadSettings
from kr.engine.limits import Limits
from kr.game.position import Side
from kr.match.elo import CONFIDENCE_95
from kr.match.match import play_match
from kr.match.settings import MatchSettings
from kr.pdn import write_game
from kr.storage import write_atomic
from kr.text import same_person
from kr.units import parse_count

BANDS = 5
SCALE = 400 / np.log(10)
PRIOR = 2.0
"""Draws of each player against one of rating 0, so that nobody's rating is infinite."""
ROUNDS = 300
LEVELS = 2, 4, 6, 8
SIDES = "black", "white"
BAD = "inaccuracies", "mistakes", "blunders"
DRAWS = 1000
"""Draws of games for an error."""


def ratings(results: Sequence[tuple[str, str, float]], least: int) -> dict[str, float]:
    """Ratings by name in Elo, from results as (Black, White, points of Black); for players of at least this many."""
    names = sorted({name for black, white, _ in results for name in (black, white)})
    number = {name: i for i, name in enumerate(names)}
    black = np.array([number[each[0]] for each in results])
    white = np.array([number[each[1]] for each in results])
    points = np.array([each[2] for each in results])
    games = np.bincount(black, minlength=len(names)) + np.bincount(white, minlength=len(names))
    own = np.bincount(black, points, len(names)) + np.bincount(white, 1 - points, len(names)) + PRIOR / 2
    strength = np.ones(len(names))
    for _ in range(ROUNDS):
        shared = 1 / (strength[black] + strength[white])
        total = np.bincount(black, shared, len(names)) + np.bincount(white, shared, len(names))
        strength = own / (total + PRIOR / (strength + 1))
    return {name: float(SCALE * np.log(strength[i])) for name, i in number.items() if games[i] >= least}


def draw(options: argparse.Namespace) -> tuple[Path, Path, dict[str, int], list[tuple[float, float, int]]]:
    """Files of the games drawn and of those for the deep run, the band of each player, and lowest rating, highest
    rating and number of players of each band."""
    settings = ReadSettings(files=options.files)
    results = []
    for _, game in Archive(settings):
        names = [same_person(game.headers.get(side.capitalize(), "")) for side in SIDES]
        points = 0.5 if game.winner is None else float(game.winner == Side.BLACK)
        results.append((names[0], names[1], points))
    rated = ratings(results, options.least)
    ranked = sorted(rated, key=rated.__getitem__)
    parts = [list(part) for part in np.array_split(np.array(ranked, object), BANDS)]
    bands = {name: band for band, part in enumerate(parts) for name in part}
    source = random.Random(options.seed)
    chosen: set[int] = set()
    for band in range(BANDS):
        of_band = [i for i, each in enumerate(results) if i not in chosen and band in map(bands.get, each[:2])]
        chosen.update(source.sample(of_band, options.games // BANDS))
    deep = set(source.sample(sorted(chosen), options.deep))
    texts = {i: write_game(game) for i, (_, game) in enumerate(Archive(settings)) if i in chosen}
    files = options.out / "archive.pdn", options.out / "deep.pdn"
    for file, wanted in zip(files, (chosen, deep), strict=True):
        content = "\n".join(texts[i] for i in sorted(wanted)).encode()
        # the journal of a run that is resumed knows its file by its content
        write_atomic(file, content)
    edges = [(rated[part[0]], rated[part[-1]], len(part)) for part in parts]
    return *files, bands, edges


def annotated(games: Path, nodes: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Records of the games, from an earlier run if it ended."""
    kept = options.out / f"{games.stem}-{nodes}.jsonl"
    if not kept.exists():
        records = []
        settings = AnnotateSettings(
            files=(games,),
            out=options.out / f"{games.stem}-{nodes}.pdn",
            tc=Limits(nodes=nodes),
            workers=options.workers,
            hash=16 << 20,
        )
        annotate_files(settings, lambda record, resumed: records.append(record))
        records.sort(key=lambda record: record["number"])
        write_atomic(kept, "".join(f"{json.dumps(record)}\n" for record in records).encode())
    return [json.loads(line) for line in kept.read_text().splitlines()]


def match(a: int, b: int, options: argparse.Namespace) -> Path:
    """Games of two levels."""
    pdn = options.out / f"level{a}-level{b}.pdn"
    players = f"shipped,level={a}", f"shipped,level={b}" + ",seed=2"
    play_match(
        MatchSettings(
            a=players[0],
            b=players[1],
            games=options.level_games,
            tc=Limits(nodes=100_000),
            hash=4 << 20,
            workers=options.workers,
            pdn=pdn,
        )
    )
    return pdn


Tally = tuple[float, float]
"""Sum of the scores of the moves in a game, times their weights, and of the weights."""


def figure(tallies: Sequence[Tally]) -> tuple[float, float]:
    """Accuracy over games and its 95% error, from draws of as many games."""
    sums = np.array(tallies)
    draws = np.random.default_rng(1).integers(0, len(sums), (DRAWS, len(sums)))
    quality, weight = sums[draws].sum(axis=1).T
    error = CONFIDENCE_95 * float(np.std(100 * quality / weight))
    return 100 * float(sums[:, 0].sum() / sums[:, 1].sum()), error


def tally(record: dict[str, Any], side: str) -> Tally:
    """Tally of a side in a game."""
    return record[side]["quality"], record[side]["weight"]


def print_bands(records: Sequence[dict[str, Any]], bands: dict[str, int], edges: Sequence[Any]) -> None:
    """Accuracy of the bands of players, and how many moves are unmarked."""
    games: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        for side in SIDES:
            band = bands.get(same_person(record["headers"].get(side.capitalize(), "")))
            if band is not None:
                games[band].append(record[side])
    print("\nband        rating  players  games      accuracy  unmarked")
    for band, (low, high, players) in enumerate(edges):
        own = games[band]
        accuracy, error = figure([(each["quality"], each["weight"]) for each in own])
        moves = sum(each["moves"] for each in own)
        unmarked = 100 - 100 * sum(each[name] for each in own for name in BAD) / moves
        print(f"{band + 1:4}  {low:5.0f} to {high:4.0f}  {players:7}  {len(own):5}  {accuracy:5.1f} ± {error:.1f}"
              f"  {unmarked:7.1f}%")  # fmt: skip


def print_levels(records: dict[tuple[int, int], list[dict[str, Any]]]) -> None:
    """Accuracy of each level against each."""
    games: dict[tuple[int, int], list[Tally]] = defaultdict(list)
    for (a, b), played in records.items():
        for record in played:
            for side in SIDES:
                own = a if f"level={a}" in record["headers"][side.capitalize()] else b
                games[own, a + b - own].append(tally(record, side))
    print("\nlevel  " + "  ".join(f"against {other}".rjust(11) for other in LEVELS) + "          all")
    for own in LEVELS:
        cells = [figure(games[own, other]) for other in LEVELS]
        cells.append(figure([each for other in LEVELS for each in games[own, other]]))
        print(f"{own:5}  " + "  ".join(f"{accuracy:4.1f} ± {error:3.1f}".rjust(11) for accuracy, error in cells))


def print_limits(short: Sequence[dict[str, Any]], deep: Sequence[dict[str, Any]]) -> None:
    """Agreement of two limits about the same games."""
    known = {_identity(record): record for record in short}
    pairs = []
    for record in deep:
        for side in SIDES:
            both = known[_identity(record)][side]["accuracy"], record[side]["accuracy"]
            if None not in both:
                pairs.append(both)
    first, second = np.array(pairs, float).T
    print(f"\n{len(deep)} games at both limits, {len(pairs)} figures of a side in one game: correlation "
          f"{np.corrcoef(first, second)[0, 1]:.3f}, mean difference {np.mean(second - first):+.2f}, mean distance "
          f"{np.mean(np.abs(second - first)):.1f}, standard deviation of the figures {np.std(first):.1f}")  # fmt: skip


def _identity(record: dict[str, Any]) -> str:
    headers = {name: value for name, value in record["headers"].items() if name != "Annotator"}
    return json.dumps([headers, [move["move"] for move in record["moves"]]], sort_keys=True)


def main() -> None:
    """Make the games, annotate them, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="archives whose games name the players")
    parser.add_argument("--games", type=parse_count, default=1000, help="games of the archive (default: 1000)")
    parser.add_argument("--deep", type=parse_count, default=120, help="of these, by the larger limit (default: 120)")
    parser.add_argument("--nodes", type=parse_count, default=50_000, help="limit of a search (default: 50000)")
    parser.add_argument("--deep-nodes", type=parse_count, default=400_000, help="the larger limit (default: 400000)")
    parser.add_argument("--least", type=int, default=30, help="games of a player who is rated (default: 30)")
    parser.add_argument("--level-games", type=parse_count, default=30, help="games of two levels (default: 30)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="games at a time (default: 1)")
    parser.add_argument("--out", type=Path, default=Path("accuracy"), help="directory (default: accuracy)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.files = tuple(options.files)
    games, deep, bands, edges = draw(options)
    records = annotated(games, options.nodes, options)
    print_bands(records, bands, edges)
    pairs = list(combinations_with_replacement(LEVELS, 2))
    print_levels({(a, b): annotated(match(a, b, options), options.nodes, options) for a, b in pairs})
    print_limits(records, annotated(deep, options.deep_nodes, options))


if __name__ == "__main__":
    main()
