"""Units of self-play: the games of a shard. The result of a game is bytes.

Little-endian: the game's number (8 bytes); black, white, kings (4 each); opening, plies (2 each); side, result, reason
(1 each), 1 if leaves follow, else 0; then its moves and its scores (2 each), coded as in shards; then the leaves (16
each) and their scores (2 each).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from kr import _core, storage
from kr.egdb.database import Database
from kr.errors import InvalidSettingError
from kr.evaluation import kinds
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs
from kr.jobs.unit import Chunk, Unit
from kr.learn.games import StoredGame, check_playable
from kr.openings.decks import deck
from kr.players.workers import database_of
from kr.units import counted

MOST_TIMES = 1000
RULES = ("seed", "random_plies", "noise", "draw_plies", "clear_score", "clear_plies", "leaf_nodes", "leaf_margin")
"""Settings of self-play that the core takes as they are."""
UNIT_SETTINGS = (*RULES, "hash", "nodes", "tc", "egdb_ends", "egdb_search", "egdb_memory")
"""Settings of self-play that the tools of a unit have."""
_GAME = struct.Struct("<qIIIHHBbBB")


@dataclass(frozen=True)
class OpeningMix:
    """The start positions of a run."""

    bits: np.ndarray
    """(n, 4) uint32 black, white, kings, side."""
    decks: tuple[tuple[str, int], ...]
    """Name and size of each deck, in order."""


def opening_mix(spec: str) -> OpeningMix:
    """The openings of a `--openings` text: decks joined by +, with equal numbers of games for all openings.

    A deck with *4 after its name counts four times. Raises InvalidSettingError and InvalidFenError.
    """
    parts = []
    for part in spec.split("+"):
        name, times = _deck_and_times(part)
        positions = [o.position for o in deck(name, playable_only=False) if not o.position.is_over]
        parts.append((name, times, positions))
    decks = tuple((name, times * len(positions)) for name, times, positions in parts)
    if not 0 < (count := sum(size for _, size in decks)) <= 1 << 16:
        raise InvalidSettingError(f"{spec!r} has {counted(count, 'opening')}: expected 1 to 65536")
    rows = [(p.black, p.white, p.kings, int(p.side)) for _, times, positions in parts for p in times * positions]
    return OpeningMix(np.array(rows, dtype=np.uint32), decks)


def _deck_and_times(part: str) -> tuple[str, int]:
    name, _, times = part.rpartition("*")
    if not name:
        return part, 1
    if not times.isdecimal() or not 0 < int(times) <= MOST_TIMES:
        raise InvalidSettingError(
            f"{part!r} counts a deck {times!r} times: expected 1 to {MOST_TIMES}, such as 11man*4"
        )
    return name, int(times)


@dataclass
class SelfplayTools:
    """Tools of a worker: search, openings, database, buffers."""

    core: _core.SelfPlayer
    openings: np.ndarray
    database: Database | None
    has_leaves: bool = False

    def __post_init__(self) -> None:
        self.start = np.zeros(4, dtype=np.uint32)
        self.moves = np.zeros(_core.MAX_GAME_PLIES, dtype=np.uint16)
        self.scores = np.zeros(_core.MAX_GAME_PLIES, dtype=np.int16)
        self.leaves = np.zeros((_core.MAX_GAME_PLIES, 4), dtype=np.uint32)
        self.leaf_scores = np.zeros(_core.MAX_GAME_PLIES, dtype=np.int16)


class Shards(Kind[SelfplayTools, StoredGame]):
    """Each game depends on its number, the tools (UNIT_SETTINGS) and the needs alone: weights, openings, egdb."""

    def open(self, unit: Unit, needs: Needs) -> SelfplayTools:
        tools = unit.tools
        database = database_of(unit, needs)
        player = _core.SelfPlayer(
            needs.load("weights", unit.needs["weights"], _loaded_weights),
            **{name: tools[name] for name in RULES},
            hash_bytes=tools["hash"],
            nodes=tools["nodes"] if tools["tc"] is None else 0,
            move_time=tools["tc"] or 0.0,
            database=None if database is None else database.core,
            end_by_database=tools["egdb_ends"],
            search_database=tools["egdb_search"],
        )
        openings = needs.load("openings", unit.needs["openings"], _loaded_openings)
        return SelfplayTools(player, openings, database, has_leaves=tools["leaf_nodes"] > 0)

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[SelfplayTools, StoredGame]:
        yield [Portion(partial(_play, number)) for begin, end in unit.values["games"] for number in range(begin, end)]

    def split(self, unit: Unit, count: int) -> list[Unit]:
        numbers = [number for begin, end in unit.values["games"] for number in range(begin, end)]
        count = min(count, len(numbers))
        bounds = [len(numbers) * i // count for i in range(count + 1)]
        return [
            replace(unit, key=f"{unit.key}.{i}", values={**unit.values, "games": ranges(numbers[first:last])})
            for i, (first, last) in enumerate(pairwise(bounds))
        ]

    def encode(self, value: StoredGame) -> Chunk:
        has_leaves = len(value.leaves) > 0
        black, white, kings, side = value.start
        plies = len(value.moves)
        columns: list[tuple[np.ndarray, str]] = [(value.moves, "<u2"), (value.scores, "<i2")]
        if has_leaves:
            columns += [(value.leaves, "<u4"), (value.leaf_scores, "<i2")]
        head = _GAME.pack(
            value.game, black, white, kings, value.opening, plies, side, value.result, value.reason, has_leaves
        )
        return head + b"".join(array.astype(dtype).tobytes() for array, dtype in columns)

    def decode(self, unit: Unit, chunk: Chunk) -> StoredGame:
        if len(chunk) < _GAME.size:
            raise ValueError("a game that was cut off")
        number, black, white, kings, opening, plies, side, result, reason, has_leaves = _GAME.unpack_from(chunk)
        moves = np.frombuffer(chunk, "<u2", plies, _GAME.size).astype(np.uint16)
        scores = np.frombuffer(chunk, "<i2", plies, _GAME.size + 2 * plies).astype(np.int16)
        game = StoredGame(number, (black, white, kings, side), opening, result, reason, moves, scores)
        if not has_leaves:
            return game
        end = _GAME.size + 4 * plies
        leaves = np.frombuffer(chunk, "<u4", 4 * plies, end).astype(np.uint32).reshape(-1, 4)
        leaf_scores = np.frombuffer(chunk, "<i2", plies, end + 16 * plies).astype(np.int16)
        return replace(game, leaves=leaves, leaf_scores=leaf_scores)

    def check(self, unit: Unit, values: Sequence[StoredGame]) -> None:
        """Games with the right numbers, whose moves are legal."""
        numbers = [number for begin, end in unit.values["games"] for number in range(begin, end)]
        if [game.game for game in values] != numbers:
            raise ValueError(f"{counted(len(values), 'game')} with other numbers than the {len(numbers)} of the unit")
        check_playable(values)


def _loaded_weights(text: str) -> tuple[str, _core.Evaluator]:
    evaluation = kinds.load_scorer(text)
    return evaluation.signature, evaluation.core


def _loaded_openings(spec: str) -> tuple[str, np.ndarray]:
    bits = opening_mix(spec).bits
    return storage.checksum(bits), bits


def _play(number: int, tools: SelfplayTools, stop: Stop) -> StoredGame | None:
    leaves = (tools.leaves, tools.leaf_scores)
    outcome = tools.core.play(tools.openings, number, tools.start, tools.moves, tools.scores, *leaves, stop.flag)
    if outcome is None:
        return None
    if tools.database is not None:
        tools.database.raise_damage()
    plies, result, reason, opening = outcome
    black, white, kings, side = map(int, tools.start)
    # the next game is written into the same arrays
    moves, scores = tools.moves[:plies].copy(), tools.scores[:plies].copy()
    game = StoredGame(number, (black, white, kings, side), opening, result, reason, moves, scores)
    if not tools.has_leaves:
        return game
    return replace(game, leaves=tools.leaves[:plies].copy(), leaf_scores=tools.leaf_scores[:plies].copy())


def ranges(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending numbers as ranges: the first, and the one behind the last."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        begin = spans.pop()[0] if spans and spans[-1][1] == number else number
        spans.append((begin, number + 1))
    return spans
