"""A match of more than two players as a page shows it: the cross table, pairs of games, Elo over time."""

from __future__ import annotations

from collections.abc import Sequence

from kr.language.sentences import Figure, Told, sentence
from kr.match.crosstable import LETTERS, CrossTable, Standing
from kr.match.ratings import ratings
from kr.web.runs.kinds import Json, chart, line, share

PAIR_POINTS = ("0", "½", "1", "1½", "2")
MOST_RATINGS = 40
"""Points of a line of Elo."""


def several_tables(names: Sequence[str], table: CrossTable) -> list[Json]:
    """The cross table, strongest player first, and the pairs of each pairing by its first player's points."""
    standings = table.standings()
    head = ["runs.player", "label.elo", "runs.los", "runs.points_scored", "runs.games", "runs.drawn_share"]
    rows: list[list[Told | None]] = []
    for each in standings:
        is_known = each.error < float("inf")
        rows.append([
            f"{LETTERS[each.number]}: {names[each.number]}",
            Figure(each.elo, 1, True, each.error) if is_known else None,
            share(each.superior) if is_known and each.superior is not None else None,
            Figure(each.points, 1),
            each.games,
            share(each.draws / each.games) if each.games else None,
            *(_score(each, other) for other in standings),
        ])  # fmt: skip
    letters = [LETTERS[each.number] for each in standings]
    pairs = [
        [f"{LETTERS[a]}-{LETTERS[b]}", *tally.pairs]
        for (a, b), tally in zip(table.pairings, table.tallies, strict=True)
    ]
    return [
        {"title": sentence("label.cross_table"), "head": [*map(sentence, head), *letters], "rows": rows},
        {"title": sentence("label.pairs"), "head": [sentence("label.players"), *PAIR_POINTS], "rows": pairs},
    ]


def _score(own: Standing, other: Standing) -> str | None:
    """Points for and against a player that another one has met."""
    results = own.results.get(other.number)
    if results is None or not sum(results):
        return None
    wins, draws, losses = results
    return f"{wins + draws / 2:g}-{losses + draws / 2:g}"


def several_chart(
    names: Sequence[str], pairings: Sequence[tuple[int, int]], outcomes: Sequence[tuple[int, int]]
) -> Json:
    """Elo of each player over the games. outcomes: pairing and half points of each complete pair, as they ended."""
    pairs = {sides: [0] * 5 for sides in pairings}
    points: list[list[tuple[float, float, float]]] = [[] for _ in names]
    every = max(1, len(outcomes) // MOST_RATINGS)
    for number, (pairing, outcome) in enumerate(outcomes, start=1):
        pairs[pairings[pairing]][outcome] += 1
        if number % every and number != len(outcomes):
            continue
        rated = ratings(len(names), pairs)
        for own, elo, error in zip(points, rated.elo, rated.errors, strict=True):
            own.append((2 * number, elo, error))
    # errors of many players would cover each other
    kind = "band" if len(names) < 4 else "line"
    lines = [line(name, own, kind, 2) for name, own in zip(names, points, strict=True)]
    return chart("label.elo_errors", "runs.games", "label.elo", lines)
