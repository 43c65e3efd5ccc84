"""Recorded games, of people or of other programs, as a run directory, from which `kr fit` learns as from self-play.

A game counts if its moves are legal from its start on and it has a result that its end doesn't deny. Scores come from
the comments that `kr annotate` writes, [%eval 0.31], positive for Black: each is that of the position after its move. A
game without scores is one whose result is the label of all its positions.

Shards are written as they fill, and hold how far the files were read, so that the same call goes on there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import _core, storage
from kr.archives.archive import STANDARD_INPUT, Archive, ReadSettings, expanded
from kr.errors import InvalidGamesError, InvalidPdnError, InvalidSettingError
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.learn import games
from kr.learn.games import NO_SCORE, StoredGame
from kr.learn.selfplay import RUN_FILE, SelfplaySettings
from kr.pdn import RESULTS, Game
from kr.pdn.replay import is_over
from kr.settings import REQUIRED, Settings, check_settings, option, same_option

NOT_READABLE = "not readable"
ILLEGAL_MOVE = "an illegal move"
NO_RESULT = "no result"
TWO_RESULTS = "two results"
DENIED = "a result that the final position denies"
NO_MOVES = "no moves"
SET_UP_AGAIN = "a position set up between moves"
TOO_LONG = f"more than {_core.MAX_GAME_PLIES} moves of both sides"
LEFT_OUT = (NOT_READABLE, ILLEGAL_MOVE, NO_RESULT, TWO_RESULTS, DENIED, NO_MOVES, SET_UP_AGAIN, TOO_LONG)
"""Reasons for which a game is left out."""
STARTS = ("start", "set up")
"""Decks of a run: games from the usual start, and from a position of their own."""
RECORDED = games.REASONS.index("as recorded")
BY_RULE = games.REASONS.index("no move")
_EVAL = re.compile(r"\[%eval\s+(#)?([+-]?\d{1,5}(?:\.\d{1,9})?)\s*\]")


@dataclass(frozen=True)
class ImportSettings(Settings):
    """Recorded games to take in."""

    files: tuple[Path, ...] = same_option(ReadSettings, "files")
    out: Path = option(REQUIRED, "Run directory to write; an import that was interrupted is resumed.", metavar="DIR")
    results: str = same_option(ReadSettings, "results")
    encoding: str = same_option(ReadSettings, "encoding")
    shard_games: int = same_option(SelfplaySettings, "shard_games")

    def reading(self) -> ReadSettings:
        """The part that says what to read."""
        return ReadSettings(files=self.files, results=self.results, encoding=self.encoding)


@dataclass
class ImportResult:
    """Games taken in, and those left out."""

    games: int = 0
    """In the run directory, those of earlier starts among them."""
    earlier: int = 0
    """Games that an earlier start had written."""
    set_up: int = 0
    """Games that begin from a position of their own."""
    plies: int = 0
    scored: int = 0
    """Moves before which a comment has the score of the position."""
    black_wins: int = 0
    draws: int = 0
    white_wins: int = 0
    left_out: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LEFT_OUT, 0))
    """Number of games by the reason for which they were left out."""
    agreeing: int = 0
    """Games in which the side that can't move has lost."""
    seen: int = 0
    """Games whose tags were read: where the same call goes on."""

    @property
    def denied(self) -> int:
        """Games left out because their final position denies their result."""
        return self.left_out[DENIED]

    @property
    def turned(self) -> bool:
        """True if the results make more sense in the other convention."""
        return self.denied > self.agreeing

    def add(self, record: StoredGame) -> None:
        """Count one more game."""
        self.games += 1
        self.set_up += record.opening
        self.plies += len(record.moves)
        self.scored += int((record.scores != NO_SCORE).sum())
        self.black_wins += record.result > 0
        self.draws += record.result == 0
        self.white_wins += record.result < 0


def import_games(settings: ImportSettings, on_bytes: Callable[[int], None] | None = None) -> ImportResult:
    """Write recorded games as a run directory; the same call resumes one that was interrupted.

    on_bytes: called with the number of bytes read since the last call. Raises InvalidSettingError if the directory
    holds games of other files or settings, InvalidGamesError if no game can be used, InvalidPdnError for a damaged
    file, OutputBusyError, OSError.
    """
    check_settings(settings, ImportSettings)
    if any(path == STANDARD_INPUT or path.is_fifo() for path in settings.files):
        raise InvalidSettingError("games are imported from files, which are read again to resume, not from a pipe")
    paths = expanded(settings.files)
    files = Counter(os.path.realpath(path) for path in paths)
    if twice := next((path for path in paths if files[os.path.realpath(path)] > 1), None):
        raise InvalidSettingError(f"{twice} is named twice; name it once, or its games count twice")
    with storage.lock_directory(settings.out):
        run = _Run(settings, paths)
        if not run.finished:
            run.take_in(on_bytes)
        return run.result


def is_unfinished(directory: Path) -> bool:
    """True for a run directory of recorded games whose import did not come to its end."""
    description = _description(directory / RUN_FILE)
    return description is not None and description.get("result") is None


def left_out_text(result: ImportResult) -> str:
    """The games left out, and why, in a line; "" if there are none."""
    reasons = ", ".join(f"{reason} ({count:,})" for reason, count in result.left_out.items() if count)
    return f"{sum(result.left_out.values()):,} left out: {reasons}" if reasons else ""


