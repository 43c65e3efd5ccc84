"""Marks in the tree of a game: judgements, comments and better lines, tagged [%kr ...] so that they can be removed.

A comment by kr begins with [%eval ...], the score in men as other programs write it, positive for Black, the first
player, and with [%kr ...], which holds Black's expected result, from 0 to 1:

    11-15?! {[%eval -0.31] [%kr exp=0.32 nag=?!] Inaccuracy: Black expects 0.32, with 9-14 0.41.}

If the move already had that sign, mark= names it, not nag=. "best" is a move as good as any other; turn=won/drawn one
that turned the game, with the standings of its side before and after it. The word "once" says that only one search has
seen this expected result; "opening", "forced" or "unsearched" are reasons not to judge the move. The comment about the
game has the expected result at the start, if that was searched, the accuracy of Black and White, and its story:

    {[%kr game exp=0.50 accuracy=88.1/92.4] [%kr story Black lost the game at <move=19. 18-22>.] Black lost ...}

Pages draw their graph and tell the story from these comments alone.

A score of another program at a marked move is replaced, [%eval ...] alone, the words around it stay; a judged move with
such a score loses the signs of that program too, where they are not kr's.

What refutes a marked move is a variation, too, from where the game goes on otherwise; its first comment is [%kr
refutation]. Where the game ends before that, or the better line of a later mark begins so, there is none.

When a game is marked again, every comment with [%kr is removed, together with the sign that its nag= names; so is
every variation whose first comment has [%kr line or [%kr refutation, unless something was added to it. All else stays
as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kr.analysis.annotation.judgement import AVOIDED, MARKS, ONLY, OPENING, OVERSIGHT, TRAP, JudgedMove
from kr.analysis.annotation.story import standings
from kr.evaluation.chances import format_score
from kr.game.board import NO_PROGRESS_PLIES
from kr.game.outcome import REPETITION
from kr.game.position import Side
from kr.game.value import Value
from kr.language.sentences import Sentence, Told
from kr.pdn import ChildNode, Game, GameNode
from kr.pdn.writer import SIGNS
from kr.proofs.known import CERTIFICATE_WORD

OWN = "[%kr"
OWN_LINE = "[%kr line"
OWN_REFUTATION = "[%kr refutation"
OWN_GAME = "[%kr game"
OWN_STORY = "[%kr story"
ONCE = "once"
BEST_MOVE = "best"
MARK_KINDS = {"?!": "inaccuracy", "?": "mistake", "??": "blunder", "!": "only"}
"""Names of the marks, in sentences and in style sheets."""
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
    tag, without a semicolon. line_plies: most plies of a better line and a refutation but for those that
    reasons tell of; 0 for none.
    """
    unmark_game(game)
    others = _SIGNATURE.sub("", game.headers.get(ANNOTATOR, ""))
    game.headers[ANNOTATOR] = f"{others}; {signature}" if others else signature
    game.comments.append(_game_comment(expected_at_start(moves), story, accuracy, report))
    before = None
    for node, judgement in zip(list(game.mainline()), moves, strict=True):
        words = explained(judgement, before)
        before = judgement if node.setup is None else None
        if judgement.expected is None:
            continue
        _replace_scores(node, judgement)
        sign = judgement.mark if judgement.mark and judgement.mark not in _signs(node) else ""
        if sign:
            node.nags.append(sign)
        node.comments.append(_comment(judgement, sign, words))
        if judgement.mark in MARKS and line_plies:
            # as far as the reasons tell of
            plies = max(line_plies, *(len(str(each.values["line"]).split()) for each in judgement.why), 0)
            _add_line(node, judgement, plies)
            _add_refutation(node, judgement, moves, plies)


def _replace_scores(node: ChildNode, judgement: JudgedMove) -> None:
    """Remove scores of another program from a move, and its signs that a judgement replaces."""
    scored = [comment for comment in node.comments if _EVAL.search(comment)]
    if not scored:
        return
    rests = [_EVAL.sub("", comment).strip() if comment in scored else comment for comment in node.comments]
    node.comments = [rest for rest, comment in zip(rests, node.comments, strict=True) if rest or comment not in scored]
    if judgement.judged:
        replaced = {*MARKS, ONLY} - {judgement.mark}
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
    commands = [f"{OWN_STORY} {sentence.filled(_marked)}]" for sentence in story]
    return " ".join([f"{' '.join([OWN_GAME, *facts])}]", *commands, *map(str, story), report])


def _marked(name: str, value: str) -> str:
    return f"<{name}={value}>" if value else ""


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
        return str(_known(side, value, plies))
    return f"score {format_score(score if side == Side.BLACK else -score)} centi-men"


def explained(judgement: JudgedMove, before: JudgedMove | None) -> str:
    """A judgement in words; "" if there is nothing to say. before: the previous move, of the other side."""
    sentences = [
        _judgement(judgement),
        *judgement.why,
        slipped(judgement),
        _missed_chance(judgement),
        _history(judgement),
    ]
    previous = None if before is None or before.value is None else before.value.opposite
    # once, not at every move of an ending
    if judgement.value is not None and judgement.value != previous:
        now: list[Told] = [_known(judgement.side, judgement.value, judgement.plies)]
        if judgement.by.startswith(CERTIFICATE_WORD):
            word, _, names = judgement.by.partition(" ")
            now.append(Sentence("value.by" if word == CERTIFICATE_WORD else "value.by_several", {"names": names}))
        was = {} if previous is None else {"before": _known(judgement.side, previous, None)}
        sentences.append(_said("known.before" if was else "known", **was, now=now))
    return " ".join(str(sentence) for sentence in sentences if sentence)


