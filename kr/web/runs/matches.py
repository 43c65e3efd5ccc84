"""A match as a page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kr.errors import InvalidGamesError, InvalidSettingError, KrError
from kr.game.outcome import OVERTIME
from kr.jobs.journal import JournalView, begun_settings
from kr.language.sentences import Figure, Told, named, sentence
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
    fact,
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
_LAST_HEAD = (
    "runs.game", "runs.opening", "runs.black", "runs.white", "runs.winner", "runs.reason", "runs.plies",
)  # fmt: skip
_SETTINGS = {"tc": "label.limit", "tc_b": "label.limit_of_b", "ballot": "label.openings", "seed": "label.seed"}


def match_run(path: Path) -> type[OneRun] | None:
    """The kind of run that a file of games is the output of, by the log beside it; None if it is not of a match."""
    try:
        settings = begun_settings(own(log_of(path)))
    except (KrError, OSError):
        return None
    return MatchRun if settings is not None and "players" in settings else None


class MatchRun(FileRun):
    """A match: a PDN file with its log beside it."""

    kind = "runs.match"

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
        planned, test = self._plan()
        decision = self._in_order(test).decision if test else None
        complete = None if planned is None and not decision else bool(decision) or len(self.games) == planned
        return self.course(complete, games_there(len(self.games), planned), len(self.games), planned)

    def content(self) -> Json:
        self.look()
        tally, (planned, test) = self.tally, self._plan()
        names = self._players()
        wins, losses, draws = (tally.points[points] for points in (2, 0, 1))
        facts = [
            fact("label.games", games_there(tally.games, planned)),
            fact("label.tally_of", f"{wins}-{losses}-{draws}", name=names[0]),
            *strength(tally.pairs),
            *tested(test, self._in_order(test).pentanomial if test else ()),
        ]
        if warning := tally.warning():
            facts.append(fact("label.warning", warning))
        settings = self._log.settings
        facts += [fact(name, str(settings[key])) for key, name in _SETTINGS.items() if settings.get(key) is not None]
        facts += story(self._log.provenance)
        return {
            "facts": facts,
            "tables": [
                page_table("label.pairs", ["runs.pair_points", "runs.pairs"], [
                    [points, count] for points, count in zip(PAIR_POINTS, tally.pairs, strict=True)
                ]),
                self._sides(names),
                page_table("label.ends", ["runs.reason", "runs.games"], [
                    [named("reason", reason), count] for reason, count in tally.reasons.most_common()
                ]),
                self._last(names),
            ],
            "charts": self._charts(names, test),
        }  # fmt: skip

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
        tally = self.tally
        rows = [
            [
                f"{letter}: {name}", Figure(effort.depth / max(effort.searches, 1), 1),
                round(effort.nodes / effort.seconds) if effort.seconds else None, lost[OVERTIME], lost[FAILURE],
            ]
            for letter, name, effort, lost in zip("AB", names, tally.efforts, tally.lost, strict=True)
        ]  # fmt: skip
        head = ["runs.player", "runs.mean_depth", "runs.nodes_a_second", "runs.lost_on_time", "runs.failures"]
        return page_table("label.players", head, rows)

    def _last(self, names: tuple[str, str]) -> Json:
        rows: list[list[Told | None]] = []
        numbers = []
        for number in range(len(self.games) - 1, max(-1, len(self.games) - 1 - LAST_GAMES), -1):
            game = self.games[number].game
            black, white = names if game.a_black else names[::-1]
            winners: tuple[Told, ...] = (names[1], sentence("runs.drawn"), names[0])
            rows.append(
                [number + 1, game.opening, black, white, winners[game.points], named("reason", game.reason), game.plies]
            )
            numbers.append(number)
        return {**page_table("label.last_games", _LAST_HEAD, rows), "games": numbers}

    def _charts(self, names: tuple[str, str], test: Sprt | None) -> list[Json]:
        elo, llr = [], []
        pairs = [0] * 5
        numbers = set(picked(len(self._outcomes)))
        for number, outcome in enumerate(self._outcomes):
            pairs[outcome] += 1
            if number not in numbers:
                continue
            result = estimate(pairs)
            elo.append([2 * number + 2, result.elo, result.elo_error])
            if test:
                llr.append([2 * number + 2, test.llr(pairs)])
        name = sentence("runs.elo_of", name=names[0])
        charts = [chart("label.elo_errors", "runs.games", name, [line(names[0], elo, "band", 2)])]
        if test:
            ends = [2, max(2 * len(self._outcomes), 4)]
            guides = [
                line(sentence("runs.bound", name=bound, elo=f"{of:g}"), [[x, ratio] for x in ends], "guide", 3)
                for bound, of, ratio in (("H1", test.elo1, test.upper), ("H0", test.elo0, test.lower))
            ]
            ratios = [line(sentence("runs.llr"), llr, digits=3), *guides]
            charts.append(chart("label.likelihood_ratio", "runs.games", "runs.llr", ratios))
        return charts

    def game(self, number: int) -> str:
        if not 0 <= number < len(self.games):
            raise InvalidSettingError(sentence("runs.no_game", number=str(number + 1)))
        begin = self.games[number - 1].end if number else 0
        length = self.games[number].end - begin
        if not 0 < length <= MOST_GAME:
            raise InvalidGamesError(sentence("runs.bad_game", name=self.path.name, number=str(number + 1)))
        with open_regular(own(self.path)) as file:
            file.seek(begin)
            return file.read(length).decode("utf-8", "replace")
