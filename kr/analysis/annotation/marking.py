"""Marks in the tree of a game: judgements, comments and better lines, tagged [%kr ...] so that they can be removed.

A comment by kr begins with [%eval ...], the score in men as other programs write it, positive for Black, the first
player, and with [%kr ...], which holds Black's expected result, from 0 to 1:

    11-15?! {[%eval -0.31] [%kr exp=0.32 nag=?!] Inaccuracy: Black expects 0.32, with 9-14 0.41.}

If the move already had that sign, mark= names it, not nag=. The word "once" says that only one search has seen this
expected result; "opening", "forced" or "unsearched" are reasons not to judge the move. The comment about the game has
the expected result at the start, if that was searched, the accuracy of Black and White, and its story:

    {[%kr game exp=0.50 accuracy=88.1/92.4] [%kr story Black lost the game at <move=19. 18-22>.] Black lost ...}

Pages draw their graph and tell the story from these comments alone.

A score of another program at a marked move is replaced, [%eval ...] alone, the words around it stay; a judged move with
such a score loses the signs of that program too, where they are not kr's.

When a game is marked again, every comment with [%kr is removed, together with the sign that its nag= names; so is
every variation whose first comment has [%kr line, unless something was added to it. All else stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kr.analysis.annotation.judging import (
    AVOIDED,
    MARKS,
    ONLY,
    OPENING,
    OVERSIGHT,
    TRAP,
    JudgedMove,
)
from kr.analysis.annotation.story import Sentence
from kr.evaluation.chances import format_score
from kr.game.board import NO_PROGRESS_PLIES
from kr.game.outcome import DRAW_BY, REPETITION
from kr.game.position import Side
from kr.game.value import Value
from kr.notation import SIDE_NAMES
from kr.pdn import ChildNode, Game, GameNode
from kr.pdn.writer import SIGNS
from kr.proofs.library import CERTIFICATE_WORD
from kr.units import counted

OWN = "[%kr"
OWN_LINE = "[%kr line"
OWN_GAME = "[%kr game"
OWN_STORY = "[%kr story"
ONCE = "once"
WORDS = {"?!": "Inaccuracy", "?": "Mistake", "??": "Blunder", "!": "The only move"}
MARK_KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "only"}
"""Names of the marks in style sheets."""
ANNOTATOR = "Annotator"

_EVAL = re.compile(r"\[%eval\s[^\[\]]*\]")
_SIGN = re.compile(r"\[%kr [^\[\]]{0,80}\bnag=([?!]{1,2})")
_SIGNATURE = re.compile(r"(?:^|; )kr \d[^;]*$")


def mark_game(
    game: Game, moves: Sequence[JudgedMove], story: Sequence[Sentence], accuracy: Sequence[float | None], report: str,
    signature: str, line_plies: int,
) -> None:  # fmt: skip
    """Put judgements into a game, in place of earlier ones.

    story, accuracy of Black and White, report: for the comment before the first move. signature: text for the Annotator
    tag, without a semicolon. line_plies: most plies of a better line; 0 for none.
    """
    unmark_game(game)
    others = _SIGNATURE.sub("", game.headers.get(ANNOTATOR, ""))
    game.headers[ANNOTATOR] = f"{others}; {signature}" if others else signature
    game.comments.append(_game_comment(expected_at_start(moves), story, accuracy, report))
    before = None
    for node, judged in zip(list(game.mainline()), moves, strict=True):
        words = explained(judged, before)
        before = judged if node.setup is None else None
        if judged.expected is None:
            continue
        _replace_scores(node, judged)
        sign = judged.mark if judged.mark and judged.mark not in _signs(node) else ""
        if sign:
            node.nags.append(sign)
        node.comments.append(_comment(judged, sign, words))
        if judged.mark in MARKS and line_plies:
            _add_line(node, judged, line_plies)


def _replace_scores(node: ChildNode, judged: JudgedMove) -> None:
    """Remove scores of another program from a move, and its signs that a judgement replaces."""
    scored = [comment for comment in node.comments if _EVAL.search(comment)]
    if not scored:
        return
    rests = [_EVAL.sub("", comment).strip() if comment in scored else comment for comment in node.comments]
    node.comments = [rest for rest, comment in zip(rests, node.comments, strict=True) if rest or comment not in scored]
    if judged.judged:
        replaced = {*MARKS, ONLY} - {judged.mark}
        node.nags = [nag for nag in node.nags if SIGNS.get(nag, nag) not in replaced]


def unmark_game(game: Game) -> None:
    """Remove everything that `mark_game` put into a game."""
    annotator = game.headers.get(ANNOTATOR)
    if annotator is not None and _SIGNATURE.search(annotator):
        game.headers[ANNOTATOR] = _SIGNATURE.sub("", annotator)
        if not game.headers[ANNOTATOR]:
            del game.headers[ANNOTATOR]
    for node in [game, *game.descendants()]:
        node.variations[1:] = [child for child in node.variations[1:] if not _is_own_line(child)]
        own = [comment for comment in node.comments if OWN in comment]
        if own:
            node.comments = [comment for comment in node.comments if OWN not in comment]
            signs = {sign[1] for sign in map(_SIGN.search, own) if sign}
            node.nags = [nag for nag in node.nags if nag not in signs]


def _game_comment(start: float | None, story: Sequence[Sentence], accuracy: Sequence[float | None], report: str) -> str:
    facts = [] if start is None else [f"exp={start:.2f}"]
    if any(each is not None for each in accuracy):
        facts.append(f"accuracy={'/'.join('-' if each is None else f'{each:.1f}' for each in accuracy)}")
    commands = [f"{OWN_STORY} {sentence.command}]" for sentence in story]
    return " ".join([f"{' '.join([OWN_GAME, *facts])}]", *commands, *map(str, story), report])


def expected_at_start(moves: Sequence[JudgedMove]) -> float | None:
    """Black's expected result before the first move; None if that position was not searched."""
    if not moves or moves[0].reason == OPENING:
        return None
    # without a choice it is that after the move
    expected = moves[0].best_expected if moves[0].judged else moves[0].expected
    return None if expected is None else pov(moves[0].side, expected)


