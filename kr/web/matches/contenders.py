"""Players of a match in the browser, by keys that a page may send. No text from a page names a file or a command.

level:1 to level:10         levels of kr, with the server's evaluation
people                      the shipped policy, which plays what people play
evolved:GENERATION          a champion that comes with kr
weights:NAME                full strength with another evaluation: shipped, if the server has one of its own, or one
                            that needs no file
mcts:PLAYOUTS, random       players that know the rules alone
engine:NUMBER               an engine of the command line (--engines)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import wait
from typing import Any

from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError, ProtocolError
from kr.evaluation.kinds import SHIPPED, built_in
from kr.game.position import Position
from kr.language.sentences import sentence
from kr.players.levels import LEVELS, level_numbered
from kr.players.own import EnginePlayer
from kr.players.player import Player, Reply
from kr.players.policy import PolicyPlayer
from kr.players.registry import player_from_spec
from kr.protocols.hub_client import HubClient
from kr.units import MEBIBYTE
from kr.web.house import House
from kr.web.services.engines import SMALL_HASH, Lender, Loan, champion_spec, shipped_generations

MATCH_HASH_MB = 16
"""Hash table of a player at full strength."""
PLAYOUTS = (100, 1000)
_POLL = 0.1
"""Seconds between looks at the stop of a search that waits for its turn."""
_KEY = re.compile(r"(level|evolved|mcts|engine):(\d{1,6})|weights:(\w{1,40})|people|random")


def contenders(house: House) -> list[dict[str, Any]]:
    """All players: the key of each with its kind and number or name."""
    players: list[dict[str, Any]] = [{"kind": "level", "number": level.number} for level in LEVELS]
    players.append({"kind": "people"})
    players += ({"kind": "evolved", "number": generation} for generation in shipped_generations())
    players += ({"kind": "weights", "name": name} for name in _evaluations(house))
    players += ({"kind": "mcts", "number": number} for number in PLAYOUTS)
    players.append({"kind": "random"})
    players += (
        {"kind": "engine", "number": number, "name": name}
        for number, name in enumerate(house.engines.names[1:], 1)
    )  # fmt: skip
    return [{"key": _key(each), **each} for each in players]


def check_contender(house: House, key: str) -> str:
    """A key as it is. Raises InvalidSettingError if there is no such player."""
    if not _KEY.fullmatch(key) or key not in {each["key"] for each in contenders(house)}:
        raise InvalidSettingError(sentence("refused.no_player", name=key[:40]))
    return key


def is_program(key: str) -> bool:
    """True if the player of a key is another program."""
    return key.startswith("engine:")


def make_contender(house: House, key: str, seed: int, viewer: str, stop: Stop) -> Player:
    """The player of a key, whose searches take their turns with those of all viewers. seed: of its random choices;
    stop: ends the wait for an engine. Raises what making a player raises."""
    kind, _, rest = key.partition(":")
    if kind == "engine":
        return _LentProgram(house.engines.others[int(rest) - 1], viewer, stop)
    player = _own_player(house, kind, rest, seed)
    player.name = contender_name(house, key)
    return _InTurn(player, house.engines.own, viewer)


def _own_player(house: House, kind: str, rest: str, seed: int) -> Player:
    if kind == "level":
        level = level_numbered(int(rest))
        hash_mb = MATCH_HASH_MB if level.full else SMALL_HASH / MEBIBYTE
        policy = None if level.full else house.policy
        return EnginePlayer(house.settings.weights, hash_mb, house.database, level=level, seed=seed, policy=policy)
    if kind == "people":
        return PolicyPlayer(house.policy, temperature=1.0, seed=seed)
    if kind == "evolved":
        return player_from_spec(champion_spec(int(rest)))
    if kind == "weights":
        return EnginePlayer(None if rest == SHIPPED else rest, MATCH_HASH_MB, house.database)
    return player_from_spec(f"random:{seed}" if kind == "random" else f"mcts:{int(rest)},seed={seed}")


def _evaluations(house: House) -> tuple[str, ...]:
    return (*([SHIPPED] if house.settings.weights else []), *built_in())


def _key(player: dict[str, Any]) -> str:
    kind = player["kind"]
    what = player["name"] if kind == "weights" else player.get("number")
    return kind if what is None else f"{kind}:{what}"


def contender_name(house: House, key: str) -> str:
    """Name for tables and PDN."""
    kind, _, rest = key.partition(":")
    if kind == "engine":
        return house.engines.names[int(rest)]
    words = {"level": "kr level {}", "people": "people", "evolved": "evolved, generation {}", "weights": "kr ({})",
             "mcts": "{} play-outs", "random": "random moves"}  # fmt: skip
    return words[kind].format(rest)


def _await_turn(loan: Loan[Any], stop: Stop | None) -> Any:
    """The tool of a loan. Raises ProtocolError if the stop comes first, and what making one raises."""
    while not loan.turn.done():
        if stop is not None and stop.is_set():
            raise ProtocolError(sentence("refused.stopped"))
        wait([loan.turn], _POLL)
    return loan.wait(0)


class _InTurn:
    """A player of this process that searches when it is its match's turn among all searches of the server."""

    def __init__(self, player: Player, lender: Lender[Engine], viewer: str) -> None:
        self._player, self._lender, self._viewer = player, lender, viewer
        self.name, self.version = player.name, player.version
        self.source, self.signature = player.source, player.signature

    def new_game(self) -> None:
        self._player.new_game()

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        with self._lender.ask(self._viewer) as loan:
            _await_turn(loan, stop)
            return self._player.search(position, limits, history, stop)

    def close(self) -> None:
        self._player.close()


class _LentProgram:
    """Another program's engine, lent for a whole match."""

    def __init__(self, lender: Lender[HubClient], viewer: str, stop: Stop) -> None:
        self._loan = lender.ask(viewer)
        try:
            self._client: HubClient = _await_turn(self._loan, stop)
        except BaseException:
            self._loan.end()
            raise
        self.name, self.version = self._client.name, self._client.version
        self.source = self._client.name
        self.signature = f"hub:{self.name} {self.version}".strip()

    def new_game(self) -> None:
        self._client.new_game()

    def search(
        self, position: Position, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        try:
            result = self._client.search(position, limits, history, stop)
        except ProtocolError:
            # nothing is known about the state of a program that has failed
            self._loan.broken = True
            raise
        return Reply(result.move, result.score, result.depth, result.nodes, result.time)

    def close(self) -> None:
        self._loan.end()