def recorded_game(game: Game, number: int) -> StoredGame | str:
    """A game as a run directory has it, or the reason of LEFT_OUT for which it is not there."""
    start, moves = next(stretches := game.stretches())
    tag = game.headers.get("Result", "").strip()
    if not game.result.is_scored:
        return NO_RESULT
    if tag in RESULTS and tag not in ("*", game.result):
        return TWO_RESULTS
    if next(stretches, None):
        return SET_UP_AGAIN
    if not moves:
        return NO_MOVES
    if len(moves) > _core.MAX_GAME_PLIES:
        return TOO_LONG
    end = game.end().bits
    over = is_over(end)
    if over and game.winner is not Side(end[3]).other:
        return DENIED
    return StoredGame(
        game=number,
        start=start,
        opening=int(start != Position().bits),
        result=Value.of(game.winner, Side.BLACK).sign,
        reason=BY_RULE if over else RECORDED,
        moves=games.line_codes(start, moves),
        scores=_scores(game, start[3], len(moves)),
    )


def _scores(game: Game, side: int, plies: int) -> NDArray[np.int16]:
    """Scores of the positions before each move, for the side to move, from comments. side: that of the first move."""
    scores = np.full(plies, NO_SCORE, dtype=np.int16)
    for ply, node in enumerate(game.mainline(), 1):
        evaluation = next((match for text in node._comments or () if (match := _EVAL.search(text))), None)
        if evaluation and ply < plies:
            most = _core.SCORE_DECIDED if evaluation[1] else _core.SCORE_STATIC_MAX
            score = round(float(evaluation[2]) * (most if evaluation[1] else 100))
            scores[ply] = max(-most, min(most, -score if (side + ply) & 1 else score))
    return scores


class _Run:
    """A run directory of recorded games: what it has, and what comes."""

    def __init__(self, settings: ImportSettings, paths: Sequence[Path]) -> None:
        self._settings, self._paths, self._path = settings, paths, settings.out / RUN_FILE
        self._shaping = {
            "recorded": [[path.name, _digest(path)] for path in paths],
            **{name: getattr(settings, name) for name in ("results", "encoding", "shard_games")},
        }
        self._attrs = {
            **storage.provenance(**{**asdict(settings), "out": settings.out.as_posix()}),
            "recorded": json.dumps(self._shaping["recorded"]),
            "decks": json.dumps([[name, 1] for name in STARTS]),
        }
        self._pending: list[StoredGame] = []
        self.result = ImportResult()
        self.finished = False
        self._resume()

    def _shards(self) -> list[Path]:
        return sorted(self._settings.out.glob("shard-*.h5"))

    def _resume(self) -> None:
        """Find what an earlier start has written."""
        out, description, shards = self._settings.out, _description(self._path), self._shards()
        if description is None and (shards or self._path.exists()):
            raise InvalidGamesError(f"{out} holds games that were not imported; choose another --out")
        if description is None:
            return
        if description["shaping"] != self._shaping:
            raise InvalidSettingError(
                f"{out} holds games of other files, or imported with other settings; choose another --out"
            )
        storage.remove_orphans(out, "shard-*")
        state = description.get("result")
        self.finished = state is not None
        if state is None and shards:
            state = storage.parse_json(str(games.read_shard(shards[-1]).attrs.get("state")))
        if state is not None:
            try:
                self.result = ImportResult(**state)
            except TypeError as error:
                raise InvalidGamesError(f"{out}: damaged; remove it to import its games again") from error
        self.result.earlier = self.result.games

    def take_in(self, on_bytes: Callable[[int], None] | None) -> None:
        """Read the files from where the last shard ended."""
        if not self.result.games:
            self._describe(None)
        for record in self._records(on_bytes):
            self.result.add(record)
            self._pending.append(record)
            if len(self._pending) == self._settings.shard_games:
                self._write()
        if not self.result.games:
            self._path.unlink()
            names = ", ".join(path.name for path in self._paths[:3]) + ", ..." * (len(self._paths) > 3)
            why = left_out_text(self.result) or "it holds no game"
            raise InvalidGamesError(f"{names}: no game in it can be used; {why}")
        if self._pending:
            self._write()
        self._describe(asdict(self.result))

    def _records(self, on_bytes: Callable[[int], None] | None) -> Iterator[StoredGame]:
        """The games that count, after those that an earlier start has read."""
        result, before = self.result, self.result.seen
        seen = 0

        def is_new(headers: Mapping[str, str]) -> bool:
            nonlocal seen
            seen += 1
            result.seen = max(seen, before)
            return seen > before

        def hear(path: Path, error: InvalidPdnError) -> None:
            if seen >= before:
                result.left_out[ILLEGAL_MOVE if "illegal move" in str(error) else NOT_READABLE] += 1

        for _, game in Archive(self._settings.reading(), is_new, on_bytes, hear):
            record = recorded_game(game, result.games)
            if isinstance(record, str):
                result.left_out[record] += 1
                continue
            result.agreeing += record.reason == BY_RULE and record.result != 0
            yield record

    def _write(self) -> None:
        """Write the games that wait as a shard."""
        number = self._pending[0].game // self._settings.shard_games
        attrs = {**self._attrs, "state": json.dumps(asdict(self.result))}
        games.write_shard(self._settings.out / f"shard-{number:06d}.h5", self._pending, attrs)
        self._pending = []

    def _describe(self, result: dict[str, Any] | None) -> None:
        description = {"shaping": self._shaping, "result": result, **self._attrs}
        storage.write_atomic(self._path, json.dumps(description, indent=1) + "\n")


def _description(path: Path) -> dict[str, Any] | None:
    """The description of a run of recorded games; None if there is none, or another one."""
    try:
        description = storage.parse_json(storage.read_regular(path))
        return description if "recorded" in description["shaping"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _digest(path: Path) -> str:
    """SHA-256 of a file."""
    with storage.open_stream(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
