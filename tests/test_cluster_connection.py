"""The connection to a scheduler that vanishes at any moment: tasks are lost, not raised, and it is waited for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace
from typing import Any

import pytest

from kr.cluster import connection as module
from kr.cluster.address import ClusterAddress
from kr.cluster.connection import SCHEDULER_PATIENCE, ClusterConnection, TaskAnswer, block_frames
from kr.cluster.frames import framed, unframed
from kr.errors import ClusterError

FRAME = framed({"do": "block"})


class ClosedClient:
    """Dask's client after its scheduler has gone, or one that fails for another reason."""

    def __init__(self, status: str = "closed") -> None:
        self.status = status

    def submit(self, *values: object, **options: object) -> Any:
        raise RuntimeError("Client is closed. Can't send update-graph message.")

    processing = submit
    who_has = submit


def connection_of(client: Any) -> ClusterConnection:
    made = ClusterConnection(ClusterAddress("tcp://host:1", 0, "tcp://host:1"), "tcp://host:1")
    made._client = client
    return made


@pytest.mark.parametrize("client", [None, ClosedClient()])
def test_what_is_asked_of_a_scheduler_that_is_gone_is_lost(client: Any) -> None:
    connection = connection_of(client)
    answers: list[TaskAnswer] = []
    assert connection.submit(FRAME, answers.append) is None
    assert answers == [TaskAnswer(None)]
    assert connection.hold(FRAME) is None
    assert connection.processing() == {}
    assert connection.holder(None) == ""
    assert not connection.alive
    connection.look()
    assert connection.workers == {}


def test_blocks_that_were_lost_lose_their_task() -> None:
    """The scheduler may be back when the task follows."""
    answers: list[TaskAnswer] = []
    assert connection_of(SimpleNamespace(status="running")).submit(FRAME, answers.append, [None]) is None
    assert answers == [TaskAnswer(None)]


@pytest.mark.parametrize(
    "ask",
    [lambda each: each.submit(FRAME, print), lambda each: each.hold(FRAME), lambda each: each.processing()],
)
def test_other_failures_are_not_hidden(ask: Callable[[ClusterConnection], object]) -> None:
    with pytest.raises(RuntimeError, match="Client is closed"):
        ask(connection_of(ClosedClient("running")))


def test_a_scheduler_is_waited_for_and_then_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [100.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def nobody(self: ClusterConnection) -> None:
        now[0] += 10
        raise ClusterError("tcp://host:1: no scheduler answers")

    monkeypatch.setattr(ClusterConnection, "connect", nobody)
    connection = connection_of(ClosedClient())
    assert not connection.revive()
    assert connection.times_lost == 1
    with pytest.raises(ClusterError, match="^tcp://host:1: no scheduler answers; waited 10m$"):
        while not connection.revive():
            assert now[0] < 100 + SCHEDULER_PATIENCE + 30
    assert now[0] > 100 + SCHEDULER_PATIENCE
    assert connection.times_lost == 1
    assert [record.message for record in caplog.records] == ["tcp://host:1: the scheduler has vanished; waiting for it"]


def test_a_scheduler_that_is_back_is_greeted(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kr.cluster")

    def back(self: ClusterConnection) -> None:
        self._client = SimpleNamespace(status="running")

    monkeypatch.setattr(ClusterConnection, "connect", back)
    connection = connection_of(ClosedClient())
    assert connection.revive()
    assert connection.alive
    assert connection.revive()
    assert connection.times_lost == 1
    assert caplog.records[-1].message == "tcp://host:1: the scheduler is back, with 0 workers"


@pytest.mark.parametrize(
    ("status", "body", "named"),
    [
        (200, b"<!DOCTYPE html>\n<html lang=en><title>Dask", True),
        (200, b"<p>Dask needs bokeh>=3.1.0 for the dashboard.</p>", False),
        (404, b"<html><title>404: Not Found</title></html>", False),
    ],
)
def test_a_dashboard_is_named_if_it_is_there(status: int, body: bytes, named: bool) -> None:
    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *values: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Pages) as pages:
        threading.Thread(target=pages.handle_request).start()
        link = f"http://127.0.0.1:{pages.server_port}/status"
        assert connection_of(SimpleNamespace(dashboard_link=link)).dashboard == (link if named else "")
    assert connection_of(SimpleNamespace(dashboard_link=link)).dashboard == ""


@pytest.mark.parametrize(("size", "sizes"), [(0, []), (1, [1]), (10, [10]), (25, [10, 10, 5])])
def test_files_travel_in_blocks(size: int, sizes: list[int], tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK_BYTES", 10)
    path = tmp_path / "file"
    path.write_bytes(bytes(range(size)))
    chunks = [chunk for frame in block_frames(path) for chunk in unframed(frame)[1]]
    assert [len(chunk) for chunk in chunks] == sizes
    assert b"".join(chunks) == path.read_bytes()
