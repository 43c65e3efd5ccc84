"""`kr egdb export`: samples of endgame positions in forms that other programs read, npz and Parquet.

Both are written part by part; a sample may be larger than memory. docs/reference/formats.md describes them.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kr import storage
from kr.egdb.sample_file import SHARES
from kr.egdb.sample_reader import SampleFile, SampleRows, SampleShare
from kr.extras import check_packages
from kr.settings import REQUIRED, Settings, check_settings, known_suffix, option

EXPORT_ROWS = 1 << 17
"""Rows of a part: a row group of a Parquet file."""
COLUMNS: dict[str, tuple[str, tuple[int, ...], Callable[[SampleRows], NDArray[Any] | None]]] = {
    "boards": ("<u4", (3,), lambda rows: rows.boards),
    "values": ("u1", (), lambda rows: rows.values),
    "distances": ("<i2", (), lambda rows: rows.distances),
}
"""Arrays of a share in npz: type, shape of a row, content."""


@dataclass(frozen=True)
class ExportSettings(Settings):
    """The sample to export, and the file to write."""

    sample: Path = option(REQUIRED, "File that `kr egdb sample` wrote.", argument=True, metavar="SAMPLE")
    out: Path = option(REQUIRED, "File to write; its name ends in .npz or .parquet.")
    share: str = option("", "Only this share: {allowed}; all if not given.", choices=("", *SHARES))


@dataclass(frozen=True)
class Export:
    """A file that was written."""

    out: Path
    shares: dict[str, int]
    """Positions of each share."""
    bytes: int


def export_sample(settings: ExportSettings, on_progress: Callable[[int, int], None] | None = None) -> Export:
    """Export a sample. on_progress: called with positions written and positions in all.

    Raises InvalidSettingError if the name of the file ends in neither way, or pyarrow is missing; InvalidSampleError
    if the sample is damaged; and OSError.
    """
    check_settings(settings, ExportSettings)
    writers = {".npz": _write_npz, ".parquet": _write_parquet}
    write = writers[known_suffix("--out", settings.out, writers)]
    if write is _write_parquet:
        check_packages("Parquet needs", "pyarrow")
    storage.check_output(settings.out)
    with closing(SampleFile(settings.sample, verify=True)) as sample:
        shares = [share for name, share in sample.shares.items() if settings.share in ("", name)]
        story = {
            "kind": "kr egdb export",
            "sample": json.dumps({name: value for name, value in sample.attrs.items() if name != "kind"}),
            **storage.provenance(parents=[sample.checksum], **asdict(settings)),
        }
        total = sum(map(len, shares))
        exported = 0

        def advance(count: int) -> None:
            nonlocal exported
            exported += count
            if on_progress:
                on_progress(exported, total)

        with storage.atomic_path(settings.out) as path:
            write(path, shares, story, advance)
    counts = {share.name: len(share) for share in shares}
    return Export(settings.out, counts, settings.out.stat().st_size)


def _parts(share: SampleShare) -> Iterator[SampleRows]:
    for first in range(0, len(share), EXPORT_ROWS):
        yield share.read(first, min(first + EXPORT_ROWS, len(share)))


def _write_npz(
    path: Path, shares: Sequence[SampleShare], story: dict[str, str], advance: Callable[[int], None]
) -> None:
    """An array `SHARE_boards` and so on for each share, and `story`, a JSON text."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for share in shares:
            for name, (dtype, shape, column) in COLUMNS.items():
                if name == "distances" and not share.has_distances:
                    continue
                # a name without the time of writing: the same sample gives the same bytes
                with archive.open(_entry(f"{share.name}_{name}"), "w", force_zip64=True) as entry:
                    header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": (len(share), *shape)}
                    np.lib.format.write_array_header_1_0(entry, header)
                    for rows in _parts(share):
                        entry.write(np.ascontiguousarray(column(rows), dtype=dtype).data)
                        advance(len(rows) if name == "boards" else 0)
        with archive.open(_entry("story"), "w") as entry:
            np.lib.format.write_array(entry, np.array(json.dumps(story)))


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(f"{name}.npy")
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry._compresslevel = 1  # type: ignore[attr-defined]  # public as compress_level from Python 3.13 on
    return entry


def _write_parquet(
    path: Path, shares: Sequence[SampleShare], story: dict[str, str], advance: Callable[[int], None]
) -> None:
    """Columns share, black, white, kings, value and, where there are any, distance; the story as metadata."""
    import pyarrow as pa
    from pyarrow import parquet

    fields = [("share", pa.dictionary(pa.int8(), pa.string()))]
    fields += [(name, pa.uint32()) for name in ("black", "white", "kings")]
    fields += [("value", pa.uint8())]
    if any(share.has_distances for share in shares):
        fields += [("distance", pa.int16())]
    schema = pa.schema(fields, metadata={f"kr.{name}": value for name, value in story.items()})
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for share in shares:
            for rows in _parts(share):
                number = np.full(len(rows), SHARES.index(share.name), dtype=np.int8)
                columns = [pa.DictionaryArray.from_arrays(number, pa.array(SHARES))]
                columns += [np.ascontiguousarray(column) for column in rows.boards.T]
                columns += [rows.values]
                if rows.distances is not None:
                    columns += [rows.distances]
                writer.write_table(pa.table(columns, schema=schema))
                advance(len(rows))
