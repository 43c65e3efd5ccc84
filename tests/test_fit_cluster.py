"""The fit over parts of the samples, as on the workers of a cluster: the tables of one process, but for rounding."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playouts import write_run
from tables import TINY

from kr.cluster.frames import framed, unframed
from kr.cluster.worker import function_named
from kr.errors import ClusterError, InvalidSettingError, StoppedError, WorkerLostError
from kr.evaluation import weights
from kr.jobs.needs import Needs
from kr.learn.fitting import held_part, spread
from kr.learn.fitting.fit import FitResult, fit
from kr.learn.fitting.settings import FitSettings


class Answered:
    """A call that is done."""

    def __init__(self, answer: bytes | Exception) -> None:
        self.answer = answer

    def result(self) -> tuple[dict[str, Any], list[bytes]]:
        if isinstance(self.answer, Exception):
            raise self.answer
        values, chunks = unframed(self.answer)
        return values, [bytes(chunk) for chunk in chunks]


class CrewHere:
    """The interface of kr.cluster.crew.Crew, done in this process.

    lost: numbers of calls whose worker is lost; doubled: of those that are done twice, and answered by the second.
    """

    def __init__(self, count: int, memory: int = 0, lost: Sequence[int] = (), doubled: Sequence[int] = ()) -> None:
        self.members = [f"worker {i}" for i in range(count)]
        self.kept: dict[str, dict[str, Any]] = {member: {} for member in self.members}
        self.needs = Needs()
        self.calls: list[str] = []
        self.memory, self.lost, self.doubled = memory, lost, doubled

    def memory_limits(self) -> dict[str, int]:
        return dict.fromkeys(self.members, self.memory)

    def threads(self, member: str) -> int:
        return 2

    def share(self, chunk: bytes) -> bytes:
        return framed({}, [chunk])

    def call(
        self, member: str, function: str, values: Mapping[str, Any], shared: Sequence[bytes] = (), files: Any = ()
    ) -> Answered:
        self.calls.append(function.partition(":")[2])
        if len(self.calls) in self.lost and member in self.kept:
            self.members.remove(member)
            self.members.append(f"worker {len(self.calls)}")
            self.kept[self.members[-1]] = {}
            del self.kept[member]
        if member not in self.kept:
            return Answered(WorkerLostError(f"{member} was lost"))
        given, _ = unframed(framed(values))
        chunks = [bytes(chunk) for each in shared for chunk in unframed(each)[1]]
        try:
            for _ in range(1 + (len(self.calls) in self.doubled)):
                answer = function_named(function)(given, chunks, self.needs, self.kept[member])
            return Answered(framed(*answer))
        except WorkerLostError as error:
            return Answered(error)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("games")
    write_run(directory, 60, shard_games=5)
    return directory


def settings_in(run: Path, directory: Path) -> FitSettings:
    return FitSettings(
        directories=(run,), out=directory / "made.h5", layout=TINY, holdout=0.2, max_iter=11, tolerance=0.0
    )


@pytest.fixture
def settings(run: Path, tmp_path: Path) -> FitSettings:
    return settings_in(run, tmp_path)


def use(patch: pytest.MonkeyPatch, made: CrewHere) -> CrewHere:
    """Give a crew to fits."""

    @contextmanager
    def opened(cluster: str, files: Mapping[str, Path]) -> Iterator[CrewHere]:
        for digest, path in files.items():
            made.needs.put(digest, str(path))
        yield made

    patch.setattr(spread, "open_crew", opened)
    return made


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give a crew to the fits of a test."""
    return partial(use, monkeypatch)


@pytest.fixture(scope="module")
def here(run: Path, tmp_path_factory: pytest.TempPathFactory) -> FitResult:
    """The fit in one process."""
    return fit(settings_in(run, tmp_path_factory.mktemp("here")))


@pytest.fixture(scope="module")
def calm(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], tuple[FitResult, list[str]]]:
    """The fit by workers of whom none is lost, and its calls, by their number."""

    @cache
    def made(count: int) -> tuple[FitResult, list[str]]:
        with pytest.MonkeyPatch.context() as patch:
            workers = use(patch, CrewHere(count))
            result = fit(on_cluster(settings_in(run, tmp_path_factory.mktemp("calm")), "calm.h5"))
        return result, workers.calls

    return made


def on_cluster(settings: FitSettings, name: str) -> FitSettings:
    return dataclasses.replace(settings, out=settings.out.with_name(name), cluster="local:2")


def tables(path: Path) -> list[np.ndarray]:
    made = weights.load_tables(path)
    return [made.men_table, made.kings_table, made.men_material, made.kings_material]


