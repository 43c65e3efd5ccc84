"""What kind of file something is, by its content and whatever its name: for whoever opens one of several kinds, and for
messages that say what a file is where another was expected."""

from __future__ import annotations

import codecs
import os
import re
import struct
from pathlib import Path

from kr.storage import open_regular

KRB_MAGIC = b"kr book\n"
CERTIFICATE_MAGIC = b"\x89KRCERT\n"
EGDB_MAGIC = b"\x89KREGDB\n"
PACK_MAGIC = b"\x89KRPACK\n"
VALUES_MAGIC = b"KRVALUE\n"
TABLES_MAGIC = b"\x89KRTABL\n"
POLICY_MAGIC = b"\x89KRPOLI\n"
CHANCES_MAGIC = b"\x89KRCHAN\n"
BOOK_ID = 0x6B72424B
"""Number that identifies working files of books among those of SQLite."""
INDEX_ID = 0x6B724958
"""The same for indexes of archives."""
USERBOOK_ENTRY = struct.Struct("<4I67i")
"""An entry of CheckerBoard's user book, as kr.theory.userbook describes it."""

PACKED_BOOK = "a packed book of kr (.krb)"
WORKING_BOOK = "a book of kr book build"
USER_BOOK = "a user book of CheckerBoard"
EMPTY_FILE = "an empty file"
TEXT_FILE = "a text file"
UNKNOWN_FILE = "a file of an unknown kind"

_BEGINNING = 4096
"""Bytes that are looked at."""
_MAGIC = {
    KRB_MAGIC: PACKED_BOOK,
    CERTIFICATE_MAGIC: "a certificate of kr prove",
    EGDB_MAGIC: "a file of an endgame database",
    PACK_MAGIC: "a packed endgame database",
    VALUES_MAGIC: "a file of an unfinished endgame database",
    TABLES_MAGIC: "compact tables of kr (.krt)",
    POLICY_MAGIC: "a compact policy of kr (.krp)",
    CHANCES_MAGIC: "chances of endings against people (.chances)",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file, such as weights or games of kr",
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\x00": "an xz file",
    b"PK\x03\x04": "a zip file",
    b"%PDF-": "a PDF file",
}
_SQLITE = b"SQLite format 3\x00"
_SQLITE_ID = slice(68, 72)
_SQLITE_KINDS = {BOOK_ID: WORKING_BOOK, INDEX_ID: "an index of an archive of games"}
_TAG = re.compile(r'\[\w+\s+"')
_MARKUP = re.compile(r"<(!doctype|html|svg|\?xml)", re.IGNORECASE)


def file_kind(path: str | Path) -> str:
    """What a file is, in words: one of the constants here, or others. Raises OSError."""
    with open_regular(path) as file:
        return content_kind(file.read(_BEGINNING), os.fstat(file.fileno()).st_size)


def content_kind(beginning: bytes, size: int | None = None) -> str:
    """The same by the content of a file, or by its first bytes and its size."""
    size, beginning = len(beginning) if size is None else size, beginning[:_BEGINNING]
    if not size:
        return EMPTY_FILE
    for magic, kind in _MAGIC.items():
        if beginning.startswith(magic):
            return kind
    if beginning.startswith(_SQLITE):
        return _SQLITE_KINDS.get(int.from_bytes(beginning[_SQLITE_ID], "big"), "an SQLite file that is not of kr")
    if _is_userbook(beginning, size):
        return USER_BOOK
    return _text_kind(beginning)


def _is_userbook(beginning: bytes, size: int) -> bool:
    if size % USERBOOK_ENTRY.size or len(beginning) < USERBOOK_ENTRY.size:
        return False
    numbers = USERBOOK_ENTRY.unpack_from(beginning)
    boards, jumps, places = numbers[:4], numbers[4], numbers[7:11]
    together = boards[0] | boards[1] | boards[2] | boards[3]
    is_board = 0 < sum(board.bit_count() for board in boards) == together.bit_count()
    return is_board and 0 <= jumps <= 12 and all(0 <= place < 8 for place in places)


def _text_kind(beginning: bytes) -> str:
    try:
        if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            text = beginning.decode("utf-16", "ignore")
        else:
            # the last character may be cut
            text = codecs.getincrementaldecoder("utf-8-sig")().decode(beginning)
    except UnicodeDecodeError:
        # another encoding, if it is a text
        text = beginning.decode("latin-1")
    text = text.lstrip()
    if _TAG.match(text):
        return "a PDN file"
    if text.startswith(("{", "[")):
        return "a JSON file"
    if _MARKUP.match(text):
        return "a page or picture (HTML or SVG)"
    return UNKNOWN_FILE if any(each < " " and not each.isspace() for each in text) else TEXT_FILE
