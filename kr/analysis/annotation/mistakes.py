"""A player's mistakes in many games: what goes wrong most by the reasons for marks, in which openings and endings, and
what trains it. It counts marks, and tells no shares: few games would not hold them.

A mark counts by its first reason, which tells most. The page of a player counts alike (kr/page/static/player); what
both have in common, tests/cases/player.json holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kr.analysis.annotation.judgement import MARKS
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.language.sentences import Sentence, texts
from kr.text import same_person

MOST_IN_ENDING, LEAST_IN_OPENING = 8, 20
"""Most pieces of an ending, and least of an opening."""
THEMES = {
    "shot": "shot", "shot_missed": "shot",
    "two_for_one": "two-for-one", "two_for_one_missed": "two-for-one",
    "breeches": "breeches", "breeches_missed": "breeches",
    "lost_ending": "only-move", "drawn_ending": "only-move", "draw_missed": "only-move", "win_missed": "only-move",
    "move_lost": "only-move", "move_missed": "only-move",
    "first_position": "first-position", "first_position_missed": "first-position",
}  # fmt: skip
"""Themes of puzzles (`kr.problems.themes`) that train what a reason names."""


def kind_name(kind: str) -> str:
    """A kind of mistake in words; "" is one without a reason."""
    name = f"kind.{kind or 'none'}"
    return str(Sentence(name)) if name in texts("en") else kind.replace("_", " ")


@dataclass(frozen=True)
class Mistake:
    """A marked move."""

    game: int
    """Number of the game."""
    label: str
    """The move with its number and its mark."""
    loss: float
    """Expected result given away."""
    kind: str
    """Name of its first reason, as in why.shot; "" without one."""
    why: str
    """That reason in words."""
    better: str
    side: str
    fen: str
    """The position before it."""
    value: str | None
    """Value of that position, if it is proved."""
    own: int
    """Pieces of the player in it."""
    others: int
    opening: str

    @property
    def is_in_opening(self) -> bool:
        """True if it was made in the opening."""
        return self.own + self.others >= LEAST_IN_OPENING

    @property
    def ending(self) -> str:
        """Pieces of the ending in which it was made, the player's first, such as 2v1; "" if that is none."""
        return f"{self.own}v{self.others}" if self.own + self.others <= MOST_IN_ENDING else ""


@dataclass(frozen=True)
class MistakeGroup:
    """Mistakes that have something in common."""

    name: str
    mistakes: tuple[Mistake, ...]
    side: str = ""
    """Of the player in an opening."""
    games: int = 0
    """Those with that opening."""

    @property
    def given(self) -> float:
        """Expected result given away."""
        return sum(each.loss for each in self.mistakes)

    @property
    def early(self) -> int:
        """Mistakes made in the opening."""
        return sum(each.is_in_opening for each in self.mistakes)

    @property
    def worst(self) -> Mistake:
        """The mistake that gave away most."""
        return max(self.mistakes, key=lambda each: (each.loss, -each.game))

    def as_object(self) -> dict[str, Any]:
        """The group as a JSON object."""
        opening = {"side": self.side, "games": self.games, "early": self.early} if self.side else {}
        count, given = len(self.mistakes), round(self.given, 4)
        return {"name": self.name, **opening, "marks": count, "given": given, "worst": asdict(self.worst)}


@dataclass(frozen=True)
class Drill:
    """What trains some mistakes."""

    marks: int
    what: str
    command: str
    page: str
    """Address on the page of kr web, behind the #."""


