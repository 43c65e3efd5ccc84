"""The kinds of players, and making a player from its text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from pathlib import Path

from kr.book.book import NO_BOOK
from kr.engine.engine import DEFAULT_HASH_MB
from kr.errors import InvalidSettingError
from kr.players import checkerboard, deciders, evolved, hub, own, policy, text_engine
from kr.players.player import Player, PlayerKind, PlayerSpec, Resources
from kr.protocols.program import PATIENCE
from kr.settings import check_type

PLAYER_KINDS: tuple[PlayerKind, ...] = (
    own.KIND,
    policy.KIND,
    evolved.KIND,
    *deciders.KINDS,
    hub.KIND,
    text_engine.KIND,
    checkerboard.KIND,
)
"""A new kind is a module with its KIND, and an entry in this line; deciders make several from one."""

PLAYER_TEXTS = tuple(text for kind in PLAYER_KINDS for text in kind.texts)
"""Forms of a player's text, for the help of settings that take one."""
PLAYER_HELP = (
    f"{', '.join(PLAYER_TEXTS[:-1])}, or {PLAYER_TEXTS[-1]}; with settings of its own: "
    "shipped,level=3,egdb=none,lmr_move=4"
)


def kind_of(spec: str) -> PlayerKind:
    """Kind of the player that a text names."""
    kinds = [kind for kind in PLAYER_KINDS if spec.startswith(kind.prefix)]
    return max(kinds, key=lambda kind: len(kind.prefix))


def player_from_spec(
    spec: str,
    hash_mb: int = DEFAULT_HASH_MB,
    patience: float = PATIENCE,
    egdb: str = "none",
    egdb_memory: int = 0,
    book: str = NO_BOOK,
    log: Path | None = None,
) -> Player:
    """Make the player that a text names: one of PLAYER_TEXTS, with settings of its own after commas.

    kr's own engine uses the endgame database `egdb` unless the text sets egdb=DIR, and the opening book `book` unless
    it sets book=FILE. The text may also set hash=16MB, threads=2, level=3 (kr.players.levels), seed=7 (of the errors
    of that level, and of the choice among book moves) and search options such as etc_depth=99; that of another program
    dir=FOLDER, in which it runs, start=60s, the time for its start, and env.NAME=VALUE, a variable of its environment.
    log: folder for what is said to other programs and by them. Raises InvalidSettingError,
    InvalidWeightsError, InvalidDatabaseError, InvalidBookError, ProtocolError, OSError.
    """
    check_type("the player", spec, str)
    kind = kind_of(spec)
    parsed = parse_spec(spec)
    if not kind.prefix and not parsed.text.strip():
        expected = f"{', '.join(PLAYER_TEXTS[:-1])} or {PLAYER_TEXTS[-1]}"
        raise InvalidSettingError(f"player without a name: expected {expected}")
    return kind.make(parsed, Resources(hash_mb, patience, egdb, egdb_memory, book, log))


def parse_spec(spec: str) -> PlayerSpec:
    """Text and settings of a player. Commas may be part of the text. Raises InvalidSettingError."""
    kind = kind_of(spec)
    text = spec.removeprefix(kind.prefix)
    settings: dict[str, str] = {}
    if kind.has_commas:
        names = "|".join(re.escape(name) + (r"[^=,\s]*" if name.endswith(".") else "") for name in kind.settings)
        text, *parts = re.split(rf",\s*({names})\s*=", text)
        for name, value in zip(parts[::2], parts[1::2], strict=True):
            if name in settings:
                raise _set_twice(spec, name)
            settings[name] = value.strip()
        return PlayerSpec(spec, text, settings)
    while kind.settings and "," in text:
        rest, _, part = text.rpartition(",")
        name, equals, value = (word.strip() for word in part.partition("="))
        if name in settings:
            raise _set_twice(spec, name)
        if not equals or name not in kind.settings:
            if kind.is_name(text) or not (re.fullmatch(r"[\w-]+", name) if equals else kind.is_name(rest)):
                break
            raise InvalidSettingError(f"player {spec!r}: {_setting_error(name, equals, kind.settings)}")
        settings = {name: value} | settings
        text = rest
    return PlayerSpec(spec, text, settings)


def _set_twice(spec: str, name: str) -> InvalidSettingError:
    return InvalidSettingError(f"player {spec!r} sets {name} twice")


def _setting_error(name: str, equals: str, names: Collection[str]) -> str:
    """Message about a part of a player's text that is not a setting."""
    if name in names and not equals:
        return f"{name} needs a value, such as {name}=4"
    near = difflib.get_close_matches(name, names, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(names)}"
    return f"unknown setting {name!r}; {hint}"
