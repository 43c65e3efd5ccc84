"""The pool of a cluster's workers: every unit once into the result, whatever the workers do."""

from __future__ import annotations

import hashlib
import logging
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cluster_fake import Behaviour, FakeCluster, Machine, ToyUnits, hangs, machine, says, sends, toy, unheard

from kr import __version__
from kr.cluster import pool as module
from kr.cluster.connection import SILENCE, TaskAnswer
from kr.cluster.frames import framed, unframed
from kr.cluster.pool import LEAST_WAIT, MOST_FAILURES, TASK_SECONDS, ClusterPool
from kr.cluster.store import Store
from kr.errors import ClusterError, InvalidWeightsError, MissingNeedError
from kr.jobs.needs import Needs
from kr.jobs.pool import FinishedPortion
from kr.jobs.progress import CREW
from kr.jobs.unit import Unit

__all__ = ["machine"]


def done_by(
    machine: Machine, cluster: FakeCluster, units: Iterator[Unit | None] | Sequence[Unit], needs: Needs | None = None
) -> list[FinishedPortion[str]]:
    """Portions of units that a cluster does."""
    with machine.connected(cluster):
        return list(ClusterPool(ToyUnits(), needs or Needs(), "fake").run(iter(units)))


def values_of(parts: Sequence[FinishedPortion[str]]) -> dict[str, list[str]]:
    """Values of each unit, which must be whole and there once; "" for none."""
    found: dict[str, list[str]] = {}
    for part in parts:
        own = found.setdefault(part.unit.key, [])
        assert part.number == len(own)
        own.append(part.value or "")
    assert Counter(part.unit.key for part in parts if part.last) == dict.fromkeys(found, 1)
    return found


