"""Settings of `kr play`, and the setup of a game: players, starting position, clocks."""

from __future__ import annotations

import random
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kr.book.book import book_option
from kr.engine.limits import Limits, TimeControl, parse_limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import SHIPPED
from kr.game.position import Move, Position, Side
from kr.match.settings import MatchSettings
from kr.notation import SIDE_NAMES, looks_like_fen
from kr.openings.decks import DECKS, Opening, deck, is_deck
from kr.players.levels import LEVELS
from kr.players.names import names_apart
from kr.players.registry import PLAYER_TEXTS, kind_of, player_from_spec
from kr.settings import Settings, option, same_option, some_text
from kr.system import join_command
from kr.units import MEBIBYTE, format_duration, parse_duration

if TYPE_CHECKING:
    from kr.players.player import Player

HUMAN = "human"
SIDES = {"black": Side.BLACK, "white": Side.WHITE}
RANDOM = "random"
DEFAULT_LEVEL = 5
THINKING = Limits(time=1.0)
"""Limit of an engine's move by default."""

# headers from which a game is resumed
SPEC_TAGS = ("BlackPlayer", "WhitePlayer")
CONTROL_TAG, ENGINE_CONTROL_TAG, SEED_TAG = "TimeControl", "EngineTimeControl", "Seed"
SETUP_TAGS = (*SPEC_TAGS, CONTROL_TAG, ENGINE_CONTROL_TAG, SEED_TAG)

_OWN = re.compile(r",(level|seed)=\d+(?=,|$)")


@dataclass(frozen=True)
class PlaySettings(Settings):
    """Settings of a game. Raises InvalidSettingError for contradictions."""

    level: int | None = option(
        None, f"Level of kr: 1, a beginner, to {len(LEVELS)}, full strength; {DEFAULT_LEVEL} if no player is named.",
        low=1, high=len(LEVELS),
    )  # fmt: skip
    side: str = option(
        "",
        "Your side: black (who begins), white or random; black if not given.",
        choices=("", *SIDES, RANDOM),
        metavar="SIDE",
    )
    black: str = option("", f"Player of Black: human, {', '.join(PLAYER_TEXTS)}; with "
                        "settings of its own: shipped,level=3.", metavar="PLAYER")  # fmt: skip
    white: str = option("", "Player of White.", metavar="PLAYER")
    weights: str = option(
        "", "Weights of kr, or any other PLAYER that is to be your opponent: evolved:DIR is a champion of `kr evolve`.",
        metavar="PLAYER",
    )  # fmt: skip
    tc: Limits | TimeControl | None = option(
        None, "Clock of both sides, 5+3 (minutes, and seconds for each move) or 40/30; or a limit of each engine "
        "move, 1s or nodes=2000; 1s if not given.", parse=parse_limits,
    )  # fmt: skip
    tc_engine: Limits | TimeControl | None = option(None, "Limit or clock of engines, if not --tc.", parse=parse_limits)
    ballot: str = option(
        "", f"Opening: {', '.join(DECKS)}, a name such as 'Old Fourteenth', a FEN, or a file of FENs or PDN games; a "
        "random one of several, or one by its number: '3move 68'.", parse=some_text,
        metavar="3move|11man|NAME|FEN|FILE",
    )  # fmt: skip
    seed: int = option(
        0, "Seed of random choices: side, ballot, draws of a level, book or policy; 0: a new one each time.", low=0
    )
    out: Path | None = option(None, "PDN file to save the game to, or none; a new one in the user's data "
                              "directory if not given.", metavar="FILE|none")  # fmt: skip
    resume: Path | None = option(None, "Resume the game of this PDN file.", metavar="FILE")
    resign: bool = option(True, "Let engines resign lost games.")
    hint_tc: Limits = option(THINKING, "Limit of a search for hint or eval.", parse=Limits.parse)
    hash: int = hash_option("of each player")
    margin: float = option(0.2, "Time by which a clock may be overdrawn.", parse=parse_duration, show=format_duration)
    patience: float = same_option(MatchSettings, "patience")
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    book: str = book_option()
    log: Path | None = same_option(MatchSettings, "log")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.side and (self.black or self.white):
            raise InvalidSettingError("--side and --black or --white both name the players: expected one or the other")
        if self.weights and (self.black or self.white or self.resume):
            raise InvalidSettingError("--weights names your opponent: leave out --black, --white and --resume")
        if self.resume and (self.ballot or self.out):
            raise InvalidSettingError("--resume continues a game in its own file: leave out --ballot and --out")
        for name, limit in (("--tc", self.tc), ("--tc-engine", self.tc_engine), ("--hint-tc", self.hint_tc)):
            if limit == Limits():
                raise InvalidSettingError(f"{name} sets no limit: expected one such as 1s, nodes=2000 or 5m+3s")

    def make_player(self, spec: str) -> Player:
        """Make the engine of a player's text. Raises what player_from_spec raises."""
        return player_from_spec(
            spec, self.hash // MEBIBYTE, self.patience, self.egdb, self.egdb_memory, self.book, self.log
        )


class GameSetup(NamedTuple):
    """Players, starting position and clocks of a game."""

    specs: tuple[str, str]
    """Players of Black and White: HUMAN or a player's text."""
    controls: tuple[Limits | TimeControl | None, Limits | TimeControl | None]
    """None for a human without a clock."""
    start: Position
    line: tuple[Move, ...]
    """Moves of the opening, which are not chosen at the board."""
    opening: str
    """Name of the opening; "" if there is none."""
    seed: int
    headers: Mapping[str, str]
    """Headers with which the game can be resumed from its file."""

    def resume_command(self, path: Path) -> str:
        """Command line that resumes the game from its file, which names no programs."""
        command = ["kr", "play", "--resume", str(path)]
        for option_name, spec in zip(("--black", "--white"), self.specs, strict=True):
            if kind_of(spec).starts_program:
                command += [option_name, spec]
        return join_command(command)


