"""A player by pure Monte Carlo tree search: it knows the rules and nothing else."""

from __future__ import annotations

from kr import _core
from kr.errors import InvalidSettingError
from kr.evaluation.evolved import EVOLVED_SCALE
from kr.players.deciding import DecidingPlayer
from kr.players.player import PlayerKind, PlayerSpec, Resources
from kr.units import Range, parse_count

_PREFIX = "mcts:"
_ROUNDS = Range(1, 10_000_000)


def _make(spec: PlayerSpec, resources: Resources) -> DecidingPlayer:
    try:
        rounds = _ROUNDS.check("play-outs", parse_count(spec.text))
        seed = parse_count(spec.settings.get("seed", 1))
    except InvalidSettingError as error:
        raise InvalidSettingError(f"player {spec.spec!r}: {error}") from None
    decider = _core.MctsDecider(rounds, seed)
    signature = f"mcts {rounds} seed {seed}"
    return DecidingPlayer(decider, spec.spec, spec.spec, signature, EVOLVED_SCALE)


KIND = PlayerKind(prefix=_PREFIX, texts=("mcts:PLAYOUTS",), make=_make, settings=("seed",), repeatable=True)
