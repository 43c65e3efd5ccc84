"""Addresses of clusters: what names one, and one clear line for what does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from refusals import check_refused

from kr.cluster.address import ClusterAddress
from kr.errors import InvalidSettingError
from kr.learn.selfplay import SelfplaySettings
from kr.system import core_count
from kr.threads import MAX_THREADS


@pytest.mark.parametrize(
    ("text", "processes"),
    [("local", core_count()), ("local:1", 1), ("local:2", 2), ("local:007", 7), (f"local:{MAX_THREADS}", MAX_THREADS)],
)
def test_processes_of_this_machine(text: str, processes: int) -> None:
    assert ClusterAddress.parse(text) == ClusterAddress(text, processes=processes, scheduler="")


@pytest.mark.parametrize(
    "text",
    ["tcp://10.0.0.1:8786", "tcp://scheduler:1", "tls://dask.example.org:65535", "tcp://[::1]:8786",
     "tls://[fe80::1]:443", "tcp://my_host-2:8786"],
)  # fmt: skip
def test_schedulers_that_run_already(text: str) -> None:
    assert ClusterAddress.parse(text) == ClusterAddress(text, processes=0, scheduler=text)


def test_the_file_of_a_scheduler(tmp_path: Path) -> None:
    path = tmp_path / "scheduler.json"
    path.write_text(json.dumps({"type": "Scheduler", "id": "x", "address": "tls://10.0.0.1:8786", "workers": {}}))
    assert ClusterAddress.parse(str(path)) == ClusterAddress(str(path), 0, "tls://10.0.0.1:8786")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("local:0", "expected 1 to"),
        (f"local:{MAX_THREADS + 1}", "expected 1 to"),
        ("local:", "neither an address nor a file"),
        ("local:-1", "neither an address nor a file"),
        ("local:two", "neither an address nor a file"),
        ("local:2 ", "neither an address nor a file"),
        ("", "neither an address nor a file"),
        (".", "neither an address nor a file"),
        ("x" * 5000, "neither an address nor a file"),
        ("a\0b", "neither an address nor a file"),
        ("10.0.0.1:8786", "neither an address nor a file"),
        ("tcp://", "is not an address"),
        ("tcp://host", "is not an address"),
        ("tcp://host:", "is not an address"),
        ("tcp://host:0", "is not an address"),
        ("tcp://host:65536", "is not an address"),
        ("tcp://host:123456", "is not an address"),
        ("tcp://host:8786/", "is not an address"),
        ("tcp://host:8786\n", "is not an address"),
        ("tcp://user@host:8786", "is not an address"),
        ("tcp://[host]:8786", "is not an address"),
        ("http://host:8786", "is not an address"),
        ("ucx://host:8786", "is not an address"),
        ("inproc://1/2/3", "is not an address"),
        ("TCP://host:8786", "is not an address"),
    ],
)
def test_what_names_no_cluster(text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidSettingError, match=said) as caught:
        ClusterAddress.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b"null", b"7", b'"tcp://host:1"', b'{"address": 7}', b'{"address": null}',
     b'{"address": "inproc://1"}', b'{"address": "tcp://host:0x1"}', b"\xff\xfe", b"[" * 100_000, b"{'address': 1}"],
)  # fmt: skip
def test_files_that_no_scheduler_wrote(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "scheduler.json"
    path.write_bytes(content)
    with pytest.raises(InvalidSettingError, match="scheduler.json is not a scheduler file; expected what `dask sched"):
        ClusterAddress.parse(str(path))


@pytest.mark.parametrize(
    ("cluster", "installed", "missing"),
    [
        ("local:2", [], "distributed and cryptography"),
        ("local:2", ["distributed"], "cryptography"),
        ("tcp://127.0.0.1:1", ["cryptography"], "distributed"),
    ],
)
def test_what_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, tmp_path: Path, cluster: str,
    installed: list[str], missing: str,
) -> None:  # fmt: skip
    monkeypatch.setattr("kr.extras.find_spec", lambda name: name if name in installed else None)
    monkeypatch.chdir(tmp_path)
    said = f"a cluster needs {missing}: pip install {missing.replace(' and', '')}"
    check_refused(capsys, f"selfplay --games 10 --cluster {cluster}", 2, said)


def test_no_cluster_unless_asked_for() -> None:
    assert SelfplaySettings(games=1).cluster == ""
