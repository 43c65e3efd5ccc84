"""The worth of more time: matches of each limit against the one before, and the moves that longer searches change.

    python bench/doubling.py [PLAYER] --out DIR --from 10ms --to 320ms [--games 200] [--positions 1000] [--plots DIR]
    python bench/doubling.py --out DIR --from depth=3 --to depth=13 --positions 0 --egdb none

Makes the figures of docs/lab/search.md. After A. Junghanns and J. Schaeffer, "Search versus knowledge in game-playing
programs revisited" (IJCAI 1997), whose figures for checkers reappear in Schaeffer's paper on Chinook's search. A limit
of time or nodes doubles from step to step, a depth grows by two plies. Positions of the games are then searched with
every limit, each time from an empty table; where the moves differ, the position after each is searched with the longest
limit, so that one judge compares them all. All that is done stays in the directory --out; run the same command to
resume. Errors are 95% intervals.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from kr import figures
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.result import SCORE_WIN
from kr.engine.settings import DEFAULT_HASH
from kr.errors import KrError
from kr.game.position import Position
from kr.jobs.journal import open_journal
from kr.jobs.kinds import Stop
from kr.match.elo import CONFIDENCE_95
from kr.match.match import check_match, play_match
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.openings.decks import opening_plies
from kr.pdn import read_games
from kr.players.own import EnginePlayer
from kr.players.registry import player_from_spec
from kr.settings import EGDB_MEMORY
from kr.storage import checksum, provenance
from kr.units import MEBIBYTE, parse_count, parse_size

DEPTH_STEP = 2
TIE_MARGIN = 5
"""Centi-men: moves whose scores differ by no more count as equally good."""
DECIDED = 400
"""Centi-men: larger scores count as this much, so that a few proved wins don't dominate the mean."""
WORTHS = (10, 25, 50, 100)
"""Thresholds in centi-men by which differences are counted."""
SHADES = ("#0b0b0b", "#0072b2", "#56b4e9", "#009e73", "#d55e00", "#cc79a7")
"""Colours that remain distinct for the colour-blind: all changes, those that are no tie, and each of WORTHS."""
LARGEST = 10
"""Number of positions shown where a longer search gains most."""


class Changes(NamedTuple):
    """Changes of the move: number of positions, and centi-men that each change is worth."""

    positions: int
    worths: Sequence[int]

    def share(self, least: int) -> tuple[float, float]:
        """Percent of the positions with a change by at least `least` centi-men either way, and its error."""
        share = sum(abs(worth) >= least for worth in self.worths) / max(self.positions, 1)
        return 100 * share, 100 * CONFIDENCE_95 * (share * (1 - share) / max(self.positions, 1)) ** 0.5

    def columns(self) -> list[str]:
        """The row of a table."""
        shares = ("{:.1f}% ± {:.1f}".format(*self.share(least)) for least in (0, TIE_MARGIN + 1))
        signed = (
            f"{sum(sign * worth >= least for worth in self.worths) / max(self.positions, 1):.1%}"
            for least in WORTHS
            for sign in (1, -1)
        )
        return [str(self.positions), *shares, f"{sum(self.worths) / max(len(self.worths), 1):+.1f}", *signed]


def kind_of(limits: Limits) -> str:
    """Name of the only limit that is set. Raises ValueError if there are none or several."""
    (kind,) = (name for name in ("time", "nodes", "depth") if getattr(limits, name) is not None)
    return kind


def ladder(shortest: Limits, longest: Limits) -> list[Limits]:
    """Limits from the shortest to the longest. Raises ValueError unless they are of one kind, with a step between."""
    kind = kind_of(shortest)
    if kind != kind_of(longest):
        raise ValueError("limits of two kinds")
    steps = [shortest]
    while True:
        last = getattr(steps[-1], kind)
        above = last + DEPTH_STEP if kind == "depth" else 2 * last
        if above > getattr(longest, kind):
            break
        steps.append(Limits(**{kind: above}))
    if len(steps) < 2:
        raise ValueError("no step")
    return steps


def matches(options: argparse.Namespace) -> list[MatchSettings]:
    """Matches of each longer limit (A) against the one before (B)."""
    return [
        MatchSettings(
            a=options.player, b=options.player, ballot=options.ballot, games=options.games, tc=longer, tc_b=shorter,
            workers=options.workers, hash=options.hash, seed=options.seed, egdb=options.egdb,
            egdb_memory=options.egdb_memory, pdn=options.out / f"{longer}.pdn",
        )
        for shorter, longer in itertools.pairwise(options.limits)
    ]  # fmt: skip


def sample(options: argparse.Namespace) -> list[str]:
    """FENs of positions with a choice of moves, from the games behind their openings."""
    seen: dict[Position, None] = {}
    for match in matches(options):
        assert match.pdn is not None
        for game in sorted(read_games(match.pdn), key=lambda game: game.tags["Round"]):
            positions = itertools.islice(game.positions(), opening_plies(game), None)
            seen.update(dict.fromkeys(position for position in positions if len(position.legal_moves()) > 1))
    drawn = random.Random(options.seed).sample(list(seen), min(options.positions, len(seen)))
    return [position.fen for position in drawn]


