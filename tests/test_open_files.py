"""The watch over open files of the tests, without which they would find less on Linux than there is at Windows."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import kr
from kr import storage, system

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the files of a process")

ACTS: dict[str, Callable[[Path], None]] = {
    "removed": lambda path: storage._remove_temporary(path),
    "renamed": lambda path: system.replace_file(path, path.with_name("other")),
    "replaced": lambda path: system.replace_file(path.parent.parent / "new", path),
    "moved with its directory": lambda path: system.replace_file(path.parent, path.parent.with_name("moved")),
}


@pytest.mark.parametrize("act", ACTS)
def test_what_kr_has_open_stays(act: str, tmp_path: Path) -> None:
    path = tmp_path / "below" / "file"
    path.parent.mkdir()
    path.write_text("old")
    (tmp_path / "new").write_text("new")
    with path.open():
        # a temporary file that can't be removed is left for the next writer
        with suppress(PermissionError):
            ACTS[act](path)
        assert path.read_text() == "old"
        # whatever tests do themselves
        os.rename(path, tmp_path / "mine")
        os.rename(tmp_path / "mine", path)
    descriptor = system.open_to_read(path)
    ACTS[act](path)
    os.close(descriptor)
    assert not path.exists() or path.read_text() == "new"


@pytest.mark.parametrize(("file", "refused"), [("kr/new.py", True), ("site-packages/other/unuran.py", False)])
@pytest.mark.parametrize("kind", [os.fspath, os.fsencode, Path])
def test_whose_removal_is_refused(file: str, refused: bool, kind: Callable[[str], object], tmp_path: Path) -> None:
    """Another package that kr imports may remove what it has open, as SciPy does on Linux; names are text or bytes."""
    path = tmp_path / "file"
    with path.open("w"):
        remove = compile("import os; os.remove(name)", Path(kr.__file__).parent.parent / file, "exec")
        if refused:
            with pytest.raises(PermissionError):
                exec(remove, {"name": kind(str(path))})
        else:
            exec(remove, {"name": kind(str(path))})
    assert path.exists() == refused
