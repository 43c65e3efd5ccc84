"""The results of a run, and their file `run.json` in its directory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kr import storage
from kr.errors import InvalidGamesError

RESULTS_FILE = "run.json"
JOURNAL_FILE = "games.jsonl"
RUN_KIND = "kr evolution run"
RUN_VERSION = 1
MOST_RUN_BYTES = 1 << 28


class GenerationRow(NamedTuple):
    """A generation that has been played."""

    generation: int
    champion: int
    """Number of the champion; below 0 for a mean of `cma`."""
    born: int
    """Generation in which the champion first played."""
    origin: str
    """Origin of the champion: start, mutant, crossing or sample."""
    points: float
    """Points of the champion; for `cma`, of the best sample."""
    mean_points: float
    """Mean points of all individuals."""
    games: int
    plies: int
    """In all games."""
    decided: int
    """Games that were not drawn."""
    newborns: dict[str, int]
    """Individuals that played for the first time, by origin."""
    survivors: dict[str, int]
    """Those of them that live on."""


class FamilyMember(NamedTuple):
    """A champion or an ancestor of one."""

    born: int
    origin: str
    parents: list[int]


class RivalGames(NamedTuple):
    """Games of the last champion against a rival: won, drawn, lost."""

    black: tuple[int, int, int]
    white: tuple[int, int, int]
    plies: int

    @property
    def games(self) -> int:
        """All of them."""
        return sum(self.black) + sum(self.white)

    @property
    def score(self) -> float:
        """Share of the points, a draw as half."""
        won, drawn, _ = (sum(pair) for pair in zip(self.black, self.white, strict=True))
        return (won + drawn / 2) / max(self.games, 1)


@dataclass(frozen=True)
class EvolutionRun:
    """Results of a run, finished or not."""

    name: str
    """SCHEME-SEED."""
    settings: Mapping[str, Any]
    """Those that shape the games."""
    about: Mapping[str, Any]
    """Scheme, seed, network and decider, as in files of champions."""
    generations: list[GenerationRow]
    growth: list[list[float]]
    """For each champion but the first: mean points against each of up to five champions before it."""
    family: dict[int, FamilyMember]
    """The champions and all their ancestors, by number."""
    comparisons: dict[str, RivalGames]
    """Games of the last champion by rival; of a run under way, those played so far."""
    seconds: float
    """Time of all cores together, without pauses."""
    provenance: Mapping[str, str]

    @property
    def champion_growth(self) -> list[float]:
        """Growth of each champion but the first: the mean of its means."""
        return [sum(means) / len(means) for means in self.growth]

    @property
    def games(self) -> int:
        """Games of the generations, without those of growth and the comparisons."""
        return sum(row.games for row in self.generations)


def write_run(directory: Path, run: EvolutionRun) -> None:
    """Write run.json at once or not at all. Raises OSError."""
    values = {"kind": RUN_KIND, "format_version": RUN_VERSION, **asdict(run)}
    text = json.dumps(values)
    values["checksum"] = storage.checksum(text.encode())
    storage.write_atomic(directory / RESULTS_FILE, json.dumps(values) + "\n")


def read_run(directory: Path | str) -> EvolutionRun:
    """The results of the run in a directory. Raises InvalidGamesError if they are missing or damaged, OSError."""
    path = storage.as_path(directory) / RESULTS_FILE
    if not path.parent.is_dir():
        raise InvalidGamesError(storage.no_directory(directory, "that of a run of `kr evolve`"))
    if not path.is_file():
        raise InvalidGamesError(f"{directory} is not the directory of a run of `kr evolve`: it has no {RESULTS_FILE}")
    try:
        values = storage.parse_json(storage.read_regular(path, MOST_RUN_BYTES))
        if values["kind"] != RUN_KIND:
            raise ValueError
    except (ValueError, LookupError, TypeError):
        raise InvalidGamesError(f"{path} is not a file of results of `kr evolve`") from None
    if wrong := storage.check_version(values.get("format_version"), [RUN_VERSION]):
        raise InvalidGamesError(f"{path}: {wrong}")
    checksum = values.pop("checksum", None)
    if checksum != storage.checksum(json.dumps(values).encode()):
        raise InvalidGamesError(f"{path} is damaged: it does not match its checksum; run `kr evolve` again to write it")
    del values["kind"], values["format_version"]
    try:
        return EvolutionRun(
            **{
                **values,
                "generations": [GenerationRow(*row) for row in values["generations"]],
                "family": {int(number): FamilyMember(*member) for number, member in values["family"].items()},
                "comparisons": {
                    rival: RivalGames(tuple(each[0]), tuple(each[1]), each[2])
                    for rival, each in values["comparisons"].items()
                },
            }
        )
    except (ValueError, LookupError, TypeError, AttributeError):
        raise InvalidGamesError(f"{path} is damaged: run `kr evolve` again to write it") from None
