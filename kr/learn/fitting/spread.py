"""The samples of a fit on the workers of a cluster: each reads a part of the shards, and sums over its samples.

The coordinator adds the sums of the parts in their order. Tables differ from those of a fit in one process by rounding
only: duplicates are merged within a part, and sums are taken part by part. A part whose worker is lost is read again by
another one, and what it missed is repeated there.

For each evaluation of the loss, the weights of all entries that occur go to every worker (8 bytes each), and their
gradient comes back from every part (16 bytes each).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.cluster.crew import Crew, Shared, open_crew
from kr.cluster.store import digest_of
from kr.errors import ClusterError, InvalidGamesError, InvalidSettingError, WorkerLostError
from kr.evaluation.parts import Windows
from kr.evaluation.patterns import PHASES
from kr.learn import games
from kr.learn.fitting.dataset import SCORE_STEPS, Label, OnFitProgress, SampledRun, score_scale
from kr.learn.fitting.held_part import unpacked_sums, weights_bytes
from kr.learn.fitting.inputs import MATERIAL_WEIGHTS, Entries, FittedWeights, Prior, entries_of, ranked_entries
from kr.learn.fitting.settings import FitSettings
from kr.learn.fitting.source import SOME_BOARDS, SampleSource
from kr.learn.fitting.sums import PRIOR_LOGITS, ROUNDING_SAMPLES, GroupSums, SampleSums, added, slope_of
from kr.units import counted, format_size

log = logging.getLogger("kr.cluster")
MODULE = "kr.learn.fitting.held_part"
SHARDS_AT_ONCE = 8
"""Shards that a part reads between two signs of progress."""
MEMORY_SHARE = 0.6
"""Share of a worker's memory that samples may take; above it table indices go to the disk, above all of it nothing."""
KERNEL_BYTES = 11
"""Bytes of a training sample beside its board and labels: pieces, material, logit and slope."""
LOST_ROUNDS = 20
"""Times that parts may be lost in a row before the fit gives up."""
NO_SHARDS = slice(0)


@dataclass(frozen=True)
class _Question:
    """A call to all parts. One that changed their state is repeated for the next worker of a part."""

    function: str
    values: Mapping[str, Any]
    chunk: bytes | None
    shards: slice
    """Those of each part that it reads."""


@dataclass
class _Part:
    """A part of the samples."""

    shards: list[tuple[int, str]]
    """Run directory and SHA-256 of each of its shards."""
    member: str
    counts: dict[tuple[bool, bool], tuple[int, int]] = field(default_factory=dict)
    """Positions and distinct samples by (held out, kings)."""
    bytes: int = 0


