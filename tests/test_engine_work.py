"""The door to long work with engines: what is asked of a worker, written down, resumed and told in order."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kr.engine.engine import Engine
from kr.errors import InvalidGamesError, InvalidSettingError, OutputBusyError
from kr.jobs.journal import TaskRecord
from kr.jobs.kinds import Stop
from kr.jobs.needs import Needs
from kr.jobs.unit import Unit
from kr.players.engine_work import EngineWork, WorkTask
from kr.players.workers import EngineUnits

SETTINGS = SimpleNamespace(weights="material", hash=1 << 20, egdb="none", egdb_memory=1 << 26, workers=2, cluster="")


class Squares(EngineUnits[TaskRecord]):
    """Squares of numbers; `before` is called first."""

    def __init__(self, before: Callable[[int, Stop], object] = lambda number, stop: None) -> None:
        self.before = before
        self.asked: list[int] = []

    def do(self, unit: Unit, needs: Needs, engine: Engine, stop: Stop) -> TaskRecord:
        number = unit.values["number"]
        self.asked.append(number)
        self.before(number, stop)
        return {"square": number**2}


def run(
    kind: Squares, path: Path | None, numbers: Sequence[int] = range(5), shaping: Mapping[str, Any] | None = None,
    in_order: bool = True, stop_at: int | None = None,
) -> list[tuple[int, int, bool]]:  # fmt: skip
    """Numbers, squares and whether they are of an earlier run, as they are told."""
    told: list[tuple[int, int, bool]] = []

    def on_record(record: TaskRecord, earlier: bool) -> None:
        told.append((record["number"], record["square"], earlier))
        if record["number"] == stop_at:
            raise KeyboardInterrupt

    def tasks() -> Iterator[WorkTask[int]]:
        for number in numbers:
            yield WorkTask(number, {"number": number}, {"number": number})

    work = EngineWork(kind, SETTINGS)
    with work.records(path, lambda: {"seed": 1, **(shaping or {})}, lambda record: record["number"]) as records:
        try:
            work.run(tasks(), records, on_record, in_order=in_order)
        except KeyboardInterrupt:
            told.append((-1, -1, False))
        if path is not None:
            assert {number: record["square"] for number in records for record in [records[number]]} == {
                number: number**2 for number in records
            }
    return told


@pytest.mark.parametrize("name", ["", "journal"])
def test_records_come_in_order_or_as_they_are_ready(tmp_path: Path, name: str) -> None:
    path = tmp_path / name if name else None
    ready = threading.Event()

    def before(number: int, stop: Stop) -> None:
        # the first task is done last
        if number == 0:
            assert ready.wait(60)
        elif number == 4:
            ready.set()

    assert [told[0] for told in run(Squares(before), path)] == [0, 1, 2, 3, 4]
    ready.clear()
    assert [told[0] for told in run(Squares(before), None, in_order=False)] == [1, 2, 3, 4, 0]


def test_what_is_written_down_is_not_done_again(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    told = run(Squares(), path, stop_at=2)
    assert told[:3] == [(0, 0, False), (1, 1, False), (2, 4, False)]
    lines = path.read_bytes().splitlines(keepends=True)
    settings = json.loads(lines[0])["settings"]
    assert settings == {"seed": 1, "weights": Engine("material", 1).signature, "egdb": None}
    # as a kill leaves it: two records, in any order, and the beginning of a third one
    by_number = {json.loads(line)["number"]: line for line in lines[1:]}
    path.write_bytes(lines[0] + by_number[1] + by_number[0] + by_number[2][:7])
    again = Squares()
    assert run(again, path) == [(0, 0, True), (1, 1, True), (2, 4, False), (3, 9, False), (4, 16, False)]
    assert sorted(again.asked) == [2, 3, 4]
    # a task with another key is another one
    more = Squares()
    assert run(more, path, [4, 7]) == [(4, 16, True), (7, 49, False)]
    assert more.asked == [7]


def test_a_stop_writes_nothing_of_what_it_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "journal"

    def before(number: int, stop: Stop) -> None:
        while number > 0 and not stop.is_set():
            threading.Event().wait(0.001)

    assert run(Squares(before), path, stop_at=0) == [(0, 0, False), (-1, -1, False)]
    assert len(path.read_bytes().splitlines()) == 2


@pytest.mark.parametrize("line", ['{"number": [1]}', '{"square": 1}', "[]", "nonsense"])
def test_a_damaged_record_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "journal"
    run(Squares(), path)
    path.write_text(f"{path.read_text()}{line}\n")
    with pytest.raises(InvalidGamesError, match="line 7 is damaged"):
        run(Squares(), path)


def test_other_settings_and_a_second_writer_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    run(Squares(), path)
    with pytest.raises(InvalidSettingError, match="begun with seed 1, not 2"):
        run(Squares(), path, shaping={"seed": 2})
    with (
        EngineWork(Squares(), SETTINGS).records(path, lambda: {"seed": 1}, lambda record: record["number"]),
        pytest.raises(OutputBusyError),
    ):
        run(Squares(), path)
