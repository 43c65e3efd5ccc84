"""`kr solve-problem`."""

from collections.abc import Sequence
from typing import Any

from kr.cli import console, options
from kr.engine import Limits
from kr.errors import KrError
from kr.lab.problems import VALUES, Problem, load
from kr.lab.solving import Count, Solution, SolveSettings, solve_all, summary

SHOWN_MOVES = 8
"""Moves of a principal variation in the table of a set; --json has all."""


def run(settings: SolveSettings, json: options.Json = False) -> None:
    """Solve classic positions, or yours, and say whether the answers agree with what is published.

    Without a name: the built-in set. The verdict is what is proved, or else the likeliest result by the score. A
    problem counts as solved when it is the published one and the move keeps it. With several limits each has a search
    of its own. "move from" and "agrees from" are the times in the search after which a right move, and with it
    the right verdict, was held to the end. "key moves" counts moves alone, where those that keep the result are known.
    A problem of a file that can't be read is reported and left out; the exit code is 1 then.

    Example:
        kr solve-problem
        kr solve-problem 'hundred years' --tc 1s --multipv 3
        kr solve-problem 'W:W21,K30:B1,2' --tc depth=15
        kr solve-problem 'W:W21,K30:B1,2' --tc 1m --threads 8
        kr solve-problem problems.jsonl --tc 0.1s --tc 1s --tc 5s --concurrency 2 --out answers.jsonl
    """
    errors: list[KrError] = []
    problems = load(settings.source, errors)
    for error in errors:
        console.say_error(error, 1)
    agreed = 0
    with console.progress("solving", len(problems) * len(settings.tc), "problems") as progress:

        def found(solution: Solution) -> None:
            nonlocal agreed
            agreed += bool(solution.agrees)
            progress.advance(1, f"{agreed} solved")

        solutions = solve_all(problems, settings, found)
    counts = {limits: summary(each for each in solutions if each.limits == limits) for limits in settings.tc}
    if json:
        shares = {str(limits): _shares(count) for limits, count in counts.items()}
        console.emit_json({"settings": settings, "problems": list(map(_object, solutions)), "summary": shares})
    elif len(problems) == 1:
        print("\n\n".join([_facts(problems[0]), *map(_answer, solutions)]))
    else:
        print("\n\n".join([_table(solutions), "\n".join(_score_line(*each) for each in counts.items())]))
    if errors:
        console.fail(f"{len(errors)} {'problem was' if len(errors) == 1 else 'problems were'} left out")


def _object(solution: Solution) -> dict[str, Any]:
    problem = solution.problem
    return {
        "id": problem.id,
        "title": problem.title,
        "author": problem.author,
        "source": problem.source,
        "fen": problem.position.fen,
        "result": problem.result or None,
        "published": problem.published or None,
        "limits": str(solution.limits),
        "move": solution.move or None,
        "verdict": solution.verdict,
        "score": solution.score,
        "proved": solution.proved,
        "pv": solution.pv,
        "depth": solution.depth,
        "nodes": solution.nodes,
        "probes": solution.probes,
        "time": solution.time,
        "agrees": solution.agrees,
        "because": solution.because or None,
        "move_from": solution.move_from,
        "agrees_from": solution.agrees_from,
        "key_move": solution.key_move,
        "lines": solution.lines,
    }


def _shares(counts: dict[str, Count]) -> dict[str, Any]:
    return {
        kind: {"solved": each.solved, "problems": each.problems, "share": each.share} for kind, each in counts.items()
    }


def _facts(problem: Problem) -> str:
    """The board, and what is published, a fact a line."""
    facts = [
        ("problem", ", ".join(filter(None, (problem.title or problem.id, problem.author)))),
        ("source", problem.source),
        ("published", problem.published and f"{problem.published} ({problem.result})"),
        ("solution", problem.solution),
    ]
    return "\n".join([problem.position.diagram(), problem.position.fen, "", *_shown(facts)])


def _answer(solution: Solution) -> str:
    """What one search found, a fact a line."""
    facts = [
        ("limit", str(solution.limits)),
        ("key move", (solution.move or "none: no move is left") + _from(solution.move_from)),
        ("verdict", f"{solution.verdict}, score {solution.score}{', proved' * solution.proved}"),
        ("searched", f"depth {solution.depth}, {solution.nodes} nodes, {_probes(solution)}{solution.time:.2f} s"),
        ("agrees", _agreement(solution)),
    ]
    return "\n".join([*_shown(facts), *(f"{line.score:+6}  {line.pv}" for line in solution.lines)])


def _shown(facts: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{name + ':':<10} {text}" for name, text in facts if text]


def _from(seconds: float | None) -> str:
    return "" if seconds is None else f", held from {seconds:.2f} s on"


def _probes(solution: Solution) -> str:
    return f"{solution.probes} endgame probes, " if solution.probes else ""


def _agreement(solution: Solution) -> str:
    if solution.agrees is None:
        return ""
    return f"yes{_from(solution.agrees_from)}" if solution.agrees else f"no: {solution.because}"


def _table(solutions: Sequence[Solution]) -> str:
    columns = [
        "problem", "published", "limit", "verdict", "score", "move", "depth", "nodes", "seconds", "agrees", "move from",
        "agrees from", "line",
    ]  # fmt: skip
    rows = [
        (
            solution.problem.title or solution.problem.id,
            solution.problem.published,
            str(solution.limits),
            f"{solution.verdict}{', proved' * solution.proved}",
            solution.score,
            solution.move,
            solution.depth,
            solution.nodes,
            round(solution.time, 2),
            "" if solution.agrees is None else "yes" if solution.agrees else "NO",
            *(None if since is None else f"{since:.2f}" for since in (solution.move_from, solution.agrees_from)),
            _beginning(solution.pv),
        )
        for solution in solutions
    ]
    return console.table(columns, rows)


def _beginning(pv: str) -> str:
    moves = pv.split()
    return " ".join(moves[:SHOWN_MOVES]) + (" ..." if len(moves) > SHOWN_MOVES else "")


def _score_line(limits: Limits, counts: dict[str, Count]) -> str:
    total = counts["all"]
    if not total.problems:
        return "no published results to compare with"
    kinds = [*VALUES, "key moves"]
    shown = [f"{kind} {counts[kind].solved} of {counts[kind].problems}" for kind in kinds if counts[kind].problems]
    line = f"solved {total.solved} of {total.problems} at {limits}, {total.share:.1%} ({', '.join(shown)})"
    disproved = counts["disproved"]
    if disproved.solved:
        line += f"; of the other {disproved.problems}, {disproved.solved} proved to end otherwise than published"
    return line


command = options.command(SolveSettings, run)