def reasons(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(record.message for record in caplog.records if record.name == "kr.cluster")


def test_every_unit_is_done_once(machine: Machine) -> None:
    units = [toy(i, "a", str(i), "b") if i % 3 else toy(i, "") for i in range(100)]
    cluster = FakeCluster(dict.fromkeys("xyz", machine.works))
    parts = done_by(machine, cluster, units)
    assert values_of(parts) == {str(i): ["a", str(i), "b"] if i % 3 else [""] for i in range(100)}
    assert {part.worker for part in parts} == set("xyz")
    assert all(part.unit in units for part in parts)
    for key in map(str, range(100)):
        assert sum(part.weight for part in parts if part.unit.key == key) == pytest.approx(1)
    assert Counter(key for name in "xyz" for key in cluster.units_of(name)) == dict.fromkeys(map(str, range(100)), 1)
    assert CREW.text == ""


def test_nothing_to_do(machine: Machine) -> None:
    cluster = FakeCluster({"x": machine.works})
    assert done_by(machine, cluster, []) == []
    assert done_by(machine, cluster, iter([None])) == []
    assert cluster.futures == []


def test_units_may_wait_for_others(machine: Machine) -> None:
    done: set[int] = set()

    def units() -> Iterator[Unit | None]:
        for i in range(30):
            while not {i - 2, i - 4} <= done | {-4, -3, -2, -1}:
                yield None
            yield toy(i)

    cluster = FakeCluster(dict.fromkeys("xy", machine.works))
    with machine.connected(cluster):
        for part in ClusterPool(ToyUnits(), Needs(), "fake").run(units()):
            done.add(int(part.unit.key))
    assert done == set(range(30))


@pytest.mark.parametrize("seconds", [TASK_SECONDS / 5, TASK_SECONDS * 10])
def test_small_units_travel_together(seconds: float, machine: Machine) -> None:
    """Few tasks of about TASK_SECONDS; at the end smaller ones, so that all workers have some."""

    def slow(cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> TaskAnswer:
        values, chunks = unframed(machine.works(cluster, address, frame, blocks).frame or b"")
        for result in values["results"]:
            result["seconds"] = seconds
        return TaskAnswer(framed(values, chunks))

    cluster = FakeCluster(dict.fromkeys("xy", slow))
    values_of(done_by(machine, cluster, [toy(i) for i in range(100)]))
    sizes = [len(task["units"]) for _, task in cluster.log]
    assert sum(sizes) == 100
    assert max(sizes) == (5 if seconds < TASK_SECONDS else 1)
    assert sizes[-1] == 1
    assert abs(len(cluster.units_of("x")) - len(cluster.units_of("y"))) <= 10


def result(key: object = "0", chunks: object = 1, seconds: object = 0.1) -> dict[str, object]:
    return {"key": key, "chunks": chunks, "seconds": seconds}


def answers(*results: object, chunks: Sequence[bytes] = (b"forged",), **values: object) -> bytes:
    return framed({"worker": "bad", "results": results, **values}, chunks)


GARBAGE = {
    "nothing": b"",
    "not a frame": b"\0" * 99,
    "a damaged frame": answers(result())[:-1] + b"?",
    "no values": framed({}),
    "results that are none": framed({"worker": "bad", "results": 7}),
    "results of numbers": answers(7),
    "results of texts": answers("results"),
    "no key": answers({"chunks": 1, "seconds": 1.0}),
    "a unit that nobody asked for": answers(result("other")),
    "a key that is a list": answers(result([])),
    "a number of chunks below 0": answers(result(chunks=-1)),
    "a number of chunks that is text": answers(result(chunks="1")),
    "half a chunk": answers(result(chunks=0.5)),
    "more chunks than came": answers(result(chunks=2)),
    "seconds that are text": answers(result(seconds="1.0")),
    "seconds below 0": answers(result(seconds=-1)),
    "chunks of no unit": answers(result(), chunks=[b"a", b"b"]),
    "a result that comes twice": answers(result(), result(), chunks=[b"0", b"0"]),
    "no seconds": answers(result(seconds=None)),
    "seconds that are not a number": answers(result(seconds=float("nan"))),
    "endless seconds": answers(result(seconds=float("inf"))),
    "a result that the kind refuses": answers(result(), chunks=[b"nonsense"]),
    "an error of no form": framed({"worker": "bad", "failed": "error"}),
    "an error of numbers": framed({"worker": "bad", "failed": [1, 2, 3]}),
    "an error that is short": framed({"worker": "bad", "failed": ["KrError"]}),
    "an error by name": framed({"worker": "bad", "failed": {"class": "KrError"}}),
    "missing files of no form": framed({"worker": "bad", "missing": 7}),
    "missing files that are lists": framed({"worker": "bad", "missing": [[]]}),
    "missing files that are not needed": framed({"worker": "bad", "missing": ["0" * 64]}),
    "missing files of nobody": framed({"missing": ["0" * 64]}),
    "a name that is none": framed({"worker": ["bad"], "results": [result(chunks=-1)]}),
    "another worker's name": framed({"worker": "good", "results": [result(chunks=-1)]}),
}


@pytest.mark.parametrize("frame", GARBAGE.values(), ids=GARBAGE)
def test_a_worker_that_answers_with_garbage_is_left(
    frame: bytes, machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = FakeCluster({"bad": sends(frame), "good": machine.works})
    units = [toy(i) for i in range(30)]
    assert values_of(done_by(machine, cluster, units)) == {str(i): [str(i)] for i in range(30)}
    assert "worker bad is left: " in reasons(caplog)
    assert "worker good" not in reasons(caplog)
    assert len(cluster.units_of("bad")) <= 4


LEFT: dict[str, tuple[Behaviour, str]] = {
    "another version": (
        says(refused=f"it has kr 0.0.1, the coordinator kr {__version__}"),
        f"worker bad is left: it has kr 0.0.1, the coordinator kr {__version__}",
    ),
    "a full disk": (
        says(results=[], failed=["OSError", "/store: No space left on device", "worker"]),
        "worker bad is left: /store: No space left on device",
    ),
    "no memory": (says(results=[], failed=["MemoryError", "out of memory", "worker"]), "left: out of memory"),
}


@pytest.mark.parametrize("name", LEFT)
def test_a_worker_that_can_not_do_the_work_is_left_with_its_reason(
    name: str, machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    behaviour, said = LEFT[name]
    cluster = FakeCluster({"bad": behaviour, "good": machine.works})
    assert len(values_of(done_by(machine, cluster, [toy(i) for i in range(50)]))) == 50
    assert said in reasons(caplog)
    assert reasons(caplog).count("is left") == 1
    assert len(cluster.units_of("bad")) <= 4


@pytest.mark.parametrize("count", [1, 3])
def test_no_worker_can_do_the_work(count: int, machine: Machine) -> None:
    cluster = FakeCluster(dict.fromkeys("abc"[:count], says(refused="it has kr 0.0.1, the coordinator kr 9")))
    said = rf"local:9: none of {count} workers? can do the work; [abc]: it has kr 0.0.1, the coordinator kr 9"
    with pytest.raises(ClusterError, match=said):
        done_by(machine, cluster, [toy(i) for i in range(30)])


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"version": "0.0.1", "signature": None}, f"it has kr {__version__}, the coordinator kr 0.0.1"),
        ({"version": __version__, "signature": 8}, "its search has the signature 7, the coordinator's 8"),
    ],
)
def test_workers_refuse_another_version_or_search(terms: dict[str, Any], said: str, machine: Machine) -> None:
    task = {"do": "units", "job": "j", "terms": terms, "parcels": {}, "units": []}
    values, chunks = unframed(machine.works(FakeCluster({}), "x", framed(task), ()).frame or b"")
    assert values["refused"] == said
    assert chunks == []


