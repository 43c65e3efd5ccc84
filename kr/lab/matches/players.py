"""Who plays a match: kr's own engine with some tables, or another program's engine behind Hub 2."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kr.engine import (
    SEARCH_OPTIONS,
    Engine,
    Limits,
    format_search_options,
    load_database,
    parse_search_options,
)
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import SHIPPED, built_in
from kr.lab.levels import FULL, Level, level_numbered, search_at
from kr.position import Move, Position
from kr.protocols.hub_client import HubClient
from kr.units import format_size, parse_count, parse_size

if TYPE_CHECKING:
    from kr.egdb.database import Database

HUB_PREFIX = "hub:"
OWN_PARTS = ("egdb", "hash", "threads", "level", "seed")
"""What a player's name may set besides search options: a database, a hash table, threads of its own; the level at which
it plays, and the seed of the errors that it makes there."""


class Reply(NamedTuple):
    """A player's move and how it was found."""

    move: Move
    score: int
    """Centi-men, the mover's view."""
    depth: int
    nodes: int
    time: float
    """Seconds from the question to the answer."""

    def note(self) -> str:
        """Score in men, depth and seconds, as PDN files have them as comments: "+0.12/15 0.300s"."""
        return f"{self.score / 100:+.2f}/{self.depth} {self.time:.3f}s"


class Player(Protocol):
    """Someone to play games one after another; not to be shared by threads, but for `stop`."""

    name: str
    """What to call it in tables and PDN."""
    signature: str
    """What it plays by: equal for players that play the same."""

    def new_game(self) -> None:
        """Forget the game before. Raises ProtocolError where the engine is gone and can't be started again."""

    def search(self, position: Position, limits: Limits, history: Sequence[Position]) -> Reply:
        """Choose a move; `history` holds the positions before, oldest first.

        Raises ProtocolError on failure, InvalidDatabaseError where the player's endgame database is damaged.
        """

    def stop(self) -> None:
        """End the search under way, from any thread; what it then returns is of no use."""

    def close(self) -> None:
        """Free what the player holds."""


class EnginePlayer:
    """kr's engine; `weights` as for Engine; `seed`: of the errors of its level. Raises InvalidWeightsError."""

    def __init__(
        self,
        weights: str | None,
        hash_mb: float,
        database: Database | None = None,
        options: Mapping[str, int] | None = None,
        threads: int = 1,
        level: Level = FULL,
        seed: int = 1,
    ) -> None:
        database = database if level.database else None
        self._level, self._seed = level, seed
        self.engine = Engine(weights, hash_mb=hash_mb, threads=threads, database=database, options=options)
        self.name = self.engine.name
        self.signature = self.engine.signature
        if database is not None:
            self.signature += f" egdb {database.signature}"
        if options:
            self.signature += f" {format_search_options(options)}"
        if threads > 1:
            self.signature += f" threads {threads}"
        if not level.full:
            self.signature += f" {level} seed {seed}"

    def new_game(self) -> None:
        self.engine.new_game()

    def search(self, position: Position, limits: Limits, history: Sequence[Position]) -> Reply:
        began = time.perf_counter()
        if self._level.full:
            result = self.engine.search(position, limits, history=history)
            return Reply(result.move, result.score, result.depth, result.nodes, time.perf_counter() - began)
        line = search_at(self._level, self.engine, position, limits, history, self._seed)
        return Reply(line.pv[0], line.score, line.depth, line.nodes, time.perf_counter() - began)

    def stop(self) -> None:
        self.engine.stop()

    def close(self) -> None:
        """There is nothing to free but memory."""


class HubPlayer:
    """Another engine, started by a command line. Raises ProtocolError where it can't be started.

    patience: seconds that a search without a time limit may take before the engine counts as hanging.
    """

    def __init__(self, command: str, hash_mb: int, patience: float) -> None:
        self._client = HubClient(command, hash_mb=hash_mb, patience=patience)
        self.name = self._client.name
        self.version = self._client.version
        self.signature = f"{HUB_PREFIX}{command} {self.version}".strip()

    def new_game(self) -> None:
        self._client.new_game()

    def search(self, position: Position, limits: Limits, history: Sequence[Position]) -> Reply:
        result = self._client.search(position, limits, history)
        return Reply(result.move, result.score, result.depth, result.nodes, result.time)

    def stop(self) -> None:
        self._client.close()

    def close(self) -> None:
        self._client.close()


