"""Courses: structures and endings, each an ordered set of positions with a sentence of plan, of `courses.json`.

A course has `id`, `title`, `idea` and `steps`, and `proved` where the shipped database proves something of it: a
sentence `text` about the position `fen`, with its `value` and the `plies` of its win, or about all positions in which
the men on the squares `white` and `black` and so many more pieces stand, `add`: White's men and kings, then Black's.
side: to move; quiet: only those without a capture; only: what each that is won has; counts: by their values for the
side to move; plies: of the longest win. A step is a problem (`fen`, `result`) with its `plan`. It has a
`solution` where the shipped database knows no distance, and `keeping_moves` where it knows no value; and perhaps
`moves`, the right moves of the solver after which it is done, where the rest of the ending belongs to another step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from kr.problems.problem import Problem

COURSES = "courses.json"


@dataclass(frozen=True)
class CourseStep:
    """One position of a course."""

    problem: Problem
    """Its id is that of the course with the number of the step: "first-position/2"."""
    plan: str
    """A sentence of advice."""
    moves: int | None
    """Right moves after which the step is done; None if it is played to its end."""


@dataclass(frozen=True)
class EndingCourse:
    """An ending to learn."""

    id: str
    title: str
    idea: str
    """What the ending is about, in a few sentences."""
    proved: tuple[dict[str, Any], ...]
    """What is proved of it."""
    steps: tuple[CourseStep, ...]


@cache
def load_courses() -> tuple[EndingCourse, ...]:
    """The courses that come with kr, in the order in which they are best taken."""
    content = json.loads((files("kr.problems") / COURSES).read_text(encoding="utf-8"))
    return tuple(
        EndingCourse(
            each["id"],
            each["title"],
            each["idea"],
            tuple(each.get("proved", ())),
            tuple(
                CourseStep(
                    Problem.from_object({**step, "id": f"{each['id']}/{number}", "title": each["title"]}),
                    step["plan"],
                    step.get("moves"),
                )
                for number, step in enumerate(each["steps"], 1)
            ),
        )
        for each in content["courses"]
    )
