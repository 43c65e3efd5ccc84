"""Pages of `kr theory`, made from its data: an index, a page for each three-move ballot, or for the 11-man ballots of
each pair of removed men, and one of the best cooks.

All of it can be read without scripts: they add sorting, filters, and boards on which lines are played.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from kr import svg
from kr.book.shares import share_text
from kr.game.position import START_BLACK, START_WHITE, Position
from kr.notation import SIDE_NAMES, parse_square
from kr.openings.grades import GRADES, HARD_SCORE, ONE_SIDED_SCORE
from kr.openings.lines import names_by_board
from kr.pdn import Game, write_game
from kr.theory.graph import PROVED_SCORE
from kr.units import counted
from kr.viewer.assets import piece_symbols
from kr.viewer.templates import PageSources, page_sources, template_environment, template_text

if TYPE_CHECKING:
    import jinja2

GENERATOR = "kr theory"
"""What pages say of themselves, so that a later run knows them."""
INDEX_PAGE, COOKS_PAGE = "index.html", "cooks.html"
MOST_COOKS = 100
"""Cooks on their page: the best. The data has all."""
MOST_BALLOT_COOKS = 10
"""Cooks on the page of a ballot."""
_PACKAGE = "kr.ballots"
_REMOVED = re.compile(r"remove (\d+) and (\d+); (\S+) (\S+)")

BallotEntry = Mapping[str, Any]


def page_files(data: BallotEntry) -> list[str]:
    """Names of the pages of some data; the index comes last."""
    ballots = data["ballots"]
    if data["deck"] == "11man":
        names = list(dict.fromkeys(_group_file(*_removed(entry)[:2]) for entry in ballots))
    else:
        names = [ballot_file(entry["number"]) for entry in ballots]
    return [*names, COOKS_PAGE, INDEX_PAGE]


def ballot_file(number: int) -> str:
    """Name of the page of a three-move ballot."""
    return f"ballot-{number:03}.html"


def _group_file(black: int, white: int) -> str:
    return f"removed-{black}-{white}.html"


def _removed(entry: BallotEntry) -> tuple[int, int, str, str]:
    """Of an 11-man ballot the removed men, 1-32, and the two moves."""
    words = _REMOVED.fullmatch(entry["moves"])
    assert words is not None
    return int(words[1]), int(words[2]), words[3], words[4]


class TheoryPages:
    """The pages of some data. page: address of the page without a server."""

    def __init__(self, data: BallotEntry, page: str) -> None:
        self._data = data
        self._page = page
        self._ballots = {entry["number"]: entry for entry in data["ballots"]}
        self._cooks = {entry["fen"]: entry for entry in data["cooks"]}
        self._groups: dict[str, list[BallotEntry]] = defaultdict(list)
        if data["deck"] == "11man":
            for entry in data["ballots"]:
                self._groups[_group_file(*_removed(entry)[:2])].append(entry)
        self._shared = {
            "deck": data["deck"], "book": data["book"], "generator": GENERATOR, "evidence": evidence_words(data),
            "people": data["people"], "index": INDEX_PAGE, "cooks_page": COOKS_PAGE, "cooks_count": len(data["cooks"]),
        }  # fmt: skip

    def page(self, name: str) -> str:
        """The page of this name, one of `page_files`."""
        if name == COOKS_PAGE:
            return self._render("cooks.html", "problems.js", pieces=_markup(piece_symbols()), cooks=[
                self._shown_cook(cook) for cook in self._data["cooks"][:MOST_COOKS]
            ])  # fmt: skip
        if name == INDEX_PAGE:
            return self._index() if self._data["deck"] == "3move" else self._index_of_groups()
        if name in self._groups:
            return self._group(name)
        return self._ballot(int(name[len("ballot-") : -len(".html")]))

    def _render(self, template: str, script: str, **values: Any) -> str:
        environment = _environment()
        return environment.get_template(template).render(sources=_sources(script), **self._shared, **values) + "\n"

    # --- three-move ballots

    def _index(self) -> str:
        rows = [self._row(entry) for entry in self._data["ballots"]]
        tree: dict[str, dict[str, list[BallotEntry]]] = {}
        for row in rows:
            first, second, _ = row["moves"].split()
            tree.setdefault(first, {}).setdefault(second, []).append(row)
        named = {line.moves: line.name for line in names_by_board().values() if line.plies == 1}
        firsts = [
            {"move": first, "name": named.get(first, ""), "count": sum(map(len, replies.values())), "replies": replies}
            for first, replies in tree.items()
        ]
        return self._render(
            "ballots.html", "ballots.js", rows=rows, firsts=firsts, counts=_counts(self._data),
            in_book=sum(row["in_book"] for row in rows),
        )  # fmt: skip

    def _row(self, entry: BallotEntry) -> dict[str, Any]:
        """A ballot as a row of a table."""
        shown = value_words(entry)
        return {
            **entry, "file": ballot_file(entry["number"]), "value": shown, "sort": _sort_key(entry),
            "kind": "proved" if entry["bracket"]["words"] else "missing" if not entry["in_book"] else "not proved",
            "games": _games(entry), "link": self._link(entry),
        }  # fmt: skip

    def _ballot(self, number: int) -> str:
        entry = self._ballots[number]
        position = Position.from_fen(entry["fen"])
        values: dict[str, Any] = {"replies": [], "line": [], "cooks": [], "more_cooks": 0, "family": ""}
        if entry["in_book"]:
            plies = len(entry["moves"].split())
            names = {each["ply"]: each["name"] for each in entry["main_line"]["names"]}
            values = {
                "family": ", ".join(name for ply, name in names.items() if ply < plies),
                "replies": [self._reply(position, row, plies) for row in entry["replies"]],
                "line": shown_line(position, entry["main_line"]["moves"].split(), plies, names),
                "cooks": [
                    self._cook_of(position, each, plies) for each in entry["cooks"][:MOST_BALLOT_COOKS]
                ],
                "more_cooks": max(0, len(entry["cooks"]) - MOST_BALLOT_COOKS),
            }  # fmt: skip
        return self._render(
            "ballot.html", "problems.js", entry=entry, pieces=_markup(piece_symbols()),
            board=_markup(svg.board(position)), value=value_words(entry), sentence=value_sentence(entry),
            link=self._link(entry), before=self._neighbour(number - 1), after=self._neighbour(number + 1),
            record=entry["record"], **values,
        )  # fmt: skip

    def _neighbour(self, number: int) -> str:
        return ballot_file(number) if number in self._ballots else ""

    def _reply(self, position: Position, row: BallotEntry, plies: int) -> dict[str, Any]:
        """A move of a position as a row of a table."""
        after = position.play(row["move"])
        return {
            **row,
            "value": row["bracket"] or ("" if row["worth"] is None else men(row["worth"])),
            "shown": shown_line(position, [row["move"]], plies, {})[0] | {"number": ""},
            "shown_line": shown_line(after, row["line"].split(), plies + 1, {}),
            "rests_on": row["by"]
            or ", ".join(
                filter(None, (f"{_millions(row['nodes'])} nodes" if row["nodes"] else "", f"depth {row['depth']}"))
            ),
        }

    def _cook_of(self, position: Position, reference: BallotEntry, plies: int) -> dict[str, Any]:
        """A cook on the page of its ballot."""
        cook = self._cooks[reference["fen"]]
        return {"cook": cook, "words": cook_words(cook),
                "line": shown_line(position, reference["moves"].split(), plies, {})}  # fmt: skip

    # --- cooks

    def _shown_cook(self, cook: BallotEntry) -> dict[str, Any]:
        position, moves = Position.from_fen(cook["fen"]), cook["moves"].split()
        best, people_line = cook["best"]["line"].split(), cook["played"]["line"].split()
        return {
            **cook, "words": cook_words(cook), "board": _markup(svg.board(position)),
            "way": shown_line(Position(), moves, 0, {}),
            "best_line": shown_line(position, best, len(moves), {}),
            "played_line": shown_line(position, people_line, len(moves), {}),
            "files": [(number, ballot_file(number)) for number in cook["ballots"]]
            if self._data["deck"] == "3move" else [],
            "link": link_of(self._page, Position(), [*moves, *best], len(moves), f"Cook: {cook_words(cook)}"),
        }  # fmt: skip

    # --- 11-man ballots

    def _index_of_groups(self) -> str:
        cells: dict[int, dict[int, dict[str, Any]]] = defaultdict(dict)
        for name, entries in self._groups.items():
            black, white, *_ = _removed(entries[0])
            cells[black][white] = {"file": name, "ballots": len(entries), "grades": _grade_counts(entries)}
        whites = sorted({white for row in cells.values() for white in row})
        return self._render(
            "groups.html", "ballots.js", cells=cells, whites=whites, counts=_grade_counts(self._data["ballots"]),
            grades=self._data["grades"], one_sided=f"{ONE_SIDED_SCORE / 100:.2f}", hard=f"{HARD_SCORE / 100:.2f}",
            ballots=len(self._data["ballots"]),
        )  # fmt: skip

    def _group(self, name: str) -> str:
        entries = self._groups[name]
        black, white, *_ = _removed(entries[0])
        start = Position(
            START_BLACK & ~(1 << parse_square(str(black))), START_WHITE & ~(1 << parse_square(str(white)))
        )  # fmt: skip
        rows = []
        for entry in entries:
            *_, first, second = _removed(entry)
            rows.append({
                **entry, "first": first, "second": second, "value": value_words(entry) or _graded_value(entry),
                "sort": _sort_key(entry), "games": _games(entry), "link": self._link(entry),
                "ways": _ways(entry), "line": entry["main_line"]["moves"] if entry["in_book"] else "",
                "kind": entry["grade"]["grade"] if entry["grade"] else "not graded",
            })  # fmt: skip
        return self._render(
            "group.html", "ballots.js", black=black, white=white, rows=rows, board=_markup(svg.board(start)),
            firsts=list(dict.fromkeys(row["first"] for row in rows)), counts=_grade_counts(entries),
            has_lines=any(row["line"] for row in rows),
            grades=self._data["grades"],
        )  # fmt: skip

    def _link(self, entry: BallotEntry) -> str:
        """Address on which the page without a server opens a ballot with its main line."""
        title = f"Ballot {entry['number']}" + (f", {entry['name']}" if entry["name"] else "")
        line = entry["main_line"]["moves"].split() if entry["in_book"] else []
        if self._data["deck"] == "11man":
            return link_of(self._page, Position.from_fen(entry["fen"]), line, 0, f"11-man ballot {entry['number']}")
        moves = entry["moves"].split()
        return link_of(self._page, Position(), [*moves, *line], len(moves), title)


@cache
def _environment() -> jinja2.Environment:
    environment = template_environment(_PACKAGE)
    environment.filters["men"] = men
    environment.filters["share"] = _share
    environment.filters["people_share"] = _people_share
    environment.filters["people_games"] = _people_games
    environment.filters["number"] = lambda number: f"{number:,}"
    environment.filters["millions"] = _millions
    environment.globals["counted"] = counted
    return environment


@cache
def _sources(script: str) -> PageSources:
    styles = ("viewer.css", "screen.css") if script == "problems.js" else ("viewer.css",)
    return page_sources(script, styles, template_text(_PACKAGE, "ballots.css"))


def _markup(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)


# --- words


def men(score: int) -> str:
    """Centi-men as men with their sign: "+0.12"; "win" and "lost" of proved ones."""
    if abs(score) >= PROVED_SCORE:
        return "win" if score > 0 else "lost"
    return f"{score / 100:+.2f}".replace("-", "\N{MINUS SIGN}") if score else "0.00"


def _millions(nodes: int) -> str:
    """Nodes as "3.0 M" or "800"."""
    for unit, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if nodes >= unit:
            return f"{nodes / unit:.1f} {name}"
    return str(nodes)


def _people_share(part: int, whole: int, exact: bool) -> str:
    """Share of the games that a book knows of."""
    return _share(part, whole) if exact or not whole else share_text(part / whole)


def _people_games(games: int, exact: bool) -> str:
    """Number of games that a book knows of; a packed one knows the least."""
    return f"{games:,}" if exact or not games else f"{games:,}+"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else ""


def value_words(entry: BallotEntry) -> str:
    """The value of a ballot for its side to move: what is proved, or else a number; "" if the book does not have it."""
    return str(entry["bracket"]["words"]) or (men(entry["worth"]) if entry["in_book"] else "")


def value_sentence(entry: BallotEntry) -> str:
    """The value of a ballot with what it rests on, in one sentence."""
    bracket = entry["bracket"]
    if bracket["words"]:
        return f"Proved for {entry['to_move']}, who is to move: {bracket['words']}, by {bracket['by']}."
    if not entry["in_book"]:
        return "Not proved, and not in the book yet."
    below = entry["below"]["positions"]
    nodes = f"{_millions(entry['search']['nodes'])} nodes and " if entry["search"]["nodes"] else ""
    return (
        f"Not proved: {men(entry['worth'])} for {entry['to_move']}, who is to move, by {nodes}a book of "
        f"{counted(below, 'position')} below it."
    )


def cook_words(cook: BallotEntry) -> str:
    """A cook in one line: "18-15 beats 11-16 by 0.20"."""
    return f"{cook['best']['move']} beats {cook['played']['move']} by {cook['loss'] / 100:.2f}"


def evidence_words(data: BallotEntry) -> str:
    """What the values are, and what would be a proof."""
    nodes = data["book"]["nodes_of_a_search"]
    searches = f"searches of {_millions(nodes)} nodes" if isinstance(nodes, int) else "searches"
    if data["grades"]:
        searches += f", in grades of {data['grades']['limits']} for either side"
    return (
        f'Values without the word "proved" are evidence from {searches}, no proof: a proof is a certificate or a value '
        "of the endgame database that answers every move, as when Chinook's authors showed in 2007 that draughts is a "
        "draw."
    )


def _games(entry: BallotEntry) -> int | None:
    """People's games of a ballot; None if unknown."""
    return None if entry["record"] is None else entry["record"]["games"]