def set_up(settings: PlaySettings, tags: Mapping[str, str] | None = None, to_move: Side = Side.BLACK) -> GameSetup:
    """Set-up from settings. tags, to_move: for a resumed game, its headers, as defaults, and its side to move.

    Raises InvalidSettingError, InvalidFenError, InvalidPdnError.
    """
    # time controls of other programs mean something else
    stored = tags if tags and any(tag in tags for tag in SPEC_TAGS) else {}
    seed = settings.seed or _number(stored.get(SEED_TAG, "")) or secrets.randbelow(10**6) + 1
    source = random.Random(seed)
    start, line, opening = _start(settings.ballot, source)
    specs = _specs(settings, stored, Side.BLACK if tags is None else to_move, source, seed)
    if settings.level is not None and not any(",level=" in spec for spec in specs):
        raise InvalidSettingError("--level is the strength of kr, but kr plays neither side: leave it out")
    tc = settings.tc or _control(stored.get(CONTROL_TAG, ""))
    tc_engine = settings.tc_engine or (None if settings.tc else _control(stored.get(ENGINE_CONTROL_TAG, "")))
    controls = tuple(
        (tc if isinstance(tc, TimeControl) else None) if spec == HUMAN else tc_engine or tc or THINKING
        for spec in specs
    )
    headers = {**dict(zip(SPEC_TAGS, specs, strict=True)), SEED_TAG: str(seed)}
    for tag, control in ((CONTROL_TAG, tc), (ENGINE_CONTROL_TAG, tc_engine)):
        if control is not None:
            headers[tag] = str(control)
    if opening:
        headers["Opening"] = opening
    return GameSetup(specs, (controls[0], controls[1]), start, line, opening, seed, headers)


def shown_name(spec: str) -> str:
    """Name of a player: "human", "kr level 5", "kr", "people", or its text without the seed of its draws."""
    text = re.sub(r",seed=\d+(?=,|$)", "", spec)
    text = re.sub(r"^policy:shipped(?=,|$)", "people", text).replace(",temperature=", ", temperature ")
    text = text.replace(",level=", " level ").replace(",against=people", " for mistakes")
    return re.sub(r"^shipped(?=,| |$)", "kr", text)


def seat_names(specs: tuple[str, str], players: tuple[Player | None, Player | None]) -> tuple[str, str]:
    """Names of Black and White: that of a program's own, or the one shown for the text; never the same twice."""
    black, white = (
        player.name if player and kind_of(spec).names_itself else shown_name(spec)
        for spec, player in zip(specs, players, strict=True)
    )
    black, white = names_apart((black, white), players)
    return black, white


def _start(ballot: str, source: random.Random) -> tuple[Position, tuple[Move, ...], str]:
    if not ballot:
        return Position(), (), ""
    if looks_like_fen(ballot):
        position = Position.from_fen(ballot)
        if position.is_over:
            raise InvalidSettingError(f"--ballot: {position.fen} has no legal move: a game can't begin there")
        return position, (), ""
    name, _, number = ballot.rpartition(" ")
    is_one = number.isdecimal() and is_deck(name)
    opening = _numbered(name, number) if is_one else source.choice(deck(ballot))
    return *opening.begin(), opening.title


def _numbered(name: str, number: str) -> Opening:
    """Opening of a deck by its number, also one that is marked as lost or barred."""
    openings = deck(name, playable_only=False)
    matches = [opening for opening in openings if str(opening.number) == number]
    if not matches:
        raise InvalidSettingError(f"--ballot: {name} has no opening {number}; they are numbered 1 to {len(openings)}")
    return matches[0]


def _specs(
    settings: PlaySettings, stored: Mapping[str, str], to_move: Side, source: random.Random, seed: int
) -> tuple[str, str]:
    opponent = settings.weights or SHIPPED
    if "level" in kind_of(opponent).settings and ",level=" not in opponent:
        opponent += f",level={settings.level or DEFAULT_LEVEL}"
    players = [settings.black, settings.white]
    if stored and not settings.side:
        for side, tag in enumerate(SPEC_TAGS):
            before = stored.get(tag, "")
            if not players[side] and kind_of(before).starts_program:
                # a file must not start programs on its own
                raise InvalidSettingError(
                    f"{SIDE_NAMES[side]} was played by {before}: confirm with "
                    f"{join_command([f'--{SIDE_NAMES[side].lower()}', before])}"
                )
            players[side] = players[side] or before
    if not any(players):
        own = source.choice(list(Side)) if settings.side == RANDOM else SIDES.get(settings.side, to_move)
        players[own] = HUMAN
    specs = []
    for side, name in enumerate(players):
        spec = name or (opponent if players[1 - side] == HUMAN else HUMAN)
        accepted = () if spec == HUMAN else kind_of(spec).settings
        if "level" in accepted and settings.level is not None:
            spec = f"{_OWN.sub('', spec)},level={settings.level}"
        # a player's random draws differ from game to game
        if "seed" in accepted and ("book" in accepted or ",temperature=" in spec) and ",seed=" not in spec:
            spec += f",seed={seed}"
        specs.append(spec)
    return specs[0], specs[1]


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def _control(text: str) -> Limits | TimeControl | None:
    """Time control of a file; None if it is missing, or in another program's notation."""
    try:
        control = parse_limits(text)
    except InvalidSettingError:
        return None
    return None if control == Limits() else control
