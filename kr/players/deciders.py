"""Moves chosen without a search of the engine: deciders of the core, from their descriptions, and pure chance.

A description is a plain value, as runs and files of champions have it:

- `{"kind": "minimax", "plies": 4, "extend": true}`: with an evaluation;
- `{"kind": "mcts", "rounds": 1800, "playout_plies": 6}`: with an evaluation, or, without the second number, pure;
- `{"kind": "random"}`.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from typing import Any

from kr import _core
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError
from kr.evaluation.evolved import EVOLVED_SCALE
from kr.game.board import PositionLike, with_history
from kr.game.position import Position
from kr.players.player import PlayerKind, PlayerSpec, Reply, Resources, StatelessPlayer
from kr.units import Range, counted, parse_count

DECIDER_KINDS = ("minimax", "mcts", "random")
LEAST_CHANCE = 1e-6
"""Expected result next to a sure win or loss, which keeps the score finite."""
_MCTS_PREFIX, _RANDOM_PREFIX = "mcts:", "random:"
_ROUNDS = Range(1, 10_000_000)


def make_decider(description: Mapping[str, Any], evaluator: _core.Evaluator | None, seed: int = 0) -> _core.Decider:
    """A new decider. seed: of random choices. Raises InvalidSettingError."""
    kind = description.get("kind")
    try:
        if kind == "minimax" and evaluator is not None:
            return _core.MinimaxDecider(evaluator, description["plies"], bool(description.get("extend")))
        if kind == "mcts":
            playout = description.get("playout_plies", 0)
            return _core.MctsDecider(description["rounds"], seed, evaluator if playout else None, playout)
        if kind == "random":
            return _core.RandomDecider(seed)
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidSettingError(f"decider {dict(description)}: {error}") from None
    raise InvalidSettingError(f"decider {dict(description)}; one of {', '.join(DECIDER_KINDS)}, with an evaluation")


def describe_decider(description: Mapping[str, Any]) -> str:
    """Short text for a decider."""
    if description["kind"] == "minimax":
        extended = ", captures extended" * bool(description.get("extend"))
        return f"minimax of {counted(description['plies'], 'ply')}{extended}"
    if description["kind"] == "mcts":
        playout = description.get("playout_plies")
        tail = f" cut off after {counted(playout, 'ply')}" if playout else " to the end"
        return f"MCTS of {counted(description['rounds'], 'play-out')}{tail}"
    return "chance"


class DecidingPlayer(StatelessPlayer):
    """A player whose moves a decider chooses, whatever the limits of the game are. Random choices depend only on the
    decider's seed, the position and the length of the history.

    scale: centi-men in a logit of the expected result; depth: reported with each move.
    """

    def __init__(
        self, decider: _core.Decider, name: str, source: str, signature: str, scale: float, depth: int = 0
    ) -> None:
        self.name, self.source, self.signature = name, source, signature
        self._decider, self._scale, self._depth = decider, scale, depth

    def search(
        self, position: PositionLike, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        position, history = with_history(position, history)
        began = time.perf_counter()
        moves = position.legal_moves()
        index, value, nodes = 0, 0.0, 0
        if len(moves) > 1:
            index, value, nodes = self._decider.choose(*position.bits, len(history), stop)
        expected = min(max((1 + value) / 2, LEAST_CHANCE), 1 - LEAST_CHANCE)
        score = round(self._scale * math.log(expected / (1 - expected)))
        return Reply(moves[index], score, self._depth, nodes, time.perf_counter() - began)


class RandomPlayer(StatelessPlayer):
    """Plays legal moves at random, each as likely: the player that any other must beat.

    Its moves depend only on the seed, the position and the length of the history.
    """

    def __init__(self, seed: int = 1) -> None:
        self._seed = seed
        self.name = self.source = self.signature = f"{_RANDOM_PREFIX}{seed}"

    def search(
        self, position: PositionLike, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        position, history = with_history(position, history)
        source = random.Random(f"{self._seed} {position.key} {len(history)}")
        return Reply(source.choice(position.legal_moves()), 0, 0, 0, 0.0)


def _make_mcts(spec: PlayerSpec, resources: Resources) -> DecidingPlayer:
    """A player by pure Monte Carlo tree search: it knows the rules alone."""
    try:
        rounds = _ROUNDS.check("play-outs", parse_count(spec.text))
        seed = parse_count(spec.settings.get("seed", 1))
    except InvalidSettingError as error:
        raise InvalidSettingError(f"player {spec.spec!r}: {error}") from None
    decider = _core.MctsDecider(rounds, seed)
    return DecidingPlayer(decider, spec.spec, spec.spec, f"mcts {rounds} seed {seed}", EVOLVED_SCALE)


def _make_random(spec: PlayerSpec, resources: Resources) -> RandomPlayer:
    try:
        return RandomPlayer(parse_count(spec.text))
    except InvalidSettingError as error:
        raise InvalidSettingError(f"player {spec.spec!r}: the seed: {error}") from None


KINDS = (
    PlayerKind(prefix=_MCTS_PREFIX, texts=("mcts:PLAYOUTS",), make=_make_mcts, settings=("seed",), repeatable=True),
    PlayerKind(prefix=_RANDOM_PREFIX, texts=("random:SEED",), make=_make_random, repeatable=True),
)