def player_from_spec(
    spec: str, hash_mb: int = 64, patience: float = 600.0, egdb: str = "none", egdb_memory: int = 0
) -> Player:
    """The player that a text names: shipped, manual, material, the path of a weights file, or hub:COMMAND.

    A player of kr's own uses the endgame database of the setting `egdb`; after its name it may have settings of its
    own, each after a comma: egdb=DIR, hash=16MB, threads=2, level=3 (kr.lab.levels) and the seed=7 of its errors, or a
    search option such as etc_depth=99. Raises InvalidSettingError, InvalidWeightsError, InvalidDatabaseError,
    ProtocolError.
    """
    if spec.startswith(HUB_PREFIX):
        return HubPlayer(spec.removeprefix(HUB_PREFIX), hash_mb, patience)
    weights, own, options = _parts(spec)
    if not weights.strip():
        expected = "shipped, manual, material, a weights file or hub:COMMAND"
        raise InvalidSettingError(f"a player has no name; expected {expected}")
    try:
        own_hash = parse_size(own["hash"]) if "hash" in own else None
        threads = parse_count(own.get("threads", 1))
        level = level_numbered(parse_count(own["level"])) if "level" in own else FULL
        seed = parse_count(own.get("seed", 1))
    except InvalidSettingError as error:
        raise InvalidSettingError(f"player {spec!r}: {error}") from None
    player = EnginePlayer(
        weights,
        hash_mb if own_hash is None else own_hash / (1 << 20),
        load_database(own.get("egdb", egdb), egdb_memory),
        options,
        threads,
        level,
        seed,
    )
    if own_hash is not None:
        player.signature += f" hash {format_size(own_hash)}"
    if "egdb" in own:
        own["egdb"] = Path(own["egdb"]).name
    player.name = ",".join([player.name, *(f"{name}={text}" for name, text in (own | options).items())])
    return player


def names_apart(
    names: tuple[str, str],
    players: tuple[Player | None, Player | None],
    specs: tuple[str, str],
    *others: tuple[str, str],
) -> tuple[str, str]:
    """What to call two players: their names, and where these are equal, also what tells the players apart.

    That is their version, else their specs (the command, the path), else the first of the other pairs that differs.
    """
    first, second = names
    if first != second:
        return first, second
    versions = [player.version if isinstance(player, HubPlayer) else "" for player in players]
    told = [tuple(versions), _parting(*(spec.removeprefix(HUB_PREFIX).split() for spec in specs)), *others]
    one, other = next((pair for pair in told if pair[0] != pair[1]), ("", ""))
    return f"{first} ({one})" if one else first, f"{second} ({other})" if other else second


def _parting(one: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """Two commands without the words with which both begin, and those with which both end."""
    begin = _alike(one, other)
    end = _alike(one[begin:][::-1], other[begin:][::-1])
    return " ".join(one[begin : len(one) - end]), " ".join(other[begin : len(other) - end])


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal words both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _parts(spec: str) -> tuple[str, dict[str, str], dict[str, int]]:
    """Weights, own settings and search options of a player's name; commas may be part of a path."""
    own: dict[str, str] = {}
    options: dict[str, int] = {}
    weights = spec
    while "," in weights:
        rest, _, part = weights.rpartition(",")
        name, equals, text = (word.strip() for word in part.partition("="))
        if name in own or name in options:
            raise InvalidSettingError(f"player {spec!r}: sets {name} twice")
        if equals and name in OWN_PARTS:
            own = {name: text} | own
        elif equals and name in SEARCH_OPTIONS:
            try:
                options = parse_search_options(part) | options
            except InvalidSettingError as error:
                raise InvalidSettingError(f"player {spec!r}: {error}") from None
        elif _is_weights(weights) or not (re.fullmatch(r"[\w-]+", name) if equals else _is_weights(rest)):
            break
        else:
            raise InvalidSettingError(f"player {spec!r}: {_no_part(name, equals)}")
        weights = rest
    return weights, own, options


def _is_weights(name: str) -> bool:
    try:
        return name in (SHIPPED, *built_in()) or Path(name).is_file()
    except (OSError, ValueError):  # no name of a file
        return False


def _no_part(name: str, equals: str) -> str:
    """What is wrong with a part of a player's name that is no setting."""
    known = [*OWN_PARTS, *SEARCH_OPTIONS]
    if name in known and not equals:
        return f"{name} needs a value, such as {name}=4"
    near = difflib.get_close_matches(name, known, n=3)
    there = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
    return f"no setting {name!r}; {there}"
