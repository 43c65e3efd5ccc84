"""Annotating a game: moves judged, marks put into its tree, and how well each side played, in one game and in many.

    game = kr.pdn.read_game(text)
    annotation = annotate(game, kr.Engine(), JudgeSettings(tc=kr.Limits(time=0.3)))
    print(annotation.black.accuracy, [judged for judged in annotation.moves if judged.mark == "??"])
    print(game)

`kr.analysis.annotation.files` annotates the games of files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from kr.analysis.annotation.accuracy import move_quality, move_weight
from kr.analysis.annotation.coach import with_reasons
from kr.analysis.annotation.judgement import AVOIDED, MARKS, ONLY, OPENING, OVERSIGHT, TRAP, JudgedMove
from kr.analysis.annotation.judging import JudgeSettings, judge_moves
from kr.analysis.annotation.marking import mark_game
from kr.analysis.annotation.mistakes import PlayerMistakes
from kr.analysis.annotation.people import with_people
from kr.analysis.annotation.story import tell
from kr.book.book import OpeningBook
from kr.book.path import Departure, departure_from
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.engine.search import Stop
from kr.game.position import Side
from kr.language.sentences import Sentence, Told
from kr.notation import SIDE_NAMES
from kr.pdn import Game
from kr.players.people import People
from kr.policy.policy import Policy
from kr.proofs.library import ProofLibrary
from kr.settings import check_type
from kr.text import same_person

NO_FIGURE = "\N{EN DASH}"
"""In place of a figure that is not known."""
UNKNOWN_PLAYER = "?"
"""Name of a player whom the tags don't name."""


def _figure(name: str, **values: Told) -> Sentence:
    return Sentence(f"report.{name}", values)


@dataclass(frozen=True)
class MoveTally:
    """Quality of a player's moves."""

    games: int = 0
    moves: int = 0
    """Judged moves."""
    best: int = 0
    """Judged moves that were as good as any other."""
    given: float = 0.0
    """Sum of the expected result given away."""
    inaccuracies: int = 0
    mistakes: int = 0
    blunders: int = 0
    only: int = 0
    """Moves marked as the only good one."""
    traps: int = 0
    """Mistakes and blunders that people are likely to make."""
    oversights: int = 0
    """Mistakes and blunders that few make."""
    avoided: int = 0
    """Only moves where people are likely to play another."""
    weight: float = 0.0
    """Sum of the weights of the moves in the accuracy."""
    quality: float = 0.0
    """Sum of the scores of the moves, from 0 to 1, each times its weight."""

    @property
    def accuracy(self) -> float | None:
        """Accuracy from 0 to 100 (`kr.analysis.annotation.accuracy`); None if no move mattered."""
        return 100 * self.quality / self.weight if self.weight else None

    @property
    def unmarked(self) -> float:
        """Percentage of judged moves without a bad mark; 100 if none was judged."""
        bad = self.inaccuracies + self.mistakes + self.blunders
        return 100 * (1 - bad / self.moves) if self.moves else 100.0

    @property
    def loss(self) -> float:
        """Average expected result given away by a judged move, from 0 to 1."""
        return self.given / self.moves if self.moves else 0.0

    def __add__(self, other: MoveTally) -> MoveTally:
        return MoveTally(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(MoveTally)))

    def __str__(self) -> str:
        return ", ".join(map(str, self.figures()))

    def figures(self) -> list[Sentence]:
        """What it has, each as a sentence."""
        if not self.moves:
            return [_figure("unjudged")]
        marks = {"inaccuracies": self.inaccuracies, "mistakes": self.mistakes, "blunders": self.blunders}
        slips = {"traps": self.traps, "oversights": self.oversights, "avoided": self.avoided}
        return [
            *([] if self.accuracy is None else [_figure("accuracy", number=f"{self.accuracy:.1f}")]),
            # an unmarked move need not be a best one: its loss may be below the threshold of a mark
            _figure("best", best=self.best, count=self.moves),
            _figure("unmarked", percent=f"{self.unmarked:.1f}"),
            _figure("loss", number=f"{self.loss:.3f}"),
            *(_figure(name if count else f"{name}.none", count=count) for name, count in marks.items()),
            *(_figure(name, count=count) for name, count in slips.items() if count),
        ]

    @classmethod
    def of_object(cls, values: Mapping[str, Any]) -> MoveTally:
        """The tally of a JSON object. Games that an earlier kr judged have no traps, oversights and accuracy."""
        return cls(**{each.name: values[each.name] for each in fields(cls) if each.name in values})

    def as_object(self) -> dict[str, Any]:
        """The tally as a JSON object."""
        accuracy = None if self.accuracy is None else round(self.accuracy, 4)
        sums = {"weight": round(self.weight, 6), "quality": round(self.quality, 6)}
        return {
            **asdict(self), **sums, "accuracy": accuracy, "unmarked": round(self.unmarked, 4),
            "loss": round(self.loss, 6),
        }  # fmt: skip


