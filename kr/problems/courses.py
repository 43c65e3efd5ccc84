"""Courses: endings to learn, each an ordered set of positions with a sentence of plan, of `courses.json`.

A course has `id`, `title`, `idea` and `steps`. A step is a problem (`fen`, `result`) with its `plan`. It has a
`solution` where the shipped database knows no distance, and `keeping_moves` where it knows no value; and perhaps
`moves`, the right moves of the solver after which it is done, where the rest of the ending belongs to another step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

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
