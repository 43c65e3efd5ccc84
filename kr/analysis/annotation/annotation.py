"""Annotating a game: moves judged, marks put into the tree, and how well who played, in it and in many games.

    game = kr.pdn.read_game(text)
    annotation = annotate(game, kr.Engine(), JudgeSettings(tc=kr.Limits(time=0.3)))
    print(annotation.black.accuracy, [judged for judged in annotation.moves if judged.mark == "??"])
    print(game)

`kr.analysis.annotation.files` does so with the games of files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from kr.analysis.annotation.judging import ONLY, OPENING, JudgedMove, JudgeSettings, judge_moves
from kr.analysis.annotation.marking import mark_game, unjudged_opening
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.game.position import Side
from kr.pdn import Game

UNKNOWN_PLAYER = "?"
"""The name of players whom the tags don't name."""


@dataclass(frozen=True)
class MoveTally:
    """How somebody played."""

    games: int = 0
    moves: int = 0
    """Judged ones."""
    best: int = 0
    """Of these, as good as any other move."""
    given: float = 0.0
    """Expected result that they gave away together."""
    inaccuracies: int = 0
    mistakes: int = 0
    blunders: int = 0
    only: int = 0
    """Moves marked as the only ones."""

    @property
    def accuracy(self) -> float:
        """Per cent of the judged moves that have no mark against them; 100 where there are none."""
        bad = self.inaccuracies + self.mistakes + self.blunders
        return 100 * (1 - bad / self.moves) if self.moves else 100.0

    @property
    def loss(self) -> float:
        """Expected result given away by a judged move on average, from 0 to 1."""
        return self.given / self.moves if self.moves else 0.0

    def __add__(self, other: MoveTally) -> MoveTally:
        return MoveTally(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(MoveTally)))

    def __str__(self) -> str:
        counts = [
            _count(self.inaccuracies, "inaccuracy", "inaccuracies"),
            _count(self.mistakes, "mistake", "mistakes"),
            _count(self.blunders, "blunder", "blunders"),
        ]
        if not self.moves:
            return "no move judged"
        # as many best moves as unmarked ones there need not be: less than a mark takes may have been given away
        judged = f"{self.best} of {_count(self.moves, 'judged move', 'judged moves')} best"
        return f"{judged}, {self.accuracy:.1f}% without a mark, loss {self.loss:.3f}, {', '.join(counts)}"

    def as_object(self) -> dict[str, Any]:
        """For programs."""
        return {**asdict(self), "accuracy": round(self.accuracy, 4), "loss": round(self.loss, 6)}


@dataclass(frozen=True)
class Annotation:
    """What came of a game."""

    moves: tuple[JudgedMove, ...]
    """All that were played."""
    settings: JudgeSettings = field(default_factory=JudgeSettings)
    """How they were judged."""

    @property
    def opening(self) -> int:
        """Plies at the beginning that are not judged."""
        return sum(each.reason == OPENING for each in self.moves)

    @property
    def black(self) -> MoveTally:
        """How Black played."""
        return self.of(Side.BLACK)

    @property
    def white(self) -> MoveTally:
        """How White played."""
        return self.of(Side.WHITE)

    def of(self, side: Side) -> MoveTally:
        """How a side played."""
        judged = [each for each in self.moves if each.judged and each.side == side]
        marks = [each.mark for each in judged]
        return MoveTally(
            1, len(judged), sum(each.best == each.move for each in judged), sum(each.loss for each in judged),
            marks.count("?!"), marks.count("?"), marks.count("??"), marks.count(ONLY),
        )  # fmt: skip


def annotate(
    game: Game,
    engine: Engine,
    settings: JudgeSettings | None = None,
    line_plies: int = 12,
    by: str = "",
    stop: Stop | None = None,
) -> Annotation:
    """Judge the moves of a game and put marks, comments and better lines into its tree, in place of earlier ones.

    engine: its hash table is emptied first; with limits of nodes or depth and one thread the same game gets the same
    marks, whatever was searched before. line_plies: the most plies of a better line, 0 for none. by: what the
    Annotator tag says; `signature` if not given. stop: ends all its searches; what is found then is of no use.
    Raises InvalidDatabaseError, and lets KeyboardInterrupt through; the game is as it was then.
    """
    settings = settings or JudgeSettings()
    annotation = Annotation(judge_moves(game, engine, settings, stop), settings)
    report = f"Black: {annotation.black}. White: {annotation.white}."
    if annotation.opening:
        report += f" {unjudged_opening(annotation.opening)}"
    mark_game(game, annotation.moves, report, by or signature(engine, settings.tc), line_plies)
    return annotation


def signature(engine: Engine, limits: Limits) -> str:
    """Who annotates, as the Annotator tag says it."""
    from kr import __version__

    known = "no endgame database" if engine.database is None else f"endgames up to {engine.database.pieces} pieces"
    return f"kr {__version__} ({limits} a position, weights {engine.name}, {known})".replace(";", ",")


@dataclass
class AnnotateReport:
    """What came of all games, so far."""

    settings: JudgeSettings
    """With which they were judged."""
    games: int = 0
    left_out: int = 0
    """Games that could not be read."""
    players: dict[str, MoveTally] = field(default_factory=dict)
    """By the names in the tags Black and White."""

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a game, given as `annotate_files` tells of it."""
        self.games += 1
        for side in ("black", "white"):
            tally = MoveTally(**{each.name: record[side][each.name] for each in fields(MoveTally)})
            name = player_name(record["headers"], side)
            self.players[name] = self.players.get(name, MoveTally()) + tally

    def ranked(self) -> list[tuple[str, MoveTally]]:
        """The players, those with most games first."""
        return sorted(self.players.items(), key=lambda item: (-item[1].games, item[0]))

    def summary(self) -> dict[str, Any]:
        """For programs."""
        return {
            "games": self.games,
            "left_out": self.left_out,
            "moves": sum(tally.moves for tally in self.players.values()),
            "players": [{"name": name, **tally.as_object()} for name, tally in self.ranked()],
        }


def player_name(headers: Mapping[str, str], side: str) -> str:
    """Who played a side, "?" where the tags don't tell."""
    return " ".join(headers.get(side.capitalize(), "").split()) or UNKNOWN_PLAYER


def _count(count: int, one: str, many: str) -> str:
    return f"{count or 'no'} {one if count == 1 else many}"
