"""Files that would unpack to far more than they hold, each refused in one line within its bound.

docs/reference/formats.md has the bounds of all formats. Those of SQLite files are in test_sqlite.py, of certificates in
test_proof_certificates.py, of HDF5 files in test_hdf5_*.py, of links and packed files of the page in tests/scripts.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest

from kr.book.krb import HEADER_BYTES, KRB_HEADER, KRB_MAGIC, KRB_VERSION, PackedBook
from kr.errors import InvalidBookError, InvalidPdnError
from kr.pdn import read_games
from kr.storage import open_arrays


def test_blocks_of_a_book_that_share_bytes() -> None:
    count = 1000
    block = bytes([255, 1]) + bytes(range(255)) + bytes(255) + bytes(2)
    content = struct.pack(f"<{count}Q", *range(count)) + bytes(4 * count) + block
    head = KRB_HEADER.pack(KRB_MAGIC, KRB_VERSION, 255 * count, count, 0)
    book = PackedBook(head + struct.pack("<Q", zlib.crc32(content, zlib.crc32(head))) + content)
    assert book._body == HEADER_BYTES + 12 * count
    with pytest.raises(InvalidBookError, match="damaged in block 0"):
        list(book.keys())


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_arrays_that_are_packed(tmp_path: Path, packing: int) -> None:
    path, array = tmp_path / "arrays", io.BytesIO()
    np.save(array, np.zeros(1 << 20))
    with zipfile.ZipFile(path, "w", packing) as file:
        file.writestr("a.npy", array.getvalue())
    if packing == zipfile.ZIP_STORED:
        with open_arrays(path) as arrays:
            assert arrays["a"].shape == (1 << 20,)
    else:
        with pytest.raises(ValueError, match="unpacks to more"), open_arrays(path):
            pass


def test_xz_that_asks_for_much_memory(tmp_path: Path) -> None:
    path, games = tmp_path / "games.pdn.xz", b"1. 11-15 *\n" * 3
    packed = bytearray(lzma.compress(games))
    # streams may be padded, and follow each other
    path.write_bytes(packed + bytes(4) + packed)
    assert sum(1 for _ in read_games(path)) == 6
    # a dictionary of 4 GiB, in the header of the block
    packed[16] = 40
    end = 12 + 4 * (packed[12] + 1)
    packed[end - 4 : end] = struct.pack("<I", zlib.crc32(packed[12 : end - 4]))
    path.write_bytes(packed)
    with pytest.raises(InvalidPdnError, match="the file is damaged: Memory usage limit"):
        list(read_games(path))
