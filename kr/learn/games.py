"""Self-play games on disk: a run directory of immutable HDF5 shards.

A shard holds some thousand whole games, with a checksum and their provenance. It appears at once or not at all;
`shard-000012.h5` holds the games from 12 * shard_games on. Games of a shard that was interrupted wait in
`shard-000012.part`, of the same format, until the run resumes. The format is described in docs/reference/formats.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _core, _learn, storage
from kr.errors import InvalidGamesError
from kr.file_kinds import file_kind
from kr.game.position import Bits, Move, Position, Side
from kr.game.value import Result, Value
from kr.hdf5 import Hdf5Source, number_in, reading, write_hdf5
from kr.pdn import Comment, format_game, is_pdn
from kr.units import Range

KIND = "kr games"
RUN = Path("selfplay/games")
"""Default run directory of self-play and of a fit."""
FORMAT_VERSION = 1
LEAVES_VERSION = 2
"""Version of shards with leaves."""
MAX_SIDE = 12
"""Pieces of a side."""
NO_SCORE: int = _core.SCORE_NONE
"""The score of a move that was not searched."""
REASONS = (
    "no move", "repetition", "no progress", "proven by search", "clear score", "length", "endgame database",
    "as recorded",
)  # fmt: skip
"""Why a game ended, by its code."""

_DTYPES = {
    "game": np.int64,
    "start": np.uint32,
    "side": np.uint8,
    "first": np.int64,
    "result": np.int8,
    "reason": np.uint8,
    "opening": np.uint16,
    "move": np.uint16,
    "score": np.int16,
}
_LEAVES_DTYPES = {"leaf": np.uint32, "leaf_score": np.int16}
"""Datasets of shards with leaves alone."""
_SHAPES = {"start": (None, 3), "leaf": (None, 4)}


def _no_leaves() -> NDArray[np.uint32]:
    return np.empty((0, 4), dtype=np.uint32)


def _no_scores() -> NDArray[np.int16]:
    return np.empty(0, dtype=np.int16)


@dataclass(frozen=True)
class StoredGame:
    """One game of self-play."""

    game: int
    start: tuple[int, int, int, int]
    """Black, white, kings, side to move."""
    opening: int
    """Index into the openings of the run."""
    result: int
    """Black's view: 1 win, 0 draw, -1 loss."""
    reason: int
    """Index into REASONS."""
    moves: NDArray[np.uint16]
    """Codes: origin | target << 5 | variant << 10, squares 0-31."""
    scores: NDArray[np.int16]
    """Centi-men from the side to move, NO_SCORE where not searched."""
    leaves: NDArray[np.uint32] = field(default_factory=_no_leaves)
    """For each move a leaf of its search as black, white, kings, side to move; (0, 4) for a game without leaves."""
    leaf_scores: NDArray[np.int16] = field(default_factory=_no_scores)
    """Score of a search of the leaf, from its side to move; NO_SCORE without a leaf."""


