"""Searching a collection for games: by tags, by opening, by position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kr.archives.archive import ReadSettings, year_of
from kr.errors import InvalidSettingError
from kr.game.position import Bits, Position
from kr.openings.names import OpeningPosition, find_opening
from kr.pdn import RESULTS, Game
from kr.pdn.grammar import plain_result
from kr.settings import option, some_text
from kr.text import plain_name


@dataclass(frozen=True)
class SearchSettings(ReadSettings):
    """Conditions, all of which a game must meet. Raises InvalidSettingError."""

    player: tuple[str, ...] = option(
        (), "Name of a player, or a part of it; given twice, both must have played.", metavar="NAME"
    )
    black: str = option("", "Black's name, or a part of it.", metavar="NAME")
    white: str = option("", "White's name, or a part of it.", metavar="NAME")
    event: str = option("", "A part of the Event tag.", metavar="TEXT")
    tag: tuple[str, ...] = option(
        (), "Part of another tag, such as Site=Glasgow; may be given several times.", metavar="NAME=TEXT"
    )
    year: str = option("", "A year, or years from and to: 1934, 1900-1910, 1950-.", metavar="YEARS")
    result: str = option("", "1-0 (Black won), 0-1, 1/2-1/2, 0-0 or *.", metavar="RESULT")
    ballot: str = option(
        "",
        "Opening: its name, such as 'Old Fourteenth', the number of a three-move ballot, an 11-man one as '11man 17', "
        "or moves in any order.",
        parse=some_text,
        metavar="OPENING",
    )
    position: str = option("", "Position that occurs in the game.", parse=some_text, metavar="FEN")
    reversed: bool = option(False, "Also look for the position with colours and board reversed.")
    in_variations: bool = option(False, "Also look for the position in variations.")
    out: Path | None = option(None, "Write the matching games to this PDN file.", metavar="FILE")
    limit: int = option(0, "Stop after this many games: {allowed}.", low=1, zero="all")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.result and plain_result(self.result) not in RESULTS:
            raise InvalidSettingError(f"result {self.result!r} is not one of {', '.join(RESULTS)}")
        if (self.reversed or self.in_variations) and not self.position:
            raise InvalidSettingError("--reversed and --in-variations apply to a --position: give one")
        for tag in self.tag:
            if "=" not in tag:
                raise InvalidSettingError(f"tag {tag!r} is not NAME=TEXT, such as Site=Glasgow")
        self.years()

    def years(self) -> tuple[int, int] | None:
        """First and last year; None for any."""
        if not self.year:
            return None
        first, dash, last = self.year.replace(" ", "").partition("-")
        try:
            low = int(first or 0)
            high = int(last or 9999) if dash else low
        except ValueError:
            low, high = 1, 0
        if low > high:
            raise InvalidSettingError(f"year {self.year!r} is not a year or a span such as 1934, 1900-1910 or 1950-")
        return low, high


@dataclass(frozen=True)
class Hit:
    """Place in a game at which the position occurs."""

    ply: int
    """Number of moves before it."""
    turned: bool
    """True if it occurs with colours swapped and the board turned round."""


class GameSearch:
    """A search, ready to use. Raises InvalidFenError, IllegalMoveError and InvalidSettingError for bad settings."""

    def __init__(self, settings: SearchSettings) -> None:
        self._settings = settings
        self._years = settings.years()
        self._openings: list[OpeningPosition] = find_opening(settings.ballot) if settings.ballot else []
        self._boards: dict[Bits, bool] = {}
        if settings.position:
            position = Position.from_fen(settings.position)
            if settings.reversed:
                self._boards[position.flipped().bits] = True
            self._boards[position.bits] = False

    def accepts(self, headers: Mapping[str, str]) -> bool:
        """True if the tags of a game meet the conditions."""
        settings = self._settings
        plain = {name: plain_name(headers.get(name, "")) for name in ("Black", "White", "Event")}
        players = map(plain_name, settings.player)
        return (
            all(name in plain["Black"] or name in plain["White"] for name in players)
            and plain_name(settings.black) in plain["Black"]
            and plain_name(settings.white) in plain["White"]
            and plain_name(settings.event) in plain["Event"]
            and all(tag_holds(headers, tag) for tag in settings.tag)
            and (not self._years or self._years[0] <= (year_of(headers) or -1) <= self._years[1])
        )

    def hit(self, game: Game) -> Hit | None:
        """Place at which a game meets the conditions (ply 0 without a position); None if it does not."""
        if self._settings.result and game.result != plain_result(self._settings.result):
            return None
        if self._openings and not any(self._opens(game, line) for line in self._openings):
            return None
        if not self._boards:
            return Hit(0, False)
        for ply, board in enumerate(game.mainline_bits()):
            if board in self._boards:
                return Hit(ply, self._boards[board])
        if self._settings.in_variations:
            for node in game.descendants():
                if node.is_legal and (board := node.bits) in self._boards:
                    return Hit(node.ply(), self._boards[board])
        return None

    def _opens(self, game: Game, line: OpeningPosition) -> bool:
        if game.start != Position():
            # the game starts where the opening leads
            return game.start.bits == line.board
        return next(islice(game.mainline_bits(), line.plies, None), None) == line.board


def tag_holds(headers: Mapping[str, str], tag: str) -> bool:
    """True if headers have a tag named NAME with TEXT in it, for a NAME=TEXT."""
    name, _, text = tag.partition("=")
    return plain_name(text) in plain_name(headers.get(name.strip(), "")) and name.strip() in headers
