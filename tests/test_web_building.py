"""The build of more endings by `kr web`: stopped, gone on with, done; one that fails."""

import time
from pathlib import Path
from typing import Any

import pytest

from kr.egdb import files
from kr.egdb.database import default_directory
from kr.errors import InvalidSettingError
from kr.web.services import extending
from kr.web.services.extending import DatabaseBuild

pytestmark = pytest.mark.posix("XDG_DATA_HOME")


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DatabaseBuild:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(extending, "BUILT_PIECES", 3)
    return DatabaseBuild(True)


def ended(build: DatabaseBuild) -> dict[str, Any]:
    """The state once nothing is under way."""
    ends = time.monotonic() + 60
    while (state := build.state())["running"]:
        assert time.monotonic() < ends
        time.sleep(0.01)
    return state


def test_a_build_is_stopped_and_gone_on_with(build: DatabaseBuild) -> None:
    build.begin()
    assert build.state()["running"]["share"] < 1
    build.close()
    state = ended(build)
    assert (state["pieces"], state["built"], state["bytes"] > 0) == (3, False, True)
    build.begin()
    assert ended(build) == {"pieces": 3, "running": None, "built": True}
    assert files.listing(default_directory()).complete("wld") == 3
    # what is done is not begun again
    build.begin()
    assert build.state()["built"]


def test_a_build_that_fails_says_why_once(build: DatabaseBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extending, "BUILD_MEMORY", 1)
    build.begin()
    with pytest.raises(InvalidSettingError, match="of memory"):
        ended(build)
    assert not ended(build)["built"]
    assert not DatabaseBuild(False).state()["pieces"]