def new_player(options: argparse.Namespace) -> EnginePlayer:
    """A player whose engine searches."""
    player = player_from_spec(
        options.player, options.hash // MEBIBYTE, egdb=options.egdb, egdb_memory=options.egdb_memory
    )
    if not isinstance(player, EnginePlayer):
        raise SystemExit(f"player {options.player}: only searches of kr's own engine can be compared")
    return player


def search(fen: str, limits: Sequence[Limits], engine: Engine, stop: Stop) -> dict[str, Any]:
    """A line of the journal: move, score and depth with each limit, and of each iteration of the longest search;
    scores of the moves where they differ. stop: ends the searches; the line is then invalid."""
    position = Position.from_fen(fen)
    searches, iterations = [], list[dict[str, Any]]()
    for limit in limits:
        iterations.clear()
        engine.new_game()
        result = engine.search(
            position, limit,
            on_info=lambda info: iterations.append(_choice(info.pv[0], info.score, info.depth)), stop=stop,
        )  # fmt: skip
        searches.append(_choice(result.move, result.score, result.depth))
    moves = dict.fromkeys(each["move"] for each in searches)
    values = {move: _judged(position, move, limits[-1], engine, stop) for move in moves} if len(moves) > 1 else {}
    return {"fen": fen, "searches": searches, "iterations": iterations, "judged": values}


def journal_line(values: dict[str, Any]) -> dict[str, Any]:
    """A line that was read. Raises ValueError if it is not one of `search`."""
    if not {"fen", "searches", "iterations", "judged"} <= values.keys():
        raise ValueError("not a searched position")
    return values


def _choice(move: object, score: int, depth: int) -> dict[str, Any]:
    return {"move": str(move), "score": score, "depth": depth}


def _judged(position: Position, move: str, limit: Limits, engine: Engine, stop: Stop) -> int:
    """Score of a move for its side, by a search of the position after it."""
    after = position.play(move)
    if after.is_over:
        return SCORE_WIN
    engine.new_game()
    return -engine.search(after, limit, history=[position], stop=stop).score


