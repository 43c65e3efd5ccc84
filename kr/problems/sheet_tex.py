r"""Pages of problems as a document of LaTeX: pdflatex, xelatex or lualatex, with TikZ and no font of its own.

All text comes from `tex_text`, in which no character means anything to TeX. What pdflatex's usual fonts lack is printed
by its number there, ``[U+5D0]``, and by itself in the other two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kr import svg
from kr.game.position import Position
from kr.notation import SIDE_NAMES, SQUARES, square_name
from kr.problems.sheet import SHEET_MARGIN, SOLUTION_SIZE, PrintSettings, SheetEntry, SheetForm, sheet_form, wrapped
from kr.text import visible

_PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .:;()/+=@")
# letters with accents that T1 has, and signs of any LaTeX
_KNOWN = set("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ") | set(
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğİıĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž"
)
_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}",
    # no ligatures, and nothing that could be an option
    "'": r"'{}", "-": r"\mbox{-}", "*": r"{*}", ",": r",{}", "?": r"?{}", "!": r"!{}", "[": r"{[}", "]": r"{]}",
    "\u2013": r"\textendash{}", "\u2014": r"\textemdash{}", "\u2018": r"\textquoteleft{}",
    "\u2019": r"\textquoteright{}", "\u201c": r"\textquotedblleft{}", "\u201d": r"\textquotedblright{}",
    "\u201e": r"\quotedblbase{}", "\u2026": r"\textellipsis{}",
}  # fmt: skip

_FREE = 16.0
"""Points of a page that stay free: TeX leaves some above its first line and between lines."""
_SLACK = 6.0
"""Points of a row that stay free: fonts differ in height."""


def tex_text(text: str) -> str:
    """A text for LaTeX, in which no character means anything to it."""
    return "".join(_tex_character(each) for each in text)


def _tex_character(each: str) -> str:
    if each in _PLAIN or each in _KNOWN:
        return each
    return _SIGNS.get(each) or rf"\othercharacter{{{ord(each):X}}}"


def tex_document(entries: Sequence[SheetEntry], settings: PrintSettings) -> Iterator[str]:
    """Parts of the document."""
    form = sheet_form(entries, settings)
    row = form.row - _FREE / settings.rows - 2
    cell = (form.board - (form.row - row) - _SLACK) / (8 + 2 * svg.EDGE / svg.CELL)
    yield _preamble(settings, form, row, cell)
    each_page = settings.rows * settings.columns
    for first in range(0, len(entries), each_page):
        for start in range(first, min(first + each_page, len(entries)), settings.columns):
            side_by_side = entries[start : start + settings.columns]
            yield "%\n\\hfill\n".join(_problem(each, form) for each in side_by_side)
            yield "\\hfill\\emptyplace" * (settings.columns - len(side_by_side)) + "\\par\n"
        yield "\\newpage\n\n"
    if settings.solutions and any(each.solution for each in entries):
        yield "\\begin{multicols}{2}[\\textbf{\\large Solutions}]\n\\solutionsize\\raggedright\n"
        for each in entries:
            words = tex_text(each.solution or "no solution is given")
            yield f"\\solution{{{tex_text(each.title)}}}{{{words}}}\n"
        yield "\\end{multicols}\n"
    yield "\\end{document}\n"


def _problem(entry: SheetEntry, form: SheetForm) -> str:
    lines = wrapped(entry.title, form.column, form.size, bold=True, most=form.title_lines)
    titles = [rf"\textbf{{{tex_text(each)}}}" for each in lines]
    titles += [tex_text(each) for each in wrapped(entry.author, form.column, form.size, most=1)]
    named = r"\\".join(titles)
    return f"\\problem{{{named}}}{{{_pieces(entry.position)}}}{{{tex_text(entry.stipulation)}}}"


def _pieces(position: Position) -> str:
    drawn = []
    for square in range(SQUARES):
        side = 0 if position.black >> square & 1 else 1 if position.white >> square & 1 else None
        if side is not None:
            kind = "king" if position.kings >> square & 1 else "man"
            column, row = svg.place(square)
            drawn.append(rf"\{SIDE_NAMES[side].lower()}{kind}{{{column}.5}}{{{7 - row}.5}}")
    return "".join(drawn)


def _preamble(settings: PrintSettings, form: SheetForm, row: float, cell: float) -> str:
    title, size = tex_text(" ".join(visible(settings.title).split())), form.size
    lines = max(1, form.title_lines + form.author)
    unit = svg.CELL
    crown = "--".join(f"({x / unit:.3f},{-(y + svg.KING_DISCS[1]) / unit:.3f})" for x, y in svg.CROWN)
    discs = [f"{-y / unit:.3f}" for y in svg.KING_DISCS]
    places = [(svg.place(square), square_name(square)) for square in range(SQUARES)]
    squares = "".join(rf"\fill[darksquare] ({x},{7 - y}) rectangle +(1,1);" + "\n" for (x, y), _ in places)
    names = "".join(
        rf"\node[anchor=north west,inner sep=.04\boardcell] at ({x},{8 - y}) {{\squaresize {name}}};" + "\n"
        for (x, y), name in places
    )  # fmt: skip
    edge = svg.EDGE / unit
    top = SHEET_MARGIN + (20 if title else 0)
    head = "\\pagestyle{sheet}" if title else "\\pagestyle{plain}"
    return rf"""% Compile with pdflatex, xelatex or lualatex.
