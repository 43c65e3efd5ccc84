"""A crew: calls that keep state on their worker, and what a caller hears of a worker that can't go on."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cluster_fake import Behaviour, FakeCluster, Machine, hangs, machine, says, sends

from kr.cluster.connection import SCHEDULER_PATIENCE, SILENCE, TaskAnswer
from kr.cluster.crew import MOST_DELIVERIES, Crew, open_crew
from kr.cluster.frames import framed, unframed
from kr.cluster.store import Store
from kr.errors import ClusterError, InvalidSettingError, InvalidWeightsError, WorkerLostError
from kr.jobs.needs import Needs
from kr.jobs.progress import CREW

__all__ = ["machine"]

ADD, FAIL, READ = "kr.jobs.kinds:add", "kr.jobs.kinds:fail", "kr.jobs.kinds:read"


def add(
    values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]
) -> tuple[dict[str, Any], list[bytes]]:
    """Count, and join the chunks."""
    state["sum"] = state.get("sum", 0) + values["number"]
    return {"sum": state["sum"]}, [b"+".join(bytes(chunk) for chunk in chunks), b""]


def read(
    values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]
) -> tuple[dict[str, Any], list[bytes]]:
    return {}, [Path(needs.place("file", values["file"])).read_bytes()]


ERRORS: dict[str, Exception] = {
    "kr": InvalidWeightsError("tables.h5 is damaged"),
    "value": ValueError("no number"),
    "disk": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/store"),
    "memory": MemoryError(),
}


def fail(values: dict[str, Any], chunks: list[bytes], needs: Needs, state: dict[str, Any]) -> Any:
    raise ERRORS[values["error"]]


@pytest.fixture(autouse=True)
def functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that workers find by name."""
    for function in (add, read, fail):
        monkeypatch.setattr(f"kr.jobs.kinds.{function.__name__}", function, raising=False)


@contextmanager
def crewed(
    machine: Machine, workers: Mapping[str, Behaviour], files: Mapping[str, Path] | None = None, local: bool = True
) -> Iterator[tuple[Crew, FakeCluster]]:
    cluster = FakeCluster(workers, local)
    with machine.connected(cluster), open_crew("fake", files or {}) as crew:
        yield crew, cluster
    assert CREW.text == ""


def test_state_is_kept_on_each_worker_for_the_crew(machine: Machine) -> None:
    with crewed(machine, dict.fromkeys("xy", machine.works)) as (crew, cluster):
        assert crew.members == ["x", "y"]
        for round_ in (1, 2, 3):
            calls = [crew.call(name, ADD, {"number": number}) for name, number in (("x", 1), ("y", 10))]
            assert [call.result()[0] for call in calls] == [{"sum": round_}, {"sum": 10 * round_}]
        with machine.connected(cluster), open_crew("fake", {}) as other:
            assert other.call("x", ADD, {"number": 5}).result()[0] == {"sum": 5}
        assert crew.call("x", ADD, {"number": 1}).result()[0] == {"sum": 4}


def test_calls_of_a_worker_are_done_in_order(machine: Machine) -> None:
    with crewed(machine, {"x": machine.works}) as (crew, _):
        calls = [crew.call("x", ADD, {"number": 1}) for _ in range(9)]
        assert [call.result()[0]["sum"] for call in reversed(calls)] == list(range(9, 0, -1))


def test_shared_bytes_come_before_all_else_and_are_sent_once(machine: Machine) -> None:
    with crewed(machine, dict.fromkeys("xy", machine.works)) as (crew, cluster):
        both = [crew.share(b"one"), crew.share(memoryview(b"two"))]
        for name in "xy":
            values, chunks = crew.call(name, ADD, {"number": 1}, both).result()
            assert (values, chunks) == ({"sum": 1}, [b"one+two", b""])
        assert len(cluster.held) == 2
        assert not any(b"one" in future.frame for future in cluster.futures)


# --- files


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    monkeypatch.setattr("kr.cluster.connection.BLOCK_BYTES", 10)
    path = tmp_path / "samples.h5"
    path.write_bytes(bytes(range(35)))
    return hashlib.sha256(path.read_bytes()).hexdigest(), path