def _sort_key(entry: BallotEntry) -> int:
    """A number by which a column of values is sorted."""
    bracket, limit = entry["bracket"], PROVED_SCORE
    if bracket["words"]:
        return {"win": limit, "lost": -limit, "draw": 0, "at least a draw": 1, "at most a draw": -1}[bracket["words"]]
    if entry["in_book"]:
        return int(entry["worth"])
    return -2 * limit if not entry["grade"] else int(_graded_score(entry))


def _graded_score(entry: BallotEntry) -> int:
    grade = entry["grade"]
    return int(grade["mover"]["score"] if grade["other"] is None else -grade["other"]["score"])


def _graded_value(entry: BallotEntry) -> str:
    return men(_graded_score(entry)) if entry["grade"] else ""


def _ways(entry: BallotEntry) -> str:
    """Moves that hold for either side: "Black 3 of 7, White 1 of 6"."""
    if not entry["grade"]:
        return ""
    sides = entry["to_move"], SIDE_NAMES[1 - SIDE_NAMES.index(entry["to_move"])]
    searches = entry["grade"]["mover"], entry["grade"]["other"]
    return ", ".join(
        f"{side} {search['holding']} of {search['moves']}" for side, search in zip(sides, searches, strict=True)
        if search is not None
    )  # fmt: skip


