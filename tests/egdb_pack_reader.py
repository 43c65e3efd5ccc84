"""A plain reader of packed endgame databases, by docs/reference/egdb-format.md alone, to check text and kr.

    python tests/egdb_pack_reader.py FILE.kregdb [DIR]

lists the files in a packed database, and writes them into a directory if one is given.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

MAGIC = bytes.fromhex("89 4B 52 50 41 43 4B 0A")
FIXED_BYTES = 48
NAME = re.compile(r"(wld|dtw)-[0-8]{4}\.egdb")


def read_pack(data: bytes) -> dict[str, bytes]:
    """Content of each file by its name, in order. Of a packed database that is cut short, those that are whole."""
    text_bytes = int.from_bytes(data[12:16], "little")
    text = data[FIXED_BYTES : FIXED_BYTES + text_bytes]
    assert data[:8] == MAGIC
    assert int.from_bytes(data[8:12], "little") == 1
    assert data[16:48] == hashlib.sha256(data[:16] + text).digest()
    found: dict[str, bytes] = {}
    at = FIXED_BYTES + text_bytes
    for each in json.loads(text)["files"]:
        content = data[at : at + each["bytes"]]
        at += each["bytes"]
        if len(content) == each["bytes"]:
            assert NAME.fullmatch(each["name"])
            assert each["name"] not in found
            assert hashlib.sha256(content).hexdigest() == each["sha256"]
            found[each["name"]] = content
    assert at >= len(data)
    return found


def main(packed: str, directory: str = "") -> None:
    for name, content in read_pack(Path(packed).read_bytes()).items():
        print(f"{name}  {len(content)} bytes")
        if directory:
            (Path(directory) / name).write_bytes(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
