"""Files in PDF, written page by page: drawings that many pages share are stored once, and text stays text.

matplotlib, whose font they take, lays text out glyph by glyph: 10,000 problems took it a minute and a half.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

CURVE = 0.5523
"""Length of the tangents by which four curves become a circle, in radii."""
_UNITS = 1000
"""Parts of a font's size in which PDF gives widths."""
_BLOCK = 100
"""Most characters of a block of the table that leads to them."""


class PdfFont(dict[int, str]):
    """A font: for each character that was written in it a number of four digits, in their order from 0."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.missing: set[str] = set()
        """Characters that it lacks."""
        self._glyphs: list[int] = []
        self._widths: list[int] = []

    @cached_property
    def _font(self) -> Any:
        from fontTools.ttLib import TTFont

        # the same text gives the same bytes
        return TTFont(self.path, recalcTimestamp=False)

    @cached_property
    def _names(self) -> Mapping[int, str]:
        return self._font.getBestCmap()

    def __missing__(self, code: int) -> str:
        name = self._names.get(code)
        if name is None:
            self.missing.add(chr(code))
            name = ".notdef"
        self[code] = f"{len(self):04x}"
        self._glyphs.append(self._font.getGlyphID(name))
        self._widths.append(round(self._font["hmtx"][name][0] * _UNITS / self._font["head"].unitsPerEm))
        return self[code]

    def shown(self, text: str) -> str:
        """A text as PDF writes it in this font."""
        return f"<{text.translate(self)}>"

    def width(self, text: str) -> float:
        """Width of a text, in sizes of the font."""
        text.translate(self)
        return sum(self._widths[int(self[ord(each)], 16)] for each in text) / _UNITS

    def write(self, file: PdfFile, number: int) -> None:
        """Write the font as this object of a file, with the glyphs of all that was written in it."""
        from fontTools.subset import Options, Subsetter

        head, scale = self._font["head"], _UNITS / self._font["head"].unitsPerEm
        box = [round(each * scale) for each in (head.xMin, head.yMin, head.xMax, head.yMax)]
        rise = [round(each * scale) for each in (self._font["hhea"].ascent, self._font["hhea"].descent)]
        name = f"/KRFONT+{self.path.stem}"
        options = Options()
        options.retain_gids = options.notdef_outline = True
        options.name_IDs, options.hinting = [], False
        options.drop_tables += ["FFTM", "GDEF", "GPOS", "GSUB"]
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=list(self))
        subsetter.subset(self._font)
        content = io.BytesIO()
        self._font.save(content)
        outlines = file.add_stream(f"/Length1 {len(content.getvalue())}", content.getvalue())
        about = file.add(
            f"<< /Type /FontDescriptor /FontName {name} /Flags 32 /FontBBox [{_numbers(box)}] /ItalicAngle 0"
            f" /Ascent {rise[0]} /Descent {rise[1]} /CapHeight {rise[0]} /StemV 80 /FontFile2 {outlines} 0 R >>"
        )
        order = file.add_stream("", b"".join(each.to_bytes(2, "big") for each in self._glyphs))
        glyphs = file.add(
            f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont {name} /CIDToGIDMap {order} 0 R"
            f" /W [0 [{_numbers(self._widths)}]]"
            " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
            f" /FontDescriptor {about} 0 R >>"
        )
        characters = file.add_stream("", self._characters())
        file.add(
            f"<< /Type /Font /Subtype /Type0 /BaseFont {name} /Encoding /Identity-H /DescendantFonts [{glyphs} 0 R]"
            f" /ToUnicode {characters} 0 R >>",
            number,
        )

    def _characters(self) -> bytes:
        """The table that leads from numbers to characters, by which text is searched and copied."""
        pairs = [f"<{number}> <{chr(code).encode('utf-16-be').hex()}>" for code, number in self.items()]
        blocks = [pairs[start : start + _BLOCK] for start in range(0, len(pairs), _BLOCK)]
        return "\n".join([
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /characters def /CMapType 2 def",
            "1 begincodespacerange <0000> <ffff> endcodespacerange",
            *("\n".join([f"{len(each)} beginbfchar", *each, "endbfchar"]) for each in blocks),
            "endcmap CMapName currentdict /CMap defineresource pop end end",
        ]).encode()  # fmt: skip


class PdfFile:
    """A file in PDF. Places are in points from the bottom left of a page; the same calls write the same bytes."""

    def __init__(self, file: BinaryIO, fonts: Sequence[PdfFont]) -> None:
        self._file = file
        self._fonts = fonts
        self._places: dict[int, int] = {}
        self._count = 0
        self._catalog, self._pages, self._resources = (self._reserved() for _ in range(3))
        self._font_objects = [self._reserved() for _ in fonts]
        self._drawings: dict[str, int] = {}
        self._page_objects: list[int] = []
        file.write(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")

    def _reserved(self) -> int:
        self._count += 1
        return self._count

    def add(self, content: str | bytes, number: int = 0) -> int:
        """Write an object and return its number; one that is 0 is new."""
        number = number or self._reserved()
        self._places[number] = self._file.tell()
        body = content.encode("latin-1") if isinstance(content, str) else content
        self._file.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        return number

    def add_stream(self, entries: str, content: bytes) -> int:
        """Write an object of packed bytes with these entries before them, and return its number."""
        packed = zlib.compress(content)
        head = f"<< {entries} /Filter /FlateDecode /Length {len(packed)} >>\nstream\n"
        return self.add(head.encode("latin-1") + packed + b"\nendstream")

    def add_drawing(self, name: str, box: Sequence[float], operators: Iterable[str]) -> None:
        """Store what pages draw by `/NAME Do`. box: left, bottom, right, top of all of it."""
        entries = f"/Type /XObject /Subtype /Form /BBox [{_numbers(box)}] /Resources {self._resources} 0 R"
        self._drawings[name] = self.add_stream(entries, "\n".join(operators).encode())

    def add_page(self, width: float, height: float, operators: Iterable[str]) -> None:
        """Write a page."""
        content = self.add_stream("", "\n".join(operators).encode())
        page = self.add(
            f"<< /Type /Page /Parent {self._pages} 0 R /MediaBox [0 0 {_numbers((width, height))}]"
            f" /Resources {self._resources} 0 R /Contents {content} 0 R >>"
        )
        self._page_objects.append(page)

    def text(self, x: float, y: float, size: float, text: str, font: int = 0) -> str:
        """The operators of a line of text that begins at a place, in the font of this number."""
        return f"BT /F{font} {size:.6g} Tf {_numbers((x, y))} Td {self._fonts[font].shown(text)} Tj ET"

    def close(self, title: str) -> None:
        """Write what all pages share, and the end."""
        for font, number in zip(self._fonts, self._font_objects, strict=True):
            font.write(self, number)
        fonts = " ".join(f"/F{place} {number} 0 R" for place, number in enumerate(self._font_objects))
        drawings = " ".join(f"/{name} {number} 0 R" for name, number in self._drawings.items())
        self.add(f"<< /Font << {fonts} >> /XObject << {drawings} >> >>", self._resources)
        pages = " ".join(f"{number} 0 R" for number in self._page_objects)
        self.add(f"<< /Type /Pages /Count {len(self._page_objects)} /Kids [{pages}] >>", self._pages)
        self.add(f"<< /Type /Catalog /Pages {self._pages} 0 R >>", self._catalog)
        about = self.add(f"<< /Title <feff{title.encode('utf-16-be').hex()}> /Creator (kr) /Producer (kr) >>")
        start = self._file.tell()
        rows = "".join(f"{self._places[number]:010} 00000 n \n" for number in range(1, self._count + 1))
        self._file.write(
            f"xref\n0 {self._count + 1}\n0000000000 65535 f \n{rows}trailer\n<< /Size {self._count + 1}"
            f" /Root {self._catalog} 0 R /Info {about} 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
        )


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{each:.2f}".rstrip("0").rstrip(".") for each in values)


def color(text: str) -> tuple[float, float, float]:
    """Red, green and blue of `#rrggbb`, each 0 to 1."""
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red / 255, green / 255, blue / 255


def filled(fill: Sequence[float]) -> str:
    """The operator after which shapes have this colour."""
    return f"{' '.join(f'{each:.3g}' for each in fill)} rg"


def lined(line: Sequence[float], width: float) -> str:
    """The operators after which lines have this colour and width."""
    return f"{' '.join(f'{each:.3g}' for each in line)} RG {width:.3g} w"


def box(x: float, y: float, width: float, height: float) -> str:
    """The outline of a box by its bottom left."""
    return f"{_numbers((x, y, width, height))} re"


def polygon(corners: Sequence[tuple[float, float]]) -> str:
    """A closed outline."""
    first, *others = corners
    return " ".join([f"{_numbers(first)} m", *(f"{_numbers(each)} l" for each in others), "h"])


def circle(radius: float, y: float = 0.0) -> str:
    """The outline of a circle around (0, y)."""
    out = CURVE * radius
    quarters = (
        (radius, out, out, radius, 0.0, radius), (-out, radius, -radius, out, -radius, 0.0),
        (-radius, -out, -out, -radius, 0.0, -radius), (out, -radius, radius, -out, radius, 0.0),
    )  # fmt: skip
    curves = [f"{_numbers((a, y + b, c, y + d, e, y + f))} c" for a, b, c, d, e, f in quarters]
    return " ".join([f"{_numbers((radius, y))} m", *curves, "h"])
