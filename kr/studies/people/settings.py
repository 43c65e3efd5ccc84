"""Settings of `kr policy fit`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kr.archives.archive import ReadSettings
from kr.errors import InvalidSettingError
from kr.evaluation.layouts import DEFAULT_LAYOUT, LAYOUTS
from kr.policy.shape import MODELS, SIGHTS
from kr.settings import REQUIRED, Settings, option, same_option, seed_option
from kr.studies.endings.settings import parse_hidden
from kr.studies.people.splits import SPLITS
from kr.threads import MAX_THREADS
from kr.units import parse_count


@dataclass(frozen=True)
class PolicyFitSettings(Settings):
    """Settings of a fit. `out` and `workers` do not change the policy."""

    files: tuple[Path, ...] = same_option(ReadSettings, "files")
    out: Path = option(REQUIRED, "Policy file to write.", metavar="FILE")
    results: str = same_option(ReadSettings, "results")
    encoding: str = same_option(ReadSettings, "encoding")
    model: str = option("net", "Model: {allowed}.", choices=MODELS)
    sight: str = option("captures", "Input for each move: {allowed}.", choices=SIGHTS)
    hidden: tuple[int, int] = option(
        (512, 128), "Units of the hidden layers of a net.", parse=parse_hidden,
        show=lambda units: ",".join(map(str, units)), metavar="UNITS,UNITS",
    )  # fmt: skip
    before: bool = option(True, "Give a net the two moves before.")
    players: Path | None = option(
        None, "Losses of `kr policy players`: a net takes the player's strength.", metavar="FILE"
    )
    strengths: int = option(5, "Buckets of the players' strengths.", low=2, high=32)
    years: int = option(0, "Buckets of the year of the game, for a net: {allowed}.", low=2, high=32, zero="no")
    layout: str = option(DEFAULT_LAYOUT.name, "Regions of a logit: {allowed}.", choices=tuple(LAYOUTS))
    l2: float = option(4.0, "L2 penalty on the entries of a logit: half of it times the sum of squares.", low=0)
    max_iter: int = option(100, "Most iterations of a logit.", low=1, high=10**6)
    split: str = option("games", "Split into training, validation and test by: {allowed}.", choices=SPLITS)
    games: int = option(0, "Training games to use: {allowed}.", parse=parse_count, low=1, high=10**9, zero="all")
    epochs: int = option(8, "Epochs of a net.", low=1, high=10**4)
    batch: int = option(1024, "Decisions in a batch of a net.", parse=parse_count, low=1, high=1 << 20)
    rate: float = option(2e-3, "Learning rate of a net.", low=1e-9, high=10)
    decay: float = option(1e-2, "Weight decay of a net.", low=0, high=100)
    dropout: float = option(0.2, "Share of units of a net left out in training.", low=0, below=1)
    seed: int = seed_option("Seed of the split, the first weights and the order of decisions.")
    workers: int = option(2, "Threads of a logit, {allowed}; it does not depend on them.", low=1, high=MAX_THREADS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.files:
            raise InvalidSettingError("files: no PDN file; expected at least one")
        for name, what in (("years", "the year"), ("players", "the player's strength")):
            if getattr(self, name) and self.model != "net":
                raise InvalidSettingError(f"{name}: a {self.model} does not take {what}; only a net does")

    @property
    def reading(self) -> ReadSettings:
        """Settings of reading the games."""
        return ReadSettings(files=self.files, results=self.results, encoding=self.encoding)

    def shaping(self) -> dict[str, Any]:
        """Settings that change the policy, except the games."""
        apart = ("files", "out", "workers", "players")
        return {name: value for name, value in asdict(self).items() if name not in apart}
