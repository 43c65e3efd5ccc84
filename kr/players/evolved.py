"""A champion of `kr evolve` as a player: it decides as it did in its run, unless its text says otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kr.errors import InvalidSettingError
from kr.evaluation.evolved import EVOLVED_PREFIX, Evolved, load_champion
from kr.evaluation.kinds import SHIPPED
from kr.players.deciders import DECIDER_KINDS, DecidingPlayer, make_decider
from kr.players.player import PlayerKind, PlayerSpec, Resources
from kr.units import Range, parse_count

_RANGES = {"plies": Range(1, 32), "rounds": Range(1, 10_000_000), "playout_plies": Range(1, 200)}
_DEFAULTS = {"plies": 4, "rounds": 1800, "playout_plies": 6}
"""Settings of a decider that the run does not record."""
_SETTINGS = {"minimax": ("plies",), "mcts": ("rounds", "playout_plies")}
"""Settings of each kind of decider."""


def decider_settings(champion: Evolved, settings: dict[str, str]) -> dict[str, Any]:
    """Description of the decider: the run's own, changed by these settings. Raises InvalidSettingError."""
    own = dict(champion.about.get("decider", {"kind": "minimax"}))
    kind = settings.get("decider", own["kind"])
    if kind not in _SETTINGS:
        expected = " or ".join(each for each in DECIDER_KINDS if each in _SETTINGS)
        raise InvalidSettingError(f"decider: {kind!r:.40} is unknown; expected {expected}")
    if kind != own["kind"]:
        own = {"kind": kind}
    for name, default in _DEFAULTS.items():
        if name in _SETTINGS[kind]:
            own.setdefault(name, default)
        if name in settings:
            if name not in _SETTINGS[kind]:
                raise InvalidSettingError(f"{name}: the decider {kind} has none; leave it out")
            own[name] = parse_count(settings[name])
        # values from a file are checked as well; None plays out to the end
        if own.get(name) is not None:
            own[name] = _RANGES[name].check(name, own[name])
    return own


def _make(spec: PlayerSpec, resources: Resources) -> DecidingPlayer:
    settings = dict(spec.settings)
    champion_settings = [f"{name}={settings.pop(name)}" for name in ("run", "generation") if name in settings]
    try:
        champion = load_champion(",".join([spec.text, *champion_settings]))
        own = decider_settings(champion, settings)
        seed = parse_count(settings.get("seed", 1))
    except InvalidSettingError as error:
        raise InvalidSettingError(f"player {spec.spec!r}: {error}") from None
    facts = [f"{name} {value}" for name, value in own.items()] + [f"seed {seed}"] * (own["kind"] == "mcts")
    name = ",".join([champion.name, *(f"{name}={text}" for name, text in settings.items())])
    signature = f"evolved {champion.signature} {' '.join(facts)}"
    decider = make_decider(own, champion.evaluator(), seed)
    return DecidingPlayer(decider, name, spec.spec, signature, champion.scale, own.get("plies", 0))


def _is_champion(name: str) -> bool:
    try:
        return name == SHIPPED or Path(name).exists()
    except (OSError, ValueError):  # not a possible file name
        return False


KIND = PlayerKind(
    prefix=EVOLVED_PREFIX,
    texts=("evolved:DIR",),
    make=_make,
    settings=("run", "generation", "decider", *_DEFAULTS, "seed"),
    is_name=_is_champion,
    repeatable=True,
)