TABLE = ("Player", "accuracy", "judged", "best", "unmarked", "loss", *MARKS, ONLY)
"""Columns of the players' table of a game."""


@dataclass(frozen=True)
class Annotation:
    """Result of annotating a game."""

    moves: tuple[JudgedMove, ...]
    """All moves of the game."""
    settings: JudgeSettings = field(default_factory=JudgeSettings)
    """Settings with which they were judged."""
    story: tuple[Sentence, ...] = ()
    """The game in a few sentences."""
    departure: Departure | None = None
    """The move that left the opening book; None without a book, and if no move did."""

    @property
    def opening(self) -> int:
        """Number of plies at the beginning that are not judged."""
        return sum(each.reason == OPENING for each in self.moves)

    @property
    def black(self) -> MoveTally:
        """Black's moves."""
        return self.of(Side.BLACK)

    @property
    def white(self) -> MoveTally:
        """White's moves."""
        return self.of(Side.WHITE)

    def of(self, side: Side) -> MoveTally:
        """A side's moves."""
        judgements = [each for each in self.moves if each.judged and each.side == side]
        marks, slips = [each.mark for each in judgements], [each.slip for each in judgements]
        return MoveTally(
            1, len(judgements), sum(each.best == each.move for each in judgements),
            sum(each.loss for each in judgements),
            marks.count("?!"), marks.count("?"), marks.count("??"), marks.count(ONLY),
            slips.count(TRAP), slips.count(OVERSIGHT), slips.count(AVOIDED),
            sum(map(move_weight, judgements)), sum(move_weight(each) * move_quality(each) for each in judgements),
        )  # fmt: skip

    @property
    def report(self) -> str:
        """The tallies of both sides in words."""
        sides = {"black": self.black, "white": self.white}
        sentences = [_figure("side", side=side, figures=tally.figures()) for side, tally in sides.items()]
        if self.opening:
            sentences.append(_figure("opening", count=self.opening))
        return " ".join(map(str, sentences))

    def table(self, headers: Mapping[str, str]) -> list[list[str]]:
        """Black's and White's row of the TABLE as text. headers: tags, which may name the players."""
        rows = []
        for side in Side:
            tally = self.of(side)
            counts = (tally.inaccuracies, tally.mistakes, tally.blunders, tally.only)
            accuracy, unmarked = accuracy_text(tally), f"{tally.unmarked:.1f}%" if tally.moves else NO_FIGURE
            name = player_name(headers, SIDE_NAMES[side])
            name = SIDE_NAMES[side] if name == UNKNOWN_PLAYER else name
            facts = [str(tally.moves), str(tally.best), unmarked, f"{tally.loss:.3f}"]
            rows.append([name, accuracy, *facts, *map(str, counts)])
        return rows