@pytest.mark.parametrize("local", [False, True])
def test_files_are_there_once_they_are_looked_up(local: bool, machine: Machine, file: tuple[str, Path]) -> None:
    digest, path = file
    with crewed(machine, dict.fromkeys("xy", machine.works), {digest: path}, local) as (crew, cluster):
        for _ in range(3):
            for name in "xy":
                assert crew.call(name, READ, {"file": digest}, files=[digest]).result()[1] == [path.read_bytes()]
        kept = [name for name, task in cluster.log if task["do"] == "keep"]
    assert sorted(kept) == ([] if local else ["x", "y"])
    for name in ["here"] if local else ["x", "y"]:
        assert Store(machine.directory / name).missing([digest]) == []


def test_a_worker_that_never_has_its_files_is_left(machine: Machine, file: tuple[str, Path]) -> None:
    digest, path = file

    def forgets(cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> TaskAnswer:
        answer = machine.works(cluster, address, frame, blocks)
        Store(machine.directory / address).clear()
        return answer

    with crewed(machine, {"x": forgets, "y": machine.works}, {digest: path}, False) as (crew, cluster):
        with pytest.raises(WorkerLostError, match="worker x can't do the work: its store .* KR_STORE_SIZE"):
            crew.call("x", READ, {"file": digest}, files=[digest]).result()
        assert sum(task["do"] == "keep" for _, task in cluster.log) <= MOST_DELIVERIES
        assert crew.members == ["y"]


def test_a_worker_that_can_not_keep_files_is_left(machine: Machine, file: tuple[str, Path]) -> None:
    digest, path = file
    (machine.directory / "x").write_text("no directory")
    with crewed(machine, {"x": machine.works, "y": machine.works}, {digest: path}, False) as (crew, _):
        with pytest.raises(WorkerLostError, match="worker x can't do the work: "):
            crew.call("x", READ, {"file": digest}, files=[digest]).result()
        assert crew.members == ["y"]


def test_damaged_blocks_are_not_the_fault_of_who_gets_them(machine: Machine, file: tuple[str, Path]) -> None:
    """Of files, and of what calls share: they come from here then, once."""
    digest, path = file
    with crewed(machine, dict.fromkeys("xy", machine.works), {digest: path}, False) as (crew, cluster):
        cluster.spoils = True
        shared = [crew.share(b"one"), crew.share(b"two")]
        for name in "xy":
            assert crew.call(name, READ, {"file": digest}, files=[digest]).result()[1] == [path.read_bytes()]
            assert crew.call(name, ADD, {"number": 1}, shared).result()[1] == [b"one+two", b""]
        assert crew.members == ["x", "y"]
        keeps = [name for name, task in cluster.log if task["do"] == "keep"]
        assert sorted(keeps) == ["x", "x", "y", "y"]


def test_a_worker_that_damages_its_own_blocks_is_left(machine: Machine) -> None:
    damaged = says(failed=["DamagedBlockError", "no frame", "block"])
    with crewed(machine, {"x": damaged, "y": machine.works}) as (crew, _):
        with pytest.raises(WorkerLostError, match="worker x can't do the work: no frame"):
            crew.call("x", ADD, {"number": 1}, [crew.share(b"one")]).result()
        assert crew.members == ["y"]


# --- errors


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        ("kr", InvalidWeightsError, "^tables.h5 is damaged$"),
        ("value", ClusterError, "^ValueError: no number$"),
        ("other", ClusterError, "^KeyError: 'other'$"),
        ("disk", WorkerLostError, "^worker x can't do the work: /store: No space left on device$"),
        ("memory", WorkerLostError, "^worker x can't do the work: out of memory$"),
    ],
)
def test_errors_of_the_function_and_of_the_machine(
    error: str, kind: type[Exception], said: str, machine: Machine
) -> None:
    with crewed(machine, {"x": machine.works, "y": machine.works}) as (crew, _):
        with pytest.raises(kind, match=said):
            crew.call("x", FAIL, {"error": error}).result()
        assert crew.members == (["y"] if kind is WorkerLostError else ["x", "y"])


@pytest.mark.parametrize("name", ["", "os:system", "kr.jobs.kinds:", "kr.jobs.kinds:none", "kr.no_such:function"])
def test_only_functions_of_kr_are_called(name: str, machine: Machine) -> None:
    with (
        crewed(machine, {"x": machine.works}) as (crew, _),
        pytest.raises(InvalidSettingError, match="is not a function of kr; it may belong to another version"),
    ):
        crew.call("x", name, {}).result()


