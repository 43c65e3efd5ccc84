"""Results of problems by their scores, and the chances that fit them. Seconds.

    kr solve-problem problems.jsonl --tc nodes=200k --out answers.jsonl
    python bench/problem_chances.py problems.jsonl answers.jsonl

Any file of problems with published results will do; without one (-), the built-in problems. Only scores that are not
proved count, and no problem whose result is disproved, by its file or by one of the answers. The fit is an ordered
logistic regression by greatest likelihood: a win is as likely as not at one score, a loss at another, and one scale
gives the growth of chances. Errors are 95% of the inverse Hessian. `kr.evaluation.chances` has the numbers in use, in
units of the evaluation's scale.
"""

from __future__ import annotations

import argparse
import itertools
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from kr.evaluation.chances import PROBLEM_LOSS, PROBLEM_SPREAD, PROBLEM_WIN, chances, problem_chances
from kr.problems.problem import load_problems

EDGES = (-(10**6), -100, -60, -40, -20, 0, 10, 20, 30, 40, 50, 60, 80, 100, 10**6)
NAMES = "win as likely as not at", "loss as likely as not at", "scale"


def read(problems: str, answers: Path) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64], int]]:
    """For each limit the scores that are not proved, the published results (1, 0, -1) and the number of proved ones."""
    known = load_problems(None if problems == "-" else problems)
    answers_by_limit: dict[str, dict[int, tuple[int, bool]]] = {}
    wrong = {number for number, problem in enumerate(known) if problem.published is None or problem.disproved}
    with answers.open(encoding="utf-8") as lines:
        next(lines)
        for line in map(json.loads, lines):
            number = line["number"]
            answers_by_limit.setdefault(line["limits"], {})[number] = line["score"], line["proved"]
            if line["proved"] and line["verdict"] != known[number].published:
                wrong.add(number)
    by_limits = {}
    for limits, each in answers_by_limit.items():
        valid = {number: answer for number, answer in each.items() if number not in wrong}
        guessed = {number: score for number, (score, proved) in valid.items() if not proved}
        results = [value.sign for number in guessed if (value := known[number].published) is not None]
        by_limits[limits] = np.array([*guessed.values()]), np.array(results), len(valid) - len(guessed)
    return by_limits


def fit(scores: NDArray[np.int64], results: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores at which a win, and a loss, are as likely as not, and the scale; their errors."""

    def unlikelihood(point: NDArray[np.float64]) -> float:
        win, loss, scale = point
        won, lost = expit((scores - win) / abs(scale)), expit((loss - scores) / abs(scale))
        each = np.select([results > 0, results < 0], [won, lost], np.maximum(1 - won - lost, 1e-12))
        return -float(np.log(np.maximum(each, 1e-12)).sum())

    point = minimize(unlikelihood, np.array([40.0, -60.0, 30.0]), method="Nelder-Mead", options={"maxiter": 5000}).x
    hessian = np.empty((3, 3))
    for i, j in itertools.product(range(3), repeat=2):
        a, b = np.eye(3)[[i, j]] * 0.5
        hessian[i, j] = (
            unlikelihood(point + a + b) - unlikelihood(point + a - b)
            - unlikelihood(point - a + b) + unlikelihood(point - a - b)
        )  # fmt: skip
    return point, 1.96 * np.sqrt(np.diag(np.linalg.inv(hessian)))


def main() -> None:
    """Count, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", help="file of problems; - for the built-in ones")
    parser.add_argument("answers", type=Path, help="what kr solve-problem --out wrote about them")
    parser.add_argument("--scale", type=float, default=39.4, help="centi-men per logit of the tables (default: 39.4)")
    settings = parser.parse_args()
    in_use = np.array([PROBLEM_WIN, PROBLEM_LOSS, PROBLEM_SPREAD]) * settings.scale
    for limits, (scores, results, proved) in read(settings.problems, settings.answers).items():
        print(f"{limits}: {proved} proved, {len(scores)} not")
        point, errors = fit(scores, results)
        for name, fitted, error, used in zip(NAMES, point, errors, in_use, strict=True):
            print(f"  {name} {fitted:+.1f} ± {error:.1f}, in use {used:+.1f}")
        print("     score problems   win  draw  loss   problems say: win draw loss   games say: win draw loss")
        for low, high in itertools.pairwise(EDGES):
            here = (scores >= low) & (scores < high)
            if not here.any():
                continue
            shares = [np.mean(results[here] == sign) for sign in (1, 0, -1)]
            models = [
                np.mean([(one.win, one.draw, one.loss) for one in each], axis=0)
                for each in (
                    [problem_chances(int(score), settings.scale) for score in scores[here]],
                    [chances(int(score), settings.scale) for score in scores[here]],
                )
            ]
            name = f"below {high}" if low == EDGES[0] else f"{low} up" if high == EDGES[-1] else f"{low} to {high - 1}"
            rows = (" ".join(f"{one:5.2f}" for one in row) for row in (shares, *models))
            print(f"{name:>10} {here.sum():8d}  {'   '.join(rows)}")


if __name__ == "__main__":
    main()
