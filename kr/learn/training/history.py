"""The history of a training run: `history.json`, with the settings and results of each generation.

The file is replaced as a whole at every change and carries a checksum; docs/reference/formats.md describes it.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kr import storage
from kr.errors import InvalidGamesError
from kr.jobs.journal import typed
from kr.match.log import log_of

KIND = "kr training history"
FORMAT_VERSION = 1
FILE = "history.json"
GENERATION_STEPS = ("play", "fit", "gate")
"""The steps of a generation, in order."""


@dataclass
class Step:
    """One step of a generation. It is recorded when it begins, and has a result when it is done."""

    settings: dict[str, Any]
    """Settings that shape it, as JSON types, by their names in TrainSettings."""
    provenance: dict[str, str]
    """Provenance of the start that began the run."""
    seconds: float = 0.0
    """Time spent on it, over all starts."""
    result: dict[str, Any] | None = None


@dataclass
class Generation:
    """Games of the strongest tables so far, tables fitted to the latest games, and their match against the former."""

    number: int
    """From 1."""
    player: str
    """The tables that play: material, manual, or a file in the run's directory."""
    play: Step | None = None
    fit: Step | None = None
    gate: Step | None = None

    @property
    def verdict(self) -> dict[str, Any] | None:
        """Verdict of the gate; None before there is one."""
        return self.gate.result if self.gate else None

    @property
    def under_way(self) -> str | None:
        """The first step without a result, None when all are done."""
        steps = ((name, getattr(self, name)) for name in GENERATION_STEPS)
        return next((name for name, step in steps if step is None or step.result is None), None)


@dataclass
class TrainHistory:
    """A training run."""

    weights: str
    """The `--weights` it began with, as given."""
    start: str
    """The tables it began with: material, manual, or the file in the run's directory that holds them."""
    signature: str
    """Identity of these tables: their checksum, or their name."""
    seed: int
    provenance: dict[str, str]
    generations: list[Generation] = field(default_factory=list)

    def lacks(self, generations: int) -> bool:
        """True if a run of this many generations has work left."""
        return len(self.generations) < generations or bool(self.generations and self.generations[-1].under_way)

    @property
    def best(self) -> str:
        """The strongest tables so far."""
        accepted = [tables_name(g.number) for g in self.generations if g.verdict and g.verdict["accepted"]]
        return accepted[-1] if accepted else self.start

    def signature_of(self, tables: str) -> str:
        """Identity of tables of this run: those of the start or of a generation."""
        if tables == self.start:
            return self.signature
        (row,) = (g.fit.result for g in self.generations if g.fit and g.fit.result and tables_name(g.number) == tables)
        return str(row["checksum"])


def tables_name(number: int) -> str:
    """The file of the tables fitted in a generation."""
    return f"g{number:02d}.h5"


def games_name(number: int) -> str:
    """The directory of the games played in a generation."""
    return f"games-{number:02d}"


def gate_name(number: int) -> str:
    """The record of the match in a generation."""
    return f"gate-{number:02d}.pdn"


def save_history(directory: Path, history: TrainHistory) -> None:
    """Replace the history file of a run."""
    content = asdict(history)
    whole = {"kind": KIND, "format_version": FORMAT_VERSION, "checksum": _checksum(content), **content}
    storage.write_atomic(directory / FILE, json.dumps(whole, indent=1, allow_nan=False) + "\n")


def load_history(directory: Path) -> TrainHistory:
    """Read and check the history of a run. Raises InvalidGamesError, naming the file, if it is not one."""
    path = directory / FILE
    if not path.exists():
        raise InvalidGamesError(f"{path}: no such file; {directory} is not a training run")
    try:
        content = storage.parse_json(storage.read_regular(path))
    except OSError as error:
        raise InvalidGamesError(f"{path}: can't be read: {error.strerror}") from error
    except ValueError as error:
        raise InvalidGamesError(f"{path}: damaged: not JSON") from error
    if not isinstance(content, dict) or content.pop("kind", None) != KIND:
        raise InvalidGamesError(f"{path}: not the history of a training run")
    if wrong := storage.check_version(content.pop("format_version", None), (FORMAT_VERSION,)):
        raise InvalidGamesError(f"{path}: {wrong}")
    if content.pop("checksum", None) != _checksum(content):
        raise InvalidGamesError(f"{path}: damaged: the content does not match its checksum")
    try:
        generations = [
            typed(Generation(**each | {name: _step(each[name]) for name in GENERATION_STEPS}))
            for each in content.pop("generations")
        ]
        return typed(TrainHistory(**content, generations=generations))
    except (TypeError, KeyError) as error:
        raise InvalidGamesError(f"{path}: not of format version {FORMAT_VERSION} ({error})") from error


def _step(content: dict[str, Any] | None) -> Step | None:
    return None if content is None else typed(Step(**content))


def _checksum(content: dict[str, Any]) -> str:
    return storage.checksum(json.dumps(content, sort_keys=True).encode())


def games_done(directory: Path, generation: Generation) -> tuple[int, int] | None:
    """Games on disk of the step under way, and games wanted; None if the step has no games."""
    step = generation.under_way
    if step == "play" and generation.play:
        target, size = (int(generation.play.settings[name]) for name in ("games", "shard_games"))
        shards = sum(1 for _ in (directory / games_name(generation.number)).glob("shard-*.h5"))
        return min(shards * size, target), target
    if step == "gate" and generation.gate:
        return matched_games(directory / gate_name(generation.number)), int(generation.gate.settings["gate_games"])
    return None


def matched_games(pdn: Path) -> int:
    """Games in the record of a match."""
    log = log_of(pdn)
    # the first line holds the settings
    return max(log.read_bytes().count(b"\n") - 1, 0) if log.exists() else 0


def rows(history: TrainHistory) -> list[dict[str, Any]]:
    """One row per generation, for tables and pictures; None stands for unknown values.

    `total` is the Elo of the generation's tables over those the run began with: that of the tables they were matched
    with, and their own over these; the errors of the two are independent.
    """
    totals = {history.start: (0.0, 0.0)}
    return [_row(generation, totals) for generation in history.generations]


def _row(generation: Generation, totals: dict[str, tuple[float, float]]) -> dict[str, Any]:
    play, fit, gate = (getattr(generation, name) for name in GENERATION_STEPS)
    games, fitted, verdict = ((step and step.result) or {} for step in (play, fit, gate))
    total = error = None
    if verdict:
        before, before_error = totals[generation.player]
        total, error = before + verdict["elo"], math.hypot(before_error, verdict["elo_error"])
        totals[tables_name(generation.number)] = total, error
    count = games.get("games", 0)
    return {
        "generation": generation.number,
        "player": generation.player,
        "under_way": generation.under_way,
        "nodes": play and play.settings["nodes"],
        "games": games.get("games"),
        "plies_a_game": games["plies"] / count if count else None,
        **{name: games[name] / count if count else None for name in ("black_wins", "draws", "white_wins")},
        "positions": fitted.get("positions"),
        "held_out_loss": fitted.get("held_out_loss"),
        "gate": [verdict[name] for name in ("wins", "draws", "losses")] if verdict else None,
        "elo": verdict.get("elo"),
        "elo_error": verdict.get("elo_error"),
        "decision": verdict.get("decision"),
        "accepted": verdict.get("accepted"),
        # missing in verdicts of earlier versions
        "warning": verdict.get("warning"),
        "total": total,
        "total_error": error,
        "seconds": {name: getattr(generation, name) and getattr(generation, name).seconds for name in GENERATION_STEPS},
    }