@dataclass(frozen=True, eq=False)
class GameArrays:
    """Games of self-play as arrays: G games, P plies in all. A ply is a move and the position before it."""

    game: NDArray[np.int64]
    """(G,) the number of each game in its run."""
    start: NDArray[np.uint32]
    """(G, 3) black, white, kings."""
    side: NDArray[np.uint8]
    """(G,) side to move at the start."""
    first: NDArray[np.int64]
    """(G + 1,) where the plies of each game begin: those of game i are first[i] to first[i + 1] - 1."""
    result: NDArray[np.int8]
    """(G,) Black's view: 1, 0, -1."""
    reason: NDArray[np.uint8]
    """(G,) index into REASONS."""
    opening: NDArray[np.uint16]
    """(G,) index into the openings of the run."""
    move: NDArray[np.uint16]
    """(P,) origin | target << 5 | variant << 10, squares 0-31; `decoded_moves` gives them as Move."""
    score: NDArray[np.int16]
    """(P,) centi-men from the side to move, -32768 (NO_SCORE) for a move that was not searched."""
    attrs: Mapping[str, Any]
    """Provenance and settings."""
    seed: int = 0
    """Seed of the run."""
    decks: tuple[tuple[str, int], ...] = ()
    """Name and size of each deck of the run's openings, in order."""
    player: str = ""
    """Identity of the evaluation that played: its checksum, or its name; "" if unknown."""
    leaf: NDArray[np.uint32] = field(default_factory=_no_leaves)
    """(P, 4) a position that the search of each move scored at a leaf, chosen at random: black, white, kings, side to
    move; (0, 4) if the games were played without them."""
    leaf_score: NDArray[np.int16] = field(default_factory=_no_scores)
    """(P,) centi-men from the leaf's side to move by a search of its own, NO_SCORE where there is no leaf; (0,)."""

    def __len__(self) -> int:
        return len(self.game)

    @property
    def game_of_ply(self) -> NDArray[np.int64]:
        """(P,) the row of each ply's game, 0 to G - 1."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    @property
    def mover(self) -> NDArray[np.uint8]:
        """(P,) side to move at each ply: 0 Black, 1 White."""
        game = self.game_of_ply
        return ((self.side[game] + np.arange(len(game)) - self.first[game]) & 1).astype(np.uint8)

    @property
    def mover_result(self) -> NDArray[np.int8]:
        """(P,) result of the game for the side to move at each ply: 1, 0, -1."""
        return np.where(self.mover == 1, -1, 1).astype(np.int8) * self.result[self.game_of_ply]

    def positions(self) -> NDArray[np.uint32]:
        """(P, 4) the position before each move: black, white, kings, side to move, in the order of `Position`.

        Raises InvalidGamesError for a move that is not legal.
        """
        boards = np.empty((len(self.move), 4), dtype=np.uint32)
        bad = _learn.replay_positions(self.start, self.side, self.first, self.move, boards)
        if bad >= 0:
            raise InvalidGamesError(f"game {self.game[bad]} has a move that is not legal")
        return boards


def read_game_arrays(source: Path | str, on_shard: Callable[[], None] | None = None) -> GameArrays:
    """The games of a run directory of self-play, or of one of its shards, as arrays in memory.

    attrs are those of the last shard. on_shard: called for each shard that is read. Raises InvalidGamesError where
    there are no games, or a shard is damaged.
    """
    source = storage.as_path(source)
    shards = []
    for path in [source] if source.is_file() else shard_paths(source):
        shards.append(read_shard(path))
        if on_shard is not None:
            on_shard()
    if not shards:
        raise InvalidGamesError(f"{source}: no shards of games in it")
    leaves = tuple(_LEAVES_DTYPES) if any(len(each.leaf) for each in shards) else ()
    if leaves and any(len(each.leaf) != len(each.move) for each in shards):
        raise InvalidGamesError(f"{source}: some shards have leaves, others don't")
    names = [name for name in _DTYPES if name != "first"]
    columns = {name: np.concatenate([getattr(each, name) for each in shards]) for name in (*names, *leaves)}
    ends = np.cumsum([0, *(len(each.move) for each in shards)])
    starts = [each.first[:-1] + end for each, end in zip(shards, ends[:-1], strict=True)]
    columns["first"] = np.concatenate([*starts, ends[-1:]])
    last = shards[-1]
    return GameArrays(**columns, attrs=last.attrs, seed=last.seed, decks=last.decks, player=last.player)


def shard_arrays(records: Sequence[StoredGame]) -> dict[str, NDArray[Any]]:
    """The datasets of a shard with these games."""
    starts = np.array([record.start for record in records], dtype=np.uint32).reshape(-1, 4)
    lengths = [len(record.moves) for record in records]
    columns = {
        "game": [record.game for record in records],
        "start": starts[:, :3],
        "side": starts[:, 3],
        "first": np.concatenate([[0], np.cumsum(lengths)]),
        "result": [record.result for record in records],
        "reason": [record.reason for record in records],
        "opening": [record.opening for record in records],
        "move": np.concatenate([np.empty(0, np.uint16), *(record.moves for record in records)]),
        "score": np.concatenate([np.empty(0, np.int16), *(record.scores for record in records)]),
    }
    if any(len(record.leaves) for record in records):
        columns["leaf"] = np.concatenate([record.leaves for record in records])
        columns["leaf_score"] = np.concatenate([record.leaf_scores for record in records])
    types = _DTYPES | _LEAVES_DTYPES
    return {name: np.ascontiguousarray(column, dtype=types[name]) for name, column in columns.items()}


def check_playable(records: Sequence[StoredGame]) -> None:
    """Raise ValueError unless these can be games: positions to start from, legal moves, numbers in range."""
    datasets = shard_arrays(records)
    if not _belong_together(datasets):
        raise ValueError("games that do not fit together, or with numbers out of range")
    each = datasets
    counts = np.zeros((25, 2, 3), dtype=np.int64)
    bad = _learn.count_pieces(each["start"], each["side"], each["first"], each["result"], each["move"], counts)
    if bad >= 0:
        raise ValueError(f"game {records[bad].game} has a move that is not legal")


def write_shard(path: Path, records: Sequence[StoredGame], attrs: Mapping[str, Any]) -> None:
    """Write a shard at once or not at all."""
    datasets = shard_arrays(records)
    packing = {
        name: {"compression": "gzip", "compression_opts": 6, "shuffle": True, "chunks": column.shape}
        for name, column in datasets.items()
        if len(column)
    }
    version = LEAVES_VERSION if "leaf" in datasets else FORMAT_VERSION
    header = {"kind": KIND, "format_version": version, "checksum": _checksum(datasets)}
    write_hdf5(path, datasets, {**attrs, **header}, packing)


def read_shard(path: Path | str) -> GameArrays:
    """Read and check a shard. Raises InvalidGamesError, naming the file, if it is not one."""
    with reading(path, InvalidGamesError, "shard of games") as file:
        attrs = file.attributes
        if attrs.get("kind") != KIND:
            raise InvalidGamesError(f"{path}: not a file of self-play games")
        if wrong := storage.check_version(attrs.get("format_version"), (FORMAT_VERSION, LEAVES_VERSION)):
            raise InvalidGamesError(f"{path}: {wrong}")
        types = _DTYPES | (_LEAVES_DTYPES if attrs["format_version"] == LEAVES_VERSION else {})
        datasets: dict[str, NDArray[Any]] = {
            name: file.array(name, np.dtype(dtype).name, _SHAPES.get(name, (None,))) for name, dtype in types.items()
        }
    if not _belong_together(datasets):
        raise file.refusal("its tables do not fit together, or hold numbers out of range")
    if attrs.get("checksum") != _checksum(datasets):
        raise file.refusal("its tables do not match their checksum")
    try:
        return GameArrays(**datasets, attrs=attrs, **_checked_attributes(file))  # type: ignore[arg-type]
    except (ValueError, TypeError) as error:
        raise file.refusal(f"its attributes make no sense: {error}"[:300]) from error


def _checked_attributes(file: Hdf5Source) -> dict[str, Any]:
    """Seed, decks and player of a shard; raises ValueError or TypeError for values that make no sense."""
    attrs = file.attributes
    text = attrs.get("seed", 0)
    # a text, as all of a file's provenance
    whole = isinstance(text, str) and text.isdecimal() and len(text) < 20
    seed = number_in("seed", int(text) if whole else text, Range(0, 2**63 - 1), whole=True)
    decks = tuple((name, size) for name, size in storage.parse_json(str(attrs.get("decks", "[]"))))
    if not all(isinstance(name, str) and type(size) is int and 0 <= size <= 1 << 16 for name, size in decks):
        raise ValueError("decks are not pairs of name and size")
    parents = storage.parse_json(str(attrs.get("parents", "[]")))
    if not isinstance(parents, list) or not all(isinstance(each, str) for each in parents):
        raise ValueError("parents are not texts")
    file.number("games_per_second", Range(0), 0.0)
    if not isinstance(storage.parse_json(str(attrs.get("settings", "{}"))), dict):
        raise ValueError("settings are not a JSON object")
    return {"seed": seed, "decks": decks, "player": parents[0] if parents else ""}


def stored_games(shard: GameArrays) -> Iterator[StoredGame]:
    """The games of a shard, one by one."""
    for i in range(len(shard)):
        plies = slice(shard.first[i], shard.first[i + 1])
        black, white, kings = map(int, shard.start[i])
        yield StoredGame(
            game=int(shard.game[i]),
            start=(black, white, kings, int(shard.side[i])),
            opening=int(shard.opening[i]),
            result=int(shard.result[i]),
            reason=int(shard.reason[i]),
            moves=shard.move[plies],
            scores=shard.score[plies],
            leaves=shard.leaf[plies],
            leaf_scores=shard.leaf_score[plies],
        )


def shard_paths(directory: Path | str) -> list[Path]:
    """Complete shards of a run directory, in order. Raises InvalidGamesError if there is no such directory."""
    directory = storage.as_path(directory)
    if not directory.is_dir():
        if directory.exists():
            raise InvalidGamesError(
                f"{directory} is {file_kind(directory)}; expected the directory of a run of `kr selfplay`"
                + f"; `kr games import {directory} --out DIR` makes such a directory of it" * is_pdn(directory)
            )
        hint = "; `kr selfplay` makes it" if directory == RUN else ""
        raise InvalidGamesError(storage.no_directory(directory) + hint)
    return sorted(directory.glob("shard-*.h5"))


def game_files(directory: Path | str) -> list[Path]:
    """Files with the games of a run directory, each once: complete shards, and the parts of interrupted ones.

    In order. Parts of shards are left out while self-play writes there, which completes and removes them. Raises
    InvalidGamesError if there is no game.
    """
    files = {path.stem: path for path in shard_paths(directory)}
    for part in [] if storage.is_held(directory) else Path(directory).glob("shard-*.part"):
        shard = files.get(part.stem)
        # a longer run adds to the last shard of a shorter one
        if shard is None or len(read_shard(part)) > len(read_shard(shard)):
            files[part.stem] = part
    if not files:
        raise InvalidGamesError(f"{directory}: no shards of games in it")
    return [files[name] for name in sorted(files)]


def games_wanted(directory: Path | str) -> int | None:
    """Number of games that the latest self-play in a run directory was to play; None if unknown.

    Raises InvalidGamesError.
    """
    settings = storage.parse_json(str(read_shard(game_files(directory)[-1]).attrs.get("settings", "{}")))
    number = settings.get("games") if isinstance(settings, dict) else None
    return number if type(number) is int else None


def line_codes(board: Bits, moves: Sequence[Move]) -> NDArray[np.uint16]:
    """Codes of legal moves from a board on, as shards have them."""
    codes = np.empty(len(moves), dtype=np.uint16)
    for ply, move in enumerate(moves):
        variant = 0
        if move.captured:
            ends = (move.origin, move.target)
            alike = [taken for path, taken in _core.legal_moves(*board) if (path[0], path[-1]) == ends]
            variant = list(dict.fromkeys(alike)).index(move.captured)
        codes[ply] = move.origin | move.target << 5 | variant << 10
        board = _core.play(*board, move.origin, move.target, move.captured)
    return codes


def decoded_moves(record: StoredGame) -> list[Move]:
    """Moves of a game. Raises InvalidGamesError for the code of an illegal move."""
    position = Position(record.start[0], record.start[1], record.start[2], Side(record.start[3]))
    moves = []
    for ply, code in enumerate(map(int, record.moves)):
        origin, target, variant = code & 31, code >> 5 & 31, code >> 10
        alike = {m.captured: m for m in position.legal_moves() if (m.origin, m.target) == (origin, target)}
        if variant >= len(alike):
            raise InvalidGamesError(f"game {record.game}, ply {ply}: {origin + 1}-{target + 1} is not legal there")
        moves.append(list(alike.values())[variant])
        position = position.play(moves[-1])
    return moves


def run_directories(directories: Iterable[Path]) -> tuple[Path, ...]:
    """Run directories, with those that hold no games replaced by the run directories in and below them, in order.

    A directory without games stays, and is an error where it is read.
    """
    paths: list[Path] = []
    for directory in directories:
        runs = [directory]
        if directory.is_dir() and not _holds_games(directory):
            below = (Path(place) for place, inner, _ in os.walk(directory) if not inner.sort())
            runs = [place for place in below if _holds_games(place)] or runs
        paths += [run for run in runs if run not in paths]
    return tuple(paths)


def _holds_games(directory: Path) -> bool:
    return any(directory.glob("shard-*"))


def game_pdn(record: StoredGame, attrs: Mapping[str, Any]) -> str:
    """A game as PDN, with the score of each searched move as a comment."""
    start = Position(record.start[0], record.start[1], record.start[2], Side(record.start[3]))
    recorded = "recorded" in attrs
    name = "?" if recorded else str(json.loads(attrs.get("settings", "{}")).get("weights") or "shipped")
    tags = {
        "Event": "recorded game" if recorded else "kr self-play",
        "Site": f"seed {attrs.get('seed', '?')}",
        "Date": str(attrs.get("created", "????-??-??"))[:10].replace("-", "."),
        "Round": str(record.game + 1),
        "Black": name,
        "White": name,
        "Termination": REASONS[record.reason],
    }
    notes = [Comment(ply, f"{s / 100:+.2f}") for ply, s in enumerate(map(int, record.scores), 1) if s != NO_SCORE]
    result = Result.of(Value.from_sign(record.result).winner(Side.BLACK))
    return format_game(tags, start, decoded_moves(record), result, notes)


def _belong_together(datasets: Mapping[str, NDArray[Any]]) -> bool:
    """True if the tables have the same games and plies, and are safe for the core."""
    games, plies, first = len(datasets["game"]), len(datasets["move"]), datasets["first"]
    if any(len(datasets[name]) != games for name in ("start", "side", "result", "reason", "opening")):
        return False
    if len(first) != games + 1 or len(datasets["score"]) != plies or first[0] != 0 or first[-1] != plies:
        return False
    if "leaf" in datasets and not (len(datasets["leaf"]) == len(datasets["leaf_score"]) == plies):
        return False
    # the differences of hostile offsets may wrap
    in_order = bool((first[:-1] <= first[1:]).all()) and bool((np.diff(first) <= _core.MAX_GAME_PLIES).all())
    in_range = {"game": (0, 2**63 - 1), "side": (0, 1), "result": (-1, 1), "reason": (0, len(REASONS) - 1)}
    columns = ((datasets[name], low, high) for name, (low, high) in in_range.items())
    within = all(bool(((column >= low) & (column <= high)).all()) for column, low, high in columns)
    leaves = datasets.get("leaf", _no_leaves())
    stand = _can_stand(datasets["start"]) and _can_stand(leaves[:, :3]) and bool((leaves[:, 3] <= 1).all())
    return in_order and within and stand


def _can_stand(start: NDArray[np.uint32]) -> bool:
    """True if all are positions: one piece per square, kings on pieces only, no men on their king row."""
    black, white, kings = start.T
    pieces = np.bitwise_count(start[:, :2])
    men_home = black & ~kings & 0xF000_0000 | white & ~kings & 0xF
    return not bool((black & white | kings & ~(black | white) | men_home).any()) and bool((pieces <= MAX_SIDE).all())


def _checksum(datasets: Mapping[str, NDArray[Any]]) -> str:
    return storage.checksum(*(datasets[name] for name in (*_DTYPES, *_LEAVES_DTYPES) if name in datasets))
