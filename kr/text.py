"""Text from elsewhere: decoded, shown with its control characters escaped, compared without case and accents, made the
name of a file."""

from __future__ import annotations

import codecs
import re
import unicodedata

BYTE_ORDER_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""First bytes of a text by which its encoding is known."""
LONGEST_SAFE_NAME = 80
"""Characters of a file name that is made from a text; in UTF-8 it has at most twice as many bytes."""
_UNSAFE = re.compile(r"[^\w.,()+ -]+")
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f]+')
"""Characters that Windows allows in no name."""
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9]) *(\.|$)", re.IGNORECASE)
"""Names that mean a device to Windows, whatever follows the dot."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    r"""Text in one line, with escapes such as ``\x1b`` for characters that a terminal or a page would obey or hide.

    These are control characters, separators of lines and paragraphs, marks and overrides of direction, characters
    without a width, and halves of surrogate pairs.
    """
    return text if text.isprintable() else "".join(map(_escaped, text))


def visible_lines(text: str) -> str:
    """As `visible`, but for text of several lines: line feeds and tabs stay."""
    if text.isprintable():
        return text
    return "".join(each if each in "\n\t" else _escaped(each) for each in text)


def file_text(content: bytes, errors: str = "strict") -> str:
    r"""Text of a file that people write, with ``\n`` as the only line end: UTF-8, or what a byte-order mark says.

    Windows' editors begin UTF-8 with one, and its PowerShell writes UTF-16. errors: as for bytes.decode.
    """
    mark = next((mark for mark in BYTE_ORDER_MARKS if content.startswith(mark)), b"")
    text = content[len(mark) :].decode(BYTE_ORDER_MARKS.get(mark, "utf-8"), errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def whole_characters(text: str) -> str:
    """Text that can be written as UTF-8: halves of surrogate pairs, which JSON can hold, become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def printable(text: str) -> str:
    """Text with escapes for invalid characters: file names may be any bytes."""
    return text.encode(errors="backslashreplace").decode()


def portable_name(name: str) -> str:
    """A file name like another one, which every system takes: folders travel."""
    name = _FORBIDDEN.sub("_", name).rstrip(". ") or "_"
    return f"_{name}" if _DEVICE.match(name) else name


def safe_name(text: str, instead: str) -> str:
    """A portable file name like a text, or `instead` for a text that leaves nothing.

    Without folders, dots at its ends, and characters that a shell or a page may mistake.
    """
    name = _UNSAFE.sub("_", re.split(r"[/\\]", text)[-1]).strip(". ")
    stem, dot, end = name.rpartition(".")
    if len(name) > LONGEST_SAFE_NAME:
        name = f"{stem[: LONGEST_SAFE_NAME - 10]}{dot}{end[:8]}" if stem else name[:LONGEST_SAFE_NAME]
    while len(name.encode()) > 2 * LONGEST_SAFE_NAME:
        name = name[1:]
    return portable_name(name.strip(". ") or instead)


def plain_name(name: str) -> str:
    """A name as it is compared: without case and accents; kinds of blanks, quotes and dashes are one each."""
    folded = name.casefold()
    if not folded.isascii():
        parts = unicodedata.normalize("NFKD", folded.translate(_LETTERS)).translate(_LETTERS)
        folded = "".join(each for each in parts if not unicodedata.combining(each))
    return " ".join(folded.split())


def same_person(name: str) -> str:
    """A key that the spellings of a name have in common: "Müller, J.", "J Muller" and "MULLER, J"."""
    bare = _DOT.sub(" ", plain_name(name)).split()
    whole = " ".join(bare)
    if "," not in whole and len(bare) > 1:
        whole = f"{bare[-1]}, {' '.join(bare[:-1])}"
    return ", ".join(" ".join(part.split()) for part in whole.split(","))


# the dot of an initial, not that of a version
_DOT = re.compile(r"(?<=[^\W\d])\.")
# characters whose accents decomposition does not remove, and signs that are typed in several ways
_LETTERS = str.maketrans(
    {
        "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i", "ħ": "h",
        **dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4", "'"), **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)  # fmt: skip


def _escaped(character: str) -> str:
    if character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def brief(value: object, most: int = 60) -> str:
    """The first characters of a value's repr, in one line."""
    return " ".join(repr(value).split())[:most]
