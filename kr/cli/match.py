"""`kr match`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kr.cli import console, options
from kr.evaluation.files import FITTED
from kr.evaluation.kinds import SHIPPED
from kr.jobs.progress import Progress
from kr.match.machines import MatchWorker
from kr.match.match import play_match
from kr.match.result import MatchResult
from kr.match.settings import MatchSettings
from kr.units import counted, format_rate

NAME_COLUMNS = 16
"""Column at which the texts of the report begin."""


@options.command
def command(settings: MatchSettings, json: bool = options.JSON) -> None:
    """Play a match between two players and measure the Elo difference.

    Without players, fitted.h5, which `kr fit` writes by default, plays the shipped tables; without that file, these
    play the hand-built evaluation. Every opening is played twice with colours swapped; error bars are computed from
    these pairs. Draws by rule (threefold repetition, 80 plies without a capture or a man's move) end games even with
    --no-adjudicate.

    Example:
        kr match --ballot 11man --tc 20ms --games 1000 --pdn match.pdn
        kr match --tc 1m+0.5s --games 100
        kr match weights/new.h5 shipped --tc nodes=5000 --games 20k --sprt 0 5
        kr match "hub:kr hub" shipped --ballot 3move
    """
    if "a" not in options.explicit_parameters() and FITTED.exists():
        settings = replace(settings, a=str(FITTED), b=SHIPPED)
        console.say(f"players: {FITTED}, as kr fit wrote it, and {SHIPPED}")
    work = Progress("match", settings.games, "games")
    with console.live() as show:

        def update(result: MatchResult) -> None:
            # games of an earlier run arrive all at once and say nothing about the speed
            count = max(0, len(result.games) - int(work.count))
            if work.count:
                work.advance(count, note=f"Elo {elo(result.summary())}")
            else:
                work.skip(count)
            show(f"{match_report(result)}\n{work.status()}", str(work))

        def begin(result: MatchResult) -> None:
            for letter, player in zip("AB", result.descriptions, strict=True):
                console.say(console.fold(f"{letter}: {player}", 3))

        result = play_match(settings, update, begin)
        # clear the table: the result follows on stdout
        show("", "")
    if settings.pdn:
        if result.damaged:
            damaged = counted(result.damaged, "damaged game")
            console.say(f"{settings.pdn}: {damaged} removed at the start, to be played again")
        console.wrote(settings.pdn, counted(len(result.games), "game"))
    if json:
        console.emit_json(result.summary())
        if result.warning:
            console.say(f"warning: {result.warning}")
    else:
        console.put(match_report(result))
    if result.interrupted:
        more = "; run the same command to resume" if settings.pdn else ""
        console.fail(f"interrupted after {len(result.games)} of {counted(settings.games, 'game')}{more}")


def match_report(result: MatchResult) -> str:
    """The state of a match as text."""
    summary = result.summary()
    sides = (summary["a"], summary["b"])
    columns = ["", f"A {sides[0]['name']}", f"B {sides[1]['name']}"]
    rows = [
        ["mean depth", *(f"{side['mean_depth']:.1f}" for side in sides)],
        ["nodes/s", *(format_rate(side["nodes_per_second"]) for side in sides)],
        ["processor use", *(_share(side["processor_use"]) for side in sides)],
        ["time forfeits", *(str(side["time_forfeits"]) for side in sides)],
        ["failures", *(str(side["failures"]) for side in sides)],
    ]
    settings = result.settings
    pairs = ", ".join(
        f"{count} with {points} for A"
        for points, count in zip(("0", "1/2", "1", "1 1/2", "2"), summary["pentanomial"], strict=True)
        if count
    )
    lines = [
        ("games", f"{summary['games']} of {settings.games}, {settings.ballot}, {_limits(settings)}"),
        ("A wins", f"{summary['wins']}, draws {summary['draws']}, losses {summary['losses']}"),
        ("pairs", pairs or "none yet"),
        ("Elo", elo(summary)),
        ("normalized Elo", elo(summary, "normalized_elo")),
        ("LOS", f"{summary['los']:.1%}"),
    ]
    if test := summary["sprt"]:
        verdict = test["decision"] or "undecided"
        bounds = f"({test['lower']:.2f}, {test['upper']:.2f})"
        lines.append(("SPRT LLR", f"{test['llr']:.2f} {bounds} after {counted(test['pairs'], 'pair')}: {verdict}"))
    reasons = ", ".join(f"{reason} {count}" for reason, count in summary["reasons"].items())
    lines.append(("ended by", reasons or "-"))
    lines += [("last failure", f"{letter}: {side['last_failure']}") for letter, side in zip("AB", sides, strict=True)
              if side["last_failure"]]  # fmt: skip
    texts = [console.fold(f"{name:<{NAME_COLUMNS}}{text}", NAME_COLUMNS) for name, text in lines]
    if result.warning:
        texts.append(console.fold(f"warning: {result.warning}", 2))
    tables = [console.table(columns, rows)]
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


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _limits(settings: MatchSettings) -> str:
    return f"{settings.tc}" if settings.tc_b is None else f"A {settings.tc}, B {settings.tc_b}"
