"""Settings of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kr.cluster.address import cluster_option
from kr.errors import InvalidSettingError
from kr.evaluation.files import FITTED
from kr.evaluation.layouts import DEFAULT_LAYOUT, LAYOUTS, Layout
from kr.evaluation.own_regions import RegionSet
from kr.evaluation.parts import KINGS_SHAPES, MEN_SHAPES, Windows, with_parts
from kr.evaluation.patterns import GROUPS
from kr.learn import games
from kr.learn.fitting.dataset import Label
from kr.learn.fitting.inputs import LOSSES
from kr.settings import Settings, option
from kr.threads import MAX_THREADS


@dataclass(frozen=True)
class FitSettings(Settings):
    """Settings of a fit. `out`, `workers` and `plots` do not change the tables, a cluster only by rounding."""

    directories: tuple[Path, ...] = option(
        (games.RUN,), "Run directories of `kr selfplay`, or folders of them.", argument=True, metavar="DIR"
    )
    out: Path = option(FITTED, "Weights file to write.", metavar="FILE")
    layout: Layout = option(
        DEFAULT_LAYOUT,
        f"Regions: {', '.join(LAYOUTS)}, or a layout file (TOML).",
        parse=Layout.parse,
        show=lambda layout: layout.name,
        metavar="LAYOUT",
    )
    regions: RegionSet | None = option(
        None,
        "JSON file of regions of any size instead: 1 to 12 squares without kings on the board, 1 to 8 with.",
        parse=RegionSet.read,
        show=lambda regions: regions.name,
        metavar="FILE",
    )
    label: Label = option(
        Label(0.9, 0.6),
        "Target: result, mix=SHARE of the search score, or mix=SHARE,decay=DECAY.",
        parse=Label.parse,
        metavar="LABEL",
    )
    loss: str = option("ce", "Loss: ce (cross entropy) or mse (mean squared error).", choices=LOSSES)
    parts: bool = option(True, "Let rare entries fall back on smaller windows within their regions.")
    prior: Path | None = option(
        None, "Weights file to start from and to regularise towards, of the same layout and parts.", metavar="FILE"
    )
    l2: float = option(
        10.0, "L2 penalty on changes of the entries, in samples: half of it times the sum of squares.", low=0
    )
    l2_parts: float = option(10.0, "L2 penalty on changes of the weights of the parts.", low=0)
    holdout: float = option(0.05, "Share of the games held out to judge the tables: {allowed}.", low=0, high=0.9)
    max_iter: int = option(100, "Most iterations for each of the two groups, men and kings.", low=1)
    tolerance: float = option(1e-5, "Stop when an iteration lowers the loss by less than this share.", low=0)
    seed: int = option(1, "Seed of the choice of held-out games.")
    workers: int = option(2, "Threads, {allowed}; the tables do not depend on their number.", low=1, high=MAX_THREADS)
    cluster: str = cluster_option()
    plots: Path | None = option(None, "Directory for plots of the fit.", metavar="DIR")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "directories", games.run_directories(self.directories))
        if not isinstance(self.layout, Layout):
            raise InvalidSettingError(f"layout: {self.layout!r:.60} is not a Layout; expected Layout.parse(...)")
        if self.regions is None:
            return
        if not isinstance(self.regions, RegionSet):
            raise InvalidSettingError(f"regions: {self.regions!r:.60} is not a RegionSet; expected RegionSet(...)")
        if self.layout not in (DEFAULT_LAYOUT, self.regions.layout):
            raise InvalidSettingError("layout and regions exclude each other; give one of them")
        object.__setattr__(self, "layout", self.regions.layout)
        for kings in GROUPS:
            self.windows(kings)  # which raises if they are too many

    def shaping(self) -> dict[str, Any]:
        """The settings that change the tables, but for the earlier tables."""
        names = ("loss", "parts", "l2", "l2_parts", "holdout", "max_iter", "tolerance", "seed")
        own = {name: getattr(self, name) for name in names}
        regions = {"regions": self.regions.as_dict()} if self.regions else {}
        return {"label": str(self.label), "layout": self.layout.name, **own, **regions}

    @property
    def warning(self) -> str:
        """Warning about squares that no region has, or ""."""
        return (self.regions or self.layout).warning

    def windows(self, kings: bool) -> Windows:
        """The regions of one group with their parts."""
        shapes = (KINGS_SHAPES if kings else MEN_SHAPES) if self.parts else ()
        return self.regions.windows(kings, shapes) if self.regions else with_parts(*self.layout.group(kings), shapes)
