"""How much of people's games a book has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_graph import reached, searched, write_graph

from kr.cli import main
from kr.theory.coverage import CoverageSettings, book_coverage
from kr.theory.exporting import BookExportSettings, export_book
from kr.theory.people import PEOPLE_PLIES

GAMES = """[Event "one"]
1. 11-15 22-18 2. 15x22 25x18 3. 12-16 29-25 *

[Event "the same by another way, and set up"]
[FEN "W:W21-32:B1-10,12,15"]
1. 22-18 *

[Event "two"]
1. 11-15 22-18 2. 15x22 25x18 3. 8-11 *
"""


@pytest.mark.parametrize("packed", [False, True])
def test_what_of_games_a_book_has(tmp_path: Path, packed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """After ply 3 comes one position, twice; after ply 4 one, twice; after ply 5 one and no more moves in game two."""
    nodes = [
        searched(reached(""), {"11-15": 1}),
        searched(reached("11-15 22-18 15x22"), {"25x18": 1}),
        searched(reached("11-15 22-18 15x22 25x18 12-16"), {"29-25": 1}),
    ]
    path, archive = tmp_path / "book", tmp_path / "games.pdn"
    write_graph(path, nodes, {}, {"start": reached("")})
    archive.write_text(GAMES)
    if packed:
        export_book(BookExportSettings(book=path, out=tmp_path / "book.krb"))
        path = tmp_path / "book.krb"
    coverage = book_coverage(CoverageSettings(book=path, people=archive))
    rows = [(each.ply, each.occurrences, each.in_book) for each in coverage.plies]
    assert rows == [(3, 2, 2), (4, 2, 0), (5, 1, 1), *((ply, 0, 0) for ply in range(6, PEOPLE_PLIES))]
    assert (coverage.games, coverage.occurrences, coverage.in_book) == (2, 5, 3)
    assert (coverage.positions, coverage.different, coverage.different_in_book) == (3, 3, 2)
    assert main(["book", "coverage", str(path), str(archive), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["share"] == 0.6
    assert main(["book", "coverage", str(path), str(archive)]) == 0
    assert "60.0%" in capsys.readouterr().out
