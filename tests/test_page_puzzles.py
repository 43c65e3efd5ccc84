"""Puzzles in the answers of the page: the list, verdicts, hints, solutions, problems of a person's own files."""

from __future__ import annotations

import base64
import gzip
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page import Page, made

from kr.egdb.database import load_database
from kr.egdb.exact import exact_moves
from kr.engine.engine import Engine
from kr.game.board import Board
from kr.game.position import Position
from kr.language.sentences import Sentence
from kr.page import data
from kr.policy.policy import load_policy
from kr.problems.natural import natural_mistake
from kr.problems.problem import Problem
from kr.problems.puzzles import load_puzzles
from kr.problems.shelf import DAILY_RATINGS, Origin, PuzzleShelf

pytestmark = pytest.mark.slow

CASES = json.loads((Path(__file__).with_name("cases") / "puzzles.json").read_text(encoding="utf-8"))
PROBLEMS = load_puzzles(())
SHELF = PuzzleShelf()
WITH_MANY_PIECES = [name for name, problem in PROBLEMS.items() if problem.position.pieces > 9 and problem.solution]
"""Puzzles in which tries that leave the published line are searched."""
DAY = {"date": "2026-11-22"}
OWN = [
    {"id": "mine", "title": "Two kings", "fen": "W:WK6,K9:BK15", "result": "W-win"},
    {"id": "wrong", "fen": "W:WK1,K2:BK31,K32", "result": "W-win"},
    {"id": "unknown", "fen": "W:W21,22,23,24:B9,10,11,12"},
    {"id": "up", "fen": "B:W21,22,23:B1,2,3,9,10,11"},
]


def texts(steps: Any) -> list[str]:
    """Moves as JSON, in texts."""
    return [step["text"] for step in steps]


def test_the_list(page: Page) -> None:
    listed = page.ask("puzzles/list", DAY)
    assert [each["id"] for each in listed["puzzles"]] == list(PROBLEMS)
    by_id = {each["id"]: each for each in listed["puzzles"]}
    assert by_id["first-position"] == {
        "id": "first-position", "title": "First Position", "author": "", "origin": "classic", "pieces": 4,
        "fen": PROBLEMS["first-position"].position.fen, "goal": "win",
        "themes": list(SHELF.puzzles["first-position"].themes), "rating": SHELF.puzzles["first-position"].rating,
    }  # fmt: skip
    # to be won, by the side that is not to move
    assert by_id["bowens-twins-white-to-play"]["goal"] == "win"
    assert [row[0] for row in listed["collection"]["rows"]] == [each.id for each in SHELF.of(Origin.COLLECTION)]
    low, high = DAILY_RATINGS
    assert low <= (SHELF.puzzles[listed["daily"]].rating or 0) <= high


def test_each_day_has_its_puzzle(page: Page) -> None:
    for day, id in CASES["days"].items():
        listed = page.ask("puzzles/list", {"date": day})
        assert (listed["daily"], listed["daily_easy"]) == (id, CASES["easy_days"][day])
        today = page.ask("puzzles/today", {"date": day, "easy": True})
        assert (today["id"], today["goal"]) == (CASES["easy_days"][day], "win")
    for day in ("", "2026-13-01", "2026-02-29", "0000-01-01", "2026-1-1", "26-01-01"):
        assert page.ask("puzzles/list", {"date": day})["error"] == "date is not a day such as 2026-11-22"


def test_boards_of_the_list(page: Page) -> None:
    names = [each.id for each in random.Random(1).sample(list(SHELF.puzzles.values()), 20)]
    assert page.ask("puzzles/boards", {"ids": names})["boards"] == [SHELF.puzzles[name].fen for name in names]


def english(told: Any) -> str:
    """A sentence of the page."""
    if not isinstance(told, dict):
        return str(told or "")
    values = {name: value if name == "count" else english(value) for name, value in told.get("with", {}).items()}
    return str(Sentence(told["say"], values))


@pytest.mark.parametrize("kind", ["verdicts", "hints", "solutions", "reasons"])
def test_recorded_cases(page: Page, kind: str) -> None:
    for case in CASES[kind]:
        asked = {"id": case["id"], "moves": case["moves"]}
        if kind == "verdicts":
            answer = page.ask("puzzles/answer", asked)
            told = {"reply": answer["reply"] and answer["reply"]["text"]}
            told |= {name: answer[name] for name in ("kept", "by", "solved")}
            told["ended"] = english(answer["ended"])
        elif kind == "reasons":
            told = {"why": "".join(map(english, page.ask("puzzles/answer", asked)["why"]))}
        elif kind == "hints":
            answer = page.ask("puzzles/hint", {**asked, "whole": True})
            told = {"move": answer["move"]["text"], "by": answer["by"]}
        else:
            answer = page.ask("puzzles/solution", asked)
            told = {"line": texts(answer["moves"]), "by": answer["by"]}
        assert {**asked, **told} == case


