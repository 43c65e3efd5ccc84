"""Names that tell players apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from kr.players.player import Player


def described(player: Player) -> str:
    """All that tells what plays: name, version, signature and origin, each where it adds something."""
    parts: list[str] = []
    for part in (f"{player.name} {player.version}".strip(), player.signature, player.source):
        if not any(part in before for before in parts):
            parts.append(part)
    return "; ".join(parts)


def names_apart(names: Sequence[str], players: Sequence[Player | None], *others: Sequence[str]) -> tuple[str, ...]:
    """Names of players, with an addition in parentheses for those of equal names.

    The addition is the version, else the source (command or path), else the first of the `others` that differs between
    all of one name. A human is None.
    """
    apart = list(names)
    for name in dict.fromkeys(names):
        alike = [number for number, each in enumerate(names) if each == name]
        group = [players[number] for number in alike]
        differences = [
            [player.version if player else "" for player in group],
            _parting([player.source.split() if player else [] for player in group]),
            *([each[number] for number in alike] for each in others),
        ]
        chosen = next((each for each in differences if len(set(each)) == len(each)), [""] * len(alike))
        for number, addition in zip(alike, chosen, strict=True):
            if addition and len(alike) > 1:
                apart[number] = f"{name} ({addition})"
    return tuple(apart)


def _parting(commands: Sequence[Sequence[str]]) -> list[str]:
    """Commands without the words that all begin with and the words that all end with."""
    begin = _alike(commands)
    end = _alike([command[begin:][::-1] for command in commands])
    return [" ".join(command[begin : len(command) - end]) for command in commands]


def _alike(commands: Sequence[Sequence[str]]) -> int:
    """Number of equal words at the beginning of all."""
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*commands, strict=False)))
