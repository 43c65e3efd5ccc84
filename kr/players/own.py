"""kr's own engine as a player, with any weights, at any level."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kr.book.book import OpeningBook, load_book
from kr.egdb.database import Database, load_database
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.options import SEARCH_OPTIONS, format_search_options, parse_search_options
from kr.engine.result import SCORE_PROVED, Info, SearchResult
from kr.engine.search import Stop
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import SHIPPED, built_in
from kr.game.board import PositionLike, with_history
from kr.game.position import Move, Position
from kr.players.levels import FULL, Level, level_numbered, search_at
from kr.players.player import Player, PlayerKind, PlayerSpec, Reply, Resources
from kr.policy.policy import load_policy
from kr.policy.practical import PracticalChances
from kr.units import MEBIBYTE, format_size, parse_count, parse_size

if TYPE_CHECKING:
    from kr.policy.policy import Policy

SETTINGS = ("egdb", "hash", "threads", "level", "people", "seed", "book", "against")
"""Settings of a player's text, in addition to search options. people: the policy by which its level chooses among what
people play, or none; seed: of the errors of its level, and of its choice among book moves, the best of them without;
against: people, to play a known draw for their mistakes (kr.policy.practical)."""
NOBODY = "none"
"""Instead of a policy: errors by chance alone."""
PEOPLE = "people"
"""Opponents for whose mistakes it can play."""


class EnginePlayer(Player):
    """kr's engine. Raises InvalidWeightsError.

    weights: as for Engine; policy: that of a level that chooses among what people play; seed: of the errors of
    its level, and of its choice among book moves, without which it plays the book's best; against: that of the people
    for whose mistakes it plays where the database knows a draw.
    """

    version = ""

    def __init__(
        self,
        weights: str | None,
        hash_mb: float,
        database: Database | None = None,
        options: Mapping[str, int] | None = None,
        threads: int = 1,
        level: Level = FULL,
        seed: int | None = None,
        policy: Policy | None = None,
        book: OpeningBook | None = None,
        against: Policy | None = None,
    ) -> None:
        database, self._book = (database, book) if level.database else (None, None)
        self._level, self._policy = level, policy if level.likeness else None
        self._seed, self._book_seed = 1 if seed is None else seed, seed
        self.engine = Engine(weights, hash_mb=hash_mb, threads=threads, database=database, options=options)
        self._practical = PracticalChances.usual(against, database) if against and database else None
        self.name = self.engine.name
        self.source = weights or SHIPPED
        self.signature = self.engine.signature
        if database is not None:
            self.signature += f" egdb {database.signature}"
        if options:
            self.signature += f" {format_search_options(options)}"
        if threads > 1:
            self.signature += f" threads {threads}"
        if not level.full:
            self.signature += f" {level} seed {self._seed}"
        if self._policy:
            self.signature += f" people {self._policy.signature}"
        if self._book:
            self.signature += f" book {self._book.signature}" + f" varied {seed}" * (seed is not None)
        if self._practical:
            self.signature += f" against {self._practical.policy.signature}"

    def new_game(self) -> None:
        self.engine.new_game()

    def search(
        self, position: PositionLike, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        position, history = with_history(position, history)
        began, had = time.perf_counter(), time.thread_time()

        def reply_of(move: Move, line: SearchResult | Info) -> Reply:
            seconds = time.perf_counter() - began
            # this thread searches, and with it helpers, of which nothing is known
            used = time.thread_time() - had if self.engine.threads == 1 else None
            proved = self._level.full and abs(line.score) > SCORE_PROVED
            return Reply(move, line.score, line.depth, line.nodes, seconds, processor=used, proved=proved)

        if self._book and (reply := book_reply(self._book, position, history, self._book_seed)):
            return reply
        if self._practical and (best := self._practical.best(position, history)):
            return Reply(best.move, 0, 0, 0, time.perf_counter() - began)
        if self._level.full:
            result = self.engine.search(position, limits, history=history, stop=stop)
            return reply_of(result.move, result)
        line = search_at(self._level, self.engine, position, limits, history, self._seed, stop, self._policy)
        return reply_of(line.pv[0], line)

    def close(self) -> None:
        self.engine.stop()


def book_reply(book: OpeningBook, position: Position, history: Sequence[Position], seed: int | None) -> Reply | None:
    """Reply from a book; None without one. It is the best move, or with a seed one of those about as good, which
    depends only on the seed, the position and the length of the history. Raises InvalidBookError."""
    began = time.perf_counter()
    chance = None if seed is None else random.Random(f"{seed} {position.key} {len(history)}")
    choice = book.choice(position, chance, history)
    if choice is None:
        return None
    assert choice.value is not None
    return Reply(choice.move, choice.value, choice.depth, 0, time.perf_counter() - began, choice.weight)


def _make(spec: PlayerSpec, resources: Resources) -> EnginePlayer:
    own = {name: text for name, text in spec.settings.items() if name in SETTINGS}
    others = {name: text for name, text in spec.settings.items() if name not in own}
    try:
        options = parse_search_options(",".join(f"{name}={text}" for name, text in others.items()))
        own_hash = parse_size(own["hash"]) if "hash" in own else None
        threads = parse_count(own.get("threads", 1))
        by_chance = own.get("people") == NOBODY
        level = level_numbered(parse_count(own["level"]), by_chance) if "level" in own else FULL
        if "people" in own and level.full:
            raise InvalidSettingError("people: only a level below the highest asks what people play; leave it out")
        if "book" in own and not level.database:
            raise InvalidSettingError(f"book: level {level.number} plays without one; leave it out")
        if "against" in own and own["against"] != PEOPLE:
            raise InvalidSettingError(f"against: {own['against']!r:.40}; expected {PEOPLE}, or leave it out")
        if "against" in own and not level.database:
            raise InvalidSettingError(f"against: level {level.number} plays without an endgame database; leave it out")
        seed = parse_count(own["seed"]) if "seed" in own else None
    except InvalidSettingError as error:
        raise InvalidSettingError(f"player {spec.spec!r}: {error}") from None
    policy = load_policy(own.get("people", SHIPPED)) if level.likeness else None
    player = EnginePlayer(
        spec.text,
        resources.hash_mb if own_hash is None else own_hash / MEBIBYTE,
        load_database(own.get("egdb", resources.egdb), resources.egdb_memory),
        options,
        threads,
        level,
        seed,
        policy,
        load_book(own.get("book", resources.book)),
        load_policy() if "against" in own else None,
    )
    if own_hash is not None:
        player.signature += f" hash {format_size(own_hash)}"
    for name in ("egdb", "people", "book"):
        if name in own:
            own[name] = Path(own[name]).name
    player.name = ",".join([player.name, *(f"{name}={text}" for name, text in (own | options).items())])
    player.source = spec.spec
    return player


def _is_weights(name: str) -> bool:
    try:
        return name in (SHIPPED, *built_in()) or Path(name).is_file()
    except (OSError, ValueError):  # not a possible file name
        return False


KIND = PlayerKind(
    prefix="",
    texts=(SHIPPED, *built_in(), "a weights file"),
    make=_make,
    settings=(*SETTINGS, *SEARCH_OPTIONS),
    is_name=_is_weights,
    repeatable=True,
)