def test_a_hint_tells_why_not_the_natural_move(page: Page) -> None:
    engine, policy, told = Engine(hash_mb=16, database=load_database()), load_policy(), []
    for name in ("bridge-mcgill", "sturges-position", "hundred-years", "7eeezm", "gtzv63"):
        asked = {"id": name, "moves": [], "whole": True}
        found, natural = (
            page.ask("puzzles/hint", asked)["not"],
            natural_mistake(SHELF.puzzles[name].problem, engine, policy),
        )
        expected = natural and {"move": str(natural.move), "reason": str(natural.why)}
        assert (found and {"move": found["move"], "reason": english(found["reason"])}) == expected
        told.append(found is not None)
    assert {True, False} == set(told)


def test_all_puzzles_begin(page: Page) -> None:
    for name, problem in PROBLEMS.items():
        start = page.ask("puzzles/start", {"id": name})
        solver = problem.position.side if problem.published != "loss" else problem.position.side.other
        assert start["solver"] == solver.name.lower()
        assert start["goal"] == ("draw" if problem.result == "draw" else "win")
        assert len(start["moves"]) == int(solver is not problem.position.side)
        assert start["position"]["fen"] == (start["moves"][-1]["fen"] if start["moves"] else problem.position.fen)


@pytest.mark.soak
def test_steps_of_courses_are_solved_by_hints(page: Page) -> None:
    for each in SHELF.of(Origin.COURSE):
        if each.problem.position.pieces > 5:
            continue
        moves = texts(page.ask("puzzles/start", {"id": each.id})["moves"])
        for _ in range(9):
            hint = page.ask("puzzles/hint", {"id": each.id, "moves": moves, "whole": True})
            moves.append(hint["move"]["text"])
            answer = page.ask("puzzles/answer", {"id": each.id, "moves": moves})
            assert answer["kept"]
            if answer["ended"]:
                assert answer["solved"]
                break
            moves.append(answer["reply"]["text"])


