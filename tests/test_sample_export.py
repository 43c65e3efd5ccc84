"""Samples in forms of other programs: the same rows, whole, and one line where that is not possible."""

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from kr import cli, storage
from kr.egdb import sample_export
from kr.egdb.sample import SampleSettings, write_sample
from kr.egdb.sample_export import ExportSettings, export_sample
from kr.egdb.sample_file import SHARES
from kr.egdb.sample_reader import SampleFile, SampleRows
from kr.errors import InvalidSampleError, InvalidSettingError

FORMS = ("npz", "parquet")


@pytest.fixture(scope="module", params=[False, True], ids=["values", "distances"])
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sample") / "positions.h5"
    shipped = storage.data_path("egdb")
    settings = SampleSettings(
        out=path, pieces="2-3", count=10_000, distances=request.param, planes=False, dir=shipped, workers=1
    )
    write_sample(settings)
    return path


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_export, "EXPORT_ROWS", 999)


def exported(path: Path) -> tuple[dict[str, SampleRows], dict[str, str]]:
    """Rows by share, and the story, as other programs read them."""
    found = {}
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            for share in SHARES:
                if f"{share}_boards" in arrays:
                    distances = arrays.get(f"{share}_distances")
                    found[share] = SampleRows(arrays[f"{share}_boards"], arrays[f"{share}_values"], distances)
            return found, json.loads(arrays["story"].item())
    from pyarrow import parquet

    table = parquet.read_table(path)
    columns: dict[str, Any] = {name: table[name].to_numpy() for name in table.column_names}
    for share in dict.fromkeys(columns["share"]):
        which = columns["share"] == share
        boards = np.stack([columns[name][which] for name in ("black", "white", "kings")], axis=1)
        distances = columns["distance"][which] if "distance" in columns else None
        found[share] = SampleRows(boards, columns["value"][which], distances)
    return found, {name.decode().removeprefix("kr."): value.decode() for name, value in table.schema.metadata.items()}


def check_same(rows: SampleRows, expected: SampleRows) -> None:
    assert (rows.boards.dtype, rows.values.dtype) == (np.uint32, np.uint8)
    assert (rows.boards == expected.boards).all()
    assert (rows.values == expected.values).all()
    if expected.distances is None:
        assert rows.distances is None
    else:
        assert rows.distances is not None
        assert rows.distances.dtype == np.int16
        assert (rows.distances == expected.distances).all()


@pytest.mark.slow
@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", ["", "validation"])
@pytest.mark.smoke
def test_every_row_comes_out_in_order(sample: Path, tmp_path: Path, form: str, share: str) -> None:
    out = tmp_path / f"out.{form}"
    told: list[tuple[int, int]] = []
    made = export_sample(ExportSettings(sample, out, share), lambda *done: told.append(done))
    found, story = exported(out)
    with SampleFile(sample) as file:
        assert list(found) == ([share] if share else list(SHARES)) == list(made.shares)
        for name, rows in found.items():
            check_same(rows, file.shares[name].read(0, len(file.shares[name])))
        assert json.loads(story["parents"]) == [file.checksum]
        assert json.loads(story["sample"])["settings"] == file.attrs["settings"]
    assert told[-1] == (sum(made.shares.values()), sum(made.shares.values()))
    assert made.bytes == out.stat().st_size
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_row_groups_are_parts(sample: Path, tmp_path: Path, in_parts: None) -> None:
    from pyarrow import parquet

    out = tmp_path / "out.parquet"
    export_sample(ExportSettings(sample, out))
    groups = parquet.ParquetFile(out).metadata
    assert {groups.row_group(i).num_rows for i in range(groups.num_row_groups)} >= {999}
    assert groups.num_rows == 10_000


@pytest.mark.parametrize("form", FORMS)
def test_the_same_sample_gives_the_same_bytes(
    sample: Path, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "provenance", lambda **settings: {})
    contents = set()
    for number in (1, 2):
        out = tmp_path / f"{number}.{form}"
        export_sample(ExportSettings(sample, out))
        contents.add(out.read_bytes())
    assert len(contents) == 1


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("x.csv", "--out x.csv: expected a name that ends in .npz or .parquet"),
        ("x", "expected a name that ends in"),
        ("folder.npz", "is a directory"),
    ],
)
def test_what_cannot_be_written(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.npz").mkdir()
    with pytest.raises(InvalidSettingError, match=said):
        export_sample(ExportSettings(sample, Path(out)))


def test_what_is_missing_or_damaged(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidSampleError, match="no such file"):
        export_sample(ExportSettings(tmp_path / "none.h5", tmp_path / "x.npz"))
    damaged = tmp_path / "damaged.h5"
    chunks: list[Any] = []
    with h5py.File(sample) as file:
        file["test/board"].id.chunk_iter(chunks.append)
    content = bytearray(sample.read_bytes())
    content[chunks[0].byte_offset + chunks[0].size // 2] ^= 0x55
    damaged.write_bytes(content)
    for form in FORMS:
        with pytest.raises(InvalidSampleError, match=r"damaged\.h5"):
            export_sample(ExportSettings(damaged, tmp_path / f"x.{form}"))
    monkeypatch.setattr("kr.extras.find_spec", lambda name: None)
    with pytest.raises(InvalidSettingError, match="^Parquet needs pyarrow: pip install pyarrow"):
        export_sample(ExportSettings(sample, tmp_path / "x.parquet"))
    assert [path.name for path in tmp_path.iterdir()] == ["damaged.h5"]


def test_the_command_says_what_it_wrote(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["egdb", "export", str(sample), "--out", "all.npz"]) == 0
    out, err = capsys.readouterr()
    assert err == "wrote all.npz: 10,000 positions\n"
    assert "10,000 positions, " in out
    assert cli.main(["egdb", "export", str(sample), "--out", "test.npz", "--share", "test", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["positions"] == told["shares"]["test"]
    assert list(told["shares"]) == ["test"]
    assert cli.main(["egdb", "export", "none.h5", "--out", "x.npz"]) == 1
    assert capsys.readouterr().err == "kr: none.h5: no such file\n"
