"""A ladder: players of any kind and time on one scale, each of which takes its place by as few games as are needed.

A directory has `ladder.json`, the players in the order in which they came and the matches that were begun, and a PDN
file with its log for each match. The first player is the anchor, whose Elo is 0. A new one plays matches of a few pairs
against the players from which most is learned, close in strength and not met often, until its error is small enough.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from kr.engine.limits import Limits, TimeControl
from kr.errors import InvalidGamesError, InvalidSettingError
from kr.jobs.journal import read_entries, typed
from kr.match.elo import score_of_elo
from kr.match.log import Written, log_of
from kr.match.match import play_match
from kr.match.ratings import Ratings, ratings
from kr.match.settings import MatchSettings
from kr.match.tally import MatchTally
from kr.settings import REQUIRED, Settings, option, same_option
from kr.storage import lock_directory, parse_json, read_regular, write_atomic

LADDER_FILE, PICTURE_FILE = "ladder.json", "ladder.svg"
_MATCH_FILE = "{:04}.pdn"
_SCALE = ("ballot", "tc", "hash", "seed", "egdb")
"""Settings that all matches of a ladder share."""


@dataclass(frozen=True)
class LadderSettings(Settings):
    """Settings of a ladder."""

    dir: Path = option(REQUIRED, "Directory of the ladder.", argument=True)
    players: tuple[str, ...] = option(
        (), "Players to put on it, as kr match has them; the first of a new ladder is its anchor.", argument=True,
        metavar="PLAYER",
    )  # fmt: skip
    error: float = option(
        30.0, "Play until the 95% error of each, in Elo from the anchor, is no more than this.", above=0, high=1000
    )
    most: int = option(1000, "Games of a new player at most.", low=2)
    block: int = option(20, "Games of a match.", low=2, high=1000)
    ballot: str = same_option(MatchSettings, "ballot")
    tc: Limits | TimeControl = same_option(MatchSettings, "tc")
    workers: int = same_option(MatchSettings, "workers")
    hash: int = same_option(MatchSettings, "hash")
    seed: int = same_option(MatchSettings, "seed")
    egdb: str = same_option(MatchSettings, "egdb")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.block % 2:
            raise InvalidSettingError(f"block: {self.block} games; expected an even number, two with each opening")

    def scale(self) -> dict[str, str]:
        """What all matches share, as text."""
        return {name: str(getattr(self, name)) for name in _SCALE}


@dataclass(frozen=True)
class Rung:
    """A player of a ladder."""

    player: str
    """Its text."""
    name: str
    signature: str
    added: str
    """Date on which it came, UTC."""


@dataclass
class Ladder:
    """Players and matches of a directory."""

    directory: Path
    scale: dict[str, str]
    rungs: list[Rung] = field(default_factory=list)
    matches: list[tuple[int, int]] = field(default_factory=list)
    """Numbers of the two players of each match."""
    interrupted: bool = False

    @classmethod
    def read(cls, directory: Path, scale: dict[str, str] | None = None) -> Ladder:
        """The ladder of a directory, a new one if there is none; whatever its scale if none is given. Raises
        InvalidSettingError for one of another scale, InvalidGamesError for a damaged one, OSError."""
        path = directory / LADDER_FILE
        if not path.exists():
            return cls(directory, scale or {})
        try:
            values = parse_json(read_regular(path))
            rungs = [typed(Rung(**each)) for each in values["players"]]
            matches = [(int(a), int(b)) for a, b in values["matches"]]
            recorded = dict(values["scale"])
            if not all(0 <= each < len(rungs) for sides in matches for each in sides):
                raise ValueError
        except (ValueError, LookupError, TypeError):
            raise InvalidGamesError(f"{path} is damaged: not a ladder") from None
        for name, text in recorded.items():
            if scale is not None and scale.get(name) != text:
                raise InvalidSettingError(
                    f"{directory}: a ladder with {name} {text}, not {scale.get(name)}; choose another directory"
                )
        return cls(directory, recorded, rungs, matches)

    def write(self) -> None:
        """Raises OSError."""
        values = {"scale": self.scale, "players": [asdict(each) for each in self.rungs], "matches": self.matches}
        write_atomic(self.directory / LADDER_FILE, json.dumps(values, indent=1) + "\n")

    def path_of(self, match: int) -> Path:
        """The games of a match."""
        return self.directory / _MATCH_FILE.format(match + 1)

    def tally(self, match: int) -> MatchTally:
        """The games of a match so far. Raises InvalidGamesError, OSError."""
        tally = MatchTally()
        log = log_of(self.path_of(match))
        for written in read_entries(log, Written.from_json) if log.exists() else ():
            tally.add(written.game)
        return tally

    def pairs(self) -> dict[tuple[int, int], list[int]]:
        """Pentanomials by players, the earlier one first. Raises InvalidGamesError, OSError."""
        found: dict[tuple[int, int], list[int]] = {}
        for number, (a, b) in enumerate(self.matches):
            counts = self.tally(number).pairs
            sides, counts = ((a, b), counts) if a < b else ((b, a), counts[::-1])
            found[sides] = [old + new for old, new in zip(found.get(sides, [0] * 5), counts, strict=True)]
        return found

    def ratings(self) -> Ratings:
        """Elo of all players."""
        return ratings(len(self.rungs), self.pairs())

    def summary(self) -> list[dict[str, Any]]:
        """The players, strongest first: name, text, date, Elo from the anchor with its 95% error, games."""
        rated, pairs = self.ratings(), self.pairs()
        rows = [
            {
                "name": rung.name,
                "player": rung.player,
                "added": rung.added,
                "elo": rated.elo[number] - rated.elo[0],
                "error": rated.apart[number][0] if number else 0.0,
                "games": 2 * sum(sum(counts) for sides, counts in pairs.items() if number in sides),
            }
            for number, rung in enumerate(self.rungs)
        ]
        return sorted(rows, key=lambda row: -float(str(row["elo"])))


def climb(settings: LadderSettings, on_match: Callable[[Ladder], None] = lambda ladder: None) -> Ladder:
    """Put players on a ladder, or play on for those that are on it; without players read it, also beside its writer.

    on_match: called after each match. Ctrl-C ends it with the games so far (`interrupted`); the same call resumes.
    Raises what matches and files raise.
    """
    if not settings.players:
        return Ladder.read(settings.dir)
    with lock_directory(settings.dir):
        ladder = Ladder.read(settings.dir, settings.scale())
        for spec in settings.players:
            if ladder.interrupted:
                break
            number = _rung(ladder, settings, spec)
            while not ladder.interrupted and _needs_match(ladder, settings, number):
                match = len(ladder.matches) - 1
                a, b = (ladder.rungs[each].player for each in ladder.matches[match])
                ladder.interrupted = play_match(_match(settings, a, b, match)).interrupted
                on_match(ladder)
        write_atomic(settings.dir / PICTURE_FILE, ladder_picture(ladder))
    return ladder


def _match(settings: LadderSettings, a: str, b: str, number: int) -> MatchSettings:
    """Settings of a match. Its openings are others than those of the matches before."""
    shared = {name: getattr(settings, name) for name in ("ballot", "tc", "workers", "hash", "egdb")}
    path = settings.dir / _MATCH_FILE.format(number + 1)
    return MatchSettings(a=a, b=b, games=settings.block, seed=settings.seed + number, pdn=path, **shared)


def _rung(ladder: Ladder, settings: LadderSettings, spec: str) -> int:
    """The number of a player, which is put on the ladder if it isn't there."""
    player = _match(settings, spec, spec, 0).player(spec)
    try:
        signatures = [rung.signature for rung in ladder.rungs]
        if player.signature in signatures:
            return signatures.index(player.signature)
        name = player.name
        if name in {rung.name for rung in ladder.rungs}:
            name += f" ({len(ladder.rungs) + 1})"
        added = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
        ladder.rungs.append(Rung(spec, name, player.signature, added))
    finally:
        player.close()
    ladder.write()
    return len(ladder.rungs) - 1


