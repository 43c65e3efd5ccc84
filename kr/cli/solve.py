"""`kr solve-problem`."""

from collections.abc import Sequence
from typing import Any

from kr.cli import console, options
from kr.lab.problems import Count, Solution, SolveSettings, load, solve_all, summary

SHOWN_MOVES = 8
"""Moves of a principal variation in the table of a set; --json has all."""


def run(settings: SolveSettings, json: options.Json = False) -> None:
    """Solve classic positions, or yours, and say whether the answers agree with what is published.

    Without a name: the built-in set. A published win counts as solved when the score is clearly winning and the move
    keeps the win, a draw when the score is near zero, a loss when it is clearly losing.

    Example:
        kr solve-problem
        kr solve-problem 'hundred years' --tc 1s --multipv 3
        kr solve-problem 'W:W21,K30:B1,2' --tc depth=15
        kr solve-problem problems.jsonl --tc 1s --concurrency 2 --json
    """
    problems = load(settings.source)
    agreed = 0
    with console.progress("solving", len(problems), "problems") as progress:

        def found(solution: Solution) -> None:
            nonlocal agreed
            agreed += bool(solution.agrees)
            progress.advance(1, f"{agreed} solved")

        solutions = solve_all(problems, settings, found)
    if json:
        console.emit_json(
            {"settings": settings, "problems": list(map(_object, solutions)), "summary": _shares(summary(solutions))}
        )
    elif len(solutions) == 1:
        print(_details(solutions[0]))
    else:
        print(f"{_table(solutions)}\n\n{_score_line(summary(solutions))}")


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
        "lines": solution.lines,
    }


def _shares(counts: dict[str, Count]) -> dict[str, Any]:
    return {
        kind: {"solved": each.solved, "problems": each.problems, "share": each.share} for kind, each in counts.items()
    }


def _details(solution: Solution) -> str:
    """Board and answer of one position, a fact a line."""
    problem = solution.problem
    facts = [
        ("problem", ", ".join(filter(None, (problem.title or problem.id, problem.author)))),
        ("source", problem.source),
        ("published", problem.published and f"{problem.published} ({problem.result})"),
        ("solution", problem.solution),
        ("key move", solution.move or "none: no move is left"),
        ("verdict", f"{solution.verdict}, score {solution.score}{', proved' * solution.proved}"),
        ("searched", f"depth {solution.depth}, {solution.nodes} nodes, {_probes(solution)}{solution.time:.2f} s"),
        ("agrees", _agreement(solution)),
    ]
    lines = [f"{line.score:+6}  {line.pv}" for line in solution.lines]
    shown = [f"{name + ':':<10} {text}" for name, text in facts if text]
    return "\n".join([problem.position.diagram(), problem.position.fen, "", *shown, *lines])


def _probes(solution: Solution) -> str:
    return f"{solution.probes} endgame probes, " if solution.probes else ""


def _agreement(solution: Solution) -> str:
    if solution.agrees is None:
        return ""
    return "yes" if solution.agrees else f"no: {solution.because}"


def _table(solutions: Sequence[Solution]) -> str:
    columns = ["problem", "published", "verdict", "score", "move", "depth", "nodes", "seconds", "agrees", "line"]
    rows = [
        (
            solution.problem.title or solution.problem.id,
            solution.problem.published,
            f"{solution.verdict}{', proved' * solution.proved}",
            solution.score,
            solution.move,
            solution.depth,
            solution.nodes,
            round(solution.time, 2),
            "" if solution.agrees is None else "yes" if solution.agrees else "NO",
            _beginning(solution.pv),
        )
        for solution in solutions
    ]
    return console.table(columns, rows)


def _beginning(pv: str) -> str:
    moves = pv.split()
    return " ".join(moves[:SHOWN_MOVES]) + (" ..." if len(moves) > SHOWN_MOVES else "")


def _score_line(counts: dict[str, Count]) -> str:
    total = counts["all"]
    if not total.problems:
        return "no published results to compare with"
    kinds = ", ".join(
        f"{kind} {each.solved} of {each.problems}" for kind, each in counts.items() if kind != "all" and each.problems
    )
    return f"solved {total.solved} of {total.problems}, {total.share:.1%} ({kinds})"


command = options.command(SolveSettings, run)
