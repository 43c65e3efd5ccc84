"""kr samples: what it writes, and leaves."""

from pathlib import Path

import pytest

from kr.archives.samples import SAMPLE_FOLDER, SAMPLES
from kr.cli import main


def test_samples_are_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "tryout"
    assert main(["samples", str(folder)]) == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        path.name: path.read_bytes() for path in SAMPLE_FOLDER.iterdir()
    }
    assert {*SAMPLES} == {path.name for path in SAMPLE_FOLDER.iterdir()}
    assert capsys.readouterr().err.count("wrote ") == len(SAMPLES)
    (folder / "white.pdn").unlink()
    assert main(["samples", str(folder)]) == 0
    assert capsys.readouterr().err.count("wrote ") == 1
    assert main(["samples", str(folder)]) == 0
    assert capsys.readouterr().out == "the samples are there already\n"


@pytest.mark.parametrize("content", ["[Event *", None])
def test_no_file_of_the_user_is_replaced(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "games.pdn"
    own.mkdir() if content is None else own.write_text(content)
    assert main(["samples", str(tmp_path)]) == 2
    assert "games.pdn has another content than the sample" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["games.pdn"]


def test_a_file_in_the_way_of_the_folder_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["samples", str(tmp_path / "file")]) == 2
    assert "file is not a directory; give another name" in capsys.readouterr().err
