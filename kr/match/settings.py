"""Settings of a match: the players, their limits, when it ends, and what is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kr.cluster.address import cluster_option
from kr.egdb.database import Database, load_database
from kr.engine.limits import Limits, TimeControl, parse_limits
from kr.engine.settings import egdb_memory_option, egdb_option, hash_option
from kr.errors import InvalidSettingError
from kr.match.crosstable import LETTERS, pairings_of
from kr.match.elo import Sprt
from kr.match.game import Adjudication
from kr.openings.decks import DECKS
from kr.players.player import Player
from kr.players.registry import PLAYER_HELP, kind_of, player_from_spec
from kr.settings import Settings, option, workers_option
from kr.threads import worker_count
from kr.units import MEBIBYTE, counted, format_count, format_duration, parse_count, parse_duration

MOST_GAMES = 10**7


@dataclass(frozen=True)
class MatchSettings(Settings):
    """Settings of a match. Raises InvalidSettingError if it can't be played."""

    a: str = option("shipped", f"First player: {PLAYER_HELP}.", argument=True, metavar="A")
    b: str = option("manual", "Second player.", argument=True, metavar="B")
    more: tuple[str, ...] = option((), "More players, each of which meets each.", argument=True, metavar="MORE")
    gauntlet: bool = option(False, "Have A meet all others, and no others each other.")
    ballot: str = option(
        "11man",
        f"Openings: {', '.join(DECKS)}, a name such as 'Old Fourteenth', or a file of FENs or PDN games; FILE.pdn:8 "
        "for those after 8 plies; 11man:accepted for those that a published list accepts; grades.jsonl:balanced or "
        ":hard for those that kr theory grade has graded so; 11man:edge, or grades.jsonl:edge, for those in which "
        "one side is close to a win, so that fewer games are drawn.",
    )
    games: int = option(
        200,
        "Games to play, two with each opening; of more than two players, in each pairing.",
        parse=parse_count,
        show=format_count,
        low=2,
        high=MOST_GAMES,
    )
    tc: Limits | TimeControl = option(
        Limits(time=0.3),
        "Limit of each move: 0.3s, nodes=2000, depth=8; or a clock: 5+3 (minutes and seconds), 40/30.",
        parse=parse_limits,
    )
    tc_b: Limits | TimeControl | None = option(None, "Limit or clock of B, if different.", parse=parse_limits)
    workers: int = workers_option("Games at a time")
    cluster: str = cluster_option()
    hash: int = hash_option("of each player")
    seed: int = option(1, "Seed of the order of openings.")
    adjudicate: bool = option(True, "End games that both players see as decided or drawn.")
    win_score: int = option(400, "Adjudicate a win when both players see one side ahead by this many centi-men.")
    win_moves: int = option(4, "Consecutive moves of each player for which that must hold.")
    draw_score: int = option(10, "Adjudicate a draw when both players' scores stay within this many centi-men of 0.")
    draw_moves: int = option(12, "Consecutive moves of each player for which that must hold.")
    draw_after: int = option(60, "Plies before which no draw is adjudicated.")
    egdb: str = egdb_option()
    egdb_memory: int = egdb_memory_option()
    egdb_adjudication: bool = option(True, "End games once the endgame database knows the result.")
    proof_adjudication: str = option(
        "outside",
        "End games once a player of kr at full strength has proved a win of either side: {allowed}; outside: where "
        "another program plays, so that a win which it can't finish is not a draw.",
        choices=("outside", "always", "never"),
    )
    margin: float = option(
        0.2,
        "Time by which a move may exceed its limit, or a clock may be overdrawn.",
        parse=parse_duration,
        show=format_duration,
    )
    patience: float = option(
        120.0, "Time that another engine may search without a time limit.", parse=parse_duration, show=format_duration
    )
    sprt: tuple[float, float] | None = option(
        None, "Stop once decided between these two Elo differences.", metavar="ELO0 ELO1"
    )
    normalized: bool = option(
        False,
        "Take these as differences of normalized Elo: the number of games for a verdict then hardly depends on the "
        "share of draws.",
    )
    log: Path | None = option(
        None, "Write all that is said to other engines and by them into this folder, with times.", metavar="DIR"
    )
    pdn: Path | None = option(None, "Write the games here; run the same command to resume.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.games % 2:
            raise InvalidSettingError(f"{counted(self.games, 'game')}: expected an even number, two with each opening")
        if Limits() in self.controls():
            raise InvalidSettingError("a match needs a limit of each move, such as 0.3s, nodes=2000 or depth=8")
        if self.more and (self.sprt or self.tc_b):
            name = "--sprt" if self.sprt else "--tc-b"
            raise InvalidSettingError(f"{name} is about two players; leave it out with {len(self.specs)}")
        if self.normalized and not self.sprt:
            raise InvalidSettingError("--normalized is about the test; add --sprt, such as --sprt 0 5")
        if len(self.specs) > len(LETTERS):
            raise InvalidSettingError(f"{len(self.specs)} players; expected at most {len(LETTERS)}")
        self.terms()
        self.test()

    @property
    def specs(self) -> tuple[str, ...]:
        """Texts of all players."""
        return (self.a, self.b, *self.more)

    def pairings(self) -> list[tuple[int, int]]:
        """Numbers of the two players of each pairing."""
        return pairings_of(len(self.specs), self.gauntlet)

    def terms(self) -> Adjudication | None:
        """Terms of adjudication; None if games are played out."""
        terms = Adjudication(self.win_score, self.win_moves, self.draw_score, self.draw_moves, self.draw_after)
        return terms if self.adjudicate else None

    def test(self) -> Sprt | None:
        """Sequential test that may end the match."""
        return None if self.sprt is None else Sprt(*self.sprt, normalized=self.normalized)

    def controls(self) -> tuple[Limits | TimeControl, Limits | TimeControl]:
        """Limits of each move, or clocks, of A and B."""
        return self.tc, self.tc_b or self.tc

    @property
    def ends_by_proof(self) -> bool:
        """True if a proved win ends a game."""
        has_program = any(kind_of(spec).starts_program for spec in self.specs)
        return self.proof_adjudication == "always" or (self.proof_adjudication == "outside" and has_program)

    @property
    def timed(self) -> bool:
        """True if the time of a search is limited, so that its result depends on the machine."""
        return any(control.time is not None for control in self.controls())

    def threads(self) -> int:
        """Number of games played at a time."""
        return min(worker_count(self.workers), self.games // 2 * len(self.pairings()))

    def player(self, spec: str) -> Player:
        """A new player of this match."""
        return player_from_spec(spec, self.hash // MEBIBYTE, self.patience, self.egdb, self.egdb_memory, log=self.log)

    def referee(self) -> Database | None:
        """Endgame database that ends games; None if there is none."""
        return load_database(self.egdb, self.egdb_memory) if self.egdb_adjudication else None
