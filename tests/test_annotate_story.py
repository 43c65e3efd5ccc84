"""The story of a judged game, and the accuracy of both sides, from judgements made by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_book import book_file
from test_annotate import BLUNDER, BLUNDER_PLY, NODES, played

from kr.analysis.annotation.accuracy import EXPLANATION, HALVED
from kr.analysis.annotation.annotation import Annotation, MoveTally, annotate
from kr.analysis.annotation.judgement import JudgedMove
from kr.analysis.annotation.judging import JudgeSettings
from kr.analysis.annotation.marking import unmark_game
from kr.analysis.annotation.story import tell
from kr.book.book import OpeningBook
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.position import Position, Side
from kr.language.sentences import Sentence
from kr.pdn import Game, read_game, write_game
from kr.policy.policy import load_policy

FIRST, SECOND = Position().legal_moves()[:2]


def judged(ply: int = 0, expected: float = 0.5, best: float | None = None, **others: Any) -> JudgedMove:
    """A judged move that gives away what the best one has more; best: of the move played, if it is not another."""
    loss = 0.0 if best is None else best - expected
    given = {
        "best": FIRST if best is None else SECOND, "best_expected": expected if best is None else best,
        "others_expected": expected if best is None else best, "loss": loss, "confirmed": True, **others,
    }  # fmt: skip
    return JudgedMove(ply, Side(ply % 2), FIRST, True, score=0, expected=expected, **given)


# --- accuracy


PLAY = [judged(0), judged(2, 0.42, 0.5), judged(4), judged(6, 0.3, 0.62)]


@pytest.mark.parametrize(
    "more",
    [
        [],
        # a long won ending, or a long lost one, and forced moves
        [judged(ply, 1.0) for ply in range(8, 88, 2)],
        [judged(ply, 0.0) for ply in range(8, 88, 2)],
        [judged(ply, 0.998, others_expected=0.997) for ply in range(8, 24, 2)],
        [replace(judged(ply), judged=False, reason="forced") for ply in range(8, 88, 2)],
        [judged(ply, obvious=True, others_expected=0.0) for ply in range(8, 88, 2)],
        # the same play a second time
        [replace(move, ply=move.ply + 8) for move in PLAY],
        # the other side's moves
        [judged(ply, 0.1, 0.9) for ply in range(1, 9, 2)],
    ],
    ids=["alone", "won", "lost", "nearly won", "forced", "obvious", "twice", "other side"],
)
def test_equal_play_has_equal_accuracy(more: list[JudgedMove]) -> None:
    figure = Annotation((*PLAY, *more)).black.accuracy
    assert figure == pytest.approx(Annotation(tuple(PLAY)).black.accuracy, abs=1)
    turned = tuple(replace(move, side=move.side.other) for move in (*PLAY, *more))
    assert Annotation(turned).white.accuracy == figure


def test_the_accuracy_of_games_adds_up_and_may_be_unknown() -> None:
    tally = Annotation(tuple(PLAY)).black
    assert tally.accuracy == pytest.approx(100 * (1 + 0.5 + 1 + 2**-4) / 4)
    assert (tally + tally).accuracy == tally.accuracy
    assert MoveTally.of_object(tally.as_object()) == replace(tally, given=pytest.approx(tally.given))
    assert Annotation((replace(judged(), judged=False, reason="forced"),)).black.accuracy is None
    # that of an earlier kr
    old = {"games": 1, "moves": 2, "best": 1, "given": 0.1, "inaccuracies": 0, "mistakes": 0, "blunders": 0, "only": 0}
    assert MoveTally.of_object({**old, "accuracy": 100.0, "loss": 0.05}).accuracy is None
    assert f"{HALVED:.2f}"[1:] in EXPLANATION


# --- the story

AT_ONCE = JudgeSettings(tc=Limits(depth=1), from_ply=0)


def test_a_game_without_moves_has_no_story() -> None:
    assert tell(Game(), ()) == ()


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("9-14 22-18", ""),
        # worse, but not by as much as leaves a book
        ("11-15 23-19", ""),
        ("10-15 22-18", "Black left the book with 1. 10-15: 11-15 is 0.18 better."),
        ("12-16 22-18", "Black left the book with 1. 12-16: the book plays 11-15."),
        ("11-15 21-17", "White left the book with 1... 21-17: 22-18 is 0.37 better."),
        # only the first one
        ("10-15 21-17", "Black left the book with 1. 10-15: 11-15 is 0.18 better."),
    ],
)
def test_the_story_ends_with_who_left_the_book(line: str, meant: str, tmp_path: Path) -> None:
    game = played(line)
    annotation = annotate(game, Engine("manual", hash_mb=1), AT_ONCE, book=OpeningBook(book_file(tmp_path)))
    assert ([str(each) for each in annotation.story if "book" in str(each)] or [""]) == [meant]
    assert str(annotation.story[-1]) == (meant or str(tell(game, annotation.moves)[-1]))
    assert ("book" in game.comment) == bool(meant)


def test_given_moves_leave_no_book(tmp_path: Path) -> None:
    settings = JudgeSettings(tc=AT_ONCE.tc, from_ply=1)
    game = played("10-15 21-17")
    annotation = annotate(game, Engine("manual", hash_mb=1), settings, book=OpeningBook(book_file(tmp_path)))
    assert annotation.departure is None


@pytest.mark.slow
def test_story_and_accuracy_are_kept_in_the_game() -> None:
    game = played(BLUNDER)
    game.result = "1-0"
    annotation = annotate(game, Engine(hash_mb=1), JudgeSettings(tc=Limits(nodes=NODES)), policy=load_policy())
    kept = read_game(write_game(game))
    assert kept is not None
    comment = " ".join(kept.comment.split())
    words = re.sub(r"\[%[^\[\]]*\] ?", "", comment)
    assert words.startswith(" ".join(map(str, annotation.story)))
    assert f"{list(kept.mainline())[BLUNDER_PLY]}" in words
    figures = "/".join(f"{tally.accuracy:.1f}" for tally in (annotation.black, annotation.white))
    assert f" accuracy={figures}]" in comment
    # each stands as a command too, with its values marked
    commands = re.findall(r"\[%kr story ([^\[\]]*)\]", comment)
    assert [re.sub(r"<\w+=([^<>]*)>", r"\1", command) for command in commands] == [*map(str, annotation.story)]
    assert "<move=" in commands[1]
    unmark_game(kept)
    assert kept.comment == ""


def test_a_sentence_is_a_name_and_values() -> None:
    slip = Sentence("story.slip.trap", {"percent": 62})
    values = {"side": "black", "move": "19. 18-22", "slip": slip}
    sentence = Sentence("story.turn.lost", values)
    assert sentence.filled(lambda name, text: f"<{name}={text}>").startswith("Black lost the game at <move=")
    told = {"say": "story.slip.trap", "with": {"percent": 62}}
    assert sentence.as_object() == {"say": "story.turn.lost", "with": {**values, "slip": told}}