def pov(side: Side, expected: float) -> float:
    """Black's expected result, from that of a side."""
    return expected if side == Side.BLACK else 1 - expected


def evaluation(side: Side, score: int, value: Value | None, plies: int | None) -> str:
    """A score as in [%eval]: men, positive for Black; #3 or #-3 for a known win in three moves of the winner."""
    sign = 1 if side == Side.BLACK else -1
    if value is Value.DRAW:
        return "0.00"
    if value is not None and plies is not None:
        return f"#{sign * value.sign * ((plies + 1) // 2)}"
    return f"{sign * score / 100:.2f}"


def scored(side: Side, score: int, value: Value | None, plies: int | None) -> str:
    """A score in words: "score +55 centi-men", positive for Black, or the proved value."""
    if value is not None:
        return _known(side, value, plies)
    return f"score {format_score(score if side == Side.BLACK else -score)} centi-men"


def explained(judged: JudgedMove, before: JudgedMove | None) -> str:
    """A judgement in words; "" if there is nothing to say. before: the previous move, of the other side."""
    sentences = []
    side = SIDE_NAMES[judged.side]
    if judged.mark in MARKS:
        sentences.append(
            f"{WORDS[judged.mark]}: {side} expects {judged.expected:.2f}, with {judged.best} "
            f"{judged.best_expected:.2f}."
        )
    elif judged.mark == ONLY:
        sentences.append(
            f"{WORDS[ONLY]}: any other and {side} expects {judged.others_expected:.2f}, not {judged.expected:.2f}."
        )
    sentences.append(slipped(judged))
    sentences.append(_history(judged))
    previous = None if before is None or before.value is None else before.value.opposite
    # once, not at every move of an ending
    if judged.value is not None and judged.value != previous:
        was = "" if previous is None else f"{_known(judged.side, previous, None)} before, now "
        by = f", by {judged.by}" if judged.by.startswith(CERTIFICATE_WORD) else ""
        sentences.append(f"Known: {was}{_known(judged.side, judged.value, judged.plies)}{by}.")
    return " ".join(filter(None, sentences))


