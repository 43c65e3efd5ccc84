"""Fixtures of all tests: repeatable random examples, and the public data beside the checkout if it is there."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chromium import chromium, launched
from hypothesis import settings
from kept_pages import KeptPages
from open_files import watch_open_files

from kr.egdb.build import BuildSettings, build_database
from kr.egdb.packing import PackSettings, pack_database
from kr.evaluation.kinds import Scorer, load_scorer

settings.register_profile("kr", derandomize=True, deadline=None, database=None, print_blob=False)
# sanitizers take three times as long, and the same tests run without them too
settings.register_profile("sanitized", settings.get_profile("kr"), max_examples=25)
settings.load_profile("sanitized" if "asan" in os.environ.get("LD_PRELOAD", "") else "kr")

if TYPE_CHECKING:
    from page import Page
    from playwright.sync_api import Browser

pytest_plugins = ["budget", "soak_plan", "web_pages"]

NO_BROWSER = "tests of pages need a browser: apt install chromium"
COMPILED = Path(__file__).resolve().parents[1] / "build" / "compiled"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_configure(config: pytest.Config) -> None:
    """Let code that was compiled once serve all processes of the tests, and no file be removed that is open.

    Python keeps modules of kr and of the tests, whatever the environment says: hundreds of processes import them. JAX,
    which reads its variables when it is imported, keeps what it has compiled from one run of the tests to the next, by
    what it was compiled of.
    """
    watch_open_files()
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # what is computed here takes no time; its compilation does
    os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(COMPILED))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")


def in_wine() -> bool:
    """True if this Windows is none, but wine."""
    import ctypes

    return hasattr(ctypes.CDLL("ntdll"), "wine_get_version")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out at Windows what can't be there, and what wine can't do; `pytest -rs` says why."""
    if os.name != "nt":
        return
    for item in items:
        if marker := item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason=f"not at Windows: {marker.args[0]}"))
        elif (marker := item.get_closest_marker("wine")) and in_wine():
            item.add_marker(pytest.mark.skip(reason=f"not in wine: {marker.args[0]}"))
        elif "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason="not at Windows: pages are tested in Debian's browser"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests are collected, none of which goes: the garbage collector would take half of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out for want of a browser: that is not seen in a count of skipped tests."""
    if left_out := sum(NO_BROWSER in str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())):
        terminalreporter.write_line(f"{left_out} tests were left out: {NO_BROWSER}", yellow=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--lag", type=float, default=0.0, metavar="SECONDS", help="servers of kr web in the tests answer so much later"
    )


@pytest.fixture(scope="session", autouse=True)
def lag(request: pytest.FixtureRequest) -> Iterator[None]:
    """Servers in the processes of the tests answer late with --lag: a test that passes may not rest on their speed."""
    seconds: float = request.config.getoption("--lag")
    if not seconds:
        yield
        return
    from web_pages import late

    from kr.web import app

    make_app = app.make_app
    changed = pytest.MonkeyPatch()
    changed.setattr(app, "make_app", lambda *asked: late(make_app(*asked), seconds))
    yield
    changed.undo()


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_is_heard() -> None:
    """Ctrl-C works even if the tests are a background job, which shells start with it ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def no_database_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Only the endgame database that comes with kr is found, also by the processes that tests start."""
    changed = pytest.MonkeyPatch()
    changed.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
    changed.delenv("KR_EGDB", raising=False)
    yield
    changed.undo()


@pytest.fixture(scope="session", autouse=True)
def shipped_tables() -> Scorer:
    """The tables of kr stay in memory, so that no engine of the tests reads them again."""
    return load_scorer()


@pytest.fixture(scope="session")
def page() -> Iterator[Page]:
    """The answers of the page without a server, in node.js."""
    from page import started

    yield from started()


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An endgame database to read: all positions with up to 3 pieces, with distances."""
    directory = tmp_path_factory.mktemp("egdb") / "three"
    build_database(BuildSettings(pieces=3, dir=directory))
    return directory


@pytest.fixture(scope="session")
def packed(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`whole` as one file, to read."""
    out = tmp_path_factory.mktemp("packed") / "three.kregdb"
    pack_database(PackSettings(out=out, dir=whole))
    return out


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A copy of `whole` to damage."""
    return shutil.copytree(whole, tmp_path / "egdb")


@pytest.fixture
def shared_data() -> Path:
    """The folder of public games and problems beside the checkout; the test is skipped where there is none."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared/data")
    return SHARED


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pauses for the sake of other DXP programs."""
    from kr.protocols import dxp, dxp_link

    monkeypatch.setattr(dxp_link, "PAUSE", 0.0)
    monkeypatch.setattr(dxp_link, "CLOSE_SECONDS", 0.1)
    monkeypatch.setattr(dxp, "RETRY_SECONDS", 0.0)


@pytest.fixture
def peer_server() -> Iterator[socket.socket]:
    """A server that kr connects to as the initiator of DXP. (`server` is one of kr web.)"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium, one for all tests; without it they are skipped, or fail if CI is set."""
    if not chromium():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NO_BROWSER)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, launched(playwright) as browser:
        yield browser


@pytest.fixture(scope="session")
def kept_pages(browser: Browser) -> KeptPages:
    """The pages of one process of the tests."""
    return KeptPages(browser)