def compare(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Lines of the journal for all sampled positions, those of an earlier run among them."""
    fens = sample(options)
    players = [new_player(options) for _ in range(matches(options)[0].threads())]
    shaping = {
        "player": players[0].signature, "limits": list(map(str, options.limits)), "hash": options.hash,
        "positions": checksum("\n".join(fens).encode()),
    }  # fmt: skip
    idle: SimpleQueue[EnginePlayer] = SimpleQueue()
    stop = Stop()
    for player in players:
        idle.put(player)

    def searched(fen: str) -> dict[str, Any]:
        player = idle.get()
        try:
            return search(fen, options.limits, player.engine, stop)
        finally:
            idle.put(player)

    with open_journal(options.out / "searches.jsonl", shaping, provenance(seed=options.seed), journal_line) as journal:
        entries = {each["fen"]: each for each in journal.entries}
        missing = [fen for fen in fens if fen not in entries]
        pool = ThreadPoolExecutor(len(players))
        try:
            for number, line in enumerate(pool.map(searched, missing), len(entries) + 1):
                journal.append(line)
                entries[line["fen"]] = line
                print(f"position {number} of {len(fens)}", end="\r", file=sys.stderr, flush=True)
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
            for player in players:
                player.close()
    return [entries[fen] for fen in fens]


def disagreements(lines: Sequence[dict[str, Any]], step: int) -> Iterator[tuple[int, str, str, str]]:
    """Worth, move, the move before and FEN where the limit after `step` changes the move."""
    for line in lines:
        old, new = (line["searches"][i]["move"] for i in (step, step + 1))
        if old != new:
            yield clipped(line["judged"][new]) - clipped(line["judged"][old]), new, old, line["fen"]


def by_depth(lines: Sequence[dict[str, Any]]) -> dict[int, Changes]:
    """Changes of each depth against the iteration before, each worth the difference of the two scores; depths that at
    least half of the searches reached."""
    steps: dict[int, list[int | None]] = {}
    for line in lines:
        for old, new in itertools.pairwise(line["iterations"]):
            worth = clipped(new["score"]) - clipped(old["score"])
            steps.setdefault(new["depth"], []).append(None if old["move"] == new["move"] else worth)
    return {
        depth: Changes(len(worths), [worth for worth in worths if worth is not None])
        for depth, worths in sorted(steps.items())
        if 2 * len(worths) >= len(lines)
    }


def clipped(score: int) -> int:
    """Score, or DECIDED with its sign."""
    return max(-DECIDED, min(DECIDED, score))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, aligned to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
    print()


def match_row(name: str, match: MatchResult) -> list[str]:
    """Record, score and Elo of a match."""
    counts = [match.count(points) for points in (2, 1, 0)]
    score = (counts[0] + counts[1] / 2) / len(match.games)
    return [
        name, "-".join(map(str, counts)), f"{score:.1%}",
        f"{match.estimate.elo:+.0f} ± {match.estimate.elo_error:.0f}" + f"  {match.warning}" * bool(match.warning),
    ]  # fmt: skip


def draw(
    path: Path, title: str, scores: Sequence[MatchResult], limits: Sequence[str], changes: Sequence[Changes],
    depths: dict[int, Changes],
) -> None:  # fmt: skip
    """Write a picture: Elo of each match, changes by limit and changes by depth."""
    figure, axes = figures.new_figure(3, 16, 5)
    figures.headline(figure, title)
    elo = [match.estimate for match in scores]
    axes[0].errorbar(
        limits, [each.elo for each in elo], [each.elo_error for each in elo], color=figures.BLUE, marker="o", capsize=3
    )
    figures.finish(axes[0], "against the limit before", "limit", "Elo")
    for ax, name, step, labels, rows in (
        (axes[1], "moves changed by the longer search", "limit", limits, changes),
        (axes[2], "moves changed by one more iteration", "depth, plies", list(map(str, depths)), list(depths.values())),
    ):
        places = range(len(labels))
        for least, color in zip((0, TIE_MARGIN + 1, *WORTHS), SHADES, strict=True):
            shares, errors = zip(*(each.share(least) for each in rows), strict=True)
            words = f"by {least} or more" if least else "another move"
            ax.errorbar(places, shares, errors, marker="o", color=color, capsize=2, label=words)
        ax.set_xticks(places, labels)
        ax.set_ylim(bottom=0)
        figures.finish(ax, name, step, "percent of positions")
    axes[-1].legend(frameon=False, fontsize=8)
    figures.save(figure, path)


def main() -> None:
    """Play, search, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", nargs="?", default="shipped", help="player, as in kr match (default: shipped)")
    parser.add_argument("--out", type=Path, required=True, help="directory of games and searches")
    parser.add_argument("--from", dest="shortest", type=Limits.parse, default="10ms", help="shortest limit")
    parser.add_argument("--to", dest="longest", type=Limits.parse, default="320ms", help="longest limit")
    parser.add_argument("--games", type=parse_count, default=200, help="games of each step (default: 200)")
    parser.add_argument("--positions", type=parse_count, default=1000, help="positions to search (default: 1000)")
    parser.add_argument("--ballot", default="11man", help="openings, as in kr match (default: 11man)")
    parser.add_argument("--workers", type=int, default=0, help="games or searches at a time (default: one per core)")
    parser.add_argument("--hash", type=parse_size, default=DEFAULT_HASH, help="of each engine (default: 64MB)")
    parser.add_argument("--seed", type=int, default=1, help="seed of openings and positions (default: 1)")
    parser.add_argument("--egdb", default="", help="directory of the database, or none (default: the first one found)")
    parser.add_argument("--egdb-memory", type=parse_size, default=EGDB_MEMORY, help="of the database (default: 64MB)")
    parser.add_argument("--plots", type=Path, help="directory of a picture, doubling.png")
    options = parser.parse_args()
    try:
        options.limits = ladder(options.shortest, options.longest)
    except ValueError:
        parser.error("expected --from and --to with one limit each, of the same kind, at least a step apart")
    try:
        measure(options)
    except KrError as error:
        raise SystemExit(str(error)) from None
    except KeyboardInterrupt:
        raise SystemExit("interrupted; run the same command to resume") from None


def measure(options: argparse.Namespace) -> None:
    """Do what is missing, and print all."""
    every = matches(options)
    new_player(options).close()
    for match in every:
        check_match(match)
    options.out.mkdir(parents=True, exist_ok=True)
    names = [f"{match.tc} v {match.tc_b}" for match in every]
    results = []
    for match in every:
        results.append(play_match(match))
        if results[-1].interrupted:
            raise KeyboardInterrupt
    table(["", "W-D-L", "score", "Elo"], list(map(match_row, names, results)))
    if not options.positions:
        return
    lines = compare(options)
    of_steps = [list(disagreements(lines, step)) for step in range(len(names))]
    changes = [Changes(len(lines), [worth for worth, *_ in each]) for each in of_steps]
    head = ["positions", "another move", f"by over {TIE_MARGIN}", "mean", *(f"{s}{w}" for w in WORTHS for s in "+-")]
    table(["", *head], [[name, *each.columns()] for name, each in zip(names, changes, strict=True)])
    depths = by_depth(lines)
    table(["depth", *head], [[str(depth), *each.columns()] for depth, each in depths.items()])
    best = sorted({each for each in itertools.chain(*of_steps) if each[0] > TIE_MARGIN}, reverse=True)[:LARGEST]
    table(["centi-men", "plays", "not", "position"], [[f"{worth:+}", *words] for worth, *words in best])
    if options.plots:
        limits = [str(each) for each in options.limits[1:]]
        title = f"{options.player} ({options.out.name})"
        draw(options.plots / "doubling.png", title, results, limits, changes, depths)


if __name__ == "__main__":
    main()
