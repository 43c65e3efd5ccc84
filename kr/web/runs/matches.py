"""A match as a page shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kr.errors import InvalidGamesError, InvalidSettingError, KrError
from kr.jobs.journal import JournalView, begun_settings
from kr.language.sentences import Figure, Told, named, sentence
from kr.learn.training.history import FILE as HISTORY_FILE
from kr.match.crosstable import LETTERS, CrossTable, pairings_of
from kr.match.elo import Sprt, estimate
from kr.match.log import Written, log_of
from kr.match.tally import MatchTally
from kr.match.verdict import PairsInOrder, course
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
    settings_of,
    story,
    strength,
    tested,
)
from kr.web.runs.tournaments import PAIR_POINTS, several_chart, several_tables

MOST_GAME = 1 << 20
"""Bytes of a game's text."""
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
        self._names: dict[int, str] = {}

    def sources(self) -> Sequence[Path]:
        return [log_of(self.path)]

    def look(self) -> None:
        """Take in what the log has now."""
        own(log_of(self.path))
        self._log.look()
        if self._beginning != self._log.beginnings:
            self._beginning = self._log.beginnings
            signatures = self._log.settings.get("players")
            count = len(signatures) if isinstance(signatures, list) else 2
            self.pairings = pairings_of(max(count, 2), bool(self._log.settings.get("gauntlet")))
            self.tallies = [MatchTally() for _ in self.pairings]
            self._counted, self._outcomes, self._names = 0, list[tuple[int, int]](), dict[int, str]()
            self._ordered = None
        for entry in self._log.entries[self._counted :]:
            tally = self.tallies[entry.game.pairing]
            before = list(tally.pairs)
            tally.add(entry.game)
            self._outcomes += ((entry.game.pairing, i) for i, count in enumerate(tally.pairs) if count > before[i])
            self._counted += 1

    @property
    def tally(self) -> MatchTally:
        """The totals of a match of two players."""
        return self.tallies[0]

    @property
    def games(self) -> list[Written]:
        """The games so far."""
        return self._log.entries

    def _plan(self) -> tuple[int | None, Sprt | None]:
        """Games wanted and the test; None where the log does not say, or the match went on beyond."""
        settings = settings_of(self._log.provenance)
        games, sprt = settings.get("games"), settings.get("sprt")
        if isinstance(games, int):
            games *= len(self.pairings)
        if HISTORY_FILE in self.names:
            # the gate of a training run ends by a test that the log does not know
            games = None
        try:
            test = Sprt(float(sprt[0]), float(sprt[1]), normalized=settings.get("normalized") is True) if sprt else None
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
        (planned, test), names = self._plan(), self._players()
        table = CrossTable(self.pairings, self.tallies)
        facts = [fact("label.games", games_there(len(self.games), planned))]
        if len(names) > 2:
            tables, charts = several_tables(names, table), [several_chart(names, self.pairings, self._outcomes)]
        else:
            tables, charts = [self._pairs()], self._charts(names, test)
            wins, losses, draws = (self.tally.points[points] for points in (2, 0, 1))
            facts += [
                fact("label.tally_of", f"{wins}-{losses}-{draws}", name=names[0]),
                *strength(self.tally.pairs),
                *tested(test, self._in_order(test).pentanomial if test else ()),
            ]
        if warning := table.warning():
            facts.append(fact("label.warning", warning))
        settings = self._log.settings
        facts += [fact(name, str(settings[key])) for key, name in _SETTINGS.items() if settings.get(key) is not None]
        facts += story(self._log.provenance)
        reasons = sum((tally.reasons for tally in self.tallies), Counter())
        ends = page_table("label.ends", ["runs.reason", "runs.games"], [
            [named("reason", reason), count] for reason, count in reasons.most_common()
        ])  # fmt: skip
        return {"facts": facts, "tables": [*tables, self._sides(names, table), ends, self._last(names)],
                "charts": charts}  # fmt: skip

    def _pairs(self) -> Json:
        return page_table("label.pairs", ["runs.pair_points", "runs.pairs"], [
            [points, count] for points, count in zip(PAIR_POINTS, self.tally.pairs, strict=True)
        ])  # fmt: skip

    def _players(self) -> list[str]:
        """Names of the players, each from its first game."""
        from kr.pdn import read_game

        count = self.pairings[-1][1] + 1
        for number, entry in enumerate(self.games):
            if len(self._names) == count:
                break
            sides = self.pairings[entry.game.pairing]
            if self._names.keys() >= set(sides) or (game := read_game(self.game(number))) is None:
                continue
            found = [game.headers.get(each, "?") for each in ("Black", "White")]
            self._names |= zip(sides, found if entry.game.a_black else found[::-1], strict=True)
        return [self._names.get(number, LETTERS[number]) for number in range(count)]

    def _sides(self, names: Sequence[str], table: CrossTable) -> Json:
        rows = [
            [
                f"{LETTERS[each.number]}: {names[each.number]}",
                Figure(each.effort.depth / max(each.effort.searches, 1), 1),
                round(each.effort.nodes / each.effort.seconds) if each.effort.seconds else None,
                each.time_forfeits,
                each.failures,
            ]
            for each in sorted(table.standings(), key=lambda each: each.number)
        ]
        head = ["runs.player", "runs.mean_depth", "runs.nodes_a_second", "runs.lost_on_time", "runs.failures"]
        return page_table("label.players", head, rows)

    def _last(self, names: Sequence[str]) -> Json:
        rows: list[list[Told | None]] = []
        numbers = []
        for number in range(len(self.games) - 1, max(-1, len(self.games) - 1 - LAST_GAMES), -1):
            game = self.games[number].game
            sides = [names[each] for each in self.pairings[game.pairing]]
            black, white = sides if game.a_black else sides[::-1]
            winners: tuple[Told, ...] = (sides[1], sentence("runs.drawn"), sides[0])
            rows.append(
                [number + 1, game.opening, black, white, winners[game.points], named("reason", game.reason), game.plies]
            )
            numbers.append(number)
        return {**page_table("label.last_games", _LAST_HEAD, rows), "games": numbers}

    def _charts(self, names: Sequence[str], test: Sprt | None) -> list[Json]:
        elo = []
        for count, pairs in course([outcome for _, outcome in self._outcomes]):
            result = estimate(pairs)
            elo.append([2 * count, result.elo, result.elo_error])
        name = sentence("runs.elo_of", name=names[0])
        charts = [chart("label.elo_errors", "runs.games", name, [line(names[0], elo, "band", 2)])]
        if test:
            llr = [[2 * count, test.llr(pairs)] for count, pairs in course(self._in_order(test).points)]
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
