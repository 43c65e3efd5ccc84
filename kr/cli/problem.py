"""`kr problem`."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from kr.archives.archive import output
from kr.cli import console, options, problem_print
from kr.cli.problem_find import find_command
from kr.cli.problem_vary import vary_command
from kr.jobs.progress import Progress
from kr.pdn import write_game
from kr.problems.solutions import tree_text
from kr.problems.soundness import ProblemVerdict
from kr.problems.soundness_files import (
    CheckSettings,
    ProblemRecord,
    check_problems,
    game_of,
    refutation_words,
    verdict_words,
)
from kr.problems.soundness_page import soundness_page
from kr.problems.stars import StarRecord, StarSettings, check_stars
from kr.proofs.certificate import NOT_COVERED
from kr.settings import option
from kr.storage import check_apart
from kr.text import visible
from kr.units import counted


@options.command
def _check(
    settings: CheckSettings,
    pdn: Path | None = option(
        None, "Write the problems with their lines, other ways and verdicts to this PDN file.", metavar="FILE"
    ),
    html: Path | None = option(
        None, "Write one page with a board for each problem to this file, for any browser.", metavar="FILE"
    ),
    json: bool = options.JSON,
) -> None:
    """Check whether problems are sound, all by proof: the database, or certificates as those of kr prove.

    sound: the published result is proved, or without one the value; one move, the key, keeps it; and at each later move
    of the solver in the solution there is one way until the result is plain.
    cook: another key keeps it too. dual: there is a second way at a later move. unsound: the published result, or the
    solution, is refuted. undecided: the limits left something open that these rest on.

    A win is plain once the winner is two pieces ahead and neither side could capture, if it were to move; a draw once
    neither could capture, only kings are left, and the solver has no fewer, or a position comes again. Second ways that
    come after that, or that transpose (within five plies, whatever the opponent replies, they lead to a position that
    the solution's move leads to as well), are not duals, for contests differ about them; --strict counts both.

    The solver is the side that wins, or in a draw the side to move. Where the side to move loses there is no key: the
    solver's moves are those of the line. Where the published solution ends, the main line goes on with the hardest
    defence: the longest by the database, or else the move of a search. Draws by rule are not covered.

    --json prints an object for each problem, in order, then the counts. Problems that can't be read are told and left
    out; the exit code is then 1.

    Example:
        kr problem check problems.pdn
        kr problem check problems.jsonl --tc 1m --out verdicts.jsonl
        kr problem check problems.pdn --html checked.html --proofs refuted
        kr problem check "W:W21,K30:B1,2" --all --pdn solution.pdn
    """
    check_apart((settings.out, pdn, html), [settings.source])
    left_out = console.LeftOut("problem")
    records = _Records(json)
    with ExitStack() as stack:
        progress = stack.enter_context(console.work("checking", None, "problems", settings.out is not None))
        if pdn is not None:
            records.writers.append(_game_writer(stack.enter_context(output(pdn))))
        if html is not None:
            records.writers.append(stack.enter_context(soundness_page(html, settings)))

        def on_record(record: ProblemRecord, earlier: bool) -> None:
            progress.take(earlier)
            records.take(record)

        counts = check_problems(settings, on_record, left_out.hear)
    total = sum(counts.values())
    for path in filter(None, (settings.out, pdn, html)):
        console.wrote(path, counted(total, "problem"))
    if settings.proofs is not None:
        console.wrote(settings.proofs, counted(records.certificates, "certificate"))
    if json:
        console.emit_json({"settings": settings, "problems": total, **_counts(progress, left_out), **counts})
    else:
        records.put(counts)
    left_out.end()


def _counts(progress: Progress, left_out: console.LeftOut) -> dict[str, int]:
    return {"resumed": int(progress.earlier), "left_out": left_out.count}


def _game_writer(file: IO[str]) -> Callable[[ProblemRecord], object]:
    return lambda record: file.write(f"{write_game(game_of(record))}\n")


class _Records:
    """Records as they come: for the writers of files, and as JSON or for what is printed at the end."""

    def __init__(self, json: bool) -> None:
        self.writers: list[Callable[[ProblemRecord], object]] = []
        self.certificates = 0
        self._json = json
        self._rows: list[tuple[str, str, str, str]] = []
        self._first: ProblemRecord | None = None

    def take(self, record: ProblemRecord) -> None:
        """Hand a record on."""
        self.certificates += record["certificate"] is not None
        for write in self.writers:
            write(record)
        if self._json:
            console.emit_json(record)
        else:
            self._first = self._first or record
            self._rows.append(_row(record))

    def put(self, counts: dict[ProblemVerdict, int]) -> None:
        """Print all about one problem, or a table of several."""
        if len(self._rows) == 1 and self._first is not None:
            console.put(_facts(self._first))
        elif self._rows:
            console.put(console.table(["problem", "published", "verdict", "because"], self._rows))
            console.put(f"\n{_summary(counts)}")


def _row(record: ProblemRecord) -> tuple[str, str, str, str]:
    return visible(record["title"] or record["id"]), record["published"] or "", verdict_words(record), record["reason"]


def _summary(counts: dict[ProblemVerdict, int]) -> str:
    numbers = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return f"{counted(sum(counts.values()), 'problem')}: {numbers}"


def _facts(record: ProblemRecord) -> str:
    """All about one problem."""
    steps = [
        (f"move {step['number']}", f"{step['played']['move']} ({_told(step)})")
        for step in record["steps"] if not step["plain"]
    ]  # fmt: skip
    ended = {
        "plain": "; here the result is plain", "repeated": "; here a position comes again", "over": "; the end",
    }.get(record["ended"], "")  # fmt: skip
    facts = [
        ("problem", visible(record["title"] or record["id"])),
        ("position", record["fen"]),
        ("published", record["published"] or ""),
        ("verdict", f"{verdict_words(record)}: {record['reason']}"),
        ("value", f"{record['value']} for the side to move, by {record['by']}" if record["value"] else ""),
        ("refutation", visible(refutation_words(record))),
        ("keys", ", ".join(f"{way['move']} ({way['by']})" for way in record["keys"])),
        ("line", " ".join(record["line"]) + ended if record["line"] else ""),
        *steps,
        *(("note", visible(note)) for note in record["notes"]),
        ("searched", f"{counted(record['nodes'], 'node')}, {record['seconds']:.2f} s"),
        ("not covered", NOT_COVERED),
    ]
    return console.facts(facts) + (f"\n\n{tree_text(record['tree'])}" if record["tree"] else "")


def _told(step: ProblemRecord) -> str:
    """What is known of the other moves at a step."""
    marks = {True: ", which transposes", False: ""}
    keeping = [way["move"] + marks[way["transposes"]] for way in step["others"] if way["keeps"]]
    unsettled = [way["move"] for way in step["others"] if way["keeps"] is None]
    parts = [f"also {'; '.join(keeping)}"] if keeping else []
    parts += [f"open: {', '.join(unsettled)}"] if unsettled else []
    if not step["others"]:
        return "forced"
    return "; ".join(parts) if parts else "the only way"


@options.command
def _stars(settings: StarSettings, json: bool = options.JSON) -> None:
    """Check moves printed with a star, such as 18-15*: whether each is the only one that keeps the value, by proof.

    right: every other move is worse. wrong: another one is as good, or the move itself throws the value away.
    undecided: the limits left it open. Main lines and variations are read, and comments: one that is nothing but a
    star, and a move among the words that a star touches, if it is legal at one place of the line there (stars between
    blanks are not read). Draws by rule are not covered. --json prints an object for each star, then the counts. Games
    that can't be read are told and left out; the exit code is then 1.

    Example:
        kr problem stars book.pdn
        kr problem stars book.pdn.xz --tc 1m --workers 2 --out stars.jsonl
    """
    check_apart([settings.out], [settings.file])
    rows: list[tuple[Any, ...]] = []
    left_out = console.LeftOut("game")
    with console.work("checking", None, "stars", settings.out is not None) as progress:

        def on_record(record: StarRecord, earlier: bool) -> None:
            progress.take(earlier)
            if json:
                console.emit_json(record)
            else:
                where = "comment" if record["comment"] else "variation" if record["variation"] else ""
                move = f"{record['number']} {record['move']}{f' ({where})' if where else ''}"
                rows.append((record["game"], visible(record["event"]), move, record["verdict"], record["reason"]))

        report = check_stars(settings, on_record, left_out.hear)
    counts, total = report.counts, sum(report.counts.values())
    if settings.out is not None:
        console.wrote(settings.out, counted(total, "star"))
    if report.unreadable:
        console.say(f"{counted(report.unreadable, 'star')} in comments left out: at no legal move, or at two")
    if json:
        summary = {"settings": settings, "stars": total, **_counts(progress, left_out), "unreadable": report.unreadable}
        console.emit_json(summary | counts)
    else:
        console.put(console.table(["game", "event", "move", "star", "because"], rows))
        each = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        console.put(f"\n{counted(total, 'star')}: {each}")
    left_out.end()


command = options.group(
    """Check problems by proof: whether they are sound, and whether stars are right; find, vary and print them.

    Example:
        kr problem check problems.pdn --tc 10s
        kr problem stars book.pdn
        kr problem find archive.pdn.xz --out puzzles.jsonl
        kr problem vary "W:W18,K23,26:B10,12,K28"
        kr problem print puzzles.jsonl --out sheet.html
    """,
    {"check": _check, "stars": _stars, "find": find_command, "vary": vary_command, "print": problem_print.command},
)
