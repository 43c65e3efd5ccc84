"""Names that tell two players apart."""

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


def names_apart(
    names: tuple[str, str], players: tuple[Player | None, Player | None], *others: tuple[str, str]
) -> tuple[str, str]:
    """Names of two players, with an addition in parentheses if they are equal.

    The addition is the version, else the source (command or path), else the first of the `others` pairs that differs.
    A human is None.
    """
    first, second = names
    if first != second:
        return first, second
    versions = [player.version if player else "" for player in players]
    sources = [player.source.split() if player else [] for player in players]
    differences = [tuple(versions), _parting(*sources), *others]
    one, other = next((pair for pair in differences if pair[0] != pair[1]), ("", ""))
    return f"{first} ({one})" if one else first, f"{second} ({other})" if other else second


def _parting(one: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """Two commands without the words that both begin with and the words that both end with."""
    begin = _alike(one, other)
    end = _alike(one[begin:][::-1], other[begin:][::-1])
    return " ".join(one[begin : len(one) - end]), " ".join(other[begin : len(other) - end])


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Number of equal words at the beginning of both."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
