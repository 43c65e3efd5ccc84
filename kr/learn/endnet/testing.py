"""`kr endnet test`: a network asked about positions with known values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kr.egdb.sample_reader import SampleRows, SampleStream
from kr.learn.endnet.asking import Asker
from kr.learn.endnet.model_file import EndnetModel, check_jax, load_model
from kr.learn.endnet.scores import EndnetScores, count_scores
from kr.settings import REQUIRED, Settings, option
from kr.units import parse_count

TESTED_AT_ONCE = 1 << 16
"""Positions from one report of progress to the next."""
BLEND_POSITIONS = 50_000
"""Validation positions that the way `best` is fitted to."""


def parse_ways(text: str) -> tuple[str, ...]:
    """Ways with commas between; "" for all that the network can be asked."""
    return tuple(filter(None, text.replace(" ", "").split(",")))


@dataclass(frozen=True)
class EndnetTestSettings(Settings):
    """What to ask, how, and whom."""

    model: Path = option(REQUIRED, "Model file, or weights file of a network.", argument=True, metavar="MODEL")
    samples: tuple[Path, ...] = option(REQUIRED, "Files of `kr egdb sample`.", argument=True, metavar="SAMPLE")
    share: str = option("test", "Share of the files to ask about.", choices=("training", "validation", "test"))
    limit: int = option(
        200_000, "Positions to ask about, {allowed}.", parse=parse_count, low=1, high=10**12, zero="all"
    )
    ways: Sequence[str] = option(
        (), "Ways of asking, with commas between; all that the network can be asked if not given.",
        parse=parse_ways, show=",".join, metavar="WAYS",
    )  # fmt: skip


def score_model(
    settings: EndnetTestSettings, on_progress: Callable[[int, int], None] | None = None
) -> tuple[EndnetScores, EndnetModel]:
    """Ask a network about positions and count what it got right.

    on_progress: called with positions asked about and positions in all. Raises InvalidModelError, InvalidSampleError,
    InvalidSettingError.
    """
    model = load_model(settings.model)
    check_jax()
    asker = Asker(model.predict, model.shape.asked)
    ways = settings.ways or asker.ways
    for way in ways:
        asker.check(way)
    if "best" in ways:
        fit_blend(asker, settings.samples)
    scores = count_scores(asker, scored_rows(settings.samples, settings.share, settings.limit, on_progress), ways)
    return scores, model


def fit_blend(asker: Asker, samples: Sequence[Path]) -> None:
    """Fit the way `best` to validation positions of some files. Raises InvalidSettingError if there are none."""
    with closing(SampleStream(samples, "validation", limit=BLEND_POSITIONS)) as stream:
        stream.batch = stream.positions
        rows = next(stream.epoch(0))
    asker.fit_best(rows.boards, rows.values)


def scored_rows(
    samples: Sequence[Path], share: str, limit: int, on_progress: Callable[[int, int], None] | None = None
) -> Iterator[SampleRows]:
    """The first positions of a share of some files, in proportion; limit: 0 for all."""
    with closing(SampleStream(samples, share, limit=limit or None)) as stream:
        total, done = stream.positions, 0
        if on_progress:
            on_progress(0, total)
        # parts of one size, so that fewer than their number are left out
        stream.batch = total // -(-total // TESTED_AT_ONCE)
        for rows in stream.epoch(0):
            yield rows
            done += len(rows)
            if on_progress:
                on_progress(done, total)