class PlayerMistakes:
    """The mistakes of a player in the games counted so far. names: spellings of the name."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._keys = {same_person(name) for name in names}
        self._openings: dict[tuple[str, str], int] = {}
        self.mistakes: list[Mistake] = []

    def side_in(self, headers: Mapping[str, str]) -> Side | None:
        """Side of the player in a game; None if that is neither or both."""
        sides = [side for side in Side if same_person(headers.get(side.name.capitalize(), "")) in self._keys]
        return sides[0] if len(sides) == 1 else None

    def plays(self, headers: Mapping[str, str]) -> bool:
        """True for a game of the player."""
        return self.side_in(headers) is not None

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a game, given as an entry of `annotate_files`."""
        side = self.side_in(record["headers"])
        if side is None:
            return
        colour, opening = side.name.lower(), record["headers"].get("Opening", "")
        self._openings[opening, colour] = self._openings.get((opening, colour), 0) + 1
        for each in record["moves"]:
            if each["side"] == colour and each["mark"] in MARKS:
                self.mistakes.append(_mistake(record["number"], each, opening))

    def kinds(self) -> list[MistakeGroup]:
        """Mistakes by their kinds, the most first, those without a reason last."""
        return sorted(self._grouped(lambda each: each.kind), key=lambda group: (not group.name, *_most(group)))

    def openings(self) -> list[MistakeGroup]:
        """Mistakes in games whose opening has a name, by that and colour, the most first."""
        return sorted(
            (
                MistakeGroup(name, mistakes, side, games)
                for (name, side), games in self._openings.items()
                if name and (mistakes := self._those(lambda each: (each.opening, each.side) == (name, side)))  # noqa: B023
            ),
            key=_most,
        )

    def endings(self) -> list[MistakeGroup]:
        """Mistakes in endings by their pieces, the most first."""
        return sorted((each for each in self._grouped(lambda each: each.ending) if each.name), key=_most)

    def drills(self, file: str) -> list[Drill]:
        """What trains the mistakes, the most first. file: the annotated games; "" if they are not kept."""
        of_theme = self._grouped(lambda each: THEMES.get(each.kind, ""))
        drills = [
            Drill(len(each.mistakes), each.name, f"kr learn --theme {each.name}", f"learn/theme/{each.name}")
            for each in sorted(of_theme, key=_most)
            if each.name
        ]
        known = self._those(lambda each: bool(each.ending) and each.value in (Value.WIN, Value.DRAW))
        if known:
            worst = MistakeGroup("", known).worst
            command = f'kr play --side {worst.side} --ballot "{worst.fen}"'
            drills.append(Drill(len(known), f"ending {worst.ending}", command, f"endings/{worst.value}/{worst.fen}"))
        if self.mistakes and file:
            from urllib.parse import quote

            page = f"player/{quote(self.names[0], safe='')}"
            drills.append(Drill(len(self.mistakes), "own mistakes", f'kr web "{file}"', page))
        return drills

    def as_object(self, file: str) -> dict[str, Any]:
        """The mistakes as a JSON object. file: as of `drills`."""
        return {
            "names": list(self.names),
            "games": sum(self._openings.values()),
            "marks": len(self.mistakes),
            "without_reason": sum(not each.kind for each in self.mistakes),
            "kinds": [each.as_object() for each in self.kinds()],
            "openings": [each.as_object() for each in self.openings()],
            "endings": [each.as_object() for each in self.endings()],
            "drills": [asdict(each) for each in self.drills(file)],
        }

    def _those(self, wanted: Callable[[Mistake], bool]) -> tuple[Mistake, ...]:
        # games come as they are done
        return tuple(sorted(filter(wanted, self.mistakes), key=lambda each: (each.game, -each.loss, each.label)))

    def _grouped(self, key: Callable[[Mistake], str]) -> Iterable[MistakeGroup]:
        names = dict.fromkeys(map(key, self.mistakes))
        return (MistakeGroup(name, self._those(lambda each: key(each) == name)) for name in names)  # noqa: B023


def _most(group: MistakeGroup) -> tuple[float, float, str]:
    return -len(group.mistakes), -group.given, group.name


def _mistake(game: int, move: Mapping[str, Any], opening: str) -> Mistake:
    position = Position.from_fen(move["fen"])
    counts = position.black.bit_count(), position.white.bit_count()
    own, others = counts if move["side"] == "black" else counts[::-1]
    reason = next(iter(move["why"]), None)
    return Mistake(
        game, f"{move['label']}{move['mark']}", move["loss"], reason["say"].removeprefix("why.") if reason else "",
        str(Sentence(reason["say"], reason["with"])) if reason else "", move["best"], move["side"], move["fen"],
        move["value_before"], own, others, opening,
    )  # fmt: skip