def _needs_match(ladder: Ladder, settings: LadderSettings, number: int) -> bool:
    """True if the last match was cut off, or one more was put down for a player that has not found its place."""
    if ladder.matches and ladder.tally(len(ladder.matches) - 1).games < settings.block:
        return True
    if number == 0:
        return False
    pairs, rated = ladder.pairs(), ladder.ratings()
    played = 2 * sum(sum(counts) for sides, counts in pairs.items() if number in sides)
    if rated.apart[number][0] <= settings.error or played >= settings.most:
        return False

    def worth(other: int) -> tuple[float, int]:
        """What a match tells: most of one close in strength, not met often; the latest of equals."""
        chance = score_of_elo(rated.elo[number] - rated.elo[other])
        met = 2 * sum(pairs.get((min(number, other), max(number, other)), ()))
        return chance * (1 - chance) / (settings.block + met), other

    ladder.matches.append((number, max((each for each in range(len(ladder.rungs)) if each != number), key=worth)))
    ladder.write()
    return True


def ladder_picture(ladder: Ladder) -> str:
    """Elo of the players with its error, in the order in which they came, as SVG."""
    rows = {str(row["name"]): row for row in ladder.summary()}
    points = [(rung.name, float(rows[rung.name]["elo"]), float(rows[rung.name]["error"])) for rung in ladder.rungs]
    points = [(name, elo, error) for name, elo, error in points if math.isfinite(error)]
    ends = min(elo - error for _, elo, error in points) - 5, max(elo + error for _, elo, error in points) + 5
    every = 50 * math.ceil((ends[1] - ends[0]) / 400)
    low, high = every * math.floor(ends[0] / every), every * math.ceil(ends[1] / every)
    width, height, left, top = 640, 280, 60, 20
    step, room = width / len(points), 9 * max(len(name) for name, _, _ in points)

    def y(elo: float) -> str:
        return f"{top + height * (high - elo) / (high - low):.1f}"

    parts = [
        f'<line x1="{left}" x2="{left + width}" y1="{y(elo)}" y2="{y(elo)}" stroke="#ccc"/>'
        f'<text x="{left - 8}" y="{y(elo)}" text-anchor="end" dominant-baseline="middle">{elo:+d}</text>'
        for elo in range(low, high + 1, every)
    ]
    places = [(f"{left + step * (i + 0.5):.1f}", *point) for i, point in enumerate(points)]
    parts.append(
        f'<polyline fill="none" stroke="#06a" points="{" ".join(f"{x},{y(elo)}" for x, _, elo, _ in places)}"/>'
    )
    for x, name, elo, error in places:
        parts.append(f'<line x1="{x}" x2="{x}" y1="{y(elo - error)}" y2="{y(elo + error)}" stroke="#06a"/>')
        parts.append(
            f'<circle cx="{x}" cy="{y(elo)}" r="4" fill="#06a"><title>{elo:+.1f} ± {error:.1f}</title></circle>'
        )
        below = f"{top + height + 14}"
        parts.append(f'<text x="{x}" y="{below}" transform="rotate(45 {x} {below})">{escape(name)}</text>')
    size = f'width="{left + width + room}" height="{top + height + 20 + room}"'
    style = 'font-family="sans-serif" font-size="12"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>', *parts, "</svg>"]) + "\n"
