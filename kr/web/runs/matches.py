"""A match as a page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kr.errors import InvalidGamesError, InvalidSettingError, KrError
from kr.game.outcome import OVERTIME
from kr.jobs.journal import JournalView, begun_settings
from kr.learn.training.history import FILE as HISTORY_FILE
from kr.match.elo import Sprt, estimate
from kr.match.game import FAILURE
from kr.match.log import Written, log_of
from kr.match.tally import MatchTally
from kr.match.verdict import PairsInOrder
from kr.storage import open_regular
from kr.web.runs.files import own
from kr.web.runs.kinds import (
    LAST_GAMES,
    FileRun,
    Json,
    OneRun,
    chart,
    games_there,
    line,
    page_table,
    picked,
    settings_of,
    story,
    strength,
    tested,
)

MOST_GAME = 1 << 20
"""Bytes of a game's text."""
PAIR_POINTS = ("0", "½", "1", "1½", "2")


def match_run(path: Path) -> type[OneRun] | None:
    """The kind of run that a file of games is the output of, by the log beside it; None if it is not of a match."""
    try:
        settings = begun_settings(own(log_of(path)))
    except (KrError, OSError):
        return None
    return MatchRun if settings is not None and "players" in settings else None


class MatchRun(FileRun):
    """A match: a PDN file with its log beside it."""

    kind = "match"

    def __init__(self, path: Path, names: frozenset[str]) -> None:
        super().__init__(path, names)
        self._log = JournalView(log_of(path), Written.from_json)
        self._ordered: PairsInOrder | None = None
        self._in_order_games = 0
        self._beginning = 0
        self._names: tuple[str, str] | None = None

    def sources(self) -> Sequence[Path]:
        return [log_of(self.path)]

    def look(self) -> None:
        """Take in what the log has now."""
        own(log_of(self.path))
        self._log.look()
        if self._beginning != self._log.beginnings:
            self._beginning = self._log.beginnings
            self.tally, self._outcomes, self._names = MatchTally(), bytearray(), None
            self._ordered = None
        for entry in self._log.entries[self.tally.games :]:
            before = list(self.tally.pairs)
            self.tally.add(entry.game)
            self._outcomes += bytes(i for i, count in enumerate(self.tally.pairs) if count > before[i])

    @property
    def games(self) -> list[Written]:
        """The games so far."""
        return self._log.entries

    def _plan(self) -> tuple[int | None, Sprt | None]:
        """Games wanted and the test; None where the log does not say, or the match went on beyond."""
        settings = settings_of(self._log.provenance)
        games, sprt = settings.get("games"), settings.get("sprt")
        if HISTORY_FILE in self.names:
            # the gate of a training run ends by a test that the log does not know
            games = None
        try:
            test = Sprt(float(sprt[0]), float(sprt[1])) if sprt else None
        except (TypeError, ValueError, LookupError):
            test = None
        return (games if isinstance(games, int) and games >= len(self.games) else None), test

    def _in_order(self, test: Sprt) -> PairsInOrder:
        """The pairs on which the verdict rests."""
        if self._ordered is None or self._ordered.test != test:
            self._ordered, self._in_order_games = PairsInOrder(test), 0
        for entry in self._log.entries[self._in_order_games :]:
            self._ordered.add(entry.game)
        self._in_order_games = len(self._log.entries)
        return self._ordered

    def progress(self) -> Json:
        self.look()
        wanted, test = self._plan()
        decision = self._in_order(test).decision if test else None
        complete = None if wanted is None and not decision else bool(decision) or len(self.games) == wanted
        return {"state": self.state(complete), "progress": games_there(len(self.games), wanted)}

    def content(self) -> Json:
        self.look()
        tally, (wanted, test) = self.tally, self._plan()
        names = self._players()
        facts = [
            ("Games", games_there(tally.games, wanted)),
            (f"Wins, losses, draws of {names[0]}", "-".join(str(tally.points[points]) for points in (2, 0, 1))),
            *strength(tally.pairs),
            *tested(test, self._in_order(test).pentanomial if test else ()),
        ]
        if warning := tally.warning():
            facts.append(("Warning", warning))
        settings = self._log.settings
        labels = {"tc": "Limit", "tc_b": "Limit of B", "ballot": "Openings", "seed": "Seed"}
        facts += [(label, str(settings[key])) for key, label in labels.items() if settings.get(key) is not None]
        facts += story(self._log.provenance)
        return {
            "facts": facts,
            "tables": [
                page_table("Pairs", ["points of two games", "pairs"], list(zip(PAIR_POINTS, tally.pairs, strict=True))),
                self._sides(names),
                page_table("Ends of the games", ["reason", "games"], tally.reasons.most_common()),
                self._last(names),
            ],
            "charts": self._charts(names, test),
        }

    def _players(self) -> tuple[str, str]:
        """Names of A and B, from the first game."""
        if self._names is None and self.games:
            from kr.pdn import read_game

            game = read_game(self.game(0))
            if game is not None:
                black, white = (game.headers.get(each, "?") for each in ("Black", "White"))
                self._names = (black, white) if self.games[0].game.a_black else (white, black)
        return self._names or ("A", "B")

    def _sides(self, names: tuple[str, str]) -> Json:
        rows = []
        for letter, (name, effort, lost) in enumerate(zip(names, self.tally.efforts, self.tally.lost, strict=True)):
            rows.append([
                f"{'AB'[letter]}: {name}", f"{effort.depth / max(effort.searches, 1):.1f}",
                f"{effort.nodes / effort.seconds:,.0f}" if effort.seconds else "-", lost[OVERTIME], lost[FAILURE],
            ])  # fmt: skip
        return page_table("Players", ["player", "mean depth", "nodes/s", "lost on time", "failures"], rows)

    def _last(self, names: tuple[str, str]) -> Json:
        rows, numbers = [], []
        for number in range(len(self.games) - 1, max(-1, len(self.games) - 1 - LAST_GAMES), -1):
            game = self.games[number].game
            black, white = names if game.a_black else names[::-1]
            won = {0: names[1], 1: "drawn", 2: names[0]}[game.points]
            rows.append([number + 1, game.opening, black, white, won, game.reason, game.plies])
            numbers.append(number)
        head = ["game", "opening", "Black", "White", "winner", "reason", "plies"]
        return {**page_table("Last games", head, rows), "games": numbers}

    def _charts(self, names: tuple[str, str], test: Sprt | None) -> list[Json]:
        elo, llr = [], []
        pairs = [0] * 5
        wanted = set(picked(len(self._outcomes)))
        for number, outcome in enumerate(self._outcomes):
            pairs[outcome] += 1
            if number not in wanted:
                continue
            result = estimate(pairs)
            elo.append([2 * number + 2, round(result.elo, 2), round(result.elo_error, 2)])
            if test:
                llr.append([2 * number + 2, round(test.llr(pairs), 3)])
        charts = [chart("Elo with its 95% error", "games", f"Elo of {names[0]}", [line(names[0], elo, "band")])]
        if test:
            ends = [2, max(2 * len(self._outcomes), 4)]
            bounds = [(f"H1: {test.elo1:g} Elo", test.upper), (f"H0: {test.elo0:g} Elo", test.lower)]
            guides = [line(name, [[x, round(bound, 3)] for x in ends], "guide") for name, bound in bounds]
            charts.append(chart("Log likelihood ratio", "games", "LLR", [line("LLR", llr), *guides]))
        return charts

    def game(self, number: int) -> str:
        if not 0 <= number < len(self.games):
            raise InvalidSettingError(f"the match has no game {number + 1}")
        begin = self.games[number - 1].end if number else 0
        length = self.games[number].end - begin
        if not 0 < length <= MOST_GAME:
            raise InvalidGamesError(f"{self.path.name}: game {number + 1} can't be read")
        with open_regular(own(self.path)) as file:
            file.seek(begin)
            return file.read(length).decode("utf-8", "replace")