GARBAGE: dict[str, Behaviour] = {
    "nothing": sends(b""),
    "not a frame": sends(b"\0" * 99),
    "no values": says(),
    "values of no form": says(values=[1]),
    "no values at all": says(values=None),
    "an error of no form": says(failed="error"),
    "an error of numbers": says(failed=[1, 2, 3]),
    "missing files of no form": says(missing=7),
    "missing files that are lists": says(missing=[[]]),
    "missing files that nobody has": says(missing=["0" * 64]),
    "another version": says(refused="it has kr 0.0.1, the coordinator kr 9"),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_a_worker_that_makes_no_sense_is_left(name: str, machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    with crewed(machine, {"bad": GARBAGE[name], "good": machine.works}) as (crew, _):
        with pytest.raises(WorkerLostError, match="^worker bad can't do the work: [^\n]+$"):
            crew.call("bad", ADD, {"number": 1}).result()
        assert crew.members == ["good"]
        assert list(crew.faults) == ["bad"]
    assert [record.message for record in caplog.records] == [f"worker bad is left: {crew.faults['bad']}"]


# --- workers that come and go


def test_a_worker_that_is_lost(machine: Machine) -> None:
    def look(cluster: FakeCluster) -> None:
        if cluster.looks == 4:
            cluster.lose("x")

    with crewed(machine, {"x": hangs, "y": machine.works}) as (crew, cluster):
        cluster.on_look = look
        with pytest.raises(WorkerLostError, match="^worker x was lost$"):
            crew.call("x", ADD, {"number": 1}).result()
        assert crew.members == ["y"]
        assert crew.faults == {}


def test_a_worker_that_is_silent(machine: Machine) -> None:
    with crewed(machine, {"x": hangs, "y": machine.works}) as (crew, cluster):
        call = crew.call("x", ADD, {"number": 1})
        cluster.change("x", silence=SILENCE + 1)
        with pytest.raises(WorkerLostError, match="^worker x was lost$"):
            call.result()
        assert crew.members == ["y"]
        cluster.change("x", silence=0.0)
        assert crew.members == ["x", "y"]


def test_a_worker_that_died(machine: Machine) -> None:
    died: Behaviour = lambda cluster, address, frame, blocks: TaskAnswer(None, address, "it died", 1)  # noqa: E731
    with (
        crewed(machine, {"x": died}) as (crew, _),
        pytest.raises(WorkerLostError, match="^worker x was lost: it died$"),
    ):
        crew.call("x", ADD, {"number": 1}).result()


def test_a_scheduler_that_vanishes_takes_the_calls_with_it(machine: Machine) -> None:
    with crewed(machine, dict.fromkeys("xy", machine.works)) as (crew, cluster):
        calls = [crew.call(name, ADD, {"number": 1}) for name in "xy"]
        cluster.alive = False
        for call in calls:
            with pytest.raises(WorkerLostError, match="^worker [xy] was lost with its scheduler$"):
                call.result()
        assert crew.members == ["x", "y"]
        assert cluster.times_lost == 1
        assert crew.call("x", ADD, {"number": 1}).result()[0] == {"sum": 1}


def test_the_first_worker_is_waited_for(machine: Machine) -> None:
    began = machine.now
    with crewed(machine, {"x": machine.works}) as (crew, cluster):
        cluster.change("x", silence=SILENCE + 1)
        cluster.on_look = lambda cluster: cluster.change("x", silence=0.0) if cluster.looks == 9 else None
        assert crew.members == ["x"]
        assert machine.now > began


def test_no_worker_comes(machine: Machine) -> None:
    with crewed(machine, {"x": says(refused="it is too old")}) as (crew, _):
        with pytest.raises(WorkerLostError):
            crew.call("x", ADD, {"number": 1}).result()
        began = machine.now
        with pytest.raises(ClusterError, match="^local:9: no workers after 10m; x: it is too old$"):
            crew.members  # noqa: B018 - it waits
        assert machine.now - began > SCHEDULER_PATIENCE


def test_a_task_names_no_place_of_the_coordinator(machine: Machine, file: tuple[str, Path]) -> None:
    digest, path = file
    with crewed(machine, {"x": machine.works}, {digest: path}, False) as (crew, cluster):
        crew.call("x", READ, {"file": digest}, files=[digest]).result()
        assert not any(str(path.parent).encode() in future.frame for future in cluster.futures)
        assert unframed(cluster.futures[0].frame)[0]["parcels"].keys() == {digest}
        assert framed({}) not in [future.frame for future in cluster.futures]