def _history(judged: JudgedMove) -> str:
    """Repetition or draw that a move makes by the history of the game, in words; "" if none."""
    if judged.draw == REPETITION:
        return f"Drawn by repetition if claimed: the position is on the board for the {_time(judged.occurrence)} time."
    if judged.draw:
        return f"Drawn for lack of progress if claimed: {NO_PROGRESS_PLIES} plies without a capture or a man's move."
    if judged.draw_next:
        return f"{SIDE_NAMES[judged.side.other]} can now draw {DRAW_BY[judged.draw_next]}."
    return f"The position is on the board for the {_time(judged.occurrence)} time." if judged.occurrence > 1 else ""


def _time(occurrence: int) -> str:
    return {2: "second", 3: "third", 4: "fourth", 5: "fifth"}.get(occurrence, f"{occurrence}th")


def slipped(judged: JudgedMove) -> str:
    """Likelihood that people slip here, in words; "" if there is nothing to say."""
    if judged.slip == TRAP:
        return f"A trap: {judged.likely:.0%} of people play this."
    if judged.slip == OVERSIGHT:
        return f"An oversight: {_rarely(judged.likely)} of people play this."
    if judged.slip == AVOIDED:
        return f"A trap avoided: {judged.likeliest_probability:.0%} of people play {judged.likeliest}."
    return ""


def _rarely(probability: float | None) -> str:
    """A small share in words."""
    return "fewer than 1%" if probability is None or probability < 0.01 else f"{probability:.0%}"


def unjudged_opening(opening: int) -> str:
    """Note that the first plies are not judged."""
    return f"The first {'ply is' if opening == 1 else f'{opening} plies are'} not judged (--from-ply)."


def _known(side: Side, value: Value, plies: int | None) -> str:
    """A proved value in words."""
    winner = value.winner(side)
    if winner is None:
        return "a draw"
    name = SIDE_NAMES[winner]
    return f"{name} wins" if plies is None else f"{name} wins in {counted(plies, 'ply')}"


def _comment(judged: JudgedMove, sign: str, words: str) -> str:
    assert judged.score is not None
    assert judged.expected is not None
    mark = f"nag={sign}" if sign else f"mark={judged.mark}" if judged.mark else ""
    facts = [f"exp={pov(judged.side, judged.expected):.2f}", mark, judged.reason, "" if judged.confirmed else ONCE]
    score = evaluation(judged.side, judged.score, judged.certain, judged.plies)
    return f"[%eval {score}] {OWN} {' '.join(filter(None, facts))}] {words}".rstrip()


def _add_line(node: ChildNode, judged: JudgedMove, plies: int) -> None:
    assert node.parent is not None
    assert judged.best_score is not None
    assert judged.best_expected is not None
    head = None
    last: GameNode = node.parent
    for move in judged.line[:plies]:
        last = last.add_variation(move)
        head = head or last
    if head is not None:
        score = evaluation(judged.side, judged.best_score, judged.best_value, None)
        expected = pov(judged.side, judged.best_expected)
        head.comments.append(f"[%eval {score}] {OWN_LINE} exp={expected:.2f}]")


def _signs(node: ChildNode) -> set[str]:
    """Judgements of a move, as signs if they have one."""
    return {SIGNS.get(nag, nag) for nag in node.nags}


def _is_own_line(head: ChildNode) -> bool:
    """True if a variation holds only moves and kr's own comment on the first."""
    node: ChildNode | None = head if any(OWN_LINE in comment for comment in head.comments) else None
    if node is None:
        return False
    while node is not None:
        others = [comment for comment in node.comments if node is not head or OWN not in comment]
        if others or node.nags or node.starting_comments or len(node.variations) > 1:
            return False
        node = node.next()
    return True
