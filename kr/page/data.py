"""What the page needs of kr's data, as JSON. For a page without a server: python -m kr.page.data DIR

DIR gets NAME.json for each entry of DATA; kr web sends the same by `kr.web.services.port`, with what is its own. The
page's scripts load a file when they first need it, so each is as small as it can be: what the rules give, such as
positions, is left out.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from kr import __version__
from kr.analysis.annotation.judging import BALLOT, TIE, JudgeSettings
from kr.analysis.annotation.story import FACTS
from kr.egdb import slices
from kr.egdb.database import Database
from kr.egdb.exact import exact_value
from kr.evaluation.chances import DRAW_SHARE
from kr.evaluation.kinds import Scorer, load_scorer
from kr.evaluation.verdicts import RULE
from kr.game.value import Value
from kr.language.sentences import texts
from kr.openings.decks import STANDINGS, Opening, deck
from kr.openings.lines import named_lines
from kr.page import sending_data
from kr.pdn.replay import Replay
from kr.players.level_figures import LEVEL_FIGURES, fifth
from kr.players.levels import LEVELS
from kr.policy.calibration import CALIBRATION
from kr.policy.policy import load_policy
from kr.policy.practical import PracticalChances
from kr.problems import puzzles as judging
from kr.problems.courses import load_courses
from kr.problems.problem import Problem
from kr.problems.shelf import DAILY_RATINGS, Origin, PuzzleShelf, ShelfPuzzle
from kr.problems.themes import Theme
from kr.storage import data_path


def openings() -> dict[str, Any]:
    """The openings that have a name, and the two decks of ballots; a standing is a digit, its place in STANDINGS.

    The 11-man ballots are each part of Black's with each of White's: the man removed, the move, and the men after it.
    """
    three, eleven = deck("3move", playable_only=False), deck("11man", playable_only=False)
    halves = [*map(_halves, eleven)]
    white = list(dict.fromkeys(half for _, half in halves))
    black = list(dict.fromkeys(half for half, _ in halves))
    assert halves == [(own, other) for own in black for other in white]
    for opening in three:
        assert Replay(opening.start.bits, opening.moves.split()).boards[-1] == opening.position.bits
    return {
        "names": [[line.name, line.moves, *line.spellings] for line in named_lines()],
        "three_move": [each.moves for each in three],
        "three_move_standings": _standings(three),
        "eleven_man": {"black": black, "white": white},
        "eleven_man_standings": _standings(eleven),
    }


def _halves(opening: Opening) -> tuple[tuple[int, str, int], tuple[int, str, int]]:
    """Black's and White's part of an 11-man ballot."""
    removal, moves = opening.moves.split("; ")
    _, black, _, white = removal.split()
    black_move, white_move = moves.split()
    position = opening.position
    return (int(black), black_move, position.black), (int(white), white_move, position.white)


def _standings(openings: list[Opening]) -> str:
    assert [each.number for each in openings] == list(range(1, len(openings) + 1))
    return "".join(str(STANDINGS.index(each.standing)) for each in openings)


HARD_PIECES, HARD_DRAWS = 4, 40
"""Pieces of draws that are hard for people, as many as those of shipped files, and draws of each slice."""
PUZZLE_TERMS = (
    "GIVEN_AWAY", "PLAIN_PLIES", "PLAIN_LEAD", "WIN_MOVES", "DRAW_MOVES", "MOST_MOVES", "SAFE_MOVES",
    "LONGEST_SOLUTION", "DRAWS_EVERY",
)  # fmt: skip
"""Constants of kr.problems.puzzles."""


def puzzles(own: Mapping[str, Problem] | None = None, database: Database | None = None) -> dict[str, Any]:
    """The terms on which puzzles are judged and chosen, the classics, problems of a person's files, and the courses as
    puzzles, and the themes by number.

    Each has a published result, but for those of files; these have the `exact` value too where the database knows it.
    Fields that are empty are left out.
    """
    shelf = PuzzleShelf(own)
    return {
        "terms": {name.lower(): vars(judging)[name] for name in PUZZLE_TERMS},
        "daily_ratings": DAILY_RATINGS,
        "themes": list(Theme),
        "classics": [_puzzle(each) for each in shelf.of(Origin.CLASSIC)],
        "own": [_puzzle(each, exact_value(database, each.problem.position)) for each in shelf.of(Origin.OWN)],
        "courses": [
            {
                "id": course.id,
                "title": course.title,
                "idea": course.idea,
                "proved": [_facts(claim) for claim in course.proved],
                "steps": [{**_puzzle(shelf.puzzles[step.problem.id]), "plan": step.plan} for step in course.steps],
            }
            for course in load_courses()
        ],
    }


def _facts(claim: Mapping[str, Any]) -> dict[str, Any]:
    """The sentence of a claim and the numbers in it; moves: of the winner."""
    counts = claim.get("counts", {})
    numbers = {**counts, "all": sum(counts.values()), "moves": (claim.get("plies", 0) + 1) // 2}
    return {"text": claim["text"], "with": {name: n for name, n in numbers.items() if f"{{{name}}}" in claim["text"]}}


def rules() -> dict[str, Any]:
    """The lessons in which the rules are learnt by moving men."""
    lessons: dict[str, Any] = json.loads((files("kr.problems") / "rules.json").read_text(encoding="utf-8"))
    return lessons


def puzzle_collection() -> list[dict[str, Any]]:
    """The puzzles of the collection, in order, as `puzzles` has the others."""
    return [_puzzle(each) for each in PuzzleShelf().of(Origin.COLLECTION)]


def _puzzle(each: ShelfPuzzle, exact: Value | None = None) -> dict[str, Any]:
    problem = each.problem
    fields = {**problem.as_object(), "id": each.id, "moves": each.enough, "exact": exact}
    if problem.solution:
        # it begins with that move
        del fields["first_move"]
    return {key: field for key, field in fields.items() if field}


def engine() -> dict[str, Any]:
    """The facts of the shipped engine."""
    return engine_facts(load_scorer())


def engine_facts(scorer: Scorer) -> dict[str, Any]:
    """The version of kr; of the tables their name and what makes chances of their scores, and likely values."""
    facts = {"scale": scorer.scale, "draw_share": DRAW_SHARE, "verdicts": RULE}
    return {"version": __version__, "name": scorer.name, "chances": facts}


def people() -> dict[str, Any]:
    """Of the shipped policy of what people play its name, how many groups of players it distinguishes by their
    strength, and the numbers that make chances of its probabilities."""
    policy = load_policy()
    groups = len(policy.shape.strengths) + 1 if policy.shape.strengths else 0
    return {"policy": policy.name, "groups": groups, "calibration": CALIBRATION}


def hard_draws() -> dict[str, list[str]]:
    """By the digits of slices the draws that people lose most, Black to move, the hardest first."""
    practical = PracticalChances.usual(load_policy(), Database.open(data_path("egdb")))
    shapes = [shape for count in range(2, HARD_PIECES + 1) for shape in slices.shapes(count)]
    found = {slices.name(shape): practical.hardest(shape, HARD_DRAWS) for shape in shapes}
    return {name: [each.fen for each in positions] for name, positions in found.items() if positions}


def levels() -> dict[str, Any]:
    """The levels of kr, with their figures: Elo above level 1 with its error, and the fifth of the players of recorded
    games that lose as much by a move; the generations of evolved players, of which a page without a server has none."""
    edges = load_policy().shape.strengths
    return {
        "levels": [
            {**asdict(level), "elo": figures.elo, "elo_error": figures.error, "fifth": fifth(figures.loss, edges)}
            for level, figures in zip(LEVELS, LEVEL_FIGURES.values(), strict=True)
        ],
        "generations": [],
    }


def annotation() -> dict[str, Any]:
    """What games are judged and told by: the thresholds of marks, and the facts of stories."""
    own = {name: value for name, value in asdict(JudgeSettings()).items() if isinstance(value, float)}
    ends = [name.removeprefix("story.") for name in texts("en") if re.fullmatch(r"story\.\w+\.\w+", name)]
    return {"thresholds": {**own, "tie": TIE, "ballot": BALLOT}, "story": {**FACTS, "ends": ends}}


def self_play() -> dict[str, Any]:
    """What kr's games against itself came to: see kr.learn.tally."""
    content: dict[str, Any] = json.loads(data_path("books", "self-play.json").read_text(encoding="utf-8"))
    return {name: content[name] for name in ("games", "nodes", "positions")}


def sample() -> dict[str, Any]:
    """A reviewed game to begin with: the third one of `kr samples`, as `kr annotate games.pdn` writes it."""
    return {"pdn": (files("kr.page") / "samples" / "game.pdn").read_text(encoding="utf-8")}


DATA: dict[str, Callable[[], Any]] = {
    "annotation": annotation,
    "collection": puzzle_collection,
    "drawing": sending_data.drawing,
    "engine": engine,
    "game-page": sending_data.game_page,
    "hard-draws": hard_draws,
    "levels": levels,
    "openings": openings,
    "people": people,
    "puzzles": puzzles,
    "rules": rules,
    "sample": sample,
    "self-play": self_play,
    "sentences": partial(texts, "en"),
}
"""The files by their names, each with the function that makes its content."""


@cache
def made(name: str) -> Any:
    """The content of a file."""
    return DATA[name]()


def main() -> None:
    """Write all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=Path)
    folder = parser.parse_args().dir
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in DATA.items():
        text = json.dumps(make(), ensure_ascii=False, separators=(",", ":"))
        (folder / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
