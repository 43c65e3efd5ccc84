"""Check of tables against games that had no part in their fit: the loss on the quiet positions of tournament games.

The positions are those that a fit would take from the games: nothing to capture for either side, and a choice of moves.
Each predicts the game's result, from the score the tables give it; the loss is the cross entropy, a draw counting half
of each. What a centi-man is worth depends on who plays, so the logits are scaled to fit these games best, by one factor
for the positions without and one for those with kings. No part of the tables is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kr import _learn, extras
from kr.errors import InvalidGamesError, InvalidPdnError
from kr.evaluation.kinds import Evaluation, load_file
from kr.evaluation.patterns import GROUPS
from kr.game.position import Side
from kr.game.value import Value
from kr.learn.fitting.dataset import Merger, Samples, logistic_slope
from kr.learn.fitting.sums import losses
from kr.learn.games import NO_SCORE, game_files, line_codes, read_shard
from kr.pdn import Game, Reader
from kr.units import counted

GAMES_AT_ONCE = 1000
"""Games turned into positions at once."""


@dataclass(frozen=True)
class GroupLoss:
    """Loss on the positions without (men) or with kings."""

    group: str
    positions: int
    distinct: int
    loss: float | None
    """Mean cross entropy of the results; None without positions."""
    baseline: float | None
    """The loss of one prediction for all positions, the best there is."""
    centimen_per_logit: float | None
    """The scale that fits these games best; None if the scores do not predict the results."""


@dataclass(frozen=True)
class FitCheck:
    """The loss of tables on other games."""

    weights: str
    checksum: str
    games: int
    """Games with a result."""
    left_out: int
    """Games without a result, or unreadable."""
    groups: tuple[GroupLoss, ...]


def check_tables(
    tables: Path | str | None, games: Path, on_bytes: Callable[[int], None] | None = None, every: int = 1
) -> FitCheck:
    """Measure the loss of a weights file (None: the shipped tables) on other games.

    games: a PDN file, or a run directory. every: take every n-th game only. on_bytes: called with the number of bytes
    read since the last call. Raises InvalidWeightsError, InvalidGamesError if no game has a result,
    InvalidSettingError without SciPy, OSError.
    """
    extras.check_packages("checking tables needs", "scipy")
    evaluation = load_file(tables)
    mergers = {kings: Merger() for kings in GROUPS}
    scored = left_out = 0
    for count, others, boards, result in (_of_run if games.is_dir() else _of_pdn)(games, on_bytes, every):
        scored += count
        left_out += others
        crowned = (boards[:, 2] | boards[:, 3]) != 0
        for kings, merger in mergers.items():
            rows = np.flatnonzero(crowned == kings)
            merger.add(boards[rows], result[rows], result[rows])
    if not scored:
        raise InvalidGamesError(f"{games}: no game in it has a result; expected finished games")
    groups = tuple(_group(evaluation, kings, merger.samples()) for kings, merger in mergers.items())
    return FitCheck(str(evaluation.path), evaluation.signature, scored, left_out, groups)


_Batch = tuple[int, int, NDArray[np.uint32], NDArray[np.float32]]
"""Games that count, games left out, quiet positions and the results of their games."""


def _of_pdn(path: Path, on_bytes: Callable[[int], None] | None, every: int) -> Iterator[_Batch]:
    errors: list[InvalidPdnError] = []
    with Reader(path, on_error=errors.append) as reader:
        sample = islice(_with_progress(reader, on_bytes), 0, None, every)
        while batch := list(islice(sample, GAMES_AT_ONCE)):
            scored = [game for game in batch if game.result.is_scored]
            yield len(scored), len(batch) - len(scored) + len(errors), *quiet_positions(scored)
            errors.clear()


def _of_run(directory: Path, on_bytes: Callable[[int], None] | None, every: int) -> Iterator[_Batch]:
    for path in game_files(directory):
        shard = read_shard(path)
        unscored = np.full_like(shard.score, NO_SCORE)
        try:
            boards, outcome, _, _, row = _learn.quiet_positions(
                shard.start, shard.side, shard.first, shard.result, shard.move, unscored
            )
        except ValueError as error:
            raise InvalidGamesError(f"{path}: {error}") from error
        taken = shard.game % every == 0
        rows = taken[row]
        yield int(taken.sum()), 0, boards[rows], ((outcome[rows] + 1) / 2).astype(np.float32)
        if on_bytes:
            on_bytes(path.stat().st_size)


def quiet_positions(games: list[Game]) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """The quiet positions with a choice of moves: boards (n, 4) in the mover's frame, game results (n,) from 0 to 1."""
    stretches = [(game, *stretch) for game in games for stretch in game.stretches()]
    start = np.array([board[:3] for _, board, _ in stretches], dtype=np.uint32).reshape(-1, 3)
    side = np.array([board[3] for _, board, _ in stretches], dtype=np.uint8)
    result = np.array([Value.of(game.winner, Side.BLACK).sign for game, _, _ in stretches], dtype=np.int8)
    codes = [line_codes(board, moves) for _, board, moves in stretches]
    first = np.cumsum([0, *map(len, codes)])
    moves = np.concatenate([np.empty(0, np.uint16), *codes])
    unscored = np.full(len(moves), NO_SCORE, dtype=np.int16)
    boards, outcome, *_ = _learn.quiet_positions(start, side, first, result, moves, unscored)
    return boards, ((outcome + 1) / 2).astype(np.float32)


def check_text(check: FitCheck) -> str:
    """The check for a terminal."""
    lines = [
        f"{counted(check.games, 'game')} with a result, {check.left_out:,} left out",
        f"{'group':7}{'positions':>12}{'distinct':>12}{'loss':>9}{'baseline':>10}{'centi-men in a logit':>22}",
    ]
    for row in check.groups:
        numbers = f"{_number(row.loss, 9, 4)}{_number(row.baseline, 10, 4)}{_number(row.centimen_per_logit, 22, 1)}"
        lines.append(f"{row.group:7}{row.positions:12,}{row.distinct:12,}{numbers}")
    return "\n".join([*lines, f"weights: {check.weights} ({check.checksum})"])


def _with_progress(reader: Reader, on_bytes: Callable[[int], None] | None) -> Iterator[Game]:
    seen = 0
    for game in reader:
        if on_bytes and (position := reader.position) > seen:
            on_bytes(position - seen)
            seen = position
        yield game


def _group(evaluation: Evaluation, kings: bool, samples: Samples) -> GroupLoss:
    name, positions = GROUPS[kings], samples.positions
    if not positions:
        return GroupLoss(name, 0, 0, None, None, None)
    count = samples.count.astype(float)
    parts = np.array_split(samples.boards, len(samples) // 100_000 + 1)
    scores = np.concatenate([evaluation.scores(part) for part in parts])
    slope = logistic_slope(scores, count, count * samples.result)
    loss = losses(scores * (slope or 0.0), samples.result, "ce")
    mean = float(count @ samples.result) / positions
    flat = losses(np.full(1, np.log(mean / (1 - mean)) if 0 < mean < 1 else 0.0), np.array([mean]), "ce")[0]
    return GroupLoss(
        name, positions, len(samples), float(count @ loss) / positions, float(flat), 1 / slope if slope else None
    )


def _number(value: float | None, width: int, digits: int) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:{width}.{digits}f}"