def annotate(
    game: Game,
    engine: Engine,
    settings: JudgeSettings | None = None,
    line_plies: int = 12,
    by: str = "",
    stop: Stop | None = None,
    on_move: Callable[[JudgedMove], None] = lambda judgement: None,
    policy: Policy | None = None,
    proofs: ProofLibrary | None = None,
    book: OpeningBook | None = None,
) -> Annotation:
    """Judge the moves of a game and put marks, comments and better lines into its tree, in place of earlier ones.

    engine: its hash table is cleared first; with limits of nodes or depth and one thread, the same game always gets the
    same marks. line_plies: most plies of a better line; 0 for none. by: text for the Annotator tag, instead of
    `signature`. stop: ends all its searches; the marks are then useless. on_move: called with each move once it is
    judged, from the last to the first, until it is stopped. policy: moves that people play, for traps and oversights.
    proofs: certificates whose values count. book: the story tells who left it. Raises InvalidDatabaseError and
    InvalidBookError; KeyboardInterrupt and what on_move raises pass through. After an exception the game is unchanged.
    """
    check_type("the game", game, Game)
    settings = settings or JudgeSettings()
    moves = judge_moves(game, engine, settings, stop, on_move, proofs)
    moves = with_reasons(game, moves, engine, settings, stop)
    if policy is not None:
        moves = with_people(game, moves, People(policy, engine.database), settings)
    departure = departure_from(list(game.positions()), game.moves, book, settings.first_ply(game))
    annotation = Annotation(moves, settings, tell(game, moves, departure=departure), departure)
    mark(game, annotation, by or signature(engine, settings.tc), line_plies)
    return annotation


def mark(game: Game, annotation: Annotation, by: str, line_plies: int) -> None:
    """Put the marks, the story and the report into a game. by: text for the Annotator tag, without a semicolon;
    line_plies: most plies of a better line."""
    figures = [annotation.of(side).accuracy for side in Side]
    mark_game(game, annotation.moves, annotation.story, figures, annotation.report, by, line_plies)


def signature(engine: Engine, limits: Limits) -> str:
    """Text for the Annotator tag: version, limits, weights and database."""
    from kr import __version__

    endings = "no endgame database" if engine.database is None else f"endgames {engine.database.reach}"
    return f"kr {__version__} ({limits} a position, weights {engine.name}, {endings})".replace(";", ",")


@dataclass
class AnnotateReport:
    """Summary of all games annotated so far."""

    settings: JudgeSettings
    """Settings with which they were judged."""
    games: int = 0
    left_out: int = 0
    """Number of games that could not be read."""
    players: dict[str, MoveTally] = field(default_factory=dict)
    """Tallies by the names in the tags Black and White, in their first spelling."""
    doubts: list[str] = field(default_factory=list)
    """Files whose results make more sense in the other convention, and why."""
    mistakes: PlayerMistakes | None = None
    """Those of the player whose games alone were annotated; None if all were."""

    def __post_init__(self) -> None:
        self._spelling: dict[str, str] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a game, given as an entry of `annotate_files`."""
        self.games += 1
        if self.mistakes is not None:
            self.mistakes.add(record)
        for side in ("black", "white"):
            tally = MoveTally.of_object(record[side])
            player = player_name(record["headers"], side)
            name = self._spelling.setdefault(same_person(player), player)
            self.players[name] = self.players.get(name, MoveTally()) + tally

    def ranked(self) -> list[tuple[str, MoveTally]]:
        """Players and their tallies, most games first."""
        return sorted(self.players.items(), key=lambda item: (-item[1].games, item[0]))

    def summary(self) -> dict[str, Any]:
        """The summary as a JSON object."""
        return {
            "games": self.games,
            "left_out": self.left_out,
            "moves": sum(tally.moves for tally in self.players.values()),
            "players": [{"name": name, **tally.as_object()} for name, tally in self.ranked()],
        }


def accuracy_text(tally: MoveTally) -> str:
    """The accuracy with one digit, or NO_FIGURE."""
    return NO_FIGURE if tally.accuracy is None else f"{tally.accuracy:.1f}"


def player_name(headers: Mapping[str, str], side: str) -> str:
    """Name of a side's player; "?" if the tags don't name one."""
    return " ".join(headers.get(side.capitalize(), "").split()) or UNKNOWN_PLAYER
