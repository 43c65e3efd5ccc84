"""Engines and players of units of work: the needs that units state for them, and making them in a worker."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from kr.book.book import OpeningBook, load_book
from kr.egdb.database import Database, load_database
from kr.engine.engine import Engine
from kr.jobs.kinds import Kind, Portion, Stop, UnitSteps
from kr.jobs.needs import Needs, check_need
from kr.jobs.unit import Unit
from kr.players.own import EnginePlayer
from kr.players.player import Player
from kr.players.registry import player_from_spec
from kr.policy.policy import Policy, load_policy
from kr.units import MEBIBYTE

R = TypeVar("R")
S = TypeVar("S", bound="Database | OpeningBook | Policy")


class EngineKind(Kind[Engine, R]):
    """Work for which each worker keeps an engine. tools: hash (bytes), threads, egdb_memory (bytes)."""

    def open(self, unit: Unit, needs: Needs) -> Engine:
        place = needs.place("weights", unit.needs["weights"])
        tools = unit.tools
        engine = Engine(place, tools["hash"] / MEBIBYTE, tools["threads"], database_of(unit, needs))
        check_need("weights", unit.needs["weights"], engine.signature, place)
        return engine


class EngineUnits(EngineKind[R]):
    """Work of which a worker does a unit in one go."""

    @abstractmethod
    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> R | None:
        """The result of a unit; of one that was stopped early it doesn't count."""

    def steps(self, unit: Unit, needs: Needs) -> UnitSteps[Engine, R]:
        yield [Portion(partial(self._whole, unit, needs))]

    def _whole(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> R | None:
        value = self.do(unit, needs, engine, stop)
        return None if stop.is_set() else value


def egdb_needs(database: Database | None) -> tuple[dict[str, str], dict[str, str]]:
    """Needs and places of an endgame database; empty without one."""
    if database is None:
        return {}, {}
    return {"egdb": database.signature}, {database.signature: str(database.directory)}


def database_of(unit: Unit, needs: Needs, name: str = "egdb") -> Database | None:
    """Endgame database that a unit needs by this name, or None."""
    return _loaded("endgame database", unit, needs, name, lambda place: load_database(place, unit.tools["egdb_memory"]))


def policy_of(unit: Unit, needs: Needs) -> Policy | None:
    """Policy that a unit needs, or None."""
    return _loaded("policy", unit, needs, "policy", load_policy)


def book_of(unit: Unit, needs: Needs) -> OpeningBook | None:
    """Opening book that a unit needs, or None."""
    return _loaded("book", unit, needs, "book", load_book)


def _loaded(what: str, unit: Unit, needs: Needs, name: str, load: Callable[[str], S | None]) -> S | None:
    """What a unit needs by this name, loaded once for all workers, or None."""
    if name not in unit.needs:
        return None

    def signed(place: str) -> tuple[str, S]:
        tool = load(place)
        assert tool is not None
        return tool.signature, tool

    return needs.load(what, unit.needs[name], signed)


def players_needs(
    players: Mapping[str, tuple[str, Player]], egdb: str, egdb_memory: int
) -> tuple[dict[str, str], dict[str, str]]:
    """Needs and places of players, given by name as the text of each and a player made from it.

    egdb, egdb_memory: database of the players whose text names none.
    """
    needs = {name: player.signature for name, (_, player) in players.items()}
    places = {player.signature: text for text, player in players.values()}
    if any(isinstance(player, EnginePlayer) and player.engine.database for _, player in players.values()):
        database_needs, place = egdb_needs(load_database(egdb, egdb_memory))
        return needs | database_needs, places | place
    return needs, places


def player_of(unit: Unit, needs: Needs, name: str = "player") -> Player:
    """New player as a unit needs it. tools: hash (bytes), patience (seconds), egdb_memory (bytes), and log (a
    folder), if there is one."""
    signature, tools = unit.needs[name], unit.tools
    place = needs.place("player", signature)
    egdb = needs.place("endgame database", unit.needs["egdb"]) if "egdb" in unit.needs else "none"
    log = Path(tools["log"]) if tools.get("log") else None
    player = player_from_spec(place, tools["hash"] // MEBIBYTE, tools["patience"], egdb, tools["egdb_memory"], log=log)
    try:
        check_need("player", signature, player.signature, place)
    except BaseException:
        player.close()
        raise
    return player
