"""`kr solve-problem`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from kr.cli import boards, console, options
from kr.engine.engine import engine_from
from kr.engine.limits import Limits
from kr.errors import InvalidPolicyError, KrError
from kr.evaluation.chances import format_score
from kr.game.value import Value
from kr.notation import SIDE_NAMES
from kr.pdn import Results
from kr.policy.policy import load_policy
from kr.problems.natural import NaturalMistake, natural_mistake
from kr.problems.problem import Problem, load_problems, other_meaning
from kr.problems.solving import Count, Solution, SolveSettings, count_solved, solve_all, starved
from kr.proofs.known import CERTIFICATE_WORD
from kr.text import visible
from kr.units import counted, format_value


@options.command
def command(settings: SolveSettings, json: bool = options.JSON) -> None:
    """Solve classic problems, or your own, and compare the answers with the published ones.

    Without a name, the built-in set is solved. A verdict is "proved" (by the rules, the endgame database or a line seen
    to its end, or a certificate of --proofs), or "likely" with the share of such verdicts that come true in positions
    of any origin, or "unclear". It rests on two searches, of the position and after its best move. A problem is solved,
    by a proved or a likely verdict, if that is the published one and the move keeps it. With --composed what is likely
    of composed problems, whose authors have something to show, comes beside it. Each limit has its own searches. A
    warning says if other work took the processor while searches had a time limit.
    Scores are in centi-men for the side to move. "held from" is the time from which the search held a right move, or a
    right move and verdict, to its end. "key moves" counts right moves alone, in problems whose right moves are known.
    Of one problem "but not" tells why a natural first move fails: of the wrong moves the one that people most likely
    play, where the database or the published solution says that it is wrong, and its line shows why.
    With several problems, only --json shows lines, depths, nodes and times. Problems that can't be read are reported
    and left out; the exit code is then 1.

    Example:
        kr solve-problem
        kr solve-problem "hundred years" --tc 1s --multipv 3
        kr solve-problem "W:W21,K30:B1,2" --tc depth=15
        kr solve-problem "W:W21,K30:B1,2" --tc 1m --threads 8
        kr solve-problem first-position --proofs certificates
        kr solve-problem problems.jsonl --tc 0.1s --tc 1s --out answers.jsonl
    """
    errors: list[KrError] = []
    problems = load_problems(settings.source, errors, cast(Results, settings.results))
    for error in errors:
        console.say_error(error, 1)
    agreed = 0
    resumes = settings.out is not None
    with console.work("solving", len(problems) * len(settings.tc), "problems", resumes) as progress:

        def on_solution(solution: Solution, earlier: bool) -> None:
            nonlocal agreed
            agreed += bool(solution.agrees)
            progress.take(earlier)
            progress.note = f"{agreed} solved"

        solutions = solve_all(problems, settings, on_solution)
    if doubt := other_meaning(settings.source, settings.results):
        solutions = [_with_doubt(each, doubt) for each in solutions]
    counts = {limits: count_solved(each for each in solutions if each.limits == limits) for limits in settings.tc}
    for limits in settings.tc:
        _warn(limits, starved(each for each in solutions if each.limits == limits))
    if settings.out:
        console.wrote(settings.out, counted(len(solutions), "answer"))
    natural = _natural(problems[0], settings) if len(problems) == 1 else None
    if json:
        objects = [_object(each) | {"natural": _natural_object(natural)} for each in solutions]
        shares = {str(limits): _shares(count) for limits, count in counts.items()}
        console.emit_json({"settings": settings, "problems": objects, "summary": shares})
    elif len(problems) == 1:
        boards.show(problems[0].position)
        console.put("\n\n".join([_facts(problems[0], natural), *map(_answer, solutions)]))
    else:
        score_lines = [console.fold(_score_line(*each), 2) for each in counts.items()]
        console.put("\n\n".join([_table(solutions), "\n".join(score_lines)]))
    if doubt and len(problems) > 1 and (opposite := sum(map(_is_opposite, solutions))):
        console.say(f"opposite of what is published: {counted(opposite, 'answer')}; or {doubt}")
    if errors:
        console.fail(f"{counted(len(errors), 'problem')} left out")


def _with_doubt(solution: Solution, doubt: str) -> Solution:
    """A solution whose reason for a disagreement names the other meaning of the published result, if it has that."""
    return replace(solution, because=f"{solution.because}; or {doubt}") if _is_opposite(solution) else solution


def _is_opposite(solution: Solution) -> bool:
    """True if the answer is a win where a loss is published, or the other way round."""
    verdict, published = solution.verdict, solution.problem.published
    return verdict is not None and published is not None and verdict is not published is verdict.opposite


def _object(solution: Solution) -> dict[str, Any]:
    problem = solution.problem
    return {
        "id": problem.id,
        "title": problem.title,
        "author": problem.author,
        "source": problem.source,
        "fen": problem.position.fen,
        "result": problem.result or None,
        "published": problem.published,
        "limits": str(solution.limits),
        "move": solution.move or None,
        "verdict": solution.verdict,
        "standing": solution.standing,
        "chance": solution.chance,
        "composed": solution.composed,
        "score": solution.score,
        "proved": solution.proved,
        "by": solution.by or None,
        "pv": solution.pv,
        "depth": solution.depth,
        "nodes": solution.nodes,
        "probes": solution.probes,
        "time": solution.time,
        "processor": solution.processor,
        "agrees": solution.agrees,
        "because": solution.because or None,
        "move_from": solution.move_from,
        "agrees_from": solution.agrees_from,
        "key_move": solution.key_move,
        "lines": solution.lines,
    }


def _shares(counts: dict[str, Count]) -> dict[str, Any]:
    return {
        kind: {"solved": each.solved, "problems": each.problems, "share": each.share}
        | ({"proved": each.proved, "likely": each.likely, "composed": each.composed} if kind in ("all", *Value) else {})
        for kind, each in counts.items()
    }


def _warn(limits: Limits, share: float | None) -> None:
    if share is not None:
        console.say(
            f"warning: at {limits} the searches had a processor for {share:.0%} of their time, as other work took the "
            "rest, so that they found less: use an idle machine, fewer --workers or --threads, or a node limit"
        )


def _natural(problem: Problem, settings: SolveSettings) -> NaturalMistake | None:
    """The natural first move that fails, by the policy that comes with kr; None if that is not there."""
    try:
        policy = load_policy()
    except InvalidPolicyError:
        return None
    return natural_mistake(problem, engine_from(settings), policy)


def _natural_object(natural: NaturalMistake | None) -> dict[str, str] | None:
    if natural is None:
        return None
    return {"move": str(natural.move), "by": natural.by, "why": str(natural.why)}


def _facts(problem: Problem, natural: NaturalMistake | None) -> str:
    """Published facts, one per line, and the natural move that fails."""
    side = f"{SIDE_NAMES[problem.position.side]} to move"
    return f"{console.fold(f'{problem.position.fen}, {side}')}\n\n" + console.facts(
        [
            ("problem", ", ".join(filter(None, (problem.title or problem.id, problem.author)))),
            ("source", problem.source),
            ("published", f"{problem.published} ({problem.result})" if problem.published else ""),
            ("solution", problem.solution),
            ("but not", f"{natural.move}. {natural.why}" if natural else ""),
        ]
    )


def _answer(solution: Solution) -> str:
    """Result of one search, one fact per line."""
    score = format_score(solution.score)
    verdict = _verdict(solution)
    if score != solution.verdict:
        verdict += f", score {score}"
    facts = [
        ("limit", str(solution.limits)),
        ("key move", (solution.move or "none: there is no legal move") + _from(solution.move_from)),
        ("verdict", verdict),
        ("if composed", _if_composed(solution)),
        (
            "searched",
            f"depth {solution.depth}, {counted(solution.nodes, 'node')}, {_probes(solution)}{solution.time:.2f} s",
        ),
        ("agrees", _agreement(solution)),
    ]
    lines = console.table(["score", "line"], [(f"{format_score(line.score):>5}", line.pv) for line in solution.lines])
    return f"{console.facts(facts)}\n{lines}" if solution.lines else console.facts(facts)


def _verdict(solution: Solution) -> str:
    """ "win in 23 plies, proved", "likely win 95%" or "unclear"."""
    if solution.verdict is None or solution.chance is None:
        return solution.standing
    if solution.proved:
        by = f" by {visible(solution.by)}" if solution.by.startswith(CERTIFICATE_WORD) else ""
        return f"{format_value(solution.verdict, solution.plies)}, proved{by}"
    return f"likely {solution.verdict} {solution.chance:.0%}"


def _if_composed(solution: Solution) -> str:
    """ "likely win 94%", or "" where that is unclear or nobody says that it is a composed problem."""
    return "" if solution.composed is None else f"likely {solution.composed.value} {solution.composed.chance:.0%}"


def _from(seconds: float | None) -> str:
    return "" if seconds is None else f", held from {seconds:.2f} s on"


def _probes(solution: Solution) -> str:
    return f"{counted(solution.probes, 'endgame probe')}, " if solution.probes else ""


def _agreement(solution: Solution) -> str:
    if solution.agrees is None:
        return ""
    return f"yes{_from(solution.agrees_from)}" if solution.agrees else f"no: {solution.because}"


def _table(solutions: Sequence[Solution]) -> str:
    limits = len({solution.limits for solution in solutions}) > 1
    composed = any(solution.composed for solution in solutions)
    columns = [
        "problem", *(["limit"] if limits else []), "published", "verdict", *(["if composed"] if composed else []),
        "score", "move", "agrees",
    ]  # fmt: skip
    rows = [
        (
            solution.problem.title or solution.problem.id,
            *([str(solution.limits)] if limits else []),
            solution.problem.published or "",
            f"{solution.verdict}, proved" if solution.proved else _verdict(solution),
            *([_if_composed(solution)] if composed else []),
            f"{format_score(solution.score):>5}",
            solution.move,
            "" if solution.agrees is None else "yes" if solution.agrees else "NO",
        )
        for solution in solutions
    ]
    return console.table(columns, rows)


def _score_line(limits: Limits, counts: dict[str, Count]) -> str:
    total = counts["all"]
    if not total.problems:
        return "no published results to compare with"
    kinds = [*Value, "key moves"]
    shown = [f"{kind} {counts[kind].solved} of {counts[kind].problems}" for kind in kinds if counts[kind].problems]
    line = (
        f"solved {total.solved} of {total.problems} at {limits}, {total.share:.1%}: {total.proved} proved, "
        f"{total.likely} likely ({', '.join(shown)})"
    )
    if total.composed:
        line += f"; {total.composed} more as composed problems"
    disproved = counts["disproved"]
    if disproved.solved:
        line += f"; of the other {disproved.problems}, {disproved.solved} proved to end otherwise than published"
    return line
