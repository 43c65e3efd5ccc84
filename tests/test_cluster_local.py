"""`--cluster local` is for the command that starts it: nobody else on the machine uses it, and nobody is left over."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from kr.cluster.connection import ClusterConnection, connected

PAGES = ["", "status", "info/main/workers.html", "json/counts.json", "metrics", "health", "individual-plots"]


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """Dask is imported by the process that runs these tests, not by all that read the file."""
    for name in ("distributed", "cryptography"):
        pytest.importorskip(name, reason="the extra [cluster] is not installed")


@pytest.fixture(scope="module")
def local() -> Iterator[tuple[ClusterConnection, dict[str, Any]]]:
    """A local cluster, and what its scheduler says of it."""
    with connected("local:1") as found:
        yield found, found._client.scheduler_info(n_workers=-1)


def doors(facts: dict[str, Any]) -> list[str]:
    """The addresses at which its scheduler, its worker and the nanny of that one listen."""
    ((worker, told),) = facts["workers"].items()
    return [facts["address"], worker, told["nanny"]]


@pytest.mark.slow
@pytest.mark.parametrize("with_certificate", [False, True])
def test_another_client_is_refused(local: tuple[ClusterConnection, dict[str, Any]], with_certificate: bool) -> None:
    """One that speaks Dask without TLS, and one with a certificate of its own."""
    from distributed.comm import connect
    from distributed.security import Security

    _, facts = local
    security = Security.temporary() if with_certificate else Security()
    arguments = {} if not with_certificate else security.get_connection_args("client")

    async def reached(where: str) -> bool:
        try:
            link = await connect(where, timeout=2, **arguments)
            await link.write({"op": "identity", "reply": True})
            await link.read()
        except (OSError, TimeoutError):
            return False
        return True

    found, _ = local
    for where in doors(facts):
        assert where.startswith("tls://127.0.0.1:")
        asked = where if with_certificate else where.replace("tls", "tcp")
        assert not found._client.sync(reached, asked), where


@pytest.mark.slow
def test_its_own_client_reaches_every_door(local: tuple[ClusterConnection, dict[str, Any]]) -> None:
    """So that the refusals above are for the certificate."""
    found, facts = local

    async def asked(where: str) -> Any:
        from distributed.comm import connect

        link = await connect(where, timeout=10, **found._client.security.get_connection_args("client"))
        await link.write({"op": "identity", "reply": True})
        return await link.read()

    for where in doors(facts):
        assert found._client.sync(asked, where)


@pytest.mark.slow
def test_its_http_pages_are_off(local: tuple[ClusterConnection, dict[str, Any]]) -> None:
    found, facts = local
    ports = [each["services"]["dashboard"] for each in (facts, *facts["workers"].values())]
    assert len(ports) == 2
    for port in ports:
        for page in PAGES:
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=60)
    assert found.dashboard == ""


@pytest.mark.slow
@pytest.mark.posix("no permission bits")
def test_what_workers_write_is_for_this_user_alone(local: tuple[ClusterConnection, dict[str, Any]]) -> None:
    _, facts = local
    (worker,) = facts["workers"].values()
    mine = [each for each in Path(worker["local_directory"]).parents if each.name.startswith("kr-workers-")]
    assert [each.stat().st_mode & 0o777 for each in mine] == [0o700]


@pytest.mark.soak
def test_nobody_is_left_if_the_coordinator_is_killed(tmp_path: Path) -> None:
    line = [
        sys.executable, "-m", "kr", "selfplay", "--games", "1e6", "--nodes", "1000", "--shard-games", "10", "--out",
        str(tmp_path / "run"), "--weights", "material", "--egdb", "none", "--cluster", "local:2", "--quiet",
    ]  # fmt: skip
    environment = os.environ | {"KR_STORE": str(tmp_path / "store"), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(line, stderr=subprocess.DEVNULL, env=environment, start_new_session=True)
    try:
        wait_until_shards(tmp_path / "run", process)
        assert len(session(process.pid)) > 2
    finally:
        process.kill()
        process.wait()
    until = time.monotonic() + 60
    while left := session(process.pid):
        assert time.monotonic() < until, left
        time.sleep(0.1)
    # and no key on disk
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".pem", ".crt")]


def wait_until_shards(directory: Path, process: subprocess.Popen[Any]) -> None:
    until = time.monotonic() + 90
    while not list(directory.glob("shard-*.h5")):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.1)


def session(number: int) -> list[int]:
    """Processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.getsid(int(path.name)) == number:
                found.append(int(path.name))
    return found
