"""Statistics of a collection of games: counts by result, opening, year and player."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

from kr.archives.archive import year_of
from kr.game.position import Position, Side
from kr.game.value import Result
from kr.notation import SIDE_NAMES
from kr.openings.decks import BALLOT_PLIES
from kr.openings.lines import opening_name
from kr.openings.names import ballots, eleven_man_ballots
from kr.pdn import Game
from kr.text import same_person

_START = Position()
SET_UP = "position set up"
OTHER = "other moves"
SHORT = "shorter than three moves"
UNDATED = "unknown"


@dataclass
class ResultCounts:
    """Counts of results."""

    games: int = 0
    black_wins: int = 0
    draws: int = 0
    white_wins: int = 0
    other: int = 0
    """Unfinished, unknown, or lost by both."""

    def add(self, result: Result) -> None:
        """Count one game."""
        self.games += 1
        self.black_wins += result is Result.BLACK_WON
        self.white_wins += result is Result.WHITE_WON
        self.draws += result is Result.DRAWN
        self.other += not result.is_scored


@dataclass
class PlayerResults:
    """One player's results."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    as_black: int = 0


@dataclass
class ArchiveStats:
    """Counts over games."""

    all: ResultCounts = field(default_factory=ResultCounts)
    plies: int = 0
    shortest: int = 0
    longest: int = 0
    results: Counter[str] = field(default_factory=Counter)
    openings: dict[str, ResultCounts] = field(default_factory=dict)
    """By ballot ("68 10-14 22-18 12-16 (White Doctor)", "11man 17"), or the reason for having none."""
    first_moves: dict[str, ResultCounts] = field(default_factory=dict)
    """By first move, with its name."""
    years: dict[str, ResultCounts] = field(default_factory=dict)
    players: dict[str, PlayerResults] = field(default_factory=dict)
    """By name in its first spelling: accents don't count, and "M. Surname" is "Surname, M"."""

    def __post_init__(self) -> None:
        self._spelling: dict[str, str] = {}

    def add(self, game: Game) -> None:
        """Count one game."""
        plies = sum(1 for _ in game.mainline())
        self.shortest = plies if not self.all.games else min(self.shortest, plies)
        self.longest = max(self.longest, plies)
        self.plies += plies
        self.results[game.result] += 1
        self.all.add(game.result)
        year = year_of(game.headers)
        for table, key in (
            (self.openings, opening_of(game)),
            (self.first_moves, first_move_of(game)),
            (self.years, str(year) if year else UNDATED),
        ):
            table.setdefault(key, ResultCounts()).add(game.result)
        self._add_players(game)

    def _add_players(self, game: Game) -> None:
        for side, name in zip(Side, SIDE_NAMES, strict=True):
            player = game.headers.get(name, "").strip()
            if not player.strip("?"):
                continue
            player = self._spelling.setdefault(same_person(player), player)
            tally = self.players.setdefault(player, PlayerResults())
            tally.games += 1
            tally.wins += game.winner == side
            tally.losses += game.winner == side.other
            tally.draws += game.result is Result.DRAWN
            tally.as_black += side == Side.BLACK


def opening_of(game: Game) -> str:
    """The ballot of a game: an 11-man one, or three moves in any order, known by the position after them.

    A game that starts in the position of a ballot has that ballot too.
    """
    if game.start != _START:
        start = game.start.bits
        number = eleven_man_ballots().get(start)
        return f"11man {number}" if number else str(ballots().get(start, SET_UP))
    boards = list(islice(game.mainline_bits(), BALLOT_PLIES + 1))
    if len(boards) <= BALLOT_PLIES:
        return SHORT
    return str(ballots().get(boards[-1], OTHER))


def first_move_of(game: Game) -> str:
    """The first move with its name."""
    if game.start != _START:
        return SET_UP
    first = game.next()
    named = opening_name(islice(game.mainline_bits(), 2))
    return f"{first.text} {named.name}" if first and named else SHORT
