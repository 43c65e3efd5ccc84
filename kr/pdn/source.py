"""The text of a PDN file, block by block: decompressed, with its encoding detected, without a byte-order mark.

Old collections are in Latin-1 or, from DOS, in CP437, and some were put together from files of both. A block that is
valid UTF-8 is read as UTF-8. In any other block each line is read on its own: as UTF-8, or in the old encoding that
fits the lines so far best.
"""

from __future__ import annotations

import codecs
import importlib
import io
from pathlib import Path
from typing import IO, Any

from kr.errors import InvalidPdnError, InvalidSettingError
from kr.language.sentences import Sentence, sentence
from kr.storage import open_stream
from kr.text import BYTE_ORDER_MARKS

READ_SIZE = 1 << 18
"""Bytes or characters in a block."""
MOST_XZ_MEMORY = 1 << 28
"""Bytes of memory to unpack xz; its largest preset takes a quarter of it."""
DETECT = "detect"
"""Setting for an encoding that is detected."""

# First bytes of packed files, and the module that unpacks them.
_UNPACKERS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "lzma", b"BZh": "bz2"}
_OLD = ("latin-1", "cp437")
# Score of a byte beyond ASCII that is not a letter in an encoding: unlikely in a text.
_IMPROBABLE = -4
# Scores of a letter next to another, as expected, and of a capital after a small letter.
_BESIDE, _CAPITAL = 2, -2
# Bytes without a letter in Latin-1; Windows has some there.
_CONTROLS = bytes(range(0x80, 0xA0))


class Content:
    """The bytes of a file, unpacked if it is packed by gzip, xz or bzip2.

    source: its path, or an open file of bytes that can be peeked into. Raises OSError if it can't be opened.
    """

    def __init__(self, source: Path | Any) -> None:
        self._packed = open_stream(source) if isinstance(source, Path) else source
        name = getattr(source, "name", "")
        self.name = Path(name).name if isinstance(name, str) else ""
        self._owned = [self._packed] if isinstance(source, Path) else []
        self._file = self._packed
        self._position = 0
        start = self._packed.peek(6)
        for magic, module in _UNPACKERS.items():
            if start.startswith(magic):
                opened = _open_xz if module == "lzma" else importlib.import_module(module).open
                self._file = opened(self._packed)
                self._owned.append(self._file)

    @property
    def position(self) -> int:
        """Bytes of the file read so far, still packed if it is packed; 0 if unknown."""
        try:
            self._position = int(self._packed.tell())
        except (OSError, ValueError, AttributeError):
            pass  # a pipe, or closed
        return self._position

    def read(self, size: int) -> bytes:
        """The next block; none at the end. Raises OSError, and InvalidPdnError if it can't be unpacked."""
        try:
            block: bytes = self._file.read(size)
        except Exception as error:
            # each unpacker has its own errors, in addition to those of the system
            if self._file is self._packed or (isinstance(error, OSError) and error.errno):
                raise
            raise _refusal(self.name, sentence("pdn.damaged_by", why=str(error))) from None
        return block

    def close(self) -> None:
        """Close the file if the path was given."""
        _ = self.position
        for file in reversed(self._owned):
            file.close()


def _refusal(name: str, why: Sentence) -> InvalidPdnError:
    return InvalidPdnError(sentence("pdn.of_file", name=name, why=why) if name else why)


class Text:
    """A source of PDN text, read in blocks with "\\n" as the only line end.

    source: the text itself, the path of a file (plain, or packed by gzip, xz or bzip2), or an open file of bytes or
    text. encoding: its encoding, or "detect". Raises OSError if the file can't be opened, InvalidSettingError for an
    unknown encoding.
    """

    def __init__(self, source: str | Path | IO[Any], encoding: str = DETECT) -> None:
        if encoding != DETECT:
            try:
                codecs.lookup(encoding)
            except LookupError:
                raise InvalidSettingError(
                    f"encoding {encoding!r} is not known; expected detect, utf-8, latin-1 or cp437"
                ) from None
        if not isinstance(source, str | Path) and not hasattr(source, "read"):
            raise InvalidSettingError(f"the games are {source!r:.80}; expected text, a Path or an open file")
        self.name = ""
        self._newlines = io.IncrementalNewlineDecoder(None, translate=True)
        self._has_text = False
        self._decoder: _Decoder | None = None
        self._encoding = encoding
        self._content: Content | None = None
        self._file: Any = source
        if isinstance(source, str):
            self._file = io.StringIO(source, newline="")
        else:
            name = getattr(source, "name", "")
            self.name = Path(name).name if isinstance(name, str) else ""
            if isinstance(source, Path) or hasattr(source, "peek"):
                self._file = self._content = Content(source)

    @property
    def encoding(self) -> str:
        """Encoding of the text read so far: one name, or several separated by commas."""
        return self._decoder.encodings if self._decoder else "text"

    @property
    def position(self) -> int:
        """Bytes of the file read so far, still packed if it is packed; 0 if unknown."""
        return self._content.position if self._content else 0

    def read(self) -> str:
        """The next block; "" at the end. Raises OSError, and InvalidPdnError for bytes that are not text."""
        while True:
            try:
                block = self._file.read(READ_SIZE)
            except UnicodeDecodeError as error:
                raise self._not_text(error) from None
            if isinstance(block, str):
                text = self._newlines.decode(block, final=not block)
            else:
                if self._decoder is None:
                    self._decoder = _Decoder(self._encoding, block[:3])
                try:
                    text = self._newlines.decode(self._decoder.decode(block), final=not block)
                except UnicodeDecodeError as error:
                    raise self._not_text(error) from None
            if text and not self._has_text:
                self._has_text = True
                text = text.removeprefix("\ufeff")
            if text or not block:
                return text

    def close(self) -> None:
        """Close the file if the path was given."""
        if self._content:
            self._content.close()

    def _not_text(self, error: UnicodeDecodeError) -> InvalidPdnError:
        byte = f"{error.object[error.start]:02x}"
        return _refusal(self.name, sentence("pdn.encoding", byte=byte, encoding=error.encoding))


