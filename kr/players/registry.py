"""All kinds of players, and the player of a text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

from kr.errors import InvalidSettingError
from kr.players import hub, own
from kr.players.player import Given, Kind, Means, Player

KINDS: tuple[Kind, ...] = (own.KIND, hub.KIND)
"""A new kind is a module with its KIND, and its name in this line."""

PLAYER_TEXTS = tuple(text for kind in KINDS for text in kind.texts)
"""What to write for a player, for the help of settings that take one."""
PLAYER_HELP = (
    f"{', '.join(PLAYER_TEXTS[:-1])}, or {PLAYER_TEXTS[-1]}; with settings of its own: "
    "shipped,level=3,egdb=none,lmr_move=4"
)


def kind_of(spec: str) -> Kind:
    """The kind that a player's text names."""
    found = [kind for kind in KINDS if spec.startswith(kind.prefix)]
    return max(found, key=lambda kind: len(kind.prefix))


def player_from_spec(
    spec: str, hash_mb: int = 64, patience: float = 600.0, egdb: str = "none", egdb_memory: int = 0
) -> Player:
    """The player that a text names: one of PLAYER_TEXTS, with settings of its own after commas.

    A player of kr's own uses the endgame database of the setting `egdb`, and may set egdb=DIR, hash=16MB, threads=2,
    level=3 (kr.players.levels) and the seed=7 of its errors, or a search option such as etc_depth=99. Raises
    InvalidSettingError, InvalidWeightsError, InvalidDatabaseError, ProtocolError.
    """
    kind = kind_of(spec)
    given = _taken_apart(spec, kind)
    if not kind.prefix and not given.text.strip():
        expected = f"{', '.join(PLAYER_TEXTS[:-1])} or {PLAYER_TEXTS[-1]}"
        raise InvalidSettingError(f"a player has no name; expected {expected}")
    return kind.make(given, Means(hash_mb, patience, egdb, egdb_memory))


def _taken_apart(spec: str, kind: Kind) -> Given:
    """Text and settings of a player; commas may be part of the text."""
    text = spec.removeprefix(kind.prefix)
    settings: dict[str, str] = {}
    while kind.settings and "," in text:
        rest, _, part = text.rpartition(",")
        name, equals, value = (word.strip() for word in part.partition("="))
        if name in settings:
            raise InvalidSettingError(f"player {spec!r}: sets {name} twice")
        if not equals or name not in kind.settings:
            if kind.is_name(text) or not (re.fullmatch(r"[\w-]+", name) if equals else kind.is_name(rest)):
                break
            raise InvalidSettingError(f"player {spec!r}: {_no_setting(name, equals, kind.settings)}")
        settings = {name: value} | settings
        text = rest
    return Given(spec, text, settings)


def _no_setting(name: str, equals: str, known: Collection[str]) -> str:
    """What is wrong with a part of a player's text that is not a setting."""
    if name in known and not equals:
        return f"{name} needs a value, such as {name}=4"
    near = difflib.get_close_matches(name, known, n=3)
    there = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
    return f"no setting {name!r}; {there}"