@pytest.mark.parametrize("workers", ["x", "xyz"])
def test_an_error_of_the_work_is_raised(workers: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its class and text, once a second worker has it too; no worker is to blame."""
    monkeypatch.setitem(ToyUnits.raising, "bad", InvalidWeightsError("tables.h5 is damaged"))
    cluster = FakeCluster(dict.fromkeys(workers, machine.works))
    with pytest.raises(InvalidWeightsError, match="^tables.h5 is damaged$"):
        done_by(machine, cluster, [toy(i, "bad" if i == 3 else "good") for i in range(6)])
    tries = [name for name in workers if "3" in cluster.units_of(name)]
    assert len(tries) >= min(2, len(workers)) - 1


def test_an_unforeseen_error_of_the_work_is_one_clear_line(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ToyUnits.raising, "bad", ZeroDivisionError("by zero"))
    with pytest.raises(ClusterError, match="^ZeroDivisionError: by zero$"):
        done_by(machine, FakeCluster({"x": machine.works}), [toy(0, "bad")])


def test_what_a_worker_did_before_an_error_counts(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ToyUnits.raising, "bad", MissingNeedError("gone"))
    seen: list[FinishedPortion] = []
    cluster = FakeCluster({"x": machine.works})
    with machine.connected(cluster), pytest.raises(ClusterError, match="none of 1 worker can do the work; x: gone"):
        for part in ClusterPool(ToyUnits(), Needs(), "fake").run(
            [toy(i, "bad" if i == 20 else "a") for i in range(30)]
        ):
            seen.append(part)
    assert {str(i) for i in range(20)} <= values_of(seen).keys()
    assert "20" not in values_of(seen)


def test_a_unit_that_kills_its_workers_is_given_up(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    def dies(cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> TaskAnswer:
        if any(unit["key"] == "7" for unit in unframed(frame)[0]["units"]):
            return TaskAnswer(None, address, "Attempted to run task on 3 workers, all died", deaths=3)
        return machine.works(cluster, address, frame, blocks)

    with pytest.raises(ClusterError, match="unit 7 failed repeatedly: Attempted to run task on 3 workers, all died"):
        done_by(machine, FakeCluster(dict.fromkeys("xy", dies)), [toy(i) for i in range(8)])
    assert reasons(caplog).count("3 workers died while doing unit 7; it is sent again") == MOST_FAILURES + 1


@pytest.mark.parametrize("error", ["", "FutureCancelledError: scheduler-connection-lost"])
def test_lost_tasks_are_sent_again(error: str, machine: Machine) -> None:
    lost: set[str] = set()

    def loses(cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> TaskAnswer:
        keys = {unit["key"] for unit in unframed(frame)[0]["units"]}
        if keys - lost:
            lost.update(keys)
            return TaskAnswer(None, address, error)
        return machine.works(cluster, address, frame, blocks)

    cluster = FakeCluster(dict.fromkeys("xy", loses))
    assert len(values_of(done_by(machine, cluster, [toy(i) for i in range(20)]))) == 20


# --- files


@pytest.fixture
def needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Needs, str, Path]:
    """A file that units need: where it is, its checksum, its path."""
    monkeypatch.setattr("kr.cluster.connection.BLOCK_BYTES", 10)
    path = tmp_path / "tables.h5"
    path.write_bytes(bytes(range(48, 48 + 35)))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Needs({"need": str(path)}), digest, path


def test_files_are_brought_to_each_worker_once(machine: Machine, needed: tuple[Needs, str, Path]) -> None:
    needs, digest, path = needed
    cluster = FakeCluster(dict.fromkeys("xyz", machine.works), local=False)
    units = [toy(i, "file", needs={"file": "need"}) for i in range(30)]
    found = values_of(done_by(machine, cluster, units, needs))
    assert found == {str(i): [path.read_text()] for i in range(30)}
    for name in "xyz":
        assert Store(machine.directory / name).missing([digest]) == []
        assert sum(task["do"] == "keep" for worker, task in cluster.log if worker == name) == 1
    assert len(cluster.held) % 4 == 0
    assert not (machine.directory / "here").exists()
    assert not any(str(path) in str(task) for _, task in cluster.log)


def test_workers_of_this_machine_share_the_store(machine: Machine, needed: tuple[Needs, str, Path]) -> None:
    needs, digest, _ = needed
    cluster = FakeCluster(dict.fromkeys("xyz", machine.works))
    units = [toy(i, "file", needs={"file": "need"}) for i in range(30)]
    assert len(values_of(done_by(machine, cluster, units, needs))) == 30
    assert all(task["do"] == "units" for _, task in cluster.log)
    assert Store(machine.directory / "here").missing([digest]) == []


def test_a_damaged_block_is_not_the_fault_of_who_gets_it(
    machine: Machine, needed: tuple[Needs, str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    cluster = FakeCluster(dict.fromkeys("xyz", machine.works), local=False)
    cluster.spoils = True
    units = [toy(i, "file", needs={"file": "need"}) for i in range(30)]
    assert len(values_of(done_by(machine, cluster, units, needed[0]))) == 30
    assert "is left" not in reasons(caplog)
    keeps = [name for name, task in cluster.log if task["do"] == "keep"]
    assert set(keeps) == set("xyz")
    assert max(keeps.count(name) for name in "xyz") == 2


def test_a_worker_that_can_not_keep_files_is_left(
    machine: Machine, needed: tuple[Needs, str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    (machine.directory / "full").write_text("no directory")
    cluster = FakeCluster({"full": machine.works, "good": machine.works}, local=False)
    units = [toy(i, "file", needs={"file": "need"}) for i in range(30)]
    assert len(values_of(done_by(machine, cluster, units, needed[0]))) == 30
    assert "worker full is left: " in reasons(caplog)
    assert "worker good" not in reasons(caplog)


def test_a_worker_that_never_has_its_files_is_left(
    machine: Machine, needed: tuple[Needs, str, Path], caplog: pytest.LogCaptureFixture
) -> None:
    """Its store is too small for what the work needs, or the file is gone again each time."""

    def forgets(cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> TaskAnswer:
        answer = machine.works(cluster, address, frame, blocks)
        Store(machine.directory / address).clear()
        return answer

    cluster = FakeCluster({"bad": forgets, "good": machine.works}, local=False)
    units = [toy(i, "file", needs={"file": "need"}) for i in range(500)]
    assert len(values_of(done_by(machine, cluster, units, needed[0]))) == 500
    cluster = FakeCluster({"bad": forgets}, local=False)
    with pytest.raises(ClusterError, match="none of 1 worker can do the work; bad: .*store"):
        done_by(machine, cluster, units[:3], needed[0])


# --- workers that come and go


def test_a_silent_worker_is_left_and_comes_back(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    def look(cluster: FakeCluster) -> None:
        if cluster.looks == 3:
            cluster.behaviours["x"] = hangs
            cluster.change("x", silence=SILENCE + 1)
        if cluster.looks == 40:
            cluster.behaviours["x"] = machine.works
            cluster.change("x", silence=0.0)
        machine.now += 1

    cluster = FakeCluster(dict.fromkeys("xy", machine.works))
    cluster.on_look = look
    with machine.connected(cluster):
        pool = ClusterPool(ToyUnits(), Needs(), "fake")
        parts, silent = [], []
        for part in pool.run(toy(i) for i in range(4000)):
            parts.append(part)
            silent.append((cluster.looks, part.worker))
    assert len(values_of(parts)) == 4000
    assert reasons(caplog).splitlines()[:1] == ["worker x is left: it was not heard of for 1m"]
    assert "worker x" not in {worker for looks, worker in silent if 5 < looks < 40}


@pytest.mark.parametrize("behaviour", [hangs, unheard])
@pytest.mark.parametrize("files", [False, True])
def test_what_a_silent_worker_has_is_done_elsewhere(
    behaviour: Behaviour, files: bool, machine: Machine, needed: tuple[Needs, str, Path]
) -> None:
    """Its tasks, those with answers that nobody can fetch, and those that wait for files on their way to it."""

    def ends(cluster: FakeCluster, address: str, frame: bytes, blocks: Sequence[bytes]) -> TaskAnswer | None:
        if files and unframed(frame)[0]["do"] == "units":
            return machine.works(cluster, address, frame, blocks)
        return behaviour(cluster, address, frame, blocks)

    def look(cluster: FakeCluster) -> None:
        if cluster.looks == 6:
            cluster.change("bad", silence=SILENCE + 1)

    cluster = FakeCluster({"bad": ends, "good": machine.works}, local=not files)
    cluster.on_look = look
    units = [toy(i, "file", needs={"file": "need"}) if files else toy(i) for i in range(30)]
    parts = done_by(machine, cluster, units, needed[0])
    assert len(values_of(parts)) == 30
    assert {part.worker for part in parts} == {"good"}


def test_a_worker_that_hangs_is_left_and_its_units_are_done_elsewhere(
    machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    def look(cluster: FakeCluster) -> None:
        machine.now += LEAST_WAIT / 10

    cluster = FakeCluster({"bad": hangs, "good": machine.works})
    cluster.on_look = look
    assert len(values_of(done_by(machine, cluster, [toy(i) for i in range(30)]))) == 30
    assert "worker bad is left: a task takes" in reasons(caplog)
    assert "worker good" not in reasons(caplog)
    assert all(future.cancelled for future in (each.future for each in cluster.sent["bad"]))


def test_a_worker_that_is_gone_gives_its_units_back(machine: Machine) -> None:
    """Also those that only it was allowed to do, as all others were left."""

    def look(cluster: FakeCluster) -> None:
        if cluster.looks == 4:
            cluster.behaviours["good"] = hangs
        if cluster.looks == 8:
            cluster.lose("good")
            cluster.workers["new"] = cluster.workers["bad"].__class__(
                **{**vars(cluster.workers["bad"]), "address": "new", "name": "new"}
            )
            cluster.behaviours["new"], cluster.sent["new"] = machine.works, []

    cluster = FakeCluster({"bad": says(refused="too old"), "good": machine.works})
    cluster.on_look = look
    parts = done_by(machine, cluster, [toy(i, str(i), "x") for i in range(2000)])
    assert len(values_of(parts)) == 2000
    assert {part.worker for part in parts} == {"good", "new"}


def test_a_scheduler_that_vanishes_is_waited_for(machine: Machine) -> None:
    """All that was under way is sent again, and what still comes from before is not entered a second time."""
    late: list[tuple[Any, TaskAnswer]] = []

    def look(cluster: FakeCluster) -> None:
        if cluster.looks in (3, 9):
            for address, sent in cluster.sent.items():
                late.extend((each.done, machine.works(cluster, address, each.frame, ())) for each in sent)
            cluster.alive = False
        if cluster.looks in (5, 12):
            for done, answer in late:
                done(answer)

    cluster = FakeCluster(dict.fromkeys("xy", machine.works))
    cluster.on_look = look
    assert values_of(done_by(machine, cluster, [toy(i) for i in range(3000)])) == {
        str(i): [str(i)] for i in range(3000)
    }
    assert cluster.times_lost == 2
    assert late


def test_a_worker_that_the_caller_leaves_gets_no_more(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    cluster = FakeCluster(dict.fromkeys("xy", machine.works))
    with machine.connected(cluster):
        pool = ClusterPool(ToyUnits(), Needs(), "fake")
        after: list[str] = []
        for number, part in enumerate(pool.run(toy(i) for i in range(4000))):
            if number == 20:
                pool.leave("x", "it is suspect")
                pool.leave("x", "for another reason")
                pool.leave("", "nobody")
                sent = len(cluster.units_of("x")) + sum(
                    len(unframed(each.frame)[0]["units"]) for each in cluster.sent["x"]
                )
            after.append(part.worker)
    assert reasons(caplog) == "worker x is left: it is suspect"
    assert len(after) == 4000
    assert len(cluster.units_of("x")) == sent


@pytest.mark.parametrize("how", ["stop", "close"])
def test_the_end_before_all_is_done(how: str, machine: Machine) -> None:
    """Tasks under way are cancelled, and what is done is not lost."""
    cluster = FakeCluster({"x": machine.works, "y": hangs})
    with machine.connected(cluster):
        pool = ClusterPool(ToyUnits(), Needs(), "fake")
        seen: list[FinishedPortion] = []
        with closing(pool.run(toy(i, "a", "b") for i in range(100_000))) as parts:
            for part in parts:
                seen.append(part)
                if len(seen) == 7:
                    if how == "close":
                        break
                    pool.stop()
        seen += pool.rest()
    answered = [key for name in "xy" for key in cluster.units_of(name)]
    assert len(values_of(seen)) <= len(answered) < 100_000
    under_way = [each.future for sent in cluster.sent.values() for each in sent]
    assert under_way
    assert all(future.cancelled for future in under_way)
    assert CREW.text == ""


def test_an_error_of_the_caller_ends_the_work(machine: Machine) -> None:
    def units() -> Iterator[Unit]:
        yield from (toy(i) for i in range(5))
        raise OSError(28, os.strerror(28), "units")

    cluster = FakeCluster(dict.fromkeys("xy", machine.works))
    with pytest.raises(OSError, match="No space left on device"):
        done_by(machine, cluster, units())
    assert all(each.future.cancelled for sent in cluster.sent.values() for each in sent)


def test_nothing_is_said_when_nothing_is_wrong(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "kr.cluster")
    done_by(machine, FakeCluster(dict.fromkeys("xy", machine.works)), [toy(i) for i in range(50)])
    assert reasons(caplog) == ""
    assert module.log.name == "kr.cluster"