def test_tries_that_are_searched(page: Page) -> None:
    """Moves that leave the published line, and hints and solutions from there on."""
    source, seen = random.Random(3), set()
    for name in WITH_MANY_PIECES:
        board, line = Board(PROBLEMS[name].position), PROBLEMS[name].solution.split()
        first = len(page.ask("puzzles/start", {"id": name})["moves"])
        for text in line[: first + 2 * source.randrange(min(3, len(line[first:]) // 2))]:
            board.play(text)
        board.play(source.choice(board.position.legal_moves()))
        body = {"id": name, "moves": list(map(str, board.moves))}
        answer = page.ask("puzzles/answer", body)
        # the same again, from what was remembered
        assert page.ask("puzzles/answer", body) == answer
        seen.add((answer["by"], answer["kept"]))
        if answer["reply"] and not answer["ended"]:
            board.play(answer["reply"]["text"])
            body = {"id": name, "moves": list(map(str, board.moves))}
            assert board.position.parse_move(page.ask("puzzles/hint", {**body, "whole": True})["move"]["text"])
            assert page.ask("puzzles/solution", body)["moves"]
    assert {("search", None), ("search", False), ("solution", True)} <= seen


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page with the data of a server that has files of problems."""
    made_data, library = made()
    folder = shutil.copytree(made_data, tmp_path_factory.mktemp("page") / "data")
    problems = {each.id: each for each in map(Problem.from_object, OWN)}
    (folder / "puzzles.json").write_text(json.dumps(data.puzzles(problems, load_database())))
    page = Page(folder, library)
    yield page
    page.close()


def test_problems_of_a_persons_own(own: Page) -> None:
    listed = own.ask("puzzles/list", DAY)
    found = {each["id"]: each for each in listed["puzzles"] if each["origin"] == "own"}
    # what the database knows counts more than what is published
    assert {name: each["goal"] for name, each in found.items()} == {
        "mine": "win", "wrong": "draw", "unknown": None, "up": None
    }  # fmt: skip
    assert listed["daily"] == CASES["days"][DAY["date"]]
    mine = own.ask("puzzles/start", {"id": "mine"})
    assert (mine["key"], mine["title"], mine["guess"]) == (OWN[0]["fen"], "Two kings", None)
    best = exact_moves(load_database(), Position.from_fen(OWN[0]["fen"]))[0]
    assert own.ask("puzzles/hint", {"id": "mine", "moves": [], "whole": True})["move"]["text"] == str(best.move)


def test_a_goal_that_is_a_guess(own: Page) -> None:
    unknown, up = (own.ask("puzzles/start", {"id": name}) for name in ("unknown", "up"))
    assert set(unknown["guess"]) == {"chance", "composed"}
    assert (up["goal"], up["solver"]) == ("win", "black")
    # proved by the searches
    assert up["guess"] == {"chance": 1, "composed": False}
    assert own.ask("puzzles/hint", {"id": "up", "moves": []})["by"] == "search"


def read(page: Page, name: str, content: str | bytes, results: str = "english") -> Any:
    """What the page reads of a file."""
    packed = content if isinstance(content, bytes) else content.encode()
    return page.ask("puzzles/read", {"name": name, "data": base64.b64encode(packed).decode(), "results": results})


def test_files_of_problems(page: Page) -> None:
    lines = "\n".join(map(json.dumps, OWN)) + "\nnonsense\nB:WK1:B\n"
    found = read(page, "mine.jsonl", lines)
    assert [(each["id"], each.get("exact")) for each in found["problems"]] == [
        ("mine", "win"), ("wrong", "draw"), ("unknown", None), ("up", None)
    ]  # fmt: skip
    assert (found["left_out"], found["faults"][1]) == (2, {"say": "{id}: the game is over", "with": {"id": "line 6"}})
    assert read(page, "mine.jsonl", gzip.compress(lines.encode())) == found
    # what is kept may be damaged, of another version, or named as another puzzle
    kept = [*found["problems"], *found["problems"], {"id": "bad", "fen": "x"}, {**OWN[0], "id": "pask"}]
    listed = page.ask("puzzles/list", {**DAY, "own": kept})["puzzles"][len(PROBLEMS) :]
    assert [each["id"] for each in listed] == [
        "mine", "wrong", "unknown", "up", "mine (2)", "wrong (2)", "unknown (2)", "up (2)", "pask (2)"
    ]  # fmt: skip
    assert page.ask("puzzles/start", {"id": "wrong (2)"})["goal"] == "draw"
    assert len(page.ask("puzzles/list", DAY)["puzzles"]) == len(PROBLEMS)
    assert "no puzzle" in page.ask("puzzles/start", {"id": "mine"})["error"]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.pdn", "1. 11-15 *", "a.pdn: no game has a FEN tag, so there is no position to solve"),
        ("a.txt", "", "a.txt holds no problems; a file of problems has a JSON object or a FEN in each line"),
        ("a.txt", "nonsense", "a.txt: line 1: FEN 'nonsense': it must have three fields"),
        ("a.txt", "B:WK1:B", "a.txt: line 1: the game is over"),
        ("a.txt", "W:W32:B1\n" * 5001, "a.txt has more than 5,000 problems"),
        ("a.txt", gzip.compress(b"#" * 4_000_001), "a.txt is too large for a file of problems"),
        ("a.txt", bytes(range(256)), "a.txt"),
    ],
)
def test_files_without_problems(page: Page, name: str, content: str | bytes, why: str) -> None:
    assert why in read(page, name, content)["error"]


BAD: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("list", {}, "date is missing"), ("list", {"date": 1}, "date is not text"),
    ("start", {}, "id is missing"), ("start", {"id": "none"}, "there is no puzzle 'none'"),
    ("start", {"id": "o'clock"}, "there is no puzzle 'o'clock'"), ("start", {"id": "toString"}, "no puzzle"),
    ("start", {"id": "first-position/99"}, "no puzzle"), ("start", {"id": "x" * 201}, "at most 200"),
    ("start", {"id": 5}, "id is not text"), ("boards", {"ids": ["none"]}, "no puzzle"),
    ("boards", {"ids": ["pask"] * 101}, "at most 100"), ("answer", {"id": "pask"}, "moves is missing"),
    ("answer", {"id": "pask", "moves": []}, "the last move is not White's"),
    ("answer", {"id": "pask", "moves": ["9-13"]}, "not legal"),
    ("answer", {"id": "pask", "moves": ["19x12"] * 301}, "at most 300"),
    ("hint", {"id": "pask", "moves": ["19x12"]}, "it is not White's move"),
    ("hint", {"id": "pask", "moves": [], "whole": 1}, "whole is neither"),
    ("solution", {"id": "pask", "moves": ["x"]}, "not"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "body", "why"), BAD)
def test_bad_requests(page: Page, name: str, body: dict[str, Any], why: str) -> None:
    assert why in page.ask(f"puzzles/{name}", body)["error"]
