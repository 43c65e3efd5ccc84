"""Self-play as pages show it."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from kr.errors import InvalidGamesError, InvalidSettingError
from kr.language.sentences import Figure, Size, Told, count_of, named, sentence
from kr.storage import parse_json, read_regular
from kr.web.runs.files import Stamp, own, stamp
from kr.web.runs.kinds import (
    BY_RESULT,
    LAST_GAMES,
    Facts,
    Json,
    OneRun,
    chart,
    fact,
    games_there,
    line,
    page_table,
    settings_of,
    share,
    shares,
    story,
)

_CHECKSUM = re.compile(" [0-9a-f]{32}$")


LOOK_SECONDS = 0.4
"""Time that one look at a run may take; the next goes on from there."""


MOST_DESCRIPTION = 1 << 20
"""Bytes of run.json."""


_SELFPLAY_SETTINGS = {
    "weights": "label.weights", "nodes": "label.nodes_a_move", "tc": "label.time_a_move", "openings": "label.openings",
    "seed": "label.seed", "egdb": "label.database",
}  # fmt: skip


class SelfplayRun(OneRun):
    """A run directory of self-play."""

    kind = "runs.selfplay"

    def __init__(self, path: Path, names: frozenset[str]) -> None:
        super().__init__(path, names)
        self._begin()

    def _begin(self) -> None:
        from kr.learn.summary import Summary

        self._counted: dict[str, Stamp] = {}
        self._sum = Summary()
        self._history: list[tuple[float, ...]] = []
        self._attrs: dict[str, Any] = {}
        self._newest: tuple[str, Any] | None = None
        self._parts: dict[str, tuple[Stamp, int]] = {}

    @property
    def shards(self) -> list[str]:
        """Names of its shards, in order."""
        return sorted(name for name in self.names if name.startswith("shard-") and name.endswith(".h5"))

    def sources(self) -> Sequence[Path]:
        parts = [name for name in self.names if name.startswith("shard-")]
        return [self.path / name for name in sorted([*parts, "run.json"])]

    def _described(self) -> tuple[Json, Json]:
        """Settings that shape the games, and those of the first start of the run."""
        path = self.file("run.json")
        try:
            description = {} if path is None else parse_json(read_regular(path, MOST_DESCRIPTION))
            return dict(description.get("shaping", {})), settings_of(description) | {
                "created": description.get("created")
            }
        except (ValueError, TypeError, AttributeError):
            raise InvalidGamesError(sentence("runs.bad_description")) from None

    def _wanted(self) -> tuple[int, int | None]:
        """Games there, by the names of the shards, and games wanted, None if there are more: a later start may have
        wanted more than the first."""
        shaping, began = self._described()
        size, total = shaping.get("shard_games"), self._sum.games
        meant = settings_of(self._attrs).get("games"), began.get("games")
        planned = next((games for games in meant if isinstance(games, int)), None)
        numbers = [int(name[6:-3]) for name in self.shards if name[6:-3].isdecimal()]
        if isinstance(size, int):
            total = size * len(numbers)
            if planned is not None and numbers:
                total -= max(0, min(size, (max(numbers) + 1) * size - planned))
        return total, planned if planned is not None and total <= planned else None

    def progress(self) -> Json:
        there, planned = self._wanted()
        complete = None if planned is None else there >= planned
        return self.course(complete, games_there(there, planned), there, planned)

    def _results(self) -> tuple[int, ...]:
        """Black's wins, draws, White's wins, games and plies so far."""
        total = self._sum
        return total.black_wins, total.draws, total.white_wins, total.games, total.plies

    def _count(self) -> bool:
        """Count shards that are new; False if time was up before all were."""
        from kr.learn.games import read_shard

        names = self.shards
        if any(name not in names or stamp(self.path / name) != old for name, old in self._counted.items()):
            self._begin()
        until = time.monotonic() + LOOK_SECONDS
        for name in names:
            if name in self._counted:
                continue
            if time.monotonic() > until:
                return False
            path, now = own(self.path / name), stamp(self.path / name)
            before = self._results()
            shard = self._sum.add(path)
            self._counted[name] = now
            gains = (b - a for a, b in zip(before, self._results(), strict=True))
            self._history.append((now[0] / 1e9 if now else 0.0, *gains))
            if self._newest is None or name > self._newest[0]:
                self._newest = name, shard
                self._attrs = dict(shard.attrs)
        for name in sorted(self.names):
            path, now = self.path / name, stamp(self.path / name)
            if name.endswith(".part") and self._parts.get(name, (None, 0))[0] != now:
                self._parts[name] = now, len(read_shard(own(path)))
        return True

    def content(self) -> Json:
        complete = self._count()
        began = self._described()[1]
        total, games = self._sum, max(self._sum.games, 1)
        page: Json = {
            "facts": self._facts(began),
            "tables": [
                page_table("label.results_by_openings", ["runs.openings", "runs.games", *BY_RESULT], [
                    [sentence("runs.all"), *shares(self._results()[:3])],
                    *([deck, *shares(counts)] for deck, counts in total.decks.items()),
                ]),
                page_table("label.ends", ["runs.reason", "runs.games", "runs.share"], [
                    [named("reason", name), count, share(count / games)] for name, count in total.reasons.items()
                ]),
                page_table("label.positions_by_pieces", ["runs.pieces", "runs.group", "runs.positions", *BY_RESULT], [
                    [pieces, named("runs", kings), *shares(counts)] for (pieces, kings), counts in total.phases.items()
                ]),
                self._last(),
            ],
            "charts": self._charts(began),
        }  # fmt: skip
        if not complete:
            page["reading"] = sentence("runs.reading_shard", number=len(self._counted) + 1, all=len(self.shards))
        return page

    def _facts(self, began: Json) -> Facts:
        total = self._sum
        facts = [fact("label.games", games_there(*self._wanted()))]
        if waiting := sum(count for name, (_, count) in self._parts.items() if name in self.names):
            facts.append(fact("label.games_under_way", waiting))
        if total.games:
            speed, mean = Figure(total.games_per_second, 1), Figure(total.plies / total.games, 1)
            facts += [
                fact(
                    "label.speed",
                    sentence("runs.games_a_second", number=speed) if speed.number else sentence("runs.unknown"),
                ),
                fact(
                    "label.plies_a_game",
                    sentence("runs.mean_within", mean=mean, low=total.shortest, high=total.longest),
                ),
                fact("label.shards", [total.shards, Size(total.bytes, 1)]),
            ]
        # names as the command had them where they are known, without checksums
        settings = self._described()[0]
        settings |= {key: each for key in ("weights",) if (each := settings_of(self._attrs).get(key))}
        texts = {key: _CHECKSUM.sub("", str(settings[key])) for key in _SELFPLAY_SETTINGS if settings.get(key)}
        for key, text in texts.items():
            facts.append(fact(_SELFPLAY_SETTINGS[key], _database(text) if key == "egdb" else text))
        return facts + story(self._attrs or began)

    def _charts(self, began: Json) -> list[Json]:
        try:
            start = datetime.fromisoformat(str(began.get("created"))).timestamp()
        except ValueError:
            start = min((at for at, *_ in self._history), default=0.0)
        games, over, lengths = 0.0, [[0.0, 0.0]], []
        parts: tuple[list[Any], ...] = ([], [], [])
        for at, black, drawn, white, more, plies in self._history:
            games += more
            over.append([max(at - start, 0) / 60, games])
            if more:
                lengths.append([games, plies / more])
                for points, count in zip(parts, (black, drawn, white), strict=True):
                    points.append([games, 100 * count / more])
        over.sort()
        names = map(sentence, ("runs.black_wins", "runs.drawn", "runs.white_wins"))
        shares = [line(name, points, digits=1) for name, points in zip(names, parts, strict=True)]
        length = line(sentence("runs.plies"), lengths, digits=1)
        return [
            chart(
                "label.games_over_time", "runs.minutes", "runs.games", [line(sentence("runs.games"), over, digits=2)]
            ),
            chart("label.results_by_shards", "runs.games", "runs.share", shares),
            chart("label.length_by_shards", "runs.games", "runs.plies_a_game", [length]),
        ]

    def _last(self) -> Json:
        from kr.learn.games import REASONS

        rows: list[list[Told | None]] = []
        numbers = []
        if self._newest:
            shard = self._newest[1]
            for i in range(len(shard) - 1, max(-1, len(shard) - 1 - LAST_GAMES), -1):
                won = sentence({1: "runs.black", 0: "runs.drawn", -1: "runs.white"}[int(shard.result[i])])
                reason, plies = REASONS[int(shard.reason[i])], int(shard.first[i + 1] - shard.first[i])
                rows.append([int(shard.game[i]) + 1, won, named("reason", reason), plies])
                numbers.append(int(shard.game[i]))
        head = ["runs.game", "runs.winner", "runs.reason", "runs.plies"]
        return {**page_table("label.last_games", head, rows), "games": numbers}

    def game(self, number: int) -> str:
        from kr.learn.games import game_pdn, read_shard, stored_games

        size = self._described()[0].get("shard_games")
        name = f"shard-{number // size:06d}.h5" if isinstance(size, int) and size > 0 else ""
        if path := self.file(name):
            shard = read_shard(path)
            for record in stored_games(shard):
                if record.game == number:
                    return game_pdn(record, shard.attrs)
        raise InvalidSettingError(sentence("runs.no_game", number=str(number + 1)))


def _database(signature: str) -> Told:
    """An endgame database by its signature, "7 pieces 4v4"."""
    pieces, *classes = signature.replace(" pieces", "").split(" ")
    return [count_of("pieces", int(pieces)), *classes] if pieces.isdecimal() else signature
