"""The reports of `kr match`: of two players, and of several."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kr.cli import console
from kr.match.crosstable import LETTERS, CrossTable, Standing
from kr.match.machines import MatchWorker
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.match.tournament import Tournament
from kr.units import counted, format_rate

NAME_COLUMNS = 16
"""Column at which the texts of the report begin."""


def match_report(result: MatchResult) -> str:
    """The state of a match as text."""
    summary = result.summary()
    sides = (summary["a"], summary["b"])
    columns = ["", f"A {sides[0]['name']}", f"B {sides[1]['name']}"]
    settings = result.settings
    lines = [
        ("games", f"{summary['games']} of {settings.games}, {settings.ballot}, {_limits(settings)}"),
        ("A wins", f"{summary['wins']}, draws {summary['draws']}, losses {summary['losses']}"),
        ("pairs", _pairs(summary["pentanomial"], "A")),
        ("Elo", elo(summary)),
        ("normalized Elo", elo(summary, "normalized_elo")),
        ("LOS", f"{summary['los']:.1%}"),
    ]
    if test := summary["sprt"]:
        verdict = test["decision"] or "undecided"
        bounds = f"({test['lower']:.2f}, {test['upper']:.2f})"
        text = f"{test['llr']:.2f} {bounds} after {counted(test['pairs'], 'pair')}: {verdict}"
        lines.append(("SPRT LLR", text + ", by normalized Elo" * settings.normalized))
    reasons = ", ".join(f"{reason} {count}" for reason, count in summary["reasons"].items())
    lines.append(("ended by", reasons or "-"))
    lines += [("last failure", f"{letter}: {side['last_failure']}") for letter, side in zip("AB", sides, strict=True)
              if side["last_failure"]]  # fmt: skip
    texts = [console.fold(f"{name:<{NAME_COLUMNS}}{text}", NAME_COLUMNS) for name, text in lines]
    if result.warning:
        texts.append(console.fold(f"warning: {result.warning}", 2))
    tables = [console.table(columns, _efforts(sides))]
    if workers := summary["workers"]:
        tables += ["", _workers(workers, summary["set_aside"])]
    return "\n".join([*texts, *tables])


def _workers(workers: Sequence[MatchWorker], set_aside: int) -> str:
    """The workers of a cluster, and the games that do not count."""
    rows = [
        [
            each.name,
            str(each.games),
            *map(format_rate, each.nodes_per_second),
            *map(console.ratio, (each.speed, each.residual)),
        ]
        for each in workers
    ]
    head = ["worker", "games", "A nodes/s", "B nodes/s", "speed", "residual"]
    notes = [console.fold(f"{each.name} is left: {each.suspect}", 2) for each in workers if each.suspect]
    if set_aside:
        notes.append(f"{counted(set_aside, 'game')} set aside")
    return "\n".join([console.table(head, rows), *notes])


def elo(summary: Mapping[str, Any], name: str = "elo") -> str:
    """Elo with its 95% error; no number until the first pair is complete."""
    error = summary[f"{name}_error"]
    return f"{summary[name]:+.1f} ± {error:.1f}" if math.isfinite(error) else "unknown until a pair is complete"


def _pairs(pentanomial: Sequence[int], player: str) -> str:
    """Complete pairs by a player's points."""
    points = zip(pentanomial, ("0", "1/2", "1", "1 1/2", "2"), strict=True)
    return ", ".join(f"{count} with {each} for {player}" for count, each in points if count) or "none yet"


def _efforts(players: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Rows of a table with a column for each player."""
    return [
        ["mean depth", *(f"{each['mean_depth']:.1f}" for each in players)],
        ["nodes/s", *(format_rate(each["nodes_per_second"]) for each in players)],
        ["processor use", *(_share(each["processor_use"]) for each in players)],
        ["time forfeits", *(str(each["time_forfeits"]) for each in players)],
        ["failures", *(str(each["failures"]) for each in players)],
    ]


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _limits(settings: MatchSettings) -> str:
    return f"{settings.tc}" if settings.tc_b is None else f"A {settings.tc}, B {settings.tc_b}"


def tournament_report(result: Tournament) -> str:
    """The state of a match of several players as text."""
    settings, table = result.settings, result.table()
    standings = table.standings()
    wanted = settings.games * len(result.pairings)
    kind = f"gauntlet of {result.names[0]}" if settings.gauntlet else f"round robin of {len(result.names)}"
    lines = [("games", f"{result.games} of {wanted}, {kind}, {settings.ballot}, {settings.tc}")]
    lines += [
        ("last failure", f"{LETTERS[number]}: {failure}")
        for number in range(len(result.names))
        if (failure := result.last_failure(number))
    ]
    texts = [console.fold(f"{name:<{NAME_COLUMNS}}{text}", NAME_COLUMNS) for name, text in lines]
    if result.warning:
        texts.append(console.fold(f"warning: {result.warning}", 2))
    summary = result.summary()
    efforts = console.table(["", *(LETTERS[each.number] for each in standings)], _efforts(summary["players"]))
    parts = [_cross_table(result, standings), _pairings(table), efforts]
    if workers := summary["workers"]:
        notes = [f"{name} is left: {reason}" for name, reason in result.review().items()]
        games = ", ".join(f"{name} {count}" for name, count in workers.items())
        parts.append("\n".join(console.fold(text, 2) for text in (f"games by worker: {games}", *notes)))
    return "\n\n".join(["\n".join(texts), *parts])


def _cross_table(result: Tournament, standings: list[Standing]) -> str:
    """Players by strength, each with its points against each other one."""
    head = ["", "player", "Elo", "LOS", "points", "games", "draws", *(LETTERS[each.number] for each in standings)]
    rows = []
    for each in standings:
        known = math.isfinite(each.error)
        rows.append([
            LETTERS[each.number],
            result.names[each.number],
            f"{each.elo:+.1f} ± {each.error:.1f}" if known else "-",
            "-" if each.superior is None or not known else f"{each.superior:.1%}",
            f"{each.points:g}",
            str(each.games),
            f"{each.draws / each.games:.0%}" if each.games else "-",
            *(_score(each.results.get(other.number)) for other in standings),
        ])  # fmt: skip
    return console.table(head, rows)


def _score(results: tuple[int, int, int] | None) -> str:
    """Points against an opponent, of the games there were."""
    if results is None or not sum(results):
        return "-"
    wins, draws, losses = results
    return f"{wins + draws / 2:g}-{losses + draws / 2:g}"


def _pairings(table: CrossTable) -> str:
    head = ["pairing", "wins", "draws", "losses", "pairs"]
    rows = []
    for (a, b), tally in zip(table.pairings, table.tallies, strict=True):
        first, second = LETTERS[a], LETTERS[b]
        results = [str(tally.points[points]) for points in (2, 1, 0)]
        rows.append([f"{first}-{second}", *results, _pairs(tally.pairs, first)])
    return console.table(head, rows)
