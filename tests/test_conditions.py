"""What must be true for each sentence is listed in docs/reference/sentences.md, and it is silent where that isn't.

tests/cases/conditions.json has for each sentence of a story, a comment, a hint, the end of a puzzle or a page of theory
cases in which it is told, and changes of them by which it is not; tests/scripts/conditions.test.js reads those of
stories and hints, and recorded cases hold the page's ends of puzzles to those here. Of a story a case is its game, and
what is not as after a quiet move of an even game; of a comment the judged move, and the one before it; of a puzzle what
is not as in a win that has just begun; of theory what its data has otherwise.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from test_judging_cases import judged_move
from theory_book import small_book

import kr
from kr.analysis.analysis import Analysis
from kr.analysis.annotation import marking, story
from kr.analysis.annotation.judgement import JudgedMove
from kr.ballots import pages
from kr.ballots.brackets import Brackets
from kr.ballots.knowledge import Knowledge
from kr.egdb.database import load_database
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.language import sentences
from kr.language.sentences import Sentence, texts
from kr.openings.decks import deck
from kr.pdn import Game
from kr.problems.problem import Problem
from kr.problems.puzzles import Puzzle
from kr.theory.store import book_for_reading

ROOM = Path(kr.__file__).parent
LISTED = re.findall(r"^\| `(.*)` \| .{10,} \|$", (ROOM.parent / "docs/reference/sentences.md").read_text("utf-8"), re.M)
CASES = json.loads((Path(__file__).with_name("cases") / "conditions.json").read_text("utf-8"))
SUBJECTS = "story.", "summary.", "moment.", "comment.", "why.", "value.", "puzzle."
SCRIPTS = "page/play/hints.js", "page/analysis/words.js"
"""Scripts all of whose texts are sentences of this kind."""
BY_BOOK = {"story.left_book", "story.left_book_unknown"}
"""Told of a book, not of a judged game (test_annotate_story.py)."""
REASONS = "puzzle.no_pieces", "puzzle.no_move", "puzzle.repetition", "puzzle.no_progress"
"""The page asks for them by these names, kr has them of the rules."""
BLOCK = re.compile(r"</?(?:p|li|td|th|tr|div|h\d|dd|dt|dl|summary|article|label)\b[^>]*>")
SENTENCE = re.compile(r"\w\.(?=\s|…|$)")


def on_page(markup: str) -> list[str]:
    """The sentences of a template, with … for what is filled in."""
    text = re.sub(r"(?<=\.){% e.*?%}", " ", re.sub(r"{{.*?}}", "…", markup))
    text = re.sub(r"{%.*?%}", "", text)
    blocks = (" ".join(re.sub(r"<[^>]+>", "", block).split()) for block in BLOCK.sub("\n", text).split("\n"))
    return [block for block in blocks if SENTENCE.search(block) and len(re.findall(r"\b[a-z]{3,}\b", block)) > 2]


def returned(function: str) -> list[str]:
    """The sentences that a function of kr.ballots.pages returns, with … for what is filled in."""
    tree = ast.parse(Path(pages.__file__).read_text("utf-8"))
    own = next(each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == function)
    texts = (node.value for node in ast.walk(own) if isinstance(node, ast.Return))
    return [
        "".join(part.value if isinstance(part, ast.Constant) else "…" for part in getattr(text, "values", [text]))
        for text in texts
    ]


def test_each_sentence_is_listed_once_with_what_must_be_true() -> None:
    italian = json.loads((ROOM / "language/it.json").read_text("utf-8"))["texts"]
    wanted = [name for name in texts("en") if name.startswith(SUBJECTS)]
    for script in SCRIPTS:
        wanted += [text for text in italian[script] if "|" not in text]
    # a text of two scripts stands with the first
    wanted += ["{move} is best.", "Why not {move}? {reason}"]
    # the script is one of two, for a page with a server and one without
    wanted.append("Many are analysing; this begins when one of them ends")
    for template in sorted((ROOM / "ballots").glob("*.html")):
        wanted += on_page(template.read_text("utf-8"))
    wanted += returned("value_sentence")
    assert sorted(set(wanted) ^ set(LISTED)) == []
    assert len(LISTED) == len(set(LISTED))


def test_each_sentence_of_a_subject_has_cases() -> None:
    for subject in ("story", "comment", "puzzle"):
        named = {case["name"] for case in CASES[subject]}
        wanted = {name for name in texts("en") if name.startswith(f"{subject}.")} - BY_BOOK
        assert sorted(named ^ wanted) == []
        assert all(case["silent"] for case in CASES[subject])


def changed(given: Any, change: Any) -> Any:
    """A case with a change, field by field; null takes a field away."""
    if not isinstance(given, Mapping) or not isinstance(change, Mapping):
        return change
    whole = dict(given)
    for name, value in change.items():
        whole[name] = changed(whole.get(name, {}), value)
        if value is None:
            del whole[name]
    return whole


def told(sentence: object) -> list[str]:
    """Names of a sentence and of those in it."""
    if isinstance(sentence, Sentence):
        return [sentence.name, *(name for value in sentence.values.values() for name in told(value))]
    return [name for each in sentence for name in told(each)] if isinstance(sentence, list | tuple) else []


def story_of(case: Mapping[str, Any]) -> list[str]:
    game = Game(case.get("headers"), Position.from_fen(case["fen"]), case["moves"].split(), case["result"])
    game.end().comment = case.get("rest", "")
    moves = []
    for ply, move in enumerate(game.moves):
        given = dict(case["judged"].get(str(ply), {}))
        moves.append(judged_move(ply, move, given.pop("expected", 0.5), given))
    return told(list(story.tell(game, moves)))


@contextmanager
def asked_texts() -> Iterator[list[str]]:
    """Names of the texts that are asked for."""
    asked: list[str] = []
    real = sentences.texts("en")

    class Asked(dict[str, str]):
        def __getitem__(self, name: str) -> str:
            asked.append(name)
            return real[name]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "texts", lambda code: Asked())
        yield asked


def comment_of(case: Mapping[str, Any]) -> list[str]:
    before, judged = (_move(case[name]) if name in case else None for name in ("before", "judged"))
    assert judged is not None
    with asked_texts() as asked:
        marking.explained(judged, before)
    return asked


def _move(given: Mapping[str, Any]) -> JudgedMove:
    facts = {"expected": 0.5, "best_expected": 0.5, "others_expected": 0.5, **given}
    if "value" in facts:
        facts["value"] = Value(facts["value"])
    move = Position().legal_moves()[0]
    return JudgedMove(0, Side.BLACK, move, True, best=move, likeliest=move, **facts)


@pytest.mark.parametrize("case", CASES["story"], ids=lambda case: case["name"])
def test_a_sentence_of_a_story_is_silent_where_it_is_not_true(case: dict[str, Any]) -> None:
    given = CASES["quiet"] | case["told"]
    assert case["name"] in story_of(given)
    for change in case["silent"]:
        assert case["name"] not in story_of(changed(given, change)), change


@pytest.mark.parametrize("case", CASES["comment"], ids=lambda case: case["name"])
def test_a_comment_is_silent_where_it_is_not_true(case: dict[str, Any]) -> None:
    assert case["name"] in comment_of(case["told"])
    for change in case["silent"]:
        assert case["name"] not in comment_of(changed(case["told"], change)), change


def no_search(position: Position, history: tuple[Position, ...]) -> Analysis:
    raise AssertionError(f"{position.fen} was searched")


def end_of(case: Mapping[str, Any]) -> list[str]:
    given = {"id": "p", "fen": "B:W15,22:B23,25,27", "result": "B-win", **case.get("problem", {})}
    problem = Problem.from_object(given)
    puzzle = Puzzle(problem, load_database(), no_search, case.get("enough"))
    board = puzzle.begin()
    for move in case.get("moves", "23-26").split():
        board.play(move)
    with asked_texts() as asked:
        ended = puzzle.judge(board).ended
    return asked + [name for name in REASONS if texts("en")[name] in ended]


@pytest.mark.parametrize("case", CASES["puzzle"], ids=lambda case: case["name"])
def test_an_end_of_a_puzzle_is_silent_where_it_is_not_true(case: dict[str, Any]) -> None:
    assert case["name"] in end_of(case["told"])
    for change in case["silent"]:
        assert case["name"] not in end_of(changed(case["told"], change)), change


@pytest.fixture(scope="module")
def theory(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Data of pages with one ballot, by deck."""
    with book_for_reading(small_book(tmp_path_factory.mktemp("book") / "book.sqlite")) as store:
        graph = store.graph()
    graph.propagate()
    known = Knowledge(graph, Brackets(graph))
    book = {"name": "b", "positions": 1, "nodes": 1, "nodes_of_a_search": 1}
    book |= dict.fromkeys(("people", "exact", "exact_games"), True)
    return {
        name: {
            "deck": name, "book": book, "people": None, "grades": None,
            "entry": known.ballot(deck(name, playable_only=False)[0]) | {"grade": None},
            "cooks": list(known.cooks.values()) if name == "3move" else [],
        }
        for name in ("3move", "11man")
    }  # fmt: skip


def page_of(data: Mapping[str, Any], name: str) -> str:
    entry = dict(data["entry"])
    if "cooks_of_entry" in data:
        entry["cooks"] = entry["cooks"] * data["cooks_of_entry"]
    elif not data["cooks"]:
        entry["cooks"] = []
    return " ".join(pages.TheoryPages({**data, "ballots": [entry]}, "").page(name).split())


@pytest.mark.parametrize("case", CASES["theory"], ids=lambda case: case["text"])
def test_a_page_of_theory_is_silent_where_it_is_not_true(
    case: dict[str, Any], theory: dict[str, dict[str, Any]]
) -> None:
    data = theory[case["deck"]]
    assert case["text"] in page_of(changed(data, case["told"]), case["page"])
    for change in case["silent"]:
        assert case["text"] not in page_of(changed(data, change), case["page"]), change