def _open_xz(file: Any) -> Any:
    """An open file of xz, whose blocks say themselves how much memory they take, up to 4 GiB: a smaller limit holds."""
    import lzma

    class Unpacker(io.RawIOBase):
        def __init__(self) -> None:
            self._unpacker: lzma.LZMADecompressor | None = None

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            content = b""
            while not content:
                unpacker = self._unpacker
                follows = unpacker is not None and unpacker.eof
                if unpacker is None or follows:
                    packed = unpacker.unused_data if unpacker is not None else b""
                    packed = (packed or file.read(READ_SIZE)).lstrip(b"\0" if follows else b"")
                    if not packed:
                        return 0
                    unpacker = self._unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_XZ_MEMORY)
                else:
                    packed = file.read(READ_SIZE) if unpacker.needs_input else b""
                    if unpacker.needs_input and not packed:
                        raise EOFError("it ends too soon")
                content = unpacker.decompress(packed, len(buffer))
            buffer[: len(content)] = content
            return len(content)

    return io.BufferedReader(Unpacker(), READ_SIZE)


class _Decoder:
    """Bytes to text; `encodings` names those met."""

    def __init__(self, encoding: str, start: bytes) -> None:
        mark = next((mark for mark in BYTE_ORDER_MARKS if start.startswith(mark)), None)
        if encoding == DETECT and mark and mark != codecs.BOM_UTF8:
            encoding = BYTE_ORDER_MARKS[mark]
        self._decoder = None if encoding == DETECT else codecs.getincrementaldecoder(encoding)()
        self._names: dict[str, None] = {}
        self._encoding = encoding
        self._rest = b""
        self._scores = dict.fromkeys(_OLD, 0)
        self._old = _OLD[0]

    @property
    def encodings(self) -> str:
        if self._encoding != DETECT:
            return self._encoding
        return ",".join(self._names) or "ascii"

    def decode(self, block: bytes) -> str:
        """Text of a block of bytes, b"" at the end; the beginning of an incomplete line or character waits."""
        if self._decoder is not None:
            return self._decoder.decode(block, final=not block)
        content = self._rest + block
        # lines are not cut, and an endless one only between characters
        cut = len(content) if not block else content.rfind(b"\n") + 1
        if not cut and len(content) > READ_SIZE:
            cut = len(content)
            while cut > len(content) - 4 and content[cut - 1] >= 0x80:
                cut -= 1
        self._rest, content = content[cut:], content[:cut]
        if content.isascii():
            return content.decode("ascii")
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return "".join(map(self._line, content.splitlines(keepends=True)))
        self._names["utf-8"] = None
        return text

    def _line(self, line: bytes) -> str:
        if line.isascii():
            return line.decode("ascii")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            for name in _OLD:
                self._scores[name] += _plausibility(line, name)
            self._old = max(_OLD, key=self._scores.__getitem__)
            text = _decoded(line, self._old)
            self._names[self._old] = None
            return text
        self._names["utf-8"] = None
        return text


def _decoded(line: bytes, encoding: str) -> str:
    if encoding != "latin-1":
        return line.decode(encoding)
    # Windows has quotes and dashes between 0x80 and 0x9f, where Latin-1 has nothing printable.
    return "".join(
        bytes([byte]).decode("cp1252", errors="ignore") or chr(byte) if byte in _CONTROLS else chr(byte)
        for byte in line
    )


def _plausibility(line: bytes, encoding: str) -> int:
    """Score of a line as names and sentences in an encoding."""
    text = _decoded(line, encoding)
    total = 0
    for at, letter in enumerate(text):
        if letter.isascii():
            continue
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if letter.isalpha() and letter.isprintable() and "\u00aa" != letter != "\u00ba":
            if before.isalpha() or after.isalpha():
                total += _BESIDE
            if letter.isupper() and before.islower():
                total += _CAPITAL
            if letter.islower() and before.isupper() and after.isupper():
                total += _CAPITAL
        elif letter in "\u2018\u2019\u201c\u201d\u2013\u2014\u00bd\u00ab\u00bb\u2026\u00a0\u00b0\u00a3":
            continue
        else:
            total += _IMPROBABLE
    return total
