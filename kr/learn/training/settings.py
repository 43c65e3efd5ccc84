"""Settings of a training run, and how each step's part of them is recorded and taken back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from kr import storage
from kr.cluster.address import cluster_option
from kr.engine.limits import MOST_LIMITS, Limits
from kr.engine.settings import hash_option
from kr.errors import InvalidSettingError
from kr.evaluation.kinds import weights_texts
from kr.evaluation.layouts import LAYOUTS, Layout
from kr.evaluation.own_regions import RegionSet
from kr.learn.fitting.dataset import Label
from kr.learn.fitting.settings import FitSettings
from kr.learn.selfplay import SelfplaySettings
from kr.learn.training.history import games_name, gate_name, tables_name
from kr.match.elo import Sprt
from kr.match.settings import MOST_GAMES, MatchSettings
from kr.settings import REQUIRED, Settings, option, same_option, workers_option
from kr.threads import worker_count
from kr.units import MEBIBYTE, format_count, parse_count

MOST_GENERATIONS = 999


@dataclass(frozen=True)
class TrainSettings(Settings):
    """Settings of a training run. All but `out`, `seed` and `weights` may change between starts: see `train`."""

    out: Path = option(REQUIRED, "Directory of the run; an earlier run in it is resumed.", metavar="DIR")
    seed: int = option(1, "Seed of all games and choices.", low=0, high=10**12)
    weights: str = option(
        "", f"Tables to begin with: a {weights_texts()}; the shipped ones if not given.", metavar="START"
    )
    generations: int = option(4, "Number of generations in all, including earlier ones.", low=0, high=MOST_GENERATIONS)
    workers: int = workers_option()
    cluster: str = cluster_option()
    plots: Path | None = option(None, "Directory for a plot of Elo by generation.", metavar="DIR")

    games: int = option(100_000, "Games of each generation.", parse=parse_count, show=format_count)
    nodes: int = same_option(SelfplaySettings, "nodes")
    openings: str = same_option(SelfplaySettings, "openings")
    random_plies: int = same_option(SelfplaySettings, "random_plies")
    noise: int = same_option(SelfplaySettings, "noise")
    draw_plies: int = same_option(SelfplaySettings, "draw_plies")
    clear_score: int = same_option(SelfplaySettings, "clear_score")
    clear_plies: int = same_option(SelfplaySettings, "clear_plies")
    leaf_nodes: int = same_option(SelfplaySettings, "leaf_nodes")
    leaf_margin: int = same_option(SelfplaySettings, "leaf_margin")
    hash: int = same_option(SelfplaySettings, "hash")
    shard_games: int = same_option(SelfplaySettings, "shard_games")
    egdb: str = option("", "Endgame database: its directory, or none; the one that comes with kr if not given.")
    egdb_memory: int = same_option(SelfplaySettings, "egdb_memory")
    egdb_ends: bool = same_option(SelfplaySettings, "egdb_ends")
    egdb_search: bool = same_option(SelfplaySettings, "egdb_search")

    data: tuple[Path, ...] = option(
        (),
        "Run directory of earlier games, used as a generation before the first; can be repeated, oldest first.",
        metavar="DIR",
    )
    window: int = option(3, "Latest generations whose games are used in the fit; 0: all.", low=0, high=10**6)
    layout: Layout = same_option(FitSettings, "layout")
    regions: RegionSet | None = same_option(FitSettings, "regions")
    label: Label = same_option(FitSettings, "label")
    loss: str = same_option(FitSettings, "loss")
    parts: bool = same_option(FitSettings, "parts")
    prior: Path | None = same_option(FitSettings, "prior")
    l2: float = same_option(FitSettings, "l2")
    l2_parts: float = same_option(FitSettings, "l2_parts")
    holdout: float = same_option(FitSettings, "holdout")
    max_iter: int = same_option(FitSettings, "max_iter")
    tolerance: float = same_option(FitSettings, "tolerance")

    gate_games: int = option(
        2000, "Most games of the gate match.", parse=parse_count, show=format_count, low=2, high=MOST_GAMES
    )
    gate_nodes: int = option(
        2000, "Nodes searched for each move of the gate match.", parse=parse_count, show=format_count,
        low=1, high=MOST_LIMITS["nodes"],
    )  # fmt: skip
    gate_ballot: str = option("11man", "Openings of the gate match, as in `kr match --ballot`.")
    gate_hash: int = hash_option("of each player in the gate match", 4 * MEBIBYTE)
    sprt: tuple[float, float] = option(
        (0.0, 10.0), "Elo differences between which the test of the gate match decides.", metavar="ELO0 ELO1"
    )
    gate_stop: bool = option(
        True, "End the gate match once decided; its Elo is then less exact and slightly exaggerated."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if "," in str(self.out):
            raise InvalidSettingError(
                f"out is {self.out}: expected a path without a comma, which ends the name of a player"
            )
        # each checks its own settings
        self.selfplay_settings(1, "")
        object.__setattr__(self, "layout", self.fit_settings(1, ()).layout)
        self.match_settings(1, "", "")
        self.test()

    def threads(self) -> int:
        """Number of threads."""
        return worker_count(self.workers)

    def database(self) -> str:
        """Endgame database of games and matches. Databases found on this machine by chance are not used."""
        if self.egdb:
            return self.egdb
        shipped = storage.data_path("egdb")
        return str(shipped) if shipped.is_dir() else "none"

    def selfplay_settings(self, number: int, player: str) -> SelfplaySettings:
        """Settings of the self-play of a generation."""
        return SelfplaySettings(
            **_named(self, PLAY),
            out=self.out / games_name(number),
            weights=player,
            seed=1000 * self.seed + number,
            workers=self.threads(),
            cluster=self.cluster,
            egdb_memory=self.egdb_memory,
        )

    def fit_settings(self, number: int, directories: Sequence[Path]) -> FitSettings:
        """Settings of the fit of a generation. The seed stays: a game once held out is never learned from."""
        return FitSettings(
            directories=tuple(directories),
            out=self.out / tables_name(number),
            **_named(self, FIT),
            seed=self.seed,
            workers=self.threads(),
            cluster=self.cluster,
        )

    def match_settings(self, number: int, new: str, old: str) -> MatchSettings:
        """The match of a generation."""
        return MatchSettings(
            a=new,
            b=old,
            ballot=self.gate_ballot,
            games=self.gate_games,
            tc=Limits(nodes=self.gate_nodes),
            workers=self.threads(),
            cluster=self.cluster,
            hash=self.gate_hash,
            seed=1000 * self.seed + number,
            egdb=self.database(),
            egdb_memory=self.egdb_memory,
            pdn=self.out / gate_name(number),
        )

    def test(self) -> Sprt:
        """The sequential test at the gate."""
        return Sprt(*self.sprt)

    def game_directories(self, number: int) -> list[Path]:
        """The run directories whose games the tables of a generation are fitted to, oldest first."""
        own = [self.out / games_name(n) for n in range(1, number + 1)]
        every = [*self.data, *own]
        return every[-self.window :] if self.window else every


def _shared(others: type) -> tuple[str, ...]:
    """Names of the fields that TrainSettings shares with other settings and that are the same for each generation."""
    own = {field.name for field in fields(TrainSettings)} - {"out", "seed", "weights", "workers", "cluster", "plots"}
    return tuple(field.name for field in fields(others) if field.name in own - {"egdb_memory"})


PLAY = _shared(SelfplaySettings)
FIT = _shared(FitSettings)
STEP_SETTINGS = {
    "play": PLAY,
    "fit": ("data", "window", *FIT),
    "gate": ("gate_games", "gate_nodes", "gate_ballot", "gate_hash", "sprt", "gate_stop", "egdb"),
}
"""The settings that shape each step, and are recorded with it."""


def _named(settings: TrainSettings, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in names}


def step_record(settings: TrainSettings, step: str) -> dict[str, Any]:
    """Settings that shape a step, as JSON types."""
    return {name: _plain(value) for name, value in _named(settings, STEP_SETTINGS[step]).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Path):
        return Path(os.path.abspath(value)).as_posix()
    if isinstance(value, Layout):
        return value.name if LAYOUTS.get(value.name) == value else value.as_dict()
    if isinstance(value, RegionSet):
        return value.as_dict()
    return value if value is None or isinstance(value, int | float | str) else str(value)


def with_record(settings: TrainSettings, record: Mapping[str, Any]) -> TrainSettings:
    """Settings with those of a `step_record` taken back."""
    values: dict[str, Any] = {}
    for field in fields(TrainSettings):
        if field.name in record:
            value, parse = record[field.name], field.metadata["parse"]
            value = tuple(value) if isinstance(value, list) else value
            values[field.name] = parse(value) if parse and isinstance(value, str) else value
    return replace(settings, **values)
