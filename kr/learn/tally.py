"""Results of self-play by the moves of its openings, in a file small enough to come with kr.

The explorer of the page has it where nobody has given it games of people. The file is JSON: `games`, how many; `nodes`
of a move; `provenance`; and `positions`, each by the four numbers of its bits, "black,white,kings,side", with four
numbers for each move that was played: its place, by the order of `kr.book.frame.numbered_steps`, and games that Black
won, that were drawn, and that White won.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from kr import storage
from kr.book.frame import numbered_moves
from kr.errors import InvalidGamesError
from kr.game.position import Bits, Position
from kr.learn.games import GameArrays, read_game_arrays
from kr.openings.decks import deck
from kr.settings import REQUIRED, Settings, option

MoveCounts = dict[Bits, dict[Bits, list[int]]]
"""Of each position, by the positions after its moves, the games that Black won, that were drawn, that White won."""


@dataclass(frozen=True)
class TallySettings(Settings):
    """A run of self-play, and what of it is counted."""

    directory: Path = option(REQUIRED, "Run directory of `kr selfplay`.", argument=True, metavar="DIR")
    out: Path = option(REQUIRED, "File to write.", metavar="FILE.json")
    plies: int = option(24, "Plies from the start position that are counted.", low=1, high=200)
    least: int = option(8, "Games that a position must have.", low=1, high=1_000_000)


def write_tally(settings: TallySettings, on_shard: Callable[[], None] | None = None) -> dict[str, Any]:
    """Count a run of self-play, write the file, and return its content. Raises InvalidGamesError, and OSError."""
    storage.check_output(settings.out)
    games = read_game_arrays(settings.directory, on_shard)
    nodes = json.loads(games.attrs.get("settings", "{}")).get("nodes")
    if type(nodes) is not int:
        raise InvalidGamesError(f"{settings.directory} is not a run of `kr selfplay` with a limit of nodes")
    kept = {
        ",".join(map(str, position)): rows
        for position, rows in _rows(count_moves(games, settings.plies), settings.least).items()
    }
    # nothing of this moment, so that the same games give the same file
    run = {name: games.attrs[name] for name in ("command", "kr", "created", "commit", "parents") if name in games.attrs}
    provenance = {"plies": settings.plies, "least": settings.least, "games": run}
    content = {"games": len(games), "nodes": nodes, "provenance": provenance, "positions": kept}
    lines = ",\n".join(f"{json.dumps(name)}:{json.dumps(rows, separators=(',', ':'))}" for name, rows in kept.items())
    head = json.dumps(content | {"positions": None}, separators=(",", ":")).removesuffix("null}")
    storage.write_atomic(settings.out, f"{head}{{\n{lines}\n}}}}\n")
    return content


def count_moves(games: GameArrays, plies: int) -> MoveCounts:
    """The results behind each move of the first plies, with those of a three-move ballot that a game begins after."""
    ballots = {each.position.bits: each for each in deck("3move", playable_only=False)}
    begun: dict[Bits, list[Position]] = {}
    counts: MoveCounts = {}
    drawn = np.zeros(len(games), dtype=np.int64)
    for i, (start, side) in enumerate(zip(games.start.tolist(), games.side.tolist(), strict=True)):
        bits = (start[0], start[1], start[2], side)
        if bits not in begun:
            start_position, moves = ballots[bits].begin() if bits in ballots else (Position.from_bits(bits), ())
            begun[bits] = [start_position]
            for move in moves:
                begun[bits].append(begun[bits][-1].play(move))
        line = begun[bits]
        drawn[i] = len(line) - 1
        for before, after in pairwise(line):
            _count(counts, before.bits, after.bits, int(games.result[i]), 1)
    boards, of_game = games.positions(), games.game_of_ply
    ply = np.arange(len(of_game)) - games.first[of_game] + drawn[of_game]
    # the position after the last move of a game stands nowhere
    chosen = np.flatnonzero((ply[:-1] < plies) & (of_game[:-1] == of_game[1:]))
    pairs = np.hstack([boards[chosen], boards[chosen + 1], games.result[of_game[chosen], None].astype(np.uint32)])
    rows, numbers = np.unique(pairs, axis=0, return_counts=True)
    for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
        result = int(np.uint32(row[8]).astype(np.int32))
        _count(counts, tuple(row[:4]), tuple(row[4:8]), result, number)
    return counts


def _count(counts: MoveCounts, before: Bits, after: Bits, result: int, number: int) -> None:
    counts.setdefault(before, {}).setdefault(after, [0, 0, 0])[1 - result] += number


def _rows(counts: MoveCounts, least: int) -> dict[Bits, list[int]]:
    """The numbers of the file for each position with enough games, those with most first."""
    totals = {position: sum(map(sum, moves.values())) for position, moves in counts.items()}
    rows: dict[Bits, list[int]] = {}
    for position in sorted(counts, key=lambda each: (-totals[each], each)):
        if totals[position] < least:
            break
        here = Position.from_bits(position)
        numbers = {here.play(move).bits: number for number, move in enumerate(numbered_moves(here))}
        rows[position] = [
            each for after, results in sorted(counts[position].items(), key=lambda item: numbers[item[0]])
            for each in (numbers[after], *results)
        ]  # fmt: skip
    return rows
