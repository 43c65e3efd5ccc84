"""A policy as a player: it plays the moves that people are likely to play, without a search."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

from kr import _core
from kr.egdb.database import load_database
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import SHIPPED, load_evaluation
from kr.game.board import PositionLike, with_history
from kr.game.position import Position
from kr.players.people import People, PersonMove
from kr.players.player import PlayerKind, PlayerSpec, Reply, Resources, StatelessPlayer
from kr.policy.policy import LikelyMove, Policy, frame_of, load_policy
from kr.units import Range, parse_count

_PREFIX = "policy:"
COUNTING = "material"
"""The evaluation that scores for a policy without sight."""
_RANGES = {"temperature": Range(low=0, high=100), "strength": Range(low=0, high=1), "year": Range(low=1, high=9999)}


class PolicyPlayer(StatelessPlayer):
    """A policy that plays.

    temperature: moves are drawn with weights p^(1 / temperature), at 0 the most probable one is played. strength, year:
    as for Policy.choices. people: in place of these three, moves are drawn by their probabilities. seed: of the draws,
    which depend on it, the position and the length of the history alone.
    """

    def __init__(
        self,
        policy: Policy,
        temperature: float = 0.0,
        strength: float | None = None,
        year: float | None = None,
        seed: int = 1,
        people: People | None = None,
    ) -> None:
        self.policy = policy
        self._temperature, self._strength, self._year, self._seed = temperature, strength, year, seed
        self._people = people
        # source of the score; a policy without sight has no eyes of its own, and can only count
        self._eyes = (policy.eyes or load_evaluation(COUNTING).scorer).core
        self.name = f"policy {policy.name}"
        self.source = f"{_PREFIX}{policy.model.path or policy.name}"
        settings = [("temperature", temperature), ("strength", strength), ("year", year)]
        numbers = [f"{name} {value}" for name, value in settings if value is not None]
        if temperature or people:
            numbers.append(f"seed {seed}")
        if people:
            numbers.append(f"calibrated {people.signature}")
        self.signature = " ".join([f"policy {policy.signature}", *numbers])

    def search(
        self, position: PositionLike, limits: Limits, history: Sequence[Position], stop: Stop | None = None
    ) -> Reply:
        """The score is that of the best move as sight of captures sees it, whichever move is played."""
        import numpy as np

        position, history = with_history(position, history, recent=True)
        began = time.perf_counter()
        choices: list[LikelyMove] | list[PersonMove]
        if self._people:
            choices = self._people.moves(position, history)
        else:
            choices = self.policy.choices(position, history, strength=self._strength, year=self._year)
        moves = [each.move for each in choices]
        move = moves[0]
        temperature = 1 if self._people else self._temperature
        if temperature:
            # scaled, so that the highest weight is 1 at any temperature
            highest = choices[0].probability
            weights = [(likely.probability / highest) ** (1 / temperature) for likely in choices]
            source = random.Random(f"{self._seed} {position.key} {len(history)}")
            [move] = source.choices(moves, weights)
        board = np.array([frame_of(position)], dtype=np.uint32)
        score = int(_core.choice_scores(board, self._eyes).max())
        return Reply(move, score, 0, 0, time.perf_counter() - began)


def _make(spec: PlayerSpec, resources: Resources) -> PolicyPlayer:
    try:
        policy = load_policy(spec.text)
        values = {name: _number(name, spec.settings[name]) for name in _RANGES if name in spec.settings}
        for name, edges in (("strength", policy.shape.strengths), ("year", policy.shape.years)):
            if name in values and not edges:
                raise InvalidSettingError(f"{name}: this policy does not take it; leave it out")
        seed = parse_count(spec.settings.get("seed", 1))
        people = _people(spec, resources, policy)
    except InvalidSettingError as error:
        raise InvalidSettingError(f"player {spec.spec!r}: {error}") from None
    temperature = values.get("temperature", 0.0)
    player = PolicyPlayer(policy, temperature, values.get("strength"), values.get("year"), seed, people)
    player.name = ",".join([player.name, *(f"{name}={text}" for name, text in spec.settings.items())])
    player.source = spec.spec
    return player


def _people(spec: PlayerSpec, resources: Resources, policy: Policy) -> People | None:
    """The people by whose probabilities it plays; None without `calibrated`. Raises InvalidSettingError."""
    if not parse_count(spec.settings.get("calibrated", 0)):
        for name in spec.settings.keys() & {"egdb"}:
            raise InvalidSettingError(f"{name}: only a calibrated policy asks a database; leave it out")
        return None
    for name in spec.settings.keys() & _RANGES.keys():
        raise InvalidSettingError(f"{name}: a calibrated policy does not take it; leave it out")
    people = People(policy, load_database(spec.settings.get("egdb", resources.egdb), resources.egdb_memory))
    if not people.calibrated:
        raise InvalidSettingError("calibrated: only the shipped policy is; leave it out")
    return people


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise InvalidSettingError(f"{name}: {text!r:.40} is not a number; expected {_RANGES[name]}") from None
    return _RANGES[name].check(name, number, whole=False)


def _is_policy(name: str) -> bool:
    try:
        return name == SHIPPED or Path(name).is_file()
    except (OSError, ValueError):  # not a possible file name
        return False


KIND = PlayerKind(
    prefix=_PREFIX,
    texts=("policy:FILE",),
    make=_make,
    settings=("temperature", "strength", "year", "seed", "calibrated", "egdb"),
    is_name=_is_policy,
    repeatable=True,
)