class SpreadSource(SampleSource):
    """Samples on the workers of a crew."""

    def __init__(
        self, crew: Crew, shards: Mapping[Path, Sequence[tuple[str, Path]]], settings: FitSettings,
        on_progress: OnFitProgress,
    ) -> None:  # fmt: skip
        """shards: SHA-256 and path of those of each run directory."""
        self._crew, self.loss = crew, settings.loss
        self._recorded: list[_Question] = []
        self._last: tuple[bytes, Shared] | None = None
        self._directories = list(shards)
        every = [(number, digest) for number, each in enumerate(shards.values()) for digest, _ in each]
        self.identity = storage.checksum("\n".join(f"{number} {digest}" for number, digest in every).encode())
        members = crew.members
        count = min(len(members), len(every))
        bounds = [len(every) * i // count for i in range(count + 1)]
        self.parts = [_Part(every[bounds[i] : bounds[i + 1]], members[i]) for i in range(count)]
        self._read(settings.label, (settings.seed, settings.holdout), on_progress)

    @classmethod
    @contextmanager
    def reading(cls, settings: FitSettings, on_progress: OnFitProgress) -> Iterator[SampleSource]:
        """Raises ClusterError, and InvalidSettingError if the workers have too little memory."""
        shards = {
            directory: [(digest_of(path), path) for path in games.game_files(directory)]
            for directory in settings.directories
        }
        files = {digest: path for each in shards.values() for digest, path in each}
        with open_crew(settings.cluster, files) as crew:
            try:
                yield cls(crew, shards, settings, on_progress)
            except (ClusterError, KeyboardInterrupt):
                raise  # nobody to tell, or no time
            except BaseException:
                _let_go(crew)
                raise
            _let_go(crew)

    # Calls

    def everywhere(
        self,
        function: str,
        values: Mapping[str, Any] = MappingProxyType({}),
        chunk: bytes | None = None,
        shards: slice = NO_SHARDS,
        record: bool = False,
    ) -> list[tuple[dict[str, Any], list[bytes]]]:
        """Answers of all parts to a call, in their order; parts that are lost are made anew and called again.

        shards: those of each part that it reads; record: the call changes the state of the parts. Raises the errors of
        the function, ClusterError.
        """
        question = _Question(function, values, chunk, shards)
        answers: dict[int, tuple[dict[str, Any], list[bytes]]] = {}
        waiting = list(range(len(self.parts)))
        for _ in range(LOST_ROUNDS):
            shared = self._shared(chunk)
            calls = {number: self._call(number, question, shared) for number in waiting}
            lost = []
            for number, call in calls.items():
                try:
                    answers[number] = call.result()
                except WorkerLostError as error:
                    lost.append(number)
                    log.warning("%s; part %d of the samples is read again", error, number)
            if lost:
                self._last = None  # it may have gone with the scheduler
            waiting = self._made_anew(lost)
            if not waiting:
                break
        else:
            raise WorkerLostError(f"parts of the samples were lost {LOST_ROUNDS} times in a row")
        if record:
            self._recorded.append(question)
        return [answers[number] for number in range(len(self.parts))]

    def _shared(self, chunk: bytes | None) -> list[Shared]:
        """The chunk as the cluster holds it: still, if it is the same as the last time."""
        if chunk is None:
            return []
        if self._last is None or self._last[0] != chunk:
            self._last = chunk, self._crew.share(chunk)
        return [self._last[1]]

    def _call(self, number: int, question: _Question, shared: Sequence[Shared]) -> Any:
        part = self.parts[number]
        shards = part.shards[question.shards]
        values = {
            "part": number, "threads": self._crew.threads(part.member), "loss": self.loss, "shards": shards,
            **question.values,
        }  # fmt: skip
        if "regions" in values:
            values["on_disk"] = self._indices_on_disk(part, len(values["regions"]))
        digests = [digest for _, digest in shards]
        return self._crew.call(part.member, f"{MODULE}:{question.function}", values, shared, digests)

    def _made_anew(self, lost: Sequence[int]) -> list[int]:
        """Give lost parts to other members and repeat the recorded calls there; returns all these parts."""
        for number in lost:
            members = self._crew.members
            load = {member: sum(part.member == member for part in self.parts) for member in members}
            self.parts[number].member = min(members, key=lambda member: (load[member], member))
        for recorded in self._recorded if lost else ():
            calls = [self._call(number, recorded, self._shared(recorded.chunk)) for number in lost]
            for call in calls:
                try:
                    call.result()
                except WorkerLostError:
                    continue  # found out again by the call that is repeated
        return list(lost)

    def forget(self, *functions: str) -> None:
        """Calls of these functions are not part of the parts any more."""
        self._recorded = [each for each in self._recorded if each.function not in functions]

    # Reading

    def _read(self, label: Label, split: tuple[int, float], on_progress: OnFitProgress) -> None:
        most = max(len(part.shards) for part in self.parts)
        batches = [slice(first, first + SHARDS_AT_ONCE) for first in range(0, most, SHARDS_AT_ONCE)]
        total = sum(len(part.shards) for part in self.parts) * (2 if label.score_share else 1)
        count = 0

        def advance(batch: slice) -> None:
            nonlocal count
            count += sum(len(part.shards[batch]) for part in self.parts)
            on_progress("reading games", count, total)

        scales: list[float | None] = [None] * len(self._directories)
        if label.score_share:
            sums = np.zeros((len(self._directories), 2, SCORE_STEPS))
            counting = {"directories": len(self._directories), "split": split}
            for batch in batches:
                for _, (counts,) in self.everywhere("score_counts", counting, shards=batch):
                    sums += np.frombuffer(counts).reshape(sums.shape)
                advance(batch)
            scales = [score_scale(each, *sums[i]) for i, each in enumerate(self._directories)]
        labels = {"label": [label.score_share, label.decay, label.leaves], "split": split, "scales": scales}
        runs: list[list[Any]] = []
        for step, batch in enumerate(batches):
            reading = {**labels, "step": step, "last": batch is batches[-1]}
            answers = self.everywhere("read_shards", reading, shards=batch, record=True)
            for part, (values, _) in zip(self.parts, answers, strict=True):
                runs += values["runs"]
                part.bytes = values["bytes"]
                part.counts = {(bool(h), bool(k)): (p, d) for h, k, p, d in values["counts"]}
            self._check_memory((step + 1) / len(batches))
            advance(batch)
        self._tell_memory()
        self.runs = [self._run(number, runs, scale) for number, scale in enumerate(scales)]
        if not any(part.counts[False, kings][0] for part in self.parts for kings in (False, True)):
            where = ", ".join(map(str, self._directories))
            raise InvalidGamesError(f"{where}: no quiet searched position in these games")

    def _run(self, number: int, runs: Sequence[Sequence[Any]], scale: float | None) -> SampledRun:
        own = [each for each in runs if each[0] == number]
        _, _, _, seed, player = own[0]
        return SampledRun(
            self._directories[number].as_posix(), len(own), sum(each[1] for each in own), scale,
            sum(each[2] for each in own), seed, player,
        )  # fmt: skip

    def _check_memory(self, share: float) -> None:
        """Refuse a fit whose samples won't fit into the memory of the workers. share: of the games read so far."""
        limits = self._crew.memory_limits()
        held: dict[str, float] = {}
        for part in self.parts:
            held[part.member] = held.get(part.member, 0) + part.bytes / share
        for member, size in held.items():
            if (limit := limits.get(member, 0)) and size > limit:
                workers = -(-int(sum(held.values())) // int(limit * MEMORY_SHARE))
                raise InvalidSettingError(
                    f"worker {member} has {format_size(limit)} of memory, its samples would take "
                    f"{format_size(int(size))}: expected {counted(workers, 'worker')} of this size, or fewer games"
                )

    def _tell_memory(self) -> None:
        sizes: dict[str, int] = {}
        for part in self.parts:
            sizes[part.member] = sizes.get(part.member, 0) + part.bytes
        total, most = format_size(sum(sizes.values())), format_size(max(sizes.values()))
        log.info("the samples take %s on %s, %s at most on one", total, counted(len(sizes), "worker"), most)

    # Groups

    @contextmanager
    def group(self, kings: bool, windows: Windows, prior: Prior | None) -> Iterator[SampleSums]:
        values = {"kings": kings, "regions": windows.regions, "base": windows.base}
        answers = self.everywhere("count_entries", values, record=True)
        seen, held_out = _counts(windows, answers)
        indices = [ranked_entries(seen[r], held_out[r], prior, r) for r in range(len(windows.regions))]
        entries = entries_of(windows, indices, [seen[r][order] for r, order in enumerate(indices)])
        lengths = [len(order) for order in indices]
        every = np.concatenate([np.zeros(0, dtype=np.uint32), *indices]).astype("<u4").tobytes()
        self.everywhere("rank_entries", {"lengths": lengths}, every, record=True)
        try:
            yield SpreadSums(self, entries, kings)
        finally:
            self.forget("count_entries", "rank_entries")

    def _indices_on_disk(self, part: _Part, regions: int) -> bool:
        """True if the table indices of a part would not fit into the worker's memory beside its samples."""
        limit = self._crew.memory_limits().get(part.member, 0)
        own = [each for each in self.parts if each.member == part.member]
        distinct = sum(count for each in own for _, count in each.counts.values())
        size = sum(each.bytes for each in own) + distinct * (4 * regions + KERNEL_BYTES)
        return bool(limit) and size > MEMORY_SHARE * limit

    def some_boards(self) -> dict[bool, NDArray[np.uint32]]:
        answers = self.everywhere("some_boards", {"least": SOME_BOARDS // len(self.parts)})
        return {
            bool(kings): np.concatenate([
                np.frombuffer(chunks[kings], dtype=np.uint32).reshape(-1, 4) for _, chunks in answers
            ])
            for kings in (0, 1)
        }  # fmt: skip


class SpreadSums(SampleSums):
    """Sums over the samples of a group in all parts."""

    def __init__(self, source: SpreadSource, entries: Entries, kings: bool) -> None:
        self.entries, self.loss = entries, source.loss
        self._source, self._kings = source, kings

    def _count(self, held_out: bool, which: int) -> int:
        return sum(part.counts[held_out, self._kings][which] for part in self._source.parts)

    @property
    def positions(self) -> int:
        return self._count(False, 0)

    def curvature(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._sum_of_both(self._source.everywhere("curvature"))

    def gradient(self, solution: FittedWeights) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        answers = self._source.everywhere("gradient", chunk=weights_bytes(solution))
        return sum(values["loss"] for values, _ in answers), *self._sum_of_both(answers)

    def _sum_of_both(
        self, answers: Sequence[tuple[dict[str, Any], list[bytes]]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        own, material = np.zeros((self.entries.slots, PHASES)), np.zeros(MATERIAL_WEIGHTS)
        for _, chunks in answers:
            own += np.frombuffer(chunks[0]).reshape(own.shape)
            material += np.frombuffer(chunks[1]).reshape(material.shape)
        return own, material

    def logit_histogram(self, solution: FittedWeights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        count, points = np.zeros(len(PRIOR_LOGITS)), np.zeros(len(PRIOR_LOGITS))
        for _, chunks in self._source.everywhere("logit_histogram", chunk=weights_bytes(solution)):
            count += np.frombuffer(chunks[0])
            points += np.frombuffer(chunks[1])
        return count, points

    def held_out_loss(self, solution: FittedWeights) -> float:
        answers = [values for values, _ in self._source.everywhere("held_out_loss", chunk=weights_bytes(solution))]
        return sum(each["loss"] for each in answers) / max(1, sum(each["positions"] for each in answers))

    def report(self, solution: FittedWeights) -> GroupSums:
        step = max(1, self._count(True, 1) // ROUNDING_SAMPLES)
        answers = self._source.everywhere("report_sums", {"steps": [0, step]}, weights_bytes(solution))
        training, held_out = zip(*(unpacked_sums(*each) for each in answers), strict=True)
        return GroupSums(added(training), added(held_out))

    def men_slope(self, solution: FittedWeights) -> float:
        pairs = [values["sums"] for values, _ in self._source.everywhere("men_differences")]
        total, difference = (sum(pair[i] for pair in pairs) for i in (0, 1))
        if not total:
            return 0.0
        answers = self._source.everywhere("men_slopes", {"mean": difference / total}, weights_bytes(solution))
        return slope_of(*(sum(values["sums"][i] for values, _ in answers) for i in (0, 1)))


def _counts(
    windows: Windows, answers: Sequence[tuple[dict[str, Any], list[bytes]]]
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Counts of each entry of each region in the training samples and the held-out ones of all parts."""
    seen, held_out = ([np.zeros(windows.table_size, dtype=np.int64) for _ in windows.regions] for _ in range(2))
    for _, chunks in answers:
        for region in range(len(windows.regions)):
            indices, *counts = (np.frombuffer(each, dtype=np.uint32) for each in chunks[3 * region : 3 * region + 3])
            seen[region][indices] += counts[0]
            held_out[region][indices] += counts[1]
    return seen, held_out


def _let_go(crew: Crew) -> None:
    """Have the workers free the samples, which a later fit on the same workers would find in its way."""
    with suppress(ClusterError):
        for call in [crew.call(member, f"{MODULE}:let_go", {}) for member in crew.members]:
            with suppress(WorkerLostError):
                call.result()
