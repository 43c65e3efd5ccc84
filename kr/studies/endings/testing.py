"""`kr endnet test`: a network tested on positions with known values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kr.egdb.sample_reader import SampleRows, SampleStream
from kr.errors import InvalidModelError
from kr.evaluation.files import KIND as WEIGHTS_KIND
from kr.evaluation.files import WeightsFile
from kr.hdf5 import reading
from kr.settings import REQUIRED, Settings, check_settings, option
from kr.studies.descent import check_jax
from kr.studies.endings.asking import Asker
from kr.studies.endings.model_file import load_model
from kr.studies.endings.scores import EndnetScores, count_scores
from kr.units import parse_count

TESTED_AT_ONCE = 1 << 16
"""Positions from one report of progress to the next."""
BLEND_POSITIONS = 50_000
"""Validation positions that the way `best` is fitted to."""


def parse_ways(text: str) -> tuple[str, ...]:
    """Ways with commas between; "" for all ways of the network."""
    return tuple(filter(None, text.replace(" ", "").split(",")))


@dataclass(frozen=True)
class EndnetTestSettings(Settings):
    """The network, the positions and the ways of a test."""

    model: Path = option(REQUIRED, "Model file of `kr endnet fit`.", argument=True, metavar="MODEL")
    samples: tuple[Path, ...] = option(REQUIRED, "Files of `kr egdb sample`.", argument=True, metavar="SAMPLE")
    share: str = option("test", "Share of the files to ask about.", choices=("training", "validation", "test"))
    limit: int = option(
        200_000, "Positions to ask about, {allowed}.", parse=parse_count, low=1, high=10**12, zero="all"
    )
    ways: Sequence[str] = option(
        (), "Ways of asking, with commas between; all that the network can be asked if not given.",
        parse=parse_ways, show=",".join, metavar="WAYS",
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class LoadedNet:
    """A network of a model file, ready for use."""

    asker: Asker
    checksum: str
    name: str
    """Short text for its shape."""


def load_net(path: Path) -> LoadedNet:
    """A network from a model file of `kr endnet fit`, run by JAX.

    Raises InvalidModelError, InvalidWeightsError, and InvalidSettingError without JAX.
    """
    with reading(path, InvalidModelError, "network") as source:
        if source.attributes.get("kind") == WEIGHTS_KIND:
            # an exported network is refused as one
            WeightsFile(path, source)
            raise InvalidModelError(f"{path}: weights of an evaluation; expected a model file of kr endnet fit")
    model = load_model(path)
    check_jax()
    return LoadedNet(Asker(model.predict, model.shape.asked), model.checksum, str(model.shape))


def score_net(
    settings: EndnetTestSettings, on_progress: Callable[[int, int], None] | None = None
) -> tuple[EndnetScores, LoadedNet]:
    """Test a network on positions and count its right answers.

    on_progress: called with positions asked about and positions in all. Raises InvalidModelError, InvalidWeightsError,
    InvalidSampleError, InvalidSettingError.
    """
    check_settings(settings, EndnetTestSettings)
    net = load_net(settings.model)
    ways = settings.ways or net.asker.ways
    for way in ways:
        net.asker.check(way)
    if "best" in ways:
        fit_blend(net.asker, settings.samples)
    rows = scored_rows(settings.samples, settings.share, settings.limit, on_progress)
    return count_scores(net.asker, rows, ways), net


def fit_blend(asker: Asker, samples: Sequence[Path]) -> None:
    """Fit the way `best` to validation positions of some files. Raises InvalidSettingError without any."""
    with closing(SampleStream(samples, "validation", limit=BLEND_POSITIONS)) as stream:
        stream.batch = stream.positions
        rows = next(stream.epoch(0))
    asker.fit_best(rows.boards, rows.values)


def scored_rows(
    samples: Sequence[Path], share: str, limit: int, on_progress: Callable[[int, int], None] | None = None
) -> Iterator[SampleRows]:
    """The first positions of a share of some files, in proportion; limit: 0 for all."""
    with closing(SampleStream(samples, share, limit=limit or None)) as stream:
        total, count = stream.positions, 0
        if on_progress:
            on_progress(0, total)
        # parts of one size, so that fewer than their number are left out
        stream.batch = total // -(-total // TESTED_AT_ONCE)
        for rows in stream.epoch(0):
            yield rows
            count += len(rows)
            if on_progress:
                on_progress(count, total)