def _said(name: str, **values: Told) -> Sentence:
    return Sentence(f"comment.{name}", values)


def _judgement(judgement: JudgedMove) -> Sentence | None:
    """What the mark of a move means; None without one."""
    if judgement.mark not in MARK_KINDS:
        return None
    figures = (
        {"others": f"{judgement.others_expected:.2f}"}
        if judgement.mark == ONLY
        else {"better": str(judgement.best), "best": f"{judgement.best_expected:.2f}"}
    )
    kind, side = MARK_KINDS[judgement.mark], judgement.side.name.lower()
    return _said(kind, side=side, points=f"{judgement.expected:.2f}", **figures)


def _history(judgement: JudgedMove) -> Sentence | None:
    """Repetition or draw that a move makes by the history of the game; None if none."""
    if judgement.draw == REPETITION:
        return _said("repetition", time=_time(judgement.occurrence))
    if judgement.draw:
        return _said("no_progress", count=NO_PROGRESS_PLIES // 2)
    if judgement.draw_next:
        return _said(f"next.{judgement.draw_next.replace(' ', '_')}", side=judgement.side.other.name.lower())
    return _said("occurrence", time=_time(judgement.occurrence)) if judgement.occurrence > 1 else None


def _time(occurrence: int) -> Sentence:
    return _said(f"time.{occurrence}") if occurrence <= 5 else _said("time.more", number=occurrence)


def slipped(judgement: JudgedMove) -> Sentence | None:
    """Likelihood that people slip here; None if there is nothing to say."""
    percent = _percent(judgement.likeliest_probability if judgement.slip == AVOIDED else judgement.likely)
    if judgement.slip == TRAP:
        return _said("trap", percent=percent) if judgement.likely_holds else _said("trap_uncounted")
    if judgement.slip == OVERSIGHT:
        if not judgement.likely_holds:
            return _said("oversight_uncounted")
        rare = judgement.likely is None or judgement.likely < 0.01
        return _said("rare_oversight") if rare else _said("oversight", percent=percent)
    if judgement.slip == AVOIDED:
        move = str(judgement.likeliest)
        if not judgement.likeliest_holds:
            return _said("trap_avoided_uncounted", move=move)
        return _said("trap_avoided", move=move, percent=percent)
    return None


def _missed_chance(judgement: JudgedMove) -> Sentence | None:
    """Another draw, which is harder for people; None without one."""
    return None if judgement.harder is None else _said("harder", move=str(judgement.harder))


def _percent(share: float | None) -> str:
    return f"{100 * (share or 0):.0f}"


def _known(side: Side, value: Value, plies: int | None) -> Sentence:
    """A proved value."""
    winner = value.winner(side)
    if winner is None:
        return Sentence("value.draw")
    if plies is None:
        return Sentence("value.wins", {"side": winner.name.lower()})
    return Sentence("value.wins_in", {"side": winner.name.lower(), "count": (plies + 1) // 2})


def _comment(judgement: JudgedMove, sign: str, words: str) -> str:
    assert judgement.score is not None
    assert judgement.expected is not None
    mark = f"nag={sign}" if sign else f"mark={judgement.mark}" if judgement.mark else ""
    turned = standings(judgement)
    facts = [
        f"exp={pov(judgement.side, judgement.expected):.2f}",
        mark,
        BEST_MOVE if judgement.judged and judgement.best == judgement.move else "",
        f"turn={'/'.join(turned)}" if turned else "",
        judgement.reason,
        "" if judgement.confirmed else ONCE,
    ]
    score = evaluation(judgement.side, judgement.score, judgement.certain, judgement.plies)
    return f"[%eval {score}] {OWN} {' '.join(filter(None, facts))}] {words}".rstrip()


def _add_line(node: ChildNode, judgement: JudgedMove, plies: int) -> None:
    assert node.parent is not None
    assert judgement.best_score is not None
    assert judgement.best_expected is not None
    head = None
    last: GameNode = node.parent
    for move in judgement.line[:plies]:
        last = last.add_variation(move)
        head = head or last
    if head is not None:
        score = evaluation(judgement.side, judgement.best_score, judgement.best_value, None)
        expected = pov(judgement.side, judgement.best_expected)
        head.comments.append(f"[%eval {score}] {OWN_LINE} exp={expected:.2f}]")


def _add_refutation(node: ChildNode, judgement: JudgedMove, moves: Sequence[JudgedMove], plies: int) -> None:
    """Write what refutes a marked move as a variation, from where the game goes on otherwise."""
    line = judgement.refutation[1:plies]
    for ply, move in enumerate(line):
        if node.setup is not None or not node.variations:
            return
        following = node.variations[0]
        if following.move.squares == move.squares:
            node = following
            continue
        later = moves[judgement.ply + 1 + ply]
        if later.mark not in MARKS or later.line[0].squares != move.squares:
            last: GameNode = node
            for number, each in enumerate(line[ply:]):
                last = last.add_variation(each, comment="" if number else f"{OWN_REFUTATION}]")
        return


def _signs(node: ChildNode) -> set[str]:
    """Judgements of a move, as signs if they have one."""
    return {SIGNS.get(nag, nag) for nag in node.nags}


def _is_own_line(head: ChildNode) -> bool:
    """True if a variation holds only moves and kr's own comment on the first."""
    own = any(OWN_LINE in comment or OWN_REFUTATION in comment for comment in head.comments)
    node: ChildNode | None = head if own else None
    if node is None:
        return False
    while node is not None:
        others = [comment for comment in node.comments if node is not head or OWN not in comment]
        if others or node.nags or node.starting_comments or len(node.variations) > 1:
            return False
        node = node.next()
    return True