def _grade_counts(entries: Iterable[BallotEntry]) -> dict[str, int]:
    """Ballots by grade, with "not graded" where there are some."""
    grades = [entry["grade"]["grade"] if entry["grade"] else "not graded" for entry in entries]
    return {name: grades.count(name) for name in (*GRADES, "not graded") if name in grades}


def _counts(data: BallotEntry) -> dict[str, int]:
    """Ballots by what is proved of them."""
    words = [entry["bracket"]["words"] or "not proved" for entry in data["ballots"]]
    return {name: words.count(name) for name in dict.fromkeys(sorted(words))}


def shown_line(position: Position, moves: Sequence[str], plies: int, names: Mapping[int, str]) -> list[dict[str, Any]]:
    """Moves that a reader can have on the board. plies: moves before them; names: of openings, by the number of moves
    before the position that has one."""
    shown: list[dict[str, Any]] = []
    for text in moves:
        move = position.parse_move(text)
        position = position.play(move)
        number = f"{plies // 2 + 1}." if plies % 2 == 0 else "" if shown else f"{plies // 2 + 1}..."
        plies += 1
        shown.append({
            "text": text, "number": number, "fen": position.fen, "name": names.get(plies, ""),
            "path": ",".join(str(square + 1) for square in move.path),
        })  # fmt: skip
    return shown


def link_of(page: str, start: Position, moves: Sequence[str], ply: int, event: str) -> str:
    """Address of a page that opens a game from `start` after `ply` of its moves: its PDN, deflated, as base64url."""
    text = write_game(Game({"Event": event}, start, moves))
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(text.encode()) + packer.flush()
    return f"{page}#analyse/g/{base64.urlsafe_b64encode(packed).decode().rstrip('=')}/{ply}"