@pytest.mark.slow
@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.soak), 3])
def test_parts_make_the_tables_of_one_process(here: FitResult, calm: Any, count: int) -> None:
    there, _ = calm(count)
    for own, other in zip(tables(here.path), tables(there.path), strict=True):
        difference = np.abs(own.astype(int) - other)
        # a sixteenth of a centi-man, where a sum was rounded the other way
        assert difference.max() <= 1
        assert np.count_nonzero(difference) <= 1e-3 * np.count_nonzero(own) + 1
    for name in ("loss", "loss_by_phase", "calibration"):
        for own, other in zip(here.report[name], there.report[name], strict=True):
            for key, value in own.items():
                assert other[key] == (pytest.approx(value, rel=1e-5) if isinstance(value, float) else value)
    assert here.report["coverage"] == there.report["coverage"]
    assert here.report["runs"] == there.report["runs"]
    positions = [[each[key] for key in ("group", "set", "positions")] for each in here.report["samples"]]
    assert [[each[key] for key in ("group", "set", "positions")] for each in there.report["samples"]] == positions


@pytest.mark.slow
@pytest.mark.parametrize("lost", [pytest.param([2], marks=pytest.mark.soak), [7, 8, 41, 60]])
def test_a_lost_worker_changes_nothing(settings: FitSettings, crew: Any, calm: Any, lost: list[int]) -> None:
    undisturbed, calls = calm(3)
    disturbed = crew(CrewHere(3, lost=lost))
    assert fit(on_cluster(settings, "disturbed.h5")).checksum == undisturbed.checksum
    assert len(disturbed.calls) > len(calls)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["read_shards", "rank_entries"])
def test_a_part_is_made_anew_rather_than_changed_twice(
    settings: FitSettings, crew: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(spread, "SHARDS_AT_ONCE", 2)
    calm = crew(CrewHere(2))
    undisturbed = fit(on_cluster(settings, "calm.h5"))
    last = max(number for number, each in enumerate(calm.calls, start=1) if each == name)
    disturbed = crew(CrewHere(2, doubled=[last]))
    assert fit(on_cluster(settings, "doubled.h5")).checksum == undisturbed.checksum
    assert len(disturbed.calls) > len(calm.calls)


@pytest.mark.slow
def test_workers_that_are_always_lost_end_the_fit(settings: FitSettings, crew: Any) -> None:
    crew(CrewHere(2, lost=range(1, 10_000)))
    with pytest.raises(ClusterError, match="lost 20 times in a row"):
        fit(on_cluster(settings, "spread.h5"))
    assert not (settings.out.parent / "spread.h5").exists()


@pytest.mark.soak
def test_resume(settings: FitSettings, crew: Any, calm: Any) -> None:
    class StopAt:
        def __init__(self) -> None:
            self.looks = 0

        def is_set(self) -> bool:
            self.looks += 1
            return self.looks == 23

    whole, _ = calm(2)
    crew(CrewHere(2))
    resumed = on_cluster(settings, "resumed.h5")
    with pytest.raises(StoppedError):
        fit(resumed, stop=StopAt())  # type: ignore[arg-type]
    assert resumed.out.with_name("resumed.h5.checkpoint").exists()
    # the partition of the samples may change between starts
    assert fit(resumed).checksum == whole.checksum
    again = fit(resumed)
    assert again.earlier
    assert again.checksum == whole.checksum


@pytest.mark.soak
def test_indices_on_the_disk(
    settings: FitSettings, crew: Any, calm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KR_STORE", str(tmp_path / "store"))
    in_memory, _ = calm(2)
    monkeypatch.setattr(spread, "MEMORY_SHARE", 1e-9)
    made: list[type] = []
    array = held_part._array

    def counted(*given: Any) -> np.ndarray:
        made.append(type(values := array(*given)))
        return values

    monkeypatch.setattr(held_part, "_array", counted)
    crew(CrewHere(2, memory=10**9))
    assert fit(on_cluster(settings, "disk.h5")).checksum == in_memory.checksum
    assert np.memmap in made
    assert not [name for name in os.listdir(tmp_path / "store") if name.startswith(".ids")]


@pytest.mark.slow
def test_workers_keep_no_samples_of_a_fit_that_is_over(settings: FitSettings, crew: Any) -> None:
    made = crew(CrewHere(2, lost=[7]))
    fit(on_cluster(settings, "spread.h5"))
    assert set(map(len, made.kept.values())) == {0}


def test_too_little_memory_is_refused(settings: FitSettings, crew: Any) -> None:
    made = crew(CrewHere(2, memory=1000))
    with pytest.raises(InvalidSettingError, match=r"worker worker 0 has 1000B of memory.*expected \d+ workers"):
        fit(on_cluster(settings, "spread.h5"))
    assert made.kept == {"worker 0": {}, "worker 1": {}}


@pytest.mark.soak
def test_on_a_cluster(settings: FitSettings, here: FitResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KR_STORE", str(tmp_path / "store"))
    there = fit(on_cluster(settings, "spread.h5"))
    for own, other in zip(tables(here.path), tables(there.path), strict=True):
        assert np.abs(own.astype(int) - other).max() <= 1
