"""What a release has beside the archives of the index."""

import runpy
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[1]
SCRIPT = CHECKOUT / "packaging" / "attachments.py"

pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="the checkout is not here")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The functions, for a checkout of a few files."""
    names = runpy.run_path(str(SCRIPT))
    place = tmp_path / "checkout"
    for name, text in {
        "kr/__init__.py": '__version__ = "1.2.0"\n',
        "CHANGELOG.md": "# Changelog\n\n## 1.2.0, 2027-01-31\n\n- More.\n\n## 1.1.0, 2026-12-24\n\n- Less.\n",
        "build/page/index.html": "<title>kr</title>",
        "build/page/data/a.gz": "packed",
    }.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    monkeypatch.setitem(names["version"].__globals__, "ROOT", place)
    return names


def test_the_page_is_one_file_with_the_same_bytes(made: dict[str, Any], tmp_path: Path) -> None:
    archive = made["page"](tmp_path)
    assert archive.name == "kr-page-1.2.0.zip"
    with zipfile.ZipFile(archive) as content:
        assert content.namelist() == ["kr-page-1.2.0/data/a.gz", "kr-page-1.2.0/index.html"]
        assert content.read("kr-page-1.2.0/index.html") == b"<title>kr</title>"
    first = archive.read_bytes()
    assert made["page"](tmp_path).read_bytes() == first


def test_notes_are_those_of_the_version(made: dict[str, Any], tmp_path: Path) -> None:
    assert made["notes"](tmp_path).read_text() == "- More.\n"
    changelog = made["version"].__globals__["ROOT"] / "CHANGELOG.md"
    changelog.write_text("# Changelog\n\n## 1.1.0, 2026-12-24\n\n- Less.\n")
    with pytest.raises(SystemExit, match=r"CHANGELOG.md says nothing of 1\.2\.0"):
        made["notes"](tmp_path)


@pytest.mark.posix("sha256sum")
def test_sums_are_those_of_all_archives(made: dict[str, Any], tmp_path: Path) -> None:
    place = tmp_path / "dist"
    place.mkdir()
    with pytest.raises(SystemExit, match="has no archives"):
        made["sums"](place)
    for name in ("kr-1.2.0.tar.gz", "kr-1.2.0-cp311.whl", "kr-page-1.2.0.zip", "notes.md"):
        (place / name).write_text(name)
    assert len(made["sums"](place).read_text().splitlines()) == 3
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=place, check=True)
    (place / "kr-page-1.2.0.zip").write_text("another")
    assert subprocess.run(["sha256sum", "--check", "--status", "SHA256SUMS"], cwd=place).returncode == 1


def test_what_is_not_built_is_one_line(made: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="library is empty or missing; first make library"):
        made["library"](tmp_path)
