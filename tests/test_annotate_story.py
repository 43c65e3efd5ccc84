"""The story of a judged game, and the accuracy of both sides, from judgements made by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from small_book import book_file
from test_annotate import BLUNDER, BLUNDER_PLY, NODES, played

from kr.analysis.annotation.accuracy import EXPLANATION, HALVED, move_quality, move_weight
from kr.analysis.annotation.annotation import Annotation, MoveTally, annotate
from kr.analysis.annotation.judging import OVERSIGHT, TRAP, JudgedMove, JudgeSettings
from kr.analysis.annotation.marking import unmark_game
from kr.analysis.annotation.story import tell
from kr.book.book import OpeningBook
from kr.engine.engine import Engine
from kr.engine.limits import Limits
from kr.game.position import Position, Side
from kr.game.value import Value
from kr.language.sentences import YOU, Sentence
from kr.pdn import Game, read_game, write_game
from kr.policy.policy import load_policy

LINE = "9-14 22-18 5-9 24-19 11-16 26-22 8-11 28-24"
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


@pytest.mark.parametrize(
    ("move", "weight", "score"),
    [
        (judged(), 1, 1),
        (judged(expected=0.42, best=0.5), 1, 0.5),
        (judged(expected=0.34, best=0.5), 1, 0.25),
        (judged(expected=0.25, others_expected=0.25), 0.75, 1),
        # a game that is decided, whatever is played
        (judged(expected=0.99, others_expected=0.98), 0.0784, 1),
        (judged(expected=0.01, others_expected=0.005), 0.0396, 1),
        # the only move that keeps a win, and a win thrown away
        (judged(expected=1.0, others_expected=0.5), 1, 1),
        (judged(expected=0.5, best=1.0), 1, 2**-6.25),
        (judged(expected=0.0, best=1.0), 1, 2**-12.5),
        # a draw kept by the only move, and thrown away
        (judged(expected=0.5, others_expected=0.0), 1, 1),
        (judged(expected=0.0, best=0.5), 1, 2**-6.25),
        # found at a glance; a move that a glance shows and that was not played is not "obvious"
        (judged(obvious=True, others_expected=0.0), 0, 1),
        (replace(judged(), judged=False, reason="forced"), 0, 1),
        (replace(judged(), judged=False, reason="opening", expected=None), 0, 1),
    ],
)
def test_what_a_move_adds_to_the_accuracy(move: JudgedMove, weight: float, score: float) -> None:
    assert move_weight(move) == pytest.approx(weight)
    assert move_quality(move) == pytest.approx(score)


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


def told(
    result: str,
    *moves: JudgedMove,
    line: str = LINE,
    fen: str = "",
    you: Side | None = None,
    rest: str = "",
    **headers: str,
) -> str:
    """The story of a game, of whose moves only some are told from a quiet one."""
    game = played(line, fen)
    game.result = result
    game.headers |= headers
    game.end().comment = rest
    given = {move.ply: move for move in moves}
    after = 0.5
    judgements = []
    for ply, made in enumerate(game.moves):
        # of the mover; what was lost stays lost
        quiet = judged(ply, after if ply % 2 == 0 else 1 - after)
        move = replace(given.get(ply, quiet), move=made)
        if move.expected is not None:
            after = move.expected if ply % 2 == 0 else 1 - move.expected
        judgements.append(move)
    return " ".join(map(str, tell(game, judgements, you)))


TRAPPED = {"slip": TRAP, "likely": 0.721}
LOST = judged(5, 0.05, 0.5, mark="??")
DRAWN = judged(7, 0.5, value=Value.DRAW)
BEST = str(SECOND)
BROKEN_OFF = "The record breaks off before the end of the game."


@pytest.mark.parametrize(
    ("story", "meant"),
    [
        (
            told("1-0", replace(LOST, **TRAPPED)),
            "White lost, in a lost position. White lost the game at 3... 26-22, a trap into which 72 of 100 people "
            f"fall. {BEST} would have kept the balance.",
        ),
        (
            told("1-0", replace(LOST, slip=OVERSIGHT, likely=0.021, best_value=Value.DRAW), you=Side.WHITE),
            "You lost, in a lost position. You lost the game at 3... 26-22, an oversight that fewer than 3 of 100 "
            f"people make. {BEST} would have drawn.",
        ),
        (
            told("1-0", replace(LOST, slip=OVERSIGHT, likely=0.004, best_expected=0.3, loss=0.25), you=Side.BLACK),
            "White lost, in a lost position. White lost the game at 3... 26-22, an oversight that hardly anyone makes. "
            f"{BEST} would have held out.",
        ),
        # lost, saved, and lost in a drawn position: no move is said to have lost it
        (
            told("1-0", replace(LOST, **TRAPPED), judged(6, 0.5, 0.95, mark="??"), DRAWN, you=Side.WHITE),
            "You lost, in a drawn position. You came into a lost position at 3... 26-22, a trap into which 72 of 100 "
            f"people fall. Black had a won position and let it slip at 4. 8-11. {BEST} would have won.",
        ),
        (told("1-0"), "White lost, in an even position. On the board nothing was lost yet."),
        (told("0-1", DRAWN), "Black lost, in a drawn position. On the board nothing was lost yet."),
        (
            told("1-0", judged(7, 0.3)),
            "White lost, in a worse position, but not a lost one. On the board nothing was lost yet.",
        ),
        (told("1-0", judged(7, 0.7)), "White lost, in the better position. On the board nothing was lost yet."),
        (told("1-0", judged(7, 0.9)), "White lost, in a won position. On the board nothing was lost yet."),
        (
            told("1-0", judged(3, 0.38, 0.5), judged(5, 0.26, 0.38), judged(7, 0.14, 0.26)),
            "White lost, in a lost position. No single move lost the game: White gave it away little by little, most "
            "at 2... 24-19.",
        ),
        (
            told("0-1", judged(4, 0.1, 0.9, mark="??"), Termination="time forfeit"),
            "Black lost on time, in a lost position. Black turned a won position into a lost one at 3. 11-16. "
            f"{BEST} would have won.",
        ),
        (told("1-0", LOST, Termination="adjudicated win").split(". ")[0], "The game was adjudicated as lost for White"),
        (
            told("1-0", Termination="forfeit"),
            "The game was adjudicated as lost for White. On the board nothing was lost yet.",
        ),
        (
            told("1-0", Termination="engine failure: it played 1-30").split(". ")[0],
            "The game was adjudicated as lost for White",
        ),
        (
            told("0-1", judged(0, 1.0), line="12x19", fen="B:W16:B12", Termination="no pieces left"),
            "Black lost, in a won position. On the board nothing was lost yet.",
        ),
        (
            told("1-0", judged(0, 1.0), line="12x19", fen="B:W16:B12", Termination="no pieces left").split(". ")[0],
            "White had no piece left.",
        ),
        (
            told("1-0", judged(0, 1.0), line="21-25", fen="B:W29:B21,22").split(". ")[0],
            "White had no move left.",
        ),
        (
            told("1-0", LOST, Termination="resignation").split(". ")[0],
            "White resigned a lost position",
        ),
        # draws
        (told("1/2-1/2", Termination="agreement").split(". ")[0], "The players agreed to a draw in an even position"),
        (
            told("1/2-1/2"),
            "The game was drawn in an even position. Neither side ever came close to a win.",
        ),
        (told("1/2-1/2", DRAWN).split(". ")[0], "The game was drawn in a drawn position"),
        (
            told("1/2-1/2", judged(2, 0.75), judged(3, 0.5), you=Side.BLACK),
            "The game was drawn in an even position. You came closest to a win, after 2. 5-9.",
        ),
        (
            told("1/2-1/2", LOST, you=Side.BLACK),
            "The game was drawn where you had a won position. White came into a lost position at 3... 26-22. "
            f"{BEST} would have kept the balance.",
        ),
        (
            told("1/2-1/2", judged(7, 0.5, draw="repetition", value=Value.WIN)).split(". ")[0],
            "The game was drawn by repetition where White had a won position",
        ),
        (told("1/2-1/2", judged(7, 0.5, draw="no progress")).split(". ")[0], "The game was drawn for lack of progress"),
        (told("1/2-1/2", Termination="adjudicated draw").split(". ")[0], "The game was adjudicated as a draw"),
        # others
        (told("*").split(". ")[0], "The game is not finished; the position is even"),
        (told("*", judged(0, 1.0), line="12x19", fen="B:W16:B12"), "White had no piece left."),
        (told("1/2-1/2", Termination="abandoned").split(". ")[0], "The game was adjudicated as a draw"),
        (told("0-0").split(". ")[0], "The game was counted as lost for both players"),
        (
            told(
                "0-1", judged(1, 0.1, 0.5), judged(2, 0.1, 0.9), judged(3, 0.1, 0.9), judged(4, 0.1, 0.9)
            ).split(". ")[1],
            "The game turned 4 times; these turns were the last",
        ),
        (told("1-0", replace(judged(7), expected=None)), "White lost."),
        # what the reader could not replay is a comment
        (
            told("1-0", LOST, rest="Not legal from here: 1-2"),
            f"{BROKEN_OFF} White lost. White came into a lost position at 3... 26-22. {BEST} would have kept the "
            "balance.",
        ),
        (told("1-0", rest="Not known from here: 9", Termination="time forfeit"), f"{BROKEN_OFF} White lost on time."),
        (told("1/2-1/2", rest="Not legal from here: 1-2"), f"{BROKEN_OFF} The game was drawn."),
        (told("*", rest="Not legal from here: 1-2"), BROKEN_OFF),
    ],
)  # fmt: skip
def test_stories(story: str, meant: str) -> None:
    assert story == meant


def test_a_game_without_moves_has_no_story() -> None:
    assert tell(Game(), ()) == ()


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("9-14 22-18", ""),
        # worse, but not by as much as leaves a book
        ("11-15 23-19", ""),
        ("10-15 22-18", "Black left the book with 1. 10-15: 11-15 is 0.18 better."),
        ("12-16 22-18", "Black left the book with 1. 12-16: it plays 11-15."),
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
    assert str(sentence) == "Black lost the game at 19. 18-22, a trap into which 62 of 100 people fall."
    assert sentence.filled(lambda name, text: f"<{name}={text}>").startswith("Black lost the game at <move=")
    told = {"say": "story.slip.trap", "with": {"percent": 62}}
    assert sentence.as_object() == {"say": "story.turn.lost", "with": {**values, "slip": told}}
    assert str(Sentence("story.turn.lost", {**values, "side": YOU, "slip": ""})) == "You lost the game at 19. 18-22."
    assert str(Sentence("value.wins_in", {"side": "white", "count": 1})) == "White wins in 1 ply"
    assert str(Sentence("value.wins_in", {"side": "white", "count": 1200})) == "White wins in 1,200 plies"
    figures = [Sentence("report.traps", {"count": 2}), Sentence("report.unjudged")]
    assert str(Sentence("report.side", {"side": "white", "figures": figures})) == "White: 2 traps, no move judged."