\documentclass{{article}}
\usepackage{{iftex}}
\ifPDFTeX
  \usepackage[utf8]{{inputenc}}
  \usepackage[T1]{{fontenc}}
  \IfFileExists{{lmodern.sty}}{{\usepackage{{lmodern}}}}{{}}
\else
  \usepackage{{fontspec}}
\fi
\usepackage{{textcomp}}
\usepackage[{settings.paper}paper,left={SHEET_MARGIN:g}bp,right={SHEET_MARGIN:g}bp,top={top:g}bp,bottom={SHEET_MARGIN:g}bp,%
  headheight=16bp,headsep=6bp,footskip={SHEET_MARGIN / 2:g}bp]{{geometry}}
\usepackage{{multicol}}
\usepackage{{tikz}}
\setlength{{\parindent}}{{0pt}}
\setlength{{\parskip}}{{0pt}}
\renewcommand{{\familydefault}}{{\sfdefault}}
\newcommand{{\sheettitle}}{{{title}}}
\makeatletter
\newcommand{{\ps@sheet}}{{\renewcommand{{\@oddhead}}{{\hfil\textbf{{\large\sheettitle}}\hfil}}%
  \renewcommand{{\@oddfoot}}{{\hfil\thepage\hfil}}}}
\makeatother
\newcommand{{\othercharacter}}[1]{{\ifPDFTeX{{\footnotesize{{[}}U+#1{{]}}}}\else\symbol{{"#1}}\fi}}
\newcommand{{\problemsize}}{{\fontsize{{{size:.1f}}}{{{1.2 * size:.1f}}}\selectfont}}
\newcommand{{\solutionsize}}{{\fontsize{{{SOLUTION_SIZE}}}{{{1.2 * SOLUTION_SIZE:.1f}}}\selectfont}}
\newcommand{{\squaresize}}{{\fontsize{{{8 * cell / unit:.1f}}}{{{10 * cell / unit:.1f}}}\selectfont}}
\newlength{{\boardcell}}
\setlength{{\boardcell}}{{{cell:.2f}bp}}
\newlength{{\placewidth}}
\setlength{{\placewidth}}{{{form.column:.2f}bp}}
\newlength{{\rowheight}}
\setlength{{\rowheight}}{{{row:.2f}bp}}
\newlength{{\titleheight}}
\setlength{{\titleheight}}{{{1.2 * size * lines:.1f}bp}}
\definecolor{{darksquare}}{{gray}}{{.79}}
\tikzset{{every picture/.style={{x=\boardcell,y=\boardcell}},
  black piece/.style={{fill=black,draw=white,line width=.033\boardcell}},
  white piece/.style={{fill=white,draw=black,line width=.033\boardcell}}}}
\newcommand{{\man}}[4]{{\path[#1] (#3,#4) circle[radius={svg.DISC / unit:.3f}];
  \draw[#2,line width=.033\boardcell] (#3,#4) circle[radius={svg.GROOVE / unit:.3f}];}}
\newcommand{{\king}}[4]{{\path[#1] (#3,#4) ++(0,{discs[0]}) circle[radius={svg.DISC / unit:.3f}];
  \path[#1] (#3,#4) ++(0,{discs[1]}) circle[radius={svg.DISC / unit:.3f}];
  \fill[#2,shift={{(#3,#4)}}] {crown}--cycle;}}
\newcommand{{\blackman}}[2]{{\man{{black piece}}{{gray}}{{#1}}{{#2}}}}
\newcommand{{\whiteman}}[2]{{\man{{white piece}}{{gray}}{{#1}}{{#2}}}}
\newcommand{{\blackking}}[2]{{\king{{black piece}}{{white}}{{#1}}{{#2}}}}
\newcommand{{\whiteking}}[2]{{\king{{white piece}}{{black}}{{#1}}{{#2}}}}
\newsavebox{{\emptyboard}}
\newcommand{{\problem}}[3]{{\begin{{minipage}}[t][\rowheight][t]{{\placewidth}}\centering\problemsize
  \parbox[t][\titleheight][b]{{\placewidth}}{{\centering #1}}\par\vspace{{2bp}}%
  \begin{{tikzpicture}}
    \node[inner sep=0pt,outer sep=0pt,anchor=south west] at ({-edge:.3f},{-edge:.3f}) {{\usebox{{\emptyboard}}}};
    #2
  \end{{tikzpicture}}\par\vspace{{1bp}}#3\end{{minipage}}}}
\newcommand{{\emptyplace}}{{\begin{{minipage}}[t]{{\placewidth}}\strut\end{{minipage}}}}
\newcommand{{\solution}}[2]{{\textbf{{#1}}\\*#2\par\vspace{{3bp}}}}
\begin{{document}}
{head}
\sbox{{\emptyboard}}{{\begin{{tikzpicture}}
\fill[black] ({-edge:.3f},{-edge:.3f}) rectangle ({8 + edge:.3f},{8 + edge:.3f});
\fill[white] (0,0) rectangle (8,8);
{squares}{names if settings.numbers else ""}\end{{tikzpicture}}}}%
"""
